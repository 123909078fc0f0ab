//! Markdown that renders as it arrives.
//!
//! A message is cut into [`Segment`]s by a [`Splitter`] that looks only at what was added; each is
//! rendered by [`render`], a pure function. All segments but the last are final, so a view renders
//! each once per width and only the last again.
//!
//! Owns: the markdown dialect, what each construct looks like, the blank rows between blocks (each
//! segment brings its own leading one, see [`Segment::gap`]). Must not keep anything that depends
//! on width or theme.
//!
//! How a cut-up message may differ from one rendered whole:
//! - a paragraph over 16 KiB, or any other block over 128 KiB, is cut; emphasis, links and nesting
//!   do not reach over the cut;
//! - a table's columns are as wide as its first 64 rows ask for;
//! - a link by reference is resolved once its definition has come: segments rendered earlier show
//!   it when they are rendered again;
//! - a link definition with no blank line behind it, and a footnote's sign inside a link's text,
//!   may be taken for something else; info strings are shown as written;
//! - lists are neither tight nor loose as a whole: items are apart where the source has them apart.

mod block;
mod defs;
mod fence;
mod inline;
pub mod link;
mod mend;
mod parts;
mod plain;
mod split;
mod table;

pub use block::render;
pub use defs::LinkDefs;
pub use parts::{MarkdownPart, PartKind, parts};
pub use plain::{plain, reads_as_written};
pub use split::{CodePiece, Segment, Shape, Splitter};

use pulldown_cmark::Options;

use super::{RenderContext, Rendered};

/// The dialect: CommonMark with what agents use of GitHub's.
const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_GFM);

/// Renders a text that is complete.
pub fn render_whole(source: &str, ctx: &RenderContext<'_>) -> Rendered {
    let mut splitter = Splitter::default();
    splitter.finish(source);
    let mut all = Rendered::default();
    for segment in splitter.segments() {
        let part = render(source, segment, splitter.defs(), ctx);
        all.rows.extend(part.rows);
        all.provisional |= part.provisional;
    }
    all
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod bound_tests;
