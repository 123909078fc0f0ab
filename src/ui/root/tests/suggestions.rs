//! The prompt that the agent suggests, in the empty composer (V1-SUG-01).

use super::*;
use crate::text::SafeText;

fn suggested(text: &str) -> Screen {
    let mut screen = Screen::new(Bench::ready());
    suggest(&mut screen, text);
    screen
}

fn suggest(screen: &mut Screen, text: &str) {
    let text = SafeText::new(text);
    screen.bench.update(AgentEvent::Suggestion(Some(text)));
}

impl Screen {
    /// The composer's row.
    fn composer_row(&mut self) -> String {
        let drawn = self.draw();
        let row = drawn.lines().rev().nth(1).unwrap_or_default();
        row.trim_end().to_owned()
    }
}

#[test]
fn it_stands_in_the_empty_composer_behind_the_caret_with_the_key_that_takes_it() {
    let mut screen = suggested("run the tests");
    assert_eq!(screen.composer_row(), "❯ run the tests   tab takes it");
    let caret = screen.cursor().expect("a caret");
    assert_eq!(caret.x, 2, "only the caret stands before it");
    let (buffer, _) = screen.buffer();
    let dim = screen.ui.look.theme.dim.fg;
    assert_eq!(buffer[(2, caret.y)].fg, dim.expect("a colour"));
    assert_eq!(screen.draft(), "");
    screen.ui.look.keymap = Keymap::new(&BTreeMap::from([("take-suggestion".into(), vec![])]));
    assert_eq!(screen.composer_row(), "❯ run the tests");
}

#[test]
fn its_first_line_is_cut_to_the_room() {
    let mut screen = suggested("\nfirst\nsecond");
    assert_eq!(screen.composer_row(), "❯ first…   tab takes it");
    let long = "run the tests of the parser again and again until they fail somewhere";
    let mut screen = suggested(long).sized(40, 10);
    assert_eq!(
        screen.composer_row(),
        "❯ run the tests of the p…   tab takes it"
    );
    screen.press("tab");
    assert_eq!(screen.draft(), long);
}

#[test]
fn tab_and_right_take_it_into_the_draft_and_nothing_is_sent() {
    for key in ["tab", "right"] {
        let mut screen = suggested("run\nthe tests");
        assert!(screen.press(key).is_empty(), "{key}");
        assert_eq!(screen.draft(), "run\nthe tests", "{key}");
        screen.types("!");
        assert_eq!(screen.draft(), "run\nthe tests!", "the caret is behind it");
        assert!(matches!(
            screen.press("enter")[..],
            [UiCommand::SaveHistory(_), UiCommand::Submit { .. }]
        ));
    }
    // Without one tab is for blocks.
    let mut screen = Screen::new(Bench::ready());
    screen.bench.message("said");
    screen.draw();
    screen.press("tab");
    assert!(screen.ui.transcript.is_browsing());
}

#[test]
fn enter_does_not_send_it_and_what_is_typed_takes_its_place() {
    let mut screen = suggested("run the tests");
    assert!(screen.press("enter").is_empty());
    assert!(screen.press("alt-x").is_empty());
    assert_eq!(screen.draft(), "");
    screen.types("n");
    assert_eq!(screen.composer_row(), "❯ n");
    screen.press("tab");
    assert_eq!(screen.draft(), "n", "tab takes nothing into a draft");
}

#[test]
fn it_is_not_drawn_where_something_else_has_the_keys_or_goes_on() {
    let shows = |screen: &mut Screen| screen.draw().contains("run the tests");
    let mut screen = suggested("run the tests");
    screen.bench.asks_to_run("cargo test");
    screen.settle();
    assert!(!shows(&mut screen), "a question");
    let mut screen = suggested("run the tests");
    for key in ["ctrl-p", "?", "ctrl-r", "ctrl-f"] {
        screen.press(key);
        assert!(!shows(&mut screen), "{key}");
        screen.press("esc");
        assert!(shows(&mut screen), "{key}");
    }
    screen.bench.prompt("something else");
    assert!(!shows(&mut screen));
    assert!(screen.composer_row().contains("queues"));
    suggest(&mut screen, "run the tests");
    assert!(!shows(&mut screen), "the turn is open");
    turn_ends(&mut screen.bench, StopReason::EndTurn);
    assert!(shows(&mut screen));
}

#[test]
fn it_never_becomes_a_command_of_the_persons_own() {
    for text in ["!rm -rf .", "/export ~/rm -rf", "/exit"] {
        let mut screen = suggested(text);
        assert_eq!(
            screen.composer_row(),
            "❯ tell OpenCode what to do",
            "{text}"
        );
        screen.press("tab");
        assert_eq!(screen.draft(), "", "{text}");
    }
    let mut screen = suggested("/review all");
    screen.press("tab");
    assert_eq!(screen.draft(), "/review all", "the agent's own");
}

#[test]
fn an_action_turns_suggestions_off_and_on() {
    let mut screen = suggested("run the tests");
    screen.press("ctrl-p");
    screen.types("suggested");
    let off = screen.press("enter");
    assert!(
        matches!(off[..], [UiCommand::Suggestions(false)]),
        "{off:?}"
    );
    assert!(!screen.composer_row().contains("run the tests"));
    assert!(screen.status().contains("suggested prompts off"));
    let keys = BTreeMap::from([("suggestions".into(), vec!["alt-q".into()])]);
    screen.ui.look.keymap = Keymap::new(&keys);
    let on = screen.press("alt-q");
    assert!(matches!(on[..], [UiCommand::Suggestions(true)]), "{on:?}");
    assert!(screen.composer_row().contains("run the tests"));
}
