//! Whole loads: files in, configuration and words out.

mod agents;
mod mcp;
mod projects;
mod themes;

use std::{ffi::OsString, fs, path::PathBuf};

use super::*;

/// A home, a repository and an environment.
struct World {
    dir: tempfile::TempDir,
    env: Vec<(OsString, OsString)>,
}

impl World {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("project/.git")).unwrap();
        fs::create_dir_all(dir.path().join("project/src")).unwrap();
        Self {
            dir,
            env: Vec::new(),
        }
    }

    fn with_user(text: &str) -> Self {
        let world = Self::new();
        world.write("config/config.toml", text);
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn project(&self, text: &str) {
        self.write("project/.acp-tui.toml", text);
    }

    fn set(&mut self, name: &str, value: &str) {
        self.env.push((name.into(), value.into()));
    }

    fn options(&self) -> LoadOptions {
        LoadOptions {
            dirs: Dirs {
                config: self.path("config"),
                data: self.path("data"),
                state: self.path("state"),
            },
            cwd: self.path("project/src"),
            config_file: None,
            env: self.env.clone(),
        }
    }

    fn load(&self) -> Loaded {
        load(&self.options()).unwrap()
    }

    /// The error's or the warnings' text, without the directory of this run.
    fn plain(&self, text: &str) -> String {
        text.replace(&format!("{}/", self.dir.path().display()), "")
    }

    fn warnings(&self) -> Vec<String> {
        let loaded = self.load();
        loaded
            .warnings
            .iter()
            .map(|w| self.plain(&w.to_string()))
            .collect()
    }

    fn approve(&self) {
        match self.load().trust {
            TrustState::Untrusted { path, hash, .. } => {
                trust::approve(&self.options().dirs, &path, &hash).unwrap();
            }
            other => panic!("nothing to approve: {other:?}"),
        }
    }
}

#[test]
fn the_shipped_defaults_are_those_of_the_types() {
    let loaded = World::new().load();
    assert_eq!(loaded.warnings, []);
    assert_eq!(loaded.config.ui, UiConfig::default());
    assert_eq!(loaded.config.fs, FsConfig::default());
    assert_eq!(loaded.config.terminal, TerminalConfig::default());
    assert_eq!(loaded.config.connection, ConnectionConfig::default());
    assert_eq!(loaded.config.policy, Policy::default());
    assert_eq!(loaded.config.rules, []);
    assert_eq!(loaded.trust, TrustState::NotNeeded);
}

/// `#key = value` and `#[table]` are examples: with their `#` gone all of it is good, and each key
/// of the types is there.
#[test]
fn the_shipped_file_documents_every_key_and_no_other() {
    let text: String = include_str!("../../../config/default.toml")
        .lines()
        .map(|line| match line.strip_prefix('#') {
            Some(example) if !example.starts_with([' ', '\n']) => format!("{example}\n"),
            _ => format!("{line}\n"),
        })
        .collect();
    let world = World::with_user(&text);
    let warnings = world.warnings();
    assert!(
        warnings
            .iter()
            // Of the examples of `modes` and `dialect` only one can be in effect.
            .filter(|w| !w.contains("counts only with the dialect"))
            .all(|w| w.contains("default_agent")),
        "{warnings:#?}"
    );
    let table: toml::Table = text.parse().unwrap();
    let keys = |path: &[&str]| -> Vec<String> {
        let table = path
            .iter()
            .fold(&table, |table, part| table[*part].as_table().unwrap());
        table.keys().cloned().collect()
    };
    let sorted = |names: &[&str]| {
        let mut names: Vec<String> = names.iter().map(|n| (*n).to_owned()).collect();
        names.sort();
        names
    };
    assert_eq!(keys(&[]), sorted(check::field_names::<file::File>()));
    for (path, names) in [
        (
            &["agents", "my-agent"][..],
            check::field_names::<file::AgentEntry>(),
        ),
        (
            &["agents", "my-agent", "fs"],
            check::field_names::<file::AgentFs>(),
        ),
        (&["mcp_servers", "weather"], &["command", "args", "env"]),
        (&["mcp_servers", "docs"], &["url", "type", "headers"]),
        (
            &["permissions"],
            check::field_names::<file::PermissionsSection>(),
        ),
        (&["fs"], check::field_names::<FsConfig>()),
        (&["terminal"], check::field_names::<TerminalConfig>()),
        (&["connection"], check::field_names::<ConnectionConfig>()),
        (&["ui"], check::field_names::<UiConfig>()),
    ] {
        assert_eq!(keys(path), sorted(names), "{path:?}");
    }
}

// V1-INIT-24, V1-RPC-21
#[test]
fn a_number_out_of_bounds_costs_itself_and_the_bounds_are_named() {
    for (line, key, bounds) in [
        ("start_timeout = 0", "start_timeout", "from 1 to 3600"),
        ("start_timeout = 1e1", "start_timeout", "floating point"),
        ("max_message = 1025", "max_message", "from 1 to 1024"),
        ("max_message = -1", "max_message", "from 1 to 1024"),
    ] {
        let loaded = World::with_user(&format!("[connection]\n{line}\n")).load();
        assert_eq!(loaded.config.connection, ConnectionConfig::default());
        let [warning] = &loaded.warnings[..] else {
            panic!("{line}: {:?}", loaded.warnings);
        };
        let said = warning.to_string();
        assert!(said.contains(&format!("connection.{key}")), "{said}");
        assert!(said.contains(bounds), "{said}");
    }
    for (line, good) in [
        ("escape_delay = -1", None),
        ("escape_delay = 0", Some(0)),
        ("escape_delay = 1000", Some(1000)),
        ("escape_delay = 1001", None),
    ] {
        let loaded = World::with_user(&format!("[ui]\n{line}\n")).load();
        assert_eq!(loaded.config.ui.escape_delay, good, "{line}");
        let said: String = loaded.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(said.contains("from 0 to 1000"), good.is_none(), "{said}");
    }
    for (line, good) in [
        ("width = \"auto\"", Ok(None)),
        ("width = 39", Err(())),
        ("width = 40", Ok(Some(40))),
        ("width = 1000", Ok(Some(1000))),
        ("width = 1001", Err(())),
        ("width = -1", Err(())),
        ("width = \"wide\"", Err(())),
    ] {
        let loaded = World::with_user(&format!("[ui]\n{line}\n")).load();
        assert_eq!(loaded.config.ui.width, good.unwrap_or(None), "{line}");
        let said: String = loaded.warnings.iter().map(ToString::to_string).collect();
        let bounds = "\"auto\" or a number from 40 to 1000";
        assert_eq!(said.contains(bounds), good.is_err(), "{line}: {said}");
    }
    let good = World::with_user("[connection]\nstart_timeout = 5\nmax_message = 1\n").load();
    assert_eq!(good.warnings, []);
    let ConnectionConfig {
        start_timeout,
        max_message,
    } = good.config.connection;
    assert_eq!((start_timeout, max_message), (5, 1));
}

#[test]
fn later_layers_win() {
    let mut world = World::with_user(
        "default_agent = \"pi\"\n[ui]\ntheme = \"dark\"\ndiff = \"split\"\nbell = false\n",
    );
    world.project("[ui]\ntheme = \"light\"\n");
    world.set("ACP_TUI_UI__DIFF", "unified");
    world.set("ACP_TUI_DEFAULT_AGENT", "gemini");
    world.set("ACP_TUI_TEST_PANIC", "1");
    world.set("OTHER", "x");
    let loaded = world.load();
    assert_eq!(loaded.warnings, []);
    let ui = &loaded.config.ui;
    assert_eq!(ui.theme, ThemeChoice::Light);
    assert_eq!(ui.diff, DiffLayout::Unified);
    assert!(!ui.bell && ui.motion);
    assert_eq!(loaded.config.default_agent.as_deref(), Some("gemini"));
    let source = |key: &str| world.plain(&loaded.sources[key].to_string());
    assert_eq!(source("ui.theme"), "project/.acp-tui.toml:2");
    assert_eq!(source("ui.bell"), "config/config.toml:5");
    assert_eq!(source("ui.diff"), "ACP_TUI_UI__DIFF");
    assert_eq!(source("ui.motion"), "default");
    assert_eq!(source("agents.gemini.command"), "built-in");
}

// D-24
#[test]
fn what_is_wrong_costs_only_itself() {
    let world = World::with_user(
        r#"defualt_theme = "dark"
default_agent = "good"
mcp_servers = {}
[ui]
thme = "dark"
theme = "norde"
motion = "yes"
bell = false
screen_reader = "yes"
[agents.good]
command = "good"
comand = "x"
# nothing
[agents.brokenone]
command = 5
args = "not a list"
[agents.nothing]
name = "Nothing"
[agents."a b"]
command = "x"
env = { PORT = 80 }
[keys]
palette = ["ctrl-p"]
quit = "ctrl-q"
[terminal]
output = 3
[worktree]
dir = "trees"
"#,
    );
    let mut warnings = world.warnings();
    warnings.sort();
    let expected = [
        "config.toml:12: agents.good.comand: unknown key; did you mean agents.good.command?",
        "config.toml:15: agents.brokenone.command: invalid type: integer `5`, expected a string; \
         this agent is ignored",
        "config.toml:16: agents.brokenone.args: invalid type: string \"not a list\", expected a \
         sequence; this agent is ignored",
        "config.toml:18: agents.nothing: command is missing, and no built-in agent has this name; \
         this agent is ignored",
        "config.toml:1: defualt_theme: unknown key; known here: default_agent, agents, \
         mcp_servers, permissions, fs, terminal, sessions, changes, worktree, connection, ui, \
         keys",
        "config.toml:21: agents.\"a b\".env: invalid type: integer `80`, expected a string; \
         this agent is ignored",
        "config.toml:24: keys.quit: invalid type: string \"ctrl-q\", expected a sequence",
        "config.toml:26: terminal.output: expected a string",
        "config.toml:28: worktree.dir: expected a whole path, or one that begins with ~/",
        "config.toml:5: ui.thme: unknown key; did you mean ui.theme?",
        "config.toml:6: ui.theme: there is no theme \"norde\"; did you mean \"nord\"?",
        "config.toml:7: ui.motion: invalid type: string \"yes\", expected a boolean",
        "config.toml:9: ui.screen_reader: expected \"auto\", true or false",
    ];
    let mut expected: Vec<String> = expected.iter().map(|w| format!("config/{w}")).collect();
    expected.sort();
    assert_eq!(warnings, expected);

    let config = world.load().config;
    assert!(!config.ui.bell);
    assert_eq!(config.agent("good").unwrap().command, "good");
    assert_eq!(config.keys["palette"], ["ctrl-p"]);
    let error = config.agent("brokenone").unwrap_err().to_string();
    assert!(
        error.contains("config.toml:16: agents.brokenone.args"),
        "{error}"
    );
}

#[test]
fn a_syntax_error_shows_the_place() {
    let world = World::with_user("[ui]\ntheme = dark\n");
    let error = load(&world.options()).unwrap_err().to_string();
    assert_eq!(
        world.plain(&error),
        "config/config.toml:2:9: string values must be quoted, expected literal string\n  \
         |\n2 | theme = dark\n  |         ^^^^"
    );
}

#[test]
fn a_file_that_is_no_text_or_too_large_or_missing_is_named() {
    let world = World::new();
    let fails = |world: &World| world.plain(&load(&world.options()).unwrap_err().to_string());
    fs::create_dir_all(world.path("config")).unwrap();
    fs::write(world.path("config/config.toml"), b"a = 1\nb = \"\xff\"\n").unwrap();
    assert_eq!(
        fails(&world),
        "config/config.toml: line 2 is not UTF-8; save the file as UTF-8"
    );
    world.write("config/config.toml", &"#".repeat((1 << 20) + 1));
    assert_eq!(
        fails(&world),
        "config/config.toml: is larger than 1048576 bytes"
    );
    let mut options = world.options();
    options.config_file = Some(world.path("nope.toml"));
    let error = load(&options).unwrap_err().to_string();
    assert_eq!(
        world.plain(&error),
        "nope.toml: there is no such file; see --config"
    );
}

#[test]
fn a_fifo_is_not_waited_for() {
    let world = World::new();
    let path = world.path("project/.acp-tui.toml");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &path,
        rustix::fs::FileType::Fifo,
        0o600.into(),
        0,
    )
    .unwrap();
    assert_eq!(world.load().trust, TrustState::NotNeeded);
    assert_eq!(world.warnings().len(), 1);
}

#[test]
fn rules_carry_where_they_came_from_and_bad_ones_are_refused() {
    let world = World::with_user(
        r#"[permissions]
rules = [
  { kind = "execute", command = "cargo test", decision = "allow" },
  { path = "**/.env*", decision = "deny" },
  { decision = "allow" },
  { path = "a[", decision = "deny" },
  { command = " ", decision = "allow" },
  { kind = "exec", decision = "allow" },
  { kind = "execute", comand = "ls", decision = "allow" },
  { kind = "read" },
  { tool = "Bash", command = "echo 'a", decision = "allow" },
  { kind = "read", command = "cat", decision = "allow" },
]
"#,
    );
    let loaded = world.load();
    let labels: Vec<&str> = loaded
        .config
        .rules
        .iter()
        .map(|r| r.label.as_str())
        .collect();
    assert_eq!(
        labels,
        [
            "allow execute `cargo test` (config.toml:3)",
            "deny `**/.env*` (config.toml:4)"
        ]
    );
    let expected = [
        "5: permissions.rules: a rule needs at least one of kind, tool, path and command",
        "6: permissions.rules: path is not a valid glob: unclosed character class; missing ']'",
        "7: permissions.rules: command is empty",
        "8: permissions.rules: unknown variant `exec`, expected one of `read`, `edit`, `delete`, \
         `move`, `search`, `execute`, `think`, `fetch`, `switch_mode`, `other`",
        "9: permissions.rules: unknown field `comand`, expected one of `kind`, `tool`, `path`, \
         `command`, `decision`",
        "10: permissions.rules: missing field `decision`",
        "11: permissions.rules: command has an open quote",
        "12: permissions.rules: a command is of kind execute: with another kind it allows nothing",
    ];
    let expected: Vec<String> = expected
        .iter()
        .map(|w| format!("config/config.toml:{w}; this rule is ignored"))
        .collect();
    assert_eq!(world.warnings(), expected);
}

#[test]
fn the_environment_takes_toml_or_text() {
    let mut world = World::new();
    world.set("ACP_TUI_UI__MOTION", "false");
    world.set("ACP_TUI_AGENTS__MY_OWN__COMMAND", "my \"own\" $agent");
    world.set("ACP_TUI_AGENTS__MY_OWN__ARGS", "[\"a b\", 'c']");
    world.set("ACP_TUI_AGENTS__CLAUDE__MODE", "5");
    world.set("ACP_TUI_UI__BELL", "loud");
    world.set("ACP_TUI_UI__THME", "dark");
    world.set("ACP_TUI_KEYS__PALETTE", "['f2']");
    let loaded = world.load();
    assert!(!loaded.config.ui.motion);
    let own = &loaded.config.agents["my-own"];
    assert_eq!(own.command, "my \"own\" $agent");
    assert_eq!(own.args, ["a b", "c"]);
    assert_eq!(own.origin, Origin::Environment);
    let mode = loaded.config.agents["claude-code"].mode.as_deref();
    assert_eq!(mode, Some("5"));
    assert_eq!(loaded.config.keys["palette"], ["f2"]);
    assert_eq!(
        world.warnings(),
        [
            "ACP_TUI_UI__BELL: ui.bell: invalid type: string \"loud\", expected a boolean",
            "ACP_TUI_UI__THME: ui.thme: unknown key; did you mean ui.theme?",
        ]
    );
}

#[test]
fn a_warning_about_a_key_says_where_it_is() {
    let world = World::with_user("[keys]\nqiut = [\"ctrl-q\"]\n");
    let warning = world
        .load()
        .warning(&["keys", "qiut"], "unknown action; did you mean quit?");
    assert_eq!(
        world.plain(&warning.to_string()),
        "config/config.toml:2: keys.qiut: unknown action; did you mean quit?"
    );
}

// V1-UPD-12
#[test]
fn what_is_quoted_from_a_file_is_harmless() {
    let world = World::with_user("[ui]\n\"\\u001b[2J\" = 1\n");
    let warnings = world.warnings();
    assert!(!warnings[0].contains('\u{1b}'), "{warnings:?}");
}

/// A stranger's file may be made to keep the client busy.
#[test]
fn very_many_mistakes_are_counted_and_long_ones_cut() {
    let mut text = "[ui]\n".to_owned();
    for i in 0..40_000 {
        text.push_str(&format!("k{i} = 1\n"));
    }
    text.push_str(&format!("{} = 1\n", "x".repeat(100_000)));
    let warnings = World::with_user(&text).warnings();
    assert_eq!(warnings.len(), 50);
    assert!(warnings[49].ends_with("(and 39951 more in this file)"));
    let long = World::with_user(&format!("{} = 1\n", "x".repeat(100_000))).warnings();
    assert!(long[0].ends_with("xxx…"));
}

#[test]
fn the_schema_describes_the_format() {
    let schema: serde_json::Value = serde_json::from_str(&schema()).unwrap();
    let names: Vec<&str> = schema["properties"]
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(names, check::field_names::<file::File>());
    assert_eq!(schema["additionalProperties"], false);
    let definitions = schema["$defs"].to_string();
    for word in ["accept-edits", "switch_mode", "ascii", "unified", "raw"] {
        assert!(definitions.contains(&format!("\"{word}\"")), "{word}");
    }
}

proptest::proptest! {
    /// Whatever stands in a file, loading ends with a word about it or a configuration.
    #[test]
    fn no_file_makes_it_panic(text in "(\\[?\\[?(ui|agents|agents\\.x|keys|permissions)\\]?\\]?\n|[a-z_]{1,6} ?= ?([0-9]{1,3}|\"[^\"]{0,3}\"|\\[\\]|\\{\\}|true)\n|.{0,5}\n){0,8}") {
        let world = World::with_user(&text);
        world.project(&text);
        let _ = load(&world.options());
    }
}
