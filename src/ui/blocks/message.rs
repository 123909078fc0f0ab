//! What the agent says: markdown.

use super::{BlockView, CutText, Detail, Frame, Markdown, Part, Searched, Source, rows::INDENT};
use crate::{
    config::Thoughts,
    session::Message,
    ui::{offload::Offload, render::Rendered},
};

impl BlockView for Message {
    fn name(&self) -> &'static str {
        "a message"
    }

    fn draw(&self, part: &Part<'_>, frame: &Frame<'_>) -> Rendered {
        part.text.draw(&self.text, part.segment, INDENT, frame)
    }

    fn text(&self, _: &Source<'_>) -> String {
        self.text.as_str().to_owned()
    }

    fn searched<'a>(&'a self, _: &Source<'a>, _: &Offload) -> Option<Vec<Searched<'a>>> {
        Some(vec![Searched::markdown(0, &self.text, self.done)])
    }

    fn usual_detail(&self, _: Thoughts, _: &Source<'_>) -> Detail {
        Detail::Full
    }

    fn next_detail(&self, _: Detail) -> Detail {
        Detail::Full
    }

    fn segments(&self, _: Detail, _: &Source<'_>) -> usize {
        0
    }

    fn markdown(&self, _: Detail) -> Option<Markdown<'_>> {
        Some(Markdown {
            text: &self.text,
            done: self.done,
        })
    }

    fn is_long(&self) -> bool {
        true
    }

    fn estimate(&self, segment: usize, text: &CutText, width: usize) -> usize {
        let bytes = text.segment(segment).map_or(0, |part| part.range.len());
        bytes / width + 2
    }

    fn stands_apart(&self) -> bool {
        true
    }
}
