//! Images and sounds of the person.

use super::*;
use crate::{
    model::{Media, MediaBlock, PromptCaps},
    session::{MAX_ATTACHED, UserMessage},
};

fn media(name: &str, bytes: usize) -> MediaBlock {
    MediaBlock {
        data: "A".repeat(bytes).into(),
        mime_type: "image/png".to_owned(),
        uri: format!("file:///tmp/{name}"),
        passing: false,
        name: name.to_owned(),
        size: bytes as u64 / 4 * 3,
        written: format!("@/tmp/{name}"),
    }
}

fn with_image(bytes: usize) -> Prompt {
    Prompt {
        text: "look at @/tmp/a.png please".to_owned(),
        blocks: vec![
            PromptBlock::Text("look at ".to_owned()),
            PromptBlock::Image(media("a.png", bytes)),
            PromptBlock::Text(" please".to_owned()),
        ],
    }
}

fn last_user(play: &Play) -> &UserMessage {
    let mut blocks = play.session.conversation.transcript.blocks().iter().rev();
    let found = blocks.find_map(|block| match &block.kind {
        BlockKind::User(message) => Some(message),
        _ => None,
    });
    found.expect("a message of the person")
}

fn takes_images() -> AgentCaps {
    AgentCaps {
        prompt: PromptCaps {
            image: true,
            ..PromptCaps::default()
        },
        ..AgentCaps::default()
    }
}

fn sent(effects: &[Effect]) -> &[PromptBlock] {
    let blocks = effects.iter().find_map(|effect| match effect {
        Effect::ToAgent(ToAgent::Call(Call::Prompt { blocks, .. })) => Some(blocks.as_slice()),
        _ => None,
    });
    blocks.expect("a prompt")
}

// V1-CONT-02, V1-INIT-18
#[test]
fn an_image_is_sent_where_it_stands_and_shown_by_its_name() {
    let (mut play, _) = Play::opening(config(), takes_images());
    play.reply(CallTag::NewSession, session_named("s"));
    let effects = play.event(Event::Submit(with_image(8)));
    assert_eq!(sent(&effects), with_image(8).blocks);
    assert_eq!(play.said(), ["user: look at [image: a.png] please"]);
    let attached = &last_user(&play).attached;
    assert!(
        matches!(
            &attached[..],
            [ContentBlock::Image(Media { size: Some(6), .. })]
        ),
        "{attached:?}"
    );
    // Its echo is none of the agent's words.
    let image = ContentBlock::Image(Media {
        mime_type: "image/png".into(),
        size: Some(6),
        uri: None,
        data: None,
    });
    play.update(AgentEvent::Chunk {
        role: ChunkRole::User,
        message: None,
        content: image,
        meta: Meta::default(),
    });
    assert_eq!(play.said().len(), 1);
}

// V1-INIT-18, V1-PROMPT-01: written before the agent has said what it takes.
#[test]
fn what_the_agent_takes_decides_when_it_is_sent() {
    for (caps, takes) in [(takes_images(), true), (AgentCaps::default(), false)] {
        let (mut play, _) = Play::opening(config(), caps);
        play.event(Event::Submit(with_image(8)));
        let effects = play.reply(CallTag::NewSession, session_named("s"));
        let is_link = matches!(sent(&effects)[1], PromptBlock::ResourceLink { .. });
        assert_eq!(is_link, !takes);
        assert_eq!(
            play.mentions("cannot take a.png: a link goes instead"),
            !takes
        );
        let shown_as_link = matches!(
            last_user(&play).attached[..],
            [ContentBlock::ResourceLink(_)]
        );
        assert_eq!(shown_as_link, !takes);
    }
}

#[test]
fn the_queue_is_bounded_by_what_its_images_weigh() {
    let mut play = Play::running();
    for _ in 0..3 {
        assert!(play.event(Event::Submit(with_image(20 << 20))).is_empty());
    }
    let effects = play.event(Event::Submit(with_image(20 << 20)));
    assert_eq!(play.queued().len(), 3);
    // Its text leads back to the file.
    assert!(effects.iter().any(|effect| matches!(
        effect,
        Effect::RestoreDraft(prompt) if prompt.text == "look at @/tmp/a.png please"
    )));
}

// V1-CONT-02, V1-SES-09
#[test]
fn an_image_in_a_replayed_message_is_part_of_it() {
    let caps = AgentCaps {
        load_session: true,
        ..AgentCaps::default()
    };
    let mut reopened = config();
    reopened.start = Start::Reopen(id("old"));
    let (mut play, _) = Play::opening(reopened, caps);
    let image = |uri: Option<&'static str>| AgentEvent::Chunk {
        role: ChunkRole::User,
        message: None,
        content: ContentBlock::Image(Media {
            mime_type: "image/png".into(),
            size: Some(6),
            uri: uri.map(Into::into),
            data: None,
        }),
        meta: Meta::default(),
    };
    for event in [
        chunk(ChunkRole::User, None, "look at "),
        image(Some("file:///tmp/a%20b.png")),
        chunk(ChunkRole::User, None, " please"),
        says("I see"),
        image(None),
        says("again"),
    ] {
        play.update_of("old", event);
    }
    play.reply(CallTag::LoadSession { id: id("old") }, session_named("old"));
    assert_eq!(
        play.said(),
        [
            "user: look at [image: a b.png] please",
            "agent: I see",
            "user: [image: image/png]",
            "agent: again",
        ]
    );
    assert_eq!(last_user(&play).attached.len(), 1);
}

#[test]
fn images_of_one_replayed_message_are_bounded() {
    let mut play = Play::running();
    for _ in 0..10_000 {
        play.update(AgentEvent::Chunk {
            role: ChunkRole::User,
            message: None,
            content: ContentBlock::Audio(Media {
                mime_type: "audio/wav".into(),
                size: None,
                uri: None,
                data: None,
            }),
            meta: Meta::default(),
        });
    }
    play.update(says("that was much"));
    assert_eq!(last_user(&play).attached.len(), MAX_ATTACHED);
}
