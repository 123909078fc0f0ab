//! `elicitation/create` and `elicitation/complete` (V1-ELI, V2-ELI-01).

use serde::Deserialize;

use super::{
    Decoder,
    form::{Unusable, form},
    view::{Misfit, Pass, Text, members, need, object},
};
use crate::{
    model::{Elicitation, ElicitationId, ElicitationMode, ElicitationScope, ToolCallId},
    text::{SafeText, first_bytes},
};

/// Bytes of a page's address: it is shown whole, so a longer one is refused.
pub const MAX_URL: usize = 8 << 10;
/// Bytes of what is asked.
pub const MAX_MESSAGE: usize = 16 << 10;

members!(struct Params {
    session_id,
    tool_call_id,
    request_id,
    message,
    mode,
    requested_schema,
    elicitation_id,
    url,
});

/// # Errors
/// Strictly, when anything does not fit; loosely, when nothing could be asked or answered: no scope, no mode, no fields.
pub fn decode(decoder: &mut Decoder, pass: Pass, params: &str) -> Result<Elicitation, Unusable> {
    let params: Params<'_> = object(params).ok_or(Misfit)?;
    let message = pass.want(params.message)?;
    // V1-ELI-03: a mode that was not offered is refused, like an unknown one.
    let caps = decoder.caps;
    let mode = match need(params.mode)?.as_str() {
        "form" if caps.elicitation_form => {
            ElicitationMode::Form(form(pass, params.requested_schema)?)
        }
        "url" if caps.elicitation_url => {
            let id = need(params.elicitation_id)?;
            let url = need(params.url)?.into_string();
            if url.len() > MAX_URL {
                return Err(Unusable::Refused("the URL is too long to be shown"));
            }
            ElicitationMode::Url {
                id: ElicitationId(id.into_string()),
                url,
            }
        }
        _ => return Err(Unusable::Refused("that elicitation mode was not offered")),
    };
    let scope = match (pass.exactly().text(params.session_id)?, params.request_id) {
        (Some(session), _) => ElicitationScope::Session {
            session: decoder.session(session.as_str()),
            // As in the schema, one that does not fit counts as absent.
            tool_call: Pass::Loose
                .text(params.tool_call_id)?
                .map(|id| ToolCallId::new(id.as_str())),
        },
        (None, Some(request)) => ElicitationScope::Request {
            id: request.get().to_owned(),
            caller: None,
        },
        (None, None) => return Err(Unusable::Misfit),
    };
    let message = message.map(|message| SafeText::new(first_bytes(message.as_str(), MAX_MESSAGE)));
    Ok(Elicitation {
        scope,
        message: message.unwrap_or_default(),
        mode,
    })
}

/// What is asked, of a request that is refused.
pub fn message(params: &str) -> SafeText {
    #[derive(Deserialize)]
    struct Asked<'a> {
        #[serde(borrow, default)]
        message: Option<Text<'a>>,
    }
    let asked: Option<Asked<'_>> = object(params);
    let message = asked.and_then(|asked| asked.message).map(Text::into_string);
    SafeText::new(first_bytes(&message.unwrap_or_default(), MAX_MESSAGE))
}

/// The id in `elicitation/complete`.
pub fn completed(params: &str) -> Option<ElicitationId> {
    members!(
        struct Complete {
            elicitation_id: Text<'a>,
        }
    );
    let complete: Complete<'_> = object(params)?;
    Some(ElicitationId(complete.elicitation_id.into_string()))
}
