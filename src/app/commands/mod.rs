//! Commands that need an agent, its wire log or stored sessions.

mod changes;
mod doctor;
mod replay;
mod run;
mod sessions;
mod worktrees;

pub use changes::{changes, undo};
pub use doctor::doctor;
pub use replay::{Playing, print_replay, replay};
pub use run::run as run_headless;
pub(in crate::app) use sessions::export_json;
pub use sessions::sessions;
pub use worktrees::worktrees;
