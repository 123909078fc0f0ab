//! What terminals that draw pixels are sent. The encoders are `ratatui-image`'s.

use image::{DynamicImage, GenericImage, RgbaImage};
use ratatui::{
    buffer::Buffer,
    layout::{Rect, Size},
    widgets::Widget,
};
use ratatui_image::{
    Image,
    protocol::{Protocol, iterm2::Iterm2, kitty::Kitty, sixel::Sixel},
};

use super::{Canvas, Medium};

/// Pixels of an image as it is sent, at most: larger ones are made smaller, and the terminal larger
/// again.
const MAX_SENT: u64 = 2_000_000;

/// What stands for a part of an image in kitty's protocol.
pub const PLACEHOLDER: char = '\u{10EEEE}';

/// The id that is encoded, for [`Sent::kitty`] to put another in its place.
const ANY_ID: u32 = 1;

/// Bytes for the terminal.
pub enum Sent {
    /// Sent once, under an id.
    Kitty(String),
    /// Sent where it stands, each time that it is drawn.
    Inline(String),
}

impl Sent {
    pub fn len(&self) -> usize {
        match self {
            Self::Kitty(bytes) | Self::Inline(bytes) => bytes.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// For kitty's protocol, under that id, to be placed in as many cells.
    pub fn kitty(&self, id: u32, size: Size) -> Option<String> {
        let Self::Kitty(bytes) = self else {
            return None;
        };
        let from = format!("i={ANY_ID},a=T,U=1,");
        let to = format!("i={id},a=T,U=1,c={},r={},", size.width, size.height);
        Some(bytes.replacen(&from, &to, 1))
    }
}

/// `None` where there are no pixels, or they cannot be encoded: half blocks stay.
pub fn encode(image: DynamicImage, size: Size, canvas: &Canvas) -> Option<Sent> {
    match canvas.medium {
        Medium::None | Medium::Blocks => None,
        Medium::Kitty { tmux, compressed } => {
            let image = scaled(image, size, canvas);
            let kitty = Kitty::new(image, size, ANY_ID, tmux, compressed).ok()?;
            Some(Sent::Kitty(transmission(kitty)?))
        }
        Medium::Iterm { tmux } => {
            let image = Iterm2::new(scaled(image, size, canvas), size, tmux).ok()?;
            Some(Sent::Inline(image.data))
        }
        Medium::Sixel => {
            let image = Sixel::new(scaled(image, size, canvas), size, false).ok()?;
            Some(Sent::Inline(image.data))
        }
    }
}

/// In its cells, from their upper left corner: what is over at the right and below stays clear.
fn scaled(image: DynamicImage, size: Size, canvas: &Canvas) -> DynamicImage {
    let side = |cells: u16, cell: u16| u32::from(cells.max(1)) * u32::from(cell.max(1));
    let whole = (
        side(size.width, canvas.cell.0),
        side(size.height, canvas.cell.1),
    );
    let area = u64::from(whole.0) * u64::from(whole.1);
    // Inline images have the terminal's pixels.
    let shrink = match canvas.medium {
        Medium::Kitty { .. } if area > MAX_SENT => (MAX_SENT as f64 / area as f64).sqrt(),
        _ => 1.0,
    };
    let part = |pixels: u32| ((f64::from(pixels) * shrink) as u32).max(1);
    let whole = (part(whole.0), part(whole.1));
    let (width, height) = (image.width(), image.height());
    let scale = (f64::from(whole.0) / f64::from(width.max(1)))
        .min(f64::from(whole.1) / f64::from(height.max(1)))
        .min(1.0);
    let to = |pixels: u32, most: u32| ((f64::from(pixels) * scale).round() as u32).clamp(1, most);
    let small = image.thumbnail_exact(to(width, whole.0), to(height, whole.1));
    let mut canvas = RgbaImage::new(whole.0, whole.1);
    match canvas.copy_from(&small.into_rgba8(), 0, 0) {
        Ok(()) => DynamicImage::ImageRgba8(canvas),
        Err(_) => image,
    }
}

/// What sends the image: its encoder puts it before the first cell that it draws.
fn transmission(kitty: Kitty) -> Option<String> {
    let area = Rect::new(0, 0, 1, 1);
    let mut scratch = Buffer::empty(area);
    let protocol = Protocol::Kitty(kitty);
    Image::new(&protocol)
        .allow_clipping(true)
        .render(area, &mut scratch);
    let symbol = scratch.cell((0, 0))?.symbol();
    let (sent, _) = symbol.split_once(PLACEHOLDER)?;
    Some(sent.to_owned())
}
