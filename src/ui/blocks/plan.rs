//! Plans: one row while current, or a box where the person opened it; a few rows in the transcript
//! once finished.

use ratatui::style::{Modifier, Style};

use super::{
    BlockView, CutText, Detail, FileLocation, Frame, Part, Source,
    rows::{FULL_ROWS, dim, indent, narrowed, prose, push_verb},
};
use crate::{
    config::Thoughts,
    model::{NamedPlan, PlanBody, PlanEntry, PlanPriority, PlanStatus, PlanText},
    text::SafeText,
    ui::render::{
        RenderContext, Rendered, Row,
        format::count,
        frame::{Corners, boxed, inner_width},
        line::{StyledLine, Wrapping},
    },
};

/// Rows of a folded markdown plan in the transcript.
const SHORT_ROWS: usize = 8;

/// Blanks between entries on one row.
const GAP: usize = 3;

/// Rows on which entries may share a row; with more, each has its own.
const SHARED_ROWS: usize = 2;

/// Rows of a plan with one entry a row, including the count of hidden ones.
const LISTED_ROWS: usize = 5;

/// With fewer rows there is no box.
const MIN_LISTED_ROWS: usize = 3;

const BORDERS: usize = 2;

impl BlockView for Vec<PlanEntry> {
    fn name(&self) -> &'static str {
        "a plan"
    }

    fn draw(&self, _: &Part<'_>, frame: &Frame<'_>) -> Rendered {
        render_finished_plan(self, &frame.ctx).into()
    }

    fn text(&self, _: &Source<'_>) -> String {
        let line = |entry: &PlanEntry| {
            let sign = match entry.status {
                PlanStatus::Completed => "[x]",
                PlanStatus::Cancelled => "[-]",
                PlanStatus::InProgress => "[>]",
                PlanStatus::Pending => "[ ]",
            };
            format!("{sign} {}", entry.content.trim())
        };
        self.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    fn usual_detail(&self, _: Thoughts, _: &Source<'_>) -> Detail {
        Detail::Full
    }

    fn next_detail(&self, _: Detail) -> Detail {
        Detail::Full
    }

    fn estimate(&self, _: usize, _: &CutText, _: usize) -> usize {
        2
    }

    fn stands_apart(&self) -> bool {
        true
    }
}

impl BlockView for PlanText {
    fn name(&self) -> &'static str {
        "a plan"
    }

    fn draw(&self, part: &Part<'_>, frame: &Frame<'_>) -> Rendered {
        let room = match part.detail {
            Detail::Full => FULL_ROWS,
            _ => SHORT_ROWS,
        };
        render_plan_text(self, room, &frame.ctx)
    }

    fn text(&self, _: &Source<'_>) -> String {
        self.text.to_string()
    }

    fn next_detail(&self, now: Detail) -> Detail {
        now.short_or_full()
    }

    fn stands_apart(&self) -> bool {
        true
    }

    fn location(&self) -> Option<FileLocation> {
        self.path.as_deref().map(FileLocation::file)
    }
}

/// A pinned plan.
#[derive(Clone, Copy, Debug)]
pub enum Pinned<'a> {
    Items(&'a [PlanEntry]),
    Text(&'a PlanText),
    /// Of an unknown type, by its name (V2-UPD-07).
    Unknown(&'a SafeText),
}

impl<'a> Pinned<'a> {
    pub fn of(plan: &'a NamedPlan) -> Self {
        match &plan.body {
            PlanBody::Items(entries) => Self::Items(entries),
            PlanBody::Text(text) => Self::Text(text),
            PlanBody::Unknown { kind, .. } => Self::Unknown(kind),
        }
    }
}

/// Pinned plans, one below the other, on at most `max_rows` rows: each takes the rows it needs but
/// leaves one for each plan below (V1-PLAN-03). Drawn again with the number of rows returned, the
/// result is the same.
pub fn render_pinned_plans(
    plans: &[Pinned<'_>],
    max_rows: usize,
    ctx: &RenderContext<'_>,
) -> Vec<Row> {
    let mut rows = Vec::new();
    for (at, plan) in plans.iter().enumerate() {
        let waiting = plans.len() - at;
        let room = max_rows.saturating_sub(rows.len());
        if room < waiting && at > 0 {
            // Plans without room are counted.
            rows.pop();
            rows.push(dim(&format!("  +{}", count(waiting + 1, "plan")), ctx));
            break;
        }
        let share = (room + 1).saturating_sub(waiting);
        rows.extend(match plan {
            Pinned::Items(entries) => render_pinned_plan(entries, share, ctx),
            Pinned::Text(text) => render_pinned_text(text, share, ctx),
            Pinned::Unknown(kind) => {
                vec![dim(&format!("  [plan of unknown type: {kind}]"), ctx)]
            }
        });
    }
    rows
}

/// A plan on at most `max_rows` rows: a box titled with its progress. Entries share rows if they
/// fit; otherwise each has a row, those nearest to the current one first. Without room for a box,
/// one row with the current entry.
pub(super) fn render_pinned_plan(
    entries: &[PlanEntry],
    max_rows: usize,
    ctx: &RenderContext<'_>,
) -> Vec<Row> {
    let ctx = &RenderContext {
        width: ctx.prose_width(),
        ..*ctx
    };
    let width = inner_width(ctx);
    let room = max_rows.saturating_sub(BORDERS);
    let rows = match shared(entries, width, ctx) {
        Some(rows) if rows.len() <= room => rows,
        _ if room >= MIN_LISTED_ROWS.min(entries.len()) => {
            listed(entries, room.min(LISTED_ROWS), width, ctx)
        }
        _ if max_rows > 0 => return vec![brief(entries, ctx)],
        _ => return Vec::new(),
    };
    let border = if done(entries) == entries.len() {
        ctx.theme.border
    } else {
        ctx.theme.accent
    };
    boxed(&title(entries, ctx), rows, border, Corners::Square, ctx)
}

/// The first rows of a markdown plan, in a box titled with its file.
fn render_pinned_text(plan: &PlanText, max_rows: usize, ctx: &RenderContext<'_>) -> Vec<Row> {
    let ctx = &RenderContext {
        width: ctx.prose_width(),
        ..*ctx
    };
    let room = max_rows.saturating_sub(BORDERS);
    if room < MIN_LISTED_ROWS {
        let mut row = StyledLine::styled("  ", Style::new());
        row.extend(&brief_text(plan, ctx));
        let row = row.truncate(ctx.width.into(), ctx.symbols.ellipsis);
        return if max_rows > 0 { vec![row] } else { Vec::new() };
    }
    let inner = RenderContext {
        width: u16::try_from(inner_width(ctx)).unwrap_or(ctx.width),
        ..*ctx
    };
    let rows = short_text(plan, room.min(LISTED_ROWS), &inner).rows;
    let title = text_title(plan, ctx);
    boxed(&title, rows, ctx.theme.accent, Corners::Square, ctx)
}

/// A markdown plan in the transcript, at most `max_rows` rows of it.
fn render_plan_text(plan: &PlanText, max_rows: usize, ctx: &RenderContext<'_>) -> Rendered {
    let mut head = StyledLine::styled("  ", Style::new());
    head.push(ctx.symbols.done, ctx.theme.success);
    head.push(" ", Style::new());
    head.extend(&text_title(plan, ctx));
    let prose = RenderContext {
        width: ctx.prose_width(),
        ..*ctx
    };
    let mut rendered = short_text(plan, max_rows, &narrowed(5, &prose));
    indent(&mut rendered.rows, 4, ctx);
    let head = head.truncate(ctx.width.into(), ctx.symbols.ellipsis);
    rendered.rows.insert(0, head);
    rendered
}

fn short_text(plan: &PlanText, max_rows: usize, ctx: &RenderContext<'_>) -> Rendered {
    let mut rendered = prose(&plan.text, ctx);
    if rendered.rows.len() > max_rows {
        let shown = max_rows.saturating_sub(1);
        let more = format!("+{}", count(rendered.rows.len() - shown, "row"));
        rendered.rows.truncate(shown);
        rendered.rows.push(dim(&more, ctx));
    }
    rendered
}

/// `plan PLAN.md` (V1-PLAN-04). No link: the path is the agent's.
fn text_title(plan: &PlanText, ctx: &RenderContext<'_>) -> StyledLine {
    let mut title = StyledLine::styled("plan", ctx.theme.strong);
    if let Some(path) = &plan.path {
        let name = path
            .rsplit('/')
            .find(|part| !part.is_empty())
            .unwrap_or(path);
        title.push(" ", Style::new());
        title.push(&SafeText::line(name), ctx.theme.dim);
    }
    title
}

/// A finished plan in the transcript, with a header like a tool call's. If it was stopped, each
/// entry shows its state.
pub(super) fn render_finished_plan(entries: &[PlanEntry], ctx: &RenderContext<'_>) -> Vec<Row> {
    let theme = ctx.theme;
    let width = usize::from(ctx.prose_width());
    let mut head = StyledLine::styled("  ", Style::new());
    let stopped = entries.iter().any(is_ahead);
    match stopped {
        true => head.push(ctx.symbols.cancelled, theme.dim),
        false => head.push(ctx.symbols.done, theme.success),
    }
    head.push(" ", Style::new());
    push_verb(&mut head, "plan", ctx);
    let indent = StyledLine::blanks(head.width());
    let separator = format!(" {} ", ctx.symbols.separator);
    let content = |entry: &PlanEntry| {
        let content = entry.content.trim();
        let sign = match entry.status {
            _ if !stopped => return content.to_owned(),
            PlanStatus::Completed => ctx.symbols.done,
            PlanStatus::Cancelled => ctx.symbols.cancelled,
            PlanStatus::Pending | PlanStatus::InProgress => ctx.symbols.pending,
        };
        format!("{sign} {content}")
    };
    let contents: Vec<String> = entries.iter().map(content).collect();
    let all = StyledLine::styled(&contents.join(&separator), theme.dim);
    all.wrap_with(Wrapping::Words, width, &head, &indent)
}

/// `plan 2/4`.
fn title(entries: &[PlanEntry], ctx: &RenderContext<'_>) -> StyledLine {
    let mut title = StyledLine::styled("plan ", ctx.theme.strong);
    title.push(
        &format!("{}/{}", done(entries), entries.len()),
        ctx.theme.dim,
    );
    title
}

/// As many entries to a row as fit; `None` if that takes too many rows.
fn shared(entries: &[PlanEntry], width: usize, ctx: &RenderContext<'_>) -> Option<Vec<Row>> {
    let mut rows: Vec<StyledLine> = vec![StyledLine::new()];
    for entry in entries {
        let next = entry_line(entry, ctx);
        if next.width() > width {
            return None;
        }
        let row = rows.last_mut()?;
        let gap = if row.is_empty() { 0 } else { GAP };
        if row.width() + gap + next.width() <= width {
            row.push(&" ".repeat(gap), Style::new());
            row.extend(&next);
        } else if rows.len() == SHARED_ROWS {
            return None;
        } else {
            rows.push(next);
        }
    }
    Some(rows.into_iter().map(StyledLine::into_row).collect())
}

/// One entry to a row, around the current one; the last row counts the hidden ones.
fn listed(
    entries: &[PlanEntry],
    max_rows: usize,
    width: usize,
    ctx: &RenderContext<'_>,
) -> Vec<Row> {
    let ellipsis = ctx.symbols.ellipsis;
    let shown = if entries.len() <= max_rows {
        entries.len()
    } else {
        max_rows.saturating_sub(1)
    };
    // Begin one entry before the current one, for orientation.
    let from = current(entries)
        .saturating_sub(1)
        .min(entries.len() - shown);
    let mut rows: Vec<Row> = entries
        .iter()
        .skip(from)
        .take(shown)
        .map(|entry| entry_line(entry, ctx).truncate(width, ellipsis))
        .collect();
    if shown < entries.len() {
        let before = match from {
            0 => None,
            n => Some(format!("+{n} before")),
        };
        let after = match entries.len() - from - shown {
            0 => None,
            n => Some(format!("+{n} after")),
        };
        let counts: Vec<String> = before.into_iter().chain(after).collect();
        let text = format!("  {}", counts.join(&format!(" {} ", ctx.symbols.separator)));
        rows.push(StyledLine::styled(&text, ctx.theme.dim).truncate(width, ellipsis));
    }
    rows
}

/// `  plan 2/4 · ▸ test it`.
fn brief(entries: &[PlanEntry], ctx: &RenderContext<'_>) -> Row {
    let mut row = StyledLine::styled("  ", Style::new());
    row.extend(&brief_line(entries, ctx));
    row.truncate(ctx.width.into(), ctx.symbols.ellipsis)
}

fn brief_line(entries: &[PlanEntry], ctx: &RenderContext<'_>) -> StyledLine {
    let mut out = title(entries, ctx);
    if let Some(entry) = entries.get(current(entries)) {
        push_separator(&mut out, ctx);
        out.extend(&entry_line(entry, ctx));
    }
    out
}

/// `plan PLAN.md · Its first heading`.
fn brief_text(plan: &PlanText, ctx: &RenderContext<'_>) -> StyledLine {
    let mut out = text_title(plan, ctx);
    let mut lines = plan
        .text
        .lines()
        .map(|line| line.trim().trim_start_matches(['#', ' ']));
    if let Some(first) = lines.find(|line| !line.is_empty()) {
        push_separator(&mut out, ctx);
        out.push(&SafeText::line(first), ctx.theme.text);
    }
    out
}

fn push_separator(line: &mut StyledLine, ctx: &RenderContext<'_>) {
    line.push(&format!(" {} ", ctx.symbols.separator), ctx.theme.dim);
}

/// Pinned plans on one row: the first, and how many there are besides; `None` without any.
pub fn plans_in_brief(plans: &[Pinned<'_>], ctx: &RenderContext<'_>) -> Option<StyledLine> {
    let (first, others) = plans.split_first()?;
    let mut out = match first {
        Pinned::Items(entries) => brief_line(entries, ctx),
        Pinned::Text(text) => brief_text(text, ctx),
        Pinned::Unknown(kind) => {
            StyledLine::styled(&format!("[plan of unknown type: {kind}]"), ctx.theme.dim)
        }
    };
    if !others.is_empty() {
        push_separator(&mut out, ctx);
        out.push(&format!("+{}", count(others.len(), "plan")), ctx.theme.dim);
    }
    Some(out)
}

/// The entry in progress, else the next pending one.
fn current(entries: &[PlanEntry]) -> usize {
    let first = |status| entries.iter().position(|entry| entry.status == status);
    first(PlanStatus::InProgress)
        .or_else(|| first(PlanStatus::Pending))
        .unwrap_or(0)
}

fn done(entries: &[PlanEntry]) -> usize {
    entries
        .iter()
        .filter(|entry| entry.status == PlanStatus::Completed)
        .count()
}

fn is_ahead(entry: &PlanEntry) -> bool {
    matches!(entry.status, PlanStatus::Pending | PlanStatus::InProgress)
}

/// The sign of how an entry stands, and what it says.
pub(super) fn entry_line(entry: &PlanEntry, ctx: &RenderContext<'_>) -> StyledLine {
    let (theme, symbols) = (ctx.theme, ctx.symbols);
    let (sign, sign_style, style) = match entry.status {
        PlanStatus::Completed => (symbols.done, theme.success, theme.dim),
        PlanStatus::InProgress => (symbols.folded, theme.accent, theme.strong),
        PlanStatus::Pending => (symbols.pending, theme.dim, theme.text),
        PlanStatus::Cancelled => (symbols.cancelled, theme.dim, theme.dim),
    };
    let mut line = StyledLine::styled(sign, sign_style);
    line.push(" ", Style::new());
    line.push(entry.content.trim(), style);
    if entry.priority == PlanPriority::High && is_ahead(entry) {
        line.push(" !", theme.warning.add_modifier(Modifier::BOLD));
    }
    line
}
