//! Comments on the diff of a permission question: they go with a rejection.

use super::*;
use crate::{
    model::{Diff, RawJson, ToolContent, ToolKind},
    ui::testing::usual_options,
};

/// A question about two files, its diffs on the whole screen.
fn asked(size: (u16, u16)) -> Screen {
    let mut bench = Bench::working();
    let mut call = bench.call(ToolKind::Edit);
    call.title = Patch::Set("Edit two files".into());
    let before: String = (1..=20).map(|n| format!("line {n}\n")).collect();
    let after = before.replace("line 9\n", "line nine\n");
    let diff = |name: &str, old: Option<&str>, new: &str| {
        let old = old.map(SafeText::new);
        ToolContent::Diff(Diff::of_texts(name.into(), old, SafeText::new(new)).into())
    };
    call.content = Patch::Set(vec![
        diff("a.rs", Some(&before), &after),
        diff("b.rs", None, "new\n"),
    ]);
    call.raw_input = Patch::Set(RawJson(r#"{"secretly":"more"}"#.into()));
    bench.asks(call, usual_options());
    let mut screen = Screen::new(bench).sized(size.0, size.1);
    screen.settle();
    assert!(screen.press("d").is_empty());
    screen.settle();
    screen
}

fn comment(screen: &mut Screen, text: &str) {
    assert!(screen.press("c").is_empty());
    assert!(screen.types(text).is_empty(), "nothing is answered");
    assert!(screen.press("enter").is_empty());
    screen.settle();
}

/// The answer, the reason that goes with it.
fn given(commands: &[UiCommand]) -> Option<(&str, &str)> {
    match commands {
        [
            UiCommand::Session(Event::Answer { option, .. }),
            UiCommand::SaveHistory(_),
            UiCommand::Session(Event::SubmitFirst(prompt)),
        ] => Some((option.as_str(), prompt.text.as_str())),
        _ => None,
    }
}

#[test]
fn comments_on_what_is_asked_about_go_with_a_rejection() {
    let mut screen = asked((80, 24));
    let picture = screen.draw();
    assert!(picture.contains("c comment"), "{picture}");
    // All letters are text, those of answers too.
    comment(&mut screen, "nay: 9, not nine");
    // The other file.
    screen.press("]");
    screen.press("J");
    comment(&mut screen, "what for?");
    insta::assert_snapshot!("asked_comments", screen.draw());
    let commands = screen.press("3");
    assert_eq!(
        given(&commands),
        Some((
            "no",
            "My comments on the changes:\n\n\
             1. `a.rs`, line 9:\n> line nine\nnay: 9, not nine\n\n\
             2. `b.rs`, line 1:\n> new\nwhat for?"
        ))
    );
    assert_eq!(screen.draft(), "");
}

#[test]
fn a_reason_and_comments_are_one_prompt_and_an_allowing_answer_leaves_them_in_the_draft() {
    let mut screen = asked((80, 24));
    comment(&mut screen, "why?");
    screen.press("e");
    screen.types("not so");
    screen.settle();
    let commands = screen.press("enter");
    let (option, reason) = given(&commands).expect("a rejection with a reason");
    assert_eq!(option, "no");
    assert!(reason.starts_with("not so\n\nMy comment on"), "{reason}");

    let mut screen = asked((80, 24));
    comment(&mut screen, "fine, but why?");
    let commands = screen.press("y");
    assert_eq!(kinds(&commands), ["Session(Answer"]);
    assert!(
        screen.draft().ends_with("fine, but why?"),
        "{}",
        screen.draft()
    );
}

#[test]
fn a_comment_is_kept_when_the_view_is_closed_and_comes_to_the_draft_with_the_turns_end() {
    let mut screen = asked((80, 24));
    screen.press("c");
    screen.types("half");
    screen.press("esc");
    assert!(
        screen.draw().contains("c comment"),
        "only the comment was left"
    );
    comment(&mut screen, "whole");
    screen.press("q");
    screen.settle();
    let picture = screen.draw();
    assert!(
        picture.contains("1 comment goes with a rejection"),
        "{picture}"
    );
    screen.press("d");
    screen.settle();
    assert!(screen.draw().contains("✎ whole"), "{}", screen.draw());
    // What is only half written comes as well.
    screen.press("k c");
    screen.types("and half");
    let stopped = vec![UiCommand::Session(Event::Stop)];
    screen.apply(stopped);
    screen.settle();
    let draft = screen.draft();
    assert!(
        draft.contains("whole") && draft.ends_with("and half"),
        "{draft}"
    );
}

#[test]
fn the_view_has_room_for_a_comment_in_any_size() {
    for size in [(40, 10), (60, 16), (160, 40)] {
        let mut screen = asked(size);
        screen.press("v j c");
        screen.types("words that go on over more than one row of a small screen");
        let picture = screen.draw();
        assert!(
            picture.contains("screen") && picture.contains("esc"),
            "{picture}"
        );
        let cursor = screen.cursor().expect("a caret");
        assert!(cursor.x < size.0 && cursor.y < size.1);
    }
}

#[test]
fn the_range_of_one_comment_is_not_that_of_the_next() {
    let mut screen = asked((80, 24));
    screen.press("v j");
    comment(&mut screen, "two lines");
    screen.press("j j");
    comment(&mut screen, "one line");
    let commands = screen.press("3");
    let (_, reason) = given(&commands).expect("a rejection with a reason");
    assert!(reason.contains("`a.rs`, lines 9–10:"), "{reason}");
    assert!(reason.contains("2. `a.rs`, line 11:"), "{reason}");
}

#[test]
fn keys_that_go_from_hunk_to_hunk_answer_nothing_over_the_diff() {
    let mut screen = asked((80, 24));
    let picture = screen.draw();
    assert!(picture.contains("n p hunk"), "{picture}");
    assert!(
        picture.contains("2 a ✓") && picture.contains("3   ✗ Reject"),
        "{picture}"
    );
    let files = ["a.rs", "b.rs"].map(|file| format!("`{file}`, line"));
    for (keys, file) in [("n n", &files[1]), ("p", &files[0]), ("n N", &files[0])] {
        assert!(screen.press(keys).is_empty(), "{keys} answers nothing");
        screen.settle();
        comment(&mut screen, "here");
        let said = screen
            .ui
            .layers
            .answers_below()
            .expect("the question")
            .said();
        let told = said.comments.prompt().expect("a comment");
        assert!(told.contains(file.as_str()), "{keys}: {told}");
        said.comments.clear();
    }
    // In the dialog itself it is an answer.
    screen.press("q");
    screen.settle();
    assert!(screen.draw().contains("3 n ✗ Reject"), "{}", screen.draw());
    assert_eq!(kinds(&screen.press("n")), ["Session(Answer"]);
}
