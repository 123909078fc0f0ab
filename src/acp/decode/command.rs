//! The command line within a tool call's raw input.
//!
//! What a person approves must be the whole command: words of a list are joined so that a shell
//! would read them as the same list again, and arguments given apart are added.

use serde_json::{Map, Value};

use crate::{rpc::pruned, text::command_line};

/// Where agents put the arguments of a tool within the raw input.
const WRAPPERS: [&str; 6] = [
    "args",
    "arguments",
    "input",
    "params",
    "parameters",
    "rawInput",
];
const COMMAND_KEYS: [&str; 5] = ["command", "cmd", "command_line", "commandLine", "argv"];
const CWD_KEYS: [&str; 8] = [
    "cwd",
    "workdir",
    "working_dir",
    "workingDir",
    "working_directory",
    "workingDirectory",
    "directory",
    "dir_path",
];

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Command {
    pub line: Option<String>,
    pub cwd: Option<String>,
}

/// Finds the command in a raw input, which is any JSON.
pub fn find(raw_input: &str) -> Command {
    match pruned(raw_input) {
        Some(Value::Object(members)) => in_object(&members),
        // Arguments as a model wrote them: JSON within a string.
        Some(Value::String(text)) => match pruned(&text) {
            Some(Value::Object(members)) => in_object(&members),
            _ => Command::default(),
        },
        _ => Command::default(),
    }
}

fn in_object(members: &Map<String, Value>) -> Command {
    let line = COMMAND_KEYS
        .iter()
        .find_map(|key| line(members.get(*key)?))
        .map(|line| match members.get("args").and_then(words) {
            Some(args) if !args.is_empty() => format!("{line} {}", command_line(args)),
            _ => line,
        });
    let inner = WRAPPERS
        .iter()
        .filter(|_| line.is_none())
        .filter_map(|key| members.get(*key)?.as_object())
        .map(in_object)
        .find(|inner| inner.line.is_some())
        .unwrap_or_default();
    let cwd = CWD_KEYS
        .iter()
        .find_map(|key| members.get(*key)?.as_str())
        .filter(|cwd| !cwd.is_empty());
    Command {
        line: line.or(inner.line),
        cwd: inner.cwd.or_else(|| cwd.map(str::to_owned)),
    }
}

fn line(value: &Value) -> Option<String> {
    match value {
        Value::String(line) => Some(line.clone()),
        _ => words(value).map(command_line),
    }
    .filter(|line| !line.trim().is_empty())
}

fn words(value: &Value) -> Option<Vec<&str>> {
    value.as_array()?.iter().map(Value::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(raw_input: &str) -> (Option<String>, Option<String>) {
        let command = find(raw_input);
        (command.line, command.cwd)
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
        ] {
            assert_eq!(
                found(raw),
                (Some(line.to_owned()), cwd.map(str::to_owned)),
                "{raw}"
            );
        }
    }

    #[test]
    fn what_names_no_command_has_none() {
        for raw in [
            "{}",
            "null",
            "[]",
            r#"{"command":""}"#,
            r#"{"command":[]}"#,
            r#"{"command":[1]}"#,
            r#""ls""#,
        ] {
            assert_eq!(found(raw).0, None, "{raw}");
        }
    }
}
