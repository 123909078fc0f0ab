//! The config options of the demo: each has a visible effect.

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

/// Values of an option: each with its id, name and description, if it needs one.
type Values<T> = &'static [(T, &'static str, &'static str, &'static str)];

const PACES: Values<Pace> = &[
    (Pace::Calm, "calm", "Calm", "at a pace to read along"),
    (Pace::Swift, "swift", "Swift", "as fast as it can be drawn"),
];

const MODELS: Values<Model> = &[
    (
        Model::Long,
        "script-long",
        "Long Script",
        "thinks as much as you like",
    ),
    (
        Model::Short,
        "script-short",
        "Short Script",
        "thinks little",
    ),
    (Model::Terse, "telegram", "Telegram", "does not think, stop"),
];

const THOUGHTS: Values<Thoughts> = &[
    (Thoughts::Off, "off", "No thoughts", ""),
    (Thoughts::Brief, "brief", "Brief thoughts", ""),
    (Thoughts::Full, "full", "Long thoughts", ""),
];

fn id<T: PartialEq>(values: Values<T>, chosen: &T) -> &'static str {
    let found = values.iter().find(|value| value.0 == *chosen);
    found.map_or("", |value| value.1)
}

fn of_id<T: Copy>(values: Values<T>, id: &str) -> Option<T> {
    let found = values.iter().find(|value| value.1 == id);
    found.map(|value| value.0)
}

/// Those of them that `offered` takes, for the client.
fn list<T>(values: Values<T>, offered: impl Fn(&T) -> bool) -> Value {
    let offered = values.iter().filter(|(value, ..)| offered(value));
    let shown = offered.map(|(_, id, name, description)| {
        let mut value = json!({"value": id, "name": name});
        if !description.is_empty() {
            value["description"] = json!(description);
        }
        value
    });
    shown.collect()
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
    /// The terse one does not think.
    fn levels(self) -> &'static [Thoughts] {
        match self {
            Self::Terse => &[Thoughts::Off],
            Self::Short => &[Thoughts::Off, Thoughts::Brief],
            Self::Long => &[Thoughts::Off, Thoughts::Brief, Thoughts::Full],
        }
    }
}

impl Choices {
    /// All options; flags only for a client that can show them.
    pub fn list(&self, flags: bool) -> Value {
        let mut options = vec![
            json!({
                "id": "mode", "name": "Pace", "category": "mode", "type": "select",
                "description": "How fast the demo goes",
                "currentValue": id(PACES, &self.pace),
                "options": list(PACES, |_| true),
            }),
            json!({
                "id": "model", "name": "Model", "category": "model", "type": "select",
                "description": "None of them is one: all are scripts",
                "currentValue": id(MODELS, &self.model),
                "options": [
                    {"group": "scripts", "name": "Scripts",
                     "options": list(MODELS, |model| *model != Model::Terse)},
                    {"group": "wire", "name": "By wire",
                     "options": list(MODELS, |model| *model == Model::Terse)},
                ],
            }),
            json!({
                "id": "thoughts", "name": "Thoughts", "category": "thought_level", "type": "select",
                "description": "How much it thinks aloud; what there is depends on the model",
                "currentValue": id(THOUGHTS, &self.thoughts),
                "options": list(THOUGHTS, |level| self.model.levels().contains(level)),
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
            "mode" => self.pace = of_id(PACES, text).ok_or_else(unknown)?,
            "model" => {
                self.model = of_id(MODELS, text).ok_or_else(unknown)?;
                let levels = self.model.levels();
                if !levels.contains(&self.thoughts) {
                    self.thoughts = levels.last().copied().unwrap_or(Thoughts::Off);
                }
            }
            "thoughts" => {
                let level = of_id(THOUGHTS, text);
                let level = level.filter(|level| self.model.levels().contains(level));
                self.thoughts = level.ok_or_else(unknown)?;
            }
            "plans" => self.plans = value.as_bool().ok_or_else(unknown)?,
            _ => return Err(format!("there is no option {option}")),
        }
        Ok(())
    }
}
