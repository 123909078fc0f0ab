//! What is offered to be copied.

use super::*;

const ANSWER: &str = "Do it so:\n\n```rust\nfn main() {}\n```\n\n> a quote\n\n| a |\n|---|\n| 1 |";

fn answered() -> Screen {
    let mut screen = Screen::new(Bench::working());
    screen.bench.message(ANSWER);
    screen.draw();
    screen
}

fn copied(commands: &[UiCommand]) -> String {
    match commands {
        [UiCommand::Copy(text) | UiCommand::CopyOf { text, .. }] => text.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn y_offers_the_answer_first_then_its_code_quotes_and_tables() {
    let mut screen = answered();
    screen.press("tab y");
    let shown = screen.draw();
    for row in [
        "the answer  Do it so:",
        "code rust  fn main() {}",
        "a quote  a quote",
        "a table  | a |",
    ] {
        assert!(shown.contains(row), "{row}\n{shown}");
    }
    insta::assert_snapshot!(shown);
    assert_eq!(copied(&screen.press("enter")), ANSWER);
    screen.press("y");
    assert_eq!(copied(&screen.press("down enter")), "fn main() {}\n");
    screen.press("y");
    assert_eq!(copied(&screen.press("down down enter")), "a quote");
}

#[test]
fn what_has_one_thing_to_copy_is_copied_at_once() {
    let mut screen = Screen::new(Bench::working());
    screen.bench.message("just this");
    screen.draw();
    let commands = screen.press("tab y");
    let said = |command: &UiCommand| {
        matches!(
            command,
            UiCommand::CopyOf {
                what: "the answer",
                ..
            }
        )
    };
    assert!(commands.iter().all(said), "what it is: {commands:?}");
    assert_eq!(copied(&commands), "just this");
}

#[test]
fn w_asks_for_a_file_and_one_that_is_there_is_asked_about() {
    let mut screen = answered();
    screen.press("tab y down w");
    assert!(
        screen.draw().contains("Write to a file"),
        "{}",
        screen.draw()
    );
    assert!(screen.draw().contains("code.rs"));
    let commands = screen.press("enter enter");
    let [
        UiCommand::WriteCopy {
            path,
            text,
            replaces: false,
        },
    ] = &commands[..]
    else {
        panic!("{commands:?}\n{}", screen.draw());
    };
    assert_eq!(
        (path.to_str(), text.as_str()),
        (Some("code.rs"), "fn main() {}\n")
    );
    screen.ui.ask_replace(path.clone(), text.clone());
    screen.settle();
    assert!(
        screen.draw().contains("code.rs exists"),
        "{}",
        screen.draw()
    );
    assert!(
        screen.press("enter").is_empty(),
        "nothing is selected at first"
    );
    let commands = screen.press("down enter");
    assert!(
        matches!(&commands[..], [UiCommand::WriteCopy { replaces: true, .. }]),
        "{commands:?}\n{}",
        screen.draw()
    );
}

#[test]
fn the_last_answer_is_what_copy_is_about_without_a_browsed_block() {
    let mut screen = answered();
    screen.press("ctrl-p");
    screen.types("copy");
    screen.press("enter");
    assert!(screen.draw().contains("╭ Copy"), "{}", screen.draw());
    assert_eq!(copied(&screen.press("enter")), ANSWER);
}
