//! `acp-tui trust`.

use std::{
    io::{BufRead, IsTerminal, Write},
    path::Path,
};

use super::{CliError, ExitCode, complain, print, print_warnings};
use crate::{
    config::{LoadOptions, TrustState, load, project_file, trust},
    text::SafeText,
};

/// Shows the project's file and approves it if the person says so.
///
/// # Errors
/// A file is no TOML, stdin is no terminal to ask at, or the decision cannot be kept.
pub fn trust(options: &LoadOptions, yes: bool, revoke: bool) -> Result<ExitCode, CliError> {
    if revoke {
        return revoke_approval(options);
    }
    let loaded = load(options)?;
    print_warnings(&loaded.warnings);
    let (path, content, hash) = match loaded.trust {
        TrustState::NotNeeded if loaded.project_is_broken => {
            complain("fix it first: none of it applies, so there is nothing to approve");
            return Ok(ExitCode::Failure);
        }
        TrustState::NotNeeded => {
            print(
                "nothing to approve: this project has no .acp-tui.toml, or one that only changes \
                 how things look\n",
            )?;
            return Ok(ExitCode::Done);
        }
        TrustState::Trusted { path } => {
            print(&format!("{}: already approved\n", shown(&path)))?;
            return Ok(ExitCode::Done);
        }
        TrustState::Untrusted {
            path,
            content,
            hash,
            ..
        } => (path, content, hash),
    };
    print(&format!(
        "{}:\n\n{}\n\n",
        shown(&path),
        SafeText::new(content.trim_end_matches(['\n', '\r']))
    ))?;
    if !yes && !agreed(&path)? {
        print("not approved\n")?;
        return Ok(ExitCode::Failure);
    }
    trust::approve(&options.dirs, &path, &hash)
        .map_err(CliError::io("the approval could not be kept"))?;
    print("approved, until it changes\n")?;
    Ok(ExitCode::Done)
}

fn agreed(path: &Path) -> Result<bool, CliError> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        return Err(CliError::Usage(format!(
            "cannot ask about {}: read it, then pass --yes",
            shown(path)
        )));
    }
    let io = |source| CliError::io("the question")(source);
    let mut stdout = std::io::stdout().lock();
    stdout.flush().map_err(io)?;
    // What was typed before the file could be read is no answer. Where it cannot be thrown away, it
    // is read as one, and has to be a whole line that says so.
    let _ = rustix::termios::tcflush(&stdin, rustix::termios::QueueSelector::IFlush);
    stdout
        .write_all(b"It can name programs to be started as agents. Approve it? [y/N] ")
        .and_then(|()| stdout.flush())
        .map_err(io)?;
    let mut answer = String::new();
    stdin.lock().read_line(&mut answer).map_err(io)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn revoke_approval(options: &LoadOptions) -> Result<ExitCode, CliError> {
    let Some(path) = project_file(&options.cwd) else {
        print("nothing to revoke: the project has no .acp-tui.toml\n")?;
        return Ok(ExitCode::Done);
    };
    let known = trust::revoke(&options.dirs, &path)
        .map_err(CliError::io("the approval could not be taken back"))?;
    let outcome = if known { "revoked" } else { "was not approved" };
    print(&format!("{}: {outcome}\n", shown(&path)))?;
    Ok(ExitCode::Done)
}

fn shown(path: &Path) -> SafeText {
    SafeText::line(&path.to_string_lossy())
}
