//! Newline-delimited JSON-RPC 2.0 over a byte stream.
//!
//! Owns: framing with its bounds and repairs ([`lines`]), the envelope ([`envelope`]), the
//! ids of both directions and the answer-once rule ([`peer`]), the writer ([`outbox`]), and the one
//! ordered, bounded inbound queue ([`queue`]). What params and results mean is the business of the
//! [`Protocol`] that the reader is given. Must not know about processes or about ACP's methods,
//! save for `$/cancel_request`, which belongs to the envelope: it names a raw id.

pub mod envelope;
mod error;
mod json;
mod lines;
mod outbox;
mod pace;
mod peer;
mod queue;
mod reader;
mod tap;

#[cfg(test)]
mod tests;

pub use error::decode_error;
pub use json::{Items, Member, Members, Text, is_wide, present, pruned, tree};
pub use lines::{Line, Lines, not_whole, readable};
pub use outbox::{Outbox, Outgoing, write_lines};
pub use peer::Peer;
pub use queue::{Receiver, Sender, channel};
pub use reader::{Aside, Inbound, Plain, Protocol, Reader, call_result};
pub use tap::{Direction, Tap, WireLine};
