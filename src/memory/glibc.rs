//! glibc's allocator keeps what was freed, for each thread, unless it is told otherwise.

/// Blocks of so many bytes are the system's own, and go back with the last use of them. Left alone
/// glibc raises this to 32 MiB with the first large block that is freed.
const LARGE: i32 = 512 << 10;

/// Threads share so many heaps: each of more would keep its own peak.
const HEAPS: i32 = 2;

/// To be called before threads are started.
pub fn set_up() {
    // SAFETY: sets numbers of the allocator's; it fails by doing nothing.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
        libc::mallopt(libc::M_ARENA_MAX, HEAPS);
    }
}

/// At once: after work that took much and is over.
pub fn give_back() {
    // SAFETY: looks for whole free pages under the allocator's own locks.
    unsafe {
        libc::malloc_trim(0);
    }
}
