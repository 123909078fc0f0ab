//! Plans (V1-PLAN).

use serde::{Deserialize, Serialize};

use crate::{
    model::{PlanId, RawJson},
    text::SafeText,
};

/// Stored as it is; missing members are default.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
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
    /// It will not be done (V2-UPD-07).
    Cancelled,
}

/// A plan with an id: one of several (V1-PLAN-03). The plan without an id is separate (V1-PLAN-06).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedPlan {
    pub id: PlanId,
    pub body: PlanBody,
}

/// The form of a plan; an update may change it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlanBody {
    Items(Vec<PlanEntry>),
    Text(PlanText),
    /// Of an unknown type: it replaces the plan (V2-UPD-07).
    Unknown {
        kind: SafeText,
        raw: RawJson,
    },
}

/// A whole plan in markdown (V1-PLAN-04).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlanText {
    pub text: SafeText,
    /// The file that holds it, as the agent named it.
    pub path: Option<String>,
}
