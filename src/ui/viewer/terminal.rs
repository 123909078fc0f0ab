//! One terminal on the whole screen. While its program runs keys go to it, so that a prompt for
//! input can be answered; else keys scroll its output.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseEvent};
use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
    widgets::{Clear, Widget},
};

use super::{
    Entries, Finder, Motion, Outcome, areas, closes, draw_hints, draw_title, find, input, motion,
    mouse, window::Shown,
};
use crate::{
    model::TerminalId,
    session::TerminalInfo,
    text::SafeText,
    ui::{
        UiCommand,
        find::Pattern,
        render::{
            RenderContext, Row,
            command::{one_line, shown_command},
            draw_rows,
            line::StyledLine,
            split_top,
            terminal::{ending, render_screen_rows},
        },
    },
    vt::{InputModes, MouseWanted, Screen, Screens, missing},
};

pub struct TerminalViewer {
    id: TerminalId,
    command: SafeText,
    /// Keys can be sent: it is ours and runs.
    attached: bool,
    ended: Option<SafeText>,
    /// Rows that the view is scrolled up from the end.
    up: usize,
    /// Of the body, as of the last frame.
    size: Option<(u16, u16)>,
    /// Where the program's screen was drawn.
    body: Option<Rect>,
    command_to_send: Option<UiCommand>,
    pub(super) find: Finder,
}

impl TerminalViewer {
    /// For the terminal `id`; `info` is what the session knows of it.
    pub fn new(id: TerminalId, info: Option<&TerminalInfo>) -> Self {
        let mut viewer = Self {
            id,
            command: SafeText::default(),
            attached: false,
            ended: None,
            up: 0,
            size: None,
            body: None,
            command_to_send: None,
            find: Finder::default(),
        };
        viewer.update(info);
        viewer
    }

    pub fn id(&self) -> &TerminalId {
        &self.id
    }

    pub fn is_attached(&self) -> bool {
        self.attached
    }

    /// Takes in the command's state; to be called before each frame.
    pub fn update(&mut self, info: Option<&TerminalInfo>) {
        let Some(info) = info else {
            self.attached = false;
            return;
        };
        self.command = one_line(shown_command(info.command.trim()).trim());
        self.attached = info.exit.is_none() && !info.foreign;
        self.ended = info.exit.as_ref().map(|status| {
            ending(status).map_or(SafeText::from("done"), |text| SafeText::line(&text))
        });
    }

    pub fn on_key(&mut self, key: KeyEvent, screens: &Screens) -> Outcome {
        let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        let shift = key.modifiers.contains(KeyModifiers::SHIFT);
        match key.code {
            // Some terminals report ctrl-] by its older name.
            KeyCode::Char(']' | '5') if ctrl => return Outcome::Close,
            KeyCode::PageUp if shift => self.move_by(Motion::Pages(-1)),
            KeyCode::PageDown if shift => self.move_by(Motion::Pages(1)),
            KeyCode::F(9) if self.attached => {
                return Outcome::command(UiCommand::TerminalKill {
                    id: self.id.clone(),
                });
            }
            // ctrl-f and `/` are the program's.
            KeyCode::F(3) if find::opens(key) => self.find.open(),
            _ if !self.attached => {
                if closes(key) {
                    return Outcome::Close;
                }
                if let Some(motion) = motion(key) {
                    self.move_by(motion);
                }
            }
            // While something is looked for the program gets no keys that it cannot know of.
            _ if self.find.is_open() => {
                if let Some(motion) = motion(key) {
                    self.move_by(motion);
                }
            }
            _ => {
                if let Some(bytes) = input::key_bytes(key, self.modes(screens)) {
                    return self.send(bytes);
                }
            }
        }
        Outcome::Stay
    }

    pub fn on_paste(&mut self, text: &str, screens: &Screens) -> Outcome {
        if !self.attached {
            return Outcome::Stay;
        }
        self.send(input::paste_bytes(text, self.modes(screens)))
    }

    /// Reports go to a program that asked for them. Else the wheel is for its history, or, on a screen
    /// that has none, for its arrow keys, as terminals do it.
    pub fn on_mouse(
        &mut self,
        mouse: MouseEvent,
        rows: Option<isize>,
        screens: &Screens,
    ) -> Outcome {
        let modes = self.modes(screens);
        if self.attached && modes.mouse != MouseWanted::Nothing {
            let place = self.body.and_then(|body| mouse::place(mouse, body));
            let bytes = place.and_then(|place| mouse::bytes(mouse, place, modes));
            return bytes.map_or(Outcome::Stay, |bytes| self.send(bytes));
        }
        let Some(rows) = rows else {
            return Outcome::Stay;
        };
        let screen = screens.get(&self.id);
        if self.attached && screen.is_some_and(|screen| screen.lock().alternate_screen()) {
            let code = if rows < 0 { KeyCode::Up } else { KeyCode::Down };
            let key = input::key_bytes(code.into(), modes).unwrap_or_default();
            return self.send(key.repeat(rows.unsigned_abs()));
        }
        self.move_by(Motion::Rows(rows));
        Outcome::Stay
    }

    fn modes(&self, screens: &Screens) -> InputModes {
        let screen = screens.get(&self.id);
        screen.map_or_else(InputModes::default, |screen| screen.lock().input_modes())
    }

    fn send(&mut self, bytes: Vec<u8>) -> Outcome {
        self.up = 0;
        Outcome::command(UiCommand::TerminalInput {
            id: self.id.clone(),
            bytes,
        })
    }

    /// To rows above the end, as they were counted when the find bar was opened.
    pub(super) fn go_back(&mut self, (_, up): (usize, usize)) {
        self.up = up;
    }

    fn move_by(&mut self, motion: Motion) {
        let page = self
            .size
            .map_or(1, |(rows, _)| isize::try_from(rows).unwrap_or(1).max(2) - 1);
        let by = |rows: isize| self.up.saturating_add_signed(-rows);
        self.up = match motion {
            Motion::Rows(rows) => by(rows),
            Motion::Pages(pages) => by(pages.saturating_mul(page)),
            Motion::HalfPages(pages) => by(pages.saturating_mul(page / 2)),
            Motion::Home => usize::MAX,
            Motion::End => 0,
        };
    }

    pub fn take_command(&mut self) -> Option<UiCommand> {
        self.command_to_send.take()
    }

    pub fn draw(
        &mut self,
        area: Rect,
        buf: &mut Buffer,
        screens: &Screens,
        ctx: &RenderContext<'_>,
    ) -> Option<Position> {
        Clear.render(area, buf);
        let (title, body, hints) = areas(area, &self.find);
        self.body = Some(body);
        self.want_size(body);
        let mut name = StyledLine::styled("$ ", ctx.theme.dim);
        name.push(&self.command, ctx.theme.strong);
        let state = match (&self.ended, self.attached) {
            (Some(ended), _) => ended.as_str(),
            (None, true) => "attached",
            (None, false) => "run by the agent",
        };
        draw_title(&name, state, title, buf, ctx);
        let keys: &[_] = if self.attached {
            &[
                ("ctrl-]", "back"),
                ("F9", "end the command"),
                ("shift-pgup", "scroll"),
                ("F3", "find"),
            ]
        } else {
            &[
                ("j k", "scroll"),
                ("space b", "page"),
                ("/", "find"),
                ("q", "back"),
            ]
        };
        if !self.find.is_open() {
            draw_hints(keys, "", hints, buf, ctx);
        }

        let Some(screen) = screens.get(&self.id) else {
            let text = StyledLine::styled("[output of a terminal, no longer kept]", ctx.theme.dim);
            draw_rows([&text.truncate(body.width.into(), "")], body, buf);
            self.find.lost();
            return self.find.draw_bar(hints, buf, ctx);
        };
        let whole = *ctx;
        let ctx = RenderContext {
            width: body.width.max(1),
            ..*ctx
        };
        let cursor = self.draw_screen(&screen.lock(), body, buf, &ctx);
        // The count is as of what was searched for this frame.
        match self.find.is_open() {
            true => self.find.draw_bar(hints, buf, &whole),
            false => cursor,
        }
    }

    /// The program's size is that of the view.
    fn want_size(&mut self, body: Rect) {
        let size = (body.height.max(1), body.width.max(1));
        if self.size != Some(size) && self.attached {
            self.command_to_send = Some(UiCommand::TerminalResize {
                id: self.id.clone(),
                rows: size.0,
                cols: size.1,
            });
        }
        self.size = Some(size);
    }

    fn draw_screen(
        &mut self,
        screen: &Screen,
        body: Rect,
        buf: &mut Buffer,
        ctx: &RenderContext<'_>,
    ) -> Option<Position> {
        let height = usize::from(body.height);
        // A row at the top says what is missing.
        let missing = missing(screen.dropped_rows());
        let head = usize::from(missing.is_some());
        let used = screen.row_count() + head;
        // At the end the terminal's screen shows, with its blank rows, as the program sees it.
        let end_top = if self.attached {
            screen.screen_start() + head
        } else {
            used.saturating_sub(height)
        };
        self.up = self.up.min(end_top);
        let found = Found { screen, ctx };
        let first = found.first();
        self.find.set_rev(screen.rev());
        let place = (first + (end_top - self.up).saturating_sub(head), self.up);
        if let Some((entry, _)) = self.find.step(&found, place, ctx.now) {
            let row = (entry + head).saturating_sub(first);
            let shown = end_top - self.up..end_top - self.up + height;
            if !shown.contains(&row) {
                // With what led to it above.
                self.up = end_top.saturating_sub(row.saturating_sub(height / 3));
            }
        }
        let top = end_top - self.up;
        let mut rows = Vec::new();
        if let Some(missing) = missing.filter(|_| top == 0) {
            let row = StyledLine::styled(&missing, ctx.theme.dim);
            rows.push(row.truncate(usize::from(ctx.width), ""));
        }
        let from = top.saturating_sub(head);
        let shown = from..(top + height).saturating_sub(head);
        let said = u16::try_from(rows.len()).unwrap_or(u16::MAX);
        rows.extend(render_screen_rows(screen, shown.clone(), ctx));
        draw_rows(&rows, body, buf);
        let shown: Vec<Shown> = shown
            .map(|row| Shown {
                entry: first + row,
                from: 0,
                rows: 1,
            })
            .collect();
        let (_, below) = split_top(body, said);
        self.find.mark(&shown, &found, below, buf, ctx);
        let cursor = screen.cursor().filter(|_| self.attached && self.up == 0)?;
        let at = Position::new(
            body.x.saturating_add(cursor.col),
            body.y.saturating_add(cursor.row),
        );
        body.contains(at).then_some(at)
    }
}

/// A terminal's rows, numbered from the first that it ever had.
struct Found<'a> {
    screen: &'a Screen,
    ctx: &'a RenderContext<'a>,
}

impl Entries for Found<'_> {
    fn first(&self) -> usize {
        self.screen.dropped_rows()
    }

    fn len(&self) -> usize {
        self.first() + self.screen.row_count()
    }

    fn rows(&self, at: usize) -> Vec<Row> {
        let at = at.checked_sub(self.first());
        at.map_or_else(Vec::new, |at| {
            render_screen_rows(self.screen, at..at + 1, self.ctx)
        })
    }

    // Laying a row out is what reading it costs.
    fn may_match(&self, _: usize, _: &Pattern) -> bool {
        true
    }
}
