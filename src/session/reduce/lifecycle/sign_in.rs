//! Signing in and out: when the agent asks for it, how, and what is tried again afterwards
//! (V1-AUTH-08). A program to sign in with is in `sign_in_program`.

use std::sync::Arc;

use crate::{
    model::{AuthMethodKind, Call, CallTag, Notification, RpcError, TerminalId},
    session::{BlockId, Login, NoticeLevel, Phase, Prompt, SignInStep},
    text::SafeText,
};

use super::super::{Step, connection::error_text, conversation::bounds::MAX_AUTH_METHODS};
use super::retry_after_sign_in::Beside;

#[derive(Debug, Default)]
pub struct SignIn {
    /// What was refused, and is sent again after a sign-in. While the session is ready it waits until
    /// the session is open in the new process.
    pub retry: Option<Retry>,
    /// A sign-in has succeeded, and what was refused before it has not succeeded since: a second refusal
    /// is an error, and leads to no further sign-in.
    pub tried: bool,
    /// A change of an option was refused in the open turn: the dialog comes at its end.
    pub after_turn: bool,
    /// The method of the `authenticate` that is open. One at a time.
    pub method: Option<String>,
    /// A program to sign in with runs, or is being started.
    pub program: bool,
    /// The terminal of that program, also after it failed.
    pub terminal: Option<TerminalId>,
    /// Calls outside the conversation that were refused and are made again: see `retry_after_sign_in`.
    pub beside: Beside,
}

#[derive(Debug)]
pub enum Retry {
    /// The set-up call that `Opening` remembers.
    Open,
    /// A prompt, with its block in the transcript.
    Prompt(Prompt, BlockId),
    /// Changes of options, which wait among the settings.
    Options,
}

impl SignIn {
    /// The prompt that waits for a sign-in.
    pub fn unsent(&self) -> Option<&Prompt> {
        match self.retry.as_ref()? {
            Retry::Prompt(prompt, _) => Some(prompt),
            Retry::Open | Retry::Options => None,
        }
    }
}

impl Step<'_> {
    /// A refused prompt that waits for the new process becomes the queue's head.
    pub fn queue_refused_prompt(&mut self) {
        let retry = &mut self.session.inner.sign_in.retry;
        if matches!(retry, Some(Retry::Prompt(..)))
            && let Some(Retry::Prompt(prompt, _)) = retry.take()
        {
            self.session.queue.push_front(prompt);
        }
    }

    /// Adds sign-in methods that only the error names. For a method that is known already nothing
    /// changes: kimi's in the error lacks the program.
    pub fn learn_ways(&mut self, error: &RpcError) {
        for method in &error.auth_methods {
            let known = &self.session.agent.auth_methods;
            let is_new = known.iter().all(|one| one.id != method.id);
            if is_new && known.len() < MAX_AUTH_METHODS {
                let agent = Arc::make_mut(&mut self.session.agent);
                agent.auth_methods.push(method.clone());
            }
        }
    }

    pub fn sign_in_to_open(&mut self, error: &RpcError) {
        self.learn_ways(error);
        self.queue_refused_prompt();
        let tried = std::mem::take(&mut self.session.inner.sign_in.tried);
        self.session.inner.sign_in.retry = Some(Retry::Open);
        // Without a session, choosing another way is all there is to do.
        self.show_sign_in(tried.then(|| still_refused(error)));
    }

    pub fn sign_in_to_prompt(&mut self, prompt: Prompt, user: BlockId, error: &RpcError) {
        self.learn_ways(error);
        if std::mem::take(&mut self.session.inner.sign_in.tried) {
            self.say_error(
                NoticeLevel::Error,
                "signed in, but the agent still refuses",
                error,
            );
            self.session.queue.push_front(prompt);
            self.hold_queue();
            return;
        }
        self.say_error(NoticeLevel::Warning, "sign-in required", error);
        // Option changes that were refused as well are made before it.
        self.session.inner.sign_in.retry = Some(Retry::Prompt(prompt, user));
        self.show_sign_in(None);
    }

    /// A change of an option was refused.
    pub fn sign_in_to_set(&mut self, call: &Call, error: &RpcError) {
        self.learn_ways(error);
        let sign_in = &mut self.session.inner.sign_in;
        if std::mem::take(&mut sign_in.tried) {
            self.say_error(
                NoticeLevel::Error,
                "signed in, but the agent still refuses",
                error,
            );
            if self.session.turn.is_none() {
                self.hold_queue();
            }
            return;
        }
        sign_in.retry.get_or_insert(Retry::Options);
        // A sign-in may be under way: then the change waits for its end.
        let under_way = sign_in.program;
        let told = sign_in.after_turn;
        sign_in.after_turn = self.session.turn.is_some();
        self.want_again(call);
        if self.session.turn.is_none() {
            if !under_way {
                self.show_sign_in(None);
            }
        } else if !told {
            let text = "sign-in required to set that: it starts after the turn";
            self.say_error(NoticeLevel::Warning, text, error);
        }
    }

    /// Shows the sign-in now, or when the turn is over.
    pub fn sign_in_when_at_rest(&mut self) {
        if self.session.turn.is_some() {
            self.session.inner.sign_in.after_turn = true;
        } else if self.is_ready() {
            self.show_sign_in(None);
        }
    }

    /// The turn is over: shows the sign-in that waited for it. Whether there was one.
    pub fn sign_in_after_turn(&mut self) -> bool {
        let due = std::mem::take(&mut self.session.inner.sign_in.after_turn);
        if due {
            self.show_sign_in(None);
        }
        due
    }

    /// The person asks for it.
    pub fn want_sign_in(&mut self) {
        if !self.is_ready() || self.session.turn.is_some() {
            self.toast("wait for the turn to end, then sign in");
        } else {
            self.show_sign_in(None);
        }
    }

    pub fn show_sign_in(&mut self, error: Option<SafeText>) {
        // An `authenticate` that was cancelled may not be answered yet.
        let sign_in = &mut self.session.inner.sign_in;
        sign_in.after_turn = false;
        let step = match sign_in.method {
            Some(_) => SignInStep::Cancelling,
            None => SignInStep::Choosing,
        };
        self.session.phase = Phase::SignIn { step, error };
    }

    fn is_choosing(&self) -> bool {
        let step = match &self.session.phase {
            Phase::SignIn { step, .. } => step,
            _ => return false,
        };
        *step == SignInStep::Choosing
    }

    pub fn authenticate(&mut self, method: String) {
        if !self.is_choosing() {
            return;
        }
        let methods = &self.session.agent.auth_methods;
        let kind = methods
            .iter()
            .find(|known| known.id == method)
            .map(|known| known.kind.clone());
        // Only methods of that kind go to `authenticate` (V1-AUTH-03, V1-AUTH-06, V1-AUTH-07).
        let error = match kind {
            Some(AuthMethodKind::Agent) => {
                self.session.inner.sign_in.method = Some(method.clone());
                self.session.phase = Phase::SignIn {
                    step: SignInStep::Asking,
                    error: None,
                };
                return self.call(Call::Authenticate { method });
            }
            Some(AuthMethodKind::Terminal { args, env }) => {
                return self.log_in(Login::Agent { args, env });
            }
            // The person's own command takes precedence over one that the agent names.
            Some(AuthMethodKind::Program(_)) if self.session.config.login.is_some() => {
                return self.log_in(Login::Profile);
            }
            Some(AuthMethodKind::Program(Some(program))) => {
                return self.log_in(Login::Program(program));
            }
            Some(AuthMethodKind::Program(None)) => {
                "the agent does not say how: do it in another terminal, then F5 restarts it"
            }
            Some(AuthMethodKind::EnvVar { .. }) => {
                "set the variables in the agent's profile, then restart it"
            }
            Some(AuthMethodKind::Unsupported(_)) => "this way to sign in is not supported",
            None => "the agent does not offer this way to sign in",
        };
        self.show_sign_in(Some(error.into()));
    }

    pub fn log_in_by_profile(&mut self) {
        if self.is_choosing() && self.session.config.login.is_some() {
            self.log_in(Login::Profile);
        }
    }

    pub fn authenticated(&mut self, method: &str) {
        if !self.was_waited_for(method) {
            return;
        }
        if !matches!(self.session.phase, Phase::SignIn { .. }) {
            self.toast("signed in");
            return;
        }
        self.go_on_signed_in();
    }

    /// The person has signed in from another session of the agent: what was refused here is tried again.
    /// A dialog in which a sign-in is under way waits for its end.
    pub fn signed_in_elsewhere(&mut self) {
        if let Phase::SignIn {
            step: SignInStep::Choosing | SignInStep::Cancelling,
            ..
        } = self.session.phase
        {
            self.go_on_signed_in();
        }
    }

    fn go_on_signed_in(&mut self) {
        let sign_in = &mut self.session.inner.sign_in;
        sign_in.tried = sign_in.retry.is_some();
        match sign_in.retry {
            Some(Retry::Open) => {
                sign_in.retry = None;
                return self.open_once_more();
            }
            Some(Retry::Prompt(..) | Retry::Options) => {}
            None => self.toast("signed in"),
        }
        self.session.phase = Phase::Ready;
        self.ask_once_more();
        // A prompt must not run in another mode than it was meant for.
        self.go_on_setting();
        self.send_next_unless_held();
    }

    pub fn authenticate_failed(&mut self, method: &str, error: &RpcError) {
        if self.was_waited_for(method) && matches!(self.session.phase, Phase::SignIn { .. }) {
            let given_up = matches!(
                self.session.phase,
                Phase::SignIn {
                    step: SignInStep::Cancelling,
                    ..
                }
            );
            // Whatever its text, the error is the cancel that was asked for (V1-CAN-09).
            let text = if given_up {
                SafeText::from("sign-in cancelled")
            } else {
                error_text::readable(error)
            };
            self.show_sign_in(Some(text));
        }
    }

    /// Takes the open `authenticate` as answered.
    fn was_waited_for(&mut self, method: &str) -> bool {
        let waited_for = &mut self.session.inner.sign_in.method;
        waited_for.take_if(|waited| waited == method).is_some()
    }

    /// Sends the prompt that was refused, if there is one. Whether there was.
    pub fn retry_refused(&mut self) -> bool {
        match self.session.inner.sign_in.retry.take() {
            Some(Retry::Prompt(prompt, user)) => {
                self.run_prompt_again(prompt, user);
                true
            }
            // The session is open by now, and its options set.
            Some(Retry::Open | Retry::Options) | None => false,
        }
    }

    /// A call has succeeded: the next refusal leads to a sign-in again.
    pub fn signed_in(&mut self) {
        let sign_in = &mut self.session.inner.sign_in;
        sign_in.tried &= sign_in.retry.is_some();
    }

    /// Esc in the dialog: cancels what runs; else what was refused is not sent. Without a session the
    /// dialog stays.
    pub fn leave_sign_in(&mut self) {
        let Phase::SignIn { step, .. } = &mut self.session.phase else {
            return;
        };
        match step {
            SignInStep::Asking => {
                *step = SignInStep::Cancelling;
                if let Some(method) = self.session.inner.sign_in.method.clone() {
                    // V1-CAN-09: it stays open until its answer.
                    self.notify(Notification::CancelCall(CallTag::Authenticate { method }));
                }
            }
            SignInStep::Program(_) => self.give_up_login(),
            SignInStep::Choosing | SignInStep::Cancelling => {
                if matches!(self.session.inner.sign_in.retry, Some(Retry::Open)) {
                    self.show_sign_in(None);
                    return;
                }
                let method = self.session.inner.sign_in.method.take();
                let refused = self.session.inner.sign_in.retry.is_some();
                self.abort_sign_in();
                self.forget_changes();
                self.session.inner.sign_in.method = method;
                self.session.phase = Phase::Ready;
                if refused {
                    self.hold_queue();
                } else {
                    self.send_next_unless_held();
                }
            }
        }
    }

    /// The refused prompt goes back to the head of the queue; a program that runs is ended.
    pub fn abort_sign_in(&mut self) {
        if self.session.inner.sign_in.unsent().is_some() {
            self.hold_queue();
        }
        if self.session.inner.sign_in.program {
            self.end_login();
        }
        self.forget_login_terminal();
        self.session.inner.sign_in = SignIn::default();
    }

    /// V1-AUTH-10: only where the agent has it.
    pub fn log_out(&mut self) {
        if !self.session.agent.caps.logout {
            self.toast("this agent has no sign-out");
        } else if !self.is_ready() || self.session.turn.is_some() {
            self.toast("wait for the turn to end, then sign out");
        } else {
            self.call(Call::Logout);
        }
    }

    /// Further calls may be refused now, so a sign-in is offered; it can be left.
    pub fn logged_out(&mut self) {
        let text = format!("signed out of {}", self.agent_name());
        self.say(NoticeLevel::Info, SafeText::line(&text));
        if self.is_ready() && self.session.turn.is_none() && self.session.can_sign_in() {
            self.show_sign_in(None);
        }
    }

    pub fn logout_failed(&mut self, error: &RpcError) {
        self.say_error(NoticeLevel::Error, "not signed out", error);
    }
}

fn still_refused(error: &RpcError) -> SafeText {
    let text = format!(
        "signed in, but the agent still refuses: {}",
        error_text::readable(error)
    );
    SafeText::new(&text)
}
