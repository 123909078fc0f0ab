//! A bounded part of a long text: its first or last rows and how much is left out.
//!
//! The work is bounded by the rows asked for, not by the text: only counting the lines that are
//! left out looks at the rest of it.

use ratatui::style::Style;

use super::{
    RenderContext, Row,
    format::count,
    line::{StyledLine, Wrapping},
};
use crate::text::{SafeText, first_bytes};

/// Bytes of one line that are laid out; what is longer is no text for people.
pub const MAX_LINE_BYTES: usize = 4 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// The first rows: what was read or found.
    Head,
    /// The last rows: what a command said in the end.
    Tail,
}

/// How a text is cut and laid out.
#[derive(Clone, Copy, Debug)]
pub struct Excerpt {
    pub keep: Keep,
    pub max_rows: usize,
    pub wrapping: Wrapping,
    pub style: Style,
}

impl Excerpt {
    /// At most `max_rows` rows of `width` cells, and one more that counts the lines left out.
    pub fn rows(&self, text: &str, width: usize, ctx: &RenderContext<'_>) -> Vec<Row> {
        let text = text.trim_end_matches('\n');
        match self.keep {
            Keep::Head => self.head(text, width, ctx),
            Keep::Tail => self.tail(text, width, ctx),
        }
    }

    fn head(&self, text: &str, width: usize, ctx: &RenderContext<'_>) -> Vec<Row> {
        let mut rows = Vec::new();
        let mut rest = Some(text);
        while let Some(text) = rest {
            if rows.len() >= self.max_rows {
                rows.truncate(self.max_rows);
                rows.push(
                    self.last_line(text, width)
                        .unwrap_or_else(|| left_out(text, ctx)),
                );
                return rows;
            }
            let (line, next) = match text.split_once('\n') {
                Some((line, next)) => (line, Some(next)),
                None => (text, None),
            };
            rows.extend(self.line(line, width));
            rest = next;
        }
        // The last line alone was longer than the room.
        if rows.len() > self.max_rows {
            let cut = rows.len() - self.max_rows;
            rows.truncate(self.max_rows);
            rows.push(left_out_rows(cut, ctx));
        }
        rows
    }

    fn tail(&self, text: &str, width: usize, ctx: &RenderContext<'_>) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::new();
        let mut rest = Some(text);
        while let Some(text) = rest {
            if rows.len() >= self.max_rows {
                break;
            }
            let (line, before) = match text.rsplit_once('\n') {
                Some((before, line)) => (line, Some(before)),
                None => (text, None),
            };
            rows.extend(self.line(line, width).into_iter().rev());
            rest = before;
        }
        let cut = rows.len().saturating_sub(self.max_rows);
        rows.truncate(self.max_rows);
        match rest {
            Some(before) => {
                rows.push(
                    self.last_line(before, width)
                        .unwrap_or_else(|| left_out(before, ctx)),
                );
            }
            None if cut > 0 => rows.push(left_out_rows(cut, ctx)),
            None => {}
        }
        rows.reverse();
        rows
    }

    /// The row of what is left, if it is just one: a row that says so would save nothing.
    fn last_line(&self, left: &str, width: usize) -> Option<Row> {
        if left.contains('\n') {
            return None;
        }
        let mut rows = self.line(left, width);
        rows.pop().filter(|_| rows.is_empty())
    }

    fn line(&self, line: &str, width: usize) -> Vec<Row> {
        let none = StyledLine::new();
        let (shown, cut) = clip_line(line);
        let mut styled = StyledLine::styled(shown, self.style);
        if cut > 0 {
            styled.push(
                &format!(" (+{})", super::format::bytes(cut as u64)),
                self.style,
            );
        }
        styled.wrap_with(self.wrapping, width, &none, &none)
    }
}

/// The part of a line that is laid out, and how many bytes that leaves out.
fn clip_line(line: &str) -> (&str, usize) {
    let shown = first_bytes(line, MAX_LINE_BYTES);
    (shown, line.len() - shown.len())
}

/// Lines of a text; a newline at its end begins none.
pub fn line_count(text: &str) -> usize {
    text.strip_suffix('\n')
        .unwrap_or(text)
        .bytes()
        .filter(|byte| *byte == b'\n')
        .count()
        + usize::from(!text.is_empty())
}

/// The text inside one code fence, and the fence's language: agents wrap whole outputs in one.
pub fn unfenced(text: &SafeText) -> (&str, &str) {
    let whole = text.as_str();
    let trimmed = whole.trim();
    let Some(ticks) = trimmed.find(|c| c != '`').filter(|n| *n >= 3) else {
        return (whole, "");
    };
    let fence = &trimmed[..ticks];
    let Some((info, body)) = trimmed[ticks..].split_once('\n') else {
        return (whole, "");
    };
    match body.strip_suffix(fence) {
        Some(body) if body.is_empty() || body.ends_with('\n') => {
            if body.lines().any(|line| line.starts_with(fence)) {
                return (whole, "");
            }
            (body, info.trim())
        }
        _ => (whole, ""),
    }
}

fn left_out(text: &str, ctx: &RenderContext<'_>) -> Row {
    note(format!("+{}", count(line_count(text), "line")), ctx)
}

fn left_out_rows(rows: usize, ctx: &RenderContext<'_>) -> Row {
    note(format!("+{}", count(rows, "row")), ctx)
}

fn note(text: String, ctx: &RenderContext<'_>) -> Row {
    StyledLine::styled(&text, ctx.theme.dim).truncate(usize::from(ctx.width), "")
}
