//! What an agent changes on the disk, however it does that: all of it is listed, and taken back by hunk,
//! file and turn.

use std::time::Duration;

use crate::{
    conversation::Conversation,
    stage::{Cast, Stage, say},
    support::{
        changes::{commit, git, prepare, puts_back_by_hunk, puts_back_by_turn_and_by_file, state},
        pty::Tui,
    },
};

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

    /// Five files, of every kind of change; each is taken back in every way.
    fn changes_five_and_takes_them_back(&self, edits: bool) {
        let project = self.tui.project();
        let before = state(&project);
        let script: &[&str] = if edits { &SCRIPT } else { &WITHOUT_EDIT };
        self.prompts(script);
        self.allows_what_is_asked();
        puts_back_by_hunk(&self.tui, &project);
        assert_eq!(state(&project), before, "bytes and modes are as before");
        self.prompts(script);
        self.allows_what_is_asked();
        puts_back_by_turn_and_by_file(&self.tui, &project, &before);
        assert_eq!(state(&project), before, "bytes and modes are as before");
    }
}

fn takes_back(cast: Cast<'_>, edits: bool, in_git: bool) {
    let stage = cast.set();
    let project = stage.path("project");
    prepare(&project);
    if in_git {
        commit(&project);
    }
    let talk = Conversation::begin(&stage);
    talk.goes_on("good day to you");
    talk.changes_five_and_takes_them_back(edits);
    if in_git {
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
