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
    let commands = screen.press("down enter");
    assert_eq!(kinds(&commands), ["Session(Answer"]);
    assert_eq!(screen.draft(), "well, yes");
}

#[test]
fn a_word_begun_after_a_pause_belongs_to_the_draft_that_is_there() {
    let asked: [fn(&mut Bench); 2] = [
        |bench| bench.asks_to_run("rm -rf /"),
        |bench| {
            let read = crate::model::HostRequest::ReadTextFile(crate::model::FsRead {
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
        for word in ["you ", "delete ", "a ", "2", "1 ", "nice ", "extra ", "?"] {
            screen.bench.wait(1_000);
            assert!(screen.types(word).is_empty(), "{word}");
        }
        assert_eq!(screen.draft(), "can you delete a 21 nice extra ?");
        assert!(screen.draw().contains("typing goes to the draft"));
        screen.bench.wait(1_000);
        assert_eq!(
            screen.press("down enter").len(),
            1,
            "what is selected answers"
        );
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
fn up_goes_through_a_draft_before_it_selects_an_answer() {
    let mut screen = Screen::new(Bench::working());
    screen.types("one");
    screen.press("alt-enter");
    screen.types("two");
    screen.bench.asks_to_run("ls");
    screen.settle();
    assert!(screen.press("up").is_empty());
    screen.types("0");
    assert_eq!(screen.draft(), "one0\ntwo");
    screen.bench.wait(1_000);
    assert!(screen.press("enter").is_empty(), "nothing is selected");
    assert_eq!(kinds(&screen.press("up enter")), ["Session(Answer"]);
}

#[test]
fn where_letters_go_is_said_on_the_smallest_screen_too() {
    let mut screen = Screen::new(Bench::working()).sized(40, 10);
    screen.bench.asks_to_run("ls");
    assert!(!screen.draw().contains("typing goes to the draft"));
    screen.types("so");
    assert!(screen.status().contains("typing goes to the draft"));
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
    screen.press("backspace");
    screen.settle();
    assert_eq!(kinds(&screen.press("1")), ["Session(Answer"]);
}

/// V1-PERM-10
#[test]
fn one_answer_is_one_answer() {
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
    let answer = screen.press("down enter");
    screen.apply(answer);
    screen.bench.wait(100);
    assert!(screen.press("enter").is_empty());
    assert_eq!(screen.draft(), "half a thought");
    assert_eq!(screen.press("enter").len(), 2, "the next one is meant");
}

/// The answer and the reason that the commands give together.
fn given(commands: &[UiCommand]) -> Option<(&str, &str)> {
    match commands {
        [
            UiCommand::Session(Event::Answer { option, .. }),
            UiCommand::SaveHistory(_),
            UiCommand::Session(Event::SubmitFirst(prompt)),
        ] => Some((option.as_str(), prompt.text.as_str())),
        _ => None,
    }
}

#[test]
fn a_reason_goes_before_all_that_is_queued() {
    let mut screen = Screen::new(Bench::working());
    screen.types("then write the docs");
    let queued = screen.press("enter");
    screen.apply(queued);
    screen.bench.prompt("then write the docs");
    screen.types("half");
    screen.bench.asks_to_run("one");
    screen.settle();
    assert!(screen.press("up tab").is_empty());
    screen.press_together("u s e space y a r n");
    assert_eq!(screen.draft(), "use yarn\nhalf", "to be saved");
    screen.draw();
    let commands = screen.press("enter");
    assert_eq!(given(&commands), Some(("no", "use yarn")));
    screen.apply(commands);
    let queue = &screen.bench.session.queue;
    assert_eq!(queue[0].text, "use yarn");
    assert_eq!(screen.draft(), "half");
}

#[test]
fn a_reason_is_pasted_and_not_taken_for_typing_below() {
    let mut screen = Screen::new(Bench::working());
    screen.bench.asks_to_run("one");
    screen.settle();
    assert!(screen.press("e").is_empty());
    let paste = Input::Paste("use yarn".into());
    assert!(
        screen
            .ui
            .handle(&[paste], &screen.bench.context())
            .is_empty()
    );
    let picture = screen.draw();
    assert!(picture.contains("why: use yarn"), "{picture}");
    let commands = screen.press("enter");
    assert_eq!(given(&commands), Some(("no", "use yarn")));
}

#[test]
fn a_reason_whose_question_goes_comes_to_the_draft() {
    let mut screen = Screen::new(Bench::working());
    screen.types("docs");
    screen.bench.asks_to_run("one");
    screen.settle();
    screen.press("up tab");
    screen.types("use yarn");
    screen.bench.event(Event::Stop);
    screen.draw();
    assert_eq!(screen.draft(), "use yarn\ndocs");
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
    assert_eq!(kinds(&screen.press("down enter")), ["Trust(true)"]);
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
fn a_reason_for_one_question_answers_no_other() {
    let mut screen = Screen::new(Bench::working());
    screen.bench.asks_to_run("one");
    screen.bench.asks_to_run("two");
    screen.settle();
    assert!(screen.press("e").is_empty());
    screen.bench.wait(5_000);
    screen.types("use yarn");
    screen.draw();
    let commands = screen.press("enter");
    assert_eq!(given(&commands), Some(("no", "use yarn")));
    screen.apply(commands);
    assert!(screen.draw().contains("wants to run"));
    assert!(screen.press("y").is_empty(), "it has only now been seen");
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
    let mut call = bench.call(crate::model::ToolKind::Edit);
    call.title = Patch::Set("Edit a.rs".into());
    call.content = Patch::Set(vec![crate::model::ToolContent::Diff(
        crate::model::Diff::of_texts("a.rs".into(), Some("one\n".into()), "two\n".into()).into(),
    )]);
    bench.asks(call, crate::ui::testing::usual_options());
    let mut screen = Screen::new(bench);
    screen.settle();
    screen.press("d");
    screen.settle();
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
    let mut call = bench.call(crate::model::ToolKind::Edit);
    call.title = Patch::Set("Edit a.rs".into());
    call.content = Patch::Set(vec![crate::model::ToolContent::Diff(
        crate::model::Diff::of_texts("a.rs".into(), Some("one\n".into()), "two\n".into()).into(),
    )]);
    call.raw_input = Patch::Set(crate::model::RawJson(r#"{"secretly":"more"}"#.into()));
    bench.asks(call, crate::ui::testing::usual_options());
    let mut screen = Screen::new(bench).sized(size.0, size.1);
    screen.settle();
    assert!(screen.press("d").is_empty());
    screen.settle();
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
    assert!(screen.press("e").is_empty());
    let picture = screen.draw();
    assert!(picture.contains("why: enter answers"), "{picture}");
    assert!(picture.contains("d full diff") || picture.contains("wants to change"));
    screen.types("no");
    let commands = screen.press("enter");
    assert_eq!(given(&commands), Some(("no", "no")));
}

#[test]
fn all_that_is_asked_fills_the_screen_by_its_key() {
    let mut screen = Screen::new(Bench::working());
    screen.bench.asks_to_run("printf hello");
    screen.settle();
    assert!(screen.press("d").is_empty());
    let picture = screen.draw();
    assert!(picture.contains("printf hello"), "{picture}");
    assert!(!picture.contains("stop the turn"), "{picture}");
    assert_eq!(screen.draft(), "");
    screen.settle();
    assert_eq!(kinds(&screen.press("1")), ["Session(Answer"]);

    for what in ["read", "command", "page"] {
        let mut bench = Bench::working();
        let shown = match what {
            "read" => {
                let read = crate::model::HostRequest::ReadTextFile(crate::model::FsRead {
                    session: Bench::session_id(),
                    path: "/etc/passwd".into(),
                    line: None,
                    limit: None,
                });
                bench.asks_outside(read, "/etc/passwd", false);
                "/etc/passwd"
            }
            "command" => {
                bench.asks_for_command(crate::model::TerminalCreate {
                    session: Bench::session_id(),
                    command: "make".into(),
                    args: vec!["all".into()],
                    env: Vec::new(),
                    cwd: None,
                    output_byte_limit: None,
                });
                "make all"
            }
            _ => {
                bench.asks_for_page("https://example.com/sign");
                "https://example.com/sign"
            }
        };
        let mut screen = Screen::new(bench);
        screen.settle();
        assert!(screen.press("d").is_empty(), "{what}");
        let picture = screen.draw();
        assert!(picture.contains(shown), "{what}: {picture}");
        assert!(screen.ui.viewer.is_some(), "{what}");
        assert_eq!(screen.draft(), "", "{what}");
    }
}

// V1-PERM-11: the key that opens the view may be the first letter of a word.
#[test]
fn a_word_that_begins_with_a_key_of_the_dialog_answers_nothing() {
    for word in [
        "dry run", "draft it", "display", "do you", "dynamic", "dip yes", "dq yay",
    ] {
        let mut bench = Bench::working();
        let mut call = bench.call(crate::model::ToolKind::Edit);
        call.content = Patch::Set(vec![crate::model::ToolContent::Diff(
            crate::model::Diff::of_texts("a.rs".into(), Some("1\n".into()), "2\n".into()).into(),
        )]);
        bench.asks(call, crate::ui::testing::usual_options());
        let mut screen = Screen::new(bench);
        screen.settle();
        let mut commands = Vec::new();
        for c in word.chars() {
            screen.bench.wait(130);
            let name = if c == ' ' {
                "space".to_owned()
            } else {
                c.to_string()
            };
            commands.extend(screen.press(&name));
        }
        assert_eq!(kinds(&commands), [""; 0], "{word}");
    }
}

#[test]
fn a_letter_that_does_nothing_in_a_view_is_text() {
    let mut screen = with_the_diff((80, 24));
    assert!(screen.press("x").is_empty());
    assert!(screen.ui.viewer.is_none());
    assert_eq!(screen.draft(), "x");
    screen.press("backspace");
    assert!(screen.press("y").is_empty(), "typing goes on");
}

#[test]
fn whatever_changes_the_draft_is_typing() {
    for key in ["ctrl-u", "ctrl-w", "alt-backspace", "ctrl-_"] {
        let mut screen = Screen::new(Bench::working());
        screen.types("write");
        screen.bench.asks_to_run("make");
        screen.settle();
        screen.press(key);
        screen.bench.wait(130);
        assert!(screen.press("y").is_empty(), "{key}");
        assert!(screen.draft().ends_with('y'), "{key}");
    }
}

#[test]
fn what_has_no_room_on_the_screen_takes_no_answer() {
    let mut screen = Screen::new(Bench::working());
    screen.bench.asks_to_run("make");
    screen.settle();
    let mut small = screen.sized(30, 8);
    assert!(small.draw().contains("too small"));
    small.bench.wait(1_000);
    assert!(small.press("y").is_empty());
    let mut large = small.sized(80, 24);
    large.settle();
    assert!(large.press("backspace").is_empty());
    large.bench.wait(1_000);
    large.draw();
    assert_eq!(kinds(&large.press("y")), ["Session(Answer"]);
}

#[test]
fn keys_that_only_look_answer_nothing_under_the_diff() {
    let mut screen = with_the_diff((80, 24));
    for key in ["j", "k", "J", "K", "s", "g", "G", "space", "enter"] {
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
        .says(crate::model::FromAgent::CancelRequest { key });
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
        let diff = crate::model::Diff::of_texts("/root/.bashrc".into(), None, "evil\n".into());
        let content = vec![crate::model::ToolContent::Diff(diff.into())];
        let update = crate::model::ToolCallPatch {
            content: Patch::Set(content),
            ..crate::model::ToolCallPatch::new(asked.subject.tool_call.clone())
        };
        let update = crate::model::AgentEvent::ToolCall(Box::new(update));
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
        assert_eq!(kinds(&screen.press("down enter")), ["Session(Answer"]);
    }
}

#[test]
fn in_a_view_of_a_question_the_keys_of_find_answer_nothing() {
    let mut screen = with_the_diff((80, 24));
    screen.press("ctrl-f");
    assert!(screen.types("yn").is_empty());
    screen.press("ctrl-u");
    assert!(screen.types("two").is_empty());
    assert!(screen.draw().contains("1 of 1"), "{}", screen.draw());
    assert!(screen.press("enter").is_empty());
    assert!(screen.press("n").is_empty());
    assert!(screen.press("enter").is_empty());
    assert!(screen.ui.viewer.is_some());
    screen.press("esc");
    assert!(screen.ui.viewer.is_some(), "only the bar is closed");
    assert_eq!(screen.draft(), "");
}
