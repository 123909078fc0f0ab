//! What a turn changes before the look at its start has come to it.

use std::{thread::sleep, time::Duration};

use super::*;

/// Times of files are told apart from the clock by then.
fn pause() {
    sleep(Duration::from_millis(40));
}

impl Changes {
    fn looked_for(&self, kind: CauseKind) -> CheckpointId {
        self.look(Cause::of(kind), &|| false).unwrap().at
    }

    /// The look at the start of a turn that has begun before, and the checkpoint that its changes are since.
    fn started(&self) -> CheckpointId {
        self.looked_for(CauseKind::TurnStart);
        self.turns.looked();
        let points = self.checkpoints().unwrap();
        let mut points = points.iter().rev();
        let start = points.find(|point| point.cause.kind == CauseKind::TurnStart);
        start.unwrap().id
    }

    fn named(&self, from: CheckpointId) -> Vec<(String, ChangeKind)> {
        let files = self.since(from).into_iter();
        let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
        files.map(|file| (name(&file.path), file.kind)).collect()
    }

    fn held(&self, from: CheckpointId, path: &Path) -> Result<String, Left> {
        let files = self.since(from);
        let file = files.iter().find(|file| file.path == path).unwrap();
        match &file.before {
            FileState::File {
                content: Content::Left(left, _),
                ..
            } => Err(*left),
            state => {
                let content = self.content(state.blob().unwrap()).unwrap();
                Ok(String::from_utf8(content).unwrap())
            }
        }
    }
}

#[test]
fn what_a_turn_changed_before_its_look_is_the_turns() {
    let project = Project::new();
    let a = project.write("a", "old");
    project.write("gone", "was here");
    project.write("mine", "one");
    let changes = project.open();
    changes.looked();
    project.write("mine", "two");
    pause();
    changes.turns.begin();
    project.write("a", "new");
    project.write("made/b", "made");
    fs::remove_file(project.path("gone")).unwrap();
    let start = changes.started();
    let named = changes.named(start);
    let kinds = [
        ("a".to_owned(), ChangeKind::Modified),
        ("gone".to_owned(), ChangeKind::Deleted),
        ("b".to_owned(), ChangeKind::Added),
    ];
    assert_eq!(named, kinds, "what changed before is the person's");
    assert_eq!(changes.held(start, &a), Ok("old".into()));
    // All of it comes back.
    let to = changes.looked().at;
    let all = Selection {
        from: start,
        to,
        parts: None,
        keep: Default::default(),
    };
    changes.undo(&all, Cause::default(), false).unwrap();
    assert_eq!(project.read("a"), b"old");
    assert_eq!(project.read("gone"), b"was here");
    assert_eq!(project.read("mine"), b"two");
    assert!(!project.path("made").exists());
}

#[test]
fn what_no_look_saw_before_a_turn_touched_it_has_no_known_before() {
    let project = Project::new();
    let a = project.write("a", "old");
    project.write("b", "as it is");
    let changes = project.open();
    pause();
    // The first look begins, and goes on in the turn.
    changes.turns.begin();
    project.write("a", "new");
    changes.looked();
    let start = changes.started();
    assert_eq!(
        changes.named(start),
        [("a".to_owned(), ChangeKind::Modified)]
    );
    assert_eq!(changes.held(start, &a), Err(Left::Unseen));
    // It is not put back to anything, and what it is now stays.
    let all = Selection {
        from: start,
        to: changes.looked().at,
        parts: None,
        keep: Default::default(),
    };
    let report = changes.undo(&all, Cause::default(), false).unwrap();
    assert!(report.refused[0].1.contains("not known"), "{report:?}");
    assert_eq!(project.read("a"), b"new");
    // From here on it is covered as any.
    let at = changes.looked().at;
    project.write("a", "newer");
    assert_eq!(changes.held(at, &a), Ok("new".into()));
}

#[test]
fn what_was_named_before_it_changed_has_its_before_without_a_look() {
    let project = Project::new();
    let a = project.write("a", "old");
    let b = project.write("b", "old");
    pause();
    let changes = project.open();
    changes.turns.begin();
    let name = |path: &PathBuf| {
        let cause = Cause::of(CauseKind::Named);
        changes.take(std::slice::from_ref(path), cause).unwrap();
    };
    name(&a);
    project.write("a", "new");
    // Named once more, and named too late.
    name(&a);
    project.write("b", "new");
    name(&b);
    changes.looked();
    let start = changes.started();
    assert_eq!(changes.held(start, &a), Ok("old".into()));
    assert_eq!(changes.held(start, &b), Err(Left::Unseen));
}

#[test]
fn the_end_of_a_turn_leaves_what_the_next_one_has_begun_with() {
    let project = Project::new();
    project.write("a", "old");
    let changes = project.open();
    changes.looked();
    changes.turns.begin();
    let first = changes.started();
    project.write("a", "of the first");
    pause();
    // One that was queued goes out at once.
    changes.turns.begin();
    project.write("b", "of the second");
    let end = changes.looked_for(CauseKind::TurnEnd);
    let of_first = changes.changes(first, end).unwrap();
    assert_eq!(of_first.len(), 1, "{of_first:?}");
    let second = changes.started();
    assert_eq!(changes.named(second), [("b".to_owned(), ChangeKind::Added)]);
}

#[test]
fn an_ignored_file_is_covered_from_when_it_is_named_though_it_was_too_late() {
    let project = Project::new();
    project.write(".gitignore", "*.log");
    let log = project.write("a.log", "old");
    let changes = project.open();
    changes.looked();
    pause();
    changes.turns.begin();
    project.write("a.log", "new");
    let cause = Cause::of(CauseKind::Named);
    changes.take(std::slice::from_ref(&log), cause).unwrap();
    let start = changes.started();
    assert_eq!(changes.held(start, &log), Err(Left::Unseen));
}
