//! The numbered answers of a question: which is selected, how they are drawn.

use crate::{
    proto::PermissionKind,
    text::SafeText,
    ui::{
        action::Action,
        overlay::OverlayContext,
        render::{
            Row,
            line::{StyledLine, Wrapping, spread},
        },
    },
};

/// Answers with a digit of their own; later ones are reached with the arrow keys.
const DIGITS: usize = 9;

/// From this many columns each answer's kind is told in words as well.
const WORDS_WIDTH: usize = 56;

#[derive(Clone, Debug)]
pub struct Choice {
    pub label: SafeText,
    pub kind: PermissionKind,
}

#[derive(Clone, Debug)]
pub struct Choices {
    list: Vec<Choice>,
    /// Nothing at first: enter answers only what the person selected.
    selected: Option<usize>,
}

/// How many choices there are of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    None,
    One(usize),
    /// The first of several.
    Several(usize),
}

impl Choices {
    pub fn new(list: Vec<Choice>) -> Self {
        Self {
            list,
            selected: None,
        }
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

    pub fn of_kind(&self, kind: PermissionKind) -> Found {
        let mut found = (0..self.list.len()).filter(|at| self.list[*at].kind == kind);
        match (found.next(), found.next()) {
            (None, _) => Found::None,
            (Some(at), None) => Found::One(at),
            (Some(at), Some(_)) => Found::Several(at),
        }
    }

    /// Rows of all choices, and which rows the selected one has. `brief`: one row each. `open`: an
    /// answer would be taken now.
    pub fn rows(
        &self,
        width: usize,
        brief: bool,
        open: bool,
        cx: &OverlayContext<'_>,
    ) -> (Vec<Row>, Option<usize>) {
        let mut rows = Vec::new();
        let mut selected_row = None;
        for (at, choice) in self.list.iter().enumerate() {
            let selected = self.selected == Some(at);
            if selected {
                selected_row = Some(rows.len());
            }
            let mut of_choice = self.choice_rows(at, choice, width, brief, open, cx);
            if selected {
                for row in &mut of_choice {
                    crate::ui::render::line::pad(row, width, cx.theme.selected);
                    row.line = row.line.clone().patch_style(cx.theme.selected);
                }
            }
            rows.append(&mut of_choice);
        }
        (rows, selected_row)
    }

    fn choice_rows(
        &self,
        at: usize,
        choice: &Choice,
        width: usize,
        brief: bool,
        open: bool,
        cx: &OverlayContext<'_>,
    ) -> Vec<Row> {
        let theme = cx.theme;
        let (sign, colour) = match choice.kind {
            PermissionKind::AllowOnce | PermissionKind::AllowAlways => {
                (cx.symbols.done, theme.success)
            }
            PermissionKind::RejectOnce | PermissionKind::RejectAlways => {
                (cx.symbols.failed, theme.error)
            }
            PermissionKind::Unknown => (cx.symbols.asking, theme.dim),
        };
        let marker = if self.selected == Some(at) {
            cx.symbols.prompt
        } else {
            " "
        };
        let mut head = StyledLine::styled(marker, theme.accent);
        let number = if at < DIGITS {
            format!(" {} ", at + 1)
        } else {
            "   ".to_owned()
        };
        head.push(&number, if open { theme.key_hint } else { theme.dim });
        head.push(sign, colour);
        head.push(" ", theme.text);

        let mut tail = StyledLine::new();
        if width >= WORDS_WIDTH {
            tail.push(kind_words(choice.kind), theme.dim);
            tail.fill_to(14, theme.text);
        }
        let key = if self.is_first_of_kind(at) {
            kind_action(choice.kind).map_or_else(String::new, |action| cx.keymap.hint(action))
        } else {
            String::new()
        };
        tail.push(
            if key.is_empty() { " " } else { &key },
            if open { theme.key_hint } else { theme.dim },
        );

        if brief {
            head.push(&choice.label, theme.text);
            return vec![spread(&head, &tail, width, cx.symbols.ellipsis)];
        }
        let room = width.saturating_sub(tail.width() + 1);
        let mut indent = StyledLine::new();
        indent.fill_to(head.width(), theme.text);
        StyledLine::styled(&choice.label, theme.text)
            .wrap_with(Wrapping::Words, room, &head, &indent)
            .into_iter()
            .enumerate()
            .map(|(n, mut row)| {
                if n == 0 {
                    crate::ui::render::line::pad(&mut row, room + 1, theme.text);
                    row.line.spans.extend(tail.clone().into_row().line.spans);
                }
                row
            })
            .collect()
    }

    fn is_first_of_kind(&self, at: usize) -> bool {
        match self.of_kind(self.list[at].kind) {
            Found::One(first) | Found::Several(first) => first == at,
            Found::None => false,
        }
    }
}

fn kind_words(kind: PermissionKind) -> &'static str {
    match kind {
        PermissionKind::AllowOnce => "allow once",
        PermissionKind::AllowAlways => "allow always",
        PermissionKind::RejectOnce => "reject once",
        PermissionKind::RejectAlways => "reject always",
        PermissionKind::Unknown => "other",
    }
}

fn kind_action(kind: PermissionKind) -> Option<Action> {
    match kind {
        PermissionKind::AllowOnce => Some(Action::AllowOnce),
        PermissionKind::AllowAlways => Some(Action::AllowAlways),
        PermissionKind::RejectOnce => Some(Action::RejectOnce),
        PermissionKind::RejectAlways => Some(Action::RejectAlways),
        PermissionKind::Unknown => None,
    }
}

/// The kind that an action answers with.
pub fn action_kind(action: Action) -> Option<PermissionKind> {
    match action {
        Action::AllowOnce => Some(PermissionKind::AllowOnce),
        Action::AllowAlways => Some(PermissionKind::AllowAlways),
        Action::RejectOnce => Some(PermissionKind::RejectOnce),
        Action::RejectAlways => Some(PermissionKind::RejectAlways),
        _ => None,
    }
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
                })
                .collect(),
        )
    }

    #[test]
    fn nothing_is_selected_at_first_v1_perm_07() {
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

    #[test]
    fn kinds_are_told_apart_even_when_shared_v1_perm_04() {
        let list = choices(&[
            PermissionKind::AllowAlways,
            PermissionKind::AllowOnce,
            PermissionKind::AllowOnce,
        ]);
        assert_eq!(list.of_kind(PermissionKind::AllowAlways), Found::One(0));
        assert_eq!(list.of_kind(PermissionKind::AllowOnce), Found::Several(1));
        assert_eq!(list.of_kind(PermissionKind::RejectOnce), Found::None);
        assert_eq!(list.numbered(3), Some(2));
        assert_eq!(list.numbered(0), None);
        assert_eq!(list.numbered(4), None);
    }
}
