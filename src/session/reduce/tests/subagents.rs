//! Child sessions: what is known of them, their words, their requests, what can be done to them.

use super::*;
use crate::{
    model::{
        ContentPatch, Entity, EntityId, EntityPatch, EntityUpdate, FsRead, OptionId, Patch, Piece,
        SessionMessagePatch, StopReason, SubagentCaps, SubagentPatch, TerminalCreate, TerminalId,
        TerminalRef, ToolContent, ToolLocation, WorkState,
    },
    session::{Question, Subagent, ToolState, Verdict},
};

use WorkState::{Idle, Other, RequiresAction, Running, Unknown};

fn child(name: &str) -> SubagentPatch {
    SubagentPatch::new(id(name))
}

fn event(patch: SubagentPatch) -> AgentEvent {
    AgentEvent::Subagent(Box::new(patch))
}

fn working(name: &str) -> AgentEvent {
    event(SubagentPatch {
        title: Patch::Set(SafeText::new(name)),
        state: Patch::Set(Running.into()),
        ..child(name)
    })
}

fn cancellable(name: &str) -> AgentEvent {
    event(SubagentPatch {
        caps: Patch::Set(SubagentCaps { cancel: true }),
        state: Patch::Set(Running.into()),
        ..child(name)
    })
}

fn with_child() -> Play {
    let mut play = Play::running();
    play.update(working("c"));
    play
}

fn subagent<'a>(play: &'a Play, name: &str) -> &'a Subagent {
    play.session
        .subagents
        .get(&id(name))
        .expect("the child is known")
}

fn tool_of<'a>(play: &'a Play, name: &str, tool: &str) -> &'a ToolCall {
    let mut blocks = subagent(play, name).conversation.transcript.blocks().iter();
    blocks
        .find_map(|block| match &block.kind {
            BlockKind::Tool(call) if call.id.as_str() == tool => Some(&**call),
            _ => None,
        })
        .expect("the child's call is shown")
}

fn said_by(play: &Play, name: &str) -> Vec<String> {
    let blocks = subagent(play, name).conversation.transcript.blocks().iter();
    let kind = |kind: &BlockKind| match kind {
        BlockKind::Agent(message) => format!("agent: {}", &*message.text),
        BlockKind::User(message) => format!("user: {}", &*message.text),
        BlockKind::Tool(call) => format!("{} {:?}", call.id.as_str(), call.state),
        BlockKind::Subagent(id) => format!("subagent {}", id.as_str()),
        BlockKind::Notice(notice) => format!("· {}", notice.text),
        _ => "other".to_owned(),
    };
    blocks.map(|block| kind(&block.kind)).collect()
}

fn asks_for(play: &mut Play, session: &str, tool: &str) -> (RequestKey, Vec<Effect>) {
    play.request(HostRequest::Permission(Box::new(PermissionRequest {
        session: id(session),
        title: None,
        description: None,
        subject: crate::model::PermissionSubject::ToolCall(Box::new(ToolCallPatch::new(
            ToolCallId::new(tool),
        ))),
        options: vec![
            option("yes", PermissionKind::AllowOnce),
            option("no", PermissionKind::RejectOnce),
        ],
    })))
}

fn left_to_person(play: &mut Play) {
    let question = play.session.questions.back().expect("a question").id();
    play.event(Event::Decided {
        revision: None,
        question,
        verdict: Verdict::ask(None),
    });
}

fn served(effects: &[Effect]) -> HostRequest {
    let served = effects.iter().find_map(|effect| match effect {
        Effect::Serve { request, .. } => Some((**request).clone()),
        _ => None,
    });
    served.expect("it is served")
}

// V1-SUB-01
#[test]
fn the_first_word_makes_a_child_known_and_later_ones_patch_it() {
    let mut play = Play::running();
    play.update(event(child("c")));
    let fresh = subagent(&play, "c");
    assert_eq!((&fresh.title, &fresh.state), (&None, &None));
    assert!(!fresh.caps.cancel);
    type Change = fn(&mut SubagentPatch);
    let title = |play: &Play| subagent(play, "c").title.clone().map(|t| t.to_string());
    for (change, expected) in [
        (
            (|p| p.title = Patch::Set("Explore".into())) as Change,
            Some("Explore"),
        ),
        (|_| {}, Some("Explore")),
        (|p| p.title = Patch::Set("Test".into()), Some("Test")),
        (|p| p.title = Patch::Clear, None),
    ] {
        let mut patch = child("c");
        change(&mut patch);
        play.update(event(patch));
        assert_eq!(title(&play).as_deref(), expected);
    }
    let described = SubagentPatch {
        description: Patch::Set("looks for tests".into()),
        caps: Patch::Set(SubagentCaps { cancel: true }),
        ..child("c")
    };
    play.update(event(described));
    play.update(event(child("c")));
    assert!(subagent(&play, "c").caps.cancel);
    assert_eq!(&*subagent(&play, "c").name(), "looks for tests");
    let cleared = SubagentPatch {
        description: Patch::Clear,
        caps: Patch::Clear,
        ..child("c")
    };
    play.update(event(cleared));
    assert!(!subagent(&play, "c").caps.cancel);
    assert_eq!(&*subagent(&play, "c").name(), "subagent");
    assert_eq!(play.said(), ["user: go", "subagent c"]);
}

// V1-SUB-01
#[test]
fn unset_directories_are_the_parents_each_on_its_own() {
    let mut play = Play::open();
    play.update(event(child("c")));
    play.update_of("c", event(child("d")));
    let place = |play: &Play, name: &str| {
        let subagents = &play.session.subagents;
        let more = ["/more".into()];
        let dirs = subagents.directories_of(&id(name), &more);
        let dirs: Vec<String> = dirs.iter().map(|dir| dir.display().to_string()).collect();
        let cwd = subagents.cwd_of(&id(name), "/project".as_ref());
        (cwd.display().to_string(), dirs.join(" "))
    };
    assert_eq!(place(&play, "d"), ("/project".into(), "/more".into()));
    play.update(event(SubagentPatch {
        cwd: Patch::Set("/tree".into()),
        ..child("c")
    }));
    assert_eq!(place(&play, "d"), ("/tree".into(), "/more".into()));
    play.update_of(
        "c",
        event(SubagentPatch {
            additional_directories: Patch::Set(Vec::new()),
            ..child("d")
        }),
    );
    assert_eq!(place(&play, "d"), ("/tree".into(), String::new()));
    play.update(event(SubagentPatch {
        cwd: Patch::Clear,
        ..child("c")
    }));
    assert_eq!(place(&play, "d"), ("/project".into(), String::new()));
}

// V1-SUB-02
#[test]
fn a_childs_words_are_its_own_conversation() {
    let mut play = with_child();
    play.update(says("I ask somebody."));
    play.update_of("c", chunk(ChunkRole::User, None, "look for tests"));
    play.update_of("c", says("I lo"));
    play.update(says(" And wait."));
    play.update_of("c", says("ok."));
    play.update_of("c", tool("t", "search", ToolStatus::Completed));
    play.update(tool("t", "mine", ToolStatus::InProgress));
    assert_eq!(
        said_by(&play, "c"),
        ["user: look for tests", "agent: I look.", "t Completed"]
    );
    assert_eq!(
        play.said(),
        [
            "user: go",
            "subagent c",
            "agent: I ask somebody. And wait.",
            "t mine InProgress"
        ]
    );
    // It goes on when the turn is over, and does not open it again.
    play.ends(StopReason::EndTurn);
    play.update_of("c", tool("u", "more", ToolStatus::InProgress));
    assert_eq!(tool_of(&play, "c", "u").state, ToolState::InProgress);
    assert!(play.session.turn.is_none());
}

// V1-SUB-02: what changes within is a change of the row that shows it.
#[test]
fn every_word_of_a_child_changes_its_row_and_those_above() {
    let mut play = with_child();
    play.update_of("c", working("d"));
    let rows = |play: &Play| {
        let revs = |blocks: &[crate::session::Block]| blocks.iter().map(|b| b.rev).max();
        (
            revs(play.session.conversation.transcript.blocks()),
            revs(subagent(play, "c").conversation.transcript.blocks()),
        )
    };
    let before = rows(&play);
    play.update_of("d", says("deep"));
    let after = rows(&play);
    assert!(after.0 > before.0 && after.1 > before.1);
}

// V1-SUB-02
#[test]
fn a_childs_permission_is_asked_and_answered_in_its_own_conversation() {
    let mut play = with_child();
    play.update(tool("t", "mine", ToolStatus::Pending));
    let (key, effects) = asks_for(&mut play, "c", "t");
    assert!(matches!(effects.as_slice(), [Effect::Decide { .. }]));
    left_to_person(&mut play);
    assert!(tool_of(&play, "c", "t").asking);
    assert!(!play.tool("t").asking);
    let Some(Question::Permission(question)) = play.session.shown_question() else {
        panic!("a question");
    };
    assert_eq!(question.subagent, Some(id("c")));
    let answer = Event::Answer {
        question: question.id,
        option: OptionId::new("yes"),
    };
    let effects = play.event(answer);
    assert_eq!(
        wire(&effects),
        [format!("{} Selected(\"yes\")", key.number)]
    );
    let call = tool_of(&play, "c", "t");
    assert_eq!(call.state, ToolState::InProgress);
    assert!(call.answers[0].allowed == Some(true) && !call.asking);
    assert!(play.tool("t").answers.is_empty());
}

// V1-SUB-02, V1-TERM-04
#[test]
fn a_childs_requests_are_served_from_where_it_works() {
    let mut play = with_child();
    play.update(event(SubagentPatch {
        cwd: Patch::Set("/project/sub".into()),
        ..child("c")
    }));
    let create = |cwd: Option<&str>| {
        HostRequest::TerminalCreate(TerminalCreate {
            session: id("c"),
            command: "ls".into(),
            args: Vec::new(),
            env: Vec::new(),
            cwd: cwd.map(str::to_owned),
            output_byte_limit: None,
        })
    };
    for (asked, runs_in) in [(None, "/project/sub"), (Some("/else"), "/else")] {
        let (_, effects) = play.request(create(asked));
        let HostRequest::TerminalCreate(create) = served(&effects) else {
            panic!("a command");
        };
        assert_eq!(create.cwd.as_deref(), Some(runs_in));
        assert_eq!(create.session, id("c"));
    }
    for (asked, read) in [("a.rs", "/project/sub/a.rs"), ("/etc/x", "/etc/x")] {
        let (_, effects) = play.request(HostRequest::ReadTextFile(FsRead {
            session: id("c"),
            path: asked.into(),
            line: None,
            limit: None,
        }));
        let HostRequest::ReadTextFile(request) = served(&effects) else {
            panic!("a read");
        };
        // Whether that is inside the workspace is judged as for its parent: not here.
        assert_eq!(request.path, read);
    }
    // One that nobody knows is refused (V1-SES-04).
    let (key, effects) = asks_for(&mut play, "stranger", "t");
    assert_eq!(wire(&effects), [format!("{} error -32002", key.number)]);
}

#[test]
fn a_childs_command_and_file_stand_in_its_own_conversation() {
    let mut play = with_child();
    play.event(Event::TerminalStarted {
        session: Some(id("c")),
        id: TerminalId::new("term"),
        command: "ls".into(),
        cwd: "/project".into(),
    });
    play.event(Event::Wrote {
        session: id("c"),
        path: "/project/a.rs".into(),
        lines: 2,
    });
    let said = said_by(&play, "c");
    assert!(said[0].ends_with("InProgress"), "{said:?}");
    assert_eq!(said[1], "· wrote a.rs · 2 lines");
    play.event(Event::TerminalExited {
        id: TerminalId::new("term"),
        status: crate::model::ExitStatus {
            code: Some(0),
            signal: None,
        },
    });
    assert!(said_by(&play, "c")[0].ends_with("Completed"));
    assert_eq!(play.said(), ["user: go", "subagent c"]);
}

#[test]
fn a_command_that_a_child_ends_is_not_said_to_be_still_running() {
    let mut play = with_child();
    let terminal = TerminalId::new("t");
    play.event(Event::TerminalStarted {
        session: Some(id("s")),
        id: terminal.clone(),
        command: "sleep 9".into(),
        cwd: "/project".into(),
    });
    let session = id("c");
    play.request(HostRequest::TerminalKill(TerminalRef { session, terminal }));
    play.ends(StopReason::EndTurn);
    assert!(!play.mentions("still running"), "{:?}", play.said());
}

/// Its parent is worked on while that tells of its end.
#[test]
fn a_childs_child_works_in_its_parents_directory() {
    let mut play = Play::running();
    play.update(event(SubagentPatch {
        cwd: Patch::Set("/project/sub".into()),
        ..child("c")
    }));
    play.update_of("c", working("g"));
    let path = "a.rs".to_owned();
    let call = ToolCallPatch {
        status: Patch::Set(ToolStatus::InProgress),
        locations: Patch::Set(vec![ToolLocation { path, line: None }]),
        ..ToolCallPatch::new(ToolCallId::new("edit"))
    };
    play.update_of("g", AgentEvent::ToolCall(Box::new(call)));
    play.event(Event::Wrote {
        session: id("g"),
        path: "/project/sub/a.rs".to_owned(),
        lines: 1,
    });
    let ended = SubagentPatch {
        state: Patch::Set(Idle(None).into()),
        ..child("g")
    };
    play.update_of("c", event(ended));
    assert_eq!(said_by(&play, "g"), ["edit Ended"]);
}

// V1-SUB-02: a child may ask when its parent's turn is over; the parent's cancel is for all.
#[test]
fn a_childs_questions_outlive_the_turn_but_not_its_cancel() {
    let mut play = with_child();
    asks_for(&mut play, "c", "t");
    left_to_person(&mut play);
    let effects = play.ends(StopReason::EndTurn);
    assert!(wire(&effects).is_empty());
    assert_eq!(play.session.questions.len(), 1);
    play.event(Event::Submit(prompt("more")));
    let effects = play.event(Event::Stop);
    assert_eq!(wire(&effects), ["cancel", "1 Cancelled"]);
    assert!(play.session.questions.is_empty());
    assert!(!tool_of(&play, "c", "t").asking);
}

// V1-SUB-03
#[test]
fn a_child_is_cancelled_only_where_its_agent_allows_it_and_once() {
    let mut play = with_child();
    assert!(play.event(Event::CancelSubagent(id("c"))).is_empty());
    assert!(play.event(Event::CancelSubagent(id("nobody"))).is_empty());
    play.update(cancellable("c"));
    play.update_of("c", tool("t", "run", ToolStatus::InProgress));
    asks_for(&mut play, "c", "t");
    asks_for(&mut play, "s", "u");
    left_to_person(&mut play);
    let effects = play.event(Event::CancelSubagent(id("c")));
    let cancel = Effect::ToAgent(ToAgent::Notify(Notification::Cancel { session: id("c") }));
    assert_eq!(effects[0], cancel);
    assert_eq!(wire(&effects), ["cancel", "1 Cancelled"]);
    // The parent's own question stands.
    assert_eq!(play.session.questions.len(), 1);
    assert_eq!(tool_of(&play, "c", "t").state, ToolState::Cancelled);
    assert!(play.event(Event::CancelSubagent(id("c"))).is_empty());
    // Given something to do again, it can be stopped again; not while it rests.
    play.update(event(SubagentPatch {
        state: Patch::Set(Idle(Some(StopReason::Cancelled)).into()),
        ..child("c")
    }));
    assert!(play.event(Event::CancelSubagent(id("c"))).is_empty());
    play.update(working("c"));
    assert_eq!(
        wire(&play.event(Event::CancelSubagent(id("c")))),
        ["cancel"]
    );
    // Null takes it back.
    play.update(event(SubagentPatch {
        caps: Patch::Clear,
        ..child("c")
    }));
    play.update(working("c"));
    assert!(play.event(Event::CancelSubagent(id("c"))).is_empty());
}

// V1-SUB-03: what a child tells of modes, options and commands changes nothing of the session.
#[test]
fn a_childs_modes_options_and_commands_are_not_the_sessions() {
    let mut play = with_child();
    play.update_of("c", AgentEvent::Mode(crate::model::ModeId::new("yolo")));
    play.update_of("c", AgentEvent::Commands(Vec::new()));
    play.update_of("c", AgentEvent::ConfigOptions(Vec::new()));
    assert!(play.session.config_options.is_empty());
    assert!(said_by(&play, "c").is_empty());
    assert_eq!(play.said(), ["user: go", "subagent c"]);
}

// V1-SUB-04
#[test]
fn a_state_is_a_whole_snapshot_and_idle_is_no_end() {
    let mut play = with_child();
    let tell = |play: &mut Play, state: Patch<WorkState>| {
        play.update(event(SubagentPatch {
            state: state.map(Into::into),
            ..child("c")
        }));
    };
    for state in [
        RequiresAction,
        Unknown,
        Other("_dreaming".into()),
        Idle(None),
        Idle(Some(StopReason::Error(RpcError::new(-1, "no quota")))),
    ] {
        tell(&mut play, Patch::Set(state.clone()));
        assert_eq!(subagent(&play, "c").state, Some(state));
        tell(&mut play, Patch::Keep);
        assert!(subagent(&play, "c").state.is_some());
    }
    tell(&mut play, Patch::Clear);
    assert_eq!(subagent(&play, "c").state, None);
    // It works, rests, and works again, on the clock each time.
    tell(&mut play, Patch::Set(Running));
    play.now += Duration::from_secs(5);
    play.update_of("c", tool("t", "run", ToolStatus::InProgress));
    tell(&mut play, Patch::Set(Idle(None)));
    assert_eq!(subagent(&play, "c").took, Some(Duration::from_secs(5)));
    assert_eq!(tool_of(&play, "c", "t").state, ToolState::Ended);
    tell(&mut play, Patch::Set(Running));
    assert_eq!(subagent(&play, "c").took, None);
    play.update_of("c", says("again"));
    assert_eq!(
        said_by(&play, "c").last().map(String::as_str),
        Some("agent: again")
    );
}

fn messages(play: &Play) -> Vec<&Entity> {
    let blocks = play.session.conversation.transcript.blocks().iter();
    blocks
        .filter_map(|block| match &block.kind {
            BlockKind::Entity(message) => Some(&**message),
            _ => None,
        })
        .collect()
}

/// Sender and recipient.
fn between(message: &Entity) -> (Option<SessionId>, Option<SessionId>) {
    match &message.kind {
        EntityKind::SessionMessage(said) => (said.sender.clone(), said.recipient.clone()),
        other => panic!("{other:?}"),
    }
}

fn written(message: &Entity) -> String {
    let text = |piece: &Piece| match piece {
        Piece::Text(text) => text.to_string(),
        Piece::Content(_) => String::new(),
    };
    message.content.iter().map(text).collect()
}

// V1-SUB-05
#[test]
fn messages_between_sessions_are_patched_by_their_id() {
    let mut play = with_child();
    let update = |patch, content| {
        AgentEvent::Entity(Box::new(EntityUpdate {
            id: EntityId::new("m"),
            kind: EntityPatch::SessionMessage(patch),
            content,
            meta: Meta::default(),
        }))
    };
    let chunk = |said: &str| {
        update(
            SessionMessagePatch::default(),
            ContentPatch::Add(text(said)),
        )
    };
    let between_of = |sender, recipient| {
        let patch = SessionMessagePatch { sender, recipient };
        update(patch, ContentPatch::Whole(Patch::Keep))
    };
    let whole = |content| update(SessionMessagePatch::default(), ContentPatch::Whole(content));
    // A chunk before the word on who writes to whom.
    play.update(chunk("look "));
    play.update(chunk("here"));
    assert_eq!(written(messages(&play)[0]), "look here");
    play.update(between_of(Patch::Set(id("s")), Patch::Set(id("c"))));
    play.update(chunk("!"));
    let message = messages(&play)[0];
    assert_eq!(written(message), "look here!");
    assert_eq!(between(message), (Some(id("s")), Some(id("c"))));
    for (update, expected) in [
        (whole(Patch::Set(vec![text("new")])), "new"),
        (between_of(Patch::Clear, Patch::Keep), "new"),
        (whole(Patch::Clear), ""),
        (whole(Patch::Set(Vec::new())), ""),
    ] {
        play.update(update);
        assert_eq!(written(messages(&play)[0]), expected);
    }
    assert_eq!(between(messages(&play)[0]), (None, Some(id("c"))));
    assert_eq!(messages(&play).len(), 1);
    // The same id in a child's transcript is that one's view of it.
    play.update_of("c", chunk("there"));
    assert_eq!(written(messages(&play)[0]), "");
}

// V1-SUB-06
#[test]
fn a_child_can_be_a_parent_but_no_circle_and_no_endless_line_forms() {
    let mut play = with_child();
    play.update_of("c", working("d"));
    assert_eq!(subagent(&play, "d").parent, Some(id("c")));
    assert_eq!(said_by(&play, "c"), ["subagent d"]);
    let known = play.session.subagents.len();
    for (of, claimed) in [("d", "c"), ("d", "d"), ("d", "s"), ("s", "d"), ("s", "s")] {
        play.update_of(of, working(claimed));
        assert_eq!(play.session.subagents.len(), known);
        assert_eq!(subagent(&play, "d").parent, Some(id("c")));
        assert_eq!(subagent(&play, "c").parent, None);
    }
    let mut parent = "d".to_owned();
    for n in 0..50 {
        let next = format!("n{n}");
        play.update_of(&parent, working(&next));
        parent = next;
    }
    let deepest = play.session.subagents.iter().map(|one| one.depth).max();
    assert_eq!(deepest, Some(16));
    // What was cut off is nobody's: its requests are refused.
    let (key, effects) = asks_for(&mut play, "n40", "t");
    assert_eq!(wire(&effects), [format!("{} error -32002", key.number)]);
}

#[test]
fn children_without_end_are_bounded_and_those_that_work_stay() {
    let mut play = with_child();
    for n in 0..1_000 {
        play.update(event(child(&format!("n{n}"))));
    }
    assert!(play.session.subagents.len() <= 256);
    assert!(subagent(&play, "c").is_active());
    assert!(play.session.subagents.get(&id("n999")).is_some());
}

#[test]
fn the_agents_end_is_the_end_of_all_its_children_do() {
    let mut play = with_child();
    play.update(cancellable("c"));
    play.update_of("c", tool("t", "run", ToolStatus::InProgress));
    asks_for(&mut play, "c", "u");
    left_to_person(&mut play);
    play.exits(AgentExit::default());
    assert!(play.session.questions.is_empty());
    let lost = subagent(&play, "c");
    assert_eq!(lost.state, None);
    assert!(!lost.can_be_cancelled());
    assert_eq!(tool_of(&play, "c", "t").state, ToolState::Failed);
}

// V1-SES-09
#[test]
fn history_tells_of_children_once() {
    let reopen = SessionConfig {
        start: Start::Reopen(id("old")),
        ..config()
    };
    let (mut play, _) = Play::opening(reopen, reopening());
    play.update_of("old", working("c"));
    play.update_of("c", says("I looked."));
    let (key, effects) = asks_for(&mut play, "c", "t");
    assert_eq!(wire(&effects), [format!("{} Cancelled", key.number)]);
    play.reply(CallTag::LoadSession { id: id("old") }, nothing_opened());
    assert_eq!(said_by(&play, "c")[0], "agent: I looked.");
    assert_eq!(play.said()[0], "subagent c");
}

// V1-SES-03
#[test]
fn a_child_told_of_before_its_session_is_named_is_no_stranger() {
    let (mut play, _) = Play::opening(config(), AgentCaps::default());
    play.update(working("c"));
    play.update_of("c", says("early"));
    play.reply(CallTag::NewSession, session_named("s"));
    assert_eq!(said_by(&play, "c"), ["agent: early"]);
}

// V1-TOOL-11
#[test]
fn a_call_may_link_to_a_session() {
    let mut play = with_child();
    play.update(AgentEvent::ToolCall(Box::new(ToolCallPatch {
        content: Patch::Set(vec![ToolContent::Session(id("c"))]),
        ..ToolCallPatch::new(ToolCallId::new("task"))
    })));
    assert_eq!(play.tool("task").content, [ToolContent::Session(id("c"))]);
}
