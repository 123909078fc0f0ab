//! A replay in the UI. A wire log is read on a thread of its own, at the pace that is wanted, and each
//! of its sessions is played into one that has no agent; a stored session is shown at once.

use std::{
    collections::VecDeque,
    path::PathBuf,
    thread,
    time::{Duration, Instant},
};

use tokio::sync::mpsc;

use super::{
    START_TIMEOUT,
    player::{Found, Output, Player, Survey},
    source::StoredReplay,
};
use crate::{
    acp::{Recorded, Recording},
    app::{session_runtime::Running, state::App},
    config::AgentProfile,
    model::SessionKey,
    session::{Effect, Event, MAX_SESSIONS, Routed, Session, SessionConfig},
    text::SafeText,
    ui::UiCommand,
    vt::SharedScreen,
};

/// Lines that are played before the loop looks at keys and the clock again.
const BATCH: usize = 128;

/// Batches that may wait for the loop.
const BATCHES: usize = 4;

/// Size of a terminal of the log, whose screen was another one.
const ROWS: u16 = 40;
const COLS: u16 = 120;

/// What is shown, and cannot be had a part in.
pub struct Playing {
    /// Of what is played: a file, or a stored session.
    name: String,
    what: What,
    /// When it began, had it been played as it was; only where it is played at once.
    begun: Option<Instant>,
    /// Who plays which session of a log.
    players: Vec<(SessionKey, Player)>,
}

enum What {
    Wire(Box<Wire>),
    /// Until it is shown.
    Stored(Option<Box<StoredReplay>>),
}

struct Wire {
    path: PathBuf,
    /// Sessions of the log, each to be played in one of its own.
    parts: Vec<(SessionConfig, Player)>,
    /// That of them that is shown first.
    first: usize,
    /// As many times faster than it was; all at once if none is given.
    speed: Option<f64>,
    length: Duration,
}

/// What the thread reads.
pub type Lines = mpsc::Receiver<Vec<Recorded>>;

impl Playing {
    /// All sessions of a log, as many as can be open; `chosen` is shown first.
    pub(super) fn wire(
        path: PathBuf,
        survey: &Survey,
        chosen: Option<&Found>,
        speed: Option<f64>,
    ) -> Self {
        let part = |found: Option<&Found>| {
            let config = survey.config(found, START_TIMEOUT);
            (config, Player::new(found))
        };
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
    fn read(&self) -> Lines {
        let (sender, receiver) = mpsc::channel(BATCHES);
        let (path, speed) = (self.path.clone(), self.speed);
        // Where no thread can be started nothing is played: the log ends at once.
        let _ = thread::Builder::new()
            .name("replay".into())
            .spawn(move || read(path, speed, &sender));
        receiver
    }
}

/// Ends with the file, or when nobody wants more.
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

impl App {
    /// Opens what is to be seen.
    pub(in crate::app) fn open_replay(&mut self) {
        let Some(playing) = &mut self.replay else {
            return;
        };
        let title = format!("a replay of {}", playing.name);
        self.project.read_only = Some(SafeText::line(&title));
        self.project.git_branch = None;
        match &mut playing.what {
            What::Wire(wire) => {
                let now = Instant::now();
                playing.begun = match wire.speed {
                    None => now.checked_sub(wire.length),
                    Some(_) => None,
                };
                let begun = playing.begun.unwrap_or(now);
                let (parts, first) = (std::mem::take(&mut wire.parts), wire.first);
                self.replayed = Some(wire.read());
                self.open_parts(parts, first, begun);
            }
            What::Stored(stored) => {
                if let Some(stored) = stored.take() {
                    self.open_stored(*stored);
                }
            }
        }
    }

    fn open_parts(&mut self, parts: Vec<(SessionConfig, Player)>, first: usize, begun: Instant) {
        let mut shown = None;
        for (n, (config, player)) in parts.into_iter().enumerate() {
            let Some((key, effects)) = self.sessions.open(config, begun) else {
                break;
            };
            self.running.insert(key, Running::new(replay_profile()));
            if let Some(playing) = &mut self.replay {
                playing.players.push((key, player));
            }
            if n == first {
                shown = Some(key);
            }
            let events = self.follow(effects);
            self.play(key, events.into(), begun);
        }
        if let Some(key) = shown {
            self.show(key);
        }
    }

    fn open_stored(&mut self, stored: StoredReplay) {
        let ends = stored.ends();
        let (session, _) = stored.into_session();
        let Some(key) = self.sessions.open_past(session) else {
            return;
        };
        self.running.insert(key, Running::new(replay_profile()));
        self.show(key);
        let notes = ends
            .into_iter()
            .map(|(level, text)| Event::Note { level, text });
        self.play(key, notes.collect(), Instant::now());
    }

    /// Plays what was read; nothing more comes after `None`.
    pub(in crate::app) fn recorded(&mut self, lines: Option<Vec<Recorded>>) {
        let rev = self.sessions.shown().map_or(0, |session| session.rev);
        match lines {
            Some(lines) => {
                for recorded in lines {
                    self.play_line(&recorded);
                }
            }
            None => {
                for key in self.played() {
                    let Some((player, session)) = self.player(key) else {
                        continue;
                    };
                    let events = player.end(session);
                    self.play(key, events.into(), Instant::now());
                }
            }
        }
        self.session_changed(rev);
    }

    fn play_line(&mut self, recorded: &Recorded) {
        let begun = self.replay.as_ref().and_then(|playing| playing.begun);
        let now = begun.map_or_else(Instant::now, |begun| begun + recorded.at);
        for key in self.played() {
            let mut outputs = Vec::new();
            let Some((player, session)) = self.player(key) else {
                continue;
            };
            let events = player.events(recorded.clone(), session, &mut |output| {
                outputs.push(output);
            });
            self.play(key, events, now);
            for output in outputs {
                self.show_output(key, output);
            }
        }
    }

    fn played(&self) -> Vec<SessionKey> {
        let players = self.replay.iter().flat_map(|playing| &playing.players);
        players.map(|(key, _)| *key).collect()
    }

    fn player(&mut self, key: SessionKey) -> Option<(&mut Player, &Session)> {
        let players = &mut self.replay.as_mut()?.players;
        let (_, player) = players.iter_mut().find(|(own, _)| *own == key)?;
        Some((player, self.sessions.get(key)?))
    }

    fn play(&mut self, key: SessionKey, mut events: VecDeque<Event>, now: Instant) {
        while let Some(event) = events.pop_front() {
            if let Event::TerminalStarted { id, .. } = &event
                && let Some(running) = self.running_mut(key)
            {
                let screen = SharedScreen::new(ROWS, COLS);
                running.screens.insert(id.clone(), screen);
            }
            let effects = self.sessions.apply(key, event, now);
            events.extend(self.follow(effects));
        }
    }

    /// Does what of a session's wishes is to be seen, and nothing else.
    fn follow(&mut self, effects: Vec<Routed>) -> Vec<Event> {
        let mut events = Vec::new();
        for Routed { by, effect } in effects {
            if let Some((player, _)) = self.player(by) {
                events.extend(player.follow(&effect));
            }
            if let Effect::AgentScreen { id, change } = effect {
                self.agent_screen(by, id, change);
            }
        }
        events
    }

    fn show_output(&mut self, key: SessionKey, output: Output) {
        if let Some(running) = self.running.get_mut(&key) {
            // All of it so far, not what is new of it.
            let screen = SharedScreen::new(ROWS, COLS);
            screen.change(|screen| screen.feed_text(&output.text));
            running.screens.insert(output.id, screen);
        }
    }

    /// Whether a command may be carried out where nothing may be done.
    pub(in crate::app) fn only_shows(command: &UiCommand) -> bool {
        matches!(
            command,
            UiCommand::OpenEditor { .. }
                | UiCommand::Page(_)
                | UiCommand::Copy(_)
                | UiCommand::TerminalView { .. }
                | UiCommand::TerminalResize { .. }
                | UiCommand::ShowSession(_)
                | UiCommand::Suspend
                | UiCommand::Redraw
                | UiCommand::Quit
        )
    }
}

/// Nothing is started by it.
fn replay_profile() -> AgentProfile {
    AgentProfile::command("replay".into(), Vec::new())
}
