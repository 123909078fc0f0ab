//! The wire log (`--wire`): written while the client runs, read again by `acp-tui replay`.

mod read;
mod write;

pub use read::{Recorded, Recording, Word};
pub use write::{Secrets, WireLog, WireLogHandle};
