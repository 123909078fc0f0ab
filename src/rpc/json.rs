//! Members of JSON objects, read without copying.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// A string, borrowed where it holds no escapes.
#[derive(Deserialize)]
pub struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> Text<'a> {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_string(self) -> String {
        self.0.into_owned()
    }

    pub fn into_inner(self) -> Cow<'a, str> {
        self.0
    }
}

/// A member still as JSON text; `None` if it is absent, and also if it is `null`, unless read by
/// [`present`].
pub type Member<'a> = Option<&'a RawValue>;

/// `Some` for every member that is there, `null` included, where that says something else than
/// absence.
pub fn present<'de: 'a, 'a, D: Deserializer<'de>>(d: D) -> Result<Member<'a>, D::Error> {
    <&RawValue>::deserialize(d).map(Some)
}
