//! Services on the person's machine.

pub mod fs;
pub mod terminal;
