//! Words for the turn that is open.

use crate::conversation::Conversation;

impl Conversation {
    /// In the middle of an answer: the turn goes on with them, and no other prompt is sent.
    pub fn is_steered(&self) {
        self.prompt("long 400");
        self.tui.wait_for(" of 400");
        let prompts = self.wire().sent("session/prompt").count();
        self.tui.keys("say turned left<enter>");
        self.tui.wait("the outcome", |_| {
            let wire = self.wire();
            let answer = wire.answer_to_last("_session/steering")?;
            assert_eq!(answer["result"]["outcome"], "injected", "{answer}");
            Some(())
        });
        self.wait_turn();
        self.wait_row("turned left");
        let screen = self.tui.wait_for("steered");
        assert_eq!(screen.matches("say turned left").count(), 1, "{screen}");
        assert_eq!(self.wire().sent("session/prompt").count(), prompts);
    }
}
