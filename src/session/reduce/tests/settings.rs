//! What a session is to open with.

use super::{
    options::{current, flag, modes, open_with, opened, select, set, set_mode, shown, value},
    *,
};
use crate::model::{ConfigOption, OptionValue, Setting, SettingKey, SettingSource};

fn flags(pairs: &[&str]) -> Vec<Setting> {
    of(SettingSource::CommandLine, pairs)
}

/// `mode=x` and `model=x` as by their own flags, others as by `--set`.
fn of(source: SettingSource, pairs: &[&str]) -> Vec<Setting> {
    let setting = |pair: &&str| {
        let (key, value) = pair.split_once('=').unwrap();
        let key = match key {
            "mode" => SettingKey::Mode,
            "model" => SettingKey::Model,
            key => SettingKey::Option(key.to_owned()),
        };
        Setting {
            source,
            key,
            value: value.to_owned(),
        }
    };
    pairs.iter().map(setting).collect()
}

fn models(now: &str) -> ConfigOption {
    select("m", "model", now, &["small", "big"])
}

fn levels(values: &[&str]) -> ConfigOption {
    ConfigOption {
        name: "Effort".into(),
        ..select("level", "thought_level", values[0], values)
    }
}

// V1-CFG-08
#[test]
fn settings_go_out_one_by_one_before_the_first_prompt_and_the_model_first() {
    let (mut play, effects) = open_with(
        flags(&["Effort=high", "fast=true", "model=BIG"]),
        opened(
            None,
            vec![levels(&["off"]), models("small"), flag("fast", false)],
        ),
    );
    assert_eq!(wire(&effects), ["m=big"]);
    let with_big = |level: &str, fast| {
        let level = ConfigOption {
            kind: select("", "", level, &["low", "high"]).kind,
            ..levels(&["low"])
        };
        CallResult::ConfigSet(vec![level, models("big"), flag("fast", fast)])
    };
    let effects = play.reply(set("m", value("big")), with_big("low", false));
    assert_eq!(wire(&effects), ["level=high"], "it exists with that model");
    let effects = play.reply(set("level", value("high")), with_big("high", false));
    assert_eq!(wire(&effects), ["fast=true"]);
    let effects = play.reply(set("fast", OptionValue::Flag(true)), with_big("high", true));
    assert_eq!(wire(&effects), ["prompt go"]);
    assert_eq!(shown(&play), "level=high m=big fast=true");
    assert!(!play.said().iter().any(|line| line.starts_with('w')));
}

// V1-CFG-08
#[test]
fn what_a_later_setting_changes_is_set_once_more() {
    let with = |model: &str, fast| vec![models(model), flag("fast", fast)];
    let open = || {
        let (mut play, effects) = open_with(
            flags(&["model=big", "fast=true"]),
            opened(None, with("small", false)),
        );
        assert_eq!(wire(&effects), ["m=big"]);
        let effects = play.reply(
            set("m", value("big")),
            CallResult::ConfigSet(with("big", false)),
        );
        assert_eq!(wire(&effects), ["fast=true"]);
        // It goes with another model only.
        let fast = set("fast", OptionValue::Flag(true));
        let effects = play.reply(fast, CallResult::ConfigSet(with("small", true)));
        assert_eq!(wire(&effects), ["m=big"]);
        play
    };
    let big = || set("m", value("big"));
    let mut play = open();
    let effects = play.reply(big(), CallResult::ConfigSet(with("big", true)));
    assert_eq!(wire(&effects), ["prompt go"]);
    assert!(!play.said().iter().any(|line| line.starts_with('w')));
    // Once, and then it is told.
    let mut play = open();
    let effects = play.reply(big(), CallResult::ConfigSet(with("small", true)));
    assert_eq!(wire(&effects), ["prompt go"]);
    assert!(play.mentions("did not keep this with the other settings: --model big"));
}

#[test]
fn each_setting_that_does_not_fit_says_what_there_is_and_the_others_go_on() {
    let (play, effects) = open_with(
        flags(&[
            "Effort=hgih",
            "frobs=1",
            "fast=maybe",
            "model=tiny",
            "m=big",
            "mode=x",
        ]),
        opened(
            None,
            vec![
                levels(&["low", "high"]),
                models("small"),
                flag("fast", false),
            ],
        ),
    );
    assert_eq!(wire(&effects), ["m=big"]);
    let mut play = play;
    let effects = play.reply(
        set("m", value("big")),
        CallResult::ConfigSet(vec![
            levels(&["low", "high"]),
            models("big"),
            flag("fast", false),
        ]),
    );
    assert_eq!(wire(&effects), ["prompt go"]);
    for line in [
        "w --set Effort=hgih: Effort cannot be \"hgih\": there are low, high",
        "w --set frobs=1: the agent has no option \"frobs\": there are level (Effort), m, fast",
        "w --set fast=maybe: fast is true or false, not \"maybe\"",
        "w --mode x: the agent has no modes",
    ] {
        assert!(play.mentions(line), "{line} in {:#?}", play.said());
    }
    assert!(
        !play.mentions("tiny"),
        "a later one is about the same option"
    );
    let (play, _) = open_with(flags(&["model=x", "a=b"]), session_named("s"));
    assert!(play.mentions("w --model x: the agent offers no choice of models"));
    assert!(play.mentions("w --set a=b: the agent has no option \"a\": there are none"));
}

#[test]
fn a_long_list_is_cut_and_whole_on_demand() {
    let ids: Vec<String> = (0..40).map(|n| format!("model-{n}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let option = select("m", "model", "model-0", &ids);
    let (play, _) = open_with(flags(&["model=x"]), opened(None, vec![option]));
    assert!(play.mentions("model-11 and 28 more"), "{:?}", play.said());
    let blocks = play.session.conversation.transcript.blocks().iter();
    let mut details = blocks.filter_map(|block| match &block.kind {
        BlockKind::Notice(notice) => notice.detail.clone(),
        _ => None,
    });
    assert!(details.any(|detail| detail.contains("model-39")));
}

#[test]
fn a_name_that_several_have_is_none() {
    let mut option = models("small");
    if let crate::model::ConfigKind::Select { values, .. } = &mut option.kind {
        values
            .iter_mut()
            .for_each(|value| value.name = "Same".into());
    }
    let (play, effects) = open_with(flags(&["model=same"]), opened(None, vec![option]));
    assert_eq!(wire(&effects), ["prompt go"]);
    assert!(play.mentions("several are called \"same\": use the id"));
}

// V1-CFG-05
#[test]
fn an_option_is_found_by_its_category_too() {
    let (_, effects) = open_with(
        of(SettingSource::Profile, &["thought_level=high"]),
        opened(None, vec![levels(&["low", "high"])]),
    );
    assert_eq!(wire(&effects), ["level=high"]);
    // And the mode by its option's id where no category says which it is.
    let none = ConfigOption {
        category: None,
        ..select("mode", "", "a", &["a", "b"])
    };
    let (_, effects) = open_with(flags(&["mode=b"]), opened(None, vec![none]));
    assert_eq!(wire(&effects), ["mode=b"]);
}

#[test]
fn what_a_flag_says_goes_before_what_the_profile_says() {
    let mut settings = of(SettingSource::Profile, &["m=small", "mode=ask"]);
    settings.extend(flags(&["model=big"]));
    let mode = select("x", "mode", "plan", &["ask", "plan"]);
    let (mut play, effects) =
        open_with(settings, opened(None, vec![models("small"), mode.clone()]));
    assert_eq!(wire(&effects), ["m=big"]);
    let answer = CallResult::ConfigSet(vec![models("big"), mode]);
    let effects = play.reply(set("m", value("big")), answer);
    assert_eq!(wire(&effects), ["x=ask"]);
}

#[test]
fn what_is_so_already_is_not_set() {
    let (_, effects) = open_with(flags(&["model=small"]), opened(None, vec![models("small")]));
    assert_eq!(wire(&effects), ["prompt go"]);
}

// V1-CFG-09
#[test]
fn a_setting_that_the_agent_refuses_is_said_and_the_rest_goes_on() {
    let (mut play, effects) = open_with(
        flags(&["model=big", "Effort=high"]),
        opened(None, vec![models("small"), levels(&["low", "high"])]),
    );
    assert_eq!(wire(&effects), ["m=big"]);
    let effects = play.reply(set("m", value("big")), failed(-32602, "not on your plan"));
    assert_eq!(wire(&effects), ["level=high"]);
    assert_eq!(shown(&play), "m=small level=low");
    assert_eq!(
        play.said_last(),
        "w m could not be set to big: not on your plan"
    );
}

#[test]
fn an_agent_that_does_not_answer_is_told_with_all_that_is_not_set() {
    let (mut play, _) = open_with(
        flags(&["model=big", "Effort=high"]),
        opened(None, vec![models("small"), levels(&["low", "high"])]),
    );
    assert!(wire(&play.wait(Duration::from_secs(11))).is_empty());
    assert!(play.mentions("has not confirmed this setting: --model big, --set Effort=high. Check"));
    assert!(play.session.queue_held);
}

#[test]
fn a_restarted_agent_gets_what_was_set_and_what_it_was_still_to_get() {
    let both = |model| vec![models(model), levels(&["low", "high"])];
    let (mut play, _) = open_with(Vec::new(), opened(None, both("small")));
    play.event(Event::SetOption {
        option: "m".into(),
        value: value("big"),
    });
    play.reply(set("m", value("big")), CallResult::ConfigSet(both("big")));
    play.event(Event::Restart);
    play.connect();
    play.initialized(hello(AgentCaps::default()));
    let effects = play.reply(CallTag::NewSession, opened(None, both("small")));
    assert_eq!(
        wire(&effects),
        ["m=big"],
        "but not the level, which nobody chose"
    );
    // It ends again before it has answered: the next one gets it.
    play.event(Event::Restart);
    play.connect();
    play.initialized(hello(AgentCaps::default()));
    let effects = play.reply(CallTag::NewSession, opened(None, both("small")));
    assert_eq!(wire(&effects), ["m=big"]);
}

// V1-AUTH-08
#[test]
fn a_sign_in_leads_back_to_the_setting_and_to_those_behind_it() {
    let config = SessionConfig {
        settings: flags(&["mode=b", "Effort=high"]),
        first_prompt: Some(prompt("go")),
        ..config()
    };
    let (mut play, _) = Play::start(config);
    play.connect();
    play.initialized(Initialized {
        auth_methods: vec![sign_in_method("key", AuthMethodKind::Agent)],
        ..hello(AgentCaps::default())
    });
    let mode = |now| select("x", "mode", now, &["a", "b"]);
    let both = |now| vec![mode(now), levels(&["low", "high"])];
    play.reply(CallTag::NewSession, opened(None, both("a")));
    let refused = failed(-32000, "Authentication required");
    assert!(wire(&play.reply(set("x", value("b")), refused)).is_empty());
    play.event(Event::Authenticate {
        method: "key".into(),
    });
    let tag = CallTag::Authenticate {
        method: "key".into(),
    };
    let effects = play.reply(tag, CallResult::Authenticated);
    assert_eq!(wire(&effects), ["x=b"]);
    let effects = play.reply(set("x", value("b")), CallResult::ConfigSet(both("b")));
    assert_eq!(wire(&effects), ["level=high"]);
    assert_eq!(current(&play).as_deref(), Some("b"));
}

// V1-MODE-02
#[test]
fn modes_that_stand_for_options_are_set_by_their_own_method() {
    let (mut play, effects) = open_with(
        flags(&["Mode=plan"]),
        opened(Some(modes("ask", &["ask", "plan"])), vec![]),
    );
    assert_eq!(wire(&effects), ["mode plan"]);
    let effects = play.reply(set_mode("plan"), CallResult::ModeSet);
    assert_eq!(wire(&effects), ["prompt go"]);
}

/// Open, with a mode and a way to sign in, and a turn running.
fn in_a_turn() -> Play {
    let (mut play, _) = Play::start(config());
    play.connect();
    play.initialized(Initialized {
        auth_methods: vec![sign_in_method("key", AuthMethodKind::Agent)],
        ..hello(AgentCaps::default())
    });
    let mode = select("x", "mode", "a", &["a", "b"]);
    play.reply(
        CallTag::NewSession,
        opened(None, vec![mode, levels(&["low", "high"])]),
    );
    play.event(Event::Submit(prompt("go")));
    play
}

fn change(play: &mut Play, option: &str, to: &str) -> Vec<Effect> {
    play.event(Event::SetOption {
        option: option.to_owned(),
        value: value(to),
    })
}

fn signs_in(play: &mut Play) -> Vec<Effect> {
    play.event(Event::Authenticate {
        method: "key".into(),
    });
    let tag = CallTag::Authenticate {
        method: "key".into(),
    };
    play.reply(tag, CallResult::Authenticated)
}

fn refused() -> CallResult {
    failed(-32000, "Authentication required")
}

// V1-AUTH-08, V1-CFG-09
#[test]
fn a_change_refused_in_a_turn_leads_to_a_sign_in_behind_it_and_back() {
    let mut play = in_a_turn();
    play.event(Event::Submit(prompt("next")));
    assert_eq!(wire(&change(&mut play, "x", "b")), ["x=b"]);
    assert!(wire(&play.reply(set("x", value("b")), refused())).is_empty());
    // The turn goes on, and nobody is asked in it.
    assert!(play.session.turn.is_some());
    assert!(play.said_last().contains("sign-in required to set that"));
    change(&mut play, "level", "high");
    play.reply(set("level", value("high")), refused());
    let effects = play.ends(StopReason::EndTurn);
    assert!(
        wire(&effects).is_empty(),
        "not before the sign-in: {effects:?}"
    );
    assert!(matches!(play.session.phase, Phase::SignIn { .. }));
    assert_eq!(wire(&signs_in(&mut play)), ["x=b"]);
    let answer = vec![
        select("x", "mode", "b", &["a", "b"]),
        levels(&["low", "high"]),
    ];
    let effects = play.reply(set("x", value("b")), CallResult::ConfigSet(answer.clone()));
    assert_eq!(wire(&effects), ["level=high"], "the second one as well");
    let effects = play.reply(set("level", value("high")), CallResult::ConfigSet(answer));
    assert_eq!(wire(&effects), ["prompt next"]);
}

// V1-AUTH-08
#[test]
fn a_change_and_the_prompt_refused_beside_it_are_both_tried_again() {
    let mut play = in_a_turn();
    change(&mut play, "x", "b");
    play.reply(set("x", value("b")), refused());
    play.fails(RpcError::new(-32000, "Authentication required"));
    assert!(matches!(play.session.phase, Phase::SignIn { .. }));
    assert_eq!(wire(&signs_in(&mut play)), ["x=b"]);
    let effects = play.reply(set("x", value("b")), CallResult::ConfigSet(Vec::new()));
    assert_eq!(wire(&effects), ["prompt go"]);
}

#[test]
fn a_change_that_is_not_wanted_any_more_is_not_made_after_a_sign_in() {
    let mut play = in_a_turn();
    change(&mut play, "x", "b");
    play.reply(set("x", value("b")), refused());
    play.ends(StopReason::EndTurn);
    play.event(Event::Stop);
    assert_eq!(play.session.phase, Phase::Ready);
    play.event(Event::WantSignIn);
    assert!(wire(&signs_in(&mut play)).is_empty());
    // Refused again after a sign-in it ends there.
    change(&mut play, "x", "b");
    play.reply(set("x", value("b")), refused());
    assert_eq!(wire(&signs_in(&mut play)), ["x=b"]);
    play.reply(set("x", value("b")), refused());
    assert_eq!(play.session.phase, Phase::Ready);
    assert!(play.mentions("signed in, but the agent still refuses"));
}
