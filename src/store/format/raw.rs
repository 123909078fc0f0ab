//! JSON of the agent's within ours.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::model::RawJson;

/// Stands for JSON that was cut to its bound and is none any more: `{"$cut": "…"}`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cut {
    #[serde(rename = "$cut")]
    text: String,
}

/// Raw JSON, written as what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raw(pub RawJson);

impl Default for Raw {
    fn default() -> Self {
        Self(RawJson("null".into()))
    }
}

impl Serialize for Raw {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = &*self.0.0;
        // A newline would end our line; within JSON it can only be blank.
        let one_line = !text.contains(['\n', '\r']);
        match serde_json::from_str::<&RawValue>(text) {
            Ok(raw) if one_line && raw.get().len() == text.len() => raw.serialize(serializer),
            _ => Cut {
                text: text.to_owned(),
            }
            .serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let text = raw.get();
        let text = match text
            .starts_with('{')
            .then(|| serde_json::from_str::<Cut>(text))
        {
            Some(Ok(cut)) => cut.text,
            _ => text.to_owned(),
        };
        Ok(Self(RawJson(text.into())))
    }
}
