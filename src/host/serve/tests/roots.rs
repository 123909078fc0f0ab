//! What an agent gets by `fs/*` and where it ends: links, races, what is protected.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

use proptest::prelude::*;

use super::*;
use crate::host::Own;

fn names(dir: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(dir).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

fn own(place: PathBuf) -> Own {
    Own {
        places: vec![place],
        ..Own::default()
    }
}

impl Fixture {
    /// Without a runtime.
    fn file(&self, request: HostRequest, consent: Consent) -> ServeOutcome {
        self.file_as(self.key(), request, consent)
    }

    fn file_as(&self, key: RequestKey, request: HostRequest, consent: Consent) -> ServeOutcome {
        let request = match request {
            HostRequest::ReadTextFile(read) => FileRequest::Read(read),
            HostRequest::WriteTextFile(write) => FileRequest::Write(write),
            HostRequest::Look(look) => FileRequest::Look(look),
            other => panic!("{other:?}"),
        };
        self.host.inner.file(key, request, consent)
    }
}

/// Swaps two names of a directory, over and over, while `work` goes on.
fn while_swapping(one: &Path, two: &Path, work: impl FnOnce()) {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for n in 0_u32.. {
                if over.load(Ordering::Relaxed) {
                    break;
                }
                renameat_with(CWD, one, CWD, two, RenameFlags::EXCHANGE).unwrap();
                if n % 3 == 0 {
                    // So that something comes of the work as well, either way round.
                    std::thread::sleep(Duration::from_micros(100));
                }
            }
        });
        // Also where it panics, or the scope would not end.
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        over.store(true, Ordering::Relaxed);
        if let Err(panic) = outcome {
            std::panic::resume_unwind(panic);
        }
    });
}

// V1-FS-11
#[test]
fn a_folder_swapped_for_a_link_all_the_time_leads_nowhere_outside() {
    const TRIES: usize = 4_000;
    let host = fixture();
    let (ws, out) = (host.path("ws"), host.path("out"));
    fs::create_dir(ws.join("sub")).unwrap();
    fs::write(ws.join("sub/f"), "inside").unwrap();
    fs::write(out.join("f"), "outside").unwrap();
    fs::set_permissions(
        out.join("f"),
        std::os::unix::fs::PermissionsExt::from_mode(0o644),
    )
    .unwrap();
    symlink("../out", ws.join("link")).unwrap();
    let before = names(&out);
    let (mut inside, mut written, mut asked) = (0, 0, 0);
    while_swapping(&ws.join("sub"), &ws.join("link"), || {
        for n in 0..TRIES {
            let at = LookAt::Text {
                skip: 0,
                limit: None,
            };
            let request = if n % 2 == 0 {
                read("sub/f")
            } else {
                look("sub/f", at)
            };
            match host.file(request, Consent::None) {
                ServeOutcome::Reply(
                    HostReply::Content(content) | HostReply::Looked(Looked::File { content, .. }),
                ) => {
                    assert_eq!(content, "inside");
                    inside += 1;
                }
                ServeOutcome::OutsideRoots { .. } => asked += 1,
                _ => {}
            }
            let request = match n % 2 {
                0 => write("sub/f", "inside"),
                _ => write(&format!("sub/new/{}/f", n % 16), "inside"),
            };
            match host.file(request, Consent::None) {
                ServeOutcome::Reply(HostReply::Done) => written += 1,
                ServeOutcome::OutsideRoots { .. } => asked += 1,
                _ => {}
            }
        }
    });
    assert_eq!(fs::read_to_string(out.join("f")).unwrap(), "outside");
    assert_eq!(names(&out), before, "nothing came to be outside");
    // It would hold nothing if everything was refused.
    assert!(inside > 0, "{inside} read");
    assert!(written > 0, "{written} written");
    assert!(asked > 0, "links were seen as such");
    let sub = [ws.join("sub"), ws.join("link")];
    for dir in sub {
        assert!(
            names(&dir)
                .iter()
                .all(|name| !name.starts_with(".acp-tui-"))
        );
    }
}

/// By a link in the workspace too: rules are for where a path leads.
#[test]
fn a_folder_swapped_for_a_link_all_the_time_leads_to_nothing_that_a_rule_denies() {
    const TRIES: usize = 4_000;
    let host = fixture_with(|config| {
        config.rules = vec![Rule {
            kind: None,
            tool: None,
            path: Some("secret/**".to_owned()),
            command: None,
            decision: Decision::Deny,
            label: "deny path=secret/**".into(),
        }];
    });
    let ws = host.path("ws");
    for name in ["sub", "secret"] {
        fs::create_dir(ws.join(name)).unwrap();
        fs::write(ws.join(name).join("f"), name).unwrap();
    }
    symlink("secret", ws.join("link")).unwrap();
    let mut served = 0;
    while_swapping(&ws.join("sub"), &ws.join("link"), || {
        for _ in 0..TRIES {
            if let ServeOutcome::Reply(HostReply::Content(content)) =
                host.file(read("sub/f"), Consent::None)
            {
                assert_eq!(content, "sub");
                served += 1;
            }
            host.file(write("sub/f", "sub"), Consent::None);
        }
    });
    assert_eq!(fs::read_to_string(ws.join("secret/f")).unwrap(), "secret");
    assert_eq!(names(&ws.join("secret")).len(), 1);
    assert!(served > 0, "{served} read");
}

// V1-FS-05
#[test]
fn a_path_that_is_spelled_like_no_path_names_no_file_of_the_workspace() {
    let host = fixture();
    for path in ["~", "~/x", "file:///etc/x", "file:/etc/x", "FILE:x"] {
        let outcome = host.file(write(path, "x"), Consent::Folder);
        let ServeOutcome::Reply(HostReply::Error(error)) = outcome else {
            panic!("{path}: {outcome:?}");
        };
        assert_eq!(error.code, code::INVALID_PARAMS);
        assert!(error.message.contains("absolute"), "{}", error.message);
    }
    assert!(names(&host.path("ws")).is_empty());
    for path in ["a~", "x/~/y", "files:x"] {
        let outcome = host.file(write(path, "x"), Consent::None);
        assert_eq!(outcome, ServeOutcome::Reply(HostReply::Done), "{path}");
    }
}

// The word of the person is for the place that they were shown.
#[test]
fn what_was_allowed_outside_is_used_there_or_not_at_all() {
    let host = fixture();
    let base = host.path("");
    fs::create_dir(base.join("secret")).unwrap();
    for name in ["out/sub/f", "secret/f"] {
        fs::write(base.join(name), name).unwrap();
    }
    symlink("../secret", base.join("out/link")).unwrap();
    let mut allowed = 0;
    while_swapping(&base.join("out/sub"), &base.join("out/link"), || {
        for n in 0..1_000 {
            let key = host.key();
            let request = || match n % 2 {
                0 => read("../out/sub/f"),
                _ => write("../out/sub/new", "text"),
            };
            let shown = match host.file_as(key, request(), Consent::None) {
                ServeOutcome::OutsideRoots { resolved, .. } => resolved,
                _ => continue,
            };
            if !shown.starts_with(base.join("out")) {
                continue;
            }
            match host.file_as(key, request(), Consent::Once) {
                ServeOutcome::Reply(HostReply::Content(content)) => {
                    assert_eq!(content, "out/sub/f");
                    allowed += 1;
                }
                ServeOutcome::Reply(HostReply::Done) => allowed += 1,
                _ => {}
            }
        }
    });
    assert_eq!(names(&base.join("secret")), ["f".to_owned()].into());
    assert!(allowed > 0, "{allowed}");
}

#[test]
fn a_link_in_the_workspace_is_written_through_and_stays() {
    let host = fixture();
    let ws = host.path("ws");
    fs::create_dir(ws.join("real")).unwrap();
    fs::write(ws.join("real/f"), "old").unwrap();
    symlink("real/f", ws.join("file-link")).unwrap();
    symlink(ws.join("real"), ws.join("dir-link")).unwrap();
    symlink("real/new", ws.join("dangling")).unwrap();
    for (n, (path, really)) in [
        ("file-link", "real/f"),
        ("dir-link/f", "real/f"),
        ("dir-link/deep/new", "real/deep/new"),
        ("dangling", "real/new"),
    ]
    .into_iter()
    .enumerate()
    {
        let text = format!("text {n}");
        let outcome = host.file(write(path, &text), Consent::None);
        assert_eq!(outcome, ServeOutcome::Reply(HostReply::Done), "{path}");
        assert_eq!(fs::read_to_string(ws.join(really)).unwrap(), text);
        assert_eq!(host.file(read(path), Consent::None), content(&text));
    }
    for link in ["file-link", "dir-link", "dangling"] {
        assert!(ws.join(link).is_symlink(), "{link}");
    }
}

#[test]
fn a_project_that_was_made_anew_is_the_workspace() {
    let host = fixture();
    let ws = host.path("ws");
    fs::rename(&ws, host.path("old")).unwrap();
    fs::create_dir(&ws).unwrap();
    let outcome = host.file(write("f", "new"), Consent::None);
    assert_eq!(outcome, ServeOutcome::Reply(HostReply::Done));
    assert_eq!(fs::read_to_string(ws.join("f")).unwrap(), "new");
    fs::remove_dir_all(&ws).unwrap();
    symlink("out", &ws).unwrap();
    let outcome = host.file(write("g", "new"), Consent::None);
    assert!(
        matches!(outcome, ServeOutcome::OutsideRoots { .. }),
        "{outcome:?}"
    );
    assert!(!host.path("out/g").exists());
}

/// The workspace is the home: acp-tui's own directory is in it.
fn at_home() -> Fixture {
    fixture_with(|config| {
        let ws = config.roots.cwd().to_owned();
        config.roots = config
            .roots
            .clone()
            .with_own(&own(ws.join(".config/acp-tui")));
        config.policy = Policy::AllowAll;
    })
}

fn is_protected(outcome: &ServeOutcome) -> bool {
    matches!(
        outcome,
        ServeOutcome::OutsideRoots {
            protected: Some(_),
            ..
        }
    )
}

#[test]
fn acp_tuis_own_files_are_asked_about_each_time_wherever_the_workspace_is() {
    let host = at_home();
    let ws = host.path("ws");
    fs::create_dir_all(ws.join(".config/acp-tui")).unwrap();
    fs::write(ws.join(".config/acp-tui/config.toml"), "policy = \"ask\"").unwrap();
    symlink(".config/acp-tui", ws.join("harmless")).unwrap();
    for request in [
        || write(".config/acp-tui/config.toml", "policy = \"allow-all\""),
        || write("harmless/config.toml", "policy = \"allow-all\""),
        || write(".config/acp-tui/new/trusted.json", "{}"),
        || read(".config/acp-tui/config.toml"),
    ] {
        let outcome = host.file(request(), Consent::None);
        assert!(is_protected(&outcome), "{outcome:?}");
    }
    let untouched = fs::read_to_string(ws.join(".config/acp-tui/config.toml")).unwrap();
    assert_eq!(untouched, "policy = \"ask\"");
    assert_eq!(names(&ws.join(".config/acp-tui")).len(), 1);
    // Their neighbours are the workspace's.
    let outcome = host.file(write(".config/other", "x"), Consent::None);
    assert_eq!(outcome, ServeOutcome::Reply(HostReply::Done));
    // A yes is for this once, even where a folder was meant.
    let key = host.key();
    let request = || read(".config/acp-tui/config.toml");
    assert!(is_protected(&host.file_as(key, request(), Consent::None)));
    let outcome = host.file_as(key, request(), Consent::Folder);
    assert_eq!(outcome, content("policy = \"ask\""));
    assert!(is_protected(&host.file(request(), Consent::None)));
    // And what is looked for is not there.
    let at = LookAt::Stat;
    let stat = look(".config/acp-tui/config.toml", at);
    let HostRequest::Look(stat) = stat else {
        unreachable!()
    };
    assert_eq!(
        host.host.inner.look(&stat).unwrap(),
        Looked::Stat {
            exists: false,
            is_directory: false
        }
    );
}

#[test]
fn a_workspace_in_acp_tuis_own_directory_is_asked_about_too() {
    let host = fixture_with(|config| {
        let ws = config.roots.cwd().to_owned();
        config.roots = config.roots.clone().with_own(&own(ws));
    });
    assert!(is_protected(
        &host.file(write("config.toml", "x"), Consent::None)
    ));
}

/// A worktree below the state directory is a project, the rest of that directory is not; nor are the worktrees of
/// other sessions.
#[test]
fn a_worktree_in_acp_tuis_own_directory_is_the_workspace_and_nothing_beside_it() {
    let host = fixture_with(|config| {
        let state = config.roots.cwd().to_owned();
        let trees = state.join("worktrees");
        let open = trees.join("one");
        fs::create_dir_all(&open).unwrap();
        fs::create_dir_all(trees.join("two")).unwrap();
        let also = std::slice::from_ref(&state);
        config.roots = Roots::new(&open, also).unwrap().with_own(&Own {
            places: vec![state],
            worktrees: Some(trees),
            open: Some(open),
        });
    });
    let state = host.path("ws");
    let written = |path: &Path| {
        let path = path.to_string_lossy().into_owned();
        host.file(write(&path, "x"), Consent::None)
    };
    let inside = written(&state.join("worktrees/one/deep/file"));
    assert_eq!(inside, ServeOutcome::Reply(HostReply::Done));
    for beside in ["worktrees/two/file", "worktrees/file", "sessions/file"] {
        assert!(is_protected(&written(&state.join(beside))), "{beside}");
    }
    // What git runs is protected there too.
    let link = written(&state.join("worktrees/one/.git"));
    assert!(is_protected(&link), "{link:?}");
}

#[test]
fn what_git_keeps_is_read_freely_and_asked_about_for_each_write() {
    for policy in [Policy::AcceptEdits, Policy::AllowAll] {
        let host = fixture_with(|config| config.policy = policy);
        let ws = host.path("ws");
        fs::create_dir_all(ws.join(".git/hooks")).unwrap();
        fs::create_dir_all(ws.join("kept/hooks")).unwrap();
        fs::create_dir_all(ws.join("sub")).unwrap();
        fs::write(ws.join(".git/config"), "[core]").unwrap();
        symlink(".git", ws.join("harmless")).unwrap();
        symlink("../kept", ws.join("sub/.git")).unwrap();
        for path in [
            ".git/config",
            ".git/hooks/pre-commit",
            ".git/new/deep",
            ".GIT/config",
            "harmless/config",
            "new/.git",
            "sub/.git/config",
        ] {
            let outcome = host.file(write(path, "x"), Consent::None);
            assert!(is_protected(&outcome), "{path}: {outcome:?}");
        }
        let outcome = host.file(read(".git/config"), Consent::None);
        assert_eq!(outcome, content("[core]"));
        for path in [
            ".gitignore",
            ".github/workflows/x.yml",
            ".vscode/extensions.json",
        ] {
            let outcome = host.file(write(path, "x"), Consent::None);
            assert_eq!(outcome, ServeOutcome::Reply(HostReply::Done), "{path}");
        }
        // A yes is for this once.
        let key = host.key();
        let request = || write(".git/config", "[alias]");
        assert!(is_protected(&host.file_as(key, request(), Consent::None)));
        let outcome = host.file_as(key, request(), Consent::Folder);
        assert_eq!(outcome, ServeOutcome::Reply(HostReply::Done));
        assert!(is_protected(&host.file(request(), Consent::None)));
    }
}

#[test]
fn a_git_that_is_a_link_is_asked_about_where_it_leads() {
    let host = fixture();
    let ws = host.path("ws");
    fs::create_dir(ws.join("kept")).unwrap();
    symlink("kept", ws.join(".git")).unwrap();
    for path in ["kept/config", ".git/config"] {
        let outcome = host.file(write(path, "x"), Consent::None);
        assert!(is_protected(&outcome), "{path}: {outcome:?}");
    }
}

#[test]
fn a_hard_link_in_the_workspace_changes_nothing_outside_and_shows_no_secret() {
    let host = at_home();
    let (ws, out) = (host.path("ws"), host.path("out"));
    fs::create_dir_all(ws.join(".config/acp-tui")).unwrap();
    fs::write(ws.join(".config/acp-tui/trusted.json"), "{}").unwrap();
    fs::hard_link(ws.join(".config/acp-tui/trusted.json"), ws.join("notes")).unwrap();
    fs::write(out.join("f"), "outside").unwrap();
    fs::hard_link(out.join("f"), ws.join("link")).unwrap();
    assert_eq!(host.file(read("link"), Consent::None), content("outside"));
    let outcome = host.file(write("link", "x"), Consent::None);
    assert_eq!(outcome, ServeOutcome::Reply(HostReply::Done));
    assert_eq!(fs::read_to_string(out.join("f")).unwrap(), "outside");
    assert_eq!(host.file(read("link"), Consent::None), content("x"));
    assert!(is_protected(&host.file(read("notes"), Consent::None)));
}

#[tokio::test]
async fn a_permission_for_what_is_protected_is_no_policys_to_give() {
    let host = at_home();
    let options = ["allow_once", "reject_once"].map(|id| PermissionOption {
        id: crate::model::OptionId::new(id),
        name: id.into(),
        kind: if id == "allow_once" {
            crate::model::PermissionKind::AllowOnce
        } else {
            crate::model::PermissionKind::RejectOnce
        },
    });
    let decide = |path: &str| {
        let subject = Subject {
            kind: crate::model::ToolKind::Edit,
            paths: vec![path.to_owned()],
            ..Subject::default()
        };
        host.host.decide(subject, options.to_vec())
    };
    assert!(matches!(decide("notes.txt").await, Verdict::Allow { .. }));
    let verdict = decide(".config/acp-tui/config.toml").await;
    let Verdict::Ask {
        reason: Some(reason),
        ..
    } = verdict
    else {
        panic!("{verdict:?}");
    };
    assert!(reason.contains("belongs to acp-tui itself"), "{reason}");
}

/// What may stand in a tree.
#[derive(Clone, Debug)]
enum Node {
    Dir,
    File,
    /// By path from where it stands, or from the tree's top.
    Link(String, bool),
}

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// Paths of up to five parts out of few names, so that they meet.
fn some_path() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        6 => proptest::sample::select(&NAMES[..]).prop_map(str::to_owned),
        2 => Just("..".to_owned()),
        1 => Just(".".to_owned()),
        1 => Just("ws".to_owned()),
        1 => Just("out".to_owned()),
    ];
    proptest::collection::vec(part, 1..=5).prop_map(|parts| parts.join("/"))
}

fn some_tree() -> impl Strategy<Value = Vec<(String, Node)>> {
    let node = prop_oneof![
        3 => Just(Node::Dir),
        3 => Just(Node::File),
        4 => (some_path(), any::<bool>()).prop_map(|(to, top)| Node::Link(to, top)),
    ];
    let place = (
        prop_oneof![3 => Just("ws"), 1 => Just("out")],
        proptest::collection::vec(proptest::sample::select(&NAMES[..]), 1..=3),
    );
    let place = place.prop_map(|(top, names)| format!("{top}/{}", names.join("/")));
    proptest::collection::vec((place, node), 1..24)
}

fn grow(base: &Path, tree: &[(String, Node)]) {
    for (place, node) in tree {
        // What is in the way, or leads nowhere, is left out: the tree is still a tree.
        let at = base.join(place);
        let parent = at.parent().unwrap();
        let in_it = fs::canonicalize(parent).is_ok_and(|parent| parent.starts_with(base));
        if !in_it || at.symlink_metadata().is_ok() {
            continue;
        }
        let _ = match node {
            Node::Dir => fs::create_dir(&at),
            Node::File => fs::write(&at, place),
            Node::Link(to, true) => symlink(base.join(to), &at),
            Node::Link(to, false) => symlink(to, &at),
        };
    }
}

/// Every file below, and what is in it.
fn all_files(dir: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let kind = path.symlink_metadata().unwrap();
        if kind.is_dir() {
            found.extend(all_files(&path));
        } else if kind.is_file() {
            let text = fs::read_to_string(&path).unwrap();
            found.push((path, text));
        }
    }
    found.sort();
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// In a tree where nothing moves, an agent reads and writes what the system itself finds by that
    /// path, if that is in the workspace, and nothing else.
    #[test]
    fn paths_lead_where_the_system_says_and_no_further(
        tree in some_tree(),
        paths in proptest::collection::vec(some_path(), 1..16),
    ) {
        let host = fixture();
        let base = host.path("");
        let ws = host.path("ws");
        grow(&base, &tree);
        let outside = all_files(&host.path("out"));
        for path in &paths {
            // What the system does not find (behind what is missing, or is a file) is taken by its
            // letters, which lead no further either.
            let system = fs::canonicalize(ws.join(path));
            let read_by_us = host.file(read(path), Consent::None);
            if let Ok(really) = &system {
                if !really.starts_with(&ws) {
                    prop_assert_eq!(read_by_us, ServeOutcome::OutsideRoots {
                        resolved: really.clone(),
                        write: false,
                        protected: None,
                    });
                } else if really.is_file() {
                    prop_assert_eq!(read_by_us, content(&fs::read_to_string(really).unwrap()));
                } else {
                    prop_assert_eq!(error_code(&read_by_us), code::INTERNAL);
                }
            }
            let written = host.file(write(path, "by the agent"), Consent::None);
            if written == ServeOutcome::Reply(HostReply::Done)
                && let Ok(really) = fs::canonicalize(ws.join(path))
            {
                prop_assert!(really.starts_with(&ws), "{}", really.display());
                prop_assert_eq!(fs::read_to_string(really).unwrap(), "by the agent");
            }
            prop_assert_eq!(&all_files(&host.path("out")), &outside);
        }
        let left = all_files(&ws);
        prop_assert!(left.iter().all(|(path, _)| !path.to_string_lossy().contains(".acp-tui-")));
    }
}
