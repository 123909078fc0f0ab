//! Compactions, and notices that are no part of the transcript.

use super::*;
use crate::{
    model::{
        AgentNotice, CompactionId, CompactionPatch, CompactionStatus, Meta, NoticeSeverity, Patch,
    },
    session::{Compaction, Piece},
};

fn patch(id: &str, status: CompactionStatus) -> CompactionPatch {
    CompactionPatch {
        id: CompactionId::new(id),
        status: Some(status),
        summary: Patch::Keep,
        error: Patch::Keep,
        meta: Meta::default(),
    }
}

fn update(patch: CompactionPatch) -> AgentEvent {
    AgentEvent::Compaction(Box::new(patch))
}

fn summary(id: &str, said: &str) -> AgentEvent {
    AgentEvent::CompactionChunk {
        id: CompactionId::new(id),
        content: text(said),
        meta: Meta::default(),
    }
}

fn compaction<'a>(play: &'a Play, id: &str) -> &'a Compaction {
    let mut blocks = play.session.conversation.transcript.blocks().iter();
    blocks
        .find_map(|block| match &block.kind {
            BlockKind::Compaction(one) if one.id.as_str() == id => Some(&**one),
            _ => None,
        })
        .expect("the compaction is shown")
}

fn said_in(compaction: &Compaction) -> String {
    let text = |piece: &Piece| match piece {
        Piece::Text(text) => text.to_string(),
        Piece::Content(_) => "[content]".to_owned(),
    };
    compaction.summary.iter().map(text).collect()
}

use CompactionStatus::{Cancelled, Completed, Failed, InProgress, Unknown};

// V1-COMP-01
#[test]
fn the_first_word_of_a_compaction_fixes_its_place_and_later_ones_patch_it() {
    let mut play = Play::running();
    play.update(says("before"));
    play.update(update(patch("c", InProgress)));
    play.update(says("after"));
    for (change, summary, error) in [
        (Patch::Set(vec![text("a"), text("b")]), "a\n\nb", None),
        (Patch::Keep, "a\n\nb", None),
        (Patch::Clear, "", None),
        (Patch::Set(vec![text("c")]), "c", None),
        (Patch::Set(Vec::new()), "", None),
    ] {
        play.update(update(CompactionPatch {
            summary: change,
            ..patch("c", InProgress)
        }));
        assert_eq!(said_in(compaction(&play, "c")), summary);
        assert_eq!(compaction(&play, "c").error, error);
    }
    for (change, error) in [
        (Patch::Set("too long".into()), Some("too long")),
        (Patch::Keep, Some("too long")),
        (Patch::Clear, None),
    ] {
        play.update(update(CompactionPatch {
            error: change,
            ..patch("c", Failed)
        }));
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
    let begun = compaction(&play, "new");
    assert_eq!(begun.status, InProgress);
    assert_eq!(said_in(begun), "one two three");
    play.update(update(patch("new", Completed)));
    play.update(summary("new", "!"));
    assert_eq!(said_in(compaction(&play, "new")), "one two three!");
    assert_eq!(play.said(), ["user: go", "compaction Completed"]);
}

// V1-COMP-03
#[test]
fn every_status_is_kept_and_time_counts_until_it_is_over() {
    for status in [Completed, Failed, Cancelled, Unknown("paused".into())] {
        let mut play = Play::running();
        play.update(update(patch("c", InProgress)));
        assert_eq!(compaction(&play, "c").took, None);
        play.now += Duration::from_secs(3);
        play.update(update(patch("c", status.clone())));
        let over = compaction(&play, "c");
        assert_eq!(over.status, status);
        assert_eq!(over.took, Some(Duration::from_secs(3)));
    }
}

#[test]
fn a_compaction_does_not_go_on_for_ever_without_its_agent() {
    let mut play = Play::running();
    play.update(update(patch("c", InProgress)));
    play.exits(AgentExit::default());
    assert!(!compaction(&play, "c").is_open());
}

#[test]
fn a_summary_without_end_is_bounded() {
    let mut play = Play::running();
    for _ in 0..100 {
        play.update(summary("c", &"x".repeat(100_000)));
    }
    assert!(said_in(compaction(&play, "c")).len() < 1_000_000);
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
