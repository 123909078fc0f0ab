use std::num::NonZeroU16;

use ratatui::text::Line;

use super::*;

/// A terminal that cuts what does not fit, with all it scrolled away.
struct Played {
    inline: Inline,
    parser: vt100::Parser,
    size: Size,
}

fn frame(printed: &[&str], live: &[&str], width: u16) -> InlineFrame {
    let height = u16::try_from(live.len()).expect("few");
    let mut buf = Buffer::empty(Rect::new(0, 0, width, height));
    for (y, line) in (0..).zip(live) {
        buf.set_line(0, y, &Line::from(*line), width);
    }
    InlineFrame {
        printed: printed
            .iter()
            .map(|line| Row::from(Line::from((*line).to_owned())))
            .collect(),
        live: buf,
        cursor: Some(Position::new(1, height - 1)),
        links: Vec::new(),
    }
}

fn cells(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).expect("not 0")
}

impl Played {
    fn new(width: u16, height: u16) -> Self {
        Self {
            inline: Inline::new(Resizing::Cuts),
            parser: vt100::Parser::new(cells(height), cells(width), 100),
            size: Size::new(width, height),
        }
    }

    fn draw(&mut self, printed: &[&str], live: &[&str]) -> usize {
        let frame = frame(printed, live, self.size.width);
        let bytes = self.inline.draw(&frame, self.size);
        self.parser.process(&bytes);
        bytes.len()
    }

    fn resize(&mut self, width: u16, height: u16) {
        self.size = Size::new(width, height);
        self.parser
            .screen_mut()
            .set_size(cells(height), cells(width));
    }

    /// All rows, those scrolled away first, without blank ones at the end.
    fn all(&mut self) -> Vec<String> {
        let screen = self.parser.screen_mut();
        screen.set_scrollback(usize::MAX);
        let above = screen.scrollback();
        let mut rows = Vec::new();
        for back in (1..=above).rev() {
            screen.set_scrollback(back);
            rows.extend(screen.rows(0, self.size.width).next());
        }
        screen.set_scrollback(0);
        rows.extend(screen.rows(0, self.size.width));
        let mut rows: Vec<String> = rows.iter().map(|row| row.trim_end().to_owned()).collect();
        while rows.last().is_some_and(String::is_empty) {
            rows.pop();
        }
        rows
    }
}

#[test]
fn finished_rows_scroll_away_and_the_live_part_stays_below_them() {
    let mut played = Played::new(20, 4);
    played.draw(&[], &["> a", "status"]);
    played.draw(&["one", "two"], &["> a", "status"]);
    played.draw(&["three", "four", "five"], &["> ab", "status"]);
    assert_eq!(
        played.all(),
        ["one", "two", "three", "four", "five", "> ab", "status"]
    );
}

#[test]
fn the_live_part_grows_and_shrinks_in_place() {
    let mut played = Played::new(20, 6);
    played.draw(&["said"], &["> ", "status"]);
    played.draw(&[], &["? one", "? two", "? three", "> ", "status"]);
    assert_eq!(
        played.all(),
        ["said", "? one", "? two", "? three", "> ", "status"].map(str::trim_end)
    );
    played.draw(&[], &["> x", "status"]);
    assert_eq!(played.all(), ["said", "> x", "status"]);
    played.draw(&["more"], &["> x", "status"]);
    assert_eq!(played.all(), ["said", "more", "> x", "status"]);
}

/// A full row leaves the cursor behind its last cell: clearing from there would take it.
#[test]
fn full_rows_keep_their_last_cell() {
    let mut played = Played::new(6, 6);
    played.draw(&[], &["abcdef", "123456", "uvwxyz", "ABCDEF"]);
    played.draw(&["finish"], &["abcdef"]);
    assert_eq!(played.all(), ["finish", "abcdef"]);
    played.draw(&[], &["abcdeX"]);
    assert_eq!(played.all(), ["finish", "abcdeX"]);
}

#[test]
fn a_frame_that_changes_nothing_is_no_bytes_and_a_letter_is_few() {
    let mut played = Played::new(80, 24);
    played.draw(&[], &["> hello", "status"]);
    assert_eq!(played.draw(&[], &["> hello", "status"]), 0);
    assert!(played.draw(&[], &["> hellos", "status"]) < 30);
    assert_eq!(played.all(), ["> hellos", "status"]);
}

#[test]
fn a_wide_character_leaves_no_half() {
    let mut played = Played::new(10, 4);
    for line in ["a日b", "ab", "日日", "a日", "abcd", "a日本d", "日"] {
        played.draw(&[], &[line, "status"]);
        assert_eq!(played.all(), [line, "status"]);
    }
}

#[test]
fn another_width_draws_the_live_part_anew_and_keeps_what_was_printed() {
    for (width, height) in [(12, 6), (30, 6), (20, 8), (20, 5), (9, 9)] {
        let mut played = Played::new(20, 6);
        played.draw(&["one", "two"], &["> a", "status"]);
        played.resize(width, height);
        played.draw(&[], &["> a", "status"]);
        let all = played.all();
        assert_eq!(all, ["one", "two", "> a", "status"], "{width}x{height}");
    }
}

/// A terminal that wraps again has moved the rows above the cursor down.
#[test]
fn on_a_narrower_terminal_the_way_up_counts_wrapped_rows() {
    let up = |resizing| {
        let mut inline = Inline::new(resizing);
        let wide = ["12345678901234567890", "日日日日日日", "", "> draft"];
        inline.draw(&frame(&[], &wide, 20), Size::new(20, 10));
        let bytes = inline.draw(&frame(&[], &["x"], 7), Size::new(7, 10));
        let text = String::from_utf8(bytes).expect("text");
        let (up, _) = text.split_once('A').expect("a move up");
        up.trim_start_matches("\x1b[").to_owned()
    };
    // 20 cells in 7: three rows; six wide characters, three in a row: two; one blank row.
    assert_eq!(up(Resizing::Wraps), "6");
    assert_eq!(up(Resizing::Cuts), "3");
}

#[test]
fn clearing_leaves_what_was_printed_and_the_cursor_behind_it() {
    let mut played = Played::new(20, 6);
    played.draw(&["said"], &["? one", "> a", "status"]);
    let bytes = played.inline.clear(played.size);
    played.parser.process(&bytes);
    assert_eq!(played.all(), ["said"]);
    assert_eq!(played.parser.screen().cursor_position(), (1, 0));
    assert!(!played.inline.is_drawn());
}

#[test]
fn terminals_that_cut_are_known_by_their_environment() {
    let of = |env: &[(&str, &str)]| {
        Resizing::of_environment(|name| {
            let found = env.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    };
    assert_eq!(of(&[("TERM", "xterm-256color")]), Resizing::Wraps);
    assert_eq!(of(&[("TERM", "xterm-kitty")]), Resizing::Wraps);
    assert_eq!(of(&[("XTERM_VERSION", "XTerm(390)")]), Resizing::Cuts);
    assert_eq!(of(&[("TERM", "screen"), ("STY", "1.pts")]), Resizing::Cuts);
    assert_eq!(of(&[("TERM", "screen"), ("TMUX", "/x")]), Resizing::Wraps);
    assert_eq!(of(&[("TERM", "linux")]), Resizing::Cuts);
}
