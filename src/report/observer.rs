//! Looks at a session after each event and makes events of what is new.

use std::collections::HashMap;

use super::{
    Flow, Summary,
    event::{Record, Refused, Subagent, Tokens, Usage, Worktree},
    summary::keep,
    watch::{Sink, Watch, wrote},
    words::state_name,
};
use crate::{
    model::{
        self, AgentNotice, CallResult, CallTag, FromAgent, HostRequest, NoticeSeverity, SessionId,
        StopReason,
    },
    session::{self, BlockId, BlockKind, Event, Session, Transcript},
    text::exact_line,
};

/// Which part of a session is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// From the first prompt of this run on, without a person; earlier history is not reported.
    Turn,
    /// All of it.
    All,
}

/// Remembers what was reported.
pub struct Observer {
    scope: Scope,
    summary: Summary,
    flow: Flow,
    turn_is_open: bool,
    /// The requested turn has ended.
    turn_is_over: bool,
    /// The latest answer to a prompt.
    answer: Option<CallResult>,
    /// The agent's stop reason.
    stop: Option<StopReason>,
    main: Watch,
    subagents: HashMap<SessionId, Child>,
    last_subagent: u64,
}

/// A subagent and its conversation as they were reported.
struct Child {
    told: Option<Subagent>,
    /// Its block: a subagent that was forgotten and came again has another one.
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

    /// It works in a worktree, if in any, which stays.
    pub fn works_in(&mut self, worktree: Option<&model::Worktree>) {
        self.summary.worktree = worktree.map(Worktree::of);
    }

    /// Everything that the session holds now is old and is not reported.
    pub fn know(&mut self, session: &Session) {
        self.main.skip(&session.conversation.transcript);
        self.skip_subagents(session);
    }

    /// Why the turn ended; `None` before its end. `Some(None)`: it failed, or the agent was lost.
    pub fn turn_end(&self) -> Option<Option<&StopReason>> {
        self.turn_is_over.then_some(self.stop.as_ref())
    }

    /// Called before an event changes the session, for what the session does not keep.
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
            Event::Refused { what, rule, .. } => self.refused(what.to_string(), rule.to_string()),
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

    /// A notice of the agent, which the session does not keep (V1-NOTE-01).
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

    /// Called after events changed the session.
    pub fn look(&mut self, session: &Session) -> Vec<Record> {
        let mut out = Vec::new();
        self.look_at_agent(session, &mut out);
        // A turn that the agent begins is not the requested one.
        let turn = session.turn.as_ref().is_some_and(|turn| turn.prompted);
        if self.main.from.is_none() && (turn || self.scope == Scope::All) {
            self.main.from = Some(self.first(session));
        }
        if turn && !self.turn_is_open {
            // It may be from the prompt's first attempt, before a sign-in.
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
                // V2-PROMPT-01: the state reported the end. Without a reason it is an ordinary end.
                Some(CallResult::PromptAccepted { .. }) if session.connection.is_some() => {
                    Some(session.last_stop.clone().unwrap_or(StopReason::EndTurn))
                }
                _ => self.stop.take(),
            };
            self.summary.stop_reason = self.stop.as_ref().map(|reason| reason.as_str().to_owned());
        }
        out
    }

    /// All of a stored session: the events before its blocks, those of each block, and those after
    /// them.
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

    /// A subagent and the subagents of it.
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

    /// Their titles, states and conversations.
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

    /// What they said before the turn is old.
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

    /// The block of the turn's prompt.
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
