use super::*;
use std::sync::Arc;

use crate::model::{Diff, FileChange, OptionId, Patch, RawJson, ToolContent, ToolKind};
use crate::session::{Attention, ToolState, TurnMoment, Verdict};

// V1-PROMPT-02
#[test]
fn one_turn_at_a_time_and_only_a_good_end_goes_on() {
    let mut play = Play::running();
    for next in ["two", "three"] {
        assert!(wire(&play.event(Event::Submit(prompt(next)))).is_empty());
    }
    assert_eq!(wire(&play.ends(StopReason::EndTurn)), ["prompt two"]);
    assert_eq!(play.queued(), ["three"]);
    assert!(wire(&play.ends(StopReason::MaxTokens)).is_empty());
    assert!(play.session.queue_held);
    // Something else meanwhile does not set the held ones off.
    assert_eq!(
        wire(&play.event(Event::Submit(prompt("other")))),
        ["prompt other"]
    );
    assert!(wire(&play.ends(StopReason::EndTurn)).is_empty());
    assert_eq!(wire(&play.event(Event::SendQueued)), ["prompt three"]);
    assert!(!play.session.queue_held);
}

#[test]
fn how_long_a_turn_took_is_told_at_its_end() {
    for (ms, told) in [
        (999, None),
        (1_000, Some("· Worked for 1s")),
        (65_000, Some("· Worked for 1m 05s")),
        (7_380_000, Some("· Worked for 2h 03m")),
    ] {
        let mut play = Play::running();
        play.wait(Duration::from_millis(ms));
        play.ends(StopReason::EndTurn);
        let said = play.said();
        let said = said.iter().find(|said| said.contains("Worked"));
        assert_eq!(said.map(String::as_str), told);
    }
}

#[test]
fn the_row_that_ends_a_turn_says_how_it_ended_and_nothing_says_it_twice() {
    let error = || RpcError::new(-32603, "the quota is used up");
    type Ends = fn(&mut Play);
    let ends: [(Ends, &[&str]); 7] = [
        (
            |play| {
                play.event(Event::Stop);
                play.ends(StopReason::Cancelled);
            },
            &["i Stopped after 5s"],
        ),
        (
            |play| {
                play.event(Event::Stop);
                play.fails(RpcError::new(-32603, "aborted"));
            },
            &["i Stopped after 5s"],
        ),
        (
            |play| {
                play.fails(RpcError::new(-32603, "the quota is used up"));
            },
            &["! the quota is used up", "· Failed after 5s"],
        ),
        (
            |play| {
                play.ends(StopReason::Error(RpcError::new(-32603, "no")));
            },
            &["! no", "· Failed after 5s"],
        ),
        (
            |play| {
                play.ends(StopReason::MaxTokens);
            },
            &[
                "w the token limit was reached: the answer is cut off",
                "· Ended after 5s",
            ],
        ),
        (
            |play| {
                play.exits(AgentExit {
                    status: None,
                    stderr: SafeText::default(),
                    cause: None,
                });
            },
            &["· Failed after 5s", "! Demo ended"],
        ),
        (
            |play| {
                play.event(Event::Restart);
            },
            &["· Stopped after 5s"],
        ),
    ];
    for (end, told) in ends {
        let mut play = Play::running();
        play.update(says("on it"));
        play.wait(Duration::from_secs(5));
        let before = play.said().len();
        end(&mut play);
        let said = play.said();
        let said: Vec<&str> = said[before..].iter().map(String::as_str).collect();
        let said: Vec<&str> = said
            .into_iter()
            .filter(|line| *line != "i restarting the agent")
            .collect();
        assert_eq!(said.len(), told.len(), "{said:?}");
        for (said, told) in said.iter().zip(told) {
            assert!(said.contains(&told[2..]), "{said} {told}");
        }
    }
    // Of a short one the word alone.
    let mut play = Play::running();
    play.fails(error());
    assert_eq!(play.said_last(), "! the turn failed: the quota is used up");
    // When it was is told of these rows too.
    let mut play = Play::running();
    play.wait(Duration::from_secs(5));
    play.event(Event::Stop);
    let effects = play.ends(StopReason::Cancelled);
    let row = effects.iter().find_map(|effect| match effect {
        Effect::TellTime(row) => Some(*row),
        _ => None,
    });
    play.event(Event::EndedAt {
        row: row.expect("the time is asked for"),
        time: "10:41".into(),
    });
    assert_eq!(play.said_last(), "i Stopped after 5s · 10:41");
}

#[test]
fn the_end_of_a_turn_tells_what_it_changed_and_when_it_was() {
    let patch = "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n one\n--- two\n+++ 2\n+3\n";
    let patch = |path: &str| Diff::of_patch(path.into(), FileChange::Modify, patch.into());
    let new = Diff::of_texts("new".into(), None, "a\nb\nc\n".into());
    let sides = Diff::of_texts("f".into(), Some("a".into()), "b".into());
    let deleted = Diff::of_texts("f".into(), Some("a\nb".into()), "".into());
    let renamed = FileChange::Move { from: "e".into() };
    for (diffs, told) in [
        (vec![], "· Worked for 1s"),
        (vec![patch("f")], "· Worked for 1s · +2 −1 in 1 file"),
        (
            vec![patch("f"), new, patch("f")],
            "· Worked for 1s · +7 −2 in 2 files",
        ),
        (vec![deleted], "· Worked for 1s · +0 −2 in 1 file"),
        // Nothing is counted wrong: these texts may be a part of the file.
        (vec![patch("g"), sides], "· Worked for 1s · 2 files changed"),
        (
            vec![Diff::without_text("f".into(), renamed)],
            "· Worked for 1s · 1 file changed",
        ),
    ] {
        let mut play = Play::running();
        let pieces = diffs.into_iter().map(Arc::new).map(ToolContent::Diff);
        play.update(AgentEvent::ToolCall(Box::new(ToolCallPatch {
            announces: true,
            kind: Patch::Set(ToolKind::Edit),
            status: Patch::Set(ToolStatus::Completed),
            content: Patch::Set(pieces.collect()),
            ..ToolCallPatch::new(ToolCallId::new("t"))
        })));
        play.wait(Duration::from_secs(1));
        let effects = play.ends(StopReason::EndTurn);
        assert_eq!(play.said_last(), told);
        let row = effects.iter().find_map(|effect| match effect {
            Effect::TellTime(row) => Some(*row),
            _ => None,
        });
        play.event(Event::EndedAt {
            row: row.expect("the time is asked for"),
            time: "10:41".into(),
        });
        assert_eq!(play.said_last(), format!("{told} · 10:41"));
    }
}

#[test]
fn what_is_found_on_the_disk_after_a_turn_takes_the_place_of_what_its_calls_say() {
    let mut play = Play::running();
    play.wait(Duration::from_secs(1));
    let effects = play.ends(StopReason::EndTurn);
    let turn = effects.iter().find_map(|effect| match effect {
        Effect::FollowTurn(TurnMoment::Ended(turn)) => Some(*turn),
        _ => None,
    });
    let turn = turn.expect("its end is told");
    let found = |turn, files, lines| Event::TurnChanged { turn, files, lines };
    play.event(found(turn, 0, Some((0, 0))));
    assert_eq!(play.said_last(), "· Worked for 1s");
    play.event(found(turn, 3, Some((18, 4))));
    assert_eq!(play.said_last(), "· Worked for 1s · +18 −4 in 3 files");
    // Of another turn it says nothing here.
    play.event(found(turn + 1, 1, None));
    assert_eq!(play.said_last(), "· Worked for 1s · +18 −4 in 3 files");
    play.event(found(turn, 1, None));
    assert_eq!(play.said_last(), "· Worked for 1s · 1 file changed");
}

#[test]
fn a_short_turn_has_a_row_if_it_changed_files_and_nothing_else_began() {
    let changed = |play: &mut Play| {
        let turn = play.session.inner.turn.number;
        play.event(Event::TurnChanged {
            turn,
            files: 1,
            lines: Some((2, 0)),
        });
    };
    let mut play = Play::running();
    play.ends(StopReason::EndTurn);
    changed(&mut play);
    assert_eq!(
        play.said_last(),
        "· Worked for less than 1s · +2 −0 in 1 file"
    );
    assert_eq!(play.session.changed_files, 1);
    changed(&mut play);
    let rows = play.said().into_iter().filter(|row| row.contains("Worked"));
    assert_eq!(rows.count(), 1, "it is one row");
    // The next one has begun: behind it the row would be out of place.
    let mut play = Play::running();
    play.ends(StopReason::EndTurn);
    play.event(Event::Submit(prompt("again")));
    let turn = play.session.inner.turn.number - 1;
    play.event(Event::TurnChanged {
        turn,
        files: 1,
        lines: None,
    });
    assert!(!play.mentions("Worked"));
    assert_eq!(play.session.changed_files, 0);
}

// V1-PROMPT-04, V1-PROMPT-05
#[test]
fn every_end_can_be_seen() {
    let cases = [
        (StopReason::EndTurn, None),
        (StopReason::MaxTokens, Some("token limit")),
        (StopReason::MaxTurnRequests, Some("limit of requests")),
        (StopReason::Refusal, Some("refused")),
        (StopReason::Cancelled, Some("cancelled by the agent")),
        (
            StopReason::Unknown("solar_flare".into()),
            Some("solar_flare"),
        ),
    ];
    for (reason, words) in cases {
        let mut play = Play::running();
        play.update(says("some words"));
        let effects = play.ends(reason.clone());
        assert!(effects.contains(&Effect::Attention(Attention::TurnDone)));
        assert!(play.session.turn.is_none());
        match words {
            Some(words) => assert!(play.said_last().contains(words), "{:?}", play.said()),
            None => assert_eq!(play.said_last(), "agent: some words"),
        }
        assert_eq!(play.mentions("refused: go"), reason == StopReason::Refusal);
        assert_eq!(
            wire(&play.event(Event::Submit(prompt("again")))),
            ["prompt again"]
        );
    }
}

// V1-PROMPT-04.
/// What pi does when the model cannot be reached.
#[test]
fn a_turn_without_a_word_is_said_to_be_one() {
    let mut play = Play::running();
    play.ends(StopReason::EndTurn);
    assert_eq!(play.said_last(), "i no output");
    play.event(Event::Submit(prompt("again")));
    play.update(tool("t", "run", ToolStatus::Completed));
    play.ends(StopReason::EndTurn);
    assert_eq!(play.said_last(), "t run Completed");
}

/// codex answers a prompt so after each no.
#[test]
fn a_turn_that_a_denial_ended_says_why() {
    let mut play = Play::running();
    play.asks_about("t");
    let question = play.session.questions[0].id();
    play.event(Event::Decided {
        revision: None,
        question,
        verdict: Verdict::Deny {
            option: OptionId::new("no"),
            rule: "a rule".into(),
        },
    });
    play.ends(StopReason::Cancelled);
    assert!(play.said_last().contains("denied"), "{:?}", play.said());
    play.event(Event::Submit(prompt("again")));
    play.ends(StopReason::Cancelled);
    assert_eq!(play.said_last(), "w cancelled by the agent");
}

// V1-PROMPT-06
#[test]
fn an_error_ends_the_turn_and_not_the_session() {
    let mut play = Play::running();
    play.update(tool("t", "run", ToolStatus::InProgress));
    play.event(Event::Submit(prompt("next")));
    let effects = play.fails(RpcError {
        data: Some(RawJson(r#"{"details":"400 the script"}"#.into())),
        ..RpcError::new(-32603, "Internal error")
    });
    assert!(wire(&effects).is_empty());
    assert_eq!(play.tool("t").state, ToolState::Failed);
    assert!(play.mentions("! the turn failed: 400 the script"));
    assert!(play.session.queue_held);
    assert_eq!(play.session.phase, Phase::Ready);
    assert_eq!(wire(&play.event(Event::SendQueued)), ["prompt next"]);
}

// V1-ERR-08
#[test]
fn a_session_that_the_agent_lost_can_be_opened_again() {
    let mut play = Play::running();
    play.fails(RpcError::new(-32002, "Resource not found: s"));
    assert!(play.mentions("the turn failed: Resource not found: s"));
    assert!(play.said_last().contains("F5"));
}

#[test]
fn a_queue_that_goes_on_calls_nobody() {
    let mut play = Play::running();
    play.event(Event::Submit(prompt("two")));
    let done = Effect::Attention(Attention::TurnDone);
    assert!(!play.ends(StopReason::EndTurn).contains(&done));
    assert!(play.ends(StopReason::EndTurn).contains(&done));
}

// V1-PROMPT-07
#[test]
fn updates_after_the_end_are_shown_and_open_no_turn() {
    let mut play = Play::running();
    play.update(says("first"));
    play.ends(StopReason::EndTurn);
    play.update(says("late"));
    assert!(play.session.turn.is_none());
    assert_eq!(play.said(), ["user: go", "agent: first", "agent: late"]);
    assert_eq!(play.session.deadline(), None);
}

// V1-TOOL-14
#[test]
fn unfinished_calls_end_with_the_turn() {
    let mut play = Play::running();
    play.update(tool("t", "run", ToolStatus::Pending));
    play.ends(StopReason::EndTurn);
    assert_eq!(play.tool("t").state, ToolState::Ended);
    // Background work may still finish.
    play.update(tool_update("t", Some(ToolStatus::Completed)));
    assert_eq!(play.tool("t").state, ToolState::Completed);
}

#[test]
fn send_now_stops_the_turn_first() {
    let mut play = Play::running();
    play.event(Event::Submit(prompt("queued")));
    assert_eq!(wire(&play.event(Event::SendNow(prompt("now")))), ["cancel"]);
    assert!(wire(&play.event(Event::SendNow(prompt("and then")))).is_empty());
    assert_eq!(wire(&play.ends(StopReason::Cancelled)), ["prompt now"]);
    assert_eq!(wire(&play.ends(StopReason::EndTurn)), ["prompt and then"]);
    assert_eq!(wire(&play.ends(StopReason::EndTurn)), ["prompt queued"]);
}

#[test]
fn the_queues_head_can_be_sent_now() {
    let mut play = Play::running();
    play.event(Event::Submit(prompt("queued")));
    assert_eq!(wire(&play.event(Event::SendQueued)), ["cancel"]);
    let error = RpcError::new(-32603, "aborted");
    assert_eq!(wire(&play.fails(error)), ["prompt queued"]);
}

#[test]
fn esc_after_send_now_holds_it() {
    let mut play = Play::running();
    play.event(Event::SendNow(prompt("now")));
    assert!(wire(&play.event(Event::Stop)).is_empty());
    assert!(wire(&play.ends(StopReason::Cancelled)).is_empty());
    assert_eq!(play.queued(), ["now"]);
}

#[test]
fn the_newest_queued_message_comes_back_for_editing() {
    let mut play = Play::running();
    play.event(Event::Submit(prompt("two")));
    play.event(Event::Submit(prompt("three")));
    let effects = play.event(Event::UnqueueLast);
    assert_eq!(effects, [Effect::RestoreDraft(prompt("three"))]);
    assert_eq!(play.queued(), ["two"]);
}

#[test]
fn what_is_sent_now_while_the_session_opens_goes_first_and_alone() {
    let mut play = Play::open_with(reopening());
    play.event(Event::Submit(prompt("go")));
    play.event(Event::Submit(prompt("held")));
    play.event(Event::Restart);
    assert!(play.session.queue_held);
    play.event(Event::SendNow(prompt("now")));
    play.connect();
    play.initialized(hello(reopening()));
    let effects = play.reply(CallTag::ResumeSession { id: id("s") }, nothing_opened());
    assert_eq!(wire(&effects), ["prompt now"]);
    assert!(wire(&play.ends(StopReason::EndTurn)).is_empty());
    assert_eq!(play.queued(), ["held"]);
}

#[test]
fn a_full_queue_gives_the_message_back() {
    let mut play = Play::running();
    for n in 0..64 {
        play.event(Event::Submit(prompt(&n.to_string())));
    }
    let effects = play.event(Event::Submit(prompt("one more")));
    assert!(effects.contains(&Effect::RestoreDraft(prompt("one more"))));
    assert_eq!(play.session.queue.len(), 64);
}

#[test]
fn silence_in_a_turn_wakes_the_screen_once() {
    let mut play = Play::running();
    play.wait(Duration::from_secs(40));
    play.update(says("hm"));
    let rev = play.session.rev;
    play.wait(Duration::from_secs(44));
    assert_eq!(play.session.rev, rev);
    assert_eq!(play.session.silent_for(play.now), None);
    play.wait(Duration::from_secs(300));
    assert_eq!(play.session.rev, rev + 1);
    assert!(play.session.silent_for(play.now).is_some());
    assert_eq!(play.session.deadline(), None);
    play.update(says("!"));
    assert_eq!(play.session.silent_for(play.now), None);
    assert!(play.session.deadline().is_some());
}

#[test]
fn a_prompt_after_a_long_rest_is_no_silence() {
    let mut play = Play::open();
    play.wait(Duration::from_secs(3_600));
    play.event(Event::Submit(prompt("go")));
    assert_eq!(play.session.silent_for(play.now), None);
}

// D-29
#[test]
fn a_prompt_of_more_than_a_megabyte_is_said_and_sent_all_the_same() {
    let mut caps = AgentCaps::default();
    caps.prompt.embedded_context = true;
    let mut play = Play::open_with(caps);
    let large = |bytes: usize| Prompt {
        text: "see".to_owned(),
        blocks: vec![
            PromptBlock::Text("see".to_owned()),
            PromptBlock::Text("x".repeat(bytes)),
        ],
    };
    assert_eq!(wire(&play.event(Event::Submit(large(900_000)))).len(), 1);
    assert!(!play.mentions("1 MB"));
    play.ends(StopReason::EndTurn);
    assert_eq!(wire(&play.event(Event::Submit(large(1_270_000)))).len(), 1);
    assert!(play.mentions("the prompt has 1.2 MB: some agents take no message of more than 1 MB"));
}
