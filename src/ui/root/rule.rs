//! The rule above the composer: the plan at its left while that is unfinished, at its right what is
//! below a scrolled view, with the key that goes there.

use crate::ui::{
    render::{RenderContext, Row, format::count, line::StyledLine},
    transcript::Below,
};

/// Cells of the rule before its first label, and behind its last.
const END: usize = 1;

/// Cells that the plan keeps before the other label goes.
const MIN_PLAN: usize = 16;

/// The rule with what it carries, as wide as `ctx` says.
pub fn row(plan: Option<&StyledLine>, below: Option<&StyledLine>, ctx: &RenderContext<'_>) -> Row {
    let width = usize::from(ctx.width);
    let (symbols, border) = (ctx.symbols, ctx.theme.border);
    let rule = |cells: usize| symbols.rule.repeat(cells);
    let framed = |label: &StyledLine| label.width() + 2 + END;
    let least = plan.map_or(0, |plan| framed(plan).min(MIN_PLAN + 2 + END));
    let below = below.filter(|below| least + framed(below) <= width);
    let right = below.map_or(0, framed);
    let mut line = StyledLine::new();
    if let Some(plan) = plan {
        let room = width.saturating_sub(right + 2 + 2 * END);
        line.push(&rule(END), border);
        line.push(" ", border);
        for span in plan.truncate(room, symbols.ellipsis).line {
            line.push(&span.content, span.style);
        }
        line.push(" ", border);
    }
    if let Some(below) = below {
        line.push(&rule(width.saturating_sub(right + line.width())), border);
        line.push(" ", border);
        line.extend(below);
        line.push(" ", border);
    }
    line.push(&rule(width.saturating_sub(line.width())), border);
    line.truncate(width, "")
}

/// `↓ 42 new lines · ctrl-end`, or how much is below.
pub fn below(below: Below, key: &str, ctx: &RenderContext<'_>) -> StyledLine {
    let (theme, symbols) = (ctx.theme, ctx.symbols);
    let (text, style) = match below.new {
        0 => (format!("{} below", count(below.rows, "line")), theme.dim),
        new => (count(new, "new line"), theme.accent.patch(theme.strong)),
    };
    let mut line = StyledLine::styled(&format!("{} {text}", symbols.more), style);
    if !key.is_empty() {
        line.push(&format!(" {} ", symbols.separator), theme.dim);
        line.push(key, theme.key_hint);
    }
    line
}

#[cfg(test)]
mod tests {
    use ratatui::style::Style;

    use super::*;
    use crate::ui::render::testing::Stage;

    fn text(row: &Row) -> String {
        row.line.spans.iter().map(|span| &*span.content).collect()
    }

    #[test]
    fn a_rule_is_full_width_whatever_it_carries() {
        let stage = Stage::dark();
        let plan = StyledLine::styled("plan 2/4 · ▸ test it, in every way", Style::new());
        let more = StyledLine::styled("↓ 12 new lines · ctrl-end", Style::new());
        for width in 1..100_u16 {
            for (plan, more) in [
                (None, None),
                (Some(&plan), None),
                (None, Some(&more)),
                (Some(&plan), Some(&more)),
            ] {
                let row = row(plan, more, &stage.ctx(width));
                let cells = crate::text::cell_width(&text(&row));
                assert_eq!(cells, usize::from(width), "{:?}", text(&row));
            }
        }
    }

    #[test]
    fn the_plan_is_cut_before_the_count_of_new_lines_goes() {
        let stage = Stage::dark();
        let plan = StyledLine::styled("plan 2/4 · ▸ test it, in every way", Style::new());
        let more = StyledLine::styled("↓ 12 new lines · ctrl-end", Style::new());
        let at = |width| text(&row(Some(&plan), Some(&more), &stage.ctx(width)));
        assert_eq!(
            at(70),
            "─ plan 2/4 · ▸ test it, in every way ── ↓ 12 new lines · ctrl-end ─"
                .replace(" ── ", " ───── ")
        );
        assert_eq!(at(50), "─ plan 2/4 · ▸ test… ─ ↓ 12 new lines · ctrl-end ─");
        assert_eq!(at(40), "─ plan 2/4 · ▸ test it, in every way ───");
    }
}
