//! Notices about an agent's dialect: that it is understood, and what to set in its profile.

use crate::{
    model::{Dialect, DialectHint, DialectRow, RawJson},
    session::{BlockId, BlockKind, NoticeLevel, Phase},
    text::{SafeText, first_bytes},
};

use super::super::Step;

/// Bytes of an update that are quoted where it cannot be read.
const MAX_QUOTED: usize = 120;

/// What this connection has shown so far.
#[derive(Debug, Default)]
pub struct Heard {
    detected: Vec<DialectRow>,
    /// Rows that it seems to need; each advice names all of them.
    wanted: Vec<DialectRow>,
    /// A notice said that an update cannot be read.
    unreadable: bool,
    /// The one notice that tells them all.
    notice: Option<BlockId>,
}

impl Step<'_> {
    /// Another process may speak another dialect.
    pub fn forget_dialect(&mut self) {
        self.session.inner.dialect = Heard::default();
    }

    pub fn dialect(&mut self, hint: DialectHint) {
        if let DialectHint::Detected(row) = hint {
            return self.detected(row);
        }
        let heard = &mut self.session.inner.dialect;
        let seen = [&heard.detected[..], &heard.wanted].concat();
        if let DialectHint::Wanted(row) = hint {
            heard.wanted.push(row);
        }
        let known = self.session.config.dialect.and(Dialect::of_rows(&seen));
        let Some(advice) = hint.advice(known) else {
            return;
        };
        let lines: Vec<String> = advice.lines.iter().map(ToString::to_string).collect();
        if self.session.config.unattended {
            // Long lines are cut there: each advice gets its own line, with what to do first.
            for (at, line) in lines.iter().enumerate() {
                let text = match at {
                    0 => format!(
                        "set {line} in its profile: it seems to need {}",
                        advice.wants
                    ),
                    _ => format!("or set {line} there"),
                };
                self.say(NoticeLevel::Warning, SafeText::line(&text));
            }
            return;
        }
        let text = format!(
            "the agent seems to need {}: set {} in its profile",
            advice.wants,
            lines.join(" or ")
        );
        // Where it does not start, the composer's row names the key.
        let text = match self.session.phase {
            Phase::Starting { .. } | Phase::Failed { .. } => text,
            _ => format!("{text}, then F5 restarts it"),
        };
        self.say(NoticeLevel::Warning, SafeText::line(&text));
    }

    /// An update that does not say what it is: `run` would drop it without a sign, so the first one gets
    /// a notice. Whether notices are given.
    pub fn tell_unreadable(&mut self, raw: &RawJson) -> bool {
        if !self.session.config.unattended {
            return false;
        }
        if !std::mem::replace(&mut self.session.inner.dialect.unreadable, true) {
            let text = format!(
                "an update from the agent cannot be read: {}",
                first_bytes(&raw.0, MAX_QUOTED)
            );
            self.say(NoticeLevel::Warning, SafeText::line(&text));
        }
        true
    }

    /// What a notice says of a mode that cannot be set, where the profile could name them (D-24).
    pub fn modes_to_name(&self) -> Option<&'static str> {
        let spoken = self.session.config.dialect.names(DialectRow::ModeParam);
        let unnamed = self.session.config.modes.is_none() && self.session.mode_option().is_none();
        (spoken && unnamed).then_some(NAME_MODES)
    }

    fn detected(&mut self, row: DialectRow) {
        let heard = &mut self.session.inner.dialect;
        heard.detected.push(row);
        let profile = self.session.config.dialect;
        let line = profile.and(Dialect::of_rows(&heard.detected)).line();
        let detail = format!("to state this, set in its profile: {line}");
        if self.session.config.unattended {
            // Each in its own line: what was written is not taken back.
            let text = format!(
                "an older dialect of ACP is understood: {} (\"{}\")",
                row.what(),
                row.name()
            );
            self.notice_with_detail(
                NoticeLevel::Info,
                SafeText::line(&text),
                SafeText::line(&detail),
            );
            return;
        }
        let whats: Vec<_> = heard.detected.iter().map(|row| row.what()).collect();
        let text = format!(
            "the agent speaks an older dialect of ACP, which is understood: {}",
            whats.join("; ")
        );
        let known = heard.notice;
        // Quiet: it must not cut a message in two.
        let kind = BlockKind::notice(
            NoticeLevel::Quiet,
            SafeText::line(&text),
            Some(SafeText::line(&detail)),
        );
        match known {
            Some(id) if self.conversation().has(id) => self.conversation_mut().replace(id, kind),
            _ => {
                let id = self.push(kind);
                self.session.inner.dialect.notice = Some(id);
                self.toast("an older dialect of ACP was detected: see the transcript");
            }
        }
    }
}

/// The advice where an agent has modes and does not say so.
const NAME_MODES: &str =
    "agents of this dialect do not list theirs: set modes = [\"…\"] in its profile";
