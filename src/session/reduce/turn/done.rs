//! The row that ends a turn: how long the agent worked, what it changed, and when it ended.

use std::{collections::BTreeSet, time::Duration};

use crate::{
    model::{Diff, DiffText, RpcError, StopReason, ToolContent},
    session::{BlockId, BlockKind, Effect, NoticeLevel, ToolState},
    text::SafeText,
};

use super::super::{Step, connection::error_text};

/// A turn of less is over before anybody asks.
const TOLD_FROM: Duration = Duration::from_secs(1);

/// Blocks from the end in which changed files are looked for. What a longer turn changed is not counted
/// rather than counted wrong.
const LOOKED_AT: usize = 2_000;

/// Bytes of changes whose lines are counted, for the same reason.
const COUNTED: usize = 8 << 20;

/// How long a turn took, and what its calls say that it changed.
#[derive(Clone, Debug)]
pub struct Took {
    time: String,
    changed: Option<String>,
}

/// The row that ended the latest turn, whose parts come one after the other.
#[derive(Clone, Debug)]
pub struct Ended {
    row: BlockId,
    turn: u64,
    how: TurnEnd,
    took: Took,
    /// The local time.
    at: Option<SafeText>,
}

impl Ended {
    fn text(&self) -> SafeText {
        let Took { time, changed } = &self.took;
        let mut text = format!("{} {time}", self.how.verb());
        for part in changed.as_deref().into_iter().chain(self.at.as_deref()) {
            text.push_str(" · ");
            text.push_str(part);
        }
        SafeText::line(&text)
    }
}

/// How a turn ended, as its row says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnEnd {
    Worked,
    /// By the person.
    Stopped,
    Failed,
    /// For a reason that stands above.
    Ended,
}

impl TurnEnd {
    fn verb(self) -> &'static str {
        match self {
            Self::Worked => "Worked for",
            Self::Stopped => "Stopped after",
            Self::Failed => "Failed after",
            Self::Ended => "Ended after",
        }
    }

    fn level(self) -> NoticeLevel {
        match self {
            Self::Stopped => NoticeLevel::Info,
            Self::Worked | Self::Failed | Self::Ended => NoticeLevel::Quiet,
        }
    }
}

impl Step<'_> {
    /// What is told at the end of the open turn, behind how it ended; nothing of a short one, and where no
    /// one reads it.
    pub fn took(&self) -> Option<Took> {
        let turn = self.session.turn.as_ref()?;
        let took = self.now.saturating_duration_since(turn.started);
        if took < TOLD_FROM || !turn.prompted || self.session.config.unattended {
            return None;
        }
        Some(Took {
            time: shown(took),
            changed: self.changed().and_then(|changed| changed.told()),
        })
    }

    /// Puts that row at the end, and asks what time it is: the rules know no clock. `detail`: what the agent
    /// said to it, on demand.
    pub fn tell_took(&mut self, how: TurnEnd, took: &Took, detail: Option<SafeText>) {
        let mut ended = Ended {
            row: BlockId::default(),
            turn: self.session.inner.turn.number,
            how,
            took: took.clone(),
            at: None,
        };
        ended.row = self.push(BlockKind::notice(how.level(), ended.text(), detail));
        self.effects.push(Effect::TellTime(ended.row));
        self.session.inner.turn.ended = Some(ended);
    }

    /// The person stopped it: the row says so, of a short turn that word alone.
    pub(super) fn tell_stopped(&mut self, took: Option<&Took>, detail: Option<SafeText>) {
        match took {
            Some(took) => self.tell_took(TurnEnd::Stopped, took, detail),
            None => {
                let level = TurnEnd::Stopped.level();
                self.push(BlockKind::notice(level, "stopped".into(), detail));
            }
        }
    }

    /// What went wrong. The row that ends the turn says that it failed, where there is one.
    pub(super) fn tell_failed(&mut self, took: Option<&Took>, error: &RpcError) {
        let Some(took) = took else {
            return self.say_error(NoticeLevel::Error, "the turn failed", error);
        };
        let text = SafeText::new(&error_text::readable(error));
        self.notice_with_detail(NoticeLevel::Error, text, error_text::detail(error));
        self.tell_took(TurnEnd::Failed, took, None);
    }

    /// The local time at which the turn ended that this row is of.
    pub fn ended_at(&mut self, row: BlockId, time: &SafeText) {
        self.complete_row(
            |ended| ended.row == row,
            |ended| ended.at = Some(time.clone()),
        );
    }

    /// What was found on the disk after a turn: that holds, whatever its calls say. What they changed
    /// elsewhere is not looked at.
    pub fn turn_changed(&mut self, turn: u64, files: usize, lines: Option<(usize, usize)>) {
        let Some(found) = told(files, lines) else {
            return;
        };
        if self.session.inner.turn.number == turn {
            self.session.changed_files = files;
        }
        let rules = &self.session.inner.turn;
        let has_row = rules.ended.as_ref().is_some_and(|ended| ended.turn == turn);
        let is_last = self.session.turn.is_none() && rules.number == turn;
        let ended_well = self.session.last_stop == Some(StopReason::EndTurn);
        if !has_row && is_last && ended_well && !self.session.config.unattended {
            // It was short; that files changed is worth a row all the same.
            let took = Took {
                time: "less than 1s".to_owned(),
                changed: Some(found),
            };
            return self.tell_took(TurnEnd::Worked, &took, None);
        }
        self.complete_row(
            |ended| ended.turn == turn,
            |ended| ended.took.changed = Some(found),
        );
    }

    fn complete_row(&mut self, is_meant: impl Fn(&Ended) -> bool, add: impl FnOnce(&mut Ended)) {
        let ended = self.session.inner.turn.ended.as_mut();
        let Some(ended) = ended.filter(|ended| is_meant(ended)) else {
            return;
        };
        add(ended);
        let (row, text) = (ended.row, ended.text());
        self.conversation_mut().edit(row, |kind| {
            if let BlockKind::Notice(notice) = kind {
                notice.text = text;
            }
        });
    }

    /// What calls of this turn changed, as they tell; `None` where that is too much to look at.
    fn changed(&self) -> Option<Changed<'_>> {
        let blocks = self.conversation().transcript.blocks();
        let mut changed = Changed::default();
        for (seen, block) in blocks.iter().rev().enumerate() {
            if seen == LOOKED_AT {
                return None;
            }
            match &block.kind {
                BlockKind::User(message) if message.steered.is_none() => break,
                BlockKind::Tool(call) if call.state == ToolState::Completed => {
                    for piece in &call.content {
                        if let ToolContent::Diff(diff) = piece {
                            changed.add(diff);
                        }
                    }
                }
                _ => {}
            }
        }
        Some(changed)
    }
}

#[derive(Default)]
struct Changed<'a> {
    files: BTreeSet<&'a str>,
    added: usize,
    removed: usize,
    /// Bytes of the changes that were counted.
    bytes: usize,
    /// The lines of some change are not known.
    unknown: bool,
}

impl<'a> Changed<'a> {
    fn add(&mut self, diff: &'a Diff) {
        self.files.insert(&diff.path);
        self.bytes = self.bytes.saturating_add(diff.weight());
        if self.unknown || self.bytes > COUNTED {
            self.unknown = true;
            return;
        }
        match lines(diff) {
            Some((added, removed)) => {
                self.added += added;
                self.removed += removed;
            }
            None => self.unknown = true,
        }
    }

    fn told(&self) -> Option<String> {
        let lines = (!self.unknown).then_some((self.added, self.removed));
        told(self.files.len(), lines)
    }
}

/// `+18 −4 in 3 files`; without the lines where those of one change are not known, or there are none.
fn told(files: usize, lines: Option<(usize, usize)>) -> Option<String> {
    let files = match files {
        0 => return None,
        1 => "1 file".to_owned(),
        files => format!("{files} files"),
    };
    Some(match lines {
        Some((added, removed)) if added + removed > 0 => format!("+{added} −{removed} in {files}"),
        _ => format!("{files} changed"),
    })
}

/// Lines that a change adds and removes, where it says so itself. Texts that were not compared with the
/// file do not.
fn lines(diff: &Diff) -> Option<(usize, usize)> {
    match &diff.text {
        DiffText::Sides { old: None, new } => Some((new.lines().count(), 0)),
        DiffText::Sides {
            old: Some(old),
            new,
        } => match (old.is_empty(), new.is_empty()) {
            (true, _) => Some((new.lines().count(), 0)),
            (_, true) => Some((0, old.lines().count())),
            _ => (old == new).then_some((0, 0)),
        },
        DiffText::Patch(patch) => {
            // Names stand before the first hunk, with the same signs.
            let mut hunks = patch.lines().skip_while(|line| !line.starts_with("@@"));
            hunks.next()?;
            let (mut added, mut removed) = (0, 0);
            for line in hunks {
                added += usize::from(line.starts_with('+'));
                removed += usize::from(line.starts_with('-'));
            }
            Some((added, removed))
        }
        DiffText::None => None,
    }
}

/// `41s`, `1m 05s`, `2h 03m`.
fn shown(took: Duration) -> String {
    let seconds = took.as_secs();
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h {:02}m", seconds / 3_600, seconds / 60 % 60),
    }
}
