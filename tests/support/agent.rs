//! A scripted ACP agent over stdio: what it does is a scenario, a JSON file.
//!
//!     fake-agent SCENARIO [LOG]
//!
//! Beside LOG, in `traffic.jsonl`, stands every line of the client as it came, and the requests that
//! it was sent: see `schema::check_record`.
//!
//! SCENARIO is a list of `{"on": METHOD, "do": [STEP…], "reply": …, "error": …, "no_reply": true}`:
//! the n-th call of a method takes its n-th entry, the last one again and again; methods without
//! an entry get a plain default. LOG gets each message of the client as a JSON line, as it comes.
//!
//! Steps: `{"text": "…"}`, `{"thought": "…"}`, `{"update": {…}}`, `{"request": {method, params, id?}}`
//! (waits for the answer; with `"async": true` it does not; with `"as_is": true` in it nothing is added
//! to the params), `{"raw": "bytes"}`,
//! `{"split": {"message": {…}, "every": BYTES}}`, `{"sleep": MS}`, `{"until_cancel": MS}`,
//! `{"stderr": "…"}`, `{"exit": CODE}`, `{"hang": true}`, `{"wait_for": METHOD}`,
//! `{"flood": {"kind": "text"|"wall"|"markdown", "chunks": N, "rate": N_PER_SECOND?, "session": ID?}}`,
//! `{"tools": N}`, `{"big": BYTES}`, `{"write": {"path", "text"}}` (a file, unasked),
//! `{"shell": "…"}` (a command in the session's folder), `{"touch": NAME}` (a file beside LOG), `{"wait_file": NAME}` (likewise),
//! `{"spawn": {"argv": […]}}`, `{"ignore": "eof"}`, `{"numbers": BYTES}` (a raw input),
//! `{"diffs": {"count": N, "bytes": A_SIDE}}`, `"round"` (some of everything; another one each time).
//! An entry `{"on": "wire", "version": 2}` has it speak version 2 of the protocol with a client that asks
//! for it: a prompt is answered before its steps, with the message told and the state `running`; behind
//! them comes `idle`, with `"stop": REASON` of the entry, unless `"no_idle": true` is in it. A resume
//! tells the end of a replay that was asked for and the state, `"state": {…}` of the entry or idle.
//! An entry `{"on": "wire", "bare": true}` leaves `jsonrpc` out of all answers and requests.
//! `"$session"`, `"$cwd"` and `"$terminal"` (the last one created) in strings are filled in.

use std::{
    collections::HashMap,
    io::{self, BufRead, Write},
    process::Command,
    sync::mpsc,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::heavy;

/// Plays the scenario named by the arguments after the program's own.
pub fn main(mut args: impl Iterator<Item = String>) {
    let scenario = args.next().expect("usage: fake-agent SCENARIO [LOG]");
    let scenario = std::fs::read_to_string(&scenario).expect("the scenario can be read");
    let scenario: Vec<Value> = serde_json::from_str(&scenario).expect("the scenario is a list");
    let log = args.next().map(std::path::PathBuf::from);
    let folder = log
        .as_deref()
        .and_then(std::path::Path::parent)
        .map(Into::into);
    let log = log.map(|path| {
        std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .expect("the log opens")
    });
    let (sender, inbox) = mpsc::channel();
    let traffic = folder.clone().map(Traffic::begin);
    let heard = traffic.clone();
    std::thread::spawn(move || {
        for line in io::stdin().lock().split(b'\n') {
            let Ok(line) = line else { break };
            if let Some(traffic) = &heard {
                traffic.heard(&line);
            }
            if let Ok(message) = serde_json::from_slice::<Value>(&line)
                && sender.send(message).is_err()
            {
                break;
            }
        }
    });
    Agent {
        scenario,
        log,
        traffic,
        inbox,
        calls: HashMap::new(),
        waiting: Vec::new(),
        cwd: String::new(),
        terminal: String::new(),
        folder: folder.unwrap_or_default(),
        next_request: 0,
        prompts: 0,
        version_2: false,
        ignores_eof: false,
    }
    .serve();
}

struct Agent {
    scenario: Vec<Value>,
    log: Option<std::fs::File>,
    traffic: Option<Traffic>,
    inbox: mpsc::Receiver<Value>,
    calls: HashMap<String, usize>,
    /// Messages that came while a step waited for another one.
    waiting: Vec<Value>,
    cwd: String,
    /// The last terminal that the client made.
    terminal: String,
    /// Where LOG is.
    folder: std::path::PathBuf,
    next_request: u64,
    prompts: u64,
    /// It speaks version 2 on this connection.
    version_2: bool,
    ignores_eof: bool,
}

const SESSION: &str = "sess-1";

/// The record of what went over the wire, for the schema.
#[derive(Clone)]
struct Traffic(std::sync::Arc<std::fs::File>);

impl Traffic {
    fn begin(folder: std::path::PathBuf) -> Self {
        let file = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(folder.join("traffic.jsonl"));
        let traffic = Self(file.expect("the record opens").into());
        traffic.write(&json!({"connected": std::process::id()}));
        traffic
    }

    fn heard(&self, line: &[u8]) {
        let line = std::str::from_utf8(line).unwrap_or("not UTF-8");
        self.write(&json!({"sent": line}));
    }

    /// Messages of ours; only requests matter, and are written before they are sent.
    fn says(&self, line: &[u8]) {
        if let Ok(message) = serde_json::from_slice::<Value>(line)
            && message.get("method").is_some()
            && message.get("id").is_some()
        {
            self.write(&json!({"received": {"id": message["id"], "method": message["method"]}}));
        }
    }

    /// In one piece: two threads write.
    fn write(&self, entry: &Value) {
        let line = format!("{entry}\n");
        (&*self.0)
            .write_all(line.as_bytes())
            .expect("the record can be written");
    }
}

impl Agent {
    fn serve(&mut self) {
        self.entry("start", &Value::Null);
        loop {
            let message = if self.waiting.is_empty() {
                match self.receive(None) {
                    Some(message) => message,
                    None if self.ignores_eof => {
                        std::thread::sleep(Duration::from_secs(3600));
                        continue;
                    }
                    None => return,
                }
            } else {
                self.waiting.remove(0)
            };
            let Some(method) = message["method"].as_str().map(str::to_owned) else {
                continue;
            };
            if let Some(cwd) = message["params"]["cwd"].as_str() {
                self.cwd = cwd.to_owned();
            }
            self.entry(&method, &message);
        }
    }

    /// Plays the entry for a message and answers it.
    fn entry(&mut self, method: &str, message: &Value) {
        let entries: Vec<Value> = self
            .scenario
            .iter()
            .filter(|entry| entry["on"] == method)
            .cloned()
            .collect();
        let call = self.calls.entry(method.to_owned()).or_default();
        let entry = entries
            .get((*call).min(entries.len().saturating_sub(1)))
            .cloned();
        *call += 1;
        let entry = entry.unwrap_or_default();
        if method == "initialize" {
            let speaks = |entry: &Value| entry["on"] == "wire" && entry["version"] == 2;
            self.version_2 =
                message["params"]["protocolVersion"] == 2 && self.scenario.iter().any(speaks);
        }
        if method == "session/prompt" {
            self.prompts += 1;
            if self.version_2 && entry.get("error").is_none() {
                return self.prompt_in_version_2(&entry, message);
            }
        }
        for step in entry["do"].as_array().into_iter().flatten() {
            self.step(step);
        }
        if self.version_2 && method == "session/resume" && entry.get("error").is_none() {
            if message["params"].get("replayFrom").is_some() {
                update(&json!({"sessionUpdate": "replay_complete"}));
            }
            let idle = json!({"state": "idle"});
            self.state(entry.get("state").unwrap_or(&idle));
        }
        let Some(id) = message.get("id") else { return };
        if entry["no_reply"] == true {
            return;
        }
        if let Some(error) = entry.get("error") {
            self.answer(json!({"jsonrpc": "2.0", "id": id, "error": error}));
            return;
        }
        let result = entry
            .get("reply")
            .cloned()
            .unwrap_or_else(|| default_reply(method, self.version_2));
        self.answer(json!({"jsonrpc": "2.0", "id": id, "result": result}));
        for step in entry["after"].as_array().into_iter().flatten() {
            self.step(step);
        }
    }

    fn prompt_in_version_2(&mut self, entry: &Value, message: &Value) {
        let user = format!("user-{}", self.prompts);
        let reply = json!({"messageId": user});
        let reply = entry.get("reply").unwrap_or(&reply);
        self.answer(json!({"jsonrpc": "2.0", "id": message["id"], "result": reply}));
        let prompt = &message["params"]["prompt"];
        update(&json!({"sessionUpdate": "user_message", "messageId": user, "content": prompt}));
        self.state(&json!({"state": "running"}));
        for step in entry["do"].as_array().into_iter().flatten() {
            self.step(step);
        }
        if entry["no_idle"] != true {
            let reason = entry["stop"].as_str().unwrap_or("end_turn");
            self.state(&json!({"state": "idle", "stopReason": reason}));
        }
        for step in entry["after"].as_array().into_iter().flatten() {
            self.step(step);
        }
    }

    fn state(&self, state: &Value) {
        let mut state = state.clone();
        state["sessionUpdate"] = json!("state_update");
        update(&state);
    }

    /// A piece of a message; in version 2 one with an id, the same in the whole turn.
    fn chunk(&self, kind: &str, text: &str) -> Value {
        let mut chunk = chunk(kind, text);
        if self.version_2 {
            chunk["messageId"] = json!(format!("{kind}-{}", self.prompts));
        }
        chunk
    }

    fn answer(&self, mut answer: Value) {
        self.strip(&mut answer);
        send(&answer);
    }

    fn strip(&self, message: &mut Value) {
        let is_bare = |entry: &Value| entry["on"] == "wire" && entry["bare"] == true;
        if self.scenario.iter().any(is_bare)
            && let Some(message) = message.as_object_mut()
        {
            message.remove("jsonrpc");
        }
    }

    fn step(&mut self, step: &Value) {
        let Some((name, value)) = step.as_object().and_then(|step| {
            let key = step.keys().find(|key| *key != "async")?;
            Some((key.clone(), step[key].clone()))
        }) else {
            return;
        };
        match name.as_str() {
            "text" => {
                update(&self.chunk("agent_message_chunk", value.as_str().unwrap_or_default()))
            }
            "thought" => {
                update(&self.chunk("agent_thought_chunk", value.as_str().unwrap_or_default()))
            }
            "update" => update(&self.fill(&value)),
            "request" => self.request(&value, step["async"] == true),
            "raw" => {
                let bytes = value.as_str().unwrap_or_default().as_bytes();
                if let Some(traffic) = &self.traffic {
                    bytes
                        .split(|byte| *byte == b'\n')
                        .for_each(|line| traffic.says(line));
                }
                write_raw(bytes);
            }
            "split" => self.split(&value),
            "sleep" => std::thread::sleep(milliseconds(&value)),
            "until_cancel" => {
                self.wait(milliseconds(&value), |message| {
                    message["method"] == "session/cancel"
                });
            }
            "wait_for" => {
                self.wait(Duration::from_secs(30), |message| {
                    message["method"] == value
                });
            }
            "stderr" => eprintln!("{}", value.as_str().unwrap_or_default()),
            "exit" => std::process::exit(value.as_i64().unwrap_or(0) as i32),
            "hang" => loop {
                std::thread::sleep(Duration::from_secs(3600));
            },
            "flood" => self.flood(&value),
            "tools" => tools(value.as_u64().unwrap_or(1)),
            "numbers" => {
                let bytes = value.as_u64().unwrap_or(0) as usize;
                write_raw(heavy::numbers(SESSION, bytes).as_bytes());
            }
            "diffs" => {
                let bytes = value["bytes"].as_u64().unwrap_or(0) as usize;
                for n in 0..value["count"].as_u64().unwrap_or(0) {
                    write_raw(heavy::diff(SESSION, n, bytes).as_bytes());
                }
            }
            "round" => {
                for step in heavy::round(self.prompts) {
                    self.step(&step);
                }
            }
            "big" => {
                let size = value.as_u64().unwrap_or(0) as usize;
                update(&self.chunk("agent_message_chunk", &"0123456789abcde ".repeat(size / 16)));
            }
            // A file of the project, as an agent writes it itself.
            "write" => {
                let value = self.fill(&value);
                let part = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
                std::fs::write(part("path"), part("text")).expect("the file is written");
            }
            "shell" => {
                let done = Command::new("sh")
                    .args(["-c", value.as_str().unwrap_or_default()])
                    .current_dir(&self.cwd)
                    .status();
                assert!(done.is_ok_and(|status| status.success()), "{value}");
            }
            "touch" => {
                let name = value.as_str().unwrap_or_default();
                std::fs::write(self.folder.join(name), "").expect("the file is made");
            }
            "wait_file" => {
                let path = self.folder.join(value.as_str().unwrap_or_default());
                while !path.exists() {
                    // Takes in what comes meanwhile, for LOG.
                    self.wait(Duration::from_millis(5), |_| false);
                }
            }
            "spawn" => {
                let argv: Vec<&str> = value["argv"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str)
                    .collect();
                if let [program, args @ ..] = &argv[..] {
                    let mut child = Command::new(program)
                        .args(args)
                        .spawn()
                        .expect("the child starts");
                    std::thread::spawn(move || child.wait());
                }
            }
            "ignore" => self.ignores_eof = true,
            other => panic!("unknown step {other}"),
        }
    }

    fn request(&mut self, request: &Value, detached: bool) {
        self.next_request += 1;
        let id = request
            .get("id")
            .cloned()
            .unwrap_or_else(|| json!(self.next_request));
        let mut params = self.fill(&request["params"]);
        let placed = params.get("sessionId").is_some() || params.get("requestId").is_some();
        if !placed && request["as_is"] != true {
            params["sessionId"] = json!(SESSION);
        }
        let mut message =
            json!({"jsonrpc": "2.0", "id": id, "method": request["method"], "params": params});
        self.strip(&mut message);
        if let Some(traffic) = &self.traffic {
            traffic.says(message.to_string().as_bytes());
        }
        send(&message);
        if !detached {
            let answer = self.wait(Duration::from_secs(60), |message| {
                message.get("method").is_none() && message["id"] == id
            });
            if let Some(Value::String(terminal)) =
                answer.map(|mut answer| answer["result"]["terminalId"].take())
            {
                self.terminal = terminal;
            }
        }
    }

    fn split(&self, value: &Value) {
        let mut line = self.fill(&value["message"]).to_string();
        if let Some(traffic) = &self.traffic {
            traffic.says(line.as_bytes());
        }
        line.push('\n');
        let every = value["every"].as_u64().unwrap_or(1).max(1) as usize;
        for piece in line.as_bytes().chunks(every) {
            write_raw(piece);
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn flood(&mut self, value: &Value) {
        let chunks = value["chunks"].as_u64().unwrap_or(0);
        let rate = value["rate"].as_f64();
        let kind = value["kind"].as_str().unwrap_or("text").to_owned();
        let session = value["session"].as_str().unwrap_or(SESSION);
        let start = Instant::now();
        let mut out = Vec::with_capacity(1 << 16);
        for n in 0..chunks {
            let text = match kind.as_str() {
                "markdown" => markdown_piece(n),
                kind => prose_piece(n, kind == "text"),
            };
            push_line(
                &mut out,
                &json!({
                    "jsonrpc": "2.0", "method": "session/update",
                    "params": {"sessionId": session, "update": self.chunk("agent_message_chunk", &text)},
                }),
            );
            if let Some(rate) = rate {
                write_raw(&out);
                out.clear();
                let due = Duration::from_secs_f64((n + 1) as f64 / rate);
                let cancelled = self.wait(due.saturating_sub(start.elapsed()), |m| {
                    m["method"] == "session/cancel"
                });
                if cancelled.is_some() {
                    return;
                }
            } else if out.len() > 60_000 {
                write_raw(&out);
                out.clear();
            }
        }
        write_raw(&out);
    }

    /// Receives until a message fits or the time is over; others are kept for later.
    fn wait(&mut self, time: Duration, fits: impl Fn(&Value) -> bool) -> Option<Value> {
        let deadline = Instant::now() + time;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let message = self.receive(Some(left))?;
            if fits(&message) {
                return Some(message);
            }
            self.waiting.push(message);
        }
    }

    fn receive(&mut self, time: Option<Duration>) -> Option<Value> {
        let message = match time {
            Some(time) => self.inbox.recv_timeout(time).ok()?,
            None => self.inbox.recv().ok()?,
        };
        if let Some(log) = &mut self.log {
            writeln!(log, "{message}").expect("the log can be written");
        }
        Some(message)
    }

    fn fill(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(
                text.replace("$session", SESSION)
                    .replace("$cwd", &self.cwd)
                    .replace("$terminal", &self.terminal),
            ),
            Value::Array(items) => items.iter().map(|item| self.fill(item)).collect(),
            Value::Object(members) => members
                .iter()
                .map(|(key, value)| (key.clone(), self.fill(value)))
                .collect(),
            other => other.clone(),
        }
    }
}

fn default_reply(method: &str, version_2: bool) -> Value {
    match method {
        "initialize" if version_2 => json!({
            "protocolVersion": 2,
            "info": {"name": "fake", "title": "Fake", "version": "1"},
            "capabilities": {"session": {}},
        }),
        "initialize" => json!({
            "protocolVersion": 1,
            "agentInfo": {"name": "fake", "title": "Fake", "version": "1"},
            "agentCapabilities": {},
        }),
        "session/new" => json!({"sessionId": SESSION}),
        "session/prompt" => json!({"stopReason": "end_turn"}),
        _ => json!({}),
    }
}

fn chunk(kind: &str, text: &str) -> Value {
    json!({"sessionUpdate": kind, "content": {"type": "text", "text": text}})
}

fn update(update: &Value) {
    send(&json!({
        "jsonrpc": "2.0", "method": "session/update",
        "params": {"sessionId": SESSION, "update": update},
    }));
}

fn tools(count: u64) {
    for n in 0..count {
        let id = format!("tool-{n}");
        update(&json!({
            "sessionUpdate": "tool_call", "toolCallId": id, "title": format!("read file number {n}"),
            "kind": "read", "status": "pending",
            "locations": [{"path": format!("src/file{n}.rs"), "line": n + 1}],
        }));
        let text: Vec<String> = (0..6).map(|k| format!("{k:3} let x{k} = {n};")).collect();
        update(&json!({
            "sessionUpdate": "tool_call_update", "toolCallId": id, "status": "completed",
            "content": [{"type": "content", "content": {"type": "text", "text": text.join("\n")}}],
        }));
    }
}

/// About 38 bytes; every eighth piece ends a paragraph unless it is all to be one line.
pub fn prose_piece(n: u64, paragraphs: bool) -> String {
    const WORDS: [&str; 12] = [
        "parser", "reads", "tokens", "while", "buffers", "grow", "and", "every", "chunk", "lands",
        "in", "order",
    ];
    let mut text = String::new();
    while text.len() < 34 {
        text.push_str(WORDS[(n as usize * 7 + text.len()) % WORDS.len()]);
        text.push(' ');
    }
    if paragraphs && n % 8 == 7 {
        text.truncate(text.trim_end().len());
        text.push_str(".\n\n");
    }
    text
}

/// Pieces of 24 bytes of an endless markdown text.
pub fn markdown_piece(n: u64) -> String {
    const STEP: &str = "## Step: what the parser does\n\nThe **lexer** reads *one token* at a time; \
see `parse_expr`.\n\n- first, `peek()` looks ahead\n- then the table decides:\n  1. tighter binds\n  \
2. looser ends\n\n| op | prec | example |\n|:---|-----:|---------|\n| `+` | 10 | `a + b` |\n| `*` | \
20 | `a * b` |\n\n```rust\nfn parse(tokens: &[Token]) -> Expr {\n    tokens.iter().fold(Expr::new(), \
|e, t| e.push(t))\n}\n```\n\n> a quote that says little\n\n";
    let start = (n as usize * 24) % STEP.len();
    STEP.as_bytes()
        .iter()
        .cycle()
        .skip(start)
        .take(24)
        .map(|byte| char::from(*byte))
        .collect()
}

fn milliseconds(value: &Value) -> Duration {
    Duration::from_millis(value.as_u64().unwrap_or(0))
}

fn push_line(out: &mut Vec<u8>, message: &Value) {
    serde_json::to_writer(&mut *out, message).expect("memory takes it");
    out.push(b'\n');
}

fn send(message: &Value) {
    let mut line = Vec::new();
    push_line(&mut line, message);
    write_raw(&line);
}

fn write_raw(bytes: &[u8]) {
    let mut stdout = io::stdout().lock();
    // The client may be gone.
    if stdout
        .write_all(bytes)
        .and_then(|()| stdout.flush())
        .is_err()
    {
        std::process::exit(0);
    }
}
