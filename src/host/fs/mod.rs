//! Files of the person's disk: what lies inside the workspace, reading and writing it.
//!
//! Owns: the roots and the judgement inside/outside, windows of lines, atomic writes, and the
//! order of operations on one path. Everything here blocks and is called from blocking tasks,
//! but for [`Lanes::enter`]. Must not know about policy or questions.

mod lanes;
pub(super) mod look;
mod read;
mod roots;
mod write;

use std::{io, path::Path};

pub(super) use lanes::Lanes;
pub(super) use read::read;
pub use roots::{Resolved, Roots};
pub(super) use write::write;

use crate::proto::{RpcError, code};

/// An I/O error as the agent is told it: what was tried, with which file, why not.
pub(super) fn failure(doing: &str, path: &Path, error: &io::Error) -> RpcError {
    let code = match error.kind() {
        // Agents tell "new file" from "broken" by this code (V1-FS-06).
        io::ErrorKind::NotFound => code::NOT_FOUND,
        _ => code::INTERNAL,
    };
    RpcError::new(code, format!("cannot {doing} {}: {error}", path.display()))
}

fn refusal(doing: &str, path: &Path, why: &str) -> RpcError {
    RpcError::new(
        code::INTERNAL,
        format!("cannot {doing} {}: {why}", path.display()),
    )
}
