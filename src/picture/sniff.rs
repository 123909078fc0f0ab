//! What a file is by its first bytes, and how large the picture in it.

use crate::model::MediaKind;

/// Width and height.
type Pixels = Option<(u32, u32)>;

/// Of a picture in a format that models take its size too, where it is found.
pub fn sniff(head: &[u8]) -> (MediaKind, Pixels) {
    let starts = |magic: &[u8]| head.starts_with(magic);
    let at = |place: usize, magic: &[u8]| {
        head.get(place..)
            .is_some_and(|rest| rest.starts_with(magic))
    };
    if starts(b"\x89PNG\r\n\x1a\n") {
        return (MediaKind::Image("image/png"), png(head));
    }
    if starts(b"\xff\xd8\xff") {
        return (MediaKind::Image("image/jpeg"), jpeg(head));
    }
    if starts(b"GIF87a") || starts(b"GIF89a") {
        return (MediaKind::Image("image/gif"), gif(head));
    }
    if starts(b"RIFF") && at(8, b"WEBP") {
        return (MediaKind::Image("image/webp"), webp(head));
    }
    let kind = if starts(b"RIFF") && at(8, b"WAVE") {
        MediaKind::Audio("audio/wav")
    } else if starts(b"ID3") || is_mp3_frame(head) {
        MediaKind::Audio("audio/mpeg")
    } else if starts(b"OggS") {
        MediaKind::Audio("audio/ogg")
    } else if starts(b"fLaC") {
        MediaKind::Audio("audio/flac")
    } else if starts(b"BM") && at(6, &[0; 4]) {
        MediaKind::OtherImage("BMP")
    } else if starts(b"II*\0") || starts(b"MM\0*") {
        MediaKind::OtherImage("TIFF")
    } else if at(4, b"ftyp") {
        match head.get(8..12) {
            Some(b"heic" | b"heix" | b"hevc" | b"heim" | b"heis" | b"mif1" | b"msf1") => {
                MediaKind::OtherImage("HEIC")
            }
            Some(b"avif" | b"avis") => MediaKind::OtherImage("AVIF"),
            _ => MediaKind::Other,
        }
    } else if is_svg(head) {
        MediaKind::OtherImage("SVG")
    } else {
        MediaKind::Other
    };
    (kind, None)
}

/// A frame without a tag before it. Not any eleven bits of it: UTF-16 begins like that.
fn is_mp3_frame(head: &[u8]) -> bool {
    matches!(head, [0xff, 0xfb | 0xf3 | 0xf2, ..])
}

fn is_svg(head: &[u8]) -> bool {
    let head = head.get(..head.len().min(1_000)).unwrap_or_default();
    let text = String::from_utf8_lossy(head);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    text.starts_with("<svg")
        || ((text.starts_with("<?xml") || text.starts_with("<!")) && text.contains("<svg"))
}

fn be16(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at + 2)?.try_into().ok()?;
    Some(u16::from_be_bytes(bytes).into())
}

fn le16(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at + 2)?.try_into().ok()?;
    Some(u16::from_le_bytes(bytes).into())
}

fn le24(bytes: &[u8], at: usize) -> Option<u32> {
    Some(le16(bytes, at)? | u32::from(*bytes.get(at + 2)?) << 16)
}

fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at + 4)?.try_into().ok()?;
    Some(u32::from_be_bytes(bytes))
}

fn png(head: &[u8]) -> Pixels {
    (head.get(12..16)? == b"IHDR").then_some(())?;
    Some((be32(head, 16)?, be32(head, 20)?))
}

fn gif(head: &[u8]) -> Pixels {
    Some((le16(head, 6)?, le16(head, 8)?))
}

fn webp(head: &[u8]) -> Pixels {
    match head.get(12..16)? {
        b"VP8X" => Some((le24(head, 24)? + 1, le24(head, 27)? + 1)),
        b"VP8L" => {
            let low = le24(head, 21)?;
            let bits = low | u32::from(*head.get(24)?) << 24;
            Some(((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1))
        }
        b"VP8 " => Some((le16(head, 26)? & 0x3fff, le16(head, 28)? & 0x3fff)),
        _ => None,
    }
}

/// Goes from segment to segment to the frame's.
fn jpeg(head: &[u8]) -> Pixels {
    let mut at = 2;
    loop {
        if *head.get(at)? != 0xff {
            return None;
        }
        match *head.get(at + 1)? {
            // Fill.
            0xff => at += 1,
            // Without a length.
            0x01 | 0xd0..=0xd8 => at += 2,
            // The frame, but for tables that look like one.
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => {
                return Some((be16(head, at + 7)?, be16(head, at + 5)?));
            }
            // The picture's data, or its end.
            0xd9 | 0xda => return None,
            _ => at += 2 + usize::try_from(be16(head, at + 2)?).ok()?.max(2),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn image(mime: &'static str, width: u32, height: u32) -> (MediaKind, Pixels) {
        (MediaKind::Image(mime), Some((width, height)))
    }

    #[test]
    fn pictures_are_told_with_their_size() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x05\0\0\0\x02\xd0";
        assert_eq!(sniff(png), image("image/png", 1280, 720));
        assert_eq!(sniff(b"GIF87a\x10\0\x20\0"), image("image/gif", 16, 32));
        let jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xff\xc2\0\x11\x08\0\x20\0\x10\x03";
        assert_eq!(sniff(jpeg), image("image/jpeg", 16, 32));
        let lossy = b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x10\0\x20\0";
        assert_eq!(sniff(lossy), image("image/webp", 16, 32));
        let lossless = b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\x0f\xc0\x07\0";
        assert_eq!(sniff(lossless), image("image/webp", 16, 32));
        let extended = b"RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0\x0f\0\0\x1f\0\0";
        assert_eq!(sniff(extended), image("image/webp", 16, 32));
    }

    #[test]
    fn a_picture_that_is_cut_off_has_no_size() {
        assert_eq!(sniff(b"\x89PNG\r\n\x1a\n").1, None);
        assert_eq!(
            sniff(b"\xff\xd8\xff\xe0\xff\xff"),
            (MediaKind::Image("image/jpeg"), None)
        );
    }

    #[test]
    fn what_models_do_not_take_is_told_by_its_name() {
        for (head, name) in [
            (&b"BM\x46\0\0\0\0\0\0\0\x36"[..], "BMP"),
            (b"II*\0", "TIFF"),
            (b"MM\0*", "TIFF"),
            (b"\0\0\0\x18ftypheic", "HEIC"),
            (b"\0\0\0\x18ftypavif", "AVIF"),
            (b"<svg xmlns=\"x\">", "SVG"),
            (
                b"\xef\xbb\xbf<?xml version=\"1.0\"?>\n<!-- x -->\n<svg>",
                "SVG",
            ),
        ] {
            assert_eq!(sniff(head), (MediaKind::OtherImage(name), None), "{name}");
        }
        for (head, mime) in [
            (&b"RIFF\0\0\0\0WAVEfmt "[..], "audio/wav"),
            (b"ID3\x04", "audio/mpeg"),
            (b"\xff\xfb\x90", "audio/mpeg"),
            (b"OggS", "audio/ogg"),
            (b"fLaC", "audio/flac"),
        ] {
            assert_eq!(sniff(head).0, MediaKind::Audio(mime), "{mime}");
        }
        for head in [
            &b""[..],
            b"fn main() {}",
            b"\xff\xfea\0",
            b"BMW is a car",
            b"%PDF-1.7",
        ] {
            assert_eq!(sniff(head).0, MediaKind::Other, "{head:?}");
        }
    }

    proptest! {
        #[test]
        fn nothing_that_a_file_holds_breaks_it(
            magic in prop::sample::select(vec![
                &b""[..], b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF89a", b"RIFF\0\0\0\0WEBPVP8L",
                b"RIFF\0\0\0\0WEBPVP8X", b"RIFF\0\0\0\0WEBPVP8 ", b"\0\0\0\0ftyp", b"<?xml",
            ]),
            rest in prop::collection::vec(any::<u8>(), 0..64),
        ) {
            let _ = sniff(&[magic, &rest].concat());
        }
    }
}
