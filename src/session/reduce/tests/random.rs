//! Whatever comes, in whatever order: what must hold after every event.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::{options::flag, *};
use crate::model::SessionPage;
use crate::{
    model::{
        Elicitation, ElicitationAnswer, ElicitationId, ElicitationMode, ElicitationScope,
        ExitStatus, Form, FsRead, ModeId, ModeState, OptionId, Patch, SessionMode, Setting,
        SettingKey, SettingSource, TerminalId, ToolContent, ToolKind,
    },
    session::{
        BlockId, Changes, Consent, FileAnswer, PageAnswer, Question, QuestionId, SignInStep,
        Verdict, reduce::bounds::block_weight,
    },
};

#[derive(Clone, Debug)]
enum Act {
    Connected,
    SpawnFailed,
    Exited,
    OldWord,
    Submit,
    SendNow,
    SendQueued,
    Unqueue,
    Stop,
    Restart,
    EndAgent,
    CycleMode,
    SetOption(u8),
    Authenticate,
    LogIn,
    LogOut,
    LoginStarts,
    LoginEnds(bool),
    Answer(usize, u8),
    AnswerFile(usize, FileAnswer),
    Decide(usize, u8),
    Withdraw(usize),
    /// The host hands a served request back, as a file or as a command, or answers it.
    Host(usize, u8),
    AnswerCommand(usize, bool),
    /// Another session of the agent has had it started again, or has signed in.
    StartOver(bool),
    SignedIn,
    WantSignIn,
    List,
    /// The request of ours is answered that a form or page may belong to.
    CallOver,
    /// An open call is answered: well, with an error, or with -32000.
    Reply(usize, u8),
    Stray,
    Update(u8, u8),
    Ask(u8),
    /// A form, or a page; of the session, or of a request.
    Elicit(bool, bool),
    AnswerForm(usize, bool),
    AnswerPage(usize, u8),
    Browser(usize, bool),
    PageDone(u8),
    Read,
    Foreign,
    ChildTells(u8, u8, u8),
    ChildAsks(u8),
    CancelChild(u8),
    Terminal(u8),
    TerminalEnds(u8),
    Shell(u8),
    NamesTerminal(u8, u8),
    Wait(u16),
}

fn act() -> impl Strategy<Value = Act> {
    let file = prop_oneof![
        Just(FileAnswer::Once),
        Just(FileAnswer::Folder),
        Just(FileAnswer::No)
    ];
    prop_oneof![
        4 => Just(Act::Connected),
        1 => Just(Act::SpawnFailed),
        1 => Just(Act::Exited),
        1 => Just(Act::OldWord),
        4 => Just(Act::Submit),
        2 => Just(Act::SendNow),
        2 => Just(Act::SendQueued),
        1 => Just(Act::Unqueue),
        3 => Just(Act::Stop),
        1 => Just(Act::Restart),
        1 => Just(Act::EndAgent),
        1 => Just(Act::CycleMode),
        3 => any::<u8>().prop_map(Act::SetOption),
        1 => Just(Act::Authenticate),
        2 => Just(Act::LogIn),
        1 => Just(Act::LogOut),
        2 => Just(Act::LoginStarts),
        2 => any::<bool>().prop_map(Act::LoginEnds),
        3 => (0..4usize, 0..3u8).prop_map(|(n, option)| Act::Answer(n, option)),
        2 => (0..4usize, file).prop_map(|(n, answer)| Act::AnswerFile(n, answer)),
        3 => (0..4usize, 0..4u8).prop_map(|(n, verdict)| Act::Decide(n, verdict)),
        1 => (0..4usize).prop_map(Act::Withdraw),
        2 => (0..4usize, 0..3u8).prop_map(|(n, back)| Act::Host(n, back)),
        2 => (0..4usize, any::<bool>()).prop_map(|(n, run)| Act::AnswerCommand(n, run)),
        1 => any::<bool>().prop_map(Act::StartOver),
        1 => Just(Act::SignedIn),
        1 => Just(Act::WantSignIn),
        1 => Just(Act::List),
        1 => Just(Act::CallOver),
        12 => (0..4usize, 0..6u8).prop_map(|(n, kind)| Act::Reply(n, kind)),
        1 => Just(Act::Stray),
        14 => (0..UPDATES, 0..3u8).prop_map(|(kind, id)| Act::Update(kind, id)),
        4 => (0..3u8).prop_map(Act::Ask),
        2 => Just(Act::Read),
        4 => any::<(bool, bool)>().prop_map(|(form, of_turn)| Act::Elicit(form, of_turn)),
        3 => (0..4usize, any::<bool>()).prop_map(|(n, yes)| Act::AnswerForm(n, yes)),
        3 => (0..4usize, 0..4u8).prop_map(|(n, answer)| Act::AnswerPage(n, answer)),
        2 => (0..4usize, any::<bool>()).prop_map(|(n, well)| Act::Browser(n, well)),
        1 => (0..8u8).prop_map(Act::PageDone),
        1 => Just(Act::Foreign),
        4 => (0..3u8, 0..UPDATES, 0..3u8).prop_map(|(child, kind, id)| Act::ChildTells(child, kind, id)),
        3 => (0..6u8).prop_map(Act::ChildAsks),
        1 => (0..3u8).prop_map(Act::CancelChild),
        2 => (0..3u8).prop_map(Act::Terminal),
        1 => (0..3u8).prop_map(Act::TerminalEnds),
        1 => (0..3u8).prop_map(Act::Shell),
        2 => (0..3u8, 0..3u8).prop_map(|(call, n)| Act::NamesTerminal(call, n)),
        2 => (0..60u16).prop_map(Act::Wait),
    ]
}

fn terminal(n: u8) -> TerminalId {
    TerminalId::new(format!("term-{n}"))
}

/// What the rest of the world knows, and a view of the transcript.
struct World {
    play: Play,
    /// The agent reports states: a prompt's answer is no end then.
    states: bool,
    alive: Option<ConnectionId>,
    spawning: bool,
    connections: u32,
    open_calls: Vec<CallTag>,
    prompt_open: bool,
    /// A program to sign in with was asked for.
    logging_in: bool,
    cancelled: bool,
    asked: BTreeMap<RequestKey, u32>,
    with_host: BTreeSet<RequestKey>,
    seen_questions: u64,
    /// What was compared with the disk, told with the next event.
    compared: Vec<Event>,
    prompts: usize,
    sent: BTreeSet<String>,
    restored: BTreeSet<String>,
    view: Vec<(BlockId, u64)>,
    view_rev: u64,
}

impl World {
    fn new(config: SessionConfig, states: bool) -> Self {
        let (play, effects) = Play::start(config);
        let mut world = Self {
            play,
            states,
            alive: None,
            spawning: false,
            connections: 0,
            open_calls: Vec::new(),
            prompt_open: false,
            logging_in: false,
            cancelled: false,
            asked: BTreeMap::new(),
            with_host: BTreeSet::new(),
            seen_questions: 0,
            compared: Vec::new(),
            prompts: 0,
            sent: BTreeSet::new(),
            restored: BTreeSet::new(),
            view: Vec::new(),
            view_rev: 0,
        };
        world.carry_out(effects);
        world
    }

    fn event(&mut self, event: Event) {
        for event in std::mem::take(&mut self.compared) {
            self.event(event);
        }
        let (rev, seen) = (
            self.play.session.rev,
            self.play.session.conversation.transcript.rev(),
        );
        let effects = self.play.event(event);
        let session = &self.play.session;
        assert!(session.rev >= rev && session.conversation.transcript.rev() >= seen);
        assert!(session.conversation.transcript.rev() == seen || session.rev > rev);
        self.carry_out(effects);
        self.look();
    }

    fn word(&mut self, word: FromAgent) {
        if let Some(connection) = self.alive {
            self.event(Event::Agent(connection, word));
        }
    }

    fn answered(&mut self, key: RequestKey) {
        let answers = self.asked.get_mut(&key).expect("an answer to no request");
        *answers += 1;
        assert_eq!(*answers, 1, "{key:?} is answered twice");
    }

    fn lost(&mut self) {
        self.alive = None;
        self.open_calls.clear();
        self.prompt_open = false;
        self.cancelled = false;
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Spawn(_) => {
                    assert!(!self.spawning, "two processes at once");
                    assert_eq!(self.alive, None, "the old one still runs");
                    self.spawning = true;
                }
                Effect::Join(_) => panic!("there is no other session"),
                Effect::StopAgent(connection) => {
                    if self.alive == Some(connection) {
                        self.lost();
                    }
                }
                Effect::ToAgent(ToAgent::Call(call)) => {
                    assert!(self.alive.is_some(), "{call:?} to nobody");
                    if let Call::Prompt { blocks, .. } = &call {
                        // What is open with states is the call alone.
                        let mut calls = self.open_calls.iter();
                        let unanswered = calls.any(|tag| matches!(tag, CallTag::Prompt { .. }));
                        assert!(!unanswered, "two prompts are unanswered");
                        assert!(self.states || !self.prompt_open, "two prompts are open");
                        self.prompt_open = true;
                        self.cancelled = false;
                        if let [PromptBlock::Text(text), ..] = blocks.as_slice() {
                            self.sent.insert(text.clone());
                        }
                    }
                    let handshake = self.open_calls.contains(&CallTag::Initialize);
                    assert!(!handshake, "V1-INIT-01");
                    self.open_calls.push(call.tag());
                }
                // Of a child: whether it may is for its own tests.
                Effect::ToAgent(ToAgent::Notify(Notification::Cancel { session }))
                    if session.as_str().starts_with("child") => {}
                Effect::ToAgent(ToAgent::Notify(Notification::Cancel { .. })) => {
                    assert!(self.states || self.prompt_open, "a cancel without a turn");
                    assert!(self.states || !self.cancelled, "a second cancel");
                    self.cancelled = true;
                }
                Effect::ToAgent(ToAgent::Reply { key, reply }) => {
                    assert!(
                        !self.with_host.contains(&key),
                        "that is the host's to answer"
                    );
                    if let HostReply::Permission(_) = reply {
                        assert!(self.asked.contains_key(&key));
                    }
                    self.answered(key);
                }
                Effect::Serve { key, consent, .. } => {
                    assert!(self.with_host.insert(key), "served twice");
                    if consent != Consent::None {
                        self.with_host.remove(&key);
                        self.answered(key);
                    }
                }
                Effect::CancelServe(key) => {
                    if self.with_host.remove(&key) {
                        self.answered(key);
                    }
                }
                Effect::Compare(asked) => {
                    let shown = asked.claims.iter().map(|claim| Some(claim.diff.clone()));
                    let (of, shown) = (asked.of, Some(shown.collect()));
                    self.compared.push(Event::Compared { of, shown });
                }
                Effect::Decide {
                    question, revision, ..
                } => {
                    let again = revision > 0 && question.0 <= self.seen_questions;
                    assert!(
                        again || question.0 > self.seen_questions,
                        "an id comes twice"
                    );
                    self.seen_questions = self.seen_questions.max(question.0);
                }
                Effect::RestoreDraft(prompt) => {
                    self.restored.insert(prompt.text);
                }
                Effect::OpenPage { question, .. } => {
                    let mut open = self.play.session.questions.iter();
                    assert!(open.any(|q| q.id() == question), "nobody has consented");
                }
                Effect::ToAgent(ToAgent::Notify(Notification::CancelCall(call))) => {
                    assert!(self.open_calls.contains(&call), "{call:?} is not open");
                }
                Effect::Login(_) => {
                    assert!(self.states || !self.prompt_open, "a sign-in in a turn");
                    self.logging_in = true;
                }
                Effect::EndLogin => self.logging_in = false,
                Effect::TellStderr(_)
                | Effect::AgentScreen { .. }
                | Effect::Attention(_)
                | Effect::Notice(_)
                | Effect::SessionDeleted(_)
                | Effect::Toast(_) => {}
            }
        }
    }

    /// A view that looks only at what it is told to, and sees all there is.
    fn look(&mut self) {
        let transcript = &self.play.session.conversation.transcript;
        let blocks = transcript.blocks();
        match transcript.changes_since(self.view_rev) {
            Changes::All => self.view = blocks.iter().map(|block| (block.id, block.rev)).collect(),
            Changes::Some(changed) => {
                for index in changed {
                    let new = (blocks[index].id, blocks[index].rev);
                    if index < self.view.len() {
                        self.view[index] = new;
                    } else {
                        assert_eq!(index, self.view.len());
                        self.view.push(new);
                    }
                }
            }
        }
        self.view_rev = transcript.rev();
        assert!(
            self.view
                .iter()
                .copied()
                .eq(blocks.iter().map(|block| (block.id, block.rev)))
        );
        assert!(blocks.is_sorted_by(|a, b| a.id < b.id));

        let session = &self.play.session;
        let weight: usize = blocks.iter().map(|block| block_weight(&block.kind)).sum();
        assert_eq!(session.conversation.weight, weight);
        assert!(self.states || session.turn.is_some() == self.prompt_open);
        assert!(
            session
                .questions
                .iter()
                .all(|question| { Some(question.key().connection) == session.connection })
        );
        let own = blocks.iter().map(|block| (None, block));
        let children = session.subagents.iter().flat_map(|child| {
            let blocks = child.conversation.transcript.blocks().iter();
            blocks.map(move |block| (Some(&child.id), block))
        });
        for (of, block) in own.chain(children) {
            if let BlockKind::Tool(call) = &block.kind {
                let asking = session.questions.iter().any(|question| {
                    matches!(question, Question::Permission(q)
                        if q.block == block.id && q.subagent.as_ref() == of)
                });
                assert_eq!(call.asking, asking);
            }
        }
        for n in 0..self.prompts {
            let text = format!("p{n}");
            let kept = session.queue.iter().any(|prompt| prompt.text == text)
                || self.sent.contains(&text)
                || self.restored.contains(&text);
            assert!(kept, "{text} is lost");
        }
    }

    fn next_prompt(&mut self) -> Prompt {
        self.prompts += 1;
        prompt(&format!("p{}", self.prompts - 1))
    }

    fn question(&self, n: usize) -> QuestionId {
        let question = self.play.session.questions.get(n).map(Question::id);
        question.unwrap_or(QuestionId(n as u64))
    }

    fn session_id(&self) -> SessionId {
        self.play.session.id.clone().unwrap_or_else(|| id("s"))
    }

    fn ask(&mut self, request: HostRequest) {
        if let Some(connection) = self.alive {
            let key = RequestKey {
                connection,
                number: self.asked.len() as u64,
            };
            self.asked.insert(key, 0);
            self.word(FromAgent::Request { key, request });
        }
    }

    fn read(&self, session: SessionId) -> HostRequest {
        HostRequest::ReadTextFile(FsRead {
            session,
            path: "x".to_owned(),
            line: None,
            limit: None,
        })
    }

    fn act(&mut self, act: Act) {
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
                    self.event(Event::OutsideRoots {
                        key,
                        request,
                        resolved: "/x".into(),
                        write: false,
                        protected: None,
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

    /// The agent ends, the host answers what it has: nothing may be left without an answer.
    fn end(mut self) {
        self.act(Act::Exited);
        for key in std::mem::take(&mut self.with_host) {
            self.answered(key);
        }
        assert!(self.play.session.turn.is_none());
        assert!(self.play.session.questions.is_empty());
        for (key, answers) in &self.asked {
            assert_eq!(*answers, 1, "{key:?}");
        }
        let open_tools = self
            .play
            .session
            .conversation
            .transcript
            .blocks()
            .iter()
            .filter(|block| matches!(&block.kind, BlockKind::Tool(call) if call.asking));
        assert_eq!(open_tools.count(), 0);
    }
}

/// Kinds of updates; of an agent that reports no states only the first.
const UPDATES: u8 = 34;
const STATELESS: u8 = 27;

fn update(kind: u8, n: &str, states: bool) -> AgentEvent {
    use crate::model::{Background, StateUpdate, WorkState};
    let message = |role, content| AgentEvent::Message {
        role,
        id: MessageId::new(n),
        content,
        meta: crate::model::Meta::default(),
    };
    let odd = || ContentBlock::Unknown {
        kind: "odd".into(),
        raw: crate::model::RawJson("{}".into()),
    };
    let state = |state: WorkState| {
        AgentEvent::State(StateUpdate {
            background: (n != "0").then(|| vec![Background::ToolCall(ToolCallId::new(n))]),
            ..state.into()
        })
    };
    let kind = if states || kind < STATELESS {
        kind
    } else {
        kind - STATELESS
    };
    let terminal = || TerminalId::new(n);
    match kind {
        0 | 1 => chunk(ChunkRole::Agent, (kind == 1).then_some(n), "word "),
        2 => chunk(ChunkRole::Thought, None, "hm"),
        3 => chunk(ChunkRole::User, Some(n), "p1"),
        4 => tool(n, "tool", ToolStatus::Pending),
        5 => tool_update(n, Some(ToolStatus::Completed)),
        6 => AgentEvent::ToolCall(Box::new(ToolCallPatch {
            content: Patch::Set(vec![ToolContent::Terminal(terminal())]),
            ..ToolCallPatch::new(ToolCallId::new(n))
        })),
        7 => AgentEvent::Terminal(Box::new(crate::model::TerminalPatch::new(terminal()))),
        8 => AgentEvent::Mode(ModeId::new(n)),
        9 => AgentEvent::Plan(Vec::new()),
        10 => AgentEvent::Commands(Vec::new()),
        11 => AgentEvent::CompactionChunk {
            id: crate::model::CompactionId::new(n),
            content: text(n),
            meta: crate::model::Meta::default(),
        },
        12 => AgentEvent::NamedPlan(crate::model::NamedPlan {
            id: crate::model::PlanId::new(n),
            body: crate::model::PlanBody::Text(crate::model::PlanText {
                text: SafeText::new(n),
                path: None,
            }),
        }),
        14 => AgentEvent::Subagent(Box::new(crate::model::SubagentPatch {
            state: crate::model::Patch::Set(crate::model::WorkState::Running.into()),
            caps: crate::model::Patch::Set(crate::model::SubagentCaps { cancel: true }),
            ..crate::model::SubagentPatch::new(id(&format!("child-{n}")))
        })),
        15 => AgentEvent::Subagent(Box::new(crate::model::SubagentPatch {
            state: crate::model::Patch::Set(crate::model::WorkState::Idle(None).into()),
            ..crate::model::SubagentPatch::new(id(&format!("child-{n}")))
        })),
        16 => AgentEvent::ConfigOptions(vec![flag("fast", n == "1")]),
        17 => AgentEvent::ConfigOptions(Vec::new()),
        18 => message(ChunkRole::Agent, Patch::Set(vec![text(n)])),
        19 => message(
            ChunkRole::Agent,
            Patch::Set(vec![text(n), odd(), text("x")]),
        ),
        20 => message(ChunkRole::User, Patch::Set(vec![text("p1"), odd()])),
        21 => message(ChunkRole::Thought, Patch::Clear),
        22 => AgentEvent::ToolContent {
            id: ToolCallId::new(n),
            content: vec![ToolContent::Terminal(terminal())],
            meta: crate::model::Meta::default(),
        },
        23 => AgentEvent::TerminalOutput {
            id: terminal(),
            data: n.into(),
        },
        24 => AgentEvent::NamedPlan(crate::model::NamedPlan {
            id: crate::model::PlanId::new(n),
            body: crate::model::PlanBody::Unknown {
                kind: "odd".into(),
                raw: crate::model::RawJson("{}".into()),
            },
        }),
        25 => AgentEvent::ReplayComplete,
        26 => message(ChunkRole::User, Patch::Keep),
        27 | 28 => state(WorkState::Running),
        29 => state(WorkState::Idle(None)),
        30 => state(WorkState::Idle(Some(StopReason::EndTurn))),
        31 => state(WorkState::Idle(Some(StopReason::Cancelled))),
        32 => state(WorkState::Unknown),
        33 => state(WorkState::RequiresAction),
        13 => AgentEvent::PlanRemoved(crate::model::PlanId::new(n)),
        _ => AgentEvent::Unknown {
            what: SafeText::new(n),
            raw: crate::model::RawJson("{}".into()),
        },
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// V1-RPC-13: one answer to each request; V1-PROMPT-02: one turn; V1-CAN-01: one cancel, and
    /// none without a turn. No prompt of the person is lost. Views learn of every change.
    #[test]
    fn whatever_comes_the_rules_hold(
        acts in prop::collection::vec(act(), 0..150),
        reopen in any::<bool>(),
        mode in prop::option::of(Just("plan".to_owned())),
        states in any::<bool>(),
    ) {
        let mut world = World::new(SessionConfig {
            start: if reopen { Start::Reopen(id("old")) } else { Start::New },
            settings: mode
                .map(|value| Setting {
                    source: SettingSource::CommandLine,
                    key: SettingKey::Mode,
                    value,
                })
                .into_iter()
                .collect(),
            ..config()
        }, states);
        for act in acts {
            world.act(act);
        }
        world.end();
    }

    /// As above, from within a turn: where most of the rules are.
    #[test]
    fn whatever_comes_in_a_turn_the_rules_hold(
        acts in prop::collection::vec(act(), 0..150),
        states in any::<bool>(),
    ) {
        let mut world = World::new(config(), states);
        world.act(Act::Connected);
        world.act(Act::Reply(0, 5));
        world.act(Act::Reply(0, 5));
        world.act(Act::Submit);
        prop_assert!(world.prompt_open);
        for act in acts {
            world.act(act);
        }
        world.end();
    }
}
