//! The lines that open and close fenced code, so that a growing block is never parsed again.

use std::{borrow::Cow, ops::Range};

/// Columns between tab stops in markdown.
const TAB_WIDTH: usize = 4;

/// How a block was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fence {
    /// Backtick or tilde.
    marker: u8,
    /// Markers in the opening line.
    len: usize,
    /// Blanks before the opening markers: as many are removed from each line.
    indent: usize,
}

impl Fence {
    /// Reads an opening line: the fence, and where in the line its info string is.
    pub fn open(line: &str) -> Option<(Self, Range<usize>)> {
        let indent = indentation(line);
        let marked = &line[indent..];
        let marker = *marked.as_bytes().first()?;
        let len = run(marked, marker);
        if indent > 3 || !matches!(marker, b'`' | b'~') || len < 3 {
            return None;
        }
        let info = marked[len..].trim();
        if marker == b'`' && info.contains('`') {
            return None;
        }
        let start = line.len() - marked[len..].trim_start().len();
        Some((
            Self {
                marker,
                len,
                indent,
            },
            start..start + info.len(),
        ))
    }

    pub fn closes(&self, line: &str) -> bool {
        let indent = indentation(line);
        let len = run(&line[indent..], self.marker);
        indent <= 3 && len >= self.len && is_blank(&line[indent + len..])
    }

    /// Whether an unfinished line may become the closing one.
    pub fn may_close(&self, line: &str) -> bool {
        let indent = indentation(line);
        let len = run(&line[indent..], self.marker);
        indent <= 3 && len > 0 && is_blank(&line[indent + len..])
    }

    /// The code in `text`, whole lines of the block, without the fence's own indentation.
    pub fn code<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if self.indent == 0 {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            let blanks = indentation(line).min(self.indent);
            // A tab that reaches over the fence's indentation leaves the blanks behind it.
            match line[blanks..].strip_prefix('\t') {
                Some(rest) if blanks < self.indent => {
                    out.extend(std::iter::repeat_n(' ', TAB_WIDTH - self.indent));
                    out.push_str(rest);
                }
                _ => out.push_str(&line[blanks..]),
            }
        }
        Cow::Owned(out)
    }
}

fn indentation(line: &str) -> usize {
    run(line, b' ')
}

fn run(text: &str, byte: u8) -> usize {
    text.bytes().take_while(|b| *b == byte).count()
}

fn is_blank(text: &str) -> bool {
    text.bytes().all(|b| matches!(b, b' ' | b'\t' | b'\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opening_lines_tell_the_language() {
        let line = "  ```  rust ignore \n";
        let (fence, info) = Fence::open(line).expect("a fence");
        assert_eq!(&line[info], "rust ignore");
        assert!(fence.closes("   ````  \n"));
        assert!(!fence.closes("    ```\n"));
        assert!(!fence.closes("``\n") && fence.may_close("``"));
        assert!(!fence.closes("``` x\n") && !fence.closes("~~~\n"));
        assert_eq!(fence.code("   a\n b\nc\n\td"), " a\nb\nc\n  d");
        assert!(Fence::open("``` a`b\n").is_none());
        assert!(Fence::open("    ```\n").is_none());
        assert!(Fence::open("~~~\n").is_some());
    }
}
