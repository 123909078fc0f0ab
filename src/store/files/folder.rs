//! The folder of stored sessions.

use std::{
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
    time::SystemTime,
};

use sha2::{Digest, Sha256};

use super::{
    MAX_TOTAL, Reopened, Summary,
    file::{self, SessionFile},
    review, wall_clock,
};
use crate::{
    config::nearest,
    model::{KeptReview, SessionId},
    store::format::StoredSession,
};

const SUFFIX: &str = "jsonl";

/// Characters of an id: few that look alike, none that a shell minds.
const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Letters of an id: enough for as many sessions as are kept, few enough to be typed.
const ID: usize = 8;

/// Ids named where several begin alike.
const NAMED: usize = 5;

#[derive(Clone, Debug)]
pub struct SessionFolder {
    folder: PathBuf,
}

/// Why no session was found by what was typed.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    #[error("no stored sessions yet")]
    Empty,
    #[error("no stored session {typed:?}{}; `acp-tui sessions` lists them", did_you_mean(.near))]
    Unknown { typed: String, near: Option<String> },
    #[error("several stored sessions start with {typed:?}: {}", .ids.join(", "))]
    Ambiguous { typed: String, ids: Vec<String> },
    #[error("the stored session {id} cannot be read: {source}")]
    Io { id: String, source: io::Error },
    #[error("nothing in the stored session {id} can be read")]
    Damaged { id: String },
    #[error("the stored sessions in {} cannot be read: {source}", .folder.display())]
    Folder { folder: PathBuf, source: io::Error },
    #[error("no readable stored session {typed:?}; {unreadable}")]
    Unreadable {
        typed: String,
        unreadable: Box<FindError>,
    },
}

/// What is stored, the newest first, and what of it cannot be read.
#[derive(Debug, Default)]
pub struct Inventory {
    pub sessions: Vec<Summary>,
    pub unreadable: Vec<FindError>,
}

fn did_you_mean(near: &Option<String>) -> String {
    let mean = |near: &String| format!(" (did you mean {near}?)");
    near.as_ref().map(mean).unwrap_or_default()
}

impl SessionFolder {
    /// `state` is the state directory; nothing needs to exist yet.
    pub fn new(state: &Path) -> Self {
        Self {
            folder: state.join("sessions"),
        }
    }

    pub fn path(&self, id: &str) -> PathBuf {
        self.folder.join(id).with_extension(SUFFIX)
    }

    /// An id that no session has.
    pub fn new_id(&self) -> String {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        loop {
            let mut hash = Sha256::new();
            hash.update(wall_clock().to_le_bytes());
            hash.update(std::process::id().to_le_bytes());
            hash.update(COUNT.fetch_add(1, Ordering::Relaxed).to_le_bytes());
            let digest = hash.finalize();
            let letters = digest.iter().take(ID);
            let letters = letters.filter_map(|byte| LETTERS.get(usize::from(byte % 32)));
            let id: String = letters.map(|letter| char::from(*letter)).collect();
            if !self.path(&id).exists() {
                return id;
            }
        }
    }

    /// Ids and when each was last changed, the newest first.
    fn ids(&self) -> io::Result<Vec<(String, SystemTime, u64)>> {
        let mut ids = Vec::new();
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(ids),
            entries => entries?,
        };
        for entry in entries.flatten() {
            let path = entry.path();
            let Ok(meta) = entry.metadata() else { continue };
            if path.extension() == Some(OsStr::new(SUFFIX))
                && let Some(id) = path.file_stem().and_then(OsStr::to_str)
            {
                let changed = meta.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                ids.push((id.to_owned(), changed, meta.len()));
            }
        }
        ids.sort_by_key(|(_, changed, _)| std::cmp::Reverse(*changed));
        Ok(ids)
    }

    /// All stored sessions that can be read, the newest first. Reads the ends of each file.
    pub fn list(&self) -> Vec<Summary> {
        let listed = self.survey();
        for error in listed.unreadable {
            tracing::warn!(%error, "not listed");
        }
        listed.sessions
    }

    /// All stored sessions. Reads the ends of each file.
    pub fn survey(&self) -> Inventory {
        let mut listed = Inventory::default();
        let ids = self.ids().unwrap_or_else(|source| {
            let folder = self.folder.clone();
            listed.unreadable.push(FindError::Folder { folder, source });
            Vec::new()
        });
        for (id, _, len) in ids {
            match Summary::read(&self.path(&id), &id) {
                Ok(Some(summary)) => listed.sessions.push(summary),
                // Nothing was written yet, so nothing is lost.
                Ok(None) if len == 0 => {}
                Ok(None) => listed.unreadable.push(FindError::Damaged { id }),
                Err(source) => listed.unreadable.push(FindError::Io { id, source }),
            }
        }
        let sessions = &mut listed.sessions;
        sessions.sort_by_key(|summary| std::cmp::Reverse(summary.updated));
        listed
    }

    /// # Errors
    /// It cannot be read, or holds nothing of a session.
    pub fn load(&self, id: &str) -> Result<StoredSession, FindError> {
        let record = file::read(&self.path(id)).map_err(|source| FindError::Io {
            id: id.to_owned(),
            source,
        })?;
        record.ok_or_else(|| FindError::Damaged { id: id.to_owned() })
    }

    /// The same, to be opened again with what is held of its review.
    ///
    /// # Errors
    /// As [`SessionFolder::load`].
    pub fn reopen(&self, id: String) -> Result<Reopened, FindError> {
        let record = self.load(&id)?;
        let review = self.review(&id);
        Ok(Reopened {
            review,
            ..Reopened::new(id, record)
        })
    }

    /// What is held of a session's review; nothing where it cannot be read, which is logged.
    pub fn review(&self, id: &str) -> KeptReview {
        review::read(&self.path(id))
    }

    /// The one whose id is what was typed; else the newest that its agent names so; else the one whose
    /// id begins so. Only `wanted` ones.
    ///
    /// # Errors
    /// There is none, or several begin so. Names the nearest.
    pub fn find(
        &self,
        typed: &str,
        wanted: impl Fn(&Summary) -> bool,
    ) -> Result<Summary, FindError> {
        let listed = self.survey();
        let mut all = listed.sessions;
        all.retain(wanted);
        let mut unreadable = listed.unreadable;
        let is_typed = |error: &FindError| match error {
            FindError::Io { id, .. } | FindError::Damaged { id } => id == typed,
            _ => false,
        };
        if let Some(at) = unreadable.iter().position(is_typed) {
            return Err(unreadable.swap_remove(at));
        }
        if all.is_empty() {
            return Err(match unreadable.pop() {
                Some(error) => FindError::Unreadable {
                    typed: typed.to_owned(),
                    unreadable: Box::new(error),
                },
                None => FindError::Empty,
            });
        }
        let exact = all.iter().find(|summary| summary.id == typed);
        let named = |summary: &&Summary| summary.about.session.as_deref() == Some(typed);
        if let Some(found) = exact.or_else(|| all.iter().find(named)) {
            return Ok(found.clone());
        }
        let begin: Vec<&Summary> = all.iter().filter(|s| s.id.starts_with(typed)).collect();
        match begin.as_slice() {
            [only] if !typed.is_empty() => return Ok((*only).clone()),
            [] => {
                let ids = all.iter().flat_map(|summary| {
                    std::iter::once(summary.id.as_str()).chain(summary.about.session.as_deref())
                });
                return Err(FindError::Unknown {
                    typed: typed.to_owned(),
                    near: nearest(typed, ids).map(str::to_owned),
                });
            }
            _ => {}
        }
        let mut ids: Vec<String> = begin.iter().map(|summary| summary.id.clone()).collect();
        if ids.len() > NAMED {
            ids.truncate(NAMED);
            ids.push("…".to_owned());
        }
        Err(FindError::Ambiguous {
            typed: typed.to_owned(),
            ids,
        })
    }

    /// Ids of what is stored of a session as that agent names it, the newest first.
    pub fn of_session(&self, agent: &str, session: &SessionId) -> Vec<String> {
        let is_of = |summary: &Summary| {
            let about = &summary.about;
            about.agent == agent && about.session.as_deref() == Some(session.as_str())
        };
        let all = self.list().into_iter().filter(is_of);
        all.map(|summary| summary.id).collect()
    }

    /// Whether a client has that session open, in whichever file.
    pub fn is_open(&self, agent: &str, session: &SessionId) -> bool {
        let ids = self.of_session(agent, session);
        ids.iter().any(|id| file::is_written(&self.path(id)))
    }

    /// # Errors
    /// It cannot be removed, as where a client has it open.
    pub fn remove(&self, id: &str) -> Result<(), FindError> {
        self.remove_unless_open(id).map_err(|source| FindError::Io {
            id: id.to_owned(),
            source,
        })
    }

    fn remove_unless_open(&self, id: &str) -> io::Result<()> {
        let path = self.path(id);
        // Held while it goes.
        let _open = SessionFile::open(&path).map_err(|error| match error.kind() {
            io::ErrorKind::WouldBlock => io::Error::other("it is open in another acp-tui"),
            _ => error,
        })?;
        review::remove(&path)?;
        fs::remove_file(&path)
    }

    /// Removes the sessions that were not changed for longest, down to `keep` files and
    /// [`MAX_TOTAL`] bytes; none that a client has open.
    pub fn prune(&self, keep: usize) {
        let mut total = 0_u64;
        // Where nothing can be read, nothing is removed.
        let ids = self.ids().unwrap_or_default();
        for (at, (id, _, len)) in ids.into_iter().enumerate() {
            let review = review::len(&self.path(&id));
            total = total.saturating_add(len).saturating_add(review);
            if at < keep && total <= MAX_TOTAL {
                continue;
            }
            match self.remove_unless_open(&id) {
                Ok(()) => tracing::info!(id, "an old stored session is removed"),
                Err(error) => tracing::debug!(id, %error, "an old stored session stays"),
            }
        }
        self.forget_orphans();
    }

    /// Removes what is held of reviews whose session somebody has removed.
    fn forget_orphans(&self) {
        let entries = fs::read_dir(&self.folder).into_iter().flatten();
        for entry in entries.flatten() {
            let path = entry.path();
            let of = path.with_extension(SUFFIX);
            if path.extension() == Some(OsStr::new(review::SUFFIX))
                && !of.exists()
                && let Err(error) = review::remove(&of)
            {
                tracing::debug!(path = %path.display(), %error, "a review without a session stays");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        store::format::{About, Block, Kind, Line},
        text::SafeText,
    };

    fn store(folder: &SessionFolder, id: &str, session: &str, t: u64, title: Option<&str>) {
        let about = About {
            agent: "demo".into(),
            session: Some(session.into()),
            title: title.map(SafeText::new),
            ..About::default()
        };
        let prompt = Block {
            kind: Kind::User,
            text: SafeText::new("\n first line\nsecond"),
            ..Block::default()
        };
        let mut file = SessionFile::open(&folder.path(id)).expect("open");
        let lines = [Line::about(t, about), Line::block(t, prompt)];
        file.append(&lines, false).expect("written");
    }

    #[test]
    fn sessions_are_found_by_the_beginning_of_their_id_or_by_the_agents() {
        let state = tempfile::tempdir().expect("a folder");
        let folder = SessionFolder::new(state.path());
        assert!(matches!(folder.find("x", |_| true), Err(FindError::Empty)));
        store(&folder, "abc00000", "sess-1", 1, None);
        store(&folder, "abd00000", "sess-1", 3, Some("a title"));
        store(&folder, "xyz00000", "sess-2", 2, None);
        let listed = folder.list();
        let ids: Vec<&str> = listed.iter().map(|s| s.id.as_str()).collect();
        assert_eq!(
            ids,
            ["abd00000", "xyz00000", "abc00000"],
            "the newest first"
        );
        assert_eq!(listed[0].name.as_deref(), Some("a title"));
        assert_eq!(listed[1].name.as_deref(), Some("first line"));
        let find = |typed: &str| match folder.find(typed, |_| true) {
            Ok(found) => found.id,
            Err(error) => error.to_string(),
        };
        assert_eq!(find("abc"), "abc00000");
        assert_eq!(find("sess-1"), "abd00000", "the newest of that name");
        assert!(find("ab").contains("several stored sessions start with \"ab\": abd00000, abc"));
        assert!(
            find("xyz00001").contains("did you mean xyz00000?"),
            "{}",
            find("xyz00001")
        );
        assert!(find("").contains("several"));
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let state = tempfile::tempdir().expect("a folder");
        let folder = SessionFolder::new(state.path());
        let said = |typed: &str| match folder.find(typed, |_| true) {
            Ok(found) => found.id,
            Err(error) => error.to_string(),
        };
        let path = state.path().join("sessions");
        fs::write(&path, "in the way").expect("written");
        let listed = folder.survey();
        assert_eq!(listed.unreadable.len(), 1);
        assert!(
            said("x").contains("sessions cannot be read"),
            "{}",
            said("x")
        );
        fs::remove_file(&path).expect("removed");

        fs::create_dir_all(path.join("folder00.jsonl")).expect("made");
        fs::write(path.join("empty000.jsonl"), "").expect("written");
        assert!(said("x").contains("folder00 cannot be read: is not a regular file"));
        fs::remove_dir(path.join("folder00.jsonl")).expect("removed");
        assert!(matches!(folder.find("x", |_| true), Err(FindError::Empty)));

        fs::write(path.join("garbled0.jsonl"), "\0\u{1}x").expect("written");
        store(&folder, "abc00000", "sess-1", 1, None);
        let listed = folder.survey();
        assert_eq!(listed.sessions.len(), 1);
        let garbled = "nothing in the stored session garbled0 can be read";
        assert_eq!(listed.unreadable[0].to_string(), garbled);
        assert_eq!(said("garbled0"), garbled);
        assert!(said("x").contains("no stored session"));
        assert_eq!(said("abc"), "abc00000");
    }

    #[test]
    fn a_session_is_open_as_long_as_a_client_has_one_of_its_records() {
        let state = tempfile::tempdir().expect("a folder");
        let folder = SessionFolder::new(state.path());
        store(&folder, "abc00000", "sess-1", 1, None);
        store(&folder, "abd00000", "sess-1", 3, None);
        let is_open = |id: &str| folder.is_open("demo", &SessionId::new(id));
        assert!(!is_open("sess-1"));
        let file = SessionFile::open(&folder.path("abc00000")).expect("open");
        assert!(is_open("sess-1"));
        assert!(!is_open("sess-2"));
        assert!(!folder.is_open("claude", &SessionId::new("sess-1")));
        drop(file);
        assert!(!is_open("sess-1"));
    }

    #[test]
    fn a_title_far_behind_a_long_answer_is_told() {
        let state = tempfile::tempdir().expect("a folder");
        let folder = SessionFolder::new(state.path());
        store(&folder, "abc00000", "sess-1", 1, None);
        let mut file = SessionFile::open(&folder.path("abc00000")).expect("open");
        let long = Block {
            id: 1,
            kind: Kind::Agent,
            text: SafeText::new(&"x".repeat(500_000)),
            ..Block::default()
        };
        let about = About {
            title: Some("at the end".into()),
            ..About::default()
        };
        file.append(&[Line::block(2, long), Line::about(3, about)], false)
            .expect("written");
        let summary = folder.list().remove(0);
        assert_eq!(summary.name.as_deref(), Some("at the end"));
        assert_eq!(summary.updated, 3);
    }

    #[test]
    fn the_oldest_go_where_there_are_too_many_and_none_that_is_open() {
        let state = tempfile::tempdir().expect("a folder");
        let folder = SessionFolder::new(state.path());
        for n in 0..6_u64 {
            let id = format!("abc0000{n}");
            store(&folder, &id, "s", n, None);
            let file = fs::File::options()
                .append(true)
                .open(folder.path(&id))
                .expect("open");
            let time = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000 + n);
            file.set_modified(time).expect("set");
            fs::write(review::beside(&folder.path(&id)), "").expect("written");
        }
        fs::write(review::beside(&folder.path("orphan00")), "").expect("written");
        let open = SessionFile::open(&folder.path("abc00000")).expect("open");
        folder.prune(3);
        let mut ids: Vec<String> = folder
            .ids()
            .expect("the folder")
            .into_iter()
            .map(|(id, ..)| id)
            .collect();
        ids.sort();
        assert_eq!(ids, ["abc00000", "abc00003", "abc00004", "abc00005"]);
        drop(open);
        // What is held of their reviews has gone with them.
        folder.remove("abc00003").expect("removed");
        let files = fs::read_dir(state.path().join("sessions")).expect("the folder");
        let names = files.map(|file| file.expect("a file").file_name());
        let mut reviews: Vec<String> = names
            .filter_map(|name| Some(name.to_str()?.strip_suffix(".review")?.to_owned()))
            .collect();
        reviews.sort();
        assert_eq!(reviews, ["abc00000", "abc00004", "abc00005"]);
    }

    #[test]
    fn ids_are_short_and_different() {
        let state = tempfile::tempdir().expect("a folder");
        let folder = SessionFolder::new(state.path());
        let ids: std::collections::HashSet<String> = (0..100).map(|_| folder.new_id()).collect();
        assert_eq!(ids.len(), 100);
        assert!(ids.iter().all(|id| id.len() == ID));
    }
}
