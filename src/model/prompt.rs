//! The blocks of a prompt (V1-PROMPT).

use std::sync::Arc;

use crate::model::{PromptCaps, file_name};

/// A block of a prompt; see [`PromptBlock::fitted`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PromptBlock {
    Text(String),
    /// `uri` is a percent-encoded `file://` URI (V1-PROMPT-03).
    ResourceLink {
        uri: String,
        name: String,
        size: Option<u64>,
    },
    /// Only with `embeddedContext`.
    Resource {
        uri: String,
        text: String,
    },
    /// Only with `image`.
    Image(MediaBlock),
    /// Only with `audio`.
    Audio(MediaBlock),
}

impl PromptBlock {
    /// Bytes on the wire, roughly.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::ResourceLink { uri, name, .. } => uri.len() + name.len(),
            Self::Resource { uri, text } => uri.len() + text.len(),
            Self::Image(media) | Self::Audio(media) => media.uri.len() + media.data.len(),
        }
    }

    /// In a form that the agent takes; everything else becomes a link, which each agent takes
    /// (V1-PROMPT-01, V1-CONT-02, V1-CONT-03, V1-CONT-05).
    pub fn fitted(self, caps: PromptCaps) -> Self {
        match self {
            Self::Image(media) if !caps.image => media.linked(),
            Self::Audio(media) if !caps.audio => media.linked(),
            Self::Resource { uri, text } if !caps.embedded_context => Self::ResourceLink {
                name: file_name(&uri),
                size: u64::try_from(text.len()).ok(),
                uri,
            },
            taken => taken,
        }
    }

    /// Its picture or sound.
    pub fn media(&self) -> Option<&MediaBlock> {
        match self {
            Self::Image(media) | Self::Audio(media) => Some(media),
            Self::Text(_) | Self::ResourceLink { .. } | Self::Resource { .. } => None,
        }
    }
}

/// A picture or sound in a prompt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MediaBlock {
    /// Base64. Shared: prompts are kept until their turn is over.
    pub data: Arc<str>,
    pub mime_type: String,
    /// A percent-encoded `file://` URI.
    pub uri: String,
    /// The file is temporary: its path is not sent.
    pub passing: bool,
    pub name: String,
    /// Bytes of the file.
    pub size: u64,
    /// Its mark in the prompt's text.
    pub written: String,
}

impl MediaBlock {
    fn linked(self) -> PromptBlock {
        PromptBlock::ResourceLink {
            uri: self.uri,
            name: self.name,
            size: Some(self.size),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn media(name: &str) -> MediaBlock {
        MediaBlock {
            data: "aGk=".into(),
            mime_type: "image/png".into(),
            uri: format!("file:///{name}"),
            passing: false,
            name: name.into(),
            size: 2,
            written: format!("@/{name}"),
        }
    }

    // V1-INIT-18, V1-PROMPT-01, V1-CONT-02, V1-CONT-03, V1-CONT-05
    #[test]
    fn each_of_the_8_combinations_of_capabilities_gets_what_it_takes() {
        let blocks = || {
            vec![
                PromptBlock::Text("see".into()),
                PromptBlock::Image(media("a.png")),
                PromptBlock::Audio(media("b.wav")),
                PromptBlock::Resource {
                    uri: "file:///d/c%20d.txt".into(),
                    text: "hello".into(),
                },
                PromptBlock::ResourceLink {
                    uri: "file:///e".into(),
                    name: "e".into(),
                    size: None,
                },
            ]
        };
        for bits in 0..8 {
            let caps = PromptCaps {
                image: bits & 1 > 0,
                audio: bits & 2 > 0,
                embedded_context: bits & 4 > 0,
            };
            let sent: Vec<PromptBlock> = blocks().into_iter().map(|b| b.fitted(caps)).collect();
            for ((block, sent), taken) in blocks().into_iter().zip(sent).zip([
                true,
                caps.image,
                caps.audio,
                caps.embedded_context,
                true,
            ]) {
                if taken {
                    assert_eq!(sent, block, "{caps:?}");
                } else {
                    assert!(
                        matches!(&sent, PromptBlock::ResourceLink { .. }),
                        "{caps:?}: {sent:?}"
                    );
                }
            }
        }
        let linked = blocks().remove(3).fitted(PromptCaps::default());
        assert_eq!(
            linked,
            PromptBlock::ResourceLink {
                uri: "file:///d/c%20d.txt".into(),
                name: "c d.txt".into(),
                size: Some(5),
            }
        );
    }
}
