//! JSON of the agent's as it is.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::text::first_bytes;

/// JSON as the agent sent it, for showing on demand (V1-UPD-10, V1-TOOL-13). Bounded where it is
/// made: see `acp::decode`. Within JSON of ours it is written as what it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RawJson(pub Arc<str>);

impl RawJson {
    /// Keeps `text` up to about `limit` bytes and says how much was cut; what was cut is no longer
    /// JSON.
    pub fn bounded(text: &str, limit: usize) -> Self {
        if text.len() <= limit {
            return Self(text.into());
        }
        let kept = first_bytes(text, limit);
        Self(format!("{kept}… ({} bytes more)", text.len() - kept.len()).into())
    }
}

/// Stands for JSON that was cut to its bound and is none any more: `{"$cut": "…"}`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cut {
    #[serde(rename = "$cut")]
    text: String,
}

impl Serialize for RawJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = &*self.0;
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
