//! `004.txt`: threads, from before ACP. No `jsonrpc`, no notifications, only text.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Refusal, Wire, members, text};

const THREAD: &str = "thread-123";

/// Serves until stdin ends.
pub fn serve(mut wire: Wire) {
    let mut prompts = 0;
    while let Some(message) = wire.next() {
        let Some(method) = message["method"].as_str() else {
            wire.fault(&format!("no method: {message}"));
            continue;
        };
        // "Agent-initiated" stands above the methods that an agent has.
        let at_once = wire.is("at-once") && method == "sendMessage";
        let mut prompt = None;
        let answer = match request(method, &message) {
            Ok(Told::Prompt(said)) if at_once => {
                prompt = Some(said);
                Ok(Value::Null)
            }
            Ok(Told::Prompt(said)) => {
                prompts += 1;
                turn(&mut wire, &said, prompts);
                Ok(Value::Null)
            }
            Ok(Told::Result(result)) => Ok(result),
            Err(refusal) => {
                wire.fault(&format!("{method}: {} {}", refusal.code, refusal.message));
                Err(refusal.json())
            }
        };
        wire.send(&match answer {
            Ok(result) => json!({"id": message["id"], "result": result}),
            Err(error) => json!({"id": message["id"], "error": error}),
        });
        if let Some(said) = prompt {
            std::thread::sleep(Duration::from_millis(300));
            prompts += 1;
            turn(&mut wire, &said, prompts);
        }
    }
}

enum Told {
    Result(Value),
    Prompt(String),
}

fn request(method: &str, message: &Value) -> Result<Told, Refusal> {
    let params = &message["params"];
    let thread = |others: &[&str]| {
        members(method, params, &[&["threadId"], others].concat(), &[])?;
        if params["threadId"] == THREAD {
            Ok(())
        } else {
            Err(Refusal::params("no such thread"))
        }
    };
    let result = match method {
        "getThreads" => json!({"threads": [{
            "id": THREAD, "title": "My Conversation", "modifiedAt": "2024-07-30T12:00:00Z",
        }]}),
        "createThread" => json!({"threadId": THREAD}),
        "openThread" => {
            thread(&[])?;
            Value::Null
        }
        "getThreadEntries" => {
            thread(&[])?;
            json!({"entries": [
                {"type": "message", "role": "user",
                    "chunks": [{"type": "text", "chunk": "what was asked before"}]},
                {"type": "message", "role": "assistant",
                    "chunks": [{"type": "text", "chunk": "what was said before"}]},
            ]})
        }
        "sendMessage" => {
            thread(&["message"])?;
            members("message", &params["message"], &["role", "chunks"], &[])?;
            let mut said = String::new();
            for chunk in params["message"]["chunks"].as_array().into_iter().flatten() {
                members("chunk", chunk, &["type", "chunk"], &[])?;
                if chunk["type"] != "text" {
                    return Err(Refusal::params("chunk: only text"));
                }
                said.push_str(text("chunk", &chunk["chunk"])?);
            }
            return Ok(Told::Prompt(said));
        }
        method => {
            let message = format!("Method not found - '{method}'");
            return Err(Refusal::new(-32601, message));
        }
    };
    if matches!(method, "getThreads" | "createThread") && !params.is_null() {
        return Err(Refusal::params("params: expected null"));
    }
    members(method, message, &["id", "method", "params"], &[])?;
    Ok(Told::Result(result))
}

fn turn(wire: &mut Wire, prompt: &str, prompts: usize) {
    if prompts > 1 {
        return say(wire, &format!("again: {}\n\n", prompt.trim()));
    }
    say(wire, "let me see\n\n");
    let read = ask(wire, "readTextFile", json!({"path": "notes.txt"}));
    let content = read["content"].as_str().unwrap_or("nothing").trim();
    if !read["version"].is_u64() {
        wire.fault(&format!("no version: {read}"));
    }
    say(wire, &format!("it reads: {content}\n\n"));
    let stat = ask(wire, "stat", json!({"path": "notes.txt"}));
    let there = stat["exists"] == true && stat["isDirectory"] == false;
    say(wire, &format!("it is there: {there}\n\n"));
    let found = ask(wire, "globSearch", json!({"pattern": "*.txt"}));
    let count = found["matches"].as_array().map_or(0, Vec::len);
    say(wire, &format!("found: {count}\n\n"));
    if wire.is("at-once") {
        std::thread::sleep(Duration::from_millis(600));
    }
    say(wire, "all done\n\n");
}

fn say(wire: &mut Wire, words: &str) {
    let chunk = json!({"type": "text", "chunk": words});
    let answer = ask(wire, "streamMessageChunk", json!({"chunk": chunk}));
    if !answer.is_null() {
        wire.fault(&format!("an answer to a chunk: {answer}"));
    }
}

fn ask(wire: &mut Wire, method: &str, mut params: Value) -> Value {
    params["threadId"] = json!(THREAD);
    match wire.ask(json!({}), method, params) {
        Ok(result) => result,
        Err(error) => {
            wire.fault(&format!("{method}: {error}"));
            Value::Null
        }
    }
}
