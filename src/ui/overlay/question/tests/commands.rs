//! Commands in questions: shown exactly as they would run.

use proptest::prelude::*;

use super::*;
use crate::{
    model::{CommandRun, TerminalCreate, ToolInput, Worktree},
    ui::testing::Bench,
};

fn create(command: &str, args: &[&str]) -> TerminalCreate {
    TerminalCreate {
        session: Bench::session_id(),
        command: command.to_owned(),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        env: Vec::new(),
        cwd: None,
        output_byte_limit: None,
    }
}

fn env(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    pairs.iter().map(owned).collect()
}

fn asked(create: TerminalCreate, shell: bool, outside: bool) -> Shown {
    let mut bench = Bench::working();
    bench.asks_terminal(create, shell, outside);
    Shown::new(bench)
}

/// The rows of a picture, without its frame.
fn rows(picture: &str) -> Vec<String> {
    let bare = |row: &str| row.trim_matches(|c: char| c == '│' || c == ' ').to_owned();
    picture.lines().map(bare).collect()
}

#[test]
fn a_line_behind_a_comment_is_a_line() {
    let mut shown = asked(create("# run the tests\ntouch PWNED", &[]), true, false);
    let picture = shown.draw(80, 24);
    let rows = rows(&picture);
    let at = rows.iter().position(|row| row == "$ # run the tests");
    let at = at.unwrap_or_else(|| panic!("{picture}"));
    assert_eq!(rows[at + 1], "touch PWNED", "{picture}");
    assert!(picture.contains("a line for sh"), "{picture}");
}

#[test]
fn arguments_are_the_words_that_they_are() {
    let mut shown = asked(create("git", &["commit", "-m", "a; b", ""]), false, false);
    let picture = shown.draw(80, 24);
    assert!(picture.contains("$ git commit -m 'a; b' ''"), "{picture}");
    assert!(picture.contains("no shell"), "{picture}");
}

#[test]
fn what_is_set_for_a_command_is_listed_the_worst_first() {
    let request = TerminalCreate {
        env: env(&[("CI", "1"), ("API_KEY", "sk-1"), ("PATH", "./bin")]),
        cwd: Some("/tmp/x".into()),
        ..create("cargo", &["test"])
    };
    let picture = asked(request, false, true).draw(80, 24);
    let rows = rows(&picture);
    let at = |row: &str| {
        let found = rows.iter().position(|shown| shown == row);
        found.unwrap_or_else(|| panic!("{row}: {picture}"))
    };
    assert!(at("! env PATH=./bin") < at("$ cargo test"), "{picture}");
    assert!(at("$ cargo test") < at("env API_KEY=••• CI=1"), "{picture}");
    assert!(picture.contains("may change what runs"), "{picture}");
    assert!(
        picture.contains("in /tmp/x  ! outside the workspace"),
        "{picture}"
    );
    assert!(!picture.contains("sk-1"), "{picture}");
}

#[test]
fn a_permission_request_shows_what_its_input_sets() {
    let mut bench = Bench::working();
    let mut call = bench.call(ToolKind::Read);
    call.title = Patch::Set("Look around".into());
    call.input = Patch::Set(Arc::new(ToolInput {
        run: Some(CommandRun {
            cwd: Some("/etc".into()),
            env: env(&[("LD_PRELOAD", "./x.so")]),
            ..CommandRun::of_line("ls\trm".into())
        }),
        ..ToolInput::default()
    }));
    bench.asks(call, usual_options());
    let picture = Shown::new(bench).draw(80, 24);
    assert!(picture.contains("wants to run a command"), "{picture}");
    assert!(picture.contains("! env LD_PRELOAD=./x.so"), "{picture}");
    assert!(picture.contains("$ ls␉rm"), "{picture}");
    assert!(
        picture.contains("in /etc  ! outside the workspace"),
        "{picture}"
    );
}

#[test]
fn a_command_in_a_worktree_is_shown_with_the_directory_that_it_runs_in() {
    let top = "/state/worktrees/tool-1/fix";
    for named in [None, Some(top)] {
        let mut bench = Bench::working();
        bench.session.config.cwd = top.into();
        bench.session.config.worktree = Some(Worktree {
            top: top.into(),
            cwd: top.into(),
            project: "/src/tool".into(),
            branch: "acp/fix".into(),
        });
        let mut call = bench.call(ToolKind::Execute);
        call.input = Patch::Set(Arc::new(ToolInput {
            run: Some(CommandRun {
                cwd: named.map(str::to_owned),
                ..CommandRun::of_line("rm -r target".into())
            }),
            ..ToolInput::default()
        }));
        bench.asks(call, usual_options());
        let picture = Shown::new(bench).draw(80, 24);
        assert!(
            picture.contains(&format!("in {top}")),
            "{named:?}: {picture}"
        );
    }
}

#[test]
fn blanks_that_hide_the_end_of_a_line_are_counted() {
    let line = format!("ls{}; rm -rf ~ ", " ".repeat(5_000));
    let picture = asked(create(&line, &[]), true, false).draw(80, 24);
    assert!(
        picture.contains("$ ls<5000 blanks>; rm -rf ~<1 blank>"),
        "{picture}"
    );
    assert!(!picture.contains("invisible or control"), "{picture}");
}

#[test]
fn characters_without_a_look_of_their_own_are_signs() {
    for (c, sign) in [
        ('\u{a0}', "<U+00A0>"),
        ('\u{2800}', "<U+2800>"),
        ('\u{3000}', "<U+3000>"),
        ('\u{2009}', "<U+2009>"),
        ('\u{3164}', "<U+3164>"),
        ('\u{200d}', "<U+200D>"),
        ('\u{2066}', "<U+2066>"),
        ('\u{e0041}', "<U+E0041>"),
        ('\r', "␍"),
        ('\u{8}', "␈"),
        ('\u{9b}', "<U+009B>"),
    ] {
        for shown in [
            &mut asked(create(&format!("a{c}b"), &[]), true, false),
            &mut asked(create("a", &[&format!("a{c}b")]), false, false),
            &mut run(&format!("a{c}b")),
        ] {
            let picture = shown.draw(80, 24);
            assert!(picture.contains(&format!("a{sign}b")), "{c:?}: {picture}");
            assert!(picture.contains("invisible or control"), "{c:?}: {picture}");
        }
    }
}

#[test]
fn nothing_of_a_long_command_is_cut() {
    let lines: String = (0..300).map(|n| format!("echo line-{n}\n")).collect();
    let mut shown = asked(create(&(lines + "rm x"), &[]), true, false);
    let picture = shown.draw(80, 24);
    assert!(picture.contains("lines · ctrl-o all"), "{picture}");
    shown.press("ctrl-o");
    shown.draw(80, 24);
    shown.press("ctrl-end");
    let picture = shown.draw(80, 24);
    assert!(picture.contains("rm x"), "{picture}");
}

#[test]
fn command_question_at_several_sizes() {
    let request = TerminalCreate {
        env: env(&[
            ("PATH", "./bin:/usr/bin"),
            ("OPENAI_API_KEY", "sk-1"),
            ("CI", "1"),
        ]),
        cwd: Some("/tmp/elsewhere".into()),
        ..create(
            "# run the tests\n\tcargo test\u{a0}--all\ntouch PWNED  ",
            &[],
        )
    };
    for (width, height) in [(40, 24), (80, 24), (120, 40)] {
        let mut shown = asked(request.clone(), true, true);
        let name = format!("command_{width}x{height}");
        let buffer = shown.buffer(width, height);
        keep(&name, &buffer);
        insta::assert_snapshot!(name, text(&buffer));
    }
}

#[test]
fn a_file_that_a_rule_wants_asked_about_says_so() {
    let mut bench = Bench::working();
    bench.asks_by_rule("src/locked", "/home/me/src/tool/src/locked");
    let picture = Shown::new(bench).draw(80, 24);
    assert!(picture.contains("wants to write a file"), "{picture}");
    assert!(!picture.contains("outside the workspace"), "{picture}");
    assert!(picture.contains("asked because: ask `src/**`"), "{picture}");
}

proptest! {
    /// Whatever a line holds, its visible characters stand there in their order, and nothing of it
    /// reaches the screen as it is that would not be seen.
    #[test]
    fn all_of_a_command_is_on_the_screen(
        line in "[a-z|;#$ \t\r\u{a0}\u{2800}\u{200b}\u{202e}\u{3000}]{1,40}",
    ) {
        let picture = asked(create(&format!("x{line}x"), &[]), true, false).draw(120, 40);
        let words: String = line.chars().filter(|c| c.is_ascii_lowercase() || "|;#$".contains(*c)).collect();
        let shown: String = picture
            .lines()
            .skip_while(|row| !row.contains("$ x"))
            .take_while(|row| !row.contains("a line for sh"))
            .collect();
        let shown = shown.replacen("$ ", "", 1);
        let mut chars = shown.chars();
        for c in words.chars() {
            prop_assert!(chars.any(|shown| shown == c), "{c} of {line:?} in {picture}");
        }
        let unseen = ['\u{a0}', '\u{2800}', '\u{200b}', '\u{202e}', '\u{3000}', '\t', '\r'];
        let left = picture.contains(unseen);
        prop_assert!(!left, "{}", picture);
    }
}
