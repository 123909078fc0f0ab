//! The row above the composer while the agent works: what it does now, for how long, the key that
//! stops it, how much waits behind it. Parts that do not fit are omitted, the least important first.
//!
//! It is the only thing that turns, and the only place that tells what the agent is at. In a viewer,
//! which leaves no room for it, the status line shows it.

use std::time::{Duration, Instant};

use crate::{
    model::{EntityKind, WorkState},
    session::{Block, BlockKind, Phase, SILENCE, Session, Turn, TurnPhase},
    text::{SafeText, first_bytes},
    ui::{
        action::Action,
        blocks::doing,
        keymap::Keymap,
        overlay::agent_name,
        render::{Row, format::elapsed_seconds, line::StyledLine},
        theme::{Symbols, Theme},
    },
};

/// Time between two pictures of the spinner. Each is about 40 bytes to the terminal, which may be far
/// away: a second of it stays below 200.
pub const SPINNER_STEP: Duration = Duration::from_millis(300);

/// Blocks from the end among which what runs is looked for: a turn may have thousands.
const LOOKED_AT: usize = 64;

/// Bytes of what a call works on that can be of use in one row.
const OBJECT_BYTES: usize = 1_000;

/// Cells that what is done now keeps before the parts behind it are omitted.
const MIN_DOING: usize = 12;

/// Cells from which a silent turn tells two times.
const BOTH_TIMES_FROM: usize = 60;

/// What the row is drawn from.
#[derive(Clone, Copy)]
pub struct Activity<'a> {
    pub session: Option<&'a Session>,
    /// A replay: no key stops anything.
    pub read_only: bool,
    pub keymap: &'a Keymap,
    pub theme: &'a Theme,
    pub symbols: &'a Symbols,
    pub motion: bool,
    /// Prompts in the queue that have no row of their own.
    pub queued: usize,
    pub now: Instant,
}

/// What goes on, in parts.
struct Doing {
    sign: StyledLine,
    what: StyledLine,
    /// When it began; `None` where no time is told.
    since: Option<Instant>,
    silent: Option<Duration>,
    /// What the key that stops does now.
    stops: Option<&'static str>,
}

impl Activity<'_> {
    /// The row, at most `width` cells; `None` while nothing goes on, and where the person is asked.
    pub fn row(&self, width: usize) -> Option<Row> {
        let line = self.line(width.saturating_sub(1))?;
        Some(line.truncate(width, self.symbols.ellipsis))
    }

    /// There is something to tell.
    pub fn goes_on(&self) -> bool {
        self.doing().is_some()
    }

    /// What goes on, in words alone.
    pub fn said(&self) -> Option<String> {
        self.doing()
            .map(|doing| doing.what.truncate(usize::MAX, "").line.to_string())
    }

    /// The same for another row that it shares: at most `width` cells.
    pub fn line(&self, width: usize) -> Option<StyledLine> {
        let doing = self.doing()?;
        let theme = self.theme;
        // Where there is little room, how long nothing came says more.
        let clock = self.motion && (doing.silent.is_none() || width >= BOTH_TIMES_FROM);
        let clock = doing.since.filter(|_| clock).map(|since| {
            let took = self.now.saturating_duration_since(since);
            StyledLine::styled(&elapsed_seconds(took), theme.dim)
        });
        let silent = doing.silent.map(|silence| {
            // Without motion no time counts up.
            let silence = if self.motion { silence } else { SILENCE };
            let text = format!("no word for {}", elapsed_seconds(silence));
            StyledLine::styled(&text, theme.warning)
        });
        let key = self.keymap.hint(Action::Stop);
        let stops = doing.stops.filter(|_| !key.is_empty() && !self.read_only);
        let stops = stops.map(|what| {
            StyledLine::styled(&key, theme.key_hint).with(&format!(" {what}"), theme.dim)
        });
        let queued = (self.queued > 0)
            .then(|| StyledLine::styled(&format!("{} queued", self.queued), theme.dim));
        // From what is omitted last to what goes first.
        let mut behind: Vec<StyledLine> = [clock, silent, stops, queued]
            .into_iter()
            .flatten()
            .collect();
        let separator = format!(" {} ", self.symbols.separator);
        let wanted = doing.sign.width() + doing.what.width().min(MIN_DOING);
        let of = |parts: &[StyledLine]| -> usize {
            parts
                .iter()
                .map(|part| part.width() + separator.len())
                .sum()
        };
        while wanted + of(&behind) > width && behind.pop().is_some() {}
        let mut line = doing.sign.clone();
        let room = width.saturating_sub(line.width() + of(&behind));
        for span in doing.what.truncate(room, self.symbols.ellipsis).line {
            line.push(&span.content, span.style);
        }
        for part in &behind {
            line.push(&separator, theme.dim);
            line.extend(part);
        }
        Some(line)
    }

    fn doing(&self) -> Option<Doing> {
        let session = self.session?;
        if let (true, Some(turn)) = (self.read_only, &session.turn) {
            return Some(self.busy(turn.started, self.at_work(session)));
        }
        match (&session.phase, &session.turn) {
            _ if self.read_only => None,
            (Phase::Starting { since }, _) => {
                let text = format!("Starting {}", agent_name(Some(session)));
                Some(self.busy(*since, self.plain(&text)))
            }
            (Phase::Opening { since, replaying }, _) => {
                let text = match replaying {
                    true => "Loading the session",
                    false => "Opening a session",
                };
                Some(self.busy(*since, self.plain(text)))
            }
            (Phase::Ready, Some(turn)) => self.of_turn(turn, session),
            _ => None,
        }
    }

    /// The state of an open turn.
    fn of_turn(&self, turn: &Turn, session: &Session) -> Option<Doing> {
        let still = |sign: &str, text: &str, stops| Doing {
            sign: StyledLine::styled(&format!("{sign} "), self.theme.warning.bold()),
            what: StyledLine::styled(text, self.theme.warning),
            since: None,
            silent: None,
            stops: Some(stops),
        };
        match turn.phase {
            TurnPhase::Cancelling { slow: true, .. } => {
                Some(still("!", "Not stopping", "abandons"))
            }
            TurnPhase::Cancelling { since, slow: false } => {
                Some(self.busy(since, self.plain("Stopping")))
            }
            // The question says it.
            TurnPhase::Running if session.shown_question().is_some() => None,
            // The agent does not know whether it is working: no spinner (V2-STATE-03).
            TurnPhase::Running if session.work == Some(WorkState::Unknown) => Some(Doing {
                sign: StyledLine::styled(&format!("{} ", self.symbols.pending), self.theme.dim),
                what: StyledLine::styled("State unknown", self.theme.dim),
                since: None,
                silent: None,
                stops: Some("stops"),
            }),
            // Nothing was asked here.
            TurnPhase::Running if session.work == Some(WorkState::RequiresAction) => {
                Some(still(self.symbols.asking, "Waiting for you", "interrupts"))
            }
            TurnPhase::Running => Some(Doing {
                silent: session.silent_for(self.now),
                stops: Some("interrupts"),
                ..self.busy(turn.started, self.at_work(session))
            }),
        }
    }

    /// Without motion there is a sign that stands still, and no clock.
    fn busy(&self, since: Instant, what: StyledLine) -> Doing {
        let took = match self.motion {
            true => self.now.saturating_duration_since(since),
            false => Duration::ZERO,
        };
        let sign = match self.motion {
            true => frame(self.symbols.spinner, took),
            false => self.symbols.bullet,
        };
        Doing {
            sign: StyledLine::styled(&format!("{sign} "), self.theme.accent),
            what,
            since: Some(since),
            silent: None,
            stops: None,
        }
    }

    fn plain(&self, text: &str) -> StyledLine {
        StyledLine::styled(text, self.theme.text)
    }

    /// What an agent at work does, by what it last told.
    fn at_work(&self, session: &Session) -> StyledLine {
        if let Some(WorkState::Other(name)) = &session.work {
            let name = first_bytes(name.trim_start_matches('_'), OBJECT_BYTES);
            return self.plain(&capitalized(&SafeText::line(name)));
        }
        let blocks = session.conversation.transcript.blocks();
        let turn = blocks.iter().rev().take(LOOKED_AT).take_while(
            |block| !matches!(&block.kind, BlockKind::User(message) if message.steered.is_none()),
        );
        let mut running = turn.filter_map(|block| self.running(block, session));
        if let Some(mut first) = running.next() {
            let more = running.count();
            if more > 0 {
                first.push(&format!(" +{more} more"), self.theme.dim);
            }
            return first;
        }
        let text = match blocks.last().map(|block| &block.kind) {
            Some(BlockKind::Thought(thought)) if thought.took.is_none() => "Thinking",
            Some(BlockKind::Agent(message)) if !message.done => "Writing",
            _ => "Waiting for the agent",
        };
        self.plain(text)
    }

    /// What a block does that goes on by itself.
    fn running(&self, block: &Block, session: &Session) -> Option<StyledLine> {
        let of = |verb: &str, object: &str| {
            let object = SafeText::line(first_bytes(object, OBJECT_BYTES));
            self.plain(format!("{verb} {object}").trim_end())
        };
        match &block.kind {
            BlockKind::Tool(call) if call.is_running() && !call.by_person => {
                let (verb, object) = doing(call, &session.config.cwd);
                Some(of(verb, &object))
            }
            BlockKind::Subagent(id) => {
                let active = session
                    .subagents
                    .get(id)
                    .filter(|agent| agent.is_active())?;
                Some(of("Subagent:", &active.name()))
            }
            BlockKind::Entity(entity) if entity.kind.is_open() => match &entity.kind {
                EntityKind::Compaction(_) => Some(self.plain("Compacting the conversation")),
                EntityKind::SessionMessage(_) => None,
            },
            _ => None,
        }
    }

    /// When the row changes without an event: the spinner turns, a second has passed; without
    /// motion, when silence is reported.
    pub fn deadline(&self) -> Option<Instant> {
        let session = self.session?;
        let doing = self.doing()?;
        let since = doing.since?;
        if !self.motion {
            return session.silent_from().filter(|at| *at > self.now);
        }
        let passed = self.now.saturating_duration_since(since).as_millis();
        let next = u32::try_from(passed / SPINNER_STEP.as_millis() + 1).ok()?;
        Some(since + SPINNER_STEP * next)
    }
}

fn frame(spinner: &'static [&'static str], took: Duration) -> &'static str {
    let step = took.as_millis() / SPINNER_STEP.as_millis();
    let count = spinner.len().max(1);
    let at = usize::try_from(step % count as u128).unwrap_or(0);
    spinner.get(at).copied().unwrap_or(" ")
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    first.chain(chars.clone()).collect()
}
