//! The real binary with real agents: each holds a whole conversation with a model that says what
//! the prompts tell it to. Nothing leaves the machine.
//!
//!     ACP_TUI_AGENTS=PREFIX cargo test --test agents [NAME]
//!
//! PREFIX is the folder that `setup.sh` has installed the agents in. `setup.sh` and the model,
//! `fake_llm.py`, are in `../shared/agents`, or where `ACP_TUI_AGENTS_TOOLS` says. Agents that are
//! not there are skipped, and said to be.

#[path = "../support/mod.rs"]
#[allow(dead_code, reason = "tests and benchmarks use a part each")]
mod support;

mod conversation;
mod examples;
mod stage;
mod wire;

use conversation::Conversation;
use stage::Stage;

/// What sets an agent apart from the others.
#[derive(Clone, Copy)]
struct Agent {
    name: &'static str,
    /// Before it changes a file or runs a command.
    asks: bool,
    /// What a command printed.
    tells_output: bool,
    /// It can open a session again right after its start.
    resumes: bool,
    /// It serves several sessions at once.
    several: bool,
    forks: bool,
}

impl Agent {
    const fn new(name: &'static str) -> Self {
        Self {
            name,
            asks: true,
            tells_output: true,
            resumes: true,
            several: true,
            forks: false,
        }
    }

    fn holds_a_conversation(self) {
        let Some(mut stage) = Stage::set(self.name) else {
            return;
        };
        let talk = Conversation::begin(&stage);
        talk.goes_on("good day to you");
        talk.changes_an_option();
        talk.shows_each_line_once();
        if self.asks {
            talk.changes_a_file_when_allowed();
            talk.runs_a_command_when_allowed();
        } else {
            talk.changes_a_file();
            talk.runs_a_command();
        }
        if self.tells_output {
            talk.shows_what_the_command_printed();
        }
        if self.asks {
            talk.changes_no_file_when_denied();
            talk.is_stopped_while_it_asks();
        }
        talk.is_stopped_while_it_speaks();
        talk.goes_on("and still here");
        if self.resumes {
            talk.is_started_again_in_the_same_session("and still here");
        } else {
            talk.is_started_again_and_says_how("and still here");
        }
        talk.goes_on("after the restart");
        let session = talk.session();
        if self.several {
            talk.works_in_two_sessions_at_once();
        }
        if self.forks {
            talk.forks();
        }
        talk.ends();
        if self.resumes {
            let id = session.as_str().expect("an id");
            let tui = stage.start_again(&["--resume", id]);
            Conversation::opened_again(tui, "after the restart");
        }
    }
}

#[test]
fn opencode() {
    let agent = Agent {
        forks: true,
        ..Agent::new("opencode")
    };
    agent.holds_a_conversation();
}

#[test]
fn claude() {
    let agent = Agent {
        forks: true,
        ..Agent::new("claude")
    };
    agent.holds_a_conversation();
}

#[test]
fn codex() {
    let agent = Agent {
        forks: true,
        ..Agent::new("codex")
    };
    agent.holds_a_conversation();
}

#[test]
fn gemini() {
    let agent = Agent {
        tells_output: false,
        // Started again in the minute of its start, it writes over what it knew of the session.
        resumes: false,
        ..Agent::new("gemini")
    };
    agent.holds_a_conversation();
}

#[test]
fn qwen() {
    Agent::new("qwen").holds_a_conversation();
}

#[test]
fn vibe() {
    let agent = Agent {
        forks: true,
        ..Agent::new("vibe")
    };
    agent.holds_a_conversation();
}

#[test]
fn fast_agent() {
    Agent::new("fast-agent").holds_a_conversation();
}

#[test]
fn pi() {
    let agent = Agent {
        asks: false,
        // A second session silences the first: its profile gives each a process.
        several: false,
        ..Agent::new("pi")
    };
    agent.holds_a_conversation();
}

/// It lets nobody in without an account (C029).
#[test]
fn kimi() {
    if let Some(stage) = Stage::set("kimi") {
        let mut tui = stage.start();
        let screen = tui.wait_for("wants you to sign in");
        assert!(screen.contains("kimi login"), "{screen}");
        tui.keys("<c-d>");
        assert_eq!(tui.wait_exit().code(), Some(4));
        tui.assert_restored();
        tui.assert_nothing_left();
    }
}
