//! Nothing but ascii is the client's own where `ui.symbols` says so.

use super::{measure::asking_to_change, *};
use crate::ui::{
    render::testing::Stage,
    theme::Symbols,
    transcript::{TranscriptView, samples},
};

/// Signs that the client draws elsewhere: those of its table, of frames, of the scroll bar.
fn ours() -> Vec<char> {
    let table = format!("{:?}", Symbols::UNICODE);
    let frames = "╭╮╰╯┌┐└┘├┤┬┴┼─│━┃▐█▌▎…€×●";
    let all = table.chars().chain(frames.chars());
    all.filter(|c| !c.is_ascii()).collect()
}

/// `said`: what is no sign of the client's there.
#[track_caller]
fn assert_ascii(what: &str, picture: &str, said: &str) {
    let ours = ours();
    let found = picture
        .chars()
        .find(|c| ours.contains(c) && !said.contains(*c));
    assert_eq!(found, None, "{what}\n{picture}");
}

fn plain(bench: Bench, size: (u16, u16)) -> Screen {
    let mut screen = Screen::new(bench).sized(size.0, size.1);
    let mut settings = settings();
    settings.ui.ascii_symbols = true;
    let sequence = vec!["ctrl-x ctrl-r".to_owned()];
    settings.keys.insert("restart".into(), sequence);
    screen.ui = Ui::new(settings, Offload::immediate());
    screen.ui.set_background(Background::Dark);
    screen
}

fn at_work() -> Bench {
    let mut bench = Bench::working();
    bench.message("# A title\n\n- one\n  - two\n- [ ] three\n\n> quoted\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n---");
    bench.update(AgentEvent::Plan(vec![PlanEntry {
        content: "read the command".into(),
        priority: PlanPriority::Medium,
        status: PlanStatus::InProgress,
    }]));
    bench.update(AgentEvent::Usage(UsageUpdate {
        used: 34,
        size: 100,
        cost: Patch::Set((0.12, "EUR".into())),
    }));
    bench.prompt("and then the rest");
    bench
}

#[test]
fn every_screen_is_drawn_in_ascii() {
    for size in [(40, 10), (80, 24), (220, 50)] {
        let keys = [
            "",
            "ctrl-t",
            "f1",
            "f1 ctrl-f x",
            "ctrl-p",
            "ctrl-p z z",
            "ctrl-s",
            "ctrl-x",
            "f3 o",
            "tab",
            "tab y",
            "tab d",
            "@",
            "/",
            "pgup",
            "pgup pgup",
            "ctrl-o",
            "alt-p",
            "f12",
            "f6",
        ];
        for keys in keys {
            let mut screen = plain(at_work(), size);
            screen.draw();
            screen.press(keys);
            assert_ascii(keys, &screen.draw(), "");
        }
        for old in [None, Some("one\n")] {
            let mut screen = plain(asking_to_change(old), size);
            assert_ascii("a change", &screen.draw(), "");
            screen.settle();
            screen.press("d");
            assert_ascii("its diff", &screen.draw(), "");
        }
        let mut bench = Bench::working();
        bench.asks_to_run(&"npm run build ".repeat(60));
        assert_ascii("a command", &plain(bench, size).draw(), "");
        let mut done = at_work();
        turn_ends(&mut done, StopReason::EndTurn);
        assert_ascii("a turn that ended", &plain(done, size).draw(), "");
        assert_ascii("welcome", &plain(Bench::ready(), size).draw(), "");
        assert_ascii("starting", &plain(Bench::starting(), size).draw(), "");
    }
}

#[test]
fn every_block_is_drawn_in_ascii() {
    let world = samples::conversation(Stage::ascii());
    for details in [false, true] {
        for width in [40, 80, 160] {
            let mut view = TranscriptView::default();
            if details {
                view.toggle_details();
            }
            world.sync(&mut view, width, 2_000);
            let mut buf = Buffer::empty(Rect::new(0, 0, width, 2_000));
            view.draw(buf.area, &mut buf, &world.stage.ctx(width));
            assert_ascii("samples", &text(&buf), "");
        }
    }
}
