//! Prompts that an agent expects next: the proposed `prompt_suggestions_update` (V1-SUG-01), and what claude sends in
//! its place, `promptSuggestions` in the `_meta` of a `session_info_update`. Both replace the list, of which the first
//! that can be offered is taken.

use serde_json::value::RawValue;

use super::view::{Member, Misfit, Pass, Text, members, need, object};
use crate::{model::AgentEvent, text::SafeText};

members!(struct Extensions {
    prompt_suggestions,
});

members!(struct List {
    suggestions,
});

members!(struct Suggestion {
    text,
    /// As it stands in `session/prompt`.
    prompt,
});

/// In the `_meta` of a `session_info_update`. Nothing in it is an error: what does not fit counts as absent.
pub fn of_meta(meta: Member<'_>) -> Option<AgentEvent> {
    let pass = Pass::Loose;
    let extensions: Extensions<'_> = pass.object(meta).ok()??;
    let list: List<'_> = pass.object(extensions.prompt_suggestions).ok()??;
    let first = first(pass, list, |one| Ok(Some(need(one.text)?.into_string())));
    first.ok()?.map(AgentEvent::Suggestion)
}

pub fn update(pass: Pass, raw: &str) -> Result<AgentEvent, Misfit> {
    let list: List<'_> = object(raw).ok_or(Misfit)?;
    let first = first(pass, list, |one| prompt(pass, one.prompt))?;
    first.map(AgentEvent::Suggestion).ok_or(Misfit)
}

/// The first that says something; without a list nothing is replaced.
fn first<'a>(
    pass: Pass,
    list: List<'a>,
    text: impl Fn(Suggestion<'a>) -> Result<Option<String>, Misfit>,
) -> Result<Option<Option<SafeText>>, Misfit> {
    let texts = pass.list(list.suggestions, |raw| {
        let one: Suggestion<'_> = object(raw.get()).ok_or(Misfit)?;
        Ok(text(one)?.map(|text| SafeText::new(text.trim())))
    })?;
    Ok(texts.map(|texts| texts.into_iter().find(|text| !text.trim().is_empty())))
}

/// The text of a prompt of texts and links, these as the composer reads them; `None` for one that holds more.
fn prompt(pass: Pass, blocks: Member<'_>) -> Result<Option<String>, Misfit> {
    let blocks = pass.list(blocks, |raw| Ok(Some(block(raw)?)))?;
    let Some(blocks) = blocks
        .ok_or(Misfit)?
        .into_iter()
        .collect::<Option<Vec<_>>>()
    else {
        return Ok(None);
    };
    Ok(Some(blocks.concat()))
}

fn block(raw: &RawValue) -> Result<Option<String>, Misfit> {
    members!(struct Block {
        kind = "type": Text<'a>,
        text,
        uri,
    });
    let block: Block<'_> = object(raw.get()).ok_or(Misfit)?;
    Ok(match block.kind.as_str() {
        "text" => Some(need(block.text)?.into_string()),
        "resource_link" => {
            let uri = need(block.uri)?;
            let at = if uri.as_str().starts_with("file://") {
                "@"
            } else {
                ""
            };
            Some(format!(" {at}{} ", uri.as_str()))
        }
        _ => None,
    })
}
