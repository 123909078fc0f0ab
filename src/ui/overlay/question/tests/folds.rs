//! What is seen of a question that is longer than its room.

use proptest::prelude::*;

use super::*;
use crate::model::{AgentEvent, TerminalCreate, ToolCallPatch};

#[test]
fn lines_behind_blank_lines_are_counted_and_shown() {
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
            expanded.contains("HIDDEN-LINE")
                || expanded.contains("lines · ctrl-down · ctrl-o less"),
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
fn a_long_command_is_scrolled_and_shown_whole_on_demand() {
    let lines: Vec<String> = (1..=60).map(|n| format!("echo line-{n}")).collect();
    let mut shown = run(&lines.join("\n"));
    let picture = shown.draw(80, 24);
    assert!(picture.contains("line-3") && !picture.contains("line-30"));
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

/// The end of a command, and where and with what it runs, stand there before its middle.
#[test]
fn a_command_is_folded_in_its_middle() {
    let lines: Vec<String> = (1..=60).map(|n| format!("echo line-{n}")).collect();
    for (width, height) in [(40, 12), (40, 16), (80, 20), (80, 24), (120, 40)] {
        let mut bench = Bench::working();
        let create = TerminalCreate {
            session: Bench::session_id(),
            command: lines.join("\n"),
            args: Vec::new(),
            env: vec![("PATH".into(), "./bin".into()), ("CI".into(), "1".into())],
            cwd: Some("/tmp/x".into()),
            output_byte_limit: None,
        };
        bench.asks_terminal(create, true, false);
        let picture = Shown::new(bench).draw(width, height);
        let mut seen = vec!["$ echo line-1", "/tmp/x"];
        if height > 12 {
            seen.extend(["echo line-60", "PATH=./bin", "CI=1"]);
        }
        for seen in seen {
            assert!(
                picture.contains(seen),
                "{width}x{height} {seen}:\n{picture}"
            );
        }
        assert!(!picture.contains("echo line-40"), "{picture}");
        assert!(picture.contains("lines · ctrl-o all"), "{picture}");
    }
}

#[test]
fn rows_that_look_blank_push_nothing_out_of_sight() {
    for blank in [
        "\u{2800}",
        "\u{3164}",
        "\u{115f}",
        "\u{ffa0}",
        "\u{200b}",
        "\u{2003}",
        "\u{1d159}",
    ] {
        for (line, drawn) in [(1, false), (1, true), (150, false)] {
            let lines = vec![blank.repeat(line); 60].join("\n");
            let dots = if drawn { "\u{2801}" } else { "" };
            let mut bench = Bench::working();
            let mut call = bench.call(ToolKind::Other);
            call.title = Patch::Set(SafeText::new(&format!("tidy{dots}\n{lines}\nup")));
            call.raw_input = Patch::Set(RawJson(Arc::from(r#"{"script":"rm -rf ~"}"#)));
            bench.asks(call, usual_options());
            let picture = Shown::new(bench).draw(80, 24);
            assert!(picture.contains("rm -rf ~"), "{blank:?} {line}:\n{picture}");
            assert!(
                picture.contains("blank lines)"),
                "{blank:?} {line}:\n{picture}"
            );
        }
        let mut bench = Bench::working();
        let call = bench.call(ToolKind::Other);
        let name = blank.repeat(3);
        bench.asks(call, vec![option("y", &name, PermissionKind::AllowOnce)]);
        let picture = Shown::new(bench).draw(80, 24);
        let seen = picture.contains("<U+") || blank.trim().is_empty();
        assert!(seen, "{blank:?}:\n{picture}");
    }
}

/// The raw input of a script that runs for so many lines, one of which is `line`.
fn script(at: usize, line: &str) -> RawJson {
    let mut lines: Vec<String> = (0..50).map(|n| format!("echo {n}")).collect();
    lines[at] = line.to_owned();
    let raw = serde_json::json!({ "script": lines.join("\n"), "then": 1 });
    RawJson(Arc::from(raw.to_string()))
}

#[test]
fn what_changed_of_an_input_is_on_the_screen() {
    for (width, height) in [(40, 10), (40, 16), (80, 24), (200, 50)] {
        for at in [0, 20, 49] {
            for command in [None, Some("ls")] {
                let mut bench = Bench::working();
                let mut call = bench.call(ToolKind::Execute);
                let mut update = ToolCallPatch::new(call.id.clone());
                call.title = Patch::Set("Tidy up".into());
                call.command = command.map(str::to_owned).into();
                call.raw_input = Patch::Set(script(at, "echo old"));
                bench.asks(call, usual_options());
                let mut shown = Shown::new(bench).settled();
                update.raw_input = Patch::Set(script(at, "rm -rf ~"));
                shown.bench.update(AgentEvent::ToolCall(Box::new(update)));
                let picture = shown.draw(width, height);
                if command.is_none() || height > 10 {
                    assert!(picture.contains("rm -rf ~"), "{at} {height}:\n{picture}");
                }
                if height > 16 {
                    assert!(picture.contains("was"), "{at}:\n{picture}");
                    assert!(picture.contains("echo old"), "{at}:\n{picture}");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Each row is either there or counted, and no more rows are drawn than there is room for.
    #[test]
    fn a_fold_counts_what_it_leaves_out(
        lines in 1_usize..80,
        steering in 0_usize..6,
        window in 1_usize..40,
        blanks in 0_usize..20,
    ) {
        let commands: Vec<String> = (0..lines).map(|n| format!("echo {n}")).collect();
        let mut bench = Bench::working();
        let env = (0..steering).map(|n| (format!("LD_{n}"), "x".to_owned()));
        let create = TerminalCreate {
            session: Bench::session_id(),
            command: commands.join("\n") + &"\n".repeat(blanks) + "\nend",
            args: Vec::new(),
            env: env.collect(),
            cwd: None,
            output_byte_limit: None,
        };
        bench.asks_terminal(create, true, false);
        let mut shown = Shown::new(bench);
        let folds = shown.with(Frame::Full, |dialog, cx| {
            let layout = dialog.layout(60, cx);
            let bodies = [Some(&layout.whole), layout.squeezed.as_ref()];
            let fold = |body: &Body| {
                let run = body.run.clone().expect("a command");
                (body.folded(window, cx), body.rows.clone(), run)
            };
            bodies.into_iter().flatten().map(fold).collect::<Vec<_>>()
        });
        for (folded, rows, run) in folds {
            let text = |row: &Row| row.line.to_string();
            prop_assert!(text(&rows[run.lines.start]).starts_with("$ echo 0"));
            prop_assert!(text(&rows[run.lines.end - 1]).ends_with("end"));
            prop_assert!(text(&rows[run.place.start]).starts_with("in "));
            let Some((folded, kept)) = folded else {
                prop_assert!(run.place.end <= window);
                continue;
            };
            prop_assert!(folded.len() <= window);
            let counted: usize = folded
                .iter()
                .filter_map(|row| text(row).strip_prefix("  +")?.split(' ').next()?.parse::<usize>().ok())
                .sum::<usize>();
            let markers = folded.iter().filter(|row| text(row).starts_with("  +")).count();
            prop_assert_eq!(kept + markers, folded.len());
            prop_assert!(kept + counted <= rows.len(), "{} of {}", kept + counted, rows.len());
            if window > 4 {
                let is_first = |row: &Row| text(row).starts_with("$ ");
                let above = folded.iter().position(is_first).expect("a command");
                let unseen = run.lines.start - above;
                prop_assert_eq!(kept + counted + unseen, run.place.end);
                prop_assert!(folded.iter().any(|row| text(row).ends_with("end")));
            }
        }
    }
}
