//! Memory that is not needed any more goes back to the system.
//!
//! Messages of megabytes come and go. glibc keeps what was freed of them, for each thread; a client
//! that idles for the rest of the day should not. Where another allocator is linked nothing happens
//! here: musl and macOS give large blocks back by themselves. On Linux the code that has run goes with it.

#[cfg(target_os = "linux")]
mod code;
#[cfg(not(target_os = "linux"))]
mod code_elsewhere;
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
mod elsewhere;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod glibc;

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::{sync::Notify, time::sleep};

#[cfg(target_os = "linux")]
use code::forget;
#[cfg(not(target_os = "linux"))]
use code_elsewhere::forget;
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub use elsewhere::{give_back, set_up};
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub use glibc::{give_back, set_up};

/// So long nothing must have come.
const QUIET: Duration = Duration::from_secs(2);

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
        tokio::task::spawn_blocking(rest).await.ok();
    }
}

/// Nothing goes on.
fn rest() {
    give_back();
    forget();
}
