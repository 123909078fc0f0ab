//! Notices: the client's own lines in the transcript.

use crate::{
    model::{AgentNotice, RawJson, RpcError},
    session::{BlockId, BlockKind, Effect, Notice, NoticeLevel},
    text::SafeText,
};

use super::super::{Step, connection::error_text};
use super::bounds::{MAX_ERROR_TEXT, MAX_TITLE, bounded};

/// What an update is called that does not say what it is.
const UNREADABLE: &str = "session/update";

impl Step<'_> {
    pub fn say(&mut self, level: NoticeLevel, text: SafeText) {
        self.push(BlockKind::notice(level, text, None));
    }

    /// A notice with a detail that shows when unfolded.
    pub fn notice_with_detail(&mut self, level: NoticeLevel, text: SafeText, detail: SafeText) {
        self.push(BlockKind::notice(level, text, Some(detail)));
    }

    /// `what`, and what the agent said about it; code and data on demand (V1-ERR-09).
    pub fn say_error(&mut self, level: NoticeLevel, what: &str, error: &RpcError) {
        let text = SafeText::new(&format!("{what}: {}", error_text::readable(error)));
        self.notice_with_detail(level, text, error_text::detail(error));
    }

    pub fn toast(&mut self, text: &str) {
        self.effects.push(Effect::Toast(SafeText::line(text)));
    }

    /// A live event, and no history: a replay has none (V1-NOTE-01).
    pub fn agent_notice(&mut self, notice: AgentNotice) {
        if !self.is_replaying() && !notice.title.trim().is_empty() {
            self.effects.push(Effect::Notice(AgentNotice {
                title: bounded(&notice.title, MAX_TITLE),
                description: notice
                    .description
                    .map(|description| bounded(&description, MAX_ERROR_TEXT)),
                ..notice
            }));
        }
    }

    /// Adds a block at the transcript's end. Ends the open message, unless it is a quiet notice, which
    /// must not cut a sentence in two.
    pub fn push(&mut self, kind: BlockKind) -> BlockId {
        let quiet =
            matches!(&kind, BlockKind::Notice(notice) if notice.level == NoticeLevel::Quiet);
        if !quiet {
            self.end_message();
        }
        self.conversation_mut().push_only(kind)
    }

    /// What no type of ours knows: one dim line, counted while it repeats (V1-UPD-10).
    pub fn unknown_update(&mut self, what: &SafeText, raw: &RawJson) {
        // An update of a kind that is not known here is ignored on purpose.
        if what.as_str() == UNREADABLE && self.tell_unreadable(raw) {
            return;
        }
        let detail = SafeText::new(&raw.0);
        let last = self.conversation().transcript.blocks().last();
        if let Some(block) = last
            && let BlockKind::Notice(Notice {
                level: NoticeLevel::Quiet,
                text,
                detail: Some(_),
                ..
            }) = &block.kind
            && let Some(count) = repeats(text, what)
        {
            let id = block.id;
            let text = SafeText::line(&format!("{what} (×{})", count + 1));
            self.conversation_mut().replace(
                id,
                BlockKind::notice(NoticeLevel::Quiet, text, Some(detail)),
            );
            return;
        }
        self.notice_with_detail(NoticeLevel::Quiet, what.clone(), detail);
    }
}

/// How often a notice has told `what`: `what`, or `what (×3)`.
fn repeats(notice: &str, what: &str) -> Option<u64> {
    match notice.strip_prefix(what)? {
        "" => Some(1),
        more => more.strip_prefix(" (×")?.strip_suffix(')')?.parse().ok(),
    }
}
