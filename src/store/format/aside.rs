//! What is known of a block whose content was not read into memory, see [`super::shorten`].

/// The part of a block, or of an addition to one, that is not in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Aside {
    /// Bytes, as [`Block::weight`](super::Block::weight) counts them.
    pub bytes: usize,
    /// Its lines in the file.
    pub lines: usize,
}

impl Aside {
    pub(super) fn add(&mut self, more: Self) {
        self.bytes += more.bytes;
        self.lines += more.lines;
    }
}
