//! The review: changed files at the left, the diff of one at the right, and what can be put back.
//!
//! Owns: what is selected, shown and marked as reviewed, its keys, its picture, and what it asks of the
//! app: lists, the texts of the selected file alone, undos, patches. Nothing that it does for a frame
//! grows with the number of files or with their lengths. Must not know how changes are found, and opens no
//! dialog: it says which one the root is to open.

mod commenting;
mod drag;
mod draw;
mod hunks;
mod keys;
mod list;
mod marks;
mod pane;
mod texts;
mod tree;
mod whole;

#[cfg(test)]
pub(in crate::ui) mod testing;
#[cfg(test)]
mod tests;

use std::{collections::BTreeSet, path::PathBuf, time::Instant};

use crossterm::event::KeyEvent;

use crate::{
    config::DiffLayout,
    model::{
        ChangeKind, CheckpointId, KeptReview, Review, ReviewDone, ReviewFile, ReviewScope,
        ReviewTold, ReviewWish, ScopeChoice, UndoPart,
    },
    text::SafeText,
    ui::{
        UiCommand,
        comments::{CommentRow, Comments, Wanted, Writing},
    },
};

use list::List;
use marks::Marks;
use pane::Pane;
use texts::{Of, Texts};

/// What a key or the mouse did.
#[derive(Debug)]
pub enum Outcome {
    /// Draw again.
    Stay,
    Close,
    /// A word in the status line.
    Say(SafeText),
    Command(Box<UiCommand>),
    Wish(ReviewWish),
    Ask(Ask),
    /// A comment is to be written.
    Comment(Box<Wanted>),
    /// All comments are to be sent.
    Send,
    /// The entries of the plan, to comment on.
    Plan,
    /// A text on the whole screen.
    Show {
        title: SafeText,
        text: SafeText,
    },
}

/// Dialogs that the root opens.
#[derive(Debug)]
pub enum Ask {
    Scope {
        choices: Vec<ScopeChoice>,
        now: ReviewScope,
    },
    /// Whether all of a scope is to be put back.
    UndoAll {
        wish: ReviewWish,
        files: usize,
        /// Files that are left as they are: they changed outside of turns.
        left: usize,
        scope: SafeText,
    },
    /// To which file the patch goes.
    WritePatch {
        scope: ReviewScope,
        path: Option<PathBuf>,
    },
    /// What was not put back: names, and why.
    Refused(Vec<(SafeText, SafeText)>),
    Comments(Vec<CommentRow>),
}

/// What has the keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Focus {
    #[default]
    List,
    Diff,
}

/// What is known of a scope, without its files, which the list has.
struct Listed {
    scope: ReviewScope,
    scopes: Vec<ScopeChoice>,
    /// Which of them it is.
    at: Option<usize>,
    uncovered: Vec<SafeText>,
    span: Option<(CheckpointId, CheckpointId)>,
    read_only: Option<SafeText>,
    can_redo: bool,
}

/// What is under way; each ends with an answer of the app.
#[derive(Default)]
struct Under {
    /// Lists that were asked for and have not come.
    lists: usize,
    /// The scope that the last of them is for.
    scope: Option<ReviewScope>,
    /// The file whose texts were asked for, and the one whose texts have come last.
    texts: Option<Of>,
    had: Option<Of>,
    /// Something is put back, or made again; and until what came of it is listed.
    undo: bool,
    undone: bool,
}

/// The review of one session. It outlives its screen: marks and places stay while it is closed.
#[derive(Default)]
pub struct Reviewing {
    open: bool,
    listed: Option<Listed>,
    list: List,
    pane: Pane,
    texts: Texts,
    marks: Marks,
    comments: Comments,
    /// The comment that is written.
    writing: Option<Writing>,
    /// The comment that is gone to once its file is listed.
    going: Option<u64>,
    /// Files with comments that have become others since, and where to ask for them.
    moved: Vec<(ReviewScope, PathBuf)>,
    focus: Focus,
    /// Files that were commented on in what changed since the last commit, which no turn need have changed.
    of_commit: BTreeSet<PathBuf>,
    /// What gets the keys back once a comment is written, or the find bar closed.
    back_to: Option<Focus>,
    /// It was opened, and its list has not come.
    opening: bool,
    under: Under,
    /// The disk has changed since the list came.
    stale: bool,
    /// Something was put back, or made again, since the last turn ended; and how many files of that turn are
    /// still changed.
    undid: bool,
    left: Option<usize>,
    /// Why there is no list.
    failed: Option<SafeText>,
    /// What an undo did not put back, with what it did.
    refused: Option<ReviewDone>,
    /// What the last frame showed as selected.
    seen: Option<Of>,
    /// The last frame had the list and the diff one above the other: only one shows.
    narrow: bool,
}

impl Reviewing {
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// What it shows, once that is listed.
    pub fn scope(&self) -> Option<ReviewScope> {
        let listed = self.listed.as_ref().filter(|_| self.open)?;
        Some(listed.scope)
    }

    /// Opens it; the list that was there shows until another one comes.
    pub fn open(&mut self) -> ReviewWish {
        (self.open, self.opening, self.focus) = (true, true, Focus::List);
        self.back_to = None;
        self.under = Under::default();
        (self.stale, self.failed, self.refused) = (false, None, None);
        ReviewWish::List(None)
    }

    pub fn close(&mut self) {
        self.open = false;
        // They are read again; the marks and the place in the list stay.
        self.texts = Texts::default();
        self.pane = Pane::default();
    }

    /// How many files of the last turn are still changed, if something was put back since it ended.
    pub fn left_of_turn(&self) -> Option<usize> {
        self.left
    }

    /// Marks and comments, to be stored with the session.
    pub fn kept(&self) -> KeptReview {
        KeptReview {
            marks: self.marks.kept(),
            comments: self.comments.kept(),
        }
    }

    /// Grows when they change.
    pub fn rev(&self) -> u64 {
        self.marks.rev() + self.comments.rev()
    }

    /// What was stored; what there is already stays.
    pub fn restore(&mut self, kept: KeptReview) -> usize {
        self.marks.restore(kept.marks);
        self.list.count_reviewed(&self.marks);
        self.comments.restore(kept.comments)
    }

    /// A wish is carried out: its answer is waited for.
    pub fn noted(&mut self, wish: &ReviewWish) {
        match wish {
            ReviewWish::List(scope) => {
                self.under.lists += 1;
                self.under.scope = *scope;
                self.stale = false;
            }
            ReviewWish::Undo { .. } | ReviewWish::Redo => {
                self.under.undo = true;
                self.refused = None;
            }
            ReviewWish::Texts { .. } | ReviewWish::Patch { .. } => {}
        }
    }

    /// The app has something to tell; what is to be said of it.
    pub fn told(&mut self, told: ReviewTold) -> Option<SafeText> {
        match told {
            ReviewTold::Listed(review) => {
                self.under.lists = self.under.lists.saturating_sub(1);
                // One for a scope that was left meanwhile.
                let wanted = self.under.scope.is_none_or(|scope| scope == review.scope);
                if wanted || self.under.lists == 0 {
                    self.under.scope = None;
                    self.failed = None;
                    self.set(*review);
                    return self.go_on_to_comment();
                }
                None
            }
            ReviewTold::Followed(review) => {
                // What is asked for comes after this, and knows more.
                let busy = self.under.lists > 0 || self.under.undo || self.under.undone;
                if self.scope() == Some(review.scope) && !busy {
                    self.set(*review);
                }
                None
            }
            ReviewTold::Texts(texts) => {
                self.under.had = self.under.texts.take();
                self.settle_comments(&texts);
                if self.open {
                    self.texts.put(*texts);
                }
                None
            }
            ReviewTold::Done(done) => {
                (self.under.undo, self.under.undone) = (false, true);
                (self.stale, self.undid) = (true, true);
                let said = done.said.clone();
                self.refused = (!done.refused.is_empty()).then_some(*done);
                // It stands above the keys, with the one that shows why.
                let noted = self.open && self.refused.is_some();
                Some(said).filter(|said| !said.is_empty() && !noted)
            }
            ReviewTold::Changed => {
                (self.stale, self.undid, self.left) = (true, false, None);
                None
            }
            ReviewTold::Failed(why) => {
                (self.under, self.going) = (Under::default(), None);
                match self.listed {
                    Some(_) => Some(why),
                    None => {
                        self.failed = Some(why);
                        None
                    }
                }
            }
        }
    }

    fn set(&mut self, review: Review) {
        let Review {
            scope,
            scopes,
            files,
            uncovered,
            span,
            read_only,
            can_redo,
        } = review;
        self.under.had = None;
        self.under.undone = false;
        let at = scopes.iter().position(|choice| choice.scope == scope);
        if self.undid {
            self.left =
                left_of(scopes.first().map(|choice| choice.scope), scope, &files).or(self.left);
        }
        self.list.set(files, &self.marks);
        let before = self.listed.as_ref().map(|listed| listed.scope);
        if std::mem::take(&mut self.opening) && before != Some(scope) {
            // Another turn: it is read from its beginning.
            self.list.ends(false);
        }
        self.listed = Some(Listed {
            scope,
            scopes,
            at,
            uncovered,
            span,
            read_only,
            can_redo,
        });
        self.find_moved(scope);
    }

    /// What it needs for what it shows; asked for after a frame.
    pub fn wishes(&mut self) -> Vec<ReviewWish> {
        let mut wishes = Vec::new();
        if !self.open {
            return wishes;
        }
        if self.stale && self.under.lists == 0 {
            let scope = self.listed.as_ref().map(|listed| listed.scope);
            wishes.push(ReviewWish::List(scope));
        }
        if self.under.texts.is_none()
            && let Some(of) = self.selected_of()
            && !self.pane.has(&of)
            // It has changed since it was listed: a list will come that knows.
            && self.under.had.as_ref() != Some(&of)
        {
            wishes.push(ReviewWish::Texts {
                scope: of.scope,
                path: of.path.clone(),
            });
            self.under.texts = Some(of);
        }
        if self.under.texts.is_none()
            && let Some((scope, path)) = self.moved.pop()
        {
            wishes.push(ReviewWish::Texts {
                scope,
                path: path.clone(),
            });
            self.under.texts = Some(Of {
                scope,
                path,
                content: 0,
            });
        }
        wishes
    }

    /// Gives the pane what it is to show, where that is there.
    fn fill(&mut self, layout: DiffLayout) {
        let (Some(of), Some(file)) = (self.selected_of(), self.list.selected()) else {
            return self.pane.clear();
        };
        if self.pane.has(&of) {
            return;
        }
        if let Some(why) = without_text(file) {
            self.pane.show(of, &Err(why.into()), layout);
        } else if let Some((kept, told)) = self.texts.get(&of) {
            if !self.pane.has(kept) {
                self.pane.show(kept.clone(), told, layout);
            }
        } else {
            self.pane.leave(&of);
        }
    }

    fn selected_of(&self) -> Option<Of> {
        let (listed, file) = (self.listed.as_ref()?, self.list.selected()?);
        Some(Of {
            scope: listed.scope,
            path: file.path.clone(),
            content: file.content,
        })
    }

    pub fn takes_text(&self) -> bool {
        self.is_writing() || self.pane.takes_text()
    }

    /// As [`Writing::take_burst`], while a comment is written.
    pub fn take_burst(&mut self, keys: &[KeyEvent], now: Instant) -> usize {
        let writing = self.writing.as_mut();
        writing.map_or(0, |writing| writing.take_burst(keys, now))
    }

    /// The button of the mouse is up, or told to another window.
    pub fn release(&mut self) {
        self.pane.release();
    }

    pub fn paste(&mut self, text: &str) {
        match &mut self.writing {
            Some(writing) => writing.paste(text),
            None => self.pane.paste(text),
        }
    }

    /// When a search goes on.
    pub fn deadline(&self, now: Instant) -> Option<Instant> {
        self.pane.deadline(now).filter(|_| self.open)
    }

    /// What an undo is of, or why there is none now. `until`: as it is shown, where that is not the end of
    /// the scope.
    fn undo(
        &self,
        parts: Option<Vec<UndoPart>>,
        until: Option<CheckpointId>,
    ) -> Result<ReviewWish, SafeText> {
        let Some(listed) = &self.listed else {
            return Err("there is nothing to undo yet".into());
        };
        if let Some(why) = &listed.read_only {
            return Err(why.clone());
        }
        if listed.scope == ReviewScope::Commit {
            return Err("git is only read: choose a turn or the session with s to undo".into());
        }
        let Some(span) = listed.span else {
            return Err("nothing of this can be undone".into());
        };
        // What is listed may be put back already.
        if self.under.undo || self.under.undone {
            return Err("the last undo is still at work".into());
        }
        Ok(ReviewWish::Undo {
            scope: listed.scope,
            span: (span.0, until.unwrap_or(span.1)),
            parts,
        })
    }
}

/// How many files of the newest turn are changed, as far as a list tells.
fn left_of(newest: Option<ReviewScope>, scope: ReviewScope, files: &[ReviewFile]) -> Option<usize> {
    let Some(ReviewScope::Turn(turn)) = newest else {
        return None;
    };
    match scope {
        ReviewScope::Turn(of) => (of == turn).then_some(files.len()),
        ReviewScope::Session => {
            let by = format!("turn {turn}");
            let is_by = |file: &&ReviewFile| file.by.iter().any(|name| name.as_str() == by);
            Some(files.iter().filter(is_by).count())
        }
        ReviewScope::Since(_) | ReviewScope::Commit => None,
    }
}

/// Why nothing of a file is asked for.
fn without_text(file: &ReviewFile) -> Option<&'static str> {
    match file.kind {
        ChangeKind::Mode => Some("only its permissions changed"),
        _ if file.binary => Some("binary: not shown"),
        _ => None,
    }
}
