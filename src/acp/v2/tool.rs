//! Tool calls: `tool_call_update`, `tool_call_content_chunk`, and a permission's subject (V2-UPD-03,
//! V2-UPD-04).

use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{
    blocks::block,
    diff,
    read::{
        Member, Misfit, Text, items, lines, need, note, object, patch, patched, present, read_as,
        string, text,
    },
    terminal::cancel,
};
use crate::{
    acp::decode::{changes_files, claims, command, raw_json},
    model::{
        AgentEvent, Meta, Patch, SessionId, TerminalId, ToolCallId, ToolCallPatch, ToolContent,
        ToolKind, ToolLocation, ToolStatus,
    },
    text::SafeText,
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Update<'a> {
    #[serde(borrow)]
    tool_call_id: Member<'a>,
    #[serde(borrow, default, deserialize_with = "present")]
    name: Member<'a>,
    #[serde(borrow, default, deserialize_with = "present")]
    title: Member<'a>,
    #[serde(borrow, default, deserialize_with = "present")]
    kind: Member<'a>,
    #[serde(borrow, default, deserialize_with = "present")]
    status: Member<'a>,
    #[serde(borrow, default, deserialize_with = "present")]
    content: Member<'a>,
    #[serde(borrow, default, deserialize_with = "present")]
    locations: Member<'a>,
    #[serde(borrow, default, deserialize_with = "present")]
    raw_input: Member<'a>,
    #[serde(borrow, default, deserialize_with = "present")]
    raw_output: Member<'a>,
    #[serde(borrow, default, deserialize_with = "present")]
    capabilities: Member<'a>,
    #[serde(borrow, default, rename = "_meta", deserialize_with = "present")]
    meta: Member<'a>,
}

/// The members of a call, from the update itself or from where else it stands.
pub fn update(update: &str) -> Result<ToolCallPatch, Misfit> {
    let update: Update<'_> = object(update).ok_or(Misfit)?;
    let id = need(update.tool_call_id)?;
    let mut of_content = Meta::default();
    let content = patch(update.content, |content| {
        let items = items(content, |raw| content_item(raw, &mut of_content))?;
        Some(items.into_iter().flatten().collect())
    });
    let raw = |raw: Member<'_>| raw.map(|raw| raw_json(raw.get()));
    let mut call = ToolCallPatch {
        name: patch(update.name, string),
        // With its line breaks: it can be all there is of a command that asks for approval.
        title: patch(update.title, lines),
        kind: patch(update.kind, |kind| {
            text(kind).map(|kind| ToolKind::of(kind.as_str()))
        }),
        status: patch(update.status, |status| {
            text(status).map(|status| ToolStatus::of(status.as_str()))
        }),
        content,
        locations: patch(update.locations, |list| items(list, location)),
        raw_input: patch(update.raw_input, raw),
        raw_output: patch(update.raw_output, raw),
        cancel: patch(update.capabilities, cancel),
        meta: patched(update.meta, &of_content),
        ..ToolCallPatch::new(ToolCallId::new(id.as_str()))
    };
    let changes = changes_files(&call.kind);
    call.claims = patch(update.raw_input, |raw| {
        let found = |raw: &RawValue| claims::find(raw.get());
        Some(raw.filter(|_| changes).map(found).unwrap_or_default())
    });
    match update.raw_input.map(RawValue::get) {
        None => {}
        // Nothing any more: neither is what it named.
        Some("null") => {
            (call.command, call.command_cwd) = (Patch::Clear, Patch::Clear);
            call.input = Patch::Clear;
        }
        Some(raw) => command::tell(&mut call, raw),
    }
    Ok(call)
}

pub fn content_chunk(update: &str) -> Result<AgentEvent, Misfit> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Chunk<'a> {
        #[serde(borrow)]
        tool_call_id: Member<'a>,
        #[serde(borrow)]
        content: &'a RawValue,
        #[serde(borrow, rename = "_meta")]
        meta: Member<'a>,
    }
    let chunk: Chunk<'_> = object(update).ok_or(Misfit)?;
    let id = need(chunk.tool_call_id)?;
    let mut meta = Meta::default();
    note(chunk.meta, &mut meta);
    Ok(AgentEvent::ToolContent {
        id: ToolCallId::new(id.as_str()),
        content: content_item(chunk.content, &mut meta)?,
        meta,
    })
}

/// One item: a diff of several files is as many pieces.
fn content_item(raw: &RawValue, meta: &mut Meta) -> Result<Vec<ToolContent>, Misfit> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Item<'a> {
        #[serde(borrow, rename = "type")]
        kind: Text<'a>,
        #[serde(borrow)]
        content: Member<'a>,
        #[serde(borrow)]
        terminal_id: Member<'a>,
        #[serde(borrow)]
        session_id: Member<'a>,
        #[serde(borrow, rename = "_meta")]
        meta: Member<'a>,
    }
    let item: Item<'_> = object(raw.get()).ok_or(Misfit)?;
    note(item.meta, meta);
    Ok(vec![match item.kind.as_str() {
        "content" => ToolContent::Block(block(item.content.ok_or(Misfit)?, meta)?),
        "diff" => return diff::changes(raw.get(), meta),
        "terminal" => ToolContent::Terminal(TerminalId::new(need(item.terminal_id)?.as_str())),
        "session" => ToolContent::Session(SessionId::new(need(item.session_id)?.as_str())),
        other => ToolContent::Unknown {
            kind: SafeText::line(other),
            raw: raw_json(raw.get()),
        },
    }])
}

fn location(raw: &RawValue) -> Result<ToolLocation, Misfit> {
    #[derive(Deserialize)]
    struct Location<'a> {
        #[serde(borrow)]
        path: Member<'a>,
        #[serde(borrow)]
        line: Member<'a>,
    }
    let location: Location<'_> = object(raw.get()).ok_or(Misfit)?;
    Ok(ToolLocation {
        path: need(location.path)?.into_string(),
        line: read_as(location.line).filter(|line| *line > 0),
    })
}

/// Shared, as all diffs are.
pub fn shared(diff: crate::model::Diff) -> ToolContent {
    ToolContent::Diff(Arc::new(diff))
}
