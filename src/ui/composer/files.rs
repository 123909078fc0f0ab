//! Files in the draft: chips that say what they are and how they will be sent.
//!
//! What a file is must be looked up on disk, which others do; the answer comes a moment later.
//! Until then its text can be edited or sent like any other; it becomes a chip where it is still
//! unchanged.

use std::{ops::Range, path::PathBuf};

use super::{
    Composer,
    buffer::{Caret, EditKind, clean},
    chips::{Chip, Typed},
    written,
};
use crate::{
    model::{PromptCaps, SeenFile, are_media},
    ui::{LookedAt, UiCommand},
};

/// Text that waits for an answer from the disk.
#[derive(Debug)]
pub struct Waiting {
    text: String,
    paths: Vec<PathBuf>,
    /// From a mention, which may name any file. Else only pictures and sounds count.
    mention: bool,
}

/// More than a person works with at once; the oldest stays text.
const MAX_WAITING: usize = 128;

impl Composer {
    /// Sets the agent's prompt capabilities, once known; chips say how their files will be sent.
    pub fn set_caps(&mut self, caps: Option<PromptCaps>) {
        if self.caps != caps {
            self.caps = caps;
            self.chips.relabel(caps);
            self.buffer.touch();
        }
    }

    /// Puts a file in at the caret, as from the clipboard.
    pub fn insert_file(&mut self, path: String, seen: SeenFile) {
        let caret = self.buffer.caret();
        let chip = self.chip_for(Chip::file(path, seen, self.caps));
        let (before, behind) = (self.blank_behind(caret), self.blank_before(caret));
        let raw = format!("{before}{chip}{behind}");
        self.edit(caret..caret, &raw, EditKind::Other);
    }

    /// What was found where [`UiCommand::LookAt`] asked to look.
    pub fn set_looked(&mut self, looked: &[LookedAt]) {
        let seen = |path: &PathBuf| {
            let found = looked.iter().find(|(at, _)| at == path);
            found.map(|(_, seen)| *seen)
        };
        if self.chips.set_seen(looked, self.caps) {
            self.buffer.touch();
        }
        let (answered, waiting) = std::mem::take(&mut self.waiting)
            .into_iter()
            .partition::<Vec<_>, _>(|waiting| {
                waiting.paths.iter().all(|path| seen(path).is_some())
            });
        self.waiting = waiting;
        for Waiting {
            text,
            paths,
            mention,
        } in answered
        {
            let found: Vec<_> = paths.iter().map(|path| seen(path).flatten()).collect();
            // A mention of a file in the project may stay text: it is resolved when it is sent.
            let all = found.iter().all(Option::is_some);
            if !(are_media(&found) || mention && all && paths.iter().all(|p| p.is_absolute())) {
                continue;
            }
            let Some(range) = self.find(&text, mention) else {
                continue;
            };
            let chips: Vec<String> = paths
                .iter()
                .zip(found)
                .filter_map(|(path, seen)| {
                    let chip = Chip::file(path.to_string_lossy().into_owned(), seen?, self.caps);
                    Some(self.chip_for(chip).to_string())
                })
                .collect();
            // Making room for a chip may have moved the text.
            if self.find(&text, mention) == Some(range.clone()) {
                let mut raw = chips.join(" ");
                if !mention {
                    // Dropped next to other text: blanks keep it apart.
                    raw.insert_str(0, self.blank_behind(range.start));
                    if range.end.byte < self.buffer.line(range.end.line).len() {
                        raw.push_str(self.blank_before(range.end));
                    }
                }
                self.replace_keeping_caret(range, &raw);
            }
        }
    }

    /// A paste was inserted as `raw`: if it is a file's path, asks whether that is a picture.
    pub(super) fn look_at_dropped(&mut self, pasted: &str, raw: String) {
        if let Some(paths) = written::dropped(&clean(pasted)) {
            self.look_at(raw.trim().to_owned(), paths, false);
        }
    }

    /// The mentions in text that was written earlier.
    pub(super) fn look_at_mentioned(&mut self, raw: &str) {
        for (range, path) in written::mentioned(raw) {
            self.look_at(raw[range].to_owned(), vec![path], true);
        }
    }

    /// What is written like mentions in this text is none, as long as the draft is not sent.
    pub(super) fn forget_mentions(&mut self, raw: &str) {
        if self.buffer.is_empty() {
            self.not_named.clear();
        }
        let written = written::typed(raw).into_iter();
        let written = written.filter_map(|(range, _)| raw.get(range));
        self.not_named.extend(written.map(str::to_owned));
    }

    /// Asks about the file of a new chip.
    pub(super) fn look_at_chip(&mut self, path: &str) {
        if !path.ends_with('/') {
            self.wanted.push(UiCommand::LookAt(vec![path.into()]));
        }
    }

    fn look_at(&mut self, text: String, paths: Vec<PathBuf>, mention: bool) {
        if self.waiting.len() == MAX_WAITING {
            self.waiting.remove(0);
        }
        self.wanted.push(UiCommand::LookAt(paths.clone()));
        self.waiting.push(Waiting {
            text,
            paths,
            mention,
        });
    }

    /// Where the draft's text names files, in order.
    pub(super) fn typed_files(&self, raw: &str) -> Vec<(Range<usize>, Typed)> {
        let is_named = |(range, _): &(Range<usize>, _)| {
            let written = raw.get(range.clone());
            written.is_some_and(|written| !self.not_named.iter().any(|not| not == written))
        };
        let mut found: Vec<_> = written::typed(raw)
            .into_iter()
            .filter(is_named)
            .map(|(range, names)| (range, Typed::Mention(names)))
            .collect();
        let dropped = self.waiting.iter().filter(|waiting| !waiting.mention);
        let dropped = dropped.filter_map(|waiting| {
            let at = raw.find(&waiting.text)?;
            Some((at..at + waiting.text.len(), waiting.paths.clone()))
        });
        for (range, paths) in dropped {
            let apart = |(other, _): &(Range<usize>, _)| {
                other.end <= range.start || range.end <= other.start
            };
            if found.iter().all(apart) {
                found.push((range, Typed::MaybeFiles(paths)));
            }
        }
        found.sort_by_key(|(range, _)| range.start);
        found
    }

    /// The file of the chip at the caret; else of the only one there is.
    pub(super) fn file_at_caret(&self) -> Option<&str> {
        let caret = self.buffer.caret();
        let at = |at: Caret| {
            let c = self.buffer.line(at.line)[at.byte..].chars().next()?;
            self.chips.get(c)?.path()
        };
        at(self.buffer.left_of(caret)).or_else(|| at(caret))
    }

    /// Where `text` first occurs in the draft; a mention counts only as a whole.
    fn find(&self, text: &str, mention: bool) -> Option<Range<Caret>> {
        let whole = self.buffer.text();
        let at = if mention {
            let mut mentioned = written::mentioned(&whole).into_iter();
            mentioned
                .find(|(range, _)| whole[range.clone()] == *text)?
                .0
                .start
        } else {
            whole.find(text).filter(|_| !text.is_empty())?
        };
        let place = |byte: usize| {
            let before = &whole[..byte];
            Caret {
                line: before.matches('\n').count(),
                byte: byte - before.rfind('\n').map_or(0, |at| at + 1),
            }
        };
        Some(place(at)..place(at + text.len()))
    }

    /// Replaces a part of the draft; the caret stays where it is in the text.
    fn replace_keeping_caret(&mut self, range: Range<Caret>, raw: &str) {
        let caret = self.buffer.caret();
        let recalled = self.recalled == Some((self.buffer.rev(), caret));
        self.edit(range.clone(), raw, EditKind::Other);
        let end = self.buffer.caret();
        if caret >= range.end {
            self.buffer.set_caret(Caret {
                line: caret.line - range.end.line + end.line,
                byte: if caret.line == range.end.line {
                    end.byte + caret.byte - range.end.byte
                } else {
                    caret.byte
                },
            });
        } else if caret <= range.start {
            self.buffer.set_caret(caret);
        }
        if recalled {
            // It is still the prompt that history inserted.
            self.recalled = Some((self.buffer.rev(), self.buffer.caret()));
        }
    }
}
