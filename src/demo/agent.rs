//! The demo's protocol side: initialize, sessions, options, prompts.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
        mpsc,
    },
    time::{SystemTime, UNIX_EPOCH},
};

use serde_json::{Value, json};

use super::{
    options::Choices,
    peer::{Message, Peer, Stopped},
    script::{Offers, Script},
    showcase,
};

pub struct Agent {
    peer: Peer,
    sessions: HashMap<String, Arc<Session>>,
    offers: Offers,
    /// The client shows options that are flags.
    flags: bool,
}

struct Session {
    id: String,
    /// Where the tour makes and changes files.
    scratch: PathBuf,
    /// Its own, of the project.
    cwd: PathBuf,
    choices: Mutex<Choices>,
    calls: AtomicU32,
}

impl Session {
    fn choices(&self) -> Choices {
        *self.choices.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Agent {
    pub fn new(peer: Peer) -> Self {
        Self {
            peer,
            sessions: HashMap::new(),
            offers: Offers::default(),
            flags: false,
        }
    }

    /// Turns run in parallel: each has a thread, which answers when it is over.
    pub fn serve(&mut self, inbox: &mpsc::Receiver<Message>) {
        while let Ok(message) = inbox.recv() {
            if message.method == "session/prompt" {
                self.prompt(message);
                continue;
            }
            let result = self.handle(&message);
            let opens = matches!(
                message.method.as_str(),
                "session/new" | "session/resume" | "session/fork"
            );
            let opened = result.as_ref().ok().filter(|_| opens);
            let id = opened.map(|result| {
                let named = result["sessionId"].as_str();
                let id = named.or(message.params["sessionId"].as_str());
                id.unwrap_or_default().to_owned()
            });
            if let Some(id) = &message.id {
                self.peer.reply(id, result);
            }
            // Comes after the answer, as with most agents: commands belong to an open session.
            if let Some(id) = id {
                self.announce_commands(&id);
            }
        }
    }

    fn handle(&mut self, message: &Message) -> Result<Value, Value> {
        let params = &message.params;
        match message.method.as_str() {
            "initialize" => Ok(self.initialize(params)),
            // It remembers nothing: a fork knows as much as the session that it is of.
            "session/new" | "session/fork" => {
                let id = new_id();
                let session = self.open(id.clone(), params);
                Ok(json!({"sessionId": id, "configOptions": self.options(&session)}))
            }
            "session/resume" => {
                // It takes any id for one of its own.
                let id = params["sessionId"].as_str().unwrap_or_default();
                let session = self.open(id.to_owned(), params);
                Ok(json!({"configOptions": self.options(&session)}))
            }
            "session/close" => {
                let id = params["sessionId"].as_str().unwrap_or_default();
                self.peer.cancel(id);
                self.sessions.remove(id);
                Ok(json!({}))
            }
            "session/set_config_option" => {
                let session = self.session(params)?;
                let option = params["configId"].as_str().unwrap_or_default();
                let mut choices = session
                    .choices
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner);
                let set = choices.set(option, &params["value"]);
                drop(choices);
                set.map_err(|problem| error(-32602, &problem))?;
                Ok(json!({"configOptions": self.options(&session)}))
            }
            method => Err(error(-32601, &format!("the demo does not know {method}"))),
        }
    }

    fn session(&self, params: &Value) -> Result<Arc<Session>, Value> {
        let id = params["sessionId"].as_str().unwrap_or_default();
        let session = self.sessions.get(id).cloned();
        session.ok_or_else(|| error(-32002, "there is no such session"))
    }

    fn initialize(&mut self, params: &Value) -> Value {
        let flags = "/clientCapabilities/session/configOptions/boolean";
        self.flags = params.pointer(flags).is_some_and(|flags| !flags.is_null());
        let caps = &params["clientCapabilities"];
        self.offers = Offers {
            forms: caps["elicitation"]["form"].is_object(),
            pages: caps["elicitation"]["url"].is_object(),
            plans: caps["plan"].is_object(),
            subagents: caps["subagents"].is_object(),
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
                "sessionCapabilities": {
                    "additionalDirectories": {}, "close": {}, "fork": {}, "resume": {},
                },
            },
        })
    }

    fn open(&mut self, id: String, params: &Value) -> Arc<Session> {
        let cwd = PathBuf::from(params["cwd"].as_str().unwrap_or("."));
        let scratch = match params["additionalDirectories"][0].as_str() {
            Some(folder) => PathBuf::from(folder),
            None => cwd.clone(),
        };
        let session = Arc::new(Session {
            id: id.clone(),
            scratch,
            cwd,
            choices: Mutex::default(),
            calls: AtomicU32::new(0),
        });
        self.sessions.insert(id, session.clone());
        session
    }

    fn options(&self, session: &Session) -> Value {
        session.choices().list(self.flags)
    }

    fn announce_commands(&self, id: &str) {
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
        self.peer
            .notify("session/update", json!({"sessionId": id, "update": update}));
    }

    fn prompt(&self, message: Message) {
        let peer = self.peer.clone();
        let reply = move |result| {
            if let Some(id) = &message.id {
                peer.reply(id, result);
            }
        };
        let session = match self.session(&message.params) {
            Ok(session) => session,
            Err(error) => return reply(Err(error)),
        };
        // Before the thread is there: a cancel may come at once.
        let turn = self.peer.begin_turn(&session.id);
        let (offers, params) = (self.offers, message.params);
        std::thread::spawn(move || {
            let reason = match play(&turn, &session, offers, &params) {
                Ok(()) => "end_turn",
                Err(Stopped) => "cancelled",
            };
            turn.end_turn(&session.id);
            reply(Ok(json!({"stopReason": reason})));
        });
    }
}

fn play(turn: &Peer, session: &Session, offers: Offers, params: &Value) -> Result<(), Stopped> {
    let blocks = || params["prompt"].as_array().into_iter().flatten();
    let texts: Vec<&str> = blocks()
        .filter_map(|block| block["text"].as_str())
        .collect();
    let attached: Vec<&str> = blocks()
        .filter_map(|block| block["uri"].as_str().or(block["resource"]["uri"].as_str()))
        .collect();
    let script = Script::new(
        turn,
        &session.id,
        (&session.scratch, &session.cwd),
        session.choices(),
        &session.calls,
        offers,
    );
    showcase::answer(&script, &texts.join("\n"), &attached)
}

/// Of no session before: what the client stores of one is found by its id.
fn new_id() -> String {
    static OPENED: AtomicU32 = AtomicU32::new(0);
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let millis = since.unwrap_or_default().as_millis();
    let number = OPENED.fetch_add(1, Ordering::SeqCst);
    format!("demo-{millis:x}-{:x}-{number}", std::process::id())
}

fn error(code: i64, message: &str) -> Value {
    json!({"code": code, "message": message})
}
