//! Diffs of one or several files, whole, with hunks and files to jump between.

use std::{cell::RefCell, path::Path, sync::Arc};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
    widgets::{Clear, Widget},
};

use super::{
    Entries, Finder, Motion, Outcome, Window, areas, closes, draw_hints, draw_title, motion,
    notes::{Notes, places},
    parts::{Cursor, Entry, EntryKind},
    percent,
    window::Shown,
};
use crate::{
    config::DiffLayout,
    model::Diff,
    text::SafeText,
    ui::{
        find::Pattern,
        render::{
            RenderContext, Row,
            diff::{
                DiffLine, DiffModel, Form, Item, Layout, Painter, Side, change_label, diff_model,
                push_stats,
            },
            format::{count, shown_path},
            line::StyledLine,
        },
        transcript::{MarkedCells, marks},
    },
};

pub struct DiffViewer {
    pub(super) files: Vec<File>,
    layout: DiffLayout,
    /// All files one after the other; made again when a comparison is ready, the layout changes, or
    /// the notes do.
    pub(super) entries: Vec<Entry>,
    /// Where in them each hunk begins.
    hunks: Vec<usize>,
    made_for: Option<MadeFor>,
    /// The entry jumped to, until the window is scrolled.
    jumped_to: Option<usize>,
    pub(super) window: Window,
    pub(super) notes: Notes,
    pub(super) cursor: Cursor,
    /// Where the last frame had lines, and hints.
    pub(super) drawn: (Rect, Rect),
    pub(in crate::ui) find: Finder,
    /// There is an input to go to.
    has_input: bool,
}

/// Entries kept above the one that is jumped to.
const ABOVE: usize = 1;

pub(super) struct File {
    pub diff: Arc<Diff>,
    pub path: SafeText,
    label: Option<SafeText>,
    pub model: Option<Arc<DiffModel>>,
}

/// What the entries depend on: the width for the layout, and how many models there are.
#[derive(Clone, Copy, PartialEq, Eq)]
struct MadeFor {
    layout: DiffLayout,
    width: u16,
    models: usize,
    notes: u64,
}

impl DiffViewer {
    /// `diffs` in the order in which they are shown; paths are shown relative to `cwd`.
    pub fn new(diffs: Vec<Arc<Diff>>, layout: DiffLayout, cwd: &Path) -> Self {
        let file = |diff: Arc<Diff>| File {
            path: shown_path(&diff.path, cwd),
            label: change_label(&diff, cwd),
            diff,
            model: None,
        };
        Self {
            files: diffs.into_iter().map(file).collect(),
            layout,
            entries: Vec::new(),
            hunks: Vec::new(),
            made_for: None,
            jumped_to: None,
            window: Window::default(),
            notes: Notes::default(),
            cursor: Cursor::default(),
            drawn: (Rect::ZERO, Rect::ZERO),
            find: Finder::default(),
            has_input: false,
        }
    }

    /// Whether the raw input of a question can be shown in its place.
    pub fn set_has_input(&mut self, has_input: bool) {
        self.has_input = has_input;
    }

    pub fn on_key(&mut self, key: KeyEvent) -> Outcome {
        match key.code {
            KeyCode::Esc if self.has_range() => self.drop_range(),
            _ if closes(key) => return Outcome::Close,
            KeyCode::Char('v') if self.has_cursor() => self.turn_range(),
            KeyCode::Char('n' | 'J') => self.jump(1, Entry::begins_hunk),
            KeyCode::Char('p' | 'N' | 'K') => self.jump(-1, Entry::begins_hunk),
            KeyCode::Char(']') | KeyCode::Tab => self.jump(1, Entry::begins_file),
            KeyCode::Char('[') | KeyCode::BackTab => self.jump(-1, Entry::begins_file),
            KeyCode::Char('s') => {
                self.layout = match self.layout {
                    DiffLayout::Split => DiffLayout::Unified,
                    DiffLayout::Auto | DiffLayout::Unified => DiffLayout::Split,
                };
            }
            _ => {
                if let Some(motion) = motion(key) {
                    let spans = key.modifiers.contains(KeyModifiers::SHIFT);
                    self.move_cursor(motion, spans);
                }
            }
        }
        Outcome::Stay
    }

    pub(in crate::ui) fn move_by(&mut self, motion: Motion) {
        self.jumped_to = None;
        self.window.ask(motion);
    }

    pub(in crate::ui) fn go_back(&mut self, place: (usize, usize)) {
        self.jumped_to = None;
        self.window.go_back(place);
    }

    pub fn draw(
        &mut self,
        area: Rect,
        buf: &mut Buffer,
        ctx: &RenderContext<'_>,
    ) -> Option<Position> {
        Clear.render(area, buf);
        let ctx = RenderContext {
            width: area.width.max(1),
            ..*ctx
        };
        self.make(&RenderContext {
            width: self.beside_sign(area).width.max(1),
            ..ctx
        });
        let (title, body, hints) = areas(area, &self.find);
        let body = self.beside_sign(body);
        self.drawn = (body, hints);
        let at = self.draw_body(
            body,
            buf,
            &RenderContext {
                width: body.width.max(1),
                ..ctx
            },
        );
        self.draw_sign(buf, &ctx);
        let top = self.entries.get(self.window.top());
        let file = top.map_or(0, |entry| entry.file);
        let mut name = StyledLine::new();
        if top.is_some_and(Entry::begins_file) {
            name.push("changes", ctx.theme.strong);
        } else if let Some(file) = self.files.get(file) {
            header(&mut name, file, &ctx);
        }
        let of = match self.files.len() {
            0 | 1 => String::new(),
            files => format!("file {} of {files}", file + 1),
        };
        draw_title(&name, &of, title, buf, &ctx);
        if self.find.is_open() {
            return self.find.draw_bar(hints, buf, &ctx);
        }
        let mut keys = vec![("j k", "scroll"), ("n p", "hunk")];
        if self.has_cursor() {
            keys = vec![
                ("j k", "line"),
                ("n p", "hunk"),
                ("c", "comment"),
                ("v", "range"),
            ];
        }
        if self.files.len() > 1 {
            keys.push(("] [", "file"));
        }
        keys.push(("s", "split"));
        if self.has_input {
            keys.push(("i", "input"));
        }
        keys.extend([("/", "find"), ("q", "back")]);
        draw_hints(&keys, &at, hints, buf, &ctx);
        None
    }

    /// What the window shows, without title and hints; returns how far down it is.
    pub(in crate::ui) fn draw_body(
        &mut self,
        body: Rect,
        buf: &mut Buffer,
        ctx: &RenderContext<'_>,
    ) -> String {
        self.follow_cursor();
        let laid = Laid {
            files: &self.files,
            entries: &self.entries,
            notes: &self.notes,
            painters: RefCell::default(),
            ctx,
        };
        let window = &mut self.window;
        self.find.draw_window(window, &laid, body, buf, ctx);
        let far = percent(&self.window, &laid);
        self.settle_cursor();
        self.draw_cursor(body, buf, ctx);
        far
    }

    fn make(&mut self, ctx: &RenderContext<'_>) {
        for file in &mut self.files {
            if file.model.is_none() {
                file.model = diff_model(&file.diff, ctx.offload);
            }
        }
        let made_for = MadeFor {
            layout: self.layout,
            width: ctx.width,
            models: self
                .files
                .iter()
                .filter(|file| file.model.is_some())
                .count(),
            notes: self.notes.rev(),
        };
        let Some(before) = self.made_for.replace(made_for) else {
            self.entries = self.laid_out(ctx.width);
            self.count_hunks();
            return;
        };
        if before == made_for {
            return;
        }
        self.find.again();
        self.jumped_to = None;
        let old = std::mem::take(&mut self.entries);
        self.entries = self.laid_out(ctx.width);
        self.count_hunks();
        let place = self.window.place();
        let only_notes = MadeFor {
            notes: before.notes,
            ..made_for
        } == before;
        let moved = |entry: usize| {
            let was = old.get(entry)?;
            self.entries.iter().position(|now| now.is_same(was))
        };
        if only_notes {
            if let Some(top) = moved(place.0) {
                self.window.go_back((top, place.1));
            }
        } else if let Some(top) = old.get(place.0) {
            // The file at the top stays there.
            let into_file = place.0 - old.partition_point(|entry| entry.file < top.file);
            let into = if before.layout == self.layout {
                into_file
            } else {
                0
            };
            self.window.go_to(self.file_start(top.file) + into);
        }
        let cursors: Vec<(usize, Option<usize>)> = self
            .cursor
            .ends()
            .map(|entry| (entry, moved(entry)))
            .collect();
        self.settle_again(|entry| {
            let moved = cursors.iter().find(|(before, _)| *before == entry);
            moved.and_then(|(_, now)| *now)
        });
    }

    fn count_hunks(&mut self) {
        let begins = |entry: &(usize, &Entry)| entry.1.begins_hunk();
        let hunks = self.entries.iter().enumerate().filter(begins);
        self.hunks = hunks.map(|(at, _)| at).collect();
    }

    fn laid_out(&self, width: u16) -> Vec<Entry> {
        let mut entries = Vec::new();
        let several = self.files.len() > 1;
        for (n, file) in self.files.iter().enumerate() {
            let mut push = |kind| entries.push(Entry { file: n, kind });
            if n > 0 {
                push(EntryKind::Blank);
            }
            if several {
                push(EntryKind::Header);
            }
            let Some(model) = &file.model else {
                push(EntryKind::Waiting);
                continue;
            };
            let mut notes = self.notes.of_file(n);
            notes
                .at_top()
                .into_iter()
                .for_each(|(at, key)| push(EntryKind::Note(at, key)));
            let layout = Layout::choose(self.layout, model, width);
            let mut hunk = true;
            // The lines of both sides that come next.
            let (mut old, mut new) = (0, 0);
            for item in layout.items(model) {
                let gap = matches!(item, Item::Line(DiffLine::Gap { .. }));
                push(EntryKind::Item {
                    item,
                    layout,
                    hunk: hunk && !gap,
                });
                hunk = gap;
                let hidden = match item {
                    // What a patch leaves out has no lines here.
                    Item::Line(DiffLine::Gap { hidden }) if !model.is_patch() => {
                        let all = [old..old + hidden, new..new + hidden];
                        (old, new) = (all[0].end, all[1].end);
                        Some(all)
                    }
                    _ => None,
                };
                for (side, line) in places(item) {
                    match side {
                        Side::Old => old = line + 1,
                        Side::New => new = line + 1,
                    }
                }
                let below = notes.below(item, hidden);
                below
                    .into_iter()
                    .for_each(|(at, key)| push(EntryKind::Note(at, key)));
            }
            notes
                .rest()
                .into_iter()
                .for_each(|(at, key)| push(EntryKind::Note(at, key)));
        }
        entries
    }

    fn file_start(&self, file: usize) -> usize {
        self.entries.partition_point(|entry| entry.file < file)
    }

    /// Puts the next entry of a kind near the top.
    fn jump(&mut self, step: isize, wanted: impl Fn(&Entry) -> bool) {
        // Where all of it shows the window stays, and the cursor tells which hunk one is at.
        let of_cursor = self.cursor.at.and_then(|at| {
            let before = self.hunks.partition_point(|start| *start <= at);
            self.hunks.get(before.checked_sub(1)?).copied()
        });
        let from = self.jumped_to.or(of_cursor);
        let mut at = from.unwrap_or(self.window.top() + ABOVE);
        while let Some(next) = at.checked_add_signed(step)
            && let Some(entry) = self.entries.get(next)
        {
            at = next;
            if wanted(entry) {
                self.jumped_to = Some(at);
                self.begin_cursor_at(at);
                self.window.go_to(at.saturating_sub(ABOVE));
                return;
            }
        }
    }
}

/// For a review, which shows one file with its own title and hints around it.
impl DiffViewer {
    /// Compares and lays out what has changed; the comparison, once it is there.
    pub(in crate::ui) fn prepare(&mut self, ctx: &RenderContext<'_>) -> Option<Arc<DiffModel>> {
        self.make(ctx);
        self.files.first()?.model.clone()
    }

    pub(in crate::ui) fn shown(&self) -> &[Shown] {
        self.window.shown()
    }

    pub(in crate::ui) fn top(&self) -> usize {
        self.window.top()
    }

    /// Whether there is more above, or below, what the last frame showed.
    pub(in crate::ui) fn has_more(&self, below: bool) -> bool {
        match below {
            true => !self.window.at_end(),
            false => self.window.place() != (0, 0),
        }
    }

    pub(in crate::ui) fn hunks(&self) -> usize {
        self.hunks.len()
    }

    /// The hunk that an entry is of; `None` for lines that are left out.
    pub(in crate::ui) fn hunk_at(&self, entry: usize) -> Option<usize> {
        let kind = self.entries.get(entry)?.kind;
        let gap = matches!(
            kind,
            EntryKind::Item {
                item: Item::Line(DiffLine::Gap { .. }),
                ..
            }
        );
        let before = self.hunks.partition_point(|start| *start <= entry);
        let note = matches!(kind, EntryKind::Note(..));
        before.checked_sub(1).filter(|_| !gap && !note)
    }

    /// Puts a hunk near the top.
    pub(in crate::ui) fn show_hunk(&mut self, hunk: usize) {
        if let Some(start) = self.hunks.get(hunk) {
            self.window.go_to(start.saturating_sub(ABOVE));
        }
    }

    /// The first line that a hunk changes, in the text after, from 0: where it only removes lines, the
    /// one behind them.
    pub(in crate::ui) fn line_of_hunk(&self, hunk: usize) -> Option<u32> {
        let start = *self.hunks.get(hunk)?;
        let entries = self.entries.get(start..)?.iter();
        let changes = entries.skip_while(|entry| !entry.is_change());
        changes.into_iter().find_map(Entry::line_after)
    }

    /// The line of the text after that stands at an entry or behind it, from 0.
    pub(in crate::ui) fn line_at(&self, entry: usize) -> Option<u32> {
        self.entries
            .get(entry..)?
            .iter()
            .find_map(Entry::line_after)
    }

    /// Puts a line of the text after at the top, or the next one that is shown.
    pub(in crate::ui) fn show_line(&mut self, line: u32) {
        let is_there = |entry: &Entry| entry.line_after().is_some_and(|at| at >= line);
        if let Some(entry) = self.entries.iter().position(is_there) {
            self.window.go_to(entry);
        }
    }

    /// From one layout to the other; returns which.
    pub(in crate::ui) fn turn_layout(&mut self) -> DiffLayout {
        let split = |entry: &Entry| {
            let kind = entry.kind;
            matches!(kind, EntryKind::Item { layout, .. } if layout == Layout::Split)
        };
        self.layout = match self.entries.first().is_some_and(split) {
            true => DiffLayout::Unified,
            false => DiffLayout::Split,
        };
        self.layout
    }
}

struct Laid<'a> {
    files: &'a [File],
    entries: &'a [Entry],
    notes: &'a Notes,
    /// By file; made for those that show.
    painters: RefCell<Vec<(usize, Layout, Painter<'a>)>>,
    ctx: &'a RenderContext<'a>,
}

impl Entries for Laid<'_> {
    fn len(&self) -> usize {
        self.entries.len()
    }

    fn rows(&self, at: usize) -> Vec<Row> {
        let Some(entry) = self.entries.get(at) else {
            return Vec::new();
        };
        let Some(file) = self.files.get(entry.file) else {
            return Vec::new();
        };
        match entry.kind {
            EntryKind::Blank => vec![Row::default()],
            EntryKind::Header => {
                let mut line = StyledLine::new();
                header(&mut line, file, self.ctx);
                vec![line.truncate(usize::from(self.ctx.width), self.ctx.symbols.ellipsis)]
            }
            EntryKind::Waiting => {
                let text = format!("comparing{}", self.ctx.symbols.ellipsis);
                vec![StyledLine::styled(&text, self.ctx.theme.dim).into_row()]
            }
            EntryKind::Note(at, _) => self.notes.rows(at, self.ctx),
            EntryKind::Item { item, layout, .. } => {
                let Some(model) = &file.model else {
                    return Vec::new();
                };
                self.painted(entry, model, layout, |painter| painter.item(item))
            }
        }
    }

    fn may_match(&self, at: usize, pattern: &Pattern) -> bool {
        let Some(entry) = self.entries.get(at) else {
            return false;
        };
        let Some(file) = self.files.get(entry.file) else {
            return false;
        };
        match (entry.kind, &file.model) {
            (EntryKind::Header, _) => pattern.may_be_in(&file.path),
            (EntryKind::Item { item, .. }, Some(model)) => {
                item.texts(model).any(|text| pattern.may_be_in(text))
            }
            _ => false,
        }
    }

    fn marks(&self, at: usize, pattern: &Pattern) -> Vec<Vec<MarkedCells>> {
        if !self.may_match(at, pattern) {
            return Vec::new();
        }
        let entry = self.entries.get(at);
        let model = entry.and_then(|entry| self.files.get(entry.file)?.model.as_ref());
        let (Some(entry), Some(model)) = (entry, model) else {
            return marks(&self.rows(at), pattern);
        };
        let EntryKind::Item {
            item: Item::Pair(left, right),
            layout,
            ..
        } = entry.kind
        else {
            return marks(&self.rows(at), pattern);
        };
        // Each side is a text of its own.
        self.painted(entry, model, layout, |painter| {
            let sides = painter.sides(left, right);
            let mut found = marks(&sides.left, pattern);
            let column = u16::try_from(sides.right_at).unwrap_or(u16::MAX);
            for mut mark in marks(&sides.right, pattern) {
                for cells in &mut mark {
                    let columns = &cells.columns;
                    cells.columns =
                        columns.start.saturating_add(column)..columns.end.saturating_add(column);
                }
                found.push(mark);
            }
            found
        })
    }
}

impl<'a> Laid<'a> {
    /// What the painter of an entry's file makes.
    fn painted<T: Default>(
        &self,
        entry: &Entry,
        model: &'a DiffModel,
        layout: Layout,
        paint: impl FnOnce(&Painter<'a>) -> T,
    ) -> T {
        let Some(file) = self.files.get(entry.file) else {
            return T::default();
        };
        let mut painters = self.painters.borrow_mut();
        let known = painters
            .iter()
            .position(|(n, made, _)| (*n, *made) == (entry.file, layout));
        let index = known.unwrap_or_else(|| {
            let painter = Painter::new(model, &file.diff.path, self.ctx).long_lines();
            painters.push((entry.file, layout, painter));
            painters.len() - 1
        });
        painters
            .get(index)
            .map_or_else(T::default, |(_, _, painter)| paint(painter))
    }
}

/// `src/a.rs  +18 −4`
fn header(line: &mut StyledLine, file: &File, ctx: &RenderContext<'_>) {
    line.push(&file.path, ctx.theme.strong);
    if let Some(label) = &file.label {
        line.push("  ", ctx.theme.text);
        line.push(label, ctx.theme.dim);
    }
    let Some(model) = &file.model else { return };
    if model.form == Form::Untold {
        return;
    }
    line.push("  ", ctx.theme.text);
    match model.form {
        _ if file.label.is_some() => {}
        Form::Created => line.push("new ", ctx.theme.dim),
        Form::Emptied => line.push("emptied ", ctx.theme.dim),
        Form::Same if file.diff.note.is_some() => {}
        Form::Same => line.push("no visible difference ", ctx.theme.dim),
        Form::Changed | Form::Untold => {}
    }
    push_stats(line, model.stats, ctx.theme, ctx.symbols);
    if model.rough {
        line.push("  large: compared roughly", ctx.theme.dim);
    }
    if let Some(note) = &file.diff.note {
        line.push("  ", ctx.theme.text);
        line.push(note, ctx.theme.dim);
    }
    if model.hunks.len() > 1 {
        let hunks = count(model.hunks.len(), "hunk");
        line.push(&format!("  {hunks}"), ctx.theme.dim);
    }
}
