//! The screen for a screen reader: lines in their order, each once, and the draft as a plain line at the end.
//!
//! Owns: what was said of what is not in the transcript: what the agent is at, messages of the moment,
//! dialogs and lists. Nothing that was said is drawn again; of a list only the selected row is said. Blocks
//! come as text from [`crate::ui::transcript`].

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect, Size},
    style::Style,
};

use super::{InlineFrame, Ui, mouse::Places, spoken_changes::Heard};
use crate::{
    model::{AgentNotice, LimitState, SessionKey},
    session::Phase,
    text::SafeText,
    ui::{
        UiContext,
        action::Action,
        overlay::agent_name,
        render::{Row, line::StyledLine},
    },
};

/// What was said.
#[derive(Default)]
pub(super) struct Spoken {
    on: bool,
    greeted: bool,
    ready: bool,
    /// What the agent was at, and that it was waited for in this turn.
    doing: Option<String>,
    waited: bool,
    /// Of the plan and the queue, and of which session.
    heard: Heard,
    session: Option<SessionKey>,
    /// Notices of the agent that are to be said, and the one that was said last.
    notices: Vec<String>,
    notice: Option<AgentNotice>,
    /// The message of the moment.
    toast: Option<SafeText>,
    /// The prompt that the agent suggests.
    suggestion: Option<SafeText>,
    /// The limit that is near or reached, and which of both.
    limit: Option<(SafeText, bool)>,
    /// Of the dialog or list that is open.
    dialog: Vec<String>,
    selected: Option<String>,
}

/// Notices that wait for the next frame; more come at once from no agent that means well.
const MAX_NOTICES: usize = 32;

/// Lines of an open dialog that are known as said; one with more is said again from its start.
const MAX_SAID: usize = 2_000;

impl Spoken {
    pub fn new(on: bool) -> Self {
        Self {
            on,
            ..Self::default()
        }
    }

    /// Has a notice of the agent's said with the next frame; one that comes again is the same.
    pub fn tell(&mut self, notice: &AgentNotice) {
        if self.notice.as_ref() == Some(notice) || self.notices.len() >= MAX_NOTICES {
            return;
        }
        let said = notice.description.as_ref().map_or("", |text| text.trim());
        let mut line = format!("Notice: {}", notice.title.trim());
        if !said.is_empty() {
            line.push_str(". ");
            line.push_str(said);
        }
        self.notices.push(SafeText::line(&line).to_string());
        self.notice = Some(notice.clone());
    }

    /// What is drawn is said.
    pub fn is_on(&self) -> bool {
        self.on
    }
}

impl Ui {
    /// As [`Ui::draw_inline`], for a screen reader.
    pub(super) fn say(
        &mut self,
        size: Size,
        places: &Places,
        buf: &Buffer,
        cursor: Option<Position>,
        printed: Vec<Row>,
        cx: &UiContext<'_>,
    ) -> InlineFrame {
        let mut lines = Vec::new();
        if !std::mem::replace(&mut self.spoken.greeted, true) {
            lines.push("acp-tui. Type a prompt and press enter. F1 lists the keys.".to_owned());
        }
        self.say_state(cx, &mut lines);
        let mut rows = printed;
        rows.extend(lines.iter().flat_map(|line| plain_rows(line, size.width)));
        let mut lines = Vec::new();
        self.say_dialog(places, buf, cx, &mut lines);
        rows.extend(lines.iter().flat_map(|line| plain_rows(line, size.width)));
        let composer = places.composer.intersection(buf.area);
        let (live, cursor) = part(buf, composer, cursor, size.width);
        InlineFrame {
            printed: rows,
            live,
            cursor,
            links: Vec::new(),
        }
    }

    /// What the agent is at, where that has changed, and the message of the moment.
    fn say_state(&mut self, cx: &UiContext<'_>, lines: &mut Vec<String>) {
        let doing = self.look.activity(0, cx).said();
        let ready = cx
            .session
            .is_some_and(|session| matches!(session.phase, Phase::Ready));
        let spoken = &mut self.spoken;
        if ready && !std::mem::replace(&mut spoken.ready, ready) {
            lines.push(format!("{} is ready.", agent_name(cx.session)));
        }
        spoken.ready = ready;
        let waits = |doing: &str| matches!(doing, "Waiting for the agent" | "Thinking");
        match &doing {
            None => spoken.waited = false,
            Some(doing) if spoken.doing.as_ref() == Some(doing) || doing == "Writing" => {}
            Some(doing) if waits(doing) && spoken.waited => {}
            Some(doing) => {
                spoken.waited |= waits(doing);
                lines.push(format!("{doing}."));
            }
        }
        spoken.doing = doing;
        if let Some(session) = cx.session {
            let heard = Heard::of(session);
            // What another session has is what stands there, and no change.
            let same = spoken.session == self.session;
            if same || spoken.session.is_none() {
                lines.extend(heard.since(&spoken.heard));
            }
            (spoken.heard, spoken.session) = (heard, self.session);
        }
        lines.append(&mut spoken.notices);
        self.say_suggestion(cx, lines);
        self.say_limit(cx, lines);
        let toast = self.moment.text().cloned();
        if toast != self.spoken.toast {
            lines.extend(toast.iter().map(|toast| toast.as_str().to_owned()));
            self.spoken.toast = toast;
        }
    }

    /// Once for each change; not each percent.
    fn say_limit(&mut self, cx: &UiContext<'_>, lines: &mut Vec<String>) {
        let limit = cx.session.and_then(|session| session.limit.as_ref());
        let limit = limit.filter(|limit| limit.told.state != LimitState::Fine);
        let now = limit.map(|limit| (limit.told.name.clone(), limit.is_reached()));
        // Its time is told a moment later.
        let waits = limit.is_some_and(|limit| limit.told.resets.is_some() && limit.ends.is_none());
        if now == self.spoken.limit || waits {
            return;
        }
        if let Some(limit) = limit {
            let mut text = limit.words();
            text.extend(limit.resets().map(|resets| format!(", {resets}")));
            let key = self.look.keymap.hint(Action::ContinueAfterLimit);
            if limit.is_reached() && !key.is_empty() {
                text.push_str(&format!(". {key} sends \"continue\" then"));
            }
            lines.push(format!("{text}."));
        }
        self.spoken.limit = now;
    }

    /// Once, however often the draft is emptied again.
    fn say_suggestion(&mut self, cx: &UiContext<'_>, lines: &mut Vec<String>) {
        let suggested = cx.session.and_then(|session| session.suggestion.as_ref());
        let shown = self.suggestion(cx).is_some();
        if suggested == self.spoken.suggestion.as_ref() || (suggested.is_some() && !shown) {
            return;
        }
        if let Some(text) = suggested {
            let text = SafeText::line(text);
            lines.push(match self.look.keymap.hint(Action::TakeSuggestion) {
                key if key.is_empty() => format!("Suggested prompt: {text}"),
                key => format!("Suggested prompt, {key} takes it: {text}"),
            });
        }
        self.spoken.suggestion = suggested.cloned();
    }

    /// What of an open dialog or list was not said yet.
    fn say_dialog(
        &mut self,
        places: &Places,
        buf: &Buffer,
        cx: &UiContext<'_>,
        lines: &mut Vec<String>,
    ) {
        let area = match places.overlay.is_empty() {
            true => places.popup,
            false => places.overlay,
        };
        let asked = self.layers.is_asking();
        let sign = self.look.symbols.prompt;
        let spoken = &mut self.spoken;
        if area.is_empty() {
            spoken.dialog.clear();
            spoken.selected = None;
            return;
        }
        let texts: Vec<String> = (area.top()..area.bottom())
            .map(|y| unframed(&row_text(buf, area, y)))
            .filter(|text| !text.is_empty())
            .collect();
        let marked = |text: &&String| text.starts_with(sign);
        let selected = texts.iter().rfind(marked).map(|text| {
            let text = text.trim_start_matches(sign).trim();
            text.to_owned()
        });
        let is_list = !asked && selected.is_some();
        if spoken.dialog.len() > MAX_SAID {
            spoken.dialog.clear();
        }
        let first = spoken.dialog.is_empty();
        for (at, text) in texts.iter().enumerate() {
            let text = text.trim_start_matches(sign).trim();
            let is_title = first && at == 0;
            if is_list && !is_title || spoken.dialog.iter().any(|said| said == text) {
                continue;
            }
            spoken.dialog.push(text.to_owned());
            let is_permission = is_title
                && asked
                && cx.session.is_some_and(|session| {
                    let question = session.shown_question();
                    matches!(question, Some(crate::session::Question::Permission(_)))
                });
            lines.push(match is_permission {
                true => format!("Permission needed: {text}"),
                false if asked => answer(text),
                false => text.to_owned(),
            });
        }
        if selected != spoken.selected {
            let new = selected
                .iter()
                .filter(|text| is_list || !lines.contains(text));
            let new: Vec<String> = new.map(|text| format!("Selected: {text}")).collect();
            lines.extend(new);
            spoken.selected = selected;
        }
    }
}

/// The text of a row of an area.
fn row_text(buf: &Buffer, area: Rect, y: u16) -> String {
    use ratatui::buffer::CellWidth;
    let mut text = String::new();
    let mut x = area.left();
    while x < area.right() {
        let Some(cell) = buf.cell((x, y)) else { break };
        text.push_str(cell.symbol());
        x += cell.cell_width().max(1);
    }
    text
}

/// A row without what frames it.
fn unframed(row: &str) -> String {
    let is_corner = |c: char| "╭╮╰╯┌┐└┘├┤+".contains(c);
    let is_line = |c: char| "─│|-".contains(c) || is_corner(c);
    let row = row.trim();
    let row = match row.chars().next() {
        Some(first) if is_corner(first) || row.starts_with('─') => {
            row.trim_matches(|c: char| is_line(c) || c == ' ')
        }
        Some('│' | '|') => {
            let row = row.strip_prefix(['│', '|']).unwrap_or(row);
            row.strip_suffix(['│', '|']).unwrap_or(row)
        }
        _ => row,
    };
    row.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// An answer with its number; without the letter that gives it too, and the sign of its kind.
fn answer(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let is_sign = |word: &str| matches!(word, "+" | "x");
    match words.as_slice() {
        [number, rest @ ..] if number.parse::<u8>().is_ok() => {
            let label = match rest {
                [key, sign, label @ ..] if key.len() == 1 && is_sign(sign) => label,
                [sign, label @ ..] if is_sign(sign) => label,
                label => label,
            };
            format!("{number} {}", label.join(" "))
        }
        _ => text.to_owned(),
    }
}

/// Text as rows without style, wrapped between words.
pub(super) fn plain_rows(text: &str, width: u16) -> Vec<Row> {
    let line = StyledLine::styled(text, Style::new());
    line.wrap(width.max(1).into())
}

/// The rows of a part without its styles, and where the cursor is in it.
fn part(
    buf: &Buffer,
    area: Rect,
    cursor: Option<Position>,
    width: u16,
) -> (Buffer, Option<Position>) {
    let mut live = Buffer::empty(Rect::new(0, 0, width, area.height.max(1)));
    for y in 0..area.height {
        for x in 0..area.width {
            if let (Some(to), Some(from)) =
                (live.cell_mut((x, y)), buf.cell((x + area.x, y + area.y)))
            {
                to.set_symbol(from.symbol());
            }
        }
    }
    let cursor = cursor.filter(|at| area.contains(*at));
    let cursor = cursor.map(|at| Position::new(at.x - area.x, at.y - area.y));
    (live, cursor.or(Some(Position::ORIGIN)))
}
