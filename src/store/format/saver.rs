//! What to write of a changing session, and when.
//!
//! A chunk is not a line: the text of a message since the last write becomes one, so that it is
//! copied once, however many chunks it came in. A running tool call is written less and less often,
//! since agents send its whole content again and again.

use std::{
    collections::BTreeMap,
    path::Path,
    time::{Duration, Instant},
};

use super::{
    line::{About, KeptWorktree, Line, Turn},
    plan::Pinned,
    track::{MAX_DELAY, Track, When},
};
use crate::{
    model::SessionId,
    session::{Block as Said, BlockId, BlockKind, Phase, Session, Transcript},
    text::SafeText,
};

/// Changes are written after this time, prompts and ends of turns at once. A crash costs this much
/// of an answer. It can be short, since only the end of a turn waits for the disk.
const DELAY: Duration = Duration::from_millis(300);

/// The delay while the disk is behind.
const BEHIND: Duration = Duration::from_secs(2);

/// Bytes of an agent's name for a session. It stands in the first line of the file, which must be small enough to be
/// found in a list of all: of a longer one the conversation is stored, and can be read, but its agent cannot go on.
const MAX_ID: usize = 4 << 10;

/// Lines to be written together.
#[derive(Debug, Default)]
pub struct Batch {
    pub lines: Vec<Line>,
    /// They are all there is: what the file held is to go.
    pub replace: bool,
    /// They must outlive a loss of power.
    pub sync: bool,
}

/// What a saver needs to continue a stored session.
#[derive(Debug, Default)]
pub struct GoingOn {
    pub about: About,
    /// The id of the next block.
    pub next_id: u64,
    /// Subagents by the agent's id, the number of the conversation, and the id of its next block.
    pub children: Vec<(SessionId, u64, u64)>,
    /// The number of the next one's.
    pub next_child: u64,
    /// The plans that are not done.
    pub plans: Vec<Pinned>,
    /// The last turn was cut off.
    pub cut: bool,
}

/// Follows one session. It writes nothing before the first message: a session that was only opened
/// leaves no file, and one that was only reopened does not change its file.
#[derive(Debug)]
pub struct Saver {
    agent: String,
    /// Milliseconds since 1970.
    started: u64,
    begun: bool,
    about: Option<About>,
    main: Track,
    children: BTreeMap<SessionId, Child>,
    next_child: u64,
    /// To be written first: the turn before was cut off.
    cut: bool,
    in_turn: bool,
    /// The last block that was looked at.
    last: Option<BlockId>,
    /// That a turn began is written.
    turn_said: bool,
    due: Option<Instant>,
}

#[derive(Debug)]
struct Child {
    number: u64,
    /// Its block: a subagent that was forgotten and came again has another one.
    block: BlockId,
    track: Track,
}

impl Saver {
    /// Of a new session with the agent of that profile.
    pub fn new(agent: String, started: u64) -> Self {
        Self {
            agent,
            started,
            begun: false,
            about: None,
            main: Track::default(),
            children: BTreeMap::new(),
            next_child: 1,
            cut: false,
            in_turn: false,
            last: None,
            turn_said: false,
            due: None,
        }
    }

    /// Of one that is stored, is shown in `session`, and goes on in the same file.
    pub fn going_on(stored: GoingOn, session: &Session) -> Self {
        let mut saver = Self::new(stored.about.agent.clone(), stored.about.started);
        saver.main = Track::behind(&session.conversation.transcript, stored.next_id);
        saver.main.plans = stored.plans;
        saver.next_child = stored.next_child.max(1);
        saver.last = session
            .conversation
            .transcript
            .blocks()
            .last()
            .map(|block| block.id);
        saver.cut = stored.cut;
        saver.about = Some(stored.about);
        for (id, number, next_id) in stored.children {
            if let Some(subagent) = session.subagents.get(&id) {
                let child = Child {
                    number,
                    block: subagent.block,
                    track: Track::behind(&subagent.conversation.transcript, next_id),
                };
                saver.children.insert(id, child);
            }
        }
        saver
    }

    /// When [`Saver::take`] is to be called next; `None` for an idle session.
    pub fn due(&self) -> Option<Instant> {
        self.due
    }

    /// The session may have changed. Cheap: it is called with each batch of chunks.
    pub fn changed(&mut self, session: &Session, now: Instant) {
        let turned = self.in_turn != session.turn.is_some();
        if turned && !is_replaying(session) {
            self.due = Some(now);
        } else if session.conversation.transcript.rev() != self.main.seen
            || self.is_renamed(session)
        {
            self.due.get_or_insert(now + DELAY);
        }
    }

    /// The lines to write now. `t` is the time in milliseconds since 1970; `last`: this is the last
    /// call.
    pub fn take(&mut self, session: &Session, now: Instant, t: u64, last: bool) -> Batch {
        self.due = None;
        let mut batch = Batch::default();
        let transcript = &session.conversation.transcript;
        // If the replay fails, the transcript before it comes back (V1-SES-09).
        if is_replaying(session) {
            return batch;
        }
        if transcript.generation() != self.main.generation {
            self.main = Track::anew(transcript);
            self.children.clear();
            self.next_child = 1;
            self.cut = false;
            self.turn_said = false;
            self.last = transcript.blocks().last().map(|block| block.id);
            batch.replace = true;
        }
        if !self.begun && !self.is_worth_keeping(transcript.blocks()) {
            return batch;
        }
        self.begun = true;
        // A turn may begin and end between two looks.
        let ended = session.turn.is_none() && (self.in_turn || self.was_prompted(transcript));
        self.last = transcript.blocks().last().map(|block| block.id);
        self.in_turn = session.turn.is_some();
        let whole = last || ended;

        let about = self.about_now(session);
        // Also at the end of each turn, so that it is near the end of the file.
        if batch.replace || ended || self.about.as_ref() != Some(&about) {
            batch.lines.push(Line::about(t, about.clone()));
            self.about = Some(about);
        }
        if std::mem::take(&mut self.cut) {
            batch.lines.push(Line::turn(t, Turn::CUT_OFF));
        }
        if self.in_turn && !std::mem::replace(&mut self.turn_said, true) {
            batch.lines.push(Line::turn(t, Turn::BEGINS));
        }
        let numbers = self.number_subagents(session);
        let when = When {
            now,
            t,
            whole,
            subagents: &session.subagents,
            numbers: &numbers,
        };
        self.main
            .take(&session.conversation, &when, &mut batch.lines);
        for (id, child) in &mut self.children {
            if let Some(subagent) = session.subagents.get(id) {
                let mut lines = Vec::new();
                child.track.take(&subagent.conversation, &when, &mut lines);
                let lines = lines.into_iter().map(|line| line.of(child.number));
                batch.lines.extend(lines);
            }
        }
        if ended {
            self.turn_said = false;
            let stop = session
                .last_stop
                .as_ref()
                .map(|reason| SafeText::line(reason.as_str()));
            batch.lines.push(Line::turn(t, Turn::ended(stop)));
        }
        batch.sync = whole && !batch.lines.is_empty();
        let children = self.children.values().map(|child| &child.track);
        let tracks = std::iter::once(&self.main).chain(children);
        self.due = tracks.filter_map(Track::due).min();
        batch
    }

    /// Gives each subagent that is known its number, and forgets the others.
    fn number_subagents(&mut self, session: &Session) -> BTreeMap<SessionId, u64> {
        let known = &session.subagents;
        self.children
            .retain(|id, child| known.get(id).is_some_and(|s| s.block == child.block));
        for subagent in known.iter() {
            if !self.children.contains_key(&subagent.id) {
                let child = Child {
                    number: self.next_child,
                    block: subagent.block,
                    track: Track::anew(&subagent.conversation.transcript),
                };
                self.next_child += 1;
                self.children.insert(subagent.id.clone(), child);
            }
        }
        let numbers = self.children.iter();
        numbers
            .map(|(id, child)| (id.clone(), child.number))
            .collect()
    }

    /// The disk is behind: write later.
    pub fn postpone(&mut self, now: Instant) {
        self.due = Some(now + BEHIND);
    }

    /// The last batch did not reach the disk: everything of this run is written again.
    pub fn failed(&mut self, now: Instant) {
        self.about = None;
        self.turn_said = false;
        self.main.failed();
        for child in self.children.values_mut() {
            child.track.failed();
        }
        self.due = Some(now + MAX_DELAY);
    }

    /// Something was asked since the last time.
    fn was_prompted(&self, transcript: &Transcript) -> bool {
        let blocks = transcript.blocks().iter().rev();
        let mut new = blocks.take_while(|block| Some(block.id) > self.last);
        new.any(|block| matches!(block.kind, BlockKind::User(_)))
    }

    fn is_worth_keeping(&self, blocks: &[Said]) -> bool {
        let new = blocks
            .iter()
            .rev()
            .take_while(|block| block.id >= self.main.first);
        let mut new = new.map(|block| &block.kind);
        new.any(|kind| !matches!(kind, BlockKind::Notice(_)))
    }

    fn is_renamed(&self, session: &Session) -> bool {
        self.begun
            && self.about.as_ref().is_some_and(|about| {
                (&about.title, about.own_title) != (&session.title, session.own_title)
                    || session.branch.is_some() && about.branch != session.branch
                    || about.session.as_deref() != name_of(session)
            })
    }

    fn about_now(&self, session: &Session) -> About {
        let before = self.about.as_ref();
        About {
            agent: self.agent.clone(),
            agent_name: session.agent_name().clone(),
            cwd: session.config.cwd.to_string_lossy().into_owned(),
            // While it is being reopened the agent has not named it yet.
            session: match &session.id {
                Some(_) => name_of(session).map(str::to_owned),
                None => before.and_then(|about| about.session.clone()),
            },
            title: session.title.clone(),
            own_title: session.own_title,
            branch: session
                .branch
                .clone()
                .or_else(|| before.and_then(|about| about.branch.clone())),
            worktree: session.config.worktree.as_ref().map(|worktree| {
                let text = |path: &Path| path.to_string_lossy().into_owned();
                KeptWorktree {
                    top: text(&worktree.top),
                    project: text(&worktree.project),
                    branch: worktree.branch.clone(),
                }
            }),
            started: self.started,
        }
    }
}

/// The agent's name for it, as far as it is stored.
fn name_of(session: &Session) -> Option<&str> {
    let id = session.id.as_ref().map(SessionId::as_str);
    id.filter(|id| id.len() <= MAX_ID)
}

fn is_replaying(session: &Session) -> bool {
    matches!(
        session.phase,
        Phase::Opening {
            replaying: true,
            ..
        }
    )
}
