//! A replay in the UI: each session of a log is played into one that has no agent.

use std::{collections::VecDeque, time::Instant};

use super::{
    player::{Output, Player},
    playing::What,
    source::StoredReplay,
};
use crate::{
    acp::Recorded,
    app::{runtime::Running, state::App, terminal::Reason},
    config::AgentProfile,
    model::SessionKey,
    session::{Effect, Event, Routed, Session, SessionConfig},
    text::SafeText,
    ui::UiCommand,
    vt::SharedScreen,
};

/// Size of a terminal of the log, whose screen was another one.
const ROWS: u16 = 40;
const COLS: u16 = 120;

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
            let Some((key, effects)) = self.runtime.sessions.open(config, begun) else {
                break;
            };
            self.runtime
                .running
                .insert(key, Running::new(replay_profile()));
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
        let Some(key) = self.runtime.sessions.open_past(session) else {
            return;
        };
        self.runtime
            .running
            .insert(key, Running::new(replay_profile()));
        self.show(key);
        let notes = ends
            .into_iter()
            .map(|(level, text)| Event::Note { level, text });
        self.play(key, notes.collect(), Instant::now());
    }

    /// Plays what was read; nothing more comes after `None`.
    pub(in crate::app) fn recorded(&mut self, lines: Option<Vec<Recorded>>) {
        let seen = self.seen();
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
        self.session_changed(seen);
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
        Some((player, self.runtime.sessions.get(key)?))
    }

    fn play(&mut self, key: SessionKey, mut events: VecDeque<Event>, now: Instant) {
        while let Some(event) = events.pop_front() {
            if let Event::TerminalStarted { id, .. } = &event
                && let Some(running) = self.runtime.running_mut(key)
            {
                let screen = SharedScreen::new(ROWS, COLS);
                running.screens.insert(id.clone(), screen);
            }
            let effects = self.runtime.sessions.apply(key, event, now);
            events.extend(self.follow(effects));
        }
    }

    /// What its log knows of the answers to what sessions want; what they want to be seen is drawn.
    fn follow(&mut self, effects: Vec<Routed>) -> Vec<Event> {
        let mut events = Vec::new();
        for Routed { by, effect } in &effects {
            if let Some((player, _)) = self.player(*by) {
                events.extend(player.follow(effect));
            }
        }
        if effects
            .iter()
            .any(|routed| matches!(routed.effect, Effect::AgentScreen { .. }))
        {
            self.frames.request(Instant::now(), Reason::Stream);
        }
        self.runtime.perform(effects);
        events
    }

    fn show_output(&mut self, key: SessionKey, output: Output) {
        if let Some(running) = self.runtime.running.get_mut(&key) {
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
                | UiCommand::CopyOf { .. }
                | UiCommand::WriteCopy { .. }
                | UiCommand::TerminalView { .. }
                | UiCommand::TerminalResize { .. }
                | UiCommand::ShowSession(_)
                | UiCommand::Mouse(_)
                | UiCommand::OpenLink(_)
                | UiCommand::KeepTheme(_)
                | UiCommand::Told(_)
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
