//! Browsing block by block.

use std::time::Duration;

use super::{
    samples::*,
    tests::{drawn, text_on_screen},
    *,
};
use crate::{
    model::{TerminalId, ToolKind},
    session::{BlockKind, Session, SessionConfig, Start},
    ui::render::testing::{Stage, picture, screen},
};

#[test]
fn browsing_selects_folds_and_keeps_the_block_in_view() {
    let world = conversation(Stage::dark());
    let mut view = TranscriptView::default();
    drawn(&world, &mut view, 80, 20);
    assert!(view.browse_enter());
    assert_eq!(
        view.selected_index(),
        Some(world.transcript.blocks().len() - 1)
    );
    for _ in 0..12 {
        view.browse_by(-1);
        let buf = drawn(&world, &mut view, 80, 20);
        let marked = (0..20).filter(|y| buf[(0, *y)].symbol() == "▎").count();
        assert!(marked > 0, "{}", screen(&buf));
        picture("browse", &buf);
    }
    // The read call unfolds.
    while !view.selected_index().is_some_and(|at| {
        matches!(&world.transcript.blocks()[at].kind, BlockKind::Tool(call) if call.kind == ToolKind::Read)
    }) {
        view.browse_by(-1);
    }
    view.toggle_fold(&world.source());
    assert!(screen(&drawn(&world, &mut view, 80, 20)).contains("print_table(&rows)"));
    view.toggle_fold(&world.source());
    assert!(!screen(&drawn(&world, &mut view, 80, 8)).contains("print_table(&rows)"));
    view.browse_exit();
    let buf = drawn(&world, &mut view, 80, 20);
    assert!((0..20).all(|y| buf[(0, y)].symbol() != "▎"));
}

#[test]
fn folding_passes_over_what_looks_the_same() {
    let mut world = World::new(Stage::dark());
    let mut short = samples::call(ToolKind::Execute, "make", world.stage.now);
    short.content = vec![crate::model::ToolContent::Block(
        crate::model::ContentBlock::Text("built".into()),
    )];
    world.transcript.push_for_test(samples::tool(short));
    let mut view = TranscriptView::default();
    let unfolded = text_on_screen(&world, &mut view);
    assert!(unfolded.contains("built"));
    assert!(view.browse_enter());
    view.toggle_fold(&world.source());
    let folded = text_on_screen(&world, &mut view);
    assert!(!folded.contains("built"), "at the first press: {folded}");
    view.toggle_fold(&world.source());
    assert!(text_on_screen(&world, &mut view).contains("built"));
}

#[test]
fn the_selected_block_is_copied_opened_and_looked_at() {
    let mut world = conversation(Stage::dark());
    let (mut session, _) = Session::start(
        SessionConfig {
            agent: "demo".into(),
            command: "demo".into(),
            login: None,
            cwd: world.cwd.clone(),
            worktree: None,
            additional_directories: Vec::new(),
            mcp_servers: Vec::new(),
            mcp_problems: Vec::new(),
            modes: None,
            system_prompt: None,
            caps: Default::default(),
            protocol: crate::model::Protocol::V1,
            dialect: crate::model::Dialect::default(),
            start_timeout: Duration::from_secs(60),
            start: Start::New,
            settings: Vec::new(),
            first_prompt: None,
            unattended: false,
        },
        world.stage.now,
    );
    session.conversation.transcript = std::mem::take(&mut world.transcript);
    session.terminals = std::mem::take(&mut world.terminals);
    let mut view = TranscriptView::default();
    let select = |view: &mut TranscriptView, wanted: &dyn Fn(&BlockKind) -> bool| {
        let block = session
            .conversation
            .transcript
            .blocks()
            .iter()
            .find(|block| wanted(&block.kind));
        view.selected = block.map(|block| block.id);
    };
    let shown = Source::new(&session, &world.screens);
    view.sync(shown, &SETTINGS, 20, &world.stage.ctx(80));
    let is_kind =
        |kind| move |block: &BlockKind| matches!(block, BlockKind::Tool(call) if call.kind == kind);
    let copied = |view: &TranscriptView| {
        let offered = crate::ui::blocks::copies(view.browsed(&session)?, &shown);
        Some(offered.first()?.text.clone())
    };

    select(&mut view, &|kind| matches!(kind, BlockKind::Agent(_)));
    assert_eq!(
        copied(&view).as_deref(),
        Some("I'll start with how `list` prints today.")
    );
    select(&mut view, &is_kind(ToolKind::Read));
    let location = view.selected_location(&session).expect("a location");
    assert_eq!(
        location.path.to_str(),
        Some("/home/me/tool/src/cli/list.rs")
    );
    assert_eq!(location.line, Some(1));
    select(&mut view, &is_kind(ToolKind::Edit));
    assert_eq!(view.selected_diffs(&session).len(), 1);
    assert!(
        copied(&view)
            .expect("a diff")
            .contains("+    match opts.format {")
    );
    select(&mut view, &is_kind(ToolKind::Execute));
    assert_eq!(
        view.selected_terminal(&session),
        Some(TerminalId::new("t1"))
    );
    select(&mut view, &is_kind(ToolKind::Other));
    let (title, text) = view
        .selected_full_text(&session, &world.screens)
        .expect("a block");
    assert_eq!(title.as_str(), "weather");
    assert!(text.contains("{\"city\":\"Graz\"}"), "{text}");
}
