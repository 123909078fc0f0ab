//! What `acp-tui doctor` found, and how it is printed. Finding it takes an agent, and is `app`'s.

use std::fmt;

use super::{ExitCode, output::columns};
use crate::{proto::AgentCaps, text::SafeText};

/// Findings in the order in which they were made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DoctorReport {
    pub findings: Vec<Finding>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub verdict: Verdict,
    /// `command`, `initialize`, `session/load`.
    pub what: SafeText,
    pub detail: SafeText,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Good,
    /// The agent does not offer it; the client does without.
    Missing,
    /// It cannot be used like this.
    Bad,
}

impl DoctorReport {
    pub fn add(&mut self, verdict: Verdict, what: impl Into<SafeText>, detail: SafeText) {
        self.findings.push(Finding {
            verdict,
            what: what.into(),
            detail,
        });
    }

    /// One finding for each capability, with what is lost without it.
    pub fn add_capabilities(&mut self, caps: &AgentCaps) {
        // Either of the two opens a session again.
        let (no_load, no_resume) = if caps.load_session || caps.resume {
            (
                "--resume shows what is stored, no replay of the agent's",
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
                "the agent does not list its sessions",
            ),
            (
                caps.close,
                "session/close",
                "sessions are ended with the process",
            ),
            (
                caps.additional_directories,
                "additional directories",
                "--add-dir is not told to the agent",
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
                self.add(Verdict::Good, what, SafeText::default());
            } else {
                self.add(Verdict::Missing, what, SafeText::from(without));
            }
        }
    }

    pub fn exit_code(&self) -> ExitCode {
        if self.findings.iter().any(|f| f.verdict == Verdict::Bad) {
            ExitCode::Failure
        } else {
            ExitCode::Done
        }
    }
}

impl fmt::Display for DoctorReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows: Vec<Vec<String>> = self
            .findings
            .iter()
            .map(|finding| {
                let verdict = match finding.verdict {
                    Verdict::Good => "ok",
                    Verdict::Missing => "no",
                    Verdict::Bad => "FAILED",
                };
                let detail = SafeText::line(&finding.detail);
                vec![verdict.into(), finding.what.to_string(), detail.to_string()]
            })
            .collect();
        f.write_str(&columns(&rows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_has_one_line_for_each_finding() {
        let mut report = DoctorReport::default();
        report.add(Verdict::Good, "command", SafeText::new("/bin/x"));
        report.add_capabilities(&AgentCaps {
            load_session: true,
            ..AgentCaps::default()
        });
        assert_eq!(report.exit_code(), ExitCode::Done);
        report.add(
            Verdict::Bad,
            "initialize",
            SafeText::new("no answer\nin 10 s"),
        );
        assert_eq!(report.exit_code(), ExitCode::Failure);
        assert_eq!(
            report.to_string(),
            "ok      command                 /bin/x\n\
             ok      session/load\n\
             no      session/resume          a restart loads the session with its history instead\n\
             no      session/list            the agent does not list its sessions\n\
             no      session/close           sessions are ended with the process\n\
             no      additional directories  --add-dir is not told to the agent\n\
             no      images                  a prompt cannot hold images\n\
             no      audio                   a prompt cannot hold audio\n\
             no      embedded context        files are sent as links\n\
             FAILED  initialize              no answer in 10 s\n"
        );
    }
}
