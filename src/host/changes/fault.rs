//! Where a test ends the process as `kill -9` would: between the writes of the store, and with half of
//! one written; and where it lets someone else in between. Otherwise these are plain writes.

#[cfg(not(test))]
use std::path::Path;
use std::{fs::File, io, os::unix::fs::FileExt};

#[cfg(not(test))]
pub fn point() {}

#[cfg(test)]
pub use armed::{DIE_AT, point};

/// Writes all of it there.
///
/// # Errors
/// As for files; some of it may be written then.
pub fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    let half = if cfg!(test) { bytes.len() / 2 } else { 0 };
    let (first, rest) = bytes.split_at_checked(half).unwrap_or((&[], bytes));
    if !first.is_empty() {
        file.write_all_at(first, at)?;
        point();
    }
    file.write_all_at(rest, at.saturating_add(first.len() as u64))?;
    point();
    Ok(())
}

#[cfg(test)]
mod armed {
    use std::sync::{
        OnceLock,
        atomic::{AtomicU64, Ordering},
    };

    /// Which point ends the process, counted from 1.
    pub const DIE_AT: &str = "ACP_TUI_TEST_DIE_AT";

    pub fn point() {
        static LAST: OnceLock<Option<u64>> = OnceLock::new();
        static PASSED: AtomicU64 = AtomicU64::new(0);
        let last = LAST.get_or_init(|| std::env::var(DIE_AT).ok()?.parse().ok());
        if last.is_some_and(|last| PASSED.fetch_add(1, Ordering::SeqCst) + 1 >= last) {
            let own = rustix::process::getpid();
            rustix::process::kill_process(own, rustix::process::Signal::KILL).unwrap();
            loop {
                std::thread::park();
            }
        }
    }
}

/// Someone else works on the project at this moment of an undo.
#[cfg(not(test))]
pub fn meanwhile(_: &'static str, _: &Path) {}

/// The file system only knows plain renames.
#[cfg(not(test))]
pub fn is_plain() -> bool {
    false
}

#[cfg(test)]
pub use others::{MEANWHILE, PLAIN, is_plain, meanwhile};

#[cfg(test)]
mod others {
    use std::{
        cell::{Cell, RefCell},
        path::Path,
    };

    type Act = Box<dyn FnMut(&'static str, &Path)>;

    thread_local! {
        pub static MEANWHILE: RefCell<Option<Act>> = const { RefCell::new(None) };
        pub static PLAIN: Cell<bool> = const { Cell::new(false) };
    }

    pub fn meanwhile(moment: &'static str, at: &Path) {
        MEANWHILE.with_borrow_mut(|act| {
            if let Some(act) = act {
                act(moment, at);
            }
        });
    }

    pub fn is_plain() -> bool {
        PLAIN.get()
    }
}
