//! Syntax colours of both sides of a diff.

use ratatui::style::Style;

use super::model::{DiffModel, Side};
use crate::ui::render::{
    RenderContext,
    code::{Highlight, Language, highlight, styled_line},
    line::StyledLine,
};

/// The tokens of both texts, as far as they are computed.
pub struct Syntax {
    old: Highlight,
    new: Highlight,
}

impl Syntax {
    pub fn new(model: &DiffModel, path: &str, ctx: &RenderContext<'_>) -> Self {
        let of = |text: &str| highlight(Language::Path(path), text, ctx);
        Self {
            old: of(model.old.text()),
            new: of(model.new.text()),
        }
    }

    /// A line in colours over `base`; `text` is its text or the beginning of it.
    pub fn line(
        &self,
        side: Side,
        line: u32,
        text: &str,
        base: Style,
        ctx: &RenderContext<'_>,
    ) -> StyledLine {
        let highlight = match side {
            Side::Old => &self.old,
            Side::New => &self.new,
        };
        styled_line(text, highlight.line(line as usize), ctx.theme, base)
    }

    /// Colours are on their way.
    pub fn provisional(&self) -> bool {
        self.old.pending || self.new.pending
    }
}
