//! The numbered answers of a question: which is selected, how they are drawn.

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
    text::Span,
};

use crate::{
    model::PermissionKind,
    text::{SafeText, cell_width},
    ui::{
        action::Action,
        overlay::{
            OverlayContext,
            panel::{Scroll, to_rows},
        },
        render::{
            Row, draw_rows,
            line::{StyledLine, Wrapping, pad, row_width, select},
        },
        viewer::HUNK_KEYS,
    },
};

use super::{answering_key, reason::Reason};

/// Columns at the right for the signs that there are more choices than room.
const MARK_WIDTH: usize = 2;

/// Rows of each choice where not all are there whole; and of one where those are too many.
const ROWS_OF_EACH: [usize; 2] = [2, 1];

/// Answers with a digit of their own; later ones are reached with the arrow keys.
const DIGITS: usize = 9;

#[derive(Clone, Debug)]
pub struct Choice {
    pub label: SafeText,
    pub kind: PermissionKind,
    /// The label is the agent's own and may say anything: its kind stands beside it in words.
    pub foreign: bool,
}

impl Choice {
    pub fn ours(label: SafeText, kind: PermissionKind) -> Self {
        Self {
            label,
            kind,
            foreign: false,
        }
    }
}

#[derive(Debug)]
pub struct Choices {
    list: Vec<Choice>,
    /// Nothing at first: enter answers only what the person selected.
    selected: Option<usize>,
    scroll: Scroll,
    /// Rows of each choice at most, in the room that there was last.
    most: usize,
    /// Of each choice whether the last picture had all of it.
    seen: Vec<bool>,
    /// Where each was drawn last.
    placed: Vec<(usize, Rect)>,
    /// Written below the choice that it goes with.
    pub reason: Option<Reason>,
    /// They stand below a diff, whose keys some letters are.
    pub below_diff: bool,
}

impl Choices {
    pub fn new(list: Vec<Choice>) -> Self {
        Self {
            list,
            selected: None,
            scroll: Scroll::default(),
            most: usize::MAX,
            seen: Vec::new(),
            placed: Vec::new(),
            reason: None,
            below_diff: false,
        }
    }

    /// Whether all of a choice was in the last picture.
    pub fn is_seen(&self, at: usize) -> bool {
        self.seen.get(at).copied().unwrap_or(false)
    }

    /// The choice that was drawn at a place.
    pub fn at(&self, place: Position) -> Option<usize> {
        let mut placed = self.placed.iter();
        placed
            .find(|(_, rows)| rows.contains(place))
            .map(|(at, _)| *at)
    }

    pub fn count(&self) -> usize {
        self.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub fn selected(&self) -> Option<usize> {
        self.selected
    }

    pub fn select(&mut self, at: usize) {
        self.selected = Some(at).filter(|at| *at < self.list.len());
    }

    pub fn unselect(&mut self) {
        self.selected = None;
    }

    /// What is asked has changed: what was selected was for something else. A reason stays, and says
    /// so before it is given.
    pub fn outdate(&mut self) {
        match &mut self.reason {
            Some(reason) => reason.outdate(),
            None => self.selected = None,
        }
    }

    /// Labels are shorter than they are told.
    pub fn are_cut(&self) -> bool {
        self.most != usize::MAX
    }

    /// Shortens the labels to the room that there is, unless they are to be `whole`: an answer that
    /// is not on the screen is none. Returns the rows of all of them.
    pub fn fit(
        &mut self,
        width: usize,
        room: usize,
        whole: bool,
        cx: &OverlayContext<'_>,
    ) -> usize {
        let mut total = 0;
        for most in std::iter::once(usize::MAX).chain(ROWS_OF_EACH) {
            self.most = most;
            total = self.rows(width, true, cx).iter().map(Vec::len).sum();
            if whole || total <= room {
                break;
            }
        }
        total
    }

    /// Moves the selection; from nothing to the first or the last.
    pub fn step(&mut self, down: bool) {
        let Some(last) = self.list.len().checked_sub(1) else {
            return;
        };
        self.selected = Some(match (self.selected, down) {
            (None, true) => 0,
            (None, false) => last,
            (Some(at), true) => (at + 1).min(last),
            (Some(at), false) => at.saturating_sub(1),
        });
    }

    /// The choice that a typed digit stands for.
    pub fn numbered(&self, digit: u8) -> Option<usize> {
        let at = usize::from(digit).checked_sub(1)?;
        (at < self.list.len()).then_some(at)
    }

    /// A no: by accident it costs a question more.
    pub fn rejects(&self, at: usize) -> bool {
        let kind = self.list.get(at).map(|choice| choice.kind);
        matches!(
            kind,
            Some(PermissionKind::RejectOnce | PermissionKind::RejectAlways)
        )
    }

    pub fn of_kind(&self, kind: PermissionKind) -> Vec<usize> {
        let all = 0..self.list.len();
        all.filter(|at| self.list[*at].kind == kind).collect()
    }

    /// Rows of each choice, its label whole where there is room: it is what the person agrees to.
    /// `open`: an answer would be taken now.
    pub fn rows(&self, width: usize, open: bool, cx: &OverlayContext<'_>) -> Vec<Vec<Row>> {
        let labels = self.list.iter().map(|choice| cell_width(&choice.label));
        let label_width = labels.max().unwrap_or(0);
        let of_choice = |(at, choice): (usize, &Choice)| {
            let head = self.head(at, choice, open, cx);
            let kind = kind_words(choice, head.width() + label_width, width, cx);
            let mut rows = self.labelled(&head, &choice.label, (&kind, label_width), width, cx);
            if self.selected == Some(at) {
                for row in &mut rows {
                    select(row, width, cx.theme.selected);
                }
            }
            if let Some(reason) = self.reason.as_ref().filter(|reason| reason.at == at) {
                rows.push(reason.row(head.width(), width, cx).0);
            }
            rows
        };
        self.list.iter().enumerate().map(of_choice).collect()
    }

    /// Draws the choices, as many as there is room for, the selected one among them; returns where
    /// the caret of a reason is.
    pub fn draw(
        &mut self,
        area: Rect,
        buf: &mut Buffer,
        open: bool,
        cx: &OverlayContext<'_>,
    ) -> Option<Position> {
        let width = usize::from(area.width);
        let room = usize::from(area.height);
        let mut choices = self.rows(width, open, cx);
        let fits = choices.iter().map(Vec::len).sum::<usize>() <= room;
        if !fits {
            choices = self.rows(width.saturating_sub(MARK_WIDTH), open, cx);
        }
        // From where each choice takes its rows, and where the last one ends.
        let mut starts = vec![0];
        for rows in &choices {
            starts.push(starts.last().copied().unwrap_or(0) + rows.len());
        }
        let total = starts.last().copied().unwrap_or(0);
        let selected = self
            .selected
            .and_then(|at| Some(*starts.get(at)?..*starts.get(at + 1)?));
        let top = match selected {
            Some(rows) => self.scroll.fit_to_show(rows, total, area.height),
            None => self.scroll.fit(total, area.height),
        };
        self.seen = starts
            .windows(2)
            .enumerate()
            .map(|(at, ends)| {
                let whole = ends[0] >= top && ends[1] <= top + room;
                // One that no room is enough for can be answered with once it has all there is.
                let begins = ends[0] >= top && ends[0] < top + room;
                whole || (begins && (self.selected == Some(at) && ends[1] - ends[0] > room))
            })
            .collect();
        let row = |at: usize| area.y + to_rows(at.saturating_sub(top)).min(area.height);
        self.placed = starts
            .windows(2)
            .map(|ends| (row(ends[0]), row(ends[1])))
            .enumerate()
            .map(|(at, (from, to))| (at, Rect::new(area.x, from, area.width, to - from)))
            .collect();
        draw_rows(choices.iter().flatten().skip(top), area, buf);
        let mark = |buf: &mut Buffer, sign: &str, y: u16| {
            buf.set_string(area.right() - 1, y, sign, cx.theme.warning);
        };
        if !fits && area.height > 0 && area.width > 0 {
            if top > 0 {
                mark(buf, cx.symbols.more_above, area.top());
            }
            if self.scroll.below() > 0 {
                mark(buf, cx.symbols.more, area.bottom() - 1);
            }
        }
        let reason = self.reason.as_ref()?;
        let indent = self
            .head(reason.at, self.list.get(reason.at)?, open, cx)
            .width();
        let (_, column) = reason.row(
            indent,
            width.saturating_sub(if fits { 0 } else { MARK_WIDTH }),
            cx,
        );
        let row = starts.get(reason.at + 1)?.checked_sub(1 + top)?;
        (row < room).then(|| Position::new(area.x + to_rows(column), area.y + to_rows(row)))
    }

    /// Selection, digit, letter and a sign for the kind.
    fn head(&self, at: usize, choice: &Choice, open: bool, cx: &OverlayContext<'_>) -> StyledLine {
        let theme = cx.theme;
        let key_style = if open { theme.key_hint } else { theme.dim };
        let marker = if self.selected == Some(at) {
            cx.symbols.prompt
        } else {
            " "
        };
        let mut head = StyledLine::styled(marker, theme.accent);
        let digit = if at < DIGITS {
            (at + 1).to_string()
        } else {
            String::new()
        };
        // With a draft it would be typed.
        let typed = cx.drafting && !self.rejects(at);
        let digit_style = if typed { theme.dim } else { key_style };
        head.push(&format!(" {digit:1} "), digit_style);
        let letter = if self.is_first_of_kind(at) {
            kind_action(choice.kind).map_or_else(String::new, |action| answering_key(action, cx))
        } else {
            String::new()
        };
        let letter = match self.below_diff && HUNK_KEYS.iter().any(|key| letter.chars().eq([*key]))
        {
            true => "",
            false => &letter,
        };
        head.push(&format!("{letter:1} "), key_style);
        let (sign, colour) = match choice.kind {
            PermissionKind::AllowOnce | PermissionKind::AllowAlways => {
                (cx.symbols.done, theme.success)
            }
            PermissionKind::RejectOnce | PermissionKind::RejectAlways => {
                (cx.symbols.failed, theme.error)
            }
            PermissionKind::Unknown if choice.foreign => (cx.symbols.asking, theme.warning),
            // Ours: no answer at all.
            PermissionKind::Unknown => (cx.symbols.separator, theme.dim),
        };
        head.push(sign, colour);
        head.push(" ", theme.text);
        head
    }

    /// The label after its head, wrapped; the kind in its column behind the longest label.
    fn labelled(
        &self,
        head: &StyledLine,
        label: &SafeText,
        (kind, label_width): (&StyledLine, usize),
        width: usize,
        cx: &OverlayContext<'_>,
    ) -> Vec<Row> {
        let room = width.saturating_sub(kind.width());
        let label = StyledLine::styled(label, cx.theme.text);
        let mut rows = label.wrap_behind(head, Wrapping::Words, room);
        if rows.len() > self.most {
            rows.truncate(self.most);
            if let Some(last) = rows.last_mut() {
                cut(last, room, cx);
            }
        }
        if let Some(first) = rows.first_mut().filter(|_| !kind.is_empty()) {
            let column = (head.width() + label_width).min(room);
            pad(first, column, cx.theme.text);
            first.line.spans.extend(kind.clone().into_row().line.spans);
        }
        rows
    }

    fn is_first_of_kind(&self, at: usize) -> bool {
        self.of_kind(self.list[at].kind).first() == Some(&at)
    }
}

/// Ends a row with the sign that there is more.
fn cut(row: &mut Row, width: usize, cx: &OverlayContext<'_>) {
    let room = width.saturating_sub(cell_width(cx.symbols.ellipsis));
    while row_width(row) > room
        && let Some(last) = row.line.spans.last_mut()
    {
        if last.content.to_mut().pop().is_none() {
            row.line.spans.pop();
        }
    }
    row.line
        .spans
        .push(Span::styled(cx.symbols.ellipsis, cx.theme.warning));
}

/// What the agent says the option is, where the label has not the same words, and there is room.
fn kind_words(choice: &Choice, column: usize, width: usize, cx: &OverlayContext<'_>) -> StyledLine {
    /// Narrower than this the label needs all the room.
    const FROM_WIDTH: usize = 56;
    let words = match choice.kind {
        PermissionKind::AllowOnce => "allow once",
        PermissionKind::AllowAlways => "allow always",
        PermissionKind::RejectOnce => "reject once",
        PermissionKind::RejectAlways => "reject always",
        PermissionKind::Unknown => "of unknown kind",
    };
    let same = choice.label.trim().eq_ignore_ascii_case(words);
    if !choice.foreign || same || (width < FROM_WIDTH && column + words.len() + 3 > width) {
        return StyledLine::new();
    }
    StyledLine::styled(&format!("   {words:13}"), cx.theme.dim)
}

/// Kinds of answers, and the actions that give one.
const KINDS: [(PermissionKind, Action); 4] = [
    (PermissionKind::AllowOnce, Action::AllowOnce),
    (PermissionKind::AllowAlways, Action::AllowAlways),
    (PermissionKind::RejectOnce, Action::RejectOnce),
    (PermissionKind::RejectAlways, Action::RejectAlways),
];

fn kind_action(kind: PermissionKind) -> Option<Action> {
    let mut kinds = KINDS.iter();
    kinds.find(|(known, _)| *known == kind).map(|(_, a)| *a)
}

/// The kind that an action answers with.
pub fn action_kind(action: Action) -> Option<PermissionKind> {
    let mut kinds = KINDS.iter();
    kinds.find(|(_, known)| *known == action).map(|(k, _)| *k)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choices(kinds: &[PermissionKind]) -> Choices {
        Choices::new(
            kinds
                .iter()
                .map(|kind| Choice {
                    label: "x".into(),
                    kind: *kind,
                    foreign: true,
                })
                .collect(),
        )
    }

    /// V1-PERM-07
    #[test]
    fn nothing_is_selected_at_first() {
        let mut list = choices(&[PermissionKind::AllowOnce, PermissionKind::RejectOnce]);
        assert_eq!(list.selected(), None);
        list.step(false);
        assert_eq!(list.selected(), Some(1));
        list.step(true);
        assert_eq!(list.selected(), Some(1));
        list.step(false);
        assert_eq!(list.selected(), Some(0));
        let mut none = choices(&[]);
        none.step(true);
        assert_eq!(none.selected(), None);
    }

    /// V1-PERM-04
    #[test]
    fn kinds_are_told_apart_even_when_shared() {
        let list = choices(&[
            PermissionKind::AllowAlways,
            PermissionKind::AllowOnce,
            PermissionKind::AllowOnce,
        ]);
        assert_eq!(list.of_kind(PermissionKind::AllowAlways), [0]);
        assert_eq!(list.of_kind(PermissionKind::AllowOnce), [1, 2]);
        assert!(list.of_kind(PermissionKind::RejectOnce).is_empty());
        assert_eq!(list.numbered(3), Some(2));
        assert_eq!(list.numbered(0), None);
        assert_eq!(list.numbered(4), None);
    }
}
