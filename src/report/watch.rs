//! One watched conversation: the session's own, or a subagent's.

use std::collections::HashMap;

use super::{
    Flow, Summary,
    event::{FileWritten, PlanEntry, Record, Tool},
    summary::keep,
    words::{permission, tool},
};
use crate::{
    model::{ContentBlock, DiffText, NamedPlan, PlanBody, SessionId, ToolContent, ToolKind},
    session::{
        Block, BlockId, BlockKind, Changes, Conversation, NoticeLevel, ToolCall, ToolState,
        Transcript,
    },
    text::SafeTextBuf,
};

/// Bytes of the text that the summary keeps.
const MAX_TEXT: usize = 32 << 20;

/// Blocks of a subagent are numbered from its own number times this, so that numbers are unique.
const PER_SUBAGENT: u64 = 1 << 32;

/// Replaced messages are numbered from here: no transcript has this many blocks.
const FIRST_EDITION: u64 = 1 << 31;

/// Where the events go.
pub(super) struct Sink<'a> {
    pub summary: &'a mut Summary,
    pub flow: &'a mut Flow,
    pub out: &'a mut Vec<Record>,
}

/// Remembers what was reported of a conversation.
#[derive(Default)]
pub(super) struct Watch {
    /// The subagent and its number; `None`: the session's own conversation.
    subagent: Option<(SessionId, u64)>,
    /// The first block that is reported; `None`: none yet.
    pub from: Option<BlockId>,
    /// Blocks before this one are old and never reported.
    known: BlockId,
    seen_rev: u64,
    seen: HashMap<BlockId, Seen>,
    plan: Vec<PlanEntry>,
    plans: Vec<NamedPlan>,
    /// How many messages were replaced.
    editions: u64,
    /// The session is stored: its blocks also report what its events reported while it ran.
    pub stored: bool,
}

enum Seen {
    Text(Told),
    /// A call as reported, and the number of its reported answers.
    Tool(Box<Tool>, usize),
    /// What a block that changes told, if anything.
    Record(Option<Record>),
    Warning(String),
    Told,
}

/// How much of a message was reported.
#[derive(Clone, Copy)]
struct Told {
    bytes: usize,
    edition: u32,
    /// Its number in the events: a new one for each edition.
    number: u64,
}

impl Watch {
    /// Of the subagent with that number.
    pub fn of_subagent(id: &SessionId, number: u64) -> Self {
        Self {
            subagent: Some((id.clone(), number)),
            from: Some(BlockId(0)),
            ..Self::default()
        }
    }

    /// Everything that is there now is old.
    pub fn skip(&mut self, transcript: &Transcript) {
        let last = transcript.blocks().last();
        self.known = last.map_or(BlockId(0), |block| BlockId(block.id.0 + 1));
        self.seen_rev = transcript.rev();
    }

    pub fn look(&mut self, transcript: &Transcript, sink: &mut Sink<'_>) {
        let blocks = transcript.blocks();
        match transcript.changes_since(self.seen_rev) {
            Changes::Some(changed) => {
                for at in changed {
                    if let Some(block) = blocks.get(at) {
                        self.look_at(block, sink);
                    }
                }
            }
            Changes::All => {
                for block in blocks {
                    self.look_at(block, sink);
                }
                let first = blocks.first().map(|block| block.id);
                self.seen.retain(|id, _| Some(*id) >= first);
            }
        }
        self.seen_rev = transcript.rev();
    }

    pub fn look_at(&mut self, block: &Block, sink: &mut Sink<'_>) {
        let told = self.from.is_some_and(|from| block.id >= from);
        // Notices of acp-tui itself are reported at any time.
        let said = told || matches!(block.kind, BlockKind::Notice(_));
        if !said || block.id < self.known {
            return;
        }
        match &block.kind {
            BlockKind::Agent(message) => {
                if let Some((message, replaces, text)) = self.more(block.id, &message.text) {
                    if self.subagent.is_none() {
                        keep_text(sink, message, &text);
                    }
                    let record = Record::Text {
                        message,
                        replaces,
                        text,
                    };
                    self.tell(record, sink);
                }
            }
            BlockKind::Thought(thought) => {
                if let Some((message, replaces, text)) = self.more(block.id, &thought.text) {
                    let record = Record::Thought {
                        message,
                        replaces,
                        text,
                    };
                    self.tell(record, sink);
                }
            }
            BlockKind::Tool(call) => {
                let is_new = !self.seen.contains_key(&block.id);
                self.look_at_tool(block.id, call, sink);
                if self.stored && is_new {
                    self.retell_tool(block.id, call, sink);
                }
            }
            BlockKind::Entity(_) => {
                let record = Record::of_block(&block.kind, self.stored);
                let known =
                    matches!(self.seen.get(&block.id), Some(Seen::Record(r)) if *r == record);
                if !known {
                    self.seen.insert(block.id, Seen::Record(record.clone()));
                    record
                        .into_iter()
                        .for_each(|record| self.tell(record, sink));
                }
            }
            BlockKind::Notice(notice) if notice.level == NoticeLevel::Warning => {
                // Its text may change, for example when an agent's last output arrives.
                let text = notice.text.to_string();
                let known =
                    matches!(self.seen.get(&block.id), Some(Seen::Warning(t)) if *t == text);
                if !known {
                    self.seen.insert(block.id, Seen::Warning(text));
                    self.tell_once(&block.kind, sink);
                }
            }
            kind => {
                if self.seen.insert(block.id, Seen::Told).is_none() {
                    self.tell_once(kind, sink);
                }
            }
        }
    }

    fn number(&self, id: BlockId) -> u64 {
        let of = self.subagent.as_ref().map_or(0, |(_, number)| *number);
        of.saturating_mul(PER_SUBAGENT).saturating_add(id.0)
    }

    fn tell_once(&self, kind: &BlockKind, sink: &mut Sink<'_>) {
        if let Some(record) = Record::of_block(kind, self.stored) {
            self.tell(record, sink);
        }
    }

    /// A subagent's words are not the agent's.
    fn tell(&self, record: Record, sink: &mut Sink<'_>) {
        sink.out.push(match &self.subagent {
            None => record,
            Some((id, _)) => Record::Within {
                subagent: id.as_str().to_owned(),
                what: Box::new(record),
            },
        });
    }

    /// The new part of a message, its number, and the number of the message that it replaces: what
    /// was reported cannot be taken back, so a message with another text is a new one (V2-UPD-01).
    fn more(&mut self, id: BlockId, text: &SafeTextBuf) -> Option<(u64, Option<u64>, String)> {
        let known = match self.seen.get(&id) {
            Some(Seen::Text(told)) => Some(*told),
            _ => None,
        };
        let anew = known.filter(|told| told.edition != text.edition());
        let (bytes, number) = match known {
            _ if anew.is_some() => {
                self.editions += 1;
                (0, self.number(BlockId(FIRST_EDITION + self.editions)))
            }
            Some(told) => (told.bytes, told.number),
            None => (0, self.number(id)),
        };
        if bytes == text.len() && anew.is_none() {
            return None;
        }
        let told = Told {
            bytes: text.len(),
            edition: text.edition(),
            number,
        };
        self.seen.insert(id, Seen::Text(told));
        // A very long message is shorter now: its middle was dropped, and its text says so.
        let more = text.get(bytes..).unwrap_or_default();
        let more = (!more.is_empty()).then(|| more.to_owned())?;
        Some((number, anew.map(|told| told.number), more))
    }

    /// Calls and their permissions are reported at the top level, whoever makes them.
    fn look_at_tool(&mut self, id: BlockId, call: &ToolCall, sink: &mut Sink<'_>) {
        let subagent = self.subagent.as_ref().map(|(id, _)| id);
        let tool = tool(self.number(id), subagent, call);
        let (before, answers) = match self.seen.get(&id) {
            Some(Seen::Tool(before, answers)) => (Some(&**before), *answers),
            _ => (None, 0),
        };
        if before != Some(&tool) {
            let calls = &mut sink.summary.tool_calls;
            match calls.iter_mut().rev().find(|known| known.call == tool.call) {
                Some(known) => known.clone_from(&tool),
                None => keep(calls, tool.clone()),
            }
            sink.out.push(Record::ToolCall(tool.clone()));
        }
        for answered in call.answers.iter().skip(answers) {
            let permission = permission(&tool, answered);
            keep(&mut sink.summary.permissions, permission.clone());
            sink.out.push(Record::Permission(permission));
        }
        if call.state == ToolState::Completed {
            for piece in &call.content {
                if let ToolContent::Diff(diff) = piece {
                    wrote(sink.summary, &diff.path, "agent");
                }
            }
        }
        let seen = Seen::Tool(Box::new(tool), call.answers.len());
        self.seen.insert(id, seen);
    }

    /// The events of a finished call: its terminal's output and the files that it changed, at the
    /// top level, whoever made the call.
    fn retell_tool(&self, id: BlockId, call: &ToolCall, sink: &mut Sink<'_>) {
        for piece in &call.content {
            match piece {
                ToolContent::Block(ContentBlock::Text(text)) if call.kind == ToolKind::Execute => {
                    let (call, text) = (self.number(id), text.to_string());
                    sink.out.push(Record::TerminalOutput { call, text });
                }
                ToolContent::Diff(diff) if call.state == ToolState::Completed => {
                    let lines = match &diff.text {
                        DiffText::Sides { new, .. } => new.lines().count(),
                        DiffText::Patch(_) | DiffText::None => 0,
                    };
                    let path = diff.path.clone();
                    sink.out.push(Record::FileWritten { path, lines });
                }
                _ => {}
            }
        }
    }

    pub fn look_at_plans(&mut self, said: &Conversation, sink: &mut Sink<'_>) {
        if self.from.is_none() {
            return;
        }
        let (entries, named) = (PlanEntry::all(&said.plan), &said.plans);
        // A finished plan moves into the transcript, which is not a change of it.
        if entries != self.plan && !entries.is_empty() {
            self.plan.clone_from(&entries);
            let (id, text) = (None, None);
            self.tell(Record::Plan { id, entries, text }, sink);
        }
        if self.plans == *named {
            return;
        }
        for named in named.iter().filter(|named| !self.plans.contains(named)) {
            let (entries, text) = match &named.body {
                PlanBody::Items(entries) => (PlanEntry::all(entries), None),
                PlanBody::Text(text) => (Vec::new(), Some(text.text.to_string())),
                PlanBody::Unknown { raw, .. } => (Vec::new(), Some(raw.0.to_string())),
            };
            let id = Some(named.id.as_str().to_owned());
            self.tell(Record::Plan { id, entries, text }, sink);
        }
        self.plans.clone_from(&said.plans);
    }
}

fn keep_text(sink: &mut Sink<'_>, message: u64, text: &str) {
    let summary = &mut *sink.summary;
    if summary.text.len() + text.len() > MAX_TEXT {
        summary.text_truncated = true;
        return;
    }
    summary.text.push_str(sink.flow.before(message, text));
    summary.text.push_str(text);
}

/// Lists each file once; "written by acp-tui" wins.
pub(super) fn wrote(summary: &mut Summary, path: &str, by: &'static str) {
    let files = &mut summary.files_written;
    if let Some(known) = files.iter_mut().find(|file| file.path == path) {
        if by == "acp-tui" {
            known.by = by;
        }
        return;
    }
    let path = path.to_owned();
    keep(files, FileWritten { path, by });
}
