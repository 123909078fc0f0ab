//! Following what changes on the disk: looks at turns, and keeps what is named before it is touched.
//!
//! Owns the project's store (`host/changes`), and one thread that does one thing after the other with it,
//! so that looks, undos and lists see each other's results; another one removes what is left of other
//! projects. Holds no rules of sessions. Nothing here is waited for by a prompt; a question or a write
//! waits until what it names is kept, at most [`TAKE_PATIENCE`], and does not wait for a look.

mod content;
mod forks;
mod left;
mod live;
mod project;
mod review;
mod since;

use std::{
    io,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, Once, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    time::{Duration, Instant, SystemTime},
};

use tokio::sync::oneshot;

use crate::{
    host::{
        Roots,
        changes::{
            Changes, Turns,
            stores::{self, Keep},
        },
    },
    model::{
        Cause, CauseKind, Review, ReviewScope, ReviewTold, ReviewWish, SessionId, Since, ToolCallId,
    },
};

pub use live::Live;
pub use project::{Project, TurnChanges, forget};
pub use review::{done as report, list as review, patch, undo};

/// How long a question or a write waits until what it names is kept: it may be on a slow disk.
pub const TAKE_PATIENCE: Duration = Duration::from_secs(2);

/// After so long without work, what a large project takes is let go of.
const REST: Duration = Duration::from_secs(1);

/// Where the store of a project is, and what it covers.
#[derive(Clone, Debug)]
pub struct Place {
    /// Of all projects.
    pub folder: PathBuf,
    pub roots: Roots,
    /// Bytes that the store may have.
    pub most: u64,
}

/// The stores of all projects are swept once in each run of the program.
static SWEPT: Once = Once::new();

type Work = Box<dyn FnOnce(&mut Project) + Send>;

/// From where a session goes on that is about to be forked.
pub struct Forked {
    of: SessionId,
    /// The last turn that it takes over.
    turn: Arc<OnceLock<u64>>,
}

/// The handle. Dropping it gives up what is going on; the store is whole at any moment.
pub struct Following {
    /// Started with the first piece of work.
    work: Mutex<Option<mpsc::Sender<Work>>>,
    place: Place,
    cancelled: Arc<AtomicBool>,
    turns: Arc<Turns>,
    /// The store, once it is open.
    store: Arc<OnceLock<Arc<Changes>>>,
}

impl Following {
    pub fn new(place: Place) -> Self {
        Self {
            work: Mutex::new(None),
            place,
            cancelled: Arc::default(),
            turns: Arc::default(),
            store: Arc::default(),
        }
    }

    /// Does this after what was asked for before. Nothing happens where no thread can be started.
    fn run(&self, job: impl FnOnce(&mut Project) + Send + 'static) {
        let mut work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        if work.is_none() {
            let (sender, jobs) = mpsc::channel::<Work>();
            let (place, cancelled) = (self.place.clone(), self.cancelled.clone());
            let turns = self.turns.clone();
            let store = self.store.clone();
            let serve = move || {
                let mut project = Project::open(&place, cancelled, turns);
                if let Ok(changes) = project.changes() {
                    // This is the only place that sets it.
                    let _ = store.set(changes.clone());
                }
                while let Ok(job) = jobs.recv() {
                    job(&mut project);
                    loop {
                        match jobs.recv_timeout(REST) {
                            Ok(job) => job(&mut project),
                            Err(RecvTimeoutError::Timeout) => break project.rest(),
                            Err(RecvTimeoutError::Disconnected) => return,
                        }
                    }
                }
            };
            match std::thread::Builder::new()
                .name("changes".into())
                .spawn(serve)
            {
                Ok(_) => *work = Some(sender),
                Err(error) => {
                    tracing::warn!(%error, "changes on the disk are not followed");
                    return;
                }
            }
        }
        if let Some(work) = &*work {
            // It fails only after the thread has panicked, which the log has.
            let _ = work.send(Box::new(job));
        }
    }

    /// Looks at the disk, so that there is something to compare the first turn with.
    pub fn begin(&self) {
        self.run(Project::begin);
        let place = self.place.clone();
        SWEPT.call_once(move || sweep_all(place));
    }

    /// Gives up the look that is going on, and all that would come.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// To be called before the prompt goes out: what is touched from now on may be the turn's.
    pub fn turn_begins(&self, of: SessionId, turn: u64) {
        self.turns.begin();
        self.run(move |project| project.turn_begins(&of, turn));
    }

    /// What the turn has changed goes to `then`.
    pub fn turn_ended(
        &self,
        of: SessionId,
        turn: u64,
        then: impl FnOnce(TurnChanges) + Send + 'static,
    ) {
        self.run(move |project| then(project.turn_ended(&of, turn)));
    }

    /// Notes where a session is now that is about to be forked without its last so many prompts.
    pub fn fork(&self, of: SessionId, prompts: usize) -> Forked {
        let turn = Arc::<OnceLock<u64>>::default();
        let (parent, noted) = (of.clone(), turn.clone());
        self.run(move |project| {
            // This is the only place that sets it.
            let _ = noted.set(project.turn_before(&parent, prompts));
        });
        Forked { of, turn }
    }

    /// The fork is there, by that id.
    pub fn forked(&self, session: SessionId, from: Forked) {
        self.run(move |project| {
            if let Some(turn) = from.turn.get() {
                project.forked(&session, &from.of, *turn);
            }
        });
    }

    /// Keeps what stands at these paths, before they are let through. Ready when it is kept, cannot be
    /// kept, or after [`TAKE_PATIENCE`]. To be called within the runtime.
    pub fn take(
        &self,
        of: Option<SessionId>,
        paths: Vec<PathBuf>,
        calls: Vec<ToolCallId>,
    ) -> impl Future<Output = ()> + Send + 'static {
        // Before it is open nothing was looked at, and no agent runs.
        let store = self.store.get().filter(|_| !paths.is_empty()).cloned();
        let late = store.clone().map(|changes| (changes, paths.clone()));
        let kept = store.map(|changes| {
            // It reads what a rest lets go of, and the next may follow soon.
            self.run(|_| ());
            tokio::task::spawn_blocking(move || {
                let cause = Cause {
                    session: of,
                    calls,
                    ..Cause::of(CauseKind::Named)
                };
                let paths: Vec<PathBuf> = paths.iter().map(|path| resolved(path)).collect();
                if let Err(error) = changes.take(&paths, cause) {
                    tracing::warn!(%error, "what is named was not kept");
                }
            })
        });
        async move {
            if let Some(kept) = kept
                && tokio::time::timeout(TAKE_PATIENCE, kept).await.is_err()
                && let Some((changes, paths)) = late
            {
                let why = format!("that took longer than {} s", TAKE_PATIENCE.as_secs());
                changes.note_missed(&paths, &why);
            }
        }
    }
}

impl Following {
    /// What the review asks for goes to `then`.
    pub fn answer(
        &self,
        of: Option<SessionId>,
        wish: ReviewWish,
        then: impl FnOnce(ReviewTold) + Send + 'static,
    ) {
        self.run(move |project| then(review::answer(project, of.as_ref(), wish)));
    }

    /// Looks at the disk again for an open review. What is listed of a scope now goes to `then`, if it may be
    /// another list than before, with how long that took.
    pub fn follow(
        &self,
        of: Option<SessionId>,
        scope: ReviewScope,
        then: impl FnOnce(Option<Box<Review>>, Duration) + Send + 'static,
    ) {
        self.run(move |project| {
            let began = Instant::now();
            let found = review::follow(project, of.as_ref(), scope);
            then(found, began.elapsed());
        });
    }

    /// The changes of a scope as a patch; of one file, if it is named.
    pub fn patch(
        &self,
        of: Option<SessionId>,
        scope: ReviewScope,
        path: Option<PathBuf>,
        then: impl FnOnce(io::Result<Vec<u8>>) + Send + 'static,
    ) {
        self.run(move |project| then(patch(project, of.as_ref(), scope, path.as_deref())));
    }
}

impl Following {
    /// What the last turn of the session has changed, after all that was asked for before; `None`: it has had none.
    ///
    /// # Errors
    /// The look at it failed, or was not over within that time.
    pub async fn last_turn(&self, of: SessionId, patience: Duration) -> io::Result<Option<Review>> {
        let (sender, found) = oneshot::channel();
        self.run(move |project| drop(sender.send(since::last_turn(project, &of))));
        let late = |_| {
            let text = format!("the look at the project takes more than {patience:?}");
            io::Error::new(io::ErrorKind::TimedOut, text)
        };
        let found = tokio::time::timeout(patience, found).await.map_err(late)?;
        found.unwrap_or(Ok(None))
    }

    /// The files that turns of the session have changed, below the project, and whether they are gone.
    pub fn changed(
        &self,
        of: SessionId,
        then: impl FnOnce(Option<Vec<(PathBuf, bool)>>) + Send + 'static,
    ) {
        self.run(move |project| then(since::changed_files(project, &of)));
    }

    /// What turns have changed since the last so many prompts.
    pub fn since(
        &self,
        of: SessionId,
        prompts: usize,
        then: impl FnOnce(Option<Since>) + Send + 'static,
    ) {
        self.run(move |project| then(since::changed(project, &of, prompts)));
    }

    /// Puts that back.
    pub fn put_back_since(
        &self,
        of: SessionId,
        prompts: usize,
        then: impl FnOnce(ReviewTold) + Send + 'static,
    ) {
        self.run(move |project| then(since::put_back(project, &of, prompts)));
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }
}

/// Removes stores that nothing will come back to, while everything else goes on.
fn sweep_all(place: Place) {
    let sweep = move || {
        let keep = Keep::default();
        let keep = Keep {
            // One project may have more than that.
            bytes: keep.bytes.max(place.most),
            ..keep
        };
        match stores::sweep(&place.folder, keep, SystemTime::now()) {
            Ok(removed) => tracing::debug!(?removed, "the stores of changes are swept"),
            Err(error) => tracing::warn!(%error, "the stores of changes cannot be swept"),
        }
    };
    let thread = std::thread::Builder::new().name("changes-sweep".into());
    if let Err(error) = thread.spawn(sweep) {
        tracing::warn!(%error, "the stores of changes are not swept");
    }
}

/// A path whose folders are no links; the file itself may be one, and need not be there.
fn resolved(path: &Path) -> PathBuf {
    let folders = path.ancestors().skip(1);
    for folder in folders {
        if let (Ok(real), Ok(rest)) = (folder.canonicalize(), path.strip_prefix(folder)) {
            return real.join(rest);
        }
    }
    path.to_owned()
}
