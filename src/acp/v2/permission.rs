//! `session/request_permission` (V2-PERM).

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{
    Decoder,
    read::{Items, Member, Misfit, Text, lines, need, need_as, need_object, object, text},
    tool,
};
use crate::{
    acp::decode::raw_json,
    model::{
        CommandSubject, OptionId, PermissionKind, PermissionOption, PermissionRequest,
        PermissionSubject, TerminalId, ToolCallId,
    },
    text::SafeText,
};

/// # Errors
/// Whatever does not fit: nothing that could approve something is guessed.
pub fn decode(decoder: &mut Decoder, params: &str) -> Result<PermissionRequest, Misfit> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Params<'a> {
        #[serde(borrow)]
        session_id: Member<'a>,
        #[serde(borrow)]
        title: Member<'a>,
        #[serde(borrow)]
        description: Member<'a>,
        #[serde(borrow)]
        subject: Member<'a>,
        #[serde(borrow)]
        options: Member<'a>,
    }
    let params: Params<'_> = object(params).ok_or(Misfit)?;
    let session = need(params.session_id)?;
    let Items(options) = need_as(params.options)?;
    let options: Vec<_> = options.into_iter().map(option).collect::<Result<_, _>>()?;
    if options.is_empty() {
        return Err(Misfit);
    }
    Ok(PermissionRequest {
        session: decoder.session(session.as_str()),
        title: Some(SafeText::new(need(params.title)?.as_str())),
        description: lines(params.description),
        subject: match params.subject {
            Some(subject) => self::subject(subject)?,
            None => PermissionSubject::None,
        },
        options,
    })
}

fn subject(raw: &RawValue) -> Result<PermissionSubject, Misfit> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Subject<'a> {
        #[serde(borrow, rename = "type")]
        kind: Text<'a>,
        #[serde(borrow)]
        tool_call: Member<'a>,
        #[serde(borrow)]
        command: Member<'a>,
        #[serde(borrow)]
        cwd: Member<'a>,
        #[serde(borrow)]
        tool_call_id: Member<'a>,
        #[serde(borrow)]
        terminal_id: Member<'a>,
    }
    let subject: Subject<'_> = object(raw.get()).ok_or(Misfit)?;
    Ok(match subject.kind.as_str() {
        "tool_call" => {
            let call = tool::update(subject.tool_call.ok_or(Misfit)?.get())?;
            PermissionSubject::ToolCall(Box::new(call))
        }
        "command" => PermissionSubject::Command(CommandSubject {
            command: need(subject.command)?.into_string(),
            cwd: need(subject.cwd)?.into_string(),
            tool_call: text(subject.tool_call_id).map(|id| ToolCallId::new(id.as_str())),
            terminal: text(subject.terminal_id).map(|id| TerminalId::new(id.as_str())),
        }),
        other => PermissionSubject::Other {
            kind: SafeText::line(other),
            raw: raw_json(raw.get()),
        },
    })
}

fn option(raw: &RawValue) -> Result<PermissionOption, Misfit> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Choice<'a> {
        #[serde(borrow)]
        option_id: Member<'a>,
        #[serde(borrow)]
        name: Member<'a>,
        #[serde(borrow)]
        kind: Member<'a>,
    }
    let choice: Choice<'_> = need_object(Some(raw))?;
    Ok(PermissionOption {
        id: OptionId::new(need(choice.option_id)?.as_str()),
        name: SafeText::line(need(choice.name)?.as_str()),
        // V2-PERM-02
        kind: PermissionKind::of(need(choice.kind)?.as_str()),
    })
}
