//! Where the agent's models are, and titles that the person gives.

use super::*;
use crate::model::{FromAgent, Provider, ProviderRoute};

fn provider(id: &str, required: bool, url: Option<&str>) -> Provider {
    Provider {
        id: id.into(),
        protocols: vec!["anthropic".into(), "openai".into()],
        required,
        current: url.map(|url| ProviderRoute {
            protocol: "anthropic".into(),
            base_url: url.into(),
        }),
    }
}

fn listed() -> Screen {
    let mut bench = Bench::ready();
    std::sync::Arc::make_mut(&mut bench.session.agent)
        .caps
        .providers = true;
    let mut screen = Screen::new(bench);
    screen.press("ctrl-p");
    screen.types("providers");
    let commands = screen.press("enter");
    assert!(matches!(
        commands.as_slice(),
        [UiCommand::Session(Event::ListProviders)]
    ));
    screen.apply(commands);
    assert!(screen.draw().contains("asking OpenCode for its providers"));
    let list = vec![
        provider("main", true, Some("https://api.anthropic.example")),
        provider("small", false, Some("https://llm.example/v1")),
        provider("spare", false, None),
    ];
    screen.bench.says(FromAgent::Reply {
        caller: crate::model::SessionKey::default(),
        call: CallTag::ListProviders,
        result: CallResult::ProvidersListed(list),
    });
    screen
}

// V1-AUTH-12
#[test]
fn a_provider_is_set_with_its_headers_unseen() {
    let mut screen = listed();
    let picture = screen.draw();
    for text in ["main  required", "https://llm.example/v1", "disabled"] {
        assert!(picture.contains(text), "{text}: {picture}");
    }
    screen.press("enter");
    let picture = screen.draw();
    assert!(picture.contains("Provider main of OpenCode"), "{picture}");
    screen.press("down enter");
    screen.press("ctrl-u");
    screen.types("http://127.0.0.1");
    screen.press("enter");
    screen.types("Authorization: Bearer sesame");
    screen.press("ctrl-j");
    screen.types("X-Org: mine");
    let picture = screen.draw();
    assert!(
        picture.contains("Authorization: ****** ******"),
        "{picture}"
    );
    assert!(!picture.contains("sesame") && !picture.contains("mine"));
    screen.press("enter");
    assert!(!screen.draw().contains("sesame"));
    let commands = screen.press("enter");
    let [UiCommand::Session(Event::SetProvider(setting))] = commands.as_slice() else {
        panic!("{commands:?}");
    };
    assert_eq!(setting.id, "main");
    assert_eq!(setting.route.protocol, "openai");
    assert_eq!(setting.route.base_url, "http://127.0.0.1");
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(
        setting.headers.0,
        [
            pair("Authorization", "Bearer sesame"),
            pair("X-Org", "mine")
        ]
    );
    // Back in the list.
    assert!(screen.draw().contains("Providers"));
}

#[test]
fn a_header_without_a_name_is_not_sent() {
    let mut screen = listed();
    screen.press("enter enter enter");
    screen.types("sesame");
    screen.press("enter");
    assert!(screen.press("enter").is_empty());
    assert!(screen.draw().contains("`Name: value`"));
}

// V1-AUTH-12
#[test]
fn a_provider_is_disabled_at_the_second_press_and_never_one_that_is_required() {
    let mut screen = listed();
    for _ in 0..3 {
        assert!(screen.press("ctrl-x").is_empty());
    }
    assert!(screen.draw().contains("it cannot be disabled"));
    screen.press("down");
    assert!(screen.press("ctrl-x").is_empty());
    assert!(screen.draw().contains("again disables small"));
    // Another key comes between.
    screen.press("down up");
    assert!(screen.press("ctrl-x").is_empty());
    let commands = screen.press("ctrl-x");
    assert!(
        matches!(commands.as_slice(), [UiCommand::Session(Event::DisableProvider { id })] if id == "small"),
        "{commands:?}"
    );
}

/// V1-AUTH-12
#[test]
fn no_providers_without_the_capability() {
    let mut screen = Screen::new(Bench::ready());
    screen.press("ctrl-p");
    screen.types("providers");
    assert!(!screen.draw().contains("the agent's models are"));
}

#[test]
fn pictures_of_providers() {
    for (name, keys) in [("providers", ""), ("provider", "enter")] {
        let mut screen = listed();
        screen.press(keys);
        for (width, height) in [(40, 16), (80, 24), (200, 40)] {
            screen.size = (width, height);
            let buffer = screen.buffer().0;
            let name = format!("{name}_{width}x{height}");
            keep(&name, &buffer);
            insta::assert_snapshot!(name, text(&buffer));
        }
    }
}

// V1-SES-20
#[test]
fn a_session_is_renamed_by_a_line() {
    let mut screen = Screen::new(Bench::ready());
    screen.bench.session.title = Some("Greeting".into());
    screen.press("f2");
    let picture = screen.draw();
    assert!(picture.contains("Rename the session"), "{picture}");
    assert!(picture.contains("Greeting"), "{picture}");
    screen.press("ctrl-u");
    // A title there has to be.
    assert!(screen.press("enter").is_empty());
    screen.types("The parser");
    let commands = screen.press("enter");
    assert!(
        matches!(commands.as_slice(), [UiCommand::Session(Event::SetTitle { of: None, title })] if title == "The parser"),
        "{commands:?}"
    );
    assert!(!screen.draw().contains("Rename the session"));
    screen.press("f2 x");
    assert!(screen.press("esc").is_empty());
    assert!(!screen.draw().contains("Rename the session"));
    assert_eq!(screen.draft(), "");
}

// One that nobody gave a title is called what was asked first, and that is changed.
#[test]
fn what_is_renamed_is_the_name_that_is_shown() {
    let mut screen = Screen::new(Bench::ready());
    screen.bench.prompt("Fix the parser");
    screen.press("f2");
    screen.types(", soon");
    let commands = screen.press("enter");
    assert!(
        matches!(commands.as_slice(), [UiCommand::Session(Event::SetTitle { title, .. })] if title == "Fix the parser, soon"),
        "{commands:?}"
    );
}
