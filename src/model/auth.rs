//! Ways to sign in that an agent offers (V1-AUTH).

use crate::text::{SafeText, command_line};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AuthMethod {
    /// Raw id for `authenticate`.
    pub id: String,
    pub name: SafeText,
    pub description: Option<SafeText>,
    pub kind: AuthMethodKind,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AuthMethodKind {
    /// `authenticate` (V1-AUTH-02).
    Agent,
    /// The agent's own program, run in a terminal; never passed to `authenticate` (V1-AUTH-03). It
    /// is the profile's command and arguments with these added (V1-AUTH-05).
    Terminal {
        args: Vec<String>,
        /// Added to the agent's environment.
        env: Vec<(String, String)>,
    },
    /// The older form, `_meta.terminal-auth`: never passed to `authenticate` either, which kimi
    /// does not answer. `None` if it names no command: then only the profile has one.
    Program(Option<LoginProgram>),
    /// Variables to set in the profile (V1-AUTH-06).
    EnvVar { vars: Vec<SafeText> },
    /// Shown as not supported (V1-AUTH-07).
    Unsupported(SafeText),
}

/// Who is signed in to the agent, as it tells by itself (claude, codex; no part of the protocol). It is shown, and
/// never kept or logged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Account {
    /// Nobody is.
    pub none: bool,
    /// The plan, or what kind of credentials there are.
    pub label: SafeText,
    /// Whose, or where they are from.
    pub detail: Option<SafeText>,
}

impl Account {
    /// In one line.
    pub fn line(&self) -> SafeText {
        match &self.detail {
            Some(detail) => SafeText::line(&format!("{} · {detail}", self.label)),
            None => self.label.clone(),
        }
    }
}

/// A sign-in program that the agent names. V1-AUTH-05 forbids this in the typed form, where the
/// profile has the command; older agents have no other way (`kimi acp` would not take the
/// arguments). The agent runs as the person anyway and gains no right by this, but the person must
/// know which program asks for a password. So it is shown whole and runs only after the person has
/// confirmed exactly that.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoginProgram {
    pub command: String,
    pub args: Vec<String>,
    /// Added to the agent's environment.
    pub env: Vec<(String, String)>,
}

impl LoginProgram {
    /// The whole command line, as a person would type it.
    pub fn command_line(&self) -> SafeText {
        let words = std::iter::once(&self.command).chain(&self.args);
        let command = command_line(words.map(String::as_str));
        let env = env_words(&self.env);
        SafeText::line(&if env.is_empty() {
            command
        } else {
            format!("{env} {command}")
        })
    }
}

/// Variables as written before a command.
pub fn env_words(env: &[(String, String)]) -> String {
    let words = env.iter().map(|(name, value)| {
        let value = command_line([value.as_str()]);
        format!("{name}={value}")
    });
    words.collect::<Vec<_>>().join(" ")
}
