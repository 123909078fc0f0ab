//! What a client is started with: its surroundings, its config, the agent's scenario.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use pty_process::blocking;
use serde_json::Value;

use super::pty::Tui;

/// How long something may take to show up, unless told otherwise. Generous: machines are shared.
const PATIENCE: Duration = Duration::from_secs(30);

/// What to start and in what surroundings. Can be started more than once: home, project and the
/// agent's record stay.
pub struct Setup {
    pub client: PathBuf,
    /// The scripted agent's program and its first arguments.
    pub agent: Vec<String>,
    pub scenario: Value,
    pub rows: u16,
    pub cols: u16,
    pub args: Vec<String>,
    pub env: Vec<(String, String)>,
    /// Added to the config file, behind the agent's own profile.
    pub config: String,
    /// In place of the config file with the scripted agent.
    pub config_file: Option<String>,
    /// A shell with job control that runs the client, instead of the client alone.
    pub shell: Option<String>,
    /// How long something may take to show up.
    pub patience: Duration,
    folder: Arc<tempfile::TempDir>,
}

impl Setup {
    /// The client with the scripted agent, 80 by 24.
    pub fn new(client: &str, scenario: Value) -> Self {
        let client = PathBuf::from(client);
        let agent = client.with_file_name("examples").join("fake-agent");
        let agent = vec![agent.to_string_lossy().into_owned()];
        let folder = tempfile::tempdir().expect("a temporary folder");
        for name in ["home", "project"] {
            std::fs::create_dir(folder.path().join(name)).expect("a folder in it");
        }
        Self {
            client,
            agent,
            scenario,
            rows: 24,
            cols: 80,
            args: Vec::new(),
            env: Vec::new(),
            config: String::new(),
            config_file: None,
            shell: None,
            patience: PATIENCE,
            folder: Arc::new(folder),
        }
    }

    /// Another scenario, where that needs to know the folder.
    pub fn scenario(mut self, scenario: Value) -> Self {
        self.scenario = scenario;
        self
    }

    pub fn size(mut self, cols: u16, rows: u16) -> Self {
        (self.cols, self.rows) = (cols, rows);
        self
    }

    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    pub fn args(mut self, args: &[&str]) -> Self {
        self.args.extend(args.iter().map(|arg| (*arg).to_owned()));
        self
    }

    pub fn config(mut self, toml: &str) -> Self {
        self.config.push_str(toml);
        self
    }

    pub fn config_file(mut self, toml: &str) -> Self {
        self.config_file = Some(toml.to_owned());
        self
    }

    /// The agent is to be spoken to in other words than the protocol's: they are not held against its
    /// schema.
    pub fn in_dialect(self) -> Self {
        write(&self.path("dialect"), b"");
        self
    }

    pub fn patience(mut self, time: Duration) -> Self {
        self.patience = time;
        self
    }

    /// Runs the agent behind a shell script; `"$@"` in it is the agent.
    pub fn launcher(mut self, script: &str) -> Self {
        let words = ["/bin/sh", "-c", script, "launcher"].map(str::to_owned);
        self.agent.splice(0..0, words);
        self
    }

    /// Runs the client by a shell with job control; `"$@"` in the script is the client.
    pub fn shell(mut self, script: &str) -> Self {
        self.shell = Some(script.to_owned());
        self
    }

    pub fn path(&self, name: &str) -> PathBuf {
        path_in(&self.folder, name)
    }

    /// Makes a file in the project.
    pub fn file(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        write(&self.path("project").join(name), content.as_ref());
        self
    }

    /// Makes an executable script beside the project, as an editor, say.
    pub fn script(self, name: &str, content: &str) -> Self {
        use std::os::unix::fs::PermissionsExt;
        let path = self.path(name);
        write(&path, content.as_bytes());
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("executable");
        self
    }

    /// Starts the client; does not wait for anything.
    pub fn start(&self) -> Tui {
        let built_here = self
            .agent
            .iter()
            .find(|word| word.ends_with("examples/fake-agent"));
        assert!(
            built_here.is_none_or(|agent| Path::new(agent).exists()),
            "the scripted agent is not built: cargo build --example fake-agent"
        );
        std::fs::write(self.path("scenario.json"), self.scenario.to_string()).expect("scenario");
        std::fs::write(self.path("config.toml"), self.config_text()).expect("config");
        let command = match &self.shell {
            None => blocking::Command::new(&self.client),
            Some(script) => blocking::Command::new("/bin/sh")
                .args(["-c", &format!("set -m\n{script}"), "shell"])
                .arg(&self.client),
        };
        let command = command
            .args(["--config".into(), self.path("config.toml")])
            .args(["--log".into(), self.path("log")])
            .args(&self.args)
            .current_dir(self.path("project"))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .env("TERM", "xterm-256color")
            .env("LANG", "C.UTF-8")
            .envs(self.env.iter().map(|(name, value)| (name, value)));
        Tui::start(
            command,
            (self.cols, self.rows),
            self.patience,
            self.folder.clone(),
        )
    }

    fn config_text(&self) -> String {
        if let Some(text) = &self.config_file {
            return text.clone();
        }
        let (program, first) = self.agent.split_first().expect("an agent");
        let mut args = first.to_vec();
        args.extend(
            ["scenario.json", "record.jsonl"].map(|name| self.path(name).display().to_string()),
        );
        format!(
            "default_agent = \"fake\"\n[agents.fake]\ncommand = {program:?}\nargs = {args:?}\n{}",
            self.config
        )
    }
}

/// Below the folder as programs see it, symbolic links resolved.
pub fn path_in(folder: &tempfile::TempDir, name: &str) -> PathBuf {
    let root = folder.path().canonicalize();
    root.expect("the folder is there").join(name)
}

fn write(path: &Path, content: &[u8]) {
    std::fs::create_dir_all(path.parent().expect("in a folder")).expect("its folder");
    std::fs::write(path, content).expect("the file is made");
}
