//! Terminals: commands on PTYs of their own, for the agent and for the person.
//!
//! Owns: the processes, their output and how they end. Nothing that was started here outlives
//! [`Terminals::shutdown`]. Must not know about policy; what a screen looks like is `vt`'s.

mod buffer;
mod plain;
mod processes;
mod registry;
mod run;
mod spawn;
mod utf8;

pub use registry::{TerminalSettings, Terminals};
pub(super) use registry::{shown_line, working_dir};
pub use spawn::DEFAULT_SIZE;
pub(super) use spawn::Launch;
pub(super) use spawn::is_line;

#[cfg(test)]
mod tests;
