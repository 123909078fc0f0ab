//! Which blocks a blank row sets apart.

use std::time::Duration;

use super::{samples::*, tests::drawn, *};
use crate::{
    model::ToolKind,
    ui::render::testing::{Stage, screen},
};

#[test]
fn bodies_have_a_blank_row_around_them_and_headers_stand_together() {
    let mut world = World::new(Stage::dark());
    let now = world.stage.now;
    let mut read = call(ToolKind::Read, "Read a.rs", now);
    read.content = vec![text_piece("first\nsecond")];
    let mut run = call(ToolKind::Execute, "make", now);
    run.content = vec![text_piece("built")];
    for block in [
        user("go"),
        thought("so\nbe it", now, Some(Duration::from_secs(3))),
        agent("I look.", true),
        tool(read),
        tool(call(ToolKind::Search, "Search for b", now)),
        tool(run),
        tool(call(ToolKind::Fetch, "Fetch c", now)),
        agent("Done.", true),
    ] {
        world.transcript.push_for_test(block);
    }
    let heads = |view: &mut TranscriptView| {
        let shown = screen(&drawn(&world, view, 60, 30));
        let rows = shown.lines().map(|row| row.trim_matches('|').trim());
        let short = rows.map(|row| row.chars().take(10).collect::<String>());
        short.collect::<Vec<_>>().join("\n").trim().to_owned()
    };
    let mut view = TranscriptView::default();
    assert_eq!(
        heads(&mut view),
        "▌ go\n\n▸ thought \nI look.\n\n✓ Read   a\n✓ Search f\n\n✓ Run    m\n│ built\n\n✓ Fetch  c\n\nDone."
    );
    // Unfolded, what was read is a body as well.
    view.toggle_details();
    let shown = heads(&mut view);
    assert!(shown.contains("I look.\n\n✓ Read   a"), "{shown}");
    assert!(shown.contains("second\n\n✓ Search f"), "{shown}");
    view.toggle_details();
    assert!(heads(&mut view).contains("✓ Read   a\n✓ Search f"));
}
