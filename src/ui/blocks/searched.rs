//! What find looks through: a block's texts, by the segment of the unfolded block that shows them.

use std::borrow::Cow;

/// A text of a block.
pub struct Searched<'a> {
    /// Of the block at full detail.
    pub segment: usize,
    pub text: SearchedText<'a>,
}

pub enum SearchedText<'a> {
    /// As it is shown.
    Plain(Cow<'a, str>),
    /// Markdown; `done`: it is complete. `cut`: its segments are those of the block from `segment` on,
    /// else all of it is shown in that one.
    Markdown {
        text: &'a str,
        done: bool,
        cut: bool,
    },
}

impl<'a> Searched<'a> {
    pub fn plain(segment: usize, text: impl Into<Cow<'a, str>>) -> Self {
        Self {
            segment,
            text: SearchedText::Plain(text.into()),
        }
    }

    /// Markdown that is cut into segments, from `segment` on.
    pub fn markdown(segment: usize, text: &'a str, done: bool) -> Self {
        let cut = true;
        Self {
            segment,
            text: SearchedText::Markdown { text, done, cut },
        }
    }

    /// All in one segment of what it stands in.
    pub fn within(self, segment: usize) -> Self {
        let text = match self.text {
            SearchedText::Markdown { text, done, .. } => SearchedText::Markdown {
                text,
                done,
                cut: false,
            },
            plain @ SearchedText::Plain(_) => plain,
        };
        Self { segment, text }
    }
}
