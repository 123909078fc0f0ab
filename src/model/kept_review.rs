//! What the person holds of a review, as it is stored with the session: marks and comments.

use std::{ops::Range, path::PathBuf};

use serde::{Deserialize, Serialize};

use crate::text::SafeText;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KeptReview {
    /// The oldest first.
    pub marks: Vec<KeptMark>,
    /// In the order in which they were written.
    pub comments: Vec<KeptComment>,
}

impl KeptReview {
    pub fn is_empty(&self) -> bool {
        self.marks.is_empty() && self.comments.is_empty()
    }
}

/// A file was reviewed.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct KeptMark {
    #[serde(with = "any_path")]
    pub path: PathBuf,
    /// As which content.
    pub content: u64,
}

/// Something was said of lines, or of a file.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct KeptComment {
    /// Empty: of the plan.
    #[serde(with = "any_path")]
    pub path: PathBuf,
    /// As it is told.
    pub name: SafeText,
    /// Of the text before the change.
    #[serde(skip_serializing_if = "is_default")]
    pub old: bool,
    /// From 0; none: of the whole file.
    pub lines: Range<u32>,
    /// What is to be added for their numbers in the file.
    #[serde(skip_serializing_if = "is_default")]
    pub shift: u32,
    /// The first of these lines, as they were.
    #[serde(skip_serializing_if = "is_default")]
    pub quote: Vec<SafeText>,
    /// How many more there were.
    #[serde(skip_serializing_if = "is_default")]
    pub more: usize,
    /// The lines before and behind them.
    #[serde(skip_serializing_if = "is_default")]
    pub around: [Option<SafeText>; 2],
    pub text: String,
    /// These lines are gone.
    #[serde(skip_serializing_if = "is_default")]
    pub stale: bool,
    /// The content of the file that it has its place in.
    pub content: u64,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A path need not be UTF-8: then its bytes are written.
mod any_path {
    use std::{
        ffi::OsString,
        os::unix::ffi::{OsStrExt, OsStringExt},
        path::{Path, PathBuf},
    };

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Text(String),
        Bytes(Vec<u8>),
    }

    pub fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
        match path.to_str() {
            Some(text) => text.serialize(serializer),
            None => path.as_os_str().as_bytes().serialize(serializer),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
        Ok(match Written::deserialize(deserializer)? {
            Written::Text(text) => text.into(),
            Written::Bytes(bytes) => OsString::from_vec(bytes).into(),
        })
    }
}
