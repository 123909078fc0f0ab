//! What the reducer returns for the app to do, in order.

use crate::{
    model::{
        AgentNotice, Comparison, ConnectionId, HostRequest, LoginProgram, Protocol, RequestKey,
        SessionId, TerminalId, TerminalSize, ToAgent,
    },
    session::{BlockId, Consent, Prompt, QuestionId, Subject},
    text::SafeText,
};

#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Put on the wire.
    ToAgent(ToAgent),
    /// Start the agent's process, to speak with it as named; comes back as `Connected` or
    /// `SpawnFailed`.
    Spawn(Protocol),
    /// End that process and everything it started; comes back as `Exited`.
    StopAgent(ConnectionId),
    /// The session is on that connection from now on, which another one has made.
    Join(ConnectionId),
    /// What the agent has said on stderr so far; comes back as `Stderr`.
    TellStderr(ConnectionId),
    /// Compare what a tool call claims to change with the files on disk, off the UI task; comes back
    /// as `Compared`, before the verdict of a question about it that is asked next.
    Compare(Box<Comparison>),
    /// Ask the policy; comes back as `Decided`.
    Decide {
        question: QuestionId,
        /// Of the question, for the answer.
        revision: u64,
        subject: Box<Subject>,
        options: Vec<crate::model::PermissionOption>,
    },
    /// Serve a request of fs/* or terminal/* and answer it.
    Serve {
        key: RequestKey,
        request: Box<HostRequest>,
        consent: Consent,
    },
    /// The agent withdrew a request that is being served (V1-CAN-10): answered -32800, unless it
    /// has been answered or came back as `AskFile`, which then is the reducer's to answer.
    CancelServe(RequestKey),
    /// Open a page in the person's browser, who has consented; comes back as `PageOpened`.
    OpenPage { question: QuestionId, url: String },
    /// Run a program to sign in with; comes back as `LoginStarted` or `LoginFailed`, in the end as
    /// `LoginEnded`.
    Login(Login),
    /// End it. Nothing of it comes back.
    EndLogin,
    /// Of a terminal that the agent runs itself: change its screen.
    AgentScreen {
        id: TerminalId,
        change: ScreenChange,
    },
    /// Say what time it is where the person is, for that row; comes back as `EndedAt`.
    TellTime(BlockId),
    /// Say when that time, in seconds since 1970, comes here; comes back as `LimitEnds`.
    TellReset(u64),
    /// The limit is over for which a prompt was asked: look whether the person has written something meanwhile;
    /// comes back as `MayContinue`.
    AskToContinue,
    /// Look at the disk, off the UI task: what a turn changed lies between. Comes back as
    /// `TurnChanged` after its end.
    FollowTurn(TurnMoment),
    /// Ring or notify, if the terminal is not looked at.
    Attention(Attention),
    /// Text that came back to the person: in front of the draft.
    RestoreDraft(Prompt),
    /// The agent has deleted that session: what is stored of it goes as well (V1-SES-14).
    SessionDeleted(SessionId),
    /// Said in the status line for a moment, not kept.
    Toast(SafeText),
    /// A notice of the agent's: shown for a moment, not kept (V1-NOTE-01).
    Notice(AgentNotice),
}

/// A turn by its number in this run of the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnMoment {
    /// Before its prompt goes out.
    Begins(u64),
    Ended(u64),
}

/// What becomes of the screen of an agent's own terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScreenChange {
    /// An empty one, in place of what there was. `None`: the agent tells no size.
    Begin(Option<TerminalSize>),
    Resize(TerminalSize),
    /// More bytes, as a terminal prints them.
    Print(Vec<u8>),
    /// Nothing more is expected.
    End,
}

/// What is run to sign in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Login {
    /// The agent's command from the profile, with these arguments and variables added (V1-AUTH-03).
    Agent {
        args: Vec<String>,
        env: Vec<(String, String)>,
    },
    /// The profile's `login_command`.
    Profile,
    /// What the agent names and the person has confirmed.
    Program(LoginProgram),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attention {
    PermissionWaiting,
    TurnDone,
    AgentFailed,
}
