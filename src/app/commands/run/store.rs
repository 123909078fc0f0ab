//! Stores a run's session as one with a screen is stored: a local store keeps what was said and done
//! with every agent.

use std::{path::Path, time::Instant};

use crate::{
    app::cleanup::Started,
    config::Config,
    model::SessionKey,
    session::Session,
    store::{
        files::{
            Destination, FindError, Reopened, Screens, SessionFolder, SessionWriter, Trouble,
            wall_clock,
        },
        format::{GoingOn, Saver},
    },
    vt,
};

/// What follows the session and what writes it.
pub struct Store {
    key: SessionKey,
    saver: Saver,
    writer: SessionWriter,
}

/// Where it is stored, and for whom.
pub struct Place<'a> {
    pub key: SessionKey,
    /// The state directory.
    pub state: &'a Path,
    pub config: &'a Config,
    pub started: &'a Started,
}

/// Reads what is stored of a session, to be gone on with.
///
/// # Errors
/// It cannot be read.
pub fn stored(state: &Path, record: String) -> Result<Reopened, FindError> {
    let loaded = SessionFolder::new(state).load(&record)?;
    Ok(Reopened::new(record, loaded))
}

impl Store {
    /// `before`: the stored session that is gone on with; it is shown in the session. `None` where nothing is
    /// to be stored (`sessions.keep`), or nothing can.
    pub fn begin(
        place: &Place<'_>,
        agent: &str,
        before: Option<(String, GoingOn)>,
        session: &Session,
        tell: impl Fn(Trouble) + Send + 'static,
    ) -> Option<Self> {
        let Place {
            key,
            state,
            config,
            started,
        } = *place;
        let keep = usize::try_from(config.sessions.keep).unwrap_or(usize::MAX);
        if keep == 0 {
            return None;
        }
        let told = move |_, trouble| tell(trouble);
        let writer = match SessionWriter::start(SessionFolder::new(state), keep, told) {
            Ok(writer) => writer,
            Err(error) => {
                tracing::warn!(%error, "the session is not stored");
                return None;
            }
        };
        started.set_writer(writer.clone());
        let (saver, destination) = match before {
            Some((id, stored)) => (Saver::going_on(stored, session), Destination::GoOn(id)),
            None => (Saver::new(agent.to_owned(), wall_clock()), Destination::New),
        };
        writer.begin(key, destination);
        Some(Self { key, saver, writer })
    }

    /// Something may have happened in the session.
    pub fn changed(&mut self, session: &Session) {
        self.saver.changed(session, Instant::now());
    }

    /// When something is to be written, if at all.
    pub fn due(&self) -> Option<Instant> {
        self.saver.due()
    }

    /// Hands what is new to the thread that writes; `last`: nothing more comes.
    pub fn write(&mut self, session: &Session, screens: &vt::Screens, last: bool) {
        let now = Instant::now();
        if self.writer.is_behind() && !last {
            return self.saver.postpone(now);
        }
        let batch = self.saver.take(session, now, wall_clock(), last);
        if !batch.lines.is_empty() {
            let screens = Screens::of(&batch, screens);
            self.writer.write(self.key, batch, screens);
        }
        if last {
            self.writer.end(self.key);
        }
    }

    /// What was handed on could not be written.
    pub fn failed(&mut self) {
        self.saver.failed(Instant::now());
    }
}
