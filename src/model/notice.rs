//! Notices of the agent: shown for a moment (V1-NOTE).

use crate::text::SafeText;

/// Not part of the conversation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentNotice {
    pub severity: NoticeSeverity,
    /// Can stand alone.
    pub title: SafeText,
    pub description: Option<SafeText>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum NoticeSeverity {
    /// Also if it is missing or unknown (V1-NOTE-01).
    #[default]
    Info,
    Warning,
    Error,
}
