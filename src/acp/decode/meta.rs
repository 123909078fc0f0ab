//! What stands in `_meta`. Of a tool call of version 1: terminals that the agent runs itself, `terminal_info`,
//! then `terminal_output` or `terminal_output_delta`, then `terminal_exit`. No part of the protocol,
//! but claude, codex and pi do it alike. Everything else is kept as it is (V1-META-01).

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use super::{
    raw_json,
    view::{Member, Pass, Text, object},
};
use crate::{
    model::{AgentEvent, ExitStatus, Meta, Patch, RawJson, TerminalId, TerminalPatch},
    rpc::{is_wide, tree},
};

/// Keys that [`events`] reads: what they say goes to a terminal's screen.
const TERMINAL_KEYS: [&str; 4] = [
    "terminal_info",
    "terminal_output",
    "terminal_output_delta",
    "terminal_exit",
];

/// Adds the `_meta` of an update as it is; in version 1 without what [`events`] reads. Ignores anything but an
/// object.
pub fn note(pass: Pass, member: Member<'_>, meta: &mut Meta) {
    let Some(text) = member.map(RawValue::get) else {
        return;
    };
    if !text.starts_with('{') || text == "{}" {
        return;
    }
    if pass.is_v2() || !TERMINAL_KEYS.iter().any(|key| text.contains(key)) {
        return meta.add(RawJson(text.into()));
    }
    let Some(Value::Object(mut members)) = tree(text) else {
        return;
    };
    members.retain(|key, _| !TERMINAL_KEYS.contains(&key.as_str()));
    if !members.is_empty() {
        meta.add(RawJson(Value::Object(members).to_string().into()));
    }
}

/// The `_meta` of something that is patched, and `others`, of what is in it. In version 1 it stands in place of all
/// that there was, in version 2 it is patched by its keys (V2-RPC-03). The member must be read with
/// [`present`](crate::rpc::present).
pub fn of_entity(pass: Pass, member: Member<'_>, mut others: Meta) -> Meta {
    let mut meta = Meta::default();
    match member.map(RawValue::get) {
        None => {}
        Some("null") => meta.clear(),
        Some(_) if !pass.is_v2() => {
            meta.clear();
            note(pass, member, &mut others);
        }
        Some(text) if is_wide(text) => {}
        Some(text) => {
            let keys: BTreeMap<String, &RawValue> = object(text).unwrap_or_default();
            for (key, value) in keys {
                let kept = (value.get() != "null").then(|| raw_json(value.get()));
                meta.set(&key, kept);
            }
        }
    }
    meta.extend(others.objects());
    meta
}

#[derive(Deserialize)]
struct Terminals<'a> {
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
    let Some(meta) = Pass::Loose.object::<Terminals<'_>>(meta).ok().flatten() else {
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
