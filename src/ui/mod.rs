//! Everything that is drawn and every key.
//!
//! Owns: focus, overlays, the composer, the transcript's view, keymap and actions, themes. Reads
//! the session, changes nothing in it: what the person wants leaves as [`UiCommand`]s. Must not see
//! the host, the wire or async tasks.

pub mod offload;
pub mod render;
pub mod theme;
pub mod transcript;
pub mod viewer;

mod command;

pub use command::{
    AgentChoice, Draft, DraftPart, ProjectInfo, TrustQuestion, UiCommand, UiContext,
};
