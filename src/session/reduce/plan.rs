//! The plan: pinned while unfinished, in the transcript once it is done.

use crate::{
    proto::{PlanEntry, PlanStatus},
    session::{BlockId, BlockKind},
};

use super::{Step, bounds::MAX_PLAN};

#[derive(Debug, Default)]
pub(super) struct PlanRules {
    /// Where this turn's finished plan stands: told again, it is that block and no second one.
    finished: Option<BlockId>,
}

impl PlanRules {
    pub(super) fn new_turn(&mut self) {
        self.finished = None;
    }
}

impl Step<'_> {
    /// Replaces the whole plan; an empty one clears it (V1-PLAN-01).
    pub(super) fn plan(&mut self, mut entries: Vec<PlanEntry>) {
        entries.truncate(MAX_PLAN);
        self.session.plan = entries;
        self.settle_plan();
    }

    /// Moves a finished plan into the transcript.
    pub(super) fn settle_plan(&mut self) {
        let plan = &self.session.plan;
        if plan.is_empty()
            || plan
                .iter()
                .any(|entry| entry.status != PlanStatus::Completed)
        {
            return;
        }
        let plan = std::mem::take(&mut self.session.plan);
        match self.session.inner.plan.finished {
            Some(id) if self.session.transcript.index_of(id).is_some() => {
                self.replace(id, BlockKind::Plan(plan));
            }
            _ => {
                let id = self.push(BlockKind::Plan(plan));
                self.session.inner.plan.finished = Some(id);
            }
        }
    }
}
