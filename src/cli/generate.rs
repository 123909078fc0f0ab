//! What is made out of the command line's description: completions and the manual page.

use clap::CommandFactory;

use super::{Cli, CliError, print};

/// # Errors
/// Stdout cannot be written.
pub fn completions(shell: clap_complete::Shell) -> Result<(), CliError> {
    let mut out = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "acp-tui", &mut out);
    print(&String::from_utf8_lossy(&out))
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
