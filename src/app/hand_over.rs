//! A conversation handed over to another agent: what was said, and which files it changed, as a draft.
//!
//! Which files changed is what was found on the disk. Where that is not followed it is what calls say that they
//! have done, as far as the disk agrees.

use std::{
    path::{Component, Path, PathBuf},
    time::Instant,
};

use crate::{
    app::{
        job::{HandOver, Job},
        state::App,
        terminal::Reason,
    },
    session::{ByCall, ChangedFiles, Start, carried, changed_by_calls},
    text::SafeText,
};

impl App {
    /// Looks what the conversation has changed, to open a session with that agent.
    pub(super) fn hand_over(&mut self, agent: &str) {
        let Some((key, session)) = self
            .runtime
            .sessions
            .shown_key()
            .zip(self.runtime.sessions.shown())
        else {
            return;
        };
        let blocks = session.conversation.transcript.blocks();
        if carried(blocks).is_none() {
            self.ui
                .toast("nothing was said yet: there is nothing to hand over".into());
            return self.frames.request(Instant::now(), Reason::Now);
        }
        if let Err(error) = self.runtime.config.agent(agent) {
            return self.warn(SafeText::line(&error.to_string()));
        }
        let (by_calls, cwd) = (changed_by_calls(blocks), session.config.cwd.clone());
        let (jobs, agent) = (self.jobs.clone(), agent.to_owned());
        let go_on = move |changed: Option<Vec<(PathBuf, bool)>>| {
            let changed = match changed {
                Some(changed) => ChangedFiles::named(changed.into_iter().filter_map(named)),
                None => still_so(by_calls, &cwd),
            };
            let hand_over = HandOver {
                session: key,
                agent,
                changed,
            };
            // Sending fails only once the loop is over.
            drop(jobs.send(Job::HandOver(Box::new(hand_over))));
        };
        match (self.runtime.following_of(key), self.runtime.follower(key)) {
            (Some(following), Some(of)) => following.changed(of, go_on),
            _ => drop(tokio::task::spawn_blocking(move || go_on(None))),
        }
    }

    /// Opens a session with another agent, whose draft has what was said, to be sent with the first prompt.
    pub(super) fn handed_over(&mut self, hand_over: HandOver) {
        let HandOver {
            session: key,
            agent,
            changed,
        } = hand_over;
        let before = self.runtime.sessions.shown_key();
        let session = self.runtime.sessions.get(key);
        let context = session.and_then(|s| carried(s.conversation.transcript.blocks()));
        let Some(context) = context.filter(|_| before == Some(key)) else {
            return self
                .ui
                .toast("not handed over: another session is shown".into());
        };
        match self.runtime.config.agent(&agent) {
            Ok(profile) => {
                self.open(profile, Start::New, None, None, self.shown_worktree());
                // Else no other could be opened, which was said.
                if self.runtime.sessions.shown_key() != before {
                    self.ui.begin_with(&context, &changed);
                }
            }
            Err(error) => self.warn(SafeText::line(&error.to_string())),
        }
    }
}

/// Of what calls say what the disk agrees with. Only what lies below the folder: an agent may name any file.
fn still_so(by_calls: Vec<ByCall>, cwd: &Path) -> ChangedFiles {
    ChangedFiles::named(by_calls.into_iter().filter_map(|file| {
        let path = cwd.join(&file.path);
        let there = path.symlink_metadata().is_ok();
        let below = path.strip_prefix(cwd).ok()?.to_owned();
        named((below, !there)).filter(|_| there || file.may_be_gone)
    }))
}

/// With the name that a draft can have; `None` for a path that leads somewhere else.
fn named((path, gone): (PathBuf, bool)) -> Option<(String, bool)> {
    let mut parts = path.components();
    let plain = parts.all(|part| matches!(part, Component::Normal(_)));
    plain.then(|| (path.to_string_lossy().into_owned(), gone))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_that_a_call_names_is_told_if_it_is_there_or_may_have_been_deleted() {
        let folder = tempfile::tempdir().expect("a folder");
        let cwd = folder.path();
        fs::write(cwd.join("there"), "").expect("written");
        let by_calls = [
            ("there", false),
            ("never", false),
            ("gone", true),
            ("../outside", true),
            ("/etc/passwd", false),
        ];
        let by_calls = by_calls.map(|(path, may_be_gone)| ByCall {
            path: path.to_owned(),
            may_be_gone,
        });
        let told = still_so(by_calls.to_vec(), cwd);
        assert_eq!(told.there, ["there"]);
        assert_eq!(told.deleted, ["gone"]);
    }
}
