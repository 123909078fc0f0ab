//! For tests of what is drawn: contexts, and rows as text, with and without their styles.

use std::{fmt::Write, time::Instant};

use ratatui::{
    buffer::Buffer,
    style::{Color, Modifier, Style},
};

use super::{MEASURE, RenderContext, Row};
use crate::{
    text::cell_width,
    ui::{
        offload::Offload,
        theme::{Background, Colours, Symbols, Theme},
    },
};

/// What a [`RenderContext`] borrows.
pub struct Stage {
    pub theme: Theme,
    pub symbols: Symbols,
    pub offload: Offload,
    pub now: Instant,
}

impl Stage {
    /// A dark terminal; results are there at once.
    pub fn dark() -> Self {
        Self::new(Background::Dark)
    }

    pub fn new(background: Background) -> Self {
        Self {
            theme: Theme::palette(background, Colours::Indexed),
            symbols: Symbols::UNICODE,
            offload: Offload::immediate(),
            now: Instant::now(),
        }
    }

    pub fn ascii() -> Self {
        Self {
            symbols: Symbols::ASCII,
            ..Self::dark()
        }
    }

    pub fn ctx(&self, width: u16) -> RenderContext<'_> {
        RenderContext {
            theme: &self.theme,
            symbols: &self.symbols,
            offload: &self.offload,
            width,
            measure: MEASURE,
            indent: 0,
            pictures: crate::picture::Canvas::NONE,
            now: self.now,
        }
    }
}

/// The rows as text between bars that stand at the width; panics where one is wider.
pub fn text(rows: &[Row], width: u16) -> String {
    let mut out = String::new();
    for row in rows {
        let line: String = row
            .line
            .spans
            .iter()
            .map(|span| span.content.as_ref())
            .collect();
        let used = cell_width(&line);
        assert!(
            used <= usize::from(width),
            "{used} cells in {width}: {line}"
        );
        let blanks = " ".repeat(usize::from(width) - used);
        let _ = writeln!(out, "|{line}{blanks}|");
    }
    out
}

/// The rows at 20, 80 and 200 columns.
pub fn at_widths(stage: &Stage, render: impl Fn(&RenderContext<'_>) -> Vec<Row>) -> String {
    [20, 80, 200]
        .map(|width| format!("{width}\n{}", text(&render(&stage.ctx(width)), width)))
        .join("\n")
}

/// The rows with each change of style written out: `‹green bold›text`.
pub fn coloured(rows: &[Row]) -> String {
    let mut out = String::new();
    for row in rows {
        let mut last = Style::new();
        for span in &row.line.spans {
            if span.style != last {
                let _ = write!(out, "‹{}›", style_name(span.style));
                last = span.style;
            }
            out.push_str(&span.content);
        }
        out.push('\n');
    }
    out
}

fn style_name(style: Style) -> String {
    let mut names = Vec::new();
    let colour = |colour: Color| colour.to_string().to_lowercase();
    names.extend(style.fg.map(colour));
    names.extend(style.bg.map(|bg| format!("on {}", colour(bg))));
    for (name, _) in style.add_modifier.iter_names() {
        names.push(name.to_lowercase());
    }
    names.join(" ")
}

/// The text of a drawn screen; trailing blanks are left out.
pub fn screen(buf: &Buffer) -> String {
    let mut out = String::new();
    for y in buf.area.top()..buf.area.bottom() {
        let mut line = String::new();
        let mut x = buf.area.left();
        while x < buf.area.right() {
            let symbol = buf[(x, y)].symbol();
            line.push_str(symbol);
            x += u16::try_from(cell_width(symbol)).unwrap_or(1).max(1);
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// Writes the screen as a terminal would get it to the file that `PICTURE` names, if it is set: to
/// be looked at.
pub fn picture(name: &str, buf: &Buffer) {
    let Some(folder) = std::env::var_os("PICTURE") else {
        return;
    };
    let mut out = String::new();
    for y in buf.area.top()..buf.area.bottom() {
        let mut x = buf.area.left();
        while x < buf.area.right() {
            let cell = &buf[(x, y)];
            let _ = write!(out, "\x1b[0{}m{}", sgr(cell.style()), cell.symbol());
            x += u16::try_from(cell_width(cell.symbol())).unwrap_or(1).max(1);
        }
        out.push_str("\x1b[0m\n");
    }
    let path = std::path::Path::new(&folder).join(format!("{name}.ansi"));
    std::fs::write(path, out).expect("PICTURE names a folder");
}

fn sgr(style: Style) -> String {
    let mut out = String::new();
    for (bit, code) in [
        (Modifier::BOLD, 1),
        (Modifier::DIM, 2),
        (Modifier::ITALIC, 3),
        (Modifier::UNDERLINED, 4),
        (Modifier::REVERSED, 7),
        (Modifier::CROSSED_OUT, 9),
    ] {
        if style.add_modifier.contains(bit) {
            let _ = write!(out, ";{code}");
        }
    }
    for (colour, base) in [(style.fg, 30), (style.bg, 40)] {
        match colour {
            Some(Color::Indexed(n)) => {
                let _ = write!(out, ";{};5;{n}", base + 8);
            }
            Some(Color::Rgb(r, g, b)) => {
                let _ = write!(out, ";{};2;{r};{g};{b}", base + 8);
            }
            Some(named) => {
                const NAMES: [Color; 8] = [
                    Color::Black,
                    Color::Red,
                    Color::Green,
                    Color::Yellow,
                    Color::Blue,
                    Color::Magenta,
                    Color::Cyan,
                    Color::Gray,
                ];
                if let Some(n) = NAMES.iter().position(|name| *name == named) {
                    let _ = write!(out, ";{}", base + n);
                }
            }
            None => {}
        }
    }
    out
}
