//! Cuts a byte stream into lines, and mends one that is nearly JSON (V1-RPC-22).

use std::borrow::Cow;

use tokio::io::{AsyncRead, AsyncReadExt};

use crate::{
    model::{RpcError, code},
    text::json::repair_surrogates,
};

/// How much is asked for in one read: a pipe holds no more.
const READ_SIZE: usize = 64 * 1024;

/// A buffer that one long line made larger than this is given back once it is empty.
const KEPT_CAPACITY: usize = 1024 * 1024;

#[derive(Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// Without its `\n`.
    Bytes(&'a [u8]),
    /// Longer than the limit; its bytes are gone.
    Oversized,
}

/// Reads into one reused buffer. Each byte is looked at once: where a search for the line's end
/// stopped is remembered, so a long line costs no more than its length. A line longer than
/// the limit is skipped (V1-RPC-21).
pub struct Lines<R> {
    reader: R,
    limit: usize,
    buf: Vec<u8>,
    /// Start of the line not yet taken.
    start: usize,
    /// No `\n` stands in `start..scanned`.
    scanned: usize,
    /// Within an oversized line: everything up to its end is dropped.
    skipping: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub fn new(reader: R, limit: usize) -> Self {
        Self {
            reader,
            limit,
            buf: Vec::with_capacity(READ_SIZE),
            start: 0,
            scanned: 0,
            skipping: false,
        }
    }

    /// The next whole line that is already here.
    pub fn take(&mut self) -> Option<Line<'_>> {
        loop {
            let unseen = self.buf.get(self.scanned..)?;
            let Some(found) = memchr::memchr(b'\n', unseen) else {
                self.scanned = self.buf.len();
                if self.skipping {
                    self.drop_up_to(self.buf.len());
                } else if self.buf.len() - self.start > self.limit {
                    self.skipping = true;
                    self.drop_up_to(self.buf.len());
                    return Some(Line::Oversized);
                }
                return None;
            };
            let (start, end) = (self.start, self.scanned + found);
            self.drop_up_to(end + 1);
            if std::mem::take(&mut self.skipping) {
                continue;
            }
            if end - start > self.limit {
                return Some(Line::Oversized);
            }
            return self.buf.get(start..end).map(Line::Bytes);
        }
    }

    /// Waits for more bytes, and gives their number: none at the end of the stream. Cancel safe.
    pub async fn fill(&mut self) -> std::io::Result<usize> {
        if self.start > 0 {
            self.buf.drain(..self.start);
            self.scanned -= self.start;
            self.start = 0;
        }
        if self.buf.is_empty() && self.buf.capacity() > KEPT_CAPACITY {
            self.buf = Vec::new();
        }
        self.buf.reserve(READ_SIZE);
        self.reader.read_buf(&mut self.buf).await
    }

    /// What stands behind the last `\n`, once the stream has ended.
    pub fn rest(&mut self) -> Option<&[u8]> {
        let start = self.start;
        self.drop_up_to(self.buf.len());
        self.buf.get(start..).filter(|rest| !rest.is_empty())
    }

    fn drop_up_to(&mut self, end: usize) {
        self.start = end;
        self.scanned = end;
    }
}

/// The line as text without surroundings: byte-order mark and white space cut off, invalid UTF-8
/// and lone surrogate escapes replaced by U+FFFD. Borrowed when nothing had to be repaired, which
/// is nearly always.
pub fn readable(line: &[u8]) -> Cow<'_, str> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    match String::from_utf8_lossy(line.trim_ascii()) {
        Cow::Borrowed(text) => repair_surrogates(text),
        Cow::Owned(text) => Cow::Owned(repair_surrogates(&text).into_owned()),
    }
}

/// The answer to a literal request whose text had to be repaired: serving it would do something else than
/// was asked for.
pub fn not_whole(method: &str) -> RpcError {
    let message = format!(
        "Invalid params for {method}: half of a surrogate pair (as \\ud800 alone), or bytes that are \
         not UTF-8; nothing was done"
    );
    RpcError::new(code::INVALID_PARAMS, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn all(input: &[u8], limit: usize) -> Vec<String> {
        let mut lines = Lines::new(input, limit);
        let mut out = Vec::new();
        loop {
            while let Some(line) = lines.take() {
                out.push(match line {
                    Line::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
                    Line::Oversized => "<oversized>".to_owned(),
                });
            }
            if lines.fill().await.expect("memory does not fail") == 0 {
                break;
            }
        }
        if let Some(rest) = lines.rest() {
            out.push(format!("rest:{}", String::from_utf8_lossy(rest)));
        }
        out
    }

    #[tokio::test]
    async fn lines_are_cut_at_newlines() {
        assert_eq!(all(b"a\n\nbc\nd", 10).await, ["a", "", "bc", "rest:d"]);
    }

    // V1-RPC-21
    #[tokio::test]
    async fn an_oversized_line_is_skipped_and_the_next_one_read() {
        assert_eq!(
            all(b"1234\n12345\nok\n", 4).await,
            ["1234", "<oversized>", "ok"]
        );
        let mut long = vec![b'x'; 3 * READ_SIZE];
        long.extend_from_slice(b"\nok\n");
        assert_eq!(all(&long, READ_SIZE).await, ["<oversized>", "ok"]);
    }

    // Bytes looked at grow with the line's length, not with its pieces.
    #[tokio::test]
    async fn a_long_line_is_scanned_once() {
        let long = vec![b'x'; 20 * READ_SIZE];
        let mut lines = Lines::new(long.as_slice(), usize::MAX);
        while lines.fill().await.expect("memory does not fail") > 0 {
            assert_eq!(lines.take(), None);
            assert_eq!(lines.scanned, lines.buf.len());
        }
        assert_eq!(lines.rest().map(<[u8]>::len), Some(long.len()));
    }

    #[tokio::test]
    async fn the_buffer_of_a_long_line_is_given_back() {
        let mut input = vec![b'x'; 4 * KEPT_CAPACITY];
        input.push(b'\n');
        let mut lines = Lines::new(input.as_slice(), usize::MAX);
        while lines.fill().await.expect("memory does not fail") > 0 {
            if lines.take().is_some() {
                break;
            }
        }
        lines.fill().await.expect("memory does not fail");
        assert!(lines.buf.capacity() <= KEPT_CAPACITY);
    }

    // V1-RPC-22
    #[test]
    fn surroundings_and_bad_bytes_are_repaired() {
        assert_eq!(readable(b"\xef\xbb\xbf{\"a\":1}\r"), "{\"a\":1}");
        assert_eq!(readable(b"  \t\r"), "");
        assert_eq!(readable(b"{\"a\":\"\xff\"}"), "{\"a\":\"\u{fffd}\"}");
    }

    #[test]
    fn only_lone_surrogates_are_replaced() {
        for (line, repaired) in [
            (r#"{"a":"\ud83d"}"#, r#"{"a":"\ufffd"}"#),
            (r#"{"a":"\uDE00x\ud83d"}"#, r#"{"a":"\ufffdx\ufffd"}"#),
            (
                r#"{"a":"\ud83d\ud83d\ude00"}"#,
                r#"{"a":"\ufffd\ud83d\ude00"}"#,
            ),
            (r#"{"a":"\\ud83d"}"#, r#"{"a":"\\ud83d"}"#),
            (r#"{"a":"\ud7ff\ue000"}"#, r#"{"a":"\ud7ff\ue000"}"#),
        ] {
            assert_eq!(readable(line.as_bytes()), repaired);
        }
    }

    #[test]
    fn clean_lines_are_not_copied() {
        assert!(matches!(
            readable(br#"{"a":"\ud83d\ude00 \n"}"#),
            Cow::Borrowed(_)
        ));
    }
}
