//! What wide characters leave behind.
//!
//! A wide character covers the cell after its own, of which ratatui's buffers know only that it is
//! blank. Where narrow text takes the wide one's place and that cell stays blank, the diff finds no
//! change and leaves it to the terminal to clear the second half. Not every terminal does.

use ratatui::{
    buffer::{Buffer, CellDiffOption, CellWidth},
    layout::Position,
};

/// Where the last frame had wide characters.
#[derive(Debug, Default)]
pub struct WideCells(Vec<Position>);

impl WideCells {
    /// Makes the diff send the second half of each wide character that `next` no longer has.
    pub fn clear_halves(&mut self, next: &mut Buffer) {
        for at in std::mem::take(&mut self.0) {
            let gone = next.cell(at).is_some_and(|cell| cell.cell_width() < 2);
            let half = Position { x: at.x + 1, ..at };
            if let Some(half) = next.cell_mut(half).filter(|_| gone) {
                half.set_diff_option(CellDiffOption::AlwaysUpdate);
            }
        }
        let cells = next.content().iter().enumerate();
        // One byte is never wide, and nearly every cell is one byte.
        let wide = cells.filter(|(_, cell)| cell.symbol().len() > 1 && cell.cell_width() > 1);
        self.0
            .extend(wide.map(|(n, _)| Position::from(next.pos_of(n))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws one line after the other; gives what is sent for the last.
    fn sent(lines: &[&str]) -> Vec<(u16, String)> {
        let mut wide = WideCells::default();
        let mut shown = Buffer::with_lines(["      "]);
        let mut sent = Vec::new();
        for line in lines {
            let mut next = Buffer::with_lines([format!("{line:<6}")]);
            next.resize(shown.area);
            wide.clear_halves(&mut next);
            let diff = shown.diff_iter(&next);
            sent = diff.map(|(x, _, c)| (x, c.symbol().to_owned())).collect();
            shown = next;
        }
        sent
    }

    fn cells(cells: &[(u16, &str)]) -> Vec<(u16, String)> {
        cells.iter().map(|(x, c)| (*x, (*c).to_owned())).collect()
    }

    #[test]
    fn the_second_half_of_a_wide_character_is_cleared() {
        assert_eq!(sent(&["a日", "a"]), cells(&[(1, " "), (2, " ")]));
        assert_eq!(sent(&["a日", "ax"]), cells(&[(1, "x"), (2, " ")]));
    }

    #[test]
    fn a_wide_character_that_moves_leaves_no_half() {
        assert_eq!(sent(&["a日", "本"]), cells(&[(0, "本"), (2, " ")]));
        assert_eq!(sent(&["日", "a本"]), cells(&[(0, "a"), (1, "本")]));
    }

    #[test]
    fn what_stays_is_not_sent_again() {
        assert_eq!(sent(&["a日b", "a日b"]), cells(&[]));
        assert_eq!(sent(&["a日", "a", "a", "a"]), cells(&[]));
        assert_eq!(sent(&["a日", "a本"]), cells(&[(1, "本")]));
    }
}
