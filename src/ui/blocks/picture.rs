//! An image below the line that names it: in half blocks, with what is needed to draw it in pixels
//! where the terminal can.
//!
//! It is decoded by a worker; until it is there, its rows are blank, so that nothing moves when it comes.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

use ratatui::{layout::Size, text::Span};

use super::rows::{FULL_ROWS, dim};
use crate::{
    model::{ImageData, MAX_IMAGE},
    picture::{Drawn, Half, Head, Medium, Strip, Unfit, head},
    text::SafeText,
    ui::{
        offload::Product,
        render::{RenderContext, Rendered, Row},
    },
};

/// Rows of an image in a folded block, and of one in an unfolded.
const SHORT_ROWS: u16 = 12;
const LONG_ROWS: u16 = 30;

/// Columns that an image takes, at most.
const MAX_COLUMNS: u16 = 100;

/// An image that was decoded, or why it was not.
struct Work(Result<Arc<Drawn>, Unfit>);

impl Default for Work {
    fn default() -> Self {
        Self(Err(Unfit::Broken))
    }
}

impl Product for Work {
    fn weight(&self) -> usize {
        self.0.as_ref().map_or(0, |drawn| drawn.weight())
    }
}

struct Looked(Result<Head, Unfit>);

impl Default for Looked {
    fn default() -> Self {
        Self(Err(Unfit::Broken))
    }
}

impl Product for Looked {
    fn weight(&self) -> usize {
        size_of::<Self>()
    }
}

/// What there is to say of an image besides its name.
#[derive(Default)]
pub struct Shown {
    pub notes: Vec<String>,
    pub rendered: Rendered,
}

/// The rows of an image. `said` is the type that its sender gives it, `size` its bytes.
pub fn picture(
    data: Option<&ImageData>,
    said: &str,
    size: Option<usize>,
    max_rows: usize,
    ctx: &RenderContext<'_>,
) -> Shown {
    let mut shown = Shown::default();
    if ctx.pictures.medium == Medium::None {
        return shown;
    }
    let Some(data) = data else {
        if size.is_some_and(|size| size.div_ceil(3) * 4 > MAX_IMAGE) {
            shown.notes.push("too large to be drawn".to_owned());
        }
        return shown;
    };
    let looked = ctx
        .offload
        .get_now(key(data, "head", 0), || Looked(head(data)));
    let head = match looked.as_deref() {
        Some(Looked(Ok(head))) => *head,
        Some(Looked(Err(why))) => {
            shown.notes.push(why.to_string());
            return shown;
        }
        None => return shown,
    };
    if !(said.eq_ignore_ascii_case(head.mime) || said == "image/jpg" && head.mime == "image/jpeg") {
        shown.notes.push(format!("is {}", head.mime));
    }
    let rows = if max_rows >= FULL_ROWS {
        LONG_ROWS
    } else {
        SHORT_ROWS
    };
    let most = Size::new(ctx.prose_width().min(MAX_COLUMNS), rows);
    match drawn(data, most, ctx) {
        None => {
            let size = head.pixels.map(|pixels| ctx.pictures.cells(pixels, most));
            let rows = size.map_or(0, |size| usize::from(size.height));
            shown.rendered.rows = vec![Row::default(); rows];
            shown.rendered.provisional = true;
        }
        Some(Err(why)) => shown.notes.push(why.to_string()),
        Some(Ok(drawn)) => {
            if drawn.animated {
                shown.notes.push("first frame".to_owned());
            }
            shown.rendered.rows = strips(&drawn).collect();
        }
    }
    shown
}

/// The image in at most so many cells; `None` while it is decoded.
pub fn drawn(
    data: &ImageData,
    most: Size,
    ctx: &RenderContext<'_>,
) -> Option<Result<Arc<Drawn>, Unfit>> {
    let key = key(data, "drawn", (most, ctx.pictures));
    let (data, canvas) = (data.clone(), ctx.pictures);
    let work = ctx.offload.pictures().get(key, data.len(), move || {
        Work(Drawn::new(&data, key, most, &canvas).map(Arc::new))
    })?;
    Some(work.0.clone())
}

/// Its rows, each with the part of the image that belongs there.
pub fn strips(drawn: &Arc<Drawn>) -> impl Iterator<Item = Row> + '_ {
    (0..drawn.size.height).map(|row| Row {
        picture: Some(Strip {
            drawn: drawn.clone(),
            row,
            column: 0,
        }),
        ..half_blocks(drawn.row(row))
    })
}

fn half_blocks(cells: &[Half]) -> Row {
    let runs = cells.chunk_by(|a, b| a.style() == b.style());
    let spans = runs.map(|run| {
        let symbols: String = run.iter().map(|cell| cell.symbol).collect();
        Span::styled(symbols, run.first().map(Half::style).unwrap_or_default())
    });
    let mut row = Row::from(ratatui::text::Line::from(spans.collect::<Vec<_>>()));
    // Nothing of it was written.
    row.written.from = u16::MAX;
    row
}

/// The line that names an image, with `notes`.
pub fn caption(parts: &[String], ctx: &RenderContext<'_>) -> Row {
    let separator = format!(" {} ", ctx.symbols.separator);
    let text = SafeText::line(&parts.join(&separator));
    dim(&format!("[{text}]"), ctx)
}

fn key(data: &ImageData, what: &str, of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    (data.hash(), data.len(), what).hash(&mut hasher);
    of.hash(&mut hasher);
    hasher.finish()
}
