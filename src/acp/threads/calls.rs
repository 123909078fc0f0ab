//! Our v1 calls as calls of the thread protocol, and what their answers mean.

use serde_json::{Value, json};

use super::{Out, Threads, error, failure, not_found, result, update};
use crate::model::{code, path_of_uri};

/// A call of the agent that is open.
pub struct Pending {
    asked: Asked,
    /// Of our v1 call.
    id: Value,
    thread: String,
}

#[derive(Clone, Copy)]
enum Asked {
    New,
    /// The entries of the thread are still to be asked for (D-33, D-34).
    Load,
    Entries,
    Resume,
    List,
    Prompt,
}

impl Threads {
    pub(super) fn call(&mut self, id: &Value, method: &str, params: &Value, out: &mut Out) {
        let thread = params["sessionId"].as_str().unwrap_or_default().to_owned();
        let named = json!({ "threadId": thread });
        let (theirs, asked, params) = match method {
            "initialize" => return out.to_client.push(result(id, initialized())),
            // D-32
            "session/new" => ("createThread", Asked::New, Value::Null),
            // D-33
            "session/load" => ("openThread", Asked::Load, named),
            "session/resume" => {
                self.store.open(&thread);
                ("openThread", Asked::Resume, named)
            }
            // D-31
            "session/list" => ("getThreads", Asked::List, Value::Null),
            // D-35
            "session/prompt" => {
                let text = prompt_text(&params["prompt"]);
                self.store.prompt(&thread, id.clone(), &text);
                let chunks = json!([{ "type": "text", "chunk": text }]);
                let message = json!({ "role": "user", "chunks": chunks });
                let params = json!({ "threadId": thread, "message": message });
                ("sendMessage", Asked::Prompt, params)
            }
            method => return out.to_client.push(failure(id, &not_found(method))),
        };
        let id = id.clone();
        self.ask_agent(theirs, params, Pending { asked, id, thread }, out);
    }

    pub(super) fn answered(
        &mut self,
        pending: Pending,
        answer: Result<Value, Value>,
        out: &mut Out,
    ) {
        let Pending { asked, id, thread } = pending;
        let answer = match (asked, answer) {
            (Asked::Prompt, Err(error)) => {
                let prompt = self.store.give_up(&thread);
                out.to_client.extend(prompt.map(|id| failure(&id, &error)));
                return;
            }
            (_, Err(error)) => return out.to_client.push(failure(&id, &error)),
            (_, Ok(answer)) => answer,
        };
        let answer = match asked {
            Asked::New => match answer["threadId"].as_str() {
                Some(thread) => {
                    self.store.open(thread);
                    json!({ "sessionId": thread })
                }
                None => {
                    let why = "the agent created a thread without an id";
                    let error = error(code::INTERNAL, why);
                    return out.to_client.push(failure(&id, &error));
                }
            },
            Asked::Load => {
                self.store.open(&thread);
                let named = json!({ "threadId": thread });
                let asked = Asked::Entries;
                let pending = Pending { asked, id, thread };
                return self.ask_agent("getThreadEntries", named, pending, out);
            }
            Asked::Entries => {
                let entries = answer["entries"].as_array().into_iter().flatten();
                for (at, entry) in entries.enumerate() {
                    let told = entry_updates(at, entry).into_iter();
                    out.to_client
                        .extend(told.map(|told| update(&thread, &told)));
                }
                json!({})
            }
            Asked::Resume => json!({}),
            Asked::List => listed(&answer, &self.cwd),
            Asked::Prompt => {
                self.store.answered(&thread);
                return self.end_turn(&thread, false, out);
            }
        };
        out.to_client.push(result(&id, answer));
    }

    /// The turn's end: the answer to the prompt, or `endTurn` where the agent uses that, whichever
    /// comes last (D-35). Where it was answered at once, and is not ended by name, the agent's silence
    /// is the end.
    pub(super) fn end_turn(&mut self, thread: &str, quiet: bool, out: &mut Out) {
        if let Some((id, cancelled)) = self.store.ended(thread, self.ends_turns, quiet) {
            let reason = if cancelled { "cancelled" } else { "end_turn" };
            out.to_client
                .push(result(&id, json!({ "stopReason": reason })));
        }
    }
}

/// What a client of threads can do with such an agent.
fn initialized() -> Value {
    json!({
        "protocolVersion": 1,
        "agentCapabilities": {
            "loadSession": true,
            "promptCapabilities": { "embeddedContext": true },
            "sessionCapabilities": { "list": {}, "resume": {} },
        },
    })
}

/// Only text is sent: a file that is mentioned as its path, one that is enclosed quoted.
fn prompt_text(blocks: &Value) -> String {
    let texts = blocks.as_array().into_iter().flatten().map(|block| {
        let path = |uri: &Value| path_of_uri(uri.as_str().unwrap_or_default());
        match block["type"].as_str() {
            Some("resource_link") => path(&block["uri"]),
            Some("resource") => {
                let contents = &block["resource"];
                let text = contents["text"].as_str().unwrap_or_default();
                format!("\n{}:\n```\n{text}\n```\n", path(&contents["uri"]))
            }
            _ => block["text"].as_str().unwrap_or_default().to_owned(),
        }
    });
    texts.collect()
}

/// D-31: each as one of the session list.
fn listed(answer: &Value, cwd: &str) -> Value {
    let threads = answer["threads"].as_array().into_iter().flatten();
    let sessions: Vec<Value> = threads
        .filter_map(|thread| {
            let id = thread["id"].as_str()?;
            Some(json!({
                "sessionId": id,
                // Not on the wire.
                "cwd": cwd,
                "title": thread["title"],
                "updatedAt": thread["modifiedAt"],
            }))
        })
        .collect();
    json!({ "sessions": sessions })
}

/// D-34: what was said, and files that were read.
fn entry_updates(at: usize, entry: &Value) -> Vec<Value> {
    if entry["type"] == "readFile" {
        let path = entry["path"].as_str().unwrap_or_default();
        let content = entry["content"].as_str().unwrap_or_default();
        return vec![json!({
            "sessionUpdate": "tool_call",
            "toolCallId": format!("acp-tui:entry-{at}"),
            "title": format!("Read {path}"),
            "kind": "read",
            "status": "completed",
            "locations": [{ "path": path }],
            "content": [{ "type": "content", "content": { "type": "text", "text": content } }],
        })];
    }
    // The prototype nested it.
    let message = match &entry["message"] {
        Value::Object(_) => &entry["message"],
        _ => entry,
    };
    let tag = if message["role"] == "user" {
        "user_message_chunk"
    } else {
        "agent_message_chunk"
    };
    let chunks = message["chunks"].as_array().into_iter().flatten();
    chunks
        .map(|chunk| json!({ "sessionUpdate": tag, "content": block_of(chunk) }))
        .collect()
}

/// A chunk as a block; one of an unknown type stays what it is, and becomes a placeholder.
pub fn block_of(chunk: &Value) -> Value {
    match (chunk["type"].as_str(), chunk["chunk"].as_str()) {
        (Some("text"), Some(text)) => json!({ "type": "text", "text": text }),
        _ => chunk.clone(),
    }
}
