use std::fs;

use super::*;
use crate::model::{CommandRun, OptionId, ToolInput};

struct Case {
    dir: tempfile::TempDir,
    policy: Policy,
    rules: Vec<Rule>,
    options: Vec<PermissionOption>,
}

fn case(policy: Policy, rules: &[&str]) -> Case {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("ws/src")).unwrap();
    fs::create_dir_all(dir.path().join("out")).unwrap();
    Case {
        dir,
        policy,
        rules: rules.iter().map(|text| rule(text)).collect(),
        options: [
            PermissionKind::AllowAlways,
            PermissionKind::AllowOnce,
            PermissionKind::RejectOnce,
        ]
        .map(|kind| option(&format!("{kind:?}"), kind))
        .to_vec(),
    }
}

fn option(id: &str, kind: PermissionKind) -> PermissionOption {
    PermissionOption {
        id: OptionId::new(id),
        name: SafeText::new(id),
        kind,
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

fn execute(command: &str) -> Subject {
    runs(CommandRun::of_line(command.to_owned()))
}

fn runs(run: CommandRun) -> Subject {
    Subject {
        kind: ToolKind::Execute,
        input: ToolInput {
            run: Some(run),
            ..ToolInput::default()
        },
        ..Subject::default()
    }
}

fn touch(kind: ToolKind, paths: &[&str]) -> Subject {
    Subject {
        kind,
        paths: paths.iter().map(|path| (*path).to_owned()).collect(),
        ..Subject::default()
    }
}

impl Case {
    fn roots(&self) -> Roots {
        Roots::new(&self.dir.path().join("ws"), &[]).unwrap()
    }

    fn judge(&self) -> Judge {
        Judge::new(self.policy, self.rules.clone(), false, None)
    }

    fn decide(&self, subject: &Subject) -> Verdict {
        self.judge().decide(subject, &self.options, &self.roots())
    }

    /// `allow`, `deny` or `ask`.
    fn says(&self, subject: &Subject) -> &'static str {
        match self.decide(subject) {
            Verdict::Allow { option, .. } => {
                assert_eq!(option.as_str(), "AllowOnce");
                "allow"
            }
            Verdict::Deny { option, .. } => {
                assert_eq!(option.as_str(), "RejectOnce");
                "deny"
            }
            Verdict::Ask { .. } => "ask",
        }
    }
}

#[test]
fn nothing_is_answered_without_a_rule() {
    let case = case(Policy::Ask, &[]);
    for kind in [
        ToolKind::Read,
        ToolKind::Fetch,
        ToolKind::SwitchMode,
        ToolKind::Edit,
    ] {
        assert_eq!(case.says(&touch(kind, &["src/a"])), "ask");
    }
}

#[test]
fn deny_beats_ask_beats_allow_whatever_the_order() {
    let all = [
        "allow kind=execute",
        "ask command=git",
        "deny command=git_push",
    ];
    let case = case(Policy::Ask, &all);
    assert_eq!(case.says(&execute("ls")), "allow");
    assert_eq!(case.says(&execute("git status")), "ask");
    assert_eq!(case.says(&execute("git push")), "deny");
}

#[test]
fn an_allow_rule_takes_plain_commands_only() {
    let case = case(Policy::Ask, &["allow command=cargo_test"]);
    for line in ["cargo test", "cargo test --lib x", "bash -lc 'cargo test'"] {
        assert_eq!(case.says(&execute(line)), "allow", "{line}");
    }
    for line in [
        "cargo tests",
        "cargo",
        "cargo test; rm x",
        "cargo test && x",
        "cargo test | x",
        "cargo test > f",
        "cargo test $(x)",
        "cargo test `x`",
        "cargo test\nx",
        "X=1 cargo test",
        "cargo test & x",
        "./cargo test",
        "bash -lc 'cargo test; x'",
        "cargo \"test\" $X",
    ] {
        assert_eq!(case.says(&execute(line)), "ask", "{line:?}");
    }
    let elsewhere = runs(CommandRun {
        cwd: Some("../out".into()),
        ..CommandRun::of_line("cargo test".into())
    });
    assert_eq!(case.says(&elsewhere), "ask");
}

#[test]
fn a_command_that_is_no_plain_one_matches_no_allow_rule_at_all() {
    let case = case(Policy::Ask, &["allow kind=execute"]);
    assert_eq!(case.says(&execute("ls")), "allow");
    assert_eq!(case.says(&execute("ls; rm x")), "ask");
    let unknown = touch(ToolKind::Execute, &[]);
    assert_eq!(case.says(&unknown), "ask");
}

#[test]
fn a_deny_rule_catches_any_part_and_doubt_asks_even_under_allow_all() {
    let case = case(Policy::AllowAll, &["deny command=rm"]);
    assert_eq!(case.says(&execute("ls")), "allow");
    for line in [
        "cd x && rm -rf y",
        "sudo rm x",
        "env A=b rm x",
        "sh -c 'rm x'",
    ] {
        assert_eq!(case.says(&execute(line)), "deny", "{line}");
    }
    for line in ["X=rm; $X y", "curl x | sh"] {
        assert_eq!(case.says(&execute(line)), "ask", "{line}");
    }
}

#[test]
fn all_paths_must_match_to_allow_and_any_to_deny() {
    let case = case(
        Policy::Ask,
        &["allow kind=read path=src/**", "deny path=**/.env*"],
    );
    assert_eq!(
        case.says(&touch(ToolKind::Read, &["src/a", "src/b/c"])),
        "allow"
    );
    assert_eq!(
        case.says(&touch(ToolKind::Read, &["src/a", "Cargo.toml"])),
        "ask"
    );
    assert_eq!(case.says(&touch(ToolKind::Read, &[])), "ask");
    assert_eq!(
        case.says(&touch(ToolKind::Read, &["src/a", "src/.env.local"])),
        "deny"
    );
    assert_eq!(
        case.says(&touch(ToolKind::Read, &[".env/x", "/other/.env"])),
        "deny"
    );
}

// V1-FS-12
#[test]
fn paths_are_judged_where_they_lead() {
    let case = case(
        Policy::AllowAll,
        &["deny path=secret/**", "allow path=src/**"],
    );
    let ws = case.dir.path().join("ws");
    fs::create_dir(ws.join("secret")).unwrap();
    std::os::unix::fs::symlink("../secret", ws.join("src/link")).unwrap();
    std::os::unix::fs::symlink("../../out", ws.join("src/away")).unwrap();
    assert_eq!(case.says(&touch(ToolKind::Edit, &["src/link/key"])), "deny");
    assert_eq!(case.says(&touch(ToolKind::Edit, &["src/away/x"])), "ask");
    assert_eq!(
        case.says(&touch(ToolKind::Edit, &["src/../src/x"])),
        "allow"
    );
}

#[test]
fn absolute_globs_reach_outside_and_kinds_alone_do_not() {
    let mut case = case(Policy::Ask, &["allow kind=read"]);
    let out = case.dir.path().canonicalize().unwrap().join("out");
    let outside = touch(ToolKind::Read, &[out.join("x").to_str().unwrap()]);
    assert_eq!(case.says(&outside), "ask");
    case.rules = vec![Rule {
        path: Some(format!("{}/**", out.display())),
        ..rule("allow kind=read")
    }];
    assert_eq!(case.says(&outside), "allow");
}

#[test]
fn accept_edits_allows_edits_inside_only() {
    let case = case(Policy::AcceptEdits, &[]);
    assert_eq!(case.says(&touch(ToolKind::Edit, &["src/a"])), "allow");
    assert_eq!(
        case.says(&touch(ToolKind::Edit, &["src/a", "../out/b"])),
        "ask"
    );
    assert_eq!(case.says(&touch(ToolKind::Edit, &[])), "ask");
    assert_eq!(case.says(&touch(ToolKind::Delete, &["src/a"])), "ask");
    assert_eq!(case.says(&execute("ls")), "ask");
}

#[test]
fn read_only_rejects_changes_whatever_is_allowed() {
    let case = case(Policy::ReadOnly, &["allow kind=execute", "allow kind=read"]);
    assert_eq!(case.says(&execute("ls")), "deny");
    for kind in [ToolKind::Edit, ToolKind::Delete, ToolKind::Move] {
        assert_eq!(case.says(&touch(kind, &["a"])), "deny");
    }
    let mut disguised = touch(ToolKind::Other, &["a"]);
    disguised.input.writes = true;
    assert_eq!(case.says(&disguised), "deny");
    assert_eq!(case.says(&touch(ToolKind::Read, &["a"])), "allow");
    assert_eq!(case.says(&touch(ToolKind::Fetch, &[])), "ask");
}

#[test]
fn allow_all_asks_outside_the_workspace() {
    let case = case(Policy::AllowAll, &[]);
    assert_eq!(case.says(&execute("a && b")), "allow");
    let verdict = case.decide(&touch(ToolKind::Edit, &["../out/x"]));
    let Verdict::Ask {
        reason: Some(reason),
        ..
    } = verdict
    else {
        panic!("{verdict:?}");
    };
    assert!(
        reason.ends_with("out/x is outside the workspace"),
        "{reason}"
    );
}

// V1-PERM-05, V1-PERM-06
#[test]
fn only_a_single_option_of_the_kind_is_picked() {
    let mut case = case(Policy::AllowAll, &["deny command=rm"]);
    case.options = vec![
        option("1", PermissionKind::AllowOnce),
        option("2", PermissionKind::AllowOnce),
        option("3", PermissionKind::AllowAlways),
        option("4", PermissionKind::Unknown),
    ];
    for line in ["ls", "rm x"] {
        let verdict = case.decide(&execute(line));
        assert!(
            matches!(
                verdict,
                Verdict::Ask {
                    reason: Some(_),
                    ..
                }
            ),
            "{verdict:?}"
        );
    }
}

#[test]
fn a_rule_that_names_nothing_matches_nothing() {
    for empty in ["allow", "deny", "deny command="] {
        assert_eq!(
            case(Policy::Ask, &[empty]).says(&execute("ls")),
            "ask",
            "{empty}"
        );
    }
}

#[test]
fn tools_are_matched_by_name() {
    let case = case(Policy::Ask, &["allow tool=view"]);
    let mut subject = touch(ToolKind::Other, &[]);
    assert_eq!(case.says(&subject), "ask");
    subject.tool = Some("view".into());
    assert_eq!(case.says(&subject), "allow");
}

// V2-PERM-01
#[test]
fn what_is_not_known_is_never_allowed_by_itself() {
    let unknown = Subject {
        opaque: true,
        ..Subject::default()
    };
    assert_eq!(case(Policy::AllowAll, &["allow"]).says(&unknown), "ask");
    assert_eq!(case(Policy::Ask, &[]).says(&unknown), "ask");
    assert_eq!(case(Policy::ReadOnly, &[]).says(&unknown), "deny");
}

#[test]
fn what_git_keeps_is_asked_about_whatever_rules_and_policy_say() {
    for policy in [Policy::AcceptEdits, Policy::AllowAll] {
        let case = case(policy, &["allow kind=edit path=**", "allow path=/**"]);
        for path in [".git/config", ".git/hooks/pre-commit", "src/.git"] {
            assert_eq!(case.says(&touch(ToolKind::Edit, &[path])), "ask", "{path}");
        }
        for path in [".gitignore", ".github/workflows/x.yml"] {
            assert_eq!(
                case.says(&touch(ToolKind::Edit, &[path])),
                "allow",
                "{path}"
            );
        }
    }
}

#[test]
fn what_is_protected_is_asked_about_whatever_rules_and_policy_say() {
    let case = case(
        Policy::AllowAll,
        &[
            "allow kind=edit path=**",
            "allow path=/**",
            "allow kind=read",
        ],
    );
    let roots = case.roots();
    let own = roots.cwd().join(".config/acp-tui");
    let roots = roots.with_own(&crate::host::Own {
        places: vec![own],
        ..Default::default()
    });
    for path in [".config/acp-tui/config.toml", ".config/acp-tui/data/new"] {
        for kind in [ToolKind::Edit, ToolKind::Read, ToolKind::Delete] {
            let verdict = case
                .judge()
                .decide(&touch(kind, &[path]), &case.options, &roots);
            let Verdict::Ask { reason, .. } = verdict else {
                panic!("{path}: {verdict:?}");
            };
            let reason = reason.expect("why it is asked");
            assert!(reason.contains("belongs to acp-tui itself"), "{reason}");
        }
    }
    assert_eq!(case.says(&touch(ToolKind::Edit, &["notes"])), "allow");
}

fn strays(case: &Case, subject: &Subject) -> Vec<String> {
    match case.decide(subject) {
        Verdict::Ask { strays, .. } => strays
            .into_iter()
            .map(|stray| {
                let leads = stray.leads.unwrap_or_default();
                format!("{} > {leads} {}", stray.asked, stray.why)
            })
            .collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn whatever_makes_it_a_question_it_says_which_paths_lead_outside() {
    for (policy, rules) in [
        (Policy::Ask, &[][..]),
        (Policy::AcceptEdits, &[]),
        (Policy::AllowAll, &[]),
        (Policy::AllowAll, &["ask kind=edit"]),
        (Policy::Ask, &["allow kind=edit"]),
    ] {
        let case = case(policy, rules);
        let out = case.dir.path().canonicalize().unwrap().join("out");
        let ws = case.roots().cwd().to_owned();
        std::os::unix::fs::symlink(&out, ws.join("slink")).unwrap();
        let (out, ws) = (out.display(), ws.display());
        let link = format!("slink/s.txt > {out}/s.txt is outside the workspace");
        for path in ["slink/s.txt".to_owned(), format!("{ws}/slink/s.txt")] {
            let subject = touch(ToolKind::Edit, &["src/a", &path]);
            assert_eq!(strays(&case, &subject), [link.as_str()], "{path}");
        }
        let mut told = touch(ToolKind::Edit, &[]);
        told.input.paths = vec![
            format!("{out}/x"),
            "slink/s.txt".into(),
            "slink/s.txt".into(),
        ];
        // The one that does not look it goes first, and each is told once.
        let plain = format!("{out}/x >  is outside the workspace");
        assert_eq!(strays(&case, &told), [link.clone(), plain]);
    }
    let case = case(Policy::Ask, &[]);
    assert!(strays(&case, &touch(ToolKind::Edit, &["src/a"])).is_empty());
}

#[test]
fn what_is_protected_and_what_leads_nowhere_is_told_too() {
    let case = case(Policy::Ask, &[]);
    let home = std::env::home_dir().unwrap();
    let told = strays(&case, &touch(ToolKind::Edit, &["~/.bashrc"]));
    let [told] = told.as_slice() else {
        panic!("{told:?}");
    };
    let home = home.canonicalize().unwrap_or(home);
    let expected = format!("~/.bashrc > {}", home.join(".bashrc").display());
    assert!(told.starts_with(&expected), "{told}");
    assert!(!told.contains("is outside the workspace"), "{told}");

    std::os::unix::fs::symlink("loop", case.dir.path().join("ws/loop")).unwrap();
    assert_eq!(
        strays(&case, &touch(ToolKind::Edit, &["loop"])),
        ["loop >  leads to where it cannot be followed"]
    );
}

#[test]
fn paths_that_lead_outside_are_told_of_up_to_a_limit() {
    let case = case(Policy::Ask, &[]);
    for (count, told, more) in [
        (19, 19, ""),
        (20, 20, ""),
        (21, 21, "1 more"),
        (50, 21, "30 more"),
    ] {
        let paths: Vec<String> = (0..count).map(|n| format!("../out/{n}")).collect();
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let strays = strays(&case, &touch(ToolKind::Edit, &paths));
        assert_eq!(strays.len(), told);
        assert!(
            strays.last().is_some_and(|last| last.starts_with(more)),
            "{strays:?}"
        );
    }
    for (bytes, cut) in [(4_095, false), (4_096, false), (4_097, true)] {
        let long = format!(
            "/{}",
            "x/".repeat(bytes / 2 - 1) + &"y".repeat(bytes % 2 + 1)
        );
        assert_eq!(long.len(), bytes);
        let told = strays(&case, &touch(ToolKind::Edit, &[&long]));
        assert_eq!(told[0].contains('…'), cut, "{bytes}");
    }
}
