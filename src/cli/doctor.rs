//! The report of `acp-tui doctor`, and the list of all agents. Examining an agent starts it, and is in
//! `app`.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use serde::Serialize;

use super::{ExitCode, output::columns};
use crate::{
    config::{AgentProfile, Config, Origin, StartError},
    model::AgentCaps,
    text::{SafeText, secrets::mask},
};

/// Of stderr: what came before is in the log.
const STDERR_LINES: usize = 8;

/// Findings of one agent in the order in which they were made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DoctorReport {
    /// The profile's name.
    pub agent: SafeText,
    pub findings: Vec<Finding>,
    exit: Option<ExitCode>,
}

/// One line, and what belongs to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub verdict: Verdict,
    /// `command`, `initialize`, `session/load`.
    pub what: SafeText,
    pub detail: SafeText,
    /// The end of the agent's stderr, line by line, where it may tell why.
    pub stderr: Vec<SafeText>,
    /// What to do about it, the likeliest first.
    pub advice: Vec<SafeText>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Ok,
    /// The agent does not offer it; the client does without.
    #[serde(rename = "no")]
    Missing,
    /// It can be used, but something should be set right.
    #[serde(rename = "warn")]
    Warning,
    /// It cannot be used like this.
    Failed,
}

impl Verdict {
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Missing => "no",
            Self::Warning => "warn",
            Self::Failed => "FAILED",
        }
    }
}

impl Finding {
    pub fn failed(what: impl AsRef<str>, detail: impl AsRef<str>) -> Self {
        Self::new(Verdict::Failed, what, detail)
    }

    pub fn new(verdict: Verdict, what: impl AsRef<str>, detail: impl AsRef<str>) -> Self {
        Self {
            verdict,
            what: SafeText::line(what.as_ref()),
            // It may quote a command line or what the agent said.
            detail: SafeText::line(&mask(detail.as_ref())),
            stderr: Vec::new(),
            advice: Vec::new(),
        }
    }

    #[must_use]
    pub fn advise(mut self, advice: impl IntoIterator<Item = String>) -> Self {
        let advice = advice.into_iter().map(|line| SafeText::line(&line));
        self.advice.extend(advice);
        self
    }

    /// The last lines of what the agent wrote there.
    #[must_use]
    pub fn with_stderr(mut self, stderr: &str) -> Self {
        let lines: Vec<&str> = stderr.lines().filter(|l| !l.trim().is_empty()).collect();
        let last = lines.iter().skip(lines.len().saturating_sub(STDERR_LINES));
        self.stderr = last.map(|line| SafeText::line(&mask(line))).collect();
        self
    }
}

impl DoctorReport {
    /// Of the agent with that name.
    pub fn of(agent: &str) -> Self {
        Self {
            agent: SafeText::line(agent),
            ..Self::default()
        }
    }

    pub fn add(&mut self, verdict: Verdict, what: impl AsRef<str>, detail: impl AsRef<str>) {
        self.push(Finding::new(verdict, what, detail));
    }

    pub fn push(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// It cannot be used, which `exit` tells a script.
    pub fn fail(&mut self, exit: ExitCode, finding: Finding) {
        self.exit.get_or_insert(exit);
        self.push(finding);
    }

    /// One finding for each capability, with what is lost without it.
    pub fn add_capabilities(&mut self, caps: &AgentCaps) {
        // Either of the two opens a session again.
        let (no_load, no_resume) = if caps.load_session || caps.resume {
            (
                "--resume shows the stored conversation, not the agent's replay",
                "a restart loads the session with its history instead",
            )
        } else {
            (
                "--resume shows what is stored and opens a new session",
                "a restart opens a new session",
            )
        };
        for (has, what, without) in [
            (caps.load_session, "session/load", no_load),
            (caps.resume, "session/resume", no_resume),
            (
                caps.list,
                "session/list",
                "only what acp-tui has stored is listed",
            ),
            (
                caps.close,
                "session/close",
                "a session ends with the agent's process",
            ),
            (
                caps.delete,
                "session/delete",
                "only what acp-tui has stored can be deleted",
            ),
            (caps.fork, "session/fork", "sessions cannot be forked"),
            (
                caps.additional_directories,
                "additional directories",
                "--add-dir is not sent to the agent",
            ),
            (caps.prompt.image, "images", "a prompt cannot hold images"),
            (caps.prompt.audio, "audio", "a prompt cannot hold audio"),
            (
                caps.prompt.embedded_context,
                "embedded context",
                "files are sent as links",
            ),
        ] {
            if has {
                self.add(Verdict::Ok, what, "");
            } else {
                self.add(Verdict::Missing, what, without);
            }
        }
    }

    /// How the program ends, by the first failure.
    pub fn exit_code(&self) -> ExitCode {
        self.exit.unwrap_or(ExitCode::Done)
    }
}

impl fmt::Display for DoctorReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rows: Vec<Vec<String>> = Vec::new();
        for finding in &self.findings {
            let row = |verdict: &str, what: &str, text: &str| {
                vec![verdict.to_owned(), what.to_owned(), text.to_owned()]
            };
            let verdict = finding.verdict.word();
            rows.push(row(verdict, &finding.what, &finding.detail));
            rows.extend(finding.stderr.iter().map(|line| row("", "stderr", line)));
            rows.extend(finding.advice.iter().map(|line| row("", "try", line)));
        }
        f.write_str(&columns(&rows))
    }
}

/// All agents that are known: which could be started, and how to get the others.
#[derive(Serialize)]
pub struct Survey<'a> {
    pub agents: Vec<Surveyed<'a>>,
}

/// In JSON stable; members may be added.
#[derive(Serialize)]
pub struct Surveyed<'a> {
    #[serde(skip)]
    pub profile: &'a AgentProfile,
    /// Its program.
    #[serde(skip)]
    pub place: Option<PathBuf>,
    agent: SafeText,
    pub name: SafeText,
    /// Where its profile is from.
    pub from: String,
    default: bool,
    found: bool,
    /// What would be started.
    command: Option<SafeText>,
    /// Why it cannot be.
    problem: Option<SafeText>,
    install: Option<SafeText>,
}

impl<'a> Survey<'a> {
    /// Looks on PATH; those that are found come first.
    pub fn new(config: &'a Config, cwd: &Path) -> Self {
        let default = config.default_agent.as_deref();
        let mut agents: Vec<Surveyed<'_>> = config
            .agents
            .values()
            .map(|profile| Surveyed::new(profile, default, cwd))
            .collect();
        agents.sort_by_key(|agent| !agent.found);
        Self { agents }
    }
}

impl<'a> Surveyed<'a> {
    fn new(profile: &'a AgentProfile, default: Option<&str>, cwd: &Path) -> Self {
        let located = profile.locate(cwd);
        let problem = located.as_ref().err().map(|problem| match problem {
            // How to get it is a column of its own.
            StartError::NotFound(missing) => missing.without_remedy().to_string(),
            StartError::Invocation(problem) => problem.to_string(),
        });
        let place = located.ok();
        let command = place.as_ref().map(|place| {
            let command = profile.command_line_of(&place.to_string_lossy());
            SafeText::line(&mask(&command))
        });
        let mut names = std::iter::once(&profile.id).chain(&profile.aliases);
        let line = |text: &String| SafeText::line(text);
        Self {
            agent: SafeText::line(&profile.id),
            name: SafeText::line(&profile.name),
            from: origin(&profile.origin),
            default: default.is_some_and(|default| names.any(|name| name == default)),
            found: place.is_some(),
            command,
            problem: problem.map(|text| SafeText::line(&mask(&text))),
            install: profile.install.as_ref().map(line),
            profile,
            place,
        }
    }

    /// Its name, marked where it is the default.
    pub fn marked(&self) -> String {
        format!("{}{}", self.agent, if self.default { "*" } else { "" })
    }

    /// What would be started; else why it cannot be, and how to install it.
    pub fn detail(&self) -> String {
        let problem = || self.problem.clone().unwrap_or_default();
        match (&self.command, &self.install) {
            (Some(command), _) => command.to_string(),
            (None, Some(how)) => format!("{}; install: {how}", problem()),
            (None, None) => problem().to_string(),
        }
    }
}

fn origin(origin: &Origin) -> String {
    match origin {
        Origin::BuiltIn => "built-in".into(),
        Origin::File(path) => SafeText::line(&path.to_string_lossy()).to_string(),
        Origin::Environment => "environment".into(),
        Origin::CommandLine => "command line".into(),
    }
}

impl fmt::Display for Survey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = self.agents.iter().map(|agent| {
            let verdict = if agent.found { "ok" } else { "no" };
            vec![
                verdict.to_owned(),
                agent.marked(),
                agent.name.to_string(),
                agent.detail(),
            ]
        });
        f.write_str(&columns(&rows.collect::<Vec<_>>()))?;
        f.write_str(
            "\nacp-tui doctor --agent NAME starts one and looks closer; --all: each that was found\n",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_has_one_line_for_each_finding() {
        let mut report = DoctorReport::of("x");
        report.add(Verdict::Ok, "command", "/bin/x");
        report.add_capabilities(&AgentCaps {
            load_session: true,
            ..AgentCaps::default()
        });
        assert_eq!(report.exit_code(), ExitCode::Done);
        let silent = Finding::failed("initialize", "no answer\nin 10 s");
        let silent = silent.with_stderr("\nloading\n");
        report.fail(ExitCode::NoAgent, silent.advise(["wait longer".to_owned()]));
        // The first failure counts.
        let other = Finding::failed("other", "");
        report.fail(ExitCode::Failure, other);
        assert_eq!(report.exit_code(), ExitCode::NoAgent);
        assert_eq!(
            report.to_string(),
            "ok      command                 /bin/x\n\
             ok      session/load\n\
             no      session/resume          a restart loads the session with its history instead\n\
             no      session/list            only what acp-tui has stored is listed\n\
             no      session/close           a session ends with the agent's process\n\
             no      session/delete          only what acp-tui has stored can be deleted\n\
             no      session/fork            sessions cannot be forked\n\
             no      additional directories  --add-dir is not sent to the agent\n\
             no      images                  a prompt cannot hold images\n\
             no      audio                   a prompt cannot hold audio\n\
             no      embedded context        files are sent as links\n\
             FAILED  initialize              no answer in 10 s\n\
             \u{20}       stderr                  loading\n\
             \u{20}       try                     wait longer\n\
             FAILED  other\n"
        );
    }
}
