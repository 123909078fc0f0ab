//! What is told of changes since the last commit.

use super::*;

#[test]
fn what_turns_changed_since_the_last_commit_says_so_and_the_rest_is_left_open() {
    let mut at = Followed::new();
    at.git(&["init", "-q"]);
    for name in ["a", "b", "c", "d"] {
        at.write(name, &lines(&[]));
    }
    at.git(&["add", "-A"]);
    at.git(&["commit", "-qm", "x"]);
    at.write("b", &lines(&[1]));
    at.turn(1, &[("c", &lines(&[2])), ("d", &lines(&[2]))]);
    at.git(&["add", "c"]);
    at.git(&["commit", "-qm", "y"]);
    at.turn(2, &[("a", &lines(&[3])), ("c", &lines(&[2, 4]))]);
    at.write("d", &lines(&[2, 9]));
    assert_eq!(
        at.named(ReviewScope::Commit),
        [
            "a: turn 2",
            "b: ",
            "c: turn 2",
            "d: turn 1, changes outside of turns"
        ]
    );
    let files = at.list(ReviewScope::Commit).files;
    let unknown = files.iter().filter(|file| file.by_unknown);
    let unknown: Vec<&str> = unknown.map(|file| file.name.as_str()).collect();
    assert_eq!(unknown, ["b"]);
}
