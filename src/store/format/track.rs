//! How much of one conversation is written already.

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{DefaultHasher, Hash, Hasher},
    time::{Duration, Instant},
};

use super::{
    block::{self, Block},
    line::{Line, More},
    plan::Pinned,
};
use crate::{
    model::{Meta, SessionId},
    session::{Block as Said, BlockId, BlockKind, Changes, Conversation, Subagents, Transcript},
    text::SafeTextBuf,
};

/// A running call is written after this time, and then less and less often.
const CALL_DELAY: Duration = Duration::from_secs(2);

/// The longest time between two writes of a running call.
pub(super) const MAX_DELAY: Duration = Duration::from_secs(64);

/// Growing messages that are remembered; others are written again whole.
const MAX_GROWING: usize = 64;

/// Blocks of subagents that are remembered as written; others may be written once too often.
const MAX_ROWS: usize = 256;

/// Samples that tell whether a text has only grown since it was written, and their bytes.
const PLACES: usize = 8;
const PLACE: usize = 16;

/// The moment of writing, and what is known then.
pub(super) struct When<'a> {
    pub now: Instant,
    /// In milliseconds since 1970.
    pub t: u64,
    /// Running calls are written too: a turn ended, or this is the last time.
    pub whole: bool,
    /// All subagents, and the numbers of their conversations.
    pub subagents: &'a Subagents,
    pub numbers: &'a BTreeMap<SessionId, u64>,
}

#[derive(Debug, Default)]
pub(super) struct Track {
    /// The transcript's revision and generation that were seen last.
    pub seen: u64,
    pub generation: u64,
    /// The first block that this run writes, and its id in the file.
    pub first: BlockId,
    pub first_id: u64,
    growing: BTreeMap<BlockId, Growing>,
    busy: BTreeMap<BlockId, Busy>,
    /// Changed calls that wait for their time.
    late: BTreeSet<BlockId>,
    rows: BTreeMap<BlockId, Block>,
    /// As they were written.
    pub plans: Vec<Pinned>,
    plans_wait: Option<Busy>,
}

/// How much of a message's text is written.
#[derive(Debug)]
struct Growing {
    len: usize,
    print: u64,
    took: Option<Duration>,
    meta: u64,
}

/// When a running call, or the plans, are written next.
#[derive(Debug)]
struct Busy {
    next: Instant,
    delay: Duration,
}

impl Busy {
    fn since(now: Instant) -> Self {
        Self {
            next: now,
            delay: CALL_DELAY,
        }
    }

    fn is_due(&mut self, now: Instant) -> bool {
        if now < self.next {
            return false;
        }
        self.next = now + self.delay;
        self.delay = (self.delay * 2).min(MAX_DELAY);
        true
    }
}

impl Track {
    /// Continues after the blocks that are shown.
    pub fn behind(transcript: &Transcript, next_id: u64) -> Self {
        let shown = transcript.blocks().last();
        Self {
            first: shown.map_or(BlockId(0), |block| BlockId(block.id.0 + 1)),
            first_id: next_id,
            seen: transcript.rev(),
            generation: transcript.generation(),
            ..Self::default()
        }
    }

    /// Begins again after the transcript was replaced.
    pub fn anew(transcript: &Transcript) -> Self {
        let first = transcript.blocks().first();
        Self {
            generation: transcript.generation(),
            first: first.map_or(BlockId(0), |block| block.id),
            ..Self::default()
        }
    }

    /// The last lines did not reach the disk.
    pub fn failed(&mut self) {
        self.seen = 0;
        self.growing.clear();
        self.busy.clear();
        self.rows.clear();
        self.plans.clear();
    }

    /// When the next waiting call is due.
    pub fn due(&self) -> Option<Instant> {
        let late = self.late.iter().filter_map(|id| self.busy.get(id));
        late.map(|busy| busy.next).min()
    }

    /// Appends the lines that are due now.
    pub fn take(&mut self, said: &Conversation, when: &When<'_>, out: &mut Vec<Line>) {
        let transcript = &said.transcript;
        let changed: Vec<&Said> = match transcript.changes_since(self.seen) {
            Changes::Some(indexes) => {
                let indexes: BTreeSet<usize> = indexes.into_iter().collect();
                let blocks = indexes.into_iter();
                blocks
                    .filter_map(|at| transcript.blocks().get(at))
                    .collect()
            }
            Changes::All => {
                let blocks = transcript.blocks().iter();
                blocks.filter(|block| block.rev > self.seen).collect()
            }
        };
        for id in transcript.withdrawn_since(self.seen) {
            if id >= self.first {
                self.growing.remove(&id);
                self.rows.remove(&id);
                let id = self.first_id + (id.0 - self.first.0);
                out.push(Line::block(when.t, Block::gone(id)));
            }
        }
        let late = std::mem::take(&mut self.late);
        let changed = changed.iter().map(|block| block.id);
        let all: BTreeSet<BlockId> = changed.chain(late).collect();
        for block in all.into_iter().filter_map(|id| transcript.get(id)) {
            out.extend(self.line(block, when));
        }
        self.seen = transcript.rev();
        out.extend(self.plans_line(said, when));
    }

    /// Agents send all plans again with each changed step.
    fn plans_line(&mut self, said: &Conversation, when: &When<'_>) -> Option<Line> {
        if said.plan.is_empty() && said.plans.is_empty() && self.plans.is_empty() {
            return None;
        }
        if when.whole {
            self.plans_wait = None;
        } else {
            let wait = self.plans_wait.get_or_insert(Busy::since(when.now));
            if !wait.is_due(when.now) {
                return None;
            }
        }
        let plans = Pinned::all(&said.plan, &said.plans);
        (plans != self.plans).then(|| {
            self.plans.clone_from(&plans);
            Line::plans(when.t, plans)
        })
    }

    /// The line to write for a block now, if any.
    fn line(&mut self, block: &Said, when: &When<'_>) -> Option<Line> {
        if block.relieved || block.id < self.first {
            return None;
        }
        let id = self.first_id + (block.id.0 - self.first.0);
        match &block.kind {
            BlockKind::Agent(message) => {
                self.grown(block, id, when.t, &message.text, None, &message.meta)
            }
            BlockKind::Thought(thought) => self.grown(
                block,
                id,
                when.t,
                &thought.text,
                thought.took,
                &thought.meta,
            ),
            BlockKind::Subagent(session) => {
                // If the subagent was forgotten, its stored block stays.
                let subagent = when
                    .subagents
                    .get(session)
                    .filter(|s| s.block == block.id)?;
                let row = Block::subagent(id, subagent, *when.numbers.get(session)?);
                if self.rows.get(&block.id) == Some(&row) {
                    return None;
                }
                self.rows.insert(block.id, row.clone());
                if self.rows.len() > MAX_ROWS {
                    self.rows.pop_first();
                }
                Some(Line::block(when.t, row))
            }
            kind if is_open(kind) && !when.whole => {
                let busy = self.busy.entry(block.id).or_insert(Busy::since(when.now));
                if !busy.is_due(when.now) {
                    self.late.insert(block.id);
                    return None;
                }
                Some(Line::block(when.t, Block::new(id, &block.kind)))
            }
            kind => {
                self.busy.remove(&block.id);
                Some(Line::block(when.t, Block::new(id, kind)))
            }
        }
    }

    /// A message, or only what was added to it.
    fn grown(
        &mut self,
        block: &Said,
        id: u64,
        t: u64,
        text: &SafeTextBuf,
        took: Option<Duration>,
        meta: &Meta,
    ) -> Option<Line> {
        let now = Growing {
            len: text.len(),
            print: print(text, text.len()),
            took,
            meta: meta.fingerprint(),
        };
        let before = self.growing.insert(block.id, now);
        if self.growing.len() > MAX_GROWING {
            self.growing.pop_first();
        }
        let Some(before) = before.filter(|before| print(text, before.len) == before.print) else {
            return Some(Line::block(t, Block::new(id, &block.kind)));
        };
        let has_meta = before.meta != meta.fingerprint();
        if before.len == text.len() && before.took == took && !has_meta {
            return None;
        }
        Some(Line::more(
            t,
            More {
                id,
                text: text.since(before.len),
                took_ms: took.map(block::millis),
                meta: if has_meta {
                    block::values(meta)
                } else {
                    Vec::new()
                },
                ..More::default()
            },
        ))
    }
}

/// It is running, and agents send it again and again.
fn is_open(kind: &BlockKind) -> bool {
    match kind {
        BlockKind::Tool(call) => call.state.is_open(),
        BlockKind::Entity(entity) => entity.kind.is_open(),
        _ => false,
    }
}

/// Samples of the first `len` bytes: they differ if the text did not only grow but was cut in its
/// middle, or is shorter now.
fn print(text: &str, len: usize) -> u64 {
    let written = text.as_bytes().get(..len).unwrap_or_default();
    let mut hasher = DefaultHasher::new();
    for place in 1..=PLACES {
        let end = written.len() / PLACES * place;
        let end = if place == PLACES { written.len() } else { end };
        let bytes = written.get(end.saturating_sub(PLACE)..end);
        bytes.unwrap_or_default().hash(&mut hasher);
    }
    hasher.finish()
}
