//! What is sent in version 2.

use super::{answers::answer_to, *};
use crate::model::{OptionId, RpcError, TerminalId, ToolCallId, code};

async fn wire_lines(messages: impl IntoIterator<Item = ToAgent>) -> Vec<Value> {
    lines_of(Protocol::V2, messages).await
}

/// Method and params of the one line that a message becomes.
async fn wire(message: ToAgent) -> Value {
    let mut lines = wire_lines([message]).await;
    assert_eq!(lines.len(), 1);
    let mut line = lines.remove(0);
    json!([line["method"].take(), line["params"].take()])
}

async fn call(call: Call) -> Value {
    wire(ToAgent::Call(call)).await
}

// V2-INIT-01, V2-INIT-03
#[tokio::test]
async fn initialize_names_version_2_and_offers_by_objects() {
    let sent = call(Call::Initialize {
        caps: ClientCaps::default(),
    })
    .await;
    let params = &sent[1];
    assert_eq!(sent[0], "initialize");
    assert_eq!(params["protocolVersion"], 2);
    assert_eq!(params["info"]["name"], "acp-tui");
    assert_eq!(
        params["capabilities"],
        json!({"auth": {"terminal": {}}, "elicitation": {"form": {}, "url": {}}})
    );
    let alone = Call::Initialize {
        caps: ClientCaps {
            elicitation_form: false,
            elicitation_url: false,
            login_terminal: false,
            ..ClientCaps::default()
        },
    };
    assert_eq!(call(alone).await[1]["capabilities"], json!({}));
}

// V2-AUTH-01, V2-AUTH-03
#[tokio::test]
async fn signing_in_and_out() {
    let login = Call::Authenticate {
        method: "web".to_owned(),
    };
    assert_eq!(
        call(login).await,
        json!(["auth/login", {"methodId": "web"}])
    );
    assert_eq!(call(Call::Logout).await, json!(["auth/logout", {}]));
}

#[tokio::test]
async fn sessions_are_opened_listed_closed_and_deleted() {
    // V2-SES-01: nothing but the folder is needed.
    let new = call(Call::NewSession(setup(&[]))).await;
    assert_eq!(new, json!(["session/new", {"cwd": "/p"}]));
    // V2-SES-02
    let (session, setup) = (id, || setup(&[]));
    let load = Call::LoadSession {
        id: session(),
        setup: setup(),
    };
    assert_eq!(
        call(load).await,
        json!(["session/resume", {"sessionId": "s", "cwd": "/p", "replayFrom": {"type": "start"}}])
    );
    let resume = Call::ResumeSession {
        id: session(),
        setup: setup(),
    };
    assert_eq!(
        call(resume).await,
        json!(["session/resume", {"sessionId": "s", "cwd": "/p"}])
    );
    // V2-SES-05
    let list = |cursor: Option<&str>| Call::ListSessions {
        cwd: "/p".into(),
        cursor: cursor.map(str::to_owned),
    };
    assert_eq!(
        call(list(None)).await,
        json!(["session/list", {"cwd": "/p"}])
    );
    assert_eq!(
        call(list(Some(""))).await,
        json!(["session/list", {"cwd": "/p", "cursor": ""}])
    );
    assert_eq!(
        call(Call::CloseSession { id: id() }).await,
        json!(["session/close", {"sessionId": "s"}])
    );
    assert_eq!(
        call(Call::DeleteSession { id: id() }).await,
        json!(["session/delete", {"sessionId": "s"}])
    );
}

// V2-SES-06
#[tokio::test]
async fn mcp_servers_name_their_type() {
    let pairs = || SecretPairs(vec![("n".to_owned(), "v".to_owned())]);
    let server = |transport| McpServer {
        name: "m".to_owned(),
        transport,
    };
    let servers = vec![
        server(McpTransport::Stdio {
            command: "/bin/m".into(),
            args: vec!["x".to_owned()],
            env: pairs(),
        }),
        server(McpTransport::Http {
            url: "https://e/m".to_owned(),
            headers: pairs(),
        }),
    ];
    let new = Call::NewSession(SessionSetup {
        mcp_servers: servers,
        additional_directories: vec!["/q".into()],
        system_prompt: Some(SystemPrompt {
            text: "Be brief.".to_owned(),
            replaces: true,
        }),
        ..setup(&[])
    });
    assert_eq!(
        call(new).await[1],
        json!({
            "cwd": "/p", "additionalDirectories": ["/q"],
            "mcpServers": [
                {"type": "stdio", "name": "m", "command": "/bin/m", "args": ["x"],
                 "env": [{"name": "n", "value": "v"}]},
                {"type": "http", "name": "m", "url": "https://e/m",
                 "headers": [{"name": "n", "value": "v"}]},
            ],
            "systemPrompt": {"mode": "override", "content": [{"type": "text", "text": "Be brief."}]},
        })
    );
}

#[tokio::test]
async fn a_prompt_and_its_blocks() {
    let media = |passing| MediaBlock {
        data: "aGk=".into(),
        mime_type: "image/png".to_owned(),
        uri: "file:///p/c.png".to_owned(),
        passing,
        name: "c.png".to_owned(),
        size: 2,
        written: "@c.png".to_owned(),
    };
    let prompt = Call::Prompt {
        session: id(),
        blocks: vec![
            PromptBlock::Text("look".to_owned()),
            PromptBlock::ResourceLink {
                uri: "file:///p/a".to_owned(),
                name: "a".to_owned(),
                size: Some(3),
            },
            PromptBlock::Resource {
                uri: "file:///p/b".to_owned(),
                text: "b".to_owned(),
            },
            PromptBlock::Image(media(false)),
            PromptBlock::Image(media(true)),
            PromptBlock::Audio(media(false)),
        ],
    };
    assert_eq!(
        call(prompt).await,
        json!(["session/prompt", {"sessionId": "s", "prompt": [
            {"type": "text", "text": "look"},
            {"type": "resource_link", "uri": "file:///p/a", "name": "a", "size": 3},
            {"type": "resource", "resource": {"uri": "file:///p/b", "text": "b"}},
            {"type": "image", "data": "aGk=", "mimeType": "image/png", "uri": "file:///p/c.png"},
            {"type": "image", "data": "aGk=", "mimeType": "image/png"},
            {"type": "audio", "data": "aGk=", "mimeType": "image/png"},
        ]}])
    );
}

// V2-CAN-01, V2-CAN-02
#[tokio::test]
async fn what_runs_is_cancelled_by_name() {
    let cancel = ToAgent::Notify(Notification::Cancel { session: id() });
    assert_eq!(
        wire(cancel).await,
        json!(["session/cancel", {"sessionId": "s"}])
    );
    let tool = Call::CancelToolCall {
        session: id(),
        id: ToolCallId::new("c"),
    };
    assert_eq!(
        call(tool).await,
        json!(["tool_call/cancel", {"sessionId": "s", "toolCallId": "c"}])
    );
    let terminal = Call::CancelTerminal {
        session: id(),
        id: TerminalId::new("t"),
    };
    assert_eq!(
        call(terminal).await,
        json!(["terminal/cancel", {"sessionId": "s", "terminalId": "t"}])
    );
    let open = Call::Logout;
    let tag = open.tag();
    let lines = wire_lines([
        ToAgent::Call(open),
        ToAgent::Notify(Notification::CancelCall(tag)),
    ])
    .await;
    assert_eq!(lines[1]["params"], json!({"requestId": 1}));
}

// V2-UPD-09
#[tokio::test]
async fn an_option_is_set_by_its_type() {
    let set = |value| Call::SetConfigOption {
        session: id(),
        option: "x".to_owned(),
        value,
    };
    assert_eq!(
        call(set(OptionValue::Id("a".to_owned()))).await,
        json!(["session/set_config_option",
            {"sessionId": "s", "configId": "x", "type": "id", "value": "a"}])
    );
    assert_eq!(
        call(set(OptionValue::Flag(true))).await,
        json!(["session/set_config_option",
            {"sessionId": "s", "configId": "x", "type": "boolean", "value": true}])
    );
}

#[tokio::test]
async fn what_version_2_has_not_is_not_sent() {
    let lines = wire_lines([
        ToAgent::Call(Call::ForkSession {
            id: id(),
            at: None,
            setup: setup(&[]),
        }),
        ToAgent::Call(Call::SetMode {
            session: id(),
            mode: ModeId::new("m"),
        }),
    ])
    .await;
    assert!(lines.is_empty(), "{lines:?}");
}

async fn answered(method: &str, id: Value, reply: HostReply) -> Value {
    let ask = json!({"jsonrpc": "2.0", "id": id, "method": method});
    answer_to(Protocol::V2, ask, reply).await["result"].take()
}

// V2-RPC-01, V2-PERM-02, V2-ELI-01
#[tokio::test]
async fn requests_are_answered_by_their_ids() {
    let permission = "session/request_permission";
    let selected = HostReply::Permission(PermissionOutcome::Selected(OptionId::new("y")));
    assert_eq!(
        answered(permission, json!("7"), selected).await,
        json!({"outcome": {"outcome": "selected", "optionId": "y"}})
    );
    let cancelled = HostReply::Permission(PermissionOutcome::Cancelled);
    assert_eq!(
        answered(permission, json!(7), cancelled).await,
        json!({"outcome": {"outcome": "cancelled"}})
    );
    let filled = vec![
        ("a".to_owned(), FormValue::Text("x".to_owned())),
        ("b".to_owned(), FormValue::Integer(3)),
        ("c".to_owned(), FormValue::Number(0.5)),
        ("d".to_owned(), FormValue::Boolean(true)),
        ("e".to_owned(), FormValue::Texts(vec!["y".to_owned()])),
    ];
    let form = "elicitation/create";
    let accept = HostReply::Elicitation(ElicitationAnswer::Accept(Some(filled)));
    assert_eq!(
        answered(form, json!(-1), accept).await,
        json!({"action": "accept", "content": {"a": "x", "b": 3, "c": 0.5, "d": true, "e": ["y"]}})
    );
    for (answer, action) in [
        (ElicitationAnswer::Accept(None), "accept"),
        (ElicitationAnswer::Decline, "decline"),
        (ElicitationAnswer::Cancel, "cancel"),
    ] {
        let told = answered(form, json!(1), HostReply::Elicitation(answer)).await;
        assert_eq!(told, json!({"action": action}));
    }
    let error = HostReply::Error(RpcError::new(code::INVALID_PARAMS, "no"));
    assert_eq!(answered(form, json!(1), error).await, Value::Null);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    // V2-RPC-01: whatever is written, the message is one line of the protocol.
    #[test]
    fn every_prompt_is_one_line_of_the_protocol(text in ".*", session in ".*") {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let call = Call::Prompt {
            session: SessionId::new(&session),
            blocks: vec![PromptBlock::Text(text.clone())],
        };
        let lines = runtime.block_on(wire_lines([ToAgent::Call(call)]));
        prop_assert_eq!(lines.len(), 1);
        prop_assert_eq!(&lines[0]["params"]["prompt"][0]["text"], &json!(text));
        prop_assert_eq!(&lines[0]["params"]["sessionId"], &json!(session));
        prop_assert_eq!(&lines[0]["id"], &json!(1));
    }
}
