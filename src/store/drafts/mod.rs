//! What outlives a run: prompt history and the unsent draft, one file each a project, in the state
//! directory, mode 0600. Losing them must never stop the client: errors are logged, and told once.

mod owner;
mod slot;
#[cfg(test)]
mod tests;
mod unsent;

use std::{
    fs::{self, File},
    io::{self, Read, Write},
    os::unix::{ffi::OsStrExt, fs::OpenOptionsExt},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
};

use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

pub use owner::{Owner, Wanted};
pub use unsent::Unsent;

use slot::Others;

use crate::{config::Dirs, files, text::SafeText};

/// Prompts kept in the history file; older ones go when it is next read.
const HISTORY: usize = 1_000;

/// Images of the clipboard that wait in the draft.
const MAX_IMAGES: usize = 32;

/// A history file larger than this is not read: it is not one of ours.
const MAX_FILE: u64 = 16 << 20;

/// The files of one project. Clones are the same store.
#[derive(Clone, Debug)]
pub struct Drafts {
    history: PathBuf,
    draft: PathBuf,
    /// Images out of the clipboard, as long as they are in the draft.
    images: PathBuf,
    /// Held as long as the client lives: the draft is no other's.
    lock: Arc<Mutex<Option<File>>>,
    lock_path: PathBuf,
    trouble: Trouble,
    /// The number of the latest draft that was asked to be kept, and of the one on disk.
    asked: Arc<AtomicU64>,
    saved: Arc<Mutex<u64>>,
    saving: Arc<AtomicUsize>,
    left: Left,
    /// Texts of sessions that are not open, the newest first.
    waiting: Arc<Mutex<Vec<Unsent>>>,
}

/// What an earlier run left for this one.
#[derive(Clone, Debug, Default)]
pub struct Left {
    /// Goes to the first session.
    pub own: Vec<Unsent>,
    /// Waits for its sessions; to be found by who begins a new one, since not every agent can reopen
    /// the old ones.
    pub beside: Vec<String>,
    /// Whose texts stay with their sessions, which can be opened again.
    pub kept: Vec<Owner>,
}

impl Left {
    /// The first goes into the composer.
    pub fn drafts(&self) -> Vec<String> {
        let drafts = self.own.iter().map(|one| one.draft.clone());
        drafts.filter(|draft| !draft.is_empty()).collect()
    }

    /// Messages that were to be sent.
    pub fn queued(&self) -> Vec<String> {
        let queues = self.own.iter().flat_map(|one| &one.queue);
        queues.cloned().collect()
    }
}

/// Who hears that something could not be kept, the first time.
#[derive(Clone, Default)]
struct Trouble {
    tell: Option<Arc<dyn Fn(SafeText) + Send + Sync>>,
    told: Arc<AtomicBool>,
}

impl std::fmt::Debug for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trouble").finish_non_exhaustive()
    }
}

/// A draft to be kept, and its place among the others.
#[derive(Debug)]
pub struct NumberedDraft {
    /// That of the session shown first, those of sessions that are not open last.
    all: Vec<Unsent>,
    number: u64,
}

impl Drafts {
    /// `state` is the state directory; it need not exist yet. A draft that an ended client left is
    /// taken over if it is `wanted`.
    pub fn new(state: &Path, project: &Path, wanted: &Wanted) -> Self {
        let digest = Sha256::digest(project.as_os_str().as_bytes());
        let short: String = digest
            .iter()
            .take(8)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let name = project
            .file_name()
            .map(|name| name.to_string_lossy())
            .unwrap_or_default();
        let key = format!("{name}-{short}");
        let drafts = state.join("drafts");
        let locks = state.join("locks");
        let (draft, lock) = slot::claim(&drafts, &locks, &key, wanted);
        let images = drafts.join(format!("{draft}.images"));
        let mut waiting = slot::left(&drafts.join(&draft), &locks.join(&draft));
        let mut own = unsent::take_first(&mut waiting, wanted);
        let mut kept = slot::kept(&waiting, wanted);
        // Several clients may have been killed at once: each one's comes back, not one a start.
        if lock.is_some() {
            let mut others = Others::look(&drafts, &locks, &key, &draft, wanted);
            kept.append(&mut others.kept);
            if !others.taken.is_empty() {
                own.append(&mut others.taken);
                let all: Vec<Unsent> = own.iter().chain(&waiting).cloned().collect();
                match replace(&drafts.join(&draft), &unsent::write(&all)) {
                    Ok(()) => others.forget(),
                    failed => log(&drafts.join(&draft), failed),
                }
            }
        }
        let fits = |one: &&Unsent| !wanted.reopens && wanted.rank_of(one).is_some();
        let beside = waiting.iter().filter(fits).flat_map(Unsent::texts);
        let beside = beside.map(str::to_owned).collect();
        Self {
            history: state.join("history").join(format!("{key}.jsonl")),
            lock_path: locks.join(&draft),
            draft: drafts.join(draft),
            images,
            lock: Arc::new(Mutex::new(lock)),
            trouble: Trouble::default(),
            asked: Arc::default(),
            saved: Arc::default(),
            saving: Arc::default(),
            left: Left { own, beside, kept },
            waiting: Arc::new(Mutex::new(waiting)),
        }
    }

    /// Has it told once, if something cannot be kept.
    #[must_use]
    pub fn telling(mut self, tell: impl Fn(SafeText) + Send + Sync + 'static) -> Self {
        self.trouble.tell = Some(Arc::new(tell));
        self
    }

    /// Logs what went wrong with `what`, and tells it the first time.
    fn note(&self, what: &str, path: &Path, result: io::Result<()>) {
        if let Err(error) = &result
            && let Some(tell) = &self.trouble.tell
            && !self.trouble.told.swap(true, Ordering::Relaxed)
        {
            let text = format!("{what} cannot be saved in {}: {error}", path.display());
            tell(SafeText::line(&text));
        }
        log(path, result);
    }

    /// Oldest first. A line is a JSON string, so that prompts keep their newlines.
    pub fn history(&self) -> Vec<String> {
        let Some(text) = read(&self.history) else {
            return Vec::new();
        };
        let mut prompts: Vec<String> = text
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect();
        if prompts.len() > 2 * HISTORY {
            prompts.drain(..prompts.len() - HISTORY);
            let lines: String = prompts.iter().map(|prompt| line(prompt)).collect();
            log(&self.history, replace(&self.history, &lines));
        }
        prompts
    }

    pub fn add_history(&self, prompt: &str) {
        let appended = create_parent(&self.history)
            .and_then(|()| options().append(true).open(&self.history))
            .and_then(|mut file| file.write_all(line(prompt).as_bytes()));
        self.note("prompts for the history", &self.history, appended);
    }

    /// What an earlier run left for this one.
    pub fn left(&self) -> &Left {
        &self.left
    }

    /// What waited for that session, which is open now.
    pub fn take_waiting(&self, agent: &str, session: &str) -> Vec<Unsent> {
        unsent::take_of(&mut self.waiting(), Some(agent), session)
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Unsent>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    fn draft(&self) -> Option<String> {
        let left = slot::left(&self.draft, &self.lock_path);
        left.first()?.texts().next().map(str::to_owned)
    }

    /// Gives what is not sent its place among what is saved by tasks of their own; what waits for
    /// other sessions stays behind it.
    pub fn number_draft(&self, mut all: Vec<Unsent>) -> NumberedDraft {
        let mut waiting = self.waiting();
        unsent::bound(&mut waiting);
        all.extend(waiting.iter().cloned());
        let number = 1 + self.asked.fetch_add(1, Ordering::Relaxed);
        self.saving.fetch_add(1, Ordering::Relaxed);
        NumberedDraft { all, number }
    }

    /// Whether a draft that has a number is not on disk yet.
    pub fn is_saving(&self) -> bool {
        self.saving.load(Ordering::Relaxed) > 0
    }

    /// Keeps the draft, unless a later one is kept already; an empty one removes the file.
    pub fn save_draft(&self, draft: &NumberedDraft) {
        self.write_draft(draft);
        self.saving.fetch_sub(1, Ordering::Relaxed);
    }

    fn write_draft(&self, draft: &NumberedDraft) {
        let mut latest = self.saved.lock().unwrap_or_else(PoisonError::into_inner);
        if *latest > draft.number {
            return;
        }
        *latest = draft.number;
        if let Some(first) = draft.all.first() {
            let mut lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
            slot::keep(&mut lock, &self.lock_path);
            if let Some(lock) = &*lock {
                log(&self.draft, slot::mark(lock, &first.owner));
            }
        }
        let saved = match draft.all.is_empty() {
            true => match fs::remove_file(&self.draft) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            },
            false => replace(&self.draft, &unsent::write(&draft.all)),
        };
        self.note("what was typed", &self.draft, saved);
    }

    /// Keeps an image for the draft; `ending` is that of its name.
    ///
    /// # Errors
    /// It cannot be written, or there are [`MAX_IMAGES`] already.
    pub fn keep_image(&self, bytes: &[u8], ending: &str) -> io::Result<PathBuf> {
        for number in 1..=MAX_IMAGES {
            let path = self.images.join(format!("clipboard-{number}.{ending}"));
            create_parent(&path)?;
            match options().create_new(true).write(true).open(&path) {
                Ok(mut file) => {
                    file.write_all(bytes)?;
                    return Ok(path);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other(format!(
            "the draft already has {MAX_IMAGES} clipboard images"
        )))
    }

    /// Whether it is one of those.
    pub fn is_image(&self, path: &Path) -> bool {
        path.parent() == Some(&*self.images)
    }

    /// Removes one that was sent.
    pub fn forget_image(&self, path: &Path) {
        if self.is_image(path) {
            log(path, fs::remove_file(path));
        }
    }

    /// Removes those that neither these texts nor what waits mentions (any more).
    pub fn sweep_images(&self, unsent: &[Unsent]) {
        let Ok(images) = fs::read_dir(&self.images) else {
            return;
        };
        let waiting = self.waiting().clone();
        for image in images.flatten() {
            let path = image.path();
            let name = path.to_string_lossy();
            let mut texts = unsent.iter().chain(&waiting).flat_map(Unsent::texts);
            if !texts.any(|text| text.contains(&*name)) {
                self.forget_image(&path);
            }
        }
    }
}

fn line(prompt: &str) -> String {
    format!("{}\n", serde_json::Value::from(prompt))
}

fn options() -> fs::OpenOptions {
    let mut options = fs::OpenOptions::new();
    options.create(true).mode(0o600);
    options
}

fn create_parent(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), Dirs::ensure)
}

/// Writes beside the file and renames, so that a crash leaves the old one or the new one.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    create_parent(path)?;
    // With a name of its own (another client may be doing the same) and for the person alone.
    let beside = path
        .parent()
        .map_or_else(NamedTempFile::new, NamedTempFile::new_in);
    let mut beside = beside?;
    beside.write_all(text.as_bytes())?;
    beside.persist(path)?;
    Ok(())
}

fn read(path: &Path) -> Option<String> {
    if fs::metadata(path).ok()?.len() > MAX_FILE {
        tracing::warn!(path = %path.display(), "too large to be ours: not read");
        return None;
    }
    let mut text = String::new();
    files::regular(path).ok()?.read_to_string(&mut text).ok()?;
    Some(text)
}

fn log(path: &Path, result: io::Result<()>) {
    if let Err(error) = result {
        tracing::warn!(path = %path.display(), %error, "not saved");
    }
}
