//! The agent's process and the handshake: start, `initialize`, end, restart.

use std::time::{Duration, Instant};

use crate::{
    proto::{Call, ConnectionId, ExitStatus, Initialized, RpcError},
    session::{
        AgentExit, AgentInfo, Attention, BlockId, Effect, NoticeLevel, Phase, Session, ToolState,
    },
    text::{SafeText, truncate_to_width},
};

use super::{Step, error_text, notices::notice};

/// The version of the protocol that this client speaks.
const PROTOCOL_VERSION: i64 = 1;

/// After this without an answer to `initialize`, or without a word while the session opens, it is
/// said. Launchers may download first, so it is no reason to give up (V1-INIT-24).
const OPENING_PATIENCE: Duration = Duration::from_secs(60);

/// As many lines that are no messages are worth a warning (V1-RPC-14).
const MUCH_NOISE: u64 = 100;

/// Cells of the stderr line that is shown with an agent's end.
const STDERR_LINE: usize = 200;

#[derive(Debug, Default)]
pub(super) struct Link {
    /// The process was asked for and has not come yet.
    spawning: bool,
    /// That the opening takes long was said.
    told_slow: bool,
    /// The notice that counts this connection's noise.
    noise: Option<BlockId>,
}

impl Session {
    pub(super) fn opening_deadline(&self) -> Option<Instant> {
        let since = match self.phase {
            _ if self.inner.link.told_slow => return None,
            Phase::Starting { since } => since,
            Phase::Opening { since, .. } => since.max(self.last_word),
            _ => return None,
        };
        Some(since + OPENING_PATIENCE)
    }
}

impl Step<'_> {
    pub(super) fn spawn(&mut self) {
        self.session.inner.link = Link {
            spawning: true,
            ..Link::default()
        };
        self.session.phase = Phase::Starting { since: self.now };
        self.effects.push(Effect::Spawn);
    }

    pub(super) fn connected(&mut self, connection: ConnectionId) {
        if !self.session.inner.link.spawning {
            // Not asked for (any more): no process is left behind.
            if self.session.connection != Some(connection) {
                self.effects.push(Effect::StopAgent(connection));
            }
            return;
        }
        self.session.inner.link.spawning = false;
        self.session.connection = Some(connection);
        self.silence_counts_anew();
        self.call(Call::Initialize {
            caps: self.session.config.caps,
        });
    }

    pub(super) fn spawn_failed(&mut self, error: SafeText) {
        if !self.session.inner.link.spawning {
            return;
        }
        self.session.inner.link.spawning = false;
        self.lose_session(ToolState::Failed);
        self.failed(error, None);
    }

    pub(super) fn initialized(&mut self, answer: Initialized) {
        if !matches!(self.session.phase, Phase::Starting { .. }) {
            return;
        }
        self.session.agent = AgentInfo {
            name: answer.agent_name,
            version: answer.agent_version,
            caps: answer.caps,
            auth_methods: answer.auth_methods,
        };
        if answer.protocol_version != PROTOCOL_VERSION {
            // V1-INIT-03: nothing more is sent.
            let text = format!(
                "{} speaks version {} of the protocol, this client version {PROTOCOL_VERSION}: \
                 install versions that fit",
                self.agent_name(),
                answer.protocol_version,
            );
            self.stop_agent();
            self.lose_session(ToolState::Failed);
            self.failed(SafeText::line(&text), None);
            return;
        }
        if let Some(odd) = answer.odd_version {
            // V1-INIT-04
            let text = format!("the agent named its protocol version {odd}: taken for version 1");
            self.say(NoticeLevel::Warning, SafeText::line(&text));
        }
        self.open_session();
    }

    pub(super) fn initialize_failed(&mut self, error: &RpcError) {
        if !matches!(self.session.phase, Phase::Starting { .. }) {
            return;
        }
        let text = format!(
            "{} refused to start: {}",
            self.agent_name(),
            error_text::readable(error)
        );
        self.stop_agent();
        self.lose_session(ToolState::Failed);
        self.failed(SafeText::line(&text), Some(error_text::detail(error)));
    }

    /// The process, or its stdout, ended by itself (V1-RPC-19). It is not started again unasked.
    pub(super) fn exited(&mut self, exit: AgentExit) {
        self.session.connection = None;
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
        self.failed(SafeText::line(&text), detail);
    }

    /// F5: another process, and the session in it where the agent can.
    pub(super) fn restart(&mut self) {
        if self.session.inner.link.spawning {
            return;
        }
        self.say(NoticeLevel::Info, "the agent is started again".into());
        self.start_over();
    }

    /// Stops the process, keeps what there is of the session and opens it again in a new process.
    pub(super) fn start_over(&mut self) {
        let had_turn = self.session.turn.is_some();
        self.stop_agent();
        self.lose_session(ToolState::Cancelled);
        if had_turn {
            self.hold_queue();
        }
        self.want_current_mode();
        self.spawn();
    }

    /// What it still sends, its end included, is then an old connection's.
    pub(super) fn stop_agent(&mut self) {
        if let Some(connection) = self.session.connection.take() {
            self.close_questions();
            self.effects.push(Effect::StopAgent(connection));
        }
    }

    /// No process serves the session any more: nothing stays open.
    pub(super) fn lose_session(&mut self, open_tools: ToolState) {
        let open_tools = if self.is_cancelling() {
            ToolState::Cancelled
        } else {
            open_tools
        };
        self.close_questions();
        if self.session.turn.is_some() {
            self.close_turn(open_tools.clone());
        }
        self.abort_opening();
        self.abort_sign_in();
        self.abort_mode();
        self.close_foreign_terminals();
        self.abandon_compactions();
        self.lose_subagents(&open_tools);
    }

    /// No agent: said, and shown until F5.
    pub(super) fn failed(&mut self, error: SafeText, detail: Option<SafeText>) {
        let text = format!("{} (F5 starts it again)", error.trim_end_matches('.'));
        self.push(notice(NoticeLevel::Error, SafeText::new(&text), detail));
        self.hold_queue();
        self.session.phase = Phase::Failed { error };
        self.effects.push(Effect::Attention(Attention::AgentFailed));
    }

    pub(super) fn agent_name(&self) -> SafeText {
        self.session.agent_name().clone()
    }

    /// Lines on stdout that are no messages: one quiet line that counts them (V1-RPC-14).
    pub(super) fn noise(&mut self, what: &SafeText, count: u64) {
        let text = SafeText::line(&match count {
            1 => "the agent sent a line that is no message".to_owned(),
            _ => format!("the agent sent {count} lines that are no messages"),
        });
        let kind = notice(NoticeLevel::Quiet, text, Some(what.clone()));
        match self.session.inner.link.noise {
            Some(id) if self.session.transcript.index_of(id).is_some() => {
                self.replace(id, kind);
            }
            _ => {
                let id = self.push(kind);
                self.session.inner.link.noise = Some(id);
            }
        }
        if count == MUCH_NOISE {
            let text = "the agent goes on sending lines that are no messages: does its command start \
                        an ACP agent? F5 starts it again";
            self.say(NoticeLevel::Warning, text.into());
        }
    }

    pub(super) fn tell_slow_opening(&mut self) -> bool {
        if self
            .session
            .opening_deadline()
            .is_none_or(|at| self.now < at)
        {
            return false;
        }
        self.session.inner.link.told_slow = true;
        let text = format!(
            "{} has not answered for {} s: it may be downloading, or wait for something. F5 starts \
             it again",
            self.agent_name(),
            OPENING_PATIENCE.as_secs()
        );
        self.say(NoticeLevel::Warning, SafeText::line(&text));
        true
    }
}

fn how_it_ended(exit: &AgentExit) -> String {
    match (&exit.status, &exit.cause) {
        (
            Some(ExitStatus {
                signal: Some(signal),
                ..
            }),
            _,
        ) => format!("by {signal}"),
        (
            Some(ExitStatus {
                code: Some(code), ..
            }),
            _,
        ) => format!("with exit code {code}"),
        (_, Some(cause)) => format!("({cause})"),
        (_, None) => "for an unknown reason".to_owned(),
    }
}
