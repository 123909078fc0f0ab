//! Plans: boxed, all entries in order, as many to a row as fit whole.

use ratatui::style::{Modifier, Style};

use super::{
    RenderContext, Row,
    frame::{Corners, boxed, inner_width},
    line::{StyledLine, Wrapping},
};
use crate::proto::{PlanEntry, PlanPriority, PlanStatus};

/// Blanks between entries on one row.
const GAP: usize = 3;

/// The plan in a box titled with what is done of it. Short plans stand on one row; else each entry
/// has its own.
pub fn render_plan(entries: &[PlanEntry], ctx: &RenderContext<'_>) -> Vec<Row> {
    let width = inner_width(ctx);
    let lines: Vec<StyledLine> = entries.iter().map(|entry| line(entry, ctx)).collect();
    let together: usize = lines.iter().map(|line| line.width() + GAP).sum();
    let rows = if together <= width + GAP {
        let mut row = StyledLine::new();
        for (n, line) in lines.iter().enumerate() {
            if n > 0 {
                row.push(&" ".repeat(GAP), Style::new());
            }
            row.extend(line);
        }
        vec![row.into_row()]
    } else {
        let none = StyledLine::new();
        let mut rest = StyledLine::new();
        rest.fill_to(2, Style::new());
        lines
            .iter()
            .flat_map(|line| line.wrap_with(Wrapping::Words, width, &none, &rest))
            .collect()
    };
    let border = if done(entries) == entries.len() {
        ctx.theme.border
    } else {
        ctx.theme.accent
    };
    let mut title = StyledLine::styled("plan ", ctx.theme.strong);
    title.push(
        &format!("{}/{}", done(entries), entries.len()),
        ctx.theme.dim,
    );
    boxed(&title, rows, border, Corners::Square, ctx)
}

fn done(entries: &[PlanEntry]) -> usize {
    entries
        .iter()
        .filter(|entry| entry.status == PlanStatus::Completed)
        .count()
}

fn line(entry: &PlanEntry, ctx: &RenderContext<'_>) -> StyledLine {
    let (theme, symbols) = (ctx.theme, ctx.symbols);
    let (sign, sign_style, style) = match entry.status {
        PlanStatus::Completed => (symbols.done, theme.success, theme.dim),
        PlanStatus::InProgress => (symbols.folded, theme.accent, theme.strong),
        PlanStatus::Pending => (symbols.pending, theme.dim, theme.text),
    };
    let mut line = StyledLine::styled(sign, sign_style);
    line.push(" ", Style::new());
    line.push(entry.content.trim(), style);
    if entry.priority == PlanPriority::High && entry.status != PlanStatus::Completed {
        line.push(" !", theme.warning.add_modifier(Modifier::BOLD));
    }
    line
}
