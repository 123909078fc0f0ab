//! musl and macOS give large blocks back by themselves.

pub fn set_up() {}

pub fn give_back() {}
