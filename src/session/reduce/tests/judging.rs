//! What the policy is asked about, when the agent changes its call meanwhile.

use super::*;
use crate::model::{OptionId, Patch, SubagentPatch, ToolKind, ToolLocation};
use crate::session::{By, Question, QuestionId, Stray, Subject, Verdict};

/// The call goes to that place from now on.
fn goes_to(path: &str) -> AgentEvent {
    AgentEvent::ToolCall(Box::new(ToolCallPatch {
        kind: Patch::Set(ToolKind::Edit),
        locations: Patch::Set(vec![ToolLocation {
            path: path.to_owned(),
            line: None,
        }]),
        ..ToolCallPatch::new(ToolCallId::new("t"))
    }))
}

/// Which question at which revision the policy is asked about, and the paths of it.
fn judged(effects: &[Effect]) -> Option<(QuestionId, u64, Vec<String>)> {
    let mut asked = effects.iter().filter_map(|effect| match effect {
        Effect::Decide {
            question,
            revision,
            subject,
            ..
        } => Some((*question, *revision, subject.paths.clone())),
        _ => None,
    });
    let first = asked.next();
    assert!(asked.next().is_none(), "once at a time: {effects:?}");
    first
}

fn decided(question: QuestionId, revision: u64, verdict: Verdict) -> Event {
    Event::Decided {
        question,
        revision: Some(revision),
        verdict,
    }
}

fn allow() -> Verdict {
    Verdict::Allow {
        option: OptionId::new("yes"),
        rule: "allow kind=edit".into(),
    }
}

fn deny() -> Verdict {
    Verdict::Deny {
        option: OptionId::new("no"),
        rule: "deny path=x".into(),
    }
}

fn strays_to(place: &'static str) -> Verdict {
    Verdict::Ask {
        reason: None,
        strays: vec![Stray {
            asked: place.into(),
            leads: None,
            why: "is outside the workspace".into(),
        }],
    }
}

fn shown(play: &Play) -> &crate::session::PermissionQuestion {
    match play.session.shown_question() {
        Some(Question::Permission(question)) => question,
        other => panic!("{other:?}"),
    }
}

// V1-PERM-06
#[test]
fn what_is_allowed_is_what_the_call_says_when_it_is_allowed() {
    let mut play = Play::running();
    play.update(goes_to("src/a"));
    let (_, effects) = play.asks_about("t");
    let (question, revision, _) = judged(&effects).expect("the policy is asked");
    // It changes while the disk is looked at, and again; one look is enough for both.
    assert_eq!(judged(&play.update(goes_to("src/b"))), None);
    assert_eq!(judged(&play.update(goes_to("/etc/x"))), None);
    let effects = play.event(decided(question, revision, allow()));
    assert_eq!(
        wire(&effects),
        [""; 0],
        "what was allowed is something else"
    );
    let (again, revision, paths) = judged(&effects).expect("the policy is asked again");
    assert_eq!((again, paths), (question, vec!["/etc/x".to_owned()]));
    assert!(play.session.shown_question().is_none());
    let effects = play.event(decided(question, revision, strays_to("/etc/x")));
    assert_eq!(wire(&effects), [""; 0]);
    assert_eq!(shown(&play).strays.len(), 1);
}

#[test]
fn paths_that_lead_outside_are_told_of_the_call_as_it_is_now() {
    let mut play = Play::running();
    play.update(goes_to("src/a"));
    let (_, effects) = play.asks_about("t");
    let (question, revision, _) = judged(&effects).expect("the policy is asked");
    play.event(decided(question, revision, Verdict::ask(None)));
    assert!(shown(&play).strays.is_empty());
    let effects = play.update(goes_to("linked/x"));
    let (_, revision, _) = judged(&effects).expect("and again, of what is shown now");
    let before = shown(&play).revision;
    play.event(decided(question, revision, strays_to("linked/x")));
    assert_eq!(&*shown(&play).strays[0].asked, "linked/x");
    // So that the pause before an answer begins again.
    assert!(shown(&play).revision > before);
    // An answer that nobody waits for any more changes nothing.
    play.event(decided(question, revision, Verdict::ask(None)));
    assert_eq!(shown(&play).strays.len(), 1);
}

#[test]
fn a_call_that_becomes_what_is_denied_is_denied_and_none_is_allowed_under_the_hand() {
    for (verdict, sent) in [(deny(), &["1 Selected(\"no\")"][..]), (allow(), &[])] {
        let mut play = Play::running();
        play.update(goes_to("src/a"));
        let (_, effects) = play.asks_about("t");
        let (question, revision, _) = judged(&effects).expect("the policy is asked");
        play.event(decided(question, revision, Verdict::ask(None)));
        let effects = play.update(goes_to("src/b"));
        let (_, revision, _) = judged(&effects).expect("and again");
        let effects = play.event(decided(question, revision, verdict));
        assert_eq!(wire(&effects), sent);
        if sent.is_empty() {
            assert_eq!(shown(&play).id, question);
        } else {
            let by = &play.tool("t").answers[0].by;
            assert!(matches!(by, By::Rule(_)), "{by:?}");
        }
    }
}

/// Only what counts from a directory counts from the subagent's.
#[test]
fn places_of_a_subagent_are_what_their_spelling_means() {
    let paths = |path: &str| {
        let mut play = Play::running();
        play.update(AgentEvent::Subagent(Box::new(SubagentPatch {
            cwd: Patch::Set("/project/sub".into()),
            ..SubagentPatch::new(id("c"))
        })));
        play.update_of("c", goes_to(path));
        let (_, effects) = play.request(HostRequest::Permission(Box::new(PermissionRequest {
            session: id("c"),
            title: None,
            description: None,
            subject: crate::model::PermissionSubject::ToolCall(Box::new(ToolCallPatch::new(
                ToolCallId::new("t"),
            ))),
            options: vec![option("yes", PermissionKind::AllowOnce)],
        })));
        let decide = effects.into_iter().find_map(|effect| match effect {
            Effect::Decide { subject, .. } => Some(*subject),
            _ => None,
        });
        let subject: Subject = decide.expect("the policy is asked");
        subject.paths
    };
    for (path, judged) in [
        ("x", "/project/sub/x"),
        ("../x", "/project/sub/../x"),
        ("/etc/x", "/etc/x"),
        ("~/x", "~/x"),
        ("file:/etc/x", "file:/etc/x"),
        ("file:///etc/x", "file:///etc/x"),
    ] {
        assert_eq!(paths(path), [judged], "{path}");
    }
}
