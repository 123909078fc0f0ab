//! The status line, and when a frame is needed.

use std::time::Duration;

use super::*;
use crate::model::SessionKey;

#[test]
fn the_status_line_has_what_the_agent_works_with_left_and_where_right() {
    let mut screen = Screen::new(Bench::working());
    screen.bench.update(AgentEvent::Usage(UsageUpdate {
        used: 34,
        size: 100,
        cost: Patch::Set((0.12, "USD".into())),
    }));
    for (width, left, right) in [
        (
            80,
            "  OpenCode · build",
            "~/src/tool (main) · ctx 34% · $0.12",
        ),
        (
            60,
            "  OpenCode · build",
            "~/src/tool (main) · ctx 34% · $0.12",
        ),
        (50, "  OpenCode · build", "~/src/tool · ctx 34% · $0.12"),
        (40, "  OpenCode · build", "tool · ctx 34%"),
    ] {
        screen.size.0 = width;
        let gap = usize::from(width) - 1 - left.chars().count();
        assert_eq!(screen.status(), format!("{left}{right:>gap$}"), "{width}");
    }
}

#[test]
fn the_end_of_a_path_stays_longest() {
    let mut screen = Screen::new(Bench::working()).sized(60, 20);
    screen.bench.project.cwd = "~/src/with/a/long/way/down/to/the/place/tool".into();
    assert_eq!(
        screen.status(),
        "  OpenCode · build                                     tool"
    );
}

#[test]
fn a_message_stands_for_a_moment() {
    let mut screen = Screen::new(Bench::ready());
    screen.ui.toast("copied".into());
    assert!(screen.status().starts_with("  copied"));
    let until = screen
        .ui
        .deadline(&screen.bench.context())
        .expect("it goes");
    assert_eq!(until, screen.bench.now + Duration::from_secs(4));
    screen.bench.wait(4_000);
    assert!(screen.status().starts_with("  OpenCode"));
    assert_eq!(screen.ui.deadline(&screen.bench.context()), None);
}

#[test]
fn idle_and_waiting_ask_for_no_frame() {
    let mut screen = Screen::new(Bench::ready());
    screen.draw();
    assert_eq!(screen.ui.deadline(&screen.bench.context()), None);
    let mut screen = Screen::new(Bench::working());
    screen.draw();
    assert!(
        screen.ui.deadline(&screen.bench.context()).is_some(),
        "a spinner"
    );
}

#[test]
fn a_policy_that_allows_everything_is_always_seen() {
    let mut screen = Screen::new(Bench::working()).sized(40, 10);
    screen.bench.project.policy = Some(("allow-all".into(), true));
    assert!(screen.status().contains("allow-all"), "{}", screen.status());
}

#[test]
fn a_small_window_says_so_and_survives() {
    for (width, height) in [(0, 0), (1, 1), (39, 10), (40, 9), (200, 1)] {
        let mut screen = Screen::new(Bench::working()).sized(width, height);
        screen.bench.asks_to_run("ls");
        screen.draw();
        screen.press("ctrl-p f1 y enter esc");
    }
    let picture = Screen::new(Bench::ready()).sized(39, 10).draw();
    assert!(picture.contains("too small: 39x10, needs 40x10"));
}

/// V1-MODE-04
#[test]
fn a_dangerous_mode_stands_out_and_stays() {
    let mut screen = Screen::new(Bench::working()).sized(40, 10);
    screen.bench.update(AgentEvent::Mode(ModeId::new("yolo")));
    assert!(screen.status().contains("YOLO!"), "{}", screen.status());
}

#[test]
fn what_is_not_drawn_asks_for_no_frame() {
    let mut bench = Bench::working();
    let call = bench.call(crate::model::ToolKind::Execute);
    bench.update(AgentEvent::ToolCall(Box::new(call)));
    let mut screen = Screen::new(bench);
    screen.draw();
    // Too small for a transcript: a spinner that nobody sees must not keep the loop running.
    screen.size = (20, 5);
    screen.draw();
    screen.bench.wait(5_000);
    let deadline = screen.ui.deadline(&screen.bench.context());
    assert!(deadline.is_none_or(|at| at > screen.bench.now));
}

#[test]
fn each_session_has_a_screen_of_its_own() {
    let mut bench = Bench::working();
    bench.message("of the first session");
    let mut screen = Screen::new(bench);
    screen
        .ui
        .composer()
        .set_text("typed before there was a session");
    let now = screen.bench.now;
    screen.ui.show_session(SessionKey(1), now);
    let picture = screen.draw();
    assert!(picture.contains("of the first session"), "{picture}");
    assert!(picture.contains("typed before"), "{picture}");
    let mut other = Bench::working();
    other.message("of the second session");
    let first = std::mem::replace(&mut screen.bench, other);
    screen.ui.show_session(SessionKey(2), now);
    let picture = screen.draw();
    assert!(picture.contains("of the second session"), "{picture}");
    assert!(!picture.contains("of the first session"), "{picture}");
    assert!(!picture.contains("typed before"), "{picture}");
    screen.bench = first;
    screen.ui.show_session(SessionKey(1), now);
    assert!(screen.draw().contains("typed before"));
}

#[test]
fn a_session_that_is_gone_leaves_its_draft() {
    let mut screen = Screen::new(Bench::working());
    let now = screen.bench.now;
    screen.ui.show_session(SessionKey(1), now);
    screen.ui.composer().set_text("kept");
    screen.bench = Bench::ready();
    screen.ui.forget_session(SessionKey(1));
    screen.ui.show_session(SessionKey(2), now);
    assert!(screen.draw().contains("kept"));
}

fn limited(bench: &mut Bench, state: crate::model::LimitState) {
    bench.update(AgentEvent::Limit(crate::model::RateLimit {
        state,
        name: "5-hour limit".into(),
        used: Some(87),
        resets: Some(1),
    }));
    let at = bench.now + std::time::Duration::from_secs(72 * 60);
    let time = "14:30".into();
    bench.event(Event::LimitEnds {
        resets: 1,
        at,
        time,
    });
}

#[test]
fn a_limit_is_shown_before_it_hurts_and_counts_down_when_it_is_reached() {
    use crate::model::LimitState;
    let mut screen = Screen::new(Bench::ready()).sized(120, 24);
    limited(&mut screen.bench, LimitState::Fine);
    assert!(!screen.draw().contains("limit"));
    limited(&mut screen.bench, LimitState::Near);
    let status = screen.status();
    assert!(
        status.contains("5-hour limit 87% · resets 14:30"),
        "{status}"
    );
    limited(&mut screen.bench, LimitState::Reached);
    let picture = screen.draw();
    let row = "! 5-hour limit reached · resets 14:30, in 1h 12m · alt-c continues then \
               · /handover goes on with another agent";
    assert!(picture.contains(row), "{picture}");
    assert!(!screen.status().contains("limit"), "said once");
    assert!(screen.ui.deadline(&screen.bench.context()).is_some());
    let commands = screen.press("alt-c");
    screen.apply(commands);
    screen.bench.wait(71 * 60 * 1_000 + 30_000);
    let picture = screen.draw();
    let row = "! 5-hour limit reached · \"continue\" is sent then, it resets 14:30, in 30s · alt-c cancels";
    assert!(picture.contains(row), "{picture}");
    screen.press("f12");
    assert!(
        screen.draw().contains("5-hour limit reached"),
        "{}",
        screen.draw()
    );
    screen.press("esc");
    screen.bench.prompt("go");
    assert!(
        screen.status().contains("5-hour limit reached"),
        "{}",
        screen.status()
    );
    screen.ui.look.settings.motion = false;
    let mut still = Screen::new(Bench::ready()).sized(120, 24);
    still.ui.look.settings.motion = false;
    limited(&mut still.bench, LimitState::Reached);
    assert!(
        still.draw().contains("reached · resets 14:30 · alt-c"),
        "{}",
        still.draw()
    );
    assert_eq!(still.ui.look.limit(&still.bench.context()).deadline(), None);
}
