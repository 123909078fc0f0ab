//! Looks at a session after each event and tells what is new.

use std::collections::HashMap;

use super::{
    Flow, Summary,
    record::{FileWritten, Permission, PlanEntry, Record, Refused, Tool, Usage},
};
use crate::{
    proto::{
        AgentNotice, CallResult, CallTag, CompactionStatus, ContentBlock, FromAgent, HostRequest,
        NamedPlan, NoticeSeverity, PlanBody, PlanPriority, PlanStatus, SessionId, StopReason,
        ToolContent, ToolKind, WorkState,
    },
    session::{
        Answered, Block, BlockId, BlockKind, By, Changes, Event, NoticeLevel, Session, ToolCall,
        ToolState,
    },
    text::SafeText,
};

/// Bytes of the text that the summary keeps.
const MAX_TEXT: usize = 32 << 20;

/// Tool calls, permissions and files that it keeps, each.
const MAX_LISTED: usize = 10_000;

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
    /// Where the told part of the transcript begins; `None` until then.
    from: Option<BlockId>,
    turn_is_open: bool,
    /// The turn that was asked for is over.
    turn_is_over: bool,
    /// The latest answer to a prompt.
    answer: Option<CallResult>,
    seen_rev: u64,
    seen: HashMap<BlockId, Seen>,
    plan: Vec<PlanEntry>,
    plans: Vec<NamedPlan>,
    /// Subagents as they were told of.
    subagents: HashMap<SessionId, (SafeText, String)>,
}

enum Seen {
    /// Bytes of a message.
    Text(usize),
    /// A call as it was told, and the answers told of it.
    Tool(Box<Tool>, usize),
    Compaction(CompactionStatus),
    Warning(String),
    Told,
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
            from: None,
            turn_is_open: false,
            turn_is_over: false,
            answer: None,
            seen_rev: 0,
            seen: HashMap::new(),
            plan: Vec::new(),
            plans: Vec::new(),
            subagents: HashMap::new(),
        }
    }

    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// What came of the turn; `None` while it is open, or before. Without an answer the agent was
    /// lost.
    pub fn turn_end(&self) -> Option<Option<&CallResult>> {
        self.turn_is_over.then_some(self.answer.as_ref())
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
                self.wrote(path, "acp-tui");
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
            // Questions that nobody is there to answer. Permissions are told with their call.
            Event::OutsideRoots {
                resolved, write, ..
            } if self.scope == Scope::Turn => {
                let verb = if *write { "write" } else { "read" };
                let what = format!("{verb} {}", resolved.display());
                self.refused(
                    what,
                    "nobody to ask: it is outside the workspace".to_owned(),
                )
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
        let turn = session.turn.is_some();
        if self.from.is_none() && (turn || self.scope == Scope::All) {
            self.from = Some(self.first(session));
        }
        if turn && !self.turn_is_open {
            // An answer from before, to a prompt that was sent once more after a sign-in.
            self.answer = None;
        }
        self.look_at_plan(session, &mut out);
        self.look_at_subagents(session, &mut out);
        self.look_at_transcript(session, &mut out);
        self.turn_is_over = !turn && (self.turn_is_over || self.turn_is_open);
        self.turn_is_open = turn;
        if self.turn_is_over
            && let Some(CallResult::PromptDone(reason, _)) = &self.answer
        {
            self.summary.stop_reason = Some(reason_name(reason));
        }
        out
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
        let mut blocks = session.transcript.blocks().iter().rev();
        let prompt = blocks.find(|block| matches!(block.kind, BlockKind::User(_)));
        match self.scope {
            Scope::Turn => prompt.map_or(BlockId(0), |block| block.id),
            Scope::All => BlockId(0),
        }
    }

    fn look_at_transcript(&mut self, session: &Session, out: &mut Vec<Record>) {
        let transcript = &session.transcript;
        let blocks = transcript.blocks();
        match transcript.changes_since(self.seen_rev) {
            Changes::Some(changed) => {
                for at in changed {
                    if let Some(block) = blocks.get(at) {
                        self.look_at(block, out);
                    }
                }
            }
            Changes::All => {
                for block in blocks {
                    self.look_at(block, out);
                }
                let first = blocks.first().map(|block| block.id);
                self.seen.retain(|id, _| Some(*id) >= first);
            }
        }
        self.seen_rev = transcript.rev();
    }

    fn look_at(&mut self, block: &Block, out: &mut Vec<Record>) {
        let told = self.from.is_some_and(|from| block.id >= from);
        // What acp-tui itself has to say, it says at any time.
        if !told && !matches!(block.kind, BlockKind::Notice(_)) {
            return;
        }
        let number = block.id.0;
        match &block.kind {
            BlockKind::Agent(message) => {
                if let Some(text) = self.more(block.id, &message.text) {
                    self.keep_text(number, &text);
                    out.push(Record::Text {
                        message: number,
                        text,
                    });
                }
            }
            BlockKind::Thought(thought) => {
                if let Some(text) = self.more(block.id, &thought.text) {
                    out.push(Record::Thought {
                        message: number,
                        text,
                    });
                }
            }
            BlockKind::Tool(call) => self.look_at_tool(block.id, call, out),
            BlockKind::Compaction(compaction) => {
                let status = &compaction.status;
                let known =
                    matches!(self.seen.get(&block.id), Some(Seen::Compaction(s)) if s == status);
                if !known {
                    self.seen.insert(block.id, Seen::Compaction(status.clone()));
                    out.push(Record::Compaction {
                        status: match status {
                            CompactionStatus::InProgress => "in_progress".to_owned(),
                            CompactionStatus::Completed => "completed".to_owned(),
                            CompactionStatus::Failed => "failed".to_owned(),
                            CompactionStatus::Cancelled => "cancelled".to_owned(),
                            CompactionStatus::Unknown(status) => status.to_string(),
                        },
                    });
                }
            }
            BlockKind::Notice(notice) if notice.level == NoticeLevel::Warning => {
                // It may be worded anew: with an agent's last words, say.
                let text = notice.text.to_string();
                let known =
                    matches!(self.seen.get(&block.id), Some(Seen::Warning(t)) if *t == text);
                if !known {
                    self.seen.insert(block.id, Seen::Warning(text));
                    out.extend(once(&block.kind));
                }
            }
            kind => {
                if self.seen.insert(block.id, Seen::Told).is_none() {
                    out.extend(once(kind));
                }
            }
        }
    }

    /// What a message has more than was told of it.
    fn more(&mut self, id: BlockId, text: &str) -> Option<String> {
        let seen = match self.seen.get(&id) {
            Some(Seen::Text(seen)) => *seen,
            _ => 0,
        };
        if seen == text.len() {
            return None;
        }
        self.seen.insert(id, Seen::Text(text.len()));
        // Shorter than before: the middle of a very long one was left out, and it says so itself.
        let more = text.get(seen..).unwrap_or_default();
        (!more.is_empty()).then(|| more.to_owned())
    }

    fn keep_text(&mut self, message: u64, text: &str) {
        let summary = &mut self.summary;
        if summary.text.len() + text.len() > MAX_TEXT {
            summary.text_truncated = true;
            return;
        }
        summary.text.push_str(self.flow.before(message, text));
        summary.text.push_str(text);
    }

    fn look_at_tool(&mut self, id: BlockId, call: &ToolCall, out: &mut Vec<Record>) {
        let tool = tool(id, call);
        let (before, answers) = match self.seen.get(&id) {
            Some(Seen::Tool(before, answers)) => (Some(&**before), *answers),
            _ => (None, 0),
        };
        if before != Some(&tool) {
            let calls = &mut self.summary.tool_calls;
            match calls.iter_mut().rev().find(|known| known.call == tool.call) {
                Some(known) => known.clone_from(&tool),
                None => keep(calls, tool.clone()),
            }
            out.push(Record::ToolCall(tool.clone()));
        }
        for answered in call.answers.iter().skip(answers) {
            let permission = permission(&tool, answered);
            keep(&mut self.summary.permissions, permission.clone());
            out.push(Record::Permission(permission));
        }
        if call.state == ToolState::Completed {
            for piece in &call.content {
                if let ToolContent::Diff(diff) = piece {
                    self.wrote(&diff.path, "agent");
                }
            }
        }
        let seen = Seen::Tool(Box::new(tool), call.answers.len());
        self.seen.insert(id, seen);
    }

    /// Each file once; that it was written through us is the better word.
    fn wrote(&mut self, path: &str, by: &'static str) {
        let files = &mut self.summary.files_written;
        if let Some(known) = files.iter_mut().find(|file| file.path == path) {
            if by == "acp-tui" {
                known.by = by;
            }
            return;
        }
        let path = path.to_owned();
        keep(files, FileWritten { path, by });
    }

    /// What a subagent is called and how it stands; what it says and does stays its own.
    fn look_at_subagents(&mut self, session: &Session, out: &mut Vec<Record>) {
        if self.from.is_none() {
            return;
        }
        for subagent in session.subagents.iter() {
            let now = (subagent.name(), state_name(subagent.state.as_ref()));
            if self.subagents.get(&subagent.id) != Some(&now) {
                let (title, state) = now.clone();
                self.subagents.insert(subagent.id.clone(), now);
                out.push(Record::Subagent {
                    id: subagent.id.as_str().to_owned(),
                    title: title.to_string(),
                    state,
                });
            }
        }
        let known = |id: &SessionId| session.subagents.get(id).is_some();
        self.subagents.retain(|id, _| known(id));
    }

    fn look_at_plan(&mut self, session: &Session, out: &mut Vec<Record>) {
        let entries = plan(&session.plan);
        // A finished plan goes into the transcript: that is no news.
        if self.from.is_some() && entries != self.plan && !entries.is_empty() {
            self.plan.clone_from(&entries);
            out.push(Record::Plan {
                id: None,
                entries,
                text: None,
            });
        }
        if self.from.is_none() || self.plans == session.plans {
            return;
        }
        for named in session
            .plans
            .iter()
            .filter(|named| !self.plans.contains(named))
        {
            let (entries, text) = match &named.body {
                PlanBody::Items(entries) => (plan(entries), None),
                PlanBody::Text(text) => (Vec::new(), Some(text.text.to_string())),
                PlanBody::Unknown { raw, .. } => (Vec::new(), Some(raw.0.to_string())),
            };
            out.push(Record::Plan {
                id: Some(named.id.as_str().to_owned()),
                entries,
                text,
            });
        }
        self.plans.clone_from(&session.plans);
    }
}

fn state_name(state: Option<&WorkState>) -> String {
    match state {
        Some(WorkState::Running) => "running".to_owned(),
        Some(WorkState::RequiresAction) => "requires_action".to_owned(),
        Some(WorkState::Idle(None)) => "idle".to_owned(),
        Some(WorkState::Idle(Some(StopReason::Error(error)))) => {
            format!("failed: {}", error.message)
        }
        Some(WorkState::Idle(Some(reason))) => format!("idle: {}", reason_name(reason)),
        Some(WorkState::Other(state)) => state.to_string(),
        Some(WorkState::Unknown) | None => "unknown".to_owned(),
    }
}

fn keep<T>(list: &mut Vec<T>, item: T) {
    if list.len() < MAX_LISTED {
        list.push(item);
    }
}

/// Blocks that are told once.
fn once(kind: &BlockKind) -> Option<Record> {
    Some(match kind {
        BlockKind::User(message) => Record::User {
            text: message.text.to_string(),
        },
        BlockKind::Notice(notice) => Record::Notice {
            level: match notice.level {
                NoticeLevel::Quiet => "quiet",
                NoticeLevel::Info => "info",
                NoticeLevel::Warning => "warning",
                NoticeLevel::Error => "error",
            },
            text: notice.text.to_string(),
            detail: notice.detail.as_ref().map(ToString::to_string),
        },
        BlockKind::Content(content) => self::content(content),
        // Told while they are current, or piece by piece.
        BlockKind::Plan(_)
        | BlockKind::PlanText(_)
        | BlockKind::Agent(_)
        | BlockKind::Thought(_)
        | BlockKind::Tool(_)
        | BlockKind::Compaction(_)
        | BlockKind::Subagent(_) => return None,
        // Between the agent and itself: what comes of it is told.
        BlockKind::SessionMessage(_) => return None,
    })
}

fn content(content: &ContentBlock) -> Record {
    let (kind, mime_type, uri, bytes) = match content {
        ContentBlock::Text(_) => ("text", None, None, None),
        ContentBlock::Image(media) => (
            "image",
            Some(media.mime_type.to_string()),
            media.uri.as_ref().map(ToString::to_string),
            media.size.map(|size| size as u64),
        ),
        ContentBlock::Audio(media) => (
            "audio",
            Some(media.mime_type.to_string()),
            media.uri.as_ref().map(ToString::to_string),
            media.size.map(|size| size as u64),
        ),
        ContentBlock::ResourceLink(link) => (
            "resource_link",
            link.mime_type.as_ref().map(ToString::to_string),
            Some(link.uri.clone()),
            link.size,
        ),
        ContentBlock::Resource(resource) => (
            "resource",
            resource.mime_type.as_ref().map(ToString::to_string),
            Some(resource.uri.clone()),
            Some(resource.size as u64),
        ),
        ContentBlock::Unknown { .. } => ("unknown", None, None, None),
    };
    Record::Content {
        kind,
        mime_type,
        uri,
        bytes,
    }
}

fn tool(id: BlockId, call: &ToolCall) -> Tool {
    let diffs = call.content.iter().filter_map(|piece| match piece {
        ToolContent::Diff(diff) => Some(diff.paths()),
        _ => None,
    });
    let mut paths: Vec<String> = Vec::new();
    let located = call.locations.iter().map(|at| at.path.as_str());
    for path in located.chain(diffs.flatten()) {
        if !paths.iter().any(|known| known == path) {
            paths.push(path.to_owned());
        }
    }
    Tool {
        call: id.0,
        id: call.id.as_str().to_owned(),
        title: call.title.to_string(),
        kind: kind_name(call.kind),
        status: match &call.state {
            ToolState::Pending => "pending".to_owned(),
            ToolState::InProgress => "in_progress".to_owned(),
            ToolState::Paused => "paused".to_owned(),
            ToolState::Completed => "completed".to_owned(),
            ToolState::Failed => "failed".to_owned(),
            ToolState::Cancelled => "cancelled".to_owned(),
            ToolState::Ended => "ended".to_owned(),
            ToolState::Unknown(status) => status.to_string(),
        },
        command: call.command.clone(),
        paths,
    }
}

fn permission(tool: &Tool, answered: &Answered) -> Permission {
    Permission {
        call: tool.call,
        title: tool.title.clone(),
        kind: tool.kind,
        command: tool.command.clone(),
        paths: tool.paths.clone(),
        decision: match (&answered.by, answered.allowed) {
            (By::Nobody, _) => "cancelled",
            (_, true) => "allowed",
            (_, false) => "denied",
        },
        answer: answered.answer.to_string(),
        by: match &answered.by {
            By::Person => "person".to_owned(),
            By::Rule(rule) => rule.to_string(),
            By::Nobody => "nobody".to_owned(),
        },
    }
}

fn plan(entries: &[crate::proto::PlanEntry]) -> Vec<PlanEntry> {
    let entry = |entry: &crate::proto::PlanEntry| PlanEntry {
        content: entry.content.to_string(),
        status: match entry.status {
            PlanStatus::Pending => "pending",
            PlanStatus::InProgress => "in_progress",
            PlanStatus::Completed => "completed",
            PlanStatus::Cancelled => "cancelled",
        },
        priority: match entry.priority {
            PlanPriority::High => "high",
            PlanPriority::Medium => "medium",
            PlanPriority::Low => "low",
        },
    };
    entries.iter().map(entry).collect()
}

fn kind_name(kind: ToolKind) -> &'static str {
    match kind {
        ToolKind::Read => "read",
        ToolKind::Edit => "edit",
        ToolKind::Delete => "delete",
        ToolKind::Move => "move",
        ToolKind::Search => "search",
        ToolKind::Execute => "execute",
        ToolKind::Think => "think",
        ToolKind::Fetch => "fetch",
        ToolKind::SwitchMode => "switch_mode",
        ToolKind::Other => "other",
    }
}

fn reason_name(reason: &StopReason) -> String {
    match reason {
        StopReason::EndTurn => "end_turn".to_owned(),
        StopReason::MaxTokens => "max_tokens".to_owned(),
        StopReason::MaxTurnRequests => "max_turn_requests".to_owned(),
        StopReason::Refusal => "refusal".to_owned(),
        StopReason::Cancelled => "cancelled".to_owned(),
        StopReason::Error(_) => "error".to_owned(),
        StopReason::Unknown(reason) => reason.to_string(),
    }
}
