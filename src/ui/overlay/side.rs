//! The side question of the session and its answer, as it comes.
//!
//! Closing it ends the question: nothing of it stays, but for what was copied or put into the draft.

use std::time::Instant;

use crossterm::event::KeyCode;
use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use super::{
    Outcome, Overlay, OverlayContext, Room, Wish, agent_name,
    panel::{Panel, Scroll, out_of_sight, to_rows},
};
use crate::{
    session::{Event, SideQuestion, SideState},
    text::{SafeText, first_bytes},
    ui::{
        UiCommand,
        action::{Action, Context},
        keymap::Chord,
        pointer::Pointer,
        render::{
            Row, draw_rows,
            format::{count, elapsed_seconds},
            line::{StyledLine, Wrapping},
            markdown::{self, Segment, Splitter},
            split_bottom, split_top,
        },
    },
};

/// Rows of the question that stay above its answer.
const QUESTION_ROWS: usize = 3;

/// Bytes of it that are laid out for these.
const QUESTION_BYTES: usize = 4 << 10;

#[derive(Default)]
pub struct SideDialog {
    answer: Answer,
    scroll: Scroll,
    /// When the time that it tells changes.
    next: Option<Instant>,
}

/// The answer's rows: of what is settled each is made once.
#[derive(Default)]
struct Answer {
    splitter: Splitter,
    parts: Vec<Part>,
    /// What the parts were drawn for: width and theme.
    drawn_for: (u16, u64),
}

struct Part {
    segment: Segment,
    rows: Vec<Row>,
    /// It looks better once the work of that generation is done.
    provisional: Option<u64>,
}

impl Answer {
    fn update(&mut self, side: &SideQuestion, width: u16, cx: &OverlayContext<'_>) {
        let text = side.answer.as_str();
        match side.is_open() {
            true => self.splitter.update(text),
            false => self.splitter.finish(text),
        }
        let wanted = (width, cx.theme.id);
        if std::mem::replace(&mut self.drawn_for, wanted) != wanted {
            self.parts.clear();
        }
        let generation = cx.offload.generation();
        let segments = self.splitter.segments();
        self.parts.truncate(segments.len());
        let ctx = cx.render(width);
        for (at, segment) in segments.iter().enumerate() {
            let holds = |part: &Part| {
                part.segment == *segment && part.provisional.is_none_or(|of| of == generation)
            };
            if self.parts.get(at).is_some_and(holds) {
                continue;
            }
            let rendered = markdown::render(text, segment, self.splitter.defs(), &ctx);
            let part = Part {
                segment: segment.clone(),
                rows: rendered.rows,
                provisional: rendered.provisional.then_some(generation),
            };
            match self.parts.get_mut(at) {
                Some(before) => *before = part,
                None => self.parts.push(part),
            }
        }
    }

    fn rows(&self) -> impl Iterator<Item = &Row> {
        self.parts.iter().flat_map(|part| &part.rows)
    }
}

impl SideDialog {
    /// Brings the rows up to date; how many there are.
    fn lay_out(&mut self, side: &SideQuestion, width: u16, cx: &OverlayContext<'_>) -> usize {
        // What is read out is read once it is there.
        if cx.spoken && side.is_open() {
            self.answer = Answer::default();
        } else {
            self.answer.update(side, width, cx);
        }
        self.answer.rows().count()
    }

    /// The row below the answer: what goes on, or how it ended.
    fn state(&self, side: &SideQuestion, cx: &OverlayContext<'_>) -> StyledLine {
        let theme = cx.theme;
        let mut line = match &side.state {
            SideState::Forking => StyledLine::styled("Forking the session", theme.text),
            SideState::Answering => match &side.doing {
                Some(doing) => StyledLine::styled(doing, theme.text),
                None if side.answer.is_empty() => {
                    StyledLine::styled("Waiting for the agent", theme.text)
                }
                None => StyledLine::styled("Writing", theme.text),
            },
            SideState::Done { took } => {
                let text = format!("Answered in {}", elapsed_seconds(*took));
                StyledLine::styled(&text, theme.dim)
            }
            SideState::Ended { why } => StyledLine::styled(why, theme.warning),
        };
        let mut parts = Vec::new();
        if side.is_open() && cx.motion {
            let took = cx.now.saturating_duration_since(side.since);
            parts.push((elapsed_seconds(took), theme.dim));
        }
        if side.denied > 0 {
            let text = format!("{} denied: side question", count(side.denied, "request"));
            parts.push((text, theme.warning));
        }
        if side.cut {
            parts.push(("the rest is left out".to_owned(), theme.warning));
        }
        for (text, style) in parts {
            line.push(&format!(" {} ", cx.symbols.separator), theme.dim);
            line.push(&text, style);
        }
        line
    }
}

/// The first rows of the question, as prompts stand in the conversation.
fn question(side: &SideQuestion, width: u16, cx: &OverlayContext<'_>) -> Vec<Row> {
    let bar = StyledLine::styled(cx.symbols.bar, cx.theme.user).with(" ", cx.theme.text);
    let text = SafeText::new(first_bytes(side.question.trim(), QUESTION_BYTES));
    let mut rows: Vec<Row> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .flat_map(|line| {
            StyledLine::styled(line, cx.theme.text).wrap_behind(&bar, Wrapping::Words, width.into())
        })
        .take(QUESTION_ROWS + 1)
        .collect();
    if rows.len() > QUESTION_ROWS {
        rows.truncate(QUESTION_ROWS - 1);
        rows.push(
            bar.with(cx.symbols.ellipsis, cx.theme.dim)
                .truncate(width.into(), ""),
        );
    }
    rows
}

/// Each line behind a `>`, with a blank line behind it for what is said of it.
fn quoted(answer: &str) -> String {
    let mut quote = String::new();
    for line in answer.trim().lines() {
        quote.push_str(if line.is_empty() { ">" } else { "> " });
        quote.push_str(line);
        quote.push('\n');
    }
    quote
}

fn side<'a>(cx: &OverlayContext<'a>) -> Option<&'a SideQuestion> {
    cx.session?.side.as_ref()
}

impl Overlay for SideDialog {
    fn handle(&mut self, key: Chord, cx: &OverlayContext<'_>) -> Outcome {
        let closed = || Outcome::close().command(UiCommand::Session(Event::CloseSide));
        let answer = side(cx).map_or("", |side| side.answer.trim());
        let action = cx.keymap.action(key, &[Context::Anywhere]);
        match action {
            Some(Action::Stop | Action::Interrupt) => return closed(),
            Some(Action::ScrollTop) => self.scroll.home(),
            Some(Action::ScrollBottom) => self.scroll.end(),
            Some(Action::ScrollUp) => self.scroll.page(-1),
            Some(Action::ScrollDown) => self.scroll.page(1),
            _ => match key.code() {
                KeyCode::Char('y' | 'i') if key.is_text() && answer.is_empty() => {
                    return Outcome::toast("no answer yet");
                }
                KeyCode::Char('y') if key.is_text() => {
                    return Outcome::taken().command(UiCommand::Copy(answer.to_owned()));
                }
                KeyCode::Char('i') if key.is_text() => {
                    return closed().with(Wish::Quote(quoted(answer)));
                }
                KeyCode::Up => self.scroll.by(-1),
                KeyCode::Down => self.scroll.by(1),
                KeyCode::PageUp => self.scroll.page(-1),
                KeyCode::PageDown | KeyCode::Char(' ') => self.scroll.page(1),
                KeyCode::Home => self.scroll.home(),
                KeyCode::End => self.scroll.end(),
                _ if key.is_text() => {}
                _ => return Outcome::pass(),
            },
        }
        Outcome::taken()
    }

    /// It is no place to write in.
    fn paste(&mut self, _: &str, _: &OverlayContext<'_>) -> Outcome {
        Outcome::taken()
    }

    fn point(&mut self, pointer: Pointer, _: &OverlayContext<'_>) -> Outcome {
        match pointer {
            Pointer::Wheel(rows) => {
                self.scroll.by(rows);
                Outcome::taken()
            }
            _ => Outcome::pass(),
        }
    }

    fn height(&mut self, room: Room, cx: &OverlayContext<'_>) -> u16 {
        let Some(side) = side(cx) else {
            return cx.frame.around(1).min(room.height);
        };
        let width = cx.frame.inner_width(room.width);
        let answer = self.lay_out(side, width, cx);
        let question = question(side, width, cx).len();
        // Blank rows around the answer, and the row below it.
        let rows = question + 1 + if answer > 0 { answer + 1 } else { 0 } + 1;
        cx.frame.around(rows).min(room.height)
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) -> Option<Position> {
        let mut panel = Panel::opened("Side question", &[(Action::Stop, "close")], cx);
        let asked = cx
            .session
            .is_some_and(|session| session.shown_question().is_some());
        if asked {
            // It comes up below this, and is not to be waited for unseen.
            let text = format!("{} asks: close this to answer", agent_name(cx.session));
            panel.note = StyledLine::styled(&text, cx.theme.warning);
        }
        let side = side(cx);
        if side.is_some_and(|side| !side.answer.trim().is_empty()) {
            panel.hints.push(("y".into(), "copy"));
            panel.hints.push(("i".into(), "quote it in the draft"));
        }
        let inner = panel.draw(area, buf, cx);
        let side = side?;
        let question = question(side, inner.width, cx);
        let (top, rest) = split_top(inner, to_rows(question.len()));
        draw_rows(&question, top, buf);
        let (answer, bottom) = split_bottom(rest, 1);
        let mut state = self.state(side, cx);
        let len = self.lay_out(side, inner.width, cx);
        let (_, answer) = split_top(answer, u16::from(answer.height > 1));
        let gap = u16::from(len < usize::from(answer.height));
        let (answer, _) = split_bottom(answer, gap);
        let first = self.scroll.fit(len, answer.height);
        draw_rows(self.answer.rows().skip(first), answer, buf);
        if self.scroll.is_needed() {
            state.push(&format!(" {} ", cx.symbols.separator), cx.theme.dim);
            state.extend(&out_of_sight(self.scroll.below(), first, cx));
        }
        draw_rows(
            [&state.truncate(inner.width.into(), cx.symbols.ellipsis)],
            bottom,
            buf,
        );
        self.next = (side.is_open() && cx.motion).then(|| {
            let passed = cx.now.saturating_duration_since(side.since);
            side.since + std::time::Duration::from_secs(passed.as_secs() + 1)
        });
        None
    }

    fn deadline(&self, _: Instant) -> Option<Instant> {
        self.next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_is_marked_line_by_line() {
        assert_eq!(quoted("\none\n\n  two\n"), "> one\n>\n>   two\n");
    }
}
