//! Subagents: child sessions of the agent, each with its own conversation (V1-SUB).

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use crate::{
    model::{Background, SessionId, SubagentCaps, WorkState},
    session::{BlockId, Conversation},
    text::SafeText,
};

/// All subagents of a session, also those of subagents.
#[derive(Debug, Default)]
pub struct Subagents {
    list: BTreeMap<SessionId, Box<Subagent>>,
    /// Bytes of their conversations together. A conversation changes while its subagent is taken out.
    weight: usize,
}

#[derive(Debug)]
pub struct Subagent {
    pub id: SessionId,
    /// The subagent that it belongs to; `None`: the session itself.
    pub parent: Option<SessionId>,
    /// Where it stands in its parent's transcript.
    pub block: BlockId,
    /// 1 for those of the session itself.
    pub depth: usize,
    pub title: Option<SafeText>,
    pub description: Option<SafeText>,
    pub caps: SubagentCaps,
    /// `None`: nothing is known of what it does now.
    pub state: Option<WorkState>,
    /// Its background work, as far as it reports it (V2-STATE-02).
    pub background: Option<Vec<Background>>,
    /// As the agent reports them; unset, the parent's hold, each on its own (V1-SUB-01).
    pub cwd: Option<PathBuf>,
    pub additional_directories: Option<Vec<PathBuf>>,
    pub conversation: Conversation,
    /// When it was last given something to do.
    pub started: Instant,
    /// How long it worked on that, once it stopped; not in a replay, where it is not known.
    pub took: Option<Duration>,
    /// `session/cancel` was sent, and nothing was said of its state since.
    pub cancelling: bool,
}

impl Subagent {
    pub(super) fn new(
        id: SessionId,
        parent: Option<SessionId>,
        (block, depth): (BlockId, usize),
        now: Instant,
    ) -> Self {
        Self {
            id,
            parent,
            block,
            depth,
            title: None,
            description: None,
            caps: SubagentCaps::default(),
            state: None,
            background: None,
            cwd: None,
            additional_directories: None,
            conversation: Conversation::of_subagent(),
            started: now,
            took: None,
            cancelling: false,
        }
    }

    /// It works, or waits for the person.
    pub fn is_active(&self) -> bool {
        use WorkState::{RequiresAction, Running};
        matches!(self.state, Some(Running | RequiresAction))
    }

    /// How much background work it reports (V2-STATE-02).
    pub fn in_background(&self) -> usize {
        self.background.as_ref().map_or(0, Vec::len)
    }

    /// Its work can be stopped now: the agent allows that, and there is something to stop
    /// (V1-SUB-03).
    pub fn can_be_cancelled(&self) -> bool {
        let idle = matches!(self.state, Some(WorkState::Idle(_)));
        self.caps.cancel && !idle && !self.cancelling
    }

    /// Its title, else the first line of its description.
    pub fn name(&self) -> SafeText {
        let said = self.title.as_ref().or(self.description.as_ref());
        let first = said.and_then(|text| text.lines().find(|line| !line.trim().is_empty()));
        match first {
            Some(name) => SafeText::line(name.trim()),
            None => "subagent".into(),
        }
    }
}

impl Subagents {
    pub fn get(&self, id: &SessionId) -> Option<&Subagent> {
        self.list.get(id).map(Box::as_ref)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Subagent> {
        self.list.values().map(Box::as_ref)
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Where it works: its own directory, else that of the next one above it that has one.
    pub fn cwd_of<'a>(&'a self, id: &SessionId, root: &'a Path) -> &'a Path {
        self.inherited(id, |subagent| subagent.cwd.as_deref())
            .unwrap_or(root)
    }

    /// As [`cwd_of`](Self::cwd_of), for the further directories.
    pub fn directories_of<'a>(&'a self, id: &SessionId, root: &'a [PathBuf]) -> &'a [PathBuf] {
        self.inherited(id, |subagent| subagent.additional_directories.as_deref())
            .unwrap_or(root)
    }

    fn inherited<'a, T: ?Sized>(
        &'a self,
        id: &SessionId,
        own: impl Fn(&'a Subagent) -> Option<&'a T>,
    ) -> Option<&'a T> {
        // Ownership is set once, so there is no cycle: depth bounds it.
        let mut at = self.list.get(id);
        while let Some(subagent) = at {
            if let Some(value) = own(subagent) {
                return Some(value);
            }
            at = subagent.parent.as_ref().and_then(|id| self.list.get(id));
        }
        None
    }

    pub(super) fn get_mut(&mut self, id: &SessionId) -> Option<&mut Subagent> {
        self.list.get_mut(id).map(Box::as_mut)
    }

    pub(super) fn insert(&mut self, subagent: Box<Subagent>) {
        self.weight += subagent.conversation.weight;
        let before = self.list.insert(subagent.id.clone(), subagent);
        self.weight -= before.map_or(0, |before| before.conversation.weight);
    }

    pub(super) fn take(&mut self, id: &SessionId) -> Option<Box<Subagent>> {
        let subagent = self.list.remove(id)?;
        self.weight -= subagent.conversation.weight;
        Some(subagent)
    }

    pub(super) fn weight(&self) -> usize {
        self.weight
    }

    pub(super) fn ids(&self) -> Vec<SessionId> {
        self.list.keys().cloned().collect()
    }
}
