//! What outlives a run: prompt history and the unsent draft, one file each a project, in the state
//! directory, mode 0600. Losing them must never stop the client: errors are logged, and told once.

mod owner;
mod slot;
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

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn of(draft: &str, owner: Owner) -> Vec<Unsent> {
        let one = Unsent {
            owner,
            draft: draft.into(),
            ..Unsent::default()
        };
        Vec::from_iter((!one.is_empty()).then_some(one))
    }

    #[test]
    fn prompts_and_drafts_come_back_whole() {
        let state = tempfile::tempdir().expect("a folder");
        let store = Drafts::new(state.path(), Path::new("/src/tool"), &Wanted::default());
        assert_eq!((store.history(), store.draft()), (vec![], None));
        store.add_history("one\nwith \"two\" lines");
        store.add_history("three");
        assert_eq!(store.history(), ["one\nwith \"two\" lines", "three"]);
        let save = |text: &str| store.save_draft(&store.number_draft(of(text, Owner::default())));
        save("half a thought");
        assert_eq!(store.draft().as_deref(), Some("half a thought"));
        save("");
        assert_eq!(store.draft(), None);
        let other = Drafts::new(state.path(), Path::new("/other/tool"), &Wanted::default());
        assert_eq!(other.history(), Vec::<String>::new());
    }

    #[test]
    fn an_older_draft_that_is_saved_late_does_not_come_back() {
        let state = tempfile::tempdir().expect("a folder");
        let store = Drafts::new(state.path(), Path::new("/p"), &Wanted::default());
        let older = store.number_draft(of("already sent", Owner::default()));
        let newer = store.number_draft(of("new", Owner::default()));
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
        let open = || Drafts::new(state.path(), Path::new("/p"), &Wanted::default());
        let save = |store: &Drafts, text: &str| {
            store.save_draft(&store.number_draft(of(text, Owner::default())))
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
        Wanted {
            owner,
            chosen,
            reopens: session.is_some(),
        }
    }

    #[test]
    fn a_draft_that_was_left_goes_to_its_session_then_to_its_agent() {
        let state = tempfile::tempdir().expect("a folder");
        let open = |wanted: &Wanted| Drafts::new(state.path(), Path::new("/p"), wanted);
        let all = [
            ("for D", wanted("demo", Some("d"), true)),
            ("for C", wanted("claude", Some("c"), true)),
            ("for C2", wanted("claude", Some("c2"), true)),
        ];
        let stores = all.clone().map(|(text, whose)| {
            let store = open(&whose);
            store.save_draft(&store.number_draft(of(text, whose.owner)));
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
    fn what_several_ended_clients_left_comes_back_at_one_start() {
        let state = tempfile::tempdir().expect("a folder");
        let open = |wanted: &Wanted| Drafts::new(state.path(), Path::new("/p"), wanted);
        let fresh = wanted("x", None, true);
        let image = state.path().join("drafts").to_string_lossy().into_owned();
        let clients = ["one", "two", "three", "alive", "image"].map(|text| {
            let store = open(&fresh);
            let path = store.draft.to_string_lossy().into_owned();
            let text = match text {
                "image" => format!("an @{path}.images/clipboard-1.png"),
                text => text.to_owned(),
            };
            assert!(path.starts_with(&image));
            let mut all = of(&text, fresh.owner.clone());
            all[0].queue = vec![format!("queued in {text}")];
            store.save_draft(&store.number_draft(all));
            store
        });
        let [one, two, three, alive, with_image] = clients;
        drop((one, two, three, with_image));
        let files = || {
            let files = fs::read_dir(state.path().join("drafts")).expect("the folder");
            files.flatten().filter(|file| file.path().is_file()).count()
        };
        assert_eq!(files(), 5);
        let first = open(&fresh);
        assert_eq!(first.left().drafts(), ["one", "two", "three"]);
        assert_eq!(
            first.left().queued(),
            ["queued in one", "queued in two", "queued in three"]
        );
        assert_eq!(files(), 3, "each once, and what lives keeps its own");
        // Killed at once, nothing is lost.
        drop(first);
        let again = open(&fresh);
        assert_eq!(again.left().drafts()[..1], ["one"]);
        assert_eq!(
            again.left().beside,
            ["two", "queued in two", "three", "queued in three"]
        );
        assert_eq!(alive.draft().as_deref(), Some("alive"));
        // An image is its slot's own.
        assert!(open(&fresh).left().drafts()[0].starts_with("an @"));
    }

    #[test]
    fn a_new_session_leaves_a_draft_to_the_session_that_can_go_on_and_names_that() {
        let state = tempfile::tempdir().expect("a folder");
        let open = |wanted: &Wanted| Drafts::new(state.path(), Path::new("/p"), wanted);
        let [a, b] = ["a", "b"].map(|session| wanted("x", Some(session), true));
        for (whose, other) in [(&a, false), (&b, true)] {
            let store = open(&wanted("x", None, !other));
            let mut all = of(&format!("{:?}", whose.owner.session), whose.owner.clone());
            all[0].resumes = true;
            store.save_draft(&store.number_draft(all));
        }
        let fresh = open(&wanted("x", None, true));
        assert_eq!(fresh.left().drafts(), [""; 0]);
        assert!(fresh.left().beside.is_empty());
        assert_eq!(fresh.left().kept, [a.owner.clone(), b.owner.clone()]);
        assert!(open(&wanted("y", None, true)).left().kept.is_empty());
        fresh.save_draft(&fresh.number_draft(of("of the new one", Owner::default())));
        drop(fresh);
        for whose in [&a, &b] {
            let store = open(whose);
            assert_eq!(
                store.left().drafts(),
                [format!("{:?}", whose.owner.session)]
            );
            assert!(store.left().kept.is_empty());
        }
    }

    #[test]
    fn who_did_not_say_which_agent_gets_any_draft() {
        let state = tempfile::tempdir().expect("a folder");
        let open = |wanted: &Wanted| Drafts::new(state.path(), Path::new("/p"), wanted);
        let demo = wanted("demo", None, true);
        let store = open(&demo);
        store.save_draft(&store.number_draft(of("for D", demo.owner)));
        drop(store);
        assert_eq!(
            open(&wanted("claude", None, false)).draft().as_deref(),
            Some("for D")
        );
        assert_eq!(open(&Wanted::default()).draft().as_deref(), Some("for D"));
    }

    /// The files of the last version, by their places in the state directory.
    const KEPT: [(&str, &str); 3] = [
        (
            "history/p-HASH.jsonl",
            include_str!("../../../tests/fixtures/drafts/history.jsonl"),
        ),
        (
            "drafts/p-HASH",
            include_str!("../../../tests/fixtures/drafts/draft.jsonl"),
        ),
        (
            "locks/p-HASH",
            include_str!("../../../tests/fixtures/drafts/lock.json"),
        ),
    ];

    #[test]
    fn what_the_last_version_kept_is_read_and_written_as_it_was() {
        let state = tempfile::tempdir().expect("a folder");
        let hash = "00d74baf14ea415c";
        let path = |name: &str| state.path().join(name.replace("HASH", hash));
        for (name, text) in KEPT {
            create_parent(&path(name)).expect("a folder");
            fs::write(path(name), text).expect("written");
        }
        let whose = wanted("demo", Some("sess-1"), true);
        let store = Drafts::new(state.path(), Path::new("/p"), &whose);
        assert_eq!(
            store.history(),
            ["one\nwith \"two\" lines", "\u{1b}[31m 日本"]
        );
        assert_eq!(store.left().drafts(), ["half a thought\n@[a b.rs]"]);
        assert_eq!(store.left().queued(), ["next", "and then"]);
        let (own, all) = (store.left().own.clone(), store.number_draft(Vec::new()));
        assert_eq!(all.all.len(), 2, "of sessions that are not open");
        let mut all = all.all;
        all.splice(..0, own);
        assert_eq!(unsent::write(&all), KEPT[1].1);
        store.add_history("three");
        store.save_draft(&NumberedDraft { all, number: 9 });
        for (name, text) in KEPT {
            let now = fs::read_to_string(path(name)).expect("there");
            assert!(now.starts_with(text), "{name}: {now}");
        }
    }

    #[test]
    fn the_file_of_an_earlier_version_is_one_draft_of_its_owner() {
        let state = tempfile::tempdir().expect("a folder");
        let whose = wanted("claude", Some("c"), true);
        let store = Drafts::new(state.path(), Path::new("/p"), &whose);
        store.save_draft(&store.number_draft(of("to be replaced", whose.owner.clone())));
        let old = "the one shown\n\nin two parts\u{1e}\nanother\u{1e}\nx\u{1e}\na third";
        fs::write(&store.draft, old).expect("written");
        drop(store);
        let store = Drafts::new(state.path(), Path::new("/p"), &whose);
        let texts: Vec<&str> = store.left().own[0].texts().collect();
        assert_eq!(
            texts,
            ["the one shown\n\nin two parts", "another", "a third"]
        );
        assert_eq!(store.left().own[0].owner, whose.owner);
    }

    #[test]
    fn what_waits_for_other_sessions_stays_through_saves_with_its_images() {
        let state = tempfile::tempdir().expect("a folder");
        let open = |whose: &Wanted| Drafts::new(state.path(), Path::new("/p"), whose);
        let [a, b] = ["a", "b"].map(|session| wanted("x", Some(session), true));
        let store = open(&a);
        let image = store.keep_image(b"image", "png").expect("kept");
        let draft_b = format!("draftB {}", image.display());
        let mut all = of(&draft_b, b.owner.clone());
        all.extend(of("draftA", a.owner.clone()));
        store.save_draft(&store.number_draft(all));
        drop(store);
        let store = open(&a);
        assert_eq!(store.left().drafts(), ["draftA"]);
        assert!(store.left().beside.is_empty());
        store.sweep_images(&[]);
        assert!(image.exists());
        store.save_draft(&store.number_draft(Vec::new()));
        drop(store);
        let store = open(&wanted("x", Some("c"), true));
        assert_eq!(store.left().drafts(), [""; 0]);
        assert_eq!(store.take_waiting("y", "b"), []);
        assert_eq!(store.take_waiting("x", "b"), of(&draft_b, b.owner));
        store.sweep_images(&[]);
        assert!(!image.exists());
    }

    #[test]
    fn what_nobody_would_miss_is_in_nobodys_way() {
        let state = tempfile::tempdir().expect("a folder");
        let open = || Drafts::new(state.path(), Path::new("/p"), &Wanted::default());
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
            store.save_draft(&store.number_draft(of(text, Owner::default())));
            drop(store);
            assert_eq!(open().draft().is_some(), back, "{text:?}");
        }
        // It is no reason to leave another one where it is.
        let (first, second) = (open(), open());
        first.save_draft(&first.number_draft(of("/", Owner::default())));
        second.save_draft(&second.number_draft(of("a thought", Owner::default())));
        drop((first, second));
        assert_eq!(open().draft().as_deref(), Some("a thought"));
    }

    #[test]
    fn a_state_directory_that_was_removed_is_made_again() {
        let state = tempfile::tempdir().expect("a folder");
        let open = || Drafts::new(state.path(), Path::new("/p"), &Wanted::default());
        let store = open();
        let save = |text: &str| store.save_draft(&store.number_draft(of(text, Owner::default())));
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
        let store = Drafts::new(&state, Path::new("/p"), &Wanted::default())
            .telling(move |text| tell.send(text).expect("heard"));
        fs::remove_dir_all(&state).expect("removed");
        fs::write(&state, "in the way").expect("written");
        store.add_history("one");
        store.save_draft(&store.number_draft(of("a draft", Owner::default())));
        store.add_history("two");
        let told: Vec<_> = told.try_iter().collect();
        assert_eq!(told.len(), 1);
        assert!(told[0].contains("cannot be kept in"), "{}", told[0]);
    }

    #[test]
    fn an_overgrown_history_keeps_the_newest() {
        let state = tempfile::tempdir().expect("a folder");
        let store = Drafts::new(state.path(), Path::new("/p"), &Wanted::default());
        let lines: String = (0..=2 * HISTORY).map(|n| line(&n.to_string())).collect();
        replace(&store.history, &lines).expect("written");
        let history = store.history();
        assert_eq!(history.len(), HISTORY);
        assert_eq!(history.last().map(String::as_str), Some("2000"));
        assert_eq!(store.history().len(), HISTORY);
    }
}
