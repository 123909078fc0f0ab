//! Texts compared line by line, and unified diffs: read and written.
//!
//! Owns diffs as text. Must not know what a file change means to an agent, a session or a screen.

mod read;
mod write;

pub use read::{FilePatch, Hunk, HunkLine, HunkSign, by_file, hunks, is_all_diff, unquoted};
pub use write::{CONTEXT, Groups, Unified, changed_lines, groups, lines, unified};
