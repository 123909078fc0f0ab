//! The loop that wires everything.
mod attention;
mod draft;
mod exit;
mod frame;
mod input;
mod reader;
mod signals;
mod store;
mod tty;

use std::path::Path;

use crate::{
    cli::{DoctorReport, ExitCode, Launch},
    config::{AgentProfile, Loaded},
};

/// Opens the UI and stays until the person leaves.
///
/// # Errors
/// What keeps it from running at all; the terminal is restored by then.
pub fn run(launch: Launch, loaded: Loaded) -> anyhow::Result<ExitCode> {
    drop((launch, loaded));
    anyhow::bail!("the UI is not part of this build")
}

/// Starts the agent, initializes it and notes what it can do.
///
/// # Errors
/// What keeps the examination from being made; what it finds wrong is in the report.
pub fn doctor(agent: &AgentProfile, cwd: &Path) -> anyhow::Result<DoctorReport> {
    anyhow::bail!(
        "{} in {}: the connection is not part of this build",
        agent.id,
        cwd.display()
    )
}
