//! Work that is too slow for a frame: highlighting, diffing.
//!
//! A renderer asks for a result by key; until it is there it paints a plain form. One worker
//! thread, started with the first job, so that an idle client has none. Results are kept, bounded.

use std::{
    any::Any,
    collections::{HashMap, HashSet, VecDeque},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
};

/// Results kept; the oldest go first and are computed again if they are looked at.
const KEPT: usize = 512;

type Job = Box<dyn FnOnce() -> Arc<dyn Any + Send + Sync> + Send>;

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
    worker: Mutex<Option<mpsc::Sender<(u64, u64, Job)>>>,
}

/// A result, and which state of what grows it is for; 0 where nothing grows.
struct Revised {
    rev: u64,
    value: Arc<dyn Any + Send + Sync>,
}

#[derive(Default)]
struct Results {
    done: HashMap<u64, Revised>,
    order: VecDeque<u64>,
    running: HashSet<u64>,
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
        }))
    }

    /// The result for `key`, or `None` while it is computed: `job` is started if nobody has yet.
    /// A key must stand for all that the job depends on, its kind of result included.
    pub fn get<T, F>(&self, key: u64, job: F) -> Option<Arc<T>>
    where
        T: Any + Send + Sync,
        F: FnOnce() -> T + Send + 'static,
    {
        self.latest(key, 0, || job)
    }

    /// As [`Offload::get`], for something that grows: the result for its state `rev`. One job runs
    /// per key, so that states that came meanwhile are skipped; only the latest result is kept,
    /// and [`Offload::peek`] has it while the next is computed. `prepare` is called only where a
    /// job is started.
    pub fn latest<T, F>(&self, key: u64, rev: u64, prepare: impl FnOnce() -> F) -> Option<Arc<T>>
    where
        T: Any + Send + Sync,
        F: FnOnce() -> T + Send + 'static,
    {
        {
            let mut results = lock(&self.0.results);
            if let Some(done) = results.done.get(&key).filter(|done| done.rev == rev) {
                return done.value.clone().downcast().ok();
            }
            if self.0.immediate {
                drop(results);
                let value = Arc::new(prepare()());
                lock(&self.0.results).keep(key, rev, value.clone());
                return Some(value);
            }
            if !results.running.insert(key) {
                return None;
            }
        }
        let job = prepare();
        self.start(key, rev, Box::new(move || Arc::new(job())));
        None
    }

    /// As [`Offload::get`], but runs the job on the caller: for what takes less than a frame.
    pub fn get_now<T, F>(&self, key: u64, job: F) -> Option<Arc<T>>
    where
        T: Any + Send + Sync,
        F: FnOnce() -> T,
    {
        if let Some(done) = lock(&self.0.results).done.get(&key) {
            return done.value.clone().downcast().ok();
        }
        let value = Arc::new(job());
        lock(&self.0.results).keep(key, 0, value.clone());
        Some(value)
    }

    /// The last result for `key`, whatever it was computed for; starts nothing.
    pub fn peek<T: Any + Send + Sync>(&self, key: u64) -> Option<Arc<T>> {
        let value = lock(&self.0.results).done.get(&key)?.value.clone();
        value.downcast().ok()
    }

    /// Grows with each result: something that was painted plain may be painted better now.
    pub fn generation(&self) -> u64 {
        self.0.generation.load(Ordering::Acquire)
    }

    fn start(&self, key: u64, rev: u64, job: Job) {
        let mut worker = lock(&self.0.worker);
        let sender = worker.get_or_insert_with(|| {
            let (sender, receiver) = mpsc::channel::<(u64, u64, Job)>();
            let inner = Arc::downgrade(&self.0);
            let spawned = std::thread::Builder::new()
                .name("offload".into())
                .spawn(move || {
                    while let Ok((key, rev, job)) = receiver.recv() {
                        // A job that panics leaves its plain form standing.
                        let value = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job));
                        let Some(inner) = inner.upgrade() else { return };
                        if let Ok(value) = value {
                            lock(&inner.results).keep(key, rev, value);
                            inner.generation.fetch_add(1, Ordering::AcqRel);
                            (inner.wake)();
                        }
                    }
                });
            if let Err(error) = spawned {
                tracing::warn!(%error, "no thread for highlighting: text stays plain");
            }
            sender
        });
        // Fails only where the thread could not be started: then the plain form stays.
        let _ = sender.send((key, rev, job));
    }
}

impl Results {
    fn keep(&mut self, key: u64, rev: u64, value: Arc<dyn Any + Send + Sync>) {
        self.running.remove(&key);
        if self.done.insert(key, Revised { rev, value }).is_none() {
            self.order.push_back(key);
        }
        if self.order.len() > KEPT
            && let Some(oldest) = self.order.pop_front()
        {
            self.done.remove(&oldest);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_comes_later_and_wakes() {
        let (sender, receiver) = mpsc::channel();
        let offload = Offload::new(move || sender.send(()).expect("test waits"));
        assert!(offload.get(1, || 7_u32).is_none());
        receiver
            .recv_timeout(std::time::Duration::from_secs(10))
            .expect("woken");
        assert_eq!(offload.get(1, || 0_u32).as_deref(), Some(&7));
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
        assert!(offload.latest(1, 1, || || 10_u32).is_none());
        wait();
        assert!(offload.latest(1, 2, || || 20_u32).is_none());
        assert!(offload.peek::<u32>(1).is_some());
        wait();
        assert_eq!(offload.latest(1, 2, || || 0_u32).as_deref(), Some(&20));
        assert_eq!(offload.peek(1), Some(Arc::new(20_u32)));
    }

    #[test]
    fn a_panicking_job_does_not_end_the_worker() {
        let (sender, receiver) = mpsc::channel();
        let offload = Offload::new(move || sender.send(()).expect("test waits"));
        assert!(offload.get::<u32, _>(1, || panic!("bad job")).is_none());
        assert!(offload.get(2, || 7_u32).is_none());
        receiver
            .recv_timeout(std::time::Duration::from_secs(10))
            .expect("woken");
        assert_eq!(offload.get(2, || 0_u32).as_deref(), Some(&7));
    }
}
