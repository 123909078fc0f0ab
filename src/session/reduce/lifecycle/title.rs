//! Titles that the person gives: kept by the agent where it can (V1-SES-20), else here.

use crate::{
    model::{Call, Patch, RpcError, SessionId},
    text::{SafeText, first_bytes},
};

use super::super::{Step, connection::error_text};

/// Bytes of a title that a person gives.
const MAX_OWN_TITLE: usize = 400;

impl Step<'_> {
    /// Renames this session, or one that the agent has kept.
    pub fn set_title(&mut self, of: Option<SessionId>, title: &str) {
        let title = SafeText::line(first_bytes(title.trim(), MAX_OWN_TITLE));
        if title.is_empty() {
            return self.toast("a title cannot be empty");
        }
        let live = self.session.inner.opening.live().cloned();
        let own = of.is_none() || of == live;
        match of.or(live) {
            Some(session) if self.session.agent.caps.set_title => {
                let title = title.to_string();
                self.call(Call::SetTitle { session, title });
            }
            _ if own => {
                self.session.title = Some(title);
                self.session.own_title = true;
                self.toast("renamed here only");
            }
            _ => {
                let text = format!("{} can rename only open sessions", self.agent_name());
                self.toast(&text);
            }
        }
    }

    /// Shows the title that the agent keeps, which may differ from what it was sent.
    pub fn title_set(&mut self, id: &SessionId, title: SafeText) {
        self.toast(&format!("renamed to {title}"));
        let mut earlier = self.session.earlier.sessions.iter_mut();
        if let Some(info) = earlier.find(|info| info.id == *id) {
            info.title = Some(title.clone());
        }
        if self.session.is(id) {
            self.session.title = Some(title);
            self.session.own_title = false;
        }
    }

    pub fn title_not_set(&mut self, error: &RpcError) {
        self.note_missing(error, |caps| caps.set_title = false);
        let text = format!("not renamed: {}", error_text::readable(error));
        self.toast(&text);
    }

    /// The agent's title; one that the person gave takes precedence.
    pub fn title_told(&mut self, title: Patch<SafeText>) {
        if !self.session.own_title {
            title.apply(&mut self.session.title);
        }
    }
}
