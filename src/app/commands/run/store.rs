//! Stores a run's session as one with a screen is stored: a local store keeps what was said and done
//! with every agent.

use std::{path::Path, time::Instant};

use crate::{
    app::{
        cleanup::Started,
        records::{
            Destination, FindError, RecordWriter, Records, Screens, Stored, Trouble, wall_clock,
        },
    },
    config::Config,
    model::SessionKey,
    record::{GoingOn, Recorder},
    session::Session,
    vt,
};

/// What follows the session and what writes it.
pub struct Store {
    key: SessionKey,
    recorder: Recorder,
    writer: RecordWriter,
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
pub fn stored(state: &Path, record: String) -> Result<Stored, FindError> {
    let loaded = Records::new(state).load(&record)?;
    Ok(Stored::new(record, loaded))
}

impl Store {
    /// `before`: the record that is gone on with; it is shown in the session. `None` where nothing is
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
        let writer = match RecordWriter::start(Records::new(state), keep, told) {
            Ok(writer) => writer,
            Err(error) => {
                tracing::warn!(%error, "the session is not stored");
                return None;
            }
        };
        started.set_records(writer.clone());
        let (recorder, destination) = match before {
            Some((id, stored)) => (Recorder::going_on(stored, session), Destination::GoOn(id)),
            None => (
                Recorder::new(agent.to_owned(), wall_clock()),
                Destination::New,
            ),
        };
        writer.begin(key, destination);
        Some(Self {
            key,
            recorder,
            writer,
        })
    }

    /// Something may have happened in the session.
    pub fn changed(&mut self, session: &Session) {
        self.recorder.changed(session, Instant::now());
    }

    /// When something is to be written, if at all.
    pub fn due(&self) -> Option<Instant> {
        self.recorder.due()
    }

    /// Hands what is new to the thread that writes; `last`: nothing more comes.
    pub fn write(&mut self, session: &Session, screens: &vt::Screens, last: bool) {
        let now = Instant::now();
        if self.writer.is_behind() && !last {
            return self.recorder.postpone(now);
        }
        let batch = self.recorder.take(session, now, wall_clock(), last);
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
        self.recorder.failed(Instant::now());
    }
}
