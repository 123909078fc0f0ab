//! From base64 to pixels, within bounds.

use std::io::Cursor;

use base64::{
    Engine, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use image::{DynamicImage, ImageError, ImageFormat, ImageReader, Limits};

use super::Unfit;

/// Pixels of an image that is decoded: its header tells how many it has.
pub const MAX_PIXELS: u64 = 40_000_000;

/// Bytes that the decoder may ask for: of [`MAX_PIXELS`] and what it works with.
const MAX_ALLOC: u64 = 4 * MAX_PIXELS + (32 << 20);

/// Base64 of the beginning, in which the size is looked for: a JPEG has it behind whatever the camera
/// wrote. A multiple of four.
const HEAD: usize = 256 << 10;

const CONFIG: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, CONFIG);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, CONFIG);

pub struct Decoded {
    pub image: DynamicImage,
    /// There are more frames than this first one.
    pub animated: bool,
}

pub fn first_bytes(base64: &str) -> Option<Vec<u8>> {
    let head = base64.as_bytes();
    bytes(head.get(..HEAD).unwrap_or(head))
}

fn bytes(base64: &[u8]) -> Option<Vec<u8>> {
    let url_safe = base64.iter().any(|byte| matches!(byte, b'-' | b'_'));
    let engine = if url_safe { &URL_SAFE } else { &STANDARD };
    engine.decode(base64).ok()
}

pub fn is_too_large((width, height): (u32, u32)) -> bool {
    u64::from(width) * u64::from(height) > MAX_PIXELS
}

/// `mime` is what the first bytes say.
pub fn decode(base64: &str, mime: &str) -> Result<Decoded, Unfit> {
    let bytes = bytes(base64.as_bytes()).ok_or(Unfit::Broken)?;
    let format = ImageFormat::from_mime_type(mime).ok_or(Unfit::Format(None))?;
    let reader = || ImageReader::with_format(Cursor::new(bytes.as_slice()), format);
    let pixels = reader().into_dimensions().map_err(|error| why(&error))?;
    if is_too_large(pixels) {
        return Err(Unfit::TooLarge(Some(pixels)));
    }
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_ALLOC);
    let mut reader = reader();
    reader.limits(limits);
    let image = reader.decode().map_err(|error| why(&error))?;
    let animated = is_animated(&bytes, format);
    Ok(Decoded { image, animated })
}

fn why(error: &ImageError) -> Unfit {
    match error {
        ImageError::Limits(_) => Unfit::TooLarge(None),
        ImageError::Unsupported(_) => Unfit::Format(None),
        _ => Unfit::Broken,
    }
}

/// As the beginning tells, without reading the other frames.
fn is_animated(bytes: &[u8], format: ImageFormat) -> bool {
    const LOOKED_AT: usize = 64 << 10;
    let head = bytes.get(..LOOKED_AT).unwrap_or(bytes);
    let has = |sign: &[u8]| head.windows(sign.len()).any(|part| part == sign);
    match format {
        // The extension that all animations have who say how often they are repeated.
        ImageFormat::Gif => has(b"NETSCAPE2.0"),
        ImageFormat::Png => has(b"acTL"),
        ImageFormat::WebP => {
            head.get(12..16) == Some(b"VP8X") && head.get(20).is_some_and(|flags| flags & 2 != 0)
        }
        _ => false,
    }
}
