//! What stays on the normal screen after leaving (PRODUCT §3, `ui.exit_print`).

use super::{
    Settings,
    frame::{Frame, Source, Tick},
    item::{Item, detail, gap_between},
    segment::render_segment,
};
use crate::{
    session::{BlockKind, Session},
    ui::render::{RenderContext, Row},
    vt::Screens,
};

/// Rows that are printed; of more the last.
const MAX_ROWS: usize = 5_000;

/// The last prompt and all that came after it, at `ctx.width`. Give it an
/// [immediate](crate::ui::offload::Offload::immediate) offload.
pub fn last_exchange_rows(
    session: &Session,
    screens: &Screens,
    settings: &Settings,
    ctx: &RenderContext<'_>,
) -> Vec<Row> {
    let is_prompt = |block: &crate::session::Block| matches!(block.kind, BlockKind::User(_));
    let from = session.transcript.blocks().iter().rposition(is_prompt);
    rows_from(
        from.unwrap_or(0),
        Source::new(session, screens),
        settings,
        ctx,
    )
}

/// The whole conversation, as far as it is printed.
pub fn conversation_rows(
    session: &Session,
    screens: &Screens,
    settings: &Settings,
    ctx: &RenderContext<'_>,
) -> Vec<Row> {
    rows_from(0, Source::new(session, screens), settings, ctx)
}

pub(super) fn rows_from(
    from: usize,
    source: Source<'_>,
    settings: &Settings,
    ctx: &RenderContext<'_>,
) -> Vec<Row> {
    let frame = Frame {
        source,
        settings: Settings {
            motion: false,
            ..*settings
        },
        ctx: *ctx,
        tick: Tick::at(ctx.now, ctx.now, false),
    };
    let blocks = source.transcript.blocks();
    // From the end up, so that a long conversation costs what is printed of it.
    let mut kept: Vec<Vec<Row>> = Vec::new();
    let mut count = 0;
    for (index, block) in blocks.iter().enumerate().skip(from).rev() {
        let above = index.checked_sub(1).filter(|at| *at >= from);
        let above = above.and_then(|at| blocks.get(at)).map(|block| &block.kind);
        let mut item = Item::new(block, gap_between(above, &block.kind));
        let detail = detail(block, None, false, settings.thoughts);
        item.prepare(block, detail, &frame);
        for segment in (0..item.heights.len()).rev() {
            let rows = render_segment(block, &item, segment, detail, &frame).rows;
            count += rows.len();
            kept.push(rows);
        }
        if count >= MAX_ROWS {
            break;
        }
    }
    let rows: Vec<Row> = kept.into_iter().rev().flatten().collect();
    let skip = rows.len().saturating_sub(MAX_ROWS);
    rows.into_iter().skip(skip).collect()
}
