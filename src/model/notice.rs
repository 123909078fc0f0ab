//! Notices of the agent: for the person, at this moment (V1-NOTE).

use crate::text::SafeText;

/// Said and gone: no part of the conversation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentNotice {
    pub severity: NoticeSeverity,
    /// Can stand alone.
    pub title: SafeText,
    pub description: Option<SafeText>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum NoticeSeverity {
    /// Also what is missing or unknown (V1-NOTE-01).
    #[default]
    Info,
    Warning,
    Error,
}
