//! A segment's text as it reads once rendered: without the signs of the markup, a line for each
//! line that rendering begins anew. What find looks through.

use std::{borrow::Cow, ops::Range};

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::{
    LinkDefs, OPTIONS,
    block::shown_body,
    inline::is_line_break,
    link,
    mend::mend,
    split::{Segment, Shape, TABLE_ROWS},
};

/// Appends the segment's text, and a line end behind it.
pub fn plain(source: &str, segment: &Segment, defs: &LinkDefs, out: &mut String) {
    let part = |range: Range<usize>| source.get(range).unwrap_or_default();
    let open = part(segment.range.clone());
    match &segment.shape {
        Shape::Code(piece) => {
            if piece.is_first() {
                label(part(piece.info.clone()), out);
            }
            out.push_str(&piece.fence.code(shown_body(source, piece, segment.done)));
        }
        Shape::Plain => out.push_str(open),
        shape => {
            let rows = matches!(shape, Shape::Rows { .. });
            let text = match segment.done {
                true => Cow::Borrowed(open),
                false => mend(open, rows),
            };
            match shape {
                Shape::Rows { head } => {
                    let text = format!("{}{text}", part(head.clone()));
                    Plain::new(out, Some(TABLE_ROWS)).markdown(&text, defs);
                }
                _ => Plain::new(out, None).markdown(&text, defs),
            }
        }
    }
    end_line(out);
}

/// Whether each line of [`plain`] is a part of a line of the segment's source, so that words which stand in
/// no line of the source stand in none of its lines.
pub fn reads_as_written(source: &str, segment: &Segment) -> bool {
    match segment.shape {
        Shape::Code(_) | Shape::Plain => true,
        Shape::Rows { .. } => false,
        Shape::Blocks | Shape::Item { .. } => {
            let text = source.get(segment.range.clone()).unwrap_or_default();
            !joins_words(text.as_bytes())
        }
    }
}

/// Whether there are signs that may be left out of the middle of a line, or make it another one. Those of
/// headings, rules and lists only begin or end one.
fn joins_words(text: &[u8]) -> bool {
    use memchr::memchr3;
    memchr3(b'*', b'`', b'_', text)
        .or_else(|| memchr3(b'[', b'\\', b'&', text))
        .or_else(|| memchr3(b'<', b'~', b'|', text))
        .or_else(|| memchr3(b'>', b']', b'\t', text))
        .is_some()
}

fn end_line(out: &mut String) {
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
}

fn label(info: &str, out: &mut String) {
    out.push_str(info.split([' ', ',', '{']).next().unwrap_or_default());
    end_line(out);
}

struct Plain<'o> {
    out: &'o mut String,
    /// Where the text of the open links begins, and their targets.
    links: Vec<(usize, String, bool)>,
    /// Rows of a table that were shown before.
    skip: Option<usize>,
    in_skipped: bool,
}

impl<'o> Plain<'o> {
    fn new(out: &'o mut String, skip: Option<usize>) -> Self {
        Self {
            out,
            links: Vec::new(),
            skip,
            in_skipped: false,
        }
    }

    fn markdown(&mut self, text: &str, defs: &LinkDefs) {
        let resolve = |link: pulldown_cmark::BrokenLink<'_>| defs.resolve(&link);
        let parser = Parser::new_with_broken_link_callback(text, OPTIONS, Some(resolve));
        for event in parser {
            match event {
                Event::Start(tag @ (Tag::TableHead | Tag::TableRow)) => self.begin_row(&tag),
                Event::End(TagEnd::TableHead | TagEnd::TableRow) => {
                    self.in_skipped = false;
                    end_line(self.out);
                }
                _ if self.in_skipped => {}
                Event::Text(text) | Event::Code(text) => self.out.push_str(&text),
                Event::SoftBreak | Event::HardBreak => self.out.push('\n'),
                Event::InlineHtml(html) | Event::Html(html) if is_line_break(&html) => {
                    self.out.push('\n');
                }
                Event::InlineHtml(html) | Event::Html(html) => self.out.push_str(&html),
                Event::FootnoteReference(label) => {
                    self.out.push('[');
                    self.out.push_str(&label);
                    self.out.push(']');
                }
                Event::Start(tag) => self.start(tag),
                Event::End(tag) => self.end(tag),
                _ => {}
            }
        }
    }

    fn begin_row(&mut self, tag: &Tag<'_>) {
        end_line(self.out);
        let Some(left) = &mut self.skip else { return };
        self.in_skipped = matches!(tag, Tag::TableHead) || *left > 0;
        if matches!(tag, Tag::TableRow) {
            *left = left.saturating_sub(1);
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough => {}
            Tag::Link { dest_url, .. } => {
                self.links
                    .push((self.out.len(), dest_url.into_string(), false));
            }
            Tag::Image { dest_url, .. } => {
                self.out.push_str("[image: ");
                self.links
                    .push((self.out.len(), dest_url.into_string(), true));
            }
            Tag::CodeBlock(pulldown_cmark::CodeBlockKind::Fenced(info)) => {
                end_line(self.out);
                label(&info, self.out);
            }
            _ => end_line(self.out),
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {}
            TagEnd::Link | TagEnd::Image => {
                let Some((from, target, image)) = self.links.pop() else {
                    return;
                };
                let mut text = self.out.get(from..).unwrap_or_default().to_owned();
                if image {
                    if text.is_empty() {
                        self.out.push_str(&target);
                        text.clone_from(&target);
                    }
                    self.out.push(']');
                }
                if self.links.is_empty() && link::is_informative(&text, &target) {
                    self.out.push_str(&format!(" ({target})"));
                }
            }
            _ => end_line(self.out),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ui::render::{markdown::Splitter, testing::Stage};

    fn plain_of(source: &str) -> String {
        let mut splitter = Splitter::default();
        splitter.finish(source);
        let mut out = String::new();
        for segment in splitter.segments() {
            plain(source, segment, splitter.defs(), &mut out);
        }
        out
    }

    #[test]
    fn markup_is_left_out_and_lines_stay() {
        let source = "# Head\n\n**bold** and `code`,\nthe *next* [page](https://x.test/)\n\n- one\n- two\n\n```rust\nlet x = **y;\n```\n\n| a | b |\n|---|---|\n| c | d |\n";
        assert_eq!(
            plain_of(source),
            "Head\nbold and code,\nthe next page (https://x.test/)\none\ntwo\nrust\nlet x = **y;\na\nb\nc\nd\n"
        );
    }

    #[test]
    fn it_reads_as_what_is_rendered() {
        let stage = Stage::dark();
        for source in [
            "**bold** *it* ~~gone~~ `x` <br> y\nz",
            "> quoted **words**\n> more\n\n1. one\n2. two `c`\n   - deep",
            "```sh\nls *\n```\ntext &amp; more \\*this\\*",
            "a [link](https://x.test/p) and ![alt](https://x.test/i.png)",
            "    indented code\n\n<div>html</div>\n\ntext[^1]\n\n[^1]: note",
        ] {
            let rows = super::super::render_whole(source, &stage.ctx(200)).rows;
            let letters =
                |text: &str| -> String { text.chars().filter(|c| c.is_alphabetic()).collect() };
            let drawn: String = rows.iter().map(|row| row.line.to_string()).collect();
            assert_eq!(letters(&plain_of(source)), letters(&drawn), "{source}");
        }
    }

    proptest! {
        #[test]
        fn what_reads_as_written_has_lines_of_its_source(
            source in "([ab]{1,3}|[ .:#=+)-]|1\\.|\n|\n\n|    |```\n|[*_\\[&]){0,40}",
            done in any::<bool>(),
        ) {
            let mut splitter = Splitter::default();
            match done {
                true => splitter.finish(&source),
                false => splitter.update(&source),
            }
            for segment in splitter.segments() {
                if !reads_as_written(&source, segment) {
                    continue;
                }
                let mut out = String::new();
                plain(&source, segment, splitter.defs(), &mut out);
                let written = &source[segment.range.clone()];
                for line in out.lines() {
                    prop_assert!(written.lines().any(|all| all.contains(line)), "{line:?}");
                }
            }
        }
    }
}
