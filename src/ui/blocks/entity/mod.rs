//! Entities: a header, each kind's own, and below it their content, the same for all kinds.

mod compaction;
mod session_message;

use super::{
    BlockView, Detail, Frame, Part, Searched, Source,
    content::{pieces_text, render_piece, searched_piece},
    rows::FULL_ROWS,
};
use crate::{
    config::Thoughts,
    model::{Entity, EntityKind},
    ui::{
        offload::Offload,
        render::{Rendered, Row},
    },
};

/// A kind of entity as it is shown.
trait EntityView {
    /// With its article, as a fault in drawing it is reported: `a compaction`.
    fn name(&self) -> &'static str;

    /// The rows above the content; `unfolded`: the content is shown.
    fn header(&self, entity: &Entity, unfolded: bool, frame: &Frame<'_>) -> Vec<Row>;

    /// The same as plain text.
    fn header_text(&self, source: &Source<'_>) -> String;

    /// Rows of each piece of content that are shown unless it is unfolded; 0: the header alone.
    fn short_rows(&self) -> usize {
        0
    }
}

fn view(entity: &Entity) -> &dyn EntityView {
    match &entity.kind {
        EntityKind::Compaction(compaction) => compaction,
        EntityKind::SessionMessage(message) => message,
    }
}

/// Rows of each piece of content; 0: the header alone.
fn room(entity: &Entity, detail: Detail) -> usize {
    match detail {
        Detail::Header => 0,
        Detail::Short => view(entity).short_rows(),
        Detail::Full => FULL_ROWS,
    }
}

impl BlockView for Entity {
    fn name(&self) -> &'static str {
        view(self).name()
    }

    fn draw(&self, part: &Part<'_>, frame: &Frame<'_>) -> Rendered {
        let room = room(self, part.detail);
        match part.segment.checked_sub(1) {
            None => view(self).header(self, room > 0, frame).into(),
            Some(piece) => render_piece(&self.content, piece, room, &frame.ctx),
        }
    }

    fn text(&self, source: &Source<'_>) -> String {
        let header = view(self).header_text(source);
        match self.content.is_empty() {
            true => header,
            false => format!("{header}\n{}", pieces_text(&self.content)),
        }
    }

    fn searched<'a>(&'a self, source: &Source<'a>, _: &Offload) -> Option<Vec<Searched<'a>>> {
        let header = Searched::plain(0, view(self).header_text(source));
        let pieces = self.content.iter().enumerate();
        let pieces = pieces.map(|(at, piece)| searched_piece(1 + at, piece));
        Some([header].into_iter().chain(pieces).collect())
    }

    fn usual_detail(&self, _: Thoughts, _: &Source<'_>) -> Detail {
        match view(self).short_rows() {
            0 => Detail::Header,
            _ => Detail::Short,
        }
    }

    fn segments(&self, detail: Detail, _: &Source<'_>) -> usize {
        match room(self, detail) {
            0 => 1,
            _ => 1 + self.content.len(),
        }
    }

    fn has_body(&self, detail: Detail, _: &Source<'_>) -> bool {
        room(self, detail) > 0 && !self.content.is_empty()
    }

    fn moves(&self, segment: usize, _: &Source<'_>) -> bool {
        segment == 0 && self.kind.is_open()
    }
}
