//! Files that go along with a prompt: what they are by their content, and what the agent gets of them.

use std::{sync::Arc, time::SystemTime};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::model::{PromptBlock, PromptCaps, file_name};

/// Bytes of a picture's or sound's file; a larger one goes as a link. Model APIs take 5 MiB of base64
/// for one picture, and base64 is a third longer than what it stands for. One that is too large is
/// worse than none: it stays in the conversation, and each later request fails with it.
pub const MAX_MEDIA: u64 = (5 << 20) / 4 * 3;

/// Of all pictures and sounds in one prompt: requests to model APIs may have about 32 MiB, base64.
pub const MAX_MEDIA_IN_ALL: u64 = 20 << 20;

/// Pictures and sounds in one prompt: with more, model APIs take only small ones.
pub const MAX_MEDIA_FILES: usize = 20;

/// What a file is, by its first bytes: names lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MediaKind {
    /// A picture that models take; its MIME type.
    Image(&'static str),
    /// Likewise a sound.
    Audio(&'static str),
    /// A picture in a format that models do not take; the format's name.
    OtherImage(&'static str),
    Other,
}

/// A file as it was when it was last looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeenFile {
    pub kind: MediaKind,
    /// Bytes.
    pub size: u64,
    pub modified: Option<SystemTime>,
    /// Width and height of a picture, where its head tells.
    pub pixels: Option<(u32, u32)>,
    /// Out of the clipboard: the file goes once it is sent.
    pub passing: bool,
}

/// How a file goes to the agent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Way {
    Image,
    Audio,
    /// A picture or sound that can only be linked, and why.
    Link(String),
    /// Neither: embedded where it is text and the agent takes that, else linked.
    File,
}

impl SeenFile {
    /// By what the agent takes, as far as that is known (V1-INIT-18).
    pub fn way(&self, caps: Option<PromptCaps>) -> Way {
        let takes = |which: fn(PromptCaps) -> bool| caps.is_none_or(which);
        let (way, taken, what) = match self.kind {
            MediaKind::Image(_) => (Way::Image, takes(|caps| caps.image), "images"),
            MediaKind::Audio(_) => (Way::Audio, takes(|caps| caps.audio), "audio"),
            MediaKind::OtherImage(format) => {
                return Way::Link(format!("{format} is not sent as an image"));
            }
            MediaKind::Other => return Way::File,
        };
        if self.size > MAX_MEDIA {
            Way::Link("larger than 3.75 MiB".to_owned())
        } else if taken {
            way
        } else {
            Way::Link(format!("the agent takes no {what}"))
        }
    }

    pub fn is_media(&self) -> bool {
        self.kind != MediaKind::Other
    }
}

/// Whether files that a paste names are meant to go with the prompt: all of them are there, and
/// pictures or sounds are among them. Else it is taken for the text that it is.
pub fn are_media(seen: &[Option<SeenFile>]) -> bool {
    seen.iter().all(Option::is_some) && seen.iter().flatten().any(SeenFile::is_media)
}

/// A percent-encoded `file://` URI of an absolute path.
pub fn file_uri(path: &str) -> String {
    /// Bytes of a path that stand for themselves in a URI.
    const PATH: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'/')
        .remove(b'-')
        .remove(b'_')
        .remove(b'.')
        .remove(b'~');
    format!("file://{}", utf8_percent_encode(path, PATH))
}

/// The path of a `file://` URI; of another one, itself.
pub fn path_of_uri(uri: &str) -> String {
    match uri.strip_prefix("file://") {
        Some(path) => percent_decode_str(path).decode_utf8_lossy().into_owned(),
        None => uri.to_owned(),
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
    /// The file is not there for long: the agent is not told where.
    pub passing: bool,
    pub name: String,
    /// Bytes of the file.
    pub size: u64,
    /// How it is written in the prompt's text.
    pub written: String,
}

impl PromptBlock {
    /// As the agent takes it: what it does not take becomes a link, which each agent takes
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

    /// The picture or sound that it is.
    pub fn media(&self) -> Option<&MediaBlock> {
        match self {
            Self::Image(media) | Self::Audio(media) => Some(media),
            Self::Text(_) | Self::ResourceLink { .. } | Self::Resource { .. } => None,
        }
    }
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

    #[test]
    fn why_a_picture_is_only_linked_is_told() {
        let seen = |kind, size| SeenFile {
            kind,
            size,
            modified: None,
            pixels: None,
            passing: false,
        };
        let none = Some(PromptCaps::default());
        let all = Some(PromptCaps {
            image: true,
            audio: true,
            embedded_context: true,
        });
        let png = seen(MediaKind::Image("image/png"), MAX_MEDIA);
        assert_eq!(png.way(all), Way::Image);
        assert_eq!(png.way(None), Way::Image);
        let why = |file: SeenFile, caps| match file.way(caps) {
            Way::Link(why) => why,
            way => panic!("{way:?}"),
        };
        assert_eq!(why(png, none), "the agent takes no images");
        let large = seen(MediaKind::Image("image/png"), MAX_MEDIA + 1);
        assert_eq!(why(large, all), "larger than 3.75 MiB");
        let wav = seen(MediaKind::Audio("audio/wav"), 1);
        assert_eq!(
            (wav.way(all), why(wav, none)),
            (Way::Audio, "the agent takes no audio".into())
        );
        let bmp = seen(MediaKind::OtherImage("BMP"), 1);
        assert_eq!(why(bmp, all), "BMP is not sent as an image");
        assert_eq!(seen(MediaKind::Other, 1).way(all), Way::File);
        // Encoded, it is within 5 MiB.
        assert!(MAX_MEDIA.div_ceil(3) * 4 <= 5 << 20);
    }
}
