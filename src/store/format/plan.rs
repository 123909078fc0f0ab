//! Plans that are not done, as they are stored.

use serde::{Deserialize, Serialize};

use super::{
    is_default,
    weight::{ITEM, Weigh, weigh},
};
use crate::{
    model::{NamedPlan, PlanBody, PlanEntry, PlanId, PlanText},
    text::SafeText,
};

/// A pinned plan: its entries or its text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pinned {
    /// `None`: the one without an id (V1-PLAN-06).
    #[serde(skip_serializing_if = "is_default")]
    pub id: Option<String>,
    #[serde(skip_serializing_if = "is_default")]
    pub entries: Vec<PlanEntry>,
    #[serde(skip_serializing_if = "is_default")]
    pub text: SafeText,
    #[serde(skip_serializing_if = "is_default")]
    pub path: Option<String>,
}

impl Weigh for Pinned {
    fn weight(&self) -> usize {
        ITEM + weigh!(self.id, self.entries, self.text, self.path)
    }
}

impl Pinned {
    /// The plans of a conversation that are pinned now.
    pub fn all(plan: &[PlanEntry], plans: &[NamedPlan]) -> Vec<Self> {
        let plain = (!plan.is_empty()).then(|| Self {
            entries: plan.to_vec(),
            ..Self::default()
        });
        let named = plans.iter().map(|plan| {
            let id = Some(plan.id.as_str().to_owned());
            match &plan.body {
                PlanBody::Items(entries) => Self {
                    id,
                    entries: entries.clone(),
                    ..Self::default()
                },
                PlanBody::Unknown { raw, .. } => Self {
                    id,
                    text: SafeText::new(&raw.0),
                    ..Self::default()
                },
                PlanBody::Text(plan) => Self {
                    id,
                    text: plan.text.clone(),
                    path: plan.path.clone(),
                    ..Self::default()
                },
            }
        });
        plain.into_iter().chain(named).collect()
    }

    /// The plan without an id, and the others.
    pub fn restore(all: Vec<Self>) -> (Vec<PlanEntry>, Vec<NamedPlan>) {
        let (mut plain, mut named) = (Vec::new(), Vec::new());
        for plan in all {
            let entries = plan.entries;
            match plan.id {
                None => plain = entries,
                Some(id) => named.push(NamedPlan {
                    id: PlanId::new(id),
                    body: if plan.text.is_empty() {
                        PlanBody::Items(entries)
                    } else {
                        PlanBody::Text(PlanText {
                            text: plan.text,
                            path: plan.path,
                        })
                    },
                }),
            }
        }
        (plain, named)
    }
}
