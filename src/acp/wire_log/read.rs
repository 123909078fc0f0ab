//! A wire log (see [`write`](super::write)), read again: what both sides said, as [`crate::model`] has it.

use std::{
    collections::HashMap,
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::Path,
    time::Duration,
};

use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use super::super::{decode::Decoder, dialect::Dialects};
use crate::{
    model::{
        self, Call, CallTag, ClientCaps, ConnectionId, Dialect, ElicitationAnswer, ExitStatus,
        FromAgent, HostReply, HostRequest, MediaBlock, MessageId, ModeId, Notification, OptionId,
        OptionValue, PermissionOutcome, PromptBlock, RequestKey, STEER_METHOD, SessionId,
        SessionKey, SessionSetup, TerminalId, TerminalSnapshot, ToAgent, file_name,
    },
    rpc::{
        Protocol, call_result, decode_error,
        envelope::{self, Answers, Message, Outcome},
    },
    text::SafeText,
};

/// A line of a log: that of one message, which is bounded on the wire too.
const MAX_LINE: u64 = 128 << 20;

/// Characters of a line that are quoted where it is not understood.
const QUOTED: usize = 200;

/// One line of the log.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// Since the log was begun.
    pub at: Duration,
    pub connection: ConnectionId,
    pub words: Vec<Word>,
}

/// What one side said.
#[derive(Clone, Debug, PartialEq)]
pub enum Word {
    ToAgent(ToAgent),
    FromAgent(FromAgent),
    /// A message that this client does not send or know, by its method. The other side refused it,
    /// or nothing came of it.
    Other(String),
    /// A line that belongs to no wire log.
    Unreadable(SafeText),
}

/// Reads a log line by line.
pub struct Recording {
    lines: BufReader<File>,
    /// Read already, to see whether it explains the one before.
    ahead: Option<String>,
    number: usize,
    decoder: Decoder,
    /// What `decoder` reads.
    protocol: model::Protocol,
    connections: u32,
    /// The client's calls without an answer, by their raw id.
    calls: HashMap<String, CallTag>,
    /// The agent's.
    requests: HashMap<String, (RequestKey, HostRequest)>,
    next_request: u64,
    noise: u64,
}

#[derive(Deserialize)]
struct Entry<'a> {
    #[serde(borrow)]
    dir: std::borrow::Cow<'a, str>,
    #[serde(default)]
    t: f64,
    #[serde(borrow)]
    msg: Option<&'a RawValue>,
    raw: Option<String>,
    /// The line before, which was in a dialect, translated into v1.
    #[serde(borrow)]
    v1: Option<&'a RawValue>,
}

impl Recording {
    /// # Errors
    /// The file cannot be read.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self {
            lines: BufReader::new(File::open(path)?),
            ahead: None,
            number: 0,
            decoder: decoder(model::Protocol::V1),
            protocol: model::Protocol::V1,
            connections: 0,
            calls: HashMap::new(),
            requests: HashMap::new(),
            next_request: 0,
            noise: 0,
        })
    }

    /// What the connection of the last line was asked to speak.
    pub fn protocol(&self) -> model::Protocol {
        self.protocol
    }

    /// The next line; `None` at the end.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn next_line(&mut self) -> io::Result<Option<Recorded>> {
        let Some(line) = self.take_line()? else {
            return Ok(None);
        };
        self.number += 1;
        self.ahead = self.take_line()?;
        // A message in a dialect is followed by its translation into v1.
        let plain = self.ahead.take_if(|ahead| {
            serde_json::from_str::<Entry<'_>>(ahead).is_ok_and(|entry| entry.v1.is_some())
        });
        let recorded = self.line(plain.as_deref().unwrap_or(&line));
        self.number += usize::from(plain.is_some());
        Ok(Some(recorded))
    }

    fn take_line(&mut self) -> io::Result<Option<String>> {
        if let Some(line) = self.ahead.take() {
            return Ok(Some(line));
        }
        loop {
            let mut line = Vec::new();
            let mut bounded = (&mut self.lines).take(MAX_LINE);
            if bounded.read_until(b'\n', &mut line)? == 0 {
                return Ok(None);
            }
            let line = String::from_utf8_lossy(&line);
            let line = line.trim();
            if !line.is_empty() {
                return Ok(Some(line.to_owned()));
            }
        }
    }

    fn line(&mut self, line: &str) -> Recorded {
        let entry = serde_json::from_str::<Entry<'_>>(line).ok();
        let known =
            entry.filter(|entry| entry.msg.is_some() || entry.raw.is_some() || entry.v1.is_some());
        let (at, words) = match &known {
            None => (0.0, vec![self.unreadable(line)]),
            Some(entry) => (
                entry.t,
                match (&*entry.dir, entry.msg.or(entry.v1), &entry.raw) {
                    ("c2a", Some(message), _) => self.said_by_client(message.get()),
                    ("a2c", Some(message), _) => self.said_by_agent(message.get()),
                    ("a2c", None, Some(raw)) => vec![self.noise(raw)],
                    ("c2a", None, Some(_)) => Vec::new(),
                    _ => vec![self.unreadable(line)],
                },
            ),
        };
        Recorded {
            at: Duration::try_from_secs_f64(at).unwrap_or_default(),
            connection: ConnectionId(self.connections.max(1)),
            words,
        }
    }

    fn unreadable(&self, line: &str) -> Word {
        let quoted: String = line.chars().take(QUOTED).collect();
        Word::Unreadable(SafeText::line(&format!("line {}: {quoted}", self.number)))
    }

    fn noise(&mut self, raw: &str) -> Word {
        self.noise += 1;
        let quoted: String = raw.chars().take(QUOTED).collect();
        Word::FromAgent(FromAgent::Noise {
            what: SafeText::line(&quoted),
            bytes: raw.len(),
            count: self.noise,
        })
    }

    fn said_by_agent(&mut self, message: &str) -> Vec<Word> {
        match envelope::parse(message, self.decoder.answers()) {
            Message::Notification { method, params, .. } if method == "$/cancel_request" => {
                let params = value(params);
                let id = params.get("requestId").map(ToString::to_string);
                let key = id.and_then(|id| Some(self.requests.get(&id)?.0));
                key.map(|key| Word::FromAgent(FromAgent::CancelRequest { key }))
                    .into_iter()
                    .collect()
            }
            Message::Notification { method, params, .. } => {
                let mut said = Vec::new();
                self.decoder.notification(&method, params, &mut said);
                if said.is_empty() {
                    return vec![Word::Other(method.into_owned())];
                }
                said.into_iter().map(Word::FromAgent).collect()
            }
            Message::Request {
                id, method, params, ..
            } => {
                self.next_request += 1;
                let key = RequestKey {
                    connection: ConnectionId(self.connections.max(1)),
                    number: self.next_request,
                };
                match self.decoder.request(key, &method, params) {
                    Ok(word) => {
                        if let FromAgent::Request { request, .. } = &word {
                            let request = (key, request.clone());
                            self.requests.insert(id.get().to_owned(), request);
                        }
                        vec![Word::FromAgent(word)]
                    }
                    Err(_) => vec![Word::Other(method.into_owned())],
                }
            }
            Message::Response { id, outcome } => {
                let call = match id {
                    Some(id) => self.calls.remove(id.get()),
                    // D-04: the only one that is open.
                    None if self.calls.len() == 1 => {
                        self.calls.drain().next().map(|(_, call)| call)
                    }
                    None => None,
                };
                let Some(call) = call else {
                    return Vec::new();
                };
                let result = call_result(&mut self.decoder, &call, &outcome);
                let caller = SessionKey::default();
                vec![Word::FromAgent(FromAgent::Reply {
                    caller,
                    call,
                    result,
                })]
            }
            Message::Invalid { .. } | Message::Noise => vec![self.noise(message)],
        }
    }

    fn said_by_client(&mut self, message: &str) -> Vec<Word> {
        match envelope::parse(message, Answers::Bare) {
            Message::Notification { method, params, .. } => {
                match (&*method, session(&value(params))) {
                    ("session/cancel", Some(session)) => {
                        vec![Word::ToAgent(ToAgent::Notify(Notification::Cancel {
                            session,
                        }))]
                    }
                    _ => vec![Word::Other(method.into_owned())],
                }
            }
            Message::Request {
                id, method, params, ..
            } => {
                if method == "initialize" {
                    // Another process, or another client's log behind this one's.
                    self.connections += 1;
                    self.calls.clear();
                    self.requests.clear();
                    self.protocol = match value(params).get("protocolVersion") {
                        Some(version) if *version == 2 => model::Protocol::V2,
                        _ => model::Protocol::V1,
                    };
                    self.decoder = decoder(self.protocol);
                }
                let Some(call) = call(&method, &value(params)) else {
                    return vec![Word::Other(method.into_owned())];
                };
                self.calls.insert(id.get().to_owned(), call.tag());
                vec![Word::ToAgent(ToAgent::Call(call))]
            }
            Message::Response { id, outcome } => {
                let request = id.and_then(|id| self.requests.remove(id.get()));
                let Some((key, request)) = request else {
                    return Vec::new();
                };
                let reply = match outcome {
                    Outcome::Result(result) => reply(&request, &value(result)),
                    Outcome::Error(error) => HostReply::Error(decode_error(error)),
                    Outcome::Unclear => return Vec::new(),
                };
                vec![Word::ToAgent(ToAgent::Reply { key, reply })]
            }
            Message::Invalid { .. } | Message::Noise => vec![self.unreadable(message)],
        }
    }
}

/// Whatever the client of the log offered: what it answered is in there.
fn decoder(protocol: model::Protocol) -> Decoder {
    let dialects = Dialects::new(Dialect::default());
    Decoder::new(ClientCaps::default(), dialects).with_protocol(protocol)
}

fn value(json: &str) -> Value {
    serde_json::from_str(json).unwrap_or_default()
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}

fn session(params: &Value) -> Option<SessionId> {
    text(params, "sessionId").map(SessionId::new)
}

/// A call of the client; `None` for methods that this one does not have.
fn call(method: &str, params: &Value) -> Option<Call> {
    let setup = || SessionSetup {
        cwd: text(params, "cwd").unwrap_or_default().into(),
        additional_directories: Vec::new(),
        mcp_servers: Vec::new(),
        system_prompt: None,
        no_suggestions: false,
    };
    Some(match method {
        "initialize" => Call::Initialize {
            caps: ClientCaps::default(),
        },
        "authenticate" | "auth/login" => Call::Authenticate {
            method: text(params, "methodId")?.to_owned(),
        },
        "session/new" => Call::NewSession(setup()),
        "session/load" => Call::LoadSession {
            id: session(params)?,
            setup: setup(),
        },
        // V2-SES-02
        "session/resume" if params.get("replayFrom").is_some_and(Value::is_object) => {
            Call::LoadSession {
                id: session(params)?,
                setup: setup(),
            }
        }
        "session/resume" => Call::ResumeSession {
            id: session(params)?,
            setup: setup(),
        },
        "session/fork" => Call::ForkSession {
            id: session(params)?,
            at: params
                .pointer("/_meta/jetbrains/air/fork/messageId")
                .and_then(Value::as_str)
                .map(MessageId::new),
            setup: setup(),
        },
        "session/set_title" => Call::SetTitle {
            session: session(params)?,
            title: text(params, "title")?.to_owned(),
        },
        "session/close" => Call::CloseSession {
            id: session(params)?,
        },
        "session/prompt" => Call::Prompt {
            session: session(params)?,
            blocks: blocks(params)?,
        },
        STEER_METHOD => Call::Steer {
            session: session(params)?,
            number: 0,
            blocks: blocks(params)?,
        },
        "session/set_mode" => Call::SetMode {
            session: session(params)?,
            mode: ModeId::new(text(params, "modeId")?),
        },
        "session/set_config_option" => Call::SetConfigOption {
            session: session(params)?,
            option: text(params, "configId")?.to_owned(),
            value: match params.get("value")? {
                Value::Bool(flag) => OptionValue::Flag(*flag),
                value => OptionValue::Id(value.as_str()?.to_owned()),
            },
        },
        _ => return None,
    })
}

fn blocks(params: &Value) -> Option<Vec<PromptBlock>> {
    let blocks = params.get("prompt")?.as_array()?;
    Some(blocks.iter().map(block).collect())
}

/// A block of a prompt. Of an unknown one the type remains.
fn block(block: &Value) -> PromptBlock {
    let owned = |value: Option<&str>| value.unwrap_or_default().to_owned();
    match text(block, "type") {
        Some("text") => PromptBlock::Text(owned(text(block, "text"))),
        Some("resource_link") => PromptBlock::ResourceLink {
            uri: owned(text(block, "uri")),
            name: owned(text(block, "name")),
            size: block.get("size").and_then(Value::as_u64),
        },
        Some("resource") => {
            let resource = block.get("resource").unwrap_or(&Value::Null);
            PromptBlock::Resource {
                uri: owned(text(resource, "uri")),
                text: owned(text(resource, "text")),
            }
        }
        Some(kind @ ("image" | "audio")) => {
            // Only shown, never sent: of its data the size is enough.
            let data = text(block, "data").unwrap_or_default();
            let name = text(block, "uri").map(file_name);
            let name = name.unwrap_or_else(|| owned(text(block, "mimeType")));
            let media = MediaBlock {
                data: "".into(),
                mime_type: owned(text(block, "mimeType")),
                uri: owned(text(block, "uri")),
                passing: text(block, "uri").is_none(),
                written: format!("[{kind}: {name}]"),
                name,
                size: data.len() as u64 / 4 * 3,
            };
            match kind {
                "image" => PromptBlock::Image(media),
                _ => PromptBlock::Audio(media),
            }
        }
        kind => PromptBlock::Text(format!("[{}]", kind.unwrap_or("?"))),
    }
}

/// The client's answer to a request.
fn reply(request: &HostRequest, result: &Value) -> HostReply {
    match request {
        HostRequest::Permission(_) => {
            let outcome = result.get("outcome").unwrap_or(&Value::Null);
            HostReply::Permission(match text(outcome, "optionId") {
                Some(option) => PermissionOutcome::Selected(OptionId::new(option)),
                None => PermissionOutcome::Cancelled,
            })
        }
        HostRequest::ReadTextFile(_) => {
            HostReply::Content(text(result, "content").unwrap_or_default().to_owned())
        }
        HostRequest::TerminalCreate(_) => {
            let id = text(result, "terminalId").unwrap_or_default();
            HostReply::TerminalCreated(TerminalId::new(id))
        }
        HostRequest::TerminalOutput(_) => HostReply::TerminalOutput(TerminalSnapshot {
            output: text(result, "output").unwrap_or_default().to_owned(),
            truncated: result.get("truncated").and_then(Value::as_bool) == Some(true),
            exit: result
                .get("exitStatus")
                .filter(|status| status.is_object())
                .map(exit),
        }),
        HostRequest::TerminalWaitForExit(_) => HostReply::TerminalExit(exit(result)),
        // What was filled in is masked in the log, if it is there at all.
        HostRequest::Elicitation(_) => HostReply::Elicitation(match text(result, "action") {
            Some("accept") => ElicitationAnswer::Accept(None),
            Some("decline") => ElicitationAnswer::Decline,
            _ => ElicitationAnswer::Cancel,
        }),
        HostRequest::DrainQueue { .. } => {
            let messages = result.get("messages").and_then(Value::as_array);
            let texts = messages.into_iter().flatten().filter_map(Value::as_str);
            HostReply::QueueDrained {
                messages: texts.map(str::to_owned).collect(),
                waits: result.get("hasQueuedPrompt").and_then(Value::as_bool) == Some(true),
            }
        }
        HostRequest::WriteTextFile(_)
        | HostRequest::Look(_)
        | HostRequest::TerminalKill(_)
        | HostRequest::TerminalRelease(_) => HostReply::Done,
    }
}

fn exit(status: &Value) -> ExitStatus {
    ExitStatus {
        code: status.get("exitCode").and_then(Value::as_i64),
        signal: text(status, "signal").map(str::to_owned),
    }
}
