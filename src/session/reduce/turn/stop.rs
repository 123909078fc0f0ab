//! Stopping a turn: cancel once, wait a while, abandon (V1-CAN).

use std::time::{Duration, Instant};

use crate::{
    model::{Notification, Protocol},
    session::{CANCEL_PATIENCE, NoticeLevel, Phase, Session, ToolState, TurnPhase},
};

use super::super::Step;

/// As [`CANCEL_PATIENCE`], for an agent that is spoken to in threads (D-42).
const THREADS_PATIENCE: Duration = Duration::from_secs(5);

impl Session {
    pub(in crate::session) fn cancel_deadline(&self) -> Option<Instant> {
        match self.turn.as_ref()?.phase {
            TurnPhase::Cancelling { since, slow: false } => Some(since + self.cancel_patience()),
            _ => None,
        }
    }

    /// An agent of threads cannot be told to cancel: it can only come to its own end (D-42).
    fn cancel_patience(&self) -> Duration {
        match self.agent.protocol {
            Protocol::Threads => THREADS_PATIENCE,
            Protocol::V1 | Protocol::V2 => CANCEL_PATIENCE,
        }
    }
}

impl Step<'_> {
    pub fn stop(&mut self) {
        if self.tell_slow_cancel() {
            // Nothing is abandoned before the screen has said what the key does.
            return;
        }
        match self.session.turn.as_ref().map(|turn| turn.phase) {
            Some(TurnPhase::Running) => {
                self.cancel_turn();
                self.session.inner.turn.send_next = false;
            }
            Some(TurnPhase::Cancelling { slow: false, .. }) => self.keep_what_was_to_follow(),
            Some(TurnPhase::Cancelling { slow: true, .. }) => self.abandon(),
            // With no turn open nothing is sent, but questions are answered.
            None => match self.session.phase {
                Phase::SignIn { .. } => self.leave_sign_in(),
                Phase::Opening { .. } if self.session.shown_question().is_none() => {
                    self.give_up_opening();
                }
                _ => {
                    self.cancel_unknown_work();
                    self.close_questions();
                }
            },
        }
    }

    /// `session/cancel` first, then the answers to what is open (V1-PERM-02); once.
    pub fn cancel_turn(&mut self) {
        let Some(session) = self.session.inner.opening.live().cloned() else {
            return;
        };
        let Some(turn) = &mut self.session.turn else {
            return;
        };
        if turn.phase != TurnPhase::Running {
            return;
        }
        turn.phase = TurnPhase::Cancelling {
            since: self.now,
            slow: false,
        };
        self.notify(Notification::Cancel { session });
        self.steers_are_stopped();
        self.end_open_tools(ToolState::Cancelled);
        self.close_questions_of_turn();
    }

    /// A stop after "send now" means that nothing is to be sent either.
    fn keep_what_was_to_follow(&mut self) {
        if self.session.inner.turn.send_next {
            self.hold_queue();
        }
    }

    pub fn tell_slow_cancel(&mut self) -> bool {
        if !self.is_due(self.session.cancel_deadline()) {
            return false;
        }
        if let Some(turn) = &mut self.session.turn
            && let TurnPhase::Cancelling { slow, .. } = &mut turn.phase
        {
            *slow = true;
        }
        // The row of what goes on names the key that abandons it.
        let text = match self.session.agent.protocol {
            Protocol::Threads => "the agent is still working: its protocol cannot stop it",
            Protocol::V1 | Protocol::V2 => "the agent has not stopped yet",
        };
        self.say(NoticeLevel::Warning, text.into());
        true
    }

    /// The agent does not end the turn (V1-CAN-08): another process, the same session if it can.
    fn abandon(&mut self) {
        let text = "the turn was abandoned: restarting the agent";
        self.say(NoticeLevel::Warning, text.into());
        self.start_over();
    }
}
