//! Pure renderers: `(data, context) -> Vec<Row>`.
//!
//! Each is a function of what is passed in; caching is the view's business. Only `SafeText` (or
//! text of our own) goes in.

pub mod code;
pub mod command;
pub mod diff;
pub mod excerpt;
pub mod format;
pub mod frame;
pub mod json;
pub mod line;
pub mod markdown;
pub mod terminal;
#[cfg(test)]
pub mod testing;
pub mod written;

use std::{ops::Range, sync::Arc, time::Instant};

use ratatui::{buffer::Buffer, layout::Rect, text::Line};

use crate::{
    picture::{Canvas, Strip},
    ui::{
        offload::Offload,
        theme::{Symbols, Theme},
    },
};

/// One screen row: fits the width it was rendered for, tabs expanded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    pub line: Line<'static>,
    /// Parts that are hyperlinks (OSC 8), by cell columns.
    pub links: Vec<Link>,
    /// What of it was written.
    pub written: written::Written,
    /// The part of an image that stands in it.
    pub picture: Option<Strip>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    pub columns: Range<u16>,
    /// Only `http`, `https`, `mailto` and `file`, with no control characters in it.
    pub uri: Arc<str>,
}

impl From<Line<'static>> for Row {
    fn from(line: Line<'static>) -> Self {
        Self {
            line,
            links: Vec::new(),
            written: written::Written::default(),
            picture: None,
        }
    }
}

/// Draws as many rows as fit.
pub fn draw_rows<'r>(rows: impl IntoIterator<Item = &'r Row>, area: Rect, buf: &mut Buffer) {
    for (y, row) in (area.top()..area.bottom()).zip(rows) {
        buf.set_line(area.x, y, &row.line, area.width);
    }
}

/// The first rows of an area, and those below them.
pub fn split_top(area: Rect, rows: u16) -> (Rect, Rect) {
    split_bottom(area, area.height.saturating_sub(rows))
}

/// The last rows of an area behind those above them.
pub fn split_bottom(area: Rect, rows: u16) -> (Rect, Rect) {
    let height = area.height.saturating_sub(rows);
    let above = Rect { height, ..area };
    let below = Rect {
        y: above.bottom(),
        height: area.height - height,
        ..area
    };
    (above, below)
}

/// What every renderer needs to know.
#[derive(Clone, Copy)]
pub struct RenderContext<'a> {
    pub theme: &'a Theme,
    pub symbols: &'a Symbols,
    pub offload: &'a Offload,
    /// Cells to fill; at least 1.
    pub width: u16,
    /// Cells at which prose, prompts and tables end, counted from the edge of the screen.
    pub measure: u16,
    /// Cells to the left that are taken by what this stands in.
    pub indent: u16,
    /// What images are drawn on.
    pub pictures: Canvas,
    pub now: Instant,
}

/// Columns that prose and what belongs to it, tables and dialogs use of wide screens where nothing is
/// configured: longer lines are hard to follow from end to beginning. Code, diffs and terminals take
/// what there is.
pub const MEASURE: u16 = 119;

impl RenderContext<'_> {
    /// Cells for prose: the width, up to what is comfortable to read. It ends in the same column
    /// however deep it stands.
    pub fn prose_width(&self) -> u16 {
        self.width
            .min(self.measure.saturating_sub(self.indent).max(1))
    }
}

/// Rows, and whether they will look better later.
#[derive(Clone, Debug, Default)]
pub struct Rendered {
    pub rows: Vec<Row>,
    /// Something was painted plain while [`Offload`] works on it: render again when its generation
    /// has grown.
    pub provisional: bool,
}

impl From<Vec<Row>> for Rendered {
    fn from(rows: Vec<Row>) -> Self {
        Self {
            rows,
            provisional: false,
        }
    }
}

#[cfg(test)]
mod tests;
