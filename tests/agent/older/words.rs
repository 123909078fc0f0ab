//! What each description has: what it takes, and how it says what an agent does.

use serde_json::{Value, json};

use super::{Refusal, has, members, text};

/// One of the four descriptions of JSON-RPC.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// `000.txt`
    Banjo,
    /// `001.txt`
    Opencode,
    /// `002.txt`
    Claude,
    /// `003.txt`
    Summary,
}

pub fn named(name: &str) -> Words {
    match name {
        "banjo" => Words::Banjo,
        "opencode" => Words::Opencode,
        "claude" => Words::Claude,
        "summary" => Words::Summary,
        name => panic!("no description {name}"),
    }
}

impl Words {
    /// The methods that the client may call.
    pub fn methods(self) -> &'static [&'static str] {
        match self {
            Self::Banjo => &[
                "initialize",
                "authenticate",
                "session/new",
                "session/prompt",
                "session/cancel",
                "session/set_mode",
                "unstable_resumeSession",
            ],
            Self::Opencode => &[
                "initialize",
                "session/new",
                "session/load",
                "session/prompt",
                "session/cancel",
                "session/set_mode",
                "session/set_model",
            ],
            Self::Claude => &[
                "initialize",
                "session/new",
                "session/prompt",
                "session/cancel",
            ],
            Self::Summary => &[
                "initialize",
                "authenticate",
                "session/new",
                "session/load",
                "session/prompt",
                "session/cancel",
            ],
        }
    }

    pub fn client_method(self, method: &str) -> &str {
        match (self, method) {
            (Self::Banjo, "fs/read_text_file") => "fs/readTextFile",
            (Self::Banjo, "fs/write_text_file") => "fs/writeTextFile",
            (Self::Banjo, "terminal/wait_for_exit") => "terminal/waitForExit",
            _ => method,
        }
    }

    pub fn has_terminals(self) -> bool {
        // The summary's client capabilities are `fs` alone.
        self != Self::Summary
    }

    /// Its own examples leave `jsonrpc` out of requests and answers.
    pub fn is_bare(self) -> bool {
        self == Self::Claude
    }

    /// Whether what it sends names its session.
    pub fn names_session(self) -> bool {
        self != Self::Claude
    }

    /// Where files are: some write paths as the person would.
    pub fn path(self, cwd: &str, name: &str) -> String {
        match self {
            Self::Opencode => name.to_owned(),
            _ => format!("{cwd}/{name}"),
        }
    }

    pub fn initialize(self, params: &Value) -> Result<Value, Refusal> {
        let version = &params["protocolVersion"];
        let takes = match self {
            Self::Claude if !version.is_string() => {
                return Err(Refusal::params(
                    "protocolVersion: expected a string, received a number",
                ));
            }
            Self::Claude => version == "0.12.0",
            _ => version == 1,
        };
        if !takes && self == Self::Banjo {
            return Err(Refusal::new(-32001, "Unsupported protocol version"));
        }
        if !takes {
            return Err(Refusal::params("protocolVersion: not one that is known"));
        }
        has("clientCapabilities", &params["clientCapabilities"], &["fs"])?;
        let fs = &params["clientCapabilities"]["fs"];
        for key in ["readTextFile", "writeTextFile"] {
            if !fs[key].is_boolean() {
                return Err(Refusal::params(format!("{key}: expected a boolean")));
            }
        }
        Ok(match self {
            Self::Banjo => json!({
                "protocolVersion": 1,
                "agentInfo": {"name": "banjo", "version": "0.1.0"},
                "agentCapabilities": {},
                "authMethods": [],
            }),
            Self::Opencode => json!({
                "protocolVersion": 1,
                "agentCapabilities": {
                    "loadSession": true,
                    "mcpCapabilities": {"http": true, "sse": true},
                    "promptCapabilities": {"embeddedContext": true, "image": true},
                },
                "agentInfo": {"name": "opencode", "version": "0.1.0"},
                "authMethods": [{
                    "id": "opencode-login",
                    "name": "Login with opencode",
                    "description": "Run `opencode auth login` in the terminal",
                }],
            }),
            Self::Claude => json!({"protocolVersion": "0.12.0", "agentCapabilities": {}}),
            Self::Summary => json!({
                "protocolVersion": 1,
                "agentCapabilities": {
                    "loadSession": true,
                    "promptCapabilities": {"image": false, "audio": false, "embeddedContext": true},
                },
            }),
        })
    }

    /// `plain`: servers without their union's name, the environment as an object.
    pub fn session(self, params: &Value, again: bool, plain: bool) -> Result<(), Refusal> {
        let id: &[&str] = if again { &["sessionId"] } else { &[] };
        let required = [id, &["cwd", "mcpServers"]].concat();
        match self {
            Self::Banjo => has("session", params, &required)?,
            _ => members("session", params, &required, &[])?,
        }
        let cwd = text("cwd", &params["cwd"])?;
        if !cwd.starts_with('/') {
            return Err(Refusal::params("cwd: expected an absolute path"));
        }
        let Some(servers) = params["mcpServers"].as_array() else {
            return Err(Refusal::params("mcpServers: expected an array"));
        };
        for server in servers {
            self.mcp_server(server, plain)?;
        }
        Ok(())
    }

    fn mcp_server(self, server: &Value, plain: bool) -> Result<(), Refusal> {
        let texts = |what: &str, value: &Value| {
            let all = value
                .as_array()
                .is_some_and(|list| list.iter().all(Value::is_string));
            if all {
                Ok(())
            } else {
                Err(Refusal::params(format!("{what}: expected strings")))
            }
        };
        let pairs = |value: &Value| {
            let all = value
                .as_array()
                .is_some_and(|list| list.iter().all(|pair| pair["name"].is_string()));
            if all {
                Ok(())
            } else {
                Err(Refusal::params("env: expected an array"))
            }
        };
        match self {
            Self::Banjo => {
                let server = if plain { server } else { &server["stdio"] };
                has("mcpServers[0]", server, &["name", "command"])?;
                text("command", &server["command"])?;
                texts("args", &server["args"])?;
                if !server["env"].is_object() && !server["env"].is_null() {
                    return Err(Refusal::params("env: expected an object"));
                }
            }
            Self::Opencode => {
                let keys = ["name", "type", "command", "args", "env"];
                members("mcpServers[0]", server, &keys, &[])?;
                texts("command", &server["command"])?;
                if server["type"] != "local" {
                    return Err(Refusal::params("type: expected \"local\""));
                }
            }
            Self::Claude | Self::Summary => {
                let keys = ["name", "command", "args", "env"];
                members("mcpServers[0]", server, &keys, &[])?;
                text("command", &server["command"])?;
                texts("args", &server["args"])?;
                pairs(&server["env"])?;
            }
        }
        Ok(())
    }

    /// What a new session's answer has besides its id.
    pub fn opened(self) -> Value {
        match self {
            Self::Opencode => json!({
                "models": {
                    "currentModelId": "anthropic/claude-3-5-sonnet-20241022",
                    "availableModels": [
                        {"modelId": "anthropic/claude-3-5-sonnet-20241022", "name": "Claude 3.5 Sonnet"},
                        {"modelId": "openai/gpt-4", "name": "GPT-4"},
                    ],
                },
                "modes": {
                    "availableModes": [
                        {"id": "build", "name": "Build", "description": "General purpose coding assistant"},
                        {"id": "architect", "name": "Architect"},
                    ],
                    "currentModeId": "build",
                },
            }),
            _ => json!({}),
        }
    }

    /// A mode's id, where the agent has it.
    pub fn mode(self, params: &Value) -> Result<String, Refusal> {
        let (key, modes): (&str, &[&str]) = match self {
            Self::Banjo => (
                "mode",
                &[
                    "default",
                    "acceptEdits",
                    "bypassPermissions",
                    "dontAsk",
                    "plan",
                ],
            ),
            _ => ("modeId", &["build", "architect"]),
        };
        match self {
            Self::Banjo => has("set_mode", params, &["sessionId", key])?,
            _ => members("set_mode", params, &["sessionId", key], &[])?,
        }
        let mode = text(key, &params[key])?;
        if !modes.contains(&mode) {
            return Err(Refusal::params(format!("no mode {mode}")));
        }
        Ok(mode.to_owned())
    }

    /// What a prompt says, in short: its texts, and the other blocks' types.
    pub fn prompt(self, blocks: &Value) -> Result<String, Refusal> {
        let Some(blocks) = blocks.as_array().filter(|blocks| !blocks.is_empty()) else {
            return Err(Refusal::params("prompt: expected blocks"));
        };
        let mut said = Vec::new();
        for block in blocks {
            let kind = text("type", &block["type"])?;
            let unknown = || Refusal::params(format!("prompt: unknown content type `{kind}`"));
            match (kind, self) {
                ("text", _) => {
                    members("text", block, &["type", "text"], &["annotations"])?;
                    said.push(text("text", &block["text"])?.trim().to_owned());
                    continue;
                }
                ("image", Self::Banjo | Self::Opencode) => {
                    let keys = ["type", "data", "mimeType"];
                    members("image", block, &keys, &["uri", "annotations"])?;
                }
                ("context", Self::Banjo) => {
                    members("context", block, &["type"], &["uri", "text", "mimeType"])?;
                    text("context", &block["text"])?;
                }
                ("resource", Self::Opencode | Self::Summary) => {
                    members("resource", block, &["type", "resource"], &["annotations"])?;
                    let keys = ["uri", "text"];
                    members("resource", &block["resource"], &keys, &["mimeType"])?;
                }
                ("resource_link", Self::Summary) => {
                    let others = ["mimeType", "title", "description", "size", "annotations"];
                    members("resource_link", block, &["type", "uri", "name"], &others)?;
                }
                _ => return Err(unknown()),
            }
            said.push(format!("<{kind}>"));
        }
        Ok(said.join(" "))
    }

    /// A piece of the answer. `keyed`: a union by the name of its member.
    pub fn speech(self, words: &str, keyed: bool) -> Value {
        match self {
            Self::Banjo => json!({"kind": "text", "content": words}),
            Self::Claude => json!({"type": "text", "text": words}),
            _ if keyed => {
                json!({"agent_message_chunk": {"content": {"text": {"text": words}}}})
            }
            _ => json!({"sessionUpdate": "agent_message_chunk",
                "content": {"type": "text", "text": words}}),
        }
    }

    /// A call begins.
    pub fn call(self, id: &str, title: &str, kind: &str, path: &str, keyed: bool) -> Value {
        let mut call = json!({"toolCallId": id, "title": title, "kind": kind, "status": "pending"});
        if !path.is_empty() {
            call["locations"] = json!([{"path": path}]);
        }
        match self {
            Self::Banjo => json!({"kind": "tool_use", "title": title, "toolCallId": id}),
            _ if keyed => json!({"tool_call": call}),
            _ => {
                call["sessionUpdate"] = json!("tool_call");
                call
            }
        }
    }

    /// A call ends.
    pub fn result(self, id: &str, words: &str, keyed: bool) -> Value {
        let content = json!([{"type": "content", "content": {"type": "text", "text": words}}]);
        match self {
            Self::Banjo => json!({"kind": "tool_result", "toolCallId": id, "content": words}),
            _ if keyed => json!({"tool_call_update": {"toolCallId": id, "status": "completed",
                "content": [{"content": {"content": {"text": {"text": words}}}}]}}),
            _ => json!({"sessionUpdate": "tool_call_update", "toolCallId": id,
                "status": "completed", "content": content}),
        }
    }

    /// A permission request, and its options' ids for yes and no.
    pub fn permission(self, id: &str, title: &str) -> (Value, &'static str, &'static str) {
        let call = json!({"toolCallId": id, "title": title, "status": "pending",
            "kind": "execute"});
        match self {
            Self::Claude => (
                json!({"title": title, "description": format!("Run: {title}"), "options": [
                    {"id": "allow", "label": "Allow"}, {"id": "deny", "label": "Deny"}]}),
                "allow",
                "deny",
            ),
            _ => (
                json!({"toolCall": call, "options": [
                    {"optionId": "once", "kind": "allow_once", "name": "Allow once"},
                    {"optionId": "always", "kind": "allow_always", "name": "Always allow"},
                    {"optionId": "reject", "kind": "reject_once", "name": "Reject"}]}),
                "once",
                "reject",
            ),
        }
    }

    /// The error for a session that is not there.
    pub fn no_session(self) -> Refusal {
        match self {
            Self::Opencode => Refusal {
                code: -32600,
                message: "Invalid Request".to_owned(),
                data: Some(json!({"details": "Session not found"})),
            },
            Self::Claude => Refusal::new(-32001, "Resource not found"),
            _ => Refusal::params("no such session"),
        }
    }
}
