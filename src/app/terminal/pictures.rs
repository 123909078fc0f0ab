//! Images on the terminal: which of them it has been sent, and what stands for them.
//!
//! The UI draws an image in half blocks and tells where. Here its cells are replaced by what makes the terminal draw
//! pixels: for kitty's protocol characters that stand for parts of an image, once that has been sent, a piece
//! with each frame; for the others the image itself, where all of it is to be seen. So half blocks are what there
//! is until then, and where a dialog or the edge of the screen covers a part.

use std::{
    collections::{HashMap, VecDeque},
    num::NonZeroU16,
    sync::{Mutex, PoisonError},
};

use ratatui::{
    buffer::{Buffer, CellDiffOption},
    layout::Rect,
    style::{Color, Modifier},
};

use super::diacritics::DIACRITICS;
use crate::{
    picture::{Drawn, Half, PLACEHOLDER, Sent},
    ui::transcript::PlacedPicture,
};

/// Bytes of images that are sent with one frame, about: what is typed meanwhile waits for no more.
const PIECE: usize = 16 << 10;

/// Ids are colours of the palette, which every terminal hands on unchanged, but for the first sixteen.
const FIRST: u8 = 16;

/// Bytes that the images may take which the terminal holds for us.
const MAX_HELD: usize = 64 << 20;

/// What a cell of an image takes there, about.
const CELL: usize = 10 * 20 * 4;

const ONE_CELL: CellDiffOption = CellDiffOption::ForcedWidth(NonZeroU16::MIN);

/// Deletes all images that the terminal holds for us.
static GIVE_BACK: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// What makes the terminal forget our images: to be written once, before it is given back.
pub fn give_back() -> Vec<u8> {
    std::mem::take(&mut *GIVE_BACK.lock().unwrap_or_else(PoisonError::into_inner))
}

/// An image that the terminal has, or is being sent.
struct Held {
    index: u8,
    /// All of it has been sent.
    ready: bool,
    /// The frame that showed it last.
    used: u64,
    weight: usize,
}

pub struct Pictures {
    /// By [`Drawn::key`].
    held: HashMap<u64, Held>,
    /// What is still to be sent, and how much of the first is.
    queue: VecDeque<(u64, String)>,
    sent: usize,
    /// Deletions that wait until no image is half sent.
    deletions: Vec<u8>,
    /// Of the ids: tells ours from those of others.
    prefix: u8,
    frame: u64,
    /// Since the last frame an image is ready.
    news: bool,
    tmux: bool,
}

impl Pictures {
    pub fn new(tmux: bool) -> Self {
        let prefix = u8::try_from(std::process::id() % 250).unwrap_or(0) + 1;
        Self {
            held: HashMap::new(),
            queue: VecDeque::new(),
            sent: 0,
            deletions: Vec::new(),
            prefix,
            frame: 0,
            news: false,
            tmux,
        }
    }

    /// Another program had the terminal: it holds nothing of ours.
    pub fn forget(&mut self) {
        *self = Self::new(self.tmux);
    }

    /// Whether another frame will show more, or carry more.
    pub fn wants_frame(&self) -> bool {
        self.news || !self.queue.is_empty() || !self.deletions.is_empty()
    }

    /// Puts pixels in the place of half blocks, where they can be.
    pub fn place(&mut self, placed: &[PlacedPicture], buf: &mut Buffer) {
        self.frame += 1;
        self.news = false;
        for (n, part) in placed.iter().enumerate() {
            match &part.strip.drawn.sent {
                Some(Sent::Kitty(_)) => self.place_kitty(part, buf),
                Some(Sent::Inline(bytes)) if part.strip.row == 0 => {
                    place_whole(&placed[n..], bytes, buf);
                }
                Some(Sent::Inline(_)) | None => {}
            }
        }
    }

    fn place_kitty(&mut self, part: &PlacedPicture, buf: &mut Buffer) {
        let Some(index) = self.ready(&part.strip.drawn) else {
            return;
        };
        let sign = |n: u16| {
            let code = DIACRITICS.get(usize::from(n)).copied();
            code.and_then(char::from_u32)
        };
        let (Some(row), Some(prefix)) = (sign(part.strip.row), sign(self.prefix.into())) else {
            return;
        };
        // What stands beside it is what shows through.
        let beside = buf.cell((part.area.x.saturating_sub(1), part.area.y));
        let ground = beside.map_or(Color::Reset, |cell| cell.bg);
        let cells = part.strip.drawn.row(part.strip.row).iter();
        for ((x, column), half) in (part.area.left()..part.area.right()).zip(0..).zip(cells) {
            let (Some(column), Some(cell)) = (sign(column), buf.cell_mut((x, part.area.y))) else {
                return;
            };
            if is_intact(cell, half) {
                let symbol: String = [PLACEHOLDER, row, column, prefix].iter().collect();
                cell.set_symbol(&symbol)
                    .set_fg(Color::Indexed(index))
                    .set_bg(ground)
                    .set_diff_option(ONE_CELL);
                cell.modifier = Modifier::empty();
            }
        }
    }

    /// The id of an image that the terminal has; else it will be sent.
    fn ready(&mut self, drawn: &Drawn) -> Option<u8> {
        if let Some(held) = self.held.get_mut(&drawn.key) {
            held.used = self.frame;
            return held.ready.then_some(held.index);
        }
        let weight = CELL * usize::from(drawn.size.width) * usize::from(drawn.size.height);
        let index = self.make_room(weight)?;
        let id = u32::from(self.prefix) << 24 | u32::from(index);
        let bytes = drawn.sent.as_ref()?.kitty(id, drawn.size)?;
        self.queue.push_back((drawn.key, bytes));
        let held = Held {
            index,
            ready: false,
            used: self.frame,
            weight,
        };
        self.held.insert(drawn.key, held);
        self.note_held();
        None
    }

    /// A free id, after images went that were not shown for the longest time. `None`: all are shown now.
    fn make_room(&mut self, weight: usize) -> Option<u8> {
        loop {
            let taken: usize = self.held.values().map(|held| held.weight).sum();
            let used = |index: &u8| self.held.values().any(|held| held.index == *index);
            let free = (FIRST..=u8::MAX).find(|index| !used(index));
            if let Some(free) = free.filter(|_| self.held.is_empty() || taken + weight <= MAX_HELD)
            {
                return Some(free);
            }
            let frame = self.frame;
            let unseen = self
                .held
                .iter()
                .filter(|(_, held)| held.ready && held.used + 1 < frame);
            let (&oldest, _) = unseen.min_by_key(|(_, held)| held.used)?;
            let held = self.held.remove(&oldest)?;
            let deletion = self.deletion(held.index);
            self.deletions.extend(deletion);
        }
    }

    fn deletion(&self, index: u8) -> Vec<u8> {
        let id = u32::from(self.prefix) << 24 | u32::from(index);
        passed(
            format!("\x1b_Ga=d,d=I,i={id},q=2\x1b\\").as_bytes(),
            self.tmux,
        )
    }

    fn note_held(&self) {
        let all = self
            .held
            .values()
            .flat_map(|held| self.deletion(held.index));
        let mut give_back = GIVE_BACK.lock().unwrap_or_else(PoisonError::into_inner);
        *give_back = all.collect();
    }

    /// What goes with the next frame.
    pub fn take(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        if self.sent == 0 {
            out.append(&mut self.deletions);
        }
        let Some((key, bytes)) = self.queue.front() else {
            return out;
        };
        let rest = bytes.get(self.sent..).unwrap_or_default();
        // Whole sequences: each begins where one of these does.
        let begins = if self.tmux { "\x1bPtmux;" } else { "\x1b_G" };
        let next = rest.match_indices(begins).map(|(at, _)| at);
        let len = next.skip(1).find(|at| *at >= PIECE).unwrap_or(rest.len());
        out.extend_from_slice(&rest.as_bytes()[..len]);
        self.sent += len;
        if self.sent == bytes.len() {
            if let Some(held) = self.held.get_mut(key) {
                held.ready = true;
            }
            self.news = true;
            self.queue.pop_front();
            self.sent = 0;
        }
        out
    }
}

/// Hands a sequence on through tmux.
pub fn passed(sequence: &[u8], tmux: bool) -> Vec<u8> {
    if !tmux {
        return sequence.to_vec();
    }
    let mut out = b"\x1bPtmux;".to_vec();
    for byte in sequence {
        out.extend_from_slice(if *byte == 0x1b {
            b"\x1b\x1b"
        } else {
            std::slice::from_ref(byte)
        });
    }
    out.extend_from_slice(b"\x1b\\");
    out
}

/// A cell is as the image was drawn: nothing has been drawn over it.
fn is_intact(cell: &ratatui::buffer::Cell, half: &Half) -> bool {
    let mut sign = [0; 4];
    cell.symbol() == half.symbol.encode_utf8(&mut sign)
        && half.upper.is_none_or(|colour| cell.fg == colour)
        && half.lower.is_none_or(|colour| cell.bg == colour)
}

/// Puts an image where it stands, if all of it is to be seen: `parts` begin with its first row.
fn place_whole(parts: &[PlacedPicture], bytes: &str, buf: &mut Buffer) {
    let Some(first) = parts.first() else { return };
    let drawn = &first.strip.drawn;
    let area = Rect {
        height: drawn.size.height,
        ..first.area
    };
    let is_whole = area.width == drawn.size.width
        && parts.len() >= usize::from(area.height)
        && parts.iter().zip(0..area.height).all(|(part, row)| {
            let place = (
                part.strip.drawn.key,
                part.strip.row,
                part.area.x,
                part.area.y,
            );
            let cells = (area.left()..area.right()).zip(drawn.row(row));
            place == (drawn.key, row, area.x, area.y + row)
                && cells.into_iter().all(|(x, half)| {
                    let cell = buf.cell((x, part.area.y));
                    cell.is_some_and(|cell| is_intact(cell, half))
                })
        });
    if !is_whole {
        return;
    }
    for position in area.positions() {
        let Some(cell) = buf.cell_mut(position) else {
            return;
        };
        cell.reset();
        if position == area.as_position() {
            cell.set_symbol(bytes).set_diff_option(ONE_CELL);
        } else {
            // Another sign than a blank, so that what comes in its place is a change.
            cell.set_symbol("\u{10EEEE}")
                .set_diff_option(CellDiffOption::Skip);
        }
    }
}

#[cfg(test)]
#[path = "picture_tests.rs"]
mod tests;
