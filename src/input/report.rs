//! Answers of the terminal of which something is used, and the rests of those that are not.

/// The terminal's background, as far as it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shade {
    Dark,
    Light,
}

/// What the terminal tells of what it can, asked or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// Images by kitty's protocol, and that they may be compressed.
    Kitty { compressed: bool },
    /// Images by sixel.
    Sixel,
    /// Width and height of a cell in pixels.
    Cell(u16, u16),
}

/// From an APC: the answer to an image that only asks. The second of two is compressed.
pub fn graphics(apc: &[u8]) -> Option<Told> {
    let (question, answer) = std::str::from_utf8(apc)
        .ok()?
        .strip_prefix('G')?
        .split_once(';')?;
    let is = |id: &str| question.split(',').any(|part| part == id);
    let known = answer == "OK" && (is("i=31") || is("i=32"));
    known.then(|| Told::Kitty {
        compressed: is("i=32"),
    })
}

/// `CSI ? … c`, without its first and last sign.
pub fn attributes(params: &[u8]) -> Option<Told> {
    let mut extensions = params.split(|byte| *byte == b';').skip(1);
    extensions
        .any(|number| number == b"4")
        .then_some(Told::Sixel)
}

/// `CSI 6 ; height ; width t`, without its last sign.
pub fn cell(params: &[u8]) -> Option<Told> {
    let params = std::str::from_utf8(params).ok()?;
    let (height, width) = params.strip_prefix("6;")?.split_once(';')?;
    let side = |text: &str| text.parse().ok().filter(|n| (2..=200).contains(n));
    Some(Told::Cell(side(width)?, side(height)?))
}

/// From an OSC: `11;rgb:RRRR/GGGG/BBBB`, one to four digits each.
pub fn background(osc: &[u8]) -> Option<Shade> {
    let osc = std::str::from_utf8(osc).ok()?;
    let (_, colour) = osc.strip_prefix("11;")?.split_once(':')?;
    let mut parts = colour.split('/').map(|part| {
        let value = u32::from_str_radix(part, 16).ok()?;
        let max = 16_u32.checked_pow(part.len() as u32)? - 1;
        Some(f64::from(value) / f64::from(max.max(1)))
    });
    let mut next = || parts.next().flatten();
    let (red, green, blue) = (next()?, next()?, next()?);
    let luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    Some(if luminance > 0.5 {
        Shade::Light
    } else {
        Shade::Dark
    })
}

/// `bytes` without the rest of an answer at their head, whose beginning another program has read before it
/// gave the terminal back.
pub fn without_orphan(bytes: &[u8]) -> &[u8] {
    let plain = bytes
        .iter()
        .position(|byte| !(0x20..0x7f).contains(byte))
        .unwrap_or(bytes.len());
    let (head, tail) = bytes.split_at(plain);
    match tail {
        // The end of a string.
        [0x1b, b'\\', rest @ ..] => return rest,
        [0x07, rest @ ..] if looks_reported(head) => return rest,
        _ => {}
    }
    // The end of a sequence: numbers with what parts them, and the letter of a report.
    let numbers = bytes
        .iter()
        .position(|byte| !matches!(byte, b'0'..=b'9' | b';' | b':' | b'?' | b'>' | b'$'))
        .unwrap_or(bytes.len());
    let (head, tail) = bytes.split_at(numbers);
    match tail {
        [b'c' | b'n' | b'R' | b't' | b'u' | b'y', rest @ ..] if head.contains(&b';') => rest,
        _ => bytes,
    }
}

/// As the end of a colour or a number in an OSC.
fn looks_reported(head: &[u8]) -> bool {
    !head.is_empty()
        && head
            .iter()
            .all(|byte| byte.is_ascii_hexdigit() || b";:/rgb".contains(byte))
}
