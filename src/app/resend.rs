//! Back in the conversation: a prompt that is sent again from where it stood, and a fork from an earlier
//! turn.
//!
//! Owns how a session goes on from an earlier place: forked there where its agent can, else anew with what
//! was said as context. Files are the person's to decide about, and never put back by default.

use std::time::Instant;

use crate::{
    app::{
        job::{Again, Job},
        state::App,
        terminal::Reason,
    },
    model::{MessageId, PromptBlock, SessionId, SessionKey, Since},
    session::{Block, BlockId, BlockKind, Fork, NoticeLevel, Session, Start, carried},
    text::SafeText,
    ui::SendTo,
};

/// What stands before a prompt.
struct Before<'a> {
    blocks: &'a [Block],
    /// Prompts that are left out: it, and those behind it.
    prompts: usize,
}

impl<'a> Before<'a> {
    /// Before the prompt of this row; `None` where it is not there any more.
    fn prompt(session: &'a Session, row: BlockId) -> Option<Self> {
        let blocks = session.conversation.transcript.blocks();
        let at = blocks.iter().position(|block| block.id == row)?;
        Some(Self::at(blocks, at))
    }

    /// Before the first prompt behind this row: with the whole turn that it is of.
    fn behind(session: &'a Session, row: BlockId) -> Option<Self> {
        let blocks = session.conversation.transcript.blocks();
        let at = blocks.iter().position(|block| block.id == row)?;
        let mut later = blocks.iter().enumerate().skip(at + 1);
        let next = later.find(|(_, block)| block.kind.is_prompt());
        Some(Self::at(
            blocks,
            next.map_or(blocks.len(), |(next, _)| next),
        ))
    }

    fn at(blocks: &'a [Block], at: usize) -> Self {
        let (before, behind) = blocks.split_at(at.min(blocks.len()));
        Self {
            blocks: before,
            prompts: behind.iter().filter(|block| block.kind.is_prompt()).count(),
        }
    }

    /// Nothing was asked before: a new session is the same.
    fn is_empty(&self) -> bool {
        !self.blocks.iter().any(|block| block.kind.is_prompt())
    }

    /// The last message of the agent, which a fork can end at. Not one of an earlier turn: the fork would not
    /// know of the last.
    fn message(&self) -> Option<MessageId> {
        let turn = self.blocks.iter().rev();
        let mut turn = turn.take_while(|block| !block.kind.is_prompt());
        turn.find_map(|block| match &block.kind {
            BlockKind::Agent(message) => message.id.clone(),
            _ => None,
        })
    }

    /// How the session is forked here, if its agent can.
    fn fork(&self, session: &Session) -> Option<Fork> {
        let of: SessionId = session.id.clone()?;
        let at = self.message().filter(|_| session.agent.caps.fork_at)?;
        Some(Fork { of, at: Some(at) })
    }
}

impl App {
    /// Looks which files turns have changed since that prompt.
    pub(super) fn ask_resend(&mut self, row: BlockId) {
        let Some(key) = self.runtime.sessions.shown_key() else {
            return;
        };
        // It would be sent in another one.
        if !self.has_room() {
            return;
        }
        let session = self.runtime.sessions.get(key);
        let prompts = session.and_then(|session| Some(Before::prompt(session, row)?.prompts));
        let Some(prompts) = prompts else {
            return self.say_gone();
        };
        let of = self.runtime.follower(key);
        match (self.runtime.following_of(key), of) {
            (Some(following), Some(of)) => {
                let jobs = self.jobs.clone();
                // Sending fails only once the loop is over.
                let then = move |since| drop(jobs.send(Job::Since(key, row, since)));
                following.since(of, prompts, then);
            }
            _ => self.since_prompt(key, row, None),
        }
    }

    /// With no such files there is nothing to decide.
    pub(super) fn since_prompt(&mut self, key: SessionKey, row: BlockId, since: Option<Since>) {
        if self.runtime.sessions.shown_key() != Some(key) || self.ui.edited_prompt() != Some(row) {
            return;
        }
        match since.filter(|since| since.files > 0) {
            Some(since) => self.ui.ask_resend(since),
            None => self.resend(false),
        }
        self.frames.request(Instant::now(), Reason::Now);
    }

    /// Sends the prompt that is edited; it stays where no session can be opened for it.
    pub(super) fn resend(&mut self, put_back: bool) {
        if self.has_room()
            && let Some((row, draft)) = self.ui.take_edited()
        {
            self.save_history(draft.text());
            self.submit(draft, SendTo::Again { row, put_back });
        }
    }

    /// The prompt is ready for the wire. Files first: the agent may look at them at once.
    pub(super) fn send_again(&mut self, mut again: Again) {
        let Again {
            session: key, row, ..
        } = again;
        if self.runtime.sessions.shown_key() != Some(key) {
            return self.give_back(&again, "another session is shown");
        }
        // Before files are put back for it.
        if again.told.is_none() && !self.has_room() {
            return self.give_back(
                &again,
                "too many sessions are open: close one first (ctrl-s)",
            );
        }
        if let Some(told) = again.told.take() {
            self.review_told(key, told);
            return self.open_again(again);
        }
        let session = self.runtime.sessions.get(key);
        let prompts = session.and_then(|session| Some(Before::prompt(session, row)?.prompts));
        let of = self.runtime.follower(key);
        match (self.runtime.following_of(key), of, prompts) {
            (Some(following), Some(of), Some(prompts)) if again.put_back => {
                let jobs = self.jobs.clone();
                following.put_back_since(of, prompts, move |told| {
                    let told = Some(told);
                    let again = Again { told, ..again };
                    drop(jobs.send(Job::Again(Box::new(again))));
                });
            }
            _ => self.open_again(again),
        }
    }

    fn open_again(&mut self, again: Again) {
        let Again {
            session: key, row, ..
        } = again;
        let session = self.runtime.sessions.get(key);
        let Some((session, before)) =
            session.and_then(|session| Some((session, Before::prompt(session, row)?)))
        else {
            return self.give_back(&again, "the earlier prompt is gone");
        };
        if before.is_empty() {
            let worktree = self.shown_worktree();
            return self.open_another(Start::New, None, Some(again.prompt), worktree);
        }
        if let Some(fork) = before.fork(session) {
            let prompts = before.prompts;
            return self.open_kept_before(Start::Fork(fork), prompts, Some(again.prompt));
        }
        let agent = session.agent_name().clone();
        let context = carried(before.blocks);
        let mut prompt = again.prompt;
        let bytes = context.as_ref().map_or(0, String::len);
        if let Some(context) = context {
            prompt.blocks.insert(0, PromptBlock::Text(context));
        }
        let worktree = self.shown_worktree();
        self.open_another(Start::New, None, Some(prompt), worktree);
        let text = format!(
            "{agent} cannot fork at an earlier prompt: this is a new session, which was given the \
             conversation before it as text ({} KB); the original stays as it is",
            bytes.div_ceil(1024)
        );
        self.note(NoticeLevel::Info, SafeText::line(&text));
    }

    /// Nothing that was typed is lost.
    fn give_back(&mut self, again: &Again, why: &str) {
        self.ui.restore_text_of(again.session, &again.prompt.text);
        self.ui.toast(SafeText::line(&format!("not sent: {why}")));
        self.frames.request(Instant::now(), Reason::Now);
    }

    fn say_gone(&mut self) {
        self.ui.toast("that prompt is not there any more".into());
        self.frames.request(Instant::now(), Reason::Now);
    }

    /// A session that goes on from behind the turn of this block.
    pub(super) fn fork_at(&mut self, row: BlockId) {
        let Some(session) = self.runtime.sessions.shown() else {
            return;
        };
        let Some(before) = Before::behind(session, row) else {
            return self.say_gone();
        };
        match before.fork(session) {
            // The end of the conversation: any fork will do.
            _ if before.prompts == 0 => self.fork_session(),
            Some(fork) => self.open_kept_before(Start::Fork(fork), before.prompts, None),
            None => {
                let agent = session.agent_name();
                let text = match session.agent.caps.fork_at {
                    true => "the agent said nothing in that turn that a fork could begin at".into(),
                    false => format!(
                        "{agent} cannot fork at an earlier turn: e on its next prompt begins anew from there"
                    ),
                };
                self.ui.toast(SafeText::line(&text));
                self.frames.request(Instant::now(), Reason::Now);
            }
        }
    }
}
