//! Filling in, looking over, answering.

use std::{collections::BTreeMap, sync::Arc};

use ratatui::style::Modifier;

use super::*;
use crate::{
    model::{Bounds, ElicitationMode, Field, FieldOption, Form, FormValue, TextField, TextFormat},
    text::{SafeText, cell_width},
    ui::{
        keymap::Keymap,
        offload::Offload,
        testing::{Bench, keep, text},
        theme::{Background, Colours, Symbols, Theme},
    },
};

fn field(key: &str, title: &'static str, required: bool, kind: FieldKind) -> Field {
    Field {
        key: key.to_owned(),
        title: Some(title.into()),
        description: None,
        required,
        kind,
    }
}

fn option(value: &str, title: &'static str, description: Option<&'static str>) -> FieldOption {
    FieldOption {
        value: value.to_owned(),
        title: title.into(),
        description: description.map(Into::into),
    }
}

fn line(default: &str) -> FieldKind {
    FieldKind::Text(TextField {
        default: (!default.is_empty()).then(|| default.to_owned()),
        ..TextField::default()
    })
}

/// Each kind of field once.
fn deployment() -> Form {
    let mut name = field(
        "name",
        "Release name",
        true,
        FieldKind::Text(TextField {
            min_length: Some(3),
            max_length: Some(20),
            pattern: Some("^[a-z0-9-]+$".to_owned()),
            ..TextField::default()
        }),
    );
    name.description = Some("Stands in the address of the release.".into());
    Form {
        title: Some("Deploy the tool".into()),
        description: None,
        fields: vec![
            name,
            field(
                "when",
                "Not before",
                false,
                FieldKind::Text(TextField {
                    format: Some(TextFormat::Date),
                    ..TextField::default()
                }),
            ),
            field(
                "region",
                "Region",
                true,
                FieldKind::Select {
                    options: vec![
                        option("eu-1", "Europe", Some("Frankfurt")),
                        option("us-1", "United States", None),
                        option("ap-1", "Asia", None),
                    ],
                    default: Some(0),
                },
            ),
            field(
                "copies",
                "Copies",
                true,
                FieldKind::Integer(Bounds {
                    minimum: Some(1),
                    maximum: Some(9),
                    default: Some(2),
                }),
            ),
            field(
                "share",
                "Share of traffic",
                false,
                FieldKind::Number(Bounds {
                    minimum: Some(0.0),
                    maximum: Some(1.0),
                    default: Some(0.25),
                }),
            ),
            field(
                "public",
                "Public",
                true,
                FieldKind::Boolean { default: None },
            ),
            field(
                "checks",
                "Checks",
                false,
                FieldKind::MultiSelect {
                    options: vec![
                        option("lint", "Lint", None),
                        option("test", "Tests", None),
                        option("load", "Load test", None),
                    ],
                    min_items: Some(1),
                    max_items: Some(2),
                    default: vec![1],
                },
            ),
            field("tint", "Tint", false, FieldKind::Unknown("color".into())),
        ],
    }
}

struct Shown {
    bench: Bench,
    dialog: FormDialog,
    keymap: Keymap,
    theme: Theme,
    agents: crate::ui::AgentList,
    offload: Offload,
    symbols: Symbols,
}

impl Shown {
    /// Its guard is open.
    fn new(form: Form) -> Self {
        let mut shown = Self::typed_before(form, None);
        shown.draw(80, 50);
        shown.bench.wait(400);
        shown
    }

    /// The last key was that long ago, in ms.
    fn typed_before(form: Form, ago: Option<u64>) -> Self {
        let mut bench = Bench::working();
        bench.elicits("Where should it go?", ElicitationMode::Form(form));
        let last_key = ago.map(|ms| bench.now - std::time::Duration::from_millis(ms));
        let Some(crate::session::Question::Form(question)) = bench.session.shown_question() else {
            panic!("no form");
        };
        let dialog = FormDialog::new(question, Guard::new(last_key));
        Self {
            bench,
            dialog,
            keymap: Keymap::new(&BTreeMap::new()),
            theme: Theme::palette(Background::Dark, Colours::Indexed),
            offload: Offload::immediate(),
            agents: Arc::new([]),
            symbols: Symbols::UNICODE,
        }
    }

    fn with<T>(
        &mut self,
        frame: Frame,
        act: impl FnOnce(&mut FormDialog, &OverlayContext<'_>) -> T,
    ) -> T {
        let cx = OverlayContext {
            measure: crate::ui::render::MEASURE,
            session: Some(&self.bench.session),
            sessions: None,
            project: &self.bench.project,
            agents: &self.agents,
            found: &crate::ui::FoundInText::default(),
            keymap: &self.keymap,
            theme: &self.theme,
            symbols: &self.symbols,
            offload: &self.offload,
            diff: crate::config::DiffLayout::Auto,
            frame,
            motion: true,
            spoken: false,
            drafting: false,
            editing: crate::config::Editing::Emacs,
            now: self.bench.now,
        };
        act(&mut self.dialog, &cx)
    }

    fn picture(&mut self, width: u16, height: u16) -> (Buffer, Option<Position>) {
        self.with(Frame::for_screen(width, height), |dialog, cx| {
            let room = Room::new(width, height - 2);
            let area = Rect::new(0, 0, width, dialog.height(room, cx));
            let mut buffer = Buffer::empty(area);
            let cursor = dialog.draw(area, &mut buffer, cx);
            (buffer, cursor)
        })
    }

    fn draw(&mut self, width: u16, height: u16) -> String {
        text(&self.picture(width, height).0)
    }

    /// Each key by itself, drawn after each.
    fn press(&mut self, keys: &str) -> Outcome {
        let mut last = Outcome::pass();
        self.draw(80, 50);
        for key in keys.split_whitespace() {
            last = self.press_only(key);
            self.draw(80, 50);
        }
        last
    }

    fn press_only(&mut self, key: &str) -> Outcome {
        let chord = Chord::parse(key).unwrap_or_else(|error| panic!("{error}"));
        self.with(Frame::Full, |dialog, cx| dialog.handle(chord, cx))
    }

    fn types(&mut self, text: &str) {
        self.draw(80, 50);
        for c in text.chars() {
            let key = Chord::new(
                crossterm::event::KeyCode::Char(c),
                crossterm::event::KeyModifiers::NONE,
            );
            let outcome = self.with(Frame::Full, |dialog, cx| dialog.handle(key, cx));
            assert!(outcome.taken, "{c} is for the field");
        }
    }
}

fn answer_of(outcome: Outcome) -> Option<ElicitationAnswer> {
    let mut wishes = outcome.wishes.into_iter();
    wishes.find_map(|wish| match wish {
        Wish::Command(UiCommand::Session(Event::AnswerForm { answer, .. })) => Some(answer),
        _ => None,
    })
}

fn value(key: &str, value: FormValue) -> (String, FormValue) {
    (key.to_owned(), value)
}

fn words(text: &str) -> FormValue {
    FormValue::Text(text.to_owned())
}

// Filling in.

// V1-ELI-06, V1-ELI-07, V1-ELI-08, V1-ELI-09, V1-ELI-10, V1-ELI-12
#[test]
fn every_kind_of_field_is_filled_in_by_the_keyboard() {
    let mut shown = Shown::new(deployment());
    shown.types("spring-1");
    shown.press("enter");
    shown.types("2026-04-01");
    // A list: down to the second, chosen by enter.
    shown.press("tab down enter");
    shown.press("ctrl-u 3 tab");
    shown.press("ctrl-u 0 . 5 tab");
    shown.press("space tab");
    // Several: the first too.
    shown.press("space tab");
    let answer = answer_of(shown.press("enter"));
    let checks = ["lint", "test"].map(str::to_owned).to_vec();
    assert_eq!(
        answer,
        Some(ElicitationAnswer::Accept(Some(vec![
            value("name", words("spring-1")),
            value("when", words("2026-04-01")),
            value("region", words("us-1")),
            value("copies", FormValue::Integer(3)),
            value("share", FormValue::Number(0.5)),
            value("public", FormValue::Boolean(true)),
            value("checks", FormValue::Texts(checks)),
        ])))
    );
}

// V1-ELI-12
#[test]
fn what_breaks_a_rule_is_told_at_its_field_and_not_sent() {
    let mut shown = Shown::new(deployment());
    shown.types("X");
    let picture = shown.draw(80, 40);
    assert!(
        !picture.contains("at least 3 characters,"),
        "still being typed:\n{picture}"
    );
    shown.press("up up tab");
    let picture = shown.draw(80, 40);
    assert!(
        picture.contains("✗ at least 3 characters, not 1"),
        "{picture}"
    );
    // To the answers, and send.
    for _ in 0..10 {
        shown.press("tab");
    }
    shown.press("shift-tab shift-tab");
    assert_eq!(shown.dialog.focus, Focus::Answer(Answer::Send));
    let outcome = shown.press("enter");
    assert!(outcome.taken && !outcome.close && outcome.wishes.is_empty());
    assert_eq!(
        shown.dialog.focus,
        Focus::Field(0),
        "the first that is wrong"
    );
    let picture = shown.draw(80, 40);
    assert!(picture.contains("choose yes or no"), "{picture}");
    shown.press("ctrl-u");
    shown.types("spring");
    assert!(!shown.draw(80, 40).contains("at least 3"));
}

#[test]
fn choices_are_made_and_taken_back() {
    let mut shown = Shown::new(deployment());
    let held =
        |shown: &Shown, at: usize| shown.dialog.draft.field(at).map(|(_, input)| input.clone());
    shown.press("tab tab");
    // By the first letter, and with the space bar.
    shown.press("a space");
    assert_eq!(
        held(&shown, 2),
        Some(crate::session::Input::Choice(Some(2)))
    );
    shown.press("backspace");
    assert_eq!(held(&shown, 2), Some(crate::session::Input::Choice(None)));
    // Down over the last one leads on.
    shown.press("end down");
    assert_eq!(shown.dialog.focus, Focus::Field(3));
    shown.press("tab tab n");
    assert_eq!(
        held(&shown, 5),
        Some(crate::session::Input::Flag(Some(false)))
    );
    shown.press("left");
    assert_eq!(
        held(&shown, 5),
        Some(crate::session::Input::Flag(Some(true)))
    );
    shown.press("tab space down space");
    let several = crate::session::Input::Choices(vec![true, false, false]);
    assert_eq!(held(&shown, 6), Some(several));
    // A field that is not known is passed over.
    shown.press("tab");
    assert_eq!(shown.dialog.focus, Focus::Answer(Answer::Send));
}

// V1-ELI-12: passing a field by changes nothing.
#[test]
fn defaults_are_kept_by_passing_by() {
    let mut shown = Shown::new(deployment());
    let before = shown.dialog.draft.values();
    for _ in 0..7 {
        shown.press("tab");
    }
    for _ in 0..7 {
        shown.press("up");
    }
    assert_eq!(shown.dialog.draft.values(), before);
    assert!(!shown.dialog.draft.is_touched());
}

#[test]
fn a_paste_goes_into_the_field_with_its_line_breaks() {
    let mut shown = Shown::new(Form {
        fields: vec![field("note", "Note", false, line("one "))],
        ..Form::default()
    });
    shown.draw(80, 24);
    let outcome = shown.with(Frame::Full, |dialog, cx| dialog.paste("a\r\nb", cx));
    assert!(outcome.taken);
    assert!(shown.draw(80, 24).contains("one a␤b"));
    shown.press("enter");
    let sent = answer_of(shown.press("enter"));
    assert_eq!(
        sent,
        Some(ElicitationAnswer::Accept(Some(vec![value(
            "note",
            words("one a\nb")
        )])))
    );
}

// Answering.

// V1-ELI-04
#[test]
fn send_decline_and_dismiss_are_three_answers() {
    let form = || Form {
        fields: vec![field("note", "Note", false, line("hello"))],
        ..Form::default()
    };
    let accepted = ElicitationAnswer::Accept(Some(vec![value("note", words("hello"))]));
    for (keys, answer) in [
        ("enter enter", accepted),
        ("tab tab enter", ElicitationAnswer::Decline),
        ("tab right right enter", ElicitationAnswer::Cancel),
        ("esc", ElicitationAnswer::Cancel),
    ] {
        let outcome = Shown::new(form()).press(keys);
        assert!(outcome.close, "{keys}");
        assert_eq!(answer_of(outcome), Some(answer), "{keys}");
    }
}

// V1-ELI-05
#[test]
fn an_enter_read_together_with_the_one_before_sends_nothing() {
    let mut shown = Shown::new(Form {
        fields: vec![field("note", "Note", false, line(""))],
        ..Form::default()
    });
    shown.types("all of a paste");
    for _ in 0..5 {
        let outcome = shown.press_only("enter");
        assert!(outcome.taken && outcome.wishes.is_empty());
    }
    assert_eq!(shown.dialog.focus, Focus::Answer(Answer::Send));
    assert!(
        answer_of(shown.press("enter")).is_some(),
        "once it was seen"
    );
}

#[test]
fn an_enter_behind_what_was_typed_elsewhere_dismisses_nothing() {
    let mut shown = Shown::new(Form {
        fields: vec![field("note", "Note", false, line("hello"))],
        ..Form::default()
    });
    shown.press("tab right right");
    assert_eq!(shown.dialog.focus, Focus::Answer(Answer::Dismiss));
    let typed = shown.press_only("x");
    assert!(!typed.taken, "it goes to the draft");
    shown.draw(80, 50);
    shown.bench.wait(500);
    let enter = shown.press_only("enter");
    assert!(!enter.close && answer_of(enter).is_none());
    // Chosen anew, it counts.
    let outcome = shown.press("tab tab tab enter");
    assert!(outcome.taken);
}

#[test]
fn what_was_filled_in_does_not_go_by_one_esc() {
    let mut shown = Shown::new(deployment());
    shown.types("spring");
    let outcome = shown.press("esc");
    assert!(!outcome.close);
    assert!(matches!(outcome.wishes.as_slice(), [Wish::Toast(_)]));
    assert_eq!(
        answer_of(shown.press("esc")),
        Some(ElicitationAnswer::Cancel)
    );
}

#[test]
fn ctrl_c_stops_the_turn() {
    let outcome = Shown::new(deployment()).press("ctrl-c");
    assert!(matches!(
        outcome.wishes.as_slice(),
        [Wish::Command(UiCommand::Session(Event::Stop))]
    ));
}

// V1-ELI-11
#[test]
fn a_form_with_an_unknown_field_that_is_needed_can_only_be_declined() {
    let mut form = deployment();
    form.fields[7].required = true;
    let mut shown = Shown::new(form);
    let picture = shown.draw(80, 50);
    assert!(
        picture.contains("Tint: a required field of an unknown kind"),
        "{picture}"
    );
    assert!(picture.contains("(color)"), "{picture}");
    assert!(!picture.contains("Send"), "{picture}");
    for _ in 0..7 {
        shown.press("tab");
    }
    assert_eq!(
        answer_of(shown.press("enter")),
        Some(ElicitationAnswer::Decline)
    );
}

#[test]
fn the_option_under_the_cursor_is_set_off_as_a_whole_row() {
    let mut shown = Shown::new(deployment());
    let titled = |row: &str| row.contains("(") && row.contains("❯");
    for _ in 0..8 {
        let text = shown.draw(80, 40);
        if let Some(y) = text.lines().position(titled) {
            let (buffer, _) = shown.picture(80, 40);
            let y = u16::try_from(y).unwrap();
            let style = |x: u16| {
                let cell = &buffer[(x, y)];
                (cell.bg, cell.modifier.contains(Modifier::REVERSED))
            };
            let text = text.lines().nth(usize::from(y)).unwrap();
            let at = text.chars().position(|c| c == '(').unwrap();
            let at = u16::try_from(at).unwrap();
            assert_eq!(style(at + 1), style(75), "{text}");
            assert_ne!(style(at + 1), style(1), "{text}");
            return;
        }
        shown.press("tab");
    }
    panic!("no options");
}

#[test]
fn in_a_form_without_fields_nothing_is_selected_at_first() {
    let mut shown = Shown::new(Form::default());
    let outcome = shown.press("enter");
    assert!(outcome.taken && outcome.wishes.is_empty());
    let sent = answer_of(shown.press("down enter"));
    assert_eq!(sent, Some(ElicitationAnswer::Accept(Some(Vec::new()))));
}

// The guard.

#[test]
fn keys_count_after_a_pause_and_go_to_the_draft_before() {
    let mut shown = Shown::typed_before(deployment(), None);
    shown.draw(80, 24);
    shown.bench.wait(399);
    assert!(!shown.press_only("x").taken);
    let mut shown = Shown::new(deployment());
    assert!(shown.press_only("x").taken);
    let mut shown = Shown::typed_before(deployment(), Some(100));
    shown.draw(80, 24);
    for key in ["x", "space", "y"] {
        let outcome = shown.press_only(key);
        assert!(!outcome.taken, "{key} is the draft's");
        shown.bench.wait(300);
    }
    let enter = shown.press_only("enter");
    assert!(
        enter.taken && enter.wishes.is_empty(),
        "enter sends no draft"
    );
    assert_eq!(shown.dialog.focus, Focus::Field(0), "nor goes on");
    shown.bench.wait(400);
    assert!(shown.press_only("x").taken);
    assert!(shown.dialog.takes_text(shown.bench.now));
}

#[test]
fn the_conversation_can_be_scrolled_meanwhile() {
    let mut shown = Shown::new(deployment());
    for key in ["pgup", "pgdn", "ctrl-home", "ctrl-end", "ctrl-l", "ctrl-z"] {
        let outcome = shown.press(key);
        assert!(!outcome.taken && outcome.wishes.is_empty(), "{key}");
    }
    assert!(!shown.press("ctrl-d").taken, "nothing to delete");
}

// What is seen.

// V1-ELI-13
#[test]
fn a_field_for_a_secret_is_warned_about() {
    for key in ["password", "apiKey", "github_token", "client-secret"] {
        let mut shown = Shown::new(Form {
            fields: vec![field(key, "Yours", false, line(""))],
            ..Form::default()
        });
        let picture = shown.draw(80, 24);
        assert!(
            picture.contains("a form must not ask for a secret"),
            "{picture}"
        );
    }
    let picture = Shown::new(deployment()).draw(80, 24);
    assert!(!picture.contains("secret"), "{picture}");
}

// V1-ELI-05: once the keys are at the answers, every value is in sight.
#[test]
fn all_values_are_looked_over_before_sending() {
    let mut shown = Shown::new(deployment());
    shown.types("spring-1");
    for _ in 0..7 {
        shown.press("tab");
    }
    let picture = shown.draw(80, 30);
    for value in [
        "spring-1", "left out", "Europe", "2", "0.25", "needed", "Tests", "(color)",
    ] {
        assert!(picture.contains(value), "{value} in\n{picture}");
    }
}

#[test]
fn the_caret_stands_in_the_field_and_fields_stay_in_sight() {
    for (width, height) in [(40, 10), (40, 24), (80, 24), (200, 50)] {
        let mut shown = Shown::new(deployment());
        for at in 0..7 {
            let (buffer, cursor) = shown.picture(width, height);
            let picture = text(&buffer);
            let label = shown.dialog.draft.fields()[at].label();
            assert!(picture.contains(label.as_str()), "{label} in\n{picture}");
            let is_text = matches!(shown.dialog.controls[at], Control::Text(_));
            assert_eq!(cursor.is_some(), is_text, "{label} in\n{picture}");
            assert!(picture.contains("Decline"), "{picture}");
            shown.press_only("tab");
        }
    }
}

#[test]
fn long_values_and_many_options_stay_within_bounds() {
    let many: Vec<FieldOption> = (0..300)
        .map(|n| FieldOption {
            value: n.to_string(),
            title: SafeText::line(&format!("option number {n}")),
            description: None,
        })
        .collect();
    let mut shown = Shown::new(Form {
        fields: vec![
            field("a", "Text", false, line(&"long ".repeat(80))),
            field(
                "b",
                "List",
                false,
                FieldKind::Select {
                    options: many,
                    default: Some(150),
                },
            ),
        ],
        ..Form::default()
    });
    for width in [20, 40, 80] {
        let picture = shown.draw(width, 24);
        for row in picture.lines() {
            assert!(cell_width(row) <= width.into(), "{picture}");
        }
    }
    shown.press("tab");
    let picture = shown.draw(80, 24);
    assert!(picture.contains("option number 150"), "{picture}");
    assert!(picture.contains("more"), "{picture}");
    assert!(!picture.contains("option number 0 "), "{picture}");
}

#[test]
fn pictures_of_a_form() {
    for (width, height) in [(20, 30), (40, 24), (80, 24), (200, 50)] {
        let mut shown = Shown::new(deployment());
        shown.types("X");
        let keep_picture = |shown: &mut Shown, state: &str| {
            let buffer = shown.picture(width, height).0;
            let name = format!("form_{state}_{width}x{height}");
            keep(&name, &buffer);
            insta::assert_snapshot!(name, text(&buffer));
        };
        keep_picture(&mut shown, "text");
        shown.press("tab tab");
        keep_picture(&mut shown, "list");
        shown.press("tab tab tab tab");
        keep_picture(&mut shown, "several");
        shown.press("tab");
        keep_picture(&mut shown, "review");
    }
}
