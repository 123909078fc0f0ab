//! A list narrowed by typing: the palette, the agent picker.

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use crate::{
    text::SafeText,
    ui::{
        composer::fuzzy::Fuzzy,
        keymap::Chord,
        overlay::{OverlayContext, panel::Scroll},
        render::line::{StyledLine, pad, spread},
    },
};

/// Characters of the filter.
const MAX_QUERY: usize = 200;

/// One entry, drawn in two columns.
#[derive(Clone, Debug)]
pub struct Entry<T> {
    pub label: StyledLine,
    /// At the right end: a key, a state.
    pub note: StyledLine,
    pub value: T,
}

pub struct FilterList<T> {
    query: String,
    entries: Vec<Entry<T>>,
    /// Indexes of entries that match, the best first.
    found: Vec<usize>,
    selected: usize,
    scroll: Scroll,
}

/// What a key did to the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listed {
    /// Not a key of lists.
    Pass,
    Taken,
    Chosen,
}

impl<T> Default for FilterList<T> {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl<T> FilterList<T> {
    pub fn new(entries: Vec<Entry<T>>) -> Self {
        Self {
            query: String::new(),
            found: (0..entries.len()).collect(),
            entries,
            selected: 0,
            scroll: Scroll::default(),
        }
    }

    /// Replaces the entries; what was typed goes on counting.
    pub fn set_entries(&mut self, entries: Vec<Entry<T>>) {
        self.entries = entries;
        self.narrow();
    }

    /// Something was typed that narrows it.
    pub fn is_narrowed(&self) -> bool {
        !self.query.is_empty()
    }

    pub fn selected(&self) -> Option<&T> {
        let at = *self.found.get(self.selected)?;
        self.entries.get(at).map(|entry| &entry.value)
    }

    /// Selects the first entry that is wanted, if it is among those shown.
    pub fn select(&mut self, wanted: impl Fn(&T) -> bool) {
        let is_wanted = |at: &usize| self.entries.get(*at).is_some_and(|e| wanted(&e.value));
        if let Some(at) = self.found.iter().position(is_wanted) {
            self.selected = at;
        }
    }

    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Rows that the whole list wants, the filter's included.
    pub fn rows(&self) -> usize {
        self.entries.len() + 1
    }

    pub fn handle(&mut self, key: Chord) -> Listed {
        use crossterm::event::KeyCode::{
            Backspace, Char, Down, End, Enter, Home, PageDown, PageUp, Up,
        };
        use crossterm::event::KeyModifiers;
        let ctrl = key.modifiers() == KeyModifiers::CONTROL;
        match key.code() {
            Char(c) if key.is_text() => self.edit(|query| {
                if query.chars().count() < MAX_QUERY {
                    query.push(c);
                }
            }),
            Backspace => self.edit(|query| {
                query.pop();
            }),
            Char('u') if ctrl => self.edit(String::clear),
            Char('w') if ctrl => self.edit(|query| {
                let kept = query.trim_end().rfind(' ').map_or(0, |at| at + 1);
                query.truncate(kept);
            }),
            Up => self.step(-1),
            Down => self.step(1),
            PageUp => self.step(-10),
            PageDown => self.step(10),
            Home => self.step(isize::MIN),
            End => self.step(isize::MAX),
            Enter => return Listed::Chosen,
            _ => return Listed::Pass,
        }
        Listed::Taken
    }

    /// Pasted text narrows as typed text does.
    pub fn paste(&mut self, text: &str) {
        let line = text.lines().next().unwrap_or_default();
        self.edit(|query| {
            let room = MAX_QUERY.saturating_sub(query.chars().count());
            query.extend(line.chars().filter(|c| !c.is_control()).take(room));
        });
    }

    fn edit(&mut self, change: impl FnOnce(&mut String)) {
        change(&mut self.query);
        self.narrow();
    }

    fn narrow(&mut self) {
        let mut fuzzy = Fuzzy::new(&self.query);
        let mut scored: Vec<(u16, usize)> = Vec::new();
        for (at, entry) in self.entries.iter().enumerate() {
            let name = format!("{} {}", entry.label.text(), entry.note.text());
            if let Some(score) = fuzzy.score(&name) {
                scored.push((score, at));
            }
        }
        scored.sort_by_key(|(score, at)| (std::cmp::Reverse(*score), *at));
        self.found = scored.into_iter().map(|(_, at)| at).collect();
        self.selected = 0;
        self.scroll.home();
    }

    fn step(&mut self, by: isize) {
        let last = self.found.len().saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(by).min(last);
    }

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
            let none = StyledLine::styled("  nothing of that name", theme.dim);
            let row = none.truncate(width, cx.symbols.ellipsis);
            if list.height > 0 {
                buffer.set_line(list.x, list.y, &row.line, list.width);
            }
        }
        let selected = self.selected..self.selected + 1;
        let top = self
            .scroll
            .fit_to_show(selected, self.found.len(), list.height);
        let row = spread(&line, &self.place(top, cx), width, cx.symbols.ellipsis);
        buffer.set_line(area.x, area.y, &row.line, area.width);
        let visible = self.found.iter().enumerate().skip(top);
        for (y, (n, at)) in (list.top()..list.bottom()).zip(visible) {
            let entry = &self.entries[*at];
            let selected = n == self.selected;
            let marker = if selected { cx.symbols.prompt } else { " " };
            let mut label = StyledLine::styled(marker, theme.accent);
            label.push(" ", theme.text);
            label.extend(&entry.label);
            let mut row = spread(&label, &entry.note, width, cx.symbols.ellipsis);
            if selected {
                pad(&mut row, width, theme.selected);
                row.line = row.line.patch_style(theme.selected);
            }
            buffer.set_line(list.x, y, &row.line, list.width);
        }
        Some(Position::new(
            area.x + cursor.min(area.width.saturating_sub(1)),
            area.y,
        ))
    }
}

#[cfg(test)]
mod tests {
    use ratatui::style::Style;

    use super::*;

    fn list(labels: &[&str]) -> FilterList<usize> {
        FilterList::new(
            labels
                .iter()
                .enumerate()
                .map(|(value, label)| Entry {
                    label: StyledLine::styled(label, Style::new()),
                    note: StyledLine::new(),
                    value,
                })
                .collect(),
        )
    }

    fn press(list: &mut FilterList<usize>, keys: &str) {
        for key in keys.split_whitespace() {
            let chord = Chord::parse(key).unwrap_or_else(|error| panic!("{error}"));
            list.handle(chord);
        }
    }

    #[test]
    fn typing_narrows_and_the_best_is_selected() {
        let mut list = list(&["Restart the agent", "Show all keys", "Scroll up a page"]);
        press(&mut list, "k e y");
        assert_eq!(list.selected(), Some(&1));
        press(&mut list, "x q");
        assert_eq!((list.len(), list.selected()), (0, None));
        press(&mut list, "ctrl-u down");
        assert_eq!((list.len(), list.selected()), (3, Some(&1)));
    }

    #[test]
    fn the_selection_stays_on_the_list() {
        let mut list = list(&["a", "b", "c"]);
        press(&mut list, "up");
        assert_eq!(list.selected(), Some(&0));
        press(&mut list, "end down pgdn");
        assert_eq!(list.selected(), Some(&2));
        press(&mut list, "home");
        assert_eq!(list.selected(), Some(&0));
    }
}
