//! Sessions that the agent has kept: asked for page by page, deleted one by one (V1-SES-12 to
//! V1-SES-14).

use std::time::{Duration, Instant};

use crate::{
    model::{Call, CallTag, Notification, RpcError, SessionId, SessionInfo, SessionPage, code},
    session::{Effect, Listing, Phase, Session},
    text::SafeText,
};

use super::super::{Step, connection::error_text, conversation::bounds::keep_first};

/// Sessions of one agent that are kept for the list; more could not be looked through.
const MAX_LISTED: usize = 1_000;

/// Bytes that they hold together.
const MAX_LISTED_BYTES: usize = 4 << 20;

/// Pages asked for, since an agent may give a cursor again and again.
const MAX_PAGES: usize = 200;

/// After this time without an answer to a page, the list says so.
const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Debug, Default)]
pub struct ListRules {
    pages: usize,
    /// Since when the page is asked for.
    since: Option<Instant>,
    /// Calls that were given up and are not answered.
    given_up: usize,
}

impl Session {
    pub(in crate::session) fn listing_deadline(&self) -> Option<Instant> {
        let since = self.inner.listing.since?;
        (self.earlier.state == Listing::Asking).then(|| since + PATIENCE)
    }
}

impl Step<'_> {
    pub fn list_sessions(&mut self) {
        let introduced = !matches!(
            self.session.phase,
            Phase::Starting { .. } | Phase::Failed { .. }
        );
        let asking = self.session.earlier.state == Listing::Asking;
        // While the person signs in there may be no agent.
        let nobody = self.session.connection.is_none();
        if !introduced || nobody || asking || !self.session.agent.caps.list {
            return;
        }
        self.session.inner.listing.pages = 0;
        self.ask_for_page(None);
    }

    fn ask_for_page(&mut self, cursor: Option<String>) {
        self.session.earlier.state = Listing::Asking;
        self.session.inner.listing.pages += 1;
        self.session.inner.listing.since = Some(self.now);
        let cwd = self.session.config.cwd.clone();
        self.call(Call::ListSessions { cwd, cursor });
    }

    pub fn sessions_listed(&mut self, first: bool, page: SessionPage) {
        let earlier = &mut self.session.earlier;
        if earlier.state != Listing::Asking {
            return;
        }
        if first {
            earlier.sessions.clear();
        }
        let side = &self.session.inner.side;
        for info in page
            .sessions
            .into_iter()
            .filter(|info| !side.knows(&info.id))
        {
            // One that was worked on meanwhile may come twice.
            if !earlier.sessions.iter().any(|known| known.id == info.id) {
                earlier.sessions.push(info);
            }
        }
        let mut room = MAX_LISTED_BYTES;
        let full = keep_first(&mut earlier.sessions, MAX_LISTED, &mut room, weight);
        earlier
            .sessions
            .sort_by_key(|info| std::cmp::Reverse(info.updated));
        match page.next {
            Some(_) if full || self.session.inner.listing.pages >= MAX_PAGES => {
                self.session.earlier.state = Listing::Done { cut: true };
            }
            Some(cursor) => self.ask_for_page(Some(cursor)),
            None => self.session.earlier.state = Listing::Done { cut: full },
        }
    }

    pub fn listing_failed(&mut self, error: &RpcError) {
        let rules = &mut self.session.inner.listing;
        if error.code == code::CANCELLED && rules.given_up > 0 {
            // As asked for (V1-ERR-06); the list may be asked for anew by now.
            rules.given_up -= 1;
            return;
        }
        if self.session.earlier.state != Listing::Asking {
            return;
        }
        self.note_missing(error, |caps| caps.list = false);
        let error = error_text::readable(error);
        self.session.earlier.state = Listing::Failed(error);
    }

    /// The person no longer waits, or has waited long: the call stays open until its answer, which is
    /// ignored (V1-CAN-09).
    pub fn give_up_listing(&mut self, state: Listing) {
        if self.session.earlier.state != Listing::Asking {
            return;
        }
        self.session.earlier.state = state;
        let rules = &mut self.session.inner.listing;
        rules.given_up += 1;
        let first = rules.pages <= 1;
        self.notify(Notification::CancelCall(CallTag::ListSessions { first }));
    }

    /// A list whose agent does not answer is given up.
    pub fn tell_slow_listing(&mut self) -> bool {
        if !self.is_due(self.session.listing_deadline()) {
            return false;
        }
        let text = format!("no answer within {} s", PATIENCE.as_secs());
        self.give_up_listing(Listing::Failed(SafeText::line(&text)));
        true
    }

    /// The answer to a page that was open will not come.
    pub fn abort_listing(&mut self) {
        self.session.inner.listing = ListRules::default();
        if self.session.earlier.state == Listing::Asking {
            self.session.earlier.state = Listing::NotAsked;
        }
    }

    pub fn delete_session(&mut self, id: SessionId) {
        let live = self.session.inner.opening.live() == Some(&id);
        if self.session.agent.caps.delete && self.session.connection.is_some() && !live {
            self.call(Call::DeleteSession { id });
        }
    }

    /// Also for one that the agent did not know (V1-SES-14).
    pub fn session_deleted(&mut self, id: &SessionId) {
        self.session.earlier.sessions.retain(|info| info.id != *id);
        self.effects.push(Effect::SessionDeleted(id.clone()));
        let text = SafeText::from("the agent has deleted the session");
        self.effects.push(Effect::Toast(text));
    }

    pub fn delete_failed(&mut self, error: &RpcError) {
        self.note_missing(error, |caps| caps.delete = false);
        let text = format!(
            "the session was not deleted: {}",
            error_text::readable(error)
        );
        self.effects.push(Effect::Toast(SafeText::line(&text)));
    }
}

/// Bytes of one entry.
fn weight(info: &SessionInfo) -> usize {
    let folders: usize = info.additional_directories.iter().map(String::len).sum();
    info.id.as_str().len()
        + info.title.as_ref().map_or(0, |title| title.len())
        + info.cwd.as_ref().map_or(0, String::len)
        + folders
}
