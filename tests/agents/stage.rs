//! What one agent needs to play: a home of its own, a model to talk to, a profile.

use std::{
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::LazyLock,
    time::Duration,
};

use crate::support::{pty::Tui, setup::Setup};

/// Some agents take half a minute to start on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// The log of what went over the wire, beside home and project.
pub const WIRE: &str = "wire.jsonl";

pub struct Stage {
    setup: Setup,
    _model: Model,
}

impl Stage {
    /// `None`, said on stderr, where the agent is not installed.
    pub fn set(agent: &str) -> Option<Self> {
        Self::set_from(agent, agent)
    }

    /// The same for one of several agents that are installed together.
    pub fn set_from(package: &str, agent: &str) -> Option<Self> {
        let prefix = prefix()?;
        // setup.sh would install what is not there.
        if !prefix.join(package).join(".installed").exists() {
            say(&format!(
                "{agent}: skipped, it is not in {}",
                prefix.display()
            ));
            return None;
        }
        let tools = tools();
        let (model, port) = Model::start(&tools);
        let setup = Setup::new(env!("CARGO_BIN_EXE_acp-tui"), serde_json::Value::Null);
        let homes = setup.path("agents");
        let done = Command::new("bash")
            .arg(tools.join("setup.sh"))
            .args([prefix, &homes])
            .env("AGENTS", package)
            .env("FAKE_LLM_PORT", port)
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
            .config_file(&profile(&homes.join("agents.toml"), agent))
            .args(&["--agent", agent, "--wire", &wire]);
        Some(Self {
            setup,
            _model: model,
        })
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

/// Where the agents are installed. That nobody says so is said once.
fn prefix() -> Option<&'static Path> {
    static PREFIX: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
        let prefix = std::env::var_os("ACP_TUI_AGENTS").map(PathBuf::from);
        if prefix.is_none() {
            say("all agents: skipped, ACP_TUI_AGENTS does not name the folder that they are in");
        }
        prefix
    });
    PREFIX.as_deref()
}

/// The folder with `setup.sh` and `fake_llm.py`.
fn tools() -> PathBuf {
    std::env::var_os("ACP_TUI_AGENTS_TOOLS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/agents"),
        PathBuf::from,
    )
}

/// Not by a macro: what those print in a test that passes is not shown.
fn say(line: &str) {
    let _ = std::io::stderr().write_all(format!("{line}\n").as_bytes());
}

/// A configuration with the agent as `agents.toml` starts it, laid over the built-in profile.
fn profile(agents: &Path, agent: &str) -> String {
    let text = std::fs::read_to_string(agents).expect("agents.toml");
    let table: toml::Table = text.parse().expect("agents.toml is TOML");
    let mut entries = table["agent"].as_array().expect("a list").iter();
    let entry = entries
        .find(|entry| entry["name"].as_str() == Some(agent))
        .expect("the agent is in agents.toml");
    let keys = ["command", "args", "env"];
    let own = keys.map(|key| (key.to_owned(), entry[key].clone()));
    let named = toml::Table::from_iter([(agent.to_owned(), toml::Table::from_iter(own).into())]);
    toml::Table::from_iter([("agents".to_owned(), named.into())]).to_string()
}

/// The server that plays the language model.
struct Model(Child);

impl Model {
    /// On a free port, which is given.
    fn start(tools: &Path) -> (Self, String) {
        let mut child = Command::new("python3")
            .arg(tools.join("fake_llm.py"))
            .args(["--port", "0"])
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
