//! Sessions without a person (`acp-tui run`): questions are refused, with a notice.

use crate::{
    model::{HostReply, PermissionKind, PermissionOutcome},
    session::{Answered, By, FileAnswer, NoticeLevel, Question, ToolState},
    text::{SafeText, first_bytes},
};

use super::super::Step;

impl Step<'_> {
    /// Answers a question that would wait for the person. A request for permission gets the option
    /// that rejects it once, whichever that is: never one that would be remembered, and where there
    /// is none, `cancelled`.
    pub fn refuse_if_unattended(&mut self, at: usize) {
        if !self.session.config.unattended {
            return;
        }
        match self.session.questions.get(at) {
            Some(Question::Permission(question)) => {
                let by = By::Rule(match &question.reason {
                    Some(reason) => SafeText::line(&format!("nobody to ask: {reason}")),
                    None => "nobody to ask".into(),
                });
                let mut options = question.options.iter();
                let reject = options.find(|option| option.kind == PermissionKind::RejectOnce);
                if let Some(reject) = reject.cloned() {
                    let answered = Answered {
                        answer: reject.name,
                        allowed: Some(false),
                        by,
                    };
                    self.select(at, reject.id, answered);
                } else {
                    self.cancel_permission(at, by);
                }
            }
            Some(Question::File(question)) => self.answer_file(question.id, FileAnswer::No),
            Some(Question::Command(question)) => self.answer_command(question.id, false),
            // Not offered without a person, but an agent may ask all the same.
            Some(Question::Form(_) | Question::Page(_)) => self.close_question(at),
            None => {}
        }
    }

    /// A form or a page that was not offered was refused.
    pub fn say_unasked(&mut self, message: &SafeText) {
        let message = SafeText::line(first_bytes(message, MAX_TOLD));
        let text = format!("refused, no one is there to answer: {message}");
        self.say(NoticeLevel::Warning, SafeText::line(&text));
    }

    fn cancel_permission(&mut self, at: usize, by: By) {
        if let Some(Question::Permission(question)) = self.session.questions.remove(at) {
            let answered = Answered {
                answer: "cancelled".into(),
                allowed: Some(false),
                by,
            };
            self.in_conversation_of(question.subagent.as_ref(), |step| {
                step.record(question.block, answered);
            });
            let outcome = HostReply::Permission(PermissionOutcome::Cancelled);
            self.answer_request(question.key, outcome);
        }
    }

    /// The session is not set up as was asked, and no one is there to look at it before the prompt goes
    /// out.
    pub fn fail_set_up(&mut self, why: SafeText, detail: Option<SafeText>) {
        self.stop_agent();
        self.lose_session(ToolState::Failed);
        self.failed(why, detail);
    }

    /// A text with a hint at a key, for those who have keys.
    pub fn with_hint(&self, text: &str, hint: &str) -> String {
        let hint = if self.session.config.unattended {
            ""
        } else {
            hint
        };
        format!("{text}{hint}")
    }
}

/// Bytes of a question in the line that tells that it was not answered.
const MAX_TOLD: usize = 200;
