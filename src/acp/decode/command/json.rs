//! Pieces of JSON, of which no tree is built.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, de::IgnoredAny};
use serde_json::value::RawValue;

use crate::{model::plain_name, rpc};

/// Members of an object, items of a list.
pub const MAX_ITEMS: usize = 1_000;

pub fn whole_text(json: &str) -> Option<String> {
    serde_json::from_str(json).ok()
}

pub fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

pub fn is_of_numbers(items: &[&RawValue]) -> bool {
    items.iter().all(|item| {
        item.get()
            .starts_with(|c: char| c == '-' || c.is_ascii_digit())
    })
}

pub type Items<'a> = rpc::Items<'a, MAX_ITEMS>;

pub struct Member<'a> {
    pub written: Cow<'a, str>,
    /// By `plain_name`.
    pub name: String,
    pub value: &'a RawValue,
}

impl Member<'_> {
    pub fn is_text(&self) -> bool {
        self.value.get().starts_with('"')
    }
}

/// All members in order, also those of the same name: agents differ in which one counts.
pub struct Members<'a> {
    pub members: Vec<Member<'a>>,
    pub more: bool,
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let all = rpc::Members::<MAX_ITEMS>::deserialize(deserializer)?;
        let members = all.members.into_iter().map(|(written, value)| Member {
            name: plain_name(&written),
            written,
            value,
        });
        Ok(Self {
            members: members.collect(),
            more: all.more,
        })
    }
}
