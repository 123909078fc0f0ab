//! What is made out of the command line's description: completions and the manual page.

use clap::CommandFactory;

use super::{Cli, CliError, print};

/// # Errors
/// Stdout cannot be written.
pub fn completions(shell: clap_complete::Shell) -> Result<(), CliError> {
    let mut out = Vec::new();
    clap_complete::generate(shell, &mut offered(), "acp-tui", &mut out);
    let mut script = String::from_utf8_lossy(&out).into_owned();
    if shell == clap_complete::Shell::Bash {
        // The generator sets `acp__tui…` where it follows what was typed, but its labels name a
        // program with a hyphen in another way, so that nothing behind a command would match.
        script = script.replace("acp__subcmd__tui", "acp__tui");
    }
    print(&script)
}

/// What is in --help: the generators offer hidden commands as well.
fn offered() -> clap::Command {
    let full = Cli::command();
    let commands = full.get_subcommands().filter(|c| !c.is_hide_set());
    clap::Command::new("acp-tui")
        .version(env!("CARGO_PKG_VERSION"))
        .disable_help_subcommand(true)
        .args(full.get_arguments().cloned())
        .subcommands(commands.cloned())
}

/// # Errors
/// Stdout cannot be written.
pub fn man() -> Result<(), CliError> {
    let mut out = Vec::new();
    clap_mangen::Man::new(Cli::command())
        .render(&mut out)
        .map_err(|source| CliError::Io {
            what: "the manual page".into(),
            source,
        })?;
    print(&String::from_utf8_lossy(&out))
}
