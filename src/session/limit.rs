//! A limit of the person's account, as a session knows it.

use std::time::{Duration, Instant};

use crate::{
    model::{LimitState, RateLimit},
    text::SafeText,
};

/// As the agent has last told it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    pub told: RateLimit,
    /// When it counts anew by the clock here, and that time for people; comes a little later.
    pub ends: Option<(Instant, SafeText)>,
    /// The person has asked for one prompt then.
    pub continues: bool,
}

impl Limit {
    pub fn is_reached(&self) -> bool {
        self.told.state == LimitState::Reached
    }

    /// `5-hour limit 87%`, `5-hour limit reached`.
    pub fn words(&self) -> String {
        match (self.told.state, self.told.used) {
            (LimitState::Reached, _) => format!("{} reached", self.told.name),
            (_, Some(used)) => format!("{} {used}%", self.told.name),
            (LimitState::Near, None) => format!("{} is near", self.told.name),
            (LimitState::Fine, None) => self.told.name.to_string(),
        }
    }

    /// `resets 14:30`.
    pub fn resets(&self) -> Option<String> {
        let (_, time) = self.ends.as_ref()?;
        Some(format!("resets {time}"))
    }

    /// How long it still counts.
    pub fn left(&self, now: Instant) -> Option<Duration> {
        let (ends, _) = self.ends.as_ref()?;
        Some(ends.saturating_duration_since(now))
    }
}
