//! One table for all ways in: what is asked for, under which rules, and what becomes of it.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
};

use proptest::prelude::*;

use crate::{
    acp::raw_tool_input,
    host::{Access, Judge, Roots, Subject},
    model::{
        CommandRun, Decision, OptionId, PermissionKind, PermissionOption, Policy, Rule, SessionId,
        TerminalCreate, ToolInput, ToolKind, Verdict,
    },
    text::SafeText,
};

/// A list that rustfmt leaves alone.
macro_rules! rows {
    ($($row:tt)*) => { &[$($row)*] };
}

mod table;

use table::TABLES;

/// How a request comes.
#[derive(Clone, Copy)]
enum In<'a> {
    /// A permission request of that kind, with that raw input.
    Call(ToolKind, &'a str),
    Read(&'a str),
    Write(&'a str),
    /// A line.
    Run(&'a str),
    /// Program and arguments, environment, directory.
    Start(&'a [&'a str], &'a [&'a str], Option<&'a str>),
}
use In::{Call, Read, Run, Start, Write};
use ToolKind::Execute;

/// Policy, `terminal.ask`.
#[derive(Clone, Copy)]
struct Set(Policy, bool);
const ASK: Set = Set(Policy::Ask, false);
const ASK_TERMINAL: Set = Set(Policy::Ask, true);
const EDITS: Set = Set(Policy::AcceptEdits, false);
const ALL: Set = Set(Policy::AllowAll, false);
const ALL_ASK_TERMINAL: Set = Set(Policy::AllowAll, true);
const READ_ONLY: Set = Set(Policy::ReadOnly, false);

struct Row {
    why: &'static str,
    set: Set,
    rules: &'static [&'static str],
    cases: Cases,
}
type Cases = &'static [(In<'static>, &'static str)];

struct Case {
    dir: tempfile::TempDir,
    policy: Policy,
    rules: Vec<Rule>,
}

fn case(policy: Policy, rules: &[&str]) -> Case {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("ws/src")).unwrap();
    fs::create_dir_all(dir.path().join("out")).unwrap();
    let ws = dir.path().join("ws");
    symlink("/usr/bin/env", ws.join("tool")).unwrap();
    symlink("../out", ws.join("linked")).unwrap();
    fs::write(ws.join("other"), "").unwrap();
    Case {
        dir,
        policy,
        rules: rules.iter().map(|text| rule(text)).collect(),
    }
}

/// `deny kind=execute command=rm path=…`; `_` stands for a blank.
fn rule(text: &str) -> Rule {
    let (decision, parts) = text.split_once(' ').unwrap_or((text, ""));
    let part = |name: &str| {
        parts
            .split(' ')
            .find_map(|part| part.strip_prefix(name)?.strip_prefix('='))
            .map(|value| value.replace('_', " "))
    };
    Rule {
        kind: part("kind").map(|kind| ToolKind::of(&kind)),
        tool: part("tool"),
        path: part("path"),
        command: part("command"),
        decision: match decision {
            "allow" => Decision::Allow,
            "deny" => Decision::Deny,
            "ask" => Decision::Ask,
            other => panic!("{other}"),
        },
        label: SafeText::line(text),
    }
}

fn options() -> Vec<PermissionOption> {
    let kinds = [PermissionKind::AllowOnce, PermissionKind::RejectOnce];
    let option = |kind| PermissionOption {
        id: OptionId::new(format!("{kind:?}")),
        name: SafeText::default(),
        kind,
    };
    kinds.map(option).to_vec()
}

impl Case {
    fn roots(&self) -> Roots {
        Roots::new(&self.dir.path().join("ws"), &[]).unwrap()
    }

    fn ruled(&self, way: In<'_>, ask_terminal: bool) -> &'static str {
        let judge = Judge::new(self.policy, self.rules.clone(), ask_terminal, None);
        let roots = self.roots();
        let file = |path, write| match judge.file(path, write, &roots) {
            Access::Serve => "serve",
            Access::Ask { .. } => "ask",
            Access::Refuse { .. } => "deny",
        };
        let terminal =
            |request: &TerminalCreate, shell| match judge.terminal(request, shell, &roots) {
                Access::Serve => "serve",
                Access::Ask { .. } => "ask",
                Access::Refuse { .. } => "deny",
            };
        match way {
            Call(kind, raw) => {
                let subject = Subject {
                    kind,
                    input: raw_tool_input(raw),
                    ..Subject::default()
                };
                match judge.decide(&subject, &options(), &roots) {
                    Verdict::Allow { .. } => "allow",
                    Verdict::Deny { .. } => "deny",
                    Verdict::Ask { .. } => "ask",
                }
            }
            Read(path) => file(path, false),
            Write(path) => file(path, true),
            Run(line) => terminal(&create(&[line], &[], None), true),
            Start(words, env, cwd) => terminal(&create(words, env, cwd), false),
        }
    }
}

fn create(words: &[&str], env: &[&str], cwd: Option<&str>) -> TerminalCreate {
    let mut words = words.iter().map(|word| (*word).to_owned());
    let variable = |variable: &&str| {
        let (name, value) = variable.split_once('=').unwrap();
        (name.to_owned(), value.to_owned())
    };
    TerminalCreate {
        session: SessionId::new("s"),
        command: words.next().unwrap(),
        args: words.collect(),
        env: env.iter().map(variable).collect(),
        cwd: cwd.map(str::to_owned),
        output_byte_limit: None,
    }
}

#[test]
fn one_judge_for_all_ways_in() {
    let mut wrong = Vec::new();
    for row in TABLES.iter().copied().flatten() {
        let Set(policy, ask_terminal) = row.set;
        let case = case(policy, row.rules);
        fs::write(case.dir.path().join("ws/src/.env.there"), "").unwrap();
        for (way, expected) in row.cases {
            // Served is served, whether a rule says so or nothing speaks against it.
            let by_host = !matches!(way, Call(..));
            let expected = match *expected {
                "allow" if by_host => "serve",
                other => other,
            };
            let shown = match way {
                Call(kind, raw) => format!("{kind:?} {raw}"),
                Read(path) => format!("read {path}"),
                Write(path) => format!("write {path}"),
                Run(line) => format!("run {line}"),
                Start(words, env, cwd) => format!("start {words:?} {env:?} {cwd:?}"),
            };
            let ruled = case.ruled(*way, ask_terminal);
            if ruled != expected {
                let (why, rules) = (row.why, row.rules);
                wrong.push(format!(
                    "{why}: {shown} under {rules:?}: {ruled}, not {expected}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_person_is_told_why_a_rule_does_not_count() {
    let case = case(Policy::Ask, &["allow command=cargo_test"]);
    let judge = Judge::new(Policy::Ask, case.rules.clone(), false, None);
    let reason = |run: CommandRun| {
        let input = ToolInput {
            run: Some(run),
            ..ToolInput::default()
        };
        let subject = Subject {
            kind: Execute,
            input,
            ..Subject::default()
        };
        match judge.decide(&subject, &options(), &case.roots()) {
            Verdict::Ask { reason, .. } => reason.unwrap_or_default(),
            other => panic!("{other:?}"),
        }
    };
    let test = || CommandRun::of_line("cargo test".into());
    let env = vec![("CI".into(), "1".into()), ("PATH".into(), ".".into())];
    assert_eq!(
        reason(CommandRun { env, ..test() }).as_str(),
        "allow command=cargo_test does not count: PATH is set for it"
    );
    let cwd = Some("../out".into());
    assert_eq!(
        reason(CommandRun { cwd, ..test() }).as_str(),
        "allow command=cargo_test does not count: it runs outside the workspace"
    );
    assert_eq!(reason(CommandRun::of_line("ls".into())).as_str(), "");
}

#[test]
fn the_person_is_told_which_member_is_not_known() {
    let reason = |policy, rules: &[&str], kind, raw| {
        let case = case(policy, rules);
        let subject = Subject {
            kind,
            input: raw_tool_input(raw),
            ..Subject::default()
        };
        let judge = Judge::new(policy, case.rules.clone(), false, None);
        match judge.decide(&subject, &options(), &case.roots()) {
            Verdict::Ask { reason, .. } => reason.unwrap_or_default().to_string(),
            other => panic!("{other:?}"),
        }
    };
    let raw = r#"{"path":"src/a","content":"x","then":"rm x"}"#;
    assert_eq!(
        reason(Policy::AcceptEdits, &[], ToolKind::Edit, raw),
        "policy accept-edits does not count: what \"then\" does is unknown"
    );
    assert_eq!(
        reason(Policy::Ask, &["allow kind=edit"], ToolKind::Edit, raw),
        "allow kind=edit does not count: what \"then\" does is unknown"
    );
    assert_eq!(
        reason(
            Policy::Ask,
            &["allow kind=read"],
            ToolKind::Read,
            r#""src/a""#
        ),
        "allow kind=read does not count: what its text does is unknown"
    );
}

#[test]
fn a_relative_entry_of_path_makes_no_allowed_program() {
    let case = case(Policy::Ask, &["allow command=cargo_test"]);
    let program = case.dir.path().join("ws/bin/cargo");
    fs::create_dir(program.parent().unwrap()).unwrap();
    fs::write(&program, "").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let says = |search: &str| {
        let judge = Judge::new(
            Policy::Ask,
            case.rules.clone(),
            true,
            Some(search.to_owned().into()),
        );
        judge.terminal(&create(&["cargo", "test"], &[], None), false, &case.roots())
    };
    assert!(matches!(says("bin:/usr/bin"), Access::Ask { .. }));
    assert_eq!(says("/nowhere:."), Access::Serve);
    let absolute = case.dir.path().join("ws/bin");
    assert_eq!(says(&format!("{}:bin", absolute.display())), Access::Serve);
}

/// Ways to run what a line runs, in another line.
const DISGUISES: [&str; 34] = [
    "sh -c {q}",
    "bash -lc {q}",
    "bash -c {q} x y",
    "eval {q}",
    "eval {line}",
    "env sh -c {q}",
    "env A=b bash -c {q}",
    "env -S {q}",
    "sudo -u root sh -c {q}",
    "nice -n 5 sh -c {q}",
    "timeout 5 sh -c {q}",
    "nohup sh -c {q} &",
    "xargs -I{} sh -c {q}",
    "find . -exec sh -c {q} \\;",
    "true && {line}",
    "true; {line}",
    "true\n{line}",
    "true | {line}",
    "( {line} )",
    "{ {line}; }",
    "! {line}",
    "if true; then {line}; fi",
    "f() { {line}; }; f",
    "while :; do {line}; done",
    "echo $({line})",
    "echo \"$({line})\"",
    "cat <({line})",
    "trap {q} EXIT",
    "su -c {q}",
    "watch {q}",
    "command sh -c {q}",
    "exec sh -c {q}",
    "tmux new {q}",
    "script -c {q}",
];

const WORDS: [&str; 12] = [
    "rm", "'rm'", "\"rm\"", "r''m", "r\"\"m", "\\rm", "r\\m", "/bin/rm", "$'rm'", "r$()m",
    "\"r\"'m'", "${X:-rm}",
];

fn disguised(word: &str, disguises: &[usize]) -> String {
    let mut line = format!("{word} f");
    for at in disguises {
        let quoted = crate::text::command_line([line.as_str()]);
        line = DISGUISES[*at]
            .replace("{q}", &quoted)
            .replace("{line}", &line);
    }
    line
}

proptest! {
    /// However often a denied command is quoted and nested: it is denied, or asked about where that
    /// cannot be told, and no rule allows it.
    #[test]
    fn no_disguise_gets_a_denied_command_through(
        word in 0..WORDS.len(),
        disguises in proptest::collection::vec(0..DISGUISES.len(), 0..6),
    ) {
        let line = disguised(WORDS[word], &disguises);
        let denying = case(Policy::AllowAll, &["deny command=rm"]);
        let allowing = case(
            Policy::Ask,
            &["allow command=cargo", "allow command=ls", "allow command=echo", "allow kind=read"],
        );
        let raw = serde_json::json!({"command": line}).to_string();
        let list = serde_json::json!({"argv": ["sh", "-c", line]}).to_string();
        for way in [
            Call(Execute, raw.as_str()),
            Call(ToolKind::Read, raw.as_str()),
            Call(Execute, list.as_str()),
            Run(&line),
            Start(&["sh", "-c", &line], &[], None),
            Start(&["env", "-S", &line], &[], None),
        ] {
            let verdict = denying.ruled(way, false);
            prop_assert!(matches!(verdict, "deny" | "ask"), "{verdict}: {line}");
            prop_assert_eq!(allowing.ruled(way, true), "ask", "{}", line);
        }
    }
}
