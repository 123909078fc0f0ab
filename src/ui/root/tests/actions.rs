//! What other keys do.

use super::*;
use crate::ui::action::{ACTIONS, Action, Context};

#[test]
fn keys_do_what_the_table_says() {
    for (key, expected) in [
        ("shift-tab", "Session(CycleMode)"),
        ("f5", "Session(Restart)"),
        ("ctrl-z", "Suspend"),
        ("ctrl-l", "Redraw"),
        ("ctrl-g", "EditDraft(\"\")"),
    ] {
        let commands = Screen::new(Bench::ready()).press(key);
        assert_eq!(kinds(&commands), [expected], "{key}");
    }
    let paged = Screen::new(Bench::working()).press("f3 f3");
    assert!(
        matches!(&paged[..], [UiCommand::Told("F3"), UiCommand::Page(text)] if text.contains("--json"))
    );
}

#[test]
fn every_action_that_is_no_questions_own_does_something() {
    for info in ACTIONS {
        let mut screen = Screen::new(Bench::working());
        let of_question = matches!(info.context, Context::Question | Context::Form);
        // There is no draft, and nothing queued or put aside to take back.
        let of_draft = matches!(
            info.action,
            Action::TakeBack
                | Action::TakeSuggestion
                | Action::Queue
                | Action::Stash
                | Action::ListRemove
                | Action::ListAlong
        );
        let wanted = !of_question && !of_draft;
        let does = screen.ui.act(info.action, &screen.bench.context());
        assert_eq!(does, wanted, "{}", info.name);
    }
}

#[test]
fn help_opens_by_question_mark_on_an_empty_composer_only() {
    let mut screen = Screen::new(Bench::ready());
    screen.press("?");
    assert!(
        screen.draw().contains("Send the prompt"),
        "{}",
        screen.draw()
    );
    screen.press("esc");
    screen.types("why?");
    assert_eq!(screen.draft(), "why?");
}

#[test]
fn help_shows_ten_keys_then_all_and_finds_what_is_typed() {
    let mut screen = Screen::new(Bench::ready()).sized(80, 130);
    screen.press("?");
    let picture = screen.draw();
    assert!(
        picture.contains("? all keys") && !picture.contains("Suspend"),
        "{picture}"
    );
    screen.press("?");
    let picture = screen.draw();
    assert!(picture.contains("Suspend to the shell"), "{picture}");
    screen.press("?");
    assert!(!screen.draw().contains("Suspend"));
    screen.types("shell");
    let picture = screen.draw();
    assert!(
        picture.contains("Suspend to the shell") && !picture.contains("Send the prompt"),
        "{picture}"
    );
    screen.types("zzz");
    assert!(screen.draw().contains("No match"));
    screen.press("ctrl-u f1");
    assert!(!screen.draw().contains("type to search"));
}

#[test]
fn finding_in_the_help_goes_to_what_filters_it_and_counts() {
    for key in ["ctrl-f", "f3"] {
        let mut screen = Screen::new(Bench::ready()).sized(80, 130);
        screen.press("f1");
        assert!(!screen.draw().contains("Suspend to the shell"));
        assert!(screen.press(key).is_empty());
        let picture = screen.draw();
        assert!(picture.contains("Suspend to the shell"), "{picture}");
        assert!(picture.contains("a key, or what it does"), "{picture}");
        let caret = screen.cursor().expect("a caret");
        screen.types("shell");
        let picture = screen.draw();
        let (_, all) = picture.split_once(" 3 of ").expect("a count");
        let (all, _) = all.split_once(' ').expect("a number");
        assert!(!picture.contains("Send the prompt"), "{picture}");
        let typed = screen.cursor().expect("a caret");
        assert_eq!((typed.x, typed.y), (caret.x + 5, caret.y));
        // What was typed stays when the key comes again, and esc closes.
        screen.press(key);
        assert!(screen.draw().contains("shell"));
        screen.types("zzz");
        assert!(screen.draw().contains(&format!(" 0 of {all} ")));
        screen.press("esc");
        assert!(!screen.draw().contains("No match"));
    }
}

#[test]
fn the_palette_runs_what_is_found() {
    let mut screen = Screen::new(Bench::ready());
    screen.press("ctrl-p");
    screen.types("restart");
    assert!(matches!(
        screen.press("enter")[..],
        [UiCommand::Session(Event::Restart)]
    ));
    assert_eq!(screen.draft(), "", "typed into the palette");
    screen.press("ctrl-p");
    screen.types("yolo");
    assert!(matches!(
        &screen.press("enter")[..],
        [UiCommand::Session(Event::SetOption { option, value })]
            if option == "mode" && *value == OptionValue::Id("yolo".into())
    ));
}

#[test]
fn the_palette_knows_the_words_of_hands_and_offers_nothing_that_ends_things_by_stray_letters() {
    for (typed, found, not) in [
        ("exit", "Quit", "End the agent's process"),
        ("search", "Search earlier prompts", "Restart"),
        ("todo", "plan", "Quit"),
        ("effort", "thinks", "Send at once"),
        ("edt", "", "End the agent's process"),
    ] {
        let mut screen = Screen::new(Bench::ready());
        screen.press("ctrl-p");
        screen.types(typed);
        let picture = screen.draw();
        assert!(picture.contains(found), "{typed}: {picture}");
        assert!(!picture.contains(not), "{typed}: {picture}");
    }
}

#[test]
fn the_palette_begins_with_what_was_run_last() {
    let mut screen = Screen::new(Bench::ready());
    screen.press("ctrl-p");
    assert!(!screen.draw().contains("Recent"));
    screen.types("redraw");
    screen.press("enter ctrl-p");
    let picture = screen.draw();
    let recent = picture.find("Recent").expect("a heading");
    let redraw = picture.find("Redraw").expect("its row");
    assert!(recent < redraw, "{picture}");
    assert_eq!(kinds(&screen.press("enter")), ["Redraw"]);
    // Typing finds it once, in its group.
    screen.press("ctrl-p");
    screen.types("redraw");
    let picture = screen.draw();
    assert_eq!(picture.matches("Redraw").count(), 1, "{picture}");
    assert!(
        !picture.contains("Recent") && !picture.contains("send-now"),
        "{picture}"
    );
}

#[test]
fn a_key_that_moved_says_so_once() {
    let mut screen = Screen::new(Bench::ready());
    let commands = screen.press("ctrl-x");
    assert!(
        matches!(commands[..], [UiCommand::Told("ctrl-x")]),
        "{commands:?}"
    );
    assert!(
        screen.status().contains("ctrl-x moved to alt-x"),
        "{}",
        screen.status()
    );
    assert!(screen.press("ctrl-x").is_empty());
    // As an earlier client told.
    let mut screen = Screen::new(Bench::ready());
    screen.bench.project.told.insert("ctrl-x".into());
    assert!(screen.press("ctrl-x").is_empty());
    assert!(!screen.status().contains("moved"));
}

#[test]
fn a_key_that_means_something_else_now_says_so_once() {
    let mut screen = Screen::new(Bench::ready());
    let commands = screen.press("f3");
    assert!(
        matches!(commands[..], [UiCommand::Told("F3")]),
        "{commands:?}"
    );
    let said = screen.status();
    assert!(said.contains("F3 finds now; F3 again: the pager"), "{said}");
    assert!(screen.press("esc f3").is_empty());
    // Nothing moved for who finds by the other key, or gave this one to the pager.
    assert!(Screen::new(Bench::ready()).press("ctrl-f").is_empty());
    let commands = with_keys(&[("pager", "f3")]).press("f3");
    assert!(matches!(commands[..], [UiCommand::Page(_)]));
    let mut screen = with_keys(&[("pager", "alt-z")]);
    screen.press("f3");
    assert!(screen.status().contains("F3 moved to alt-z"));
}

#[test]
fn a_rebound_key_replaces_the_default() {
    let mut screen = Screen::new(Bench::ready());
    let mut settings = settings();
    settings.keys = BTreeMap::from([("redraw".to_owned(), vec!["f2".to_owned()])]);
    screen.ui = Ui::new(settings, Offload::immediate());
    assert_eq!(kinds(&screen.press("f2")), ["Redraw"]);
    assert!(screen.press("ctrl-l").is_empty());
}

#[test]
fn a_rebound_key_of_the_composer_is_free() {
    let mut screen = Screen::new(Bench::ready());
    let mut settings = settings();
    settings.keys = BTreeMap::from([("newline".to_owned(), vec!["f9".to_owned()])]);
    screen.ui = Ui::new(settings, Offload::immediate());
    screen.press("a ctrl-j b f9 c");
    assert_eq!(screen.draft(), "ab\nc");
}

#[test]
fn blocks_are_browsed_from_an_empty_composer() {
    let mut bench = Bench::working();
    bench.message("I'll start with how `list` prints today.");
    turn_ends(&mut bench, StopReason::EndTurn);
    let mut screen = Screen::new(bench);
    screen.draw();
    screen.press("tab");
    assert!(
        matches!(&screen.press("y")[..], [UiCommand::CopyOf { text, .. }] if text.contains("list"))
    );
    screen.press("k");
    assert!(
        matches!(&screen.press("y")[..], [UiCommand::CopyOf { text, .. }] if text.contains("--json"))
    );
    screen.press("esc");
    assert!(screen.types("y").is_empty());
    assert_eq!(screen.draft(), "y");
}

#[test]
fn the_wheel_scrolls_and_a_single_arrow_is_history() {
    let mut screen = Screen::new(Bench::working());
    screen
        .ui
        .composer()
        .set_history(History::of(vec!["an old prompt".into()]));
    screen.bench.message(&"a long answer\n\n".repeat(50));
    let end = screen.draw();
    // A terminal without mouse reports sends a notch as arrows at once.
    screen.press_together("up up up");
    assert_ne!(screen.draw(), end);
    assert_eq!(screen.draft(), "");
    screen.press_together("down down down down");
    assert_eq!(screen.draw(), end);
    screen.press("up");
    assert_eq!(screen.draft(), "an old prompt");
}

/// The same agents before it is known which of them are installed.
fn not_looked_for(agents: &AgentList) -> AgentList {
    let unknown = |agent: &AgentChoice| AgentChoice {
        found: None,
        ..agent.clone()
    };
    agents.iter().map(unknown).collect()
}

#[test]
fn agents_are_looked_for_when_they_are_to_be_chosen() {
    let mut screen = Screen::new(Bench::ready());
    let found = agents();
    screen.ui.set_agents(not_looked_for(&found));
    let commands = screen.press("f6");
    assert!(
        matches!(commands[..], [UiCommand::FindAgents]),
        "{commands:?}"
    );
    let before = screen.draw();
    assert!(!before.contains("not installed"), "{before}");
    screen.ui.set_agents(found);
    let after = screen.draw();
    assert!(after.contains("not installed"), "{after}");
    // The first that is installed, not the first of all.
    let commands = screen.press("enter");
    assert!(
        matches!(&commands[..], [UiCommand::ChooseAgent(id)] if id == "opencode"),
        "{commands:?}"
    );
}

#[test]
fn what_was_selected_stays_selected_when_agents_are_found() {
    let mut screen = Screen::new(Bench::ready());
    let found = agents();
    screen.ui.set_agents(not_looked_for(&found));
    screen.press("f6 down down");
    screen.ui.set_agents(found);
    let commands = screen.press("enter");
    assert!(
        matches!(&commands[..], [UiCommand::ChooseAgent(id)] if id == "demo"),
        "{commands:?}"
    );
}

/// Two agents that are there and 22 that are not.
fn on_a_first_start() -> Screen {
    let mut screen = Screen::new(Bench::ready());
    let missing = (1..=22).map(|n| AgentChoice {
        id: format!("agent-{n}"),
        name: SafeText::line(&format!("Agent {n}")),
        found: Some(Err("npm install -g it".into())),
        servers: Vec::new(),
    });
    let there = agents().iter().skip(1).cloned().collect::<Vec<_>>();
    screen.ui.set_agents(missing.chain(there).collect());
    screen.press("f6");
    screen
}

#[test]
fn agents_that_are_not_installed_are_folded() {
    let mut screen = on_a_first_start();
    let picture = screen.draw();
    assert!(picture.contains("22 more are not installed"), "{picture}");
    assert!(!picture.contains("Agent 1"), "{picture}");
    screen.press("down down");
    let picture = screen.draw();
    assert!(!picture.contains("Agent 1"), "the row itself: {picture}");
    screen.press("down");
    let picture = screen.draw();
    assert!(picture.contains("❯ ✗ Agent 1 "), "{picture}");
    assert!(picture.contains("npm install -g it"), "{picture}");
    assert!(picture.contains("3/24 ↓"), "{picture}");
    screen.press("end");
    let picture = screen.draw();
    assert!(picture.contains("24/24 ↑"), "{picture}");
}

#[test]
fn what_is_typed_searches_the_folded_agents_too() {
    let mut screen = on_a_first_start();
    screen.types("agent-17");
    let picture = screen.draw();
    assert!(
        picture.contains("Agent 17") && !picture.contains("22 more"),
        "{picture}"
    );
    screen.press("ctrl-u");
    assert!(screen.draw().contains("22 more are not installed"));
}

/// V1-TERM-16
#[test]
fn terminals_are_told_what_they_are_shown_in() {
    let mut screen = Screen::new(Bench::ready());
    let mut told = |width, height| {
        let area = Rect::new(0, 0, width, height);
        let mut buffer = Buffer::empty(area);
        screen
            .ui
            .draw_on(area, &mut buffer, &screen.bench.context());
        format!("{:?}", screen.ui.take_commands())
    };
    // The call's indent, its gutter and the scroll bar are taken off.
    assert_eq!(told(80, 24), "[TerminalView { rows: 22, cols: 73 }]");
    assert_eq!(told(80, 24), "[]", "once for each size");
    assert_eq!(told(120, 40), "[TerminalView { rows: 38, cols: 113 }]");
}

fn with_keys(keys: &[(&str, &str)]) -> Screen {
    let mut screen = Screen::new(Bench::ready());
    let mut settings = settings();
    let keys = keys.iter();
    settings.keys = keys
        .map(|(action, key)| ((*action).to_owned(), vec![(*key).to_owned()]))
        .collect();
    screen.ui = Ui::new(settings, Offload::immediate());
    screen
}

#[test]
fn keys_in_a_sequence_mean_an_action_and_a_box_tells_what_may_follow() {
    let keys = [
        ("redraw", "space r"),
        ("suspend", "space s"),
        ("restart", "ctrl-x ctrl-r"),
    ];
    let mut screen = with_keys(&keys);
    assert!(screen.press("space").is_empty());
    let picture = screen.draw();
    assert!(
        picture.contains("space …") && picture.contains("Suspend to the shell"),
        "{picture}"
    );
    assert!(!picture.contains("Restart"), "{picture}");
    assert_eq!(kinds(&screen.press("r")), ["Redraw"]);
    assert!(!screen.draw().contains("space …"));
    assert_eq!(kinds(&screen.press("ctrl-x ctrl-r")), ["Session(Restart)"]);
    assert_eq!(screen.draft(), "");
    // It is in the help as it is pressed.
    screen.press("f1");
    screen.types("redraw");
    assert!(screen.draw().contains("space r"), "{}", screen.draw());
}

#[test]
fn a_sequence_is_left_by_esc_or_by_a_key_that_leads_nowhere() {
    let mut screen = with_keys(&[("redraw", "space r")]);
    assert!(screen.press("space esc").is_empty());
    assert!(!screen.draw().contains("space …"));
    assert!(screen.press("space x").is_empty());
    assert!(
        screen.status().contains("space x is no key"),
        "{}",
        screen.status()
    );
    assert_eq!(screen.draft(), "", "neither is typed");
    // In a draft a blank is a blank.
    screen.types("a r");
    assert_eq!(screen.draft(), "a r");
}

#[test]
fn a_question_ends_a_sequence() {
    let mut screen = with_keys(&[("redraw", "space r")]);
    screen.press("space");
    screen.bench.prompt("go");
    screen.bench.asks_to_run("rm -r build");
    screen.settle();
    assert!(!screen.draw().contains("space …"));
    assert!(screen.press("r").is_empty());
}
