//! A list narrowed by typing: the palette, the agent picker, options and their values.

mod draw;

use crate::{
    text::{SafeText, cell_width, wrap},
    ui::{composer::fuzzy::Fuzzy, keymap::Chord, overlay::panel::Scroll, render::line::StyledLine},
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

/// An entry with more to it.
#[derive(Clone, Debug)]
pub struct Described<T> {
    pub entry: Entry<T>,
    /// Shown beside the label where there is room; typing does not search it.
    pub description: Option<SafeText>,
    /// What stands over it and over those behind it that have the same. It cannot be selected.
    pub heading: Option<SafeText>,
}

/// Columns from which descriptions stand beside the labels.
const WIDE: usize = 60;

/// Cells for labels that have descriptions beside them.
const LABEL_WIDTH: usize = 36;

/// Rows for a description below the list.
const DESCRIPTION_ROWS: usize = 3;

pub struct FilterList<T> {
    query: String,
    entries: Vec<Described<T>>,
    /// Cells of the labels' column, and of each description.
    label_width: usize,
    description_widths: Vec<usize>,
    /// Rows that they take below a list of that width.
    rows_below: Option<(usize, usize)>,
    /// For each entry: it only says something, and cannot be selected. Empty: all can.
    still: Vec<bool>,
    /// There are headings: what matches stays in its order below them.
    grouped: bool,
    /// Indexes of entries that match: the best first, or in order.
    found: Vec<usize>,
    selected: usize,
    scroll: Scroll,
}

/// Cells before each label, and between it and its description.
const MARKER: usize = 2;
const GAP: usize = 2;

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
        let mut list = Self {
            query: String::new(),
            found: Vec::new(),
            entries: Vec::new(),
            label_width: 0,
            description_widths: Vec::new(),
            rows_below: None,
            still: Vec::new(),
            grouped: false,
            selected: 0,
            scroll: Scroll::default(),
        };
        list.set_entries(entries);
        list
    }

    /// Replaces the entries; what was typed goes on counting.
    pub fn set_entries(&mut self, entries: Vec<Entry<T>>) {
        let plain = |entry| Described {
            entry,
            description: None,
            heading: None,
        };
        self.set_described(entries.into_iter().map(plain).collect());
    }

    /// The same with descriptions and headings.
    pub fn set_described(&mut self, entries: Vec<Described<T>>) {
        self.grouped = entries.iter().any(|entry| entry.heading.is_some());
        let labels = entries.iter().map(|entry| entry.entry.label.width());
        self.label_width = labels.max().unwrap_or(0).min(LABEL_WIDTH);
        self.description_widths = entries
            .iter()
            .map(|entry| entry.description.as_ref().map_or(0, |d| cell_width(d)))
            .collect();
        self.rows_below = None;
        self.still.clear();
        self.entries = entries;
        self.narrow();
    }

    /// Says which entries only say something. To be called behind
    /// [`set_entries`](Self::set_entries).
    pub fn keep_still(&mut self, still: impl Fn(&T) -> bool) {
        let values = self.entries.iter().map(|entry| &entry.entry.value);
        self.still = values.map(still).collect();
        self.narrow();
    }

    fn is_still(&self, at: usize) -> bool {
        self.still.get(at).copied().unwrap_or(false)
    }

    /// Forgets what was typed.
    pub fn clear(&mut self) {
        self.edit(String::clear);
    }

    /// Something was typed that narrows it.
    pub fn is_narrowed(&self) -> bool {
        !self.query.is_empty()
    }

    pub fn selected(&self) -> Option<&T> {
        Some(&self.selected_entry()?.entry.value)
    }

    fn selected_entry(&self) -> Option<&Described<T>> {
        self.entries.get(*self.found.get(self.selected)?)
    }

    /// Selects the first entry that is wanted, if it is among those shown.
    pub fn select(&mut self, wanted: impl Fn(&T) -> bool) {
        let is_wanted = |at: &usize| {
            self.entries
                .get(*at)
                .is_some_and(|e| wanted(&e.entry.value))
        };
        if let Some(at) = self.found.iter().position(is_wanted) {
            self.selected = at;
        }
    }

    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Rows that the whole list wants, the filter's included.
    pub fn rows(&self) -> usize {
        let count = self.entries.len();
        // One is there to say that there is nothing.
        count.max(1) + self.headings(0..count).count() + 1
    }

    /// Whether all of a description stands beside its label.
    fn is_beside(&self, at: usize, width: usize) -> bool {
        let note = self.entries.get(at).map_or(0, |e| e.entry.note.width());
        let text = self.description_widths.get(at).copied().unwrap_or(0);
        let left = MARKER + self.label_width + GAP + text;
        text == 0 || (width >= WIDE && left + note + usize::from(note > 0) <= width)
    }

    /// Rows below the list for what does not stand beside a label; the same whatever is selected, so
    /// that the list does not move.
    pub fn description_rows(&mut self, width: usize) -> usize {
        if let Some((_, rows)) = self.rows_below.filter(|(measured, _)| *measured == width) {
            return rows;
        }
        let rows = (0..self.entries.len())
            .filter(|at| !self.is_beside(*at, width))
            .filter_map(|at| self.entries.get(at)?.description.as_deref())
            .map(|text| wrap(text, width.max(1), width.max(1)).len());
        let rows = rows.max().unwrap_or(0).min(DESCRIPTION_ROWS);
        self.rows_below = Some((width, rows));
        rows
    }

    /// The selected entry's, if not all of it stands beside its label.
    pub fn description_below(&self, width: usize) -> Option<&SafeText> {
        let at = *self.found.get(self.selected)?;
        let description = self.entries.get(at)?.description.as_ref();
        description.filter(|_| !self.is_beside(at, width))
    }

    /// Where in a run of entries a new heading stands over one.
    fn headings(&self, entries: impl Iterator<Item = usize>) -> impl Iterator<Item = usize> {
        let mut before = None;
        entries.filter(move |at| {
            let heading = self.entries.get(*at).map(|entry| &entry.heading);
            let new = heading.is_some_and(|h| h.is_some()) && before.as_ref() != heading.as_ref();
            before = heading;
            new
        })
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
        for (at, Described { entry, .. }) in self.entries.iter().enumerate() {
            let name = format!("{} {}", entry.label.text(), entry.note.text());
            if let Some(score) = fuzzy.score(&name) {
                scored.push((score, at));
            }
        }
        scored.sort_by_key(|(score, at)| (std::cmp::Reverse(*score), *at));
        let best = scored.first().map(|(_, at)| *at);
        self.found = scored.into_iter().map(|(_, at)| at).collect();
        if !self.query.is_empty() {
            let found = std::mem::take(&mut self.found).into_iter();
            self.found = found.filter(|at| !self.is_still(*at)).collect();
        }
        let selectable = self.found.iter().position(|at| !self.is_still(*at));
        self.selected = selectable.unwrap_or(0);
        if self.grouped {
            self.found.sort_unstable();
            let best = self.found.iter().position(|at| Some(*at) == best);
            self.selected = best.unwrap_or(0);
        }
        self.scroll.home();
    }

    fn step(&mut self, by: isize) {
        let last = self.found.len().saturating_sub(1);
        let to = self.selected.saturating_add_signed(by).min(last);
        let selectable = |n: &usize| self.found.get(*n).is_some_and(|at| !self.is_still(*at));
        // The next in that direction, else the last before it.
        let next = match by < 0 {
            true => (0..=to)
                .rev()
                .find(selectable)
                .or_else(|| (to..=last).find(selectable)),
            false => (to..=last)
                .find(selectable)
                .or_else(|| (0..=to).rev().find(selectable)),
        };
        self.selected = next.unwrap_or(to);
    }
}

#[cfg(test)]
mod tests {
    use ratatui::style::Style;

    use super::{draw::ListRow, *};

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

    #[test]
    fn what_only_says_something_is_passed_over() {
        let mut list = list(&["said", "alpha", "said", "beta", "said"]);
        list.keep_still(|value| value % 2 == 0);
        assert_eq!(list.selected(), Some(&1));
        press(&mut list, "down");
        assert_eq!(list.selected(), Some(&3));
        press(&mut list, "down");
        assert_eq!(list.selected(), Some(&3), "there is nothing behind it");
        press(&mut list, "up");
        assert_eq!(list.selected(), Some(&1));
        press(&mut list, "end");
        assert_eq!(list.selected(), Some(&3));
        press(&mut list, "home");
        assert_eq!(list.selected(), Some(&1));
        press(&mut list, "s a i d");
        assert_eq!(list.selected(), None, "typing finds no such row");
    }

    #[test]
    fn a_heading_is_never_selected_and_the_order_stays_below_it_v1_cfg_02_v1_cfg_07() {
        let entry = |value: usize, name: &str, heading: Option<&'static str>| Described {
            entry: Entry {
                label: StyledLine::styled(name, Style::new()),
                note: StyledLine::new(),
                value,
            },
            description: None,
            heading: heading.map(SafeText::from),
        };
        let mut list = FilterList::new(Vec::new());
        list.set_described(vec![
            entry(0, "loose", None),
            entry(1, "opus large", Some("A")),
            entry(2, "sonnet", Some("A")),
            entry(3, "opus", Some("B")),
        ]);
        let (heading, row) = (ListRow::Heading, ListRow::Entry);
        let all = [row(0), heading(1), row(1), row(2), heading(3), row(3)];
        assert_eq!(list.list_rows(), all);
        assert_eq!(list.rows(), 7, "the filter's too");
        press(&mut list, "down down down");
        assert_eq!(list.selected(), Some(&3));
        press(&mut list, "o p u s");
        assert_eq!(list.list_rows(), [heading(1), row(0), heading(3), row(1)]);
        assert_eq!(list.len(), 2);
    }
}
