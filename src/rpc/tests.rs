//! The peer as a whole, over byte streams.

use std::{sync::Arc, time::Duration};

use proptest::prelude::*;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex},
    time::Instant,
};

use super::{pace::BEAT, *};
use crate::{
    model::{
        AgentEvent, CallResult, CallTag, ConnectionId, FromAgent, HostRequest, RawJson, RequestKey,
        RpcError, SessionKey, StopReason, TerminalRef, code,
    },
    text::SafeText,
};

/// A protocol with one notification, `say`, and one request, `ask`.
struct Toy;

impl Protocol for Toy {
    fn notification(&mut self, method: &str, params: &str, out: &mut Vec<FromAgent>) {
        if method == "say" {
            out.push(said(params));
        }
    }

    fn request(
        &mut self,
        key: RequestKey,
        method: &str,
        params: &str,
    ) -> Result<FromAgent, RpcError> {
        match (method, params) {
            ("ask", "null") => Err(RpcError::new(code::INVALID_PARAMS, "no params")),
            ("ask", _) => Ok(FromAgent::Request {
                key,
                request: asked(),
            }),
            _ => Err(RpcError::new(code::METHOD_NOT_FOUND, "Method not found")),
        }
    }

    fn is_literal(&self, method: &str) -> bool {
        method == "ask"
    }

    fn result(&mut self, _: &CallTag, result: &str) -> CallResult {
        CallResult::PromptDone(StopReason::Unknown(SafeText::new(result)), None)
    }
}

fn said(params: &str) -> FromAgent {
    FromAgent::Update {
        session: None,
        event: AgentEvent::Unknown {
            what: SafeText::from("say"),
            raw: RawJson(params.into()),
        },
    }
}

fn asked() -> HostRequest {
    HostRequest::TerminalKill(TerminalRef {
        session: crate::model::SessionId::new("s"),
        terminal: crate::model::TerminalId::new("t"),
    })
}

const CONNECTION: ConnectionId = ConnectionId(7);
const MAX_LINE: usize = 1 << 20;

struct Wire {
    peer: Arc<Peer>,
    inbox: Receiver<Inbound>,
    /// The agent's ends.
    stdout: DuplexStream,
    stdin: DuplexStream,
}

fn wire(pipe: usize) -> Wire {
    let (stdout, ours) = duplex(pipe);
    let (stdin, their_stdin) = duplex(pipe);
    let (outbox, outgoing) = Outbox::new();
    let peer = Arc::new(Peer::new(CONNECTION, outbox));
    let (tx, inbox) = channel(1 << 20);
    let reader = Reader::new(Arc::clone(&peer), Toy, tx, Tap::new(None));
    tokio::spawn(reader.run(ours, MAX_LINE, std::future::pending()));
    tokio::spawn(write_lines(outgoing, their_stdin, Tap::new(None)));
    Wire {
        peer,
        inbox,
        stdout,
        stdin,
    }
}

impl Wire {
    async fn agent_says(&mut self, bytes: impl AsRef<[u8]>) {
        self.stdout.write_all(bytes.as_ref()).await.expect("open");
    }

    async fn next(&mut self) -> FromAgent {
        match self.inbox.recv().await {
            Some(Inbound::FromAgent(message)) => message,
            other => panic!("nothing from the agent: {other:?}"),
        }
    }

    async fn next_request(&mut self) -> RequestKey {
        match self.next().await {
            FromAgent::Request { key, .. } => key,
            other => panic!("no request: {other:?}"),
        }
    }

    /// The agent closes its stdout; what was left is returned.
    async fn finish(mut self) -> Vec<FromAgent> {
        drop(self.stdout);
        let mut rest = Vec::new();
        while let Some(Inbound::FromAgent(message)) = self.inbox.recv().await {
            rest.push(message);
        }
        rest
    }

    /// The next line that the agent reads.
    async fn line(&mut self) -> String {
        let mut line = Vec::new();
        loop {
            match self.stdin.read_u8().await.expect("a whole line") {
                b'\n' => return String::from_utf8(line).expect("UTF-8"),
                byte => line.push(byte),
            }
        }
    }
}

const CALLER: SessionKey = SessionKey(7);

fn prompt(n: usize) -> CallTag {
    CallTag::Prompt {
        session: crate::model::SessionId::new(n.to_string()),
    }
}

fn done(call: CallTag, result: &str) -> FromAgent {
    FromAgent::Reply {
        caller: CALLER,
        call,
        result: CallResult::PromptDone(StopReason::Unknown(SafeText::new(result)), None),
    }
}

// V1-ELI-02
#[tokio::test]
async fn an_open_call_is_known_by_its_id_as_it_was_written() {
    let wire = wire(64);
    assert_eq!(wire.peer.asks_for("1"), None);
    wire.peer
        .call(CALLER, prompt(1), "session/prompt", json!({}));
    assert_eq!(wire.peer.asks_for("1"), Some(CALLER));
    for id in ["\"1\"", "1.0", "2", "null"] {
        assert_eq!(wire.peer.asks_for(id), None, "{id}");
    }
}

// V1-ELI-02: comes before the reply, so that the question is closed by then.
#[tokio::test]
async fn the_end_of_a_call_that_the_agent_asks_for_is_told_and_of_others_not() {
    let mut wire = wire(4096);
    for n in [1, 2] {
        wire.peer
            .call(CALLER, prompt(n), "session/prompt", json!({}));
    }
    assert_eq!(wire.peer.asks_for("2"), Some(CALLER));
    for id in [1, 2] {
        let answer = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":\"ok\"}}\n");
        wire.agent_says(answer).await;
    }
    let replies = wire.finish().await;
    let over = FromAgent::CallOver {
        caller: CALLER,
        request: "2".to_owned(),
    };
    let is_reply = |word: &FromAgent| matches!(word, FromAgent::Reply { .. });
    assert_eq!(replies.len(), 3, "{replies:?}");
    assert!(is_reply(&replies[0]) && is_reply(&replies[2]));
    assert_eq!(replies[1], over);
}

// V1-RPC-07
#[tokio::test]
async fn our_ids_count_from_one() {
    let mut wire = wire(64);
    for n in 1..=3 {
        wire.peer
            .call(CALLER, prompt(n), "session/prompt", json!({"n": n}));
        let line: Value = serde_json::from_str(&wire.line().await).expect("JSON");
        assert_eq!(
            line,
            json!({"jsonrpc": "2.0", "id": n, "method": "session/prompt", "params": {"n": n}})
        );
    }
}

// V1-RPC-01
#[tokio::test]
async fn a_message_is_one_line_whatever_its_text() {
    let mut wire = wire(64);
    let text = "a\nb\r\n\u{2028}c\u{85}";
    wire.peer.notify("n", json!({ "text": text }));
    let line: Value = serde_json::from_str(&wire.line().await).expect("JSON");
    assert_eq!(line["params"]["text"], text);
}

// V1-RPC-02
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lines_of_many_senders_stay_whole() {
    let mut wire = wire(64);
    for sender in 0..2 {
        let peer = Arc::clone(&wire.peer);
        tokio::spawn(async move {
            for n in 0..1000 {
                peer.notify("n", json!([sender, n, "x".repeat(n % 50)]));
            }
        });
    }
    for _ in 0..2000 {
        let line = wire.line().await;
        assert!(serde_json::from_str::<Value>(&line).is_ok(), "{line}");
    }
}

// V1-RPC-05, V1-RPC-06
#[tokio::test]
async fn ids_come_back_byte_for_byte() {
    let mut wire = wire(256);
    for id in [
        "0",
        "-1",
        "9007199254740993",
        "\"7\"",
        "7",
        "\"\"",
        "null",
        r#""\u0041""#,
    ] {
        let ask = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ask","params":{{}}}}"#);
        wire.agent_says(ask + "\n").await;
        let key = wire.next_request().await;
        wire.peer.answer(key, Ok(json!({})));
        assert_eq!(
            wire.line().await,
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)
        );
    }
    wire.agent_says("{\"id\":1.5,\"method\":\"ask\"}\n").await;
    assert_eq!(
        wire.line().await,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request"}}"#
    );
}

// V1-RPC-04, V1-RPC-08
#[tokio::test]
async fn both_sides_may_use_the_same_id() {
    let mut wire = wire(256);
    wire.peer
        .call(CALLER, prompt(1), "session/prompt", json!({}));
    wire.agent_says("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ask\",\"params\":{}}\n")
        .await;
    let key = wire.next_request().await;
    wire.agent_says("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":1}}\n")
        .await;
    assert_eq!(wire.next().await, done(prompt(1), r#"{"a":1}"#));
    wire.line().await;
    wire.peer.answer(key, Ok(json!({})));
    assert!(wire.line().await.contains(r#""id":1,"result":{}"#));
}

// V1-RPC-09, V1-RPC-11
#[tokio::test]
async fn what_cannot_be_served_is_answered_at_once() {
    let mut wire = wire(256);
    wire.agent_says("{\"id\":\"a\",\"method\":\"_x/ask\"}\n{\"id\":\"b\",\"method\":\"ask\"}\n")
        .await;
    let [first, second] = [wire.line().await, wire.line().await];
    assert!(
        first.contains(r#""id":"a","error":{"code":-32601"#),
        "{first}"
    );
    assert!(
        second.contains(r#""id":"b","error":{"code":-32602"#),
        "{second}"
    );
    assert_eq!(wire.finish().await, []);
}

// V1-RPC-13, V1-PERM-10
#[tokio::test]
async fn a_request_is_answered_once() {
    let mut wire = wire(256);
    wire.agent_says("{\"id\":1,\"method\":\"ask\",\"params\":{}}\n")
        .await;
    let key = wire.next_request().await;
    let foreign = RequestKey {
        connection: ConnectionId(1),
        ..key
    };
    wire.peer.answer(foreign, Ok("foreign"));
    wire.peer.answer(key, Ok("first"));
    wire.peer.answer(key, Ok("second"));
    wire.peer.notify("end", ());
    assert!(wire.line().await.contains("first"));
    assert!(wire.line().await.contains("end"));
}

// V1-RPC-21
#[tokio::test]
async fn an_agent_cannot_pile_up_requests() {
    let mut wire = wire(1 << 20);
    for id in 0..1025 {
        let ask = format!("{{\"id\":{id},\"method\":\"ask\",\"params\":{{}}}}\n");
        wire.agent_says(ask).await;
    }
    let refused = wire.line().await;
    assert!(
        refused.contains(r#""id":1024,"error":{"code":-32603"#),
        "{refused}"
    );
    assert_eq!(wire.finish().await.len(), 1024);
}

// V1-RPC-21
#[tokio::test]
async fn a_line_that_is_too_long_costs_only_itself() {
    let mut wire = wire(256);
    wire.agent_says("{\"method\":\"say\",\"params\":1}\n").await;
    assert_eq!(wire.next().await, said("1"));
    let long = format!(
        "{{\"method\":\"say\",\"params\":\"{}\"}}\n",
        "x".repeat(MAX_LINE)
    );
    let limit = MAX_LINE;
    let ((), skipped) = tokio::join!(
        async { wire.stdout.write_all(long.as_bytes()).await.expect("open") },
        wire.inbox.recv(),
    );
    assert_eq!(
        skipped,
        Some(Inbound::FromAgent(FromAgent::Oversized { limit }))
    );
    wire.agent_says("{\"method\":\"say\",\"params\":2}\n").await;
    assert_eq!(wire.next().await, said("2"));
}

// V1-RPC-13, V1-CAN-11
#[tokio::test]
async fn closing_answers_what_is_open_and_ends_stdin() {
    let mut wire = wire(256);
    wire.agent_says("{\"id\":1,\"method\":\"ask\",\"params\":{}}\n")
        .await;
    wire.next_request().await;
    wire.peer.close();
    wire.peer.notify("too late", ());
    assert!(
        wire.line()
            .await
            .contains(r#""id":1,"error":{"code":-32800"#)
    );
    assert_eq!(wire.stdin.read(&mut [0]).await.expect("closed"), 0);
}

// V1-RPC-16
#[tokio::test]
async fn stray_and_repeated_answers_are_ignored() {
    let mut wire = wire(256);
    wire.peer
        .call(CALLER, prompt(1), "session/prompt", json!({}));
    wire.agent_says(
        [
            r#"{"jsonrpc":"2.0","id":9999,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":"1","result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":1}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":2}"#,
            "",
        ]
        .join("\n"),
    )
    .await;
    assert_eq!(wire.finish().await, [done(prompt(1), "1")]);
}

// V1-RPC-16, V1-ERR-09
#[tokio::test]
async fn errors_and_unclear_answers_fail_the_call() {
    let mut wire = wire(256);
    wire.peer
        .call(CALLER, prompt(1), "session/prompt", json!({}));
    wire.peer
        .call(CALLER, prompt(2), "session/prompt", json!({}));
    wire.agent_says(
        [
            r#"{"jsonrpc":"2.0","id":2,"result":{},"error":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":99999999999,"message":"no"}}"#,
            "",
        ]
        .join("\n"),
    )
    .await;
    for (call, expected) in [(prompt(2), code::INTERNAL), (prompt(1), 99_999_999_999)] {
        let FromAgent::Reply {
            caller: CALLER,
            call: of,
            result: CallResult::Failed(error),
        } = wire.next().await
        else {
            panic!("a failure");
        };
        assert_eq!((of, error.code), (call, expected));
    }
}

// V1-CAN-10
#[tokio::test]
async fn cancelling_finds_the_open_request_by_its_exact_id() {
    let mut wire = wire(256);
    wire.agent_says("{\"id\":\"2\",\"method\":\"ask\",\"params\":{}}\n")
        .await;
    let key = wire.next_request().await;
    for id in ["2", "\"2\"", "\"2\""] {
        let cancel = format!(r#"{{"method":"$/cancel_request","params":{{"requestId":{id}}}}}"#);
        wire.agent_says(cancel + "\n").await;
    }
    assert_eq!(wire.next().await, FromAgent::CancelRequest { key });
    assert_eq!(wire.next().await, FromAgent::CancelRequest { key });
    wire.peer.answer(key, Ok(()));
    wire.agent_says("{\"method\":\"$/cancel_request\",\"params\":{\"requestId\":\"2\"}}\n")
        .await;
    assert_eq!(wire.finish().await, []);
}

// V1-RPC-22
#[tokio::test]
async fn dirty_lines_do_not_lose_their_message() {
    let mut wire = wire(1024);
    for dirty in [
        &b"\xef\xbb\xbf{\"method\":\"say\",\"params\":\"x\"}\n"[..],
        b"\r\n \t{\"method\":\"say\",\"params\":\"x\"} \r\n",
        b"{\"method\":\"say\",\"zzz\":\"\xff\",\"params\":\"x\"}\n",
        b"{\"method\":\"say\",\"zzz\":\"\\ud83d\",\"params\":\"x\"}\n",
    ] {
        wire.agent_says(dirty).await;
        assert_eq!(wire.next().await, said("\"x\""));
    }
    wire.agent_says("{\"method\":\"say\",\"params\":\"\\ud83d\"}\n")
        .await;
    assert_eq!(wire.next().await, said("\"\\ufffd\""));
}

// V1-RPC-14, V1-RPC-10
#[tokio::test]
async fn noise_is_told_and_counted_and_unknown_notifications_pass() {
    let mut wire = wire(256);
    wire.agent_says("INFO start\x1b[m\n[1]\n\n\r\n{\"method\":\"$/progress\"}\nlast words")
        .await;
    let noise = |what: &str, count| FromAgent::Noise {
        what: SafeText::line(what),
        bytes: what.len() + if count == 1 { "\x1b[m".len() } else { 0 },
        count,
    };
    assert_eq!(
        wire.finish().await,
        [
            noise("INFO start", 1),
            noise("[1]", 2),
            noise("last words", 3)
        ]
    );
}

// V1-RPC-18: a full stdin of the agent does not keep us from reading.
#[tokio::test]
async fn an_agent_that_does_not_read_is_still_heard() {
    let mut wire = wire(64);
    wire.peer.notify("n", "x".repeat(100_000));
    wire.agent_says("{\"method\":\"say\",\"params\":1}\n").await;
    assert_eq!(wire.next().await, said("1"));
}

/// Lines, and what becomes of them.
fn conversation() -> impl Strategy<Value = Vec<(String, Vec<FromAgent>)>> {
    let say = any::<String>().prop_map(|text| {
        let params = Value::from(text).to_string();
        (
            format!(r#"{{"method":"say","params":{params}}}"#),
            vec![said(&params)],
        )
    });
    let quiet = prop::sample::select(vec!["", "  \r", "{\"method\":\"nothing\"}\r"])
        .prop_map(|line| (line.to_owned(), vec![]));
    prop::collection::vec(prop_oneof![4 => say, 1 => quiet], 1..20)
}

/// One whose time passes at once.
fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime")
}

proptest! {
    // V1-RPC-17, V1-RPC-22: however the bytes arrive, each message is there once and in order.
    #[test]
    fn messages_survive_any_split(
        lines in conversation(),
        cuts in prop::collection::vec(1..40_usize, 1..20),
    ) {
        let runtime = runtime();
        let (bytes, expected): (Vec<String>, Vec<Vec<FromAgent>>) = lines.into_iter().unzip();
        let bytes = bytes.join("\n").into_bytes();
        let heard = runtime.block_on(async {
            let mut wire = wire(bytes.len().max(1));
            let mut rest = bytes.as_slice();
            for cut in cuts.iter().cycle() {
                let (piece, behind) = rest.split_at((*cut).min(rest.len()));
                wire.agent_says(piece).await;
                tokio::task::yield_now().await;
                rest = behind;
                if rest.is_empty() {
                    break;
                }
            }
            wire.finish().await
        });
        prop_assert_eq!(heard, expected.concat());
    }

    #[test]
    fn any_bytes_are_harmless(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let runtime = runtime();
        runtime.block_on(async {
            let mut wire = wire(bytes.len() + 100);
            wire.agent_says(&bytes).await;
            wire.agent_says("\n{\"method\":\"say\",\"params\":1}\n").await;
            let heard = wire.finish().await;
            assert_eq!(heard.last(), Some(&said("1")));
        });
    }
}

#[tokio::test]
async fn what_is_meant_to_the_letter_is_refused_where_it_had_to_be_repaired() {
    let mut wire = wire(1 << 16);
    for text in [
        &br#"half \ud800 of it"#[..],
        br#"\udc00"#,
        br#"\ud800\u0041"#,
        b"caf\xe9",
    ] {
        let mut line = br#"{"jsonrpc":"2.0","id":5,"method":"ask","params":{"content":""#.to_vec();
        line.extend_from_slice(text);
        line.extend_from_slice(b"\"}}\n");
        wire.agent_says(&line).await;
        let answer: Value = serde_json::from_str(&wire.line().await).expect("JSON");
        assert_eq!(answer["error"]["code"], code::INVALID_PARAMS);
        let message = answer["error"]["message"].as_str().expect("words");
        assert!(message.contains("surrogate"), "{message}");
    }
    // Words to be shown are shown as well as can be.
    wire.agent_says("{\"jsonrpc\":\"2.0\",\"method\":\"say\",\"params\":\"\\ud800\"}\n")
        .await;
    assert_eq!(wire.next().await, said("\"\\ufffd\""));
    // And whole pairs are whole, U+FFFD is a character like others.
    for text in [r"\ud83d\ude00", r"\ufffd", "\u{fffd}", r"\\ud800"] {
        let line = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"ask\",\"params\":{{\"content\":\"{text}\"}}}}\n"
        );
        wire.agent_says(line).await;
        let key = wire.next_request().await;
        wire.peer.answer(key, Ok(()));
        wire.line().await;
    }
}

#[tokio::test(start_paused = true)]
async fn words_of_a_stream_come_together_and_requests_at_once() {
    let mut wire = wire(1 << 16);
    let word = |n: u32| {
        format!(
            "{}\n",
            json!({"jsonrpc": "2.0", "method": "say", "params": {"n": n}})
        )
    };
    let ask = |id: u32| {
        format!(
            "{}\n",
            json!({"jsonrpc": "2.0", "id": id, "method": "ask", "params": {}})
        )
    };
    let start = Instant::now();
    wire.agent_says(word(0)).await;
    wire.next().await;
    assert_eq!(start.elapsed(), Duration::ZERO, "the first is not held up");
    for n in 1..4 {
        wire.agent_says(word(n)).await;
    }
    wire.next().await;
    assert!(start.elapsed() <= 2 * BEAT, "{:?}", start.elapsed());
    for _ in 2..4 {
        assert!(wire.inbox.try_recv().is_some(), "in the same batch");
    }
    // A request ends the stream: what follows it is read at once.
    wire.agent_says(ask(1)).await;
    wire.next_request().await;
    let start = Instant::now();
    wire.agent_says(ask(2)).await;
    wire.next_request().await;
    assert_eq!(start.elapsed(), Duration::ZERO);
}
