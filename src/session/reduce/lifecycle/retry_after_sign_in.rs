//! Calls outside the conversation that an agent refuses without a sign-in: listing, deleting and
//! renaming its sessions, listing and disabling its providers. They lead to the sign-in and are made
//! again after it (V1-AUTH-08), as those of the conversation are by `sign_in`.

use crate::{
    model::{CallResult, CallTag, RpcError},
    session::{Listing, Phase},
    text::SafeText,
};

use super::super::{Step, connection::error_text};

/// Refused calls that are kept. People wait for the answer to each, so there are few.
const MAX_REFUSED: usize = 8;

#[derive(Debug, Default)]
pub struct Beside {
    refused: Vec<CallTag>,
    /// They were made again, and none has succeeded since: a second refusal is final.
    tried: bool,
}

impl Step<'_> {
    /// Whether that reply refuses such a call, which is then made again after a sign-in.
    pub fn is_refused_beside(&mut self, call: &CallTag, result: &CallResult) -> bool {
        let asking = match call {
            // If it was given up, no sign-in follows.
            CallTag::ListSessions { .. } => self.session.earlier.state == Listing::Asking,
            CallTag::ListProviders => self.session.providers.state == Listing::Asking,
            CallTag::DeleteSession { .. }
            | CallTag::SetTitle { .. }
            | CallTag::DisableProvider { .. } => true,
            _ => return false,
        };
        let CallResult::Failed(error) = result else {
            self.session.inner.sign_in.beside.tried = false;
            return false;
        };
        let has_methods = !self.session.agent.auth_methods.is_empty();
        let at_rest = matches!(self.session.phase, Phase::Ready | Phase::SignIn { .. });
        if !asking || !at_rest || !error_text::wants_sign_in(error, has_methods) {
            return false;
        }
        if std::mem::take(&mut self.session.inner.sign_in.beside.tried) {
            return false;
        }
        self.refuse_beside(call, error);
        true
    }

    fn refuse_beside(&mut self, call: &CallTag, error: &RpcError) {
        self.learn_ways(error);
        let wanted = "sign-in required";
        // The list stands before the dialog.
        let listing = || Listing::Failed(SafeText::from("sign-in required: close this first"));
        match call {
            CallTag::ListSessions { .. } => self.session.earlier.state = listing(),
            CallTag::ListProviders => self.session.providers.state = listing(),
            _ => self.toast(wanted),
        }
        let refused = &mut self.session.inner.sign_in.beside.refused;
        if refused.len() < MAX_REFUSED && !refused.contains(call) {
            refused.push(call.clone());
        }
        self.sign_in_when_at_rest();
    }

    /// The person has signed in.
    pub fn ask_once_more(&mut self) {
        let beside = &mut self.session.inner.sign_in.beside;
        let refused = std::mem::take(&mut beside.refused);
        beside.tried = !refused.is_empty();
        for call in refused {
            match call {
                CallTag::ListSessions { .. } => self.list_sessions(),
                CallTag::DeleteSession { id } => self.delete_session(id),
                CallTag::SetTitle { session, title } => self.set_title(Some(session), &title),
                CallTag::ListProviders => self.list_providers(),
                CallTag::DisableProvider { id } => self.disable_provider(id),
                _ => {}
            }
        }
    }
}
