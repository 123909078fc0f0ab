//! A question that is asked beside the conversation, in a fork of the session, and leaves nothing in it.

use std::time::{Duration, Instant};

use crate::text::{SafeText, SafeTextBuf};

#[derive(Clone, Debug)]
pub struct SideQuestion {
    /// What was asked.
    pub question: SafeText,
    /// What came so far, in markdown.
    pub answer: SafeTextBuf,
    /// The answer is longer than what is kept of it.
    pub cut: bool,
    pub state: SideState,
    /// When it was asked.
    pub since: Instant,
    /// The tool call that the agent is at, by its title.
    pub doing: Option<SafeText>,
    /// Requests that were denied because a side question only reads.
    pub denied: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SideState {
    /// `session/fork` is open.
    Forking,
    /// The fork has the question.
    Answering,
    Done {
        took: Duration,
    },
    /// No more will come, and why.
    Ended {
        why: SafeText,
    },
}

impl SideQuestion {
    pub(super) fn new(question: SafeText, now: Instant) -> Self {
        Self {
            question,
            answer: SafeTextBuf::default(),
            cut: false,
            state: SideState::Forking,
            since: now,
            doing: None,
            denied: 0,
        }
    }

    /// More may come.
    pub fn is_open(&self) -> bool {
        matches!(self.state, SideState::Forking | SideState::Answering)
    }
}
