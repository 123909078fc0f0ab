//! One layer of settings, and layers laid over each other.

use std::{collections::BTreeMap, ops::Range};

use serde::Deserialize;
use toml::{
    Spanned, Table, Value,
    de::{DeTable, DeValue, ValueDeserializer},
};

use super::{
    Source, Warning,
    check::{check, table_mut},
    diagnostic::join,
    profile::BUILT_IN,
};

/// Told of one layer; the rest is counted.
const MAX_WARNINGS: usize = 50;

/// What one file or variable sets, all of it good.
#[derive(Default)]
pub(super) struct Layer {
    pub table: Table,
    /// By dotted key; `permissions.rules[0]` for the first rule.
    pub sources: BTreeMap<String, Source>,
    pub warnings: Vec<Warning>,
    /// Agents that cannot be used, by id.
    pub broken_agents: BTreeMap<String, Warning>,
}

impl Layer {
    /// `canonical` turns an agent's alias into the id that the layers before know it by.
    ///
    /// # Errors
    /// No TOML.
    pub fn parse(
        text: &str,
        locate: &dyn Fn(&Range<usize>) -> Source,
        canonical: &dyn Fn(&str) -> String,
    ) -> Result<Self, toml::de::Error> {
        let mut document = DeTable::parse(text)?.into_inner();
        let is_built_in = |name: &str| {
            let id = canonical(name);
            BUILT_IN.iter().any(|(known, _)| *known == id)
        };
        let findings = check(&mut document, locate, &is_built_in);
        let mut layer = Self {
            warnings: findings.warnings,
            ..Self::default()
        };
        for (name, problem) in findings.broken_agents {
            layer.broken_agents.insert(canonical(&name), problem);
        }
        if let Some(agents) = table_mut(&mut document, "agents") {
            layer.rename(agents, locate, canonical);
        }
        layer.table = layer.values(&document, "", locate);
        Ok(layer)
    }

    fn rename(
        &mut self,
        agents: &mut DeTable<'_>,
        locate: &dyn Fn(&Range<usize>) -> Source,
        canonical: &dyn Fn(&str) -> String,
    ) {
        for (name, entry) in std::mem::take(agents) {
            let id = canonical(name.get_ref());
            if agents.contains_key(id.as_str()) {
                self.warnings.push(Warning::new(
                    locate(&name.span()),
                    join("agents", name.get_ref()),
                    format!("a second table for the agent {id}; this one is ignored"),
                ));
                continue;
            }
            agents.insert(Spanned::new(name.span(), id.into()), entry);
        }
    }

    /// Plain values, their sources noted.
    fn values(
        &mut self,
        table: &DeTable<'_>,
        path: &str,
        locate: &dyn Fn(&Range<usize>) -> Source,
    ) -> Table {
        let mut values = Table::new();
        for (key, value) in table {
            let full = join(path, key.get_ref());
            if let DeValue::Table(inner) = value.get_ref() {
                let inner = self.values(inner, &full, locate);
                values.insert(key.get_ref().to_string(), Value::Table(inner));
                continue;
            }
            // Nothing that stood the check is more than `Value` takes.
            let Ok(plain) = Value::deserialize(ValueDeserializer::from(value.clone())) else {
                continue;
            };
            match value.get_ref() {
                DeValue::Array(items) if full == RULES => {
                    for (i, item) in items.iter().enumerate() {
                        let source = locate(&item.span());
                        self.sources.insert(format!("{RULES}[{i}]"), source);
                    }
                }
                _ => {
                    self.sources.insert(full, locate(&key.span()));
                }
            }
            values.insert(key.get_ref().to_string(), plain);
        }
        values
    }
}

pub(super) const RULES: &str = "permissions.rules";

/// The layers so far.
#[derive(Default)]
pub(super) struct Layers {
    pub table: Table,
    pub sources: BTreeMap<String, Source>,
    pub warnings: Vec<Warning>,
    pub broken_agents: BTreeMap<String, Warning>,
    /// See [`Loaded`](super::Loaded).
    pub project_is_broken: bool,
}

impl Layers {
    /// Lays one over. Tables are merged; rules and aliases add up; all else is replaced.
    pub fn add(&mut self, mut layer: Layer) {
        self.forget_other_servers(&layer);
        merge(
            &mut self.table,
            std::mem::take(&mut layer.table),
            "",
            &layer.sources,
            &mut self.sources,
        );
        let more = layer.warnings.len().saturating_sub(MAX_WARNINGS);
        layer.warnings.truncate(MAX_WARNINGS);
        if more > 0
            && let Some(last) = layer.warnings.last_mut()
        {
            last.message
                .push_str(&format!(" (and {more} more in this file)"));
        }
        self.warnings.append(&mut layer.warnings);
        self.broken_agents.append(&mut layer.broken_agents);
    }

    /// An MCP server with another command or address is another server: nothing secret of the one
    /// below goes to it.
    fn forget_other_servers(&mut self, layer: &Layer) {
        let Some(Value::Table(new)) = layer.table.get("mcp_servers") else {
            return;
        };
        let Some(Value::Table(old)) = self.table.get_mut("mcp_servers") else {
            return;
        };
        let other = |server: &Value| server.get("command").or(server.get("url")).is_some();
        for (name, _) in new.iter().filter(|(_, server)| other(server)) {
            if old.remove(name).is_some() {
                let prefix = format!("{}.", join("mcp_servers", name));
                self.sources.retain(|key, _| !key.starts_with(&prefix));
            }
        }
    }

    /// Tells what is wrong with a key, with what set it; `otherwise` where nothing did.
    pub fn warn(&mut self, key: String, otherwise: Source, message: impl Into<String>) -> Warning {
        let source = self.sources.get(&key).cloned().unwrap_or(otherwise);
        let warning = Warning::new(source, key, message);
        self.warnings.push(warning.clone());
        warning
    }

    /// The id of the agent that has `name` as id or alias; `name` itself where none has.
    pub fn canonical(&self, name: &str) -> String {
        let Some(Value::Table(agents)) = self.table.get("agents") else {
            return name.to_owned();
        };
        if agents.contains_key(name) {
            return name.to_owned();
        }
        agents
            .iter()
            .find(|(_, agent)| aliases(agent).any(|alias| alias == name))
            .map_or(name, |(id, _)| id)
            .to_owned()
    }
}

pub(super) fn aliases(agent: &Value) -> impl Iterator<Item = &str> {
    let aliases = agent.get("aliases").and_then(Value::as_array);
    aliases.into_iter().flatten().filter_map(Value::as_str)
}

pub(super) fn merge(
    into: &mut Table,
    over: Table,
    path: &str,
    from_sources: &BTreeMap<String, Source>,
    sources: &mut BTreeMap<String, Source>,
) {
    for (key, value) in over {
        let full = join(path, &key);
        if let Some(source) = from_sources.get(&full) {
            sources.insert(full.clone(), source.clone());
        }
        let adds_up = full == RULES || (path.starts_with("agents.") && key == "aliases");
        match (into.get_mut(&key), value) {
            (Some(Value::Table(below)), Value::Table(above)) => {
                merge(below, above, &full, from_sources, sources);
            }
            (Some(Value::Array(below)), Value::Array(above)) if adds_up => {
                for (i, item) in above.into_iter().enumerate() {
                    if let Some(source) = from_sources.get(&format!("{full}[{i}]")) {
                        sources.insert(format!("{full}[{}]", below.len()), source.clone());
                    }
                    below.push(item);
                }
            }
            (None, Value::Table(above)) => {
                let mut fresh = Table::new();
                merge(&mut fresh, above, &full, from_sources, sources);
                into.insert(key, Value::Table(fresh));
            }
            (_, value) => {
                into.insert(key, value);
            }
        }
    }
}
