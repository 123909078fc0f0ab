//! Keys by name, as the bytes that a terminal sends for them.

/// Bytes for text with keys by name: `hello<enter><c-c><a-b><esc><f1>`; `<<` is a `<`.
pub fn encode_keys(keys: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = keys;
    while let Some(start) = rest.find('<') {
        out.extend_from_slice(&rest.as_bytes()[..start]);
        rest = &rest[start + 1..];
        if let Some(after) = rest.strip_prefix('<') {
            out.push(b'<');
            rest = after;
            continue;
        }
        let end = rest.find('>').expect("a key name ends with >");
        out.extend_from_slice(&encode_key(&rest[..end]));
        rest = &rest[end + 1..];
    }
    out.extend_from_slice(rest.as_bytes());
    out
}

fn encode_key(name: &str) -> Vec<u8> {
    if let Some(&[letter]) = name.strip_prefix("c-").map(str::as_bytes) {
        return vec![letter & 0x1f];
    }
    if let Some(rest) = name.strip_prefix("a-") {
        let mut bytes = vec![0x1b];
        if rest.len() == 1 {
            bytes.extend(rest.bytes())
        } else {
            bytes.extend(encode_key(rest))
        }
        return match rest {
            "up" => b"\x1b[1;3A".to_vec(),
            "down" => b"\x1b[1;3B".to_vec(),
            _ => bytes,
        };
    }
    let bytes: &[u8] = match name {
        "enter" => b"\r",
        "esc" => b"\x1b",
        "tab" => b"\t",
        "s-tab" => b"\x1b[Z",
        "backspace" => b"\x7f",
        "up" => b"\x1b[A",
        "down" => b"\x1b[B",
        "right" => b"\x1b[C",
        "left" => b"\x1b[D",
        "home" => b"\x1b[H",
        "end" => b"\x1b[F",
        "c-home" => b"\x1b[1;5H",
        "c-end" => b"\x1b[1;5F",
        "pgup" => b"\x1b[5~",
        "c-up" => b"\x1b[1;5A",
        "c-down" => b"\x1b[1;5B",
        "pgdn" => b"\x1b[6~",
        "del" => b"\x1b[3~",
        "f1" => b"\x1bOP",
        "f2" => b"\x1bOQ",
        "f3" => b"\x1bOR",
        "f5" => b"\x1b[15~",
        "s-f5" => b"\x1b[15;2~",
        "f6" => b"\x1b[17~",
        "f7" => b"\x1b[18~",
        "f8" => b"\x1b[19~",
        "f9" => b"\x1b[20~",
        "f12" => b"\x1b[24~",
        other => panic!("no key {other}"),
    };
    bytes.to_vec()
}
