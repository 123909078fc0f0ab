//! A list narrowed by typing: its filter, rows, headings, selection, paging and picture.

use std::cell::Cell;

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use crate::{
    text::{SafeText, cell_width, wrap},
    ui::{
        composer::fuzzy::{Fuzzy, Query},
        keymap::Chord,
        overlay::{
            OverlayContext,
            panel::{Scroll, marked},
        },
        pointer::WHEEL_ROWS,
        render::{
            Row, draw_rows,
            line::{StyledLine, select, spread},
            split_top,
        },
        theme::Theme,
    },
};

/// One row, drawn in two columns.
#[derive(Clone, Debug)]
pub struct ListRow<T> {
    /// What it stands for; `None`: it is a message, and cannot be selected.
    pub id: Option<T>,
    pub label: StyledLine,
    /// At the right end: a key, a state.
    pub note: StyledLine,
    /// Other words that find it; not shown.
    pub words: &'static str,
    /// Letters strewn over its name do not find it: it ends or deletes something.
    pub careful: bool,
    /// More for the right end, the most needed first: as much as leaves the label its room.
    pub more: Vec<StyledLine>,
    /// What was typed stands in the text that it is a row of: it is found, behind those whose name has it.
    pub in_text: bool,
    /// Shown beside the label where there is room, else below the list; typing does not search it.
    pub description: Option<SafeText>,
    /// What stands over it and over those behind it that have the same. It cannot be selected.
    pub heading: Option<SafeText>,
}

impl<T> ListRow<T> {
    pub fn new(id: T, label: StyledLine) -> Self {
        Self::of(Some(id), label)
    }

    fn of(id: Option<T>, label: StyledLine) -> Self {
        Self {
            id,
            label,
            note: StyledLine::new(),
            words: "",
            careful: false,
            more: Vec::new(),
            in_text: false,
            description: None,
            heading: None,
        }
    }

    pub fn with_note(self, note: StyledLine) -> Self {
        Self { note, ..self }
    }

    pub fn with_more(self, more: Vec<StyledLine>) -> Self {
        Self { more, ..self }
    }

    /// The note with as much more before it as leaves a label of that width its room: all it needs, but
    /// no more than most of the row.
    fn note_within(&self, label: usize, width: usize, cx: &OverlayContext<'_>) -> StyledLine {
        let room = width.saturating_sub(label.min(width * 3 / 5) + GAP);
        let mut note = self.note.clone();
        for more in &self.more {
            let mut longer = more.clone();
            if !note.is_empty() {
                longer.push(&format!(" {} ", cx.symbols.separator), cx.theme.dim);
                longer.extend(&note);
            }
            if longer.width() > room {
                break;
            }
            note = longer;
        }
        note
    }

    /// One that only says something.
    pub fn said(text: &str, theme: &Theme) -> Self {
        Self::of(None, StyledLine::styled(text, theme.dim))
    }
}

/// Columns from which descriptions stand beside the labels.
const WIDE: usize = 60;

/// Cells for labels that have descriptions beside them.
const LABEL_WIDTH: usize = 36;

/// Rows for a description below the list.
const DESCRIPTION_ROWS: usize = 3;

pub struct FilterList<T> {
    query: Query,
    rows: Vec<ListRow<T>>,
    /// Cells of the labels' column, and of each description.
    label_width: usize,
    description_widths: Vec<usize>,
    /// Rows that descriptions take below a list of that width.
    rows_below: Cell<Option<(usize, usize)>>,
    /// There are headings: what matches stays in its order below them.
    grouped: bool,
    /// Indexes of rows that match: the best first, or in order.
    found: Vec<usize>,
    selected: usize,
    scroll: Scroll,
    /// Where its lines were drawn, and the first of them.
    drawn: (Rect, usize),
    /// The row that the mouse button went down on.
    pressed: Option<usize>,
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

/// A line of the list as it is drawn.
/// How what was typed fits a row; the better the greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// By its letters in their order at most.
    Letters,
    /// It stands in the text behind the row.
    InText,
    /// Each word typed begins one of its words.
    Begins,
    /// Each word typed is one of those that find it.
    Synonyms,
    /// Each word typed is one of its name's.
    Words,
}

impl Fit {
    /// `query` in small letters.
    fn of(query: &str, name: &str, synonyms: &str) -> Self {
        let words = |text: &str| -> Vec<String> {
            let words = text.split(|c: char| !c.is_alphanumeric());
            let words = words.filter(|word| !word.is_empty());
            words.map(str::to_lowercase).collect()
        };
        let (name, synonyms) = (words(name), words(synonyms));
        let typed = words(query);
        let all = |fits: &dyn Fn(&String) -> bool| typed.iter().all(fits);
        let both = || name.iter().chain(&synonyms);
        if typed.is_empty() {
            Self::Letters
        } else if all(&|typed| name.iter().any(|word| word == typed)) {
            Self::Words
        } else if all(&|typed| both().any(|word| word == typed)) {
            Self::Synonyms
        } else if all(&|typed| both().any(|word| word.starts_with(typed.as_str()))) {
            Self::Begins
        } else {
            Self::Letters
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    /// Over the row of that index.
    Heading(usize),
    /// The n-th of those found.
    Row(usize),
}

impl<T: PartialEq> FilterList<T> {
    pub fn new(rows: Vec<ListRow<T>>) -> Self {
        let mut list = Self {
            query: Query::default(),
            found: Vec::new(),
            rows: Vec::new(),
            label_width: 0,
            description_widths: Vec::new(),
            rows_below: Cell::new(None),
            grouped: false,
            selected: 0,
            scroll: Scroll::default(),
            drawn: (Rect::ZERO, 0),
            pressed: None,
        };
        list.set_rows(rows);
        list
    }

    /// Replaces the rows; the filter stays.
    pub fn set_rows(&mut self, rows: Vec<ListRow<T>>) {
        self.grouped = rows.iter().any(|row| row.heading.is_some());
        let labels = rows.iter().map(|row| row.label.width());
        self.label_width = labels.max().unwrap_or(0).min(LABEL_WIDTH);
        self.description_widths = rows
            .iter()
            .map(|row| row.description.as_ref().map_or(0, |d| cell_width(d)))
            .collect();
        self.rows_below.set(None);
        self.rows = rows;
        self.narrow();
    }

    fn is_selectable(&self, at: usize) -> bool {
        self.rows.get(at).is_some_and(|row| row.id.is_some())
    }

    /// Clears the filter.
    pub fn clear(&mut self) {
        self.edit(Query::clear);
    }

    /// What was typed.
    pub fn typed(&self) -> &str {
        self.query.as_str()
    }

    /// Whether a filter was typed.
    pub fn is_narrowed(&self) -> bool {
        !self.query.as_str().is_empty()
    }

    pub fn selected(&self) -> Option<&T> {
        self.selected_row()?.id.as_ref()
    }

    fn selected_row(&self) -> Option<&ListRow<T>> {
        self.rows.get(*self.found.get(self.selected)?)
    }

    /// Selects the row of `id`, if it is among those shown.
    pub fn select(&mut self, id: &T) {
        let is_wanted = |at: &usize| {
            let row = self.rows.get(*at);
            row.is_some_and(|row| row.id.as_ref() == Some(id))
        };
        if let Some(at) = self.found.iter().position(is_wanted) {
            self.selected = at;
        }
    }

    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Rows that the whole list needs, with the filter's.
    pub fn rows(&self) -> usize {
        let count = self.rows.len();
        // An empty list has one row that says so.
        count.max(1) + self.headings(0..count).count() + 1
    }

    /// Whether all of a description stands beside its label.
    fn is_beside(&self, at: usize, width: usize) -> bool {
        let note = self.rows.get(at).map_or(0, |row| row.note.width());
        let text = self.description_widths.get(at).copied().unwrap_or(0);
        let left = MARKER + self.label_width + GAP + text;
        text == 0 || (width >= WIDE && left + note + usize::from(note > 0) <= width)
    }

    /// Rows below the list for what does not stand beside a label; the same whatever is selected, so
    /// that the list does not move.
    pub fn description_rows(&self, width: usize) -> usize {
        if let Some((_, rows)) = self.rows_below.get().filter(|(of, _)| *of == width) {
            return rows;
        }
        let rows = (0..self.rows.len())
            .filter(|at| !self.is_beside(*at, width))
            .filter_map(|at| self.rows.get(at)?.description.as_deref())
            .map(|text| wrap(text, width.max(1), width.max(1)).len());
        let rows = rows.max().unwrap_or(0).min(DESCRIPTION_ROWS);
        self.rows_below.set(Some((width, rows)));
        rows
    }

    /// The selected row's, if not all of it stands beside its label.
    pub fn description_below(&self, width: usize) -> Option<&SafeText> {
        let at = *self.found.get(self.selected)?;
        let description = self.rows.get(at)?.description.as_ref();
        description.filter(|_| !self.is_beside(at, width))
    }

    /// Where in a run of rows a new heading stands over one.
    fn headings(&self, rows: impl Iterator<Item = usize>) -> impl Iterator<Item = usize> {
        let mut before = None;
        rows.filter(move |at| {
            let heading = self.rows.get(*at).map(|row| &row.heading);
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
            Char(c) if key.is_text() => self.paste(c.encode_utf8(&mut [0; 4])),
            Backspace => self.edit(Query::pop),
            Char('u') if ctrl => self.edit(Query::clear),
            Char('w') if ctrl => self.edit(Query::pop_word),
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
        self.edit(|query| query.push(text));
    }

    fn edit(&mut self, change: impl FnOnce(&mut Query)) {
        change(&mut self.query);
        self.narrow();
    }

    fn narrow(&mut self) {
        let query = self.query.as_str().to_lowercase();
        let mut fuzzy = Fuzzy::new(self.query.as_str());
        let mut scored: Vec<((Fit, u16), usize)> = Vec::new();
        for (at, row) in self.rows.iter().enumerate() {
            // Messages never match a filter.
            if row.id.is_none() && self.is_narrowed() {
                continue;
            }
            let mut name = format!("{} {}", row.label.text(), row.note.text());
            for more in &row.more {
                name.push(' ');
                name.push_str(more.text());
            }
            let mut fit = Fit::of(&query, &name, row.words);
            if row.in_text {
                fit = fit.max(Fit::InText);
            }
            match fuzzy.score(&name) {
                None if fit == Fit::Letters => {}
                Some(_) if fit == Fit::Letters && row.careful && self.is_narrowed() => {}
                score => scored.push(((fit, score.unwrap_or(0)), at)),
            }
        }
        // Where words are found, what only has the letters is no match.
        if scored.iter().any(|((fit, _), _)| *fit > Fit::Letters) {
            scored.retain(|((fit, _), _)| *fit > Fit::Letters);
        }
        scored.sort_by_key(|(rank, at)| (std::cmp::Reverse(*rank), *at));
        let best = scored.first().map(|(_, at)| *at);
        self.found = scored.into_iter().map(|(_, at)| at).collect();
        let selectable = self.found.iter().position(|at| self.is_selectable(*at));
        self.selected = selectable.unwrap_or(0);
        if self.grouped {
            self.found.sort_unstable();
            let best = self.found.iter().position(|at| Some(*at) == best);
            self.selected = best.unwrap_or(0);
        }
        self.scroll.home();
        self.pressed = None;
    }

    /// The row that was drawn at a place.
    fn row_at(&self, at: Position) -> Option<usize> {
        let (area, top) = self.drawn;
        let line = area
            .contains(at)
            .then(|| top + usize::from(at.y - area.y))?;
        match self.lines().get(line)? {
            Line::Row(n) if self.is_selectable(*self.found.get(*n)?) => Some(*n),
            _ => None,
        }
    }

    /// The mouse button goes down: on a row, that is selected.
    pub fn press(&mut self, at: Position) {
        self.pressed = self.row_at(at);
        self.selected = self.pressed.unwrap_or(self.selected);
    }

    /// It goes up; whether that is on the same row.
    pub fn release(&mut self, at: Position) -> bool {
        let pressed = self.pressed.take();
        pressed.is_some() && pressed == self.row_at(at)
    }

    /// The wheel over the list: a notch is one row, fast ones are more.
    pub fn turn(&mut self, rows: isize) {
        let by = rows / WHEEL_ROWS;
        self.step(if by == 0 { rows.signum() } else { by });
    }

    fn step(&mut self, by: isize) {
        let last = self.found.len().saturating_sub(1);
        let to = self.selected.saturating_add_signed(by).min(last);
        let selectable = |n: &usize| self.found.get(*n).is_some_and(|at| self.is_selectable(*at));
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
    fn lines(&self) -> Vec<Line> {
        let mut rows = Vec::with_capacity(self.found.len());
        let mut headings = self.headings(self.found.iter().copied()).peekable();
        for (n, at) in self.found.iter().enumerate() {
            if headings.next_if_eq(at).is_some() {
                rows.push(Line::Heading(*at));
            }
            rows.push(Line::Row(n));
        }
        rows
    }

    fn heading_line(&self, at: usize, width: usize, cx: &OverlayContext<'_>) -> Row {
        let heading = self.rows.get(at).and_then(|row| row.heading.as_deref());
        let style = cx.theme.dim.bold();
        StyledLine::styled(heading.unwrap_or_default(), style).truncate(width, cx.symbols.ellipsis)
    }

    fn row_line(&self, n: usize, width: usize, cx: &OverlayContext<'_>) -> Row {
        let theme = cx.theme;
        let Some(row) = self.found.get(n).and_then(|at| self.rows.get(*at)) else {
            return Row::default();
        };
        let selected = n == self.selected;
        let mut label = marked(selected, cx);
        label.extend(&row.label);
        if let Some(description) = row.description.as_ref().filter(|_| width >= WIDE) {
            label.fill_to(MARKER + self.label_width, theme.text);
            label.push(&" ".repeat(GAP), theme.text);
            label.push(description, theme.dim);
        }
        let note = row.note_within(label.width(), width, cx);
        let mut row = spread(&label, &note, width, cx.symbols.ellipsis);
        if selected {
            select(&mut row, width, theme.selected);
        }
        row
    }

    /// Draws filter and list; returns the cursor's place at the end of the filter.
    pub fn draw(
        &mut self,
        area: Rect,
        buf: &mut Buffer,
        cx: &OverlayContext<'_>,
    ) -> Option<Position> {
        if area.is_empty() {
            return None;
        }
        let theme = cx.theme;
        let mut line = marked(true, cx).with(&SafeText::line(self.query.as_str()), theme.text);
        let cursor = u16::try_from(line.width()).unwrap_or(u16::MAX);
        if !self.is_narrowed() {
            line.push("type to filter", theme.dim);
        }
        let width = usize::from(area.width);
        let (_, list) = split_top(area, 1);
        if self.found.is_empty() {
            let what = match self.rows.len() {
                0 => "  nothing to choose from",
                _ => "  No match",
            };
            let row = StyledLine::styled(what, theme.dim).truncate(width, cx.symbols.ellipsis);
            draw_rows([&row], list, buf);
        }
        let lines = self.lines();
        let selected = lines
            .iter()
            .position(|line| *line == Line::Row(self.selected))
            .unwrap_or(0);
        // A heading right above comes into view with the first of its entries.
        let over = selected.checked_sub(1).and_then(|at| lines.get(at));
        let first = selected - usize::from(matches!(over, Some(Line::Heading(_))));
        let shown = if list.height > 1 { first } else { selected };
        let top = self
            .scroll
            .fit_to_show(shown..selected + 1, lines.len(), list.height);
        self.drawn = (list, top);
        let row = spread(&line, &self.place(top, cx), width, cx.symbols.ellipsis);
        buf.set_line(area.x, area.y, &row.line, area.width);
        for (y, line) in (list.top()..list.bottom()).zip(lines.iter().skip(top)) {
            let row = match line {
                Line::Heading(at) => self.heading_line(*at, width, cx),
                Line::Row(n) => self.row_line(*n, width, cx),
            };
            buf.set_line(list.x, y, &row.line, list.width);
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
                .map(|(id, label)| ListRow::new(id, StyledLine::styled(label, Style::new())))
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
    fn whole_words_come_before_beginnings_and_these_before_letters() {
        let mut list = list(&["Fold details", "Find a file", "Profiles", "A file of files"]);
        press(&mut list, "f i l e");
        // The letters of "Profiles" are no match where words are.
        assert_eq!(list.found, [1, 3]);
        press(&mut list, "ctrl-u f i");
        assert_eq!(list.found.len(), 2, "what begins with it");
        press(&mut list, "ctrl-u f l d");
        assert_eq!(list.found, [0], "letters, where nothing else fits");
    }

    #[test]
    fn other_words_find_a_row_and_stray_letters_find_no_careful_one() {
        let mut list = list(&["Show all changes", "End the process", "Unfold"]);
        list.rows[0].words = "diff review";
        list.rows[1].careful = true;
        press(&mut list, "d i f f");
        assert_eq!(list.found, [0]);
        press(&mut list, "ctrl-u n d");
        assert_eq!(list.found, [2], "the letters are in \"End\" as well");
        press(&mut list, "ctrl-u e n d");
        assert_eq!(list.found, [1]);
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
        for row in list.rows.iter_mut().step_by(2) {
            row.id = None;
        }
        list.narrow();
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

    /// V1-CFG-02, V1-CFG-07
    #[test]
    fn a_heading_is_never_selected_and_the_order_stays_below_it() {
        let row = |id: usize, name: &str, heading: Option<&'static str>| ListRow {
            heading: heading.map(SafeText::from),
            ..ListRow::new(id, StyledLine::styled(name, Style::new()))
        };
        let mut list = FilterList::new(vec![
            row(0, "loose", None),
            row(1, "opus large", Some("A")),
            row(2, "sonnet", Some("A")),
            row(3, "opus", Some("B")),
        ]);
        let (heading, row) = (Line::Heading, Line::Row);
        let all = [row(0), heading(1), row(1), row(2), heading(3), row(3)];
        assert_eq!(list.lines(), all);
        assert_eq!(list.rows(), 7, "the filter's too");
        press(&mut list, "down down down");
        assert_eq!(list.selected(), Some(&3));
        press(&mut list, "o p u s");
        assert_eq!(list.lines(), [heading(1), row(0), heading(3), row(1)]);
        assert_eq!(list.len(), 2);
    }
}
