//! What is done to the session: by the person, the agent, and what answers its effects.

use super::*;

impl World {
    pub(super) fn act(&mut self, act: Act) {
        match act {
            Act::Connected => {
                if self.spawning {
                    self.spawning = false;
                    self.connections += 1;
                    let connection = ConnectionId(self.connections);
                    self.alive = Some(connection);
                    self.event(Event::Connected(connection));
                }
            }
            Act::SpawnFailed => {
                if self.spawning {
                    self.spawning = false;
                    self.event(Event::SpawnFailed { error: "no".into() });
                }
            }
            Act::Exited => {
                if let Some(connection) = self.alive {
                    self.lost();
                    self.event(Event::Exited(
                        connection,
                        AgentExit {
                            status: None,
                            stderr: "boom".into(),
                            cause: None,
                        },
                    ));
                }
            }
            Act::OldWord => {
                let old = ConnectionId(self.connections + 7);
                let word = FromAgent::Update {
                    session: Some(self.session_id()),
                    event: says("ghost"),
                };
                self.event(Event::Agent(old, word));
            }
            Act::Submit => {
                let prompt = self.next_prompt();
                self.event(Event::Submit(prompt));
            }
            Act::Steer => {
                let prompt = self.next_prompt();
                self.event(Event::Steer(prompt));
            }
            Act::SendNow => {
                let prompt = self.next_prompt();
                self.event(Event::SendNow(prompt));
            }
            Act::SendQueued => self.event(Event::SendQueued),
            Act::Unqueue => self.event(Event::UnqueueLast),
            Act::Stop => self.event(Event::Stop),
            Act::Restart => self.event(Event::Restart),
            Act::EndAgent => self.event(Event::EndAgent),
            Act::CycleMode => self.event(Event::CycleMode),
            Act::SetOption(n) => {
                let value = match n % 4 {
                    0 => OptionValue::Flag(n > 100),
                    n => OptionValue::Id(["", "ask", "plan", "x"][usize::from(n)].to_owned()),
                };
                let option = ["mode", "fast", "gone"][usize::from(n % 3)].to_owned();
                self.event(Event::SetOption { option, value });
            }
            Act::Authenticate => self.event(Event::Authenticate {
                method: "badge".to_owned(),
            }),
            Act::LogIn => {
                self.event(Event::WantSignIn);
                self.event(Event::Authenticate {
                    method: "tty".to_owned(),
                });
            }
            Act::LogOut => self.event(Event::LogOut),
            Act::LoginStarts => self.event(if self.logging_in {
                Event::LoginStarted {
                    terminal: terminal(9),
                    command: "login".into(),
                    cwd: "/".into(),
                }
            } else {
                Event::LoginFailed {
                    error: "stray".into(),
                }
            }),
            Act::LoginEnds(well) => {
                self.event(Event::LoginEnded {
                    terminal: terminal(9),
                    status: ExitStatus {
                        code: Some(i64::from(!well)),
                        signal: None,
                    },
                });
                self.logging_in &= matches!(
                    self.play.session.phase,
                    Phase::SignIn {
                        step: SignInStep::Program(_),
                        ..
                    }
                );
            }
            Act::Answer(n, option) => {
                let question = self.question(n);
                let option = OptionId::new(["yes", "no", "none"][usize::from(option)]);
                self.event(Event::Answer { question, option });
            }
            Act::AnswerFile(n, answer) => {
                let question = self.question(n);
                self.event(Event::AnswerFile { question, answer });
            }
            Act::Decide(n, verdict) => {
                let question = self.question(n);
                let rule = SafeText::from("rule");
                let verdict = match verdict {
                    0 => Verdict::Allow {
                        option: OptionId::new("yes"),
                        rule,
                    },
                    1 => Verdict::Deny {
                        option: OptionId::new("bad"),
                        rule,
                    },
                    _ => Verdict::ask(None),
                };
                self.event(Event::Decided {
                    question,
                    revision: None,
                    verdict,
                });
            }
            Act::Withdraw(n) => {
                // The peer filters what is answered.
                let open = self
                    .asked
                    .iter()
                    .filter(|(key, answers)| **answers == 0 && Some(key.connection) == self.alive);
                if let Some(key) = open.map(|(key, _)| *key).nth(n) {
                    self.word(FromAgent::CancelRequest { key });
                }
            }
            Act::Host(n, back) => {
                let Some(key) = self.with_host.iter().copied().nth(n) else {
                    return;
                };
                self.with_host.remove(&key);
                if back == 2 && Some(key.connection) == self.alive {
                    let request = self.read(self.session_id());
                    self.event(Event::AskTerminal {
                        key,
                        request,
                        command: "make".into(),
                        shell: false,
                        cwd: "/project".into(),
                        outside: false,
                        reason: "asked".into(),
                    });
                } else if back == 1 && Some(key.connection) == self.alive {
                    let request = self.read(self.session_id());
                    self.event(Event::AskFile {
                        key,
                        request,
                        resolved: "/x".into(),
                        write: false,
                        protected: None,
                        reason: None,
                    });
                } else {
                    self.answered(key);
                }
            }
            Act::AnswerCommand(n, run) => {
                let question = self.question(n);
                self.event(Event::AnswerCommand { question, run });
            }
            Act::StartOver(signed_in) => self.event(Event::StartOver { signed_in }),
            Act::SignedIn => self.event(Event::SignedIn),
            Act::WantSignIn => self.event(Event::WantSignIn),
            Act::List => self.event(Event::ListSessions),
            Act::CallOver => {
                let request = "1".to_owned();
                self.word(FromAgent::CallOver {
                    caller: crate::model::SessionKey::default(),
                    request,
                });
                if self.alive.is_some() {
                    let mut open = self.play.session.questions.iter();
                    assert!(open.all(|question| question.request().is_none()));
                }
            }
            Act::Reply(n, kind) => self.reply(n, kind),
            Act::Stray => {
                let tag = CallTag::LoadSession { id: id("stray") };
                self.word(FromAgent::Reply {
                    caller: crate::model::SessionKey::default(),
                    call: tag,
                    result: session_named("stray"),
                });
            }
            Act::Update(kind, n) => {
                let session = Some(self.session_id());
                let event = update(kind, &format!("{n}"), self.states);
                self.word(FromAgent::Update { session, event });
            }
            Act::Ask(tool) => {
                let request = PermissionRequest {
                    session: self.session_id(),
                    title: None,
                    description: None,
                    subject: crate::model::PermissionSubject::ToolCall(Box::new(
                        ToolCallPatch::new(ToolCallId::new(format!("{tool}"))),
                    )),
                    options: vec![
                        option("yes", PermissionKind::AllowOnce),
                        option("no", PermissionKind::RejectOnce),
                    ],
                };
                self.ask(HostRequest::Permission(Box::new(request)));
            }
            Act::Elicit(form, of_turn) => {
                let scope = if of_turn {
                    ElicitationScope::Session {
                        session: self.session_id(),
                        tool_call: Some(ToolCallId::new("0")),
                    }
                } else {
                    ElicitationScope::Request {
                        id: "1".to_owned(),
                        caller: None,
                    }
                };
                let mode = if form {
                    ElicitationMode::Form(Form::default())
                } else {
                    ElicitationMode::Url {
                        id: ElicitationId(format!("{}", self.asked.len() % 8)),
                        url: "https://example.com/".to_owned(),
                    }
                };
                self.ask(HostRequest::Elicitation(Box::new(Elicitation {
                    scope,
                    message: "who?".into(),
                    mode,
                })));
            }
            Act::AnswerForm(n, yes) => {
                let question = self.question(n);
                let answer = if yes {
                    ElicitationAnswer::Accept(Some(Vec::new()))
                } else {
                    ElicitationAnswer::Decline
                };
                self.event(Event::AnswerForm { question, answer });
            }
            Act::AnswerPage(n, answer) => {
                let question = self.question(n);
                let answer = [
                    PageAnswer::Open,
                    PageAnswer::OpenedElsewhere,
                    PageAnswer::Decline,
                    PageAnswer::Dismiss,
                ][usize::from(answer)];
                self.event(Event::AnswerPage { question, answer });
            }
            Act::Browser(n, well) => {
                let question = self.question(n);
                let result = if well { Ok(()) } else { Err("no".into()) };
                self.event(Event::PageOpened { question, result });
            }
            Act::PageDone(n) => self.word(FromAgent::ElicitationDone {
                id: ElicitationId(format!("{n}")),
            }),
            Act::Read => {
                let request = self.read(self.session_id());
                self.ask(request);
            }
            Act::Foreign => {
                let request = self.read(id("foreign"));
                self.ask(request);
            }
            Act::ChildTells(child, kind, n) => {
                let session = Some(id(&format!("child-{child}")));
                let event = update(kind, &format!("{n}"), self.states);
                self.word(FromAgent::Update { session, event });
            }
            Act::ChildAsks(child) => {
                if child > 2 {
                    let scope = ElicitationScope::Session {
                        session: id(&format!("child-{}", child - 3)),
                        tool_call: None,
                    };
                    return self.ask(HostRequest::Elicitation(Box::new(Elicitation {
                        scope,
                        message: "which?".into(),
                        mode: ElicitationMode::Form(Form::default()),
                    })));
                }
                let request = PermissionRequest {
                    session: id(&format!("child-{child}")),
                    title: None,
                    description: None,
                    subject: crate::model::PermissionSubject::ToolCall(Box::new(
                        ToolCallPatch::new(ToolCallId::new("0")),
                    )),
                    options: vec![option("yes", PermissionKind::AllowOnce)],
                };
                self.ask(HostRequest::Permission(Box::new(request)));
            }
            Act::CancelChild(child) => {
                self.event(Event::CancelSubagent(id(&format!("child-{child}"))));
            }
            Act::Terminal(n) => self.event(Event::TerminalStarted {
                session: (n == 2).then(|| id("child-0")),
                id: terminal(n),
                command: "make".into(),
                cwd: "/project".into(),
            }),
            Act::TerminalEnds(n) => self.event(Event::TerminalExited {
                id: terminal(n),
                status: ExitStatus::default(),
            }),
            Act::Shell(n) => self.event(Event::ShellStarted {
                terminal: terminal(n),
                line: "make".into(),
            }),
            Act::NamesTerminal(call, n) => {
                let session = Some(self.session_id());
                let event = AgentEvent::ToolCall(Box::new(ToolCallPatch {
                    kind: Patch::Set(ToolKind::Execute),
                    content: Patch::Set(vec![ToolContent::Terminal(terminal(n))]),
                    ..ToolCallPatch::new(ToolCallId::new(format!("{call}")))
                }));
                self.word(FromAgent::Update { session, event });
            }
            Act::Wait(seconds) => {
                let until = self.play.now + Duration::from_secs(seconds.into());
                while let Some(at) = self.play.session.deadline().filter(|at| *at <= until) {
                    self.play.now = self.play.now.max(at);
                    self.event(Event::Tick);
                    assert_ne!(self.play.session.deadline(), Some(at));
                }
                self.play.now = until;
            }
        }
    }

    fn reply(&mut self, n: usize, kind: u8) {
        if self.open_calls.is_empty() {
            return;
        }
        let call = self.open_calls.remove(n % self.open_calls.len());
        if let CallTag::Prompt { .. } = call {
            self.prompt_open = false;
        }
        if let CallTag::Steer { number, .. } = &call
            && kind > 1
            && kind % 3 != 2
        {
            self.sent.extend(self.steered.remove(number));
        }
        let result = match (kind, &call) {
            (0, _) => failed(-32603, "broken"),
            (1, _) => failed(-32000, "please log in"),
            (_, CallTag::Initialize) => CallResult::Initialized(Box::new(Initialized {
                auth_methods: vec![
                    sign_in_method("badge", AuthMethodKind::Agent),
                    sign_in_method(
                        "tty",
                        AuthMethodKind::Terminal {
                            args: Vec::new(),
                            env: Vec::new(),
                        },
                    ),
                ],
                ..hello(AgentCaps {
                    logout: kind > 2,
                    list: kind > 2,
                    load_session: kind.is_multiple_of(2),
                    resume: kind > 3,
                    states: self.states,
                    steering: kind != 3,
                    ..AgentCaps::default()
                })
            })),
            (_, CallTag::Authenticate { .. }) => CallResult::Authenticated,
            (_, CallTag::Logout) => CallResult::LoggedOut,
            (_, CallTag::ListProviders) => CallResult::ProvidersListed(Vec::new()),
            (_, CallTag::SetProvider { .. }) => CallResult::ProviderSet,
            (_, CallTag::DisableProvider { .. }) => CallResult::ProviderDisabled,
            (_, CallTag::SetTitle { .. }) => CallResult::TitleSet("a title".into()),
            (_, CallTag::NewSession) => CallResult::SessionOpened(Box::new(SessionOpened {
                id: Some(id(&format!("s{kind}"))),
                modes: Some(ModeState {
                    current: ModeId::new("ask"),
                    available: ["ask", "plan"]
                        .map(|id| SessionMode {
                            id: ModeId::new(id),
                            name: SafeText::new(id),
                            description: None,
                        })
                        .into(),
                }),
                commands: Vec::new(),
                config_options: if kind == 4 {
                    vec![flag("fast", false)]
                } else {
                    Vec::new()
                },
            })),
            (_, CallTag::LoadSession { .. } | CallTag::ResumeSession { .. }) => nothing_opened(),
            (4.., CallTag::Prompt { .. }) if self.states => CallResult::PromptAccepted {
                message: MessageId::new(format!("{}", kind % 3)),
            },
            (2, CallTag::Prompt { .. }) => CallResult::PromptDone(StopReason::Cancelled, None),
            (3, CallTag::Prompt { .. }) => CallResult::PromptDone(StopReason::Refusal, None),
            (4, CallTag::Prompt { .. }) => CallResult::ModeSet,
            (_, CallTag::Prompt { .. }) => CallResult::PromptDone(StopReason::EndTurn, None),
            (_, CallTag::Steer { .. }) => CallResult::Steered(SteerOutcome::of(
                ["injected", "startedNewTurn", "promptRequired"][usize::from(kind % 3)],
            )),
            (_, CallTag::CancelToolCall { .. } | CallTag::CancelTerminal { .. }) => {
                CallResult::CancelAccepted
            }
            (_, CallTag::SetMode { .. }) => CallResult::ModeSet,
            (_, CallTag::SetConfigOption { .. }) => CallResult::ConfigSet(Vec::new()),
            (_, CallTag::CloseSession { .. }) => CallResult::SessionClosed,
            (_, CallTag::ForkSession { .. }) => session_named("fork"),
            (_, CallTag::ListSessions { .. }) => CallResult::SessionsListed(SessionPage::default()),
            (_, CallTag::DeleteSession { .. }) => CallResult::SessionDeleted,
        };
        let ends_turn = matches!(call, CallTag::Prompt { .. }) && !self.states;
        self.word(FromAgent::Reply {
            caller: crate::model::SessionKey::default(),
            call,
            result,
        });
        let mut open = self.play.session.questions.iter();
        let own = |question: &Question| match question {
            Question::Permission(question) => question.subagent.is_none(),
            Question::Form(question) => question.request.is_none() && question.subagent.is_none(),
            question => question.is_of_turn(),
        };
        assert!(!ends_turn || !open.any(own));
    }
}
