//! What a stored session is, told without reading all of it.

use std::{
    io::{self, Read, Seek, SeekFrom},
    path::Path,
};

use crate::{
    files,
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
        for text in head
            .split(|b| *b == b'\n')
            .chain(tail.split(|b| *b == b'\n'))
        {
            let Some(line) = Line::read(text) else {
                continue;
            };
            updated = line.t.max(updated);
            about = line.about.or(about);
            if prompt.is_none()
                && let Some(block) = line.block.filter(|block| block.kind == Kind::User)
            {
                prompt = Some(block.text);
            }
        }
        Ok(about.map(|about| Self {
            id: id.to_owned(),
            updated,
            name: about
                .title
                .as_deref()
                .or(prompt.as_deref())
                .and_then(|text| text.lines().find(|line| !line.trim().is_empty()))
                .map(|line| SafeText::line(crate::text::first_bytes(line.trim(), MAX_PROMPT))),
            about,
        }))
    }
}
