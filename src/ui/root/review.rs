//! The review on the whole screen: who has the keys, what it asks of the app, and its dialogs above it.

use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
    widgets::{Clear, Widget},
};

use super::{Ui, screen::Zones};
use crate::{
    model::{KeptReview, ReviewScope, ReviewTold, ReviewWish, SessionKey},
    text::SafeText,
    ui::{
        UiCommand, UiContext,
        action::{Action, Context},
        composer::Composer,
        contain::contained,
        keymap::Chord,
        overlay::{CommentList, Refused, Scopes, ask_patch_path, ask_undo_all},
        render::format::{count, grouped},
        review::{Ask, Outcome, Reviewing},
    },
};

/// Columns that a dialog over the whole width leaves at its right.
const MARGIN: u16 = 2;

impl Ui {
    /// What the app has to tell the review of that session.
    pub fn review(&mut self, session: SessionKey, told: ReviewTold) {
        let shown = !self.parked.contains_key(&session);
        let said = self.review_of(session).told(told);
        if let Some(said) = said.filter(|_| shown) {
            self.moment.say(said);
        }
    }

    /// The scope that an open review shows of the session that is shown.
    pub fn reviewed_scope(&self) -> Option<ReviewScope> {
        self.review.scope()
    }

    /// Marks and comments of the review of that session, to be stored.
    pub fn kept_review(&self, session: SessionKey) -> Option<KeptReview> {
        self.review_held(session).map(Reviewing::kept)
    }

    /// Grows when they change.
    pub fn review_rev(&self, session: SessionKey) -> Option<u64> {
        self.review_held(session).map(Reviewing::rev)
    }

    /// How many comments that session has that were not sent.
    pub fn comments_of(&self, session: SessionKey) -> usize {
        self.review_held(session).map_or(0, Reviewing::unsent)
    }

    /// What was stored with a session that is open again.
    pub fn restore_review(&mut self, session: SessionKey, kept: KeptReview) {
        let stored = kept.comments.len();
        let comments = self.review_of(session).restore(kept);
        if stored > 0 {
            let key = self.look.keymap.hint(Action::Review);
            let many = count(comments, "comment");
            let said = match stored - comments {
                0 => format!("{many} of the review restored: {key} shows them"),
                lost => format!(
                    "{many} of the review restored: {key} shows them; for {} there was no room",
                    grouped(lost)
                ),
            };
            self.moment.say(SafeText::line(&said));
        }
    }

    /// `None`: that session has no screen here.
    fn review_held(&self, session: SessionKey) -> Option<&Reviewing> {
        match self.parked.get(&session) {
            Some(parked) => Some(&parked.review),
            None => {
                Some(&self.review).filter(|_| self.session.is_none_or(|shown| shown == session))
            }
        }
    }

    fn review_of(&mut self, session: SessionKey) -> &mut Reviewing {
        match self.parked.get_mut(&session) {
            Some(parked) => &mut parked.review,
            None => &mut self.review,
        }
    }

    /// Something fills the screen over the conversation.
    pub(super) fn is_covered(&self) -> bool {
        self.viewer.is_some() || self.review.is_open()
    }

    /// The review has the keys: nothing lies over it.
    pub(super) fn has_review_keys(&self) -> bool {
        self.review.is_open() && self.viewer.is_none() && !self.layers.is_opened()
    }

    pub(super) fn toggle_review(&mut self, cx: &UiContext<'_>) {
        if self.review.is_open() {
            self.close_review();
        } else if cx.session.is_some() {
            let wish = self.review.open();
            self.wish_for_review(wish);
        } else {
            self.say_no_agent(cx);
        }
    }

    pub(super) fn close_review(&mut self) {
        self.review.close();
        // The key that closed it answers no question below.
        self.layers.question_moved();
    }

    /// Asks the app, and remembers that.
    pub(super) fn wish_for_review(&mut self, wish: ReviewWish) {
        self.review.noted(&wish);
        self.commands.push(UiCommand::Review(wish));
    }

    /// Whether the review is open, which then has had the key.
    pub(super) fn review_key(&mut self, key: KeyEvent, cx: &UiContext<'_>) -> bool {
        if !self.has_review_keys() {
            return false;
        }
        let chord = Chord::from(key);
        let action = self.look.keymap.action(chord, &[Context::Anywhere]);
        let writing = self.review.is_writing();
        match action {
            // All else is text of a comment.
            Some(action)
                if writing
                    && !matches!(action, Action::Suspend | Action::Redraw | Action::Review) =>
            {
                let outcome = self.review.on_key(key);
                self.after_review(outcome, cx);
            }
            Some(Action::Find) => self.review.open_find(),
            Some(action @ (Action::Suspend | Action::Redraw | Action::Review | Action::Help)) => {
                self.act(action, cx);
            }
            _ => {
                let outcome = self.review.on_key(key);
                self.after_review(outcome, cx);
            }
        }
        true
    }

    pub(super) fn after_review(&mut self, outcome: Outcome, cx: &UiContext<'_>) {
        match outcome {
            Outcome::Stay => {}
            Outcome::Close => self.close_review(),
            Outcome::Say(text) => self.moment.say(text),
            Outcome::Command(command) => self.commands.push(*command),
            Outcome::Wish(wish) => self.wish_for_review(wish),
            Outcome::Comment(wanted) => {
                let composer = Composer::new(self.look.offload.clone())
                    .with_editing(self.look.settings.editing);
                self.review.begin_comment(*wanted, composer, cx.now);
            }
            Outcome::Send => self.send_comments(cx),
            Outcome::Plan => self.comment_on_plan(cx),
            Outcome::Show { title, text } => self.show_text(title, text),
            Outcome::Ask(Ask::Scope { choices, now }) => {
                self.layers.open(Box::new(Scopes::dialog(choices, now)));
            }
            Outcome::Ask(Ask::UndoAll {
                wish,
                files,
                left,
                scope,
            }) => {
                let dialog = ask_undo_all(wish, files, left, &scope);
                self.layers.open(Box::new(dialog));
            }
            Outcome::Ask(Ask::WritePatch { scope, path }) => {
                self.layers.open(Box::new(ask_patch_path(scope, path)));
            }
            Outcome::Ask(Ask::Comments(rows)) => {
                self.layers.open(Box::new(CommentList::dialog(rows)));
            }
            Outcome::Ask(Ask::Refused(files)) => {
                self.layers.open(Box::new(Refused::dialog(files)));
            }
        }
    }

    pub(super) fn review_paste(&mut self, text: &str) -> bool {
        let has_keys = self.has_review_keys();
        if has_keys {
            self.review.paste(text);
        }
        has_keys
    }

    /// When a search in the diff goes on, while it is drawn.
    pub(super) fn review_deadline(&self, now: Instant) -> Option<Instant> {
        let drawn = self.viewer.is_none();
        self.review.deadline(now).filter(|_| drawn)
    }

    /// Draws the review with the dialog that lies over it, and asks for what it lacks.
    pub(super) fn draw_review(
        &mut self,
        area: Rect,
        buf: &mut Buffer,
        cx: &UiContext<'_>,
    ) -> Option<Position> {
        let zones = Zones::of_whole(area);
        self.draw_status(zones.status, buf, cx);
        let above = zones.above_composer();
        self.places.viewer = above;
        let (look, review) = (&self.look, &mut self.review);
        let drawn = contained("what fills the screen", || {
            let ctx = look.render(above.width, cx.now);
            review.draw(above, buf, look.settings.diff, &ctx)
        });
        let cursor = drawn.unwrap_or_else(|_| {
            // Its keys could do what cannot be seen.
            self.review.close();
            self.draw_undrawn(above, buf);
            None
        });
        for wish in self.review.wishes() {
            self.wish_for_review(wish);
        }
        self.tell_broken();
        self.draw_notices(above, buf, cx);
        if !self.layers.is_opened() {
            return cursor;
        }
        let cursor = self.draw_overlay(&zones, buf, cx);
        // The last column is a scroll bar's elsewhere; letters of the diff would stand alone in it.
        let dialog = self.places.overlay;
        let beside = Rect {
            x: dialog.right(),
            width: above.right().saturating_sub(dialog.right()),
            ..dialog
        };
        if beside.width <= MARGIN {
            Clear.render(beside.intersection(buf.area), buf);
        }
        cursor
    }
}
