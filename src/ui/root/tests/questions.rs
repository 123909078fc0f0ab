//! Questions among everything else that has keys.

use super::*;

#[test]
fn letters_typed_when_a_question_appears_go_to_the_draft() {
    let mut screen = Screen::new(Bench::working());
    screen.types("well, ");
    screen.bench.asks_to_run("npm run build");
    assert!(screen.types("yes").is_empty());
    assert!(
        screen.press("enter").is_empty(),
        "no answer, and no prompt sent"
    );
    assert_eq!(screen.draft(), "well, yes");
    screen.settle();
    let commands = screen.press("1");
    assert_eq!(kinds(&commands), ["Session(Answer"]);
    assert_eq!(screen.draft(), "well, yes");
}

#[test]
fn a_word_begun_after_a_pause_belongs_to_the_draft_that_is_there() {
    let asked: [fn(&mut Bench); 2] = [
        |bench| bench.asks_to_run("rm -rf /"),
        |bench| {
            let read = crate::proto::HostRequest::ReadTextFile(crate::proto::FsRead {
                session: Bench::session_id(),
                path: "/etc/passwd".into(),
                line: None,
                limit: None,
            });
            bench.asks_outside(read, "/etc/passwd", false);
        },
    ];
    for asks in asked {
        let mut screen = Screen::new(Bench::working());
        screen.types("can ");
        asks(&mut screen.bench);
        screen.settle();
        for word in ["you ", "delete ", "a ", "nice ", "extra ", "?"] {
            screen.bench.wait(1_000);
            assert!(screen.types(word).is_empty(), "{word}");
        }
        assert_eq!(screen.draft(), "can you delete a nice extra ?");
        assert!(screen.draw().contains("letters go to the draft"));
        screen.bench.wait(1_000);
        assert_eq!(screen.press("1").len(), 1, "a digit answers");
    }
}

#[test]
fn letters_answer_again_once_the_draft_is_gone() {
    let mut screen = Screen::new(Bench::working());
    screen.types("a");
    screen.bench.asks_to_run("ls");
    screen.settle();
    assert!(screen.press("backspace").is_empty());
    screen.settle();
    assert_eq!(kinds(&screen.press("y")), ["Session(Answer"]);
}

#[test]
fn where_letters_go_is_said_on_the_smallest_screen_too() {
    let mut screen = Screen::new(Bench::working()).sized(40, 10);
    screen.bench.asks_to_run("ls");
    assert!(!screen.draw().contains("letters go to the draft"));
    screen.types("so");
    assert!(screen.status().contains("letters go to the draft"));
}

#[test]
fn each_question_has_its_own_guard() {
    let mut screen = Screen::new(Bench::working());
    screen.bench.asks_to_run("one");
    screen.bench.asks_to_run("two");
    screen.settle();
    assert!(screen.draw().contains("1 of 2"));
    // Read together: the second question has not even been seen.
    let commands = screen.press_together("1");
    screen.apply(commands);
    assert!(screen.press("1").is_empty());
    assert_eq!(screen.draft(), "1");
    screen.settle();
    assert_eq!(kinds(&screen.press("1")), ["Session(Answer"]);
}

#[test]
fn one_answer_is_one_answer_v1_perm_10() {
    let mut screen = Screen::new(Bench::working());
    screen.bench.asks_to_run("one");
    screen.settle();
    // The session has not heard of it when the second press comes.
    assert_eq!(screen.press("y").len(), 1);
    assert!(screen.press("y").is_empty());
}

#[test]
fn an_enter_right_behind_an_answer_sends_no_draft() {
    let mut screen = Screen::new(Bench::working());
    screen.types("half a thought");
    screen.bench.asks_to_run("one");
    screen.settle();
    let answer = screen.press("1");
    screen.apply(answer);
    screen.bench.wait(100);
    assert!(screen.press("enter").is_empty());
    assert_eq!(screen.draft(), "half a thought");
    assert_eq!(screen.press("enter").len(), 2, "the next one is meant");
}

#[test]
fn a_reason_typed_right_behind_a_refusal_is_sent() {
    let mut screen = Screen::new(Bench::working());
    screen.bench.asks_to_run("one");
    screen.settle();
    let refusal = screen.press("e");
    screen.apply(refusal);
    screen.press_together("k e e p space l o g s");
    assert_eq!(screen.press("enter").len(), 2);
}

fn with_trust_question() -> Screen {
    let mut screen = Screen::new(Bench::starting());
    screen.ui.set_trust_question(TrustQuestion {
        path: "/src/tool/.acp-tui.toml".into(),
        content: "default_agent = \"x\"".into(),
        display: false,
    });
    screen.draw();
    screen
}

#[test]
fn what_was_typed_before_anything_could_be_seen_trusts_nothing() {
    let mut screen = with_trust_question();
    screen.ui.typed_ahead(&screen.bench.context());
    assert!(screen.press_together("y e s enter").is_empty());
    assert_eq!(screen.draft(), "yes");
    screen.settle();
    assert!(screen.press("y").is_empty(), "text as well, with a draft");
    screen.bench.wait(1_000);
    assert_eq!(kinds(&screen.press("1")), ["Trust(true)"]);
}

#[test]
fn what_is_typed_at_the_trust_question_goes_to_the_draft() {
    let mut screen = with_trust_question();
    screen.types("hello");
    assert_eq!(screen.draft(), "hello");
    let picture = screen.draw();
    assert!(picture.contains("brings its own settings"), "{picture}");
    for early in ["no agent", "choose"] {
        assert!(!picture.contains(early), "{early}: {picture}");
    }
}

#[test]
fn a_question_leaves_the_screen_when_the_session_drops_it() {
    let mut screen = Screen::new(Bench::working());
    screen.bench.asks_to_run("one");
    screen.settle();
    screen.bench.event(Event::Stop);
    assert!(!screen.draw().contains("wants to run"));
    screen.types("y");
    assert_eq!(screen.draft(), "y");
}

#[test]
fn feedback_holds_further_questions_until_it_is_sent() {
    let mut screen = Screen::new(Bench::working());
    screen.bench.asks_to_run("one");
    screen.bench.asks_to_run("two");
    screen.settle();
    let commands = screen.press("e");
    assert_eq!(kinds(&commands), ["Session(Answer"]);
    screen.apply(commands);
    screen.settle();
    let picture = screen.draw();
    assert!(!picture.contains("wants to run"), "{picture}");
    screen.bench.wait(1_000);
    screen.types("use yarn");
    assert_eq!(screen.draft(), "use yarn");
    screen.bench.wait(5_000);
    assert!(
        screen.status().contains("1 question waits"),
        "{}",
        screen.status()
    );
    assert_eq!(screen.press("enter").len(), 2);
    assert!(screen.draw().contains("wants to run"));
}

/// Refused by a key that is no text, while a draft was there.
fn refused_with_a_draft() -> Screen {
    let mut screen = Screen::new(Bench::working());
    let keys = BTreeMap::from([("feedback".to_owned(), vec!["alt-e".to_owned()])]);
    screen.ui.look.keymap = crate::ui::keymap::Keymap::new(&keys);
    screen.types("then write the docs");
    screen.bench.asks_to_run("one");
    screen.settle();
    let refusal = screen.press("alt-e");
    screen.apply(refusal);
    assert!(screen.draw().contains("why not? enter sends it"));
    screen
}

#[test]
fn a_draft_is_no_reason_and_comes_back_once_that_is_sent() {
    let mut screen = refused_with_a_draft();
    screen.bench.wait(1_000);
    screen.types("use yarn");
    assert_eq!(
        screen.draft(),
        "use yarn\nthen write the docs",
        "to be saved"
    );
    let sent = screen.press("enter");
    let submitted = sent.iter().find_map(|command| match command {
        UiCommand::Submit { draft, .. } => Some(draft.text()),
        _ => None,
    });
    assert_eq!(submitted.as_deref(), Some("use yarn"));
    assert_eq!(screen.draft(), "then write the docs");
    assert!(!screen.draw().contains("why"));
}

#[test]
fn a_turn_that_ends_leaves_the_reason_its_place() {
    let mut screen = refused_with_a_draft();
    turn_ends(&mut screen.bench, StopReason::EndTurn);
    assert!(screen.draw().contains("why not? enter sends it"));
    screen.types("use yarn");
    screen.press("enter");
    assert_eq!(screen.draft(), "then write the docs");
    assert!(!screen.draw().contains("why not?"));
}

#[test]
fn a_draft_comes_back_when_no_reason_is_given() {
    let mut screen = refused_with_a_draft();
    screen.types("use");
    screen.press("esc");
    assert_eq!(screen.draft(), "then write the docs");
    assert!(!screen.draw().contains("why"));

    let mut screen = refused_with_a_draft();
    screen.types("use");
    screen.press("ctrl-c");
    assert_eq!(screen.draft(), "then write the docs");
}

#[test]
fn a_prompt_that_comes_back_is_no_part_of_the_reason() {
    let mut screen = refused_with_a_draft();
    screen.types("use yarn");
    screen.ui.restore_draft(&Prompt {
        text: "and test it".into(),
        blocks: Vec::new(),
    });
    screen.press("esc");
    assert_eq!(screen.draft(), "and test it\nthen write the docs");
}

#[test]
fn held_questions_come_back_by_esc() {
    let mut screen = Screen::new(Bench::working());
    screen.bench.asks_to_run("one");
    screen.bench.asks_to_run("two");
    screen.settle();
    let commands = screen.press("e");
    screen.apply(commands);
    assert!(screen.press("esc").is_empty(), "not the turn's end");
    assert!(screen.draw().contains("wants to run"));
}

#[test]
fn the_conversation_scrolls_above_a_question() {
    let mut bench = Bench::working();
    for n in 0..60 {
        bench.message(&format!("line {n}\n\n"));
    }
    bench.asks_to_run("ls");
    let mut screen = Screen::new(bench);
    screen.settle();
    assert!(screen.draw().contains("line 59"));
    screen.press("pgup");
    let picture = screen.draw();
    assert!(!picture.contains("line 59"), "{picture}");
    assert!(picture.contains("wants to run"), "{picture}");
    assert_eq!(
        kinds(&screen.press("y")),
        ["Session(Answer"],
        "scrolling is not typing"
    );
}

#[test]
fn the_cursor_stays_in_the_composer_while_a_question_is_open() {
    let mut screen = Screen::new(Bench::working());
    screen.types("ab");
    screen.bench.asks_to_run("ls");
    assert_eq!(screen.cursor(), Some(Position::new(4, 22)));
}

#[test]
fn what_the_person_opened_stays_above_a_question() {
    let mut screen = Screen::new(Bench::working());
    screen.press("ctrl-p");
    screen.bench.asks_to_run("ls");
    screen.types("y");
    assert_eq!(screen.draft(), "");
    assert!(screen.draw().contains("Actions"));
    assert!(screen.status().contains("1 question waits"));
    screen.press("esc");
    assert!(screen.draw().contains("wants to run"));
    assert!(screen.press("y").is_empty(), "only now it can be read");
}

#[test]
fn a_prompt_held_back_by_nothing_goes_when_the_dialog_is_answered_by_a_paste() {
    let mut screen = Screen::new(Bench::working());
    screen.bench.asks_to_run("ls");
    screen.settle();
    let paste = Input::Paste("1\n".into());
    assert!(
        screen
            .ui
            .handle(&[paste], &screen.bench.context())
            .is_empty()
    );
    assert_eq!(screen.draft(), "1\n");
}

#[test]
fn the_whole_diff_is_shown_and_esc_closes_it() {
    let mut bench = Bench::working();
    let mut call = bench.call(crate::proto::ToolKind::Edit);
    call.title = Patch::Set("Edit a.rs".into());
    call.content = Patch::Set(vec![crate::proto::ToolContent::Diff(
        crate::proto::Diff::of_texts("a.rs".into(), Some("one\n".into()), "two\n".into()).into(),
    )]);
    bench.asks(call, crate::ui::testing::usual_options());
    let mut screen = Screen::new(bench);
    screen.settle();
    screen.press("d");
    let picture = screen.draw();
    assert!(!picture.contains("full diff"), "{picture}");
    assert!(
        picture.contains("a.rs") && picture.contains("two"),
        "{picture}"
    );
    assert!(screen.status().contains("1 question waits"));
    assert!(
        matches!(
            screen.press("ctrl-z").as_slice(),
            [crate::ui::UiCommand::Suspend]
        ),
        "a question does not keep the terminal from being suspended"
    );
    assert!(screen.press("esc").is_empty(), "the turn goes on");
    assert!(screen.draw().contains("wants to change"));
    assert_eq!(
        kinds(&screen.press("y")),
        ["Session(Answer"],
        "esc was no typing"
    );
}

/// A change that is asked about, its diff on the whole screen.
fn with_the_diff(size: (u16, u16)) -> Screen {
    let mut bench = Bench::working();
    let mut call = bench.call(crate::proto::ToolKind::Edit);
    call.title = Patch::Set("Edit a.rs".into());
    call.content = Patch::Set(vec![crate::proto::ToolContent::Diff(
        crate::proto::Diff::of_texts("a.rs".into(), Some("one\n".into()), "two\n".into()).into(),
    )]);
    call.raw_input = Patch::Set(crate::proto::RawJson(r#"{"secretly":"more"}"#.into()));
    bench.asks(call, crate::ui::testing::usual_options());
    let mut screen = Screen::new(bench).sized(size.0, size.1);
    screen.settle();
    assert!(screen.press("d").is_empty());
    screen
}

#[test]
fn the_answers_stand_under_the_whole_diff_and_work_there() {
    for size in [(40, 10), (80, 24), (120, 40)] {
        for (key, option) in [
            ("1", "once"),
            ("2", "always"),
            ("y", "once"),
            ("a", "always"),
            ("n", "no"),
            ("3", "no"),
        ] {
            let mut screen = with_the_diff(size);
            let picture = screen.draw();
            for text in ["two", "Allow once", "Reject", "wants to change files"] {
                assert!(picture.contains(text), "{text} in {picture}");
            }
            let commands = screen.press(key);
            assert!(
                matches!(
                    commands.as_slice(),
                    [UiCommand::Session(Event::Answer { option: given, .. })]
                        if given.as_str() == option
                ),
                "{key}: {commands:?}"
            );
            screen.apply(commands);
            let picture = screen.draw();
            assert!(!picture.contains("wants to change"), "closed: {picture}");
        }
    }
}

#[test]
fn a_refusal_under_the_diff_leads_to_its_reason() {
    let mut screen = with_the_diff((80, 24));
    let commands = screen.press("e");
    assert_eq!(kinds(&commands), ["Session(Answer"]);
    screen.apply(commands);
    assert!(screen.draw().contains("why not? enter sends it"));
}

#[test]
fn keys_that_only_look_answer_nothing_under_the_diff() {
    let mut screen = with_the_diff((80, 24));
    for key in [
        "j", "k", "J", "K", "s", "g", "G", "space", "enter", "9", "x",
    ] {
        assert!(screen.press(key).is_empty(), "{key}");
    }
    assert!(screen.press("i").is_empty());
    assert!(screen.draw().contains("secretly"), "the input");
    assert!(
        screen.draw().contains("Allow once"),
        "answered from there, too"
    );
    screen.press("i q");
    assert!(screen.draw().contains("d full diff"));
    assert_eq!(screen.draft(), "");
    assert_eq!(
        kinds(&screen.press("1")),
        ["Session(Answer"],
        "no pause behind d and q"
    );
}

#[test]
fn a_question_that_comes_up_behind_the_diff_is_not_answered_from_it() {
    let mut screen = with_the_diff((80, 24));
    screen.bench.asks_to_run("rm -rf /");
    let Some(crate::session::Question::Permission(first)) = screen.bench.session.shown_question()
    else {
        panic!("a question");
    };
    let key = first.key;
    screen
        .bench
        .says(crate::proto::FromAgent::CancelRequest { key });
    let picture = screen.draw();
    assert!(
        picture.contains("two") && !picture.contains("Allow once"),
        "{picture}"
    );
    for key in ["y", "1", "a", "n"] {
        assert!(screen.press(key).is_empty(), "{key}");
    }
    screen.press("q");
    assert!(screen.press("1").is_empty(), "it has only now been seen");
}

#[test]
fn a_change_that_becomes_another_one_is_not_answered_under_its_diff() {
    for drawn in [false, true] {
        let mut screen = with_the_diff((80, 24));
        let Some(crate::session::Question::Permission(asked)) =
            screen.bench.session.shown_question()
        else {
            panic!("a question");
        };
        let diff = crate::proto::Diff::of_texts("/root/.bashrc".into(), None, "evil\n".into());
        let content = vec![crate::proto::ToolContent::Diff(diff.into())];
        let update = crate::proto::ToolCallPatch {
            content: Patch::Set(content),
            ..crate::proto::ToolCallPatch::new(asked.subject.tool_call.clone())
        };
        let update = crate::proto::AgentEvent::ToolCall(Box::new(update));
        screen.bench.update(update);
        if drawn {
            screen.draw();
        }
        assert!(screen.press("1").is_empty());
        let picture = screen.draw();
        for text in ["changed since it was asked", ".bashrc", "evil"] {
            assert!(picture.contains(text), "{text} in {picture}");
        }
        screen.settle();
        assert_eq!(kinds(&screen.press("1")), ["Session(Answer"]);
    }
}
