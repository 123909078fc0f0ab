use super::*;
use crate::model::{
    ExitStatus, Meta, Patch, TerminalId, TerminalPatch, ToolContent, ToolKind, ToolLocation,
};
use crate::session::{
    Question, ScreenChange, ToolState, reduce::conversation::bounds::block_weight,
};

fn patch(id: &str) -> ToolCallPatch {
    ToolCallPatch::new(ToolCallId::new(id))
}

fn call(patch: ToolCallPatch) -> AgentEvent {
    AgentEvent::ToolCall(Box::new(patch))
}

// V1-TOOL-01
#[test]
fn a_call_announced_twice_is_one_row() {
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
fn a_question_with_an_id_of_an_earlier_turn_is_about_another_call() {
    for first in [
        Some(ToolStatus::Completed),
        Some(ToolStatus::InProgress),
        None,
    ] {
        let mut play = Play::running();
        play.update(tool("call_1", "first", ToolStatus::Pending));
        play.update(tool_update("call_1", first));
        play.asks_about("call_1");
        answer_newest(&mut play, "yes");
        let first_block = play.session.conversation.transcript.blocks().len() - 1;
        play.ends(StopReason::EndTurn);
        play.event(Event::Submit(prompt("again")));
        play.asks_about("call_1");
        let Some(Question::Permission(question)) = play.session.questions.back() else {
            panic!("a question");
        };
        let last = play
            .session
            .conversation
            .transcript
            .blocks()
            .last()
            .map(|block| block.id);
        assert_eq!(Some(question.block), last, "drawn with the second turn");
        answer_newest(&mut play, "no");
        let answers = |at: usize| match &play.session.conversation.transcript.blocks()[at].kind {
            BlockKind::Tool(call) => call.answers.len(),
            _ => 0,
        };
        assert_eq!(answers(first_block), 1, "the first keeps its own answer");
        assert!(play.tool("call_1").is_denied());
        // And what comes then is the second's.
        play.update(tool_update("call_1", Some(ToolStatus::Failed)));
        assert_eq!(play.tool("call_1").state, ToolState::Failed);
    }
}

fn answer_newest(play: &mut Play, option: &str) {
    let Some(question) = play.session.questions.back().map(Question::id) else {
        panic!("a question");
    };
    let verdict = crate::session::Verdict::ask(None);
    play.event(Event::Decided {
        question,
        revision: None,
        verdict,
    });
    play.event(Event::Answer {
        question,
        option: crate::model::OptionId::new(option),
    });
}

// V1-TOOL-02
#[test]
fn only_what_an_update_names_changes() {
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

// V1-TOOL-03
#[test]
fn an_update_for_a_call_never_announced_makes_it() {
    let mut play = Play::running();
    play.update(tool_update("t", Some(ToolStatus::Completed)));
    assert_eq!(play.tool("t").state, ToolState::Completed);
}

// V1-TOOL-05
#[test]
fn an_unknown_status_is_kept_and_still_ends() {
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
fn a_terminal_never_heard_of_costs_nothing() {
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
    let rev = play.session.conversation.transcript.rev();
    let status = ExitStatus {
        code: Some(0),
        signal: None,
    };
    play.update(AgentEvent::Terminal(Box::new(TerminalPatch {
        exit: Patch::Set(status.clone()),
        ..TerminalPatch::new(id.clone())
    })));
    assert_eq!(play.session.terminals[&id].exit, Some(status));
    assert!(play.session.conversation.transcript.rev() > rev);
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
fn big_outputs_do_not_fill_the_memory() {
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
    assert!(held(&play) <= 65 << 20, "{}", held(&play));
    assert!(play.mentions("dropped to save memory"));
    assert_eq!(play.tool("399").content, [output]);
}

/// What a session of many hours comes to: some of everything, again and again.
#[test]
fn mixed_rounds_without_end_stop_at_the_bound() {
    use crate::session::reduce::conversation::bounds::MAX_TRANSCRIPT;
    let mut play = Play::running();
    let (long, short) = ("0123456789 words\n".repeat(24_000), "few words\n".repeat(9));
    let mut after = Vec::new();
    for n in 0..240 {
        let said = if n % 3 == 0 { &long } else { &short };
        play.update(chunk(ChunkRole::Thought, None, &short));
        play.update(says(said));
        let id = n.to_string();
        let diff = crate::model::Diff::of_texts(
            format!("src/{n}.rs"),
            Some(SafeText::new(said)),
            SafeText::new(&format!("{said}{n}")),
        );
        play.update(call(ToolCallPatch {
            announces: true,
            title: Patch::Set("edit".into()),
            status: Patch::Set(ToolStatus::Completed),
            raw_input: Patch::Set(crate::model::RawJson(short.as_str().into())),
            content: Patch::Set(vec![
                ToolContent::Block(text(said)),
                ToolContent::Diff(std::sync::Arc::new(diff)),
            ]),
            ..patch(&id)
        }));
        let held = held(&play);
        assert!(held <= MAX_TRANSCRIPT + (4 << 20), "{n}: {held}");
        after.push(held);
    }
    let most = |half: &[usize]| half.iter().copied().max().unwrap_or(0);
    let (early, late) = after.split_at(120);
    assert!(most(early) > MAX_TRANSCRIPT / 2, "it has come so far");
    assert!(most(late) <= most(early) + (4 << 20), "and stopped growing");
    assert!(play.mentions("dropped to save memory"));
}

fn held(play: &Play) -> usize {
    let blocks = play.session.conversation.transcript.blocks().iter();
    let held = blocks.map(|block| block_weight(&block.kind)).sum();
    assert_eq!(
        play.session.conversation.weight, held,
        "the account is right"
    );
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
    assert!(held(&play) <= 66 << 20, "{}", held(&play));
    let first = &play.session.conversation.transcript.blocks()[0].kind;
    assert!(matches!(first, BlockKind::Notice(notice) if notice.text.contains("dropped")));
    play.update(chunk(ChunkRole::Agent, Some("149"), "still said"));
    assert!(play.said_last().ends_with("still said"));
}

// V2-UPD-03
#[test]
fn what_is_cleared_is_as_it_was_at_first() {
    let mut play = Play::running();
    play.update(call(ToolCallPatch {
        title: Patch::Set("run".into()),
        name: Patch::Set("bash".into()),
        kind: Patch::Set(ToolKind::Execute),
        status: Patch::Set(ToolStatus::InProgress),
        content: Patch::Set(vec![ToolContent::Block(text("out"))]),
        locations: Patch::Set(vec![ToolLocation {
            path: "/a".into(),
            line: None,
        }]),
        cancel: Patch::Set(true),
        ..patch("t")
    }));
    play.update(call(patch("t")));
    assert_eq!(play.tool("t").kind, ToolKind::Execute);
    assert!(play.tool("t").cancel);
    play.update(call(ToolCallPatch {
        title: Patch::Clear,
        name: Patch::Clear,
        kind: Patch::Clear,
        status: Patch::Clear,
        content: Patch::Clear,
        locations: Patch::Clear,
        cancel: Patch::Clear,
        ..patch("t")
    }));
    let cleared = play.tool("t");
    assert_eq!(cleared.kind, ToolKind::Other);
    assert_eq!(cleared.state, ToolState::Pending);
    assert_eq!((&*cleared.title, &cleared.name), ("", &None));
    assert!(cleared.content.is_empty() && cleared.locations.is_empty() && !cleared.cancel);
}

// V2-UPD-03
#[test]
fn paused_is_open_cancelled_is_not_and_unknown_goes_on() {
    let mut play = Play::running();
    for (status, state, open) in [
        (ToolStatus::Paused, ToolState::Paused, true),
        (
            ToolStatus::Unknown("_odd".into()),
            ToolState::Unknown("_odd".into()),
            true,
        ),
        (ToolStatus::Cancelled, ToolState::Cancelled, false),
        (ToolStatus::InProgress, ToolState::InProgress, true),
    ] {
        play.update(tool_update("t", Some(status)));
        assert_eq!(play.tool("t").state, state);
        assert_eq!(play.tool("t").state.is_open(), open);
        assert_eq!(play.tool("t").took.is_some(), !open);
    }
    play.ends(StopReason::EndTurn);
    assert_eq!(play.tool("t").state, ToolState::Ended);
}

// V2-UPD-04
#[test]
fn content_comes_piece_by_piece_as_well() {
    let mut play = Play::running();
    let more = |said: &str| AgentEvent::ToolContent {
        id: ToolCallId::new("t"),
        content: vec![ToolContent::Block(text(said))],
        meta: Meta::default(),
    };
    play.update(more("one"));
    play.update(more("two"));
    play.update(AgentEvent::ToolContent {
        id: ToolCallId::new("t"),
        content: vec![ToolContent::Terminal(TerminalId::new("x"))],
        meta: Meta::default(),
    });
    assert_eq!(play.tool("t").content.len(), 3);
    assert_eq!(play.tool("t").state, ToolState::Pending);
    // The terminal's block is this one.
    let rev = play.session.conversation.transcript.rev();
    play.update(AgentEvent::TerminalOutput {
        id: TerminalId::new("x"),
        data: b"hi".to_vec(),
    });
    assert!(play.session.conversation.transcript.rev() > rev);
    play.update(call(ToolCallPatch {
        content: Patch::Set(vec![ToolContent::Block(text("whole"))]),
        ..patch("t")
    }));
    play.update(more("more"));
    assert_eq!(
        play.tool("t").content,
        [
            ToolContent::Block(text("whole")),
            ToolContent::Block(text("more"))
        ]
    );
    held(&play);
    for _ in 0..100 {
        play.update(more(&"0123456789abcdef".repeat(30_000)));
    }
    assert!(held(&play) <= 2 << 20, "{}", held(&play));
}

// V2-UPD-05
#[test]
fn a_terminal_of_the_agents_is_what_its_updates_say() {
    let mut play = Play::running();
    let id = TerminalId::new("x");
    let update = |patch: TerminalPatch| AgentEvent::Terminal(Box::new(patch));
    let bare = || TerminalPatch::new(TerminalId::new("x"));
    let changes = |effects: Vec<Effect>| -> Vec<ScreenChange> {
        let change = |effect| match effect {
            Effect::AgentScreen { change, .. } => Some(change),
            _ => None,
        };
        effects.into_iter().filter_map(change).collect()
    };
    let size = crate::model::TerminalSize {
        columns: 100,
        rows: 30,
    };
    let effects = play.update(update(TerminalPatch {
        command: Patch::Set("make\n".into()),
        cwd: Patch::Set("/w".into()),
        size: Patch::Set(size),
        ..bare()
    }));
    assert_eq!(changes(effects), [ScreenChange::Resize(size)]);
    let smile = "😀".as_bytes();
    for part in [&smile[..2], &smile[2..]] {
        let effects = play.update(AgentEvent::TerminalOutput {
            id: id.clone(),
            data: part.to_vec(),
        });
        assert_eq!(changes(effects), [ScreenChange::Print(part.to_vec())]);
    }
    // A snapshot takes the place of all that was printed, at the size that holds.
    let effects = play.update(update(TerminalPatch {
        output: Patch::Set(b"whole".to_vec()),
        ..bare()
    }));
    assert_eq!(
        changes(effects),
        [
            ScreenChange::Begin(Some(size)),
            ScreenChange::Print(b"whole".to_vec())
        ]
    );
    assert!(play.session.terminals[&id].exit.is_none());
    // However little is known of it: it has ended.
    let effects = play.update(update(TerminalPatch {
        exit: Patch::Set(ExitStatus::default()),
        command: Patch::Clear,
        ..bare()
    }));
    assert_eq!(changes(effects), [ScreenChange::End]);
    let known = &play.session.terminals[&id];
    assert_eq!(known.exit, Some(ExitStatus::default()));
    assert_eq!((&*known.command, &*known.cwd), ("", "/w"));
    play.update(update(TerminalPatch {
        exit: Patch::Set(ExitStatus {
            code: Some(-1_073_741_510),
            signal: None,
        }),
        ..bare()
    }));
    let code = play.session.terminals[&id]
        .exit
        .as_ref()
        .and_then(|it| it.code);
    assert_eq!(code, Some(-1_073_741_510));
}
