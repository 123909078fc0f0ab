//! Child sessions of an agent (V1-SUB).

use std::path::PathBuf;

use crate::{
    model::{Patch, SessionId, StateUpdate},
    text::SafeText,
};

/// `subagent_update`, sent on the parent: the first one creates the subagent, later ones patch it
/// (V1-SUB-01).
#[derive(Clone, PartialEq, Debug)]
pub struct SubagentPatch {
    pub id: SessionId,
    pub title: Patch<SafeText>,
    pub description: Patch<SafeText>,
    pub caps: Patch<SubagentCaps>,
    /// Replaces the whole state (V1-SUB-04).
    pub state: Patch<StateUpdate>,
    /// Absolute; the parent's if unset.
    pub cwd: Patch<PathBuf>,
    /// The same, independently.
    pub additional_directories: Patch<Vec<PathBuf>>,
}

impl SubagentPatch {
    pub fn new(id: SessionId) -> Self {
        Self {
            id,
            title: Patch::Keep,
            description: Patch::Keep,
            caps: Patch::Keep,
            state: Patch::Keep,
            cwd: Patch::Keep,
            additional_directories: Patch::Keep,
        }
    }
}

/// What the client may do to a subagent; nothing else is allowed (V1-SUB-03).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SubagentCaps {
    pub cancel: bool,
}
