//! What stands in `_meta`. Of a tool call: terminals that the agent runs itself, `terminal_info`,
//! then `terminal_output` or `terminal_output_delta`, then `terminal_exit`. No part of the protocol,
//! but claude, codex and pi do it alike. Everything else is kept as it is (V1-META-01).

use serde::Deserialize;
use serde_json::Value;

use super::view::{Member, Pass, Text};
use crate::{
    model::{AgentEvent, ExitStatus, Patch, RawJson, TerminalId, TerminalPatch},
    rpc::tree,
};

/// Keys that [`events`] reads: what they say goes to a terminal's screen.
const TERMINAL_KEYS: [&str; 4] = [
    "terminal_info",
    "terminal_output",
    "terminal_output_delta",
    "terminal_exit",
];

/// `_meta` as it is kept (V1-META-01): what is no object says nothing.
pub fn kept(meta: Member<'_>) -> Option<RawJson> {
    let text = meta?.get();
    if !text.starts_with('{') || text == "{}" {
        return None;
    }
    if !TERMINAL_KEYS.iter().any(|key| text.contains(key)) {
        return Some(RawJson(text.into()));
    }
    let Value::Object(mut meta) = tree(text)? else {
        return None;
    };
    meta.retain(|key, _| !TERMINAL_KEYS.contains(&key.as_str()));
    (!meta.is_empty()).then(|| RawJson(Value::Object(meta).to_string().into()))
}

#[derive(Deserialize)]
struct Meta<'a> {
    #[serde(borrow)]
    terminal_info: Member<'a>,
    #[serde(borrow)]
    terminal_output: Member<'a>,
    #[serde(borrow)]
    terminal_output_delta: Member<'a>,
    #[serde(borrow)]
    terminal_exit: Member<'a>,
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow)]
    terminal_id: Text<'a>,
    #[serde(borrow)]
    cwd: Option<Text<'a>>,
    #[serde(borrow)]
    data: Option<Text<'a>>,
    exit_code: Option<i64>,
    #[serde(borrow)]
    signal: Option<Text<'a>>,
}

/// What `_meta` says about terminals, in the order in which it holds. Nothing in it is an error.
pub fn events(meta: Member<'_>) -> Vec<AgentEvent> {
    let part = |member| Pass::Loose.object::<Part<'_>>(member).ok().flatten();
    let Some(meta) = Pass::Loose.object::<Meta<'_>>(meta).ok().flatten() else {
        return Vec::new();
    };
    let mut events = Vec::new();
    if let Some(info) = part(meta.terminal_info) {
        events.push(AgentEvent::Terminal(Box::new(TerminalPatch {
            cwd: info.cwd.map(Text::into_string).into(),
            // A terminal that is announced is an empty one, whatever had its id before.
            output: Patch::Clear,
            ..TerminalPatch::new(TerminalId::new(info.terminal_id.as_str()))
        })));
    }
    // Both add to what was sent before: they differ in when an agent chooses which.
    for output in [meta.terminal_output, meta.terminal_output_delta] {
        if let Some(output) = part(output)
            && let Some(data) = output.data
        {
            events.push(AgentEvent::TerminalOutput {
                id: TerminalId::new(output.terminal_id.as_str()),
                data: data.into_string().into_bytes(),
            });
        }
    }
    if let Some(exit) = part(meta.terminal_exit) {
        events.push(AgentEvent::Terminal(Box::new(TerminalPatch {
            exit: Patch::Set(ExitStatus {
                code: exit.exit_code,
                signal: exit.signal.map(Text::into_string),
            }),
            ..TerminalPatch::new(TerminalId::new(exit.terminal_id.as_str()))
        })));
    }
    events
}
