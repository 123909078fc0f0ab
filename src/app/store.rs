//! What outlives a run: prompt history and the unsent draft, one file each a project, in the state
//! directory, mode 0600. Losing them must never stop the client: errors are logged, and told once.

mod slot;

use std::{
    fs::{self, File},
    io::{self, Write},
    os::unix::{
        ffi::OsStrExt,
        fs::{DirBuilderExt, OpenOptionsExt},
    },
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

pub use slot::{Owner, Wanted};

use crate::text::SafeText;

/// Prompts kept in the history file; older ones go when it is next read.
const HISTORY: usize = 1_000;

/// Images of the clipboard that wait in the draft.
const MAX_IMAGES: usize = 32;

/// A history file larger than this is not read: it is not one of ours.
const MAX_FILE: u64 = 16 << 20;

/// The files of one project. Clones are the same store.
#[derive(Clone, Debug)]
pub struct Store {
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
    text: String,
    owner: Owner,
    number: u64,
}

/// Stands between drafts in their file; nothing that can be typed.
pub const BETWEEN_DRAFTS: &str = "\u{1e}\n";

impl Store {
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
        Self {
            history: state.join("history").join(format!("{key}.jsonl")),
            lock_path: locks.join(&draft),
            draft: drafts.join(draft),
            images,
            lock: Arc::new(Mutex::new(lock)),
            trouble: Trouble::default(),
            asked: Arc::default(),
            saved: Arc::default(),
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
            let text = format!("{what} cannot be kept in {}: {error}", path.display());
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

    /// What an earlier run left: the draft of the session that was shown, and others.
    pub fn drafts(&self) -> Vec<String> {
        let left = read(&self.draft).unwrap_or_default();
        let drafts = left.split(BETWEEN_DRAFTS).map(str::to_owned);
        drafts.filter(|draft| !slot::is_trifle(draft)).collect()
    }

    #[cfg(test)]
    fn draft(&self) -> Option<String> {
        self.drafts().into_iter().next()
    }

    /// Gives a draft its place among those that are saved by tasks of their own.
    pub fn number_draft(&self, text: String, owner: Owner) -> NumberedDraft {
        let number = 1 + self.asked.fetch_add(1, Ordering::Relaxed);
        NumberedDraft {
            text,
            owner,
            number,
        }
    }

    /// Keeps the draft, unless a later one is kept already; an empty one removes the file.
    pub fn save_draft(&self, draft: &NumberedDraft) {
        let mut latest = self.saved.lock().unwrap_or_else(PoisonError::into_inner);
        if *latest > draft.number {
            return;
        }
        *latest = draft.number;
        if !draft.text.is_empty() {
            let mut lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
            slot::keep(&mut lock, &self.lock_path);
            if let Some(lock) = &*lock {
                log(&self.draft, slot::mark(lock, &draft.owner));
            }
        }
        let draft = draft.text.as_str();
        let saved = match draft.is_empty() {
            true => match fs::remove_file(&self.draft) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            },
            false => replace(&self.draft, draft),
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
            "{MAX_IMAGES} images of the clipboard are in the draft already"
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

    /// Removes those that the draft does not mention (any more).
    pub fn sweep_images(&self, draft: &str) {
        let Ok(images) = fs::read_dir(&self.images) else {
            return;
        };
        for image in images.flatten() {
            let path = image.path();
            if !draft.contains(&*path.to_string_lossy()) {
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
    let folder = |parent| {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true).mode(0o700).create(parent)
    };
    path.parent().map_or(Ok(()), folder)
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
    fs::read_to_string(path).ok()
}

fn log(path: &Path, result: io::Result<()>) {
    if let Err(error) = result {
        tracing::warn!(path = %path.display(), %error, "not saved");
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn prompts_and_drafts_come_back_whole() {
        let state = tempfile::tempdir().expect("a folder");
        let store = Store::new(state.path(), Path::new("/src/tool"), &Wanted::default());
        assert_eq!((store.history(), store.draft()), (vec![], None));
        store.add_history("one\nwith \"two\" lines");
        store.add_history("three");
        assert_eq!(store.history(), ["one\nwith \"two\" lines", "three"]);
        let save =
            |text: &str| store.save_draft(&store.number_draft(text.into(), Owner::default()));
        save("half a thought");
        assert_eq!(store.draft().as_deref(), Some("half a thought"));
        save("");
        assert_eq!(store.draft(), None);
        let other = Store::new(state.path(), Path::new("/other/tool"), &Wanted::default());
        assert_eq!(other.history(), Vec::<String>::new());
    }

    #[test]
    fn an_older_draft_that_is_saved_late_does_not_come_back() {
        let state = tempfile::tempdir().expect("a folder");
        let store = Store::new(state.path(), Path::new("/p"), &Wanted::default());
        let older = store.number_draft("already sent".into(), Owner::default());
        let newer = store.number_draft("new".into(), Owner::default());
        store.save_draft(&newer);
        store.clone().save_draft(&older);
        assert_eq!(store.draft().as_deref(), Some("new"));
        let file = fs::metadata(&store.draft).expect("the draft");
        assert_eq!(file.permissions().mode() & 0o777, 0o600);
        let beside = fs::read_dir(state.path().join("drafts")).expect("the folder");
        assert_eq!(beside.count(), 1);
    }

    #[test]
    fn a_draft_is_its_clients_until_that_ends() {
        let state = tempfile::tempdir().expect("a folder");
        let open = || Store::new(state.path(), Path::new("/p"), &Wanted::default());
        let save = |store: &Store, text: &str| {
            store.save_draft(&store.number_draft(text.into(), Owner::default()))
        };
        let (first, second) = (open(), open());
        save(&first, "of the first");
        assert_eq!(second.draft(), None);
        save(&second, "of the second");
        drop(first);
        assert_eq!(open().draft().as_deref(), Some("of the first"));
        let folder = fs::metadata(state.path().join("drafts")).expect("the folder");
        assert_eq!(folder.permissions().mode() & 0o777, 0o700);
    }

    fn wanted(agent: &str, session: Option<&str>, chosen: bool) -> Wanted {
        let owner = Owner {
            agent: Some(agent.into()),
            session: session.map(str::to_owned),
        };
        Wanted { owner, chosen }
    }

    #[test]
    fn a_draft_that_was_left_goes_to_its_session_then_to_its_agent() {
        let state = tempfile::tempdir().expect("a folder");
        let open = |wanted: &Wanted| Store::new(state.path(), Path::new("/p"), wanted);
        let all = [
            ("for D", wanted("demo", Some("d"), true)),
            ("for C", wanted("claude", Some("c"), true)),
            ("for C2", wanted("claude", Some("c2"), true)),
        ];
        let stores = all.clone().map(|(text, whose)| {
            let store = open(&whose);
            store.save_draft(&store.number_draft(text.into(), whose.owner));
            store
        });
        drop(stores);
        let second = open(&wanted("claude", Some("c2"), true));
        assert_eq!(second.draft().as_deref(), Some("for C2"));
        let first = open(&wanted("claude", None, true));
        assert_eq!(first.draft().as_deref(), Some("for C"));
        let other = open(&wanted("claude", None, true));
        assert_eq!(other.draft(), None, "it waits for its agent");
        let demo = open(&wanted("demo", None, true));
        assert_eq!(demo.draft().as_deref(), Some("for D"));
    }

    #[test]
    fn who_did_not_say_which_agent_gets_any_draft() {
        let state = tempfile::tempdir().expect("a folder");
        let open = |wanted: &Wanted| Store::new(state.path(), Path::new("/p"), wanted);
        let demo = wanted("demo", None, true);
        let store = open(&demo);
        store.save_draft(&store.number_draft("for D".into(), demo.owner));
        drop(store);
        assert_eq!(
            open(&wanted("claude", None, false)).draft().as_deref(),
            Some("for D")
        );
        assert_eq!(open(&Wanted::default()).draft().as_deref(), Some("for D"));
    }

    #[test]
    fn drafts_of_several_sessions_come_back_each_by_itself() {
        let state = tempfile::tempdir().expect("a folder");
        let open = || Store::new(state.path(), Path::new("/p"), &Wanted::default());
        let store = open();
        let all = ["the one shown\n\nin two parts", "another", "x", "a third"];
        let text = all.join(BETWEEN_DRAFTS);
        store.save_draft(&store.number_draft(text, Owner::default()));
        drop(store);
        assert_eq!(open().drafts(), [all[0], all[1], all[3]]);
    }

    #[test]
    fn what_nobody_would_miss_is_in_nobodys_way() {
        let state = tempfile::tempdir().expect("a folder");
        let open = || Store::new(state.path(), Path::new("/p"), &Wanted::default());
        for (text, back) in [
            ("/", false),
            ("x", false),
            (" \u{e9}\n", false),
            ("/comp", false),
            ("xy", true),
            ("/compact now", true),
            ("/src/main.rs", true),
        ] {
            let store = open();
            store.save_draft(&store.number_draft(text.into(), Owner::default()));
            drop(store);
            assert_eq!(open().draft().is_some(), back, "{text:?}");
        }
        // It is no reason to leave another one where it is.
        let (first, second) = (open(), open());
        first.save_draft(&first.number_draft("/".into(), Owner::default()));
        second.save_draft(&second.number_draft("a thought".into(), Owner::default()));
        drop((first, second));
        assert_eq!(open().draft().as_deref(), Some("a thought"));
    }

    #[test]
    fn a_state_directory_that_was_removed_is_made_again() {
        let state = tempfile::tempdir().expect("a folder");
        let open = || Store::new(state.path(), Path::new("/p"), &Wanted::default());
        let store = open();
        let save =
            |text: &str| store.save_draft(&store.number_draft(text.into(), Owner::default()));
        store.add_history("one");
        save("a draft");
        fs::remove_dir_all(state.path()).expect("removed");
        store.add_history("two");
        save("a later draft");
        assert_eq!(store.history(), ["two"]);
        assert_eq!(store.draft().as_deref(), Some("a later draft"));
        // The draft is still no other's.
        assert_eq!(open().draft(), None);
        drop(store);
        assert_eq!(open().draft().as_deref(), Some("a later draft"));
    }

    #[test]
    fn what_cannot_be_kept_is_told_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let state = folder.path().join("state");
        let (tell, told) = std::sync::mpsc::channel();
        let store = Store::new(&state, Path::new("/p"), &Wanted::default())
            .telling(move |text| tell.send(text).expect("heard"));
        fs::remove_dir_all(&state).expect("removed");
        fs::write(&state, "in the way").expect("written");
        store.add_history("one");
        store.save_draft(&store.number_draft("a draft".into(), Owner::default()));
        store.add_history("two");
        let told: Vec<_> = told.try_iter().collect();
        assert_eq!(told.len(), 1);
        assert!(told[0].contains("cannot be kept in"), "{}", told[0]);
    }

    #[test]
    fn an_overgrown_history_keeps_the_newest() {
        let state = tempfile::tempdir().expect("a folder");
        let store = Store::new(state.path(), Path::new("/p"), &Wanted::default());
        let lines: String = (0..=2 * HISTORY).map(|n| line(&n.to_string())).collect();
        replace(&store.history, &lines).expect("written");
        let history = store.history();
        assert_eq!(history.len(), HISTORY);
        assert_eq!(history.last().map(String::as_str), Some("2000"));
        assert_eq!(store.history().len(), HISTORY);
    }
}
