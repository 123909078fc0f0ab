//! `@`: files and directories of the project, matched off the UI task where there are many.

use std::{
    cmp::Reverse,
    collections::BTreeSet,
    hash::{DefaultHasher, Hash, Hasher},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use super::{
    super::{buffer::Caret, fuzzy::Fuzzy},
    folder::Folder,
    {Choice, Choices, MAX_ROWS},
};
use crate::{
    text::SafeText,
    ui::{FileList, offload::Offload},
};

/// A list older than this is requested again when a mention begins.
const FRESH: Duration = Duration::from_secs(10);

/// Up to this many paths are matched at once; more go to the worker.
const MATCHED_AT_ONCE: usize = 4_000;

/// Between looks at whether the query has changed meanwhile.
const SLICE: usize = 1_000;

/// Bytes of the folders that are offered: deep ones are long, and have many above them.
const MAX_DIRS_BYTES: usize = 16 << 20;

/// The project's paths, once known.
#[derive(Debug, Default)]
pub struct Files {
    index: Option<Arc<FileIndex>>,
    asked: Option<Instant>,
    /// The one that is typed.
    pub folder: Folder,
    /// The latest search given to the worker; earlier ones stop.
    latest: Arc<AtomicU64>,
}

#[derive(Debug)]
pub struct FileIndex {
    files: FileList,
    /// With a `/` at the end. Made by the first match.
    dirs: OnceLock<Vec<String>>,
}

impl Files {
    pub fn set(&mut self, files: FileList) {
        self.index = Some(Arc::new(FileIndex {
            files,
            dirs: OnceLock::new(),
        }));
    }

    /// Whether a new list is due; true at most once per [`FRESH`].
    pub fn ask(&mut self, now: Instant) -> bool {
        let fresh = self
            .asked
            .is_some_and(|asked| now.saturating_duration_since(asked) < FRESH);
        if !fresh {
            self.asked = Some(now);
        }
        !fresh
    }

    pub fn index(&self) -> Option<&Arc<FileIndex>> {
        self.index.as_ref()
    }
}

impl FileIndex {
    fn dirs(&self) -> &[String] {
        self.dirs.get_or_init(|| {
            let mut dirs = BTreeSet::new();
            let mut room = MAX_DIRS_BYTES;
            'files: for file in self.files.iter() {
                let mut path = file.as_str();
                while let Some(slash) = path.trim_end_matches('/').rfind('/') {
                    // Known directories have known parents.
                    if dirs.contains(&file[..=slash]) {
                        break;
                    }
                    let Some(left) = room.checked_sub(slash + 1) else {
                        break 'files;
                    };
                    room = left;
                    dirs.insert(&file[..=slash]);
                    path = &file[..slash];
                }
            }
            dirs.into_iter().map(str::to_owned).collect()
        })
    }

    fn is_small(&self) -> bool {
        self.files.len() <= MATCHED_AT_ONCE
    }

    /// The best paths for `query`; `None` if it is no longer `wanted`.
    fn rank(&self, query: &str, wanted: impl Fn() -> bool) -> Option<Vec<Choice>> {
        let mut fuzzy = Fuzzy::new(query);
        let mut best: Vec<(Rank, &str)> = Vec::with_capacity(usize::from(MAX_ROWS) + 1);
        for (index, path) in self.files.iter().chain(self.dirs()).enumerate() {
            if index % SLICE == 0 && !wanted() {
                return None;
            }
            let Some(rank) = Rank::of(path, query, &mut fuzzy) else {
                continue;
            };
            if best.len() == usize::from(MAX_ROWS)
                && best.last().is_some_and(|(worst, _)| *worst <= rank)
            {
                continue;
            }
            let place = best.partition_point(|(better, _)| *better <= rank);
            best.insert(place, (rank, path));
            best.truncate(MAX_ROWS.into());
        }
        let choices = best.into_iter().map(|(_, path)| Choice {
            label: SafeText::line(path),
            marks: fuzzy.marks(path),
            detail: SafeText::default(),
            group: "",
            value: path.to_owned(),
        });
        Some(choices.collect())
    }
}

/// The smaller the better. Without a query, paths near the root come first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    score: Reverse<u16>,
    depth: usize,
    length: usize,
}

impl Rank {
    fn of(path: &str, query: &str, fuzzy: &mut Fuzzy) -> Option<Self> {
        let (score, depth) = if query.is_empty() {
            (0, path.trim_end_matches('/').matches('/').count())
        } else {
            (fuzzy.score(path)?, 0)
        };
        Some(Self {
            score: Reverse(score),
            depth,
            length: if query.is_empty() { 0 } else { path.len() },
        })
    }
}

#[derive(Debug)]
pub struct FilePopup {
    pub choices: Choices,
    /// Where the `@` is.
    pub start: Caret,
    pub query: String,
    /// The search under way with the worker.
    waiting: Option<u64>,
}

impl FilePopup {
    pub fn open(start: Caret) -> Self {
        Self {
            choices: Choices::new(Vec::new(), "listing files").cut_at_start(),
            start,
            query: String::new(),
            waiting: None,
        }
    }

    /// Searches for `query`; earlier results stay until the worker is done.
    pub fn look_for(&mut self, query: &str, files: &Files, offload: &Offload) {
        query.clone_into(&mut self.query);
        self.waiting = None;
        let Some(index) = files.index() else {
            return self.show(Vec::new(), files);
        };
        if index.is_small() {
            self.show(index.rank(query, || true).unwrap_or_default(), files);
        } else {
            self.waiting = Some(files.latest.fetch_add(1, Ordering::Relaxed) + 1);
            self.poll(files, offload);
        }
    }

    /// The list has changed.
    pub fn look_again(&mut self, files: &Files, offload: &Offload) {
        self.look_for(&self.query.clone(), files, offload);
    }

    /// Takes over what the worker has found.
    pub fn poll(&mut self, files: &Files, offload: &Offload) {
        let (Some(serial), Some(index)) = (self.waiting, files.index()) else {
            return;
        };
        let mut key = DefaultHasher::new();
        ("files of a mention", serial).hash(&mut key);
        let (index, query, latest) = (index.clone(), self.query.clone(), files.latest.clone());
        let wanted = move || latest.load(Ordering::Relaxed) == serial;
        let found = offload.get(key.finish(), 0, move || index.rank(&query, wanted));
        if let Some(found) = found {
            self.waiting = None;
            self.show(found.as_ref().clone().unwrap_or_default(), files);
        }
    }

    /// The selection for exactly what was typed: a choice made before the worker is done waits for
    /// it, so that no other file is chosen.
    pub fn settled(&mut self, files: &Files) -> Option<&Choice> {
        if self.waiting.take().is_some()
            && let Some(index) = files.index()
        {
            self.show(index.rank(&self.query, || true).unwrap_or_default(), files);
        }
        self.choices.selected()
    }

    /// Lists what was found in the project and in the typed folder; the folder goes first where the
    /// project's list does not contain it.
    fn show(&mut self, found: Vec<Choice>, files: &Files) {
        let typed = files.folder.choices(&self.query);
        let of_project = found
            .iter()
            .any(|choice| typed.iter().any(|one| one.value == choice.value));
        let (mut all, rest) = match of_project || typed.is_empty() || !self.query.contains('/') {
            true => (found, typed),
            false => (typed, found),
        };
        for choice in rest {
            if all.iter().all(|one| one.value != choice.value) {
                all.push(choice);
            }
        }
        all.truncate(MAX_ROWS.into());
        let nothing = match files.index.is_none() || files.folder.is_awaited(&self.query) {
            true => "listing files".into(),
            false => files.folder.nothing(&self.query),
        };
        self.choices = Choices::new(all, nothing).cut_at_start();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(paths: &[&str]) -> Files {
        let mut files = Files::default();
        files.set(paths.iter().map(ToString::to_string).collect());
        files
    }

    fn found(files: &Files, query: &str) -> Vec<String> {
        let index = files.index().expect("set");
        let rank = index.rank(query, || true);
        rank.unwrap_or_default()
            .into_iter()
            .map(|choice| choice.value)
            .collect()
    }

    #[test]
    fn directories_are_offered_too() {
        let files = files(&["src/ui/mod.rs", "src/ui/theme.rs", "README.md"]);
        assert_eq!(
            found(&files, "ui"),
            ["src/ui/", "src/ui/mod.rs", "src/ui/theme.rs"]
        );
        assert_eq!(found(&files, "")[..2], ["README.md", "src/"]);
    }

    #[test]
    fn folders_are_bounded_in_bytes() {
        // Each has 2,000 above it, of 2,000 bytes on average.
        let deep = |n: usize| format!("{n}/{}file", "x/".repeat(2_000));
        let files = files(&[]);
        assert!(files.index().expect("set").dirs().is_empty());
        let of_one: usize = (1..=2_000).map(|depth| 2 + 2 * depth).sum::<usize>() + 2;
        let fit = MAX_DIRS_BYTES / of_one;
        for (count, whole) in [(fit - 1, true), (fit, true), (fit + 1, false), (100, false)] {
            // Names of one digit or two: the bound is between them in any case.
            let mut files = Files::default();
            files.set((0..count).map(deep).collect());
            let dirs = files.index().expect("set").dirs().to_vec();
            let bytes: usize = dirs.iter().map(String::len).sum();
            assert!(bytes <= MAX_DIRS_BYTES);
            assert_eq!(dirs.len() == count * 2_001, whole, "{count} of {fit}");
        }
    }

    #[test]
    fn results_are_bounded() {
        let paths: Vec<String> = (0..3_000).map(|n| format!("dir/file{n}")).collect();
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        assert_eq!(found(&files(&paths), "file").len(), usize::from(MAX_ROWS));
    }

    #[test]
    fn a_list_is_asked_for_once_in_a_while() {
        let mut files = Files::default();
        let now = Instant::now();
        assert!(files.ask(now));
        assert!(!files.ask(now + Duration::from_secs(1)));
        assert!(files.ask(now + FRESH));
    }
}
