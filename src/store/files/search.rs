//! Words in the text of a stored session.
//!
//! Owns which text counts: what the person and the agent said. Reads one file, in bounds; which files, and
//! when to stop, is its caller's.

use std::{
    io::{self, BufRead, BufReader, Read},
    path::Path,
};

use crate::{
    files,
    store::format::{Kind, Line},
    text::{SafeText, first_bytes, last_bytes},
};

/// Bytes of a file that are searched.
pub const MAX_SEARCHED: u64 = 16 << 20;

/// Bytes of text shown on either side of what was found.
const AROUND: usize = 120;

/// Where the words were found first, with what stands around them; `None`: nowhere, or it was not wanted any
/// more. Capital letters count as small ones.
///
/// # Errors
/// As for files.
pub fn find_words(
    path: &Path,
    words: &str,
    goes_on: impl Fn() -> bool,
) -> io::Result<Option<SafeText>> {
    let words = words.trim().to_lowercase();
    if words.is_empty() {
        return Ok(None);
    }
    let mut reader = BufReader::new(files::regular(path)?.take(MAX_SEARCHED));
    let mut line = Vec::new();
    let mut said = Said::default();
    loop {
        line.clear();
        if reader.read_until(b'\n', &mut line)? == 0 || !goes_on() {
            return Ok(None);
        }
        if let Some(read) = Line::read(line.trim_ascii_end())
            && let Some(text) = said.take(read, words.len())
            && let Some(found) = found_in(&text, &words)
        {
            return Ok(Some(found));
        }
    }
}

/// The message that was written to last.
#[derive(Default)]
struct Said {
    id: Option<u64>,
    /// Its end, since words may stand across what was added.
    end: String,
}

impl Said {
    /// The text that a line adds to what was said; `words`: bytes of what is looked for.
    fn take(&mut self, line: Line, words: usize) -> Option<String> {
        let text = match (line.block, line.more) {
            (Some(block), _) => {
                let counts = matches!(block.kind, Kind::User | Kind::Agent);
                self.end.clear();
                self.id = counts.then_some(block.id);
                counts.then(|| block.text.to_string())?
            }
            (None, Some(more)) if self.id == Some(more.id) => {
                format!("{}{}", self.end, more.text.as_str())
            }
            _ => return None,
        };
        self.end = last_bytes(&text, 2 * words).to_owned();
        Some(text)
    }
}

fn found_in(text: &str, words: &str) -> Option<SafeText> {
    let small = text.to_lowercase();
    let at = small.find(words)?;
    // Small letters may take other bytes: then what stands around is told in them.
    let text = if small.len() == text.len() && text.is_char_boundary(at) {
        text
    } else {
        &small
    };
    let (before, behind) = text.split_at_checked(at)?;
    let before = last_bytes(before, AROUND);
    let behind = first_bytes(behind, words.len() + AROUND);
    Some(SafeText::line(format!("{before}{behind}").trim()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{
        files::file::SessionFile,
        format::{About, Block, More},
    };

    fn block(id: u64, kind: Kind, text: &str) -> Line {
        let block = Block {
            id,
            kind,
            text: SafeText::new(text),
            ..Block::default()
        };
        Line::block(1, block)
    }

    fn more(id: u64, text: &str) -> Line {
        let more = More {
            id,
            text: SafeText::new(text),
            ..More::default()
        };
        Line {
            more: Some(more),
            block: None,
            ..block(id, Kind::Agent, "")
        }
    }

    fn find(lines: &[Line], words: &str) -> Option<String> {
        let state = tempfile::tempdir().expect("a folder");
        let path = state.path().join("a.jsonl");
        let mut file = SessionFile::open(&path).expect("open");
        file.append(&[Line::about(1, About::default())], false)
            .expect("written");
        file.append(lines, false).expect("written");
        let found = find_words(&path, words, || true).expect("readable");
        found.map(|text| text.to_string())
    }

    #[test]
    fn words_are_found_in_what_was_said_whatever_their_case() {
        let lines = [
            block(0, Kind::User, "Why is the Parser slow?"),
            block(1, Kind::Thought, "a secret thought"),
            block(2, Kind::Agent, "It reads each line \"twice\",\nas you see."),
        ];
        assert_eq!(
            find(&lines, "the parser").as_deref(),
            Some("Why is the Parser slow?")
        );
        assert!(find(&lines, "\"TWICE\"").is_some());
        assert_eq!(find(&lines, "secret"), None, "only what was said");
        assert_eq!(find(&lines, "agent"), None, "not the file's own words");
        assert_eq!(find(&lines, " "), None);
    }

    #[test]
    fn words_across_two_pieces_of_a_message_are_found() {
        let lines = [
            block(0, Kind::Agent, "the quick bro"),
            more(0, "wn fox"),
            more(7, "of another one: lazy"),
        ];
        assert!(find(&lines, "brown fox").is_some());
        assert_eq!(find(&lines, "lazy"), None);
    }

    #[test]
    fn what_stands_around_is_bounded_and_cut_between_letters() {
        let text = format!("{}needle{}", "ä".repeat(500), "ö".repeat(500));
        let found = find(&[block(0, Kind::User, &text)], "needle").expect("found");
        assert!(found.contains("needle"));
        assert!(
            found.len() <= 2 * AROUND + "needle".len() + 4,
            "{}",
            found.len()
        );
        // A letter whose small form is longer.
        let found = find(&[block(0, Kind::User, "İİİ Needle")], "needle");
        assert!(found.is_some_and(|text| text.contains("eedle")));
    }

    #[test]
    fn a_search_that_is_not_wanted_any_more_stops() {
        let state = tempfile::tempdir().expect("a folder");
        let path = state.path().join("a.jsonl");
        let mut file = SessionFile::open(&path).expect("open");
        file.append(&[block(0, Kind::User, "here it is")], false)
            .expect("written");
        assert_eq!(find_words(&path, "here", || false).expect("readable"), None);
    }
}
