//! The agent's process, and ACP's wire shapes to and from [`model`](crate::model).
//!
//! Owns: starting and ending the process ([`process`], [`stop`]), the handle that the
//! app holds ([`client`]), what messages of versions 1 and 2 mean ([`decode`], [`encode`]), [`dialect`]s of version 1,
//! the adapter for another protocol ([`threads`]), and the wire log, written and read ([`wire_log`]).
//! Must not know about sessions' rules, the screen, or files of the person.

mod client;
mod decode;
mod dialect;
mod encode;
mod pipe;
mod process;
mod stderr;
mod stop;
mod threads;
mod wire_log;

#[cfg(test)]
mod tests;

pub use client::{Client, Inbound, Inbox};
#[cfg(test)]
pub use decode::raw_tool_input;
pub use process::{LaunchError, LaunchSpec};
pub use stop::StopMode;
pub use wire_log::{Recorded, Recording, Secrets, WireLog, WireLogHandle, Word};
