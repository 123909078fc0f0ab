//! An earlier prompt is edited, and sent again from where it stood.

use super::*;
use crate::{
    model::Since,
    session::{BlockId, BlockKind, ChangedFiles},
    ui::Draft,
};

/// Two prompts were answered.
fn answered() -> Screen {
    let mut bench = Bench::ready();
    for (prompt, answer) in [("add a flag", "Added."), ("rename it", "Renamed.")] {
        bench.prompt(prompt);
        bench.message(answer);
        turn_ends(&mut bench, StopReason::EndTurn);
    }
    Screen::new(bench)
}

fn row_of(screen: &Screen, text: &str) -> BlockId {
    let mut blocks = screen.bench.session.conversation.transcript.blocks().iter();
    let is_it = |block: &&crate::session::Block| matches!(&block.kind, BlockKind::User(message) if &*message.text == text);
    blocks.find(is_it).expect("that prompt").id
}

fn asks(commands: &[UiCommand]) -> BlockId {
    match commands {
        [UiCommand::AskResend(row)] => *row,
        other => panic!("{other:?}"),
    }
}

fn taken(screen: &mut Screen) -> (BlockId, Draft) {
    screen.ui.take_edited().expect("it is edited")
}

#[test]
fn esc_twice_on_an_empty_composer_edits_the_last_prompt() {
    let mut screen = answered();
    screen.press("esc");
    assert!(
        screen.status().contains("esc again edits the last prompt"),
        "{}",
        screen.status()
    );
    assert_eq!(screen.draft(), "");
    screen.press("esc");
    assert_eq!(screen.draft(), "rename it");
    let picture = screen.draw();
    assert!(picture.contains("editing an earlier prompt"), "{picture}");
    screen.types("s");
    assert_eq!(asks(&screen.press("enter")), row_of(&screen, "rename it"));
    // It stays in the composer until it is decided what becomes of files.
    assert_eq!(screen.draft(), "rename its");
    let (row, draft) = taken(&mut screen);
    assert_eq!(
        (row, draft.text().as_str()),
        (row_of(&screen, "rename it"), "rename its")
    );
    assert_eq!(screen.draft(), "");
    assert!(!screen.draw().contains("editing an earlier prompt"));
}

#[test]
fn e_on_a_browsed_prompt_edits_that_one_and_esc_leaves_it_for_the_draft() {
    let mut screen = answered();
    screen.types("a draft");
    // The empty composer browses: the draft is put aside for it.
    screen.press("ctrl-s");
    screen.draw();
    screen.press("tab");
    for _ in 0..6 {
        screen.press("k");
    }
    screen.press("e");
    let picture = screen.draw();
    assert!(picture.contains("❯ add a flag"), "{picture}");
    screen.press("esc");
    assert_eq!(screen.draft(), "a draft");
    assert!(!screen.draw().contains("editing an earlier prompt"));
}

#[test]
fn only_prompts_can_be_edited_and_nothing_is_sent_into_an_open_turn() {
    let mut screen = answered();
    screen.draw();
    screen.press("tab e");
    assert!(
        screen.status().contains("only your prompts"),
        "{}",
        screen.status()
    );
    let mut screen = answered();
    screen.press("esc esc");
    screen.bench.prompt("another");
    assert!(screen.press("enter").is_empty());
    assert!(
        screen.status().contains("the agent is working"),
        "{}",
        screen.status()
    );
    assert_eq!(screen.draft(), "rename it");
    // Nothing was asked yet: esc esc does nothing.
    let mut screen = Screen::new(Bench::ready());
    screen.press("esc");
    assert!(!screen.status().contains("again"), "{}", screen.status());
}

#[test]
fn with_vims_keys_ctrl_c_leaves_it_as_the_rule_says() {
    let mut screen = answered();
    let settings = UiSettings {
        ui: UiConfig {
            editing: crate::config::Editing::Vim,
            ..UiConfig::default()
        },
        ..settings()
    };
    screen.ui = Ui::new(settings, Offload::immediate());
    screen.draw();
    screen.press("esc tab k e");
    assert_eq!(screen.draft(), "rename it");
    let picture = screen.draw();
    assert!(picture.contains("ctrl-c leaves it"), "{picture}");
    screen.bench.prompt("another");
    screen.press("enter");
    let status = screen.status();
    assert!(
        status.contains("ctrl-c leaves this, then esc stops it"),
        "{status}"
    );
    screen.press("esc esc");
    assert_eq!(screen.draft(), "rename it");
    screen.press("ctrl-c");
    assert_eq!(screen.draft(), "");
    assert!(!screen.draw().contains("editing an earlier prompt"));
}

#[test]
fn one_file_is_put_back_as_it_was() {
    let mut screen = answered();
    screen.press("esc esc enter");
    let names = vec!["src/a.rs".into()];
    screen.ui.ask_resend(Since { files: 1, names });
    let picture = screen.draw();
    assert!(
        picture.contains("Put back 1 file as it was then"),
        "{picture}"
    );
}

#[test]
fn what_becomes_of_changed_files_is_asked_with_nothing_put_back_by_enter_alone() {
    let since = Since {
        files: 3,
        names: vec!["src/a.rs".into(), "src/b.rs".into()],
    };
    for (keys, put_back) in [("enter", false), ("down enter", true)] {
        let mut screen = answered();
        screen.press("esc esc enter");
        screen.ui.ask_resend(since.clone());
        let picture = screen.draw();
        for words in [
            "Files changed since that prompt",
            "Put back 3 files",
            "src/b.rs, 1 more",
        ] {
            assert!(picture.contains(words), "{words}:\n{picture}");
        }
        let commands = screen.press(keys);
        let is_it = |command: &UiCommand| matches!(command, UiCommand::Resend { put_back: then } if *then == put_back);
        assert!(commands.iter().any(is_it), "{keys}: {commands:?}");
    }
    // Back, and the prompt is still there.
    let mut screen = answered();
    screen.press("esc esc enter");
    screen.ui.ask_resend(since);
    screen.draw();
    assert!(screen.press("esc").is_empty());
    assert_eq!(screen.draft(), "rename it");
}

#[test]
fn a_conversation_goes_to_another_agent_with_the_files_that_were_changed() {
    let mut screen = Screen::new(Bench::ready());
    let said = "x\n".repeat(2_000);
    let changed = ChangedFiles {
        there: vec!["src/a.rs".to_owned()],
        deleted: vec!["b.rs".to_owned(), "c.rs".to_owned()],
        more: 2,
    };
    screen.ui.begin_with(&said, &changed);
    let picture = screen.draw();
    assert!(
        picture.contains("@src/a.rs") && picture.contains("2,000 lines")
            || picture.contains("2000"),
        "{picture}"
    );
    let draft = screen.ui.draft_text();
    assert!(draft.contains(&said));
    assert!(
        draft.contains("Files that were deleted: b.rs, c.rs\n2 files more changed."),
        "{draft}"
    );
}
