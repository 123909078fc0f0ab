//! What real agents sent: excerpts in `tests/fixtures/wire`, one wire log for each.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::*;
use crate::model::{ContentBlock, Dialect, Patch, PermissionSubject, ToolContent, ToolKind};

/// Methods of agents' own that the recordings hold; they are answered -32601 or ignored.
const FOREIGN: [&str; 1] = ["$/cancel_request"];

/// Decodes everything that the agent said in a wire log; what gets lost is a failure.
fn replay(log: &Path) {
    let text = fs::read_to_string(log).expect("a wire log");
    let mut calls = HashMap::new();
    let mut decoder = decoder();
    for line in text.lines() {
        let entry: Value = serde_json::from_str(line).expect("JSON");
        let msg = &entry["msg"];
        let whole = format!("{}: {msg}", log.display());
        let params = msg["params"].to_string();
        assert_not_normalised(msg);
        match (entry["dir"].as_str(), msg["method"].as_str()) {
            (Some("c2a"), Some(method)) => {
                calls.insert(
                    msg["id"].to_string(),
                    (method.to_owned(), msg["params"].clone()),
                );
            }
            (Some("c2a"), None) => {}
            (_, Some(method)) if FOREIGN.contains(&method) => {}
            (_, Some(method)) if msg.get("id").is_some() => {
                let known = decoder.request(key(), method, &params);
                assert!(known.is_ok(), "{known:?}\n{whole}");
            }
            (_, Some("_auth/status_update")) => {
                let mut said = Vec::new();
                decoder.notification("_auth/status_update", &params, &mut said);
                assert!(
                    matches!(said.as_slice(), [FromAgent::Account(_)]),
                    "{whole}"
                );
            }
            (_, Some("session/update")) => {
                let mut said = Vec::new();
                update::decode(&mut decoder, Pass::Strict, &params, &mut said)
                    .unwrap_or_else(|_| panic!("not strictly v1\n{whole}"));
                assert_keeps(&msg["params"]["update"], &said, &whole);
            }
            (_, Some(method)) => panic!("unknown method {method}\n{whole}"),
            (_, None) if msg.get("error").is_some() => {}
            (_, None) => {
                let (method, params) = &calls[&msg["id"].to_string()];
                let Some(tag) = tag(method, params) else {
                    continue;
                };
                let result = decoder.result(&tag, &msg["result"].to_string());
                assert!(
                    !matches!(result, CallResult::Failed(_)),
                    "{result:?}\n{whole}"
                );
            }
        }
    }
}

/// What is v1 already, the dialects leave alone.
fn assert_not_normalised(msg: &Value) {
    if let Some(method) = msg["method"].as_str().and_then(ClientMethod::from_name) {
        let mut params = msg["params"].clone();
        let dialects = Dialects::new(Dialect::default());
        let heard = dialects.incoming(match method {
            ClientMethod::SessionUpdate => Incoming::Update(&mut params),
            method => Incoming::Request(method, &mut params),
        });
        assert!(!heard.changed && !heard.lost && heard.hints.is_empty());
        assert_eq!(params, msg["params"]);
    }
}

fn tag(method: &str, params: &Value) -> Option<CallTag> {
    let session = || SessionId::new(params["sessionId"].as_str().unwrap_or_default());
    Some(match method {
        "initialize" => CallTag::Initialize,
        "session/new" => CallTag::NewSession,
        "session/load" => CallTag::LoadSession { id: session() },
        "session/prompt" => CallTag::Prompt { session: session() },
        "session/set_mode" => CallTag::SetMode {
            session: session(),
            mode: crate::model::ModeId::new("m"),
        },
        _ => return None,
    })
}

/// The main contents of an update are in what became of it.
fn assert_keeps(update: &Value, said: &[FromAgent], whole: &str) {
    let Some(FromAgent::Update { event, .. }) = said.last() else {
        panic!("lost\n{whole}");
    };
    let has = |member: &str| !update[member].is_null();
    let len = |member: &str| update[member].as_array().map(Vec::len);
    match event {
        AgentEvent::Chunk { content, .. } => {
            let ContentBlock::Text(text) = content else {
                panic!("no text\n{whole}");
            };
            assert_eq!(update["content"]["text"], text.as_str(), "{whole}");
        }
        AgentEvent::ToolCall(patch) => {
            assert_eq!(patch.title.as_set().is_some(), has("title"), "{whole}");
            assert_eq!(patch.status.as_set().is_some(), has("status"), "{whole}");
            assert_eq!(patch.kind.as_set().is_some(), has("kind"), "{whole}");
            assert_eq!(
                patch.content.as_set().map(Vec::len),
                len("content"),
                "{whole}"
            );
            assert_eq!(
                patch.locations.as_set().map(Vec::len),
                len("locations"),
                "{whole}"
            );
            assert_eq!(
                patch.raw_input.as_set().is_some(),
                has("rawInput"),
                "{whole}"
            );
            assert_eq!(
                patch.raw_output.as_set().is_some(),
                has("rawOutput"),
                "{whole}"
            );
            if let Some(command) = update["rawInput"]["command"].as_str() {
                assert_eq!(
                    patch.command.as_set().map(|it| &**it),
                    Some(command),
                    "{whole}"
                );
            }
            let parts = update["_meta"].as_object().map_or(0, |meta| {
                meta.keys()
                    .filter(|key| key.starts_with("terminal_"))
                    .count()
            });
            assert_eq!(said.len(), parts + 1, "{whole}");
        }
        AgentEvent::Plan(entries) => assert_eq!(Some(entries.len()), len("entries")),
        AgentEvent::Commands(commands) => {
            assert_eq!(Some(commands.len()), len("availableCommands"));
        }
        AgentEvent::ConfigOptions(options) => {
            assert_eq!(Some(options.len()), len("configOptions"));
        }
        AgentEvent::Usage(_) | AgentEvent::SessionInfo(_) | AgentEvent::Mode(_) => {}
        // No agent here sends them yet; their own tests hold them.
        AgentEvent::NamedPlan(_)
        | AgentEvent::PlanRemoved(_)
        | AgentEvent::Notice(_)
        | AgentEvent::Suggestion(_)
        | AgentEvent::Limit(_)
        | AgentEvent::Entity(_)
        | AgentEvent::Subagent(_) => {}
        AgentEvent::Terminal(_)
        | AgentEvent::TerminalOutput { .. }
        | AgentEvent::Error(_)
        | AgentEvent::Unknown { .. }
        // Of version 2.
        | AgentEvent::Message { .. }
        | AgentEvent::ToolContent { .. }
        | AgentEvent::State(_)
        | AgentEvent::ReplayComplete => {
            panic!("{event:?}\n{whole}");
        }
    }
}

fn excerpts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/wire")
}

fn wire_logs(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder of wire logs");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.filter(|path| path.extension().is_some_and(|ext| ext == "jsonl"))
}

fn replay_folder(folder: &Path) {
    let count = wire_logs(folder).inspect(|log| replay(log)).count();
    assert!(count > 10, "only {count} wire logs in {}", folder.display());
}

#[test]
fn excerpts_of_real_agents_decode_without_loss() {
    replay_folder(&excerpts());
}

/// Of each call that changes files, in content or raw input.
#[test]
fn every_recorded_edit_tells_its_change() {
    let mut edits = 0;
    for log in wire_logs(&excerpts()) {
        let text = fs::read_to_string(&log).expect("a wire log");
        let mut decoder = decoder();
        // By call: whether it edits, and whether it tells what.
        let mut calls: HashMap<String, (bool, bool)> = HashMap::new();
        for line in text.lines() {
            let entry: Value = serde_json::from_str(line).expect("JSON");
            let (msg, params) = (&entry["msg"], entry["msg"]["params"].to_string());
            let mut said = Vec::new();
            match msg["method"].as_str() {
                Some("session/update") => {
                    let _ = update::decode(&mut decoder, Pass::Strict, &params, &mut said);
                }
                Some(method @ "session/request_permission") => {
                    said.extend(decoder.request(key(), method, &params));
                }
                _ => {}
            }
            for said in said {
                let patch = match said {
                    FromAgent::Update {
                        event: AgentEvent::ToolCall(patch),
                        ..
                    } => patch,
                    FromAgent::Request {
                        request: HostRequest::Permission(request),
                        ..
                    } => match request.subject {
                        PermissionSubject::ToolCall(patch) => patch,
                        _ => continue,
                    },
                    _ => continue,
                };
                let call = calls.entry(patch.id.as_str().to_owned()).or_default();
                call.0 |= patch.kind == Patch::Set(ToolKind::Edit);
                let content = patch.content.as_set().into_iter().flatten();
                let mut content = content.filter(|piece| matches!(piece, ToolContent::Diff(_)));
                let raw = patch
                    .claims
                    .as_set()
                    .is_some_and(|claims| !claims.list.is_empty());
                call.1 |= content.next().is_some() || raw;
            }
        }
        for (id, (_, tells)) in calls.into_iter().filter(|(_, (edits, _))| *edits) {
            assert!(tells, "{id} in {}", log.display());
            edits += 1;
        }
    }
    assert!(edits >= 9, "only {edits} edits");
}

#[test]
#[ignore = "needs whole recordings: ACP_TUI_RECORDINGS"]
fn recordings_of_real_agents_decode_without_loss() {
    let folder = std::env::var_os("ACP_TUI_RECORDINGS");
    let folder = folder.expect("ACP_TUI_RECORDINGS names a folder of wire logs");
    replay_folder(Path::new(&folder));
}
