//! Files, terminals and permission policy on the person's machine.
//!
//! Owns: [`Host`], which serves what an agent asks of `fs/*` and `terminal/*`, and the side doors
//! (clipboard, browser, editor, pager, list of files, git branch). What needs the person's word is handed
//! back as an outcome, never asked here. Must not know about the session, the wire or the screen.

pub mod attachments;

pub mod browser;
pub mod changes;
pub mod clipboard;
mod compare;
pub mod editor;
mod fs;
pub mod git;
mod ignored;
mod login;
mod original_files;
mod permission;
mod serve;
mod terminal;
pub mod walk;
pub mod worktree;

use std::sync::Arc;

pub use fs::{Obstacle, Own, Resolved, Roots};
pub use login::{Login, LoginCommand};
pub use original_files::OriginalFiles;
pub use permission::Subject;
#[cfg(test)]
pub use permission::{Access, Judge};
pub use serve::{Host, HostConfig, ServeOutcome, Serving};
pub use terminal::{DEFAULT_SIZE, TerminalSettings, Terminals};

use crate::{
    model::{ExitStatus, SessionId, TerminalId},
    text::SafeText,
    vt::SharedScreen,
};

/// What happens on this machine without being an answer to a request.
#[derive(Clone)]
pub enum HostEvent {
    TerminalStarted {
        /// Of the agent; `None`: the person's own command.
        session: Option<SessionId>,
        id: TerminalId,
        command: SafeText,
        cwd: SafeText,
        screen: SharedScreen,
    },
    /// The screen of one changed. Comes once for each until it is looked at.
    TerminalOutput,
    TerminalExited {
        id: TerminalId,
        status: ExitStatus,
    },
}

/// Takes events from any task; must not block.
pub type EventSink = Arc<dyn Fn(HostEvent) + Send + Sync>;
