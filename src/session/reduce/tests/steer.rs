//! Words for the turn that is open.

use super::*;
use crate::{
    model::SteerOutcome,
    session::{Attention, Steered},
};

/// An agent that can be steered, at work.
fn at_work() -> Play {
    let mut play = Play::open_with(AgentCaps {
        steering: true,
        ..AgentCaps::default()
    });
    play.event(Event::Submit(prompt("go")));
    play
}

fn outcome(outcome: &str) -> CallResult {
    CallResult::Steered(SteerOutcome::of(outcome))
}

impl Play {
    fn steers(&mut self, words: &str) -> Vec<String> {
        wire(&self.event(Event::Steer(prompt(words))))
    }

    fn steered(&mut self, number: u64, result: CallResult) -> Vec<String> {
        let session = id("s");
        wire(&self.reply(CallTag::Steer { session, number }, result))
    }

    /// What was said into the turn, and what became of it.
    fn given_in_turn(&self) -> Vec<(String, Steered)> {
        let blocks = self.session.conversation.transcript.blocks().iter();
        blocks
            .filter_map(|block| match &block.kind {
                BlockKind::User(message) => Some((message.text.to_string(), message.steered?)),
                _ => None,
            })
            .collect()
    }
}

#[test]
fn what_is_steered_stands_where_it_was_said_and_the_turn_goes_on() {
    let mut play = at_work();
    play.update(says("first"));
    assert_eq!(play.steers("left"), ["steer 1 left"]);
    assert_eq!(play.given_in_turn(), [("left".into(), Steered::Given)]);
    assert!(play.steered(1, outcome("injected")).is_empty());
    assert_eq!(play.given_in_turn(), [("left".into(), Steered::Taken)]);
    play.update(says("then"));
    assert_eq!(
        play.said(),
        ["user: go", "agent: first", "user: left", "agent: then"]
    );
    assert!(play.queued().is_empty());
    let effects = play.ends(StopReason::EndTurn);
    assert!(effects.contains(&Effect::Attention(Attention::TurnDone)));
}

#[test]
fn an_agent_that_cannot_be_steered_or_is_stopped_gets_the_words_after_the_turn() {
    let mut play = Play::running();
    assert!(play.steers("later").is_empty());
    assert_eq!(play.queued(), ["later"]);
    let mut play = at_work();
    play.event(Event::Submit(prompt("behind")));
    play.event(Event::Stop);
    assert!(play.steers("too late").is_empty());
    assert_eq!(play.queued(), ["behind", "too late"]);
    let mut idle = Play::open_with(AgentCaps {
        steering: true,
        ..AgentCaps::default()
    });
    assert_eq!(idle.steers("go"), ["prompt go"]);
}

#[test]
fn a_command_of_the_agent_is_a_turn_of_its_own() {
    let mut play = at_work();
    play.update(AgentEvent::Commands(vec![crate::model::SlashCommand {
        name: "compact".into(),
        description: SafeText::default(),
        hint: None,
    }]));
    assert!(play.steers("/compact all").is_empty());
    assert_eq!(play.queued(), ["/compact all"]);
    assert_eq!(play.steers("/etc is full"), ["steer 1 /etc is full"]);
}

#[test]
fn where_no_turn_is_open_for_the_agent_the_words_are_a_prompt() {
    // The turn's end has come before the answer.
    let mut play = at_work();
    play.steers("more");
    play.ends(StopReason::EndTurn);
    assert_eq!(play.steered(1, outcome("promptRequired")), ["prompt more"]);
    assert!(play.given_in_turn().is_empty());
    assert_eq!(play.said_last(), "user: more");
    // It comes behind it: before what was queued, and however the turn ends.
    let mut play = at_work();
    play.event(Event::Submit(prompt("behind")));
    play.steers("more");
    assert!(play.steered(1, outcome("promptRequired")).is_empty());
    assert_eq!(play.queued(), ["more", "behind"]);
    assert_eq!(wire(&play.ends(StopReason::MaxTokens)), ["prompt more"]);
    // But not where the person has stopped it.
    let mut play = at_work();
    play.steers("more");
    play.event(Event::Stop);
    play.ends(StopReason::Cancelled);
    assert!(play.steered(1, outcome("promptRequired")).is_empty());
    assert_eq!(play.queued(), ["more"]);
    assert!(play.session.queue_held);
}

#[test]
fn a_refusal_queues_the_words_and_is_told_once_for_each_reason() {
    for result in [failed(-32600, "no images"), outcome("maybe")] {
        let mut play = at_work();
        play.steers("one");
        play.steers("two");
        play.steered(1, result.clone());
        play.steered(2, result);
        assert_eq!(play.queued(), ["one", "two"]);
        assert!(play.given_in_turn().is_empty());
        let told = play.said();
        let told: Vec<_> = told.iter().filter(|line| line.contains("queued")).collect();
        assert_eq!(told.len(), 1, "{told:?}");
        assert_eq!(wire(&play.ends(StopReason::EndTurn)), ["prompt one"]);
    }
    // The method is not there: it is not called again.
    let mut play = at_work();
    play.steers("one");
    play.steered(1, failed(-32601, "Method not found"));
    assert!(play.steers("two").is_empty());
    assert_eq!(play.queued(), ["one", "two"]);
}

#[test]
fn without_an_answer_the_words_are_queued_and_never_sent_twice() {
    let mut play = at_work();
    play.steers("one");
    assert!(wire(&play.wait(Duration::from_millis(9_999))).is_empty());
    assert!(play.queued().is_empty());
    let sent = wire(&play.wait(Duration::from_millis(1)));
    assert!(sent[0].starts_with("give up Steer"), "{sent:?}");
    assert_eq!(play.queued(), ["one"]);
    assert!(play.mentions("no answer for 10 s"));
    // It had taken them all the same.
    play.steered(1, outcome("injected"));
    assert!(play.queued().is_empty());
    assert_eq!(play.given_in_turn(), [("one".into(), Steered::Taken)]);
    // The answer to what was given up is no further word.
    play.steers("two");
    play.wait(Duration::from_secs(10));
    play.steered(2, failed(-32800, "cancelled"));
    assert_eq!(play.queued(), ["two"]);
}

#[test]
fn what_is_read_after_an_answer_says_so_until_then() {
    let mut play = at_work();
    let (_, effects) = play.asks_about("call");
    let Some(Effect::Decide { question, .. }) = effects
        .iter()
        .find(|effect| matches!(effect, Effect::Decide { .. }))
    else {
        panic!("{effects:?}");
    };
    let question = *question;
    play.event(Event::Decided {
        question,
        revision: None,
        verdict: crate::session::Verdict::ask(None),
    });
    play.steers("use tabs");
    play.steered(1, outcome("injected"));
    assert_eq!(
        play.given_in_turn(),
        [("use tabs".into(), Steered::Waiting)]
    );
    play.event(Event::Answer {
        question,
        option: crate::model::OptionId::new("yes"),
    });
    assert_eq!(play.given_in_turn(), [("use tabs".into(), Steered::Taken)]);
}

#[test]
fn the_agent_may_repeat_what_it_was_given() {
    let mut play = at_work();
    play.steers("left");
    play.steers("then right");
    play.steered(1, outcome("injected"));
    play.update(chunk(ChunkRole::User, Some("m1"), "left"));
    play.steered(2, outcome("injected"));
    play.update(chunk(ChunkRole::User, Some("m2"), "then right"));
    play.update(says("done"));
    play.ends(StopReason::EndTurn);
    let said = ["user: go", "user: left", "user: then right", "agent: done"];
    assert_eq!(play.said(), said);
}

#[test]
fn at_most_so_many_wait_for_an_answer() {
    let mut play = at_work();
    for n in 1..=8 {
        assert_eq!(play.steers("x"), [format!("steer {n} x")]);
    }
    assert!(play.steers("ninth").is_empty());
    assert_eq!(play.queued(), ["ninth"]);
    play.steered(3, outcome("injected"));
    assert_eq!(play.steers("tenth"), ["steer 9 tenth"]);
}

#[test]
fn what_a_dead_agent_has_not_answered_is_queued() {
    let mut play = at_work();
    play.steers("one");
    play.steered(1, outcome("injected"));
    play.steers("two");
    play.event(Event::Submit(prompt("three")));
    play.exits(AgentExit::default());
    assert_eq!(play.queued(), ["two", "three"]);
    assert!(play.session.queue_held);
    assert_eq!(play.given_in_turn(), [("one".into(), Steered::Taken)]);
}
