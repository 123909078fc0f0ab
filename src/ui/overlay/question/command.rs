//! A command that policy wants asked about (V1-TERM-19): run it, or not.

use crate::{
    model::{HostRequest, PermissionKind},
    session::{CommandQuestion, Event},
    ui::{
        UiCommand,
        overlay::{Guard, OverlayContext, asker},
    },
};

use super::{Body, Choice, ERROR, QuestionDialog, Subject, run::Run};

const ANSWERS: [bool; 2] = [true, false];

struct Command(CommandQuestion);

impl QuestionDialog {
    pub fn command(question: &CommandQuestion, guard: Guard) -> Self {
        let choices = vec![
            Choice::ours("Run it this once".into(), PermissionKind::AllowOnce),
            Choice::ours(ERROR.into(), PermissionKind::RejectOnce),
        ];
        let subject = Box::new(Command(question.clone()));
        Self::new(Some(question.id), subject, choices, guard)
    }
}

impl Command {
    fn answer_with(&self, run: bool) -> UiCommand {
        UiCommand::Session(Event::AnswerCommand {
            question: self.0.id,
            run,
        })
    }
}

impl Subject for Command {
    fn title(&self, cx: &OverlayContext<'_>) -> String {
        let who = asker(cx.session, self.0.request.session());
        format!("{who} wants to run a command")
    }

    fn answer(&self, at: usize) -> Option<UiCommand> {
        ANSWERS.get(at).map(|run| self.answer_with(*run))
    }

    fn dismissal(&self) -> Option<UiCommand> {
        Some(self.answer_with(false))
    }

    fn body(&self, width: usize, _expanded: bool, cx: &OverlayContext<'_>) -> Body {
        let HostRequest::TerminalCreate(request) = &self.0.request else {
            return Body::default();
        };
        let line = request.line();
        let run = Run {
            line: &line,
            env: &request.env,
            cwd: self.0.cwd.clone(),
            cwd_is_usual: request.cwd.is_none(),
            outside: self.0.outside,
            shell: Some(self.0.shell),
        };
        let mut body = Body::default();
        let signs = body.push_run(&run, width, cx);
        body.push_reason(&self.0.reason, width, cx);
        if signs {
            return body.warned_of_signs(width, cx);
        }
        body
    }
}
