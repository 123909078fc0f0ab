//! Words for the turn that is open, where the agent takes them (steering, no part of the protocol).
//!
//! They stand in the transcript where they were said. The agent answers at once what became of them; what it does not
//! take is queued, and the transcript has it no longer. No word is given to it twice unless it said that it has not
//! taken it, or said nothing for [`PATIENCE`].

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use crate::{
    model::{
        AgentCaps, Call, CallResult, CallTag, Notification, RpcError, SessionId, SteerOutcome,
    },
    session::{BlockId, BlockKind, NoticeLevel, Prompt, Session, Steered, TurnPhase, UserMessage},
    text::SafeText,
};

use super::super::{Step, connection::error_text, failure};

/// The agent only has to say that it has taken the words, not to follow them.
const PATIENCE: Duration = Duration::from_secs(10);

/// Words that may wait for the agent's answer at the same time; more are queued.
pub const MAX_OPEN: usize = 8;

#[derive(Debug, Default)]
pub struct SteerRules {
    /// Counts what was given.
    number: u64,
    /// Without an answer, in order.
    open: VecDeque<Given>,
    /// Taken while a question was open.
    waiting: Vec<BlockId>,
    /// Why the agent took nothing, as it was last told.
    told: Option<SafeText>,
}

#[derive(Debug)]
struct Given {
    number: u64,
    prompt: Prompt,
    block: BlockId,
    at: Instant,
    /// The person has stopped the turn since.
    stopped: bool,
    /// It took too long: the words are in the queue.
    queued: bool,
}

impl SteerRules {
    fn take(&mut self, number: u64) -> Option<Given> {
        let at = self.open.iter().position(|given| given.number == number)?;
        self.open.remove(at)
    }
}

impl Session {
    /// What is said now goes into the open turn.
    pub fn can_steer(&self) -> bool {
        let running = matches!(&self.turn, Some(turn) if turn.phase == TurnPhase::Running);
        running && self.agent.caps.steering && self.inner.turn.steer.open.len() < MAX_OPEN
    }

    /// The oldest of what has no answer yet: a wire log does not tell our numbers.
    pub fn oldest_steer(&self) -> Option<u64> {
        self.inner.turn.steer.open.front().map(|given| given.number)
    }

    pub(in crate::session) fn steer_deadline(&self) -> Option<Instant> {
        let open = self.inner.turn.steer.open.iter();
        let open = open.filter(|given| !given.queued);
        open.map(|given| given.at + PATIENCE).min()
    }

    /// The agent's own command: it is a turn of its own.
    pub(super) fn is_command(&self, prompt: &Prompt) -> bool {
        let word = prompt.text.split_whitespace().next().unwrap_or_default();
        let name = word.strip_prefix('/');
        name.is_some_and(|name| self.commands.iter().any(|command| *command.name == *name))
    }
}

impl Step<'_> {
    /// Into the open turn, where the agent takes that; else as [`Step::submit`].
    pub fn steer(&mut self, prompt: Prompt) {
        if self.may_send() {
            return self.submit(prompt);
        }
        let live = self.session.inner.opening.live().cloned();
        let Some(session) = live.filter(|_| {
            self.is_ready() && self.session.can_steer() && !self.session.is_command(&prompt)
        }) else {
            return self.submit(prompt);
        };
        let blocks = self.fitted(&prompt);
        self.tell_linked(&prompt, &blocks);
        let block = self.push(BlockKind::User(UserMessage {
            attached: prompt.attached(&blocks),
            steered: Some(Steered::Given),
            ..UserMessage::of(SafeText::new(&prompt.shown_text()))
        }));
        self.conversation_mut().expect_steered_echo(&prompt, block);
        let rules = &mut self.session.inner.turn.steer;
        rules.number += 1;
        let number = rules.number;
        rules.open.push_back(Given {
            number,
            prompt,
            block,
            at: self.now,
            stopped: false,
            queued: false,
        });
        self.call(Call::Steer {
            session,
            number,
            blocks,
        });
        self.silence_counts_anew();
    }

    /// The agent's answer.
    pub fn steered(&mut self, number: u64, result: CallResult) {
        let Some(given) = self.session.inner.turn.steer.take(number) else {
            return;
        };
        match result {
            CallResult::Steered(SteerOutcome::Injected | SteerOutcome::StartedNewTurn) => {
                self.was_steered(given);
            }
            CallResult::Steered(SteerOutcome::PromptRequired) => self.prompt_instead(given),
            CallResult::Steered(SteerOutcome::Unknown(outcome)) => {
                let why = SafeText::line(&format!("its answer is \"{outcome}\""));
                self.queue_instead(given, &why);
            }
            result => {
                let error = failure(result);
                self.note_missing(&error, |caps: &mut AgentCaps| caps.steering = false);
                let why = reason(&error);
                self.queue_instead(given, &why);
            }
        }
    }

    fn was_steered(&mut self, given: Given) {
        let mut block = given.block;
        if given.queued {
            // It is not sent a second time, unless that has happened.
            let queue = &mut self.session.queue;
            let Some(at) = queue.iter().position(|queued| *queued == given.prompt) else {
                return;
            };
            queue.remove(at);
            self.session.queue_held &= !self.session.queue.is_empty();
            block = self.push(BlockKind::User(UserMessage::of(SafeText::new(
                &given.prompt.shown_text(),
            ))));
        }
        self.session.inner.turn.steer.told = None;
        let waits = self.session.shown_question().is_some();
        if waits {
            self.session.inner.turn.steer.waiting.push(block);
        }
        self.mark_steered(
            block,
            if waits {
                Steered::Waiting
            } else {
                Steered::Taken
            },
        );
    }

    fn mark_steered(&mut self, block: BlockId, how: Steered) {
        if let Some(BlockKind::User(message)) = self.conversation_mut().transcript.edit(block) {
            message.steered = Some(how);
        }
    }

    /// No question is open any more: what was to wait for that has been read.
    pub fn steers_go_on(&mut self) {
        if self.session.inner.turn.steer.waiting.is_empty() || !self.session.questions.is_empty() {
            return;
        }
        for block in std::mem::take(&mut self.session.inner.turn.steer.waiting) {
            self.mark_steered(block, Steered::Taken);
        }
    }

    /// The agent had no open turn: the words go as the prompt that they would have been.
    fn prompt_instead(&mut self, given: Given) {
        if given.queued {
            return;
        }
        self.conversation_mut().withdraw(&[given.block]);
        if given.stopped {
            self.enqueue(given.prompt, 0);
            self.session.queue_held |= !self.session.queue.is_empty();
        } else if self.may_send() {
            self.submit_first(given.prompt);
        } else {
            // That turn is over for the agent, and its end on the way.
            let place = usize::from(self.session.inner.turn.send_next);
            self.session.inner.turn.send_next |= self.enqueue(given.prompt, place);
        }
    }

    fn queue_instead(&mut self, given: Given, why: &SafeText) {
        if given.queued {
            return;
        }
        self.conversation_mut().withdraw(&[given.block]);
        // Once for each reason: the queue's rows show what became of the rest.
        let rules = &mut self.session.inner.turn.steer;
        if rules.told.as_ref() != Some(why) {
            rules.told = Some(why.clone());
            let text = format!("not taken into the open turn, queued: {why}");
            self.say(NoticeLevel::Info, SafeText::line(&text));
        }
        let place = self.session.queue.len();
        self.enqueue(given.prompt, place);
        self.session.queue_held |= given.stopped && !self.session.queue.is_empty();
        self.send_next_unless_held();
    }

    /// The person stops the turn: what the agent does not take into it waits for them.
    pub(super) fn steers_are_stopped(&mut self) {
        for given in &mut self.session.inner.turn.steer.open {
            given.stopped = true;
        }
    }

    pub fn tell_slow_steer(&mut self) -> bool {
        if !self.is_due(self.session.steer_deadline()) {
            return false;
        }
        let live = self.session.inner.opening.live().cloned();
        let late = |given: &&mut Given| !given.queued && self.now >= given.at + PATIENCE;
        let open = self.session.inner.turn.steer.open.iter_mut();
        let late: Vec<_> = open
            .filter(late)
            .map(|given| {
                given.queued = true;
                Given {
                    prompt: given.prompt.clone(),
                    queued: false,
                    ..*given
                }
            })
            .collect();
        let why = format!("no answer for {} s", PATIENCE.as_secs());
        for given in late {
            if let Some(session) = live.clone() {
                self.withdraw_call(session, given.number);
            }
            self.queue_instead(given, &SafeText::line(&why));
        }
        true
    }

    fn withdraw_call(&mut self, session: SessionId, number: u64) {
        self.notify(Notification::CancelCall(CallTag::Steer { session, number }));
    }

    /// The agent's process is gone: what it has not answered is queued, since nothing shows that it was read.
    pub fn lose_steers(&mut self) {
        let rules = std::mem::take(&mut self.session.inner.turn.steer);
        self.session.inner.turn.steer.number = rules.number;
        for block in rules.waiting {
            self.mark_steered(block, Steered::Taken);
        }
        for (place, given) in rules
            .open
            .into_iter()
            .filter(|given| !given.queued)
            .enumerate()
        {
            self.conversation_mut().withdraw(&[given.block]);
            self.enqueue(given.prompt, place);
        }
        self.session.queue_held |= !self.session.queue.is_empty() && self.session.turn.is_some();
    }
}

fn reason(error: &RpcError) -> SafeText {
    SafeText::line(&error_text::readable(error))
}
