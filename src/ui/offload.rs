//! Work that is too slow for a frame: highlighting, diffing, decoding images.
//!
//! A renderer asks for a result by key; until it is there it paints a plain form. One worker
//! thread, and another for images, which take longer, each started with its first job, so that an idle client has none. Results are kept, and jobs
//! taken in, up to bounds in bytes. A job that panics leaves an empty product as its result: the
//! plain form stays, and nothing waits for it.

use std::{
    any::Any,
    collections::{BTreeMap, HashMap},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
};

use crate::ui::contain;

/// Bytes of results kept. The one that was not asked for the longest goes first, and is computed
/// again if it is looked at; the newest stays whatever it takes.
const KEPT: usize = 24 << 20;
/// The same for results of at most [`SMALL`] bytes, so that a big one does not push out what says
/// in some bytes what it came to.
const KEPT_SMALL: usize = 4 << 20;
const SMALL: usize = 4 << 10;
/// Bytes that jobs which wait or run hold together; one always may, whatever it holds.
const WAITING: usize = 16 << 20;
/// What a result costs besides its own bytes.
const ENTRY: usize = 256;

/// What a job computes. Its default stands for the result of a job that panicked.
pub trait Product: Any + Send + Sync + Default {
    /// Bytes that keeping it takes.
    fn weight(&self) -> usize;
}

impl<T: Send + Sync + 'static> Product for Option<Vec<T>> {
    fn weight(&self) -> usize {
        self.as_ref()
            .map_or(0, |list| list.capacity() * size_of::<T>())
    }
}

type Job = Box<dyn FnOnce() -> Kept + Send>;

/// Handle to the worker. Cheap to clone.
#[derive(Clone)]
pub struct Offload(Arc<Inner>);

struct Inner {
    /// Jobs run on the caller.
    immediate: bool,
    results: Mutex<Results>,
    generation: AtomicU64,
    wake: Box<dyn Fn() + Send + Sync>,
    /// Holds one job at most for each key (see [`Results::running`]).
    worker: Mutex<Option<mpsc::Sender<(u64, Job)>>>,
    /// For images, with its own results: none of the others waits for them, nor gives way.
    pictures: OnceLock<Offload>,
}

/// A result, and which state of what grows it is for; 0 where nothing grows.
struct Kept {
    rev: u64,
    value: Arc<dyn Any + Send + Sync>,
    weight: usize,
    /// When it was asked for last: its key in [`Shelf::ages`].
    used: u64,
}

impl Kept {
    fn new<T: Product>(rev: u64, value: Arc<T>) -> Self {
        Self {
            rev,
            weight: value.weight() + ENTRY,
            value,
            used: 0,
        }
    }

    /// The result of `job`, or what stands for it.
    fn of<T: Product>(rev: u64, job: impl FnOnce() -> T) -> Self {
        let result = catch_unwind(AssertUnwindSafe(job));
        Self::new(rev, Arc::new(result.unwrap_or_default()))
    }
}

/// Results by key, up to a bound.
#[derive(Default)]
struct Shelf {
    done: HashMap<u64, Kept>,
    ages: BTreeMap<u64, u64>,
    weight: usize,
}

impl Shelf {
    fn get(&mut self, key: u64, now: u64) -> Option<&Kept> {
        let kept = self.done.get_mut(&key)?;
        self.ages.remove(&kept.used);
        kept.used = now;
        self.ages.insert(now, key);
        Some(kept)
    }

    fn remove(&mut self, key: u64) {
        if let Some(old) = self.done.remove(&key) {
            self.ages.remove(&old.used);
            self.weight -= old.weight;
        }
    }

    fn put(&mut self, key: u64, mut kept: Kept, now: u64, most: usize) {
        self.remove(key);
        kept.used = now;
        self.weight += kept.weight;
        self.ages.insert(now, key);
        self.done.insert(key, kept);
        while self.weight > most
            && self.done.len() > 1
            && let Some((_, oldest)) = self.ages.first_key_value()
        {
            self.remove(*oldest);
        }
    }
}

#[derive(Default)]
struct Results {
    large: Shelf,
    small: Shelf,
    /// Jobs that wait or run, and the bytes that each holds.
    running: HashMap<u64, usize>,
    waiting: usize,
    clock: u64,
}

impl Results {
    fn get(&mut self, key: u64) -> Option<&Kept> {
        self.clock += 1;
        let Self {
            small,
            large,
            clock,
            ..
        } = self;
        small.get(key, *clock).or_else(|| large.get(key, *clock))
    }

    fn keep(&mut self, key: u64, kept: Kept) {
        self.waiting -= self.running.remove(&key).unwrap_or(0);
        self.clock += 1;
        self.small.remove(key);
        self.large.remove(key);
        if kept.weight <= SMALL {
            self.small.put(key, kept, self.clock, KEPT_SMALL);
        } else {
            self.large.put(key, kept, self.clock, KEPT);
        }
    }

    /// Whether a job may be started. If too much waits, the caller asks again with the
    /// next result.
    fn begin(&mut self, key: u64, weight: usize) -> bool {
        let full = !self.running.is_empty() && self.waiting + weight > WAITING;
        if full || self.running.contains_key(&key) {
            return false;
        }
        self.running.insert(key, weight);
        self.waiting += weight;
        true
    }
}

impl Offload {
    /// `wake` is called from the worker after each result: it asks for a frame.
    pub fn new(wake: impl Fn() + Send + Sync + 'static) -> Self {
        Self::of(false, Box::new(wake))
    }

    /// Runs jobs at once on the caller: for tests and for text that is printed, not drawn.
    pub fn immediate() -> Self {
        Self::of(true, Box::new(|| {}))
    }

    fn of(immediate: bool, wake: Box<dyn Fn() + Send + Sync>) -> Self {
        Self(Arc::new(Inner {
            immediate,
            results: Mutex::default(),
            generation: AtomicU64::new(0),
            wake,
            worker: Mutex::new(None),
            pictures: OnceLock::new(),
        }))
    }

    /// The worker for images. Its results count as this one's: they wake, and its
    /// [`Offload::generation`] grows.
    pub fn pictures(&self) -> &Offload {
        self.0.pictures.get_or_init(|| {
            let whole = Arc::downgrade(&self.0);
            let wake = move || {
                if let Some(whole) = whole.upgrade() {
                    whole.generation.fetch_add(1, Ordering::AcqRel);
                    (whole.wake)();
                }
            };
            Self::of(self.0.immediate, Box::new(wake))
        })
    }

    /// The result for `key`, or `None` while it is computed: `job` is started if nothing is under way
    /// for it. A key must stand for all that the job depends on, its kind of result included.
    /// `held` is how many bytes the job holds until it is done.
    pub fn get<T: Product>(
        &self,
        key: u64,
        held: usize,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Option<Arc<T>> {
        self.latest(key, 0, held, || job)
    }

    /// As [`Offload::get`], for something that grows: the result for its state `rev`. One job runs
    /// per key, so that states that came meanwhile are skipped; only the latest result is kept,
    /// and [`Offload::peek`] has it while the next is computed. `prepare` is called only where a
    /// job is started.
    pub fn latest<T, F>(
        &self,
        key: u64,
        rev: u64,
        held: usize,
        prepare: impl FnOnce() -> F,
    ) -> Option<Arc<T>>
    where
        T: Product,
        F: FnOnce() -> T + Send + 'static,
    {
        {
            let mut results = lock(&self.0.results);
            if let Some(done) = results.get(key).filter(|done| done.rev == rev) {
                return done.value.clone().downcast().ok();
            }
            if !self.0.immediate && !results.begin(key, held) {
                return None;
            }
        }
        let job = prepare();
        if self.0.immediate {
            return self.run_here(key, rev, job);
        }
        self.start(key, rev, job);
        None
    }

    /// As [`Offload::get`], but runs the job on the caller: for what takes less than a frame.
    pub fn get_now<T: Product>(&self, key: u64, job: impl FnOnce() -> T) -> Option<Arc<T>> {
        if let Some(done) = lock(&self.0.results).get(key) {
            return done.value.clone().downcast().ok();
        }
        self.run_here(key, 0, job)
    }

    fn run_here<T: Product>(&self, key: u64, rev: u64, job: impl FnOnce() -> T) -> Option<Arc<T>> {
        let value = Arc::new(contain::contained("work", job).unwrap_or_default());
        self.put(key, rev, value.clone());
        Some(value)
    }

    /// Keeps a result that came of another job.
    pub fn put<T: Product>(&self, key: u64, rev: u64, value: Arc<T>) {
        lock(&self.0.results).keep(key, Kept::new(rev, value));
    }

    /// The last result for `key`, whatever it was computed for; starts nothing.
    pub fn peek<T: Any + Send + Sync>(&self, key: u64) -> Option<Arc<T>> {
        let value = lock(&self.0.results).get(key)?.value.clone();
        value.downcast().ok()
    }

    /// Grows with each result: something that was painted plain may be painted better now.
    pub fn generation(&self) -> u64 {
        self.0.generation.load(Ordering::Acquire)
    }

    fn start<T: Product>(&self, key: u64, rev: u64, job: impl FnOnce() -> T + Send + 'static) {
        let mut worker = lock(&self.0.worker);
        let sender = worker.get_or_insert_with(|| {
            let (sender, receiver) = mpsc::channel::<(u64, Job)>();
            let inner = Arc::downgrade(&self.0);
            let spawned = std::thread::Builder::new()
                .name("offload".into())
                .spawn(move || {
                    while let Ok((key, job)) = receiver.recv() {
                        let kept = job();
                        let Some(inner) = inner.upgrade() else { return };
                        lock(&inner.results).keep(key, kept);
                        inner.generation.fetch_add(1, Ordering::AcqRel);
                        (inner.wake)();
                    }
                });
            if let Err(error) = spawned {
                tracing::warn!(%error, "no thread for highlighting: text stays plain");
            }
            sender
        });
        let job: Job = Box::new(move || Kept::of(rev, job));
        if sender.send((key, job)).is_err() {
            // The thread could not be started: the plain form stays.
            drop(worker);
            self.put(key, rev, Arc::new(T::default()));
        }
    }

    #[cfg(test)]
    fn kept(&self) -> (usize, usize) {
        let results = lock(&self.0.results);
        (results.large.weight, results.small.weight)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
impl Product for u32 {
    fn weight(&self) -> usize {
        size_of::<Self>()
    }
}

#[cfg(test)]
impl Product for bool {
    fn weight(&self) -> usize {
        size_of::<Self>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_comes_later_and_wakes() {
        let (sender, receiver) = mpsc::channel();
        let offload = Offload::new(move || sender.send(()).expect("test waits"));
        assert!(offload.get(1, 0, || 7_u32).is_none());
        receiver
            .recv_timeout(std::time::Duration::from_secs(10))
            .expect("woken");
        assert_eq!(offload.get(1, 0, || 0_u32).as_deref(), Some(&7));
    }

    #[test]
    fn of_what_grows_the_last_result_stands_until_the_next() {
        let (sender, receiver) = mpsc::channel();
        let offload = Offload::new(move || sender.send(()).expect("test waits"));
        let wait = || {
            receiver
                .recv_timeout(std::time::Duration::from_secs(10))
                .expect("woken");
        };
        assert!(offload.latest(1, 1, 0, || || 10_u32).is_none());
        wait();
        assert!(offload.latest(1, 2, 0, || || 20_u32).is_none());
        assert!(offload.peek::<u32>(1).is_some());
        wait();
        assert_eq!(offload.latest(1, 2, 0, || || 0_u32).as_deref(), Some(&20));
        assert_eq!(offload.peek(1), Some(Arc::new(20_u32)));
    }

    #[test]
    fn a_job_that_panics_is_waited_for_no_longer() {
        let (sender, receiver) = mpsc::channel();
        let offload = Offload::new(move || sender.send(()).expect("test waits"));
        assert!(offload.get::<u32>(1, 0, || panic!("bad job")).is_none());
        assert!(offload.get(2, 0, || 7_u32).is_none());
        for _ in 0..2 {
            receiver
                .recv_timeout(std::time::Duration::from_secs(10))
                .expect("woken");
        }
        assert_eq!(offload.get(1, 0, || 5_u32).as_deref(), Some(&0));
        assert_eq!(offload.get(2, 0, || 0_u32).as_deref(), Some(&7));
        // Nor does one end the thread that it runs on.
        let here = Offload::immediate();
        assert_eq!(
            here.get::<u32>(1, 0, || panic!("bad job")).as_deref(),
            Some(&0)
        );
        assert_eq!(
            here.get_now::<u32>(2, || panic!("bad job")).as_deref(),
            Some(&0)
        );
    }

    #[derive(Default)]
    struct Big(usize);

    impl Product for Big {
        fn weight(&self) -> usize {
            self.0
        }
    }

    #[test]
    fn results_are_kept_by_what_they_weigh() {
        let offload = Offload::immediate();
        for key in 0..100 {
            offload.get_now(1_000 + key, || 1_u32);
            offload.get(key, 0, || Big(8 << 20));
            let (large, small) = offload.kept();
            assert!(large <= KEPT && small <= KEPT_SMALL, "{large} {small}");
        }
        // What is small is not pushed out by what is not, and what was looked at goes last.
        assert!(offload.peek::<u32>(1_000).is_some());
        assert!(offload.peek::<Big>(98).is_some() && offload.peek::<Big>(1).is_none());
        offload.get(100, 0, || Big(8 << 20));
        assert!(offload.peek::<Big>(98).is_some() && offload.peek::<Big>(99).is_none());
        for weight in [KEPT - 1, KEPT, KEPT + 1, 4 * KEPT] {
            let key = 2_000 + weight as u64;
            offload.get(key, 0, move || Big(weight - ENTRY));
            assert_eq!(offload.kept().0, weight);
            assert!(offload.peek::<Big>(key).is_some());
        }
        for key in 0..100_000 {
            offload.get_now(10_000 + key, || 1_u32);
        }
        assert!(offload.kept().1 <= KEPT_SMALL);
    }

    #[test]
    fn jobs_that_wait_hold_so_many_bytes_and_the_rest_is_asked_for_again() {
        let mut results = Results::default();
        assert!(results.begin(1, 10 * WAITING), "one always may");
        assert!(!results.begin(2, 1));
        results.keep(1, Kept::new(0, Arc::new(1_u32)));
        assert!(results.begin(2, WAITING - 1) && results.begin(3, 1));
        assert!(!results.begin(4, 1) && !results.begin(2, 0));
        results.keep(2, Kept::new(0, Arc::new(1_u32)));
        assert!(results.begin(4, WAITING - 1));
        assert_eq!(results.waiting, WAITING);
    }
}
