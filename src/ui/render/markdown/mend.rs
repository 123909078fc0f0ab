//! An unfinished message made presentable: its last characters are completed to what they will most
//! likely become, so that marks do not flash as text while a construct arrives.
//!
//! It only affects how the open segment is drawn.

use std::{borrow::Cow, ops::Range};

use pulldown_cmark::{Event, Parser, Tag};

use super::OPTIONS;

/// Marks open at a time; text with more is not prose.
const MAX_OPEN: usize = 32;
/// Bytes that are withheld at most while they may become a mark.
const MAX_HIDDEN: usize = 200;

/// `text` is the source of an open segment, cut off anywhere; `in_table` where that goes on with a
/// table.
pub fn mend(text: &str, in_table: bool) -> Cow<'_, str> {
    let line = text.rfind('\n').map_or(0, |at| at + 1);
    let text = if is_undecided(&text[line..]) {
        &text[..line]
    } else {
        text
    };
    if !in_table && let Some(table) = as_table(text) {
        return Cow::Owned(table);
    }
    match last_text(text) {
        Some(range) => close_inline(text, range),
        None => Cow::Borrowed(text),
    }
}

/// Whether an unfinished line could still become different kinds of block.
fn is_undecided(line: &str) -> bool {
    let line = line.trim_start_matches([' ', '\t', '>']);
    let after_number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = line.len() - after_number.len();
    let marker_end = match (number, line.as_bytes().first()) {
        (1..=9, _) if after_number.is_empty() => return true,
        (1..=9, _) => after_number
            .strip_prefix(['.', ')'])
            .filter(|rest| rest.is_empty() || rest.starts_with(' ')),
        (_, Some(b'-' | b'*' | b'+')) => line.get(1..).filter(|rest| rest.starts_with(' ')),
        _ => None,
    };
    if let Some(rest) = marker_end {
        let rest = rest.trim_start();
        let is_task = matches!(rest, "[" | "[ " | "[x" | "[X" | "[ ]" | "[x]" | "[X]");
        return rest.is_empty() || is_task || is_only_marks(rest);
    }
    let is_definition = line.starts_with('[') && !line.starts_with("[^") && line.contains("]:");
    !line.is_empty() && (is_only_marks(line) || is_definition)
}

fn is_only_marks(line: &str) -> bool {
    line.chars().all(|c| "#=-*+_~`|: ".contains(c))
}

/// Adds the line with the dashes to the names of a table that has none yet.
fn as_table(text: &str) -> Option<String> {
    let head = text.strip_suffix('\n').unwrap_or(text);
    let start = head.rfind('\n').map_or(0, |at| at + 1);
    let line = &head[start..];
    let first_of_block = head[..start].trim_end_matches('\n').len() + 1 < start || start == 0;
    if !line.starts_with('|') || !first_of_block {
        return None;
    }
    let cells =
        line.trim_end().trim_end_matches('|').matches('|').count() - line.matches("\\|").count();
    (cells > 0).then(|| format!("{head}\n|{}", "---|".repeat(cells)))
}

/// Where the text is that more text would be appended to; `None` where that is code or HTML.
fn last_text(text: &str) -> Option<Range<usize>> {
    let mut last = None;
    for (event, range) in Parser::new_ext(text, OPTIONS).into_offset_iter() {
        match event {
            Event::Start(Tag::TableCell) if text[range.clone()].trim().is_empty() => {}
            Event::Start(Tag::Paragraph | Tag::Heading { .. } | Tag::TableCell | Tag::Item) => {
                last = Some(range)
            }
            Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock) | Event::Rule => last = None,
            _ => {}
        }
    }
    last.filter(|range| text[range.end..].trim().is_empty())
}

/// A mark of emphasis that was opened: its character and how many of them.
struct Mark {
    sign: u8,
    count: usize,
    /// Where in the text they end.
    end: usize,
}

/// Closes what is open at the end of the text in `range`.
fn close_inline(text: &str, range: Range<usize>) -> Cow<'_, str> {
    let end = text[..range.end].trim_end().len();
    let body = text.get(range.start..end).unwrap_or_default();
    let bytes = body.as_bytes();
    let mut open: Vec<Mark> = Vec::new();
    let mut brackets: Vec<usize> = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if open.len() > MAX_OPEN {
            return Cow::Borrowed(text);
        }
        let count = bytes[at..].iter().take_while(|b| **b == byte).count();
        let next = at + count;
        match byte {
            b'\\' => at += 2,
            b'`' => match closing_ticks(body, next, count) {
                Some(behind) => at = behind,
                None if next == bytes.len() => return cut(text, range.start + at, open),
                None => {
                    let ticks = "`".repeat(count);
                    let space = if body.ends_with('`') { " " } else { "" };
                    return closed(&text[..end], &format!("{space}{ticks}"), open);
                }
            },
            b'*' | b'_' | b'~' => {
                let before = body[..at].chars().next_back();
                let after = body[next..].chars().next();
                let opens = before.is_none_or(|c| c.is_whitespace() || "([{\"'*_~".contains(c))
                    && (byte != b'~' || count == 2);
                match after {
                    Some(c) if opens && !c.is_whitespace() => open.push(Mark {
                        sign: byte,
                        count,
                        end: range.start + next,
                    }),
                    // It may open something: not shown yet.
                    None if opens => return cut(text, range.start + at, open),
                    _ => close(&mut open, byte, count),
                }
                at = next;
            }
            b'[' => {
                brackets.push(at);
                at += 1;
            }
            b']' => {
                let label = brackets.pop();
                at += 1;
                if label.is_some() && bytes.get(at) == Some(&b'(') {
                    match closing_paren(body, at) {
                        Some(behind) => at = behind,
                        // A target that is still arriving is not shown.
                        None => {
                            let label = &text[..range.start + at];
                            return closed(&format!("{label}()"), "", open);
                        }
                    }
                }
            }
            _ => at += 1,
        }
    }
    if let Some(at) = brackets.first().and_then(|at| unfinished_sign(body, *at)) {
        open.retain(|mark| mark.end <= range.start + at);
        return cut(text, range.start + at, open);
    }
    if open.is_empty() {
        return Cow::Borrowed(text);
    }
    closed(&text[..end], "", open)
}

/// The start of what the open bracket at `at` will most likely become, if that is not shown before
/// it is complete: an image, a footnote reference, anything still empty.
fn unfinished_sign(body: &str, at: usize) -> Option<usize> {
    let inner = &body[at + 1..];
    if body[..at].ends_with('!') && inner.len() < MAX_HIDDEN {
        return Some(at - 1);
    }
    let is_note = inner.starts_with('^') && !inner.contains(' ') && inner.len() < MAX_HIDDEN;
    (inner.is_empty() || is_note).then_some(at)
}

/// The text up to `at`, with what was open there closed. What would be closed without any content
/// is left out.
fn cut(text: &str, at: usize, mut open: Vec<Mark>) -> Cow<'static, str> {
    let mut kept = text[..at].trim_end();
    while let Some(mark) = open.pop_if(|mark| mark.end == kept.len()) {
        kept = kept[..mark.end - mark.count].trim_end();
    }
    closed(kept, "", open)
}

fn closed(text: &str, inner: &str, open: Vec<Mark>) -> Cow<'static, str> {
    let mut out = format!("{text}{inner}");
    for mark in open.iter().rev() {
        out.extend(std::iter::repeat_n(char::from(mark.sign), mark.count));
    }
    Cow::Owned(out)
}

/// Takes `count` closing signs off the innermost mark that they fit.
fn close(open: &mut Vec<Mark>, sign: u8, mut count: usize) {
    while count > 0
        && let Some(found) = open.iter().rposition(|mark| mark.sign == sign)
    {
        open.truncate(found + 1);
        if let Some(mark) = open.last_mut() {
            let taken = mark.count.min(count);
            mark.count -= taken;
            count -= taken;
            if mark.count == 0 {
                open.pop();
            }
        }
    }
}

fn closing_ticks(body: &str, from: usize, count: usize) -> Option<usize> {
    let bytes = body.as_bytes();
    let mut at = from;
    while at < bytes.len() {
        let run = bytes[at..].iter().take_while(|b| **b == b'`').count();
        if run == count {
            return Some(at + run);
        }
        at += run.max(1);
    }
    None
}

fn closing_paren(body: &str, from: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in body.bytes().enumerate().skip(from) {
        match byte {
            b'(' => depth += 1,
            b')' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            b'\n' => return Some(at),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mend(text: &str) -> Cow<'_, str> {
        super::mend(text, false)
    }

    #[test]
    fn what_is_undecided_is_not_shown() {
        for line in [
            "#", "##", "- ", "-", "--", "* ", "1", "1.", "12. ", "```", "|", "|--", "==", "> -",
            "- [", "- [ ]", "- - ", "[a]: htt", "1. **",
        ] {
            assert_eq!(mend(&format!("text\n{line}")), "text\n", "{line}");
        }
        for line in ["#foo", "- a", "1.5", "2024 was", "[a] b", "-1"] {
            assert_eq!(mend(line), line);
        }
    }

    #[test]
    fn open_marks_are_closed() {
        for (text, shown) in [
            ("a **b", "a **b**"),
            ("a **b ", "a **b**"),
            ("a **b*", "a **b**"),
            ("a **", "a"),
            ("a **`", "a"),
            ("a ***b", "a ***b***"),
            ("a *b **c", "a *b **c***"),
            ("a ~~b", "a ~~b~~"),
            ("- a `b", "- a `b`"),
            ("a `", "a"),
            ("a **b `c", "a **b `c`**"),
            ("a [b](htt", "a [b]()"),
            ("a ![b", "a"),
            ("a **b [^1", "a **b**"),
            ("a [", "a"),
            ("a **[b](htt", "a **[b]()**"),
            ("| a | b |\n|--|--|\n| **x", "| a | b |\n|--|--|\n| **x**"),
        ] {
            assert_eq!(mend(text), shown, "{text}");
        }
        for text in [
            "2 * 3",
            "src/*.rs",
            "snake_case",
            "a **b** c",
            "`a*b` c",
            "    *a",
            "a \\*b",
            "a [b](c) d",
            "[1, 2",
        ] {
            assert_eq!(mend(text), text);
        }
        assert_eq!(mend("```\n**a"), "```\n**a");
    }

    #[test]
    fn a_table_is_one_from_its_first_line() {
        assert_eq!(mend("| a | b"), "| a | b\n|---|---|");
        assert_eq!(mend("x\n\n| a | b |\n|--"), "x\n\n| a | b |\n|---|---|");
        assert_eq!(mend("| a |\n|--|\n| 1"), "| a |\n|--|\n| 1");
    }

    #[test]
    fn more_rows_are_no_new_table() {
        assert_eq!(super::mend("| a | *b", true), "| a | *b*");
    }
}
