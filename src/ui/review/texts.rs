//! Texts of changed files that were asked for, the last looked at last.

use std::{
    collections::VecDeque,
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    model::{Diff, ReviewScope, ReviewTexts},
    text::SafeText,
};

/// Bytes of texts that are kept, so that going back to a file shows it at once. The newest stays
/// whatever it takes.
const MAX: usize = 16 << 20;
const MAX_FILES: usize = 64;

/// Which change of a file: in another scope, or as another content, it has other texts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Of {
    pub scope: ReviewScope,
    pub path: PathBuf,
    pub content: u64,
}

impl Of {
    pub fn is_same_file(&self, other: &Self) -> bool {
        self.scope == other.scope && self.path == other.path
    }
}

/// Both sides, or why there is nothing to be shown.
pub type Told = Result<Arc<Diff>, SafeText>;

struct Kept {
    of: Of,
    told: Told,
    weight: usize,
}

#[derive(Default)]
pub struct Texts {
    /// The one that was looked at last is the last.
    list: VecDeque<Kept>,
    bytes: usize,
}

impl Texts {
    /// The texts of that change, or what they were before it became another one.
    pub fn get(&mut self, of: &Of) -> Option<(&Of, &Told)> {
        let mut list = self.list.iter();
        let at = list.position(|kept| kept.of.is_same_file(of))?;
        let kept = self.list.remove(at)?;
        self.list.push_back(kept);
        self.list.back().map(|kept| (&kept.of, &kept.told))
    }

    pub fn put(&mut self, texts: ReviewTexts) {
        let of = Of {
            scope: texts.scope,
            path: texts.path,
            content: texts.content,
        };
        let told = diff(&of.path, texts.texts);
        let text = match &told {
            Ok(diff) => diff.weight(),
            Err(why) => why.len(),
        };
        let weight = text + of.path.as_os_str().len();
        // What it was before is not shown again.
        self.drop_all(|kept| kept.of.is_same_file(&of));
        self.bytes += weight;
        self.list.push_back(Kept { of, told, weight });
        while self.list.len() > 1 && (self.bytes > MAX || self.list.len() > MAX_FILES) {
            let oldest = self.list.pop_front();
            self.bytes -= oldest.map_or(0, |kept| kept.weight);
        }
    }

    fn drop_all(&mut self, is_old: impl Fn(&Kept) -> bool) {
        self.list.retain(|kept| !is_old(kept));
        self.bytes = self.list.iter().map(|kept| kept.weight).sum();
    }
}

/// What is compared; a file that is not there after the change has lost all of its text.
fn diff(path: &Path, texts: Result<(Option<SafeText>, Option<SafeText>), SafeText>) -> Told {
    let name = path.to_string_lossy().into_owned();
    match texts? {
        (None, None) => Err("nothing of it is there now, nor was before".into()),
        (before, after) => {
            let after = after.unwrap_or_default();
            Ok(Arc::new(Diff::of_texts(name, before, after)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(path: &str, content: u64, after: &str) -> ReviewTexts {
        ReviewTexts {
            scope: ReviewScope::Session,
            path: path.into(),
            content,
            texts: Ok((None, Some(SafeText::new(after)))),
        }
    }

    fn of(path: &str, content: u64) -> Of {
        Of {
            scope: ReviewScope::Session,
            path: path.into(),
            content,
        }
    }

    #[test]
    fn another_content_takes_the_place_of_the_one_before() {
        let mut kept = Texts::default();
        kept.put(texts("a", 1, "one"));
        kept.put(texts("a", 2, "two"));
        for content in [1, 2, 3] {
            let found = kept.get(&of("a", content)).map(|(of, _)| of.content);
            assert_eq!(found, Some(2));
        }
        assert_eq!(kept.bytes, 4);
        let session = of("a", 2);
        let turn = Of {
            scope: ReviewScope::Turn(1),
            ..session
        };
        assert!(kept.get(&turn).is_none());
    }

    #[test]
    fn texts_are_kept_up_to_a_bound_in_bytes_and_those_looked_at_go_last() {
        for (len, both) in [(MAX - 4, true), (MAX - 3, true), (MAX - 2, false)] {
            let mut kept = Texts::default();
            kept.put(texts("a", 1, "x"));
            kept.put(texts("b", 1, &"x".repeat(len)));
            assert_eq!(kept.get(&of("a", 1)).is_some(), both, "{len}");
            assert!(kept.get(&of("b", 1)).is_some());
        }
        let mut kept = Texts::default();
        for n in 0..MAX_FILES {
            kept.put(texts(&n.to_string(), 1, "x"));
        }
        assert!(kept.get(&of("0", 1)).is_some());
        kept.put(texts("new", 1, &"x".repeat(2 * MAX)));
        assert!(kept.get(&of("new", 1)).is_some(), "the newest stays");
        assert!(kept.get(&of("0", 1)).is_none());
        kept.put(texts("small", 1, "x"));
        assert!(kept.get(&of("new", 1)).is_none() && kept.bytes == 6);
    }
}
