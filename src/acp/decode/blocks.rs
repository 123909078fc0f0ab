//! Content blocks (V1-CONT, V2-CONT).

use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{
    meta, raw_json,
    view::{Member, Misfit, Pass, Text, members, need, need_line, need_lines, need_object, object},
};
use crate::{
    model::{ContentBlock, ImageData, Media, Meta, Resource, ResourceLink},
    text::SafeText,
};

// Icons of a link are not read: nothing is fetched for the screen (V2-CONT-01).
members!(struct Block {
    kind = "type": Text<'a>,
    text,
    data,
    mime_type,
    uri,
    name,
    title,
    description,
    size,
    resource,
    annotations,
    meta = "_meta",
});

members!(struct Contents {
    uri,
    mime_type,
    text,
    blob,
});

/// A block, or [`ContentBlock::Unknown`] (V1-CONT-07). Its `_meta` goes to that of what it is part of.
pub fn decode(pass: Pass, raw: &RawValue, meta: &mut Meta) -> Result<ContentBlock, Misfit> {
    let block: Option<Block<'_>> = object(raw.get());
    let read = block.as_ref().ok_or(Misfit).and_then(|block| {
        meta::note(pass, block.meta, meta);
        known(pass, block)
    });
    pass.or_unknown(read, || ContentBlock::Unknown {
        kind: SafeText::line(
            block
                .as_ref()
                .map_or("content", |block| block.kind.as_str()),
        ),
        raw: raw_json(raw.get()),
    })
}

/// The block of a chunk, and the `_meta` of both.
pub fn of_chunk(
    pass: Pass,
    content: Member<'_>,
    of_chunk: Member<'_>,
) -> Result<(ContentBlock, Meta), Misfit> {
    let mut meta = Meta::default();
    meta::note(pass, of_chunk, &mut meta);
    let content = decode(pass, content.ok_or(Misfit)?, &mut meta)?;
    Ok((content, meta))
}

/// Blocks of a whole message, from a list.
pub fn list(
    pass: Pass,
    member: Member<'_>,
    meta: &mut Meta,
) -> Result<Option<Vec<ContentBlock>>, Misfit> {
    pass.list(member, |raw| decode(pass, raw, meta).map(Some))
}

/// Whether its only audience is the assistant (V1-CONT-06). What cannot be read says nothing.
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

/// `None` for an unknown type.
fn known(pass: Pass, block: &Block<'_>) -> Result<Option<ContentBlock>, Misfit> {
    let known = match block.kind.as_str() {
        "text" => ContentBlock::Text(need_lines(block.text)?),
        "image" => ContentBlock::Image(media(pass, block)?),
        "audio" => ContentBlock::Audio(media(pass, block)?),
        "resource_link" => ContentBlock::ResourceLink(resource_link(pass, block)?),
        "resource" => ContentBlock::Resource(resource(pass, block.resource)?),
        _ => return Ok(None),
    };
    Ok(Some(if is_for_agent(block.annotations) {
        ContentBlock::ForAgent(Arc::new(known))
    } else {
        known
    }))
}

fn media(pass: Pass, block: &Block<'_>) -> Result<Media, Misfit> {
    let data = need(block.data)?;
    let size = decoded_len(data.as_str());
    Ok(Media {
        mime_type: need_line(block.mime_type)?,
        uri: pass.line(block.uri)?,
        data: size
            .filter(|_| block.kind.as_str() == "image")
            .and_then(|_| ImageData::new(data.as_str())),
        size,
    })
}

fn resource_link(pass: Pass, block: &Block<'_>) -> Result<ResourceLink, Misfit> {
    let uri = need(block.uri)?;
    // The link itself can stand for a missing name.
    let name = pass.want(block.name)?;
    Ok(ResourceLink {
        name: SafeText::line(name.as_ref().unwrap_or(&uri).as_str()),
        title: pass.line(block.title)?,
        description: pass.lines(block.description)?,
        mime_type: pass.line(block.mime_type)?,
        size: pass.count(block.size)?,
        uri: uri.into_string(),
    })
}

fn resource(pass: Pass, member: Member<'_>) -> Result<Resource, Misfit> {
    let contents: Contents<'_> = need_object(member)?;
    let (text, blob) = (pass.text(contents.text)?, pass.text(contents.blob)?);
    let size = match (&text, &blob) {
        (Some(text), _) => text.as_str().len(),
        (None, Some(blob)) => decoded_len(blob.as_str()).unwrap_or(0),
        (None, None) => return Err(Misfit),
    };
    let mime_type = pass.line(contents.mime_type)?;
    let is_image = mime_type
        .as_ref()
        .is_some_and(|mime| mime.starts_with("image/"));
    let blob = blob.filter(|_| is_image && text.is_none() && size > 0);
    Ok(Resource {
        uri: need(contents.uri)?.into_string(),
        mime_type,
        image: blob.and_then(|blob| ImageData::new(blob.as_str())),
        text: text.map(|text| SafeText::new(text.as_str())),
        size,
    })
}

/// How many bytes base64 text stands for; `None` if it is not base64 (V1-CONT-02). Counted, not decoded: an image is
/// where it is drawn, other data is not kept.
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
