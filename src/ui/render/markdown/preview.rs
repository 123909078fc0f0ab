use super::*;
use crate::ui::{offload::Offload, theme::*};
fn sgr(s: ratatui::style::Style) -> String {
    use ratatui::style::{Color, Modifier};
    let mut o = String::from("\x1b[0m");
    let m = s.add_modifier;
    for (f, n) in [
        (Modifier::BOLD, 1),
        (Modifier::DIM, 2),
        (Modifier::ITALIC, 3),
        (Modifier::UNDERLINED, 4),
        (Modifier::REVERSED, 7),
        (Modifier::CROSSED_OUT, 9),
    ] {
        if m.contains(f) {
            o += &format!("\x1b[{n}m");
        }
    }
    let idx = |c: Color| match c {
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Indexed(i) => i as i32,
        _ => -1,
    };
    if let Some(c) = s.fg {
        o += &format!("\x1b[38;5;{}m", idx(c));
    }
    if let Some(c) = s.bg {
        o += &format!("\x1b[48;5;{}m", idx(c));
    }
    o
}
#[test]
fn preview() {
    let Ok(path) = std::env::var("MD") else {
        return;
    };
    let w: u16 = std::env::var("W").unwrap().parse().unwrap();
    let source = std::fs::read_to_string(path).unwrap();
    let theme = Theme::palette(Background::Dark, std::env::var("NC").is_err());
    let offload = Offload::immediate();
    let ascii = std::env::var("ASCII").is_ok();
    let ctx = RenderContext {
        theme: &theme,
        symbols: if ascii {
            &Symbols::ASCII
        } else {
            &Symbols::UNICODE
        },
        offload: &offload,
        width: w,
        now: std::time::Instant::now(),
    };
    let source = crate::text::SafeText::new(&source);
    let mut out = String::new();
    for row in render_whole(&source, &ctx).rows {
        for span in &row.line.spans {
            out += &sgr(row.line.style.patch(span.style));
            out += &span.content;
        }
        out += "\x1b[0m\n";
    }
    std::fs::write(std::env::var("OUT").unwrap(), out).unwrap();
}
