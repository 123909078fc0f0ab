//! Content blocks (V1-CONT).

use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{
    raw_json,
    terminal_meta::kept,
    view::{Member, Misfit, Pass, Text, object},
};
use crate::{
    model::{ContentBlock, Media, Meta, Resource, ResourceLink},
    text::SafeText,
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Block<'a> {
    #[serde(borrow, rename = "type")]
    kind: Text<'a>,
    #[serde(borrow)]
    text: Member<'a>,
    #[serde(borrow)]
    data: Member<'a>,
    #[serde(borrow)]
    mime_type: Member<'a>,
    #[serde(borrow)]
    uri: Member<'a>,
    #[serde(borrow)]
    name: Member<'a>,
    #[serde(borrow)]
    title: Member<'a>,
    #[serde(borrow)]
    description: Member<'a>,
    #[serde(borrow)]
    size: Member<'a>,
    #[serde(borrow)]
    resource: Member<'a>,
    #[serde(borrow)]
    annotations: Member<'a>,
    #[serde(borrow, rename = "_meta")]
    meta: Member<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Contents<'a> {
    #[serde(borrow)]
    uri: Member<'a>,
    #[serde(borrow)]
    mime_type: Member<'a>,
    #[serde(borrow)]
    text: Member<'a>,
    #[serde(borrow)]
    blob: Member<'a>,
}

/// A block; loosely [`ContentBlock::Unknown`] for what cannot be understood (V1-CONT-07). Its
/// `_meta` goes to that of what it is part of.
pub fn decode(pass: Pass, raw: &RawValue, meta: &mut Meta) -> Result<ContentBlock, Misfit> {
    let Some(block) = object::<Block<'_>>(raw.get()) else {
        return unknown(pass, "content", raw);
    };
    meta.extend(kept(block.meta));
    match known(pass, &block)? {
        Some(known) if is_for_agent(block.annotations) => {
            Ok(ContentBlock::ForAgent(Arc::new(known)))
        }
        Some(known) => Ok(known),
        None => unknown(pass, block.kind.as_str(), raw),
    }
}

/// Whether its audience is the assistant and nobody else (V1-CONT-06). What cannot be read says
/// nothing.
fn is_for_agent(annotations: Member<'_>) -> bool {
    #[derive(Deserialize)]
    struct Annotations {
        audience: Vec<String>,
    }
    let read = |raw: &RawValue| serde_json::from_str::<Annotations>(raw.get()).ok();
    annotations.and_then(read).is_some_and(|read| {
        !read.audience.is_empty() && read.audience.iter().all(|role| role == "assistant")
    })
}

fn unknown(pass: Pass, kind: &str, raw: &RawValue) -> Result<ContentBlock, Misfit> {
    match pass {
        Pass::Strict => Err(Misfit),
        Pass::Loose => Ok(ContentBlock::Unknown {
            kind: SafeText::line(kind),
            raw: raw_json(raw.get()),
        }),
    }
}

/// `None` for an unknown type, or one without what it must have.
fn known(pass: Pass, block: &Block<'_>) -> Result<Option<ContentBlock>, Misfit> {
    Ok(match block.kind.as_str() {
        "text" => pass.safe_text(block.text)?.map(ContentBlock::Text),
        "image" => media(pass, block)?.map(ContentBlock::Image),
        "audio" => media(pass, block)?.map(ContentBlock::Audio),
        "resource_link" => resource_link(pass, block)?.map(ContentBlock::ResourceLink),
        "resource" => resource(pass, block.resource)?.map(ContentBlock::Resource),
        _ => None,
    })
}

fn media(pass: Pass, block: &Block<'_>) -> Result<Option<Media>, Misfit> {
    let (Some(data), Some(mime_type)) = (pass.text(block.data)?, pass.safe_line(block.mime_type)?)
    else {
        return Ok(None);
    };
    Ok(Some(Media {
        mime_type,
        size: decoded_len(data.as_str()),
        uri: pass.safe_line(block.uri)?,
    }))
}

fn resource_link(pass: Pass, block: &Block<'_>) -> Result<Option<ResourceLink>, Misfit> {
    let Some(uri) = pass.text(block.uri)? else {
        return Ok(None);
    };
    let name = pass.allow(pass.safe_line(block.name)?)?;
    Ok(Some(ResourceLink {
        // The link itself can stand for a missing name.
        name: name.unwrap_or_else(|| SafeText::line(uri.as_str())),
        title: pass.safe_line(block.title)?,
        description: pass.safe_text(block.description)?,
        mime_type: pass.safe_line(block.mime_type)?,
        size: pass.count(block.size)?,
        uri: uri.into_string(),
    }))
}

fn resource(pass: Pass, member: Member<'_>) -> Result<Option<Resource>, Misfit> {
    let Some(contents) = pass.object::<Contents<'_>>(member)? else {
        return Ok(None);
    };
    let (text, blob) = (pass.text(contents.text)?, pass.text(contents.blob)?);
    let size = match (&text, &blob) {
        (Some(text), _) => text.as_str().len(),
        (None, Some(blob)) => decoded_len(blob.as_str()).unwrap_or(0),
        (None, None) => return Ok(None),
    };
    let Some(uri) = pass.text(contents.uri)? else {
        return Ok(None);
    };
    Ok(Some(Resource {
        uri: uri.into_string(),
        mime_type: pass.safe_line(contents.mime_type)?,
        text: text.map(|text| SafeText::new(text.as_str())),
        size,
    }))
}

/// Bytes that base64 text stands for; `None` if it is none (V1-CONT-02). Counted, not decoded: the
/// data is not kept.
pub fn decoded_len(base64: &str) -> Option<usize> {
    let data = base64.trim_end_matches('=');
    let padding = base64.len() - data.len();
    let alphabet = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'-' | b'_');
    let whole = padding == 0 || (padding <= 2 && base64.len().is_multiple_of(4));
    (whole && data.len() % 4 != 1 && data.bytes().all(alphabet)).then(|| data.len() * 3 / 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    // V1-CONT-02
    #[test]
    fn broken_base64_has_no_size() {
        assert_eq!(decoded_len("aGVsbG8="), Some(5));
        assert_eq!(decoded_len("aGVsbG8"), Some(5));
        assert_eq!(decoded_len(""), Some(0));
        for broken in ["a", "aGVs bG8=", "aGVsbG8==", "====", "a=b="] {
            assert_eq!(decoded_len(broken), None, "{broken}");
        }
    }
}
