//! Services on the person's machine.

pub mod fs;
pub mod terminal;

use std::sync::Arc;

use crate::{
    proto::{ExitStatus, TerminalId},
    text::SafeText,
    vt::SharedScreen,
};

/// What happens on this machine without being an answer to a request.
#[derive(Clone)]
pub enum HostEvent {
    TerminalStarted {
        id: TerminalId,
        command: SafeText,
        cwd: SafeText,
        screen: SharedScreen,
    },
    /// Its screen changed. Comes once until somebody looks at the screen.
    TerminalOutput(TerminalId),
    TerminalExited {
        id: TerminalId,
        status: ExitStatus,
    },
}

/// Takes events from any task; must not block.
pub type EventSink = Arc<dyn Fn(HostEvent) + Send + Sync>;
pub mod permission;
