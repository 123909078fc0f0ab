use std::sync::Arc;

use super::*;
use crate::model::{
    Claim, Claims, Comparison, Diff, DiffText, Extent, Patch, ToolContent, ToolKind, ToolLocation,
};
use crate::session::{Question, Shown, ToolState};

fn sides(path: &str, old: Option<&str>, new: &str) -> Diff {
    Diff::of_texts(path.into(), old.map(SafeText::new), SafeText::new(new))
}

fn edit(id: &str) -> ToolCallPatch {
    ToolCallPatch {
        announces: true,
        title: Patch::Set("Edit".into()),
        kind: Patch::Set(ToolKind::Edit),
        ..ToolCallPatch::new(ToolCallId::new(id))
    }
}

fn content(diffs: &[Diff]) -> Patch<Vec<ToolContent>> {
    let pieces = diffs.iter().cloned().map(Arc::new).map(ToolContent::Diff);
    Patch::Set(pieces.collect())
}

fn raw(diffs: &[Diff], extent: Extent) -> Patch<Claims> {
    let list = diffs.iter().cloned();
    Patch::Set(Claims {
        list: list.map(|diff| Claim::new(diff, extent)).collect(),
        complete: true,
        only_path: None,
    })
}

fn update(patch: ToolCallPatch) -> AgentEvent {
    AgentEvent::ToolCall(Box::new(patch))
}

/// The comparison that is asked for.
fn asked(effects: &[Effect]) -> Option<Comparison> {
    effects.iter().find_map(|effect| match effect {
        Effect::Compare(comparison) => Some((**comparison).clone()),
        _ => None,
    })
}

fn found(path: &str, text: &str) -> Option<Arc<Diff>> {
    let patch = SafeText::new(text);
    let change = crate::model::FileChange::Modify;
    Some(Arc::new(Diff::of_patch(path.into(), change, patch)))
}

fn answer(play: &mut Play, comparison: &Comparison, shown: Shown) -> Vec<Effect> {
    play.event(Event::Compared {
        of: comparison.of.clone(),
        shown: Some(shown),
    })
}

/// Of each diff in the call's content its path and the beginning of its new text or patch.
fn shown(play: &Play, id: &str) -> Vec<String> {
    let pieces = play.tool(id).content.iter();
    let pieces = pieces.map(|piece| match piece {
        ToolContent::Diff(diff) => match &diff.text {
            DiffText::Sides { new, .. } => format!("{} {new}", diff.path),
            DiffText::Patch(patch) => format!("{} patch {patch}", diff.path),
            DiffText::None => diff.path.clone(),
        },
        other => format!("{other:?}"),
    });
    pieces.collect()
}

#[test]
fn what_the_raw_input_tells_stands_where_the_content_tells_no_change() {
    let mut play = Play::running();
    let told = sides("/p/f", Some("a"), "raw");
    play.update(update(ToolCallPatch {
        claims: raw(std::slice::from_ref(&told), Extent::Unknown),
        ..edit("t")
    }));
    assert_eq!(shown(&play, "t"), ["/p/f raw"]);
    // Text beside it does not take its place, a diff does.
    play.update(update(ToolCallPatch {
        content: Patch::Set(vec![ToolContent::Block(text("done"))]),
        ..edit("t")
    }));
    assert_eq!(shown(&play, "t").len(), 2);
    play.update(update(ToolCallPatch {
        content: content(&[sides("/p/f", Some("a"), "told")]),
        ..edit("t")
    }));
    assert_eq!(shown(&play, "t"), ["/p/f told"]);
}

#[test]
fn a_call_that_deletes_tells_what_by_a_path_alone() {
    let only = |path: &str| {
        Patch::Set(Claims {
            only_path: Some(path.into()),
            ..Claims::default()
        })
    };
    for kind in [ToolKind::Edit, ToolKind::Move, ToolKind::Other] {
        let mut play = Play::running();
        play.update(update(ToolCallPatch {
            kind: Patch::Set(kind),
            claims: only("/p/f"),
            ..edit("t")
        }));
        assert_eq!(shown(&play, "t"), [""; 0], "{kind:?}");
    }
    let deletes = |claims| ToolCallPatch {
        kind: Patch::Set(ToolKind::Delete),
        claims,
        ..edit("t")
    };
    let mut play = Play::running();
    let effects = play.update(update(deletes(only("/p/f"))));
    assert_eq!(asked(&effects).unwrap().claims.len(), 1);
    let [ToolContent::Diff(diff)] = play.tool("t").content.as_slice() else {
        panic!("{:?}", play.tool("t").content);
    };
    assert_eq!(**diff, Diff::deleted("/p/f".into()));
    // Another path while the person is asked is shown; nothing any more leaves what was asked about.
    play.asks_about("t");
    play.update(update(deletes(only("/p/g"))));
    assert_eq!(shown(&play, "t"), ["/p/g"]);
    play.update(update(deletes(Patch::Set(Claims::default()))));
    assert_eq!(shown(&play, "t"), ["/p/g"]);
}

#[test]
fn raw_input_of_calls_that_do_other_things_tells_no_change() {
    let of = |kind, command: Option<&str>, extent, complete| {
        let mut play = Play::running();
        let claims = match raw(&[sides("/p/f", Some("a"), "b")], extent) {
            Patch::Set(claims) => Patch::Set(Claims { complete, ..claims }),
            other => other,
        };
        play.update(update(ToolCallPatch {
            kind: Patch::Set(kind),
            command: command.map(str::to_owned).into(),
            claims,
            ..edit("t")
        }));
        shown(&play, "t").len()
    };
    use Extent::{Unknown, Whole};
    for (kind, command, extent, complete, diffs) in [
        (ToolKind::Edit, None, Unknown, false, 1),
        (ToolKind::Edit, None, Whole, true, 1),
        (ToolKind::Other, None, Unknown, true, 1),
        // There is more that it could do.
        (ToolKind::Other, None, Unknown, false, 0),
        (ToolKind::Other, Some("rm"), Unknown, true, 0),
        // A file and a text can be anything.
        (ToolKind::Other, None, Whole, true, 0),
        (ToolKind::Execute, None, Unknown, true, 0),
        (ToolKind::Read, None, Unknown, true, 0),
        (ToolKind::Fetch, None, Whole, true, 0),
    ] {
        assert_eq!(
            of(kind, command, extent, complete),
            diffs,
            "{kind:?} {complete}"
        );
    }
}

#[test]
fn a_path_that_the_raw_input_leaves_out_is_that_of_the_one_location() {
    let mut play = Play::running();
    let location = |path: &str| ToolLocation {
        path: path.into(),
        line: Some(4),
    };
    let patch = |id: &str, locations| ToolCallPatch {
        locations: Patch::Set(locations),
        claims: raw(&[sides("", Some("a"), "b")], Extent::Unknown),
        ..edit(id)
    };
    let effects = play.update(update(patch("t", vec![location("/p/f")])));
    assert_eq!(shown(&play, "t"), ["/p/f b"]);
    assert_eq!(asked(&effects).unwrap().claims[0].lines, [4]);
    play.update(update(patch("u", vec![location("/p/f"), location("/p/g")])));
    assert!(shown(&play, "u").is_empty());
}

#[test]
fn what_was_found_stands_for_its_claim_also_when_it_is_told_again() {
    let mut play = Play::running();
    let told = [sides("/p/f", Some("a"), "b"), sides("/p/f", Some("c"), "d")];
    let again = || ToolCallPatch {
        content: content(&told),
        ..edit("t")
    };
    let effects = play.update(update(again()));
    let comparison = asked(&effects).expect("claims are compared");
    assert_eq!(comparison.cwd, play.session.config.cwd);
    assert!(!comparison.fresh && !comparison.late);
    assert_eq!(shown(&play, "t"), ["/p/f b", "/p/f d"]);
    answer(&mut play, &comparison, vec![found("/p/f", "both"), None]);
    assert_eq!(shown(&play, "t"), ["/p/f patch both"]);
    // Once it is written, and it never goes back to what the agent tells.
    let effects = play.update(update(ToolCallPatch {
        status: Patch::Set(ToolStatus::Completed),
        ..again()
    }));
    assert_eq!(asked(&effects), None);
    assert_eq!(shown(&play, "t"), ["/p/f patch both"]);
    play.update(update(again()));
    assert_eq!(shown(&play, "t"), ["/p/f patch both"]);
    // Another claim is another question.
    let effects = play.update(update(ToolCallPatch {
        content: content(&[sides("/p/f", Some("x"), "y")]),
        ..edit("t")
    }));
    assert!(asked(&effects).unwrap().late);
    assert_eq!(shown(&play, "t"), ["/p/f y"]);
}

#[test]
fn an_answer_for_what_is_claimed_no_more_is_dropped_and_asked_for_again() {
    let mut play = Play::running();
    let with = |new: &str| {
        update(ToolCallPatch {
            content: content(&[sides("/p/f", Some("a"), new)]),
            ..edit("t")
        })
    };
    let first = asked(&play.update(with("b"))).unwrap();
    // As long as one runs, others wait: a text that grows by each update is compared once.
    assert_eq!(asked(&play.update(with("bc"))), None);
    let effects = answer(&mut play, &first, vec![found("/p/f", "old")]);
    assert_eq!(shown(&play, "t"), ["/p/f bc"]);
    let second = asked(&effects).expect("the new claim is compared");
    answer(&mut play, &first, vec![found("/p/f", "old")]);
    assert_eq!(shown(&play, "t"), ["/p/f bc"]);
    answer(&mut play, &second, vec![found("/p/f", "new")]);
    assert_eq!(shown(&play, "t"), ["/p/f patch new"]);
}

#[test]
fn a_question_looks_at_the_file_anew_and_shows_what_comes_of_it() {
    let mut play = Play::running();
    let effects = play.update(update(ToolCallPatch {
        content: content(&[sides("/p/f", Some("a"), "b")]),
        ..edit("t")
    }));
    let first = asked(&effects).unwrap();
    answer(&mut play, &first, vec![found("/p/f", "first")]);
    let (_, effects) = play.asks_about("t");
    let second = asked(&effects).expect("the file may be another by now");
    assert!(second.fresh);
    let order = effects.iter().map(|effect| match effect {
        Effect::Compare(_) => "compare",
        Effect::Decide { .. } => "decide",
        _ => "other",
    });
    assert_eq!(order.collect::<Vec<_>>(), ["compare", "decide"]);
    answer(&mut play, &second, vec![found("/p/f", "second")]);
    assert_eq!(shown(&play, "t"), ["/p/f patch second"]);
    let Some(Question::Permission(question)) = play.session.questions.front() else {
        panic!("no question")
    };
    assert_eq!(question.subject.content, play.tool("t").content);
}

#[test]
fn what_was_asked_about_stays_where_the_agent_has_nothing_in_its_place() {
    let mut play = Play::running();
    let effects = play.update(update(ToolCallPatch {
        claims: raw(&[sides("/p/f", None, "b")], Extent::Whole),
        ..edit("t")
    }));
    let first = asked(&effects).unwrap();
    let (_, effects) = play.asks_about("t");
    let second = asked(&effects).unwrap();
    answer(&mut play, &first, vec![found("/p/f", "late")]);
    answer(&mut play, &second, vec![found("/p/f", "found")]);
    play.update(update(ToolCallPatch {
        status: Patch::Set(ToolStatus::Completed),
        content: Patch::Set(vec![ToolContent::Block(text("Wrote file"))]),
        claims: Patch::Set(Claims::default()),
        ..edit("t")
    }));
    assert_eq!(play.tool("t").state, ToolState::Completed);
    let shown = shown(&play, "t");
    assert_eq!((shown.len(), &*shown[0]), (2, "/p/f patch found"));
}

#[test]
fn more_content_brings_its_own_claims() {
    let mut play = Play::running();
    let piece = |new: &str| {
        let diff = Arc::new(sides(&format!("/p/{new}"), Some("a"), new));
        AgentEvent::ToolContent {
            id: ToolCallId::new("t"),
            content: vec![ToolContent::Diff(diff)],
            meta: crate::model::Meta::default(),
        }
    };
    let first = asked(&play.update(piece("b"))).unwrap();
    answer(&mut play, &first, vec![found("/p/b", "one")]);
    let second = asked(&play.update(piece("c"))).unwrap();
    assert_eq!(second.claims.len(), 2);
    assert_eq!(shown(&play, "t"), ["/p/b patch one", "/p/c c"]);
    let both = vec![found("/p/b", "one"), found("/p/c", "two")];
    answer(&mut play, &second, both);
    assert_eq!(shown(&play, "t"), ["/p/b patch one", "/p/c patch two"]);
}

#[test]
fn a_replay_reads_nothing_of_the_disk_of_today() {
    let (mut play, _) = Play::opening(
        SessionConfig {
            start: Start::Reopen(id("s")),
            ..config()
        },
        AgentCaps {
            load_session: true,
            ..AgentCaps::default()
        },
    );
    for n in 0..300 {
        let effects = play.update(update(ToolCallPatch {
            content: content(&[sides("/p/f", Some("a"), "b")]),
            status: Patch::Set(ToolStatus::Completed),
            ..edit(&n.to_string())
        }));
        assert_eq!(asked(&effects), None);
    }
}

#[test]
fn a_write_that_is_asked_about_shows_what_it_does_to_its_file() {
    let mut play = Play::running();
    let key = play.key();
    let write = |key| Event::AskFile {
        key,
        request: HostRequest::WriteTextFile(crate::model::FsWrite {
            session: id("s"),
            path: "/else/f".into(),
            content: "a\r\nb\n".into(),
        }),
        resolved: "/else/f".into(),
        write: true,
        protected: None,
        reason: None,
    };
    let comparison = asked(&play.event(write(key))).expect("it is compared");
    assert_eq!(comparison.claims[0].extent, Extent::Whole);
    answer(&mut play, &comparison, vec![found("/else/f", "change")]);
    let Some(Question::File(question)) = play.session.questions.front() else {
        panic!("no question")
    };
    assert_eq!(question.change, found("/else/f", "change"));
}

#[test]
fn a_file_that_is_written_under_a_question_about_it_is_compared_anew() {
    for (path, again) in [("/p/./f", true), ("/p/g", false)] {
        let mut play = Play::running();
        let effects = play.update(update(ToolCallPatch {
            content: content(&[sides("/p/f", Some("a"), "b")]),
            ..edit("t")
        }));
        let first = asked(&effects).unwrap();
        answer(&mut play, &first, vec![found("/p/f", "first")]);
        let (_, effects) = play.asks_about("t");
        let second = asked(&effects).unwrap();
        answer(&mut play, &second, vec![found("/p/f", "second")]);
        let asked_about = |play: &Play| match play.session.questions.front() {
            Some(Question::Permission(question)) => question.clone(),
            _ => panic!("no question"),
        };
        let before = asked_about(&play);
        assert_eq!(before.changed, None);
        let effects = play.event(Event::Wrote {
            session: id("s"),
            path: path.into(),
            lines: 1,
        });
        let third = asked(&effects);
        assert_eq!(third.is_some(), again, "{path}");
        let Some(third) = third else {
            assert_eq!(asked_about(&play), before);
            continue;
        };
        assert!(third.fresh);
        answer(&mut play, &third, vec![found("/p/f", "third")]);
        let after = asked_about(&play);
        assert_eq!(shown(&play, "t"), ["/p/f patch third"]);
        assert_eq!(after.subject.content, play.tool("t").content);
        assert!(after.changed.is_some() && after.revision > before.revision);
    }
}
