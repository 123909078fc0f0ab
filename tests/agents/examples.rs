//! The example agents of the protocol's own SDKs: their answers are fixed, and they do little more
//! than the protocol demands.

use crate::{conversation::Conversation, stage::Cast};

/// Asks about the second of its two calls, whose ids are the same in every turn.
#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn sdk_example() {
    let stage = Cast::of("sdk-example").set();
    let talk = Conversation::begin(&stage);
    talk.prompt("hello");
    let screen = talk.wait_question();
    assert!(
        screen.contains("Modifying critical configuration file"),
        "{screen}"
    );
    talk.answer("allow_once");
    talk.wait_turn();
    talk.wait_for("successfully updated the configuration");
    talk.prompt("and again");
    talk.wait_question();
    talk.answer("reject_once");
    talk.wait_turn();
    let screen = talk.wait_for("skip the configuration update");
    assert!(screen.contains("denied by you"), "{screen}");
    // The call of the turn before is still what it was.
    assert_eq!(screen.matches("denied by you").count(), 1, "{screen}");
    talk.prompt("once more");
    talk.wait_question();
    talk.stop();
    talk.prompt("stop it");
    talk.stop();
    talk.ends_without_a_session_to_reopen();
}

/// Sends back what it gets, and `null` for its capabilities.
#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn python_echo() {
    let stage = Cast::of("python-echo").from("python-sdk").set();
    let talk = Conversation::begin(&stage);
    for words in ["good day to you", "and still here"] {
        talk.prompt(words);
        talk.wait_turn();
        talk.wait_row(words);
    }
    talk.stops_nothing();
    talk.ends_without_a_session_to_reopen();
}

/// Says what it was sent, block by block.
#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn python_example() {
    let stage = Cast::of("python-example").from("python-sdk").set();
    let talk = Conversation::begin(&stage);
    talk.prompt("good day to you");
    talk.wait_turn();
    let screen = talk.wait_for("Client sent:");
    assert_eq!(screen.matches("good day to you").count(), 2, "{screen}");
    talk.stops_nothing();
    talk.ends_without_a_session_to_reopen();
}
