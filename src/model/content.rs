//! Content blocks (V1-CONT).

use std::sync::Arc;

use percent_encoding::percent_decode_str;

use crate::{model::RawJson, text::SafeText};

/// The name of the file that a path or URI leads to, decoded.
pub fn file_name(uri: &str) -> String {
    let name = uri.trim_end_matches('/').rsplit('/').next().unwrap_or(uri);
    percent_decode_str(name).decode_utf8_lossy().into_owned()
}

#[derive(Clone, PartialEq, Debug)]
pub enum ContentBlock {
    Text(SafeText),
    Image(Media),
    Audio(Media),
    ResourceLink(ResourceLink),
    Resource(Resource),
    /// For the model only: its audience is the assistant alone (V1-CONT-06). One line that can be
    /// unfolded.
    ForAgent(Arc<ContentBlock>),
    /// An unknown type, shown as a placeholder (V1-CONT-07).
    Unknown {
        kind: SafeText,
        raw: RawJson,
    },
}

impl ContentBlock {
    /// Bytes that it holds.
    pub fn weight(&self) -> usize {
        let len = |text: &Option<SafeText>| text.as_ref().map_or(0, |text| text.len());
        match self {
            Self::Text(text) => text.len(),
            Self::Image(media) | Self::Audio(media) => media.mime_type.len() + len(&media.uri),
            Self::ResourceLink(link) => {
                let texts = [&link.title, &link.description, &link.mime_type];
                link.uri.len() + link.name.len() + texts.map(len).into_iter().sum::<usize>()
            }
            Self::Resource(resource) => resource.uri.len() + len(&resource.text),
            Self::ForAgent(content) => content.weight(),
            Self::Unknown { raw, kind } => raw.0.len() + kind.len(),
        }
    }
}

/// An image or sound as its placeholder shows it. The data is not kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Media {
    pub mime_type: SafeText,
    /// Decoded size in bytes; `None` if the base64 is broken (V1-CONT-02).
    pub size: Option<usize>,
    pub uri: Option<SafeText>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResourceLink {
    /// Raw: a link target, checked before it is opened or drawn as a hyperlink.
    pub uri: String,
    pub name: SafeText,
    pub title: Option<SafeText>,
    pub description: Option<SafeText>,
    pub mime_type: Option<SafeText>,
    /// Bytes.
    pub size: Option<u64>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Resource {
    pub uri: String,
    pub mime_type: Option<SafeText>,
    /// `None` for a blob.
    pub text: Option<SafeText>,
    /// Bytes of the text or of the decoded blob.
    pub size: usize,
}
