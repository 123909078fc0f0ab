//! The rules by example. Each file cites the obligations that it holds.

mod attached;
mod bounds;
mod compaction;
mod connection;
mod diffs;
mod drain;
mod elicitation;
mod judging;
mod limits;
mod listing;
mod messages;
mod opening;
mod options;
mod plan;
mod providers;
mod questions;
mod random;
mod settings;
mod side;
mod sign_in;
mod sign_in_program;
mod steer;
mod stop;
mod subagents;
mod suggestions;
mod terminals;
mod title;
mod tools;
mod turn;
mod unattended;
mod whole_messages;
mod work;
mod writes;

use std::time::{Duration, Instant};

use crate::{
    model::{
        AgentCaps, AgentEvent, AuthMethod, AuthMethodKind, Call, CallResult, CallTag, ChunkRole,
        ClientCaps, ConnectionId, ContentBlock, EntityKind, FromAgent, HostReply, HostRequest,
        Initialized, MessageId, Meta, Notification, OptionValue, Patch, PermissionKind,
        PermissionOption, PermissionRequest, PromptBlock, Protocol, RequestKey, RpcError,
        SessionId, SessionOpened, StopReason, ToAgent, ToolCallId, ToolCallPatch, ToolStatus,
    },
    session::{
        AgentExit, BlockKind, Effect, Event, Login, NoticeLevel, Phase, Prompt, Session,
        SessionConfig, Start, ToolCall, reduce,
    },
    text::SafeText,
};

/// A session and the one who plays all the others: person, agent, host, clock.
struct Play {
    session: Session,
    now: Instant,
    connection: ConnectionId,
    requests: u64,
}

fn config() -> SessionConfig {
    SessionConfig {
        agent: "demo".into(),
        command: "demo --acp".into(),
        login: None,
        cwd: "/project".into(),
        worktree: None,
        additional_directories: Vec::new(),
        mcp_servers: Vec::new(),
        mcp_problems: Vec::new(),
        modes: None,
        system_prompt: None,
        caps: ClientCaps::default(),
        protocol: Protocol::V1,
        dialect: crate::model::Dialect::default(),
        start_timeout: Duration::from_secs(60),
        start: Start::New,
        settings: Vec::new(),
        first_prompt: None,
        unattended: false,
    }
}

fn id(id: &str) -> SessionId {
    SessionId::new(id)
}

fn prompt(text: &str) -> Prompt {
    Prompt {
        text: text.to_owned(),
        blocks: vec![PromptBlock::Text(text.to_owned())],
    }
}

fn text(text: &str) -> ContentBlock {
    ContentBlock::Text(SafeText::new(text))
}

fn chunk(role: ChunkRole, message: Option<&str>, said: &str) -> AgentEvent {
    AgentEvent::Chunk {
        role,
        message: message.map(MessageId::new),
        content: text(said),
        meta: Meta::default(),
    }
}

fn says(said: &str) -> AgentEvent {
    chunk(ChunkRole::Agent, None, said)
}

fn tool(id: &str, title: &str, status: ToolStatus) -> AgentEvent {
    AgentEvent::ToolCall(Box::new(ToolCallPatch {
        announces: true,
        title: Patch::Set(SafeText::new(title)),
        status: Patch::Set(status),
        ..ToolCallPatch::new(ToolCallId::new(id))
    }))
}

fn tool_update(id: &str, status: Option<ToolStatus>) -> AgentEvent {
    AgentEvent::ToolCall(Box::new(ToolCallPatch {
        status: status.into(),
        ..ToolCallPatch::new(ToolCallId::new(id))
    }))
}

fn failed(code: i64, message: &str) -> CallResult {
    CallResult::Failed(RpcError::new(code, message))
}

fn option(id: &str, kind: PermissionKind) -> PermissionOption {
    PermissionOption {
        id: crate::model::OptionId::new(id),
        name: SafeText::new(id),
        kind,
    }
}

fn session_named(name: &str) -> CallResult {
    CallResult::SessionOpened(Box::new(SessionOpened {
        id: Some(id(name)),
        modes: None,
        config_options: Vec::new(),
        commands: Vec::new(),
    }))
}

fn nothing_opened() -> CallResult {
    CallResult::SessionOpened(Box::new(SessionOpened {
        id: None,
        modes: None,
        config_options: Vec::new(),
        commands: Vec::new(),
    }))
}

fn hello(caps: AgentCaps) -> Initialized {
    Initialized {
        protocol_version: 1,
        odd_version: None,
        agent_name: Some("Demo".into()),
        agent_version: None,
        caps,
        auth_methods: Vec::new(),
    }
}

fn reopening() -> AgentCaps {
    AgentCaps {
        load_session: true,
        resume: true,
        ..AgentCaps::default()
    }
}

fn sign_in_method(id: &str, kind: AuthMethodKind) -> AuthMethod {
    AuthMethod {
        id: id.to_owned(),
        name: SafeText::new(id),
        description: None,
        kind,
    }
}

impl Play {
    /// The process is being started.
    fn start(config: SessionConfig) -> (Self, Vec<Effect>) {
        let now = Instant::now();
        let (session, effects) = Session::start(config, now);
        let play = Self {
            session,
            now,
            connection: ConnectionId(0),
            requests: 0,
        };
        (play, effects)
    }

    /// Connected and initialized; the set-up call is open.
    fn opening(config: SessionConfig, caps: AgentCaps) -> (Self, Vec<Effect>) {
        let (mut play, _) = Self::start(config);
        play.connect();
        let effects = play.initialized(hello(caps));
        (play, effects)
    }

    /// A new session `s`, open.
    fn open_with(caps: AgentCaps) -> Self {
        let (mut play, _) = Self::opening(config(), caps);
        play.reply(CallTag::NewSession, session_named("s"));
        assert_eq!(play.session.phase, Phase::Ready);
        play
    }

    fn open() -> Self {
        Self::open_with(AgentCaps::default())
    }

    /// With a running turn.
    fn running() -> Self {
        let mut play = Self::open();
        play.event(Event::Submit(prompt("go")));
        play
    }

    fn event(&mut self, event: Event) -> Vec<Effect> {
        reduce(&mut self.session, event, self.now)
    }

    fn connect(&mut self) -> Vec<Effect> {
        self.connection = ConnectionId(self.connection.0 + 1);
        self.event(Event::Connected(self.connection))
    }

    fn agent(&mut self, word: FromAgent) -> Vec<Effect> {
        self.event(Event::Agent(self.connection, word))
    }

    fn initialized(&mut self, answer: Initialized) -> Vec<Effect> {
        self.reply(
            CallTag::Initialize,
            CallResult::Initialized(Box::new(answer)),
        )
    }

    fn reply(&mut self, call: CallTag, result: CallResult) -> Vec<Effect> {
        self.agent(FromAgent::Reply {
            caller: crate::model::SessionKey::default(),
            call,
            result,
        })
    }

    fn update_of(&mut self, session: &str, event: AgentEvent) -> Vec<Effect> {
        self.agent(FromAgent::Update {
            session: Some(id(session)),
            event,
        })
    }

    fn update(&mut self, event: AgentEvent) -> Vec<Effect> {
        self.update_of("s", event)
    }

    fn ends(&mut self, reason: StopReason) -> Vec<Effect> {
        self.reply(
            CallTag::Prompt { session: id("s") },
            CallResult::PromptDone(reason, None),
        )
    }

    fn fails(&mut self, error: RpcError) -> Vec<Effect> {
        self.reply(
            CallTag::Prompt { session: id("s") },
            CallResult::Failed(error),
        )
    }

    fn key(&mut self) -> RequestKey {
        self.requests += 1;
        RequestKey {
            connection: self.connection,
            number: self.requests,
        }
    }

    fn request(&mut self, request: HostRequest) -> (RequestKey, Vec<Effect>) {
        let key = self.key();
        let effects = self.agent(FromAgent::Request { key, request });
        (key, effects)
    }

    fn asks_about(&mut self, tool: &str) -> (RequestKey, Vec<Effect>) {
        self.asks_with(
            tool,
            vec![
                option("yes", PermissionKind::AllowOnce),
                option("always", PermissionKind::AllowAlways),
                option("no", PermissionKind::RejectOnce),
            ],
        )
    }

    fn asks_with(
        &mut self,
        tool: &str,
        options: Vec<PermissionOption>,
    ) -> (RequestKey, Vec<Effect>) {
        self.request(HostRequest::Permission(Box::new(PermissionRequest {
            session: id("s"),
            title: None,
            description: None,
            subject: crate::model::PermissionSubject::ToolCall(Box::new(ToolCallPatch::new(
                ToolCallId::new(tool),
            ))),
            options,
        })))
    }

    fn exits(&mut self, exit: AgentExit) -> Vec<Effect> {
        self.event(Event::Exited(self.connection, exit))
    }

    /// Time passes; the tick comes when it was asked for.
    fn wait(&mut self, time: Duration) -> Vec<Effect> {
        let until = self.now + time;
        let mut effects = Vec::new();
        while let Some(at) = self.session.deadline().filter(|at| *at <= until) {
            self.now = self.now.max(at);
            effects.extend(self.event(Event::Tick));
            assert_ne!(
                self.session.deadline(),
                Some(at),
                "a tick is asked for again and again"
            );
        }
        self.now = until;
        effects
    }

    /// The transcript, a line a block.
    fn said(&self) -> Vec<String> {
        let line = |kind: &BlockKind| match kind {
            BlockKind::User(message) if message.refused => format!("refused: {}", &*message.text),
            BlockKind::User(message) => format!("user: {}", &*message.text),
            BlockKind::Agent(message) => format!("agent: {}", &*message.text),
            BlockKind::Thought(thought) => format!("thought: {}", &*thought.text),
            BlockKind::Tool(call) => {
                format!("{} {} {:?}", call.id.as_str(), call.title, call.state)
            }
            BlockKind::Plan(entries) => format!("plan of {}", entries.len()),
            BlockKind::PlanText(plan) => format!("plan {}", plan.text),
            BlockKind::Entity(entity) => match &entity.kind {
                EntityKind::Compaction(compaction) => format!("compaction {:?}", compaction.status),
                EntityKind::SessionMessage(_) => "session message".to_owned(),
            },
            BlockKind::Subagent(id) => format!("subagent {}", id.as_str()),
            BlockKind::Content(_) => "content".to_owned(),
            BlockKind::Notice(notice) => match notice.level {
                NoticeLevel::Quiet => format!("· {}", notice.text),
                NoticeLevel::Info => format!("i {}", notice.text),
                NoticeLevel::Warning => format!("w {}", notice.text),
                NoticeLevel::Error => format!("! {}", notice.text),
            },
        };
        let blocks = self.session.conversation.transcript.blocks().iter();
        blocks.map(|block| line(&block.kind)).collect()
    }

    fn said_last(&self) -> String {
        self.said().pop().unwrap_or_default()
    }

    fn mentions(&self, words: &str) -> bool {
        self.said().iter().any(|line| line.contains(words))
    }

    fn tool(&self, id: &str) -> &ToolCall {
        let mut blocks = self.session.conversation.transcript.blocks().iter().rev();
        blocks
            .find_map(|block| match &block.kind {
                BlockKind::Tool(call) if call.id.as_str() == id => Some(&**call),
                _ => None,
            })
            .expect("the tool call is shown")
    }

    fn queued(&self) -> Vec<&str> {
        let queue = self.session.queue.iter();
        queue.map(|prompt| prompt.text.as_str()).collect()
    }
}

/// What was put on the wire, in short.
fn wire(effects: &[Effect]) -> Vec<String> {
    let say = |message: &ToAgent| match message {
        ToAgent::Call(Call::Prompt { blocks, .. }) => match blocks.as_slice() {
            [PromptBlock::Text(text), ..] => format!("prompt {text}"),
            _ => "prompt".to_owned(),
        },
        ToAgent::Call(Call::Steer { number, blocks, .. }) => match blocks.as_slice() {
            [PromptBlock::Text(text), ..] => format!("steer {number} {text}"),
            _ => format!("steer {number}"),
        },
        ToAgent::Call(Call::Initialize { .. }) => "initialize".to_owned(),
        ToAgent::Call(Call::NewSession(_)) => "new".to_owned(),
        ToAgent::Call(Call::LoadSession { id, .. }) => format!("load {}", id.as_str()),
        ToAgent::Call(Call::ResumeSession { id, .. }) => format!("resume {}", id.as_str()),
        ToAgent::Call(Call::Authenticate { method }) => format!("authenticate {method}"),
        ToAgent::Call(Call::Logout) => "logout".to_owned(),
        ToAgent::Call(Call::ListProviders) => "providers".to_owned(),
        ToAgent::Call(Call::SetProvider(setting)) => format!("set {}", setting.id),
        ToAgent::Call(Call::DisableProvider { id }) => format!("disable {id}"),
        ToAgent::Call(Call::SetTitle { session, title }) => {
            format!("title {}={title}", session.as_str())
        }
        ToAgent::Notify(Notification::CancelCall(call)) => format!("give up {call:?}"),
        ToAgent::Call(Call::CancelToolCall { id, .. }) => format!("cancel call {}", id.as_str()),
        ToAgent::Call(Call::CancelTerminal { id, .. }) => {
            format!("cancel terminal {}", id.as_str())
        }
        ToAgent::Call(Call::SetMode { mode, .. }) => format!("mode {}", mode.as_str()),
        ToAgent::Call(Call::SetConfigOption { option, value, .. }) => match value {
            OptionValue::Id(value) => format!("{option}={value}"),
            OptionValue::Flag(value) => format!("{option}={value}"),
        },
        ToAgent::Call(Call::CloseSession { .. }) => "close".to_owned(),
        ToAgent::Call(Call::ForkSession { id, .. }) => format!("fork {}", id.as_str()),
        ToAgent::Call(Call::ListSessions { cursor, .. }) => format!("list {cursor:?}"),
        ToAgent::Call(Call::DeleteSession { id }) => format!("delete {}", id.as_str()),
        ToAgent::Notify(Notification::Cancel { .. }) => "cancel".to_owned(),
        ToAgent::Reply { key, reply } => match reply {
            HostReply::Permission(outcome) => format!("{} {outcome:?}", key.number),
            HostReply::Error(error) => format!("{} error {}", key.number, error.code),
            reply => format!("{} {reply:?}", key.number),
        },
    };
    effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::ToAgent(message) => Some(say(message)),
            Effect::Spawn(Protocol::V1) => Some("spawn".to_owned()),
            Effect::Spawn(protocol) => Some(format!("spawn {protocol:?}")),
            Effect::StopAgent(_) => Some("stop".to_owned()),
            Effect::Login(Login::Agent { args, .. }) => {
                Some(format!("run agent {}", args.join(" ")))
            }
            Effect::Login(Login::Profile) => Some("run profile".to_owned()),
            Effect::Login(Login::Program(program)) => {
                Some(format!("run {}", program.command_line()))
            }
            Effect::EndLogin => Some("end program".to_owned()),
            Effect::Serve { key, consent, .. } => Some(format!("serve {} {consent:?}", key.number)),
            _ => None,
        })
        .collect()
}
