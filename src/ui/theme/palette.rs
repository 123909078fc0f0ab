//! Themes from the terminal's own palette, so that dark and light terminals are both readable.
//! Backgrounds are added only once it is known which it is.

use ratatui::style::{Color, Modifier, Style};

use super::{Background, Colours, DiffStyles, MarkdownStyles, SyntaxStyles, Theme, ThemeId};

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

    /// Of the first sixteen colours those that can be read on white.
    const LIGHT_OF_SIXTEEN: Self = Self {
        accent: Color::Blue,
        user: Color::Blue,
        success: Color::Green,
        warning: Color::Magenta,
        error: Color::Red,
        magenta: Color::Magenta,
        blue: Color::Blue,
        grey: None,
    };

    fn of(background: Background, colours: Colours) -> Self {
        match (background, colours) {
            (Background::Light, Colours::Sixteen) => Self::LIGHT_OF_SIXTEEN,
            (Background::Unknown, _) | (_, Colours::Sixteen) => Self::UNKNOWN,
            (Background::Dark, _) => Self::DARK,
            (Background::Light, _) => Self::LIGHT,
        }
    }
}

impl Theme {
    /// The palette theme for a background.
    pub fn palette(background: Background, colours: Colours) -> Self {
        let hues = Hues::of(background, colours);
        let colour = colours != Colours::None;
        let many = matches!(colours, Colours::Indexed | Colours::True);
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
        let selected = match (many, background) {
            (true, Background::Dark) => plain.bg(Color::Indexed(237)),
            (true, Background::Light) => plain.bg(Color::Indexed(253)),
            _ => reversed,
        };
        let laid = Laid::of(background, colours);
        Self {
            id: 4 * background as ThemeId + colours as ThemeId,
            base: plain,
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
            (Colours::Sixteen, _) | (_, Background::Unknown) => {
                [plain, black_on(Color::Yellow), plain.reversed()]
            }
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
            (Colours::Sixteen, _) | (_, Background::Unknown) => black_on(Color::LightYellow).bold(),
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
        let hues = Hues::of(background, colours);
        let (added_sign, removed_sign) = (plain.fg(hues.success), plain.fg(hues.error));
        // Of a line, of its gutter, of a word in it: first added, then removed.
        let [lines, gutters, words] = match (colours, background) {
            (Colours::None, _) => [
                (plain.bold(), plain),
                (plain.bold(), plain),
                (plain.bold().underlined(), plain.underlined()),
            ],
            (Colours::Sixteen, _) | (_, Background::Unknown) => [
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
