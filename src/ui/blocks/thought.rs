//! Thoughts: the last rows while they stream, one row afterwards.

use super::{
    BlockView, Content, Detail, Frame, Markdown, Part, Searched, Source, quoted,
    rows::{INDENT, fold_sign, last_rows},
};
use crate::{
    config::Thoughts,
    session::Thought,
    text::last_bytes,
    ui::{
        offload::Offload,
        render::{
            RenderContext, Rendered, Row,
            excerpt::line_count,
            format::{count, elapsed, elapsed_seconds},
            line::StyledLine,
        },
    },
};

/// Rows of a thought that streams.
const LIVE_ROWS: usize = 4;

/// Bytes at the end of a thought that these rows are made from.
const LIVE_BYTES: usize = 4 << 10;

impl BlockView for Thought {
    fn name(&self) -> &'static str {
        "a thought"
    }

    fn draw(&self, part: &Part<'_>, frame: &Frame<'_>) -> Rendered {
        let Some(segment) = part.segment.checked_sub(1) else {
            if self.is_nothing() {
                return Rendered::default();
            }
            let unfolded = part.detail != Detail::Header;
            let header = render_thought_header(self, unfolded, frame.spinner(), &frame.ctx);
            return vec![header].into();
        };
        if part.detail != Detail::Full {
            return render_thought_tail(self, &frame.ctx).into();
        }
        let mut rendered = part.text.draw(&self.text, segment, 2 * INDENT, frame);
        for row in &mut rendered.rows {
            for span in &mut row.line.spans {
                span.style = span.style.patch(frame.ctx.theme.thought);
            }
        }
        rendered
    }

    fn text(&self, _: &Source<'_>) -> String {
        self.text.as_str().to_owned()
    }

    fn paged_text(&self, _: &Source<'_>) -> Option<String> {
        let text = Some(self.text.trim()).filter(|text| !text.is_empty())?;
        Some(format!("[thought]\n{}", quoted(text, "  ")))
    }

    fn searched<'a>(&'a self, _: &Source<'a>, _: &Offload) -> Option<Vec<Searched<'a>>> {
        Some(vec![Searched::markdown(1, &self.text, self.took.is_some())])
    }

    fn usual_detail(&self, thoughts: Thoughts, _: &Source<'_>) -> Detail {
        match (thoughts, self.took) {
            (Thoughts::Show, _) => Detail::Full,
            (Thoughts::Auto, None) => Detail::Short,
            (Thoughts::Auto, Some(_)) | (Thoughts::Hide, _) => Detail::Header,
        }
    }

    fn segments(&self, detail: Detail, _: &Source<'_>) -> usize {
        let live = detail == Detail::Short && self.took.is_none();
        1 + usize::from(live)
    }

    fn markdown(&self, detail: Detail) -> Option<Markdown<'_>> {
        (detail == Detail::Full).then_some(Markdown {
            text: &self.text,
            done: self.took.is_some(),
        })
    }

    fn is_long(&self) -> bool {
        true
    }

    fn content(&self, rev: u64, segment: usize, _: Detail, _: &Frame<'_>) -> Content {
        // An open thought's header depends on time only.
        let only_time = segment == 0 && self.took.is_none();
        Content::Block {
            rev: if only_time { 0 } else { rev },
            screen: 0,
        }
    }

    fn has_body(&self, detail: Detail, _: &Source<'_>) -> bool {
        match detail {
            Detail::Header => false,
            Detail::Short => self.took.is_none(),
            Detail::Full => true,
        }
    }

    /// Some agents send thoughts of newlines only.
    fn is_nothing(&self) -> bool {
        self.took.is_some() && self.text.trim().is_empty()
    }

    fn moves(&self, segment: usize, _: &Source<'_>) -> bool {
        segment == 0 && self.took.is_none()
    }
}

/// `▸ thought · 14 lines · 3.2s`, or with the spinner while it comes in. `unfolded` says what is
/// drawn below.
pub(super) fn render_thought_header(
    thought: &Thought,
    unfolded: bool,
    spinner: Option<&str>,
    ctx: &RenderContext<'_>,
) -> Row {
    let symbols = ctx.symbols;
    let style = ctx.theme.dim;
    let mut line = StyledLine::styled("  ", style);
    let open = thought.took.is_none();
    let sign = match spinner {
        Some(frame) if open => frame,
        _ => fold_sign(unfolded, ctx),
    };
    line.push(sign, if open { ctx.theme.accent } else { style });
    let mut parts = vec![if open { "thinking" } else { "thought" }.to_owned()];
    match thought.took {
        Some(took) => {
            parts.push(count(line_count(thought.text.trim()), "line"));
            // The time of a replayed thought is unknown.
            if took.as_millis() >= 100 {
                parts.push(elapsed(took));
            }
        }
        // Without motion no time counts up.
        None if spinner.is_some() => {
            let so_far = ctx.now.saturating_duration_since(thought.started);
            if so_far.as_secs() > 0 {
                parts.push(elapsed_seconds(so_far));
            }
        }
        None => {}
    }
    line.push(" ", style);
    line.push(&parts.join(&format!(" {} ", symbols.separator)), style);
    line.truncate(usize::from(ctx.width), symbols.ellipsis)
}

/// The last rows of a thought that streams, at a cost that does not grow with it.
pub(super) fn render_thought_tail(thought: &Thought, ctx: &RenderContext<'_>) -> Vec<Row> {
    // No count of hidden rows: it would race; the header's time shows that more was said.
    let tail = last_bytes(thought.text.trim(), LIVE_BYTES);
    last_rows(tail, LIVE_ROWS, 2 * INDENT, ctx.theme.thought, ctx)
}
