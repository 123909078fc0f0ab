//! The agent's process, and ACP's wire shapes to and from [`proto`](crate::proto).
//!
//! Owns: starting and ending the process ([`launch`], [`process`], [`ladder`]), the handle that the
//! app holds ([`client`]), what messages mean ([`decode`], [`encode`], [`dialect`]), the same of version
//! 2 ([`v2`]), the adapter for another protocol ([`threads`]), and the wire log, written ([`trace`]) and read ([`recording`]).
//! Must not know about sessions' rules, the screen, or files of the person.

mod client;
mod decode;
mod dialect;
mod encode;
mod ladder;
mod launch;
mod process;
mod recording;
mod stderr;
mod threads;
mod trace;
mod v2;

#[cfg(test)]
mod tests;

pub use client::{Client, Inbound, Inbox};
#[cfg(test)]
pub use decode::raw_tool_input;
pub use ladder::StopMode;
pub use launch::{LaunchError, LaunchSpec};
pub use recording::{Recorded, Recording, Word};
pub use trace::{Secrets, Trace, TraceHandle};
