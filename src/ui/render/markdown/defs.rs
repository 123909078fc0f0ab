//! Link reference definitions, carried from where they stand to the segments that use them.

use std::collections::HashMap;

use pulldown_cmark::{BrokenLink, CowStr, RefDefs};

/// Definitions kept of one message; and the longest label and target, in bytes.
const MAX_DEFS: usize = 10_000;
const MAX_LEN: usize = 4 * 1024;

/// Targets by label. The first definition of a label counts.
#[derive(Clone, Debug, Default)]
pub struct LinkDefs(HashMap<String, Box<str>>);

impl LinkDefs {
    pub(super) fn learn(&mut self, found: &RefDefs<'_>) {
        for (label, def) in found.iter() {
            if self.0.len() >= MAX_DEFS || label.len() > MAX_LEN || def.dest.len() > MAX_LEN {
                continue;
            }
            self.0
                .entry(normal(label))
                .or_insert_with(|| def.dest.as_ref().into());
        }
    }

    /// The parser's question about a reference that its own piece of text does not define.
    pub(super) fn resolve<'a>(&self, link: &BrokenLink<'_>) -> Option<(CowStr<'a>, CowStr<'a>)> {
        if self.0.is_empty() {
            return None;
        }
        let target = self.0.get(&normal(&link.reference))?;
        Some((CowStr::from(target.to_string()), CowStr::from("")))
    }
}

/// Labels match without regard to case and to how they are spaced.
fn normal(label: &str) -> String {
    let mut out = String::with_capacity(label.len());
    for word in label.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&word.to_lowercase());
    }
    out
}
