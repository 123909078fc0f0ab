//! The review: what keys and the mouse lead to, and its pictures.

use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::{
    desk::{Desk, changes, numbered},
    *,
};
use crate::{
    model::{
        ChangeKind, HunkRange, ReviewDone, ReviewScope, ReviewTold, ReviewWish, SessionKey,
        UndoPart,
    },
    ui::review::testing::{Changed, file},
};

const KEY: fn() -> SessionKey = SessionKey::default;

fn undo_of(wishes: &[ReviewWish]) -> &UndoPart {
    match wishes {
        [
            ReviewWish::Undo {
                scope: ReviewScope::Turn(2),
                parts: Some(parts),
                ..
            },
        ] => &parts[0],
        other => panic!("{other:?}"),
    }
}

fn range(before: std::ops::Range<usize>, after: std::ops::Range<usize>) -> HunkRange {
    HunkRange { before, after }
}

#[test]
fn pictures() {
    for (width, height) in [(60, 15), (80, 24), (120, 40), (200, 50)] {
        let mut desk = Desk::at(width, height, changes());
        desk.uncovered = vec![
            "target/big.bin is too large to be kept".into(),
            "data/ is on another file system".into(),
        ];
        desk.told(ReviewTold::Changed);
        desk.press("j j n space k");
        let (buf, _) = desk.screen.buffer();
        keep(&format!("review_{width}"), &buf);
        insta::assert_snapshot!(format!("review_{width}"), text(&buf));
    }
    let mut desk = Desk::at(100, 30, changes());
    desk.screen.ui.set_background(Background::Light);
    desk.press("j j tab n");
    let (buf, _) = desk.screen.buffer();
    keep("review_light", &buf);
    insta::assert_snapshot!("review_light", text(&buf));
}

#[test]
fn in_few_columns_the_list_or_the_diff_shows() {
    let mut desk = Desk::at(44, 16, changes());
    insta::assert_snapshot!("review_narrow_list", desk.draw());
    // What is not on the screen is not put back.
    assert!(desk.press("j j u").is_empty());
    desk.press("enter");
    insta::assert_snapshot!("review_narrow_diff", desk.draw());
    desk.press("q");
    assert!(desk.draw().contains("docs/"), "back to the list");
    desk.press("tab");
    assert!(!desk.draw().contains("docs/"), "{}", desk.draw());
    desk.press("esc q");
    assert!(!desk.screen.ui.review.is_open());
}

#[test]
fn hunks_and_files_are_put_back_by_their_lines() {
    let mut desk = Desk::new(changes());
    desk.press("j j");
    let wishes = desk.wished("u");
    let path = "/p/src/ui/review/mod.rs".into();
    assert_eq!(
        *undo_of(&wishes),
        UndoPart::Hunks(path, vec![range(5..6, 5..6)])
    );
    // Not once more before what came of it is listed.
    assert!(desk.press("u U ctrl-u r").is_empty());
    assert!(desk.screen.status().contains("still at work"));
    let done = ReviewDone {
        said: "put back 1 hunk".into(),
        ..ReviewDone::default()
    };
    desk.told(ReviewTold::Done(Box::new(done)));
    assert!(desk.screen.status().contains("put back 1 hunk"));
    assert!(matches!(
        desk.asked.last(),
        Some(ReviewWish::List(Some(ReviewScope::Turn(2))))
    ));
    let wishes = desk.wished("n u");
    let path = "/p/src/ui/review/mod.rs".into();
    assert_eq!(
        *undo_of(&wishes),
        UndoPart::Hunks(path, vec![range(40..41, 40..42)])
    );
    desk.told(ReviewTold::Done(Box::default()));
    let wishes = desk.wished("U");
    assert!(matches!(undo_of(&wishes), UndoPart::File(path) if path.ends_with("mod.rs")));
    desk.told(ReviewTold::Done(Box::default()));
    // All lines of a file that is new or gone are the file.
    let wishes = desk.wished("j u");
    assert!(matches!(undo_of(&wishes), UndoPart::File(path) if path.ends_with("old.rs")));
    desk.told(ReviewTold::Done(Box::default()));
    assert!(desk.press("j u").is_empty(), "permissions have no hunk");
    assert!(desk.screen.status().contains("U undoes the whole file"));
}

#[test]
fn the_next_hunk_after_the_last_is_that_of_the_next_file() {
    let mut desk = Desk::new(changes());
    desk.press("j j n n");
    assert!(
        desk.draw().contains("old.rs  +0 −1  hunk 1 of 1"),
        "{}",
        desk.draw()
    );
    desk.press("p");
    assert!(desk.draw().contains("hunk 2 of 2"), "{}", desk.draw());
    desk.press("p p p p");
    assert!(
        desk.screen.status().contains("first hunk"),
        "{}",
        desk.draw()
    );
}

#[test]
fn all_of_a_scope_is_put_back_by_a_choice_of_its_own() {
    let mut desk = Desk::new(changes());
    assert!(desk.press("ctrl-u").is_empty());
    // One of the seven changed outside of turns: the person's own stays.
    let picture = desk.draw();
    assert!(
        picture.contains("Put back 6 files of this turn?"),
        "{picture}"
    );
    assert!(
        picture.contains("1 file changed outside of turns and stay"),
        "{picture}"
    );
    assert!(desk.press("enter").is_empty(), "nothing is selected");
    assert!(desk.press("esc").is_empty());
    assert!(!desk.draw().contains("Put back 6"));
    let wishes = desk.wished("ctrl-u down enter");
    assert!(
        matches!(&wishes[..], [ReviewWish::Undo { parts: Some(parts), .. }] if parts.len() == 6),
        "{wishes:?}"
    );
    assert!(desk.press("ctrl-u").is_empty());
    assert!(desk.screen.status().contains("still at work"));

    let mut desk = Desk::new(changes());
    let together = desk.screen.press_together("ctrl-u down enter");
    assert!(
        desk.answer(together).is_empty(),
        "its answers were not seen"
    );
    desk.press("esc");
    // Nor does a key undo a file that no picture had.
    let together = desk.screen.press_together("j U");
    assert!(desk.answer(together).is_empty());
    assert!(desk.screen.status().contains("look again"));
}

#[test]
fn where_nothing_can_be_undone_keys_say_why() {
    let mut desk = Desk::new(changes());
    desk.press("] ] ]");
    assert!(desk.draw().contains("since the last commit"));
    for key in ["u", "U", "ctrl-u"] {
        assert!(desk.press(key).is_empty());
        assert!(desk.screen.status().contains("git is only read"), "{key}");
    }
    let mut desk = Desk::new(changes());
    desk.read_only = Some("another acp-tui has the store".into());
    desk.told(ReviewTold::Changed);
    for key in ["u", "U", "ctrl-u"] {
        assert!(desk.press(key).is_empty());
        assert!(desk.screen.status().contains("another acp-tui"), "{key}");
    }
    assert!(!desk.draw().contains("undo hunk"));
    desk.press("r");
    assert!(desk.screen.status().contains("Nothing to redo"));
    desk.can_redo = true;
    desk.told(ReviewTold::Changed);
    assert_eq!(desk.wished("r"), [ReviewWish::Redo]);
}

#[test]
fn patches_are_copied_and_written() {
    let mut desk = Desk::new(changes());
    let scope = ReviewScope::Turn(2);
    let path = Some("/p/CHANGELOG.md".into());
    let patch = |path, to| ReviewWish::Patch { scope, path, to };
    assert_eq!(desk.wished("y"), [patch(path.clone(), None)]);
    assert_eq!(desk.wished("Y"), [patch(None, None)]);
    let to = Some("CHANGELOG.patch".into());
    assert_eq!(desk.wished("w enter"), [patch(path, to)]);
    assert_eq!(
        desk.wished("W enter"),
        [patch(None, Some("changes.patch".into()))]
    );
    let commands = desk.press("j j n o");
    assert!(
        matches!(&commands[..], [UiCommand::OpenEditor { path, line: Some(41) }] if path.ends_with("mod.rs")),
        "{commands:?}"
    );
    assert!(desk.press("j o").is_empty());
    assert!(desk.screen.status().contains("deleted"));
}

#[test]
fn scopes_are_stepped_through_or_chosen() {
    let mut desk = Desk::new(changes());
    desk.press("[");
    assert!(desk.screen.status().contains("first scope"));
    desk.press("]");
    assert!(desk.draw().contains("turn 1: add a flag"));
    desk.press("s");
    assert!(desk.draw().contains("Changes of"), "{}", desk.draw());
    desk.press("down enter");
    assert!(
        desk.draw().contains("changes · the session"),
        "{}",
        desk.draw()
    );
    let scopes = desk.asked.iter().filter_map(|wish| match wish {
        ReviewWish::List(scope) => Some(*scope),
        _ => None,
    });
    let scopes: Vec<Option<ReviewScope>> = scopes.collect();
    let (turn, session) = (ReviewScope::Turn(1), ReviewScope::Session);
    assert_eq!(scopes, [None, Some(turn), Some(session)]);
}

#[test]
fn marks_are_for_a_content_and_go_on_to_what_is_not_reviewed() {
    let mut desk = Desk::new(changes());
    desk.press("space space");
    let picture = desk.draw();
    assert!(
        picture.contains("✓ 2") && picture.contains("❯       M mod.rs"),
        "{picture}"
    );
    desk.files[0].file.content = 2;
    desk.told(ReviewTold::Changed);
    let picture = desk.draw();
    assert!(
        picture.contains("✓ 1") && picture.contains("❯       M mod.rs"),
        "{picture}"
    );
    // Once more takes it away.
    desk.press("k space");
    assert!(!desk.draw().contains("✓ 1"));
    desk.press("space");
    let kept = desk.screen.ui.kept_review(KEY()).expect("its screen");
    assert_eq!(
        kept.marks.len(),
        2,
        "the old content's is known until it is marked anew"
    );
    // In another run.
    let mut desk = Desk::new(changes());
    desk.files[0].file.content = 2;
    desk.told(ReviewTold::Changed);
    assert!(!desk.draw().contains("✓"));
    desk.screen.ui.restore_review(KEY(), kept);
    assert!(desk.draw().contains("✓ 1"), "{}", desk.draw());
}

#[test]
fn what_changes_meanwhile_keeps_selection_and_place() {
    let many = (0..60).map(|n| {
        let (before, after) = (
            numbered(n, &[]),
            numbered(n, &[(n + 5, "x"), (n + 45, "y")]),
        );
        Changed::new(&format!("src/f{n:02}.rs"), Some(&before), Some(&after))
    });
    let mut desk = Desk::at(100, 20, many.collect());
    let keys = "j ".repeat(30);
    desk.press(&keys);
    desk.press("n");
    let before = desk.draw();
    assert!(
        before.contains("M f30.rs") && before.contains("hunk 2 of 2"),
        "{before}"
    );
    let rows = |picture: &str| -> Vec<String> {
        let rows = picture
            .lines()
            .filter(|row| row.contains("f30.rs") || row.contains("y"));
        rows.map(str::to_owned).collect()
    };
    // Files come before it, and its own text changes above.
    desk.files
        .insert(0, Changed::new("a.rs", None, Some("new\n")));
    desk.files
        .insert(1, Changed::new("b.rs", None, Some("new\n")));
    let changed = desk
        .files
        .iter_mut()
        .find(|changed| changed.file.name.ends_with("f30.rs"));
    let changed = changed.expect("it is there");
    changed.file.content = 2;
    changed.after = changed
        .after
        .as_ref()
        .map(|text| format!("// first\n{text}"));
    let asked = desk.texts_asked().len();
    desk.told(ReviewTold::Changed);
    let after = desk.draw();
    assert!(
        after.contains("M f30.rs") && after.contains("hunk 2 of 2"),
        "{after}"
    );
    let list_row = |picture: &str| picture.lines().position(|row| row.contains("❯"));
    assert_eq!(list_row(&before), list_row(&after), "{after}");
    assert!(!rows(&after).is_empty());
    assert_eq!(desk.texts_asked().len(), asked + 1, "only the selected one");
    // It is gone: what stands in its place is selected.
    desk.files
        .retain(|changed| !changed.file.name.ends_with("f30.rs"));
    desk.told(ReviewTold::Changed);
    assert!(desk.draw().contains("❯"), "{}", desk.draw());
}

#[test]
fn what_was_not_put_back_is_listed_with_both_sides() {
    let mut desk = Desk::new(changes());
    desk.wished("U");
    let marked = "a\n<<<<<<< now\nmine\n=======\ntheirs\n>>>>>>> before\n";
    let done = ReviewDone {
        said: "put back 1 file · 2 files were not put back".into(),
        refused: vec![
            ("src/a.rs".into(), marked.into()),
            ("big.bin".into(), "is too large to be kept".into()),
        ],
        ..ReviewDone::default()
    };
    desk.told(ReviewTold::Done(Box::new(done)));
    let picture = desk.draw();
    assert!(
        picture.contains("  put back 1 file · 2 files were not put back · e shows why"),
        "{picture}"
    );
    assert_eq!(picture.matches("put back").count(), 2, "once: {picture}");
    desk.press("e");
    insta::assert_snapshot!("review_refused", desk.draw());
    desk.press("enter");
    assert!(desk.draw().contains("======="), "{}", desk.draw());
    desk.press("q");
    assert!(desk.draw().contains("Not put back"), "back in the list");
    desk.press("esc");
    assert!(!desk.draw().contains("Not put back;"));
    assert!(desk.screen.ui.review.is_open());
}

#[test]
fn empty_failed_and_uncovered_are_said() {
    let mut desk = Desk::new(Vec::new());
    insta::assert_snapshot!("review_empty", desk.draw());
    desk.press("] ] ]");
    assert!(desk.draw().contains("No changes since the last commit"));

    let mut screen = Screen::new(Bench::ready());
    assert!(matches!(
        &screen.press("f4")[..],
        [UiCommand::Review(ReviewWish::List(None))]
    ));
    assert!(screen.draw().contains("looking at what has changed"));
    screen.ui.review(
        KEY(),
        ReviewTold::Failed("the store cannot be opened".into()),
    );
    assert!(screen.draw().contains("the store cannot be opened"));

    let mut desk = Desk::new(changes());
    desk.uncovered = vec!["target/big.bin is too large to be kept".into()];
    desk.told(ReviewTold::Changed);
    assert!(
        desk.draw()
            .contains("not covered: target/big.bin is too large to be kept · !")
    );
    desk.uncovered
        .push("data/ is on another file system".into());
    desk.told(ReviewTold::Changed);
    assert!(desk.draw().contains("2 not covered · target/big.bin"));
    desk.press("!");
    assert!(desk.draw().contains("data/ is on another file system"));
    desk.press("q ?");
    assert!(
        desk.draw().contains("Undo the marked hunk"),
        "{}",
        desk.draw()
    );
}

#[test]
fn a_file_without_hunks_is_drawn() {
    let same = Changed::new("run.sh", Some("x\n"), Some("x\n")).with(|file| {
        file.kind = ChangeKind::Mode;
        file.lines = None;
    });
    let nothing = Changed::new("empty", None, Some(""));
    let mut desk = Desk::new(vec![nothing, same]);
    for name in ["empty", "run.sh"] {
        let drawn = desk.draw();
        assert!(drawn.contains(name) && !drawn.contains("hunk 1"), "{drawn}");
        assert!(!drawn.contains("could not draw"), "{drawn}");
        desk.press("n p j");
    }
}

#[test]
fn finding_is_in_the_diff() {
    let mut desk = Desk::new(changes());
    desk.press("j j /");
    for c in "leap".chars() {
        desk.press(&c.to_string());
    }
    let picture = desk.draw();
    assert!(
        picture.contains("leap(40)") && picture.contains("1 of 1"),
        "{picture}"
    );
    assert!(desk.screen.cursor().is_some());
    // Letters are text there, and esc closes the bar alone.
    desk.press("u esc");
    assert!(desk.screen.ui.review.is_open());
    desk.press("ctrl-f esc f3 esc q");
    assert!(!desk.screen.ui.review.is_open());
}

#[test]
fn the_mouse_selects_files_and_hunks_and_scrolls() {
    let mut desk = Desk::at(100, 24, changes());
    let press = |desk: &mut Desk, kind, wanted: &str, column: Option<u16>| {
        let picture = desk.draw();
        let row = picture.lines().position(|row| row.contains(wanted));
        let row = row.unwrap_or_else(|| panic!("{wanted} in {picture}"));
        let event = Input::Mouse(MouseEvent {
            kind,
            column: column.unwrap_or(4),
            row: u16::try_from(row).expect("a row"),
            modifiers: KeyModifiers::NONE,
        });
        let commands = desk
            .screen
            .ui
            .handle(&[event], &desk.screen.bench.context());
        assert!(desk.answer(commands).is_empty());
    };
    let down = MouseEventKind::Down(MouseButton::Left);
    press(&mut desk, down, "mod.rs", None);
    assert!(desk.draw().contains("hunk 1 of 2"), "{}", desk.draw());
    desk.press("n p");
    press(&mut desk, MouseEventKind::ScrollDown, "step(50)", Some(70));
    press(&mut desk, down, "leap(40)", Some(70));
    assert!(desk.draw().contains("hunk 2 of 2"), "{}", desk.draw());
    let wishes = desk.wished("u");
    assert!(matches!(undo_of(&wishes), UndoPart::Hunks(_, ranges) if ranges[0].before.start == 40));
}

#[test]
fn hostile_names_and_texts_stay_in_their_rows() {
    let evil = "\u{202e}gpj.exe\u{1b}[31m\r\nsecond";
    let long = format!("{}/{}.rs", "deep/".repeat(40), "n".repeat(4_000));
    let text = format!("a\u{1b}[2J\u{202e}b\u{7}\r{}\n", "w".repeat(100_000));
    let files = vec![
        Changed::new(evil, Some("a\n"), Some(&text)).with(|file| {
            file.by = vec![SafeText::line(&"by ".repeat(5_000)); 50];
        }),
        Changed::new(&long, Some("a\n"), Some("b\n")).with(|file| {
            file.renamed_from = Some(SafeText::line(evil));
            file.lines = Some((usize::MAX / 2, 7));
        }),
        Changed::new(
            "漢字/ファイル名がとても長いので切られる.rs",
            Some("漢\n"),
            Some("字\n"),
        ),
    ];
    for (width, height) in [(40, 10), (60, 15), (100, 20)] {
        let mut desk = Desk::at(width, height, files.clone());
        for keys in ["j", "j", "tab", "g", "space"] {
            let picture = desk.draw();
            assert!(!picture.contains(['\u{202e}', '\u{1b}', '\u{7}', '\r']));
            desk.press(keys);
        }
    }
    let mut desk = Desk::at(100, 20, files);
    insta::assert_snapshot!("review_hostile", desk.draw());
}

#[test]
fn it_opens_by_its_command_and_over_a_question_whose_answers_wait() {
    let mut screen = Screen::new(Bench::ready());
    screen.types("/diff");
    let commands = screen.press("enter");
    let opened = |command: &UiCommand| matches!(command, UiCommand::Review(ReviewWish::List(None)));
    assert!(commands.iter().any(opened), "{commands:?}");
    assert!(screen.ui.review.is_open());
    screen.press("f4");
    assert!(!screen.ui.review.is_open());

    let mut screen = Screen::new(Bench::ready());
    screen.bench.project.read_only = Some("a replay".into());
    assert!(screen.press("f4").is_empty());
    assert!(!screen.ui.review.is_open() && screen.status().contains("read-only"));
}

#[test]
fn another_session_has_its_own_review() {
    let mut desk = Desk::new(changes());
    desk.press("space");
    let (first, second) = (KEY(), SessionKey(7));
    desk.screen.ui.show_session(first, desk.screen.bench.now);
    desk.screen.ui.show_session(second, desk.screen.bench.now);
    assert!(!desk.screen.ui.review.is_open());
    let marks = |of| desk.screen.ui.kept_review(of).map(|kept| kept.marks.len());
    assert_eq!((marks(second), marks(first)), (Some(0), Some(1)));
    assert_eq!(marks(SessionKey(8)), None, "it has no screen");
    // What is told to one that is not shown asks for nothing here.
    desk.screen.ui.review(first, ReviewTold::Changed);
    desk.screen.buffer();
    assert!(desk.screen.ui.take_commands().is_empty());
    desk.screen.ui.show_session(first, desk.screen.bench.now);
    desk.screen.buffer();
    let commands = desk.screen.ui.take_commands();
    assert!(
        matches!(
            &commands[..],
            [UiCommand::Review(ReviewWish::List(Some(_)))]
        ),
        "{commands:?}"
    );
}

#[test]
fn many_files_are_scrolled_by_page_and_to_their_ends() {
    let files = (0..300).map(|n| Changed {
        file: file(&format!("f{n:03}")),
        before: Some("a\n".into()),
        after: Some("b\n".into()),
    });
    let mut desk = Desk::new(files.collect());
    desk.press("pgdn");
    assert!(desk.draw().contains("❯   M f0"), "{}", desk.draw());
    desk.press("G");
    assert!(desk.draw().contains("❯   M f299"));
    desk.press("pgup g");
    assert!(desk.draw().contains("❯   M f000"));
    assert_eq!(desk.texts_asked().len(), 4, "{:?}", desk.texts_asked());
}
