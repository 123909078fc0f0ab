use proptest::prelude::*;

use super::*;
use crate::diff::{HunkSign, hunks};

fn sides(old: Option<&str>, new: &str) -> Claim {
    let safe = |text: &str| SafeText::with_line_ends(text);
    let diff = Diff::of_texts("f".into(), old.map(safe), safe(new));
    Claim::new(diff, Extent::Unknown)
}

fn of(claim: Claim, extent: Extent) -> Claim {
    Claim { extent, ..claim }
}

fn disk(text: &str) -> Base {
    Base {
        file: OnDisk::Text(SafeText::with_line_ends(text)),
        late: false,
    }
}

fn late(text: &str) -> Base {
    Base {
        late: true,
        ..disk(text)
    }
}

fn one(claim: &Claim, base: &Base) -> Diff {
    let mut shown = compare(&[claim], base);
    assert_eq!(shown.len(), 1);
    Diff::clone(&shown.remove(0).unwrap())
}

/// Rows as `12 -text`: numbers of the old side for removed lines, else of the new one.
fn rows(diff: &Diff) -> Vec<String> {
    let DiffText::Patch(patch) = &diff.text else {
        panic!("no patch: {diff:?}")
    };
    let mut rows = Vec::new();
    for hunk in hunks(patch) {
        let (mut old, mut new) = (hunk.old_before, hunk.new_before);
        for line in hunk.lines {
            let (sign, number) = match line.sign {
                HunkSign::Context => {
                    (old, new) = (old + 1, new + 1);
                    (' ', new)
                }
                HunkSign::Removed => {
                    old += 1;
                    ('-', old)
                }
                HunkSign::Added => {
                    new += 1;
                    ('+', new)
                }
            };
            rows.push(format!("{number} {sign}{}", line.text));
        }
    }
    rows
}

fn note(diff: &Diff) -> &str {
    diff.note.as_deref().unwrap_or_default()
}

fn counted(lines: usize) -> String {
    (1..=lines).map(|n| format!("line {n}\n")).collect()
}

#[test]
fn a_fragment_has_the_numbers_of_its_file_whole_lines_and_three_of_context() {
    let file = counted(300).replace("line 200\n", "    let x = old(200);\n");
    let shown = one(&sides(Some("old(200)"), "new(200)"), &disk(&file));
    assert_eq!(shown.change, FileChange::Modify);
    assert_eq!(shown.note, None);
    assert_eq!(
        rows(&shown),
        [
            "197  line 197",
            "198  line 198",
            "199  line 199",
            "200 -    let x = old(200);",
            "200 +    let x = new(200);",
            "201  line 201",
            "202  line 202",
            "203  line 203",
        ]
    );
}

#[test]
fn what_was_written_already_is_told_with_the_same_numbers() {
    let file = counted(300);
    let written = file.replace("line 200\n", "one\ntwo\n");
    let claim = sides(Some("line 200\n"), "one\ntwo\n");
    let before = one(&claim, &disk(&file));
    let after = one(&claim, &late(&written));
    assert_eq!(before, after);
    // Even where what was there still stands in what came.
    let claim = sides(Some("line 200"), "line 200, and more");
    let written = file.replace("line 200\n", "line 200, and more\n");
    let shown = one(&claim, &late(&written));
    assert!(
        rows(&shown).contains(&"200 -line 200".to_owned()),
        "{shown:?}"
    );
}

#[test]
fn a_text_that_stands_elsewhere_by_chance_is_not_taken_for_the_change() {
    // Before the answer: it is not there, whatever else is.
    let shown = one(&sides(Some("nowhere"), "x"), &disk("a\nb x c\n"));
    assert!(note(&shown).starts_with("not found"), "{shown:?}");
    let long = "let it_is_there = already();\n";
    let shown = one(
        &sides(Some("nowhere\n"), long),
        &disk(&format!("a\n{long}")),
    );
    assert_eq!(note(&shown), "the file already has this change");
    // After it: as long as the old text stands, it was not replaced.
    let shown = one(&sides(Some("old"), "x"), &late("a x\nold\n"));
    assert_eq!(rows(&shown), ["1  a x", "2 -old", "2 +x"]);
}

#[test]
fn a_file_that_is_there_is_overwritten_and_none_is_new() {
    let file = counted(326);
    let new = file.replace("line 7\n", "seven\n");
    for claim in [
        sides(None, &new),
        sides(Some(""), &new),
        of(sides(None, &new), Extent::Whole),
    ] {
        let shown = one(&claim, &disk(&file));
        assert_eq!(shown.change, FileChange::Overwrite);
        let changed: Vec<String> = rows(&shown);
        assert_eq!(changed.len(), 8);
        assert!(changed.contains(&"7 -line 7".to_owned()), "{changed:?}");
    }
    let missing = Base {
        file: OnDisk::Missing,
        late: false,
    };
    for claim in [sides(None, "a\n"), sides(Some(""), "a\n")] {
        let shown = one(&claim, &missing);
        assert_eq!(shown.change, FileChange::Add);
        assert!(matches!(shown.text, DiffText::Sides { old: None, .. }));
    }
    let shown = one(&sides(Some("a"), "b"), &missing);
    assert_eq!(note(&shown), "no such file on disk");
}

#[test]
fn a_text_that_is_there_already_is_no_change_before_and_untold_after() {
    let shown = one(&sides(None, "a\n"), &disk("a\n"));
    assert_eq!(note(&shown), "the file already has this text");
    let shown = one(&sides(None, "a\n"), &late("a\n"));
    assert!(
        note(&shown).contains("before it could be compared"),
        "{shown:?}"
    );
    let told = one(&sides(Some("b\n"), "a\n"), &late("a\n"));
    assert_eq!(rows(&told), ["1 -b", "1 +a"]);
}

#[test]
fn a_fragment_that_is_not_there_or_twice_is_shown_as_it_came_with_a_word() {
    let claim = sides(Some("x\n"), "y\n");
    let shown = one(&claim, &disk("a\nb\n"));
    assert_eq!(shown.text, claim.diff.text);
    assert!(note(&shown).starts_with("not found in the file"));
    let shown = one(&claim, &disk("x\nb\nx\n"));
    assert_eq!(shown.text, claim.diff.text);
    assert!(note(&shown).starts_with("found 2 times"));
    // Where something says which one is meant, it is that.
    let hinted = Claim {
        lines: vec![3],
        ..claim.clone()
    };
    let shown = one(&hinted, &disk("x\nb\nx\n"));
    assert_eq!(rows(&shown), ["1  x", "2  b", "3 -x", "3 +y"]);
    let shown = one(&of(claim, Extent::Everywhere), &disk("x\nb\nx\n"));
    assert_eq!(rows(&shown), ["1 -x", "1 +y", "2  b", "3 -x", "3 +y"]);
}

#[test]
fn line_ends_and_a_missing_last_newline_are_the_files_own() {
    let shown = one(&sides(Some("a\nb"), "a\nc"), &disk("z\r\na\r\nb\r\n"));
    assert_eq!(rows(&shown), ["1  z␍", "2  a␍", "3 -b␍", "3 +c␍"]);
    let shown = one(&sides(Some("a\r\nb"), "a\r\nc"), &disk("a\nb\n"));
    assert_eq!(rows(&shown), ["1  a", "2 -b", "2 +c"]);
    let shown = one(&sides(Some("b"), "c"), &disk("a\nb"));
    let DiffText::Patch(patch) = &shown.text else {
        panic!("{shown:?}")
    };
    assert_eq!(patch.matches("\\ No newline").count(), 2, "{patch}");
    let shown = one(&sides(Some("b\n"), "c\n"), &disk("\u{feff}a\nb\n"));
    assert!(rows(&shown).contains(&"2 +c".to_owned()));
    let shown = one(&sides(None, "a\n"), &disk(""));
    assert_eq!(shown.change, FileChange::Overwrite);
    assert_eq!(rows(&shown), ["1 +a"]);
}

#[test]
fn a_dedented_fragment_is_found_and_set_in_again() {
    let file = "fn f() {\n    if a {\n        b();\n    }\n}\n";
    let claim = sides(Some("if a {\n    b();\n}\n"), "if a {\n    c();\n}\n");
    let shown = one(&claim, &disk(file));
    assert!(note(&shown).contains("different indentation"));
    assert!(
        rows(&shown).contains(&"3 +        c();".to_owned()),
        "{shown:?}"
    );
}

#[test]
fn several_changes_of_a_file_are_one_diff() {
    let file = counted(40);
    let claims = [
        sides(Some("line 5\n"), "five\nand more\n"),
        sides(Some("line 30\n"), "thirty\n"),
    ];
    let all: Vec<&Claim> = claims.iter().collect();
    let shown = compare(&all, &disk(&file));
    assert_eq!(shown[1], None);
    let rows = rows(shown[0].as_ref().unwrap());
    assert!(rows.contains(&"30 -line 30".to_owned()), "{rows:?}");
    assert!(rows.contains(&"31 +thirty".to_owned()), "{rows:?}");
    // One that does not fit costs only itself.
    let claims = [claims[0].clone(), sides(Some("no"), "yes")];
    let shown = compare(&[&claims[0], &claims[1]], &disk(&file));
    assert_eq!(note(shown[0].as_ref().unwrap()), "");
    assert!(note(shown[1].as_ref().unwrap()).starts_with("not found"));
}

#[test]
fn a_patch_is_looked_up_too_and_may_have_moved() {
    let file = counted(20);
    let patch = "--- f\n+++ f\n@@ -3,2 +3,2 @@\n line 9\n-line 10\n+ten\n";
    let diff = Diff::of_patch("f".into(), FileChange::Modify, SafeText::new(patch));
    let claim = Claim::new(diff, Extent::Unknown);
    let shown = one(&claim, &disk(&file));
    assert!(
        rows(&shown).contains(&"10 -line 10".to_owned()),
        "{shown:?}"
    );
    let written = file.replace("line 10\n", "ten\n");
    assert_eq!(one(&claim, &late(&written)), shown);
    let shown = one(&claim, &disk("something else\n"));
    assert!(note(&shown).starts_with("not found"));
    let diff = Diff::of_patch(
        "f".into(),
        FileChange::Modify,
        SafeText::new("@@ what\n-a\n"),
    );
    let shown = one(&Claim::new(diff, Extent::Unknown), &disk(&file));
    assert!(note(&shown).contains("cannot be read as a patch"));
}

#[test]
fn a_deleted_file_is_shown_with_what_goes() {
    let mut diff = Diff::of_texts("f".into(), None, SafeText::default());
    (diff.change, diff.text) = (FileChange::Delete, DiffText::None);
    let shown = one(&Claim::new(diff, Extent::Unknown), &disk("a\nb\n"));
    assert_eq!(shown.change, FileChange::Delete);
    assert_eq!(rows(&shown), ["1 -a", "2 -b"]);
}

#[test]
fn what_leaves_hardly_a_line_overwrites_whoever_tells_both_sides() {
    let file = counted(20);
    let kept = |lines: usize| {
        let first = file.lines().take(lines).map(|line| format!("{line}\n"));
        first.collect::<String>() + "all new\n"
    };
    for (lines, expected) in [
        (0, FileChange::Overwrite),
        (2, FileChange::Overwrite),
        (3, FileChange::Modify),
    ] {
        let claim = sides(Some(&file), &kept(lines));
        assert_eq!(one(&claim, &disk(&file)).change, expected, "{lines}");
        // After the write as well.
        let shown = one(&claim, &late(&kept(lines)));
        assert_eq!(shown.change, expected, "{lines}");
    }
    // The one line of a file is edited, and nothing is written where all goes.
    for (old, new) in [("a\n", "b\n"), ("a\nb\n", "")] {
        let shown = one(&sides(Some(old), new), &disk(old));
        assert_eq!(shown.change, FileChange::Modify, "{new}");
    }
}

#[test]
fn what_cannot_be_read_is_said_and_is_no_new_file() {
    let base = Base {
        file: OnDisk::Unread("it has more than 4 MiB".into()),
        late: false,
    };
    let shown = one(&sides(None, "a\n"), &base);
    assert_eq!(shown.change, FileChange::Overwrite);
    assert!(note(&shown).contains("more than 4 MiB"));
    assert_eq!(rows(&shown), ["1 +a"]);
}

proptest! {
    /// What is shown for a fragment of any file, done to the file, is the file after the change.
    #[test]
    fn a_shown_diff_turns_the_file_into_what_the_agent_makes_of_it(
        file in "([a-d]{0,3}\r?\n){0,12}[a-d]{0,2}",
        from in 0_usize..40,
        len in 1_usize..20,
        new in "([a-d]{0,3}\n){0,3}[a-d]{0,2}",
    ) {
        let from = from.min(file.len());
        let end = (from + len).min(file.len());
        let old = &file[from..end];
        // Half of a line's end is no fragment that a text could be told with.
        prop_assume!(!old.is_empty() && !old.starts_with('\n') && !old.ends_with('\r'));
        prop_assume!(file.matches(old).count() == 1 && old != new);
        let after = file.replacen(old, &new, 1);
        let shown = one(&sides(Some(old), &new), &disk(&file));
        prop_assert_eq!(shown.note.as_deref(), None);
        let DiffText::Patch(patch) = &shown.text else {
            return Err(TestCaseError::fail(format!("{shown:?}")));
        };
        let safe = |text: &str| SafeText::with_line_ends(text).to_string();
        let made = hunk::apply(patch, &safe(&file), hunk::Way::Ahead);
        let (before, after) = (safe(&file), safe(&after));
        prop_assert_eq!(made.as_deref().ok(), Some(after.as_str()));
        // Every number is that of the line in its file.
        let sides = [before.split('\n').collect::<Vec<_>>(), after.split('\n').collect()];
        for row in rows(&shown) {
            let (number, rest) = row.split_once(' ').unwrap();
            let side = usize::from(!rest.starts_with('-'));
            let line = sides[side][number.parse::<usize>().unwrap() - 1];
            prop_assert_eq!(line, &rest[1..]);
        }
    }

    /// An overwrite, and its repetition once it is written.
    #[test]
    fn whatever_is_told_of_whatever_file_is_no_panic_and_counts_its_claims(
        file in "[ab\r\n ]{0,20}",
        old in proptest::option::of("[ab\r\n ]{0,6}"),
        new in "[ab\r\n ]{0,6}",
        patch in "(@@ -1,2 [+]1 @@|[ +-]|[ab]|\n){0,20}",
        is_late in any::<bool>(),
    ) {
        let base = if is_late { late(&file) } else { disk(&file) };
        let diff = Diff::of_patch("f".into(), FileChange::Modify, SafeText::new(&patch));
        let claims = [sides(old.as_deref(), &new), Claim::new(diff, Extent::Unknown)];
        for set in [vec![&claims[0]], vec![&claims[1]], vec![&claims[0], &claims[1]]] {
            let shown = compare(&set, &base);
            prop_assert_eq!(shown.len(), set.len());
            prop_assert!(shown[0].is_some());
        }
    }
}
