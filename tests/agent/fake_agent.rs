//! The scripted agent as a program: see `tests/support/agent.rs`.

#[path = "../support/agent.rs"]
mod agent;

fn main() {
    agent::main(std::env::args().skip(1));
}
