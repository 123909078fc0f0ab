//! Whom a draft is meant for, and whose drafts a client wants.

use serde::{Deserialize, Serialize};

/// Whom a draft is meant for. That of the session shown stands in the lock's file as well.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// The profile's id.
    pub agent: Option<String>,
    /// As the agent names it.
    pub session: Option<String>,
}

/// Whose drafts a client that starts wants.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    pub owner: Owner,
    /// The person said which agent: a draft for another one waits for that.
    pub chosen: bool,
    /// A session of the past is to be opened: what is meant for another one waits for that.
    pub reopens: bool,
}

impl Wanted {
    /// How well what is meant for `owner` suits, wherever it stays: the less, the better.
    pub(super) fn suits(&self, owner: &Owner) -> Option<u8> {
        let same = |a: &Option<String>, b: &Option<String>| a.is_some() && a == b;
        match same(&owner.agent, &self.owner.agent) {
            true if same(&owner.session, &self.owner.session) => Some(0),
            true => Some(1),
            false if owner.agent.is_none() || !self.chosen => Some(2),
            false => None,
        }
    }
}
