//! Everything that is drawn and every key.
//!
//! Owns: focus, overlays, the composer, the transcript's view, keymap and actions, themes. Reads
//! the session, changes nothing in it: what the person wants leaves as [`UiCommand`]s. Must not see
//! the host, the wire or async tasks.

pub mod action;
pub mod action_words;
mod activity;
pub mod blocks;
mod caret;
mod comments;
pub mod composer;
pub mod contain;
pub mod find;
pub mod keymap;
pub mod layers;
mod limit;
mod line_input;
pub mod notices;
pub mod offload;
pub mod options;
pub mod overlay;
pub mod own_commands;
pub mod pointer;
pub mod queue;
pub mod render;
pub mod review;
pub mod standing;
pub mod status;
pub mod theme;
pub mod transcript;
pub mod viewer;

mod command;
mod root;
#[cfg(test)]
pub(crate) mod testing;

pub use activity::SPINNER_STEP;
pub use caret::CaretShape;
use command::begins_word;
pub use command::{
    AgentChoice, AgentList, Draft, DraftPart, Exchange, FileList, FolderListing, FoundInText,
    LookedAt, PastSession, ProjectInfo, SendTo, TrustQuestion, UiCommand, UiContext, WrittenOut,
    mention_text,
};
pub use composer::{History, draft_of};
pub use root::{InlineFrame, Ui, UiSettings};
