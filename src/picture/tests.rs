use std::io::Cursor;

use base64::{Engine, engine::general_purpose::STANDARD};
use image::{DynamicImage, ImageFormat, Rgba, RgbaImage};
use proptest::prelude::*;
use ratatui::style::Color;

use super::*;

const BLOCKS: Canvas = Canvas {
    medium: Medium::Blocks,
    cell: USUAL_CELL,
    true_colour: true,
};

fn bytes(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
    let image = RgbaImage::from_fn(width, height, |_, y| match y < height / 2 {
        true => Rgba([200, 0, 0, 255]),
        false => Rgba([0, 0, 200, 255]),
    });
    let image = DynamicImage::ImageRgba8(image);
    let mut out = Cursor::new(Vec::new());
    match format {
        ImageFormat::Jpeg => DynamicImage::ImageRgb8(image.into_rgb8()).write_to(&mut out, format),
        _ => image.write_to(&mut out, format),
    }
    .expect("memory takes it");
    out.into_inner()
}

fn data(bytes: &[u8]) -> ImageData {
    ImageData::new(STANDARD.encode(bytes)).expect("small enough")
}

fn drawn(bytes: &[u8], canvas: &Canvas) -> Result<Drawn, Unfit> {
    Drawn::new(&data(bytes), 1, Size::new(40, 12), canvas)
}

#[test]
fn each_format_becomes_half_blocks() {
    for format in [
        ImageFormat::Png,
        ImageFormat::Jpeg,
        ImageFormat::Gif,
        ImageFormat::WebP,
    ] {
        let drawn = drawn(&bytes(20, 40, format), &BLOCKS).expect("drawn");
        assert_eq!(drawn.size, Size::new(2, 2), "{format:?}");
        assert!(!drawn.animated);
        let red = |half: &Half| matches!(half.lower, Some(Color::Rgb(150.., ..=60, ..=60)));
        assert!(
            drawn.row(0).iter().all(red),
            "{format:?}: {:?}",
            drawn.row(0)
        );
        assert_eq!(drawn.row(0).len(), 2);
        assert_eq!(drawn.row(2), []);
    }
}

#[test]
fn what_is_clear_has_no_colour() {
    let image = DynamicImage::ImageRgba8(RgbaImage::new(20, 20));
    let mut out = Cursor::new(Vec::new());
    image.write_to(&mut out, ImageFormat::Png).expect("memory");
    let drawn = drawn(&out.into_inner(), &BLOCKS).expect("drawn");
    assert!(
        drawn
            .halves
            .iter()
            .all(|half| half.upper.or(half.lower).is_none())
    );
}

#[test]
fn an_image_that_cannot_be_drawn_says_why() {
    let png = bytes(20, 40, ImageFormat::Png);
    let cut = &png[..png.len() / 2];
    assert_eq!(drawn(cut, &BLOCKS).err(), Some(Unfit::Broken));
    assert_eq!(drawn(b"hello", &BLOCKS).err(), Some(Unfit::Format(None)));
    let bmp = b"BM\0\0\0\0\0\0\0\0";
    assert_eq!(drawn(bmp, &BLOCKS).err(), Some(Unfit::Format(Some("BMP"))));
    let broken = ImageData::new("!!").expect("something");
    assert_eq!(head(&broken), Err(Unfit::Broken));
}

/// A PNG's beginning that tells of so many pixels.
fn told(width: u32, height: u32) -> Vec<u8> {
    let mut png = bytes(1, 1, ImageFormat::Png);
    png[16..20].copy_from_slice(&width.to_be_bytes());
    png[20..24].copy_from_slice(&height.to_be_bytes());
    png
}

#[test]
fn an_image_with_too_many_pixels_is_not_decoded() {
    let most = u32::try_from(MAX_PIXELS / 1_000).expect("fits");
    for (height, fits) in [(most - 1, true), (most, true), (most + 1, false)] {
        let looked = head(&data(&told(1_000, height)));
        assert_eq!(looked.is_ok(), fits, "{height}");
    }
    let bomb = drawn(&told(u32::MAX, u32::MAX), &BLOCKS);
    assert!(matches!(bomb.err(), Some(Unfit::TooLarge(_))));
}

#[test]
fn an_image_of_more_bytes_than_are_kept_is_not_kept() {
    use crate::model::MAX_IMAGE;
    for (len, kept) in [
        (0, false),
        (1, true),
        (MAX_IMAGE - 1, true),
        (MAX_IMAGE, true),
        (MAX_IMAGE + 1, false),
    ] {
        assert_eq!(ImageData::new("A".repeat(len)).is_some(), kept, "{len}");
    }
}

#[test]
fn for_kitty_an_image_is_sent_under_an_id_into_its_cells() {
    for (tmux, start) in [
        (false, "\x1b_Gq=2,i=300,"),
        (true, "\x1bPtmux;\x1b\x1b_Gq=2,i=300,"),
    ] {
        let kitty = Canvas {
            medium: Medium::Kitty {
                tmux,
                compressed: false,
            },
            ..BLOCKS
        };
        let drawn = drawn(&bytes(200, 40, ImageFormat::Png), &kitty).expect("drawn");
        let sent = drawn
            .sent
            .as_ref()
            .and_then(|sent| sent.kitty(300, drawn.size));
        let sent = sent.expect("encoded");
        assert!(sent.starts_with(start), "{:?}", &sent[..60]);
        assert!(sent.contains("a=T,U=1,c=20,r=2,f=32"), "{:?}", &sent[..80]);
        assert!(!sent.contains(encode::PLACEHOLDER));
    }
}

#[test]
fn for_sixel_and_iterm_it_is_sent_where_it_stands() {
    for (medium, sign) in [
        (Medium::Sixel, "\x1bP"),
        (Medium::Iterm { tmux: false }, "\x1b]1337;File="),
    ] {
        let canvas = Canvas { medium, ..BLOCKS };
        let drawn = drawn(&bytes(20, 40, ImageFormat::Png), &canvas).expect("drawn");
        let Some(Sent::Inline(sent)) = &drawn.sent else {
            panic!("{medium:?}");
        };
        assert!(sent.contains(sign), "{sent:?}");
    }
}

proptest! {
    #[test]
    fn cells_are_in_their_room(width in 1_u32.., height in 1_u32.., columns in 1_u16..300, rows in 1_u16..100) {
        let cells = BLOCKS.cells((width, height), Size::new(columns, rows));
        prop_assert!((1..=columns).contains(&cells.width) && (1..=rows).contains(&cells.height));
    }

    #[test]
    fn any_bytes_are_drawn_or_not(bytes in prop::collection::vec(any::<u8>(), 0..400), png in any::<bool>()) {
        let mut all = if png { b"\x89PNG\r\n\x1a\n".to_vec() } else { Vec::new() };
        all.extend(bytes);
        if let Some(data) = ImageData::new(STANDARD.encode(all)) {
            let _ = Drawn::new(&data, 1, Size::new(10, 10), &BLOCKS);
        }
    }
}
