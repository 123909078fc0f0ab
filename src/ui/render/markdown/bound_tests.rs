//! Texts around every bound of the splitter and of what draws its segments, in each kind of block.

use std::time::Instant;

use proptest::prelude::*;

use super::{
    split::{CODE_BYTES, MAX_BLOCK, MAX_PARAGRAPH, PARSE_EAGERLY, SETTLED_LINE, STEP, TABLE_ROWS},
    *,
};
use crate::{
    text::SafeText,
    ui::{
        offload::Offload,
        render::{Row, line::row_width},
        theme::{Background, Colours, Symbols, Theme},
    },
};

const WIDTH: u16 = 60;

/// What begins each kind of block, with what ends it.
const KINDS: &[(&str, &str)] = &[
    ("", "\n\nafter\n"),
    ("```", "\n```\nafter\n"),
    ("```", "\ncode\n"),
    ("~~~ ", "\n~~~\nafter\n"),
    ("   ```rust\n", "\n   ```\nafter\n"),
    ("```\n", "\n```\nafter\n"),
    ("```\n```", "\nafter\n"),
    ("    ", "\n\nafter\n"),
    ("\t", "\n\nafter\n"),
    ("- ", "\n- after\n"),
    ("- a\n  - ", "\n"),
    ("- a\n\n      ", "\n- b\n"),
    ("- ```", "\n  code\n  ```\n"),
    ("1. ", "\n2. after\n"),
    ("- [ ] ", "\n- [x] b\n"),
    ("> ", "\n\nafter\n"),
    ("> - > ", "\n"),
    ("> ```", "\n> ```\n"),
    ("> [!NOTE]\n> ", "\n\nafter\n"),
    ("# ", "\nafter\n"),
    ("| a | b |\n|---|---|\n| ", " | x |\n| 1 | 2 |\n"),
    ("| ", " |\n|---|\n| x |\n"),
    ("<div>\n", "\n</div>\n\nafter\n"),
    ("<!-- ", "-->\nafter\n"),
    ("<a href=\"", "\">\nafter\n"),
    ("[x]: ", "\n\n[x]\n"),
    ("[x]: https://x.test/", " \"t\"\n\n[x]\n"),
    ("[x]: u\n```", "\n```\n"),
    ("[^1]: ", "\n\nnote[^1]\n"),
    ("a[^", "]\n"),
    ("**", "**\n"),
    ("`", "`\n"),
    ("[", "](https://x.test)\n"),
    ("![", "](i)\n"),
    ("[a](https://x.test/", ")\n"),
    ("https://x.test/", " b\n"),
    ("a\n===\n", "\n===\n"),
];

/// What the block is filled with, over and over.
const FILLS: &[&str] = &[
    "a",
    "é",
    "日",
    "👩",
    "e\u{301}",
    "👩\u{200d}👧",
    " ",
    "`",
    "~",
    "word ",
    "日本 語",
    "x\n",
    "é\r\n",
    "> ",
    "- ",
    "| ",
    "*a ",
    "_",
    "[",
    "]",
    "(",
    "\\",
    "<b>",
    "1",
    "\t",
    "\u{301}",
    "\n",
    "http://a ",
    "|",
    "-",
    "=\n",
];

fn filled(begin: &str, fill: &str, len: usize, end: &str) -> String {
    let mut text = String::with_capacity(len + begin.len() + end.len() + fill.len());
    text.push_str(begin);
    while text.len() + fill.len() <= len {
        text.push_str(fill);
    }
    // To the byte: what is missing is of one byte each.
    text.extend(std::iter::repeat_n('x', len.saturating_sub(text.len())));
    text.push_str(end);
    text
}

fn with_context(test: impl FnOnce(&RenderContext<'_>)) {
    test(&RenderContext {
        theme: &Theme::palette(Background::Dark, Colours::Indexed),
        symbols: &Symbols::UNICODE,
        offload: &Offload::immediate(),
        width: WIDTH,
        measure: crate::ui::render::MEASURE,
        indent: 0,
        pictures: crate::picture::Canvas::NONE,
        now: Instant::now(),
    });
}

fn last_rows(source: &str, splitter: &Splitter, ctx: &RenderContext<'_>) -> Vec<Row> {
    let parts = splitter.segments().iter().rev().take(2);
    parts
        .flat_map(|segment| render(source, segment, splitter.defs(), ctx).rows)
        .collect()
}

fn assert_fits(rows: &[Row]) {
    for row in rows {
        assert!(row_width(row) <= usize::from(WIDTH));
    }
}

/// Feeds all but the last `slowly` bytes at once and those by the character; draws what stands at
/// each step if `draws`.
fn streamed(source: &str, slowly: usize, draws: bool, ctx: &RenderContext<'_>) -> Splitter {
    let mut splitter = Splitter::default();
    let from = source.floor_char_boundary(source.len().saturating_sub(slowly));
    for end in (from..=source.len()).filter(|end| source.is_char_boundary(*end)) {
        splitter.update(&source[..end]);
        if draws {
            assert_fits(&last_rows(&source[..end], &splitter, ctx));
        }
    }
    splitter.finish(source);
    splitter
}

fn check(source: &str, slowly: usize, draws: bool) {
    with_context(|ctx| {
        let by_character = streamed(source, slowly, draws, ctx);
        let mut at_once = Splitter::default();
        at_once.finish(source);
        assert_eq!(by_character.segments(), at_once.segments());
        let mut at = 0;
        for segment in at_once.segments() {
            assert!(segment.range.start >= at, "{segment:?}");
            at = segment.range.end;
            if let Shape::Code(piece) = &segment.shape {
                assert!(piece.body.start <= piece.body.end, "{segment:?}");
            }
        }
        assert_eq!(at, source.len());
        if draws {
            assert_fits(&last_rows(source, &at_once, ctx));
        }
    });
}

/// A line of 16,381 bytes behind three backticks once ended the program, at each opening.
#[test]
fn an_info_string_as_long_as_a_piece_of_code_is_shown_and_breaks_nothing() {
    for len in CODE_BYTES - 6..=CODE_BYTES + 6 {
        for fill in ["x", "é", "日", "👩", " "] {
            for end in ["", "\n", "\ncode\n```\nafter\n"] {
                check(&filled("```", fill, len, end), 8, true);
            }
        }
    }
    with_context(|ctx| {
        let source = format!("```{}END\nlet x = 1;\n```\nafter\n", "x".repeat(16_381));
        let rows = render_whole(&source, ctx).rows;
        let shown: String = rows.iter().map(|row| row.line.to_string()).collect();
        assert!(shown.contains("END") && shown.contains("let x"), "{shown}");
    });
}

#[test]
fn a_short_info_string_is_none_of_the_code() {
    with_context(|ctx| {
        for len in [SETTLED_LINE - 1, SETTLED_LINE, SETTLED_LINE + 1] {
            let source = format!("```{}\ncode\n```\n", "x".repeat(len));
            let rows = render_whole(&source, ctx).rows;
            // The label, the rest of the line where it is too long, the code.
            assert_eq!(rows.len(), if len > SETTLED_LINE { 3 } else { 2 });
        }
    });
}

#[test]
fn every_bound_holds_in_each_kind_of_block() {
    let bounds = [SETTLED_LINE, PARSE_EAGERLY, STEP, MAX_PARAGRAPH];
    for (n, (begin, end)) in KINDS.iter().enumerate() {
        for (m, bound) in bounds.into_iter().enumerate() {
            // Each fill meets each kind and bound at one of the places around it.
            for (k, fill) in FILLS.iter().enumerate() {
                let off = (n + m + k) % 3;
                check(&filled(begin, fill, bound - 1 + off, end), 6, false);
            }
        }
    }
}

#[test]
fn blocks_at_the_bound_of_the_largest_are_cut() {
    for (begin, fill) in [
        ("> ", "a\n> "),
        ("<div>\n", "é\n"),
        ("- ", "words\n  "),
        ("# ", "日"),
        ("| a |\n|---|\n| ", "é"),
        ("", "\n"),
    ] {
        for len in MAX_BLOCK - 1..=MAX_BLOCK + 1 {
            check(&filled(begin, fill, len, "\n\nafter\n"), 12, false);
        }
    }
}

// Where it came by and by, its rows from the bound on were once taken for a paragraph and cut no more.
#[test]
fn a_long_table_behind_definitions_is_one_table() {
    with_context(|ctx| {
        for rows in [TABLE_ROWS - 1, TABLE_ROWS, TABLE_ROWS + 1, 3 * TABLE_ROWS] {
            for table in ["| a | b |\n|---|---|\n", "   | a | b |\n   |---|---|\n"] {
                let table = format!("{table}{}", "| 1 | 2 |\n".repeat(rows));
                let shown = |source: &str| -> Vec<String> {
                    let rows = render_whole(source, ctx).rows;
                    rows.iter().map(|row| row.line.to_string()).collect()
                };
                let alone = shown(&table);
                for before in ["[x]: u\n", "[x]: u\n[y]: v\n"] {
                    let source = format!("{before}{table}");
                    assert_eq!(shown(&source), alone, "{rows} behind {before:?}");
                    // By the character: what comes behind the first pieces is parsed with the head.
                    check(&source, source.len(), false);
                }
            }
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn around_each_bound_nothing_breaks_and_chunks_do_not_matter(
        before in prop::sample::select(vec!["", "para\n\n", "- item\n\n", "```\ncode\n```\n", "| a |\n|--|\n", "[x]: u\n"]),
        (begin, end) in prop::sample::select(KINDS),
        fills in prop::collection::vec(prop::sample::select(FILLS), 1..4),
        bound in prop::sample::select(vec![200, SETTLED_LINE, PARSE_EAGERLY, STEP, MAX_PARAGRAPH, MAX_PARAGRAPH + SETTLED_LINE]),
        off in 0_usize..9,
        sizes in prop::collection::vec(1_usize..3_000, 1..6),
    ) {
        let fill = fills.concat();
        let body = filled(begin, &fill, bound + off - 4, end);
        let source = SafeText::new(&format!("{before}{body}"));
        with_context(|ctx| {
            let mut splitter = Splitter::default();
            let (mut to, mut sizes) = (0, sizes.iter().cycle());
            while to < source.len() {
                to = source.ceil_char_boundary(to + sizes.next().unwrap_or(&1));
                splitter.update(&source[..to]);
                assert_fits(&last_rows(&source[..to], &splitter, ctx));
            }
            splitter.finish(&source);
            assert_fits(&last_rows(&source, &splitter, ctx));
            let mut at_once = Splitter::default();
            at_once.finish(&source);
            assert_eq!(splitter.segments(), at_once.segments());
        });
    }
}
