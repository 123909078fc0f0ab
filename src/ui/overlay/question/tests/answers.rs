//! What a key answers with, and when it answers nothing.

use super::*;

// The guard.

#[test]
fn keys_in_flight_do_not_answer() {
    let mut shown = run("npm run build");
    assert!(passes(&shown.press("y")), "before it was ever drawn");
    shown.draw(80, 24);
    for _ in 0..50 {
        shown.bench.wait(45);
        for key in ["y", "1", "a"] {
            assert!(passes(&shown.press(key)), "{key} is typed into the draft");
        }
        let enter = shown.press("enter");
        assert!(enter.taken && enter.wishes.is_empty(), "enter does nothing");
        let down = shown.press("down");
        assert!(down.taken, "nor is anything selected");
    }
    assert_eq!(shown.dialog.choices.selected(), None);
    shown.bench.wait(399);
    assert!(passes(&shown.press("y")));
    shown.bench.wait(400);
    assert_eq!(shown.answer("y"), Some(OptionId::new("once")));
}

#[test]
fn text_that_is_no_answer_closes_the_guard_again() {
    let mut shown = run("npm run build").settled();
    assert!(passes(&shown.press("p")));
    shown.bench.wait(100);
    assert!(passes(&shown.press("y")), "still typing a word");
    shown.bench.wait(400);
    assert_eq!(shown.answer("y"), Some(OptionId::new("once")));
}

#[test]
fn keys_of_the_dialog_close_no_guard() {
    let mut shown = run("npm run build");
    shown.draw(80, 24);
    shown.bench.wait(399);
    for key in ["down", "enter", "ctrl-o", "ctrl-o", "ctrl-down", "pgup"] {
        shown.press(key);
    }
    shown.bench.wait(1);
    assert_eq!(shown.answer("y"), Some(OptionId::new("once")));
}

#[test]
fn a_paste_is_no_answer_and_closes_the_guard() {
    let mut shown = run("npm run build").settled();
    let outcome = shown.with(Frame::Full, |dialog, cx| dialog.paste("1", cx));
    assert!(passes(&outcome));
    assert!(passes(&shown.press("1")));
}

/// V1-PERM-11
#[test]
fn stopping_and_scrolling_need_no_pause() {
    let mut shown = run("npm run build");
    assert!(stops(&shown.press("esc")));
    assert!(stops(&shown.press("ctrl-c")));
    for key in ["pgup", "pgdn", "ctrl-home", "ctrl-end", "ctrl-d"] {
        assert!(passes(&shown.press(key)), "{key} is for below");
    }
    // None of them is typing.
    shown.draw(80, 24);
    shown.bench.wait(399);
    shown.press("pgup");
    shown.bench.wait(1);
    assert_eq!(shown.answer("y"), Some(OptionId::new("once")));
}

#[test]
fn the_guard_wakes_the_screen_once() {
    let mut shown = run("npm run build");
    let now = shown.bench.now;
    assert_eq!(shown.dialog.deadline(now), None);
    shown.draw(80, 24);
    let opens = now + Duration::from_millis(400);
    assert_eq!(shown.dialog.deadline(now), Some(opens));
    assert_eq!(shown.dialog.deadline(opens), None);
}

// While something is being written.

#[test]
fn what_types_answers_nothing_while_there_is_a_draft() {
    let mut shown = run("rm -rf build").settled();
    shown.drafting = true;
    for key in ["y", "a", "n", "N", "e", "d", "?", "space", "1", "2", "9"] {
        assert!(passes(&shown.press(key)), "{key} is typed into the draft");
        shown.bench.wait(1_000);
    }
    assert_eq!(shown.dialog.choices.selected(), None);
    shown.press("down");
    assert_eq!(shown.answer("enter"), Some(OptionId::new("once")));
    assert!(stops(&shown.press("esc")));
}

#[test]
fn the_number_of_a_rejection_answers_with_a_draft_as_well() {
    let mut shown = run("rm -rf build").settled();
    shown.drafting = true;
    assert_eq!(shown.answer("3"), Some(OptionId::new("no")));
}

#[test]
fn who_types_on_answers_nothing_that_was_selected_before() {
    for typed in ["v", "2", "space", "backspace"] {
        let mut shown = run("rm -rf build").settled();
        shown.drafting = true;
        shown.press("down");
        assert!(passes(&shown.press(typed)), "{typed}");
        shown.bench.wait(1_000);
        assert_eq!(shown.answer("enter"), None, "{typed}");
    }
}

#[test]
fn up_leads_from_the_answers_back_to_a_draft() {
    let mut shown = run("ls").settled();
    shown.drafting = true;
    assert!(shown.dialog.leaves_arrows());
    shown.press("down");
    assert!(!shown.dialog.leaves_arrows());
    shown.press("up");
    assert!(shown.dialog.leaves_arrows());
}

#[test]
fn the_footer_says_where_what_is_typed_goes() {
    let mut shown = run("ls").settled();
    let picture = shown.draw(80, 24);
    assert!(
        picture.contains("e reject and say why") && picture.contains("1 y ✓"),
        "{picture}"
    );
    shown.drafting = true;
    let picture = shown.draw(80, 24);
    assert!(
        picture.contains("up/down select · enter answer · typing goes to the draft"),
        "{picture}"
    );
    assert!(!picture.contains("reject and say why"), "{picture}");
    assert!(picture.contains("1   ✓ Allow once"), "{picture}");
    let outcome = shown.press("enter");
    let [Wish::Toast(said)] = outcome.wishes.as_slice() else {
        panic!("{outcome:?}");
    };
    assert!(!said.contains("1-3"), "{said}");
}

// Answers.

#[test]
fn digits_answer_at_once_in_the_agents_order() {
    for (key, id) in [("1", "once"), ("2", "always"), ("3", "no")] {
        assert_eq!(run("ls").settled().answer(key), Some(OptionId::new(id)));
    }
    assert!(passes(&run("ls").settled().press("4")), "typed");
}

#[test]
fn letters_answer_where_one_option_has_the_kind() {
    for (key, id) in [("y", "once"), ("a", "always"), ("n", "no")] {
        assert_eq!(run("ls").settled().answer(key), Some(OptionId::new(id)));
    }
    let outcome = run("ls").settled().press("N");
    assert!(matches!(outcome.wishes.as_slice(), [Wish::Toast(_)]));
}

/// V1-PERM-04
#[test]
fn letters_move_to_the_first_where_several_have_the_kind() {
    let mut bench = Bench::working();
    let call = bench.call(ToolKind::Execute);
    bench.asks(
        call,
        vec![
            option("no", "No", PermissionKind::RejectOnce),
            option("a", "Yes, here", PermissionKind::AllowOnce),
            option("b", "Yes, there", PermissionKind::AllowOnce),
        ],
    );
    let mut shown = Shown::new(bench).settled();
    assert_eq!(shown.answer("y"), None);
    assert_eq!(shown.dialog.choices.selected(), Some(1));
    shown.press("down");
    assert_eq!(shown.answer("enter"), Some(OptionId::new("b")));
}

/// V1-PERM-07
#[test]
fn enter_answers_only_what_was_selected() {
    let mut shown = run("ls").settled();
    let outcome = shown.press("enter");
    let [Wish::Toast(said)] = outcome.wishes.as_slice() else {
        panic!("{outcome:?}");
    };
    assert!(said.contains("press 1-3 to answer"), "{said}");
    shown.press("down");
    assert_eq!(shown.answer("enter"), Some(OptionId::new("once")));
}

/// V1-PERM-04
#[test]
fn without_options_there_is_only_stopping() {
    let mut bench = Bench::working();
    let call = bench.call(ToolKind::Other);
    bench.asks(call, Vec::new());
    let mut shown = Shown::new(bench).settled();
    for key in ["y", "1", "enter", "down", "e", "tab"] {
        assert_eq!(shown.answer(key), None);
    }
    assert!(
        shown
            .draw(80, 24)
            .contains("no answer is offered: esc stops the turn")
    );
}

/// V1-PERM-05
#[test]
fn an_option_of_unknown_kind_is_offered_and_never_picked_by_a_letter() {
    let mut bench = Bench::working();
    let call = bench.call(ToolKind::Execute);
    bench.asks(
        call,
        vec![option("twice", "Allow twice", PermissionKind::Unknown)],
    );
    let mut shown = Shown::new(bench).settled();
    assert_eq!(shown.answer("y"), None);
    assert!(shown.draw(80, 24).contains("? Allow twice"));
    assert_eq!(shown.answer("1"), Some(OptionId::new("twice")));
}
// Labels.

/// Options whose labels are longer than a row of a small screen.
fn with_long_labels() -> Shown {
    let mut bench = Bench::working();
    let mut call = bench.call(ToolKind::Execute);
    call.title = Patch::Set("cargo test --workspace --all-targets".into());
    bench.asks(
        call,
        vec![
            option(
                "always",
                "Yes, and do not ask again for any command that begins with cargo in this project",
                PermissionKind::AllowAlways,
            ),
            option("once", "Yes, this once", PermissionKind::AllowOnce),
            option(
                "no",
                "No, and tell the agent what it should do differently the next time",
                PermissionKind::RejectOnce,
            ),
        ],
    );
    Shown::new(bench)
}

#[test]
fn a_label_is_wrapped_and_never_cut() {
    let mut shown = with_long_labels();
    for (width, height) in [(40, 16), (60, 20), (80, 24)] {
        let picture = shown.draw(width, height);
        assert!(!picture.contains('…'), "{picture}");
        let words: Vec<&str> = picture.split_whitespace().collect();
        for word in ["project", "once", "time"] {
            assert!(words.contains(&word), "{word} in {picture}");
        }
    }
}

#[test]
fn a_label_is_cut_rather_than_have_an_answer_out_of_sight() {
    let first = with_long_labels().draw(40, 10);
    insta::assert_snapshot!("long_labels_40x10", first);
    assert!(first.contains('…') && first.contains("3 n"), "{first}");
}

/// More of them than a small screen has rows.
fn with_many_options() -> Shown {
    let mut bench = Bench::working();
    let call = bench.call(ToolKind::Execute);
    let choice = |n| {
        option(
            &format!("o{n}"),
            &format!("way {n}"),
            PermissionKind::AllowOnce,
        )
    };
    bench.asks(call, (1..=9).map(choice).collect());
    Shown::new(bench)
}

#[test]
fn more_choices_than_room_are_scrolled_and_marked() {
    let mut shown = with_many_options();
    let first = shown.draw(40, 10);
    assert!(first.contains('↓') && !first.contains("way 9"), "{first}");
    shown.bench.wait(400);
    for _ in 0..9 {
        shown.press("down");
        shown.draw(40, 10);
    }
    let last = shown.draw(40, 10);
    assert!(last.contains('↑') && last.contains("way 9"), "{last}");
}

#[test]
fn what_was_not_on_the_screen_is_shown_before_it_answers() {
    let mut shown = with_many_options();
    shown.draw(40, 10);
    shown.bench.wait(400);
    assert_eq!(shown.answer("9"), None);
    assert_eq!(shown.dialog.choices.selected(), Some(8));
    assert!(shown.draw(40, 10).contains("way 9"));
    assert_eq!(shown.answer("9"), Some(OptionId::new("o9")));
}
