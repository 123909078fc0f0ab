//! Tool calls: what `tool_call`, `tool_call_update` and a permission request's `toolCall` share
//! (V1-TOOL).

use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{
    blocks, claims, command, raw_json, terminal_meta,
    view::{Member, Misfit, Pass, Text, object},
};
use crate::{
    model::{
        Diff, Meta, Patch, SessionId, TerminalId, ToolCallId, ToolCallPatch, ToolContent, ToolKind,
        ToolLocation, ToolStatus,
    },
    text::SafeText,
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCall<'a> {
    #[serde(borrow)]
    tool_call_id: Member<'a>,
    #[serde(borrow)]
    title: Member<'a>,
    #[serde(borrow)]
    name: Member<'a>,
    #[serde(borrow)]
    kind: Member<'a>,
    #[serde(borrow)]
    status: Member<'a>,
    #[serde(borrow)]
    content: Member<'a>,
    #[serde(borrow)]
    locations: Member<'a>,
    #[serde(borrow)]
    raw_input: Member<'a>,
    #[serde(borrow)]
    raw_output: Member<'a>,
    #[serde(borrow, rename = "_meta")]
    pub meta: Member<'a>,
}

impl ToolCall<'_> {
    /// # Errors
    /// In the loose pass only for a call without an id.
    pub fn patch(&self, pass: Pass, announces: bool) -> Result<ToolCallPatch, Misfit> {
        let id = pass.text(self.tool_call_id)?.ok_or(Misfit)?;
        let mut meta = Meta::default();
        meta.extend(terminal_meta::kept(self.meta));
        let content = contents(pass, self.content, &mut meta)?;
        let mut patch = ToolCallPatch {
            announces,
            // With its line breaks: it can be all there is of a command that asks for approval.
            title: pass.safe_text(self.title)?.into(),
            name: pass.text(self.name)?.map(Text::into_string).into(),
            kind: pass
                .text(self.kind)?
                .map(|kind| ToolKind::of(kind.as_str()))
                .into(),
            status: pass
                .text(self.status)?
                .map(|status| tool_status(status.as_str()))
                .into(),
            content: content.into(),
            meta,
            locations: pass
                .list(self.locations, |item| location(pass, item))?
                .into(),
            raw_input: self.raw_input.map(|raw| raw_json(raw.get())).into(),
            raw_output: self.raw_output.map(|raw| raw_json(raw.get())).into(),
            ..ToolCallPatch::new(ToolCallId::new(id.as_str()))
        };
        if let Some(raw) = self.raw_input
            && !command::is_empty(raw.get())
        {
            command::tell(&mut patch, raw.get());
        }
        if let Some(raw) = self.raw_input.filter(|_| changes_files(&patch.kind)) {
            patch.claims = Patch::Set(claims::find(raw.get()));
        }
        Ok(patch)
    }
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

/// Version 1 has none that is paused or cancelled: an agent that says so is not known (V1-TOOL-05).
fn tool_status(status: &str) -> ToolStatus {
    match ToolStatus::of(status) {
        ToolStatus::Paused | ToolStatus::Cancelled => ToolStatus::Unknown(SafeText::line(status)),
        known => known,
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Item<'a> {
    #[serde(borrow, rename = "type")]
    kind: Text<'a>,
    #[serde(borrow)]
    content: Member<'a>,
    #[serde(borrow)]
    path: Member<'a>,
    #[serde(borrow)]
    old_text: Member<'a>,
    #[serde(borrow)]
    new_text: Member<'a>,
    #[serde(borrow)]
    terminal_id: Member<'a>,
    #[serde(borrow)]
    session_id: Member<'a>,
    #[serde(borrow, rename = "_meta")]
    meta: Member<'a>,
}

/// What stands where the list should be is loosely taken for its one item.
fn contents(
    pass: Pass,
    member: Member<'_>,
    meta: &mut Meta,
) -> Result<Option<Vec<ToolContent>>, Misfit> {
    match (
        pass.list(member, |item| content(pass, item, meta).map(Some))?,
        member,
    ) {
        (None, Some(single)) => Ok(Some(vec![content(pass, single, meta)?])),
        (list, _) => Ok(list),
    }
}

/// A piece of content; loosely [`ToolContent::Unknown`] for what cannot be understood, so that it
/// costs no more than itself.
fn content(pass: Pass, raw: &RawValue, meta: &mut Meta) -> Result<ToolContent, Misfit> {
    let item = object::<Item<'_>>(raw.get());
    let known = match &item {
        Some(item) => known_content(pass, item, meta)?,
        None => None,
    };
    match (known, pass) {
        (Some(known), _) => Ok(known),
        (None, Pass::Strict) => Err(Misfit),
        (None, Pass::Loose) => Ok(ToolContent::Unknown {
            kind: SafeText::line(item.as_ref().map_or("content", |item| item.kind.as_str())),
            raw: raw_json(raw.get()),
        }),
    }
}

fn known_content(
    pass: Pass,
    item: &Item<'_>,
    meta: &mut Meta,
) -> Result<Option<ToolContent>, Misfit> {
    meta.extend(terminal_meta::kept(item.meta));
    Ok(match item.kind.as_str() {
        "content" => match item.content {
            Some(block) => Some(ToolContent::Block(blocks::decode(pass, block, meta)?)),
            None => None,
        },
        "diff" => match (pass.text(item.path)?, pass.file_text(item.new_text)?) {
            (Some(path), Some(new)) => Some(ToolContent::Diff(Arc::new(Diff::of_texts(
                path.into_string(),
                pass.file_text(item.old_text)?,
                new,
            )))),
            _ => None,
        },
        "terminal" => pass
            .text(item.terminal_id)?
            .map(|id| ToolContent::Terminal(TerminalId::new(id.as_str()))),
        "session" => pass
            .text(item.session_id)?
            .map(|id| ToolContent::Session(SessionId::new(id.as_str()))),
        _ => None,
    })
}

fn location(pass: Pass, raw: &RawValue) -> Result<Option<ToolLocation>, Misfit> {
    #[derive(Deserialize)]
    struct Location<'a> {
        #[serde(borrow)]
        path: Member<'a>,
        #[serde(borrow)]
        line: Member<'a>,
    }
    let Some(location) = pass.object::<Location<'_>>(Some(raw))? else {
        return Ok(None);
    };
    let Some(path) = pass.allow(pass.text(location.path)?)? else {
        return Ok(None);
    };
    Ok(Some(ToolLocation {
        path: path.into_string(),
        line: pass
            .count(location.line)?
            .and_then(|line| u32::try_from(line).ok()),
    }))
}
