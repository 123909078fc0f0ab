//! A review alone: what it asks for and lays out, however much there is.

use std::time::Instant;

use ratatui::{buffer::Buffer, layout::Rect};

use super::{
    testing::{Changed, file, review},
    *,
};
use crate::ui::{
    keymap::Chord,
    render::testing::{Stage, screen},
};

const TURN: ReviewScope = ReviewScope::Turn(2);

fn opened(files: Vec<ReviewFile>) -> Reviewing {
    let mut shown = Reviewing::default();
    let wish = shown.open();
    assert_eq!(wish, ReviewWish::List(None));
    shown.noted(&wish);
    shown.told(ReviewTold::Listed(Box::new(review(TURN, files))));
    shown
}

/// A frame, and what was asked for after it.
fn frame(review: &mut Reviewing, width: u16, height: u16) -> (String, Vec<ReviewWish>) {
    frame_on(&Stage::dark(), review, width, height)
}

fn frame_on(
    stage: &Stage,
    review: &mut Reviewing,
    width: u16,
    height: u16,
) -> (String, Vec<ReviewWish>) {
    let mut buf = Buffer::empty(Rect::new(0, 0, width, height));
    review.draw(buf.area, &mut buf, DiffLayout::Auto, &stage.ctx(width));
    let wishes = review.wishes();
    for wish in &wishes {
        review.noted(wish);
    }
    (screen(&buf), wishes)
}

fn press(review: &mut Reviewing, keys: &str) -> Outcome {
    let mut last = Outcome::Stay;
    for key in keys.split_whitespace() {
        let chord = Chord::parse(key).unwrap_or_else(|error| panic!("{error}"));
        last = review.on_key(chord.event());
    }
    last
}

#[test]
fn of_thousands_of_files_only_those_that_show_are_laid_out_and_one_is_asked_for() {
    let files = (0..5_000).map(|n| file(&format!("src/d{}/f{n:04}.rs", n / 50)));
    let mut review = opened(files.collect());
    let (text, wishes) = frame(&mut review, 120, 40);
    assert!(text.contains("5,000 files"), "{text}");
    assert_eq!(review.list.laid, 38, "a row each, above the hints");
    assert!(
        matches!(&wishes[..], [ReviewWish::Texts { path, .. }] if path.ends_with("d0/f0000.rs")),
        "{wishes:?}"
    );
    // While one is read no other is asked for, however far one goes.
    for _ in 0..30 {
        press(&mut review, "j");
        assert_eq!(frame(&mut review, 120, 40).1, []);
        assert_eq!(review.list.laid, 38);
    }
    press(&mut review, "G");
    let first = Changed::new("src/d0/f0000.rs", Some("a\n"), Some("b\n"));
    review.told(ReviewTold::Texts(Box::new(first.texts(TURN))));
    let (text, wishes) = frame(&mut review, 120, 40);
    assert!(
        matches!(&wishes[..], [ReviewWish::Texts { path, .. }] if path.ends_with("f4999.rs")),
        "{wishes:?}"
    );
    assert!(
        text.contains("f4999.rs") && text.contains("reading"),
        "{text}"
    );
}

#[test]
fn a_text_of_many_lines_is_laid_out_once_and_drawn_where_it_shows() {
    let old: String = (0..100_000).map(|n| format!("old {n}\n")).collect();
    let new: String = (0..100_000).map(|n| format!("new {n}\n")).collect();
    let change = Changed::new("big.txt", Some(&old), Some(&new));
    let mut review = opened(vec![change.file.clone()]);
    let stage = Stage::dark();
    frame_on(&stage, &mut review, 120, 40);
    review.told(ReviewTold::Texts(Box::new(change.texts(TURN))));
    frame_on(&stage, &mut review, 120, 40);
    press(&mut review, "tab G");
    let (text, wishes) = frame_on(&stage, &mut review, 120, 40);
    assert!(text.contains("new 99999") && wishes.is_empty(), "{text}");
}

#[test]
fn texts_that_are_of_another_content_than_listed_are_not_asked_for_over_and_over() {
    let change = Changed::new("a.rs", Some("one\n"), Some("two\n"));
    let mut review = opened(vec![change.file.clone()]);
    assert_eq!(frame(&mut review, 80, 24).1.len(), 1);
    let newer = change.clone().with(|file| file.content = 2);
    review.told(ReviewTold::Texts(Box::new(newer.texts(TURN))));
    for _ in 0..3 {
        let (text, wishes) = frame(&mut review, 80, 24);
        assert!(
            text.contains("two") && wishes.is_empty(),
            "{wishes:?} {text}"
        );
    }
    // Lines of it could be other ones by now.
    assert!(matches!(press(&mut review, "u"), Outcome::Say(why) if why.contains("changed")));
    // The list that knows it asks for it once more.
    review.told(ReviewTold::Changed);
    let (_, wishes) = frame(&mut review, 80, 24);
    assert_eq!(wishes, [ReviewWish::List(Some(TURN))]);
    let listed = testing::review(TURN, vec![newer.file.clone()]);
    review.told(ReviewTold::Listed(Box::new(listed)));
    assert_eq!(frame(&mut review, 80, 24).1, []);
    assert!(matches!(press(&mut review, "u"), Outcome::Wish(_)));
}

#[test]
fn a_list_for_a_scope_that_was_left_meanwhile_is_passed_over() {
    let mut review = opened(vec![file("a.rs")]);
    for key in ["]", "]"] {
        match press(&mut review, key) {
            Outcome::Wish(wish) => review.noted(&wish),
            other => panic!("{other:?}"),
        }
    }
    let first = testing::review(ReviewScope::Turn(1), vec![file("b.rs")]);
    review.told(ReviewTold::Listed(Box::new(first)));
    assert!(frame(&mut review, 80, 24).0.contains("this turn"));
    let second = testing::review(ReviewScope::Session, vec![file("c.rs")]);
    review.told(ReviewTold::Listed(Box::new(second)));
    assert!(frame(&mut review, 80, 24).0.contains("the session"));
}

#[test]
fn closed_it_asks_for_nothing_and_keeps_marks_and_place() {
    let mut review = opened(vec![file("a.rs"), file("b.rs"), file("c.rs")]);
    frame(&mut review, 80, 24);
    press(&mut review, "space");
    assert!(matches!(press(&mut review, "q"), Outcome::Close));
    review.close();
    review.told(ReviewTold::Changed);
    assert_eq!(review.wishes(), []);
    assert_eq!(review.deadline(Instant::now()), None);
    let mark = crate::model::KeptMark {
        path: "/p/a.rs".into(),
        content: 1,
    };
    assert_eq!(review.kept().marks, [mark]);
    let wish = review.open();
    review.noted(&wish);
    let files = vec![file("a.rs"), file("b.rs"), file("c.rs")];
    review.told(ReviewTold::Listed(Box::new(testing::review(TURN, files))));
    let (text, _) = frame(&mut review, 80, 24);
    assert!(
        text.contains("✓ 1") && text.contains("❯   M b.rs"),
        "{text}"
    );
}

#[test]
fn no_file_is_passed_over_because_it_is_still_being_read() {
    let mut review = opened(vec![file("a.rs"), file("b.rs"), file("c.rs")]);
    let texts = |name| {
        let change = Changed::new(name, Some("one\n"), Some("two\n"));
        ReviewTold::Texts(Box::new(change.texts(TURN)))
    };
    frame(&mut review, 80, 24);
    press(&mut review, "n n n");
    review.told(texts("a.rs"));
    frame(&mut review, 80, 24);
    // In one read, without a picture between them.
    press(&mut review, "n n n");
    frame(&mut review, 80, 24);
    press(&mut review, "n");
    let (text, _) = frame(&mut review, 80, 24);
    assert!(text.contains("❯   M b.rs"), "{text}");
    review.told(texts("b.rs"));
    frame(&mut review, 80, 24);
    press(&mut review, "n");
    assert!(frame(&mut review, 80, 24).0.contains("❯   M c.rs"));
}

#[test]
fn ascii_symbols_are_enough() {
    let change = Changed::new("src/a.rs", Some("one\n"), Some("two\n"));
    let mut review = opened(vec![change.file.clone(), file("b.rs").clone()]);
    let stage = Stage::ascii();
    frame_on(&stage, &mut review, 80, 20);
    review.told(ReviewTold::Texts(Box::new(change.texts(TURN))));
    press(&mut review, "space");
    let (text, _) = frame_on(&stage, &mut review, 80, 20);
    assert!(text.is_ascii(), "{text}");
}

#[test]
fn a_file_without_hunks_is_drawn() {
    let change = Changed::new("a.rs", Some("same\n"), Some("same\n"));
    let mut review = opened(vec![change.file.clone()]);
    frame(&mut review, 80, 24);
    review.told(ReviewTold::Texts(Box::new(change.texts(TURN))));
    let (text, _) = frame(&mut review, 80, 24);
    assert!(
        text.contains("M a.rs") && !text.contains("hunk 1"),
        "{text}"
    );
}

#[test]
fn what_a_running_turn_changes_leaves_the_place_and_the_diff_of_another_file() {
    let change = Changed::new("b.rs", Some("one\n"), Some("two\n"));
    let mut shown = opened(vec![file("a.rs"), change.file.clone()]);
    frame(&mut shown, 80, 24);
    press(&mut shown, "j");
    frame(&mut shown, 80, 24);
    shown.told(ReviewTold::Texts(Box::new(file_texts("a.rs"))));
    frame(&mut shown, 80, 24);
    shown.told(ReviewTold::Texts(Box::new(change.texts(TURN))));
    frame(&mut shown, 80, 24);
    let more = |scope| {
        let files = vec![file("0.rs"), file("a.rs"), change.file.clone()];
        ReviewTold::Followed(Box::new(review(scope, files)))
    };
    // It is of a scope that was left meanwhile.
    shown.told(more(ReviewScope::Session));
    assert!(frame(&mut shown, 80, 24).0.contains("2 files"));
    shown.told(more(TURN));
    let (text, wishes) = frame(&mut shown, 80, 24);
    assert!(
        text.contains("3 files") && text.contains("❯   M b.rs"),
        "{text}"
    );
    assert!(text.contains("+ two"), "{text}");
    assert_eq!(wishes, [], "what is shown has not changed");
    // A list that was asked for comes after this one, and knows more.
    shown.noted(&ReviewWish::List(Some(TURN)));
    shown.told(ReviewTold::Followed(Box::new(review(TURN, Vec::new()))));
    assert!(frame(&mut shown, 80, 24).0.contains("3 files"));
    shown.close();
    assert_eq!(shown.scope(), None, "nothing is followed for it");
}

fn file_texts(name: &str) -> crate::model::ReviewTexts {
    Changed::new(name, Some("one\n"), Some("two\n")).texts(TURN)
}

#[test]
fn another_turn_is_opened_at_its_first_file() {
    let files = || vec![file("a.rs"), file("b.rs"), file("c.rs")];
    let mut shown = opened(files());
    frame(&mut shown, 80, 24);
    press(&mut shown, "j j");
    shown.close();
    let wish = shown.open();
    shown.noted(&wish);
    shown.told(ReviewTold::Listed(Box::new(review(
        ReviewScope::Turn(3),
        files(),
    ))));
    let (text, _) = frame(&mut shown, 80, 24);
    assert!(text.contains("❯   M a.rs"), "{text}");
}

#[test]
fn a_row_says_what_a_file_without_figures_is_and_has_room_for_comments() {
    let bare = |name, kind| {
        let mut of = file(name);
        (of.kind, of.lines) = (kind, None);
        of
    };
    let new = bare("big.bin", ChangeKind::Added);
    let mut shown = opened(vec![new, bare("old.bin", ChangeKind::Deleted)]);
    let (text, _) = frame(&mut shown, 80, 24);
    assert!(
        text.contains("new │") && text.contains("deleted │"),
        "{text}"
    );
}

#[test]
fn how_many_files_of_the_last_turn_are_left_is_known_after_an_undo() {
    let by = |name, turn: &'static str| {
        let mut of = file(name);
        of.by = vec![turn.into()];
        of
    };
    let mut shown = opened(vec![by("a.rs", "turn 2"), by("b.rs", "turn 2")]);
    assert_eq!(shown.left_of_turn(), None, "the turn told it");
    let done = || ReviewTold::Done(Box::default());
    let listed = |scope, files| ReviewTold::Listed(Box::new(review(scope, files)));
    shown.told(done());
    shown.told(listed(TURN, vec![by("b.rs", "turn 2")]));
    assert_eq!(shown.left_of_turn(), Some(1));
    let all = vec![
        by("b.rs", "turn 2"),
        by("c.rs", "turn 1"),
        by("d.rs", "turn 1"),
    ];
    shown.told(listed(ReviewScope::Session, all));
    assert_eq!(
        shown.left_of_turn(),
        Some(1),
        "the other turn's are not counted"
    );
    shown.told(ReviewTold::Changed);
    assert_eq!(shown.left_of_turn(), None, "another turn has ended");
}
