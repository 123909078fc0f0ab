//! Compactions of the context (V1-COMP).

use crate::{
    model::{CompactionId, ContentBlock, Meta, Patch},
    text::SafeText,
};

/// `compaction_update`: creates or patches the one with that id (V1-COMP-01).
#[derive(Clone, PartialEq, Debug)]
pub struct CompactionPatch {
    pub id: CompactionId,
    /// `None` where an agent leaves out what it must say.
    pub status: Option<CompactionStatus>,
    /// Replaces the whole summary; an empty list clears it.
    pub summary: Patch<Vec<ContentBlock>>,
    pub error: Patch<SafeText>,
    /// `_meta` is patched as well.
    pub meta: Meta,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum CompactionStatus {
    #[default]
    InProgress,
    Completed,
    Failed,
    Cancelled,
    /// A status that this client does not know, shown as it is (V1-COMP-03).
    Unknown(SafeText),
}
