//! The search over a transcript: in bounded steps, nearest to the view first, matches kept in order
//! up to a bound. What changes in the transcript is searched again.

use std::{
    borrow::Cow,
    collections::BTreeSet,
    sync::Arc,
    time::{Duration, Instant},
};

use super::{Pattern, pattern::lines};
use crate::{
    session::{Block, BlockId, Changes},
    ui::{
        blocks::{Searched, SearchedText, Source, view},
        offload::Offload,
        render::markdown::{self, Splitter},
    },
};

/// Matches kept; further ones are not looked for.
pub const MAX_PLACES: usize = 10_000;

/// Bytes looked through between two looks at the clock.
const CHUNK: usize = 64 << 10;
/// Bytes of a line that are looked through as one.
const MAX_LINE: usize = 64 << 10;
/// Bytes of markdown that are taken in at once.
const BITE: usize = 64 << 10;

/// Least time between two searches of what grows, for each [`PAUSED`] bytes of it.
const PAUSE: Duration = Duration::from_millis(100);
const PAUSED: usize = 256 << 10;

/// A match. Places are in the order of the transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub block: BlockId,
    /// Of the block at full detail.
    pub segment: u32,
    /// Which match it is in its segment.
    pub nth: u32,
    /// Its line in the segment's text.
    pub line: u32,
}

/// What is searched.
#[derive(Clone, Copy)]
pub struct Corpus<'a, 's> {
    pub source: &'s Source<'a>,
    pub offload: &'s Offload,
    pub now: Instant,
    pub cuts: &'s dyn Cuts,
}

/// Who has cut texts into segments already.
pub trait Cuts {
    /// How the text of a block is cut, where all of it is.
    fn cut(&self, block: &Block) -> Option<&Splitter>;
}

impl<'a> Corpus<'a, '_> {
    fn id(&self, index: usize) -> Option<BlockId> {
        Some(self.source.transcript.blocks().get(index)?.id)
    }

    fn texts(&self, index: usize) -> Option<Vec<Searched<'a>>> {
        let block = self.source.transcript.blocks().get(index)?;
        view(&block.kind).searched(self.source, self.offload)
    }
}

/// A search for one pattern.
#[derive(Debug)]
pub struct Search {
    pattern: Arc<Pattern>,
    places: Vec<Place>,
    /// What of the transcript is taken in.
    rev: u64,
    /// Blocks that were there at the beginning: which are searched, and the order that leads outward.
    searched: Vec<bool>,
    outward: Outward,
    /// The first match is looked for in the sources of texts, at the engine's own pace.
    ahead: Option<Outward>,
    looking: Option<Ahead>,
    scan: Option<Scan>,
    /// Blocks that came or changed meanwhile; not looked at before that time.
    changed: BTreeSet<BlockId>,
    not_before: Option<Instant>,
    /// Blocks of which something was still computed, and the offload's generation then.
    waiting: Vec<BlockId>,
    generation: u64,
    /// All was searched once: what comes in since is looked at in moments.
    through: bool,
}

impl Search {
    /// From the block `center` on, in both directions.
    pub fn new(pattern: Arc<Pattern>, center: usize, corpus: &Corpus<'_, '_>) -> Self {
        let transcript = corpus.source.transcript;
        let len = transcript.blocks().len();
        let outward = Outward::new(center, len);
        Self {
            pattern,
            places: Vec::new(),
            rev: transcript.rev(),
            searched: vec![false; len],
            outward,
            ahead: Some(outward),
            looking: None,
            scan: None,
            changed: BTreeSet::new(),
            not_before: None,
            waiting: Vec::new(),
            generation: 0,
            through: false,
        }
    }

    pub fn pattern(&self) -> &Arc<Pattern> {
        &self.pattern
    }

    /// In the order of the transcript.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// No more matches are kept.
    pub fn is_full(&self) -> bool {
        self.places.len() >= MAX_PLACES
    }

    /// Nothing is left to be searched.
    pub fn is_done(&self) -> bool {
        self.is_full()
            || (self.scan.is_none()
                && self.outward.is_over()
                && self.changed.is_empty()
                && self.waiting.is_empty())
    }

    /// There may be more matches than are known. What comes in while the agent writes does not count: the bar
    /// would say "searching" with each of its words.
    pub fn may_have_more(&self) -> bool {
        self.is_full() || !self.through
    }

    /// When to go on; `None` where there is nothing to do before something happens.
    pub fn deadline(&self, now: Instant) -> Option<Instant> {
        if self.is_full() {
            return None;
        }
        if self.scan.is_some() || !self.outward.is_over() {
            return Some(now);
        }
        let later = self.not_before.map_or(now, |at| at.max(now));
        (!self.changed.is_empty()).then_some(later)
    }

    /// Matches in that segment, as far as it is searched.
    pub fn in_segment(&self, place: Place) -> usize {
        let of = |other: &Place| (other.block, other.segment);
        let key = (place.block, place.segment);
        let from = self.places.partition_point(|other| of(other) < key);
        let to = self.places.partition_point(|other| of(other) <= key);
        to - from
    }

    /// Which of its line a match is.
    pub fn in_line(&self, place: Place) -> usize {
        let at = self.places.partition_point(|other| *other < place);
        let before = self.places.get(..at).unwrap_or_default();
        let line = |other: &Place| (other.block, other.segment, other.line);
        let same = |other: &&Place| line(other) == line(&place);
        before.iter().rev().take_while(same).count()
    }

    /// Goes on until `until`, by at least one chunk.
    pub fn step(&mut self, corpus: &Corpus<'_, '_>, until: Instant) {
        self.take_changes(corpus);
        loop {
            if self.is_full() || !self.advance(corpus) || Instant::now() >= until {
                break;
            }
        }
        self.show_partial();
        self.through |= self.is_done();
    }

    fn take_changes(&mut self, corpus: &Corpus<'_, '_>) {
        let transcript = corpus.source.transcript;
        if transcript.rev() != self.rev {
            match transcript.changes_since(self.rev) {
                Changes::Some(indexes) => {
                    let ids = indexes.into_iter().filter_map(|at| corpus.id(at));
                    self.changed.extend(ids);
                }
                Changes::All => {
                    let center = self.places.first().map(|place| place.block);
                    let center = center.and_then(|id| transcript.index_of(id));
                    let len = transcript.blocks().len();
                    *self = Self::new(
                        self.pattern.clone(),
                        center.unwrap_or(len.saturating_sub(1)),
                        corpus,
                    );
                }
            }
            self.rev = transcript.rev();
        }
        let generation = corpus.offload.generation();
        if self.generation != generation {
            self.generation = generation;
            self.changed.extend(self.waiting.drain(..));
        }
    }

    /// Does the next piece of work; `false` where there is none now.
    fn advance(&mut self, corpus: &Corpus<'_, '_>) -> bool {
        if let Some(mut scan) = self.scan.take() {
            match scan.go_on(&self.pattern, corpus) {
                Progress::More => self.scan = Some(scan),
                Progress::Done => self.commit(scan, corpus),
                Progress::Later => self.waiting.push(scan.block),
                Progress::Gone => {}
            }
            return true;
        }
        if self.places.is_empty() {
            if let Some(looking) = self.looking.take() {
                self.look_ahead(looking, corpus);
                return true;
            }
            if let Some(mut ahead) = self.ahead {
                let next = ahead.next();
                self.ahead = next.map(|_| ahead);
                self.looking = next.and_then(|index| {
                    let searched = self.searched.get(index).copied().unwrap_or(true);
                    let id = corpus.id(index).filter(|_| !searched)?;
                    Some(Ahead::new(id))
                });
                return true;
            }
        }
        if let Some(index) = self.outward.next() {
            if !self.searched.get(index).copied().unwrap_or(true) {
                self.begin(index, corpus);
            }
            return true;
        }
        if self.not_before.is_some_and(|at| at > corpus.now) {
            return false;
        }
        let Some(id) = self.changed.pop_first() else {
            return false;
        };
        match corpus.source.transcript.index_of(id) {
            Some(index) => self.begin(index, corpus),
            None => self.replace(id, Vec::new()),
        }
        true
    }

    fn begin(&mut self, index: usize, corpus: &Corpus<'_, '_>) {
        if let Some(searched) = self.searched.get_mut(index) {
            *searched = true;
        }
        self.scan = corpus.id(index).map(|id| Scan::new(id, self.room()));
    }

    fn room(&self) -> usize {
        MAX_PLACES.saturating_sub(self.places.len())
    }

    /// Searches a block at once if its source has a match; one that is shown as it is and has none is
    /// done with. A chunk at a time.
    fn look_ahead(&mut self, mut looking: Ahead, corpus: &Corpus<'_, '_>) {
        let Some(index) = corpus.source.transcript.index_of(looking.block) else {
            return;
        };
        let Some(texts) = corpus.texts(index) else {
            return;
        };
        let mut budget = CHUNK;
        while let Some(text) = texts.get(looking.text) {
            let (source, plain) = match &text.text {
                SearchedText::Plain(text) => (text.as_ref(), true),
                SearchedText::Markdown { text, .. } => (*text, false),
            };
            looking.as_it_is &= plain;
            let chunk = chunk(source, looking.at);
            if self.pattern.may_be_in(chunk) {
                return self.begin(index, corpus);
            }
            looking.at += chunk.len();
            if looking.at >= source.len() {
                (looking.text, looking.at) = (looking.text + 1, 0);
            }
            budget = budget.saturating_sub(chunk.len() + 64);
            if budget == 0 && looking.text < texts.len() {
                self.looking = Some(looking);
                return;
            }
        }
        if looking.as_it_is
            && let Some(searched) = self.searched.get_mut(index)
        {
            *searched = true;
        }
    }

    fn commit(&mut self, scan: Scan, corpus: &Corpus<'_, '_>) {
        let steps = u32::try_from(scan.bytes / PAUSED + 1).unwrap_or(u32::MAX);
        if self.outward.is_over() {
            self.not_before = Some(corpus.now + PAUSE.saturating_mul(steps));
        }
        self.replace(scan.block, scan.found);
    }

    /// What a long block has so far is shown before it is done, unless that would take older matches away.
    fn show_partial(&mut self) {
        if let Some(scan) = &self.scan
            && self.outward_is_new(scan.block)
        {
            let (block, found) = (scan.block, scan.found.clone());
            self.replace(block, found);
        }
    }

    fn outward_is_new(&self, block: BlockId) -> bool {
        let shown = self
            .places
            .iter()
            .filter(|place| place.block == block)
            .count();
        self.scan
            .as_ref()
            .is_some_and(|scan| scan.found.len() > shown)
    }

    fn replace(&mut self, block: BlockId, mut found: Vec<Place>) {
        let from = self.places.partition_point(|place| place.block < block);
        let to = self.places.partition_point(|place| place.block <= block);
        found.truncate(MAX_PLACES.saturating_sub(self.places.len() - (to - from)));
        self.places.splice(from..to, found);
    }
}

/// A block whose sources are looked through.
#[derive(Debug)]
struct Ahead {
    block: BlockId,
    /// Which of its texts, and how far.
    text: usize,
    at: usize,
    /// All so far are shown as they are.
    as_it_is: bool,
}

impl Ahead {
    fn new(block: BlockId) -> Self {
        Self {
            block,
            text: 0,
            at: 0,
            as_it_is: true,
        }
    }
}

/// Indexes from a middle on, in turn to both sides.
#[derive(Clone, Copy, Debug)]
struct Outward {
    center: usize,
    len: usize,
    at: usize,
}

impl Outward {
    fn new(center: usize, len: usize) -> Self {
        Self {
            center: center.min(len.saturating_sub(1)),
            len,
            at: 0,
        }
    }

    fn is_over(&self) -> bool {
        self.at >= self.len
    }

    fn next(&mut self) -> Option<usize> {
        if self.is_over() {
            return None;
        }
        let (above, below) = (self.center, self.len - 1 - self.center);
        let both = above.min(below);
        let at = self.at;
        self.at += 1;
        Some(match at {
            0 => self.center,
            _ if at <= 2 * both && at % 2 == 1 => self.center - at.div_ceil(2),
            _ if at <= 2 * both => self.center + at / 2,
            _ if above > both => self.center - (at - both),
            _ => self.center + (at - both),
        })
    }
}

enum Progress {
    More,
    Done,
    /// Something is still computed.
    Later,
    Gone,
}

/// A block being searched.
#[derive(Debug)]
struct Scan {
    block: BlockId,
    rev: Option<u64>,
    /// Which of its texts, and how far.
    text: usize,
    at: usize,
    /// A long one that was made for this search, and its segment: it is not made again for each chunk.
    held: Option<(usize, String)>,
    splitter: Option<Box<Splitter>>,
    segments: usize,
    /// The last segment with text, the matches and lines in it so far.
    segment: usize,
    nth: u32,
    line: usize,
    found: Vec<Place>,
    room: usize,
    bytes: usize,
}

impl Scan {
    fn new(block: BlockId, room: usize) -> Self {
        Self {
            block,
            rev: None,
            text: 0,
            at: 0,
            held: None,
            splitter: None,
            segments: 0,
            segment: 0,
            nth: 0,
            line: 0,
            found: Vec::new(),
            room,
            bytes: 0,
        }
    }

    fn go_on(&mut self, pattern: &Pattern, corpus: &Corpus<'_, '_>) -> Progress {
        let transcript = corpus.source.transcript;
        let Some(index) = transcript.index_of(self.block) else {
            return Progress::Gone;
        };
        let rev = transcript.blocks().get(index).map(|block| block.rev);
        if self.rev.is_some() && self.rev != rev {
            // It is among those that changed.
            return Progress::Gone;
        }
        self.rev = rev;
        let block = transcript.blocks().get(index);
        let cut = block.and_then(|block| corpus.cuts.cut(block));
        if let Some((segment, text)) = self.held.take() {
            let over = self.plain(segment, &text, pattern);
            if self.found.len() >= self.room {
                return Progress::Done;
            }
            if over {
                self.next_text();
            } else {
                self.held = Some((segment, text));
            }
            return Progress::More;
        }
        let Some(mut texts) = corpus.texts(index) else {
            return Progress::Later;
        };
        let mut budget = CHUNK;
        while let Some(searched) = texts.get_mut(self.text) {
            if budget == 0 {
                return Progress::More;
            }
            if let SearchedText::Plain(Cow::Owned(text)) = &mut searched.text
                && text.len() > CHUNK
            {
                self.held = Some((searched.segment, std::mem::take(text)));
                return Progress::More;
            }
            let before = self.bytes;
            let over = self.look_through(searched, cut, pattern);
            if self.found.len() >= self.room {
                return Progress::Done;
            }
            if over {
                self.next_text();
            }
            budget = budget.saturating_sub(self.bytes - before + 64);
        }
        Progress::Done
    }

    fn next_text(&mut self) {
        (self.at, self.segments, self.splitter) = (0, 0, None);
        self.text += 1;
    }

    /// A chunk of a text; whether that was its last.
    fn look_through(
        &mut self,
        searched: &Searched<'_>,
        known: Option<&Splitter>,
        pattern: &Pattern,
    ) -> bool {
        match &searched.text {
            SearchedText::Plain(text) => self.plain(searched.segment, text, pattern),
            SearchedText::Markdown { text, cut, .. } if let (true, Some(known)) = (*cut, known) => {
                self.at = (self.at + BITE).min(text.len());
                self.segments_of(known, self.at, (text, searched.segment, *cut), pattern);
                self.segments >= known.segments().len()
            }
            SearchedText::Markdown { text, done, cut } => {
                let mut splitter = self.splitter.take().unwrap_or_default();
                self.at = text.ceil_char_boundary((self.at + BITE).min(text.len()));
                let whole = self.at == text.len();
                if whole && *done {
                    splitter.finish(text);
                } else {
                    splitter.update(text.get(..self.at).unwrap_or_default());
                }
                let all = splitter.segments();
                // The last one may not be complete.
                let to = if whole {
                    text.len()
                } else {
                    all.last().map_or(0, |last| last.range.start)
                };
                self.segments_of(&splitter, to, (text, searched.segment, *cut), pattern);
                self.splitter = Some(splitter);
                whole
            }
        }
    }

    fn plain(&mut self, segment: usize, text: &str, pattern: &Pattern) -> bool {
        let chunk = chunk(text, self.at);
        self.hits(segment, chunk, pattern);
        self.at += chunk.len();
        self.at >= text.len()
    }

    /// The segments of a markdown text that begin before `to`, from where the last call ended; with the
    /// segment that the first is, or all of them.
    fn segments_of(
        &mut self,
        splitter: &Splitter,
        to: usize,
        (text, first, cut): (&str, usize, bool),
        pattern: &Pattern,
    ) {
        let mut plain = String::new();
        while let Some(segment) = splitter.segments().get(self.segments)
            && segment.range.start < to
        {
            let at = if cut { first + self.segments } else { first };
            let source = text.get(segment.range.clone()).unwrap_or_default();
            // What is counted is counted by segments, so one without a match can be left out.
            if cut
                && pattern.is_words()
                && !pattern.may_be_in(source)
                && markdown::reads_as_written(text, segment)
            {
                self.bytes += source.len();
            } else {
                plain.clear();
                markdown::plain(text, segment, splitter.defs(), &mut plain);
                self.hits(at, &plain, pattern);
            }
            self.segments += 1;
        }
    }

    fn hits(&mut self, segment: usize, text: &str, pattern: &Pattern) {
        self.bytes += text.len();
        if self.segment != segment {
            (self.segment, self.nth, self.line) = (segment, 0, 0);
        }
        let (block, before, room) = (self.block, self.line, self.room);
        let (found, nth) = (&mut self.found, &mut self.nth);
        pattern.each(text, |line, _| {
            if found.len() < room {
                found.push(Place {
                    block,
                    segment: index(segment),
                    nth: *nth,
                    line: index(before + line),
                });
                *nth += 1;
            }
        });
        self.line += lines(text);
    }
}

/// The text from `at` on, up to a line end.
fn chunk(text: &str, at: usize) -> &str {
    let rest = text.get(at..).unwrap_or_default();
    if rest.len() <= CHUNK {
        return rest;
    }
    let end = match memchr::memchr(b'\n', &rest.as_bytes()[CHUNK..]) {
        Some(more) if more < MAX_LINE => CHUNK + more + 1,
        None if rest.len() - CHUNK < MAX_LINE => rest.len(),
        _ => rest.floor_char_boundary(CHUNK + MAX_LINE),
    };
    rest.get(..end).unwrap_or(rest)
}

fn index(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
