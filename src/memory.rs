//! Memory that is not needed any more goes back to the system.
//!
//! Messages of megabytes come and go. glibc keeps what was freed of them, for each thread; a client
//! that idles for the rest of the day should not. Where another allocator is linked nothing happens
//! here: musl and macOS give large blocks back by themselves.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::{sync::Notify, time::sleep};

/// So long nothing must have come.
const QUIET: Duration = Duration::from_secs(2);

/// Blocks of so many bytes are the system's own, and go back with the last use of them. Left alone
/// glibc raises this to 32 MiB with the first large block that is freed.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE: i32 = 512 << 10;

/// Threads share so many heaps: each of more would keep its own peak.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const HEAPS: i32 = 2;

/// To be called before threads are started.
pub fn set_up() {
    // SAFETY: sets numbers of the allocator's; it fails by doing nothing.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
        libc::mallopt(libc::M_ARENA_MAX, HEAPS);
    }
}

/// At once: after work that took much and is over.
pub fn give_back() {
    // SAFETY: looks for whole free pages under the allocator's own locks.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Waits in a task of its own for the quiet after something came.
pub struct Memory {
    uses: Arc<AtomicU64>,
    wanted: Arc<Notify>,
}

impl Memory {
    /// Within the runtime.
    pub fn watch() -> Self {
        let (uses, wanted) = (Arc::new(AtomicU64::new(0)), Arc::new(Notify::new()));
        tokio::spawn(watch(uses.clone(), wanted.clone()));
        Self { uses, wanted }
    }

    /// Something came, which may be freed soon. Costs next to nothing.
    pub fn used(&self) {
        if self.uses.fetch_add(1, Ordering::Relaxed) == 0 {
            self.wanted.notify_one();
        }
    }
}

/// Sleeps until the first use, then looks from time to time whether the last was long ago.
async fn watch(uses: Arc<AtomicU64>, wanted: Arc<Notify>) {
    loop {
        wanted.notified().await;
        let mut seen = uses.load(Ordering::Relaxed);
        sleep(QUIET).await;
        // What comes after this is another use.
        while let Err(now) = uses.compare_exchange(seen, 0, Ordering::Relaxed, Ordering::Relaxed) {
            seen = now;
            sleep(QUIET).await;
        }
        tokio::task::spawn_blocking(give_back).await.ok();
    }
}
