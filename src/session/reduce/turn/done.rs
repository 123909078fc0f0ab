//! The row that ends a turn: how long the agent worked, and how many files it changed.

use std::{collections::BTreeSet, time::Duration};

use crate::{
    model::ToolContent,
    session::{BlockKind, ToolState},
    text::SafeText,
};

use super::super::Step;

/// A turn of less is over before anybody asks.
const TOLD_FROM: Duration = Duration::from_secs(1);

/// Blocks from the end in which changed files are looked for. What a longer turn changed is not counted
/// rather than counted wrong.
const LOOKED_AT: usize = 2_000;

impl Step<'_> {
    /// What is told at the end of the open turn; nothing of a short one, and where no one reads it.
    pub(super) fn worked(&self) -> Option<SafeText> {
        let turn = self.session.turn.as_ref()?;
        let took = self.now.saturating_duration_since(turn.started);
        if took < TOLD_FROM || !turn.prompted || self.session.config.unattended {
            return None;
        }
        let mut text = format!("Worked for {}", shown(took));
        match self.changed_files() {
            None | Some(0) => {}
            Some(1) => text.push_str(" · 1 file changed"),
            Some(files) => text.push_str(&format!(" · {files} files changed")),
        }
        Some(SafeText::line(&text))
    }

    /// Files that calls of this turn changed, as they tell; `None` where that is too much to look at.
    fn changed_files(&self) -> Option<usize> {
        let blocks = self.conversation().transcript.blocks();
        let mut files = BTreeSet::new();
        for (seen, block) in blocks.iter().rev().enumerate() {
            if seen == LOOKED_AT {
                return None;
            }
            match &block.kind {
                BlockKind::User(message) if message.steered.is_none() => break,
                BlockKind::Tool(call) if call.state == ToolState::Completed => {
                    files.extend(call.content.iter().filter_map(|piece| match piece {
                        ToolContent::Diff(diff) => Some(diff.path.as_str()),
                        _ => None,
                    }));
                }
                _ => {}
            }
        }
        Some(files.len())
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
