//! What the review of changes wants of the machine.

use std::{fs::OpenOptions, io::Write, path::Path, time::Instant};

use crate::{
    app::{job::Job, state::App, terminal::Reason},
    model::{ReviewTold, ReviewWish, SessionId, SessionKey},
    text::SafeText,
};

impl App {
    pub(super) fn review(&mut self, wish: ReviewWish) {
        let Some(session) = self.runtime.sessions.shown_key() else {
            return;
        };
        let Some(following) = self.runtime.following_of(session) else {
            let why = "changes are not followed: `changes.follow` is false, or this is no project";
            return self.review_told(session, ReviewTold::Failed(why.into()));
        };
        let of = Some(self.follower_now(session));
        let jobs = self.jobs.clone();
        // Sending fails only once the loop is over.
        match wish {
            ReviewWish::Patch { scope, path, to } => {
                // The person's own file: a worktree may go.
                let cwd = self.runtime.launch.cwd.clone();
                following.patch(of, scope, path, move |patch| {
                    let patch = patch.map_err(|error| SafeText::line(&error.to_string()));
                    let job = match (patch, to) {
                        (Ok(patch), Some(to)) => Job::Said(written(&patch, &cwd.join(to))),
                        (patch, _) => Job::Patch(patch),
                    };
                    drop(jobs.send(job));
                });
            }
            wish => {
                let told = move |told| drop(jobs.send(Job::Review(session, Box::new(told))));
                following.answer(of, wish, told);
            }
        }
    }

    /// Whose turns are the session's. One that is still opening has had none: no checkpoint is of a session
    /// without a name, and those of others are not its own.
    fn follower_now(&self, session: SessionKey) -> SessionId {
        let of = self.runtime.follower(session);
        of.unwrap_or_else(|| SessionId::new(""))
    }

    /// The session that is shown, while its review is open; and while its turn runs, how often something has
    /// ended in it that may have changed files.
    pub(super) fn followed(&self) -> Option<(SessionKey, Option<u64>)> {
        self.ui.reviewed_scope()?;
        let key = self.runtime.sessions.shown_key()?;
        let session = self.runtime.sessions.shown()?;
        Some((key, session.turn.as_ref().map(|_| session.acts)))
    }

    /// The person did something: an open review whose turn is over must not show what is not there any more.
    pub(super) fn look_for_person(&mut self, now: Instant) {
        if self.live.may_look(now) {
            self.look_again();
        }
    }

    /// Looks at the disk for the open review.
    pub(super) fn look_again(&mut self) {
        let (Some((session, _)), Some(scope)) = (self.followed(), self.ui.reviewed_scope()) else {
            return;
        };
        self.live.begun();
        let Some(following) = self.runtime.following_of(session) else {
            return;
        };
        let jobs = self.jobs.clone();
        // Sending fails only once the loop is over.
        following.follow(
            Some(self.follower_now(session)),
            scope,
            move |found, took| {
                drop(jobs.send(Job::Followed(session, found, took)));
            },
        );
    }

    pub(super) fn review_told(&mut self, session: SessionKey, told: ReviewTold) {
        if let ReviewTold::Done(done) = &told
            && let Some(note) = &done.note
        {
            // For the agent with the next prompt: shown, and the person's to change.
            let void = done.void.as_deref();
            if !void.is_some_and(|void| self.ui.take_back_text_of(session, void)) {
                self.ui.note_of(session, note);
            }
        }
        self.ui.review(session, told);
        // Comments move with their lines.
        self.save_draft.changed(Instant::now());
        self.frames.request(Instant::now(), Reason::Now);
    }

    /// A patch for the clipboard.
    pub(super) fn patch_made(&mut self, patch: Result<Vec<u8>, SafeText>) {
        match patch.map(String::from_utf8) {
            Ok(Ok(patch)) => self.copy(patch, Some("patch")),
            Ok(Err(_)) => {
                let why = "not copied: the patch is not UTF-8; w writes it to a file";
                self.ui.toast(why.into());
            }
            Err(why) => self.ui.toast(SafeText::line(&format!("no patch: {why}"))),
        }
    }
}

/// Writes a patch to a file that is not there yet, and says so.
fn written(patch: &[u8], to: &Path) -> SafeText {
    let file = OpenOptions::new().write(true).create_new(true).open(to);
    let done = file.and_then(|mut file| file.write_all(patch));
    SafeText::line(&match done {
        Ok(()) => format!("wrote {}", to.display()),
        Err(error) => format!("cannot write {}: {error}", to.display()),
    })
}
