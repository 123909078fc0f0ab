//! What a review lists of turns, on a real disk.

use std::{fs, sync::Arc};

use super::*;
use crate::{
    app::changes::Place,
    host::Roots,
    model::{BlobId, HunkRange},
};

#[path = "tests/commit.rs"]
mod commit;
#[path = "tests/whose.rs"]
mod whose;

/// A project, and the session whose turns are followed.
struct Followed {
    folder: tempfile::TempDir,
    project: Project,
    of: SessionId,
}

/// Twenty lines, those of these numbers changed.
fn lines(changed: &[usize]) -> String {
    let line = |n: usize| match changed.contains(&n) {
        true => format!("line {n}, changed\n"),
        false => format!("line {n}\n"),
    };
    (1..=20).map(line).collect()
}

impl Followed {
    fn new() -> Self {
        Self::within(tempfile::tempdir().unwrap())
    }

    fn within(folder: tempfile::TempDir) -> Self {
        let root = folder.path().canonicalize().unwrap().join("project");
        fs::create_dir(&root).unwrap();
        let place = Place {
            folder: folder.path().join("changes"),
            roots: Roots::new(&root, &[]).unwrap(),
            most: 1 << 30,
        };
        let mut project = Project::open(&place, Arc::default(), Arc::default());
        project.begin();
        Self {
            folder,
            project,
            of: SessionId::new("s"),
        }
    }

    /// As in another run.
    fn reopened(self) -> Self {
        let Self {
            folder,
            project,
            of,
        } = self;
        let place = project.place.clone();
        drop(project);
        let mut project = Project::open(&place, Arc::default(), Arc::default());
        project.begin();
        Self {
            folder,
            project,
            of,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        let folder = self.folder.path().canonicalize().unwrap();
        folder.join("project").join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn git(&self, words: &[&str]) {
        let mut git = std::process::Command::new("git");
        git.args(["-c", "user.name=n", "-c", "user.email=e@e"]);
        git.env("GIT_CONFIG_GLOBAL", "/dev/null");
        let out = git.args(words).current_dir(self.path("")).output().unwrap();
        assert!(out.status.success(), "{words:?}: {out:?}");
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn turn(&mut self, turn: u64, files: &[(&str, &str)]) {
        self.project.turn_begins(&self.of, turn);
        for (name, text) in files {
            self.write(name, text);
        }
        self.project.turn_ended(&self.of, turn);
    }

    fn list(&mut self, scope: ReviewScope) -> Review {
        list(&mut self.project, Some(&self.of), scope).unwrap()
    }

    /// The names in a scope, each with what made it.
    fn named(&mut self, scope: ReviewScope) -> Vec<String> {
        let files = self.list(scope).files.into_iter();
        let by = |by: &[SafeText]| {
            let by: Vec<&str> = by.iter().map(SafeText::as_str).collect();
            by.join(", ")
        };
        files
            .map(|file| format!("{}: {}", file.name, by(&file.by)))
            .collect()
    }

    /// Both sides of a file in a scope.
    fn sides(&mut self, scope: ReviewScope, name: &str) -> (String, String) {
        let path = self.path(name);
        match texts(&mut self.project, Some(&self.of), scope, path).unwrap() {
            ReviewTold::Texts(texts) => {
                let (before, after) = texts.texts.unwrap();
                let text = |side: Option<SafeText>| side.unwrap_or_default().to_string();
                (text(before), text(after))
            }
            other => panic!("{other:?}"),
        }
    }

    fn put_back(&mut self, scope: ReviewScope, part: UndoPart) -> ReviewTold {
        let review = self.list(scope);
        let path = match &part {
            UndoPart::File(path) | UndoPart::Hunks(path, _) => path,
        };
        let file = review.files.iter().find(|file| file.path == *path);
        let (from, to) = review.span.unwrap();
        let until = file.unwrap().until.unwrap_or(to);
        let wish = ReviewWish::Undo {
            scope,
            span: (from, until),
            parts: Some(vec![part]),
        };
        answer(&mut self.project, Some(&self.of), wish)
    }

    /// All that turns of the session have changed; what is said of it.
    fn put_back_all(&mut self, scope: ReviewScope) -> String {
        let review = self.list(scope);
        let made = review.files.into_iter().filter(|file| file.by_a_turn);
        let wish = ReviewWish::Undo {
            scope,
            span: review.span.unwrap(),
            parts: Some(made.map(|file| UndoPart::File(file.path)).collect()),
        };
        match answer(&mut self.project, Some(&self.of), wish) {
            ReviewTold::Done(done) => done.said.to_string(),
            other => panic!("{other:?}"),
        }
    }
}

const FIRST: ReviewScope = ReviewScope::Turn(1);

#[test]
fn what_is_put_back_of_a_turn_is_not_listed_any_more_and_a_redo_lists_it_again() {
    let mut at = Followed::new();
    at.write("a", "old\n");
    at.turn(1, &[("a", "new\n"), ("b", "made\n")]);
    assert_eq!(at.named(FIRST), ["a: turn 1", "b: turn 1"]);
    let b = at.path("b");
    at.put_back(FIRST, UndoPart::File(b));
    assert_eq!(at.named(FIRST), ["a: turn 1"]);
    // A later turn does not bring it back into the list.
    at.turn(2, &[("c", "later\n")]);
    assert_eq!(at.named(FIRST), ["a: turn 1"]);
    assert_eq!(at.named(ReviewScope::Turn(2)), ["c: turn 2"]);
    answer(&mut at.project, None, ReviewWish::Redo);
    assert_eq!(at.named(FIRST), ["a: turn 1", "b: turn 1"]);
}

#[test]
fn a_hunk_that_is_put_back_leaves_the_diff_and_the_others_can_still_go() {
    let mut at = Followed::new();
    at.write("a", &lines(&[]));
    at.turn(1, &[("a", &lines(&[2, 9]))]);
    let path = at.path("a");
    let hunk = |line: usize| {
        let one = HunkRange {
            before: line - 1..line,
            after: line - 1..line,
        };
        UndoPart::Hunks(path.clone(), vec![one])
    };
    at.put_back(FIRST, hunk(2));
    assert_eq!(at.read("a"), lines(&[9]));
    assert_eq!(at.sides(FIRST, "a"), (lines(&[]), lines(&[9])));
    at.put_back(FIRST, hunk(9));
    assert_eq!(at.read("a"), lines(&[]));
    assert!(at.named(FIRST).is_empty());
}

#[test]
fn what_the_person_changed_after_a_turn_is_not_the_turns_and_outlives_its_undo() {
    let mut at = Followed::new();
    at.write("a", &lines(&[]));
    at.turn(1, &[("a", &lines(&[2]))]);
    at.write("a", &lines(&[2, 9]));
    at.write("mine", "mine\n");
    assert_eq!(at.named(FIRST), ["a: turn 1"]);
    assert_eq!(at.sides(FIRST, "a"), (lines(&[]), lines(&[2])));
    let session = at.named(ReviewScope::Session);
    assert_eq!(session, ["a: turn 1, changes outside of turns", "mine: "]);
    let a = at.path("a");
    at.put_back(FIRST, UndoPart::File(a));
    assert_eq!(at.read("a"), lines(&[9]));
}

#[test]
fn what_changes_while_a_turn_is_open_is_the_turns_whatever_looked() {
    let mut at = Followed::new();
    at.project.turn_begins(&at.of, 1);
    at.write("a", "made\n");
    assert_eq!(at.named(FIRST), ["a: turn 1"]);
    // A turn that was cut off ends where the next one begins.
    at.turn(2, &[]);
    at.write("mine", "mine\n");
    let session = at.named(ReviewScope::Session);
    assert_eq!(session, ["a: turn 1", "mine: "]);
}

#[test]
fn turns_of_another_session_are_told_as_such() {
    let mut at = Followed::new();
    at.project.turn_begins(&at.of, 1);
    let other = SessionId::new("other");
    at.project.turn_ended(&at.of, 1);
    at.project.turn_begins(&other, 1);
    at.write("theirs", "x\n");
    at.project.turn_ended(&other, 1);
    assert_eq!(at.named(ReviewScope::Session), ["theirs: another session"]);
}

#[test]
fn a_review_says_why_nothing_is_followed() {
    let why = |followed: &mut Followed| {
        let of = followed.of.clone();
        let listed = list(&mut followed.project, Some(&of), ReviewScope::Session);
        listed.expect_err("nothing was followed").to_string()
    };
    // What should be the folder is a file.
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("changes"), "a file").unwrap();
    let mut followed = Followed::within(folder);
    followed.turn(1, &[("a", "new\n")]);
    let said = why(&mut followed);
    assert!(
        said.contains("cannot be kept in") && said.contains("/changes: "),
        "{said}"
    );

    let mut first = Followed::new();
    let place = Place {
        folder: first.folder.path().join("changes"),
        roots: Roots::new(&first.folder.path().join("project"), &[]).unwrap(),
        most: 1 << 30,
    };
    let mut second = Project::open(&place, Arc::default(), Arc::default());
    std::mem::swap(&mut first.project, &mut second);
    first.turn(1, &[("a", "new\n")]);
    let said = why(&mut first);
    assert!(
        said.contains("another acp-tui has this project open"),
        "{said}"
    );
}

#[test]
fn before_the_first_turn_what_is_not_committed_is_listed() {
    let mut followed = Followed::new();
    let asked = |followed: &mut Followed| {
        let of = followed.of.clone();
        answer(&mut followed.project, Some(&of), ReviewWish::List(None))
    };
    // Without git there is nothing to compare with.
    match asked(&mut followed) {
        ReviewTold::Failed(why) => assert!(why.contains("had no turn"), "{why}"),
        other => panic!("{other:?}"),
    }
    followed.write("a", "one\n");
    let root = followed.path("");
    for args in [
        &["init", "-q"][..],
        &["add", "."],
        &[
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b",
            "commit",
            "-qm",
            "a",
        ],
    ] {
        let mut git = std::process::Command::new("git");
        assert!(
            git.args(args)
                .current_dir(&root)
                .status()
                .unwrap()
                .success()
        );
    }
    followed.write("a", "two\n");
    match asked(&mut followed) {
        ReviewTold::Listed(review) => {
            assert_eq!(review.scope, ReviewScope::Commit);
            assert_eq!(review.files.len(), 1);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_turn_that_runs_is_followed_and_listed_again_only_when_something_has_changed() {
    let mut at = Followed::new();
    let of = at.of.clone();
    at.turn(1, &[("a", "one\n")]);
    at.project.turn_begins(&of, 2);
    // It is what is looked at, though it has changed nothing yet.
    let asked = answer(&mut at.project, Some(&of), ReviewWish::List(None));
    let scope = ReviewScope::Turn(2);
    match asked {
        ReviewTold::Listed(review) => {
            assert_eq!((review.scope, review.files.len()), (scope, 0));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(follow(&mut at.project, Some(&of), scope), None);
    at.write("b", "two\n");
    let review = follow(&mut at.project, Some(&of), scope).expect("another list");
    assert_eq!(review.files.len(), 1);
    let span = review.span.expect("it can be undone");
    assert_eq!(follow(&mut at.project, Some(&of), scope), None);
    // Undo works while it runs.
    let parts = Some(vec![UndoPart::File(at.path("b"))]);
    let wish = ReviewWish::Undo { scope, span, parts };
    answer(&mut at.project, Some(&of), wish);
    assert!(!at.path("b").exists());
    let review = follow(&mut at.project, Some(&of), scope).expect("another list");
    assert_eq!(review.files, []);
}

// Marks and comments are stored with it: it must be the same in every run and build.
#[test]
fn the_content_of_a_file_is_named_by_what_the_store_has() {
    let file = |blob, size, mode| FileState::File {
        content: blob,
        size,
        mode,
        binary: false,
    };
    let own = Content::Kept(BlobId::Own([7; 32]));
    let git = Content::Kept(BlobId::Git([7; 20]));
    let left = Content::Left(crate::model::Left::TooLarge, 7);
    let link = |target: &[u8]| FileState::Link {
        target: target.to_vec(),
    };
    let states = [
        file(own, 3, 0o644),
        file(own, 3, 0o755),
        file(git, 3, 0o644),
        file(left, 3, 0o644),
        link(b"a"),
        link(b"b"),
        FileState::Folder,
        FileState::Absent,
    ];
    let changed = |before: &FileState, after: &FileState| ChangedFile {
        path: "/p/a".into(),
        renamed_from: None,
        before: before.clone(),
        after: after.clone(),
        kind: ChangeKind::Modified,
        binary: false,
        seen: Vec::new(),
    };
    let all = states.iter().flat_map(|before| {
        let both = states.iter().map(move |after| (before, after));
        both.filter(|(before, after)| before != after)
    });
    let all: Vec<u64> = all
        .map(|(before, after)| content_of(&changed(before, after)))
        .collect();
    let different: BTreeSet<u64> = all.iter().copied().collect();
    assert_eq!(different.len(), all.len());
    assert_eq!(all[..2], [9408610623041937528, 15160420729853630813]);
}

#[test]
fn what_an_agent_changes_at_once_counts_for_its_turn() {
    let at = Followed::new();
    for n in 0..500 {
        at.write(&format!("{n:03}"), &format!("{n}\n"));
    }
    let place = at.project.place.clone();
    let of = at.of.clone();
    let path = at.path("499");
    let Followed {
        folder, project, ..
    } = at;
    // It has the store.
    drop(project);
    std::thread::sleep(std::time::Duration::from_millis(40));
    let following = crate::app::changes::Following::new(place);
    following.turn_begins(of.clone(), 1);
    // No look has passed.
    fs::write(&path, "new\n").unwrap();
    fs::write(path.with_file_name("made"), "made\n").unwrap();
    let (sender, told) = std::sync::mpsc::channel();
    following.turn_ended(of.clone(), 1, move |changed| sender.send(changed).unwrap());
    assert_eq!(told.recv().unwrap().files, 2);
    let (sender, told) = std::sync::mpsc::channel();
    let wish = ReviewWish::List(Some(FIRST));
    following.answer(Some(of), wish, move |told| sender.send(told).unwrap());
    match told.recv().unwrap() {
        ReviewTold::Listed(review) => {
            let by: Vec<&str> = review.files[0].by.iter().map(SafeText::as_str).collect();
            assert_eq!(by, ["turn 1", "at about its start"]);
        }
        other => panic!("{other:?}"),
    }
    drop(folder);
}

#[test]
fn several_undos_are_made_again_the_last_one_first() {
    let mut at = Followed::new();
    for name in ["a", "b", "c"] {
        at.write(name, "old\n");
    }
    at.turn(1, &[("a", "new\n"), ("b", "new\n"), ("c", "new\n")]);
    for name in ["a", "b", "c"] {
        let path = at.path(name);
        at.put_back(FIRST, UndoPart::File(path));
    }
    let redo = |at: &mut Followed| answer(&mut at.project, None, ReviewWish::Redo);
    redo(&mut at);
    assert_eq!(at.named(FIRST), ["c: turn 1"]);
    // What the person changed since is left, and said.
    at.write("b", "mine\n");
    match redo(&mut at) {
        ReviewTold::Done(done) => assert_eq!(done.refused.len(), 1, "{done:?}"),
        other => panic!("{other:?}"),
    }
    assert_eq!(at.read("b"), "mine\n");
    // Another undo comes before the ones that are left.
    let path = at.path("c");
    at.put_back(FIRST, UndoPart::File(path));
    redo(&mut at);
    assert_eq!(
        (at.read("c"), at.read("a")),
        ("new\n".into(), "old\n".into())
    );
    assert!(at.list(FIRST).can_redo);
    redo(&mut at);
    assert_eq!(at.read("a"), "new\n");
    assert!(!at.list(FIRST).can_redo);
    match redo(&mut at) {
        ReviewTold::Failed(why) => assert_eq!(why.as_str(), "Nothing to redo"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_was_let_through_without_being_kept_is_told_as_not_covered() {
    let mut at = Followed::new();
    at.turn(1, &[("a", "new\n")]);
    assert!(at.list(FIRST).uncovered.is_empty());
    let path = at.path("named");
    let changes = at.project.changes().unwrap().clone();
    changes.note_missed(std::slice::from_ref(&path), "the disk is full");
    let told = at.list(FIRST).uncovered;
    let expected = format!(
        "{} was not kept before the agent was let at it: the disk is full",
        path.display()
    );
    assert_eq!(told, [SafeText::line(&expected)]);
    // Nor can be looked at the whole.
    let store = fs::read_dir(at.folder.path().join("changes")).unwrap();
    let store = store.map(|entry| entry.unwrap().path()).next().unwrap();
    fs::remove_file(store.join("log")).unwrap();
    fs::create_dir(store.join("log")).unwrap();
    at.write("b", "new\n");
    at.project.begin();
    let told = at.project.uncovered();
    let said = told[0].as_str();
    assert!(
        said.starts_with("what is on the disk now was not looked at"),
        "{said}"
    );
}

#[test]
fn a_second_client_says_why_it_cannot_and_goes_on_when_the_first_has_ended() {
    let mut first = Followed::new();
    first.turn(1, &[("a", "one\n")]);
    let place = first.project.place.clone();
    let mut second = Followed {
        project: Project::open(&place, Arc::default(), Arc::default()),
        folder: std::mem::replace(&mut first.folder, tempfile::tempdir().unwrap()),
        of: SessionId::new("second"),
    };
    // Its turn is not known, but those of the first one are.
    second.turn(1, &[("b", "made\n")]);
    let of_first = SessionId::new("s");
    let listed = list(&mut second.project, Some(&of_first), FIRST).unwrap();
    let why = listed.read_only.unwrap();
    assert!(
        why.contains("another acp-tui has this project open"),
        "{why}"
    );
    let listed = list(&mut second.project, Some(&second.of.clone()), FIRST);
    assert!(listed.unwrap_err().to_string().contains("another acp-tui"));
    drop(first.project);
    second.turn(2, &[("c", "made\n")]);
    assert_eq!(second.named(ReviewScope::Session), ["c: turn 2"]);
    let listed = list(&mut second.project, Some(&of_first), FIRST).unwrap();
    assert_eq!(listed.read_only, None);
    let c = second.path("c");
    second.put_back(ReviewScope::Turn(2), UndoPart::File(c.clone()));
    assert!(!c.exists());
}

/// What sessions refer to whose turns go on is dropped after everything else.
#[test]
fn when_room_is_made_turns_of_sessions_in_use_go_last() {
    let noise = |seed: u32| -> String {
        let mut state = seed.wrapping_add(1);
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            char::from(b'a' + (state >> 24) as u8 % 26)
        };
        (0..4_000).map(|_| next()).collect()
    };
    let within = tempfile::tempdir().unwrap();
    let root = within.path().canonicalize().unwrap().join("project");
    fs::create_dir(&root).unwrap();
    let place = Place {
        folder: within.path().join("changes"),
        roots: Roots::new(&root, &[]).unwrap(),
        most: 100_000,
    };
    let open = || Project::open(&place, Arc::default(), Arc::default());
    let mut at = Followed {
        project: open(),
        folder: within,
        of: SessionId::new("old"),
    };
    at.project.begin();
    let mut seed = 0;
    let mut turn = |at: &mut Followed, turn: u64| {
        seed += 1;
        at.turn(turn, &[("file", &noise(seed))]);
    };
    for n in 1..=9 {
        turn(&mut at, n);
    }
    // A session of another run: its turns may go.
    at.project = Project::open(
        &Place {
            folder: at.folder.path().join("none"),
            ..place.clone()
        },
        Arc::default(),
        Arc::default(),
    );
    at.project = open();
    at.of = SessionId::new("new");
    let mut gone_at = None;
    for n in 1..=60 {
        turn(&mut at, n);
        let known = |at: &mut Followed, of: &str, turn: u64| {
            let of = SessionId::new(of);
            list(&mut at.project, Some(&of), ReviewScope::Turn(turn)).is_ok()
        };
        assert!(
            known(&mut at, "new", n),
            "the last turn is always there: {n}"
        );
        if gone_at.is_none() && !known(&mut at, "new", 1) {
            assert!(!known(&mut at, "old", 9), "older ones go first");
            gone_at = Some(n);
        }
    }
    // All that has room stays.
    let gone_at = gone_at.expect("the store has a bound");
    assert!(gone_at > 12, "{gone_at}");
}

#[test]
fn a_session_without_a_name_has_no_turns_of_others() {
    let mut at = Followed::new();
    at.turn(1, &[("a", "made\n")]);
    let opening = SessionId::new("");
    for scope in [FIRST, ReviewScope::Session] {
        assert!(list(&mut at.project, Some(&opening), scope).is_err());
    }
}
