//! Compactions, and notices that are no part of the transcript.

use super::*;
use crate::model::{
    AgentNotice, Compaction, CompactionPatch, CompactionStatus, ContentPatch, Entity, EntityId,
    EntityKind, EntityPatch, EntityUpdate, Meta, NoticeSeverity, Patch, Piece,
};

fn update(id: &str, patch: CompactionPatch, summary: ContentPatch) -> AgentEvent {
    AgentEvent::Entity(Box::new(EntityUpdate {
        id: EntityId::new(id),
        kind: EntityPatch::Compaction(patch),
        content: summary,
        meta: Meta::default(),
    }))
}

fn status(id: &str, status: CompactionStatus) -> AgentEvent {
    let patch = CompactionPatch {
        status: Some(status),
        error: Patch::Keep,
    };
    update(id, patch, ContentPatch::Whole(Patch::Keep))
}

fn summary(id: &str, said: &str) -> AgentEvent {
    let chunk = ContentPatch::Add(text(said));
    update(id, CompactionPatch::default(), chunk)
}

fn entity<'a>(play: &'a Play, id: &str) -> &'a Entity {
    let mut blocks = play.session.conversation.transcript.blocks().iter();
    blocks
        .find_map(|block| match &block.kind {
            BlockKind::Entity(one) if one.id.as_str() == id => Some(&**one),
            _ => None,
        })
        .expect("the compaction is shown")
}

fn compaction<'a>(play: &'a Play, id: &str) -> &'a Compaction {
    match &entity(play, id).kind {
        EntityKind::Compaction(compaction) => compaction,
        other => panic!("{other:?}"),
    }
}

fn said_in(entity: &Entity) -> String {
    let text = |piece: &Piece| match piece {
        Piece::Text(text) => text.to_string(),
        Piece::Content(_) => "[content]".to_owned(),
    };
    entity.content.iter().map(text).collect()
}

use CompactionStatus::{Cancelled, Completed, Failed, InProgress, Unknown};

// V1-COMP-01
#[test]
fn the_first_word_of_a_compaction_fixes_its_place_and_later_ones_patch_it() {
    let mut play = Play::running();
    play.update(says("before"));
    play.update(status("c", InProgress));
    play.update(says("after"));
    for (change, summary, error) in [
        (Patch::Set(vec![text("a"), text("b")]), "a\n\nb", None),
        (Patch::Keep, "a\n\nb", None),
        (Patch::Clear, "", None),
        (Patch::Set(vec![text("c")]), "c", None),
        (Patch::Set(Vec::new()), "", None),
    ] {
        let patch = CompactionPatch {
            status: Some(InProgress),
            error: Patch::Keep,
        };
        play.update(update("c", patch, ContentPatch::Whole(change)));
        assert_eq!(said_in(entity(&play, "c")), summary);
        assert_eq!(compaction(&play, "c").error, error);
    }
    for (change, error) in [
        (Patch::Set("too long".into()), Some("too long")),
        (Patch::Keep, Some("too long")),
        (Patch::Clear, None),
    ] {
        let patch = CompactionPatch {
            status: Some(Failed),
            error: change,
        };
        play.update(update("c", patch, ContentPatch::Whole(Patch::Keep)));
        assert_eq!(compaction(&play, "c").error.as_deref(), error);
    }
    assert_eq!(
        play.said(),
        [
            "user: go",
            "agent: before",
            "compaction Failed",
            "agent: after"
        ]
    );
}

// V1-COMP-02
#[test]
fn summary_chunks_append_in_order_and_begin_a_compaction_that_is_unknown() {
    let mut play = Play::running();
    for piece in ["one", " two", " three"] {
        play.update(summary("new", piece));
    }
    assert_eq!(compaction(&play, "new").status, InProgress);
    assert_eq!(said_in(entity(&play, "new")), "one two three");
    play.update(status("new", Completed));
    play.update(summary("new", "!"));
    assert_eq!(said_in(entity(&play, "new")), "one two three!");
    assert_eq!(play.said(), ["user: go", "compaction Completed"]);
}

// V1-COMP-03
#[test]
fn every_status_is_kept_and_time_counts_until_it_is_over() {
    for end in [Completed, Failed, Cancelled, Unknown("paused".into())] {
        let mut play = Play::running();
        play.update(status("c", InProgress));
        assert_eq!(entity(&play, "c").took, None);
        play.now += Duration::from_secs(3);
        play.update(status("c", end.clone()));
        let over = entity(&play, "c");
        assert_eq!(compaction(&play, "c").status, end);
        assert_eq!(over.took, Some(Duration::from_secs(3)));
    }
}

#[test]
fn a_compaction_does_not_go_on_for_ever_without_its_agent() {
    let mut play = Play::running();
    play.update(status("c", InProgress));
    play.exits(AgentExit::default());
    assert!(!entity(&play, "c").kind.is_open());
}

#[test]
fn a_summary_without_end_is_bounded() {
    let mut play = Play::running();
    for _ in 0..100 {
        play.update(summary("c", &"x".repeat(100_000)));
    }
    assert!(said_in(entity(&play, "c")).len() < 1_000_000);
}

fn notice() -> AgentNotice {
    AgentNotice {
        severity: NoticeSeverity::Warning,
        title: "Nearly full".into(),
        description: None,
    }
}

// V1-NOTE-01
#[test]
fn a_notice_is_for_the_moment_and_no_part_of_the_transcript() {
    let mut play = Play::running();
    play.update(says("a sen"));
    let effects = play.update(AgentEvent::Notice(notice()));
    assert_eq!(effects, [Effect::Notice(notice())]);
    play.update(says("tence"));
    assert_eq!(play.said(), ["user: go", "agent: a sentence"]);
    // Outside of a turn as well.
    play.ends(StopReason::EndTurn);
    let effects = play.update(AgentEvent::Notice(notice()));
    assert_eq!(effects, [Effect::Notice(notice())]);
}

// V1-NOTE-01
#[test]
fn a_replay_has_no_notices() {
    let reopen = SessionConfig {
        start: Start::Reopen(id("old")),
        ..config()
    };
    let (mut play, _) = Play::opening(reopen, reopening());
    let effects = play.update_of("old", AgentEvent::Notice(notice()));
    assert_eq!(effects, []);
}
