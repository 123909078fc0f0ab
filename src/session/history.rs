//! What is known of a conversation of the past, to be shown: as it was stored.

use std::time::Duration;

use crate::{
    model::{NamedPlan, PlanEntry, SessionId, WorkState},
    session::BlockKind,
    text::SafeText,
};

/// A conversation of the past. Nothing in it goes on.
#[derive(Debug, Default)]
pub struct History {
    pub title: Option<SafeText>,
    /// The person gave it.
    pub own_title: bool,
    pub blocks: Vec<Past>,
    /// When each of them came, in milliseconds since 1970; as far as that is known.
    pub at: Vec<u64>,
    /// What was planned and not done.
    pub plan: Vec<PlanEntry>,
    pub plans: Vec<NamedPlan>,
}

impl History {
    /// Leaves out the last so many prompts of the person's, and all that came behind the first of them.
    pub fn cut_prompts(&mut self, count: usize) {
        let is_prompt = |past: &Past| matches!(past, Past::Block(kind) if kind.is_prompt());
        let blocks = self.blocks.iter().enumerate().rev();
        let mut prompts = blocks.filter(|(_, past)| is_prompt(past));
        let Some((at, _)) = count.checked_sub(1).and_then(|before| prompts.nth(before)) else {
            return;
        };
        self.blocks.truncate(at);
        self.at.truncate(at);
        self.plan.clear();
        self.plans.clear();
    }
}

/// A block of it.
#[derive(Debug)]
pub enum Past {
    Block(BlockKind),
    Subagent(Box<PastSubagent>),
}

/// A subagent that was there, and its own conversation.
#[derive(Debug)]
pub struct PastSubagent {
    pub id: SessionId,
    /// How its work ended, where that is known: it does nothing now.
    pub state: Option<WorkState>,
    pub took: Option<Duration>,
    pub said: History,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{Steered, UserMessage};

    fn said(text: &str, steered: bool) -> Past {
        Past::Block(BlockKind::User(UserMessage {
            steered: steered.then_some(Steered::Taken),
            ..UserMessage::of(SafeText::new(text))
        }))
    }

    #[test]
    fn the_last_prompts_are_cut_with_all_behind_them() {
        let history = || History {
            blocks: vec![
                said("1", false),
                said("2", false),
                said("2, more", true),
                said("3", false),
            ],
            at: vec![1, 2, 3, 4],
            ..History::default()
        };
        for (prompts, left) in [(0, 4), (1, 3), (2, 1), (3, 0), (4, 4)] {
            let mut cut = history();
            cut.cut_prompts(prompts);
            assert_eq!((cut.blocks.len(), cut.at.len()), (left, left), "{prompts}");
        }
    }
}
