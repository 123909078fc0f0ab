//! How a run without a screen ends: the exit code, and the error.

use crate::{
    cli::ExitCode,
    config::AgentProfile,
    model::{AuthMethodKind, StopReason},
    report::{Observer, Problem},
    session::{Phase, Session, Start},
    text::SafeText,
};

/// Why the agent was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// By a signal.
    Interrupted,
    TimeOver,
    /// Stdout has no reader any more.
    OutputClosed,
}

/// Whether there is nothing more to come, and what came of it. `last_error` is what the transcript
/// says went wrong.
pub fn ended(
    session: &Session,
    observer: &Observer,
    profile: &AgentProfile,
    last_error: Option<&str>,
) -> Option<(ExitCode, Option<Problem>)> {
    match &session.phase {
        Phase::Failed { error } => {
            let reopening = matches!(session.config.start, Start::Reopen(_));
            let initialized = session.agent.name.is_some();
            let (code, kind) = match &session.id {
                None if reopening && initialized => (ExitCode::Failure, "setup_failed"),
                None => (ExitCode::NoAgent, "no_agent"),
                // What it was to open with could not be set: nothing was sent.
                Some(_) if observer.turn_end().is_none() => (ExitCode::Failure, "setup_failed"),
                Some(_) => (ExitCode::Failure, "agent_failed"),
            };
            return Some((code, problem(kind, error.to_string())));
        }
        Phase::SignIn { .. } => {
            let message = format!(
                "{} requires a sign-in: {}",
                session.agent_name(),
                how_to_sign_in(session, profile)
            );
            let problem = problem("authentication", message);
            return Some((ExitCode::NoAuthentication, problem));
        }
        _ => {}
    }
    let answer = observer.turn_end()?;
    Some(match answer {
        Some(reason) => stopped(reason, observer),
        None => {
            let message = last_error.unwrap_or("the turn failed").to_owned();
            (ExitCode::Failure, problem("turn_failed", message))
        }
    })
}

/// What a stop reason comes to.
fn stopped(reason: &StopReason, observer: &Observer) -> (ExitCode, Option<Problem>) {
    let refused = |kind, message: &str| (ExitCode::Refused, problem(kind, message.to_owned()));
    let denied = || {
        let mut permissions = observer.summary().permissions.iter();
        permissions.any(|permission| permission.decision == "denied")
    };
    match reason {
        StopReason::EndTurn => (ExitCode::Done, None),
        StopReason::MaxTokens => refused("limit", "the token limit was reached"),
        StopReason::MaxTurnRequests => {
            refused("limit", "the limit of requests in one turn was reached")
        }
        StopReason::Refusal => refused("refusal", "the agent refused"),
        // codex, after each no.
        StopReason::Cancelled if denied() => {
            refused("denied", "the agent ended the turn: its request was denied")
        }
        StopReason::Cancelled => (
            ExitCode::Failure,
            problem("cancelled", "the agent cancelled the turn".to_owned()),
        ),
        StopReason::Error(error) => (
            ExitCode::Failure,
            problem("turn_failed", format!("the turn failed: {}", error.message)),
        ),
        StopReason::Unknown(reason) => (
            ExitCode::Failure,
            problem("stop_reason", format!("the turn ended: {reason}")),
        ),
    }
}

impl Stop {
    pub fn outcome(self) -> (ExitCode, Option<Problem>) {
        match self {
            Self::Interrupted => (
                ExitCode::Interrupted,
                problem("interrupted", "interrupted".to_owned()),
            ),
            // A limit like those of the agent.
            Self::TimeOver => (
                ExitCode::Refused,
                problem("timeout", "timed out (--timeout)".to_owned()),
            ),
            Self::OutputClosed => (
                ExitCode::Failure,
                problem(
                    "output_closed",
                    "stdout was closed: the turn was stopped".to_owned(),
                ),
            ),
        }
    }
}

/// For the person to do by hand: the profile knows best, then the agent.
fn how_to_sign_in(session: &Session, profile: &AgentProfile) -> String {
    if let Some(login) = profile.login_line() {
        return format!("run `{}`, then try again", SafeText::line(&login));
    }
    let methods = &session.agent.auth_methods;
    let variables = methods.iter().find_map(|method| match &method.kind {
        AuthMethodKind::EnvVar { vars } => Some(vars),
        _ => None,
    });
    if let Some(vars) = variables {
        let vars: Vec<&str> = vars.iter().map(SafeText::as_str).collect();
        return format!(
            "set {}, or run acp-tui and sign in there",
            vars.join(" and ")
        );
    }
    let names: Vec<&str> = methods.iter().map(|method| method.name.as_str()).collect();
    if names.is_empty() {
        "sign in with the agent's own program, then try again".to_owned()
    } else {
        format!("run acp-tui and sign in there ({})", names.join(", "))
    }
}

fn problem(kind: &'static str, message: String) -> Option<Problem> {
    Some(Problem { kind, message })
}
