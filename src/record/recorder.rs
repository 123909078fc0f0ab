//! What of a changing session is to be written, and when.
//!
//! Chunks are no lines: a message's text is taken as what came since the last time, so that the cost
//! is that of copying it once, however many chunks there were. A tool call that goes on is written
//! less and less often, as agents send its whole content again and again.

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{DefaultHasher, Hash, Hasher},
    time::{Duration, Instant},
};

use super::{
    block::{self, Block},
    line::{About, Line, More, Turn},
};
use crate::{
    proto::{Meta, StopReason},
    session::{Block as Said, BlockId, BlockKind, Changes, Phase, Session},
    text::{SafeText, SafeTextBuf},
};

/// What changes is written after this; ends of turns and prompts at once.
const DELAY: Duration = Duration::from_secs(2);

/// A call that goes on is written at least this often.
const MAX_DELAY: Duration = Duration::from_secs(64);

/// Messages remembered to which more may be said; another one would be written anew.
const MAX_GROWING: usize = 64;

/// Places in what was written by which it is told whether text has only grown, and their bytes.
const PLACES: usize = 8;
const PLACE: usize = 16;

/// Lines to be written together.
#[derive(Debug, Default)]
pub struct Batch {
    pub lines: Vec<Line>,
    /// They are all there is: what the file held is to go.
    pub replace: bool,
    /// They must outlive a loss of power.
    pub sync: bool,
}

/// Follows one session. Nothing is to be written before something was said: a session that was only
/// opened leaves no file, and one that was only reopened does not change it.
#[derive(Debug)]
pub struct Recorder {
    agent: String,
    /// Milliseconds since 1970.
    started: u64,
    begun: bool,
    about: Option<About>,
    /// The transcript's revision and generation that are taken in.
    seen: u64,
    generation: u64,
    /// The first block that is not in the file already, and its id there.
    first: BlockId,
    first_id: u64,
    growing: BTreeMap<BlockId, Growing>,
    busy: BTreeMap<BlockId, Busy>,
    /// Calls that have changed and wait.
    late: BTreeSet<BlockId>,
    in_turn: bool,
    due: Option<Instant>,
}

/// How much of a message's text is written.
#[derive(Debug)]
struct Growing {
    len: usize,
    print: u64,
    took: Option<Duration>,
    meta: u64,
}

#[derive(Debug)]
struct Busy {
    next: Instant,
    delay: Duration,
}

impl Recorder {
    /// Of a new session with the agent of that profile.
    pub fn new(agent: String, started: u64) -> Self {
        Self {
            agent,
            started,
            begun: false,
            about: None,
            seen: 0,
            generation: 0,
            first: BlockId(0),
            first_id: 0,
            growing: BTreeMap::new(),
            busy: BTreeMap::new(),
            late: BTreeSet::new(),
            in_turn: false,
            due: None,
        }
    }

    /// Of one whose record is shown in `session`, and goes on in the same file: what it is, and the id
    /// of its next block.
    pub fn going_on(about: About, next_id: u64, session: &Session) -> Self {
        let shown = session.transcript.blocks().last();
        Self {
            first: shown.map_or(BlockId(0), |block| BlockId(block.id.0 + 1)),
            first_id: next_id,
            seen: session.transcript.rev(),
            generation: session.transcript.generation(),
            ..Self::new(about.agent.clone(), about.started)
        }
        .known_as(about)
    }

    fn known_as(mut self, about: About) -> Self {
        self.about = Some(about);
        self
    }

    /// When [`Recorder::take`] is wanted next, if at all. An idle session wants none.
    pub fn due(&self) -> Option<Instant> {
        self.due
    }

    /// The session has changed, perhaps. Costs next to nothing: it comes with each batch of chunks.
    pub fn changed(&mut self, session: &Session, now: Instant) {
        let turned = self.in_turn != session.turn.is_some();
        if turned && !is_replaying(session) {
            self.due = Some(now);
        } else if session.transcript.rev() != self.seen || self.is_renamed(session) {
            self.due.get_or_insert(now + DELAY);
        }
    }

    /// What is to be written now. `t` is the time in milliseconds since 1970; `last`: nothing will
    /// be asked for again.
    pub fn take(&mut self, session: &Session, now: Instant, t: u64, last: bool) -> Batch {
        self.due = None;
        let mut batch = Batch::default();
        let transcript = &session.transcript;
        // What a replay replaces may come back if it fails (V1-SES-09).
        if is_replaying(session) {
            return batch;
        }
        if transcript.generation() != self.generation {
            self.start_anew(transcript.generation(), transcript.blocks());
            batch.replace = true;
        }
        if !self.begun && !self.is_worth_keeping(transcript.blocks()) {
            return batch;
        }
        self.begun = true;
        let ended = self.in_turn && session.turn.is_none();
        self.in_turn = session.turn.is_some();
        let whole = last || ended;

        let about = self.about_now(session);
        // At the end of each turn as well, so that it stands near the end of the file.
        if batch.replace || ended || self.about.as_ref() != Some(&about) {
            batch.lines.push(Line::about(t, about.clone()));
            self.about = Some(about);
        }
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
                let id = self.first_id + (id.0 - self.first.0);
                batch.lines.push(Line::block(t, Block::gone(id)));
            }
        }
        let late = std::mem::take(&mut self.late);
        let late = late.into_iter().filter_map(|id| transcript.get(id));
        let changed = changed
            .iter()
            .map(|block| block.id)
            .collect::<BTreeSet<_>>();
        let late = late
            .filter(|block| !changed.contains(&block.id))
            .map(|block| block.id);
        let all: BTreeSet<BlockId> = changed.iter().copied().chain(late).collect();
        for block in all.into_iter().filter_map(|id| transcript.get(id)) {
            batch.lines.extend(self.line(block, now, t, whole));
        }
        self.seen = transcript.rev();
        if ended {
            let stop = session.last_stop.as_ref().map(stop_name);
            batch.lines.push(Line::turn(t, Turn { stop }));
        }
        batch.sync = whole && !batch.lines.is_empty();
        let late = self.late.iter().filter_map(|id| self.busy.get(id));
        self.due = late.map(|busy| busy.next).min();
        batch
    }

    /// The disk is behind: what is due comes later.
    pub fn postpone(&mut self, now: Instant) {
        self.due = Some(now + DELAY);
    }

    /// The lines of the last batch are not on the disk: everything of this run comes again.
    pub fn failed(&mut self, now: Instant) {
        self.about = None;
        self.seen = 0;
        self.growing.clear();
        self.busy.clear();
        self.due = Some(now + MAX_DELAY);
    }

    fn start_anew(&mut self, generation: u64, blocks: &[Said]) {
        *self = Self {
            begun: self.begun,
            generation,
            first: blocks.first().map_or(BlockId(0), |block| block.id),
            in_turn: self.in_turn,
            ..Self::new(std::mem::take(&mut self.agent), self.started)
        };
    }

    fn is_worth_keeping(&self, blocks: &[Said]) -> bool {
        let new = blocks
            .iter()
            .rev()
            .take_while(|block| block.id >= self.first);
        let mut new = new.map(|block| &block.kind);
        new.any(|kind| !matches!(kind, BlockKind::Notice(_)))
    }

    fn is_renamed(&self, session: &Session) -> bool {
        self.begun
            && self.about.as_ref().is_some_and(|about| {
                (&about.title, about.own_title) != (&session.title, session.own_title)
                    || about.session.as_deref() != session.id.as_ref().map(|id| id.as_str())
            })
    }

    fn about_now(&self, session: &Session) -> About {
        let before = self.about.as_ref();
        let id = session.id.as_ref().map(|id| id.as_str().to_owned());
        About {
            agent: self.agent.clone(),
            agent_name: session.agent_name().clone(),
            cwd: session.config.cwd.to_string_lossy().into_owned(),
            // The one that is being opened again.
            session: id.or_else(|| before.and_then(|about| about.session.clone())),
            title: session.title.clone(),
            own_title: session.own_title,
            started: self.started,
        }
    }

    /// What is to be written of a block now, if anything.
    fn line(&mut self, block: &Said, now: Instant, t: u64, whole: bool) -> Option<Line> {
        if block.relieved || block.id < self.first {
            return None;
        }
        let id = self.first_id + (block.id.0 - self.first.0);
        match &block.kind {
            BlockKind::Agent(message) => {
                self.grown(block, id, t, &message.text, None, &message.meta)
            }
            BlockKind::Thought(thought) => {
                self.grown(block, id, t, &thought.text, thought.took, &thought.meta)
            }
            kind if is_open(kind) && !whole => {
                let busy = self.busy.entry(block.id).or_insert(Busy {
                    next: now,
                    delay: DELAY,
                });
                if now < busy.next {
                    self.late.insert(block.id);
                    return None;
                }
                busy.next = now + busy.delay;
                busy.delay = (busy.delay * 2).min(MAX_DELAY);
                Some(Line::block(t, Block::new(id, &block.kind)))
            }
            kind => {
                self.busy.remove(&block.id);
                Some(Line::block(t, Block::new(id, kind)))
            }
        }
    }

    /// A message, or what was added to it.
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
            },
        ))
    }
}

/// Goes on, and is sent again and again as it does.
fn is_open(kind: &BlockKind) -> bool {
    match kind {
        BlockKind::Tool(call) => call.state.is_open(),
        BlockKind::Compaction(compaction) => compaction.is_open(),
        _ => false,
    }
}

fn is_replaying(session: &Session) -> bool {
    matches!(
        session.phase,
        Phase::Opening {
            replaying: true,
            ..
        }
    )
}

/// Tells text that has only grown from one that was cut in its middle to bound it, by what stands at
/// some places of what was written; for text that is shorter by now it is another number.
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

fn stop_name(reason: &StopReason) -> SafeText {
    match reason {
        StopReason::EndTurn => "end_turn".into(),
        StopReason::MaxTokens => "max_tokens".into(),
        StopReason::MaxTurnRequests => "max_turn_requests".into(),
        StopReason::Refusal => "refusal".into(),
        StopReason::Cancelled => "cancelled".into(),
        StopReason::Error(_) => "error".into(),
        StopReason::Unknown(reason) => reason.clone(),
    }
}
