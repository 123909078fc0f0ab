//! Tool calls: what updates of them and a permission's subject share (V1-TOOL, V2-UPD-03, V2-UPD-04).

use std::sync::Arc;

use serde_json::value::RawValue;

use super::{
    blocks, claims, command, git_patch,
    meta::{note, of_entity},
    plan, raw_json,
    view::{Member, Misfit, Pass, Text, cancels, members, need, object},
};
use crate::{
    model::{
        AgentEvent, Diff, Meta, Patch, SessionId, TerminalId, ToolCallId, ToolCallPatch,
        ToolContent, ToolKind, ToolLocation, ToolStatus,
    },
    text::SafeText,
};

members!(struct ToolCall {
    tool_call_id,
    title or null,
    name or null,
    kind or null,
    status or null,
    content or null,
    locations or null,
    raw_input or null,
    raw_output or null,
    capabilities or null,
    meta = "_meta" or null,
});

/// The update of a call, from its members.
///
/// # Errors
/// Strictly, when anything does not fit; else only without an id.
pub fn decode(pass: Pass, members: &str, announces: bool) -> Result<AgentEvent, Misfit> {
    let call = patch(pass, members, announces)?;
    Ok(AgentEvent::ToolCall(Box::new(call)))
}

/// As [`decode`], wherever the members stand.
pub fn patch(pass: Pass, members: &str, announces: bool) -> Result<ToolCallPatch, Misfit> {
    let said: ToolCall<'_> = object(members).ok_or(Misfit)?;
    let id = need(said.tool_call_id)?;
    let mut meta = Meta::default();
    if !pass.is_v2() {
        note(pass, said.meta, &mut meta);
    }
    let content = pass.patch_in_v2(said.content, |list| contents(pass, list, &mut meta))?;
    let raw = |raw: Member<'_>| Ok(raw.map(|raw| raw_json(raw.get())));
    let mut call = ToolCallPatch {
        announces,
        // With its line breaks: it can be all there is of a command that asks for approval.
        title: pass.patch_in_v2(said.title, |title| pass.lines(title))?,
        name: pass.patch_in_v2(said.name, |name| pass.string(name))?,
        kind: pass.patch_in_v2(said.kind, |kind| {
            Ok(pass.text(kind)?.map(|kind| ToolKind::of(kind.as_str())))
        })?,
        status: pass.patch_in_v2(said.status, |status| {
            let status = pass.text(status)?;
            Ok(status.map(|status| tool_status(pass, status.as_str())))
        })?,
        content,
        locations: pass.patch_in_v2(said.locations, |list| {
            pass.list(list, |raw| location(pass, raw).map(Some))
        })?,
        raw_input: pass.patch_in_v2(said.raw_input, raw)?,
        raw_output: pass.patch_in_v2(said.raw_output, raw)?,
        cancel: match pass {
            Pass::V2 => pass.patch(said.capabilities, |caps| cancels(pass, caps))?,
            // Nothing there says that it can.
            _ => Patch::Keep,
        },
        meta: match pass {
            Pass::V2 => of_entity(pass, said.meta, meta),
            _ => meta,
        },
        ..ToolCallPatch::new(ToolCallId::new(id.as_str()))
    };
    read_input(pass, &mut call, said.raw_input.map(RawValue::get));
    Ok(call)
}

/// Adds what the raw input shows. In version 2 a new input replaces what an earlier one showed.
fn read_input(pass: Pass, call: &mut ToolCallPatch, raw: Option<&str>) {
    let changes = changes_files(&call.kind);
    match raw {
        None => {}
        Some("null") if !pass.is_v2() => {}
        Some("null") => {
            (call.command, call.command_cwd) = (Patch::Clear, Patch::Clear);
            (call.input, call.claims) = (Patch::Clear, Patch::Clear);
        }
        Some(raw) => {
            if pass.is_v2() || !command::is_empty(raw) {
                command::add_to(call, raw);
            }
            call.claims = match changes {
                true => Patch::Set(claims::find(raw)),
                false if pass.is_v2() => Patch::Set(Default::default()),
                false => Patch::Keep,
            };
            call.todos = plan::todos(raw);
            if call.todos.is_some() {
                // The same list again, as JSON for the model.
                call.content = Patch::Keep;
            }
        }
    }
}

/// `tool_call_content_chunk` (V2-UPD-04).
pub fn content_chunk(pass: Pass, update: &str) -> Result<AgentEvent, Misfit> {
    members!(struct Chunk {
        tool_call_id,
        content: &'a RawValue,
        meta = "_meta",
    });
    let chunk: Chunk<'_> = object(update).ok_or(Misfit)?;
    let id = need(chunk.tool_call_id)?;
    let mut meta = Meta::default();
    note(pass, chunk.meta, &mut meta);
    Ok(AgentEvent::ToolContent {
        id: ToolCallId::new(id.as_str()),
        content: content(pass, chunk.content, &mut meta)?,
        meta,
    })
}

/// Calls of other kinds have such members for other things.
pub fn changes_files(kind: &Patch<ToolKind>) -> bool {
    matches!(
        kind,
        Patch::Keep
            | Patch::Clear
            | Patch::Set(ToolKind::Edit | ToolKind::Delete | ToolKind::Move | ToolKind::Other)
    )
}

/// Version 1 has neither `paused` nor `cancelled`: there they are unknown (V1-TOOL-05).
fn tool_status(pass: Pass, status: &str) -> ToolStatus {
    match ToolStatus::of(status) {
        ToolStatus::Paused | ToolStatus::Cancelled if !pass.is_v2() => {
            ToolStatus::Unknown(SafeText::line(status))
        }
        known => known,
    }
}

members!(struct Item {
    kind = "type": Text<'a>,
    content,
    path,
    old_text,
    new_text,
    terminal_id,
    session_id,
    meta = "_meta",
});

/// What stands where the list should be is loosely taken for its one item.
fn contents(
    pass: Pass,
    member: Member<'_>,
    meta: &mut Meta,
) -> Result<Option<Vec<ToolContent>>, Misfit> {
    let list = pass.list(member, |raw| content(pass, raw, meta))?;
    match (list, member, pass) {
        (None, Some(single), Pass::Loose) => content(pass, single, meta).map(Some),
        (list, ..) => Ok(list),
    }
}

/// An item of content, or [`ToolContent::Unknown`]. A diff of several files is as many pieces.
fn content(pass: Pass, raw: &RawValue, meta: &mut Meta) -> Result<Vec<ToolContent>, Misfit> {
    let item: Option<Item<'_>> = object(raw.get());
    let read = item.as_ref().ok_or(Misfit).and_then(|item| {
        note(pass, item.meta, meta);
        known_content(pass, item, raw, meta)
    });
    pass.or_unknown(read, || {
        vec![ToolContent::Unknown {
            kind: SafeText::line(item.as_ref().map_or("content", |item| item.kind.as_str())),
            raw: raw_json(raw.get()),
        }]
    })
}

fn known_content(
    pass: Pass,
    item: &Item<'_>,
    raw: &RawValue,
    meta: &mut Meta,
) -> Result<Option<Vec<ToolContent>>, Misfit> {
    Ok(Some(vec![match item.kind.as_str() {
        "content" => ToolContent::Block(blocks::decode(pass, item.content.ok_or(Misfit)?, meta)?),
        "diff" if pass.is_v2() => return git_patch::changes(pass, raw.get(), meta).map(Some),
        "diff" => {
            let new = pass.file_text(item.new_text)?.ok_or(Misfit)?;
            let path = need(item.path)?.into_string();
            let old = pass.file_text(item.old_text)?;
            ToolContent::Diff(Arc::new(Diff::of_texts(path, old, new)))
        }
        "terminal" => ToolContent::Terminal(TerminalId::new(need(item.terminal_id)?.as_str())),
        "session" => ToolContent::Session(SessionId::new(need(item.session_id)?.as_str())),
        _ => return Ok(None),
    }]))
}

fn location(pass: Pass, raw: &RawValue) -> Result<ToolLocation, Misfit> {
    members!(struct Location {
        path,
        line,
    });
    let location: Location<'_> = object(raw.get()).ok_or(Misfit)?;
    let line = pass.count(location.line)?;
    let line = line.and_then(|line| u32::try_from(line).ok());
    Ok(ToolLocation {
        path: need(location.path)?.into_string(),
        // Version 2 counts from 1.
        line: line.filter(|line| !pass.is_v2() || *line > 0),
    })
}
