//! Which draft is whose: each client in a project has a slot of its own, a draft and a lock with the
//! same name. What an ended client left there goes to the one that is meant to go on with it.

use std::{
    fs::{self, File},
    io::{self, Write},
    os::unix::fs::MetadataExt,
    path::Path,
};

use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

use super::{create_parent, log, options, read};

/// Clients in one project that keep a draft each; of more, the last share one.
const MAX: usize = 16;

/// Whom a draft is meant for. Stands in the lock's file.
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
}

impl Wanted {
    /// The less, the better; a slot without a draft comes in between: anything is better than it that
    /// may be meant, and it is better than what is meant for somebody else.
    fn rank(&self, draft: &Path, lock: &Path) -> u8 {
        const EMPTY: u8 = 3;
        let len = fs::metadata(draft).map_or(0, |file| file.len());
        let trifle = || read(draft).is_some_and(|text| is_trifle(&text));
        if len == 0 || len <= MAX_TRIFLE && trifle() {
            return EMPTY;
        }
        let owner: Owner = read(lock)
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default();
        let same = |a: &Option<String>, b: &Option<String>| a.is_some() && a == b;
        match same(&owner.agent, &self.owner.agent) {
            true if same(&owner.session, &self.owner.session) => 0,
            true => 1,
            false if owner.agent.is_none() || !self.chosen => 2,
            false => EMPTY + 1,
        }
    }
}

/// Bytes of a draft that may be a trifle.
const MAX_TRIFLE: u64 = 64;

/// Nothing that would be missed, and in the way of what is typed next: a character, or the beginning
/// of a command's name, as a killed client leaves them.
pub(super) fn is_trifle(draft: &str) -> bool {
    let draft = draft.trim();
    let name = draft.starts_with('/') && !draft.contains(char::is_whitespace);
    draft.chars().nth(1).is_none()
        || name && draft.len() as u64 <= MAX_TRIFLE && !draft[1..].contains('/')
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
