//! Which draft is whose: each client in a project has a slot of its own, a draft and a lock with the
//! same name. What an ended client left there goes to the one that is meant to go on with it.

use std::{
    fs::File,
    io::{self, Write},
    os::unix::fs::MetadataExt,
    path::Path,
};

use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

use super::{
    create_parent, log, options, read,
    unsent::{self, Unsent},
};

/// Clients in one project that keep a draft each; of more, the last share one.
const MAX: usize = 16;

/// Whom a draft is meant for. That of the session shown stands in the lock's file as well.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// The profile's id.
    pub agent: Option<String>,
    /// As the agent names it.
    pub session: Option<String>,
}

/// Whose drafts a client that starts wants.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    pub owner: Owner,
    /// The person said which agent: a draft for another one waits for that.
    pub chosen: bool,
    /// A session of the past is to be opened: what is meant for another one waits for that.
    pub reopens: bool,
}

impl Wanted {
    /// The less, the better; a slot without a draft comes in between: anything is better than it that
    /// may be meant, and it is better than what is meant for somebody else.
    fn rank(&self, draft: &Path, lock: &Path) -> u8 {
        const EMPTY: u8 = 3;
        let left = left(draft, lock);
        if left.is_empty() {
            return EMPTY;
        }
        let ranks = left.iter().filter_map(|one| self.rank_of(&one.owner));
        ranks.min().unwrap_or(EMPTY + 1)
    }

    /// The less, the better; `None` for what is meant for somebody else.
    pub(super) fn rank_of(&self, owner: &Owner) -> Option<u8> {
        let same = |a: &Option<String>, b: &Option<String>| a.is_some() && a == b;
        match same(&owner.agent, &self.owner.agent) {
            true if same(&owner.session, &self.owner.session) => Some(0),
            true => Some(1),
            false if owner.agent.is_none() || !self.chosen => Some(2),
            false => None,
        }
    }
}

/// What was left in a slot.
pub(super) fn left(draft: &Path, lock: &Path) -> Vec<Unsent> {
    let owner = || {
        read(lock)
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default()
    };
    read(draft).map_or_else(Vec::new, |text| unsent::parse(&text, owner))
}

/// Bytes of a draft that may be a trifle.
const MAX_TRIFLE: usize = 64;

/// Nothing that would be missed, and in the way of what is typed next: a character, or the beginning
/// of a command's name, as a killed client leaves them.
pub(super) fn is_trifle(draft: &str) -> bool {
    let draft = draft.trim();
    let name = draft.starts_with('/') && !draft.contains(char::is_whitespace);
    draft.chars().nth(1).is_none() || name && draft.len() <= MAX_TRIFLE && !draft[1..].contains('/')
}

/// The name of a draft that no other living client has, and the lock that keeps it so.
pub(super) fn claim(
    drafts: &Path,
    locks: &Path,
    key: &str,
    wanted: &Wanted,
) -> (String, Option<File>) {
    let names = (0..MAX).map(|number| match number {
        0 => key.to_owned(),
        number => format!("{key}.{number}"),
    });
    // Looked at before any is locked: a client that starts meanwhile must not find them all taken.
    let mut slots: Vec<(u8, String)> = names
        .map(|name| {
            let rank = wanted.rank(&drafts.join(&name), &locks.join(&name));
            (rank, name)
        })
        .collect();
    slots.sort_by_key(|(rank, _)| *rank);
    for (_, name) in slots {
        let path = locks.join(&name);
        let file = create_parent(&path).and_then(|()| options().append(true).open(&path));
        match file {
            Ok(file) => {
                if flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
                    return (name, Some(file));
                }
            }
            // Where nothing can be written there is nothing to be kept apart.
            Err(error) => {
                log(&path, Err(error));
                return (name, None);
            }
        }
    }
    (format!("{key}.{MAX}"), None)
}

/// Takes the lock again where its file was removed: who starts now would find the draft free.
pub(super) fn keep(lock: &mut Option<File>, path: &Path) {
    let is_gone = |file: &File| file.metadata().is_ok_and(|meta| meta.nlink() == 0);
    if !lock.as_ref().is_some_and(is_gone) {
        return;
    }
    match create_parent(path).and_then(|()| options().append(true).open(path)) {
        Ok(file) => {
            // Another client was faster: both keep the same draft, the last one's counts.
            let _ = flock(&file, FlockOperation::NonBlockingLockExclusive);
            *lock = Some(file);
        }
        Err(error) => log(path, Err(error)),
    }
}

/// Writes whom the draft is meant for. A crash in between leaves it to anybody.
pub(super) fn mark(mut lock: &File, owner: &Owner) -> io::Result<()> {
    lock.set_len(0)?;
    lock.write_all(serde_json::to_string(owner)?.as_bytes())
}
