//! Putting back.

use super::*;

fn part(project: &Project, name: &str) -> UndoPart {
    UndoPart::File(project.path(name))
}

fn undo(changes: &Changes, from: CheckpointId, parts: Vec<UndoPart>) -> UndoReport {
    let to = changes.looked().at;
    let parts = Some(parts);
    let selection = Selection {
        from,
        to,
        parts,
        keep: std::collections::BTreeSet::new(),
    };
    changes
        .undo(&selection, Cause::of(CauseKind::Undo), false)
        .unwrap()
}

#[test]
fn every_byte_and_bit_comes_back_and_can_be_made_again() {
    let project = Project::new();
    let texts: [(&str, &[u8]); 4] = [
        ("crlf", b"\xef\xbb\xbfa\r\nb\r\n"),
        ("unended", b"a\nb"),
        ("binary", b"\0\xff\x01"),
        ("sub/only", b"deep\n"),
    ];
    for (name, text) in texts {
        project.write(name, text);
        fs::set_permissions(project.path(name), Permissions::from_mode(0o640)).unwrap();
    }
    symlink("../nowhere", project.path("link")).unwrap();
    fs::create_dir(project.path("empty")).unwrap();
    let changes = project.open();
    let first = changes.looked().at;

    let change = |project: &Project| {
        project.write("crlf", "a\nb\n");
        project.write("unended", "a\nb\n");
        project.write("binary", "text");
        fs::set_permissions(project.path("binary"), Permissions::from_mode(0o755)).unwrap();
        fs::remove_dir_all(project.path("sub")).unwrap();
        fs::remove_dir(project.path("empty")).unwrap();
        fs::remove_file(project.path("link")).unwrap();
        symlink("elsewhere", project.path("link")).unwrap();
        project.write("made/deep/file", "made\n");
    };
    change(&project);
    let report = changes.undo_all(first);
    assert_eq!(report.refused, []);
    assert!(report.conflicts.is_empty() && report.merged.is_empty());
    assert_eq!(report.done.len(), 6);
    for (name, text) in texts {
        assert_eq!(project.read(name), text, "{name}");
        let mode = fs::metadata(project.path(name))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o7777, 0o640, "{name}");
    }
    assert_eq!(
        fs::read_link(project.path("link")).unwrap(),
        Path::new("../nowhere")
    );
    assert!(!project.path("made").exists(), "its folders were made too");
    assert!(project.path("empty").is_dir());
    assert_eq!(changes.told(first), []);

    let report = changes
        .redo(report.checkpoints.unwrap(), Cause::default())
        .unwrap();
    assert_eq!(report.refused, []);
    assert_eq!(project.read("crlf"), b"a\nb\n");
    assert_eq!(project.read("made/deep/file"), b"made\n");
    assert!(!project.path("sub").exists(), "or it is empty");
    assert_eq!(
        fs::read_link(project.path("link")).unwrap(),
        Path::new("elsewhere")
    );
}

#[test]
fn a_folder_that_was_there_before_stays_and_so_does_what_is_not_empty() {
    let project = Project::new();
    fs::create_dir(project.path("old")).unwrap();
    let changes = project.open();
    let first = changes.looked().at;
    project.write("old/file", "x");
    project.write("new/file", "x");
    let second = changes.looked().at;
    project.write("new/mine", "not the agent's");
    let selection = Selection {
        from: first,
        to: second,
        parts: None,
        keep: std::collections::BTreeSet::new(),
    };
    let report = changes
        .undo(&selection, Cause::of(CauseKind::Undo), false)
        .unwrap();
    assert_eq!(report.done.len(), 2);
    assert!(project.path("old").is_dir());
    assert_eq!(project.read("new/mine"), b"not the agent's");
}

#[test]
fn what_changed_since_is_merged_or_left() {
    let project = Project::new();
    let lines = |changed: &[(usize, &str)]| -> String {
        let line = |n: usize| {
            changed
                .iter()
                .find(|(at, _)| *at == n)
                .map_or(format!("line {n}"), |(_, text)| (*text).to_owned())
        };
        (0..20).map(|n| line(n) + "\n").collect()
    };
    project.write("merged", lines(&[]));
    project.write("conflict", lines(&[]));
    project.write("mine", "x\n");
    let changes = project.open();
    let first = changes.looked().at;
    project.write("merged", lines(&[(3, "agent")]));
    project.write("conflict", lines(&[(3, "agent")]));
    project.write("made", "agent\n");
    fs::remove_file(project.path("mine")).unwrap();
    let second = changes.looked().at;
    project.write("merged", lines(&[(3, "agent"), (15, "person")]));
    project.write("conflict", lines(&[(3, "person")]));
    project.write("made", "agent\nperson\n");
    project.write("mine", "person\n");
    let selection = Selection {
        from: first,
        to: second,
        parts: None,
        keep: std::collections::BTreeSet::new(),
    };
    let dry = changes
        .undo(&selection, Cause::of(CauseKind::Undo), true)
        .unwrap();
    assert_eq!(
        project.read("merged"),
        lines(&[(3, "agent"), (15, "person")]).as_bytes()
    );
    let report = changes
        .undo(&selection, Cause::of(CauseKind::Undo), false)
        .unwrap();
    assert_eq!(
        (&dry.done, &dry.conflicts),
        (&report.done, &report.conflicts)
    );
    assert_eq!(report.merged, [project.path("merged")]);
    assert_eq!(project.read("merged"), lines(&[(15, "person")]).as_bytes());
    let names: Vec<_> = report
        .conflicts
        .iter()
        .map(|conflict| conflict.path.clone())
        .collect();
    assert_eq!(
        names,
        ["conflict", "made", "mine"].map(|name| project.path(name))
    );
    let marked = String::from_utf8(report.conflicts[0].marked.clone()).unwrap();
    assert!(
        marked.contains("<<<<<<<") && marked.contains("person"),
        "{marked}"
    );
    assert_eq!(project.read("conflict"), lines(&[(3, "person")]).as_bytes());
    assert_eq!(project.read("made"), b"agent\nperson\n");
    assert_eq!(project.read("mine"), b"person\n");
}

#[test]
fn hunks_are_put_back_alone() {
    let project = Project::new();
    let old: String = (0..30).map(|n| format!("{n}\n")).collect();
    project.write("file", &old);
    let changes = project.open();
    let first = changes.looked().at;
    let new = old
        .replace("\n5\n", "\nfive\n")
        .replace("\n20\n", "\n20\nmore\n");
    project.write("file", &new);
    let hunk = |before, after| HunkRange { before, after };
    let hunks = UndoPart::Hunks(project.path("file"), vec![hunk(5..6, 5..6)]);
    let report = undo(&changes, first, vec![hunks]);
    assert_eq!(report.done.len(), 1);
    assert_eq!(
        project.read("file"),
        old.replace("\n20\n", "\n20\nmore\n").as_bytes()
    );
    // Of what is there now.
    let hunks = UndoPart::Hunks(project.path("file"), vec![hunk(21..21, 21..22)]);
    undo(&changes, first, vec![hunks]);
    assert_eq!(project.read("file"), old.as_bytes());
    // Lines that there are not.
    project.write("file", &new);
    let hunks = UndoPart::Hunks(project.path("file"), vec![hunk(0..99, 0..1)]);
    let report = undo(&changes, first, vec![hunks]);
    assert_eq!(report.refused.len(), 1);
    assert_eq!(project.read("file"), new.as_bytes());
}

#[test]
fn a_file_that_moved_goes_back() {
    let project = Project::new();
    let text: String = (0..40).map(|n| format!("line {n}\n")).collect();
    project.write("old.rs", &text);
    let changes = project.open();
    let first = changes.looked().at;
    fs::remove_file(project.path("old.rs")).unwrap();
    project.write("new.rs", text.replace("line 7\n", "seven\n"));
    let hunk = HunkRange {
        before: 7..8,
        after: 7..8,
    };
    let hunks = UndoPart::Hunks(project.path("new.rs"), vec![hunk]);
    undo(&changes, first, vec![hunks]);
    assert_eq!(project.read("new.rs"), text.as_bytes());
    assert!(!project.path("old.rs").exists());
    undo(&changes, first, vec![part(&project, "new.rs")]);
    assert!(!project.path("new.rs").exists());
    assert_eq!(project.read("old.rs"), text.as_bytes());
}

/// Forty lines, some of them changed.
fn forty(changed: &[(usize, &str)]) -> String {
    let word = |n| changed.iter().find(|(at, _)| *at == n);
    (0..40)
        .map(|n| format!("{} {n}\n", word(n).map_or("line", |(_, word)| word)))
        .collect()
}

#[test]
fn a_file_that_moved_takes_along_what_was_changed_since_or_stays() {
    let (agent, person) = ((20, "agent"), (30, "person"));
    for in_between in [false, true] {
        let project = Project::new();
        project.write("old", forty(&[]));
        let changes = project.open();
        let first = changes.looked().at;
        fs::remove_file(project.path("old")).unwrap();
        project.write("new/name", forty(&[agent]));
        changes.looked();
        project.write("new/name", forty(&[agent, person]));
        // Seen as the person's own, or not at all before the undo.
        let persons = changes.looked().at;
        let to = if in_between {
            persons
        } else {
            CheckpointId(persons.0 - 1)
        };
        let selection = Selection {
            from: first,
            to,
            parts: None,
            keep: [persons].into(),
        };
        let put_back = |dry| {
            changes
                .undo(&selection, Cause::of(CauseKind::Undo), dry)
                .unwrap()
        };
        let (dry, report) = (put_back(true), put_back(false));
        assert_eq!((&dry.done, &dry.moved), (&report.done, &report.moved));
        assert_eq!(report.done, [project.path("old")], "{report:?}");
        assert_eq!(report.merged, report.done);
        assert_eq!(
            report.moved,
            [(project.path("old"), project.path("new/name"))]
        );
        assert_eq!(project.read("old"), forty(&[person]).as_bytes());
        assert!(!project.path("new").exists());
        // And there again.
        let both = report.checkpoints.unwrap();
        changes.redo(both, Cause::default()).unwrap();
        assert!(!project.path("old").exists());
        assert_eq!(project.read("new/name"), forty(&[agent, person]).as_bytes());
        // The same lines: both names are left as they are.
        project.write("new/name", forty(&[(20, "mine")]));
        let report = put_back(false);
        assert!(
            report.done.is_empty() && report.conflicts.len() == 1,
            "{report:?}"
        );
        assert_eq!(report.conflicts[0].path, project.path("new/name"));
        assert_eq!(project.read("new/name"), forty(&[(20, "mine")]).as_bytes());
        assert!(!project.path("old").exists());
        // Another file has the name by now.
        project.write("new/name", forty(&[agent, person]));
        project.write("old", "another\n");
        let report = put_back(false);
        assert!(
            report.done.is_empty() && report.conflicts.len() == 1,
            "{report:?}"
        );
        assert!(report.conflicts[0].words.contains("move it away"));
        assert_eq!(project.read("old"), b"another\n");
    }
}

#[test]
fn no_link_is_followed_out_of_the_project() {
    let project = Project::new();
    let outside = project.root.parent().unwrap().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("file"), "outside\n").unwrap();
    project.write("sub/file", "one\n");
    let changes = project.open();
    let first = changes.looked().at;
    project.write("sub/file", "two\n");
    let second = changes.looked().at;
    fs::rename(project.path("sub"), project.path("away")).unwrap();
    symlink(&outside, project.path("sub")).unwrap();
    let selection = Selection {
        from: first,
        to: second,
        parts: None,
        keep: std::collections::BTreeSet::new(),
    };
    let report = changes
        .undo(&selection, Cause::of(CauseKind::Undo), false)
        .unwrap();
    assert!(report.done.is_empty());
    assert_eq!(fs::read(outside.join("file")).unwrap(), b"outside\n");
}

#[test]
fn what_is_no_file_and_stands_in_the_place_of_one_stays() {
    let project = Project::new();
    project.write("file", "one\n");
    let changes = project.open();
    let first = changes.looked().at;
    fs::remove_file(project.path("file")).unwrap();
    let (kind, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU);
    rustix::fs::mknodat(rustix::fs::CWD, project.path("file"), kind, mode, 0).unwrap();
    let report = undo(&changes, first, vec![part(&project, "file")]);
    assert!(report.done.is_empty());
    let why = "a pipe, socket or device is there".to_owned();
    assert_eq!(report.refused, [(project.path("file"), why)]);
    assert!(!project.path("file").is_file());
}

#[test]
fn a_patch_is_what_git_applies() {
    let project = Project::new();
    let text: String = (0..40).map(|n| format!("line {n}\n")).collect();
    project.git(&["init", "-q"]);
    project.write("changed file", &text);
    project.write("unended", "a\nb");
    project.write("deleted", "gone\n");
    project.write("old.rs", text.replace("line", "row"));
    project.write("run.sh", "x\n");
    project.write("latin", b"caf\xe9\n");
    symlink("a", project.path("link")).unwrap();
    let changes = project.open();
    let first = changes.looked().at;
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "x"]);
    project.write("changed file", text.replace("line 3\n", "three\n"));
    project.write("unended", "a\nc");
    fs::remove_file(project.path("deleted")).unwrap();
    fs::remove_file(project.path("old.rs")).unwrap();
    project.write(
        "é \"new\".rs",
        text.replace("line", "row").replace("row 9\n", ""),
    );
    fs::set_permissions(project.path("run.sh"), Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(project.path("deleted"), Permissions::from_mode(0o755)).ok();
    project.write("latin", b"th\xe9\n");
    project.write("made/empty", "");
    fs::remove_file(project.path("link")).unwrap();
    project.write("link", "a file now\n");
    let files = changes.since(first);
    let patch = changes.patch(&files, &project.root).unwrap();
    project.git(&["add", "-A"]);
    let tree = project.git(&["write-tree"]);
    project.git(&["reset", "-q", "--hard"]);
    let file = project.root.parent().unwrap().join("patch");
    fs::write(&file, &patch).unwrap();
    project.git(&["apply", "--index", file.to_str().unwrap()]);
    let shown = String::from_utf8_lossy(&patch).into_owned();
    assert_eq!(project.git(&["write-tree"]), tree, "{shown}");
    assert!(shown.contains("rename from old.rs"), "{shown}");
}

/// All there is: of a file its mode and bytes, of a link where it leads.
pub(super) fn tree(root: &Path) -> Vec<(PathBuf, u32, Vec<u8>)> {
    use std::os::unix::ffi::OsStringExt;
    let mut all = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let meta = fs::symlink_metadata(&path).unwrap();
            let mode = meta.permissions().mode();
            if meta.is_dir() {
                folders.push(path.clone());
                all.push((path, 0, Vec::new()));
            } else if meta.is_symlink() {
                let target = fs::read_link(&path).unwrap().into_os_string().into_vec();
                all.push((path, 0, target));
            } else {
                let content = fs::read(&path).unwrap();
                all.push((path, mode, content));
            }
        }
    }
    all.sort();
    all
}

/// One of what an agent may do with a name. What fails is passed over.
fn act(path: &Path, kind: u8, text: &[u8]) {
    let is_folder = path.symlink_metadata().is_ok_and(|meta| meta.is_dir());
    match kind {
        0 => {
            let _ = path.parent().map(fs::create_dir_all);
            if !path.is_symlink() {
                let _ = fs::write(path, text);
            }
        }
        1 => {
            let _ = match is_folder {
                true => fs::remove_dir_all(path),
                false => fs::remove_file(path),
            };
        }
        2 => {
            let _ = path.parent().map(fs::create_dir_all);
            let _ = symlink("a/target", path);
        }
        3 => {
            let _ = fs::create_dir_all(path);
        }
        _ => {
            if !path.is_symlink() && path.is_file() {
                let mode = 0o600 | (u32::from(text.first().copied().unwrap_or(0)) & 0o111);
                let _ = fs::set_permissions(path, Permissions::from_mode(mode));
            }
        }
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(48))]
    #[test]
    fn whatever_was_done_all_of_it_comes_back(
        before in proptest::collection::vec(("[ab]{1,2}(/[ab]){0,2}", 0_u8..5, proptest::collection::vec(0_u8.., 0..40)), 0..8),
        turns in proptest::collection::vec(
            proptest::collection::vec(("[ab]{1,2}(/[ab]){0,2}", 0_u8..5, proptest::collection::vec(0_u8.., 0..40)), 0..6),
            1..3,
        ),
    ) {
        let project = Project::new();
        for (name, kind, text) in &before {
            act(&project.path(name), *kind, text);
        }
        let was = tree(&project.root);
        let changes = project.open();
        let first = changes.looked().at;
        for turn in &turns {
            for (name, kind, text) in turn {
                act(&project.path(name), *kind, text);
            }
            changes.looked();
        }
        let changed = tree(&project.root);
        let report = changes.undo_all(first);
        proptest::prop_assert_eq!(&report.refused, &[]);
        proptest::prop_assert_eq!(tree(&project.root), was);
        if let Some(undone) = report.checkpoints {
            changes.redo(undone, Cause::default()).unwrap();
            proptest::prop_assert_eq!(tree(&project.root), changed);
        }
    }
}
