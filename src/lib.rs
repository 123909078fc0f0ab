//! acp-tui: a terminal client for coding agents that speak the Agent Client Protocol.
//!
//! The layers, each importing only from those above it in this list (held by `tests/layering.rs`):
//!
//! | module | owns | may import |
//! | --- | --- | --- |
//! | [`text`] | safe text, widths, wrapping | – |
//! | [`diff`] | texts compared line by line; unified diffs, read and written | – |
//! | [`files`] | opening regular files, and nothing that stands in their place | – |
//! | [`memory`] | what the allocator keeps goes back to the system | – |
//! | [`model`] | our words for ACP, wire-neutral plain data | text |
//! | [`picture`] | images as what a terminal can show of them | model |
//! | [`guard`] | ends what was started when the client itself is killed | – |
//! | [`rpc`] | newline-delimited JSON-RPC over a byte stream | text, model |
//! | [`acp`] | the agent process; ACP's wire shapes to and from [`model`] | text, diff, files, model, guard, rpc |
//! | [`session`] | the pure reducer: conversation state and its rules | text, model |
//! | [`vt`] | a terminal's screen as data | text, model |
//! | [`input`] | our terminal's bytes as keys, pastes and answers | – |
//! | [`host`] | files, terminals, permission policy on this machine | text, diff, files, model, picture, guard, vt |
//! | [`config`] | layered configuration | text, model |
//! | [`store`] | what outlives a run: stored sessions, drafts, history | text, files, memory, model, session, vt, config |
//! | [`cli`] | the command line, and the commands that need no agent | text, files, model, config |
//! | [`ui`] | everything drawn, every key | text, diff, model, picture, vt, session, config |
//! | [`report`] | a session for other programs: what happened, as text or JSON | text, model, session |
//! | [`demo`] | the built-in demo agent (the other side of the protocol) | text |
//! | [`app`] | the loop that wires them | all |

// The library is there for the program, its tests and its benchmarks: its documentation is that of
// the inside, and names private items.
#![allow(rustdoc::private_intra_doc_links)]
// What comes from outside must not end the program.
#![cfg_attr(
    not(test),
    warn(
        clippy::expect_used,
        clippy::panic,
        clippy::todo,
        clippy::unreachable,
        clippy::unwrap_used
    )
)]

pub mod acp;
pub mod app;
pub mod cli;
pub mod config;
pub mod demo;
pub mod diff;
pub mod files;
pub mod guard;
pub mod host;
pub mod input;
pub mod memory;
pub mod model;
pub mod picture;
pub mod report;
pub mod rpc;
pub mod session;
pub mod store;
pub mod text;
pub mod ui;
pub mod vt;
