//! Earlier prompts: browsing, which keeps the draft, and search.

use std::{
    collections::{BTreeMap, HashSet, VecDeque},
    sync::mpsc,
};

use super::buffer::clean;

/// Entries kept, and their bytes together; the oldest go first.
const MAX_ENTRIES: usize = 1_000;
const MAX_BYTES: usize = 4 << 20;

/// Matches that a search lists.
pub const MAX_MATCHES: usize = 100;

#[derive(Debug, Default)]
pub struct History {
    /// Oldest first.
    entries: VecDeque<String>,
    bytes: usize,
    /// The entry shown; `None`: the draft.
    at: Option<usize>,
    /// Edited entries by index; the draft's is `entries.len()`.
    edited: BTreeMap<usize, String>,
    /// Where it comes from while a file is still read.
    reading: Option<mpsc::Receiver<History>>,
}

impl History {
    /// Oldest first.
    pub fn of(entries: Vec<String>) -> Self {
        let mut history = Self::default();
        for entry in entries {
            history.push(&entry);
        }
        history
    }

    /// One that another thread reads. Typing does not wait for it.
    pub fn read_by(reader: mpsc::Receiver<Self>) -> Self {
        Self {
            reading: Some(reader),
            ..Self::default()
        }
    }

    /// Waits until it is read. Where the reader failed it is empty.
    pub fn load(&mut self) {
        if let Some(reader) = self.reading.take() {
            *self = reader.recv().unwrap_or_default();
        }
    }

    /// Adds a prompt. Blank ones and repetitions of the last one are not kept.
    pub fn push(&mut self, entry: &str) {
        self.load();
        self.leave();
        let entry = clean(entry);
        let known = self.entries.back().is_some_and(|last| *last == entry);
        if entry.trim().is_empty() || known || entry.len() > MAX_BYTES {
            return;
        }
        self.bytes += entry.len();
        self.entries.push_back(entry.into_owned());
        while self.entries.len() > MAX_ENTRIES || self.bytes > MAX_BYTES {
            let oldest = self.entries.pop_front();
            self.bytes -= oldest.map_or(0, |oldest| oldest.len());
        }
    }

    /// Keeps a draft that was not sent, to be brought back; a known one stays where it is.
    pub fn keep(&mut self, entry: &str) {
        self.load();
        match self.entries.iter().any(|known| *known == clean(entry)) {
            true => self.leave(),
            false => self.push(entry),
        }
    }

    /// Ends browsing and forgets edits made on the way.
    pub fn leave(&mut self) {
        self.at = None;
        self.edited.clear();
    }

    pub fn is_browsing(&self) -> bool {
        self.at.is_some()
    }

    /// The entry before the one shown. `current` is the composer's text.
    pub fn older(&mut self, current: &str) -> Option<String> {
        self.load();
        let at = self.at.unwrap_or(self.entries.len()).checked_sub(1)?;
        Some(self.go(at, current))
    }

    /// The entry after the one shown; after the last one the draft.
    pub fn newer(&mut self, current: &str) -> Option<String> {
        let at = self.at? + 1;
        Some(self.go(at, current))
    }

    fn go(&mut self, to: usize, current: &str) -> String {
        let from = self.at.unwrap_or(self.entries.len());
        if self.entries.get(from).is_none_or(|entry| entry != current) {
            self.edited.insert(from, current.to_owned());
        }
        self.at = (to < self.entries.len()).then_some(to);
        let edited = self.edited.get(&to);
        let text = edited.or(self.entries.get(to));
        text.cloned().unwrap_or_default()
    }

    /// Edited entries, which may hold chips.
    pub fn edited(&self) -> impl Iterator<Item = &str> {
        self.edited.values().map(String::as_str)
    }

    /// Entries that contain `query`, newest first, each once, at most [`MAX_MATCHES`]. Case counts
    /// if there is an upper case letter in the query.
    pub fn search(&self, query: &str) -> Vec<&str> {
        let fold = !query.contains(char::is_uppercase);
        let mut seen = HashSet::new();
        self.entries
            .iter()
            .rev()
            .map(String::as_str)
            .filter(|entry| {
                if fold {
                    entry.to_lowercase().contains(query)
                } else {
                    entry.contains(query)
                }
            })
            .filter(|entry| seen.insert(*entry))
            .take(MAX_MATCHES)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(entries: &[&str]) -> History {
        History::of(entries.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn it_is_waited_for_only_when_it_is_wanted() {
        let (sender, reader) = mpsc::channel();
        let mut read = History::read_by(reader);
        // As for each letter that is typed: the file is still read.
        read.leave();
        assert!(!read.is_browsing());
        let reading = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(20));
            sender.send(history(&["one", "two"])).expect("it is wanted");
        });
        read.push("three");
        reading.join().expect("it was sent");
        assert_eq!(read.entries, ["one", "two", "three"]);

        let (sender, reader) = mpsc::channel();
        let mut failed = History::read_by(reader);
        drop(sender);
        assert_eq!(failed.older(""), None);
    }

    #[test]
    fn browsing_keeps_the_draft_and_edits_on_the_way() {
        let mut history = history(&["one", "two"]);
        assert_eq!(history.older("draft").as_deref(), Some("two"));
        assert_eq!(history.older("two, edited").as_deref(), Some("one"));
        assert_eq!(history.older("one"), None);
        assert_eq!(history.newer("one").as_deref(), Some("two, edited"));
        assert_eq!(history.newer("two, edited").as_deref(), Some("draft"));
        assert_eq!(history.newer("draft"), None);
    }

    #[test]
    fn it_is_bounded_without_repetitions() {
        let mut history = history(&["a", "a", " \n", "b"]);
        assert_eq!(history.entries, ["a", "b"]);
        for n in 0..2 * MAX_ENTRIES {
            history.push(&n.to_string());
        }
        assert_eq!(history.entries.len(), MAX_ENTRIES);
        for n in 0..6 {
            history.push(&n.to_string().repeat(1 << 20));
        }
        assert!(history.bytes <= MAX_BYTES);
        assert_eq!(history.entries.len(), 4);
    }

    #[test]
    fn its_bytes_are_bounded_at_their_edge() {
        for (last, kept) in [(MAX_BYTES - 10, 2), (MAX_BYTES - 9, 1), (MAX_BYTES, 1)] {
            let mut history = history(&["0123456789"]);
            history.push(&"x".repeat(last));
            assert_eq!(history.entries.len(), kept, "{last}");
            // What is larger than all is not kept, and nothing goes for it.
            history.push(&"y".repeat(MAX_BYTES + 1));
            assert_eq!(history.entries.len(), kept, "{last}");
        }
        for count in [MAX_ENTRIES - 1, MAX_ENTRIES, MAX_ENTRIES + 1] {
            let history = History::of((0..count).map(|n| n.to_string()).collect());
            assert_eq!(history.entries.len(), count.min(MAX_ENTRIES));
        }
    }

    #[test]
    fn search_is_newest_first_without_doubles() {
        let history = history(&["fix Foo", "foo", "bar", "fix Foo"]);
        assert_eq!(history.search("foo"), ["fix Foo", "foo"]);
        assert_eq!(history.search("Foo"), ["fix Foo"]);
        assert_eq!(history.search("").len(), 3);
    }
}
