//! Writes stored sessions on a thread of its own: a slow disk holds up nothing else.

use std::{
    collections::HashMap,
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use super::{SessionFolder, file::SessionFile, review};
use crate::{
    model::{KeptReview, SessionKey, TerminalId},
    store::format::{Batch, Kind, Line},
    text::SafeText,
    vt::{self, SharedScreen},
};

/// Bytes that may wait for the disk; with more, what is to be written stays where it is and comes
/// with the next lines.
const MAX_WAITING: usize = 16 << 20;

/// What a review counts among them: so many bytes are held of one at most.
const REVIEW: usize = 1 << 20;

/// Bytes at the end of what a terminal showed that are kept.
const MAX_TERMINAL: usize = 512 << 10;

/// Where a session's lines go.
#[derive(Debug)]
pub enum Destination {
    /// To a file of its own, made with the first line.
    New,
    /// To the file of that id; to a copy of it where another client has it open.
    GoOn(String),
}

/// What became of a session's file, for the person to know.
#[derive(Debug)]
pub enum Trouble {
    /// Lines could not be written.
    NotStored(io::Error),
    /// What is held of its review could not be.
    ReviewNotStored(io::Error),
    /// Another client has it open: there are two in one session.
    OpenElsewhere,
}

/// Said where two clients are in one session.
pub const OPEN_ELSEWHERE: &str = "also open in another acp-tui: each shows only its own messages, and this one is stored as a copy";

/// Handle to the thread. It ends when the last handle goes and everything is written.
#[derive(Clone, Debug)]
pub struct SessionWriter {
    orders: mpsc::Sender<Order>,
    waiting: Arc<AtomicUsize>,
}

#[derive(Debug)]
enum Order {
    Begin(SessionKey, Destination),
    Write {
        session: SessionKey,
        batch: Batch,
        screens: Screens,
        weight: usize,
    },
    /// What is held of its review now.
    Review(SessionKey, KeptReview),
    End(SessionKey),
    Finish(mpsc::Sender<Option<SafeText>>),
}

/// What the terminals in a batch show, by id.
pub struct Screens(pub Vec<(String, SharedScreen)>);

impl Screens {
    /// Those that finished calls of a batch show: one that goes on will show more.
    pub fn of(batch: &Batch, all: &vt::Screens) -> Self {
        let blocks = batch.lines.iter().filter_map(Line::any_block);
        let calls = blocks.filter(|block| block.kind == Kind::Tool && !block.is_open());
        let pieces = calls.flat_map(|block| &block.content);
        let ids = pieces.filter_map(|piece| piece.terminal_id.clone());
        let shown = ids.filter_map(|id| {
            let screen = all.get(&TerminalId::new(&id))?.clone();
            Some((id, screen))
        });
        Self(shown.collect())
    }

    /// Writes what they show into the batch that they are of.
    pub fn tell(&self, batch: &mut Batch) {
        for line in &mut batch.lines {
            tell_terminals(line, self);
        }
    }
}

impl std::fmt::Debug for Screens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list()
            .entries(self.0.iter().map(|(id, _)| id))
            .finish()
    }
}

impl SessionWriter {
    /// `keep` is how many sessions stay; `tell` hears of sessions whose file is not as it should be.
    ///
    /// # Errors
    /// There is no thread to be had.
    pub fn start(
        folder: SessionFolder,
        keep: usize,
        tell: impl Fn(SessionKey, Trouble) + Send + 'static,
    ) -> io::Result<Self> {
        let (orders, inbox) = mpsc::channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let counter = waiting.clone();
        let write = move || {
            let mut files = Files {
                folder,
                keep,
                open: HashMap::new(),
                reviews: HashMap::new(),
            };
            // Of the last lines: who would be told of it may be leaving.
            let mut lost = None;
            let told = |error: io::Error, session| {
                tracing::warn!(%error, "a session could not be stored");
                let text = SafeText::line(&format!("this conversation is not stored: {error}"));
                tell(session, Trouble::NotStored(error));
                Some(text)
            };
            while let Ok(order) = inbox.recv() {
                match order {
                    Order::Begin(session, destination) => {
                        if files.begin(session, destination) {
                            tell(session, Trouble::OpenElsewhere);
                        }
                    }
                    Order::Write {
                        session,
                        batch,
                        screens,
                        weight,
                    } => {
                        let written = files.write(session, batch, &screens);
                        lost = written.map_or_else(|error| told(error, session), |()| None);
                        counter.fetch_sub(weight, Ordering::Relaxed);
                    }
                    Order::Review(session, held) => {
                        if let Err(error) = files.review(session, held) {
                            tracing::warn!(%error, "a review could not be stored");
                            tell(session, Trouble::ReviewNotStored(error));
                        }
                        counter.fetch_sub(REVIEW, Ordering::Relaxed);
                    }
                    Order::End(session) => {
                        if let Err(error) = files.end(session) {
                            lost = told(error, session);
                        }
                    }
                    // Who asked may have stopped waiting.
                    Order::Finish(done) => drop(done.send(lost.clone())),
                }
            }
        };
        thread::Builder::new().name("store".into()).spawn(write)?;
        Ok(Self { orders, waiting })
    }

    /// A session begins.
    pub fn begin(&self, session: SessionKey, destination: Destination) {
        self.order(Order::Begin(session, destination));
    }

    /// Whether so much waits that no more should be given.
    pub fn is_behind(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > MAX_WAITING
    }

    pub fn write(&self, session: SessionKey, batch: Batch, screens: Screens) {
        let weight = batch.lines.iter().map(Line::weight).sum();
        self.waiting.fetch_add(weight, Ordering::Relaxed);
        self.order(Order::Write {
            session,
            batch,
            screens,
            weight,
        });
    }

    /// What is held of a session's review, in the place of what was. Nothing of it is written for a session that
    /// has no file before it gets one.
    pub fn review(&self, session: SessionKey, held: KeptReview) {
        self.waiting.fetch_add(REVIEW, Ordering::Relaxed);
        self.order(Order::Review(session, held));
    }

    /// Nothing more comes of that session: its file is closed.
    pub fn end(&self, session: SessionKey) {
        self.order(Order::End(session));
    }

    /// Waits until everything is written, but no longer than that; gives what is wrong with the last of
    /// it.
    pub fn finish(&self, patience: Duration) -> Option<SafeText> {
        let (done, wait) = mpsc::channel();
        self.order(Order::Finish(done));
        wait.recv_timeout(patience).unwrap_or_else(|_| {
            let text = "the disk is slow: the end of the conversation may not be stored";
            tracing::warn!(text);
            Some(SafeText::from(text))
        })
    }

    fn order(&self, order: Order) {
        // The thread ends after the last handle.
        let _ = self.orders.send(order);
    }
}

struct Files {
    folder: SessionFolder,
    keep: usize,
    open: HashMap<SessionKey, Open>,
    /// What is held of reviews of sessions that have no file yet.
    reviews: HashMap<SessionKey, KeptReview>,
}

enum Open {
    Wanted(Destination),
    File(SessionFile),
}

impl Files {
    /// One that goes on is taken at once, so that nobody deletes it meanwhile; any other is made with
    /// its first line. True where another client has it open.
    fn begin(&mut self, session: SessionKey, destination: Destination) -> bool {
        let opened = match &destination {
            Destination::GoOn(id) => Some(SessionFile::open(&self.folder.path(id))),
            Destination::New => None,
        };
        let mut elsewhere = false;
        let open = match (opened, &destination) {
            (Some(Ok(file)), _) => Open::File(file),
            (Some(Err(error)), Destination::GoOn(id)) => {
                // A lock is in the way of this client's other sessions as well.
                elsewhere = error.kind() == io::ErrorKind::WouldBlock && !self.has_open(id);
                Open::Wanted(destination)
            }
            _ => Open::Wanted(destination),
        };
        self.open.insert(session, open);
        elsewhere
    }

    fn has_open(&self, id: &str) -> bool {
        let path = self.folder.path(id);
        let is_it = |open: &Open| matches!(open, Open::File(file) if file.path() == path);
        self.open.values().any(is_it)
    }

    fn write(
        &mut self,
        session: SessionKey,
        mut batch: Batch,
        screens: &Screens,
    ) -> io::Result<()> {
        if batch.lines.is_empty() {
            return Ok(());
        }
        for line in &mut batch.lines {
            tell_terminals(line, screens);
        }
        let file = self.file(session)?;
        if batch.replace {
            file.replace(batch.lines)
        } else {
            file.append(&batch.lines, batch.sync)
        }
    }

    /// One that another client has open gets its copy for it: what is held there stays as it is.
    fn review(&mut self, session: SessionKey, held: KeptReview) -> io::Result<()> {
        let goes_on = match self.open.get(&session) {
            Some(Open::File(file)) => return review::write(file.path(), &held),
            Some(Open::Wanted(Destination::GoOn(_))) => !held.is_empty(),
            Some(Open::Wanted(Destination::New)) => false,
            None => return Ok(()),
        };
        self.reviews.insert(session, held);
        match goes_on {
            true => self.file(session).map(drop),
            false => Ok(()),
        }
    }

    /// Who has removed it meanwhile finds it again: nothing else would tell that it is gone.
    fn end(&mut self, session: SessionKey) -> io::Result<()> {
        self.reviews.remove(&session);
        match self.open.remove(&session) {
            Some(Open::File(mut file)) => file.keep_there(),
            _ => Ok(()),
        }
    }

    fn file(&mut self, session: SessionKey) -> io::Result<&mut SessionFile> {
        let open = self.open.remove(&session).ok_or(io::ErrorKind::NotFound)?;
        let file = match open {
            Open::File(file) => file,
            Open::Wanted(destination) => match self.make(&destination) {
                Ok(file) => file,
                Err(error) => {
                    self.open.insert(session, Open::Wanted(destination));
                    return Err(error);
                }
            },
        };
        if let Some(held) = self.reviews.remove(&session) {
            keep_review(&file, &held);
        }
        match self
            .open
            .entry(session)
            .insert_entry(Open::File(file))
            .into_mut()
        {
            Open::File(file) => Ok(file),
            Open::Wanted(_) => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn make(&self, destination: &Destination) -> io::Result<SessionFile> {
        let new = match destination {
            Destination::New => SessionFile::open(&self.folder.path(&self.folder.new_id()))?,
            Destination::GoOn(id) => match SessionFile::open(&self.folder.path(id)) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    let mut copy = SessionFile::open(&self.folder.path(&self.folder.new_id()))?;
                    let record = self.folder.load(id).map_err(io::Error::other)?;
                    copy.replace(record.lines())?;
                    keep_review(&copy, &self.folder.review(id));
                    copy
                }
                other => return other,
            },
        };
        self.folder.prune(self.keep);
        Ok(new)
    }
}

/// Where it cannot be, the session is stored all the same.
fn keep_review(of: &SessionFile, held: &KeptReview) {
    if let Err(error) = review::write(of.path(), held) {
        tracing::warn!(%error, "a review could not be stored");
    }
}

/// Puts what terminals show into the calls that name them: the terminals do not outlive the client.
fn tell_terminals(line: &mut Line, screens: &Screens) {
    let Some(block) = line.any_block_mut() else {
        return;
    };
    for piece in &mut block.content {
        let named = |(id, _): &&(String, SharedScreen)| piece.terminal_id.as_ref() == Some(id);
        if let Some((_, screen)) = screens.0.iter().find(named) {
            piece.text = Some(screen_text(screen));
        }
    }
}

fn screen_text(screen: &SharedScreen) -> SafeText {
    SafeText::new(&screen.lock().text(MAX_TERMINAL))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::KeptMark,
        store::format::{About, Line},
    };

    fn marked(path: &str) -> KeptReview {
        let mark = KeptMark {
            path: path.into(),
            content: 1,
        };
        KeptReview {
            marks: vec![mark],
            ..KeptReview::default()
        }
    }

    fn files(folder: &SessionFolder) -> Files {
        Files {
            folder: folder.clone(),
            keep: 10,
            open: HashMap::new(),
            reviews: HashMap::new(),
        }
    }

    fn lines() -> Batch {
        Batch {
            lines: vec![Line::about(1, About::default())],
            ..Batch::default()
        }
    }

    const KEY: fn() -> SessionKey = SessionKey::default;

    #[test]
    fn a_review_is_written_once_its_session_has_a_file() {
        let state = tempfile::tempdir().expect("a folder");
        let folder = SessionFolder::new(state.path());
        let mut one = files(&folder);
        one.review(KEY(), marked("a")).expect("nothing to do");
        one.begin(KEY(), Destination::New);
        one.review(KEY(), marked("b")).expect("kept");
        assert!(folder.list().is_empty());
        one.write(KEY(), lines(), &Screens(Vec::new()))
            .expect("written");
        let id = folder.list().remove(0).id;
        assert_eq!(folder.review(&id), marked("b"));
        one.review(KEY(), marked("c")).expect("written");
        one.end(KEY()).expect("ended");
        let again = folder.reopen(id.clone()).expect("stored");
        assert_eq!(again.review, marked("c"));
        // Of a session that is only reopened, the review alone changes.
        assert!(!one.begin(KEY(), Destination::GoOn(id.clone())));
        one.review(KEY(), KeptReview::default()).expect("written");
        assert!(folder.review(&id).is_empty());
    }

    #[test]
    fn two_clients_in_one_session_do_not_overwrite_each_other() {
        let state = tempfile::tempdir().expect("a folder");
        let folder = SessionFolder::new(state.path());
        let (mut one, mut two) = (files(&folder), files(&folder));
        one.begin(KEY(), Destination::New);
        one.write(KEY(), lines(), &Screens(Vec::new()))
            .expect("written");
        one.review(KEY(), marked("a")).expect("written");
        let id = folder.list().remove(0).id;
        assert!(two.begin(KEY(), Destination::GoOn(id.clone())));
        two.review(KEY(), KeptReview::default()).expect("nothing");
        assert_eq!(folder.list().len(), 1, "no copy for nothing");
        two.review(KEY(), marked("b")).expect("written");
        one.review(KEY(), marked("c")).expect("written");
        assert_eq!(folder.review(&id), marked("c"));
        let copy = folder.list().into_iter().find(|stored| stored.id != id);
        let copy = copy.expect("a copy").id;
        assert_eq!(folder.review(&copy), marked("b"));
    }
}
