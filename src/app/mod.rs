//! The loop that wires everything.
mod draft;
mod frame;
mod input;
mod reader;
mod signals;
mod store;
mod tty;
