//! A process that another session starts, for all that share an agent (V1-SES-02).

use std::mem;

use crate::{
    model::ConnectionId,
    session::{AgentInfo, Effect, NoticeLevel, Phase, Session, SignInStep, Subagent, ToolState},
    text::SafeText,
};

use super::Step;

impl Session {
    /// Says whether another session starts the next process, before an event that may want one.
    pub(in crate::session) fn leave_start_to_others(&mut self, others: bool) {
        self.inner.others_start = others;
    }

    /// It waits for a process that another session starts.
    pub(in crate::session) fn awaits_agent(&self) -> bool {
        self.inner.link.awaiting
    }

    /// Nobody loses anything when its process goes: nothing is at work in it, or waits for the person.
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
    /// Another session has had the agent started again.
    pub(super) fn follow_to_new_process(&mut self, signed_in: bool) {
        let link = &self.session.inner.link;
        if link.awaiting || link.spawning && !link.unwanted {
            return;
        }
        if link.spawning && !self.session.inner.others_start {
            // The one that was not wanted does as well.
            return self.restart();
        }
        self.say(NoticeLevel::Info, "restarting the agent".into());
        if signed_in {
            self.start_over_signed_in();
        } else {
            self.start_over();
        }
    }

    /// The process is there, and has introduced itself to the one that started it.
    pub(super) fn joined(&mut self, connection: ConnectionId, agent: AgentInfo) {
        if !mem::take(&mut self.session.inner.link.awaiting) {
            return;
        }
        self.session.connection = Some(connection);
        self.join_ready_agent(agent);
        self.silence_counts_anew();
        self.effects.push(Effect::Join(connection));
        self.open_session();
    }

    /// The process did not come.
    pub(super) fn no_agent(&mut self, error: SafeText) {
        if mem::take(&mut self.session.inner.link.awaiting) {
            self.lose_session(ToolState::Failed);
            self.failed(error, None);
        }
    }
}
