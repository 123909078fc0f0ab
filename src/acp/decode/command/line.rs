//! The command line that members of a raw input make, and what is set for it.

use serde_json::value::RawValue;

use super::{
    json::{Items, Member, Members, is_json, whole_text},
    names::SHELLS,
};
use crate::{model::CommandRun, text::command_line};

/// Variables that are set for a command.
const MAX_ENV: usize = 1_000;

/// What stands for a command, or its arguments.
pub enum Line {
    Shell(String),
    Words(Vec<String>),
}

impl Line {
    pub fn of(json: &str, name: &str) -> Option<Self> {
        let json = json.trim_ascii();
        match json.as_bytes().first()? {
            b'"' => whole_text(json).map(Self::Shell),
            b'[' => {
                let Items { items, more } = serde_json::from_str(json).ok()?;
                let word = |item: &&RawValue| {
                    let text = item.get();
                    match text.as_bytes().first()? {
                        b'"' => whole_text(text),
                        b'{' | b'[' | b'n' => None,
                        _ => Some(text.to_owned()),
                    }
                };
                let words: Vec<String> = items.iter().map(word).collect::<Option<_>>()?;
                if more || words.is_empty() || words.iter().all(|word| word.trim().is_empty()) {
                    return None;
                }
                Some(match name {
                    "commands" => Self::Shell(words.join("\n")),
                    _ => Self::Words(words),
                })
            }
            _ => None,
        }
        .filter(|line| !matches!(line, Self::Shell(line) if line.trim().is_empty()))
    }

    pub fn with_args(self, args: Option<&Self>) -> CommandRun {
        match (self, args) {
            (Self::Shell(line), None) => CommandRun::of_line(line),
            (Self::Words(words), None) => of_words(words),
            (Self::Words(mut words), Some(Self::Words(args))) => {
                words.extend(args.iter().cloned());
                of_words(words)
            }
            // Text behind a command: as if it were typed there.
            (Self::Shell(line), Some(Self::Shell(args))) => {
                CommandRun::of_line(format!("{line} {args}"))
            }
            (Self::Words(words), Some(Self::Shell(args))) => {
                let line = command_line(words.iter().map(String::as_str));
                CommandRun::of_line(format!("{line} {args}"))
            }
            (Self::Shell(line), Some(Self::Words(args))) => {
                let quoted = command_line(args.iter().map(String::as_str));
                let shell = is_shell(&line);
                let one_word = !line.contains(|c: char| c.is_whitespace() || is_syntax(c));
                let plain = !args.iter().any(|arg| arg.contains(is_syntax));
                let mut run = CommandRun::of_line(format!("{line} {quoted}"));
                if !(shell || one_word && plain) {
                    run.other = Some(format!("{line} {}", args.join(" ")));
                }
                run
            }
        }
    }
}

/// Agents hand such lists to a shell too, as one line.
fn of_words(words: Vec<String>) -> CommandRun {
    let parts = |word: &String| word.contains(|c| "|&;<>()`$\n\r".contains(c));
    let shell = words.first().is_some_and(|program| is_shell(program));
    let other = (!shell && words.len() > 1 && words.iter().any(parts)).then(|| words.join(" "));
    CommandRun {
        other,
        ..CommandRun::of_words(words)
    }
}

fn is_shell(program: &str) -> bool {
    let name = program.rsplit('/').next();
    name.is_some_and(|name| SHELLS.contains(&name))
}

fn is_syntax(c: char) -> bool {
    "|&;<>()`$\"'\\\n\r".contains(c)
}

/// `PATH=x`, `{"PATH": "x"}`, `{"name": "PATH", "value": "x"}`, and lists of these. False for anything
/// else.
pub fn variables(json: &str, out: &mut Vec<(String, String)>, depth: usize) -> bool {
    let json = json.trim_ascii();
    if out.len() >= MAX_ENV || depth > 2 {
        return false;
    }
    match json.as_bytes().first() {
        Some(b'"') => {
            let Some(text) = whole_text(json) else {
                return false;
            };
            if is_json(&text) && text.starts_with(['{', '[']) {
                return variables(&text, out, depth + 1);
            }
            let (name, value) = text.split_once('=').unwrap_or((&text, ""));
            out.push((name.to_owned(), value.to_owned()));
            // Several in one text, maybe.
            !text.contains(['\n', '\r', '\0']) && (depth > 0 || !text.contains(char::is_whitespace))
        }
        Some(b'[') => {
            let Ok(Items { items, more }) = serde_json::from_str::<Items<'_>>(json) else {
                return false;
            };
            !more
                && items
                    .iter()
                    .all(|item| variables(item.get(), out, depth + 1))
        }
        Some(b'{') => {
            let Ok(Members { members, more }) = serde_json::from_str::<Members<'_>>(json) else {
                return false;
            };
            let of = |name: &str| members.iter().find(|member| member.name == name);
            let value = |member: &Member<'_>| {
                let text = member.value.get();
                whole_text(text).unwrap_or_else(|| text.to_owned())
            };
            if depth > 0
                && let Some(name) = of("name").or_else(|| of("key"))
            {
                let value = of("value").map(value).unwrap_or_default();
                let name = whole_text(name.value.get());
                let is_one = |names: &[&str]| {
                    let of = members
                        .iter()
                        .filter(|member| names.contains(&&*member.name));
                    of.count() <= 1
                };
                // Agents differ in which of several counts.
                let alone = members
                    .iter()
                    .all(|member| ["name", "key", "value"].contains(&&*member.name));
                let clear =
                    name.is_some() && alone && is_one(&["name", "key"]) && is_one(&["value"]);
                out.push((name.unwrap_or_default(), value));
                return clear && !more;
            }
            for member in &members {
                if out.len() >= MAX_ENV {
                    return false;
                }
                out.push((member.written.to_string(), value(member)));
            }
            !more
        }
        // `null`: nothing is set.
        Some(b'n') | None => true,
        _ => false,
    }
}
