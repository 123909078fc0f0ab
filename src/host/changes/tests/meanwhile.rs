//! Others work on a file while it is put back; and what a merge may take.

use std::{cell::Cell, rc::Rc, time::Instant};

use super::{
    super::fault::{MEANWHILE, PLAIN},
    *,
};

/// Does this at that moment of each file that is put back on this thread, the first few times.
fn at_moment(moment: &'static str, times: usize, mut act: impl FnMut(&Path) + 'static) -> Others {
    let left = Rc::new(Cell::new(times));
    let count = left.clone();
    MEANWHILE.set(Some(Box::new(move |now, path| {
        if now == moment && count.get() > 0 {
            count.set(count.get() - 1);
            act(path);
        }
    })));
    Others(left)
}

struct Others(Rc<Cell<usize>>);

impl Drop for Others {
    fn drop(&mut self) {
        MEANWHILE.set(None);
        PLAIN.set(false);
    }
}

fn text(changed: &[(usize, &str)]) -> String {
    let mut lines: Vec<String> = (0..20).map(|n| format!("line {n}\n")).collect();
    for (at, text) in changed {
        lines[*at] = format!("{text}\n");
    }
    lines.concat()
}

fn undo(changes: &Changes, from: CheckpointId, to: CheckpointId) -> UndoReport {
    let selection = Selection {
        from,
        to,
        parts: None,
        keep: std::collections::BTreeSet::new(),
    };
    let cause = Cause::of(CauseKind::Undo);
    changes.undo(&selection, cause, false).unwrap()
}

fn names(project: &Project) -> Vec<String> {
    let names = fs::read_dir(&project.root).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn what_is_saved_while_a_file_is_put_back_is_merged() {
    // Where there are only plain renames the last moment cannot be seen.
    for (moment, plain) in [("read", false), ("checked", false), ("read", true)] {
        let project = Project::new();
        project.write("file", text(&[]));
        let changes = project.open();
        let first = changes.looked().at;
        project.write("file", text(&[(3, "agent")]));
        let second = changes.looked().at;
        PLAIN.set(plain);
        let saved = at_moment(moment, 2, |path| {
            let now = fs::read_to_string(path).unwrap();
            let last = now
                .replace("line 19", "person")
                .replace("person\n", "person!\n");
            fs::write(path, last).unwrap();
        });
        let report = undo(&changes, first, second);
        assert_eq!(saved.0.get(), 0);
        assert_eq!(report.refused, []);
        assert_eq!(report.merged, [project.path("file")]);
        let now = String::from_utf8(project.read("file")).unwrap();
        assert_eq!(now, text(&[(19, "person!")]), "{moment} {plain}");
        assert_eq!(names(&project), ["file"]);
    }
}

#[test]
fn what_goes_on_changing_stays_and_that_is_said() {
    let project = Project::new();
    project.write("file", "one\n");
    let changes = project.open();
    let first = changes.looked().at;
    project.write("file", "two\n");
    let second = changes.looked().at;
    let _saved = at_moment("checked", usize::MAX, |path| {
        let mode = fs::metadata(path).unwrap().permissions().mode() ^ 0o100;
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    });
    let report = undo(&changes, first, second);
    let why = "it goes on changing: put it back once nothing writes to it".to_owned();
    assert_eq!(report.refused, [(project.path("file"), why)]);
    assert!(report.done.is_empty());
    assert_eq!(project.read("file"), b"two\n");
    assert_eq!(names(&project), ["file"]);
}

#[test]
fn what_comes_to_be_there_meanwhile_is_not_written_over() {
    for moment in ["read", "checked"] {
        let project = Project::new();
        project.write("gone", "one\n");
        symlink("old", project.path("link")).unwrap();
        let changes = project.open();
        let first = changes.looked().at;
        fs::remove_file(project.path("gone")).unwrap();
        fs::remove_file(project.path("link")).unwrap();
        symlink("agent", project.path("link")).unwrap();
        project.write("made", "agent\n");
        let second = changes.looked().at;
        let _saved = at_moment(moment, 3, |path| match path.file_name().unwrap().to_str() {
            Some("link") => {
                fs::remove_file(path).unwrap();
                symlink("person", path).unwrap();
            }
            _ => fs::write(path, "person\n").unwrap(),
        });
        let report = undo(&changes, first, second);
        assert!(report.done.is_empty(), "{moment}: {:?}", report.done);
        assert_eq!(report.conflicts.len(), 3, "{moment}");
        assert_eq!(project.read("gone"), b"person\n", "{moment}");
        assert_eq!(project.read("made"), b"person\n", "{moment}");
        let link = fs::read_link(project.path("link")).unwrap();
        assert_eq!(link, Path::new("person"), "{moment}");
        assert_eq!(names(&project), ["gone", "link", "made"]);
    }
}

#[test]
fn a_kept_file_that_grew_too_large_comes_back_unless_it_was_touched_since() {
    let project = Project::new();
    project.write("file", "one\n");
    let bounds = Bounds {
        one_file: 100,
        ..Bounds::default()
    };
    let changes = project.open_with(bounds);
    let first = changes.looked().at;
    project.write("file", "x".repeat(200));
    project.write("made", "x".repeat(200));
    let second = changes.looked().at;
    project.write("file", "y".repeat(200));
    let report = undo(&changes, first, second);
    assert_eq!(report.refused.len(), 2, "{:?}", report.refused);
    let third = changes.looked().at;
    let report = undo(&changes, first, third);
    assert_eq!(report.done, [project.path("file")]);
    assert_eq!(project.read("file"), b"one\n");
    // Nothing could bring it back.
    assert_eq!(report.refused.len(), 1);
    assert_eq!(project.read("made"), "x".repeat(200).as_bytes());
}

#[test]
fn a_merge_has_a_bound_in_lines_that_differ() {
    let lines =
        |n: usize, of: &str| -> Vec<String> { (0..n).map(|n| format!("{of}{n}\n")).collect() };
    // Rewritten lines count twice: one removed, one added.
    for (rewritten, merges) in [(2_500, true), (2_501, false), (100_000, false)] {
        let project = Project::new();
        let (head, tail) = (lines(50, "head"), lines(50, "tail"));
        let with = |middle: Vec<String>| [head.clone(), middle, tail.clone()].concat().concat();
        project.write("file", with(lines(rewritten, "a")));
        let changes = project.open();
        let first = changes.looked().at;
        let now = with(lines(rewritten, "b"));
        project.write("file", &now);
        let second = changes.looked().at;
        let now = now.replace("tail49\n", "person\n");
        project.write("file", &now);
        let began = Instant::now();
        let report = undo(&changes, first, second);
        eprintln!("{rewritten}: {:?}", began.elapsed());
        assert_eq!(report.done.len(), usize::from(merges), "{rewritten}");
        if merges {
            let expected = with(lines(rewritten, "a")).replace("tail49\n", "person\n");
            assert_eq!(project.read("file"), expected.as_bytes());
        } else {
            let words = &report.conflicts[0].words;
            assert!(
                words.starts_with("too many lines differ to be merged"),
                "{words}"
            );
            assert_eq!(project.read("file"), now.as_bytes());
        }
    }
}
