//! Text that may be shown, and how wide it is.
//!
//! Owns: [`SafeText`] (the only form in which foreign text reaches the screen), cell widths by
//! grapheme, tab expansion, truncation and wrapping, command lines out of words; what of it is a secret
//! ([`secrets`]). Must not know about styles, widgets or the protocol.

mod breaks;
mod bytes;
mod colour;
mod exact;
pub mod json;
mod name;
mod safe;
pub mod secrets;
mod shell;
mod width;
mod words;
mod wrap;

pub use bytes::{first_bytes, last_bytes};
pub use colour::without_colours;
pub use exact::{exact, exact_line};
pub use name::in_backticks;
pub use safe::{Hole, SafeText, SafeTextBuf, is_control_picture, sanitize};
pub use shell::command_line;
pub use width::{
    TAB_WIDTH, cell_width, expand_tabs, grapheme_width, is_grapheme_boundary, prefix_of_width,
    truncate_to_width, truncate_with,
};
pub use words::Words;
pub use wrap::{Row, wrap, wrap_hard, wrap_verbatim};
