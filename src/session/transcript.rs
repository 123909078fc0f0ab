//! What was said and done, in order, as append-only blocks with revisions.
//!
//! Nothing here depends on width, theme or markdown; views keep their own caches by
//! `(BlockId, rev)` and learn what changed from [`Transcript::changes_since`], so that no frame
//! costs more for a longer transcript.

use std::{
    collections::VecDeque,
    sync::Arc,
    time::{Duration, Instant},
};

use crate::{
    model::{
        ContentBlock, Entity, MessageId, Meta, PlanEntry, PlanText, RawJson, SessionId, ToolCallId,
        ToolContent, ToolInput, ToolKind, ToolLocation, names,
    },
    session::{Answered, By, CallDiffs},
    text::{SafeText, SafeTextBuf},
};

/// Changes remembered for views; one that has fallen further behind looks at everything again.
const CHANGE_LOG: usize = 1_024;

/// A block's place for good: ids count up from 0 in transcript order and are never reused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u64);

#[derive(Debug)]
pub struct Block {
    pub id: BlockId,
    /// Grows with each change of this block.
    pub rev: u64,
    /// It no longer holds what it held, to bound memory: what is stored of it is more.
    pub relieved: bool,
    pub kind: BlockKind,
}

#[derive(Debug)]
pub enum BlockKind {
    User(UserMessage),
    /// What the agent says: markdown.
    Agent(Message),
    Thought(Thought),
    Tool(Box<ToolCall>),
    /// A finished plan; the current one is `Session::plan`.
    Plan(Vec<PlanEntry>),
    /// A plan in markdown whose turn is over.
    PlanText(PlanText),
    /// What the agent creates and changes by id.
    Entity(Box<Entity>),
    /// A child session stands here; its own conversation is in `Session::subagents`.
    Subagent(SessionId),
    /// Content other than text in a message: image, audio, resource, link, unknown.
    Content(ContentBlock),
    Notice(Notice),
}

#[derive(Debug)]
pub struct UserMessage {
    pub text: SafeText,
    /// Pictures and sounds in it, in order; its text marks where they stand.
    pub attached: Vec<ContentBlock>,
    /// The agent refused it: it is no part of the next prompt (V1-PROMPT-05).
    pub refused: bool,
    /// It was said into the open turn, and is no prompt of its own.
    pub steered: Option<Steered>,
    /// What the agent told it with; nothing for one of ours.
    pub meta: Meta,
}

impl BlockKind {
    /// The person said it to the agent, and not into an open turn.
    pub fn is_prompt(&self) -> bool {
        matches!(self, Self::User(message) if message.steered.is_none())
    }
}

impl UserMessage {
    /// Of text alone.
    pub fn of(text: SafeText) -> Self {
        Self {
            text,
            attached: Vec::new(),
            refused: false,
            steered: None,
            meta: Meta::default(),
        }
    }
}

/// Words for an open turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steered {
    /// The agent has not answered yet.
    Given,
    /// It has them, and reads them once the person has answered what it asks.
    Waiting,
    Taken,
}

#[derive(Debug, Default)]
pub struct Message {
    pub id: Option<MessageId>,
    pub text: SafeTextBuf,
    /// No chunk is expected: another block or the end of the turn came. One that comes for this
    /// message all the same goes on, and is not done.
    pub done: bool,
    pub meta: Meta,
}

#[derive(Debug)]
pub struct Thought {
    pub id: Option<MessageId>,
    pub text: SafeTextBuf,
    pub started: Instant,
    /// Set when it ended: then folded by default. Zero where it came from a replay: not known.
    pub took: Option<Duration>,
    pub meta: Meta,
}

#[derive(Debug)]
pub struct ToolCall {
    pub id: ToolCallId,
    pub title: SafeText,
    pub name: Option<String>,
    pub kind: ToolKind,
    pub state: ToolState,
    pub content: Vec<ToolContent>,
    pub locations: Vec<ToolLocation>,
    pub raw_input: Option<RawJson>,
    /// What it was to be called with when it was last asked about: an agent may put something else
    /// in its place later, and what was agreed to stays visible.
    pub asked_input: Option<RawJson>,
    pub raw_output: Option<RawJson>,
    /// What is to be done, where the call writes that down: it is the plan, and its JSON is not shown.
    pub todos: Vec<PlanEntry>,
    /// The command line of an execute call, where known; raw.
    pub command: Option<String>,
    pub command_cwd: Option<String>,
    /// What the diffs in its content were made from.
    pub diffs: CallDiffs,
    /// What the raw input tells of what the call would do; not known of stored calls.
    pub input: Option<Arc<ToolInput>>,
    /// It can be cancelled without the turn (V2-CAN-02).
    pub cancel: bool,
    /// That was asked for, and nothing was said of its state since.
    pub cancelling: bool,
    /// The agent cannot tell whether it goes on: what is known of it is as last told (V2-STATE-03).
    pub doubted: bool,
    /// No tool call, but a question without one, with its answer (V2-PERM-01).
    pub only_asked: bool,
    /// The person's own command (`!`): the agent knows nothing of it.
    pub by_person: bool,
    /// When it began, or was last answered for: the time to decide is not the tool's.
    pub started: Instant,
    /// Set when it finished; not in a replay, where it is not known.
    pub took: Option<Duration>,
    /// A permission request for it is open.
    pub asking: bool,
    /// What was asked about it and how it was answered, in order.
    pub answers: Vec<Answered>,
    pub meta: Meta,
}

impl ToolCall {
    /// One of which nothing is known yet.
    pub fn new(id: ToolCallId, started: Instant) -> Self {
        Self {
            id,
            title: SafeText::default(),
            name: None,
            kind: ToolKind::default(),
            state: ToolState::Pending,
            content: Vec::new(),
            locations: Vec::new(),
            raw_input: None,
            asked_input: None,
            raw_output: None,
            todos: Vec::new(),
            command: None,
            command_cwd: None,
            diffs: CallDiffs::default(),
            input: None,
            cancel: false,
            cancelling: false,
            doubted: false,
            only_asked: false,
            by_person: false,
            started,
            took: None,
            asking: false,
            answers: Vec::new(),
            meta: Meta::default(),
        }
    }

    /// It works now, as far as is known.
    pub fn is_running(&self) -> bool {
        let runs = matches!(self.state, ToolState::InProgress | ToolState::Unknown(_));
        runs && !self.asking && !self.doubted
    }

    /// A permission request for it came, answered or not.
    pub fn was_asked_about(&self) -> bool {
        self.asking || !self.answers.is_empty()
    }

    /// The raw input that was asked about, where the call has changed it since.
    pub fn other_input_asked(&self) -> Option<&RawJson> {
        let asked = self.asked_input.as_ref()?;
        (self.raw_input.as_ref() != Some(asked)).then_some(asked)
    }

    /// The last request for it was denied or cancelled.
    pub fn had_no_leave(&self) -> bool {
        let last = self.answers.last();
        !self.asking && last.is_some_and(|answer| answer.allowed == Some(false))
    }

    /// The last request for it was answered with no.
    pub fn is_denied(&self) -> bool {
        let by_someone = |answer: &&Answered| answer.by != By::Nobody;
        let last = self.answers.last().filter(by_someone);
        !self.asking && last.is_some_and(|answer| answer.allowed == Some(false))
    }
}

/// How a tool call stands: what the agent says, and what this side knows beyond it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ToolState {
    Pending,
    InProgress,
    /// Begun, and waiting to be resumed.
    Paused,
    Completed,
    Failed,
    /// The agent says so, or it was unfinished when the turn was cancelled (V1-TOOL-06); a later status of
    /// the agent replaces it.
    Cancelled,
    /// Unfinished when the turn ended (V1-TOOL-14): how it ended is not known.
    Ended,
    /// A status that this client does not know (V1-TOOL-05).
    Unknown(SafeText),
}

names!(open ToolState {
    Pending "pending",
    InProgress "in_progress",
    Paused "paused",
    Completed "completed",
    Failed "failed",
    Cancelled "cancelled",
    Ended "ended",
});

impl ToolState {
    pub fn is_open(&self) -> bool {
        matches!(
            self,
            Self::Pending | Self::InProgress | Self::Paused | Self::Unknown(_)
        )
    }
}

/// A line of the client's own.
#[derive(Debug)]
pub struct Notice {
    pub level: NoticeLevel,
    pub text: SafeText,
    /// Shown when unfolded: raw JSON, stderr, an error's data.
    pub detail: Option<SafeText>,
    /// The detail is what a program said last: its end tells most.
    pub last_words: bool,
}

impl BlockKind {
    pub(super) fn notice(level: NoticeLevel, text: SafeText, detail: Option<SafeText>) -> Self {
        Self::Notice(Notice {
            level,
            text,
            detail,
            last_words: false,
        })
    }

    /// A notice with what a program said as its detail.
    pub(super) fn last_words(level: NoticeLevel, text: SafeText, said: Option<SafeText>) -> Self {
        Self::Notice(Notice {
            level,
            text,
            detail: said,
            last_words: true,
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum NoticeLevel {
    /// Dim: unknown updates, mode changes.
    Quiet,
    #[default]
    Info,
    Warning,
    Error,
}

names!(NoticeLevel {
    Quiet "quiet",
    Info "info",
    Warning "warning",
    Error "error",
});

/// What changed since a revision.
pub enum Changes {
    /// Indexes of changed blocks, oldest change first; an index may come more than once. Blocks
    /// appended meanwhile are among them.
    Some(Vec<usize>),
    /// Too long ago, or the transcript was replaced or cut: indexes are others now, ids still count.
    All,
}

#[derive(Debug, Default)]
pub struct Transcript {
    blocks: Vec<Block>,
    rev: u64,
    next_id: u64,
    generation: u64,
    /// `(rev, index)` of the latest changes.
    log: VecDeque<(u64, usize)>,
    /// Changes up to this revision are no longer in the log.
    log_from: u64,
    /// Blocks that are tool calls: no block becomes one, or ceases to be one.
    tool_calls: usize,
    /// `(rev, block)` of the latest that were taken out.
    withdrawn: VecDeque<(u64, BlockId)>,
}

impl Transcript {
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// How many of the blocks are tool calls, without looking at them.
    pub fn tool_calls(&self) -> usize {
        self.tool_calls
    }

    /// Grows with each change of any block.
    pub fn rev(&self) -> u64 {
        self.rev
    }

    /// Another number once a replay has taken the place of what there was: then ids of before are
    /// gone for good.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    pub fn get(&self, id: BlockId) -> Option<&Block> {
        self.blocks.get(self.index_of(id)?)
    }

    /// Where a block stands in [`Transcript::blocks`]; `None` if it was dropped.
    pub fn index_of(&self, id: BlockId) -> Option<usize> {
        // A stream of chunks always hits the last one.
        match self.blocks.last() {
            Some(last) if last.id == id => Some(self.blocks.len() - 1),
            _ => self.blocks.binary_search_by_key(&id, |block| block.id).ok(),
        }
    }

    /// What a view that has seen `rev` must look at again.
    pub fn changes_since(&self, rev: u64) -> Changes {
        if rev < self.log_from {
            return Changes::All;
        }
        let seen = self.log.partition_point(|(at, _)| *at <= rev);
        Changes::Some(self.log.range(seen..).map(|(_, index)| *index).collect())
    }

    pub(super) fn push(&mut self, kind: BlockKind) -> BlockId {
        let id = BlockId(self.next_id);
        self.next_id += 1;
        let index = self.blocks.len();
        self.tool_calls += usize::from(is_tool_call(&kind));
        self.blocks.push(Block {
            id,
            rev: 0,
            relieved: false,
            kind,
        });
        self.touch(index);
        id
    }

    /// Changes a block: always through here, so that no view misses it. `None` if it is gone.
    pub(super) fn edit(&mut self, id: BlockId) -> Option<&mut BlockKind> {
        let index = self.index_of(id)?;
        self.touch(index);
        self.blocks.get_mut(index).map(|block| &mut block.kind)
    }

    /// For what no view shows.
    pub(super) fn edit_quietly(&mut self, id: BlockId) -> Option<&mut BlockKind> {
        let index = self.index_of(id)?;
        self.blocks.get_mut(index).map(|block| &mut block.kind)
    }

    /// As [`Transcript::edit`], to make a block hold less than was said or done.
    pub(super) fn edit_smaller(&mut self, id: BlockId) -> Option<&mut BlockKind> {
        let index = self.index_of(id)?;
        self.touch(index);
        let block = self.blocks.get_mut(index)?;
        block.relieved = true;
        Some(&mut block.kind)
    }

    /// Starts afresh, before a replay (V1-SES-09), and gives out what was there. Ids and revisions
    /// go on, so that no view takes a new block for an old one.
    pub(super) fn take(&mut self) -> Self {
        let fresh = Self {
            rev: self.rev + 1,
            next_id: self.next_id,
            generation: self.rev + 1,
            log_from: self.rev + 1,
            ..Self::default()
        };
        std::mem::replace(self, fresh)
    }

    /// Takes blocks out: what they held was withdrawn.
    pub(super) fn remove(&mut self, ids: &[BlockId]) {
        let before = self.blocks.len();
        self.blocks.retain(|block| !ids.contains(&block.id));
        if self.blocks.len() == before {
            return;
        }
        self.everything_changed();
        let rev = self.rev;
        self.withdrawn.extend(ids.iter().map(|id| (rev, *id)));
        while self.withdrawn.len() > CHANGE_LOG {
            self.withdrawn.pop_front();
        }
    }

    /// Blocks that were taken out since that revision; the latest.
    pub fn withdrawn_since(&self, rev: u64) -> impl Iterator<Item = BlockId> {
        let seen = self.withdrawn.partition_point(|(at, _)| *at <= rev);
        self.withdrawn.range(seen..).map(|(_, id)| *id)
    }

    /// Puts back what [`Transcript::take`] gave out, in place of what came since.
    pub(super) fn put_back(&mut self, kept: Self) {
        self.blocks = kept.blocks;
        self.generation = kept.generation;
        self.everything_changed();
    }

    /// Forgets the first `count` blocks, the last of which becomes `sign` to say so.
    pub(super) fn forget_first(&mut self, count: usize, sign: BlockKind) {
        let Some(last) = count.checked_sub(1) else {
            return;
        };
        self.blocks.drain(..last.min(self.blocks.len()));
        self.everything_changed();
        if let Some(first) = self.blocks.first_mut() {
            first.kind = sign;
            first.rev = self.rev;
            first.relieved = true;
        }
        // Its first block is another one now.
        self.count_tool_calls();
    }

    fn count_tool_calls(&mut self) {
        let calls = self.blocks.iter().filter(|block| is_tool_call(&block.kind));
        self.tool_calls = calls.count();
    }

    fn everything_changed(&mut self) {
        self.count_tool_calls();
        self.rev += 1;
        self.log.clear();
        self.log_from = self.rev;
    }

    fn touch(&mut self, index: usize) {
        self.rev += 1;
        if let Some(block) = self.blocks.get_mut(index) {
            block.rev = self.rev;
        }
        // A stream of chunks is one entry.
        if let Some(last) = self.log.back_mut()
            && last.1 == index
        {
            last.0 = self.rev;
            return;
        }
        self.log.push_back((self.rev, index));
        if self.log.len() > CHANGE_LOG
            && let Some((rev, _)) = self.log.pop_front()
        {
            self.log_from = rev;
        }
    }
}

fn is_tool_call(kind: &BlockKind) -> bool {
    matches!(kind, BlockKind::Tool(_))
}

/// What is the reducer's alone otherwise, for the tests of views.
#[cfg(test)]
impl Transcript {
    pub(crate) fn push_for_test(&mut self, kind: BlockKind) -> BlockId {
        self.push(kind)
    }

    pub(crate) fn edit_for_test(&mut self, id: BlockId) -> &mut BlockKind {
        self.edit(id).expect("the block is there")
    }

    pub(crate) fn take_for_test(&mut self) -> Self {
        self.take()
    }

    pub(crate) fn put_back_for_test(&mut self, kept: Self) {
        self.put_back(kept);
    }

    pub(crate) fn remove_for_test(&mut self, ids: &[BlockId]) {
        self.remove(ids);
    }

    pub(crate) fn forget_first_for_test(&mut self, count: usize, sign: BlockKind) {
        self.forget_first(count, sign);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notice(text: &'static str) -> BlockKind {
        BlockKind::Notice(Notice {
            level: NoticeLevel::Info,
            text: text.into(),
            detail: None,
            last_words: false,
        })
    }

    #[test]
    fn a_view_learns_what_changed_since_it_looked() {
        let mut transcript = Transcript::default();
        transcript.push(notice("a"));
        let seen = transcript.rev();
        transcript.push(notice("b"));
        transcript.edit(BlockId(0));
        let Changes::Some(changed) = transcript.changes_since(seen) else {
            panic!("log lost")
        };
        assert_eq!(changed, [1, 0]);
    }

    #[test]
    fn a_transcript_put_back_is_looked_at_anew_and_no_id_comes_twice() {
        let mut transcript = Transcript::default();
        transcript.push(notice("a"));
        let seen = transcript.rev();
        let kept = transcript.take();
        assert!(matches!(transcript.changes_since(seen), Changes::All));
        let replayed = transcript.push(notice("b"));
        let seen = transcript.rev();
        transcript.put_back(kept);
        assert!(matches!(transcript.changes_since(seen), Changes::All));
        assert!(transcript.get(replayed).is_none());
        assert!(transcript.get(BlockId(0)).is_some());
        assert!(transcript.push(notice("c")) > replayed);
    }

    #[test]
    fn forgotten_blocks_leave_a_sign() {
        let mut transcript = Transcript::default();
        for text in ["a", "b", "c"] {
            transcript.push(notice(text));
        }
        transcript.forget_first(2, notice("two left out"));
        let ids: Vec<_> = transcript.blocks().iter().map(|block| block.id.0).collect();
        assert_eq!(ids, [1, 2]);
        assert!(transcript.get(BlockId(0)).is_none());
        transcript.edit(BlockId(2));
        let Changes::Some(changed) = transcript.changes_since(transcript.rev() - 1) else {
            panic!("log lost")
        };
        assert_eq!(changed, [1]);
    }

    // V2-UPD-01
    #[test]
    fn what_is_taken_out_is_gone_for_good() {
        let mut transcript = Transcript::default();
        for text in ["a", "b", "c"] {
            transcript.push(notice(text));
        }
        let seen = transcript.rev();
        transcript.remove(&[BlockId(1), BlockId(7)]);
        assert!(matches!(transcript.changes_since(seen), Changes::All));
        assert!(transcript.get(BlockId(1)).is_none());
        assert_eq!(transcript.index_of(BlockId(2)), Some(1));
        assert!(transcript.withdrawn_since(seen).any(|id| id == BlockId(1)));
        assert_eq!(transcript.withdrawn_since(transcript.rev()).count(), 0);
        let rev = transcript.rev();
        transcript.remove(&[BlockId(1)]);
        assert_eq!(transcript.rev(), rev);
    }

    #[test]
    fn a_view_that_fell_behind_looks_at_everything() {
        let mut transcript = Transcript::default();
        transcript.push(notice("a"));
        transcript.push(notice("b"));
        for n in 0..2 * CHANGE_LOG {
            transcript.edit(BlockId(n as u64 % 2));
        }
        assert!(matches!(transcript.changes_since(1), Changes::All));
        let Changes::Some(changed) = transcript.changes_since(transcript.rev()) else {
            panic!()
        };
        assert!(changed.is_empty());
    }
}
