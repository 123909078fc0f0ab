//! What is shown of a call's raw input: all that nothing else in the question says.

use proptest::prelude::*;

use super::*;
use crate::model::{ContentBlock, Media, TerminalId, ToolCallPatch, ToolInput};

fn words(said: &str) -> ToolContent {
    ToolContent::Block(ContentBlock::Text(SafeText::new(said)))
}

fn image() -> ToolContent {
    ToolContent::Block(ContentBlock::Image(Media {
        mime_type: "image/png".into(),
        size: Some(24_000),
        uri: None,
        data: None,
    }))
}

fn asked(bench: &mut Bench, raw: &str, change: impl FnOnce(&mut ToolCallPatch)) {
    let mut call = bench.call(ToolKind::Other);
    call.title = Patch::Set("Clean up".into());
    call.raw_input = Patch::Set(RawJson(Arc::from(raw)));
    change(&mut call);
    bench.asks(call, usual_options());
}

fn picture(raw: &str, change: impl FnOnce(&mut ToolCallPatch)) -> String {
    let mut bench = Bench::working();
    asked(&mut bench, raw, change);
    let mut shown = Shown::new(bench);
    shown.press("ctrl-o");
    shown.draw(100, 60)
}

const SCRIPT: &str = r#"{"script":"rm -rf ~"}"#;

#[test]
fn nothing_hides_an_input_that_it_does_not_tell() {
    let location = || {
        vec![ToolLocation {
            path: "/home/me/src/tool/a.rs".into(),
            line: None,
        }]
    };
    let contents: [(&str, Vec<ToolContent>); 9] = [
        ("nothing", Vec::new()),
        ("an image", vec![image()]),
        ("an empty text", vec![words("")]),
        ("a blank text", vec![words(" \n\t\n")]),
        ("another text", vec![words("This tidies the project.")]),
        (
            "a terminal",
            vec![ToolContent::Terminal(TerminalId::new("t"))],
        ),
        (
            "a link",
            vec![ToolContent::Session(crate::model::SessionId::new("s"))],
        ),
        ("a change", vec![diff("a.rs", "old line", "new line")]),
        ("an empty change", vec![diff("a.rs", "", "")]),
    ];
    for (what, content) in contents {
        for located in [false, true] {
            for command in [None, Some("ls")] {
                let picture = picture(SCRIPT, |call| {
                    call.content = Patch::Set(content.clone());
                    if located {
                        call.locations = Patch::Set(location());
                    }
                    if let Some(command) = command {
                        call.kind = Patch::Set(ToolKind::Execute);
                        call.command = Patch::Set(command.into());
                    }
                });
                assert!(
                    picture.contains("rm -rf ~"),
                    "{what}, {located}, {command:?}:\n{picture}"
                );
            }
        }
    }
}

#[test]
fn what_is_told_otherwise_is_not_said_twice() {
    let path = "/home/me/src/tool/a.rs";
    let location = || {
        Patch::Set(vec![ToolLocation {
            path: path.into(),
            line: None,
        }])
    };
    let run = |raw: &str, command: &str| {
        picture(raw, |call| {
            call.kind = Patch::Set(ToolKind::Execute);
            call.command = Patch::Set(command.into());
        })
    };
    let unified = "Index: a.rs\n===\n--- a.rs\n+++ a.rs\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n";
    let of_change = |raw: serde_json::Value| {
        picture(&raw.to_string(), |call| {
            call.kind = Patch::Set(ToolKind::Edit);
            call.content = Patch::Set(vec![diff(path, "one\ntwo\n", "one\nthree\n")]);
        })
    };
    for picture in [
        run(
            r#"{"command":"cargo test","description":"Tests","timeout":9}"#,
            "cargo test",
        ),
        run(
            r#"{"command":["bash","-lc","ls -l"],"cwd":"/home/me/src/tool"}"#,
            "bash -lc 'ls -l'",
        ),
        run(
            r#"{"command":"cargo","args":["test","-q"],"env":{}}"#,
            "cargo test -q",
        ),
        picture(r#"{"file_path":"a.rs","offset":3,"limit":10}"#, |call| {
            call.locations = location();
        }),
        picture(r#"{"plan":"1. look\n2. write"}"#, |call| {
            call.content = Patch::Set(vec![words("1. look\n2. write\n")]);
        }),
        picture("{}", |_| {}),
        of_change(
            serde_json::json!({"file_path": path, "old_string": "two", "new_string": "three"}),
        ),
        of_change(serde_json::json!({"path": "a.rs", "content": "one\nthree\n"})),
        of_change(serde_json::json!({"filepath": path, "diff": unified})),
        of_change(
            serde_json::json!({"path": path, "edits": [{"oldText": "two\n", "newText": "three\n"}]}),
        ),
    ] {
        assert!(!picture.contains("input"), "{picture}");
    }
}

#[test]
fn a_value_that_is_nowhere_else_brings_up_the_whole() {
    let run = |raw: &str| {
        picture(raw, |call| {
            call.kind = Patch::Set(ToolKind::Execute);
            call.command = Patch::Set("cargo test".into());
        })
    };
    for raw in [
        r#"{"command":"cargo test","args":"; rm -rf ~"}"#,
        r#"{"command":"cargo test","stdin":"yes"}"#,
        r#"{"command":"cargo test","env":{"PATH":"/tmp"}}"#,
        r#"{"command":"cargo test","sudo":true}"#,
        r#"{"command":"cargo test","command":"rm -rf ~"}"#,
        r#"{"command":"cargo test","uid":0}"#,
    ] {
        let picture = run(raw);
        assert!(picture.contains("input"), "{raw}: {picture}");
    }
    let deletes = picture(r#"{"path":"a.rs","recursive":true}"#, |call| {
        call.locations = Patch::Set(vec![ToolLocation {
            path: "/home/me/src/tool/a.rs".into(),
            line: None,
        }]);
    });
    assert!(deletes.contains("recursive"), "{deletes}");
}

/// What is judged by the worst that the input says is asked about as that.
#[test]
fn a_question_says_the_worst_that_the_input_does() {
    let none = ToolInput::default;
    let deletes = || ToolInput {
        deletes: true,
        ..none()
    };
    let moves = ToolInput {
        moves: true,
        ..none()
    };
    let runs = ToolInput {
        scripts: vec!["ls".to_owned()],
        ..deletes()
    };
    for (input, wants) in [
        (none(), "wants to change files"),
        (deletes(), "wants to delete files"),
        (moves, "wants to move files"),
        (runs, "wants to run a command"),
    ] {
        let picture = picture(r#"{"path":"a.rs"}"#, |call| {
            call.kind = Patch::Set(ToolKind::Edit);
            call.input = Patch::Set(Arc::new(input.clone()));
        });
        assert!(picture.contains(wants), "{input:?}: {picture}");
    }
}

/// opencode: the diff of the call is shown as looked up in the file, and comes once more as text.
#[test]
fn a_unified_diff_is_told_by_the_diff_that_is_shown() {
    let path = "/home/me/src/tool/a.rs";
    let shown = "--- a.rs\n+++ a.rs\n@@ -1,3 +1,3 @@\n   one\n-  two\n+  three\n   end\n";
    let of_patch = |raw: serde_json::Value| {
        picture(&raw.to_string(), |call| {
            call.kind = Patch::Set(ToolKind::Edit);
            let text = SafeText::with_line_ends(shown);
            let diff =
                crate::model::Diff::of_patch(path.into(), crate::model::FileChange::Modify, text);
            call.content = Patch::Set(vec![ToolContent::Diff(diff.into())]);
        })
    };
    let head = "Index: a.rs\n====\n--- a.rs\n+++ a.rs\n";
    for told in [
        "@@ -1,3 +1,3 @@\n   one\n-  two\n+  three\n   end\n",
        "@@ -2,1 +2,1 @@\n-  two\n+  three\n",
        "@@ -1,3 +1,3 @@\n one\n-two\n+three\n end\n",
    ] {
        let raw = serde_json::json!({"filepath": path, "diff": format!("{head}{told}")});
        let picture = of_patch(raw);
        assert!(!picture.contains("input"), "{told}: {picture}");
    }
    for more in [
        "@@ -1,3 +1,4 @@\n   one\n-  two\n+  three\n+  four\n   end\n",
        "@@ -1,3 +1,3 @@\n   one\n-  two\n+    three\n   end\n",
        "@@ -1,3 +1,3 @@\n   one\n-  three\n+  two\n   end\n",
        "@@ -2,1 +2,1 @@\n-  two\n+  three\nrm -rf ~\n",
        "@@ -2,1 +2,9 @@\n-  two\n+  three\n",
    ] {
        let raw = serde_json::json!({"filepath": path, "diff": format!("{head}{more}")});
        let picture = of_patch(raw);
        assert!(picture.contains("input"), "{more}: {picture}");
    }
    let sides =
        serde_json::json!({"path": path, "oldString": "one\n  two", "newString": "one\n  three"});
    assert!(!of_patch(sides).contains("input"));
}

/// opencode: of a new file as well, whether or not its last line ends.
#[test]
fn a_unified_diff_of_a_new_file_is_told_by_the_text_that_is_shown() {
    let path = "/home/me/src/tool/new.rs";
    for (text, lines) in [
        ("one\ntwo\n", "@@ -0,0 +1,2 @@\n+one\n+two\n"),
        (
            "one\ntwo",
            "@@ -0,0 +1,2 @@\n+one\n+two\n\\ No newline at end of file\n",
        ),
        (
            "one",
            "@@ -0,0 +1,1 @@\n+one\n\\ No newline at end of file\n",
        ),
    ] {
        let head = format!(
            "Index: {path}\n===================================================================\n"
        );
        let names = format!("--- {path}\n+++ {path}\n");
        let raw = serde_json::json!({"filepath": path, "diff": format!("{head}{names}{lines}")});
        let of = |diff: crate::model::Diff| {
            picture(&raw.to_string(), |call| {
                call.kind = Patch::Set(ToolKind::Edit);
                call.content = Patch::Set(vec![ToolContent::Diff(diff.into())]);
            })
        };
        let sides = crate::model::Diff::of_texts(path.into(), None, SafeText::with_line_ends(text));
        let picture = of(sides);
        assert!(!picture.contains("input"), "{text:?}: {picture}");
        let patch = SafeText::with_line_ends(&format!("--- /dev/null\n+++ new.rs\n{lines}"));
        let created = crate::model::FileChange::Add;
        let picture = of(crate::model::Diff::of_patch(path.into(), created, patch));
        assert!(!picture.contains("input"), "{text:?}: {picture}");
    }
}

/// gemini, vibe: the call is known, and the request names its id alone; or the other way round.
#[test]
fn an_input_is_known_from_the_call_and_from_the_request() {
    let mut bench = Bench::working();
    let mut call = bench.call(ToolKind::Other);
    let id = call.id.clone();
    call.title = Patch::Set("Clean up".into());
    call.raw_input = Patch::Set(RawJson(Arc::from(SCRIPT)));
    bench.update(crate::model::AgentEvent::ToolCall(Box::new(call)));
    bench.asks(ToolCallPatch::new(id), usual_options());
    let picture = Shown::new(bench).draw(80, 24);
    assert!(
        picture.contains("rm -rf ~") && picture.contains("Clean up"),
        "{picture}"
    );
    let picture = self::picture(SCRIPT, |call| {
        call.title = Patch::Keep;
    });
    assert!(picture.contains("rm -rf ~"), "{picture}");
}

#[test]
fn lines_of_a_script_stand_below_each_other_and_signs_are_seen() {
    let raw =
        r#"{"script":"cd /tmp\nrm -rf ~","as":"\u{202e}root"}"#.replace("\\u{202e}", "\u{202e}");
    let picture = picture(&raw, |_| {});
    let rows: Vec<&str> = picture
        .lines()
        .map(|row| row.trim_matches(['│', ' ']))
        .collect();
    assert!(rows.contains(&r#""script": "cd /tmp\n"#), "{picture}");
    assert!(rows.contains(&r#"rm -rf ~","#), "{picture}");
    assert!(picture.contains("<U+202E>root"), "{picture}");
}

#[test]
fn a_long_input_is_whole_and_a_very_long_one_bounded_with_the_rest_in_the_viewer() {
    let members: Vec<String> = (0..2_000).map(|n| format!(r#""k{n}":"v{n}""#)).collect();
    let long = format!("{{{}}}", members.join(","));
    let mut bench = Bench::working();
    asked(&mut bench, &long, |_| {});
    let mut shown = Shown::new(bench);
    assert!(shown.draw(80, 24).contains("lines · ctrl-o all"));
    shown.press("ctrl-o");
    shown.draw(80, 24);
    shown.press("ctrl-end");
    let picture = shown.draw(80, 24);
    assert!(picture.contains("k1999"), "nothing is cut: {picture}");

    let huge = format!(r#"{{"a":"{}"}}"#, "x".repeat(50 << 20));
    let mut bench = Bench::working();
    asked(&mut bench, &huge, |_| {});
    let mut shown = Shown::new(bench).settled();
    let picture = shown.draw(80, 24);
    assert!(
        picture.contains("input, 50") && picture.contains("Allow once"),
        "{picture}"
    );
    shown.press("ctrl-o");
    shown.draw(80, 24);
    shown.press("ctrl-end");
    let picture = shown.draw(80, 24);
    assert!(picture.contains("d shows all"), "{picture}");
    let rows = shown
        .dialog
        .layout
        .as_ref()
        .map_or(0, |layout| layout.whole.rows.len());
    assert!(rows < 10_000, "{rows}");
    let outcome = shown.press("d");
    assert!(matches!(outcome.wishes.as_slice(), [Wish::ShowAsked]));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Whatever stands beside it: a word that nothing else says is on the screen.
    #[test]
    fn no_value_is_left_unsaid(
        key in "[a-z_]{1,12}",
        shown_command in any::<bool>(),
        located in any::<bool>(),
        filler in "[a-z ]{0,20}",
        nested in any::<bool>(),
    ) {
        let value = serde_json::json!({ key.clone(): "ZZQ-secret-ZZQ" });
        let raw = match nested {
            true => serde_json::json!({ "x": [filler, value] }),
            false => value,
        };
        let remark = shown_command
            && ["description", "explanation", "justification", "reason"].contains(&&*key);
        let picture = picture(&raw.to_string(), |call| {
            if shown_command {
                call.kind = Patch::Set(ToolKind::Execute);
                call.command = Patch::Set("ls".into());
            }
            if located {
                call.locations = Patch::Set(vec![ToolLocation { path: "/a".into(), line: None }]);
            }
        });
        prop_assert!(remark || picture.contains("ZZQ-secret-ZZQ"), "{picture}");
    }
}

#[test]
fn a_path_that_leads_elsewhere_is_warned_of_above_the_change() {
    let mut bench = Bench::working();
    asked(&mut bench, "{}", |call| {
        call.content = Patch::Set(vec![diff("slink/s.txt", "old line", "new line")]);
    });
    let stray = |asked: &str, leads: Option<&str>, why: &str| crate::session::Stray {
        asked: SafeText::new(asked),
        leads: leads.map(SafeText::new),
        why: SafeText::new(why),
    };
    for question in &mut bench.session.questions {
        if let crate::session::Question::Permission(question) = question {
            question.strays = vec![
                stray(
                    "slink/s.txt",
                    Some("/secret/s.txt"),
                    "is outside the workspace",
                ),
                stray("~/.x", Some("/home/me/.x"), "is read by shells"),
                stray("/etc/x", None, "is outside the workspace"),
            ];
        }
    }
    let screen = Shown::new(bench).draw(100, 40);
    let rows = [
        "! slink/s.txt leads to /secret/s.txt, which is outside the workspace",
        "! ~/.x leads to /home/me/.x, which is read by shells",
        "! /etc/x is outside the workspace",
        "new line",
    ];
    let at: Vec<_> = rows.iter().map(|row| screen.find(row)).collect();
    assert!(at.iter().all(Option::is_some) && at.is_sorted(), "{screen}");
}
