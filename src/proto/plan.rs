//! Plans (V1-PLAN).

use crate::text::SafeText;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlanEntry {
    pub content: SafeText,
    pub priority: PlanPriority,
    pub status: PlanStatus,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PlanPriority {
    High,
    #[default]
    Medium,
    Low,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PlanStatus {
    #[default]
    Pending,
    InProgress,
    Completed,
}
