//! What the mouse does.

use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::*;

pub fn mouse(kind: MouseEventKind, (column, row): (u16, u16)) -> Input {
    Input::Mouse(MouseEvent {
        kind,
        column,
        row,
        modifiers: KeyModifiers::NONE,
    })
}

impl Screen {
    /// One report, drawn behind it.
    fn mouse(&mut self, kind: MouseEventKind, at: (u16, u16)) -> Vec<UiCommand> {
        let commands = self.ui.handle(&[mouse(kind, at)], &self.bench.context());
        self.buffer();
        commands
    }

    /// Notches of the wheel, a while apart.
    fn wheel(&mut self, down: bool, notches: usize, at: (u16, u16)) {
        for _ in 0..notches {
            self.bench.wait(100);
            let kind = if down {
                MouseEventKind::ScrollDown
            } else {
                MouseEventKind::ScrollUp
            };
            self.mouse(kind, at);
        }
    }

    /// The screen without the row above the composer, which turns and counts.
    fn body(&mut self) -> String {
        let activity = self.activity();
        self.draw().replace(&activity, "")
    }

    /// The first row that shows `text`, and the column where it begins.
    fn find(&mut self, text: &str) -> (u16, u16) {
        let screen = self.draw();
        let place = screen.lines().enumerate().find_map(|(row, line)| {
            let column = line.find(text)?;
            let cells = crate::text::cell_width(&line[..column]);
            Some((cells as u16, row as u16))
        });
        place.unwrap_or_else(|| panic!("no {text:?} in\n{screen}"))
    }
}

fn long_answer() -> Screen {
    let mut screen = Screen::new(Bench::working());
    let lines: Vec<String> = (1..=60).map(|n| format!("line {n}")).collect();
    screen.bench.message(&lines.join("\n\n"));
    screen.draw();
    screen
}

#[test]
fn the_wheel_scrolls_the_conversation_three_rows_a_notch() {
    let mut screen = long_answer();
    let end = screen.find("line 60").1;
    screen.wheel(false, 2, (10, 3));
    assert_eq!(screen.find("line 57").1, end);
    screen.wheel(true, 2, (10, 3));
    assert_eq!(screen.find("line 60").1, end);
}

#[test]
fn reports_from_beyond_the_screen_and_with_the_mouse_off_do_nothing() {
    let mut screen = long_answer();
    let end = screen.body();
    for at in [(80, 3), (10, 24), (u16::MAX, u16::MAX)] {
        screen.wheel(false, 1, at);
        assert_eq!(screen.body(), end, "{at:?}");
    }
    let off = screen.press("f9");
    assert!(matches!(off[..], [UiCommand::Mouse(false)]), "{off:?}");
    assert!(screen.status().contains("mouse off"));
    screen.bench.wait(10_000);
    screen.wheel(false, 1, (10, 3));
    assert_eq!(screen.draw().lines().next(), end.lines().next());
    let on = screen.press("f9");
    assert!(matches!(on[..], [UiCommand::Mouse(true)]), "{on:?}");
    assert!(screen.status().contains("mouse on"));
}

#[test]
fn the_wheel_scrolls_what_is_under_the_pointer() {
    let mut screen = long_answer();
    let top = screen.draw().lines().next().map(str::to_owned);
    screen.press("f1");
    let help = screen.draw();
    let at = screen.find("Prompt");
    screen.wheel(true, 1, at);
    assert_ne!(screen.draw(), help);
    screen.press("esc");
    assert_eq!(screen.draw().lines().next().map(str::to_owned), top);
    // A list: from one row to the next.
    screen.press("ctrl-p down");
    let second = screen.body();
    screen.press("up");
    let at = screen.find("type to filter");
    screen.wheel(true, 1, (at.0, at.1 + 2));
    assert_eq!(screen.body(), second);
}

#[test]
fn the_wheel_over_a_long_draft_scrolls_the_draft() {
    let mut screen = long_answer();
    let lines: Vec<String> = (1..=40).map(|n| format!("word {n}")).collect();
    screen.ui.composer().set_text(&lines.join("\n"));
    let at = screen.find("word 40");
    screen.wheel(false, 10, at);
    assert!(screen.draw().contains("word 10"), "{}", screen.draw());
    assert!(screen.draw().contains("line 60"), "the conversation stays");
}

#[test]
fn a_flood_of_moves_is_one_move() {
    let drag = |at| mouse(MouseEventKind::Drag(MouseButton::Left), at);
    let reports = [
        drag((1, 1)),
        drag((2, 2)),
        mouse(MouseEventKind::Moved, (3, 3)),
    ];
    let overtaken = |at: usize| match &reports[at] {
        Input::Mouse(event) => super::super::mouse::is_overtaken(*event, &reports[at + 1..]),
        _ => false,
    };
    assert_eq!([0, 1, 2].map(overtaken), [true, false, true]);
}
