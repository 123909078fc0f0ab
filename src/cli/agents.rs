//! `acp-tui agents`.

use std::path::Path;

use super::{CliError, Survey, output::columns, print, version::Versions};
use crate::config::Config;

/// One line for each agent: those that are found first. `state` is the state directory, where the
/// versions that they told are kept.
///
/// # Errors
/// Stdout cannot be written.
pub fn agents(config: &Config, cwd: &Path, state: &Path) -> Result<(), CliError> {
    let Survey { agents } = Survey::new(config, cwd);
    let places = agents
        .iter()
        .map(|agent| (agent.profile, agent.place.as_deref()));
    let versions = Versions::new(state).of_all(places, cwd);
    let head = ["AGENT", "NAME", "FROM", "VERSION", "COMMAND"].map(str::to_owned);
    let mut rows = vec![head.to_vec()];
    rows.extend(agents.iter().zip(versions).map(|(agent, version)| {
        vec![
            agent.marked(),
            agent.name.to_string(),
            agent.from.clone(),
            version.map_or_else(|| "-".to_owned(), |version| version.to_string()),
            agent.detail(),
        ]
    }));
    print(&columns(&rows))
}
