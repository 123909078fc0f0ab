//! What the tests and the benchmarks share: a scripted agent and a terminal to run the client in.

pub mod agent;
pub mod changes;
mod heavy;
mod keys;
pub mod pty;
pub mod schema;
pub mod setup;
