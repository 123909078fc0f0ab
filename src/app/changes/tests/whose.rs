//! Whose changes an undo takes back: the scope's turns', and no one else's.

use super::*;

#[test]
fn an_undo_of_the_session_takes_what_turns_changed_out_of_files_that_the_person_changed_too() {
    let mut at = Followed::new();
    at.write("a", &lines(&[]));
    at.write("same", &lines(&[]));
    at.turn(1, &[("a", &lines(&[2])), ("same", &lines(&[2]))]);
    at.write("a", &lines(&[2, 10]));
    at.write("same", &lines(&[]).replace("line 2\n", "mine\n"));
    at.write("made", "made by hand\n");
    at.turn(
        2,
        &[
            ("a", &lines(&[2, 6, 10])),
            ("made", "made by hand\nand by turn 2\n"),
        ],
    );
    at.write("a", &lines(&[2, 6, 10, 14]));
    // What was undone and made again is the turn's all the same.
    let a = at.path("a");
    at.put_back(ReviewScope::Turn(2), UndoPart::File(a.clone()));
    assert_eq!(at.read("a"), lines(&[2, 10, 14]));
    answer(&mut at.project, None, ReviewWish::Redo);
    assert_eq!(at.read("a"), lines(&[2, 6, 10, 14]));
    let told = at.put_back_all(ReviewScope::Session);
    assert_eq!(at.read("a"), lines(&[10, 14]), "the person's lines");
    assert_eq!(at.read("made"), "made by hand\n");
    assert_eq!(at.read("same"), lines(&[]).replace("line 2\n", "mine\n"));
    assert!(
        told.ends_with(" · 1 file was not put back: changed since"),
        "{told}"
    );
    // It can be made again as a whole.
    answer(&mut at.project, None, ReviewWish::Redo);
    assert_eq!(at.read("a"), lines(&[2, 6, 10, 14]));
    assert_eq!(at.read("made"), "made by hand\nand by turn 2\n");
}

#[test]
fn what_another_session_changed_is_not_undone_with_this_one() {
    let mut at = Followed::new();
    at.write("a", &lines(&[]));
    at.turn(1, &[("a", &lines(&[2]))]);
    let other = SessionId::new("other");
    at.project.turn_begins(&other, 1);
    at.write("a", &lines(&[2, 10]));
    at.write("theirs", "theirs\n");
    at.project.turn_ended(&other, 1);
    at.put_back_all(ReviewScope::Session);
    assert_eq!(at.read("a"), lines(&[10]));
    assert_eq!(at.read("theirs"), "theirs\n");
}

#[test]
fn a_turn_that_was_cut_off_has_ended_when_the_project_is_opened_again() {
    let mut at = Followed::new();
    at.write("mine", "one\n");
    let of = at.of.clone();
    at.project.turn_begins(&of, 1);
    at.write("a", "by the turn\n");
    // A look sees it; then the client is killed.
    at.named(FIRST);
    let mut at = at.reopened();
    at.write("mine", "a week's work\n");
    at.write("new", "mine\n");
    let session = at.named(ReviewScope::Session);
    assert_eq!(session, ["a: turn 1", "mine: ", "new: "]);
    assert_eq!(at.named(FIRST), ["a: turn 1"]);
    at.put_back_all(ReviewScope::Session);
    assert!(!at.path("a").exists());
    assert_eq!(at.read("mine"), "a week's work\n");
    assert_eq!(at.read("new"), "mine\n");
}

#[test]
fn what_was_changed_between_undos_outlives_them() {
    let mut at = Followed::new();
    at.write("a", &lines(&[]));
    at.turn(1, &[("a", &lines(&[3, 17]))]);
    let path = at.path("a");
    let hunk = HunkRange {
        before: 2..3,
        after: 2..3,
    };
    let mine = |text: &str| text.replace("line 10\n", "mine\n");
    at.write("a", &mine(&lines(&[3, 17])));
    at.put_back(FIRST, UndoPart::Hunks(path.clone(), vec![hunk]));
    assert_eq!(at.read("a"), mine(&lines(&[17])));
    at.put_back(FIRST, UndoPart::File(path.clone()));
    assert_eq!(at.read("a"), mine(&lines(&[])));
    answer(&mut at.project, None, ReviewWish::Redo);
    at.write("a", &at.read("a").replace("line 6\n", "mine too\n"));
    at.put_back_all(ReviewScope::Session);
    let both = mine(&lines(&[])).replace("line 6\n", "mine too\n");
    assert_eq!(at.read("a"), both);
}

#[test]
fn what_one_turn_undid_does_not_come_back_with_another() {
    let mut at = Followed::new();
    at.write("a", &lines(&[]));
    at.turn(1, &[("a", &lines(&[3]))]);
    at.turn(2, &[("a", &lines(&[3, 17]))]);
    let path = at.path("a");
    at.put_back(FIRST, UndoPart::File(path.clone()));
    assert_eq!(at.read("a"), lines(&[17]));
    let second = ReviewScope::Turn(2);
    assert_eq!(at.sides(second, "a"), (lines(&[3]), lines(&[3, 17])));
    assert!(at.named(FIRST).is_empty());
    at.put_back(second, UndoPart::File(path));
    assert_eq!(at.read("a"), lines(&[]));
    assert!(at.named(second).is_empty());
    // Both at once, by the session.
    answer(&mut at.project, None, ReviewWish::Redo);
    answer(&mut at.project, None, ReviewWish::Redo);
    assert_eq!(at.read("a"), lines(&[3, 17]));
    at.put_back_all(ReviewScope::Session);
    assert_eq!(at.read("a"), lines(&[]));
    assert!(at.named(second).is_empty());
}

#[test]
fn what_one_session_undid_does_not_come_back_with_another() {
    let mut at = Followed::new();
    at.write("a", &lines(&[]));
    at.turn(1, &[("a", &lines(&[3, 17]))]);
    let first = std::mem::replace(&mut at.of, SessionId::new("other"));
    at.turn(1, &[("a", &lines(&[3, 10, 17]))]);
    let second = std::mem::replace(&mut at.of, first.clone());
    at.put_back_all(ReviewScope::Session);
    assert_eq!(at.read("a"), lines(&[10]));
    at.of = second;
    at.put_back_all(ReviewScope::Session);
    assert_eq!(at.read("a"), lines(&[]));
    at.of = first;
    assert!(at.list(ReviewScope::Session).files.is_empty());
}

#[test]
fn empty_folders_of_the_persons_own_stay() {
    let mut at = Followed::new();
    at.write("a", "old\n");
    at.turn(1, &[("a", "new\n")]);
    fs::create_dir_all(at.path("keepme/deep")).unwrap();
    at.turn(2, &[("b", "made\n")]);
    let review = at.list(ReviewScope::Session);
    let wish = ReviewWish::Undo {
        scope: ReviewScope::Session,
        span: review.span.unwrap(),
        parts: None,
    };
    answer(&mut at.project, Some(&at.of), wish);
    assert_eq!(at.read("a"), "old\n");
    assert!(!at.path("b").exists());
    assert!(at.path("keepme/deep").exists());
}

/// Between two turns the person works with git: none of that is the turns', and nothing of it is lost.
#[test]
fn what_git_does_for_the_person_between_turns_is_theirs() {
    let mut at = Followed::new();
    at.git(&["init", "-q", "-b", "main"]);
    at.write("a", &lines(&[]));
    at.write("b", "one\n");
    at.git(&["add", "-A"]);
    at.git(&["commit", "-qm", "first"]);
    at.git(&["branch", "other"]);
    at.turn(1, &[("a", &lines(&[2]))]);
    // A commit, and another branch with other files.
    at.git(&["commit", "-qam", "of the agent"]);
    at.git(&["checkout", "-q", "other"]);
    at.write("theirs", "theirs\n");
    at.write("a", &lines(&[9]));
    at.git(&["add", "-A"]);
    at.git(&["commit", "-qm", "theirs"]);
    at.turn(2, &[("b", "two\n")]);
    assert_eq!(at.named(FIRST), ["a: turn 1"]);
    assert_eq!(at.named(ReviewScope::Turn(2)), ["b: turn 2"]);
    let session = at.named(ReviewScope::Session);
    assert_eq!(
        session,
        [
            "a: turn 1, changes outside of turns",
            "b: turn 2",
            "theirs: "
        ]
    );
    assert_eq!(at.sides(FIRST, "a"), (lines(&[]), lines(&[2])));

    // Away with what is not committed, and on top of the agent's commit.
    at.git(&["stash", "-q"]);
    assert_eq!(at.read("b"), "one\n");
    at.git(&["rebase", "-q", "main"]);
    assert_eq!(at.read("a"), lines(&[2, 9]));
    at.turn(3, &[("c", "three\n")]);
    assert_eq!(at.named(ReviewScope::Turn(3)), ["c: turn 3"]);
    assert_eq!(at.named(ReviewScope::Turn(2)), ["b: turn 2"]);
    // The turn's lines go, those of the rebased commit stay.
    let a = at.path("a");
    at.put_back(FIRST, UndoPart::File(a.clone()));
    assert_eq!(at.read("a"), lines(&[9]));
    // What the stash has taken away is as it was before the turn already.
    let b = at.path("b");
    match at.put_back(ReviewScope::Turn(2), UndoPart::File(b)) {
        ReviewTold::Done(done) => assert_eq!(
            done.said.as_str(),
            "nothing to do: the files are that way already"
        ),
        other => panic!("{other:?}"),
    }
    // A branch that has the same lines otherwise: left as they are, and said.
    at.write(
        "a",
        &lines(&[2]).replace("line 2, changed", "line 2, by them"),
    );
    at.turn(4, &[]);
    match at.put_back(FIRST, UndoPart::File(a)) {
        ReviewTold::Done(done) => assert_eq!(done.refused.len(), 1, "{done:?}"),
        other => panic!("{other:?}"),
    }
    assert!(at.read("a").contains("line 2, by them"));
}

#[test]
fn what_another_session_undid_of_its_first_turn_is_not_shown_as_the_first_turns_here() {
    let mut at = Followed::new();
    at.write("a", &lines(&[]));
    at.turn(1, &[("a", &lines(&[3]))]);
    let first = std::mem::replace(&mut at.of, SessionId::new("other"));
    at.turn(1, &[("a", &lines(&[3, 17]))]);
    let second = std::mem::replace(&mut at.of, first);
    let path = at.path("a");
    at.put_back(FIRST, UndoPart::File(path));
    assert_eq!(at.read("a"), lines(&[17]));
    at.of = second;
    assert_eq!(at.sides(FIRST, "a"), (lines(&[3]), lines(&[3, 17])));
}
