//! A question whose content becomes another one while it stands there.

use super::*;
use crate::model::{AgentEvent, ToolCallPatch, ToolStatus};

type Change = fn(&mut ToolCallPatch);

fn asked(fill: impl Fn(&mut ToolCallPatch), kind: ToolKind) -> (Shown, ToolCallPatch) {
    let mut bench = Bench::working();
    let mut call = bench.call(kind);
    let update = ToolCallPatch::new(call.id.clone());
    fill(&mut call);
    bench.asks(call, usual_options());
    (Shown::new(bench).settled(), update)
}

pub fn ls() -> (Shown, ToolCallPatch) {
    let fill = |call: &mut ToolCallPatch| {
        call.title = Patch::Set("list files".into());
        call.command = Patch::Set("ls".into());
        call.raw_input = Patch::Set(RawJson(Arc::from(r#"{"command":"ls"}"#)));
    };
    asked(fill, ToolKind::Execute)
}

pub fn swapped_command(update: &mut ToolCallPatch) {
    update.command = Patch::Set("rm -rf ~/swapped".into());
    update.raw_input = Patch::Set(RawJson(Arc::from(r#"{"command":"rm -rf ~/swapped"}"#)));
}

pub fn update(shown: &mut Shown, update: ToolCallPatch) {
    let update = AgentEvent::ToolCall(Box::new(update));
    shown.bench.update(update);
}

const CHANGED: &str = "! changed since it was asked";

#[test]
fn whatever_is_changed_must_be_on_the_screen_for_the_pause() {
    let changes: [(&str, Change); 6] = [
        ("swapped", swapped_command),
        ("swapped", |update| {
            update.raw_input = Patch::Set(RawJson(Arc::from(r#"{"script":"swapped"}"#)));
        }),
        ("swapped", |update| {
            update.title = Patch::Set("rm -rf ~/swapped".into());
        }),
        ("swapped", |update| {
            let text = "will run rm -rf ~/swapped".into();
            let text = crate::model::ContentBlock::Text(text);
            update.content = Patch::Set(vec![ToolContent::Block(text)]);
        }),
        (".bashrc", |update| {
            update.content = Patch::Set(vec![diff("/root/.bashrc", "", "evil")]);
        }),
        ("/etc/swapped", |update| {
            let path = "/etc/swapped".into();
            update.locations = Patch::Set(vec![ToolLocation { path, line: None }]);
        }),
    ];
    for (at, (text, change)) in changes.into_iter().enumerate() {
        for frames_first in [false, true] {
            let (mut shown, mut patch) = ls();
            shown.press("down");
            change(&mut patch);
            update(&mut shown, patch);
            if frames_first {
                shown.draw(80, 24);
            }
            for key in ["1", "y", "enter"] {
                assert_eq!(shown.answer(key), None, "{at}: {key}");
            }
            assert_eq!(shown.dialog.choices.selected(), None, "{at}: selected");
            shown.bench.wait(400);
            let picture = shown.draw(80, 24);
            let first = picture.lines().nth(1).unwrap_or_default();
            assert!(first.contains(CHANGED), "{at}: {picture}");
            assert!(picture.contains(text), "{at}: {picture}");
            if !frames_first {
                shown.bench.wait(399);
                assert_eq!(shown.answer("1"), None, "{at}: 399 ms after the frame");
                shown.bench.wait(400);
            }
            assert_eq!(shown.answer("1"), Some(OptionId::new("once")), "{at}");
        }
    }
}

#[test]
fn each_change_begins_the_pause_again() {
    let (mut shown, patch) = ls();
    for n in 0..5 {
        let mut patch = patch.clone();
        patch.command = Patch::Set(format!("rm -rf ~/{n}"));
        update(&mut shown, patch);
        let picture = shown.draw(80, 24);
        assert!(picture.contains(&format!("rm -rf ~/{n}")), "{picture}");
        shown.bench.wait(399);
        let number = shown.with(Frame::Full, |dialog, cx| dialog.guard.is_open(cx.now));
        assert!(!number, "{n}");
    }
}

#[test]
fn the_first_command_never_stands_alone_for_a_newer_one() {
    for (width, height) in [(40, 10), (80, 24), (200, 50)] {
        let (mut shown, mut patch) = ls();
        swapped_command(&mut patch);
        update(&mut shown, patch);
        let picture = shown.draw(width, height);
        assert!(picture.contains("$ rm -rf ~/swapped"), "{picture}");
        assert!(picture.contains(CHANGED), "{picture}");
    }
    let (mut shown, mut patch) = ls();
    swapped_command(&mut patch);
    update(&mut shown, patch);
    let picture = shown.draw(80, 24);
    let said = picture.find("! another command was asked about first:");
    let first = picture.find("$ ls");
    assert!(said.is_some() && said < first, "{picture}");
}

/// V2-PERM-01
#[test]
fn a_command_that_the_request_names_stays_beside_what_its_call_says_now() {
    use crate::model::{CommandSubject, PermissionRequest, PermissionSubject};
    let mut bench = Bench::working();
    let mut call = bench.call(ToolKind::Execute);
    let mut patch = ToolCallPatch::new(call.id.clone());
    call.title = Patch::Set("list files".into());
    let tool_call = Some(call.id.clone());
    bench.update(AgentEvent::ToolCall(Box::new(call)));
    let key = crate::model::RequestKey {
        connection: crate::model::ConnectionId(1),
        number: 99,
    };
    let request = PermissionRequest {
        session: Bench::session_id(),
        title: None,
        description: None,
        subject: PermissionSubject::Command(CommandSubject {
            command: "ls".into(),
            cwd: "/home/me/src/tool".into(),
            tool_call,
            terminal: None,
        }),
        options: usual_options(),
    };
    bench.says(crate::model::FromAgent::Request {
        key,
        request: HostRequest::Permission(Box::new(request)),
    });
    let question = bench.session.questions.front().map(|asked| asked.id());
    bench.event(Event::Decided {
        revision: None,
        question: question.expect("it asks"),
        verdict: crate::session::Verdict::ask(None),
    });
    let mut shown = Shown::new(bench).settled();
    swapped_command(&mut patch);
    update(&mut shown, patch);
    assert_eq!(shown.answer("1"), None);
    let picture = shown.draw(80, 24);
    for text in [CHANGED, "$ ls", "rm -rf ~/swapped"] {
        assert!(picture.contains(text), "{text} in {picture}");
    }
}

#[test]
fn what_shows_nothing_new_changes_nothing() {
    let (mut shown, mut patch) = ls();
    shown.press("down");
    patch.status = Patch::Set(ToolStatus::InProgress);
    patch.title = Patch::Set("list files".into());
    patch.command = Patch::Set("ls".into());
    patch.raw_input = Patch::Set(RawJson(Arc::from(r#"{"command":"ls"}"#)));
    update(&mut shown, patch);
    let picture = shown.draw(80, 24);
    assert!(!picture.contains("changed since"), "{picture}");
    assert_eq!(shown.answer("enter"), Some(OptionId::new("once")));
}

#[test]
fn another_width_is_no_change() {
    let (mut shown, _) = ls();
    shown.draw(40, 10);
    assert_eq!(shown.answer("1"), Some(OptionId::new("once")));
}

#[test]
fn what_the_comparison_finds_is_seen_before_an_answer_and_is_no_change_by_the_agent() {
    let fill = |call: &mut ToolCallPatch| {
        call.title = Patch::Set("Edit a.rs".into());
        call.content = Patch::Set(vec![diff("a.rs", "one\n", "two\n")]);
    };
    let (mut shown, _) = asked(fill, ToolKind::Edit);
    let effects = shown.bench.effects.iter();
    let comparison = effects.rev().find_map(|effect| match effect {
        crate::session::Effect::Compare(comparison) => Some(comparison.of.clone()),
        _ => None,
    });
    let ToolContent::Diff(found) = diff("a.rs", "zero\none\n", "zero\ntwo\nFOUND\n") else {
        panic!("a diff");
    };
    shown.bench.event(Event::Compared {
        of: comparison.expect("it is compared"),
        shown: Some(vec![Some(found)]),
    });
    assert_eq!(shown.answer("1"), None);
    let picture = shown.draw(80, 24);
    assert!(picture.contains("FOUND"), "{picture}");
    assert!(!picture.contains("changed since"), "{picture}");
    shown.bench.wait(399);
    let open = shown.with(Frame::Full, |dialog, cx| dialog.guard.is_open(cx.now));
    assert!(!open);
    shown.bench.wait(1);
    assert_eq!(shown.answer("1"), Some(OptionId::new("once")));
}

/// OpenCode sends a patch with four lines around a change beside the whole texts, of which the diff
/// with the file has three.
#[test]
fn a_patch_with_more_lines_around_a_change_is_told_by_the_whole_texts() {
    let (old, new) = ("1\n2\n3\n4\nold\n6\n", "1\n2\n3\n4\nnew\n6\n");
    let picture = |first: &str| {
        let head = "Index: a.rs\n===\n--- a.rs\n+++ a.rs\n";
        let lines = format!("@@ -1,6 +1,6 @@\n {first}\n 2\n 3\n 4\n-old\n+new\n 6\n");
        let raw = serde_json::json!({"filepath": "a.rs", "diff": format!("{head}{lines}")});
        let fill = |call: &mut ToolCallPatch| {
            call.title = Patch::Set("a.rs".into());
            call.content = Patch::Set(vec![diff("a.rs", old, new)]);
            call.raw_input = Patch::Set(RawJson(Arc::from(raw.to_string())));
        };
        let (mut shown, _) = asked(fill, ToolKind::Edit);
        let effects = shown.bench.effects.iter();
        let comparison = effects.rev().find_map(|effect| match effect {
            crate::session::Effect::Compare(comparison) => Some(comparison.of.clone()),
            _ => None,
        });
        let text = SafeText::with_line_ends(
            "--- a.rs\n+++ a.rs\n@@ -2,5 +2,5 @@\n 2\n 3\n 4\n-old\n+new\n 6\n",
        );
        let found =
            crate::model::Diff::of_patch("a.rs".into(), crate::model::FileChange::Modify, text);
        shown.bench.event(Event::Compared {
            of: comparison.expect("it is compared"),
            shown: Some(vec![Some(found.into())]),
        });
        shown.draw(80, 40)
    };
    let told = picture("1");
    assert!(!told.contains("input"), "{told}");
    let other = picture("a line that is nowhere");
    assert!(other.contains("input"), "{other}");
}

// Options that are longer than the screen.

fn nine_long_options() -> Shown {
    let mut bench = Bench::working();
    let mut call = bench.call(ToolKind::Execute);
    call.command = Patch::Set("rm -rf ~".into());
    let name = "blah ".repeat(200);
    let options = (1..=9).map(|n| {
        let name = format!("opt{n} {name}");
        option(&format!("o{n}"), &name, PermissionKind::AllowOnce)
    });
    bench.asks(call, options.collect());
    Shown::new(bench)
}

#[test]
fn long_options_are_cut_and_all_on_the_screen() {
    let mut shown = nine_long_options();
    let picture = shown.draw(80, 24);
    for n in 1..=9 {
        assert!(picture.contains(&format!("opt{n} ")), "{n}: {picture}");
    }
    assert!(picture.contains('…') && picture.contains("rm -rf ~"));
    assert!(picture.contains("ctrl-o more"), "{picture}");
    shown.bench.wait(400);
    assert_eq!(shown.answer("9"), Some(OptionId::new("o9")));
    let mut shown = nine_long_options();
    shown.draw(80, 24);
    shown.press("ctrl-o");
    let picture = shown.draw(80, 24);
    assert!(picture.matches("blah").count() > 100, "whole: {picture}");
}

#[test]
fn an_option_answers_only_once_its_row_was_on_the_screen() {
    for expanded in [false, true] {
        for (width, height) in [(80, 24), (40, 10)] {
            for n in 1..=9 {
                let mut shown = nine_long_options();
                shown.draw(width, height);
                if expanded {
                    shown.press("ctrl-o");
                }
                let picture = shown.draw(width, height);
                shown.bench.wait(400);
                let answered = shown.answer(&n.to_string());
                if !picture.contains(&format!("opt{n} ")) {
                    assert_eq!(answered, None, "{n} in {picture}");
                    let again = shown.answer(&n.to_string());
                    assert_eq!(again, None, "{n} before another frame");
                    let picture = shown.draw(width, height);
                    assert!(picture.contains(&format!("opt{n} ")), "{n} in {picture}");
                    let answered = shown.answer(&n.to_string());
                    assert_eq!(answered, Some(OptionId::new(format!("o{n}"))));
                }
            }
        }
    }
}

/// Rows of a screen from which on all of the below holds; what has fewer shows the path.
const SMALLEST: u16 = 9;

#[test]
fn a_small_screen_shows_the_first_change_and_how_to_refuse() {
    let lines = |changed: &str| -> String {
        let line = |n| match n {
            20 => format!("{changed}\n"),
            n => format!("line {n}\n"),
        };
        (0..40).map(line).collect()
    };
    let fill = |call: &mut ToolCallPatch| call.title = Patch::Set("Edit a.rs".into());
    let mut bench = Bench::working();
    let mut call = bench.call(ToolKind::Edit);
    fill(&mut call);
    call.content = Patch::Set(vec![diff("a.rs", &lines("GONE"), &lines("COME"))]);
    bench.asks(call, usual_options());
    let mut shown = Shown::new(bench).settled();
    for width in (20..=200).step_by(4) {
        for height in SMALLEST..=60 {
            let picture = shown.draw(width, height);
            assert!(
                picture.contains("a.rs"),
                "{width}\u{d7}{height}:\n{picture}"
            );
            assert!(
                picture.contains("GONE"),
                "{width}\u{d7}{height}:\n{picture}"
            );
            assert!(
                picture.contains("Reject") || picture.contains("esc"),
                "{width}\u{d7}{height}:\n{picture}"
            );
        }
    }
    let picture = shown.draw(40, 10);
    assert!(
        picture.contains("ctrl-o all") && picture.contains("esc stop"),
        "{picture}"
    );
}

#[test]
fn as_many_lines_are_left_out_in_a_question_as_in_its_block() {
    let new: String = (0..900).map(|n| format!("new {n}\n")).collect();
    let mut bench = Bench::working();
    let mut call = bench.call(ToolKind::Edit);
    call.content = Patch::Set(vec![diff("a.rs", "", &new)]);
    bench.asks(call, usual_options());
    let mut shown = Shown::new(bench).settled();
    for _ in 0..300 {
        shown.press("ctrl-down");
    }
    let picture = shown.draw(80, 24);
    assert_eq!(picture.matches("+700 lines").count(), 2, "{picture}");
}

#[test]
fn the_screen_is_taken_only_as_far_as_there_is_something_to_show() {
    let (mut shown, _) = ls();
    let before = shown.draw(80, 40);
    shown.press("ctrl-o");
    let picture = shown.draw(80, 40);
    assert_eq!(picture.lines().count(), before.lines().count(), "{picture}");
}
