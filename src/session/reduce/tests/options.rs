use super::*;
use crate::model::{
    ConfigKind, ConfigOption, ConfigValue, ModeId, ModeState, OptionValue, SessionMode, SetBy,
    Setting, SettingKey, SettingSource,
};

pub(super) fn modes(current: &str, available: &[&str]) -> ModeState {
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

pub(super) fn select(id: &str, category: &str, current: &str, values: &[&str]) -> ConfigOption {
    let value = |value: &&str| ConfigValue {
        value: (*value).to_owned(),
        name: SafeText::new(value),
        description: None,
        group: None,
    };
    ConfigOption {
        id: id.to_owned(),
        name: SafeText::new(id),
        description: None,
        category: Some(category.to_owned()),
        kind: ConfigKind::Select {
            current: current.to_owned(),
            values: values.iter().map(value).collect(),
        },
        set_by: SetBy::Option,
    }
}

pub(super) fn flag(id: &str, current: bool) -> ConfigOption {
    ConfigOption {
        category: None,
        kind: ConfigKind::Boolean { current },
        ..select(id, "", "", &[])
    }
}

pub(super) fn opened(modes: Option<ModeState>, config_options: Vec<ConfigOption>) -> CallResult {
    CallResult::SessionOpened(Box::new(SessionOpened {
        id: Some(id("s")),
        modes,
        config_options,
        commands: Vec::new(),
    }))
}

pub(super) fn open_with(settings: Vec<Setting>, answer: CallResult) -> (Play, Vec<Effect>) {
    let config = SessionConfig {
        settings,
        first_prompt: Some(prompt("go")),
        ..config()
    };
    let (mut play, _) = Play::opening(config, AgentCaps::default());
    let effects = play.reply(CallTag::NewSession, answer);
    (play, effects)
}

fn open(mode: Option<&str>, answer: CallResult) -> (Play, Vec<Effect>) {
    let setting = |mode: &str| Setting {
        source: SettingSource::CommandLine,
        key: SettingKey::Mode,
        value: mode.to_owned(),
    };
    open_with(mode.map(setting).into_iter().collect(), answer)
}

/// The mode shown.
pub(super) fn current(play: &Play) -> Option<String> {
    match play.session.mode_option()?.current() {
        OptionValue::Id(id) => Some(id),
        OptionValue::Flag(_) => None,
    }
}

/// All options as they are shown.
pub(super) fn shown(play: &Play) -> String {
    let options = play.session.config_options.iter();
    let shown = options.map(|option| match option.current() {
        OptionValue::Id(value) => format!("{}={value}", option.id),
        OptionValue::Flag(value) => format!("{}={value}", option.id),
    });
    shown.collect::<Vec<_>>().join(" ")
}

fn wanted(option: &str, value: OptionValue) -> Event {
    Event::SetOption {
        option: option.to_owned(),
        value,
    }
}

pub(super) fn value(value: &str) -> OptionValue {
    OptionValue::Id(value.to_owned())
}

pub(super) fn set(option: &str, value: OptionValue) -> CallTag {
    CallTag::SetConfigOption {
        session: id("s"),
        option: option.to_owned(),
        value,
    }
}

pub(super) fn set_mode(mode: &str) -> CallTag {
    CallTag::SetMode {
        session: id("s"),
        mode: ModeId::new(mode),
    }
}

// V1-SES-05, V1-MODE-01
#[test]
fn modes_come_from_config_options_if_there_are_any() {
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
        assert_eq!(current(&play).as_deref(), shown);
    }
}

#[test]
fn the_first_prompt_waits_for_its_mode() {
    let (mut play, effects) = open(
        Some("Plan"),
        opened(Some(modes("ask", &["ask", "plan"])), vec![]),
    );
    assert_eq!(wire(&effects), ["mode plan"]);
    assert_eq!(
        current(&play).as_deref(),
        Some("ask"),
        "shown when it is so"
    );
    assert_eq!(
        wire(&play.reply(set_mode("plan"), CallResult::ModeSet)),
        ["prompt go"]
    );
    assert_eq!(current(&play).as_deref(), Some("plan"));
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
    assert!(play.mentions("w --mode paln: Mode cannot be \"paln\": there are ask, plan"));
    let (play, _) = open(Some("plan"), session_named("s"));
    assert!(play.mentions("w --mode plan: the agent has no modes"));
}

// V1-CFG-08
#[test]
fn a_mode_option_is_set_as_an_option_and_its_answer_replaces_all() {
    let option = |mode| select("m", "mode", mode, &["build", "plan"]);
    let (mut play, _) = open(None, opened(None, vec![option("build")]));
    assert_eq!(wire(&play.event(Event::CycleMode)), ["m=plan"]);
    assert_eq!(current(&play).as_deref(), Some("build"));
    let tag = |to: &str| set("m", value(to));
    let level = select("t", "thought_level", "low", &["low"]);
    play.reply(
        tag("plan"),
        CallResult::ConfigSet(vec![option("plan"), level]),
    );
    assert_eq!(current(&play).as_deref(), Some("plan"));
    assert_eq!(play.session.config_options.len(), 2);
    // An answer without the list.
    play.event(Event::CycleMode);
    play.reply(tag("build"), CallResult::ConfigSet(Vec::new()));
    assert_eq!(current(&play).as_deref(), Some("build"));
    assert_eq!(play.session.config_options.len(), 2);
}

// V1-MODE-02
#[test]
fn cycling_twice_goes_two_steps_and_the_answers_decide() {
    let (mut play, _) = open(None, opened(Some(modes("a", &["a", "b", "c"])), vec![]));
    assert_eq!(wire(&play.event(Event::CycleMode)), ["mode b"]);
    assert_eq!(wire(&play.event(Event::CycleMode)), ["mode c"]);
    play.reply(set_mode("b"), CallResult::ModeSet);
    play.reply(set_mode("c"), failed(-32603, "not in a turn"));
    assert_eq!(current(&play).as_deref(), Some("b"));
    assert!(
        play.said_last()
            .contains("Mode could not be set to C: not in a turn")
    );
    assert_eq!(wire(&play.event(wanted("mode", value("a")))), ["mode a"]);
    assert!(wire(&play.event(wanted("mode", value("zz")))).is_empty());
}

// V1-UPD-07, V1-UPD-08, V1-MODE-03
#[test]
fn a_mode_update_is_believed_and_said() {
    let (mut play, _) = open(None, opened(Some(modes("ask", &["ask", "code"])), vec![]));
    play.update(AgentEvent::Mode(ModeId::new("code")));
    assert_eq!(current(&play).as_deref(), Some("code"));
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
    assert_eq!(current(&play).as_deref(), Some("build"));
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

// V1-CFG-10
#[test]
fn the_answer_to_the_opening_has_the_last_word() {
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
    assert_eq!(current(&play).as_deref(), Some("ask"));
    // It says nothing of modes: what came before it holds.
    let play = opening(early(), session_named("s"));
    assert_eq!(current(&play).as_deref(), Some("plan"));
    let early = AgentEvent::ConfigOptions(vec![option("plan")]);
    let play = opening(early, opened(Some(modes("ask", &["ask"])), vec![]));
    assert_eq!(current(&play).as_deref(), Some("plan"));
}

// V1-CFG-09
#[test]
fn modes_are_set_while_a_turn_runs_and_a_refused_one_changes_nothing() {
    let option = |mode| select("m", "mode", mode, &["build", "plan"]);
    let (mut play, effects) = open(None, opened(None, vec![option("build")]));
    assert_eq!(wire(&effects), ["prompt go"]);
    assert_eq!(wire(&play.event(Event::CycleMode)), ["m=plan"]);
    play.reply(set("m", value("plan")), failed(-32602, "not now"));
    assert_eq!(current(&play).as_deref(), Some("build"));
    assert_eq!(play.session.config_options, [option("build")]);
    assert!(play.said_last().contains("not now"));
}

// V1-CFG-05, V1-CFG-06
#[test]
fn a_category_is_a_place_and_no_condition() {
    let odd = || select("x", "speed", "fast", &["fast"]);
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
    assert_eq!(current(&play).as_deref(), Some("a"));
}

// V1-ERR-03
#[test]
fn a_method_that_is_not_known_is_not_called_again() {
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

// V1-CFG-08
#[test]
fn setting_the_model_changes_what_the_others_can_be() {
    let model = |now| select("model", "model", now, &["small", "big"]);
    let small = select("level", "thought_level", "off", &["off"]);
    let big = select("level", "thought_level", "low", &["low", "high"]);
    let (mut play, _) = open(None, opened(None, vec![model("small"), small]));
    let before = play.said().len();
    assert_eq!(
        wire(&play.event(wanted("model", value("big")))),
        ["model=big"]
    );
    assert_eq!(shown(&play), "model=small level=off", "not before it is so");
    assert_eq!(
        play.session.asked_of_option("model"),
        Some(&value("big")),
        "but that it was asked for can be shown"
    );
    play.reply(
        set("model", value("big")),
        CallResult::ConfigSet(vec![model("big"), big]),
    );
    assert_eq!(shown(&play), "model=big level=low");
    assert_eq!(play.session.asked_of_option("model"), None);
    assert_eq!(play.said().len(), before, "nobody needs to be told");
    // Only a listed value; only what is another one.
    for (option, to) in [("level", "off"), ("level", "low"), ("nothing", "low")] {
        assert!(wire(&play.event(wanted(option, value(to)))).is_empty());
    }
    assert_eq!(
        wire(&play.event(wanted("level", value("high")))),
        ["level=high"]
    );
}

// V1-CFG-03
#[test]
fn a_flag_is_set_as_a_flag() {
    let (mut play, _) = open(None, opened(None, vec![flag("fast", false)]));
    let on = OptionValue::Flag(true);
    assert!(wire(&play.event(wanted("fast", value("true")))).is_empty());
    assert_eq!(wire(&play.event(wanted("fast", on.clone()))), ["fast=true"]);
    play.reply(
        set("fast", on),
        CallResult::ConfigSet(vec![flag("fast", true)]),
    );
    assert_eq!(shown(&play), "fast=true");
}

// V1-CFG-10, V1-UPD-08
#[test]
fn updates_and_answers_hold_in_the_order_in_which_they_come() {
    let model = |now| select("model", "model", now, &["a", "b", "c"]);
    let answer = |now| CallResult::ConfigSet(vec![model(now)]);
    let update = |now| AgentEvent::ConfigOptions(vec![model(now)]);
    // The update first, then the answer.
    let (mut play, _) = open(None, opened(None, vec![model("a")]));
    play.event(wanted("model", value("b")));
    play.update(update("c"));
    assert_eq!(shown(&play), "model=c");
    assert_eq!(play.said_last(), "· model: c", "nobody asked for that");
    play.reply(set("model", value("b")), answer("b"));
    assert_eq!(shown(&play), "model=b");
    // The answer first, then the update.
    play.event(wanted("model", value("a")));
    play.reply(set("model", value("a")), answer("a"));
    play.update(update("c"));
    assert_eq!(shown(&play), "model=c");
    // An answer of which the agent thinks better.
    play.event(wanted("model", value("a")));
    play.reply(set("model", value("a")), answer("b"));
    assert_eq!(shown(&play), "model=b");
    // Two at once: each answer counts when it comes.
    assert_eq!(wire(&play.event(wanted("model", value("a")))), ["model=a"]);
    assert_eq!(wire(&play.event(wanted("model", value("c")))), ["model=c"]);
    play.reply(set("model", value("a")), answer("a"));
    assert_eq!(shown(&play), "model=a");
    assert_eq!(play.session.asked_of_option("model"), Some(&value("c")));
    play.reply(set("model", value("c")), failed(-32602, "too dear"));
    assert_eq!(shown(&play), "model=a");
    assert_eq!(play.said_last(), "w model could not be set to c: too dear");
}

// V1-UPD-08
#[test]
fn an_option_that_the_agent_takes_away_is_gone() {
    let both = vec![select("a", "x", "1", &["1", "2"]), flag("fast", false)];
    let (mut play, _) = open(None, opened(None, both));
    play.update(AgentEvent::ConfigOptions(vec![flag("fast", true)]));
    assert_eq!(shown(&play), "fast=true");
    let effects = play.event(wanted("a", value("2")));
    assert!(matches!(effects.as_slice(), [Effect::Toast(_)]));
    play.update(AgentEvent::ConfigOptions(Vec::new()));
    assert_eq!(shown(&play), "");
}

#[test]
fn very_many_values_are_bounded() {
    let ids: Vec<String> = (0..12_000).map(|n| n.to_string()).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let many = |id| select(id, "x", "0", &ids);
    let (play, _) = open(None, opened(None, vec![many("a"), many("b")]));
    let values: usize = play
        .session
        .config_options
        .iter()
        .map(|o| o.values().len())
        .sum();
    assert_eq!(values, 10_000);
}

#[test]
fn changes_that_are_never_answered_are_bounded() {
    let (mut play, _) = open(None, opened(Some(modes("a", &["a", "b"])), vec![]));
    let sent: usize = (0..200)
        .map(|_| wire(&play.event(Event::CycleMode)).len())
        .sum();
    assert_eq!(sent, 64);
}

// D-24
#[test]
fn modes_of_the_profile_stand_in_for_those_that_the_agent_does_not_name() {
    let with = |answer: CallResult| {
        let config = SessionConfig {
            modes: Some(modes("", &["default", "plan"])),
            ..config()
        };
        let (mut play, _) = Play::opening(config, AgentCaps::default());
        play.reply(CallTag::NewSession, answer);
        play
    };
    let mut play = with(opened(None, Vec::new()));
    let option = play.session.mode_option().expect("modes").clone();
    assert_eq!(option.values().len(), 2);
    assert_eq!(option.name_of(&option.current()).as_str(), "not told");
    assert_eq!(wire(&play.event(Event::CycleMode)), ["mode default"]);
    // Its own go before them.
    let play = with(opened(Some(modes("own", &["own"])), Vec::new()));
    let option = play.session.mode_option().expect("modes");
    assert_eq!(option.current(), OptionValue::Id("own".to_owned()));
    let play = with(opened(
        None,
        vec![select("m", "mode", "own", &["own", "other"])],
    ));
    assert_eq!(play.session.config_options.len(), 1);
}
