//! Puts the rows that the layout chose into the buffer.

use std::sync::Arc;

use ratatui::{buffer::Buffer, layout::Rect, style::Style};

use super::{SCROLL_BAR_FROM, TranscriptView, layout::Position};
use crate::ui::render::{
    RenderContext,
    format::count,
    line::{StyledLine, row_width},
};

/// Below this height the marker has no row.
const MARKER_FROM: usize = 6;

/// A hyperlink on the screen, for OSC 8.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedLink {
    /// One row high.
    pub area: Rect,
    pub uri: Arc<str>,
}

impl TranscriptView {
    /// Draws what the last sync laid out, at the cost of the rows that show. Returns the links
    /// among them.
    pub fn draw(&self, area: Rect, buf: &mut Buffer, ctx: &RenderContext<'_>) -> Vec<PlacedLink> {
        let area = area.intersection(buf.area);
        let mut links = Vec::new();
        if area.is_empty() {
            return links;
        }
        let bar = area.width >= SCROLL_BAR_FROM;
        let width = area.width - u16::from(bar);
        let selected = self.selected_index();
        let rows = self.shown.iter().flat_map(|shown| {
            shown
                .rows
                .iter()
                .skip(shown.skip)
                .map(|row| (shown.item, row))
        });
        let below = self.marker_rows().max(usize::from(self.foot));
        let below = u16::try_from(below).unwrap_or(0).min(area.height);
        let bottom = area.bottom() - below;
        for (y, (item, row)) in (area.y..bottom).zip(rows) {
            buf.set_line(area.x, y, &row.line, width);
            if selected == Some(item) && row_width(row) > 0 {
                mark_selected(area.x, y, buf, ctx);
            }
            links.extend(row.links.iter().map(|link| {
                let columns = link.columns.start.min(width)..link.columns.end.min(width);
                PlacedLink {
                    area: Rect::new(area.x + columns.start, y, columns.end - columns.start, 1),
                    uri: link.uri.clone(),
                }
            }));
        }
        if bottom < area.bottom() && !self.is_following() {
            self.draw_marker(Rect::new(area.x, bottom, width, 1), buf, ctx);
        }
        if bar {
            self.draw_bar(
                Rect::new(area.right() - 1, area.y, 1, area.height),
                buf,
                ctx,
            );
        }
        links
    }

    /// Rows that the marker takes from the conversation while the view does not follow.
    pub(super) fn marker_rows(&self) -> usize {
        let scrolled = matches!(self.position, Position::At(_));
        usize::from(scrolled && !self.foot && self.height >= MARKER_FROM)
    }

    /// `↓ 42 new lines`, or how much is below.
    fn draw_marker(&self, area: Rect, buf: &mut Buffer, ctx: &RenderContext<'_>) {
        let new = self.new_rows();
        let (above, total) = self.extent();
        let below = total.saturating_sub(above + self.height_for_rows());
        let (text, style) = if new > 0 {
            let text = format!(" {}", count(new, "new line"));
            (text, ctx.theme.accent.patch(ctx.theme.strong))
        } else {
            (format!(" {} below", count(below, "line")), ctx.theme.dim)
        };
        let rule = ctx.theme.border;
        let label = format!(" {}{text} ", ctx.symbols.more);
        let label = StyledLine::styled(&label, style);
        let side = usize::from(area.width).saturating_sub(label.width()) / 2;
        let mut line = StyledLine::styled(&ctx.symbols.rule.repeat(side), rule);
        line.extend(&label);
        let rest = usize::from(area.width).saturating_sub(line.width());
        line.push(&ctx.symbols.rule.repeat(rest), rule);
        let row = line.truncate(usize::from(area.width), "");
        buf.set_line(area.x, area.y, &row.line, area.width);
    }

    /// Where in the whole the screen is; only while the view does not follow.
    fn draw_bar(&self, area: Rect, buf: &mut Buffer, ctx: &RenderContext<'_>) {
        if self.is_following() {
            return;
        }
        let (above, total) = self.extent();
        let track = usize::from(area.height);
        let total = total.max(above + track).max(1);
        let length = (track * track / total).clamp(1, track);
        let from = (above * track / total).min(track - length);
        let (thumb, style) = if ctx.symbols.ascii {
            ("#", ctx.theme.dim)
        } else {
            ("▐", ctx.theme.dim)
        };
        for y in from..from + length {
            let y = area.y + u16::try_from(y).unwrap_or(0);
            buf.set_string(area.x, y, thumb, style);
        }
    }
}

/// The margin beside the selected block.
fn mark_selected(x: u16, y: u16, buf: &mut Buffer, ctx: &RenderContext<'_>) {
    buf.set_string(
        x,
        y,
        ctx.symbols.quote,
        Style::new().patch(ctx.theme.accent),
    );
}
