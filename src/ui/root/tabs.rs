//! The open sessions as tabs on the first row, and the keys that go to one of them.
//!
//! Owns which tabs fit and where they stand. The list of sessions has the details.

use std::ops::Range;

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use crate::{
    config::Tabs,
    model::SessionKey,
    session::{Session, Sessions},
    text::{SafeText, cell_width, truncate_with},
    ui::{
        Ui, UiCommand, UiContext,
        action::Action,
        keymap::Chord,
        render::{draw_rows, line::StyledLine},
        standing::Standing,
        theme::{Symbols, Theme},
    },
};

/// Rows of a screen on which the conversation can spare one.
const MIN_HEIGHT: u16 = 14;

/// Cells of a title at most, and before tabs are left out instead.
const MAX_TITLE: usize = 24;
const MIN_TITLE: usize = 8;

/// Cells of what tells that there are more, on either side.
const MORE: usize = 5;

impl Ui {
    /// Rows that tabs take of a screen.
    pub(super) fn tab_rows(&self, area: Rect, cx: &UiContext<'_>) -> u16 {
        let several = cx.sessions.is_some_and(|sessions| sessions.len() > 1);
        let wanted = self.look.settings.tabs == Tabs::Auto;
        u16::from(several && wanted && area.height >= MIN_HEIGHT)
    }

    pub(super) fn draw_tabs(&mut self, area: Rect, buf: &mut Buffer, cx: &UiContext<'_>) {
        let (false, Some(sessions)) = (area.is_empty(), cx.sessions) else {
            return;
        };
        let (theme, symbols) = (&self.look.theme, self.look.symbols);
        let width = usize::from(area.width);
        let all: Vec<(SessionKey, &Session)> = sessions.iter().collect();
        let titles = all.iter().map(|(_, session)| session.label());
        let titles: Vec<SafeText> = titles.collect();
        let shown = all
            .iter()
            .position(|(key, _)| sessions.shown_key() == Some(*key))
            .unwrap_or(0);
        let (room, fitting) = fit(&titles, shown, width);
        let mut line = StyledLine::new();
        self.tabs.clear();
        let hidden = |range: Range<usize>| {
            let sessions = all.get(range).unwrap_or_default();
            let waits = sessions.iter().any(|(_, s)| s.waits_for_person());
            more(sessions.len(), waits, theme, symbols)
        };
        if fitting.start > 0 {
            line.extend(&hidden(0..fitting.start));
        }
        for at in fitting.clone() {
            let (Some((key, session)), Some(title)) = (all.get(at), titles.get(at)) else {
                continue;
            };
            let standing = Standing::of(session);
            let from = column(area.x, line.width());
            let is_shown = at == shown;
            let mark = if is_shown { symbols.folded } else { " " };
            let (number, text) = match is_shown {
                true => (theme.strong, theme.strong),
                false => (theme.dim, theme.dim),
            };
            line.push(mark, theme.accent);
            line.push(&format!("{} ", at + 1), number);
            line.push(standing.sign(symbols), standing.style(theme));
            line.push(" ", theme.text);
            line.push(&truncate_with(title, room, symbols.ellipsis), text);
            line.push(" ", theme.text);
            self.tabs.push((*key, from..column(area.x, line.width())));
        }
        if fitting.end < all.len() {
            line.extend(&hidden(fitting.end..all.len()));
        }
        draw_rows([&line.truncate(width, symbols.ellipsis)], area, buf);
    }

    /// The session whose tab was drawn there.
    pub(super) fn tab_at(&self, at: Position) -> Option<SessionKey> {
        if !self.places.tabs.contains(at) {
            return None;
        }
        let mut tabs = self.tabs.iter();
        let hit = tabs.find(|(_, columns)| columns.contains(&at.x));
        hit.map(|(key, _)| *key)
    }

    /// The n-th key of [`Action::Tab`] goes to the n-th session. False for other actions.
    pub(super) fn go_to_tab(&mut self, action: Action, chord: Chord, cx: &UiContext<'_>) -> bool {
        if action != Action::Tab {
            return false;
        }
        let mut chords = self.look.keymap.chords(action).iter();
        let Some(at) = chords.position(|key| *key == chord) else {
            return false;
        };
        let session = cx.sessions.and_then(|sessions| sessions.iter().nth(at));
        match session {
            Some((key, _)) => self.commands.push(UiCommand::ShowSession(key)),
            None => {
                let text = format!("there is no session {}", at + 1);
                self.moment.say(SafeText::line(&text));
            }
        }
        true
    }

    pub(super) fn next_waiting(&mut self, cx: &UiContext<'_>) {
        match cx.sessions.and_then(Sessions::next_waiting) {
            Some(key) => self.commands.push(UiCommand::ShowSession(key)),
            None if cx.session.is_some_and(Session::waits_for_person) => {
                self.moment.say("no other session waits for you".into());
            }
            None => self.moment.say("no session waits for you".into()),
        }
    }
}

/// How many sessions have no tab on that side, and whether one of them waits.
fn more(count: usize, waits: bool, theme: &Theme, symbols: &Symbols) -> StyledLine {
    let mut line = StyledLine::styled(&format!(" +{count}"), theme.dim);
    let sign = if waits { symbols.asking } else { " " };
    line.push(sign, theme.warning.bold());
    line
}

fn column(x: u16, width: usize) -> u16 {
    x.saturating_add(u16::try_from(width).unwrap_or(u16::MAX))
}

/// Cells for each title, and which tabs there is room for: the one that is shown is among them.
fn fit(titles: &[SafeText], shown: usize, width: usize) -> (usize, Range<usize>) {
    let of = |at: usize, room: usize| {
        let title = titles.get(at).map_or(0, |title| cell_width(title));
        // Mark, number, sign and blanks.
        title.min(room) + 5 + usize::from(at >= 9)
    };
    let sum = |tabs: Range<usize>, room| tabs.map(|at| of(at, room)).sum::<usize>();
    let all = 0..titles.len();
    for room in (MIN_TITLE..=MAX_TITLE).rev() {
        if sum(all.clone(), room) <= width {
            return (room, all);
        }
    }
    let mut tabs = shown..shown + 1;
    loop {
        let fits = |tabs: &Range<usize>| {
            let left = if tabs.start > 0 { MORE } else { 0 };
            let right = if tabs.end < titles.len() { MORE } else { 0 };
            left + sum(tabs.clone(), MIN_TITLE) + right <= width
        };
        let behind = tabs.start..tabs.end + 1;
        let before = tabs.start.saturating_sub(1)..tabs.end;
        if tabs.end < titles.len() && fits(&behind) {
            tabs = behind;
        } else if tabs.start > 0 && fits(&before) {
            tabs = before;
        } else {
            return (MIN_TITLE, tabs);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tab_that_is_shown_has_room_on_every_screen() {
        for count in 1..=32 {
            let titles = vec![SafeText::from("a title of some length, and more"); count];
            for (shown, width) in (0..count).flat_map(|at| [(at, 40), (at, 60), (at, 120)]) {
                let (room, tabs) = fit(&titles, shown, width);
                assert!(tabs.contains(&shown), "{shown} of {count} in {width}");
                let hidden = usize::from(tabs.start > 0) + usize::from(tabs.end < count);
                let wide = tabs.clone().count() * (room + 6) + hidden * MORE;
                assert!(tabs.len() == 1 || wide <= width + tabs.len(), "{tabs:?}");
            }
        }
    }

    #[test]
    fn titles_are_as_long_as_all_tabs_allow() {
        let titles = vec![SafeText::new(&"x".repeat(60)); 3];
        assert_eq!(fit(&titles, 0, 200), (MAX_TITLE, 0..3));
        assert_eq!(fit(&titles, 0, 60), (15, 0..3));
        assert_eq!(fit(&titles, 0, 38), (MIN_TITLE, 0..2));
    }
}
