//! `acp-tui doctor`: starts the agent, initializes it, opens a session, says what it found.

use std::{path::Path, sync::Arc, time::Duration};

use anyhow::Context;

use crate::{
    acp::{Client, Inbound, Inbox, StopMode},
    app::agent::launch_spec,
    cli::{DoctorReport, doctor::Verdict},
    config::AgentProfile,
    proto::{
        Call, CallResult, ClientCaps, ConfigKind, ConnectionId, FromAgent, Initialized, SessionKey,
        SessionOpened, SessionSetup, ToAgent, code,
    },
    text::SafeText,
};

/// How long the agent may take for each answer: launchers such as npx download first.
const PATIENCE: Duration = Duration::from_secs(60);

/// Starts the agent, initializes it and notes what it can do.
///
/// # Errors
/// What keeps the examination from being made; what it finds wrong is in the report.
pub fn doctor(agent: &AgentProfile, cwd: &Path) -> anyhow::Result<DoctorReport> {
    let mut report = DoctorReport::default();
    let spec = match launch_spec(agent, cwd) {
        Ok(spec) => spec,
        Err(error) => {
            report.add(Verdict::Bad, "command", error);
            return Ok(report);
        }
    };
    let command = agent.command_line_of(&spec.program.to_string_lossy());
    report.add(Verdict::Good, "command", SafeText::line(&command));
    let caps = ClientCaps {
        read_text_file: agent.fs_read,
        write_text_file: agent.fs_write,
        terminal: true,
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
                examine(&client, &mut inbox, agent, caps, cwd, &mut report).await;
                client.shutdown(StopMode::Graceful).await;
            }
            Err(error) => report.add(Verdict::Bad, "start", SafeText::line(&error.to_string())),
        }
    });
    Ok(report)
}

async fn examine(
    client: &Client,
    inbox: &mut Inbox,
    agent: &AgentProfile,
    caps: ClientCaps,
    cwd: &Path,
    report: &mut DoctorReport,
) {
    let initialized = match ask(client, inbox, Call::Initialize { caps }).await {
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
    };
    match ask(client, inbox, Call::NewSession(setup)).await {
        Ok(CallResult::SessionOpened(opened)) => {
            report.add(Verdict::Good, "session/new", SafeText::default());
            match modes(&opened) {
                Some(modes) => report.add(Verdict::Good, "modes", SafeText::line(&modes)),
                None => report.add(Verdict::Missing, "modes", "--mode has no effect".into()),
            }
        }
        Ok(CallResult::Failed(error)) if error.code == code::AUTH_REQUIRED => {
            let way = match &agent.login_command {
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

/// Ids, as --mode takes them; the current one first. Where there are config options, they alone tell
/// the modes (V1-SES-05).
fn modes(opened: &SessionOpened) -> Option<String> {
    let (current, ids): (&str, Vec<&str>) = if opened.config_options.is_empty() {
        let modes = opened.modes.as_ref()?;
        let ids = modes.available.iter().map(|mode| mode.id.as_str());
        (modes.current.as_str(), ids.collect())
    } else {
        let mut options = opened.config_options.iter();
        let option = options.find(|option| option.category.as_deref() == Some("mode"))?;
        let ConfigKind::Select { current, values } = &option.kind else {
            return None;
        };
        let ids = values.iter().map(|value| value.value.as_str());
        (current, ids.collect())
    };
    let others = ids.into_iter().filter(|id| *id != current);
    let all: Vec<&str> = std::iter::once(current).chain(others).collect();
    Some(all.join(", "))
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

/// One call; what else the agent sends meanwhile is passed over.
async fn ask(client: &Client, inbox: &mut Inbox, call: Call) -> Result<CallResult, SafeText> {
    client.send(SessionKey::default(), ToAgent::Call(call));
    let answer = async {
        loop {
            match inbox.recv().await {
                Some(Inbound::FromAgent(FromAgent::Reply { result, .. })) => return Ok(result),
                Some(Inbound::FromAgent(_)) => {}
                Some(Inbound::Exited(exit)) => {
                    let said = exit.why().map_or(String::new(), |line| format!(": {line}"));
                    return Err(SafeText::line(&format!("the agent ended{said}")));
                }
                None => return Err(SafeText::from("the agent ended")),
            }
        }
    };
    tokio::time::timeout(PATIENCE, answer)
        .await
        .unwrap_or_else(|_| {
            Err(SafeText::from(
                "no answer within 60 s: is it waiting for something in its terminal?",
            ))
        })
}
