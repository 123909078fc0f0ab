//! What the person says to the agent.

use crate::{
    model::{ContentBlock, ImageData, Media, PromptBlock, ResourceLink},
    text::SafeText,
};

/// Pictures and sounds of one message that are kept; an agent that tells of more is not believed.
pub const MAX_ATTACHED: usize = 64;

/// A prompt, ready for the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// As typed: for the composer when it is taken back.
    pub text: String,
    /// As an agent that takes everything gets them: see [`PromptBlock::fitted`].
    pub blocks: Vec<PromptBlock>,
}

/// Where a picture or sound stands in the text of a message.
pub fn marker(what: &str, name: &str) -> String {
    format!("[{what}: {name}]")
}

impl Prompt {
    /// Of text alone.
    pub fn of_text(text: String) -> Self {
        Self {
            blocks: vec![PromptBlock::Text(text.clone())],
            text,
        }
    }

    /// The text as it is shown: files by name, not by path.
    pub fn shown_text(&self) -> String {
        let mut shown = String::with_capacity(self.text.len());
        let mut rest = self.text.as_str();
        for block in &self.blocks {
            let (what, media) = match block {
                PromptBlock::Image(media) => ("image", media),
                PromptBlock::Audio(media) => ("audio", media),
                _ => continue,
            };
            if !media.written.is_empty()
                && let Some((before, behind)) = rest.split_once(media.written.as_str())
            {
                shown.push_str(before);
                shown.push_str(&marker(what, &media.name));
                rest = behind;
            }
        }
        shown.push_str(rest);
        shown
    }

    /// Bytes of its blocks, approximately.
    pub fn weight(&self) -> usize {
        self.blocks.iter().map(PromptBlock::bytes).sum()
    }

    /// Its pictures and sounds for the transcript; `sent` are its blocks as the agent got them.
    pub(super) fn attached(&self, sent: &[PromptBlock]) -> Vec<ContentBlock> {
        let both = self.blocks.iter().zip(sent);
        both.filter_map(|(block, sent)| {
            let media = block.media()?;
            let as_media = || Media {
                mime_type: SafeText::line(&media.mime_type),
                size: usize::try_from(media.size).ok(),
                uri: Some(SafeText::line(if media.passing {
                    &media.name
                } else {
                    &media.uri
                })),
                data: None,
            };
            let image = || Media {
                data: ImageData::new(media.data.clone()),
                ..as_media()
            };
            Some(match sent {
                PromptBlock::Image(_) => ContentBlock::Image(image()),
                PromptBlock::Audio(_) => ContentBlock::Audio(as_media()),
                _ => ContentBlock::ResourceLink(ResourceLink {
                    uri: media.uri.clone(),
                    name: SafeText::line(&media.name),
                    title: None,
                    description: None,
                    mime_type: Some(SafeText::line(&media.mime_type)),
                    size: Some(media.size),
                }),
            })
        })
        .collect()
    }
}
