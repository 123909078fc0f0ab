//! The stored form of a session: what was said and done, as lines of JSON.
//!
//! Owns: the format (see [`Line`]), reading it back ([`StoredSession`]), what of a changing session is to be
//! written ([`Saver`]), and the exports. A stored session is a view of its transcript: blocks by
//! id, the newest line of an id counts, and text that grows is written as what was added. Must not
//! know about files or tasks: those are [`super::files`]'.
//!
//! Never in it: the agent's environment and arguments, MCP servers' variables and headers
//! (V1-MCP-04): [`About`] names the profile, and nothing else here comes from the configuration.

mod aside;
mod block;
mod content;
mod conversation;
mod line;
mod markdown;
mod plan;
mod read;
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
pub use saver::{Batch, GoingOn, Saver};
pub use shorten::keep_last;
pub use time::{ago, iso};

/// What is of no interest is left out.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
