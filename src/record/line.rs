//! One line of a stored session.

use serde::{Deserialize, Serialize};

use super::{
    block::{Block, is_default},
    plan::Pinned,
    raw::Raw,
};
use crate::text::SafeText;

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
    /// The plans that are not done, all of them; the last line counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plans: Option<Vec<Pinned>>,
    /// The same of a subagent's conversation. A member of its own: a reader that does not know it
    /// must not take what a subagent said for what the agent said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub child: Option<Child>,
    /// A turn began or ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
}

/// Something in a subagent's conversation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Child {
    /// The number of the conversation, as the block that stands for the subagent gives it. Ids of
    /// blocks count from 0 in each.
    pub of: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<Box<Block>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<More>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plans: Option<Vec<Pinned>>,
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
    /// It begins: one that has no end was cut off.
    #[serde(skip_serializing_if = "is_default")]
    pub open: bool,
    /// It has none: what wrote the record had ended before.
    #[serde(skip_serializing_if = "is_default")]
    pub cut: bool,
    /// The agent's stop reason; `None` where it gave none: an error, an end of the agent.
    #[serde(skip_serializing_if = "is_default")]
    pub stop: Option<SafeText>,
}

impl Turn {
    pub const BEGINS: Self = Self {
        open: true,
        cut: false,
        stop: None,
    };
    pub const CUT_OFF: Self = Self {
        open: false,
        cut: true,
        stop: None,
    };

    pub fn ended(stop: Option<SafeText>) -> Self {
        Self {
            stop,
            ..Self::default()
        }
    }
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

    pub fn plans(t: u64, plans: Vec<Pinned>) -> Self {
        Self {
            plans: Some(plans),
            ..Self::new(t)
        }
    }

    /// The same in the conversation of that number; 0 is the session's own.
    pub fn of(self, conversation: u64) -> Self {
        if conversation == 0 {
            return self;
        }
        Self {
            child: Some(Child {
                of: conversation,
                block: self.block,
                more: self.more,
                plans: self.plans,
            }),
            ..Self::new(self.t)
        }
    }

    /// The block in it, whoever's it is.
    pub fn any_block(&self) -> Option<&Block> {
        let child = self.child.as_ref();
        let block = self.block.as_ref();
        block
            .or(child.and_then(|child| child.block.as_ref()))
            .map(|block| &**block)
    }

    pub fn any_block_mut(&mut self) -> Option<&mut Block> {
        let child = self.child.as_mut();
        let block = self.block.as_mut();
        block
            .or(child.and_then(|child| child.block.as_mut()))
            .map(|block| &mut **block)
    }

    /// About the bytes that it holds.
    pub fn weight(&self) -> usize {
        let block = self.any_block().map_or(0, Block::weight);
        let child = self.child.as_ref().and_then(|child| child.more.as_ref());
        let more = self.more.as_ref().or(child);
        block + more.map_or(0, |more| more.text.len())
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
