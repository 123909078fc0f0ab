//! Prompts that the agent suggests.

use crate::{conversation::Conversation, stage::Cast};

/// The model's answer to claude's question for one.
const SUGGESTED: &str = "say it once more";

/// What that question begins with.
const ASKED: &str = "[SUGGESTION MODE";

/// The variable of its settings that turns suggestions off.
const OFF: &str = "CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION";

impl Conversation {
    /// Behind the second turn: of a session's first one claude suggests nothing.
    fn is_suggested_a_prompt(&self) {
        self.goes_on("good day to you");
        self.goes_on("and once more");
        self.tui.wait_for(&format!("{SUGGESTED}   tab takes it"));
        let prompts = self.wire().sent("session/prompt").count();
        self.tui.keys("<tab>");
        self.tui.wait("the draft", |tui| {
            let screen = tui.screen();
            (screen.contains(SUGGESTED) && !screen.contains("takes it")).then_some(())
        });
        assert_eq!(self.wire().sent("session/prompt").count(), prompts);
        self.tui.keys(" a lot<enter>");
        self.wait_turn();
        self.wait_row("it once more a lot");
    }
}

pub fn claude_suggests() {
    let cast = Cast::of("claude").without(OFF).with(OFF, "true");
    let cast = cast.config("[ui]\nsuggestions = true\n");
    let stage = cast.behind("air.py").suggesting(SUGGESTED).set();
    let talk = Conversation::begin(&stage);
    talk.is_suggested_a_prompt();
    talk.ends();
    assert!(stage.asked().contains(ASKED));
}

pub fn claude_is_told_to_suggest_nothing() {
    for (wanted, config) in [(true, "[ui]\nsuggestions = true\n"), (false, "")] {
        let cast = Cast::of("claude").without(OFF).with(OFF, "true");
        let stage = cast.config(config).set();
        let talk = Conversation::begin(&stage);
        talk.goes_on("good day to you");
        talk.goes_on("and once more");
        if wanted {
            // Asked behind the turn, and kept to itself: this client is not one that it tells.
            talk.tui.wait("its question for one", |_| {
                stage.asked().contains(ASKED).then_some(())
            });
        }
        talk.goes_on("and straight on");
        talk.goes_on("and to the end");
        talk.ends();
        assert_eq!(stage.asked().contains(ASKED), wanted);
    }
}
