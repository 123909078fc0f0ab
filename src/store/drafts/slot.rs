//! Which draft is whose: each client in a project has a slot of its own, a draft and a lock with the
//! same name. What an ended client left there goes to the one that is meant to go on with it.

use std::{
    fs::{self, File},
    io::{self, Write},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use super::{
    create_parent, log, options,
    owner::{Owner, Wanted},
    read, replace,
    unsent::{self, Unsent},
};

/// Clients in one project that keep a draft each; of more, the last share one.
const MAX: usize = 16;

/// The less, the better; a slot without a draft comes in between: anything is better than it that
/// may be meant, and it is better than what is meant for somebody else.
fn rank(wanted: &Wanted, draft: &Path, lock: &Path) -> u8 {
    const EMPTY: u8 = 3;
    let left = left(draft, lock);
    if left.is_empty() {
        return EMPTY;
    }
    let ranks = left.iter().filter_map(|one| wanted.rank_of(one));
    ranks.min().unwrap_or(EMPTY + 1)
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

/// Those of all slots of a project.
fn names(key: &str) -> impl Iterator<Item = String> {
    (0..MAX).map(move |number| match number {
        0 => key.to_owned(),
        number => format!("{key}.{number}"),
    })
}

/// What ended clients left in other slots.
#[derive(Debug, Default)]
pub(super) struct Others {
    /// For the client that starts now.
    pub taken: Vec<Unsent>,
    /// Stays with its session.
    pub kept: Vec<Owner>,
    /// The slots of what was taken, and what stays there. Locked as long as this lives.
    emptied: Vec<(PathBuf, Vec<Unsent>, File)>,
}

impl Others {
    /// Looks into every slot of the project that no living client has, but for `own`.
    pub fn look(drafts: &Path, locks: &Path, key: &str, own: &str, wanted: &Wanted) -> Self {
        let mut others = Self::default();
        for name in names(key).filter(|name| name != own) {
            let (draft, path) = (drafts.join(&name), locks.join(&name));
            if !draft.exists() {
                continue;
            }
            let Ok(lock) = options().append(true).open(&path) else {
                continue;
            };
            if lock.try_lock().is_err() {
                continue;
            }
            let mut left = left(&draft, &path);
            // Images of a slot are its own: what mentions one waits until somebody has that.
            let images = format!("{}.images/", draft.to_string_lossy());
            let has_image = |one: &mut Unsent| one.texts().any(|text| text.contains(&images));
            let stays: Vec<Unsent> = left.extract_if(.., has_image).collect();
            let mut taken = Vec::new();
            loop {
                let agent = wanted.owner.agent.as_deref();
                let more = match &wanted.owner.session {
                    Some(session) => unsent::take_of(&mut left, agent, session),
                    None if wanted.reopens => Vec::new(),
                    None => unsent::take_first(&mut left, wanted),
                };
                if more.is_empty() {
                    break;
                }
                taken.extend(more);
            }
            left.extend(stays);
            others.kept.extend(kept(&left, wanted));
            if !taken.is_empty() {
                others.taken.extend(taken);
                others.emptied.push((draft, left, lock));
            }
        }
        others
    }

    /// What was taken is on disk elsewhere: it need not stay where it was.
    pub fn forget(self) {
        for (draft, left, _lock) in self.emptied {
            let done = match left.is_empty() {
                true => fs::remove_file(&draft),
                false => replace(&draft, &unsent::write(&left)),
            };
            log(&draft, done);
        }
    }
}

/// Whose texts stay with their sessions, of those that a new session could have had.
pub(super) fn kept(left: &[Unsent], wanted: &Wanted) -> Vec<Owner> {
    let kept = left.iter().filter(|one| one.resumes && !wanted.reopens);
    let kept = kept.filter(|one| wanted.suits(&one.owner).is_some());
    kept.map(|one| one.owner.clone()).collect()
}

/// The name of a draft that no other living client has, and the lock that keeps it so.
pub(super) fn claim(
    drafts: &Path,
    locks: &Path,
    key: &str,
    wanted: &Wanted,
) -> (String, Option<File>) {
    // Looked at before any is locked: a client that starts meanwhile must not find them all taken.
    let mut slots: Vec<(u8, String)> = names(key)
        .map(|name| {
            let rank = rank(wanted, &drafts.join(&name), &locks.join(&name));
            (rank, name)
        })
        .collect();
    slots.sort_by_key(|(rank, _)| *rank);
    for (_, name) in slots {
        let path = locks.join(&name);
        let file = create_parent(&path).and_then(|()| options().append(true).open(&path));
        match file {
            Ok(file) => {
                if file.try_lock().is_ok() {
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
            let _ = file.try_lock();
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
