//! `acp-tui config`.

use super::{CliError, ConfigAction, ExitCode, complain, print, print_warnings};
use crate::{
    config::{KeyCheck, LoadOptions, TrustState, load, project_file, schema},
    text::SafeText,
};

/// # Errors
/// A file is no TOML, or stdout cannot be written.
pub fn config(
    options: &LoadOptions,
    action: Option<ConfigAction>,
    check_keys: KeyCheck,
) -> Result<ExitCode, CliError> {
    if action == Some(ConfigAction::Schema) {
        print(&schema())?;
        return Ok(ExitCode::Done);
    }
    if action == Some(ConfigAction::Path) {
        print(&paths(options))?;
        return Ok(ExitCode::Done);
    }
    let mut loaded = load(options)?;
    let warnings = match action {
        Some(ConfigAction::Check) => loaded.check(&options.env, check_keys),
        _ => loaded.all_warnings(check_keys),
    };
    print_warnings(&warnings);
    if let TrustState::Untrusted { path, .. } = &loaded.trust {
        complain(format_args!(
            "{}: only its display keys apply; acp-tui trust shows and approves it",
            SafeText::line(&path.to_string_lossy())
        ));
    }
    if action == Some(ConfigAction::Check) {
        if !warnings.is_empty() {
            return Ok(ExitCode::Failure);
        }
        print("ok\n")?;
        return Ok(ExitCode::Done);
    }
    // What was just said to be wrong has no effect.
    for warning in &warnings {
        loaded.forget(&warning.key);
    }
    print(&loaded.describe())?;
    Ok(ExitCode::Done)
}

/// The files that are read, and whether they are there.
fn paths(options: &LoadOptions) -> String {
    let user = options.user_file();
    let mut files = vec![user];
    files.extend(project_file(&options.cwd));
    files
        .iter()
        .map(|file| {
            let missing = if file.exists() { "" } else { "  (not there)" };
            format!("{}{missing}\n", SafeText::line(&file.to_string_lossy()))
        })
        .collect()
}
