//! Modes, config options and slash commands of a session, and what it is to open with.

use crate::{model::ModeId, text::SafeText};

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
    /// A hint for its argument.
    pub hint: Option<SafeText>,
}

/// A config option of the agent, or the equivalent made of an older form ([`SetBy`]).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfigOption {
    /// Raw: goes back over the wire.
    pub id: String,
    pub name: SafeText,
    pub description: Option<SafeText>,
    /// Raw: one of [`category`], another one, or none. It affects only where an option is placed
    /// (V1-CFG-05).
    pub category: Option<String>,
    pub kind: ConfigKind,
    pub set_by: SetBy,
}

/// Categories that are placed separately.
pub mod category {
    pub const MODE: &str = "mode";
    pub const MODEL: &str = "model";
    /// Belongs to the model.
    pub const MODEL_CONFIG: &str = "model_config";
    pub const THOUGHT_LEVEL: &str = "thought_level";
}

/// The call that sets an option.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SetBy {
    /// `session/set_config_option`
    #[default]
    Option,
    /// `session/set_mode`: the option is made of the session's `modes` (V1-MODE-01).
    Mode,
    /// `session/set_model`: the option is made of the session's older `models` (D-21). The
    /// connection sends it instead of `session/set_config_option`.
    Model,
}

impl ConfigOption {
    /// The id of the option made of the older `models` of a session (D-21).
    pub const MODELS: &'static str = "models";
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ConfigKind {
    /// One of `values`, in the agent's order. `current` may be none of them (V1-CFG-01).
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
    /// Raw id.
    pub value: String,
    pub name: SafeText,
    pub description: Option<SafeText>,
    /// Heading of its group (V1-CFG-02).
    pub group: Option<SafeText>,
}

/// What an option can be set to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionValue {
    /// Raw id of a value.
    Id(String),
    Flag(bool),
}

impl ConfigOption {
    pub fn is_of(&self, category: &str) -> bool {
        self.category.as_deref() == Some(category)
    }

    pub fn is_select(&self) -> bool {
        matches!(self.kind, ConfigKind::Select { .. })
    }

    pub fn current(&self) -> OptionValue {
        match &self.kind {
            ConfigKind::Select { current, .. } => OptionValue::Id(current.clone()),
            ConfigKind::Boolean { current } => OptionValue::Flag(*current),
        }
    }

    /// The values to choose from; a flag has none.
    pub fn values(&self) -> &[ConfigValue] {
        match &self.kind {
            ConfigKind::Select { values, .. } => values,
            ConfigKind::Boolean { .. } => &[],
        }
    }

    /// Whether it can be set to that value: only to a listed one (V1-CFG-08).
    pub fn takes(&self, value: &OptionValue) -> bool {
        match (&self.kind, value) {
            (ConfigKind::Select { values, .. }, OptionValue::Id(id)) => {
                values.iter().any(|value| value.value == *id)
            }
            (ConfigKind::Boolean { .. }, OptionValue::Flag(_)) => true,
            _ => false,
        }
    }

    /// For people: a value's name, else its raw id (V1-CFG-01).
    pub fn name_of(&self, value: &OptionValue) -> SafeText {
        match value {
            OptionValue::Flag(true) => "on".into(),
            OptionValue::Flag(false) => "off".into(),
            OptionValue::Id(id) if id.is_empty() => "not told".into(),
            OptionValue::Id(id) => {
                let known = self.values().iter().find(|value| value.value == *id);
                known.map_or_else(|| SafeText::line(id), |value| value.name.clone())
            }
        }
    }
}

/// A setting that a session starts with, as it was written: resolved once the agent's options are
/// known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    pub source: SettingSource,
    pub key: SettingKey,
    /// Id or name of a value; `true` or `false` for a flag.
    pub value: String,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SettingKey {
    Mode,
    Model,
    /// Id or name of an option, or a category.
    Option(String),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SettingSource {
    /// `mode` and `config` of the agent's profile.
    Profile,
    /// `--mode`, `--model`, `--set`.
    CommandLine,
    /// The settings in the process before this one.
    Before,
}
