//! Content blocks (V2-CONT).

use serde::Deserialize;
use serde_json::value::RawValue;

use super::read::{Member, Misfit, Text, line, lines, need, note, object, read_as, text};
use crate::{
    acp::decode::{blocks::decoded_len, raw_json},
    model::{ContentBlock, Media, Meta, Resource, ResourceLink},
    text::SafeText,
};

/// Icons of a link are not read: nothing is fetched for the screen (V2-CONT-01).
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

/// A block; one of a type that is not known is kept as it is. Its `_meta` goes to that of what it is
/// part of.
///
/// # Errors
/// One of a known type that is not as the schema has it.
pub fn block(raw: &RawValue, meta: &mut Meta) -> Result<ContentBlock, Misfit> {
    let block: Block<'_> = object(raw.get()).ok_or(Misfit)?;
    note(block.meta, meta);
    Ok(match block.kind.as_str() {
        "text" => ContentBlock::Text(SafeText::new(need(block.text)?.as_str())),
        "image" => ContentBlock::Image(media(&block)?),
        "audio" => ContentBlock::Audio(media(&block)?),
        "resource_link" => ContentBlock::ResourceLink(ResourceLink {
            uri: need(block.uri)?.into_string(),
            name: SafeText::line(need(block.name)?.as_str()),
            title: line(block.title),
            description: lines(block.description),
            mime_type: line(block.mime_type),
            size: read_as(block.size),
        }),
        "resource" => ContentBlock::Resource(resource(block.resource)?),
        other => ContentBlock::Unknown {
            kind: SafeText::line(other),
            raw: raw_json(raw.get()),
        },
    })
}

/// Blocks but for those that do not fit.
pub fn blocks(member: Member<'_>, meta: &mut Meta) -> Option<Vec<ContentBlock>> {
    super::read::items(member, |raw| block(raw, meta))
}

fn media(block: &Block<'_>) -> Result<Media, Misfit> {
    Ok(Media {
        size: decoded_len(need(block.data)?.as_str()),
        mime_type: SafeText::line(need(block.mime_type)?.as_str()),
        uri: line(block.uri),
    })
}

fn resource(member: Member<'_>) -> Result<Resource, Misfit> {
    let contents: Contents<'_> = super::read::need_object(member)?;
    let (text, blob) = (text(contents.text), text(contents.blob));
    let size = match (&text, &blob) {
        (Some(text), _) => text.as_str().len(),
        (None, Some(blob)) => decoded_len(blob.as_str()).unwrap_or(0),
        (None, None) => return Err(Misfit),
    };
    Ok(Resource {
        uri: need(contents.uri)?.into_string(),
        mime_type: line(contents.mime_type),
        text: text.map(|text| SafeText::new(text.as_str())),
        size,
    })
}
