//! Reading a stored session back.

use std::collections::HashMap;

use super::{
    block::{Block, Kind},
    line::{About, Line, VERSION},
};
use crate::text::SafeTextBuf;

/// A stored session.
#[derive(Debug, Default)]
pub struct Record {
    pub about: About,
    /// When its last line was written, in milliseconds since 1970.
    pub updated: u64,
    /// In the order in which they came.
    pub blocks: Vec<Stored>,
    /// Something in it is of a later version, and was left out.
    pub later: bool,
    by_id: HashMap<u64, usize>,
    /// Text that grows, by block: put into it at the end, so that reading stays linear.
    growing: HashMap<u64, SafeTextBuf>,
}

#[derive(Debug, PartialEq)]
pub struct Stored {
    /// When it first came, in milliseconds since 1970.
    pub at: u64,
    pub block: Block,
}

impl Record {
    /// Reads whatever is whole: of a file that ends anywhere, all but its last line at the most.
    /// `None` if there is nothing of a session in it.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut record = Self::default();
        let mut known = false;
        for text in bytes.split(|byte| *byte == b'\n') {
            if let Some(line) = Line::read(text) {
                known |= line.about.is_some();
                record.apply(line);
            }
        }
        record.settle();
        known.then_some(record)
    }

    fn apply(&mut self, line: Line) {
        if line.v > VERSION {
            self.later = true;
            return;
        }
        self.updated = self.updated.max(line.t);
        if let Some(about) = line.about {
            self.about = about;
        }
        if let Some(block) = line.block {
            self.put(line.t, *block);
        }
        if let Some(more) = line.more
            && let Some(stored) = self
                .by_id
                .get(&more.id)
                .and_then(|at| self.blocks.get_mut(*at))
        {
            let block = &mut stored.block;
            let text = self
                .growing
                .entry(more.id)
                .or_insert_with(|| SafeTextBuf::from(std::mem::take(&mut block.text)));
            text.push(&more.text);
            block.took_ms = more.took_ms.or(block.took_ms);
            if !more.meta.is_empty() {
                block.meta = more.meta;
            }
        }
    }

    fn put(&mut self, at: u64, block: Block) {
        if block.kind == Kind::Later {
            self.later = true;
            return;
        }
        self.growing.remove(&block.id);
        if block.kind == Kind::Gone {
            // Its place stays till all is read, so that those of others do.
            if let Some(stored) = self
                .by_id
                .get(&block.id)
                .and_then(|at| self.blocks.get_mut(*at))
            {
                stored.block = block;
            }
            return;
        }
        match self.by_id.get(&block.id) {
            Some(place) => {
                if let Some(stored) = self.blocks.get_mut(*place) {
                    stored.block = block;
                }
            }
            None => {
                self.by_id.insert(block.id, self.blocks.len());
                self.blocks.push(Stored { at, block });
            }
        }
    }

    fn settle(&mut self) {
        let before = self.blocks.len();
        self.blocks.retain(|stored| stored.block.kind != Kind::Gone);
        if self.blocks.len() < before {
            let blocks = self.blocks.iter().enumerate();
            self.by_id = blocks.map(|(at, stored)| (stored.block.id, at)).collect();
        }
        for stored in &mut self.blocks {
            if let Some(text) = self.growing.remove(&stored.block.id) {
                stored.block.text = text.since(0);
            }
        }
    }

    /// The id of the next block.
    pub fn next_id(&self) -> u64 {
        let last = self.blocks.iter().map(|stored| stored.block.id).max();
        last.map_or(0, |id| id.saturating_add(1))
    }

    /// Its title, else what was first asked.
    pub fn name(&self) -> Option<&str> {
        let prompts = self.blocks.iter().map(|stored| &stored.block);
        let mut prompts = prompts.filter(|block| block.kind == Kind::User);
        let title = self.about.title.as_deref();
        title.or_else(|| prompts.next().map(|block| block.text.as_str()))
    }

    /// As lines again: one for each block.
    pub fn lines(&self) -> impl Iterator<Item = Line> + '_ {
        let about = Line::about(self.updated, self.about.clone());
        let blocks = self.blocks.iter();
        std::iter::once(about)
            .chain(blocks.map(|stored| Line::block(stored.at, stored.block.clone())))
    }

    /// Forgets its beginning, and says so: keeps blocks of about that many bytes at its end.
    pub fn keep_last(&mut self, bytes: usize) {
        let mut left = bytes;
        let kept = self.blocks.iter().rev().take_while(|stored| {
            let weight = stored.block.weight();
            let fits = left >= weight;
            left = left.saturating_sub(weight);
            fits
        });
        let gone = self.blocks.len() - kept.count();
        let Some(last) = gone.checked_sub(1) else {
            return;
        };
        self.blocks.drain(..last);
        if let Some(first) = self.blocks.first_mut() {
            first.block = Block {
                id: first.block.id,
                kind: Kind::Notice,
                text: "what was said before was left out to bound the file".into(),
                ..Block::default()
            };
        }
        self.by_id.clear();
    }
}
