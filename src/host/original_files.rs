//! Files as they were before a tool call changed them, for its diffs.
//!
//! Owns: reading them, bounded and for display only, so that they may lie anywhere; and what was
//! read, until other calls need the room: an agent reports a change again once it is made.

use std::{
    collections::VecDeque,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::Semaphore;

use crate::{
    files,
    host::compare::{Base, OnDisk, compare},
    model::{Claim, Compared, Comparison, Diff, FileChange, SessionId},
    text::SafeText,
};

/// Bytes of a file that is compared.
const MAX_FILE: u64 = 4 << 20;
/// Bytes of all files that are kept.
const MAX_KEPT: usize = 32 << 20;
/// Files that are kept, however small.
const MAX_FILES: usize = 1_000;
/// Calls that are worked on at once.
const MAX_AT_ONCE: usize = 4;
/// Calls that wait for that; what more come are shown as the agent sent them.
const MAX_WAITING: usize = 256;

/// Cheap to clone; clones are the same.
#[derive(Clone, Default)]
pub struct OriginalFiles {
    inner: Arc<Inner>,
}

struct Inner {
    turns: Semaphore,
    waiting: Semaphore,
    kept: Mutex<Kept>,
}

impl Default for Inner {
    fn default() -> Self {
        Self {
            turns: Semaphore::new(MAX_AT_ONCE),
            waiting: Semaphore::new(MAX_WAITING),
            kept: Mutex::default(),
        }
    }
}

/// One file as one call found it.
#[derive(Clone, PartialEq, Eq)]
struct Place {
    inside: Option<SessionId>,
    block: u64,
    path: PathBuf,
}

impl Place {
    /// Nothing is kept for a question: it is answered once.
    fn of(compared: &Compared, path: &Path) -> Option<Self> {
        match compared {
            Compared::Call { inside, block, .. } => Some(Self {
                inside: inside.clone(),
                block: *block,
                path: path.to_owned(),
            }),
            Compared::Question(_) => None,
        }
    }
}

#[derive(Default)]
struct Kept {
    /// The latest last.
    files: VecDeque<(Place, Base)>,
    bytes: usize,
}

impl Kept {
    fn find(&self, place: &Place) -> Option<Base> {
        let found = self.files.iter().find(|(known, _)| known == place);
        found.map(|(_, base)| base.clone())
    }

    fn keep(&mut self, place: Place, base: Base) {
        if let Some(at) = self.files.iter().position(|(known, _)| *known == place)
            && let Some((_, gone)) = self.files.remove(at)
        {
            self.bytes -= bytes(&gone);
        }
        self.bytes += bytes(&base);
        self.files.push_back((place, base));
        while self.bytes > MAX_KEPT || self.files.len() > MAX_FILES {
            let Some((_, gone)) = self.files.pop_front() else {
                break;
            };
            self.bytes -= bytes(&gone);
        }
    }
}

fn bytes(base: &Base) -> usize {
    match &base.file {
        OnDisk::Text(text) => text.len(),
        OnDisk::Missing | OnDisk::Unread(_) => 0,
    }
}

impl OriginalFiles {
    /// What to show for each claim of a call; see [`compare`]. `None`: too many calls wait.
    pub async fn compare(&self, asked: Comparison) -> Option<Vec<Option<Arc<Diff>>>> {
        let waiting = self.inner.waiting.try_acquire().ok()?;
        let turn = self.inner.turns.acquire().await.ok()?;
        let inner = self.inner.clone();
        let done = tokio::task::spawn_blocking(move || inner.compare(&asked)).await;
        drop((turn, waiting));
        done.ok()
    }
}

impl Inner {
    fn compare(&self, asked: &Comparison) -> Vec<Option<Arc<Diff>>> {
        let mut shown = vec![None; asked.claims.len()];
        let mut files: Vec<(PathBuf, Vec<usize>)> = Vec::new();
        for (at, claim) in asked.claims.iter().enumerate() {
            let path = asked.cwd.join(&claim.diff.path);
            match files.iter_mut().find(|(known, _)| *known == path) {
                Some((_, claims)) => claims.push(at),
                None => files.push((path, vec![at])),
            }
        }
        for (path, places) in files {
            let claims: Vec<&Claim> = places
                .iter()
                .filter_map(|at| asked.claims.get(*at))
                .collect();
            let base = self.base(asked, &path, &claims);
            for (at, diff) in places.iter().zip(compare(&claims, &base)) {
                if let Some(place) = shown.get_mut(*at) {
                    *place = diff;
                }
            }
        }
        shown
    }

    fn base(&self, asked: &Comparison, path: &Path, claims: &[&Claim]) -> Base {
        let kept = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let place = Place::of(&asked.of, path);
        if !asked.fresh
            && let Some(base) = place.as_ref().and_then(|place| kept().find(place))
        {
            return base;
        }
        let mut file = read(path);
        // One that is moved is still where it was, or there already.
        let moved = claims.iter().find_map(|claim| match &claim.diff.change {
            FileChange::Move { from } | FileChange::Copy { from } => Some(from),
            _ => None,
        });
        if file == OnDisk::Missing
            && let Some(from) = moved
        {
            file = read(&asked.cwd.join(from));
        }
        let base = Base {
            file,
            late: asked.late,
        };
        if let Some(place) = place {
            kept().keep(place, base.clone());
        }
        base
    }
}

/// The file at `path`, links followed. Never waits for what is no regular file.
fn read(path: &Path) -> OnDisk {
    match text(path) {
        Ok(file) => file,
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => OnDisk::Missing,
            _ => OnDisk::Unread(SafeText::line(&format!("it cannot be read: {error}"))),
        },
    }
}

fn text(path: &Path) -> io::Result<OnDisk> {
    if let Some(why) = no_text(&std::fs::metadata(path)?) {
        return Ok(OnDisk::Unread(why));
    }
    let file = files::regular(path)?;
    // Another one may be there by now.
    if let Some(why) = no_text(&file.metadata()?) {
        return Ok(OnDisk::Unread(why));
    }
    let mut bytes = Vec::new();
    file.take(MAX_FILE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE {
        return Ok(OnDisk::Unread(too_large()));
    }
    Ok(match String::from_utf8(bytes) {
        Ok(text) => OnDisk::Text(SafeText::with_line_ends(&text)),
        Err(_) => OnDisk::Unread("the file is not UTF-8 text".into()),
    })
}

fn no_text(meta: &std::fs::Metadata) -> Option<SafeText> {
    if meta.is_dir() {
        Some("there is a directory".into())
    } else if !meta.is_file() {
        Some("it is not a regular file".into())
    } else if meta.len() > MAX_FILE {
        Some(too_large())
    } else {
        None
    }
}

fn too_large() -> SafeText {
    SafeText::line(&format!("it has more than {} MiB", MAX_FILE >> 20))
}

#[cfg(test)]
mod tests;
