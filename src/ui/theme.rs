//! Colours and symbols by meaning.
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

/// The colours that the terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colours {
    /// NO_COLOR: modifiers only.
    None,
    /// The 256 of the palette.
    Indexed,
    /// Any, for the backgrounds that the palette has only in glaring tones.
    True,
}

impl Colours {
    /// As the environment tells: `NO_COLOR` set to anything, `COLORTERM` as terminals set it.
    pub fn of_environment(no_color: Option<&str>, colorterm: Option<&str>) -> Self {
        match (no_color, colorterm) {
            (Some(value), _) if !value.is_empty() => Self::None,
            (_, Some("truecolor" | "24bit")) => Self::True,
            _ => Self::Indexed,
        }
    }
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

/// The few colours that everything is made of, chosen so that each is readable on the background
/// at hand: yellow and cyan of most palettes vanish on white, their blue on black.
struct Hues {
    accent: Color,
    user: Color,
    success: Color,
    warning: Color,
    error: Color,
    magenta: Color,
    blue: Color,
    /// `None`: the terminal's own faint attribute.
    grey: Option<Color>,
}

impl Hues {
    /// The sixteen colours of the terminal's own palette, while nothing is known of its background.
    const UNKNOWN: Self = Self {
        accent: Color::Cyan,
        user: Color::LightBlue,
        success: Color::Green,
        warning: Color::Yellow,
        error: Color::Red,
        magenta: Color::Magenta,
        blue: Color::LightBlue,
        grey: None,
    };
    const DARK: Self = Self {
        accent: Color::Cyan,
        user: Color::Indexed(111),
        success: Color::Green,
        warning: Color::Yellow,
        error: Color::Indexed(203),
        magenta: Color::Indexed(176),
        blue: Color::Indexed(111),
        grey: Some(Color::Indexed(245)),
    };
    const LIGHT: Self = Self {
        accent: Color::Indexed(30),
        user: Color::Indexed(25),
        success: Color::Indexed(28),
        warning: Color::Indexed(130),
        error: Color::Indexed(160),
        magenta: Color::Indexed(90),
        blue: Color::Indexed(25),
        grey: Some(Color::Indexed(242)),
    };

    fn of(background: Background) -> Self {
        match background {
            Background::Unknown => Self::UNKNOWN,
            Background::Dark => Self::DARK,
            Background::Light => Self::LIGHT,
        }
    }
}

impl Theme {
    /// The palette theme for a background.
    pub fn palette(background: Background, colours: Colours) -> Self {
        let hues = Hues::of(background);
        let colour = colours != Colours::None;
        let plain = Style::new();
        let fg = |c: Color| if colour { plain.fg(c) } else { plain };
        let faint = plain.add_modifier(Modifier::DIM);
        let dim = match hues.grey {
            Some(grey) if colour => plain.fg(grey),
            _ => faint,
        };
        let strong = plain.add_modifier(Modifier::BOLD);
        let italic = plain.add_modifier(Modifier::ITALIC);
        let underline = plain.add_modifier(Modifier::UNDERLINED);
        let reversed = plain.add_modifier(Modifier::REVERSED);
        let accent = fg(hues.accent);
        let selected = match (colour, background) {
            (true, Background::Dark) => plain.bg(Color::Indexed(237)),
            (true, Background::Light) => plain.bg(Color::Indexed(253)),
            _ => reversed,
        };
        let laid = Laid::of(background, colours);
        Self {
            id: 3 * background as u8 + colours as u8,
            text: plain,
            dim,
            strong,
            accent,
            border: dim,
            border_focus: if colour { fg(hues.warning) } else { strong },
            user: fg(hues.user),
            thought: dim.patch(italic),
            success: fg(hues.success),
            warning: if colour { fg(hues.warning) } else { strong },
            error: if colour { fg(hues.error) } else { strong },
            selected,
            key_hint: if colour { accent } else { strong },
            band: laid.band,
            found: laid.found,
            found_current: laid.found_current,
            selection: laid.selection,
            ghost: dim,
            shell: if colour { fg(hues.magenta) } else { strong },
            steered: accent.patch(italic),
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
                code: fg(hues.magenta),
                link: fg(hues.blue).patch(underline),
                quote: dim.patch(italic),
                bullet: accent,
                rule: dim,
                table_border: dim,
                table_head: strong,
            },
            syntax: SyntaxStyles {
                comment: dim.patch(italic),
                string: fg(hues.success),
                number: accent,
                keyword: fg(hues.magenta),
                function: fg(hues.blue),
                type_name: fg(hues.warning),
                constant: accent,
                tag: fg(hues.error),
                punctuation: plain,
                plain,
            },
            diff: DiffStyles::palette(background, colours, dim),
        }
    }
}

/// Backgrounds that are laid under text that has its own colours.
struct Laid {
    band: Style,
    found: Style,
    found_current: Style,
    selection: Style,
}

impl Laid {
    fn of(background: Background, colours: Colours) -> Self {
        let plain = Style::new();
        let indexed = |n: u8| plain.bg(Color::Indexed(n));
        let rgb = |r, g, b| plain.bg(Color::Rgb(r, g, b));
        let black_on = |back| plain.fg(Color::Black).bg(back);
        let [band, found, selection] = match (colours, background) {
            (Colours::None, _) => [plain, plain.underlined(), plain.reversed()],
            (_, Background::Unknown) => [plain, black_on(Color::Yellow), plain.reversed()],
            (Colours::Indexed, Background::Dark) => [indexed(236), indexed(58), indexed(24)],
            (Colours::Indexed, Background::Light) => [indexed(255), indexed(229), indexed(153)],
            (Colours::True, Background::Dark) => {
                [rgb(42, 44, 48), rgb(84, 72, 16), rgb(38, 70, 110)]
            }
            (Colours::True, Background::Light) => {
                [rgb(240, 241, 244), rgb(255, 236, 158), rgb(182, 214, 250)]
            }
        };
        let found_current = match (colours, background) {
            (Colours::None, _) => plain.reversed().bold(),
            (_, Background::Unknown) => black_on(Color::LightYellow).bold(),
            _ => plain
                .fg(Color::Indexed(16))
                .bg(Color::Indexed(214))
                .add_modifier(Modifier::BOLD),
        };
        Self {
            band,
            found,
            found_current,
            selection,
        }
    }
}

impl DiffStyles {
    /// Quiet backgrounds that syntax colours are readable on. The palette of 256 has such for light
    /// terminals only; on dark ones the gutter and the words that differ are coloured, not the
    /// whole line.
    fn palette(background: Background, colours: Colours, dim: Style) -> Self {
        let plain = Style::new();
        let indexed = |n: u8| plain.bg(Color::Indexed(n));
        let rgb = |[r, g, b]: [u8; 3]| plain.bg(Color::Rgb(r, g, b));
        let hues = Hues::of(background);
        let (added_sign, removed_sign) = (plain.fg(hues.success), plain.fg(hues.error));
        // Of a line, of its gutter, of a word in it: first added, then removed.
        let [lines, gutters, words] = match (colours, background) {
            (Colours::None, _) => [
                (plain.bold(), plain),
                (plain.bold(), plain),
                (plain.bold().underlined(), plain.underlined()),
            ],
            (_, Background::Unknown) => [
                (added_sign, removed_sign),
                (added_sign, removed_sign),
                (
                    added_sign.bold().underlined(),
                    removed_sign.bold().underlined(),
                ),
            ],
            (Colours::Indexed, Background::Dark) => [
                (plain, plain),
                (added_sign, removed_sign),
                (indexed(22), indexed(52)),
            ],
            (Colours::Indexed, Background::Light) => [
                (indexed(194), indexed(224)),
                (
                    added_sign.patch(indexed(194)),
                    removed_sign.patch(indexed(224)),
                ),
                (indexed(157), indexed(217)),
            ],
            (Colours::True, Background::Dark) => [
                (rgb([21, 44, 30]), rgb([58, 26, 30])),
                (
                    added_sign.patch(rgb([27, 57, 38])),
                    removed_sign.patch(rgb([74, 31, 36])),
                ),
                (rgb([33, 88, 54]), rgb([115, 43, 49])),
            ],
            (Colours::True, Background::Light) => [
                (rgb([230, 247, 234]), rgb([254, 236, 235])),
                (
                    added_sign.patch(rgb([211, 240, 218])),
                    removed_sign.patch(rgb([252, 220, 219])),
                ),
                (rgb([176, 230, 191]), rgb([248, 190, 190])),
            ],
        };
        Self {
            added: lines.0,
            removed: lines.1,
            added_gutter: gutters.0,
            removed_gutter: gutters.1,
            added_word: words.0,
            removed_word: words.1,
            line_number: dim,
            hunk: if colours == Colours::None {
                dim
            } else {
                plain.fg(hues.accent)
            },
        }
    }
}

/// All symbols that the UI draws. All are narrow in every locale: none of ambiguous width that
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
    /// Left of what the person said.
    pub bar: &'static str,
    pub rule: &'static str,
    pub more: &'static str,
    pub more_above: &'static str,
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
        bar: "▌",
        rule: "─",
        more: "↓",
        more_above: "↑",
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
        bar: ">",
        rule: "-",
        more: "v",
        more_above: "^",
        minus: "-",
        ellipsis: "...",
        separator: "|",
        spinner: &["|", "/", "-", "\\"],
    };
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    const BACKGROUNDS: [Background; 3] = [Background::Unknown, Background::Dark, Background::Light];

    #[test]
    fn colours_are_those_that_the_environment_tells() {
        let told = Colours::of_environment;
        assert_eq!(told(None, None), Colours::Indexed);
        assert_eq!(told(None, Some("truecolor")), Colours::True);
        assert_eq!(told(Some("1"), Some("truecolor")), Colours::None);
        assert_eq!(told(Some(""), Some("24bit")), Colours::True);
    }

    #[test]
    fn caches_can_tell_themes_apart() {
        let ids: HashSet<u8> = BACKGROUNDS
            .into_iter()
            .flat_map(|background| {
                [Colours::None, Colours::Indexed, Colours::True]
                    .map(|colours| Theme::palette(background, colours).id)
            })
            .collect();
        assert_eq!(ids.len(), 9);
    }

    #[test]
    fn without_colour_there_are_modifiers_only() {
        for background in BACKGROUNDS {
            let theme = format!("{:?}", Theme::palette(background, Colours::None));
            for colour in [
                "Indexed", "Rgb", "Red", "Green", "Yellow", "Cyan", "Blue", "Magenta",
            ] {
                assert!(!theme.contains(colour), "{colour} in {theme}");
            }
        }
    }

    #[test]
    fn what_matters_is_told_by_more_than_colour() {
        let theme = Theme::palette(Background::Dark, Colours::None);
        let plain = Style::new();
        for style in [theme.error, theme.warning, theme.key_hint, theme.selected] {
            assert_ne!(style, plain);
        }
        assert_ne!(theme.diff.added, theme.diff.removed);
        for style in [
            theme.diff.removed,
            theme.diff.removed_gutter,
            theme.diff.removed_word,
        ] {
            assert!(!style.add_modifier.contains(Modifier::DIM), "hard to read");
        }
    }

    #[test]
    fn what_is_found_and_selected_shows_on_every_terminal() {
        for background in BACKGROUNDS {
            for colours in [Colours::None, Colours::Indexed, Colours::True] {
                let theme = Theme::palette(background, colours);
                let styles = [
                    theme.text,
                    theme.found,
                    theme.found_current,
                    theme.selection,
                ];
                for (n, style) in styles.iter().enumerate() {
                    assert!(!styles[..n].contains(style), "{background:?} {colours:?}");
                }
            }
        }
    }

    #[test]
    fn ascii_symbols_are_ascii() {
        let symbols = format!("{:?}", Symbols::ASCII);
        assert!(symbols.is_ascii());
    }
}
