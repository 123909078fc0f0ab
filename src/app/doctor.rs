//! `acp-tui doctor`: starts the agent, initializes it, opens a session, says what it found.

use std::{path::Path, sync::Arc, time::Duration};

use anyhow::Context;

use crate::{
    acp::{Client, Inbound, Inbox, StopMode},
    app::agent::launch_spec,
    cli::{DoctorReport, doctor::Verdict},
    config::AgentProfile,
    proto::{
        Call, CallResult, ClientCaps, ConnectionId, FromAgent, Initialized, SessionSetup, ToAgent,
        code,
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
    report.add(
        Verdict::Good,
        "command",
        SafeText::line(&spec.program.to_string_lossy()),
    );
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
                examine(&client, &mut inbox, caps, cwd, &mut report).await;
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
    for method in &initialized.auth_methods {
        report.add(Verdict::Good, "sign-in", method.name.clone());
    }
    let setup = SessionSetup {
        cwd: cwd.to_owned(),
        additional_directories: Vec::new(),
    };
    match ask(client, inbox, Call::NewSession(setup)).await {
        Ok(CallResult::SessionOpened(_)) => {
            report.add(Verdict::Good, "session/new", SafeText::default());
        }
        Ok(CallResult::Failed(error)) if error.code == code::AUTH_REQUIRED => {
            let text = format!("{}: it wants a sign-in first", error.message);
            report.add(Verdict::Bad, "session/new", SafeText::line(&text));
        }
        Ok(other) => report.add(Verdict::Bad, "session/new", refusal(&other)),
        Err(error) => report.add(Verdict::Bad, "session/new", error),
    }
}

fn names(initialized: &Initialized) -> SafeText {
    let name = initialized
        .agent_name
        .as_deref()
        .unwrap_or("an agent without a name");
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
    client.send(ToAgent::Call(call));
    let answer = async {
        loop {
            match inbox.recv().await {
                Some(Inbound::FromAgent(FromAgent::Reply { result, .. })) => return Ok(result),
                Some(Inbound::FromAgent(_)) => {}
                Some(Inbound::Exited(exit)) => {
                    let last = exit
                        .stderr
                        .lines()
                        .rev()
                        .find(|line| !line.trim().is_empty());
                    let said = last.map_or(String::new(), |line| format!(": {}", line.trim()));
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
