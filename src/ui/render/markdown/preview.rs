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
#[test]
fn measure() {
    if std::env::var("MEASURE").is_err() { return }
    let theme = Theme::palette(Background::Dark, true);
    let rich = include_str!("testdata/rich.md");
    let mk = |offload: &Offload, source: &str, chunk: usize, per_frame: usize, label: &str| {
        let ctx = RenderContext { theme: &theme, symbols: &Symbols::UNICODE, offload, width: 100, now: std::time::Instant::now() };
        let t0 = std::time::Instant::now();
        let mut s = Splitter::default();
        let (mut end, mut n, mut done, mut rows, mut worst) = (0, 0, 0, 0, std::time::Duration::ZERO);
        let (mut upd, mut ren) = (std::time::Duration::ZERO, std::time::Duration::ZERO);
        let mut half = None;
        while end < source.len() {
            end = (end + chunk).min(source.len());
            while !source.is_char_boundary(end) { end += 1 }
            let a = std::time::Instant::now();
            s.update(&source[..end]);
            upd += a.elapsed();
            n += 1;
            if n % per_frame == 0 {
                let t = std::time::Instant::now();
                for seg in &s.segments()[done..] {
                    rows += render(&source[..end], seg, s.defs(), &ctx).rows.len();
                    if seg.done { done += 1 }
                }
                worst = worst.max(t.elapsed());
                ren += t.elapsed();
            }
            if half.is_none() && end > source.len() / 2 { half = Some(t0.elapsed()) }
        }
        let total = t0.elapsed();
        println!("{label}: {n} chunks, {} bytes, total {total:?} (first half {:?}), update {upd:?}, render {ren:?}, worst frame {worst:?}, segments {}, rows {rows}", source.len(), half.unwrap(), s.segments().len());
    };
    let off = Offload::new(|| {});
    let n = 20_000 * 38 / rich.len() + 1;
    mk(&off, &rich.repeat(n)[..20_000 * 38 / 1], 38, 20, "rich");
    mk(&off, &format!("```rust\n{}", "    let x = foo(1, \"two\"); // three\n".repeat(20_000)), 38, 20, "fence");
    mk(&off, &"word and *word* and `code` in one paragraph ".repeat(17_000), 38, 20, "one line");
    mk(&off, &format!("| a | b |\n|---|---|\n{}", "| some cell | other `cell` here |\n".repeat(20_000)), 38, 20, "table");
    mk(&off, &"- an item with *some* words\n".repeat(20_000), 38, 20, "list");
    mk(&off, &"para one with words\n\n".repeat(250_000), 5, 2000, "1M chunks");
    mk(&off, &rich.repeat(5_000_000 / rich.len()), 5, 2000, "1M chunks rich");
    let big = rich.repeat(5_000_000 / rich.len());
    let t = std::time::Instant::now();
    let w: usize = big.lines().map(crate::text::cell_width).sum();
    println!("width of 5 MB {w}: {:?}", t.elapsed());
    let t = std::time::Instant::now();
    let w: usize = big.lines().map(|l| crate::text::wrap(l, 80, 80).len()).sum();
    println!("wrap of 5 MB {w}: {:?}", t.elapsed());
    let t = std::time::Instant::now();
    let mut s = Splitter::default(); s.finish(&big);
    println!("split of 5 MB at once {}: {:?}", s.segments().len(), t.elapsed());
}
