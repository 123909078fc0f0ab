//! The built-in demo agent: this binary, started as a subprocess, speaking real ACP over stdio.
//!
//! Owns the agent's side of a guided tour: it shows everything the client can draw and uses the
//! client's real `fs/*` and `terminal/*`. A script, not a model. Must not touch the client's
//! modules: what it does, any agent could do.

mod agent;
mod changes;
mod options;
mod peer;
mod script;
mod session_updates;
mod showcase;

use std::io;

/// Serves one client on stdin and stdout until stdin ends.
pub fn run() -> io::Result<()> {
    let (peer, inbox) = peer::Peer::start();
    agent::Agent::new(peer).serve(&inbox);
    Ok(())
}
