//! The input of drawing a frame.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use crate::{
    config::{DiffLayout, Thoughts, UiConfig},
    model::{SessionId, TerminalId},
    session::{Session, Subagents, TerminalInfo, Transcript},
    ui::render::RenderContext,
    vt::Screens,
};

/// The state that the transcript is drawn from.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    pub transcript: &'a Transcript,
    pub subagents: &'a Subagents,
    /// The session, and the session or subagent whose transcript this is.
    pub root: Option<&'a SessionId>,
    pub here: Option<&'a SessionId>,
    pub terminals: &'a BTreeMap<TerminalId, TerminalInfo>,
    pub cwd: &'a Path,
    pub directories: &'a [PathBuf],
    pub screens: &'a Screens,
}

impl<'a> Source<'a> {
    pub fn new(session: &'a Session, screens: &'a Screens) -> Self {
        Self {
            transcript: &session.conversation.transcript,
            subagents: &session.subagents,
            root: session.id.as_ref(),
            here: session.id.as_ref(),
            terminals: &session.terminals,
            cwd: &session.config.cwd,
            directories: &session.config.additional_directories,
            screens,
        }
    }
}

/// The settings of the transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    pub thoughts: Thoughts,
    pub diff: DiffLayout,
    pub motion: bool,
}

impl From<&UiConfig> for Settings {
    fn from(config: &UiConfig) -> Self {
        Self {
            thoughts: config.thoughts,
            diff: config.diff,
            motion: config.motion,
        }
    }
}

/// The source, the settings, and the state of spinners and clocks.
#[derive(Clone, Copy)]
pub struct Frame<'a> {
    pub source: Source<'a>,
    pub settings: Settings,
    /// Its width is that of the rows.
    pub ctx: RenderContext<'a>,
    pub tick: Tick,
    /// The segment holds the match that find is at: its line (from 0) in what was searched. It is drawn.
    pub found: Option<usize>,
}

/// The time for signs that turn and clocks, in seconds; it stands still without motion. What turns
/// faster stands above the composer.
#[derive(Clone, Copy, Debug)]
pub struct Tick {
    pub count: u64,
    /// When the next one comes.
    pub next: Option<Instant>,
}

impl Tick {
    /// Ticks since `epoch`.
    pub fn at(now: Instant, epoch: Instant, motion: bool) -> Self {
        const MILLIS: u64 = 1_000;
        if !motion {
            return Self {
                count: 0,
                next: None,
            };
        }
        let since = now.saturating_duration_since(epoch).as_millis();
        let since = u64::try_from(since).unwrap_or(u64::MAX);
        Self {
            count: since / MILLIS,
            next: Some(now + Duration::from_millis(MILLIS - since % MILLIS)),
        }
    }
}

impl Frame<'_> {
    /// The spinner's current frame; `None` without motion.
    pub fn spinner(&self) -> Option<&'static str> {
        let frames = self.ctx.symbols.spinner;
        let at = usize::try_from(self.tick.count).unwrap_or(0) % frames.len().max(1);
        frames.get(at).copied().filter(|_| self.settings.motion)
    }
}
