//! An agent that comes for what is queued.

use super::*;
use crate::{
    model::MediaBlock,
    session::{Steered, reduce::turn::MAX_DRAINED},
};

impl Play {
    /// The answer to the agent's coming: texts, and whether more waits.
    fn drained_by(&mut self, session: &str) -> (Vec<String>, bool) {
        let session = id(session);
        let (key, effects) = self.request(HostRequest::DrainQueue { session });
        match effects.as_slice() {
            [
                Effect::ToAgent(ToAgent::Reply {
                    key: to,
                    reply: HostReply::QueueDrained { messages, waits },
                }),
            ] if *to == key => (messages.clone(), *waits),
            other => panic!("{other:?}"),
        }
    }

    fn drained(&mut self) -> (Vec<String>, bool) {
        self.drained_by("s")
    }

    fn queues(&mut self, texts: &[&str]) {
        for text in texts {
            self.event(Event::Submit(prompt(text)));
        }
    }
}

fn with_image(text: &str) -> Prompt {
    let image = PromptBlock::Image(MediaBlock {
        data: "".into(),
        mime_type: "image/png".into(),
        uri: "file:///a.png".into(),
        passing: false,
        written: "@a.png".into(),
        name: "a.png".into(),
        size: 1,
    });
    let mut prompt = prompt(text);
    prompt.blocks.push(image);
    prompt
}

#[test]
fn what_is_queued_goes_into_the_open_turn_where_the_agent_comes_for_it() {
    let mut play = Play::running();
    assert_eq!(play.drained(), (vec![], false));
    play.update(says("first"));
    play.queues(&["left", "right"]);
    assert_eq!(play.drained(), (vec!["left".into(), "right".into()], false));
    assert!(play.queued().is_empty());
    play.update(says("then"));
    assert_eq!(
        play.said(),
        [
            "user: go",
            "agent: first",
            "user: left",
            "user: right",
            "agent: then"
        ]
    );
    assert_eq!(play.drained(), (vec![], false), "given once");
    let blocks = play.session.conversation.transcript.blocks().iter();
    let steered = blocks.filter(|block| {
        matches!(&block.kind, BlockKind::User(user) if user.steered == Some(Steered::Taken))
    });
    assert_eq!(steered.count(), 2);
    assert!(
        play.ends(StopReason::EndTurn)
            .iter()
            .all(|effect| !matches!(effect, Effect::ToAgent(ToAgent::Call(Call::Prompt { .. }))))
    );
}

#[test]
fn what_is_more_than_text_stays_and_keeps_what_is_behind_it() {
    let mut play = Play::running();
    play.update(AgentEvent::Commands(vec![crate::model::SlashCommand {
        name: "compact".into(),
        description: SafeText::default(),
        hint: None,
    }]));
    play.queues(&["one"]);
    play.event(Event::Submit(with_image("look")));
    play.queues(&["two"]);
    assert_eq!(play.drained(), (vec!["one".into()], true));
    assert_eq!(play.queued(), ["look", "two"]);
    assert_eq!(play.drained(), (vec![], true));
    let mut play = Play::running();
    play.update(AgentEvent::Commands(vec![crate::model::SlashCommand {
        name: "compact".into(),
        description: SafeText::default(),
        hint: None,
    }]));
    play.queues(&["/compact now", "two"]);
    assert_eq!(play.drained(), (vec![], true));
}

#[test]
fn no_more_than_the_agent_takes_goes_at_once() {
    for count in [MAX_DRAINED - 1, MAX_DRAINED, MAX_DRAINED + 1] {
        let mut play = Play::running();
        for n in 0..count {
            play.queues(&[&n.to_string()]);
        }
        let (messages, waits) = play.drained();
        assert_eq!(messages.len(), count.min(MAX_DRAINED));
        assert_eq!(waits, count > MAX_DRAINED);
    }
}

#[test]
fn nothing_goes_without_a_turn_while_it_is_stopped_or_for_another_session() {
    let mut play = Play::running();
    play.queues(&["left"]);
    play.event(Event::Stop);
    assert_eq!(play.drained().0, Vec::<String>::new());
    play.ends(StopReason::Cancelled);
    assert!(play.session.queue_held);
    assert_eq!(play.drained(), (vec![], false), "it waits for the person");
    assert_eq!(play.queued(), ["left"]);
    let mut play = Play::running();
    play.queues(&["left"]);
    let session = id("other");
    let (_, effects) = play.request(HostRequest::DrainQueue { session });
    assert!(matches!(
        effects.as_slice(),
        [Effect::ToAgent(ToAgent::Reply {
            reply: HostReply::Error(_),
            ..
        })]
    ));
    assert_eq!(play.queued(), ["left"]);
}
