//! Terminals.
mod buffer;
mod plain;
mod utf8;
