//! Comments in the review: written at lines, moved with them, sent as one prompt.

use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::{
    desk::{Desk, changes},
    *,
};
use crate::{
    model::{AgentEvent, ChangeKind, PlanEntry, ReviewDone, ReviewTold, SessionKey},
    ui::{SendTo, review::testing::Changed},
};

/// Writes what `c` opens.
pub(super) fn comment(desk: &mut Desk, text: &str) {
    desk.press("c");
    desk.screen.types(text);
    assert!(desk.press("enter").is_empty());
}

/// The prompt that a key leads to, as it is sent.
fn sent(commands: Vec<UiCommand>) -> String {
    let [
        UiCommand::SaveHistory(kept),
        UiCommand::Submit { draft, to },
    ] = &commands[..]
    else {
        panic!("{commands:?}");
    };
    assert_eq!((kept, *to), (&draft.text(), SendTo::Turn));
    kept.clone()
}

#[test]
fn pictures_of_comments() {
    for (width, height) in [(60, 24), (100, 30), (160, 40)] {
        let mut desk = Desk::at(width, height, changes());
        desk.press("j j");
        // In few columns the diff stands alone.
        desk.press("tab");
        comment(&mut desk, "Where does the ? lead to?");
        desk.press("n shift-down");
        comment(
            &mut desk,
            "One step is enough, and a name says more than a comment does here.",
        );
        desk.press("p c");
        let (buf, _) = desk.screen.buffer();
        keep(&format!("comments_{width}"), &buf);
        insta::assert_snapshot!(format!("comments_{width}"), text(&buf));
        assert!(desk.screen.cursor().is_some());
    }
    let mut desk = Desk::at(100, 30, changes());
    desk.press("j j tab");
    comment(&mut desk, "Where does the ? lead to?");
    desk.press("n C");
    insta::assert_snapshot!("comments_list", desk.draw());
}

#[test]
fn comments_of_lines_ranges_and_hunks_go_in_one_prompt() {
    let mut desk = Desk::new(changes());
    // The hunk that is marked, from the list.
    desk.press("j j");
    comment(&mut desk, "Why?");
    desk.press("n");
    // The list has the keys again: the first v gives them to the diff.
    desk.press("v v j");
    comment(&mut desk, "Both of them.");
    desk.press("j");
    assert!(desk.draw().contains("2 comments"), "{}", desk.draw());
    let prompt = sent(desk.press("S"));
    assert_eq!(
        prompt,
        "My comments on the changes:\n\n\
         1. `src/ui/review/mod.rs`, line 6:\n>     let line_5 = step(50)?;\nWhy?\n\n\
         2. `src/ui/review/mod.rs`, lines 41–42:\n>     // a step that was\n>     let line_40 = leap(40);\nBoth of them."
    );
    // They are gone from the review, and the conversation is there.
    assert!(!desk.screen.ui.review.is_open());
    assert!(desk.screen.status().contains("sent 2 comments"));
    desk.press("f4 S");
    assert!(desk.screen.status().contains("no comments yet"));
    desk.press("q up");
    assert!(
        desk.screen.ui.draft_text().starts_with("My comments"),
        "in the history"
    );
}

#[test]
fn a_comment_from_the_list_is_on_the_whole_hunk_however_little_of_it_shows() {
    let text = |lines: std::ops::RangeInclusive<u32>| -> String {
        lines.map(|n| format!("line {n}\n")).collect()
    };
    let all = text(1..=60);
    for (height, scrolled) in [(20, ""), (30, ""), (20, "J J")] {
        let change = Changed::new("gone.txt", Some(&all), Some(&text(50..=60)));
        let mut desk = Desk::at(80, height, vec![change]);
        desk.press(scrolled);
        comment(&mut desk, "Why all of it?");
        let prompt = sent(desk.press("S"));
        assert!(
            prompt.contains("`gone.txt`, lines 1–49 before the change:\n> line 1\n"),
            "{prompt}"
        );
        assert!(prompt.contains("> (39 lines more)\n"), "{prompt}");
    }
}

#[test]
fn a_comment_is_edited_at_its_line_and_gone_once_emptied() {
    let mut desk = Desk::new(changes());
    desk.press("j j tab");
    desk.press("c enter");
    assert!(!desk.draw().contains("1 comment"), "nothing was written");
    desk.press("c");
    desk.screen.types("lost");
    desk.press("esc");
    assert!(!desk.draw().contains("lost"));
    assert!(desk.screen.ui.review.is_open(), "esc only left the comment");
    desk.press("c");
    desk.screen.types("first");
    desk.press("alt-enter");
    desk.screen.types("second, q and u");
    desk.press("enter");
    let picture = desk.draw();
    assert!(picture.contains("1 comment"), "{picture}");
    for line in ["✎ first", "▎ second, q and u"] {
        assert!(picture.contains(line), "{line} in {picture}");
    }
    // At its line, and on the comment itself.
    for keys in ["c", "j c"] {
        desk.press(keys);
        let picture = desk.draw();
        assert!(picture.contains("emptied: remove"), "{picture}");
        desk.screen.types("!");
        desk.press("enter");
    }
    assert!(desk.draw().contains("q and u!!"), "{}", desk.draw());
    desk.press("c ctrl-a ctrl-u backspace ctrl-a ctrl-k ctrl-u");
    desk.press("ctrl-k enter");
    let picture = desk.draw();
    assert!(!picture.contains('✎'), "{picture}");
    assert!(desk.screen.status().contains("removed"), "{picture}");
}

#[test]
fn what_is_written_survives_another_list_and_the_review_closed() {
    let mut desk = Desk::new(changes());
    desk.press("j j tab c");
    desk.screen.types("half a w");
    desk.files[2].file.content = 2;
    desk.files[2].after = desk.files[2]
        .after
        .as_ref()
        .map(|text| format!("// new\n{text}"));
    desk.told(ReviewTold::Changed);
    assert!(desk.draw().contains("half a w"), "{}", desk.draw());
    desk.press("f4");
    assert!(!desk.screen.ui.review.is_open());
    desk.press("f4");
    // Its file is no longer listed: it stands at the end.
    desk.files.remove(2);
    desk.told(ReviewTold::Changed);
    assert!(desk.draw().contains("half a w"), "{}", desk.draw());
    desk.screen.types("ord");
    desk.press("enter");
    let prompt = sent(desk.press("S"));
    assert!(prompt.ends_with("half a word"), "{prompt}");
}

#[test]
fn comments_move_with_their_lines_and_are_stale_without() {
    let mut desk = Desk::at(100, 30, changes());
    desk.press("j j tab");
    comment(&mut desk, "about five");
    desk.press("n");
    comment(&mut desk, "about the step");
    desk.press("tab k k");
    // A turn adds lines above and takes one away, while another file is looked at.
    let changed = &mut desk.files[2];
    changed.file.content = 2;
    changed.after = changed.after.as_ref().map(|text| {
        format!(
            "// one\n// two\n{}",
            text.replace("    // a step that was\n", "")
        )
    });
    desk.told(ReviewTold::Changed);
    desk.press("C");
    let picture = desk.draw();
    assert!(picture.contains("line 8  about five"), "{picture}");
    assert!(picture.contains("line 41  about the step"), "{picture}");
    assert!(picture.contains("stale"), "{picture}");
    desk.press("down enter");
    let picture = desk.draw();
    assert!(
        picture.contains("✎ stale · was line 41: // a step that was"),
        "{picture}"
    );
    let prompt = sent(desk.press("S"));
    assert!(
        prompt.contains("1. `src/ui/review/mod.rs`, line 8:\n"),
        "{prompt}"
    );
    assert!(
        prompt.contains("line 41 (changed since):\n>     // a step"),
        "{prompt}"
    );
}

#[test]
fn the_list_of_all_leads_to_one_and_removes_it() {
    let mut desk = Desk::at(100, 30, changes());
    desk.press("C");
    assert!(desk.screen.status().contains("no comments yet"));
    desk.press("tab");
    comment(&mut desk, "about the log");
    desk.press("tab j j tab n");
    comment(&mut desk, "about the step");
    desk.press("C enter");
    let picture = desk.draw();
    assert!(
        picture.contains("M CHANGELOG.md") && picture.contains("✎ about the log"),
        "{picture}"
    );
    // The cursor is on it.
    desk.press("c");
    assert!(desk.draw().contains("emptied: remove"), "{}", desk.draw());
    // Letters filter.
    desk.press("esc C d");
    let picture = desk.draw();
    assert!(
        picture.contains("2 comments") || picture.contains("about the step"),
        "{picture}"
    );
    desk.press("backspace ctrl-x");
    let picture = desk.draw();
    assert!(!picture.contains("line 2  about the log"), "{picture}");
    desk.press("delete");
    assert!(!desk.draw().contains("1 comment"), "{}", desk.draw());
    desk.press("S");
    assert!(desk.screen.status().contains("no comments yet"));
}

#[test]
fn a_comment_on_a_file_of_another_scope_is_gone_to_in_the_session() {
    let mut desk = Desk::new(changes());
    desk.press("tab");
    comment(&mut desk, "about the log");
    desk.of_session = std::mem::take(&mut desk.files);
    desk.told(ReviewTold::Changed);
    assert!(desk.draw().contains("No changes in this turn"));
    desk.press("C enter");
    let picture = desk.draw();
    assert!(picture.contains("changes · the session"), "{picture}");
    assert!(picture.contains("✎ about the log"), "{picture}");
}

#[test]
fn what_was_undone_is_told_in_the_same_prompt_and_the_draft_stays() {
    let mut desk = Desk::new(changes());
    desk.press("j j tab");
    comment(&mut desk, "Why?");
    desk.press("u");
    let done = ReviewDone {
        said: "put back 1 hunk".into(),
        note: Some("(I reverted `src/ui/review/mod.rs` line 6.)".into()),
        ..ReviewDone::default()
    };
    desk.told(ReviewTold::Done(Box::new(done)));
    desk.screen
        .ui
        .composer()
        .set_text("(I reverted `src/ui/review/mod.rs` line 6.)\nand then\nthis");
    let prompt = sent(desk.press("S"));
    assert!(
        prompt.starts_with("(I reverted `src/ui/review/mod.rs` line 6.)\n\nMy comment on"),
        "{prompt}"
    );
    assert_eq!(desk.screen.ui.draft_text(), "and then\nthis");
}

#[test]
fn each_session_has_its_own_comments() {
    let mut desk = Desk::new(changes());
    let (first, second) = (SessionKey::default(), SessionKey(7));
    desk.screen.ui.show_session(first, desk.screen.bench.now);
    desk.press("tab");
    comment(&mut desk, "of the first");
    desk.screen.ui.show_session(second, desk.screen.bench.now);
    assert!(desk.screen.ui.review.comments_told().is_none());
    desk.screen.ui.show_session(first, desk.screen.bench.now);
    assert!(desk.screen.ui.review.comments_told().is_some());
}

#[test]
fn the_mouse_puts_the_cursor_and_drags_a_range() {
    let mut desk = Desk::at(100, 30, changes());
    desk.press("j j");
    let at = |desk: &mut Desk, kind, wanted: &str| {
        let picture = desk.draw();
        let row = picture.lines().position(|row| row.contains(wanted));
        let row = row.unwrap_or_else(|| panic!("{wanted} in {picture}"));
        let event = Input::Mouse(MouseEvent {
            kind,
            column: 60,
            row: u16::try_from(row).expect("a row"),
            modifiers: KeyModifiers::NONE,
        });
        let commands = desk
            .screen
            .ui
            .handle(&[event], &desk.screen.bench.context());
        assert!(desk.answer(commands).is_empty());
    };
    let (down, drag) = (
        MouseEventKind::Down(MouseButton::Left),
        MouseEventKind::Drag(MouseButton::Left),
    );
    at(&mut desk, down, "step(38)");
    at(&mut desk, drag, "step(39)");
    comment(&mut desk, "these two");
    at(&mut desk, down, "step(3)");
    comment(&mut desk, "this one");
    let prompt = sent(desk.press("S"));
    assert!(
        prompt.contains("mod.rs`, lines 39–40:\n>     let line_38"),
        "{prompt}"
    );
    assert!(
        prompt.contains("mod.rs`, line 4:\n>     let line_3 ="),
        "{prompt}"
    );
}

#[test]
fn a_drag_held_at_an_edge_of_the_lines_moves_them_on() {
    let text: String = (0..300).map(|n| format!("line {n}\n")).collect();
    let mut desk = Desk::new(vec![Changed::new("a.txt", None, Some(&text))]);
    desk.press("tab");
    let mouse = |desk: &mut Desk, kind, row| {
        let event = Input::Mouse(MouseEvent {
            kind,
            column: 60,
            row,
            modifiers: KeyModifiers::NONE,
        });
        let commands = desk
            .screen
            .ui
            .handle(&[event], &desk.screen.bench.context());
        assert!(desk.answer(commands).is_empty());
    };
    let hold = |desk: &mut Desk| {
        for _ in 0..200 {
            desk.screen.bench.wait(60);
            desk.draw();
        }
    };
    let (down, drag, up) = (
        MouseEventKind::Down(MouseButton::Left),
        MouseEventKind::Drag(MouseButton::Left),
        MouseEventKind::Up(MouseButton::Left),
    );
    let row = |desk: &mut Desk, wanted: &str| {
        let picture = desk.draw();
        let row = picture.lines().position(|row| row.contains(wanted));
        u16::try_from(row.unwrap_or_else(|| panic!("{wanted} in {picture}"))).expect("a row")
    };
    let first = row(&mut desk, "line 4");
    mouse(&mut desk, down, first);
    mouse(&mut desk, drag, 22);
    assert!(
        desk.screen
            .ui
            .deadline(&desk.screen.bench.context())
            .is_some()
    );
    hold(&mut desk);
    let picture = desk.draw();
    assert!(picture.contains("line 299"), "{picture}");
    mouse(&mut desk, up, 22);
    comment(&mut desk, "down");
    // And up again, as far as the button is held.
    let last = row(&mut desk, "line 297");
    mouse(&mut desk, down, last);
    mouse(&mut desk, drag, 0);
    desk.screen.bench.wait(60);
    desk.draw();
    desk.screen.bench.wait(60);
    desk.draw();
    mouse(&mut desk, up, 0);
    // Without the row that counts the time.
    let lines = |desk: &mut Desk| {
        desk.draw()
            .rsplit_once('\n')
            .map(|(above, _)| above.to_owned())
    };
    let picture = lines(&mut desk);
    hold(&mut desk);
    assert_eq!(lines(&mut desk), picture);
    comment(&mut desk, "up");
    let prompt = sent(desk.press("S"));
    assert!(
        prompt.contains("a.txt`, lines 5–300:\n> line 4"),
        "{prompt}"
    );
    let up = prompt.split("2. `a.txt`, lines ").nth(1).expect("another");
    assert!(up.contains("–298:"), "{prompt}");
    let from: u32 = up
        .split('–')
        .next()
        .and_then(|from| from.parse().ok())
        .expect("its first line");
    assert!((250..292).contains(&from), "{prompt}");
}

#[test]
fn a_paste_that_comes_as_keys_does_not_end_a_comment() {
    let mut desk = Desk::new(changes());
    desk.press("j j tab c");
    let together = desk.screen.press_together("o n e enter t w o enter");
    assert!(desk.answer(together).is_empty());
    // The next piece of it.
    let together = desk.screen.press_together("q enter S");
    assert!(desk.answer(together).is_empty());
    let picture = desk.draw();
    assert!(picture.contains("alt-enter"), "still written: {picture}");
    desk.screen.bench.wait(100);
    assert!(desk.press("enter").is_empty());
    let prompt = sent(desk.press("S"));
    assert!(prompt.ends_with("one\ntwo\nq\nS"), "{prompt}");
    // One line and its enter, however fast.
    let mut desk = Desk::new(changes());
    desk.press("j j tab c");
    let together = desk.screen.press_together("o n e space l i n e enter");
    assert!(desk.answer(together).is_empty());
    assert!(sent(desk.press("S")).ends_with("one line"));
    // Of the plan.
    let entry = PlanEntry {
        content: "read it".into(),
        ..PlanEntry::default()
    };
    desk.screen.bench.update(AgentEvent::Plan(vec![entry]));
    desk.press("alt-n enter");
    desk.screen.press_together("o n e enter t w o");
    desk.screen.bench.wait(100);
    desk.press("enter");
    assert!(sent(desk.press("alt-n alt-x")).ends_with("one\ntwo"));
}

#[test]
fn a_file_without_lines_is_commented_on_as_a_whole() {
    let mut desk = Desk::at(100, 30, changes());
    desk.press("j j j j c");
    let picture = desk.draw();
    assert!(
        picture.contains("what you have to say of the file"),
        "{picture}"
    );
    desk.screen.types("Why?");
    desk.press("alt-enter");
    desk.screen.types("Put it back.");
    desk.press("enter j j");
    comment(&mut desk, "Half the size is enough.");
    insta::assert_snapshot!("comments_whole", desk.draw());
    // The one that is there is edited.
    desk.press("c");
    desk.screen.types("!");
    desk.press("enter");
    assert!(desk.draw().contains("enough.!"), "{}", desk.draw());
    desk.press("C");
    let picture = desk.draw();
    assert!(picture.contains("src/ui/root/act.rs  Why?"), "{picture}");
    desk.press("enter");
    let picture = desk.draw();
    assert!(picture.contains("m src/ui/root/act.rs"), "{picture}");
    assert!(picture.contains("▎ Put it back."), "{picture}");
    // It stays what it is when the file changes, also to one with lines.
    desk.files[4].file.content = 2;
    desk.files[4].file.kind = ChangeKind::Modified;
    desk.files[4].after = Some("b\n".into());
    desk.told(ReviewTold::Changed);
    let picture = desk.draw();
    assert!(
        picture.contains("✎ the file") && !picture.contains("stale"),
        "{picture}"
    );
    let prompt = sent(desk.press("S"));
    assert_eq!(
        prompt,
        "My comments on the changes:\n\n\
         1. `src/ui/root/act.rs`:\nWhy?\nPut it back.\n\n\
         2. `tests/picture.png`:\nHalf the size is enough.!"
    );
}

#[test]
fn what_is_out_of_sight_is_not_commented_on() {
    for file in ["j j", "j j j j"] {
        let mut desk = Desk::at(44, 16, changes());
        desk.press(file);
        desk.press("c");
        assert!(desk.screen.status().contains("not on the screen"));
    }
    // In one read with the key that selects another file.
    let mut desk = Desk::new(changes());
    let together = desk.screen.press_together("j c");
    assert!(desk.answer(together).is_empty());
    assert!(!desk.draw().contains("alt-enter"));
}

#[test]
fn the_cursor_stays_in_sight_and_reads_on() {
    let text: String = (0..300).map(|n| format!("line {n}\n")).collect();
    let mut desk = Desk::new(vec![Changed::new("a.txt", None, Some(&text))]);
    desk.press("tab");
    for _ in 0..100 {
        desk.press("j");
        assert!(desk.draw().contains("❯"), "{}", desk.draw());
    }
    comment(&mut desk, "here");
    assert!(sent(desk.press("S")).contains("line 101:\n> line 100\n"));
    desk.press("f4 tab G");
    comment(&mut desk, "the last");
    desk.press("g");
    comment(&mut desk, "the first");
    desk.press("pgdn k");
    comment(&mut desk, "in sight");
    let prompt = sent(desk.press("S"));
    assert!(
        prompt.contains("line 300:") && prompt.contains("line 1:"),
        "{prompt}"
    );
}

#[test]
fn entries_of_the_plan_are_commented_on_in_the_same_set() {
    let entry = |text: &'static str| PlanEntry {
        content: text.into(),
        ..PlanEntry::default()
    };
    let mut desk = Desk::new(changes());
    desk.press("tab");
    comment(&mut desk, "about the log");
    desk.press("q alt-n");
    assert!(desk.screen.status().contains("no plan with entries"));
    let plan = vec![entry("read it"), entry("change it"), entry("test it")];
    desk.screen.bench.update(AgentEvent::Plan(plan));
    desk.press("ctrl-t");
    assert!(desk.screen.status().contains("alt-n comments on an entry"));
    desk.press("alt-n down enter");
    desk.screen.types("Sure?");
    desk.press("alt-enter");
    desk.screen.types("q S d");
    insta::assert_snapshot!("comments_plan", desk.draw());
    desk.press("enter alt-n");
    assert!(desk.draw().contains("✎ Sure?"), "{}", desk.draw());
    desk.press("enter");
    desk.screen.types("never");
    desk.press("esc");
    // The plan goes on: another entry comes before it, one is gone.
    let plan = vec![entry("think"), entry("read it"), entry("change it")];
    desk.screen.bench.update(AgentEvent::Plan(plan));
    let prompt = sent(desk.press("alt-n alt-x"));
    assert_eq!(
        prompt,
        "My comments:\n\n1. `CHANGELOG.md`, line 2:\n> two\nabout the log\n\n\
         2. the plan, entry 3:\n> change it\nSure?\nq S d"
    );
}

#[test]
fn comments_come_back_with_their_session_and_go_where_their_lines_are() {
    let mut desk = Desk::at(100, 30, changes());
    desk.press("j j tab");
    comment(&mut desk, "about five");
    desk.press("n");
    comment(&mut desk, "about the step");
    let key = SessionKey::default();
    let before = desk.screen.ui.review_rev(key);
    let kept = desk.screen.ui.kept_review(key).expect("its screen");
    desk.press("j");
    assert_eq!(desk.screen.ui.review_rev(key), before);
    // In another run, in which the file is not what it was.
    let mut later = changes();
    let changed = &mut later[2];
    changed.file.content = 2;
    changed.after = changed
        .after
        .as_ref()
        .map(|text| format!("// one\n{}", text.replace("    // a step that was\n", "")));
    let mut desk = Desk::at(100, 30, later);
    desk.screen.ui.restore_review(key, kept);
    assert!(
        desk.screen
            .status()
            .contains("2 comments of the review restored: F4"),
        "{}",
        desk.screen.status()
    );
    let restored = desk.screen.ui.review_rev(key);
    desk.told(ReviewTold::Changed);
    assert_ne!(
        desk.screen.ui.review_rev(key),
        restored,
        "to be stored anew"
    );
    let prompt = sent(desk.press("S"));
    assert!(
        prompt.contains("mod.rs`, line 7:\n>     let line_5 = step(50)?;\nabout five"),
        "{prompt}"
    );
    assert!(prompt.contains("line 41 (changed since)"), "{prompt}");
    let kept = desk.screen.ui.kept_review(key);
    assert!(kept.is_some_and(|kept| kept.is_empty()));
}

#[test]
fn quitting_asks_while_comments_would_be_lost() {
    let mut desk = Desk::new(changes());
    turn_ends(&mut desk.screen.bench, StopReason::EndTurn);
    let now = desk.screen.bench.now;
    desk.screen.ui.show_session(SessionKey::default(), now);
    desk.press("j j");
    comment(&mut desk, "Why?");
    desk.press("q");
    // They are stored with their session, as a draft is kept.
    assert!(matches!(desk.press("ctrl-d")[..], [UiCommand::Quit]));
    desk.press("ctrl-c");
    let status = desk.screen.status();
    assert!(status.contains("ctrl-c again to quit"), "{status}");
    assert!(!status.contains("not sent"), "{status}");
    desk.screen.bench.project.stores = false;
    assert!(desk.press("ctrl-d").is_empty());
    let status = desk.screen.status();
    assert!(
        status.contains("ctrl-d again quits: 1 comment not sent"),
        "{status}"
    );
    assert!(desk.press("ctrl-c").is_empty());
    let status = desk.screen.status();
    assert!(
        status.contains("ctrl-c again to quit: 1 comment not sent"),
        "{status}"
    );
    // Those of a session that is not shown count as well.
    desk.screen.ui.show_session(SessionKey(7), now);
    assert!(desk.press("ctrl-d").is_empty());
    assert!(matches!(desk.press("ctrl-d")[..], [UiCommand::Quit]));
}
