//! Messages and thoughts of the agent, and the user's messages as the agent repeats them.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use crate::{
    model::{ChunkRole, ContentBlock, MessageId, Meta, PromptBlock, file_name},
    session::{
        BlockId, BlockKind, MAX_ATTACHED, Message, NoticeLevel, Prompt, Thought, ToolState,
        UserMessage, marker,
    },
    text::{SafeText, SafeTextBuf},
};

use super::super::{Conversation, Step};
use super::bounds::{MAX_MESSAGE, bounded, halve};

/// Bytes kept of a text that is for the agent alone.
const MAX_ASIDE: usize = 64 << 10;

/// Messages of the person's into one turn whose echoes are told from others.
const MAX_STEERED: usize = 16;

/// How far back a message is looked for that goes on after another one.
const INTERLEAVED: usize = 4;

#[derive(Debug, Default)]
pub struct Speech {
    /// The message or thought that is still open.
    current: Option<BlockId>,
    /// Bytes cut out of it so far.
    left_out: usize,
    pub echo: Echo,
    /// The same for what was said into the open turn, the latest [`MAX_STEERED`].
    steered: VecDeque<Echo>,
    /// A message of the user that the agent reports: of a replay, or not sent by us. Shown when it is
    /// complete.
    pub history: Option<History>,
}

#[derive(Debug)]
pub struct History {
    pub id: Option<MessageId>,
    pub text: SafeTextBuf,
    pub attached: Vec<ContentBlock>,
    pub meta: Meta,
}

impl History {
    /// Whether a chunk with that id is of it.
    fn goes_on(&self, message: Option<&MessageId>) -> bool {
        message.is_none() || self.id.as_ref() == message
    }
}

impl Step<'_> {
    pub fn chunk(
        &mut self,
        role: ChunkRole,
        message: Option<MessageId>,
        content: ContentBlock,
        meta: Meta,
    ) {
        match (role, content) {
            (ChunkRole::User, content) => self.user_chunk(message, content, meta),
            (_, ContentBlock::Text(text)) => self.say_chunk(role, message, &text, meta),
            (_, ContentBlock::ForAgent(aside)) if self.conversation_mut().adds_to_aside(&aside) => {
            }
            (role, content) => {
                self.spoke();
                let block = self.push(BlockKind::Content(content));
                self.conversation_mut().note_told(role, message, block);
            }
        }
    }

    fn say_chunk(
        &mut self,
        role: ChunkRole,
        message: Option<MessageId>,
        text: &SafeText,
        meta: Meta,
    ) {
        self.spoke();
        self.flush_history();
        if let Some(id) = self.conversation().goes_on(role, message.as_ref()) {
            self.append(id, text, &meta);
            return;
        }
        // A block is worth a mark only once there is something in it (codex: a thought of "\n\n").
        let nothing = match role {
            ChunkRole::Thought => text.trim().is_empty(),
            _ => text.trim_matches('\n').is_empty(),
        };
        if nothing {
            return;
        }
        let mut said = SafeTextBuf::default();
        said.push(&bounded(text, MAX_MESSAGE));
        let told = message.clone();
        let id = self.push(match role {
            ChunkRole::Thought => BlockKind::Thought(Thought {
                id: message,
                text: said,
                started: self.now,
                took: None,
                meta,
            }),
            _ => BlockKind::Agent(Message {
                id: message,
                text: said,
                done: false,
                meta,
            }),
        });
        self.conversation_mut().note_told(role, told, id);
        self.conversation_mut().is_said(id);
    }

    /// The agent says something in this turn.
    pub fn spoke(&mut self) {
        if self.subagent_id().is_none() {
            self.session.inner.turn.spoke = true;
        }
    }

    fn append(&mut self, id: BlockId, text: &SafeText, meta: &Meta) {
        if self.conversation().speech.current != Some(id) {
            self.settle_current();
            self.conversation_mut().is_said(id);
        }
        let conversation = self.conversation_mut();
        let (said, kept) = match conversation.transcript.edit(id) {
            Some(BlockKind::Agent(message)) => {
                message.done = false;
                (&mut message.text, &mut message.meta)
            }
            Some(BlockKind::Thought(thought)) => {
                thought.took = None;
                (&mut thought.text, &mut thought.meta)
            }
            _ => return,
        };
        let mut cut = kept.weight();
        kept.merge(meta);
        let more = kept.weight() + text.len();
        said.push(text);
        if said.len() > MAX_MESSAGE {
            let before = said.len();
            halve(said, &mut conversation.speech.left_out);
            cut += before - said.len();
        }
        conversation.shrink(cut);
        conversation.grow(more);
    }

    /// Ends the open message: another kind of block comes, or the turn is over.
    pub fn end_message(&mut self) {
        self.flush_history();
        self.settle_current();
    }

    fn settle_current(&mut self) {
        let (now, replaying) = (self.now, self.is_replaying());
        let conversation = self.conversation_mut();
        let Some(id) = conversation.speech.current.take() else {
            return;
        };
        match conversation.transcript.edit(id) {
            Some(BlockKind::Agent(message)) => message.done = true,
            Some(BlockKind::Thought(thought)) => {
                thought.took = Some(if replaying {
                    Duration::ZERO
                } else {
                    now.saturating_duration_since(thought.started)
                });
            }
            _ => {}
        }
    }

    fn user_chunk(&mut self, message: Option<MessageId>, content: ContentBlock, meta: Meta) {
        let replaying = self.is_replaying();
        let conversation = self.conversation_mut();
        let Some(content) = conversation.not_told_before(message.as_ref(), content, &meta) else {
            return;
        };
        let last = conversation.transcript.blocks().last();
        let last = last.map(|block| block.id);
        let speech = &mut conversation.speech;
        let attached = speech.expects_attachments();
        let history = &speech.history;
        match content {
            ContentBlock::Text(text) => {
                let goes_on = history
                    .as_ref()
                    .is_some_and(|history| history.goes_on(message.as_ref()));
                let unsaid = if replaying || goes_on {
                    Some(SafeTextBuf::from(text))
                } else {
                    speech.unsaid(message.as_ref(), &text, last)
                };
                if let Some(unsaid) = unsaid {
                    self.history_chunk(message, unsaid, None, meta);
                }
            }
            // V1-CONT-02, V1-CONT-03: of the person's own message, which it may stand in the middle of.
            ContentBlock::Image(_) | ContentBlock::Audio(_) => {
                if replaying || !attached {
                    let mark = SafeTextBuf::from(media_mark(&content));
                    self.history_chunk(message, mark, Some(content), meta);
                }
            }
            content => {
                if replaying || !attached {
                    let block = self.push(BlockKind::Content(content));
                    self.conversation_mut()
                        .note_told(ChunkRole::User, message, block);
                }
            }
        }
    }

    fn history_chunk(
        &mut self,
        message: Option<MessageId>,
        text: SafeTextBuf,
        attached: Option<ContentBlock>,
        meta: Meta,
    ) {
        let Speech {
            history, left_out, ..
        } = &mut self.conversation_mut().speech;
        match history {
            Some(history) if history.goes_on(message.as_ref()) => {
                history.meta.merge(&meta);
                history.text.push(&SafeText::new(&text));
                if history.text.len() > MAX_MESSAGE {
                    halve(&mut history.text, left_out);
                }
                if history.attached.len() < MAX_ATTACHED {
                    history.attached.extend(attached);
                }
            }
            _ => {
                self.end_message();
                let speech = &mut self.conversation_mut().speech;
                speech.left_out = 0;
                speech.history = Some(History {
                    id: message,
                    text,
                    attached: attached.into_iter().collect(),
                    meta,
                });
            }
        }
    }

    /// Shows the user's message that the agent told, now that something else comes.
    pub fn flush_history(&mut self) {
        let Some(history) = self.conversation_mut().speech.history.take() else {
            return;
        };
        self.settle_current();
        self.history_goes_on();
        let block = self
            .conversation_mut()
            .push_only(BlockKind::User(UserMessage {
                attached: history.attached,
                meta: history.meta,
                ..UserMessage::of(SafeText::new(&history.text))
            }));
        self.conversation_mut()
            .note_told(ChunkRole::User, history.id, block);
    }

    /// A turn of history begins: the one before is over.
    pub fn history_goes_on(&mut self) {
        if self.is_replaying() {
            self.end_open_tools(ToolState::Ended);
            self.session.inner.turn.number += 1;
        }
    }
}

impl Conversation {
    /// Joins text for the agent alone that comes in pieces into one row (V1-CONT-06).
    fn adds_to_aside(&mut self, more: &ContentBlock) -> bool {
        let ContentBlock::Text(more) = more else {
            return false;
        };
        let last = self.transcript.blocks().last();
        let Some((id, said)) = last.and_then(|block| match &block.kind {
            BlockKind::Content(ContentBlock::ForAgent(said)) => match &**said {
                ContentBlock::Text(said) => Some((block.id, said)),
                _ => None,
            },
            _ => None,
        }) else {
            return false;
        };
        if said.len() < MAX_ASIDE {
            let both = bounded(&SafeText::new(&format!("{said}{more}")), MAX_ASIDE);
            let content = ContentBlock::ForAgent(Arc::new(ContentBlock::Text(both)));
            self.replace(id, BlockKind::Content(content));
        }
        true
    }

    /// That block is the open message now.
    pub(in crate::session) fn is_said(&mut self, block: BlockId) {
        self.speech.current = Some(block);
        self.speech.left_out = 0;
    }

    /// Whether one of them is the open message.
    pub(in crate::session) fn is_said_in(&self, blocks: &[BlockId]) -> bool {
        let current = self.speech.current;
        current.is_some_and(|block| blocks.contains(&block))
    }

    /// Of blocks that are to go, or to hold something else.
    pub(in crate::session) fn is_not_said(&mut self, blocks: &[BlockId]) {
        let current = &mut self.speech.current;
        if current.is_some_and(|block| blocks.contains(&block)) {
            *current = None;
        }
    }

    /// The block that a chunk continues (V1-UPD-04): the one being said if the ids allow it, else
    /// one with the same id just before.
    fn goes_on(&self, role: ChunkRole, message: Option<&MessageId>) -> Option<BlockId> {
        let fits = |id: BlockId, strict: bool| {
            let own = match (&self.transcript.get(id)?.kind, role) {
                (BlockKind::Agent(said), ChunkRole::Agent) => said.id.as_ref(),
                (BlockKind::Thought(thought), ChunkRole::Thought) => thought.id.as_ref(),
                _ => return None,
            };
            let same = match message {
                None => !strict,
                Some(message) => own == Some(message),
            };
            same.then_some(id)
        };
        let current = self.speech.current;
        current.and_then(|block| fits(block, false)).or_else(|| {
            let blocks = self.transcript.blocks().iter().rev();
            blocks
                .take_while(|block| is_speech_or_quiet(&block.kind))
                .take(INTERLEAVED)
                .find_map(|block| fits(block.id, true))
        })
    }

    /// Forgets a message of a replay that has come to nothing.
    pub(in crate::session) fn drop_history(&mut self) {
        self.speech.history = None;
        self.speech.current = None;
    }

    pub(in crate::session) fn expect_echo(&mut self, prompt: &Prompt, user: BlockId) {
        self.speech.echo = Echo::of(prompt, user);
        self.speech.steered.clear();
    }

    /// Of what was said into the open turn.
    pub(in crate::session) fn expect_steered_echo(&mut self, prompt: &Prompt, user: BlockId) {
        let steered = &mut self.speech.steered;
        steered.push_back(Echo::of(prompt, user));
        if steered.len() > MAX_STEERED {
            steered.pop_front();
        }
    }
}

impl Speech {
    /// The part of a chunk of the user's that repeats nothing and is shown.
    fn unsaid(
        &mut self,
        message: Option<&MessageId>,
        text: &SafeText,
        last: Option<BlockId>,
    ) -> Option<SafeTextBuf> {
        for echo in &mut self.steered {
            // What it held back before, if anything, is not lost.
            let unsaid = echo.unsaid(message, text, last)?;
            if unsaid.len() > text.len() {
                return Some(unsaid);
            }
        }
        self.echo.unsaid(message, text, last)
    }

    fn expects_attachments(&self) -> bool {
        let mut echoes = self.steered.iter().chain([&self.echo]);
        echoes.any(|echo| echo.has_attachments)
    }

    /// Whether that text was said into the open turn.
    pub fn is_steered(&self, texts: &[&SafeText]) -> bool {
        self.steered.iter().any(|echo| echo.is(texts))
    }
}

/// Where a picture or sound of the person stands in what the agent tells of their message.
pub fn media_mark(content: &ContentBlock) -> SafeText {
    let (what, media) = match content {
        ContentBlock::Image(media) => ("image", media),
        ContentBlock::Audio(media) => ("audio", media),
        _ => return SafeText::default(),
    };
    let uri = media.uri.as_deref().filter(|uri| !uri.is_empty());
    let name = uri.map(file_name);
    SafeText::line(&marker(what, name.as_deref().unwrap_or(&media.mime_type)))
}

fn is_speech_or_quiet(kind: &BlockKind) -> bool {
    match kind {
        BlockKind::Agent(_) | BlockKind::Thought(_) => true,
        BlockKind::Notice(notice) => notice.level == NoticeLevel::Quiet,
        _ => false,
    }
}

/// Tells an echo of our prompt from other words (V1-UPD-03): it may come in pieces, and more
/// than once. Blanks do not count, since agents trim and join.
#[derive(Debug, Default)]
pub struct Echo {
    /// The prompt's text without blanks.
    expected: String,
    /// How much of it has been echoed, and in which message.
    at: usize,
    message: Option<MessageId>,
    /// What was taken for an echo and is not told to be one yet.
    held: SafeTextBuf,
    /// Files came with the prompt: agents write those in different ways.
    has_attachments: bool,
    pub user: Option<BlockId>,
    /// The message that it is for the agent, once that is known (V2-PROMPT-01).
    pub own: Option<MessageId>,
    /// That message was told whole.
    pub told: bool,
}

impl Echo {
    fn of(prompt: &Prompt, user: BlockId) -> Self {
        let mut expected = String::new();
        let mut has_attachments = false;
        for block in &prompt.blocks {
            match block {
                PromptBlock::Text(text) => {
                    expected.extend(SafeText::new(text).chars().filter(|c| !c.is_whitespace()));
                }
                PromptBlock::ResourceLink { .. }
                | PromptBlock::Resource { .. }
                | PromptBlock::Image(_)
                | PromptBlock::Audio(_) => {
                    has_attachments = true;
                }
            }
        }
        Self {
            expected,
            has_attachments,
            user: Some(user),
            ..Self::default()
        }
    }

    /// Whether that text is the prompt's, whole.
    pub fn is(&self, texts: &[&SafeText]) -> bool {
        let said = texts.iter().flat_map(|text| text.chars());
        said.filter(|c| !c.is_whitespace())
            .eq(self.expected.chars())
    }

    /// The part of a chunk that is not an echo and is shown. `last` is the transcript's last block.
    fn unsaid(
        &mut self,
        message: Option<&MessageId>,
        text: &SafeText,
        last: Option<BlockId>,
    ) -> Option<SafeTextBuf> {
        if message != self.message.as_ref() {
            self.message = message.cloned();
            self.at = 0;
            self.held = SafeTextBuf::default();
        }
        let start = self.at;
        for c in text.chars().filter(|c| !c.is_whitespace()) {
            if self.at == self.expected.len() {
                self.at = 0;
                self.held = SafeTextBuf::default();
            }
            let rest = self.expected.get(self.at..).unwrap_or_default();
            if rest.starts_with(c) {
                self.at += c.len_utf8();
                continue;
            }
            // For a prompt with files, what directly follows it counts as its echo.
            if self.has_attachments && last == self.user {
                return None;
            }
            self.at = 0;
            let mut unsaid = if start > 0 {
                std::mem::take(&mut self.held)
            } else {
                SafeTextBuf::default()
            };
            unsaid.push(text);
            return Some(unsaid);
        }
        self.held.push(text);
        None
    }
}
