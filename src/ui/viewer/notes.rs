//! What stands between the lines of a diff: comments, and the room of one that is being written.

use std::{collections::HashMap, ops::Range, path::Path};

use ratatui::layout::Rect;

use super::DiffViewer;
use crate::{
    text::SafeText,
    ui::{
        comments::ShownFile,
        render::{
            RenderContext, Row,
            diff::{DiffLine, Item, Side},
            line::{StyledLine, Wrapping},
        },
    },
};

/// What stands below a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// Tells it from others.
    pub key: u64,
    /// The line, from 0, of which file of the viewer; `None`: at the beginning of the file.
    pub file: usize,
    pub below: Option<(Side, u32)>,
    pub body: NoteBody,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoteBody {
    /// What the person wrote, behind what it is about where that is not the line above alone.
    Text {
        about: Option<SafeText>,
        /// Its lines are gone; what they were.
        gone: Option<SafeText>,
        text: SafeText,
    },
    /// Rows that are kept free: something else draws there.
    Room,
}

/// The notes of a viewer, the same until they are set again.
#[derive(Default)]
pub struct Notes {
    list: Vec<Note>,
    rev: u64,
    /// Rows of [`NoteBody::Room`].
    room: u16,
}

/// Cells before a note: it begins right of most line numbers.
const INDENT: usize = 2;

impl Notes {
    pub fn set(&mut self, list: Vec<Note>) {
        if list != self.list {
            self.list = list;
            self.rev += 1;
        }
    }

    pub fn set_room(&mut self, rows: u16) {
        self.room = rows;
    }

    /// Grows when the entries are to be made again.
    pub fn rev(&self) -> u64 {
        self.rev
    }

    pub fn get(&self, at: usize) -> Option<&Note> {
        self.list.get(at)
    }

    pub fn of_file(&self, file: usize) -> Pending {
        let mut pending = Pending::default();
        for (at, note) in self.list.iter().enumerate() {
            match note.below {
                _ if note.file != file => {}
                Some(place) => pending.below.entry(place).or_default().push((at, note.key)),
                None => pending.top.push((at, note.key)),
            }
        }
        pending
    }

    pub fn rows(&self, at: usize, ctx: &RenderContext<'_>) -> Vec<Row> {
        let Some(note) = self.list.get(at) else {
            return Vec::new();
        };
        match &note.body {
            NoteBody::Room => vec![Row::default(); usize::from(self.room)],
            body => body.rows(ctx),
        }
    }
}

impl NoteBody {
    /// Its text.
    pub(in crate::ui) fn rows(&self, ctx: &RenderContext<'_>) -> Vec<Row> {
        match self {
            Self::Room => Vec::new(),
            Self::Text { about, gone, text } => text_rows(about.as_ref(), gone.as_ref(), text, ctx),
        }
    }
}

fn text_rows(
    about: Option<&SafeText>,
    gone: Option<&SafeText>,
    text: &SafeText,
    ctx: &RenderContext<'_>,
) -> Vec<Row> {
    let (theme, symbols) = (ctx.theme, ctx.symbols);
    let mut first = StyledLine::blanks(INDENT).with(symbols.comment, theme.accent);
    first.push(" ", theme.text);
    let mut rest = StyledLine::blanks(INDENT).with(symbols.quote, theme.accent);
    rest.push(" ", theme.text);
    let mut rows = Vec::new();
    let mut push = |line: &StyledLine| {
        let lead = if rows.is_empty() { &first } else { &rest };
        rows.extend(line.wrap_with(Wrapping::Words, ctx.width.into(), lead, &rest));
    };
    if let Some(was) = gone {
        let mut line = StyledLine::styled("stale", theme.warning);
        if let Some(word) = about {
            line.push(&format!(" {} was {word}", symbols.separator), theme.dim);
        }
        line.push(&format!(": {was}"), theme.dim);
        push(&line);
    } else if let Some(about) = about {
        push(&StyledLine::styled(about, theme.dim));
    }
    for line in StyledLine::lines(text, theme.text) {
        push(&line);
    }
    rows
}

/// Which of the notes, and its key.
type Known = (usize, u64);

/// Notes of a file that have not got their place yet.
#[derive(Default)]
pub struct Pending {
    below: HashMap<(Side, u32), Vec<Known>>,
    top: Vec<Known>,
}

impl Pending {
    pub fn at_top(&mut self) -> Vec<Known> {
        std::mem::take(&mut self.top)
    }

    /// Those below an item. `hidden`: the lines of both sides that it stands for where it is a gap.
    pub fn below(&mut self, item: Item, hidden: Option<[Range<u32>; 2]>) -> Vec<Known> {
        if self.below.is_empty() {
            return Vec::new();
        }
        if let Some([old, new]) = hidden {
            let is_hidden = |(side, line): &(Side, u32)| match side {
                Side::Old => old.contains(line),
                Side::New => new.contains(line),
            };
            let mut places: Vec<(Side, u32)> =
                self.below.keys().copied().filter(is_hidden).collect();
            places.sort_unstable_by_key(|(_, line)| *line);
            return places
                .into_iter()
                .filter_map(|place| self.below.remove(&place))
                .flatten()
                .collect();
        }
        let mut found = Vec::new();
        for place in places(item) {
            found.extend(self.below.remove(&place).unwrap_or_default());
        }
        found
    }

    /// Those whose line has not come.
    pub fn rest(self) -> Vec<Known> {
        let mut rest: Vec<Known> = self.below.into_values().flatten().collect();
        rest.sort_unstable();
        rest
    }
}

/// The lines of both sides that an item shows.
pub fn places(item: Item) -> impl Iterator<Item = (Side, u32)> {
    let lines = match item {
        Item::Line(line) => [Some(line), None],
        // Both are the same where nothing has changed.
        Item::Pair(left, right) if left == right => [left, None],
        Item::Pair(left, right) => [left, right],
    };
    lines.into_iter().flatten().flat_map(|line| {
        let (old, new) = match line {
            DiffLine::Context { old, new } => (Some(old), Some(new)),
            DiffLine::Removed { old } => (Some(old), None),
            DiffLine::Added { new } => (None, Some(new)),
            DiffLine::Gap { .. } => (None, None),
        };
        let old = old.map(|line| (Side::Old, line));
        old.into_iter().chain(new.map(|line| (Side::New, line)))
    })
}

impl DiffViewer {
    /// What stands between the lines.
    pub(in crate::ui) fn set_notes(&mut self, notes: Vec<Note>) {
        self.notes.set(notes);
    }

    /// Rows that are kept free for what is drawn over them.
    pub(in crate::ui) fn set_room(&mut self, rows: u16) {
        self.notes.set_room(rows);
    }

    /// Where those rows are in the last frame, from the top of `area`.
    pub(in crate::ui) fn room(&self, area: Rect) -> Option<Rect> {
        let wanted = self.room_entry()?;
        let mut above = 0;
        for shown in self.window.shown() {
            if shown.entry == wanted {
                let top = u16::try_from(above).ok()?;
                let rows = u16::try_from(shown.rows).ok()?;
                let all = Rect {
                    y: area.y.checked_add(top)?,
                    height: rows,
                    ..area
                };
                return Some(all.intersection(area)).filter(|seen| !seen.is_empty());
            }
            above += shown.rows;
        }
        None
    }

    /// The files that are compared by now.
    pub(in crate::ui) fn shown_files(&self) -> impl Iterator<Item = ShownFile<'_>> {
        let files = self.files.iter().enumerate();
        files.filter_map(|(file, shown)| {
            Some(ShownFile {
                file,
                path: Path::new(&shown.diff.path),
                name: &shown.path,
                model: shown.model.as_deref()?,
            })
        })
    }
}
