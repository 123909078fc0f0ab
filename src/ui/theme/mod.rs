//! Colours and symbols by meaning.
//!
//! Owns: the styles that everything is drawn with, made from the terminal's own palette (`palette`) or
//! from a named theme (`named`), in the colours that the terminal can show (`degrade`). State is never
//! told by colour alone. Themes are read in `config::themes`.

mod degrade;
mod named;
mod palette;
mod symbols;
#[cfg(test)]
mod tests;

use ratatui::style::Style;

use crate::config::themes::Rgb;

pub use symbols::Symbols;

/// What is known of the terminal's background.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Background {
    #[default]
    Unknown,
    Dark,
    Light,
}

impl Background {
    /// What kind a colour is.
    pub fn of(colour: Rgb) -> Self {
        if colour.is_dark() {
            Self::Dark
        } else {
            Self::Light
        }
    }

    /// As `COLORFGBG` tells, which some terminals set: the number of the background's colour stands
    /// last.
    pub fn of_environment(colorfgbg: Option<&str>) -> Self {
        let last = colorfgbg.and_then(|colours| colours.rsplit(';').next());
        match last.and_then(|number| number.trim().parse::<u8>().ok()) {
            Some(0..=6 | 8) => Self::Dark,
            Some(7 | 9..=15) => Self::Light,
            _ => Self::Unknown,
        }
    }
}

/// The colours that the terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colours {
    /// NO_COLOR: modifiers only.
    None,
    /// The first sixteen of the palette.
    Sixteen,
    /// The 256 of the palette.
    Indexed,
    /// Any, for the backgrounds that the palette has only in glaring tones.
    True,
}

impl Colours {
    /// As the environment tells: `NO_COLOR` set to anything, `COLORTERM` and `TERM` as terminals set
    /// them.
    pub fn of_environment(
        no_color: Option<&str>,
        colorterm: Option<&str>,
        term: Option<&str>,
    ) -> Self {
        let term = term.unwrap_or_default();
        match (no_color, colorterm) {
            (Some(value), _) if !value.is_empty() => Self::None,
            (_, Some("truecolor" | "24bit")) => Self::True,
            _ if term.ends_with("-direct") => Self::True,
            _ if FEW_COLOURS.contains(&term) || term.ends_with("-16color") => Self::Sixteen,
            _ => Self::Indexed,
        }
    }
}

/// Terminals with sixteen colours, by `TERM`.
const FEW_COLOURS: [&str; 7] = [
    "linux",
    "ansi",
    "cygwin",
    "vt100",
    "vt220",
    "xterm-color",
    "screen.linux",
];

/// Tells themes apart in caches.
pub type ThemeId = u64;

/// Styles by meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Theme {
    pub id: ThemeId,
    /// What cells get that set no colour themselves.
    pub base: Style,
    pub text: Style,
    /// Secondary: counts, hints, finished thoughts.
    pub dim: Style,
    pub strong: Style,
    /// The client's own colour: prompt sign, selection, headings.
    pub accent: Style,
    pub border: Style,
    /// Border of what waits for the person.
    pub border_focus: Style,
    pub user: Style,
    pub thought: Style,
    pub success: Style,
    pub warning: Style,
    pub error: Style,
    /// The selected row of a list or dialog.
    pub selected: Style,
    pub key_hint: Style,
    /// Quiet background of a whole prompt; none where no quiet one is known.
    pub band: Style,
    /// What find found, and the one of them that it stands on.
    pub found: Style,
    pub found_current: Style,
    /// Text selected with the mouse.
    pub selection: Style,
    /// A suggestion in the composer that nothing was typed of yet.
    pub ghost: Style,
    /// The composer's sign and words while a command for the shell is typed.
    pub shell: Style,
    /// A prompt that was sent into a running turn.
    pub steered: Style,
    pub markdown: MarkdownStyles,
    pub syntax: SyntaxStyles,
    pub diff: DiffStyles,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkdownStyles {
    pub heading: [Style; 6],
    pub emphasis: Style,
    pub strong: Style,
    pub strike: Style,
    pub code: Style,
    pub link: Style,
    pub quote: Style,
    pub bullet: Style,
    pub rule: Style,
    pub table_border: Style,
    pub table_head: Style,
}

/// Of code: by token, from the palette.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxStyles {
    pub comment: Style,
    pub string: Style,
    pub number: Style,
    pub keyword: Style,
    pub function: Style,
    pub type_name: Style,
    pub constant: Style,
    pub tag: Style,
    pub punctuation: Style,
    pub plain: Style,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffStyles {
    pub added: Style,
    pub removed: Style,
    /// Of the sign and the line numbers beside `added` and `removed`.
    pub added_gutter: Style,
    pub removed_gutter: Style,
    /// Laid over `added`/`removed` where words differ.
    pub added_word: Style,
    pub removed_word: Style,
    pub line_number: Style,
    pub hunk: Style,
}
