//! The events as text for people: what the agent says, and short lines about everything else.

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

/// Cells of a line that quotes the agent: these lines are skimmed.
const WIDTH: usize = 160;

/// Bytes kept of a subagent's message, for its first line.
const MAX_HEARD: usize = 1_000;

/// Subagents whose names are remembered.
const MAX_NAMES: usize = 1_000;

/// Turns events into text; remembers what has had its line.
#[derive(Default)]
pub struct Narrator {
    flow: Flow,
    /// Calls, and messages of subagents, that have had their line.
    told: HashSet<u64>,
    /// Errors are lines like others; otherwise only the last is printed, at the end.
    with_errors: bool,
    /// What subagents are called, by id.
    names: HashMap<String, String>,
    /// The beginning of what one says now.
    heard: Option<Heard>,
}

/// A message of a subagent that has had no line yet.
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

    /// What goes to stdout: the agent's messages only.
    pub fn words(&mut self, record: &Record) -> String {
        match record {
            Record::Text { message, text, .. } => {
                format!("{}{text}", self.flow.before(*message, text))
            }
            _ => String::new(),
        }
    }

    /// The line end that the last message lacks.
    pub fn end(&mut self) -> &'static str {
        self.flow.end()
    }

    /// Other lines were printed: the next message needs no blank line before it.
    pub fn interrupt(&mut self) {
        self.flow = Flow::default();
    }

    /// Lines for stderr, without their ends.
    pub fn aside(&mut self, record: &Record) -> Vec<SafeText> {
        let mut lines = Vec::new();
        match record {
            // As the terminal showed it, apart from what the agent says.
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
            // They may come at any time, and must not break a message in two.
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

    /// The line for the subagent's message that has had none.
    pub fn rest(&mut self) -> Option<SafeText> {
        let heard = self.heard.take()?;
        let text = heard.text.lines().find(|line| !line.trim().is_empty())?;
        Some(line(&format!("[{}] {text}", self.name(&heard.subagent))))
    }

    /// One line for each message of a subagent: its beginning. Returns the line of the message
    /// before.
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
                    // Only the reader can tell what this answer means.
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
            // Notices report what was refused; the rest is for programs.
            _ => return None,
        };
        Some(line(&text))
    }

    /// One line when a call starts, and another if it fails or is cancelled.
    fn tool(&mut self, tool: &Tool) -> Option<String> {
        let outcome = match tool.status.as_str() {
            // A call that ended with the turn has had its line or never started.
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

/// Masks secrets: the output may be kept, as by CI.
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

/// `NAME=value` of a variable that is set for a command. If the variable is not known, its value
/// may be a secret, unless it is a word, a path or a small number: then only the name is shown.
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
