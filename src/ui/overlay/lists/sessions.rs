//! All open sessions: which one to show, who waits for the person; and what the agent has kept
//! besides (ctrl-s).

use std::{
    cell::RefCell,
    time::{Duration, Instant},
};

use crate::{
    model::{SessionId, SessionKey, WorkState, WorktreeStatus},
    session::{Elsewhere, Event, Listing, Phase, Session, Sessions, TurnPhase},
    text::SafeText,
    ui::{
        UiCommand,
        action::Action,
        keymap::Chord,
        overlay::{Outcome, OverlayContext, Wish, agent_name, panel::Panel, rename},
        render::{
            Row,
            format::{ago, elapsed_seconds},
            line::StyledLine,
        },
        standing::Standing,
    },
};

use super::{
    Contents, FilterList, ListRow, NewRows, open as open_list, past::searched, preview, said::Said,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    Session(SessionKey),
    Run(Action),
    /// Kept by the agent of the session that is shown.
    Earlier(SessionId),
}

/// What the rows were made from: states change while the list is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MadeFrom {
    shown: Option<SessionKey>,
    open: usize,
    revisions: u64,
    elsewhere: Elsewhere,
    /// Sessions in whose text what is typed was found, and minutes since something was said.
    found: usize,
    minutes: u64,
}

/// Characters of an id that tell sessions without a title apart.
const ID_CHARS: usize = 12;

#[derive(Default)]
pub struct OpenSessions {
    /// To be ended although it is working, or deleted, if the key is pressed once more.
    ending: Option<Item>,
    /// As it was last told.
    typed: String,
    said: RefCell<Said>,
}

pub(super) fn open(cx: &OverlayContext<'_>) -> Outcome {
    let opened = open_list(OpenSessions::default());
    match cx.session {
        Some(_) if cx.is_live() => opened.command(UiCommand::Session(Event::ListSessions)),
        _ => opened,
    }
}

impl OpenSessions {
    /// Ends it; one that works, or waits for an answer, at the second press.
    fn end(&mut self, key: SessionKey, again: bool, cx: &OverlayContext<'_>) -> Outcome {
        let session = cx.sessions.and_then(|sessions| sessions.get(key));
        let busy = session.is_some_and(|s| s.is_at_work() || s.waits_for_person());
        if busy && !again {
            self.ending = Some(Item::Session(key));
            let hint = cx.keymap.hint(Action::ListRemove);
            let label = session.map(Session::label).unwrap_or_default();
            return Outcome::toast(&format!(
                "{hint} again stops what is running and ends it: {label}"
            ));
        }
        let ends = UiCommand::CloseSession(key);
        // After the last one the agents are offered, and there is nothing left to list.
        if cx.sessions.is_some_and(|sessions| sessions.len() == 1) {
            return Outcome::close().command(ends);
        }
        Outcome::taken().command(ends)
    }

    /// Deletes it at the second press (V1-SES-14).
    fn delete(&mut self, id: SessionId, again: bool, cx: &OverlayContext<'_>) -> Outcome {
        let can = cx.session.is_some_and(|session| session.agent.caps.delete);
        let agent = agent_name(cx.session);
        if !can {
            return Outcome::toast(&format!("{agent} cannot delete sessions"));
        }
        if again {
            return Outcome::taken().command(UiCommand::Session(Event::DeleteSession(id)));
        }
        self.ending = Some(Item::Earlier(id));
        let key = cx.keymap.hint(Action::ListRemove);
        Outcome::toast(&format!(
            "{key} again: {agent} deletes that session for good"
        ))
    }
}

/// Asks for another title (V1-SES-20).
fn rename_selected(item: Option<&Item>, cx: &OverlayContext<'_>) -> Outcome {
    let Some(sessions) = cx.sessions else {
        return Outcome::taken();
    };
    let dialog = match item {
        Some(Item::Session(key)) => sessions.get(*key).map(|session| {
            let title = session.name().unwrap_or_default();
            rename(Some(*key), None, &title)
        }),
        // Its agent is that of the session that is shown.
        Some(Item::Earlier(id)) => sessions.shown().map(|shown| {
            let mut kept = shown.earlier.sessions.iter();
            let info = kept.find(|info| info.id == *id);
            let title = info.and_then(|info| info.title.clone());
            rename(None, Some(id.clone()), &title.unwrap_or_default())
        }),
        _ => None,
    };
    match dialog {
        Some(dialog) => Outcome::taken().with(Wish::Open(Box::new(dialog))),
        None => Outcome::toast("only a session can be renamed"),
    }
}

impl Contents for OpenSessions {
    type Id = Item;
    type MadeFrom = MadeFrom;

    const PREVIEWS: bool = true;

    const TITLE: &'static str = "Sessions";
    const HINTS: &'static [(Action, &'static str)] = &[
        (Action::Send, "show"),
        (Action::ListRemove, "end"),
        (Action::RenameSession, "rename"),
        (Action::Stop, "close"),
    ];

    fn typed(&mut self, typed: &str, cx: &OverlayContext<'_>) -> Option<UiCommand> {
        let before = searched(&self.typed).to_owned();
        self.typed = typed.to_owned();
        if searched(typed) != before {
            let keys = cx.sessions.iter().flat_map(|sessions| sessions.iter());
            let keys = keys.map(|(key, _)| key).collect();
            self.said.borrow_mut().look_for(searched(typed), keys);
        }
        None
    }

    fn deadline(&self, now: Instant) -> Option<Instant> {
        (!self.said.borrow().is_over()).then_some(now)
    }

    fn made_from(&self, _narrowed: bool, cx: &OverlayContext<'_>) -> Option<MadeFrom> {
        let sessions = cx.sessions?;
        let mut said = self.said.borrow_mut();
        said.step(sessions);
        let minutes = sessions
            .iter()
            .map(|(_, session)| since(session, cx.now).as_secs() / 60);
        Some(MadeFrom {
            found: said.count(),
            minutes: minutes.sum(),
            shown: sessions.shown_key(),
            open: sessions.len(),
            revisions: sessions.iter().map(|(_, session)| session.rev).sum(),
            elsewhere: sessions.elsewhere(),
        })
    }

    fn rows(&self, _: &MadeFrom, cx: &OverlayContext<'_>) -> Vec<ListRow<Item>> {
        let Some(sessions) = cx.sessions else {
            return Vec::new();
        };
        let open = sessions.iter().map(|(key, session)| ListRow {
            in_text: self.said.borrow().in_session(key).is_some(),
            ..row(key, session, sessions.shown_key() == Some(key), cx)
        });
        if !cx.is_live() {
            return open.collect();
        }
        let more = [
            Action::NewSession,
            Action::NewWorktree,
            Action::ChooseAgent,
            Action::PastSessions,
        ]
        .map(|action| {
            let label = StyledLine::styled(&format!("+ {}", action.info().doc), cx.theme.dim);
            let hint = StyledLine::styled(&cx.keymap.hint(action), cx.theme.key_hint);
            ListRow::new(Item::Run(action), label).with_note(hint)
        });
        open.chain(more).chain(earlier(sessions, cx)).collect()
    }

    /// At first the session that waits for the person; also after one was ended.
    fn select(&self, rows: NewRows<'_, Self>, cx: &OverlayContext<'_>) -> Option<Item> {
        let sessions = cx.sessions?;
        let is_there = |item: &Item| match item {
            Item::Session(key) => sessions.get(*key).is_some(),
            _ => true,
        };
        let selected = rows.selected.filter(|_| rows.before.is_some());
        let waiting = || {
            sessions
                .iter()
                .filter(|(key, _)| sessions.shown_key() != Some(*key))
                .find(|(_, session)| session.waits_for_person())
                .map(|(key, _)| key)
        };
        selected.filter(is_there).or_else(|| {
            let key = waiting().or(sessions.shown_key());
            key.map(Item::Session)
        })
    }

    fn key(&mut self, key: Chord, at: Option<&Item>, cx: &OverlayContext<'_>) -> Option<Outcome> {
        let ending = self.ending.take();
        if !cx.is_live() {
            return None;
        }
        if cx.keymap.chords(Action::ListRemove).contains(&key) {
            let again = ending.is_some() && ending.as_ref() == at;
            return Some(match at {
                Some(Item::Session(key)) => self.end(*key, again, cx),
                Some(Item::Earlier(id)) => self.delete(id.clone(), again, cx),
                _ => Outcome::toast("only a session can be ended"),
            });
        }
        let renames = cx.keymap.chords(Action::RenameSession).contains(&key);
        renames.then(|| rename_selected(at, cx))
    }

    fn preview_of(&self, item: &Item, room: (usize, usize), cx: &OverlayContext<'_>) -> Vec<Row> {
        let sessions = cx.sessions;
        match item {
            Item::Session(key) => sessions
                .and_then(|sessions| sessions.get(*key))
                .map_or_else(Vec::new, |session| {
                    let said = self.said.borrow();
                    let found = said.in_session(*key);
                    preview::rows(&preview::last_exchange(session), found, room, cx)
                }),
            _ => Vec::new(),
        }
    }

    fn choose(&mut self, item: Item, _cx: &OverlayContext<'_>) -> Outcome {
        let close = Outcome::close();
        match item {
            Item::Session(key) => close.command(UiCommand::ShowSession(key)),
            Item::Run(action) => close.with(Wish::Run(action)),
            Item::Earlier(id) => close.command(UiCommand::OpenSession(id)),
        }
    }

    fn panel(&self, _list: &FilterList<Item>, _width: u16, cx: &OverlayContext<'_>) -> Panel {
        match cx.is_live() {
            true => Panel::opened(Self::TITLE, Self::HINTS, cx),
            false => Panel::opened(Self::TITLE, &[Self::HINTS[0], Self::HINTS[3]], cx),
        }
    }
}

/// Sessions that the agent of the shown session has stored and that are not open here.
fn earlier(sessions: &Sessions, cx: &OverlayContext<'_>) -> Vec<ListRow<Item>> {
    let Some(shown) = sessions.shown().filter(|shown| shown.agent.caps.list) else {
        return Vec::new();
    };
    let theme = cx.theme;
    let agent = agent_name(Some(shown));
    let kept = &shown.earlier;
    let is_open = |id: &SessionId| {
        sessions
            .iter()
            .any(|(_, open)| open.id.as_ref() == Some(id))
    };
    let mut rows: Vec<ListRow<Item>> = kept
        .sessions
        .iter()
        .filter(|info| !is_open(&info.id))
        .map(|info| {
            let id = SafeText::line(info.id.as_str());
            let short: String = id.chars().take(ID_CHARS).collect();
            let title = info.title.clone().filter(|title| !title.is_empty());
            let mut label = StyledLine::styled(" ", theme.text)
                .with(Standing::Stored.sign(cx.symbols), theme.dim)
                .with(" ", theme.text);
            label.push(
                title.as_ref().map_or(id.as_str(), |title| title),
                theme.text,
            );
            ListRow::new(Item::Earlier(info.id.clone()), label)
                .with_note(StyledLine::styled(&short, theme.dim))
        })
        .collect();
    let heading = match &kept.state {
        Listing::NotAsked => return Vec::new(),
        Listing::Asking => format!("asking {agent} for earlier sessions"),
        Listing::Failed(error) => format!("{agent} did not list its sessions: {error}"),
        Listing::Done { .. } if rows.is_empty() => return Vec::new(),
        Listing::Done { cut: true } => format!("earlier with {agent}, the latest of them"),
        Listing::Done { cut: false } => format!("earlier with {agent}"),
    };
    rows.insert(0, ListRow::said(&heading, theme));
    rows
}

fn row(key: SessionKey, session: &Session, shown: bool, cx: &OverlayContext<'_>) -> ListRow<Item> {
    let theme = cx.theme;
    let standing = Standing::of(session);
    let mark = if shown { cx.symbols.folded } else { " " };
    let mut label = StyledLine::styled(mark, theme.accent)
        .with(standing.sign(cx.symbols), standing.style(theme))
        .with(" ", theme.text);
    label.push(
        &session.label(),
        if shown { theme.strong } else { theme.text },
    );
    let agent = StyledLine::styled(&agent_name(Some(session)), theme.dim);
    let branch = session.branch.as_ref().or(cx.project.git_branch.as_ref());
    let branch = branch.map(|branch| StyledLine::styled(branch, theme.dim));
    // Of a worktree that it has to itself: what is in it matters more than who works there.
    let held = session.worktree.as_ref().map(WorktreeStatus::counts);
    let held = held.filter(|held| !held.is_empty());
    let held = held.map(|held| StyledLine::styled(&held, theme.dim));
    let more = match session.config.worktree {
        Some(_) => branch.into_iter().chain(held).chain([agent]).collect(),
        None => std::iter::once(agent).chain(branch).collect(),
    };
    let (state, style) = state(session, cx.now);
    let note = StyledLine::styled(&state, if style { theme.warning } else { theme.dim });
    ListRow::new(Item::Session(key), label)
        .with_note(note)
        .with_more(more)
}

/// The time since the agent said something, or was given something.
fn since(session: &Session, now: Instant) -> Duration {
    now.saturating_duration_since(session.last_word)
}

/// The state in a few words, or how old it is, and whether it needs the person.
fn state(session: &Session, now: Instant) -> (String, bool) {
    let waiting = session.waiting_questions().count();
    match (&session.phase, &session.turn) {
        (Phase::Failed { .. }, _) => ("not running".into(), true),
        (Phase::SignIn { .. }, _) => ("sign-in needed".into(), true),
        (Phase::Starting { .. }, _) => ("starting".into(), false),
        (Phase::Opening { .. }, _) => ("opening".into(), false),
        _ if waiting == 1 => ("1 question waits".into(), true),
        _ if waiting > 1 => (format!("{waiting} questions wait"), true),
        (Phase::Ready, Some(turn)) => {
            let took = elapsed_seconds(now.saturating_duration_since(turn.started));
            match turn.phase {
                TurnPhase::Running if session.work == Some(WorkState::Unknown) => {
                    ("state unknown".into(), false)
                }
                TurnPhase::Running => (format!("working {took}"), false),
                TurnPhase::Cancelling { .. } => ("stopping".into(), false),
            }
        }
        (Phase::Ready, None) if session.work == Some(WorkState::Unknown) => {
            ("state unknown".into(), false)
        }
        (Phase::Ready, None) => match (session.queue.len(), session.in_background()) {
            (0, 0) if session.has_conversation() => (ago(since(session, now)), false),
            (0, 0) => (String::new(), false),
            (0, beside) => (format!("{beside} in background"), false),
            (queued, _) => (format!("{queued} queued"), false),
        },
    }
}
