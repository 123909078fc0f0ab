//! Limits of the person's account: what the agent tells of one, and the one prompt that the person may ask for when
//! it is over.
//!
//! The last word of the agent counts. Nothing of it stands in the transcript.

use std::time::{Duration, Instant};

use crate::{
    model::RateLimit,
    session::{Effect, Limit, NoticeLevel, Prompt, Session},
    text::SafeText,
};

use super::Step;

/// Clocks differ a little: so long after the time that was told it is over.
const GRACE: Duration = Duration::from_secs(3);

/// What is sent then.
const CONTINUE: &str = "continue";

#[derive(Debug, Default)]
pub struct LimitRules {
    /// The app was asked whether the person has written something.
    asked: bool,
}

impl Session {
    pub(in crate::session) fn limit_deadline(&self) -> Option<Instant> {
        let (ends, _) = self.limit.as_ref()?.ends.as_ref()?;
        Some(*ends + GRACE)
    }
}

impl Step<'_> {
    pub fn limit_told(&mut self, told: RateLimit) {
        let before = self.session.limit.take();
        let mut limit = Limit {
            told,
            ends: None,
            continues: false,
        };
        let mut asks = limit.told.resets;
        if let Some(before) = before {
            limit.continues = before.continues && limit.is_reached();
            if before.told.resets == limit.told.resets {
                limit.ends = before.ends;
                asks = None;
            }
            if before.told != limit.told {
                self.session.options_rev += 1;
            }
        } else {
            self.session.options_rev += 1;
        }
        self.effects.extend(asks.map(Effect::TellReset));
        self.session.limit = Some(limit);
    }

    pub fn limit_ends(&mut self, resets: u64, at: Instant, time: SafeText) {
        if let Some(limit) = &mut self.session.limit
            && limit.told.resets == Some(resets)
        {
            limit.ends = Some((at, time));
            self.session.options_rev += 1;
        }
    }

    /// The person asks for the prompt, or no longer.
    pub fn continue_after_limit(&mut self) {
        let Some(limit) = self
            .session
            .limit
            .as_mut()
            .filter(|limit| limit.is_reached())
        else {
            return self.toast("no limit is reached");
        };
        let text = match (&limit.ends, limit.continues) {
            (_, true) => {
                limit.continues = false;
                "nothing is sent when the limit is over".to_owned()
            }
            (None, false) => "the agent has not told when the limit is over".to_owned(),
            (Some((_, time)), false) => {
                limit.continues = true;
                format!("\"{CONTINUE}\" is sent once at {time}")
            }
        };
        self.effects.push(Effect::Toast(SafeText::line(&text)));
    }

    /// A turn begins: the person, or the agent, goes on without waiting.
    pub fn goes_on_before_limit(&mut self) {
        self.session.inner.limits.asked = false;
        if let Some(limit) = &mut self.session.limit {
            limit.continues = false;
        }
    }

    /// The time has come: it is no longer shown, and what was asked for is looked at once.
    pub fn limit_is_over(&mut self) -> bool {
        if !self.is_due(self.session.limit_deadline()) {
            return false;
        }
        let limit = self.session.limit.take();
        self.session.options_rev += 1;
        if limit.is_some_and(|limit| limit.continues) {
            if self.is_free_to_continue() {
                self.session.inner.limits.asked = true;
                self.effects.push(Effect::AskToContinue);
            } else {
                self.toast("the limit is over; nothing was sent: something else goes on, or waits");
            }
        }
        true
    }

    /// What the app has seen. Everything is looked at again, as it took a while.
    pub fn may_continue(&mut self, may: bool) {
        let asked = std::mem::take(&mut self.session.inner.limits.asked);
        if !asked {
            return;
        }
        if !may || !self.is_free_to_continue() {
            return self
                .toast("the limit is over; nothing was sent: something was written meanwhile");
        }
        let text = format!("the limit is over: \"{CONTINUE}\" is sent, as you asked");
        self.say(NoticeLevel::Info, SafeText::line(&text));
        self.submit(Prompt::of_text(CONTINUE.to_owned()));
    }

    /// The session lives and is idle, the agent has told of no limit since, and the person of nothing to do.
    fn is_free_to_continue(&self) -> bool {
        let session = &self.session;
        let limited = session.limit.as_ref().is_some_and(Limit::is_reached);
        let waits = !session.queue.is_empty() || !session.questions.is_empty();
        self.is_ready() && session.turn.is_none() && !limited && !waits
    }
}
