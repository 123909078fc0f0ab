//! vim's modes: keys to text, caret and mode.

use proptest::prelude::*;

use super::*;
use crate::{
    config::Editing,
    ui::{CaretShape, UiCommand, composer::vim::Mode},
};

fn desk(text: &str) -> Desk {
    let mut desk = Desk::new();
    desk.composer = Composer::new(Offload::immediate()).with_editing(Editing::Vim);
    desk.composer.set_text(text);
    desk
}

/// The draft with `|` before the caret.
fn shown(desk: &Desk) -> String {
    let buffer = &desk.composer.buffer;
    let caret = buffer.caret();
    let before = buffer.slice(buffer.start()..caret);
    let behind = buffer.slice(caret..buffer.end());
    format!("{before}|{behind}")
}

/// A draft in normal mode, the caret where `|` stands.
fn at(text: &str) -> Desk {
    let at = text.find('|').expect("a caret");
    let plain = text.replacen('|', "", 1);
    let mut desk = desk(&plain);
    desk.keys("<esc>");
    let before = &plain[..at];
    let line = before.matches('\n').count();
    let byte = before.len() - before.rfind('\n').map_or(0, |end| end + 1);
    desk.composer.buffer.set_caret(Caret { line, byte });
    desk
}

#[track_caller]
fn check(rows: &[(&str, &str, &str)]) {
    for (before, keys, after) in rows {
        let mut desk = at(before);
        desk.keys(keys);
        assert_eq!(shown(&desk), *after, "{before:?} {keys}");
    }
}

#[test]
fn motions() {
    check(&[
        ("|one two", "l", "o|ne two"),
        ("one tw|o", "l", "one tw|o"),
        ("one |two", "h", "one| two"),
        ("|one", "h", "|one"),
        ("|one two.x", "w", "one |two.x"),
        ("|one two.x", "2w", "one two|.x"),
        ("|one two.x y", "2W", "one two.x |y"),
        ("|one\n\n  two", "w", "one\n|\n  two"),
        ("|one\n\n  two", "ww", "one\n\n  |two"),
        ("one tw|o", "b", "one |two"),
        ("one\n|two", "b", "|one\ntwo"),
        ("one.x |y", "B", "|one.x y"),
        ("|one two", "e", "on|e two"),
        ("on|e two", "e", "one tw|o"),
        ("|one.x two", "E", "one.|x two"),
        ("  on|e", "0", "|  one"),
        ("  on|e", "^", "  |one"),
        ("|one\ntwo", "$", "on|e\ntwo"),
        ("|one\ntwo", "2$", "one\ntw|o"),
        ("one\n  t|wo\nthree", "gg", "|one\n  two\nthree"),
        ("|one\n  two\nthree", "G", "one\n  two\n|three"),
        ("|one\n  two\nthree", "2G", "one\n  |two\nthree"),
        ("|a.b.c", "f.", "a|.b.c"),
        ("|a.b.c", "2f.", "a.b|.c"),
        ("|a.b.c", "f.;", "a.b|.c"),
        ("|a.b.c", "f.;,", "a|.b.c"),
        ("|ab.b.c", "t.", "a|b.b.c"),
        ("|ab.b.c", "t.;", "ab.|b.c"),
        ("a.b.|c", "F.", "a.b|.c"),
        ("a.b.cc|c", "T.", "a.b.|ccc"),
        ("|a.b", "fx", "|a.b"),
        ("|f(a[1], b) x", "%", "f(a[1], b|) x"),
        ("f(a[1], b|) x", "%", "f|(a[1], b) x"),
        ("|one\ntwo\n\nthree", "}", "one\ntwo\n|\nthree"),
        ("one\n\ntwo\nth|ree", "{", "one\n|\ntwo\nthree"),
        ("one\n\nth|ree", "}", "one\n\nthre|e"),
    ]);
}

#[test]
fn operators_with_motions() {
    check(&[
        ("|one two", "dw", "|two"),
        ("one |two\nthree", "dw", "one| \nthree"),
        ("|one two three four", "2dw", "|three four"),
        ("|one two three four", "d2w", "|three four"),
        ("on|e two", "db", "|e two"),
        ("|one two", "de", "| two"),
        ("one |two", "d$", "one| "),
        ("one |two", "D", "one| "),
        ("one |two", "d0", "|two"),
        ("|a.b.c", "df.", "|b.c"),
        ("|a.b.c", "dt.", "|.b.c"),
        ("|f(a, b) x", "d%", "| x"),
        ("one\nt|wo\nthree", "dd", "one\n|three"),
        ("one\nt|wo", "dd", "|one"),
        ("on|e", "dd", "|"),
        ("|one\ntwo\nthree", "dj", "|three"),
        ("one\ntwo\n|three", "dk", "|one"),
        ("|one\ntwo\nthree", "2dd", "|three"),
        ("|one\ntwo\nthree", "dG", "|"),
        ("|one\ntwo\n\nthree", "d}", "|\nthree"),
        ("o|ne\n\nthree", "d}", "|o\n\nthree"),
        ("|one two", "cwx<esc>", "|x two"),
        ("|one two three", "c2wx<esc>", "|x three"),
        ("one| two", "cwx<esc>", "one|xtwo"),
        ("  on|e\ntwo", "ccx<esc>", "|x\ntwo"),
        ("one |two", "Cx<esc>", "one |x"),
        ("|one", "x", "|ne"),
        ("|one", "9x", "|"),
        ("on|e", "X", "o|e"),
        ("|one", "sx<esc>", "|xne"),
        ("o|ne\ntwo", ">>", "    |one\ntwo"),
        ("|one\ntwo\n\nx", ">3j", "    |one\n    two\n\n    x"),
        ("      o|ne", "<<", "  |one"),
        ("\to|ne", "<lt><lt>", "|one"),
        ("|one two", "gUw", "|ONE two"),
        ("|ONE two", "guu", "|one two"),
        ("|oNe two", "g~w", "|OnE two"),
        ("|one", "~~", "ON|e"),
        ("|one", "9~", "ON|E"),
        ("|one\n  two\nthree", "J", "one| two\nthree"),
        ("|one\n  two\nthree", "3J", "one two| three"),
        ("|one", "rx", "|xne"),
        ("|one", "2rx", "x|xe"),
        ("|one", "4rx", "|one"),
        ("o|ne", "r<enter>", "o\n|e"),
    ]);
}

#[test]
fn text_objects() {
    check(&[
        ("one tw|o three", "diw", "one | three"),
        ("one tw|o three", "daw", "one |three"),
        ("one tw|o", "daw", "on|e"),
        ("one tw|o.x y", "diW", "one | y"),
        ("one tw|o.x y", "daW", "one |y"),
        ("say \"a |b\" now", "di\"", "say \"|\" now"),
        ("say \"a |b\" now", "da\"", "say |now"),
        ("|say \"a b\" now", "ci\"x<esc>", "say \"|x\" now"),
        ("say 'a\\'|b' now", "di'", "say '|' now"),
        ("f(a, (b|), c)", "di(", "f(a, (|), c)"),
        ("f(a, (b|), c)", "2di(", "f(|)"),
        ("f(a, |b)", "da(", "|f"),
        ("f(a, |b)", "dab", "|f"),
        ("x[|1]", "di[", "x[|]"),
        ("f {\n  a|\n  b\n}", "di{", "f {\n|}"),
        ("{ a|b }", "diB", "{|}"),
        ("one\nt|wo\n\nthree", "dip", "|\nthree"),
        ("one\nt|wo\n\nthree", "dap", "|three"),
        ("one\n\nth|ree", "dap", "|one"),
        ("no brackets |here", "di(", "no brackets |here"),
    ]);
}

#[test]
fn registers_and_putting() {
    check(&[
        ("|one two", "dwp", "tone| wo"),
        ("|one two", "dwP", "one| two"),
        ("|one\ntwo", "yyp", "one\n|one\ntwo"),
        ("|one\ntwo", "yyjP", "one\n|one\ntwo"),
        ("|one\ntwo", "yy2p", "one\n|one\none\ntwo"),
        ("|one\ntwo", "ddp", "two\n|one"),
        ("|one two", "\"aywdw\"ap", "tone| wo"),
        ("|one two", "yiwwdw\"0p", "one on|e"),
        ("|one two", "yiww\"_dwp", "one on|e"),
        ("|ab", "\"ayl\"Aylx\"ap", "ba|a"),
        ("|one\ntwo", "yyjVp", "one\n|one"),
        ("|one two", "yiwwviwp", "one on|e"),
        ("|one", "p", "|one"),
    ]);
}

#[test]
fn insert_mode_is_entered_where_the_key_says() {
    check(&[
        ("o|ne", "ix<esc>", "o|xne"),
        ("o|ne", "ax<esc>", "on|xe"),
        ("  on|e", "Ix<esc>", "  |xone"),
        ("o|ne\ntwo", "Ax<esc>", "one|x\ntwo"),
        ("o|ne\ntwo", "ox<esc>", "one\n|x\ntwo"),
        ("one\nt|wo", "Ox<esc>", "one\n|x\ntwo"),
        ("|one", "3ix<esc>", "xx|xone"),
        ("|one", "2ox<esc>", "one\nx\n|x"),
        ("|", "ix<c-j>y<esc>", "x\n|y"),
    ]);
}

#[test]
fn the_dot_does_the_last_change_again() {
    check(&[
        ("|one two three", "dw.", "|three"),
        ("|one two three four", "dw2.", "|four"),
        ("|one two", "cwx<esc>w.", "x |x"),
        ("|one two", "cwxy<bs>z<esc>w.", "xz x|z"),
        ("|one\ntwo", "A!<esc>j.", "one!\ntwo|!"),
        ("|one", "ox<esc>.", "one\nx\n|x"),
        ("|abcd", "x.", "|cd"),
        ("|abc", "rxl.", "x|xc"),
        ("|abcdef", "vld.", "|ef"),
        ("|a\nb\nc\nd", "Vjd.", "|"),
        ("|one two", "ciwx<esc>u.", "|x two"),
        ("|a b", "yw.", "|a b"),
    ]);
}

#[test]
fn a_selection_is_what_operators_take() {
    check(&[
        ("o|ne two", "vld", "o| two"),
        ("one t|wo", "vbd", "one |o"),
        ("|one two", "vec", "| two"),
        ("|one\ntwo\nthree", "Vjd", "|three"),
        ("|one\ntwo", "v$d", "|two"),
        ("o|ne", "vlU", "o|NE"),
        ("|one\ntwo", "VJ", "one| two"),
        ("|one", "vlrx", "|xxe"),
        ("|one\ntwo", "Vj>", "    |one\n    two"),
        ("one |two three", "viwd", "one | three"),
        ("f(a|b)", "vi(d", "f(|)"),
        ("|one two", "vlohd", "|e two"),
        ("|one two", "vlly$p", "one twoon|e"),
        ("|one", "vv", "|one"),
        ("|one two", "v<right><right>d", "| two"),
    ]);
}

#[test]
fn carets_stand_on_whole_characters_and_chips() {
    check(&[
        ("|e\u{301}👩‍👩‍👧x", "x", "|👩‍👩‍👧x"),
        ("e\u{301}|👩‍👩‍👧x", "x", "e\u{301}|x"),
        ("|日本語テスト", "dw", "|テスト"),
        ("|e\u{301}x", "~", "E\u{301}|x"),
    ]);
    let mut desk = desk("");
    desk.paste(&"long\n".repeat(200));
    desk.keys(" x<esc>0x");
    assert_eq!(desk.composer.draft_text(), " x", "a chip is one character");
    desk.keys("P");
    assert!(desk.composer.draft_text().starts_with("long\nlong"));
}

#[test]
fn insert_mode_is_undone_at_once() {
    let mut desk = at("|one two");
    desk.keys("cwsome more words<esc>");
    assert_eq!(shown(&desk), "some more word|s two");
    desk.keys("u");
    assert_eq!(desk.composer.draft_text(), "one two");
    desk.keys("<c-r>");
    assert_eq!(desk.composer.draft_text(), "some more words two");
}

#[test]
fn the_mode_is_told_with_the_keys_of_an_unfinished_command() {
    let mut desk = desk("one two");
    let told = |desk: &Desk| desk.composer.mode_told().expect("vim");
    assert_eq!(told(&desk), ("INSERT", String::new()));
    assert_eq!(desk.composer.caret_shape(), CaretShape::Bar);
    desk.keys("<esc>2d");
    assert_eq!(told(&desk), ("NORMAL", "2d".into()));
    assert_eq!(desk.composer.caret_shape(), CaretShape::Block);
    desk.keys("<esc>");
    assert_eq!(told(&desk), ("NORMAL", String::new()), "esc gives it up");
    desk.keys("v");
    assert_eq!(told(&desk).0, "VISUAL");
    desk.keys("V");
    assert_eq!(told(&desk).0, "VISUAL LINE");
    desk.keys("<esc>");
    assert_eq!(told(&desk).0, "NORMAL");
    assert_eq!(Desk::with("x").composer.mode_told(), None);
}

#[test]
fn the_next_draft_begins_in_insert_mode() {
    let mut desk = at("|one");
    desk.keys("<enter>");
    assert_eq!(desk.sent.len(), 1);
    assert_eq!(desk.composer.mode(), Some(Mode::Insert));
    desk.keys("two<esc>u");
    assert_eq!(
        desk.composer.draft_text(),
        "",
        "what was sent does not come back"
    );
}

#[test]
fn over_the_edge_j_and_k_go_through_earlier_prompts() {
    let mut desk = desk("");
    for prompt in ["first\nlines", "second"] {
        desk.keys(&prompt.replace('\n', "<c-j>")).keys("<enter>");
    }
    desk.keys("draft<esc>k");
    assert_eq!(desk.composer.draft_text(), "second");
    desk.keys("k");
    assert_eq!(desk.composer.draft_text(), "first\nlines");
    desk.keys("jj");
    assert_eq!(desk.composer.draft_text(), "draft");
    desk.keys("2k");
    assert_eq!(desk.composer.draft_text(), "draft", "a count stays in it");
}

#[test]
fn letters_put_nothing_into_an_empty_draft_in_normal_mode() {
    let mut desk = desk("");
    desk.keys("<esc>hlwbexXDdw.uJ~nqtzy<c-w><c-u><c-y>");
    assert_eq!(desk.composer.draft_text(), "");
    desk.keys("<esc>").batch("hello, nothing of it is text");
    desk.command("help", None);
    desk.composer.clear();
    desk.keys("<esc>/");
    assert!(desk.composer.popup_is_open(), "commands as ever");
    assert_eq!(desk.composer.mode(), Some(Mode::Insert));
}

#[test]
fn esc_closes_a_popup_and_leaves_insert_mode() {
    let mut desk = desk("");
    desk.files(&["src/a.rs"]).keys("@s");
    assert!(desk.composer.popup_is_open());
    desk.keys("<esc>");
    assert!(!desk.composer.popup_is_open());
    assert_eq!(desk.composer.mode(), Some(Mode::Normal));
    assert_eq!(shown(&desk), "@|s");
}

#[test]
fn the_plus_register_is_the_clipboard() {
    let mut desk = at("|one\ntwo");
    desk.keys("\"+yyj\"+p");
    let wanted = desk.composer.commands_wanted();
    assert!(matches!(
        wanted.as_slice(),
        [UiCommand::Copy(text), UiCommand::PasteClipboard] if text == "one\n"
    ));
    desk.paste("X");
    assert_eq!(desk.composer.draft_text(), "one\ntXwo", "behind the caret");
}

#[test]
fn a_selection_is_seen() {
    let mut desk = at("|one\n\ntwo");
    desk.keys("vjj");
    let (screen, _) = desk.draw(20, 3);
    let theme = Theme::palette(Background::Unknown, Colours::Indexed);
    let marked = |x, y| {
        let style = screen[(x, y)].style();
        let bg = theme.selection.bg.is_none_or(|bg| style.bg == Some(bg));
        bg && style.add_modifier.contains(theme.selection.add_modifier)
    };
    assert!(
        marked(2, 0) && marked(4, 0) && marked(5, 0),
        "with the line's end"
    );
    assert!(marked(2, 1), "an empty line too");
    assert!(marked(2, 2) && !marked(3, 2));
}

fn random_keys() -> impl Strategy<Value = Vec<&'static str>> {
    let key = prop::sample::select(vec![
        "h",
        "j",
        "k",
        "l",
        "w",
        "b",
        "e",
        "W",
        "B",
        "E",
        "0",
        "^",
        "$",
        "g",
        "G",
        "f",
        "F",
        "t",
        "T",
        ";",
        ",",
        "%",
        "{",
        "}",
        "d",
        "c",
        "y",
        ">",
        "<lt>",
        "~",
        "u",
        "U",
        "J",
        "p",
        "P",
        "x",
        "X",
        "r",
        "s",
        "S",
        "D",
        "C",
        "Y",
        "i",
        "a",
        "I",
        "A",
        "o",
        "O",
        "v",
        "V",
        ".",
        "<c-r>",
        "<esc>",
        "\"",
        "+",
        "1",
        "2",
        "3",
        "9",
        "(",
        ")",
        "[",
        "'",
        "日",
        "👩‍👩‍👧",
        " ",
        "<c-j>",
        "<bs>",
        "<del>",
        "<left>",
        "<right>",
        "<up>",
        "<down>",
        "<home>",
        "<end>",
        "<c-w>",
        "<c-_>",
    ]);
    prop::collection::vec(key, 0..60)
}

const TEXTS: [&str; 4] = [
    "",
    "one two (three [four])\n\n  \"five\" {\n\tsix\n}\n",
    "e\u{301}👩‍👩‍👧 日本語\u{301}\n🇩🇪🇩\n\u{200d}",
    "a\nb",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn random_keys_keep_the_caret_on_a_character(
        keys in random_keys(),
        text in prop::sample::select(TEXTS.to_vec()),
    ) {
        let mut desk = desk(text);
        desk.keys("<esc>");
        for key in keys {
            desk.keys(key);
            let buffer = &desk.composer.buffer;
            let caret = buffer.caret();
            let line = buffer.line(caret.line);
            prop_assert!(line.is_char_boundary(caret.byte));
            prop_assert_eq!(buffer::snap(line, caret.byte), caret.byte);
            prop_assert!(buffer.len() <= buffer::LIMIT);
            if desk.composer.mode() == Some(Mode::Normal) && caret.byte > 0 {
                prop_assert!(caret.byte < line.len(), "behind the last character");
            }
            desk.draw(20, 4);
        }
    }

    #[test]
    fn undo_goes_back_to_the_text(
        keys in random_keys(),
        text in prop::sample::select(TEXTS.to_vec()),
    ) {
        let mut desk = desk(text);
        desk.keys("<esc>");
        for key in keys.iter().filter(|key| !matches!(**key, "u" | "<c-r>" | "<c-_>")) {
            desk.keys(key);
        }
        desk.keys("<esc><esc>");
        let end = desk.composer.draft_text();
        let mut undone = 0;
        while desk.composer.draft_text() != text && undone < 100 {
            desk.keys("u");
            undone += 1;
        }
        prop_assert_eq!(desk.composer.draft_text(), text);
        for _ in 0..undone {
            desk.keys("<c-r>");
        }
        prop_assert_eq!(desk.composer.draft_text(), end);
    }
}
