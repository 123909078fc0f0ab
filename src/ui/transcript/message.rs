//! stand-in
use std::ops::Range;
use crate::ui::render::{RenderContext, Rendered, line::StyledLine};

#[derive(Debug, Default)]
pub struct Splitter { segments: Vec<Range<usize>> }
impl Splitter {
    pub fn update(&mut self, source: &str) {
        let from = self.segments.pop().map_or(0, |s| s.start);
        let mut at = from;
        while let Some(n) = source[at..].find("\n\n") {
            self.segments.push(at..at + n + 2);
            at += n + 2;
        }
        if at < source.len() || self.segments.is_empty() { self.segments.push(at..source.len()); }
    }
    pub fn segments(&self) -> &[Range<usize>] { &self.segments }
}
pub fn render(source: &str, segment: &Range<usize>, ctx: &RenderContext<'_>) -> Rendered {
    let text = source[segment.clone()].trim_end();
    let mut rows: Vec<_> = StyledLine::lines(text, ctx.theme.text).flat_map(|l| l.wrap(usize::from(ctx.width))).collect();
    rows.push(Default::default());
    Rendered { rows, provisional: false }
}
