//! A theme from a table of colours.

use std::hash::{DefaultHasher, Hash, Hasher};

use ratatui::{
    buffer::Buffer,
    style::{Color, Modifier, Style},
};

use crate::config::themes::{Rgb, Role, ThemeColours};

use super::{
    Background, Colours, Theme, ThemeId,
    degrade::{of_index, to_index, to_index_among, to_sixteen},
};

/// Contrast that text needs (WCAG 2, AA).
const READABLE: f32 = 4.5;

impl Theme {
    /// The theme of these colours on a terminal with that background. Modifiers, and what cannot be
    /// shown in the terminal's colours, are those of the palette's theme.
    pub fn named(colours: &ThemeColours, depth: Colours, terminal: Background) -> Self {
        let kind = Background::of(colours.background);
        let mut theme = Self::palette(kind, depth);
        let other_kind = terminal != Background::Unknown && terminal != kind;
        let paints = matches!(depth, Colours::Indexed | Colours::True)
            && colours.paint_background.unwrap_or(other_kind);
        theme.id = id(colours, depth, paints);
        if depth == Colours::None {
            return theme;
        }
        let shown = Shown { colours, depth };
        theme.set_text(&shown);
        theme.set_code(&shown);
        theme.set_backgrounds(&shown);
        if let Some(text) = shown.text(Role::Text) {
            theme.base = theme.base.fg(text);
        }
        if paints {
            theme.base = theme.base.bg(shown.any(colours.background));
        }
        theme
    }

    /// Whether the terminal's own background is painted over.
    pub fn paints(&self) -> bool {
        self.base.bg.is_some()
    }

    /// Gives the cells their colours that set none themselves.
    pub fn paint(&self, buf: &mut Buffer) {
        if self.base == Style::new() {
            return;
        }
        let (text, back) = (self.base.fg, self.base.bg);
        for cell in &mut buf.content {
            if let (Some(text), Color::Reset) = (text, cell.fg) {
                cell.fg = text;
            }
            if let (Some(back), Color::Reset) = (back, cell.bg) {
                cell.bg = back;
            }
        }
    }

    fn set_text(&mut self, shown: &Shown<'_>) {
        let markdown = &mut self.markdown;
        let [h1, h2, h3, ..] = &mut markdown.heading;
        for (style, role) in [
            (&mut self.text, Role::Text),
            (&mut self.dim, Role::Dim),
            (&mut self.accent, Role::Accent),
            (&mut self.border, Role::Border),
            (&mut self.border_focus, Role::BorderFocus),
            (&mut self.user, Role::User),
            (&mut self.thought, Role::Thought),
            (&mut self.success, Role::Success),
            (&mut self.warning, Role::Warning),
            (&mut self.error, Role::Error),
            (&mut self.key_hint, Role::KeyHint),
            (&mut self.ghost, Role::Ghost),
            (&mut self.shell, Role::Shell),
            (&mut self.steered, Role::Steered),
            (h1, Role::Heading),
            (h2, Role::Heading),
            (h3, Role::Heading),
            (&mut markdown.code, Role::Code),
            (&mut markdown.link, Role::Link),
            (&mut markdown.quote, Role::Quote),
            (&mut markdown.bullet, Role::Bullet),
            (&mut markdown.rule, Role::Border),
            (&mut markdown.table_border, Role::Border),
            (&mut self.diff.line_number, Role::LineNumber),
            (&mut self.diff.hunk, Role::Hunk),
        ] {
            shown.set(style, role);
        }
    }

    fn set_code(&mut self, shown: &Shown<'_>) {
        let syntax = &mut self.syntax;
        for (style, role) in [
            (&mut syntax.comment, Role::Comment),
            (&mut syntax.string, Role::String),
            (&mut syntax.number, Role::Number),
            (&mut syntax.keyword, Role::Keyword),
            (&mut syntax.function, Role::Function),
            (&mut syntax.type_name, Role::Type),
            (&mut syntax.constant, Role::Constant),
            (&mut syntax.tag, Role::Tag),
            (&mut syntax.punctuation, Role::Punctuation),
            (&mut syntax.plain, Role::Text),
        ] {
            shown.set(style, role);
        }
    }

    fn set_backgrounds(&mut self, shown: &Shown<'_>) {
        for (style, role) in [
            (&mut self.selected, Role::Selected),
            (&mut self.band, Role::Band),
            (&mut self.selection, Role::Selection),
            (&mut self.found, Role::Found),
        ] {
            if let Some(back) = shown.back(role) {
                *style = Style::new().bg(back);
            }
        }
        if let Some(current) = shown.current() {
            self.found_current = current;
        }
        let plain = Style::new();
        let diff = &mut self.diff;
        if shown.depth == Colours::Indexed {
            // Where no two backgrounds can be told apart, signs and words show what changed.
            (diff.added, diff.removed) = (plain, plain);
            (diff.added_gutter, diff.removed_gutter) = (plain, plain);
            let word = plain.add_modifier(Modifier::BOLD | Modifier::UNDERLINED);
            (diff.added_word, diff.removed_word) = (word, word);
            shown.set(&mut diff.added_word, Role::Added);
            shown.set(&mut diff.removed_word, Role::Removed);
        }
        shown.set(&mut diff.added_gutter, Role::Added);
        shown.set(&mut diff.removed_gutter, Role::Removed);
        let lines = shown.two(Role::AddedLine, Role::RemovedLine);
        let gutters = shown.two(Role::AddedGutter, Role::RemovedGutter);
        if let (Some(lines), Some(gutters)) = (lines, gutters) {
            (diff.added, diff.removed) = (plain.bg(lines.0), plain.bg(lines.1));
            diff.added_gutter = diff.added_gutter.bg(gutters.0);
            diff.removed_gutter = diff.removed_gutter.bg(gutters.1);
        }
        if let Some(words) = shown.two(Role::AddedWord, Role::RemovedWord) {
            (diff.added_word, diff.removed_word) = (plain.bg(words.0), plain.bg(words.1));
        }
    }
}

/// The same colours always have the same id, which none of the palette's themes has.
fn id(colours: &ThemeColours, depth: Colours, paints: bool) -> ThemeId {
    const NAMED: ThemeId = 1 << 63;
    let mut hasher = DefaultHasher::new();
    (colours, depth as u8, paints).hash(&mut hasher);
    hasher.finish() | NAMED
}

/// A theme's colours as the terminal can show them.
struct Shown<'a> {
    colours: &'a ThemeColours,
    depth: Colours,
}

impl Shown<'_> {
    /// One of more than sixteen.
    fn any(&self, colour: Rgb) -> Color {
        match self.depth {
            Colours::True => {
                let [r, g, b] = colour.0;
                Color::Rgb(r, g, b)
            }
            _ => Color::Indexed(to_index(colour)),
        }
    }

    fn text(&self, role: Role) -> Option<Color> {
        let colour = self.colours.of(role);
        match self.depth {
            Colours::None => None,
            Colours::Sixteen => to_sixteen(colour, self.colours.background.is_dark()),
            Colours::Indexed => Some(Color::Indexed(self.text_index(role))),
            Colours::True => Some(self.any(colour)),
        }
    }

    /// The entry of the palette that looks most like a text's colour among those that can be read as well
    /// as it, or well enough, on the theme's background and on what that becomes.
    fn text_index(&self, role: Role) -> u8 {
        let (colour, background) = (self.colours.of(role), self.colours.background);
        let least = colour.contrast(background).min(READABLE);
        let backs = [background, of_index(to_index(background))];
        let fits = |index| {
            let mut backs = backs.iter();
            backs.all(|back| of_index(index).contrast(*back) >= least)
        };
        to_index_among(colour, fits).unwrap_or_else(|| to_index(colour))
    }

    fn set(&self, style: &mut Style, role: Role) {
        if let Some(colour) = self.text(role) {
            *style = style.fg(colour);
        }
    }

    /// A background that text can be read on, and that can be told from the theme's own.
    fn back(&self, role: Role) -> Option<Color> {
        let colour = self.colours.of(role);
        match self.depth {
            Colours::None | Colours::Sixteen => None,
            Colours::True => Some(self.any(colour)),
            Colours::Indexed => {
                let text = of_index(self.text_index(Role::Text));
                let own = to_index(self.colours.background);
                let fits = |index| index != own && text.contrast(of_index(index)) >= READABLE;
                to_index_among(colour, fits).map(Color::Indexed)
            }
        }
    }

    /// Two backgrounds that can be told apart.
    fn two(&self, one: Role, other: Role) -> Option<(Color, Color)> {
        let both = self.back(one).zip(self.back(other));
        both.filter(|(one, other)| one != other)
    }

    /// The match that find stands on: the theme's text or background, whichever is read better.
    fn current(&self) -> Option<Style> {
        if self.depth == Colours::Sixteen {
            return None;
        }
        let back = self.colours.of(Role::FoundCurrent);
        let (text, background) = (self.colours.of(Role::Text), self.colours.background);
        let text = match text.contrast(back) > background.contrast(back) {
            true => text,
            false => background,
        };
        let mut style = Style::new().fg(self.any(text)).bg(self.any(back));
        if self.depth == Colours::Indexed {
            let shown = of_index(to_index(back));
            let fits = |index| of_index(index).contrast(shown) >= READABLE;
            style.fg = to_index_among(text, fits).map(Color::Indexed).or(style.fg);
        }
        Some(style.add_modifier(Modifier::BOLD))
    }
}
