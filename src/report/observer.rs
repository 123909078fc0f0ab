//! Looks at a session after each event and tells what is new.

use std::collections::HashMap;

use super::{
    Flow, Summary,
    event::{Record, Refused, Subagent, Tokens, Usage},
    summary::keep,
    watch::{Sink, Watch, wrote},
    words::state_name,
};
use crate::{
    model::{
        AgentNotice, CallResult, CallTag, FromAgent, HostRequest, NoticeSeverity, SessionId,
        StopReason,
    },
    session::{self, BlockId, BlockKind, Event, Session, Transcript},
    text::exact_line,
};

/// What of a session is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// From the first prompt of this run on, with nobody there: what was said before is known.
    Turn,
    /// All of it.
    All,
}

/// Remembers what was told.
pub struct Observer {
    scope: Scope,
    summary: Summary,
    flow: Flow,
    turn_is_open: bool,
    /// The turn that was asked for is over.
    turn_is_over: bool,
    /// The latest answer to a prompt.
    answer: Option<CallResult>,
    /// Why the agent stopped, where it did.
    stop: Option<StopReason>,
    main: Watch,
    subagents: HashMap<SessionId, Child>,
    last_subagent: u64,
}

/// A subagent as it was told of, and what was told of its conversation.
struct Child {
    told: Option<Subagent>,
    /// Where it stands: one that was forgotten and came again has another place.
    block: BlockId,
    watch: Watch,
}

impl Observer {
    /// `agent` is the profile's name.
    pub fn new(agent: &str, scope: Scope) -> Self {
        let mut summary = Summary::default();
        agent.clone_into(&mut summary.agent.id);
        Self {
            scope,
            summary,
            flow: Flow::default(),
            turn_is_open: false,
            turn_is_over: false,
            answer: None,
            stop: None,
            main: Watch::default(),
            subagents: HashMap::new(),
            last_subagent: 0,
        }
    }

    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// What the session shows by now was said and done before: it is no news.
    pub fn know(&mut self, session: &Session) {
        self.main.skip(&session.conversation.transcript);
        self.skip_subagents(session);
    }

    /// Why the turn ended; `None` while it is open, or before. Without a reason it failed, or the
    /// agent was lost.
    pub fn turn_end(&self) -> Option<Option<&StopReason>> {
        self.turn_is_over.then_some(self.stop.as_ref())
    }

    /// An event, before the session is changed by it: what the session does not keep.
    pub fn hear(&mut self, event: &Event) -> Vec<Record> {
        match event {
            Event::Agent(_, FromAgent::Reply { call, result, .. }) => {
                if matches!(call, CallTag::Prompt { .. }) {
                    self.answer = Some(result.clone());
                }
                Vec::new()
            }
            Event::Wrote { path, lines, .. } => {
                wrote(&mut self.summary, path, "acp-tui");
                vec![Record::FileWritten {
                    path: path.clone(),
                    lines: *lines,
                }]
            }
            Event::Agent(
                _,
                FromAgent::Request {
                    request: HostRequest::Elicitation(asked),
                    ..
                },
            ) if self.scope == Scope::Turn => {
                let what = format!("answer {}", asked.message);
                self.refused(what, "nobody to ask".to_owned())
            }
            Event::Agent(_, FromAgent::Unasked { message }) if self.scope == Scope::Turn => {
                self.refused(format!("answer {message}"), "nobody to ask".to_owned())
            }
            // Questions that nobody is there to answer. Permissions are told with their call.
            Event::AskFile {
                resolved,
                write,
                protected,
                reason,
                ..
            } if self.scope == Scope::Turn => {
                let verb = if *write { "write" } else { "read" };
                let what = format!("{verb} {}", exact_line(&resolved.to_string_lossy()));
                let why = match (reason, protected) {
                    (Some(reason), _) => reason.to_string(),
                    (None, Some(why)) => format!("it {why}"),
                    (None, None) => "it is outside the workspace".to_owned(),
                };
                self.refused(what, format!("nobody to ask: {why}"))
            }
            Event::AskTerminal {
                command, reason, ..
            } if self.scope == Scope::Turn => {
                self.refused(format!("run {command}"), format!("nobody to ask: {reason}"))
            }
            Event::Refused { what, rule } => self.refused(what.to_string(), rule.to_string()),
            Event::TerminalStarted {
                id, command, cwd, ..
            } => vec![Record::TerminalStarted {
                terminal: id.as_str().to_owned(),
                command: command.to_string(),
                cwd: cwd.to_string(),
            }],
            Event::TerminalExited { id, status } => vec![Record::TerminalExited {
                terminal: id.as_str().to_owned(),
                code: status.code,
                signal: status.signal.clone(),
            }],
            _ => Vec::new(),
        }
    }

    /// A notice of the agent's, which the session does not keep (V1-NOTE-01).
    pub fn notice(&self, notice: &AgentNotice) -> Vec<Record> {
        vec![Record::Notice {
            level: match notice.severity {
                NoticeSeverity::Info => "info",
                NoticeSeverity::Warning | NoticeSeverity::Error => "warning",
            },
            text: notice.title.to_string(),
            detail: notice.description.as_ref().map(ToString::to_string),
        }]
    }

    fn refused(&mut self, what: String, by: String) -> Vec<Record> {
        let refused = Refused { what, by };
        keep(&mut self.summary.refused, refused.clone());
        vec![Record::Refused(refused)]
    }

    /// The session, after events changed it.
    pub fn look(&mut self, session: &Session) -> Vec<Record> {
        let mut out = Vec::new();
        self.look_at_agent(session, &mut out);
        // What the agent does by itself is not the turn that was asked for.
        let turn = session.turn.as_ref().is_some_and(|turn| turn.prompted);
        if self.main.from.is_none() && (turn || self.scope == Scope::All) {
            self.main.from = Some(self.first(session));
        }
        if turn && !self.turn_is_open {
            // An answer from before, to a prompt that was sent once more after a sign-in.
            self.answer = None;
            self.stop = None;
        }
        let main = &mut self.main;
        let mut sink = Sink {
            summary: &mut self.summary,
            flow: &mut self.flow,
            out: &mut out,
        };
        main.look_at_plans(&session.conversation, &mut sink);
        if main.from.is_some() {
            self.look_at_subagents(session, &mut out);
        } else {
            self.skip_subagents(session);
        }
        self.look_at_transcript(&session.conversation.transcript, &mut out);
        self.turn_is_over = !turn && (self.turn_is_over || self.turn_is_open);
        self.turn_is_open = turn;
        if self.turn_is_over {
            self.stop = match self.answer.take() {
                Some(CallResult::PromptDone(reason, _)) => Some(reason),
                // V2-PROMPT-01: its state told the end. One that gives no reason has just ended.
                Some(CallResult::PromptAccepted { .. }) if session.connection.is_some() => {
                    Some(session.last_stop.clone().unwrap_or(StopReason::EndTurn))
                }
                _ => self.stop.take(),
            };
            self.summary.stop_reason = self.stop.as_ref().map(|reason| reason.as_str().to_owned());
        }
        out
    }

    /// All of a session that is over, block by block: what each of them tells, and what stands
    /// behind all of them.
    pub fn retell(&mut self, session: &Session) -> (Vec<Record>, Vec<Vec<Record>>, Vec<Record>) {
        let mut head = Vec::new();
        self.look_at_agent(session, &mut head);
        self.main.from = Some(BlockId(0));
        self.main.stored = true;
        let mut told = Vec::new();
        for block in session.conversation.transcript.blocks() {
            let mut out = Vec::new();
            let mut sink = Sink {
                summary: &mut self.summary,
                flow: &mut self.flow,
                out: &mut out,
            };
            self.main.look_at(block, &mut sink);
            if let BlockKind::Subagent(id) = &block.kind {
                self.retell_subagent(session, id, &mut out);
            }
            told.push(out);
        }
        let mut tail = Vec::new();
        let mut sink = Sink {
            summary: &mut self.summary,
            flow: &mut self.flow,
            out: &mut tail,
        };
        self.main.look_at_plans(&session.conversation, &mut sink);
        (head, told, tail)
    }

    /// It, and those that are its own.
    fn retell_subagent(&mut self, session: &Session, id: &SessionId, out: &mut Vec<Record>) {
        let Some(subagent) = session.subagents.get(id) else {
            return;
        };
        if self.subagents.contains_key(id) {
            return;
        }
        self.look_at_subagent(subagent, out);
        for block in subagent.conversation.transcript.blocks() {
            if let BlockKind::Subagent(id) = &block.kind {
                self.retell_subagent(session, id, out);
            }
        }
    }

    fn look_at_transcript(&mut self, transcript: &Transcript, out: &mut Vec<Record>) {
        let mut sink = Sink {
            summary: &mut self.summary,
            flow: &mut self.flow,
            out,
        };
        self.main.look(transcript, &mut sink);
    }

    /// What they are called and how they stand, and what they say and do.
    fn look_at_subagents(&mut self, session: &Session, out: &mut Vec<Record>) {
        self.forget_gone(session);
        for subagent in session.subagents.iter() {
            self.look_at_subagent(subagent, out);
        }
    }

    fn look_at_subagent(&mut self, subagent: &session::Subagent, out: &mut Vec<Record>) {
        let child = child(&mut self.subagents, &mut self.last_subagent, subagent);
        let now = Subagent {
            id: subagent.id.as_str().to_owned(),
            title: subagent.name().to_string(),
            state: state_name(subagent.state.as_ref()),
        };
        if child.told.as_ref() != Some(&now) {
            child.told = Some(now.clone());
            let all = &mut self.summary.subagents;
            match all.iter_mut().rev().find(|known| known.id == now.id) {
                Some(known) => known.clone_from(&now),
                None => keep(all, now.clone()),
            }
            out.push(Record::Subagent(now));
        }
        let mut sink = Sink {
            summary: &mut self.summary,
            flow: &mut self.flow,
            out,
        };
        let watch = &mut child.watch;
        watch.stored = self.main.stored;
        watch.look_at_plans(&subagent.conversation, &mut sink);
        watch.look(&subagent.conversation.transcript, &mut sink);
    }

    /// What they say before the turn is known.
    fn skip_subagents(&mut self, session: &Session) {
        self.forget_gone(session);
        for subagent in session.subagents.iter() {
            let child = child(&mut self.subagents, &mut self.last_subagent, subagent);
            child.watch.skip(&subagent.conversation.transcript);
        }
    }

    fn forget_gone(&mut self, session: &Session) {
        let known = |id: &SessionId, child: &Child| {
            let subagent = session.subagents.get(id);
            subagent.is_some_and(|subagent| subagent.block == child.block)
        };
        self.subagents.retain(|id, child| known(id, child));
    }

    fn look_at_agent(&mut self, session: &Session, out: &mut Vec<Record>) {
        let agent = &mut self.summary.agent;
        let text = |text: &Option<crate::text::SafeText>| text.as_ref().map(ToString::to_string);
        let (name, version) = (text(&session.agent.name), text(&session.agent.version));
        if (&agent.name, &agent.version) != (&name, &version) {
            (agent.name, agent.version) = (name.clone(), version.clone());
            out.push(Record::Agent { name, version });
        }
        let id = session.id.as_ref().map(|id| id.as_str().to_owned());
        if id.is_some() && id != self.summary.session_id {
            self.summary.session_id.clone_from(&id);
            out.extend(id.map(|id| Record::Session { id }));
        }
        if let Some(tokens) = session.tokens {
            let tokens = Tokens {
                total: tokens.total,
                input: tokens.input,
                output: tokens.output,
            };
            if self.summary.tokens != Some(tokens) {
                self.summary.tokens = Some(tokens);
                out.push(Record::Tokens(tokens));
            }
        }
        if let Some(usage) = &session.usage {
            let usage = Usage {
                used: usage.used,
                size: usage.size,
                cost: usage.cost.as_ref().map(|(cost, _)| *cost),
                currency: usage.cost.as_ref().map(|(_, unit)| unit.to_string()),
            };
            if self.summary.usage.as_ref() != Some(&usage) {
                self.summary.usage = Some(usage.clone());
                out.push(Record::Usage(usage));
            }
        }
    }

    /// The block that the turn's prompt is.
    fn first(&self, session: &Session) -> BlockId {
        let mut blocks = session.conversation.transcript.blocks().iter().rev();
        let prompt = blocks.find(|block| matches!(block.kind, BlockKind::User(_)));
        match self.scope {
            Scope::Turn => prompt.map_or(BlockId(0), |block| block.id),
            Scope::All => BlockId(0),
        }
    }
}

fn child<'a>(
    all: &'a mut HashMap<SessionId, Child>,
    last: &mut u64,
    subagent: &session::Subagent,
) -> &'a mut Child {
    all.entry(subagent.id.clone()).or_insert_with(|| {
        *last += 1;
        Child {
            told: None,
            block: subagent.block,
            watch: Watch::of_subagent(&subagent.id, *last),
        }
    })
}
