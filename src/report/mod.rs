//! A session for other programs: its events as they happen and a summary at the end, in a stable
//! format (`docs/run.md`).
//!
//! Owns: which events are made from a [`Session`](crate::session::Session) and how they are
//! written: text for people, JSON for programs. Reads the session's state and events; changes
//! nothing, does no IO.

mod change;
mod event;
mod flow;
mod observer;
mod summary;
mod text;
mod watch;
mod words;

#[cfg(test)]
mod tests;

pub use crate::text::json::{line, pretty};
pub use change::Change;
pub use event::{Permission, Record, Tool, Worktree, seconds, timed_line};
pub use flow::Flow;
pub use observer::{Observer, Scope};
pub use summary::{Problem, Summary, VERSION};
pub use text::Narrator;
