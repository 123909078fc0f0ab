//! Diffs: compared off the UI task, drawn for the rows that are asked for.
//!
//! Owns the comparison and both layouts, for the transcript, the permission dialog and the
//! full-screen viewer alike. Must not know about folding or scrolling: a caller says how many rows
//! it wants.

mod key;
mod model;
mod paint;

use std::{path::Path, sync::Arc};

use ratatui::text::Line;

use super::{
    RenderContext, Rendered, Row,
    excerpt::ABOVE_FOUND,
    format::{count, grouped, shown_path},
    line::StyledLine,
};
use crate::{
    config::DiffLayout,
    model::{Diff, DiffText, FileChange, FileKind},
    text::SafeText,
    ui::{
        contain::contained,
        offload::{Offload, Product},
        theme::{Symbols, Theme},
    },
};

pub use model::{DiffLine, DiffModel, DiffStats, Form, Side};
pub use paint::{Item, Layout, Painter};

/// Texts up to this many bytes are compared at once: it takes less than a frame, and the rows do
/// not jump.
const AT_ONCE: usize = 16 << 10;

#[derive(Clone, Copy, Debug)]
pub struct DiffOptions {
    /// Rows at most; the lines left out are counted in one more row.
    pub max_rows: usize,
    pub layout: DiffLayout,
    /// The line of [`DiffModel::shown`] that find is at: rows stand around it where it is not among
    /// the first.
    pub found: Option<usize>,
}

/// Rows of a diff, and what they are.
#[derive(Debug, Default)]
pub struct DiffRows {
    pub rendered: Rendered,
    /// Lines of text that no row shows: what the row that says so counts.
    pub left_out: usize,
    /// Rows before the first one that is changed.
    pub lead: usize,
}

/// The diff's hunks, without a header. While it is compared, one row that says so.
pub fn render_diff(diff: &Arc<Diff>, options: &DiffOptions, ctx: &RenderContext<'_>) -> Rendered {
    diff_rows(diff, options, ctx).rendered
}

/// As [`render_diff`], and what its rows are.
pub fn diff_rows(diff: &Arc<Diff>, options: &DiffOptions, ctx: &RenderContext<'_>) -> DiffRows {
    let Some(model) = diff_model(diff, ctx.offload) else {
        let waiting = note(&format!("comparing{}", ctx.symbols.ellipsis), ctx);
        return DiffRows {
            rendered: Rendered {
                rows: vec![waiting],
                provisional: true,
            },
            ..DiffRows::default()
        };
    };
    let layout = Layout::choose(options.layout, &model, ctx.width);
    let painter = Painter::new(&model, &diff.path, ctx);
    let found = options.found.and_then(|line| model.shown_line(line));
    let found = found.and_then(|line| {
        let mut items = layout.items(&model);
        items.position(|item| item.has(line))
    });
    let mut drawn = draw_items(
        &model,
        &painter,
        layout,
        (0, found, false),
        options.max_rows,
        ctx,
    );
    if let Some(at) = found.filter(|at| *at >= drawn.items) {
        let from = at.saturating_sub(options.max_rows / ABOVE_FOUND);
        drawn = draw_items(
            &model,
            &painter,
            layout,
            (from, Some(at), true),
            options.max_rows,
            ctx,
        );
    }
    let Drawn {
        mut rows,
        left_out,
        lead,
        ..
    } = drawn;
    rows.extend(remarks(diff, &model).map(|text| note(text, ctx)));
    DiffRows {
        rendered: Rendered {
            rows,
            provisional: painter.provisional(),
        },
        left_out,
        lead,
    }
}

/// Rows of some items of a diff.
struct Drawn {
    rows: Vec<Row>,
    /// Items that are whole among the rows.
    items: usize,
    left_out: usize,
    lead: usize,
}

/// The items from one on. `found`: the one that find is at gets its sign, and if it is to be reached, they
/// go on at least up to it.
fn draw_items(
    model: &DiffModel,
    painter: &Painter<'_>,
    layout: Layout,
    (from, found, reach): (usize, Option<usize>, bool),
    max_rows: usize,
    ctx: &RenderContext<'_>,
) -> Drawn {
    let mut items = layout.items(model);
    let above: usize = items.by_ref().take(from).map(Item::text_lines).sum();
    let mut rows: Vec<Row> = Vec::new();
    if above > 0 {
        rows.push(note(&format!("+{}", count(above, "line")), ctx));
    }
    let (mut left_out, mut lead, mut at) = (above, None, from);
    let mut below = 0;
    while let Some(item) = items.next() {
        let mut next = painter.item(item);
        // A row that counts one omitted row would save nothing.
        let last = items.size_hint().1 == Some(0) && next.len() == 1;
        if rows.len() >= max_rows && !last && !(reach && found.is_some_and(|found| at <= found)) {
            below = item.text_lines() + items.map(Item::text_lines).sum::<usize>();
            break;
        }
        if item.is_change() {
            lead.get_or_insert(rows.len());
        }
        if found == Some(at)
            && let Some(first) = next.first_mut()
        {
            first.written.found = true;
        }
        rows.extend(next);
        at += 1;
    }
    let is_cut = rows.len() > max_rows.saturating_add(1) && !reach;
    if is_cut {
        let cut = rows.len() - max_rows;
        rows.truncate(max_rows);
        at -= 1;
        if below == 0 {
            rows.push(note(&format!("+{}", count(cut, "row")), ctx));
        }
    }
    if below > 0 {
        rows.push(note(&format!("+{}", count(below, "line")), ctx));
    }
    left_out += below;
    Drawn {
        rows,
        items: at,
        left_out,
        lead: lead.unwrap_or(0),
    }
}

/// Whether both sides stand next to each other at that width. While it is compared, whether they may.
pub fn is_split(diff: &Arc<Diff>, layout: DiffLayout, width: u16, offload: &Offload) -> bool {
    let form = diff_summary(diff, offload).map_or(Form::Changed, |summary| summary.form);
    Layout::of_form(layout, form, width) == Layout::Split
}

/// The result of a comparison: all that is drawn of a folded diff.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiffSummary {
    pub form: Form,
    pub stats: DiffStats,
}

impl Product for DiffSummary {
    fn weight(&self) -> usize {
        size_of::<Self>()
    }
}

impl From<&DiffModel> for DiffSummary {
    fn from(model: &DiffModel) -> Self {
        Self {
            form: model.form,
            stats: model.stats,
        }
    }
}

/// `+18 −4`
pub fn push_stats(line: &mut StyledLine, stats: DiffStats, theme: &Theme, symbols: &Symbols) {
    line.push(&format!("+{}", grouped(stats.added)), theme.success);
    let removed = format!(" {}{}", symbols.minus, grouped(stats.removed));
    line.push(&removed, theme.error);
}

/// Lines added and removed; `None` while the diff is compared.
pub fn diff_stats(diff: &Arc<Diff>, offload: &Offload) -> Option<DiffStats> {
    diff_summary(diff, offload).map(|summary| summary.stats)
}

/// As [`diff_stats`], with the kind of change. It is kept longer than the comparison.
pub fn diff_summary(diff: &Arc<Diff>, offload: &Offload) -> Option<DiffSummary> {
    match offload.peek::<DiffSummary>(summary_key(key::key(diff))) {
        Some(summary) => Some(*summary),
        None => diff_model(diff, offload).map(|model| DiffSummary::from(&*model)),
    }
}

/// Keys are random, so that this is no other diff's key.
fn summary_key(key: u64) -> u64 {
    key.rotate_left(17) ^ 0x5555_5555_5555_5555
}

/// The comparison; `None` while it runs.
pub fn diff_model(diff: &Arc<Diff>, offload: &Offload) -> Option<Arc<DiffModel>> {
    let key = key::key(diff);
    let job = {
        let (diff, offload) = (diff.clone(), offload.clone());
        move || {
            let model = contained("a diff", || DiffModel::new(&diff))
                .unwrap_or_else(|_| DiffModel::uncompared(&diff));
            let summary = DiffSummary::from(&model);
            offload.put(summary_key(key), 0, Arc::new(summary));
            model
        }
    };
    if diff.weight() <= AT_ONCE {
        offload.get_now(key, job)
    } else {
        offload.get(key, diff.weight(), job)
    }
}

/// The kind of change and of file, where the lines do not show it (V2-UPD-06).
pub fn change_label(diff: &Diff, cwd: &Path) -> Option<SafeText> {
    if let (DiffText::Sides { .. }, true) = (&diff.text, diff.change != FileChange::Overwrite) {
        return None;
    }
    let mut words: Vec<String> = Vec::new();
    words.extend(match &diff.change {
        FileChange::Add => Some("new".to_owned()),
        FileChange::Delete => Some("deleted".to_owned()),
        FileChange::Modify => None,
        FileChange::Overwrite => Some("overwrites the file".to_owned()),
        FileChange::Move { from } => Some(format!("moved from {}", shown_path(from, cwd))),
        FileChange::Copy { from } => Some(format!("copied from {}", shown_path(from, cwd))),
        FileChange::Other(name) => Some(name.to_string()),
    });
    words.extend(match &diff.file {
        FileKind::Binary => Some("binary".to_owned()),
        FileKind::Directory => Some("directory".to_owned()),
        FileKind::Symlink => Some("symbolic link".to_owned()),
        FileKind::Other(kind) => Some(kind.to_string()),
        FileKind::Text | FileKind::Unknown => None,
    });
    if diff.file != FileKind::Text {
        words.extend(diff.mime_type.as_ref().map(ToString::to_string));
    }
    if words.is_empty() && diff.text == DiffText::None {
        words.push("changed".to_owned());
    }
    (!words.is_empty()).then(|| SafeText::line(&words.join(", ")))
}

/// Remarks on what the lines do not show.
pub fn remarks<'a>(diff: &'a Diff, model: &DiffModel) -> impl Iterator<Item = &'a str> {
    diff.note.as_deref().into_iter().chain(remark(diff, model))
}

fn remark(diff: &Diff, model: &DiffModel) -> Option<&'static str> {
    match model.form {
        // The note says why.
        Form::Same if diff.note.is_some() => None,
        Form::Same => Some("no visible difference"),
        Form::Created if model.lines.is_empty() => Some("empty file"),
        _ if model.rough => Some("large: compared roughly"),
        _ => None,
    }
}

fn note(text: &str, ctx: &RenderContext<'_>) -> Row {
    StyledLine::styled(text, ctx.theme.dim).truncate(usize::from(ctx.width), ctx.symbols.ellipsis)
}

/// A row without text.
fn blank() -> Row {
    Row::from(Line::default())
}

#[cfg(test)]
mod tests;
