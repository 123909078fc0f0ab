//! In a git repository: what it has is not copied, and only taken where it is the file's bytes.

use super::*;

/// Written long enough ago that git and we rely on its times.
fn settle(project: &Project) {
    std::thread::sleep(std::time::Duration::from_millis(80));
    project.git(&["update-index", "-q", "--refresh"]);
}

fn repository() -> Project {
    let project = Project::new();
    project.git(&["init", "-q"]);
    project.git(&["config", "core.autocrlf", "false"]);
    project
}

fn commit(project: &Project) {
    std::thread::sleep(std::time::Duration::from_millis(80));
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "x"]);
    settle(project);
}

fn state(changes: &Changes, name: &str) -> FileState {
    let mut inner = changes.inner();
    let table = inner.take_table(&changes.folder).unwrap();
    let path = changes.roots.cwd().join(name);
    let state = table
        .get(path.as_os_str().as_bytes())
        .unwrap()
        .state
        .clone();
    inner.table = Some(table);
    state
}

fn is_gits(changes: &Changes, name: &str) -> bool {
    matches!(state(changes, name).blob(), Some(BlobId::Git(_)))
}

#[test]
fn what_git_has_is_referred_to_and_copied_when_it_changes() {
    let project = repository();
    project.write("src/a.rs", "one\n");
    project.write("sub/hidden.log", "tracked\n");
    project.write(".gitignore", "*.log\n");
    project.git(&["add", "-f", "sub/hidden.log"]);
    commit(&project);
    project.write("untracked", "mine\n");
    let changes = project.open();
    let first = changes.looked();
    assert_eq!(
        first.files, 4,
        "git's own files count even if they are ignored"
    );
    for (name, gits) in [
        ("src/a.rs", true),
        ("sub/hidden.log", true),
        ("untracked", false),
    ] {
        assert_eq!(is_gits(&changes, name), gits, "{name}");
    }
    project.write("src/a.rs", "two\n");
    let files = changes.since(first.at);
    assert_eq!(files.len(), 1);
    let before = files[0].before.blob().unwrap();
    assert!(matches!(before, BlobId::Own(_)), "it was copied");
    assert_eq!(changes.content(before).unwrap(), b"one\n");
    // Committed, and back at what it was: the same content by other names.
    commit(&project);
    changes.looked();
    project.git(&["checkout", "-q", "HEAD~0"]);
    project.write("src/a.rs", "one\n");
    assert_eq!(changes.told(first.at), []);
    assert!(project.git(&["status", "--porcelain"]).contains("src/a.rs"));
}

#[test]
fn a_permission_alone_is_told_though_git_had_the_content_before() {
    use std::os::unix::fs::PermissionsExt;
    let project = repository();
    project.write("a", "one\n");
    commit(&project);
    let changes = project.open();
    let first = changes.looked().at;
    assert!(is_gits(&changes, "a"));
    fs::set_permissions(project.path("a"), fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(changes.told(first), [(ChangeKind::Mode, "a".to_owned())]);
    assert_eq!(changes.undo_all(first).done.len(), 1);
    let mode = fs::metadata(project.path("a"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o644);
}

#[test]
fn a_forged_index_does_not_hide_what_a_file_holds() {
    let project = repository();
    project.write("f.py", "old\n");
    commit(&project);
    let changes = project.open();
    let first = changes.looked().at;
    project.write("f.py", "good\n");
    let id_of = super::super::git::id_of;
    let good = id_of(b"good\n");
    project.git(&["hash-object", "-w", "f.py"]);
    project.write("f.py", "evil\n");
    project.write("new.py", "evil\n");
    std::thread::sleep(std::time::Duration::from_millis(80));
    project.git(&["add", "-A"]);
    // What git knows of the files, but for what they hold; git takes a check sum of zeros.
    let mut index = fs::read(project.path(".git/index")).unwrap();
    let evil = id_of(b"evil\n");
    let places: Vec<usize> = (0..index.len() - evil.len())
        .filter(|at| index[*at..].starts_with(&evil))
        .collect();
    assert_eq!(places.len(), 2);
    for at in places {
        index[at..at + good.len()].copy_from_slice(&good);
    }
    let end = index.len();
    index[end - 20..].fill(0);
    fs::write(project.path(".git/index"), index).unwrap();
    for file in changes.since(first) {
        let now = changes.content(file.after.blob().unwrap()).unwrap();
        assert_eq!(now, b"evil\n", "{}", file.path.display());
    }
}

#[test]
fn the_repository_is_not_touched() {
    let project = repository();
    project.write("a", "one\n");
    commit(&project);
    let all = |project: &Project| {
        let out = Command::new("find")
            .arg(project.path(".git"))
            .args(["-type", "f", "-printf", "%p %s %T@ %C@\n"])
            .output()
            .unwrap();
        let mut lines: Vec<String> = String::from_utf8(out.stdout)
            .unwrap()
            .lines()
            .map(str::to_owned)
            .collect();
        lines.sort();
        lines
    };
    let before = all(&project);
    let changes = project.open();
    let first = changes.looked().at;
    project.write("a", "two\n");
    project.write("b", "new\n");
    changes.undo_all(first);
    assert_eq!(project.read("a"), b"one\n");
    assert_eq!(all(&project), before);
}

#[test]
fn where_something_is_converted_on_the_way_the_bytes_on_the_disk_count() {
    let project = repository();
    project.git(&["config", "filter.twist.clean", "tr a-z n-za-m"]);
    project.git(&["config", "filter.twist.smudge", "tr a-z n-za-m"]);
    project.write(
        ".gitattributes",
        "*.txt text\n*.twist filter=twist\n*.id ident\n",
    );
    project.write("crlf.txt", "a\r\nb\r\n");
    project.write("lf.txt", "a\nb\n");
    project.write("same.twist", "of the same size\n");
    project.write("x.id", "$Id$\n");
    project.write("plain", "plain\n");
    commit(&project);
    fs::remove_file(project.path("x.id")).unwrap();
    project.git(&["checkout", "-q", "x.id"]);
    settle(&project);
    let changes = project.open();
    let first = changes.looked().at;
    let expected = [
        ("crlf.txt", false),
        ("lf.txt", true),
        ("same.twist", false),
        ("x.id", false),
        ("plain", true),
    ];
    for (name, gits) in expected {
        assert_eq!(is_gits(&changes, name), gits, "{name}");
        let content = changes
            .content(state(&changes, name).blob().unwrap())
            .unwrap();
        assert_eq!(content, project.read(name), "{name}");
    }
    let texts = expected.map(|(name, _)| project.read(name));
    for (name, _) in expected {
        project.write(name, "changed\n");
    }
    assert_eq!(changes.undo_all(first).done.len(), 5);
    for ((name, _), text) in expected.iter().zip(texts) {
        assert_eq!(project.read(name), text, "{name}");
    }
}

#[test]
fn a_file_that_git_may_have_missed_is_read() {
    let project = repository();
    project.write("racy", "0\n");
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "x"]);
    // At the same moment, with the same size.
    project.write("racy", "1\n");
    project.write("assumed", "one\n");
    commit(&project);
    project.git(&["update-index", "--assume-unchanged", "assumed"]);
    project.write("assumed", "two\n");
    let changes = project.open();
    changes.looked();
    for name in ["racy", "assumed"] {
        let content = changes
            .content(state(&changes, name).blob().unwrap())
            .unwrap();
        assert_eq!(content, project.read(name), "{name}");
    }
    assert!(!is_gits(&changes, "assumed"));
}

#[test]
fn indexes_of_all_versions_are_read_and_split_ones_are_left() {
    let project = repository();
    for name in ["a", "ab/c", "ab/cd", "b"] {
        project.write(name, name);
    }
    commit(&project);
    let repository = super::super::git::Repository::of(&project.root).unwrap();
    let names = || -> Option<Vec<PathBuf>> {
        let index = repository.index()?;
        Some(
            index
                .entries
                .iter()
                .map(|entry| super::super::since::path(&entry.path))
                .collect(),
        )
    };
    let all = ["a", "ab/c", "ab/cd", "b"].map(|name| project.path(name));
    for version in ["2", "3", "4"] {
        project.git(&["update-index", "--index-version", version]);
        assert_eq!(names().unwrap(), all, "{version}");
    }
    project.git(&["update-index", "--split-index"]);
    assert_eq!(names(), None);
    let changes = project.open();
    changes.looked();
    assert!(!is_gits(&changes, "a"));
}

#[test]
fn what_git_has_lost_is_said() {
    let project = repository();
    project.write("a", "one\n");
    commit(&project);
    let changes = project.open();
    changes.looked();
    let blob = state(&changes, "a").blob().unwrap();
    assert_eq!(changes.content(blob).unwrap(), b"one\n");
    fs::remove_dir_all(project.path(".git/objects")).unwrap();
    fs::create_dir(project.path(".git/objects")).unwrap();
    assert!(changes.content(blob).is_err());
}

#[test]
fn since_the_last_commit() {
    let project = repository();
    let text: String = (0..40).map(|n| format!("line {n}\n")).collect();
    project.write(".gitattributes", "*.txt text eol=crlf\n");
    project.write("crlf.txt", "a\r\nb\r\n");
    for name in ["same", "staged", "changed", "deleted", "mode"] {
        project.write(name, format!("{name}\n"));
    }
    project.write("old.rs", &text);
    symlink("same", project.path("link")).unwrap();
    let changes = project.open();
    changes.looked();
    assert!(
        changes.since_commit().unwrap().is_none(),
        "there is no commit"
    );
    commit(&project);
    project.write("staged", "other\n");
    project.git(&["add", "staged"]);
    project.write("changed", "other\n");
    project.write("untracked", "new\n");
    fs::remove_file(project.path("deleted")).unwrap();
    fs::rename(project.path("old.rs"), project.path("new.rs")).unwrap();
    fs::set_permissions(project.path("mode"), Permissions::from_mode(0o755)).unwrap();
    changes.looked();
    let files = changes.since_commit().unwrap().unwrap();
    let told: Vec<_> = files
        .iter()
        .map(|file| (file.kind, file.path.file_name().unwrap().to_str().unwrap()))
        .collect();
    use ChangeKind::{Added, Deleted, Mode, Modified, Renamed};
    let expected = [
        (Modified, "changed"),
        (Deleted, "deleted"),
        (Mode, "mode"),
        (Renamed, "new.rs"),
        (Modified, "staged"),
        (Added, "untracked"),
    ];
    assert_eq!(told, expected);
    let content = changes.content(files[1].before.blob().unwrap()).unwrap();
    assert_eq!(content, b"deleted\n");
}

#[test]
fn what_a_sparse_checkout_leaves_out_is_not_deleted() {
    let project = repository();
    for name in ["in/a", "out/b", "out/deep/c"] {
        project.write(name, name);
    }
    commit(&project);
    for words in [
        &["sparse-checkout", "set", "--no-sparse-index", "in"][..],
        &["sparse-checkout", "reapply", "--sparse-index"],
    ] {
        project.git(words);
        assert!(!project.path("out").exists());
        let changes = project.open();
        changes.looked();
        assert_eq!(changes.since_commit().unwrap().unwrap(), []);
        drop(changes);
        fs::remove_dir_all(&project.store).unwrap();
    }
}

#[test]
fn a_copied_work_tree_is_read_once_and_not_copied() {
    let project = repository();
    project.write("a", "one\n");
    project.write("b", "two\n");
    commit(&project);
    // As copying does: all times are others.
    for name in ["a", "b"] {
        let content = project.read(name);
        fs::remove_file(project.path(name)).unwrap();
        project.write(name, content);
    }
    let changes = project.open();
    changes.looked();
    assert!(is_gits(&changes, "a") && is_gits(&changes, "b"));
}

/// A repository that somebody has packed with a pipe where git opens a file: it would wait for ever.
#[test]
fn git_that_waits_for_a_pipe_is_given_up() {
    use std::time::{Duration, Instant};
    for (at, taken) in [("config", "config"), ("objects/info/alternates", "index")] {
        let project = repository();
        project.write("a", "one\n");
        commit(&project);
        let pipe = project.path(".git").join(at);
        let _ = fs::remove_file(&pipe);
        fs::create_dir_all(pipe.parent().unwrap()).unwrap();
        let (kind, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU);
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, kind, mode, 0).unwrap();
        let repository = super::super::git::Repository::of(&project.root).unwrap();
        let repository = repository.patience(Duration::from_millis(300));
        let asked = Instant::now();
        // More than a pipe to git takes.
        let sizes = repository.sizes(&[[7; 20]; 4_000]);
        assert_eq!(sizes.unwrap_err().kind(), io::ErrorKind::TimedOut, "{at}");
        let head = repository.head(10).map(drop);
        assert_eq!(head.unwrap_err().kind(), io::ErrorKind::TimedOut, "{at}");
        let converted = repository.converted(&repository.index().unwrap(), std::iter::empty());
        assert_eq!(converted.is_none(), taken == "config", "{at}");
        assert!(asked.elapsed() < Duration::from_secs(20));
    }
}

/// Ten trees in each of twelve trees: git lists it for longer than anybody lives.
#[test]
fn a_commit_without_end_is_not_read_to_its_end() {
    let project = repository();
    project.write("a", "one\n");
    commit(&project);
    let shell = "tree=$(git rev-parse HEAD^{tree})
        for level in 0 1 2 3 4 5 6 7 8 9 10 11; do
            tree=$(for n in 0 1 2 3 4 5 6 7 8 9; do printf '040000 tree %s\\t%s\\n' $tree $n; done | git mktree)
        done
        git update-ref HEAD $(git commit-tree -m bomb $tree)";
    let mut made = std::process::Command::new("sh");
    made.args(["-c", shell]).current_dir(&project.root);
    for who in ["GIT_AUTHOR", "GIT_COMMITTER"] {
        made.env(format!("{who}_NAME"), "a");
        made.env(format!("{who}_EMAIL"), "a@b");
    }
    assert!(made.status().unwrap().success());
    let repository = super::super::git::Repository::of(&project.root).unwrap();
    let error = repository.head(1_000).map(drop).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the last commit has more than 1000 files"
    );
}

/// Each entry adds a few bytes to the index and its whole long name to what it means.
#[test]
fn an_index_that_means_more_than_it_says_is_not_taken() {
    let index = |first: usize, count: u32| {
        let mut bytes = [&b"DIRC"[..], &4_u32.to_be_bytes(), &count.to_be_bytes()].concat();
        for n in 0..count {
            let mut stat = [0_u8; 40];
            stat[24..28].copy_from_slice(&0o100_644_u32.to_be_bytes());
            bytes.extend(stat);
            bytes.extend([0; 22]);
            let (cut, name) = match n {
                0 => (0, format!("{}000000", "a".repeat(first))),
                _ => (6, format!("{n:06}")),
            };
            bytes.push(cut);
            bytes.extend(name.bytes());
            bytes.push(0);
        }
        bytes
    };
    let entries = |first, count| super::super::git::entries(&index(first, count), b"/", 1 << 20);
    assert_eq!(entries(4_000, 200).unwrap().0.len(), 200);
    assert!(entries(4_000, 300).is_none(), "together");
    assert!(entries(4_100, 1).is_none(), "no such path can be opened");
}
