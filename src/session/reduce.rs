//! The rules: one event in, state changed, effects out.

use std::time::Instant;

use crate::session::{Effect, Event, Session, SessionConfig};

/// State that only the rules need.
#[derive(Debug, Default)]
pub(super) struct Inner;

/// Applies one event. `now` never runs backwards.
pub fn reduce(session: &mut Session, event: Event, now: Instant) -> Vec<Effect> {
    todo!("{event:?} {now:?} {}", session.rev)
}

impl Session {
    /// A session that has yet to start its agent; the effects do that.
    pub fn start(config: SessionConfig, now: Instant) -> (Self, Vec<Effect>) {
        todo!("{config:?} {now:?}")
    }

    /// When [`Event::Tick`] is wanted next, if at all: a cancel that is slow, a silence to be told.
    /// An idle session has none.
    pub fn deadline(&self) -> Option<Instant> {
        todo!()
    }
}
