//! What of a session has its files looked at and kept.

use std::path::PathBuf;

use super::{Done, Runtime};
use crate::{
    model::{HostRequest, SessionId, SessionKey, ToolCallId, ToolKind},
    session::{Subject, TurnMoment},
};

impl Runtime {
    /// A session as what is followed names it; `None` until its agent has given it an id.
    pub fn follower(&self, key: SessionKey) -> Option<SessionId> {
        self.sessions.get(key)?.id.clone()
    }

    pub(super) fn follow_turn(&self, by: SessionKey, moment: TurnMoment) {
        let (Some(following), Some(of)) = (&self.following, self.follower(by)) else {
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
        let cwd = self.launch.cwd.clone();
        let paths: Vec<PathBuf> = paths.into_iter().map(|path| cwd.join(path)).collect();
        let following = self.following.as_ref();
        let kept = following.map(|following| following.take(self.follower(by), paths, calls));
        async move {
            if let Some(kept) = kept {
                kept.await;
            }
        }
    }
}
