//! Notices of the agent: toasts over the upper right of the conversation, each for some seconds
//! (V1-NOTE-01). None of it is kept.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::Style,
    widgets::{Clear, Widget},
};

use crate::{
    model::{AgentNotice, NoticeSeverity},
    ui::render::{
        RenderContext, Row, draw_rows,
        excerpt::{Excerpt, Keep},
        frame::{Corners, boxed, inner_width},
        line::{StyledLine, Wrapping, prefixed, row_width},
    },
};

/// At once on the screen; those behind wait for their turn.
const SHOWN: usize = 3;
/// Waiting and shown; of more the oldest are dropped.
const KEPT: usize = 32;
/// Cells of the widest one, and what stays free beside it.
const WIDTH: u16 = 60;
const MARGIN: u16 = 2;
/// Rows of a title, and of what is said below it.
const TITLE_ROWS: usize = 2;
const DESCRIPTION_ROWS: usize = 4;

/// How long one is shown: an error longest.
fn patience(severity: NoticeSeverity) -> Duration {
    Duration::from_secs(match severity {
        NoticeSeverity::Info => 6,
        NoticeSeverity::Warning => 9,
        NoticeSeverity::Error => 12,
    })
}

/// Notices to show, the oldest first.
#[derive(Debug, Default)]
pub struct Notices {
    notices: VecDeque<Toast>,
}

#[derive(Debug)]
struct Toast {
    notice: AgentNotice,
    /// Set with the first frame that shows it.
    until: Option<Instant>,
}

impl Notices {
    pub fn say(&mut self, notice: AgentNotice) {
        // Sent again while it is shown, it stays longer.
        if let Some(same) = self.notices.iter_mut().find(|toast| toast.notice == notice) {
            same.until = None;
            return;
        }
        if self.notices.len() >= KEPT {
            self.notices.pop_front();
        }
        self.notices.push_back(Toast {
            notice,
            until: None,
        });
    }

    /// When the first that shows is to go.
    pub fn deadline(&self) -> Option<Instant> {
        self.notices.iter().filter_map(|toast| toast.until).min()
    }

    /// Draws the current notices over `area`, where there is room; returns their places.
    pub fn draw(&mut self, area: Rect, buf: &mut Buffer, ctx: &RenderContext<'_>) -> Vec<Rect> {
        let now = ctx.now;
        self.notices
            .retain(|toast| toast.until.is_none_or(|until| until > now));
        let mut places = Vec::new();
        let mut top = area.y;
        for toast in self.notices.iter_mut().take(SHOWN) {
            let rows = rows(&toast.notice, area.width, ctx);
            let height = u16::try_from(rows.len()).unwrap_or(u16::MAX);
            let width = rows.iter().map(row_width).max().unwrap_or(0);
            let width = u16::try_from(width).unwrap_or(area.width).min(area.width);
            if height > area.bottom().saturating_sub(top) {
                break;
            }
            toast
                .until
                .get_or_insert(now + patience(toast.notice.severity));
            let place = Rect {
                x: area.right().saturating_sub(width + MARGIN).max(area.x),
                y: top,
                width,
                height,
            };
            Clear.render(place, buf);
            draw_rows(&rows, place, buf);
            places.push(place);
            top += height;
        }
        places
    }
}

fn rows(notice: &AgentNotice, width: u16, ctx: &RenderContext<'_>) -> Vec<Row> {
    let (theme, symbols) = (ctx.theme, ctx.symbols);
    let (sign, style) = match notice.severity {
        NoticeSeverity::Info => (symbols.bullet, theme.accent),
        NoticeSeverity::Warning => ("!", theme.warning),
        NoticeSeverity::Error => (symbols.failed, theme.error),
    };
    let outer = RenderContext {
        width: width.saturating_sub(2 * MARGIN).clamp(1, WIDTH),
        ..*ctx
    };
    let room = inner_width(&outer);
    let head = StyledLine::styled(sign, style.patch(theme.strong)).with(" ", Style::new());
    let indent = StyledLine::blanks(head.width());
    let title = StyledLine::styled(notice.title.trim(), theme.strong);
    let mut inside = title.wrap_with(Wrapping::Words, room, &head, &indent);
    if inside.len() > TITLE_ROWS {
        inside.truncate(TITLE_ROWS - 1);
        let rest = title.truncate(room.saturating_sub(head.width()), symbols.ellipsis);
        inside = vec![prefixed(&head, rest, room)];
    }
    if let Some(description) = &notice.description {
        let excerpt = Excerpt {
            keep: Keep::Head,
            max_rows: DESCRIPTION_ROWS,
            wrapping: Wrapping::Words,
            style: theme.text,
        };
        let room = room.saturating_sub(indent.width()).max(1);
        let rows = excerpt.rows(description.trim(), room, &outer);
        let whole = inner_width(&outer);
        let row = |row| prefixed(&indent, row, whole);
        inside.extend(rows.into_iter().map(row));
    }
    let widest = inside.iter().map(row_width).max().unwrap_or(0);
    let borders = usize::from(outer.width) - room;
    let fitting = RenderContext {
        width: u16::try_from(widest + borders).unwrap_or(outer.width),
        ..outer
    };
    boxed(&StyledLine::new(), inside, style, Corners::Round, &fitting)
}
