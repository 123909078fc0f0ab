//! Child sessions of an agent (V1-SUB).

use std::path::PathBuf;

use crate::{
    model::{Patch, SessionId, StateUpdate},
    text::SafeText,
};

/// `subagent_update`, on the parent: the first one makes the child known, later ones change what it
/// says of it (V1-SUB-01).
#[derive(Clone, PartialEq, Debug)]
pub struct SubagentPatch {
    pub id: SessionId,
    pub title: Patch<SafeText>,
    pub description: Patch<SafeText>,
    pub caps: Patch<SubagentCaps>,
    /// A whole snapshot each time (V1-SUB-04).
    pub state: Patch<StateUpdate>,
    /// Absolute; where it is unset the parent's holds.
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

/// What may be done to a child; nothing else may (V1-SUB-03).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SubagentCaps {
    pub cancel: bool,
}
