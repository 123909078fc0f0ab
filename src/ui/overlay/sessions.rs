//! All open sessions: which one to show, who waits for the person; and what the agent has kept
//! besides (ctrl-s).

use std::time::Instant;

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use crate::{
    model::{SessionId, SessionKey, WorkState},
    session::{Elsewhere, Event, Listing, Phase, Session, Sessions, TurnPhase},
    text::SafeText,
    ui::{
        UiCommand,
        action::Action,
        keymap::Chord,
        overlay::{
            Outcome, Overlay, OverlayContext, Room, Wish, agent_name,
            list::{Entry, FilterList, Listed},
            panel::Panel,
            rename,
        },
        render::{format::elapsed_seconds, line::StyledLine},
    },
};

/// Rows at most, so that the conversation stays in sight.
const MAX_ROWS: u16 = 18;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Item {
    Session(SessionKey),
    Run(Action),
    /// Kept by the agent of the session that is shown.
    Earlier(SessionId),
    /// Says something about those.
    Hint,
}

/// What the rows were made from: states change while the list is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MadeFrom {
    shown: Option<SessionKey>,
    revisions: u64,
    elsewhere: Elsewhere,
    theme: u8,
}

/// Characters of an id that tell sessions without a title apart.
const ID_CHARS: usize = 12;

#[derive(Default)]
pub struct SessionList {
    list: FilterList<Item>,
    made_from: Option<MadeFrom>,
    /// To be deleted if the key comes once more.
    deleting: Option<SessionId>,
    /// To be ended then, though it is at work.
    ending: Option<SessionKey>,
}

impl SessionList {
    fn fill(&mut self, cx: &OverlayContext<'_>) {
        let Some(sessions) = cx.sessions else {
            return;
        };
        let made_from = MadeFrom {
            shown: sessions.shown_key(),
            revisions: sessions.iter().map(|(_, session)| session.rev).sum(),
            elsewhere: sessions.elsewhere(),
            theme: cx.theme.id,
        };
        if self.made_from == Some(made_from) {
            return;
        }
        let first = self.made_from.replace(made_from).is_none();
        let selected = self.list.selected().cloned();
        let open = sessions
            .iter()
            .map(|(key, session)| entry(key, session, sessions.shown_key() == Some(key), cx));
        let live = cx.project.read_only.is_none();
        let more = [
            Action::NewSession,
            Action::ChooseAgent,
            Action::PastSessions,
        ]
        .into_iter()
        .filter(|_| live)
        .map(|action| Entry {
            label: StyledLine::styled(&format!("+ {}", action.info().doc), cx.theme.dim),
            note: StyledLine::styled(&cx.keymap.hint(action), cx.theme.key_hint),
            value: Item::Run(action),
        });
        let earlier = earlier(sessions, cx).into_iter().filter(|_| live);
        self.list
            .set_entries(open.chain(more).chain(earlier).collect());
        self.list.keep_still(|item| *item == Item::Hint);
        // The first that waits is the one that is looked for.
        let waiting = sessions
            .iter()
            .filter(|(key, _)| sessions.shown_key() != Some(*key))
            .find(|(_, session)| session.waits_for_person())
            .map(|(key, _)| Item::Session(key));
        let wanted = match first {
            true => waiting.or(sessions.shown_key().map(Item::Session)),
            false => selected,
        };
        self.list.select(|item| Some(item) == wanted.as_ref());
    }

    /// Ends it; one that works, or waits for an answer, at the second press.
    fn end(
        &mut self,
        key: SessionKey,
        ending: Option<SessionKey>,
        cx: &OverlayContext<'_>,
    ) -> Outcome {
        let session = cx.sessions.and_then(|sessions| sessions.get(key));
        let busy = session.is_some_and(|s| s.is_at_work() || s.waits_for_person());
        if busy && ending != Some(key) {
            self.ending = Some(key);
            let hint = cx.keymap.hint(Action::SendNow);
            let label = session.map(Session::label).unwrap_or_default();
            let text = format!("{hint} again stops what goes on and ends it: {label}");
            return Outcome::taken().with(Wish::Toast(SafeText::line(&text)));
        }
        self.made_from = None;
        let ends = UiCommand::CloseSession(key);
        // Behind the last one the agents are offered, and nothing is left to list.
        if cx.sessions.is_some_and(|sessions| sessions.len() == 1) {
            return Outcome::close().command(ends);
        }
        Outcome::taken().command(ends)
    }

    /// Asks for another title (V1-SES-20).
    fn rename(&self, cx: &OverlayContext<'_>) -> Outcome {
        let Some(sessions) = cx.sessions else {
            return Outcome::taken();
        };
        let dialog = match self.list.selected() {
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
            None => Outcome::taken(),
        }
    }

    /// Deletes it at the second press (V1-SES-14).
    fn delete(
        &mut self,
        id: SessionId,
        deleting: Option<SessionId>,
        cx: &OverlayContext<'_>,
    ) -> Outcome {
        let can = cx.session.is_some_and(|session| session.agent.caps.delete);
        let agent = agent_name(cx.session);
        if !can {
            let text = format!("{agent} cannot delete sessions");
            return Outcome::taken().with(Wish::Toast(SafeText::line(&text)));
        }
        if deleting.as_ref() == Some(&id) {
            return Outcome::taken().command(UiCommand::Session(Event::DeleteSession(id)));
        }
        self.deleting = Some(id);
        let key = cx.keymap.hint(Action::SendNow);
        let text = format!("{key} again has {agent} delete that session for good");
        Outcome::taken().with(Wish::Toast(SafeText::line(&text)))
    }
}

/// What the agent of the session that is shown has kept and nobody has open.
fn earlier(sessions: &Sessions, cx: &OverlayContext<'_>) -> Vec<Entry<Item>> {
    let Some(shown) = sessions.shown().filter(|shown| shown.agent.caps.list) else {
        return Vec::new();
    };
    let theme = cx.theme;
    let agent = agent_name(Some(shown));
    let said = |text: String| Entry {
        label: StyledLine::styled(&text, theme.dim),
        note: StyledLine::new(),
        value: Item::Hint,
    };
    let kept = &shown.earlier;
    let is_open = |id: &SessionId| {
        sessions
            .iter()
            .any(|(_, open)| open.id.as_ref() == Some(id))
    };
    let mut rows: Vec<Entry<Item>> = kept
        .sessions
        .iter()
        .filter(|info| !is_open(&info.id))
        .map(|info| {
            let id = SafeText::line(info.id.as_str());
            let short: String = id.chars().take(ID_CHARS).collect();
            let title = info.title.clone().filter(|title| !title.is_empty());
            let mut label = StyledLine::styled("  ", theme.text);
            label.push(
                title.as_ref().map_or(id.as_str(), |title| title),
                theme.text,
            );
            Entry {
                label,
                note: StyledLine::styled(&short, theme.dim),
                value: Item::Earlier(info.id.clone()),
            }
        })
        .collect();
    let heading = match &kept.state {
        Listing::NotAsked => return Vec::new(),
        Listing::Asking => format!("asking {agent} for earlier sessions"),
        Listing::Failed(error) => format!("{agent} tells no earlier sessions: {error}"),
        Listing::Done { .. } if rows.is_empty() => return Vec::new(),
        Listing::Done { cut: true } => format!("earlier with {agent}, the latest of them"),
        Listing::Done { cut: false } => format!("earlier with {agent}"),
    };
    rows.insert(0, said(heading));
    rows
}

fn entry(key: SessionKey, session: &Session, shown: bool, cx: &OverlayContext<'_>) -> Entry<Item> {
    let theme = cx.theme;
    let (sign, style) = if session.waits_for_person() {
        (cx.symbols.asking, theme.warning.bold())
    } else if matches!(session.phase, Phase::Failed { .. }) {
        (cx.symbols.failed, theme.error)
    } else if shown {
        (cx.symbols.folded, theme.accent)
    } else {
        (" ", theme.dim)
    };
    let mut label = StyledLine::styled(sign, style);
    label.push(" ", theme.text);
    label.push(
        &session.label(),
        if shown { theme.strong } else { theme.text },
    );
    label.push(&format!("  {}", agent_name(Some(session))), theme.dim);
    let (state, style) = state(session, cx.now);
    Entry {
        label,
        note: StyledLine::styled(&state, if style { theme.warning } else { theme.dim }),
        value: Item::Session(key),
    }
}

/// In a few words, and whether the person should look.
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
                TurnPhase::Running => (format!("at work {took}"), false),
                TurnPhase::Cancelling { .. } => ("stopping".into(), false),
            }
        }
        (Phase::Ready, None) if session.work == Some(WorkState::Unknown) => {
            ("state unknown".into(), false)
        }
        (Phase::Ready, None) => match (session.queue.len(), session.in_background()) {
            (0, 0) => (String::new(), false),
            (0, beside) => (format!("{beside} in background"), false),
            (queued, _) => (format!("{queued} queued"), false),
        },
    }
}

impl Overlay for SessionList {
    fn handle(&mut self, key: Chord, cx: &OverlayContext<'_>) -> Outcome {
        self.fill(cx);
        let (deleting, ending) = (self.deleting.take(), self.ending.take());
        if cx.project.read_only.is_none() && cx.keymap.chords(Action::SendNow).contains(&key) {
            return match self.list.selected() {
                Some(Item::Session(key)) => self.end(*key, ending, cx),
                Some(Item::Earlier(id)) => self.delete(id.clone(), deleting, cx),
                _ => Outcome::taken(),
            };
        }
        let live = cx.project.read_only.is_none();
        if live && cx.keymap.chords(Action::RenameSession).contains(&key) {
            return self.rename(cx);
        }
        match self.list.handle(key) {
            Listed::Pass => Outcome::pass(),
            Listed::Taken => Outcome::taken(),
            Listed::Chosen => match self.list.selected() {
                Some(Item::Session(key)) => Outcome::close().command(UiCommand::ShowSession(*key)),
                Some(Item::Run(action)) => Outcome::close().with(Wish::Run(*action)),
                Some(Item::Earlier(id)) => {
                    Outcome::close().command(UiCommand::OpenSession(id.clone()))
                }
                Some(Item::Hint) | None => Outcome::taken(),
            },
        }
    }

    fn paste(&mut self, text: &str, cx: &OverlayContext<'_>) -> Outcome {
        self.fill(cx);
        self.list.paste(text);
        Outcome::taken()
    }

    fn height(&mut self, room: Room, cx: &OverlayContext<'_>) -> u16 {
        self.fill(cx);
        let rows = u16::try_from(self.list.rows()).unwrap_or(u16::MAX);
        let frame = cx.frame.rows();
        rows.min(MAX_ROWS).saturating_add(frame).min(room.height)
    }

    fn draw(
        &mut self,
        area: Rect,
        buffer: &mut Buffer,
        cx: &OverlayContext<'_>,
    ) -> Option<Position> {
        let mut hints = vec![(Action::Send, "show"), (Action::Stop, "close")];
        if cx.project.read_only.is_none() {
            let more = [(Action::SendNow, "end"), (Action::RenameSession, "rename")];
            hints.splice(1..1, more);
        }
        let inner = Panel::opened("Sessions", &hints, cx).draw(area, buffer, cx);
        self.list.draw(inner, buffer, cx)
    }
}
