//! Files of the person's disk: what lies inside the workspace, reading and writing it.
//!
//! Owns: the roots and the judgement inside/outside, windows of lines, atomic writes, and the
//! order of operations on one path. Everything here blocks and is called from blocking tasks,
//! but for [`Lanes::enter`]. Must not know about policy or questions.
//!
//! A path is resolved by [`Roots::resolve`] and then used by handles only ([`dir`]), never by its
//! letters again: a link that comes in its way meanwhile is an error.

pub(super) mod aside;
pub(super) mod dir;
#[cfg(not(target_os = "linux"))]
mod elsewhere;
mod lanes;
mod links;
#[cfg(target_os = "linux")]
mod linux;
pub(super) mod look;
mod protected;
mod read;
mod roots;
mod write;

use std::{io, path::Path};

#[cfg(not(target_os = "linux"))]
use elsewhere as system;
#[cfg(target_os = "linux")]
use linux as system;

pub(super) use lanes::Lanes;
pub use protected::Own;
pub(super) use read::{open, read};
pub use roots::{Obstacle, Resolved, Roots};
pub(super) use system::give_way;
pub(super) use write::{prepare, write};

use crate::model::{RpcError, code};

/// An I/O error for the agent: what was tried, with which file, and why it failed.
pub(super) fn failure(doing: &str, path: &Path, error: &io::Error) -> RpcError {
    let code = match error.kind() {
        // Agents tell "new file" from "broken" by this code (V1-FS-06).
        io::ErrorKind::NotFound => code::NOT_FOUND,
        _ => code::INTERNAL,
    };
    // Resolved paths have no links.
    if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) {
        return refusal(doing, path, "part of it just became a link");
    }
    RpcError::new(code, format!("cannot {doing} {}: {error}", path.display()))
}

fn refusal(doing: &str, path: &Path, why: &str) -> RpcError {
    RpcError::new(
        code::INTERNAL,
        format!("cannot {doing} {}: {why}", path.display()),
    )
}
