//! What subagents said and did, plans that are not done, and turns that have no end.

use std::time::{Duration, Instant};

use super::super::*;
use crate::{
    model::{
        AgentCaps, AgentEvent, CallResult, CallTag, ChunkRole, ClientCaps, ConnectionId,
        ContentBlock, FromAgent, Initialized, Meta, NamedPlan, Patch, PlanBody, PlanEntry, PlanId,
        PlanPriority, PlanStatus, PromptBlock, SessionId, SessionKey, SessionOpened, StopReason,
        SubagentPatch, ToolCallId, ToolCallPatch, ToolKind, ToolStatus, WorkState,
    },
    session::{BlockKind, Event, Past, Prompt, Session, SessionConfig, reduce},
    text::SafeText,
};

/// A session that is stored as it goes on.
struct Stage {
    session: Session,
    saver: Saver,
    now: Instant,
    written: Vec<u8>,
}

impl Stage {
    /// With a prompt on the wire.
    fn running() -> Self {
        let now = Instant::now();
        let config = SessionConfig {
            caps: ClientCaps::default(),
            start_timeout: Duration::from_secs(60),
            ..SessionConfig::looked_at("Demo".into(), "/project".into())
        };
        let (session, _) = Session::start(config, now);
        let saver = Saver::new("demo".into(), 1_000);
        let mut stage = Self {
            session,
            saver,
            now,
            written: Vec::new(),
        };
        stage.open();
        stage
    }

    fn open(&mut self) {
        self.event(Event::Connected(ConnectionId(1)));
        self.reply(
            CallTag::Initialize,
            CallResult::Initialized(Box::new(Initialized {
                protocol_version: 1,
                odd_version: None,
                agent_name: Some("Demo".into()),
                agent_version: None,
                caps: AgentCaps::default(),
                auth_methods: Vec::new(),
            })),
        );
        self.reply(
            CallTag::NewSession,
            CallResult::SessionOpened(Box::new(SessionOpened {
                id: Some(SessionId::new("s")),
                modes: None,
                config_options: Vec::new(),
                commands: Vec::new(),
            })),
        );
        self.asks("go");
    }

    fn asks(&mut self, text: &str) {
        self.event(Event::Submit(Prompt {
            text: text.into(),
            blocks: vec![PromptBlock::Text(text.into())],
        }));
    }

    fn event(&mut self, event: Event) {
        reduce(&mut self.session, event, self.now);
    }

    fn says(&mut self, session: &str, event: AgentEvent) {
        self.event(Event::Agent(
            ConnectionId(1),
            FromAgent::Update {
                session: Some(SessionId::new(session)),
                event,
            },
        ));
    }

    fn reply(&mut self, call: CallTag, result: CallResult) {
        let reply = FromAgent::Reply {
            caller: SessionKey::default(),
            call,
            result,
        };
        self.event(Event::Agent(ConnectionId(1), reply));
    }

    fn ends(&mut self) {
        let session = SessionId::new("s");
        self.reply(
            CallTag::Prompt { session },
            CallResult::PromptDone(StopReason::EndTurn, None),
        );
    }

    fn store(&mut self, last: bool) -> usize {
        self.now += Duration::from_secs(1);
        let batch = self.saver.take(&self.session, self.now, 2_000, last);
        for line in &batch.lines {
            line.write(&mut self.written);
        }
        batch.lines.len()
    }

    fn read(&self) -> StoredSession {
        StoredSession::read(&self.written).expect("a session")
    }

    /// The same session, opened again in another client.
    fn opened_again(mut self) -> Self {
        let mut record = self.read();
        record.close();
        let stored = record.going_on();
        let config = self.session.config.clone();
        self.session = Session::start(config, self.now).0;
        self.session.show_stored(record.into_history(self.now));
        self.saver = Saver::going_on(stored, &self.session);
        self.open();
        self
    }
}

fn text(text: &str) -> AgentEvent {
    AgentEvent::Chunk {
        role: ChunkRole::Agent,
        message: None,
        content: ContentBlock::Text(SafeText::new(text)),
        meta: Meta::default(),
    }
}

fn child(id: &str, state: WorkState) -> AgentEvent {
    AgentEvent::Subagent(Box::new(SubagentPatch {
        title: Patch::Set(SafeText::new(&format!("Explore {id}"))),
        state: Patch::Set(state.into()),
        ..SubagentPatch::new(SessionId::new(id))
    }))
}

fn tool(title: &str) -> AgentEvent {
    AgentEvent::ToolCall(Box::new(ToolCallPatch {
        announces: true,
        title: Patch::Set(SafeText::new(title)),
        kind: Patch::Set(ToolKind::Read),
        status: Patch::Set(ToolStatus::Completed),
        ..ToolCallPatch::new(ToolCallId::new(title))
    }))
}

fn texts(said: &Conversation) -> Vec<String> {
    let blocks = said.blocks.iter().map(|stored| &stored.block);
    blocks
        .map(|block| match &block.tool {
            Some(tool) => tool.title.to_string(),
            None => block.text.to_string(),
        })
        .collect()
}

fn entry(content: &str, status: PlanStatus) -> PlanEntry {
    PlanEntry {
        content: SafeText::new(content),
        priority: PlanPriority::Medium,
        status,
    }
}

/// A subagent that has one of its own.
fn nested() -> Stage {
    let mut stage = Stage::running();
    stage.says("s", text("I send somebody."));
    stage.says("s", child("a", WorkState::Running));
    stage.says("a", text("I look "));
    stage.store(false);
    stage.says("a", text("around."));
    stage.says("a", tool("read a.rs"));
    stage.says("a", child("b", WorkState::Running));
    stage.says("b", text("Deep down."));
    stage.says("a", child("b", WorkState::Idle(None)));
    stage.says("s", child("a", WorkState::Idle(None)));
    stage.says("s", text("It is done."));
    stage
}

#[test]
fn what_subagents_said_and_did_comes_back_within_what_stands_for_them() {
    let mut stage = nested();
    stage.ends();
    stage.store(false);
    let record = stage.read();
    assert_eq!(
        texts(&record.said),
        [
            "go",
            "I send somebody.",
            "Explore a",
            "It is done.",
            "Worked for 1s"
        ]
    );
    assert_eq!(
        texts(&record.children[&1]),
        ["I look around.", "read a.rs", "Explore b"]
    );
    assert_eq!(texts(&record.children[&2]), ["Deep down."]);
    let found = |word: &str| record.texts().any(|text| text.contains(word));
    assert!(found("Deep down") && found("read a.rs"));
    insta::assert_snapshot!(markdown(&record));

    let mut session = Session::start(stage.session.config.clone(), stage.now).0;
    session.show_stored(record.into_history(stage.now));
    let a = session.subagents.get(&SessionId::new("a")).expect("shown");
    let b = session.subagents.get(&SessionId::new("b")).expect("shown");
    assert_eq!((a.depth, b.depth), (1, 2));
    assert_eq!(a.conversation.transcript.blocks().len(), 3);
    assert_eq!(&*a.name(), "Explore a");
    assert_eq!(b.state, Some(WorkState::Idle(None)));
}

#[test]
fn a_subagent_costs_what_is_new_of_it() {
    let mut stage = Stage::running();
    stage.says("s", child("a", WorkState::Running));
    stage.says("a", text("one "));
    stage.store(false);
    for _ in 0..100 {
        stage.says("a", text("word "));
    }
    assert_eq!(stage.store(false), 1, "its row has not changed");
    assert_eq!(stage.store(false), 0);
}

#[test]
fn a_subagent_goes_on_behind_what_is_stored_of_it() {
    let mut stage = nested();
    stage.ends();
    stage.store(true);
    let mut stage = stage.opened_again();
    stage.says("s", child("a", WorkState::Running));
    stage.says("a", text("Again."));
    stage.says("s", child("c", WorkState::Running));
    stage.says("c", text("I am new."));
    stage.ends();
    stage.store(true);
    let record = stage.read();
    assert_eq!(
        texts(&record.children[&1]),
        ["I look around.", "read a.rs", "Explore b", "Again."]
    );
    assert_eq!(texts(&record.children[&3]), ["I am new."]);
}

#[test]
fn a_reader_that_knows_no_subagents_takes_nothing_of_theirs_for_the_agents() {
    let mut stage = nested();
    stage.store(true);
    for line in stage.written.split(|byte| *byte == b'\n') {
        let line: serde_json::Value = match serde_json::from_slice(line) {
            Ok(line) => line,
            Err(_) => continue,
        };
        if line["child"].is_object() {
            assert!(line["block"].is_null() && line["more"].is_null(), "{line}");
        }
    }
}

#[test]
fn a_file_that_gets_too_long_loses_subagents_with_what_stands_for_them() {
    let mut stage = Stage::running();
    for n in 0..20 {
        let id = format!("c{n}");
        stage.says("s", child(&id, WorkState::Running));
        stage.says(&id, text(&"x".repeat(2_000)));
        stage.says("s", child(&id, WorkState::Idle(None)));
    }
    stage.ends();
    stage.store(true);
    let mut record = stage.read();
    assert_eq!(record.children.len(), 20);
    record.keep_last(10_000);
    let rows = record.said.blocks.iter();
    let rows = rows.filter(|stored| stored.block.kind == Kind::Subagent);
    assert_eq!(rows.count(), record.children.len());
    assert!(record.children.len() < 20);
    let mut out = Vec::new();
    for line in record.lines() {
        line.write(&mut out);
    }
    assert!(out.len() < 25_000, "{}", out.len());
    let again = StoredSession::read(&out).expect("a session");
    assert_eq!(again.children.len(), record.children.len());
}

#[test]
fn conversations_that_stand_in_each_other_end() {
    let about = Line::about(1, About::default());
    let row = |child| Block {
        kind: Kind::Subagent,
        source_id: Some(format!("c{child}")),
        child: Some(child),
        ..Block::default()
    };
    let mut out = Vec::new();
    for line in [
        about,
        Line::block(1, row(1)),
        Line::block(1, row(2)).of(1),
        Line::block(1, row(1)).of(2),
    ] {
        line.write(&mut out);
    }
    let record = StoredSession::read(&out).expect("a session");
    assert!(markdown(&record).len() < 10_000);
    let history = record.into_history(Instant::now());
    assert_eq!(history.blocks.len(), 1);
    let config = SessionConfig::looked_at("Demo".into(), "/project".into());
    Session::past(config, None, history, Instant::now());
}

// V1-PLAN-06
#[test]
fn plans_that_are_not_done_are_stored_and_pinned_again() {
    let mut stage = Stage::running();
    let plan = vec![
        entry("look", PlanStatus::Completed),
        entry("do", PlanStatus::Pending),
    ];
    stage.says("s", AgentEvent::Plan(plan.clone()));
    let named = NamedPlan {
        id: PlanId::new("p"),
        body: PlanBody::Items(vec![entry("later", PlanStatus::InProgress)]),
    };
    stage.says("s", AgentEvent::NamedPlan(named.clone()));
    stage.ends();
    stage.store(false);
    let record = stage.read();
    let written = markdown(&record);
    assert!(
        written.ends_with("## Not done\n\n- [x] look\n- [ ] do\n\n- [ ] later\n"),
        "{written}"
    );
    let history = record.into_history(stage.now);
    assert_eq!((history.plan, history.plans), (plan, vec![named]));

    // Once it is done it stands in the conversation, and nowhere else.
    stage.asks("on");
    let done = vec![entry("look", PlanStatus::Completed)];
    stage.says("s", AgentEvent::Plan(done));
    stage.says("s", AgentEvent::PlanRemoved(PlanId::new("p")));
    stage.ends();
    stage.store(false);
    assert!(stage.read().said.plans.is_empty());
}

#[test]
fn an_answer_that_has_no_end_is_marked_and_stays_so() {
    let mut stage = Stage::running();
    stage.says("s", text("half an ans"));
    stage.store(false);
    let mut record = stage.read();
    assert!(record.turn_is_open);
    assert!(!markdown(&record).contains(CUT_OFF), "it may go on");
    record.close();
    assert!(markdown(&record).ends_with("half an ans\n\n*cut off: acp-tui ended here*\n"));
    let last = record.into_history(stage.now).blocks.pop();
    assert!(
        matches!(last, Some(Past::Block(BlockKind::Notice(notice))) if &*notice.text == CUT_OFF)
    );

    let mut stage = stage.opened_again();
    stage.says("s", text("a whole answer"));
    stage.ends();
    stage.store(false);
    let record = stage.read();
    assert!(!record.turn_is_open);
    let marked = |record: &StoredSession| {
        let marked = record.said.blocks.iter().filter(|stored| stored.cut);
        let texts = marked.map(|stored| stored.block.text.to_string());
        texts.collect::<Vec<_>>()
    };
    assert_eq!(marked(&record), ["half an ans"]);
    // Also where the file was written anew.
    let mut out = Vec::new();
    for line in record.lines() {
        line.write(&mut out);
    }
    let again = StoredSession::read(&out).expect("a session");
    assert_eq!(marked(&again), ["half an ans"]);
    assert_eq!(again.stop.as_deref(), Some("end_turn"));
}

#[test]
fn a_file_that_ends_within_a_line_is_known() {
    let mut stage = nested();
    stage.ends();
    stage.store(true);
    let whole = &stage.written;
    assert!(!stage.read().torn);
    let lines = whole.iter().filter(|byte| **byte == b'\n').count();
    let mut torn = 0;
    for end in 0..whole.len() {
        let Some(mut record) = StoredSession::read(&whole[..end]) else {
            continue;
        };
        let ends_a_line = whole[..end].ends_with(b"\n") || whole[end] == b'\n';
        assert_eq!(record.torn, !ends_a_line, "at {end}");
        torn += usize::from(record.torn);
        record.close();
        markdown(&record);
        record.into_history(stage.now);
    }
    assert!(torn > lines);
}
