//! Images as what a terminal can show of them.
//!
//! Owns: what an image is by its first bytes ([`sniff()`]), the bounds within which one is decoded, its size
//! in cells, and its forms: half blocks, and bytes for terminals that draw pixels. Everything here but
//! [`head`] takes its time and is for a thread of its own. Must not know where an image stands on the
//! screen, what has been sent, or which terminal it is.

mod blocks;
mod decode;
mod encode;
mod sniff;

use std::{fmt, sync::Arc};

use ratatui::layout::Size;

use crate::model::{ImageData, MediaKind};

pub use blocks::Half;
pub use decode::MAX_PIXELS;
pub use encode::{PLACEHOLDER, Sent};
pub use sniff::sniff;

/// How images are shown.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Medium {
    /// Not at all: a line tells of them.
    #[default]
    None,
    /// In characters with two colours each.
    Blocks,
    /// By kitty's protocol, placed by characters that stand for parts of it.
    Kitty {
        tmux: bool,
        compressed: bool,
    },
    /// By iTerm2's.
    Iterm {
        tmux: bool,
    },
    Sixel,
}

/// What images are drawn on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Canvas {
    pub medium: Medium,
    /// Width and height of a cell in pixels.
    pub cell: (u16, u16),
    /// The terminal has any colour; else the 256 of the palette.
    pub true_colour: bool,
}

/// Cells of terminals that do not tell theirs.
pub const USUAL_CELL: (u16, u16) = (10, 20);

impl Canvas {
    /// No images are drawn.
    pub const NONE: Self = Self {
        medium: Medium::None,
        cell: USUAL_CELL,
        true_colour: false,
    };

    /// The cells that `pixels` take in `most`, without making them larger.
    pub fn cells(&self, pixels: (u32, u32), most: Size) -> Size {
        let cell = |n: u16| u64::from(n.max(1));
        let (width, height) = (u64::from(pixels.0.max(1)), u64::from(pixels.1.max(1)));
        let room = (
            u64::from(most.width.max(1)) * cell(self.cell.0),
            u64::from(most.height.max(1)) * cell(self.cell.1),
        );
        // Both sides by the same part of 2^20, rounded down so that it fits.
        const ONE: u64 = 1 << 20;
        let part = ONE.min(room.0 * ONE / width).min(room.1 * ONE / height);
        let side = |pixels: u64, cell: u64, most: u16| {
            let cells = (pixels * part / ONE).div_ceil(cell).max(1);
            u16::try_from(cells).unwrap_or(most).min(most.max(1))
        };
        Size::new(
            side(width, cell(self.cell.0), most.width),
            side(height, cell(self.cell.1), most.height),
        )
    }
}

/// Why an image is not drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unfit {
    /// Not in a format that is drawn; its name, where that is known.
    Format(Option<&'static str>),
    Broken,
    /// More pixels than [`MAX_PIXELS`], or more than can be counted.
    TooLarge(Option<(u32, u32)>),
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Format(Some(name)) => write!(f, "{name} is not drawn"),
            Self::Format(None) => f.write_str("no known format"),
            Self::Broken => f.write_str("cannot be decoded"),
            Self::TooLarge(Some((width, height))) => write!(f, "{width}x{height} is too large"),
            Self::TooLarge(None) => f.write_str("too large"),
        }
    }
}

/// What the beginning of an image tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Head {
    /// Its MIME type by its first bytes.
    pub mime: &'static str,
    /// Width and height, where they are found.
    pub pixels: Option<(u32, u32)>,
}

/// Looks at the beginning of an image: quick enough for a frame.
///
/// # Errors
/// It will not be drawn.
pub fn head(data: &ImageData) -> Result<Head, Unfit> {
    let head = decode::first_bytes(data.base64()).ok_or(Unfit::Broken)?;
    let (kind, pixels) = sniff(&head);
    let mime = match kind {
        MediaKind::Image(mime) => mime,
        MediaKind::OtherImage(name) => return Err(Unfit::Format(Some(name))),
        MediaKind::Audio(_) | MediaKind::Other => return Err(Unfit::Format(None)),
    };
    match pixels {
        Some((0, _) | (_, 0)) => Err(Unfit::Broken),
        Some(pixels) if decode::is_too_large(pixels) => Err(Unfit::TooLarge(Some(pixels))),
        _ => Ok(Head { mime, pixels }),
    }
}

/// An image as it is shown.
pub struct Drawn {
    /// The same for the same image in the same size.
    pub key: u64,
    pub size: Size,
    /// There are more frames than the one that is shown.
    pub animated: bool,
    /// Row by row: what is shown wherever the pixels are not.
    pub halves: Vec<Half>,
    pub sent: Option<Sent>,
}

impl Drawn {
    /// Decodes, scales and encodes an image, in at most `most` cells. Slow.
    ///
    /// # Errors
    /// It cannot be drawn.
    pub fn new(data: &ImageData, key: u64, most: Size, canvas: &Canvas) -> Result<Self, Unfit> {
        let head = head(data)?;
        let decoded = decode::decode(data.base64(), head.mime)?;
        let size = canvas.cells((decoded.image.width(), decoded.image.height()), most);
        let halves = blocks::halves(&decoded.image, size, canvas.true_colour);
        Ok(Self {
            key,
            size,
            animated: decoded.animated,
            halves,
            sent: encode::encode(decoded.image, size, canvas),
        })
    }

    /// The cells of one row.
    pub fn row(&self, row: u16) -> &[Half] {
        let width = usize::from(self.size.width);
        let from = usize::from(row) * width;
        self.halves.get(from..from + width).unwrap_or_default()
    }

    /// Bytes that keeping it takes.
    pub fn weight(&self) -> usize {
        let sent = self.sent.as_ref().map_or(0, Sent::len);
        self.halves.capacity() * size_of::<Half>() + sent
    }
}

impl fmt::Debug for Drawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Drawn({:x}, {})", self.key, self.size)
    }
}

/// A row of an image in a row of the screen.
#[derive(Clone, Debug)]
pub struct Strip {
    pub drawn: Arc<Drawn>,
    pub row: u16,
    /// The cell of the screen's row in which it begins.
    pub column: u16,
}

impl PartialEq for Strip {
    fn eq(&self, other: &Self) -> bool {
        (self.drawn.key, self.row, self.column) == (other.drawn.key, other.row, other.column)
    }
}

#[cfg(test)]
mod tests;
