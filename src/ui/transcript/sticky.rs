//! The prompt that a scrolled view belongs to, on the view's first row.

use ratatui::style::Style;

use super::{TranscriptView, layout::Anchor};
use crate::{
    session::BlockKind,
    text::{SafeText, first_bytes},
    ui::{
        blocks::Frame,
        render::{
            Row,
            line::{StyledLine, pad},
        },
    },
};

/// Rows of the view from which one is spent on the prompt.
const STICKY_FROM: usize = 6;

/// Bytes of a prompt that can be of use in one row.
const LINE_BYTES: usize = 1_000;

impl TranscriptView {
    /// The prompt that a row belongs to, unless it is that prompt's first row or stands above all.
    pub(super) fn prompt_above(&self, item: usize, segment: usize, row: usize) -> Option<usize> {
        let before = self.prompts.partition_point(|prompt| *prompt <= item);
        let prompt = *self.prompts.get(before.checked_sub(1)?)?;
        let is_first = prompt == item && segment == 0 && row <= self.gap_of(item);
        (!is_first && self.rows_in_all >= STICKY_FROM).then_some(prompt)
    }

    /// Rows of the view above those of the conversation.
    pub fn sticky_rows(&self) -> u16 {
        u16::from(self.sticky.is_some())
    }

    /// Gives the prompt above the anchor its row; without one the conversation has it.
    pub(super) fn stick(&mut self, anchor: Option<&Anchor>, frame: &Frame<'_>) {
        let prompt = anchor.and_then(|at| self.prompt_above(at.item, at.segment, at.row));
        self.sticky = prompt.and_then(|prompt| sticky_row(prompt, frame));
        self.height = self.rows_in_all - usize::from(self.sticky.is_some());
    }
}

/// The first line of the prompt, on its band.
fn sticky_row(prompt: usize, frame: &Frame<'_>) -> Option<Row> {
    let block = frame.source.transcript.blocks().get(prompt)?;
    let BlockKind::User(message) = &block.kind else {
        return None;
    };
    let mut lines = message.text.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next().unwrap_or_default();
    let cut = first.len() > LINE_BYTES || lines.next().is_some();
    let (theme, symbols) = (frame.ctx.theme, frame.ctx.symbols);
    let width = usize::from(frame.ctx.prose_width());
    let mut line = StyledLine::styled(symbols.bar, theme.user);
    line.push(" ", Style::new());
    line.push(&SafeText::line(first_bytes(first, LINE_BYTES)), theme.text);
    if cut {
        line.push(&format!(" {}", symbols.ellipsis), theme.dim);
    }
    let mut row = line.truncate(width, symbols.ellipsis);
    if theme.band.bg.is_some() {
        for span in &mut row.line.spans {
            span.style = theme.band.patch(span.style);
        }
        pad(&mut row, width, theme.band);
    }
    Some(row)
}
