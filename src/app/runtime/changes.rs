//! What of a session has its files looked at and kept.

use std::path::PathBuf;

use super::{Done, Reach, Runtime};
use crate::{
    app::{changes::Following, services},
    model::{HostRequest, SessionId, SessionKey, ToolCallId, ToolKind, Worktree},
    session::{Subject, TurnMoment},
};

impl Runtime {
    /// What follows the folder that a session works in: its worktree, or the project.
    pub fn following_of(&self, key: SessionKey) -> Option<&Following> {
        match &self.sessions.get(key)?.config.worktree {
            Some(worktree) => self.in_worktrees.get(&worktree.cwd)?.as_ref(),
            None => self.following.as_ref(),
        }
    }

    /// The session's worktree is followed from now on, in one place for all sessions in it.
    pub fn follow_worktree(&mut self, key: SessionKey) {
        let session = self.sessions.get(key);
        let worktree = session.and_then(|session| session.config.worktree.clone());
        let (Some(worktree), Reach::Machine) = (worktree, self.reach) else {
            return;
        };
        if !self.in_worktrees.contains_key(&worktree.cwd) {
            let options = self.launch.load_options().ok();
            let following = options.and_then(|options| {
                let state = options.dirs.state;
                services::following(&self.launch, &self.config, &state, Some(&worktree))
            });
            self.in_worktrees.insert(worktree.cwd, following);
        }
    }

    /// A session as what is followed names it; `None` until its agent has given it an id.
    pub fn follower(&self, key: SessionKey) -> Option<SessionId> {
        self.sessions.get(key)?.id.clone()
    }

    /// It is about to be removed.
    pub fn forget_worktree(&mut self, worktree: &Worktree) {
        self.in_worktrees.remove(&worktree.cwd);
    }

    /// A fork may have been opened: its review has the turns that it took over.
    pub(super) fn follow_fork(&mut self, key: SessionKey) {
        let Some(id) = self.follower(key) else {
            return;
        };
        let forked = self.running.get_mut(&key).and_then(|r| r.forked.take());
        if let (Some(forked), Some(following)) = (forked, self.following_of(key)) {
            following.forked(id, forked);
        }
    }

    pub(super) fn follow_turn(&mut self, by: SessionKey, moment: TurnMoment) {
        self.follow_fork(by);
        let (Some(following), Some(of)) = (self.following_of(by), self.follower(by)) else {
            return;
        };
        match moment {
            TurnMoment::Begins(turn) => following.turn_begins(of, turn),
            TurnMoment::Ended(turn) => {
                let done = self.done.clone();
                following.turn_ended(of, turn, move |changed| {
                    drop(done.send(Done::TurnChanged(by, turn, changed)));
                });
            }
        }
    }

    /// Before all sessions end: what their turns have changed so far is theirs. What is not looked at in the time
    /// that leaving takes is left to the person.
    pub fn end_turns(&mut self) {
        let open = self.sessions.iter();
        let open = open.filter(|(_, session)| session.turn.is_some());
        let open: Vec<(SessionKey, u64)> = open
            .map(|(key, session)| (key, session.turn_number()))
            .collect();
        for (key, turn) in open {
            self.follow_turn(key, TurnMoment::Ended(turn));
        }
    }

    /// Keeps the files that a question of changes names, as they are before it is answered.
    pub(super) fn keep_named(
        &self,
        by: SessionKey,
        subject: &Subject,
    ) -> impl Future<Output = ()> + Send + 'static {
        let only_looks = matches!(
            subject.acts_as(),
            ToolKind::Read | ToolKind::Search | ToolKind::Fetch | ToolKind::Think
        );
        let paths = match only_looks {
            true => Vec::new(),
            false => subject.paths.clone(),
        };
        self.keep(by, paths, vec![subject.tool_call.clone()])
    }

    /// Keeps a file before it is written for the agent.
    pub(super) fn keep_written(
        &self,
        by: SessionKey,
        request: &HostRequest,
    ) -> impl Future<Output = ()> + Send + 'static {
        let path = match request {
            HostRequest::WriteTextFile(write) => Some(write.path.clone()),
            _ => None,
        };
        self.keep(by, path.into_iter().collect(), Vec::new())
    }

    fn keep(
        &self,
        by: SessionKey,
        paths: Vec<String>,
        calls: Vec<ToolCallId>,
    ) -> impl Future<Output = ()> + Send + 'static {
        let cwd = self.cwd_of(by);
        let paths: Vec<PathBuf> = paths.into_iter().map(|path| cwd.join(path)).collect();
        let following = self.following_of(by);
        let kept = following.map(|following| following.take(self.follower(by), paths, calls));
        async move {
            if let Some(kept) = kept {
                kept.await;
            }
        }
    }
}
