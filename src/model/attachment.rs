//! Files attached to a prompt: their kind by content, and the form in which the agent gets them.

use std::time::SystemTime;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::model::PromptCaps;

/// Bytes of a picture's or sound's file; a larger one is sent as a link. Model APIs take 5 MiB of
/// base64 for one picture, and base64 is a third longer than the data. A picture that is too large
/// stays in the conversation and makes each later request fail.
pub const MAX_MEDIA: u64 = (5 << 20) / 4 * 3;

/// Of all pictures and sounds in one prompt: requests to model APIs may have about 32 MiB, base64.
pub const MAX_MEDIA_IN_ALL: u64 = 20 << 20;

/// Pictures and sounds in one prompt: with more, model APIs take only small ones.
pub const MAX_MEDIA_FILES: usize = 20;

/// The kind of a file by its first bytes, since names may be wrong.
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

/// A file as it was last seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeenFile {
    pub kind: MediaKind,
    /// Bytes.
    pub size: u64,
    pub modified: Option<SystemTime>,
    /// Width and height of a picture, where its head tells.
    pub pixels: Option<(u32, u32)>,
    /// From the clipboard: the file is deleted once it is sent.
    pub passing: bool,
}

/// How a file goes to the agent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Way {
    Image,
    Audio,
    /// A picture or sound that can only be sent as a link, and why.
    Link(String),
    /// Another file: embedded if it is text and the agent takes that, else a link.
    File,
}

impl SeenFile {
    /// Depends on the agent's capabilities, as far as they are known (V1-INIT-18).
    pub fn way(&self, caps: Option<PromptCaps>) -> Way {
        let takes = |which: fn(PromptCaps) -> bool| caps.is_none_or(which);
        let (way, taken, what) = match self.kind {
            MediaKind::Image(_) => (Way::Image, takes(|caps| caps.image), "images"),
            MediaKind::Audio(_) => (Way::Audio, takes(|caps| caps.audio), "audio"),
            MediaKind::OtherImage(format) => {
                return Way::Link(format!("{format} cannot be sent as an image"));
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

/// Whether pasted paths are attachments: all files exist, and some are pictures or sounds.
/// Otherwise the paste is text.
pub fn are_media(seen: &[Option<SeenFile>]) -> bool {
    seen.iter().all(Option::is_some) && seen.iter().flatten().any(SeenFile::is_media)
}

/// A percent-encoded `file://` URI of an absolute path.
pub fn file_uri(path: &str) -> String {
    /// Bytes of a path that are not escaped in a URI.
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

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(why(bmp, all), "BMP cannot be sent as an image");
        assert_eq!(seen(MediaKind::Other, 1).way(all), Way::File);
        // Encoded, it is within 5 MiB.
        assert!(MAX_MEDIA.div_ceil(3) * 4 <= 5 << 20);
    }
}
