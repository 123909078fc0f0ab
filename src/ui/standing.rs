//! How a session stands, in one sign: for lists and tabs.
//!
//! Owns the sign and its colour. The words for it are each list's own.

use ratatui::style::Style;

use crate::{
    session::{Phase, Session},
    ui::theme::{Symbols, Theme},
};

/// How a session stands, the most urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Waits,
    Failed,
    Works,
    /// At rest behind something that was said.
    Done,
    /// Nothing was said in it yet.
    Fresh,
    /// Not open.
    Stored,
}

impl Standing {
    pub fn of(session: &Session) -> Self {
        if session.waits_for_person() {
            Self::Waits
        } else if matches!(session.phase, Phase::Failed { .. }) {
            Self::Failed
        } else if session.is_at_work() {
            Self::Works
        } else if session.has_conversation() {
            Self::Done
        } else {
            Self::Fresh
        }
    }

    /// One cell wide.
    pub fn sign(self, symbols: &Symbols) -> &'static str {
        match self {
            Self::Waits => symbols.asking,
            Self::Failed => symbols.failed,
            Self::Works => symbols.pending,
            Self::Done => symbols.done,
            Self::Fresh => " ",
            Self::Stored => symbols.ended,
        }
    }

    pub fn style(self, theme: &Theme) -> Style {
        match self {
            Self::Waits => theme.warning.bold(),
            Self::Failed => theme.error,
            Self::Works => theme.accent,
            Self::Done => theme.success,
            Self::Fresh | Self::Stored => theme.dim,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::cell_width;

    #[test]
    fn each_has_a_sign_of_one_cell_that_no_other_has() {
        use Standing::{Done, Failed, Fresh, Stored, Waits, Works};
        for symbols in [&Symbols::UNICODE, &Symbols::ASCII] {
            let all = [Waits, Failed, Works, Done, Fresh, Stored].map(|one| one.sign(symbols));
            let different: std::collections::BTreeSet<&str> = all.into_iter().collect();
            assert_eq!(different.len(), all.len(), "{all:?}");
            assert!(all.iter().all(|sign| cell_width(sign) == 1), "{all:?}");
        }
    }
}
