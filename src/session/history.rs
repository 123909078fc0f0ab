//! What is known of a conversation of the past, to be shown: as it was stored.

use std::time::Duration;

use crate::{
    model::{NamedPlan, PlanEntry, SessionId, WorkState},
    session::BlockKind,
    text::SafeText,
};

/// A conversation of the past. Nothing in it goes on.
#[derive(Debug, Default)]
pub struct History {
    pub title: Option<SafeText>,
    /// The person gave it.
    pub own_title: bool,
    pub blocks: Vec<Past>,
    /// When each of them came, in milliseconds since 1970; as far as that is known.
    pub at: Vec<u64>,
    /// What was planned and not done.
    pub plan: Vec<PlanEntry>,
    pub plans: Vec<NamedPlan>,
}

/// A block of it.
#[derive(Debug)]
pub enum Past {
    Block(BlockKind),
    Subagent(Box<PastSubagent>),
}

/// A subagent that was there, and its own conversation.
#[derive(Debug)]
pub struct PastSubagent {
    pub id: SessionId,
    /// How its work ended, where that is known: it does nothing now.
    pub state: Option<WorkState>,
    pub took: Option<Duration>,
    pub said: History,
}
