//! A dialog that opens without a key, such as the agents at the start: what is being typed then
//! is not meant for it.

use std::time::Instant;

use crossterm::event::KeyCode;
use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use crate::ui::{
    keymap::Chord,
    overlay::{Guard, Outcome, Overlay, OverlayContext, Room, guard::is_typing},
    pointer::Pointer,
};

/// Withholds typing and enter until the guard has opened once; after that all keys are the
/// list's.
pub struct Unasked {
    inner: Box<dyn Overlay>,
    /// `None` once it was open.
    guard: Option<Guard>,
}

impl Unasked {
    pub fn new(inner: Box<dyn Overlay>, guard: Guard) -> Self {
        Self {
            inner,
            guard: Some(guard),
        }
    }
}

impl Overlay for Unasked {
    fn handle(&mut self, key: Chord, cx: &OverlayContext<'_>) -> Outcome {
        if self.guard.is_some_and(|guard| guard.is_open(cx.now)) {
            self.guard = None;
        }
        match &mut self.guard {
            Some(guard) if is_typing(key) => {
                guard.typed(cx.now);
                Outcome::for_draft()
            }
            Some(guard) if key.code() == KeyCode::Enter => {
                // The end of what was typed.
                guard.typed(cx.now);
                Outcome::taken()
            }
            _ => self.inner.handle(key, cx),
        }
    }

    fn paste(&mut self, text: &str, cx: &OverlayContext<'_>) -> Outcome {
        match &mut self.guard {
            Some(guard) if !guard.is_open(cx.now) => {
                guard.typed(cx.now);
                Outcome::pass()
            }
            _ => self.inner.paste(text, cx),
        }
    }

    fn point(&mut self, pointer: Pointer, cx: &OverlayContext<'_>) -> Outcome {
        match &self.guard {
            Some(guard) if !guard.is_open(cx.now) && !pointer.is_wheel() => Outcome::taken(),
            _ => self.inner.point(pointer, cx),
        }
    }

    fn height(&mut self, room: Room, cx: &OverlayContext<'_>) -> u16 {
        self.inner.height(room, cx)
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) -> Option<Position> {
        match &mut self.guard {
            Some(guard) => {
                guard.drawn(cx.now);
                let cursor = self.inner.draw(area, buf, cx);
                // Until then the caret stays in the draft.
                cursor.filter(|_| guard.is_open(cx.now))
            }
            None => self.inner.draw(area, buf, cx),
        }
    }

    fn deadline(&self, now: Instant) -> Option<Instant> {
        let opens = self.guard.and_then(|guard| guard.opens_at());
        let opens = opens.filter(|at| *at > now);
        [opens, self.inner.deadline(now)]
            .into_iter()
            .flatten()
            .min()
    }
}
