//! Themes: followed, tried out, chosen.

use std::time::Duration;

use ratatui::{Terminal, backend::TestBackend, style::Color};

use super::*;
use crate::{
    config::{ThemeChoice, themes::Role},
    ui::action::Action,
};

fn themed(theme: &str, dark: Option<&str>, light: Option<&str>) -> Ui {
    let settings = UiSettings {
        ui: UiConfig {
            theme: ThemeChoice::of(theme),
            theme_dark: dark.map(str::to_owned),
            theme_light: light.map(str::to_owned),
            ..UiConfig::default()
        },
        colours: Colours::True,
        ..settings()
    };
    Ui::new(settings, Offload::immediate())
}

fn named(name: &str, terminal: Background) -> Theme {
    let colours = Themes::default().get(name).expect("built in");
    Theme::named(&colours, Colours::True, terminal)
}

fn palette(background: Background) -> Theme {
    Theme::palette(background, Colours::True)
}

#[test]
fn the_theme_follows_the_background() {
    let mut ui = themed("auto", Some("nord"), Some("github-light"));
    assert_eq!(ui.look.theme, palette(Background::Unknown));
    ui.set_background(Background::Dark);
    assert_eq!(ui.look.theme, named("nord", Background::Dark));
    ui.set_background(Background::Light);
    assert_eq!(ui.look.theme, named("github-light", Background::Light));
    let mut ui = themed("light", Some("nord"), None);
    ui.set_background(Background::Dark);
    assert_eq!(
        ui.look.theme,
        palette(Background::Light),
        "as was asked for"
    );
    let mut ui = themed("dracula", Some("nord"), Some("nord"));
    ui.set_background(Background::Light);
    assert_eq!(ui.look.theme, named("dracula", Background::Light));
}

#[test]
fn a_terminal_that_does_not_answer_looks_like_a_dark_one_soon() {
    let mut bench = Bench::ready();
    let mut screen = Screen::new(Bench::ready());
    screen.ui = themed("auto", None, None);
    let asked = bench.context().now;
    screen.ui.background_asked(asked);
    let due = screen.ui.deadline(&bench.context());
    assert_eq!(due, Some(asked + Duration::from_millis(150)));
    let area = Rect::new(0, 0, 80, 24);
    let draw = |ui: &mut Ui, bench: &Bench| {
        ui.draw_on(area, &mut Buffer::empty(area), &bench.context());
    };
    bench.wait(149);
    draw(&mut screen.ui, &bench);
    assert_eq!(screen.ui.look.theme, palette(Background::Unknown));
    bench.wait(1);
    draw(&mut screen.ui, &bench);
    assert_eq!(screen.ui.look.theme, palette(Background::Dark));
    assert_eq!(screen.ui.deadline(&bench.context()), None, "idle again");
    // An answer counts however late.
    screen.ui.set_background(Background::Light);
    bench.wait(1000);
    draw(&mut screen.ui, &bench);
    assert_eq!(screen.ui.look.theme, palette(Background::Light));
}

#[test]
fn without_an_answer_the_environment_tells_the_background() {
    let mut bench = Bench::ready();
    let settings = UiSettings {
        background: Background::Light,
        ..settings()
    };
    let mut ui = Ui::new(settings, Offload::immediate());
    ui.background_asked(bench.context().now);
    bench.wait(150);
    let area = Rect::new(0, 0, 80, 24);
    ui.draw_on(area, &mut Buffer::empty(area), &bench.context());
    assert_eq!(ui.background(), Background::Light);
}

fn opened() -> Screen {
    let mut screen = Screen::new(Bench::ready());
    screen.ui = themed("auto", None, None);
    screen.ui.set_background(Background::Dark);
    screen.draw();
    screen.ui.act(Action::Theme, &screen.bench.context());
    screen.draw();
    screen
}

#[test]
fn themes_are_tried_out_while_moving_and_esc_puts_the_old_one_back() {
    let mut screen = opened();
    assert_eq!(
        screen.ui.look.theme,
        palette(Background::Dark),
        "begins there"
    );
    assert!(screen.draw().contains("Theme"), "{}", screen.draw());
    for key in "n o r d".split(' ') {
        screen.press(key);
    }
    screen.draw();
    assert_eq!(screen.ui.look.theme, named("nord", Background::Dark));
    let commands = screen.press("esc");
    assert_eq!(kinds(&commands), [""; 0]);
    screen.draw();
    assert_eq!(screen.ui.look.theme, palette(Background::Dark));
    assert_eq!(
        screen.ui.deadline(&screen.bench.context()),
        None,
        "nothing moves"
    );
}

#[test]
fn enter_keeps_the_theme_that_is_seen() {
    let mut screen = opened();
    screen.press("down down down");
    let commands = screen.press("enter");
    let [UiCommand::KeepTheme(ThemeChoice::Named(name))] = commands.as_slice() else {
        panic!("{commands:?}");
    };
    assert_eq!(name, &Themes::default().names()[0]);
    screen.draw();
    assert_eq!(screen.ui.look.theme, named(name, Background::Dark));
    // The list opens on it the next time.
    screen.ui.act(Action::Theme, &screen.bench.context());
    screen.draw();
    assert_eq!(screen.ui.look.theme, named(name, Background::Dark));
}

#[test]
fn what_was_drawn_before_a_switch_is_drawn_again() {
    let mut screen = Screen::new(Bench::ready());
    screen.ui = themed("auto", None, None);
    screen.ui.set_background(Background::Dark);
    screen.bench.prompt("say something");
    screen.bench.message("Something.");
    screen.draw();
    let uses = |screen: &mut Screen, colour: Color| {
        let (buffer, _) = screen.buffer();
        buffer.content.iter().any(|cell| cell.fg == colour)
    };
    let colours = Themes::default().get("dracula").expect("built in");
    let [r, g, b] = colours.of(Role::Dim).0;
    let dim = Color::Rgb(r, g, b);
    let old = palette(Background::Dark).dim.fg.expect("a grey");
    assert!(uses(&mut screen, old) && !uses(&mut screen, dim));
    screen.ui.choose_theme(ThemeChoice::of("dracula"));
    assert!(uses(&mut screen, dim) && !uses(&mut screen, old));
}

#[test]
fn a_theme_for_the_other_background_is_painted_everywhere() {
    let mut ui = themed("github-light", None, None);
    ui.set_background(Background::Dark);
    let bench = Bench::ready();
    let mut terminal = Terminal::new(TestBackend::new(80, 24)).expect("a screen");
    terminal
        .draw(|frame| ui.draw(frame, &bench.context()))
        .expect("drawn");
    for cell in &terminal.backend().buffer().content {
        assert!(
            cell.bg != Color::Reset && cell.fg != Color::Reset,
            "{cell:?}"
        );
    }
    assert_eq!(ui.look.theme_of_normal_screen(), palette(Background::Dark));
}
