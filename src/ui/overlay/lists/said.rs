//! Words in what is said in the open sessions: what the person and the agent said, as among past sessions.
//!
//! Owns what is looked for and what was found. It goes on in bounded steps, so that no frame waits for it.

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    model::SessionKey,
    session::{BlockId, BlockKind, Session, Sessions},
    text::{SafeText, first_bytes, last_bytes},
    ui::find::Pattern,
};

/// Bytes that are looked through in one step; a block is looked through as a whole.
const STEP: usize = 1 << 20;

/// Bytes of text shown on either side of what was found.
const AROUND: usize = 120;

/// The search for what is typed; with nothing to look for it is over.
#[derive(Debug, Default)]
pub struct Said {
    pattern: Option<Arc<Pattern>>,
    /// Sessions that are not looked through yet, the next one last.
    left: Vec<SessionKey>,
    /// The block of the next one that was looked at last: from the newest back.
    at: Option<BlockId>,
    found: BTreeMap<SessionKey, SafeText>,
}

impl Said {
    /// Begins to look for other words.
    pub fn look_for(&mut self, words: &str, sessions: Vec<SessionKey>) {
        // Capital letters count as small ones.
        let pattern = Pattern::new(&words.to_lowercase(), false);
        let pattern = pattern.ok().flatten().map(Arc::new);
        *self = Self {
            left: match pattern {
                Some(_) => sessions,
                None => Vec::new(),
            },
            pattern,
            ..Self::default()
        };
    }

    pub fn is_over(&self) -> bool {
        self.left.is_empty()
    }

    /// How many sessions have the words, so far.
    pub fn count(&self) -> usize {
        self.found.len()
    }

    /// What stands around the words in a session.
    pub fn in_session(&self, key: SessionKey) -> Option<&SafeText> {
        self.found.get(&key)
    }

    /// Goes on by one step.
    pub fn step(&mut self, sessions: &Sessions) {
        let mut budget = STEP;
        while let (Some(key), Some(pattern)) = (self.left.last().copied(), self.pattern.clone()) {
            let over = match sessions.get(key) {
                Some(session) => self.look_through(key, session, &pattern, &mut budget),
                None => true,
            };
            if !over {
                return;
            }
            self.left.pop();
            self.at = None;
        }
    }

    /// Whether the session is done with.
    fn look_through(
        &mut self,
        key: SessionKey,
        session: &Session,
        pattern: &Pattern,
        budget: &mut usize,
    ) -> bool {
        let blocks = session.conversation.transcript.blocks();
        let below = |at: BlockId| blocks.partition_point(|block| block.id < at);
        let to = self.at.map_or(blocks.len(), below);
        for block in blocks.iter().take(to).rev() {
            if *budget == 0 {
                return false;
            }
            self.at = Some(block.id);
            let text: &str = match &block.kind {
                BlockKind::User(said) => &said.text,
                BlockKind::Agent(said) => &said.text,
                _ => continue,
            };
            *budget = budget.saturating_sub(text.len());
            if let Some(found) = pattern.first_in(text) {
                let before = last_bytes(text.get(..found.start).unwrap_or_default(), AROUND);
                let from = found.start - before.len();
                let behind = text.get(from..).unwrap_or_default();
                let shown = first_bytes(behind, before.len() + found.len() + AROUND);
                self.found.insert(key, SafeText::line(shown.trim()));
                return true;
            }
        }
        true
    }
}
