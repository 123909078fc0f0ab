//! Files of unusual kinds and names, and what patches and conflicts say of them.

use std::{
    os::unix::{net::UnixListener, process::CommandExt},
    time::{Duration, Instant},
};

use super::*;

/// Contents that git takes for binary, of sizes around those where lines and letters end.
fn binaries() -> Vec<Vec<u8>> {
    let noise = |bytes: usize| {
        let mut state = u32::try_from(bytes).unwrap();
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        let mut content: Vec<u8> = (0..bytes).map(|_| next()).collect();
        content[0] = 0;
        content
    };
    let mut all: Vec<_> = [1, 2, 3, 4, 5, 26, 27, 52, 53, 100, 5_000, 70_000]
        .map(noise)
        .into();
    all.push(vec![0; 100_000]);
    all
}

#[test]
fn binary_files_go_with_a_patch_that_git_applies_forward_and_back() {
    let project = Project::new();
    project.git(&["init", "-q"]);
    let all = binaries();
    for (n, content) in all.iter().enumerate() {
        project.write(&format!("changed {n}"), content);
        project.write(&format!("gone{n}"), content);
    }
    project.write("was text", "text\n");
    project.write("was binary", b"\0binary");
    project.write("mode", b"\0mode");
    project.write("type", b"\0type");
    let changes = project.open();
    let first = changes.looked().at;
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "x"]);
    let old = project.git(&["write-tree"]);
    for (n, content) in all.iter().enumerate() {
        let mut other = content.clone();
        other.extend_from_slice(b"\xff more");
        project.write(&format!("changed {n}"), &other);
        fs::remove_file(project.path(format!("gone{n}"))).unwrap();
        other.push(n as u8);
        project.write(&format!("new{n}"), other);
    }
    project.write("was text", b"\0binary now");
    project.write("was binary", "text now\n");
    project.write("mode", b"\0another");
    fs::set_permissions(project.path("mode"), Permissions::from_mode(0o755)).unwrap();
    fs::remove_file(project.path("type")).unwrap();
    symlink("where", project.path("type")).unwrap();
    let files = changes.since(first);
    let patch = changes.patch(&files, &project.root).unwrap();
    project.git(&["add", "-A"]);
    let new = project.git(&["write-tree"]);
    project.git(&["reset", "-q", "--hard"]);
    let file = project.root.parent().unwrap().join("patch");
    fs::write(&file, &patch).unwrap();
    let file = file.to_str().unwrap();
    project.git(&["apply", "--index", file]);
    assert_eq!(project.git(&["write-tree"]), new);
    project.git(&["apply", "--index", "--reverse", file]);
    assert_eq!(project.git(&["write-tree"]), old);
}

#[test]
fn large_binary_files_are_named_in_a_patch() {
    let project = Project::new();
    let changes = project.open();
    let first = changes.looked().at;
    for over in [-1_isize, 0, 1] {
        let mut content = vec![0; binary::ONE.strict_add_signed(over)];
        content[1] = u8::try_from(over + 2).unwrap();
        project.write(&format!("{}", over + 1), content);
    }
    let files = changes.since(first);
    let patch = changes.patch(&files, &project.root).unwrap();
    let patch = String::from_utf8_lossy(&patch);
    assert_eq!(patch.matches("GIT binary patch").count(), 2);
    assert!(patch.ends_with("2 is binary and large, and is not in this patch\n"));
    // Of all of them.
    let count = binary::ALL / binary::ONE + 1;
    for n in 3..count + 3 {
        let mut content = vec![0; binary::ONE];
        content[1] = u8::try_from(n).unwrap();
        project.write(&format!("{n}"), content);
    }
    for n in 0..3 {
        fs::remove_file(project.path(format!("{n}"))).unwrap();
    }
    let files = changes.since(first);
    let patch = changes.patch(&files, &project.root).unwrap();
    let patch = String::from_utf8_lossy(&patch);
    assert_eq!(patch.matches("GIT binary patch").count(), count - 1);
    assert_eq!(patch.matches("is binary and large").count(), 1);
}

#[test]
fn conflicts_of_what_has_no_lines_are_told_in_words() {
    let project = Project::new();
    symlink("a", project.path("link")).unwrap();
    project.write("file", "one\n");
    project.write("binary", b"\0one");
    let changes = project.open();
    let first = changes.looked().at;
    for (name, target) in [("link", "b"), ("file", "c")] {
        fs::remove_file(project.path(name)).unwrap();
        symlink(target, project.path(name)).unwrap();
    }
    project.write("binary", b"\0two");
    project.write("made", "made\n");
    let to = changes.looked().at;
    fs::remove_file(project.path("link")).unwrap();
    symlink("mine", project.path("link")).unwrap();
    fs::remove_file(project.path("file")).unwrap();
    project.write("binary", b"\0three");
    project.write("made", "mine\n");
    let selection = Selection {
        from: first,
        to,
        parts: None,
        keep: std::collections::BTreeSet::new(),
    };
    let report = changes
        .undo(&selection, Cause::of(CauseKind::Undo), false)
        .unwrap();
    let words: Vec<_> = report
        .conflicts
        .iter()
        .map(|conflict| &*conflict.words)
        .collect();
    let after = "move it away to have that";
    let expected = [
        format!(
            "a binary file of 6 bytes is there now, a binary file of 4 bytes would come back: {after}"
        ),
        "nothing is there now, a file of 4 bytes would come back: it was removed since, and stays so"
            .to_owned(),
        format!("a link to mine is there now, a link to a would come back: {after}"),
        format!("a file of 5 bytes is there now, it would go: {after}"),
    ];
    assert_eq!(words, expected);
    assert_eq!(
        fs::read_link(project.path("link")).unwrap(),
        Path::new("mine")
    );
}

#[test]
fn what_is_huge_or_no_file_is_neither_read_nor_waited_for() {
    let project = Project::new();
    let sparse = fs::File::create(project.path("huge")).unwrap();
    sparse.set_len(10 << 30).unwrap();
    let _socket = UnixListener::bind(project.path("socket")).unwrap();
    symlink("loop2", project.path("loop1")).unwrap();
    symlink("loop1", project.path("loop2")).unwrap();
    let node = |name: &str, kind, device| {
        let mode = rustix::fs::Mode::RWXU;
        rustix::fs::mknodat(rustix::fs::CWD, project.path(name), kind, mode, device)
    };
    node("pipe", rustix::fs::FileType::Fifo, 0).unwrap();
    // Only root can make one: `/dev/zero`, which has no end.
    let _ = node(
        "zero",
        rustix::fs::FileType::CharacterDevice,
        rustix::fs::makedev(1, 5),
    );
    let began = Instant::now();
    let changes = project.open();
    let first = changes.looked();
    assert_eq!(
        first.uncovered.files,
        [(project.path("huge"), Left::TooLarge)]
    );
    assert_eq!(first.files, 3, "the huge one and two links");
    for name in ["huge", "socket", "pipe", "zero", "loop1"] {
        changes
            .take(&[project.path(name)], Cause::of(CauseKind::Named))
            .unwrap();
    }
    assert!(began.elapsed() < Duration::from_secs(5));
    assert_eq!(changes.missed().paths, []);
    // It is known that it changed, and it stays as it is.
    fs::remove_file(project.path("huge")).unwrap();
    let report = changes.undo_all(first.at);
    assert_eq!(report.refused.len(), 1);
    assert_eq!(report.refused[0].1, "it is too large to be kept");
}

#[test]
fn a_file_that_changes_while_it_is_read_is_what_it_is_in_the_end() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let project = Project::new();
    let path = project.write("file", vec![b'a'; 400_000]);
    let changes = project.open();
    let first = changes.looked().at;
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
            let mut letters = (b'b'..=b'y').cycle();
            while !over.load(Ordering::Relaxed) {
                let letter = letters.next().unwrap();
                let content = vec![letter; 300_000 + usize::from(letter) * 100];
                std::os::unix::fs::FileExt::write_all_at(&file, &content, 0).unwrap();
                file.set_len(content.len() as u64).unwrap();
            }
        });
        for _ in 0..20 {
            changes.looked();
        }
        over.store(true, Ordering::Relaxed);
    });
    project.write("file", "the end\n");
    let files = changes.since(first);
    let content = |state: &FileState| changes.content(state.blob().unwrap()).unwrap();
    assert_eq!(content(&files[0].after), b"the end\n");
    assert_eq!(content(&files[0].before), vec![b'a'; 400_000]);
}

#[test]
fn what_cannot_be_read_is_told_and_left() {
    const PLACE: &str = "ACP_TUI_TEST_UNREADABLE";
    let Some(base) = std::env::var_os(PLACE) else {
        // For root everything can be read: once more as somebody else, where that can be done.
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        fs::set_permissions(&base, Permissions::from_mode(0o777)).unwrap();
        let mut own = Command::new(std::env::current_exe().unwrap());
        own.args([
            "--exact",
            "host::changes::tests::kinds::what_cannot_be_read_is_told_and_left",
        ])
        .env(PLACE, &base)
        .current_dir(&base);
        if rustix::process::geteuid().is_root() {
            own.uid(65_534).gid(65_534);
        }
        match own.output() {
            Ok(output) => assert!(output.status.success(), "{output:?}"),
            Err(error) => eprintln!("skipped: another user cannot run this: {error}"),
        }
        return;
    };
    let project = Project::within(Path::new(&base));
    let secret = project.write("secret", "secret\n");
    project.write("shut/file", "one\n");
    project.write("open", "one\n");
    let mode = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    let shut = project.path("shut");
    mode(&secret, 0);
    let changes = project.open();
    let first = changes.looked();
    assert_eq!(first.uncovered.files, [(secret.clone(), Left::Unreadable)]);
    mode(&shut, 0);
    let looked = changes.looked();
    assert_eq!(
        looked.uncovered.folders.as_slice(),
        std::slice::from_ref(&shut)
    );
    assert_eq!(
        changes.changes(first.at, looked.at).unwrap(),
        [],
        "nothing is taken for gone"
    );
    changes
        .take(&[shut.join("file")], Cause::of(CauseKind::Named))
        .unwrap();
    assert_eq!(changes.missed().paths[0].0, shut.join("file"));
    // What would be written over without being known stays.
    project.write("open", "two\n");
    let to = changes.looked().at;
    mode(&project.path("open"), 0);
    let selection = Selection {
        from: first.at,
        to,
        parts: None,
        keep: std::collections::BTreeSet::new(),
    };
    let report = changes.undo(&selection, Cause::default(), false).unwrap();
    assert_eq!(report.refused.len(), 1, "{report:?}");
    mode(&project.path("open"), 0o644);
    assert_eq!(project.read("open"), b"two\n");
    mode(&shut, 0o755);
}

/// A folder in which capitals and small letters are the same: where the tests are, or the one that is
/// named. Most Linux machines have none.
fn folding() -> Option<tempfile::TempDir> {
    let named = std::env::var_os("ACP_TUI_TEST_FOLDING");
    let dir = match named {
        Some(within) => tempfile::tempdir_in(within),
        None => tempfile::tempdir(),
    };
    let dir = dir.unwrap();
    fs::write(dir.path().join("Probe"), "").unwrap();
    if dir.path().join("pROBE").exists() {
        return Some(dir);
    }
    eprintln!(
        "skipped: capitals count here; ACP_TUI_TEST_FOLDING may name a folder where they do not"
    );
    None
}

#[test]
fn where_capitals_do_not_count_a_file_is_one_and_a_new_spelling_moves_it() {
    let Some(dir) = folding() else { return };
    let project = Project::within(&dir.path().canonicalize().unwrap());
    let text: String = (0..40).map(|n| format!("line {n}\n")).collect();
    project.write(".gitignore", "*.env\n");
    project.write("README", &text);
    project.write("Lib/a.rs", text.replace("line", "row"));
    project.write("own.ENV", "secret\n");
    let names = |at: &Path| {
        let mut names: Vec<_> = fs::read_dir(at)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    // Patterns that were touched a moment ago count as changed.
    std::thread::sleep(Duration::from_millis(100));
    let changes = project.open();
    let first = changes.looked().at;
    let begun = names(&project.root);
    fs::rename(project.path("README"), project.path("ReadMe")).unwrap();
    fs::rename(project.path("Lib"), project.path("lib")).unwrap();
    use ChangeKind::Renamed;
    let told = [
        (Renamed, "ReadMe".to_owned()),
        (Renamed, "lib/a.rs".to_owned()),
    ];
    assert_eq!(changes.told(first), told);
    // By any of its names it is the same one.
    changes
        .take(&[project.path("readme")], Cause::of(CauseKind::Named))
        .unwrap();
    assert_eq!(changes.told(first), told);
    let report = changes.undo_all(first);
    assert_eq!(
        (report.refused.len(), report.conflicts.len()),
        (0, 0),
        "{report:?}"
    );
    assert_eq!(names(&project.root), begun);
    assert_eq!(project.read("README"), text.as_bytes());
    assert_eq!(changes.told(first), []);
    changes
        .redo(report.checkpoints.unwrap(), Cause::default())
        .unwrap();
    assert_eq!(changes.told(first), told);
    // The person names it as it was: an undo does not take that away.
    let to = changes.looked().at;
    fs::rename(project.path("ReadMe"), project.path("README")).unwrap();
    let selection = Selection {
        from: first,
        to,
        parts: Some(vec![UndoPart::File(project.path("ReadMe"))]),
        keep: std::collections::BTreeSet::new(),
    };
    changes
        .undo(&selection, Cause::of(CauseKind::Undo), false)
        .unwrap();
    assert_eq!(project.read("README"), text.as_bytes());
    // An ignored one is kept whichever way it is named.
    let named = changes
        .take(&[project.path("OWN.env")], Cause::of(CauseKind::Named))
        .unwrap();
    project.write("own.ENV", "spilt\n");
    changes.undo_all(named);
    assert_eq!(project.read("own.ENV"), b"secret\n");
}
