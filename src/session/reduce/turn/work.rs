//! The state of work that the agent reports (V2-STATE): turns begin and end by it, with or without a
//! prompt. Where an agent reports none, its answer to a prompt ends the turn.

use crate::{
    model::{
        Background, MessageId, Notification, SessionId, StateUpdate, StopReason, TurnTokens,
        WorkState,
    },
    session::{BlockId, BlockKind, ToolState, Turn, TurnPhase},
};

use super::super::{Step, conversation::bounds::MAX_BACKGROUND};

impl Step<'_> {
    /// A snapshot: what it does not name no longer holds. It may come before the session is
    /// open; then it is what the session opens with (V2-SES-01, V2-SES-04).
    pub fn state(&mut self, update: StateUpdate) {
        let StateUpdate {
            state,
            mut background,
            tokens,
        } = update;
        if let Some(background) = &mut background {
            background.truncate(MAX_BACKGROUND);
        }
        self.session.background = background;
        self.session.work = Some(state.clone());
        if self.is_ready() {
            self.follow_state(state, tokens);
        }
    }

    /// The session is open: what was said of its state till then holds now. One that was opened again
    /// is not idle because nothing was said (V2-SES-04).
    pub fn follow_state_at_opening(&mut self, reopened: bool) {
        let silent = self.session.work.is_none() && reopened && self.session.agent.caps.states;
        if silent {
            self.session.work = Some(WorkState::Unknown);
        }
        if let Some(state) = self.session.work.clone() {
            self.follow_state(state, None);
        }
        if silent && !self.session.config.unattended {
            self.hold_queue();
        }
    }

    fn follow_state(&mut self, state: WorkState, tokens: Option<TurnTokens>) {
        let idle = matches!(state, WorkState::Idle(_));
        match state {
            WorkState::Idle(reason) => self.went_idle(reason, tokens),
            WorkState::Running | WorkState::RequiresAction | WorkState::Other(_) => {
                self.is_at_work();
            }
            WorkState::Unknown => self.doubt_open_work(true),
        }
        // What left the list of what goes on has ended.
        if idle && self.session.turn.is_none() && self.session.background.is_some() {
            self.end_open_tools(ToolState::Ended);
        }
    }

    /// Work goes on, or begins without a prompt, which is a turn too.
    fn is_at_work(&mut self) {
        self.doubt_open_work(false);
        if self.session.turn.is_none() {
            self.begin_turn();
        }
        let rules = &mut self.session.inner.turn;
        rules.worked = true;
        rules.idle = None;
    }

    /// The agent is idle. Reported again it is no further end (V2-STATE-01); and a report from before the
    /// prompt was accepted does not end that prompt's turn.
    fn went_idle(&mut self, reason: Option<StopReason>, tokens: Option<TurnTokens>) {
        self.doubt_open_work(false);
        let cancelling = self.is_cancelling();
        let rules = &mut self.session.inner.turn;
        let began = rules.worked || (rules.spoke && !rules.unanswered) || cancelling;
        if self.session.turn.is_none() || !began {
            return;
        }
        if rules.unanswered {
            // The answer to the prompt is still to come, and says whether this is its end.
            rules.idle = Some((reason, tokens));
        } else {
            self.turn_over(reason, tokens);
        }
    }

    /// The prompt was accepted; its answer says no more than that (V2-PROMPT-01).
    pub fn prompt_accepted(&mut self, session: &SessionId, message: MessageId) {
        if !self.is_turn_of(session) || !self.session.inner.turn.unanswered {
            return;
        }
        self.signed_in();
        self.conversation_mut().claim_message(message);
        let rules = &mut self.session.inner.turn;
        rules.unanswered = false;
        if let Some((reason, tokens)) = rules.idle.take() {
            self.turn_over(reason, tokens);
        }
    }

    /// A turn without a prompt of ours.
    fn begin_turn(&mut self) {
        self.session.last_stop = None;
        self.session.suggestion = None;
        self.goes_on_before_limit();
        self.session.turn = Some(Turn {
            started: self.now,
            prompted: false,
            phase: TurnPhase::Running,
        });
        self.conversation_mut().plan_rules.new_turn();
        self.session.inner.turn.begin();
        self.silence_counts_anew();
    }

    /// Shows open work as last reported and not as running, or as running again (V2-STATE-03). Ends
    /// nothing.
    fn doubt_open_work(&mut self, doubt: bool) {
        if std::mem::replace(&mut self.session.inner.turn.doubted, doubt) == doubt {
            return;
        }
        let open: Vec<BlockId> = self.conversation().tools.open().collect();
        for block in open {
            if let Some(call) = self.conversation_mut().edit_tool(block) {
                call.doubted = doubt;
            }
        }
        self.doubt_open_terminals(doubt);
    }

    /// With no turn known to be open, where the agent cannot tell whether there is one.
    pub fn cancel_unknown_work(&mut self) {
        let Some(session) = self.session.inner.opening.live().cloned() else {
            return;
        };
        if self.session.work != Some(WorkState::Unknown) || !self.is_ready() {
            return;
        }
        self.notify(Notification::Cancel { session });
        self.toast("the agent was told to stop");
    }

    /// Whether that call is background work, which the end or cancel of the turn does not touch
    /// (V2-CAN-01).
    pub fn is_in_background(&self, block: BlockId) -> bool {
        let Some(background) = &self.session.background else {
            return false;
        };
        // A subagent has its own list.
        if background.is_empty() || self.subagent_id().is_some() {
            return false;
        }
        let Some(BlockKind::Tool(call)) = self.conversation().kind(block) else {
            return false;
        };
        background.iter().any(|work| match work {
            Background::ToolCall(id) => *id == call.id,
            _ => false,
        })
    }
}
