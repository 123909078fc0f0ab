//! For tests of the UI: an agent played against the real reducer, and buffers as pictures.

mod agent;
mod picture;

pub use agent::{Bench, option, usual_options};
pub use picture::{keep, text};
