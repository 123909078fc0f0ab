//! `_meta`: what an agent sends outside the protocol (V1-META-01).

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::model::RawJson;

/// Different values kept of one message or tool call.
const MAX_VALUES: usize = 16;
/// Keys kept that are patched one by one.
const MAX_KEYS: usize = 64;
/// Their bytes together.
const MAX_BYTES: usize = 16 << 10;

/// The `_meta` objects that came with one message or tool call, each once, in order. They are not
/// shown but kept with the conversation. Bounded: the first are kept.
///
/// One more object is patched key by key (V2-RPC-03): an update's own `Meta` is the patch, and
/// [`Meta::merge`] applies it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Meta(Option<Box<Kept>>);

/// Boxed, as most messages have none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Kept {
    values: Vec<RawJson>,
    /// By key; `None`: to be removed.
    keys: Vec<(String, Option<RawJson>)>,
    /// Earlier values are dropped.
    clears: bool,
}

impl Kept {
    fn weight(&self) -> usize {
        let value = |value: &RawJson| value.0.len();
        let keys = self.keys.iter();
        let keys = keys.map(|(key, json)| key.len() + json.as_ref().map_or(0, value));
        self.values.iter().map(value).sum::<usize>() + keys.sum::<usize>()
    }

    fn has_room(&self, bytes: usize) -> bool {
        self.weight().saturating_add(bytes) <= MAX_BYTES
    }

    fn add(&mut self, value: RawJson) {
        let has_room = self.values.len() < MAX_VALUES && self.has_room(value.0.len());
        if has_room && !self.values.contains(&value) {
            self.values.push(value);
        }
    }

    fn set(&mut self, key: &str, value: Option<RawJson>) {
        self.keys.retain(|(known, _)| known != key);
        let bytes = key.len() + value.as_ref().map_or(0, |value| value.0.len());
        if self.keys.len() < MAX_KEYS && self.has_room(bytes) {
            self.keys.push((key.to_owned(), value));
        }
    }
}

impl Meta {
    /// Each object, the one that is patched last.
    pub fn objects(&self) -> impl Iterator<Item = RawJson> {
        let kept = self.0.iter();
        kept.flat_map(|kept| {
            let members = kept.keys.iter().filter_map(|(key, value)| {
                let key = serde_json::to_string(key).ok()?;
                Some(format!("{key}:{}", value.as_ref()?.0))
            });
            let members: Vec<String> = members.collect();
            let patched =
                (!members.is_empty()).then(|| RawJson(format!("{{{}}}", members.join(",")).into()));
            kept.values.iter().cloned().chain(patched)
        })
    }

    /// Bytes that it holds.
    pub fn weight(&self) -> usize {
        self.0.as_ref().map_or(0, |kept| kept.weight())
    }

    /// A hash of its content.
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for object in self.objects() {
            object.0.hash(&mut hasher);
        }
        hasher.finish()
    }

    /// One more object.
    pub fn add(&mut self, value: RawJson) {
        self.edit(|kept| kept.add(value));
    }

    /// Sets a key of the object that is patched; `None` removes it.
    pub fn set(&mut self, key: &str, value: Option<RawJson>) {
        self.edit(|kept| kept.set(key, value));
    }

    /// Forgets what it holds, and has [`merge`](Self::merge) forget what was known before.
    pub fn clear(&mut self) {
        self.edit(|kept| {
            *kept = Kept {
                clears: true,
                ..Kept::default()
            };
        });
    }

    /// Applies an update.
    pub fn merge(&mut self, update: &Self) {
        let Some(update) = &update.0 else {
            return;
        };
        self.edit(|kept| {
            if update.clears {
                *kept = Kept::default();
            }
            for value in &update.values {
                kept.add(value.clone());
            }
            for (key, value) in &update.keys {
                match value {
                    Some(value) => kept.set(key, Some(value.clone())),
                    None => kept.keys.retain(|(known, _)| known != key),
                }
            }
        });
    }

    fn edit(&mut self, change: impl FnOnce(&mut Kept)) {
        let kept = self.0.get_or_insert_default();
        change(kept);
        if **kept == Kept::default() {
            self.0 = None;
        }
    }
}

impl Extend<RawJson> for Meta {
    fn extend<T: IntoIterator<Item = RawJson>>(&mut self, values: T) {
        for value in values {
            self.add(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> RawJson {
        RawJson(text.into())
    }

    fn all(meta: &Meta) -> Vec<String> {
        meta.objects().map(|value| value.0.to_string()).collect()
    }

    // V1-META-01
    #[test]
    fn each_value_is_kept_once_and_no_agent_fills_the_memory() {
        let mut meta = Meta::default();
        for n in 0..100 {
            meta.add(json(&format!("{{\"n\":{}}}", n / 2)));
        }
        assert_eq!(meta.objects().count(), MAX_VALUES);
        let mut meta = Meta::default();
        meta.add(json(&"x".repeat(MAX_BYTES + 1)));
        assert_eq!(meta.weight(), 0);
        for n in 0..1_000 {
            meta.set(&n.to_string(), Some(json(&"x".repeat(1 << 10))));
        }
        assert!(meta.weight() <= MAX_BYTES);
    }

    // V2-RPC-03
    #[test]
    fn an_object_is_patched_key_by_key() {
        let mut kept = Meta::default();
        kept.add(json("{\"chunk\":1}"));
        kept.set("a", Some(json("{\"x\":1}")));
        kept.set("b", Some(json("2")));

        let mut update = Meta::default();
        update.set("a", Some(json("{\"y\":3}")));
        update.set("b", None);
        update.set("c\"", Some(json("null")));
        kept.merge(&update);
        assert_eq!(
            all(&kept),
            ["{\"chunk\":1}", "{\"a\":{\"y\":3},\"c\\\"\":null}"]
        );

        kept.merge(&Meta::default());
        assert_eq!(kept.objects().count(), 2);
        let mut clear = Meta::default();
        clear.clear();
        kept.merge(&clear);
        assert_eq!(kept, Meta::default());
    }
}
