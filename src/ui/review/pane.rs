//! The diff of the selected file: which texts it is of, the hunk that keys are about, finding.
//!
//! What changed while one looks takes the place of what is shown once it is compared, at the same lines.

use std::{path::Path, sync::Arc, time::Instant};

use crossterm::event::KeyEvent;
use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use super::{
    hunks,
    texts::{Of, Told},
};
use crate::{
    config::DiffLayout,
    model::HunkRange,
    text::SafeText,
    ui::{
        comments::{Comments, ShownFile, Target, Wanted, notes},
        pointer::EdgeScroll,
        render::{
            RenderContext,
            diff::{DiffModel, Form},
            draw_rows,
            line::StyledLine,
        },
        viewer::{DiffViewer, Motion, find::FindKey, lines::At, window::Shown},
    },
};

#[derive(Default)]
pub struct Pane {
    shown: Option<Picture>,
    /// Another content of the same file, while it is compared.
    next: Option<Picture>,
    /// The hunk that keys are about.
    hunk: usize,
    /// To be gone to once the comparison is there.
    go: Option<Go>,
    /// The layout that the person turned to.
    layout: Option<DiffLayout>,
    /// What the notes between the lines are of: the change, the comments, the one that is written.
    noted: Option<(Of, u64, Option<Wanted>)>,
    /// Where the last frame drew lines of it; empty where it did not.
    area: Rect,
    /// Where it kept room for the comment that is written, of a file without lines.
    pub(super) free: Option<Rect>,
    /// The row of the screen that a drag is on, and what moves the lines on where that is at their edge.
    pub(super) held: Option<u16>,
    pub(super) scrolls: EdgeScroll,
}

/// What is shown of a change.
struct Picture {
    of: Of,
    body: Body,
    /// Once it is compared.
    model: Option<Arc<DiffModel>>,
}

enum Body {
    Diff(Box<DiffViewer>),
    /// Why there is none.
    Said(SafeText),
}

#[derive(Clone, Copy)]
enum Go {
    Hunk(usize),
    LastHunk,
    /// A comment.
    Note(u64),
}

/// Which lines are to be put back.
pub enum Chosen {
    Hunk(Vec<HunkRange>),
    /// The file has but one, which is all of it.
    File,
    /// And why not.
    Nothing(&'static str),
}

impl Picture {
    fn diff(&self) -> Option<&DiffViewer> {
        match &self.body {
            Body::Diff(diff) => Some(diff),
            Body::Said(_) => None,
        }
    }

    fn diff_mut(&mut self) -> Option<&mut DiffViewer> {
        match &mut self.body {
            Body::Diff(diff) => Some(diff),
            Body::Said(_) => None,
        }
    }

    /// Why no lines are shown.
    fn without_lines(&self) -> Option<SafeText> {
        let differs = |model: &Arc<DiffModel>| !model.lines.is_empty();
        match &self.body {
            Body::Said(why) => Some(why.clone()),
            Body::Diff(_) if self.model.as_ref().is_none_or(differs) => None,
            Body::Diff(_) => Some("no lines differ".into()),
        }
    }
}

impl Pane {
    /// Whether it has the texts of that.
    pub fn has(&self, of: &Of) -> bool {
        let mut pictures = self.shown.iter().chain(&self.next);
        pictures.any(|picture| picture.of == *of)
    }

    /// Whether it shows that file, compared or said why not: until then its hunks are not known.
    pub fn is_ready(&self, of: &Of) -> bool {
        let shown = self.shown.as_ref();
        shown.is_some_and(|shown| {
            let known = shown.model.is_some() || shown.diff().is_none();
            shown.of.is_same_file(of) && known
        })
    }

    /// The file is another one, whose texts are not there yet.
    pub fn leave(&mut self, of: &Of) {
        let is_same = |picture: &Picture| picture.of.is_same_file(of);
        if !self.shown.as_ref().is_some_and(is_same) {
            (self.shown, self.next) = (None, None);
            self.hunk = 0;
        }
    }

    /// Nothing is selected.
    pub fn clear(&mut self) {
        (self.shown, self.next) = (None, None);
    }

    pub fn show(&mut self, of: Of, told: &Told, layout: DiffLayout) {
        self.leave(&of);
        let body = match told {
            Ok(diff) => {
                let layout = self.layout.unwrap_or(layout);
                let viewer = DiffViewer::new(vec![diff.clone()], layout, Path::new(""));
                Body::Diff(Box::new(viewer))
            }
            Err(why) => {
                self.go = None;
                Body::Said(why.clone())
            }
        };
        let picture = Picture {
            of,
            body,
            model: None,
        };
        // A diff stays until the next one is compared.
        if self.diff().is_some() && picture.diff().is_some() {
            self.next = Some(picture);
        } else {
            (self.shown, self.next) = (Some(picture), None);
        }
    }

    /// The comparison, once it is there.
    pub fn model(&self) -> Option<&DiffModel> {
        self.shown.as_ref()?.model.as_deref()
    }

    pub(super) fn diff(&self) -> Option<&DiffViewer> {
        self.shown.as_ref()?.diff()
    }

    fn diff_mut(&mut self) -> Option<&mut DiffViewer> {
        self.shown.as_mut()?.diff_mut()
    }

    /// The hunk, from 1, of how many.
    pub fn at(&self) -> Option<(usize, usize)> {
        let hunks = self.diff()?.hunks();
        (hunks > 0).then(|| (self.hunk.min(hunks - 1) + 1, hunks))
    }

    /// To the next hunk or the one before; false where the file has none there.
    pub fn step(&mut self, by: isize) -> bool {
        let Some(hunks) = self.diff().map(DiffViewer::hunks) else {
            return false;
        };
        match self.hunk.checked_add_signed(by) {
            Some(to) if to < hunks => {
                // A key in the same read is about it as well.
                (self.hunk, self.go) = (to, Some(Go::Hunk(to)));
                if let Some(diff) = self.diff_mut() {
                    diff.lift_cursor();
                }
                true
            }
            _ => false,
        }
    }

    /// Of the file that comes next, the hunk at that end.
    pub fn begin_at(&mut self, last: bool) {
        self.go = Some(if last { Go::LastHunk } else { Go::Hunk(0) });
    }

    pub fn begin_at_note(&mut self, id: u64) {
        self.go = Some(Go::Note(id));
    }

    /// Another file is looked at from its beginning.
    pub fn begin(&mut self) {
        self.go = None;
    }

    pub fn scroll(&mut self, motion: Motion) {
        if let Some(diff) = self.diff_mut() {
            diff.move_by(motion);
        }
    }

    pub(super) fn point(&mut self, row: u16, spans: bool) {
        let row = usize::from(row.saturating_sub(self.area.y));
        let Some(diff) = self.diff_mut() else { return };
        let Some(entry) = diff.entry_at(row) else {
            return;
        };
        diff.put_cursor(entry, spans);
        let hunk = diff.hunk_at(entry);
        self.hunk = hunk.unwrap_or(self.hunk);
    }

    /// The cursor moves, and the range with it if it `spans` or there is one.
    pub fn move_cursor(&mut self, motion: Motion, spans: bool) {
        if let Some(diff) = self.diff_mut() {
            diff.move_cursor(motion, spans);
        }
    }

    pub fn turn_range(&mut self) {
        if let Some(diff) = self.diff_mut() {
            diff.turn_range();
        }
    }

    /// Whether there was one.
    pub fn drop_range(&mut self) -> bool {
        let Some(diff) = self.diff_mut() else {
            return false;
        };
        let had = diff.has_range();
        diff.drop_range();
        had
    }

    /// What a comment would be about, of what is listed as `of`.
    pub fn target(
        &self,
        of: &Of,
        name: &SafeText,
        comments: &Comments,
    ) -> Result<Target, &'static str> {
        let shown = self.shown.as_ref().filter(|shown| shown.of == *of);
        let shown = shown.ok_or("the file has just changed: look again")?;
        if self.area.is_empty() {
            return Err("the diff is not on the screen: enter shows it");
        }
        let whole = || Ok(Self::whole(&of.path, name, comments));
        let Some(diff) = shown.diff() else {
            return whole();
        };
        let model = shown
            .model
            .as_ref()
            .ok_or("the diff is still being compared")?;
        if model.lines.is_empty() {
            return whole();
        }
        let at = diff.at_cursor();
        let range = match at {
            Some(At::Note(id)) => return Ok(Target::Known(id)),
            Some(At::Lines(range)) => range,
            None => {
                let hunk = diff.changes_of(self.hunk);
                hunk.ok_or("the hunk is not on the screen: n goes to it")?
            }
        };
        let shown = ShownFile {
            file: 0,
            path: &of.path,
            name,
            model,
        };
        Ok(shown.target(range, comments))
    }

    /// Gives the viewer what stands between the lines.
    fn sync_notes(
        &mut self,
        (comments, writing): (&Comments, Option<(&Wanted, u16)>),
        ctx: &RenderContext<'_>,
    ) {
        let Some(shown) = &mut self.shown else { return };
        let (Body::Diff(diff), Some(model)) = (&mut shown.body, &shown.model) else {
            return;
        };
        let wanted = writing.map(|(wanted, _)| wanted);
        let now = (shown.of.clone(), comments.rev(), wanted.cloned());
        if self.noted.as_ref() != Some(&now) {
            let file = ShownFile {
                file: 0,
                path: &shown.of.path,
                name: &SafeText::default(),
                model,
            };
            diff.set_notes(notes(file, comments, wanted));
            self.noted = Some(now);
        }
        diff.set_room(writing.map_or(0, |(_, rows)| rows));
        diff.prepare(ctx);
        if let Some(Go::Note(id)) = self.go {
            self.go = None;
            if !diff.go_to_note(id) {
                diff.lift_cursor();
            }
        }
    }

    /// Where the last frame kept room for the comment that is written.
    pub fn room(&self) -> Option<Rect> {
        let body = Rect {
            x: self.area.x + 1.min(self.area.width),
            width: self.area.width.saturating_sub(1),
            ..self.area
        };
        self.free.or_else(|| self.diff()?.room(body))
    }

    /// The file that is shown.
    pub(super) fn shown_path(&self) -> Option<&Path> {
        Some(&self.shown.as_ref()?.of.path)
    }

    pub fn area(&self) -> Rect {
        self.area
    }

    /// The last frame did not draw it.
    pub fn hide(&mut self) {
        (self.area, self.free) = (Rect::ZERO, None);
    }

    pub fn turn_layout(&mut self) {
        if let Some(diff) = self.diff_mut() {
            let layout = diff.turn_layout();
            self.layout = Some(layout);
        }
    }

    /// The lines of the hunk that was on the screen, of what is listed as `of`.
    pub fn chosen(&self, of: &Of) -> Chosen {
        let shown = self.shown.as_ref().filter(|shown| shown.of == *of);
        let Some(shown) = shown else {
            return Chosen::Nothing("the file has just changed: look again");
        };
        if self.area.is_empty() {
            return Chosen::Nothing("the diff is not on the screen: enter shows it");
        }
        let Some(diff) = shown.diff() else {
            return Chosen::Nothing("there are no hunks here: U undoes the whole file");
        };
        let Some(model) = &shown.model else {
            return Chosen::Nothing("the diff is still being compared");
        };
        if !is_shown(diff, self.hunk, self.area.height) {
            return Chosen::Nothing("the hunk is not on the screen: n goes to it");
        }
        match model.form {
            Form::Created | Form::Emptied => Chosen::File,
            _ => match hunks::ranges(model, self.hunk) {
                ranges if ranges.is_empty() => {
                    Chosen::Nothing("there are no hunks here: U undoes the whole file")
                }
                ranges => Chosen::Hunk(ranges),
            },
        }
    }

    /// The line that an editor is to open at, from 1.
    pub fn line(&self, of: &Of) -> Option<u32> {
        let diff = self.diff().filter(|_| self.is_ready(of))?;
        let of_hunk = diff
            .line_of_hunk(self.hunk)
            .filter(|_| is_shown(diff, self.hunk, self.area.height));
        let line = of_hunk.or_else(|| diff.line_at(diff.top()))?;
        line.checked_add(1)
    }

    pub fn open_find(&mut self) {
        if let Some(diff) = self.diff_mut() {
            diff.find.open();
        }
    }

    pub fn is_finding(&self) -> bool {
        self.diff().is_some_and(|diff| diff.find.is_open())
    }

    pub fn takes_text(&self) -> bool {
        self.diff().is_some_and(|diff| diff.find.is_focused())
    }

    pub fn paste(&mut self, text: &str) {
        if let Some(diff) = self.diff_mut() {
            diff.find.paste(text);
        }
    }

    /// Takes a key for an open find bar.
    pub fn find_key(&mut self, key: KeyEvent) -> bool {
        let Some(diff) = self.diff_mut() else {
            return false;
        };
        match diff.find.key(key) {
            FindKey::Passed => return false,
            FindKey::Taken | FindKey::Closed { back: None } => {}
            FindKey::Closed { back: Some(back) } => diff.go_back(back),
        }
        true
    }

    pub fn deadline(&self, now: Instant) -> Option<Instant> {
        let find = self.diff()?.find.deadline(now);
        find.into_iter().chain(self.drag_deadline()).min()
    }

    /// Draws the find bar; returns where the caret is.
    pub fn draw_bar(
        &self,
        area: Rect,
        buf: &mut Buffer,
        ctx: &RenderContext<'_>,
    ) -> Option<Position> {
        self.diff()?.find.draw_bar(area, buf, ctx)
    }

    /// Takes in what was compared meanwhile.
    fn settle(&mut self, ctx: &RenderContext<'_>) {
        let ready = self.next.as_mut().and_then(|next| {
            let model = next.diff_mut()?.prepare(ctx)?;
            next.model = Some(model);
            Some(())
        });
        let next = self.next.take_if(|_| ready.is_some());
        if let (Some(mut next), Some(diff)) = (next, self.diff_mut()) {
            let line = diff.line_at(diff.top());
            let at_start = diff.top() == 0;
            let cursor = diff.cursor().and_then(|entry| diff.line_at(entry));
            let find = std::mem::take(&mut diff.find);
            if let Some(diff) = next.diff_mut() {
                diff.find = find;
                diff.find.again();
                if let Some(line) = line.filter(|_| !at_start) {
                    diff.show_line(line);
                }
                if let Some(line) = cursor {
                    diff.put_cursor_on_line(line);
                }
            }
            self.noted = None;
            self.shown = Some(next);
        }
        let Some(shown) = &mut self.shown else { return };
        if let Body::Diff(diff) = &mut shown.body {
            shown.model = diff.prepare(ctx);
            let hunks = diff.hunks();
            if shown.model.is_some()
                && let Some(go) = self.go.take_if(|go| !matches!(go, Go::Note(_)))
            {
                let last = hunks.saturating_sub(1);
                self.hunk = match go {
                    Go::Hunk(hunk) => hunk.min(last),
                    Go::LastHunk | Go::Note(_) => last,
                };
                diff.show_hunk(self.hunk);
                diff.lift_cursor();
            }
        }
    }

    /// Draws into an area whose first column is for the mark of the hunk; returns how far down it is.
    pub fn draw(
        &mut self,
        area: Rect,
        focused: bool,
        said: (&Comments, Option<(&Wanted, u16)>),
        buf: &mut Buffer,
        ctx: &RenderContext<'_>,
    ) -> String {
        let body = Rect {
            x: area.x + 1.min(area.width),
            width: area.width.saturating_sub(1),
            ..area
        };
        let ctx = RenderContext {
            width: body.width.max(1),
            ..*ctx
        };
        self.settle(&ctx);
        self.sync_notes(said, &ctx);
        self.area = area;
        let why = self.shown.as_ref().and_then(Picture::without_lines);
        if let Some(why) = why {
            self.go = None;
            self.draw_said(&why, said, body, buf, &ctx);
            return String::new();
        }
        self.scroll_at_edge(ctx.now);
        let hunk = self.hunk;
        let Some(diff) = self.diff_mut() else {
            let text = format!("reading{}", ctx.symbols.ellipsis);
            draw_text(&text, body, buf, &ctx);
            return String::new();
        };
        diff.want_cursor(focused.then_some(hunk));
        let far = diff.draw_body(body, buf, &ctx);
        let dragged = self.follow_drag(ctx.now);
        let Some(shown) = &self.shown else { return far };
        let Some(diff) = shown.diff() else { return far };
        if dragged {
            // Its end has moved on since the lines were drawn.
            diff.draw_cursor(body, buf, &ctx);
        }
        let at_cursor = diff.cursor().and_then(|entry| diff.hunk_at(entry));
        if let Some(hunk) = at_cursor {
            self.hunk = hunk;
        } else if !is_shown(diff, hunk, body.height) {
            let mut hunks = in_sight(diff, body.height);
            let first = hunks.find_map(|shown| diff.hunk_at(shown.entry));
            self.hunk = first.unwrap_or(hunk);
        }
        draw_mark(diff, self.hunk, area, buf, &ctx);
        far
    }
}

/// What the last frame had in an area of that height.
fn in_sight(diff: &DiffViewer, height: u16) -> impl Iterator<Item = &Shown> {
    let mut above = 0;
    diff.shown().iter().filter(move |shown| {
        let from = above;
        above += shown.rows;
        shown.rows > 0 && from < usize::from(height)
    })
}

/// Whether the last frame had a line of a hunk.
fn is_shown(diff: &DiffViewer, hunk: usize, height: u16) -> bool {
    in_sight(diff, height).any(|shown| diff.hunk_at(shown.entry) == Some(hunk))
}

/// A bar beside the hunk that keys are about, and the sign of the cursor.
fn draw_mark(
    diff: &DiffViewer,
    hunk: usize,
    area: Rect,
    buf: &mut Buffer,
    ctx: &RenderContext<'_>,
) {
    let mut y = usize::from(area.y);
    for shown in diff.shown() {
        let rows = y..y + shown.rows;
        y = rows.end;
        if diff.is_chosen(shown.entry) == Some(true)
            && let Ok(row) = u16::try_from(rows.start)
            && row < area.bottom()
        {
            buf.set_stringn(area.x, row, ctx.symbols.prompt, 1, ctx.theme.accent);
            continue;
        }
        if diff.hunk_at(shown.entry) != Some(hunk) {
            continue;
        }
        for row in rows {
            let Some(row) = u16::try_from(row).ok().filter(|row| *row < area.bottom()) else {
                return;
            };
            buf.set_stringn(area.x, row, ctx.symbols.bar, 1, ctx.theme.accent);
        }
    }
}

fn draw_text(text: &str, area: Rect, buf: &mut Buffer, ctx: &RenderContext<'_>) {
    let line = StyledLine::styled(text, ctx.theme.dim);
    draw_rows(&line.wrap(area.width.max(1).into()), area, buf);
}
