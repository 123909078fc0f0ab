//! The screen without the alternate screen: rows that are finished go into the terminal's own scrollback,
//! the live part below them is drawn again in place.
//!
//! Owns: the bytes for both, and where the cursor stands in the live part. All moves are relative to it:
//! the terminal is never asked where it is, and no scroll region is set, in which some terminals lose rows.
//! ratatui's inline viewport does ask, has one height for good, and inserts by scroll regions. What was
//! printed is never touched again.

use crossterm::{
    queue,
    style::{ContentStyle, SetStyle},
};
use ratatui::{
    backend::IntoCrossterm,
    buffer::{Buffer, Cell, CellWidth},
    layout::{Position, Rect, Size},
    style::{Color, Modifier, Style},
};

use crate::ui::{InlineFrame, render::Row, transcript::PlacedLink};

/// How a terminal changes its width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resizing {
    /// Rows that no longer fit go on in the next one.
    Wraps,
    /// What no longer fits is cut.
    Cuts,
}

impl Resizing {
    /// As the environment tells: most wrap; xterm, GNU screen, st and the console cut.
    pub fn of_environment(env: impl Fn(&str) -> Option<String>) -> Self {
        let is_set = |name| env(name).is_some_and(|value| !value.is_empty());
        let term = env("TERM").unwrap_or_default();
        // In tmux the outer terminal does not matter.
        let cuts = !is_set("TMUX")
            && (is_set("XTERM_VERSION")
                || is_set("STY")
                || term == "linux"
                || ["screen", "st-"].iter().any(|name| term.starts_with(name)));
        if cuts { Self::Cuts } else { Self::Wraps }
    }
}

/// What is on the terminal below what was printed.
pub struct Inline {
    resizing: Resizing,
    /// The live part as it was drawn last; `None` before, and after it was cleared.
    live: Option<Live>,
}

struct Live {
    rows: Buffer,
    /// The terminal's size when it was drawn.
    size: Size,
    /// Where the terminal's cursor stands.
    at: Position,
    visible: bool,
}

impl Inline {
    pub fn new(resizing: Resizing) -> Self {
        Self {
            resizing,
            live: None,
        }
    }

    /// Something else had the terminal: the live part is drawn where the cursor is.
    pub fn forget(&mut self) {
        self.live = None;
    }

    /// Rows of the live part are on the terminal.
    pub fn is_drawn(&self) -> bool {
        self.live.is_some()
    }

    /// What clears the live part; the cursor is where it began.
    pub fn clear(&mut self, size: Size) -> Vec<u8> {
        let mut out = Vec::new();
        if let Some(live) = self.live.take() {
            live.go_to_top(size, self.resizing, &mut out);
            out.extend_from_slice(b"\x1b[J\x1b[?25h");
        }
        out
    }

    /// What turns the terminal into that frame; nothing where it is that already.
    pub fn draw(&mut self, frame: &InlineFrame, size: Size) -> Vec<u8> {
        let mut out = Vec::new();
        let InlineFrame {
            printed,
            live: next,
            links,
            ..
        } = frame;
        let at = match self.live.take() {
            Some(live)
                if printed.is_empty() && live.size == size && live.rows.area == next.area =>
            {
                let mut at = live.at;
                patch(&live.rows, next, links, &mut at, &mut out);
                self.live = Some(live);
                at
            }
            Some(live) => {
                live.go_to_top(size, self.resizing, &mut out);
                let mut below = usize::from(live.rows.area.height);
                if live.size.width != size.width {
                    out.extend_from_slice(b"\x1b[J");
                    below = 0;
                }
                print(printed, next, links, below, &mut out)
            }
            None => {
                out.extend_from_slice(b"\r");
                print(printed, next, links, 0, &mut out)
            }
        };
        let before = self.live.as_ref().map(|live| live.visible);
        let visible = frame.cursor.is_some();
        let wanted = frame.cursor.unwrap_or(at);
        move_to(at, wanted, &mut out);
        if before != Some(visible) {
            out.extend_from_slice(if visible { b"\x1b[?25h" } else { b"\x1b[?25l" });
        }
        self.live = Some(Live {
            rows: next.clone(),
            size,
            at: wanted,
            visible,
        });
        out
    }
}

impl Live {
    /// To the first cell of the live part. A terminal that was made narrower has wrapped its rows.
    fn go_to_top(&self, size: Size, resizing: Resizing, out: &mut Vec<u8>) {
        let width = usize::from(size.width.max(1));
        let narrower = size.width < self.size.width && resizing == Resizing::Wraps;
        let above = (0..self.at.y).map(|y| match narrower {
            true => wrapped_rows(&self.rows, y, width),
            false => 1,
        });
        let mut above: usize = above.sum();
        if narrower {
            above += usize::from(self.at.x) / width;
        }
        // What is above the screen is not to be had.
        let above = above.min(usize::from(size.height.saturating_sub(1)));
        if above > 0 {
            out.extend_from_slice(format!("\x1b[{above}A").as_bytes());
        }
        out.push(b'\r');
    }
}

/// Rows that a row takes on a narrower terminal. A wide character does not go into half of its cells.
fn wrapped_rows(buf: &Buffer, y: u16, width: usize) -> usize {
    let (mut rows, mut used) = (1, 0);
    let mut x = 0;
    let end = written_end(buf, y);
    while x < end {
        let cells = buf.cell((x, y)).map_or(1, |cell| cell.cell_width().max(1));
        if used + usize::from(cells) > width {
            (rows, used) = (rows + 1, 0);
        }
        used += usize::from(cells);
        x += cells;
    }
    rows
}

/// Prints rows and the live part below them; the cursor is at the first cell of `below` rows that are to
/// go. Returns where it is then.
fn print(
    printed: &[Row],
    live: &Buffer,
    links: &[PlacedLink],
    below: usize,
    out: &mut Vec<u8>,
) -> Position {
    let width = live.area.width;
    for row in printed {
        let mut buf = Buffer::empty(Rect::new(0, 0, width, 1));
        buf.set_line(0, 0, &row.line, width);
        let links: Vec<_> = row
            .links
            .iter()
            .map(|link| PlacedLink {
                area: Rect::new(
                    link.columns.start,
                    0,
                    link.columns.end.saturating_sub(link.columns.start),
                    1,
                ),
                uri: link.uri.clone(),
            })
            .collect();
        whole_row(&buf, 0, &links, out);
        out.extend_from_slice(b"\r\n");
    }
    let mut end = 0;
    for y in live.area.top()..live.area.bottom() {
        if y > live.area.top() {
            out.extend_from_slice(b"\r\n");
        }
        end = whole_row(live, y, links, out);
    }
    if below > printed.len() + usize::from(live.area.height) {
        // There is a row below. Clearing from here would take the last cell of a full row.
        out.extend_from_slice(b"\x1b[B\r\x1b[J\x1b[A");
        end = 0;
    }
    Position::new(
        end.min(width.saturating_sub(1)),
        live.area.bottom().saturating_sub(1),
    )
}

/// One row from its first cell on; what stood behind it goes. Returns the column behind it.
fn whole_row(buf: &Buffer, y: u16, links: &[PlacedLink], out: &mut Vec<u8>) -> u16 {
    let end = written_end(buf, y);
    cells(buf, y, 0..end, links, out);
    if end < buf.area.width {
        out.extend_from_slice(b"\x1b[K");
    }
    end
}

/// Sends what differs between two live parts of one size.
fn patch(
    before: &Buffer,
    next: &Buffer,
    links: &[PlacedLink],
    at: &mut Position,
    out: &mut Vec<u8>,
) {
    for y in next.area.top()..next.area.bottom() {
        let differs = |x: &u16| before.cell((*x, y)) != next.cell((*x, y));
        let mut columns = 0..next.area.width;
        let Some(mut first) = columns.find(differs) else {
            continue;
        };
        let last = columns.rfind(differs).unwrap_or(first);
        let is_wide = |buf: &Buffer, x: u16| {
            let cell = buf.cell((x, y));
            cell.is_some_and(|cell| cell.symbol().len() > 1 && cell.cell_width() > 1)
        };
        // Half of a wide character is never sent or left.
        if first > 0 && (is_wide(before, first - 1) || is_wide(next, first - 1)) {
            first -= 1;
        }
        let wide = is_wide(before, last) || is_wide(next, last);
        let last = (last + 1 + u16::from(wide)).min(next.area.width);
        let end = written_end(next, y);
        move_to(*at, Position::new(first, y), out);
        cells(next, y, first..last.min(end), links, out);
        let mut x = last.min(end).max(first);
        if end < last {
            out.extend_from_slice(b"\x1b[K");
        } else {
            x = last;
        }
        *at = Position::new(x.min(next.area.width - 1), y);
    }
}

/// The column behind the last cell of a row that shows anything.
fn written_end(buf: &Buffer, y: u16) -> u16 {
    let shows = |cell: &Cell| {
        cell.symbol() != " "
            || cell.bg != Color::Reset
            || cell
                .modifier
                .intersects(Modifier::REVERSED | Modifier::UNDERLINED | Modifier::CROSSED_OUT)
    };
    let last = (0..buf.area.width)
        .rev()
        .find(|x| buf.cell((*x, y)).is_some_and(shows));
    last.map_or(0, |x| {
        let width = buf.cell((x, y)).map_or(1, |cell| cell.cell_width().max(1));
        (x + width).min(buf.area.width)
    })
}

/// The cells of a row in those columns, with their styles and links; the styles end with them.
fn cells(
    buf: &Buffer,
    y: u16,
    columns: std::ops::Range<u16>,
    links: &[PlacedLink],
    out: &mut Vec<u8>,
) {
    let plain = Style::new();
    let (mut style, mut uri) = (plain, None);
    let mut x = columns.start;
    while x < columns.end {
        let Some(cell) = buf.cell((x, y)) else { break };
        let link = links
            .iter()
            .find(|link| link.area.contains(Position { x, y }))
            .map(|link| &link.uri);
        if link != uri {
            // Renderers let no control character into a link.
            let to = link.map_or("", |uri| uri);
            out.extend_from_slice(format!("\x1b]8;;{to}\x1b\\").as_bytes());
            uri = link;
        }
        let wanted = style_of(cell);
        if wanted != style {
            out.extend_from_slice(b"\x1b[0m");
            if wanted != plain {
                let content: ContentStyle = wanted.into_crossterm();
                // Memory takes it.
                let _ = queue!(out, SetStyle(content));
            }
            style = wanted;
        }
        out.extend_from_slice(cell.symbol().as_bytes());
        x += cell.cell_width().max(1);
    }
    if uri.is_some() {
        out.extend_from_slice(b"\x1b]8;;\x1b\\");
    }
    if style != plain {
        out.extend_from_slice(b"\x1b[0m");
    }
}

/// What a cell is drawn with, less what is so anyway.
fn style_of(cell: &Cell) -> Style {
    let some = |colour: Color| (colour != Color::Reset).then_some(colour);
    Style {
        fg: some(cell.fg),
        bg: some(cell.bg),
        underline_color: some(cell.underline_color),
        add_modifier: cell.modifier,
        sub_modifier: Modifier::empty(),
    }
}

fn move_to(from: Position, to: Position, out: &mut Vec<u8>) {
    if to.y < from.y {
        out.extend_from_slice(format!("\x1b[{}A", from.y - to.y).as_bytes());
    } else if to.y > from.y {
        out.extend_from_slice(format!("\x1b[{}B", to.y - from.y).as_bytes());
    }
    if to != from {
        out.extend_from_slice(format!("\x1b[{}G", to.x + 1).as_bytes());
    }
}

#[cfg(test)]
mod tests;
