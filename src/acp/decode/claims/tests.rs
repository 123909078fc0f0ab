use serde_json::json;

use super::*;
use crate::model::DiffText;

/// `path old→new` of each claim; `*` for everywhere, `!` for the whole file.
fn told(raw: &serde_json::Value) -> Vec<String> {
    let claims = find(&raw.to_string());
    let one = |claim: &Claim| {
        let sign = match claim.extent {
            Extent::Unknown => "",
            Extent::Everywhere => "*",
            Extent::Whole => "!",
        };
        let path = &claim.diff.path;
        match &claim.diff.text {
            DiffText::Sides { old, new } => {
                let old = old.as_deref().unwrap_or("-");
                format!("{path} {old}→{new}{sign}")
            }
            DiffText::Patch(patch) => format!("{path} {:?} {}", claim.diff.change, patch.len()),
            DiffText::None => format!("{path} nothing"),
        }
    };
    claims.list.iter().map(one).collect()
}

#[test]
fn what_agents_have_been_seen_to_send_tells_its_change() {
    let table = [
        // claude
        (
            json!({"replace_all": false, "file_path": "/p/n", "old_string": "a", "new_string": "b"}),
            vec!["/p/n a→b"],
        ),
        (
            json!({"file_path": "/p/n", "old_string": "a", "new_string": "b", "replace_all": true}),
            vec!["/p/n a→b*"],
        ),
        (
            json!({"file_path": "/p/n", "content": "text"}),
            vec!["/p/n -→text!"],
        ),
        // Not whole yet.
        (json!({"file_path": "/p/n", "old_string": "a"}), vec![]),
        // opencode
        (
            json!({"filePath": "/p/n", "oldString": "a", "newString": "b"}),
            vec!["/p/n a→b"],
        ),
        (
            json!({"content": "text", "filePath": "/p/n"}),
            vec!["/p/n -→text!"],
        ),
        // vibe
        (
            json!({"filePath": "n", "oldString": "a", "newString": "b", "replaceAll": false}),
            vec!["n a→b"],
        ),
        // pi
        (
            json!({"path": "n", "edits": [
                {"oldText": "a", "newText": "b"},
                {"oldText": "c", "newText": "d"}
            ]}),
            vec!["n a→b", "n c→d"],
        ),
        // qwen, gemini
        (
            json!({"file_path": "/p/n", "old_string": "a", "new_string": "b", "instruction": "do"}),
            vec!["/p/n a→b"],
        ),
        // fast-agent
        (
            json!({"path": "/p/n", "old_string": "a", "new_string": "b"}),
            vec!["/p/n a→b"],
        ),
        (json!({"path": "n", "content_length": 20}), vec![]),
        // The text editor of some models.
        (
            json!({"command": "str_replace", "path": "n", "old_str": "a", "new_str": "b"}),
            vec!["n a→b"],
        ),
        (
            json!({"command": "create", "path": "n", "file_text": "text"}),
            vec!["n -→text!"],
        ),
        (
            json!({"command": "insert", "path": "n", "insert_line": 3, "new_str": "text"}),
            vec![],
        ),
        // Arguments in a wrapper, and as a model wrote them.
        (
            json!({"tool": "edit", "input": {"path": "n", "oldText": "a", "newText": "b"}}),
            vec!["n a→b"],
        ),
        (
            json!(r#"{"path": "n", "oldText": "a", "newText": "b"}"#),
            vec!["n a→b"],
        ),
        // Without a path it is that of the location.
        (json!({"old_string": "a", "new_string": "b"}), vec![" a→b"]),
        // A new file by its edit.
        (
            json!({"path": "n", "old_string": null, "new_string": "b"}),
            vec!["n -→b"],
        ),
        // Where the text goes is not known.
        (json!({"path": "n", "content": "text", "line": 3}), vec![]),
        (json!({"path": "n", "content": ["text"]}), vec![]),
        (
            json!({"path": ["n"], "old_string": "a", "new_string": "b"}),
            vec![],
        ),
        (json!({"command": "cargo test"}), vec![]),
        (json!(["a"]), vec![]),
        (json!(null), vec![]),
        (json!({}), vec![]),
    ];
    for (raw, expected) in table {
        assert_eq!(told(&raw), expected, "{raw}");
    }
}

// As in the recording of opencode.
const DIFF: &str = "Index: /p/notes.txt\n\
    ===================================================================\n\
    --- /p/notes.txt\n+++ /p/notes.txt\n@@ -1,1 +1,1 @@\n-written by the agent\n\
    \\ No newline at end of file\n+changed by the agent\n\\ No newline at end of file\n";

#[test]
fn a_unified_diff_is_a_change_of_each_of_its_files() {
    let one = json!({"filepath": "/p/notes.txt", "diff": DIFF});
    assert_eq!(told(&one), [format!("/p/notes.txt Modify {}", DIFF.len())]);
    let git = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n--- y\n+++ z\n";
    let new = "--- /dev/null\t2026-01-01\n+++ b/new\t2026-01-01\n@@ -0,0 +1 @@\n+n\n";
    let both = json!({"filepath": "x, new", "patch": format!("{git}{new}")});
    assert_eq!(
        told(&both),
        [
            format!("x Modify {}", git.len()),
            format!("new Add {}", new.len())
        ]
    );
    assert_eq!(
        told(&json!({"filepath": "x", "diff": "see the file"})),
        [""; 0]
    );
}

#[test]
fn what_says_more_than_its_change_is_not_complete() {
    let complete = |raw: serde_json::Value| find(&raw.to_string()).complete;
    let edit = json!({"path": "n", "old_string": "a", "new_string": "b"});
    assert!(complete(edit.clone()));
    for (name, value) in [("script", json!("rm -rf ~")), ("command", json!("rm"))] {
        let mut more = edit.clone();
        more[name] = value;
        assert!(!complete(more), "{name}");
    }
    let twice = r#"{"path": "n", "old_string": "a", "new_string": "b", "path": "m"}"#;
    assert!(!find(twice).complete);
}

#[test]
fn texts_are_bounded() {
    let of = |bytes: usize| {
        let text = "x".repeat(bytes);
        find(&json!({"path": "n", "content": text}).to_string())
            .list
            .len()
    };
    assert_eq!(
        [of(MAX_TEXT - 1), of(MAX_TEXT), of(MAX_TEXT + 1)],
        [1, 1, 0]
    );
    let edits = |count: usize| {
        let edit = json!({"oldText": "a", "newText": "b"});
        let edits = vec![edit; count];
        find(&json!({"path": "n", "edits": edits}).to_string())
            .list
            .len()
    };
    assert_eq!(
        [
            edits(MAX_CLAIMS - 1),
            edits(MAX_CLAIMS),
            edits(MAX_CLAIMS + 1)
        ],
        [MAX_CLAIMS - 1, MAX_CLAIMS, 0]
    );
}

const CODEX: &str = "*** Begin Patch\n*** Add File: new\n+one\n+two\n*** Update File: src/a\n@@\n \
    keep\n-old\n+new\n@@\n-x\n+y\n*** End of File\n*** Delete File: gone\n*** End Patch\n";

#[test]
fn the_text_of_apply_patch_is_a_change_of_each_of_its_places() {
    let expected = [
        "new -\u{2192}one\ntwo\n!",
        "src/a keep\nold\n\u{2192}keep\nnew\n",
        "src/a x\n\u{2192}y\n",
        "gone nothing",
    ];
    for raw in [
        json!(CODEX),
        json!({"input": CODEX}),
        json!({"patch": CODEX}),
        json!({"arguments": json!({"patch": CODEX}).to_string()}),
    ] {
        assert_eq!(told(&raw), expected, "{raw}");
        assert!(find(&raw.to_string()).complete, "{raw}");
    }
    let moved = "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** End Patch";
    let claims = find(&json!({"input": moved}).to_string());
    let [claim] = claims.list.as_slice() else {
        panic!("{claims:?}");
    };
    assert_eq!((&*claim.diff.path, claim.diff.from()), ("b", Some("a")));
    // Where it says more than its diffs show, or what is no change, it stays there as well.
    let located = CODEX.replace("@@\n-x", "@@ fn main\n-x");
    assert!(!find(&json!({"input": located}).to_string()).complete);
    assert!(!find(&json!({"input": CODEX, "then": "rm -rf x"}).to_string()).complete);
    for broken in [
        CODEX.replace("*** Delete File: gone", "rm -rf x"),
        CODEX.replace("*** End Patch", ""),
        CODEX.replace("*** Delete File: gone", "*** Run: gone"),
        format!("{CODEX}rm -rf x"),
    ] {
        assert_eq!(told(&json!({"input": broken})), [""; 0], "{broken}");
    }
}

#[test]
fn changes_by_path_are_read_in_both_forms() {
    let patch = "@@ -1 +1 @@\n-a\n+b\n";
    let newer = json!({"call_id": "c", "changes": {
        "/p/a": {"type": "update", "unified_diff": patch, "move_path": null},
        "/p/b": {"type": "add", "content": "text"},
        "/p/c": {"type": "delete", "content": "was"},
    }});
    let older = json!({"changes": {
        "/p/a": {"update": {"unified_diff": patch, "move_path": null}},
        "/p/b": {"add": {"content": "text"}},
        "/p/c": {"delete": {"content": "was"}},
    }});
    for raw in [newer, older] {
        let mut told = told(&raw);
        told.sort();
        let expected = [
            format!("/p/a Modify {}", patch.len()),
            "/p/b -\u{2192}text!".to_owned(),
            "/p/c was\u{2192}".to_owned(),
        ];
        assert_eq!(told, expected, "{raw}");
        assert!(find(&raw.to_string()).complete, "{raw}");
    }
    let more = json!({"changes": {"a": {"type": "add", "content": "t", "mode": "755"}}});
    assert!(!find(&more.to_string()).complete);
    let unknown = json!({"changes": {"a": {"type": "link", "content": "t"}}});
    assert_eq!(told(&unknown), [""; 0]);
}

#[test]
fn a_path_alone_is_told_apart_from_one_with_more_beside_it() {
    let only = |raw: serde_json::Value| find(&raw.to_string()).only_path;
    assert_eq!(only(json!({"path": "a"})).as_deref(), Some("a"));
    assert_eq!(only(json!({"input": {"path": "a"}})).as_deref(), Some("a"));
    for more in [
        json!({"path": "a", "recursive": true}),
        json!({"path": "a", "diff": "prose"}),
        json!({"path": "a", "input": {"path": "b"}}),
        json!({"path": "a", "file": "b"}),
        json!({"input": {"path": "a"}, "recursive": true}),
        json!({"path": ""}),
    ] {
        assert_eq!(only(more.clone()), None, "{more}");
    }
}

// What stands around a diff would be shown nowhere.
#[test]
fn a_diff_among_other_words_is_not_all_that_is_told() {
    let complete = |raw: serde_json::Value| {
        let claims = find(&raw.to_string());
        assert!(!claims.list.is_empty(), "{raw}");
        claims.complete
    };
    assert!(complete(json!({"filepath": "/p/notes.txt", "diff": DIFF})));
    for raw in [
        json!({"filepath": "/p/notes.txt", "diff": format!("rm -rf x\n{DIFF}")}),
        json!({"filepath": "/p/notes.txt", "diff": format!("{DIFF}rm -rf x\n")}),
        json!({"filepath": "/p/other", "diff": DIFF}),
        json!({"filepath": "/p/notes.txt", "diff": DIFF, "content": "x"}),
        json!({"path": "a", "edits": [{"old": "a", "new": "b", "run": "x"}]}),
        json!({"path": "a", "old": "a", "new": "b", "content": "x"}),
    ] {
        assert!(!complete(raw.clone()), "{raw}");
    }
}

proptest::proptest! {
    // Whatever a text for `apply_patch` holds: each line of it is in a diff, or none is made of it.
    #[test]
    fn no_line_of_a_patch_text_is_lost(
        lines in proptest::collection::vec(proptest::prop_oneof![
            proptest::prelude::Just("@@".to_owned()),
            proptest::prelude::Just("*** End of File".to_owned()),
            "\\*\\*\\* (Add File|Update File|Delete File|Move to|End Patch|Begin Patch)(: [a-c]{0,2})?",
            "[-+ ]MARK[a-z]{3}",
            "[-+ @*x]{0,3}[a-z\r\t]{0,4}",
        ], 0..12),
        names in proptest::bool::ANY,
    ) {
        let text = format!("*** Begin Patch\n{}\n*** End Patch", lines.join("\n"));
        let raw = match names {
            true => json!({"input": text}),
            false => json!(text),
        };
        let claims = find(&raw.to_string());
        if claims.complete {
            for line in lines.iter().filter(|line| line.contains("MARK")) {
                let held = claims.list.iter().any(|claim| match &claim.diff.text {
                    DiffText::Sides { old, new } => {
                        new.contains(&line[1..])
                            || old.as_ref().is_some_and(|old| old.contains(&line[1..]))
                    }
                    _ => false,
                });
                proptest::prop_assert!(held, "{line} of {text}");
            }
        }
    }

    #[test]
    fn any_text_is_read_without_a_panic(text in "\\PC{0,80}", cut in 0..200_usize) {
        find(&text);
        find(&json!({"input": format!("*** Begin Patch\n{text}\n*** End Patch")}).to_string());
        find(&json!({"changes": {text.clone(): {"type": "update", "unified_diff": text}}}).to_string());
        let whole = json!({"input": CODEX}).to_string();
        if let Some(part) = whole.get(..cut) {
            proptest::prop_assert!(find(part).list.is_empty() || cut >= whole.len());
        }
    }
}

/// What stands beside a change is known by its name, and says no more than that.
#[test]
fn a_change_is_complete_only_without_another_word() {
    let patch = "--- n\n+++ n\n@@ -1,1 +1,1 @@\n-a\n+b\n";
    let edit = |name: &str, value: serde_json::Value| {
        let mut raw = json!({"file_path": "/p/n", "old_string": "a", "new_string": "b"});
        raw[name] = value;
        raw
    };
    let head = |from: &str, to: &str| json!({"path": "n", "diff": patch.replace(from, to)});
    for (raw, complete) in [
        (edit("replace_all", json!(false)), true),
        (edit("instruction", json!("Make it b")), true),
        (edit("description", json!("rm -rf src")), false),
        (
            json!({"path": "n", "content": "a", "instruction": "rm -rf src"}),
            false,
        ),
        (
            json!({"path": "n", "edits": [{"old": "a", "new": ""}, {"old": "a", "new": ""}]}),
            false,
        ),
        (head("--- n\n+++ n", "--- n\n+++ /n"), false),
        (head("--- n\n+++ n", "--- /n\n+++ /n"), false),
        (json!({"diff": patch.replace("--- n", "--- src/n")}), false),
        (
            json!({"path": "n", "diff": format!("{patch}--- a/Makefile\n+++ /dev/null\n")}),
            false,
        ),
        (head("--- n\n", "--- m\n+++ m\n--- n\n"), false),
        (edit("call_id", json!("toolu_01-x")), true),
        (edit("overwrite", json!(null)), true),
        (edit("replace_all", json!("rm -rf src")), false),
        (edit("replace_all", json!({"rm -rf src": 1})), false),
        (edit("instruction", json!({"then": "rm -rf src"})), false),
        (edit("description", json!(["rm -rf src"])), false),
        (edit("call_id", json!("rm -rf src")), false),
        (edit("content_length", json!("rm -rf src")), false),
        (edit("create_dirs", json!(["rm -rf src"])), false),
        (edit("then", json!(false)), false),
        (head("", ""), true),
        (
            head(
                "--- n\n+++ n",
                "Index: n\n===\n--- n\t2026-01-02 03:04\n+++ n",
            ),
            true,
        ),
        (
            head(
                "--- n\n+++ n",
                "diff --git a/n b/n\nindex 1a2b..3c4d 100644\n--- a/n\n+++ b/n",
            ),
            true,
        ),
        (head("--- n\n", "Index: rm -rf src\n--- n\n"), false),
        (head("--- n\n", "diff rm -rf src\n--- n\n"), false),
        (head("--- n\n", "index rm -rf src\n--- n\n"), false),
        (head("--- n\n", "===rm -rf src\n--- n\n"), false),
        (head("--- n\n", "--- n\trm -rf src\n"), false),
        (head("+1,1 @@", "+1,1 @@ rm -rf src"), false),
        (head("-a\n", "-a\n\\ rm -rf src\n"), false),
    ] {
        assert_eq!(find(&raw.to_string()).complete, complete, "{raw}");
    }
}
