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

    /// Behind its tools it comes for what is queued, and has it in the open turn.
    pub fn is_given_what_is_queued(&self) {
        let prompts = self.wire().sent("session/prompt").count() + 1;
        self.prompt("run mkdir -p made/later && sleep 3");
        self.wait_question();
        self.answer("allow_once");
        self.tui.wait("the answer to be sent", |_| {
            self.wire().open_question().is_none().then_some(())
        });
        self.tui.keys("say turned left<enter>");
        self.tui.wait_for("queued 1: say turned left");
        self.tui.wait("its coming for it", |_| {
            let wire = self.wire();
            let given = wire.answers_to("craft/drainMidTurnQueue");
            let texts = given.iter().map(|answer| &answer["result"]["messages"]);
            texts
                .into_iter()
                .find(|texts| texts[0] == "say turned left")?;
            Some(())
        });
        self.wait_turn();
        let screen = self.tui.wait_for("steered");
        assert!(!screen.contains("queued 1"), "{screen}");
        assert_eq!(self.wire().sent("session/prompt").count(), prompts);
    }
}
