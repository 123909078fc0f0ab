//! A program that the person signs in with, in its own terminal (V1-AUTH-03, V1-AUTH-04).

use crate::{
    model::{ExitStatus, TerminalId},
    session::{Effect, Login, NoticeLevel, Phase, Session, SignInStep, TerminalInfo},
    text::SafeText,
};

use super::super::Step;
use super::sign_in::{Retry, SignIn};

impl Session {
    /// There is a way to sign in.
    pub fn can_sign_in(&self) -> bool {
        self.config.login.is_some() || !self.agent.auth_methods.is_empty()
    }

    /// The terminal of the sign-in program, also after it failed: its last output is there.
    pub fn login_terminal(&self) -> Option<&TerminalId> {
        self.inner.sign_in.terminal.as_ref()
    }
}

impl Step<'_> {
    pub fn log_in(&mut self, login: Login) {
        self.forget_login_terminal();
        self.session.inner.sign_in.program = true;
        self.session.phase = Phase::SignIn {
            step: SignInStep::Program(None),
            error: None,
        };
        self.effects.push(Effect::Login(login));
    }

    pub fn login_started(&mut self, id: TerminalId, command: SafeText, cwd: SafeText) {
        let Phase::SignIn {
            step: SignInStep::Program(terminal @ None),
            ..
        } = &mut self.session.phase
        else {
            return;
        };
        *terminal = Some(id.clone());
        self.session.inner.sign_in.terminal = Some(id.clone());
        let info = TerminalInfo {
            command,
            cwd,
            ..TerminalInfo::new(self.now)
        };
        // No block: what is typed there does not belong in the transcript.
        self.add_terminal(id.clone(), info);
        self.settle_terminal(&id);
    }

    pub fn login_failed(&mut self, error: SafeText) {
        if self.session.inner.sign_in.program {
            self.login_was_no_success(error);
        }
    }

    /// Only exit code 0 is success (V1-AUTH-04). Then the agent is restarted: it may look for its
    /// credentials only when it starts.
    pub fn login_ended(&mut self, terminal: TerminalId, status: ExitStatus) {
        let waited_for = matches!(
            &self.session.phase,
            Phase::SignIn { step: SignInStep::Program(Some(running)), .. } if *running == terminal
        );
        if let Some(info) = self.session.terminals.get_mut(&terminal) {
            info.exit = Some(status.clone());
        }
        if !waited_for {
            return;
        }
        if !succeeded(&status) {
            let text = format!("the sign-in program ended {}", status.how());
            return self.login_was_no_success(SafeText::line(&text));
        }
        // Its screen may show a secret.
        self.forget_login_terminal();
        self.session.inner.sign_in.program = false;
        self.say(NoticeLevel::Info, "signed in: restarting the agent".into());
        self.start_over_signed_in();
    }

    /// Starts the next process, in which what was refused is tried again.
    pub fn start_over_signed_in(&mut self) {
        let refused = self.session.inner.sign_in.retry.take();
        let beside = std::mem::take(&mut self.session.inner.sign_in.beside);
        let tried = refused.is_some();
        // A session is opened anyway, and options are set then.
        let retry = refused.filter(|retry| matches!(retry, Retry::Prompt(..)));
        self.start_over();
        self.session.inner.sign_in = SignIn {
            retry,
            tried,
            beside,
            ..SignIn::default()
        };
    }

    /// Esc in the dialog.
    pub fn give_up_login(&mut self) {
        self.end_login();
        self.login_was_no_success("sign-in cancelled".into());
    }

    pub fn end_login(&mut self) {
        self.forget_login_terminal();
        self.effects.push(Effect::EndLogin);
    }

    pub fn forget_login_terminal(&mut self) {
        if let Some(terminal) = self.session.inner.sign_in.terminal.take() {
            self.session.terminals.remove(&terminal);
        }
    }

    /// The sign-in failed: the connection is as it was, and another way can be tried.
    fn login_was_no_success(&mut self, error: SafeText) {
        self.session.inner.sign_in.program = false;
        if self.session.connection.is_some() {
            self.show_sign_in(Some(error));
        } else {
            self.abort_sign_in();
            self.failed(error, None);
        }
    }

    /// The agent is gone; a sign-in program that runs goes on.
    pub fn keep_login(&mut self) -> Option<SignIn> {
        let running = self.session.inner.sign_in.program;
        running.then(|| std::mem::take(&mut self.session.inner.sign_in))
    }
}

fn succeeded(status: &ExitStatus) -> bool {
    status.code == Some(0) && status.signal.is_none()
}
