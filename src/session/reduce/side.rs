//! Side questions: a fork of the session with one prompt, whose words and requests are taken here and
//! never by the session. Nothing of it reaches the transcript, the queue, the questions or the person's
//! attention; it may read, and its other requests are denied without being asked about.

use std::collections::VecDeque;

use crate::{
    model::{
        AgentEvent, Call, CallResult, CallTag, ChunkRole, ContentBlock, ElicitationAnswer,
        FromAgent, HostReply, HostRequest, MessageId, Notification, Patch, PermissionKind,
        PermissionOutcome, RequestKey, RpcError, SessionId, SessionOpened, StopReason, ToAgent,
        ToolStatus, code,
    },
    session::{Consent, Effect, Prompt, Session, SideQuestion, SideState},
    text::{SafeText, first_bytes},
};

use super::{
    Step,
    connection::error_text,
    conversation::bounds::{MAX_SIDE_ANSWER, MAX_SIDE_FORKS, MAX_SIDES_KNOWN, MAX_TITLE, bounded},
    failure,
};

#[derive(Debug, Default)]
pub(super) struct SideRules {
    /// Calls to fork for a side question that have no answer yet, those of closed ones among them.
    forks: usize,
    /// The fork that answers.
    live: Option<SessionId>,
    /// What it is asked once it is there.
    prompt: Option<Prompt>,
    /// Forks that were closed, and children of forks: what they still say is for no one.
    gone: VecDeque<SessionId>,
    /// The answer's message, and whether something else was done since.
    message: Option<MessageId>,
    interrupted: bool,
}

impl SideRules {
    pub fn knows(&self, id: &SessionId) -> bool {
        self.live.as_ref() == Some(id) || self.gone.contains(id)
    }

    fn forget(&mut self, id: SessionId) {
        if !self.gone.contains(&id) {
            self.gone.push_back(id);
        }
        if self.gone.len() > MAX_SIDES_KNOWN {
            self.gone.pop_front();
        }
    }
}

impl Session {
    /// Whether that is the fork of a side question of this session, or was one.
    pub(in crate::session) fn has_side(&self, id: &SessionId) -> bool {
        self.inner.side.knows(id)
    }

    /// A fork for a side question is to come, whose id is not known yet.
    pub(in crate::session) fn is_forking_aside(&self) -> bool {
        self.inner.side.forks > 0
    }

    /// A message that says nothing of the session itself.
    pub(super) fn is_aside(&self, word: &FromAgent) -> bool {
        match word {
            FromAgent::Update { session, .. } => {
                session.as_ref().is_some_and(|id| self.has_side(id))
            }
            FromAgent::Request { request, .. } => {
                request.session().is_some_and(|id| self.has_side(id))
            }
            FromAgent::Reply { call, .. } => self.is_call_aside(call),
            _ => false,
        }
    }

    fn is_call_aside(&self, call: &CallTag) -> bool {
        match call {
            // A session that was opened as a fork has no side question before it is open.
            CallTag::ForkSession { .. } => {
                self.is_forking_aside() && !self.inner.opening.is_under_way()
            }
            CallTag::Prompt { session } => self.has_side(session),
            CallTag::CloseSession { id } | CallTag::DeleteSession { id } => self.has_side(id),
            _ => false,
        }
    }

    /// What the agent is told of a side question before its process ends.
    pub(super) fn side_farewell(&self) -> Vec<ToAgent> {
        let Some(id) = self.inner.side.live.clone() else {
            return Vec::new();
        };
        let caps = self.agent.caps;
        let open = self.side.as_ref().is_some_and(SideQuestion::is_open);
        let cancel = Notification::Cancel {
            session: id.clone(),
        };
        let close = Call::CloseSession { id: id.clone() };
        let delete = Call::DeleteSession { id };
        [
            open.then_some(ToAgent::Notify(cancel)),
            caps.close.then_some(ToAgent::Call(close)),
            caps.delete.then_some(ToAgent::Call(delete)),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

impl Step<'_> {
    /// Forks the session, to ask that there: also while a turn is open.
    pub(super) fn ask_aside(&mut self, prompt: Prompt) {
        self.close_side();
        let question = bounded(&SafeText::new(&prompt.shown_text()), MAX_TITLE);
        self.session.side = Some(SideQuestion::new(question, self.now));
        let live = self.session.inner.opening.live().cloned();
        let forks = self.session.agent.caps.fork;
        let Some(id) = live.filter(|_| self.is_ready() && forks) else {
            let why = match forks {
                true => "no session is open".to_owned(),
                false => format!("{} cannot fork a session", self.agent_name()),
            };
            return self.end_side(&why);
        };
        if self.session.inner.side.forks >= MAX_SIDE_FORKS {
            return self.end_side("the agent has not answered the ones before");
        }
        let rules = &mut self.session.inner.side;
        rules.forks += 1;
        rules.prompt = Some(prompt);
        let setup = self.setup();
        let at = None;
        self.call(Call::ForkSession { id, at, setup });
    }

    /// The person is done with it: the fork goes, whatever it still does.
    pub(super) fn close_side(&mut self) {
        let Some(side) = self.session.side.take() else {
            return;
        };
        let rules = &mut self.session.inner.side;
        rules.prompt = None;
        match rules.live.take() {
            Some(id) => self.dispose(id, side.is_open()),
            // With several of them open it is not known which one would be given up.
            None if side.state == SideState::Forking && rules.forks == 1 => {
                if let Some(id) = self.session.inner.opening.live().cloned() {
                    self.notify(Notification::CancelCall(CallTag::ForkSession { id }));
                }
            }
            None => {}
        }
    }

    /// Has the agent end and forget a fork, as far as it can. What it deletes has to be closed before.
    fn dispose(&mut self, id: SessionId, at_work: bool) {
        self.session.inner.side.forget(id.clone());
        if at_work {
            self.notify(Notification::Cancel {
                session: id.clone(),
            });
        }
        let caps = self.session.agent.caps;
        if caps.close {
            self.call(Call::CloseSession { id });
        } else if caps.delete {
            self.call(Call::DeleteSession { id });
        }
    }

    /// Takes a reply that belongs to a side question; gives back any other.
    pub(super) fn reply_aside(
        &mut self,
        call: CallTag,
        result: CallResult,
    ) -> Option<(CallTag, CallResult)> {
        if !self.session.is_call_aside(&call) {
            return Some((call, result));
        }
        match (call, result) {
            (CallTag::ForkSession { .. }, CallResult::SessionOpened(opened)) => {
                self.session.inner.side.forks -= 1;
                self.forked_aside(*opened);
            }
            (CallTag::ForkSession { .. }, result) => {
                self.session.inner.side.forks -= 1;
                self.fork_failed_aside(&failure(result));
            }
            (CallTag::Prompt { session }, result) => self.answered_aside(&session, result),
            (CallTag::CloseSession { id }, _) if self.session.agent.caps.delete => {
                self.call(Call::DeleteSession { id });
            }
            (CallTag::DeleteSession { .. }, CallResult::Failed(error)) => {
                let why = error_text::readable(&error);
                self.toast(&format!("the agent has kept the side question: {why}"));
            }
            _ => {}
        }
        None
    }

    fn forked_aside(&mut self, opened: SessionOpened) {
        let forking = |side: &SideQuestion| side.state == SideState::Forking;
        let waits = self.session.side.as_ref().is_some_and(forking);
        let id = opened.id.filter(|id| {
            // By the id of another one it would be that one's words.
            !self.session.is(id) && !self.session.has_subagent(id) && !self.session.has_side(id)
        });
        let Some(id) = id else {
            if waits {
                self.end_side("the agent gave the fork no id of its own");
            }
            return;
        };
        let prompt = self.session.inner.side.prompt.take();
        let Some(prompt) = prompt.filter(|_| waits) else {
            // It was closed before it was there.
            return self.dispose(id, false);
        };
        let rules = &mut self.session.inner.side;
        rules.live = Some(id.clone());
        (rules.message, rules.interrupted) = (None, false);
        if let Some(side) = &mut self.session.side {
            side.state = SideState::Answering;
        }
        let blocks = self.fitted(&prompt);
        self.call(Call::Prompt {
            session: id,
            blocks,
        });
    }

    fn fork_failed_aside(&mut self, error: &RpcError) {
        // It may be the answer to one that was given up, as long as others are to come.
        if self.session.inner.side.forks == 0 && self.session.inner.side.prompt.take().is_some() {
            self.note_missing(error, |caps| caps.fork = false);
            let why = error_text::readable(error);
            self.end_side(&format!("the session could not be forked: {why}"));
        }
    }

    fn answered_aside(&mut self, session: &SessionId, result: CallResult) {
        if self.session.inner.side.live.as_ref() != Some(session) {
            return;
        }
        let why = match result {
            CallResult::PromptDone(StopReason::EndTurn, _) => {
                let now = self.now;
                if let Some(side) = &mut self.session.side {
                    let took = now.saturating_duration_since(side.since);
                    side.state = SideState::Done { took };
                    side.doing = None;
                }
                return;
            }
            CallResult::PromptDone(reason, _) => match reason {
                StopReason::MaxTokens => "the token limit was reached".into(),
                StopReason::MaxTurnRequests => "the limit of requests was reached".into(),
                StopReason::Refusal => "the agent refused".into(),
                StopReason::Error(error) => error_text::readable(&error),
                StopReason::Unknown(reason) => reason,
                StopReason::EndTurn | StopReason::Cancelled => "cancelled by the agent".into(),
            },
            result => error_text::readable(&failure(result)),
        };
        self.end_side(&why);
    }

    /// No more comes. What came stays until the person closes it.
    fn end_side(&mut self, why: &str) {
        self.session.inner.side.prompt = None;
        if let Some(side) = &mut self.session.side {
            side.state = SideState::Ended {
                why: SafeText::line(why),
            };
            side.doing = None;
        }
    }

    /// The connection is gone, and the fork with it.
    pub(super) fn lose_side(&mut self) {
        if self
            .session
            .side
            .as_ref()
            .is_some_and(SideQuestion::is_open)
        {
            self.end_side("the agent's process ended");
        }
        self.session.inner.side = SideRules::default();
    }

    /// What a fork says: its answer, and what it is at.
    pub(super) fn side_says(&mut self, id: &SessionId, event: AgentEvent) {
        if let AgentEvent::Subagent(patch) = &event {
            self.session.inner.side.forget(patch.id.clone());
        }
        let rules = &mut self.session.inner.side;
        let Some(side) = &mut self.session.side else {
            return;
        };
        if rules.live.as_ref() != Some(id) {
            return;
        }
        match event {
            AgentEvent::Chunk {
                role: ChunkRole::Agent,
                message,
                content,
                ..
            } => {
                let text = match content {
                    ContentBlock::Text(text) => text,
                    ContentBlock::ForAgent(_) => return,
                    other => placeholder(&other),
                };
                let other = message.is_some() && message != rules.message;
                if (rules.interrupted || other) && !side.answer.is_empty() {
                    take_in(side, &"\n\n".into());
                }
                rules.interrupted = false;
                rules.message = message.or(rules.message.take());
                side.doing = None;
                take_in(side, &text);
            }
            AgentEvent::ToolCall(patch) => {
                rules.interrupted = true;
                let over = |status: &ToolStatus| {
                    matches!(status, ToolStatus::Completed | ToolStatus::Failed)
                };
                if patch.status.as_set().is_some_and(over) {
                    side.doing = None;
                } else if let Patch::Set(title) = &patch.title {
                    side.doing = Some(SafeText::line(first_bytes(title, MAX_DOING)));
                }
            }
            AgentEvent::Error(text) => {
                take_in(side, &SafeText::new(&format!("\n\n{text}\n\n")));
            }
            _ => {}
        }
    }

    /// A request of a fork: what reads is served as the session's own, the rest is denied. None is ever
    /// asked about.
    pub(super) fn request_of_side(
        &mut self,
        id: &SessionId,
        key: RequestKey,
        request: HostRequest,
    ) {
        let live = self.session.inner.side.live.as_ref() == Some(id);
        let reply = match request {
            HostRequest::ReadTextFile(_) | HostRequest::Look(_) if live => {
                return self.serve(key, request, Consent::None);
            }
            HostRequest::Permission(request) => {
                let mut options = request.options.into_iter();
                let reject = options.find(|option| option.kind == PermissionKind::RejectOnce);
                HostReply::Permission(match reject {
                    Some(reject) if live => PermissionOutcome::Selected(reject.id),
                    _ => PermissionOutcome::Cancelled,
                })
            }
            HostRequest::Elicitation(_) => HostReply::Elicitation(ElicitationAnswer::Cancel),
            _ => HostReply::Error(denied()),
        };
        self.answer_request(key, reply);
        self.count_denied();
    }

    /// Something that the host does not serve without a word of the person's: a fork does not get it.
    /// Whether the request was a fork's.
    pub(super) fn deny_side(&mut self, key: RequestKey, request: &HostRequest) -> bool {
        let aside = request
            .session()
            .is_some_and(|id| self.session.has_side(id));
        if aside && self.session.connection == Some(key.connection) {
            self.effects.push(Effect::ToAgent(ToAgent::Reply {
                key,
                reply: HostReply::Error(denied()),
            }));
            self.count_denied();
        }
        aside
    }

    pub(super) fn count_denied(&mut self) {
        if let Some(side) = &mut self.session.side {
            side.denied += 1;
        }
    }
}

/// Bytes of a tool call's title in the row that tells what goes on.
const MAX_DOING: usize = 1_000;

fn denied() -> RpcError {
    RpcError::new(
        code::INVALID_REQUEST,
        "denied: this is a side question, which may read files of the workspace and nothing else",
    )
}

/// Adds to the answer what there is room for.
fn take_in(side: &mut SideQuestion, text: &SafeText) {
    let room = MAX_SIDE_ANSWER.saturating_sub(side.answer.len());
    if side.cut || text.len() > room {
        if !side.cut {
            side.answer.push(&SafeText::new(first_bytes(text, room)));
        }
        side.cut = true;
        return;
    }
    side.answer.push(text);
}

/// What stands for something that is no text.
fn placeholder(content: &ContentBlock) -> SafeText {
    let what = match content {
        ContentBlock::Image(_) => "image".to_owned(),
        ContentBlock::Audio(_) => "sound".to_owned(),
        ContentBlock::ResourceLink(link) => link.name.to_string(),
        ContentBlock::Resource(resource) => resource.uri.to_string(),
        ContentBlock::Unknown { kind, .. } => kind.to_string(),
        ContentBlock::Text(_) | ContentBlock::ForAgent(_) => String::new(),
    };
    SafeText::new(&format!("\\[{what}]"))
}
