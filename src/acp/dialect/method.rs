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
    /// Qwen's own, as it is spelt there.
    DrainQueue,
}

impl ClientMethod {
    const NAMES: [(Self, &'static str); 12] = [
        (Self::SessionUpdate, "session/update"),
        (Self::RequestPermission, "session/request_permission"),
        (Self::ReadTextFile, "fs/read_text_file"),
        (Self::WriteTextFile, "fs/write_text_file"),
        (Self::TerminalCreate, "terminal/create"),
        (Self::TerminalOutput, "terminal/output"),
        (Self::TerminalWaitForExit, "terminal/wait_for_exit"),
        (Self::TerminalKill, "terminal/kill"),
        (Self::TerminalRelease, "terminal/release"),
        (Self::ElicitationCreate, "elicitation/create"),
        (Self::ElicitationComplete, "elicitation/complete"),
        (Self::DrainQueue, "craft/drainMidTurnQueue"),
    ];

    pub fn name(self) -> &'static str {
        let name = Self::NAMES.iter().find(|(method, _)| *method == self);
        name.map_or("", |(_, name)| name)
    }

    /// Whether it names a file or a command, or holds text to write, so that every character counts.
    pub fn is_literal(self) -> bool {
        matches!(
            self,
            Self::ReadTextFile | Self::WriteTextFile | Self::TerminalCreate
        )
    }

    /// Also by the spellings of D-01: the last segment may be in camel case.
    pub fn from_name(name: &str) -> Option<Self> {
        let is = |same: &dyn Fn(&str) -> bool| {
            let found = Self::NAMES.iter().find(|(_, known)| same(known));
            found.map(|(method, _)| *method)
        };
        is(&|known| known == name).or_else(|| {
            let folded = fold(name)?;
            is(&|known| fold(known).as_ref() == Some(&folded))
        })
    }
}

fn fold(name: &str) -> Option<(&str, String)> {
    let (group, last) = name.rsplit_once('/')?;
    Some((group, last.replace('_', "").to_ascii_lowercase()))
}
