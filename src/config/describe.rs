//! The effective configuration as TOML, each key with what set it.

use toml::{Table, Value};

use super::{Loaded, Origin, Source, diagnostic::join, layer::RULES};
use crate::text::{SafeText, secrets};

impl Loaded {
    /// Takes a key that has no effect out of what is [described](Self::describe). Of an agent only
    /// what it cannot be without is one; the rest of a key that is wrong was never taken over.
    pub fn forget(&mut self, key: &str) {
        let in_effect = match key.split_once('.') {
            None => key != "default_agent" || self.config.default_agent.is_some(),
            Some(("keys", _)) => false,
            Some(("agents", id)) => {
                !self.config.broken_agents.contains_key(id) && !key.ends_with(".modes")
            }
            Some(("mcp_servers", name)) => self.config.mcp_servers.contains_key(name),
            Some(_) => true,
        };
        if in_effect {
            return;
        }
        let (path, name) = match key.rsplit_once('.') {
            Some((path, name)) => (path, name),
            None => ("", key),
        };
        let mut table = Some(&mut self.effective);
        for part in path.split('.').filter(|part| !part.is_empty()) {
            table = table.and_then(|table| table.get_mut(part)?.as_table_mut());
        }
        if let Some(table) = table {
            table.remove(name.trim_matches('"'));
        }
    }

    /// The whole, but for agents that are as they are built in. Secrets are masked, so that it can be
    /// shown to others.
    pub fn describe(&self) -> String {
        let mut page = Page {
            loaded: self,
            rows: Vec::new(),
        };
        let (tables, values): (Vec<_>, Vec<_>) = self
            .effective
            .iter()
            .partition(|(_, value)| value.is_table());
        for (key, value) in values {
            page.value(key, key, value);
        }
        for (name, table) in tables {
            let Value::Table(table) = table else { continue };
            if name != "agents" {
                page.section(name, table);
                continue;
            }
            for (id, agent) in table {
                let built_in = self
                    .config
                    .agents
                    .get(id)
                    .is_none_or(|agent| agent.origin == Origin::BuiltIn);
                if let (false, Value::Table(agent)) = (built_in, agent) {
                    page.section(&join("agents", id), agent);
                }
            }
        }
        page.render()
    }
}

struct Page<'a> {
    loaded: &'a Loaded,
    /// A line and the comment after it.
    rows: Vec<(String, String)>,
}

impl Page<'_> {
    fn line(&mut self, line: &str, source: Option<&Source>) {
        let comment = source.map(Source::to_string).unwrap_or_default();
        let safe = |text: &str| SafeText::line(text).to_string();
        self.rows.push((safe(line), safe(&comment)));
    }

    fn section(&mut self, path: &str, table: &Table) {
        self.line("", None);
        self.line(&format!("[{path}]"), None);
        self.entries(path, "", table);
    }

    /// `shown` is the key from the section's head on.
    fn entries(&mut self, path: &str, shown: &str, table: &Table) {
        for (key, value) in table {
            let (full, shown) = (join(path, key), join(shown, key));
            match value {
                Value::Table(inner) => self.entries(&full, &shown, inner),
                Value::Array(rules) if full == RULES && !rules.is_empty() => {
                    self.line("rules = [", None);
                    for (i, rule) in rules.iter().enumerate() {
                        let source = self.loaded.sources.get(&format!("{RULES}[{i}]"));
                        self.line(&format!("  {},", masked("", rule, false)), source);
                    }
                    self.line("]", None);
                }
                value => self.value(&full, &shown, value),
            }
        }
    }

    fn value(&mut self, full: &str, shown: &str, value: &Value) {
        let source = self.loaded.sources.get(full);
        let name = full.rsplit('.').next().unwrap_or_default();
        // Chords stand behind names of actions.
        let value = match full.starts_with("keys.") {
            true => value.clone(),
            false => masked(name, value, is_secret(full)),
        };
        self.line(&format!("{shown} = {value}"), source);
    }

    fn render(self) -> String {
        let commented = self.rows.iter().filter(|(_, comment)| !comment.is_empty());
        let width = commented.map(|(line, _)| line.chars().count()).max();
        let width = width.unwrap_or(0).min(60);
        let mut out = String::new();
        for (line, comment) in self.rows {
            if comment.is_empty() {
                out.push_str(&line);
            } else {
                out.push_str(&format!("{line:width$}  # {comment}"));
            }
            out.push('\n');
        }
        out.trim_start().to_owned()
    }
}

/// Whether a key's value is secret whatever it is called.
fn is_secret(full: &str) -> bool {
    // V1-MCP-04: what a server gets is as good as secret.
    full.starts_with("mcp_servers.") && (full.contains(".env.") || full.contains(".headers."))
}

/// What of a value may be seen by others.
fn masked(name: &str, value: &Value, secret: bool) -> Value {
    let hidden = |text: &str| Value::from(secrets::setting(name, text, secret).into_owned());
    match value {
        Value::String(text) => hidden(text),
        Value::Integer(_) | Value::Float(_) if secrets::is_secret_member(name) || secret => {
            Value::from(secrets::MASK)
        }
        Value::Array(items) if items.iter().all(Value::is_str) && !secret => {
            let words = items.iter().filter_map(Value::as_str);
            let words = secrets::mask_words(words).into_iter();
            Value::Array(
                words
                    .map(|word| masked(name, &Value::from(&*word), false))
                    .collect(),
            )
        }
        Value::Array(items) => Value::Array(
            items
                .iter()
                .map(|item| masked(name, item, secret))
                .collect(),
        ),
        Value::Table(table) => {
            let entries = table.iter();
            let entries = entries.map(|(key, value)| (key.clone(), masked(key, value, secret)));
            Value::Table(entries.collect())
        }
        value => value.clone(),
    }
}
