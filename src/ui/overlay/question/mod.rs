//! Questions that only the person may answer: permissions, files outside the workspace, project
//! trust.
//!
//! [`QuestionDialog`] owns what they share: the guard, the numbered answers, the scrollable body
//! and what of it is shown where there is little room. A [`Subject`] says what is asked and what an
//! answer means.

mod below;
mod body;
mod choices;
mod command;
mod comments;
mod file;
mod foot;
mod page;
mod permission;
mod pressing;
mod raw_input;
mod reason;
mod run;
mod trust;

#[cfg(test)]
mod tests;

use std::{sync::Arc, time::Instant};

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use crate::{
    model::{Diff, PermissionKind},
    session::{Event, QuestionId},
    ui::{
        UiCommand,
        action::{Action, Context},
        keymap::Chord,
        overlay::{
            Guard, Outcome, Overlay, OverlayContext, Room, Wish,
            guard::Reading,
            is_for_screen, is_typing,
            panel::{Frame, Panel, Scroll, split_answers, waiting_note},
        },
        pointer::Pointer,
        render::{Row, diff::is_split, draw_rows, line::StyledLine},
        theme::ThemeId,
    },
};

use body::Body;
use choices::{Choice, Choices, action_kind};
use comments::Said;

/// A no to what this machine would do for the agent.
const ERROR: &str = "No: the agent gets an error";

/// Rows of the body that are worth more than the conversation's, and than a choice's further rows.
const BODY_AT_LEAST: usize = 3;

/// And where the choices need more room than that leaves.
const BODY_BESIDE_CHOICES: usize = 2;

/// What is asked.
trait Subject {
    /// Who wants what.
    fn title(&self, cx: &OverlayContext<'_>) -> String;

    /// All of it. `expanded`: the screen is there for it.
    fn body(&self, width: usize, expanded: bool, cx: &OverlayContext<'_>) -> Body;

    /// Changes when the body does.
    fn rev(&self, _cx: &OverlayContext<'_>) -> u64 {
        0
    }

    /// Changes when what is asked does, also where no row tells.
    fn revision(&self, _cx: &OverlayContext<'_>) -> u64 {
        0
    }

    /// What picking the choice at `at` means.
    fn answer(&self, at: usize) -> Option<UiCommand>;

    /// What picking the choice at `at` does without answering.
    fn aside(&self, _at: usize) -> Option<UiCommand> {
        None
    }

    /// What esc means, in a word.
    fn dismissal_word(&self) -> &'static str {
        "no"
    }

    /// What esc means; `None` stops the turn, and with it the question.
    fn dismissal(&self) -> Option<UiCommand> {
        None
    }

    /// Whether a turn is stopped by ctrl-c here.
    fn in_turn(&self) -> bool {
        true
    }

    /// What the whole screen can be had for, in a word or two.
    fn shown_whole(&self, _cx: &OverlayContext<'_>) -> Option<&'static str> {
        None
    }

    /// The changes of files that its body shows.
    fn diffs<'a>(&'a self, _cx: &OverlayContext<'a>) -> Vec<&'a Arc<Diff>> {
        Vec::new()
    }

    /// Nothing is allowed before all of the body was on the screen.
    fn must_be_read(&self) -> bool {
        false
    }

    /// Whether the choice at `at` is a yes.
    fn allows(&self, _at: usize) -> bool {
        false
    }

    /// Whether a word of the person's may go with an answer.
    fn takes_reason(&self) -> bool {
        false
    }

    /// Whether all of it can be had on the whole screen; else the dialog itself grows.
    fn has_view(&self) -> bool {
        true
    }
}

pub struct QuestionDialog {
    /// `None`: no question of the session (trust).
    id: Option<QuestionId>,
    subject: Box<dyn Subject>,
    choices: Choices,
    guard: Guard,
    expanded: bool,
    scroll: Scroll,
    reading: Reading,
    layout: Option<Layout>,
    /// The revision of which the whole screen was had.
    viewed: Option<u64>,
    /// The answer that the mouse button went down on, while the dialog is what it was then.
    pressed: Option<usize>,
    said: Said,
}

/// The body as laid out last, and for what.
struct Layout {
    key: (usize, bool, ThemeId, u64),
    revision: u64,
    title: String,
    /// Of the offloaded work that it still waits for.
    waiting_since: Option<u64>,
    /// Blank runs and all.
    whole: Body,
    /// For less room than the whole needs, where that makes a difference.
    squeezed: Option<Body>,
    /// For so little room that the first change would not be seen.
    led: Option<Body>,
}

impl Layout {
    /// Whether the person sees something else than before, or would if all of it were there.
    fn shows_other_than(&self, before: &Self) -> bool {
        if (self.revision, &self.title) != (before.revision, &before.title) {
            return true;
        }
        let (width, expanded, theme, rev) = self.key;
        let (old_width, old_expanded, old_theme, old_rev) = before.key;
        if (width, expanded, theme) != (old_width, old_expanded, old_theme) {
            return rev != old_rev;
        }
        let same = |(a, b): (&Row, &Row)| a.line.to_string() == b.line.to_string();
        let (now, before) = (&self.whole, &before.whole);
        now.left_out != before.left_out
            || now.rows.len() != before.rows.len()
            || !now.rows.iter().zip(&before.rows).all(same)
    }

    /// The whole where that many rows hold it; also with the screen to itself, a command behind
    /// blank lines is brought up.
    fn fitting(&self, rows: usize) -> &Body {
        if self.whole.rows.len() <= rows {
            return &self.whole;
        }
        // The last row says how much there is below.
        let window = rows.saturating_sub(1);
        let lead = self.whole.lead.as_ref();
        match (&self.led, &self.squeezed) {
            (Some(led), _)
                if lead.is_some_and(|lead| lead.start < window && lead.end >= window) =>
            {
                led
            }
            (_, Some(squeezed)) => squeezed,
            _ => &self.whole,
        }
    }
}

impl QuestionDialog {
    fn new(
        id: Option<QuestionId>,
        subject: Box<dyn Subject>,
        choices: Vec<Choice>,
        guard: Guard,
    ) -> Self {
        Self {
            id,
            subject,
            choices: Choices::new(choices),
            guard,
            expanded: false,
            scroll: Scroll::default(),
            reading: Reading::default(),
            layout: None,
            viewed: None,
            pressed: None,
            said: Said::default(),
        }
    }

    pub fn id(&self) -> Option<QuestionId> {
        self.id
    }

    /// A key was meant for something above this dialog.
    pub fn typed_elsewhere(&mut self, now: Instant) {
        self.guard.typed(now);
    }

    /// It stands elsewhere on the screen from the next frame on, or nowhere: the pause begins again.
    pub fn moved(&mut self) {
        self.pressed = None;
        self.guard.changed();
    }

    /// Letters that come now belong to what was being typed before.
    pub fn is_waiting(&self, now: Instant) -> bool {
        !self.guard.is_open(now)
    }

    /// Answers, with what the person has had before them: what was not on the screen is brought
    /// there first.
    fn pick(&mut self, at: usize, cx: &OverlayContext<'_>) -> Outcome {
        if !self.choices.is_seen(at) {
            self.choices.select(at);
            return Outcome::taken();
        }
        let unread = self.subject.must_be_read() && !self.reading.is_whole(cx.now);
        if unread && self.subject.allows(at) {
            let key = cx.keymap.hint(Action::ScrollDown);
            let text = format!("read it first: {key} scrolls to its end");
            return Outcome::toast(&text);
        }
        if let Some(command) = self.subject.aside(at) {
            return Outcome::taken().command(command);
        }
        match self.subject.answer(at) {
            Some(command) => self.with_comments(at, Outcome::close().command(command)),
            None => Outcome::taken(),
        }
    }

    fn by_kind(&mut self, action: Action, cx: &OverlayContext<'_>) -> Option<Outcome> {
        let kind = action_kind(action)?;
        let none = "no answer of that kind is offered";
        Some(match self.only_of_kind(kind, None, none) {
            Ok(at) => self.pick(at, cx),
            Err(outcome) => outcome,
        })
    }

    /// The one answer of a kind; the first of several is selected.
    fn only_of_kind(
        &mut self,
        kind: PermissionKind,
        several: Option<&str>,
        none: &str,
    ) -> Result<usize, Outcome> {
        match self.choices.of_kind(kind)[..] {
            [] => Err(Outcome::toast(none)),
            [at] => Ok(at),
            [first, ..] => {
                self.choices.select(first);
                Err(several.map_or_else(Outcome::taken, Outcome::toast))
            }
        }
    }

    /// Keys that are no answer and work before the guard opens.
    fn always(&mut self, action: Action) -> Option<Outcome> {
        let pages = self.expanded || self.subject.must_be_read();
        match action {
            Action::Stop => Some(match self.subject.dismissal() {
                Some(command) => Outcome::close().command(command),
                None => Outcome::taken().command(UiCommand::Session(Event::Stop)),
            }),
            Action::Interrupt if self.subject.in_turn() => {
                Some(Outcome::taken().command(UiCommand::Session(Event::Stop)))
            }
            Action::Details => {
                self.expanded = !self.expanded;
                self.scroll.home();
                Some(Outcome::taken())
            }
            Action::ScrollBottom if self.subject.must_be_read() => {
                // On from where it was not read yet: nothing in between is skipped.
                let unread = self.reading.first_unread();
                self.scrolled(|scroll| match unread {
                    Some(row) => scroll.to(row),
                    None => scroll.end(),
                })
            }
            Action::QuestionScrollUp => self.scrolled(|scroll| scroll.by(-1)),
            Action::QuestionScrollDown => self.scrolled(|scroll| scroll.by(1)),
            // The conversation above is what they scroll while it is there.
            Action::ScrollUp if pages => self.scrolled(|scroll| scroll.page(-1)),
            Action::ScrollDown if pages => self.scrolled(|scroll| scroll.page(1)),
            Action::ScrollTop if pages => self.scrolled(Scroll::home),
            Action::ScrollBottom if self.expanded => self.scrolled(Scroll::end),
            Action::Quit => Some(Outcome::pass()),
            action => is_for_screen(action).then(Outcome::pass),
        }
    }

    fn scrolled(&mut self, scroll: impl FnOnce(&mut Scroll)) -> Option<Outcome> {
        if !self.subject.must_be_read() || self.reading.turn() {
            scroll(&mut self.scroll);
        }
        Some(Outcome::taken())
    }

    fn layout(&mut self, width: usize, cx: &OverlayContext<'_>) -> &Layout {
        let key = (width, self.expanded, cx.theme.id, self.subject.rev(cx));
        let fresh = self.layout.as_ref().is_some_and(|layout| {
            layout.key == key
                && layout
                    .waiting_since
                    .is_none_or(|generation| generation == cx.offload.generation())
        });
        let before = if fresh { None } else { self.layout.take() };
        let layout = self.layout.get_or_insert_with(|| {
            let generation = cx.offload.generation();
            let whole = self.subject.body(width, self.expanded, cx);
            let squeezed = whole.squeezed(cx);
            // With the screen to itself all of it is there to be scrolled through.
            let led = match self.expanded {
                true => None,
                false => whole.led_to_change(),
            };
            Layout {
                key,
                revision: self.subject.revision(cx),
                title: self.subject.title(cx),
                waiting_since: whole.provisional.then_some(generation),
                whole,
                squeezed,
                led,
            }
        });
        if before.is_some_and(|before| layout.shows_other_than(&before)) {
            // Keys in flight, and what was selected, are for what stood there before.
            self.guard.changed();
            self.pressed = None;
            self.choices.outdate();
            self.scroll.home();
        }
        layout
    }

    /// Takes note of what has changed since the last frame: no key answers what was not shown.
    fn refresh(&mut self, cx: &OverlayContext<'_>) {
        if let Some(layout) = &self.layout {
            let width = layout.key.0;
            self.layout(width, cx);
        }
    }

    /// What the whole screen was had for is another one now.
    pub fn view_is_outdated(&self, cx: &OverlayContext<'_>) -> bool {
        let viewed = self.viewed;
        viewed.is_some_and(|viewed| viewed != self.subject.revision(cx))
    }

    fn panel(&self, cx: &OverlayContext<'_>) -> Panel {
        let hint = |action| answering_key(action, cx);
        let mut hints = self.comments_hint();
        let arrows = [Action::QuestionUp, Action::QuestionDown]
            .map(hint)
            .join("/");
        if self.is_writing() {
            hints.push((hint(Action::Confirm), "answers"));
            hints.push((hint(Action::Stop), "back to the question"));
        } else if cx.drafting {
            hints.push((arrows.clone(), "select"));
            hints.push((hint(Action::Confirm), "answer"));
            hints.push(("typing".into(), "goes to the draft"));
        } else if !self.choices.is_empty() {
            hints.push((digits(&self.choices), "answer"));
        }
        if self.choices.are_cut() && !self.expanded {
            hints.push((hint(Action::Details), "more"));
        }
        if let Some(what) = self.subject.shown_whole(cx).filter(|_| !self.is_writing()) {
            hints.push((hint(Action::QuestionDiff), what));
        }
        if self.subject.takes_reason() && !self.is_writing() {
            hints.push((hint(Action::Feedback), "reject and say why"));
        }
        if !self.is_writing() {
            let word = match self.subject.dismissal() {
                Some(_) => self.subject.dismissal_word(),
                None => "stop the turn",
            };
            hints.push((hint(Action::Stop), word));
        }
        if self.expanded {
            hints.push((hint(Action::Details), "less"));
        }
        if !self.is_writing() && !cx.drafting {
            hints.push((arrows, "select"));
        }
        let mut panel = Panel::asked(&self.subject.title(cx), hints, cx);
        if self.id.is_some() {
            panel.note = waiting_note(cx);
        }
        panel
    }
}

impl Overlay for QuestionDialog {
    fn handle(&mut self, key: Chord, cx: &OverlayContext<'_>) -> Outcome {
        self.refresh(cx);
        let action = cx
            .keymap
            .action(key, &[Context::Question, Context::Anywhere]);
        let number = key.digit().and_then(|digit| self.choices.numbered(digit));
        if let Some(outcome) = self.reason_key(key, cx) {
            return outcome;
        }
        // A half-written prompt goes on with `y`, `a` or `2` as well, after any pause: while there is
        // a draft, all that types is its own, and what approves is nothing that words are made of. The
        // number of a rejection answers all the same: digits answer at once where nothing can be
        // approved by it.
        let rejects = number.is_some_and(|at| self.choices.rejects(at));
        if cx.drafting && key.is_text() && !rejects {
            return self.typed(cx);
        }
        if let Some(outcome) = action.and_then(|action| self.always(action)) {
            return outcome;
        }
        let belongs_here = action.is_some_and(|action| action.info().context == Context::Question);
        if !self.guard.is_open(cx.now) {
            self.guard.pressed(key, cx.now);
            return if belongs_here && !key.is_text() {
                Outcome::taken()
            } else {
                Outcome::pass()
            };
        }
        if let Some(at) = number {
            return self.pick(at, cx);
        }
        let outcome = action.and_then(|action| match action {
            // From the first answer back to the draft below.
            Action::QuestionUp if cx.drafting && self.choices.selected() == Some(0) => {
                self.choices.unselect();
                Some(Outcome::taken())
            }
            Action::QuestionUp => {
                self.choices.step(false);
                Some(Outcome::taken())
            }
            Action::QuestionDown => {
                self.choices.step(true);
                Some(Outcome::taken())
            }
            Action::Confirm => Some(match self.choices.selected() {
                Some(at) => self.pick(at, cx),
                None => self.say_keys(cx),
            }),
            Action::QuestionDiff if self.subject.has_view() => {
                self.viewed = Some(self.subject.revision(cx));
                Some(Outcome::taken().with(Wish::ShowAsked))
            }
            Action::QuestionDiff => self.always(Action::Details),
            Action::Feedback if self.subject.takes_reason() => Some(self.reject_with_reason()),
            Action::Reason if self.subject.takes_reason() => Some(self.answer_with_reason(cx)),
            other => self.by_kind(other, cx),
        });
        outcome.unwrap_or_else(|| match is_typing(key) {
            true => self.typed(cx),
            false => Outcome::pass(),
        })
    }

    fn paste(&mut self, text: &str, cx: &OverlayContext<'_>) -> Outcome {
        match self.paste_reason(text) {
            true => Outcome::taken(),
            false => self.typed(cx),
        }
    }

    fn point(&mut self, pointer: Pointer, cx: &OverlayContext<'_>) -> Outcome {
        self.refresh(cx);
        match pointer {
            Pointer::Press(at) => self.press(at, cx),
            Pointer::Release(at) => self.release(at, cx),
            Pointer::Wheel(rows) if self.scroll.is_needed() => self
                .scrolled(|scroll| scroll.by(rows))
                .unwrap_or_else(Outcome::taken),
            Pointer::Wheel(_) => Outcome::pass(),
        }
    }

    /// Both sides of a diff have no room within the measure.
    fn takes_whole_width(&self, columns: u16, cx: &OverlayContext<'_>) -> bool {
        let width = cx.frame.inner_width(columns);
        let mut diffs = self.subject.diffs(cx).into_iter();
        diffs.any(|diff| is_split(diff, cx.diff, width, cx.offload))
    }

    fn height(&mut self, room: Room, cx: &OverlayContext<'_>) -> u16 {
        let width = usize::from(cx.frame.inner_width(room.width));
        let gap = usize::from(cx.frame == Frame::Full);
        if self.expanded {
            let choices = self.choices.fit(width, usize::MAX, true, cx);
            let body = &self.layout(width, cx).whole;
            let rows = match body.left_out {
                0 => body.rows.len() + gap + choices.max(1),
                _ => usize::MAX / 2,
            };
            return cx.frame.around(rows).min(room.whole);
        }
        let whole_body = self.layout(width, cx).whole.rows.len();
        let beside = usize::from(cx.frame.rows()) + whole_body.min(BODY_AT_LEAST);
        let for_choices = usize::from(room.whole).saturating_sub(beside);
        let choices = self.choices.fit(width, for_choices, false, cx);
        let rows = |body: usize, choices: usize| cx.frame.around(body + gap + choices.max(1));
        let chrome = usize::from(rows(0, choices));
        let for_body = usize::from(room.height).saturating_sub(chrome);
        let body = self.layout(width, cx).fitting(for_body).rows.len();
        let least = rows(body.min(BODY_AT_LEAST), choices).min(room.whole);
        rows(body, choices).min(room.height).max(least)
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) -> Option<Position> {
        let inner = self.panel(cx).draw(area, buf, cx);
        let width = usize::from(inner.width);
        let body = self.layout(width, cx).whole.rows.len();
        self.guard.drawn(cx.now);
        let open = self.guard.is_open(cx.now);

        let none = self.no_answer(width, cx);
        let beside = |body: usize| usize::from(inner.height).saturating_sub(body).max(1);
        let room = beside(body.min(BODY_AT_LEAST));
        let choices = match none.len() {
            0 => self.choices.fit(width, room, self.expanded, cx),
            rows => rows,
        };
        let for_choices = match beside(body.min(BODY_AT_LEAST)) {
            room if room >= choices => room,
            _ => beside(body.min(BODY_BESIDE_CHOICES)),
        };
        let shown = choices.min(for_choices);
        let (body_area, choices_area) = split_answers(inner, shown, cx.frame);
        self.draw_body(body_area, buf, cx);
        draw_rows(&none, choices_area, buf);
        self.choices.below_diff = false;
        self.choices.draw(choices_area, buf, open, cx)
    }

    fn deadline(&self, now: Instant) -> Option<Instant> {
        let opens = self.guard.opens_at().filter(|at| *at > now);
        let read = self.reading.deadline(now);
        let read = read.filter(|_| self.subject.must_be_read());
        [opens, read].into_iter().flatten().min()
    }
}

impl QuestionDialog {
    /// Something goes into the draft: the pause begins again, and enter answers nothing that was
    /// selected before.
    fn typed(&mut self, cx: &OverlayContext<'_>) -> Outcome {
        self.guard.typed(cx.now);
        self.choices.unselect();
        Outcome::pass()
    }

    /// Up and down may be the draft's: nothing here is selected or written.
    pub fn leaves_arrows(&self) -> bool {
        self.choices.selected().is_none() && !self.is_writing()
    }

    /// Enter without a selection answers nothing, and says what does.
    fn say_keys(&self, cx: &OverlayContext<'_>) -> Outcome {
        if self.choices.is_empty() {
            return Outcome::taken();
        }
        let keys = [Action::QuestionUp, Action::QuestionDown, Action::Confirm];
        let [up, down, enter] = keys.map(|action| cx.keymap.hint(action));
        let text = match cx.drafting {
            true => format!("{up} and {down} select an answer, then {enter} gives it"),
            false => format!(
                "press {} to answer, or {up} and {down} to select, then {enter}",
                digits(&self.choices)
            ),
        };
        Outcome::toast(&text)
    }

    /// What stands where there would be choices; nothing while there are some.
    fn no_answer(&self, width: usize, cx: &OverlayContext<'_>) -> Vec<Row> {
        if !self.choices.is_empty() {
            return Vec::new();
        }
        let key = cx.keymap.hint(Action::Stop);
        let line = format!("no answer is offered: {key} stops the turn");
        StyledLine::styled(&line, cx.theme.warning).wrap(width)
    }

    fn draw_body(&mut self, area: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) {
        let width = usize::from(area.width);
        let mut scroll = self.scroll;
        let expanded = self.expanded;
        let body = self.layout(width, cx).fitting(area.height.into());
        let len = body.rows.len();
        let fits = len <= area.height.into() && body.left_out == 0;
        let window = area.height.saturating_sub(u16::from(!fits));
        let top = scroll.fit(len, window);
        let folded = match top {
            0 if !fits && !expanded => body.folded(window.into(), cx),
            _ => None,
        };
        let rows_area = Rect {
            height: window,
            ..area
        };
        let below = match folded {
            Some((rows, shown)) => {
                draw_rows(&rows, rows_area, buf);
                len.saturating_sub(shown)
            }
            None => {
                draw_rows(body.rows.iter().skip(top), rows_area, buf);
                scroll.below()
            }
        };
        let hidden = below + body.left_out;
        if self.subject.must_be_read() {
            let end = len.min(top + usize::from(window));
            let size = (area.width, window);
            self.reading.drawn((width, len), top..end, size, cx.now);
        }
        if !fits && area.height > 0 {
            let more = self.more_line(hidden, top, width, cx);
            let row = more.truncate(width, cx.symbols.ellipsis);
            buf.set_line(area.x, area.y + window, &row.line, area.width);
        }
        self.scroll = scroll;
    }
}

/// The key that does it now: none that would be typed into the draft.
fn answering_key(action: Action, cx: &OverlayContext<'_>) -> String {
    let mut chords = cx.keymap.chords(action).iter();
    chords
        .find(|chord| !(cx.drafting && chord.is_text()))
        .map(ToString::to_string)
        .unwrap_or_default()
}

fn digits(choices: &Choices) -> String {
    match choices.count().min(9) {
        1 => "1".into(),
        n => format!("1-{n}"),
    }
}
