//! A session that is opened again shows what was stored of it.

use std::time::Instant;

use crate::{
    model::SessionId,
    session::{BlockKind, History, Past, PastSubagent, Phase, Session, SessionConfig, Subagent},
};

use super::super::{
    Step,
    conversation::bounds::{MAX_DEPTH, MAX_SUBAGENTS},
};

impl Session {
    /// A session that is only looked at: nothing is started, nothing changes.
    pub fn past(
        config: SessionConfig,
        id: Option<SessionId>,
        history: History,
        now: Instant,
    ) -> Self {
        let mut session = Self::new(config, now);
        session.phase = Phase::Ready;
        session.id = id;
        session.show_stored(history);
        session
    }

    /// Shows what was said and done before, as far as it was stored. For a session that has just
    /// been made: what comes afterwards stands behind it (V1-SES-11), and a replay takes its place
    /// (V1-SES-09).
    pub fn show_stored(&mut self, history: History) {
        self.title.clone_from(&history.title);
        self.own_title = history.own_title;
        self.inner.opening.stored = true;
        let now = self.last_word;
        Step::on(self, now, |step| step.show_past(history));
        self.rev += 1;
    }
}

impl Step<'_> {
    /// Into the conversation that is worked on.
    fn show_past(&mut self, history: History) {
        for past in history.blocks {
            match past {
                Past::Block(kind) => drop(self.conversation_mut().transcript.push(kind)),
                Past::Subagent(subagent) => self.show_past_subagent(*subagent),
            }
        }
        self.conversation_mut().plan = history.plan;
        self.conversation_mut().plans = history.plans;
        self.conversation_mut().weigh();
        // Room is made where it takes too much.
        self.conversation_mut().grow(0);
    }

    /// Its row, and what it said where there is room for it. One that was forgotten and came again
    /// has two rows and one conversation.
    fn show_past_subagent(&mut self, past: PastSubagent) {
        let row = BlockKind::Subagent(past.id.clone());
        let block = self.conversation_mut().transcript.push(row);
        let (id, parent, depth) = (past.id, self.subagent_id().cloned(), 1 + self.depth());
        let all = &self.session.subagents;
        let is_own = all.get(&id).map(|known| known.parent == parent);
        if is_own == Some(false) || parent.as_ref() == Some(&id) {
            return;
        }
        if is_own.is_none() && (all.len() >= MAX_SUBAGENTS || depth > MAX_DEPTH) {
            return;
        }
        let mut subagent = Subagent::new(id.clone(), parent, (block, depth), self.now);
        if let Some(known) = self.session.subagents.take(&id) {
            subagent.conversation = known.conversation;
            subagent.conversation.plan.clear();
            subagent.conversation.plans.clear();
        }
        subagent.title.clone_from(&past.said.title);
        subagent.state = past.state;
        subagent.took = past.took;
        self.session.subagents.insert(Box::new(subagent));
        self.in_subagent(&id, |step| step.show_past(past.said));
    }
}
