//! Finding in the viewers.

use super::{
    tests::{diffs, drawn, terminal},
    *,
};
use crate::{
    model::TerminalId,
    text::SafeText,
    ui::{
        find::MAX_PLACES,
        render::testing::{Stage, picture, screen},
        transcript::mark_style,
    },
};

struct Shown {
    viewer: Viewer,
    screens: Screens,
    size: (u16, u16),
}

impl Shown {
    fn new(viewer: Viewer) -> Self {
        Self::with(viewer, Screens::default(), (80, 14))
    }

    fn with(viewer: Viewer, screens: Screens, size: (u16, u16)) -> Self {
        let mut shown = Self {
            viewer,
            screens,
            size,
        };
        shown.draw();
        shown
    }

    fn text(text: &str) -> Self {
        Self::new(Viewer::Text(TextViewer::new(
            "output".into(),
            SafeText::new(text),
        )))
    }

    /// Once the search is over.
    fn buffer(&mut self) -> Buffer {
        for _ in 0..10_000 {
            let buf = drawn(&mut self.viewer, &self.screens, self.size.0, self.size.1);
            let search = self.viewer.deadline(Stage::dark().ctx(80).now);
            if search.is_none() {
                return buf;
            }
        }
        panic!("the search does not end")
    }

    fn draw(&mut self) -> String {
        screen(&self.buffer())
    }

    fn bar(&mut self) -> String {
        self.draw().lines().last().unwrap_or_default().to_owned()
    }

    fn key(&mut self, code: KeyCode, modifiers: KeyModifiers) -> Outcome {
        let outcome = self
            .viewer
            .on_key(KeyEvent::new(code, modifiers), &self.screens);
        self.draw();
        outcome
    }

    fn press(&mut self, code: KeyCode) {
        assert!(matches!(self.key(code, KeyModifiers::NONE), Outcome::Stay));
    }

    fn types(&mut self, text: &str) {
        for c in text.chars() {
            self.press(KeyCode::Char(c));
        }
    }
}

fn rows(count: usize) -> String {
    (0..count).map(|n| format!("row {n}\n")).collect()
}

#[test]
fn a_text_is_searched_while_one_types_and_esc_goes_back() {
    let mut shown = Shown::text(&rows(50_000));
    shown.types("/row 4777");
    assert!(shown.bar().contains("1 of 11"), "{}", shown.bar());
    let drawn = shown.draw();
    assert!(drawn.contains("row 4777\n"), "{drawn}");
    assert!(drawn.contains("row 4776"), "what leads to it: {drawn}");
    shown.types("7");
    let buf = shown.buffer();
    picture("viewer_find", &buf);
    insta::assert_snapshot!("find_in_a_text", screen(&buf));
    let theme = Stage::dark();
    let found = mark_style(theme.ctx(80).theme, true);
    let marked = buf.content.iter().filter(|cell| Some(cell.bg) == found.bg);
    assert_eq!(marked.count(), "row 47777".len());
    shown.press(KeyCode::Esc);
    assert!(shown.draw().contains("row 0\n"), "back where it was");
    assert!(shown.bar().contains("/ find"), "{}", shown.bar());
}

#[test]
fn n_goes_on_around_the_ends_and_esc_stays() {
    let mut shown = Shown::text(&rows(1_000));
    shown.types("/row 99");
    assert!(shown.bar().contains("1 of 11"), "{}", shown.bar());
    shown.press(KeyCode::Enter);
    shown.types("n");
    assert!(shown.bar().contains("2 of 11"), "{}", shown.bar());
    assert!(shown.draw().contains("row 990"));
    shown.types("NN");
    assert!(shown.bar().contains("11 of 11"), "{}", shown.bar());
    shown.types("/");
    shown.types("9");
    assert!(shown.bar().contains("1 of 1 "), "edited: {}", shown.bar());
    shown.press(KeyCode::Enter);
    shown.types("n");
    shown.press(KeyCode::Esc);
    let drawn = shown.draw();
    assert!(
        drawn.contains("row 999") && !drawn.contains("find row"),
        "{drawn}"
    );
    assert!(matches!(
        shown.key(KeyCode::Char('q'), KeyModifiers::NONE),
        Outcome::Close
    ));
}

#[test]
fn the_search_begins_where_the_view_is() {
    let mut shown = Shown::text(&rows(1_000));
    shown.types("G");
    assert!(matches!(
        shown.key(KeyCode::Char('f'), KeyModifiers::CONTROL),
        Outcome::Stay
    ));
    shown.types("5 ");
    shown.press(KeyCode::Backspace);
    assert!(shown.bar().contains("300 of 300"), "{}", shown.bar());
    let drawn = shown.draw();
    assert!(drawn.contains("row 995"), "{drawn}");
    shown.press(KeyCode::Up);
    assert!(shown.bar().contains("299 of 300"), "{}", shown.bar());
}

#[test]
fn matches_are_kept_up_to_a_bound() {
    for (matches, told) in [
        (MAX_PLACES - 1, "1 of 9,999 "),
        (MAX_PLACES, "1 of 10,000+"),
        (MAX_PLACES + 1, "1 of 10,000+"),
    ] {
        let mut shown = Shown::text(&"x y x y\n".repeat(matches / 2));
        shown.types("/x");
        if matches % 2 == 1 {
            shown = Shown::text(&format!("{}x", "x y x y\n".repeat(matches / 2)));
            shown.types("/x");
        }
        assert!(shown.bar().contains(told), "{matches}: {}", shown.bar());
    }
}

#[test]
fn a_match_that_is_wrapped_is_found_in_its_line() {
    let mut shown = Shown::text(&format!("{}needle\n{}", "x".repeat(77), rows(10)));
    shown.types("/needle");
    assert!(shown.bar().contains("1 of 1"), "{}", shown.bar());
    let found = mark_style(Stage::dark().ctx(80).theme, true);
    let buf = shown.buffer();
    let marked = buf.content.iter().filter(|cell| Some(cell.bg) == found.bg);
    assert_eq!(marked.count(), 6);
}

#[test]
fn a_diff_is_searched_on_both_sides() {
    // One column, and two.
    for width in [80, 200] {
        let mut shown = Shown::with(diffs(), Screens::default(), (width, 14));
        shown.types("/OLD");
        assert!(shown.bar().contains("no match"), "{}", shown.bar());
        shown.press(KeyCode::Esc);
        shown.types("/old");
        assert!(shown.bar().contains("1 of 4"), "{}", shown.bar());
        shown.press(KeyCode::Enter);
        shown.types("nnn");
        assert!(shown.bar().contains("4 of 4"), "{}", shown.bar());
        assert!(shown.draw().contains("line 95 old"), "{}", shown.draw());
        let buf = shown.buffer();
        picture(&format!("viewer_find_diff_{width}"), &buf);
        let found = mark_style(Stage::dark().ctx(80).theme, true);
        let marked = buf.content.iter().filter(|cell| Some(cell.bg) == found.bg);
        assert_eq!(marked.map(|cell| cell.symbol()).collect::<String>(), "old");
        shown.press(KeyCode::Esc);
        shown.types("g");
        shown.types("/fn b");
        assert!(shown.draw().contains("fn b() {}"), "another file");
    }
}

#[test]
fn in_an_attached_terminal_f3_opens_the_bar_and_esc_gives_the_keys_back() {
    let (viewer, screens) = terminal(None);
    let mut shown = Shown::with(viewer, screens, (60, 12));
    for (code, modifiers) in [
        (KeyCode::Char('/'), KeyModifiers::NONE),
        (KeyCode::Char('f'), KeyModifiers::CONTROL),
    ] {
        let outcome = shown.key(code, modifiers);
        assert!(matches!(outcome, Outcome::Command(_)), "{code:?} is sent");
    }
    shown.press(KeyCode::F(3));
    shown.types("over");
    assert!(shown.bar().contains("1 of 1"), "{}", shown.bar());
    shown.press(KeyCode::Enter);
    shown.types("nx");
    assert!(!shown.viewer.is_attached());
    shown.press(KeyCode::Esc);
    assert!(shown.viewer.is_attached());
    let outcome = shown.key(KeyCode::Char('y'), KeyModifiers::NONE);
    assert!(matches!(outcome, Outcome::Command(_)), "sent again");
    shown.press(KeyCode::F(3));
    let outcome = shown.key(KeyCode::Char(']'), KeyModifiers::CONTROL);
    assert!(matches!(outcome, Outcome::Stay), "the bar has the keys");
}

#[test]
fn the_history_of_a_terminal_is_searched_and_what_comes_too() {
    let (viewer, screens) = terminal(Some(0));
    let shared = screens.get(&TerminalId::new("t")).expect("there").clone();
    shared.change(|screen| screen.feed_text(&format!("\n{}", rows(2_000))));
    let mut shown = Shown::with(viewer, screens, (60, 12));
    shown.types("/row 77");
    assert!(shown.bar().contains("of 11"), "{}", shown.bar());
    shown.press(KeyCode::Enter);
    shown.types("n");
    assert!(shown.bar().contains("of 11"), "{}", shown.bar());
    assert!(shown.draw().contains("row 77"), "{}", shown.draw());
    shared.change(|screen| screen.feed_text("row 77 again\n"));
    shown.draw();
    assert!(shown.bar().contains("of 12"), "{}", shown.bar());
    shown.press(KeyCode::Esc);
    assert!(shown.draw().contains("row 77"), "stays there");
}
