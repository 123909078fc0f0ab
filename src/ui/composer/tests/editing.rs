use super::*;

#[test]
fn readline_keys_edit() {
    for (keys, shown) in [
        ("hello world<c-a>x", "x|hello world"),
        ("hello<left><left><c-e>x", "hellox|"),
        ("cargo test foo::bar<c-w>", "cargo test |"),
        ("cargo test foo::bar<a-bs>", "cargo test foo::|"),
        ("one two<a-b><a-b><a-d>", "| two"),
        ("one two<c-left>x<c-right>y", "one xtwoy|"),
        ("one two<a-b><c-k>", "one |"),
        ("one two<a-b><c-u>", "|two"),
        ("ab<c-h><c-b><c-d>", "|"),
        ("ab<home><del>", "|b"),
        ("füß 日本<a-b><a-b>x", "füß x|日本"),
    ] {
        assert_eq!(shown_after(keys), shown, "{keys}");
    }
}

#[test]
fn kills_add_up_and_come_back() {
    assert_eq!(shown_after("a b c<c-w><c-w><c-y>"), "a b c|");
    assert_eq!(shown_after("one<c-u>two<c-u><c-y><a-y>"), "one|");
    assert_eq!(shown_after("one<s-enter>two<home><c-u><c-u>"), "|two");
}

#[test]
fn undo_is_by_words_and_whole_operations() {
    assert_eq!(shown_after("one two three<c-_><c-_>"), "one |");
    assert_eq!(shown_after("one two<c-/><c-7>"), "|");
    assert_eq!(shown_after("one two<c-u><c-_>"), "one two|");
    assert_eq!(shown_after("one two<c-_><a-/>"), "one two|");
}

#[test]
fn new_lines() {
    for key in ["<s-enter>", "<a-enter>", "<c-j>", "\\<enter>"] {
        let mut desk = Desk::new();
        desk.keys("aaa").keys(key).keys("bbb<enter>");
        assert_eq!(desk.sent.len(), 1, "{key}");
        assert_eq!(desk.sent[0].text(), "aaa\nbbb", "{key}");
    }
}

#[test]
fn wide_text_is_edited_by_clusters() {
    let mut desk = Desk::new();
    desk.keys("日本語テスト<bs>x<enter>");
    assert_eq!(desk.sent[0].text(), "日本語テスx");
    assert_eq!(shown_after("a👩‍👩‍👧<bs>"), "a|");
    assert_eq!(shown_after("xe\u{301}<left>y"), "xy|e\u{301}");
}

#[test]
fn nothing_but_blanks_is_not_sent() {
    let mut desk = Desk::new();
    desk.keys("  <s-enter> <enter>");
    assert!(desk.sent.is_empty());
    assert_eq!(desk.shown(), "  \n |");
}

#[test]
fn ctrl_d_on_nothing_is_left_to_the_root() {
    let mut desk = Desk::new();
    let sources = Sources {
        own: &[],
        prompts: &[],
        commands: &[],
        now: desk.now,
    };
    let key = named_key("c-d");
    assert!(!desk.composer.edit_key(key, &sources));
    desk.composer.set_text("x");
    assert!(desk.composer.edit_key(key, &sources));
}

#[test]
fn clearing_can_be_undone_and_yanked() {
    let mut desk = Desk::new();
    desk.keys("precious<enter>");
    desk.keys("words");
    assert!(desk.composer.clear());
    assert!(!desk.composer.clear());
    assert_eq!(desk.keys("<c-_>").shown(), "words|");
    desk.composer.clear();
    assert_eq!(desk.keys("<c-y>").shown(), "words|");
}

#[test]
fn what_was_sent_is_not_undone() {
    assert_eq!(shown_after("sent<enter><c-_>"), "|");
}

#[test]
fn a_short_paste_is_text_and_is_not_sent() {
    let mut desk = Desk::new();
    desk.paste("alpha\r\nbeta\rgamma");
    assert!(desk.sent.is_empty());
    assert_eq!(desk.shown(), "alpha\nbeta\ngamma|");
    assert_eq!(desk.keys("<c-_>").shown(), "|");
}

#[test]
fn a_long_paste_is_one_unit_and_is_sent_whole() {
    let text: String = (1..=4_000)
        .map(|n| format!("pasted line {n} with a few more words in it\n"))
        .collect();
    let mut desk = Desk::new();
    desk.keys("see ").paste(&text);
    assert_eq!(desk.shown(), "see [pasted 4000 lines]|");
    assert_eq!(desk.keys("<bs>").shown(), "see |");
    assert_eq!(desk.keys("<c-_><left>").shown(), "see |[pasted 4000 lines]");
    assert_eq!(desk.keys("<a-f>x").shown(), "see [pasted 4000 lines]x|");
    assert_eq!(desk.keys("<c-u><c-y>").shown(), "see [pasted 4000 lines]x|");
    desk.keys("<enter>");
    assert_eq!(desk.sent[0].text(), format!("see {text}x"));
    assert_eq!(desk.sent[0].parts.len(), 1);
}

#[test]
fn a_chip_can_be_opened() {
    let text = "line\n".repeat(20);
    let mut desk = Desk::new();
    desk.keys("a").paste(&text).keys("b");
    assert_eq!(desk.composer.expand_paste(), Expanded::Done);
    assert_eq!(desk.composer.buffer.text(), format!("a{text}b"));
    assert_eq!(desk.composer.expand_paste(), Expanded::Nothing);
    assert_eq!(desk.keys("<c-_>").shown(), "a[pasted 20 lines]|b");
    desk.composer.clear();
    desk.paste(&"x".repeat(200_000));
    assert_eq!(desk.composer.expand_paste(), Expanded::TooLong);
    assert_eq!(desk.shown(), "[pasted 200000 characters]|");
}

#[test]
fn the_editor_sees_pastes_and_they_are_folded_again() {
    let text = "line\n".repeat(20);
    let mut desk = Desk::new();
    desk.keys("a ").paste(&text).keys(" b");
    let written = desk.composer.draft_text();
    assert_eq!(written, format!("a {text} b"));
    desk.composer.set_text(&written.replace('b', "c"));
    assert_eq!(desk.shown(), "a [pasted 20 lines] c|");
}

#[test]
fn no_text_is_too_long_for_the_buffer() {
    let long = "0123456789".repeat(20_000);
    let mut desk = Desk::with(&long);
    assert_eq!(desk.shown(), "[pasted 200000 characters]|");
    assert_eq!(desk.composer.draft_text(), long);
    desk.composer.prepend(&long);
    assert_eq!(desk.composer.draft_text(), format!("{long}\n{long}"));
}

#[test]
fn what_comes_back_is_put_in_front() {
    let mut desk = Desk::new();
    desk.composer.prepend("first\nprompt");
    assert_eq!(desk.shown(), "first\nprompt|");
    desk.composer.clear();
    desk.keys("typed since<left>");
    desk.composer.prepend("first\nprompt");
    assert_eq!(desk.shown(), "first\nprompt\ntyped sinc|e");
}

#[test]
fn what_an_agent_has_written_names_no_file() {
    let names = |desk: &Desk| -> Vec<String> {
        let typed = desk.sent.iter().flat_map(|draft| &draft.parts);
        typed
            .filter_map(|part| match part {
                DraftPart::Typed { text, .. } => Some(text.clone()),
                _ => None,
            })
            .collect()
    };
    let mut desk = Desk::new();
    desk.composer.prepend_others("see @/etc/passwd and @a.rs");
    desk.keys(" or @mine.rs <enter>");
    assert_eq!(names(&desk), ["@mine.rs"]);
    // What the person writes later is theirs, whoever wrote the same before.
    desk.keys("@a.rs <enter>");
    assert_eq!(names(&desk), ["@mine.rs", "@a.rs"]);
}

#[test]
fn a_line_of_its_own_is_put_in_front_and_taken_back() {
    let mut desk = Desk::new();
    desk.composer.prepend_line("(a note)");
    assert_eq!(desk.shown(), "(a note)\n|");
    desk.keys("typed");
    assert_eq!(desk.shown(), "(a note)\ntyped|");
    desk.composer.prepend_line("(another)");
    assert!(desk.composer.take_back("(a note)"));
    assert_eq!(desk.composer.draft_text(), "(another)\ntyped");
    desk.keys(" on");
    assert!(!desk.composer.take_back("(a note)"), "it is gone");
    assert!(desk.composer.take_back("(another)"));
    assert_eq!(desk.composer.draft_text(), "typed on");
    desk.composer.clear();
    desk.composer.prepend_line("(a note)");
    assert!(desk.composer.take_back("(a note)"));
    assert!(desk.composer.is_empty());
}

#[test]
fn a_paste_by_keys_is_a_paste() {
    let mut desk = Desk::new();
    desk.batch("alpha<enter>beta<enter>gamma");
    assert!(desk.sent.is_empty());
    assert_eq!(desk.shown(), "alpha\nbeta\ngamma|");
    desk.later(Duration::from_millis(200)).batch("<enter>");
    assert_eq!(desk.sent[0].text(), "alpha\nbeta\ngamma");
}

#[test]
fn the_enter_behind_fast_typing_sends() {
    let mut desk = Desk::new();
    desk.batch("yes, please do<enter>");
    assert_eq!(desk.sent.len(), 1);
    desk.batch("y<enter>");
    assert_eq!(desk.sent.len(), 2);
}

#[test]
fn a_long_paste_by_keys_becomes_one_chip() {
    let mut desk = Desk::new();
    let piece = "some words here<enter>".repeat(6);
    for _ in 0..5 {
        desk.batch(&piece).later(Duration::from_millis(3));
    }
    assert_eq!(desk.shown(), "[pasted 30 lines]|");
    assert!(desk.sent.is_empty());
    let text = "some words here\n".repeat(30);
    assert_eq!(desk.composer.draft_text(), text);
}

#[test]
fn text_cannot_pose_as_a_chip() {
    let mut desk = Desk::new();
    desk.paste(&"x\n".repeat(20)).keys("\u{100000}");
    desk.paste("\u{100000}");
    assert_eq!(desk.shown(), "[pasted 20 lines]\u{fffd}\u{fffd}|");
}

#[test]
fn up_and_down_move_by_rows_and_then_through_history() {
    let mut desk = Desk::new();
    desk.composer
        .set_history(History::of(vec!["oldest".into(), "two\nlines".into()]));
    desk.keys("draft one<s-enter>x<up>");
    assert_eq!(desk.shown(), "d|raft one\nx");
    assert_eq!(desk.keys("<up>").shown(), "two\nlines|");
    assert_eq!(desk.keys("<up>").shown(), "oldest|");
    assert_eq!(desk.keys("<up>").shown(), "oldest|");
    assert_eq!(desk.keys("<down>").shown(), "two\nlines|");
    assert_eq!(desk.keys("<left><up>").shown(), "two|\nlines");
    assert_eq!(desk.keys("!<down><down>").shown(), "draft one\nx|");
    assert_eq!(desk.keys("<up>").shown(), "two!\nlines|");
}

/// A hang is the failure.
#[test]
fn letters_do_not_wait_for_a_history_that_is_being_read() {
    let mut desk = Desk::new();
    let (sender, reader) = std::sync::mpsc::channel();
    desk.composer.set_history(History::read_by(reader));
    desk.keys("a draft<left>!<bs><s-enter>x").paste("pasted");
    assert_eq!(desk.shown(), "a draf\nxpasted|t");
    let read = History::of(vec!["earlier".into()]);
    sender.send(read).expect("the composer is there");
    assert_eq!(desk.keys("<up><up>").shown(), "earlier|");
}

#[test]
fn up_and_down_keep_their_column_over_wrapped_rows() {
    let mut desk = Desk::new();
    desk.keys("12345678901234 日本語日本語日<s-enter>x<s-enter>123456");
    desk.draw(20, 10);
    assert_eq!(
        desk.keys("<up><up>").shown().lines().next(),
        Some("12345678901234 日本語日|本語日")
    );
    assert_eq!(
        desk.keys("<up>").shown().lines().next(),
        Some("123456|78901234 日本語日本語日")
    );
    assert_eq!(
        desk.keys("<down><down><down>").shown().lines().last(),
        Some("123456|")
    );
}

#[test]
fn typing_in_a_large_draft_touches_its_own_line_only() {
    let mut desk = Desk::with(&"a line of some words\n".repeat(2_500));
    desk.draw(80, 10);
    desk.keys("x");
    desk.draw(80, 10);
    assert!(desk.composer.rows.known() <= 20);
}
