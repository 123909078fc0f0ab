//! Several sessions of one agent: side by side, forked, opened again in another run, listed, deleted.

use serde_json::Value;

use crate::{conversation::Conversation, stage::Stage, support::pty::Tui};

impl Conversation {
    /// A second session in the same process, while the first one works (V1-SES-02); closed where it
    /// can be (V1-SES-15).
    pub fn works_in_two_sessions_at_once(&self) {
        let processes = self.wire().sent("initialize").count();
        let sessions = self.wire().sent("session/new").count();
        self.prompt("sleep 6");
        self.tui.keys("<c-n>");
        self.tui.wait("a second session", |_| {
            (self.wire().sent("session/new").count() > sessions).then_some(())
        });
        self.wait_idle();
        self.goes_on("from the second session");
        assert_eq!(self.wire().sent("initialize").count(), processes);
        let second = self.session();
        self.tui.keys("<c-s>");
        self.tui.wait_for("╭ Sessions ─");
        if self.has("/sessionCapabilities/close") {
            self.awaits_answer("session/close", || self.tui.keys("<c-x>"));
            let wire = self.wire();
            let closed = wire
                .sent("session/close")
                .next_back()
                .expect("it was called");
            assert_eq!(closed["params"]["sessionId"], second);
        } else {
            self.tui.keys("<c-x>");
        }
        self.tui.wait_gone("from the second session");
        self.tui.keys("<esc>");
        self.tui.wait_gone("╭ Sessions ─");
        self.wait_idle();
    }

    /// It knows what was said, and goes its own way (V1-SES-16).
    pub fn forks(&self, stage: &Stage, said: &str) {
        let session = self.session();
        let result = self.awaits_answer("session/fork", || {
            self.tui.keys("<c-p>fork-session");
            self.tui.wait_for("❯ Fork session");
            self.tui.keys("<enter>");
        });
        assert_ne!(result["sessionId"], session);
        self.wait_idle();
        self.goes_on("from the fork");
        let wire = self.wire();
        let last = wire.sent("session/prompt").next_back().expect("a prompt");
        assert_eq!(last["params"]["sessionId"], result["sessionId"]);
        let asked = stage.asked();
        let mut asked = asked.lines();
        let knows = asked.any(|line| line.contains("from the fork") && line.contains(said));
        assert!(knows, "the model was told what was said before");
    }

    /// A question beside the conversation, which the fork answers knowing what was said, while the turn
    /// goes on; nothing of it is left here, and what the agent can delete is deleted there.
    pub fn is_asked_beside(&self, stage: &Stage, said: &str) {
        let session = self.session();
        self.prompt("long 400");
        self.tui.wait_for(" of 400");
        let fork = self.awaits_answer("session/fork", || {
            self.tui.keys("/btw say it is blue<enter>");
        });
        let fork = &fork["sessionId"];
        assert_ne!(*fork, session);
        self.tui.wait_for("Answered in");
        let screen = self.tui.wait_for("it is blue");
        assert!(screen.contains("Side question"), "{screen}");
        let asked = stage.asked();
        let knows = |line: &str| line.contains("say it is blue") && line.contains(said);
        assert!(asked.lines().any(knows), "it knows what was said before");
        self.tui.keys("<esc>");
        let ends: Vec<&str> = ["close", "delete"]
            .into_iter()
            .filter(|end| self.has(&format!("/sessionCapabilities/{end}")))
            .collect();
        for end in ends {
            let method = format!("session/{end}");
            self.tui.wait(&format!("the answer to {method}"), |_| {
                let wire = self.wire();
                let mut sent = wire.sent(&method);
                sent.any(|call| call["params"]["sessionId"] == *fork)
                    .then_some(())?;
                let answer = wire.answer_to_last(&method)?;
                assert!(answer.get("error").is_none(), "{answer}");
                Some(())
            });
        }
        self.tui.wait_gone("Side question");
        self.wait_idle();
        let screen = self.tui.wait_for("chunk 400 of 400");
        assert!(!screen.contains("it is blue"), "{screen}");
        assert!(!screen.contains("skipped"), "{screen}");
        assert_eq!(self.wire().sent("session/cancel").count(), 0);
    }

    /// Of a client that was started with `--resume`: what was said stands there once.
    pub fn opened_again(tui: Tui, words: &str, title: &str) -> Self {
        let talk = Self::with(tui);
        talk.wait_idle();
        talk.wait_row(words);
        talk.goes_on("in another run");
        talk.is_called(title);
        talk
    }

    /// What the agent has kept, besides the one that is open (V1-SES-12); one of them is deleted
    /// (V1-SES-14). Gives what could not be done.
    pub fn lists_and_deletes(&self) -> Vec<&'static str> {
        if !self.has("/sessionCapabilities/list") {
            return vec!["list"];
        }
        let open = self.session();
        // It may have been asked already.
        self.tui.keys("<c-s>");
        self.tui.wait_for("╭ Sessions ─");
        let answer = self.tui.wait("the list", |_| {
            self.wire().answer_to_last("session/list").cloned()
        });
        assert!(answer.get("error").is_none(), "{answer}");
        let result = &answer["result"];
        let listed = result["sessions"].as_array().expect("a list").iter();
        let others: Vec<&Value> = listed
            .map(|session| &session["sessionId"])
            .filter(|id| **id != open)
            .collect();
        let mut lacks = Vec::new();
        if others.is_empty() {
            lacks.push("list of more than one");
        } else {
            self.tui.wait_for("earlier with");
        }
        if !self.has("/sessionCapabilities/delete") {
            lacks.push("delete");
        } else if !others.is_empty() {
            self.tui.keys("<end><c-x>");
            self.tui.wait_for("again: ");
            self.awaits_answer("session/delete", || self.tui.keys("<c-x>"));
            let wire = self.wire();
            let deleted = wire
                .sent("session/delete")
                .next_back()
                .expect("it was called");
            assert!(others.contains(&&deleted["params"]["sessionId"]));
            self.tui.wait_for("the agent has deleted the session");
        }
        self.tui.keys("<esc>");
        self.tui.wait_gone("╭ Sessions ─");
        lacks
    }
}
