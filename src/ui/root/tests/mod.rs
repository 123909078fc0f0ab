//! The UI as a whole, in front of a played agent.

mod actions;
mod activity;
mod ascii;
mod asked_comments;
mod broken;
mod commenting;
mod copying;
mod desk;
mod finding;
mod in_flight;
mod inline;
mod measure;
mod mouse;
mod newer;
mod options;
mod pictures;
mod providers;
mod questions;
mod resending;
mod reviewing;
mod sending;
mod sessions;
mod side;
mod sign_in;
mod slash;
mod states;
mod status;
mod stopping;
mod suggestions;
mod themes;
mod unsent;
mod worktrees;

use crossterm::event::Event as Input;
use ratatui::{buffer::Buffer, layout::Position, layout::Rect};

use super::*;
use crate::{
    model::{
        AgentEvent, AuthMethod, AuthMethodKind, CallResult, CallTag, ModeId, OptionValue, Patch,
        PlanEntry, PlanPriority, PlanStatus, StopReason, UsageUpdate,
    },
    session::Event,
    ui::{
        AgentChoice, AgentList, Draft, DraftPart, History,
        keymap::Chord,
        testing::{Bench, keep, text},
    },
};

/// A UI in front of a played agent.
struct Screen {
    ui: Ui,
    bench: Bench,
    size: (u16, u16),
}

fn settings() -> UiSettings {
    UiSettings {
        ui: UiConfig::default(),
        keys: BTreeMap::new(),
        agents: agents(),
        colours: Colours::Indexed,
        background: Background::Unknown,
        themes: Default::default(),
        inline: false,
        spoken: false,
    }
}

fn agents() -> AgentList {
    let agent =
        |id: &str, name: &'static str, found: Result<&'static str, &'static str>| AgentChoice {
            id: id.into(),
            name: name.into(),
            found: Some(found.map(Into::into).map_err(Into::into)),
            servers: if id == "demo" {
                vec!["docs".into(), "issues".into()]
            } else {
                Vec::new()
            },
        };
    [
        agent(
            "claude-code-acp",
            "Claude Code",
            Err("npm install -g @agentclientprotocol/claude-agent-acp"),
        ),
        agent("opencode", "OpenCode", Ok("/usr/bin/opencode")),
        agent("demo", "Demo", Ok("built in")),
    ]
    .into()
}

impl Screen {
    fn new(bench: Bench) -> Self {
        let mut ui = Ui::new(settings(), Offload::immediate());
        ui.set_background(Background::Dark);
        Self {
            ui,
            bench,
            size: (80, 24),
        }
    }

    fn sized(mut self, width: u16, height: u16) -> Self {
        self.size = (width, height);
        self
    }

    fn buffer(&mut self) -> (Buffer, Option<Position>) {
        let area = Rect::new(0, 0, self.size.0, self.size.1);
        let mut buffer = Buffer::empty(area);
        let cursor = self.ui.draw_on(area, &mut buffer, &self.bench.context());
        // Told with the first frame of each size; only its own test looks at it.
        let told = |command: &UiCommand| matches!(command, UiCommand::TerminalView { .. });
        self.ui.commands.retain(|command| !told(command));
        (buffer, cursor)
    }

    fn draw(&mut self) -> String {
        text(&self.buffer().0)
    }

    /// The row above the rule of the composer, if the agent is at something.
    fn activity(&mut self) -> String {
        let told = self.told();
        let drawn = self.draw();
        assert!(drawn.contains(told.trim_end()), "{told}: {drawn}");
        told
    }

    /// The same, whether it is covered or not.
    fn told(&mut self) -> String {
        let width = usize::from(self.size.0);
        let now = self.bench.context();
        let row = self.ui.look.activity(0, &now).row(width);
        let spans = row.map(|row| row.line.spans).unwrap_or_default();
        spans.iter().map(|span| span.content.as_ref()).collect()
    }

    fn status(&mut self) -> String {
        self.draw().lines().last().unwrap_or_default().to_owned()
    }

    fn cursor(&mut self) -> Option<Position> {
        self.buffer().1
    }

    /// One key after the other, each read by itself and drawn; what came of them.
    fn press(&mut self, names: &str) -> Vec<UiCommand> {
        let mut commands = Vec::new();
        for name in names.split_whitespace() {
            let chord = Chord::parse(name).unwrap_or_else(|error| panic!("{error}"));
            let event = Input::Key(chord.event());
            commands.extend(self.ui.handle(&[event], &self.bench.context()));
            self.buffer();
        }
        commands
    }

    /// Types text key by key, a while apart.
    fn types(&mut self, text: &str) -> Vec<UiCommand> {
        let mut commands = Vec::new();
        for c in text.chars() {
            self.bench.wait(50);
            let name = match c {
                ' ' => "space".to_owned(),
                c => c.to_string(),
            };
            commands.extend(self.press(&name));
        }
        commands
    }

    /// Keys read in one go.
    fn press_together(&mut self, names: &str) -> Vec<UiCommand> {
        let events: Vec<Input> = names
            .split_whitespace()
            .map(|name| Chord::parse(name).unwrap_or_else(|error| panic!("{error}")))
            .map(|chord| Input::Key(chord.event()))
            .collect();
        self.ui.handle(&events, &self.bench.context())
    }

    /// Draws, and lets guards and messages go by.
    fn settle(&mut self) {
        self.draw();
        self.bench.wait(400);
    }

    /// Lets the reducer have what came of a key.
    fn apply(&mut self, commands: Vec<UiCommand>) {
        for command in commands {
            if let UiCommand::Session(event) = command {
                self.bench.event(event);
            }
        }
    }

    fn draft(&self) -> String {
        self.ui.draft_text()
    }
}

fn kinds(commands: &[UiCommand]) -> Vec<String> {
    commands
        .iter()
        .map(|command| {
            let text = format!("{command:?}");
            let end = text.find([' ', '{']).unwrap_or(text.len());
            text[..end].to_owned()
        })
        .collect()
}

fn stops(commands: &[UiCommand]) -> bool {
    matches!(commands, [UiCommand::Session(Event::Stop)])
}

fn quits(commands: &[UiCommand]) -> bool {
    matches!(commands, [UiCommand::Quit])
}

fn turn_ends(bench: &mut Bench, reason: StopReason) {
    bench.says(crate::model::FromAgent::Reply {
        caller: crate::model::SessionKey::default(),
        call: CallTag::Prompt {
            session: Bench::session_id(),
        },
        result: CallResult::PromptDone(reason, None),
    });
}
