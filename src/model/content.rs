//! Content blocks (V1-CONT).

use std::{
    fmt,
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

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
            Self::Image(media) | Self::Audio(media) => {
                let data = media.data.as_ref().map_or(0, ImageData::len);
                media.mime_type.len() + len(&media.uri) + data
            }
            Self::ResourceLink(link) => {
                let texts = [&link.title, &link.description, &link.mime_type];
                link.uri.len() + link.name.len() + texts.map(len).into_iter().sum::<usize>()
            }
            Self::Resource(resource) => {
                let image = resource.image.as_ref().map_or(0, ImageData::len);
                resource.uri.len() + len(&resource.text) + image
            }
            Self::ForAgent(content) => content.weight(),
            Self::Unknown { raw, kind } => raw.0.len() + kind.len(),
        }
    }
}

impl ContentBlock {
    /// The image's bytes, where they are kept.
    pub fn image(&self) -> Option<&ImageData> {
        match self {
            Self::Image(media) => media.data.as_ref(),
            Self::Resource(resource) => resource.image.as_ref(),
            _ => None,
        }
    }

    /// Forgets an image's bytes; how many there were.
    pub fn forget_image(&mut self) -> usize {
        let data = match self {
            Self::Image(media) => media.data.take(),
            Self::Resource(resource) => resource.image.take(),
            _ => None,
        };
        data.map_or(0, |data| data.len())
    }
}

/// Bytes in base64 of an image that are kept. A larger one is a line.
pub const MAX_IMAGE: usize = 10 << 20;

/// An image as it came, in base64: decoded only where it is drawn, off the UI task. Shared with the
/// prompt that it was sent with.
#[derive(Clone)]
pub struct ImageData {
    base64: Arc<str>,
    hash: u64,
}

impl ImageData {
    /// `None` if there is nothing, or more than [`MAX_IMAGE`].
    pub fn new(base64: impl Into<Arc<str>> + AsRef<str>) -> Option<Self> {
        let len = base64.as_ref().len();
        (1..=MAX_IMAGE).contains(&len).then(|| {
            let base64 = base64.into();
            let mut hasher = DefaultHasher::new();
            base64.hash(&mut hasher);
            Self {
                base64,
                hash: hasher.finish(),
            }
        })
    }

    pub fn base64(&self) -> &Arc<str> {
        &self.base64
    }

    /// The same for the same image, however often it comes.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// Bytes that it takes.
    pub fn len(&self) -> usize {
        self.base64.len()
    }

    pub fn is_empty(&self) -> bool {
        self.base64.is_empty()
    }
}

impl PartialEq for ImageData {
    fn eq(&self, other: &Self) -> bool {
        (self.hash, self.len()) == (other.hash, other.len())
    }
}

impl Eq for ImageData {}

impl fmt::Debug for ImageData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ImageData({} bytes)", self.len())
    }
}

/// An image or sound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Media {
    pub mime_type: SafeText,
    /// Decoded size in bytes; `None` if the base64 is broken (V1-CONT-02).
    pub size: Option<usize>,
    pub uri: Option<SafeText>,
    /// An image's bytes: not of what was stored, nor where memory is short.
    pub data: Option<ImageData>,
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
    /// The blob, where that is an image.
    pub image: Option<ImageData>,
}
