use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::*;
use crate::{
    model::{
        AgentCaps, AgentEvent, CallResult, CallTag, ChunkRole, ClientCaps, ConnectionId,
        ContentBlock, Diff, FromAgent, Initialized, Meta, Patch, PromptBlock, Protocol, SessionId,
        SessionKey, SessionOpened, StopReason, ToolCallId, ToolCallPatch, ToolContent, ToolKind,
        ToolStatus,
    },
    session::{Effect, Event, Prompt, Session, SessionConfig, Start, reduce},
    text::SafeText,
};

/// A session that is watched.
struct Watched {
    session: Session,
    observer: Observer,
    records: Vec<Record>,
}

impl Watched {
    /// With the first prompt on the wire.
    fn running() -> Self {
        let prompt = Prompt {
            text: "go".into(),
            blocks: vec![PromptBlock::Text("go".into())],
        };
        let config = SessionConfig {
            agent: "fake".into(),
            command: "fake".into(),
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
            first_prompt: Some(prompt),
            unattended: true,
        };
        let (session, _) = Session::start(config, Instant::now());
        let mut watched = Self {
            session,
            observer: Observer::new("fake", Scope::Turn),
            records: Vec::new(),
        };
        watched.event(Event::Connected(ConnectionId(1)));
        watched.reply(
            CallTag::Initialize,
            CallResult::Initialized(Box::new(Initialized {
                protocol_version: 1,
                odd_version: None,
                agent_name: Some("Fake".into()),
                agent_version: Some("1".into()),
                caps: AgentCaps::default(),
                auth_methods: Vec::new(),
            })),
        );
        // Of before: not told.
        watched.reply(
            CallTag::NewSession,
            CallResult::SessionOpened(Box::new(SessionOpened {
                id: Some(SessionId::new("s")),
                modes: None,
                config_options: Vec::new(),
                commands: Vec::new(),
            })),
        );
        watched
    }

    fn event(&mut self, event: Event) -> Vec<Effect> {
        self.records.extend(self.observer.hear(&event));
        let effects = reduce(&mut self.session, event, Instant::now());
        self.records.extend(self.observer.look(&self.session));
        effects
    }

    fn says(&mut self, event: AgentEvent) {
        self.event(Event::Agent(
            ConnectionId(1),
            FromAgent::Update {
                session: Some(SessionId::new("s")),
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

    fn ends(&mut self, reason: StopReason) {
        let session = SessionId::new("s");
        self.reply(
            CallTag::Prompt { session },
            CallResult::PromptDone(reason, None),
        );
    }

    fn json(&self) -> Vec<Value> {
        let lines = self.records.iter().map(line);
        lines
            .map(|line| serde_json::from_str(&line).expect("JSON"))
            .collect()
    }
}

fn text(role: ChunkRole, text: &str) -> AgentEvent {
    AgentEvent::Chunk {
        role,
        message: None,
        content: ContentBlock::Text(SafeText::new(text)),
        meta: Meta::default(),
    }
}

fn edit(status: ToolStatus) -> AgentEvent {
    let diff = Diff::of_texts("src/a.rs".into(), None, "x".into());
    AgentEvent::ToolCall(Box::new(ToolCallPatch {
        announces: true,
        title: Patch::Set("Edit a.rs".into()),
        kind: Patch::Set(ToolKind::Edit),
        status: Patch::Set(status),
        content: Patch::Set(vec![ToolContent::Diff(diff.into())]),
        ..ToolCallPatch::new(ToolCallId::new("t"))
    }))
}

#[test]
fn what_happens_is_told_once_and_in_order() {
    let mut watched = Watched::running();
    watched.says(text(ChunkRole::Thought, "hm"));
    watched.says(text(ChunkRole::Agent, "one "));
    watched.says(text(ChunkRole::Agent, "two"));
    watched.says(edit(ToolStatus::InProgress));
    watched.says(edit(ToolStatus::Completed));
    watched.says(edit(ToolStatus::Completed));
    watched.says(text(ChunkRole::Agent, "done"));
    watched.event(Event::Wrote {
        session: crate::model::SessionId::new("s"),
        path: "b.rs".into(),
        lines: 2,
    });
    assert_eq!(watched.observer.turn_end(), None);
    watched.ends(StopReason::EndTurn);
    assert!(matches!(
        watched.observer.turn_end(),
        Some(Some(StopReason::EndTurn))
    ));
    let tool = |status: &str| {
        json!({"event": "tool_call", "call": 2, "id": "t", "title": "Edit a.rs", "kind": "edit",
            "status": status, "command": null, "paths": ["src/a.rs"]})
    };
    let told: Vec<Value> = watched
        .json()
        .into_iter()
        .filter(|record| record["event"] != "notice" && record["event"] != "user")
        .collect();
    assert_eq!(
        told,
        [
            json!({"event": "agent", "name": "Fake", "version": "1"}),
            json!({"event": "session", "id": "s"}),
            json!({"event": "thought", "message": 1, "text": "hm"}),
            json!({"event": "text", "message": 2, "text": "one "}),
            json!({"event": "text", "message": 2, "text": "two"}),
            tool("in_progress"),
            tool("completed"),
            json!({"event": "text", "message": 4, "text": "done"}),
            json!({"event": "file_written", "path": "b.rs", "lines": 2}),
        ]
        .map(|mut record| {
            // Numbers are places in the transcript.
            if record["event"] == "tool_call" {
                record["call"] = json!(3);
            }
            record
        })
    );
    let summary = watched.observer.summary();
    assert_eq!(summary.text, "one two\n\ndone");
    assert_eq!(summary.stop_reason.as_deref(), Some("end_turn"));
    assert_eq!(summary.tool_calls.len(), 1);
    let files: Vec<(&str, &str)> = summary
        .files_written
        .iter()
        .map(|file| (file.path.as_str(), file.by))
        .collect();
    assert_eq!(files, [("src/a.rs", "agent"), ("b.rs", "acp-tui")]);
}

#[test]
fn words_and_asides_go_separate_ways() {
    let mut watched = Watched::running();
    watched.says(text(ChunkRole::Agent, "one"));
    watched.says(edit(ToolStatus::InProgress));
    watched.says(edit(ToolStatus::Failed));
    watched.says(text(ChunkRole::Agent, "two\u{1b}[31m"));
    watched.ends(StopReason::MaxTokens);
    let mut narrator = Narrator::default();
    let mut words = String::new();
    let mut asides = Vec::new();
    for record in &watched.records {
        words.push_str(&narrator.words(record));
        asides.extend(narrator.aside(record).iter().map(ToString::to_string));
    }
    words.push_str(narrator.end());
    assert_eq!(words, "one\n\ntwo␛[31m\n");
    assert_eq!(
        asides,
        [
            "[edit] Edit a.rs",
            "[edit] Edit a.rs: failed",
            "[warning] the token limit was reached: the answer is cut off",
        ]
    );
}

#[test]
fn an_agent_that_is_lost_ends_the_turn_without_an_answer() {
    let mut watched = Watched::running();
    watched.event(Event::Exited(ConnectionId(1), Default::default()));
    assert_eq!(watched.observer.turn_end(), Some(None));
    assert_eq!(watched.observer.summary().stop_reason, None);
}

#[test]
fn the_version_is_the_first_thing_and_stands_in_the_summary() {
    let start = Record::Start {
        version: VERSION,
        agent: "a".into(),
        cwd: "/".into(),
        worktree: None,
        policy: "ask",
    };
    assert_eq!(
        line(&start),
        "{\"event\":\"start\",\"version\":1,\"agent\":\"a\",\"cwd\":\"/\",\"policy\":\"ask\"}\n"
    );
    let end: Value = serde_json::from_str(&line(&Record::End(Box::default()))).expect("JSON");
    assert_eq!((&end["event"], &end["version"]), (&json!("end"), &json!(1)));
}

#[test]
fn a_subagent_is_told_of_when_it_comes_and_when_it_stands_otherwise() {
    use crate::model::{Patch, SubagentPatch, WorkState};
    let mut watched = Watched::running();
    let child = |state: WorkState| {
        AgentEvent::Subagent(Box::new(SubagentPatch {
            title: Patch::Set("Explore".into()),
            state: Patch::Set(state.into()),
            ..SubagentPatch::new(SessionId::new("c"))
        }))
    };
    watched.says(child(WorkState::Running));
    watched.says(text(ChunkRole::Agent, "one"));
    watched.says(child(WorkState::Running));
    watched.says(child(WorkState::Idle(None)));
    let told: Vec<Value> = watched
        .json()
        .into_iter()
        .filter(|record| record["event"] == "subagent")
        .map(|record| record["state"].clone())
        .collect();
    assert_eq!(told, ["running", "idle"]);
}

fn of_child(event: AgentEvent) -> Event {
    Event::Agent(
        ConnectionId(1),
        FromAgent::Update {
            session: Some(SessionId::new("c")),
            event,
        },
    )
}

/// With a subagent that works.
fn with_child() -> Watched {
    use crate::model::{SubagentPatch, WorkState};
    let mut watched = Watched::running();
    watched.says(AgentEvent::Subagent(Box::new(SubagentPatch {
        title: Patch::Set("Explore".into()),
        state: Patch::Set(WorkState::Running.into()),
        ..SubagentPatch::new(SessionId::new("c"))
    })));
    watched
}

// V1-SUB-02
#[test]
fn what_a_subagent_says_is_not_what_the_agent_says() {
    let mut watched = with_child();
    watched.event(of_child(text(ChunkRole::Agent, "I look ")));
    watched.event(of_child(text(ChunkRole::Agent, "around.\nThere.")));
    watched.event(of_child(edit(ToolStatus::Completed)));
    watched.says(text(ChunkRole::Agent, "done"));
    watched.ends(StopReason::EndTurn);
    let told: Vec<Value> = watched
        .json()
        .into_iter()
        .filter(|record| record["event"] == "within" || record["event"] == "tool_call")
        .collect();
    let message = told[0]["what"]["message"].clone();
    assert_eq!(
        told[1],
        json!({"event": "within", "subagent": "c",
            "what": {"event": "text", "message": message, "text": "around.\nThere."}})
    );
    assert_eq!(told[2]["subagent"], "c");
    assert_eq!(told[2]["title"], "Edit a.rs");
    let summary = watched.observer.summary();
    assert_eq!(summary.text, "done");
    assert_eq!(summary.tool_calls[0].subagent.as_deref(), Some("c"));
    assert_eq!(summary.subagents[0].title, "Explore");
    assert_eq!(summary.files_written[0].path, "src/a.rs");

    let mut narrator = Narrator::default();
    let words: String = watched.records.iter().map(|r| narrator.words(r)).collect();
    assert_eq!(words, "done");
    let mut narrator = Narrator::default();
    let asides = watched.records.iter().flat_map(|r| narrator.aside(r));
    let asides: Vec<String> = asides.map(|line| line.to_string()).collect();
    assert_eq!(
        asides,
        ["[Explore] I look around.", "[Explore: edit] Edit a.rs"]
    );
}

#[test]
fn calls_of_subagents_have_numbers_of_their_own() {
    let mut watched = with_child();
    watched.says(edit(ToolStatus::InProgress));
    watched.event(of_child(edit(ToolStatus::InProgress)));
    let calls = &watched.observer.summary().tool_calls;
    assert_eq!(calls.len(), 2);
    assert_ne!(calls[0].call, calls[1].call);
}

#[test]
fn a_permission_that_is_refused_to_a_subagent_is_in_the_report() {
    use crate::model::{
        HostRequest, OptionId, PermissionKind, PermissionOption, PermissionRequest,
        PermissionSubject, RequestKey, Verdict,
    };
    let mut watched = with_child();
    let request = HostRequest::Permission(Box::new(PermissionRequest {
        session: SessionId::new("c"),
        title: None,
        description: None,
        subject: PermissionSubject::ToolCall(Box::new(ToolCallPatch {
            title: Patch::Set("rm".into()),
            ..ToolCallPatch::new(ToolCallId::new("t"))
        })),
        options: vec![PermissionOption {
            id: OptionId::new("n"),
            name: "No".into(),
            kind: PermissionKind::RejectOnce,
        }],
    }));
    let key = RequestKey {
        connection: ConnectionId(1),
        number: 1,
    };
    let effects = watched.event(Event::Agent(
        ConnectionId(1),
        FromAgent::Request { key, request },
    ));
    let question = effects.into_iter().find_map(|effect| match effect {
        Effect::Decide { question, .. } => Some(question),
        _ => None,
    });
    watched.event(Event::Decided {
        revision: None,
        question: question.expect("policy is asked"),
        verdict: Verdict::ask(None),
    });
    let permission = &watched.observer.summary().permissions[0];
    assert_eq!(
        (permission.decision, permission.subagent.as_deref()),
        ("denied", Some("c"))
    );
}

#[test]
fn what_was_said_before_is_known() {
    use crate::session::{BlockKind, History, Notice, NoticeLevel, Past};
    let mut watched = Watched::running();
    let notice = BlockKind::Notice(Notice {
        level: NoticeLevel::Warning,
        text: "of before".into(),
        detail: None,
        last_words: false,
    });
    watched.session.show_stored(History {
        blocks: vec![Past::Block(notice)],
        ..History::default()
    });
    watched.observer.know(&watched.session);
    watched.says(text(ChunkRole::Agent, "new"));
    assert!(!watched.json().iter().any(|r| r["text"] == "of before"));
    assert_eq!(watched.observer.summary().text, "new");
}

#[test]
fn blocks_of_a_stored_session_tell_what_its_events_told() {
    use crate::{
        model::{PlanEntry, PlanPriority, PlanStatus, PlanText},
        session::{BlockKind, History, Past, PastSubagent, ToolCall, ToolState},
    };
    let plan = BlockKind::Plan(vec![PlanEntry {
        content: "look".into(),
        priority: PlanPriority::High,
        status: PlanStatus::Completed,
    }]);
    let plan_text = BlockKind::PlanText(PlanText {
        text: "# How".into(),
        path: None,
    });
    let diff = Diff::of_texts("a.rs".into(), None, "x\ny\n".into());
    let call = BlockKind::Tool(Box::new(ToolCall {
        kind: ToolKind::Execute,
        state: ToolState::Completed,
        content: vec![
            ToolContent::Block(ContentBlock::Text("ok".into())),
            ToolContent::Diff(diff.into()),
        ],
        ..ToolCall::new(ToolCallId::new("t"), Instant::now())
    }));
    let subagent = PastSubagent {
        id: SessionId::new("child"),
        state: None,
        took: None,
        said: History {
            blocks: vec![Past::Block(call), Past::Block(plan)],
            ..History::default()
        },
    };
    let history = History {
        blocks: vec![Past::Block(plan_text), Past::Subagent(Box::new(subagent))],
        ..History::default()
    };
    let config = SessionConfig::looked_at("Fake".into(), "/project".into());
    let session = Session::past(config, None, history, Instant::now());
    let (_, told, _) = Observer::new("fake", Scope::All).retell(&session);
    let told: Vec<Value> = told
        .iter()
        .flatten()
        .map(|record| serde_json::from_str(&line(record)).expect("JSON"))
        .collect();
    let count = |expected: &Value| told.iter().filter(|record| *record == expected).count();
    let plan_text = json!({"event": "plan", "entries": [], "text": "# How"});
    let entry = json!({"content": "look", "status": "completed", "priority": "high"});
    let plan = json!({"event": "plan", "entries": [entry]});
    let of_child = json!({"event": "within", "subagent": "child", "what": plan});
    let written = json!({"event": "file_written", "path": "a.rs", "lines": 2});
    for expected in [plan_text, of_child, written] {
        assert_eq!(count(&expected), 1, "{expected} in {told:?}");
    }
    let output = told
        .iter()
        .find(|record| record["event"] == "terminal_output");
    let call = told.iter().find(|record| record["event"] == "tool_call");
    let (output, call) = (output.expect("output"), call.expect("a call"));
    assert_eq!(
        (&output["text"], &output["call"]),
        (&json!("ok"), &call["call"])
    );
}

// V1-PROMPT-08
#[test]
fn tokens_of_the_turn_are_in_the_summary() {
    let mut watched = Watched::running();
    let tokens = crate::model::TurnTokens {
        total: 30,
        input: 20,
        output: 10,
    };
    let session = SessionId::new("s");
    watched.reply(
        CallTag::Prompt { session },
        CallResult::PromptDone(StopReason::EndTurn, Some(tokens)),
    );
    let end = Record::End(Box::new(watched.observer.summary().clone()));
    let end: Value = serde_json::from_str(&line(&end)).expect("JSON");
    let expected = json!({"total": 30, "input": 20, "output": 10});
    assert_eq!(end["tokens"], expected);
    assert!(
        watched
            .json()
            .iter()
            .any(|r| r["event"] == "tokens" && r["total"] == 30)
    );
}

impl Watched {
    fn accepts(&mut self) {
        let session = SessionId::new("s");
        self.reply(
            CallTag::Prompt { session },
            CallResult::PromptAccepted {
                message: crate::model::MessageId::new("m"),
            },
        );
    }
}

fn state(state: crate::model::WorkState) -> AgentEvent {
    AgentEvent::State(state.into())
}

// V2-PROMPT-01, V2-STATE-01
#[test]
fn a_turn_ends_by_the_agents_state() {
    use crate::model::WorkState::{Idle, Running};
    let mut watched = Watched::running();
    watched.accepts();
    watched.says(state(Running));
    watched.says(text(ChunkRole::Agent, "done"));
    assert_eq!(watched.observer.turn_end(), None);
    watched.says(state(Idle(Some(StopReason::MaxTokens))));
    assert_eq!(
        watched.observer.turn_end(),
        Some(Some(&StopReason::MaxTokens))
    );
    assert_eq!(
        watched.observer.summary().stop_reason.as_deref(),
        Some("max_tokens")
    );
    // What the agent does by itself later changes nothing of that.
    watched.says(state(Running));
    watched.says(state(Idle(Some(StopReason::Refusal))));
    assert_eq!(
        watched.observer.turn_end(),
        Some(Some(&StopReason::MaxTokens))
    );
}

// V2-UPD-01
#[test]
fn a_message_that_is_worded_anew_is_another_one() {
    use crate::model::{MessageId, WorkState};
    let mut watched = Watched::running();
    watched.accepts();
    watched.says(state(WorkState::Running));
    let chunk = |said: &str| AgentEvent::Chunk {
        role: ChunkRole::Agent,
        message: Some(MessageId::new("a")),
        content: ContentBlock::Text(SafeText::new(said)),
        meta: Meta::default(),
    };
    watched.says(chunk("one"));
    watched.says(AgentEvent::Message {
        role: ChunkRole::Agent,
        id: MessageId::new("a"),
        content: Patch::Set(vec![ContentBlock::Text("another".into())]),
        meta: Meta::default(),
    });
    watched.says(chunk(" one"));
    let told: Vec<(Value, Value, Value)> = watched
        .json()
        .into_iter()
        .filter(|record| record["event"] == "text")
        .map(|it| {
            (
                it["message"].clone(),
                it["replaces"].clone(),
                it["text"].clone(),
            )
        })
        .collect();
    let (first, anew) = (told[0].0.clone(), told[1].0.clone());
    assert_ne!(first, anew);
    assert_eq!(
        told,
        [
            (first.clone(), Value::Null, json!("one")),
            (anew.clone(), first, json!("another")),
            (anew, Value::Null, json!(" one")),
        ]
    );
}
