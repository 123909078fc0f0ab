//! Signing in: when the agent asks for it, and what is tried again afterwards (V1-AUTH-08).

use crate::{
    proto::{AuthMethodKind, Call, RpcError},
    session::{BlockId, NoticeLevel, Phase, Prompt},
};

use super::{Step, error_text};

#[derive(Debug, Default)]
pub(super) struct SignIn {
    /// What was refused, and is sent once more after a sign-in. Never twice for one sign-in: a
    /// second refusal asks the person again.
    retry: Option<Retry>,
    /// A sign-in has succeeded, and nothing was answered well since.
    tried: bool,
    /// The method that is being waited for.
    method: Option<String>,
}

#[derive(Debug)]
enum Retry {
    /// The set-up call that `Opening` remembers.
    Open,
    /// A prompt, with its block in the transcript.
    Prompt(Prompt, BlockId),
    Call(Call),
}

impl SignIn {
    /// The prompt that waits for a sign-in.
    pub(super) fn unsent(&self) -> Option<&Prompt> {
        match self.retry.as_ref()? {
            Retry::Prompt(prompt, _) => Some(prompt),
            Retry::Open | Retry::Call(_) => None,
        }
    }
}

impl Step<'_> {
    pub(super) fn sign_in_to_open(&mut self, error: &RpcError) {
        self.ask_to_sign_in(Retry::Open, error);
    }

    pub(super) fn sign_in_to_prompt(&mut self, prompt: Prompt, user: BlockId, error: &RpcError) {
        self.say_error(NoticeLevel::Warning, "a sign-in is wanted", error);
        self.ask_to_sign_in(Retry::Prompt(prompt, user), error);
    }

    pub(super) fn sign_in_to_call(&mut self, call: Call, error: &RpcError) {
        self.ask_to_sign_in(Retry::Call(call), error);
    }

    fn ask_to_sign_in(&mut self, retry: Retry, error: &RpcError) {
        let sign_in = &mut self.session.inner.sign_in;
        // A prompt is worth more than the change of a mode refused beside it.
        if !(matches!(retry, Retry::Call(_)) && sign_in.retry.is_some()) {
            sign_in.retry = Some(retry);
        }
        sign_in.method = None;
        let error = std::mem::take(&mut sign_in.tried).then(|| error_text::readable(error));
        self.session.phase = Phase::SignIn {
            running: false,
            error,
        };
    }

    pub(super) fn authenticate(&mut self, method: String) {
        if !matches!(self.session.phase, Phase::SignIn { running: false, .. }) {
            return;
        }
        let methods = &self.session.agent.auth_methods;
        // Only those that are meant for it (V1-AUTH-03, -06, -07).
        let error = match methods
            .iter()
            .find(|known| known.id == method)
            .map(|known| &known.kind)
        {
            Some(AuthMethodKind::Agent) => None,
            Some(_) => Some("this way to sign in is done by hand: then F5 starts the agent again"),
            None => Some("the agent does not offer this way to sign in"),
        };
        self.session.phase = Phase::SignIn {
            running: error.is_none(),
            error: error.map(Into::into),
        };
        if error.is_none() {
            self.session.inner.sign_in.method = Some(method.clone());
            self.call(Call::Authenticate { method });
        }
    }

    pub(super) fn authenticated(&mut self) {
        if !matches!(self.session.phase, Phase::SignIn { .. }) {
            return;
        }
        self.session.inner.sign_in.method = None;
        self.session.inner.sign_in.tried = true;
        let retry = self.session.inner.sign_in.retry.take();
        match retry {
            Some(Retry::Open) => self.open_once_more(),
            Some(Retry::Prompt(prompt, user)) => {
                self.session.phase = Phase::Ready;
                self.run_prompt(prompt, user);
            }
            Some(Retry::Call(call)) => {
                self.session.phase = Phase::Ready;
                self.set_up_again(call);
            }
            None => {}
        }
    }

    pub(super) fn authenticate_failed(&mut self, method: &str, error: &RpcError) {
        let waited_for = &mut self.session.inner.sign_in.method;
        if waited_for.take_if(|waited| waited == method).is_some() {
            self.session.phase = Phase::SignIn {
                running: false,
                error: Some(error_text::readable(error)),
            };
        }
    }

    /// A call was answered well: the next wish for a sign-in is a new one.
    pub(super) fn signed_in(&mut self) {
        self.session.inner.sign_in.tried = false;
    }

    /// Esc in the dialog: what was refused is not sent. Without a session the dialog stays.
    pub(super) fn leave_sign_in(&mut self) {
        self.session.inner.sign_in.method = None;
        if matches!(self.session.inner.sign_in.retry, Some(Retry::Open)) {
            self.session.phase = Phase::SignIn {
                running: false,
                error: None,
            };
            return;
        }
        self.abort_sign_in();
        self.session.phase = Phase::Ready;
        self.hold_queue();
    }

    /// The refused prompt goes back to the head of the queue.
    pub(super) fn abort_sign_in(&mut self) {
        let sign_in = std::mem::take(&mut self.session.inner.sign_in);
        if let Some(Retry::Prompt(prompt, _)) = sign_in.retry {
            self.session.queue.push_front(prompt);
            self.hold_queue();
        }
    }
}
