//! How blocks are shown: one file for each kind, which draws, copies, folds and opens it.
//!
//! Only [`view`] matches on the kind; everything else uses the [`BlockView`] that it returns. A
//! view must give name, rows and text; the rest has defaults. Must not know what is visible,
//! scrolled or cached: that is [`crate::ui::transcript`]'s.

mod content;
mod copies;
mod cut_text;
mod entity;
mod frame;
mod message;
mod notice;
mod picture;
mod plan;
mod rows;
mod searched;
mod shell;
mod subagent;
mod thought;
mod tool;
mod user;

use std::path::PathBuf;

use ratatui::text::Line;

#[cfg(test)]
use crate::ui::contain::faults;
use crate::{
    config::Thoughts,
    model::ImageData,
    session::{Block, BlockKind, Session},
    text::{SafeText, SafeTextBuf, first_bytes},
    ui::{
        contain::contained,
        offload::Offload,
        render::{
            Rendered, Row,
            line::{StyledLine, Wrapping},
        },
    },
    vt::Screens,
};

pub use content::render_content;
pub use copies::{Copyable, copies};
pub use cut_text::CutText;
pub use frame::{Frame, Settings, Source, Tick};
pub use picture::{drawn, strips};
pub use plan::{Pinned, plans_in_brief, render_pinned_plans};
pub use rows::FULL_ROWS;
pub use searched::{Searched, SearchedText};
pub use shell::last_shell_output;
pub use tool::{Asked, asked, body_columns, doing};

/// How much of a block is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Detail {
    /// The header alone.
    Header,
    /// A few rows of the body.
    Short,
    /// All of it, up to the bounds of the renderers.
    Full,
}

impl Detail {
    /// The next detail of a block that never shrinks to its header.
    fn short_or_full(self) -> Self {
        match self {
            Self::Full => Self::Short,
            _ => Self::Full,
        }
    }
}

/// A segment of a block: drawn and cached separately.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    pub segment: usize,
    pub detail: Detail,
    /// The segments of the block's markdown, if it has any.
    pub text: &'a CutText,
}

/// A markdown text that is cut into segments as it arrives.
#[derive(Clone, Copy)]
pub struct Markdown<'a> {
    pub text: &'a SafeTextBuf,
    /// It is complete.
    pub done: bool,
}

/// What a segment's rows depend on, apart from how it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// A range of an append-only text, and whether later text cannot change it. `places`: what the range
    /// counts in.
    Text {
        places: u32,
        from: usize,
        to: usize,
        done: bool,
    },
    /// A block's revision, and that of the terminal in it.
    Block { rev: u64, screen: u64 },
}

/// Where `$EDITOR` is to open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileLocation {
    /// Absolute, or relative to the session's directory as the agent named it.
    pub path: PathBuf,
    /// 1-based.
    pub line: Option<u32>,
}

impl FileLocation {
    fn file(path: &str) -> Self {
        Self {
            path: PathBuf::from(path),
            line: None,
        }
    }
}

/// How a kind of block is shown. Its own segments come first, then those of its markdown.
pub trait BlockView {
    /// With its article, for the report of a fault in drawing it: `a plan`.
    fn name(&self) -> &'static str;

    /// The rows of a segment.
    fn draw(&self, part: &Part<'_>, frame: &Frame<'_>) -> Rendered;

    /// Its text alone: what `y` copies.
    fn text(&self, source: &Source<'_>) -> String;

    /// The title of the viewer.
    fn title(&self, _source: &Source<'_>) -> SafeText {
        let name = self.name();
        name.strip_prefix("a ").unwrap_or(name).into()
    }

    /// What the viewer shows: [`BlockView::text`] and the raw JSON.
    fn full_text(&self, source: &Source<'_>) -> String {
        self.text(source)
    }

    /// Its text in the pager; `None` if there is nothing to read.
    fn paged_text(&self, source: &Source<'_>) -> Option<String> {
        Some(self.text(source))
    }

    /// What find looks through; `None` while something of it is still computed.
    fn searched<'a>(&'a self, source: &Source<'a>, _: &Offload) -> Option<Vec<Searched<'a>>> {
        Some(vec![Searched::plain(0, self.text(source))])
    }

    /// The text of a segment that cannot be drawn; `None`: use that of the block.
    fn segment_text(&self, _segment: usize, _source: &Source<'_>) -> Option<String> {
        None
    }

    /// How much is shown by default.
    fn usual_detail(&self, _thoughts: Thoughts, _source: &Source<'_>) -> Detail {
        Detail::Short
    }

    /// The detail after `now`, when it is folded or unfolded.
    fn next_detail(&self, now: Detail) -> Detail {
        match now {
            Detail::Full => Detail::Header,
            _ => Detail::Full,
        }
    }

    /// The number of its own segments, without those of its markdown.
    fn segments(&self, _detail: Detail, _source: &Source<'_>) -> usize {
        1
    }

    fn markdown(&self, _detail: Detail) -> Option<Markdown<'_>> {
        None
    }

    /// It may be too long to be laid out at once for one key.
    fn is_long(&self) -> bool {
        false
    }

    /// What the rows of one of its own segments depend on; `rev` is the block's revision.
    fn content(&self, rev: u64, _segment: usize, _detail: Detail, _frame: &Frame<'_>) -> Content {
        Content::Block { rev, screen: 0 }
    }

    /// The segment holds a spinner or a clock.
    fn moves(&self, _segment: usize, _source: &Source<'_>) -> bool {
        false
    }

    /// It is expected to change: what is printed for good waits for its end.
    fn is_open(&self, source: &Source<'_>) -> bool {
        self.markdown(Detail::Full).is_some_and(|text| !text.done) || self.moves(0, source)
    }

    /// A guess at a segment's height, at constant cost.
    fn estimate(&self, _segment: usize, _text: &CutText, _width: usize) -> usize {
        1
    }

    /// It has a blank row above and below, whatever is shown of it.
    fn stands_apart(&self) -> bool {
        false
    }

    /// Rows stand below its header: then it has such rows as well.
    fn has_body(&self, _detail: Detail, _source: &Source<'_>) -> bool {
        false
    }

    /// Nothing is drawn of it.
    fn is_nothing(&self) -> bool {
        false
    }

    /// Its images, with what names each.
    fn images(&self) -> Vec<(SafeText, ImageData)> {
        Vec::new()
    }

    /// The first file that it names.
    fn location(&self) -> Option<FileLocation> {
        None
    }
}

/// The view of that kind of block.
pub fn view(kind: &BlockKind) -> &dyn BlockView {
    match kind {
        BlockKind::User(message) => message,
        BlockKind::Agent(message) => message,
        BlockKind::Thought(thought) => thought,
        BlockKind::Tool(call) => &**call,
        BlockKind::Plan(entries) => entries,
        BlockKind::PlanText(plan) => plan,
        BlockKind::Entity(entity) => &**entity,
        BlockKind::Subagent(id) => id,
        BlockKind::Content(content) => content,
        BlockKind::Notice(notice) => notice,
    }
}

/// Blocks that are passed over in search of the one that is seen above another.
const MAX_NOTHING: usize = 16;

/// Whether a blank row stands above the block at `index`: one around what is said and around each block
/// with a body, none between headers. `detail` tells how much of a block is shown.
pub fn has_gap(index: usize, detail: impl Fn(usize) -> Detail, source: &Source<'_>) -> bool {
    let blocks = source.transcript.blocks();
    let kind = |at: usize| blocks.get(at).map(|block| &block.kind);
    let above = |index: usize| {
        let seen = |at: &usize| kind(*at).is_some_and(|kind| !view(kind).is_nothing());
        (0..index).rev().take(MAX_NOTHING).find(seen)
    };
    let apart = |at: usize| {
        kind(at)
            .map(view)
            .is_some_and(|view| view.stands_apart() || view.has_body(detail(at), source))
    };
    let Some(before) = above(index) else {
        return false;
    };
    // A folded thought leads to what is said then, where it does not end a row of calls.
    let thought = matches!(kind(before), Some(BlockKind::Thought(_))) && !apart(before);
    if thought && matches!(kind(index), Some(BlockKind::Agent(_))) {
        return above(before).is_some_and(|first| !apart(first));
    }
    apart(before) || apart(index)
}

/// Shown if not even the plain text can be drawn.
const UNDRAWN: &str = "  [a part of this block cannot be drawn]";

/// Bytes of plain text shown of a block that cannot be drawn; segments of markdown are shown whole.
const MAX_PLAIN: usize = 64 << 10;

/// A segment's rows; `gap`: a blank row above the first segment. If drawing panics, plain text is
/// shown instead.
pub fn draw(block: &Block, gap: bool, part: &Part<'_>, frame: &Frame<'_>) -> Rendered {
    let view = view(&block.kind);
    let gap = gap && part.segment == 0;
    let drawn = contained(view.name(), || {
        #[cfg(test)]
        faults::meet("draw", &view.text(&frame.source));
        let mut rendered = view.draw(part, frame);
        if gap && !rendered.rows.is_empty() {
            rendered.rows.insert(0, Row::default());
        }
        rendered
    });
    drawn.unwrap_or_else(|_| {
        let rows = contained(view.name(), || plain_rows(view, gap, part, frame));
        rows.unwrap_or_else(|_| vec![Row::from(Line::from(UNDRAWN))])
            .into()
    })
}

fn plain_rows(view: &dyn BlockView, gap: bool, part: &Part<'_>, frame: &Frame<'_>) -> Vec<Row> {
    let (segment, source) = (part.segment, &frame.source);
    let own = view.segments(part.detail, source);
    let cut = view.markdown(part.detail).and_then(|markdown| {
        let range = &part.text.segment(segment.checked_sub(own)?)?.range;
        markdown.text.get(range.clone()).map(str::to_owned)
    });
    let text = cut.or_else(|| view.segment_text(segment, source));
    let text = text.unwrap_or_else(|| first_bytes(&view.text(source), MAX_PLAIN).to_owned());
    #[cfg(test)]
    faults::meet("plain", &text);
    let indent = StyledLine::blanks(rows::INDENT);
    let lines = StyledLine::lines(text.trim_end(), frame.ctx.theme.text);
    let width = usize::from(frame.ctx.width);
    let rows = lines.flat_map(|line| line.wrap_with(Wrapping::Verbatim, width, &indent, &indent));
    gap.then(Row::default).into_iter().chain(rows).collect()
}

/// Everything said and done, for `$PAGER` (the action `pager`).
pub fn transcript_text(session: &Session, screens: &Screens) -> String {
    whole_text(&Source::new(session, screens))
}

pub(super) fn whole_text(source: &Source<'_>) -> String {
    let mut out = String::new();
    for block in source.transcript.blocks() {
        if let Some(text) = view(&block.kind).paged_text(source) {
            out.push_str(text.trim_end());
            out.push_str("\n\n");
        }
    }
    out
}

fn quoted(text: &str, prefix: &str) -> String {
    let line = |line: &str| format!("{prefix}{line}").trim_end().to_owned();
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod picture_tests;
#[cfg(test)]
mod tests;
