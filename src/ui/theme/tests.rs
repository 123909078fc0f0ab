//! What themes hold.

use std::collections::HashSet;

use ratatui::style::{Color, Modifier};

use super::{degrade::of_index, *};
use crate::config::themes::{Role, ThemeColours, Themes};

const DEPTHS: [Colours; 4] = [
    Colours::None,
    Colours::Sixteen,
    Colours::Indexed,
    Colours::True,
];
const BACKGROUNDS: [Background; 3] = [Background::Unknown, Background::Dark, Background::Light];

#[test]
fn colours_are_those_that_the_environment_tells() {
    let told = Colours::of_environment;
    assert_eq!(told(None, None, None), Colours::Indexed);
    assert_eq!(told(None, Some("truecolor"), None), Colours::True);
    assert_eq!(told(Some("1"), Some("truecolor"), None), Colours::None);
    assert_eq!(told(Some(""), Some("24bit"), Some("linux")), Colours::True);
    assert_eq!(told(None, None, Some("linux")), Colours::Sixteen);
    assert_eq!(told(None, None, Some("xterm-16color")), Colours::Sixteen);
    assert_eq!(told(None, None, Some("tmux-256color")), Colours::Indexed);
    assert_eq!(told(None, None, Some("xterm-direct")), Colours::True);
    assert_eq!(told(Some("1"), None, Some("linux")), Colours::None);
}

#[test]
fn caches_can_tell_themes_apart() {
    let ids: HashSet<ThemeId> = BACKGROUNDS
        .into_iter()
        .flat_map(|background| DEPTHS.map(|colours| Theme::palette(background, colours).id))
        .collect();
    assert_eq!(ids.len(), 12);
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
        for colours in DEPTHS {
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
fn the_environment_tells_the_background_by_its_colour() {
    let told = |text| Background::of_environment(Some(text));
    assert_eq!(told("15;0"), Background::Dark);
    assert_eq!(told("0;default;15"), Background::Light);
    assert_eq!(told("7;8"), Background::Dark);
    assert_eq!(told("0;7"), Background::Light);
    for wrong in ["", "15", ";", "0;default", "0;16", "0;-1", "0;1e9"] {
        let expected = if wrong == "15" {
            Background::Light
        } else {
            Background::Unknown
        };
        assert_eq!(told(wrong), expected, "{wrong}");
    }
    assert_eq!(Background::of_environment(None), Background::Unknown);
}

fn each_theme() -> impl Iterator<Item = (String, ThemeColours)> {
    let themes = Themes::default();
    let colours = move |name: String| themes.get(&name).map(|colours| (name, colours));
    Themes::default().names().into_iter().filter_map(colours)
}

/// What text with colours of its own is drawn on.
const BACKS: [Role; 10] = [
    Role::Band,
    Role::Selected,
    Role::Selection,
    Role::Found,
    Role::AddedLine,
    Role::RemovedLine,
    Role::AddedGutter,
    Role::RemovedGutter,
    Role::AddedWord,
    Role::RemovedWord,
];

#[test]
fn built_in_themes_can_be_read() {
    let mut low = Vec::new();
    for (name, colours) in each_theme() {
        let mut check = |what: Role, on: Option<Role>, least: f32| {
            let back = on.map_or(colours.background, |role| colours.of(role));
            let contrast = colours.of(what).contrast(back);
            if contrast < least {
                low.push(format!(
                    "{name}: {what:?} on {on:?}: {contrast:.2} of {least}"
                ));
            }
        };
        for back in [None].into_iter().chain(BACKS.map(Some)) {
            check(Role::Text, back, 4.5);
            for quiet in [
                Role::Dim,
                Role::Thought,
                Role::Comment,
                Role::LineNumber,
                Role::Ghost,
            ] {
                check(quiet, back, 3.0);
            }
            let least = if back.is_none() { 4.5 } else { 3.0 };
            for loud in [
                Role::Accent,
                Role::User,
                Role::Success,
                Role::Warning,
                Role::Error,
                Role::KeyHint,
                Role::Shell,
                Role::Code,
                Role::Link,
                Role::String,
                Role::Number,
                Role::Keyword,
                Role::Function,
                Role::Type,
                Role::Constant,
                Role::Tag,
                Role::Punctuation,
                Role::Added,
                Role::Removed,
            ] {
                check(loud, back, least);
            }
        }
    }
    assert_eq!(low, Vec::<String>::new());
}

/// As a terminal shows it.
fn shown(colour: Option<Color>, otherwise: Rgb) -> Rgb {
    match colour {
        Some(Color::Rgb(r, g, b)) => Rgb([r, g, b]),
        Some(Color::Indexed(index)) => of_index(index),
        _ => otherwise,
    }
}

#[test]
fn built_in_themes_can_be_read_in_256_colours() {
    for (name, colours) in each_theme() {
        let theme = Theme::named(&colours, Colours::Indexed, Background::Unknown);
        let text = shown(theme.text.fg, colours.background);
        for (what, style) in [
            ("plain", Style::new()),
            ("band", theme.band),
            ("selected", theme.selected),
            ("selection", theme.selection),
            ("found", theme.found),
            ("added", theme.diff.added),
            ("removed", theme.diff.removed),
            ("added word", theme.diff.added_word),
            ("removed word", theme.diff.removed_word),
        ] {
            let contrast = text.contrast(shown(style.bg, colours.background));
            assert!(contrast >= 4.5, "{name}: text on {what}: {contrast:.2}");
        }
        for (what, style, role) in [
            ("accent", theme.accent, Role::Accent),
            ("success", theme.success, Role::Success),
            ("warning", theme.warning, Role::Warning),
            ("error", theme.error, Role::Error),
            ("user", theme.user, Role::User),
            ("dim", theme.dim, Role::Dim),
            ("string", theme.syntax.string, Role::String),
            ("keyword", theme.syntax.keyword, Role::Keyword),
        ] {
            let contrast = shown(style.fg, colours.background).contrast(colours.background);
            let least = colours.of(role).contrast(colours.background).min(4.5);
            assert!(
                contrast >= least,
                "{name}: {what}: {contrast:.2} of {least:.2}"
            );
        }
        let current = theme.found_current;
        let back = shown(current.bg, colours.background);
        let contrast = shown(current.fg, colours.background).contrast(back);
        assert!(contrast >= 4.5, "{name}: the current match: {contrast:.2}");
        assert_ne!(theme.diff.added_word, theme.diff.removed_word, "{name}");
    }
}

#[test]
fn with_sixteen_colours_a_theme_has_no_others_and_no_bands() {
    for (name, colours) in each_theme() {
        let theme = Theme::named(&colours, Colours::Sixteen, Background::Light);
        let text = format!("{theme:?}");
        assert!(
            !text.contains("Rgb") && !text.contains("Indexed"),
            "{name}: {text}"
        );
        assert_eq!(theme.band, Style::new(), "{name}");
        assert!(!theme.paints(), "{name}");
    }
}

#[test]
fn a_theme_respects_no_color() {
    for (name, colours) in each_theme() {
        let theme = Theme::named(&colours, Colours::None, Background::Light);
        let palette = Theme::palette(Background::of(colours.background), Colours::None);
        assert_eq!(
            Theme {
                id: palette.id,
                ..theme
            },
            palette,
            "{name}"
        );
    }
}

#[test]
fn named_themes_have_ids_of_their_own() {
    let mut ids = HashSet::new();
    for (name, colours) in each_theme() {
        for depth in DEPTHS {
            let theme = Theme::named(&colours, depth, Background::Unknown);
            assert!(ids.insert(theme.id), "{name} {depth:?}");
            let again = Theme::named(&colours, depth, Background::Unknown);
            assert_eq!(theme, again);
        }
    }
    assert!(ids.len() >= 4 * 14);
}

#[test]
fn a_background_is_painted_over_one_of_the_other_kind() {
    let themes = Themes::default();
    let paints = |name, terminal| {
        let colours = themes.get(name).expect("built in");
        Theme::named(&colours, Colours::True, terminal).paints()
    };
    assert!(!paints("nord", Background::Dark) && paints("nord", Background::Light));
    assert!(paints("solarized-light", Background::Dark));
    assert!(!paints("solarized-light", Background::Unknown));
    assert!(
        paints("high-contrast-dark", Background::Dark),
        "its file says so"
    );
}

#[test]
fn painting_leaves_what_has_colours() {
    use ratatui::{buffer::Buffer, layout::Rect};
    let colours = Themes::default().get("nord").expect("built in");
    let theme = Theme::named(&colours, Colours::True, Background::Light);
    let mut buf = Buffer::empty(Rect::new(0, 0, 2, 1));
    buf[(0, 0)].set_fg(Color::Red).set_bg(Color::Blue);
    theme.paint(&mut buf);
    assert_eq!((buf[(0, 0)].fg, buf[(0, 0)].bg), (Color::Red, Color::Blue));
    let rest = (Some(buf[(1, 0)].fg), Some(buf[(1, 0)].bg));
    assert_eq!(rest, (theme.base.fg, theme.base.bg));
}
