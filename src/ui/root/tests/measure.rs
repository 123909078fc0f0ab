//! Where things end on wide screens.

use super::*;

/// The column behind the last cell of each row that holds something.
fn ends(screen: &mut Screen) -> Vec<usize> {
    let buffer = screen.buffer().0;
    let area = buffer.area;
    let used = |x: u16, y: u16| {
        let cell = &buffer[(x, y)];
        cell.symbol() != " " || cell.bg != ratatui::style::Color::Reset
    };
    let end = |y| (0..area.width).rev().find(|x| used(*x, y));
    let ends = (0..area.height).filter_map(end);
    ends.map(|x| usize::from(x) + 1).collect()
}

fn asking(width: Option<u16>) -> Screen {
    let mut bench = Bench::working();
    let words = "many words in one row that goes on and on ".repeat(12);
    bench.message(&format!(
        "{words}\n\n| {words} | b |\n|---|---|\n| c | {words} |\n"
    ));
    bench.asks_to_run("npm run build");
    let mut screen = Screen::new(bench);
    let mut settings = settings();
    settings.ui.width = width;
    screen.ui = Ui::new(settings, Offload::immediate());
    screen.ui.set_background(Background::Dark);
    screen
}

#[test]
fn prompts_prose_tables_and_dialogs_end_at_one_measure() {
    let mut screen = asking(None).sized(220, 60);
    let ends = ends(&mut screen);
    let status_and_composer = ends.iter().filter(|end| **end > 119).count();
    assert!(status_and_composer <= 3, "{ends:?}");
    // The band of the prompt, rows of the answer, and each row of the dialog's box.
    assert!(
        ends.iter().filter(|end| **end == 119).count() > 6,
        "{ends:?}"
    );
}

#[test]
fn a_number_of_columns_holds_for_everything() {
    for (limit, width) in [(60, 220), (150, 220), (150, 80)] {
        let mut screen = asking(Some(limit)).sized(width, 50);
        let ends = ends(&mut screen);
        let most = usize::from(limit.min(width));
        assert!(ends.iter().all(|end| *end <= most), "{limit}: {ends:?}");
        let boxed = ends.iter().filter(|end| **end == most - 1).count();
        assert!(boxed > 4, "{limit} of {width}: {ends:?}");
    }
}
