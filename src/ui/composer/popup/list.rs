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
    ui::render::RenderContext,
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
    pub empty: &'static str,
}

impl Choices {
    pub fn new(items: Vec<Choice>, empty: &'static str) -> Self {
        Self {
            items,
            selected: 0,
            top: 0,
            empty,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
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
        let label_room = self.label_room(list.width, seen);
        for (row, (index, choice)) in list
            .rows()
            .zip(self.items.iter().enumerate().skip(self.top))
        {
            draw_choice(choice, index == self.selected, label_room, row, buf, ctx);
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

    /// Cells for the labels: as wide as those seen, at most half of the row if there are details.
    fn label_room(&self, width: u16, seen: usize) -> usize {
        let room = usize::from(width).saturating_sub(MARKER_WIDTH);
        let seen = || self.items.iter().skip(self.top).take(seen);
        if seen().all(|choice| choice.detail.is_empty()) {
            return room;
        }
        let widest = seen()
            .map(|choice| beginning(&choice.label).cell_width().into())
            .max();
        widest.unwrap_or(0).min(room.div_ceil(2))
    }
}

const MARKER_WIDTH: usize = 2;

fn draw_choice(
    choice: &Choice,
    selected: bool,
    label_room: usize,
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
    let mut spans = vec![Span::styled(format!("{marker} "), theme.accent)];
    let used = push_label(choice, label_room, &mut spans, ctx);
    if !choice.detail.is_empty() {
        let detail = beginning(&choice.detail);
        let gap = label_room.saturating_sub(used) + 2;
        let room = usize::from(area.width).saturating_sub(MARKER_WIDTH + label_room + 2);
        spans.push(Span::raw(" ".repeat(gap)));
        spans.push(Span::styled(
            truncate_to_width(detail, room).into_owned(),
            theme.dim,
        ));
    }
    buf.set_style(area, style);
    Line::from(spans).render(area, buf);
}

/// Pushes the label in at most `room` cells and tells how many it took. Where it is cut, its end
/// stays: that of a path tells more.
fn push_label(
    choice: &Choice,
    room: usize,
    spans: &mut Vec<Span<'static>>,
    ctx: &RenderContext<'_>,
) -> usize {
    let units: Vec<(usize, &str)> = beginning(&choice.label)
        .graphemes(true)
        .enumerate()
        .collect();
    let width = |unit: &str| usize::from(unit.cell_width());
    let mut kept: usize = units.iter().map(|(_, unit)| width(unit)).sum();
    let mut shown = units.as_slice();
    if kept > room {
        let ellipsis = ctx.symbols.ellipsis;
        let dots = width(ellipsis);
        while let [(_, first), rest @ ..] = shown
            && kept + dots > room
        {
            kept -= width(first);
            shown = rest;
        }
        spans.push(Span::styled(ellipsis, ctx.theme.dim));
        kept += dots;
    }
    let mark = ctx.theme.accent.add_modifier(Modifier::BOLD);
    for (index, unit) in shown {
        let style = if choice.marks.binary_search(index).is_ok() {
            mark
        } else {
            ctx.theme.text
        };
        match spans.last_mut() {
            Some(last) if last.style == style && spans_more(last) => {
                last.content.to_mut().push_str(unit);
            }
            _ => spans.push(Span::styled((*unit).to_owned(), style)),
        }
    }
    kept
}

/// The marker and the ellipsis stand alone.
fn spans_more(last: &Span<'_>) -> bool {
    matches!(last.content, Cow::Owned(_)) && !last.content.ends_with(' ')
}

/// The first line of `text`, or of it what could be seen.
fn beginning(text: &str) -> &str {
    let line = text.lines().next().unwrap_or("");
    line.char_indices()
        .nth(SHOWN_CHARS)
        .map_or(line, |(end, _)| &line[..end])
}
