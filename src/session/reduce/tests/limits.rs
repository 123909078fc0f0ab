//! Limits of the person's account, and the one prompt behind them.

use super::*;
use crate::model::{LimitState, RateLimit};

const RESETS: u64 = 1_000;

fn limit(state: LimitState, resets: u64) -> AgentEvent {
    AgentEvent::Limit(RateLimit {
        state,
        name: "5-hour limit".into(),
        used: Some(87),
        resets: Some(resets),
    })
}

impl Play {
    /// A limit is reached and ends in a minute, and the person has asked to go on then.
    fn limited() -> Self {
        let mut play = Self::open();
        let effects = play.update(limit(LimitState::Reached, RESETS));
        assert_eq!(effects, [Effect::TellReset(RESETS)]);
        play.resets_in(60, RESETS);
        play.event(Event::ContinueAfterLimit);
        assert!(play.continues());
        play
    }

    fn resets_in(&mut self, seconds: u64, resets: u64) {
        let at = self.now + Duration::from_secs(seconds);
        let time = "14:30".into();
        self.event(Event::LimitEnds { resets, at, time });
    }

    fn continues(&self) -> bool {
        self.session
            .limit
            .as_ref()
            .is_some_and(|limit| limit.continues)
    }

    /// Time goes by; whether the app is asked.
    fn asks_after(&mut self, seconds: u64) -> bool {
        self.wait(Duration::from_secs(seconds))
            .contains(&Effect::AskToContinue)
    }
}

#[test]
fn one_prompt_goes_when_the_limit_is_over_and_never_a_second() {
    let mut play = Play::limited();
    assert!(!play.asks_after(59), "not before");
    assert!(play.asks_after(10));
    assert_eq!(play.session.limit, None, "it is over");
    assert_eq!(
        wire(&play.event(Event::MayContinue(true))),
        ["prompt continue"]
    );
    assert_eq!(play.said_last(), "user: continue");
    assert!(wire(&play.event(Event::MayContinue(true))).is_empty());
    play.ends(StopReason::EndTurn);
    play.update(limit(LimitState::Reached, RESETS + 1));
    play.resets_in(60, RESETS + 1);
    assert!(!play.asks_after(1_000), "the person asks anew each time");
    assert!(wire(&play.event(Event::MayContinue(true))).is_empty());
}

#[test]
fn nothing_goes_where_something_was_written_or_goes_on_or_waits() {
    let mut play = Play::limited();
    assert!(play.asks_after(70));
    assert!(wire(&play.event(Event::MayContinue(false))).is_empty());
    let mut play = Play::limited();
    play.event(Event::Submit(prompt("go")));
    assert!(!play.continues(), "the person goes on by themselves");
    assert!(!play.asks_after(70));
    let mut play = Play::limited();
    play.event(Event::RestoreQueue(vec![prompt("later")]));
    play.ends(StopReason::EndTurn);
    assert!(!play.asks_after(70));
    // Between the question and its answer.
    let mut play = Play::limited();
    assert!(play.asks_after(70));
    play.update(limit(LimitState::Reached, RESETS + 1));
    assert!(wire(&play.event(Event::MayContinue(true))).is_empty());
    let mut play = Play::limited();
    assert!(play.asks_after(70));
    play.exits(AgentExit::default());
    assert!(wire(&play.event(Event::MayContinue(true))).is_empty());
}

#[test]
fn it_can_be_cancelled_and_moves_with_the_limit() {
    let mut play = Play::limited();
    play.event(Event::ContinueAfterLimit);
    assert!(!play.continues());
    assert!(!play.asks_after(70));
    let mut play = Play::limited();
    let effects = play.update(limit(LimitState::Reached, RESETS + 1));
    assert_eq!(effects, [Effect::TellReset(RESETS + 1)]);
    play.resets_in(30, RESETS);
    assert!(!play.asks_after(100), "of the limit before");
    play.resets_in(60, RESETS + 1);
    assert!(play.continues());
    assert!(play.asks_after(70));
    let mut play = Play::limited();
    play.update(limit(LimitState::Fine, RESETS));
    assert!(!play.continues(), "it is over already");
    assert!(!play.asks_after(70));
    // Without a limit, or its time, there is nothing to wait for.
    let mut play = Play::open();
    play.event(Event::ContinueAfterLimit);
    play.update(limit(LimitState::Near, RESETS));
    play.event(Event::ContinueAfterLimit);
    play.update(limit(LimitState::Reached, RESETS));
    play.event(Event::ContinueAfterLimit);
    assert!(!play.continues());
}

#[test]
fn a_flood_of_limits_leaves_one_and_nothing_in_the_transcript() {
    let mut play = Play::open();
    for n in 0..10_000 {
        let state = if n % 2 == 0 {
            LimitState::Reached
        } else {
            LimitState::Near
        };
        assert!(play.update(limit(state, n)).len() <= 1);
    }
    assert!(play.session.conversation.transcript.blocks().is_empty());
}
