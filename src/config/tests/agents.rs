//! Agents: built in, configured, and what is said of those that cannot be.

use std::path::PathBuf;

use super::{super::*, World};
use crate::model::{DialectRow, PRESETS, Protocol};

#[test]
fn built_in_agents_are_complete_and_their_names_their_own() {
    let config = World::new().load().config;
    for (id, _) in profile::BUILT_IN {
        let agent = &config.agents[*id];
        assert_eq!(agent.origin, Origin::BuiltIn);
        assert!(!agent.name.is_empty() && !agent.command.is_empty(), "{id}");
        assert!(agent.install.is_some() || *id == "demo", "{id}");
    }
    assert_eq!(config.agents.len(), profile::BUILT_IN.len());
    for (name, id) in [
        ("claude", "claude-code"),
        ("claude-code-acp", "claude-code"),
        ("claude-agent-acp", "claude-code"),
        ("codex-acp", "codex"),
        ("gemini-cli", "gemini"),
        ("mistral-vibe", "vibe"),
    ] {
        assert_eq!(config.agent(name).unwrap().id, id);
    }
    let gemini = &config.agents["gemini"];
    assert!(!gemini.fs_read && gemini.fs_write);
}

#[test]
fn the_demo_agent_is_this_program() {
    let demo = World::new().load().config.agent("demo").unwrap();
    let invocation = demo.invocation().unwrap();
    assert_eq!(
        PathBuf::from(invocation.program),
        std::env::current_exe().unwrap()
    );
    assert_eq!(invocation.args, ["demo-agent"]);
}

#[test]
fn an_entry_lays_over_the_built_in_agent_of_that_name_or_alias() {
    let world = World::with_user(
        r#"
        [agents.claude]
        env = { A = "1" }
        aliases = ["cc"]
        [agents.mine]
        command = "mine"
        "#,
    );
    let config = world.load().config;
    let claude = config.agent("cc").unwrap();
    assert_eq!(claude.id, "claude-code");
    assert_eq!(claude.command, "claude-agent-acp");
    assert_eq!(claude.env, [("A".to_owned(), "1".to_owned())]);
    assert_eq!(
        claude.origin,
        Origin::File(world.path("config/config.toml"))
    );
    assert_eq!(config.agent("claude-code-acp").unwrap().id, "claude-code");
    assert_eq!(config.agent("mine").unwrap().name, "mine");
}

#[test]
fn modes_of_a_profile_count_with_the_dialect_that_names_none() {
    let world = World::with_user(
        "[agents.old]\ncommand = \"x\"\ndialect = [\"mode-param\"]\nmodes = [\"plan\"]\n\
         [agents.new]\ncommand = \"x\"\nmodes = [\"plan\"]\n",
    );
    let warnings = world.warnings();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(
        warnings[0].contains(":7: agents.new.modes: counts only"),
        "{warnings:?}"
    );
    let loaded = world.load();
    let own = |id: &str| loaded.config.agent(id).unwrap().own_modes();
    assert_eq!(own("old").map(|modes| modes.available.len()), Some(1));
    assert_eq!(own("new"), None);
}

#[test]
fn an_agent_can_be_like_a_built_in_one() {
    let world = World::with_user(
        r#"
        [agents.gemini]
        policy = "allow-all"
        env = { SECRET = "1" }
        [agents.work]
        like = "gemini-cli"
        command = "/opt/gemini"
        fs = { write = false }
        env = { HOME_OF = "work" }
        [agents.plain]
        like = "gemini"
        [agents.odd]
        like = "gemni"
        command = "odd"
        "#,
    );
    let loaded = world.load();
    let work = loaded.config.agent("work").unwrap();
    assert_eq!(
        (work.name.as_str(), work.command.as_str()),
        ("work", "/opt/gemini")
    );
    assert_eq!(work.args, ["--acp"]);
    assert_eq!((work.fs_read, work.fs_write), (false, false));
    assert_eq!(work.env, [("HOME_OF".to_owned(), "work".to_owned())]);
    assert_eq!((work.policy, work.built_in_command), (None, false));
    assert!(work.install.is_some() && work.aliases.is_empty());
    let plain = loaded.config.agent("plain").unwrap();
    assert_eq!(
        (plain.command.as_str(), plain.built_in_command),
        ("gemini", true)
    );
    assert_eq!(loaded.config.agent("gemini-cli").unwrap().id, "gemini");
    assert_eq!(loaded.sources["agents.work.args"], Source::BuiltIn);

    let problem = loaded.config.agent("odd").unwrap_err().to_string();
    let expected = "agents.odd.like: there is no built-in agent \"gemni\"; did you mean gemini?; this agent \
                    is ignored";
    assert!(problem.ends_with(expected), "{problem}");
    assert_eq!(loaded.warnings.len(), 1);
}

#[test]
fn over_a_built_in_agent_a_wrong_type_costs_only_itself() {
    let world = World::with_user(
        "[agents.claude]\nname = 5\nenv = { A = 1 }\nmodes = 3\npolicy = \"mayb\"\nfs = \"none\"\nmode = \"plan\"\n\
         [agents.gemini]\ncommand = 5\nargs = \"x\"\n",
    );
    let mut warnings = world.warnings();
    warnings.sort();
    let at = |line: usize, text: &str| format!("config/config.toml:{line}: agents.{text}");
    assert_eq!(warnings.len(), 7, "{warnings:#?}");
    assert!(
        warnings.iter().all(|w| !w.contains("ignored")),
        "{warnings:#?}"
    );
    assert!(
        warnings
            .iter()
            .any(|w| w.starts_with(&at(2, "claude.name: "))),
        "{warnings:#?}"
    );
    let ends = |line: usize, end: &str| {
        warnings
            .iter()
            .any(|w| w.starts_with(&at(line, "claude.")) && w.ends_with(end))
    };
    assert!(ends(5, "using \"ask\" instead"), "{warnings:#?}");
    assert!(
        ends(6, "it reads and writes no files instead"),
        "{warnings:#?}"
    );
    let config = world.load().config;
    let claude = config.agent("claude").unwrap();
    let plain = World::new().load().config.agent("claude").unwrap();
    assert_eq!(
        (&claude.name, &claude.command),
        (&plain.name, &plain.command)
    );
    assert_eq!(claude.env, plain.env);
    assert_eq!(claude.mode.as_deref(), Some("plan"));
    assert_eq!(claude.policy, Some(Policy::Ask));
    assert!(!claude.fs_read && !claude.fs_write);
    assert_eq!(config.agent("gemini").unwrap().args, ["--acp"]);
}

#[test]
fn a_broken_entry_breaks_the_built_in_agent_by_all_its_names() {
    let config = World::with_user("[agents]\ngemini = 1\n").load().config;
    for name in ["gemini", "gemini-cli"] {
        let error = config.agent(name).unwrap_err();
        assert!(matches!(error, AgentError::Broken(_)), "{name}");
    }
}

#[test]
fn an_agents_dialect_is_a_word_or_a_list_of_them() {
    let world = World::with_user(
        "[agents.a]\ncommand = \"a\"\ndialect = \"banjo\"\n\
         [agents.b]\ncommand = \"b\"\ndialect = [\"auto\", \"mode-param\"]\n\
         [agents.c]\ncommand = \"c\"\n",
    );
    let agents = world.load().config.agents;
    assert!(agents["a"].dialect.names(DialectRow::KindUpdates));
    assert!(!agents["a"].dialect.takes(DialectRow::LabelOptions));
    assert!(agents["b"].dialect.names(DialectRow::ModeParam));
    assert!(agents["b"].dialect.takes(DialectRow::LabelOptions));
    assert_eq!(agents["c"].dialect, Dialect::AUTO);
    for (word, hint) in [
        ("\"banjoo\"", "did you mean banjo?"),
        ("[\"auto\", \"kind-update\"]", "did you mean kind-updates?"),
        ("\"xyzzy\"", "known: v1, auto, banjo"),
        ("3", "the name of a dialect, or a list of them"),
    ] {
        let text = format!("[agents.a]\ncommand = \"a\"\ndialect = {word}\n");
        let warnings = World::with_user(&text).warnings();
        let [warning] = warnings.as_slice() else {
            panic!("{warnings:?}");
        };
        assert!(
            warning.contains("config.toml:3") && warning.contains(hint),
            "{warning}"
        );
    }
}

#[test]
fn an_agents_protocol_is_one_that_is_spoken_here() {
    let protocol = |word: &str| {
        let text = format!("[agents.a]\ncommand = \"a\"\n{word}\n");
        let world = World::with_user(&text);
        let warnings = world.warnings();
        world
            .load()
            .config
            .agents
            .get("a")
            .map(|agent| agent.protocol)
            .ok_or(warnings)
    };
    assert_eq!(protocol(""), Ok(Protocol::V1));
    assert_eq!(protocol("protocol = \"1\""), Ok(Protocol::V1));
    assert_eq!(protocol("protocol = \"threads\""), Ok(Protocol::Threads));
    assert_eq!(protocol("protocol = \"2\""), Ok(Protocol::V2));
    let refused = protocol("protocol = \"3\"").expect_err("not spoken");
    assert!(refused[0].contains("`1`, `2`, `threads`"), "{refused:?}");
    let refused = protocol("dialect = \"threads\"").expect_err("another thing");
    assert!(
        refused[0].contains("set protocol = \"threads\""),
        "{refused:?}"
    );
}

#[test]
fn every_dialect_stands_in_the_documented_defaults() {
    let defaults = include_str!("../../../config/default.toml");
    for word in Dialect::words() {
        assert!(defaults.contains(word), "{word}");
    }
}

#[test]
fn every_preset_is_documented_with_its_agent_and_rows() {
    let flat = |text: &str| {
        let text = text.replace(['`', '#'], " ");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let defaults = flat(include_str!("../../../config/default.toml"));
    let page = flat(
        include_str!("../../../docs/agents.md")
            .replace('`', "")
            .as_str(),
    );
    for preset in PRESETS.iter().filter(|preset| !preset.rows.is_empty()) {
        let rows: Vec<&str> = preset.rows.iter().map(|row| row.name()).collect();
        let rows = rows.join(", ");
        let line = format!("\"{}\" is for {}: {rows}", preset.name, preset.of);
        assert!(defaults.contains(&line), "{line}");
        assert!(page.contains(&format!("| {rows} |")), "{rows}");
        assert!(
            page.contains(&format!("| {} |", preset.of)),
            "{}",
            preset.of
        );
    }
}

#[test]
fn an_unknown_agent_is_told_with_the_nearest_name() {
    let config = World::new().load().config;
    assert_eq!(
        config.agent("gemni").unwrap_err().to_string(),
        "there is no agent \"gemni\"; did you mean gemini?"
    );
    assert_eq!(
        config.agent("zzz").unwrap_err().to_string(),
        "there is no agent \"zzz\"; `acp-tui agents` lists them"
    );
    let program = config.agent("./agent").unwrap();
    assert_eq!(
        (program.id.as_str(), program.origin),
        ("agent", Origin::CommandLine)
    );
}

#[test]
fn an_unknown_default_agent_is_a_warning() {
    let world = World::with_user("default_agent = \"gemni\"\n");
    assert_eq!(world.load().config.default_agent, None);
    assert_eq!(
        world.warnings(),
        ["config/config.toml:1: default_agent: there is no agent \"gemni\"; did you mean gemini?"]
    );
}

#[test]
fn a_name_that_two_agents_claim_is_told() {
    let world = World::with_user("[agents.mine]\ncommand = \"x\"\naliases = [\"pi\"]\n");
    assert_eq!(
        world.warnings(),
        [
            "config/config.toml:3: agents.mine.aliases: pi already names the agent pi; \
             it keeps that meaning"
        ]
    );
}

#[test]
fn agents_start_with_what_the_configuration_says() {
    let world = World::with_user(
        "[agents.x]\ncommand = \"~/x\"\nargs = [\"${A}\", \"$${A}\"]\n\
         env = { V = \"line1\\nline2=ü \\\"q\\\" 'r' \\\\ end\", W = \"${NOPE}\" }\n",
    );
    let mut agent = world.load().config.agent("x").unwrap();
    let lookup = |name: &str| match name {
        "HOME" => Some("/h".into()),
        "A" => Some("a a".into()),
        _ => None,
    };
    assert_eq!(
        agent.invocation_with(&lookup).unwrap_err().to_string(),
        "agents.x.env.W: the variable NOPE is not set; set it, or write $${ for a literal ${"
    );
    agent.env.retain(|(name, _)| name == "V");
    let invocation = agent.invocation_with(&lookup).unwrap();
    assert_eq!(invocation.program, "/h/x");
    assert_eq!(invocation.args, ["a a", "${A}"]);
    assert_eq!(
        invocation.env,
        [("V".into(), "line1\nline2=ü \"q\" 'r' \\ end".into())]
    );
}

#[test]
fn a_command_line_is_taken_as_it_is() {
    let agent = AgentProfile::command("~/x".into(), vec!["${A}".into()]);
    let invocation = agent.invocation_with(&|_| None).unwrap();
    assert_eq!(
        (invocation.program, invocation.args),
        ("~/x".into(), vec!["${A}".into()])
    );
}

#[test]
fn a_program_that_is_missing_comes_with_how_to_install_it() {
    let world = World::with_user(
        "[agents.x]\ncommand = \"no-such-program\"\ninstall = \"apt install x\"\n",
    );
    let agent = world.load().config.agent("x").unwrap();
    let error = agent
        .locate(&world.path("project"))
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "no-such-program was not found on PATH; install: apt install x"
    );
    let shell = AgentProfile::command("sh".into(), Vec::new());
    assert!(
        shell
            .locate(&world.path("project"))
            .unwrap()
            .ends_with("sh")
    );
}

#[test]
fn options_of_an_agent_are_texts_and_flags() {
    let mut world = World::with_user(
        "[agents.mine]\ncommand = \"x\"\nmode = \"Plan\"\n\
         config = { model = \"sonnet\", fast = true, level = \"5\" }\n\
         [agents.bad]\ncommand = \"x\"\nconfig = { level = 5 }\n",
    );
    world
        .env
        .push(("ACP_TUI_AGENTS__MINE__CONFIG__model".into(), "opus".into()));
    let expected = "config/config.toml:7: agents.bad.config: expected a string, `true` or `false`; this \
                    agent is ignored";
    assert_eq!(world.warnings(), [expected]);
    let config = &world.load().config.agents["mine"].config;
    let pairs: Vec<(&str, &str)> = config.iter().map(|(k, v)| (&**k, &**v)).collect();
    assert_eq!(pairs, [("fast", "true"), ("level", "5"), ("model", "opus")]);
}
