//! What keys and the mouse do in a review.

use std::path::PathBuf;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

use super::{Ask, Focus, Outcome, Reviewing, pane::Chosen};
use crate::{
    model::{ChangeKind, CheckpointId, ReviewScope, ReviewWish, UndoPart},
    text::SafeText,
    ui::{
        UiCommand,
        viewer::{Motion, find},
    },
};

/// All keys, for `?`.
const KEYS: &[(&str, &str)] = &[
    (
        "j k",
        "Next file, the one before; in the diff: the next line",
    ),
    ("J K", "Scroll the diff by half a page"),
    ("pgdn pgup g G", "Page; first and last"),
    ("n p", "Next hunk, the one before, over the files' ends"),
    ("tab enter", "From the list to the diff; tab: and back"),
    (
        "c",
        "Comment on the line or range, in the list on the hunk, or a file without lines; on a comment: edit it (empty removes it)",
    ),
    (
        "v",
        "Start or end a range of lines in the diff; shift-up/down and dragging select one too",
    ),
    ("C", "List all comments: go to one or remove it"),
    ("S", "Send all comments as one prompt"),
    (
        "space",
        "Mark the file as reviewed and go to the next unreviewed one",
    ),
    ("u", "Undo the marked hunk"),
    (
        "U",
        "Undo the file: what turns changed; your own changes stay",
    ),
    (
        "ctrl-u",
        "Undo what turns changed in the whole scope; asks first",
    ),
    ("r", "Redo the last undo"),
    ("e", "Files that were not put back, and why"),
    (
        "[ ]",
        "Previous and next scope: turns, session, last commit",
    ),
    ("s", "Choose the scope from a list"),
    ("y Y", "Copy a patch: of the file, of the whole scope"),
    ("w W", "Write that patch to a file"),
    ("o", "Open the file in $EDITOR, at the marked hunk"),
    ("|", "Side by side, or unified"),
    (
        "/ ctrl-f F3",
        "Find in the diff; n and N: next and previous match",
    ),
    ("!", "What is not covered, and why"),
    ("?", "These keys"),
    ("esc q", "Back"),
];

/// The keys as a text.
fn keys_text() -> SafeText {
    let width = KEYS.iter().map(|(keys, _)| keys.len()).max().unwrap_or(0);
    let lines = KEYS
        .iter()
        .map(|(keys, does)| format!("{keys:<width$}  {does}\n"));
    SafeText::new(&lines.collect::<String>())
}

impl Reviewing {
    pub fn on_key(&mut self, key: KeyEvent) -> Outcome {
        self.release();
        if let Some(outcome) = self.writing_key(key) {
            return outcome;
        }
        if self.shows_diff() && self.pane.find_key(key) {
            if !self.pane.is_finding() {
                self.give_focus_back();
            }
            return Outcome::Stay;
        }
        if find::opens(key) {
            self.open_find();
            return Outcome::Stay;
        }
        let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('c') if ctrl => return Outcome::Close,
            KeyCode::Char('u') if ctrl => return self.undo_all(),
            KeyCode::Char(_) if ctrl || key.modifiers.contains(KeyModifiers::ALT) => {}
            KeyCode::Esc if self.focus == Focus::Diff && self.pane.drop_range() => {}
            KeyCode::Esc | KeyCode::Char('q') => return self.back(),
            KeyCode::Tab | KeyCode::BackTab => {
                self.back_to = None;
                self.focus = match self.focus {
                    Focus::List => Focus::Diff,
                    Focus::Diff => Focus::List,
                };
            }
            KeyCode::Enter => (self.back_to, self.focus) = (None, Focus::Diff),
            KeyCode::Char('J') => self.pane.scroll(Motion::HalfPages(1)),
            KeyCode::Char('K') => self.pane.scroll(Motion::HalfPages(-1)),
            KeyCode::Char('n') => return self.go_to_hunk(1),
            KeyCode::Char('p' | 'N') => return self.go_to_hunk(-1),
            KeyCode::Char('|') => self.pane.turn_layout(),
            KeyCode::Char('v') => match self.focus {
                Focus::List => self.focus = Focus::Diff,
                Focus::Diff => self.pane.turn_range(),
            },
            _ if self.moved(key) => {}
            KeyCode::Char(letter) => return self.letter(letter),
            _ => {}
        }
        Outcome::Stay
    }

    /// Letters that do something with what is selected.
    fn letter(&mut self, letter: char) -> Outcome {
        match letter {
            ' ' => self.mark(),
            'c' => self.comment(),
            'C' => self.list_comments(),
            'S' => Outcome::Send,
            'u' => self.undo_hunk(),
            'U' => self.undo_file(),
            'r' => self.redo(),
            'y' => self.copy(true),
            'Y' => self.copy(false),
            'w' => self.write(true),
            'W' => self.write(false),
            'o' => self.edit(),
            'e' => match &self.refused {
                Some(done) => Outcome::Ask(Ask::Refused(done.refused.clone())),
                None => say("nothing was left out of the last undo"),
            },
            '[' => self.scope_by(-1),
            ']' => self.scope_by(1),
            's' => match &self.listed {
                Some(listed) => Outcome::Ask(Ask::Scope {
                    choices: listed.scopes.clone(),
                    now: listed.scope,
                }),
                None => Outcome::Stay,
            },
            '!' => self.show_uncovered(),
            '?' => Outcome::Show {
                title: "keys of the review".into(),
                text: keys_text(),
            },
            _ => Outcome::Stay,
        }
    }

    /// Whether the last frame has, or the next one will have, the diff on the screen.
    fn shows_diff(&self) -> bool {
        !self.narrow || self.focus == Focus::Diff
    }

    /// The diff gets the keys for a while.
    pub(super) fn lend_focus(&mut self) {
        // Where only one of both shows, what was found or written is in the other one.
        if self.focus == Focus::List && !self.narrow {
            self.back_to = Some(Focus::List);
        }
        self.focus = Focus::Diff;
    }

    pub(super) fn give_focus_back(&mut self) {
        if let Some(focus) = self.back_to.take() {
            self.focus = focus;
        }
    }

    pub fn open_find(&mut self) {
        self.lend_focus();
        self.pane.open_find();
    }

    /// Where only one of both shows, the diff leads back to the list.
    fn back(&mut self) -> Outcome {
        if self.narrow && self.focus == Focus::Diff {
            self.focus = Focus::List;
            return Outcome::Stay;
        }
        Outcome::Close
    }

    /// Moves in what has the keys.
    fn moved(&mut self, key: KeyEvent) -> bool {
        let motion = match key.code {
            KeyCode::Down | KeyCode::Char('j') => Motion::Rows(1),
            KeyCode::Up | KeyCode::Char('k') => Motion::Rows(-1),
            KeyCode::PageDown => Motion::Pages(1),
            KeyCode::PageUp => Motion::Pages(-1),
            KeyCode::Home | KeyCode::Char('g') => Motion::Home,
            KeyCode::End | KeyCode::Char('G') => Motion::End,
            _ => return false,
        };
        if self.focus == Focus::Diff {
            let spans = key.modifiers.contains(KeyModifiers::SHIFT);
            self.pane.move_cursor(motion, spans);
            return true;
        }
        self.pane.begin();
        match motion {
            Motion::Rows(by) => {
                self.list.step(by);
            }
            Motion::Pages(by) | Motion::HalfPages(by) => self.list.page(by),
            Motion::Home => self.list.ends(false),
            Motion::End => self.list.ends(true),
        }
        true
    }

    /// To the next hunk or the one before; over the end of a file to that of the next one.
    fn go_to_hunk(&mut self, by: isize) -> Outcome {
        let seen = self.shows_diff();
        self.focus = match self.narrow {
            true => Focus::Diff,
            false => self.focus,
        };
        // In a column the list was all that there was: the first key only shows the diff. And no file is
        // passed over because it is still being read.
        let of = self.selected_of();
        let ready = of.is_some_and(|of| self.pane.is_ready(&of));
        if !seen || !ready || self.pane.step(by) {
            return Outcome::Stay;
        }
        if self.list.step(by) {
            self.pane.begin_at(by < 0);
            return Outcome::Stay;
        }
        match by < 0 {
            true => say("this is the first hunk"),
            false => say("this is the last hunk"),
        }
    }

    fn mark(&mut self) -> Outcome {
        let Some(file) = self.list.selected() else {
            return Outcome::Stay;
        };
        if self.marks.has(&file.path, file.content) {
            self.marks.remove(&file.path);
            self.list.count_reviewed(&self.marks);
            return Outcome::Stay;
        }
        self.marks.set(&file.path, file.content);
        self.list.count_reviewed(&self.marks);
        self.pane.begin();
        match self.list.next_unreviewed(&self.marks) {
            true => Outcome::Stay,
            false => say("all files are reviewed"),
        }
    }

    fn undo_hunk(&mut self) -> Outcome {
        let (Some(of), Some(file)) = (self.selected_of(), self.list.selected()) else {
            return say("nothing is selected");
        };
        let (path, until) = (file.path.clone(), file.until);
        let whole = matches!(
            file.kind,
            ChangeKind::Added | ChangeKind::Deleted | ChangeKind::Type
        );
        let part = match self.pane.chosen(&of) {
            Chosen::Hunk(ranges) if !whole => UndoPart::Hunks(path, ranges),
            Chosen::Hunk(_) | Chosen::File => UndoPart::File(path),
            Chosen::Nothing(why) => return self.unless_refused(why),
        };
        self.wished(part, until)
    }

    /// Why nothing can be undone here at all comes before why not this.
    fn unless_refused(&self, why: &'static str) -> Outcome {
        match self.undo(None, None) {
            Ok(_) => say(why),
            Err(why) => Outcome::Say(why),
        }
    }

    fn undo_file(&mut self) -> Outcome {
        let Some(of) = self.selected_of() else {
            return say("nothing is selected");
        };
        // A list that came meanwhile may have moved the selection.
        if !self
            .seen
            .as_ref()
            .is_some_and(|seen| seen.is_same_file(&of))
        {
            return say("another file is selected now: look again");
        }
        let until = self.list.selected().and_then(|file| file.until);
        self.wished(UndoPart::File(of.path), until)
    }

    fn wished(&self, part: UndoPart, until: Option<CheckpointId>) -> Outcome {
        match self.undo(Some(vec![part]), until) {
            Ok(wish) => Outcome::Wish(wish),
            Err(why) => Outcome::Say(why),
        }
    }

    /// All that turns have made; what changed outside of them is the person's own, and stays.
    fn undo_all(&mut self) -> Outcome {
        let all = self.list.len();
        let made = self.list.made_by_turns();
        let parts = match made.len() {
            made if made == all => None,
            _ => Some(made.iter().cloned().map(UndoPart::File).collect()),
        };
        match self.undo(parts, None) {
            Err(why) => Outcome::Say(why),
            Ok(_) if all == 0 => say("there is nothing to undo here"),
            Ok(_) if made.is_empty() => {
                say("no turn changed these files: U puts back the one that is selected")
            }
            Ok(wish) => Outcome::Ask(Ask::UndoAll {
                wish,
                files: made.len(),
                left: all - made.len(),
                scope: self.scope_name(),
            }),
        }
    }

    fn redo(&mut self) -> Outcome {
        let can = self.listed.as_ref().is_some_and(|listed| listed.can_redo);
        match can {
            _ if self.under.undo || self.under.undone => say("the last undo is still at work"),
            true => Outcome::Wish(ReviewWish::Redo),
            false => say("Nothing to redo"),
        }
    }

    /// The scope, and the selected file where that is meant.
    fn of_patch(&self, one: bool) -> Option<(ReviewScope, Option<PathBuf>)> {
        let (listed, file) = (self.listed.as_ref()?, self.list.selected()?);
        Some((listed.scope, one.then(|| file.path.clone())))
    }

    fn copy(&self, one: bool) -> Outcome {
        match self.of_patch(one) {
            Some((scope, path)) => Outcome::Wish(ReviewWish::Patch {
                scope,
                path,
                to: None,
            }),
            None => say("there is nothing to copy"),
        }
    }

    fn write(&self, one: bool) -> Outcome {
        match self.of_patch(one) {
            Some((scope, path)) => Outcome::Ask(Ask::WritePatch { scope, path }),
            None => say("there is nothing to write"),
        }
    }

    fn edit(&self) -> Outcome {
        match self.list.selected() {
            None => say("nothing is selected"),
            Some(file) if file.kind == ChangeKind::Deleted => say("the file is deleted"),
            Some(file) => Outcome::Command(Box::new(UiCommand::OpenEditor {
                path: file.path.clone(),
                line: self.selected_of().and_then(|of| self.pane.line(&of)),
            })),
        }
    }

    /// The scope that stands above or below in the list, from the one that was asked for last.
    fn scope_by(&mut self, by: isize) -> Outcome {
        let Some(listed) = &self.listed else {
            return Outcome::Stay;
        };
        let wanted = self.under.scope.unwrap_or(listed.scope);
        let mut scopes = listed.scopes.iter();
        let at = match scopes.position(|choice| choice.scope == wanted) {
            Some(at) => at.checked_add_signed(by),
            None => Some(0),
        };
        match at.and_then(|at| listed.scopes.get(at)) {
            Some(next) => Outcome::Wish(ReviewWish::List(Some(next.scope))),
            None if by < 0 => say("this is the first scope"),
            None => say("this is the last scope"),
        }
    }

    fn show_uncovered(&self) -> Outcome {
        let listed = self.listed.as_ref();
        match listed.filter(|listed| !listed.uncovered.is_empty()) {
            None => say("all files are covered"),
            Some(listed) => {
                let lines: Vec<&str> = listed.uncovered.iter().map(SafeText::as_str).collect();
                Outcome::Show {
                    title: "not covered".into(),
                    text: SafeText::new(&lines.join("\n")),
                }
            }
        }
    }

    /// The mouse at a place of the screen; `rows`: what the wheel turned.
    pub fn on_mouse(&mut self, mouse: MouseEvent, rows: Option<isize>) {
        let at = Position::new(mouse.column, mouse.row);
        let in_list = self.list.area().contains(at);
        let in_diff = self.pane.area().contains(at);
        if let Some(rows) = rows {
            if in_list {
                self.list.turn(rows);
            } else if in_diff {
                self.pane.scroll(Motion::Rows(rows));
            }
            return;
        }
        if mouse.kind == MouseEventKind::Up(MouseButton::Left) {
            self.release();
        }
        if self.is_writing() {
            return;
        }
        if mouse.kind == MouseEventKind::Drag(MouseButton::Left) && self.focus == Focus::Diff {
            return self.pane.drag(at.y);
        }
        if mouse.kind != MouseEventKind::Down(MouseButton::Left) {
            return;
        }
        if in_list {
            if self.list.click(at.y) {
                self.pane.begin();
                self.focus = match self.narrow {
                    true => Focus::Diff,
                    false => Focus::List,
                };
            }
        } else if in_diff {
            self.focus = Focus::Diff;
            self.pane.click(at.y);
        }
    }
}

pub(super) fn say(text: &'static str) -> Outcome {
    Outcome::Say(text.into())
}
