use super::*;
use crate::model::{Meta, RawJson, SlashCommand};

fn lines(chunks: &[(ChunkRole, Option<&str>, &str)]) -> Vec<String> {
    let mut play = Play::running();
    for (role, message, said) in chunks {
        play.update(chunk(*role, *message, said));
    }
    play.said().split_off(1)
}

use ChunkRole::{Agent, Thought, User};

// V1-UPD-04
#[test]
fn ids_tell_messages_apart() {
    type Chunks<'a> = &'a [(ChunkRole, Option<&'a str>, &'a str)];
    let cases: [(Chunks, &[&str]); 6] = [
        (
            &[
                (Agent, Some("a"), "1"),
                (Agent, Some("a"), "2"),
                (Agent, Some("b"), "3"),
            ],
            &["agent: 12", "agent: 3"],
        ),
        (&[(Agent, None, "1"), (Agent, None, "2")], &["agent: 12"]),
        (
            &[
                (Agent, Some("a"), "1"),
                (Agent, None, "2"),
                (Agent, Some("b"), "3"),
            ],
            &["agent: 12", "agent: 3"],
        ),
        (
            &[
                (Thought, None, "hm"),
                (Agent, None, "1"),
                (Thought, None, "hm"),
                (Agent, None, "2"),
            ],
            &["thought: hm", "agent: 1", "thought: hm", "agent: 2"],
        ),
        // Two at once, told by their ids.
        (
            &[
                (Thought, Some("t"), "h"),
                (Agent, Some("a"), "1"),
                (Thought, Some("t"), "m"),
                (Agent, Some("a"), "2"),
            ],
            &["thought: hm", "agent: 12"],
        ),
        // codex: a thought of nothing.
        (
            &[
                (Thought, None, "\n\n"),
                (Agent, None, "\n"),
                (Agent, None, "1"),
            ],
            &["agent: 1"],
        ),
    ];
    for (chunks, said) in cases {
        assert_eq!(lines(chunks), said);
    }
}

#[test]
fn a_tool_call_parts_what_is_said_before_and_after() {
    let mut play = Play::running();
    play.update(chunk(Agent, Some("a"), "before"));
    play.update(tool("t", "run", ToolStatus::Completed));
    play.update(chunk(Agent, Some("a"), "after"));
    assert_eq!(
        play.said(),
        [
            "user: go",
            "agent: before",
            "t run Completed",
            "agent: after"
        ]
    );
}

#[test]
fn what_is_said_is_done_when_something_else_comes() {
    let mut play = Play::running();
    play.update(chunk(Thought, None, "hm"));
    play.now += Duration::from_secs(2);
    play.update(says("well"));
    let blocks = play.session.conversation.transcript.blocks();
    assert!(
        matches!(&blocks[1].kind, BlockKind::Thought(thought) if thought.took == Some(Duration::from_secs(2)))
    );
    assert!(matches!(&blocks[2].kind, BlockKind::Agent(message) if !message.done));
    play.ends(StopReason::EndTurn);
    let blocks = play.session.conversation.transcript.blocks();
    assert!(matches!(&blocks[2].kind, BlockKind::Agent(message) if message.done));
}

// V1-UPD-03
#[test]
fn an_echo_of_the_prompt_is_not_shown() {
    let cases: [(&[&str], bool); 6] = [
        (&["purple giraffe"], false),
        (&["pur", "ple ", "giraffe"], false),
        (&["purple giraffe\n", "purple giraffe"], false),
        (&["purple"], false),
        (&["purple elephant"], true),
        (&["something else", "purple giraffe"], true),
    ];
    for (chunks, shown) in cases {
        let mut play = Play::open();
        play.event(Event::Submit(prompt("purple giraffe")));
        for said in chunks {
            play.update(chunk(User, None, said));
        }
        play.update(says("noted."));
        let mut expected = vec!["user: purple giraffe".to_owned()];
        if shown {
            expected.push(format!("user: {}", chunks.concat()));
        }
        expected.push("agent: noted.".to_owned());
        assert_eq!(play.said(), expected);
    }
}

#[test]
fn an_echo_with_files_in_it_is_an_echo_too() {
    let mut play = Play::open();
    play.event(Event::Submit(Prompt {
        text: "look at @a.rs".to_owned(),
        blocks: vec![
            PromptBlock::Text("look at ".to_owned()),
            PromptBlock::ResourceLink {
                uri: "file:///a.rs".to_owned(),
                name: "a.rs".to_owned(),
                size: None,
            },
        ],
    }));
    play.update(chunk(User, None, "look at [@a.rs](file:///a.rs)"));
    assert_eq!(play.said(), ["user: look at @a.rs"]);
}

#[test]
fn other_content_is_its_own_block() {
    let mut play = Play::running();
    play.update(says("see"));
    play.update(AgentEvent::Chunk {
        role: Agent,
        message: None,
        content: ContentBlock::Unknown {
            kind: "video".into(),
            raw: crate::model::RawJson("{}".into()),
        },
        meta: Meta::default(),
    });
    play.update(says("there"));
    assert_eq!(play.said()[1..], ["agent: see", "content", "agent: there"]);
}

// V1-META-01
#[test]
fn what_came_with_a_message_stays_with_it() {
    let mut play = Play::running();
    for n in [1, 1, 2] {
        let mut meta = Meta::default();
        meta.add(RawJson(format!("{{\"n\":{n}}}").into()));
        play.update(AgentEvent::Chunk {
            role: Agent,
            message: None,
            content: text("word "),
            meta,
        });
    }
    let last = play.session.conversation.transcript.blocks().last();
    let Some(BlockKind::Agent(message)) = last.map(|block| &block.kind) else {
        panic!("a message");
    };
    let values: Vec<RawJson> = message.meta.objects().collect();
    let values: Vec<&str> = values.iter().map(|raw| &*raw.0).collect();
    assert_eq!(values, [r#"{"n":1}"#, r#"{"n":2}"#]);
}

#[test]
fn a_message_without_end_is_bounded_in_the_middle() {
    let mut play = Play::running();
    play.update(says("start"));
    let piece = text(&"0123456789abcdef".repeat(1 << 16));
    for _ in 0..20 {
        play.update(AgentEvent::Chunk {
            role: Agent,
            message: None,
            content: piece.clone(),
            meta: Meta::default(),
        });
    }
    play.update(says("end"));
    let last = play.said_last();
    assert!(last.len() <= 17 << 20);
    assert!(last.starts_with("agent: start"));
    assert!(last.contains("bytes omitted"));
    assert!(last.ends_with("end"));
    // One that comes whole.
    play.update(chunk(Agent, Some("b"), &"x".repeat(20 << 20)));
    assert!(play.said_last().len() <= 17 << 20);
}

// V1-SES-21, V1-UPD-09
#[test]
fn titles_and_usage_come_and_go() {
    use crate::model::{Patch, SessionInfoPatch, Usage, UsageUpdate};
    let mut play = Play::open();
    let info = |title| {
        AgentEvent::SessionInfo(SessionInfoPatch {
            title,
            updated_at: Patch::Keep,
        })
    };
    play.update(info(Patch::Set("a title".into())));
    play.update(info(Patch::Keep));
    assert_eq!(play.session.title.as_deref(), Some("a title"));
    play.update(info(Patch::Clear));
    assert_eq!(play.session.title, None);
    let usage = Usage {
        used: 5,
        size: 0,
        cost: Some((0.5, "credits".into())),
    };
    let told = |cost| {
        AgentEvent::Usage(UsageUpdate {
            used: 5,
            size: 0,
            cost,
        })
    };
    play.update(told(Patch::Set((0.5, "credits".into()))));
    assert_eq!(play.session.usage, Some(usage.clone()));
    // V2-UPD-11: what is left out stays.
    play.update(told(Patch::Keep));
    assert_eq!(play.session.usage, Some(usage));
    play.update(told(Patch::Clear));
    assert_eq!(
        play.session
            .usage
            .as_ref()
            .and_then(|usage| usage.cost.as_ref()),
        None
    );
}

// V1-UPD-01.
/// The cost of a chunk: no effect list is allocated, and the change log stays one entry.
#[test]
fn a_flood_of_chunks_is_one_block() {
    let mut play = Play::running();
    let piece = SafeText::new("word ");
    let session = Some(id("s"));
    for _ in 0..200_000 {
        let effects = play.agent(FromAgent::Update {
            session: session.clone(),
            event: AgentEvent::Chunk {
                role: Agent,
                message: None,
                content: ContentBlock::Text(piece.clone()),
                meta: Meta::default(),
            },
        });
        assert_eq!(effects.capacity(), 0);
    }
    assert_eq!(play.session.conversation.transcript.blocks().len(), 2);
    assert_eq!(play.said_last().len(), "agent: ".len() + 1_000_000);
}

// V1-UPD-02
#[test]
fn a_thought_is_told_apart_from_what_is_said() {
    let think = |text| chunk(ChunkRole::Thought, None, text);
    let parts = [think("let me "), think("see"), says("Yes"), think("and")];
    let mut play = Play::running();
    for part in parts {
        play.update(part);
    }
    assert_eq!(
        play.said(),
        [
            "user: go",
            "thought: let me see",
            "agent: Yes",
            "thought: and"
        ]
    );
}

// V1-UPD-05
#[test]
fn commands_are_replaced_and_cleared() {
    let command = |name: &str| SlashCommand {
        name: SafeText::line(name),
        description: SafeText::default(),
        hint: None,
    };
    let mut play = Play::open();
    for list in [vec!["web", "plan"], vec!["test"], vec![]] {
        let list: Vec<_> = list.into_iter().map(command).collect();
        play.update(AgentEvent::Commands(list.clone()));
        assert_eq!(play.session.commands, list);
    }
}

// V1-CONT-06
#[test]
fn text_for_the_agent_alone_is_one_block_however_it_comes() {
    let mut play = Play::running();
    let aside = |text: &str| AgentEvent::Chunk {
        role: Agent,
        message: None,
        content: ContentBlock::ForAgent(std::sync::Arc::new(ContentBlock::Text(SafeText::new(
            text,
        )))),
        meta: Meta::default(),
    };
    for text in ["a", "b", &"c".repeat(200_000), "d"] {
        play.update(aside(text));
    }
    play.update(chunk(Agent, None, "hello"));
    let blocks = play.session.conversation.transcript.blocks();
    let [.., said, message] = blocks else {
        panic!("{blocks:?}");
    };
    let BlockKind::Content(ContentBlock::ForAgent(content)) = &said.kind else {
        panic!("{said:?}");
    };
    let ContentBlock::Text(text) = &**content else {
        panic!("{content:?}");
    };
    assert!(
        text.starts_with("abccc") && text.len() < 70_000,
        "{}",
        text.len()
    );
    assert!(matches!(message.kind, BlockKind::Agent(_)));
    assert_eq!(blocks.len(), 3);
}
