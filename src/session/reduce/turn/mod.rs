//! Turns and the queue: one prompt at a time, what ends it, what is sent next.

mod cancel;
pub mod done;
mod drain;
mod steer;
mod stop;
mod work;

use std::time::Instant;

use crate::{
    model::{
        Call, DialectRow, PromptBlock, RpcError, SessionId, StopReason, TurnTokens, WorkState, code,
    },
    session::{
        Attention, BlockId, BlockKind, Effect, NoticeLevel, Phase, Prompt, SILENCE, Session,
        ToolState, Turn, TurnMoment, TurnPhase, UserMessage,
    },
    text::SafeText,
};

#[cfg(test)]
pub use drain::MAX_DRAINED;

use self::done::{Took, TurnEnd};
use super::{
    Step,
    connection::error_text,
    conversation::bounds::{MAX_QUEUE, MAX_QUEUE_WEIGHT},
};

/// Bytes of a prompt that older agents were told to expect at most (D-29).
const LARGE_PROMPT: usize = 1_000_000;

#[derive(Debug, Default)]
pub struct TurnRules {
    /// Counts turns; in a replay, messages of the user.
    pub number: u64,
    /// What the open turn was asked, and its block.
    prompt: Option<(Prompt, BlockId)>,
    /// That prompt has no answer yet.
    pub unanswered: bool,
    /// The agent reported work since the turn began: then its idle state ends the turn.
    pub worked: bool,
    /// It has sent a message since.
    pub spoke: bool,
    /// It was idle again before it had answered the prompt.
    pub idle: Option<(Option<StopReason>, Option<TurnTokens>)>,
    /// A notice said that the prompt failed.
    told_failure: bool,
    /// The agent cannot tell whether what is open goes on (V2-STATE-03).
    pub doubted: bool,
    /// The queue's head goes out as soon as it may: however the turn ends, or the session opens.
    pub send_next: bool,
    /// A request of the open turn was denied.
    pub denied: bool,
    /// The silence of the agent is on the screen; its next message resets this.
    pub silence_told: bool,
    steer: steer::SteerRules,
    /// The row of the turn before.
    ended: Option<done::Ended>,
}

impl TurnRules {
    /// Another turn begins: forgets the one before.
    pub fn begin(&mut self) {
        self.number += 1;
        self.prompt = None;
        self.unanswered = false;
        self.worked = false;
        self.spoke = false;
        self.idle = None;
        self.told_failure = false;
        self.denied = false;
    }
}

impl Session {
    pub(in crate::session) fn silence_deadline(&self) -> Option<Instant> {
        let running = matches!(&self.turn, Some(turn) if turn.phase == TurnPhase::Running);
        let told = self.inner.turn.silence_told;
        let waits = matches!(
            self.work,
            Some(WorkState::RequiresAction | WorkState::Unknown)
        );
        let silent = running && !told && !waits;
        (silent && self.shown_question().is_none()).then(|| self.last_word + SILENCE)
    }
}

impl Step<'_> {
    pub fn submit(&mut self, prompt: Prompt) {
        if self.may_send() {
            self.send(prompt);
        } else {
            self.submit_at(prompt, self.session.queue.len());
        }
    }

    /// Puts it at the head of the queue, but behind a prompt that is to go out at once.
    pub fn submit_first(&mut self, prompt: Prompt) {
        if self.may_send() {
            self.send(prompt);
        } else {
            self.submit_at(prompt, usize::from(self.session.inner.turn.send_next));
        }
    }

    fn submit_at(&mut self, prompt: Prompt, place: usize) {
        if self.enqueue(prompt, place)
            && let Phase::Failed { .. } = self.session.phase
        {
            self.session.queue_held = true;
            self.toast("no agent is running; message queued. F5 starts it");
        }
    }

    pub fn send_now(&mut self, prompt: Prompt) {
        if self.may_send() {
            self.send(prompt);
            return;
        }
        // Behind one that is to go out at once already.
        let place = usize::from(self.session.inner.turn.send_next);
        if self.enqueue(prompt, place) {
            self.make_way_for_head();
        }
    }

    pub fn send_queued(&mut self) {
        if self.session.queue.is_empty() {
            return;
        }
        self.session.queue_held = false;
        if self.may_send() {
            self.send_head();
        } else {
            self.make_way_for_head();
        }
    }

    /// The queue's head is to go out as soon as it may: an open turn is stopped for it.
    fn make_way_for_head(&mut self) {
        if self.session.turn.is_some() {
            self.cancel_turn();
            self.session.inner.turn.send_next = true;
        } else if let Phase::Failed { .. } = self.session.phase {
            self.session.queue_held = true;
            self.toast("no agent is running; message queued. F5 starts it");
        } else {
            // When the session is open.
            self.session.inner.turn.send_next = true;
        }
    }

    /// They are held, since how far the agent came is not known; except a first prompt of this session.
    pub fn restore_queue(&mut self, prompts: Vec<Prompt>) {
        let head = !self.session.queue.is_empty() && !self.session.queue_held;
        for prompt in prompts {
            self.enqueue(prompt, self.session.queue.len());
        }
        self.hold_queue();
        self.session.inner.turn.send_next |= head;
    }

    pub fn unqueue(&mut self, at: usize) {
        if let Some(prompt) = self.session.queue.remove(at) {
            self.effects.push(Effect::RestoreDraft(prompt));
        }
        if self.session.queue.is_empty() {
            self.session.queue_held = false;
            self.session.inner.turn.send_next = false;
        }
    }

    /// Whether there was room; otherwise the prompt goes back to the draft.
    fn enqueue(&mut self, prompt: Prompt, place: usize) -> bool {
        let held: usize = self.session.queue.iter().map(Prompt::weight).sum();
        if self.session.queue.len() >= MAX_QUEUE || held + prompt.weight() > MAX_QUEUE_WEIGHT {
            self.toast("the queue is full");
            self.effects.push(Effect::RestoreDraft(prompt));
            return false;
        }
        let place = place.min(self.session.queue.len());
        self.session.queue.insert(place, prompt);
        true
    }

    /// Whether the queue may go on. No second prompt is ever sent on an open turn (V1-PROMPT-02), nor
    /// one without the person where the agent does not know whether a turn is open.
    fn can_send(&self) -> bool {
        // `run` was asked to send it, and no one is there to do so again.
        let told = !self.works_unknown() || self.session.config.unattended;
        self.session.turn.is_none() && told && self.may_send()
    }

    /// Whether the person may send: also where the agent does not know whether it works, which may never
    /// change.
    fn may_send(&self) -> bool {
        let free = match &self.session.turn {
            None => true,
            Some(turn) => {
                turn.phase == TurnPhase::Running
                    && self.works_unknown()
                    && !self.session.inner.turn.unanswered
            }
        };
        free && self.is_ready() && !self.is_being_set_up()
    }

    fn works_unknown(&self) -> bool {
        self.session.work == Some(WorkState::Unknown)
    }

    pub fn send_next_unless_held(&mut self) {
        if self.can_send() && self.retry_refused() {
            return;
        }
        let wanted = self.session.inner.turn.send_next || !self.session.queue_held;
        if self.can_send() && wanted {
            self.send_head();
        }
    }

    fn send_head(&mut self) {
        if let Some(prompt) = self.session.queue.pop_front() {
            self.send(prompt);
        }
        if self.session.queue.is_empty() {
            self.session.queue_held = false;
        }
    }

    fn send(&mut self, prompt: Prompt) {
        let sent = self.fitted(&prompt);
        // Before the message: what comes straight behind that is taken for its echo.
        self.tell_linked(&prompt, &sent);
        let user = self.push(BlockKind::User(UserMessage {
            attached: prompt.attached(&sent),
            ..UserMessage::of(SafeText::new(&prompt.shown_text()))
        }));
        self.run_prompt(prompt, user);
    }

    /// The blocks of a prompt as the agent takes them (V1-INIT-18). Decided when it is sent, since a
    /// prompt may be written before the agent has said what it takes.
    pub fn fitted(&self, prompt: &Prompt) -> Vec<PromptBlock> {
        let caps = self.session.agent.caps.prompt;
        let blocks = prompt.blocks.iter().cloned();
        blocks.map(|block| block.fitted(caps)).collect()
    }

    /// Gives a notice about pictures and sounds that the agent does not get.
    fn tell_linked(&mut self, prompt: &Prompt, sent: &[PromptBlock]) {
        let both = prompt.blocks.iter().zip(sent);
        let linked = both.filter(|(_, sent)| sent.media().is_none());
        let names: Vec<&str> = linked
            .filter_map(|(block, _)| Some(block.media()?.name.as_str()))
            .collect();
        if !names.is_empty() {
            let names = names.join(", ");
            let dialect = self.session.config.dialect;
            let rows = [DialectRow::PathText, DialectRow::ContextBlocks];
            let what = if rows.iter().any(|row| dialect.names(*row)) {
                "the path"
            } else {
                "a link"
            };
            let text = format!("the agent cannot take {names}: {what} goes instead");
            self.say(NoticeLevel::Info, SafeText::line(&text));
        }
    }

    /// Starts the turn; the prompt is in the transcript already.
    pub fn run_prompt(&mut self, prompt: Prompt, user: BlockId) {
        let Some(session) = self.session.inner.opening.live().cloned() else {
            return;
        };
        if self.session.turn.is_some() {
            // How the one before ended is not known.
            self.close_turn(ToolState::Ended);
        }
        self.session.last_stop = None;
        self.session.changed_files = 0;
        self.session.suggestion = None;
        self.goes_on_before_limit();
        self.session.turn = Some(Turn {
            started: self.now,
            prompted: true,
            phase: TurnPhase::Running,
        });
        self.conversation_mut().expect_echo(&prompt, user);
        self.conversation_mut().plan_rules.new_turn();
        let rules = &mut self.session.inner.turn;
        rules.begin();
        rules.send_next = false;
        rules.unanswered = true;
        let blocks = self.fitted(&prompt);
        self.tell_large(&blocks);
        let turn = self.session.inner.turn.number;
        self.effects
            .push(Effect::FollowTurn(TurnMoment::Begins(turn)));
        self.call(Call::Prompt { session, blocks });
        self.session.inner.turn.prompt = Some((prompt, user));
        self.silence_counts_anew();
    }

    /// D-29: some agents take no message of more than 1 MB. It is sent all the same: there is no such
    /// rule. Who takes images has to take more: they do not count.
    fn tell_large(&mut self, blocks: &[PromptBlock]) {
        let plain = blocks.iter().filter(|block| block.media().is_none());
        let bytes: usize = plain.map(PromptBlock::bytes).sum();
        if bytes > LARGE_PROMPT {
            let text = format!(
                "the prompt has {}.{} MB: some agents take no message of more than 1 MB",
                bytes / 1_000_000,
                bytes % 1_000_000 / 100_000
            );
            self.say(NoticeLevel::Warning, SafeText::line(&text));
        }
    }

    /// A prompt that was refused before a sign-in. If the session was loaded again, its block is gone.
    pub fn run_prompt_again(&mut self, prompt: Prompt, user: BlockId) {
        if self.conversation().has(user) {
            self.run_prompt(prompt, user);
        } else {
            self.send(prompt);
        }
    }

    /// Closes the turn, and everything of it that is open.
    pub fn close_turn(&mut self, open_tools: ToolState) {
        self.end_message();
        self.end_open_tools(open_tools);
        self.tell_writes();
        self.close_own_questions_of_turn();
        if self.is_cancelling() {
            self.settle_all_plans();
        }
        self.settle_plan();
        self.settle_plan_texts();
        if self.session.turn.is_some() {
            let turn = self.session.inner.turn.number;
            self.effects
                .push(Effect::FollowTurn(TurnMoment::Ended(turn)));
        }
        self.session.turn = None;
        self.session.inner.turn.prompt = None;
        self.session.inner.turn.unanswered = false;
    }

    pub fn prompt_done(
        &mut self,
        session: &SessionId,
        reason: StopReason,
        tokens: Option<TurnTokens>,
    ) {
        if self.is_turn_of(session) {
            self.turn_over(Some(reason), tokens);
        }
    }

    /// The turn has ended, for that reason if one was given.
    pub fn turn_over(&mut self, reason: Option<StopReason>, tokens: Option<TurnTokens>) {
        if tokens.is_some() {
            self.session.tokens = tokens;
        }
        let stopped = self.is_cancelling();
        let took = self.took();
        let user = self
            .session
            .inner
            .turn
            .prompt
            .as_ref()
            .map(|(_, user)| *user);
        self.close_turn(match &reason {
            _ if stopped => ToolState::Cancelled,
            Some(StopReason::Error(_)) => ToolState::Failed,
            _ => ToolState::Ended,
        });
        self.signed_in();
        self.session.last_stop = reason.clone();
        let went_well = matches!(reason, None | Some(StopReason::EndTurn));
        let reason = reason.unwrap_or(StopReason::EndTurn);
        self.tell_end(reason, (user, stopped), took.as_ref());
        self.after_turn(went_well, stopped);
    }

    /// V1-PROMPT-04: gives a notice for each kind of end, and behind it the row that ends the turn.
    fn tell_end(
        &mut self,
        reason: StopReason,
        (user, stopped): (Option<BlockId>, bool),
        took: Option<&Took>,
    ) {
        let mut how = TurnEnd::Ended;
        match reason {
            StopReason::EndTurn | StopReason::Cancelled if stopped => {
                return self.tell_stopped(took, None);
            }
            StopReason::Error(error) if stopped => {
                return self.tell_stopped(took, Some(error_text::detail(&error)));
            }
            StopReason::EndTurn => {
                how = TurnEnd::Worked;
                // pi's way to tell that the model could not be reached.
                let last = self.conversation().transcript.blocks().last();
                if user.is_some() && user == last.map(|block| block.id) {
                    self.say(NoticeLevel::Info, "no output".into());
                }
            }
            // codex, after each no.
            StopReason::Cancelled if self.session.inner.turn.denied => {
                let text = "the agent ended the turn: its request was denied";
                self.say(NoticeLevel::Info, text.into());
            }
            StopReason::Cancelled => {
                self.say(NoticeLevel::Warning, "cancelled by the agent".into());
            }
            StopReason::MaxTokens => {
                let text = "the token limit was reached: the answer is cut off";
                self.say(NoticeLevel::Warning, text.into());
            }
            StopReason::MaxTurnRequests => {
                let text = "the limit of requests in one turn was reached: the agent stopped here";
                self.say(NoticeLevel::Warning, text.into());
            }
            StopReason::Refusal => {
                self.mark_refused(user);
                let text = "the agent refused: this message and what followed it are no longer part of the conversation";
                self.say(NoticeLevel::Warning, text.into());
            }
            // The notice came when the prompt failed.
            StopReason::Error(_) if self.session.inner.turn.told_failure => how = TurnEnd::Failed,
            StopReason::Error(error) => return self.tell_failed(took, &error),
            StopReason::Unknown(reason) => {
                let text = format!("the turn ended: {reason}");
                self.say(NoticeLevel::Warning, SafeText::line(&text));
            }
        }
        if let Some(took) = took {
            self.tell_took(how, took, None);
        }
    }

    pub fn prompt_failed(&mut self, session: &SessionId, error: RpcError) {
        if !self.is_turn_of(session) {
            return;
        }
        // V1-PROMPT-06: after our cancel an error is the cancel.
        let stopped = self.is_cancelling();
        let wants_sign_in =
            error_text::wants_sign_in(&error, !self.session.agent.auth_methods.is_empty());
        if self.session.inner.turn.worked && (stopped || !wants_sign_in) {
            self.prompt_failed_at_work(&error, stopped);
            return;
        }
        let prompt = self.session.inner.turn.prompt.take();
        let took = self.took();
        self.close_turn(if stopped {
            ToolState::Cancelled
        } else {
            ToolState::Failed
        });
        if stopped {
            let detail = (error.code != code::CANCELLED).then(|| error_text::detail(&error));
            self.tell_stopped(took.as_ref(), detail);
        } else if let Some((prompt, user)) = prompt
            && wants_sign_in
        {
            self.sign_in_to_prompt(prompt, user, &error);
            return;
        } else {
            self.tell_failed(took.as_ref(), &error);
            if error.code == code::NOT_FOUND && !self.session.config.unattended {
                // V1-ERR-08: it may be the session itself that is gone.
                let text = "if the agent has lost the session, F5 reopens it or opens a new one";
                self.say(NoticeLevel::Info, text.into());
            }
        }
        self.after_turn(false, stopped);
    }

    /// The agent reports that it works: that goes on without the prompt, and ends as it reports
    /// (V2-STATE-01).
    fn prompt_failed_at_work(&mut self, error: &RpcError, stopped: bool) {
        if !stopped {
            self.say_error(NoticeLevel::Error, "the message was not accepted", error);
            self.session.inner.turn.told_failure = true;
        }
        let rules = &mut self.session.inner.turn;
        rules.unanswered = false;
        rules.prompt = None;
        if let Some((reason, tokens)) = rules.idle.take() {
            self.turn_over(reason, tokens);
        }
    }

    pub fn is_turn_of(&self, session: &SessionId) -> bool {
        self.session.turn.is_some() && self.session.inner.opening.live() == Some(session)
    }

    fn after_turn(&mut self, went_well: bool, stopped: bool) {
        self.tell_running_terminals();
        if self.sign_in_after_turn() {
            // What waits goes on behind it.
            if !self.session.inner.turn.send_next && (stopped || !went_well) {
                self.hold_queue();
            }
        } else if std::mem::take(&mut self.session.inner.turn.send_next) {
            self.send_head();
        } else if went_well && !stopped {
            self.send_next_unless_held();
        } else {
            self.hold_queue();
        }
        // No bell while the queue goes on, or for the person who stopped the turn.
        if !stopped && self.session.turn.is_none() {
            self.effects.push(Effect::Attention(Attention::TurnDone));
        }
    }

    /// Queued prompts wait until the person sends them; their rows say so.
    pub fn hold_queue(&mut self) {
        self.session.inner.turn.send_next = false;
        self.queue_refused_prompt();
        self.session.queue_held |= !self.session.queue.is_empty();
    }

    fn mark_refused(&mut self, user: Option<BlockId>) {
        if let Some(BlockKind::User(message)) =
            user.and_then(|user| self.conversation_mut().transcript.edit(user))
        {
            message.refused = true;
        }
    }

    pub fn tell_silence(&mut self) -> bool {
        if !self.is_due(self.session.silence_deadline()) {
            return false;
        }
        // Drawn from `last_word`; the frame only has to come.
        self.session.inner.turn.silence_told = true;
        true
    }
}
