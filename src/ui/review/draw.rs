//! The picture of a review: title, list and diff, what there is to say, keys.

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
    widgets::{Clear, Widget},
};

use super::{Focus, Reviewing, list::kind_sign};
use crate::{
    config::DiffLayout,
    model::{ChangeKind, ReviewFile, ReviewScope},
    text::{SafeText, cell_width, prefix_of_width},
    ui::{
        render::{
            RenderContext, Row,
            diff::{DiffStats, push_stats},
            draw_rows,
            format::{count, grouped},
            line::StyledLine,
            split_bottom, split_top,
        },
        viewer::{draw_hints, draw_title},
    },
};

/// From this many columns the diff stands beside the list.
const BESIDE: u16 = 60;

/// Cells of the list where it stands beside the diff; of the screen two fifths at most.
const LIST_LEAST: u16 = 22;
const LIST_MOST: u16 = 48;

/// Cells of the sign of up to nine comments, with a blank behind it.
const COMMENT_SIGN: usize = 3;

/// Keys that are always told.
const LAST: [(&str, &str); 2] = [("?", "keys"), ("q", "back")];

/// Rows below which there is only the most needed.
const LOW: u16 = 12;

impl Reviewing {
    /// Draws over the whole area; returns where the caret is.
    pub fn draw(
        &mut self,
        area: Rect,
        buf: &mut Buffer,
        layout: DiffLayout,
        ctx: &RenderContext<'_>,
    ) -> Option<Position> {
        Clear.render(area, buf);
        self.narrow = area.width < BESIDE;
        self.list.hide();
        self.pane.hide();
        self.fill(layout);
        let ctx = RenderContext {
            width: area.width.max(1),
            ..*ctx
        };
        let (title, rest) = split_top(area, 1);
        let (rest, hints) = split_bottom(rest, 1);
        let most = if area.height < LOW { 1 } else { 2 };
        let mut notes = self.notes(&ctx);
        notes.truncate(most);
        let (body, foot) = split_bottom(rest, u16::try_from(notes.len()).unwrap_or(0));
        self.seen = self.selected_of();
        self.draw_title(title, buf, &ctx);
        draw_rows(&notes, foot, buf);
        let far = match self.list.len() {
            0 => {
                self.draw_empty(body, buf, &ctx);
                String::new()
            }
            _ => self.draw_both(body, buf, &ctx),
        };
        if let Some(writing) = &mut self.writing {
            let place = self.pane.room().unwrap_or(split_bottom(body, 1).1);
            let caret = writing.draw(place, buf, &ctx);
            draw_hints(&self.hints(area.width), "", hints, buf, &ctx);
            return caret;
        }
        if self.pane.is_finding() && !self.pane.area().is_empty() {
            return self.pane.draw_bar(hints, buf, &ctx);
        }
        draw_hints(&self.hints(area.width), &far, hints, buf, &ctx);
        None
    }

    pub(super) fn scope_name(&self) -> SafeText {
        let listed = self.listed.as_ref();
        let choice = listed.and_then(|listed| listed.scopes.get(listed.at?));
        match (choice, listed.map(|listed| listed.scope)) {
            (Some(choice), _) => SafeText::line(&choice.name),
            (None, Some(ReviewScope::Turn(turn))) => SafeText::line(&format!("turn {turn}")),
            (None, Some(ReviewScope::Since(turn))) => {
                SafeText::line(&format!("turn {turn} and later"))
            }
            (None, Some(ReviewScope::Session)) => "the session".into(),
            (None, Some(ReviewScope::Commit)) => "since the last commit".into(),
            (None, None) => SafeText::default(),
        }
    }

    fn draw_title(&self, area: Rect, buf: &mut Buffer, ctx: &RenderContext<'_>) {
        let (theme, symbols) = (ctx.theme, ctx.symbols);
        let mut line = StyledLine::styled("changes", theme.strong);
        let name = self.scope_name();
        if !name.is_empty() {
            line.push(&format!(" {} ", symbols.separator), theme.dim);
            line.push(&name, theme.text);
        }
        let scope = self.listed.as_ref().map(|listed| listed.scope);
        if self.under.lists > 0 && self.under.scope.is_some() && self.under.scope != scope {
            line.push(symbols.ellipsis, theme.dim);
        }
        let files = self.list.len();
        let mut right = Vec::new();
        if files > 0 {
            right.push(count(files, "file"));
            if !self.narrow {
                let DiffStats { added, removed } = self.list.stats;
                let (added, removed) = (grouped(added), grouped(removed));
                right.push(format!("+{added} {}{removed}", symbols.minus));
            }
            if !self.comments.is_empty() {
                right.push(count(self.comments.len(), "comment"));
            }
            match self.list.reviewed {
                0 => {}
                all if all == files => right.push(format!("{} all reviewed", symbols.done)),
                some => right.push(format!("{} {}", symbols.done, grouped(some))),
            }
        }
        let right = right.join(&format!(" {} ", symbols.separator));
        draw_title(&line, &right, area, buf, ctx);
    }

    /// Rows above the hints: what an undo left out, what is not covered.
    fn notes(&self, ctx: &RenderContext<'_>) -> Vec<Row> {
        let (theme, symbols) = (ctx.theme, ctx.symbols);
        let mut notes = Vec::new();
        let mut push = |text: &str, style, key: &str, does: &str| {
            let mut line = StyledLine::blanks(2);
            let tail = format!(" {} {key} {does}", symbols.separator);
            let room = usize::from(ctx.width).saturating_sub(2 + tail.len());
            line.push(&cut(text, room, symbols.ellipsis), style);
            line.push(&format!(" {} ", symbols.separator), theme.dim);
            line.push(key, theme.key_hint);
            line.push(&format!(" {does}"), theme.dim);
            notes.push(line.truncate(ctx.width.into(), symbols.ellipsis));
        };
        if let Some(done) = &self.refused {
            push(&done.said, theme.warning, "e", "shows why");
        }
        let uncovered = self.listed.as_ref().map(|listed| &listed.uncovered[..]);
        match uncovered {
            None | Some([]) => {}
            Some([only]) => push(&format!("not covered: {only}"), theme.dim, "!", "shows it"),
            Some([first, rest @ ..]) => {
                let all = grouped(rest.len() + 1);
                let said = format!("{all} not covered {} {first}", symbols.separator);
                push(&said, theme.dim, "!", "shows all");
            }
        }
        notes
    }

    /// The keys that fit, the most needed first.
    fn hints(&self, width: u16) -> Vec<(&'static str, &'static str)> {
        if let Some(writing) = &self.writing {
            return writing.hints();
        }
        let in_diff = self.focus == Focus::Diff;
        let undoes = self.undo(None, None).is_ok();
        let some = self.list.len() > 0;
        let all = [
            ("j k", "file", some && !in_diff),
            ("j k", "line", some && in_diff),
            ("n p", "hunk", some),
            ("c", "comment", some && in_diff),
            ("v", "range", some && in_diff),
            ("S", "send comments", !self.comments.is_empty()),
            ("space", "reviewed", some),
            ("u", "undo hunk", some && undoes),
            ("U", "undo file", some && undoes),
            ("[ ]", "scope", true),
            ("r", "redo", self.can_redo()),
            ("tab", "diff", some && !in_diff),
            ("tab", "list", some && in_diff),
            ("C", "all comments", !self.comments.is_empty()),
            ("c", "comment", some && !in_diff),
            ("y", "copy patch", some),
            ("o", "edit", some),
            ("/", "find", some),
        ];
        let cells = |(key, does): (&str, &str)| key.len() + does.len() + 4;
        // How far down the diff is stands at the right.
        let mut left = usize::from(width).saturating_sub(8 + LAST.map(cells).iter().sum::<usize>());
        let mut shown = Vec::new();
        for (key, does, _) in all.into_iter().filter(|(_, _, fits)| *fits) {
            let needed = cells((key, does));
            if needed > left {
                break;
            }
            left -= needed;
            shown.push((key, does));
        }
        shown.extend(LAST);
        shown
    }

    fn can_redo(&self) -> bool {
        self.listed.as_ref().is_some_and(|listed| listed.can_redo)
    }

    fn draw_empty(&self, area: Rect, buf: &mut Buffer, ctx: &RenderContext<'_>) {
        let theme = ctx.theme;
        let (said, style, hint) = match (&self.failed, &self.listed) {
            (Some(why), _) => (why.to_string(), theme.warning, "q goes back"),
            (None, None) => {
                let said = format!("looking at what has changed{}", ctx.symbols.ellipsis);
                (said, theme.dim, "")
            }
            (None, Some(listed)) => {
                let said = match listed.scope {
                    ReviewScope::Commit => "No changes since the last commit".to_owned(),
                    _ => format!("No changes in {}", self.scope_name()),
                };
                (said, theme.text, "[ and ] show another scope, s lists them")
            }
        };
        let room = area.width.saturating_sub(4).max(1);
        let mut rows = StyledLine::styled(&said, style).wrap(room.into());
        rows.extend(StyledLine::styled(hint, theme.dim).wrap(room.into()));
        let inner = Rect {
            x: area.x + 2.min(area.width),
            width: area.width.saturating_sub(4),
            ..area
        };
        let above = inner
            .height
            .saturating_sub(u16::try_from(rows.len()).unwrap_or(0))
            / 3;
        draw_rows(&rows, split_top(inner, above).1, buf);
    }

    /// List and diff beside each other, or the one that has the keys; returns how far down the diff is.
    fn draw_both(&mut self, area: Rect, buf: &mut Buffer, ctx: &RenderContext<'_>) -> String {
        if self.narrow {
            if self.focus == Focus::List {
                let signs = (&self.marks, &self.comments);
                self.list.draw(area, true, signs, buf, ctx);
                return String::new();
            }
            return self.draw_diff(area, buf, ctx);
        }
        let signs = match self.comments.is_empty() {
            true => 0,
            false => COMMENT_SIGN,
        };
        // A blank stands before the line between them.
        let wanted = u16::try_from(self.list.width + signs + 1).unwrap_or(u16::MAX);
        let most = LIST_MOST.min(area.width * 2 / 5);
        let width = wanted.clamp(LIST_LEAST.min(most), most);
        let left = Rect {
            width: width.saturating_sub(1),
            ..area
        };
        let right = Rect {
            x: area.x + width + 1,
            width: area.width - width - 1,
            ..area
        };
        for y in area.top()..area.bottom() {
            buf.set_string(area.x + width, y, ctx.symbols.column, ctx.theme.border);
        }
        let focused = self.focus == Focus::List;
        let signs = (&self.marks, &self.comments);
        self.list.draw(left, focused, signs, buf, ctx);
        self.draw_diff(right, buf, ctx)
    }

    fn draw_diff(&mut self, area: Rect, buf: &mut Buffer, ctx: &RenderContext<'_>) -> String {
        let (head, body) = split_top(area, 1);
        let wanted = self.writing.as_mut().map(|writing| {
            let rows = writing.height(body.width.saturating_sub(1), (body.height / 2).max(1));
            (&writing.wanted, rows)
        });
        let focused = self.focus == Focus::Diff;
        let far = self
            .pane
            .draw(body, focused, (&self.comments, wanted), buf, ctx);
        // The first column is the lines' for their mark.
        let head = Rect {
            x: head.x + 1.min(head.width),
            width: head.width.saturating_sub(1),
            ..head
        };
        if let Some(file) = self.list.selected() {
            let row = self.head(file, head.width.into(), ctx);
            draw_rows([&row], head, buf);
        }
        far
    }

    /// `M src/a.rs  hunk 1 of 3  renamed from b.rs  by Edit`
    fn head(&self, file: &ReviewFile, width: usize, ctx: &RenderContext<'_>) -> Row {
        let (theme, symbols) = (ctx.theme, ctx.symbols);
        let focused = self.focus == Focus::Diff;
        let mut line = StyledLine::new();
        // Where it stands alone the head says what the list would.
        if self.narrow && self.marks.has(&file.path, file.content) {
            line.push(&format!("{} ", symbols.done), theme.success);
        }
        let (sign, style) = kind_sign(file.kind, theme);
        line.push(&format!("{sign} "), style);
        let name = if focused { theme.strong } else { theme.text };
        let room = (width * 3 / 5).max(8);
        line.push(&cut(&file.name, room, symbols.ellipsis), name);
        let mut more = Vec::new();
        if let Some((at, all)) = self.pane.at() {
            more.push((format!("hunk {at} of {all}"), theme.dim));
        }
        let kind = match (file.kind, &file.renamed_from) {
            (_, Some(from)) => Some(format!("renamed from {from}")),
            (ChangeKind::Added, _) => Some("new".to_owned()),
            (ChangeKind::Deleted, _) => Some("deleted".to_owned()),
            (ChangeKind::Mode, _) => Some("permissions".to_owned()),
            (ChangeKind::Type, _) => Some("another type".to_owned()),
            (ChangeKind::Modified | ChangeKind::Renamed, _) => None,
        };
        more.extend(kind.map(|kind| (kind, theme.dim)));
        match named_by(&file.by) {
            None if file.by_unknown => {}
            None => more.push(("outside of turns".to_owned(), theme.warning)),
            Some(by) => more.push((by, theme.dim)),
        }
        let model = self.pane.model();
        if model.is_some_and(|model| model.rough) {
            more.push(("large: compared roughly".to_owned(), theme.dim));
        }
        if let Some((added, removed)) = file.lines {
            line.push("  ", theme.text);
            push_stats(&mut line, DiffStats { added, removed }, theme, symbols);
        }
        for (text, style) in more {
            line.push("  ", theme.text);
            line.push(&text, style);
        }
        line.truncate(width, symbols.ellipsis)
    }
}

/// What named the change; `None`: nothing did.
fn named_by(by: &[SafeText]) -> Option<String> {
    const MOST: usize = 3;
    let first: Vec<&str> = by.iter().take(MOST).map(SafeText::as_str).collect();
    let more = match by.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(" and {} more", grouped(more)),
    };
    (!first.is_empty()).then(|| format!("by {}{more}", first.join(", ")))
}

/// As much of a line as fits.
fn cut(text: &str, room: usize, ellipsis: &str) -> String {
    if cell_width(text) <= room {
        return text.to_owned();
    }
    let room = room.saturating_sub(cell_width(ellipsis));
    format!("{}{ellipsis}", prefix_of_width(text, room))
}
