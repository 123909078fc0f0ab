//! The real binary with real agents: each holds a whole conversation with a model that says what
//! the prompts tell it to. Nothing leaves the machine.
//!
//!     ACP_TUI_AGENTS=PREFIX cargo test --test agents -- --ignored --test-threads=1 [NAME]
//!
//! PREFIX is the folder that `setup.sh` has installed the agents in. `setup.sh` and the model,
//! `fake_llm.py`, are in `../shared/agents`, or where `ACP_TUI_AGENTS_TOOLS` says. They are
//! ignored unless asked for; an agent that is not installed fails then.

#[path = "../support/mod.rs"]
#[allow(dead_code, reason = "tests and benchmarks use a part each")]
mod support;

mod changes;
mod conversation;
mod examples;
mod mcp;
mod script;
mod sessions;
mod settings;
mod sign_in;
mod stage;
mod steer;
mod suggestions;
mod wire;

use conversation::Conversation;
use stage::{Cast, say};

/// What sets an agent apart from the others.
#[derive(Clone, Copy)]
struct Agent {
    name: &'static str,
    /// Before it changes a file or runs a command.
    asks: bool,
    /// It has a tool that changes a part of a file.
    edits: bool,
    /// What a command printed.
    tells_output: bool,
    /// It can open a session again right after its start.
    resumes: bool,
    /// It serves several sessions at once.
    several: bool,
    /// It has the older `models`.
    in_dialect: bool,
}

impl Agent {
    const fn new(name: &'static str) -> Self {
        Self {
            name,
            asks: true,
            edits: true,
            tells_output: true,
            resumes: true,
            several: true,
            in_dialect: false,
        }
    }

    fn holds_a_conversation(self) {
        let cast = Cast::of(self.name).in_dialect(self.in_dialect);
        let mut stage = cast.set();
        let talk = Conversation::begin(&stage);
        talk.goes_on("good day to you");
        let mut lacks = talk.changes_its_options();
        talk.shows_each_line_once();
        if self.asks {
            talk.changes_a_file_when_allowed();
            talk.reads_a_long_file();
            if self.edits {
                talk.shows_an_edit_where_it_stands();
            } else {
                lacks.push("edit");
            }
            talk.shows_an_overwrite_as_one();
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
        talk.is_renamed("The lamp");
        if talk.has("/providers") {
            talk.sets_its_provider(&stage);
        } else {
            lacks.push("providers");
        }
        let session = talk.session();
        if self.several {
            talk.works_in_two_sessions_at_once();
        }
        if talk.has("/sessionCapabilities/fork") {
            talk.forks(&stage, "good day to you");
        } else {
            lacks.push("fork");
        }
        talk.ends();
        if self.resumes {
            let id = session.as_str().expect("an id");
            let tui = stage.start_again(&["--resume", id]);
            let talk = Conversation::opened_again(tui, "after the restart", "The lamp");
            lacks.extend(talk.lists_and_deletes());
            talk.ends();
        } else {
            lacks.push("resume at once");
        }
        // What was done is what all agents do, and the rest of this.
        if !lacks.is_empty() {
            say(&format!("{}: has no {}", self.name, lacks.join(", no ")));
        }
    }
}

#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn opencode() {
    Agent::new("opencode").holds_a_conversation();
}

#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn claude() {
    Agent::new("claude").holds_a_conversation();
}

#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn codex() {
    Agent::new("codex").holds_a_conversation();
}

#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn gemini() {
    let agent = Agent {
        tells_output: false,
        // Started again in the minute of its start, it writes over what it knew of the session.
        resumes: false,
        in_dialect: true,
        ..Agent::new("gemini")
    };
    agent.holds_a_conversation();
}

#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn qwen() {
    Agent::new("qwen").holds_a_conversation();
}

#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn vibe() {
    Agent::new("vibe").holds_a_conversation();
}

#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn fast_agent() {
    let agent = Agent {
        edits: false,
        ..Agent::new("fast-agent")
    };
    agent.holds_a_conversation();
}

#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn pi() {
    let agent = Agent {
        asks: false,
        // A second session silences the first: its profile gives each a process.
        several: false,
        ..Agent::new("pi")
    };
    agent.holds_a_conversation();
}

#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn queue_of_qwen() {
    let stage = Cast::of("qwen").set();
    let talk = Conversation::begin(&stage);
    talk.is_given_what_is_queued();
    talk.goes_on("and straight on");
    talk.ends();
}

#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn suggestions_claude() {
    suggestions::claude_suggests();
}

#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn suggestions_off_claude() {
    suggestions::claude_is_told_to_suggest_nothing();
}

#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn steering_claude() {
    let stage = Cast::of("claude").set();
    let talk = Conversation::begin(&stage);
    talk.is_steered();
    talk.goes_on("and straight on");
    talk.ends();
}

#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn steering_codex() {
    let stage = Cast::of("codex").set();
    let talk = Conversation::begin(&stage);
    talk.is_steered();
    talk.goes_on("and straight on");
    talk.ends();
}

#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn beside_claude() {
    is_asked_beside("claude");
}

#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn beside_codex() {
    is_asked_beside("codex");
}

#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn beside_opencode() {
    is_asked_beside("opencode");
}

fn is_asked_beside(agent: &'static str) {
    let stage = Cast::of(agent).set();
    let talk = Conversation::begin(&stage);
    talk.goes_on("good day to you");
    talk.is_asked_beside(&stage, "good day to you");
    talk.goes_on("and straight on");
    talk.ends();
}

#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn changes_of_opencode() {
    changes::of_agent(|| Cast::of("opencode"), true);
}

#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn changes_of_claude() {
    changes::of_agent(|| Cast::of("claude"), true);
}

#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn changes_of_codex() {
    changes::of_agent(|| Cast::of("codex"), true);
}

#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn changes_of_gemini() {
    changes::of_agent(|| Cast::of("gemini").in_dialect(true), true);
}

#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn changes_of_qwen() {
    changes::of_agent(|| Cast::of("qwen"), true);
}

#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn changes_of_vibe() {
    changes::of_agent(|| Cast::of("vibe"), true);
}

#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn changes_of_fast_agent() {
    changes::of_agent(|| Cast::of("fast-agent"), false);
}

#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn changes_of_pi() {
    changes::of_agent(|| Cast::of("pi"), true);
}

#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn edit_and_resend_claude() {
    changes::edits_and_resends("claude", true);
}

#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn edit_and_resend_codex() {
    changes::edits_and_resends("codex", true);
}

#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn edit_and_resend_opencode() {
    changes::edits_and_resends("opencode", false);
}
