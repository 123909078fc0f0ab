//! Agents that were written from one older description of the protocol each, and know nothing else:
//! what it does not describe they refuse, and what the client answers otherwise they take down.
//!
//!     fake-agent SCENARIO LOG
//!
//! with `{"older": NAME, "variant": […]}` as the SCENARIO. NAME is `banjo`, `opencode`, `claude`,
//! `summary` or `threads`; a variant reads a description in another way, see where it is asked for.
//! LOG gets each message of the client as a JSON line. Beside it, in `faults`, stands a line for each
//! message that was refused, or was an answer in other words than the description's.
//!
//! A first prompt has each agent do all that its description lets it do: read and write a file, run
//! a command, ask for permission twice. It says what came of each. Later ones it repeats.

mod acp;
mod threads;
mod words;

use std::{
    io::{self, BufRead, Write},
    path::PathBuf,
    sync::mpsc,
};

use serde_json::{Value, json};

/// Plays, if the scenario is one of an older agent.
pub fn main(args: &[String]) -> bool {
    let [scenario, log] = args else { return false };
    let text = std::fs::read_to_string(scenario).expect("the scenario can be read");
    let scenario: Value = serde_json::from_str(&text).expect("the scenario is JSON");
    let Some(name) = scenario["older"].as_str() else {
        return false;
    };
    let variants = scenario["variant"].as_array().into_iter().flatten();
    let variants = variants.filter_map(Value::as_str).map(str::to_owned);
    let wire = Wire::start(log.into(), variants.collect());
    match name {
        "threads" => threads::serve(wire),
        name => acp::serve(wire, words::named(name)),
    }
    true
}

/// Why a message is refused.
pub struct Refusal {
    pub code: i64,
    pub message: String,
    pub data: Option<Value>,
}

impl Refusal {
    pub fn params(message: impl Into<String>) -> Self {
        Self::new(-32602, message)
    }

    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    pub fn json(&self) -> Value {
        let mut error = json!({"code": self.code, "message": self.message});
        if let Some(data) = &self.data {
            error["data"] = data.clone();
        }
        error
    }
}

/// Stdin and stdout as lines of JSON, and what is noted of them.
pub struct Wire {
    inbox: mpsc::Receiver<Value>,
    log: PathBuf,
    variants: Vec<String>,
    /// Messages that came while an answer was waited for.
    waiting: Vec<Value>,
    last_id: u64,
}

impl Wire {
    fn start(log: PathBuf, variants: Vec<String>) -> Self {
        let (sender, inbox) = mpsc::channel();
        std::thread::spawn(move || {
            for line in io::stdin().lock().lines() {
                let Ok(line) = line else { break };
                let Ok(message) = serde_json::from_str(&line) else {
                    continue;
                };
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        Self {
            inbox,
            log,
            variants,
            waiting: Vec::new(),
            last_id: 0,
        }
    }

    pub fn is(&self, variant: &str) -> bool {
        self.variants.iter().any(|known| known == variant)
    }

    /// The next message, or `None` at the end of stdin.
    pub fn next(&mut self) -> Option<Value> {
        if !self.waiting.is_empty() {
            return Some(self.waiting.remove(0));
        }
        self.receive()
    }

    fn receive(&mut self) -> Option<Value> {
        let message = self.inbox.recv().ok()?;
        self.append(&self.log, &message.to_string());
        Some(message)
    }

    pub fn send(&self, message: &Value) {
        let line = format!("{message}\n");
        let mut out = io::stdout().lock();
        // The client may be gone.
        if out
            .write_all(line.as_bytes())
            .and_then(|()| out.flush())
            .is_err()
        {
            std::process::exit(0);
        }
    }

    /// Sends a request and waits for what answers it; cancels that come meanwhile end the wait.
    pub fn ask(&mut self, envelope: Value, method: &str, params: Value) -> Result<Value, Value> {
        self.last_id += 1;
        let id = self.last_id + 100;
        let mut request = envelope;
        request["id"] = json!(id);
        request["method"] = json!(method);
        request["params"] = params;
        self.send(&request);
        loop {
            let Some(message) = self.receive() else {
                std::process::exit(0);
            };
            if message.get("method").is_some() || message["id"] != id {
                self.waiting.push(message);
                continue;
            }
            return match (message.get("result"), message.get("error")) {
                (Some(result), None) => Ok(result.clone()),
                (None, Some(error)) => Err(error.clone()),
                _ => {
                    self.fault(&format!("neither result nor error: {message}"));
                    Err(Value::Null)
                }
            };
        }
    }

    /// Something that the description does not have.
    pub fn fault(&self, what: &str) {
        let path = self.log.with_file_name("faults");
        self.append(&path, what);
    }

    fn append(&self, path: &std::path::Path, line: &str) {
        let file = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(path);
        writeln!(file.expect("the file opens"), "{line}").expect("the file can be written");
    }
}

/// Takes an object's members by name: all of `required`, any of `optional`, and no others.
pub fn members(
    what: &str,
    value: &Value,
    required: &[&str],
    optional: &[&str],
) -> Result<(), Refusal> {
    has(what, value, required)?;
    let known = |key: &str| required.contains(&key) || optional.contains(&key);
    match value
        .as_object()
        .and_then(|members| members.keys().find(|key| !known(key)))
    {
        Some(key) => Err(Refusal::params(format!("{what}: unknown field `{key}`"))),
        None => Ok(()),
    }
}

/// The same where what is not known is passed over.
pub fn has(what: &str, value: &Value, required: &[&str]) -> Result<(), Refusal> {
    let Some(object) = value.as_object() else {
        return Err(Refusal::params(format!("{what}: expected an object")));
    };
    match required.iter().find(|key| !object.contains_key(**key)) {
        Some(key) => Err(Refusal::params(format!("{what}: missing field `{key}`"))),
        None => Ok(()),
    }
}

pub fn text<'a>(what: &str, value: &'a Value) -> Result<&'a str, Refusal> {
    value
        .as_str()
        .ok_or_else(|| Refusal::params(format!("{what}: expected a string")))
}
