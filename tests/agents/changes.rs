//! What an agent changes on the disk, however it does that: all of it is listed, and taken back by hunk,
//! file and turn.

use std::{
    collections::BTreeMap, fs, os::unix::fs::PermissionsExt, path::Path, process::Command, thread,
    time::Duration,
};

use crate::{
    conversation::Conversation,
    stage::{Cast, Stage, say},
    support::pty::Tui,
};

const F4: &str = "\x1bOS";

/// A choice takes no key before it has been on the screen this long.
const GUARD: Duration = Duration::from_millis(600);

/// Thirty lines; those of these numbers are changed.
fn lines(changed: &[usize]) -> String {
    let line = |n: usize| match changed.contains(&n) {
        true => format!("changed-{n}\n"),
        false => format!("row-{n}\n"),
    };
    (1..=30).map(line).collect()
}

/// Bytes and permissions of all files.
fn state(project: &Path) -> BTreeMap<String, (u32, Vec<u8>)> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(project).expect("the project") {
        let path = entry.expect("an entry").path();
        if path.is_file() {
            let mode = fs::metadata(&path).expect("a file").permissions().mode();
            let name = path.file_name().expect("a name").to_string_lossy();
            all.insert(
                name.into_owned(),
                (mode, fs::read(&path).expect("its bytes")),
            );
        }
    }
    all
}

fn git(project: &Path, args: &[&str]) -> String {
    let out = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@t"])
        .args(args)
        .current_dir(project)
        .output()
        .expect("git runs");
    assert!(out.status.success(), "git {args:?}");
    String::from_utf8_lossy(&out.stdout).into_owned()
}

/// The project as it is before the turn.
fn prepare(project: &Path, in_git: bool) {
    let write = |name: &str, text: &str| {
        fs::write(project.join(name), text).expect("a file is written");
    };
    write("edited.txt", &lines(&[]));
    write("gone.txt", "it was here\n");
    write("old.txt", &"a line of what moves\n".repeat(20));
    write("shell.sh", "#!/bin/sh\r\necho no end of line");
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(project.join("shell.sh"), executable).expect("its mode");
    if in_git {
        git(project, &["init", "-q"]);
        git(project, &["add", "."]);
        git(project, &["commit", "-q", "-m", "all"]);
    }
}

/// In one turn. What the agent has tools for it does with them, the rest by a command.
const SCRIPT: [&str; 5] = [
    "read edited.txt",
    "edit edited.txt row-5 changed-5",
    "edit edited.txt row-27 changed-27",
    "write made.txt made",
    "run rm gone.txt && mv old.txt new.txt && printf more >> shell.sh",
];

/// Without a tool that changes a part of a file.
const WITHOUT_EDIT: [&str; 2] = [
    "write made.txt made",
    "run sed -i 's/row-5$/changed-5/; s/row-27/changed-27/' edited.txt && rm gone.txt && mv old.txt new.txt \
     && printf more >> shell.sh",
];

impl Conversation {
    fn prompts(&self, script: &[&str]) {
        let number = self.wire().sent("session/prompt").count();
        self.tui.paste(&script.join("\n"));
        self.tui.settle(Duration::from_millis(300));
        self.tui.keys("<enter>");
        self.tui.wait("prompt on the wire", |_| {
            (self.wire().sent("session/prompt").count() > number).then_some(())
        });
    }

    /// Five files, of every kind of change; each is taken back.
    fn changes_five_and_takes_them_back(&self, edits: bool) {
        let project = self.tui.project();
        let before = state(&project);
        let script: &[&str] = if edits { &SCRIPT } else { &WITHOUT_EDIT };
        self.prompts(script);
        self.allows_what_is_asked();
        self.tui.wait_for("in 5 files");
        self.tui.keys(F4);
        // By path; the first is selected.
        let screen = self.tui.wait_for("hunk 1 of 2");
        let listed = [
            "M edited.txt",
            "D gone.txt",
            "A made.txt",
            "R new.txt",
            "M shell.sh",
        ];
        for row in listed {
            assert!(screen.contains(row), "{row}:\n{screen}");
        }
        assert!(
            screen.contains("- row-5") && screen.contains("+ changed-5"),
            "{screen}"
        );
        self.tui.keys("u");
        self.tui.wait_for("hunk 1 of 1");
        let edited = fs::read_to_string(project.join("edited.txt"));
        assert_eq!(edited.ok(), Some(lines(&[27])), "the first hunk alone");
        self.tui.keys("j");
        self.tui.wait_for("- it was here");
        self.tui.keys("U");
        self.tui.wait_for("4 files ·");
        assert!(project.join("gone.txt").exists());
        self.tui.keys("<c-u>");
        self.tui.wait_for("Put back 4 files");
        thread::sleep(GUARD);
        self.tui.keys("<down>");
        self.tui.wait_for("❯ Put them back");
        thread::sleep(GUARD);
        self.tui.keys("<enter>");
        self.tui.wait_for("No changes in this turn");
        assert_eq!(state(&project), before, "bytes and modes are as before");
        self.tui.keys("q");
        // What the agent is to know stands in the draft.
        self.tui.wait_for("I reverted ");
        self.tui.keys("<c-c>");
        self.tui.wait_gone("I reverted ");
    }
}

fn takes_back(cast: Cast<'_>, edits: bool, in_git: bool) {
    let stage = cast.set();
    prepare(&stage.path("project"), in_git);
    let talk = Conversation::begin(&stage);
    talk.goes_on("good day to you");
    talk.changes_five_and_takes_them_back(edits);
    if in_git {
        let project = stage.path("project");
        assert_eq!(git(&project, &["status", "--porcelain"]), "");
    }
    talk.ends();
}

/// With git and without.
pub fn of_agent(cast: impl Fn() -> Cast<'static>, edits: bool) {
    takes_back(cast(), edits, true);
    takes_back(cast(), edits, false);
}

/// The second of two prompts is sent again, otherwise.
pub fn edits_and_resends(agent: &'static str, forks: bool) {
    let stage = Cast::of(agent).set();
    let talk = Conversation::begin(&stage);
    talk.goes_on("good day to you");
    talk.goes_on("of no matter");
    talk.sends_again(&stage, forks);
    talk.goes_on("and straight on");
    talk.ends();
}

impl Conversation {
    fn sends_again(&self, stage: &Stage, forks: bool) {
        let session = self.session();
        edit_last(&self.tui);
        self.tui.keys(" at all<enter>");
        self.tui.wait("the prompt in another session", |_| {
            let wire = self.wire();
            let last = wire.sent("session/prompt").next_back()?;
            (last["params"]["sessionId"] != session).then_some(())
        });
        self.wait_turn();
        self.wait_row("of no matter at all");
        let wire = self.wire();
        assert_eq!(wire.sent("session/fork").count(), usize::from(forks));
        let asked = stage.asked();
        let last = asked
            .lines()
            .rfind(|line| line.contains("of no matter at all"));
        let last = last.expect("the model was asked");
        assert!(
            last.contains("good day to you"),
            "it knows what came before"
        );
        let times = last.matches("of no matter").count();
        let told = last.matches("of no matter at all").count();
        assert_eq!(times, told, "it knows nothing of what was left out: {last}");
        say(&format!(
            "sent again {}",
            if forks {
                "in a fork"
            } else {
                "with what was said"
            }
        ));
    }
}

fn edit_last(tui: &Tui) {
    tui.keys("<esc>");
    tui.wait_for("esc again");
    tui.keys("<esc>");
    tui.wait_for("editing an earlier prompt");
}
