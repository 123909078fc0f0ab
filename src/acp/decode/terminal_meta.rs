//! Terminals that the agent runs itself, told in a tool call's `_meta`: `terminal_info`, then
//! `terminal_output` or `terminal_output_delta`, then `terminal_exit`. No part of the protocol, but
//! claude, codex and pi do it alike.

use serde::Deserialize;

use super::view::{Member, Pass, Text};
use crate::proto::{AgentEvent, ExitStatus, TerminalId, TerminalMeta};

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

/// What `_meta` says about terminals, in the order in which it holds. Whatever else stands in
/// `_meta` is not looked at, and nothing in it is an error.
pub fn events(meta: Member<'_>) -> Vec<AgentEvent> {
    let part = |member| Pass::Loose.object::<Part<'_>>(member).ok().flatten();
    let Some(meta) = Pass::Loose.object::<Meta<'_>>(meta).ok().flatten() else {
        return Vec::new();
    };
    let mut events = Vec::new();
    if let Some(info) = part(meta.terminal_info) {
        events.push(AgentEvent::Terminal(TerminalMeta::Info {
            id: TerminalId::new(info.terminal_id.as_str()),
            cwd: info.cwd.map(Text::into_string),
        }));
    }
    // Both add to what was sent before: they differ in when an agent chooses which.
    for output in [meta.terminal_output, meta.terminal_output_delta] {
        if let Some(output) = part(output)
            && let Some(data) = output.data
        {
            events.push(AgentEvent::Terminal(TerminalMeta::Output {
                id: TerminalId::new(output.terminal_id.as_str()),
                data: data.into_string(),
            }));
        }
    }
    if let Some(exit) = part(meta.terminal_exit) {
        events.push(AgentEvent::Terminal(TerminalMeta::Exit {
            id: TerminalId::new(exit.terminal_id.as_str()),
            status: ExitStatus {
                code: exit.exit_code,
                signal: exit.signal.map(Text::into_string),
            },
        }));
    }
    events
}
