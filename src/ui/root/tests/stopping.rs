//! Esc, ctrl-c and ctrl-d.

use super::*;

#[test]
fn esc_stops_an_open_turn_and_nothing_else() {
    assert!(stops(&Screen::new(Bench::working()).press("esc")));
    assert!(Screen::new(Bench::ready()).press("esc").is_empty());
}

#[test]
fn esc_closes_what_is_open_before_it_stops() {
    let mut screen = Screen::new(Bench::working());
    screen.press("ctrl-p");
    assert!(screen.press("esc").is_empty());
    screen.press("f1");
    assert!(screen.press("esc").is_empty());
    screen.types("@");
    assert!(screen.press("esc backspace").is_empty());
    assert!(stops(&screen.press("esc")));
}

#[test]
fn ctrl_c_clears_then_stops_and_never_leaves_an_open_turn() {
    let mut screen = Screen::new(Bench::working());
    screen.types("half a thought");
    assert!(screen.press("ctrl-c").is_empty());
    assert_eq!(screen.draft(), "");
    let stop = screen.press("ctrl-c");
    assert!(stops(&stop));
    screen.apply(stop);
    assert!(screen.activity().contains("Stopping"));
}

#[test]
fn ctrl_c_twice_quits_with_no_turn_open() {
    let mut screen = Screen::new(Bench::ready());
    assert!(screen.press("ctrl-c").is_empty());
    assert!(screen.status().contains("ctrl-c again to quit"));
    screen.bench.wait(1_900);
    assert!(quits(&screen.press("ctrl-c")));
}

#[test]
fn ctrl_c_twice_must_be_within_two_seconds_and_without_another_key() {
    let mut screen = Screen::new(Bench::ready());
    screen.press("ctrl-c");
    screen.bench.wait(2_100);
    assert!(screen.press("ctrl-c").is_empty());
    screen.press("x backspace");
    assert!(screen.press("ctrl-c").is_empty());
    assert!(quits(&screen.press("ctrl-c")));
}

#[test]
fn a_turn_that_will_not_stop_can_be_left() {
    let mut screen = Screen::new(Bench::working());
    let stop = screen.press("ctrl-c");
    screen.apply(stop);
    assert!(screen.press("ctrl-c").is_empty());
    assert!(quits(&screen.press("ctrl-c")));
}

/// V1-CAN-08
#[test]
fn a_slow_cancel_is_said_and_esc_abandons() {
    let mut screen = Screen::new(Bench::working());
    let stop = screen.press("esc");
    screen.apply(stop);
    screen.bench.wait(3_100);
    screen.bench.event(Event::Tick);
    assert!(
        screen.activity().contains("Not stopping · esc abandons"),
        "{}",
        screen.activity()
    );
    assert!(stops(&screen.press("esc")));
}

#[test]
fn ctrl_d_quits_on_an_empty_composer() {
    assert!(quits(&Screen::new(Bench::ready()).press("ctrl-d")));
    let mut screen = Screen::new(Bench::ready());
    screen.types("ab");
    assert!(screen.press("ctrl-a ctrl-d").is_empty());
    assert_eq!(screen.draft(), "b");
}

#[test]
fn ctrl_d_with_a_turn_open_needs_a_second() {
    let mut screen = Screen::new(Bench::working());
    assert!(screen.press("ctrl-d").is_empty());
    assert!(
        screen
            .status()
            .contains("ctrl-d again stops the turn and quits")
    );
    assert!(quits(&screen.press("ctrl-d")));
}
