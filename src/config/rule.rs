//! Permission rules as written to rules as judged.

use globset::Glob;
use serde::Serialize;

use super::{Source, file::RuleEntry};
use crate::{
    model::{Decision, Rule, ToolKind},
    text::SafeText,
};

impl RuleEntry {
    /// A rule that names nothing would match everything; one that can match nothing is a mistake.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn validate(&self) -> Result<(), String> {
        let Self {
            kind,
            tool,
            path,
            command,
            decision,
        } = self;
        if kind.is_none() && tool.is_none() && path.is_none() && command.is_none() {
            return Err("a rule needs at least one of kind, tool, path and command".into());
        }
        for (key, value) in [("tool", tool), ("path", path), ("command", command)] {
            if value.as_ref().is_some_and(|v| v.trim().is_empty()) {
                return Err(format!("{key} is empty"));
            }
        }
        // What runs a command is of that kind, whatever it calls itself.
        let of_another = kind.is_some_and(|kind| !matches!(kind, ToolKind::Execute));
        if command.is_some() && of_another && *decision == Decision::Allow {
            return Err("a command is of kind execute: with another kind it allows nothing".into());
        }
        if let Some(path) = path {
            Glob::new(path).map_err(|e| format!("path is not a valid glob: {}", e.kind()))?;
        }
        if command
            .as_deref()
            .is_some_and(|c| shlex::split(c).is_none())
        {
            return Err("command has an open quote".into());
        }
        Ok(())
    }

    pub fn into_rule(self, source: &Source) -> Rule {
        let label = self.label(source);
        Rule {
            kind: self.kind,
            tool: self.tool,
            path: self.path,
            command: self.command,
            decision: self.decision,
            label,
        }
    }

    /// ``allow execute `cargo test` (config.toml:12)``
    fn label(&self, source: &Source) -> SafeText {
        let quote = |value: &Option<String>| value.as_ref().map(|v| format!("`{v}`"));
        let parts = [
            word(self.decision),
            self.kind.and_then(word),
            quote(&self.tool).map(|tool| format!("tool {tool}")),
            quote(&self.path),
            quote(&self.command),
            Some(format!("({})", source.short())),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        SafeText::line(&parts.join(" "))
    }
}

/// A word of the file format as the file spells it.
fn word(value: impl Serialize) -> Option<String> {
    let value = toml::Value::try_from(value).ok()?;
    value.as_str().map(str::to_owned)
}
