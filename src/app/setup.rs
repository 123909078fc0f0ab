//! What the UI needs of the configuration, and which agent was asked for.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    app::told::told,
    cli::{AgentWanted, CliError, Launch},
    config::{AgentProfile, Config, Loaded, UiConfig},
    host::git,
    text::SafeText,
    ui::{
        AgentChoice, AgentList, ProjectInfo, UiSettings,
        keymap::check_keys,
        theme::{Background, Colours},
    },
};

/// `state`: the folder of what is kept of the client itself.
pub fn project_info(cwd: &Path, state: &Path) -> ProjectInfo {
    ProjectInfo {
        cwd: SafeText::line(&with_tilde(cwd)),
        git_branch: git::branch(cwd),
        policy: None,
        read_only: None,
        stores: true,
        no_browser: None,
        prompts: Arc::default(),
        told: told(state),
    }
}

/// `inline`: without the alternate screen.
pub fn ui_settings(config: &Config, inline: bool) -> UiSettings {
    UiSettings {
        ui: config.ui.clone(),
        keys: config.keys.clone(),
        agents: agent_choices(config, |_| None),
        colours: Colours::of_environment(
            std::env::var("NO_COLOR").ok().as_deref(),
            std::env::var("COLORTERM").ok().as_deref(),
            std::env::var("TERM").ok().as_deref(),
        ),
        background: Background::of_environment(std::env::var("COLORFGBG").ok().as_deref()),
        themes: config.themes.clone(),
        inline,
        spoken: inline && speaks(&config.ui, environment),
    }
}

fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// What is shown is for a screen reader.
pub fn is_spoken(config: &UiConfig) -> bool {
    speaks(config, environment)
}

/// As set, else as the environment tells: VS Code says to PowerShell that it works for a screen reader. Others
/// tell nothing: variables that turn a toolkit's accessibility on are set for whole desktops, reader or not.
fn speaks(config: &UiConfig, env: impl Fn(&str) -> Option<String>) -> bool {
    let hinted = || env("VSCODE_A11Y_MODE").as_deref() == Some("1");
    config.screen_reader.unwrap_or_else(hinted)
}

/// What the files hold that cannot be used.
pub fn config_warnings(loaded: &Loaded) -> Vec<SafeText> {
    let warnings = loaded.all_warnings(check_keys);
    let lines = warnings.iter().map(|w| SafeText::line(&w.to_string()));
    lines.collect()
}

/// The path with `~` for the home directory.
pub fn with_tilde(path: &Path) -> String {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    match home
        .as_deref()
        .and_then(|home| path.strip_prefix(home).ok())
    {
        Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Some(rest) => format!("~/{}", rest.display()),
        None => path.display().to_string(),
    }
}

/// All profiles for the picker. `found` says where a profile's program is, if that is known.
pub fn agent_choices(
    config: &Config,
    found: impl Fn(&AgentProfile) -> Option<Result<SafeText, SafeText>>,
) -> AgentList {
    let servers = |profile: &AgentProfile| {
        let servers = profile.mcp_servers.iter();
        servers.map(|server| SafeText::line(&server.name)).collect()
    };
    let choice = |profile: &AgentProfile| AgentChoice {
        id: profile.id.clone(),
        name: SafeText::line(&profile.name),
        found: found(profile),
        servers: servers(profile),
    };
    config.agents.values().map(choice).collect()
}

/// The profile that was asked for by name or command.
pub fn wanted_agent(launch: &Launch, config: &Config) -> Result<Option<String>, CliError> {
    Ok(match &launch.agent {
        AgentWanted::Default => None,
        AgentWanted::Named(name) => Some(config.agent(name)?.id),
        AgentWanted::Command(profile) => Some(profile.id.clone()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_screen_reader_is_served_as_set_else_as_the_environment_tells() {
        let speaks = |set, hint: Option<&str>| {
            let config = UiConfig {
                screen_reader: set,
                ..UiConfig::default()
            };
            speaks(&config, |name| {
                let hint = hint.filter(|_| name == "VSCODE_A11Y_MODE");
                hint.map(str::to_owned)
            })
        };
        assert!(!speaks(None, None) && speaks(None, Some("1")));
        assert!(!speaks(None, Some("0")));
        assert!(!speaks(Some(false), Some("1")) && speaks(Some(true), None));
    }
}
