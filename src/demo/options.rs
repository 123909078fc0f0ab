//! What can be chosen in the demo, as config options: each does something that can be seen.

use serde_json::{Value, json};

/// A session's choices.
#[derive(Clone, Copy)]
pub struct Choices {
    pub pace: Pace,
    model: Model,
    pub thoughts: Thoughts,
    /// Show a plan on the tour.
    pub plans: bool,
}

/// How fast the demo goes: its session modes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    Calm,
    Swift,
}

impl Pace {
    pub const ALL: [Self; 2] = [Self::Calm, Self::Swift];

    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|pace| pace.id() == id)
    }

    pub fn id(self) -> &'static str {
        match self {
            Self::Calm => "calm",
            Self::Swift => "swift",
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Calm => "Calm",
            Self::Swift => "Swift",
        }
    }

    pub fn description(self) -> &'static str {
        match self {
            Self::Calm => "at a pace to read along",
            Self::Swift => "as fast as it can be drawn",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Model {
    Short,
    Long,
    Terse,
}

/// How much is thought aloud.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Thoughts {
    Off,
    Brief,
    Full,
}

impl Default for Choices {
    fn default() -> Self {
        Self {
            pace: Pace::Calm,
            model: Model::Long,
            thoughts: Thoughts::Full,
            plans: true,
        }
    }
}

impl Model {
    fn from_id(id: &str) -> Option<Self> {
        [Self::Short, Self::Long, Self::Terse]
            .into_iter()
            .find(|model| model.id() == id)
    }

    fn id(self) -> &'static str {
        match self {
            Self::Short => "script-short",
            Self::Long => "script-long",
            Self::Terse => "telegram",
        }
    }

    /// The terse one does not think.
    fn levels(self) -> &'static [Thoughts] {
        match self {
            Self::Terse => &[Thoughts::Off],
            Self::Short => &[Thoughts::Off, Thoughts::Brief],
            Self::Long => &[Thoughts::Off, Thoughts::Brief, Thoughts::Full],
        }
    }
}

impl Thoughts {
    fn id(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Brief => "brief",
            Self::Full => "full",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Off => "No thoughts",
            Self::Brief => "Brief thoughts",
            Self::Full => "Long thoughts",
        }
    }
}

impl Choices {
    /// All options; flags only for a client that can show them.
    pub fn list(&self, flags: bool) -> Value {
        let model = |model: Model, name: &str, description: &str| json!({"value": model.id(), "name": name, "description": description});
        let mut options = vec![
            json!({
                "id": "mode", "name": "Pace", "category": "mode", "type": "select",
                "description": "How fast the demo goes",
                "currentValue": self.pace.id(),
                "options": Pace::ALL.map(|pace| json!({
                    "value": pace.id(), "name": pace.name(), "description": pace.description(),
                })),
            }),
            json!({
                "id": "model", "name": "Model", "category": "model", "type": "select",
                "description": "None of them is one: all are scripts",
                "currentValue": self.model.id(),
                "options": [
                    {"group": "scripts", "name": "Scripts", "options": [
                        model(Model::Long, "Long Script", "thinks as much as you like"),
                        model(Model::Short, "Short Script", "thinks little"),
                    ]},
                    {"group": "wire", "name": "By wire", "options": [
                        model(Model::Terse, "Telegram", "does not think, stop"),
                    ]},
                ],
            }),
            json!({
                "id": "thoughts", "name": "Thoughts", "category": "thought_level", "type": "select",
                "description": "How much it thinks aloud; what there is depends on the model",
                "currentValue": self.thoughts.id(),
                "options": self.model.levels().iter().map(|level| json!({
                    "value": level.id(), "name": level.name(),
                })).collect::<Vec<_>>(),
            }),
        ];
        if flags {
            options.push(json!({
                "id": "plans", "name": "Plans", "type": "boolean", "currentValue": self.plans,
                "description": "Show a plan on the tour",
            }));
        }
        Value::Array(options)
    }

    /// Sets one; what does not exist is left as it is, and says so.
    pub fn set(&mut self, option: &str, value: &Value) -> Result<(), String> {
        let text = value.as_str().unwrap_or_default();
        let unknown = || format!("{option} cannot be {value}");
        match option {
            "mode" => self.pace = Pace::from_id(text).ok_or_else(unknown)?,
            "model" => {
                self.model = Model::from_id(text).ok_or_else(unknown)?;
                let levels = self.model.levels();
                if !levels.contains(&self.thoughts) {
                    self.thoughts = levels.last().copied().unwrap_or(Thoughts::Off);
                }
            }
            "thoughts" => {
                let mut levels = self.model.levels().iter();
                let level = levels.find(|level| level.id() == text);
                self.thoughts = *level.ok_or_else(unknown)?;
            }
            "plans" => self.plans = value.as_bool().ok_or_else(unknown)?,
            _ => return Err(format!("there is no option {option}")),
        }
        Ok(())
    }
}
