//! The list of changed files: its selection, its window, its rows.

use std::path::{Path, PathBuf};

use ratatui::{buffer::Buffer, layout::Rect, style::Style};

use super::{
    marks::Marks,
    tree::{self, TreeRow},
};
use crate::{
    model::{ChangeKind, ReviewFile},
    text::cell_width,
    ui::{
        comments::Comments,
        render::{
            RenderContext, Row,
            diff::{DiffStats, push_stats},
            draw_rows,
            format::grouped,
            line::{StyledLine, select, spread},
        },
        theme::{Symbols, Theme},
    },
};

/// Cells for each folder that a row is in, and of the row at most.
const INDENT: usize = 2;
const MAX_INDENT: usize = 12;

/// Selection, mark, kind, each with a blank behind it.
const SIGNS: usize = 6;

/// Cells that a name keeps before what stands behind it becomes shorter.
const MIN_NAME: usize = 14;

#[derive(Default)]
pub struct List {
    files: Vec<ReviewFile>,
    rows: Vec<TreeRow>,
    /// The row of each file.
    row_of: Vec<usize>,
    selected: usize,
    /// The first row that shows.
    top: usize,
    /// The wheel has turned it: the selected row may be out of sight.
    turned: bool,
    area: Rect,
    /// Sums that are shown, so that no frame counts.
    pub stats: DiffStats,
    pub reviewed: usize,
    /// Cells that the widest row would take.
    pub width: usize,
    /// Rows that were laid out for the last frame.
    #[cfg(test)]
    pub laid: usize,
}

impl List {
    /// Other files; what was selected stays that, and stays where it is on the screen.
    pub fn set(&mut self, files: Vec<ReviewFile>, marks: &Marks) {
        let before = self.selected().map(|file| file.path.clone());
        let above = self.selected_row().saturating_sub(self.top);
        self.files = files;
        self.rows = tree::rows(&self.files);
        self.row_of = vec![0; self.files.len()];
        for (at, row) in self.rows.iter().enumerate() {
            if let Some(place) = row.file.and_then(|file| self.row_of.get_mut(file)) {
                *place = at;
            }
        }
        let stays = before.and_then(|path: PathBuf| {
            let mut files = self.files.iter();
            files.position(|file| file.path == path)
        });
        // Where it is gone, what stands in its place.
        let last = self.files.len().saturating_sub(1);
        self.selected = stays.unwrap_or(self.selected.min(last));
        if !self.turned {
            self.top = self.selected_row().saturating_sub(above);
        }
        self.stats = DiffStats::default();
        for (added, removed) in self.files.iter().filter_map(|file| file.lines) {
            self.stats.added = self.stats.added.saturating_add(added);
            self.stats.removed = self.stats.removed.saturating_add(removed);
        }
        self.width = self
            .rows
            .iter()
            .map(|row| self.width_of(row))
            .max()
            .unwrap_or(0);
        self.count_reviewed(marks);
    }

    pub fn count_reviewed(&mut self, marks: &Marks) {
        let is_reviewed = |file: &&ReviewFile| marks.has(&file.path, file.content);
        self.reviewed = self.files.iter().filter(is_reviewed).count();
    }

    pub fn len(&self) -> usize {
        self.files.len()
    }

    pub fn selected(&self) -> Option<&ReviewFile> {
        self.files.get(self.selected)
    }

    /// Files of the project that turns have changed, by themselves or together with others.
    pub fn made_by_turns(&self) -> Vec<PathBuf> {
        let made = self
            .files
            .iter()
            .filter(|file| file.by_a_turn && !file.is_elsewhere);
        made.map(|file| file.path.clone()).collect()
    }

    /// All paths and what they hold.
    pub fn contents(&self) -> impl Iterator<Item = (&Path, u64)> {
        self.files.iter().map(|file| (&*file.path, file.content))
    }

    pub fn has(&self, path: &Path) -> bool {
        self.files.iter().any(|file| file.path == path)
    }

    /// Selects a file by its path; false where it is not listed.
    pub fn choose_path(&mut self, path: &Path) -> bool {
        let at = self.files.iter().position(|file| file.path == path);
        if let Some(at) = at {
            self.choose(at);
        }
        at.is_some()
    }

    fn selected_row(&self) -> usize {
        self.row_of.get(self.selected).copied().unwrap_or(0)
    }

    fn choose(&mut self, file: usize) -> bool {
        let is_other = file != self.selected && file < self.files.len();
        if is_other {
            self.selected = file;
        }
        self.turned = false;
        is_other
    }

    /// So many files on; false at the end.
    pub fn step(&mut self, by: isize) -> bool {
        let last = self.files.len().saturating_sub(1);
        self.choose(self.selected.saturating_add_signed(by).min(last))
    }

    pub fn page(&mut self, by: isize) {
        let rows = usize::from(self.area.height).saturating_sub(1).max(1);
        self.step(by.saturating_mul(rows.cast_signed()));
    }

    pub fn ends(&mut self, last: bool) {
        let last = if last {
            self.files.len().saturating_sub(1)
        } else {
            0
        };
        self.choose(last);
    }

    /// The next file that is not reviewed, else the first one; false without one.
    pub fn next_unreviewed(&mut self, marks: &Marks) -> bool {
        let from = self.selected + 1;
        let behind = from..self.files.len();
        let before = 0..from.min(self.files.len());
        let is_open = |at: &usize| {
            let file = self.files.get(*at);
            file.is_some_and(|file| !marks.has(&file.path, file.content))
        };
        let next = behind.chain(before).find(is_open);
        next.is_some_and(|next| self.choose(next))
    }

    /// The wheel over it.
    pub fn turn(&mut self, rows: isize) {
        self.turned = true;
        self.top = self.top.saturating_add_signed(rows);
    }

    /// Selects what stands on a row of the screen; whether that is a file.
    pub fn click(&mut self, row: u16) -> bool {
        let at = self.top + usize::from(row.saturating_sub(self.area.y));
        let file = self.rows.get(at).and_then(|row| row.file);
        if let Some(file) = file {
            self.choose(file);
        }
        file.is_some()
    }

    pub fn area(&self) -> Rect {
        self.area
    }

    pub fn hide(&mut self) {
        self.area = Rect::ZERO;
    }

    fn fit(&mut self, height: usize) {
        let row = self.selected_row();
        if !self.turned {
            // The heading above is seen with its first file.
            let heading = row.checked_sub(1).and_then(|above| self.rows.get(above));
            let from = row - usize::from(heading.is_some_and(|above| above.file.is_none()));
            let lowest = (row + 1).saturating_sub(height.max(1));
            self.top = self.top.min(from).max(lowest);
        }
        self.top = self.top.min(self.rows.len().saturating_sub(height));
    }

    pub fn draw(
        &mut self,
        area: Rect,
        focused: bool,
        (marks, comments): (&Marks, &Comments),
        buf: &mut Buffer,
        ctx: &RenderContext<'_>,
    ) {
        self.area = area;
        self.fit(area.height.into());
        let width = usize::from(area.width);
        let shown = self.rows.iter().skip(self.top).take(area.height.into());
        let rows: Vec<Row> = shown
            .map(|row| self.row(row, width, focused, (marks, comments), ctx))
            .collect();
        #[cfg(test)]
        {
            self.laid = rows.len();
        }
        draw_rows(&rows, area, buf);
    }

    fn row(
        &self,
        row: &TreeRow,
        width: usize,
        focused: bool,
        (marks, comments): (&Marks, &Comments),
        ctx: &RenderContext<'_>,
    ) -> Row {
        let (theme, symbols) = (ctx.theme, ctx.symbols);
        let indent = (row.depth * INDENT).min(MAX_INDENT).min(width / 4);
        let Some((file, at)) = row.file.and_then(|at| Some((self.files.get(at)?, at))) else {
            let mut line = StyledLine::blanks(2 + indent);
            line.push(&row.name, theme.dim);
            return line.truncate(width, symbols.ellipsis);
        };
        let selected = at == self.selected;
        let mut line =
            StyledLine::styled(if selected { symbols.prompt } else { " " }, theme.accent);
        line.push(" ", theme.text);
        let reviewed = marks.has(&file.path, file.content);
        line.push(if reviewed { symbols.done } else { " " }, theme.success);
        line.push(&" ".repeat(indent + 1), theme.text);
        let (sign, style) = kind_sign(file.kind, theme);
        line.push(sign, style);
        line.push(" ", theme.text);
        let name = match (selected, reviewed) {
            (true, _) => theme.strong,
            (false, true) => theme.dim,
            (false, false) => theme.text,
        };
        line.push(&row.name, name);
        let room = width.saturating_sub(line.width().min(SIGNS + indent + MIN_NAME) + 1);
        let note = note(file, comments.in_file(&file.path), room, theme, symbols);
        let mut row = spread(&line, &note, width, symbols.ellipsis);
        if selected && focused {
            select(&mut row, width, theme.selected);
        }
        row
    }

    fn width_of(&self, row: &TreeRow) -> usize {
        let note = row
            .file
            .and_then(|file| self.files.get(file))
            .map_or(0, |file| {
                let figures = file.lines.map_or(0, |(added, removed)| {
                    grouped(added).len() + grouped(removed).len() + 4
                });
                figures.max(word(file).map_or(0, |word| word.len() + 1)) + 2
            });
        let indent = (row.depth * INDENT).min(MAX_INDENT);
        SIGNS + indent + cell_width(&row.name) + note
    }
}

/// Its letter, as git has them.
pub fn kind_sign(kind: ChangeKind, theme: &Theme) -> (&'static str, Style) {
    match kind {
        ChangeKind::Added => ("A", theme.success),
        ChangeKind::Deleted => ("D", theme.error),
        ChangeKind::Modified => ("M", theme.warning),
        ChangeKind::Renamed => ("R", theme.accent),
        ChangeKind::Mode => ("m", theme.warning),
        ChangeKind::Type => ("T", theme.warning),
    }
}

/// What a file is that has no figures.
fn word(file: &ReviewFile) -> Option<&'static str> {
    match file.kind {
        ChangeKind::Mode => Some("mode"),
        ChangeKind::Type => Some("type"),
        _ if file.binary => Some("binary"),
        ChangeKind::Renamed if file.lines == Some((0, 0)) => Some("renamed"),
        ChangeKind::Added if file.lines.is_none() => Some("new"),
        ChangeKind::Deleted if file.lines.is_none() => Some("deleted"),
        _ => None,
    }
}

/// The right end of a row, as much as there is room for: figures or what it is, and that nothing named
/// the change.
fn note(
    file: &ReviewFile,
    comments: usize,
    room: usize,
    theme: &Theme,
    symbols: &Symbols,
) -> StyledLine {
    if comments > 0 {
        let sign = format!("{}{}", symbols.comment, grouped(comments));
        let mut note = StyledLine::styled(&sign, theme.accent);
        let room = room.saturating_sub(note.width() + 1);
        let rest = self::note(file, 0, room, theme, symbols);
        if !rest.is_empty() {
            note.push(" ", theme.text);
            note.extend(&rest);
        }
        return note;
    }
    let mut figures = StyledLine::new();
    if let Some(word) = word(file) {
        figures.push(word, theme.dim);
    } else if let Some((added, removed)) = file.lines {
        push_stats(&mut figures, DiffStats { added, removed }, theme, symbols);
    }
    if !file.by.is_empty() || file.by_unknown {
        return if figures.width() <= room {
            figures
        } else {
            StyledLine::new()
        };
    }
    for said in ["outside ", "~ ", "~"] {
        let mut note = StyledLine::styled(said, theme.warning);
        if said != "~" {
            note.extend(&figures);
        }
        if note.width() <= room {
            return note;
        }
    }
    StyledLine::new()
}
