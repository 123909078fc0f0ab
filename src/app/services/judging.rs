//! One table for all ways in: what is asked for, under which rules, and what becomes of it.

use std::{fs, os::unix::fs::PermissionsExt};

use proptest::prelude::*;

use crate::{
    acp::raw_tool_input,
    host::{FileVerdict, Judge, Roots, Subject, TerminalVerdict},
    proto::{
        CommandRun, Decision, OptionId, PermissionKind, PermissionOption, Policy, Rule, SessionId,
        TerminalCreate, ToolInput, ToolKind, Verdict,
    },
    text::SafeText,
};

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
use ToolKind::{Delete, Edit, Execute, Fetch, Other, Search, Think};

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
    cases: &'static [(In<'static>, &'static str)],
}

/// `serve`: without a question, as nothing speaks against it; else `allow`, `ask`, `deny`.
const TABLE: &[Row] = &[
    Row {
        why: "ask rules bind files and terminals as they bind requests for permission",
        set: ASK,
        rules: &["ask path=locked/**", "ask command=git_push"],
        cases: &[
            (
                Call(Edit, r#"{"file_path":"locked/a","content":"x"}"#),
                "ask",
            ),
            (Write("locked/a"), "ask"),
            (Read("locked/a"), "ask"),
            (Read("src/a"), "serve"),
            (Write("src/a"), "serve"),
            (Call(Execute, r#"{"command":"git push"}"#), "ask"),
            (Run("git push"), "ask"),
            (Run("cd x && git -C y push"), "ask"),
            (Start(&["git", "push"], &[], None), "ask"),
            (Start(&["sh", "-c", "git push"], &[], None), "ask"),
            (Run("git status"), "serve"),
            (Run("$X push"), "ask"),
        ],
    },
    Row {
        why: "and they do so whatever the policy allows",
        set: ALL,
        rules: &["ask kind=edit path=locked/**", "ask command=git_push"],
        cases: &[
            (Write("locked/a"), "ask"),
            (Read("locked/a"), "allow"),
            (Run("git push"), "ask"),
            (Run("git pull"), "allow"),
        ],
    },
    Row {
        why: "deny beats ask beats allow, in all ways",
        set: ASK_TERMINAL,
        rules: &[
            "allow kind=execute",
            "ask command=git",
            "deny command=git_push",
            "allow kind=edit",
            "ask kind=edit path=src/**",
            "deny path=src/secret",
        ],
        cases: &[
            (Run("ls"), "allow"),
            (Run("git status"), "ask"),
            (Run("git push"), "deny"),
            (Call(Execute, r#"{"command":"ls"}"#), "allow"),
            (Call(Execute, r#"{"command":"git status"}"#), "ask"),
            (Call(Execute, r#"{"command":"git push"}"#), "deny"),
            (Write("a"), "allow"),
            (Write("src/a"), "ask"),
            (Write("src/secret"), "deny"),
            (Read("src/secret"), "deny"),
        ],
    },
    Row {
        why: "read-only refuses what changes something, by what it does and not by what it says",
        set: READ_ONLY,
        rules: &["allow kind=read", "allow kind=execute", "allow tool=bash"],
        cases: &[
            (Read("a"), "allow"),
            (Write("a"), "deny"),
            (Run("ls"), "deny"),
            (Start(&["ls"], &[], None), "deny"),
            (Call(ToolKind::Read, r#"{"path":"a"}"#), "allow"),
            (Call(ToolKind::Read, r#"{"command":"rm x"}"#), "deny"),
            (Call(Think, r#"{"cmd":["rm","x"]}"#), "deny"),
            (Call(Fetch, r#"{"input":{"command":"rm x"}}"#), "deny"),
            (Call(ToolKind::Read, r#"{"script":"rm -rf ~"}"#), "deny"),
            (
                Call(ToolKind::Read, r#"{"path":"a","new_string":"x"}"#),
                "deny",
            ),
            (Call(Other, r#"{"file_path":"a","content":"x"}"#), "deny"),
            (Call(Search, r#"{"pattern":"x"}"#), "ask"),
        ],
    },
    Row {
        why: "a rule for one kind does not allow what is another by its input",
        set: ASK,
        rules: &["allow kind=read", "allow kind=search", "allow kind=edit"],
        cases: &[
            (Call(ToolKind::Read, r#"{"path":"src/a"}"#), "allow"),
            (
                Call(ToolKind::Read, r#"{"command":"view","path":"src/a"}"#),
                "allow",
            ),
            (Call(ToolKind::Read, r#"{"command":"rm x"}"#), "ask"),
            (Call(ToolKind::Read, r#"{"command":"cat x"}"#), "ask"),
            (Call(ToolKind::Read, r#"{"args":{"cmd":"cat x"}}"#), "ask"),
            (Call(ToolKind::Read, r#""{\"command\":\"cat x\"}""#), "ask"),
            (Call(ToolKind::Read, r#"{"script":"cat x"}"#), "ask"),
            (Call(Search, r#"{"program":"grep","args":["x"]}"#), "ask"),
            (
                Call(
                    Edit,
                    r#"{"command":"str_replace","path":"a","old_str":"x"}"#,
                ),
                "allow",
            ),
            (Call(Edit, r#"{"file_path":"a","command":"rm x"}"#), "ask"),
            // It changes a file: the rule for edits allows that.
            (
                Call(ToolKind::Read, r#"{"path":"a","old_string":"x"}"#),
                "allow",
            ),
        ],
    },
    Row {
        why: "but not one for reads alone",
        set: ASK,
        rules: &["allow kind=read"],
        cases: &[
            (
                Call(ToolKind::Read, r#"{"path":"a","old_string":"x"}"#),
                "ask",
            ),
            (Call(ToolKind::Read, r#"{"path":"a","content":"x"}"#), "ask"),
            (
                Call(ToolKind::Read, r#"{"input":"*** Add File: a\n+x"}"#),
                "ask",
            ),
        ],
    },
    Row {
        why: "arguments beside a command are part of it",
        set: ASK,
        rules: &["allow command=cargo_test"],
        cases: &[
            (Call(Execute, r#"{"command":"cargo test"}"#), "allow"),
            (Call(Execute, r#"{"command":["cargo","test"]}"#), "allow"),
            (
                Call(Execute, r#"{"command":"cargo","args":["test","--lib"]}"#),
                "allow",
            ),
            (
                Call(Execute, r#"{"command":"cargo test","args":"--lib"}"#),
                "allow",
            ),
            (
                Call(Execute, r#"{"command":"cargo test","args":"; rm -rf ~"}"#),
                "ask",
            ),
            (
                Call(Execute, r#"{"command":"cargo test","args":["; rm -rf ~"]}"#),
                "ask",
            ),
            (
                Call(Execute, r#"{"command":"cargo","args":["test",";","rm"]}"#),
                "ask",
            ),
            (
                Call(Execute, r#"{"command":"cargo test","arguments":"&& rm x"}"#),
                "ask",
            ),
            (
                Call(
                    Execute,
                    r#"{"command":"cargo test","argv":["a","$(rm x)"]}"#,
                ),
                "ask",
            ),
            (
                Call(Execute, r#"{"command":"cargo test","cmd":"rm x"}"#),
                "ask",
            ),
            (
                Call(Execute, r#"{"command":"cargo test","command":"rm x"}"#),
                "ask",
            ),
            (
                Call(Execute, r#"{"command":"cargo test","script":"rm x"}"#),
                "ask",
            ),
            (
                Call(Execute, r#"{"command":"bash","args":["-lc","cargo test"]}"#),
                "allow",
            ),
            (
                Call(
                    Execute,
                    r#"{"command":"bash","args":["-lc","cargo test; x"]}"#,
                ),
                "ask",
            ),
        ],
    },
    Row {
        why: "an allow rule for a command counts inside the workspace and without a foreign environment",
        set: ASK_TERMINAL,
        rules: &["allow command=cargo_test"],
        cases: &[
            (Start(&["cargo", "test"], &[], None), "allow"),
            (Start(&["cargo", "test"], &[], Some("src")), "allow"),
            (
                Start(&["cargo", "test"], &["CI=1", "LC_ALL=C"], None),
                "allow",
            ),
            (Start(&["cargo", "test"], &["PATH=."], None), "ask"),
            (
                Start(&["cargo", "test"], &["RUSTC_WRAPPER=./x"], None),
                "ask",
            ),
            (Start(&["cargo", "test"], &["LD_PRELOAD=./x"], None), "ask"),
            (Start(&["cargo", "test"], &["PORT=1"], None), "ask"),
            (Start(&["cargo", "test"], &["TERM=../x"], None), "ask"),
            (Start(&["cargo", "test"], &[], Some("../out")), "ask"),
            (Start(&["./cargo", "test"], &[], None), "ask"),
            (Start(&["sh", "-c", "cargo test"], &[], None), "allow"),
            (Start(&["sh", "-c", "cargo test; x"], &[], None), "ask"),
            (Run("cargo test"), "allow"),
            (Run("NO_COLOR=1 cargo test"), "allow"),
            (Run("PATH=. cargo test"), "ask"),
            (Run("env PATH=. cargo test"), "ask"),
            (Run("cargo test\nrm x"), "ask"),
            (Run("# tests\ncargo test"), "ask"),
            (
                Call(Execute, r#"{"command":"cargo test","env":{"CI":"1"}}"#),
                "allow",
            ),
            (
                Call(Execute, r#"{"command":"cargo test","env":{"PATH":"."}}"#),
                "ask",
            ),
            (
                Call(Execute, r#"{"command":"cargo test","env":["PATH=."]}"#),
                "ask",
            ),
            (
                Call(
                    Execute,
                    r#"{"command":"cargo test","environment":[{"name":"PATH","value":"."}]}"#,
                ),
                "ask",
            ),
            (
                Call(Execute, r#"{"command":"cargo test","cwd":"src"}"#),
                "allow",
            ),
            (
                Call(Execute, r#"{"command":"cargo test","cwd":"../out"}"#),
                "ask",
            ),
            (
                Call(Execute, r#"{"command":"cargo test","workdir":"/"}"#),
                "ask",
            ),
        ],
    },
    Row {
        why: "a rule for all commands takes plain ones only, in all ways",
        set: ASK_TERMINAL,
        rules: &["allow kind=execute"],
        cases: &[
            (Run("ls"), "allow"),
            (Run("ls; x"), "ask"),
            (Run("PATH=. ls"), "ask"),
            (Run("env LD_PRELOAD=x ls"), "ask"),
            (Start(&["sh", "-c", "ls; x"], &[], None), "ask"),
            (Start(&["sh", "-xc", "ls; x"], &[], None), "ask"),
            (Start(&["eval", "ls; x"], &[], None), "ask"),
            (Start(&["git", "commit", "-m", "a; b"], &[], None), "allow"),
            (Call(Execute, "{}"), "ask"),
            (Call(Other, r#"{"command":"ls"}"#), "allow"),
            (Call(Other, r#"{"command":"ls; x"}"#), "ask"),
        ],
    },
    Row {
        why: "a denied path is seen in the names of an input as well",
        set: ALL,
        rules: &["deny path=**/.env*"],
        cases: &[
            (
                Call(Edit, r#"{"changes":{"/p/.env":{"update":{}}}}"#),
                "ask",
            ),
            (Call(Edit, r#"{"changes":{"src/.env.there":{}}}"#), "deny"),
            (Call(Other, r#"{"a":[{".env":"x"}]}"#), "ask"),
            (Call(Other, r#"{".env":1}"#), "ask"),
            (Call(Edit, r#"{"changes":{"src/a":{}}}"#), "allow"),
        ],
    },
    Row {
        why: "a URL is fetched, and not read",
        set: ASK,
        rules: &["allow kind=read", "allow kind=search"],
        cases: &[
            (Call(ToolKind::Read, r#"{"path":"src/a"}"#), "allow"),
            (Call(ToolKind::Read, r#"{"url":"http://x"}"#), "ask"),
            (
                Call(ToolKind::Read, r#"{"path":"src/a","x":"HTTPS://x"}"#),
                "ask",
            ),
            (Call(ToolKind::Read, r#"{"a":{"b":["ssh://x/y"]}}"#), "ask"),
            (
                Call(ToolKind::Read, r#"{"path":"file:/etc/passwd"}"#),
                "ask",
            ),
            (
                Call(ToolKind::Read, r#"{"uri":"file://host/etc/x"}"#),
                "ask",
            ),
            (Call(Search, r#"{"query":"ftp://x"}"#), "ask"),
        ],
    },
    Row {
        why: "and what is neither does not become a fetch that is allowed",
        set: ASK,
        rules: &["allow kind=fetch"],
        cases: &[
            (Call(Fetch, r#"{"url":"http://x"}"#), "allow"),
            (Call(ToolKind::Read, r#"{"url":"http://x"}"#), "allow"),
            (Call(Other, r#"{"url":"http://x"}"#), "ask"),
            (Call(ToolKind::SwitchMode, r#"{"url":"http://x"}"#), "ask"),
            (Call(Edit, r#"{"url":"http://x","diff":"x"}"#), "ask"),
        ],
    },
    Row {
        why: "a rule against fetching catches reads that do so",
        set: ALL,
        rules: &["deny kind=fetch"],
        cases: &[
            (Call(ToolKind::Read, r#"{"url":"http://x"}"#), "deny"),
            (Call(ToolKind::Read, r#"{"path":"src/a"}"#), "allow"),
        ],
    },
    Row {
        why: "a denied path is seen wherever the input names it",
        set: ALL,
        rules: &["deny path=**/.env*"],
        cases: &[
            (Read("src/.env"), "deny"),
            (Write(".env.local"), "deny"),
            (Call(ToolKind::Read, r#"{"file_path":".env"}"#), "deny"),
            (Call(ToolKind::Read, r#"{"filePath":"src/.env"}"#), "deny"),
            (Call(ToolKind::Read, r#"{"paths":["a",".env"]}"#), "deny"),
            (Call(Edit, r#"{"notebook_path":".env"}"#), "deny"),
            (
                Call(ToolKind::Move, r#"{"source":"a","destination":"b/.env"}"#),
                "deny",
            ),
            (
                Call(ToolKind::Move, r#"{"old_path":".env","new_path":"b"}"#),
                "deny",
            ),
            (Call(Other, r#"{"target":"./src/../.env"}"#), "deny"),
            (
                Call(Other, r#"{"a":[{"b":{"uri":"file:///x/%2Eenv"}}]}"#),
                "deny",
            ),
            (
                Call(Other, r#"{"arguments":"{\"path\":\".env\"}"}"#),
                "deny",
            ),
            (
                Call(Other, r#"{"input":"*** Update File: .env\n-a\n+b"}"#),
                "deny",
            ),
            // There is such a file.
            (Call(Other, r#"{"what":"src/.env.there"}"#), "deny"),
            // It may be one.
            (Call(Other, r#"{"what":".env"}"#), "ask"),
            (Call(Execute, r#"{"command":"cat .env"}"#), "ask"),
            (Run("cat src/.env"), "ask"),
            (Run("cat <.env"), "ask"),
            (Run("echo x >>.env"), "ask"),
            (Run("dd if=.env of=x"), "ask"),
            (Start(&["cat", ".env"], &[], None), "ask"),
            (Run("cat a"), "allow"),
            (Call(Other, r#"{"what":"env"}"#), "allow"),
        ],
    },
    Row {
        why: "an allowed path must be all paths that the input names",
        set: ASK,
        rules: &["allow kind=read path=src/**", "allow kind=search"],
        cases: &[
            (Call(ToolKind::Read, r#"{"path":"src/a"}"#), "allow"),
            (
                Call(ToolKind::Read, r#"{"path":"src/a","file":"b"}"#),
                "ask",
            ),
            (
                Call(ToolKind::Read, r#"{"paths":["src/a","../out/b"]}"#),
                "ask",
            ),
            (Call(Search, r#"{"pattern":"x","path":"src"}"#), "allow"),
            (Call(Search, r#"{"pattern":"x","path":"/etc"}"#), "ask"),
            (Call(Search, r#"{"pattern":"x","path":"~/.ssh"}"#), "ask"),
            (
                Call(Search, r#"{"pattern":"x","uri":"file:///etc/passwd"}"#),
                "ask",
            ),
        ],
    },
    Row {
        why: "accept-edits takes edits that are no more than that, inside",
        set: EDITS,
        rules: &[],
        cases: &[
            (
                Call(Edit, r#"{"file_path":"src/a","content":"x"}"#),
                "allow",
            ),
            (
                Call(Edit, r#"{"file_path":"../out/a","content":"x"}"#),
                "ask",
            ),
            (
                Call(Edit, r#"{"file_path":"a","destination":"/etc/x"}"#),
                "ask",
            ),
            (Call(Edit, r#"{"file_path":"a","command":"rm x"}"#), "ask"),
            (Call(Delete, r#"{"path":"a"}"#), "ask"),
            (Call(Edit, "{}"), "ask"),
            (Run("ls"), "serve"),
            (Write("a"), "allow"),
        ],
    },
    Row {
        why: "allow-all asks outside the workspace, for commands where they are asked about at all",
        set: ALL_ASK_TERMINAL,
        rules: &[],
        cases: &[
            (Run("a; b"), "allow"),
            (Start(&["ls"], &[], Some("../out")), "ask"),
            (Call(Execute, r#"{"command":"ls","cwd":"/"}"#), "ask"),
            (Call(ToolKind::Read, r#"{"path":"/etc/passwd"}"#), "ask"),
            // Outside, the roots ask.
            (Read("../out/x"), "serve"),
        ],
    },
    Row {
        why: "a denied command is found or doubted in all ways",
        set: ALL,
        rules: &["deny command=rm"],
        cases: &[
            (Run("rm x"), "deny"),
            (Start(&["rm", "x"], &[], None), "deny"),
            (Start(&["/bin/rm", "x"], &[], None), "deny"),
            (Start(&["sh", "-c", "eval \"r'm' f\""], &[], None), "deny"),
            (Run("eval \"r'm' f\""), "deny"),
            (Run("eval r\\'m\\' f"), "deny"),
            (Run("eval r 'm'"), "allow"),
            (Run("env -S 'rm f'"), "deny"),
            (Run("env -S \"r'm' f\""), "deny"),
            (Run("env -vS'rm f'"), "deny"),
            (Run("env -S r'\"\"'m f"), "deny"),
            (Run("sudo nice -n 5 env A=b sh -c 'r\"\"m f'"), "deny"),
            (Run("xargs -0 rm"), "deny"),
            (Run("alias q='rm x'; q"), "deny"),
            (Run("trap r\\'m\\' EXIT"), "deny"),
            (Run("hash -p /bin/rm ls; ls x"), "deny"),
            (Run("PATH=. ls"), "ask"),
            (Start(&["ls"], &["PATH=."], None), "ask"),
            (Start(&["ls"], &["BASH_ENV=x"], None), "ask"),
            (Run("ssh host rm x"), "ask"),
            (Run("ssh host 'rm x'"), "ask"),
            (Run("docker run x rm y"), "ask"),
            (Run("git -c alias.x='!rm y' x"), "ask"),
            (Run("git submodule foreach 'rm y'"), "ask"),
            (Run("python3 -c 'import os; os.system(\"rm f\")'"), "ask"),
            (Run("perl -e 'unlink f'"), "ask"),
            (Run("awk 'BEGIN{system(\"rm f\")}'"), "ask"),
            (Run("awk '{print $1}' f"), "allow"),
            (Run("git commit -m \"don't rm\""), "allow"),
            (Run("echo rm"), "allow"),
            (Call(ToolKind::Read, r#"{"command":"rm x"}"#), "deny"),
            (Call(Other, r#"{"script":"rm x"}"#), "deny"),
            (Call(Execute, r#"{"command":"ls","args":"; rm x"}"#), "deny"),
            (
                Call(Execute, r#"{"command":"ls","env":{"PATH":"."}}"#),
                "ask",
            ),
            (Call(Execute, "{}"), "ask"),
        ],
    },
];

struct Case {
    dir: tempfile::TempDir,
    policy: Policy,
    rules: Vec<Rule>,
}

fn case(policy: Policy, rules: &[&str]) -> Case {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("ws/src")).unwrap();
    fs::create_dir_all(dir.path().join("out")).unwrap();
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
        kind: part("kind").map(|kind| match kind.as_str() {
            "read" => ToolKind::Read,
            "edit" => ToolKind::Edit,
            "execute" => ToolKind::Execute,
            "search" => ToolKind::Search,
            "fetch" => ToolKind::Fetch,
            other => panic!("{other}"),
        }),
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
            FileVerdict::Serve => "serve",
            FileVerdict::Ask { .. } => "ask",
            FileVerdict::Refuse(_) => "deny",
        };
        let terminal =
            |request: &TerminalCreate, shell| match judge.terminal(request, shell, &roots) {
                TerminalVerdict::Run => "serve",
                TerminalVerdict::Ask { .. } => "ask",
                TerminalVerdict::Refuse(_) => "deny",
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
    for row in TABLE {
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
            assert_eq!(
                case.ruled(*way, ask_terminal),
                expected,
                "{}: {shown} under {:?}",
                row.why,
                row.rules
            );
        }
    }
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
    assert!(matches!(says("bin:/usr/bin"), TerminalVerdict::Ask { .. }));
    assert_eq!(says("/nowhere:."), TerminalVerdict::Run);
    let absolute = case.dir.path().join("ws/bin");
    assert_eq!(
        says(&format!("{}:bin", absolute.display())),
        TerminalVerdict::Run
    );
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
