//! A bounded part of a long text: its first or last rows and how much is omitted.
//!
//! Where find is at a line that is not among them, it is the rows around that line.
//! The work is bounded by the rows requested, not by the text: only counting the lines that are
//! omitted reads the rest of it.

use ratatui::style::Style;

use super::{
    RenderContext, Row,
    format::{bytes, count},
    line::{StyledLine, Wrapping},
};
use crate::text::{SafeText, first_bytes};

/// Bytes of one line that are laid out; longer lines are not meant for people.
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
        self.lay_out(text.trim_end_matches('\n'), width, ctx).0
    }

    /// As [`Excerpt::rows`], with a sign where the line `found` (from 0) begins, where not all of the text
    /// is laid out. If that line is not whole among the rows, they are those around it.
    pub fn rows_with(
        &self,
        found: Option<usize>,
        text: &str,
        width: usize,
        ctx: &RenderContext<'_>,
    ) -> Vec<Row> {
        let text = text.trim_end_matches('\n');
        let (rows, left) = self.lay_out(text, width, ctx);
        let all = line_count(text);
        let Some(found) = found.filter(|found| left > 0 && *found < all) else {
            return rows;
        };
        let (before, from) = text.split_at(line_start(text, found));
        let before = before.strip_suffix('\n');
        let part = |keep, max_rows, text| {
            Self {
                keep,
                max_rows,
                ..*self
            }
            .lay_out(text, width, ctx)
            .0
        };
        let (above, mut below) = match self.keep {
            Keep::Tail if found >= left => {
                let below = part(Keep::Head, self.max_rows, from);
                let room = self.max_rows.saturating_sub(below.len());
                (before.map(|before| part(Keep::Tail, room, before)), below)
            }
            keep => {
                let (keep, most) = match keep {
                    Keep::Head if found + left < all => (Keep::Head, self.max_rows),
                    _ => (Keep::Tail, self.max_rows / ABOVE_FOUND),
                };
                let above = before.map(|before| part(keep, most, before));
                let room = self
                    .max_rows
                    .saturating_sub(above.as_ref().map_or(0, Vec::len));
                (above, part(Keep::Head, room.max(1), from))
            }
        };
        if let Some(first) = below.first_mut() {
            first.written.found = true;
        }
        let mut rows = above.unwrap_or_default();
        rows.append(&mut below);
        rows
    }

    /// The rows, and how many lines are not whole among them.
    fn lay_out(&self, text: &str, width: usize, ctx: &RenderContext<'_>) -> (Vec<Row>, usize) {
        let mut rest = Some(text);
        let mut rows: Vec<Row> = Vec::new();
        while let Some(text) = rest.filter(|_| rows.len() < self.max_rows) {
            let split = match self.keep {
                Keep::Head => text.split_once('\n'),
                Keep::Tail => text.rsplit_once('\n').map(|(before, line)| (line, before)),
            };
            let (line, next) = split.map_or((text, None), |(line, next)| (line, Some(next)));
            rows.extend(self.in_order(self.line(line, width)));
            rest = next;
        }
        let cut = rows.len().saturating_sub(self.max_rows);
        rows.truncate(self.max_rows);
        let mut lines = usize::from(cut > 0);
        match rest {
            Some(left) => match self.last_line(left, width) {
                Some(only) => rows.push(only),
                None => {
                    let more = line_count(left).max(1);
                    lines += more;
                    rows.push(left_out(more, "line", ctx));
                }
            },
            // The last line alone was longer than the room.
            None if cut > 0 => rows.push(left_out(cut, "row", ctx)),
            None => {}
        }
        (self.in_order(rows), lines)
    }

    /// Rows from the end that is kept on, or those as the text has them.
    fn in_order(&self, mut rows: Vec<Row>) -> Vec<Row> {
        if self.keep == Keep::Tail {
            rows.reverse();
        }
        rows
    }

    /// The rest as a row, if it is just one: a row that counts it would save nothing.
    fn last_line(&self, left: &str, width: usize) -> Option<Row> {
        if left.contains('\n') {
            return None;
        }
        let mut rows = self.line(left, width);
        rows.pop().filter(|_| rows.is_empty())
    }

    fn line(&self, line: &str, width: usize) -> Vec<Row> {
        let shown = first_bytes(line, MAX_LINE_BYTES);
        let mut styled = StyledLine::styled(shown, self.style);
        if shown.len() < line.len() {
            let cut = bytes((line.len() - shown.len()) as u64);
            styled.push(&format!(" (+{cut})"), self.style);
        }
        styled.wrap_as(self.wrapping, width)
    }
}

/// Of the rows around a line that was found, one of so many stands above it.
pub const ABOVE_FOUND: usize = 3;

/// Where a line (from 0) begins; the end where there are fewer.
fn line_start(text: &str, line: usize) -> usize {
    let mut ends = memchr::memchr_iter(b'\n', text.as_bytes());
    match line.checked_sub(1) {
        None => 0,
        Some(before) => ends.nth(before).map_or(text.len(), |end| end + 1),
    }
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

fn left_out(n: usize, what: &str, ctx: &RenderContext<'_>) -> Row {
    let text = format!("+{}", count(n, what));
    StyledLine::styled(&text, ctx.theme.dim).truncate(usize::from(ctx.width), "")
}
