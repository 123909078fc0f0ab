//! The events for people: the agent's words, and short lines about everything else.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use super::{Flow, Record, Tool};
use crate::{
    model::{EnvEffect, env_effect},
    text::{
        SafeText, exact_line, first_bytes,
        secrets::{MASK, is_ordinary, mask},
        truncate_to_width,
    },
};

/// Cells of a line that quotes the agent: these lines are to be looked over, not read.
const WIDTH: usize = 160;

/// Bytes that are kept of what a subagent says, to tell its first line.
const MAX_HEARD: usize = 1_000;

/// Subagents whose names are remembered.
const MAX_NAMES: usize = 1_000;

/// Turns events into text; remembers what needs no second line.
#[derive(Default)]
pub struct Narrator {
    flow: Flow,
    /// Calls, and messages of subagents, that were told of.
    told: HashSet<u64>,
    /// Errors are lines like others; else the last is said at the end.
    with_errors: bool,
    /// What subagents are called, by id.
    names: HashMap<String, String>,
    /// The beginning of what one says now.
    heard: Option<Heard>,
}

/// A message of a subagent that is not told of yet.
struct Heard {
    subagent: String,
    message: u64,
    text: String,
}

impl Narrator {
    /// For a conversation that goes on behind what went wrong.
    pub fn with_errors() -> Self {
        Self {
            with_errors: true,
            ..Self::default()
        }
    }

    /// What goes to stdout: the agent's words, nothing else.
    pub fn words(&mut self, record: &Record) -> String {
        match record {
            Record::Text { message, text, .. } => {
                format!("{}{text}", self.flow.before(*message, text))
            }
            _ => String::new(),
        }
    }

    /// The end of the last line of words.
    pub fn end(&mut self) -> &'static str {
        self.flow.end()
    }

    /// Lines of another kind came between: words after them begin anew.
    pub fn interrupt(&mut self) {
        self.flow = Flow::default();
    }

    /// Lines for stderr, without their ends.
    pub fn aside(&mut self, record: &Record) -> Vec<SafeText> {
        let mut lines = Vec::new();
        match record {
            // As it stood there, apart from what the agent says.
            Record::TerminalOutput { text, .. } => {
                lines.extend(self.rest());
                lines.extend(
                    text.trim_end()
                        .lines()
                        .map(|line| SafeText::line(&format!("  {line}"))),
                );
            }
            Record::Within { subagent, what } => {
                if let Record::Text { message, text, .. } = &**what {
                    lines.extend(self.hear(subagent, *message, text));
                }
            }
            // They come whenever they do.
            Record::Usage(_) | Record::Tokens(_) | Record::TerminalExited { .. } => {}
            record => {
                if let Record::Subagent(subagent) = record
                    && self.names.len() < MAX_NAMES
                {
                    let (id, title) = (subagent.id.clone(), subagent.title.clone());
                    self.names.insert(id, title);
                }
                lines.extend(self.rest());
                lines.extend(self.one_aside(record));
            }
        }
        lines
    }

    /// What was heard of a subagent and not told yet.
    pub fn rest(&mut self) -> Option<SafeText> {
        let heard = self.heard.take()?;
        let text = heard.text.lines().find(|line| !line.trim().is_empty())?;
        Some(line(&format!("[{}] {text}", self.name(&heard.subagent))))
    }

    /// A line for each message of a subagent: its beginning. Gives the line of the one before.
    fn hear(&mut self, subagent: &str, message: u64, text: &str) -> Option<SafeText> {
        if let Some(heard) = &mut self.heard
            && heard.message == message
        {
            if heard.text.len() < MAX_HEARD {
                heard.text.push_str(first_bytes(text, MAX_HEARD));
            }
            return None;
        }
        let before = self.rest();
        if self.told.insert(message) {
            self.heard = Some(Heard {
                subagent: subagent.to_owned(),
                message,
                text: first_bytes(text, MAX_HEARD).to_owned(),
            });
        }
        before
    }

    fn name<'a>(&'a self, subagent: &'a str) -> &'a str {
        self.names.get(subagent).map_or(subagent, String::as_str)
    }

    /// `[read` or, of a subagent, `[Explore: read`.
    fn sign(&self, subagent: Option<&String>, verb: &str) -> String {
        match subagent {
            None => format!("[{verb}"),
            Some(id) => format!("[{}: {verb}", self.name(id)),
        }
    }

    fn one_aside(&mut self, record: &Record) -> Option<SafeText> {
        let text = match record {
            Record::ToolCall(tool) => self.tool(tool)?,
            Record::Permission(permission) => {
                let what = label(
                    &permission.title,
                    &permission.env,
                    permission.command.as_deref(),
                    &permission.paths,
                );
                let by = match permission.decision {
                    "cancelled" => String::new(),
                    // Who reads it can tell what that means, and nobody else.
                    "answered" => format!(" {} ({})", permission.answer, permission.by),
                    _ => format!(" ({})", permission.by),
                };
                let sign = self.sign(permission.subagent.as_ref(), "permission");
                format!("{sign}] {what}: {}{by}", permission.decision)
            }
            Record::FileWritten { path, lines } => {
                let unit = if *lines == 1 { "line" } else { "lines" };
                format!("[wrote] {path} ({lines} {unit})")
            }
            Record::Content {
                kind,
                mime_type,
                uri,
                ..
            } => {
                let what = uri.as_deref().or(mime_type.as_deref());
                format!("[{kind}] {}", what.unwrap_or_default())
            }
            Record::Notice { level, text, .. } => match *level {
                "quiet" => return None,
                "error" if !self.with_errors => return None,
                "info" => format!("[note] {text}"),
                level => format!("[{level}] {text}"),
            },
            // Notices tell of what is refused; the rest is for programs.
            _ => return None,
        };
        Some(line(&text))
    }

    /// Once when it is under way, and once more if that was in vain.
    fn tool(&mut self, tool: &Tool) -> Option<String> {
        let outcome = match tool.status.as_str() {
            // One that was over with the turn has either been told of or never was under way.
            "pending" | "ended" => return None,
            "failed" | "cancelled" => format!(": {}", tool.status),
            _ => String::new(),
        };
        let first = self.told.insert(tool.call);
        if !first && outcome.is_empty() {
            return None;
        }
        let verb = match tool.kind {
            "execute" => "run",
            "other" => "tool",
            kind => kind,
        };
        let what = label(&tool.title, &tool.env, tool.command.as_deref(), &tool.paths);
        let sign = self.sign(tool.subagent.as_ref(), verb);
        Some(format!("{sign}] {what}{outcome}"))
    }
}

/// Whoever keeps what is printed keeps no secrets by it: logs of CI among them.
fn line(text: &str) -> SafeText {
    let text = mask(text);
    let line = SafeText::line(&text.replace('\n', "⏎"));
    SafeText::line(&truncate_to_width(&line, WIDTH))
}

fn label(title: &str, env: &[String], command: Option<&str>, paths: &[String]) -> SafeText {
    if let Some(command) = command {
        let command = exact_line(command);
        let env = env.iter().map(|variable| shown_variable(variable));
        let words: Vec<_> = env.chain([Cow::Borrowed(command.as_str())]).collect();
        return SafeText::new(&words.join(" "));
    }
    let path = paths.first().map(String::as_str);
    let title = Some(title).filter(|title| !title.is_empty());
    SafeText::new(title.or(path).unwrap_or("(no title)"))
}

/// `NAME=value` of what is set for a command. The value of one that steers nothing may be a secret by
/// whatever name: as long as it is no word, a path or a small number, the name is enough.
fn shown_variable(variable: &str) -> Cow<'_, str> {
    let Some((name, value)) = variable.split_once('=') else {
        return Cow::Borrowed(variable);
    };
    let hidden = env_effect(name, value) == EnvEffect::Unknown
        && !is_ordinary(value.trim_matches(['\'', '"']));
    match hidden {
        true => Cow::Owned(format!("{name}={MASK}")),
        false => Cow::Borrowed(variable),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_for_a_command_holds_no_secret_of_its_environment() {
        let told = |env: &[&str], command| {
            let env: Vec<String> = env.iter().map(|variable| (*variable).to_owned()).collect();
            line(&label("", &env, Some(command), &[])).to_string()
        };
        let env = [
            "PATH=./bin:/usr/bin",
            "LD_PRELOAD=/tmp/x1.so",
            "MODE=fast",
            "PORT=8080",
            "E=",
        ];
        let plain = format!("{} cargo test", env.join(" "));
        assert_eq!(told(&env, "cargo test"), plain);
        let env = [
            "STRIPE=sk_live_51H",
            "Q='a1 b2'",
            "API_KEY=•••",
            "DB=postgres://u:pw1@h/db",
        ];
        assert_eq!(
            told(&env, "X_TOKEN=abc curl https://u:pw2@h"),
            "STRIPE=*** Q=*** API_KEY=*** DB=*** X_TOKEN=*** curl https://u:***@h"
        );
    }
}
