//! A comment while it is written: the composer, at its place in the diff.

use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
    widgets::{Clear, Widget},
};

use super::Subject;
use crate::ui::{
    composer::{Composer, Sources},
    render::RenderContext,
};

/// What is to be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wanted {
    pub about: Subject,
    /// The content of the file that it is about.
    pub content: u64,
    /// The comment that it changes, and its text.
    pub known: Option<(u64, String)>,
}

impl Wanted {
    /// The comment that gets another text.
    pub fn edits(&self) -> Option<u64> {
        self.known.as_ref().map(|(id, _)| *id)
    }
}

pub struct Writing {
    pub wanted: Wanted,
    composer: Composer,
    begun: Instant,
}

/// What a key did.
pub enum Wrote {
    Stays,
    Left,
    Kept(String),
}

impl Writing {
    pub fn new(wanted: Wanted, mut composer: Composer, now: Instant) -> Self {
        if let Some((_, text)) = &wanted.known {
            composer.set_text(text);
        }
        Self {
            wanted,
            composer,
            begun: now,
        }
    }

    fn sources(&self) -> Sources<'static> {
        Sources {
            own: &[],
            prompts: &[],
            commands: &[],
            now: self.begun,
        }
    }

    pub fn key(&mut self, key: KeyEvent) -> Wrote {
        if key.kind == KeyEventKind::Release {
            return Wrote::Stays;
        }
        let ctrl_c = key.code == KeyCode::Char('c') && key.modifiers == KeyModifiers::CONTROL;
        match key.code {
            // In vim's insert mode it leads to the normal one first.
            KeyCode::Esc if self.composer.leaves_by_esc() => return Wrote::Left,
            KeyCode::Char('c') if ctrl_c => return Wrote::Left,
            KeyCode::Enter if key.modifiers.is_empty() => {
                let text = self.composer.draft_text();
                if text.trim().is_empty() {
                    return Wrote::Kept(String::new());
                }
                // A backslash before the caret makes it a new line.
                return match self.composer.submit() {
                    None => Wrote::Stays,
                    Some(draft) => {
                        self.composer.set_text(&text);
                        Wrote::Kept(draft.written())
                    }
                };
            }
            _ => {}
        }
        let sources = self.sources();
        self.composer.edit_key(key, &sources);
        self.forget_wishes();
        Wrote::Stays
    }

    /// Keys that were read together: how many of them were taken as a paste, see [`Composer::take_burst`].
    pub fn take_burst(&mut self, keys: &[KeyEvent], now: Instant) -> usize {
        let sources = Sources {
            now,
            ..self.sources()
        };
        let taken = self.composer.take_burst(keys, &sources);
        self.forget_wishes();
        taken
    }

    /// What is written so far.
    pub fn text(&self) -> String {
        self.composer.draft_text()
    }

    pub fn paste(&mut self, text: &str) {
        self.composer.insert_paste(text);
        self.forget_wishes();
    }

    /// No files are listed for a comment.
    fn forget_wishes(&mut self) {
        drop(self.composer.commands_wanted());
    }

    /// Its keys.
    pub fn hints(&self) -> Vec<(&'static str, &'static str)> {
        let kept = match self.wanted.known.is_some() {
            true => "keep; emptied: remove",
            false => "keep",
        };
        vec![
            ("enter", kept),
            ("alt-enter", "new line"),
            ("esc", "cancel"),
        ]
    }

    pub fn height(&mut self, width: u16, most: u16) -> u16 {
        self.composer.height(width.saturating_sub(INDENT), most)
    }

    /// Draws it; returns where the caret is.
    pub fn draw(
        &mut self,
        area: Rect,
        buf: &mut Buffer,
        ctx: &RenderContext<'_>,
    ) -> Option<Position> {
        if area.is_empty() {
            return None;
        }
        Clear.render(area, buf);
        for y in area.top()..area.bottom() {
            let x = area.x + BAR.min(area.width);
            let room = usize::from(area.right().saturating_sub(x)).min(1);
            buf.set_stringn(x, y, ctx.symbols.quote, room, ctx.theme.accent);
        }
        let inner = Rect {
            x: area.x + INDENT.min(area.width),
            width: area.width.saturating_sub(INDENT),
            ..area
        };
        let placeholder = format!("what you have to say of {}", self.wanted.about.lines());
        let sources = self.sources();
        self.composer.draw(inner, buf, ctx, &sources, &placeholder);
        self.composer.cursor()
    }
}

/// Cells before the bar at the left, as a comment has them, and before the text.
const BAR: u16 = 2;
const INDENT: u16 = 4;
