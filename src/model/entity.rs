//! Entities: blocks that the agent creates and changes by id (V1-COMP, V1-SUB-05).
//!
//! What all kinds have is in [`Entity`]: content that comes in pieces, `_meta`, times. What makes a kind stands
//! here and nowhere else in the model: its own members, how an update changes them, and how they are stored.

use std::time::{Duration, Instant};

use crate::{
    model::{ContentBlock, EntityId, Meta, Patch, Pieces, SessionId},
    text::SafeText,
};

#[derive(Debug)]
pub struct Entity {
    pub id: EntityId,
    pub kind: EntityKind,
    /// The summary of a compaction, what a message says.
    pub content: Pieces,
    pub meta: Meta,
    pub started: Instant,
    /// Set when it is no longer open; not in a replay, where it is not known.
    pub took: Option<Duration>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum EntityKind {
    Compaction(Compaction),
    SessionMessage(SessionMessage),
}

/// Creates the entity with that id or changes it.
#[derive(Clone, Debug, PartialEq)]
pub struct EntityUpdate {
    pub id: EntityId,
    pub kind: EntityPatch,
    pub content: ContentPatch,
    /// `_meta` is patched as well.
    pub meta: Meta,
}

/// What an update changes of the kind's own members.
#[derive(Clone, Debug, PartialEq)]
pub enum EntityPatch {
    Compaction(CompactionPatch),
    SessionMessage(SessionMessagePatch),
}

#[derive(Clone, Debug, PartialEq)]
pub enum ContentPatch {
    /// Replaces all of it; an empty list clears it.
    Whole(Patch<Vec<ContentBlock>>),
    /// A chunk: goes behind what there is.
    Add(ContentBlock),
}

/// The members of a kind under names that all kinds share: for stored sessions, exports and searches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EntityFacts {
    pub text: SafeText,
    pub status: Option<SafeText>,
    pub detail: Option<SafeText>,
    pub path: Option<String>,
}

impl Entity {
    /// What an update of an unknown id begins.
    pub fn new(update: &EntityUpdate, now: Instant) -> Self {
        Self {
            id: update.id.clone(),
            kind: match update.kind {
                EntityPatch::Compaction(_) => EntityKind::Compaction(Compaction::default()),
                EntityPatch::SessionMessage(_) => {
                    EntityKind::SessionMessage(SessionMessage::default())
                }
            },
            content: Pieces::default(),
            meta: Meta::default(),
            started: now,
            took: None,
        }
    }

    pub fn apply(&mut self, update: EntityUpdate) {
        self.kind.apply(update.kind);
        match update.content {
            ContentPatch::Whole(Patch::Keep) => {}
            ContentPatch::Whole(Patch::Clear) => self.content = Pieces::default(),
            ContentPatch::Whole(Patch::Set(blocks)) => self.content = blocks.into_iter().collect(),
            ContentPatch::Add(block) => self.content.push(block),
        }
        self.meta.merge(&update.meta);
    }

    /// Bytes that it holds, its ids among them: an agent chooses their length.
    pub fn weight(&self) -> usize {
        let ids = match &self.kind {
            EntityKind::Compaction(_) => 0,
            EntityKind::SessionMessage(message) => {
                let ids = [&message.sender, &message.recipient].into_iter().flatten();
                ids.map(|id| id.as_str().len()).sum()
            }
        };
        let facts = self.kind.facts();
        let texts = [&facts.status, &facts.detail].into_iter().flatten();
        let texts: usize = texts.map(|text| text.len()).sum();
        let path = facts.path.map_or(0, |path| path.len());
        let own = self.id.as_str().len() + ids;
        own + self.content.weight() + self.meta.weight() + facts.text.len() + texts + path
    }
}

impl EntityKind {
    fn apply(&mut self, patch: EntityPatch) {
        match (self, patch) {
            (Self::Compaction(compaction), EntityPatch::Compaction(patch)) => {
                if let Some(status) = patch.status {
                    compaction.status = status;
                    compaction.abandoned = false;
                }
                patch.error.apply(&mut compaction.error);
            }
            (Self::SessionMessage(message), EntityPatch::SessionMessage(patch)) => {
                patch.sender.apply(&mut message.sender);
                patch.recipient.apply(&mut message.recipient);
            }
            // Kinds do not share ids.
            (Self::Compaction(_) | Self::SessionMessage(_), _) => {}
        }
    }

    /// The agent will say how it ends.
    pub fn is_open(&self) -> bool {
        match self {
            Self::Compaction(compaction) => {
                compaction.status == CompactionStatus::InProgress && !compaction.abandoned
            }
            Self::SessionMessage(_) => false,
        }
    }

    /// The agent or its session is gone.
    pub fn abandon(&mut self) {
        match self {
            Self::Compaction(compaction) => compaction.abandoned = true,
            Self::SessionMessage(_) => {}
        }
    }

    pub fn facts(&self) -> EntityFacts {
        match self {
            Self::Compaction(compaction) => EntityFacts {
                status: Some(SafeText::line(compaction.status.as_str())),
                detail: compaction.error.clone(),
                ..EntityFacts::default()
            },
            Self::SessionMessage(_) => EntityFacts::default(),
        }
    }

    /// Its name in stored sessions.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Compaction(_) => "compaction",
            Self::SessionMessage(_) => "session_message",
        }
    }

    /// As a stored session gives it: nothing in it goes on. `None` for a kind that is not stored by its name.
    pub fn stored(name: &str, facts: EntityFacts) -> Option<Self> {
        Some(match name {
            "compaction" => Self::Compaction(Compaction {
                status: CompactionStatus::of(&facts.status.unwrap_or_default()),
                error: facts.detail,
                abandoned: true,
            }),
            _ => return None,
        })
    }
}

impl EntityUpdate {
    /// Cuts the texts that are shown whole.
    pub fn bound_texts(&mut self, bounded: impl Fn(&SafeText) -> SafeText) {
        match &mut self.kind {
            EntityPatch::Compaction(patch) => {
                if let Patch::Set(error) = &mut patch.error {
                    *error = bounded(error);
                }
            }
            EntityPatch::SessionMessage(_) => {}
        }
    }

    /// Bytes of its content.
    pub fn weight(&self) -> usize {
        match &self.content {
            ContentPatch::Whole(blocks) => {
                let blocks = blocks.as_set().into_iter().flatten();
                blocks.map(ContentBlock::weight).sum()
            }
            ContentPatch::Add(block) => block.weight(),
        }
    }
}

impl EntityPatch {
    /// The kind that it is for.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Compaction(_) => "compaction",
            Self::SessionMessage(_) => "session_message",
        }
    }
}

/// The context was made smaller, or is being (V1-COMP-01).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compaction {
    pub status: CompactionStatus,
    pub error: Option<SafeText>,
    /// The agent or its session ended before it was over: it is not known how it ended.
    pub abandoned: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct CompactionPatch {
    /// `None` where an agent omits what it must say.
    pub status: Option<CompactionStatus>,
    pub error: Patch<SafeText>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum CompactionStatus {
    #[default]
    InProgress,
    Completed,
    Failed,
    Cancelled,
    /// An unknown status, shown as it is (V1-COMP-03).
    Unknown(SafeText),
}

/// What one session wrote to another: in the transcript of each of them (V1-SUB-05).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionMessage {
    pub sender: Option<SessionId>,
    pub recipient: Option<SessionId>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionMessagePatch {
    pub sender: Patch<SessionId>,
    pub recipient: Patch<SessionId>,
}
