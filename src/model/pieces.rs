//! Content that comes in pieces and is read as a whole: a compaction's summary, a message between
//! sessions.

use crate::{
    model::ContentBlock,
    text::{SafeText, SafeTextBuf, first_bytes},
};

/// Bytes of text kept; more is cut off, with a line that says so.
const MAX_TEXT: usize = 512 << 10;
/// Bytes of other content kept: what does not fit is cut off with what follows it.
const MAX_CONTENT: usize = 4 << 20;
/// Pieces kept.
const MAX_PIECES: usize = 200;

const LEFT_OUT: &str = "\n… more was dropped";

/// Text that came in chunks is one piece.
#[derive(Debug, Default)]
pub struct Pieces {
    pieces: Vec<Piece>,
    /// Bytes of text, and of other content.
    text: usize,
    content: usize,
    full: bool,
}

/// A run of text, or another kind of content.
#[derive(Debug)]
pub enum Piece {
    /// Markdown.
    Text(SafeTextBuf),
    Content(ContentBlock),
}

impl Pieces {
    pub fn iter(&self) -> impl Iterator<Item = &Piece> {
        self.pieces.iter()
    }

    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Bytes held, about.
    pub fn weight(&self) -> usize {
        self.text + self.content
    }

    pub fn push(&mut self, content: ContentBlock) {
        if self.full {
            return;
        }
        match content {
            ContentBlock::Text(text) => self.push_text(&text),
            other => {
                let bytes = std::mem::size_of::<ContentBlock>() + other.weight();
                if self.pieces.len() >= MAX_PIECES || self.content + bytes > MAX_CONTENT {
                    self.end();
                    return;
                }
                self.content += bytes;
                self.pieces.push(Piece::Content(other));
            }
        }
    }

    fn push_text(&mut self, text: &SafeText) {
        let room = MAX_TEXT.saturating_sub(self.text);
        let fits = text.len() <= room;
        let kept = match fits {
            true => text.clone(),
            false => SafeText::new(first_bytes(text, room)),
        };
        self.text += kept.len();
        match self.pieces.last_mut() {
            Some(Piece::Text(said)) => said.push(&kept),
            _ => self.pieces.push(Piece::Text(kept.into())),
        }
        if !fits {
            self.end();
        }
    }

    fn end(&mut self) {
        self.full = true;
        let sign = SafeText::from(LEFT_OUT);
        match self.pieces.last_mut() {
            Some(Piece::Text(said)) => said.push(&sign),
            _ => self.pieces.push(Piece::Text(sign.into())),
        }
    }
}

impl FromIterator<ContentBlock> for Pieces {
    /// Blocks that came at once stay paragraphs of their own.
    fn from_iter<I: IntoIterator<Item = ContentBlock>>(blocks: I) -> Self {
        let mut pieces = Self::default();
        for block in blocks {
            if matches!(
                (&block, pieces.pieces.last()),
                (ContentBlock::Text(_), Some(Piece::Text(_)))
            ) {
                pieces.push(ContentBlock::Text("\n\n".into()));
            }
            pieces.push(block);
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::RawJson;

    fn all(pieces: &Pieces) -> String {
        let text = |piece: &Piece| match piece {
            Piece::Text(text) => text.to_string(),
            Piece::Content(_) => "content".to_owned(),
        };
        pieces.iter().map(text).collect()
    }

    fn text(text: &str) -> ContentBlock {
        ContentBlock::Text(SafeText::new(text))
    }

    #[test]
    fn chunks_are_one_text_and_blocks_are_paragraphs() {
        let mut pieces = Pieces::from_iter([text("a"), text("b")]);
        pieces.push(text("c"));
        assert_eq!(all(&pieces), "a\n\nbc");
        assert_eq!(pieces.len(), 1);
    }

    #[test]
    fn what_is_too_much_is_left_out_and_said() {
        let mut pieces = Pieces::default();
        for _ in 0..3 {
            pieces.push(text(&"x".repeat(MAX_TEXT / 2)));
            pieces.push(text("y"));
        }
        assert!(all(&pieces).len() < MAX_TEXT + 100);
        assert!(all(&pieces).ends_with("was dropped"));
    }

    #[test]
    fn content_is_bounded_by_its_bytes_at_the_edge() {
        let resource = |bytes: usize| ContentBlock::Unknown {
            kind: SafeText::default(),
            raw: RawJson("x".repeat(bytes).into()),
        };
        let own = std::mem::size_of::<ContentBlock>();
        for (bytes, kept) in [
            (MAX_CONTENT - own - 1, 1),
            (MAX_CONTENT - own, 1),
            (MAX_CONTENT - own + 1, 0),
        ] {
            let pieces = Pieces::from_iter([resource(bytes), text("behind it")]);
            let content = |piece: &&Piece| matches!(piece, Piece::Content(_));
            assert_eq!(pieces.iter().filter(content).count(), kept, "{bytes}");
            assert_eq!(all(&pieces).ends_with("was dropped"), kept == 0, "{bytes}");
            assert_eq!(pieces.weight() >= MAX_CONTENT / 2, kept == 1, "{bytes}");
        }
    }
}
