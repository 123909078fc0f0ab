//! Comments of the review, on their way to the agent.

use super::Ui;
use crate::{
    model::tells_undo,
    text::SafeText,
    ui::{Draft, DraftPart, SendTo, UiCommand, UiContext, transcript::Scroll},
};

impl Ui {
    /// Sends all comments as one prompt, by the rules of any other; they are in the history then.
    pub(super) fn send_comments(&mut self, cx: &UiContext<'_>) {
        let Some((mut text, many)) = self.review.comments_told() else {
            return self
                .moment
                .say("there are no comments yet: c writes one".into());
        };
        if cx.session.is_none() {
            return self.say_no_agent(cx);
        }
        if let Some(told) = self.take_undone() {
            text = format!("{told}\n\n{text}");
        }
        self.composer.push_history(&text);
        self.commands.push(UiCommand::SaveHistory(text.clone()));
        let draft = Draft {
            parts: vec![DraftPart::Text(text)],
        };
        let to = SendTo::Turn;
        self.commands.push(UiCommand::Submit { draft, to });
        self.review.comments_sent();
        self.close_review();
        self.transcript.scroll(Scroll::Bottom);
        self.moment.say(SafeText::line(&format!("sent {many}")));
    }

    /// What was undone and stands before the draft, to be told with the next prompt: with this one. What
    /// else is in the draft stays there.
    fn take_undone(&mut self) -> Option<String> {
        let draft = self.composer.draft_text();
        let told: Vec<&str> = draft.lines().take_while(|line| tells_undo(line)).collect();
        if told.is_empty() {
            return None;
        }
        let rest: Vec<&str> = draft.split('\n').skip(told.len()).collect();
        self.composer.set_text(&rest.join("\n"));
        Some(told.join("\n"))
    }
}
