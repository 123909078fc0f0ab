//! A file that changed on the disk.

use serde::Serialize;

use crate::model::{ChangeKind, ReviewFile};

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// Absolute.
    pub path: String,
    /// Below the project without its path.
    pub renamed_from: Option<String>,
    pub kind: &'static str,
    pub binary: bool,
    /// Lines; `None` where there are none, or they were not counted.
    pub added: Option<usize>,
    pub removed: Option<usize>,
}

impl From<&ReviewFile> for Change {
    fn from(file: &ReviewFile) -> Self {
        Self {
            path: file.path.to_string_lossy().into_owned(),
            renamed_from: file.renamed_from.as_ref().map(ToString::to_string),
            kind: match file.kind {
                ChangeKind::Added => "added",
                ChangeKind::Deleted => "deleted",
                ChangeKind::Modified => "modified",
                ChangeKind::Renamed => "renamed",
                ChangeKind::Mode => "mode",
                ChangeKind::Type => "type",
            },
            binary: file.binary,
            added: file.lines.map(|lines| lines.0),
            removed: file.lines.map(|lines| lines.1),
        }
    }
}
