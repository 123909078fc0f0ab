//! Odd texts around the bounds of all renderers, in each kind of block: nothing is drawn by its
//! fallback, and no row is too wide.

use std::time::Duration;

use proptest::prelude::*;
use ratatui::{buffer::Buffer, layout::Rect};

use super::{samples::*, *};
use crate::{
    model::{ContentBlock, Meta, PlanStatus, RawJson, ToolContent, ToolKind},
    session::{BlockKind, NoticeLevel, ToolState, UserMessage},
    text::{
        SafeText, cell_width, expand_tabs, first_bytes, is_grapheme_boundary, last_bytes,
        prefix_of_width, sanitize, truncate_to_width, without_colours,
    },
    ui::{
        contain,
        render::{
            line::{StyledLine, Wrapping, row_width, spread},
            testing::Stage,
        },
    },
};

/// Bytes at which something is cut: what a panic quotes, a line whose words are compared, one that is
/// laid out, a piece of code, prose.
const BOUNDS: [usize; 6] = [200, 1 << 10, 4 << 10, 16 << 10, 32 << 10, 64 << 10];

const PIECES: &[&str] = &[
    "a",
    "word ",
    "é",
    "日本",
    "👩",
    "👩\u{200d}👧",
    "e\u{301}",
    "\u{301}",
    " ",
    "\t",
    "\u{a0}",
    "/",
    ".",
    "`",
    "\u{1b}[31m",
    "\u{202e}",
    "\u{feff}",
    "｡",
    "ﾞ",
    "🇩🇪",
    "नि",
    "\r",
    "-",
    "ᄀ",
];

/// About `len` bytes of lines of about `line` bytes.
fn odd(len: usize, line: usize, fill: &str) -> String {
    let mut text = String::with_capacity(len + 8);
    let mut in_line = 0;
    while text.len() + fill.len() <= len {
        text.push_str(fill);
        in_line += fill.len();
        if in_line >= line {
            text.push('\n');
            in_line = 0;
        }
    }
    text.extend(std::iter::repeat_n('x', len.saturating_sub(text.len())));
    text
}

/// A block of each kind that holds the text somewhere.
fn blocks(world: &mut World, text: &str, other: &str) -> Vec<BlockKind> {
    let now = world.stage.now;
    let mut blocks = vec![
        user(text),
        BlockKind::User(UserMessage {
            text: SafeText::new(text),
            attached: Vec::new(),
            refused: true,
            steered: None,
            meta: Meta::default(),
        }),
        agent(text, true),
        agent(text, false),
        thought(text, now, None),
        thought(text, now, Some(Duration::from_secs(1))),
        notice(NoticeLevel::Error, first_bytes(text, 300), Some(text)),
        BlockKind::Plan(vec![entry(first_bytes(text, 5_000), PlanStatus::Pending)]),
    ];
    for kind in [
        ToolKind::Read,
        ToolKind::Execute,
        ToolKind::Think,
        ToolKind::Other,
    ] {
        let mut said = call(kind, text, now);
        said.content = vec![text_piece(text)];
        said.raw_input = Some(RawJson(text.into()));
        blocks.push(tool(said));
    }
    let mut ran = call(ToolKind::Execute, "x", now);
    ran.command = Some(text.to_owned());
    ran.state = ToolState::Failed;
    ran.raw_output = Some(RawJson(text.into()));
    blocks.push(tool(ran));
    let mut edit = call(ToolKind::Edit, "x", now);
    edit.locations = vec![at(first_bytes(text, 5_000), Some(3))];
    edit.content = vec![
        diff_piece("a.rs", Some(text), other),
        diff_piece(first_bytes(text, 300), None, text),
    ];
    blocks.push(tool(edit));
    world.terminal("t", "x", text, Some(1));
    let mut shows = call(ToolKind::Execute, "x", now);
    shows.content = vec![ToolContent::Terminal(crate::model::TerminalId::new("t"))];
    blocks.push(tool(shows));
    blocks.push(BlockKind::Content(ContentBlock::Text(SafeText::new(text))));
    blocks
}

fn draw(world: &World, width: u16, details: bool) {
    let mut view = TranscriptView::default();
    if details {
        view.toggle_details();
    }
    for _ in 0..6 {
        world.sync(&mut view, width, 30);
        let mut buf = Buffer::empty(Rect::new(0, 0, width, 30));
        view.draw(buf.area, &mut buf, &world.stage.ctx(width));
        for row in view.shown.iter().flat_map(|shown| shown.rows.iter()) {
            // Below that the screen says that it is too small, and rows are cut.
            let fits = width < 39 || row_width(row) <= usize::from(width);
            assert!(fits, "{}", row.line);
        }
        view.scroll(Scroll::Lines(-25));
    }
    assert_eq!(contain::take_told(), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn each_kind_of_block_takes_any_text_around_any_bound(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 1..4),
        bound in prop::sample::select(&BOUNDS[..]),
        off in 0_usize..9,
        lines in prop::sample::select(vec![7_usize, 80, 4_096, 4_099, usize::MAX]),
        at in 0_usize..20,
        width in prop::sample::select(vec![1_u16, 7, 39, 40, 80, 141]),
        details in any::<bool>(),
    ) {
        let fill = pieces.concat();
        let text = odd(bound + off - 4, lines, &fill);
        let cut = text.floor_char_boundary(text.len() / 2);
        let other = format!("{}other {}", &text[..cut], &text[cut..]);
        let mut world = World::new(Stage::dark());
        let mut kinds = blocks(&mut world, &text, &other);
        let kind = kinds.swap_remove(at % kinds.len());
        world.transcript.push_for_test(kind);
        draw(&world, width, details);
    }

    #[test]
    fn parts_of_texts_are_cut_between_what_belongs_together(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..12),
        most in 0_usize..60,
    ) {
        let raw = pieces.concat();
        let safe = sanitize(&raw);
        for part in [first_bytes(&raw, most), last_bytes(&raw, most)] {
            prop_assert!(part.len() <= most && raw.contains(part));
        }
        let expanded = expand_tabs(&safe, most).replace('\n', " ");
        for part in [prefix_of_width(&expanded, most), &truncate_to_width(&expanded, most)] {
            prop_assert!(cell_width(part) <= most);
        }
        prop_assert!(is_grapheme_boundary(&expanded, prefix_of_width(&expanded, most).len()));
        prop_assert!(without_colours(&raw).len() <= raw.len());
    }

    #[test]
    fn lines_of_any_parts_wrap_to_rows_that_fit_and_lose_nothing(
        parts in prop::collection::vec((prop::sample::select(PIECES), any::<bool>()), 0..30),
        (from, to) in (0_usize..80, 0_usize..80),
        width in 1_usize..30,
        prefix in 0_usize..12,
    ) {
        let mut line = StyledLine::new();
        for (text, bold) in &parts {
            let style = ratatui::style::Style::new();
            let style = if *bold { style.bold() } else { style };
            line.push(&sanitize(text), style);
        }
        prop_assert_eq!(line.width(), cell_width(line.text()));
        line.patch(from.min(to)..from.max(to), ratatui::style::Style::new().italic());
        let indent = StyledLine::styled(&" ".repeat(prefix), ratatui::style::Style::new());
        for wrapping in [Wrapping::Words, Wrapping::Hard, Wrapping::Verbatim] {
            for row in line.wrap_with(wrapping, width, &indent, &indent) {
                prop_assert!(row_width(&row) <= width);
            }
        }
        let none = StyledLine::new();
        let wide = line.wrap_with(Wrapping::Hard, 2 * line.width().max(1), &none, &none);
        let text: String = wide.iter().map(|row| row.line.to_string()).collect();
        prop_assert_eq!(text, line.text());
        prop_assert!(row_width(&line.truncate(width, "…")) <= width);
        prop_assert!(row_width(&spread(&line, &indent, width, "…")) <= width);
    }
}
