//! Content as it is stored: close to ACP's form, without the data of images and sounds. Only their
//! name, type and size are kept: the data would turn kilobytes into megabytes, cannot be shown in a
//! terminal, and the agent has it. Nor should pictures that a person sent stay on the disk unasked.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{
    is_default,
    weight::{ITEM, Weigh, weigh},
};
use crate::{
    model::{
        self, ContentBlock, Diff, DiffText, FileChange, FileKind, Media, RawJson, Resource,
        ResourceLink, SessionId, TerminalId, ToolContent,
    },
    text::SafeText,
};

/// A piece of content of a message or tool call. Its members depend on `type`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Piece {
    /// `text`, `image`, `audio`, `resource_link`, `resource`, `diff`, `terminal`, or anything else
    /// with its raw JSON.
    #[serde(rename = "type")]
    pub kind: SafeText,
    #[serde(skip_serializing_if = "is_default")]
    pub text: Option<SafeText>,
    #[serde(skip_serializing_if = "is_default")]
    pub path: Option<String>,
    #[serde(skip_serializing_if = "is_default")]
    pub old_text: Option<SafeText>,
    #[serde(skip_serializing_if = "is_default")]
    pub new_text: Option<SafeText>,
    /// Of a diff without whole texts: the operation, the old place, the kind of file, a git patch.
    #[serde(skip_serializing_if = "is_default")]
    pub change: Option<SafeText>,
    #[serde(skip_serializing_if = "is_default")]
    pub old_path: Option<String>,
    #[serde(skip_serializing_if = "is_default")]
    pub file_type: Option<SafeText>,
    #[serde(skip_serializing_if = "is_default")]
    pub patch: Option<SafeText>,
    /// Of a diff: what a reader must know besides its lines.
    #[serde(skip_serializing_if = "is_default")]
    pub note: Option<SafeText>,
    #[serde(skip_serializing_if = "is_default")]
    pub terminal_id: Option<String>,
    #[serde(skip_serializing_if = "is_default")]
    pub uri: Option<String>,
    #[serde(skip_serializing_if = "is_default")]
    pub name: Option<SafeText>,
    #[serde(skip_serializing_if = "is_default")]
    pub title: Option<SafeText>,
    #[serde(skip_serializing_if = "is_default")]
    pub description: Option<SafeText>,
    #[serde(skip_serializing_if = "is_default")]
    pub mime_type: Option<SafeText>,
    /// Bytes.
    #[serde(skip_serializing_if = "is_default")]
    pub size: Option<u64>,
    #[serde(skip_serializing_if = "is_default")]
    pub raw: Option<RawJson>,
    /// For the agent and not for the person (V1-CONT-06).
    #[serde(skip_serializing_if = "is_default")]
    pub for_agent: bool,
    /// Of an unknown piece of a tool call: it is the piece itself, not a content block in it.
    #[serde(skip_serializing_if = "is_default")]
    pub bare: bool,
}

impl Piece {
    fn of(kind: &'static str) -> Self {
        Self {
            kind: kind.into(),
            ..Self::default()
        }
    }

    /// The texts that a search looks into.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let texts = [
            &self.text,
            &self.new_text,
            &self.patch,
            &self.name,
            &self.title,
        ];
        let texts = texts.into_iter().flatten().map(SafeText::as_str);
        texts.chain(self.path.as_deref()).chain(self.uri.as_deref())
    }
}

impl Weigh for Piece {
    fn weight(&self) -> usize {
        ITEM + weigh!(
            self.kind,
            self.text,
            self.path,
            self.old_text,
            self.new_text
        ) + weigh!(
            self.change,
            self.old_path,
            self.file_type,
            self.patch,
            self.note
        ) + weigh!(self.terminal_id, self.uri, self.name, self.title)
            + weigh!(self.description, self.mime_type, self.raw)
    }
}

impl From<&ContentBlock> for Piece {
    fn from(content: &ContentBlock) -> Self {
        let media = |kind, media: &Media| Self {
            mime_type: Some(media.mime_type.clone()),
            size: media.size.and_then(|size| u64::try_from(size).ok()),
            uri: media.uri.as_ref().map(ToString::to_string),
            ..Self::of(kind)
        };
        match content {
            ContentBlock::Text(text) => Self {
                text: Some(text.clone()),
                ..Self::of("text")
            },
            ContentBlock::Image(image) => media("image", image),
            ContentBlock::Audio(audio) => media("audio", audio),
            ContentBlock::ResourceLink(link) => Self {
                uri: Some(link.uri.clone()),
                name: Some(link.name.clone()),
                title: link.title.clone(),
                description: link.description.clone(),
                mime_type: link.mime_type.clone(),
                size: link.size,
                ..Self::of("resource_link")
            },
            ContentBlock::Resource(resource) => Self {
                uri: Some(resource.uri.clone()),
                mime_type: resource.mime_type.clone(),
                text: resource.text.clone(),
                size: u64::try_from(resource.size).ok(),
                ..Self::of("resource")
            },
            ContentBlock::ForAgent(content) => Self {
                for_agent: true,
                ..Self::from(&**content)
            },
            ContentBlock::Unknown { kind, raw } => Self {
                kind: kind.clone(),
                raw: Some(raw.clone()),
                ..Self::default()
            },
        }
    }
}

impl From<&model::Piece> for Piece {
    fn from(piece: &model::Piece) -> Self {
        match piece {
            model::Piece::Text(text) => Self {
                text: Some(text.since(0)),
                ..Self::of("text")
            },
            model::Piece::Content(content) => content.into(),
        }
    }
}

impl From<&ToolContent> for Piece {
    fn from(content: &ToolContent) -> Self {
        match content {
            ToolContent::Block(content) => content.into(),
            ToolContent::Diff(diff) => diff.as_ref().into(),
            ToolContent::Terminal(id) => Self {
                terminal_id: Some(id.as_str().to_owned()),
                ..Self::of("terminal")
            },
            ToolContent::Session(id) => Self {
                uri: Some(id.as_str().to_owned()),
                ..Self::of("session")
            },
            ToolContent::Unknown { kind, raw } => Self {
                kind: kind.clone(),
                raw: Some(raw.clone()),
                bare: true,
                ..Self::default()
            },
        }
    }
}

impl From<&Diff> for Piece {
    fn from(diff: &Diff) -> Self {
        let mut piece = Self {
            path: Some(diff.path.clone()),
            mime_type: diff.mime_type.clone(),
            note: diff.note.clone(),
            ..Self::of("diff")
        };
        match &diff.text {
            // What was done and to what follows from the texts.
            DiffText::Sides { old, new } => {
                piece.old_text = old.clone();
                piece.new_text = Some(new.clone());
                return piece;
            }
            DiffText::Patch(patch) => piece.patch = Some(patch.clone()),
            DiffText::None => {}
        }
        piece.old_path = diff.from().map(str::to_owned);
        piece.change = Some(SafeText::new(diff.change.as_str()));
        piece.file_type = diff.file.as_str().map(SafeText::new);
        piece
    }
}

impl From<Piece> for Diff {
    fn from(piece: Piece) -> Self {
        let path = piece.path.unwrap_or_default();
        let Some(change) = piece.change else {
            return Self {
                mime_type: piece.mime_type,
                note: piece.note,
                ..Self::of_texts(path, piece.old_text, piece.new_text.unwrap_or_default())
            };
        };
        let from = piece.old_path.unwrap_or_default();
        Self {
            path,
            change: FileChange::of(&change, from),
            file: piece
                .file_type
                .as_deref()
                .map(FileKind::of)
                .unwrap_or_default(),
            mime_type: piece.mime_type,
            text: piece.patch.map_or(DiffText::None, DiffText::Patch),
            note: piece.note,
        }
    }
}

impl From<Piece> for ContentBlock {
    fn from(mut piece: Piece) -> Self {
        if std::mem::take(&mut piece.for_agent) {
            return Self::ForAgent(Arc::new(piece.into()));
        }
        let size = piece.size.and_then(|size| usize::try_from(size).ok());
        let media = || Media {
            mime_type: piece.mime_type.clone().unwrap_or_default(),
            size,
            uri: piece.uri.as_deref().map(SafeText::line),
            data: None,
        };
        match (&*piece.kind, piece.raw) {
            (_, Some(raw)) => Self::Unknown {
                kind: piece.kind,
                raw,
            },
            ("image", _) => Self::Image(media()),
            ("audio", _) => Self::Audio(media()),
            ("resource_link", _) => Self::ResourceLink(ResourceLink {
                uri: piece.uri.unwrap_or_default(),
                name: piece.name.unwrap_or_default(),
                title: piece.title,
                description: piece.description,
                mime_type: piece.mime_type,
                size: piece.size,
            }),
            ("resource", _) => Self::Resource(Resource {
                uri: piece.uri.unwrap_or_default(),
                mime_type: piece.mime_type,
                text: piece.text,
                size: size.unwrap_or_default(),
                image: None,
            }),
            ("text", _) => Self::Text(piece.text.unwrap_or_default()),
            (_, None) => Self::Unknown {
                kind: piece.kind,
                raw: RawJson("{}".into()),
            },
        }
    }
}

impl From<Piece> for ToolContent {
    fn from(piece: Piece) -> Self {
        match (&*piece.kind, &piece.raw) {
            (_, Some(raw)) if piece.bare => Self::Unknown {
                raw: raw.clone(),
                kind: piece.kind,
            },
            ("diff", None) => Self::Diff(Arc::new(piece.into())),
            // The terminal is gone; its output is here if it was stored.
            ("terminal", None) => match piece.text {
                Some(text) => Self::Block(ContentBlock::Text(text)),
                None => Self::Terminal(TerminalId::new(piece.terminal_id.unwrap_or_default())),
            },
            ("session", None) => Self::Session(SessionId::new(piece.uri.unwrap_or_default())),
            _ => Self::Block(piece.into()),
        }
    }
}
