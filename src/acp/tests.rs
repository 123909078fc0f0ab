//! Connections to real processes: `sh` plays the agent.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use super::*;
use crate::model::{
    AgentEvent, AgentExit, Call, CallResult, CallTag, ClientCaps, ConnectionId, Dialect, FromAgent,
    HostReply, Protocol, SessionId, SessionKey, SessionSetup, ToAgent,
};

fn spec(script: &str) -> LaunchSpec {
    LaunchSpec {
        program: "/bin/sh".into(),
        name: "sh".into(),
        args: vec!["-c".into(), script.into()],
        env: vec![("GREETING".into(), "hello".into())],
        cwd: std::env::temp_dir(),
        dialect: Dialect::default(),
        protocol: Protocol::V1,
        max_line: 1 << 20,
    }
}

async fn connect(script: &str) -> (Client, Inbox) {
    Client::connect(spec(script), ConnectionId(1), ClientCaps::default(), None)
        .await
        .expect("sh starts")
}

/// Everything up to the end, and the end.
async fn to_the_end(inbox: &mut Inbox) -> (Vec<FromAgent>, AgentExit) {
    let mut said = Vec::new();
    loop {
        match inbox.recv().await {
            Some(Inbound::FromAgent(message)) => said.push(message),
            Some(Inbound::Exited(exit)) => {
                assert!(inbox.recv().await.is_none(), "the end comes last");
                return (said, exit);
            }
            None => panic!("no end was told"),
        }
    }
}

/// The words of the first noise: what a script says about itself.
async fn first_word(inbox: &mut Inbox) -> String {
    match inbox.recv().await {
        Some(Inbound::FromAgent(FromAgent::Noise { what, .. })) => what.to_string(),
        other => panic!("no word: {other:?}"),
    }
}

fn runs(pid: &str) -> bool {
    // A zombie waits for whoever adopted it; it runs no more.
    let status = std::process::Command::new("ps")
        .args(["-o", "stat=", "-p", pid])
        .output()
        .expect("ps runs");
    let stat = String::from_utf8_lossy(&status.stdout);
    !stat.trim().is_empty() && !stat.trim_start().starts_with('Z')
}

// V1-INIT-01, V1-RPC-17
#[tokio::test]
async fn a_conversation() {
    let (client, mut inbox) = connect(
        r#"read -r line
        echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}'
        read -r line
        echo '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"current_mode_update","currentModeId":"m"}}}'
        echo '{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}'"#,
    )
    .await;
    client.send(
        SessionKey::default(),
        ToAgent::Call(Call::Initialize {
            caps: ClientCaps::default(),
        }),
    );
    client.send(
        SessionKey::default(),
        ToAgent::Call(Call::NewSession(SessionSetup {
            cwd: PathBuf::from("/p"),
            additional_directories: Vec::new(),
            mcp_servers: Vec::new(),
            system_prompt: None,
            no_suggestions: false,
        })),
    );
    let (said, exit) = to_the_end(&mut inbox).await;
    let [
        FromAgent::Reply {
            call: CallTag::Initialize,
            ..
        },
        FromAgent::Update {
            session: Some(session),
            event: AgentEvent::Mode(_),
        },
        FromAgent::Reply {
            result: CallResult::SessionOpened(opened),
            ..
        },
    ] = said.as_slice()
    else {
        panic!("{said:?}");
    };
    assert_eq!(opened.id.as_ref(), Some(session));
    assert_eq!(session, &SessionId::new("s"));
    assert_eq!(exit.status.and_then(|status| status.code), Some(0));
}

// V1-RPC-19: half a line in the pipe, and a code.
#[tokio::test]
async fn an_agent_that_dies_is_told_with_its_stderr_and_status() {
    let (_client, mut inbox) =
        connect(r#"echo "$GREETING: no licence" >&2; printf '{"jsonrpc":'; exit 3"#).await;
    let (_, exit) = to_the_end(&mut inbox).await;
    assert_eq!(exit.status.and_then(|status| status.code), Some(3));
    assert_eq!(exit.stderr.as_str(), "hello: no licence");
    assert_eq!(exit.cause, None);
}

// V1-RPC-03
#[tokio::test]
async fn a_chatty_stderr_does_not_block_the_agent() {
    let (_client, mut inbox) =
        connect("head -c 3000000 /dev/zero | tr '\\0' 'x' >&2; echo done").await;
    let (said, exit) = to_the_end(&mut inbox).await;
    assert!(matches!(said.as_slice(), [FromAgent::Noise { .. }]));
    assert!(exit.stderr.len() <= 64 * 1024);
}

#[tokio::test]
async fn an_agent_that_closes_its_stdout_is_ended() {
    let (client, mut inbox) = connect("echo $$; exec >&-; cat >/dev/null").await;
    let pid = first_word(&mut inbox).await;
    let (_, exit) = to_the_end(&mut inbox).await;
    assert_eq!(exit.status, None);
    assert!(exit.cause.expect("a cause").contains("closed its output"));
    client.shutdown(StopMode::Quick).await;
    assert!(!runs(&pid));
}

#[tokio::test]
async fn an_agent_that_closes_its_stdin_is_ended() {
    let (client, mut inbox) = connect("exec <&-; echo closed; sleep 30").await;
    first_word(&mut inbox).await;
    client.send(
        SessionKey::default(),
        ToAgent::Call(Call::Initialize {
            caps: ClientCaps::default(),
        }),
    );
    let (_, exit) = to_the_end(&mut inbox).await;
    assert!(exit.cause.expect("a cause").contains("closed its input"));
}

// V1-RPC-20: the first step is enough for one that obeys.
#[tokio::test]
async fn closing_stdin_ends_a_good_agent() {
    let (client, mut inbox) = connect("cat >/dev/null; echo bye; exit 5").await;
    client.shutdown(StopMode::Graceful).await;
    let (said, exit) = to_the_end(&mut inbox).await;
    assert_eq!(said.len(), 1, "what it said at the end is heard: {said:?}");
    assert_eq!(exit.status.and_then(|status| status.code), Some(5));
}

// V1-RPC-20: one that ignores its stdin's end and SIGTERM, and its child that does the same.
#[tokio::test]
async fn a_quick_shutdown_leaves_nothing_within_four_seconds() {
    let (client, mut inbox) = connect("trap '' TERM; sleep 60 & echo $$ $!; wait; sleep 60").await;
    let pids = first_word(&mut inbox).await;
    let start = Instant::now();
    client.shutdown(StopMode::Quick).await;
    assert!(
        start.elapsed() < Duration::from_secs(4),
        "{:?}",
        start.elapsed()
    );
    for pid in pids.split(' ') {
        assert!(!runs(pid), "{pid} is left");
    }
    let (_, exit) = to_the_end(&mut inbox).await;
    assert_eq!(
        exit.status.and_then(|status| status.signal).as_deref(),
        Some("SIGKILL")
    );
}

#[tokio::test]
async fn a_graceful_shutdown_can_be_hurried() {
    let (client, _inbox) = connect("trap '' TERM; while :; do sleep 1; done").await;
    let start = Instant::now();
    tokio::join!(client.shutdown(StopMode::Graceful), async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        client.shutdown(StopMode::Quick).await;
    });
    assert!(
        start.elapsed() < Duration::from_secs(4),
        "{:?}",
        start.elapsed()
    );
}

// The launcher has gone, and left the real agent behind, which holds the pipes.
#[tokio::test]
async fn what_a_launcher_leaves_behind_is_ended() {
    let (client, mut inbox) = connect("trap '' TERM; sleep 60 & echo $!; exit 0").await;
    let pid = first_word(&mut inbox).await;
    let (_, exit) = to_the_end(&mut inbox).await;
    assert_eq!(exit.status.and_then(|status| status.code), Some(0));
    client.shutdown(StopMode::Quick).await;
    assert!(!runs(&pid));
}

#[tokio::test]
async fn dropping_the_client_ends_the_agent() {
    let (client, mut inbox) = connect("echo $$; cat >/dev/null").await;
    let pid = first_word(&mut inbox).await;
    drop(client);
    to_the_end(&mut inbox).await;
    assert!(!runs(&pid));
}

// V1-RPC-13
#[tokio::test]
async fn a_shutdown_answers_open_requests_first() {
    let ask = r#"{"jsonrpc":"2.0","id":"q","method":"terminal/kill","params":{"sessionId":"s","terminalId":"t"}}"#;
    let (client, mut inbox) = connect(&format!(
        "echo '{ask}'; read -r answer; echo \"got $answer\""
    ))
    .await;
    let Some(Inbound::FromAgent(FromAgent::Request { key, .. })) = inbox.recv().await else {
        panic!("a request");
    };
    client.shutdown(StopMode::Graceful).await;
    client.send(
        SessionKey::default(),
        ToAgent::Reply {
            key,
            reply: HostReply::Done,
        },
    );
    let got = first_word(&mut inbox).await;
    assert!(
        got.starts_with("got") && got.contains(r#""id":"q""#) && got.contains("-32800"),
        "{got}"
    );
}

#[tokio::test]
async fn the_wire_log_has_both_directions_to_the_last_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("wire.jsonl");
    let secrets = Secrets::of_env([("A_TOKEN", "hunter2hunter2")], []);
    let wire_log = WireLog::create(&path, secrets, |_| ()).expect("created");
    let (client, mut inbox) = Client::connect(
        spec("read -r line; echo no json; echo '{\"method\":\"hunter2hunter2\"}'"),
        ConnectionId(1),
        ClientCaps::default(),
        Some(wire_log.handle()),
    )
    .await
    .expect("sh starts");
    client.send(
        SessionKey::default(),
        ToAgent::Call(Call::Authenticate {
            method: "key".to_owned(),
        }),
    );
    to_the_end(&mut inbox).await;
    drop((client, inbox));
    wire_log.finish();
    let log = std::fs::read_to_string(&path).expect("a log");
    let [to_agent, noise, message] = log.lines().collect::<Vec<_>>()[..] else {
        panic!("{log}");
    };
    assert!(to_agent.starts_with(r#"{"dir":"c2a","t":"#) && to_agent.contains("authenticate"));
    assert!(noise.starts_with(r#"{"dir":"a2c""#) && noise.ends_with(r#""raw":"no json"}"#));
    assert!(message.ends_with(r#""msg":{"method":"***"}}"#), "{message}");
}

// The agent has no terminal to write to or to read keys from.
#[tokio::test]
async fn the_agent_has_no_controlling_terminal() {
    let (_client, mut inbox) =
        connect("(exec </dev/tty) 2>/dev/null && echo terminal || echo none").await;
    assert_eq!(first_word(&mut inbox).await, "none");
}

#[tokio::test]
async fn a_missing_program_is_an_error() {
    let mut missing = spec("");
    missing.program = "/no/such/agent".into();
    let refused = Client::connect(missing, ConnectionId(1), ClientCaps::default(), None).await;
    let error = refused.err().expect("no agent").to_string();
    assert!(error.contains("/no/such/agent"), "{error}");
}
