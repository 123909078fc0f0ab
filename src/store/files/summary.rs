//! What a stored session is, told without reading all of it.

use std::{
    io::{self, Read, Seek, SeekFrom},
    path::Path,
};

use crate::{
    files,
    session::telling_line,
    store::format::{About, Kind, Line},
    text::SafeText,
};

/// Bytes that are read at either end: what it is stands there, and the first prompt.
const END: u64 = 64 << 10;

/// Bytes of the first prompt that are kept.
const MAX_PROMPT: usize = 1_000;

#[derive(Clone, Debug)]
pub struct Summary {
    /// The file's name.
    pub id: String,
    pub about: About,
    /// When something was last written, in milliseconds since 1970.
    pub updated: u64,
    /// Its title, else the first line of what was first asked; `None` where neither was found.
    pub name: Option<SafeText>,
    /// What was asked last, and answered to it, if that stands where it was read.
    pub asked: Option<SafeText>,
    pub answered: Option<SafeText>,
}

impl Summary {
    /// `None` for a file that is none of ours.
    ///
    /// # Errors
    /// As for files.
    pub fn read(path: &Path, id: &str) -> io::Result<Option<Self>> {
        let mut file = files::regular(path)?;
        let len = file.metadata()?.len();
        let mut head = Vec::new();
        file.by_ref().take(END).read_to_end(&mut head)?;
        let mut tail = Vec::new();
        if len > END {
            file.seek(SeekFrom::Start(len.saturating_sub(END).max(END)))?;
            file.take(END).read_to_end(&mut tail)?;
        }
        let mut about = None;
        let mut updated = 0;
        let mut prompt = None;
        let mut last = Last::default();
        for part in [head, tail].iter().filter(|part| !part.is_empty()) {
            // What stands between the ends is not known: the exchange of the first is not the last.
            last = Last::default();
            for text in part.split(|b| *b == b'\n') {
                let Some(line) = Line::read(text) else {
                    continue;
                };
                updated = line.t.max(updated);
                last.take(&line);
                about = line.about.or(about);
                if prompt.is_none()
                    && let Some(block) = line.block.filter(|block| block.kind == Kind::User)
                {
                    prompt = Some(block.text);
                }
            }
        }
        Ok(about.map(|about| Self {
            id: id.to_owned(),
            updated,
            name: about
                .title
                .as_deref()
                .or(prompt.as_deref())
                .and_then(telling_line)
                .map(|line| SafeText::line(crate::text::first_bytes(line, MAX_PROMPT))),
            asked: last.asked.as_deref().map(SafeText::new),
            answered: last.answered.as_deref().map(SafeText::new),
            about,
        }))
    }
}

/// The last exchange, as far as it was read.
#[derive(Default)]
struct Last {
    asked: Option<String>,
    /// The answer's block, and its text.
    id: u64,
    answered: Option<String>,
}

impl Last {
    fn take(&mut self, line: &Line) {
        let bounded = |text: &str| crate::text::first_bytes(text, MAX_PROMPT).to_owned();
        match (&line.block, &line.more) {
            (Some(block), _) if block.kind == Kind::User => {
                self.asked = Some(bounded(&block.text));
                self.answered = None;
            }
            (Some(block), _) if block.kind == Kind::Agent => {
                self.id = block.id;
                self.answered = Some(bounded(&block.text));
            }
            (_, Some(more)) if more.id == self.id => {
                if let Some(answered) = &mut self.answered {
                    let room = MAX_PROMPT.saturating_sub(answered.len());
                    answered.push_str(crate::text::first_bytes(&more.text, room));
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{
        files::file::SessionFile,
        format::{Block, More},
    };

    fn block(id: u64, kind: Kind, text: &str) -> Line {
        let text = SafeText::new(text);
        let block = Block {
            id,
            kind,
            text,
            ..Block::default()
        };
        Line::block(1, block)
    }

    #[test]
    fn a_session_that_was_handed_a_conversation_has_the_name_of_what_was_asked_there() {
        let state = tempfile::tempdir().expect("a folder");
        let path = state.path().join("a.jsonl");
        let prompt = "What was said before in another session, in this directory. Go on from there; read \
                      files again before you rely on them.\n\n<conversation>\nMe: mend it\nsoon\n\n\
                      Agent: Done.\n\n</conversation>\n";
        let lines = [
            Line::about(1, About::default()),
            block(0, Kind::User, prompt),
        ];
        let mut file = SessionFile::open(&path).expect("open");
        file.append(&lines, false).expect("written");
        let read = Summary::read(&path, "a").expect("readable").expect("ours");
        assert_eq!(read.name.as_deref(), Some("mend it"));
    }

    #[test]
    fn the_last_exchange_is_read_from_the_end_of_a_long_file_and_bounded() {
        let state = tempfile::tempdir().expect("a folder");
        let path = state.path().join("a.jsonl");
        let mut file = SessionFile::open(&path).expect("open");
        let mut lines = vec![Line::about(1, About::default())];
        lines.push(block(0, Kind::User, "first"));
        lines.push(block(1, Kind::Agent, "an answer"));
        file.append(&lines, false).expect("written");
        let read = || Summary::read(&path, "a").expect("readable").expect("ours");
        assert_eq!(read().asked.as_deref(), Some("first"));
        assert_eq!(read().answered.as_deref(), Some("an answer"));
        // Nothing of it stands at the end any more.
        let long = "x".repeat(3 * usize::try_from(END).expect("small"));
        file.append(&[block(2, Kind::Tool, &long)], false)
            .expect("written");
        assert_eq!(read().asked, None);
        assert_eq!(read().name.as_deref(), Some("first"));
        let more = More {
            id: 4,
            text: SafeText::new(&"y".repeat(2 * MAX_PROMPT)),
            ..More::default()
        };
        let more = Line {
            block: None,
            more: Some(more),
            ..block(0, Kind::Agent, "")
        };
        let last = [
            block(3, Kind::User, "last"),
            block(4, Kind::Agent, "so: "),
            more,
        ];
        file.append(&last, false).expect("written");
        assert_eq!(read().asked.as_deref(), Some("last"));
        let answered = read().answered.expect("an answer");
        assert!(answered.starts_with("so: y"));
        assert_eq!(answered.len(), MAX_PROMPT);
    }
}
