//! What is allowed without asking: rules and policy (PRODUCT §2, V1-PERM-06, V1-TERM-19).
//!
//! Owns: matching rules against what an agent wants, and the verdict. Allow rules match strictly,
//! deny and ask rules generously: a doubt never allows. Looks at the disk (links are resolved), so
//! it is for blocking tasks. Never asks and never answers by itself.

mod command;
mod lexer;
mod path;
mod policy;
mod rule;

pub use policy::{Judge, Refusal, Subject, TerminalVerdict};
