//! Comments in a review: their keys, where they stand in the diff, and what is asked for them.

use std::{
    hash::{Hash, Hasher},
    time::Instant,
};

use crossterm::event::KeyEvent;

use super::{Ask, Focus, Outcome, Reviewing, keys::say};
use crate::{
    model::{ReviewScope, ReviewTexts, ReviewWish},
    text::SafeText,
    ui::{
        comments::{CommentWish, Subject, Target, Wanted, Writing, Wrote, plan},
        composer::Composer,
        render::{diff::Side, format::count},
    },
};

impl Reviewing {
    pub fn is_writing(&self) -> bool {
        self.writing.is_some()
    }

    /// `c`: of what the cursor is on, else of the marked hunk.
    pub(super) fn comment(&mut self) -> Outcome {
        let (Some(of), Some(file)) = (self.selected_of(), self.list.selected()) else {
            return say("nothing is selected");
        };
        let wanted = match self.pane.target(&of, &file.name, &self.comments) {
            Err(why) => return say(why),
            Ok(Target::Known(id)) => match self.comments.get(id) {
                None => return Outcome::Stay,
                Some(comment) => Wanted {
                    about: comment.about.clone(),
                    content: of.content,
                    known: Some((id, comment.text.clone())),
                },
            },
            Ok(Target::New(about)) => Wanted {
                about,
                content: of.content,
                known: None,
            },
        };
        if of.scope == ReviewScope::Commit {
            self.of_commit.insert(of.path);
        }
        Outcome::Comment(Box::new(wanted))
    }

    /// The line is open: what is typed goes there.
    pub fn begin_comment(&mut self, wanted: Wanted, composer: Composer, now: Instant) {
        self.lend_focus();
        self.writing = Some(Writing::new(wanted, composer, now));
    }

    /// A key while a comment is written.
    pub(super) fn writing_key(&mut self, key: KeyEvent) -> Option<Outcome> {
        let writing = self.writing.as_mut()?;
        let text = match writing.key(key) {
            Wrote::Stays => return Some(Outcome::Stay),
            Wrote::Left => {
                self.writing = None;
                self.give_focus_back();
                return Some(Outcome::Stay);
            }
            Wrote::Kept(text) => text,
        };
        let wanted = writing.wanted.clone();
        let removed = wanted.known.is_some() && text.trim().is_empty();
        Some(match self.comments.keep(wanted, &text) {
            Err(why) => say(why),
            Ok(()) => {
                self.writing = None;
                self.pane.drop_range();
                self.give_focus_back();
                match removed {
                    true => say("the comment is removed"),
                    false => Outcome::Stay,
                }
            }
        })
    }

    /// `C`
    pub(super) fn list_comments(&self) -> Outcome {
        match self.comments.is_empty() {
            true => say("there are no comments yet: c writes one"),
            false => Outcome::Ask(Ask::Comments(self.comments.rows())),
        }
    }

    /// What the list of all has led to.
    pub fn comment_wish(&mut self, wish: CommentWish) -> Outcome {
        match wish {
            CommentWish::Remove(id) => {
                self.comments.remove(id);
                Outcome::Stay
            }
            CommentWish::GoTo(id) => self.go_to_comment(id),
            CommentWish::Send => Outcome::Send,
            CommentWish::Keep(wanted, text) => match self.comments.keep(*wanted, &text) {
                Ok(()) => Outcome::Stay,
                Err(why) => say(why),
            },
        }
    }

    fn go_to_comment(&mut self, id: u64) -> Outcome {
        let Some(comment) = self.comments.get(id) else {
            return Outcome::Stay;
        };
        if comment.about.is_plan() {
            return Outcome::Plan;
        }
        if comment.is_gone() && !self.list.has(&comment.about.path) {
            let text = format!(
                "{} is not changed any more: there are no lines to go to",
                comment.about.name
            );
            return Outcome::Say(SafeText::line(&text));
        }
        if self.list.choose_path(&comment.about.path) {
            self.focus = Focus::Diff;
            self.pane.begin_at_note(id);
            return Outcome::Stay;
        }
        let scope = self.listed.as_ref().map(|listed| listed.scope);
        if scope == Some(ReviewScope::Session) {
            let text = format!("{} is not among these changes", comment.about.name);
            return Outcome::Say(SafeText::line(&text));
        }
        self.going = Some(id);
        Outcome::Wish(ReviewWish::List(Some(ReviewScope::Session)))
    }

    /// A list has come: on to the comment that it was asked for.
    pub(super) fn go_on_to_comment(&mut self) -> Option<SafeText> {
        let id = self.going.take()?;
        match self.go_to_comment(id) {
            Outcome::Say(why) => Some(why),
            _ => None,
        }
    }

    /// All comments as one prompt, and how many they are; `None` without any.
    pub fn comments_told(&self) -> Option<(String, String)> {
        let prompt = self.comments.prompt()?;
        Some((prompt, count(self.comments.len(), "comment")))
    }

    /// How many comments wait to be sent.
    pub fn unsent(&self) -> usize {
        self.comments.len()
    }

    pub fn comments_sent(&mut self) {
        self.comments.clear();
    }

    /// What is planned, with the comment that each entry has or would have. Comments go where their
    /// entries are now.
    pub fn plan_comments(&mut self, entries: &[SafeText]) -> Vec<(SafeText, Wanted)> {
        let mut hasher = std::hash::DefaultHasher::new();
        entries
            .iter()
            .for_each(|entry| entry.as_str().hash(&mut hasher));
        let content = hasher.finish();
        self.comments.settle(plan(), content, |_, at| {
            entries.get(at as usize).map(SafeText::as_str)
        });
        let wanted = |(at, entry): (usize, &SafeText)| {
            let about = Subject::of_plan(entries, at);
            let mut of_plan = self.comments.of_file(plan());
            let known = of_plan.find(|known| !known.stale && known.about.lines == about.lines);
            let wanted = Wanted {
                about,
                content,
                known: known.map(|known| (known.id, known.text.clone())),
            };
            (entry.clone(), wanted)
        };
        entries.iter().enumerate().map(wanted).collect()
    }

    /// Whether a scope ends with what is on the disk now.
    fn is_current(&self, scope: ReviewScope) -> bool {
        let newest = self
            .listed
            .as_ref()
            .and_then(|listed| listed.scopes.first());
        match scope {
            ReviewScope::Session | ReviewScope::Commit | ReviewScope::Since(_) => true,
            ReviewScope::Turn(_) => newest.is_some_and(|newest| newest.scope == scope),
        }
    }

    /// The texts of a file are there: its comments go where their lines are now.
    pub(super) fn settle_comments(&mut self, texts: &ReviewTexts) {
        let (path, content) = (&texts.path, texts.content);
        let Ok((before, after)) = &texts.texts else {
            if texts.scope == ReviewScope::Session && content == 0 {
                self.comments.unchanged(path);
            }
            return;
        };
        if !self.is_current(texts.scope) || !self.comments.is_behind(path, content) {
            return;
        }
        let (old, new) = (lines(before.as_ref()), lines(after.as_ref()));
        self.comments.settle(path, content, |side, at| {
            let lines = match side {
                Side::Old => &old,
                Side::New => &new,
            };
            lines.get(at as usize).copied()
        });
    }

    /// Files with comments that have become others: their texts are asked for.
    pub(super) fn find_moved(&mut self, scope: ReviewScope) {
        self.moved.clear();
        if self.comments.is_empty() || !self.is_current(scope) {
            return;
        }
        let mut missing = self.comments.paths();
        missing.retain(|path| !self.of_commit.contains(path));
        for (path, content) in self.list.contents() {
            self.comments.changed(path, content);
            if self.comments.is_behind(path, content) {
                self.moved.push((scope, path.to_path_buf()));
            }
            if let Ok(at) = missing.binary_search_by(|other| other.as_path().cmp(path)) {
                missing.remove(at);
            }
        }
        match scope {
            ReviewScope::Session => missing
                .iter()
                .for_each(|path| self.comments.unchanged(path)),
            // Only the session tells whether they are changed at all.
            ReviewScope::Turn(_) | ReviewScope::Since(_) => {
                let all = missing.into_iter();
                self.moved
                    .extend(all.map(|path| (ReviewScope::Session, path)));
            }
            // It has what no turn changed, and not what is committed.
            ReviewScope::Commit => {}
        }
    }
}

fn lines(text: Option<&SafeText>) -> Vec<&str> {
    text.map_or_else(Vec::new, |text| text.lines().collect())
}
