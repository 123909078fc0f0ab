//! Completions and manual pages, generated from the arguments.

use std::{fs, path::Path};

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

/// The manual page of the program, or of the command that `of` names, word by word.
///
/// # Errors
/// There is no such command, or stdout cannot be written.
pub fn man(of: &[String]) -> Result<(), CliError> {
    print(&String::from_utf8_lossy(&page(&named(of)?)?))
}

/// Writes the pages of the program and of each command into `folder`, which is made where missing.
///
/// # Errors
/// A page cannot be written.
pub fn man_pages(folder: &Path) -> Result<(), CliError> {
    fs::create_dir_all(folder).map_err(CliError::io(folder.display()))?;
    let mut commands = vec![built()];
    while let Some(command) = commands.pop() {
        let file = folder.join(format!("{}.1", page_name(&command)));
        fs::write(&file, page(&command)?).map_err(CliError::io(file.display()))?;
        commands.extend(pages_below(&command).cloned());
    }
    Ok(())
}

/// With the names that pages have: `acp-tui-sessions-show`.
fn built() -> clap::Command {
    let mut command = Cli::command();
    command.build();
    command
}

fn named(words: &[String]) -> Result<clap::Command, CliError> {
    let mut command = built();
    for word in words {
        let found = pages_below(&command).find(|below| below.get_name() == word);
        command = found.cloned().ok_or_else(|| {
            let wanted = words.join(" ");
            CliError::Usage(format!(
                "there is no command \"{wanted}\"; `acp-tui --help` lists them"
            ))
        })?;
    }
    Ok(command)
}

fn pages_below(command: &clap::Command) -> impl Iterator<Item = &clap::Command> {
    let below = command.get_subcommands();
    below.filter(|below| !below.is_hide_set() && below.get_name() != "help")
}

fn page_name(command: &clap::Command) -> &str {
    command
        .get_display_name()
        .unwrap_or_else(|| command.get_name())
}

fn page(command: &clap::Command) -> Result<Vec<u8>, CliError> {
    let mut out = Vec::new();
    clap_mangen::Man::new(command.clone())
        .render(&mut out)
        .map_err(CliError::io("the manual page"))?;
    Ok(out)
}
