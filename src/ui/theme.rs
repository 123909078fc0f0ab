//! Colours and symbols by what they mean.
//!
//! Styles use the terminal's own palette, so that dark and light terminals are both readable;
//! backgrounds are added only once it is known which it is. State is never told by colour alone.

use ratatui::style::{Color, Modifier, Style};

/// What is known of the terminal's background.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Background {
    #[default]
    Unknown,
    Dark,
    Light,
}

/// Styles by meaning. `id` tells themes apart in caches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Theme {
    pub id: u8,
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
    /// Laid over `added`/`removed` where words differ.
    pub added_word: Style,
    pub removed_word: Style,
    pub line_number: Style,
    pub hunk: Style,
}

impl Theme {
    /// The palette theme for a background. `colour` is false under NO_COLOR: modifiers only.
    pub fn palette(background: Background, colour: bool) -> Self {
        let plain = Style::new();
        let fg = |c: Color| if colour { plain.fg(c) } else { plain };
        let dim = plain.add_modifier(Modifier::DIM);
        let strong = plain.add_modifier(Modifier::BOLD);
        let italic = plain.add_modifier(Modifier::ITALIC);
        let underline = plain.add_modifier(Modifier::UNDERLINED);
        let reversed = plain.add_modifier(Modifier::REVERSED);
        let accent = fg(Color::Cyan);
        let (added, removed, added_word, removed_word) = match (colour, background) {
            (false, _) => (strong, dim, strong.patch(underline), dim.patch(underline)),
            (true, Background::Unknown) => (
                fg(Color::Green),
                fg(Color::Red),
                fg(Color::Green).patch(reversed),
                fg(Color::Red).patch(reversed),
            ),
            (true, Background::Dark) => (
                plain.bg(Color::Indexed(22)),
                plain.bg(Color::Indexed(52)),
                plain.bg(Color::Indexed(28)).patch(strong),
                plain.bg(Color::Indexed(88)).patch(strong),
            ),
            (true, Background::Light) => (
                plain.bg(Color::Indexed(194)),
                plain.bg(Color::Indexed(224)),
                plain.bg(Color::Indexed(157)).patch(strong),
                plain.bg(Color::Indexed(217)).patch(strong),
            ),
        };
        let selected = match (colour, background) {
            (true, Background::Dark) => plain.bg(Color::Indexed(237)),
            (true, Background::Light) => plain.bg(Color::Indexed(253)),
            _ => reversed,
        };
        Self {
            id: match background {
                Background::Unknown => 0,
                Background::Dark => 1,
                Background::Light => 2,
            } + if colour { 0 } else { 3 },
            text: plain,
            dim,
            strong,
            accent,
            border: dim,
            border_focus: fg(Color::Yellow),
            user: fg(Color::Blue),
            thought: dim.patch(italic),
            success: fg(Color::Green),
            warning: fg(Color::Yellow),
            error: fg(Color::Red),
            selected,
            key_hint: accent,
            markdown: MarkdownStyles {
                heading: [
                    accent.patch(strong).patch(underline),
                    accent.patch(strong),
                    accent.patch(strong),
                    strong,
                    strong,
                    italic,
                ],
                emphasis: italic,
                strong,
                strike: plain.add_modifier(Modifier::CROSSED_OUT),
                code: fg(Color::Magenta),
                link: fg(Color::Blue).patch(underline),
                quote: dim.patch(italic),
                bullet: accent,
                rule: dim,
                table_border: dim,
                table_head: strong,
            },
            syntax: SyntaxStyles {
                comment: dim.patch(italic),
                string: fg(Color::Green),
                number: fg(Color::Cyan),
                keyword: fg(Color::Magenta),
                function: fg(Color::Blue),
                type_name: fg(Color::Yellow),
                constant: fg(Color::Cyan),
                tag: fg(Color::Red),
                punctuation: plain,
                plain,
            },
            diff: DiffStyles {
                added,
                removed,
                added_word,
                removed_word,
                line_number: dim,
                hunk: fg(Color::Cyan).patch(dim),
            },
        }
    }
}

/// Every sign the UI draws of its own. All narrow in every locale: none of ambiguous width that
/// East Asian terminals draw wide where it would matter; `ascii` replaces them all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbols {
    pub ascii: bool,
    pub prompt: &'static str,
    pub pending: &'static str,
    pub done: &'static str,
    pub failed: &'static str,
    pub cancelled: &'static str,
    pub ended: &'static str,
    pub asking: &'static str,
    pub folded: &'static str,
    pub unfolded: &'static str,
    pub bullet: &'static str,
    /// Of lists inside lists.
    pub bullet_inner: &'static str,
    pub unchecked: &'static str,
    pub checked: &'static str,
    /// Between the columns of a table, and where that crosses a rule.
    pub column: &'static str,
    pub crossing: &'static str,
    pub quote: &'static str,
    pub rule: &'static str,
    pub more: &'static str,
    pub minus: &'static str,
    pub ellipsis: &'static str,
    pub separator: &'static str,
    pub spinner: &'static [&'static str],
}

impl Symbols {
    pub const UNICODE: Self = Self {
        ascii: false,
        prompt: "❯",
        pending: "◌",
        done: "✓",
        failed: "✗",
        cancelled: "⊘",
        ended: "◦",
        asking: "?",
        folded: "▸",
        unfolded: "▾",
        bullet: "•",
        bullet_inner: "◦",
        unchecked: "☐",
        checked: "☑",
        column: "│",
        crossing: "┼",
        quote: "▎",
        rule: "─",
        more: "↓",
        minus: "−",
        ellipsis: "…",
        separator: "·",
        spinner: &["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"],
    };

    pub const ASCII: Self = Self {
        ascii: true,
        prompt: ">",
        pending: ".",
        done: "+",
        failed: "x",
        cancelled: "-",
        ended: "o",
        asking: "?",
        folded: ">",
        unfolded: "v",
        bullet: "*",
        bullet_inner: "-",
        unchecked: "[ ]",
        checked: "[x]",
        column: "|",
        crossing: "+",
        quote: "|",
        rule: "-",
        more: "v",
        minus: "-",
        ellipsis: "...",
        separator: "|",
        spinner: &["|", "/", "-", "\\"],
    };
}
