//! Git worktrees for sessions: made on a branch of their own, looked at, and ended: merged, applied as
//! uncommitted changes, or thrown away.
//!
//! Owns every command that changes a repository of the person's. Nothing of the repository's runs by it: no
//! hook, and no filter or merge driver that its own configuration names ([`look::refuse_programs`]). Nothing is
//! lost by it: what goes over is compared before the worktree is removed, what was counted for the person is
//! counted again before it is thrown away, and a merge that does not go through leaves all as it was.
//!
//! Everything here blocks, and knows nothing of sessions.

mod end;
mod git;
mod list;
mod look;
mod make;
#[cfg(test)]
mod tests;

pub use end::{Carried, carry, discard, remove};
pub use git::Problem;
pub use list::{Listed, list};
pub use look::{is_there, status};
pub use make::{Made, Plan, plan};
