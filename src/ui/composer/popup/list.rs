//! The list that all popups are: choices with marks, one of them selected.

use std::borrow::Cow;

use ratatui::{
    buffer::{Buffer, CellWidth},
    layout::Rect,
    style::{Modifier, Style},
    text::{Line, Span},
    widgets::{Clear, Widget},
};
use unicode_segmentation::UnicodeSegmentation;

use crate::{
    text::{SafeText, truncate_to_width},
    ui::render::{RenderContext, line::selected_style},
};

/// Choices seen at once.
pub const MAX_ROWS: u16 = 10;

/// Characters of a text that are looked at to draw one row of it; agents send descriptions of many
/// kilobytes.
const SHOWN_CHARS: usize = 400;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub label: SafeText,
    /// Grapheme clusters of the label that match the query.
    pub marks: Vec<usize>,
    pub detail: SafeText,
    /// What is put into the draft: raw.
    pub value: String,
}

#[derive(Debug, Default)]
pub struct Choices {
    items: Vec<Choice>,
    selected: usize,
    /// First one seen.
    top: usize,
    /// Said in place of an empty list.
    empty: Cow<'static, str>,
    cut: Cut,
}

/// Which side of a label goes where it is too long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cut {
    #[default]
    End,
    /// The end of a path tells more.
    Start,
}

impl Choices {
    pub fn new(items: Vec<Choice>, empty: impl Into<Cow<'static, str>>) -> Self {
        Self {
            items,
            selected: 0,
            top: 0,
            empty: empty.into(),
            cut: Cut::End,
        }
    }

    pub fn cut_at_start(self) -> Self {
        Self {
            cut: Cut::Start,
            ..self
        }
    }

    pub fn selected(&self) -> Option<&Choice> {
        self.items.get(self.selected)
    }

    pub fn rows(&self) -> u16 {
        let rows = self.items.len().clamp(1, MAX_ROWS.into());
        u16::try_from(rows).unwrap_or(MAX_ROWS)
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
        let Some(height) = area.height.checked_sub(1) else {
            return;
        };
        self.draw_title(title, Rect { height: 1, ..area }, buf, ctx);
        let list = Rect {
            y: area.y + 1,
            height,
            ..area
        };
        if self.items.is_empty() {
            let line = Line::styled(format!("  {}", self.empty), ctx.theme.dim);
            line.render(list, buf);
            return;
        }
        let seen = usize::from(height).max(1);
        self.top = self
            .top
            .clamp((self.selected + 1).saturating_sub(seen), self.selected);
        let columns = self.columns(list.width, seen);
        for (row, (index, choice)) in list
            .rows()
            .zip(self.items.iter().enumerate().skip(self.top))
        {
            let selected = index == self.selected;
            draw_choice(choice, selected, &columns, row, buf, ctx);
        }
    }

    fn draw_title(&self, title: &str, area: Rect, buf: &mut Buffer, ctx: &RenderContext<'_>) {
        let rule = ctx.symbols.rule;
        let mut text = format!("{rule}{rule} {title} ");
        if self.items.len() > 1 {
            text.push_str(&format!("{}/{} ", self.selected + 1, self.items.len()));
        }
        let text = truncate_to_width(&text, area.width.into());
        let rest = area.width.saturating_sub(text.cell_width());
        let fill = rule.repeat(rest.into());
        Line::from(vec![Span::raw(text.as_ref()), Span::raw(fill)])
            .style(ctx.theme.border)
            .render(area, buf);
    }

    /// Labels get what those seen need, at most half of the row if there are details.
    fn columns(&self, width: u16, seen: usize) -> Columns {
        let room = usize::from(width).saturating_sub(MARKER_WIDTH);
        let seen = || self.items.iter().skip(self.top).take(seen);
        let label = if width < DETAILS_FROM || seen().all(|choice| choice.detail.is_empty()) {
            room
        } else {
            let widths = seen().map(|choice| beginning(&choice.label).cell_width().into());
            widths.max().unwrap_or(0).min(room.div_ceil(2))
        };
        Columns {
            label,
            detail: room.saturating_sub(label + GAP),
            cut: self.cut,
        }
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
const DETAILS_FROM: u16 = 40;

fn draw_choice(
    choice: &Choice,
    selected: bool,
    columns: &Columns,
    area: Rect,
    buf: &mut Buffer,
    ctx: &RenderContext<'_>,
) {
    let theme = ctx.theme;
    let (marker, style) = if selected {
        (ctx.symbols.prompt, theme.selected)
    } else {
        (" ", Style::new())
    };
    let mark = theme
        .accent
        .add_modifier(Modifier::BOLD | Modifier::UNDERLINED);
    let mut line = Line::raw(format!("{marker} "));
    push_label(choice, columns, mark, &mut line, ctx);
    if !choice.detail.is_empty() && columns.detail > 0 {
        let detail = SafeText::line(beginning(&choice.detail));
        let detail = truncate_to_width(&detail, columns.detail).into_owned();
        let used = line.width();
        let gap = (MARKER_WIDTH + columns.label + GAP).saturating_sub(used);
        line.push_span(Span::styled(" ".repeat(gap), theme.text));
        line.push_span(Span::styled(detail, theme.dim));
    }
    if selected {
        for span in &mut line.spans {
            span.style = selected_style(span.style, style);
        }
    }
    buf.set_style(area, style);
    line.render(area, buf);
}

/// The label in its column, what matches in it marked.
fn push_label(
    choice: &Choice,
    columns: &Columns,
    mark: Style,
    line: &mut Line<'static>,
    ctx: &RenderContext<'_>,
) {
    let label = beginning(&choice.label);
    let units: Vec<(usize, &str)> = label.graphemes(true).enumerate().collect();
    let dots = Span::styled(ctx.symbols.ellipsis, ctx.theme.dim);
    if label.cell_width() as usize <= columns.label {
        line.extend(marked(&units, choice, mark));
        return;
    }
    let room = columns.label.saturating_sub(dots.width());
    let mut used = 0;
    let mut fits = |(_, unit): &&(usize, &str)| {
        used += usize::from(unit.cell_width());
        used <= room
    };
    match columns.cut {
        Cut::End => {
            let kept = units.iter().take_while(&mut fits).count();
            line.extend(marked(&units[..kept], choice, mark));
            line.push_span(dots);
        }
        Cut::Start => {
            let kept = units.iter().rev().take_while(&mut fits).count();
            line.push_span(dots);
            line.extend(marked(&units[units.len() - kept..], choice, mark));
        }
    }
}

/// Spans of the clusters, which come with their places in the label.
fn marked(units: &[(usize, &str)], choice: &Choice, mark: Style) -> Vec<Span<'static>> {
    let is_marked = |(index, _): &(usize, &str)| choice.marks.binary_search(index).is_ok();
    units
        .chunk_by(|a, b| is_marked(a) == is_marked(b))
        .map(|run| {
            let text: String = run.iter().map(|(_, unit)| *unit).collect();
            let style = run.first().filter(|unit| is_marked(unit)).map(|_| mark);
            Span::styled(text, style.unwrap_or_default())
        })
        .collect()
}

/// The first line of `text`, or of it what could be seen.
pub(super) fn beginning(text: &str) -> &str {
    let line = text.lines().next().unwrap_or("");
    line.char_indices()
        .nth(SHOWN_CHARS)
        .map_or(line, |(end, _)| &line[..end])
}
