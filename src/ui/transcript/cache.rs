//! Rows that were drawn, kept by what they were drawn from.

use std::{collections::HashMap, sync::Arc};

use ratatui::text::Span;

use crate::{
    config::DiffLayout,
    picture::{Canvas, Strip},
    session::BlockId,
    ui::{
        blocks::{Content, Detail},
        render::{Link, Rendered, Row},
        theme::ThemeId,
    },
};

/// Overhead of an allocation.
const ALLOCATION: usize = 16;

/// Bytes of rows kept. Rows on the screen are always kept.
pub const MAX_WEIGHT: usize = 24 << 20;

/// One segment of one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    pub block: BlockId,
    pub segment: usize,
}

/// All that a segment's rows depend on, except for offloaded results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    pub content: Content,
    pub width: u16,
    /// Theme and symbols.
    pub look: (ThemeId, bool),
    pub pictures: Canvas,
    pub layout: DiffLayout,
    pub detail: Detail,
    /// For what moves or counts up over time.
    pub tick: u64,
    /// A blank row stands above.
    pub gap: bool,
    /// The line of the match in it that find is at.
    pub found: Option<usize>,
}

#[derive(Clone, Debug)]
pub struct Entry {
    pub stamp: Stamp,
    pub rows: Arc<[Row]>,
    /// The offload's generation at which it was drawn plain because a result was missing.
    provisional: Option<u64>,
    last_used: u64,
    /// Bytes.
    weight: usize,
}

#[derive(Debug, Default)]
pub struct RowCache {
    entries: HashMap<Key, Entry>,
    weight: usize,
    clock: u64,
}

impl RowCache {
    /// The rows for `key` if they are up to date.
    pub fn fresh(&mut self, key: Key, stamp: &Stamp, generation: u64) -> Option<Arc<[Row]>> {
        let entry = self.entries.get_mut(&key)?;
        let outdated = entry.provisional.is_some_and(|at| at != generation);
        if entry.stamp != *stamp || outdated {
            return None;
        }
        entry.last_used = self.clock;
        Some(entry.rows.clone())
    }

    /// The last rows for `key`, up to date or not.
    pub fn last(&self, key: Key) -> Option<&Entry> {
        self.entries.get(&key)
    }

    /// The rows for `key` lack what is still being worked out.
    pub fn is_provisional(&self, key: Key) -> bool {
        self.last(key)
            .is_some_and(|entry| entry.provisional.is_some())
    }

    pub fn put(
        &mut self,
        key: Key,
        stamp: Stamp,
        rendered: Rendered,
        generation: u64,
    ) -> Arc<[Row]> {
        let rows: Arc<[Row]> = rendered.rows.into();
        let entry = Entry {
            stamp,
            rows: rows.clone(),
            provisional: rendered.provisional.then_some(generation),
            last_used: self.clock,
            weight: weight(&rows),
        };
        self.weight += entry.weight;
        if let Some(old) = self.entries.insert(key, entry) {
            self.weight -= old.weight;
        }
        rows
    }

    /// A frame begins: rows that it does not use may be dropped if there are too many.
    pub fn begin_frame(&mut self) {
        if self.weight > MAX_WEIGHT {
            self.evict();
        }
        self.clock += 1;
    }

    /// Drops what was used longest ago, down to half, so that this is rare.
    fn evict(&mut self) {
        let mut ages: Vec<(u64, Key, usize)> = self
            .entries
            .iter()
            .filter(|(_, entry)| entry.last_used != self.clock)
            .map(|(key, entry)| (entry.last_used, *key, entry.weight))
            .collect();
        ages.sort_unstable_by_key(|(last_used, ..)| *last_used);
        for (_, key, weight) in ages {
            if self.weight <= MAX_WEIGHT / 2 {
                return;
            }
            self.entries.remove(&key);
            self.weight -= weight;
        }
    }

    #[cfg(test)]
    pub fn weight(&self) -> usize {
        self.weight
    }
}

/// An image is one for all its rows.
fn picture(strip: &Strip) -> usize {
    match strip.row {
        0 => strip.drawn.weight(),
        _ => 0,
    }
}

/// Bytes that rows take. An entry without rows costs something as well.
fn weight(rows: &[Row]) -> usize {
    let row = |row: &Row| {
        let spans = &row.line.spans;
        let texts: usize = spans.iter().map(|span| span.content.len()).sum();
        size_of::<Row>()
            + spans.capacity() * (size_of::<Span<'_>>() + ALLOCATION)
            + texts
            + row.links.capacity() * size_of::<Link>()
            + row.picture.as_ref().map_or(0, picture)
    };
    size_of::<Key>() + size_of::<Entry>() + ALLOCATION + rows.iter().map(row).sum::<usize>()
}
