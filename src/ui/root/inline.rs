//! The screen without the alternate screen: what is finished is printed once, and what still changes is
//! drawn below it.
//!
//! Owns: which of both a row belongs to, and when the whole screen is needed all the same (a viewer, browsing,
//! scrolling, finding). Must not know how either gets to the terminal.

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect, Size},
    style::Style,
};

use super::{Ui, mouse::Places};
use crate::{
    model::SessionKey,
    session::Session,
    text::SafeText,
    ui::{
        UiContext,
        blocks::Source,
        offload::Offload,
        render::{RenderContext, Row, line::StyledLine, split_bottom},
        transcript::{How, PlacedLink},
    },
    vt::Screens,
};

/// One frame of it.
pub struct InlineFrame {
    /// To be printed above the live part, once.
    pub printed: Vec<Row>,
    /// The live part; its first row is row 0.
    pub live: Buffer,
    pub cursor: Option<Position>,
    /// Links of the live part.
    pub links: Vec<PlacedLink>,
}

/// What the UI keeps for it.
#[derive(Default)]
pub(super) struct Inline {
    /// The screen is drawn without the alternate one, if it is not needed.
    on: bool,
    /// This frame is.
    pub drawing: bool,
    /// Finished rows that were not handed out yet.
    unprinted: Vec<Row>,
    /// The session whose rows were printed last.
    session: Option<SessionKey>,
    /// The first row of the transcript's zone that is drawn.
    top: Option<u16>,
}

impl Inline {
    pub fn new(on: bool) -> Self {
        Self {
            on,
            ..Self::default()
        }
    }
}

impl Ui {
    /// The frame needs the whole screen: it is no conversation that goes on at its end.
    pub fn fills_screen(&self) -> bool {
        !self.inline.on
            || self.is_covered()
            || self.finding.is_some()
            || self.transcript.is_browsing()
            || self.transcript.is_away()
    }

    /// Draws without the alternate screen; `None` if the whole screen turns out to be needed.
    pub fn draw_inline(&mut self, size: Size, cx: &UiContext<'_>) -> Option<InlineFrame> {
        let area = Rect::new(0, 0, size.width, size.height);
        let mut buf = Buffer::empty(area);
        self.inline.top = None;
        self.inline.drawing = true;
        let cursor = self.draw_on(area, &mut buf, cx);
        self.inline.drawing = false;
        let places = self.places;
        // Rows of the terminal are not those of the live part.
        self.places = Places::default();
        if self.fills_screen() {
            return None;
        }
        if self.spoken.is_on() {
            let printed = std::mem::take(&mut self.inline.unprinted);
            return Some(self.say(size, &places, &buf, cursor, printed, cx));
        }
        let is_blank = |y: u16| {
            (0..area.width).all(|x| {
                let cell = buf.cell((x, y));
                cell.is_none_or(|cell| cell.symbol() == " " && cell.style() == blank())
            })
        };
        let drawn = (0..area.height).find(|y| !is_blank(*y));
        let top = [drawn, self.inline.top].into_iter().flatten().min();
        let top = top.unwrap_or(0);
        let last = (top..area.height).rfind(|y| !is_blank(*y));
        let bottom = last.unwrap_or(top).max(cursor.map_or(0, |at| at.y)) + 1;
        let mut live = Buffer::empty(Rect::new(0, 0, area.width, bottom.min(area.height) - top));
        for y in 0..live.area.height {
            for x in 0..live.area.width {
                if let (Some(to), Some(from)) = (live.cell_mut((x, y)), buf.cell((x, y + top))) {
                    *to = from.clone();
                }
            }
        }
        let links = self.links.iter().map(|link| PlacedLink {
            area: Rect {
                y: link.area.y.saturating_sub(top),
                ..link.area
            },
            uri: link.uri.clone(),
        });
        Some(InlineFrame {
            printed: std::mem::take(&mut self.inline.unprinted),
            live,
            cursor: cursor.map(|at| Position::new(at.x, at.y - top)),
            links: links.collect(),
        })
    }

    /// The conversation's open end, at the bottom of `area`.
    pub(super) fn draw_live_transcript(
        &mut self,
        session: &Session,
        area: Rect,
        buf: &mut Buffer,
        cx: &UiContext<'_>,
    ) {
        let ctx = self.look.render(area.width, cx.now);
        let settings = self.look.transcript();
        let source = Source::new(session, cx.screens);
        let open = session.turn.is_some();
        let how = match self.spoken.is_on() {
            true => How::Plain,
            false => How::Drawn,
        };
        let rows = self
            .transcript
            .sync_live(source, &settings, area.height, (open, how), &ctx);
        if !rows.is_empty() {
            let before = self.inline.session;
            self.inline.session = self.session;
            if before.is_some() && before != self.session {
                let rule = session_rule(&session.label(), &ctx);
                self.inline.unprinted.extend([Row::default(), rule]);
            }
        }
        self.inline.unprinted.extend(rows);
        let (_, lower) = split_bottom(area, self.transcript.live_rows());
        self.inline.top = Some(lower.y);
        self.links = self.transcript.draw(lower, buf, &ctx);
        self.transcript_shown = true;
    }

    /// The agent's notices are over the last rows of the conversation, not far above them.
    pub(super) fn notices_area(&self, area: Rect) -> Rect {
        const ROWS: u16 = 4;
        match self.inline.drawing {
            true => split_bottom(area, ROWS.max(self.transcript.live_rows())).1,
            false => area,
        }
    }

    /// What is not printed yet of that session, as it is now: for the end.
    pub fn rest(&mut self, session: &Session, screens: &Screens, width: u16) -> Vec<Row> {
        let offload = Offload::immediate();
        let look = self
            .look
            .render(self.look.limited(width), std::time::Instant::now());
        let ctx = RenderContext {
            offload: &offload,
            ..look
        };
        let settings = self.look.transcript();
        let how = match self.spoken.is_on() {
            true => How::Plain,
            false => How::Drawn,
        };
        let rest = self
            .transcript
            .rest(Source::new(session, screens), &settings, how, &ctx);
        let mut rows = std::mem::take(&mut self.inline.unprinted);
        rows.extend(rest);
        rows
    }
}

fn blank() -> Style {
    ratatui::buffer::Cell::EMPTY.style()
}

/// Says whose rows follow.
fn session_rule(label: &SafeText, ctx: &RenderContext<'_>) -> Row {
    let line = StyledLine::styled(&format!("  {label}"), ctx.theme.strong);
    line.truncate(ctx.width.into(), ctx.symbols.ellipsis)
}
