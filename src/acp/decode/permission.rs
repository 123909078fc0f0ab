//! `session/request_permission` (V1-PERM).

use serde::Deserialize;

use super::{
    Decoder,
    tool::ToolCall,
    view::{Member, Misfit, Pass, object},
};
use crate::{
    model::{OptionId, PermissionKind, PermissionOption, PermissionRequest, PermissionSubject},
    text::SafeText,
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params<'a> {
    #[serde(borrow)]
    session_id: Member<'a>,
    #[serde(borrow)]
    tool_call: Member<'a>,
    #[serde(borrow)]
    options: Member<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawOption<'a> {
    #[serde(borrow)]
    option_id: Member<'a>,
    #[serde(borrow)]
    name: Member<'a>,
    #[serde(borrow)]
    kind: Member<'a>,
}

/// # Errors
/// Loosely only without a session, a tool call's id, or options that could be answered with:
/// nothing that could approve something is guessed.
pub fn decode(
    decoder: &mut Decoder,
    pass: Pass,
    params: &str,
) -> Result<PermissionRequest, Misfit> {
    let params: Params<'_> = object(params).ok_or(Misfit)?;
    let session = pass.text(params.session_id)?.ok_or(Misfit)?;
    let call = pass
        .object::<ToolCall<'_>>(params.tool_call)?
        .ok_or(Misfit)?;
    let mut offered = 0;
    let options = pass
        .list(params.options, |raw| {
            offered += 1;
            let Some(option) = pass.object::<RawOption<'_>>(Some(raw))? else {
                return Ok(None);
            };
            decode_option(pass, &option)
        })?
        .ok_or(Misfit)?;
    if options.is_empty() && offered > 0 {
        return Err(Misfit);
    }
    Ok(PermissionRequest {
        session: decoder.session(session.as_str()),
        title: None,
        description: None,
        subject: PermissionSubject::ToolCall(Box::new(call.patch(pass, false)?)),
        options,
    })
}

fn decode_option(pass: Pass, option: &RawOption<'_>) -> Result<Option<PermissionOption>, Misfit> {
    let Some(id) = pass.allow(pass.text(option.option_id)?)? else {
        return Ok(None);
    };
    let name = pass.allow(pass.safe_line(option.name)?)?;
    let kind = pass.text(option.kind)?;
    // V1-PERM-05
    let kind = kind.map_or_else(PermissionKind::default, |kind| {
        PermissionKind::of(kind.as_str())
    });
    Ok(Some(PermissionOption {
        name: name.unwrap_or_else(|| SafeText::line(id.as_str())),
        id: OptionId::new(id.as_str()),
        kind,
    }))
}
