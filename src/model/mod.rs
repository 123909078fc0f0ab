//! Our types for the Agent Client Protocol: plain data, independent of the wire's version and
//! dialect.
//!
//! Owns: ids, content, updates, requests of the agent, calls to the agent, capabilities. All text
//! that may be shown is [`SafeText`](crate::text::SafeText) from here on; ids, paths and file
//! contents stay raw because they go back over the wire or to disk. Must not know about JSON,
//! tasks or the screen.

mod attachment;
mod auth;
mod call;
mod caps;
mod changes;
mod command;
mod content;
mod dialect;
mod diff;
mod elicitation;
mod entity;
mod env;
mod error;
mod event;
mod exit;
mod ids;
pub mod input_names;
mod kept_review;
mod listing;
mod mcp;
mod meta;
mod names;
mod notice;
mod options;
mod patch;
mod permission;
mod pieces;
mod place;
mod plan;
mod policy;
mod prompt;
mod provider;
mod raw;
mod request;
mod review;
mod state;
mod subagent;
mod terminal;
mod tool;
mod usage;
mod worktree;

pub use attachment::{
    MAX_MEDIA, MAX_MEDIA_FILES, MAX_MEDIA_IN_ALL, MediaKind, SeenFile, Way, are_media, file_uri,
    path_of_uri,
};
pub use auth::{Account, AuthMethod, AuthMethodKind, LoginProgram, env_words};
pub use call::{
    Call, CallResult, CallTag, FromAgent, Initialized, ModeState, Notification, SessionOpened,
    SessionSetup, SteerOutcome, SystemPrompt, ToAgent,
};
pub use caps::{AgentCaps, ClientCaps, McpCaps, PromptCaps};
pub use changes::{
    BlobId, Cause, CauseKind, ChangeKind, ChangedFile, Checkpoint, CheckpointId, Conflict, Content,
    FileState, HunkRange, Left, LookReport, Selection, Uncovered, UndoPart, UndoReport,
};
pub use command::{CommandRun, shown_command, shown_command_line};
pub use content::{ContentBlock, ImageData, MAX_IMAGE, Media, Resource, ResourceLink, file_name};
pub use dialect::{
    Dialect, DialectAdvice, DialectHint, DialectLine, DialectRow, PRESETS, Preset, Protocol,
};
pub use diff::{Claim, Claims, Compared, Comparison, Diff, DiffText, Extent, FileChange, FileKind};
pub use elicitation::{
    Bounds, Elicitation, ElicitationAnswer, ElicitationId, ElicitationMode, ElicitationScope,
    Field, FieldKind, FieldOption, Form, FormValue, TextField, TextFormat,
};
pub use entity::*;
pub use env::{EnvEffect, EnvVariable, env_effect, sorted_env};
pub use error::{RpcError, code};
pub use event::{AgentEvent, ChunkRole, SessionInfoPatch};
pub use exit::AgentExit;
pub use ids::{
    ConnectionId, EntityId, MessageId, ModeId, OptionId, PlanId, RequestKey, SessionId, SessionKey,
    TerminalId, ToolCallId,
};
pub use kept_review::{KeptComment, KeptMark, KeptReview};
pub use listing::{SessionInfo, SessionPage};
pub use mcp::{McpServer, McpTransport, SecretPairs};
pub use meta::Meta;
pub(crate) use names::names;
pub use names::{FORK_AT_MESSAGE, STEER_IDLE, STEER_METHOD, plain_name};
pub use notice::{AgentNotice, NoticeSeverity};
pub use options::{
    ConfigKind, ConfigOption, ConfigValue, OptionValue, SessionMode, SetBy, Setting, SettingKey,
    SettingSource, SlashCommand, category,
};
pub use patch::Patch;
pub use permission::{
    CommandSubject, PermissionKind, PermissionOption, PermissionOutcome, PermissionRequest,
    PermissionSubject,
};
pub use pieces::{Piece, Pieces};
pub use place::Place;
pub use plan::{NamedPlan, PlanBody, PlanEntry, PlanPriority, PlanStatus, PlanText};
pub use policy::{Consent, Decision, OutsideWorkspace, Policy, Rule, Stray, Verdict, rule_words};
pub use prompt::{MediaBlock, PromptBlock};
pub use provider::{Provider, ProviderRoute, ProviderSetting};
pub use raw::RawJson;
pub use request::{FsRead, FsWrite, HostReply, HostRequest, Look, LookAt, Looked};
pub use review::{
    REDONE, Review, ReviewDone, ReviewFile, ReviewScope, ReviewTexts, ReviewTold, ReviewWish,
    ScopeChoice, Since, UNDONE, tells_undo,
};
pub use state::{Background, StateUpdate, StopReason, WorkState};
pub use subagent::{SubagentCaps, SubagentPatch};
pub use terminal::{
    ExitStatus, TerminalCreate, TerminalPatch, TerminalRef, TerminalSize, TerminalSnapshot,
};
pub use tool::{ToolCallPatch, ToolContent, ToolInput, ToolKind, ToolLocation, ToolStatus};
pub use usage::{LimitState, RateLimit, TurnTokens, Usage, UsageUpdate};
pub use worktree::{BRANCH_PREFIX, Worktree, WorktreeEnd, WorktreeStatus};
