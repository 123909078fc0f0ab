//! The list that all popups are: choices with marks, one of them selected.

use std::{borrow::Cow, ops::Range};

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::Modifier,
    widgets::{Clear, Widget},
};
use unicode_segmentation::UnicodeSegmentation;

use crate::{
    text::{SafeText, cell_width, prefix_of_width, truncate_with},
    ui::render::{
        RenderContext, Row, draw_rows,
        line::{StyledLine, select},
        split_top,
    },
};

/// Choices seen at once.
pub const MAX_ROWS: u16 = 10;

/// Rows of choices in groups: the first of a later group, the agent's commands, are seen as well.
const MAX_GROUPED_ROWS: u16 = 20;

/// Lines of the next group that are seen in any case, its heading among them, and of how many.
const PEEK: usize = 3;
const PEEK_FROM: usize = 9;

/// Characters of a text that are considered for one row; agents send descriptions of many
/// kilobytes.
const SHOWN_CHARS: usize = 400;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// Whose it is: stands over it and over those behind it of the same group, where there are several.
    pub group: &'static str,
    pub label: SafeText,
    /// Grapheme clusters of the label that match the query.
    pub marks: Vec<usize>,
    pub detail: SafeText,
    /// What goes into the draft.
    pub value: String,
}

#[derive(Debug, Default)]
pub struct Choices {
    items: Vec<Choice>,
    selected: usize,
    /// First line seen.
    top: usize,
    /// Shown instead of an empty list.
    empty: Cow<'static, str>,
    cut: Cut,
}

/// One line of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    /// Over a group.
    Heading(&'static str),
    /// The choice at that place.
    Choice(usize),
}

/// Which side of a label is cut if it is too long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cut {
    #[default]
    End,
    /// The end of a path says more.
    Start,
}

impl Choices {
    pub fn new(items: Vec<Choice>, empty: impl Into<Cow<'static, str>>) -> Self {
        Self {
            items,
            empty: empty.into(),
            ..Self::default()
        }
    }

    pub fn cut_at_start(self) -> Self {
        Self {
            cut: Cut::Start,
            ..self
        }
    }

    /// With the choice at that place selected.
    pub fn with_selected(self, selected: usize) -> Self {
        Self { selected, ..self }
    }

    pub fn selected(&self) -> Option<&Choice> {
        self.items.get(self.selected)
    }

    pub fn rows(&self) -> u16 {
        let lines = self.lines();
        let max = match lines.first() {
            Some(Line::Heading(_)) => MAX_GROUPED_ROWS,
            _ => MAX_ROWS,
        };
        u16::try_from(lines.len()).unwrap_or(max).clamp(1, max)
    }

    /// What is listed: each choice, and over the first of each group its heading, unless all are of one.
    fn lines(&self) -> Vec<Line> {
        let mut lines = Vec::with_capacity(self.items.len());
        let first = self.items.first().map(|choice| choice.group);
        let grouped = self.items.iter().any(|choice| Some(choice.group) != first);
        let mut group = "";
        for (at, choice) in self.items.iter().enumerate() {
            if grouped && choice.group != group {
                group = choice.group;
                lines.push(Line::Heading(group));
            }
            lines.push(Line::Choice(at));
        }
        lines
    }

    /// Selects the next or previous one, around the ends.
    pub fn step(&mut self, forward: bool) {
        let Some(last) = self.items.len().checked_sub(1) else {
            return;
        };
        self.selected = match (forward, self.selected) {
            (true, at) if at >= last => 0,
            (true, at) => at + 1,
            (false, 0) => last,
            (false, at) => at - 1,
        };
    }

    /// A title line and the choices, in all of `area`.
    pub fn draw(&mut self, title: &str, area: Rect, buf: &mut Buffer, ctx: &RenderContext<'_>) {
        Clear.render(area, buf);
        if area.is_empty() {
            return;
        }
        let width = usize::from(area.width);
        let (head, list) = split_top(area, 1);
        draw_rows([&self.title(title, width, ctx)], head, buf);
        if self.items.is_empty() {
            let line = StyledLine::styled(&format!("  {}", self.empty), ctx.theme.dim);
            return draw_rows([&line.truncate(width, ctx.symbols.ellipsis)], list, buf);
        }
        let seen = usize::from(list.height).max(1);
        let lines = self.lines();
        let selected = Line::Choice(self.selected);
        let at = lines.iter().position(|line| *line == selected).unwrap_or(0);
        // A heading right above comes into view with the first of its group.
        let over = at.checked_sub(1).and_then(|over| lines.get(over));
        let headed = seen > 1 && matches!(over, Some(Line::Heading(_)));
        let first = at - usize::from(headed);
        let next = next_group(&lines, at, seen);
        let above = seen - next.len();
        self.top = self.top.clamp((at + 1).saturating_sub(above), first);
        let window = |count| lines.iter().skip(self.top).take(count);
        // The next group may be in sight by itself.
        let shown: Vec<&Line> = match self.top + seen >= next.end {
            true => window(seen).collect(),
            false => {
                let peek = lines.iter().skip(next.start).take(next.len());
                window(above).chain(peek).collect()
            }
        };
        let columns = self.columns(width, shown.iter().copied());
        let rows: Vec<Row> = shown
            .into_iter()
            .map(|line| match *line {
                Line::Heading(group) => {
                    let heading = StyledLine::styled(group, ctx.theme.dim.bold());
                    heading.truncate(width, ctx.symbols.ellipsis)
                }
                Line::Choice(at) => match self.items.get(at) {
                    Some(choice) => row(choice, at == self.selected, &columns, width, ctx),
                    None => Row::default(),
                },
            })
            .collect();
        draw_rows(&rows, list, buf);
    }

    fn title(&self, title: &str, width: usize, ctx: &RenderContext<'_>) -> Row {
        let (rule, border) = (ctx.symbols.rule, ctx.theme.border);
        let mut line = StyledLine::styled(&format!("{rule}{rule} {title} "), border);
        if self.items.len() > 1 {
            let place = format!("{}/{} ", self.selected + 1, self.items.len());
            line.push(&place, border);
        }
        line.push(&rule.repeat(width.saturating_sub(line.width())), border);
        line.truncate(width, ctx.symbols.ellipsis)
    }

    /// Labels get what those seen need, at most half of the row if there are details.
    fn columns<'a>(&self, width: usize, lines: impl Iterator<Item = &'a Line> + Clone) -> Columns {
        let room = width.saturating_sub(MARKER_WIDTH);
        let seen = || {
            lines.clone().filter_map(|line| match line {
                Line::Choice(at) => self.items.get(*at),
                Line::Heading(_) => None,
            })
        };
        let label = if width < DETAILS_FROM || seen().all(|choice| choice.detail.is_empty()) {
            room
        } else {
            let widths = seen().map(|choice| cell_width(beginning(&choice.label)));
            widths.max().unwrap_or(0).min(room.div_ceil(2))
        };
        Columns {
            label,
            detail: room.saturating_sub(label + GAP),
            cut: self.cut,
        }
    }
}

/// The beginning of the group behind the one that the line at `at` is in, where there is room to show that as well:
/// what an agent can do is seen without going through all that is ours.
fn next_group(lines: &[Line], at: usize, seen: usize) -> Range<usize> {
    let mut behind = lines.iter().enumerate().skip(at + 1);
    let heading = behind.find(|(_, line)| matches!(line, Line::Heading(_)));
    match heading {
        Some((from, _)) if seen >= PEEK_FROM => from..(from + PEEK).min(lines.len()),
        _ => 0..0,
    }
}

/// Cells of a row, without the marker and the gap.
struct Columns {
    label: usize,
    detail: usize,
    cut: Cut,
}

const MARKER_WIDTH: usize = 2;

/// Between label and detail.
const GAP: usize = 2;

/// Narrower lists have no details.
const DETAILS_FROM: usize = 40;

/// One choice: what matches in its label marked, its detail in a column.
fn row(
    choice: &Choice,
    selected: bool,
    columns: &Columns,
    width: usize,
    ctx: &RenderContext<'_>,
) -> Row {
    let theme = ctx.theme;
    let mark = theme
        .accent
        .add_modifier(Modifier::BOLD | Modifier::UNDERLINED);
    let marker = if selected { ctx.symbols.prompt } else { " " };
    let mut line = StyledLine::styled(marker, theme.text).with(" ", theme.text);
    let label = beginning(&choice.label);
    let (mut shown, mut dots) = (0..label.len(), "");
    if cell_width(label) > columns.label {
        dots = ctx.symbols.ellipsis;
        let room = columns.label.saturating_sub(cell_width(dots));
        match columns.cut {
            Cut::End => shown.end = prefix_of_width(label, room).len(),
            Cut::Start => shown.start = label.len() - suffix_of_width(label, room).len(),
        }
    }
    if columns.cut == Cut::Start {
        line.push(dots, theme.dim);
    }
    for (n, (at, unit)) in label.grapheme_indices(true).enumerate() {
        if shown.contains(&at) {
            let marked = choice.marks.binary_search(&n).is_ok();
            line.push(unit, if marked { mark } else { theme.text });
        }
    }
    if columns.cut == Cut::End {
        line.push(dots, theme.dim);
    }
    if !choice.detail.is_empty() && columns.detail > 0 {
        let detail = SafeText::line(beginning(&choice.detail));
        line.fill_to(MARKER_WIDTH + columns.label + GAP, theme.text);
        line.push(
            &truncate_with(&detail, columns.detail, ctx.symbols.ellipsis),
            theme.dim,
        );
    }
    let mut row = line.into_row();
    if selected {
        select(&mut row, width, theme.selected);
    }
    row
}

/// The longest end of `text` that fits into `width` cells.
pub(super) fn suffix_of_width(text: &str, width: usize) -> &str {
    let mut used = 0;
    let units = text.grapheme_indices(true).rev();
    let fits = units.take_while(|(_, unit)| {
        used += cell_width(unit);
        used <= width
    });
    &text[fits.last().map_or(text.len(), |(at, _)| at)..]
}

/// The first line of `text`, as far as it could be seen.
pub(super) fn beginning(text: &str) -> &str {
    let line = text.lines().next().unwrap_or("");
    line.char_indices()
        .nth(SHOWN_CHARS)
        .map_or(line, |(end, _)| &line[..end])
}
