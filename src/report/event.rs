//! The events as they are written. Names and members are stable: `docs/run.md` documents them, and
//! [`VERSION`](super::VERSION) goes up if one changes its meaning.

use std::time::Duration;

use serde::Serialize;

use super::Summary;
use crate::{
    model::{self, ContentBlock, EntityKind, Media},
    session::BlockKind,
    text::{SafeText, json},
};

/// A git worktree of a session's own; it stays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Worktree {
    pub path: String,
    pub branch: String,
}

impl Worktree {
    pub fn of(worktree: &model::Worktree) -> Self {
        Self {
            path: worktree.top.to_string_lossy().into_owned(),
            branch: worktree.branch.clone(),
        }
    }
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Record {
    /// The first event: what is started, and the version of this format.
    Start {
        version: u32,
        agent: String,
        cwd: String,
        /// The git worktree that `cwd` is in, where the session has one to itself.
        #[serde(skip_serializing_if = "Option::is_none")]
        worktree: Option<Worktree>,
        policy: &'static str,
    },
    /// The agent said what it is.
    Agent {
        name: Option<String>,
        version: Option<String>,
    },
    /// The session is open.
    Session {
        id: String,
    },
    /// The person's prompt.
    User {
        text: String,
    },
    /// A piece of a message of the agent; those with the same number belong together.
    Text {
        message: u64,
        /// The earlier message that this one replaces.
        #[serde(skip_serializing_if = "Option::is_none")]
        replaces: Option<u64>,
        text: String,
    },
    Thought {
        message: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        replaces: Option<u64>,
        text: String,
    },
    /// Something in a message that is no text.
    Content {
        kind: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        mime_type: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        uri: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        bytes: Option<u64>,
    },
    /// A tool call is new or changed: all that is known of it.
    ToolCall(Tool),
    /// A permission request was decided.
    Permission(Permission),
    /// A request of the agent was not served.
    Refused(Refused),
    /// A file was written for the agent.
    FileWritten {
        path: String,
        lines: usize,
    },
    TerminalStarted {
        terminal: String,
        command: String,
        cwd: String,
    },
    TerminalExited {
        terminal: String,
        code: Option<i64>,
        signal: Option<String>,
    },
    /// In a replay of a stored session: what the terminal of a call has shown.
    TerminalOutput {
        call: u64,
        text: String,
    },
    /// A whole plan: entries or a text. Plans with different ids exist side by side.
    Plan {
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        entries: Vec<PlanEntry>,
        #[serde(skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    /// The agent makes room in its context.
    Compaction {
        status: String,
    },
    /// A subagent is new, or its state changed.
    Subagent(Subagent),
    /// An event in a subagent's conversation. A separate event: a program that does not know it
    /// must not take a subagent's words for the agent's.
    Within {
        subagent: String,
        what: Box<Record>,
    },
    Usage(Usage),
    /// What a turn took, as its answer says.
    Tokens(Tokens),
    /// A line of acp-tui's own.
    Notice {
        level: &'static str,
        text: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
    },
    /// The last: what `--format json` prints.
    End(Box<Summary>),
}

impl Record {
    /// The event of a whole block; `stored`: there were no other events of it.
    pub(super) fn of_block(kind: &BlockKind, stored: bool) -> Option<Self> {
        let plan = |entries, text| Self::Plan {
            id: None,
            entries,
            text,
        };
        Some(match kind {
            BlockKind::User(message) => Self::User {
                text: message.text.to_string(),
            },
            BlockKind::Notice(notice) => Self::Notice {
                level: notice.level.as_str(),
                text: notice.text.to_string(),
                detail: notice.detail.as_ref().map(ToString::to_string),
            },
            BlockKind::Content(content) => Self::of_content(content),
            BlockKind::Entity(entity) => match &entity.kind {
                EntityKind::Compaction(compaction) => Self::Compaction {
                    status: compaction.status.as_str().to_owned(),
                },
                // Internal to the agent: only its effects are reported.
                EntityKind::SessionMessage(_) => return None,
            },
            BlockKind::Plan(entries) if stored => plan(PlanEntry::all(entries), None),
            BlockKind::PlanText(text) if stored => plan(Vec::new(), Some(text.text.to_string())),
            // Reported while they change, or piece by piece.
            BlockKind::Plan(_)
            | BlockKind::PlanText(_)
            | BlockKind::Agent(_)
            | BlockKind::Thought(_)
            | BlockKind::Tool(_)
            | BlockKind::Subagent(_) => return None,
        })
    }

    fn of_content(content: &ContentBlock) -> Self {
        let of = |kind, mime_type: Option<&SafeText>, uri: Option<&str>, bytes| Self::Content {
            kind,
            mime_type: mime_type.map(ToString::to_string),
            uri: uri.map(str::to_owned),
            bytes,
        };
        let media = |kind, media: &Media| {
            let bytes = media.size.map(|size| size as u64);
            of(kind, Some(&media.mime_type), media.uri.as_deref(), bytes)
        };
        match content {
            ContentBlock::Text(_) => of("text", None, None, None),
            ContentBlock::Image(image) => media("image", image),
            ContentBlock::Audio(audio) => media("audio", audio),
            ContentBlock::ResourceLink(link) => of(
                "resource_link",
                link.mime_type.as_ref(),
                Some(&link.uri),
                link.size,
            ),
            ContentBlock::Resource(resource) => of(
                "resource",
                resource.mime_type.as_ref(),
                Some(&resource.uri),
                Some(resource.size as u64),
            ),
            ContentBlock::ForAgent(content) => Self::of_content(content),
            ContentBlock::Unknown { .. } => of("unknown", None, None, None),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tool {
    /// Our own number: agents reuse ids.
    pub call: u64,
    /// The subagent that makes it, if one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subagent: Option<String>,
    pub id: String,
    pub title: String,
    pub kind: &'static str,
    /// `pending`, `in_progress`, `paused`, `completed`, `failed`, `cancelled`, `ended` (the turn ended first),
    /// or the agent's own word.
    pub status: String,
    pub command: Option<String>,
    /// Variables set for the command that may change what it does: `NAME=value`, secrets without
    /// values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
    /// Files that the call names or changes.
    pub paths: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Permission {
    pub call: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subagent: Option<String>,
    pub title: String,
    pub kind: &'static str,
    pub command: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
    pub paths: Vec<String>,
    /// `allowed`, `denied`, `cancelled`, or `answered` where it is not known what the answer means.
    pub decision: &'static str,
    /// The option that was chosen, by its name.
    pub answer: String,
    /// The rule or policy that decided; `nobody to ask` where a person would have been asked.
    pub by: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refused {
    pub what: String,
    pub by: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlanEntry {
    pub content: String,
    pub status: &'static str,
    pub priority: &'static str,
}

impl PlanEntry {
    pub(super) fn all(entries: &[model::PlanEntry]) -> Vec<Self> {
        let entry = |entry: &model::PlanEntry| Self {
            content: entry.content.to_string(),
            status: entry.status.as_str(),
            priority: entry.priority.as_str(),
        };
        entries.iter().map(entry).collect()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Subagent {
    pub id: String,
    pub title: String,
    pub state: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Tokens {
    pub total: u64,
    pub input: u64,
    pub output: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Usage {
    /// Tokens in the context, and its size.
    pub used: u64,
    pub size: u64,
    pub cost: Option<f64>,
    pub currency: Option<String>,
}

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileWritten {
    pub path: String,
    /// `acp-tui`: through this client. `agent`: by the agent, as its tool call says.
    pub by: &'static str,
}

/// One line of JSON: what happened, `t` seconds after the beginning.
pub fn timed_line(t: f64, record: &Record) -> String {
    #[derive(Serialize)]
    struct Timed<'a> {
        t: f64,
        #[serde(flatten)]
        record: &'a Record,
    }
    json::line(&Timed { t, record })
}

/// To the millisecond: what is beyond is noise.
pub fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e3).round() / 1e3
}
