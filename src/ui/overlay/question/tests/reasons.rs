//! A word of the person's that goes with an answer.

use super::*;

/// What the key answers with, and the reason that goes with it.
fn reasoned(outcome: &Outcome) -> Option<(&str, Option<&str>)> {
    let reason = outcome.wishes.iter().find_map(|wish| match wish {
        Wish::Reason(text) => Some(text.as_str()),
        _ => None,
    });
    outcome.wishes.iter().find_map(|wish| match wish {
        Wish::Command(UiCommand::Session(Event::Answer { option, .. })) => {
            Some((option.as_str(), reason))
        }
        _ => None,
    })
}

fn write(shown: &mut Shown, keys: &str) {
    for key in keys.split(' ') {
        let outcome = shown.press(key);
        assert!(
            outcome.taken && outcome.wishes.is_empty(),
            "{key}: {outcome:?}"
        );
    }
}

#[test]
fn nothing_is_rejected_before_enter_gives_the_reason() {
    let mut shown = run("ls").settled();
    write(&mut shown, "e y e s space 1 tab n");
    insta::assert_snapshot!("reason", shown.draw(80, 24));
    insta::assert_snapshot!("reason_40x10", shown.draw(40, 10));
    let outcome = shown.press("enter");
    assert_eq!(reasoned(&outcome), Some(("no", Some("yes 1n"))));
    assert!(outcome.close);
}

#[test]
fn a_rejection_needs_no_reason() {
    let mut shown = run("ls").settled();
    write(&mut shown, "e space");
    shown.draw(80, 24);
    assert_eq!(reasoned(&shown.press("enter")), Some(("no", None)));
}

#[test]
fn a_reason_that_is_taken_back_leaves_the_question_open() {
    for key in ["esc", "ctrl-c"] {
        let mut shown = run("ls").settled();
        write(&mut shown, "e n o t space y e t");
        assert!(shown.draw(80, 24).contains("why: not yet"));
        write(&mut shown, key);
        assert!(!shown.draw(80, 24).contains("why:"), "{key}");
        assert_eq!(shown.answer("enter"), None, "{key}: nothing is selected");
        assert!(stops(&shown.press(key)), "and {key} is what it was");
    }
}

#[test]
fn tab_opens_the_line_in_the_option_that_is_selected() {
    let mut shown = run("ls").settled();
    let outcome = shown.press("tab");
    assert!(matches!(outcome.wishes.as_slice(), [Wish::Toast(_)]));
    write(&mut shown, "down tab o n c e");
    shown.draw(80, 24);
    assert_eq!(
        reasoned(&shown.press("enter")),
        Some(("once", Some("once")))
    );
}

#[test]
fn the_caret_is_in_the_reason() {
    let mut shown = run("ls").settled();
    write(&mut shown, "e a b");
    for (width, height) in [(80, 24), (40, 10)] {
        let frame = Frame::for_screen(width, height);
        let (cursor, row) = shown.with(frame, |dialog, cx| {
            let room = Room::new(width, height - 2);
            let area = Rect::new(0, 0, width, dialog.height(room, cx));
            let mut buffer = Buffer::empty(area);
            let cursor = dialog.draw(area, &mut buffer, cx).expect("a caret");
            let row = text(&buffer)
                .lines()
                .nth(cursor.y.into())
                .map(str::to_owned);
            (cursor, row.unwrap_or_default())
        });
        let before: String = row.chars().take(cursor.x.into()).collect();
        assert!(before.ends_with("why: ab"), "{width}: {row}");
    }
}

#[test]
fn a_reason_is_not_given_to_what_has_changed_meanwhile() {
    let (mut shown, mut patch) = changes::ls();
    write(&mut shown, "down tab o k");
    shown.draw(80, 24);
    changes::swapped_command(&mut patch);
    changes::update(&mut shown, patch);
    shown.draw(80, 24);
    write(&mut shown, "enter");
    shown.bench.wait(400);
    let outcome = shown.press("enter");
    assert!(
        matches!(outcome.wishes.as_slice(), [Wish::Toast(said)] if said.contains("has changed")),
        "{outcome:?}"
    );
    assert_eq!(reasoned(&shown.press("enter")), Some(("once", Some("ok"))));
}
