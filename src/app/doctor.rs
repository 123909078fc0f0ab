//! `acp-tui doctor`: starts the agent, initializes it, opens a session, says what it found.

use std::{path::Path, sync::Arc, time::Duration};

use anyhow::Context;

use crate::{
    acp::{Client, Inbound, Inbox, StopMode},
    app::services::launch_spec,
    cli::{DoctorReport, doctor::Verdict},
    config::{AgentProfile, ConnectionConfig},
    proto::{
        Call, CallResult, ClientCaps, ConfigKind, ConfigOption, ConnectionId, DialectHint,
        FromAgent, Initialized, SessionKey, SessionOpened, SessionSetup, SetBy, ToAgent, category,
        code,
    },
    text::SafeText,
};

/// Starts the agent, initializes it and notes what it can do.
///
/// # Errors
/// What keeps the examination from being made; what it finds wrong is in the report.
pub fn doctor(
    profile: &AgentProfile,
    connection: &ConnectionConfig,
    cwd: &Path,
) -> anyhow::Result<DoctorReport> {
    let mut report = DoctorReport::default();
    let spec = match launch_spec(profile, cwd, connection.max_line()) {
        Ok(spec) => spec,
        Err(error) => {
            report.add(Verdict::Bad, "command", error);
            return Ok(report);
        }
    };
    let command = profile.command_line_of(&spec.program.to_string_lossy());
    report.add(Verdict::Good, "command", SafeText::line(&command));
    let caps = ClientCaps {
        read_text_file: profile.fs_read,
        write_text_file: profile.fs_write,
        // Nothing is asked or signed in to here; a login is offered for what the UI would be told.
        elicitation_form: false,
        elicitation_url: false,
        ..ClientCaps::default()
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    runtime.block_on(async {
        match Client::connect(spec, ConnectionId(1), caps, None).await {
            Ok((client, mut inbox)) => {
                let client = Arc::new(client);
                let mut agent = Asked {
                    client: &client,
                    inbox: &mut inbox,
                    patience: connection.patience(),
                    dialect: Vec::new(),
                };
                examine(&mut agent, profile, caps, cwd, &mut report).await;
                add_dialect(&agent.dialect, &mut report);
                client.shutdown(StopMode::Graceful).await;
            }
            Err(error) => report.add(Verdict::Bad, "start", SafeText::line(&error.to_string())),
        }
    });
    Ok(report)
}

/// An agent that is asked one thing after the other.
struct Asked<'a> {
    client: &'a Client,
    inbox: &'a mut Inbox,
    /// How long it may take for each answer: launchers such as npx download first.
    patience: Duration,
    /// What it showed of its dialect.
    dialect: Vec<DialectHint>,
}

/// What its profile should have.
fn add_dialect(hints: &[DialectHint], report: &mut DoctorReport) {
    for hint in hints {
        let (verdict, text) = match hint {
            DialectHint::Detected(row) => (
                Verdict::Good,
                format!("understood: {} (\"{}\")", row.what(), row.name()),
            ),
            DialectHint::Wanted(row) => (
                Verdict::Bad,
                format!(
                    "set dialect = [\"auto\", \"{}\"] in its profile",
                    row.name()
                ),
            ),
            DialectHint::Threads => (
                Verdict::Bad,
                "set protocol = \"threads\" in its profile".to_owned(),
            ),
        };
        report.add(verdict, "dialect", SafeText::line(&text));
    }
}

async fn examine(
    agent: &mut Asked<'_>,
    profile: &AgentProfile,
    caps: ClientCaps,
    cwd: &Path,
    report: &mut DoctorReport,
) {
    let initialized = match agent.ask(Call::Initialize { caps }).await {
        Ok(CallResult::Initialized(initialized)) => initialized,
        Ok(other) => return report.add(Verdict::Bad, "initialize", refusal(&other)),
        Err(error) => return report.add(Verdict::Bad, "initialize", error),
    };
    if initialized.protocol_version != 1 {
        let text = format!(
            "it speaks protocol version {}, not 1",
            initialized.protocol_version
        );
        return report.add(Verdict::Bad, "initialize", SafeText::line(&text));
    }
    report.add(Verdict::Good, "initialize", names(&initialized));
    report.add_capabilities(&initialized.caps);
    for (offered, method, key) in [
        (caps.read_text_file, "fs/read_text_file", "fs.read"),
        (caps.write_text_file, "fs/write_text_file", "fs.write"),
    ] {
        if !offered {
            let text = format!("not offered to the agent: its profile has {key} = false");
            report.add(Verdict::Missing, method, SafeText::line(&text));
        }
    }
    for method in &initialized.auth_methods {
        let text = match &method.description {
            Some(description) => format!("{}: {description}", method.name),
            None => method.name.to_string(),
        };
        report.add(Verdict::Good, "sign-in", SafeText::line(&text));
    }
    let setup = SessionSetup {
        cwd: cwd.to_owned(),
        additional_directories: Vec::new(),
        mcp_servers: Vec::new(),
        system_prompt: None,
    };
    match agent.ask(Call::NewSession(setup)).await {
        Ok(CallResult::SessionOpened(opened)) => {
            report.add(Verdict::Good, "session/new", SafeText::default());
            add_options(&opened, report);
        }
        Ok(CallResult::Failed(error)) if error.code == code::AUTH_REQUIRED => {
            let way = match &profile.login_command {
                Some(login) => format!("run `{login}`"),
                None => "sign in with the agent's own program".to_owned(),
            };
            let text = format!("{}: {way}, then try again", error.message);
            report.add(Verdict::Bad, "session/new", SafeText::line(&text));
        }
        Ok(other) => report.add(Verdict::Bad, "session/new", refusal(&other)),
        Err(error) => report.add(Verdict::Bad, "session/new", error),
    }
}

/// Modes and options by their ids, as --mode, --model and --set take them; what is current comes first.
/// Where there are config options, they alone tell the modes (V1-SES-05).
fn add_options(opened: &SessionOpened, report: &mut DoctorReport) {
    let options = opened.config_options.as_slice();
    let modes = match &opened.modes {
        Some(modes) if options.iter().all(|option| option.set_by != SetBy::Option) => {
            let ids = modes.available.iter().map(|mode| mode.id.as_str());
            Some(current_first(modes.current.as_str(), ids))
        }
        _ => {
            let is_mode = |option: &&ConfigOption| option.is_of(category::MODE);
            options.iter().find(is_mode).map(values)
        }
    };
    match modes {
        Some(modes) => report.add(Verdict::Good, "modes", SafeText::line(&modes)),
        None => report.add(Verdict::Missing, "modes", "--mode has no effect".into()),
    }
    for option in options {
        let text = format!("{} = {}", option.id, values(option));
        report.add(Verdict::Good, "option", SafeText::line(&text));
    }
    if options.is_empty() {
        let without = "--model and --set have no effect";
        report.add(Verdict::Missing, "options", without.into());
    }
}

fn values(option: &ConfigOption) -> String {
    match &option.kind {
        ConfigKind::Boolean { current: true } => "true, false".to_owned(),
        ConfigKind::Boolean { current: false } => "false, true".to_owned(),
        ConfigKind::Select { current, values } => {
            current_first(current, values.iter().map(|value| value.value.as_str()))
        }
    }
}

fn current_first<'a>(current: &'a str, ids: impl Iterator<Item = &'a str>) -> String {
    let others = ids.filter(|id| *id != current);
    let all: Vec<&str> = std::iter::once(current).chain(others).collect();
    all.join(", ")
}

fn names(initialized: &Initialized) -> SafeText {
    let name = initialized
        .agent_name
        .as_deref()
        .unwrap_or("the agent does not say what it is");
    let version = initialized.agent_version.as_deref().unwrap_or_default();
    SafeText::line(format!("{name} {version}").trim_end())
}

fn refusal(result: &CallResult) -> SafeText {
    match result {
        CallResult::Failed(error) => {
            SafeText::line(&format!("{} (error {})", error.message, error.code))
        }
        _ => SafeText::from("an answer of another kind"),
    }
}

impl Asked<'_> {
    /// One call; what else the agent sends meanwhile is passed over, but for its dialect.
    async fn ask(&mut self, call: Call) -> Result<CallResult, SafeText> {
        self.client.send(SessionKey::default(), ToAgent::Call(call));
        let answer = async {
            loop {
                match self.inbox.recv().await {
                    Some(Inbound::FromAgent(FromAgent::Reply { result, .. })) => return Ok(result),
                    Some(Inbound::FromAgent(FromAgent::Dialect(hint))) => self.dialect.push(hint),
                    Some(Inbound::FromAgent(_)) => {}
                    Some(Inbound::Exited(exit)) => {
                        let said = exit.why().map_or(String::new(), |line| format!(": {line}"));
                        return Err(SafeText::line(&format!("the agent ended{said}")));
                    }
                    None => return Err(SafeText::from("the agent ended")),
                }
            }
        };
        tokio::time::timeout(self.patience, answer)
            .await
            .unwrap_or_else(|_| {
                let text = format!(
                    "no answer within {} s: is it waiting for something in its terminal?",
                    self.patience.as_secs()
                );
                Err(SafeText::line(&text))
            })
    }
}
