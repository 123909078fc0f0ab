//! The file format: serde reads it, schemars describes it, nothing else names its keys.

use std::{borrow::Cow, collections::BTreeMap, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, SeqAccess, Visitor},
};

use super::{
    ChangesConfig, ConnectionConfig, FsConfig, SessionsConfig, TerminalConfig, UiConfig,
    WorktreeConfig, mcp::McpEntry, nearest,
};
use crate::model::{Decision, Dialect, Policy, Protocol, ToolKind};

/// acp-tui's configuration.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct File {
    /// The agent to start when `--agent` names none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_agent: Option<String>,
    /// By name. A built-in agent's name or alias lays over that one, any other makes a new one.
    pub agents: BTreeMap<String, AgentEntry>,
    /// By name: MCP servers that agents can be handed.
    pub mcp_servers: BTreeMap<String, McpEntry>,
    pub permissions: PermissionsSection,
    pub fs: FsConfig,
    pub terminal: TerminalConfig,
    pub sessions: SessionsConfig,
    pub changes: ChangesConfig,
    pub worktree: WorktreeConfig,
    pub connection: ConnectionConfig,
    pub ui: UiConfig,
    /// An action and the chords that call it, in place of its defaults.
    pub keys: BTreeMap<String, Vec<String>>,
}

/// How an agent is started and spoken to.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct AgentEntry {
    /// A built-in agent whose keys this one has too, where it does not set them itself: all but its
    /// names and policy.
    pub like: Option<String>,
    /// For people; the table's name if left out.
    pub name: Option<String>,
    /// Program, looked up on PATH; `~` and `${VAR}` are expanded.
    pub command: Option<String>,
    /// Its arguments; expanded.
    pub args: Vec<String>,
    /// Laid over the client's own environment; values are expanded.
    pub env: BTreeMap<String, String>,
    /// Other names for `--agent` and `default_agent`.
    pub aliases: Vec<String>,
    /// Session mode to set after the start: its id or name.
    pub mode: Option<String>,
    /// Ids of its session modes, for an agent of the dialect `mode-param` that names none.
    pub modes: Vec<String>,
    /// Options of the agent to set after the start: id or name, and what it is to be.
    pub config: BTreeMap<String, OptionSetting>,
    /// Names of the MCP servers that it is handed.
    pub mcp_servers: Vec<String>,
    /// Instructions for each session, for agents that take them.
    pub system_prompt: Option<String>,
    /// How the agent is to take them.
    pub system_prompt_mode: SystemPromptMode,
    /// Permission policy with this agent.
    pub policy: Option<Policy>,
    pub fs: AgentFs,
    /// Whether the agent may run commands through acp-tui; true if left out.
    pub terminal: Option<bool>,
    /// The protocol that it speaks.
    pub protocol: Protocol,
    /// In which words of ACP it speaks, and is spoken to: a preset, or a list of presets and rows.
    pub dialect: DialectWords,
    /// How to install it, shown when the command is not found.
    pub install: Option<String>,
    /// A command line for the shell to sign in with, run in a terminal on the screen.
    pub login_command: Option<String>,
    /// A temporary folder is made for each session and added to its workspace.
    pub scratch: bool,
    /// Each session gets its own process: the agent serves one at a time.
    pub own_process: bool,
}

impl AgentEntry {
    /// # Errors
    /// What no process could be started with.
    pub fn validate(&self) -> Result<(), String> {
        if self.command.as_ref().is_some_and(|c| c.trim().is_empty()) {
            return Err("command is empty".into());
        }
        match self
            .env
            .keys()
            .find(|k| k.is_empty() || k.contains(['=', '\0']))
        {
            Some(name) => Err(format!("{name:?} is not a valid environment variable name")),
            None => Ok(()),
        }
    }
}

/// Names of presets and rows, known ones all; `"x"` is `["x"]`, and none is `auto`.
#[derive(Default)]
pub(super) struct DialectWords(Vec<String>);

impl DialectWords {
    pub fn dialect(&self) -> Dialect {
        let all = self.0.iter().filter_map(|word| Dialect::of_word(word));
        all.reduce(Dialect::and).unwrap_or_default()
    }
}

impl Serialize for DialectWords {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for DialectWords {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Words;

        impl<'de> Visitor<'de> for Words {
            type Value = DialectWords;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a dialect, or a list of them")
            }

            fn visit_str<E: Error>(self, word: &str) -> Result<Self::Value, E> {
                known_dialect(word)?;
                Ok(DialectWords(vec![word.to_owned()]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut words = Vec::new();
                while let Some(word) = list.next_element::<String>()? {
                    known_dialect(&word)?;
                    words.push(word);
                }
                Ok(DialectWords(words))
            }
        }

        deserializer.deserialize_any(Words)
    }
}

fn known_dialect<E: Error>(word: &str) -> Result<(), E> {
    if Dialect::of_word(word).is_some() {
        return Ok(());
    }
    let hint = match nearest(word, Dialect::words()) {
        _ if word == "threads" => {
            "it is a separate protocol: set protocol = \"threads\"".to_owned()
        }
        Some(near) => format!("did you mean {near}?"),
        None => format!("known: {}", Dialect::words().collect::<Vec<_>>().join(", ")),
    };
    Err(E::custom(format_args!("unknown dialect {word:?}; {hint}")))
}

impl JsonSchema for DialectWords {
    fn schema_name() -> Cow<'static, str> {
        "DialectWords".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let words: Vec<_> = Dialect::words().collect();
        json_schema!({
            "description": "A preset, or a list of presets and rows.",
            "anyOf": [
                { "enum": words },
                { "type": "array", "items": { "enum": words } },
            ],
        })
    }
}

/// What an option of the agent is to be: id or name of a value, or a flag.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected a string, `true` or `false`")]
pub(super) enum OptionSetting {
    Flag(bool),
    Value(String),
}

impl From<OptionSetting> for String {
    fn from(setting: OptionSetting) -> Self {
        match setting {
            OptionSetting::Flag(flag) => flag.to_string(),
            OptionSetting::Value(value) => value,
        }
    }
}

/// Beside the agent's own instructions, or in their place.
#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum SystemPromptMode {
    #[default]
    Append,
    Override,
}

/// Which file methods are offered to the agent.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct AgentFs {
    pub read: bool,
    pub write: bool,
}

impl Default for AgentFs {
    fn default() -> Self {
        Self {
            read: true,
            write: true,
        }
    }
}

/// What agents may do without a question.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct PermissionsSection {
    /// What happens to a request that no rule decides.
    pub policy: Policy,
    /// Deny beats ask beats allow, whatever their order.
    pub rules: Vec<RuleEntry>,
}

/// Matches where everything that it names matches.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RuleEntry {
    #[serde(
        default,
        deserialize_with = "known_kind",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(schema_with = "kinds")]
    pub kind: Option<ToolKind>,
    /// The tool's name.
    pub tool: Option<String>,
    /// Glob, relative to the workspace.
    pub path: Option<String>,
    /// Leading words of the command line. To allow, it has no operators, substitutions, redirections
    /// or newlines, and runs inside the workspace with no variables set but harmless ones.
    pub command: Option<String>,
    pub decision: Decision,
}

/// As the protocol spells it; an unknown one is a mistake here.
fn known_kind<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Option<ToolKind>, D::Error> {
    let name = String::deserialize(d)?;
    match ToolKind::NAMES.contains(&name.as_str()) {
        true => Ok(Some(ToolKind::of(&name))),
        false => Err(D::Error::unknown_variant(&name, ToolKind::NAMES)),
    }
}

fn kinds(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": ToolKind::NAMES })
}

/// A flag that the file spells as one of two words.
macro_rules! two_words {
    ($module:ident, $name:ident { $off:ident, $on:ident }) => {
        #[derive(Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        pub(super) enum $name {
            $off,
            $on,
        }

        pub(super) mod $module {
            use serde::{Deserialize, Deserializer, Serialize, Serializer};

            use super::$name;

            pub fn serialize<S: Serializer>(on: &bool, s: S) -> Result<S::Ok, S::Error> {
                if *on { $name::$on } else { $name::$off }.serialize(s)
            }

            pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<bool, D::Error> {
                Ok(matches!($name::deserialize(d)?, $name::$on))
            }
        }
    };
}

two_words!(symbols, Symbols { Unicode, Ascii });
two_words!(terminal_output, TerminalOutput { Plain, Raw });

/// A number within bounds, as `ConnectionConfig` and `UiConfig` state them.
macro_rules! bounded {
    ($name:ident, $bounds:expr) => {
        pub(super) fn $name<'de, D: serde::Deserializer<'de>>(d: D) -> Result<u32, D::Error> {
            let bounds = $bounds;
            let number = i64::deserialize(d)?;
            match u32::try_from(number) {
                Ok(number) if bounds.contains(&number) => Ok(number),
                _ => Err(serde::de::Error::custom(format!(
                    "expected a number from {} to {}",
                    bounds.start(),
                    bounds.end()
                ))),
            }
        }
    };
}

bounded!(start_timeout, 1..=3600);
bounded!(max_message, 1..=1024);
bounded!(max_store, 16..=65_536);
bounded!(escape_millis, 0..=1000);

pub(super) fn escape_delay<'de, D: serde::Deserializer<'de>>(
    d: D,
) -> Result<Option<u32>, D::Error> {
    escape_millis(d).map(Some)
}

/// A folder that does not depend on where the client was started.
pub(super) fn folder<'de, D: Deserializer<'de>>(d: D) -> Result<Option<String>, D::Error> {
    let text = String::deserialize(d)?;
    let begins = |with: &str| text.starts_with(with);
    match begins("/") || begins("~/") || begins("${") {
        true => Ok(Some(text)),
        false => Err(D::Error::custom(
            "expected a whole path, or one that begins with ~/",
        )),
    }
}

/// `"auto"`, or a number of columns.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "what the JSON Schema is made from")]
pub(super) enum Width {
    Auto(AutoWidth),
    Columns(#[schemars(range(min = 40, max = 1000))] u16),
}

#[derive(JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[expect(dead_code, reason = "what the JSON Schema is made from")]
pub(super) enum AutoWidth {
    Auto,
}

/// Reads and writes [`Width`]: no number is `"auto"`.
pub(super) mod width {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    /// Below 40 the screen itself is too small.
    const COLUMNS: std::ops::RangeInclusive<u16> = 40..=1000;

    #[derive(Deserialize, Serialize)]
    #[serde(untagged)]
    enum Value {
        Word(String),
        Number(i64),
    }

    pub fn serialize<S: Serializer>(width: &Option<u16>, s: S) -> Result<S::Ok, S::Error> {
        match width {
            Some(columns) => Value::Number((*columns).into()),
            None => Value::Word("auto".to_owned()),
        }
        .serialize(s)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<u16>, D::Error> {
        let columns = match Value::deserialize(d) {
            Ok(Value::Word(word)) if word == "auto" => return Ok(None),
            Ok(Value::Number(number)) => u16::try_from(number).ok(),
            _ => None,
        };
        match columns.filter(|columns| COLUMNS.contains(columns)) {
            Some(columns) => Ok(Some(columns)),
            None => Err(D::Error::custom(format!(
                "expected \"auto\" or a number from {} to {}",
                COLUMNS.start(),
                COLUMNS.end()
            ))),
        }
    }
}

/// `"auto"`, true or false.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "what the JSON Schema is made from")]
pub(super) enum AutoOrBool {
    Auto(AutoWidth),
    Set(bool),
}

/// Reads and writes it: no value is `"auto"`.
pub(super) mod auto_or_bool {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    #[derive(Deserialize, Serialize)]
    #[serde(untagged)]
    enum Value {
        Set(bool),
        Word(String),
        Other(i64),
    }

    pub fn serialize<S: Serializer>(set: &Option<bool>, s: S) -> Result<S::Ok, S::Error> {
        match set {
            Some(set) => Value::Set(*set),
            None => Value::Word("auto".to_owned()),
        }
        .serialize(s)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<bool>, D::Error> {
        match Value::deserialize(d) {
            Ok(Value::Set(set)) => Ok(Some(set)),
            Ok(Value::Word(word)) if word == "auto" => Ok(None),
            _ => Err(D::Error::custom("expected \"auto\", true or false")),
        }
    }
}

/// The JSON Schema of the file format, for editors.
pub fn schema() -> String {
    let schema = schemars::schema_for!(File);
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}
