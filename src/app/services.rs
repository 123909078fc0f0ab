//! What a session is opened with and needs on this machine: the same with a screen and without one.
//!
//! Owns no state.

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use tempfile::TempDir;

use crate::{
    acp::{Client, Inbox, LaunchSpec, Secrets, WireLog, WireLogHandle},
    app::{
        changes::{self, Following},
        cleanup::Started,
        log,
    },
    cli::Launch,
    config::{AgentProfile, Config, LoadOptions, McpError},
    host::{Host, HostConfig, HostEvent, Own, Roots, TerminalSettings},
    model::{ClientCaps, ConnectionId, Worktree},
    session::{Event, Prompt, SessionConfig, Start},
    text::SafeText,
};

/// What a session is opened with, and its scratch folder, where the profile wants one.
pub fn session_config(
    launch: &Launch,
    settings: &Config,
    profile: &AgentProfile,
    start: Start,
    first_prompt: Option<Prompt>,
    worktree: Option<Worktree>,
) -> (SessionConfig, Option<TempDir>) {
    let mut additional_directories = launch.add_dirs.clone();
    let mut scratch = None;
    if profile.scratch {
        match tempfile::Builder::new().prefix("acp-tui-").tempdir() {
            Ok(folder) => {
                // As the agent will see it resolved.
                let path = folder.path().canonicalize();
                additional_directories.push(path.unwrap_or_else(|_| folder.path().into()));
                scratch = Some(folder);
            }
            Err(error) => tracing::warn!(%error, "no scratch folder"),
        }
    }
    let caps = ClientCaps {
        read_text_file: profile.fs_read,
        write_text_file: profile.fs_write,
        terminal: profile.terminal,
        suggestions: settings.ui.suggestions != Some(false),
        paid_suggestions: settings.ui.suggestions == Some(true),
        ..ClientCaps::default()
    };
    let config = SessionConfig {
        // Looked up with the agent's own program, off the UI task.
        mcp_servers: Vec::new(),
        mcp_problems: Vec::new(),
        modes: profile.own_modes(),
        agent: SafeText::line(&profile.name),
        command: SafeText::line(&profile.command_line()),
        login: profile.login_line().as_deref().map(SafeText::line),
        cwd: match &worktree {
            Some(worktree) => worktree.cwd.clone(),
            None => launch.cwd.clone(),
        },
        worktree,
        additional_directories,
        system_prompt: profile.system_prompt.clone(),
        caps,
        protocol: profile.protocol,
        dialect: profile.dialect,
        start_timeout: settings.connection.patience(),
        start,
        settings: launch.settings(profile),
        first_prompt,
        unattended: false,
    };
    (config, scratch)
}

/// The services for one session on one connection.
///
/// # Errors
/// The project directory cannot be used.
pub fn host(
    launch: &Launch,
    config: &Config,
    profile: &AgentProfile,
    session: &SessionConfig,
    events: impl Fn(HostEvent) + Send + Sync + 'static,
) -> Result<Host, SafeText> {
    let SessionConfig {
        cwd,
        worktree,
        additional_directories,
        caps,
        ..
    } = session;
    let roots = Roots::new(cwd, additional_directories)
        .map_err(|error| SafeText::line(&format!("{} cannot be used: {error}", cwd.display())))?
        .with_own(&own_places(launch, config, worktree.as_ref()));
    Ok(Host::new(
        HostConfig {
            roots,
            outside: config.fs.outside_workspace,
            policy: launch.policy(profile, config),
            rules: config.rules.clone(),
            ask_terminal: config.terminal.ask,
            terminal: TerminalSettings {
                env: std::env::vars_os().collect(),
                raw_output: config.terminal.raw_output,
                scrub_env: config.terminal.scrub_env,
            },
            caps: *caps,
        },
        Arc::new(events),
    ))
}

/// What follows the changes on the disk, of the project or of a worktree; `None` where that is not wanted, it
/// cannot be entered, or it is no project.
pub fn following(
    launch: &Launch,
    config: &Config,
    state: &Path,
    worktree: Option<&Worktree>,
) -> Option<Following> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let cwd = worktree.map_or(&launch.cwd, |worktree| &worktree.cwd);
    if !config.changes.follow || holds_home(cwd, home.as_deref()) {
        return None;
    }
    followed(launch, config, state, worktree)
        .ok()
        .map(Following::new)
}

/// Whether all that a person has lies below: too much to be looked at, and not to be copied.
fn holds_home(cwd: &Path, home: Option<&Path>) -> bool {
    cwd.parent().is_none() || home.is_some_and(|home| home.starts_with(cwd))
}

/// The project as its changes are followed, or a worktree.
///
/// # Errors
/// It cannot be entered.
pub fn followed(
    launch: &Launch,
    config: &Config,
    state: &Path,
    worktree: Option<&Worktree>,
) -> io::Result<changes::Place> {
    let cwd = worktree.map_or(&launch.cwd, |worktree| &worktree.cwd);
    let roots = Roots::new(cwd, &launch.add_dirs)?;
    Ok(changes::Place {
        folder: state.join("changes"),
        roots: roots.with_own(&own_places(launch, config, worktree)),
        most: u64::from(config.changes.max_store) << 20,
    })
}

/// What is acp-tui's own: from there it is told what an agent may do on this machine.
fn own_places(launch: &Launch, config: &Config, worktree: Option<&Worktree>) -> Own {
    let mut own = Own {
        open: worktree.map(|worktree| worktree.top.clone()),
        ..Own::default()
    };
    if let Ok(LoadOptions { dirs, .. }) = launch.load_options() {
        own.worktrees = config.worktree.folder(&dirs.state).ok();
        own.places.extend([dirs.config, dirs.data, dirs.state]);
    }
    if let Some(file) = &launch.config_file {
        own.places.push(launch.cwd.join(file));
    }
    own
}

/// The wire log, started with the first agent; later ones go into the same file, so it knows the secrets of
/// every profile. `tell` is told, once, where it goes no further.
///
/// # Errors
/// It cannot be written.
pub fn wire_log<'a>(
    path: &Path,
    config: &'a Config,
    profiles: impl IntoIterator<Item = &'a AgentProfile>,
    started: &Started,
    tell: impl FnOnce(SafeText) + Send + 'static,
) -> Result<WireLogHandle, SafeText> {
    if let Some(handle) = started.wire_log() {
        return Ok(handle);
    }
    let profiles = config.agents.values().chain(profiles);
    let shown = path.display().to_string();
    let lost = move |error| {
        tell(SafeText::line(&format!(
            "the wire log {shown} ends here, it cannot be written: {error}"
        )));
    };
    let wire_log = WireLog::create(path, secrets(profiles), lost).map_err(|error| {
        let path = path.display();
        SafeText::line(&format!("cannot write the wire log {path}: {error}"))
    })?;
    let handle = wire_log.handle();
    started.set_wire_log(wire_log);
    Ok(handle)
}

/// Of our own environment, which agents inherit, and of these profiles.
fn secrets<'a>(profiles: impl IntoIterator<Item = &'a AgentProfile>) -> Secrets {
    let profiles: Vec<&AgentProfile> = profiles.into_iter().collect();
    let profiles = profiles.iter();
    let lookup = |name: &str| std::env::var_os(name);
    let servers = profiles.clone().flat_map(|profile| &profile.mcp_servers);
    let of_servers: Vec<(String, String)> =
        servers.flat_map(|server| server.secrets(&lookup)).collect();
    let of_profiles = profiles.filter_map(|profile| profile.invocation().ok());
    let all = std::env::vars_os().chain(of_profiles.flat_map(|invocation| invocation.env));
    let text = |(name, value): (OsString, OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    let all: Vec<(String, String)> = all.filter_map(text).collect();
    Secrets::of_env(borrowed(&all), borrowed(&of_servers))
}

fn borrowed(pairs: &[(String, String)]) -> impl Iterator<Item = (&str, &str)> {
    pairs
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
}

/// An agent that runs, and the MCP servers that it may be handed.
pub struct Launched {
    pub client: Arc<Client>,
    pub inbox: Inbox,
    /// Of what was found, for the session: comes before it is told of the connection.
    pub mcp_servers: Event,
}

/// Finds the agent's program, and those of its MCP servers, and starts it. The looking is for a
/// blocking task: PATH may lead to slow disks.
///
/// What is named by a relative path counts from `project`, wherever the agent works.
pub async fn launch(
    profile: AgentProfile,
    project: PathBuf,
    cwd: PathBuf,
    max_line: usize,
    connection: ConnectionId,
    caps: ClientCaps,
    wire_log: Option<WireLogHandle>,
) -> Result<Box<Launched>, SafeText> {
    let say = |error: &dyn std::error::Error| SafeText::line(&error.to_string());
    let look = move || {
        let mut spec = launch_spec(&profile, &project, max_line)?;
        spec.cwd = cwd;
        Ok::<_, SafeText>((spec, mcp_servers(&profile, &project)))
    };
    let (spec, mcp_servers) = tokio::task::spawn_blocking(look)
        .await
        .map_err(|error| say(&error))??;
    let (client, inbox) = Client::connect(spec, connection, caps, wire_log)
        .await
        .map_err(|error| say(&error))?;
    Ok(Box::new(Launched {
        client: Arc::new(client),
        inbox,
        mcp_servers,
    }))
}

fn mcp_servers(profile: &AgentProfile, cwd: &Path) -> Event {
    let (servers, problems) = profile.mcp_servers(cwd);
    let left_out = |problem: &McpError| SafeText::line(&format!("MCP server skipped: {problem}"));
    Event::McpServers {
        servers,
        problems: problems.iter().map(left_out).collect(),
    }
}

/// What a profile starts.
///
/// # Errors
/// One line for people: what is missing and how to get it.
pub fn launch_spec(
    profile: &AgentProfile,
    cwd: &Path,
    max_line: usize,
) -> Result<LaunchSpec, SafeText> {
    let say = |error: &dyn std::error::Error| SafeText::line(&error.to_string());
    let program = profile.locate(cwd).map_err(|error| say(&error))?;
    let invocation = profile.invocation().map_err(|error| say(&error))?;
    // What the agent writes to its stderr goes into the log.
    log::conceal(&secrets([profile]));
    Ok(LaunchSpec {
        program,
        name: invocation.program,
        args: invocation.args,
        env: invocation.env,
        cwd: cwd.to_owned(),
        dialect: profile.dialect,
        protocol: profile.protocol,
        max_line,
    })
}

#[cfg(test)]
mod tests;
