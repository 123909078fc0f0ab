//! Both sides of the adapter, row by row.

use serde_json::{Value, json};

use super::*;

#[derive(Default)]
struct Play(Threads);

impl Play {
    fn client(&mut self, message: Value) -> Out {
        let mut out = Out::default();
        self.0.client_said(&message, &mut out);
        out
    }

    fn agent(&mut self, message: Value) -> Out {
        let mut out = Out::default();
        self.0.agent_said(&message, &mut out);
        out
    }

    /// With a thread `t` that is open.
    fn opened() -> Self {
        let mut play = Self::default();
        play.client(call(1, "session/new", json!({ "cwd": "/p" })));
        play.agent(json!({ "id": 0, "result": { "threadId": "t" } }));
        play
    }

    /// In a turn of it: our prompt has the id 2, the agent's call the id 1.
    fn prompted() -> Self {
        let mut play = Self::opened();
        let prompt = json!([{ "type": "text", "text": "hi" }]);
        play.client(call(
            2,
            "session/prompt",
            json!({ "sessionId": "t", "prompt": prompt }),
        ));
        play
    }
}

fn call(id: u64, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

fn ask(id: u64, method: &str, params: Value) -> Value {
    json!({ "id": id, "method": method, "params": params })
}

fn told(block: Value) -> Value {
    update(
        "t",
        &json!({ "sessionUpdate": "agent_message_chunk", "content": block }),
    )
}

fn chunk(id: u64, text: &str) -> Value {
    let chunk = json!({ "type": "text", "chunk": text });
    ask(
        id,
        "streamMessageChunk",
        json!({ "threadId": "t", "chunk": chunk }),
    )
}

// D-30, D-32
#[test]
fn the_envelope_is_bare_and_ids_count_from_zero() {
    let mut play = Play::default();
    let out = play.client(call(1, "initialize", json!({ "protocolVersion": 1 })));
    assert!(out.to_agent.is_empty(), "there is no initialize");
    assert_eq!(out.to_client[0]["result"]["protocolVersion"], 1);
    let out = play.client(call(
        2,
        "session/new",
        json!({ "cwd": "/p", "mcpServers": [] }),
    ));
    assert_eq!(
        out.to_agent,
        [json!({ "id": 0, "method": "createThread", "params": null })]
    );
    // With `jsonrpc` it is the same.
    let out = play.agent(json!({ "jsonrpc": "2.0", "id": 0, "result": { "threadId": "t" } }));
    assert_eq!(
        out.to_client,
        [result(&json!(2), json!({ "sessionId": "t" }))]
    );
    let out = play.client(call(3, "session/list", json!({})));
    assert_eq!(out.to_agent[0]["id"], 1);
}

// D-31
#[test]
fn threads_are_the_session_list() {
    let mut play = Play::default();
    let out = play.client(call(1, "session/list", json!({})));
    assert_eq!(out.to_agent, [ask(0, "getThreads", Value::Null)]);
    let threads = json!([{ "id": "a", "title": "A", "modifiedAt": "2025-06-25T00:00:00Z" }]);
    let out = play.agent(json!({ "id": 0, "result": { "threads": threads } }));
    let listed = &out.to_client[0]["result"]["sessions"][0];
    assert_eq!(listed["sessionId"], "a");
    assert_eq!(listed["title"], "A");
    assert_eq!(listed["updatedAt"], "2025-06-25T00:00:00Z");
}

// D-33, D-34
#[test]
fn a_thread_is_opened_and_its_entries_told() {
    let mut play = Play::default();
    let out = play.client(call(
        1,
        "session/load",
        json!({ "sessionId": "t", "cwd": "/p" }),
    ));
    assert_eq!(
        out.to_agent,
        [ask(0, "openThread", json!({ "threadId": "t" }))]
    );
    let out = play.agent(json!({ "id": 0, "result": null }));
    assert_eq!(
        out.to_agent,
        [ask(1, "getThreadEntries", json!({ "threadId": "t" }))]
    );
    let text = |text: &str| json!([{ "type": "text", "chunk": text }]);
    let entries = json!([
        { "type": "message", "role": "user", "chunks": text("hi") },
        { "type": "message", "message": { "role": "assistant", "chunks": text("hello") } },
        { "type": "readFile", "path": "/p/a", "content": "x" },
    ]);
    let out = play.agent(json!({ "id": 1, "result": { "entries": entries } }));
    let tags: Vec<&Value> = out
        .to_client
        .iter()
        .map(|message| &message["params"]["update"]["sessionUpdate"])
        .collect();
    assert_eq!(
        tags,
        ["user_message_chunk", "agent_message_chunk", "tool_call", ""]
            .map(|tag| if tag.is_empty() {
                Value::Null
            } else {
                tag.into()
            })
            .iter()
            .collect::<Vec<_>>()
    );
    assert_eq!(
        out.to_client[1]["params"]["update"]["content"]["text"],
        "hello"
    );
    assert_eq!(out.to_client[2]["params"]["update"]["status"], "completed");
    assert_eq!(out.to_client[3], result(&json!(1), json!({})));
    let resumed = play.client(call(4, "session/resume", json!({ "sessionId": "t" })));
    assert_eq!(resumed.to_agent[0]["method"], "openThread");
    let out = play.agent(json!({ "id": 2, "error": { "code": 1, "message": "gone" } }));
    assert_eq!(out.to_client[0]["error"]["message"], "gone");
}

// D-35
#[test]
fn a_prompt_is_text_and_runs_until_it_is_answered() {
    let mut play = Play::opened();
    let prompt = json!([
        { "type": "text", "text": "see " },
        { "type": "resource_link", "uri": "file:///p/a%20b.rs", "name": "a b.rs" },
        { "type": "resource", "resource": { "uri": "file:///p/c.rs", "text": "fn c() {}" } },
    ]);
    let out = play.client(call(
        2,
        "session/prompt",
        json!({ "sessionId": "t", "prompt": prompt }),
    ));
    let sent = &out.to_agent[0];
    assert_eq!(
        (&sent["id"], &sent["method"]),
        (&json!(1), &json!("sendMessage"))
    );
    assert_eq!(sent["params"]["threadId"], "t");
    assert_eq!(sent["params"]["message"]["role"], "user");
    let chunks = sent["params"]["message"]["chunks"]
        .as_array()
        .expect("chunks");
    assert!(chunks.iter().all(|chunk| chunk["type"] == "text"));
    let text = chunks[0]["chunk"].as_str().expect("text");
    assert!(text.starts_with("see /p/a b.rs"), "{text}");
    assert!(
        text.contains("/p/c.rs") && text.contains("fn c() {}"),
        "{text}"
    );
    play.agent(chunk(0, "hi"));
    let out = play.agent(json!({ "id": 1, "result": null }));
    assert_eq!(out.to_client, [over()]);
}

fn over() -> Value {
    result(&json!(2), json!({ "stopReason": "end_turn" }))
}

// D-35
#[test]
fn a_prompt_that_is_answered_at_once_is_over_when_the_agent_is_silent() {
    let mut play = Play::prompted();
    assert_eq!(play.0.patience(), None);
    let out = play.agent(json!({ "id": 1, "result": null }));
    assert!(out.to_client.is_empty(), "{out:?}");
    assert_eq!(play.0.patience(), Some(FIRST_WORD));
    let out = play.agent(chunk(0, "hi"));
    assert_eq!(out.to_client.len(), 1, "only what it says: {out:?}");
    assert_eq!(play.0.patience(), Some(QUIET));
    let mut out = Out::default();
    play.0.was_quiet(&mut out);
    assert_eq!(out.to_client, [over()]);
    assert_eq!(play.0.patience(), None);
}

// D-42
#[test]
fn a_cancel_ends_what_only_silence_would() {
    let mut play = Play::prompted();
    play.agent(json!({ "id": 1, "result": null }));
    let cancel =
        json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": { "sessionId": "t" } });
    let out = play.client(cancel);
    assert_eq!(out.to_client[0]["result"]["stopReason"], "cancelled");
}

// D-35
#[test]
fn whichever_end_of_a_turn_comes_last_is_its_end() {
    let end = |id| ask(id, "endTurn", json!({ "threadId": "t" }));
    let mut play = Play::prompted();
    let out = play.agent(end(0));
    assert_eq!(out.to_agent, [json!({ "id": 0, "result": null })]);
    assert!(out.to_client.is_empty());
    let out = play.agent(json!({ "id": 1, "result": null }));
    assert_eq!(out.to_client[0]["result"]["stopReason"], "end_turn");
    // From now on it is known that the answer alone is no end.
    play.client(call(
        3,
        "session/prompt",
        json!({ "sessionId": "t", "prompt": [] }),
    ));
    assert!(
        play.agent(json!({ "id": 2, "result": null }))
            .to_client
            .is_empty()
    );
    assert_eq!(play.agent(chunk(1, "late")).to_client.len(), 1);
    let out = play.agent(end(2));
    assert_eq!(out.to_client[0]["id"], 3);
}

// D-36
#[test]
fn chunks_are_answered_at_once_and_in_order() {
    let mut play = Play::prompted();
    for (id, text) in [(0, "one"), (1, "two")] {
        let out = play.agent(chunk(id, text));
        assert_eq!(
            out.to_client,
            [told(json!({ "type": "text", "text": text }))]
        );
        assert_eq!(out.to_agent, [json!({ "id": id, "result": null })]);
    }
    let unknown = json!({ "type": "hologram", "chunk": 1 });
    let params = json!({ "threadId": "t", "chunk": unknown });
    let out = play.agent(ask(2, "streamMessageChunk", params));
    assert_eq!(out.to_client, [told(unknown)]);
}

// D-37, D-38, D-39, D-40
#[test]
fn looks_at_files_are_asked_of_the_core() {
    let mut play = Play::prompted();
    for (at, (method, params, asked)) in [
        (
            "readTextFile",
            json!({ "threadId": "t", "path": "/p/a", "lineOffset": 2, "lineLimit": 3 }),
            json!({ "path": "/p/a", "skip": 2, "limit": 3 }),
        ),
        (
            "readBinaryFile",
            json!({ "threadId": "t", "path": "/p/a", "byteOffset": 4 }),
            json!({ "path": "/p/a", "skip": 4, "limit": null }),
        ),
        (
            "stat",
            json!({ "threadId": "t", "path": "a" }),
            json!({ "path": "a", "skip": 0, "limit": null }),
        ),
        (
            "globSearch",
            json!({ "threadId": "t", "pattern": "**/*.rs" }),
            json!({ "path": "**/*.rs", "skip": 0, "limit": null }),
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let out = play.agent(ask(40, method, params));
        assert!(out.to_agent.is_empty());
        let [request] = out.to_client.as_slice() else {
            panic!("{out:?}");
        };
        assert_eq!(request["method"], LOOK);
        assert_eq!(request["params"]["sessionId"], "t");
        assert_eq!(request["params"]["what"], method);
        for (key, value) in asked.as_object().expect("an object") {
            assert_eq!(&request["params"][key], value, "{method} {key}");
        }
        assert!(decode_look(&request["params"].to_string()).is_some());
        let id = at as u64 + 1;
        let out = play.client(json!({ "jsonrpc": "2.0", "id": id, "result": { "x": at } }));
        assert_eq!(out.to_agent, [json!({ "id": 40, "result": { "x": at } })]);
    }
    let out = play.agent(ask(41, "stat", json!({ "threadId": "t" })));
    assert_eq!(out.to_agent[0]["error"]["code"], code::INVALID_PARAMS);
    let out = play.agent(ask(
        42,
        "stat",
        json!({ "threadId": "other", "path": "/p" }),
    ));
    assert_eq!(out.to_agent[0]["error"]["code"], code::NOT_FOUND);
    assert!(out.to_client.is_empty(), "never acted on");
}

// D-42
#[test]
fn what_comes_after_a_cancel_is_refused_and_not_shown() {
    let mut play = Play::prompted();
    let cancel =
        json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": { "sessionId": "t" } });
    let out = play.client(cancel);
    assert!(out.to_agent.is_empty(), "the protocol has no cancel");
    let out = play.agent(chunk(0, "more"));
    assert!(out.to_client.is_empty());
    assert_eq!(out.to_agent[0]["error"]["code"], code::CANCELLED);
    let out = play.agent(ask(
        1,
        "readTextFile",
        json!({ "threadId": "t", "path": "/p/a" }),
    ));
    assert!(out.to_client.is_empty());
    assert_eq!(out.to_agent[0]["error"]["code"], code::CANCELLED);
    let out = play.agent(json!({ "id": 1, "result": null }));
    assert_eq!(out.to_client[0]["result"]["stopReason"], "cancelled");
    play.client(call(
        3,
        "session/prompt",
        json!({ "sessionId": "t", "prompt": [] }),
    ));
    assert_eq!(play.agent(chunk(2, "again")).to_client.len(), 1);
}

// D-42
#[test]
fn unknown_methods_are_named_in_their_refusal() {
    let mut play = Play::opened();
    let out = play.agent(ask(0, "writeTextFile", json!({ "threadId": "t" })));
    assert_eq!(out.to_agent[0]["error"]["code"], -32601);
    let message = out.to_agent[0]["error"]["message"].as_str().expect("text");
    assert!(message.contains("writeTextFile"));
    let out = play.client(call(9, "session/set_mode", json!({ "sessionId": "t" })));
    assert_eq!(out.to_client[0]["error"]["code"], -32601);
}

// The seed has the two sides the other way round: then the store is ours.
#[test]
fn an_agent_may_ask_for_our_threads() {
    let mut play = Play::prompted();
    play.agent(chunk(0, "hello"));
    let out = play.agent(ask(1, "getThreads", Value::Null));
    let listed = &out.to_agent[0]["result"]["threads"][0];
    assert_eq!(listed["id"], "t");
    let modified = listed["modifiedAt"].as_str().expect("a time");
    assert!(
        modified.starts_with("20") && modified.ends_with('Z'),
        "{modified}"
    );
    let out = play.agent(ask(2, "getThreadEntries", json!({ "threadId": "t" })));
    let entries = &out.to_agent[0]["result"]["entries"];
    assert_eq!(entries[0]["role"], "user");
    assert_eq!(entries[1]["chunks"][0]["chunk"], "hello");
    let out = play.agent(ask(3, "createThread", Value::Null));
    let thread = out.to_agent[0]["result"]["threadId"].clone();
    assert!(thread.is_string());
    let out = play.agent(ask(4, "openThread", json!({ "threadId": thread })));
    assert_eq!(out.to_agent, [json!({ "id": 4, "result": null })]);
}

#[test]
fn what_is_kept_of_a_thread_is_bounded() {
    let mut play = Play::prompted();
    for id in 0..3_000 {
        play.agent(chunk(id, &"x".repeat(2_000)));
    }
    let out = play.agent(ask(9, "getThreadEntries", json!({ "threadId": "t" })));
    let kept = out.to_agent[0].to_string().len();
    assert!(kept < 4 << 20, "{kept}");
}
