//! A file of which no lines are shown: why, and what was said of it as a whole.

use ratatui::{buffer::Buffer, layout::Rect};

use super::pane::Pane;
use crate::{
    text::SafeText,
    ui::{
        comments::{Comments, Subject, Target, Wanted, bodies},
        render::{RenderContext, Row, draw_rows, line::StyledLine, split_top},
    },
};

impl Pane {
    /// What a comment on the file would be about.
    pub(super) fn whole(path: &std::path::Path, name: &SafeText, comments: &Comments) -> Target {
        match comments.of_whole(path) {
            Some(comment) => Target::Known(comment.id),
            None => Target::New(Subject::of_file(path, name)),
        }
    }

    /// Draws why there are no lines, with the comments of the file and the room of one that is written below.
    pub(super) fn draw_said(
        &mut self,
        why: &str,
        (comments, writing): (&Comments, Option<(&Wanted, u16)>),
        area: Rect,
        buf: &mut Buffer,
        ctx: &RenderContext<'_>,
    ) {
        let said = StyledLine::styled(why, ctx.theme.dim);
        let mut rows = said.wrap(area.width.max(1).into());
        let Some(path) = self.shown_path() else {
            return draw_rows(&rows, area, buf);
        };
        let wanted = writing.map(|(wanted, _)| wanted);
        let notes = bodies(path, comments, wanted).into_iter();
        let notes: Vec<Row> = notes.flat_map(|body| body.rows(ctx)).collect();
        let below = writing.filter(|(wanted, _)| wanted.about.path == path);
        if below.is_some() || !notes.is_empty() {
            rows.push(Row::default());
        }
        rows.extend(notes);
        // What is written is in sight, however much was said.
        let wanted = below.map_or(0, |(_, rows)| rows.min(area.height));
        rows.truncate(usize::from(area.height - wanted));
        draw_rows(&rows, area, buf);
        let above = u16::try_from(rows.len()).unwrap_or(area.height);
        let room = Rect {
            height: wanted,
            ..split_top(area, above).1
        };
        self.free = Some(room).filter(|room| !room.is_empty());
    }
}
