use std::time::Instant;

use proptest::prelude::*;

use super::*;
use crate::{
    text::SafeText,
    ui::{
        offload::Offload,
        render::{Row, line::row_width},
        theme::{Background, Symbols, Theme},
    },
};

fn context<T>(width: u16, symbols: &Symbols, test: impl FnOnce(&RenderContext<'_>) -> T) -> T {
    test(&RenderContext {
        theme: &Theme::palette(Background::Dark, true),
        symbols,
        offload: &Offload::immediate(),
        width,
        now: Instant::now(),
    })
}

fn rows(source: &str, width: u16) -> Vec<Row> {
    let source = SafeText::new(source);
    context(width, &Symbols::UNICODE, |ctx| {
        render_whole(&source, ctx).rows
    })
}

fn text(rows: &[Row]) -> String {
    rows.iter().map(|row| format!("{}\n", row.line)).collect()
}

fn segment_texts<'a>(splitter: &Splitter, source: &'a str) -> Vec<&'a str> {
    splitter
        .segments()
        .iter()
        .map(|segment| &source[segment.range.clone()])
        .collect()
}

/// Feeds `source` in pieces of `sizes` bytes, over and over.
fn stream(source: &str, sizes: &[usize], mut each: impl FnMut(&Splitter, &str)) -> Splitter {
    let mut splitter = Splitter::default();
    let mut sizes = sizes.iter().cycle();
    let mut end = 0;
    while end < source.len() {
        end = (end + sizes.next().unwrap_or(&1)).min(source.len());
        while !source.is_char_boundary(end) {
            end += 1;
        }
        splitter.update(&source[..end]);
        each(&splitter, &source[..end]);
    }
    splitter.finish(source);
    splitter
}

/// As one segment: what the parser makes of all of it.
fn whole_parse(source: &str, defs: &LinkDefs, ctx: &RenderContext<'_>) -> Vec<Row> {
    let all = Segment {
        range: 0..source.len(),
        done: true,
        gap: false,
        shape: Shape::Blocks,
    };
    render(source, &all, defs, ctx).rows
}

fn joined(source: &str, splitter: &Splitter, ctx: &RenderContext<'_>) -> Vec<Row> {
    let parts = splitter.segments().iter();
    parts
        .flat_map(|segment| render(source, segment, splitter.defs(), ctx).rows)
        .collect()
}

fn document() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "word ",
        "a",
        "\n",
        "\n",
        "\n\n",
        "# ",
        "## h\n",
        "- ",
        "\n- ",
        "\n  - ",
        "1. ",
        "\n2) ",
        "* ",
        "> ",
        "\n> ",
        "```",
        "\n```rust\n",
        "\n```\n",
        "~~~\n",
        "let x = 1;\n",
        "    ",
        "\t",
        "---\n",
        "===\n",
        "| a | b |\n",
        "|---|:-:|\n",
        "| 1 | 2 |\n",
        "**",
        "*",
        "_",
        "`",
        "``",
        "~~",
        "[",
        "](https://x.test)",
        "[x]: https://y.test\n\n",
        "[x]",
        "[^1]",
        "\n[^1]: note\n",
        "<b>",
        "</b>\n",
        "<div>\n",
        "<!-- c\n",
        "-->",
        "&amp;",
        "&#27;",
        "\\",
        "  \n",
        "日本語",
        "é",
        "👩‍👩‍👧",
        "https://x.test/a",
        "- [ ] ",
        "- [x] t\n",
        "![i](j)",
        "[!NOTE]\n",
        "+ ",
        "10. ",
        "<br>",
        "| x",
        "|",
        "$",
        "\n   ",
        "\n      ",
        "x\n",
        "'t\n",
        "\"",
        ":",
        "\n\n\n",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn a_streamed_document_looks_like_one_parsed_whole(
        source in document(),
        sizes in prop::collection::vec(1_usize..40, 1..6),
    ) {
        // Info strings are shown as written; a closing fence may have a tab behind it.
        let odd = |line: &str| {
            (line.contains("```") || line.contains("~~~")) && line.contains(['&', '\\', '\t'])
        };
        prop_assume!(!source.lines().any(odd));
        // Whether a sign is one decides whether what is around it is a link.
        prop_assume!(!(source.contains("[^1]: ") && source.contains("](")));
        context(40, &Symbols::UNICODE, |ctx| {
            let splitter = stream(&source, &sizes, |_, _| {});
            let streamed = text(&joined(&source, &splitter, ctx));
            let whole = text(&whole_parse(&source, splitter.defs(), ctx));
            // Blanks before the end of an unclosed fence are nobody's.
            prop_assert_eq!(streamed.trim(), whole.trim());
            Ok(())
        })?;
    }

    #[test]
    fn what_is_committed_never_changes_and_chunks_do_not_matter(
        source in document(),
        sizes in prop::collection::vec(1_usize..40, 1..6),
    ) {
        let mut committed: Vec<Segment> = Vec::new();
        let streamed = stream(&source, &sizes, |splitter, so_far| {
            let done: Vec<_> = splitter.segments().iter().filter(|s| s.done).cloned().collect();
            assert!(done.starts_with(&committed));
            let open = splitter.segments().len() - done.len();
            assert!(open <= 1);
            let mut at = 0;
            for segment in splitter.segments() {
                assert!(segment.range.start >= at && segment.range.end <= so_far.len());
                at = segment.range.end;
            }
            committed = done;
        });
        let mut at_once = Splitter::default();
        at_once.finish(&source);
        prop_assert_eq!(streamed.segments(), at_once.segments());
    }

    #[test]
    fn rows_fit_at_every_width_and_moment(
        source in document(),
        width in 1_u16..24,
        ascii in any::<bool>(),
    ) {
        let symbols = if ascii { &Symbols::ASCII } else { &Symbols::UNICODE };
        context(width, symbols, |ctx| {
            let source = SafeText::new(&source);
            stream(&source, &[7], |splitter, so_far| {
                for row in joined(so_far, splitter, ctx) {
                    assert!(row_width(&row) <= usize::from(width), "{:?}", row.line.to_string());
                    assert!(!row.line.to_string().contains(char::is_control));
                }
            });
        });
    }
}
