//! Buffers as text: for snapshots, and with colours for looking at.

use ratatui::{
    buffer::Buffer,
    style::{Color, Modifier, Style},
};

use crate::text::grapheme_width;

/// The characters, trailing blanks left out. (`TestBackend`'s own form adds notes about wide ones.)
pub fn text(buffer: &Buffer) -> String {
    rows(buffer, |_, symbol| symbol.to_owned())
        .iter()
        .map(|row| row.trim_end())
        .collect::<Vec<_>>()
        .join("\n")
}

/// Where pictures in colour are wanted: a folder, in the environment.
const PICTURES: &str = "ACP_TUI_PICTURES";

/// Writes the buffer as a terminal would be sent it to `NAME.ansi` in the folder that
/// `ACP_TUI_PICTURES` names, to be looked at; nothing without it.
pub fn keep(name: &str, buffer: &Buffer) {
    if let Some(folder) = std::env::var_os(PICTURES) {
        let path = std::path::Path::new(&folder).join(format!("{name}.ansi"));
        std::fs::write(path, ansi(buffer)).expect("the folder for pictures can be written to");
    }
}

/// As a terminal would be sent it.
fn ansi(buffer: &Buffer) -> String {
    let mut last = Style::new();
    let mut out = rows(buffer, |style, symbol| {
        if style == last {
            return symbol.to_owned();
        }
        last = style;
        format!("\x1b[{}m{symbol}", sgr(style))
    })
    .join("\n");
    out.push_str("\x1b[0m\n");
    out
}

fn rows(buffer: &Buffer, mut cell: impl FnMut(Style, &str) -> String) -> Vec<String> {
    let area = buffer.area;
    (area.top()..area.bottom())
        .map(|y| {
            let mut row = String::new();
            let mut x = area.left();
            while x < area.right() {
                let at = &buffer[(x, y)];
                row.push_str(&cell(at.style(), at.symbol()));
                x += u16::try_from(grapheme_width(at.symbol()).max(1)).unwrap_or(1);
            }
            row
        })
        .collect()
}

fn sgr(style: Style) -> String {
    let mut codes = vec!["0".to_owned()];
    for (modifier, code) in [
        (Modifier::BOLD, "1"),
        (Modifier::DIM, "2"),
        (Modifier::ITALIC, "3"),
        (Modifier::UNDERLINED, "4"),
        (Modifier::REVERSED, "7"),
        (Modifier::CROSSED_OUT, "9"),
    ] {
        if style.add_modifier.contains(modifier) {
            codes.push(code.into());
        }
    }
    codes.extend(style.fg.and_then(|colour| code(colour, 30, 90, 38)));
    codes.extend(style.bg.and_then(|colour| code(colour, 40, 100, 48)));
    codes.join(";")
}

fn code(colour: Color, base: u8, bright: u8, extended: u8) -> Option<String> {
    let named = |n: u8| Some((base + n).to_string());
    let light = |n: u8| Some((bright + n).to_string());
    match colour {
        Color::Reset => None,
        Color::Black => named(0),
        Color::Red => named(1),
        Color::Green => named(2),
        Color::Yellow => named(3),
        Color::Blue => named(4),
        Color::Magenta => named(5),
        Color::Cyan => named(6),
        Color::Gray => named(7),
        Color::DarkGray => light(0),
        Color::LightRed => light(1),
        Color::LightGreen => light(2),
        Color::LightYellow => light(3),
        Color::LightBlue => light(4),
        Color::LightMagenta => light(5),
        Color::LightCyan => light(6),
        Color::White => light(7),
        Color::Indexed(n) => Some(format!("{extended};5;{n}")),
        Color::Rgb(r, g, b) => Some(format!("{extended};2;{r};{g};{b}")),
    }
}
