use super::*;
use crate::proto::{
    ExitStatus, Meta, Patch, TerminalId, TerminalPatch, ToolContent, ToolKind, ToolLocation,
};
use crate::session::{ScreenChange, ToolState, reduce::bounds::block_weight};

fn patch(id: &str) -> ToolCallPatch {
    ToolCallPatch::new(ToolCallId::new(id))
}

fn call(patch: ToolCallPatch) -> AgentEvent {
    AgentEvent::ToolCall(Box::new(patch))
}

#[test]
fn a_call_announced_twice_is_one_row_v1_tool_01_c007() {
    let mut play = Play::running();
    play.update(tool("dup", "PLACEHOLDER", ToolStatus::Pending));
    play.update(tool("dup", "FINAL", ToolStatus::Pending));
    play.update(tool_update("dup", Some(ToolStatus::Completed)));
    // Also when it was finished already: within a turn an id is one call.
    play.update(tool("dup", "FINAL", ToolStatus::Completed));
    assert_eq!(play.said(), ["user: go", "dup FINAL Completed"]);
}

#[test]
fn an_id_used_again_in_another_turn_is_another_call() {
    let mut play = Play::running();
    play.update(tool("call_1", "first", ToolStatus::Completed));
    play.ends(StopReason::EndTurn);
    // What comes late for the first is the first's.
    play.event(Event::Submit(prompt("again")));
    play.update(tool_update("call_1", None));
    play.update(tool("call_1", "second", ToolStatus::Pending));
    play.update(tool_update("call_1", Some(ToolStatus::Failed)));
    assert_eq!(
        play.said(),
        [
            "user: go",
            "call_1 first Completed",
            "user: again",
            "call_1 second Failed"
        ]
    );
}

#[test]
fn only_what_an_update_names_changes_v1_tool_02() {
    let mut play = Play::running();
    let location = |path: &str| ToolLocation {
        path: path.to_owned(),
        line: Some(3),
    };
    play.update(call(ToolCallPatch {
        announces: true,
        title: Patch::Set("edit".into()),
        kind: Patch::Set(ToolKind::Edit),
        content: Patch::Set(vec![
            ToolContent::Block(text("one")),
            ToolContent::Block(text("two")),
        ]),
        locations: Patch::Set(vec![location("a"), location("b")]),
        command: Patch::Set("sed".to_owned()),
        ..patch("t")
    }));
    play.update(tool_update("t", Some(ToolStatus::InProgress)));
    let shown = play.tool("t");
    assert_eq!((shown.content.len(), shown.locations.len()), (2, 2));
    assert_eq!(shown.kind, ToolKind::Edit);
    play.update(call(ToolCallPatch {
        content: Patch::Set(vec![ToolContent::Block(text("three"))]),
        locations: Patch::Set(Vec::new()),
        ..patch("t")
    }));
    let shown = play.tool("t");
    assert_eq!(shown.content, [ToolContent::Block(text("three"))]);
    assert!(shown.locations.is_empty());
    assert_eq!(&*shown.title, "edit");
    assert_eq!(shown.state, ToolState::InProgress);
    assert_eq!(shown.command.as_deref(), Some("sed"));
}

#[test]
fn an_update_for_a_call_never_announced_makes_it_v1_tool_03() {
    let mut play = Play::running();
    play.update(tool_update("t", Some(ToolStatus::Completed)));
    assert_eq!(play.tool("t").state, ToolState::Completed);
}

#[test]
fn an_unknown_status_is_kept_and_still_ends_v1_tool_05() {
    let mut play = Play::running();
    play.update(tool("t", "run", ToolStatus::Unknown("paused".into())));
    assert_eq!(play.tool("t").state, ToolState::Unknown("paused".into()));
    play.ends(StopReason::EndTurn);
    assert_eq!(play.tool("t").state, ToolState::Ended);
}

#[test]
fn a_call_knows_how_long_it_took() {
    let mut play = Play::running();
    play.update(tool("t", "run", ToolStatus::Pending));
    play.now += Duration::from_secs(4);
    play.update(tool_update("t", Some(ToolStatus::Completed)));
    play.now += Duration::from_secs(4);
    // Final states may still receive content.
    play.update(tool_update("t", Some(ToolStatus::Completed)));
    assert_eq!(play.tool("t").took, Some(Duration::from_secs(4)));
}

#[test]
fn a_terminal_never_heard_of_costs_nothing_c009() {
    let mut play = Play::running();
    play.update(call(ToolCallPatch {
        title: Patch::Set("ghost".into()),
        content: Patch::Set(vec![
            ToolContent::Terminal(TerminalId::new("gone")),
            ToolContent::Block(text("beside it")),
        ]),
        ..patch("t")
    }));
    assert_eq!(play.tool("t").content.len(), 2);
    assert!(play.session.terminals.is_empty());
}

#[test]
fn a_terminal_of_the_agents_own_is_known_and_its_block_changes_with_it() {
    let mut play = Play::running();
    let id = TerminalId::new("exec-1");
    play.update(call(ToolCallPatch {
        announces: true,
        title: Patch::Set("touch x".into()),
        content: Patch::Set(vec![ToolContent::Terminal(id.clone())]),
        ..patch("exec-1")
    }));
    let effects = play.update(AgentEvent::Terminal(Box::new(TerminalPatch {
        cwd: Patch::Set("/project".to_owned()),
        output: Patch::Clear,
        ..TerminalPatch::new(id.clone())
    })));
    assert_eq!(
        effects,
        [Effect::AgentScreen {
            id: id.clone(),
            change: ScreenChange::Begin(None)
        }]
    );
    let known = &play.session.terminals[&id];
    assert!(known.foreign);
    assert_eq!((&*known.command, &*known.cwd), ("touch x", "/project"));
    let rev = play.session.transcript.rev();
    let status = ExitStatus {
        code: Some(0),
        signal: None,
    };
    play.update(AgentEvent::Terminal(Box::new(TerminalPatch {
        exit: Patch::Set(status.clone()),
        ..TerminalPatch::new(id.clone())
    })));
    assert_eq!(play.session.terminals[&id].exit, Some(status));
    assert!(play.session.transcript.rev() > rev);
}

#[test]
fn the_agent_cannot_write_into_a_terminal_of_ours() {
    let mut play = Play::running();
    let id = TerminalId::new("ours");
    play.event(Event::TerminalStarted {
        session: None,
        id: id.clone(),
        command: "make".into(),
        cwd: "/project".into(),
    });
    let effects = play.update(AgentEvent::TerminalOutput {
        id,
        data: b"forged".to_vec(),
    });
    assert!(effects.is_empty());
}

#[test]
fn big_outputs_do_not_fill_the_memory_c087() {
    let mut play = Play::running();
    let output = ToolContent::Block(text(&"0123456789abcdef".repeat(30_000)));
    for n in 0..400 {
        play.update(call(ToolCallPatch {
            announces: true,
            title: Patch::Set("run".into()),
            status: Patch::Set(ToolStatus::Completed),
            content: Patch::Set(vec![output.clone()]),
            ..patch(&n.to_string())
        }));
    }
    assert!(held(&play) <= 129 << 20, "{}", held(&play));
    assert!(play.mentions("left out to bound memory"));
    assert_eq!(play.tool("399").content, [output]);
}

fn held(play: &Play) -> usize {
    let blocks = play.session.transcript.blocks().iter();
    let held = blocks.map(|block| block_weight(&block.kind)).sum();
    assert_eq!(play.session.inner.weight, held, "the account is right");
    held
}

#[test]
fn a_transcript_without_end_forgets_its_beginning_and_says_so() {
    let mut play = Play::running();
    let piece = text(&"0123456789abcdef".repeat(1 << 16));
    for n in 0..150 {
        play.update(AgentEvent::Chunk {
            role: ChunkRole::Agent,
            message: Some(MessageId::new(n.to_string())),
            content: piece.clone(),
            meta: Meta::default(),
        });
    }
    assert!(held(&play) <= 130 << 20, "{}", held(&play));
    let first = &play.session.transcript.blocks()[0].kind;
    assert!(matches!(first, BlockKind::Notice(notice) if notice.text.contains("left out")));
    play.update(chunk(ChunkRole::Agent, Some("149"), "still said"));
    assert!(play.said_last().ends_with("still said"));
}
