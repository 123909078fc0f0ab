//! The methods of a client, and the spellings they come in.

/// The methods of a client that this one knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientMethod {
    SessionUpdate,
    RequestPermission,
    ReadTextFile,
    WriteTextFile,
    TerminalCreate,
    TerminalOutput,
    TerminalWaitForExit,
    TerminalKill,
    TerminalRelease,
    ElicitationCreate,
    ElicitationComplete,
}

impl ClientMethod {
    const ALL: [Self; 11] = [
        Self::SessionUpdate,
        Self::RequestPermission,
        Self::ReadTextFile,
        Self::WriteTextFile,
        Self::TerminalCreate,
        Self::TerminalOutput,
        Self::TerminalWaitForExit,
        Self::TerminalKill,
        Self::TerminalRelease,
        Self::ElicitationCreate,
        Self::ElicitationComplete,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::SessionUpdate => "session/update",
            Self::RequestPermission => "session/request_permission",
            Self::ReadTextFile => "fs/read_text_file",
            Self::WriteTextFile => "fs/write_text_file",
            Self::TerminalCreate => "terminal/create",
            Self::TerminalOutput => "terminal/output",
            Self::TerminalWaitForExit => "terminal/wait_for_exit",
            Self::TerminalKill => "terminal/kill",
            Self::TerminalRelease => "terminal/release",
            Self::ElicitationCreate => "elicitation/create",
            Self::ElicitationComplete => "elicitation/complete",
        }
    }

    /// It names a file or a command, or what is to be written: no character of it may be another one.
    pub fn is_literal(self) -> bool {
        matches!(
            self,
            Self::ReadTextFile | Self::WriteTextFile | Self::TerminalCreate
        )
    }

    /// Also by the spellings of D-01: the last segment may be in camel case.
    pub fn from_name(name: &str) -> Option<Self> {
        let exact = Self::ALL.into_iter().find(|method| method.name() == name);
        exact.or_else(|| {
            let folded = fold(name)?;
            Self::ALL
                .into_iter()
                .find(|method| fold(method.name()).as_ref() == Some(&folded))
        })
    }
}

fn fold(name: &str) -> Option<(&str, String)> {
    let (group, last) = name.rsplit_once('/')?;
    Some((group, last.replace('_', "").to_ascii_lowercase()))
}
