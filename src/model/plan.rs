//! Plans (V1-PLAN).

use serde::{Deserialize, Serialize};

use crate::{
    model::{PlanId, RawJson},
    text::SafeText,
};

/// Stored as it is: what is missing is the default.
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

/// A plan with an id of its own: one of several side by side (V1-PLAN-03). The plan without an id
/// is none of them (V1-PLAN-06).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedPlan {
    pub id: PlanId,
    pub body: PlanBody,
}

/// What a plan is written in; an update may change that as well.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlanBody {
    Items(Vec<PlanEntry>),
    Text(PlanText),
    /// Of a type that this client does not know: in place of what was there (V2-UPD-07).
    Unknown {
        kind: SafeText,
        raw: RawJson,
    },
}

/// A plan in markdown, the whole of it (V1-PLAN-04).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlanText {
    pub text: SafeText,
    /// The file that holds it, as the agent named it.
    pub path: Option<String>,
}
