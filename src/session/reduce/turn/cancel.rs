//! Cancelling one tool call or terminal without the turn, where the agent allows it (V2-CAN-02).

use crate::{
    model::{Call, CallResult, SessionId, TerminalId, ToolCallId},
    session::Session,
};

use super::super::{Step, connection::error_text};

impl Session {
    /// That call is open, and can be cancelled without the turn.
    pub fn can_cancel_call(&self, call: &crate::session::ToolCall) -> bool {
        call.cancel && call.state.is_open() && !call.cancelling && self.connection.is_some()
    }

    /// The same for a terminal of the agent.
    pub fn can_cancel_terminal(&self, id: &TerminalId) -> bool {
        self.terminals.get(id).is_some_and(|info| {
            info.foreign
                && info.cancel
                && info.exit.is_none()
                && !info.cancelling
                && self.connection.is_some()
        })
    }
}

impl Step<'_> {
    /// Of the session, or of a subagent.
    pub fn cancel_tool_call(&mut self, of: Option<&SessionId>, id: ToolCallId) {
        let Some(session) = of.or(self.session.inner.opening.live()).cloned() else {
            return;
        };
        self.in_conversation_of(of, |step| {
            let block = step.conversation().tools.find(&id);
            let call = block.and_then(|block| Some((block, step.conversation().tool(block)?)));
            let Some((block, _)) = call.filter(|(_, call)| step.session.can_cancel_call(call))
            else {
                return;
            };
            if let Some(call) = step.conversation_mut().edit_tool(block) {
                call.cancelling = true;
            }
            step.call(Call::CancelToolCall { session, id });
        });
    }

    pub fn cancel_terminal(&mut self, of: Option<&SessionId>, id: TerminalId) {
        let Some(session) = of.or(self.session.inner.opening.live()).cloned() else {
            return;
        };
        if !self.session.can_cancel_terminal(&id) {
            return;
        }
        if let Some(info) = self.session.terminals.get_mut(&id) {
            info.cancelling = true;
        }
        self.in_conversation_of(of, |step| step.conversation_mut().touch_terminal(&id));
        self.call(Call::CancelTerminal { session, id });
    }

    /// Accepted does not mean stopped: an update tells that. After a refusal, which a toast tells, it can
    /// be tried again.
    pub fn tool_cancel_answered(
        &mut self,
        session: &SessionId,
        id: &ToolCallId,
        result: &CallResult,
    ) {
        if self.cancel_refused(result) {
            self.in_conversation_of(Some(session), |step| {
                let block = step.conversation().tools.find(id);
                if let Some(call) = block.and_then(|block| step.conversation_mut().edit_tool(block))
                {
                    call.cancelling = false;
                }
            });
        }
    }

    pub fn terminal_cancel_answered(
        &mut self,
        session: &SessionId,
        id: &TerminalId,
        result: &CallResult,
    ) {
        if self.cancel_refused(result) {
            if let Some(info) = self.session.terminals.get_mut(id) {
                info.cancelling = false;
            }
            self.in_conversation_of(Some(session), |step| {
                step.conversation_mut().touch_terminal(id)
            });
        }
    }

    fn cancel_refused(&mut self, result: &CallResult) -> bool {
        match result {
            CallResult::CancelAccepted => false,
            CallResult::Failed(error) => {
                let why = error_text::readable(error);
                self.toast(&format!("it could not be cancelled: {why}"));
                true
            }
            _ => true,
        }
    }
}
