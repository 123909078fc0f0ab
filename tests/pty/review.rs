//! F4: what a turn changed on the disk, and putting it back.

use std::{fs, time::Duration};

use serde_json::{Value, json};

use crate::{
    client, on_prompt,
    support::{pty::Tui, setup::Setup},
    wait_ready,
};

fn write(name: &str, text: &str) -> Value {
    json!({"write": {"path": format!("$cwd/{name}"), "text": text}})
}

/// Twenty lines; those of these numbers are changed.
fn lines(changed: &[usize]) -> String {
    let line = |n: usize| match changed.contains(&n) {
        true => format!("line {n} is new\n"),
        false => format!("line {n}\n"),
    };
    (1..=20).map(line).collect()
}

/// A turn has changed two places of one file, made one and removed one; nothing of it was asked or told.
fn changed() -> Tui {
    changed_by(&set_up(json!([])))
}

/// Before that turn. `first`: what the agent does before it is prompted.
fn set_up(first: Value) -> Setup {
    let steps = json!([
        // The first look at the project is over, and the turn is long enough for a row at its end.
        {"sleep": 1200},
        write("a.txt", &lines(&[2, 18])),
        write("made.txt", "made\n"),
        {"shell": "rm -f gone.txt"},
        {"text": "done"},
    ]);
    let mut scenario = first.as_array().expect("a list").clone();
    scenario.extend(on_prompt(steps).as_array().expect("a list").iter().cloned());
    client(Value::Array(scenario))
        .size(100, 30)
        .file("a.txt", lines(&[]))
        .file("gone.txt", "was here\n")
}

fn changed_by(setup: &Setup) -> Tui {
    let tui = setup.start();
    wait_ready(&tui);
    tui.keys("go\r");
    tui.wait_for("in 3 files");
    tui.wait_for("F4 3 files changed");
    tui
}

const F4: &str = "\x1bOS";

#[test]
fn what_a_turn_changed_is_listed_and_put_back_by_hunk_file_and_scope() {
    let tui = changed();
    tui.keys(F4);
    let screen = tui.wait_for("hunk 1 of 2");
    for word in [
        "this turn",
        "3 files",
        "gone.txt",
        "made.txt",
        "+line 2 is new",
    ] {
        let screen = screen.replace("+ line", "+line");
        assert!(screen.contains(word), "{word}:\n{screen}");
    }
    tui.keys("u");
    tui.wait_for("hunk 1 of 1");
    let path = |name: &str| tui.project().join(name);
    assert_eq!(fs::read_to_string(path("a.txt")).unwrap(), lines(&[18]));
    tui.keys("j");
    tui.wait_for("D gone.txt");
    tui.wait_for("was here");
    tui.keys("U");
    tui.wait_for("2 files");
    assert_eq!(fs::read_to_string(path("gone.txt")).unwrap(), "was here\n");
    // All that is left, by a choice.
    tui.keys("\x15");
    tui.wait_for("Put back 2 files");
    tui.settle(crate::GUARD);
    tui.keys("\x1b[B");
    tui.wait_for("❯ Put them back");
    tui.settle(crate::GUARD);
    tui.keys("\r");
    tui.wait_for("No changes in this turn");
    assert_eq!(fs::read_to_string(path("a.txt")).unwrap(), lines(&[]));
    assert!(!path("made.txt").exists());
    // The last undo can be made again.
    tui.keys("r");
    tui.wait_for("2 files ·");
    tui.wait_for("redid 2 files");
    assert!(path("made.txt").exists());
    // What is undone is in the draft, for the agent to know; what was made again is not.
    tui.keys("q");
    let draft = tui.wait_for("I reverted `a.txt`");
    assert!(draft.contains("gone.txt"), "{draft}");
    assert!(!draft.contains("made.txt"), "{draft}");
}

#[test]
fn what_the_person_changes_while_nothing_runs_is_there_with_a_key() {
    let tui = changed();
    tui.keys(F4);
    tui.wait_for("hunk 1 of 2");
    tui.keys("]");
    tui.wait_for("changes · the session");
    // Sooner than that nothing is looked at again.
    std::thread::sleep(Duration::from_millis(2_100));
    fs::write(tui.project().join("mine.txt"), "mine\n").unwrap();
    tui.keys("j");
    tui.wait_for("mine.txt");
}

#[test]
fn the_persons_own_edit_in_the_same_place_stays_and_both_are_shown() {
    let tui = changed();
    let path = tui.project().join("a.txt");
    let mine = lines(&[2, 18]).replace("line 2 is new", "line 2 is mine");
    fs::write(&path, &mine).unwrap();
    tui.keys(F4);
    tui.wait_for("hunk 1 of 2");
    tui.keys("u");
    tui.wait_for("1 file was not put back: changed since · e shows why");
    assert_eq!(fs::read_to_string(&path).unwrap(), mine);
    tui.keys("e");
    tui.wait_for("a.txt changed since in the same lines");
    tui.keys("\r");
    tui.wait_for("line 2 is mine");
}

#[test]
fn three_comments_go_to_the_agent_as_one_prompt() {
    let tui = changed();
    tui.keys(F4);
    tui.wait_for("hunk 1 of 2");
    // The marked hunk, from the list; then lines of the diff.
    tui.keys("c");
    tui.wait_for("what you have to say of line 2");
    tui.keys("Which new line?\r");
    tui.wait_for("1 comment");
    tui.keys("nc");
    tui.wait_for("what you have to say of line 18");
    tui.keys("And this one");
    tui.keys("\x1b\r");
    tui.keys("as well?\r");
    tui.wait_for("2 comments");
    // Back in the list: the keys go to the diff for a range.
    tui.keys("\t");
    tui.wait_for("j k line");
    tui.keys("G\x1b[1;2Ac");
    tui.wait_for("what you have to say of lines 19–20");
    tui.keys("The end is fine.\r");
    let screen = tui.wait_for("3 comments");
    assert!(screen.contains("✎3"), "{screen}");
    assert!(screen.contains("✎ And this one"), "{screen}");
    tui.keys("C");
    tui.wait_for("a.txt, lines 19–20");
    tui.keys("\x1b");
    tui.wait_gone("type to filter");
    tui.keys("S");
    tui.wait_for("sent 3 comments");
    tui.wait("the second prompt", |tui| {
        (tui.prompts().len() == 2).then_some(())
    });
    assert_eq!(
        tui.prompts()[1],
        "My comments on the changes:\n\n\
         1. `a.txt`, line 2:\n> line 2 is new\nWhich new line?\n\n\
         2. `a.txt`, line 18:\n> line 18 is new\nAnd this one\nas well?\n\n\
         3. `a.txt`, lines 19–20:\n> line 19\n> line 20\nThe end is fine."
    );
    tui.keys(F4);
    let screen = tui.wait_for("changes ·");
    assert!(!screen.contains("3 comments ──"), "{screen}");
}

#[test]
fn comments_on_what_is_asked_about_are_the_reason_of_a_rejection() {
    let diff =
        json!({"type": "diff", "path": "$cwd/a.txt", "oldText": "one\n", "newText": "two\n"});
    let steps = json!([
        {"request": {"id": "q", "method": "session/request_permission", "params": {
            "toolCall": {"toolCallId": "e", "title": "Edit a.txt", "kind": "edit", "content": [diff]},
            "options": [
                {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
                {"optionId": "no", "name": "No", "kind": "reject_once"},
            ],
        }}},
        {"text": "asked"},
    ]);
    let tui = client(on_prompt(steps))
        .size(90, 24)
        .file("a.txt", "one\n")
        .start();
    wait_ready(&tui);
    tui.keys("go\r");
    tui.wait_for("wants to");
    tui.settle(crate::GUARD);
    tui.keys("d");
    tui.wait_for("c comment");
    tui.settle(crate::GUARD);
    tui.keys("c");
    tui.wait_for("what you have to say of line 1");
    // Letters that would answer are text of it.
    tui.keys("nay, why?\r");
    tui.wait_for("1 comment goes with a rejection");
    tui.settle(crate::GUARD);
    // `n` goes to a hunk here, and must not reject.
    tui.keys("n");
    tui.settle(crate::GUARD);
    tui.keys("2");
    assert_eq!(tui.wait_answer("q")["result"]["outcome"]["optionId"], "no");
    tui.wait("the reason", |tui| (tui.prompts().len() == 2).then_some(()));
    assert_eq!(
        tui.prompts()[1],
        "My comment on the changes: `a.txt`, line 1:\n> two\nnay, why?"
    );
}

#[test]
fn an_open_review_follows_the_turn_while_it_runs() {
    let call = |status| json!({"update": {"sessionUpdate": "tool_call", "toolCallId": "c", "title": "works", "status": status}});
    let steps = json!([
        {"text": "at work"},
        {"wait_file": "one"},
        write("m.txt", "first\n"),
        // Nothing is told of this.
        {"wait_file": "two"},
        write("a.txt", "second\n"),
        {"wait_file": "three"},
        call("in_progress"),
        write("m.txt", "first\nthird\n"),
        call("completed"),
        {"wait_file": "four"},
        {"text": "done"},
    ]);
    let tui = client(on_prompt(steps)).size(100, 30).start();
    wait_ready(&tui);
    tui.keys("go\r");
    tui.wait_for("at work");
    tui.keys(F4);
    tui.wait_for("No changes in this turn");
    tui.allow("one");
    tui.wait_for("+ first");
    tui.allow("two");
    // The list grows above what is selected, which stays that.
    let screen = tui.wait_for("A a.txt");
    assert!(screen.contains("❯   A m.txt"), "{screen}");
    assert!(screen.contains("+ first"), "{screen}");
    // A comment that is being written stays where it is while its file changes.
    tui.keys("c");
    tui.wait_for("what you have to say of line 1");
    tui.keys("Why first?");
    tui.wait_for("Why first?");
    tui.allow("three");
    let screen = tui.wait_for("+ third");
    assert!(screen.contains("Why first?"), "{screen}");
    tui.keys("\r");
    tui.wait_for("1 comment");
    // The other one is put back, still in the turn; the list has the keys again.
    tui.keys("k");
    tui.wait_for("❯   A a.txt");
    tui.wait_for("+ second");
    tui.keys("U");
    tui.wait_for("1 file ·");
    assert!(!tui.project().join("a.txt").exists());
    tui.allow("four");
    tui.keys("q");
    tui.wait_for("in 1 file");
}

#[test]
fn a_comment_and_a_mark_are_there_when_the_session_is_opened_again() {
    let mut setup = set_up(json!([{"on": "initialize", "reply": {
        "protocolVersion": 1,
        "agentCapabilities": {"loadSession": true, "sessionCapabilities": {"resume": {}}},
    }}]));
    let mut tui = changed_by(&setup);
    tui.keys(F4);
    tui.wait_for("hunk 1 of 2");
    tui.keys("c");
    tui.wait_for("what you have to say of line 2");
    tui.keys("Which new line?\r");
    tui.wait_for("1 comment");
    // Back in the list, on to the next file.
    tui.keys("\t \t");
    tui.wait_for("✓ 1");
    tui.keys("q");
    tui.wait_gone("✓ 1");
    // Nothing is lost, so nothing is asked.
    tui.keys("\x04");
    assert!(tui.wait_exit().success());
    setup.args.push("--continue".into());
    let mut tui = setup.start();
    tui.wait_for("1 comment of the review restored: F4 shows them");
    wait_ready(&tui);
    tui.keys(F4);
    let screen = tui.wait_for("✓ 1");
    assert!(screen.contains("1 comment"), "{screen}");
    tui.wait_for("✎ Which new line?");
    tui.keys("S");
    tui.wait_for("sent 1 comment");
    tui.wait("the second prompt", |tui| {
        (tui.prompts().len() == 2).then_some(())
    });
    assert_eq!(
        tui.prompts()[1],
        "My comment on the changes: `a.txt`, line 2:\n> line 2 is new\nWhich new line?"
    );
    wait_ready(&tui);
    // Killed: what was sent does not come back, the mark does.
    let held = setup.path("home/.local/state/acp-tui/sessions");
    tui.wait("what was sent gone from the disk", |_| {
        let files = fs::read_dir(&held).ok()?.flatten().map(|file| file.path());
        let mut held = files.filter(|path| path.extension().is_some_and(|end| end == "review"));
        let text = fs::read_to_string(held.next()?).ok()?;
        (text.contains("mark") && !text.contains("comment")).then_some(())
    });
    tui.signal(rustix::process::Signal::KILL);
    tui.wait_exit();
    let tui = setup.start();
    wait_ready(&tui);
    tui.keys(F4);
    let screen = tui.wait_for("✓ 1");
    assert!(!screen.contains("1 comment"), "{screen}");
}
