//! Requests of the agent: its text as updates, looks at files passed on to the core, and the thread
//! store, which an agent that reads the protocol the other way round asks of us.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{LOOK, Out, Threads, calls::block_of, error, not_found, update};
use crate::model::{HostRequest, Look, LookAt, SessionId, code};

/// Methods that name files.
const LOOKS: [&str; 4] = ["readTextFile", "readBinaryFile", "stat", "globSearch"];

/// Whether a message asks for a look at a file.
pub(super) fn is_look(message: &Value) -> bool {
    let method = message["method"].as_str();
    method.is_some_and(|method| LOOKS.contains(&method)) && !message["id"].is_null()
}

impl Threads {
    pub(super) fn request(&mut self, id: &Value, method: &str, params: &Value, out: &mut Out) {
        let thread = params["threadId"].as_str().unwrap_or_default();
        let answer = match method {
            "streamMessageChunk" => self.chunk(thread, params, out),
            "endTurn" => self.turn_ended(thread, out),
            method if LOOKS.contains(&method) => match self.may_look(thread) {
                Ok(()) => return self.look(id, method, thread, params, out),
                Err(error) => Err(error),
            },
            "getThreads" => Ok(self.store.list()),
            "createThread" => Ok(json!({ "threadId": self.store.create() })),
            "openThread" => {
                self.store.open(thread);
                Ok(Value::Null)
            }
            "getThreadEntries" => Ok(json!({ "entries": self.store.entries(thread) })),
            "sendMessage" => {
                self.store.keep(thread, &params["message"]);
                Ok(Value::Null)
            }
            method => Err(not_found(method)),
        };
        out.to_agent.push(match answer {
            Ok(result) => json!({ "id": id, "result": result }),
            Err(error) => json!({ "id": id, "error": error }),
        });
    }

    /// D-36: answered at once, and in order.
    fn chunk(&mut self, thread: &str, params: &Value, out: &mut Out) -> Result<Value, Value> {
        self.may_look(thread)?;
        self.store.said(thread, &params["chunk"]);
        let told = json!({
            "sessionUpdate": "agent_message_chunk",
            "content": block_of(&params["chunk"]),
        });
        out.to_client.push(update(thread, &told));
        Ok(Value::Null)
    }

    fn turn_ended(&mut self, thread: &str, out: &mut Out) -> Result<Value, Value> {
        self.ends_turns = true;
        self.store.end_named(thread);
        self.end_turn(thread, false, out);
        Ok(Value::Null)
    }

    /// D-42: a thread whose turn was cancelled gets nothing more; one that is not open never.
    fn may_look(&self, thread: &str) -> Result<(), Value> {
        if !self.store.is_open(thread) {
            return Err(error(code::NOT_FOUND, "unknown thread"));
        }
        if self.store.is_cancelled(thread) {
            return Err(error(code::CANCELLED, "the user cancelled the turn"));
        }
        Ok(())
    }

    /// D-37, D-38, D-39, D-40
    fn look(&mut self, id: &Value, method: &str, thread: &str, params: &Value, out: &mut Out) {
        let path = if method == "globSearch" {
            &params["pattern"]
        } else {
            &params["path"]
        };
        let Some(path) = path.as_str() else {
            let why = format!("Invalid params for {method}");
            let error = error(code::INVALID_PARAMS, &why);
            out.to_agent.push(json!({ "id": id, "error": error }));
            return;
        };
        let (skip, limit) = match method {
            "readTextFile" => (&params["lineOffset"], &params["lineLimit"]),
            _ => (&params["byteOffset"], &params["byteLimit"]),
        };
        let params = json!({
            "sessionId": thread,
            "what": method,
            "path": path,
            "skip": skip.as_u64().unwrap_or(0),
            "limit": limit.as_u64(),
        });
        self.ask_client(id, LOOK, params, out);
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LookParams {
    session_id: String,
    what: String,
    path: String,
    skip: u64,
    limit: Option<u64>,
}

/// The adapter's own request of the core; `None` if it is not as [`Threads`] makes it.
pub fn decode_look(params: &str) -> Option<HostRequest> {
    let params: LookParams = serde_json::from_str(params).ok()?;
    let (skip, limit) = (params.skip, params.limit);
    let at = match params.what.as_str() {
        "readTextFile" => LookAt::Text { skip, limit },
        "readBinaryFile" => LookAt::Bytes { skip, limit },
        "stat" => LookAt::Stat,
        "globSearch" => LookAt::Glob,
        _ => return None,
    };
    Some(HostRequest::Look(Look {
        session: SessionId::new(params.session_id),
        path: params.path,
        at,
    }))
}
