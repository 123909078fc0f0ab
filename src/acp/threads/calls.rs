//! Our calls, in v1's words, as calls of the agent; and what their answers mean.

use serde_json::{Value, json};

use super::{Out, Threads, failure, not_found, result, update};
use crate::model::{code, path_of_uri};

/// A call of the agent that is open. `id` is that of our v1 call.
pub enum Pending {
    New {
        id: Value,
    },
    /// The entries of the thread are still to be asked for (D-33, D-34).
    Load {
        id: Value,
        thread: String,
    },
    Entries {
        id: Value,
        thread: String,
    },
    Resume {
        id: Value,
    },
    List {
        id: Value,
    },
    Prompt {
        thread: String,
    },
}

impl Threads {
    pub(super) fn call(&mut self, id: &Value, method: &str, params: &Value, out: &mut Out) {
        let id = id.clone();
        let thread = params["sessionId"].as_str().unwrap_or_default().to_owned();
        let named = json!({ "threadId": thread });
        match method {
            "initialize" => out.to_client.push(result(&id, initialized())),
            // D-32
            "session/new" => {
                self.ask_agent("createThread", Value::Null, Pending::New { id }, out);
            }
            // D-33
            "session/load" => {
                let pending = Pending::Load { id, thread };
                self.ask_agent("openThread", named, pending, out);
            }
            "session/resume" => {
                self.store.open(&thread);
                self.ask_agent("openThread", named, Pending::Resume { id }, out);
            }
            // D-31
            "session/list" => {
                self.ask_agent("getThreads", Value::Null, Pending::List { id }, out);
            }
            // D-35
            "session/prompt" => {
                let text = prompt_text(&params["prompt"]);
                self.store.prompt(&thread, id, &text);
                let chunks = json!([{ "type": "text", "chunk": text }]);
                let message = json!({ "role": "user", "chunks": chunks });
                let params = json!({ "threadId": thread, "message": message });
                self.ask_agent("sendMessage", params, Pending::Prompt { thread }, out);
            }
            method => out.to_client.push(failure(&id, &not_found(method))),
        }
    }

    pub(super) fn answered(
        &mut self,
        pending: Pending,
        answer: Result<Value, Value>,
        out: &mut Out,
    ) {
        match (pending, answer) {
            (Pending::New { id }, Ok(created)) => match created["threadId"].as_str() {
                Some(thread) => {
                    self.store.open(thread);
                    out.to_client
                        .push(result(&id, json!({ "sessionId": thread })));
                }
                None => {
                    let error = json!({
                        "code": code::INTERNAL,
                        "message": "the agent created a thread without an id",
                    });
                    out.to_client.push(failure(&id, &error));
                }
            },
            (Pending::Load { id, thread }, Ok(_)) => {
                self.store.open(&thread);
                let named = json!({ "threadId": thread });
                let pending = Pending::Entries { id, thread };
                self.ask_agent("getThreadEntries", named, pending, out);
            }
            (Pending::Entries { id, thread }, Ok(answer)) => {
                for (at, entry) in answer["entries"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .enumerate()
                {
                    for told in entry_updates(at, entry) {
                        out.to_client.push(update(&thread, &told));
                    }
                }
                out.to_client.push(result(&id, json!({})));
            }
            (Pending::Resume { id }, Ok(_)) => out.to_client.push(result(&id, json!({}))),
            (Pending::List { id }, Ok(answer)) => {
                out.to_client.push(result(&id, listed(&answer, &self.cwd)));
            }
            (Pending::Prompt { thread }, Ok(_)) => {
                self.store.answered(&thread);
                self.end_turn(&thread, false, out);
            }
            (Pending::Prompt { thread }, Err(error)) => {
                if let Some(id) = self.store.give_up(&thread) {
                    out.to_client.push(failure(&id, &error));
                }
            }
            (
                Pending::New { id }
                | Pending::Load { id, .. }
                | Pending::Entries { id, .. }
                | Pending::Resume { id }
                | Pending::List { id },
                Err(error),
            ) => out.to_client.push(failure(&id, &error)),
        }
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
