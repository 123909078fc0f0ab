//! The loop that wires everything.
mod attention;
mod draft;
mod exit;
mod frame;
mod input;
mod reader;
mod signals;
mod store;
mod tty;
