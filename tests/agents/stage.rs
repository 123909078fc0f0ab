//! What one agent needs to play: a home of its own, a model to talk to, a profile.

use std::{
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use crate::support::{pty::Tui, setup::Setup};

/// Some agents take half a minute to start on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// The log of what went over the wire, beside home and project.
pub const WIRE: &str = "wire.jsonl";

/// What the model was asked, beside home and project.
const ASKED: &str = "model.jsonl";

pub struct Stage {
    setup: Setup,
    /// The folder of the agent's home.
    home: PathBuf,
    /// Where the model is.
    port: String,
    _model: Model,
}

/// Which agent is to play, and in what it differs from what `agents.toml` says.
pub struct Cast<'a> {
    /// The agent is installed with it.
    package: &'a str,
    agent: &'a str,
    /// Its name in the configuration, if not that of a built-in profile.
    name: &'a str,
    without: Vec<&'a str>,
    with: Vec<(&'a str, String)>,
    profile: String,
    config: String,
    in_dialect: bool,
    /// What the model answers where it is asked for the person's next prompt, for what it has there.
    suggests: Option<&'a str>,
    /// A script beside these tests that stands between the client and the agent.
    behind: Option<&'a str>,
}

impl<'a> Cast<'a> {
    pub fn of(agent: &'a str) -> Self {
        Self {
            package: agent,
            agent,
            name: agent,
            without: Vec::new(),
            with: Vec::new(),
            profile: String::new(),
            config: String::new(),
            in_dialect: false,
            suggests: None,
            behind: None,
        }
    }

    pub fn from(mut self, package: &'a str) -> Self {
        self.package = package;
        self
    }

    pub fn named(mut self, name: &'a str) -> Self {
        self.name = name;
        self
    }

    /// Without that variable.
    pub fn without(mut self, variable: &'a str) -> Self {
        self.without.push(variable);
        self
    }

    pub fn with(mut self, variable: &'a str, value: impl Into<String>) -> Self {
        self.with.push((variable, value.into()));
        self
    }

    /// What it is told is in words that the protocol no longer has.
    pub fn in_dialect(mut self, yes: bool) -> Self {
        self.in_dialect = yes;
        self
    }

    /// Claude offers no thanks, which are what the model has there.
    pub fn suggesting(mut self, prompt: &'a str) -> Self {
        self.suggests = Some(prompt);
        self
    }

    pub fn behind(mut self, script: &'a str) -> Self {
        self.behind = Some(script);
        self
    }

    /// Keys of the agent's profile.
    pub fn profile(mut self, toml: &str) -> Self {
        self.profile.push_str(toml);
        self
    }

    /// Tables of the configuration.
    pub fn config(mut self, toml: &str) -> Self {
        self.config.push_str(toml);
        self
    }

    /// Fails where the agent is not installed.
    pub fn set(self) -> Stage {
        Stage::of(&self)
    }

    /// As `agents.toml` starts it, laid over the built-in profile.
    fn configuration(&self, agents: &Path) -> String {
        let text = std::fs::read_to_string(agents).expect("agents.toml");
        let table: toml::Table = text.parse().expect("agents.toml is TOML");
        let mut entries = table["agent"].as_array().expect("a list").iter();
        let entry = entries
            .find(|entry| entry["name"].as_str() == Some(self.agent))
            .expect("the agent is in agents.toml");
        let keys = ["command", "args", "env"];
        let own = keys.map(|key| (key.to_owned(), entry[key].clone()));
        let mut own = toml::Table::from_iter(own);
        if let Some(script) = self.behind {
            let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents");
            let script = tests.join(script).display().to_string();
            let agent = own.insert("command".to_owned(), "python3".into());
            let args = own["args"].as_array_mut().expect("arguments");
            args.splice(0..0, [script.into(), agent.expect("a command")]);
        }
        let env = own["env"].as_table_mut().expect("variables");
        for variable in &self.without {
            env.remove(*variable).expect("it is set");
        }
        for (variable, value) in &self.with {
            env.insert((*variable).to_owned(), value.clone().into());
        }
        own.extend(self.profile.parse::<toml::Table>().expect("TOML"));
        let named = toml::Table::from_iter([(self.name.to_owned(), own.into())]);
        let mut all = toml::Table::from_iter([("agents".to_owned(), named.into())]);
        all.extend(self.config.parse::<toml::Table>().expect("TOML"));
        all.to_string()
    }
}

impl Stage {
    fn of(cast: &Cast<'_>) -> Self {
        let package = cast.package;
        let prefix = std::env::var_os("ACP_TUI_AGENTS").map(PathBuf::from);
        let prefix = prefix.expect("ACP_TUI_AGENTS names the folder that the agents are in");
        // setup.sh would install what is not there.
        assert!(
            prefix.join(package).join(".installed").exists(),
            "{package} is not in {}: AGENTS={package} setup.sh installs it",
            prefix.display()
        );
        let tools = tools();
        let setup = Setup::new(env!("CARGO_BIN_EXE_acp-tui"), serde_json::Value::Null);
        let mut script = tools.join("fake_llm.py");
        if let Some(prompt) = cast.suggests {
            let text = std::fs::read_to_string(&script).expect("the model's script");
            let own = text.replace("\"say thanks\"", &format!("{prompt:?}"));
            assert_ne!(own, text, "it has another suggestion");
            script = setup.path("model.py");
            std::fs::write(&script, own).expect("a script of its own");
        }
        let (model, port) = Model::start(&script, &setup.path(ASKED));
        let homes = setup.path("agents");
        let done = Command::new("bash")
            .arg(tools.join("setup.sh"))
            .args([&prefix, &homes])
            .env("AGENTS", package)
            .env("FAKE_LLM_PORT", &port)
            .output()
            .expect("bash starts");
        assert!(
            done.status.success(),
            "setup.sh: {}",
            String::from_utf8_lossy(&done.stderr)
        );
        let wire = setup.path(WIRE).display().to_string();
        let setup = setup
            // Wide enough for all that the status line has to say.
            .size(180, 40)
            .patience(PATIENCE)
            .config_file(&cast.configuration(&homes.join("agents.toml")))
            .args(&["--agent", cast.name, "--wire", &wire]);
        let setup = if cast.in_dialect {
            setup.in_dialect()
        } else {
            setup
        };
        Self {
            setup,
            home: homes.join("homes").join(package),
            port,
            _model: model,
        }
    }

    /// In the agent's home.
    pub fn home(&self, name: &str) -> PathBuf {
        self.home.join(name)
    }

    /// Beside home and project.
    pub fn path(&self, name: &str) -> PathBuf {
        self.setup.path(name)
    }

    /// A variable of the client's own environment.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.setup = self.setup.env(name, value);
        self
    }

    pub fn port(&self) -> &str {
        &self.port
    }

    /// What the model was asked, a line a request.
    pub fn asked(&self) -> String {
        std::fs::read_to_string(self.path(ASKED)).unwrap_or_default()
    }

    pub fn start(&self) -> Tui {
        self.setup.start()
    }

    /// Another client, in the same home and project.
    pub fn start_again(&mut self, args: &[&str]) -> Tui {
        let before = self.setup.args.len();
        let args = args.iter().map(|arg| (*arg).to_owned());
        self.setup.args.extend(args);
        let tui = self.setup.start();
        self.setup.args.truncate(before);
        tui
    }
}

/// The folder with `setup.sh` and `fake_llm.py`.
fn tools() -> PathBuf {
    std::env::var_os("ACP_TUI_AGENTS_TOOLS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/agents"),
        PathBuf::from,
    )
}

/// Not by a macro: what those print in a test that passes is not shown.
pub fn say(line: &str) {
    let _ = std::io::stderr().write_all(format!("{line}\n").as_bytes());
}

/// The server that plays the language model.
struct Model(Child);

impl Model {
    /// On a free port, which is given.
    fn start(script: &Path, asked: &Path) -> (Self, String) {
        let mut child = Command::new("python3")
            .arg(script)
            .args(["--port", "0", "--log-bodies", "--log"])
            .arg(asked)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("python3 starts");
        let stdout = child.stdout.take().expect("it is piped");
        let model = Self(child);
        let mut line = String::new();
        BufReader::new(stdout)
            .read_line(&mut line)
            .expect("a line of the model");
        let (_, port) = line.trim().rsplit_once(':').expect("an address");
        (model, port.to_owned())
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
