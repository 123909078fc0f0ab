//! Bounds on what an agent can make the session hold, and what gives way when they are reached.

use std::{ops::Range, sync::Arc};

use crate::{
    model::{
        ContentBlock, Diff, DiffText, ImageData, MessageId, NamedPlan, PlanBody, PlanEntry,
        RawJson, ToolContent, ToolLocation,
    },
    session::{Answered, BlockId, BlockKind, NoticeLevel, ToolCall},
    text::{SafeText, SafeTextBuf},
};

use super::super::Conversation;

/// Bytes of one message or thought; of a longer one the middle is cut out.
pub const MAX_MESSAGE: usize = 16 << 20;
/// Bytes of the text blocks of one tool call together.
pub const MAX_TOOL_TEXT: usize = 512 << 10;
/// Bytes of either side of a diff.
pub const MAX_DIFF_SIDE: usize = 8 << 20;
/// Pieces of content, and locations, of one tool call.
pub const MAX_TOOL_ITEMS: usize = 1_000;
/// Bytes of a tool call's title.
pub const MAX_TITLE: usize = 16 << 10;
/// Answers to questions kept with one tool call; the latest.
pub const MAX_ANSWERS: usize = 100;
/// Terminals that blocks are known to show.
pub const MAX_SHOWN_TERMINALS: usize = 4_096;
/// Bytes of the whole transcript, what its blocks cost besides their texts included. Past it bodies of
/// old tool calls go first, then old blocks, down to three quarters.
pub const MAX_TRANSCRIPT: usize = 64 << 20;
/// The same of one subagent, and of all of them together.
pub const MAX_SUBAGENT: usize = 16 << 20;
pub const MAX_SUBAGENTS_WEIGHT: usize = 32 << 20;
/// Subagents known at once; those that rest give way.
pub const MAX_SUBAGENTS: usize = 256;
/// Entries in a report of background work.
pub const MAX_BACKGROUND: usize = 1_000;
/// How deep subagents of subagents go (V1-SUB-06).
pub const MAX_DEPTH: usize = 16;
/// Blocks at the end of the transcript that never go.
const KEPT_BLOCKS: usize = 16;
/// Prompts that wait.
pub const MAX_QUEUE: usize = 64;
/// Bytes that they hold together: pictures, above all.
pub const MAX_QUEUE_WEIGHT: usize = 64 << 20;
/// Questions that are open at once; further ones are refused with an error.
pub const MAX_QUESTIONS: usize = 64;
/// Bytes of the options of one of them; with more it is refused. They are answered by their ids, so none can be cut.
pub const MAX_OPTIONS_OF_QUESTION: usize = 256 << 10;
/// Pages that were opened and are not told to be done; the oldest goes first.
pub const MAX_PAGES: usize = 64;
/// Terminals told of; ended ones go first.
pub const MAX_TERMINALS: usize = 512;
/// Slash commands, and their bytes.
pub const MAX_COMMANDS: usize = 1_000;
pub const MAX_COMMANDS_BYTES: usize = 1 << 20;
/// Bytes of a prompt that an agent suggests.
pub const MAX_SUGGESTION: usize = 4 << 10;
/// Written files that wait for a call that names them.
pub const MAX_WRITES: usize = 256;
/// Ways to sign in.
pub const MAX_AUTH_METHODS: usize = 32;
/// Providers of models, and their bytes.
pub const MAX_PROVIDERS: usize = 100;
pub const MAX_PROVIDERS_BYTES: usize = 256 << 10;
/// Config options, the values of all of them together, and the bytes of both.
pub const MAX_OPTIONS: usize = 1_000;
pub const MAX_OPTION_VALUES: usize = 10_000;
pub const MAX_OPTIONS_BYTES: usize = 4 << 20;
/// Changes of options that the agent has not answered.
pub const MAX_SETS: usize = 64;
/// Entries of a plan.
pub const MAX_PLAN: usize = 500;
/// Bytes of a plan in markdown, and of what all entries of another say.
pub const MAX_PLAN_TEXT: usize = 256 << 10;
/// Plans side by side; the oldest goes first.
pub const MAX_PLANS: usize = 16;
/// Updates that came before their session was known, and their bytes.
pub const MAX_EARLY: usize = 256;
pub const MAX_EARLY_WEIGHT: usize = 8 << 20;
/// Withdrawn requests remembered until they may come back as questions.
pub const MAX_WITHDRAWN: usize = 256;
/// Bytes that are kept of the answer to a side question.
pub const MAX_SIDE_ANSWER: usize = 1 << 20;
/// Forks for side questions that the agent has not answered; with more none is asked for.
pub const MAX_SIDE_FORKS: usize = 4;
/// Sessions of closed side questions whose late words are known.
pub const MAX_SIDES_KNOWN: usize = 256;
/// Bytes of an error's text in a notice; the rest is in its detail.
pub const MAX_ERROR_TEXT: usize = 2 << 10;

/// Bytes of the images of one tool call together.
pub const MAX_TOOL_IMAGES: usize = 16 << 20;
/// Blocks at the end of the transcript whose images never go.
const KEPT_IMAGES: usize = 2;

/// Stands for the body of a tool call that went.
const LEFT_OUT: &str = "dropped to save memory";

/// A smaller body is left where it is.
const WORTH_DROPPING: usize = 1 << 10;

/// What a block costs besides its text, with what a view keeps of it: measured.
const BLOCK: usize = 1 << 10;

impl Conversation {
    /// Accounts for text that came; makes room where it is too much by now.
    pub(in crate::session) fn grow(&mut self, bytes: usize) {
        self.weight += bytes;
        if self.weight > self.bound {
            self.trim_to_bound();
        }
    }

    pub(in crate::session) fn shrink(&mut self, bytes: usize) {
        self.weight = self.weight.saturating_sub(bytes);
    }

    /// Weighs the transcript anew, after it was replaced.
    pub(in crate::session) fn weigh(&mut self) {
        let blocks = self.transcript.blocks().iter();
        self.weight = blocks.map(|block| block_weight(&block.kind)).sum();
    }

    /// Drops images, oldest first; those of the last blocks stay.
    fn forget_images(&mut self, goal: usize) {
        let mut over = self.weight.saturating_sub(goal);
        let blocks = self.transcript.blocks();
        let old = blocks.len().saturating_sub(KEPT_IMAGES);
        let mut chosen = Vec::new();
        for block in blocks.iter().take(old) {
            if over == 0 {
                break;
            }
            let images = image_weight(&block.kind);
            if images > 0 {
                over = over.saturating_sub(images);
                chosen.push(block.id);
            }
        }
        for id in chosen {
            let kind = self.transcript.edit_smaller(id);
            let freed = kind.map_or(0, |kind| {
                images_mut(kind).map(ContentBlock::forget_image).sum()
            });
            self.shrink(freed);
        }
    }

    /// Brings the transcript well below its bound, so that this is rare: drops images, then bodies of
    /// finished tool calls, oldest first, then whole blocks.
    fn trim_to_bound(&mut self) {
        let goal = self.bound / 4 * 3;
        self.forget_images(goal);
        let blocks = self.transcript.blocks();
        let old = blocks.len().saturating_sub(KEPT_BLOCKS);
        let mut freed = 0;
        let mut emptied: Vec<BlockId> = Vec::new();
        for block in blocks.iter().take(old) {
            if self.weight.saturating_sub(freed) <= goal {
                break;
            }
            if let BlockKind::Tool(call) = &block.kind
                && !call.state.is_open()
                && body_weight(call) > WORTH_DROPPING
            {
                freed += body_weight(call) - (ITEM + LEFT_OUT.len());
                emptied.push(block.id);
            }
        }
        for id in &emptied {
            if let Some(BlockKind::Tool(call)) = self.transcript.edit_smaller(*id) {
                call.content = vec![ToolContent::Block(ContentBlock::Text(LEFT_OUT.into()))];
                call.raw_input = None;
                call.asked_input = None;
                call.raw_output = None;
                call.todos = Vec::new();
                call.diffs.forget();
            }
        }
        self.shrink(freed);

        let mut gone = 0;
        freed = 0;
        for block in self.transcript.blocks().iter().take(old) {
            if self.weight.saturating_sub(freed) <= goal {
                break;
            }
            freed += block_weight(&block.kind);
            gone += 1;
        }
        self.shrink(freed);
        if gone > 0 {
            let text = "earlier messages were dropped to save memory";
            let sign = BlockKind::notice(NoticeLevel::Info, text.into(), None);
            self.weight += block_weight(&sign);
            self.transcript.forget_first(gone, sign);
            self.forget_gone();
        } else if !emptied.is_empty() {
            let text = format!(
                "the output of {} earlier tool calls was dropped to save memory",
                emptied.len()
            );
            // Quiet: the open message goes on behind it.
            self.push_only(BlockKind::notice(
                NoticeLevel::Quiet,
                SafeText::line(&text),
                None,
            ));
        }
    }
}

/// What an item of a list costs besides its text.
const ITEM: usize = 64;

fn id_weight(id: Option<&MessageId>) -> usize {
    id.map_or(0, |id| id.as_str().len())
}

/// Bytes that a block holds, its id among them: an agent chooses how long that is.
pub fn block_weight(kind: &BlockKind) -> usize {
    BLOCK
        + match kind {
            BlockKind::User(message) => {
                let attached: usize = message.attached.iter().map(ContentBlock::weight).sum();
                message.text.len() + message.meta.weight() + attached
            }
            BlockKind::Agent(message) => {
                id_weight(message.id.as_ref()) + message.text.len() + message.meta.weight()
            }
            BlockKind::Thought(thought) => {
                id_weight(thought.id.as_ref()) + thought.text.len() + thought.meta.weight()
            }
            BlockKind::Tool(call) => {
                let location = |at: &ToolLocation| at.path.len() + size_of::<ToolLocation>();
                let locations: usize = call.locations.iter().map(location).sum();
                let command = [&call.command, &call.command_cwd, &call.name];
                let command: usize = command.into_iter().flatten().map(String::len).sum();
                let answers = call.answers.iter().map(answer_weight);
                body_weight(call)
                    + locations
                    + command
                    + call.input.as_ref().map_or(0, |input| input.weight())
                    + answers.sum::<usize>()
                    + call.title.len()
                    + call.id.as_str().len()
                    + call.meta.weight()
            }
            BlockKind::Plan(entries) => plan_weight(entries),
            BlockKind::PlanText(plan) => plan.text.len(),
            BlockKind::Entity(entity) => entity.weight(),
            BlockKind::Subagent(id) => id.as_str().len(),
            BlockKind::Content(content) => content.weight(),
            BlockKind::Notice(notice) => {
                notice.text.len() + notice.detail.as_ref().map_or(0, |text| text.len())
            }
        }
}

pub fn answer_weight(answer: &Answered) -> usize {
    ITEM + answer.answer.len()
}

/// Bytes of a tool call's output and raw JSON: what can go and leave the row.
fn body_weight(call: &ToolCall) -> usize {
    let raw = |raw: &Option<RawJson>| raw.as_ref().map_or(0, |raw| raw.0.len());
    let content: usize = call.content.iter().map(ToolContent::weight).sum();
    let asked = call.other_input_asked().map_or(0, |raw| raw.0.len());
    let todos = plan_weight(&call.todos);
    content + call.diffs.weight() + raw(&call.raw_input) + asked + raw(&call.raw_output) + todos
}

pub fn named_plan_weight(plan: &NamedPlan) -> usize {
    match &plan.body {
        PlanBody::Items(entries) => plan_weight(entries),
        PlanBody::Text(text) => text.text.len(),
        PlanBody::Unknown { raw, .. } => raw.0.len(),
    }
}

fn plan_weight(entries: &[PlanEntry]) -> usize {
    entries.iter().map(|entry| entry.content.len() + ITEM).sum()
}

/// Cuts a plan to its bounds.
pub fn bounded_plan(mut plan: NamedPlan) -> NamedPlan {
    match &mut plan.body {
        PlanBody::Items(entries) => bound_entries(entries),
        PlanBody::Text(text) => text.text = bounded(&text.text, MAX_PLAN_TEXT),
        PlanBody::Unknown { .. } => {}
    }
    plan
}

/// Cuts the entries of a plan to their bounds; each stays whole or goes.
pub fn bound_entries(entries: &mut Vec<PlanEntry>) {
    let mut room = MAX_PLAN_TEXT;
    keep_first(entries, MAX_PLAN, &mut room, |entry| entry.content.len());
}

/// Keeps what of a list comes first and is within `most` items and `room` bytes, which is used up. Whether
/// something went.
pub fn keep_first<T>(
    list: &mut Vec<T>,
    most: usize,
    room: &mut usize,
    weight: impl Fn(&T) -> usize,
) -> bool {
    let fits = list.iter().take(most).take_while(|item| {
        let left = room.checked_sub(weight(item));
        *room = left.unwrap_or_default();
        left.is_some()
    });
    let kept = fits.count();
    let cut = kept < list.len();
    list.truncate(kept);
    cut
}

/// Cuts a tool call's content to its bounds.
pub fn bounded_content(content: Vec<ToolContent>) -> Vec<ToolContent> {
    bounded_content_within(content, MAX_TOOL_TEXT)
}

/// As [`bounded_content`], with `room` bytes of text.
pub fn bounded_content_within(mut content: Vec<ToolContent>, mut room: usize) -> Vec<ToolContent> {
    content.truncate(MAX_TOOL_ITEMS);
    let mut room_for_images = MAX_TOOL_IMAGES;
    for piece in &mut content {
        if let ToolContent::Block(block) = piece {
            bound_image(block, &mut room_for_images);
        }
        match piece {
            ToolContent::Block(content) => bound_block(content, &mut room),
            ToolContent::Diff(diff) if is_too_big(diff) => {
                *diff = Arc::new(Diff {
                    text: match &diff.text {
                        DiffText::Sides { old, new } => DiffText::Sides {
                            old: old.as_ref().map(|old| bounded(old, MAX_DIFF_SIDE)),
                            new: bounded(new, MAX_DIFF_SIDE),
                        },
                        // One with a hole in it would be another patch.
                        DiffText::Patch(_) | DiffText::None => DiffText::None,
                    },
                    ..Diff::clone(diff)
                });
            }
            // A diff that is small enough, ids and raw JSON stay as they are.
            ToolContent::Diff(_)
            | ToolContent::Terminal(_)
            | ToolContent::Session(_)
            | ToolContent::Unknown { .. } => {}
        }
    }
    content
}

fn bound_block(content: &mut ContentBlock, room: &mut usize) {
    match content {
        ContentBlock::Text(text) => bound_text(text, room),
        ContentBlock::Resource(resource) => {
            if let Some(text) = &mut resource.text {
                bound_text(text, room);
            }
        }
        ContentBlock::ForAgent(content) => bound_block(Arc::make_mut(content), room),
        ContentBlock::Image(_)
        | ContentBlock::Audio(_)
        | ContentBlock::ResourceLink(_)
        | ContentBlock::Unknown { .. } => {}
    }
}

/// An image is kept whole or not at all.
fn bound_image(content: &mut ContentBlock, room: &mut usize) {
    let len = content.image().map_or(0, ImageData::len);
    match room.checked_sub(len) {
        Some(left) => *room = left,
        None => drop(content.forget_image()),
    }
}

/// The content of a block that may be an image.
fn images(kind: &BlockKind) -> impl Iterator<Item = &ContentBlock> {
    let (alone, attached, call): (_, &[ContentBlock], &[ToolContent]) = match kind {
        BlockKind::Content(content) => (Some(content), &[], &[]),
        BlockKind::User(message) => (None, &message.attached, &[]),
        BlockKind::Tool(call) => (None, &[], &call.content),
        _ => (None, &[], &[]),
    };
    let call = call.iter().filter_map(|piece| match piece {
        ToolContent::Block(content) => Some(content),
        _ => None,
    });
    alone.into_iter().chain(attached).chain(call)
}

fn images_mut(kind: &mut BlockKind) -> impl Iterator<Item = &mut ContentBlock> {
    let (alone, attached, call): (_, &mut [ContentBlock], &mut [ToolContent]) = match kind {
        BlockKind::Content(content) => (Some(content), &mut [], &mut []),
        BlockKind::User(message) => (None, &mut message.attached, &mut []),
        BlockKind::Tool(call) => (None, &mut [], &mut call.content),
        _ => (None, &mut [], &mut []),
    };
    let call = call.iter_mut().filter_map(|piece| match piece {
        ToolContent::Block(content) => Some(content),
        _ => None,
    });
    alone.into_iter().chain(attached).chain(call)
}

fn image_weight(kind: &BlockKind) -> usize {
    let images = images(kind).filter_map(ContentBlock::image);
    images.map(ImageData::len).sum()
}

fn is_too_big(diff: &Diff) -> bool {
    match &diff.text {
        DiffText::Sides { old, new } => {
            let old = old.as_ref().map_or(0, |old| old.len());
            new.len().max(old) > MAX_DIFF_SIDE
        }
        DiffText::Patch(patch) => patch.len() > 2 * MAX_DIFF_SIDE,
        DiffText::None => false,
    }
}

fn bound_text(text: &mut SafeText, room: &mut usize) {
    if text.len() > *room {
        *text = bounded(text, *room);
    }
    *room = room.saturating_sub(text.len());
}

/// Head and tail of a text that is too long, with a line between that says how much is missing.
pub fn bounded(text: &SafeText, max: usize) -> SafeText {
    if text.len() <= max {
        return text.clone();
    }
    let middle = middle(text, max / 4, max / 4 * 3);
    let sign = omitted(middle.len());
    let (head, tail) = (text.get(..middle.start), text.get(middle.end..));
    let parts = [head.unwrap_or_default(), &sign, tail.unwrap_or_default()];
    SafeText::new(&parts.concat())
}

/// Halves a message that has reached its bound. `left_out` counts what was cut before.
pub fn halve(text: &mut SafeTextBuf, left_out: &mut usize) {
    let middle = middle(text, MAX_MESSAGE / 8, MAX_MESSAGE / 8 * 3);
    *left_out += middle.len();
    text.cut_out(middle, &SafeText::new(&omitted(*left_out)));
}

/// All but so many bytes at the beginning and at the end.
fn middle(text: &str, head: usize, tail: usize) -> Range<usize> {
    let start = floor_char_boundary(text, head);
    let end = floor_char_boundary(text, text.len().saturating_sub(tail));
    start..end.max(start)
}

fn omitted(bytes: usize) -> String {
    format!("\n… {bytes} bytes omitted …\n")
}

fn floor_char_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use crate::model::{MAX_IMAGE, Media};

    use super::*;

    #[test]
    fn head_and_tail_of_a_long_text_stay_and_what_is_missing_is_counted() {
        let text = SafeText::new(&format!("first{}last", "é".repeat(1_000)));
        let short = bounded(&text, 100);
        assert!(short.starts_with("first"));
        assert!(short.ends_with("last"));
        assert!(short.contains("bytes omitted"), "{short}");
        assert!(short.len() < 160);
    }

    #[test]
    fn a_message_cut_twice_counts_both_cuts() {
        let mut text = SafeTextBuf::default();
        let mut left_out = 0;
        for _ in 0..2 {
            text.push(&SafeText::new(&"x".repeat(MAX_MESSAGE)));
            halve(&mut text, &mut left_out);
        }
        assert!(left_out > MAX_MESSAGE);
        assert_eq!(text.matches("omitted").count(), 1);
    }

    fn image(bytes: usize) -> ContentBlock {
        ContentBlock::Image(Media {
            mime_type: "image/png".into(),
            size: Some(bytes),
            uri: None,
            data: ImageData::new("A".repeat(bytes)),
        })
    }

    #[test]
    fn images_of_one_tool_call_share_one_bound() {
        let half = MAX_TOOL_IMAGES / 2;
        for (second, kept) in [(half - 1, 2), (half, 2), (half + 1, 1)] {
            let images = [half, second].map(|bytes| ToolContent::Block(image(bytes)));
            let content = bounded_content(images.into());
            assert_eq!(content.len(), 2);
            let weight: usize = content.iter().map(ToolContent::weight).sum();
            assert_eq!(weight > half + 1_000, kept == 2, "{second}");
        }
    }

    #[test]
    fn images_go_before_anything_else() {
        let mut play = Conversation::of_session();
        for _ in 0..20 {
            let block = BlockKind::Content(image(MAX_IMAGE));
            let weight = block_weight(&block);
            play.transcript.push_for_test(block);
            play.grow(weight);
        }
        let blocks = play.transcript.blocks();
        assert_eq!(blocks.len(), 20, "none went");
        let kept = blocks.iter().filter(|block| image_weight(&block.kind) > 0);
        assert!((2..=6).contains(&kept.count()));
        assert!(image_weight(&blocks[19].kind) > 0, "the last one stays");
        assert!(play.weight <= play.bound);
    }

    #[test]
    fn text_of_one_tool_call_shares_one_bound() {
        let big = || ToolContent::Block(ContentBlock::Text(SafeText::new(&"y".repeat(400 << 10))));
        let content = bounded_content(vec![big(), big(), big()]);
        let weight: usize = content.iter().map(ToolContent::weight).sum();
        assert!(weight <= MAX_TOOL_TEXT + 100 + 3 * ITEM, "{weight}");
    }
}
