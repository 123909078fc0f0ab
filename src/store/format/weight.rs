//! How many bytes something holds, roughly: this bounds what waits for the disk.

use crate::{
    model::{PlanEntry, RawJson, ToolLocation},
    session::{Answered, By},
    text::SafeText,
};

/// What an item of a list costs besides its text.
pub(super) const ITEM: usize = 32;

pub(super) trait Weigh {
    fn weight(&self) -> usize;
}

/// The weight of all these members.
macro_rules! weigh {
    ($($member:expr),+ $(,)?) => { 0 $(+ crate::store::format::weight::Weigh::weight(&$member))+ };
}

pub(super) use weigh;

impl Weigh for String {
    fn weight(&self) -> usize {
        self.len()
    }
}

impl Weigh for SafeText {
    fn weight(&self) -> usize {
        self.len()
    }
}

impl Weigh for RawJson {
    fn weight(&self) -> usize {
        self.0.len()
    }
}

impl<T: Weigh> Weigh for Option<T> {
    fn weight(&self) -> usize {
        self.as_ref().map_or(0, T::weight)
    }
}

impl<T: Weigh> Weigh for Box<T> {
    fn weight(&self) -> usize {
        T::weight(self)
    }
}

impl<T: Weigh> Weigh for Vec<T> {
    fn weight(&self) -> usize {
        self.iter().map(T::weight).sum()
    }
}

impl Weigh for (String, String) {
    fn weight(&self) -> usize {
        ITEM + weigh!(self.0, self.1)
    }
}

impl Weigh for PlanEntry {
    fn weight(&self) -> usize {
        ITEM + self.content.len()
    }
}

impl Weigh for ToolLocation {
    fn weight(&self) -> usize {
        ITEM + self.path.len()
    }
}

impl Weigh for Answered {
    fn weight(&self) -> usize {
        let by = match &self.by {
            By::Rule(rule) => rule.len(),
            By::Person | By::Nobody => 0,
        };
        ITEM + self.answer.len() + by
    }
}
