//! Comments of the review, on their way to the agent.

use super::Ui;
use crate::{
    model::{PlanBody, tells_undo},
    text::SafeText,
    ui::{Draft, DraftPart, SendTo, UiCommand, UiContext, overlay::PlanList, transcript::Scroll},
};

/// What the agent plans, entry by entry.
fn planned(cx: &UiContext<'_>) -> Vec<SafeText> {
    let conversation = cx.session.map(|session| &session.conversation);
    let named = conversation.into_iter().flat_map(|all| &all.plans);
    let named = named.filter_map(|plan| match &plan.body {
        PlanBody::Items(entries) => Some(entries),
        PlanBody::Text(_) | PlanBody::Unknown { .. } => None,
    });
    let all = conversation.into_iter().flat_map(|all| &all.plan);
    let all = all.chain(named.flatten());
    all.map(|entry| SafeText::line(&entry.content)).collect()
}

impl Ui {
    /// Sends all comments as one prompt, by the rules of any other; they are in the history then.
    pub(super) fn send_comments(&mut self, cx: &UiContext<'_>) {
        // Which entries of the plan are others by now.
        self.review.plan_comments(&planned(cx));
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
        if self.review.is_open() {
            self.close_review();
        }
        self.transcript.scroll(Scroll::Bottom);
        self.moment.say(SafeText::line(&format!("sent {many}")));
    }

    /// The entries of the plan, to comment on; what is said goes with the comments of the review.
    pub(super) fn comment_on_plan(&mut self, cx: &UiContext<'_>) {
        let entries = self.review.plan_comments(&planned(cx));
        match entries.is_empty() {
            true => self.moment.say("there is no plan with entries".into()),
            false => self.layers.open(Box::new(PlanList::dialog(entries))),
        }
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
