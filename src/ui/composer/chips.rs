//! Units inside the draft that stand for more than they show: long pastes and mentions.
//!
//! A chip is one character of a private-use plane in the text buffer, so that undo, kill and yank
//! carry it like any other; what it stands for is kept here. Text from outside never holds such
//! characters: see [`clean`](super::buffer::clean).

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
    path::PathBuf,
};

use super::{
    buffer::{PLACEHOLDERS, is_placeholder},
    written::Names,
};
use crate::{
    model::{PromptCaps, SeenFile, Way},
    text::SafeText,
    ui::{Draft, DraftPart, LookedAt, WrittenOut, render::format::bytes},
};

/// Chips alive at once, those only reachable by undo included.
pub const MAX_CHIPS: usize = 1_000;

/// A paste longer than this becomes a chip.
const PASTE_LINES: usize = 8;
const PASTE_CHARS: usize = 1_000;

/// Whether a paste is shown in its short form.
pub fn is_long(text: &str) -> bool {
    text.len() > PASTE_CHARS && text.chars().nth(PASTE_CHARS).is_some()
        || line_count(text) > PASTE_LINES
}

fn line_count(text: &str) -> usize {
    text.lines().count()
}

#[derive(Clone, Debug)]
pub struct Chip {
    /// One line.
    label: SafeText,
    content: Content,
}

#[derive(Clone, Debug)]
enum Content {
    Paste(String),
    File {
        /// Relative to the project, or absolute.
        path: String,
        seen: Option<SeenFile>,
    },
}

/// Typed text that names files.
#[derive(Debug)]
pub enum Typed {
    Mention(Names),
    MaybeFiles(Vec<PathBuf>),
}

impl Chip {
    pub fn paste(text: String) -> Self {
        let lines = line_count(&text);
        let label = match lines > PASTE_LINES {
            true => format!("[pasted {lines} lines]"),
            false => format!("[pasted {} characters]", text.chars().count()),
        };
        Self {
            label: SafeText::line(&label),
            content: Content::Paste(text),
        }
    }

    /// `path` is relative to the project.
    pub fn mention(path: String) -> Self {
        Self {
            label: SafeText::line(&format!("@{path}")),
            content: Content::File { path, seen: None },
        }
    }

    /// A chip for a file whose kind and size are known.
    pub fn file(path: String, seen: SeenFile, caps: Option<PromptCaps>) -> Self {
        Self {
            label: label(&path, &seen, caps),
            content: Content::File {
                path,
                seen: Some(seen),
            },
        }
    }

    /// Of a file.
    pub fn path(&self) -> Option<&str> {
        match &self.content {
            Content::File { path, .. } => Some(path),
            Content::Paste(_) => None,
        }
    }

    pub fn label(&self) -> &str {
        &self.label
    }

    /// The text of a paste.
    pub fn pasted(&self) -> Option<&str> {
        match &self.content {
            Content::Paste(text) => Some(text),
            Content::File { .. } => None,
        }
    }
}

/// What each placeholder stands for.
#[derive(Debug, Default)]
pub struct Chips(HashMap<char, Chip>);

impl Chips {
    pub fn get(&self, placeholder: char) -> Option<&Chip> {
        self.0.get(&placeholder)
    }

    pub fn is_full(&self) -> bool {
        self.0.len() >= MAX_CHIPS
    }

    /// The placeholder for a new chip; `None` if there are [`MAX_CHIPS`].
    pub fn add(&mut self, chip: Chip) -> Option<char> {
        if self.is_full() {
            return None;
        }
        let free = PLACEHOLDERS
            .filter_map(char::from_u32)
            .find(|c| !self.0.contains_key(c))?;
        self.0.insert(free, chip);
        Some(free)
    }

    /// Puts more text behind that of a pasted chip.
    pub fn extend_paste(&mut self, placeholder: char, more: &str) {
        if let Some(chip) = self.0.get_mut(&placeholder)
            && let Content::Paste(text) = &mut chip.content
        {
            let mut text = std::mem::take(text);
            text.push_str(more);
            *chip = Chip::paste(text);
        }
    }

    /// The agent's capabilities changed, and with them how files are sent.
    pub fn relabel(&mut self, caps: Option<PromptCaps>) {
        for chip in self.0.values_mut() {
            if let Content::File {
                path,
                seen: Some(seen),
            } = &chip.content
            {
                chip.label = label(path, seen, caps);
            }
        }
    }

    /// Notes what was found on disk; returns whether a chip here is concerned.
    pub fn set_seen(&mut self, looked: &[LookedAt], caps: Option<PromptCaps>) -> bool {
        let mut changed = false;
        for chip in self.0.values_mut() {
            let Content::File { path, seen } = &mut chip.content else {
                continue;
            };
            let found = looked
                .iter()
                .find(|(at, _)| at.as_os_str() == path.as_str());
            if let Some((_, Some(found))) = found {
                *seen = Some(*found);
                chip.label = label(path, found, caps);
                changed = true;
            }
        }
        changed
    }

    /// Forgets all chips that are in none of `texts`.
    pub fn retain_in<'a>(&mut self, texts: impl IntoIterator<Item = &'a str>) {
        let used: HashSet<char> = texts
            .into_iter()
            .flat_map(|text| text.chars().filter(|c| is_placeholder(*c)))
            .collect();
        self.0.retain(|c, _| used.contains(c));
    }

    /// `raw` with each chip written out: pastes whole, mentions as `@path`.
    pub fn expand(&self, raw: &str) -> String {
        let mut out = WrittenOut::default();
        for (plain, chip) in self.pieces(raw) {
            out.push_text(plain);
            match chip {
                Some(Content::Paste(text)) => out.push_text(text),
                Some(Content::File { path, .. }) => out.push_mention(path),
                None => {}
            }
        }
        out.finish()
    }

    /// `raw` as it is sent. `typed`: typed text that names files, by byte range in `raw`, in order.
    pub fn draft(&self, raw: &str, typed: Vec<(Range<usize>, Typed)>) -> Draft {
        let mut draft = Draft::default();
        let mut from = 0;
        for (range, typed) in typed {
            self.push_expanded(&mut draft, &raw[from..range.start]);
            draft.parts.push(match typed {
                Typed::Mention(names) => DraftPart::Typed {
                    text: raw[range.clone()].to_owned(),
                    names,
                },
                Typed::MaybeFiles(paths) => DraftPart::MaybeFiles {
                    text: self.expand(&raw[range.clone()]),
                    paths,
                },
            });
            from = range.end;
        }
        self.push_expanded(&mut draft, &raw[from..]);
        draft
    }

    fn push_expanded(&self, draft: &mut Draft, raw: &str) {
        for (plain, chip) in self.pieces(raw) {
            draft.push_text(plain);
            match chip {
                Some(Content::Paste(text)) => draft.push_text(text),
                Some(Content::File { path, seen }) => draft.parts.push(DraftPart::Mention {
                    path: path.into(),
                    seen: *seen,
                }),
                None => {}
            }
        }
    }

    /// Pieces of plain text, each with what the chip behind it stands for.
    fn pieces<'a>(&'a self, raw: &'a str) -> impl Iterator<Item = (&'a str, Option<&'a Content>)> {
        raw.split_inclusive(is_placeholder).map(|piece| {
            let last = piece.char_indices().next_back();
            match last.and_then(|(at, c)| Some((at, self.get(c)?))) {
                Some((at, chip)) => (&piece[..at], Some(&chip.content)),
                None => (piece, None),
            }
        })
    }
}

impl Draft {
    fn push_text(&mut self, more: &str) {
        if more.is_empty() {
            return;
        }
        match self.parts.last_mut() {
            Some(DraftPart::Text(text)) => text.push_str(more),
            _ => self.parts.push(DraftPart::Text(more.to_owned())),
        }
    }
}

/// `[image: shot.png 1280x720 84 KiB]`; for a file that cannot be sent as what it is, the reason.
fn label(path: &str, seen: &SeenFile, caps: Option<PromptCaps>) -> SafeText {
    let name = path.rsplit('/').next().unwrap_or(path);
    let size = bytes(seen.size);
    let pixels = seen
        .pixels
        .map(|(width, height)| format!("{width}x{height} "));
    let pixels = pixels.unwrap_or_default();
    SafeText::line(&match seen.way(caps) {
        Way::Image => format!("[image: {name} {pixels}{size}]"),
        Way::Audio => format!("[audio: {name} {size}]"),
        Way::Link(why) => format!("[link: {name} {size}, {why}]"),
        Way::File => format!("@{path}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_is_by_lines_or_by_characters() {
        assert!(!is_long(&"x\n".repeat(8)));
        assert!(is_long(&"x\n".repeat(9)));
        assert!(!is_long(&"日".repeat(1_000)));
        assert!(is_long(&"日".repeat(1_001)));
    }

    #[test]
    fn chips_are_bounded_and_forgotten_when_unused() {
        let mut chips = Chips::default();
        let first = chips.add(Chip::mention("a".into())).expect("room");
        for _ in 1..MAX_CHIPS {
            chips.add(Chip::mention("b".into())).expect("room");
        }
        assert_eq!(chips.add(Chip::mention("c".into())), None);
        chips.retain_in([first.to_string().as_str()]);
        assert_eq!(chips.get(first).map(Chip::label), Some("@a"));
        assert!(chips.add(Chip::mention("c".into())).is_some());
    }
}
