use super::*;

fn pictures(name: &str, mut make: impl FnMut() -> Desk, max: u16) {
    for width in [20, 80, 200] {
        insta::assert_snapshot!(format!("{name}_{width}"), make().picture(width, max));
    }
}

#[test]
fn nothing_typed() {
    pictures("nothing_typed", Desk::new, 5);
}

#[test]
fn wide_text_and_chips_wrap() {
    let make = || {
        let mut desk = Desk::new();
        desk.files(&["src/ui/composer/layout.rs"]);
        desk.keys("日本語テスト and 👩‍👩‍👧 e\u{301} ｶﾞ: see @layout<tab>");
        desk.paste(&"line\n".repeat(120));
        desk.keys(" which tells that the rows are broken between words<c-j>");
        desk.paste("\tindented\x1b[31m");
        desk.keys("<up><end>");
        desk
    };
    pictures("wide_text_and_chips", make, 12);
}

#[test]
fn a_long_draft_scrolls_inside() {
    let make = || {
        let lines: Vec<String> = (1..=30).map(|n| format!("line {n}")).collect();
        let mut desk = Desk::with(&lines.join("\n"));
        desk.draw(20, 5);
        desk.keys("<up><up><up><up><up><up>");
        desk
    };
    pictures("scrolled", make, 5);
}

fn agent() -> Desk {
    let mut desk = Desk::new();
    desk.command("review", Some("[commit|branch|pr]"))
        .command("init", None)
        .command("memory show", None)
        .command("a-command-with-a-rather-long-name-of-its-own", None);
    for n in 0..10 {
        desk.command(&format!("skill-{n}"), None);
    }
    desk
}

#[test]
fn commands_popup() {
    pictures(
        "commands",
        || {
            let mut desk = agent();
            desk.keys("/e<down>");
            desk
        },
        5,
    );
    pictures(
        "all_commands",
        || {
            let mut desk = agent();
            desk.keys("/<up><up>");
            desk
        },
        5,
    );
}

#[test]
fn the_hint_of_a_command_is_a_ghost() {
    pictures(
        "ghost",
        || {
            let mut desk = agent();
            desk.keys("/rev<tab>");
            desk
        },
        5,
    );
}

#[test]
fn files_popup() {
    pictures(
        "files",
        || {
            let mut desk = Desk::new();
            desk.files(&[
                "src/main.rs",
                "src/ui/composer/popup/a_file_in_there.rs",
                "docs/日本語/メモ.md",
                "README.md",
            ]);
            desk.keys("explain @md<down>");
            desk
        },
        5,
    );
    pictures(
        "no_files_yet",
        || {
            let mut desk = Desk::new();
            desk.keys("@x");
            desk
        },
        5,
    );
}

#[test]
fn search_popup() {
    pictures(
        "search",
        || {
            let mut desk = Desk::new();
            desk.composer.set_history(History::of(vec![
                "fix the parser".into(),
                "add tests\n  for the Parser of 日本語\nand more".into(),
                "other".into(),
            ]));
            desk.keys("draft");
            desk.composer.open_history_search();
            desk.keys("parse<down>");
            desk
        },
        5,
    );
}

/// The cell before the cursor is the end of what was typed, for any text.
#[test]
fn the_cursor_stands_behind_the_last_cell() {
    for (keys, column) in [
        ("", 2),
        ("日本語テスト", 14),
        ("日本語テスト<bs>x", 13),
        ("a👩‍👩‍👧b<left>", 5),
        ("e\u{301}", 3),
        ("ｶﾞ", 4),
        ("ｶﾞ<left>", 2),
    ] {
        let (_, cursor) = Desk::new().keys(keys).draw(80, 5);
        assert_eq!((cursor.x, cursor.y), (column, 0), "{keys}");
    }
}

#[test]
fn tiny_areas_are_drawn_without_harm() {
    for width in 1..6 {
        for height in 1..4 {
            let mut desk = agent();
            desk.paste(&"日本 \n".repeat(20)).keys("日本語 abc<c-a>/");
            desk.draw(width, height);
        }
    }
}
