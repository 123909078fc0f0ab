//! A conversation, step by step: each looks at the screen, the disk and the wire.

use std::{thread, time::Duration};

use serde_json::Value;

use crate::{
    stage::{Stage, WIRE},
    support::pty::Tui,
    wire::Wire,
};

/// A question takes no answer before it has been on the screen this long.
const GUARD: Duration = Duration::from_millis(600);

/// One that every agent asks about: some run `echo` and `ls` unasked.
const COMMAND: &str = "mkdir -p made/inside && ls made";
const MADE: &str = "made/inside";
const PRINTED: &str = "inside";

fn rows() -> String {
    (1..=326).map(|n| format!("row-{n}\n")).collect()
}

pub struct Conversation {
    pub tui: Tui,
}

impl Conversation {
    pub fn begin(stage: &Stage) -> Self {
        let talk = Self::with(stage.start());
        talk.wait_idle();
        talk
    }

    pub fn with(tui: Tui) -> Self {
        Self { tui }
    }

    /// Whether the agent has that capability: `{}` or true, by its JSON pointer.
    pub fn has(&self, capability: &str) -> bool {
        let wire = self.wire();
        let answer = wire.answer_to_last("initialize").expect("an answer");
        let all = &answer["result"]["agentCapabilities"];
        let value = all.pointer(capability).unwrap_or(&Value::Null);
        value.is_object() || *value == true
    }

    /// A turn of words, each on the screen once.
    pub fn goes_on(&self, words: &str) {
        self.prompt(&format!("say {words}"));
        self.wait_turn();
        self.wait_row(words);
    }

    /// Nothing of a stream is lost, and nothing doubled.
    pub fn shows_each_line_once(&self) {
        self.prompt("long 20");
        self.wait_turn();
        for number in 1..=20 {
            self.wait_row(&format!("chunk {number} of 20"));
        }
    }

    pub fn changes_a_file_when_allowed(&self) {
        self.prompt("write notes.txt first\\nsecond");
        let screen = self.wait_question();
        assert!(screen.contains("wants to change files"), "{screen}");
        assert!(
            !self.exists("notes.txt"),
            "nothing happens before the answer"
        );
        self.answer("allow_once");
        self.wait_changed("notes.txt");
    }

    pub fn changes_a_file(&self) {
        self.prompt("write notes.txt first\\nsecond");
        self.wait_changed("notes.txt");
    }

    fn wait_changed(&self, words: &str) {
        self.wait_turn();
        let screen = self.tui.wait_for(words);
        assert!(screen.contains("✓ Edit   notes.txt"), "{screen}");
        assert!(screen.contains(" + first"), "the change is shown: {screen}");
        assert!(
            screen.contains(" + second"),
            "the change is shown: {screen}"
        );
        let content = std::fs::read_to_string(self.tui.project().join("notes.txt"));
        let content = content.expect("the file is written");
        assert_eq!(content.trim_end(), "first\nsecond");
    }

    /// Some change nothing that they have not read.
    pub fn reads_a_long_file(&self) {
        std::fs::write(self.tui.project().join("far.txt"), rows()).expect("a file");
        self.prompt("read far.txt");
        self.allows_what_is_asked();
    }

    /// At its line with what is around it, before the answer and after it, in whatever words the
    /// agent tells it.
    pub fn shows_an_edit_where_it_stands(&self) {
        self.prompt("edit far.txt row-200 changed-200");
        self.wait_question();
        self.tui.wait_for("changed-200");
        self.assert_change("+1 −1", &["200 ", "- row-200"]);
        self.assert_change("+1 −1", &["197 ", " row-197"]);
        self.answer("allow_once");
        self.wait_turn();
        let edited = std::fs::read_to_string(self.tui.project().join("far.txt"));
        assert_eq!(
            edited.ok(),
            Some(rows().replace("row-200\n", "changed-200\n"))
        );
        self.assert_change("+1 −1", &["200 ", "- row-200"]);
        self.assert_change("+1 −1", &["197 ", " row-197"]);
    }

    /// And not as a new file.
    pub fn shows_an_overwrite_as_one(&self) {
        self.prompt("write far.txt row-1\\nsecond\\n");
        self.wait_question();
        self.tui.wait_for("- row-12");
        self.assert_change("+1 −325", &["2 ", "- row-2"]);
        let screen = self.tui.screen();
        assert!(!screen.contains("new +"), "{screen}");
        self.answer("allow_once");
        self.wait_turn();
        self.assert_change("+1 −325", &["2 ", "- row-2"]);
    }

    /// A change with these counts is on the screen, and one row holds all of the words.
    #[track_caller]
    fn assert_change(&self, counts: &str, words: &[&str]) {
        self.tui.wait(&format!("{counts} and {words:?}"), |tui| {
            let screen = tui.screen();
            let holds = |row: &str| words.iter().all(|word| row.contains(word));
            (screen.contains(counts) && screen.lines().any(holds)).then_some(())
        });
    }

    pub fn runs_a_command_when_allowed(&self) {
        self.prompt(&format!("run {COMMAND}"));
        let screen = self.wait_question();
        assert!(screen.contains("wants to run a command"), "{screen}");
        assert!(!self.exists(MADE), "nothing happens before the answer");
        self.answer("allow_once");
        self.wait_run();
    }

    pub fn runs_a_command(&self) {
        self.prompt(&format!("run {COMMAND}"));
        self.wait_run();
    }

    fn wait_run(&self) {
        self.wait_turn();
        self.tui.wait_for(&format!("✓ Run    {COMMAND}"));
        assert!(self.exists(MADE), "{}", self.tui.screen());
    }

    /// In the body of the tool call.
    pub fn shows_what_the_command_printed(&self) {
        self.tui.wait("the command's output", |tui| {
            let screen = tui.screen();
            let mut rows = screen.lines().filter(|row| row.starts_with("    "));
            rows.any(|row| row.ends_with(PRINTED)).then_some(())
        });
    }

    pub fn changes_no_file_when_denied(&self) {
        self.prompt("write denied.txt nope");
        self.wait_question();
        self.answer("reject_once");
        self.wait_turn();
        let screen = self.tui.wait_for("denied by you");
        assert!(screen.contains("✗ Edit   denied.txt"), "{screen}");
        assert!(
            screen.contains(" + nope"),
            "what was denied is shown: {screen}"
        );
        assert!(!self.exists("denied.txt"), "{screen}");
    }

    /// V1-PERM-02
    pub fn is_stopped_while_it_asks(&self) {
        self.prompt("write stopped.txt nope");
        self.wait_question();
        let question = self.wire().open_question().expect("it is open")["id"].clone();
        self.stop();
        self.tui.wait_for("not answered");
        let wire = self.wire();
        assert!(wire.open_question().is_none(), "{question} is answered");
        assert!(!self.exists("stopped.txt"));
    }

    pub fn is_stopped_while_it_speaks(&self) {
        self.prompt("long 2000");
        self.tui.wait_for(" of 2000");
        self.stop();
        let screen = self.tui.screen();
        assert!(!screen.contains("chunk 2000 of 2000"), "{screen}");
    }

    /// One cancel, the end of the turn, and a word about it.
    pub fn stop(&self) {
        let count = |wire: Wire| wire.sent("session/cancel").count();
        let before = count(self.wire());
        self.tui.keys("<esc>");
        self.wait_turn();
        // "Stopped after 4s", of a turn of less than a second the word alone.
        let screen = self.tui.wait_for("topped");
        assert_eq!(count(self.wire()), before + 1, "{screen}");
    }

    /// `words` is what the agent said last.
    pub fn is_started_again_in_the_same_session(&self, words: &str) {
        let session = self.session();
        let answer = self.start_again();
        assert!(answer.get("error").is_none(), "{answer}");
        assert_eq!(self.session(), session);
        // What the agent replays takes the place of what was there.
        self.wait_row(words);
    }

    /// In the same session, or in a new one that is said to be one.
    pub fn is_started_again_and_says_how(&self, words: &str) {
        if self.start_again().get("error").is_some() {
            let screen = self.tui.wait_for("could not be loaded");
            assert!(screen.contains("A new session is opened"), "{screen}");
        }
        // In a replay that has it in one piece with what was said before.
        self.tui.wait_for(words);
    }

    /// Gives the answer to the call that was to open the session again.
    fn start_again(&self) -> Value {
        self.tui.keys("<f5>");
        let answer = self.tui.wait("a session in a second process", |_| {
            let wire = self.wire();
            if wire.sent("initialize").count() < 2 {
                return None;
            }
            ["session/resume", "session/load"]
                .into_iter()
                .find_map(|method| wire.answer_to_last(method).cloned())
        });
        self.wait_idle();
        answer
    }

    /// Without a turn there is nothing to cancel.
    pub fn stops_nothing(&self) {
        self.tui.keys("<esc>");
        self.tui.settle(Duration::from_millis(200));
        assert_eq!(self.wire().sent("session/cancel").count(), 0);
    }

    pub fn wait_for(&self, text: &str) -> String {
        self.tui.wait_for(text)
    }

    /// Of one that cannot reopen sessions.
    pub fn ends_without_a_session_to_reopen(mut self) {
        self.tui.keys("<c-d>");
        assert_eq!(self.tui.wait_exit().code(), Some(0));
        self.tui.assert_restored();
        self.tui.assert_nothing_left();
    }

    pub fn ends(mut self) {
        self.tui.keys("<c-d>");
        assert_eq!(self.tui.wait_exit().code(), Some(0));
        self.tui.assert_restored();
        self.tui.assert_nothing_left();
        let screen = self.tui.screen();
        assert!(screen.contains("acp-tui --resume"), "{screen}");
    }

    /// Types it as a person would: the line is there before enter.
    pub fn prompt(&self, script: &str) {
        let number = self.wire().sent("session/prompt").count();
        self.tui.keys(script);
        self.tui.wait_for(&format!("❯ {script}"));
        self.tui.settle(Duration::from_millis(100));
        self.tui.keys("<enter>");
        self.tui.wait("prompt on the wire", |_| {
            (self.wire().sent("session/prompt").count() > number).then_some(())
        });
    }

    /// Waits for the end of the turn, on the wire and on the screen.
    pub fn wait_turn(&self) {
        self.tui.wait("answer to the prompt", |_| {
            self.wire().answer_to_last("session/prompt").map(|_| ())
        });
        self.wait_idle();
    }

    /// So many prompts were sent in all.
    pub fn wait_prompts(&self, count: usize) {
        self.tui.wait("the prompts on the wire", |_| {
            (self.wire().sent("session/prompt").count() >= count).then_some(())
        });
    }

    /// Waits for the end of the turn, and allows everything meanwhile.
    pub fn allows_what_is_asked(&self) {
        loop {
            let asked = self.tui.wait("a question or the turn's end", |_| {
                let wire = self.wire();
                if wire.open_question().is_some() {
                    return Some(true);
                }
                wire.answer_to_last("session/prompt").map(|_| false)
            });
            if !asked {
                break;
            }
            self.wait_question();
            self.answer("allow_once");
            self.tui.wait("the answer", |_| {
                self.wire().open_question().is_none().then_some(())
            });
        }
        self.wait_idle();
    }

    /// Of the ways to sign in.
    pub fn choose_way(&self, way: &str) {
        for _ in 0..10 {
            // Arrows that come together are a turn of the wheel.
            thread::sleep(GUARD);
            if self.tui.screen().contains(&format!("❯ {way}")) {
                return self.tui.keys("<enter>");
            }
            self.tui.keys("<down>");
        }
        panic!("no way {way:?}:\n{}", self.tui.screen());
    }

    pub fn wait_idle(&self) {
        self.tui.wait_for("F1 keys");
    }

    pub fn wait_question(&self) -> String {
        let screen = self.tui.wait_for(" wants to ");
        thread::sleep(GUARD);
        screen
    }

    /// Answers with the first option of that kind, by its number: names and order are the agent's.
    pub fn answer(&self, kind: &str) {
        let wire = self.wire();
        let question = wire.open_question().expect("a question is open");
        let options = question["params"]["options"].as_array().expect("options");
        let at = options.iter().position(|option| option["kind"] == kind);
        let number = at.expect("an option of the kind") + 1;
        self.tui.keys(&number.to_string());
    }

    /// Waits until the text stands on a row of its own, and on one only.
    pub fn wait_row(&self, text: &str) {
        self.tui.wait(&format!("single row {text:?}"), |tui| {
            let screen = tui.screen();
            let rows = screen.lines().filter(|row| row.trim() == text);
            (rows.count() == 1).then_some(())
        });
    }

    /// The session of the last prompt, or of what was opened after it.
    pub fn session(&self) -> Value {
        let wire = self.wire();
        let calls = ["session/load", "session/resume", "session/prompt"];
        let last = wire.last_sent(&calls).expect("a session");
        last["params"]["sessionId"].clone()
    }

    fn exists(&self, name: &str) -> bool {
        self.tui.project().join(name).exists()
    }

    pub fn wire(&self) -> Wire {
        Wire::read(&self.tui.path(WIRE))
    }
}
