//! How the screen is divided: transcript, opened plan, question, activity, queue, rule, composer, status
//! line, from top to bottom; popups and what the person opened lie over the rows above the rule.

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
    widgets::{Clear, Widget},
};

use crate::{
    model::{AgentNotice, NoticeSeverity, PlanEntry, PlanStatus, WorkState},
    session::{Phase, Session, Sessions, Subagent},
    text::SafeText,
    ui::{
        Ui, UiCommand, UiContext,
        action::Action,
        activity::Activity,
        blocks::{Pinned, Source, body_columns, plans_in_brief, render_pinned_plans},
        contain::{self, Broken, contained},
        overlay::{Frame, Room, agent_name},
        queue,
        render::{Row, draw_rows, line::StyledLine, split_bottom, split_top},
        status::Status,
        transcript::{PlacedLink, content_width},
    },
};

use super::{mouse::Places, rule, sources::sources, welcome};

/// The smallest screen that everything fits on.
const MIN_WIDTH: u16 = 40;
const MIN_HEIGHT: u16 = 10;

/// Rows that the transcript keeps before a plan may take any.
const TRANSCRIPT_BEFORE_PLAN: u16 = 6;

/// Rows of the queue, the count of the others included.
const QUEUE_ROWS: u16 = 4;

/// Rows of a screen, from top to bottom.
pub(super) struct Zones {
    transcript: Rect,
    plan: Rect,
    question: Rect,
    activity: Rect,
    queue: Rect,
    rule: Rect,
    find: Rect,
    composer: Rect,
    pub(super) status: Rect,
}

/// Rows of zones whose height is the number of their rows.
#[derive(Default)]
struct Laid {
    plan: Vec<Row>,
    queue: Vec<Row>,
    activity: Option<Row>,
}

/// Heights of zones.
#[derive(Clone, Copy, Default)]
struct Heights {
    plan: u16,
    question: u16,
    activity: u16,
    queue: u16,
    rule: u16,
    find: u16,
    composer: u16,
}

impl Zones {
    /// Gives each zone its rows, from the bottom up; the rest is the transcript's.
    fn stack(area: Rect, heights: Heights) -> Self {
        let mut left = area;
        let mut take = |rows: u16| {
            let (above, taken) = split_bottom(left, rows);
            left = above;
            taken
        };
        let status = take(1);
        let composer = take(heights.composer);
        let find = take(heights.find);
        let rule = take(heights.rule);
        let queue = take(heights.queue);
        let activity = take(heights.activity);
        let question = take(heights.question);
        let plan = take(heights.plan);
        Self {
            transcript: left,
            plan,
            question,
            activity,
            queue,
            rule,
            find,
            composer,
            status,
        }
    }

    /// For what fills the screen: all but the status line stands above.
    pub(super) fn of_whole(area: Rect) -> Self {
        Self::stack(area, Heights::default())
    }

    /// Everything above the composer and its rule.
    pub(super) fn above_composer(&self) -> Rect {
        Rect {
            height: self.rule.y - self.transcript.y,
            ..self.transcript
        }
    }
}

/// Rows of a dialog that cannot be drawn.
const UNDRAWN_ROWS: u16 = 3;

/// Rows of the screen that a terminal does not get: viewer's title and status line.
const TERMINAL_MARGIN: u16 = 2;

impl Ui {
    /// Draws the whole screen and puts the cursor where it belongs.
    pub fn draw(&mut self, frame: &mut ratatui::Frame<'_>, cx: &UiContext<'_>) {
        let area = frame.area();
        if let Some(cursor) = self.draw_on(area, frame.buffer_mut(), cx) {
            frame.set_cursor_position(cursor);
        }
        self.look.theme.paint(frame.buffer_mut());
    }

    /// As [`Ui::draw`], on a buffer; returns where the cursor belongs.
    pub(super) fn draw_on(
        &mut self,
        area: Rect,
        buf: &mut Buffer,
        cx: &UiContext<'_>,
    ) -> Option<Position> {
        self.links.clear();
        self.pictures.clear();
        self.places = Places::default();
        self.tabs.clear();
        self.transcript_shown = false;
        self.moment.drawn(cx.now);
        self.look.settle(self.layers.previewed(), cx.now);
        if area.width < MIN_WIDTH || area.height < MIN_HEIGHT {
            // What is not visible takes no answer.
            self.layers.question_moved();
            self.draw_too_small(area, buf);
            return None;
        }
        self.look.frame = Frame::for_screen(area.width, area.height);
        self.tell_terminal_view(area);
        self.sync(cx);
        self.close_outdated_viewer(cx);
        if self.viewer.is_some() {
            let zones = Zones::of_whole(area);
            self.draw_status(zones.status, buf, cx);
            let above = zones.above_composer();
            self.places.viewer = above;
            let drawn = contained("what fills the screen", || self.draw_viewer(above, buf, cx));
            let cursor = drawn.unwrap_or_else(|_| {
                // Its keys could do what cannot be seen.
                self.viewer = None;
                self.draw_undrawn(above, buf);
                None
            });
            self.tell_broken();
            self.draw_notices(zones.above_composer(), buf, cx);
            return cursor;
        }
        if self.review.is_open() {
            return self.draw_review(area, buf, cx);
        }
        let area = Rect {
            width: self.look.limited(area.width),
            ..area
        };
        let (tabs, area) = split_top(area, self.tab_rows(area, cx));
        let (zones, laid) = self.divide(area, cx);
        self.places = Places {
            tabs,
            transcript: zones.transcript,
            queue: zones.queue,
            composer: zones.composer,
            status: zones.status,
            ..Places::default()
        };
        self.draw_tabs(tabs, buf, cx);
        self.draw_transcript(zones.transcript, buf, cx);
        draw_rows(&laid.plan, zones.plan, buf);
        self.links.extend(placed_links(&laid.plan, zones.plan));
        draw_rows(&laid.activity, zones.activity, buf);
        draw_rows(&laid.queue, zones.queue, buf);
        self.draw_rule(zones.rule, buf, cx);
        self.tell_broken();
        self.draw_notices(zones.transcript, buf, cx);
        let cursor = self.draw_composer(&zones, buf, cx);
        let cursor = self.draw_find(zones.find, buf, cx).or(cursor);
        self.draw_status(zones.status, buf, cx);
        self.draw_overlay(&zones, buf, cx).or(cursor)
    }

    /// Terminals are as wide as what shows them, so that nothing is wrapped twice, and as high as
    /// the screen leaves them when attached (V1-TERM-16).
    fn tell_terminal_view(&mut self, area: Rect) {
        let cols = body_columns(content_width(self.look.limited(area.width)));
        let rows = area.height.saturating_sub(TERMINAL_MARGIN).max(1);
        if self.terminal_view.replace((rows, cols)) != Some((rows, cols)) {
            self.commands.push(UiCommand::TerminalView { rows, cols });
        }
    }

    fn divide(&mut self, area: Rect, cx: &UiContext<'_>) -> (Zones, Laid) {
        let asking = !self.layers.is_opened() && !self.layers.is_empty();
        // A question needs the rows more than the draft does.
        let max = if asking {
            (area.height / 6).max(1)
        } else {
            area.height / 2
        };
        let composer = self.composer.height(area.width, max);
        let narrow = self.look.frame == Frame::Compact && asking;
        let rule = u16::from(!narrow);
        let find = self.find_rows();
        let above = area.height.saturating_sub(1 + composer + rule + find);
        let queue_room = if narrow { 0 } else { QUEUE_ROWS.min(above / 4) };
        let mut laid = Laid::default();
        if let Some(session) = cx.session {
            let ctx = self.look.render(area.width, cx.now);
            let (rows, more) = queue::rows(session, &self.look.keymap, queue_room.into(), &ctx);
            laid.queue = rows;
            let activity = self.look.activity(more, cx).row(area.width.into());
            laid.activity = activity.or_else(|| self.look.limit(cx).row(area.width.into()));
            if let (None, Some(row)) = (&laid.activity, queue::more_row(more, &ctx)) {
                laid.queue.extend((queue_room > 0).then_some(row));
            }
        }
        let mut heights = Heights {
            activity: u16::from(laid.activity.is_some()),
            queue: u16::try_from(laid.queue.len()).unwrap_or(queue_room),
            rule,
            find,
            composer,
            ..Heights::default()
        };
        let above = above.saturating_sub(heights.activity + heights.queue);
        if asking {
            let room = Room::new(self.dialog_width(area.width, cx), above);
            heights.question = self.layer_height(room, cx);
        }
        let for_plan = above
            .saturating_sub(heights.question)
            .saturating_sub(TRANSCRIPT_BEFORE_PLAN);
        if let Some(session) = cx.session.filter(|_| self.plan_open) {
            let room = for_plan.min(area.height / 2);
            let ctx = self.look.render(area.width, cx.now);
            laid.plan = render_pinned_plans(&pinned_plans(session), room.into(), &ctx);
        }
        heights.plan = u16::try_from(laid.plan.len()).unwrap_or(for_plan);
        (Zones::stack(area, heights), laid)
    }

    /// The rule above the composer. An open plan is not told again.
    fn draw_rule(&self, area: Rect, buf: &mut Buffer, cx: &UiContext<'_>) {
        let ctx = self.look.render(area.width, cx.now);
        let plans = cx.session.filter(|_| !self.plan_open).map(pinned_plans);
        let plan = plans.and_then(|plans| plans_in_brief(&plans, &ctx));
        let plan = self.editing_label(&ctx).or(plan);
        let key = self.look.keymap.hint(Action::ScrollBottom);
        let shown = self.transcript.below().filter(|_| self.transcript_shown);
        let below = shown.map(|below| rule::below(below, &key, &ctx));
        draw_rows([&rule::row(plan.as_ref(), below.as_ref(), &ctx)], area, buf);
    }

    fn draw_transcript(&mut self, area: Rect, buf: &mut Buffer, cx: &UiContext<'_>) {
        let ctx = self.look.render(area.width, cx.now);
        let said = cx
            .session
            .filter(|session| !session.conversation.transcript.blocks().is_empty());
        let Some(session) = said else {
            let rows = welcome::rows(cx.session, cx.project, &self.look.keymap, &ctx);
            let height = u16::try_from(rows.len()).unwrap_or(u16::MAX);
            if self.inline.drawing {
                let (_, lower) = split_bottom(area, height.saturating_add(1));
                return draw_rows(&rows, lower, buf);
            }
            let (_, lower) = split_top(area, area.height.saturating_sub(height) / 2);
            return draw_rows(&rows, lower, buf);
        };
        if self.inline.drawing {
            return self.draw_live_transcript(session, area, buf, cx);
        }
        self.find_on(session, cx);
        let ctx = self.look.render(area.width, cx.now);
        let settings = self.look.transcript();
        let source = Source::new(session, cx.screens);
        if let Some(press) = &mut self.press {
            press.scroll_at_edge(area, &mut self.transcript, cx.now);
        }
        self.transcript.sync(source, &settings, area.height, &ctx);
        if let Some(press) = &mut self.press {
            press.follow(area, &mut self.transcript, cx.now);
        }
        self.links = self.transcript.draw(area, buf, &ctx);
        self.pictures = self.transcript.pictures(area);
        self.transcript_shown = true;
    }

    /// The agent's notices, over the conversation.
    pub(super) fn draw_notices(&mut self, area: Rect, buf: &mut Buffer, cx: &UiContext<'_>) {
        let area = self.notices_area(area);
        let ctx = self.look.render(area.width, cx.now);
        for place in self.notices.draw(area, buf, &ctx) {
            self.links.retain(|link| !link.area.intersects(place));
        }
    }

    /// Draft and popup; returns the caret's place.
    fn draw_composer(
        &mut self,
        zones: &Zones,
        buf: &mut Buffer,
        cx: &UiContext<'_>,
    ) -> Option<Position> {
        let ctx = self.look.render(zones.composer.width, cx.now);
        let sources = sources(cx);
        let placeholder = self
            .suggestion_row(zones.composer.width, cx)
            .unwrap_or_else(|| self.placeholder(cx));
        self.composer
            .draw(zones.composer, buf, &ctx, &sources, &placeholder);
        if !self.layers.is_opened() && !self.layers.is_asking() {
            let above = zones.above_composer();
            self.draw_pending(above, buf, cx);
            let height = self.composer.popup_height(above.height);
            let (_, area) = split_bottom(above, height);
            self.places.popup = area;
            self.composer.draw_popup(area, buf, &ctx);
        }
        self.composer.cursor()
    }

    /// What stands in an empty composer.
    fn placeholder(&self, cx: &UiContext<'_>) -> String {
        let hint = |action| self.look.keymap.hint(action);
        let separator = self.look.symbols.separator;
        if self.spoken.is_on() {
            // It would be said with each line.
            return String::new();
        }
        if self.layers.is_asking() {
            return "answer above".into();
        }
        let Some(session) = cx.session else {
            return format!("{} chooses an agent", hint(Action::ChooseAgent));
        };
        if self.transcript.is_browsing() {
            return self.browse_hints(session, cx);
        }
        if let Some(what) = &cx.project.read_only {
            let (browse, quit) = (hint(Action::Browse), hint(Action::Quit));
            let others = match cx.sessions.map_or(0, Sessions::len) {
                0 | 1 => String::new(),
                all => {
                    let more = all - 1;
                    let unit = if more == 1 { "session" } else { "sessions" };
                    format!(" {separator} {} {more} more {unit}", hint(Action::Sessions))
                }
            };
            return format!(
                "read-only: {what}{others} {separator} {browse} browses {separator} {quit} quits"
            );
        }
        match session.phase {
            Phase::Starting { .. } | Phase::Opening { .. } | Phase::SignIn { .. } => {
                "type ahead; sent when it is ready".into()
            }
            Phase::Failed { .. } => format!(
                "{} restarts it {separator} {} another one",
                hint(Action::Restart),
                hint(Action::ChooseAgent)
            ),
            Phase::Ready if session.turn.is_some() && session.work != Some(WorkState::Unknown) => {
                let enter = match session.can_steer() {
                    true => format!(
                        "{} steers {separator} {} queues",
                        hint(Action::Send),
                        hint(Action::Queue)
                    ),
                    false => format!("{} queues", hint(Action::Send)),
                };
                format!(
                    "{enter} {separator} {} sends at once",
                    hint(Action::SendNow)
                )
            }
            Phase::Ready => format!("tell {} what to do", agent_name(cx.session)),
        }
    }

    /// What keys do with the selected block.
    fn browse_hints(&self, session: &Session, cx: &UiContext<'_>) -> String {
        let selected = &self.transcript;
        let subagent = selected.selected_subagent(session);
        let stops = subagent.is_some_and(Subagent::can_be_cancelled)
            || selected.selected_work(session).is_some();
        let (images, alone) = selected.selected_images(session);
        let has_images = !images.is_empty();
        let hints = [
            (Action::BlockFold, "folds", !alone),
            (Action::BlockCopy, "copies", true),
            (
                Action::BlockAttach,
                "attaches",
                selected.selected_terminal(session).is_some(),
            ),
            (
                Action::BlockAttach,
                "goes to the agent",
                selected.linked_subagent(session).is_some(),
            ),
            (Action::BlockStop, "stops it", stops),
            (Action::BlockShow, "shows all", true),
            (
                Action::BlockOpen,
                "opens the file",
                selected.selected_location(session).is_some() && !has_images,
            ),
            (Action::BlockOpen, "shows the image", has_images),
            (Action::BlockLeave, "goes back", true),
        ];
        let hints: Vec<String> = hints
            .into_iter()
            .filter(|(action, _, fits)| {
                *fits && (cx.project.read_only.is_none() || action.reading_doc().is_some())
            })
            .map(|(action, what, _)| (self.look.keymap.hint(action), what))
            .filter(|(key, _)| !key.is_empty())
            .map(|(key, what)| format!("{key} {what}"))
            .collect();
        hints.join(&format!(" {} ", self.look.symbols.separator))
    }

    pub(super) fn draw_status(&mut self, area: Rect, buf: &mut Buffer, cx: &UiContext<'_>) {
        let activity = self.look.activity(0, cx);
        let status = Status {
            session: cx.session,
            elsewhere: cx.sessions.map(Sessions::elsewhere).unwrap_or_default(),
            project: cx.project,
            keymap: &self.look.keymap,
            theme: &self.look.theme,
            symbols: self.look.symbols,
            working: Some(activity).filter(Activity::goes_on),
            toast: self.moment.text(),
            shell: self.composer.is_shell(),
            asking: self.layers.is_asking(),
            letters_typed: self.look.frame == Frame::Compact
                && self.layers.is_asking()
                && !self.composer.is_empty(),
            drafting: !self.composer.is_empty(),
            left: self.review.left_of_turn(),
            comments: self.review.unsent(),
            in_viewer: self.is_covered(),
            mode: self.mode_told(cx),
        };
        let row = status.row(area.width.into());
        draw_rows([&row], area, buf);
        self.status_row = row.line.to_string();
    }

    /// Draws what has the keys instead of the composer; returns the cursor's place if it has one.
    pub(super) fn draw_overlay(
        &mut self,
        zones: &Zones,
        buf: &mut Buffer,
        cx: &UiContext<'_>,
    ) -> Option<Position> {
        if !self.layers.is_opened() {
            if zones.question.is_empty() {
                return None;
            }
            let mut area = zones.question;
            area.width = self.dialog_width(area.width, cx);
            return self.draw_layer(area, buf, cx);
        }
        let mut above = zones.above_composer();
        above.width = self.dialog_width(above.width, cx);
        let height = self
            .layer_height(Room::new(above.width, above.height), cx)
            .min(above.height);
        let (_, area) = split_bottom(above, height);
        self.links.retain(|link| !link.area.intersects(area));
        self.draw_layer(area, buf, cx)
    }

    /// A box ends where the prompts do, or with the sides of a diff, next to the scroll bar.
    fn dialog_width(&mut self, width: u16, cx: &UiContext<'_>) -> u16 {
        let width = match self.look.frame {
            Frame::Full => content_width(width),
            Frame::Compact => width,
        };
        let measure = self.look.measure();
        if width <= measure {
            return width;
        }
        let overlay = self.look.overlay(&self.composer, cx);
        let whole = contained("a dialog", || {
            self.layers.takes_whole_width(width, &overlay)
        });
        if whole.unwrap_or(false) {
            width
        } else {
            measure
        }
    }

    fn layer_height(&mut self, room: Room, cx: &UiContext<'_>) -> u16 {
        let overlay = self.look.overlay(&self.composer, cx);
        // If the height fails, there are rows for the message.
        contained("a dialog", || self.layers.height(room, &overlay)).unwrap_or(UNDRAWN_ROWS)
    }

    /// A dialog that cannot be drawn says so, and takes no answer but to stop.
    fn draw_layer(&mut self, area: Rect, buf: &mut Buffer, cx: &UiContext<'_>) -> Option<Position> {
        self.places.overlay = area;
        let overlay = self.look.overlay(&self.composer, cx);
        let drawn = contained("a dialog", || {
            #[cfg(test)]
            crate::ui::contain::faults::meet("dialog", "");
            self.layers.draw(area, buf, &overlay)
        });
        self.layers.set_undrawn(drawn.is_err());
        drawn.unwrap_or_else(|_| {
            self.draw_undrawn(area, buf);
            None
        })
    }

    pub(super) fn draw_undrawn(&self, area: Rect, buf: &mut Buffer) {
        let area = area.intersection(buf.area);
        Clear.render(area, buf);
        // The key first: on a small screen the rest may not fit.
        let text = "esc closes this. acp-tui failed to draw it; nothing was answered.";
        let line = StyledLine::styled(text, self.look.theme.error);
        draw_rows(&line.wrap(area.width.into()), area, buf);
    }

    /// Says once of each fault that was contained what it was, and what to do about it.
    pub(super) fn tell_broken(&mut self) {
        if let Some(Broken { what, .. }) = contain::take_told() {
            self.notice(AgentNotice {
                severity: NoticeSeverity::Error,
                title: SafeText::line(&format!("acp-tui could not draw {what}")),
                description: Some(
                    "It is shown in a plainer form. Please report this bug in acp-tui with its log (--log FILE)."
                        .into(),
                ),
            });
        }
    }

    fn draw_too_small(&self, area: Rect, buf: &mut Buffer) {
        let text = format!(
            "too small: {}x{}, needs {MIN_WIDTH}x{MIN_HEIGHT}",
            area.width, area.height
        );
        let line = StyledLine::styled(&text, self.look.theme.warning);
        draw_rows(&line.wrap(area.width.into()), area, buf);
    }
}

/// The plan without an id first, then the others in the order of their first sight.
fn pinned_plans(session: &Session) -> Vec<Pinned<'_>> {
    let unfinished = |entries: &&[PlanEntry]| {
        let mut entries = entries.iter();
        entries.any(|entry| !matches!(entry.status, PlanStatus::Completed | PlanStatus::Cancelled))
    };
    let plain = Some(session.conversation.plan.as_slice()).filter(unfinished);
    let named = session.conversation.plans.iter().map(Pinned::of);
    plain.map(Pinned::Items).into_iter().chain(named).collect()
}

fn placed_links(rows: &[Row], area: Rect) -> impl Iterator<Item = PlacedLink> {
    (area.top()..area.bottom())
        .zip(rows)
        .flat_map(move |(y, row)| {
            row.links.iter().map(move |link| {
                let end = link.columns.end.min(area.width);
                let start = link.columns.start.min(end);
                PlacedLink {
                    area: Rect::new(area.x + start, y, end - start, 1),
                    uri: link.uri.clone(),
                }
            })
        })
}
