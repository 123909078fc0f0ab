//! What is played, and what reads it: a thread reads a wire log at the wanted pace; a stored session is
//! shown at once.

use std::{
    path::PathBuf,
    thread,
    time::{Duration, Instant},
};

use tokio::sync::mpsc;

use super::{
    player::{Found, Player, Survey},
    source::StoredReplay,
};
use crate::{
    acp::{Recorded, Recording},
    model::SessionKey,
    session::{MAX_SESSIONS, SessionConfig},
};

/// Lines that are played before the loop looks at keys and the clock again.
const BATCH: usize = 128;

/// Batches that may wait for the loop.
const BATCHES: usize = 4;

/// What is shown, and cannot be had a part in.
pub struct Playing {
    /// Of what is played: a file, or a stored session.
    pub(super) name: String,
    pub(super) what: What,
    /// When it began, had it been played as it was; only where it is played at once.
    pub(super) begun: Option<Instant>,
    /// Who plays which session of a log.
    pub(super) players: Vec<(SessionKey, Player)>,
}

pub(super) enum What {
    Wire(Box<Wire>),
    /// Until it is shown.
    Stored(Option<Box<StoredReplay>>),
}

pub(super) struct Wire {
    path: PathBuf,
    /// Sessions of the log, each played in a session.
    pub(super) parts: Vec<(SessionConfig, Player)>,
    /// That of them that is shown first.
    pub(super) first: usize,
    /// As many times faster than it was; all at once if none is given.
    pub(super) speed: Option<f64>,
    pub(super) length: Duration,
}

impl Playing {
    /// All sessions of a log, as many as can be open; `chosen` is shown first.
    pub(super) fn wire(
        path: PathBuf,
        survey: &Survey,
        chosen: Option<&Found>,
        speed: Option<f64>,
    ) -> Self {
        let part = |found: Option<&Found>| (survey.config(found), Player::new(found));
        let all = &survey.sessions;
        let at = all.iter().position(|found| Some(found) == chosen);
        // One that is far behind is played in place of the last.
        let first = at.unwrap_or(0).min(MAX_SESSIONS - 1);
        let mut parts: Vec<_> = all
            .iter()
            .take(MAX_SESSIONS)
            .map(|f| part(Some(f)))
            .collect();
        match parts.get_mut(first) {
            Some(place) if at > Some(first) => *place = part(chosen),
            Some(_) => {}
            // Nothing was opened in it.
            None => parts.push(part(None)),
        }
        let name = path.file_name().unwrap_or(path.as_os_str());
        Self {
            name: name.to_string_lossy().into_owned(),
            what: What::Wire(Box::new(Wire {
                parts,
                first,
                speed,
                length: survey.length,
                path,
            })),
            begun: None,
            players: Vec::new(),
        }
    }

    pub(super) fn stored(stored: StoredReplay) -> Self {
        Self {
            name: stored.name.clone(),
            what: What::Stored(Some(Box::new(stored))),
            begun: None,
            players: Vec::new(),
        }
    }
}

impl Wire {
    /// Starts reading.
    pub(super) fn read(&self) -> mpsc::Receiver<Vec<Recorded>> {
        let (sender, receiver) = mpsc::channel(BATCHES);
        let (path, speed) = (self.path.clone(), self.speed);
        // Where no thread can be started nothing is played: the log ends at once.
        let _ = thread::Builder::new()
            .name("replay".into())
            .spawn(move || read(path, speed, &sender));
        receiver
    }
}

/// Ends with the file, or with the receiver.
fn read(path: PathBuf, speed: Option<f64>, sender: &mpsc::Sender<Vec<Recorded>>) {
    let Ok(mut recording) = Recording::open(&path) else {
        return;
    };
    let begun = Instant::now();
    let mut batch = Vec::new();
    while let Ok(Some(recorded)) = recording.next_line() {
        if let Some(speed) = speed {
            let due = recorded.at.div_f64(speed);
            thread::sleep(due.saturating_sub(begun.elapsed()));
        }
        batch.push(recorded);
        if (speed.is_some() || batch.len() >= BATCH)
            && sender.blocking_send(std::mem::take(&mut batch)).is_err()
        {
            return;
        }
    }
    let _ = sender.blocking_send(batch);
}
