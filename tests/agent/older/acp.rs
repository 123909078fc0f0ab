//! The four descriptions of JSON-RPC over stdio, by their words.

use serde_json::{Value, json};

use super::{Refusal, Wire, has, members, words::Words};

const SESSION: &str = "session-uuid";

struct Agent {
    wire: Wire,
    words: Words,
    cwd: String,
    initialized: bool,
    opened: bool,
    prompts: usize,
    mode: String,
    model: String,
    keyed: bool,
}

/// Serves until stdin ends.
pub fn serve(wire: Wire, words: Words) {
    let mut agent = Agent {
        // The summary's "union", read as one by the name of its member.
        keyed: wire.is("keyed"),
        wire,
        words,
        cwd: String::new(),
        initialized: false,
        opened: false,
        prompts: 0,
        mode: String::new(),
        model: String::new(),
    };
    while let Some(message) = agent.wire.next() {
        agent.message(&message);
    }
}

impl Agent {
    fn message(&mut self, message: &Value) {
        let Some(method) = message["method"].as_str() else {
            return self.wire.fault(&format!("no method: {message}"));
        };
        if message["jsonrpc"] != "2.0" {
            self.wire.fault(&format!("no jsonrpc: {message}"));
        }
        let answer = if self.words.methods().contains(&method) {
            self.call(method, &message["params"])
        } else {
            Err(Refusal::new(-32601, "Method not found"))
        };
        if let Err(refusal) = &answer {
            self.wire
                .fault(&format!("{method}: {} {}", refusal.code, refusal.message));
        }
        let Some(id) = message.get("id") else { return };
        let mut said = self.envelope();
        said["id"] = id.clone();
        match answer {
            Ok(result) => said["result"] = result,
            Err(refusal) => said["error"] = refusal.json(),
        }
        self.wire.send(&said);
    }

    fn envelope(&self) -> Value {
        if self.words.is_bare() || self.wire.is("bare") {
            json!({})
        } else {
            json!({"jsonrpc": "2.0"})
        }
    }

    fn call(&mut self, method: &str, params: &Value) -> Result<Value, Refusal> {
        if method != "initialize" && !self.initialized {
            return Err(Refusal::new(-32600, "initialize comes first"));
        }
        match method {
            "initialize" => {
                let answer = self.words.initialize(params)?;
                self.initialized = true;
                Ok(answer)
            }
            "session/new" | "session/load" | "unstable_resumeSession" => self.open(method, params),
            "session/prompt" => {
                members("prompt", params, &["sessionId", "prompt"], &["_meta"])?;
                self.is_open(params)?;
                let said = self.words.prompt(&params["prompt"])?;
                self.turn(&said);
                let mut result = json!({"stopReason": "end_turn"});
                if self.words == Words::Claude {
                    result["sessionId"] = json!(SESSION);
                }
                Ok(result)
            }
            "session/set_mode" => {
                self.is_open(params)?;
                self.mode = self.words.mode(params)?;
                Ok(json!({}))
            }
            "session/set_model" => {
                members("set_model", params, &["sessionId", "modelId"], &[])?;
                self.is_open(params)?;
                self.model = params["modelId"].as_str().unwrap_or_default().to_owned();
                Ok(json!({}))
            }
            // It comes between turns here.
            "session/cancel" => {
                members("cancel", params, &["sessionId"], &[]).map(|()| Value::Null)
            }
            _ => Err(Refusal::new(-32601, "Method not found")),
        }
    }

    fn open(&mut self, method: &str, params: &Value) -> Result<Value, Refusal> {
        let again = method != "session/new";
        // The description's struct, without the name of the union around it.
        let plain = self.wire.is("plain-mcp");
        self.words.session(params, again, plain)?;
        if self.wire.is("server-error") {
            return Err(Refusal::new(-32000, "Server error"));
        }
        if again && params["sessionId"] != SESSION {
            return Err(self.words.no_session());
        }
        self.cwd = params["cwd"].as_str().unwrap_or_default().to_owned();
        self.opened = true;
        if method == "session/load" {
            let said = json!({"sessionUpdate": "user_message_chunk",
                "content": {"type": "text", "text": "what was asked before"}});
            self.update(said);
            self.say("what was said before");
        }
        Ok(match (method, self.words) {
            ("session/load", Words::Summary) => Value::Null,
            ("session/new", words) => {
                let mut opened = words.opened();
                opened["sessionId"] = json!(SESSION);
                opened
            }
            (_, words) => words.opened(),
        })
    }

    fn is_open(&self, params: &Value) -> Result<(), Refusal> {
        has("params", params, &["sessionId"])?;
        if !self.opened || params["sessionId"] != SESSION || self.wire.is("lost-session") {
            return Err(self.words.no_session());
        }
        Ok(())
    }

    fn update(&self, update: Value) {
        let mut message = self.envelope();
        message["method"] = json!("session/update");
        message["params"] = self.named(json!({"update": update}));
        self.wire.send(&message);
    }

    fn named(&self, mut params: Value) -> Value {
        if self.words.names_session() {
            params["sessionId"] = json!(SESSION);
        }
        params
    }

    fn say(&self, words: &str) {
        self.update(self.words.speech(words, self.keyed));
    }

    fn ask(&mut self, method: &str, params: Value) -> Option<Value> {
        let params = self.named(params);
        let envelope = self.envelope();
        let method = self.words.client_method(method).to_owned();
        let answer = self.wire.ask(envelope, &method, params);
        answer
            .inspect_err(|error| self.wire.fault(&format!("{method}: {error}")))
            .ok()
    }

    fn turn(&mut self, prompt: &str) {
        self.prompts += 1;
        if self.prompts > 1 {
            let (mode, model) = (&self.mode, &self.model);
            return self.say(&format!("again: {prompt} [{mode}] [{model}]\n\n"));
        }
        self.say("let me see\n\n");
        self.files();
        if self.words.has_terminals() {
            self.command();
        }
        for (id, what) in [("ask-1", "npm install"), ("ask-2", "npm publish")] {
            self.permission(id, what);
        }
        self.say("all done\n\n");
    }

    fn files(&mut self) {
        let (read, write) = (
            self.words.path(&self.cwd, "notes.txt"),
            self.words.path(&self.cwd, "out.txt"),
        );
        let call = self
            .words
            .call("read-1", "Read the notes", "read", &read, self.keyed);
        self.update(call);
        let mut params = json!({"path": read});
        if self.words == Words::Opencode {
            params["line"] = Value::Null;
            params["limit"] = Value::Null;
        }
        let answer = self.ask("fs/read_text_file", params).unwrap_or_default();
        let content = answer["content"].as_str().unwrap_or("nothing").trim();
        self.update(self.words.result("read-1", content, self.keyed));
        self.say(&format!("it reads: {content}\n\n"));
        let params = json!({"path": write, "content": "written\n"});
        match self.ask("fs/write_text_file", params) {
            // "Response null": an object without members says no more.
            Some(Value::Null) => {}
            Some(Value::Object(members)) if members.is_empty() => {}
            other => self.wire.fault(&format!("an answer to a write: {other:?}")),
        }
    }

    fn command(&mut self) {
        let params = json!({"command": "/bin/sh", "args": ["-c", "printf from-command"]});
        let created = self.ask("terminal/create", params).unwrap_or_default();
        let id = json!({"terminalId": created["terminalId"]});
        self.ask("terminal/wait_for_exit", id.clone());
        let output = self.ask("terminal/output", id.clone()).unwrap_or_default();
        let printed = output["output"].as_str().unwrap_or("nothing");
        self.say(&format!("it printed: {printed}\n\n"));
        self.ask("terminal/release", id);
    }

    fn permission(&mut self, id: &str, what: &str) {
        let (params, yes, no) = self.words.permission(id, what);
        let answer = self.ask("session/request_permission", params);
        let answer = answer.unwrap_or_default();
        let outcome = &answer["outcome"];
        let came = match outcome["optionId"].as_str() {
            Some("always") => "allowed for ever",
            Some(option) if option == yes => "allowed",
            Some(option) if option == no => "refused",
            None if outcome["outcome"] == "cancelled" => "cancelled",
            _ => {
                self.wire
                    .fault(&format!("an answer to a question: {answer}"));
                "not answered"
            }
        };
        if outcome["optionId"].is_string() && outcome["outcome"] != "selected" {
            self.wire
                .fault(&format!("an answer to a question: {answer}"));
        }
        self.say(&format!("{what} was {came}\n\n"));
    }
}
