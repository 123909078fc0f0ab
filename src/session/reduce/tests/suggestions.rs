//! Prompts that the agent suggests (V1-SUG-01).

use super::*;
use crate::session::reduce::conversation::bounds::MAX_SUGGESTION;

fn suggests(text: &str) -> AgentEvent {
    AgentEvent::Suggestion(Some(SafeText::new(text)))
}

impl Play {
    fn suggested(&self) -> Option<&str> {
        self.session.suggestion.as_deref()
    }
}

#[test]
fn a_suggestion_stands_until_a_turn_begins_or_another_one_comes() {
    let mut play = Play::open();
    play.update(suggests("run it"));
    assert_eq!(play.suggested(), Some("run it"));
    play.update(suggests("test it"));
    assert_eq!(play.suggested(), Some("test it"));
    play.update(AgentEvent::Suggestion(None));
    assert_eq!(play.suggested(), None);
    play.update(suggests("test it"));
    play.event(Event::Submit(prompt("go")));
    assert_eq!(play.suggested(), None, "a prompt was sent");
    // Sent before the turn's end, it is for what comes behind it.
    play.update(suggests("next"));
    play.ends(StopReason::EndTurn);
    assert_eq!(play.suggested(), Some("next"));
    let states = AgentCaps {
        states: true,
        ..AgentCaps::default()
    };
    let mut play = Play::open_with(states);
    play.update(suggests("run it"));
    play.update(AgentEvent::State(crate::model::WorkState::Running.into()));
    assert_eq!(play.suggested(), None, "a turn of the agent's began");
    assert!(play.said().is_empty(), "nothing of it is in the transcript");
}

#[test]
fn a_long_suggestion_is_left_out_and_a_flood_leaves_one() {
    for (bytes, kept) in [
        (MAX_SUGGESTION - 1, true),
        (MAX_SUGGESTION, true),
        (MAX_SUGGESTION + 1, false),
    ] {
        let mut play = Play::open();
        play.update(suggests("before"));
        play.update(suggests(&"x".repeat(bytes)));
        assert_eq!(play.suggested().map(str::len), kept.then_some(bytes));
    }
    let mut play = Play::open();
    for n in 0..10_000 {
        assert!(play.update(suggests(&n.to_string())).is_empty());
    }
    assert_eq!(play.suggested(), Some("9999"));
    assert!(play.session.conversation.transcript.blocks().is_empty());
}

#[test]
fn who_wants_none_gets_none_and_the_agent_is_told_where_it_takes_options() {
    let quiet = |caps: AgentCaps| {
        let config = SessionConfig {
            caps: ClientCaps {
                suggestions: false,
                ..ClientCaps::default()
            },
            ..config()
        };
        Play::opening(config, caps)
    };
    let told = |effects: &[Effect]| {
        effects.iter().find_map(|effect| match effect {
            Effect::ToAgent(ToAgent::Call(Call::NewSession(setup))) => Some(setup.no_suggestions),
            _ => None,
        })
    };
    let claude = AgentCaps {
        claude_options: true,
        ..AgentCaps::default()
    };
    let (mut play, effects) = quiet(claude);
    assert_eq!(told(&effects), Some(true));
    play.reply(CallTag::NewSession, session_named("s"));
    play.update(suggests("run it"));
    assert_eq!(play.suggested(), None);
    assert_eq!(told(&quiet(AgentCaps::default()).1), Some(false));
    // Those that cost a call of the model are made for who asks for them.
    for paid in [false, true] {
        let config = SessionConfig {
            caps: ClientCaps {
                paid_suggestions: paid,
                ..ClientCaps::default()
            },
            ..config()
        };
        let (_, effects) = Play::opening(config, claude);
        assert_eq!(told(&effects), Some(!paid));
    }
    let (mut play, _) = Play::opening(config(), claude);
    play.reply(CallTag::NewSession, session_named("s"));
    play.update(suggests("run it"));
    play.event(Event::WantSuggestions(false));
    assert_eq!(play.suggested(), None);
    play.update(suggests("run it"));
    assert_eq!(play.suggested(), None);
    play.event(Event::WantSuggestions(true));
    play.update(suggests("run it"));
    assert_eq!(play.suggested(), Some("run it"));
}
