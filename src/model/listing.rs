//! Sessions that an agent has kept (V1-SES-12, V1-SES-13).

use crate::{model::SessionId, text::SafeText};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SessionInfo {
    pub id: SessionId,
    pub title: Option<SafeText>,
    /// Raw.
    pub cwd: Option<String>,
    /// Seconds since 1970; `None` if the agent gave no valid time.
    pub updated: Option<i64>,
    /// The whole list, never merged with an older one. Raw.
    pub additional_directories: Vec<String>,
}

/// An answer to `session/list`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SessionPage {
    pub sessions: Vec<SessionInfo>,
    /// Opaque; even an empty one means that there is more (V1-SES-12).
    pub next: Option<String>,
}
