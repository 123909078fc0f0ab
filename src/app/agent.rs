//! The agent's connection as the app holds it: starting, sending, ending.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use tokio::task::JoinHandle;

use crate::{
    acp::{Client, Inbox, LaunchSpec, Secrets, StopMode, Trace, TraceHandle},
    app::{frame::Reason, job::Job, state::App},
    config::{AgentProfile, Config, NotFound, OutsideWorkspace, StartError},
    host::{Host, HostConfig, Outside, Roots, TerminalSettings},
    proto::{ClientCaps, ConnectionId, ToAgent},
    session::{Event, NoticeLevel, Prompt, Session, SessionConfig, Start},
    text::SafeText,
    ui::{AgentChoice, AgentList},
};

#[derive(Default)]
pub struct Agent {
    client: Option<(ConnectionId, Arc<Client>)>,
    /// An old process on its way out: a new one waits for it, since both would write the same
    /// session.
    ending: Option<JoinHandle<()>>,
    connections: u32,
}

impl Agent {
    /// Puts a message on the wire, if there is an agent.
    pub fn send(&self, message: ToAgent) {
        if let Some((_, client)) = &self.client {
            client.send(message);
        }
    }

    /// Whether that is the connection in use.
    pub fn is(&self, connection: ConnectionId) -> bool {
        self.client
            .as_ref()
            .is_some_and(|(current, _)| *current == connection)
    }

    pub fn client(&self) -> Option<&Arc<Client>> {
        self.client.as_ref().map(|(_, client)| client)
    }
}

impl App {
    pub(super) fn pick_agent(&mut self) {
        self.ui.show_agent_picker();
        self.hint_at_warnings();
        self.frames.request(Instant::now(), Reason::Now);
        self.find_agents();
    }

    /// Looks for the programs of all agents, off the UI task: that is hundreds of places, and PATH
    /// may lead to slow disks.
    pub(super) fn find_agents(&self) {
        let (jobs, config, cwd) = (
            self.jobs.clone(),
            self.config.clone(),
            self.launch.cwd.clone(),
        );
        tokio::task::spawn_blocking(move || {
            let found = |profile: &AgentProfile| match profile.locate(&cwd) {
                Ok(path) => Ok(SafeText::line(&path.to_string_lossy())),
                Err(error) => Err(what_to_do(&error)),
            };
            let agents = choices(&config, |profile| Some(found(profile)));
            let _ = jobs.send(Job::Agents(agents));
        });
    }

    /// Opens a session with an agent, in place of the one there is.
    pub(super) fn open(
        &mut self,
        profile: AgentProfile,
        start: Start,
        first_prompt: Option<Prompt>,
    ) {
        let reopens = self.resume_command();
        self.close();
        let mut additional_directories = self.launch.add_dirs.clone();
        if profile.scratch {
            match tempfile::Builder::new().prefix("acp-tui-").tempdir() {
                Ok(folder) => {
                    // As the agent will see it resolved.
                    let path = folder.path().canonicalize();
                    additional_directories.push(path.unwrap_or_else(|_| folder.path().into()));
                    self.scratch = Some(folder);
                }
                Err(error) => tracing::warn!(%error, "no scratch folder"),
            }
        }
        let policy = self.launch.policy(&profile, &self.config);
        self.show_policy(policy);
        let caps = ClientCaps {
            read_text_file: profile.fs_read,
            write_text_file: profile.fs_write,
            ..ClientCaps::default()
        };
        let config = SessionConfig {
            agent: SafeText::line(&profile.name),
            cwd: self.launch.cwd.clone(),
            additional_directories,
            caps,
            start,
            mode: self.launch.mode(&profile).map(str::to_owned),
            first_prompt,
        };
        self.profile = Some(profile);
        self.sessions += 1;
        let (session, effects) = Session::start(config, std::time::Instant::now());
        self.session = Some(session);
        self.ui.session_replaced();
        self.perform(effects);
        self.tell_warnings();
        if let Some(command) = reopens {
            let text = SafeText::line(&format!("the session before goes on with: {command}"));
            self.note(NoticeLevel::Info, text);
        }
        self.session_changed(0);
    }

    /// Ends the session there is, with its agent and terminals, in the background. What it was to be
    /// told yet goes back to the person.
    fn close(&mut self) {
        if let Some(session) = self.session.take() {
            for message in session.farewell() {
                self.agent.send(message);
            }
            for prompt in session.unsent().rev() {
                self.ui.restore_draft(prompt);
            }
        }
        self.end_agent();
        self.scratch = None;
    }

    pub(super) fn spawn_agent(&mut self) {
        self.agent.connections += 1;
        let connection = ConnectionId(self.agent.connections);
        let Some(caps) = self.session.as_ref().map(|session| session.config.caps) else {
            return;
        };
        let Some(profile) = self.profile.clone() else {
            return;
        };
        if let Err(error) = self.host() {
            return self.reduce([Event::SpawnFailed { error }]);
        }
        let cwd = self.launch.cwd.clone();
        let trace = self.trace();
        let jobs = self.jobs.clone();
        let ending = self.agent.ending.take();
        tokio::spawn(async move {
            if let Some(ending) = ending {
                // It cannot panic; and if it did, it would have ended.
                let _ = ending.await;
            }
            if jobs.is_closed() {
                // The person has left meanwhile.
                return;
            }
            let launched = launch(profile, cwd, connection, caps, trace).await;
            let _ = jobs.send(Job::Launched(connection, launched));
        });
    }

    /// The services for one connection: what they still do and run ends with it (V1-RPC-19). They are
    /// there before it, and after it where the person runs something of their own.
    ///
    /// # Errors
    /// The project directory cannot be used, or there is no session.
    pub(super) fn host(&mut self) -> Result<&Host, SafeText> {
        let host = match self.host.take() {
            Some(host) => host,
            None => self.start_host()?,
        };
        Ok(self.host.insert(host))
    }

    fn start_host(&self) -> Result<Host, SafeText> {
        let Some(session) = &self.session else {
            return Err(SafeText::from("no agent is chosen"));
        };
        let SessionConfig {
            cwd,
            additional_directories,
            caps,
            ..
        } = &session.config;
        let roots = Roots::new(cwd, additional_directories).map_err(|error| {
            SafeText::line(&format!("{} cannot be used: {error}", cwd.display()))
        })?;
        let outside = match self.config.fs.outside_workspace {
            OutsideWorkspace::Ask => Outside::Ask,
            OutsideWorkspace::Deny => Outside::Deny,
        };
        let (jobs, session_number) = (self.jobs.clone(), self.sessions);
        let policy = self
            .profile
            .as_ref()
            .map(|p| self.launch.policy(p, &self.config));
        let host = Host::new(
            HostConfig {
                roots,
                outside,
                policy: policy.unwrap_or_default(),
                rules: self.config.rules.clone(),
                ask_terminal: self.config.terminal.ask,
                terminal: TerminalSettings {
                    env: std::env::vars_os().collect(),
                    raw_output: self.config.terminal.raw_output,
                    scrub_env: self.config.terminal.scrub_env,
                },
                caps: *caps,
            },
            Arc::new(move |event| drop(jobs.send(Job::Host(session_number, event)))),
        );
        if let Some((rows, cols)) = self.terminal_view {
            host.set_view(rows, cols);
        }
        self.started.add_host(host.clone());
        Ok(host)
    }

    /// The wire log, started with the first agent; later ones go into the same file.
    fn trace(&mut self) -> Option<TraceHandle> {
        let path = self.launch.wire.clone()?;
        if let Some(handle) = self.started.trace() {
            return Some(handle);
        }
        match Trace::create(&path, self.secrets()) {
            Ok(trace) => {
                let handle = trace.handle();
                self.started.set_trace(trace);
                Some(handle)
            }
            Err(error) => {
                let path = path.display();
                let text = format!("cannot write the wire log {path}: {error}");
                self.warn(SafeText::line(&text));
                None
            }
        }
    }

    /// Of our own environment, which agents inherit, and of every profile: another agent may be
    /// chosen later.
    fn secrets(&self) -> Secrets {
        let profiles = self.config.agents.values().chain(&self.profile);
        let of_profiles = profiles.filter_map(|profile| profile.invocation().ok());
        let all = std::env::vars_os().chain(of_profiles.flat_map(|invocation| invocation.env));
        let text = |(name, value): (OsString, OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        let all: Vec<(String, String)> = all.filter_map(text).collect();
        Secrets::of_env(
            all.iter()
                .map(|(name, value)| (name.as_str(), value.as_str())),
        )
    }

    pub(super) fn launched(
        &mut self,
        connection: ConnectionId,
        launched: Result<(Client, Inbox), SafeText>,
    ) {
        let current = connection == ConnectionId(self.agent.connections);
        match launched {
            Ok((client, inbox)) => {
                let client = Arc::new(client);
                self.started.add_agent(client.clone());
                if !current || self.session.is_none() {
                    // Another agent was chosen meanwhile.
                    let started = self.started.clone();
                    tokio::spawn(async move {
                        client.shutdown(StopMode::Quick).await;
                        started.forget_agent(&client);
                    });
                    return;
                }
                self.agent.client = Some((connection, client));
                self.arrived = Some((connection, inbox));
                self.reduce([Event::Connected(connection)]);
            }
            Err(error) if current => self.reduce([Event::SpawnFailed { error }]),
            Err(_) => {}
        }
    }

    /// Ends the agent's process and what it had running, in the background; the next one waits for
    /// that. Also after it has ended by itself: what it left behind goes too.
    pub(super) fn end_agent(&mut self) {
        let client = self.agent.client.take().map(|(_, client)| client);
        let host = self.host.take();
        let started = self.started.clone();
        let before = self.agent.ending.take();
        self.agent.ending = Some(tokio::spawn(async move {
            if let Some(before) = before {
                // It cannot panic; and if it did, it would have ended.
                let _ = before.await;
            }
            if let Some(host) = host {
                host.shutdown().await;
                started.forget_host(&host);
            }
            if let Some(client) = client {
                client.shutdown(StopMode::Quick).await;
                started.forget_agent(&client);
            }
        }));
    }
}

/// All profiles for the picker. `found` says where a profile's program is, if that is known.
pub(super) fn choices(
    config: &Config,
    found: impl Fn(&AgentProfile) -> Option<Result<SafeText, SafeText>>,
) -> AgentList {
    let choice = |profile: &AgentProfile| AgentChoice {
        id: profile.id.clone(),
        name: SafeText::line(&profile.name),
        found: found(profile),
        command: SafeText::line(&profile.command_line()),
        login: profile.login_command.as_deref().map(SafeText::line),
    };
    config.agents.values().map(choice).collect()
}

/// How to install what was not found; else what is wrong.
fn what_to_do(error: &StartError) -> SafeText {
    match error {
        StartError::NotFound(NotFound {
            install: Some(how),
            not_executable: false,
            ..
        }) => SafeText::line(&format!("install: {how}")),
        _ => SafeText::line(&error.to_string()),
    }
}

/// Finds the agent's program and starts it. The looking is for a blocking task: PATH may lead to slow
/// disks.
async fn launch(
    profile: AgentProfile,
    cwd: PathBuf,
    connection: ConnectionId,
    caps: ClientCaps,
    trace: Option<TraceHandle>,
) -> Result<(Client, Inbox), SafeText> {
    let say = |error: &dyn std::error::Error| SafeText::line(&error.to_string());
    let spec = tokio::task::spawn_blocking(move || launch_spec(&profile, &cwd))
        .await
        .map_err(|error| say(&error))??;
    Client::connect(spec, connection, caps, trace)
        .await
        .map_err(|error| say(&error))
}

/// What a profile starts.
///
/// # Errors
/// One line for people: what is missing and how to get it.
pub(super) fn launch_spec(profile: &AgentProfile, cwd: &Path) -> Result<LaunchSpec, SafeText> {
    let say = |error: &dyn std::error::Error| SafeText::line(&error.to_string());
    let program = profile.locate(cwd).map_err(|error| say(&error))?;
    let invocation = profile.invocation().map_err(|error| say(&error))?;
    Ok(LaunchSpec {
        program,
        name: invocation.program,
        args: invocation.args,
        env: invocation.env,
        cwd: cwd.to_owned(),
    })
}
