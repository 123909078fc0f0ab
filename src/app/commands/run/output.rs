//! Stdout and stderr, written on a thread.
//!
//! A slow reader must not delay a cancel: the loop never writes, it waits for room.
//! A reader that is gone is news, even while nothing is written.

use std::{
    io::{self, IsTerminal, Write},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
};

use rustix::event::{PollFd, PollFlags, poll};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Bytes that may wait before the agent is made to wait.
const MAX_WAITING: usize = 1 << 20;

enum Piece {
    Out(String),
    Err(String),
}

/// The handle to the thread.
pub struct Output {
    pieces: mpsc::Sender<Piece>,
    waiting: Arc<AtomicUsize>,
    /// The thread has written something.
    wrote: Arc<Notify>,
    /// Stdout has no reader any more.
    closed: CancellationToken,
    done: CancellationToken,
    stdout_is_terminal: bool,
    /// Stdout stands at the beginning of a line.
    at_line_start: bool,
}

impl Output {
    pub fn start() -> io::Result<Self> {
        let (pieces, receiver) = mpsc::channel();
        let output = Self {
            pieces,
            waiting: Arc::default(),
            wrote: Arc::default(),
            closed: CancellationToken::new(),
            done: CancellationToken::new(),
            stdout_is_terminal: io::stdout().is_terminal(),
            at_line_start: true,
        };
        let (waiting, wrote) = (output.waiting.clone(), output.wrote.clone());
        let (closed, done) = (output.closed.clone(), output.done.clone());
        thread::Builder::new()
            .name("output".into())
            .spawn(move || {
                for piece in receiver {
                    let bytes = write(&piece, &closed);
                    waiting.fetch_sub(bytes, Ordering::Release);
                    wrote.notify_one();
                }
                done.cancel();
            })?;
        let closed = output.closed.clone();
        // Ends with the process: nothing else wakes it.
        thread::Builder::new()
            .name("stdout".into())
            .spawn(move || watch(&closed))?;
        Ok(output)
    }

    pub fn out(&mut self, text: impl Into<String>) {
        let text = text.into();
        if let Some(last) = text.chars().next_back() {
            self.at_line_start = last == '\n';
            self.send(text.len(), Piece::Out(text));
        }
    }

    /// A line on stderr. On a terminal, where both are seen together, it starts a new line.
    pub fn err(&mut self, line: &str) {
        let mut text = format!("{line}\n");
        if self.stdout_is_terminal && !self.at_line_start {
            text.insert(0, '\n');
            self.at_line_start = true;
        }
        self.send(text.len(), Piece::Err(text));
    }

    fn send(&self, bytes: usize, piece: Piece) {
        self.waiting.fetch_add(bytes, Ordering::Release);
        // Fails only if the thread has panicked.
        let _ = self.pieces.send(piece);
    }

    pub fn is_full(&self) -> bool {
        self.waiting.load(Ordering::Acquire) > MAX_WAITING
    }

    /// Until something was written. Cancel safe.
    pub async fn wrote(&self) {
        self.wrote.notified().await;
    }

    /// Cancelled once stdout has no reader.
    pub fn closed(&self) -> CancellationToken {
        self.closed.clone()
    }

    /// Nothing more comes; the token tells when all is written.
    pub fn finish(self) -> CancellationToken {
        self.done
    }
}

/// How many bytes it was; what cannot be written any more is dropped.
fn write(piece: &Piece, closed: &CancellationToken) -> usize {
    match piece {
        Piece::Out(text) => {
            if !closed.is_cancelled() {
                let mut out = io::stdout().lock();
                let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
                if written.is_err() {
                    closed.cancel();
                }
            }
            text.len()
        }
        Piece::Err(text) => {
            // There is nowhere to say that it cannot be said.
            let _ = io::stderr().lock().write_all(text.as_bytes());
            text.len()
        }
    }
}

/// Waits for the other end of stdout to go: a pipe's reader, a terminal. Files have none.
fn watch(closed: &CancellationToken) {
    loop {
        let stdout = rustix::stdio::stdout();
        // Errors and hang-ups are told unasked.
        let mut fds = [PollFd::new(&stdout, PollFlags::empty())];
        match poll(&mut fds, None) {
            Err(rustix::io::Errno::INTR) => continue,
            Err(_) => return,
            Ok(_) => {}
        }
        if fds[0]
            .revents()
            .intersects(PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL)
        {
            return closed.cancel();
        }
    }
}
