//! The real binary in a real terminal.

#[path = "../support/mod.rs"]
mod support;
