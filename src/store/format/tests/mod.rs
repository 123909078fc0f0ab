//! What is written comes back, however it was cut.

mod any;
mod kept;
mod subagents;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use super::*;
use crate::{
    model::{
        Compaction, CompactionStatus, ContentBlock, Diff, DiffText, Entity, EntityId, EntityKind,
        FileChange, FileKind, Media, MessageId, Meta, PlanEntry, PlanPriority, PlanStatus,
        PlanText, RawJson, ResourceLink, SessionId, TerminalId, ToolCallId, ToolContent, ToolKind,
        ToolLocation,
    },
    session::{
        Answered, BlockId, BlockKind, By, Message, Notice, NoticeLevel, Session, SessionConfig,
        Thought, ToolCall, ToolState, Turn as SessionTurn, TurnPhase, UserMessage,
    },
    text::{SafeText, SafeTextBuf},
};

fn session() -> Session {
    let config = SessionConfig::looked_at("Demo".into(), "/project".into());
    Session::start(config, Instant::now()).0
}

fn user(text: &str) -> BlockKind {
    BlockKind::User(UserMessage {
        text: SafeText::new(text),
        attached: Vec::new(),
        refused: false,
        steered: None,
        meta: Meta::default(),
    })
}

fn agent(text: &str) -> BlockKind {
    BlockKind::Agent(Message {
        text: SafeTextBuf::from(SafeText::new(text)),
        ..Message::default()
    })
}

fn notice(text: &str) -> BlockKind {
    BlockKind::Notice(Notice {
        level: NoticeLevel::Info,
        text: SafeText::new(text),
        detail: None,
        last_words: false,
    })
}

fn call(id: &str, state: ToolState) -> ToolCall {
    ToolCall {
        state,
        ..ToolCall::new(ToolCallId::new(id), Instant::now())
    }
}

fn bytes(lines: &[Line]) -> Vec<u8> {
    let mut out = Vec::new();
    for line in lines {
        line.write(&mut out);
    }
    out
}

/// What a saver has written of a session so far.
struct File {
    saver: Saver,
    now: Instant,
    written: Vec<u8>,
}

impl File {
    fn new() -> Self {
        Self {
            saver: Saver::new("demo".into(), 1_000),
            now: Instant::now(),
            written: Vec::new(),
        }
    }

    fn take(&mut self, session: &Session, last: bool) -> Batch {
        let batch = self.saver.take(session, self.now, 2_000, last);
        if batch.replace {
            self.written.clear();
        }
        self.written.extend(bytes(&batch.lines));
        batch
    }

    fn read(&self) -> StoredSession {
        StoredSession::read(&self.written).expect("a session")
    }
}

fn stored(session: &Session) -> Vec<Block> {
    let blocks = session.conversation.transcript.blocks().iter();
    let first = session.conversation.transcript.blocks()[0].id.0;
    blocks
        .map(|block| Block::new(block.id.0 - first, &block.kind))
        .collect()
}

fn blocks(record: &StoredSession) -> Vec<Block> {
    let blocks = record.said.blocks.iter();
    blocks.map(|stored| stored.block.clone()).collect()
}

fn say(session: &mut Session, id: BlockId, text: &str) {
    match session.conversation.transcript.edit_for_test(id) {
        BlockKind::Agent(message) => message.text.push(&SafeText::new(text)),
        BlockKind::Thought(thought) => thought.text.push(&SafeText::new(text)),
        _ => {}
    }
}

#[test]
fn a_message_is_written_as_what_was_added_to_it() {
    let mut session = session();
    let mut file = File::new();
    session.conversation.transcript.push_for_test(user("go"));
    let id = session.conversation.transcript.push_for_test(agent("one "));
    file.take(&session, false);
    for _ in 0..1_000 {
        say(&mut session, id, "word ");
    }
    let batch = file.take(&session, false);
    assert_eq!(batch.lines.len(), 1, "chunks are no lines");
    assert!(batch.lines[0].more.is_some());
    assert!(file.take(&session, false).lines.is_empty());
    assert_eq!(blocks(&file.read()), stored(&session));
}

#[test]
fn a_session_with_an_endless_id_is_stored_and_read_without_it() {
    for (len, kept) in [(4 << 10, true), ((4 << 10) + 1, false), (1 << 20, false)] {
        let mut session = session();
        let mut file = File::new();
        session.id = Some(SessionId::new("x".repeat(len)));
        session.conversation.transcript.push_for_test(user("go"));
        file.take(&session, false);
        assert!(file.take(&session, false).lines.is_empty(), "said once");
        assert_eq!(file.read().about.session.is_some(), kept, "{len}");
        assert_eq!(blocks(&file.read()), stored(&session));
        assert!(file.written.len() < 8 << 10);
    }
}

/// The text of a message that reached its bound is not what it was and more.
#[test]
fn a_message_that_was_cut_in_its_middle_is_written_anew() {
    let mut session = session();
    let mut file = File::new();
    let id = session
        .conversation
        .transcript
        .push_for_test(agent(&"word ".repeat(1_000)));
    file.take(&session, false);
    let cut = format!("{}… left out …{}", "word ".repeat(200), "word ".repeat(900));
    let BlockKind::Agent(message) = session.conversation.transcript.edit_for_test(id) else {
        panic!("a message");
    };
    message.text = SafeTextBuf::from(SafeText::new(&cut));
    file.take(&session, false);
    assert_eq!(blocks(&file.read()), stored(&session));
}

// V2-UPD-01
#[test]
fn what_was_withdrawn_is_no_part_of_what_is_stored() {
    let mut session = session();
    let mut file = File::new();
    session.conversation.transcript.push_for_test(user("go"));
    let gone = session
        .conversation
        .transcript
        .push_for_test(agent("not that"));
    session.conversation.transcript.push_for_test(agent("this"));
    file.take(&session, false);
    session.conversation.transcript.remove_for_test(&[gone]);
    file.take(&session, false);
    assert_eq!(blocks(&file.read()), stored(&session));
    session
        .conversation
        .transcript
        .push_for_test(agent("and more"));
    file.take(&session, false);
    assert_eq!(blocks(&file.read()), stored(&session));
}

// V2-UPD-06
#[test]
fn changes_of_files_without_their_texts_come_back_as_they_were() {
    let change = |change, file, text| {
        ToolContent::Diff(Arc::new(Diff {
            path: "/w/new".into(),
            change,
            file,
            mime_type: Some("image/png".into()),
            text,
            note: Some("not found in the file".into()),
        }))
    };
    let from = || "/w/old".to_owned();
    let content = vec![
        change(FileChange::Add, FileKind::Binary, DiffText::None),
        change(FileChange::Delete, FileKind::Unknown, DiffText::None),
        change(
            FileChange::Overwrite,
            FileKind::Text,
            DiffText::Patch("@@ -1 +1 @@".into()),
        ),
        change(
            FileChange::Modify,
            FileKind::Text,
            DiffText::Patch("@@ -1 +1 @@".into()),
        ),
        change(
            FileChange::Move { from: from() },
            FileKind::Directory,
            DiffText::None,
        ),
        change(
            FileChange::Copy { from: from() },
            FileKind::Symlink,
            DiffText::None,
        ),
        change(
            FileChange::Other("_swap".into()),
            FileKind::Other("_fifo".into()),
            DiffText::None,
        ),
    ];
    for piece in content {
        let stored = Piece::from(&piece);
        assert_eq!(ToolContent::from(stored), piece);
    }
}

#[test]
fn nothing_is_written_of_a_session_in_which_nothing_was_said() {
    let mut session = session();
    let mut file = File::new();
    session
        .conversation
        .transcript
        .push_for_test(notice("the agent started"));
    assert!(file.take(&session, true).lines.is_empty());
    session.conversation.transcript.push_for_test(user("go"));
    assert_eq!(
        file.take(&session, false).lines.len(),
        4,
        "about, notice, prompt, and the turn's end"
    );
}

#[test]
fn an_idle_session_wants_nothing() {
    let mut session = session();
    let mut file = File::new();
    session.conversation.transcript.push_for_test(user("go"));
    file.saver.changed(&session, file.now);
    assert_eq!(
        file.saver.due(),
        Some(file.now + Duration::from_millis(300))
    );
    file.take(&session, false);
    file.saver.changed(&session, file.now);
    assert_eq!(file.saver.due(), None);
}

#[test]
fn the_end_of_a_turn_is_written_at_once_and_to_last() {
    let mut session = session();
    let mut file = File::new();
    session.turn = Some(SessionTurn {
        started: file.now,
        prompted: true,
        phase: TurnPhase::Running,
    });
    session.conversation.transcript.push_for_test(user("go"));
    file.saver.changed(&session, file.now);
    assert_eq!(file.saver.due(), Some(file.now), "a prompt is kept at once");
    assert!(!file.take(&session, false).sync);
    session.turn = None;
    session.last_stop = Some(crate::model::StopReason::EndTurn);
    session.title = Some("a title".into());
    file.saver.changed(&session, file.now);
    assert_eq!(file.saver.due(), Some(file.now));
    let batch = file.take(&session, false);
    assert!(batch.sync);
    let stop = batch.lines.last().and_then(|line| line.turn.clone()?.stop);
    assert_eq!(stop.as_deref(), Some("end_turn"));
    assert_eq!(file.read().about.title.as_deref(), Some("a title"));
}

#[test]
fn the_branch_is_kept_as_it_was_last_seen() {
    let mut session = session();
    let mut file = File::new();
    session.branch = Some("main".into());
    session.conversation.transcript.push_for_test(user("go"));
    file.saver.changed(&session, file.now);
    file.take(&session, false);
    assert_eq!(file.read().about.branch.as_deref(), Some("main"));
    session.branch = Some("mend".into());
    file.saver.changed(&session, file.now);
    assert!(file.saver.due().is_some(), "it is written without words");
    file.take(&session, false);
    assert_eq!(file.read().about.branch.as_deref(), Some("mend"));
    // Where it cannot be looked at any more, it is the last one.
    session.branch = None;
    session.title = Some("a title".into());
    file.take(&session, false);
    assert_eq!(file.read().about.branch.as_deref(), Some("mend"));
}

#[test]
fn a_worktree_is_kept_with_the_project_that_it_belongs_to() {
    let mut session = session();
    let worktree = crate::model::Worktree {
        top: "/state/worktrees/tool/fix".into(),
        cwd: "/state/worktrees/tool/fix/sub".into(),
        project: "/project/sub".into(),
        branch: "acp/fix".into(),
    };
    session.config.cwd.clone_from(&worktree.cwd);
    session.config.worktree = Some(worktree.clone());
    let mut file = File::new();
    session.conversation.transcript.push_for_test(user("go"));
    file.saver.changed(&session, file.now);
    file.take(&session, false);
    let about = file.read().about;
    assert_eq!(about.project(), std::path::Path::new("/project/sub"));
    assert_eq!(about.worktree(), Some(worktree));
    // A session without one, as all of before.
    let plain = About {
        cwd: "/project".into(),
        ..About::default()
    };
    assert_eq!(plain.project(), std::path::Path::new("/project"));
    let mut line = Vec::new();
    Line::about(1, plain).write(&mut line);
    assert!(!String::from_utf8_lossy(&line).contains("worktree"));
}

/// Agents send all of a call's output again with each line of it.
#[test]
fn a_call_that_goes_on_is_written_less_and_less_often_and_whole_at_its_end() {
    let mut session = session();
    let mut file = File::new();
    let open = call("t", ToolState::InProgress);
    let id = session
        .conversation
        .transcript
        .push_for_test(BlockKind::Tool(Box::new(open)));
    let mut lines = 0;
    for second in 0..600 {
        let BlockKind::Tool(call) = session.conversation.transcript.edit_for_test(id) else {
            panic!("a call");
        };
        let text = SafeText::new(&"x".repeat(second));
        call.content = vec![ToolContent::Block(ContentBlock::Text(text))];
        file.now += Duration::from_secs(1);
        lines += file.take(&session, false).lines.len();
    }
    assert!(lines < 20, "{lines} lines");
    assert!(file.saver.due().is_some(), "the rest comes");
    let BlockKind::Tool(call) = session.conversation.transcript.edit_for_test(id) else {
        panic!("a call");
    };
    call.state = ToolState::Completed;
    file.take(&session, false);
    assert_eq!(file.saver.due(), None);
    assert_eq!(blocks(&file.read()), stored(&session));
}

// V1-SES-09: what a replay tells takes the place of what there was; nothing of one that fails.
#[test]
fn a_replay_replaces_what_is_stored_once_it_is_over() {
    use crate::session::Phase;
    let mut session = session();
    let mut file = File::new();
    session.conversation.transcript.push_for_test(user("go"));
    session.conversation.transcript.push_for_test(agent("gone"));
    file.take(&session, false);
    let before = file.written.clone();
    for fails in [true, false] {
        session.phase = Phase::Opening {
            since: file.now,
            replaying: true,
        };
        let kept = session.conversation.transcript.take_for_test();
        session
            .conversation
            .transcript
            .push_for_test(user("go, as it is told again"));
        assert!(file.take(&session, false).lines.is_empty());
        if fails {
            session.conversation.transcript.put_back_for_test(kept);
        }
        session.phase = Phase::Ready;
        let batch = file.take(&session, false);
        assert_eq!(batch.replace, !fails);
        assert_eq!(file.written == before, fails);
    }
    assert_eq!(blocks(&file.read()), stored(&session));
}

#[test]
fn what_memory_is_bounded_by_costs_nothing_on_the_disk() {
    let mut session = session();
    let mut file = File::new();
    for n in 0..5 {
        session
            .conversation
            .transcript
            .push_for_test(user(&format!("prompt {n}")));
    }
    file.take(&session, false);
    let sign = notice("what was said before was left out");
    session
        .conversation
        .transcript
        .forget_first_for_test(3, sign);
    session
        .conversation
        .transcript
        .push_for_test(user("prompt 5"));
    file.take(&session, true);
    let record = file.read();
    let texts: Vec<&str> = record.said.blocks.iter().map(|b| &*b.block.text).collect();
    let expected = [
        "prompt 0", "prompt 1", "prompt 2", "prompt 3", "prompt 4", "prompt 5",
    ];
    assert_eq!(texts, expected);
}

#[test]
fn a_session_that_is_opened_again_goes_on_in_its_file() {
    let mut first = session();
    let mut file = File::new();
    first.conversation.transcript.push_for_test(user("one"));
    first.conversation.transcript.push_for_test(agent("two"));
    file.take(&first, true);
    let record = file.read();
    let mut second = session();
    for stored in &record.said.blocks {
        let block = stored.block.clone().into_history(file.now).expect("known");
        second.conversation.transcript.push_for_test(block);
    }
    file.saver = Saver::going_on(record.going_on(), &second);
    second
        .conversation
        .transcript
        .push_for_test(notice("opened again"));
    assert!(file.take(&second, true).lines.is_empty(), "only opened");
    second.conversation.transcript.push_for_test(user("three"));
    file.take(&second, true);
    assert_eq!(blocks(&file.read()), stored(&second));
}

#[test]
fn what_could_not_be_written_comes_again() {
    let mut session = session();
    let mut file = File::new();
    session.conversation.transcript.push_for_test(user("one"));
    file.take(&session, false);
    file.written.clear();
    file.saver.failed(file.now);
    session.conversation.transcript.push_for_test(agent("two"));
    file.take(&session, false);
    assert_eq!(blocks(&file.read()), stored(&session));
}

#[test]
fn lines_of_a_later_version_cost_only_themselves() {
    let mut file = br#"{"v":1,"t":1,"about":{"agent":"demo","soon":true}}
{"v":1,"t":2,"block":{"id":0,"kind":"user","text":"hi","soon":[1]}}
{"v":1,"t":2,"block":{"id":1,"kind":"hologram"}}
{"v":9,"t":3,"block":"anything"}
{"v":9,"t":3,"shape":"anything"}
{"v":1,"t":4,"block":{"id":2,"kind":"tool","tool":{"kind":"teleport","status":"on its way"}}}
half a li"#
        .to_vec();
    let record = StoredSession::read(&file).expect("a session");
    assert_eq!(record.said.blocks.len(), 2);
    assert!(record.later);
    // A client that goes on behind it ends the half line first.
    file.extend_from_slice(b"\n{\"v\":1,\"t\":5,\"block\":{\"id\":3,\"kind\":\"user\"}}\n");
    let record = StoredSession::read(&file).expect("a session");
    assert_eq!((record.said.blocks.len(), record.updated), (3, 5));
    assert!(StoredSession::read(b"not one of ours\n").is_none());
}

#[test]
fn json_that_was_cut_stays_one_line() {
    for raw in [
        "{\"a\": [1]}",
        "{\"a\": \"cut… (9 bytes more)",
        "\"text\"",
        "{\n}",
        "{\"$cut\":\"x\"}",
    ] {
        let mut one = call("t", ToolState::Completed);
        one.raw_input = Some(RawJson(raw.into()));
        let block = Block::new(0, &BlockKind::Tool(Box::new(one)));
        let written = bytes(&[Line::block(0, block)]);
        assert_eq!(written.iter().filter(|b| **b == b'\n').count(), 1, "{raw}");
        let back = Line::read(written.trim_ascii_end()).expect("a line");
        let tool = back.block.and_then(|block| block.tool).expect("a call");
        let expected = if raw.contains("$cut") { "x" } else { raw };
        assert_eq!(&*tool.raw_input.expect("input").0, expected);
    }
}

#[test]
fn the_newest_is_kept_where_a_file_gets_too_long() {
    let lines: Vec<Line> = (0..100)
        .map(|n| Line::block(n, Block::new(n, &user(&"x".repeat(1_000)))))
        .collect();
    let mut file = bytes(&[Line::about(0, About::default())]);
    file.extend(bytes(&lines));
    let mut record = StoredSession::read(&file).expect("a session");
    record.keep_last(10_000);
    let ids: Vec<u64> = record
        .said
        .blocks
        .iter()
        .map(|stored| stored.block.id)
        .collect();
    assert!(record.said.blocks[0].block.text.contains("dropped"));
    let ids = &ids[1..];
    assert_eq!(ids, [93, 94, 95, 96, 97, 98, 99]);
}

#[test]
fn markdown_for_people() {
    let mut session = session();
    let mut file = File::new();
    session.title = Some("A flag".into());
    session
        .conversation
        .transcript
        .push_for_test(user("add a flag\nand test it"));
    session
        .conversation
        .transcript
        .push_for_test(BlockKind::Thought(Thought {
            id: None,
            text: SafeTextBuf::from(SafeText::new("Let me see.\n\nYes.")),
            started: file.now,
            took: Some(Duration::from_millis(3_200)),
            meta: Meta::default(),
        }));
    session
        .conversation
        .transcript
        .push_for_test(agent("I start with `list`."));
    let mut edit = call("t", ToolState::Completed);
    edit.title = "edit src/list.rs".into();
    edit.kind = ToolKind::Edit;
    edit.content = vec![ToolContent::Diff(Arc::new(Diff::of_texts(
        "src/list.rs".into(),
        Some("a\nb\n".into()),
        "a\nc\n".into(),
    )))];
    edit.answers = vec![Answered {
        answer: "Allow once".into(),
        allowed: Some(true),
        by: By::Person,
    }];
    session
        .conversation
        .transcript
        .push_for_test(BlockKind::Tool(Box::new(edit)));
    let mut run = call("u", ToolState::Failed);
    run.command = Some("cargo test `x`".into());
    run.kind = ToolKind::Execute;
    run.content = vec![ToolContent::Block(ContentBlock::Text(
        "```\nno\n```".into(),
    ))];
    session
        .conversation
        .transcript
        .push_for_test(BlockKind::Tool(Box::new(run)));
    session
        .conversation
        .transcript
        .push_for_test(notice("stopped"));
    session
        .conversation
        .transcript
        .push_for_test(user("thanks"));
    file.take(&session, true);
    insta::assert_snapshot!(markdown(&file.read()));
}

// V1-CONT-02: the name, type and size; not the data.
#[test]
fn an_image_of_the_person_is_named_in_what_is_stored() {
    let image = ContentBlock::Image(Media {
        mime_type: "image/png".into(),
        size: Some(86_000),
        uri: Some("file:///tmp/a%20b.png".into()),
        data: None,
    });
    let kind = BlockKind::User(UserMessage {
        text: "see [image: a b.png]".into(),
        attached: vec![image],
        refused: false,
        steered: None,
        meta: Meta::default(),
    });
    let mut session = session();
    session.conversation.transcript.push_for_test(kind);
    let mut file = File::new();
    file.take(&session, true);
    let written = markdown(&file.read());
    assert!(
        written.contains("see [image: a b.png]\n\n*[image: a b.png, image/png, 86000 bytes]*"),
        "{written}"
    );
}

#[test]
fn an_answer_whose_meaning_is_unknown_is_stored_as_such_and_old_ones_are_read() {
    let read = |json: &str| {
        let answer: Answered = serde_json::from_str(json).expect("an answer");
        answer.allowed
    };
    assert_eq!(
        read(r#"{"answer":"Yes","allowed":true,"by":"person"}"#),
        Some(true)
    );
    assert_eq!(
        read(r#"{"answer":"No","allowed":false,"by":"person"}"#),
        Some(false)
    );
    let unknown = Answered {
        answer: "Do it".into(),
        allowed: None,
        by: By::Person,
    };
    let written = serde_json::to_string(&unknown).expect("JSON");
    assert!(!written.contains("allowed"), "{written}");
    assert_eq!(read(&written), None);
}
