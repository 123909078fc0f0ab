//! What is asked for, under which rules, and what becomes of it: `serve` without a question, as nothing
//! speaks against it; else `allow`, `ask`, `deny`. One line a case, however long: `rows!` keeps it so.

mod disguises;
mod members;
mod rules;

pub const TABLES: [&[super::Row]; 3] = [rules::RULES, members::MEMBERS, disguises::DISGUISES];
