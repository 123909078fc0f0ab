//! The composer by its keys, and as a picture.

use std::{sync::Arc, time::Duration};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use proptest::prelude::*;
use ratatui::{
    buffer::{Buffer as Screen, CellWidth},
    layout::Rect,
    style::Modifier,
};

use super::*;
use crate::{
    text::SafeText,
    ui::{
        DraftPart,
        render::RenderContext,
        theme::{Background, Colours, Symbols, Theme},
    },
};

mod attached;
mod drawing;
mod editing;
mod popups;
mod property;
mod vim;

/// A file of which nothing is known.
fn mention(path: &str) -> DraftPart {
    DraftPart::Mention {
        path: path.into(),
        seen: None,
    }
}

/// A composer with what is around it.
struct Desk {
    composer: Composer,
    own: &'static [OwnCommand],
    commands: Vec<SlashCommand>,
    now: Instant,
    sent: Vec<Draft>,
}

impl Desk {
    fn new() -> Self {
        Self {
            composer: Composer::new(Offload::immediate()),
            own: &[],
            commands: Vec::new(),
            now: Instant::now(),
            sent: Vec::new(),
        }
    }

    fn with(text: &str) -> Self {
        let mut desk = Self::new();
        desk.composer.set_text(text);
        desk
    }

    /// As the root does: vim's modes, popup, keymap (enter alone), editing keys.
    fn press(&mut self, key: KeyEvent) {
        let sources = Sources {
            own: self.own,
            prompts: &[],
            commands: &self.commands,
            now: self.now,
        };
        let ModalKey::Pass(key) = self.composer.modal_key(key) else {
            return;
        };
        let outcome = self.composer.popup_key(key, &sources);
        let enter = key.code == KeyCode::Enter && key.modifiers.is_empty();
        match outcome {
            PopupOutcome::Consumed => {}
            PopupOutcome::Submit => self.submit(),
            PopupOutcome::Ignored if enter => self.submit(),
            PopupOutcome::Ignored => {
                self.composer.edit_key(key, &sources);
            }
        }
    }

    fn submit(&mut self) {
        if let Some(draft) = self.composer.submit() {
            self.composer.push_history(&draft.text());
            self.sent.push(draft);
        }
    }

    /// Keys one by one: characters, and `<c-w>`, `<a-b>`, `<s-enter>`, `<left>`, …
    fn keys(&mut self, keys: &str) -> &mut Self {
        for key in parse_keys(keys) {
            self.press(key);
        }
        self
    }

    /// Keys that were read together.
    fn batch(&mut self, keys: &str) -> &mut Self {
        let keys = parse_keys(keys);
        let mut rest = keys.as_slice();
        while let Some(key) = rest.first() {
            let sources = Sources {
                own: self.own,
                prompts: &[],
                commands: &self.commands,
                now: self.now,
            };
            match self.composer.take_burst(rest, &sources) {
                0 => {
                    self.press(*key);
                    rest = &rest[1..];
                }
                taken => rest = &rest[taken..],
            }
        }
        self
    }

    fn later(&mut self, time: Duration) -> &mut Self {
        self.now += time;
        self
    }

    fn paste(&mut self, text: &str) -> &mut Self {
        self.composer.insert_paste(text);
        self
    }

    fn files(&mut self, paths: &[&str]) -> &mut Self {
        let paths: Arc<[String]> = paths.iter().map(ToString::to_string).collect();
        self.composer.set_files(paths);
        self
    }

    fn command(&mut self, name: &str, hint: Option<&str>) -> &mut Self {
        self.commands.push(SlashCommand {
            name: SafeText::new(name),
            description: SafeText::new(&format!("what {name} does")),
            hint: hint.map(SafeText::new),
        });
        self
    }

    /// Text with chips by their labels and `|` at the caret.
    /// The open popup, drawn.
    fn popup(&mut self) -> String {
        let stage = crate::ui::render::testing::Stage::dark();
        let area = Rect::new(0, 0, 40, self.composer.popup_height(20));
        let mut screen = Screen::empty(area);
        self.composer.draw_popup(area, &mut screen, &stage.ctx(40));
        crate::ui::testing::text(&screen)
    }

    fn shown(&self) -> String {
        let buffer = &self.composer.buffer;
        let caret = buffer.caret();
        let mut lines = buffer.lines().to_vec();
        lines[caret.line].insert(caret.byte, '|');
        let label = |c: char| match self.composer.chips.get(c) {
            Some(chip) => chip.label().to_owned(),
            None => c.to_string(),
        };
        lines.join("\n").chars().map(label).collect()
    }

    /// Composer and popup as the root lays them out, popup above; with the cursor's place.
    fn draw(&mut self, width: u16, max: u16) -> (Screen, Position) {
        let (theme, symbols) = (
            Theme::palette(Background::Unknown, Colours::Indexed),
            Symbols::UNICODE,
        );
        let offload = Offload::immediate();
        let ctx = RenderContext {
            theme: &theme,
            symbols: &symbols,
            offload: &offload,
            width,
            measure: crate::ui::render::MEASURE,
            indent: 0,
            pictures: crate::picture::Canvas::NONE,
            now: self.now,
        };
        let sources = Sources {
            own: self.own,
            prompts: &[],
            commands: &self.commands,
            now: self.now,
        };
        let popup = self.composer.popup_height(12);
        let height = self.composer.height(width, max);
        let area = Rect::new(0, 0, width, popup + height);
        let mut screen = Screen::empty(area);
        let below = Rect::new(0, popup, width, height);
        let placeholder = "message OpenCode · / commands · @ files · ? help";
        self.composer
            .draw(below, &mut screen, &ctx, &sources, placeholder);
        let above = Rect::new(0, 0, width, popup);
        self.composer.draw_popup(above, &mut screen, &ctx);
        let cursor = self.composer.cursor().expect("drawn");
        (screen, cursor)
    }

    /// The screen as text, the cursor marked by `▏` before its cell; what is dim in `⟨⟩`.
    fn picture(&mut self, width: u16, max: u16) -> String {
        let (screen, cursor) = self.draw(width, max);
        let mut out = String::new();
        for y in 0..screen.area.height {
            let mut row = String::new();
            let mut hidden = 0;
            let mut dim = false;
            for x in 0..screen.area.width {
                if (x, y) == (cursor.x, cursor.y) {
                    row.push('▏');
                }
                let cell = &screen[(x, y)];
                if hidden > 0 {
                    hidden -= 1;
                    continue;
                }
                let now_dim = cell.modifier.contains(Modifier::DIM) && cell.symbol() != " ";
                let blank = cell.symbol() == " ";
                if now_dim != dim && !(blank && dim) {
                    row.push(if now_dim { '⟨' } else { '⟩' });
                    dim = now_dim;
                }
                row.push_str(cell.symbol());
                hidden = cell.cell_width().saturating_sub(1);
            }
            let row = row.trim_end();
            out.push_str(row);
            if dim {
                out.push('⟩');
            }
            out.push('\n');
        }
        out
    }
}

fn parse_keys(keys: &str) -> Vec<KeyEvent> {
    let mut out = Vec::new();
    let mut rest = keys;
    while let Some(c) = rest.chars().next() {
        if c == '<'
            && let Some((name, after)) = rest[1..].split_once('>')
        {
            out.push(named_key(name));
            rest = after;
        } else {
            out.push(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE));
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}

fn named_key(name: &str) -> KeyEvent {
    let mut modifiers = KeyModifiers::NONE;
    let mut name = name;
    while let Some((modifier, rest)) = name.split_once('-').filter(|(_, rest)| !rest.is_empty()) {
        modifiers |= match modifier {
            "c" => KeyModifiers::CONTROL,
            "a" => KeyModifiers::ALT,
            "s" => KeyModifiers::SHIFT,
            other => panic!("no modifier {other}"),
        };
        name = rest;
    }
    let code = match name {
        "enter" => KeyCode::Enter,
        "tab" => KeyCode::Tab,
        "esc" => KeyCode::Esc,
        "bs" => KeyCode::Backspace,
        "lt" => KeyCode::Char('<'),
        "del" => KeyCode::Delete,
        "left" => KeyCode::Left,
        "right" => KeyCode::Right,
        "up" => KeyCode::Up,
        "down" => KeyCode::Down,
        "home" => KeyCode::Home,
        "end" => KeyCode::End,
        other => KeyCode::Char(other.chars().next().expect("a key")),
    };
    KeyEvent::new(code, modifiers)
}

fn shown_after(keys: &str) -> String {
    Desk::new().keys(keys).shown()
}
