//! The stored form of a session: what was said and done, as lines of JSON.
//!
//! Owns: the format (see [`Line`]), reading it back ([`Record`]), what of a changing session is to be
//! written ([`Recorder`]), and the exports. A stored session is a view of its transcript: blocks by
//! id, the newest line of an id counts, and text that grows is written as what was added. Must not
//! know about files or tasks: that is the app's.
//!
//! Never in it: the agent's environment and arguments, MCP servers' variables and headers
//! (V1-MCP-04): [`About`] names the profile, and nothing else here comes from the configuration.

mod block;
mod content;
mod line;
mod markdown;
mod names;
mod raw;
mod read;
mod recorder;
mod time;

#[cfg(test)]
mod tests;

pub use block::{Block, Kind, Tool};
pub use content::Piece;
pub use line::{About, Line, More, Turn, VERSION};
pub use markdown::markdown;
pub use read::{Record, Stored};
pub use recorder::{Batch, Recorder};
pub use time::{ago, iso};
