//! The conversation as pure state: `reduce(&mut Session, Event, now) -> Vec<Effect>`.
//!
//! Owns every rule of ACP's life cycle that needs no IO: handshake, sessions, turns, the prompt
//! queue, cancel, permissions, tool calls, plans, modes; and which of several sessions a message of
//! an agent is for ([`Sessions`]). Must not see tasks, JSON, the schema crate
//! or widgets; time comes in as an argument.

mod address;
mod call_diffs;
mod carry;
mod effect;
mod event;
mod form;
mod history;
mod limit;
mod prompt;
mod question;
mod reduce;
mod sessions;
mod setting;
mod side_question;
mod state;
mod subagent;
mod transcript;

pub use crate::model::{AgentExit, Consent, Stray, Verdict};
pub use address::{Address, AddressWarning};
pub use call_diffs::{CallDiffs, Shown};
pub use carry::{ByCall, ChangedFiles, carried, changed_by_calls, telling_line};
pub use effect::{Attention, Effect, Login, ScreenChange, TurnMoment};
pub use event::{Event, FileAnswer, PageAnswer};
pub use form::{FormDraft, Input, rules};
pub use history::{History, Past, PastSubagent};
pub use limit::Limit;
pub use prompt::{MAX_ATTACHED, Prompt, marker};
pub use question::{
    Answered, By, Changed, CommandQuestion, FileQuestion, FormQuestion, PageQuestion,
    PermissionQuestion, Question, QuestionId, Subject,
};
pub use reduce::{
    Conversation, asks_for_secret, mode_option, readable as readable_error, reduce,
    speaks_version_1, wants_sign_in,
};
pub use sessions::{Elsewhere, MAX_SESSIONS, Routed, Sessions};
pub use setting::{SettingProblem, resolve as resolve_setting};
pub use side_question::{SideQuestion, SideState};
pub use state::{
    AgentInfo, CANCEL_PATIENCE, Earlier, Fork, Listing, Phase, Providers, SILENCE, Session,
    SessionConfig, SignInStep, Start, TerminalInfo, Turn, TurnPhase,
};
pub use subagent::{Subagent, Subagents};
pub use transcript::{
    Block, BlockId, BlockKind, Changes, Message, Notice, NoticeLevel, Steered, Thought, ToolCall,
    ToolState, Transcript, UserMessage,
};
