//! A wire log in the UI: read on a thread of its own, at the pace that is wanted, and played into a
//! session that has no agent.

use std::{
    path::PathBuf,
    thread,
    time::{Duration, Instant},
};

use tokio::sync::mpsc;

use super::player::{Output, Player};
use crate::{
    acp::{Recorded, Recording},
    app::{running::Running, state::App},
    config::AgentProfile,
    session::{Effect, Event, Routed, SessionConfig},
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

/// A log to be played.
pub struct Playing {
    pub(super) path: PathBuf,
    pub(super) player: Player,
    pub(super) config: SessionConfig,
    /// As many times faster than it was; all at once if none is given.
    pub(super) speed: Option<f64>,
    pub(super) length: Duration,
    /// When it began, had it been played as it was; only where it is played at once.
    pub(super) begun: Option<Instant>,
}

/// What the thread reads.
pub type Lines = mpsc::Receiver<Vec<Recorded>>;

impl Playing {
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
    /// Opens the session that the log is played into.
    pub(in crate::app) fn open_replay(&mut self) {
        let Some(playing) = &mut self.replay else {
            return;
        };
        let now = Instant::now();
        playing.begun = match playing.speed {
            None => now.checked_sub(playing.length),
            Some(_) => None,
        };
        self.project.cwd = SafeText::line(&playing.config.cwd.to_string_lossy());
        self.project.git_branch = None;
        let name = playing.path.file_name().unwrap_or(playing.path.as_os_str());
        let title = format!("a replay of {}", name.to_string_lossy());
        self.project.read_only = Some(SafeText::line(&title));
        let begun = playing.begun.unwrap_or(now);
        let Some((key, effects)) = self.sessions.open(playing.config.clone(), begun) else {
            return;
        };
        self.replayed = Some(playing.read());
        let profile = AgentProfile::command("replay".into(), Vec::new());
        self.running.insert(key, Running::new(profile));
        self.show(key);
        let events = self.follow(effects);
        self.play(events, begun);
    }

    /// Plays what was read; nothing more comes after `None`.
    pub(in crate::app) fn recorded(&mut self, lines: Option<Vec<Recorded>>) {
        let rev = self.sessions.shown().map_or(0, |session| session.rev);
        let begun = self.replay.as_ref().and_then(|playing| playing.begun);
        match lines {
            Some(lines) => {
                for recorded in lines {
                    let now = begun.map_or_else(Instant::now, |begun| begun + recorded.at);
                    let mut outputs = Vec::new();
                    let (Some(playing), Some(session)) = (&mut self.replay, self.sessions.shown())
                    else {
                        return;
                    };
                    let events = playing
                        .player
                        .events(recorded, session, &mut |output| outputs.push(output));
                    self.play(events.into(), now);
                    for output in outputs {
                        self.show_output(output);
                    }
                }
            }
            None => {
                let (Some(playing), Some(session)) = (&mut self.replay, self.sessions.shown())
                else {
                    return;
                };
                let events = playing.player.end(session);
                self.play(events, Instant::now());
            }
        }
        self.session_changed(rev);
    }

    fn play(&mut self, events: Vec<Event>, now: Instant) {
        let Some(key) = self.sessions.shown_key() else {
            return;
        };
        let mut events = std::collections::VecDeque::from(events);
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
            if let Some(playing) = &mut self.replay {
                events.extend(playing.player.follow(&effect));
            }
            if let Effect::AgentScreen { id, change } = effect {
                self.agent_screen(by, id, change);
            }
        }
        events
    }

    fn show_output(&mut self, output: Output) {
        let key = self.sessions.shown_key();
        if let Some(running) = key.and_then(|key| self.running.get_mut(&key)) {
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
