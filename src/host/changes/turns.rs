//! What was touched since a turn began, where the look that belongs to its start comes later.
//!
//! No prompt waits for a look. So an agent may have changed files before that look has come to them, and they
//! would count as changed before the turn. Times of files tell: what was touched after the turn had begun is
//! its work, and what stood there before is what the look before it has seen. Where none has seen it, that is
//! not known.

use std::{
    collections::VecDeque,
    path::Path,
    sync::{Mutex, PoisonError},
};

use super::{
    log::Delta,
    look::path_of,
    read,
    table::{Table, UNSURE},
    walk,
};
use crate::{
    host::Roots,
    model::{CauseKind, Content, FileState, Left},
};

/// Times of files are that much behind the clock.
const BEHIND: u64 = 10_000_000;

/// Turns that have begun and whose first look is due, oldest first: when they began, in nanoseconds since
/// 1970.
#[derive(Debug, Default)]
pub struct Turns(Mutex<VecDeque<u64>>);

/// Of one look: what was touched since the first of these belongs to its turn, what was touched since the
/// second to a turn whose look comes later.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moments {
    pub began: Option<u64>,
    pub later: Option<u64>,
}

impl Turns {
    /// To be called before the prompt goes out, and once for each look at a turn's start.
    pub fn begin(&self) {
        let now = walk::now().saturating_sub(BEHIND);
        self.due().push_back(now);
    }

    /// The look at the start of the oldest one is over, whatever came of it.
    pub fn looked(&self) {
        self.due().pop_front();
    }

    pub(super) fn moments(&self, kind: CauseKind) -> Moments {
        let due = self.due();
        let at = |at: usize| due.get(at).copied();
        match kind {
            CauseKind::TurnStart => Moments {
                began: at(0),
                later: at(1),
            },
            _ => Moments {
                began: None,
                later: at(0),
            },
        }
    }

    fn due(&self) -> std::sync::MutexGuard<'_, VecDeque<u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Moments {
    /// Takes out what belongs to the turn that has begun, and leaves for a later look what belongs to that.
    pub fn divide(self, roots: &Roots, table: &Table, deltas: &mut Vec<Delta>) -> Vec<Delta> {
        let mut own = Vec::new();
        let Some(first) = self.began.or(self.later) else {
            return own;
        };
        let mut kept = Vec::with_capacity(deltas.len());
        for mut delta in std::mem::take(deltas) {
            let touched = touched(roots, &delta);
            if touched < first || is_known(table, &delta) {
                kept.push(delta);
            } else if self.later.is_some_and(|later| touched >= later) {
                kept.extend(unseen(delta));
            } else {
                if delta.before.is_none() {
                    delta.before = unseen_state(&delta.after);
                }
                own.push(delta);
            }
        }
        *deltas = kept;
        own
    }
}

/// Only its stamp is new.
fn is_known(table: &Table, delta: &Delta) -> bool {
    delta.before.is_none() && table.get(&delta.path).is_some()
}

/// When it was touched last; of what is gone, when something in its folder came or went.
fn touched(roots: &Roots, delta: &Delta) -> u64 {
    if delta.after != FileState::Absent {
        return delta.touched;
    }
    let mut above = path_of(&delta.path).ancestors().skip(1);
    above
        .find_map(|folder: &Path| read::folder(roots, folder))
        .map_or(0, |meta| meta.listed())
}

/// What a look leaves for a later one. A file that none has seen is noted as there, but for what it holds.
fn unseen(delta: Delta) -> Option<Delta> {
    if delta.before.is_some() {
        return None;
    }
    Some(Delta {
        after: unseen_state(&delta.after).unwrap_or(delta.after),
        stamp: UNSURE,
        ..delta
    })
}

fn unseen_state(state: &FileState) -> Option<FileState> {
    match state {
        FileState::File { mode, .. } => Some(FileState::File {
            content: Content::Left(Left::Unseen, 0),
            size: 0,
            mode: *mode,
            binary: false,
        }),
        FileState::Absent | FileState::Folder | FileState::Link { .. } => None,
    }
}
