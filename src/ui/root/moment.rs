//! Short-lived state: a message in the status line, a key that quits if pressed again.

use std::time::{Duration, Instant};

use crate::{text::SafeText, ui::action::Action};

/// How long a message stands.
const TOAST: Duration = Duration::from_secs(4);

/// Time for the second press of a key that quits.
const AGAIN: Duration = Duration::from_secs(2);

#[derive(Debug, Default)]
pub struct Moment {
    toast: Option<Toast>,
    armed: Option<(Action, Instant)>,
}

#[derive(Debug)]
struct Toast {
    text: SafeText,
    /// Set with the first frame that shows it.
    until: Option<Instant>,
}

impl Moment {
    pub fn say(&mut self, text: SafeText) {
        self.toast = Some(Toast { text, until: None });
    }

    /// Removes the message.
    pub fn clear_message(&mut self) {
        self.toast = None;
    }

    /// The message.
    pub fn text(&self) -> Option<&SafeText> {
        self.toast.as_ref().map(|toast| &toast.text)
    }

    /// Whether this is the second press of a key that needs two. Else asks for it.
    pub fn confirm(&mut self, action: Action, ask: SafeText, now: Instant) -> bool {
        if self
            .armed
            .is_some_and(|(armed, until)| armed == action && now < until)
        {
            return true;
        }
        self.armed = Some((action, now + AGAIN));
        self.toast = Some(Toast {
            text: ask,
            until: Some(now + AGAIN),
        });
        false
    }

    /// Another key was pressed: the next press is a first one again.
    pub fn disarm(&mut self) {
        if self.armed.take().is_some() {
            self.toast = None;
        }
    }

    /// A frame is drawn: the clock of a new message starts, an old one goes.
    pub fn drawn(&mut self, now: Instant) {
        if let Some(toast) = &mut self.toast
            && *toast.until.get_or_insert(now + TOAST) <= now
        {
            self.toast = None;
        }
    }

    pub fn deadline(&self) -> Option<Instant> {
        self.toast.as_ref().and_then(|toast| toast.until)
    }
}
