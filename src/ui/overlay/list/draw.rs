//! How a [`FilterList`] is drawn.

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use super::{FilterList, GAP, MARKER, WIDE};
use crate::{
    text::SafeText,
    ui::{
        overlay::OverlayContext,
        render::{
            Row,
            line::{StyledLine, select, spread},
        },
    },
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListRow {
    /// Over the entry of that index.
    Heading(usize),
    /// The n-th of those found.
    Entry(usize),
}

impl<T> FilterList<T> {
    /// Where the window stands in a list that is longer than it.
    fn place(&self, top: usize, cx: &OverlayContext<'_>) -> StyledLine {
        let below = self.scroll.below();
        if top == 0 && below == 0 {
            return StyledLine::new();
        }
        let place = format!("{}/{}", self.selected + 1, self.found.len());
        let mut line = StyledLine::styled(&place, cx.theme.dim);
        for (sign, there) in [
            (cx.symbols.more_above, top > 0),
            (cx.symbols.more, below > 0),
        ] {
            if there {
                line.push(&format!(" {sign}"), cx.theme.warning);
            }
        }
        line
    }

    /// What is listed, with the headings.
    pub(super) fn list_rows(&self) -> Vec<ListRow> {
        let mut rows = Vec::with_capacity(self.found.len());
        let mut headings = self.headings(self.found.iter().copied()).peekable();
        for (n, at) in self.found.iter().enumerate() {
            if headings.next_if_eq(at).is_some() {
                rows.push(ListRow::Heading(*at));
            }
            rows.push(ListRow::Entry(n));
        }
        rows
    }

    fn heading_row(&self, at: usize, width: usize, cx: &OverlayContext<'_>) -> Row {
        let heading = self.entries.get(at).and_then(|e| e.heading.as_deref());
        let style = cx.theme.dim.bold();
        StyledLine::styled(heading.unwrap_or_default(), style).truncate(width, cx.symbols.ellipsis)
    }

    fn entry_row(&self, n: usize, width: usize, cx: &OverlayContext<'_>) -> Row {
        let theme = cx.theme;
        let Some(entry) = self.found.get(n).and_then(|at| self.entries.get(*at)) else {
            return Row::default();
        };
        let selected = n == self.selected;
        let marker = if selected { cx.symbols.prompt } else { " " };
        let mut label = StyledLine::styled(marker, theme.accent);
        label.push(" ", theme.text);
        label.extend(&entry.entry.label);
        if let Some(description) = entry.description.as_ref().filter(|_| width >= WIDE) {
            label.fill_to(MARKER + self.label_width, theme.text);
            label.push(&" ".repeat(GAP), theme.text);
            label.push(description, theme.dim);
        }
        let mut row = spread(&label, &entry.entry.note, width, cx.symbols.ellipsis);
        if selected {
            select(&mut row, width, theme.selected);
        }
        row
    }

    /// Draws filter and list; returns the cursor's place at the end of the filter.
    pub fn draw(
        &mut self,
        area: Rect,
        buffer: &mut Buffer,
        cx: &OverlayContext<'_>,
    ) -> Option<Position> {
        if area.is_empty() {
            return None;
        }
        let theme = cx.theme;
        let mut line = StyledLine::styled(cx.symbols.prompt, theme.accent);
        line.push(" ", theme.text);
        line.push(&SafeText::line(&self.query), theme.text);
        let cursor = u16::try_from(line.width()).unwrap_or(u16::MAX);
        if self.query.is_empty() {
            line.push("type to narrow", theme.dim);
        }
        let width = usize::from(area.width);
        let list = Rect {
            y: area.y + 1,
            height: area.height - 1,
            ..area
        };
        if self.found.is_empty() {
            let what = match self.entries.len() {
                0 => "  nothing to choose from",
                _ => "  nothing of that name",
            };
            let row = StyledLine::styled(what, theme.dim).truncate(width, cx.symbols.ellipsis);
            if list.height > 0 {
                buffer.set_line(list.x, list.y, &row.line, list.width);
            }
        }
        let rows = self.list_rows();
        let selected = rows
            .iter()
            .position(|row| *row == ListRow::Entry(self.selected))
            .unwrap_or(0);
        // A heading right above comes into view with the first of its entries.
        let over = selected.checked_sub(1).and_then(|at| rows.get(at));
        let first = selected - usize::from(matches!(over, Some(ListRow::Heading(_))));
        let shown = if list.height > 1 { first } else { selected };
        let top = self
            .scroll
            .fit_to_show(shown..selected + 1, rows.len(), list.height);
        let row = spread(&line, &self.place(top, cx), width, cx.symbols.ellipsis);
        buffer.set_line(area.x, area.y, &row.line, area.width);
        for (y, row) in (list.top()..list.bottom()).zip(rows.iter().skip(top)) {
            let row = match row {
                ListRow::Heading(at) => self.heading_row(*at, width, cx),
                ListRow::Entry(n) => self.entry_row(*n, width, cx),
            };
            buffer.set_line(list.x, y, &row.line, list.width);
        }
        Some(Position::new(
            area.x + cursor.min(area.width.saturating_sub(1)),
            area.y,
        ))
    }
}
