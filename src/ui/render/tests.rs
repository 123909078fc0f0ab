//! How the smaller renderers look at 20, 80 and 200 columns.

use ratatui::style::Modifier;

use super::{
    excerpt::{Excerpt, Keep, unfenced},
    line::{StyledLine, Wrapping},
    terminal::{render_screen, render_terminal_header},
    testing::{Stage, coloured, text},
};
use crate::{model::ExitStatus, session::TerminalInfo, text::SafeText, vt::Screen};

#[test]
fn a_terminal_shows_its_end_in_colour() {
    let mut screen = Screen::new(24, 80);
    for n in 0..40 {
        screen.feed(format!("row {n} \x1b[1;32mok\x1b[0m \x1b[7m!\x1b[0m\r\n").as_bytes());
    }
    let stage = Stage::dark();
    insta::assert_snapshot!(coloured(&render_screen(&screen, 4, None, &stage.ctx(80))));
    // Rows that are too wide are wrapped, not lost.
    screen.feed("x".repeat(70).as_bytes());
    let narrow = text(&render_screen(&screen, 10, None, &stage.ctx(20)), 20);
    assert_eq!(narrow.matches('x').count(), 70, "{narrow}");
}

#[test]
fn an_excerpt_never_leaves_out_one_line_for_a_row_that_says_so() {
    let stage = Stage::dark();
    let excerpt = |keep, text: &str| {
        let excerpt = Excerpt {
            keep,
            max_rows: 3,
            wrapping: Wrapping::Hard,
            style: stage.theme.text,
        };
        let rows = excerpt.rows(text, 20, &stage.ctx(20));
        super::testing::text(&rows, 20)
            .replace(['|', ' '], "")
            .replace('\n', ",")
    };
    assert_eq!(excerpt(Keep::Head, "a\nb\nc\nd\n"), "a,b,c,d,");
    assert_eq!(excerpt(Keep::Head, "a\nb\nc\nd\ne\n"), "a,b,c,+2lines,");
    assert_eq!(excerpt(Keep::Tail, "a\nb\nc\nd\n"), "a,b,c,d,");
    assert_eq!(excerpt(Keep::Tail, "a\nb\nc\nd\ne\n"), "+2lines,c,d,e,");
    assert_eq!(excerpt(Keep::Head, ""), ",");
}

#[test]
fn a_fence_around_a_whole_output_is_taken_off() {
    let bare = |text: &str| {
        let text = SafeText::new(text);
        let (body, info) = unfenced(&text);
        (body.to_owned(), info.to_owned())
    };
    assert_eq!(
        bare("```rust\nfn a() {}\n```"),
        ("fn a() {}\n".into(), "rust".into())
    );
    assert_eq!(
        bare("````\n```\nx\n```\n````\n"),
        ("```\nx\n```\n".into(), String::new())
    );
    for other in ["plain", "```a\nx\n```\nand\n```\ny\n```", "```\nopen"] {
        assert_eq!(bare(other).0, other);
    }
}

#[test]
fn how_a_command_ended_is_seen_however_long_it_is() {
    let stage = Stage::dark();
    let info = |code| TerminalInfo {
        command: "cargo test --workspace --all-features --no-fail-fast".into(),
        cwd: "/src".into(),
        exit: Some(ExitStatus {
            code: Some(code),
            signal: None,
        }),
        ..TerminalInfo::new(stage.now)
    };
    let header = |code, title, width| {
        let row = render_terminal_header(&info(code), title, true, &stage.ctx(width));
        row.map(|row| text(&[row], width))
    };
    assert_eq!(
        header(101, "tests", 30).as_deref(),
        Some("|$ cargo test --wor… · exit 101|\n")
    );
    assert_eq!(
        header(0, "tests", 30).as_deref(),
        Some("|$ cargo test --workspace --al…|\n")
    );
    let titled = "cargo test --workspace --all-features --no-fail-fast";
    assert_eq!(
        header(101, titled, 30).as_deref(),
        Some("|exit 101                      |\n")
    );
    assert_eq!(header(0, titled, 30), None);
    let silent = TerminalInfo {
        exit: Some(ExitStatus::default()),
        ..info(0)
    };
    let said = |ran| {
        let row = render_terminal_header(&silent, titled, ran, &stage.ctx(30));
        row.map(|row| text(&[row], 30))
    };
    assert_eq!(
        said(true).as_deref(),
        Some("|ended                         |\n")
    );
    assert_eq!(
        said(false).as_deref(),
        Some("|not run                       |\n")
    );
}

/// Where selection turns colours round, several on one row would be patches, and dim ones unreadable.
#[test]
fn a_selected_row_is_one_piece_in_every_theme() {
    use crate::ui::theme::{Background, Colours, Theme};
    for background in [Background::Unknown, Background::Dark, Background::Light] {
        for colours in [Colours::None, Colours::Indexed, Colours::True] {
            let theme = Theme::palette(background, colours);
            let mut line = StyledLine::styled("❯ ", theme.accent);
            line.push("name", theme.text.bold());
            line.push("  what it is", theme.dim);
            line.push("  F6", theme.key_hint);
            let mut row = line.into_row();
            super::line::select(&mut row, 30, theme.selected);
            let styles = row.line.spans.iter().map(|span| span.style);
            let reversed = theme.selected.add_modifier.contains(Modifier::REVERSED);
            for style in styles {
                assert_eq!(style.bg, theme.selected.bg, "{background:?} {colours:?}");
                assert!(
                    !reversed || style.fg.is_none(),
                    "{background:?} {colours:?}"
                );
                assert!(!reversed || !style.add_modifier.contains(Modifier::DIM));
                assert!(style.add_modifier.contains(theme.selected.add_modifier));
            }
        }
    }
}
