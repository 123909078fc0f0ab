//! JSON read without copying it, and without trees that are bigger than what is wanted of it: a
//! number takes two bytes in a text and thirty in a tree, and a message may have 64 MiB.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Value, value::RawValue};

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

/// Values in a JSON text up to which a tree is made of it; a value takes some 30 to 200 bytes there,
/// and two in a message.
const MAX_VALUES: usize = 500_000;

/// A JSON text as a tree; `None` if it is not JSON, or if the tree would be too big.
pub fn tree(text: &str) -> Option<Value> {
    if is_wide(text) {
        tracing::debug!(
            bytes = text.len(),
            "JSON of too many values was not looked into"
        );
        return None;
    }
    serde_json::from_str(text).ok()
}

/// Whether a JSON text has too many values for a tree.
pub fn is_wide(text: &str) -> bool {
    if text.len() < MAX_VALUES {
        return false;
    }
    let mut values = 1;
    let (mut in_string, mut escaped) = (false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b',' | b':' | b'[' | b'{' if !in_string => values += 1,
            _ => {}
        }
    }
    values > MAX_VALUES
}

/// How many items of a list, or members of an object, are kept unless another bound is named.
pub const MAX_ITEMS: usize = 20_000;

/// The items of a list still as JSON text, `MOST` of them; `more`: there were others.
pub struct Items<'a, const MOST: usize = MAX_ITEMS> {
    pub items: Vec<&'a RawValue>,
    pub more: bool,
}

impl<'de: 'a, 'a, const MOST: usize> Deserialize<'de> for Items<'a, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List<const MOST: usize>;
        impl<'de, const MOST: usize> Visitor<'de> for List<MOST> {
            type Value = Items<'de, MOST>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut items = Vec::new();
                while items.len() < MOST {
                    match list.next_element()? {
                        Some(item) => items.push(item),
                        None => return Ok(Items { items, more: false }),
                    }
                }
                let mut more = false;
                while list.next_element::<IgnoredAny>()?.is_some() {
                    more = true;
                }
                Ok(Items { items, more })
            }
        }
        deserializer.deserialize_seq(List::<MOST>)
    }
}

/// The members of an object in their order, also those of the same name, their values still as JSON text.
pub struct Members<'a, const MOST: usize = MAX_ITEMS> {
    pub members: Vec<(Cow<'a, str>, &'a RawValue)>,
    pub more: bool,
}

impl<'de: 'a, 'a, const MOST: usize> Deserialize<'de> for Members<'a, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object<const MOST: usize>;
        impl<'de, const MOST: usize> Visitor<'de> for Object<MOST> {
            type Value = Members<'de, MOST>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let (mut members, mut more) = (Vec::new(), false);
                while let Some((name, value)) = map.next_entry::<Text<'de>, _>()? {
                    match members.len() < MOST {
                        true => members.push((name.into_inner(), value)),
                        false => more = true,
                    }
                }
                Ok(Members { members, more })
            }
        }
        deserializer.deserialize_map(Object::<MOST>)
    }
}

/// Values that [`pruned`] keeps in all, members and items of one container, and how deep it looks.
const MAX_PRUNED: usize = 50_000;
const MAX_WIDTH: usize = 5_000;
const MAX_DEPTH: usize = 16;

/// A JSON text as a tree that is never big: what has too many members or items, or is nested too
/// deep, is `null` in it. The first members of the outermost object are kept whatever the others
/// hold, but for the containers among them. For looking for what is known by its name.
pub fn pruned(text: &str) -> Option<Value> {
    let whole: &RawValue = serde_json::from_str(text).ok()?;
    let mut left = MAX_PRUNED;
    Some(prune(whole, 0, &mut left))
}

/// `left`: how many values may still be kept. Half a container would be another one, so it is kept whole or not.
fn prune(raw: &RawValue, depth: usize, left: &mut usize) -> Value {
    let mut has_room = |inner: &RawValue| {
        let room = *left > 0 && depth < MAX_DEPTH;
        *left = left.saturating_sub(1);
        room.then(|| prune(inner, depth + 1, left))
    };
    let json = raw.get();
    match json.as_bytes().first() {
        Some(b'[') => {
            let list = serde_json::from_str::<Items<'_, MAX_WIDTH>>(json).ok();
            let list = list.filter(|list| !list.more);
            let kept = list.and_then(|list| list.items.into_iter().map(has_room).collect());
            kept.map_or(Value::Null, Value::Array)
        }
        Some(b'{') => {
            let Ok(Members { members, more }) =
                serde_json::from_str::<Members<'_, MAX_WIDTH>>(json)
            else {
                return Value::Null;
            };
            let outermost = depth == 0;
            let mut kept = Map::new();
            for (name, value) in members {
                let value = match has_room(value) {
                    Some(value) => value,
                    None if !outermost => return Value::Null,
                    None => scalar(value),
                };
                kept.insert(name.into_owned(), value);
            }
            match more && !outermost {
                true => Value::Null,
                false => Value::Object(kept),
            }
        }
        _ => scalar(raw),
    }
}

/// `null` for a container.
fn scalar(raw: &RawValue) -> Value {
    match raw.get().starts_with(['{', '[']) {
        true => Value::Null,
        false => serde_json::from_str(raw.get()).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ones(count: usize) -> String {
        format!("[{}]", vec!["1"; count].join(","))
    }

    #[test]
    fn no_tree_is_made_of_too_many_values() {
        for (count, made) in [
            (MAX_VALUES - 1, true),
            (MAX_VALUES, false),
            (MAX_VALUES + 1, false),
        ] {
            assert_eq!(tree(&ones(count)).is_some(), made, "{count}");
        }
        // What stands in a string is one value.
        let text = format!(
            "{{\"a\":\"{}\\\"{}\"}}",
            ",:[{".repeat(MAX_VALUES),
            ",".repeat(9)
        );
        assert!(tree(&text).is_some());
    }

    #[test]
    fn lists_are_read_up_to_a_bound() {
        for (count, read) in [
            (MAX_ITEMS - 1, MAX_ITEMS - 1),
            (MAX_ITEMS, MAX_ITEMS),
            (MAX_ITEMS + 1, MAX_ITEMS),
        ] {
            let text = ones(count);
            let items: Items<'_> = serde_json::from_str(&text).expect("a list");
            assert_eq!(items.items.len(), read);
        }
        assert!(serde_json::from_str::<Items<'_>>("{}").is_err());
    }

    #[test]
    fn what_is_wide_or_deep_is_pruned_and_what_stands_beside_it_is_kept() {
        for (count, kept) in [
            (MAX_WIDTH - 1, true),
            (MAX_WIDTH, true),
            (MAX_WIDTH + 1, false),
        ] {
            let text = format!(r#"{{"a":{},"command":"ls"}}"#, ones(count));
            let value = pruned(&text).expect("JSON");
            assert_eq!(value["a"].is_array(), kept, "{count}");
            assert_eq!(value["command"], "ls");
        }
        let many = vec![ones(MAX_WIDTH); 40].join(",");
        let value = pruned(&format!(r#"{{"a":[{many}],"command":"ls"}}"#)).expect("JSON");
        assert_eq!(value["command"], "ls");
        let deep = format!("{}1{}", "[".repeat(60), "]".repeat(60));
        assert!(pruned(&deep).is_some());
        assert_eq!(pruned("{\"a\":1} x"), None);
    }

    proptest! {
        #[test]
        fn what_is_small_is_pruned_of_nothing(
            text in r#"(\{"a":(1|-2|1.5|null|true|"x\\ny"|\[\]|\[1,\{"b":\{\}\}\]),"c":[0-9]{1,4}\})"#,
        ) {
            let whole: Option<Value> = serde_json::from_str(&text).ok();
            prop_assert_eq!(pruned(&text), whole);
        }
    }
}
