//! Each row by its golden file in `tests/dialects`, and what no row may do.
//!
//! A golden file has one conversation a line: `{"name", "dialect", "steps": [STEP…]}`. A step is
//! `{"send": {method, params}, "wire": {method, params}}` (our call, and what stands on the wire; the
//! same where `wire` is missing), or `{"in": MESSAGE or "text", "out": MESSAGE, "hints": […],
//! "means": […], "declined": CODE}`: what the agent says, the same in v1's words (as it is where
//! `out` is missing), the rows it shows, words of what it decodes to, the error it is answered with.
//! `$BIG` stands for more than 1 MB of text.

mod identity;

use std::{path::Path, sync::Arc};

use proptest::prelude::*;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

use super::*;
use crate::{
    acp::{decode::Decoder, encode::call_in_dialect},
    model::{
        ClientCaps, ConnectionId, FromAgent, HostRequest, McpServer, McpTransport, ModeId,
        OptionValue, PermissionKind, RequestKey, SecretPairs, SessionId, SessionKey, SessionSetup,
    },
    rpc::{
        Direction, Inbound, Outbox, Peer, Protocol, Reader, Receiver, Tap, WireLine, channel,
        write_lines,
    },
};

fn dialect(words: &Value) -> Dialect {
    let of = |word: &Value| {
        let word = word.as_str().expect("a word");
        Dialect::of_word(word).unwrap_or_else(|| panic!("no dialect {word}"))
    };
    match words {
        Value::Null => Dialect::default(),
        Value::Array(words) => words.iter().map(of).reduce(Dialect::and).expect("words"),
        word => of(word),
    }
}

/// A whole connection but for the process.
struct Play {
    peer: Arc<Peer>,
    dialects: Dialects,
    inbox: Receiver<Inbound>,
    log: Receiver<WireLine>,
    stdout: DuplexStream,
    stdin: DuplexStream,
    said: u32,
}

impl Play {
    fn new(dialect: Dialect) -> Self {
        let (stdout, ours) = duplex(1 << 22);
        let (stdin, theirs) = duplex(1 << 22);
        let (outbox, outgoing) = Outbox::new();
        let peer = Arc::new(Peer::new(ConnectionId(1), outbox));
        let (inbox, inbound) = channel(1 << 26);
        let (watcher, log) = channel(1 << 26);
        let tap = Tap::new(Some(watcher));
        let dialects = Dialects::new(dialect);
        let decoder = Decoder::new(ClientCaps::default(), dialects.clone());
        let reader = Reader::new(Arc::clone(&peer), decoder, inbox, tap.clone());
        tokio::spawn(reader.run(ours, 1 << 26, std::future::pending()));
        tokio::spawn(write_lines(outgoing, theirs, tap));
        Self {
            peer,
            dialects,
            inbox: inbound,
            log,
            stdout,
            stdin,
            said: 0,
        }
    }

    async fn step(&mut self, step: &Value, whole: &str) {
        if let Some(sent) = step.get("send") {
            let method = known_method(sent["method"].as_str().expect("a method"));
            self.dialects.note_contents(&held(&sent["params"]));
            let tag = tag(method, &sent["params"]);
            let (peer, params) = (&self.peer, sent["params"].clone());
            call_in_dialect(
                peer,
                &self.dialects,
                SessionKey::default(),
                tag,
                method,
                params,
            );
            let line = self.line().await;
            let wire = step.get("wire").unwrap_or(sent);
            assert_eq!(line["jsonrpc"], "2.0", "{whole}");
            assert_eq!(line["method"], wire["method"], "{whole}");
            assert_eq!(line["params"], wire["params"], "{whole}");
            let plain = self.plain(Direction::ToAgent).await;
            match plain {
                Some(plain) => assert_eq!(&plain["params"], &sent["params"], "{whole}"),
                None => assert!(step.get("wire").is_none(), "not logged as v1: {whole}"),
            }
            return;
        }
        let said = self.hear(&step["in"]).await;
        let hints: Vec<&str> = said
            .iter()
            .filter_map(|said| match said {
                FromAgent::Dialect(DialectHint::Detected(row) | DialectHint::Wanted(row)) => {
                    Some(row.name())
                }
                FromAgent::Dialect(DialectHint::Threads) => Some("threads"),
                FromAgent::Dialect(DialectHint::McpServers) => Some("mcp-servers"),
                _ => None,
            })
            .collect();
        let expected = step.get("hints").cloned().unwrap_or_else(|| json!([]));
        assert_eq!(json!(hints), expected, "{whole}");
        let meaning = format!("{said:?}");
        for word in step["means"].as_array().into_iter().flatten() {
            let word = word.as_str().expect("a word");
            assert!(meaning.contains(word), "no {word} in {meaning}\n{whole}");
        }
        if step.get("out").is_some_and(Value::is_null) {
            assert!(said.is_empty(), "{said:?}\n{whole}");
        }
        let plain = self.plain(Direction::FromAgent).await;
        assert_eq!(
            plain.as_ref(),
            step.get("out").filter(|out| !out.is_null()),
            "{whole}"
        );
        if let Some(code) = step.get("declined") {
            assert_eq!(&self.line().await["error"]["code"], code, "{whole}");
        }
    }

    /// What a line of the agent comes to.
    async fn hear(&mut self, line: &Value) -> Vec<FromAgent> {
        let line = match line {
            Value::String(line) => line.clone(),
            line => line.to_string().replace("$BIG", &"x".repeat(1_200_000)),
        };
        self.said += 1;
        let end = format!("end {}", self.said);
        let lines = format!("{line}\n{end}\n");
        self.stdout.write_all(lines.as_bytes()).await.expect("open");
        let mut said = Vec::new();
        loop {
            match self.inbox.recv().await {
                Some(Inbound::FromAgent(FromAgent::Noise { what, .. })) if what.as_str() == end => {
                    return said;
                }
                Some(Inbound::FromAgent(message)) => said.push(message),
                other => panic!("{other:?}"),
            }
        }
    }

    async fn line(&mut self) -> Value {
        let mut line = Vec::new();
        loop {
            match self.stdin.read_u8().await.expect("a whole line") {
                b'\n' => return serde_json::from_slice(&line).expect("JSON"),
                byte => line.push(byte),
            }
        }
    }

    /// What the wire log has in v1's words since the last time.
    async fn plain(&mut self, direction: Direction) -> Option<Value> {
        tokio::task::yield_now().await;
        let mut plain = None;
        while let Some(line) = self.log.try_recv() {
            if line.plain && line.direction == direction {
                plain = Some(serde_json::from_slice(&line.bytes).expect("JSON"));
            }
        }
        plain
    }
}

/// A call that holds what these params do.
fn held(params: &Value) -> Call {
    let blocks = params["prompt"].as_array().into_iter().flatten();
    let link = PromptBlock::ResourceLink {
        uri: String::new(),
        name: String::new(),
        size: None,
    };
    if params.get("prompt").is_some() {
        let links = blocks.filter(|block| block["type"] == "resource_link");
        return Call::Prompt {
            session: SessionId::new("s"),
            blocks: links.map(|_| link.clone()).collect(),
        };
    }
    let server = McpServer {
        name: String::new(),
        transport: McpTransport::Http {
            url: String::new(),
            headers: SecretPairs::default(),
        },
    };
    let servers = params["mcpServers"].as_array().into_iter().flatten();
    Call::NewSession(SessionSetup {
        cwd: "/p".into(),
        additional_directories: Vec::new(),
        mcp_servers: servers.map(|_| server.clone()).collect(),
        system_prompt: None,
        no_suggestions: false,
    })
}

fn known_method(method: &str) -> &'static str {
    [
        "initialize",
        "authenticate",
        "session/new",
        "session/load",
        "session/resume",
        "session/close",
        "session/prompt",
        "session/set_mode",
        "session/set_config_option",
    ]
    .into_iter()
    .find(|known| *known == method)
    .unwrap_or_else(|| panic!("no method {method}"))
}

fn tag(method: &str, params: &Value) -> CallTag {
    let text = |key: &str| params[key].as_str().unwrap_or_default().to_owned();
    let session = || SessionId::new(text("sessionId"));
    match method {
        "initialize" => CallTag::Initialize,
        "session/new" => CallTag::NewSession,
        "session/load" => CallTag::LoadSession { id: session() },
        "session/resume" => CallTag::ResumeSession { id: session() },
        "session/close" => CallTag::CloseSession { id: session() },
        "session/prompt" => CallTag::Prompt { session: session() },
        "session/set_mode" => CallTag::SetMode {
            session: session(),
            mode: ModeId::new(text("modeId")),
        },
        "session/set_config_option" => CallTag::SetConfigOption {
            session: session(),
            option: text("configId"),
            value: OptionValue::Id(text("value")),
        },
        _ => CallTag::Authenticate {
            method: text("methodId"),
        },
    }
}

fn golden() -> Vec<(String, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dialects");
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the golden files") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let text = std::fs::read_to_string(&path).expect("a golden file");
        for line in text.lines() {
            let conversation = serde_json::from_str(line)
                .unwrap_or_else(|error| panic!("{name}: {error}\n{line}"));
            all.push((name.clone(), conversation));
        }
    }
    all
}

// D-01, D-02, D-03, D-04, D-05, D-06, D-07, D-08, D-09, D-10, D-11, D-12, D-13, D-14, D-15, D-16,
// D-17, D-18, D-19, D-20, D-21, D-22, D-23, D-24, D-25, D-26, D-27, D-28, D-29, D-43
// V1-SES-22: `session/set_model` goes out under D-21 alone.
#[tokio::test]
async fn every_row_reads_and_speaks_as_its_golden_file() {
    let golden = golden();
    for row in (1..=29).chain([43]) {
        let row = format!("D-{row:02}");
        assert!(golden.iter().any(|(name, _)| *name == row), "no {row}");
    }
    let mut wrong = Vec::new();
    for (name, conversation) in golden {
        // Each on a task of its own, so that one failure does not hide the next.
        let played = tokio::spawn(async move {
            let mut play = Play::new(dialect(&conversation["dialect"]));
            for step in conversation["steps"].as_array().expect("steps") {
                let whole = format!("{name}, {}: {step}", conversation["name"]);
                play.step(step, &whole).await;
            }
        });
        wrong.extend(played.await.err().map(|error| error.to_string()));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn every_dialect() -> impl Strategy<Value = Dialect> {
    let words: Vec<&str> = Dialect::words().collect();
    prop::collection::vec(prop::sample::select(words), 0..4).prop_map(|words| {
        let dialects = words.iter().filter_map(|word| Dialect::of_word(word));
        dialects.reduce(Dialect::and).unwrap_or_default()
    })
}

/// A permission request that is none in many ways.
fn permission() -> impl Strategy<Value = Value> {
    let word = || {
        prop_oneof![
            Just(json!("a")),
            Just(json!("allow")),
            Just(json!("Yes, always")),
            Just(json!("allow_always")),
            Just(json!("allow_once")),
            Just(json!("reject_once")),
            Just(json!("allowAlways")),
            Just(json!(7)),
            Just(Value::Null),
        ]
    };
    let option_key = prop::sample::select(vec![
        "id", "label", "optionId", "name", "kind", "title", "value",
    ]);
    let option = prop::collection::vec((option_key, word()), 0..5).prop_map(object);
    let options = prop_oneof![
        4 => prop::collection::vec(option, 0..4).prop_map(Value::from),
        1 => word(),
    ];
    let call_key = prop::sample::select(vec!["toolCallId", "title", "kind", "content"]);
    let call = prop::collection::vec((call_key, word()), 0..4).prop_map(object);
    let key = prop::sample::select(vec![
        "sessionId",
        "toolCallId",
        "title",
        "description",
        "kind",
        "outcome",
        "default",
    ]);
    let rest = prop::collection::vec((key, word()), 0..5).prop_map(object);
    (options, call, rest, any::<bool>(), any::<bool>()).prop_map(
        |(options, call, mut rest, has_call, has_session)| {
            rest["options"] = options;
            if has_call {
                rest["toolCall"] = call;
            }
            if has_session {
                rest["sessionId"] = json!("s");
            }
            rest
        },
    )
}

fn object(members: Vec<(&'static str, Value)>) -> Value {
    let members = members
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value));
    Value::Object(members.collect())
}

proptest! {
    // No row turns an unanswered permission into a selected option: options keep the ids and kinds
    // that the agent wrote. What has none gets one only from an id and label that tell it.
    #[test]
    fn no_dialect_approves(dialect in every_dialect(), params in permission()) {
        let dialects = Dialects::new(dialect);
        dialects.sent(&CallTag::LoadSession { id: SessionId::new("s") });
        let mut decoder = Decoder::new(ClientCaps::default(), dialects);
        let key = RequestKey { connection: ConnectionId(1), number: 1 };
        let request = decoder.request(key, "session/request_permission", &params.to_string());
        let Ok(FromAgent::Request { request: HostRequest::Permission(request), .. }) = request
        else {
            return Ok(());
        };
        let session = params["sessionId"].as_str().unwrap_or("s");
        prop_assert_eq!(request.session.as_str(), session);
        let raw = params["options"].as_array().expect("a list");
        for option in &request.options {
            let id = option.id.as_str();
            let is_from = |raw: &&Value| raw["optionId"] == id || raw["id"] == id;
            let kind = match option.kind {
                PermissionKind::AllowOnce => "allow_once",
                PermissionKind::AllowAlways => "allow_always",
                PermissionKind::RejectOnce => "reject_once",
                PermissionKind::RejectAlways => "reject_always",
                PermissionKind::Unknown => {
                    prop_assert!(raw.iter().any(|raw| is_from(&raw)));
                    continue;
                }
            };
            // Both names, where it has two.
            let is_told = |raw: &Value| {
                let says = |name: &str| super::option_kind::kind_of(id, name) == Some(kind);
                let mut names = ["label", "name"].into_iter().filter_map(|name| raw[name].as_str()).peekable();
                let told = if names.peek().is_none() { says(id) } else { names.all(says) };
                raw.get("optionId").is_none() && told
            };
            prop_assert!(
                raw.iter()
                    .any(|raw| is_from(&raw) && (raw["kind"] == kind || is_told(raw)))
            );
        }
    }
}
