//! Plans: pinned while unfinished, in the transcript once they are done or their turn was stopped.
//!
//! One plan has no id; there may be several more that have one (V1-PLAN-03, V1-PLAN-06). A plan in
//! markdown does not say when it is done: it ends with its turn.

use std::collections::HashMap;

use crate::{
    model::{ContentBlock, NamedPlan, PlanBody, PlanEntry, PlanId, PlanStatus},
    session::{BlockId, BlockKind},
};

use super::super::Step;
use super::bounds::{MAX_PLANS, bound_entries, bounded_plan};

#[derive(Debug, Default)]
pub struct PlanRules {
    /// The block of this turn's finished plan, which is reused if the plan comes again.
    finished: Option<BlockId>,
    /// The same of plans with ids.
    finished_named: HashMap<PlanId, BlockId>,
}

impl PlanRules {
    pub fn new_turn(&mut self) {
        self.finished = None;
        self.finished_named.clear();
    }
}

impl Step<'_> {
    /// Replaces the whole plan; an empty one clears it (V1-PLAN-01).
    pub fn plan(&mut self, mut entries: Vec<PlanEntry>) {
        bound_entries(&mut entries);
        self.conversation_mut().plan = entries;
        self.settle_plan();
    }

    /// Moves a finished plan into the transcript.
    pub fn settle_plan(&mut self) {
        if !is_done(&self.conversation().plan) {
            return;
        }
        let plan = std::mem::take(&mut self.conversation_mut().plan);
        let finished = self.conversation().plan_rules.finished;
        let block = self.put_plan(finished, BlockKind::Plan(plan));
        self.conversation_mut().plan_rules.finished = Some(block);
    }

    /// The person stopped the turn: the plan goes into the transcript there.
    pub fn settle_all_plans(&mut self) {
        let plan = std::mem::take(&mut self.conversation_mut().plan);
        if !plan.is_empty() {
            self.push(BlockKind::Plan(plan));
        }
        while !self.conversation().plans.is_empty() {
            self.settle_plan_at(0);
        }
    }

    /// Replaces the plan with that id whole, its type included (V1-PLAN-03).
    pub fn named_plan(&mut self, plan: NamedPlan) {
        let plan = bounded_plan(plan);
        let is_empty = match &plan.body {
            PlanBody::Items(entries) => entries.is_empty(),
            PlanBody::Text(text) => text.text.trim().is_empty(),
            PlanBody::Unknown { .. } => false,
        };
        if is_empty {
            self.plan_removed(&plan.id);
            return;
        }
        let plans = &mut self.conversation_mut().plans;
        match plans.iter_mut().find(|known| known.id == plan.id) {
            Some(known) => *known = plan,
            None => plans.push(plan),
        }
        if plans.len() > MAX_PLANS {
            self.settle_plan_at(0);
        }
        let done =
            |plan: &NamedPlan| matches!(&plan.body, PlanBody::Items(items) if is_done(items));
        while let Some(at) = self.conversation().plans.iter().position(done) {
            self.settle_plan_at(at);
        }
    }

    /// An unknown id is ignored (V1-PLAN-05). What stands in the transcript is history.
    pub fn plan_removed(&mut self, id: &PlanId) {
        self.conversation_mut().plans.retain(|plan| plan.id != *id);
    }

    /// The turn is over: its plans in markdown go into the transcript.
    pub fn settle_plan_texts(&mut self) {
        let is_text = |plan: &NamedPlan| !matches!(plan.body, PlanBody::Items(_));
        while let Some(at) = self.conversation().plans.iter().position(is_text) {
            self.settle_plan_at(at);
        }
    }

    fn settle_plan_at(&mut self, at: usize) {
        let NamedPlan { id, body } = self.conversation_mut().plans.remove(at);
        let finished = self
            .conversation()
            .plan_rules
            .finished_named
            .get(&id)
            .copied();
        let kind = match body {
            PlanBody::Items(entries) => BlockKind::Plan(entries),
            PlanBody::Text(text) => BlockKind::PlanText(text),
            PlanBody::Unknown { kind, raw } => {
                BlockKind::Content(ContentBlock::Unknown { kind, raw })
            }
        };
        let block = self.put_plan(finished, kind);
        let finished = &mut self.conversation_mut().plan_rules.finished_named;
        if finished.len() < MAX_PLANS || finished.contains_key(&id) {
            finished.insert(id, block);
        }
    }

    /// Into its place, if it has one in this turn; else at the end.
    fn put_plan(&mut self, place: Option<BlockId>, kind: BlockKind) -> BlockId {
        match place {
            Some(block) if self.conversation().has(block) => {
                self.conversation_mut().replace(block, kind);
                block
            }
            _ => self.push(kind),
        }
    }
}

fn is_done(entries: &[PlanEntry]) -> bool {
    let settled =
        |entry: &PlanEntry| matches!(entry.status, PlanStatus::Completed | PlanStatus::Cancelled);
    !entries.is_empty() && entries.iter().all(settled)
}
