//! A block of the transcript as it is stored.

use std::{
    borrow::Cow,
    sync::Arc,
    time::{Duration, Instant},
};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{
    aside::Aside,
    content::Piece,
    is_default,
    weight::{Weigh, weigh},
};
use crate::{
    model::{
        self, CommandRun, ContentBlock, Entity, EntityFacts, EntityId, EntityKind, EnvEffect,
        MessageId, Meta, PlanEntry, PlanText, RawJson, ToolCallId, ToolInput, ToolKind,
        ToolLocation, sorted_env,
    },
    session::{
        Answered, BlockKind, Message, Notice, NoticeLevel, Steered, Thought, ToolCall, ToolState,
        UserMessage,
    },
    text::{SafeText, SafeTextBuf},
};

/// A block. Members that its kind does not use are omitted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Block {
    /// Counts up within the file; blocks stand in the order in which they first came.
    pub id: u64,
    pub kind: Kind,
    /// As the agent names it.
    #[serde(skip_serializing_if = "is_default")]
    pub source_id: Option<String>,
    #[serde(skip_serializing_if = "is_default")]
    pub text: SafeText,
    /// The agent refused it (V1-PROMPT-05).
    #[serde(skip_serializing_if = "is_default")]
    pub refused: bool,
    /// It was said into an open turn.
    #[serde(skip_serializing_if = "is_default")]
    pub steered: bool,
    #[serde(skip_serializing_if = "is_default")]
    pub level: Option<NoticeLevel>,
    #[serde(skip_serializing_if = "is_default")]
    pub detail: Option<SafeText>,
    /// The detail is what a program said last.
    #[serde(skip_serializing_if = "is_default")]
    pub last_words: bool,
    #[serde(skip_serializing_if = "is_default")]
    pub entries: Vec<PlanEntry>,
    /// Of a plan in markdown: the file that holds it.
    #[serde(skip_serializing_if = "is_default")]
    pub path: Option<String>,
    /// Of an entity, and of a subagent as it was last heard of.
    #[serde(skip_serializing_if = "is_default")]
    pub status: Option<SafeText>,
    /// Of a subagent: the number of its own conversation.
    #[serde(skip_serializing_if = "is_default")]
    pub child: Option<u64>,
    #[serde(skip_serializing_if = "is_default")]
    pub tool: Option<Box<Tool>>,
    #[serde(skip_serializing_if = "is_default")]
    pub content: Vec<Piece>,
    /// How long it took, where that is known.
    #[serde(skip_serializing_if = "is_default")]
    pub took_ms: Option<u64>,
    /// As the agent sent it (V1-META-01); each once.
    #[serde(rename = "_meta", skip_serializing_if = "is_default")]
    pub meta: Vec<RawJson>,
    #[serde(skip)]
    pub aside: Aside,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    User,
    Agent,
    Thought,
    Tool,
    Plan,
    PlanText,
    /// By the name of its kind.
    Entity(&'static str),
    Subagent,
    Content,
    Notice,
    /// It was withdrawn: a reader drops what it knows of it.
    Gone,
    /// Of a later version: not shown.
    #[default]
    Later,
}

impl Kind {
    const NAMED: [(Self, &'static str); 10] = [
        (Self::User, "user"),
        (Self::Agent, "agent"),
        (Self::Thought, "thought"),
        (Self::Tool, "tool"),
        (Self::Plan, "plan"),
        (Self::PlanText, "plan_text"),
        (Self::Subagent, "subagent"),
        (Self::Content, "content"),
        (Self::Notice, "notice"),
        (Self::Gone, "gone"),
    ];

    fn of(name: &str) -> Self {
        let own = Self::NAMED.iter().find(|(_, own)| *own == name);
        let entity = || EntityKind::stored(name, EntityFacts::default());
        own.map(|(kind, _)| *kind)
            .or_else(|| Some(Self::Entity(entity()?.name())))
            .unwrap_or_default()
    }

    fn name(self) -> &'static str {
        if let Self::Entity(name) = self {
            return name;
        }
        let own = Self::NAMED.iter().find(|(kind, _)| *kind == self);
        own.map_or("later", |(_, name)| name)
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::of(&Cow::<str>::deserialize(deserializer)?))
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Tool {
    pub call_id: String,
    pub title: SafeText,
    #[serde(skip_serializing_if = "is_default")]
    pub name: Option<String>,
    pub kind: ToolKind,
    pub status: SafeText,
    #[serde(skip_serializing_if = "is_default")]
    pub locations: Vec<ToolLocation>,
    #[serde(skip_serializing_if = "is_default")]
    pub raw_input: Option<RawJson>,
    /// The input that was asked about, where the call now names another one.
    #[serde(skip_serializing_if = "is_default")]
    pub asked_input: Option<RawJson>,
    #[serde(skip_serializing_if = "is_default")]
    pub raw_output: Option<RawJson>,
    #[serde(skip_serializing_if = "is_default")]
    pub command: Option<String>,
    #[serde(skip_serializing_if = "is_default")]
    pub command_cwd: Option<String>,
    /// Variables that were set for the command alone; secrets without their values.
    #[serde(skip_serializing_if = "is_default")]
    pub command_env: Vec<(String, String)>,
    #[serde(skip_serializing_if = "is_default")]
    pub by_person: bool,
    /// The answers to its permission requests, in order.
    #[serde(skip_serializing_if = "is_default")]
    pub answers: Vec<Answered>,
}

pub(super) fn values(meta: &Meta) -> Vec<RawJson> {
    meta.objects().collect()
}

pub(super) fn millis(took: Duration) -> u64 {
    u64::try_from(took.as_millis()).unwrap_or(u64::MAX)
}

impl Block {
    /// Copies what is kept. It copies the text of messages; everything else is shared.
    pub fn new(id: u64, block: &BlockKind) -> Self {
        let of = |kind| Self {
            id,
            kind,
            ..Self::default()
        };
        match block {
            BlockKind::User(message) => Self {
                text: message.text.clone(),
                content: message.attached.iter().map(Piece::from).collect(),
                refused: message.refused,
                steered: message.steered.is_some(),
                meta: values(&message.meta),
                ..of(Kind::User)
            },
            BlockKind::Agent(message) => Self {
                source_id: message.id.as_ref().map(|id| id.as_str().to_owned()),
                text: message.text.since(0),
                meta: values(&message.meta),
                ..of(Kind::Agent)
            },
            BlockKind::Thought(thought) => Self {
                source_id: thought.id.as_ref().map(|id| id.as_str().to_owned()),
                text: thought.text.since(0),
                took_ms: thought.took.map(millis),
                meta: values(&thought.meta),
                ..of(Kind::Thought)
            },
            BlockKind::Tool(call) => Self {
                tool: Some(Box::new(call.as_ref().into())),
                content: call.content.iter().map(Piece::from).collect(),
                took_ms: call.took.map(millis),
                meta: values(&call.meta),
                ..of(Kind::Tool)
            },
            BlockKind::Plan(entries) => Self {
                entries: entries.clone(),
                ..of(Kind::Plan)
            },
            BlockKind::PlanText(plan) => Self {
                text: plan.text.clone(),
                path: plan.path.clone(),
                ..of(Kind::PlanText)
            },
            BlockKind::Entity(entity) => Self::entity(id, entity),
            // `Block::subagent` stores the rest of it.
            BlockKind::Subagent(session) => Self {
                source_id: Some(session.as_str().to_owned()),
                ..of(Kind::Subagent)
            },
            BlockKind::Content(content) => Self {
                content: vec![content.into()],
                ..of(Kind::Content)
            },
            BlockKind::Notice(notice) => Self {
                text: notice.text.clone(),
                level: Some(notice.level),
                detail: notice.detail.clone(),
                last_words: notice.last_words,
                ..of(Kind::Notice)
            },
        }
    }

    fn entity(id: u64, entity: &Entity) -> Self {
        let block = Self {
            id,
            meta: values(&entity.meta),
            ..Self::default()
        };
        if let EntityKind::SessionMessage(_) = entity.kind {
            // Readers of before know no such kind.
            return Self {
                kind: Kind::Notice,
                text: "a message between the agent and a subagent".into(),
                level: Some(NoticeLevel::Quiet),
                detail: entity.content.iter().find_map(|piece| match piece {
                    model::Piece::Text(text) => Some(text.since(0)),
                    model::Piece::Content(_) => None,
                }),
                ..block
            };
        }
        let facts = entity.kind.facts();
        Self {
            kind: Kind::Entity(entity.kind.name()),
            source_id: Some(entity.id.as_str().to_owned()),
            text: facts.text,
            status: facts.status,
            detail: facts.detail,
            path: facts.path,
            content: entity.content.iter().map(Piece::from).collect(),
            took_ms: entity.took.map(millis),
            ..block
        }
    }

    /// In place of a block that was withdrawn.
    pub fn gone(id: u64) -> Self {
        Self {
            id,
            kind: Kind::Gone,
            ..Self::default()
        }
    }

    /// As a finished block. `None` for a kind of a later version, and for a subagent's.
    pub fn into_history(self, now: Instant) -> Option<BlockKind> {
        let mut meta = Meta::default();
        meta.extend(self.meta);
        let took = self.took_ms.map(Duration::from_millis);
        let id = self.source_id.as_ref().map(MessageId::new);
        Some(match self.kind {
            Kind::User => BlockKind::User(UserMessage {
                text: self.text,
                attached: self.content.into_iter().map(Into::into).collect(),
                refused: self.refused,
                steered: self.steered.then_some(Steered::Taken),
                meta,
            }),
            Kind::Agent => BlockKind::Agent(Message {
                id,
                text: SafeTextBuf::from(self.text),
                done: true,
                meta,
            }),
            Kind::Thought => BlockKind::Thought(Thought {
                id,
                text: SafeTextBuf::from(self.text),
                started: now,
                // Zero: not known.
                took: Some(took.unwrap_or_default()),
                meta,
            }),
            Kind::Tool => {
                let tool = *self.tool?;
                BlockKind::Tool(Box::new(ToolCall {
                    content: self.content.into_iter().map(Into::into).collect(),
                    took,
                    meta,
                    ..tool.into_history(now)
                }))
            }
            Kind::Plan => BlockKind::Plan(self.entries),
            Kind::PlanText => BlockKind::PlanText(PlanText {
                text: self.text,
                path: self.path,
            }),
            Kind::Entity(name) => {
                let facts = EntityFacts {
                    text: self.text,
                    status: self.status,
                    detail: self.detail,
                    path: self.path,
                };
                BlockKind::Entity(Box::new(Entity {
                    id: EntityId::new(self.source_id.unwrap_or_default()),
                    kind: EntityKind::stored(name, facts)?,
                    content: self.content.into_iter().map(ContentBlock::from).collect(),
                    meta,
                    started: now,
                    took,
                }))
            }
            Kind::Content => BlockKind::Content(self.content.into_iter().next()?.into()),
            Kind::Notice => BlockKind::Notice(Notice {
                level: self.level.unwrap_or_default(),
                text: self.text,
                detail: self.detail,
                last_words: self.last_words,
            }),
            // `Conversation::into_history` restores it, with its own conversation.
            Kind::Subagent | Kind::Gone | Kind::Later => return None,
        })
    }

    /// A tool call that goes on.
    pub fn is_open(&self) -> bool {
        const ENDS: [&str; 4] = ["completed", "failed", "cancelled", "ended"];
        let tool = self.tool.as_ref();
        tool.is_some_and(|tool| !ENDS.contains(&tool.status.as_str()))
    }

    /// The texts that a search looks into.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let tool = self.tool.iter().flat_map(|tool| {
            let places = tool.locations.iter().map(|at| at.path.as_str());
            places
                .chain([tool.title.as_str()])
                .chain(tool.command.as_deref())
        });
        let entries = self.entries.iter().map(|entry| entry.content.as_str());
        let content = self.content.iter().flat_map(Piece::texts);
        std::iter::once(self.text.as_str())
            .chain(tool)
            .chain(entries)
            .chain(content)
    }

    /// The bytes that it takes, roughly.
    pub fn weight(&self) -> usize {
        256 + self.aside.bytes
            + weigh!(self.text, self.tool, self.content, self.entries, self.meta)
            + weigh!(self.detail, self.status, self.source_id, self.path)
    }
}

impl Weigh for Tool {
    fn weight(&self) -> usize {
        weigh!(self.call_id, self.title, self.status, self.name)
            + weigh!(self.raw_input, self.asked_input, self.raw_output)
            + weigh!(self.command, self.command_cwd, self.command_env)
            + weigh!(self.locations, self.answers)
    }
}

impl From<&ToolCall> for Tool {
    fn from(call: &ToolCall) -> Self {
        Self {
            call_id: call.id.as_str().to_owned(),
            title: call.title.clone(),
            name: call.name.clone(),
            kind: call.kind,
            status: SafeText::line(call.state.as_str()),
            locations: call.locations.clone(),
            // A plan's JSON is the plan once more.
            raw_input: call.raw_input.clone().filter(|_| call.todos.is_empty()),
            asked_input: call.other_input_asked().cloned(),
            raw_output: call.raw_output.clone().filter(|_| call.todos.is_empty()),
            command: call.command.clone(),
            command_cwd: call.command_cwd.clone(),
            command_env: call.input.as_deref().map(kept_env).unwrap_or_default(),
            by_person: call.by_person,
            answers: call.answers.clone(),
        }
    }
}

impl Tool {
    /// A call that was unfinished has no result.
    fn into_history(self, now: Instant) -> ToolCall {
        ToolCall {
            title: self.title,
            name: self.name,
            kind: self.kind,
            state: match ToolState::of(&self.status) {
                end @ (ToolState::Completed | ToolState::Failed | ToolState::Cancelled) => end,
                _ => ToolState::Ended,
            },
            locations: self.locations,
            raw_input: self.raw_input,
            asked_input: self.asked_input,
            raw_output: self.raw_output,
            input: (!self.command_env.is_empty()).then(|| {
                let run = CommandRun {
                    line: self.command.clone().unwrap_or_default(),
                    cwd: self.command_cwd.clone(),
                    env: self.command_env,
                    ..CommandRun::default()
                };
                Arc::new(ToolInput {
                    run: Some(run),
                    ..ToolInput::default()
                })
            }),
            command: self.command,
            command_cwd: self.command_cwd,
            by_person: self.by_person,
            answers: self.answers,
            ..ToolCall::new(ToolCallId::new(self.call_id), now)
        }
    }
}

/// Variables that may change what a command does; secrets without their values.
fn kept_env(input: &ToolInput) -> Vec<(String, String)> {
    let env = input.run.iter().flat_map(|run| sorted_env(&run.env));
    env.filter(|variable| variable.effect != EnvEffect::Harmless)
        .map(|variable| {
            let value = variable.shown_value().map_or("", |_| variable.value);
            (variable.name.to_owned(), value.to_owned())
        })
        .collect()
}
