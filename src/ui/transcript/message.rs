//! stand-in
use std::ops::Range;
use crate::ui::render::{RenderContext, Rendered, line::StyledLine};

#[derive(Debug, Clone)]
pub struct Segment { pub range: Range<usize>, pub done: bool, pub gap: bool }
#[derive(Debug, Default)]
pub struct Splitter { segments: Vec<Segment> }
impl Splitter {
    pub fn update(&mut self, source: &str) {
        let from = self.segments.pop().map_or(0, |s| s.range.start);
        let mut at = from;
        while let Some(n) = source[at..].find("\n\n") {
            self.segments.push(Segment { range: at..at + n + 2, done: true, gap: at > 0 });
            at += n + 2;
        }
        if at < source.len() || self.segments.is_empty() { self.segments.push(Segment { range: at..source.len(), done: false, gap: at > 0 }); }
    }
    pub fn finish(&mut self, source: &str) { self.update(source) }
    pub fn segments(&self) -> &[Segment] { &self.segments }
    pub fn defs(&self) -> &() { &() }
}
pub fn render(source: &str, segment: &Segment, _: &(), ctx: &RenderContext<'_>) -> Rendered {
    let text = source[segment.range.clone()].trim_end();
    let mut rows: Vec<_> = StyledLine::lines(text, ctx.theme.text).flat_map(|l| l.wrap(usize::from(ctx.width))).collect();
    if segment.gap { rows.insert(0, Default::default()); }
    Rendered { rows, provisional: false }
}
