//! What a diff is called among the results of [`Offload`](crate::ui::offload::Offload).

use std::{
    cell::RefCell,
    collections::VecDeque,
    hash::{BuildHasher, RandomState},
    sync::{Arc, OnceLock, Weak},
};

use crate::model::{Diff, DiffText};

/// Diffs whose keys are remembered: more than one tool call shows.
const REMEMBERED: usize = 256;

thread_local! {
    static KEYS: RefCell<VecDeque<(Weak<Diff>, u64)>> = const { RefCell::new(VecDeque::new()) };
}

/// A key for the diff's content. Equal content has the same key, so that a tool call that repeats
/// itself is not compared again; the hash is seeded at random, so that no agent can make one diff
/// be shown for another. Hashing is done once for each `Arc`, as texts can have megabytes.
pub fn key(diff: &Arc<Diff>) -> u64 {
    KEYS.with_borrow_mut(|keys| {
        // The weak pointer keeps the address from being given to another diff.
        let known = keys
            .iter()
            .find(|(known, _)| std::ptr::eq(known.as_ptr(), Arc::as_ptr(diff)));
        if let Some((_, key)) = known {
            return *key;
        }
        let key = match &diff.text {
            DiffText::Sides { old, new } => seed().hash_one(("diff", old, new)),
            // How a patch is read depends on the change.
            DiffText::Patch(patch) => {
                let change = std::mem::discriminant(&diff.change);
                seed().hash_one(("patch", patch, change))
            }
            DiffText::None => seed().hash_one("untold"),
        };
        keys.push_back((Arc::downgrade(diff), key));
        if keys.len() > REMEMBERED {
            keys.pop_front();
        }
        key
    })
}

fn seed() -> &'static RandomState {
    static SEED: OnceLock<RandomState> = OnceLock::new();
    SEED.get_or_init(RandomState::new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::SafeText;

    fn diff(new: &str) -> Arc<Diff> {
        Arc::new(Diff::of_texts("f".into(), None, SafeText::new(new)))
    }

    #[test]
    fn equal_content_has_one_key() {
        assert_eq!(key(&diff("a")), key(&diff("a")));
        assert_ne!(key(&diff("a")), key(&diff("b")));
    }
}
