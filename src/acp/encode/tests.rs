//! What is sent: every line is held against the schema of its version.

use proptest::prelude::*;
use serde_json::json;
use tokio::io::AsyncReadExt;

use super::*;
use crate::{
    model::{
        ConnectionId, Dialect, MediaBlock, MessageId, ModeId, OptionValue, ProviderRoute,
        SessionId, SessionKey, SessionSetup,
    },
    rpc::{Outbox, Tap, write_lines},
};

mod answers;
mod v2;

/// Every message that these tests make is held against the schema of the protocol.
#[path = "../../../tests/support/schema.rs"]
#[allow(dead_code, reason = "tests use a part each")]
pub mod schema_of_the_protocol;

use schema_of_the_protocol::Traffic;

/// What stands on the wire for a message.
async fn wire(message: ToAgent) -> Value {
    let mut lines = wire_lines([message]).await;
    assert_eq!(lines.len(), 1);
    lines.remove(0)
}

async fn wire_lines(messages: impl IntoIterator<Item = ToAgent>) -> Vec<Value> {
    lines_of(Protocol::V1, messages).await
}

fn traffic(protocol: Protocol) -> Traffic {
    match protocol {
        Protocol::V2 => Traffic::in_version_2(),
        _ => Traffic::default(),
    }
}

async fn lines_of(protocol: Protocol, messages: impl IntoIterator<Item = ToAgent>) -> Vec<Value> {
    let (outbox, outgoing) = Outbox::new();
    let peer = Peer::new(ConnectionId(1), outbox);
    let dialects = Dialects::new(Dialect::default());
    for message in messages {
        send(&peer, &dialects, protocol, SessionKey::default(), message);
    }
    peer.close();
    let (mut ours, theirs) = tokio::io::duplex(4096);
    tokio::spawn(write_lines(outgoing, theirs, Tap::new(None)));
    let mut text = String::new();
    ours.read_to_string(&mut text).await.expect("UTF-8");
    let mut traffic = traffic(protocol);
    let line = |line: &str| {
        traffic.sent(line).expect("of the protocol");
        serde_json::from_str(line).expect("a line of JSON")
    };
    text.lines().map(line).collect()
}

async fn call(call: Call) -> Value {
    let mut message = wire(ToAgent::Call(call)).await;
    assert_eq!(message["jsonrpc"], "2.0");
    assert_eq!(message["id"], 1);
    let method = message["method"].take();
    json!([method, message["params"].take()])
}

fn id() -> SessionId {
    SessionId::new("s")
}

fn servers(text: &str) -> Vec<McpServer> {
    let pairs = || SecretPairs(vec![(text.to_owned(), text.to_owned())]);
    let transports = [
        McpTransport::Stdio {
            command: "/bin/server".into(),
            args: vec![text.to_owned()],
            env: pairs(),
        },
        McpTransport::Http {
            url: text.to_owned(),
            headers: pairs(),
        },
        McpTransport::Sse {
            url: text.to_owned(),
            headers: SecretPairs::default(),
        },
    ];
    let server = |transport| McpServer {
        name: "s".to_owned(),
        transport,
    };
    transports.map(server).into()
}

// V1-MCP-01, V1-MCP-02: all members, and no `type` over stdio.
#[tokio::test]
async fn mcp_servers_stand_in_every_call_that_opens_a_session() {
    let with_servers = || SessionSetup {
        mcp_servers: servers("t"),
        ..setup(&[])
    };
    let expected = json!([
        {"name": "s", "command": "/bin/server", "args": ["t"], "env": [{"name": "t", "value": "t"}]},
        {"type": "http", "name": "s", "url": "t", "headers": [{"name": "t", "value": "t"}]},
        {"type": "sse", "name": "s", "url": "t", "headers": []},
    ]);
    let (session, with) = (id, with_servers);
    for opens in [
        Call::NewSession(with()),
        Call::LoadSession {
            id: session(),
            setup: with(),
        },
        Call::ResumeSession {
            id: session(),
            setup: with(),
        },
        Call::ForkSession {
            id: session(),
            at: None,
            setup: with(),
        },
    ] {
        let sent = call(opens).await;
        assert_eq!(sent[1]["mcpServers"], expected, "{}", sent[0]);
    }
}

fn setup(directories: &[&str]) -> SessionSetup {
    SessionSetup {
        cwd: "/p".into(),
        additional_directories: directories.iter().map(Into::into).collect(),
        mcp_servers: Vec::new(),
        system_prompt: None,
        no_suggestions: false,
    }
}

// V1-INIT-02, V1-INIT-05, V1-INIT-07, V1-INIT-08, V1-INIT-09, V1-INIT-10, V1-INIT-11, V1-INIT-12,
// V1-INIT-13, V1-INIT-16: nothing is offered that is not built (V1-INIT-15); what is not of the
// protocol stands under `_meta`, and none of it under a reserved name (V1-META-03, V1-META-05).
#[tokio::test]
async fn initialize_offers_what_works() {
    let caps = ClientCaps {
        write_text_file: false,
        ..ClientCaps::default()
    };
    assert_eq!(
        call(Call::Initialize { caps }).await,
        json!(["initialize", {
            "protocolVersion": 1,
            "clientCapabilities": {
                "fs": {"readTextFile": true, "writeTextFile": false},
                "terminal": true,
                "session": {
                    "notices": {}, "compaction": {}, "configOptions": {"boolean": {}},
                    "promptSuggestions": {},
                },
                "plan": {},
                "subagents": {},
                "auth": {"terminal": true},
                "elicitation": {"form": {}, "url": {}},
                "_meta": {"terminal_output": true, "terminal-auth": true},
            },
            "clientInfo": {
                "name": "acp-tui",
                "title": "acp-tui",
                "version": env!("CARGO_PKG_VERSION"),
            },
        }])
    );
}

// V1-INIT-15
#[tokio::test]
async fn each_mode_of_elicitation_is_offered_by_name() {
    for (form, url, offered) in [
        (true, false, json!({"form": {}})),
        (false, true, json!({"url": {}})),
        (false, false, json!(null)),
    ] {
        let caps = ClientCaps {
            elicitation_form: form,
            elicitation_url: url,
            ..ClientCaps::default()
        };
        let sent = call(Call::Initialize { caps }).await;
        assert_eq!(sent[1]["clientCapabilities"]["elicitation"], offered);
    }
}

// V1-INIT-14
#[tokio::test]
async fn a_login_at_a_terminal_is_offered_only_where_there_is_one() {
    let caps = ClientCaps {
        login_terminal: false,
        ..ClientCaps::default()
    };
    let sent = call(Call::Initialize { caps }).await;
    let offered = &sent[1]["clientCapabilities"];
    assert_eq!(offered["auth"], json!({"terminal": false}));
    assert_eq!(offered["_meta"], json!({"terminal_output": true}));
}

// V1-AUTH-10; V1-AUTH-09 and V1-CAN-09: by the id of the call, which stays open.
#[tokio::test]
async fn a_call_is_given_up_by_its_id() {
    assert_eq!(call(Call::Logout).await, json!(["logout", {}]));
    let tag = || CallTag::Authenticate {
        method: "key".to_owned(),
    };
    let give_up = || ToAgent::Notify(Notification::CancelCall(tag()));
    let authenticate = Call::Authenticate {
        method: "key".to_owned(),
    };
    // The first is for nothing that is open.
    let lines = wire_lines([give_up(), ToAgent::Call(authenticate), give_up()]).await;
    let [authenticate, cancel] = lines.as_slice() else {
        panic!("{lines:?}")
    };
    assert_eq!(cancel["method"], "$/cancel_request");
    assert_eq!(cancel["params"], json!({"requestId": authenticate["id"]}));
    assert!(cancel.get("id").is_none());
}

// V1-SES-01, V1-SES-06, V1-SES-08, V1-SES-11; no MCP servers yet (V1-INIT-19).
#[tokio::test]
async fn sessions_are_opened_with_all_that_is_required() {
    assert_eq!(
        call(Call::NewSession(setup(&[]))).await,
        json!(["session/new", {"cwd": "/p", "mcpServers": []}])
    );
    let load = Call::LoadSession {
        id: id(),
        setup: setup(&["/q"]),
    };
    assert_eq!(
        call(load).await,
        json!(["session/load", {
            "sessionId": "s", "cwd": "/p", "mcpServers": [], "additionalDirectories": ["/q"],
        }])
    );
    let resume = Call::ResumeSession {
        id: id(),
        setup: setup(&[]),
    };
    let resume = call(resume).await;
    assert_eq!(resume[0], "session/resume");
    assert_eq!(resume[1]["sessionId"], "s");
    assert_eq!(resume[1]["cwd"], "/p");
    assert_eq!(
        call(Call::CloseSession { id: id() }).await,
        json!(["session/close", {"sessionId": "s"}])
    );
}

// V1-SES-10: in each request that opens a session, as one block of text.
#[tokio::test]
async fn a_system_prompt_goes_along_with_every_opening() {
    for (replaces, mode) in [(false, "append"), (true, "override")] {
        let setup = SessionSetup {
            system_prompt: Some(SystemPrompt {
                text: "Be brief.".to_owned(),
                replaces,
            }),
            ..setup(&[])
        };
        let (id, again) = (id(), || setup.clone());
        for opening in [
            Call::NewSession(again()),
            Call::LoadSession {
                id: id.clone(),
                setup: again(),
            },
            Call::ResumeSession {
                id: id.clone(),
                setup: again(),
            },
            Call::ForkSession {
                id: id.clone(),
                at: None,
                setup: again(),
            },
        ] {
            let content = json!([{"type": "text", "text": "Be brief."}]);
            let expected = json!({"mode": mode, "content": content});
            assert_eq!(call(opening).await[1]["systemPrompt"], expected);
        }
    }
}

// V1-SES-16
#[tokio::test]
async fn a_fork_names_the_message_at_which_it_ends_beside_other_options() {
    let fork = |at: Option<&str>, no_suggestions| Call::ForkSession {
        id: id(),
        at: at.map(MessageId::new),
        setup: SessionSetup {
            no_suggestions,
            ..setup(&[])
        },
    };
    let point = json!({"version": 1, "messageId": "m1"});
    let meta = call(fork(Some("m1"), false)).await[1]["_meta"].clone();
    assert_eq!(meta, json!({"jetbrains": {"air": {"fork": point}}}));
    let meta = call(fork(Some("m1"), true)).await[1]["_meta"].clone();
    assert_eq!(meta["jetbrains"]["air"]["fork"], point);
    assert!(meta["claudeCode"].is_object());
    assert_eq!(call(fork(None, false)).await[1].get("_meta"), None);
}

#[tokio::test]
async fn an_agent_of_claude_code_is_told_at_every_opening_to_suggest_nothing() {
    let setup = || SessionSetup {
        no_suggestions: true,
        ..setup(&[])
    };
    let (id, other) = (id(), id());
    let told = json!({"claudeCode": {"options": {"promptSuggestions": false}}});
    for opening in [
        Call::NewSession(setup()),
        Call::LoadSession {
            id: id.clone(),
            setup: setup(),
        },
        Call::ResumeSession { id, setup: setup() },
        Call::ForkSession {
            id: other,
            at: None,
            setup: setup(),
        },
    ] {
        assert_eq!(call(opening).await[1]["_meta"], told);
    }
    let quiet = ClientCaps {
        suggestions: false,
        ..ClientCaps::default()
    };
    let hello = call(Call::Initialize { caps: quiet }).await;
    assert_eq!(
        hello[1]["clientCapabilities"]["session"].get("promptSuggestions"),
        None
    );
}

// V1-PROMPT-01, V1-CONT-01, V1-CONT-04, V1-CONT-05
#[tokio::test]
async fn a_prompt_is_a_list_of_blocks() {
    let blocks = vec![
        PromptBlock::Text("hi\n".to_owned()),
        PromptBlock::ResourceLink {
            uri: "file:///a%20b".to_owned(),
            name: "a b".to_owned(),
            size: Some(3),
        },
        PromptBlock::Resource {
            uri: "file:///c".to_owned(),
            text: "c".to_owned(),
        },
    ];
    assert_eq!(
        call(Call::Prompt {
            session: id(),
            blocks
        })
        .await,
        json!(["session/prompt", {"sessionId": "s", "prompt": [
            {"type": "text", "text": "hi\n"},
            {"type": "resource_link", "uri": "file:///a%20b", "name": "a b", "size": 3},
            {"type": "resource", "resource": {"uri": "file:///c", "text": "c"}},
        ]}])
    );
}

#[tokio::test]
async fn words_for_an_open_turn_are_blocks_and_ask_for_nothing_else() {
    let steer = Call::Steer {
        session: id(),
        number: 7,
        blocks: vec![PromptBlock::Text("left".to_owned())],
    };
    let expected = json!(["_session/steering", {
        "sessionId": "s",
        "prompt": [{"type": "text", "text": "left"}],
        "_meta": {"steering": {"idleBehavior": "promptRequired"}},
    }]);
    assert_eq!(call(steer).await, expected);
}

fn media(mime_type: &str, passing: bool) -> MediaBlock {
    MediaBlock {
        data: "aGk=".into(),
        mime_type: mime_type.to_owned(),
        uri: "file:///a%20b.png".to_owned(),
        passing,
        name: "a b.png".to_owned(),
        size: 2,
        written: "@\"/a b.png\"".to_owned(),
    }
}

// V1-CONT-02, V1-CONT-03
#[tokio::test]
async fn images_and_sounds_are_sent_with_their_data() {
    let blocks = vec![
        PromptBlock::Image(media("image/png", false)),
        // Where a file is that will not stay is nothing to be told.
        PromptBlock::Image(media("image/png", true)),
        PromptBlock::Audio(media("audio/wav", false)),
    ];
    assert_eq!(
        call(Call::Prompt {
            session: id(),
            blocks
        })
        .await,
        json!(["session/prompt", {"sessionId": "s", "prompt": [
            {"type": "image", "data": "aGk=", "mimeType": "image/png", "uri": "file:///a%20b.png"},
            {"type": "image", "data": "aGk=", "mimeType": "image/png"},
            {"type": "audio", "data": "aGk=", "mimeType": "audio/wav"},
        ]}])
    );
}

// V1-AUTH-02, V1-MODE-02, V1-CFG-08
#[tokio::test]
async fn modes_options_and_authentication() {
    assert_eq!(
        call(Call::Authenticate {
            method: "key".to_owned()
        })
        .await,
        json!(["authenticate", {"methodId": "key"}])
    );
    assert_eq!(
        call(Call::SetMode {
            session: id(),
            mode: ModeId::new("plan")
        })
        .await,
        json!(["session/set_mode", {"sessionId": "s", "modeId": "plan"}])
    );
    let option = Call::SetConfigOption {
        session: id(),
        option: "model".to_owned(),
        value: OptionValue::Id("big".to_owned()),
    };
    assert_eq!(
        call(option).await,
        json!(["session/set_config_option", {"sessionId": "s", "configId": "model", "value": "big"}])
    );
    // V1-CFG-03, V1-CFG-08
    let flag = Call::SetConfigOption {
        session: id(),
        option: "fast".to_owned(),
        value: OptionValue::Flag(true),
    };
    assert_eq!(
        call(flag).await,
        json!(["session/set_config_option", {
            "sessionId": "s", "configId": "fast", "type": "boolean", "value": true,
        }])
    );
}

// V1-CAN-01
#[tokio::test]
async fn cancelling_is_a_notification() {
    assert_eq!(
        wire(ToAgent::Notify(Notification::Cancel { session: id() })).await,
        json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s"}})
    );
}

/// One of each, with that text wherever text goes. Each kind of [`Call`] has to stand here.
fn calls(text: &str, path: &str) -> Vec<Call> {
    let session = SessionId::new(text);
    let setup = SessionSetup {
        mcp_servers: servers(text),
        ..setup(&[path, path])
    };
    let calls = vec![
        Call::Initialize {
            caps: ClientCaps::default(),
        },
        Call::Authenticate {
            method: text.to_owned(),
        },
        Call::Logout,
        Call::ListProviders,
        Call::SetProvider(provider(text, text)),
        Call::DisableProvider {
            id: text.to_owned(),
        },
        Call::NewSession(setup.clone()),
        Call::LoadSession {
            id: session.clone(),
            setup: setup.clone(),
        },
        Call::ResumeSession {
            id: session.clone(),
            setup,
        },
        Call::CloseSession {
            id: session.clone(),
        },
        Call::ListSessions {
            cwd: path.into(),
            cursor: Some(text.to_owned()),
        },
        Call::DeleteSession {
            id: session.clone(),
        },
        Call::SetTitle {
            session: session.clone(),
            title: text.to_owned(),
        },
        Call::Prompt {
            session: session.clone(),
            blocks: vec![
                PromptBlock::Text(text.to_owned()),
                PromptBlock::ResourceLink {
                    uri: text.to_owned(),
                    name: text.to_owned(),
                    size: Some(u64::MAX),
                },
                PromptBlock::Resource {
                    uri: text.to_owned(),
                    text: text.to_owned(),
                },
                PromptBlock::Image(media(text, false)),
                PromptBlock::Audio(media(text, false)),
            ],
        },
        Call::SetMode {
            session: session.clone(),
            mode: ModeId::new(text),
        },
        Call::SetConfigOption {
            session,
            option: text.to_owned(),
            value: OptionValue::Id(text.to_owned()),
        },
    ];
    for call in &calls {
        match call {
            Call::Initialize { .. }
            | Call::Authenticate { .. }
            | Call::Logout
            | Call::ListProviders
            | Call::SetProvider(_)
            | Call::DisableProvider { .. }
            | Call::SetTitle { .. }
            | Call::NewSession(_)
            | Call::LoadSession { .. }
            | Call::ResumeSession { .. }
            | Call::ForkSession { .. }
            | Call::CloseSession { .. }
            | Call::ListSessions { .. }
            | Call::DeleteSession { .. }
            | Call::Prompt { .. }
            | Call::Steer { .. }
            | Call::SetMode { .. }
            | Call::SetConfigOption { .. } => {}
            // Of version 2.
            Call::CancelToolCall { .. } | Call::CancelTerminal { .. } => {}
        }
    }
    calls
}

fn provider(protocol: &str, text: &str) -> ProviderSetting {
    ProviderSetting {
        id: text.to_owned(),
        route: ProviderRoute {
            protocol: protocol.to_owned(),
            base_url: text.to_owned(),
        },
        headers: SecretPairs(vec![(text.to_owned(), text.to_owned())]),
    }
}

// V1-AUTH-12
#[tokio::test]
async fn providers_are_set_whole_and_their_protocols_named_as_they_came() {
    for protocol in ["openai", "anthropic", "_own"] {
        let expected = json!({
            "providerId": "t", "apiType": protocol, "baseUrl": "t", "headers": {"t": "t"},
        });
        let sent = call(Call::SetProvider(provider(protocol, "t"))).await;
        assert_eq!(sent, json!(["providers/set", expected]));
    }
    assert_eq!(
        call(Call::ListProviders).await,
        json!(["providers/list", {}])
    );
    let disable = Call::DisableProvider { id: "t".to_owned() };
    assert_eq!(
        call(disable).await,
        json!(["providers/disable", {"providerId": "t"}])
    );
}

// V1-SES-20
#[tokio::test]
async fn a_title_is_sent_with_its_session() {
    let title = Call::SetTitle {
        session: id(),
        title: "Parser".to_owned(),
    };
    assert_eq!(
        call(title).await,
        json!(["session/set_title", {"sessionId": "s", "title": "Parser"}])
    );
}

// V1-SES-12: the first page has no cursor, an empty one is sent as it is.
#[tokio::test]
async fn a_cursor_is_sent_as_it_came() {
    let list = |cursor: Option<&str>| Call::ListSessions {
        cwd: "/p".into(),
        cursor: cursor.map(str::to_owned),
    };
    assert_eq!(call(list(None)).await[1], json!({"cwd": "/p"}));
    assert_eq!(
        call(list(Some(""))).await[1],
        json!({"cwd": "/p", "cursor": ""})
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    // V1-META-02, V1-META-04, V1-RPC-27: by the schema, which `wire` asks.
    #[test]
    fn whatever_the_words_only_what_the_protocol_has_is_sent(text in any::<String>(), path in "/\\PC{0,20}") {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        for wanted in calls(&text, &path) {
            let sent = runtime.block_on(call(wanted));
            let method = sent[0].as_str().expect("a method");
            let of_agent = ["initialize", "authenticate", "logout"].contains(&method);
            let known = of_agent
                || ["session/", "providers/"].iter().any(|part| method.starts_with(part));
            prop_assert!(known, "{method}");
            for paths in [&sent[1]["cwd"], &sent[1]["additionalDirectories"][0]] {
                prop_assert!(paths.as_str().is_none_or(|path| path.starts_with('/')));
            }
        }
    }
}
