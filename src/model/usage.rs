//! What a session has used: tokens, and what they cost.

use crate::{model::Patch, text::SafeText};

/// `usage_update` (V1-UPD-09).
#[derive(Clone, PartialEq, Debug)]
pub struct UsageUpdate {
    pub used: u64,
    pub size: u64,
    pub cost: Patch<(f64, SafeText)>,
}

/// How near a limit of the person's account is, as claude tells it (no part of the protocol).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RateLimit {
    pub state: LimitState,
    /// What it counts, as `5-hour limit`.
    pub name: SafeText,
    /// Percent that are used.
    pub used: Option<u16>,
    /// When it counts anew, in seconds since 1970.
    pub resets: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LimitState {
    Fine,
    Near,
    /// Nothing more is answered until it counts anew.
    Reached,
}

/// What a session has used.
#[derive(Clone, PartialEq, Debug)]
pub struct Usage {
    /// Tokens in the context now, and its size (may be 0).
    pub used: u64,
    pub size: u64,
    /// Cumulative cost and its unit (`USD`, `credits`, …).
    pub cost: Option<(f64, SafeText)>,
}

/// `usage` in the answer to a prompt (V1-PROMPT-08). Some agents count the turn, some the session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TurnTokens {
    pub total: u64,
    pub input: u64,
    pub output: u64,
}
