//! `acp-tui trust`.

use std::path::Path;

use super::{CliError, ExitCode, asked, complain, print, print_warnings};
use crate::{
    config::{
        LoadOptions, TrustState, Unapproved, load, project_file, project_prompts, prompts, trust,
    },
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
    let waiting = prompts(&options.dirs, options.config_file.as_deref(), &options.cwd).unapproved;
    let outcome = match loaded.trust {
        TrustState::NotNeeded if loaded.project_is_broken => {
            complain("fix it first: none of it applies, so there is nothing to approve");
            return Ok(ExitCode::Failure);
        }
        TrustState::NotNeeded if !waiting.is_empty() => ExitCode::Done,
        TrustState::NotNeeded => {
            print(
                "nothing to approve: this project has no .acp-tui.toml, or one that only changes \
                 how things look\n",
            )?;
            return Ok(ExitCode::Done);
        }
        TrustState::Trusted { path } => {
            print(&format!("{}: already approved\n", shown(&path)))?;
            ExitCode::Done
        }
        TrustState::Untrusted {
            path,
            content,
            hash,
            ..
        } => {
            let file = Unapproved {
                path,
                content,
                hash,
            };
            ask_about(
                &file,
                b"It can name programs to be started as agents.",
                yes,
                options,
            )?
        }
    };
    let mut outcomes = vec![outcome];
    for prompt in waiting {
        let what = b"It would be sent to agents as it is, by its name.";
        outcomes.push(ask_about(&prompt, what, yes, options)?);
    }
    let all = outcomes.iter().all(|outcome| *outcome == ExitCode::Done);
    Ok(if all {
        ExitCode::Done
    } else {
        ExitCode::Failure
    })
}

/// Shows a file, and approves it if the person says so.
fn ask_about(
    file: &Unapproved,
    what: &[u8],
    yes: bool,
    options: &LoadOptions,
) -> Result<ExitCode, CliError> {
    print(&format!(
        "{}:\n\n{}\n\n",
        shown(&file.path),
        SafeText::new(file.content.trim_end_matches(['\n', '\r']))
    ))?;
    if !yes && !agreed(&file.path, what)? {
        print("not approved\n")?;
        return Ok(ExitCode::Failure);
    }
    trust::approve(&options.dirs, &file.path, &file.hash)
        .map_err(CliError::io("the approval could not be kept"))?;
    print("approved, until it changes\n")?;
    Ok(ExitCode::Done)
}

fn agreed(path: &Path, what: &[u8]) -> Result<bool, CliError> {
    let question = format!("{} Approve it? [y/N] ", String::from_utf8_lossy(what));
    let unasked = || format!("cannot ask about {}: read it, then pass --yes", shown(path));
    asked(&question, unasked)
}

fn revoke_approval(options: &LoadOptions) -> Result<ExitCode, CliError> {
    let failed = || CliError::io("the approval could not be taken back");
    let folder = project_prompts(&options.cwd);
    let prompts = trust::revoke_in(&options.dirs, &folder).map_err(failed())?;
    if prompts > 0 {
        print(&format!("{}: {prompts} revoked\n", shown(&folder)))?;
    }
    let Some(path) = project_file(&options.cwd) else {
        if prompts > 0 {
            return Ok(ExitCode::Done);
        }
        print("nothing to revoke: the project has no .acp-tui.toml\n")?;
        return Ok(ExitCode::Done);
    };
    let known = trust::revoke(&options.dirs, &path).map_err(failed())?;
    let outcome = if known { "revoked" } else { "was not approved" };
    print(&format!("{}: {outcome}\n", shown(&path)))?;
    Ok(ExitCode::Done)
}

fn shown(path: &Path) -> SafeText {
    SafeText::line(&path.to_string_lossy())
}
