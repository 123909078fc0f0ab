//! Comments on the lines of a diff that a question shows on the whole screen.

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::{
    buffer::Buffer,
    layout::Position,
    widgets::{Clear, Widget},
};

use super::Ui;
use crate::ui::{
    UiContext,
    action::{Action, Context},
    comments::{Target, Wanted, Writing, all_notes},
    composer::Composer,
    keymap::Chord,
    render::split_bottom,
    viewer::{DiffViewer, Viewer, draw_hints, lines::At},
};

impl Ui {
    /// A comment is written over the diff: keys are its text.
    pub(super) fn is_commenting(&self) -> bool {
        matches!(self.viewer, Some(Viewer::Diff(_)))
            && self.is_asked_below()
            && self.layers.is_commenting()
    }

    /// A key for a comment, or that begins one; whether it was.
    pub(super) fn asked_comment_key(&mut self, key: KeyEvent, cx: &UiContext<'_>) -> bool {
        if self.is_commenting() {
            let action = self
                .look
                .keymap
                .action(Chord::from(key), &[Context::Anywhere]);
            if matches!(action, Some(Action::Suspend | Action::Redraw)) {
                return false;
            }
            if !self.close_outdated_viewer(cx)
                && let Some(dialog) = self.layers.answers_below()
                && let Err(why) = dialog.said().key(key)
            {
                self.moment.say(why.into());
            }
            // What it was about is not marked any longer.
            if !self.layers.is_commenting()
                && let Some(Viewer::Diff(diff)) = &mut self.viewer
            {
                diff.drop_range();
            }
            return true;
        }
        let begins = key.code == KeyCode::Char('c') && key.modifiers.is_empty();
        if !begins || !self.is_asked_below() || self.close_outdated_viewer(cx) {
            return false;
        }
        let (Some(Viewer::Diff(diff)), Some(dialog)) = (&self.viewer, self.layers.answers_below())
        else {
            return false;
        };
        // It may go on with a word, but not with that of a comment; or with what is looked for.
        let waits = dialog.is_waiting(cx.now) && !dialog.said().begun;
        if !diff.has_cursor() || diff.find.is_focused() || waits {
            return false;
        }
        let said = dialog.said();
        let target = match diff.at_cursor() {
            None => None,
            Some(At::Note(id)) => Some(Target::Known(id)),
            Some(At::Lines(range)) => {
                let file = diff.shown_files().find(|file| file.file == range.file);
                file.map(|file| file.target(range, &said.comments))
            }
        };
        let wanted = target.and_then(|target| match target {
            Target::New(about) => Some(Wanted {
                about,
                content: 0,
                known: None,
            }),
            Target::Known(id) => said.comments.get(id).map(|comment| Wanted {
                about: comment.about.clone(),
                content: 0,
                known: Some((id, comment.text.clone())),
            }),
        });
        let Some(wanted) = wanted else {
            self.moment
                .say("there are no lines here to comment on".into());
            return true;
        };
        let composer =
            Composer::new(self.look.offload.clone()).with_editing(self.look.settings.editing);
        said.begun = true;
        said.writing = Some(Writing::new(wanted, composer, cx.now));
        true
    }

    pub(super) fn asked_comment_burst(&mut self, keys: &[KeyEvent], cx: &UiContext<'_>) -> usize {
        if !self.is_commenting() || self.close_outdated_viewer(cx) {
            return 0;
        }
        let dialog = self.layers.answers_below();
        let writing = dialog.and_then(|dialog| dialog.said().writing.as_mut());
        writing.map_or(0, |writing| writing.take_burst(keys, cx.now))
    }

    pub(super) fn asked_comment_paste(&mut self, text: &str) -> bool {
        let is_commenting = self.is_commenting();
        if is_commenting
            && let Some(dialog) = self.layers.answers_below()
            && let Some(writing) = &mut dialog.said().writing
        {
            writing.paste(text);
        }
        is_commenting
    }

    /// Gives the diff of a question its comments, before it is drawn.
    pub(super) fn put_comments(&mut self, width: u16, height: u16, cx: &UiContext<'_>) {
        if !self.is_asked_below() {
            return;
        }
        let overlay = self.look.overlay(&self.composer, cx);
        let Some(dialog) = self.layers.answers_below() else {
            return;
        };
        let Some(Viewer::Diff(diff)) = &mut self.viewer else {
            return;
        };
        if !dialog.takes_comments(&overlay) {
            return;
        }
        diff.begin_cursor();
        let said = dialog.said();
        let rows = said.writing.as_mut().map_or(0, |writing| {
            writing.height(width.saturating_sub(1), (height / 2).max(1))
        });
        let notes = all_notes(diff, &said.comments, said.wanted());
        diff.set_notes(notes);
        diff.set_room(rows);
    }

    /// The comment that is written, at its place; returns where the caret is.
    pub(super) fn draw_comment(
        &mut self,
        width: u16,
        buf: &mut Buffer,
        cx: &UiContext<'_>,
    ) -> Option<Position> {
        if !self.is_commenting() {
            return None;
        }
        let Some(Viewer::Diff(diff)) = &self.viewer else {
            return None;
        };
        let writing = self.layers.answers_below()?.said().writing.as_mut()?;
        let (body, hints) = DiffViewer::drawn(diff);
        let place = diff.room(body).unwrap_or(split_bottom(body, 1).1);
        let ctx = self.look.render(width, cx.now);
        let caret = writing.draw(place, buf, &ctx);
        Clear.render(hints, buf);
        draw_hints(&writing.hints(), "", hints, buf, &ctx);
        caret
    }
}
