use proptest::prelude::*;

use super::{json::MAX_ITEMS, *};

fn line(raw: &str) -> Option<String> {
    find(raw).run.map(|run| run.line)
}

#[test]
fn commands_are_found_in_the_shapes_agents_use() {
    for (raw, line, cwd) in [
        (r#"{"command":"ls -l","cwd":"/p"}"#, "ls -l", Some("/p")),
        (r#"{"cmd":"ls","workdir":"sub"}"#, "ls", Some("sub")),
        (
            r#"{"command":["bash","-lc","cargo test && ls"]}"#,
            "bash -lc 'cargo test && ls'",
            None,
        ),
        (
            r#"{"command":"git","args":["commit","-m","a b"]}"#,
            "git commit -m 'a b'",
            None,
        ),
        (r#"{"cwd":"/p","args":{"cmd":"make"}}"#, "make", Some("/p")),
        (
            r#"{"input":{"command":"x","cwd":"/in"},"cwd":"/out"}"#,
            "x",
            Some("/in"),
        ),
        (r#""{\"command\":\"ls\"}""#, "ls", None),
        (r#"{"arguments":"{\"command\":\"ls\"}"}"#, "ls", None),
        (r#"{"Command":"ls"}"#, "ls", None),
        (r#"{"a":{"b":[{"command_line":"ls"}]}}"#, "ls", None),
        (r#"{"program":"git","argv":["push"]}"#, "git push", None),
        (r#"{"commands":["a","b"]}"#, "a\nb", None),
    ] {
        let run = find(raw).run.expect(raw);
        assert_eq!(
            (run.line.as_str(), run.cwd.as_deref()),
            (line, cwd),
            "{raw}"
        );
    }
}

#[test]
fn arguments_beside_a_command_are_part_of_it() {
    for args in ["args", "arguments", "argv", "ARGS"] {
        let raw = format!(r#"{{"command":"cargo test","{args}":"; rm -rf ~"}}"#);
        assert_eq!(line(&raw).as_deref(), Some("cargo test ; rm -rf ~"));
        let raw = format!(r#"{{"command":"cargo test","{args}":["; rm -rf ~"]}}"#);
        let run = find(&raw).run.expect("a command");
        assert_eq!(run.line, "cargo test '; rm -rf ~'");
        assert_eq!(run.other.as_deref(), Some("cargo test ; rm -rf ~"));
    }
    let run = find(r#"{"command":["cargo","test"],"args":["a b",1]}"#).run;
    let run = run.expect("a command");
    assert_eq!(run.line, "cargo test 'a b' 1");
    assert_eq!(run.words.expect("words"), ["cargo", "test", "a b", "1"]);
    // A shell's own script is one word, whatever is in it.
    let run = find(r#"{"command":"bash","args":["-lc","a; b"]}"#).run;
    assert_eq!(run.expect("a command").other, None);
}

#[test]
fn of_several_commands_all_count() {
    assert_eq!(
        line(r#"{"command":"ls","command":"rm x"}"#).as_deref(),
        Some("ls\nrm x")
    );
    assert_eq!(
        line(r#"{"command":"ls","input":{"cmd":"rm x"}}"#).as_deref(),
        Some("ls\nrm x")
    );
    assert_eq!(
        line(r#"{"command":"ls","cmd":"ls"}"#).as_deref(),
        Some("ls")
    );
}

#[test]
fn what_is_set_for_a_command_is_found() {
    let expected = [("PATH".to_owned(), "./bin".to_owned())];
    for env in [
        r#"{"PATH":"./bin"}"#,
        r#"[{"name":"PATH","value":"./bin"}]"#,
        r#"[{"key":"PATH","value":"./bin"}]"#,
        r#"["PATH=./bin"]"#,
        r#""PATH=./bin""#,
    ] {
        for name in ["env", "environment", "envVars", "environment_variables"] {
            let raw = format!(r#"{{"command":"ls","{name}":{env}}}"#);
            let input = find(&raw);
            assert_eq!(input.run.expect("a command").env, expected, "{raw}");
            assert!(!input.unclear, "{raw}");
        }
    }
    assert!(find(r#"{"command":"ls","env":7}"#).unclear);
    let input = find(r#"{"command":"ls","env":null}"#);
    assert!(!input.unclear && input.run.expect("a command").env.is_empty());
}

#[test]
fn what_names_no_command_has_none() {
    for raw in [
        "{}",
        "null",
        "[]",
        r#"{"command":""}"#,
        r#"{"command":[]}"#,
        r#"{"command":[[1]]}"#,
        r#""ls""#,
        r#"{"command":"view","path":"src/a.rs"}"#,
        r#"{"command":"str_replace","path":"a","old_str":"x","new_str":"y"}"#,
    ] {
        assert_eq!(line(raw), None, "{raw}");
    }
    // Without a file it is no editor's.
    assert_eq!(line(r#"{"command":"view"}"#).as_deref(), Some("view"));
}

#[test]
fn paths_are_found_under_any_name() {
    for name in [
        "path",
        "file_path",
        "filePath",
        "notebook_path",
        "target",
        "destination",
        "old_path",
        "newPath",
        "paths",
        "uri",
    ] {
        let input = find(&format!(r#"{{"{name}":"secret/key"}}"#));
        assert_eq!(input.paths, ["secret/key"], "{name}");
        let input = find(&format!(r#"{{"a":{{"{name}":["secret/key"]}}}}"#));
        assert_eq!(input.paths, ["secret/key"], "{name}");
    }
    let input = find(r#"{"pattern":"secret/key","url":"https://x.org/a"}"#);
    assert!(input.paths.is_empty());
    assert_eq!(input.maybe_paths, ["secret/key", "https://x.org/a"]);
    let patch = "*** Begin Patch\\n*** Update File: src/a\\n*** Move to: b\\n--- a/c\\n+++ b/d\\n";
    let input = find(&format!(r#"{{"input":"{patch}"}}"#));
    assert_eq!(input.paths, ["src/a", "b", "c", "d"]);
    assert!(input.writes);
}

#[test]
fn what_would_be_written_is_known() {
    for (raw, writes) in [
        (r#"{"file_path":"a","content":"x"}"#, true),
        (r#"{"path":"a","old_string":"x","new_string":"y"}"#, true),
        (r#"{"edits":[]}"#, true),
        (r#"{"content":"x"}"#, false),
        (r#"{"path":"a"}"#, false),
    ] {
        assert_eq!(find(raw).writes, writes, "{raw}");
    }
}

#[test]
fn lines_to_be_run_under_other_names_are_kept() {
    let input = find(r#"{"script":"rm -rf ~"}"#);
    assert_eq!(input.scripts, ["rm -rf ~"]);
    assert_eq!(input.run, None);
}

/// One below, at and above each bound: what is not looked into is told.
#[test]
fn bounds_are_told() {
    let nested = |depth: usize| {
        format!(
            "{}{}{}",
            r#"{"a":"#.repeat(depth),
            r#"{"command":"rm"}"#,
            "}".repeat(depth)
        )
    };
    assert_eq!(line(&nested(MAX_DEPTH)).as_deref(), Some("rm"));
    assert!(find(&nested(MAX_DEPTH + 1)).unclear);

    let members = |n: usize| {
        let members: Vec<String> = (0..n).map(|n| format!(r#""m{n}":1"#)).collect();
        format!("{{{}}}", members.join(","))
    };
    assert!(!find(&members(MAX_ITEMS)).unclear);
    assert!(find(&members(MAX_ITEMS + 1)).unclear);

    let path = |n: usize| format!(r#"{{"path":"{}"}}"#, "x".repeat(n));
    assert_eq!(find(&path(MAX_PATH)).paths.len(), 1);
    assert!(find(&path(MAX_PATH + 1)).unclear);

    let texts = |n: usize| {
        let texts: Vec<String> = (0..n).map(|n| format!("\"{n}\"")).collect();
        format!(r#"{{"pattern":[{}]}}"#, texts.join(","))
    };
    assert!(!find(&texts(MAX_PATHS)).crowded);
    assert!(find(&texts(MAX_PATHS + 1)).crowded);

    let numbers = format!(r#"{{"a":[{}1]}}"#, "1,".repeat(MAX_ITEMS));
    assert!(!find(&numbers).unclear);
    let large = format!(r#"{{"a":["{}"]}}"#, "x".repeat(MAX_BYTES));
    assert!(find(&large).unclear);
}

proptest! {
    /// A command is found wherever it stands, and no input makes it fail.
    #[test]
    fn a_command_is_found_at_any_depth(
        names in proptest::collection::vec("[a-z]{1,3}", 0..MAX_DEPTH),
        before in prop_oneof![Just(""), Just(r#""x":1,"#), Just(r#""y":[1,{}],"#)],
    ) {
        let mut raw = format!(r#"{{{before}"command":"rm x"}}"#);
        for name in &names {
            raw = format!(r#"{{{before}"{name}":{raw}}}"#);
        }
        prop_assert_eq!(line(&raw), Some("rm x".to_owned()));
    }

    #[test]
    fn no_text_is_too_much(raw in "[\\[\\]{}:,\"a-z0-9\\\\ ]{0,64}") {
        find(&raw);
    }
}

#[test]
fn names_that_could_be_paths_count_as_texts_do() {
    for (raw, maybe) in [
        (r#"{"Makefile":null}"#, &["Makefile"][..]),
        (r#"{"Makefile":1}"#, &["Makefile"]),
        (r#"{"arguments":"{\"x\":{\".env\":1}}"}"#, &["x", ".env"]),
        (r#"{".env":1}"#, &[".env"]),
        (r#"{"timeout":1,"changes":[]}"#, &[]),
    ] {
        let input = find(raw);
        assert_eq!(input.maybe_paths, maybe, "{raw}");
        assert!(input.paths.is_empty(), "{raw}");
    }
    // Where changes are listed by path each name is one.
    for (raw, path) in [
        (r#"{"changes":{"Makefile":null}}"#, "Makefile"),
        (r#"{"changes":{"content":{"type":"add"}}}"#, "content"),
        (
            r#"{"changes":{"a\u002fb c":{"type":"delete","content":2}}}"#,
            "a/b c",
        ),
        (
            r#"{"fileChanges":{".git/hooks/x":{"content":"x"}}}"#,
            ".git/hooks/x",
        ),
        (r#"{"files":{"src/a":"x"}}"#, "src/a"),
    ] {
        let input = find(raw);
        assert_eq!(
            (&*input.paths, input.unknown),
            (&[path.to_owned()][..], None),
            "{raw}"
        );
    }
    // What can be nothing but a path is one for certain.
    for name in ["/p/.env", "~/x", "file:/etc/x"] {
        let input = find(&format!(r#"{{"changes":{{"{name}":{{"update":{{}}}}}}}}"#));
        assert_eq!(input.paths, [name]);
    }
    for (bytes, crowded) in [(4_095, false), (4_096, false), (4_097, true)] {
        let input = find(&format!(r#"{{"changes":{{"{}":1}}}}"#, "x".repeat(bytes)));
        assert_eq!(input.crowded, crowded, "{bytes}");
    }
}

#[test]
fn a_url_is_something_to_fetch() {
    for text in [
        "http://x",
        "HTTPS://x.org/a b",
        " https://x\\n",
        "http:x.org",
        "ftp://x",
        "ssh://git@x/y",
        "git+ssh://x",
        "file:///etc/passwd",
        "file:/etc/passwd",
        "file://host/x",
    ] {
        for raw in [
            format!(r#"{{"url":"{text}"}}"#),
            format!(r#"{{"a":[{{"target":"{text}"}}]}}"#),
            format!(r#"{{"a":{{"{text}":1}}}}"#),
        ] {
            assert_eq!(find(&raw).kind(), Some(ToolKind::Fetch), "{raw}");
        }
    }
    for text in [
        "a.rs",
        "src/http:/x y",
        "C://x",
        "file: the old one",
        "std::fs",
        "see http://x",
        "http:",
    ] {
        assert_eq!(
            find(&format!(r#"{{"path":"{text}"}}"#)).kind(),
            None,
            "{text}"
        );
    }
}

#[test]
fn a_member_that_is_not_known_is_told() {
    for (raw, unknown, texts) in [
        (
            r#"{"path":"a","then":"rm x"}"#,
            "then",
            &["then", "rm x"][..],
        ),
        (
            r#"{"path":"a","hooks":["rm","x"]}"#,
            "hooks",
            &["hooks", "rm x", "rm", "x"],
        ),
        (
            r#"{"path":"a","options":{"pre":"rm x"}}"#,
            "options",
            &["options", "pre", "rm x"],
        ),
        (r#"{"path":"a","sandbox":false}"#, "sandbox", &["sandbox"]),
        (
            r#"{"path":"a","limit":"rm -rf x"}"#,
            "limit",
            &["limit", "rm -rf x"],
        ),
        (
            r#"{"path":"a","type":"delete"}"#,
            "type",
            &["type", "delete"],
        ),
        (
            r#"{"path":"a","before":"rm x"}"#,
            "before",
            &["before", "rm x"],
        ),
        (r#"{"edits":{"then":"rm x"}}"#, "then", &["then", "rm x"]),
        (r#"{"input":"rm x"}"#, "input", &["input", "rm x"]),
        (r#""rm x""#, "", &["rm x"]),
        (r#"["rm x"]"#, "", &["rm x"]),
        (r#"["rm","x"]"#, "", &["rm x", "rm", "x"]),
        (
            r#"{"command":"ls","user":"root"}"#,
            "user",
            &["user", "root"],
        ),
        // Known of a file, but beside a command its input.
        (r#"{"command":"ls","content":"rm x"}"#, "content", &[]),
        (r#"{"args":{"cmd":"ls"},"query":"x"}"#, "query", &[]),
    ] {
        let input = find(raw);
        assert_eq!(input.unknown.as_deref(), Some(unknown), "{raw}");
        assert_eq!(input.unknown_texts, texts, "{raw}");
    }
    for raw in [
        r#"{"path":"a","description":"rm x","offset":null,"x":null,"y":{},"z":""}"#,
        r#"{"input":"*** Begin Patch\n*** Add File: a\n+rm x"}"#,
        r#"{"path":"a","pattern":"rm x","type":"rust"}"#,
        r#"{"command":"ls","timeout":5,"description":"rm x"}"#,
    ] {
        assert_eq!(find(raw).unknown, None, "{raw}");
    }
}

#[test]
fn what_is_not_known_is_bounded() {
    let members = |n: usize| {
        let lists: Vec<String> = (0..n).map(|n| format!(r#"{{"m{n}":1}}"#)).collect();
        let lists: Vec<String> = lists.chunks(900).map(|list| list.join(",")).collect();
        let lists: Vec<String> = lists
            .iter()
            .map(|list| format!(r#""paths":[{list}]"#))
            .collect();
        format!("{{{}}}", lists.join(","))
    };
    for (n, unclear) in [
        (MAX_UNKNOWN - 1, false),
        (MAX_UNKNOWN, false),
        (MAX_UNKNOWN + 1, true),
    ] {
        let input = find(&members(n));
        assert_eq!(input.unclear, unclear, "{n}");
        assert!(input.unknown_texts.len() <= MAX_UNKNOWN);
    }
    let text = |n: usize| find(&format!(r#"{{"m":"{}"}}"#, "x".repeat(n))).unclear;
    for (n, unclear) in [
        (1, false),
        (MAX_UNKNOWN_BYTES - 1, false),
        (MAX_UNKNOWN_BYTES, true),
    ] {
        assert_eq!(text(n), unclear, "{n}");
    }
}

#[test]
fn what_a_shell_is_started_for_may_be_told_twice() {
    let run = |raw| find(raw).run.expect("a command").line;
    let told = r#"{"command":["bash","-lc","cat x"],"parsed_cmd":[{"type":"read","cmd":"cat x","name":"x"}]}"#;
    assert_eq!(run(told), "bash -lc 'cat x'");
    assert_eq!(find(told).unknown, None);
    let other = r#"{"command":["bash","-lc","cat x"],"parsed_cmd":[{"cmd":"rm x"}]}"#;
    assert_eq!(run(other), "bash -lc 'cat x'\nrm x");
}

#[test]
fn to_go_without_a_sandbox_is_more_than_the_command() {
    for (member, beyond) in [
        (r#""sandbox":false"#, true),
        (r#""sandbox":"none""#, true),
        (r#""sandbox":true"#, false),
        (r#""sandbox":null"#, false),
        (r#""sandbox_permissions":"use_default""#, false),
        (r#""sandbox_permissions":"none""#, true),
        (r#""no_sandbox":true"#, true),
        (r#""no_sandbox":false"#, false),
        (r#""dangerouslyDisableSandbox":false"#, false),
        (r#""dangerouslyDisableSandbox":true"#, true),
        (r#""with_escalated_permissions":false"#, false),
        (r#""sudo":"none""#, false),
        (r#""sudo":true"#, true),
    ] {
        let input = find(&format!(r#"{{"command":"ls",{member}}}"#));
        assert_eq!(input.beyond.is_some(), beyond, "{member}");
        assert_eq!(input.unknown.is_some(), beyond, "{member}");
    }
}

proptest! {
    /// Whatever it is called and wherever it stands, a text that reads as a command is no harmless one
    /// that goes unseen, unless its name is on a list.
    #[test]
    fn no_name_hides_a_text(
        name in "[a-zA-Z_]{1,12}",
        path in proptest::collection::vec(prop_oneof![Just("input"), Just("x"), Just("arguments")], 0..4),
    ) {
        let mut raw = format!(r#"{{"path":"a","{name}":"rm -rf x"}}"#);
        for name in &path {
            raw = format!(r#"{{"{name}":{raw}}}"#);
        }
        let input = find(&raw);
        let plain = crate::model::plain_name(&name);
        let harmless = [
            Role::Describing, Role::FileText, Role::Glob, Role::Path, Role::Cwd, Role::Uri, Role::Writes,
            Role::WritesToPath,
        ];
        let seen = input.unknown_texts.iter().chain(&input.scripts).any(|text| text == "rm -rf x")
            || input.run.as_ref().is_some_and(|run| run.line == "rm -rf x");
        prop_assert!(seen || harmless.into_iter().any(|role| is(&plain, role)), "{plain}: {raw}");
        prop_assert!(!seen || input.unknown.is_some() || input.kind() == Some(ToolKind::Execute));
    }
}

#[test]
fn a_patch_too_large_to_be_read_is_unclear() {
    let lines = "+x\\n".repeat(MAX_PATCH / 3);
    let patch = format!("*** Begin Patch\\n*** Update File: a\\n{lines}*** Add File: ../x\\n+x");
    for member in ["patch", "diff", "input", "content", "newText"] {
        let input = find(&format!(r#"{{"{member}":"{patch}"}}"#));
        assert!(input.unclear, "{member}");
    }
    let input = find(&format!(r#"{{"path":"a","patch":"{patch}"}}"#));
    assert!(input.unclear);
    let list = "\"+x\",".repeat(MAX_PATCH / 3);
    assert!(find(&format!(r#"{{"patch":[{list}"*** Add File: x"]}}"#)).unclear);
    let input = find(&format!(r#"{{"path":"a","content":"{patch}"}}"#));
    assert!(!input.unclear && input.crowded);
}
