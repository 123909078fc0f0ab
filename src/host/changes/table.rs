//! What stood at each covered path when it was last looked at: as git's index, so that a look reads
//! only what differs.
//!
//! One file, replaced as a whole. Checkpoints that were taken since are in the log and count over it.

use std::{fs, io, path::Path};

use super::{
    codec::{Reader, framed, put_bytes, put_number, put_path, put_state, unframed},
    packs::replace,
};
use crate::model::FileState;

const NAME: &str = "table";
const VERSION: u8 = 1;

/// Of a file's size, times, number and mode: the same stamp means that it was not touched.
pub type Stamp = u64;
/// It must be read again: it was touched so lately that a further touch would not show.
pub const UNSURE: Stamp = 0;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    pub path: Box<[u8]>,
    pub state: FileState,
    pub stamp: Stamp,
}

/// Sorted by path.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Table {
    /// The last checkpoint in it.
    pub upto: u64,
    /// When the last whole look began, in nanoseconds since 1970.
    pub looked: u64,
    /// Of git's index then.
    pub index: Stamp,
    /// Roots that were looked at, sorted.
    pub roots: Vec<Vec<u8>>,
    pub entries: Vec<Entry>,
}

impl Table {
    /// `None`: there is none, or not a whole one.
    pub fn load(folder: &Path) -> Option<Self> {
        let (payload, _) = unframed(&fs::read(folder.join(NAME)).ok()?)?;
        Self::read(&mut Reader(&payload))
    }

    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        if reader.byte()? != VERSION {
            return None;
        }
        let mut table = Self {
            upto: reader.number()?,
            looked: reader.number()?,
            index: reader.u64()?,
            ..Self::default()
        };
        for _ in 0..reader.length()? {
            table.roots.push(reader.bytes()?.to_vec());
        }
        let count = reader.length()?;
        // An entry has more bytes than that.
        table.entries.reserve(count.min(reader.0.len() / 8));
        let mut before = Vec::new();
        for _ in 0..count {
            let path = reader.path(&before)?;
            let (state, stamp) = (reader.state()?, reader.u64()?);
            table.entries.push(Entry {
                path: path.as_slice().into(),
                state,
                stamp,
            });
            before = path;
        }
        Some(table)
    }

    /// # Errors
    /// As for files; the one before still stands.
    pub fn save(&self, folder: &Path) -> io::Result<()> {
        let mut out = vec![VERSION];
        put_number(&mut out, self.upto);
        put_number(&mut out, self.looked);
        out.extend_from_slice(&self.index.to_le_bytes());
        put_number(&mut out, self.roots.len() as u64);
        for root in &self.roots {
            put_bytes(&mut out, root);
        }
        put_number(&mut out, self.entries.len() as u64);
        let mut before: &[u8] = &[];
        for entry in &self.entries {
            put_path(&mut out, before, &entry.path);
            put_state(&mut out, &entry.state);
            out.extend_from_slice(&entry.stamp.to_le_bytes());
            before = &entry.path;
        }
        replace(folder, NAME, &framed(&out))
    }

    pub fn get(&self, path: &[u8]) -> Option<&Entry> {
        let at = self.find(path).ok()?;
        self.entries.get(at)
    }

    fn find(&self, path: &[u8]) -> Result<usize, usize> {
        self.entries
            .binary_search_by(|entry| (*entry.path).cmp(path))
    }

    /// Sorted ones over what is there; of two with one path the later one counts.
    pub fn set_all(&mut self, mut entries: Vec<Entry>) {
        if let [one] = entries.as_slice()
            && let Ok(at) = self.find(&one.path)
        {
            self.entries.splice(at..=at, entries);
            return;
        }
        // Stable: the old ones stay before the new ones.
        self.entries.append(&mut entries);
        self.entries.sort_by(|a, b| a.path.cmp(&b.path));
        self.entries.reverse();
        self.entries
            .dedup_by(|earlier, later| earlier.path == later.path);
        self.entries.reverse();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entry(path: &str, stamp: u64) -> Entry {
        Entry {
            path: path.as_bytes().into(),
            state: FileState::Absent,
            stamp,
        }
    }

    #[test]
    fn what_is_set_last_counts() {
        let mut table = Table::default();
        table.set_all(vec![entry("/b", 1), entry("/a", 1)]);
        table.set_all(vec![entry("/b", 2), entry("/c", 2), entry("/b", 3)]);
        table.set_all(vec![entry("/c", 4)]);
        let all = [entry("/a", 1), entry("/b", 3), entry("/c", 4)];
        assert_eq!(table.entries, all);
        assert_eq!(table.get(b"/b").unwrap().stamp, 3);
        assert!(table.get(b"/bb").is_none());
    }

    proptest! {
        #[test]
        fn a_table_is_read_back_and_a_torn_one_is_none(
            paths in prop::collection::btree_set("/[ab]{1,3}(/[ab]{1,3}){0,3}", 0..20),
            looked: u64, upto: u64, at: prop::sample::Index,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let mut table = Table { upto, looked, index: 7, roots: vec![b"/a".to_vec()], entries: Vec::new() };
            table.entries = paths.iter().map(|path| entry(path, looked)).collect();
            table.save(folder.path()).unwrap();
            prop_assert_eq!(Table::load(folder.path()), Some(table));
            let file = folder.path().join(NAME);
            let bytes = fs::read(&file).unwrap();
            fs::write(&file, &bytes[..at.index(bytes.len())]).unwrap();
            prop_assert_eq!(Table::load(folder.path()), None);
        }
    }
}
