//! One line of a stored session.

use serde::{Deserialize, Serialize};

use super::block::{Block, is_default};
use crate::{record::raw::Raw, text::SafeText};

/// The version that is written. A line of a later one is left alone when it is read.
pub const VERSION: u32 = 1;

/// A line: when it was written and one of the members behind that. Members that a reader does not
/// know are no error, so that a later version can add some.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Line {
    pub v: u32,
    /// Milliseconds since 1970.
    pub t: u64,
    /// What the session is; the last one counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<About>,
    /// A block, new or in the place of what was known of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<Box<Block>>,
    /// What was added to a block's text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more: Option<More>,
    /// A turn ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct About {
    /// The profile's id in the configuration, or the program of a `-- COMMAND`. Never its arguments
    /// or environment, which may hold secrets (V1-MCP-04).
    pub agent: String,
    /// As people know it.
    pub agent_name: SafeText,
    /// Absolute.
    pub cwd: String,
    /// As the agent names it; changes where a new session had to take the place of one that is gone.
    pub session: Option<String>,
    pub title: Option<SafeText>,
    /// The person gave it.
    #[serde(skip_serializing_if = "is_default")]
    pub own_title: bool,
    /// Milliseconds since 1970.
    pub started: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct More {
    /// Of the block.
    pub id: u64,
    pub text: SafeText,
    #[serde(skip_serializing_if = "is_default")]
    pub took_ms: Option<u64>,
    /// All there is of it by now.
    #[serde(rename = "_meta", skip_serializing_if = "is_default")]
    pub meta: Vec<Raw>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Turn {
    /// The agent's stop reason; `None` where it gave none: an error, an end of the agent.
    pub stop: Option<SafeText>,
}

impl Line {
    fn new(t: u64) -> Self {
        Self {
            v: VERSION,
            t,
            ..Self::default()
        }
    }

    pub fn about(t: u64, about: About) -> Self {
        Self {
            about: Some(about),
            ..Self::new(t)
        }
    }

    pub fn block(t: u64, block: Block) -> Self {
        Self {
            block: Some(Box::new(block)),
            ..Self::new(t)
        }
    }

    pub fn more(t: u64, more: More) -> Self {
        Self {
            more: Some(more),
            ..Self::new(t)
        }
    }

    pub fn turn(t: u64, turn: Turn) -> Self {
        Self {
            turn: Some(turn),
            ..Self::new(t)
        }
    }

    /// Appends it to `out`, its line end included.
    pub fn write(&self, out: &mut Vec<u8>) {
        let start = out.len();
        // Writing to memory does not fail, nor has anything here a key that is no string; and if it
        // did, half a line must not stand before the next.
        if serde_json::to_writer(&mut *out, self).is_err() {
            out.truncate(start);
            return;
        }
        out.push(b'\n');
    }

    /// `None` for what is no whole line: the last one after a crash, or damage.
    pub fn read(text: &[u8]) -> Option<Self> {
        serde_json::from_slice(text).ok()
    }
}
