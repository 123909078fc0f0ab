use std::time::Instant;

use proptest::prelude::*;

use super::*;
use crate::{
    text::SafeText,
    ui::{
        offload::Offload,
        render::{Row, line::row_width},
        theme::{Background, Colours, Symbols, Theme},
    },
};

fn context<T>(width: u16, symbols: &Symbols, test: impl FnOnce(&RenderContext<'_>) -> T) -> T {
    test(&RenderContext {
        theme: &Theme::palette(Background::Dark, Colours::Indexed),
        symbols,
        offload: &Offload::immediate(),
        width,
        measure: crate::ui::render::MEASURE,
        indent: 0,
        pictures: crate::picture::Canvas::NONE,
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

const RICH: &str = include_str!("testdata/rich.md");

#[test]
fn a_rich_document_at_20_columns() {
    insta::assert_snapshot!(text(&rows(RICH, 20)));
}

#[test]
fn a_rich_document_at_80_columns() {
    insta::assert_snapshot!(text(&rows(RICH, 80)));
}

#[test]
fn a_rich_document_at_200_columns() {
    insta::assert_snapshot!(text(&rows(RICH, 200)));
}

#[test]
fn a_rich_document_in_ascii() {
    let rows = context(60, &Symbols::ASCII, |ctx| render_whole(RICH, ctx).rows);
    insta::assert_snapshot!(text(&rows));
}

#[test]
fn a_rich_document_in_colour() {
    insta::assert_snapshot!(coloured(&rows(RICH, 80)));
}

/// Rows with each styled part as `[style]text[/]`.
fn coloured(rows: &[Row]) -> String {
    let mut out = String::new();
    for row in rows {
        for span in &row.line.spans {
            let mut words: Vec<String> = Vec::new();
            words.extend(span.style.fg.map(|c| c.to_string().to_lowercase()));
            words.extend(span.style.bg.map(|c| format!("on-{c}").to_lowercase()));
            if !span.style.add_modifier.is_empty() {
                words.push(format!("{:?}", span.style.add_modifier).to_lowercase());
            }
            if words.is_empty() {
                out.push_str(&span.content);
            } else {
                out.push_str(&format!("[{}]{}[/]", words.join(" "), span.content));
            }
        }
        for link in &row.links {
            out.push_str(&format!("  <{:?} {}>", link.columns, link.uri));
        }
        out.push('\n');
    }
    out
}

#[test]
fn no_mark_flashes_while_a_document_arrives() {
    context(60, &Symbols::UNICODE, |ctx| {
        stream(RICH, &[1], |splitter, so_far| {
            let shown = text(&joined(so_far, splitter, ctx));
            for mark in ["**", "~~", "``", "](", "|--", "- [", "##", "\n> ", "[^"] {
                assert!(!shown.contains(mark), "{mark}: {shown}");
            }
        });
    });
}

#[test]
fn what_stands_does_not_move_when_more_comes() {
    // Each row that is followed by a blank row and then two more has its final place.
    context(60, &Symbols::UNICODE, |ctx| {
        let last = text(&rows(RICH, 60));
        stream(RICH, &[3], |splitter, so_far| {
            let done: Vec<_> = splitter.segments().iter().filter(|s| s.done).collect();
            let rows: Vec<Row> = done
                .into_iter()
                .flat_map(|segment| render(so_far, segment, splitter.defs(), ctx).rows)
                .collect();
            assert!(last.starts_with(&text(&rows)));
        });
    });
}

#[test]
fn tabs_are_columns() {
    let rows = rows("```\n   780\t#[test]\n\tindented\n```\n\ncol\tumn end", 40);
    assert_eq!(
        text(&rows),
        "   780  #[test]\n    indented\n\ncol umn end\n"
    );
}

#[test]
fn no_cell_of_a_wide_table_is_lost() {
    let table = "| alpha | beta | gamma | delta | epsilon |\n|---|---|---|---|---|\n\
        | CELL-A1 long words here | CELL-B1 more words | CELL-C1 even more | CELL-D1 and more | CELL-E1 the end |\n\
        | CELL-A2 | CELL-B2 | CELL-C2 | CELL-D2 | CELL-E2 |\n";
    for width in [10, 20, 40, 60, 100, 200] {
        let shown = text(&rows(table, width));
        for column in ["A", "B", "C", "D", "E"] {
            for row in ["1", "2"] {
                assert!(
                    shown.contains(&format!("CELL-{column}{row}")),
                    "{width}: {shown}"
                );
            }
        }
    }
    insta::assert_snapshot!(text(&rows(table, 60)));
}

#[test]
fn control_characters_in_a_url_are_no_link() {
    let source = "see https://x.test/\u{7}\u{1b}]52;c;UFdORUQ=\u{7}evil and \
        [t](https://y.test/\u{1b}\\\u{1b}]0;PWNED\u{7}) and [e](https://z.test/&#27;]0;) end";
    let rows = rows(source, 200);
    assert!(rows.iter().all(|row| row.links.is_empty()));
    assert!(text(&rows).contains("end"));
}

#[test]
fn entities_bring_no_control_characters_back() {
    let shown = text(&rows("a&#27;[2Jb &#x202e;c `&#27;` &#7;", 80));
    assert_eq!(shown, "a␛[2Jb <U+202E>c &#27; ␇\n");
}

#[test]
fn links_know_their_columns_and_tell_their_target() {
    let rows = rows("a [page](https://x.test/p) and https://y.test.", 80);
    assert_eq!(
        text(&rows),
        "a page (https://x.test/p) and https://y.test.\n"
    );
    let links: Vec<_> = rows[0]
        .links
        .iter()
        .map(|link| (link.columns.clone(), link.uri.as_ref()))
        .collect();
    assert_eq!(
        links,
        [(2..25, "https://x.test/p"), (30..44, "https://y.test")]
    );
}

#[test]
fn a_definition_serves_the_segments_after_it() {
    let source = "[a]: https://x.test\n\nSee [A].\n\nAgain [text][a].\n";
    let shown = text(&rows(source, 80));
    assert_eq!(
        shown,
        "See A (https://x.test).\n\nAgain text (https://x.test).\n"
    );
}

#[test]
fn without_colours_code_keeps_its_marks() {
    let offload = Offload::immediate();
    let ctx = RenderContext {
        theme: &Theme::palette(Background::Unknown, Colours::None),
        symbols: &Symbols::UNICODE,
        offload: &offload,
        width: 40,
        measure: crate::ui::render::MEASURE,
        indent: 0,
        pictures: crate::picture::Canvas::NONE,
        now: Instant::now(),
    };
    assert_eq!(text(&render_whole("run `ls`", &ctx).rows), "run `ls`\n");
}

#[test]
fn deep_nesting_is_bounded() {
    for source in [
        ">".repeat(3_000) + " a",
        "- ".repeat(3_000) + "a",
        "[".repeat(3_000) + "a",
        "*a ".repeat(3_000),
    ] {
        for row in rows(&source, 30) {
            assert!(row_width(&row) <= 30);
        }
    }
}

#[test]
fn a_code_block_is_cut_into_pieces_that_go_on_in_colour() {
    let mut source = String::from("```rust\n/* open\n");
    source.extend((0..300).map(|n| format!("line {n}\n")));
    source.push_str("*/ fn x() {}\n```\nafter\n");
    let splitter = stream(&source, &[100], |_, _| {});
    assert_eq!(splitter.segments().len(), 6);
    context(40, &Symbols::UNICODE, |ctx| {
        let shown = joined(&source, &splitter, ctx);
        assert_eq!(shown.len(), 1 + 302 + 2);
        let comment = ctx.theme.syntax.comment;
        assert_eq!(shown[200].line.spans[0].style, comment);
        let last = coloured(&shown[302..303]);
        assert!(last.contains("*/[/]") && last.contains("fn[/]"), "{last}");
    });
}

/// The most that is parsed to take in documents that consist of one block, per byte.
#[test]
fn one_block_without_an_end_costs_no_more_per_byte_the_longer_it_gets() {
    let line = "some words of *text* in a line\n";
    let kinds: [(&str, &str, String); 7] = [
        ("paragraph", "", line.to_owned()),
        ("one line", "", "some words of *text* ".to_owned()),
        ("list", "", format!("- {line}")),
        ("nested list", "- a\n", format!("  - {line}")),
        ("quote", "", format!("> {line}")),
        (
            "table",
            "| a | b |\n|---|---|\n",
            "| some | words |\n".to_owned(),
        ),
        (
            "fence",
            "```rust\n",
            "let x = 1; // some words\n".to_owned(),
        ),
    ];
    for (kind, head, unit) in kinds {
        let mut parsed = Vec::new();
        for count in [10_000, 20_000] {
            let source = format!("{head}{}", unit.repeat(count));
            let splitter = stream(&source, &[37], |splitter, _| {
                let open = splitter.segments().last().expect("something");
                assert!(open.range.len() <= 150 * 1024, "{kind}");
            });
            parsed.push(splitter.parsed_bytes);
        }
        assert!(
            parsed[1] * 10 <= parsed[0] * 22 + 10_000,
            "{kind}: {parsed:?}"
        );
    }
}

#[test]
fn a_long_table_goes_on_under_the_same_head() {
    let mut source = String::from("| name | value |\n|------|------:|\n");
    source.extend((0..200).map(|n| format!("| row {n:03} | {n} |\n")));
    source.push_str("\nafter\n");
    let mut shown = String::new();
    context(40, &Symbols::UNICODE, |ctx| {
        let splitter = stream(&source, &[5], |splitter, so_far| {
            let rows = text(&joined(so_far, splitter, ctx));
            assert!(rows.lines().skip(2).all(|row| !row.contains('─')), "{rows}");
        });
        assert!(splitter.segments().len() > 3);
        shown = text(&joined(&source, &splitter, ctx));
    });
    assert_eq!(shown.lines().count(), 2 + 200 + 2);
    assert_eq!(shown.lines().nth(2 + 150), Some("row 150 │   150"));
}
