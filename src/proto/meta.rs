//! `_meta`: what an agent says beside the protocol (V1-META-01).

use crate::proto::RawJson;

/// Different values kept of one message or tool call.
const MAX_VALUES: usize = 16;
/// Their bytes together.
const MAX_BYTES: usize = 16 << 10;

/// The `_meta` objects that came with one message or tool call: each once, in the order in which
/// they came, as nothing is known of their keys. They are shown nowhere, but kept with the
/// conversation. Bounded: of more, the first are kept.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Meta(Vec<RawJson>);

impl Meta {
    pub fn values(&self) -> &[RawJson] {
        &self.0
    }

    /// Bytes that it holds.
    pub fn weight(&self) -> usize {
        self.0.iter().map(|value| value.0.len()).sum()
    }

    pub fn add(&mut self, value: RawJson) {
        let has_room =
            self.0.len() < MAX_VALUES && self.weight().saturating_add(value.0.len()) <= MAX_BYTES;
        if has_room && !self.0.contains(&value) {
            self.0.push(value);
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

    #[test]
    fn each_value_is_kept_once_and_no_agent_fills_the_memory_v1_meta_01() {
        let mut meta = Meta::default();
        for n in 0..100 {
            meta.add(RawJson(format!("{{\"n\":{}}}", n / 2).into()));
        }
        assert_eq!(meta.values().len(), MAX_VALUES);
        let mut meta = Meta::default();
        meta.add(RawJson("x".repeat(MAX_BYTES + 1).into()));
        assert_eq!(meta.weight(), 0);
    }
}
