//! Turns a wire log into events for a session: the same rules show it, and nothing is done.
//!
//! The session makes calls of its own while it is played, which go nowhere; what the log answered
//! comes in their place. One session of the log is played, that of its others is left out.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use crate::{
    acp::{Recorded, Recording, Word},
    model::{
        AgentEvent, Call, CallResult, CallTag, ConnectionId, ElicitationAnswer, FromAgent,
        HostReply, HostRequest, Notification, PermissionOutcome, PromptBlock, Protocol, RequestKey,
        SessionId, SessionKey, StopReason, TerminalId, ToAgent, Verdict, WorkState, shown_command,
    },
    session::{
        Effect, Event, NoticeLevel, PageAnswer, Prompt, Question, Session, SessionConfig, Start,
        marker,
    },
    text::SafeText,
};

/// Any time will do: nothing waits.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// Unreadable lines that are reported one by one.
const MAX_TOLD: usize = 10;

/// A session of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub id: SessionId,
    pub cwd: PathBuf,
    pub prompts: usize,
    /// It was there before the log.
    reopened: bool,
}

/// What is in a log.
#[derive(Debug, Default)]
pub struct Survey {
    pub sessions: Vec<Found>,
    /// Lines that could be read.
    pub readable: usize,
    pub length: Duration,
    cwd: PathBuf,
    protocol: Protocol,
}

impl Survey {
    /// # Errors
    /// The file cannot be read.
    pub fn of(path: &Path) -> io::Result<Self> {
        let mut survey = Self::default();
        let mut recording = Recording::open(path)?;
        while let Some(recorded) = recording.next_line()? {
            survey.length = survey.length.max(recorded.at);
            if recording.protocol() == Protocol::V2 {
                survey.protocol = Protocol::V2;
            }
            for word in recorded.words {
                survey.readable += usize::from(!matches!(word, Word::Unreadable(_)));
                survey.note(word);
            }
        }
        Ok(survey)
    }

    fn note(&mut self, word: Word) {
        match word {
            Word::ToAgent(ToAgent::Call(
                Call::NewSession(setup) | Call::ForkSession { setup, .. },
            )) => {
                self.cwd = setup.cwd;
            }
            Word::ToAgent(ToAgent::Call(
                Call::LoadSession { id, setup } | Call::ResumeSession { id, setup },
            )) => {
                self.cwd = setup.cwd;
                self.session(&id, true);
            }
            Word::ToAgent(ToAgent::Call(Call::Prompt { session, .. })) => {
                self.session(&session, true).prompts += 1;
            }
            Word::FromAgent(FromAgent::Reply {
                result: CallResult::SessionOpened(opened),
                ..
            }) => {
                if let Some(id) = opened.id {
                    self.session(&id, false);
                }
            }
            _ => {}
        }
    }

    fn session(&mut self, id: &SessionId, reopened: bool) -> &mut Found {
        let known = self.sessions.iter().position(|found| found.id == *id);
        let at = known.unwrap_or_else(|| {
            self.sessions.push(Found {
                id: id.clone(),
                cwd: self.cwd.clone(),
                prompts: 0,
                reopened,
            });
            self.sessions.len() - 1
        });
        &mut self.sessions[at]
    }

    /// The one with the most prompts, unless another is wanted.
    pub fn choose(&self, wanted: Option<&str>) -> Option<&Found> {
        match wanted {
            Some(id) => self.sessions.iter().find(|found| found.id.as_str() == id),
            None => {
                let most = self.sessions.iter().map(|found| found.prompts).max()?;
                self.sessions.iter().find(|found| found.prompts == most)
            }
        }
    }

    /// A session to play it in.
    pub fn config(&self, chosen: Option<&Found>) -> SessionConfig {
        let cwd = chosen.map_or_else(|| self.cwd.clone(), |found| found.cwd.clone());
        SessionConfig {
            protocol: self.protocol,
            start_timeout: START_TIMEOUT,
            start: match chosen {
                Some(found) if found.reopened => Start::Reopen(found.id.clone()),
                _ => Start::New,
            },
            ..SessionConfig::looked_at("the agent".into(), cwd)
        }
    }
}

/// Output of a terminal as the log has it: all of it so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    pub id: TerminalId,
    pub text: String,
}

/// Turns what was recorded into events.
pub struct Player {
    session: Option<SessionId>,
    connection: u32,
    begun: bool,
    /// The log starts another process, and so does the session for it.
    restarts: bool,
    /// The call by which the session wants to be opened.
    opening: Option<CallTag>,
    requests: HashMap<RequestKey, HostRequest>,
    unreadable: usize,
    /// Messages of methods that are not known, by method.
    others: BTreeMap<String, usize>,
}

impl Player {
    pub fn new(chosen: Option<&Found>) -> Self {
        Self {
            session: chosen.map(|found| found.id.clone()),
            connection: 0,
            begun: false,
            restarts: false,
            opening: None,
            requests: HashMap::new(),
            unreadable: 0,
            others: BTreeMap::new(),
        }
    }

    /// What an effect of the session leads to.
    pub fn follow(&mut self, effect: &Effect) -> Option<Event> {
        match effect {
            Effect::Spawn(_) => {
                if self.connection > 0 && !std::mem::take(&mut self.restarts) {
                    // By itself, to speak another version: the log has that process as well.
                    self.begun = false;
                }
                self.connection += 1;
                Some(Event::Connected(self.connection()))
            }
            Effect::ToAgent(ToAgent::Call(
                call @ (Call::NewSession(_)
                | Call::LoadSession { .. }
                | Call::ResumeSession { .. }
                | Call::ForkSession { .. }),
            )) => {
                self.opening = Some(call.tag());
                None
            }
            _ => None,
        }
    }

    fn connection(&self) -> ConnectionId {
        ConnectionId(self.connection)
    }

    /// What one line leads to; `shown` is given what terminals print.
    pub fn events(
        &mut self,
        recorded: Recorded,
        session: &Session,
        shown: &mut dyn FnMut(Output),
    ) -> VecDeque<Event> {
        let words = recorded.words.into_iter();
        words
            .flat_map(|word| self.word(word, session, shown))
            .collect()
    }

    fn word(&mut self, word: Word, session: &Session, shown: &mut dyn FnMut(Output)) -> Vec<Event> {
        match word {
            Word::ToAgent(ToAgent::Call(call)) => self.call(call),
            Word::ToAgent(ToAgent::Notify(Notification::Cancel { session: id })) => {
                let stops = self.is_own(&id) && session.turn.is_some();
                stops.then_some(Event::Stop).into_iter().collect()
            }
            Word::ToAgent(ToAgent::Notify(Notification::CancelCall(_))) => Vec::new(),
            Word::ToAgent(ToAgent::Reply { key, reply }) => {
                self.answered(key, reply, session, shown)
            }
            Word::FromAgent(said) => self.said(said, session).into_iter().collect(),
            Word::Other(method) => {
                *self.others.entry(method).or_default() += 1;
                Vec::new()
            }
            Word::Unreadable(what) => {
                self.unreadable += 1;
                if self.unreadable > MAX_TOLD {
                    return Vec::new();
                }
                let text = SafeText::line(&format!("cannot be read: {what}"));
                vec![note(NoticeLevel::Warning, text)]
            }
        }
    }

    fn is_own(&self, id: &SessionId) -> bool {
        self.session.as_ref().is_none_or(|played| played == id)
    }

    /// Its subagents' words are the session's to take (V1-SUB-02).
    fn is_played(&self, id: &SessionId, session: &Session) -> bool {
        self.is_own(id) || session.subagents.get(id).is_some()
    }

    fn call(&mut self, call: Call) -> Vec<Event> {
        match call {
            // The first process is there already.
            Call::Initialize { .. } if !std::mem::replace(&mut self.begun, true) => Vec::new(),
            Call::Initialize { .. } => {
                self.restarts = true;
                vec![Event::Restart]
            }
            Call::Authenticate { method } => vec![Event::Authenticate { method }],
            Call::Prompt { session, blocks } if self.is_own(&session) => {
                vec![Event::Submit(Prompt {
                    text: prompt_text(&blocks),
                    blocks,
                })]
            }
            Call::Steer {
                session, blocks, ..
            } if self.is_own(&session) => {
                vec![Event::Steer(Prompt {
                    text: prompt_text(&blocks),
                    blocks,
                })]
            }
            _ => Vec::new(),
        }
    }

    fn said(&mut self, said: FromAgent, session: &Session) -> Option<Event> {
        let said = match said {
            FromAgent::Update {
                session: Some(id), ..
            } if !self.is_played(&id, session) => return None,
            FromAgent::Request { key, request } => {
                let other = |id: &SessionId| !self.is_played(id, session);
                if request.session().is_some_and(other) {
                    return None;
                }
                self.requests.insert(key, request.clone());
                FromAgent::Request { key, request }
            }
            FromAgent::Reply { call, result, .. } => FromAgent::Reply {
                caller: SessionKey::default(),
                call: self.reply_to(call, &result, session)?,
                result,
            },
            other => other,
        };
        Some(Event::Agent(self.connection(), said))
    }

    /// Which call of the session that is an answer to.
    fn reply_to(
        &mut self,
        call: CallTag,
        result: &CallResult,
        session: &Session,
    ) -> Option<CallTag> {
        let named = match &call {
            CallTag::NewSession | CallTag::ForkSession { .. } => None,
            CallTag::LoadSession { id } | CallTag::ResumeSession { id } => Some(id),
            CallTag::Prompt { session: id } => return self.is_own(id).then_some(call),
            CallTag::Steer { session: id, .. } => {
                return self.is_own(id).then(|| CallTag::Steer {
                    session: id.clone(),
                    number: session.oldest_steer().unwrap_or_default(),
                });
            }
            _ => return Some(call),
        };
        let opens = match result {
            CallResult::SessionOpened(opened) => {
                let id = opened.id.as_ref().or(named);
                id.is_some_and(|id| self.is_own(id))
            }
            _ => session.id.is_none() && named.is_none_or(|id| self.is_own(id)),
        };
        if opens { self.opening.take() } else { None }
    }

    /// The client's answer to a request of the agent.
    fn answered(
        &mut self,
        key: RequestKey,
        reply: HostReply,
        session: &Session,
        shown: &mut dyn FnMut(Output),
    ) -> Vec<Event> {
        let Some(request) = self.requests.remove(&key) else {
            return Vec::new();
        };
        match (request, reply) {
            (HostRequest::Permission(_), HostReply::Permission(outcome)) => {
                let mut questions = session.questions.iter();
                let Some(question) = questions.find(|question| question.key() == key) else {
                    return Vec::new();
                };
                let question = Question::id(question);
                match outcome {
                    PermissionOutcome::Selected(option) => vec![
                        Event::Decided {
                            revision: None,
                            question,
                            verdict: Verdict::ask(None),
                        },
                        Event::Answer { question, option },
                    ],
                    PermissionOutcome::Cancelled => {
                        let withdrawn = FromAgent::CancelRequest { key };
                        vec![Event::Agent(self.connection(), withdrawn)]
                    }
                }
            }
            (HostRequest::Elicitation(_), HostReply::Elicitation(answer)) => {
                let mut questions = session.questions.iter();
                match questions.find(|question| question.key() == key) {
                    Some(Question::Form(form)) => vec![Event::AnswerForm {
                        question: form.id,
                        answer,
                    }],
                    // Nothing is opened here.
                    Some(Question::Page(page)) => vec![Event::AnswerPage {
                        question: page.id,
                        answer: match answer {
                            ElicitationAnswer::Accept(_) => PageAnswer::OpenedElsewhere,
                            ElicitationAnswer::Decline => PageAnswer::Decline,
                            ElicitationAnswer::Cancel => PageAnswer::Dismiss,
                        },
                    }],
                    _ => Vec::new(),
                }
            }
            // It was refused without a question.
            (HostRequest::Permission(_) | HostRequest::Elicitation(_), HostReply::Error(_)) => {
                let withdrawn = FromAgent::CancelRequest { key };
                vec![Event::Agent(self.connection(), withdrawn)]
            }
            (HostRequest::WriteTextFile(write), HostReply::Done) => vec![Event::Wrote {
                session: write.session,
                path: write.path,
                lines: write.content.lines().count(),
            }],
            (HostRequest::TerminalCreate(create), HostReply::TerminalCreated(id)) => {
                let command = shown_command(&create.line(), &create.env);
                vec![Event::TerminalStarted {
                    session: Some(create.session),
                    id,
                    command,
                    cwd: SafeText::line(create.cwd.as_deref().unwrap_or_default()),
                }]
            }
            (HostRequest::TerminalOutput(on), HostReply::TerminalOutput(snapshot)) => {
                shown(Output {
                    id: on.terminal.clone(),
                    text: snapshot.output,
                });
                let exited = snapshot.exit.map(|status| Event::TerminalExited {
                    id: on.terminal,
                    status,
                });
                exited.into_iter().collect()
            }
            (HostRequest::DrainQueue { .. }, HostReply::QueueDrained { messages, .. }) => {
                vec![Event::GaveQueued(messages)]
            }
            (HostRequest::TerminalWaitForExit(on), HostReply::TerminalExit(status)) => {
                vec![Event::TerminalExited {
                    id: on.terminal,
                    status,
                }]
            }
            _ => Vec::new(),
        }
    }

    /// Nothing more comes: what is open stays as it was, and no turn goes on for ever.
    pub fn end(&mut self, session: &Session) -> Vec<Event> {
        let mut events = Vec::new();
        if self.unreadable > MAX_TOLD {
            let text = format!("{} lines cannot be read", self.unreadable);
            events.push(note(NoticeLevel::Warning, SafeText::line(&text)));
        }
        if !self.others.is_empty() {
            let methods: Vec<&str> = self.others.keys().map(String::as_str).collect();
            let text = format!("skipped, unknown to acp-tui: {}", methods.join(", "));
            events.push(note(NoticeLevel::Quiet, SafeText::line(&text)));
        }
        let text = SafeText::from("end of the log");
        if let (Some(_), Some(id)) = (&session.turn, &session.id) {
            let reason = StopReason::Unknown(text);
            let end = if session.agent.caps.states {
                let idle = WorkState::Idle(Some(reason));
                FromAgent::Update {
                    session: Some(id.clone()),
                    event: AgentEvent::State(idle.into()),
                }
            } else {
                FromAgent::Reply {
                    caller: SessionKey::default(),
                    call: CallTag::Prompt {
                        session: id.clone(),
                    },
                    result: CallResult::PromptDone(reason, None),
                }
            };
            events.push(Event::Agent(self.connection(), end));
        } else {
            events.push(note(NoticeLevel::Info, text));
        }
        events
    }
}

fn note(level: NoticeLevel, text: SafeText) -> Event {
    Event::Note { level, text }
}

fn prompt_text(blocks: &[PromptBlock]) -> String {
    let texts = blocks.iter().map(|block| match block {
        PromptBlock::Text(text) => text.clone(),
        PromptBlock::ResourceLink { name, .. } => format!("@{name}"),
        PromptBlock::Resource { uri, .. } => format!("@{uri}"),
        PromptBlock::Image(media) => marker("image", &media.name),
        PromptBlock::Audio(media) => marker("audio", &media.name),
    });
    texts.collect()
}
