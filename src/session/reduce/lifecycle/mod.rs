//! What happens to a session besides its turns: it is opened, listed, named, deleted, and signed in
//! for.

pub mod listing;
pub mod opening;
mod providers;
mod retry_after_sign_in;
pub mod sign_in;
mod sign_in_program;
mod stored;
mod title;
