//! What waits for the person's decision.

use std::{path::PathBuf, sync::Arc, time::Instant};

use serde::{Deserialize, Serialize};

use crate::{
    model::{
        Diff, ElicitationId, Form, HostRequest, PermissionOption, RawJson, RequestKey, SessionId,
        ToolCallId, ToolContent, ToolInput, ToolKind, ToolLocation,
    },
    session::{Address, BlockId, Stray},
    text::SafeText,
};

/// Counts up; never reused, so that a late answer cannot hit another question (V1-PERM-10).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct QuestionId(pub u64);

/// One dialog; the first that [is decided](Question::is_decided) stands on the screen, the rest are
/// counted.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    Permission(PermissionQuestion),
    File(FileQuestion),
    Command(CommandQuestion),
    Form(Box<FormQuestion>),
    Page(Box<PageQuestion>),
}

impl Question {
    pub fn id(&self) -> QuestionId {
        match self {
            Self::Permission(question) => question.id,
            Self::File(question) => question.id,
            Self::Command(question) => question.id,
            Self::Form(question) => question.id,
            Self::Page(question) => question.id,
        }
    }

    /// Waits for the person, and not for the policy or the browser.
    pub fn is_decided(&self) -> bool {
        match self {
            Self::Permission(question) => !question.deciding,
            Self::Page(question) => !question.opening,
            Self::File(_) | Self::Command(_) | Self::Form(_) => true,
        }
    }

    /// Ends with the turn (V1-CAN-06).
    pub fn is_of_turn(&self) -> bool {
        match self {
            Self::Permission(_) | Self::File(_) | Self::Command(_) => true,
            Self::Form(_) | Self::Page(_) => self.request().is_none(),
        }
    }

    /// The request of ours that it belongs to, and not to the session (V1-ELI-02): its id.
    pub fn request(&self) -> Option<&str> {
        match self {
            Self::Permission(_) | Self::File(_) | Self::Command(_) => None,
            Self::Form(question) => question.request.as_deref(),
            Self::Page(question) => question.request.as_deref(),
        }
    }

    pub fn key(&self) -> RequestKey {
        match self {
            Self::Permission(question) => question.key,
            Self::File(question) => question.key,
            Self::Command(question) => question.key,
            Self::Form(question) => question.key,
            Self::Page(question) => question.key,
        }
    }
}

/// `session/request_permission`, open.
#[derive(Clone, Debug, PartialEq)]
pub struct PermissionQuestion {
    pub id: QuestionId,
    pub key: RequestKey,
    /// The subagent that asks; `None`: the session itself.
    pub subagent: Option<SessionId>,
    /// The tool call that it is about: in the transcript of that one, and what policy needs of it
    /// here.
    pub block: BlockId,
    /// What is asked and why, in words for this question alone (V2-PERM-01).
    pub title: Option<SafeText>,
    pub description: Option<SafeText>,
    pub subject: Subject,
    /// In the agent's order.
    pub options: Vec<PermissionOption>,
    /// Why it is asked although there are rules; shown in the dialog.
    pub reason: Option<SafeText>,
    /// The paths outside the workspace that the policy found.
    pub strays: Vec<Stray>,
    /// Since when it waits for the person; while `deciding`, since when it is open.
    pub since: Instant,
    /// The policy has not spoken yet: no dialog is shown.
    pub deciding: bool,
    /// The policy is looking at it, or at what it was before the agent changed it.
    pub judging: bool,
    /// The request itself names the command, so that an update of its call does not change it.
    pub names_command: bool,
    /// Counts the changes of `subject` since it was asked.
    pub revision: u64,
    /// Set once the agent has changed the call that it asks about.
    pub changed: Option<Changed>,
}

/// What was asked about before the agent changed it. The [`Subject`] is what the call says now.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changed {
    /// The command that was asked about first; raw.
    pub command: Option<String>,
    /// And the raw input of the call.
    pub input: Option<RawJson>,
}

/// What a permission request is about, as policy rules match it.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    pub tool_call: ToolCallId,
    pub title: SafeText,
    pub kind: ToolKind,
    /// Programmatic tool name.
    pub name: Option<String>,
    /// Whole command line; raw.
    pub command: Option<String>,
    pub command_cwd: Option<String>,
    /// What is set for the command alone.
    pub env: Vec<(String, String)>,
    /// What the call's raw input tells, whatever its kind.
    pub input: Arc<ToolInput>,
    /// Files touched: of locations and diffs; raw, possibly relative.
    pub paths: Vec<String>,
    pub content: Vec<ToolContent>,
    pub locations: Vec<ToolLocation>,
    /// Of a kind that this client does not know: nothing but the person can judge it (V2-PERM-01).
    pub opaque: bool,
}

impl Subject {
    /// By what it does, where that is worse than what it says.
    pub fn acts_as(&self) -> ToolKind {
        let diff = |content: &ToolContent| matches!(content, ToolContent::Diff(_));
        let told = if self.command.is_some() {
            Some(ToolKind::Execute)
        } else if self.content.iter().any(diff) {
            Some(ToolKind::Edit)
        } else {
            None
        };
        let kinds = told.into_iter().chain(self.input.kinds());
        kinds.fold(self.kind, ToolKind::worse_of)
    }
}

/// A read or write outside the workspace roots, or one that a rule says to ask about.
#[derive(Clone, Debug, PartialEq)]
pub struct FileQuestion {
    pub id: QuestionId,
    pub key: RequestKey,
    pub request: HostRequest,
    /// As the agent named it.
    pub asked: SafeText,
    /// After resolving links: what would really be touched.
    pub resolved: PathBuf,
    pub write: bool,
    /// Why it counts as outside wherever the roots are, as it goes on after "it"; then each access is
    /// asked about, and no folder is allowed at once.
    pub protected: Option<SafeText>,
    /// What a write does to the file, once that is known.
    pub change: Option<Arc<Diff>>,
    /// The rule that says to ask; `None`: the file is outside.
    pub reason: Option<SafeText>,
    pub since: Instant,
}

/// `terminal/create` that the policy asks about: `terminal.ask`, or a deny rule that may be meant
/// (V1-TERM-19).
#[derive(Clone, Debug, PartialEq)]
pub struct CommandQuestion {
    pub id: QuestionId,
    pub key: RequestKey,
    pub request: HostRequest,
    /// On one line, with its environment; also the text of the notice after the answer.
    pub command: SafeText,
    /// The request's command is a line for `sh`, else a program with its arguments.
    pub shell: bool,
    pub cwd: SafeText,
    /// The directory is not in the workspace.
    pub outside: bool,
    pub reason: SafeText,
    pub since: Instant,
}

/// `elicitation/create` with a form (V1-ELI-05).
#[derive(Clone, Debug, PartialEq)]
pub struct FormQuestion {
    pub id: QuestionId,
    pub key: RequestKey,
    /// The subagent that asks; `None`: the session itself.
    pub subagent: Option<SessionId>,
    /// The request of ours that it belongs to; `None`: it is the session's (V1-ELI-02).
    pub request: Option<String>,
    /// Title of the tool call that it is asked for.
    pub about: Option<SafeText>,
    pub message: SafeText,
    pub form: Form,
    pub since: Instant,
}

/// `elicitation/create` with a page to be opened (V1-ELI-14).
#[derive(Clone, Debug, PartialEq)]
pub struct PageQuestion {
    pub id: QuestionId,
    pub key: RequestKey,
    /// The subagent that asks; `None`: the session itself.
    pub subagent: Option<SessionId>,
    /// As of a form.
    pub request: Option<String>,
    pub about: Option<SafeText>,
    pub message: SafeText,
    pub page: ElicitationId,
    pub address: Address,
    /// The person has consented, and the browser is being started: no dialog is shown.
    pub opening: bool,
    /// Why it could not be opened.
    pub failed: Option<SafeText>,
    /// The agent says that it is done, before the person has answered.
    pub done: bool,
    pub since: Instant,
}

/// A question of the past: kept in the transcript.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    /// The option's name, or "cancelled".
    #[serde(default)]
    pub answer: SafeText,
    /// `None`: what was answered is known, and not what it means to the agent (V1-PERM-05).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed: Option<bool>,
    #[serde(flatten)]
    pub by: By,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    tag = "by",
    content = "rule",
    rename_all = "lowercase",
    from = "StoredBy"
)]
pub enum By {
    Person,
    /// The rule or policy that decided, as the config names it.
    Rule(SafeText),
    /// The turn was stopped, the agent withdrew the request or ended.
    Nobody,
}

/// A value that only a later version knows is read as `Nobody`.
#[derive(Deserialize)]
struct StoredBy {
    #[serde(default)]
    by: String,
    rule: Option<SafeText>,
}

impl From<StoredBy> for By {
    fn from(stored: StoredBy) -> Self {
        match (&*stored.by, stored.rule) {
            ("person", _) => Self::Person,
            (_, Some(rule)) => Self::Rule(rule),
            _ => Self::Nobody,
        }
    }
}
