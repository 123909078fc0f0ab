//! A click in the draft places the caret.

use ratatui::layout::{Position, Rect};

use super::{
    Composer,
    buffer::Caret,
    draw::{GUTTER, byte_at},
};

impl Composer {
    /// Puts the caret where `at` is in the last picture, which was drawn into `area`; behind a row's last
    /// character, where the row ends before it.
    pub fn click(&mut self, area: Rect, at: Position) {
        if area.is_empty() {
            return;
        }
        let rows = self.seen_rows(area.height.into());
        let wanted = usize::from(at.y.saturating_sub(area.y));
        let Some((line, row, _)) = rows.get(wanted).or(rows.last()).cloned() else {
            return;
        };
        let column = usize::from(at.x.saturating_sub(area.x + GUTTER));
        let of_line = self.rows_of(line);
        let text = self.buffer.line(line);
        let byte = byte_at(text, &of_line, row, column, self.room, &self.chips);
        self.place_caret(Caret { line, byte });
    }
}
