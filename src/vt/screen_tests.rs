use proptest::prelude::*;

use super::*;
use crate::vt::{CellStyle, Color, SCROLLBACK_BYTES, SCROLLBACK_ROWS};

fn text(screen: &Screen) -> Vec<String> {
    screen
        .rows(0..screen.row_count())
        .iter()
        .map(|runs| runs.iter().map(|run| run.text.as_str()).collect())
        .collect()
}

#[test]
fn rows_that_scroll_off_are_kept_with_their_colours() {
    let mut screen = Screen::new(2, 20);
    screen.feed(b"\x1b[31mred\x1b[0m plain\r\n\x1b[1;48;2;1;2;3mx\x1b[0m\r\nthree\r\nfour");
    assert_eq!(text(&screen), ["red plain", "x", "three", "four"]);
    assert_eq!(screen.screen_start(), 2);
    let rows = screen.rows(0..2);
    assert_eq!(rows[0][0].style.fg, Color::Indexed(1));
    assert_eq!(rows[0][1].style, CellStyle::default());
    assert_eq!(rows[1][0].style.bg, Color::Rgb(1, 2, 3));
    assert!(rows[1][0].style.bold);
}

#[test]
fn a_finished_screen_shows_the_same_rows() {
    let mut screen = Screen::new(3, 12);
    screen.feed("日本\x1b[7m e\u{301} \x1b[0m\r\n\r\nüb er\x1b[0m   \r\nlast\r\n".as_bytes());
    let before = screen.rows(0..screen.row_count());
    screen.finish();
    assert_eq!(screen.rows(0..screen.row_count()), before);
    assert_eq!(text(&screen), ["日本 e\u{301} ", "", "üb er", "last"]);
}

#[test]
fn output_that_comes_after_the_end_is_not_lost() {
    let mut screen = Screen::new(3, 12);
    screen.feed_text("one\n");
    screen.finish();
    screen.feed_text("late");
    assert_eq!(text(&screen), ["one", "late"]);
}

#[test]
fn questions_of_the_program_are_answered() {
    let mut screen = Screen::new(3, 12);
    screen.feed(b"ab\x1b[6n\x1b[5n\x1b[c\x1b[?6n");
    assert_eq!(screen.take_answers(), b"\x1b[1;3R\x1b[0n\x1b[?6c");
    screen.feed(&b"\x1b[5n".repeat(10_000));
    assert!(screen.take_answers().len() < 2_000);
}

#[test]
fn answers_that_wait_are_bounded_at_their_edge() {
    let most = crate::vt::history::MAX_ANSWER_BYTES;
    // Of four bytes each.
    for asked in [most / 4 - 1, most / 4, most / 4 + 1] {
        let mut screen = Screen::new(3, 12);
        screen.feed(&b"\x1b[5n".repeat(asked));
        assert_eq!(
            screen.take_answers().len(),
            (4 * asked).min(most),
            "{asked}"
        );
    }
}

#[test]
fn finishing_leaves_the_alternate_screen() {
    let mut screen = Screen::new(3, 12);
    screen.feed(b"$ vi\r\n\x1b[?1049h\x1b[2J~\r\n~");
    assert!(screen.alternate_screen());
    screen.finish();
    assert_eq!(text(&screen), ["$ vi"]);
    assert_eq!(screen.cursor(), None);
}

#[test]
fn the_scrollback_is_bounded_and_counts_what_it_dropped() {
    let mut screen = Screen::new(2, 20);
    for n in 0..SCROLLBACK_ROWS + 10 {
        screen.feed(format!("{n}\r\n").as_bytes());
    }
    assert_eq!(screen.dropped_rows(), 9);
    assert_eq!(text(&screen)[0], "9");
}

#[test]
fn the_whole_of_a_long_output_is_there_as_text_and_what_is_not_is_said() {
    let mut screen = Screen::new(24, 80);
    let lines: Vec<String> = (1..=3_000)
        .map(|n| format!("row {n} of a long output"))
        .collect();
    screen.feed_text(&lines.join("\n"));
    assert_eq!(screen.text(usize::MAX), lines.join("\n"));
    screen.finish();
    assert_eq!(screen.text(usize::MAX), lines.join("\n"));
    // Two rows of five bytes each, and their ends.
    let mut short = Screen::new(2, 20);
    short.feed_text("row 1\nrow 2\nrow 3\n\n");
    for (most, text) in [
        (0, "[3 earlier rows were dropped]"),
        (11, "[2 earlier rows were dropped]\nrow 3"),
        (12, "[1 earlier row was dropped]\nrow 2\nrow 3"),
        (17, "[1 earlier row was dropped]\nrow 2\nrow 3"),
        (18, "row 1\nrow 2\nrow 3"),
    ] {
        assert_eq!(short.text(most), text, "{most}");
    }
}

#[test]
fn rows_are_bounded_by_their_bytes_as_well() {
    let mut screen = Screen::new(2, 1_000);
    let line = "x".repeat(1_000);
    for _ in 0..3 * (SCROLLBACK_BYTES / 1_000) {
        screen.feed_text(&line);
        screen.feed_text("\n");
    }
    let kept = screen.row_count() * 1_000;
    assert!(kept <= SCROLLBACK_BYTES, "{kept}");
    assert!(kept > SCROLLBACK_BYTES / 10 * 9, "{kept}");
    assert!(
        screen.text(usize::MAX).starts_with("[4"),
        "what is missing is counted"
    );
}

#[test]
fn full_screen_programs_leave_nothing_in_the_scrollback() {
    let mut screen = Screen::new(2, 20);
    screen.feed(b"\x1b[?1049ha\r\nb\r\nc\r\nd\x1b[?1049l");
    assert_eq!(text(&screen), [""; 0]);
}

#[test]
fn growing_puts_no_blank_rows_on_top() {
    let mut screen = Screen::new(2, 20);
    screen.feed(b"1\r\n2\r\n3\r\n4");
    screen.resize(5, 30);
    assert_eq!(text(&screen), ["1", "2", "3", "4"]);
    screen.resize(2, 10);
    assert_eq!(text(&screen), ["1", "2", "3", "4"]);
}

#[test]
fn reported_text_needs_no_carriage_returns() {
    let mut screen = Screen::new(4, 20);
    screen.feed_text("a\nb\r");
    screen.feed_text("\nc");
    assert_eq!(text(&screen), ["a", "b", "c"]);
}

// V2-UPD-05
#[test]
fn a_character_may_come_in_two_pieces() {
    let mut screen = Screen::new(4, 20);
    let smile = "a😀".as_bytes();
    screen.feed_output(&smile[..3]);
    screen.feed_output(&smile[3..]);
    screen.feed_output(b"\nb");
    assert_eq!(text(&screen), ["a😀", "b"]);
}

// V1-UPD-12
#[test]
fn what_a_program_printed_is_safe_text() {
    let mut screen = Screen::new(2, 40);
    screen.feed("\x1b]52;c;eA==\x07\x1b]8;;http://x\x07a\u{202e}b\x1b[5n".as_bytes());
    assert_eq!(text(&screen), ["a<U+202E>b"]);
}

#[test]
fn what_an_attached_view_needs_is_told() {
    let mut screen = Screen::new(3, 4);
    screen.feed(b"\x1b[?1h\x1b[?2004habcd");
    assert!(screen.input_modes().application_cursor);
    assert!(screen.input_modes().bracketed_paste);
    assert_eq!(screen.cursor(), Some(Cursor { row: 0, col: 3 }));
    screen.feed(b"\x1b[?25l");
    assert_eq!(screen.cursor(), None);
}

proptest! {
    /// Whatever a program prints and however the view is resized: no panic, and finishing
    /// neither adds nor loses a row with text in it. As plain text it reads as it is drawn.
    #[test]
    fn nothing_that_is_printed_breaks_it(
        pieces in prop::collection::vec(
            prop_oneof![
                "[a-z \u{e9}\u{65e5}\u{1f600}\u{301}]{0,12}",
                "\x1b\\[[0-9;?]{0,3}[A-Za-z@]",
                "\x1b[78DMEc]",
                Just("\r\n".to_owned()),
                Just("\x1b]0;".to_owned()),
                "[\\x00-\\x1f\\x7f-\u{9f}]{1,3}",
            ],
            0..40,
        ),
        sizes in prop::collection::vec((0u16..8, 0u16..12), 0..6),
    ) {
        let mut screen = Screen::new(4, 10);
        let mut sizes = sizes.into_iter();
        for (n, piece) in pieces.iter().enumerate() {
            screen.feed(piece.as_bytes());
            if n % 5 == 4 && let Some((rows, cols)) = sizes.next() {
                screen.resize(rows, cols);
            }
        }
        if screen.alternate_screen() {
            screen.feed(b"\x1b[?1049l");
        }
        let shown = |screen: &Screen| -> Vec<String> {
            text(screen).into_iter().filter(|row| !row.is_empty()).collect()
        };
        let before = shown(&screen);
        let plain: Vec<String> = text(&screen).iter().map(|row| row.trim_end().to_owned()).collect();
        let plain = plain.join("\n");
        prop_assert_eq!(screen.text(usize::MAX), plain.trim_end_matches('\n'));
        screen.finish();
        prop_assert_eq!(shown(&screen), before);
    }
}
