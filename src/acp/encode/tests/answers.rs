//! Answers to requests of the agent.

use super::*;
use crate::{
    model::{CallResult, FromAgent, OptionId, RpcError, TerminalId, TerminalSnapshot, code},
    rpc::{Inbound, Reader, channel},
};

/// A protocol that takes every request.
struct Anything;

impl crate::rpc::Protocol for Anything {
    fn notification(&mut self, _: &str, _: &str, _: &mut Vec<FromAgent>) {}

    fn request(&mut self, key: RequestKey, _: &str, _: &str) -> Result<FromAgent, RpcError> {
        Ok(FromAgent::CancelRequest { key })
    }

    fn result(&mut self, _: &CallTag, _: &str) -> CallResult {
        CallResult::Authenticated
    }
}

/// A request that such a reply answers.
fn asked_for(reply: &HostReply) -> &'static str {
    match reply {
        HostReply::Permission(_) => "session/request_permission",
        HostReply::Elicitation(_) => "elicitation/create",
        HostReply::Content(_) => "fs/read_text_file",
        HostReply::Done => "fs/write_text_file",
        HostReply::TerminalCreated(_) => "terminal/create",
        HostReply::TerminalOutput(_) => "terminal/output",
        HostReply::TerminalExit(_) => "terminal/wait_for_exit",
        HostReply::QueueDrained { .. } => "craft/drainMidTurnQueue",
        // The adapter's, which no schema knows.
        HostReply::Looked(_) | HostReply::Error(_) => "unheard/of",
    }
}

/// What the agent gets for a request.
async fn answered(reply: HostReply) -> Value {
    let ask = json!({"id": "q", "method": asked_for(&reply)});
    let mut answer = answer_to(Protocol::V1, ask, reply).await;
    match answer.get_mut("result") {
        Some(result) => result.take(),
        None => answer["error"].take(),
    }
}

/// The message that answers a request, with its id as it was written.
pub async fn answer_to(protocol: Protocol, ask: Value, reply: HostReply) -> Value {
    let (outbox, outgoing) = Outbox::new();
    let peer = std::sync::Arc::new(Peer::new(ConnectionId(1), outbox));
    let (tx, mut inbox) = channel(1024);
    let mut traffic = traffic(protocol);
    traffic.received(&ask);
    let line = format!("{ask}\n");
    let reader = Reader::new(peer.clone(), Anything, tx, Tap::new(None));
    reader
        .run(line.as_bytes(), 1 << 20, std::future::pending())
        .await;
    let Some(Inbound::FromAgent(FromAgent::CancelRequest { key })) = inbox.recv().await else {
        panic!("a request");
    };
    let dialects = Dialects::new(Dialect::default());
    let reply = ToAgent::Reply { key, reply };
    send(&peer, &dialects, protocol, SessionKey::default(), reply);
    peer.close();
    let mut line = Vec::new();
    write_lines(outgoing, &mut line, Tap::new(None))
        .await
        .expect("memory");
    let line = String::from_utf8(line).expect("UTF-8");
    traffic.sent(&line).expect("of the protocol");
    let answer: Value = serde_json::from_str(&line).expect("one line of JSON");
    assert_eq!(answer["id"], ask["id"]);
    answer
}

// V1-PERM-01, V1-FS-01, V1-FS-10, V1-RPC-26, V1-TERM-01, V1-TERM-08, V1-TERM-09
#[tokio::test]
async fn answers_have_the_shape_of_their_method() {
    let killed = ExitStatus {
        code: None,
        signal: Some("SIGKILL".to_owned()),
    };
    let snapshot = |exit| TerminalSnapshot {
        output: "out".to_owned(),
        truncated: true,
        exit,
    };
    for (reply, expected) in [
        (
            HostReply::Permission(PermissionOutcome::Selected(OptionId::new("a"))),
            json!({"outcome": {"outcome": "selected", "optionId": "a"}}),
        ),
        (
            HostReply::Permission(PermissionOutcome::Cancelled),
            json!({"outcome": {"outcome": "cancelled"}}),
        ),
        (HostReply::Content("x".to_owned()), json!({"content": "x"})),
        (HostReply::Done, json!({})),
        (
            HostReply::TerminalCreated(TerminalId::new("t")),
            json!({"terminalId": "t"}),
        ),
        (
            HostReply::TerminalOutput(snapshot(None)),
            json!({"output": "out", "truncated": true}),
        ),
        (
            HostReply::TerminalOutput(snapshot(Some(killed.clone()))),
            json!({"output": "out", "truncated": true, "exitStatus": {"signal": "SIGKILL"}}),
        ),
        (
            HostReply::TerminalExit(killed),
            json!({"signal": "SIGKILL"}),
        ),
        (
            HostReply::TerminalExit(ExitStatus {
                code: Some(3),
                signal: None,
            }),
            json!({"exitCode": 3}),
        ),
        (
            HostReply::Error(RpcError::new(code::NOT_FOUND, "no file")),
            json!({"code": -32002, "message": "no file"}),
        ),
    ] {
        assert_eq!(answered(reply.clone()).await, expected, "{reply:?}");
    }
}

// V1-ELI-04, V1-ELI-08, V1-ELI-17
#[tokio::test]
async fn elicitations_are_answered_by_an_action() {
    let accept = |values| HostReply::Elicitation(ElicitationAnswer::Accept(values));
    let value = |key: &str, value| (key.to_owned(), value);
    for (reply, result) in [
        (
            accept(Some(vec![
                value("text", FormValue::Text("a".to_owned())),
                value("whole", FormValue::Integer(9_007_199_254_740_993)),
                value("part", FormValue::Number(0.5)),
                value("yes", FormValue::Boolean(true)),
                value("all", FormValue::Texts(vec!["x".to_owned()])),
            ])),
            json!({"action": "accept", "content": {
                "text": "a", "whole": 9_007_199_254_740_993_i64, "part": 0.5, "yes": true, "all": ["x"],
            }}),
        ),
        (
            HostReply::Elicitation(ElicitationAnswer::Decline),
            json!({"action": "decline"}),
        ),
        (
            HostReply::Elicitation(ElicitationAnswer::Cancel),
            json!({"action": "cancel"}),
        ),
    ] {
        assert_eq!(answered(reply).await, result);
    }
    let consent = answered(accept(None)).await;
    assert_eq!(consent, json!({"action": "accept"}));
}

#[tokio::test]
async fn qwen_gets_what_was_queued() {
    let reply = HostReply::QueueDrained {
        messages: vec!["left".to_owned()],
        waits: true,
    };
    let expected = json!({"messages": ["left"], "hasQueuedPrompt": true});
    assert_eq!(answered(reply).await, expected);
}
