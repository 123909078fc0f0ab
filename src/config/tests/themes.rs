//! Themes: built in, of the person's own, and chosen in the program.

use std::os::unix::fs::symlink;

use proptest::prelude::*;

use super::*;
use crate::config::themes::{Rgb, Role, chosen};

const MINE: &str = r##"background = "#101010"
[palette]
text = "#eee"
mine = "#ff0000"
[roles]
accent = "mine"
error = "#00ff00"
"##;

fn rgb(text: &str) -> Rgb {
    Rgb::parse(text).unwrap()
}

#[test]
fn a_file_in_the_folder_is_a_theme() {
    let world = World::with_user("[ui]\ntheme = \"mine\"\n");
    world.write("config/themes/mine.toml", MINE);
    let loaded = world.load();
    assert_eq!(loaded.warnings, []);
    assert_eq!(loaded.config.ui.theme, ThemeChoice::Named("mine".into()));
    let mine = loaded.config.themes.get("mine").unwrap();
    assert_eq!(mine.background, rgb("#101010"));
    assert_eq!(mine.paint_background, None);
    assert_eq!(mine.of(Role::Text), rgb("#eeeeee"));
    assert_eq!(mine.of(Role::Accent), rgb("#ff0000"));
    assert_eq!(mine.of(Role::Heading), rgb("#ff0000"), "follows the accent");
    assert_eq!(mine.of(Role::Error), rgb("#00ff00"));
    let dim = mine.of(Role::Dim);
    assert!(dim != mine.of(Role::Text) && dim.contrast(mine.background) > 3.0);
}

#[test]
fn a_theme_of_ones_own_comes_before_one_that_is_built_in() {
    let world = World::new();
    world.write("config/themes/nord.toml", MINE);
    let themes = world.load().config.themes;
    assert_eq!(themes.get("nord").unwrap().background, rgb("#101010"));
    let names = themes.names();
    assert_eq!(names.iter().filter(|name| *name == "nord").count(), 1);
}

#[test]
fn built_in_themes_are_whole() {
    let themes = World::new().load().config.themes;
    let names = themes.names();
    assert!(names.len() >= 14, "{names:?}");
    for name in names {
        // What is wrong with a person's file is told; a built-in one is judged the same way.
        let text = fs::read_to_string(format!("assets/themes/{name}.toml")).unwrap();
        let world = World::new();
        world.write(&format!("config/themes/{name}.toml"), &text);
        assert_eq!(world.warnings(), [""; 0], "{name}");
        assert_eq!(world.load().config.themes.get(&name), themes.get(&name));
    }
}

#[test]
fn what_is_wrong_in_a_theme_costs_only_itself() {
    let world = World::new();
    world.write(
        "config/themes/mine.toml",
        r##"bakground = "#101010"
background = "#20202"
paint_background = "yes"
[palette]
red = "crimson"
green = "#00ff00"
[roles]
accent = "gren"
acent = "red"
error = 5
success = "green"
"##,
    );
    assert_eq!(
        world.warnings(),
        [
            "config/themes/mine.toml:1: bakground: unknown key; did you mean background?",
            "config/themes/mine.toml:5: palette.red: expected a colour as \"#rrggbb\"",
            "config/themes/mine.toml:2: background: expected \"#rrggbb\" or the name of a colour in [palette]",
            "config/themes/mine.toml:3: paint_background: expected true or false",
            "config/themes/mine.toml:8: roles.accent: expected \"#rrggbb\" or the name of a colour in [palette]; did you mean \"green\"?",
            "config/themes/mine.toml:9: roles.acent: unknown role; did you mean accent?",
            "config/themes/mine.toml:10: roles.error: expected \"#rrggbb\" or the name of a colour in [palette]",
        ]
    );
    let mine = world.load().config.themes.get("mine").unwrap();
    assert_eq!(mine.of(Role::Success), rgb("#00ff00"));
}

#[test]
fn what_is_no_theme_is_named_and_left_out() {
    let world = World::new();
    let path = |name: &str| world.path(&format!("config/themes/{name}.toml"));
    world.write("config/themes/good.toml", MINE);
    world.write("config/themes/syntax.toml", "background = \n");
    world.write("config/themes/dark.toml", MINE);
    world.write("config/themes/not a name.toml", MINE);
    world.write("config/themes/notes.txt", "no theme");
    world.write("config/themes/huge.toml", &"#".repeat((64 << 10) + 1));
    world.write("config/themes/full.toml", &"#".repeat(64 << 10));
    fs::write(path("latin"), b"# caf\xe9\n").unwrap();
    symlink("loop.toml", path("loop")).unwrap();
    fs::create_dir(path("folder")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        path("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    let warnings = world.warnings();
    let expected = [
        ("dark.toml", "cannot be a theme's"),
        ("folder.toml", "is not a regular file"),
        ("huge.toml", "is larger than 65536 bytes"),
        ("latin.toml", "line 1 is not UTF-8"),
        ("loop.toml", "cannot be read"),
        ("not a name.toml", "cannot be a theme's"),
        ("pipe.toml", "is not a regular file"),
        ("syntax.toml:1", "this theme is not used"),
    ];
    assert_eq!(warnings.len(), expected.len(), "{warnings:#?}");
    for (warning, (file, words)) in warnings.iter().zip(expected) {
        let place = format!("config/themes/{file}: ");
        assert!(
            warning.starts_with(&place) && warning.contains(words),
            "{warning}"
        );
    }
    let themes = world.load().config.themes;
    assert!(themes.has("good") && themes.has("full"));
    assert!(!themes.has("huge") && !themes.has("latin"));
}

#[test]
fn a_folder_with_very_many_is_read_in_part() {
    let world = World::new();
    for n in 0..65 {
        world.write(&format!("config/themes/t{n:02}.toml"), MINE);
    }
    let warnings = world.warnings();
    assert_eq!(
        warnings,
        ["config/themes: holds more than 64 themes; the rest is not read"]
    );
    let themes = world.load().config.themes;
    assert!(themes.has("t63") && !themes.has("t64"));
}

#[test]
fn a_theme_that_is_not_there_is_told_with_the_nearest() {
    let mut world = World::with_user("[ui]\ntheme = \"dracul\"\ntheme_dark = \"nrd\"\n");
    world.set("ACP_TUI_UI__THEME_LIGHT", "x");
    let warnings = world.warnings();
    assert_eq!(
        warnings[0],
        "config/config.toml:2: ui.theme: there is no theme \"dracul\"; did you mean \"dracula\"?"
    );
    assert_eq!(
        warnings[1],
        "config/config.toml:3: ui.theme_dark: there is no theme \"nrd\"; did you mean \"nord\"?"
    );
    assert!(warnings[2].starts_with(
        "ACP_TUI_UI__THEME_LIGHT: ui.theme_light: there is no theme \"x\"; known: auto, dark, light, "
    ));
    let ui = world.load().config.ui;
    assert_eq!(ui.theme, ThemeChoice::Auto);
    assert_eq!((ui.theme_dark, ui.theme_light), (None, None));
}

#[test]
fn the_schema_lists_the_themes() {
    let schema = schema();
    assert!(schema.contains("\"solarized-dark\"") && schema.contains("\"theme_light\""));
}

#[test]
fn a_choice_counts_until_the_configuration_says_something_else() {
    let world = World::new();
    let dirs = world.options().dirs;
    let theme = || world.load().config.ui.theme;
    let configured = world.load().config.configured_theme;
    chosen::keep(&dirs, &configured, "nord").unwrap();
    assert_eq!(theme(), ThemeChoice::Named("nord".into()));
    assert!(world.load().describe().contains("theme = \"nord\""));
    world.write("config/config.toml", "[ui]\ntheme = \"dracula\"\n");
    assert_eq!(theme(), ThemeChoice::Named("dracula".into()));
    chosen::keep(&dirs, &world.load().config.configured_theme, "light").unwrap();
    assert_eq!(theme(), ThemeChoice::Light);
    fs::remove_file(world.path("config/config.toml")).unwrap();
    assert_eq!(
        theme(),
        ThemeChoice::Named("nord".into()),
        "the one for this"
    );
    // Nothing that stands there keeps the program from starting.
    for broken in ["{", "[]", "{\"auto  \": \"gone\"}"] {
        world.write("state/theme.json", broken);
        assert_eq!(theme(), ThemeChoice::Auto, "{broken}");
    }
}

#[test]
fn choices_are_kept_for_few_settings() {
    let world = World::new();
    let dirs = world.options().dirs;
    for n in 0..40 {
        chosen::keep(&dirs, &format!("theme-{n:02}"), "nord").unwrap();
    }
    let text = fs::read_to_string(world.path("state/theme.json")).unwrap();
    assert_eq!(text.matches("nord").count(), 16);
    assert!(text.contains("theme-39"), "{text}");
}

proptest! {
    /// Whatever a file holds, there are colours, and no word of it is lost silently.
    #[test]
    fn any_file_is_a_theme_or_is_told(
        lines in prop::collection::vec(
            prop_oneof![
                "(background|text|paint_background) = (\"#[0-9a-f]{1,7}\"|true|1|\"red\")",
                "\\[(palette|roles|other)\\]",
                "(red|accent|band|found|x) = (\"#[0-9a-f]{1,7}\"|\"red\"|\"x\"|\\[\\]|\\{\\})",
                "\\PC{0,20}",
            ],
            0..12,
        )
    ) {
        let world = World::new();
        world.write("config/themes/any.toml", &lines.join("\n"));
        let loaded = world.load();
        prop_assert!(loaded.config.themes.has("any") || !loaded.warnings.is_empty());
        if let Some(any) = loaded.config.themes.get("any") {
            let _ = any.of(Role::FoundCurrent);
        }
    }
}
