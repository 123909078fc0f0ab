//! Syntax colours of both sides of a diff.

use super::{super::RenderContext, model::Side};
use crate::ui::render::line::StyledLine;

/// Coloured lines, where the language is known and the colours are computed.
pub struct Syntax;

impl Syntax {
    pub fn new(_path: &str, _ctx: &RenderContext<'_>) -> Self {
        Self
    }

    /// The coloured line; `None`: plain.
    pub fn line(&self, _side: Side, _line: u32) -> Option<&StyledLine> {
        None
    }

    pub fn provisional(&self) -> bool {
        false
    }
}
