//! `acp-tui doctor`: starts agents, one after the other, initializes them, opens a session in each,
//! and says what it found and what to do about it.
//!
//! What it says comes from profiles, from the agent's own words and files, and from what runs
//! programs in general; never from an agent's name.

mod advice;
mod asked;
mod examine;
mod interpreter;
mod progress;

use anyhow::Context;
use serde_json::{Value, json};

use crate::{
    acp::StopMode,
    app::{
        executor,
        signals::{SignalEvent, Signals},
    },
    cli::{
        self, DoctorArgs, DoctorReport, ExitCode, Finding, Launch, ReportFormat, Survey, Verdict,
    },
    config::{AgentProfile, Loaded, Warning},
    report,
};

use self::{examine::Examination, progress::Progress};

/// Examines that agent, all that are found, or lists all.
///
/// # Errors
/// What keeps the examination from being made; what it finds wrong is in what it prints.
pub fn doctor(
    launch: &Launch,
    loaded: &Loaded,
    agent: Option<AgentProfile>,
    args: &DoctorArgs,
) -> anyhow::Result<ExitCode> {
    let agents: Vec<AgentProfile> = match agent {
        Some(agent) => vec![agent],
        None if args.all => {
            let agents = loaded.config.agents.values();
            let found = agents.filter(|agent| agent.locate(&launch.cwd).is_ok());
            found.cloned().collect()
        }
        None => {
            cli::print_warnings(&loaded.warnings);
            let survey = Survey::new(&loaded.config, &launch.cwd);
            cli::print(&match args.format {
                ReportFormat::Text => survey.to_string(),
                ReportFormat::Json => report::pretty(&survey),
            })?;
            return Ok(ExitCode::Done);
        }
    };
    // Those about an examined agent are in its report.
    let others = loaded.warnings.iter().filter(|warning| {
        let mut agents = agents.iter();
        !agents.any(|agent| is_about(warning, agent))
    });
    cli::print_warnings(&others.cloned().collect::<Vec<_>>());
    let patience = args.timeout.unwrap_or(loaded.config.connection.patience());
    let mut reports = Vec::new();
    let mut interrupted = false;
    for profile in &agents {
        let examination = Examination {
            profile,
            launch,
            loaded,
            patience,
            progress: Progress::new(),
        };
        let (report, whole) = examined(&examination)?;
        if args.format == ReportFormat::Text {
            if args.all {
                let gap = if reports.is_empty() { "" } else { "\n" };
                cli::print(&format!("{gap}{}\n", report.agent))?;
            }
            cli::print(&report.to_string())?;
        }
        reports.push(report);
        if !whole {
            interrupted = true;
            break;
        }
    }
    if args.format == ReportFormat::Json {
        let reports: Vec<Value> = reports.iter().map(report_json).collect();
        cli::print(&report::pretty(&json!({ "agents": reports })))?;
    }
    let failed = reports.iter().map(DoctorReport::exit_code);
    let mut failed = failed.filter(|code| *code != ExitCode::Done);
    Ok(match failed.next() {
        _ if interrupted => ExitCode::Interrupted,
        None => ExitCode::Done,
        Some(_) if args.all => ExitCode::Failure,
        Some(code) => code,
    })
}

/// Whether a warning is about a key of that agent, or of a server that it is handed.
fn is_about(warning: &Warning, agent: &AgentProfile) -> bool {
    let under = |table: &str, name: &str| {
        let rest = warning.key.strip_prefix(table);
        let rest = rest.and_then(|rest| rest.strip_prefix(name));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let names = || std::iter::once(&agent.id).chain(&agent.aliases);
    names().any(|name| under("agents.", name))
        || agent
            .mcp_servers
            .iter()
            .any(|server| under("mcp_servers.", &server.name))
}

/// The findings, and whether the examination was made to its end.
fn examined(examination: &Examination<'_>) -> anyhow::Result<(DoctorReport, bool)> {
    let mut report = DoctorReport::of(&examination.profile.id);
    let whole = executor::run(1, async |started| {
        let mut signals = Signals::listen().context("cannot listen to signals")?;
        let told = async {
            while !matches!(
                signals.recv().await,
                SignalEvent::End(_) | SignalEvent::Interrupt(_)
            ) {}
        };
        let whole = tokio::select! {
            biased;
            () = told => false,
            () = examination.make(&started, &mut report) => true,
        };
        examination.progress.clear();
        if whole {
            started.end(StopMode::Graceful).await;
        }
        Ok(whole)
    })?;
    if !whole {
        report.push(Finding::new(
            Verdict::Warning,
            "interrupted",
            "the rest was not checked",
        ));
    }
    Ok((report, whole))
}

/// Stable; members may be added.
fn report_json(report: &DoctorReport) -> Value {
    json!({
        "agent": report.agent,
        "usable": report.exit_code() == ExitCode::Done,
        "exit_code": report.exit_code().number(),
        "findings": report.findings,
    })
}
