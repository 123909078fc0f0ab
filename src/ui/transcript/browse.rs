//! Browsing block by block (tab on an empty composer), and what can be done with the selected one.

use std::sync::Arc;

use super::{Move, TranscriptView, items::Item, layout::Shown, select::Spot};
use crate::{
    config::Thoughts,
    model::{Diff, ImageData, TerminalId, ToolContent},
    session::{Block, BlockId, BlockKind, Event, Session, Subagent, ToolCall},
    text::SafeText,
    ui::{
        blocks::{Detail, FileLocation, Frame, Source, draw, view},
        render::Row,
    },
    vt::Screens,
};

impl TranscriptView {
    /// Selects the newest block on the screen; `false` if there is none.
    pub fn browse_enter(&mut self) -> bool {
        let newest = self
            .shown
            .iter()
            .rev()
            .find(|shown| shown.rows.len() > shown.skip)
            .and_then(|shown| self.items.get(shown.item));
        self.selected = newest.map(|item| item.id);
        self.selected.is_some()
    }

    pub fn browse_exit(&mut self) {
        self.selected = None;
    }

    pub fn is_browsing(&self) -> bool {
        self.selected.is_some()
    }

    /// Selects the block `step` blocks below, or above, and brings it into view.
    pub fn browse_by(&mut self, step: isize) {
        let Some(mut at) = self.selected_index() else {
            return;
        };
        // A block without rows (a blank thought) cannot be selected.
        while let Some(next) = at.checked_add_signed(step)
            && let Some(item) = self.items.get(next)
        {
            at = next;
            if item.stale || item.heights.total() > 0 {
                let id = item.id;
                self.selected = Some(id);
                self.ask(Move::Show(id));
                return;
            }
        }
    }

    /// Folds or unfolds the selected block.
    pub fn toggle_fold(&mut self, source: &Source<'_>) {
        if let Some(index) = self.selected_index() {
            self.fold(index, source);
        }
    }

    /// A click on the first row of a block folds or unfolds it; false where there is nothing to fold.
    pub fn fold_at(&mut self, spot: Spot, source: &Source<'_>) -> bool {
        let Ok(index) = self
            .items
            .binary_search_by_key(&spot.block(), |item| item.id)
        else {
            return false;
        };
        let Some(block) = source.transcript.blocks().get(index) else {
            return false;
        };
        let settings = self.settings.map(|settings| settings.thoughts);
        let now = self.detail(index, block, settings.unwrap_or(Thoughts::Auto), source);
        let folds = spot.is_row(0, self.gap_of(index)) && view(&block.kind).next_detail(now) != now;
        if folds {
            self.fold(index, source);
        }
        folds
    }

    fn fold(&mut self, index: usize, source: &Source<'_>) {
        let Some(block) = source.transcript.blocks().get(index) else {
            return;
        };
        let thoughts = self.settings.map(|settings| settings.thoughts);
        let now = self.detail(index, block, thoughts.unwrap_or(Thoughts::Auto), source);
        let Some(item) = self.items.get_mut(index) else {
            return;
        };
        item.detail = Some(view(&block.kind).next_detail(now));
        item.stale = true;
        let id = item.id;
        self.touched(Some(id));
        self.folding = Some((id, now));
        self.rest_on_header(Some(index));
        self.ask(Move::Show(id));
    }

    /// A block whose next detail looks the same goes on to one that differs: each key press shows
    /// something.
    pub(super) fn finish_fold(&mut self, frame: &Frame<'_>) {
        let Some((id, before)) = self.folding.take() else {
            return;
        };
        let Ok(index) = self.items.binary_search_by_key(&id, |item| item.id) else {
            return;
        };
        let (Some(block), Some(item)) = (
            frame.source.transcript.blocks().get(index),
            self.items.get_mut(index),
        ) else {
            return;
        };
        let shown = all_rows(block, item, before, frame);
        while let Some(next) = item.detail.filter(|next| *next != before)
            && shown.is_some()
            && all_rows(block, item, next, frame) == shown
        {
            item.detail = Some(view(&block.kind).next_detail(next));
        }
    }

    /// The block that is browsed, which `y` copies.
    pub fn browsed<'a>(&self, session: &'a Session) -> Option<&'a Block> {
        self.selected_in(session)
    }

    /// What `o` opens: the file that the block names first.
    pub fn selected_location(&self, session: &Session) -> Option<FileLocation> {
        view(&self.selected_in(session)?.kind).location()
    }

    /// The block's images; and whether there is nothing else in it.
    pub fn selected_images(&self, session: &Session) -> (Vec<(SafeText, ImageData)>, bool) {
        let Some(block) = self.selected_in(session) else {
            return (Vec::new(), false);
        };
        let images = view(&block.kind).images();
        let alone = matches!(block.kind, BlockKind::Content(_)) && !images.is_empty();
        (images, alone)
    }

    /// What `d` shows: the block's diffs; empty if it has none.
    pub fn selected_diffs(&self, session: &Session) -> Vec<Arc<Diff>> {
        let call = self.selected_call(session).into_iter();
        let content = call.flat_map(|call| &call.content);
        content.filter_map(ToolContent::diff).cloned().collect()
    }

    /// What `t` attaches to, and `enter` in full shows: the block's first terminal.
    pub fn selected_terminal(&self, session: &Session) -> Option<TerminalId> {
        let mut content = self.selected_call(session)?.content.iter();
        content.find_map(ToolContent::terminal).cloned()
    }

    /// What `x` stops, where that is one call or terminal of the agent (V2-CAN-02).
    pub fn selected_work(&self, session: &Session) -> Option<Event> {
        let call = self.selected_call(session)?;
        if session.can_cancel_call(call) {
            let id = call.id.clone();
            return Some(Event::CancelToolCall { of: None, id });
        }
        let terminals = call.content.iter().filter_map(ToolContent::terminal);
        let mut terminals = terminals.filter(|id| session.can_cancel_terminal(id));
        let id = terminals.next()?.clone();
        Some(Event::CancelTerminal { of: None, id })
    }

    /// Whether the selected block is a tool call of the agent's.
    pub fn selects_call(&self, session: &Session) -> bool {
        self.selected_call(session)
            .is_some_and(|call| !call.by_person)
    }

    /// The selected subagent, which `x` stops.
    pub fn selected_subagent<'a>(&self, session: &'a Session) -> Option<&'a Subagent> {
        match &self.selected_in(session)?.kind {
            BlockKind::Subagent(id) => session.subagents.get(id),
            _ => None,
        }
    }

    /// The block of the subagent that the selected call links to, if that stands here (V1-TOOL-11).
    pub fn linked_subagent(&self, session: &Session) -> Option<BlockId> {
        let call = self.selected_call(session)?;
        call.content.iter().find_map(|piece| match piece {
            ToolContent::Session(id) => {
                let subagent = session.subagents.get(id)?;
                // The block of a nested subagent is in its parent's conversation.
                let here = subagent.parent.is_none();
                let block = Some(subagent.block).filter(|_| here)?;
                session
                    .conversation
                    .transcript
                    .index_of(block)
                    .map(|_| block)
            }
            _ => None,
        })
    }

    /// Selects a block and brings it into view.
    pub fn browse_to(&mut self, block: BlockId) {
        self.selected = Some(block);
        self.ask(Move::Show(block));
    }

    /// The whole block for the text viewer, raw JSON included: a title and the text.
    pub fn selected_full_text(
        &self,
        session: &Session,
        screens: &Screens,
    ) -> Option<(SafeText, SafeText)> {
        let view = view(&self.selected_in(session)?.kind);
        let source = Source::new(session, screens);
        let text = view.full_text(&source);
        Some((view.title(&source), SafeText::new(&text)))
    }

    fn selected_in<'a>(&self, session: &'a Session) -> Option<&'a Block> {
        session.conversation.transcript.get(self.selected?)
    }

    fn selected_call<'a>(&self, session: &'a Session) -> Option<&'a ToolCall> {
        match &self.selected_in(session)?.kind {
            BlockKind::Tool(call) => Some(call),
            _ => None,
        }
    }

    pub(super) fn selected_index(&self) -> Option<usize> {
        let id = self.selected?;
        self.items.binary_search_by_key(&id, |item| item.id).ok()
    }

    /// Brings an item into view with as little movement as possible; its beginning if it is too
    /// long for the screen.
    pub(super) fn show(&mut self, block: BlockId, frame: &Frame<'_>) {
        let Ok(index) = self.items.binary_search_by_key(&block, |item| item.id) else {
            return;
        };
        self.prepare(index, frame);
        let Some(segments) = self.items.get(index).map(|item| item.heights.len().max(1)) else {
            return;
        };
        let first = self.shown.first().map_or(0, |shown| shown.item);
        let starts_above = first > index
            || self.shown.first().is_some_and(|shown| {
                shown.item == index && (shown.segment > 0 || shown.skip > self.gap_of(index))
            });
        if starts_above {
            self.put_top(index, 0, self.gap_of(index));
            return;
        }
        let rows_to_end: usize = self
            .shown
            .iter()
            .take_while(|shown| shown.item <= index)
            .map(Shown::len)
            .sum();
        let complete = self.shown.iter().any(|shown| {
            shown.item > index || (shown.item, shown.segment + 1) == (index, segments)
        });
        if complete && rows_to_end <= self.height {
            return;
        }
        // Its end goes to the bottom, unless that moves its beginning above the top.
        let last = segments - 1;
        let end = self.rows(index, last, frame).len();
        let (item, segment, row) = self.above(index, last, end, self.height, frame);
        if item < index {
            self.put_top(item, segment, row);
        } else {
            self.put_top(index, 0, self.gap_of(index));
        }
    }
}

/// The rows of a block; `None` if it is long, and while they will change
/// without an event.
fn all_rows(block: &Block, item: &Item, detail: Detail, frame: &Frame<'_>) -> Option<Vec<Row>> {
    let view = view(&block.kind);
    if view.is_long() {
        return None;
    }
    let mut rows = Vec::new();
    for segment in 0..view.segments(detail, &frame.source) {
        let rendered = draw(block, item.gap, &item.part(segment, detail), frame);
        if rendered.provisional {
            return None;
        }
        rows.extend(rendered.rows);
    }
    Some(rows)
}
