//! What stands for the content of a block that was not read into memory, see [`super::shorten`].

/// What of a block or of an addition to it is not in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Aside {
    /// Bytes, as [`Block::weight`](super::Block::weight) counts them.
    pub bytes: usize,
    /// Lines of the file that it is made of.
    pub lines: usize,
}

impl Aside {
    pub(super) fn add(&mut self, more: Self) {
        self.bytes += more.bytes;
        self.lines += more.lines;
    }
}
