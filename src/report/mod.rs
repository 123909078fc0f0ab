//! A session for other programs: what happened in it, as it happens and at the end, in words that do
//! not change (documented in `docs/run.md`).
//!
//! Owns: what is told of a [`Session`](crate::session::Session) and how it is written: text for
//! people, JSON for programs. Sees the session's state and its events, changes nothing, does no IO.

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
pub use event::{Permission, Record, Tool, seconds, timed_line};
pub use flow::Flow;
pub use observer::{Observer, Scope};
pub use summary::{Problem, Summary, VERSION};
pub use text::Narrator;
