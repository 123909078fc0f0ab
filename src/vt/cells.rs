//! Cells to runs of one style.

use crate::text::SafeText;

/// Cells of one look, for the renderer to turn into a span.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    pub text: SafeText,
    pub style: CellStyle,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CellStyle {
    pub fg: Color,
    pub bg: Color,
    pub bold: bool,
    pub dim: bool,
    pub italic: bool,
    pub underline: bool,
    pub inverse: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Color {
    #[default]
    Default,
    Indexed(u8),
    Rgb(u8, u8, u8),
}

impl From<vt100::Color> for Color {
    fn from(color: vt100::Color) -> Self {
        match color {
            vt100::Color::Default => Self::Default,
            vt100::Color::Idx(index) => Self::Indexed(index),
            vt100::Color::Rgb(r, g, b) => Self::Rgb(r, g, b),
        }
    }
}

impl From<&vt100::Cell> for CellStyle {
    fn from(cell: &vt100::Cell) -> Self {
        Self {
            fg: cell.fgcolor().into(),
            bg: cell.bgcolor().into(),
            bold: cell.bold(),
            dim: cell.dim(),
            italic: cell.italic(),
            underline: cell.underline(),
            inverse: cell.inverse(),
        }
    }
}

impl CellStyle {
    /// Whether a blank in this style can be seen.
    fn shows_blank(self) -> bool {
        self.inverse || self.underline || self.bg != Color::Default
    }
}

/// Whether the row has anything to see.
pub(super) fn is_used(screen: &vt100::Screen, row: u16) -> bool {
    (0..screen.size().1.get())
        .filter_map(|col| screen.cell(row, col))
        .any(is_visible)
}

/// The runs of one row of the screen, without trailing blanks.
pub(super) fn runs(screen: &vt100::Screen, row: u16) -> Vec<Run> {
    let end = (0..screen.size().1.get())
        .rev()
        .find(|&col| screen.cell(row, col).is_some_and(is_visible))
        .map_or(0, |col| col + 1);
    let mut runs = Vec::new();
    let mut text = String::new();
    let mut style = CellStyle::default();
    for cell in (0..end).filter_map(|col| screen.cell(row, col)) {
        if cell.is_wide_continuation() {
            continue;
        }
        let own = CellStyle::from(cell);
        if own != style {
            close(&mut runs, &mut text, style);
            style = own;
        }
        text.push_str(if cell.has_contents() {
            cell.contents()
        } else {
            " "
        });
    }
    close(&mut runs, &mut text, style);
    runs
}

fn close(runs: &mut Vec<Run>, text: &mut String, style: CellStyle) {
    if !text.is_empty() {
        runs.push(Run {
            // The parser keeps no control characters; bidi and other format characters it does.
            text: SafeText::line(text),
            style,
        });
        text.clear();
    }
}

fn is_visible(cell: &vt100::Cell) -> bool {
    let blank = !cell.has_contents() || cell.contents() == " ";
    !blank || CellStyle::from(cell).shows_blank()
}
