//! The state of one session with one agent.

use std::{
    collections::{BTreeMap, VecDeque},
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use crate::{
    model::{
        Account, AgentCaps, AuthMethod, Background, ClientCaps, ConfigOption, ConnectionId,
        Dialect, ExitStatus, McpServer, MessageId, Meta, ModeState, Protocol, Provider, SessionId,
        SessionInfo, Setting, SlashCommand, StopReason, SystemPrompt, TerminalId, TerminalSize,
        TurnTokens, Usage, WorkState, Worktree, WorktreeStatus,
    },
    session::{
        Block, BlockKind, Conversation, Limit, PermissionQuestion, Prompt, Question, SideQuestion,
        Subagents, telling_line,
    },
    text::{SafeText, first_bytes},
};

/// What a session is opened with; fixed for its life, but for the MCP servers.
#[derive(Clone, Debug)]
pub struct SessionConfig {
    /// The profile's name, for messages and the resume hint.
    pub agent: SafeText,
    /// What starts it, as a person would type it.
    pub command: SafeText,
    /// The profile's own way to sign in: a command line of the person's (D-22).
    pub login: Option<SafeText>,
    pub cwd: PathBuf,
    /// The git worktree that `cwd` is in, where the session has one to itself.
    pub worktree: Option<Worktree>,
    pub additional_directories: Vec<PathBuf>,
    /// MCP servers for the agent: each start of it looks for them anew
    /// ([`Event::McpServers`](crate::session::Event::McpServers)).
    pub mcp_servers: Vec<McpServer>,
    /// Those that cannot be handed to it, and why: said once.
    pub mcp_problems: Vec<SafeText>,
    /// For agents that take one (V1-SES-10).
    pub system_prompt: Option<SystemPrompt>,
    pub caps: ClientCaps,
    /// What the agent is spoken to in, if it can.
    pub protocol: Protocol,
    /// What the profile says of its words: so that advice adds to it.
    pub dialect: Dialect,
    /// How long a start may take without a message before a notice says so (V1-INIT-24).
    pub start_timeout: Duration,
    /// Modes that the agent is known to have, where it names none (D-24).
    pub modes: Option<ModeState>,
    pub start: Start,
    /// What to set once the session is open; of two for the same option the later one.
    pub settings: Vec<Setting>,
    /// Sent as soon as the session is open.
    pub first_prompt: Option<Prompt>,
    /// No one is there: questions are refused, and what cannot be set up as asked is an error.
    pub unattended: bool,
}

impl SessionConfig {
    /// Of a session that is only looked at: its agent is never started.
    pub fn looked_at(agent: SafeText, cwd: PathBuf) -> Self {
        Self {
            agent,
            command: SafeText::default(),
            login: None,
            cwd,
            worktree: None,
            additional_directories: Vec::new(),
            mcp_servers: Vec::new(),
            mcp_problems: Vec::new(),
            system_prompt: None,
            caps: ClientCaps::default(),
            protocol: Protocol::default(),
            dialect: Dialect::default(),
            start_timeout: Duration::ZERO,
            modes: None,
            start: Start::New,
            settings: Vec::new(),
            first_prompt: None,
            unattended: false,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    New,
    /// Reopen: by resume or load, as the agent can; else said and a new one opened.
    Reopen(SessionId),
    /// One that goes on from where that session is; else said and a new one opened (V1-SES-16).
    Fork(Fork),
}

/// From where a fork goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fork {
    pub of: SessionId,
    /// The agent's message that is the last of what it knows; `None`: all that was said.
    pub at: Option<MessageId>,
}

impl From<SessionId> for Fork {
    fn from(of: SessionId) -> Self {
        Self { of, at: None }
    }
}

/// Only `reduce` changes it.
#[derive(Debug)]
pub struct Session {
    pub config: SessionConfig,
    /// Shared by all sessions on the connection, but for what one of them learns by calling the agent.
    pub agent: Arc<AgentInfo>,
    pub phase: Phase,
    pub connection: Option<ConnectionId>,
    pub id: Option<SessionId>,
    pub title: Option<SafeText>,
    /// The person gave it: what the agent says of its title is not shown.
    pub own_title: bool,
    /// The git branch of its directory, as it was last looked at.
    pub branch: Option<SafeText>,
    /// How its worktree stood when it was last looked at.
    pub worktree: Option<WorktreeStatus>,
    pub conversation: Conversation,
    pub turn: Option<Turn>,
    /// What the agent last said that it does; `None` where it says nothing of that kind
    /// (V2-STATE-01).
    pub work: Option<WorkState>,
    /// Its background work; `None`: not reported, which does not mean that there is none (V2-STATE-02).
    pub background: Option<Vec<Background>>,
    /// How the last turn ended, where the agent said so.
    pub last_stop: Option<StopReason>,
    /// Files that the last turn changed, as they were found on the disk; 0 again with the next one.
    pub changed_files: usize,
    /// How often something has ended that may have changed files: a tool call, a command, a write.
    pub acts: u64,
    /// Prompts that wait for the turn's end (V1-PROMPT-02).
    pub queue: VecDeque<Prompt>,
    /// The queue waits for the person: the last turn did not end with end_turn.
    pub queue_held: bool,
    pub questions: VecDeque<Question>,
    /// In the agent's order; where it has modes instead, one option that stands for them
    /// (V1-SES-05).
    pub config_options: Vec<ConfigOption>,
    /// Grows with every change of the options and of what is asked of them.
    pub options_rev: u64,
    pub commands: Vec<SlashCommand>,
    pub usage: Option<Usage>,
    /// Of the person's account, where the agent tells of one.
    pub limit: Option<Limit>,
    /// What the agent expects to be asked next, until a turn begins (V1-SUG-01).
    pub suggestion: Option<SafeText>,
    /// Child sessions, each with its own conversation.
    pub subagents: Subagents,
    /// The question that is asked beside all this; it leaves nothing behind.
    pub side: Option<SideQuestion>,
    /// What the last answer to a prompt said that it took (V1-PROMPT-08).
    pub tokens: Option<TurnTokens>,
    /// Terminals of this session, ours and the agent's own.
    pub terminals: BTreeMap<TerminalId, TerminalInfo>,
    /// What else the agent has kept.
    pub earlier: Earlier,
    /// Where its models are, as far as this client may say so.
    pub providers: Providers,
    /// When the agent last sent anything, or was last given something to work on.
    pub last_word: Instant,
    /// Grows with every visible change, the transcript's included.
    pub rev: u64,
    /// What only the rules need.
    pub(super) inner: super::reduce::Inner,
}

#[derive(Clone, Debug, Default)]
pub struct AgentInfo {
    /// What is spoken with it.
    pub protocol: Protocol,
    /// As it names itself; until then empty.
    pub name: Option<SafeText>,
    pub version: Option<SafeText>,
    pub caps: AgentCaps,
    pub auth_methods: Vec<AuthMethod>,
    /// Who is signed in, where it has told.
    pub account: Option<Account>,
}

/// Sessions that the agent has kept for this directory.
#[derive(Clone, Debug, Default)]
pub struct Earlier {
    /// The latest first; those that tell no time, last.
    pub sessions: Vec<SessionInfo>,
    pub state: Listing,
}

/// Providers of models that the agent lets its client set (V1-AUTH-12).
#[derive(Clone, Debug, Default)]
pub struct Providers {
    /// In the agent's order.
    pub list: Vec<Provider>,
    pub state: Listing,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Listing {
    #[default]
    NotAsked,
    Asking,
    /// `cut`: there are more than are shown.
    Done {
        cut: bool,
    },
    Failed(SafeText),
}

/// Where the connection stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The process starts, or has not answered `initialize`.
    Starting {
        since: Instant,
    },
    /// `session/new`, load or resume is open. `replaying`: history is coming in.
    Opening {
        since: Instant,
        replaying: bool,
    },
    /// The agent requires a sign-in first: a dialog offers `AgentInfo::auth_methods` (V1-AUTH-08).
    /// `error`: what the last try said.
    SignIn {
        step: SignInStep,
        error: Option<SafeText>,
    },
    Ready,
    /// No agent: it could not be started, ended, speaks another protocol or opens no session. What
    /// happened.
    Failed {
        error: SafeText,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignInStep {
    /// The person chooses a way.
    Choosing,
    /// `authenticate` is open; it may take as long as a person in a browser.
    Asking,
    /// It was given up, and is waited for all the same (V1-CAN-09).
    Cancelling,
    /// A program for it runs, in that terminal once it is there.
    Program(Option<TerminalId>),
}

#[derive(Clone, Debug)]
pub struct Turn {
    pub started: Instant,
    /// By a prompt of ours, and not by the agent itself (V2-STATE-01).
    pub prompted: bool,
    pub phase: TurnPhase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnPhase {
    Running,
    /// `session/cancel` is on the wire since then. `slow`: over [`CANCEL_PATIENCE`], the next stop
    /// abandons the turn (V1-CAN-08).
    Cancelling {
        since: Instant,
        slow: bool,
    },
}

/// After this without an end, a cancelled turn can be abandoned.
pub const CANCEL_PATIENCE: Duration = Duration::from_secs(3);

/// After this time without a message in a running turn, the screen says so.
pub const SILENCE: Duration = Duration::from_secs(45);

impl Session {
    /// Of the turn that runs, or ran last: counted from 1 in this run.
    pub fn turn_number(&self) -> u64 {
        self.inner.turn_number()
    }

    /// The dialog to show: the first question, once policy has left it to the person.
    pub fn shown_question(&self) -> Option<&Question> {
        self.waiting_questions().next()
    }

    /// The tool call that a question is about, wherever that stands.
    pub fn asked_about(&self, question: &PermissionQuestion) -> Option<&Block> {
        match &question.subagent {
            None => self.conversation.transcript.get(question.block),
            Some(id) => self
                .subagents
                .get(id)?
                .conversation
                .transcript
                .get(question.block),
        }
    }

    /// All questions that wait for the person, in the order in which they were asked. One that
    /// policy still has holds back those behind it, so that none comes up before its turn.
    pub fn waiting_questions(&self) -> impl Iterator<Item = &Question> {
        self.questions
            .iter()
            .take_while(|question| question.is_decided())
    }

    /// Its name for people, always with a text.
    pub fn label(&self) -> SafeText {
        self.name()
            .unwrap_or_else(|| SafeText::from("nothing said yet"))
    }

    /// Its title, else the line that tells what the first prompt is about.
    pub fn name(&self) -> Option<SafeText> {
        /// Bytes of a first prompt that fit into a row.
        const MAX_BYTES: usize = 400;
        if let Some(title) = self.title.as_ref().filter(|title| !title.is_empty()) {
            return Some(SafeText::line(title));
        }
        let first = self
            .conversation
            .transcript
            .blocks()
            .iter()
            .find_map(|block| {
                let BlockKind::User(message) = &block.kind else {
                    return None;
                };
                telling_line(&message.text)
            });
        first.map(|line| SafeText::line(first_bytes(line, MAX_BYTES)))
    }

    /// Nothing goes on until the person has answered something.
    pub fn waits_for_person(&self) -> bool {
        self.shown_question().is_some() || matches!(self.phase, Phase::SignIn { .. })
    }

    /// How much background work the agent reports (V2-STATE-02).
    pub fn in_background(&self) -> usize {
        self.background.as_ref().map_or(0, Vec::len)
    }

    /// Something would be lost if the agent ended now.
    pub fn is_at_work(&self) -> bool {
        self.turn.is_some() || self.in_background() > 0
    }

    /// How long the agent has said nothing while it should: over [`SILENCE`] in a running turn
    /// that waits for no answer of the person.
    pub fn silent_for(&self, now: Instant) -> Option<Duration> {
        let at = self.silent_from()?;
        (now >= at).then(|| now.saturating_duration_since(self.last_word))
    }

    /// When the screen is to say that the agent is silent; `None` while no message is due.
    pub fn silent_from(&self) -> Option<Instant> {
        let running = matches!(&self.turn, Some(turn) if turn.phase == TurnPhase::Running);
        // It has said why nothing comes.
        let told = matches!(
            self.work,
            Some(WorkState::RequiresAction | WorkState::Unknown)
        );
        let running = running && !told;
        (running && self.shown_question().is_none()).then(|| self.last_word + SILENCE)
    }
}

#[derive(Clone, Debug)]
pub struct TerminalInfo {
    pub command: SafeText,
    pub cwd: SafeText,
    pub started: Instant,
    pub exit: Option<ExitStatus>,
    /// Run by the agent itself: it cannot be attached to.
    pub foreign: bool,
    /// In cells, as the agent reports it for its own terminals.
    pub size: Option<TerminalSize>,
    /// It is the agent's, and can be cancelled without the turn (V2-CAN-02).
    pub cancel: bool,
    /// That was asked for, and it has not ended since.
    pub cancelling: bool,
    /// The agent cannot tell whether it still runs (V2-STATE-03).
    pub doubted: bool,
    pub meta: Meta,
}

impl TerminalInfo {
    /// One of this client's, of which nothing is known yet.
    pub fn new(started: Instant) -> Self {
        Self {
            command: SafeText::default(),
            cwd: SafeText::default(),
            started,
            exit: None,
            foreign: false,
            size: None,
            cancel: false,
            cancelling: false,
            doubted: false,
            meta: Meta::default(),
        }
    }
}
