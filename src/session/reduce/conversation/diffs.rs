//! Diffs of tool calls, compared with the disk: see [`CallDiffs`](crate::session::CallDiffs).

use crate::{
    model::{Claims, Compared, Comparison, Patch, ToolContent, ToolKind},
    session::{BlockId, BlockKind, Effect, Question, Shown, ToolCall, ToolState},
};

use super::super::Step;
use super::{bounds::MAX_TOOL_ITEMS, tools::PatchSource};

impl Step<'_> {
    /// Has a call's claims compared, if they are not known yet; before a question in any case: by
    /// then another call may have changed the file.
    pub fn compare(&mut self, block: BlockId, by: PatchSource) {
        // A replay shows the diffs as the agent tells them: the files have changed since.
        let replaying = self.is_replaying();
        let cwd = self.cwd().to_owned();
        let inside = self.subagent_id().cloned();
        let Some(BlockKind::Tool(call)) = self.conversation_mut().transcript.edit_quietly(block)
        else {
            return;
        };
        if by == PatchSource::Ours || !call.diffs.has_claims() {
            return;
        }
        // What is asked about has not begun, whatever its state: some agents have it in progress by
        // then (opencode).
        let fresh = by == PatchSource::Asked;
        let late = !fresh && call.state != ToolState::Pending;
        if !replaying && let Some((ticket, claims)) = call.diffs.ask(fresh) {
            self.effects.push(Effect::Compare(Box::new(Comparison {
                of: Compared::Call {
                    inside,
                    block: block.0,
                    ticket,
                },
                cwd,
                claims,
                fresh,
                late,
            })));
        } else if !call.state.is_open() || replaying {
            let freed = call.diffs.rest();
            self.conversation_mut().shrink(freed);
        }
    }

    pub fn compared(&mut self, block: BlockId, ticket: u64, shown: Option<Shown>) {
        let changed = self.conversation_mut().edit(block, |kind| {
            let BlockKind::Tool(call) = kind else {
                return None;
            };
            let changed = call.diffs.answered(ticket, shown, &mut call.content);
            call.content.truncate(MAX_TOOL_ITEMS);
            Some(changed.then(|| call.content.clone()))
        });
        let Some(Some(content)) = changed else {
            return;
        };
        if let Some(content) = content {
            let inside = self.subagent_id().cloned();
            for question in &mut self.session.questions {
                if let Question::Permission(question) = question
                    && (question.block, &question.subagent) == (block, &inside)
                {
                    if question.subject.content != content {
                        question.revision += 1;
                    }
                    question.subject.content.clone_from(&content);
                }
            }
        }
        self.compare(block, PatchSource::Updated);
    }
}

impl ToolCall {
    /// Takes new content and raw input of a call in.
    pub(in crate::session) fn settle(
        &mut self,
        content: Option<Vec<ToolContent>>,
        claims: Patch<Claims>,
    ) {
        let is_diff = |piece: &ToolContent| matches!(piece, ToolContent::Diff(_));
        let raw = match claims {
            Patch::Keep => None,
            Patch::Clear => Some(Claims::default()),
            Patch::Set(claims) => Some(claims),
        };
        let mut all = std::mem::take(&mut self.content);
        let asked = self.was_asked_about();
        // A diff that was answered stays visible where the agent replaces it by no other (opencode: "Wrote
        // file successfully.").
        let stays = |content: &[ToolContent]| {
            asked && all.iter().any(is_diff) && !content.iter().any(is_diff)
        };
        let has_command = self.command.is_some();
        let deletes = self.kind == ToolKind::Delete;
        let tells = |raw: &Claims| !raw.list.is_empty() || (deletes && raw.only_path.is_some());
        let tells = raw.as_ref().is_some_and(tells);
        let has_raw = raw.is_some();
        if let Some(raw) = raw.filter(|_| tells || !asked) {
            self.diffs.set_raw(raw);
        }
        match content {
            Some(content) if stays(&content) => {
                all.retain(is_diff);
                all.extend(content);
                if tells {
                    self.diffs
                        .settle_raw(&mut all, self.kind, has_command, &self.locations);
                }
            }
            Some(content) => {
                all = content;
                self.diffs
                    .settle(&mut all, self.kind, has_command, &self.locations);
            }
            // The kind may be known only now.
            None if (has_raw && (tells || !asked))
                || (self.diffs.has_raw() && !all.iter().any(is_diff)) =>
            {
                self.diffs
                    .settle_raw(&mut all, self.kind, has_command, &self.locations);
            }
            None => {}
        }
        self.content = all;
    }
}
