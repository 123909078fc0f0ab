//! `acp-tui agents`.

use std::path::{Path, PathBuf};

use super::{CliError, output::columns, print, version::Versions};
use crate::{
    config::{AgentProfile, Config, Origin, StartError},
    text::{SafeText, secrets::mask},
};

/// One line for each agent: those that are found first. `state` is the state directory, where the
/// versions that they told are kept.
///
/// # Errors
/// Stdout cannot be written.
pub fn agents(config: &Config, cwd: &Path, state: &Path) -> Result<(), CliError> {
    let located: Vec<(&AgentProfile, Result<PathBuf, StartError>)> = config
        .agents
        .values()
        .map(|agent| (agent, agent.locate(cwd)))
        .collect();
    let places = located
        .iter()
        .map(|(agent, place)| (*agent, place.as_deref().ok()));
    let versions = Versions::new(state).of_all(places, cwd);
    let mut found = Vec::new();
    let mut missing = Vec::new();
    for ((agent, place), version) in located.iter().zip(versions) {
        let is_default = config.default_agent.as_deref().is_some_and(|name| {
            name == agent.id || agent.aliases.iter().any(|alias| alias == name)
        });
        let mark = if is_default { "*" } else { "" };
        let version = version.map_or_else(|| "-".to_owned(), |v| v.to_string());
        let (rows, place) = match place {
            Ok(path) => (&mut found, agent.command_line_of(&path.to_string_lossy())),
            Err(problem) => (&mut missing, problem.to_string()),
        };
        rows.push(vec![
            SafeText::line(&format!("{}{mark}", agent.id)).to_string(),
            SafeText::line(&agent.name).to_string(),
            origin(&agent.origin),
            version,
            SafeText::line(&mask(&place)).to_string(),
        ]);
    }
    let head = ["AGENT", "NAME", "FROM", "VERSION", "COMMAND"].map(str::to_owned);
    let mut rows = vec![head.to_vec()];
    rows.append(&mut found);
    rows.append(&mut missing);
    print(&columns(&rows))
}

pub(super) fn origin(origin: &Origin) -> String {
    match origin {
        Origin::BuiltIn => "built-in".into(),
        Origin::File(path) => SafeText::line(&path.to_string_lossy()).to_string(),
        Origin::Environment => "environment".into(),
        Origin::CommandLine => "command line".into(),
    }
}
