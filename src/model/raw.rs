//! The agent's raw JSON.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::text::first_bytes;

/// JSON as the agent sent it, shown on demand (V1-UPD-10, V1-TOOL-13). Bounded where it is made, in
/// `acp::decode`. In our JSON it is written as JSON.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RawJson(pub Arc<str>);

impl RawJson {
    /// Keeps about `limit` bytes of `text` and says how much was cut; cut text is no longer JSON.
    pub fn bounded(text: &str, limit: usize) -> Self {
        if text.len() <= limit {
            return Self(text.into());
        }
        let kept = first_bytes(text, limit);
        Self(format!("{kept}… ({} bytes more)", text.len() - kept.len()).into())
    }
}

/// The form of text that was cut and is no longer JSON: `{"$cut": "…"}`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cut {
    #[serde(rename = "$cut")]
    text: String,
}

impl Serialize for RawJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = &*self.0;
        // A newline would end our line; in JSON it can only be whitespace between tokens.
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

impl<'de> Deserialize<'de> for RawJson {
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
        Ok(Self(text.into()))
    }
}
