//! The events for people: the agent's words, and short lines about everything else.

use std::collections::HashSet;

use super::{Flow, Record, Tool};
use crate::text::{SafeText, truncate_to_width};

/// Cells of a line that quotes the agent: these lines are to be looked over, not read.
const WIDTH: usize = 160;

/// Turns events into text; remembers what needs no second line.
#[derive(Default)]
pub struct Narrator {
    flow: Flow,
    /// Calls that were told of.
    told: HashSet<u64>,
    /// Errors are lines like others; else the last is said at the end.
    with_errors: bool,
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
            Record::Text { message, text } => {
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

    /// A line for stderr, without its end.
    pub fn aside(&mut self, record: &Record) -> Option<SafeText> {
        let text = match record {
            Record::ToolCall(tool) => self.tool(tool)?,
            Record::Permission(permission) => {
                let what = label(
                    &permission.title,
                    permission.command.as_deref(),
                    &permission.paths,
                );
                let by = match permission.decision {
                    "cancelled" => String::new(),
                    _ => format!(" ({})", permission.by),
                };
                format!("[permission] {what}: {}{by}", permission.decision)
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
        let line = SafeText::line(&text);
        Some(SafeText::line(&truncate_to_width(&line, WIDTH)))
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
        let what = label(&tool.title, tool.command.as_deref(), &tool.paths);
        Some(format!("[{verb}] {what}{outcome}"))
    }
}

fn label<'a>(title: &'a str, command: Option<&'a str>, paths: &'a [String]) -> &'a str {
    let path = paths.first().map(String::as_str);
    command
        .or(Some(title).filter(|title| !title.is_empty()))
        .or(path)
        .unwrap_or("(no title)")
}
