//! Pages that the agent wants opened.

use super::*;
use crate::{
    model::{ElicitationId, FromAgent},
    session::PageAnswer,
};

fn page(url: &str) -> Shown {
    let mut bench = Bench::working();
    bench.asks_for_page(url);
    Shown::new(bench)
}

fn without_browser(url: &str) -> Shown {
    let mut bench = Bench::working();
    bench.project.no_browser = Some("no browser on this side of the ssh connection".into());
    bench.asks_for_page(url);
    Shown::new(bench)
}

fn answer_of(outcome: Outcome) -> Option<PageAnswer> {
    let mut wishes = outcome.wishes.into_iter();
    wishes.find_map(|wish| match wish {
        Wish::Command(UiCommand::Session(Event::AnswerPage { answer, .. })) => Some(answer),
        _ => None,
    })
}

const LONG: &str = "https://login.example.com/authorize?client_id=0123456789abcdef&scope=deploy\
                    %20read&redirect_uri=https%3A%2F%2Flocalhost%3A9999&state=xyzzy";

// V1-ELI-01, V1-ELI-14
#[test]
fn the_whole_address_and_its_host_are_shown() {
    let mut shown = page(LONG);
    for (width, height) in [(40, 30), (80, 24), (200, 50)] {
        let picture = shown.draw(width, height);
        let text: String = picture
            .lines()
            .map(|row| row.trim_matches(|c| c == '│' || c == ' '))
            .collect();
        assert!(text.contains(LONG), "{picture}");
        assert!(
            picture.contains("it leads to login.example.com"),
            "{picture}"
        );
        assert!(picture.contains("OpenCode wants you"), "{picture}");
    }
}

// V1-ELI-14: nothing is opened by a key in flight, nor by default.
#[test]
fn a_page_is_opened_by_consent_alone() {
    let mut shown = page(LONG);
    assert!(passes(&shown.press("y")));
    let mut shown = shown.settled();
    let enter = shown.press("enter");
    assert!(matches!(enter.wishes.as_slice(), [Wish::Toast(_)]) && !enter.close);
    for (key, answer) in [
        ("y", PageAnswer::Open),
        ("1", PageAnswer::Open),
        ("n", PageAnswer::Decline),
        ("3", PageAnswer::Decline),
        ("esc", PageAnswer::Dismiss),
    ] {
        let mut shown = page(LONG).settled();
        let outcome = shown.press(key);
        assert!(outcome.close, "{key}");
        assert_eq!(answer_of(outcome), Some(answer), "{key}");
    }
}

#[test]
fn copying_the_address_answers_nothing() {
    let mut shown = page(LONG).settled();
    let outcome = shown.press("2");
    assert!(outcome.taken && !outcome.close);
    assert!(matches!(
        outcome.wishes.as_slice(),
        [Wish::Command(UiCommand::Copy(url))] if url == LONG
    ));
}

// V1-ELI-15
#[test]
fn what_should_make_one_wary_is_said() {
    for (url, words) in [
        ("http://example.com/", "not encrypted"),
        ("https://xn--pple-43d.com/", "may imitate another one"),
        ("https://example.com@evil.com/", "before the @"),
        ("https://203.0.113.7/", "an IP address"),
    ] {
        let picture = page(url).draw(80, 24);
        assert!(picture.contains(words), "{picture}");
    }
    let picture = page("https://example.com@evil.com/").draw(80, 24);
    assert!(picture.contains("it leads to evil.com"), "{picture}");
    assert!(!page(LONG).draw(80, 24).contains('!'));
}

// V1-ELI-19
#[test]
fn without_a_browser_it_is_accepted_once_the_person_has_opened_it() {
    let mut shown = without_browser(LONG);
    let picture = shown.draw(80, 24);
    assert!(
        picture.contains("no browser on this side of the ssh"),
        "{picture}"
    );
    assert!(!picture.contains("Open in the browser"), "{picture}");
    let mut shown = shown.settled();
    let copied = shown.press("1");
    assert!(matches!(
        copied.wishes.as_slice(),
        [Wish::Command(UiCommand::Copy(_))]
    ));
    assert_eq!(
        answer_of(shown.press("2")),
        Some(PageAnswer::OpenedElsewhere)
    );
}

// V1-ELI-18
#[test]
fn a_page_that_is_done_already_is_told_in_the_dialog() {
    let mut shown = page(LONG);
    assert!(!shown.draw(80, 24).contains("is done"));
    shown.bench.says(FromAgent::ElicitationDone {
        id: ElicitationId("page-1".to_owned()),
    });
    assert!(
        shown
            .draw(80, 24)
            .contains("the agent says that it is done")
    );
}

#[test]
fn pictures_of_a_page() {
    for (name, url) in [
        ("page", LONG),
        (
            "page_warned",
            "http://bank.example@xn--pple-43d.com:8080/login?next=%2F",
        ),
    ] {
        for (width, height) in [(40, 12), (80, 24), (200, 50)] {
            let mut shown = page(url).settled();
            let name = format!("{name}_{width}x{height}");
            let buffer = shown.buffer(width, height);
            keep(&name, &buffer);
            insta::assert_snapshot!(name, text(&buffer));
        }
    }
    let mut shown = without_browser(LONG).settled();
    let buffer = shown.buffer(80, 24);
    keep("page_by_hand", &buffer);
    insta::assert_snapshot!("page_by_hand_80x24", text(&buffer));
}
