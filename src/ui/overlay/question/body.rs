//! What a question is about, laid out whole: nothing of it is cut, long blank runs may be counted.

use std::{
    collections::BTreeSet,
    ops::Range,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use ratatui::style::Style;

use crate::{
    model::Diff,
    session::Session,
    text::{SafeText, exact_line},
    ui::{
        overlay::{Frame, OverlayContext},
        render::{
            Row,
            diff::{DiffOptions, diff_rows},
            format::{count, shown_path},
            line::{StyledLine, Wrapping},
        },
    },
};

/// Blank rows in a run that are left alone; of a longer one only the count is shown:
/// blank lines pushed the rest of a command out of sight.
const BLANK_RUN: usize = 2;

/// Content of a question.
#[derive(Clone, Debug, Default)]
pub struct Body {
    pub rows: Vec<Row>,
    /// Lines that are in no row: of a diff too long to be laid out here at once.
    pub left_out: usize,
    /// Rows of the first diff before its first change.
    pub lead: Option<Range<usize>>,
    /// Some rows will look better once the offloaded work is done.
    pub provisional: bool,
    /// Of a command that would run.
    pub run: Option<RunRows>,
}

/// Rows of a command, of its environment, and of its directory. Variables that change what runs
/// stand above.
#[derive(Clone, Debug)]
pub struct RunRows {
    pub lines: Range<usize>,
    pub env: Range<usize>,
    pub place: Range<usize>,
}

impl RunRows {
    /// The same ranges after rows have moved.
    fn moved(&self, to: impl Fn(usize) -> usize) -> Self {
        let range = |rows: &Range<usize>| to(rows.start)..to(rows.end);
        Self {
            lines: range(&self.lines),
            env: range(&self.env),
            place: range(&self.place),
        }
    }
}

/// Rows of each diff that are laid out in the dialog, and when it has the whole screen; the viewer has
/// the rest.
const DIFF_ROWS: usize = 200;
const DIFF_ROWS_EXPANDED: usize = 2_000;

impl Body {
    pub fn push(&mut self, line: StyledLine, width: usize) {
        self.rows.extend(line.wrap(width));
    }

    /// Why policy wants it asked.
    pub fn push_reason(&mut self, reason: &str, width: usize, cx: &OverlayContext<'_>) {
        let text = format!("asked because: {reason}");
        self.push(StyledLine::styled(&text, cx.theme.dim), width);
    }

    /// Text of several lines, every blank of it kept, signs for control and bidi characters set
    /// off. `first` stands before the first row of it, and as much blank before the others.
    pub fn push_verbatim(
        &mut self,
        text: &SafeText,
        first: &StyledLine,
        style: Style,
        width: usize,
        cx: &OverlayContext<'_>,
    ) {
        let mut indent = StyledLine::new();
        indent.fill_to(first.width(), style);
        // A wrapped row is indented further than a new line.
        let mut continued = indent.clone();
        continued.push("  ", style);
        for (n, line) in text.split('\n').enumerate() {
            let prefix = if n == 0 { first } else { &indent };
            self.rows.extend(verbatim_line(line, style, cx).wrap_with(
                Wrapping::Verbatim,
                width,
                prefix,
                &continued,
            ));
        }
    }

    /// The lines of a diff, as many as are laid out here.
    pub fn push_diff(
        &mut self,
        diff: &Arc<Diff>,
        width: usize,
        expanded: bool,
        cx: &OverlayContext<'_>,
    ) {
        let options = DiffOptions {
            max_rows: if expanded {
                DIFF_ROWS_EXPANDED
            } else {
                DIFF_ROWS
            },
            layout: cx.diff,
            found: None,
        };
        let columns = u16::try_from(width).unwrap_or(u16::MAX);
        let diff = diff_rows(diff, &options, &cx.render(columns));
        let at = self.rows.len();
        self.lead.get_or_insert(at..at + diff.lead);
        self.left_out += diff.left_out;
        self.rows.extend(diff.rendered.rows);
        self.provisional |= diff.rendered.provisional;
    }

    /// Puts a line above all the others.
    pub fn put_first(&mut self, line: &StyledLine, width: usize) {
        let rows = line.wrap(width);
        if let Some(lead) = &mut self.lead {
            *lead = lead.start + rows.len()..lead.end + rows.len();
        }
        let more = rows.len();
        self.run = self.run.take().map(|run| run.moved(|at| at + more));
        self.rows.splice(0..0, rows);
    }

    /// Without the rows before the first change of the first diff; `None` where there are none.
    pub fn led_to_change(&self) -> Option<Self> {
        let lead = self.lead.clone().filter(|lead| !lead.is_empty())?;
        let mut led = self.clone();
        led.left_out += lead.len();
        led.rows.drain(lead);
        led.lead = None;
        // It stands above all diffs.
        led.run = led.run.filter(|run| run.place.end <= led.rows.len());
        Some(led)
    }

    /// With a warning on top that invisible characters are shown as symbols.
    pub fn warned_of_signs(mut self, width: usize, cx: &OverlayContext<'_>) -> Self {
        let warning = "! invisible or control characters are shown as symbols";
        self.put_first(&StyledLine::styled(warning, cx.theme.error.bold()), width);
        self
    }

    /// Adds a blank row, where there is room for it.
    pub fn blank(&mut self, cx: &OverlayContext<'_>) {
        if !self.rows.is_empty() && cx.frame == Frame::Full {
            self.rows.push(Row::default());
        }
    }

    /// With runs of blank rows counted instead of shown, so that what stands behind them is seen;
    /// `None` where there are none.
    pub fn squeezed(&self, cx: &OverlayContext<'_>) -> Option<Self> {
        let long_run = self
            .rows
            .windows(BLANK_RUN + 1)
            .any(|rows| rows.iter().all(is_blank));
        if !long_run {
            return None;
        }
        let mut out = Vec::with_capacity(self.rows.len());
        let mut run = Vec::new();
        // The new place of each row; runs of blanks do not reach over the ends of a command.
        let mut places = Vec::with_capacity(self.rows.len() + 1);
        let ends = self
            .run
            .as_ref()
            .map(|run| [run.lines.start, run.lines.end]);
        for (at, row) in self.rows.iter().enumerate() {
            if ends.is_some_and(|ends| ends.contains(&at)) {
                flush_blanks(&mut run, &mut out, cx);
            }
            places.push(out.len());
            if is_blank(row) {
                run.push(row.clone());
            } else {
                flush_blanks(&mut run, &mut out, cx);
                out.push(row.clone());
            }
        }
        flush_blanks(&mut run, &mut out, cx);
        let place = |at: usize| places.get(at).copied().unwrap_or(out.len());
        Some(Self {
            run: self.run.as_ref().map(|run| run.moved(place)),
            rows: out,
            lead: None,
            ..*self
        })
    }

    /// For a command of more than `window` rows: the rows to show, and how many rows of it they
    /// are: beginning, end, directory and environment come before the middle. `None` where
    /// it fits.
    pub fn folded(&self, window: usize, cx: &OverlayContext<'_>) -> Option<(Vec<Row>, usize)> {
        let run = self.run.as_ref()?;
        let all = run.place.end.min(self.rows.len());
        if all <= window {
            return None;
        }
        let last = run.lines.end.saturating_sub(1);
        let needed = [run.lines.start, 0]
            .into_iter()
            .chain(run.place.clone())
            .chain([last])
            .chain(0..run.lines.start)
            .chain(run.env.clone());
        let mut kept: BTreeSet<usize> = BTreeSet::new();
        let mut keep = |row: usize| {
            let new = kept.insert(row);
            let fits = kept.len() + gaps(&kept, run.lines.start).count() <= window;
            if new && !fits {
                kept.remove(&row);
            }
            fits
        };
        for row in needed {
            keep(row);
        }
        run.lines.clone().all(keep);
        let mut rows = Vec::with_capacity(window);
        let mut gaps = gaps(&kept, run.lines.start).peekable();
        for row in &kept {
            if let Some(gap) = gaps.next_if(|gap| gap.end == *row) {
                let text = format!("  +{}", count(gap.len(), "line"));
                rows.push(StyledLine::styled(&text, cx.theme.warning).into_row());
            }
            rows.extend(self.rows.get(*row).cloned());
        }
        Some((rows, kept.len()))
    }
}

fn flush_blanks(run: &mut Vec<Row>, out: &mut Vec<Row>, cx: &OverlayContext<'_>) {
    if run.len() <= BLANK_RUN {
        out.append(run);
        return;
    }
    let count = format!("  ({} blank lines)", run.len());
    out.push(StyledLine::styled(&count, cx.theme.warning).into_row());
    run.clear();
}

/// Rows from `first` on that are left out above each of those, where there are any.
fn gaps(kept: &BTreeSet<usize>, first: usize) -> impl Iterator<Item = Range<usize>> {
    let kept = kept.range(first..);
    let ends = std::iter::once(first).chain(kept.clone().map(|row| row + 1));
    let gaps = ends.zip(kept).map(|(from, to)| from..*to);
    gaps.filter(|gap| !gap.is_empty())
}

/// Whether a row shows nothing but signs of invisible characters.
fn is_blank(row: &Row) -> bool {
    let text = row.line.to_string();
    let no_ink = |text: &str| text.chars().all(|c| c.is_whitespace() || c == '\u{2800}');
    let mut rest = without_torn_signs(&text);
    while let Some((at, len)) = next_sign(rest) {
        if !no_ink(&rest[..at]) {
            return false;
        }
        rest = &rest[at + len..];
    }
    no_ink(rest)
}

/// A row without the halves of signs that the wrapping left at both of its ends.
fn without_torn_signs(row: &str) -> &str {
    let of_sign = |c: char| matches!(c, 'U' | '+' | '0'..='9' | 'A'..='F');
    let row = row.trim();
    let row = match row.split_once('>') {
        Some((half, rest)) if half.chars().all(of_sign) => rest,
        _ => row,
    };
    match row.rsplit_once('<') {
        Some((rest, half)) if half.chars().all(of_sign) => rest,
        _ => row,
    }
}

/// A line in which the signs that stand for invisible characters cannot be overlooked.
fn verbatim_line(line: &str, style: Style, cx: &OverlayContext<'_>) -> StyledLine {
    let mark = cx.theme.error.reversed();
    let mut out = StyledLine::new();
    let mut rest = line;
    while let Some((at, len)) = next_sign(rest) {
        out.push(&rest[..at], style);
        out.push(&rest[at..at + len], mark);
        rest = &rest[at + len..];
    }
    out.push(rest, style);
    out
}

/// Where the next sign that [`SafeText`] or [`exact`](crate::text::exact) made of characters begins,
/// and its bytes.
fn next_sign(text: &str) -> Option<(usize, usize)> {
    /// `<U+` and at most six digits.
    const LONGEST: usize = 10;
    text.char_indices().find_map(|(at, c)| match c {
        '\u{2400}'..='\u{2421}' => Some((at, c.len_utf8())),
        '<' => {
            if let Some(len) = counted_blanks(&text[at..]) {
                return Some((at, len));
            }
            let digits = text[at..].strip_prefix("<U+")?;
            let end = digits.bytes().take(LONGEST).position(|b| b == b'>')?;
            let hex = &digits[..end];
            (end >= 4 && hex.bytes().all(|b| b.is_ascii_hexdigit())).then_some((at, end + 4))
        }
        _ => None,
    })
}

/// Bytes of `<12 blanks>`, where the text begins with it.
fn counted_blanks(text: &str) -> Option<usize> {
    let behind = text.strip_prefix('<')?;
    let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
    let word = behind.get(digits..).filter(|_| digits > 0)?;
    let ends = [" blank>", " blanks>"];
    let end = ends.iter().find(|end| word.starts_with(*end))?;
    Some(1 + digits + end.len())
}

/// Whether text holds signs of invisible characters; signs of blanks and tabs do not count.
pub fn has_signs(text: &str) -> bool {
    let mut rest = text;
    while let Some((at, len)) = next_sign(rest) {
        let sign = &rest[at..at + len];
        if sign != "\u{2409}" && counted_blanks(sign).is_none() {
            return true;
        }
        rest = &rest[at + len..];
    }
    false
}

/// Marks a path that leads out of the workspace.
pub fn push_outside(line: &mut StyledLine, outside: bool, cx: &OverlayContext<'_>) {
    if outside {
        line.push("  ! outside the workspace", cx.theme.warning.bold());
    }
}

/// A path as the agent named it, as people read it, and whether it lies in the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub shown: SafeText,
    pub outside: bool,
}

/// Judges a path by its text alone: the host resolves links, and asks separately.
pub fn place(path: &str, session: Option<&Session>) -> Place {
    let Some(session) = session else {
        return Place {
            shown: exact_line(path),
            outside: false,
        };
    };
    let cwd = &session.config.cwd;
    let absolute = normalized(&cwd.join(path));
    let inside = |root: &PathBuf| absolute.starts_with(normalized(root));
    Place {
        shown: shown_path(&absolute.to_string_lossy(), &normalized(cwd)),
        outside: !inside(cwd) && !session.config.additional_directories.iter().any(inside),
    }
}

/// Without `.` and `..`, by text.
fn normalized(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}
