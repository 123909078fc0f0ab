//! Child sessions: what their parent tells of them, and their own words and requests (V1-SUB).
//!
//! A child's conversation follows the same rules as the session's: while one of its words is worked
//! on, the step works in its conversation ([`Step::in_subagent`]). Turn, queue, modes and
//! options stay the session's: nothing of that can be done to a child (V1-SUB-03).

use crate::{
    model::{
        AgentEvent, HostRequest, Notification, Patch, RequestKey, SessionId, StopReason,
        SubagentCaps, SubagentPatch, TerminalId, WorkState,
    },
    session::{BlockKind, NoticeLevel, Question, Subagent, ToolState},
    text::SafeText,
};

use super::{
    Step,
    conversation::bounds::{
        MAX_BACKGROUND, MAX_DEPTH, MAX_ERROR_TEXT, MAX_SUBAGENTS, MAX_SUBAGENTS_WEIGHT, MAX_TITLE,
        bounded,
    },
};

impl Step<'_> {
    /// `subagent_update` on the session that is worked on (V1-SUB-01).
    pub(super) fn subagent(&mut self, patch: SubagentPatch) {
        let parent = self.subagent_id().cloned();
        let known = self.session.subagents.get(&patch.id);
        let own = known.map(|known| known.parent == parent);
        let is_cycle = self.session.is(&patch.id) || parent.as_ref() == Some(&patch.id);
        if is_cycle || own == Some(false) {
            // V1-SUB-06. Whose child it is was said when it became known, and does not change.
            self.say_subagent_left_out("it belongs to another session");
            return;
        }
        if own.is_none() && !self.add_subagent(&patch.id, parent) {
            return;
        }
        self.patch_subagent(patch);
    }

    fn add_subagent(&mut self, id: &SessionId, parent: Option<SessionId>) -> bool {
        let depth = 1 + self.depth();
        if depth > MAX_DEPTH {
            self.say_subagent_left_out("subagents are nested too deep");
            return false;
        }
        self.make_room_for_subagents();
        if self.session.subagents.len() >= MAX_SUBAGENTS {
            self.say_subagent_left_out("too many are working");
            return false;
        }
        self.flush_history();
        let block = self.push(BlockKind::Subagent(id.clone()));
        let subagent = Subagent::new(id.clone(), parent, (block, depth), self.now);
        self.session.subagents.insert(Box::new(subagent));
        true
    }

    fn say_subagent_left_out(&mut self, why: &str) {
        let text = format!("a subagent was skipped: {why}");
        let last = self.conversation().transcript.blocks().last();
        let said = last.is_some_and(
            |block| matches!(&block.kind, BlockKind::Notice(notice) if *notice.text == *text),
        );
        if !said {
            self.say(NoticeLevel::Quiet, SafeText::line(&text));
        }
    }

    /// Omitted fields stay, null clears.
    fn patch_subagent(&mut self, patch: SubagentPatch) {
        let id = patch.id;
        let (now, replaying) = (self.now, self.is_replaying());
        let Some(subagent) = self.session.subagents.get_mut(&id) else {
            return;
        };
        let title = patch.title.map(|title| bounded(&title, MAX_TITLE));
        title.apply(&mut subagent.title);
        let description = patch.description.map(|text| bounded(&text, MAX_ERROR_TEXT));
        description.apply(&mut subagent.description);
        patch.cwd.apply(&mut subagent.cwd);
        let directories = &mut subagent.additional_directories;
        patch.additional_directories.apply(directories);
        if let Some(directories) = directories {
            directories.truncate(MAX_SUBAGENTS);
        }
        patch.caps.apply_to(&mut subagent.caps);
        if patch.state != Patch::Keep {
            let was_active = subagent.is_active();
            (subagent.state, subagent.background) = match patch.state {
                Patch::Set(snapshot) => (Some(snapshot.state), snapshot.background),
                _ => (None, None),
            };
            if let Some(background) = &mut subagent.background {
                background.truncate(MAX_BACKGROUND);
            }
            subagent.cancelling = false;
            if subagent.is_active() && !was_active {
                subagent.started = now;
                subagent.took = None;
            } else if was_active && !subagent.is_active() && !replaying {
                subagent.took = Some(now.saturating_duration_since(subagent.started));
            }
            // Idle is the end of this piece of work, and not of the session (V1-SUB-04).
            if let Some(WorkState::Idle(reason)) = &subagent.state {
                let tools = match reason {
                    Some(StopReason::Cancelled) => ToolState::Cancelled,
                    Some(StopReason::Error(_)) => ToolState::Failed,
                    _ => ToolState::Ended,
                };
                self.in_subagent(&id, |step| step.rest(tools));
            }
        }
        self.touch_subagent(&id);
    }

    /// Ends what is open in the conversation that is worked on.
    fn rest(&mut self, tools: ToolState) {
        self.end_message();
        self.end_open_tools(tools);
        self.settle_plan();
        self.settle_plan_texts();
    }

    /// An update of a subagent; no load or resume comes before it (V1-SUB-02). Whether there is such a
    /// subagent.
    pub(super) fn subagent_says(&mut self, id: &SessionId, event: AgentEvent) -> bool {
        match event {
            AgentEvent::SessionInfo(info) => {
                // The title in its parent's update takes precedence.
                if let Patch::Set(title) = info.title
                    && let Some(subagent) = self.session.subagents.get_mut(id)
                    && subagent.title.is_none()
                {
                    subagent.title = Some(bounded(&title, MAX_TITLE));
                    self.touch_subagent(id);
                }
                true
            }
            // The same snapshot as in its parent's update (V1-SUB-04).
            AgentEvent::State(snapshot) => {
                self.patch_subagent(SubagentPatch {
                    state: Patch::Set(snapshot),
                    ..SubagentPatch::new(id.clone())
                });
                true
            }
            // A subagent has no controls that would use these (V1-SUB-03).
            AgentEvent::Commands(_)
            | AgentEvent::Mode(_)
            | AgentEvent::ConfigOptions(_)
            | AgentEvent::Usage(_)
            | AgentEvent::Suggestion(_)
            | AgentEvent::Limit(_)
            | AgentEvent::ReplayComplete => true,
            event => {
                if !self.may_tell(&event) {
                    return true;
                }
                let said = self.in_subagent(id, |step| step.take_in(event));
                self.bound_subagents(id);
                said.is_some()
            }
        }
    }

    /// A request of a child: served as one of the session's (V1-SUB-02). Its own directories say
    /// what its relative paths mean and where its commands run (V1-TERM-04); they widen nothing:
    /// what is served unasked is what the person allowed. They narrow nothing either: it is the same
    /// agent, which could ask in its parent's name.
    pub(super) fn request_of_subagent(
        &mut self,
        id: &SessionId,
        key: RequestKey,
        mut request: HostRequest,
    ) {
        let root = &self.session.config.cwd;
        let cwd = self.session.subagents.cwd_of(id, root);
        let absolute = |path: &str| cwd.join(path).to_string_lossy().into_owned();
        match &mut request {
            HostRequest::ReadTextFile(read) => read.path = absolute(&read.path),
            HostRequest::WriteTextFile(write) => write.path = absolute(&write.path),
            HostRequest::TerminalCreate(create) => {
                create.cwd = Some(match create.cwd.as_deref() {
                    Some(dir) => absolute(dir),
                    None => cwd.to_string_lossy().into_owned(),
                });
            }
            _ => {}
        }
        self.in_subagent(id, |step| step.take_request(key, request));
    }

    /// Sent once, and only where the agent allows it (V1-SUB-03); its questions are answered as those
    /// of a cancelled turn (V1-PERM-02).
    pub(super) fn cancel_subagent(&mut self, id: &SessionId) {
        let Some(subagent) = self.session.subagents.get_mut(id) else {
            return;
        };
        if !subagent.can_be_cancelled() || self.session.connection.is_none() {
            return;
        }
        subagent.cancelling = true;
        self.notify(Notification::Cancel {
            session: id.clone(),
        });
        self.close_questions_of(id);
        self.in_subagent(id, |step| step.end_open_tools(ToolState::Cancelled));
    }

    /// Their agent is gone.
    pub(super) fn lose_subagents(&mut self, tools: &ToolState) {
        for id in self.session.subagents.ids() {
            self.in_subagent(&id, |step| {
                step.rest(tools.clone());
                step.abandon_entities();
            });
            let now = self.now;
            if let Some(subagent) = self.session.subagents.get_mut(&id) {
                if subagent.is_active() {
                    subagent.took = Some(now.saturating_duration_since(subagent.started));
                }
                subagent.state = None;
                subagent.caps = SubagentCaps::default();
                subagent.cancelling = false;
            }
        }
    }

    /// The subagent whose conversation shows that terminal.
    pub(super) fn subagent_showing(&self, terminal: &TerminalId) -> Option<SessionId> {
        let mut subagents = self.session.subagents.iter();
        let shows = |subagent: &&Subagent| subagent.conversation.shows(terminal);
        subagents.find(shows).map(|subagent| subagent.id.clone())
    }

    /// The session that a question came from, if that is a subagent.
    pub(super) fn subagent_asking(&self, question: &Question) -> Option<SessionId> {
        let of = |request: &HostRequest| {
            let id = request.session()?;
            self.session.has_subagent(id).then(|| id.clone())
        };
        match question {
            Question::Permission(question) => question.subagent.clone(),
            Question::File(question) => of(&question.request),
            Question::Command(question) => of(&question.request),
            Question::Form(question) => question.subagent.clone(),
            Question::Page(question) => question.subagent.clone(),
        }
    }

    /// Drops the oldest subagents at rest to make room for a new one.
    fn make_room_for_subagents(&mut self) {
        while self.session.subagents.len() >= MAX_SUBAGENTS {
            let Some(id) = self.oldest_resting(None) else {
                return;
            };
            self.forget_subagent(&id);
        }
    }

    /// Drops the oldest subagents at rest while all together take more than [`MAX_SUBAGENTS_WEIGHT`].
    fn bound_subagents(&mut self, but: &SessionId) {
        while self.session.subagents.weight() > MAX_SUBAGENTS_WEIGHT {
            let Some(id) = self.oldest_resting(Some(but)) else {
                return;
            };
            self.forget_subagent(&id);
        }
    }

    fn forget_subagent(&mut self, id: &SessionId) {
        self.touch_subagent(id);
        self.session.subagents.take(id);
    }

    fn oldest_resting(&self, but: Option<&SessionId>) -> Option<SessionId> {
        let all = &self.session.subagents;
        let has_children = |id: &SessionId| all.iter().any(|one| one.parent.as_ref() == Some(id));
        all.iter()
            .filter(|one| !one.is_active() && Some(&one.id) != but && !has_children(&one.id))
            .min_by_key(|one| one.started)
            .map(|one| one.id.clone())
    }
}
