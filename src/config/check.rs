//! Judges a file entry by entry, so that a bad one costs only itself.
//!
//! An entry stands if the type that it belongs to can be read from it alone. What does not stand is
//! taken out of the table and reported with its line; what is left, serde takes as a whole. An
//! agent's table is one entry, unless the agent is built in: with half of its settings it would be
//! another agent than meant.
//! A rule is one as well: with a part missing it would match more.

use std::{collections::BTreeMap, ops::Range};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, Visitor, value::Error as NoValue},
};
use toml::{
    Spanned,
    de::{DeString, DeTable, DeValue, ValueDeserializer},
};

use super::{
    Source, Warning,
    diagnostic::join,
    file::{AgentEntry, AgentFs, File, PermissionsSection, RuleEntry},
    mcp::McpEntry,
    nearest,
};
use crate::config::{
    ChangesConfig, ConnectionConfig, FsConfig, SessionsConfig, TerminalConfig, UiConfig,
    WorktreeConfig,
};

/// What was found wrong.
#[derive(Default)]
pub(super) struct Findings {
    pub warnings: Vec<Warning>,
    /// Agents left out, by the name in the file.
    pub broken_agents: BTreeMap<String, Warning>,
}

/// Takes out of `document` all that [`File`] would not take. `locate` turns a span into a source;
/// `is_built_in` knows the agents that are whole without the file.
pub(super) fn check(
    document: &mut DeTable<'_>,
    locate: &dyn Fn(&Range<usize>) -> Source,
    is_built_in: &dyn Fn(&str) -> bool,
) -> Findings {
    let mut checker = Checker {
        locate,
        is_built_in,
        findings: Findings::default(),
    };
    checker.agents(document);
    checker.mcp_servers(document);
    checker.rules(document);
    checker.section::<PermissionsSection>(document, "permissions");
    checker.section::<FsConfig>(document, "fs");
    checker.section::<SessionsConfig>(document, "sessions");
    checker.section::<ChangesConfig>(document, "changes");
    checker.section::<WorktreeConfig>(document, "worktree");
    checker.section::<TerminalConfig>(document, "terminal");
    checker.section::<ConnectionConfig>(document, "connection");
    checker.section::<UiConfig>(document, "ui");
    if let Some(keys) = table_mut(document, "keys") {
        retain(keys, |action, chords| {
            let read = Vec::<String>::deserialize(ValueDeserializer::from(chords.clone()));
            checker.stands(&join("keys", action.get_ref()), chords, read)
        });
    }
    checker.entries::<File>(document, "");
    checker.findings
}

struct Checker<'a> {
    locate: &'a dyn Fn(&Range<usize>) -> Source,
    /// Whether an agent is one of those that are built in, by id or alias.
    is_built_in: &'a dyn Fn(&str) -> bool,
    findings: Findings,
}

impl Checker<'_> {
    fn warn(&mut self, span: &Range<usize>, key: &str, message: String) -> Warning {
        let warning = Warning::new((self.locate)(span), key, message);
        self.findings.warnings.push(warning.clone());
        warning
    }

    fn section<T: DeserializeOwned>(&mut self, document: &mut DeTable<'_>, name: &str) {
        if let Some(table) = table_mut(document, name) {
            self.entries::<T>(table, name);
        }
    }

    /// Each entry of `table` for itself.
    fn entries<T: DeserializeOwned>(&mut self, table: &mut DeTable<'_>, path: &str) {
        self.known_keys::<T>(table, path);
        retain(table, |key, value| {
            self.stands(&join(path, key.get_ref()), value, alone::<T>(key, value))
        });
    }

    /// Whether a value could be read; if not, it is reported.
    fn stands<T>(
        &mut self,
        path: &str,
        value: &Spanned<DeValue<'_>>,
        read: Result<T, toml::de::Error>,
    ) -> bool {
        let Err(error) = read else {
            return true;
        };
        let message = words(&error).to_owned();
        self.warn(&error.span().unwrap_or(value.span()), path, message);
        false
    }

    /// Takes out the keys that `T` does not have.
    fn known_keys<T: DeserializeOwned>(&mut self, table: &mut DeTable<'_>, path: &str) {
        let known = field_names::<T>();
        retain(table, |key, _| {
            let name = key.get_ref().as_ref();
            if known.contains(&name) {
                return true;
            }
            let full = join(path, name);
            let message = if let Some(near) = nearest(name, known.iter().copied()) {
                format!("unknown key; did you mean {}?", join(path, near))
            } else {
                format!("unknown key; known here: {}", known.join(", "))
            };
            self.warn(&key.span(), &full, message);
            false
        });
    }

    fn agents(&mut self, document: &mut DeTable<'_>) {
        let Some(agents) = table_mut(document, "agents") else {
            return;
        };
        retain(agents, |id, entry| {
            let path = join("agents", id.get_ref());
            if (self.is_built_in)(id.get_ref())
                && let DeValue::Table(table) = entry.get_mut()
            {
                self.settings_of_built_in(&path, table);
            }
            let Some(problem) = self.broken_agent(&path, &id.span(), entry) else {
                return true;
            };
            let id = id.get_ref().as_ref().to_owned();
            self.findings.broken_agents.insert(id, problem);
            false
        });
    }

    /// Over a built-in agent, which is whole without it, a bad setting costs only itself. What was to
    /// restrict the agent restricts it as far as it can be.
    fn settings_of_built_in(&mut self, path: &str, table: &mut DeTable<'_>) {
        const STRICT: [(&str, &str, &str); 2] = [
            ("policy", "policy = \"ask\"", "using \"ask\" instead"),
            (
                "fs",
                "fs = { read = false, write = false }",
                "it reads and writes no files instead",
            ),
        ];
        retain(table, |key, value| {
            let Err(error) = alone::<AgentEntry>(key, value) else {
                return true;
            };
            let strict = STRICT.iter().find(|(name, ..)| key.get_ref() == name);
            let replaced = strict.and_then(|(name, text, instead)| {
                let mut parsed = DeTable::parse(text).ok()?.into_inner();
                Some((parsed.get_mut(*name)?.get_mut().clone(), instead))
            });
            // A key that is not known is told of as everywhere.
            let known = field_names::<AgentEntry>().contains(&key.get_ref().as_ref());
            if !known {
                return true;
            }
            let span = error.span().unwrap_or(value.span());
            let instead = replaced.as_ref().map(|(_, instead)| format!("; {instead}"));
            let message = format!("{}{}", words(&error), instead.unwrap_or_default());
            self.warn(&span, &join(path, key.get_ref()), message);
            let stays = replaced.is_some();
            if let Some((strict, _)) = replaced {
                *value.get_mut() = strict;
            }
            stays
        });
    }

    /// The first of what is wrong with an agent's table; all of it is reported.
    fn broken_agent(
        &mut self,
        path: &str,
        id: &Range<usize>,
        entry: &mut Spanned<DeValue<'_>>,
    ) -> Option<Warning> {
        let left_out = |message: &str| format!("{message}; this agent is ignored");
        if let DeValue::Table(table) = entry.get_mut() {
            self.known_keys::<AgentEntry>(table, path);
            if let Some(fs) = table_mut(table, "fs") {
                self.known_keys::<AgentFs>(fs, &join(path, "fs"));
            }
            let first = self.first_broken::<AgentEntry>(table, path, &left_out);
            if first.is_some() {
                return first;
            }
        }
        let problem = match AgentEntry::deserialize(ValueDeserializer::from(entry.clone())) {
            Ok(agent) => agent.validate().err()?,
            Err(error) => words(&error).to_owned(),
        };
        Some(self.warn(id, path, left_out(&problem)))
    }

    /// The first entry of a table that cannot be read; all of them are reported.
    fn first_broken<T: DeserializeOwned>(
        &mut self,
        table: &DeTable<'_>,
        path: &str,
        message: &dyn Fn(&str) -> String,
    ) -> Option<Warning> {
        let mut first = None;
        for (key, value) in table {
            if let Err(error) = alone::<T>(key, value) {
                let span = error.span().unwrap_or(value.span());
                let key = join(path, key.get_ref());
                let warning = self.warn(&span, &key, message(words(&error)));
                first.get_or_insert(warning);
            }
        }
        first
    }

    /// One entry is one server: without its headers, say, it would be another one. Whether it is
    /// whole can be told only once all layers are there.
    fn mcp_servers(&mut self, document: &mut DeTable<'_>) {
        let Some(servers) = table_mut(document, "mcp_servers") else {
            return;
        };
        retain(servers, |name, entry| {
            let path = join("mcp_servers", name.get_ref());
            let left_out = |message: &str| format!("{message}; this server is ignored");
            let DeValue::Table(table) = entry.get_mut() else {
                let message = left_out("expected a table");
                self.warn(&name.span(), &path, message);
                return false;
            };
            self.known_keys::<McpEntry>(table, &path);
            // Nothing else in it would tell its place.
            if table.is_empty() {
                let message = left_out("it needs a command or a url");
                self.warn(&name.span(), &path, message);
            }
            let broken = self.first_broken::<McpEntry>(table, &path, &left_out);
            !table.is_empty() && broken.is_none()
        });
    }

    fn rules(&mut self, document: &mut DeTable<'_>) {
        let Some(permissions) = table_mut(document, "permissions") else {
            return;
        };
        let Some(DeValue::Array(rules)) = permissions.get_mut("rules").map(Spanned::get_mut) else {
            return;
        };
        let mut good = toml::de::DeArray::new();
        for rule in rules.iter() {
            let problem = RuleEntry::deserialize(ValueDeserializer::from(rule.clone()))
                .map_err(|error| words(&error).to_owned())
                .and_then(|entry| entry.validate());
            match problem {
                Ok(()) => good.push(rule.clone()),
                Err(message) => {
                    let message = format!("{message}; this rule is ignored");
                    self.warn(&rule.span(), "permissions.rules", message);
                }
            }
        }
        *rules = good;
    }
}

/// `Map::retain` wants keys that are plain strings.
fn retain<'i>(
    table: &mut DeTable<'i>,
    mut keep: impl FnMut(&Spanned<DeString<'i>>, &mut Spanned<DeValue<'i>>) -> bool,
) {
    for (key, mut value) in std::mem::take(table) {
        if keep(&key, &mut value) {
            table.insert(key, value);
        }
    }
}

pub(super) fn table_mut<'t, 'i>(
    table: &'t mut DeTable<'i>,
    key: &str,
) -> Option<&'t mut DeTable<'i>> {
    match table.get_mut(key).map(Spanned::get_mut) {
        Some(DeValue::Table(inner)) => Some(inner),
        _ => None,
    }
}

/// What is wrong, for people: an enum of ours is always a word.
fn words(error: &toml::de::Error) -> &str {
    match error.message() {
        "wanted string or table" => "expected a string",
        message => message,
    }
}

/// A `T` with this entry and no other.
fn alone<'i, T: DeserializeOwned>(
    key: &Spanned<DeString<'i>>,
    value: &Spanned<DeValue<'i>>,
) -> Result<T, toml::de::Error> {
    let table = DeTable::from_iter([(key.clone(), value.clone())]);
    T::deserialize(toml::de::Deserializer::from(Spanned::new(
        value.span(),
        table,
    )))
}

/// The keys that `T` reads: what its `Deserialize` asks a deserializer for.
pub(super) fn field_names<T: DeserializeOwned>() -> &'static [&'static str] {
    struct Names<'a>(&'a mut &'static [&'static str]);

    impl<'de> Deserializer<'de> for Names<'_> {
        type Error = NoValue;

        fn deserialize_struct<V: Visitor<'de>>(
            self,
            _name: &'static str,
            fields: &'static [&'static str],
            _visitor: V,
        ) -> Result<V::Value, NoValue> {
            *self.0 = fields;
            Err(serde::de::Error::custom("only the names are asked for"))
        }

        fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, NoValue> {
            Err(serde::de::Error::custom("not a struct"))
        }

        serde::forward_to_deserialize_any! {
            bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
            option unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier
            ignored_any
        }
    }

    let mut names: &'static [&'static str] = &[];
    // An error either way; the names are what it is for.
    let _ = T::deserialize(Names(&mut names));
    names
}
