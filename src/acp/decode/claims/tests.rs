use serde_json::json;

use super::*;
use crate::proto::DiffText;

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
