//! The program in surroundings of its own.

use std::{
    fs,
    path::Path,
    process::{Command, Output, Stdio},
};

use crate::schema;

/// A home of its own, and a project in it.
pub struct Shell {
    dir: tempfile::TempDir,
}

impl Shell {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("project/.git")).unwrap();
        Self { dir }
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    pub fn config(&self, text: &str) {
        let dir = self.path().join(".config/acp-tui");
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("config.toml"), text).unwrap();
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_acp-tui"));
        command
            .args(args)
            .env_clear()
            .env("HOME", self.path())
            .env("XDG_CONFIG_HOME", self.path().join(".config"))
            .env("XDG_DATA_HOME", self.path().join(".local/share"))
            .env("PATH", self.path().join("bin"))
            .env("TERM", "xterm-256color")
            .current_dir(self.path().join("project"))
            .stdin(Stdio::null());
        command
    }

    /// Makes the scripted agent the default one. What it is told is in [`Shell::record`].
    pub fn scripted(&self, scenario: &serde_json::Value) {
        let agent = Path::new(env!("CARGO_BIN_EXE_acp-tui"))
            .with_file_name("examples")
            .join("fake-agent");
        assert!(
            agent.exists(),
            "the scripted agent is not built: cargo build --example fake-agent"
        );
        let args = ["scenario.json", "record.jsonl"].map(|name| self.path().join(name));
        fs::write(&args[0], scenario.to_string()).unwrap();
        self.config(&format!(
            "default_agent = \"fake\"\n[agents.fake]\ncommand = {agent:?}\nargs = {args:?}\n"
        ));
    }

    /// Adds to the scripted agent's profile.
    pub fn profile(&self, toml: &str) {
        let path = self.path().join(".config/acp-tui/config.toml");
        let text = fs::read_to_string(&path).unwrap() + toml;
        fs::write(path, text).unwrap();
    }

    /// What the client sent to the scripted agent.
    pub fn record(&self) -> Vec<serde_json::Value> {
        let record = fs::read_to_string(self.path().join("record.jsonl")).unwrap_or_default();
        let lines = record.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// Methods and answers of it, in order.
    pub fn methods(&self) -> Vec<String> {
        let name = |message: serde_json::Value| match message["method"].as_str() {
            Some(method) => method.to_owned(),
            None => "answer".to_owned(),
        };
        self.record().into_iter().map(name).collect()
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        Ran::new(self.command(args).output().unwrap())
    }
}

/// All that was sent to the scripted agent is of the protocol (V1-META-02).
impl Drop for Shell {
    fn drop(&mut self) {
        let traffic = self.path().join("traffic.jsonl");
        if let Ok(traffic) = fs::read_to_string(traffic)
            && !std::thread::panicking()
        {
            schema::check_record(&traffic);
        }
    }
}

pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Ran {
    pub fn new(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}
