//! An agent that comes for what is queued while it works (qwen): the head of the queue goes into the open turn.

use crate::{
    model::{HostReply, PromptBlock, RequestKey},
    session::{BlockKind, Prompt, Session, Steered, TurnPhase, UserMessage},
    text::SafeText,
};

use super::super::Step;

/// Prompts that it takes at once: what more there is in an answer, qwen throws away.
pub const MAX_DRAINED: usize = 10;

impl Session {
    /// Text alone, and no command, which is a turn of its own.
    fn can_be_drained(&self, prompt: &Prompt) -> bool {
        let is_text = |block: &PromptBlock| matches!(block, PromptBlock::Text(_));
        prompt.blocks.iter().all(is_text)
            && !prompt.text.trim().is_empty()
            && !self.is_command(prompt)
    }
}

impl Step<'_> {
    /// Answers with the prompts at the head of the queue: one that stays keeps those behind it, so that none
    /// overtakes another. None while the queue waits for the person, or the turn is being stopped.
    pub fn drain_queue(&mut self, key: RequestKey) {
        let turn = self.session.turn.as_ref();
        let running = turn.is_some_and(|turn| turn.phase == TurnPhase::Running);
        let goes_on = !self.session.queue_held && self.is_ready();
        let own = self.subagent_id().is_none();
        let mut messages = Vec::new();
        while running && goes_on && own && messages.len() < MAX_DRAINED {
            let head = self.session.queue.front();
            if !head.is_some_and(|head| self.session.can_be_drained(head)) {
                break;
            }
            let Some(prompt) = self.session.queue.pop_front() else {
                break;
            };
            messages.push(text_of(&prompt));
            self.was_given(&prompt);
        }
        let waits = goes_on && own && !self.session.queue.is_empty();
        self.answer_request(key, HostReply::QueueDrained { messages, waits });
    }

    /// The same as the log of another client tells it.
    pub fn gave_queued(&mut self, texts: Vec<String>) {
        for text in texts {
            self.was_given(&Prompt::of_text(text));
        }
    }

    fn was_given(&mut self, prompt: &Prompt) {
        let block = self.push(BlockKind::User(UserMessage {
            steered: Some(Steered::Taken),
            ..UserMessage::of(SafeText::new(&prompt.shown_text()))
        }));
        self.conversation_mut().expect_steered_echo(prompt, block);
    }
}

fn text_of(prompt: &Prompt) -> String {
    let texts = prompt.blocks.iter().map(|block| match block {
        PromptBlock::Text(text) => text.as_str(),
        _ => "",
    });
    texts.collect()
}
