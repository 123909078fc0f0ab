//! Finding in a viewer: its bar, the search over its entries in bounded steps, and the marks.
//!
//! Owns what is looked for and what was found. Must not know what an entry is: the viewer tells where
//! a pattern matches in one, as it is drawn.

use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use super::window::{Entries, Shown, Window};
use crate::ui::{
    find::{Bar, BarKey, Counted, MAX_PLACES, Pattern, Wanted, next_of, number_of},
    keymap::Chord,
    render::{RenderContext, draw_rows},
    transcript::mark_style,
};

/// Time for searching in one frame, as in the transcript.
const STEP: Duration = Duration::from_millis(4);

/// Least time between two searches of an output that grows.
const PAUSE: Duration = Duration::from_millis(250);

/// A match: its entry, and which of the entry's it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub entry: usize,
    pub nth: usize,
}

/// What a key did to the bar.
#[derive(Debug, PartialEq, Eq)]
pub enum FindKey {
    /// It is the viewer's.
    Passed,
    Taken,
    /// The bar is closed; the view goes back to where it was, unless a match was gone to.
    Closed {
        back: Option<(usize, usize)>,
    },
}

/// The find bar of a viewer; closed at first.
#[derive(Default)]
pub struct Finder {
    open: Option<Finding>,
}

struct Finding {
    bar: Bar,
    wanted: Wanted,
    search: Option<Search>,
    /// Shown while what has changed is searched again.
    old: Option<Vec<Place>>,
    current: Option<Place>,
    /// Where the view was: the search begins there, and closing goes back to it.
    before: Option<(usize, usize)>,
    jumped: bool,
    go: bool,
    /// What is searched may have changed: the revision that the search knows, and when it is searched
    /// again at the earliest.
    rev: u64,
    not_before: Option<Instant>,
    stale: bool,
}

impl Finder {
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Whether letters go into the bar.
    pub fn is_focused(&self) -> bool {
        self.open
            .as_ref()
            .is_some_and(|finding| finding.bar.is_focused())
    }

    /// Opens the bar, or gives it the keys again.
    pub fn open(&mut self) {
        let finding = self.open.get_or_insert_with(|| Finding {
            bar: Bar::in_viewer(),
            wanted: Wanted::default(),
            search: None,
            old: None,
            current: None,
            before: None,
            jumped: false,
            go: false,
            rev: 0,
            not_before: None,
            stale: false,
        });
        finding.bar.focus(true);
    }

    pub fn paste(&mut self, text: &str) {
        if let Some(finding) = self.open.as_mut().filter(|open| open.bar.is_focused()) {
            finding.bar.paste(text);
            finding.wanted.read(&finding.bar);
        }
    }

    /// Takes a key while the bar is open.
    pub fn key(&mut self, key: KeyEvent) -> FindKey {
        let Some(finding) = &mut self.open else {
            return FindKey::Passed;
        };
        if !finding.bar.is_focused() {
            match (key.code, key.modifiers) {
                (KeyCode::Char('n') | KeyCode::Enter, KeyModifiers::NONE) => finding.by(1),
                (KeyCode::Char('N'), _) | (KeyCode::Enter, KeyModifiers::SHIFT) => finding.by(-1),
                (KeyCode::Esc, _) => return self.close(),
                _ if opens(key) => finding.bar.focus(true),
                _ => return FindKey::Passed,
            }
            return FindKey::Taken;
        }
        if opens(key) && key.code != KeyCode::Char('/') {
            return FindKey::Taken;
        }
        match finding.bar.handle(Chord::from(key)) {
            BarKey::Changed => finding.wanted.read(&finding.bar),
            BarKey::Edited | BarKey::Pager => {}
            BarKey::Accept if finding.search.is_none() => return self.close(),
            BarKey::Accept => {
                finding.bar.focus(false);
                (finding.jumped, finding.go) = (true, true);
            }
            BarKey::Next => finding.by(1),
            BarKey::Previous => finding.by(-1),
            BarKey::Close => return self.close(),
            // Letters that are no text are no keys of the viewer either while one types.
            BarKey::Other if matches!(key.code, KeyCode::PageUp | KeyCode::PageDown) => {
                return FindKey::Passed;
            }
            BarKey::Other => {}
        }
        FindKey::Taken
    }

    fn close(&mut self) -> FindKey {
        let finding = self.open.take();
        let back = finding.filter(|finding| !finding.jumped && finding.search.is_some());
        FindKey::Closed {
            back: back.and_then(|finding| finding.before),
        }
    }

    /// The entries are others: all is searched again from where the view is.
    pub fn again(&mut self) {
        if let Some(finding) = &mut self.open {
            finding.wanted.changed = true;
            finding.before = None;
        }
    }

    /// There is nothing to search any more.
    pub fn lost(&mut self) {
        if let Some(finding) = &mut self.open {
            (finding.search, finding.old, finding.current) = (None, None, None);
        }
    }

    /// What is searched has this revision; another one than before is searched again, but not at once.
    pub fn set_rev(&mut self, rev: u64) {
        if let Some(finding) = &mut self.open {
            finding.stale |= finding.rev != rev && finding.search.is_some();
            finding.rev = rev;
        }
    }

    /// When to search on; `None` where there is nothing to search.
    pub fn deadline(&self, now: Instant) -> Option<Instant> {
        let finding = self.open.as_ref()?;
        let search = finding.search.as_ref()?;
        if !search.is_done() {
            return Some(now);
        }
        let later = finding.not_before.map_or(now, |at| at.max(now));
        finding.stale.then_some(later)
    }

    /// Searches on; the match that is to be brought into view, and its first row in its entry.
    /// `place`: where the view is.
    pub fn step(
        &mut self,
        entries: &impl Entries,
        place: (usize, usize),
        now: Instant,
    ) -> Option<(usize, usize)> {
        let finding = self.open.as_mut()?;
        let origin = finding.before.get_or_insert(place).0;
        finding.step(entries, origin, now);
        if !std::mem::take(&mut finding.go) {
            return None;
        }
        let (pattern, current) = (finding.wanted.pattern.as_ref()?, finding.current?);
        let marks = entries.marks(current.entry, pattern);
        let row = marks.get(current.nth).and_then(|mark| mark.first());
        Some((current.entry, row.map_or(0, |cells| cells.row)))
    }

    /// Draws what a window shows, with the current match in view and what is found marked.
    pub fn draw_window(
        &mut self,
        window: &mut Window,
        entries: &impl Entries,
        area: Rect,
        buf: &mut Buffer,
        ctx: &RenderContext<'_>,
    ) {
        let height = usize::from(area.height);
        let mut rows = window.rows(entries, height);
        if let Some((entry, row)) = self.step(entries, window.place(), ctx.now)
            && !window.shows(entry, row)
        {
            window.bring(entry, row, entries);
            rows = window.rows(entries, height);
        }
        draw_rows(&rows, area, buf);
        self.mark(window.shown(), entries, area, buf, ctx);
    }

    /// Marks what is found in the entries that are shown in `area`, from its top down.
    pub fn mark(
        &self,
        shown: &[Shown],
        entries: &impl Entries,
        area: Rect,
        buf: &mut Buffer,
        ctx: &RenderContext<'_>,
    ) {
        let Some(finding) = &self.open else { return };
        let Some(pattern) = &finding.wanted.pattern else {
            return;
        };
        let mut above = 0;
        for shown in shown {
            for (nth, mark) in entries.marks(shown.entry, pattern).iter().enumerate() {
                let place = Place {
                    entry: shown.entry,
                    nth,
                };
                let style = mark_style(ctx.theme, finding.current == Some(place));
                for piece in mark {
                    let y = piece.row.checked_sub(shown.from).map(|row| above + row);
                    let Some(y) = y.and_then(|y| u16::try_from(y).ok()) else {
                        continue;
                    };
                    let cells = Rect::new(
                        area.x.saturating_add(piece.columns.start),
                        area.y.saturating_add(y),
                        piece.columns.end.saturating_sub(piece.columns.start),
                        1,
                    );
                    buf.set_style(cells.intersection(area), style);
                }
            }
            above += shown.rows;
        }
    }

    /// Draws the bar in place of the hints; returns where the caret is.
    pub fn draw_bar(
        &self,
        area: Rect,
        buf: &mut Buffer,
        ctx: &RenderContext<'_>,
    ) -> Option<Position> {
        let finding = self.open.as_ref()?;
        let error = finding.wanted.error.as_deref();
        finding.bar.draw(finding.counted(), error, area, buf, ctx)
    }
}

/// Whether a key opens the bar where letters are no text.
pub fn opens(key: KeyEvent) -> bool {
    match key.code {
        KeyCode::Char('f') => key.modifiers == KeyModifiers::CONTROL,
        KeyCode::Char('/') | KeyCode::F(3) => key.modifiers.is_empty(),
        _ => false,
    }
}

impl Finding {
    fn places(&self) -> &[Place] {
        let found = self.search.as_ref().map(|search| &search.places);
        self.old.as_ref().or(found).map_or(&[], Vec::as_slice)
    }

    fn counted(&self) -> Counted {
        let Some(search) = &self.search else {
            return Counted::default();
        };
        let places = self.places();
        Counted {
            at: number_of(self.current.as_ref(), places),
            all: places.len(),
            more: self.old.is_none() && !search.is_done() || search.is_full(),
        }
    }

    /// To the next match or the one before, around the ends.
    fn by(&mut self, step: isize) {
        if let Some(next) = next_of(self.current, self.places(), step) {
            self.current = Some(next);
            (self.go, self.jumped) = (true, true);
        }
    }

    fn step(&mut self, entries: &impl Entries, origin: usize, now: Instant) {
        let search = || Search::new(origin, entries.first()..entries.len());
        if std::mem::take(&mut self.wanted.changed) {
            (self.current, self.old, self.stale) = (None, None, false);
            self.search = self.wanted.pattern.as_ref().map(|_| search());
        } else if self.stale
            && self.search.as_ref().is_some_and(Search::is_done)
            && self.not_before.is_none_or(|at| at <= now)
        {
            let before = self.search.replace(search());
            self.old = before.map(|before| before.places);
            (self.stale, self.not_before) = (false, Some(now + PAUSE));
        }
        let (Some(search), Some(pattern)) = (&mut self.search, &self.wanted.pattern) else {
            return;
        };
        search.step(entries, pattern, Instant::now() + STEP);
        if search.is_done() {
            self.old = None;
        }
        let places = self.places();
        let known = self.current.map(|place| places.binary_search(&place));
        self.current = match known {
            Some(Ok(_)) => return,
            Some(Err(at)) => places.get(at).or(places.last()).copied(),
            None => {
                // The first from where the view was, else the last before.
                let at = places.partition_point(|place| place.entry < origin);
                let nearest = places.get(at).or(places.last()).copied();
                self.go = nearest.is_some();
                nearest
            }
        };
    }
}

/// From where the view is to the end, then from the beginning.
struct Search {
    places: Vec<Place>,
    /// Those of `places` that are before the origin.
    before: usize,
    all: std::ops::Range<usize>,
    origin: usize,
    searched: usize,
}

impl Search {
    fn new(origin: usize, all: std::ops::Range<usize>) -> Self {
        Self {
            places: Vec::new(),
            before: 0,
            origin: origin.clamp(all.start, all.end.max(all.start)),
            all,
            searched: 0,
        }
    }

    fn is_full(&self) -> bool {
        self.places.len() >= MAX_PLACES
    }

    fn is_done(&self) -> bool {
        self.searched >= self.all.len() || self.is_full()
    }

    /// Goes on until `until`, by at least one entry.
    fn step(&mut self, entries: &impl Entries, pattern: &Pattern, until: Instant) {
        let mut early = Vec::new();
        while self.searched < self.all.len() {
            let room = MAX_PLACES - (self.places.len() + early.len()).min(MAX_PLACES);
            if room == 0 {
                break;
            }
            let entry = self.origin + self.searched;
            let wraps = entry >= self.all.end;
            let entry = if wraps {
                self.all.start + (entry - self.all.end)
            } else {
                entry
            };
            let found = entries.marks(entry, pattern).len().min(room);
            let places = (0..found).map(|nth| Place { entry, nth });
            if wraps {
                early.extend(places);
            } else {
                self.places.extend(places);
            }
            self.searched += 1;
            if Instant::now() >= until {
                break;
            }
        }
        let at = self.before;
        self.before += early.len();
        self.places.splice(at..at, early);
    }
}
