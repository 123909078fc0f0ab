//! The scripted agent as a program: see `tests/support/agent.rs`; and, where the scenario is
//! `{"older": NAME, …}`, an agent that speaks an older dialect and nothing else: see `older/mod.rs`.

#[path = "../support/agent.rs"]
mod agent;
#[path = "../support/heavy.rs"]
mod heavy;
mod older;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if !older::main(&args) {
        agent::main(args.into_iter());
    }
}
