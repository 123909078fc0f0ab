//! What there is below the roots, by `stat` alone: nothing is opened but folders and files of
//! patterns.

use std::{
    ffi::OsStr,
    io,
    os::{
        fd::{AsFd, OwnedFd},
        unix::ffi::OsStrExt,
    },
    path::{Path, PathBuf},
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{SystemTime, UNIX_EPOCH},
};

use rustix::fs::{AtFlags, FileType, OFlags, Stat};

use super::table::{Stamp, UNSURE};
use crate::host::{
    Roots,
    fs::{dir::Dir, give_way},
    ignored::{OF_A_LIST, Rules, VERSION_CONTROL},
};

/// Threads that walk and read, at most.
const MAX_THREADS: usize = 4;
/// A file touched within this time may be touched once more without a trace: clocks of file systems
/// tick every 10 ms at most.
const TICK: u64 = 50_000_000;
/// Where times have no parts of seconds.
const COARSE: u64 = 2_100_000_000;
/// Folders that are named because they could not be listed.
const MAX_FOLDERS: usize = 100;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    File,
    Link,
    Folder,
}

/// What `stat` says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Meta {
    pub kind: Kind,
    pub size: u64,
    /// Permission bits.
    pub mode: u32,
    /// Seconds and nanoseconds.
    pub modified: (i64, u32),
    pub changed: (i64, u32),
    pub inode: u64,
}

impl Meta {
    /// `None`: a pipe, socket or device.
    #[allow(clippy::unnecessary_cast, clippy::cast_lossless)] // Types differ between systems.
    pub fn of(stat: &Stat) -> Option<Self> {
        let kind = match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Kind::File,
            FileType::Symlink => Kind::Link,
            FileType::Directory => Kind::Folder,
            _ => return None,
        };
        Some(Self {
            kind,
            size: u64::try_from(stat.st_size).unwrap_or(0),
            mode: stat.st_mode as u32 & 0o7777,
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as u32),
            changed: (stat.st_ctime as i64, stat.st_ctime_nsec as u32),
            inode: stat.st_ino as u64,
        })
    }

    /// All of it as one number.
    pub fn stamp(&self) -> Stamp {
        let mut bytes = Vec::with_capacity(56);
        bytes.push(match self.kind {
            Kind::File => 0,
            Kind::Link => 1,
            Kind::Folder => 2,
        });
        bytes.extend_from_slice(&self.size.to_le_bytes());
        bytes.extend_from_slice(&self.mode.to_le_bytes());
        for (seconds, parts) in [self.modified, self.changed] {
            bytes.extend_from_slice(&seconds.to_le_bytes());
            bytes.extend_from_slice(&parts.to_le_bytes());
        }
        bytes.extend_from_slice(&self.inode.to_le_bytes());
        super::codec::check(&bytes).max(UNSURE + 1)
    }

    /// The stamp, if what was read at `now` is all that can be behind it.
    pub fn sure(&self, now: u64) -> Stamp {
        let tick = match (self.modified.1, self.changed.1) {
            (0, 0) => COARSE,
            _ => TICK,
        };
        let lately = |time| nanos(time).saturating_add(tick) > now;
        match lately(self.modified) || lately(self.changed) {
            true => UNSURE,
            false => self.stamp(),
        }
    }
}

fn nanos((seconds, parts): (i64, u32)) -> u64 {
    let seconds = u64::try_from(seconds).unwrap_or(0);
    seconds
        .saturating_mul(1_000_000_000)
        .saturating_add(u64::from(parts))
}

impl Meta {
    /// When it was last touched in any way, in nanoseconds since 1970.
    pub fn touched(&self) -> u64 {
        nanos(self.changed)
    }

    /// Of a folder: when something in it came or went.
    pub fn listed(&self) -> u64 {
        nanos(self.modified)
    }
}

/// In nanoseconds since 1970.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
    })
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seen {
    pub path: Box<[u8]>,
    pub meta: Meta,
}

#[derive(Default)]
pub struct Walked {
    /// Sorted by path.
    pub seen: Vec<Seen>,
    /// There is more: the walk ended at its bound.
    pub more: bool,
    /// Could not be listed, or are on another file system.
    pub folders: Vec<PathBuf>,
}

impl Walked {
    fn join(&mut self, mut other: Self) {
        self.seen.append(&mut other.seen);
        self.more |= other.more;
        self.folders.append(&mut other.folders);
        self.folders.truncate(MAX_FOLDERS);
    }
}

pub fn threads() -> usize {
    let threads = std::thread::available_parallelism();
    threads.map_or(1, |threads| threads.get().min(MAX_THREADS))
}

/// Walks all roots; `skip` is left out, `most` is the bound of what is seen.
///
/// # Errors
/// It was cancelled.
pub fn walk(
    roots: &Roots,
    skip: &Path,
    most: usize,
    cancelled: &(dyn Fn() -> bool + Sync),
) -> io::Result<Walked> {
    let mut jobs = Vec::new();
    let mut walked = Walked::default();
    for root in roots.dirs() {
        // A file system of its own is as good as any for a root.
        let held = Dir::open(root).and_then(|dir| Ok((dir.own_stat()?.st_dev, dir)));
        let Ok((device, dir)) = held else {
            walked.folders.push(root.clone());
            continue;
        };
        let mut left = OF_A_LIST;
        let above = Rules::above(root, &mut left);
        jobs.push(Job {
            root: Arc::new(Root {
                path: root.clone(),
                dir,
                device: Device::from(device),
            }),
            below: PathBuf::new(),
            above: Arc::new(above),
        });
    }
    let shared = Shared {
        state: Mutex::new(State {
            jobs,
            working: 0,
            over: false,
        }),
        wake: Condvar::new(),
        count: AtomicUsize::new(0),
        most,
        skip,
        cancelled,
    };
    let parts: Vec<Walked> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads())
            .map(|_| {
                scope.spawn(|| {
                    give_way();
                    shared.work()
                })
            })
            .collect();
        workers
            .into_iter()
            .filter_map(|worker| worker.join().ok())
            .collect()
    });
    if cancelled() {
        return Err(io::ErrorKind::Interrupted.into());
    }
    for part in parts {
        walked.join(part);
    }
    walked
        .seen
        .sort_unstable_by(|one, other| one.path.cmp(&other.path));
    // Roots may lie in one another.
    walked.seen.dedup_by(|one, other| one.path == other.path);
    Ok(walked)
}

type Device = u64;

struct Root {
    path: PathBuf,
    dir: Dir,
    device: Device,
}

/// A folder that is to be listed.
struct Job {
    root: Arc<Root>,
    below: PathBuf,
    /// What counts above it.
    above: Arc<Rules>,
}

struct State {
    jobs: Vec<Job>,
    working: usize,
    over: bool,
}

struct Shared<'a> {
    state: Mutex<State>,
    wake: Condvar,
    count: AtomicUsize,
    most: usize,
    skip: &'a Path,
    cancelled: &'a (dyn Fn() -> bool + Sync),
}

impl Shared<'_> {
    fn work(&self) -> Walked {
        let mut walked = Walked::default();
        let mut left = OF_A_LIST;
        while let Some(job) = self.next() {
            let mut jobs = Vec::new();
            let stop = (self.cancelled)() || walked.more;
            if !stop && self.list(&job, &mut left, &mut walked, &mut jobs).is_err() {
                walked.folders.push(job.root.path.join(&job.below));
                walked.folders.truncate(MAX_FOLDERS);
            }
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.jobs.append(&mut jobs);
            state.working -= 1;
            state.over |= stop || (state.working == 0 && state.jobs.is_empty());
            drop(state);
            self.wake.notify_all();
        }
        walked
    }

    fn next(&self) -> Option<Job> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if state.over {
                return None;
            }
            if let Some(job) = state.jobs.pop() {
                state.working += 1;
                return Some(job);
            }
            if state.working == 0 {
                return None;
            }
            state = self
                .wake
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn list(
        &self,
        job: &Job,
        left: &mut crate::host::ignored::Size,
        walked: &mut Walked,
        jobs: &mut Vec<Job>,
    ) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        let folder: OwnedFd = job.root.dir.file(&job.below, flags)?.into();
        if Device::from(rustix::fs::fstat(&folder)?.st_dev) != job.root.device {
            return Err(io::ErrorKind::CrossesDevices.into());
        }
        let path = match job.below.as_os_str().is_empty() {
            true => job.root.path.clone(),
            false => job.root.path.join(&job.below),
        };
        let mut names = rustix::fs::Dir::new(folder)?;
        let mut found = Vec::new();
        // Most folders have none: their names are not tried.
        let mut has_rules = false;
        while let Some(entry) = names.read() {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            has_rules |= matches!(name, b".gitignore" | b".ignore" | b".git");
            if !matches!(name, b"." | b"..")
                && !VERSION_CONTROL.iter().any(|own| name == own.as_bytes())
            {
                found.push((name.to_vec(), entry.file_type()));
            }
        }
        let rules = match has_rules {
            true => job.above.below(&path, left),
            false => job.above.clone(),
        };
        let folder = names.fd()?;
        for (name, kind) in found {
            let name = OsStr::from_bytes(&name);
            let full = path.join(name);
            if kind != FileType::Unknown && rules.ignore(&full, kind == FileType::Directory) {
                continue;
            }
            let stat = rustix::fs::statat(folder.as_fd(), name, AtFlags::SYMLINK_NOFOLLOW);
            // What vanished meanwhile is not there.
            let Some(meta) = stat.ok().and_then(|stat| Meta::of(&stat)) else {
                continue;
            };
            let is_folder = meta.kind == Kind::Folder;
            if full == self.skip || (kind == FileType::Unknown && rules.ignore(&full, is_folder)) {
                continue;
            }
            if self.count.fetch_add(1, Ordering::Relaxed) >= self.most {
                walked.more = true;
                return Ok(());
            }
            if is_folder {
                jobs.push(Job {
                    root: job.root.clone(),
                    below: job.below.join(name),
                    above: rules.clone(),
                });
            }
            walked.seen.push(Seen {
                path: full.as_os_str().as_bytes().into(),
                meta,
            });
        }
        Ok(())
    }
}
