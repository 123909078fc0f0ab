//! Opening a session: new, loaded or resumed; and what comes before the session is known.

use crate::{
    model::{
        Call, CallTag, DialectHint, DialectRow, McpCaps, McpServer, McpTransport, Notification,
        Protocol, RpcError, SessionId, SessionOpened, SessionSetup, SystemPrompt,
    },
    session::{BlockKind, Fork, NoticeLevel, Phase, Session, Start, Subagents, ToolState},
    text::SafeText,
};

use super::super::{Conversation, Step, connection::error_text, updates::Early};

#[derive(Debug, Default)]
pub struct Opening {
    /// The set-up call that is open, or that waits for a sign-in.
    way: Option<Way>,
    /// The session that the next call is to open again.
    pub again: Option<SessionId>,
    /// The session that the first call is to fork.
    pub fork: Option<Fork>,
    /// The session whose updates and requests count now; `None` until it is named.
    live: Option<SessionId>,
    /// What was on the screen before a replay began; comes back if the load fails (V1-SES-09).
    kept: Option<Kept>,
    /// A notice about ignored updates of other sessions was given on this connection.
    told_foreign: bool,
    /// The notices about MCP servers that cannot be used were given.
    told_mcp: bool,
    /// The session that is being resumed stands on the screen.
    shown: bool,
    /// A notice about the second replay was given.
    told_twice: bool,
    /// The person cancelled the set-up call, and the agent was told (V1-CAN-09).
    given_up: bool,
    /// The replay is complete (V2-SES-03).
    replayed: bool,
    /// The screen shows what an earlier run stored of the session.
    pub stored: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Way {
    New,
    Load(SessionId),
    Resume(SessionId),
    Fork(Fork),
}

#[derive(Debug)]
struct Kept {
    conversation: Conversation,
    subagents: Subagents,
}

impl Way {
    fn tag(&self) -> CallTag {
        match self {
            Self::New => CallTag::NewSession,
            Self::Load(id) => CallTag::LoadSession { id: id.clone() },
            Self::Resume(id) => CallTag::ResumeSession { id: id.clone() },
            Self::Fork(fork) => CallTag::ForkSession {
                id: fork.of.clone(),
            },
        }
    }

    fn answers(&self, call: &CallTag) -> bool {
        match (self, call) {
            (Self::New, CallTag::NewSession) => true,
            (Self::Load(own), CallTag::LoadSession { id })
            | (Self::Resume(own), CallTag::ResumeSession { id }) => own == id,
            (Self::Fork(own), CallTag::ForkSession { id }) => own.of == *id,
            _ => false,
        }
    }
}

impl Opening {
    pub fn live(&self) -> Option<&SessionId> {
        self.live.as_ref()
    }

    /// A set-up call is open, or waits for a sign-in.
    pub fn is_under_way(&self) -> bool {
        self.way.is_some()
    }

    fn is_replaying(&self) -> bool {
        matches!(self.way, Some(Way::Load(_))) && !self.replayed
    }
}

impl Session {
    /// Nothing is lost when it is closed: it has no messages, and it was not reopened.
    pub fn is_unused(&self) -> bool {
        let reopened = matches!(self.config.start, Start::Reopen(_));
        self.turn.is_none() && !self.has_conversation() && (!reopened || self.id.is_none())
    }

    /// Something was said or done; notices do not count.
    pub fn has_conversation(&self) -> bool {
        has_conversation(&self.conversation)
    }
}

impl Step<'_> {
    /// Updates are history now: no attention, no dialogs (V1-SES-09).
    pub fn is_replaying(&self) -> bool {
        self.session.inner.opening.is_replaying()
    }

    /// Makes the first set-up call on a connection.
    pub fn open_session(&mut self) {
        let caps = self.session.agent.caps;
        if !caps.additional_directories && !self.session.config.additional_directories.is_empty() {
            let text =
                "the agent takes no additional directories: it uses the working directory only";
            self.say(NoticeLevel::Warning, text.into());
        }
        self.tell_mcp_servers_left_out();
        if let Some(prompt) = &self.session.config.system_prompt
            && self.system_prompt().is_none()
        {
            let text = if caps.system_prompt && prompt.replaces {
                "the agent takes a system prompt only in addition to its own: the profile's is ignored"
            } else {
                "the agent takes no system prompt: the profile's is ignored"
            };
            self.say(NoticeLevel::Warning, text.into());
        }
        let shown = self.session.has_conversation();
        self.session.inner.opening.shown = shown;
        let fork = self.session.inner.opening.fork.take();
        let way = match self.session.inner.opening.again.clone() {
            None => match fork {
                Some(fork) if caps.fork => Way::Fork(fork),
                Some(_) => {
                    let text = format!("{} cannot fork a session", self.agent_name());
                    self.give_up_reopening(&text, None);
                    Way::New
                }
                // The earlier run ended before its agent had opened a session.
                None if self.session.inner.opening.stored => {
                    self.give_up_reopening("the agent does not have this session", None);
                    Way::New
                }
                None => Way::New,
            },
            // What is on the screen needs no replay; an empty screen does.
            Some(id) if caps.resume && (shown || !caps.load_session) => Way::Resume(id),
            Some(id) if caps.load_session => Way::Load(id),
            Some(_) => {
                let mut text = format!("{} cannot reopen sessions", self.agent_name());
                let mut how = self.older_resume();
                if self.session.config.unattended
                    && let Some(how) = how.take()
                {
                    text = format!("{text}; {how}");
                }
                if !self.give_up_reopening(&text, how.as_deref().map(SafeText::line)) {
                    return;
                }
                Way::New
            }
        };
        self.open(way);
    }

    /// An agent that resumes by the older name does not say so (D-02).
    fn older_resume(&self) -> Option<String> {
        let config = &self.session.config;
        if config.protocol != Protocol::V1 {
            return None;
        }
        let advice = DialectHint::Wanted(DialectRow::UnstableResume).advice(config.dialect)?;
        let line = advice.lines.first()?;
        Some(format!(
            "if it has {} without announcing it, set {line} in its profile",
            DialectRow::UnstableResume.what()
        ))
    }

    /// The MCP servers that the agent can connect to (V1-INIT-19, V1-MCP-02).
    fn mcp_servers(&self) -> Vec<McpServer> {
        let caps = self.session.agent.caps.mcp;
        let servers = self.session.config.mcp_servers.iter();
        servers
            .filter(|server| takes(caps, server))
            .cloned()
            .collect()
    }

    /// Gives a notice for each MCP server that cannot be used: once, though each process gets them.
    fn tell_mcp_servers_left_out(&mut self) {
        if std::mem::replace(&mut self.session.inner.opening.told_mcp, true) {
            return;
        }
        let caps = self.session.agent.caps.mcp;
        let mut all = self.session.config.mcp_problems.clone();
        let servers = self.session.config.mcp_servers.iter();
        all.extend(servers.filter(|server| !takes(caps, server)).map(|server| {
            let kind = match server.transport {
                McpTransport::Sse { .. } => "sse",
                McpTransport::Http { .. } => "http",
                McpTransport::Stdio { .. } => "stdio",
            };
            SafeText::line(&format!(
                "MCP server {} skipped: {} cannot connect over {kind}",
                server.name,
                self.agent_name()
            ))
        }));
        for text in all {
            self.say(NoticeLevel::Warning, text);
        }
    }

    /// The profile's system prompt, if the agent takes it: the same at each opening (V1-SES-10,
    /// V1-INIT-21).
    fn system_prompt(&self) -> Option<SystemPrompt> {
        let caps = self.session.agent.caps;
        let prompt = self.session.config.system_prompt.as_ref();
        prompt
            .filter(|prompt| {
                caps.system_prompt && (caps.system_prompt_override || !prompt.replaces)
            })
            .cloned()
    }

    /// Sends a set-up call again that a sign-in interrupted (V1-AUTH-08).
    pub fn open_once_more(&mut self) {
        if let Some(way) = self.session.inner.opening.way.clone() {
            self.open(way);
        }
    }

    /// The person cancels the set-up call. It stays open until its answer, whatever that is
    /// (V1-CAN-09).
    pub fn give_up_opening(&mut self) {
        let opening = &mut self.session.inner.opening;
        let Some(way) = &opening.way else {
            return;
        };
        if std::mem::replace(&mut opening.given_up, true) {
            self.toast("the agent was asked to cancel and has not answered; F5 restarts it");
            return;
        }
        let cancel = Notification::CancelCall(way.tag());
        self.notify(cancel);
        self.toast("asking the agent to cancel opening the session");
    }

    /// What a session is opened with.
    pub fn setup(&self) -> SessionSetup {
        SessionSetup {
            cwd: self.session.config.cwd.clone(),
            // V1-SES-06
            additional_directories: if self.session.agent.caps.additional_directories {
                self.session.config.additional_directories.clone()
            } else {
                Vec::new()
            },
            mcp_servers: self.mcp_servers(),
            system_prompt: self.system_prompt(),
            no_suggestions: self.session.agent.caps.claude_options
                && !self.session.config.caps.paid_suggestions,
        }
    }

    fn open(&mut self, way: Way) {
        self.session.inner.opening.given_up = false;
        // Asked by a session that was not open; a replay would take its rows away.
        self.close_questions_beside_requests();
        let setup = self.setup();
        let opening = &mut self.session.inner.opening;
        let call = match way.clone() {
            Way::New => {
                opening.live = None;
                Call::NewSession(setup)
            }
            Way::Fork(Fork { of: id, at }) => {
                opening.live = None;
                Call::ForkSession { id, at, setup }
            }
            Way::Load(id) => {
                opening.live = Some(id.clone());
                Call::LoadSession { id, setup }
            }
            Way::Resume(id) => {
                opening.live = Some(id.clone());
                Call::ResumeSession { id, setup }
            }
        };
        opening.way = Some(way);
        opening.replayed = false;
        self.session.work = None;
        self.session.background = None;
        self.session.suggestion = None;
        self.session.limit = None;
        self.session.phase = Phase::Opening {
            since: self.now,
            replaying: self.is_replaying(),
        };
        self.call(call);
    }

    pub fn opened(&mut self, call: &CallTag, answer: SessionOpened) {
        let opening = &self.session.inner.opening;
        let Some(way) = opening.way.clone().filter(|way| way.answers(call)) else {
            return;
        };
        let id = match &way {
            Way::New | Way::Fork(_) => answer.id,
            Way::Load(id) | Way::Resume(id) => Some(answer.id.unwrap_or_else(|| id.clone())),
        };
        let Some(id) = id else {
            self.stop_agent();
            self.lose_session(ToolState::Failed);
            let text = "the agent opened a session without an id";
            self.failed(text.into(), None);
            return;
        };

        if matches!(way, Way::Load(_)) {
            if self.is_replaying() {
                self.end_replay();
            }
        } else if matches!(way, Way::New | Way::Fork(_)) {
            self.forget_session();
        }
        if let Way::Fork(Fork { at, .. }) = &way {
            let from = match at {
                Some(_) => "an earlier prompt",
                None => "here",
            };
            let text =
                format!("forked: this session continues from {from}; the original stays as it is");
            self.say(NoticeLevel::Info, SafeText::line(&text));
        }
        let opening = &mut self.session.inner.opening;
        opening.way = None;
        opening.live = Some(id.clone());
        opening.again = None;
        opening.stored = false;
        let early = std::mem::take(&mut self.session.inner.early);
        self.session.id = Some(id.clone());
        self.session.phase = Phase::Ready;
        self.signed_in();
        let told = answer.modes.is_some() || !answer.config_options.is_empty();
        if told {
            self.forget_options();
        }
        // In the order in which they came: the answer has the last word (V1-CFG-10).
        self.apply_early(early);
        if !answer.commands.is_empty() {
            self.commands(answer.commands);
        }
        self.options_at_opening(answer.modes, answer.config_options);
        self.apply_settings(told);
        self.follow_state_at_opening(matches!(way, Way::Load(_) | Way::Resume(_)));
        self.ask_once_more();
        self.send_next_unless_held();
    }

    pub fn opening_failed(&mut self, call: &CallTag, error: &RpcError) {
        let opening = &self.session.inner.opening;
        let Some(way) = opening.way.clone().filter(|way| way.answers(call)) else {
            return;
        };
        // Questions of a session that does not open are answered before their rows go.
        self.close_questions();
        // V2-SES-03: the replay broke off in the middle.
        let cut = self.session.inner.opening.kept.is_some();
        self.restore_kept();
        if error_text::wants_sign_in(error, !self.session.agent.auth_methods.is_empty()) {
            self.sign_in_to_open(error);
            return;
        }
        let opening = &mut self.session.inner.opening;
        opening.way = None;
        let given_up = std::mem::take(&mut opening.given_up);
        // Whatever its text, the error is the cancel that was asked for (V1-CAN-09, V1-ERR-06).
        let why = if given_up {
            "cancelled".into()
        } else {
            error_text::readable(error)
        };
        match way {
            Way::Resume(id) if self.session.agent.caps.load_session && !given_up => {
                self.say_error(
                    NoticeLevel::Quiet,
                    "the session could not be resumed",
                    error,
                );
                self.open(Way::Load(id));
            }
            Way::Resume(id) | Way::Load(id) => {
                let mut text = format!(
                    "session {} could not be loaded: {}",
                    SafeText::line(id.as_str()),
                    why
                );
                if cut {
                    text = format!(
                        "{}; the part already loaded was dropped",
                        text.trim_end_matches('.')
                    );
                }
                if self.give_up_reopening(&text, Some(error_text::detail(error))) {
                    self.open(Way::New);
                }
            }
            Way::Fork(_) => {
                let text = format!("the session could not be forked: {}", why);
                self.give_up_reopening(&text, Some(error_text::detail(error)));
                self.open(Way::New);
            }
            Way::New => {
                let text = format!("{} opened no session: {}", self.agent_name(), why);
                self.stop_agent();
                self.lose_session(ToolState::Failed);
                self.failed(SafeText::line(&text), Some(error_text::detail(error)));
            }
        }
    }

    /// Gives a notice that a new session is opened instead of the old one. Whether it may be opened.
    fn give_up_reopening(&mut self, why: &str, detail: Option<SafeText>) -> bool {
        if self.session.config.unattended {
            // The prompt was meant for that session, and no one is there to choose another.
            self.fail_set_up(SafeText::line(why), detail);
            return false;
        }
        let memory = if self.session.has_conversation() {
            "; it does not know the messages above"
        } else {
            ""
        };
        let why = why.trim_end_matches('.');
        let text = SafeText::line(&format!("{why}. A new session is opened{memory}"));
        self.push(BlockKind::notice(NoticeLevel::Warning, text, detail));
        self.session.inner.opening.again = None;
        self.session.inner.opening.live = None;
        self.hold_queue();
        true
    }

    /// The connection is gone, or of no use.
    pub fn abort_opening(&mut self) {
        if self.session.inner.opening.kept.is_some() {
            self.restore_kept();
            let text =
                "the agent stopped while loading the session: the part already loaded was dropped";
            self.say(NoticeLevel::Warning, text.into());
        }
        self.conversation_mut().drop_history();
        let opening = &mut self.session.inner.opening;
        if let Some(Way::Load(id) | Way::Resume(id)) = opening.way.take() {
            opening.again = Some(id);
        } else if let Some(id) = opening.live.take() {
            opening.again = Some(id);
        }
        opening.live = None;
        self.session.inner.early = Early::default();
        opening.told_foreign = false;
        opening.told_twice = false;
        opening.given_up = false;
    }

    /// Before the first update of a replay, which tells again what is on the screen.
    pub fn make_way_for_replay(&mut self) {
        if !self.is_replaying() || self.session.inner.opening.kept.is_some() {
            return;
        }
        self.end_message();
        self.session.inner.opening.kept = Some(Kept {
            conversation: self.session.conversation.make_way(),
            subagents: std::mem::take(&mut self.session.subagents),
        });
    }

    /// Whether an update tells again what is on the screen: some agents replay a session that is
    /// resumed, which none should (V1-SES-11).
    pub fn is_told_twice(&mut self) -> bool {
        let opening = &mut self.session.inner.opening;
        // An agent that reports its state reports what happens now (V2-SES-02).
        let now = self.session.agent.caps.states;
        if now || !opening.shown || !matches!(opening.way, Some(Way::Resume(_))) {
            return false;
        }
        if !std::mem::replace(&mut opening.told_twice, true) {
            let text = "messages that the agent repeated while resuming were skipped";
            self.say(NoticeLevel::Quiet, text.into());
        }
        true
    }

    fn end_replay(&mut self) {
        self.end_message();
        self.end_open_tools(ToolState::Ended);
        self.settle_plan();
        self.settle_plan_texts();
        let kept = self.session.inner.opening.kept.take();
        // The person reopened the session, and so expects that it is loaded.
        let stored = std::mem::take(&mut self.session.inner.opening.stored);
        if !stored && kept.is_some_and(|kept| has_conversation(&kept.conversation)) {
            // Not "above": gemini goes on telling it after the answer.
            let text = "the session was reloaded from the agent";
            self.say(NoticeLevel::Info, text.into());
        }
    }

    /// Updates from now on are no history (V2-SES-03). Ignored without a replay.
    pub fn replay_complete(&mut self) {
        if !self.is_replaying() {
            return;
        }
        self.end_replay();
        self.session.inner.opening.replayed = true;
        if let Phase::Opening { replaying, .. } = &mut self.session.phase {
            *replaying = false;
        }
    }

    fn restore_kept(&mut self) {
        if let Some(kept) = self.session.inner.opening.kept.take() {
            self.session.conversation.drop_history();
            self.session.conversation.put_back(kept.conversation);
            self.session.subagents = kept.subagents;
            self.end_own_calls_that_ended();
        }
    }

    /// A new session keeps only what is on the screen of the one before.
    fn forget_session(&mut self) {
        self.session.title = None;
        self.session.usage = None;
        self.session.tokens = None;
        self.session.commands.clear();
        self.conversation_mut().plan.clear();
        self.conversation_mut().plans.clear();
        self.forget_options();
    }

    pub fn foreign_update(&mut self) {
        let told = &mut self.session.inner.opening.told_foreign;
        if !std::mem::replace(told, true) {
            let text = "updates for another session were skipped";
            self.say(NoticeLevel::Quiet, text.into());
        }
    }
}

fn takes(caps: McpCaps, server: &McpServer) -> bool {
    match server.transport {
        McpTransport::Stdio { .. } => caps.stdio,
        McpTransport::Http { .. } => caps.http,
        McpTransport::Sse { .. } => caps.sse,
    }
}

fn has_conversation(conversation: &Conversation) -> bool {
    let blocks = conversation.transcript.blocks();
    blocks
        .iter()
        .any(|block| !matches!(block.kind, BlockKind::Notice(_)))
}
