//! What is allowed without asking: rules and policy (V1-PERM-06, V1-TERM-19).
//!
//! One judge for all ways in: a request for permission, `fs/*`, `terminal/create`. Owns: gathering
//! what a request would do ([`facts`]), matching rules against it, and the verdict. Allow rules match
//! strictly, deny and ask rules generously: a doubt never allows. Looks at the disk (links are
//! resolved), so it is for blocking tasks. It neither asks the person nor answers the agent.

mod command;
mod facts;
mod lexer;
mod path;
mod policy;
mod rule;
mod words;

pub use facts::Subject;
pub use policy::{Access, Judge};
