//! The loop that wires everything.
mod frame;
mod input;
mod reader;
mod tty;
