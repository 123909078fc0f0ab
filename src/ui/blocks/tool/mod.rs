//! Tool calls: a header with action and object, and a segment for each piece of content.
//!
//! They are drawn separately, so that a turning spinner does not draw a diff again.

mod brief;
mod content;
mod header;

use std::{collections::BTreeMap, path::Path};

use super::{
    BlockView, Content, CutText, Detail, FileLocation, Frame, Part, Searched, Source,
    content::named_image,
    quoted,
    rows::{indent, narrowed},
};
use crate::{
    config::{DiffLayout, Thoughts},
    model::{ImageData, TerminalId, ToolContent, ToolKind},
    session::{Subagents, TerminalInfo, ToolCall, ToolState},
    text::{SafeText, first_bytes},
    ui::{
        offload::Offload,
        render::{RenderContext, Rendered, Row, format::shown_path},
    },
    vt::Screens,
};

use content::{MAX_PIECES, render_tool_piece, searched_piece, shows_raw};
use header::{path_object, render_tool_header, verdict};

pub use brief::doing;
pub(super) use content::piece_text;
pub use content::{Asked, asked, screen_rev};

/// Bytes of plain text shown of a piece that cannot be drawn.
const MAX_PLAIN: usize = 256 << 10;

/// What a tool call is drawn with.
#[derive(Clone, Copy)]
pub struct ToolContext<'a> {
    pub cwd: &'a Path,
    pub subagents: &'a Subagents,
    pub terminals: &'a BTreeMap<TerminalId, TerminalInfo>,
    pub screens: &'a Screens,
    pub layout: DiffLayout,
    pub detail: Detail,
    /// The line that find is at, in what was searched of the piece.
    pub found: Option<usize>,
    /// The spinner's frame; `None` without motion.
    pub spinner: Option<&'static str>,
}

impl<'a> ToolContext<'a> {
    fn new(detail: Detail, frame: &Frame<'a>) -> Self {
        Self {
            cwd: frame.source.cwd,
            found: frame.found,
            subagents: frame.source.subagents,
            terminals: frame.source.terminals,
            screens: frame.source.screens,
            layout: frame.settings.diff,
            detail,
            spinner: frame.spinner(),
        }
    }
}

impl BlockView for ToolCall {
    fn name(&self) -> &'static str {
        "a tool call"
    }

    fn draw(&self, part: &Part<'_>, frame: &Frame<'_>) -> Rendered {
        let tool = ToolContext::new(part.detail, frame);
        match part.segment.checked_sub(1) {
            None => render_tool_header(self, &tool, &frame.ctx),
            Some(piece) => render_tool_piece(self, piece, &tool, &frame.ctx),
        }
    }

    fn text(&self, source: &Source<'_>) -> String {
        let body = body_text(self, source);
        if body.trim().is_empty() {
            return whole_title(self);
        }
        body
    }

    fn title(&self, source: &Source<'_>) -> SafeText {
        SafeText::line(&title_with_path(self, source))
    }

    fn full_text(&self, source: &Source<'_>) -> String {
        // The viewer has its title already; only a command may be longer than that.
        let mut out = match &self.command {
            Some(command) => format!("$ {}\n\n", SafeText::new(command.trim())),
            None => String::new(),
        };
        out.push_str(body_text(self, source).trim_end());
        out.push('\n');
        let raws = [
            ("asked input", self.other_input_asked()),
            ("input", self.raw_input.as_ref()),
            ("output", self.raw_output.as_ref()),
        ];
        for (label, raw) in raws {
            if let Some(raw) = raw {
                out.push_str(&format!("\n-- raw {label} --\n{}\n", raw.0));
            }
        }
        out
    }

    fn paged_text(&self, source: &Source<'_>) -> Option<String> {
        let state = match &self.state {
            ToolState::Pending => "pending",
            _ if self.doubted && self.state.is_open() => "state unknown",
            ToolState::InProgress => "running",
            ToolState::Paused => "paused",
            ToolState::Completed => "done",
            ToolState::Failed => "failed",
            ToolState::Cancelled => "cancelled",
            ToolState::Ended if self.had_no_leave() => "not run",
            ToolState::Ended => "no result",
            ToolState::Unknown(status) => status,
        };
        let mut out = format!("[{state}] {}\n", title_with_path(self, source));
        // Without it a denial would read as a failure of the call.
        let denials = self
            .answers
            .iter()
            .filter(|answer| answer.allowed != Some(true));
        for answer in denials {
            let said = SafeText::line(answer.answer.trim());
            let separator = if said.is_empty() { "" } else { ": " };
            out.push_str(&format!("  {}{separator}{said}\n", verdict(answer)));
        }
        let body = quoted(body_text(self, source).trim_end(), "  ");
        Some(format!("{out}{body}\n"))
    }

    /// Raw input and output repeat what the rest says.
    fn searched<'a>(&'a self, source: &Source<'a>, offload: &Offload) -> Option<Vec<Searched<'a>>> {
        // As the header shows it: with a path, no title.
        let head = path_object(self, source.cwd).map(|path| path.to_string());
        let head = head.unwrap_or_else(|| title_with_path(self, source));
        let mut all = vec![Searched::plain(0, head)];
        for (at, piece) in self.content.iter().take(MAX_PIECES).enumerate() {
            all.push(searched_piece(self, 1 + at, piece, source, offload)?);
        }
        if self.state == ToolState::Failed
            && self.content.is_empty()
            && let Some(raw) = &self.raw_output
        {
            all.push(Searched::plain(1, SafeText::line(&raw.0).to_string()));
        }
        Some(all)
    }

    fn segment_text(&self, segment: usize, source: &Source<'_>) -> Option<String> {
        let Some(piece) = segment.checked_sub(1) else {
            return Some(title_with_path(self, source));
        };
        let text = match self.content.get(piece) {
            Some(piece) => piece_text(piece, source),
            None => {
                let raws = [&self.raw_input, &self.raw_output].into_iter().flatten();
                let raws = raws.map(|raw| SafeText::new(&raw.0).to_string());
                raws.collect::<Vec<_>>().join("\n")
            }
        };
        Some(first_bytes(&text, MAX_PLAIN).to_owned())
    }

    /// Changes are shown, what was only read is folded. While a question about it is open, that
    /// shows all of it.
    fn usual_detail(&self, _: Thoughts, _: &Source<'_>) -> Detail {
        usual_detail(self)
    }

    fn next_detail(&self, now: Detail) -> Detail {
        match now {
            Detail::Header if usual_detail(self) == Detail::Short => Detail::Short,
            Detail::Full => Detail::Header,
            _ => Detail::Full,
        }
    }

    fn segments(&self, detail: Detail, _: &Source<'_>) -> usize {
        1 + piece_count(self, detail)
    }

    fn content(&self, rev: u64, segment: usize, _: Detail, frame: &Frame<'_>) -> Content {
        let piece = segment.checked_sub(1).and_then(|at| self.content.get(at));
        Content::Block {
            rev,
            screen: piece.map_or(0, |piece| screen_rev(piece, frame)),
        }
    }

    fn moves(&self, segment: usize, _: &Source<'_>) -> bool {
        segment == 0 && self.is_running()
    }

    fn is_open(&self, _: &Source<'_>) -> bool {
        self.asking
            || matches!(self.state, ToolState::Pending | ToolState::Paused)
            || self.is_running()
    }

    fn estimate(&self, segment: usize, _: &CutText, _: usize) -> usize {
        if segment > 0 { 8 } else { 1 }
    }

    fn has_body(&self, detail: Detail, source: &Source<'_>) -> bool {
        content::has_body(self, detail, source)
    }

    fn images(&self) -> Vec<(SafeText, ImageData)> {
        let blocks = self.content.iter().filter_map(|piece| match piece {
            ToolContent::Block(content) => named_image(content),
            _ => None,
        });
        blocks.collect()
    }

    fn location(&self) -> Option<FileLocation> {
        if let Some(location) = self.locations.first() {
            return Some(FileLocation {
                line: location.line,
                ..FileLocation::file(&location.path)
            });
        }
        let path = self.content.iter().find_map(content::path)?;
        Some(FileLocation::file(path))
    }
}

fn usual_detail(call: &ToolCall) -> Detail {
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

/// How many pieces [`render_tool_piece`] can be asked for.
fn piece_count(call: &ToolCall, detail: Detail) -> usize {
    let content = call.content.len().min(MAX_PIECES);
    match detail {
        Detail::Header => 0,
        // What is raw follows the content.
        _ => content + usize::from(shows_raw(call, detail)),
    }
}

fn title_with_path(call: &ToolCall, source: &Source<'_>) -> String {
    let title = whole_title(call);
    match call.locations.first() {
        Some(location) if !title.contains(location.path.as_str()) => {
            let path = shown_path(&location.path, source.cwd);
            if title.contains(path.as_str()) {
                title
            } else {
                format!("{title} ({path})")
            }
        }
        _ => title,
    }
}

fn whole_title(call: &ToolCall) -> String {
    match &call.command {
        Some(command) => SafeText::new(command).to_string(),
        None => call.title.to_string(),
    }
}

fn body_text(call: &ToolCall, source: &Source<'_>) -> String {
    let pieces = call.content.iter().map(|piece| piece_text(piece, source));
    pieces.collect::<Vec<_>>().join("\n")
}

fn indent_at(width: u16) -> u16 {
    if width < 40 { 2 } else { 4 }
}

/// Cells of the line left of output, with its blank.
const GUTTER: u16 = 2;

/// Columns of a call's output, where its terminal is shown, in a transcript of that width.
pub fn body_columns(width: u16) -> u16 {
    width.saturating_sub(indent_at(width) + GUTTER).max(1)
}

fn body_context<'a>(ctx: &RenderContext<'a>) -> RenderContext<'a> {
    narrowed(indent_at(ctx.width).into(), ctx)
}

/// Puts the body's indent before rows that were drawn for [`body_context`].
fn indent_body(rows: &mut [Row], ctx: &RenderContext<'_>) {
    indent(rows, indent_at(ctx.width).into(), ctx);
}

#[cfg(test)]
mod tests;
