//! What people see.

use super::{
    sign_in::{named_by_the_agent, sign_in},
    *,
};

fn plan(bench: &mut Bench) {
    let entry = |content: &'static str, status| PlanEntry {
        content: content.into(),
        priority: PlanPriority::Medium,
        status,
    };
    bench.update(AgentEvent::Plan(vec![
        entry("read the command", PlanStatus::Completed),
        entry("add the flag", PlanStatus::Completed),
        entry("test it", PlanStatus::InProgress),
        entry("document it", PlanStatus::Pending),
    ]));
}

fn at_work() -> Bench {
    let mut bench = Bench::working();
    bench.message(
        "I'll start with how `list` prints today. Then the flag, then tests.\n\n- one\n- two\n",
    );
    plan(&mut bench);
    bench.update(AgentEvent::Usage(UsageUpdate {
        used: 34,
        size: 100,
        cost: Patch::Set((0.12, "USD".into())),
    }));
    bench.wait(12_000);
    bench
}

fn pictures(name: &str, screen: &mut Screen) {
    for (width, height) in [(40, 10), (80, 24), (120, 40), (200, 50)] {
        screen.size = (width, height);
        let name = format!("{name}_{width}x{height}");
        let buffer = screen.buffer().0;
        keep(&name, &buffer);
        insta::assert_snapshot!(name, text(&buffer));
    }
}

#[test]
fn pictures_of_the_start() {
    let mut screen = Screen::new(Bench::starting());
    pictures("starting", &mut screen);
    pictures("welcome", &mut Screen::new(Bench::ready()));
}

#[test]
fn pictures_of_work() {
    let mut screen = Screen::new(at_work());
    screen.types("and mention it in the README");
    screen.bench.prompt("then bump the version");
    pictures("work", &mut screen);
}

#[test]
fn pictures_of_a_question_over_work() {
    let mut bench = at_work();
    bench.asks_to_run("cargo test --workspace -- list::json_round_trip");
    bench.asks_to_run("ls");
    let mut screen = Screen::new(bench);
    screen.settle();
    pictures("question", &mut screen);
}

#[test]
fn pictures_of_a_held_queue() {
    let mut bench = at_work();
    for n in 1..6 {
        bench.prompt(&format!("queued prompt number {n}"));
    }
    bench.event(Event::Stop);
    turn_ends(&mut bench, StopReason::Cancelled);
    pictures("held", &mut Screen::new(bench));
}

#[test]
fn pictures_of_help() {
    let mut screen = Screen::new(at_work());
    screen.press("f1");
    pictures("help", &mut screen);
}

#[test]
fn pictures_of_the_palette() {
    let mut screen = Screen::new(at_work());
    screen.press("ctrl-p");
    pictures("palette", &mut screen);
}

#[test]
fn pictures_of_the_agent_picker() {
    let mut screen = Screen::new(Bench::ready());
    screen.press("f6 end");
    pictures("agents", &mut screen);
}

#[test]
fn pictures_of_signing_in() {
    pictures("sign_in", &mut sign_in());
    let mut screen = named_by_the_agent("/opt/agents/kimi/bin/kimi");
    screen.settle();
    screen.press("enter");
    pictures("sign_in_program", &mut screen);
}

#[test]
fn pictures_of_a_failure() {
    let mut bench = Bench::starting();
    bench.event(Event::SpawnFailed {
        error: "opencode: command not found. Install it: npm install -g opencode-ai".into(),
    });
    pictures("failed", &mut Screen::new(bench));
}

/// Every state of the screen that has a picture.
fn states(settings: impl Fn() -> UiSettings) -> Vec<Screen> {
    let mut asked = at_work();
    asked.asks_to_run("cargo test");
    let mut screens: Vec<Screen> = [Bench::starting(), Bench::ready(), asked, sign_in().bench]
        .into_iter()
        .map(Screen::new)
        .collect();
    screens.extend((0..4).map(|_| Screen::new(at_work())));
    for (screen, key) in screens.iter_mut().rev().zip(["f1", "ctrl-p", "f6"]) {
        screen.ui = Ui::new(settings(), Offload::immediate());
        screen.press(key);
    }
    for screen in screens.iter_mut().take(5) {
        screen.ui = Ui::new(settings(), Offload::immediate());
    }
    screens
}

#[test]
fn ascii_symbols_replace_every_sign() {
    let screens = states(|| {
        let mut settings = settings();
        settings.ui.ascii_symbols = true;
        settings
    });
    for mut screen in screens {
        for size in [(40, 10), (80, 24), (120, 40)] {
            screen.size = size;
            let picture = screen.draw();
            assert!(picture.is_ascii(), "{picture}");
        }
    }
}

#[test]
fn without_colour_no_cell_has_any() {
    let screens = states(|| UiSettings {
        colours: Colours::None,
        ..settings()
    });
    for mut screen in screens {
        screen.ui.set_background(Background::Dark);
        screen.size = (120, 40);
        for cell in &screen.buffer().0.content {
            let style = cell.style();
            let plain = |colour| matches!(colour, None | Some(ratatui::style::Color::Reset));
            assert!(plain(style.fg) && plain(style.bg), "{cell:?}");
        }
    }
}
