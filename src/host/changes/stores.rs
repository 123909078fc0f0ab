//! The stores of all projects: those of projects that are gone, and those for which there is no room.
//!
//! A store notes whose it is. It is taken for that of a project that is gone only where that is certain:
//! a disk that is not there has its projects too.

use std::{
    fs,
    io::{self, Read},
    os::unix::{ffi::OsStrExt, fs::MetadataExt},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use super::{
    codec::{Reader, framed, put_bytes, put_number, unframed},
    lock::{self, locked, release},
    packs::replace,
    since,
};
use crate::{files, host::fs::give_way};

const NAME: &str = "project";
/// Of a path and two numbers; what is longer is none of ours.
const MAX_NOTE: u64 = 8 << 10;
/// In the name of a store that is being removed.
const GOING: &str = ".going-";

/// What is kept of all projects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Keep {
    /// Bytes of all stores.
    pub bytes: u64,
    /// How long the store of a project that is gone stays, from its last use on.
    pub gone: Duration,
}

impl Default for Keep {
    fn default() -> Self {
        Self {
            bytes: 4 << 30,
            gone: Duration::from_secs(30 * 24 * 60 * 60),
        }
    }
}

/// What was removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Removed {
    /// Stores of projects that are gone, and for want of room.
    pub gone: usize,
    pub over: usize,
    /// Bytes of what is left.
    pub left: u64,
}

/// Notes whose store this is.
///
/// # Errors
/// As for files.
pub fn note(folder: &Path, project: &Path) -> io::Result<()> {
    let mut payload = Vec::new();
    put_bytes(&mut payload, project.as_os_str().as_bytes());
    let above = project.parent().map(fs::metadata).transpose()?;
    let device = fs::metadata(project)?.dev();
    // What is mounted there is gone whenever it is not mounted: that says nothing.
    let above = above.filter(|above| above.dev() == device);
    put_number(&mut payload, above.map_or(0, |above| above.ino()));
    let note = framed(&payload);
    match read(folder) {
        Some(known) if known == payload => Ok(()),
        _ => replace(folder, NAME, &note),
    }
}

fn read(folder: &Path) -> Option<Vec<u8>> {
    let mut note = Vec::new();
    let file = files::regular(&folder.join(NAME)).ok()?;
    file.take(MAX_NOTE).read_to_end(&mut note).ok()?;
    Some(unframed(&note)?.0)
}

/// Whether the project of a store is not there any more, and can only have been removed: what held it
/// is the folder that it was, and can be looked into.
fn is_gone(folder: &Path) -> bool {
    let gone = || {
        let note = read(folder)?;
        let mut reader = Reader(&note);
        let project = since::path(reader.bytes()?);
        let number = reader.number()?;
        let above = project.parent()?;
        let there = fs::metadata(above).ok()?;
        fs::read_dir(above).ok()?;
        let missing = matches!(
            fs::symlink_metadata(&project),
            Err(error) if error.kind() == io::ErrorKind::NotFound
        );
        Some(number != 0 && there.ino() == number && missing)
    };
    gone().unwrap_or(false)
}

struct Store {
    folder: PathBuf,
    used: SystemTime,
    bytes: u64,
}

/// Removes the stores of projects that are gone for long, and then those used longest ago until the rest
/// has room; never one that a client has. For a thread of its own: it gives way to others.
///
/// # Errors
/// The folder cannot be read.
pub fn sweep(all: &Path, keep: Keep, now: SystemTime) -> io::Result<Removed> {
    give_way();
    let mut removed = Removed::default();
    let mut stores = stores(all)?;
    stores.retain(|store| {
        let unused = now.duration_since(store.used).unwrap_or_default();
        let goes = unused >= keep.gone && is_gone(&store.folder) && remove(all, store);
        removed.gone += usize::from(goes);
        !goes
    });
    removed.left = stores.iter().map(|store| store.bytes).sum();
    stores.sort_by_key(|store| store.used);
    for store in &stores {
        if removed.left <= keep.bytes {
            break;
        }
        if remove(all, store) {
            removed.over += 1;
            removed.left = removed.left.saturating_sub(store.bytes);
        }
    }
    Ok(removed)
}

fn stores(all: &Path) -> io::Result<Vec<Store>> {
    let mut found = Vec::new();
    let entries = match fs::read_dir(all) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(found),
        Err(error) => return Err(error),
    };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        if !entry.file_type()?.is_dir() {
            continue;
        }
        if name.as_bytes().starts_with(GOING.as_bytes()) {
            // Another sweep was ended.
            let _ = fs::remove_dir_all(entry.path());
        } else if name.len() == 32 && name.as_bytes().iter().all(u8::is_ascii_hexdigit) {
            // One that cannot be looked into keeps the others from nothing.
            found.extend(Store::of(entry.path()));
        }
    }
    Ok(found)
}

impl Store {
    fn of(folder: PathBuf) -> io::Result<Self> {
        let mut bytes = 0_u64;
        for entry in fs::read_dir(&folder)? {
            // What vanishes meanwhile takes no room.
            let length = entry?.metadata().map_or(0, |meta| meta.len());
            bytes = bytes.saturating_add(length);
        }
        let used = fs::metadata(folder.join(lock::NAME)).or_else(|_| fs::metadata(&folder));
        Ok(Self {
            used: used?.modified()?,
            folder,
            bytes,
        })
    }
}

/// Whether it is removed: no client has it.
fn remove(all: &Path, store: &Store) -> bool {
    let Ok(Some(file)) = locked(&store.folder.join(lock::NAME)) else {
        return false;
    };
    let mut name = std::ffi::OsString::from(GOING);
    name.push(store.folder.file_name().unwrap_or_default());
    let going = all.join(name);
    // At once: a client that comes meanwhile makes a new one.
    let renamed = fs::rename(&store.folder, &going);
    release(&file);
    match renamed.and_then(|()| fs::remove_dir_all(&going)) {
        Ok(()) => true,
        Err(error) => {
            tracing::warn!(%error, "a store of changes cannot be removed");
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;
    use crate::host::{
        Roots,
        changes::{Bounds, Changes},
    };

    /// Stores of projects, by letters.
    struct Stores {
        dir: tempfile::TempDir,
    }

    const AGE: Duration = Duration::from_secs(1_000);

    impl Stores {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            fs::create_dir(dir.path().join("all")).unwrap();
            Self { dir }
        }

        fn all(&self) -> PathBuf {
            self.dir.path().join("all")
        }

        fn project(&self, name: &str) -> PathBuf {
            let base = self.dir.path().canonicalize().unwrap();
            base.join("projects").join(name)
        }

        fn store(&self, name: &str) -> PathBuf {
            self.all().join(name.repeat(32))
        }

        fn open(&self, name: &str) -> Changes {
            fs::create_dir_all(self.project(name)).unwrap();
            let roots = Roots::new(&self.project(name), &[]).unwrap();
            Changes::open(&self.store(name), roots, Bounds::default()).unwrap()
        }

        /// One that was used so long ago, with so many bytes more than every store has.
        fn made(&self, name: &str, ago: u64, bytes: u64) {
            drop(self.open(name));
            let pack = File::create(self.store(name).join("pack-0")).unwrap();
            pack.set_len(bytes).unwrap();
            let used = SystemTime::now() - Duration::from_secs(ago);
            let lock = File::open(self.store(name).join(lock::NAME)).unwrap();
            lock.set_modified(used).unwrap();
        }

        fn swept(&self, bytes: u64) -> Removed {
            let keep = Keep { bytes, gone: AGE };
            sweep(&self.all(), keep, SystemTime::now()).unwrap()
        }

        fn left(&self) -> String {
            let entries = fs::read_dir(self.all()).unwrap();
            let first = |entry: io::Result<fs::DirEntry>| {
                let name = entry.unwrap().file_name();
                name.to_str().unwrap().chars().next().unwrap()
            };
            let mut letters: Vec<char> = entries.map(first).collect();
            letters.sort_unstable();
            letters.into_iter().collect()
        }
    }

    #[test]
    fn stores_of_projects_that_are_gone_for_long_go_and_no_others() {
        let stores = Stores::new();
        for (name, ago) in [
            ("a", 1_100),
            ("b", 900),
            ("c", 1_100),
            ("d", 1_100),
            ("f", 1_100),
        ] {
            stores.made(name, ago, 10);
        }
        // Whose it is is not known.
        stores.made("e", 1_100, 10);
        fs::remove_file(stores.store("e").join(NAME)).unwrap();
        // What is none of ours.
        fs::create_dir(stores.all().join("other")).unwrap();
        for name in ["a", "b", "d", "e"] {
            fs::remove_dir_all(stores.project(name)).unwrap();
        }
        // One that a client has.
        let held = locked(&stores.store("d").join(lock::NAME))
            .unwrap()
            .unwrap();
        let removed = stores.swept(u64::MAX);
        assert_eq!((removed.gone, removed.over), (1, 0));
        assert_eq!(stores.left(), "bcdefo");
        release(&held);
        assert_eq!(stores.swept(u64::MAX).gone, 1);
        assert_eq!(stores.left(), "bcefo");
        // A disk that is not there, with all that was on it, or another one in its place.
        let projects = stores.dir.path().join("projects");
        let away = stores.dir.path().join("away");
        fs::rename(&projects, &away).unwrap();
        assert_eq!(stores.swept(u64::MAX).gone, 0);
        fs::create_dir(&projects).unwrap();
        assert_eq!(stores.swept(u64::MAX).gone, 0);
        assert_eq!(stores.left(), "bcefo");
    }

    #[test]
    fn what_is_over_the_bound_of_all_goes_last_used_first_and_nothing_that_is_in_use() {
        for over in [-1_i64, 0, 1] {
            let stores = Stores::new();
            stores.made("a", 10, 50_000);
            stores.made("b", 30, 50_000);
            stores.made("c", 20, 50_000);
            let all = stores.swept(u64::MAX).left;
            let removed = stores.swept(all.strict_sub_signed(over));
            assert_eq!(removed.over, usize::from(over > 0));
            assert_eq!(stores.left(), if over > 0 { "ac" } else { "abc" });
        }
        let stores = Stores::new();
        stores.made("a", 10, 50_000);
        stores.made("b", 30, 50_000);
        let used = stores.open("b");
        assert_eq!(stores.swept(60_000).over, 1);
        assert_eq!(stores.left(), "b");
        drop(used);
        // One that a sweep had begun with when it was ended.
        let going = stores.all().join(format!("{GOING}{}", "c".repeat(32)));
        fs::create_dir(&going).unwrap();
        assert_eq!(stores.swept(0).over, 1);
        assert_eq!(stores.left(), "");
    }

    #[test]
    fn a_store_that_is_swept_away_while_it_is_opened_is_made_anew() {
        let stores = Stores::new();
        stores.made("a", 10, 10);
        let going = stores.open("a");
        fs::rename(stores.store("a"), stores.all().join("away")).unwrap();
        let other = stores.open("a");
        assert!(!other.is_read_only());
        other
            .look(crate::model::Cause::default(), &|| false)
            .unwrap();
        drop(going);
    }
}
