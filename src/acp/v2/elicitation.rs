//! `elicitation/create` (V2-ELI-01): as in version 1 but for what the schema of a form must say.

use serde::Deserialize;

use super::{
    Decoder,
    read::{Member, Misfit, need, need_object, object, text},
};
use crate::{
    acp::decode::{
        elicitation::{MAX_MESSAGE, MAX_URL, Unusable},
        form::{Schema, form},
        view::Pass,
    },
    model::{
        Elicitation, ElicitationId, ElicitationMode, ElicitationScope, FieldKind, Form, ToolCallId,
    },
    text::{SafeText, first_bytes},
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params<'a> {
    #[serde(borrow)]
    session_id: Member<'a>,
    #[serde(borrow)]
    tool_call_id: Member<'a>,
    #[serde(borrow)]
    request_id: Member<'a>,
    #[serde(borrow)]
    message: Member<'a>,
    #[serde(borrow)]
    mode: Member<'a>,
    #[serde(borrow)]
    requested_schema: Member<'a>,
    #[serde(borrow)]
    elicitation_id: Member<'a>,
    #[serde(borrow)]
    url: Member<'a>,
}

pub fn decode(decoder: &mut Decoder, params: &str) -> Result<Elicitation, Unusable> {
    let params: Params<'_> = object(params).ok_or(Misfit)?;
    let message = need(params.message)?;
    let mode = match need(params.mode)?.as_str() {
        "form" if decoder.caps.elicitation_form => {
            ElicitationMode::Form(requested(params.requested_schema)?)
        }
        "url" if decoder.caps.elicitation_url => {
            let url = need(params.url)?.into_string();
            if url.len() > MAX_URL {
                return Err(Unusable::Refused("the URL is too long to be shown"));
            }
            ElicitationMode::Url {
                id: ElicitationId(need(params.elicitation_id)?.into_string()),
                url,
            }
        }
        _ => return Err(Unusable::Refused("that elicitation mode was not offered")),
    };
    let scope = match (params.session_id, params.request_id) {
        (Some(session), _) => ElicitationScope::Session {
            session: decoder.session(need(Some(session))?.as_str()),
            tool_call: text(params.tool_call_id).map(|id| ToolCallId::new(id.as_str())),
        },
        (None, Some(request)) => ElicitationScope::Request {
            id: request.get().to_owned(),
            caller: None,
        },
        (None, None) => return Err(Unusable::Misfit),
    };
    Ok(Elicitation {
        scope,
        message: SafeText::new(first_bytes(message.as_str(), MAX_MESSAGE)),
        mode,
    })
}

fn requested(schema: Member<'_>) -> Result<Form, Unusable> {
    #[derive(Deserialize)]
    struct Needed<'a> {
        #[serde(borrow, rename = "type")]
        kind: Member<'a>,
        #[serde(borrow)]
        properties: Member<'a>,
    }
    let needed: Needed<'_> = need_object(schema)?;
    if need(needed.kind)?.as_str() != "object" || needed.properties.is_none() {
        return Err(Unusable::Misfit);
    }
    let schema: Schema<'_> = need_object(schema)?;
    let mut form = form(Pass::Strict, &schema)?;
    for field in &mut form.fields {
        if let FieldKind::Text(text) = &mut field.kind {
            // Version 2 has no such rule: what stands there under its name is none.
            text.pattern = None;
        }
    }
    Ok(form)
}
