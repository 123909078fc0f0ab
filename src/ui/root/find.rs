//! Finding in the transcript: the bar's keys, the search's steps, and where the view goes.

use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use crate::{
    session::{BlockId, Session},
    ui::{
        Ui, UiContext,
        action::{Action, Context},
        blocks::Source,
        find::{Bar, BarKey, Corpus, Counted, Place, Search, Wanted, next_of, number_of},
        keymap::Chord,
        offload::Offload,
        transcript::{Current, Found, TranscriptView, ViewPlace},
    },
};

/// Time for searching in one frame: with what else a frame costs, keys do not wait longer than a hand
/// can feel.
const STEP: Duration = Duration::from_millis(4);

/// The same in the frame that shows the key which changed the pattern.
const KEY_STEP: Duration = Duration::from_millis(1);

/// The find bar of a session, and what was found.
pub(super) struct Finding {
    bar: Bar,
    wanted: Wanted,
    search: Option<Search>,
    current: Option<Place>,
    /// Where the search began: the block and segment that were on top, and the view to go back to.
    origin: Option<(BlockId, usize)>,
    before: ViewPlace,
    /// Enter or a step went to a match: closing stays there.
    jumped: bool,
    /// The view is to go to the current match.
    go: bool,
}

impl Finding {
    fn counted(&self) -> Counted {
        let Some(search) = &self.search else {
            return Counted::default();
        };
        let places = search.places();
        Counted {
            at: number_of(self.current.as_ref(), places),
            all: places.len(),
            more: search.may_have_more(),
        }
    }

    /// To the next match or the one before, around the ends.
    fn by(&mut self, step: isize) {
        let Some(search) = &self.search else { return };
        if let Some(next) = next_of(self.current, search.places(), step) {
            self.current = Some(next);
            (self.go, self.jumped) = (true, true);
        }
    }

    /// The match to begin with: the first from where the search began, else the last before.
    fn nearest(origin: Option<(BlockId, usize)>, places: &[Place]) -> Option<Place> {
        let Some((block, segment)) = origin else {
            return places.first().copied();
        };
        let at = places
            .partition_point(|place| (place.block, place.segment as usize) < (block, segment));
        places.get(at).or(places.last()).copied()
    }

    /// Searches on, and finds the current match anew where it is gone.
    fn step(
        &mut self,
        session: &Session,
        cx: &UiContext<'_>,
        offload: &Offload,
        view: &TranscriptView,
    ) {
        let source = Source::new(session, cx.screens);
        let corpus = Corpus {
            source: &source,
            offload,
            now: cx.now,
            cuts: view,
        };
        let typed = std::mem::take(&mut self.wanted.changed);
        if typed {
            let blocks = source.transcript.blocks();
            let center = self
                .origin
                .and_then(|(block, _)| source.transcript.index_of(block));
            let center = center.unwrap_or(blocks.len().saturating_sub(1));
            self.current = None;
            self.search = self
                .wanted
                .pattern
                .clone()
                .map(|pattern| Search::new(pattern, center, &corpus));
        }
        let Some(search) = &mut self.search else {
            return;
        };
        let time = if typed { KEY_STEP } else { STEP };
        search.step(&corpus, Instant::now() + time);
        let places = search.places();
        let known = self.current.map(|place| places.binary_search(&place));
        self.current = match known {
            Some(Ok(_)) => return,
            // Its block has changed.
            Some(Err(at)) => places.get(at).or(places.last()).copied(),
            None => {
                self.go = true;
                Self::nearest(self.origin, places)
            }
        };
    }

    fn found(&self) -> Option<Found> {
        let search = self.search.as_ref()?;
        let current = self.current.map(|place| Current {
            place,
            of: search.in_segment(place),
            in_line: search.in_line(place),
        });
        Some(Found {
            pattern: search.pattern().clone(),
            current,
        })
    }
}

impl Ui {
    /// Opens the bar, or gives it the keys again.
    pub(super) fn open_find(&mut self) {
        self.transcript.browse_exit();
        let before = self.transcript.place();
        let origin = self.transcript.first_shown();
        let finding = self.finding.get_or_insert_with(|| Finding {
            bar: Bar::default(),
            wanted: Wanted::default(),
            search: None,
            current: None,
            origin,
            before,
            jumped: false,
            go: false,
        });
        finding.bar.focus(true);
    }

    /// Whether the find bar has the keys.
    pub(super) fn is_finding(&self) -> bool {
        !self.is_covered()
            && !self.layers.is_opened()
            && self
                .finding
                .as_ref()
                .is_some_and(|finding| finding.bar.is_focused())
    }

    fn close_find(&mut self) {
        let Some(finding) = self.finding.take() else {
            return;
        };
        self.transcript.leave_found(finding.jumped);
        if !finding.jumped && finding.search.is_some() {
            self.transcript.go_back_to(finding.before);
        }
    }

    /// Takes a key for the bar, or for what it left; whether it was one.
    pub(super) fn find_key(&mut self, key: KeyEvent, cx: &UiContext<'_>) -> bool {
        if self.is_finding() {
            return self.bar_key(key, cx);
        }
        let elsewhere = self.layers.is_opened()
            || self.layers.is_asking()
            || self.transcript.is_browsing()
            || !self.composer.is_empty();
        let Some(finding) = self.finding.as_mut().filter(|_| !elsewhere) else {
            return false;
        };
        match (key.code, key.modifiers) {
            (KeyCode::Char('n'), KeyModifiers::NONE) | (KeyCode::Enter, KeyModifiers::NONE) => {
                finding.by(1);
            }
            (KeyCode::Char('N'), _) | (KeyCode::Enter, KeyModifiers::SHIFT) => finding.by(-1),
            (KeyCode::Char('/'), KeyModifiers::NONE) => finding.bar.focus(true),
            (KeyCode::Esc, _) => self.close_find(),
            _ => return false,
        }
        true
    }

    fn bar_key(&mut self, key: KeyEvent, cx: &UiContext<'_>) -> bool {
        let chord = Chord::from(key);
        // A question that comes up meanwhile takes no key that was in flight for the bar.
        self.layers.typed_elsewhere(cx.now);
        self.last_typed = Some(cx.now);
        let action = self.look.keymap.action(chord, &[Context::Anywhere]);
        match action {
            Some(action @ (Action::Find | Action::Pager)) => {
                // The key that was the pager's is so once more.
                let again = action == Action::Pager || key.code == KeyCode::F(3);
                return !again || self.page_instead(cx);
            }
            Some(action) if scrolls(action) => return self.act(action, cx),
            _ => {}
        }
        let Some(finding) = &mut self.finding else {
            return false;
        };
        match finding.bar.handle(chord) {
            BarKey::Changed => finding.wanted.read(&finding.bar),
            BarKey::Edited => {}
            BarKey::Accept => {
                if finding.search.is_none() {
                    self.close_find();
                    return true;
                }
                finding.bar.focus(false);
                (finding.jumped, finding.go) = (true, true);
            }
            BarKey::Next => finding.by(1),
            BarKey::Previous => finding.by(-1),
            BarKey::Pager => return self.page_instead(cx),
            BarKey::Close => self.close_find(),
            BarKey::Other => {
                if let Some(action @ (Action::Suspend | Action::Redraw | Action::Quit)) = action {
                    self.act(action, cx);
                }
            }
        }
        true
    }

    fn page_instead(&mut self, cx: &UiContext<'_>) -> bool {
        self.close_find();
        self.act(Action::Pager, cx)
    }

    pub(super) fn find_paste(&mut self, text: &str, cx: &UiContext<'_>) -> bool {
        if !self.is_finding() {
            return false;
        }
        self.layers.typed_elsewhere(cx.now);
        if let Some(finding) = &mut self.finding {
            finding.bar.paste(text);
            finding.wanted.read(&finding.bar);
        }
        true
    }

    /// Searches on before the transcript is drawn, and tells it what to mark.
    pub(super) fn find_on(&mut self, session: &Session, cx: &UiContext<'_>) {
        let Some(finding) = &mut self.finding else {
            return;
        };
        finding.step(session, cx, &self.look.offload, &self.transcript);
        let go = std::mem::take(&mut finding.go) && finding.current.is_some();
        self.transcript.set_found(finding.found(), go);
    }

    pub(super) fn find_deadline(&self, now: Instant) -> Option<Instant> {
        let search = self.finding.as_ref()?.search.as_ref()?;
        search.deadline(now).filter(|_| self.transcript_shown)
    }

    /// Rows that the bar takes.
    pub(super) fn find_rows(&self) -> u16 {
        u16::from(self.finding.is_some())
    }

    pub(super) fn draw_find(
        &self,
        area: Rect,
        buf: &mut Buffer,
        cx: &UiContext<'_>,
    ) -> Option<Position> {
        let finding = self.finding.as_ref()?;
        let ctx = self.look.render(area.width, cx.now);
        let error = finding.wanted.error.as_deref();
        finding.bar.draw(finding.counted(), error, area, buf, &ctx)
    }
}

/// Actions that move the view while the bar has the keys.
fn scrolls(action: Action) -> bool {
    matches!(
        action,
        Action::ScrollUp
            | Action::ScrollDown
            | Action::ScrollTop
            | Action::ScrollBottom
            | Action::PreviousPrompt
            | Action::NextPrompt
            | Action::Details
    )
}
