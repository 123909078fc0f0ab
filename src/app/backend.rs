//! Where frames go: a ratatui backend that collects one frame's bytes, adds hyperlinks, and a
//! thread that writes them.
//!
//! A terminal that takes its time (ssh, XOFF) blocks the writer thread, never the UI task; the
//! frame scheduler waits for it.

use std::{
    cell::RefCell,
    io::{self, Write},
    rc::Rc,
    sync::{Arc, mpsc},
    time::{Duration, Instant},
};

use ratatui::{
    backend::{Backend, ClearType, CrosstermBackend, WindowSize},
    buffer::Cell,
    layout::{Position, Size},
};

use crate::ui::PlacedLink;

/// The hyperlinks of the frame being drawn; set between drawing and the diff.
pub type FrameLinks = Rc<RefCell<Vec<PlacedLink>>>;

/// One frame's bytes. `flush` is not the end of a frame: crossterm flushes after each cursor move.
#[derive(Clone, Default)]
pub struct FrameBytes(Rc<RefCell<Vec<u8>>>);

impl FrameBytes {
    pub fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.borrow_mut())
    }
}

impl Write for FrameBytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// [`CrosstermBackend`] plus OSC 8.
pub struct LinkBackend {
    inner: CrosstermBackend<FrameBytes>,
    links: FrameLinks,
}

impl LinkBackend {
    pub fn new(bytes: FrameBytes, links: FrameLinks) -> Self {
        Self { inner: CrosstermBackend::new(bytes), links }
    }
}

impl Backend for LinkBackend {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let links = self.links.borrow();
        if links.is_empty() {
            return self.inner.draw(content);
        }
        let link_at = |x: u16, y: u16| {
            links.iter().find(|link| link.row == y && link.columns.contains(&x)).map(|l| &l.uri)
        };
        let mut content = content.peekable();
        while let Some(&(x, y, _)) = content.peek() {
            let uri = link_at(x, y);
            if let Some(uri) = uri {
                // Renderers let no control character into a link (C135).
                write!(self.inner, "\x1b]8;;{uri}\x1b\\")?;
            }
            let mut run = Vec::new();
            while let Some(cell) = content.next_if(|(x, y, _)| link_at(*x, *y) == uri) {
                run.push(cell);
            }
            self.inner.draw(run.into_iter())?;
            if uri.is_some() {
                write!(self.inner, "\x1b]8;;\x1b\\")?;
            }
        }
        Ok(())
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.inner.hide_cursor()
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.inner.show_cursor()
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        // Would ask the terminal and read stdin against the event stream.
        Ok(Position::ORIGIN)
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.inner.set_cursor_position(position)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.inner.clear()
    }

    fn clear_region(&mut self, clear_type: ClearType) -> io::Result<()> {
        self.inner.clear_region(clear_type)
    }

    fn size(&self) -> io::Result<Size> {
        self.inner.size()
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        self.inner.window_size()
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A frame that the terminal has taken.
#[derive(Clone, Copy, Debug)]
pub struct Written {
    pub bytes: usize,
    pub cost: Duration,
}

/// The thread that writes frames to stdout. One frame at a time is on its way.
pub struct Writer(mpsc::Sender<Vec<u8>>);

impl Writer {
    /// `done` is called from the thread after each frame, with an error once the terminal is gone.
    pub fn start(
        done: impl Fn(io::Result<Written>) + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let (sender, receiver) = mpsc::channel::<Vec<u8>>();
        let done = Arc::new(done);
        std::thread::Builder::new().name("tty-writer".into()).spawn(move || {
            while let Ok(frame) = receiver.recv() {
                let start = Instant::now();
                let mut stdout = io::stdout().lock();
                let written = stdout.write_all(&frame).and_then(|()| stdout.flush());
                drop(stdout);
                done(written.map(|()| Written { bytes: frame.len(), cost: start.elapsed() }));
            }
        })?;
        Ok(Self(sender))
    }

    pub fn write(&self, frame: Vec<u8>) {
        // The thread ends only with the process.
        let _ = self.0.send(frame);
    }
}
