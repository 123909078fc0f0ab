//! Places that count as outside the workspace wherever its roots are: an agent that works in the
//! person's home must neither read what signs them in nor change what acp-tui, a shell or the desktop
//! will do for it later. In any folder it must not change what git keeps there, nor what an editor or
//! another agent runs without asking, since that runs with the person's next command. The names are in [`table`].
//!
//! Not among them is `.acp-tui.toml` in a project: it says nothing until the person has agreed to
//! exactly its content, and an agent that writes another makes it silent again.
//!
//! A hard link to a secret is one too, as long as the secret has its own name as well. Which other
//! file a hard link stood for at first (for instance one that a command made) is unknown.

use std::{
    collections::HashSet,
    env,
    ffi::{OsStr, OsString},
    fs::{self, Metadata},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

pub use table::GIT;
use table::{ANYWHERE, EXCEPT, LINKED, OF_GIT, OWN, PLACES, VARIABLES};

use super::links::follow;

mod table;
#[cfg(test)]
mod tests;

/// How long the links among the places are taken to be as they were.
const FRESH: Duration = Duration::from_secs(1);

/// Files and directories among the secrets that are compared with a hard link, at most.
const MAX_COMPARED: usize = 10_000;

/// Directories in directories of secrets that are looked into for that.
const MAX_DEPTH: usize = 4;

/// Why a place is asked about in any case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Protected {
    /// Goes on after "it".
    pub why: &'static str,
    /// It may be read like anything else.
    pub only_writes: bool,
}

/// The places of one person. Clones are the same.
#[derive(Clone, Debug)]
pub struct Places(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// Absolute, as they are named.
    named: Vec<(PathBuf, Protected)>,
    /// In these, what is only protected against writing is not.
    except: Vec<PathBuf>,
    /// In acp-tui's own folder, and all the same the project of the agent's; `None`: there is none.
    open: Option<PathBuf>,
    /// In acp-tui's own folder, and no secrets.
    worktrees: Option<PathBuf>,
    /// The same with links resolved, and when that was done.
    resolved: Mutex<Option<(Instant, Arc<[PathBuf]>)>>,
    /// The files that are secrets, and when they were looked for.
    secrets: Mutex<Option<(Instant, Arc<HashSet<FileId>>)>>,
}

/// Device and inode.
type FileId = (u64, u64);

/// What is acp-tui's own.
#[derive(Clone, Debug, Default)]
pub struct Own {
    /// Directories and files.
    pub places: Vec<PathBuf>,
    /// The folder of the worktrees that it makes.
    pub worktrees: Option<PathBuf>,
    /// The one among them that an agent works in: that is not acp-tui's.
    pub open: Option<PathBuf>,
}

impl Places {
    /// Of the person who runs this.
    pub fn of_user(own: &Own) -> Self {
        let var = |name: &str| env::var_os(name);
        Self(Arc::new(Inner {
            open: own.open.clone(),
            worktrees: own.worktrees.clone(),
            ..Inner::new(env::home_dir().as_deref(), var, &own.places)
        }))
    }

    #[cfg(test)]
    fn new(home: Option<&Path>, var: impl Fn(&str) -> Option<OsString>, own: &[PathBuf]) -> Self {
        Self(Arc::new(Inner::new(home, var, own)))
    }

    /// Why a resolved path is asked about in any case, if it is.
    pub fn protect(&self, path: &Path) -> Option<Protected> {
        let resolved = self.0.resolved();
        let mut all = self.0.named.iter().zip(resolved.iter());
        // The strictest counts: the first that may not even be read, else the first.
        let holds = |place: &Path| is_in(path, place);
        let excepted = self.0.except.iter().any(|place| holds(place));
        let open = self.0.open.as_deref().is_some_and(holds);
        let mut found = None;
        let meant = all.find_map(|((named, protected), resolved)| {
            if protected.only_writes && excepted
                || open && *protected == OWN
                || !holds(named) && !holds(resolved)
            {
                return None;
            }
            found.get_or_insert(*protected);
            (!protected.only_writes).then_some(*protected)
        });
        let secret = meant.or_else(|| self.0.is_linked(path).then_some(LINKED));
        secret
            .or(found)
            .or_else(|| anywhere(path))
            .or_else(|| is_of_git(path).then_some(GIT))
    }
}

impl Inner {
    fn new(home: Option<&Path>, var: impl Fn(&str) -> Option<OsString>, own: &[PathBuf]) -> Self {
        // What is relative there counts as unset, by the rules of XDG.
        let var = |name: &str| {
            let path = var(name).map(PathBuf::from);
            path.filter(|path| path.is_absolute())
        };
        let at_home = |below: &str| home.map(|home| home.join(below));
        let all = |place: &str| {
            let (base, below) = place.split_once('/').unwrap_or((place, ""));
            let bases = match base.strip_prefix('$') {
                Some(name) => {
                    let usual = VARIABLES.iter().find(|(known, _)| *known == name);
                    [usual.and_then(|(_, dir)| at_home(dir)), var(name)]
                }
                None => [at_home(""), None],
            };
            let below = below.to_owned();
            bases
                .into_iter()
                .flatten()
                .map(move |base| base.join(&below))
        };
        let mut named: Vec<_> = own.iter().map(|path| (path.clone(), OWN)).collect();
        for (protected, places) in PLACES {
            named.extend(places.iter().flat_map(all).map(|path| (path, *protected)));
        }
        Self {
            except: EXCEPT.iter().flat_map(all).collect(),
            named,
            open: None,
            worktrees: None,
            resolved: Mutex::default(),
            secrets: Mutex::default(),
        }
    }
}

/// Whether a path leads to or into what is protected in any folder, in the spelling of any file system.
pub fn anywhere(path: &Path) -> Option<Protected> {
    let parts: Vec<&OsStr> = path.iter().collect();
    let is_here = |name: &str| {
        let names: Vec<&str> = name.split('/').collect();
        let same = |(part, name): (&&OsStr, &&str)| part.eq_ignore_ascii_case(name);
        parts
            .windows(names.len())
            .any(|parts| parts.iter().zip(&names).all(same))
    };
    let found = ANYWHERE.iter().find(|(_, names)| names.iter().any(is_here));
    found.map(|(protected, _)| *protected)
}

/// Whether a path is in a directory that git takes for its own by what is in it, or would take for it
/// with this file: then any git command in it runs what `config` and `hooks` say.
fn is_of_git(path: &Path) -> bool {
    path.ancestors().skip(1).any(|dir| {
        let below = path
            .strip_prefix(dir)
            .ok()
            .and_then(|below| below.iter().next());
        let Some(first) =
            below.filter(|first| OF_GIT.iter().any(|name| first.eq_ignore_ascii_case(name)))
        else {
            return false;
        };
        let has = |name: &str| {
            first.eq_ignore_ascii_case(name) || dir.join(name).symlink_metadata().is_ok()
        };
        has("HEAD") && (has("commondir") || has("objects") && has("refs"))
    })
}

impl Inner {
    fn resolved(&self) -> Arc<[PathBuf]> {
        let mut cached = self.resolved.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((since, resolved)) = &*cached
            && since.elapsed() < FRESH
        {
            return resolved.clone();
        }
        let named = self.named.iter();
        // What leads nowhere can only be meant as it is named.
        let resolved: Arc<[PathBuf]> = named
            .map(|(path, _)| follow(path).unwrap_or_else(|_| path.clone()))
            .collect();
        *cached = Some((Instant::now(), resolved.clone()));
        resolved
    }

    /// Whether a resolved path is a further name of a secret.
    fn is_linked(&self, path: &Path) -> bool {
        let several = |meta: &Metadata| meta.is_file() && meta.nlink() > 1;
        let meta = fs::symlink_metadata(path).ok().filter(several);
        meta.is_some_and(|meta| self.secrets().contains(&(meta.dev(), meta.ino())))
    }

    /// Those of one name too: a link that is made a moment later is then found as well.
    fn secrets(&self) -> Arc<HashSet<FileId>> {
        let resolved = self.resolved();
        let mut cached = self.secrets.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((since, files)) = &*cached
            && since.elapsed() < FRESH
        {
            return files.clone();
        }
        let places = self.named.iter().zip(resolved.iter());
        let places = places.filter(|((_, protected), _)| !protected.only_writes);
        // The last goes first: acp-tui's own directories, which may hold many, are at the beginning.
        let mut todo: Vec<_> = places.map(|(_, path)| (path.clone(), 0)).collect();
        let mut files = HashSet::new();
        let mut left = MAX_COMPARED;
        while let Some((path, depth)) = todo.pop() {
            let Ok(meta) = fs::symlink_metadata(&path) else {
                continue;
            };
            // What is checked out there is a project's, and may be much.
            if self.worktrees.as_ref() == Some(&path) {
                continue;
            }
            if meta.is_file() {
                files.insert((meta.dev(), meta.ino()));
            } else if meta.is_dir() && depth < MAX_DEPTH {
                let entries = fs::read_dir(&path).into_iter().flatten().flatten();
                for entry in entries.take(left) {
                    left -= 1;
                    todo.push((entry.path(), depth + 1));
                }
            }
        }
        let files = Arc::new(files);
        *cached = Some((Instant::now(), files.clone()));
        files
    }
}

/// By whole components.
fn is_in(path: &Path, place: &Path) -> bool {
    let mut parts = path.iter();
    let mut place = place.iter();
    place.all(|name| parts.next().is_some_and(|part| fits(part, name)))
}

/// The usual file system of macOS takes `.SSH` for `.ssh`, also for what does not exist yet.
fn fits(part: &OsStr, name: &OsStr) -> bool {
    let same = |one: &[u8], other: &[u8]| {
        one == other || (cfg!(target_os = "macos") && one.eq_ignore_ascii_case(other))
    };
    let (part, name) = (part.as_encoded_bytes(), name.as_encoded_bytes());
    let Some(star) = name.iter().position(|byte| *byte == b'*') else {
        return same(part, name);
    };
    let (begin, end) = (&name[..star], &name[star + 1..]);
    part.len() >= begin.len() + end.len()
        && same(&part[..begin.len()], begin)
        && same(&part[part.len() - end.len()..], end)
}
