//! A session whose agent is the test.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use crate::{
    model::{
        AgentCaps, AgentEvent, AuthMethod, CallResult, CallTag, ChunkRole, ClientCaps,
        ConnectionId, ContentBlock, Elicitation, ElicitationId, ElicitationMode, ElicitationScope,
        FromAgent, FsWrite, HostRequest, Initialized, Meta, ModeId, ModeState, OptionId, Patch,
        PermissionKind, PermissionOption, PermissionRequest, Protocol, RequestKey, RpcError,
        SessionId, SessionMode, SessionOpened, TerminalCreate, ToolCallId, ToolCallPatch, ToolKind,
        shown_command_line,
    },
    session::{Effect, Event, Prompt, Question, Session, SessionConfig, Start, Verdict, reduce},
    text::SafeText,
    ui::{ProjectInfo, UiContext},
    vt::Screens,
};

const CONNECTION: ConnectionId = ConnectionId(1);

/// A session, where it runs, and a clock that only the test moves.
pub struct Bench {
    pub session: Session,
    pub project: ProjectInfo,
    pub screens: Screens,
    pub now: Instant,
    /// What the reducer wanted done so far.
    pub effects: Vec<Effect>,
    requests: u64,
}

impl Bench {
    /// The agent's process is being started.
    pub fn starting() -> Self {
        let now = Instant::now();
        let config = SessionConfig {
            agent: "opencode".into(),
            command: "opencode".into(),
            login: None,
            cwd: PathBuf::from("/home/me/src/tool"),
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
        };
        let (session, effects) = Session::start(config, now);
        Self {
            session,
            project: ProjectInfo {
                cwd: "~/src/tool".into(),
                git_branch: Some("main".into()),
                read_only: None,
                stores: true,
                policy: None,
                no_browser: None,
                prompts: std::sync::Arc::default(),
                told: std::collections::BTreeSet::new(),
            },
            screens: Screens::default(),
            now,
            effects,
            requests: 0,
        }
    }

    /// A session is open.
    pub fn ready() -> Self {
        let mut bench = Self::starting();
        bench.handshake(Vec::new());
        bench.open();
        bench
    }

    /// And the agent works on a prompt.
    pub fn working() -> Self {
        let mut bench = Self::ready();
        bench.prompt("add a --json flag to the list command and test it");
        bench
    }

    pub fn context(&self) -> UiContext<'_> {
        UiContext {
            session: Some(&self.session),
            sessions: None,
            screens: &self.screens,
            project: &self.project,
            now: self.now,
        }
    }

    pub fn wait(&mut self, ms: u64) {
        self.now += Duration::from_millis(ms);
    }

    pub fn event(&mut self, event: Event) {
        let effects = reduce(&mut self.session, event, self.now);
        self.effects.extend(effects);
    }

    pub fn says(&mut self, from: FromAgent) {
        self.event(Event::Agent(CONNECTION, from));
    }

    pub fn handshake(&mut self, auth_methods: Vec<AuthMethod>) {
        self.event(Event::Connected(CONNECTION));
        self.says(FromAgent::Reply {
            caller: crate::model::SessionKey::default(),
            call: CallTag::Initialize,
            result: CallResult::Initialized(Box::new(Initialized {
                protocol_version: 1,
                odd_version: None,
                agent_name: Some("OpenCode".into()),
                agent_version: Some("1.18.33".into()),
                caps: AgentCaps::default(),
                auth_methods,
            })),
        });
    }

    pub fn open(&mut self) {
        let mode = |id: &str, name: &'static str| SessionMode {
            id: ModeId::new(id),
            name: name.into(),
            description: None,
        };
        self.says(FromAgent::Reply {
            caller: crate::model::SessionKey::default(),
            call: CallTag::NewSession,
            result: CallResult::SessionOpened(Box::new(SessionOpened {
                id: Some(Self::session_id()),
                modes: Some(ModeState {
                    current: ModeId::new("build"),
                    available: vec![mode("build", "build"), mode("yolo", "YOLO")],
                }),
                config_options: Vec::new(),
                commands: Vec::new(),
            })),
        });
    }

    /// `session/new` is refused with -32000.
    pub fn wants_sign_in(&mut self) {
        self.says(FromAgent::Reply {
            caller: crate::model::SessionKey::default(),
            call: CallTag::NewSession,
            result: CallResult::Failed(RpcError::new(-32000, "Authentication required")),
        });
    }

    pub fn prompt(&mut self, text: &str) {
        self.event(Event::Submit(Prompt {
            text: text.to_owned(),
            blocks: Vec::new(),
        }));
    }

    pub fn update(&mut self, event: AgentEvent) {
        self.says(FromAgent::Update {
            session: Some(Self::session_id()),
            event,
        });
    }

    pub fn message(&mut self, text: &str) {
        self.update(AgentEvent::Chunk {
            role: ChunkRole::Agent,
            message: None,
            content: ContentBlock::Text(SafeText::new(text)),
            meta: Meta::default(),
        });
    }

    /// Asks for permission, with what policy leaves to the person.
    pub fn asks(&mut self, call: ToolCallPatch, options: Vec<PermissionOption>) {
        let key = self.key();
        self.says(FromAgent::Request {
            key,
            request: HostRequest::Permission(Box::new(PermissionRequest {
                session: Self::session_id(),
                title: None,
                description: None,
                subject: crate::model::PermissionSubject::ToolCall(Box::new(call)),
                options,
            })),
        });
        let asked = self.session.questions.iter().find_map(|question| {
            matches!(question, Question::Permission(asked) if asked.deciding).then(|| question.id())
        });
        if let Some(question) = asked {
            let verdict = Verdict::ask(None);
            self.event(Event::Decided {
                question,
                revision: None,
                verdict,
            });
        }
    }

    /// Asks to run a command, with the usual options.
    pub fn asks_to_run(&mut self, command: &str) {
        let mut call = self.call(ToolKind::Execute);
        call.title = Patch::Set(SafeText::line(command));
        call.command = Patch::Set(command.to_owned());
        self.asks(call, usual_options());
    }

    pub fn call(&mut self, kind: ToolKind) -> ToolCallPatch {
        self.requests += 1;
        let id = ToolCallId::new(format!("call-{}", self.requests));
        ToolCallPatch {
            announces: true,
            kind: Patch::Set(kind),
            ..ToolCallPatch::new(id)
        }
    }

    /// Asks for a form or a page.
    pub fn elicits(&mut self, message: &str, mode: ElicitationMode) {
        let key = self.key();
        self.says(FromAgent::Request {
            key,
            request: HostRequest::Elicitation(Box::new(Elicitation {
                scope: ElicitationScope::Session {
                    session: Self::session_id(),
                    tool_call: None,
                },
                message: SafeText::new(message),
                mode,
            })),
        });
    }

    pub fn asks_for_page(&mut self, url: &str) {
        let mode = ElicitationMode::Url {
            id: ElicitationId("page-1".to_owned()),
            url: url.to_owned(),
        };
        self.elicits("Please sign in to the deployment service.", mode);
    }

    /// Asks to run a command here, which policy leaves to the person.
    pub fn asks_terminal(&mut self, create: TerminalCreate, shell: bool, outside: bool) {
        let key = self.key();
        self.event(Event::AskTerminal {
            key,
            command: shown_command_line(&create.line(), &create.env),
            cwd: SafeText::line(create.cwd.as_deref().unwrap_or("/home/me/src/tool")),
            request: HostRequest::TerminalCreate(create),
            shell,
            outside,
            reason: "terminal.ask is set".into(),
        });
    }

    /// Asks to read or write a file that turned out to lie outside the workspace.
    pub fn asks_outside(&mut self, request: HostRequest, resolved: &str, write: bool) {
        self.asks_for_file(request, resolved, write, None);
    }

    /// The same of one that counts as outside wherever the workspace is.
    pub fn asks_protected(&mut self, request: HostRequest, resolved: &str, why: &str) {
        self.asks_for_file(request, resolved, true, Some(SafeText::new(why)));
    }

    fn asks_for_file(
        &mut self,
        request: HostRequest,
        resolved: &str,
        write: bool,
        protected: Option<SafeText>,
    ) {
        let key = self.key();
        self.event(Event::AskFile {
            key,
            request,
            resolved: PathBuf::from(resolved),
            write,
            protected,
            reason: None,
        });
    }

    /// Wants a command run that policy leaves to the person.
    pub fn asks_for_command(&mut self, create: TerminalCreate) {
        self.asks_terminal(create, false, false);
    }

    /// Asks to write a file that a rule wants asked about.
    pub fn asks_by_rule(&mut self, path: &str, resolved: &str) {
        let key = self.key();
        self.event(Event::AskFile {
            key,
            request: HostRequest::WriteTextFile(FsWrite {
                session: Self::session_id(),
                path: path.to_owned(),
                content: "new\n".to_owned(),
            }),
            resolved: PathBuf::from(resolved),
            write: true,
            protected: None,
            reason: Some("ask `src/**` (config.toml:3)".into()),
        });
    }

    pub fn session_id() -> SessionId {
        SessionId::new("s1")
    }

    fn key(&mut self) -> RequestKey {
        self.requests += 1;
        RequestKey {
            connection: CONNECTION,
            number: self.requests,
        }
    }
}

pub fn option(id: &str, name: &str, kind: PermissionKind) -> PermissionOption {
    PermissionOption {
        id: OptionId::new(id),
        name: SafeText::new(name),
        kind,
    }
}

pub fn usual_options() -> Vec<PermissionOption> {
    vec![
        option("once", "Allow once", PermissionKind::AllowOnce),
        option("always", "Always allow", PermissionKind::AllowAlways),
        option("no", "Reject", PermissionKind::RejectOnce),
    ]
}
