//! Whole messages by their ids (V2-UPD-01, V2-UPD-02).

use super::*;
use ChunkRole::{Agent, Thought, User};

fn whole(role: ChunkRole, id: &str, content: Patch<Vec<ContentBlock>>) -> AgentEvent {
    AgentEvent::Message {
        role,
        id: MessageId::new(id),
        content,
        meta: Meta::default(),
    }
}

fn set(role: ChunkRole, id: &str, said: &str) -> AgentEvent {
    whole(role, id, Patch::Set(vec![text(said)]))
}

fn image() -> ContentBlock {
    ContentBlock::Unknown {
        kind: "image".into(),
        raw: crate::model::RawJson("{}".into()),
    }
}

impl Play {
    fn accepted(&mut self, message: &str) {
        self.reply(
            CallTag::Prompt { session: id("s") },
            CallResult::PromptAccepted {
                message: MessageId::new(message),
            },
        );
    }
}

// V2-UPD-01
#[test]
fn what_is_said_whole_takes_the_place_of_what_came_in_pieces_and_grows_again() {
    for (role, name) in [(Agent, "agent"), (Thought, "thought")] {
        let mut play = Play::running();
        play.update(chunk(role, Some("m"), "wrong "));
        play.update(set(role, "m", "right"));
        play.update(chunk(role, Some("m"), " and more"));
        assert_eq!(play.said()[1..], [format!("{name}: right and more")]);
        // Without content nothing changes.
        play.update(whole(role, "m", Patch::Keep));
        assert_eq!(play.said()[1..], [format!("{name}: right and more")]);
        for clear in [Patch::Clear, Patch::Set(Vec::new())] {
            play.update(whole(role, "m", clear));
            assert_eq!(play.said().len(), 1);
            play.update(chunk(role, Some("m"), "anew"));
            assert_eq!(play.said()[1..], [format!("{name}: anew")]);
        }
        // One that was never seen begins with what it says.
        play.update(whole(role, "n", Patch::Keep));
        play.update(set(role, "n", "next"));
        assert_eq!(play.said()[2..], [format!("{name}: next")]);
    }
}

// V2-UPD-01
#[test]
fn a_message_of_several_pieces_is_replaced_as_one() {
    let mut play = Play::running();
    play.update(chunk(Agent, Some("m"), "one "));
    play.update(AgentEvent::Chunk {
        role: Agent,
        message: Some(MessageId::new("m")),
        content: image(),
        meta: Meta::default(),
    });
    play.update(chunk(Agent, Some("m"), "two"));
    play.update(tool("t", "run", ToolStatus::Pending));
    play.update(chunk(Agent, Some("m"), "three"));
    assert_eq!(play.said().len(), 6);
    let rev = play.session.conversation.transcript.rev();
    play.update(whole(
        Agent,
        "m",
        Patch::Set(vec![text("a"), text("b"), image()]),
    ));
    assert_eq!(play.said()[1..], ["agent: ab", "content", "t run Pending"]);
    assert_eq!(
        play.session
            .conversation
            .transcript
            .withdrawn_since(rev)
            .count(),
        2
    );
    // More pieces than there were come at the end.
    play.update(whole(
        Agent,
        "m",
        Patch::Set(vec![image(), text("x"), image(), text("y")]),
    ));
    assert_eq!(
        play.said()[1..],
        [
            "content",
            "agent: x",
            "t run Pending",
            "content",
            "agent: y"
        ]
    );
    let held: usize = play
        .session
        .conversation
        .transcript
        .blocks()
        .iter()
        .map(|block| crate::session::reduce::conversation::bounds::block_weight(&block.kind))
        .sum();
    assert_eq!(play.session.conversation.weight, held);
}

// V2-UPD-02
#[test]
fn pieces_of_two_messages_may_come_by_turns() {
    let mut play = Play::running();
    for n in 0..3 {
        play.update(chunk(Agent, Some("a"), &format!("a{n} ")));
        play.update(chunk(Thought, Some("b"), &format!("b{n} ")));
    }
    play.update(set(Thought, "b", "b "));
    play.update(chunk(Agent, Some("a"), "a3"));
    play.update(chunk(Thought, Some("b"), "b3"));
    assert_eq!(play.said()[1..], ["agent: a0 a1 a2 a3", "thought: b b3"]);
}

// V2-PROMPT-01
#[test]
fn our_own_message_is_not_shown_twice_whichever_way_it_is_told() {
    let echo = |event: AgentEvent| event;
    for told in [
        vec![echo(set(User, "m", "go"))],
        vec![echo(whole(
            User,
            "m",
            Patch::Set(vec![text("g"), text("o")]),
        ))],
        vec![chunk(User, Some("m"), "g"), chunk(User, Some("m"), "o")],
        // Worded otherwise: its id tells.
        vec![set(User, "m", "Go! (as expanded by the agent)")],
        vec![chunk(User, Some("m"), "Go! (as expanded)")],
    ] {
        for answered_first in [false, true] {
            let mut play = Play::running();
            if answered_first {
                play.accepted("m");
            }
            for event in told.clone() {
                play.update(event);
            }
            if !answered_first {
                play.accepted("m");
            }
            play.update(says("hello"));
            assert_eq!(play.said(), ["user: go", "agent: hello"], "{told:?}");
            play.update(whole(User, "m", Patch::Clear));
            assert_eq!(play.said().len(), 2, "what was typed stays");
        }
    }
}

// V2-UPD-01
#[test]
fn what_somebody_else_says_in_the_session_is_shown() {
    let mut play = Play::running();
    play.accepted("m");
    play.update(set(User, "other", "and do that too"));
    play.update(says("hello"));
    play.update(chunk(User, Some("third"), "a "));
    play.update(chunk(User, Some("third"), "third"));
    play.update(says("yes"));
    play.update(set(User, "other", "and do this too"));
    play.update(chunk(User, Some("other"), "!"));
    assert_eq!(
        play.said(),
        [
            "user: go",
            "user: and do this too!",
            "agent: hello",
            "user: a third",
            "agent: yes",
        ]
    );
    // Before our own was taken in as well.
    let mut play = Play::running();
    play.update(set(User, "other", "first"));
    play.accepted("m");
    play.update(set(User, "m", "go"));
    play.update(says("hello"));
    assert_eq!(play.said(), ["user: go", "user: first", "agent: hello"]);
}

// V2-RPC-03
#[test]
fn the_meta_of_a_message_is_patched_by_key() {
    let mut play = Play::running();
    let with = |key: &str, value: Option<&str>| {
        let mut meta = Meta::default();
        meta.set(key, value.map(|json| crate::model::RawJson(json.into())));
        AgentEvent::Message {
            role: Agent,
            id: MessageId::new("m"),
            content: Patch::Keep,
            meta,
        }
    };
    play.update(set(Agent, "m", "x"));
    play.update(with("a", Some("1")));
    play.update(with("b", Some("2")));
    play.update(with("a", None));
    let last = play.session.conversation.transcript.blocks().last();
    let Some(BlockKind::Agent(message)) = last.map(|block| &block.kind) else {
        panic!("a message");
    };
    let kept: Vec<String> = message.meta.objects().map(|it| it.0.to_string()).collect();
    assert_eq!(kept, ["{\"b\":2}"]);
}
