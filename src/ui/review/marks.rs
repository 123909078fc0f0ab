//! Which files the person has reviewed. A mark is for one content: the file changed, and it is gone.

use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
    sync::Arc,
};

use crate::model::KeptMark;

/// Bytes that the marks of one session take; the oldest go first.
const MAX: usize = 256 << 10;

/// What a mark costs besides its path.
const ENTRY: usize = 128;

#[derive(Default)]
pub struct Marks {
    /// The content, and when it was marked: its key in `ages`.
    by_path: HashMap<Arc<Path>, (u64, u64)>,
    ages: BTreeMap<u64, Arc<Path>>,
    clock: u64,
    bytes: usize,
    rev: u64,
}

impl Marks {
    /// As [`Marks::kept`] gave them; what is marked already is newer.
    pub fn restore(&mut self, kept: Vec<KeptMark>) {
        let later = std::mem::take(self);
        self.rev = later.rev;
        for mark in kept.into_iter().chain(later.kept()) {
            self.set(&mark.path, mark.content);
        }
    }

    /// The oldest first, to be stored.
    pub fn kept(&self) -> Vec<KeptMark> {
        let marks = self.ages.values().filter_map(|path| {
            let (content, _) = self.by_path.get(path)?;
            Some(KeptMark {
                path: path.to_path_buf(),
                content: *content,
            })
        });
        marks.collect()
    }

    /// Grows with each change.
    pub fn rev(&self) -> u64 {
        self.rev
    }

    pub fn has(&self, path: &Path, content: u64) -> bool {
        let known = self.by_path.get(path);
        known.is_some_and(|(marked, _)| *marked == content)
    }

    pub fn set(&mut self, path: &Path, content: u64) {
        self.remove(path);
        self.rev += 1;
        let path: Arc<Path> = path.into();
        self.clock += 1;
        self.bytes += weight(&path);
        self.ages.insert(self.clock, path.clone());
        self.by_path.insert(path, (content, self.clock));
        while self.bytes > MAX
            && let Some((_, oldest)) = self.ages.first_key_value()
        {
            let oldest = oldest.clone();
            self.remove(&oldest);
        }
    }

    pub fn remove(&mut self, path: &Path) {
        if let Some((_, age)) = self.by_path.remove(path) {
            self.ages.remove(&age);
            self.bytes -= weight(path);
            self.rev += 1;
        }
    }
}

fn weight(path: &Path) -> usize {
    path.as_os_str().len() + ENTRY
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn kept(path: &str, content: u64) -> KeptMark {
        KeptMark {
            path: path.into(),
            content,
        }
    }

    #[test]
    fn a_mark_is_for_one_content_and_can_be_kept() {
        let mut marks = Marks::default();
        marks.set(Path::new("/p/a"), 1);
        marks.set(Path::new("/p/b"), 2);
        assert!(marks.has(Path::new("/p/a"), 1) && !marks.has(Path::new("/p/a"), 2));
        marks.set(Path::new("/p/a"), 3);
        let all = marks.kept();
        assert_eq!(all, [kept("/p/b", 2), kept("/p/a", 3)]);
        let rev = marks.rev();
        marks.remove(Path::new("/p/b"));
        marks.remove(Path::new("/p/b"));
        assert_eq!(
            (marks.kept(), marks.rev()),
            (vec![kept("/p/a", 3)], rev + 1)
        );
        // Of what was stored and of what was marked since, the latter counts.
        let mut again = Marks::default();
        again.set(Path::new("/p/b"), 4);
        again.restore(all);
        assert_eq!(again.kept(), [kept("/p/a", 3), kept("/p/b", 4)]);
    }

    #[test]
    fn the_oldest_go_first_beyond_a_bound_in_bytes() {
        // As long as all of what is kept, but for a byte; that; a byte more.
        for (len, kept) in [
            (MAX - ENTRY - 1, true),
            (MAX - ENTRY, true),
            (MAX - ENTRY + 1, false),
        ] {
            let mut marks = Marks::default();
            marks.set(Path::new("a"), 1);
            let long = PathBuf::from("x".repeat(len));
            marks.set(&long, 2);
            assert_eq!(marks.has(&long, 2), kept, "{len}");
            assert!(!marks.has(Path::new("a"), 1));
            assert!(marks.bytes <= MAX);
        }
        let mut marks = Marks::default();
        for n in 0..10_000 {
            marks.set(Path::new(&format!("/p/{n}")), n);
        }
        assert!(marks.bytes <= MAX && marks.has(Path::new("/p/9999"), 9_999));
        assert!(!marks.has(Path::new("/p/0"), 0));
        assert_eq!(marks.by_path.len(), marks.ages.len());
    }
}
