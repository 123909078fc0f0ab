//! What commands change: operators, putting, joining, as edits to be made.

use std::ops::Range;

use super::{
    grammar::{MAX_COUNT, Operator},
    object::Span,
    register::Content,
    text::Text,
};
use crate::{
    text::TAB_WIDTH,
    ui::composer::buffer::{Caret, LIMIT, is_placeholder},
};

/// What is to be done to the draft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    Caret(Caret),
    Replace {
        range: Range<Caret>,
        text: String,
        then: Then,
    },
    /// Puts text in at the caret, which goes onto its last unit: as if it was typed.
    Insert(String),
    /// Rows as they are drawn.
    Rows {
        down: bool,
        count: usize,
    },
    Undo(usize),
    Redo(usize),
    Copy(String),
    PasteClipboard,
    /// A unit to the left, within the line.
    StepBack,
}

/// Where the caret goes after an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    Start,
    /// Behind what was put in.
    End,
    /// Onto the last unit of it.
    Last,
    /// To the first unit that is no blank, of the line where it began or of a line below that.
    Filled {
        below: usize,
    },
    At(Caret),
}

fn replace(text: &Text<'_>, cells: Range<usize>, new: String, then: Then) -> Act {
    let range = text.carets(cells);
    Act::Replace {
        range,
        text: new,
        then,
    }
}

/// What the register gets.
pub fn content(text: &Text<'_>, span: &Span) -> Content {
    Content {
        text: text.slice(span.cells.clone()),
        lines: span.lines,
    }
}

fn lines(text: &Text<'_>, span: &Span) -> (usize, usize) {
    let first = text.line_of(span.cells.start);
    // A span of characters that ends in a line's first column has nothing of that line.
    let last = span.cells.end.saturating_sub(usize::from(!span.lines));
    (first, text.line_of(last.max(span.cells.start)))
}

/// All operators but yank change the text; `times` is for indenting.
pub fn operate(
    text: &Text<'_>,
    operator: Operator,
    span: &Span,
    at: usize,
    times: usize,
) -> Option<Act> {
    let (first, last) = lines(text, span);
    Some(match operator {
        Operator::Delete if span.lines => delete_lines(text, first, last),
        Operator::Delete | Operator::Change => {
            replace(text, span.cells.clone(), String::new(), Then::Start)
        }
        Operator::Yank => {
            let stays = span.lines && text.line_of(at) == first;
            let to = if stays { at } else { span.cells.start.min(at) };
            Act::Caret(text.caret(to))
        }
        Operator::Indent | Operator::Dedent => indent(text, operator, first, last, times)?,
        Operator::Lower | Operator::Upper | Operator::Toggle => {
            let old = text.slice(span.cells.clone());
            let new = in_case(&old, operator);
            let then = match span.lines {
                true => Then::At(text.caret(at)),
                false => Then::Start,
            };
            replace(text, span.cells.clone(), new, then)
        }
    })
}

fn delete_lines(text: &Text<'_>, first: usize, last: usize) -> Act {
    let (start, end) = (text.start(first), text.end(last));
    let cells = match (last < text.last_line(), first > 0) {
        (true, _) => start..end + 1,
        (false, true) => text.end(first - 1)..end,
        (false, false) => start..end,
    };
    replace(text, cells, String::new(), Then::Filled { below: 0 })
}

fn indent(
    text: &Text<'_>,
    operator: Operator,
    first: usize,
    last: usize,
    times: usize,
) -> Option<Act> {
    let columns = TAB_WIDTH * times.min(MAX_COUNT);
    let count = last - first + 1;
    if operator == Operator::Indent && columns.saturating_mul(count) > LIMIT {
        return None;
    }
    let changed: Vec<String> = (first..=last)
        .map(|line| {
            let line = text.line(line);
            match operator {
                Operator::Indent if line.is_empty() => String::new(),
                Operator::Indent => format!("{}{line}", " ".repeat(columns)),
                _ => dedented(line, columns).to_owned(),
            }
        })
        .collect();
    let cells = text.start(first)..text.end(last);
    Some(replace(
        text,
        cells,
        changed.join("\n"),
        Then::Filled { below: 0 },
    ))
}

fn dedented(line: &str, columns: usize) -> &str {
    let mut left = columns;
    let mut rest = line;
    while left > 0 {
        if let Some(less) = rest.strip_prefix(' ') {
            (rest, left) = (less, left - 1);
        } else if let Some(less) = rest.strip_prefix('\t') {
            (rest, left) = (less, left.saturating_sub(TAB_WIDTH));
        } else {
            break;
        }
    }
    rest
}

fn in_case(text: &str, operator: Operator) -> String {
    match operator {
        Operator::Lower => text.to_lowercase(),
        Operator::Upper => text.to_uppercase(),
        _ => text.chars().flat_map(toggled).collect(),
    }
}

fn toggled(c: char) -> Vec<char> {
    match c.is_uppercase() {
        true => c.to_lowercase().collect(),
        false => c.to_uppercase().collect(),
    }
}

/// `~`: the case of some characters of the line.
pub fn toggle(text: &Text<'_>, at: usize, count: usize) -> Option<Act> {
    let end = (at + count).min(text.end(text.line_of(at)));
    let new = in_case(&text.slice(at..end), Operator::Toggle);
    (end > at).then(|| replace(text, at..end, new, Then::End))
}

/// `r`: nothing where the line has fewer characters.
pub fn overwrite(text: &Text<'_>, at: usize, count: usize, c: char) -> Option<Act> {
    if at + count > text.end(text.line_of(at)) || is_placeholder(c) {
        return None;
    }
    Some(match c {
        '\n' => replace(text, at..at + count, "\n".into(), Then::End),
        _ => {
            let new = c.to_string().repeat(count);
            replace(text, at..at + count, new, Then::Last)
        }
    })
}

/// Each character of the span becomes `c`.
pub fn overwrite_all(text: &Text<'_>, span: &Span, c: char) -> Option<Act> {
    let new: String = span
        .cells
        .clone()
        .map(|index| if text.is_end(index) { '\n' } else { c })
        .collect();
    (new.len() <= LIMIT && c != '\n' && !is_placeholder(c))
        .then(|| replace(text, span.cells.clone(), new, Then::Start))
}

/// Puts a register in, before or behind the caret.
pub fn put(
    text: &Text<'_>,
    at: usize,
    content: &Content,
    before: bool,
    count: usize,
) -> Option<Act> {
    let line = text.line_of(at);
    if content.text.len().saturating_add(1).saturating_mul(count) > LIMIT {
        return None;
    }
    if !content.lines {
        let new = content.text.repeat(count);
        let then = match new.contains('\n') {
            true => Then::Start,
            false => Then::Last,
        };
        let behind = !before && !text.is_end(at);
        let to = at + usize::from(behind);
        return Some(replace(text, to..to, new, then));
    }
    let (to, new, below) = match before {
        true => {
            let new = format!("{}\n", content.text).repeat(count);
            (text.start(line), new, 0)
        }
        false => {
            let new = format!("\n{}", content.text).repeat(count);
            (text.end(line), new, 1)
        }
    };
    Some(replace(text, to..to, new, Then::Filled { below }))
}

/// Puts a register in place of what is selected.
pub fn put_over(text: &Text<'_>, span: &Span, content: &Content, count: usize) -> Option<Act> {
    if content.text.len().saturating_add(1).saturating_mul(count) > LIMIT {
        return None;
    }
    let (new, then) = match (content.lines, span.lines) {
        (true, true) => {
            let all = vec![content.text.as_str(); count];
            (all.join("\n"), Then::Filled { below: 0 })
        }
        (true, false) => {
            let new = format!("\n{}", content.text).repeat(count) + "\n";
            (new, Then::Filled { below: 1 })
        }
        (false, _) if content.text.contains('\n') => (content.text.repeat(count), Then::Start),
        (false, _) => (content.text.repeat(count), Then::Last),
    };
    Some(replace(text, span.cells.clone(), new, then))
}

/// Joins lines with one blank between them.
pub fn join(text: &Text<'_>, first: usize, last: usize) -> Option<Act> {
    let last = last.min(text.last_line());
    if last <= first {
        return None;
    }
    let mut new = text.line(first).to_owned();
    let mut seam = new.len();
    for line in first + 1..=last {
        let line = text.line(line).trim_start();
        seam = new.len();
        let apart = !line.is_empty()
            && !line.starts_with(')')
            && !new.is_empty()
            && !new.ends_with(char::is_whitespace);
        new.push_str(if apart { " " } else { "" });
        new.push_str(line);
    }
    let at = Caret {
        line: first,
        byte: seam,
    };
    let cells = text.start(first)..text.end(last);
    Some(replace(text, cells, new, Then::At(at)))
}
