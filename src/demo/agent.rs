//! The demo's protocol side: initialize, sessions, modes, prompts.

use std::{cell::Cell, path::PathBuf, sync::mpsc};

use serde_json::{Value, json};

use super::{
    peer::{Message, Peer, Stopped},
    script::{Asks, Pace, Script},
    showcase,
};

const SESSION: &str = "demo-1";

pub struct Agent {
    peer: Peer,
    session: Option<Session>,
    /// What the client can ask the person.
    asks: Asks,
}

struct Session {
    /// Where the tour makes and changes files.
    scratch: PathBuf,
    pace: Pace,
    calls: Cell<u32>,
}

impl Agent {
    pub fn new(peer: Peer) -> Self {
        Self {
            peer,
            session: None,
            asks: Asks::default(),
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
            "initialize" => {
                let offered = &params["clientCapabilities"]["elicitation"];
                self.asks = Asks {
                    forms: offered["form"].is_object(),
                    pages: offered["url"].is_object(),
                };
                Ok(json!({
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
                }))
            }
            "session/new" => {
                self.open(params);
                Ok(json!({"sessionId": SESSION, "modes": self.modes()}))
            }
            "session/resume" => {
                self.open(params);
                Ok(json!({"modes": self.modes()}))
            }
            "session/close" => Ok(json!({})),
            "session/set_mode" => {
                let mode = params["modeId"].as_str().unwrap_or_default();
                let (Some(pace), Some(session)) = (Pace::from_id(mode), &mut self.session) else {
                    return Err(error(-32602, "there is no such mode"));
                };
                session.pace = pace;
                Ok(json!({}))
            }
            "session/prompt" => self.prompt(params),
            method => Err(error(-32601, &format!("the demo does not know {method}"))),
        }
    }

    fn open(&mut self, params: &Value) {
        let scratch = match params["additionalDirectories"][0].as_str() {
            Some(folder) => PathBuf::from(folder),
            None => PathBuf::from(params["cwd"].as_str().unwrap_or(".")),
        };
        self.session = Some(Session {
            scratch,
            pace: Pace::Calm,
            calls: Cell::new(0),
        });
    }

    fn modes(&self) -> Value {
        let current = self
            .session
            .as_ref()
            .map_or(Pace::Calm, |session| session.pace);
        json!({
            "currentModeId": current.id(),
            "availableModes": Pace::ALL.map(|pace| json!({
                "id": pace.id(),
                "name": pace.name(),
                "description": pace.description(),
            })),
        })
    }

    fn announce_commands(&self) {
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
            json!({"sessionId": SESSION, "update": update}),
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
            SESSION,
            &session.scratch,
            session.pace,
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

fn error(code: i64, message: &str) -> Value {
    json!({"code": code, "message": message})
}
