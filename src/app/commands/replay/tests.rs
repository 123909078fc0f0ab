use std::path::PathBuf;

use super::*;
use crate::{
    acp::Word,
    model::{AgentEvent, FromAgent, Protocol, StopReason},
    session::{BlockKind, Phase},
};

/// Plays a log to its end.
fn played(path: &Path, wanted: Option<&str>) -> (Session, Vec<Record>) {
    let found = Survey::of(path).expect("it can be read");
    let chosen = found.choose(wanted);
    let begun = Instant::now();
    let (mut session, effects) = Session::start(found.config(chosen), begun);
    let mut player = Player::new(chosen);
    let mut observer = Observer::new("", Scope::All);
    let mut records = Vec::new();
    let mut events: VecDeque<Event> = effects.iter().filter_map(|e| player.follow(e)).collect();
    let mut recording = Recording::open(path).expect("it opens");
    let mut at = Duration::ZERO;
    loop {
        while let Some(event) = events.pop_front() {
            records.extend(observer.hear(&event));
            let effects = reduce(&mut session, event, begun + at);
            records.extend(observer.look(&session));
            events.extend(effects.iter().filter_map(|effect| player.follow(effect)));
        }
        let Some(recorded) = recording.next_line().expect("it can be read") else {
            break;
        };
        at = at.max(recorded.at);
        events = player.events(recorded, &session, &mut |_| {});
    }
    for event in player.end(&session) {
        reduce(&mut session, event, begun + at);
        records.extend(observer.look(&session));
    }
    (session, records)
}

fn logs(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder of wire logs");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut logs: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|ext| ext == "jsonl"))
        .collect();
    logs.sort();
    logs
}

/// Every line is understood. How many prompts there are, and what the agent says.
fn understood(path: &Path) -> (usize, String) {
    let name = path.display();
    let mut recording = Recording::open(path).expect("it opens");
    let (mut prompts, mut said) = (0, String::new());
    while let Some(recorded) = recording.next_line().expect("it can be read") {
        for word in recorded.words {
            match word {
                Word::Unreadable(what) => panic!("{name}: {what}"),
                Word::FromAgent(FromAgent::Noise { what, .. }) => panic!("{name}: {what}"),
                Word::FromAgent(FromAgent::Update {
                    event: AgentEvent::Unknown { what, .. },
                    ..
                }) => panic!("{name}: {what}"),
                Word::ToAgent(crate::model::ToAgent::Call(crate::model::Call::Prompt {
                    ..
                })) => prompts += 1,
                Word::FromAgent(FromAgent::Update {
                    event:
                        AgentEvent::Chunk {
                            role: crate::model::ChunkRole::Agent,
                            content: crate::model::ContentBlock::Text(text),
                            ..
                        },
                    ..
                }) => said.push_str(&text),
                _ => {}
            }
        }
    }
    (prompts, said)
}

/// Everything that was asked and said is in the transcript.
fn plays_whole(path: &Path) {
    let name = path.display();
    let (prompts, said) = understood(path);
    let (session, records) = played(path, None);
    if session.id.is_none() {
        // kimi wants a sign-in first, and its log ends there.
        assert!(matches!(session.phase, Phase::SignIn { .. }), "{name}");
        return;
    }
    let told = records.iter().filter_map(|record| match record {
        Record::Text { text, .. } => Some(text.as_str()),
        _ => None,
    });
    let told: String = told.collect();
    // Blank lines before the first word of a message are no message.
    let bare = |text: &str| text.replace('\n', "");
    assert_eq!(bare(&told), bare(&said), "{name}");
    let users = session.conversation.transcript.blocks().iter();
    let users = users.filter(|block| matches!(block.kind, BlockKind::User(_)));
    assert!(users.count() >= prompts, "{name}");
    assert!(
        session.turn.is_none() && session.questions.is_empty(),
        "{name}"
    );
}

/// They have gaps: turns without an end, answers without a question.
#[test]
fn excerpts_of_real_agents_are_understood_and_can_be_played() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/wire");
    let logs = logs(&folder);
    assert!(logs.len() > 10);
    for log in logs {
        understood(&log);
        let (session, _) = played(&log, None);
        assert!(session.turn.is_none(), "{}", log.display());
    }
}

#[test]
#[ignore = "needs whole recordings: ACP_TUI_RECORDINGS"]
fn recordings_of_real_agents_play_whole() {
    let folder = std::env::var_os("ACP_TUI_RECORDINGS");
    let folder = folder.expect("ACP_TUI_RECORDINGS names a folder of wire logs");
    for log in logs(Path::new(&folder)) {
        plays_whole(&log);
    }
}

fn log(lines: &[&str]) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), lines.join("\n")).expect("written");
    file
}

const OPENED: [&str; 4] = [
    r#"{"dir":"c2a","t":0,"msg":{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}}"#,
    r#"{"dir":"a2c","t":0,"msg":{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}}"#,
    r#"{"dir":"c2a","t":0,"msg":{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}}"#,
    r#"{"dir":"a2c","t":0,"msg":{"jsonrpc":"2.0","id":2,"result":{"sessionId":"one"}}}"#,
];

const PROMPT: &str = r#"{"dir":"c2a","t":1,"msg":{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"one","prompt":[{"type":"text","text":"go"}]}}}"#;

fn said(session: &str, text: &str) -> String {
    format!(
        r#"{{"dir":"a2c","t":2,"msg":{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"{session}","update":{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"{text}"}}}}}}}}}}"#
    )
}

#[test]
fn answers_of_the_log_are_those_of_the_person() {
    let ask = r#"{"dir":"a2c","t":2,"msg":{"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"sessionId":"one","toolCall":{"toolCallId":"t","title":"rm"},"options":[{"optionId":"n","name":"No","kind":"reject_once"}]}}}"#;
    let no = r#"{"dir":"c2a","t":3,"msg":{"jsonrpc":"2.0","id":7,"result":{"outcome":{"outcome":"selected","optionId":"n"}}}}"#;
    let file = log(&[&OPENED[..], &[PROMPT, ask, no]].concat());
    let (session, records) = played(file.path(), None);
    let permission = records.iter().find_map(|record| match record {
        Record::Permission(permission) => Some(permission),
        _ => None,
    });
    let permission = permission.expect("it was decided");
    assert_eq!(
        (permission.decision, permission.by.as_str()),
        ("denied", "person")
    );
    assert!(session.turn.is_none(), "a turn that is not told on is over");
}

#[test]
fn one_session_of_several_is_played() {
    let new = r#"{"dir":"c2a","t":0,"msg":{"jsonrpc":"2.0","id":4,"method":"session/new","params":{"cwd":"/q","mcpServers":[]}}}"#;
    let two = r#"{"dir":"a2c","t":0,"msg":{"jsonrpc":"2.0","id":4,"result":{"sessionId":"two"}}}"#;
    let (of_one, of_two) = (said("one", "first"), said("two", "second"));
    let file = log(&[&OPENED[..], &[new, two, PROMPT, &of_one, &of_two]].concat());
    let text = |wanted| {
        let (session, records) = played(file.path(), wanted);
        let texts = records.iter().filter_map(|record| match record {
            Record::Text { text, .. } => Some(text.clone()),
            _ => None,
        });
        (session.config.cwd, texts.collect::<String>())
    };
    assert_eq!(text(None), ("/p".into(), "first".to_owned()));
    assert_eq!(text(Some("two")), ("/q".into(), "second".to_owned()));
}

#[test]
fn a_line_that_belongs_to_no_log_is_said_and_costs_itself() {
    let text = said("one", "heard");
    let file = log(&[&OPENED[..], &["INFO hello", PROMPT, &text]].concat());
    let (_, records) = played(file.path(), None);
    let told = |wanted: &str| {
        let mut records = records.iter();
        records.any(|record| match record {
            Record::Notice { text, .. } | Record::Text { text, .. } => text.contains(wanted),
            _ => false,
        })
    };
    assert!(told("cannot be read: line 5: INFO hello"));
    assert!(told("heard"));
}

/// A conversation in version 2 of the protocol, through its codec and the rules.
// V2-UPD-01, V2-UPD-02, V2-STATE-01
#[test]
fn a_conversation_in_version_2_plays_whole() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/v2/turn.jsonl");
    understood(&path);
    let (session, records) = played(&path, None);
    assert_eq!(session.agent.protocol, Protocol::V2);
    assert_eq!(session.title.as_deref(), Some("A faster parser"));
    let told = records.iter().filter_map(|record| match record {
        Record::Text { text, .. } => Some(text.as_str()),
        _ => None,
    });
    let told: Vec<&str> = told.collect();
    assert!(told.concat().contains("It is twice as fast."), "{told:?}");
    let blocks = session.conversation.transcript.blocks().iter();
    let said: Vec<String> = blocks
        .filter_map(|block| match &block.kind {
            BlockKind::User(message) => Some(format!("> {}", message.text)),
            BlockKind::Agent(message) => Some(message.text.to_string()),
            BlockKind::Thought(thought) => Some(format!("({})", &*thought.text)),
            BlockKind::Tool(call) => Some(format!("{} {:?}", call.title, call.state)),
            _ => None,
        })
        .collect();
    assert_eq!(
        said,
        [
            "> Make the parser faster",
            "(The lexer copies every token.)",
            "I will measure first. Then cut.",
            "Read lexer.rs Completed",
            "Run the benchmark Completed",
            "Edit the lexer Completed",
            "It is twice as fast.",
            "> Port it to C",
            "Porting",
        ]
    );
    assert!(session.turn.is_none() && session.questions.is_empty());
    assert_eq!(session.last_stop, Some(StopReason::Cancelled));
    assert_eq!(session.commands.len(), 1);
    assert_eq!(session.config_options.len(), 2);
}

// V1-SUB-02
#[test]
fn what_a_subagent_said_is_played_with_its_session() {
    let child = r#"{"dir":"a2c","t":2,"msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"one","update":{"sessionUpdate":"subagent_update","sessionId":"child","title":"Explore","state":{"state":"running"}}}}}"#;
    let of_child = said("child", "deep down");
    let file = log(&[&OPENED[..], &[PROMPT, child, &of_child]].concat());
    let (session, records) = played(file.path(), None);
    assert_eq!(session.subagents.len(), 1);
    let heard = records.iter().any(|record| {
        matches!(record, Record::Within { what, .. }
            if matches!(&**what, Record::Text { text, .. } if text == "deep down"))
    });
    assert!(heard, "{records:?}");
}

#[test]
fn a_page_that_was_opened_is_told_as_opened() {
    let ask = r#"{"dir":"a2c","t":2,"msg":{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"sessionId":"one","mode":"url","message":"Sign in","url":"https://example.com/x","elicitationId":"e"}}}"#;
    let told = |action: &str| {
        let answer = format!(
            r#"{{"dir":"c2a","t":3,"msg":{{"jsonrpc":"2.0","id":7,"result":{{"action":"{action}"}}}}}}"#
        );
        let file = log(&[&OPENED[..], &[PROMPT, ask, &answer]].concat());
        let (_, records) = played(file.path(), None);
        let mut notices = records.iter().filter_map(|record| match record {
            Record::Notice { text, .. } if text.contains("example.com") => Some(text.clone()),
            _ => None,
        });
        notices.next().unwrap_or_default()
    };
    assert!(told("accept").contains("opened"), "{}", told("accept"));
    assert!(told("decline").contains("declined"), "{}", told("decline"));
}
