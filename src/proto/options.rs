//! Modes, config options and slash commands of a session.

use crate::{proto::ModeId, text::SafeText};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SessionMode {
    pub id: ModeId,
    pub name: SafeText,
    pub description: Option<SafeText>,
}

/// A command of the agent, sent as prompt text `/name rest` (V1-UPD-06).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SlashCommand {
    pub name: SafeText,
    pub description: SafeText,
    /// What to type behind it.
    pub hint: Option<SafeText>,
}

/// A config option of the agent. Those of the categories `mode` and `model` are used: to cycle
/// through modes, and in the status line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfigOption {
    /// Raw: goes back over the wire.
    pub id: String,
    pub name: SafeText,
    /// Raw category: `mode`, `model`, `thought_level`, … (V1-CFG-05).
    pub category: Option<String>,
    pub kind: ConfigKind,
}

impl ConfigOption {
    /// The id of the option that stands for the older `models` of a session (D-21).
    pub const MODELS: &'static str = "models";

    /// Whether it stands for the older `models`: then it says nothing about modes.
    pub fn is_from_models(&self) -> bool {
        self.id == Self::MODELS
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ConfigKind {
    /// Flat in the agent's order, groups dissolved.
    Select {
        current: String,
        values: Vec<ConfigValue>,
    },
    Boolean {
        current: bool,
    },
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfigValue {
    pub value: String,
    pub name: SafeText,
    pub description: Option<SafeText>,
}
