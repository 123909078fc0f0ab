use super::*;
use crate::{
    model::{ExitStatus, Patch, TerminalId, ToolContent, ToolKind},
    session::{ToolState, reduce::conversation::bounds::block_weight},
};

const OWN: &str = "acp-tui/terminal/term";

fn term() -> TerminalId {
    TerminalId::new("term")
}

fn command(id: &str, command: &str) -> ToolCallPatch {
    ToolCallPatch {
        announces: true,
        title: Patch::Set("execute".into()),
        kind: Patch::Set(ToolKind::Execute),
        status: Patch::Set(ToolStatus::InProgress),
        command: Patch::Set(command.to_owned()),
        ..ToolCallPatch::new(ToolCallId::new(id))
    }
}

fn shows(id: &str, content: Vec<ToolContent>) -> ToolCallPatch {
    ToolCallPatch {
        content: Patch::Set(content),
        ..ToolCallPatch::new(ToolCallId::new(id))
    }
}

impl Play {
    fn call(&mut self, patch: ToolCallPatch) {
        self.update(AgentEvent::ToolCall(Box::new(patch)));
    }

    fn starts(&mut self, command: &str) {
        self.event(Event::TerminalStarted {
            session: None,
            id: term(),
            command: SafeText::new(command),
            cwd: "/project".into(),
        });
    }

    fn exits_with(&mut self, code: i64) {
        self.event(Event::TerminalExited {
            id: term(),
            status: ExitStatus {
                code: Some(code),
                signal: None,
            },
        });
    }

    /// The calls that show the terminal, once for each time they do.
    fn shown_in(&self) -> Vec<&str> {
        let blocks = self.session.conversation.transcript.blocks().iter();
        let weights = blocks.clone().map(|block| block_weight(&block.kind));
        let held: usize = weights.sum();
        assert_eq!(
            self.session.conversation.weight, held,
            "the account is right"
        );
        let calls = blocks.filter_map(|block| match &block.kind {
            BlockKind::Tool(call) => Some(call),
            _ => None,
        });
        let shown = calls.flat_map(|call| {
            let pieces = call.content.iter();
            let of_it = pieces.filter(|piece| **piece == ToolContent::Terminal(term()));
            of_it.map(|_| call.id.as_str())
        });
        shown.collect()
    }
}

#[test]
fn a_terminal_that_no_call_names_is_shown_by_the_call_that_runs() {
    let mut play = Play::running();
    play.call(command("a", "make"));
    play.starts("/bin/sh -lc make");
    assert_eq!(play.shown_in(), ["a"]);
    // As fast-agent: at the end the output as text, in place of what was there.
    play.call(ToolCallPatch {
        status: Patch::Set(ToolStatus::Completed),
        ..shows("a", vec![ToolContent::Block(text("built"))])
    });
    assert_eq!(play.shown_in(), ["a"]);
    assert_eq!(play.tool("a").content.len(), 2);
    // And where it names it after all.
    play.call(shows("a", vec![ToolContent::Terminal(term())]));
    assert_eq!(play.shown_in(), ["a"]);
    assert_eq!(play.tool("a").content.len(), 1);
}

#[test]
fn of_several_calls_the_one_with_that_command_gets_the_terminal() {
    let mut play = Play::running();
    play.call(command("a", "make"));
    play.call(command("b", "echo 'it is' && ls"));
    play.starts(r#"/bin/sh -lc 'echo '"'"'it is'"'"' && ls'"#);
    assert_eq!(play.shown_in(), ["b"]);
}

#[test]
fn a_terminal_that_fits_no_call_has_a_block_of_its_own_until_it_ends() {
    let mut play = Play::running();
    play.update(tool("read", "read x", ToolStatus::InProgress));
    play.starts("npm run dev");
    assert_eq!(play.shown_in(), [OWN]);
    play.ends(StopReason::EndTurn);
    assert_eq!(play.tool("read").state, ToolState::Ended);
    assert_eq!(play.tool(OWN).state, ToolState::InProgress);
    play.now += Duration::from_secs(9);
    play.exits_with(3);
    assert_eq!(play.tool(OWN).state, ToolState::Failed);
    assert_eq!(play.tool(OWN).took, Some(Duration::from_secs(9)));
}

#[test]
fn a_call_that_is_told_of_after_its_terminal_takes_its_block_over() {
    let mut play = Play::running();
    play.starts("npm run dev");
    assert_eq!(play.shown_in(), [OWN]);
    play.call(ToolCallPatch {
        content: Patch::Set(vec![ToolContent::Terminal(term())]),
        ..command("late", "npm run dev")
    });
    assert_eq!(play.shown_in(), ["late"]);
    play.exits_with(3);
    assert_eq!(play.said(), ["user: go", "late execute InProgress"]);
    play.ends(StopReason::EndTurn);
    assert_eq!(play.tool("late").state, ToolState::Ended);
}

#[test]
fn a_terminal_that_a_call_told_of_before_names_late_moves_there() {
    let mut play = Play::running();
    play.update(tool("late", "serve", ToolStatus::InProgress));
    play.starts("npm run dev");
    assert_eq!(play.shown_in(), [OWN]);
    play.call(shows("late", vec![ToolContent::Terminal(term())]));
    assert_eq!(play.shown_in(), ["late"]);
    play.exits_with(0);
    assert_eq!(play.tool(OWN).state, ToolState::Completed);
}

#[test]
fn a_terminal_that_was_adopted_by_the_wrong_call_moves_to_the_right_one() {
    let mut play = Play::running();
    play.call(command("wrong", "ls"));
    play.starts("npm run dev");
    assert_eq!(play.shown_in(), ["wrong"]);
    play.call(ToolCallPatch {
        content: Patch::Set(vec![ToolContent::Terminal(term())]),
        ..command("right", "npm run dev")
    });
    assert_eq!(play.shown_in(), ["right"]);
    play.call(shows("wrong", Vec::new()));
    assert_eq!(play.shown_in(), ["right"]);
}

#[test]
fn a_call_that_names_its_terminal_before_it_starts_keeps_it() {
    let mut play = Play::running();
    play.call(command("other", "npm run dev"));
    play.call(shows("named", vec![ToolContent::Terminal(term())]));
    play.starts("npm run dev");
    assert_eq!(play.shown_in(), ["named"]);
}

#[test]
fn a_call_that_still_waits_for_permission_has_started_nothing() {
    let mut play = Play::running();
    play.call(command("asking", "make"));
    play.asks_about("asking");
    play.starts("make");
    assert_eq!(play.shown_in(), [OWN]);
}

#[test]
fn a_command_of_the_persons_own_ends_with_its_process_and_not_with_a_turn() {
    type End = fn(&mut Play);
    let ends: [End; 4] = [
        |play| {
            play.ends(StopReason::EndTurn);
        },
        |play| {
            play.event(Event::Stop);
        },
        |play| {
            play.fails(RpcError::new(-32603, "no"));
        },
        |play| {
            play.exits(AgentExit::default());
        },
    ];
    for end in ends {
        let mut play = Play::running();
        play.event(Event::ShellStarted {
            terminal: term(),
            line: "sleep 9".into(),
        });
        play.starts("sleep 9");
        assert_eq!(play.shown_in(), [OWN]);
        assert!(play.tool(OWN).by_person);
        play.now += Duration::from_secs(1);
        end(&mut play);
        assert_eq!(play.tool(OWN).state, ToolState::InProgress);
        assert_eq!(play.tool(OWN).took, None);
        play.now += Duration::from_secs(8);
        play.exits_with(0);
        assert_eq!(play.tool(OWN).state, ToolState::Completed);
        assert_eq!(play.tool(OWN).took, Some(Duration::from_secs(9)));
    }
}
