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
        let activity = self.told();
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
    // All keys, which are more than there is room for.
    screen.press("f1 ?");
    let help = screen.draw();
    let at = screen.find("Prompt");
    screen.wheel(true, 1, at);
    assert_ne!(screen.draw(), help);
    screen.press("esc");
    assert_eq!(screen.draw().lines().next().map(str::to_owned), top);
    // A list: from one row to the next.
    screen.press("ctrl-p");
    let second = "❯ Search earlier prompts";
    assert!(!screen.draw().contains(second));
    let at = screen.find("type to filter");
    screen.wheel(true, 1, (at.0, at.1 + 2));
    assert!(screen.draw().contains(second), "{}", screen.draw());
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

const LEFT: MouseButton = MouseButton::Left;

impl Screen {
    fn down(&mut self, at: (u16, u16)) -> Vec<UiCommand> {
        self.mouse(MouseEventKind::Down(LEFT), at)
    }

    fn drag(&mut self, at: (u16, u16)) -> Vec<UiCommand> {
        self.mouse(MouseEventKind::Drag(LEFT), at)
    }

    fn up(&mut self, at: (u16, u16)) -> Vec<UiCommand> {
        self.mouse(MouseEventKind::Up(LEFT), at)
    }

    fn click(&mut self, at: (u16, u16)) -> Vec<UiCommand> {
        let mut commands = self.down(at);
        commands.extend(self.up(at));
        commands
    }

    /// Selects from one text to the end of another, and what that copies.
    fn selects(&mut self, from: &str, to: &str) -> String {
        let start = self.find(from);
        let end = self.find(to);
        self.bench.wait(1_000);
        self.down(start);
        let width = u16::try_from(crate::text::cell_width(to)).unwrap_or(1);
        let end = (end.0 + width - 1, end.1);
        self.drag(end);
        copied(&self.up(end))
    }
}

fn copied(commands: &[UiCommand]) -> String {
    match commands {
        [UiCommand::Copy(text)] => text.clone(),
        other => panic!("{other:?}"),
    }
}

// V1-PERM-11
#[test]
fn a_click_answers_only_what_was_pressed_and_released_on_one_option_behind_the_guard() {
    let mut screen = Screen::new(Bench::working());
    screen.bench.asks_to_run("npm run build");
    screen.draw();
    let (yes, no) = (screen.find("Allow once"), screen.find("Reject"));
    assert!(screen.click(yes).is_empty(), "nobody can have read it");
    assert!(screen.down(yes).is_empty());
    screen.bench.wait(400);
    screen.draw();
    assert!(screen.up(yes).is_empty(), "pressed before the guard opened");
    screen.down(yes);
    screen.drag(no);
    assert!(screen.up(no).is_empty(), "released elsewhere");
    assert!(
        screen.press("enter").is_empty(),
        "nothing is selected by that"
    );
    screen.bench.wait(1_000);
    screen.down(yes);
    // What was typed is for the draft, and the pause begins again.
    screen.types("x");
    assert!(screen.up(yes).is_empty(), "typed in between");
    screen.press("backspace");
    screen.bench.wait(1_000);
    screen.draw();
    let yes = screen.find("Allow once");
    assert_eq!(kinds(&screen.click(yes)), ["Session(Answer"]);
}

#[test]
fn a_click_in_a_list_is_enter_on_its_row() {
    let mut screen = long_answer();
    screen.press("ctrl-p");
    screen.types("keys");
    let at = screen.find("Show all keys");
    screen.down(at);
    screen.up((at.0, at.1 - 1));
    assert!(screen.draw().contains("Actions"), "released on another row");
    let at = screen.find("Show all keys");
    screen.click(at);
    assert!(screen.draw().contains("╭ Keys"), "{}", screen.draw());
}

#[test]
fn a_click_in_the_draft_places_the_caret_between_what_is_seen() {
    let mut screen = long_answer();
    screen.ui.composer().set_text("one 👩‍👧 two\nthree");
    let two = screen.find("two");
    screen.click(two);
    assert_eq!(screen.cursor(), Some(Position::new(two.0, two.1)));
    screen.types("X");
    assert_eq!(screen.draft(), "one 👩‍👧 Xtwo\nthree");
    // On either cell of a wide one: before it. Behind a row's end: there.
    screen.click((two.0 - 2, two.1));
    screen.types("Y");
    assert_eq!(screen.draft(), "one Y👩‍👧 Xtwo\nthree");
    screen.click((70, two.1 + 1));
    screen.types("Z");
    assert_eq!(screen.draft(), "one Y👩‍👧 Xtwo\nthreeZ");
}

#[test]
fn a_click_on_a_queued_prompt_takes_it_back() {
    let mut screen = Screen::new(Bench::working());
    screen.bench.prompt("the first");
    screen.bench.prompt("the second");
    let first = screen.find("the first");
    let commands = screen.click(first);
    assert!(
        matches!(commands[..], [UiCommand::Session(Event::Unqueue(0))]),
        "{commands:?}"
    );
    screen.apply(commands);
    assert!(!screen.draw().contains("the first"));
    assert!(screen.draw().contains("the second"));
}

#[test]
fn a_link_says_where_it_leads_before_it_is_opened() {
    let mut screen = Screen::new(Bench::working());
    screen
        .bench
        .message("see [the docs](https://x.test/a) for it");
    let at = screen.find("docs");
    assert!(screen.click(at).is_empty());
    assert!(screen.draw().contains("Open this link?"));
    let dialog = screen.find("Open this link?");
    let target = (dialog.0 + 2, dialog.1 + 1);
    assert!(screen.click(target).is_empty(), "a double click's second");
    screen.bench.wait(1_000);
    let opened = screen.click(target);
    assert!(
        matches!(&opened[..], [UiCommand::OpenLink(url)] if url == "https://x.test/a"),
        "{opened:?}"
    );
    screen.bench.wait(1_000);
    let at = screen.find("docs");
    screen.click(at);
    screen.press("esc");
    assert!(!screen.draw().contains("Open this link?"));
}

#[test]
fn a_drag_copies_what_was_written_unwrapped() {
    let mut screen = Screen::new(Bench::working()).sized(50, 24);
    let long = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu";
    let code = "fn main() {\n    let x = 1;\n}";
    screen.bench.message(&format!(
        "{long}\n\n> quoted words that are long enough to be wrapped in this window\n\n\
         ```rust\n{code}\n```\n\n- one\n- two\n\nthe end"
    ));
    assert_eq!(screen.selects("alpha", "mu"), long);
    assert_eq!(screen.selects("beta", "kappa"), long[6..][..50].to_owned());
    assert_eq!(
        screen.selects("quoted", "window"),
        "quoted words that are long enough to be wrapped in this window"
    );
    assert_eq!(screen.selects("fn main", "}"), code);
    // The label tells the language, and is none of it.
    assert_eq!(screen.selects("rust", "}"), code);
    assert_eq!(screen.selects("window", "fn main()"), "window\n\nfn main()");
    // Backwards as well.
    let (start, end) = (screen.find("let x"), screen.find("fn main"));
    screen.bench.wait(1_000);
    screen.down((start.0 + 4, start.1));
    screen.drag(end);
    assert_eq!(copied(&screen.up(end)), "fn main() {\n    let x");
    // A message as a whole is its source.
    let whole = screen.selects("alpha", "the end");
    assert!(
        whole.contains("```rust") && whole.ends_with("the end"),
        "{whole}"
    );
}

#[test]
fn a_drag_over_a_part_of_a_diff_copies_lines_without_signs() {
    let old: String = (1..=30).map(|n| format!("line {n}\n")).collect();
    let new = old
        .replace("line 5\n", "line five\n")
        .replace("line 25\n", "line twenty-five\n");
    let mut screen = Screen::new(Bench::working()).sized(80, 40);
    let mut call = screen.bench.call(crate::model::ToolKind::Edit);
    call.title = Patch::Set("Edit a.txt".into());
    let diff = crate::model::Diff::of_texts(
        "/home/me/src/tool/a.txt".into(),
        Some(SafeText::new(&old)),
        SafeText::new(&new),
    );
    let diff = crate::model::ToolContent::Diff(std::sync::Arc::new(diff));
    call.content = Patch::Set(vec![diff]);
    call.status = Patch::Set(crate::model::ToolStatus::Completed);
    screen.bench.update(AgentEvent::ToolCall(Box::new(call)));
    assert_eq!(
        screen.selects("line 4", "line 23"),
        "line 4\nline 5\nline five\nline 6\nline 7\nline 8\nline 22\nline 23"
    );
}

#[test]
fn a_double_click_takes_a_word_and_a_third_the_line() {
    let mut screen = Screen::new(Bench::working()).sized(50, 24);
    let long = "see src/ui/mod.rs: it is the file whose words do not fit a row of it";
    screen.bench.message(&format!("{long}\n\nmore"));
    let at = screen.find("ui/mod");
    assert!(screen.click(at).is_empty());
    assert_eq!(copied(&screen.click(at)), "src/ui/mod.rs");
    assert_eq!(copied(&screen.click(at)), long);
    assert!(screen.click(at).is_empty(), "and from the first again");
}

#[test]
fn a_selection_stays_on_its_text_while_more_comes_in() {
    let mut screen = Screen::new(Bench::working());
    screen.ui.look.settings.copy_on_select = false;
    screen.bench.message("first words\n\nsecond");
    let (start, end) = (screen.find("first"), screen.find("second"));
    screen.down(start);
    screen.drag(end);
    screen
        .bench
        .message(" line goes on\n\n# A heading\n\nthird");
    assert!(screen.up(end).is_empty(), "only with copy_on_select");
    for n in 0..40 {
        screen.bench.message(&format!("\n\nparagraph {n}"));
        screen.draw();
    }
    let copied = copied(&screen.press("ctrl-c"));
    assert_eq!(copied, "first words\n\ns");
    assert!(
        screen
            .press("ctrl-c")
            .iter()
            .all(|c| !matches!(c, UiCommand::Copy(_)))
    );
}

#[test]
fn a_drag_held_at_the_edge_scrolls_on() {
    let mut screen = long_answer();
    let start = screen.find("line 58");
    screen.down((start.0 + 6, start.1));
    screen.drag((start.0, 0));
    assert!(screen.ui.deadline(&screen.bench.context()).is_some());
    for _ in 0..200 {
        screen.bench.wait(60);
        screen.draw();
    }
    assert!(screen.draw().contains("  line 1 "), "{}", screen.draw());
    let text = copied(&screen.up((start.0, 0)));
    assert!(text.contains("\n\nline 1\n\nline 2\n"), "{text}");
    assert!(text.ends_with("line 57\n\nline 58"), "{text}");
}

#[test]
fn what_is_selected_is_marked_and_nothing_beside_it() {
    let mut screen = Screen::new(Bench::working());
    screen.bench.message("some words\n\nand more of them");
    let (start, end) = (screen.find("words"), screen.find("more"));
    screen.down(start);
    screen.drag((end.0 + 3, end.1));
    let (buffer, _) = screen.buffer();
    let style = screen.ui.look.theme.selection;
    let marked = |x: u16, y: u16| {
        let cell = buffer.cell((x, y)).map(|cell| cell.style());
        cell.is_some_and(|cell| {
            style.bg.is_some_and(|bg| cell.bg == Some(bg))
                || cell
                    .add_modifier
                    .contains(ratatui::style::Modifier::REVERSED)
        })
    };
    let row = |y: u16| -> String {
        (0..buffer.area.width)
            .filter(|x| marked(*x, y))
            .filter_map(|x| buffer.cell((x, y)).map(|cell| cell.symbol().to_owned()))
            .collect()
    };
    assert_eq!(row(start.1), "words");
    assert_eq!(row(end.1), "and more");
}

#[test]
fn a_click_on_the_model_or_the_mode_opens_what_chooses_it() {
    let mut screen = Screen::new(Bench::ready());
    screen.draw();
    let row = screen.size.1 - 1;
    let at = screen.find("build").0;
    screen.click((at, row));
    assert!(screen.draw().contains("╭ Mode"), "{}", screen.draw());
    screen.press("esc");
    let closed = screen.draw();
    screen.click((0, row));
    assert_eq!(screen.draw(), closed, "nothing to choose there");
}

#[test]
fn a_press_whose_release_went_elsewhere_is_over() {
    let mut screen = long_answer();
    let start = screen.find("line 58");
    screen.down(start);
    screen.drag((start.0, 0));
    let lost = screen
        .ui
        .handle(&[Input::FocusLost], &screen.bench.context());
    assert!(lost.is_empty());
    let before = screen.find("line 58");
    screen.bench.wait(500);
    screen.draw();
    assert_eq!(screen.find("line 58"), before, "it scrolls no more");
}
