//! The older `models` of a session as a config option (D-21): so that a model is chosen in one way
//! with every agent.

use serde_json::{Value, json};

use super::Object;
use crate::model::ConfigOption;

/// The models of a session that has no option for them.
pub struct Models {
    current: String,
    values: Vec<Value>,
    /// The session's options as the agent last named them.
    options: Vec<Value>,
}

/// Whether a config option is the one made here.
pub fn is_option(id: &str) -> bool {
    id == ConfigOption::MODELS
}

/// Whether the agent has an option for the model itself: then `models` says it a second time.
pub fn has_own_option(options: &[Value]) -> bool {
    options.iter().any(|option| {
        option["category"] == "model" || option["id"] == "model" || option["id"] == "models"
    })
}

impl Models {
    /// From a session's answer; `None` where that names no models.
    pub fn read(result: &Object) -> Option<Self> {
        let models = result.get("models")?;
        let values: Vec<Value> = models["availableModels"]
            .as_array()?
            .iter()
            .filter_map(|model| {
                let id = model["modelId"].as_str()?;
                let name = model["name"].as_str().unwrap_or(id);
                let mut value = json!({ "value": id, "name": name });
                if let (Some(value), Some(description)) =
                    (value.as_object_mut(), model["description"].as_str())
                {
                    value.insert("description".to_owned(), description.into());
                }
                Some(value)
            })
            .collect();
        let current = models["currentModelId"].as_str()?;
        (!values.is_empty()).then(|| Self {
            current: current.to_owned(),
            values,
            options: Vec::new(),
        })
    }

    /// The agent took a model.
    pub fn choose(&mut self, model: &str) {
        model.clone_into(&mut self.current);
    }

    /// The agent named its options anew.
    pub fn take_options(&mut self, options: &[Value]) {
        options.clone_into(&mut self.options);
    }

    /// The agent's options, and the one that stands for the models.
    pub fn all_options(&self) -> Vec<Value> {
        let mut all = self.options.clone();
        all.push(json!({
            "id": ConfigOption::MODELS,
            "name": "Model",
            "category": "model",
            "type": "select",
            "currentValue": self.current,
            "options": self.values,
        }));
        all
    }
}
