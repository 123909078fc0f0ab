//! What happens to a session.

use std::{sync::Arc, time::Instant};

use crate::{
    model::{
        AgentExit, Compared, ConnectionId, ElicitationAnswer, ExitStatus, FromAgent, HostRequest,
        McpServer, OptionId, OptionValue, ProviderSetting, RequestKey, SessionId, TerminalId,
        ToolCallId, WorktreeStatus,
    },
    session::{AgentInfo, BlockId, Prompt, QuestionId, Shown, Verdict},
    text::SafeText,
};

#[derive(Clone, Debug)]
pub enum Event {
    // The connection.
    /// The agent's process runs and its pipes are open.
    Connected(ConnectionId),
    /// What it may be handed, looked up with its own program: comes before `Connected`. `problems`:
    /// why others are left out.
    McpServers {
        servers: Vec<McpServer>,
        problems: Vec<SafeText>,
    },
    /// It could not be started: what, why, what to do.
    SpawnFailed {
        error: SafeText,
    },
    Agent(ConnectionId, FromAgent),
    /// It ended, or its stdout did (V1-RPC-19). Comes after everything it had sent.
    Exited(ConnectionId, AgentExit),

    /// What was asked for by [`Effect::TellStderr`](crate::session::Effect::TellStderr).
    Stderr(SafeText),

    // Other sessions with the same agent.
    /// One of them has had it started again, and this one comes along; `signed_in`: after a sign-in.
    StartOver {
        signed_in: bool,
    },
    /// The process that one of them has started is there, and has introduced itself.
    Joined {
        connection: ConnectionId,
        agent: Arc<AgentInfo>,
    },
    /// The session that was to start it is gone: this one does.
    StartAgent,
    /// It did not come.
    NoAgent {
        error: SafeText,
    },
    /// The person has signed in from one of them.
    SignedIn,

    // The person.
    /// Send, or queue while a turn is open.
    Submit(Prompt),
    /// Give it to the open turn, where the agent takes that; else the same.
    Steer(Prompt),
    /// Ask it in a fork of the session, which ends with [`CloseSide`](Self::CloseSide).
    AskAside(Prompt),
    /// The person is done with the side question.
    CloseSide,
    /// As `Submit`, before all that is queued.
    SubmitFirst(Prompt),
    /// Send at once: stops an open turn first (ctrl-x).
    SendNow(Prompt),
    /// What a client gave the open turn out of its queue, in a replay.
    GaveQueued(Vec<String>),
    /// Sends the held queue's next, or the head of a queue behind an open turn at once.
    SendQueued,
    /// Puts what an earlier client had queued into the queue, which is held.
    RestoreQueue(Vec<Prompt>),
    /// Takes the newest queued prompt back for editing.
    UnqueueLast,
    /// Takes the queued prompt at that place back for editing.
    Unqueue(usize),
    /// The client ends: open questions are closed.
    Leave,
    /// Esc or ctrl-c: cancel; once that was slow, abandon.
    Stop,
    Answer {
        question: QuestionId,
        option: OptionId,
    },
    AnswerFile {
        question: QuestionId,
        answer: FileAnswer,
    },
    AnswerCommand {
        question: QuestionId,
        run: bool,
    },
    /// Stop what a subagent does, where its agent allows that (V1-SUB-03).
    CancelSubagent(SessionId),
    /// Stop one tool call, where its agent allows that (V2-CAN-02). `of`: the subagent whose it is.
    CancelToolCall {
        of: Option<SessionId>,
        id: ToolCallId,
    },
    /// The same of a terminal that the agent runs.
    CancelTerminal {
        of: Option<SessionId>,
        id: TerminalId,
    },
    AnswerForm {
        question: QuestionId,
        answer: ElicitationAnswer,
    },
    AnswerPage {
        question: QuestionId,
        answer: PageAnswer,
    },
    CycleMode,
    /// Send one prompt when the limit that is reached is over; once more: do not.
    ContinueAfterLimit,
    /// Whether the agent is to suggest prompts. What there is is dropped if not.
    WantSuggestions(bool),
    /// Set an option of the agent, by id.
    SetOption {
        option: String,
        value: OptionValue,
    },
    /// Sign in by that method of the agent's. For a program that the agent names
    /// ([`AuthMethodKind::Program`](crate::model::AuthMethodKind::Program)): the person has seen and
    /// confirmed it.
    Authenticate {
        method: String,
    },
    /// Sign in by the profile's own command.
    LogInByProfile,
    /// Sign in though nothing was refused.
    WantSignIn,
    /// V1-AUTH-10
    LogOut,
    /// Ask the agent which sessions it has kept for this directory.
    ListSessions,
    /// The person no longer waits for the list (V1-CAN-09).
    GiveUpListing,
    /// Have it forget one of them, for good. The person has confirmed it.
    DeleteSession(SessionId),
    /// Give this session another title, or one that the agent has kept.
    SetTitle {
        of: Option<SessionId>,
        title: String,
    },
    /// Ask the agent where its models are.
    ListProviders,
    SetProvider(ProviderSetting),
    /// The person has confirmed it.
    DisableProvider {
        id: String,
    },
    /// Start the agent again, and resume or load where it can (F5).
    Restart,
    /// End the agent's process, and leave it at that.
    EndAgent,
    /// A line of the client's own, put into the transcript.
    Note {
        level: crate::session::NoticeLevel,
        text: SafeText,
    },

    /// What was asked for by [`Effect::TellTime`](crate::session::Effect::TellTime).
    EndedAt {
        row: BlockId,
        time: SafeText,
    },

    /// The git branch of its directory: as it is opened, and after each turn.
    OnBranch(Option<SafeText>),
    /// How its worktree stands, at the same times.
    WorktreeSeen(Box<WorktreeStatus>),

    /// What was asked for by [`Effect::TellReset`](crate::session::Effect::TellReset).
    LimitEnds {
        resets: u64,
        at: Instant,
        time: SafeText,
    },
    /// The answer to [`Effect::AskToContinue`](crate::session::Effect::AskToContinue): the person has written
    /// nothing meanwhile.
    MayContinue(bool),

    /// What a turn changed, found by [`Effect::FollowTurn`](crate::session::Effect::FollowTurn).
    TurnChanged {
        turn: u64,
        files: usize,
        /// Added and removed, where they could be counted.
        lines: Option<(usize, usize)>,
    },

    // The host.
    /// Claimed changes compared with the disk; they replace the claims if those are still current.
    /// `None`: they could not be compared.
    Compared {
        of: Compared,
        shown: Option<Shown>,
    },
    /// What policy says to a permission question.
    Decided {
        question: QuestionId,
        /// What of the question the policy looked at; `None` where it is what is asked about now.
        revision: Option<u64>,
        verdict: Verdict,
    },
    /// A file request outside the roots, or one that a rule says to ask about.
    AskFile {
        key: RequestKey,
        request: HostRequest,
        resolved: std::path::PathBuf,
        write: bool,
        /// Why it counts as outside wherever the roots are; goes on after "it".
        protected: Option<SafeText>,
        /// The rule that says to ask; `None`: the file is outside.
        reason: Option<SafeText>,
    },
    /// A command that the policy asks about; not answered yet.
    AskTerminal {
        key: RequestKey,
        request: HostRequest,
        /// On one line, with what is set for it.
        command: SafeText,
        /// It is a line for `sh`.
        shell: bool,
        cwd: SafeText,
        /// That is not in the workspace.
        outside: bool,
        reason: SafeText,
    },
    /// The browser was started on a page, or why not.
    PageOpened {
        question: QuestionId,
        result: Result<(), SafeText>,
    },
    /// Policy refused a request of fs/* or terminal/*; already answered. Shown.
    Refused {
        /// The session of the agent that asked.
        of: Option<SessionId>,
        what: SafeText,
        rule: SafeText,
    },
    /// A file was written for that session of the agent: the path as it named it.
    Wrote {
        session: SessionId,
        path: String,
        lines: usize,
    },
    TerminalStarted {
        /// Whose command it is; `None`: the person's.
        session: Option<SessionId>,
        id: TerminalId,
        command: SafeText,
        cwd: SafeText,
    },
    /// A command of the person's own runs in that terminal (`!line`).
    ShellStarted {
        terminal: TerminalId,
        line: SafeText,
    },
    TerminalExited {
        id: TerminalId,
        status: ExitStatus,
    },

    /// The program to sign in with runs, in that terminal.
    LoginStarted {
        terminal: TerminalId,
        command: SafeText,
        cwd: SafeText,
    },
    /// It could not be started.
    LoginFailed {
        error: SafeText,
    },
    LoginEnded {
        terminal: TerminalId,
        status: ExitStatus,
    },

    /// The time asked for by [`Session::deadline`](crate::session::Session::deadline) has come.
    Tick,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageAnswer {
    /// In the person's browser, now: the answer waits for what comes of that.
    Open,
    /// The person has opened it where there is a browser (V1-ELI-19).
    OpenedElsewhere,
    Decline,
    Dismiss,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileAnswer {
    Once,
    /// Everything in that folder, for this session.
    Folder,
    No,
}
