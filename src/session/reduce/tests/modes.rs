use super::*;
use crate::proto::{ConfigKind, ConfigOption, ConfigValue, ModeId, ModeState, SessionMode};

fn modes(current: &str, available: &[&str]) -> ModeState {
    let mode = |id: &&str| SessionMode {
        id: ModeId::new(id),
        name: SafeText::new(&id.to_uppercase()),
        description: None,
    };
    ModeState {
        current: ModeId::new(current),
        available: available.iter().map(mode).collect(),
    }
}

fn select(id: &str, category: &str, current: &str, values: &[&str]) -> ConfigOption {
    let value = |value: &&str| ConfigValue {
        value: (*value).to_owned(),
        name: SafeText::new(value),
        description: None,
    };
    ConfigOption {
        id: id.to_owned(),
        name: SafeText::new(id),
        category: Some(category.to_owned()),
        kind: ConfigKind::Select {
            current: current.to_owned(),
            values: values.iter().map(value).collect(),
        },
    }
}

fn opened(modes: Option<ModeState>, config_options: Vec<ConfigOption>) -> CallResult {
    CallResult::SessionOpened(Box::new(SessionOpened {
        id: Some(id("s")),
        modes,
        config_options,
    }))
}

fn open(mode: Option<&str>, answer: CallResult) -> (Play, Vec<Effect>) {
    let config = SessionConfig {
        mode: mode.map(str::to_owned),
        first_prompt: Some(prompt("go")),
        ..config()
    };
    let (mut play, _) = Play::opening(config, AgentCaps::default());
    let effects = play.reply(CallTag::NewSession, answer);
    (play, effects)
}

fn current(play: &Play) -> Option<&str> {
    play.session
        .modes
        .as_ref()
        .map(|modes| modes.current.as_str())
}

fn set_mode(mode: &str) -> CallTag {
    CallTag::SetMode {
        session: id("s"),
        mode: ModeId::new(mode),
    }
}

#[test]
fn modes_come_from_config_options_if_there_are_any_v1_ses_05_v1_mode_01() {
    let thinking = || modes("high", &["low", "high"]);
    let option = || select("mode", "mode", "build", &["build", "plan"]);
    let level = || select("think", "thought_level", "high", &["low", "high"]);
    // Both, only modes, neither.
    let cases = [
        (Some(thinking()), vec![level(), option()], Some("build")),
        (Some(modes("ask", &["ask"])), vec![], Some("ask")),
        (None, vec![option()], Some("build")),
        (None, vec![], None),
        // pi: its modes are thinking levels.
        (Some(thinking()), vec![level()], None),
    ];
    for (modes, options, shown) in cases {
        let (play, _) = open(None, opened(modes, options));
        assert_eq!(current(&play), shown);
    }
}

#[test]
fn the_first_prompt_waits_for_its_mode() {
    let (mut play, effects) = open(
        Some("Plan"),
        opened(Some(modes("ask", &["ask", "plan"])), vec![]),
    );
    assert_eq!(wire(&effects), ["mode plan"]);
    assert_eq!(current(&play), Some("ask"), "shown when it is so");
    assert_eq!(
        wire(&play.reply(set_mode("plan"), CallResult::ModeSet)),
        ["prompt go"]
    );
    assert_eq!(current(&play), Some("plan"));
}

#[test]
fn an_agent_that_does_not_say_whether_the_mode_is_set_holds_the_prompt() {
    let (mut play, _) = open(
        Some("plan"),
        opened(Some(modes("ask", &["ask", "plan"])), vec![]),
    );
    let effects = play.wait(Duration::from_secs(11));
    assert!(wire(&effects).is_empty());
    assert!(play.session.queue_held);
    assert_eq!(wire(&play.event(Event::SendQueued)), ["prompt go"]);
}

#[test]
fn an_unknown_mode_is_a_warning_that_lists_what_there_is() {
    let (play, effects) = open(
        Some("paln"),
        opened(Some(modes("ask", &["ask", "plan"])), vec![]),
    );
    assert_eq!(wire(&effects), ["prompt go"]);
    assert!(play.mentions("no mode \"paln\": there are ask, plan"));
    let (play, _) = open(Some("plan"), session_named("s"));
    assert!(play.mentions("no modes"));
}

#[test]
fn a_mode_option_is_set_as_an_option_and_its_answer_replaces_all_v1_cfg_08() {
    let option = |mode| select("m", "mode", mode, &["build", "plan"]);
    let (mut play, _) = open(None, opened(None, vec![option("build")]));
    assert_eq!(wire(&play.event(Event::CycleMode)), ["m=plan"]);
    assert_eq!(current(&play), Some("build"));
    let tag = |value: &str| CallTag::SetConfigOption {
        session: id("s"),
        option: "m".to_owned(),
        value: value.to_owned(),
    };
    let level = select("t", "thought_level", "low", &["low"]);
    play.reply(
        tag("plan"),
        CallResult::ConfigSet(vec![option("plan"), level]),
    );
    assert_eq!(current(&play), Some("plan"));
    assert_eq!(play.session.config_options.len(), 2);
    // An answer without the list.
    play.event(Event::CycleMode);
    play.reply(tag("build"), CallResult::ConfigSet(Vec::new()));
    assert_eq!(current(&play), Some("build"));
    assert_eq!(play.session.config_options.len(), 2);
}

#[test]
fn cycling_twice_goes_two_steps_and_the_answers_decide_v1_mode_02() {
    let (mut play, _) = open(None, opened(Some(modes("a", &["a", "b", "c"])), vec![]));
    assert_eq!(wire(&play.event(Event::CycleMode)), ["mode b"]);
    assert_eq!(wire(&play.event(Event::CycleMode)), ["mode c"]);
    play.reply(set_mode("b"), CallResult::ModeSet);
    play.reply(set_mode("c"), failed(-32603, "not in a turn"));
    assert_eq!(current(&play), Some("b"));
    assert!(
        play.said_last()
            .contains("mode c could not be set: not in a turn")
    );
    assert_eq!(
        wire(&play.event(Event::SetMode(ModeId::new("a")))),
        ["mode a"]
    );
    assert!(wire(&play.event(Event::SetMode(ModeId::new("zz")))).is_empty());
}

#[test]
fn a_mode_update_is_believed_and_said_v1_upd_07_v1_upd_08_v1_mode_03_c035() {
    let (mut play, _) = open(None, opened(Some(modes("ask", &["ask", "code"])), vec![]));
    play.update(AgentEvent::Mode(ModeId::new("code")));
    assert_eq!(current(&play), Some("code"));
    assert_eq!(play.said_last(), "· mode: CODE");
    play.update(AgentEvent::Mode(ModeId::new("odd")));
    assert_eq!(play.said_last(), "· mode: odd");
    // With config options both stay in step.
    let option = select("m", "mode", "build", &["build", "plan"]);
    let (mut play, _) = open(None, opened(None, vec![option]));
    play.update(AgentEvent::Mode(ModeId::new("plan")));
    assert_eq!(
        play.session.config_options,
        [select("m", "mode", "plan", &["build", "plan"])]
    );
    play.update(AgentEvent::ConfigOptions(vec![select(
        "m",
        "mode",
        "build",
        &["build"],
    )]));
    assert_eq!(current(&play), Some("build"));
}

#[test]
fn a_mode_that_the_person_set_needs_no_line() {
    let (mut play, _) = open(None, opened(Some(modes("a", &["a", "b"])), vec![]));
    let before = play.said().len();
    play.event(Event::CycleMode);
    play.update(AgentEvent::Mode(ModeId::new("b")));
    play.reply(set_mode("b"), CallResult::ModeSet);
    assert_eq!(play.said().len(), before);
}

#[test]
fn without_modes_cycling_says_so() {
    let mut play = Play::open();
    let effects = play.event(Event::CycleMode);
    assert!(matches!(effects.as_slice(), [Effect::Toast(_)]));
}

#[test]
fn a_restarted_agent_is_put_into_the_mode_it_was_in() {
    let mut play = Play::open_with(reopening());
    play.update(AgentEvent::Mode(ModeId::new("plan")));
    play.event(Event::Restart);
    play.connect();
    play.initialized(hello(reopening()));
    let answer = opened(Some(modes("build", &["build", "plan"])), vec![]);
    // Nothing but a notice is on the screen: loaded.
    let effects = play.reply(CallTag::LoadSession { id: id("s") }, answer);
    assert_eq!(wire(&effects), ["mode plan"]);
}

#[test]
fn the_answer_to_the_opening_has_the_last_word_v1_cfg_10() {
    let option = |mode| select("m", "mode", mode, &["build", "plan"]);
    let opening = |early: AgentEvent, answer: CallResult| {
        let (mut play, _) = Play::opening(config(), AgentCaps::default());
        play.update_of("s", early);
        play.reply(CallTag::NewSession, answer);
        play
    };
    let early = || AgentEvent::Mode(ModeId::new("plan"));
    let play = opening(
        early(),
        opened(Some(modes("ask", &["ask", "plan"])), vec![]),
    );
    assert_eq!(current(&play), Some("ask"));
    // It says nothing of modes: what came before it holds.
    let play = opening(early(), session_named("s"));
    assert_eq!(current(&play), Some("plan"));
    let early = AgentEvent::ConfigOptions(vec![option("plan")]);
    let play = opening(early, opened(Some(modes("ask", &["ask"])), vec![]));
    assert_eq!(current(&play), Some("plan"));
}

#[test]
fn modes_are_set_while_a_turn_runs_and_a_refused_one_changes_nothing_v1_cfg_09() {
    let option = |mode| select("m", "mode", mode, &["build", "plan"]);
    let (mut play, effects) = open(None, opened(None, vec![option("build")]));
    assert_eq!(wire(&effects), ["prompt go"]);
    assert_eq!(wire(&play.event(Event::CycleMode)), ["m=plan"]);
    let tag = CallTag::SetConfigOption {
        session: id("s"),
        option: "m".to_owned(),
        value: "plan".to_owned(),
    };
    play.reply(tag, failed(-32602, "not now"));
    assert_eq!(current(&play), Some("build"));
    assert_eq!(play.session.config_options, [option("build")]);
    assert!(play.said_last().contains("not now"));
}

#[test]
fn a_category_is_a_place_and_no_condition_v1_cfg_05() {
    let odd = || select("x", "astrology", "leo", &["leo"]);
    let none = || ConfigOption {
        category: None,
        ..select("mode", "", "a", &["a"])
    };
    let (play, _) = open(None, opened(None, vec![odd(), none()]));
    assert_eq!(play.session.config_options, [odd(), none()]);
    assert_eq!(current(&play), None, "an id is no category");
    // The first of two.
    let second = select("later", "mode", "b", &["b"]);
    let first = select("first", "mode", "a", &["a"]);
    let (play, _) = open(None, opened(None, vec![first, second]));
    assert_eq!(current(&play), Some("a"));
}

#[test]
fn a_method_that_is_not_known_is_not_called_again_v1_err_03() {
    let (mut play, _) = open(None, opened(Some(modes("a", &["a", "b"])), vec![]));
    play.event(Event::CycleMode);
    play.reply(set_mode("b"), failed(-32601, "Method not found"));
    let effects = play.event(Event::CycleMode);
    assert!(
        matches!(effects.as_slice(), [Effect::Toast(_)]),
        "{effects:?}"
    );
    // Another process may be another version.
    play.event(Event::Restart);
    play.connect();
    play.initialized(hello(AgentCaps::default()));
    let answer = opened(Some(modes("a", &["a", "b"])), vec![]);
    play.reply(CallTag::NewSession, answer);
    assert_eq!(wire(&play.event(Event::CycleMode)), ["mode b"]);
}
