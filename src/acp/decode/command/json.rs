//! Pieces of JSON, of which no tree is built.

use std::borrow::Cow;

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

use crate::model::plain_name;

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
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                let mut more = false;
                while let Some(Name(written)) = map.next_key()? {
                    let value: &RawValue = map.next_value()?;
                    if members.len() >= MAX_ITEMS {
                        more = true;
                        continue;
                    }
                    let name = plain_name(&written);
                    members.push(Member {
                        written,
                        name,
                        value,
                    });
                }
                Ok(Members { members, more })
            }
        }
        deserializer.deserialize_map(All)
    }
}

#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

pub struct Items<'a> {
    pub items: Vec<&'a RawValue>,
    pub more: bool,
}

impl<'de> Deserialize<'de> for Items<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Items<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut items = Vec::new();
                let mut more = false;
                while items.len() < MAX_ITEMS {
                    match list.next_element()? {
                        Some(item) => items.push(item),
                        None => return Ok(Items { items, more }),
                    }
                }
                while list.next_element::<IgnoredAny>()?.is_some() {
                    more = true;
                }
                Ok(Items { items, more })
            }
        }
        deserializer.deserialize_seq(All)
    }
}
