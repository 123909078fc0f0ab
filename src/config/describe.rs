//! The effective configuration as TOML, each key with what set it.

use toml::{Table, Value};

use super::{Loaded, Origin, Source, check::join, layer::RULES};
use crate::text::SafeText;

/// Parts of a variable's name that tell that its value is not to be shown.
const SECRET: [&str; 5] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL"];

impl Loaded {
    /// The whole, but for agents that are as they are built in. Literal secrets in an agent's
    /// environment are left out, so that it can be shown to others.
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
                        self.line(&format!("  {rule},"), source);
                    }
                    self.line("]", None);
                }
                Value::String(text) if is_secret(&full) && !text.contains("${") => {
                    self.value(&full, &shown, &Value::from("(not shown)"));
                }
                value => self.value(&full, &shown, value),
            }
        }
    }

    fn value(&mut self, full: &str, shown: &str, value: &Value) {
        let source = self.loaded.sources.get(full);
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

/// Whether a key is that of a secret in an agent's environment.
fn is_secret(full: &str) -> bool {
    // V1-MCP-04: what a server gets is as good as secret.
    let of_server = full.starts_with("mcp_servers.");
    if of_server && (full.contains(".env.") || full.contains(".headers.")) {
        return true;
    }
    full.split_once(".env.").is_some_and(|(_, name)| {
        let name = name.to_ascii_uppercase();
        SECRET.iter().any(|part| name.contains(part))
    })
}
