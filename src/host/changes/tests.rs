use std::{
    fs::Permissions,
    os::unix::fs::{PermissionsExt, symlink},
    process::Command,
};

use super::*;
use crate::model::{
    ChangeKind, ChangedFile, Content, HunkRange, Left, Selection, UndoPart, UndoReport,
};

mod faults;
mod git;
mod keeping;
mod kinds;
mod meanwhile;
mod turns;
mod undo;

/// A project, the store of its changes, and what its files are.
pub(super) struct Project {
    _dir: tempfile::TempDir,
    pub root: PathBuf,
    pub store: PathBuf,
}

impl Project {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let (root, store) = (base.join("project"), base.join("state/store"));
        fs::create_dir(&root).unwrap();
        Self {
            _dir: dir,
            root,
            store,
        }
    }

    /// In a folder that is there, as another process has it.
    pub fn within(base: &Path) -> Self {
        let (root, store) = (base.join("project"), base.join("state/store"));
        fs::create_dir_all(&root).unwrap();
        Self {
            _dir: tempfile::tempdir().unwrap(),
            root,
            store,
        }
    }

    pub fn open_with(&self, bounds: Bounds) -> Changes {
        let roots = Roots::new(&self.root, &[]).unwrap();
        Changes::open(&self.store, roots, bounds).unwrap()
    }

    pub fn open(&self) -> Changes {
        self.open_with(Bounds::default())
    }

    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root.join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.root.join(name)).unwrap()
    }

    pub fn git(&self, words: &[&str]) -> String {
        let out = Command::new("git")
            .current_dir(&self.root)
            .args(["-c", "user.name=n", "-c", "user.email=e@e"])
            .args(words)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .unwrap();
        assert!(out.status.success(), "{words:?}: {out:?}");
        String::from_utf8(out.stdout).unwrap()
    }
}

impl Changes {
    pub fn looked(&self) -> LookReport {
        self.look(Cause::default(), &|| false).unwrap()
    }

    pub fn since(&self, from: CheckpointId) -> Vec<ChangedFile> {
        let to = self.looked().at;
        self.changes(from, to).unwrap()
    }

    /// Kinds and names of what changed.
    pub fn told(&self, from: CheckpointId) -> Vec<(ChangeKind, String)> {
        let root = self.roots.cwd().to_owned();
        let name = |file: &ChangedFile| {
            let below = file.path.strip_prefix(&root).unwrap_or(&file.path);
            below.to_string_lossy().into_owned()
        };
        let files = self.since(from);
        files.iter().map(|file| (file.kind, name(file))).collect()
    }

    pub fn undo_all(&self, from: CheckpointId) -> UndoReport {
        let selection = Selection {
            from,
            to: self.looked().at,
            parts: None,
            keep: std::collections::BTreeSet::new(),
        };
        self.undo(&selection, Cause::of(CauseKind::Undo), false)
            .unwrap()
    }
}

#[test]
fn what_a_rest_lets_go_of_is_there_when_it_is_wanted() {
    let project = Project::new();
    let path = project.write("a", "one\n");
    project.write("b", "same\n");
    let changes = project.open();
    let first = changes.looked();
    assert!(!changes.rest_above(2), "a small project keeps it");
    assert!(changes.rest_above(1));
    assert!(!changes.rest_above(1), "it is gone");
    project.write("a", "two\n");
    changes.take(&[path], Cause::of(CauseKind::Named)).unwrap();
    // What was taken is not on the disk for sure before this.
    assert!(changes.rest_above(0));
    let files = changes.since(first.at);
    let blobs = |file: &ChangedFile| [file.before.blob().unwrap(), file.after.blob().unwrap()];
    let [before, after] = blobs(&files[0]);
    assert_eq!(files.len(), 1);
    for _ in 0..2 {
        assert_eq!(changes.content(before).unwrap(), b"one\n");
        assert_eq!(changes.content(after).unwrap(), b"two\n");
        changes.rest_above(0);
    }
    let bytes = changes.store.bytes().unwrap();
    assert_eq!(
        bytes,
        changes.store.with(|packs| Ok(packs.bytes())).unwrap()
    );
}

#[test]
fn a_first_look_finds_nothing_and_later_ones_what_changed() {
    let project = Project::new();
    project.write("same", "same\n");
    project.write("changed", "one\n");
    project.write("sub/deleted", "gone\n");
    project.write("run.sh", "#!/bin/sh\n");
    symlink("changed", project.path("link")).unwrap();
    let changes = project.open();
    let first = changes.looked();
    assert_eq!((first.changed, first.files), (0, 5));
    let again = changes.looked().at;
    assert_eq!(
        changes.changes(first.at, again).unwrap(),
        [],
        "nothing differs"
    );

    project.write("changed", "two\n");
    project.write("new/deep/file", "new\n");
    fs::remove_file(project.path("sub/deleted")).unwrap();
    fs::set_permissions(project.path("run.sh"), Permissions::from_mode(0o755)).unwrap();
    fs::remove_file(project.path("link")).unwrap();
    symlink("same", project.path("link")).unwrap();
    use ChangeKind::{Added, Deleted, Mode, Modified};
    let told = [
        (Modified, "changed"),
        (Modified, "link"),
        (Added, "new/deep/file"),
        (Mode, "run.sh"),
        (Deleted, "sub/deleted"),
    ];
    let told = told.map(|(kind, name)| (kind, name.to_owned()));
    assert_eq!(changes.told(first.at), told);
    // Another run of the program says the same.
    drop(changes);
    let changes = project.open();
    assert_eq!(changes.told(first.at), told);
    let files = changes.since(first.at);
    let content = |state: &FileState| changes.content(state.blob().unwrap()).unwrap();
    assert_eq!(content(&files[0].before), b"one\n");
    assert_eq!(content(&files[0].after), b"two\n");
    assert_eq!(content(&files[4].before), b"gone\n");
}

#[test]
fn what_is_changed_back_is_no_change() {
    let project = Project::new();
    project.write("file", "one\n");
    let changes = project.open();
    let first = changes.looked().at;
    project.write("file", "two\n");
    project.write("made", "x");
    let second = changes.looked().at;
    project.write("file", "one\n");
    fs::remove_file(project.path("made")).unwrap();
    assert_eq!(changes.told(first), []);
    assert_eq!(changes.since(second).len(), 2);
}

#[test]
fn a_change_of_the_same_size_right_after_a_look_is_found() {
    let project = Project::new();
    let path = project.write("file", "0000");
    let changes = project.open();
    for n in 1..30 {
        changes.looked();
        fs::write(&path, format!("{n:04}")).unwrap();
        assert_eq!(changes.looked().changed, 1, "{n}");
    }
}

#[test]
fn ignored_files_count_once_they_are_named() {
    let project = Project::new();
    project.write(".gitignore", "*.log\nbuild/\n");
    let log = project.write("a.log", "before\n");
    project.write("build/out", "x");
    project.write(".git/HEAD", "ref: refs/heads/main\n");
    let changes = project.open();
    let first = changes.looked();
    assert_eq!(first.files, 1);
    project.write("a.log", "unseen\n");
    let again = changes.looked().at;
    assert_eq!(changes.changes(first.at, again).unwrap(), []);
    let cause = Cause {
        calls: vec![crate::model::ToolCallId::new("call")],
        ..Cause::of(CauseKind::Named)
    };
    let missing = project.path("build/made");
    let taken = changes.take(&[log, missing], cause).unwrap();
    project.write("a.log", "after\n");
    project.write("build/made", "made\n");
    use ChangeKind::{Added, Modified};
    let told = [
        (Modified, "a.log".to_owned()),
        (Added, "build/made".to_owned()),
    ];
    assert_eq!(changes.told(taken), told);
    let files = changes.since(taken);
    let before = changes.content(files[0].before.blob().unwrap()).unwrap();
    assert_eq!(before, b"unseen\n");
    let list = changes.checkpoints().unwrap();
    assert_eq!(
        list.iter()
            .filter(|head| head.cause.calls.len() == 1)
            .count(),
        1
    );
}

#[test]
fn what_patterns_stop_hiding_is_not_new_but_what_is_made_then_is() {
    let project = Project::new();
    project.write(".gitignore", "*.log\n");
    project.write("old.log", "old\n");
    std::thread::sleep(std::time::Duration::from_millis(20));
    let changes = project.open();
    let first = changes.looked().at;
    project.write(".gitignore", "");
    project.write("new.log", "new\n");
    use ChangeKind::{Added, Modified};
    let told = [
        (Modified, ".gitignore".to_owned()),
        (Added, "new.log".to_owned()),
    ];
    assert_eq!(changes.told(first), told);
    let second = changes.looked().at;
    project.write("old.log", "changed\n");
    assert_eq!(changes.told(second), [(Modified, "old.log".to_owned())]);
}

#[test]
fn what_stands_outside_is_taken_when_it_is_named() {
    let project = Project::new();
    let outside = project.root.parent().unwrap().join("outside");
    fs::write(&outside, "one\n").unwrap();
    let changes = project.open();
    changes.looked();
    let taken = changes
        .take(std::slice::from_ref(&outside), Cause::of(CauseKind::Named))
        .unwrap();
    fs::write(&outside, "two\n").unwrap();
    assert_eq!(changes.since(taken).len(), 1);
    let report = changes.undo_all(taken);
    assert_eq!(report.done.as_slice(), std::slice::from_ref(&outside));
    assert_eq!(fs::read(&outside).unwrap(), b"one\n");
}

#[test]
fn moves_are_told_from_new_files() {
    let project = Project::new();
    let text: String = (0..40).map(|n| format!("line {n}\n")).collect();
    project.write("a/same.rs", &text);
    project.write("edited.rs", text.replace("line", "row"));
    project.write("empty", "");
    let changes = project.open();
    let first = changes.looked().at;
    fs::rename(project.path("a"), project.path("b")).unwrap();
    fs::remove_file(project.path("edited.rs")).unwrap();
    project.write(
        "moved.rs",
        text.replace("line", "row").replace("row 7\n", "seven\n"),
    );
    fs::rename(project.path("empty"), project.path("other")).unwrap();
    let files = changes.since(first);
    let told: Vec<_> = files
        .iter()
        .map(|file| (file.kind, file.renamed_from.clone(), file.path.clone()))
        .collect();
    use ChangeKind::{Added, Deleted, Renamed};
    let expected = [
        (Renamed, Some("a/same.rs"), "b/same.rs"),
        (Deleted, None, "empty"),
        (Renamed, Some("edited.rs"), "moved.rs"),
        (Added, None, "other"),
    ];
    let expected = expected
        .map(|(kind, from, to)| (kind, from.map(|from| project.path(from)), project.path(to)));
    assert_eq!(told, expected);
}

#[test]
fn what_one_deletes_and_another_writes_is_no_move() {
    use ChangeKind::{Added, Deleted, Renamed};
    let text: String = (0..40).map(|n| format!("line {n}\n")).collect();
    let alike = text.replace("line 7\n", "seven\n");
    for after in [&text, &alike] {
        for (ends, expected) in [(true, vec![Deleted, Added]), (false, vec![Renamed])] {
            let project = Project::new();
            project.write("a", &text);
            let changes = project.open();
            let look = |kind| {
                let cause = Cause {
                    turn: Some(1),
                    ..Cause::of(kind)
                };
                changes.look(cause, &|| false).unwrap().at
            };
            let first = look(CauseKind::TurnStart);
            fs::remove_file(project.path("a")).unwrap();
            // In one turn two looks may see a move.
            look(if ends {
                CauseKind::TurnEnd
            } else {
                CauseKind::Look
            });
            project.write("b", after);
            let told = changes.told(first).into_iter();
            assert_eq!(told.map(|(kind, _)| kind).collect::<Vec<_>>(), expected);
        }
    }
}

#[test]
fn names_and_kinds_of_files_that_are_not_usual() {
    use std::os::unix::ffi::OsStrExt;
    let project = Project::new();
    let odd = project.path(std::ffi::OsStr::from_bytes(b"odd \xff\n\"name"));
    fs::write(&odd, "one").unwrap();
    let pipe = project.path("pipe");
    let (kind, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU);
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, kind, mode, 0).unwrap();
    symlink("/", project.path("everything")).unwrap();
    symlink(".", project.path("loop")).unwrap();
    let changes = project.open();
    let first = changes.looked();
    assert_eq!(first.files, 3);
    fs::write(&odd, "two").unwrap();
    let files = changes.since(first.at);
    assert_eq!(files.len(), 1);
    assert_eq!(files[0].path, odd);
    changes.undo_all(first.at);
    assert_eq!(fs::read(&odd).unwrap(), b"one");
}

#[test]
fn what_is_beyond_the_bounds_is_said() {
    let project = Project::new();
    for over in [-1_i64, 0, 1] {
        let name = format!("{}", over + 1);
        project.write(&name, vec![b'x'; usize::try_from(100 + over).unwrap()]);
    }
    let bounds = Bounds {
        one_file: 100,
        ..Bounds::default()
    };
    let changes = project.open_with(bounds);
    let first = changes.looked();
    assert_eq!(first.uncovered.files, [(project.path("2"), Left::TooLarge)]);
    project.write("2", [b'y'; 101]);
    let files = changes.since(first.at);
    assert_eq!(files.len(), 1, "that it changed is known");
    assert!(matches!(
        files[0].before,
        FileState::File {
            content: Content::Left(..),
            ..
        }
    ));
    let report = changes.undo_all(first.at);
    assert_eq!(report.refused.len(), 1);
    assert_eq!(project.read("2"), [b'y'; 101]);
    drop(changes);

    // Of files.
    for (most, beyond) in [(2, 1), (3, 0), (4, 0)] {
        fs::remove_dir_all(&project.store).unwrap();
        let changes = project.open_with(Bounds {
            files: most,
            ..Bounds::default()
        });
        let looked = changes.looked();
        assert_eq!(
            (looked.files, looked.uncovered.beyond),
            (most.min(3), beyond)
        );
        assert_eq!(changes.looked().changed, 0);
    }

    // Of the store: three quarters for what was there before, the rest for what changes.
    fs::remove_dir_all(&project.store).unwrap();
    let noise = |seed: u32| -> Vec<u8> {
        (0..1_000_u32)
            .flat_map(|n| (n ^ seed).wrapping_mul(2_654_435_761).to_le_bytes())
            .collect()
    };
    let changes = project.open_with(Bounds {
        store: 12_000,
        ..Bounds::default()
    });
    for n in 0..3 {
        project.write(&format!("noise{n}"), noise(n * 7_777));
    }
    let first = changes.looked();
    assert_eq!(first.uncovered.left, 1);
    assert_eq!(first.uncovered.files[0].1, Left::NoRoom);
}

#[test]
fn only_one_client_writes() {
    let project = Project::new();
    project.write("file", "one\n");
    let changes = project.open();
    let first = changes.looked().at;
    let other = project.open();
    assert!(!changes.is_read_only());
    assert!(other.is_read_only());
    let refused = other.look(Cause::default(), &|| false).unwrap_err();
    assert!(refused.to_string().contains("another client"));
    project.write("file", "two\n");
    let now = changes.looked().at;
    let files = other.changes(first, now).unwrap();
    assert_eq!(files.len(), 1);
    assert_eq!(
        other.content(files[0].after.blob().unwrap()).unwrap(),
        b"two\n"
    );
    // As a process has it that is just being started.
    let copy = changes.lock.copy();
    drop(changes);
    assert!(!project.open().is_read_only());
    drop(copy);
}

#[test]
fn once_the_first_client_has_ended_the_second_takes_its_place() {
    let project = Project::new();
    project.write("file", "one\n");
    let changes = project.open();
    let first = changes.looked().at;
    let other = project.open();
    let named = [project.path("file")];
    other.take(&named, Cause::default()).unwrap_err();
    assert_eq!(other.missed().paths[0].0, named[0]);
    // What it did last is known to the one that goes on.
    project.write("file", "two\n");
    let second = changes.looked().at;
    drop(changes);
    project.write("file", "three\n");
    assert!(other.is_read_only());
    let third = other.looked().at;
    assert!(!other.is_read_only());
    assert!(third > second);
    let content = |from, to| {
        let files = other.changes(from, to).unwrap();
        let blobs = [&files[0].before, &files[0].after].map(|state| state.blob().unwrap());
        blobs.map(|blob| String::from_utf8(other.content(blob).unwrap()).unwrap())
    };
    assert_eq!(content(first, second), ["one\n", "two\n"]);
    assert_eq!(content(second, third), ["two\n", "three\n"]);
    assert!(
        project.open().is_read_only(),
        "it is the one that has it now"
    );
    other.undo_all(first);
    assert_eq!(project.read("file"), b"one\n");
}

#[test]
fn a_look_can_be_cancelled_and_loses_nothing() {
    let project = Project::new();
    for n in 0..100 {
        project.write(&format!("{n}"), "x");
    }
    let changes = project.open();
    let cancelled = changes.look(Cause::default(), &|| true).unwrap_err();
    assert_eq!(cancelled.kind(), io::ErrorKind::Interrupted);
    let first = changes.looked();
    assert_eq!((first.changed, first.files), (0, 100));
    project.write("1", "y");
    changes.look(Cause::default(), &|| true).unwrap_err();
    assert_eq!(changes.since(first.at).len(), 1);
}

#[test]
fn the_store_is_not_in_what_it_keeps_and_is_private() {
    let mut project = Project::new();
    project.store = project.path("state");
    project.write("file", "x");
    let changes = project.open();
    let first = changes.looked();
    assert_eq!(first.files, 1);
    // A file as young as the look may be read again, and be the same.
    let again = changes.looked();
    assert_eq!(again.files, 1);
    assert_eq!(changes.changes(first.at, again.at).unwrap(), []);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&project.store), 0o700);
    for entry in fs::read_dir(&project.store).unwrap() {
        assert_eq!(mode(&entry.unwrap().path()), 0o600);
    }
}

#[test]
fn what_is_named_is_taken_while_a_look_goes_on() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let project = Project::new();
    for n in 0..50 {
        project.write(&format!("{n}"), "one\n");
    }
    let changes = project.open();
    let first = changes.looked().at;
    let named = project.write("named", "before\n");
    let (asked, once) = (AtomicBool::new(false), AtomicBool::new(false));
    // In the middle of the look, of which this thread is a part.
    let meanwhile = || {
        if !once.swap(true, Ordering::SeqCst) {
            changes
                .take(std::slice::from_ref(&named), Cause::of(CauseKind::Named))
                .unwrap();
            project.write("named", "after\n");
            asked.store(true, Ordering::SeqCst);
        }
        false
    };
    let at = changes.look(Cause::default(), &meanwhile).unwrap().at;
    assert!(asked.load(Ordering::SeqCst));
    changes.looked();
    let files = changes.since(first);
    assert_eq!(files.len(), 1);
    assert_eq!(files[0].seen.len(), 2, "before and after: {at:?}");
    assert_eq!(
        changes.content(files[0].after.blob().unwrap()).unwrap(),
        b"after\n"
    );
    let second = files[0].seen[0];
    let files = changes.since(second);
    assert_eq!(
        changes.content(files[0].before.blob().unwrap()).unwrap(),
        b"before\n"
    );
}
