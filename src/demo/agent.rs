//! The demo's protocol side: initialize, sessions, options, prompts.

use std::{
    cell::Cell,
    path::PathBuf,
    sync::mpsc,
    time::{SystemTime, UNIX_EPOCH},
};

use serde_json::{Value, json};

use super::{
    options::Choices,
    peer::{Message, Peer, Stopped},
    script::{Asks, Script},
    showcase,
};

pub struct Agent {
    peer: Peer,
    session: Option<Session>,
    /// What the client can ask the person.
    asks: Asks,
    /// The client shows options that are flags.
    flags: bool,
}

struct Session {
    id: String,
    /// Where the tour makes and changes files.
    scratch: PathBuf,
    choices: Choices,
    calls: Cell<u32>,
}

impl Agent {
    pub fn new(peer: Peer) -> Self {
        Self {
            peer,
            session: None,
            asks: Asks::default(),
            flags: false,
        }
    }

    pub fn serve(&mut self, inbox: &mpsc::Receiver<Message>) {
        while let Ok(message) = inbox.recv() {
            let result = self.handle(&message);
            if let Some(id) = &message.id {
                self.peer.reply(id, result);
            }
            // Comes after the answer, as with most agents: commands belong to an open session.
            if matches!(message.method.as_str(), "session/new" | "session/resume") {
                self.announce_commands();
            }
        }
    }

    fn handle(&mut self, message: &Message) -> Result<Value, Value> {
        let params = &message.params;
        match message.method.as_str() {
            "initialize" => Ok(self.initialize(params)),
            "session/new" => {
                let id = new_id();
                self.open(id.clone(), params);
                Ok(json!({"sessionId": id, "configOptions": self.options()}))
            }
            "session/resume" => {
                // It remembers nothing: any id is one of its own.
                let id = params["sessionId"].as_str().unwrap_or_default();
                self.open(id.to_owned(), params);
                Ok(json!({"configOptions": self.options()}))
            }
            "session/close" => Ok(json!({})),
            "session/set_config_option" => {
                let Some(session) = &mut self.session else {
                    return Err(error(-32002, "there is no session"));
                };
                let option = params["configId"].as_str().unwrap_or_default();
                let set = session.choices.set(option, &params["value"]);
                set.map_err(|problem| error(-32602, &problem))?;
                Ok(json!({"configOptions": self.options()}))
            }
            "session/prompt" => self.prompt(params),
            method => Err(error(-32601, &format!("the demo does not know {method}"))),
        }
    }

    fn initialize(&mut self, params: &Value) -> Value {
        let flags = "/clientCapabilities/session/configOptions/boolean";
        self.flags = params.pointer(flags).is_some_and(|flags| !flags.is_null());
        let asks = &params["clientCapabilities"]["elicitation"];
        self.asks = Asks {
            forms: asks["form"].is_object(),
            pages: asks["url"].is_object(),
        };
        json!({
            "protocolVersion": 1,
            "agentInfo": {
                "name": "acp-tui-demo",
                "title": "Demo",
                "version": env!("CARGO_PKG_VERSION"),
            },
            "agentCapabilities": {
                "promptCapabilities": {"embeddedContext": true},
                "sessionCapabilities": {"additionalDirectories": {}, "close": {}, "resume": {}},
            },
        })
    }

    fn open(&mut self, id: String, params: &Value) {
        let scratch = match params["additionalDirectories"][0].as_str() {
            Some(folder) => PathBuf::from(folder),
            None => PathBuf::from(params["cwd"].as_str().unwrap_or(".")),
        };
        self.session = Some(Session {
            id,
            scratch,
            choices: Choices::default(),
            calls: Cell::new(0),
        });
    }

    fn options(&self) -> Value {
        let choices = self.session.as_ref().map(|session| session.choices);
        choices.unwrap_or_default().list(self.flags)
    }

    fn announce_commands(&self) {
        let Some(session) = &self.session else {
            return;
        };
        let commands: Vec<Value> = showcase::COMMANDS
            .iter()
            .map(|command| {
                let mut value = json!({"name": command.name, "description": command.description});
                if let Some(hint) = command.hint {
                    value["input"] = json!({"hint": hint});
                }
                value
            })
            .collect();
        let update =
            json!({"sessionUpdate": "available_commands_update", "availableCommands": commands});
        self.peer.notify(
            "session/update",
            json!({"sessionId": session.id, "update": update}),
        );
    }

    fn prompt(&self, params: &Value) -> Result<Value, Value> {
        let Some(session) = &self.session else {
            return Err(error(-32002, "there is no session"));
        };
        let text: String = params["prompt"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|block| block["text"].as_str())
            .collect::<Vec<_>>()
            .join("\n");
        let attached: Vec<&str> = params["prompt"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|block| block["uri"].as_str().or(block["resource"]["uri"].as_str()))
            .collect();
        self.peer.begin_turn();
        let script = Script::new(
            &self.peer,
            &session.id,
            &session.scratch,
            session.choices,
            &session.calls,
            self.asks,
        );
        let reason = match showcase::answer(&script, &text, &attached) {
            Ok(()) => "end_turn",
            Err(Stopped) => "cancelled",
        };
        Ok(json!({"stopReason": reason}))
    }
}

/// Of no session before: what the client stores of one is found by its id.
fn new_id() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let millis = since.unwrap_or_default().as_millis();
    format!("demo-{millis:x}-{:x}", std::process::id())
}

fn error(code: i64, message: &str) -> Value {
    json!({"code": code, "message": message})
}
