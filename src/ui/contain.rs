//! Contains a panic while one thing is drawn: the rest is drawn, and the program stays alive.
//!
//! Nothing from an agent should make a renderer panic, and each panic is a fault of
//! ours; but it must not cost the conversation, nor make a stored session impossible to open.

use std::{
    any::Any,
    cell::{Cell, RefCell},
    panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind},
};

use crate::text::{SafeText, first_bytes};

/// Faults that are remembered, so that each is told once.
const REMEMBERED: usize = 64;
/// Bytes of what a panic says: some quote the text that they met.
const MAX_MESSAGE: usize = 400;

#[derive(Default)]
struct State {
    /// What the hook heard of the panic that is being contained, with its place.
    heard: Option<String>,
    told: Vec<Broken>,
    /// How many of them have not been taken yet.
    fresh: usize,
}

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    static STATE: RefCell<State> = RefCell::default();
}

/// What was contained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// What was drawn, as it was called.
    pub what: &'static str,
    pub message: SafeText,
}

/// Whether this thread is at work that [`contained`] runs: a panic ends no more than that, and the
/// terminal stays as it is.
pub fn is_contained() -> bool {
    DEPTH.get() > 0
}

/// For the panic hook, where [`is_contained`]: says where it happened.
pub fn heard(info: &PanicHookInfo<'_>) {
    let place = info.location().map(ToString::to_string);
    STATE.with_borrow_mut(|state| state.heard = place);
}

/// Runs `work`, which must leave nothing half changed that is looked at after a panic. `what` says
/// what it was, with its article. A panic is logged once, and kept for [`take_told`].
///
/// # Errors
/// It panicked.
pub fn contained<T>(what: &'static str, work: impl FnOnce() -> T) -> Result<T, Broken> {
    DEPTH.set(DEPTH.get() + 1);
    let result = catch_unwind(AssertUnwindSafe(work));
    DEPTH.set(DEPTH.get() - 1);
    result.map_err(|payload| {
        let broken = Broken {
            what,
            message: SafeText::line(first_bytes(message(&*payload), MAX_MESSAGE)),
        };
        STATE.with_borrow_mut(|state| {
            let at = state.heard.take().unwrap_or_default();
            if !state.told.contains(&broken) {
                tracing::error!(what, %broken.message, at, "this could not be drawn");
                if state.told.len() >= REMEMBERED {
                    state.told.remove(0);
                }
                state.told.push(broken.clone());
                state.fresh = (state.fresh + 1).min(REMEMBERED);
            }
        });
        broken
    })
}

/// What was contained on this thread and not taken yet, the latest of it.
pub fn take_told() -> Option<Broken> {
    STATE.with_borrow_mut(|state| {
        let any = std::mem::take(&mut state.fresh) > 0;
        state.told.last().filter(|_| any).cloned()
    })
}

fn message(payload: &(dyn Any + Send)) -> &str {
    payload
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("a panic without a message")
}

/// Panics on purpose: where a text that a test names is drawn.
#[cfg(test)]
pub mod faults {
    use std::cell::RefCell;

    thread_local! {
        static PLACES: RefCell<Vec<(&'static str, &'static str)>> = const { RefCell::new(Vec::new()) };
    }

    /// From now on, in this thread, `meet(place, text)` panics where the text holds `needle`.
    pub fn set(places: &[(&'static str, &'static str)]) {
        PLACES.set(places.to_vec());
    }

    pub fn meet(place: &str, text: &str) {
        let met = PLACES.with_borrow(|places| {
            let mut places = places.iter();
            places.any(|(at, needle)| *at == place && text.contains(needle))
        });
        assert!(!met, "a fault in {place}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_goes_no_further_and_is_told_once() {
        assert_eq!(contained("a test", || 7), Ok(7));
        assert_eq!(take_told(), None);
        for n in 0..3 {
            let broken = contained("a test", || {
                assert!(is_contained());
                let inner = contained("the inside", || -> u32 { panic!("number {}", 1) });
                assert!(inner.is_err() && is_contained());
                if inner.is_err() {
                    panic!("number 2");
                }
            });
            let broken = broken.expect_err("it panicked");
            assert_eq!(&*broken.message, "number 2");
            assert_eq!(take_told(), (n == 0).then_some(broken));
        }
        assert!(!is_contained());
        assert_eq!(take_told(), None);
    }

    #[test]
    fn what_a_panic_quotes_is_cut_and_made_harmless() {
        for len in [MAX_MESSAGE - 3, MAX_MESSAGE, MAX_MESSAGE + 3] {
            let long = format!("\u{1b}{}", "é".repeat(len / 2));
            let broken = contained("a test", || -> u32 { panic!("{long}") });
            let message = broken.expect_err("it panicked").message;
            assert!(message.len() <= MAX_MESSAGE + 2 && !message.contains('\u{1b}'));
        }
    }
}
