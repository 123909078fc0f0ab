//! The stored form of a session: its conversation as lines of JSON.
//!
//! Owns: the format ([`Line`]), reading it ([`StoredSession`]), what to write of a changing session
//! ([`Saver`]), and the exports. Blocks have ids and the newest line of an id counts; text that
//! grows is written as what was added. Must not know about files or tasks: those belong to
//! [`super::files`].
//!
//! Never stored: the agent's environment and arguments, MCP servers' variables and headers
//! (V1-MCP-04). Of the configuration only the profile's name is stored, in [`About`].

mod aside;
mod block;
mod content;
mod conversation;
mod line;
mod markdown;
mod plan;
mod read;
mod review;
mod saver;
mod shorten;
mod subagent;
mod time;
mod track;
mod weight;

#[cfg(test)]
mod tests;

pub use block::{Block, Kind, Tool};
pub use content::Piece;
pub use conversation::{CUT_OFF, Children, Conversation, MAX_DEPTH, StoredBlock};
pub use line::{About, Child, Line, More, Turn, VERSION};
pub use markdown::markdown;
pub use plan::Pinned;
pub use read::StoredSession;
pub use review::{MAX_REVIEW, read_review, write_review};
pub use saver::{Batch, GoingOn, Saver};
pub use shorten::keep_last;
pub use time::{ago, iso};

/// Members with their default value are not written.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
