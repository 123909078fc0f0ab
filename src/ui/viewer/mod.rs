//! Full-screen viewers: a diff, a long text, a terminal, an image.
//!
//! Owns their scrolling, finding and their keys, and what an attached terminal is sent. Opened over
//! everything else by the root, which routes keys here until one closes the view. Must not know
//! where what it shows came from.

mod diff;
pub(in crate::ui) mod find;
mod input;
pub(in crate::ui) mod lines;
mod mouse;
pub(in crate::ui) mod notes;
mod parts;
mod picture;
mod terminal;
mod text;
pub(in crate::ui) mod window;

use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use crate::{
    ui::{
        UiCommand,
        render::{
            RenderContext, draw_rows,
            line::{StyledLine, joined, push_hint, row_width, spread},
            split_bottom, split_top,
        },
        transcript::PlacedPicture,
    },
    vt::Screens,
};

pub use diff::DiffViewer;
pub use picture::PictureViewer;
pub use terminal::TerminalViewer;
pub use text::TextViewer;

use find::{FindKey, Finder};
use window::{Entries, Window};

/// What a key did.
#[derive(Debug)]
pub enum Outcome {
    /// Draw again.
    Stay,
    Close,
    Command(Box<UiCommand>),
}

impl Outcome {
    fn command(command: UiCommand) -> Self {
        Self::Command(Box::new(command))
    }
}

pub enum Viewer {
    Diff(DiffViewer),
    Text(TextViewer),
    Terminal(TerminalViewer),
    Picture(PictureViewer),
}

impl Viewer {
    /// Keys are the viewer's alone while it is open.
    pub fn on_key(&mut self, key: KeyEvent, screens: &Screens) -> Outcome {
        if self.find_key(key) {
            return Outcome::Stay;
        }
        if find::opens(key) && !self.is_attached() {
            self.open_find();
            return Outcome::Stay;
        }
        match self {
            Self::Diff(viewer) => viewer.on_key(key),
            Self::Text(viewer) => viewer.on_key(key),
            Self::Terminal(viewer) => viewer.on_key(key, screens),
            Self::Picture(viewer) => viewer.on_key(key),
        }
    }

    /// Whether a key does something here; all do for a program that has the keyboard.
    pub fn has_key(&self, key: KeyEvent) -> bool {
        match self {
            Self::Diff(viewer) => is_key(key, true) || viewer.has_cursor() && is_comment_key(key),
            Self::Text(_) => is_key(key, false),
            Self::Terminal(_) => true,
            Self::Picture(_) => closes(key),
        }
    }

    /// A program has the keyboard: every key is meant for it. Not while something is looked for.
    pub fn is_attached(&self) -> bool {
        matches!(self, Self::Terminal(viewer) if viewer.is_attached() && !viewer.find.is_open())
    }

    /// Whether letters are text here: a program's, or of the find bar.
    pub fn takes_text(&self) -> bool {
        self.is_attached() || self.find().is_some_and(Finder::is_focused)
    }

    /// An image has no text to look in.
    fn find(&self) -> Option<&Finder> {
        match self {
            Self::Diff(viewer) => Some(&viewer.find),
            Self::Text(viewer) => Some(&viewer.find),
            Self::Terminal(viewer) => Some(&viewer.find),
            Self::Picture(_) => None,
        }
    }

    fn find_mut(&mut self) -> Option<&mut Finder> {
        match self {
            Self::Diff(viewer) => Some(&mut viewer.find),
            Self::Text(viewer) => Some(&mut viewer.find),
            Self::Terminal(viewer) => Some(&mut viewer.find),
            Self::Picture(_) => None,
        }
    }

    /// Opens the find bar.
    pub fn open_find(&mut self) {
        if let Some(find) = self.find_mut() {
            find.open();
        }
    }

    /// Takes a key for an open find bar, before what else a key may mean; whether it was one.
    pub fn find_key(&mut self, key: KeyEvent) -> bool {
        let Some(find) = self.find_mut() else {
            return false;
        };
        let back = match find.key(key) {
            FindKey::Passed => return false,
            FindKey::Taken | FindKey::Closed { back: None } => return true,
            FindKey::Closed { back: Some(back) } => back,
        };
        match self {
            Self::Diff(viewer) => viewer.go_back(back),
            Self::Text(viewer) => viewer.go_back(back),
            Self::Terminal(viewer) => viewer.go_back(back),
            Self::Picture(_) => {}
        }
        true
    }

    /// When a search goes on; `None` without one.
    pub fn deadline(&self, now: Instant) -> Option<Instant> {
        self.find()?.deadline(now)
    }

    /// Pasted text: for the find bar, or the program of an attached terminal.
    pub fn on_paste(&mut self, text: &str, screens: &Screens) -> Outcome {
        if let Some(find) = self.find_mut().filter(|find| find.is_open()) {
            find.paste(text);
            return Outcome::Stay;
        }
        match self {
            Self::Terminal(viewer) => viewer.on_paste(text, screens),
            Self::Diff(_) | Self::Text(_) | Self::Picture(_) => Outcome::Stay,
        }
    }

    /// The mouse over the view, at a place of its area; `rows`: what the wheel turned.
    pub fn on_mouse(
        &mut self,
        mouse: MouseEvent,
        rows: Option<isize>,
        screens: &Screens,
    ) -> Outcome {
        let at = Position::new(mouse.column, mouse.row);
        match (self, rows) {
            (Self::Terminal(viewer), _) => return viewer.on_mouse(mouse, rows, screens),
            (Self::Diff(viewer), None) => match mouse.kind {
                MouseEventKind::Down(MouseButton::Left) => viewer.point(at, false),
                MouseEventKind::Drag(MouseButton::Left) => viewer.point(at, true),
                _ => {}
            },
            (Self::Diff(viewer), Some(rows)) => viewer.move_by(Motion::Rows(rows)),
            (Self::Text(viewer), Some(rows)) => viewer.move_by(Motion::Rows(rows)),
            _ => {}
        }
        Outcome::Stay
    }

    /// Draws over the whole area; returns where the cursor stands if it is to be seen. A command
    /// that drawing made necessary (the terminal's size) is behind [`Viewer::take_command`].
    pub fn draw(
        &mut self,
        area: Rect,
        buf: &mut Buffer,
        screens: &Screens,
        ctx: &RenderContext<'_>,
    ) -> Option<Position> {
        match self {
            Self::Diff(viewer) => viewer.draw(area, buf, ctx),
            Self::Text(viewer) => viewer.draw(area, buf, ctx),
            Self::Terminal(viewer) => viewer.draw(area, buf, screens, ctx),
            Self::Picture(viewer) => {
                viewer.draw(area, buf, ctx);
                None
            }
        }
    }

    /// To be carried out after a frame.
    pub fn take_command(&mut self) -> Option<UiCommand> {
        match self {
            Self::Terminal(viewer) => viewer.take_command(),
            Self::Diff(_) | Self::Text(_) | Self::Picture(_) => None,
        }
    }

    /// Where images stand in what was drawn last.
    pub fn pictures(&self) -> Vec<PlacedPicture> {
        match self {
            Self::Picture(viewer) => viewer.placed().to_vec(),
            _ => Vec::new(),
        }
    }
}

/// Moves that the scrolling views share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::ui) enum Motion {
    Rows(isize),
    /// Screens, less what is kept of the one before.
    Pages(isize),
    HalfPages(isize),
    Home,
    End,
}

/// The keys of pagers.
pub(in crate::ui) fn motion(key: KeyEvent) -> Option<Motion> {
    let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
    Some(match key.code {
        KeyCode::Char('d') if ctrl => Motion::HalfPages(1),
        KeyCode::Char('u') if ctrl => Motion::HalfPages(-1),
        KeyCode::Char('b') if ctrl => Motion::Pages(-1),
        KeyCode::Char(_) if ctrl => return None,
        KeyCode::Down | KeyCode::Char('j') | KeyCode::Enter => Motion::Rows(1),
        KeyCode::Up | KeyCode::Char('k') => Motion::Rows(-1),
        KeyCode::PageDown | KeyCode::Char(' ') => Motion::Pages(1),
        KeyCode::PageUp | KeyCode::Char('b') => Motion::Pages(-1),
        KeyCode::Home | KeyCode::Char('g') => Motion::Home,
        KeyCode::End | KeyCode::Char('G') => Motion::End,
        _ => return None,
    })
}

/// Whether a key does something in a diff's viewer, or in a text's.
fn is_key(key: KeyEvent, of_diff: bool) -> bool {
    closes(key)
        || find::opens(key)
        || motion(key).is_some()
        || of_diff && (goes_to_hunk(key) || matches!(key.code, KeyCode::Char(']' | '[' | 's')))
}

/// Letters that go to a hunk in a diff's viewer.
pub(in crate::ui) const HUNK_KEYS: [char; 5] = ['n', 'J', 'p', 'N', 'K'];

pub(in crate::ui) fn goes_to_hunk(key: KeyEvent) -> bool {
    let plain = (key.modifiers - KeyModifiers::SHIFT).is_empty();
    plain && matches!(key.code, KeyCode::Char(letter) if HUNK_KEYS.contains(&letter))
}

/// Where the lines of a diff can be commented on.
fn is_comment_key(key: KeyEvent) -> bool {
    matches!(key.code, KeyCode::Char('c' | 'v')) && key.modifiers.is_empty()
}

pub(in crate::ui) fn closes(key: KeyEvent) -> bool {
    let ctrl_c = key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL);
    ctrl_c || matches!(key.code, KeyCode::Esc | KeyCode::Char('q'))
}

/// The areas of a viewer: title, body, hints or the find bar. Low screens have no hints.
fn areas(area: Rect, finder: &Finder) -> (Rect, Rect, Rect) {
    let (title, rest) = split_top(area, 1);
    let (body, hints) = split_bottom(rest, u16::from(area.height >= 4 || finder.is_open()));
    (title, body, hints)
}

/// Cells between a title and what stands at its right.
const MIN_RULE: usize = 5;

/// `── title ────── right ──`
pub(in crate::ui) fn draw_title(
    title: &StyledLine,
    right: &str,
    area: Rect,
    buf: &mut Buffer,
    ctx: &RenderContext<'_>,
) {
    let (rule, border) = (ctx.symbols.rule, ctx.theme.border);
    let width = usize::from(area.width);
    let mut right = StyledLine::styled(right, ctx.theme.dim);
    if !right.is_empty() {
        right.push(&format!(" {rule}{rule}"), border);
    }
    let mut left = StyledLine::styled(&format!("{rule}{rule} "), border);
    left.extend(title);
    let room = width.saturating_sub(right.width() + MIN_RULE).max(1);
    let left = left.truncate(room, ctx.symbols.ellipsis);
    let rest = width.saturating_sub(row_width(&left) + right.width() + 2);
    let middle = StyledLine::styled(&format!(" {} ", rule.repeat(rest)), border);
    let row = joined(joined(left, middle.into_row()), right.into_row());
    draw_rows([&row], area, buf);
}

/// `j k scroll · q back`: pairs of keys and what they do.
pub(in crate::ui) fn draw_hints(
    hints: &[(&str, &str)],
    right: &str,
    area: Rect,
    buf: &mut Buffer,
    ctx: &RenderContext<'_>,
) {
    let mut line = StyledLine::new();
    for hint in hints {
        push_hint(&mut line, *hint, ctx.theme.dim, (ctx.theme, ctx.symbols));
    }
    let mut led = StyledLine::blanks(2);
    led.extend(&line);
    let right = StyledLine::styled(right, ctx.theme.dim);
    let row = spread(&led, &right, usize::from(area.width), ctx.symbols.ellipsis);
    draw_rows([&row], area, buf);
}

/// How far down the window is.
fn percent(window: &Window, entries: &impl Entries) -> String {
    if window.at_end() {
        return "end".to_owned();
    }
    let all = entries.len().max(1);
    format!("{}%", window.top() * 100 / all)
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_find;
