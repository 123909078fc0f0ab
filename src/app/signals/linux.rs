//! Signals that only Linux has.

/// As [`super::ENDS`].
pub const ENDS: &[i32] = &[libc::SIGIO, libc::SIGPWR, libc::SIGSTKFLT];
