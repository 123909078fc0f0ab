//! Stored sessions: one append-only file each, in `sessions` of the state directory.
//!
//! Owns: the folder and its bounds, which file a session goes to ([`file`](mod@file)), writing off the UI task
//! ([`writer`]), finding a session again ([`SessionFolder::find`]). What stands in a file is
//! [`crate::store::format`]'s.
//!
//! Bounds: a file holds at most [`MAX_FILE`](file::MAX_FILE), then its older half goes; the folder at most
//! `sessions.keep` files and [`MAX_TOTAL`] bytes, then the files that were not changed for longest go. What is
//! held of a session's review stands beside its file, and goes with it.

mod file;
mod folder;
mod review;
mod search;
mod summary;
mod writer;

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::{
    model::KeptReview,
    session::History,
    store::format::{About, GoingOn, StoredSession},
    text::SafeText,
};

pub use file::{is_stored_session, read};
pub use folder::{FindError, Inventory, SessionFolder};
pub use search::find_words;
pub use summary::Summary;
pub use writer::{Destination, OPEN_ELSEWHERE, Screens, SessionWriter, Trouble};

/// Bytes of all files together.
const MAX_TOTAL: u64 = 1 << 30;

/// A stored session, read to be opened again.
pub struct Reopened {
    /// The name of its file.
    pub id: String,
    pub about: About,
    pub going_on: GoingOn,
    pub history: History,
    pub review: KeptReview,
    /// The message about lines that cannot be read.
    pub damage: Option<SafeText>,
}

impl Reopened {
    pub fn new(id: String, record: StoredSession) -> Self {
        Self {
            id,
            about: record.about.clone(),
            going_on: record.going_on(),
            damage: record.damage(),
            history: record.into_history(Instant::now()),
            review: KeptReview::default(),
        }
    }
}

/// Milliseconds since 1970.
pub fn wall_clock() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    })
}
