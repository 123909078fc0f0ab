use base64::{Engine, engine::general_purpose::STANDARD};

use super::{FULL_ROWS, content::render_content};
use crate::{
    model::{ContentBlock, ImageData, MAX_IMAGE, Media, Resource},
    picture::{Canvas, Medium, USUAL_CELL},
    ui::render::{
        RenderContext, Rendered,
        testing::{Stage, text},
    },
};

const BLOCKS: Canvas = Canvas {
    medium: Medium::Blocks,
    cell: USUAL_CELL,
    true_colour: true,
};

/// A PNG of one colour.
fn png(width: u32, height: u32) -> Vec<u8> {
    // Made by hand: no crate for images is known here.
    let mut raw = Vec::new();
    for _ in 0..height {
        raw.push(0);
        raw.extend((0..width).flat_map(|_| [200, 0, 0]));
    }
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut header = Vec::new();
    header.extend(width.to_be_bytes());
    header.extend(height.to_be_bytes());
    header.extend([8, 2, 0, 0, 0]);
    chunk(&mut png, b"IHDR", &header);
    chunk(&mut png, b"IDAT", &stored(&raw));
    chunk(&mut png, b"IEND", b"");
    png
}

fn chunk(png: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    png.extend(u32::try_from(data.len()).expect("short").to_be_bytes());
    let from = png.len();
    png.extend(kind);
    png.extend(data);
    let crc = png[from..].iter().fold(!0_u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            crc >> 1 ^ (0xedb8_8320 & 0_u32.wrapping_sub(crc & 1))
        })
    });
    png.extend((!crc).to_be_bytes());
}

/// Deflate without compression, in zlib's frame.
fn stored(raw: &[u8]) -> Vec<u8> {
    let mut out = vec![0x78, 0x01];
    let mut parts = raw.chunks(65_535).peekable();
    while let Some(part) = parts.next() {
        out.push(u8::from(parts.peek().is_none()));
        let len = u16::try_from(part.len()).expect("short");
        out.extend(len.to_le_bytes());
        out.extend((!len).to_le_bytes());
        out.extend(part);
    }
    let (mut a, mut b) = (1_u32, 0_u32);
    for byte in raw {
        a = (a + u32::from(*byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    out.extend((b << 16 | a).to_be_bytes());
    out
}

fn image(mime: &'static str, bytes: &[u8]) -> ContentBlock {
    ContentBlock::Image(Media {
        mime_type: mime.into(),
        size: Some(bytes.len()),
        uri: None,
        data: ImageData::new(STANDARD.encode(bytes)),
    })
}

fn shown(content: &ContentBlock, max_rows: usize, canvas: Canvas) -> Rendered {
    let stage = Stage::dark();
    let ctx = RenderContext {
        pictures: canvas,
        ..stage.ctx(60)
    };
    render_content(content, max_rows, &ctx)
}

fn words(rendered: &Rendered) -> String {
    text(&rendered.rows, 60)
}

#[test]
fn an_image_stands_below_its_line() {
    let red = image("image/png", &png(40, 40));
    let rendered = shown(&red, 8, BLOCKS);
    let words = words(&rendered);
    assert!(words.starts_with("|[image · image/png · "), "{words}");
    assert_eq!(rendered.rows.len(), 1 + 2);
    let strips: Vec<u16> = rendered.rows[1..]
        .iter()
        .filter_map(|row| Some(row.picture.as_ref()?.row))
        .collect();
    assert_eq!(strips, [0, 1]);
    assert!(!rendered.provisional);
}

#[test]
fn a_folded_image_is_low_and_an_unfolded_one_higher() {
    let high = image("image/png", &png(400, 2_000));
    assert_eq!(shown(&high, 8, BLOCKS).rows.len(), 1 + 12);
    assert_eq!(shown(&high, FULL_ROWS, BLOCKS).rows.len(), 1 + 30);
}

#[test]
fn where_images_are_off_the_line_is_all() {
    let red = image("image/png", &png(40, 40));
    assert_eq!(shown(&red, 8, Canvas::NONE).rows.len(), 1);
}

#[test]
fn an_image_that_is_not_what_it_says_tells_so_in_its_line() {
    let png = png(40, 40);
    for (content, expected) in [
        (image("image/jpeg", &png), "is image/png"),
        (image("image/png", b"hello"), "no known format"),
        (image("image/png", &png[..60]), "cannot be decoded"),
        (
            image("image/png", &[&png[..16], &[9; 9]].concat()),
            "is too larg",
        ),
        (
            image("image/bmp", b"BM\0\0\0\0\0\0\0\0"),
            "BMP is not drawn",
        ),
        (
            ContentBlock::Image(Media {
                mime_type: "image/png".into(),
                size: Some(MAX_IMAGE),
                uri: None,
                data: None,
            }),
            "too large to be drawn",
        ),
    ] {
        let rendered = shown(&content, 8, BLOCKS);
        let words = words(&rendered);
        assert!(words.contains(expected), "{expected}: {words}");
        let drawn = rendered.rows.iter().any(|row| row.picture.is_some());
        assert_eq!(drawn, expected == "is image/png");
        assert!(rendered.rows.len() == 1 || drawn, "{words}");
    }
}

#[test]
fn an_embedded_image_is_drawn() {
    let png = png(40, 40);
    let resource = ContentBlock::Resource(Resource {
        uri: "file:///a/red.png".into(),
        mime_type: Some("image/png".into()),
        text: None,
        size: png.len(),
        image: ImageData::new(STANDARD.encode(&png)),
    });
    let rendered = shown(&resource, 8, BLOCKS);
    assert!(words(&rendered).contains("red.png"));
    assert_eq!(rendered.rows.len(), 1 + 2);
}
