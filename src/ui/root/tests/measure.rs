//! Where things end on wide screens.

use super::*;
use crate::config::DiffLayout;

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

/// A question whose dialog has the change of a file, in a file of that name.
pub(super) fn asking_to_change(old: Option<&'static str>) -> Bench {
    let mut bench = Bench::working();
    let mut call = bench.call(crate::model::ToolKind::Edit);
    let diff = crate::model::Diff::of_texts("a.rs".into(), old.map(Into::into), "two\n".into());
    call.content = Patch::Set(vec![crate::model::ToolContent::Diff(diff.into())]);
    bench.asks(call, crate::ui::testing::usual_options());
    bench
}

/// Columns of the dialog's box, and whether its diff has two sides.
fn boxed(bench: Bench, layout: DiffLayout, size: (u16, u16)) -> (usize, bool) {
    let mut screen = Screen::new(bench).sized(size.0, size.1);
    let mut settings = settings();
    settings.ui.diff = layout;
    screen.ui = Ui::new(settings, Offload::immediate());
    screen.ui.set_background(Background::Dark);
    let picture = screen.draw();
    let rows = picture.lines().skip_while(|row| !row.starts_with('╭'));
    let rows: Vec<&str> = rows.take_while(|row| !row.starts_with('─')).collect();
    let ends: Vec<usize> = rows
        .iter()
        .filter(|row| row.starts_with(['╭', '│', '╰']))
        .map(|row| row.trim_end().chars().count())
        .collect();
    assert!(ends.len() > 4, "{picture}");
    assert!(ends.iter().all(|end| *end == ends[0]), "{picture}");
    let split = rows
        .iter()
        .any(|row| row.contains("one") && row.contains("two"));
    (ends[0], split)
}

#[test]
fn a_dialog_takes_the_whole_width_where_its_diff_has_two_sides() {
    use DiffLayout::{Auto, Split, Unified};
    let change = || asking_to_change(Some("one\n"));
    // The box has four columns besides its content, and one is the scroll bar's.
    for (layout, width, expected) in [
        (Auto, 220, (219, true)),
        (Auto, 145, (144, true)),
        (Auto, 144, (119, false)),
        (Auto, 100, (99, false)),
        (Unified, 220, (119, false)),
        (Split, 220, (219, true)),
        (Split, 130, (129, true)),
    ] {
        let found = boxed(change(), layout, (width, 50));
        assert_eq!(found, expected, "{layout:?} at {width}");
    }
    // Of a new file one side would be blank.
    assert_eq!(boxed(asking_to_change(None), Auto, (220, 50)), (119, false));
    let mut bench = Bench::working();
    let write = crate::model::HostRequest::WriteTextFile(crate::model::FsWrite {
        session: Bench::session_id(),
        path: "/etc/motd".into(),
        content: "two\n".into(),
    });
    bench.asks_outside(write, "/etc/motd", true);
    let question = bench.session.questions[0].id();
    let diff =
        crate::model::Diff::of_texts("/etc/motd".into(), Some("one\n".into()), "two\n".into());
    bench.event(Event::Compared {
        of: crate::model::Compared::Question(question.0),
        shown: Some(vec![Some(diff.into())]),
    });
    assert_eq!(boxed(bench, Auto, (220, 50)), (219, true));
}
