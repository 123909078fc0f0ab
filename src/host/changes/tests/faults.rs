//! The process ends at any moment, the disk is full, the file system is read-only: in a process of its
//! own for each, which is this program of tests once more.

use std::{
    collections::BTreeMap,
    process::{Output, Stdio},
    time::Duration,
};

use super::*;
use crate::host::changes::fault::DIE_AT;

/// What the child does, and where.
const PLAY: &str = "ACP_TUI_TEST_PLAY";
const BASE: &str = "ACP_TUI_TEST_BASE";

/// This program, to run one play in that folder; behind `shell`, the words of a shell that has it as
/// `"$0" "$@"`.
fn child(play: &str, base: &Path, shell: Option<&str>) -> Command {
    let own = std::env::current_exe().unwrap();
    let mut command = match shell {
        None => Command::new(own),
        Some(words) => {
            let mut command = Command::new("sh");
            command.args(["-c", words]).arg(own);
            command
        }
    };
    command
        .args([
            "--exact",
            "--nocapture",
            "host::changes::tests::faults::a_play_in_a_process_of_its_own",
        ])
        .env(PLAY, play)
        .env(BASE, base)
        .stdin(Stdio::null());
    command
}

fn ran(mut command: Command) -> Output {
    command.output().unwrap()
}

#[track_caller]
fn ends_well(output: &Output) {
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{}\n{out}\n{err}", output.status);
}

#[test]
fn a_play_in_a_process_of_its_own() {
    let (Some(play), Some(base)) = (std::env::var_os(PLAY), std::env::var_os(BASE)) else {
        return;
    };
    let project = Project::within(Path::new(&base));
    match play.to_str().unwrap() {
        "work" => work(&project),
        "full store" => full_store(&project),
        "full project" => full_project(&project),
        "limited" => limited(&project),
        "read-only" => read_only(&project),
        other => panic!("{other}"),
    }
}

fn text(n: usize, word: &str) -> String {
    format!("{word} {n}\n").repeat(40)
}

const FILES: usize = 3;

/// A turn that changes, makes, moves and removes; named files; all of it put back and made again; a sweep
/// that packs anew.
fn work(project: &Project) {
    let changes = project.open();
    let first = changes.looked().at;
    change(project);
    let turn = changes.look(Cause::of(CauseKind::TurnEnd), &|| false);
    let to = turn.unwrap().at;
    let cause = Cause::of(CauseKind::Named);
    changes.take(&[project.path("named.log")], cause).unwrap();
    let selection = Selection {
        from: first,
        to,
        parts: None,
        keep: std::collections::BTreeSet::new(),
    };
    let cause = Cause::of(CauseKind::Undo);
    let report = changes.undo(&selection, cause, false).unwrap();
    assert_eq!((report.refused.len(), report.conflicts.len()), (0, 0));
    let redone = changes.redo(report.checkpoints.unwrap(), Cause::default());
    let redone = redone.unwrap().checkpoints.unwrap();
    let now = walk::now() / 1_000_000 + 10_000;
    changes.sweep(now, Duration::ZERO, Some(redone.0)).unwrap();
}

/// Each file is made anew and takes its name at once: this process ends in between.
fn change(project: &Project) {
    let put = |name: String, text: String| {
        let new = project.write("../new", text);
        fs::rename(new, project.path(name)).unwrap();
    };
    for n in 0..FILES {
        put(format!("f{n}"), text(n, "after"));
    }
    put("made".to_owned(), text(7, "made"));
    fs::rename(project.path("old"), project.path("moved")).unwrap();
    let _ = fs::remove_file(project.path("gone"));
    let _ = fs::remove_file(project.path("link"));
    symlink("b", project.path("link")).unwrap();
}

fn begin(base: &Path) -> Project {
    let project = Project::within(base);
    for n in 0..FILES {
        project.write(&format!("f{n}"), text(n, "before"));
    }
    project.write(".gitignore", "*.log\n");
    project.write("named.log", "named\n");
    project.write("old", text(8, "old"));
    project.write("gone", text(9, "gone"));
    symlink("a", project.path("link")).unwrap();
    project
}

type Files = BTreeMap<PathBuf, (u32, Vec<u8>)>;

fn files(project: &Project) -> Files {
    let all = super::undo::tree(&project.root).into_iter();
    all.map(|(path, mode, content)| (path, (mode, content)))
        .collect()
}

/// With both.
type WithContents = (ChangedFile, Vec<u8>, Vec<u8>);

/// What each checkpoint that can be compared with the last one tells, contents as well.
fn told(changes: &Changes) -> Vec<(CheckpointId, Vec<WithContents>)> {
    let list = changes.checkpoints().unwrap();
    let last = list.last().map(|last| last.id);
    let bytes = |state: &FileState| match state {
        FileState::Link { target } => target.clone(),
        state => state
            .blob()
            .map_or(Vec::new(), |blob| changes.content(blob).unwrap()),
    };
    let of = |id: CheckpointId| {
        let files = changes.changes(id, last.unwrap()).unwrap();
        let files = files.into_iter().map(|file| {
            let (before, after) = (bytes(&file.before), bytes(&file.after));
            (file, before, after)
        });
        files.collect()
    };
    list.iter().map(|point| (point.id, of(point.id))).collect()
}

#[test]
fn killed_at_any_moment_the_store_opens_and_each_file_is_as_before_or_after() {
    let whole = tempfile::tempdir().unwrap();
    let before = files(&begin(whole.path()));
    ends_well(&ran(child("work", whole.path(), None)));
    let below = |files: Files, base: &Path| -> Files {
        let files = files.into_iter();
        files
            .map(|(path, state)| (path.strip_prefix(base).unwrap().to_owned(), state))
            .collect()
    };
    let after = below(files(&Project::within(whole.path())), whole.path());
    let before = below(before, whole.path());
    assert_ne!(before, after);
    let mut points = 0;
    for at in 1.. {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        begin(&base);
        let mut command = child("work", &base, None);
        command.env(DIE_AT, at.to_string());
        let output = ran(command);
        let project = Project::within(&base);
        for (path, now) in below(files(&project), &base) {
            // A link that has a name for a moment before it takes its place.
            let waits = path.to_string_lossy().contains(".acp-tui-");
            let whole = before.get(&path) == Some(&now) || after.get(&path) == Some(&now);
            assert!(whole || waits, "{} at {at}", path.display());
        }
        // All that the list has is there, and goes on being there.
        let changes = project.open();
        assert!(!changes.is_read_only());
        let known = told(&changes);
        let looked = changes.looked();
        assert_eq!(looked.uncovered.left, 0, "at {at}");
        for (id, files) in known {
            let now = told(&changes)
                .into_iter()
                .find(|(now, _)| *now == id)
                .unwrap()
                .1;
            for (file, was, _) in files {
                // One that is back as it was by now differs from nothing.
                let same = now.iter().find(|(now, ..)| now.path == file.path);
                assert!(
                    same.is_none_or(|(_, before, _)| *before == was),
                    "{file:?} at {at}"
                );
            }
        }
        // And a turn can be put back.
        project.write("f0", "one more turn\n");
        let was = files(&project);
        project.write("f1", "changed\n");
        let from = looked.at;
        changes.undo_all(from);
        let f1 = project.path("f1");
        assert_eq!(files(&project).get(&f1), was.get(&f1), "at {at}");
        if output.status.success() {
            break;
        }
        points = at;
    }
    assert!(points > 40, "{points}");
    eprintln!("killed at {points} points");
}

/// Where this user may not mount, that is said and the rest of the test passed over.
fn may_mount() -> bool {
    let tried = Command::new("unshare")
        .args(["-m", "sh", "-c", "mount -t tmpfs -o size=64k none /mnt"])
        .output();
    let may = tried.is_ok_and(|output| output.status.success());
    if !may {
        eprintln!("skipped: this user may not mount (unshare -m and tmpfs)");
    }
    may
}

/// Some hundred bytes that do not compress.
fn noise(seed: u32, bytes: usize) -> Vec<u8> {
    let mut state = seed.wrapping_add(1);
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..bytes).map(|_| next()).collect()
}

/// `base/state` has some room, which is filled up.
fn fill(folder: &Path) -> PathBuf {
    let path = folder.join("ballast");
    let mut file = fs::File::create(&path).unwrap();
    while io::Write::write(&mut file, &[1; 512]).is_ok() {}
    path
}

#[track_caller]
fn is_full<T: std::fmt::Debug>(result: io::Result<T>) {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::StorageFull, "{error}");
}

fn full_store(project: &Project) {
    project.write("file", noise(0, 3_000));
    project.write("other", noise(1, 3_000));
    let changes = project.open();
    let first = changes.looked().at;
    let ballast = fill(&project.store);
    project.write("file", noise(2, 30_000));
    project.write("other", noise(3, 30_000));
    // A look, what is named, and an undo: each says why, and leaves what there is.
    is_full(changes.look(Cause::default(), &|| false));
    let named = project.path("file");
    is_full(changes.take(std::slice::from_ref(&named), Cause::of(CauseKind::Named)));
    let missed = changes.missed().paths;
    assert_eq!(missed[0].0, named);
    let selection = Selection {
        from: first,
        to: first,
        parts: None,
        keep: std::collections::BTreeSet::new(),
    };
    changes.undo(&selection, Cause::default(), false).unwrap();
    // With room for half of it.
    let half = fs::OpenOptions::new().write(true).open(&ballast).unwrap();
    let length = half.metadata().unwrap().len();
    half.set_len(length.saturating_sub(40_000)).unwrap();
    is_full(changes.look(Cause::default(), &|| false));
    drop(half);
    fs::remove_file(ballast).unwrap();
    let now = changes.looked().at;
    let files = changes.changes(first, now).unwrap();
    assert_eq!(files.len(), 2);
    // A full disk again, in the midst of an undo.
    project.write("other", noise(4, 30_000));
    let ballast = fill(&project.store);
    let selection = Selection {
        from: first,
        to: now,
        parts: None,
        keep: std::collections::BTreeSet::new(),
    };
    let refused = changes
        .undo(&selection, Cause::default(), false)
        .unwrap_err();
    let said = refused.to_string();
    assert!(said.starts_with("nothing was put back"), "{said}");
    assert!(
        said.ends_with("the disk is full: make room, then try again"),
        "{said}"
    );
    assert_eq!(project.read("other"), noise(4, 30_000));
    fs::remove_file(ballast).unwrap();
    drop(changes);
    let changes = project.open();
    let content = |state: &FileState| changes.content(state.blob().unwrap()).unwrap();
    let was: Vec<_> = files.iter().map(|file| content(&file.before)).collect();
    assert_eq!(was, [noise(0, 3_000), noise(1, 3_000)]);
    let is: Vec<_> = files.iter().map(|file| content(&file.after)).collect();
    assert_eq!(is, [noise(2, 30_000), noise(3, 30_000)]);
    changes.undo_all(first);
    assert_eq!(project.read("other"), noise(1, 3_000));
}

fn full_project(project: &Project) {
    let changes = project.open();
    project.write("file", noise(0, 40_000));
    project.write("small", "one\n");
    let first = changes.looked().at;
    project.write("file", "little\n");
    project.write("small", "two\n");
    let to = changes.looked().at;
    let ballast = fill(&project.root);
    let selection = Selection {
        from: first,
        to,
        parts: Some(vec![UndoPart::File(project.path("file"))]),
        keep: std::collections::BTreeSet::new(),
    };
    let report = changes.undo(&selection, Cause::default(), false).unwrap();
    let why = "the disk is full: make room, then try again".to_owned();
    assert_eq!(report.refused, [(project.path("file"), why)]);
    assert_eq!(project.read("file"), b"little\n");
    let names: Vec<_> = files(project).into_keys().collect();
    assert_eq!(names.len(), 3, "nothing half written stays: {names:?}");
    fs::remove_file(ballast).unwrap();
    changes.undo_all(first);
    assert_eq!(project.read("file"), noise(0, 40_000));
    assert_eq!(project.read("small"), b"one\n");
}

#[test]
fn on_a_full_disk_nothing_is_lost_and_what_to_do_is_said() {
    if !may_mount() {
        return;
    }
    for (play, full) in [("full store", "state"), ("full project", "project")] {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let full = base.join(full);
        fs::create_dir_all(&full).unwrap();
        let mount = format!(
            r#"mount -t tmpfs -o size=256k none "{}" && exec "$0" "$@""#,
            full.display()
        );
        let mut command = Command::new("unshare");
        command.arg("-m");
        let inner = child(play, &base, Some(&mount));
        command.arg(inner.get_program()).args(inner.get_args());
        command.env(PLAY, play).env(BASE, &base);
        ends_well(&ran(command));
    }
}

/// No file can become larger than this: a write fails in its midst, as on a full disk.
fn limited(project: &Project) {
    project.write("file", noise(0, 3_000));
    let changes = project.open();
    let first = changes.looked().at;
    // The pack has room for one of them.
    project.write("file", noise(1, 9_000));
    changes.looked();
    project.write("file", noise(2, 12_000));
    let error = changes.look(Cause::default(), &|| false).unwrap_err();
    assert_eq!(
        error.raw_os_error(),
        Some(rustix::io::Errno::FBIG.raw_os_error())
    );
    project.write("file", "little\n");
    let files = changes.since(first);
    let before = changes.content(files[0].before.blob().unwrap()).unwrap();
    assert_eq!(before, noise(0, 3_000));
    let report = changes.undo_all(first);
    assert_eq!(report.refused, []);
    assert_eq!(project.read("file"), noise(0, 3_000));
}

#[test]
fn a_write_that_fails_halfway_costs_nothing_that_was_there() {
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().canonicalize().unwrap();
    // In blocks of 512 bytes; dash and bash agree on these.
    let limit = r#"trap '' XFSZ; ulimit -f 32; exec "$0" "$@""#;
    ends_well(&ran(child("limited", &base, Some(limit))));
}

fn read_only(project: &Project) {
    let changes = project.open();
    let list = changes.checkpoints().unwrap();
    let (from, to) = (list[0].id, list.last().unwrap().id);
    // Looked at it can be.
    assert_eq!(changes.since(from).len(), 2);
    let selection = Selection {
        from,
        to,
        parts: None,
        keep: std::collections::BTreeSet::new(),
    };
    let report = changes.undo(&selection, Cause::default(), false).unwrap();
    assert!(report.done.is_empty());
    for (_, why) in &report.refused {
        assert!(why.starts_with("its file system is read-only"), "{why}");
    }
    assert_eq!(report.refused.len(), 2);
    assert_eq!(project.read("file"), b"two\n");
    assert_eq!(project.read("made"), b"made\n");
}

#[test]
fn a_project_on_a_read_only_mount_is_looked_at_and_an_undo_says_why_not() {
    if !may_mount() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().canonicalize().unwrap();
    let project = Project::within(&base);
    project.write("file", "one\n");
    let changes = project.open();
    changes.looked();
    project.write("file", "two\n");
    project.write("made", "made\n");
    changes.looked();
    drop(changes);
    let mount = format!(
        r#"mount --bind "{0}" "{0}" && mount -o remount,ro,bind "{0}" && exec "$0" "$@""#,
        project.root.display()
    );
    let mut command = Command::new("unshare");
    command.arg("-m");
    let inner = child("read-only", &base, Some(&mount));
    command.arg(inner.get_program()).args(inner.get_args());
    command.env(PLAY, "read-only").env(BASE, &base);
    ends_well(&ran(command));
}
