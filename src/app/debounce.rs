//! When to save a change: soon after the last one, and not too long after the first.

use std::time::{Duration, Instant};

/// After the last change.
const QUIET: Duration = Duration::from_millis(100);

/// After the first: who types without a pause loses no more than this.
const LONGEST: Duration = Duration::from_millis(500);

#[derive(Clone, Copy, Debug, Default)]
pub struct Debounce {
    /// The first change that is not kept yet, and the last one.
    changed: Option<(Instant, Instant)>,
}

impl Debounce {
    pub fn changed(&mut self, now: Instant) {
        let (first, _) = self.changed.unwrap_or((now, now));
        self.changed = Some((first, now));
    }

    pub fn due(&self) -> Option<Instant> {
        let (first, last) = self.changed?;
        Some((last + QUIET).min(first + LONGEST))
    }

    pub fn kept(&mut self) {
        self.changed = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_due_after_a_pause_and_never_late() {
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let mut debounce = Debounce::default();
        assert_eq!(debounce.due(), None);
        debounce.changed(at(0));
        assert_eq!(debounce.due(), Some(at(100)));
        debounce.changed(at(90));
        assert_eq!(debounce.due(), Some(at(190)));
        for millis in (100..480).step_by(20) {
            debounce.changed(at(millis));
        }
        assert_eq!(debounce.due(), Some(at(500)));
        debounce.kept();
        assert_eq!(debounce.due(), None);
        debounce.changed(at(1_000));
        assert_eq!(debounce.due(), Some(at(1_100)));
    }
}
