//! Own slash commands: what `/` lists, what runs here, and what goes to the agent.

use super::*;
use crate::model::SlashCommand;

/// An agent with a command of a name that is ours, and one that is not.
fn screen(mut bench: Bench) -> Screen {
    let command = |name: &str, hint: Option<&str>| SlashCommand {
        name: SafeText::line(name),
        description: SafeText::line(&format!("what {name} does")),
        hint: hint.map(SafeText::line),
    };
    bench.update(AgentEvent::Commands(vec![
        command("clear", None),
        command("compact", Some("what to keep")),
    ]));
    Screen::new(bench)
}

fn sent(commands: &[UiCommand]) -> Option<String> {
    commands.iter().find_map(|command| match command {
        UiCommand::Submit { draft, .. } => Some(draft.written()),
        _ => None,
    })
}

#[test]
fn slash_lists_ours_first_and_tells_whose_each_is() {
    let mut screen = screen(Bench::ready()).sized(80, 40);
    screen.types("/");
    let picture = screen.draw();
    let at = |words: &str| {
        let place = picture.find(words);
        place.unwrap_or_else(|| panic!("no {words}: {picture}"))
    };
    assert!(at("acp-tui") < at("/model") && at("/model") < at("/new"));
    screen.types("cl");
    let picture = screen.draw();
    // A clash names both.
    assert!(
        picture.contains("/clear  ") && picture.contains("//clear"),
        "{picture}"
    );
    assert!(picture.contains("the agent's"), "{picture}");
}

#[test]
fn the_agents_commands_are_seen_behind_all_that_are_ours_wherever_one_is_in_the_list() {
    for rows in [16, 24, 40] {
        let mut screen = screen(Bench::ready()).sized(80, rows);
        screen.types("/");
        for step in 0..crate::ui::own_commands::OWN.len() + 2 {
            let picture = screen.draw();
            assert!(
                picture.contains("/compact"),
                "{rows} rows, {step}: {picture}"
            );
            assert_eq!(
                picture.matches("❯ /").count(),
                2,
                "{rows} rows, {step}: {picture}"
            );
            screen.press("down");
        }
    }
}

#[test]
fn a_command_of_ours_runs_here_and_is_not_sent() {
    for (typed, expected) in [
        ("/new", "NewSession"),
        ("/clear", "NewSession"),
        ("/resume", "PickPastSession"),
        ("/export", "Export(None)"),
        ("/export notes.md", "Export(Some(\"notes.md\"))"),
        ("/agents demo", "ChooseAgent(\"demo\")"),
        ("/agents open", "ChooseAgent(\"opencode\")"),
        ("/worktree", "NewWorktree(None)"),
        ("/worktree fix", "NewWorktree(Some(\"fix\"))"),
        ("/quit", "Quit"),
        ("/exit", "Quit"),
    ] {
        // A turn does not keep it waiting.
        for bench in [Bench::ready(), Bench::working()] {
            let mut screen = screen(bench);
            screen.types(typed);
            let commands = screen.press("enter");
            let last = commands.last().map(|command| format!("{command:?}"));
            assert_eq!(last.as_deref(), Some(expected), "{typed}: {commands:?}");
            assert_eq!(sent(&commands), None, "{typed}");
            assert_eq!(screen.draft(), "", "{typed}");
        }
    }
}

#[test]
fn it_needs_no_agent() {
    let mut screen = Screen::new(Bench::ready());
    screen.types("/quit");
    let project = screen.bench.context().project.clone();
    let cx = UiContext {
        session: None,
        project: &project,
        ..screen.bench.context()
    };
    let enter = Input::Key(Chord::parse("enter").unwrap().event());
    let commands = screen.ui.handle(&[enter], &cx);
    assert!(
        matches!(commands.last(), Some(UiCommand::Quit)),
        "{commands:?}"
    );
}

#[test]
fn two_slashes_give_the_agent_its_own() {
    let mut screen = screen(Bench::ready());
    screen.types("//clear");
    let commands = screen.press("enter");
    assert_eq!(sent(&commands).as_deref(), Some("/clear"));
    // What was typed comes back as it was typed.
    screen.press("up");
    assert_eq!(screen.draft(), "//clear");
    screen.press("ctrl-u");
    screen.types("//comp");
    screen.press("tab");
    assert_eq!(screen.draft(), "//compact ");
    screen.types("the plan");
    assert_eq!(
        sent(&screen.press("enter")).as_deref(),
        Some("/compact the plan")
    );
    // A comment of a program is none.
    screen.types("//TODO tidy up");
    assert_eq!(
        sent(&screen.press("enter")).as_deref(),
        Some("//TODO tidy up")
    );
}

#[test]
fn what_neither_lists_goes_to_the_agent() {
    let mut screen = screen(Bench::ready());
    screen.types("/hidden now");
    assert_eq!(sent(&screen.press("enter")).as_deref(), Some("/hidden now"));
    screen.types("/compact");
    assert_eq!(sent(&screen.press("enter")).as_deref(), Some("/compact"));
}

#[test]
fn a_mode_or_model_is_set_by_a_part_of_its_name() {
    let mut screen = screen(Bench::ready());
    screen.types("/mode yo");
    let commands = screen.press("enter");
    assert!(
        matches!(commands.last(), Some(UiCommand::Session(Event::SetOption { option, value }))
            if option == "mode" && *value == OptionValue::Id("yolo".into())),
        "{commands:?}"
    );
    // What cannot be had stays in the composer, with the reason.
    screen.types("/mode nonsense");
    assert!(screen.press("enter").is_empty());
    assert_eq!(screen.draft(), "/mode nonsense");
    assert!(screen.status().contains("nonsense"), "{}", screen.status());
}

#[test]
fn without_an_argument_the_list_opens() {
    let mut screen = screen(Bench::ready());
    screen.types("/mode");
    screen.press("enter");
    assert_eq!(screen.draft(), "");
    assert!(screen.draw().contains("esc close"), "{}", screen.draw());
}

fn with_prompts(prompts: &[(&str, &str)]) -> Screen {
    let mut screen = screen(Bench::ready());
    let prompts = prompts.iter();
    screen.bench.project.prompts = prompts
        .map(|(name, text)| crate::config::PromptFile::made_up(name, text))
        .collect();
    screen
}

#[test]
fn a_prompt_of_the_persons_own_is_sent_with_its_arguments() {
    let mut screen = with_prompts(&[("review", "Review $1 for $ARGUMENTS."), ("compact", "Mine")]);
    screen.types("/re");
    let picture = screen.draw();
    assert!(
        picture.contains("your prompts") && picture.contains("/review"),
        "{picture}"
    );
    screen.types("view src/a.rs races");
    let commands = screen.press("enter");
    assert_eq!(
        sent(&commands).as_deref(),
        Some("Review src/a.rs for src/a.rs races.")
    );
    // What was typed comes back, not what it became.
    screen.press("up");
    assert_eq!(screen.draft(), "/review src/a.rs races");
    screen.press("ctrl-u");
    // It hides the agent's command of that name, which has two slashes then.
    screen.types("/compact");
    assert_eq!(sent(&screen.press("enter")).as_deref(), Some("Mine"));
    screen.types("//compact");
    assert_eq!(sent(&screen.press("enter")).as_deref(), Some("/compact"));
}

#[test]
fn a_prompt_never_runs_a_command() {
    let mut screen = with_prompts(&[("bad", "! rm -r .")]);
    screen.types("/bad");
    let commands = screen.press("enter");
    assert_eq!(sent(&commands).as_deref(), Some("! rm -r ."));
    assert!(
        !commands
            .iter()
            .any(|command| matches!(command, UiCommand::Shell(_)))
    );
}

#[test]
fn agents_tell_the_mcp_servers_that_they_are_given() {
    let mut screen = screen(Bench::ready());
    screen.types("/agents");
    screen.press("enter");
    assert!(!screen.draw().contains("MCP servers"), "{}", screen.draw());
    screen.types("demo");
    assert!(
        screen.draw().contains("MCP servers: docs, issues"),
        "{}",
        screen.draw()
    );
}
