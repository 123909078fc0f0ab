//! The agent's process and the handshake: start, `initialize`, end, restart.

pub mod dialect;
pub mod error_text;

use std::{mem, sync::Arc, time::Instant};

use crate::{
    model::{
        Account, AgentCaps, Call, ConnectionId, ExitStatus, Initialized, Protocol, RpcError, code,
    },
    session::{
        AgentExit, AgentInfo, Attention, BlockId, BlockKind, Effect, NoticeLevel, Phase, Providers,
        Session, SignInStep, Subagent, ToolState,
    },
    text::{SafeText, truncate_to_width},
};

use super::{Step, conversation::bounds::MAX_AUTH_METHODS, turn::done::TurnEnd};

/// With more lines than this that are no messages it is asked whether to go on (V1-RPC-14).
const MUCH_NOISE: u64 = 100;

/// Bytes of a line that is no message and still may be one of a log.
pub const LONG_NOISE: usize = 64 << 10;

/// Cells of the stderr line that is shown with an agent's end.
const STDERR_LINE: usize = 200;

#[derive(Debug, Default)]
pub struct Link {
    /// This session has asked for the process, which has not come yet.
    spawning: bool,
    /// The process is no longer wanted: it ends when it comes.
    unwanted: bool,
    /// That the opening takes long was said.
    told_slow: bool,
    /// The notice that says so.
    slow: Option<BlockId>,
    /// That a message was too long was said.
    told_oversized: bool,
    /// That a long line was no message was said.
    told_long: bool,
    /// The notice that counts this connection's noise.
    noise: Option<BlockId>,
}

impl Session {
    /// When a notice is due that the start is slow: no answer to `initialize`, or no message while the
    /// session opens. Launchers may download first, so it is no reason to give up (V1-INIT-24).
    pub(in crate::session) fn opening_deadline(&self) -> Option<Instant> {
        let since = match self.phase {
            _ if self.inner.link.told_slow => return None,
            Phase::Starting { since } => since,
            Phase::Opening { since, .. } => since.max(self.last_word),
            _ => return None,
        };
        Some(since + self.config.start_timeout)
    }

    /// It waits for a process that another session starts.
    pub(in crate::session) fn awaits_agent(&self) -> bool {
        let starting = matches!(self.phase, Phase::Starting { .. });
        starting && !self.inner.link.spawning && self.connection.is_none()
    }

    /// Another session starts the process that this one wants (V1-SES-02).
    pub(in crate::session) fn wait_for_agent(&mut self) {
        self.inner.link.spawning = false;
    }

    /// Nothing is lost when its process goes: nothing is at work in it, or waits for the person.
    pub(in crate::session) fn is_at_rest(&self) -> bool {
        let signing_in = matches!(
            self.phase,
            Phase::SignIn {
                step: SignInStep::Asking | SignInStep::Program(_),
                ..
            }
        );
        let mut terminals = self.terminals.values();
        let runs = terminals.any(|terminal| terminal.exit.is_none() && !terminal.foreign);
        self.turn.is_none()
            && self.questions.is_empty()
            && !signing_in
            && !runs
            && !self.subagents.iter().any(Subagent::is_active)
    }
}

impl Step<'_> {
    pub fn spawn(&mut self) {
        self.session.inner.link = Link {
            spawning: true,
            ..Link::default()
        };
        self.forget_dialect();
        self.session.phase = Phase::Starting { since: self.now };
        let protocol = self.session.agent.protocol;
        self.effects.push(Effect::Spawn(protocol));
    }

    /// Another session has had the agent restarted: this one goes to the new process.
    pub fn follow_to_new_process(&mut self, signed_in: bool) {
        if let Phase::Starting { .. } = self.session.phase {
            return;
        }
        if self.session.inner.link.spawning {
            return self.restart();
        }
        self.say(NoticeLevel::Info, "restarting the agent".into());
        if signed_in {
            self.start_over_signed_in();
        } else {
            self.start_over();
        }
    }

    /// The process that another session started is there, and has introduced itself.
    pub fn joined(&mut self, connection: ConnectionId, agent: Arc<AgentInfo>) {
        if self.session.awaits_agent() {
            self.session.connection = Some(connection);
            self.session.agent = agent;
            self.silence_counts_anew();
            self.effects.push(Effect::Join(connection));
            self.open_session();
        }
    }

    /// The process that another session was to start did not come.
    pub fn no_agent(&mut self, error: SafeText) {
        if self.session.awaits_agent() {
            self.lose_session(ToolState::Failed);
            self.failed(error, None);
        }
    }

    /// The agent has no such method: it is not called again on this connection (V1-ERR-03).
    pub fn note_missing(&mut self, error: &RpcError, without: fn(&mut AgentCaps)) {
        if error.code == code::METHOD_NOT_FOUND {
            without(&mut Arc::make_mut(&mut self.session.agent).caps);
        }
    }

    /// Starts the agent again for version 1, in a new process: how the old one took a handshake of
    /// version 2 is not known (V2-INIT-01).
    fn fall_back(&mut self) {
        let text = format!(
            "{} speaks version 1 of the protocol, not 2: restarting with version 1",
            self.agent_name()
        );
        self.say(NoticeLevel::Info, SafeText::line(&text));
        self.stop_agent();
        Arc::make_mut(&mut self.session.agent).protocol = Protocol::V1;
        self.spawn();
    }

    pub fn connected(&mut self, connection: ConnectionId) {
        if !self.session.inner.link.spawning {
            // It was not asked for, or is no longer wanted: it is not left behind.
            if self.session.connection != Some(connection) {
                self.effects.push(Effect::StopAgent(connection));
            }
            return;
        }
        self.session.inner.link.spawning = false;
        if mem::take(&mut self.session.inner.link.unwanted) {
            self.effects.push(Effect::StopAgent(connection));
            return;
        }
        self.session.connection = Some(connection);
        self.silence_counts_anew();
        self.call(Call::Initialize {
            caps: self.session.config.caps,
        });
    }

    pub fn spawn_failed(&mut self, error: SafeText) {
        if !self.session.inner.link.spawning {
            return;
        }
        self.session.inner.link.spawning = false;
        if mem::take(&mut self.session.inner.link.unwanted) {
            return;
        }
        self.lose_session(ToolState::Failed);
        self.failed(error, None);
    }

    /// It stands where one looks for it, and nowhere else.
    pub fn account_told(&mut self, account: Account) {
        if self.session.agent.account.as_ref() != Some(&account) {
            Arc::make_mut(&mut self.session.agent).account = Some(account);
            self.session.options_rev += 1;
        }
    }

    pub fn initialized(&mut self, answer: Initialized) {
        if !matches!(self.session.phase, Phase::Starting { .. }) {
            return;
        }
        let mut auth_methods = answer.auth_methods;
        auth_methods.truncate(MAX_AUTH_METHODS);
        let protocol = self.session.agent.protocol;
        self.session.agent = Arc::new(AgentInfo {
            protocol,
            name: answer.agent_name,
            version: answer.agent_version,
            caps: answer.caps,
            auth_methods,
            account: None,
        });
        if protocol == Protocol::V2 && answer.protocol_version == Protocol::V1.version() {
            return self.fall_back();
        }
        if answer.protocol_version != protocol.version() {
            // V1-INIT-03: nothing more is sent.
            let draft = answer.protocol_version == Protocol::V2.version();
            let advice = if draft {
                "set protocol = \"2\" in its profile (a draft)"
            } else {
                "install versions that fit"
            };
            let text = format!(
                "{} speaks version {} of the protocol, this client version {}: {advice}",
                self.agent_name(),
                answer.protocol_version,
                protocol.version(),
            );
            self.stop_agent();
            self.lose_session(ToolState::Failed);
            self.failed(SafeText::line(&text), None);
            return;
        }
        if let Some(odd) = answer.odd_version {
            // V1-INIT-04
            let text = format!("the agent named its protocol version {odd}: treated as version 1");
            self.say(NoticeLevel::Warning, SafeText::line(&text));
        }
        if answer.caps.sessionless {
            // V2-INIT-04: no method of a session is called.
            let text = format!(
                "{} says that it has no sessions, so no conversation is possible",
                self.agent_name()
            );
            self.stop_agent();
            self.lose_session(ToolState::Failed);
            self.failed(SafeText::line(&text), None);
            return;
        }
        self.open_session();
    }

    pub fn initialize_failed(&mut self, error: &RpcError) {
        if !matches!(self.session.phase, Phase::Starting { .. }) {
            return;
        }
        let protocol = self.session.agent.protocol;
        let what = if error.code == code::UNSUPPORTED_VERSION {
            let supported = &error.supported_versions;
            if protocol == Protocol::V2 && error_text::speaks_version_1(error) {
                return self.fall_back();
            }
            // D-25, V2-INIT-02
            let mut what = format!(
                "does not speak version {} of the protocol",
                protocol.version()
            );
            if !supported.is_empty() {
                let supported: Vec<_> = supported.iter().map(i64::to_string).collect();
                what.push_str(&format!(", only {}", supported.join(", ")));
            }
            what
        } else {
            "refused to start".to_owned()
        };
        let text = format!(
            "{} {what}: {}",
            self.agent_name(),
            error_text::readable(error)
        );
        self.stop_agent();
        self.lose_session(ToolState::Failed);
        self.failed(SafeText::line(&text), Some(error_text::detail(error)));
    }

    /// The process ended, or its stdout did (V1-RPC-19). Only the person starts it again.
    pub fn exited(&mut self, exit: AgentExit) {
        self.session.connection = None;
        let logging_in = self.keep_login();
        self.lose_session(ToolState::Failed);
        let mut text = format!("{} ended {}", self.agent_name(), how_it_ended(&exit));
        if let Some(line) = exit.why() {
            text.push_str(": ");
            text.push_str(truncate_to_width(&line, STDERR_LINE).as_ref());
        }
        let cause = exit.cause.as_deref().unwrap_or_default();
        let detail = format!("{cause}\n{}", exit.stderr);
        let detail = detail.trim();
        let detail = (!detail.is_empty()).then(|| SafeText::new(detail));
        if let Some(logging_in) = logging_in {
            // The person is signing in for the next process.
            self.session.inner.sign_in = logging_in;
            self.push(BlockKind::last_words(
                NoticeLevel::Quiet,
                SafeText::line(&text),
                detail,
            ));
            return;
        }
        self.failed_with(BlockKind::last_words, SafeText::line(&text), detail);
    }

    /// F5: another process, and the session in it where the agent can.
    pub fn restart(&mut self) {
        let awaits = self.session.awaits_agent();
        let link = &mut self.session.inner.link;
        if awaits || link.spawning && !mem::take(&mut link.unwanted) {
            return;
        }
        let spawning = link.spawning;
        self.say(NoticeLevel::Info, "restarting the agent".into());
        if spawning {
            // The process that was no longer wanted serves now.
            self.session.phase = Phase::Starting { since: self.now };
        } else {
            self.start_over();
        }
    }

    /// Stops the process, keeps what there is of the session and opens it again in a new process.
    pub fn start_over(&mut self) {
        let had_turn = self.session.turn.is_some();
        self.stop_agent();
        self.lose_session(ToolState::Cancelled);
        if had_turn {
            self.hold_queue();
        }
        self.want_current_options();
        self.spawn();
    }

    /// What it still sends, its end included, then belongs to an old connection and is ignored.
    pub fn stop_agent(&mut self) {
        if let Some(connection) = self.session.connection.take() {
            self.close_questions();
            self.effects.push(Effect::StopAgent(connection));
        }
    }

    /// The session has no process now: everything open is closed.
    pub fn lose_session(&mut self, open_tools: ToolState) {
        let open_tools = if self.is_cancelling() {
            ToolState::Cancelled
        } else {
            open_tools
        };
        self.close_questions();
        self.lose_side();
        self.forget_pages();
        self.lose_steers();
        if self.session.turn.is_some() {
            let took = self.took();
            self.close_turn(open_tools.clone());
            if let Some(took) = took {
                let how = match open_tools {
                    ToolState::Cancelled => TurnEnd::Stopped,
                    _ => TurnEnd::Failed,
                };
                self.tell_took(how, &took, None);
            }
        }
        self.abort_opening();
        self.abort_sign_in();
        self.abort_listing();
        self.session.providers = Providers::default();
        self.abort_options();
        self.session.work = None;
        self.session.background = None;
        self.end_open_tools(open_tools.clone());
        self.close_foreign_terminals();
        self.abandon_entities();
        self.lose_subagents(&open_tools);
    }

    /// There is no agent: a notice, and the phase until F5.
    pub fn failed(&mut self, error: SafeText, detail: Option<SafeText>) {
        self.failed_with(BlockKind::notice, error, detail);
    }

    fn failed_with(
        &mut self,
        said: fn(NoticeLevel, SafeText, Option<SafeText>) -> BlockKind,
        error: SafeText,
        detail: Option<SafeText>,
    ) {
        // The composer's row names the key that starts it again.
        let text = SafeText::new(error.trim_end_matches('.'));
        self.push(said(NoticeLevel::Error, text, detail));
        self.hold_queue();
        self.session.phase = Phase::Failed { error };
        self.effects.push(Effect::Attention(Attention::AgentFailed));
    }

    pub fn agent_name(&self) -> SafeText {
        self.session.agent_name().clone()
    }

    /// Lines on stdout that are not messages: one quiet notice counts them (V1-RPC-14).
    pub fn noise(&mut self, what: &SafeText, bytes: usize, count: u64) {
        if bytes > LONG_NOISE && !mem::replace(&mut self.session.inner.link.told_long, true) {
            // It is too long for a log line: a message or an answer may be lost with it.
            let text = format!(
                "{} sent a line of {bytes} bytes that is not a message: skipped",
                self.agent_name()
            );
            self.notice_with_detail(NoticeLevel::Warning, SafeText::line(&text), what.clone());
        }
        let text = SafeText::line(&match count {
            1 => "the agent sent a line that is not a message".to_owned(),
            _ => format!("the agent sent {count} lines that are not messages"),
        });
        let kind = BlockKind::notice(NoticeLevel::Quiet, text, Some(what.clone()));
        match self.session.inner.link.noise {
            Some(id) if self.conversation().has(id) => {
                self.conversation_mut().replace(id, kind);
            }
            _ => {
                let id = self.push(kind);
                self.session.inner.link.noise = Some(id);
            }
        }
        if count == MUCH_NOISE + 1 {
            let text = "the agent keeps sending lines that are not messages: does its command start \
                        an ACP agent?";
            let text = self.with_hint(text, " shift-F5 ends it, F5 restarts it");
            self.notice_with_detail(NoticeLevel::Warning, SafeText::line(&text), what.clone());
        }
    }

    /// The lost message may have been an answer, so the notice is not a quiet one (V1-RPC-21).
    pub fn oversized(&mut self, limit: usize) {
        if mem::replace(&mut self.session.inner.link.told_oversized, true) {
            return;
        }
        let text = format!(
            "a message of more than {} MiB from {} was skipped: the setting connection.max_message is the limit",
            limit >> 20,
            self.agent_name(),
        );
        self.say(NoticeLevel::Warning, SafeText::line(&text));
    }

    pub fn tell_slow_opening(&mut self) -> bool {
        if !self.is_due(self.session.opening_deadline()) {
            return false;
        }
        self.session.inner.link.told_slow = true;
        let kind = self.slow_opening("", None);
        let id = self.push(kind);
        self.session.inner.link.slow = Some(id);
        if let Some(connection) = self.session.connection {
            self.effects.push(Effect::TellStderr(connection));
        }
        true
    }

    /// The agent's stderr during a slow start.
    pub fn stderr(&mut self, said: &SafeText) {
        let Some(id) = self.session.inner.link.slow.take() else {
            return;
        };
        let last = said.lines().rev().find(|line| !line.trim().is_empty());
        if let Some(last) = last
            && self.conversation().has(id)
        {
            let kind = self.slow_opening(last.trim(), Some(said.clone()));
            self.conversation_mut().replace(id, kind);
        }
    }

    fn slow_opening(&self, last: &str, detail: Option<SafeText>) -> BlockKind {
        let text = format!(
            "{} has not answered for {} s: it may be downloading or waiting for something",
            self.agent_name(),
            self.session.config.start_timeout.as_secs()
        );
        let mut text = self.with_hint(&text, ". shift-F5 ends it, F5 restarts it");
        if !last.is_empty() {
            text.push_str(". Its last output: ");
            text.push_str(truncate_to_width(last, STDERR_LINE).as_ref());
        }
        BlockKind::last_words(NoticeLevel::Warning, SafeText::line(&text), detail)
    }

    /// The person ends the agent: nothing is started until F5.
    pub fn end_agent(&mut self) {
        if matches!(self.session.phase, Phase::Failed { .. }) {
            return self.toast("no agent is running");
        }
        let spawning = self.session.inner.link.spawning;
        self.session.inner.link = Link {
            spawning,
            unwanted: spawning,
            ..Link::default()
        };
        self.stop_agent();
        self.lose_session(ToolState::Cancelled);
        self.hold_queue();
        let text = SafeText::line(&format!("{} was ended", self.agent_name()));
        self.say(NoticeLevel::Info, text.clone());
        self.session.phase = Phase::Failed { error: text };
    }
}

fn how_it_ended(exit: &AgentExit) -> String {
    let told = exit.status.as_ref();
    let told = told.filter(|status| **status != ExitStatus::default());
    match (told, &exit.cause) {
        (Some(status), _) => status.how(),
        (None, Some(cause)) => format!("({cause})"),
        (None, None) => ExitStatus::default().how(),
    }
}
