//! One line of a stored session.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{
    aside::Aside,
    block::Block,
    is_default,
    plan::Pinned,
    weight::{Weigh, weigh},
};
use crate::{
    model::{RawJson, Worktree},
    text::SafeText,
};

/// The version that is written. A line of a later one is left alone when it is read.
pub const VERSION: u32 = 1;

/// A line: when it was written, and one of the other members. Readers ignore members that they do
/// not know, so that later versions can add some.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Line {
    pub v: u32,
    /// Milliseconds since 1970.
    pub t: u64,
    /// What identifies the session; the last one counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<About>,
    /// A block; it replaces an earlier one with the same id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<Box<Block>>,
    /// What was added to a block's text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more: Option<More>,
    /// All unfinished plans; the last line counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plans: Option<Vec<Pinned>>,
    /// The same of a subagent's conversation. A separate member: a reader that does not know it
    /// must not take a subagent's words for the agent's.
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
    /// The number of the conversation, as in the subagent's block. Ids of blocks count from 0 in
    /// each conversation.
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
    /// As the agent names it; it changes if a new session replaced one that the agent lost.
    pub session: Option<String>,
    pub title: Option<SafeText>,
    /// The person gave it.
    #[serde(skip_serializing_if = "is_default")]
    pub own_title: bool,
    /// The git branch of its directory.
    #[serde(skip_serializing_if = "is_default")]
    pub branch: Option<SafeText>,
    /// The worktree that `cwd` is in, where it has one to itself.
    #[serde(skip_serializing_if = "is_default")]
    pub worktree: Option<KeptWorktree>,
    /// Milliseconds since 1970.
    pub started: u64,
}

/// A git worktree that a session has to itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct KeptWorktree {
    /// Its folder; absolute.
    pub top: String,
    /// The directory that the session belongs to; absolute.
    pub project: String,
    pub branch: String,
}

impl About {
    pub fn worktree(&self) -> Option<Worktree> {
        self.worktree.as_ref().map(|kept| Worktree {
            top: kept.top.clone().into(),
            cwd: self.cwd.clone().into(),
            project: kept.project.clone().into(),
            branch: kept.branch.clone(),
        })
    }

    /// The directory that the session belongs to, wherever it works.
    pub fn project(&self) -> &Path {
        let worktree = self.worktree.as_ref();
        Path::new(worktree.map_or(&self.cwd, |kept| &kept.project))
    }
}

impl Weigh for KeptWorktree {
    fn weight(&self) -> usize {
        weigh!(self.top, self.project, self.branch)
    }
}

impl Weigh for About {
    fn weight(&self) -> usize {
        weigh!(
            self.agent,
            self.agent_name,
            self.cwd,
            self.session,
            self.title,
            self.branch,
            self.worktree
        )
    }
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
    pub meta: Vec<RawJson>,
    #[serde(skip)]
    pub aside: Aside,
}

impl Weigh for More {
    fn weight(&self) -> usize {
        weigh!(self.text, self.meta)
    }
}

impl Weigh for Child {
    fn weight(&self) -> usize {
        self.block.as_ref().map_or(0, |block| block.weight()) + weigh!(self.more, self.plans)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Turn {
    /// It begins: one that has no end was cut off.
    #[serde(skip_serializing_if = "is_default")]
    pub open: bool,
    /// It has none: what wrote the file had ended before.
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

    /// Its block, the session's or a subagent's.
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

    /// Its addition, the session's or a subagent's.
    pub(super) fn any_more_mut(&mut self) -> Option<&mut More> {
        let child = self.child.as_mut();
        let more = self.more.as_mut();
        more.or(child.and_then(|child| child.more.as_mut()))
    }

    /// The bytes that it holds, roughly.
    pub fn weight(&self) -> usize {
        let stop = self.turn.as_ref().and_then(|turn| turn.stop.as_ref());
        self.block.as_ref().map_or(0, |block| block.weight())
            + weigh!(self.more, self.plans, self.about, self.child)
            + stop.map_or(0, |stop| stop.len())
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

    /// `None` for a line that is not whole: the last one after a crash, or a damaged one.
    pub fn read(text: &[u8]) -> Option<Self> {
        serde_json::from_slice(text).ok()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// A line with something in every member that holds text.
    fn full() -> Value {
        let meta = json!([{"a": "x"}]);
        let entries = json!([{"content": "x", "priority": "high", "status": "pending"}]);
        let plans = json!([{"id": "x", "entries": entries, "text": "x", "path": "x"}]);
        let piece = json!({
            "type": "diff", "text": "x", "path": "x", "oldText": "x", "newText": "x", "change": "x",
            "oldPath": "x", "fileType": "x", "patch": "x", "note": "x", "terminalId": "x", "uri": "x",
            "name": "x", "title": "x", "description": "x", "mimeType": "x", "raw": {"a": "x"},
        });
        let tool = json!({
            "callId": "x", "title": "x", "name": "x", "kind": "read", "status": "x",
            "locations": [{"path": "x", "line": 1}], "rawInput": {"a": "x"},
            "askedInput": {"a": "x"}, "rawOutput": {"a": "x"}, "command": "x", "commandCwd": "x",
            "commandEnv": [["x", "x"]],
            "answers": [{"answer": "x", "allowed": true, "by": "rule", "rule": "x"}],
        });
        let block = json!({
            "id": 1, "kind": "tool", "sourceId": "x", "text": "x", "level": "info", "detail": "x",
            "entries": entries, "path": "x", "status": "x", "child": 1, "tool": tool,
            "content": [piece], "tookMs": 1, "_meta": meta,
        });
        let more = json!({"id": 1, "text": "x", "tookMs": 1, "_meta": meta});
        json!({
            "v": 1, "t": 1, "block": block, "more": more, "plans": plans,
            "child": {"of": 1, "more": more, "plans": plans},
            "about": {
                "agent": "x", "agentName": "x", "cwd": "x", "session": "x", "title": "x", "branch": "x",
                "worktree": {"top": "x", "project": "x", "branch": "x"}, "started": 1,
            },
            "turn": {"stop": "x"},
        })
    }

    /// Every string in it, by where it is.
    fn places(value: &Value, at: &str, found: &mut Vec<String>) {
        match value {
            Value::String(text) if text == "x" => found.push(at.to_owned()),
            Value::Array(items) => {
                for (n, item) in items.iter().enumerate() {
                    places(item, &format!("{at}/{n}"), found);
                }
            }
            Value::Object(members) => {
                for (name, member) in members {
                    places(member, &format!("{at}/{name}"), found);
                }
            }
            _ => {}
        }
    }

    // What waits for the disk is bounded by weight: what has none would wait without an end.
    #[test]
    fn whatever_a_line_holds_weighs() {
        let read = |value: &Value| Line::read(value.to_string().as_bytes()).expect("a line");
        let line = full();
        let least = read(&line).weight();
        let mut found = Vec::new();
        places(&line, "", &mut found);
        assert!(found.len() > 50, "{found:?}");
        for place in found {
            let mut heavy = line.clone();
            *heavy.pointer_mut(&place).expect("there") = Value::String("x".repeat(10_001));
            let heavy = read(&heavy);
            assert_eq!(heavy.weight(), least + 10_000, "{place}");
            let mut written = Vec::new();
            heavy.write(&mut written);
            assert!(written.len() > 10_000, "{place} is written");
        }
    }

    // Whatever depth: it is neither taken apart nor may it overflow the stack.
    #[test]
    fn a_line_is_read_and_written_again_however_deep_it_is() {
        for depth in [1, 127, 128, 129, 1 << 20] {
            let raw = format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
            let line = format!(
                r#"{{"v":1,"t":1,"more":{{"id":1,"text":"x","_meta":[{raw}]}},"new":{raw}}}"#
            );
            let read = Line::read(line.as_bytes()).expect("a line");
            let mut written = Vec::new();
            read.write(&mut written);
            assert!(written.len() > 2 * depth);
            assert!(Line::read(&written) == Some(read), "{depth}");
            // What was cut off is none.
            assert!(Line::read(&line.as_bytes()[..line.len() - 1]).is_none());
        }
    }
}
