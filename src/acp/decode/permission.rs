//! `session/request_permission` (V1-PERM, V2-PERM).

use serde_json::value::RawValue;

use super::{
    Decoder, raw_json, tool,
    view::{Misfit, Pass, Text, members, need, need_lines, need_object, object},
};
use crate::{
    model::{
        CommandSubject, OptionId, PermissionKind, PermissionOption, PermissionRequest,
        PermissionSubject, TerminalId, ToolCallId,
    },
    text::SafeText,
};

members!(struct Params {
    session_id,
    /// What version 1 asks about; version 2 has a subject with a title and a description.
    tool_call,
    title,
    description,
    subject,
    options,
});

/// # Errors
/// Strictly and in version 2, when anything does not fit: nothing that could approve something is guessed. Loosely,
/// without a session, a tool call's id, or an option to answer with.
pub fn decode(
    decoder: &mut Decoder,
    pass: Pass,
    params: &str,
) -> Result<PermissionRequest, Misfit> {
    let params: Params<'_> = object(params).ok_or(Misfit)?;
    let session = need(params.session_id)?;
    let mut offered = 0;
    let options = pass.exactly().list(params.options, |raw| {
        offered += 1;
        option(pass, raw).map(Some)
    })?;
    let options = options.ok_or(Misfit)?;
    if options.is_empty() && (offered > 0 || pass.is_v2()) {
        return Err(Misfit);
    }
    let (title, description, subject) = if pass.is_v2() {
        let subject = match params.subject {
            Some(subject) => self::subject(pass, subject)?,
            None => PermissionSubject::None,
        };
        let description = pass.lines(params.description)?;
        (Some(need_lines(params.title)?), description, subject)
    } else {
        let call = params.tool_call.ok_or(Misfit)?;
        (None, None, tool_call(pass, call)?)
    };
    Ok(PermissionRequest {
        session: decoder.session(session.as_str()),
        title,
        description,
        subject,
        options,
    })
}

fn tool_call(pass: Pass, call: &RawValue) -> Result<PermissionSubject, Misfit> {
    let call = tool::patch(pass, call.get(), false)?;
    Ok(PermissionSubject::ToolCall(Box::new(call)))
}

/// Of version 2 (V2-PERM-01).
fn subject(pass: Pass, raw: &RawValue) -> Result<PermissionSubject, Misfit> {
    members!(struct Subject {
        kind = "type": Text<'a>,
        tool_call,
        command,
        cwd,
        tool_call_id,
        terminal_id,
    });
    let subject: Subject<'_> = object(raw.get()).ok_or(Misfit)?;
    Ok(match subject.kind.as_str() {
        "tool_call" => tool_call(pass, subject.tool_call.ok_or(Misfit)?)?,
        "command" => PermissionSubject::Command(CommandSubject {
            command: need(subject.command)?.into_string(),
            cwd: need(subject.cwd)?.into_string(),
            tool_call: pass
                .text(subject.tool_call_id)?
                .map(|id| ToolCallId::new(id.as_str())),
            terminal: pass
                .text(subject.terminal_id)?
                .map(|id| TerminalId::new(id.as_str())),
        }),
        other => PermissionSubject::Other {
            kind: SafeText::line(other),
            raw: raw_json(raw.get()),
        },
    })
}

fn option(pass: Pass, raw: &RawValue) -> Result<PermissionOption, Misfit> {
    members!(struct Choice {
        option_id,
        name,
        kind,
    });
    let choice: Choice<'_> = need_object(Some(raw))?;
    let id = need(choice.option_id)?;
    let name = pass.want(choice.name)?;
    let kind = pass.want_in_v2(choice.kind)?;
    Ok(PermissionOption {
        name: SafeText::line(name.as_ref().unwrap_or(&id).as_str()),
        // V1-PERM-05, V2-PERM-02
        kind: kind.map_or_else(PermissionKind::default, |kind| {
            PermissionKind::of(kind.as_str())
        }),
        id: OptionId::new(id.as_str()),
    })
}
