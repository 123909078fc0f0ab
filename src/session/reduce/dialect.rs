//! What is said of an agent's dialect: that it is understood, and what its profile should have.

use crate::{
    proto::{DialectHint, DialectRow},
    session::{BlockId, NoticeLevel},
    text::SafeText,
};

use super::{Step, notices::notice};

/// What this connection has shown so far.
#[derive(Debug, Default)]
pub(super) struct Heard {
    detected: Vec<DialectRow>,
    /// The one notice that tells them all.
    notice: Option<BlockId>,
}

impl Step<'_> {
    /// Another process may speak otherwise.
    pub(super) fn forget_dialect(&mut self) {
        self.session.inner.dialect = Heard::default();
    }

    pub(super) fn dialect(&mut self, hint: DialectHint) {
        match hint {
            DialectHint::Detected(row) => self.detected(row),
            DialectHint::Threads => self.speaks_threads(),
            DialectHint::Wanted(row) => {
                let text = format!(
                    "the agent may want an older dialect of ACP, {}: set dialect = [\"auto\", \
                     \"{}\"] in its profile",
                    row.what(),
                    row.name()
                );
                self.say(NoticeLevel::Warning, SafeText::line(&text));
            }
        }
    }

    /// D-43
    fn speaks_threads(&mut self) {
        let text = "the agent seems to speak the thread protocol that came before ACP: set protocol = \
                    \"threads\" in its profile, and F5 starts it again";
        self.say(NoticeLevel::Warning, text.into());
    }

    fn detected(&mut self, row: DialectRow) {
        let heard = &mut self.session.inner.dialect;
        heard.detected.push(row);
        let whats: Vec<_> = heard.detected.iter().map(|row| row.what()).collect();
        let names = heard
            .detected
            .iter()
            .map(|row| format!("\"{}\"", row.name()));
        let names: Vec<_> = std::iter::once("\"auto\"".to_owned())
            .chain(names)
            .collect();
        let text = format!(
            "the agent speaks an older dialect of ACP, which is understood: {}",
            whats.join("; ")
        );
        let detail = format!(
            "to say so, set in its profile: dialect = [{}]",
            names.join(", ")
        );
        let known = heard.notice;
        // Quiet: it comes amid what is being said.
        let kind = notice(
            NoticeLevel::Quiet,
            SafeText::line(&text),
            Some(SafeText::line(&detail)),
        );
        match known {
            Some(id) if self.session.transcript.index_of(id).is_some() => self.replace(id, kind),
            _ => {
                let id = self.push(kind);
                self.session.inner.dialect.notice = Some(id);
                self.toast("an older dialect of ACP was detected: see the transcript");
            }
        }
    }
}
