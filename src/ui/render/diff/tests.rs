use std::sync::mpsc;

use super::*;
use crate::{
    text::SafeText,
    ui::{
        offload::Offload,
        render::testing::{self, Stage, at_widths},
        theme::Background,
    },
};

const ALL: DiffOptions = DiffOptions {
    max_rows: usize::MAX,
    layout: DiffLayout::Auto,
    found: None,
};

fn diff(path: &str, old: Option<&str>, new: &str) -> Arc<Diff> {
    Arc::new(Diff::of_texts(
        path.into(),
        old.map(SafeText::new),
        SafeText::new(new),
    ))
}

fn rows(diff: &Arc<Diff>, options: DiffOptions, width: u16) -> Vec<Row> {
    render_diff(diff, &options, &Stage::dark().ctx(width)).rows
}

fn text(diff: &Arc<Diff>, options: DiffOptions, width: u16) -> String {
    testing::text(&rows(diff, options, width), width)
}

fn numbered(count: usize) -> String {
    (0..count).map(|n| format!("line {n}\n")).collect()
}

fn edit() -> Arc<Diff> {
    let old = numbered(30);
    let new = old
        .replace(
            "line 4\n",
            "line four, which is longer than the others were before it\n",
        )
        .replace("line 20\n", "")
        .replace("line 25\n", "line 25\n\tlet added = \"日本語\";\n");
    diff("src/a.rs", Some(&old), &new)
}

#[test]
fn an_edit_at_every_width() {
    let edit = edit();
    let stage = Stage::dark();
    let shown = at_widths(&stage, |ctx| render_diff(&edit, &ALL, ctx).rows);
    insta::assert_snapshot!(shown);
}

#[test]
fn an_edit_in_colour() {
    let edit = diff(
        "src/a.rs",
        Some("fn a() {\n    one(1);\n}\n"),
        "fn a() {\n    one(2);\n    // two\n}\n",
    );
    for (name, background) in [("dark", Background::Dark), ("unknown", Background::Unknown)] {
        let stage = Stage::new(background);
        let rows = render_diff(&edit, &ALL, &stage.ctx(60)).rows;
        insta::assert_snapshot!(format!("colour_{name}"), testing::coloured(&rows));
    }
}

// V1-TOOL-09
#[test]
fn new_emptied_and_equal_texts_say_what_they_are() {
    let created = diff("notes.txt", None, "one\ntwo\n");
    let emptied = diff("notes.txt", Some("one\ntwo\n"), "");
    let same = diff("notes.txt", Some("one\n"), "one\n");
    let nothing = diff("notes.txt", None, "");
    let all = [created, emptied, same, nothing].map(|diff| text(&diff, ALL, 80));
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn changed_line_ends_are_visible_and_equal_ones_are_not() {
    let diff = |path: &str, old: Option<&str>, new: &str| {
        Arc::new(Diff::of_texts(
            path.into(),
            old.map(SafeText::with_line_ends),
            SafeText::with_line_ends(new),
        ))
    };
    let to_unix = diff("a", Some("one\r\ntwo\r\n"), "one\ntwo\n");
    let shown = text(&to_unix, ALL, 40);
    assert!(
        shown.contains("- one␍") && shown.contains("+ one "),
        "{shown}"
    );
    let dos = diff("a", Some("one\r\ntwo\r\n"), "one\r\n2\r\n");
    assert!(!text(&dos, ALL, 40).contains('␍'));
}

#[test]
fn a_missing_newline_at_the_end_is_told() {
    let shown = text(&diff("a", Some("one"), "one\n"), ALL, 60);
    assert!(shown.contains("- one (no newline at the end)"), "{shown}");
    assert!(!text(&diff("a", Some("one"), "two"), ALL, 60).contains("no newline"));
}

#[test]
fn a_long_diff_is_cut_and_says_how_much_is_left_out() {
    let created = diff("big.txt", None, &numbered(20_000));
    let options = DiffOptions { max_rows: 5, ..ALL };
    let shown = text(&created, options, 40);
    assert_eq!(shown.lines().count(), 6);
    assert!(shown.contains("+19,995 lines"), "{shown}");
    let six = diff("small.txt", None, &numbered(6));
    assert!(
        text(&six, options, 40).contains("line 5"),
        "one line is not left out"
    );
}

// Comparing on the UI task would freeze the screen.
#[test]
fn a_big_diff_is_compared_elsewhere() {
    let (sender, receiver) = mpsc::channel();
    let stage = Stage {
        offload: Offload::new(move || sender.send(()).expect("test waits")),
        ..Stage::dark()
    };
    let big = diff("big.unknown", Some(&numbered(20_000)), &numbered(19_999));
    let ctx = stage.ctx(60);
    let first = render_diff(&big, &ALL, &ctx);
    assert!(first.provisional);
    assert!(testing::text(&first.rows, 60).contains("comparing…"));
    assert_eq!(diff_stats(&big, &stage.offload), None);
    receiver
        .recv_timeout(std::time::Duration::from_secs(60))
        .expect("compared");
    assert_eq!(
        diff_stats(&big, &stage.offload),
        Some(DiffStats {
            added: 0,
            removed: 1
        })
    );
    let small = diff("small.unknown", Some("a\n"), "b\n");
    assert!(diff_stats(&small, &stage.offload).is_some());
}

#[test]
fn a_line_of_a_megabyte_is_cut() {
    let long = diff("a.min.js", None, &"x".repeat(1 << 20));
    let options = DiffOptions {
        max_rows: 1_000,
        ..ALL
    };
    let rows = rows(&long, options, 80);
    assert!(rows.len() < 80, "{} rows", rows.len());
    assert!(testing::text(&rows, 80).contains("more, not shown)"));
}

#[test]
fn both_sides_stand_next_to_each_other_where_there_is_room() {
    let edit = edit();
    assert!(!text(&edit, ALL, 139).contains('│'));
    assert!(text(&edit, ALL, 140).contains('│'));
    let split = DiffOptions {
        layout: DiffLayout::Split,
        ..ALL
    };
    assert!(text(&edit, split, 100).contains('│'));
    assert!(!text(&edit, split, 50).contains('│'));
}

#[test]
fn the_change_in_a_long_line_is_shown_and_not_its_beginning() {
    let old = format!("x = \"{}\"\n", "a".repeat(9_000));
    let new = old.replace("\"\n", "\"; import os; os.system(\"evil\")\n");
    let shown = text(&diff("a.py", Some(&old), &new), ALL, 100);
    assert!(shown.contains("os.system(\"evil\")"), "{shown}");
    assert!(shown.contains("(9 KiB the same)"), "{shown}");
    assert!(!shown.contains("not shown"), "{shown}");
    // Without a counterpart, and in a change that is too long itself, what is not shown is counted.
    let added = text(&diff("a.py", None, &new), ALL, 100);
    assert!(added.contains("more, not shown)"), "{added}");
    let long = format!("x = {}\n", "b".repeat(9_000));
    let replaced = text(&diff("a.py", Some("x = 1\n"), &long), ALL, 100);
    assert!(replaced.contains("more, not shown)"), "{replaced}");
}

#[test]
fn what_a_patch_says_of_a_missing_newline_is_shown() {
    let end = "\\ No newline at end of file\n";
    let patch = format!("--- a\n+++ a\n@@ -1 +1 @@\n-x\n{end}+y\n{end}");
    let diff = crate::model::Diff::of_patch(
        "a".into(),
        crate::model::FileChange::Modify,
        crate::text::SafeText::with_line_ends(&patch),
    );
    let rows = render_diff(&std::sync::Arc::new(diff), &ALL, &Stage::dark().ctx(80)).rows;
    let said = |row: &&Row| row.line.to_string().contains("(no newline at the end)");
    assert_eq!(rows.iter().filter(said).count(), 2);
}
