//! Tool calls: a header that says what is done to what, and a body for each piece of content.
//!
//! Owns how a call reads. Must not know about scrolling or what is visible: the view asks for the
//! header and for the pieces that it shows, each for itself, so that a spinner that turns does not
//! draw a diff again.

mod body;
mod header;

use std::{collections::BTreeMap, path::Path};

use super::{RenderContext, Row, line::StyledLine};
use crate::{
    config::DiffLayout,
    model::{TerminalId, ToolContent, ToolKind},
    session::{Subagents, TerminalInfo, ToolCall, ToolState},
    text::{SafeText, exact_line},
    vt::Screens,
};

pub use body::{piece_count, render_tool_piece};
pub use header::{push_verb, render_tool_header};

/// How much of a block is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Detail {
    /// The header alone.
    Header,
    /// The part of the body that is usually wanted.
    Short,
    /// All of it, up to the bounds of the renderers.
    Full,
}

/// What a tool call refers to, and how it is wanted.
#[derive(Clone, Copy)]
pub struct ToolContext<'a> {
    pub cwd: &'a Path,
    pub subagents: &'a Subagents,
    pub terminals: &'a BTreeMap<TerminalId, TerminalInfo>,
    pub screens: &'a Screens,
    pub layout: DiffLayout,
    pub detail: Detail,
    /// The spinner's frame; `None` without motion.
    pub spinner: Option<&'static str>,
}

/// How much of a call is shown unless somebody says otherwise: what changes something is shown,
/// what was looked at is not. What is asked about stands whole in the question.
pub fn default_detail(call: &ToolCall) -> Detail {
    let looks = matches!(
        call.kind,
        ToolKind::Read | ToolKind::Search | ToolKind::Fetch
    );
    let text_only = call
        .content
        .iter()
        .all(|piece| matches!(piece, ToolContent::Block(_)));
    if call.asking || looks && text_only && call.state != ToolState::Failed {
        Detail::Header
    } else {
        Detail::Short
    }
}

/// A path as it is shown, relative to the session's directory where it lies in it: exactly, as another one
/// could look like it.
pub fn shown_path(path: &str, cwd: &Path) -> SafeText {
    let relative = Path::new(path)
        .strip_prefix(cwd)
        .ok()
        .filter(|relative| !relative.as_os_str().is_empty())
        .and_then(Path::to_str);
    exact_line(relative.unwrap_or(path))
}

/// Puts the body's indent before rows that were drawn for the width beside it.
fn indented(rows: Vec<Row>, ctx: &RenderContext<'_>) -> Vec<Row> {
    let mut indent = StyledLine::new();
    indent.fill_to(indent_of(ctx), ctx.theme.text);
    rows.into_iter()
        .map(|row| super::line::prefixed(&indent, row, usize::from(ctx.width)))
        .collect()
}

fn indent_of(ctx: &RenderContext<'_>) -> usize {
    usize::from(indent_at(ctx.width))
}

fn indent_at(width: u16) -> u16 {
    if width < 40 { 2 } else { 4 }
}

/// Columns of a call's body, where its terminal is shown, in a transcript of that width.
pub fn body_columns(width: u16) -> u16 {
    width.saturating_sub(indent_at(width)).max(1)
}

fn body_context<'a>(ctx: &RenderContext<'a>) -> RenderContext<'a> {
    RenderContext {
        width: body_columns(ctx.width),
        ..*ctx
    }
}

#[cfg(test)]
mod tests;
