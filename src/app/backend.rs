//! Where frames go: a ratatui backend that collects one frame's bytes, adds hyperlinks, and a
//! thread that writes them.
//!
//! A terminal that takes its time (ssh, XOFF) blocks the writer thread, never the UI task; the
//! frame scheduler waits for it.

use std::{
    cell::{Cell, RefCell},
    io::{self, Write},
    os::fd::OwnedFd,
    rc::Rc,
    sync::{
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc,
    },
    time::{Duration, Instant},
};

use ratatui::{
    backend::{Backend, ClearType, CrosstermBackend, WindowSize},
    buffer::Cell as ScreenCell,
    layout::{Position, Size},
};

use crate::{app::tty, ui::transcript::PlacedLink};

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

/// [`CrosstermBackend`] plus OSC 8, less what changes nothing: a frame like the one before is no
/// bytes at all.
pub struct LinkBackend {
    inner: CrosstermBackend<FrameBytes>,
    links: FrameLinks,
    /// What was last sent; `None` is not known.
    cursor_visible: Option<bool>,
    cursor_at: Option<Position>,
    /// As last told.
    size: Cell<Size>,
}

impl LinkBackend {
    pub fn new(bytes: FrameBytes, links: FrameLinks) -> Self {
        Self {
            inner: CrosstermBackend::new(bytes),
            links,
            cursor_visible: None,
            cursor_at: None,
            size: Cell::default(),
        }
    }
}

impl Backend for LinkBackend {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a ScreenCell)>,
    {
        let mut content = content.peekable();
        if content.peek().is_none() {
            return Ok(());
        }
        self.cursor_at = None;
        let links = self.links.borrow();
        if links.is_empty() {
            return self.inner.draw(content);
        }
        let link_at = |x: u16, y: u16| {
            links
                .iter()
                .find(|link| link.area.contains(Position { x, y }))
                .map(|l| &l.uri)
        };
        while let Some(&(x, y, _)) = content.peek() {
            let uri = link_at(x, y);
            if let Some(uri) = uri {
                // Renderers let no control character into a link.
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
        if self.cursor_visible.replace(false) == Some(false) {
            return Ok(());
        }
        self.inner.hide_cursor()
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        if self.cursor_visible.replace(true) == Some(true) {
            return Ok(());
        }
        self.inner.show_cursor()
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        // Would ask the terminal and read stdin against the event stream.
        Ok(Position::ORIGIN)
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        let position = position.into();
        if self.cursor_at.replace(position) == Some(position) {
            return Ok(());
        }
        self.inner.set_cursor_position(position)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.inner.clear()
    }

    fn clear_region(&mut self, clear_type: ClearType) -> io::Result<()> {
        // Clearing follows a change of the screen from outside: nothing is known any more.
        (self.cursor_visible, self.cursor_at) = (None, None);
        self.inner.clear_region(clear_type)
    }

    fn size(&self) -> io::Result<Size> {
        // That the terminal is gone is the reader's and the writer's to tell.
        if let Ok(size) = tty::size() {
            self.size.set(size);
        }
        Ok(self.size.get())
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
pub struct Writer(mpsc::Sender<Order>);

/// Frames that are not written yet. Outlives the writer's handle: at the end nobody has that any more.
static WAITING: AtomicUsize = AtomicUsize::new(0);

/// Nothing more of them is written.
static GIVEN_UP: AtomicBool = AtomicBool::new(false);

/// How long a terminal that takes nothing is waited for between two looks at [`GIVEN_UP`].
const GIVEN_UP_POLL: Duration = Duration::from_millis(50);

enum Order {
    Write(Vec<u8>),
    /// Answered once everything before it is written.
    Tell(mpsc::Sender<()>),
}

/// How long a terminal that takes nothing is waited for before it is lent to another program.
const LEND_PATIENCE: Duration = Duration::from_secs(2);

impl Writer {
    /// `done` is called from the thread after each frame, with an error once the terminal is gone.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn start(done: impl Fn(io::Result<Written>) + Send + 'static) -> io::Result<Self> {
        let (sender, receiver) = mpsc::channel();
        std::thread::Builder::new()
            .name("tty-writer".into())
            .spawn(move || {
                let own = own_stdout();
                while let Ok(order) = receiver.recv() {
                    match order {
                        Order::Write(frame) => {
                            done(write_frame(own.as_ref(), &frame));
                            WAITING.fetch_sub(1, Ordering::Relaxed);
                        }
                        // Whoever asked may have lost patience.
                        Order::Tell(waiting) => drop(waiting.send(())),
                    }
                }
            })?;
        Ok(Self(sender))
    }

    pub fn write(&self, frame: Vec<u8>) {
        WAITING.fetch_add(1, Ordering::Relaxed);
        // The thread ends only with the process.
        let _ = self.0.send(Order::Write(frame));
    }

    /// Returns once everything is written, or after [`LEND_PATIENCE`].
    pub fn wait(&self) {
        let (sender, receiver) = mpsc::channel();
        let _ = self.0.send(Order::Tell(sender));
        let _ = receiver.recv_timeout(LEND_PATIENCE);
    }
}

/// Whether all frames are written, or have been within `patience`.
pub fn wait_for_frames(patience: Duration) -> bool {
    const POLL: Duration = Duration::from_millis(2);
    let deadline = Instant::now() + patience;
    while WAITING.load(Ordering::Relaxed) > 0 {
        if Instant::now() >= deadline {
            return false;
        }
        std::thread::sleep(POLL);
    }
    true
}

/// Lets go of the frames that are not written, and of the rest of the one that is being written.
pub fn give_up_frames() {
    GIVEN_UP.store(true, Ordering::Relaxed);
}

/// The terminal that is stdout, opened once more: non-blocking, which for stdout itself would hold for
/// all that share it, the shell as well. `None` where it has no name here, as in some containers: then a
/// terminal that takes nothing keeps the thread.
fn own_stdout() -> Option<OwnedFd> {
    use rustix::fs::{Mode, OFlags, fstat, open};
    let stdout = rustix::stdio::stdout();
    let name = rustix::termios::ttyname(stdout, Vec::new()).ok()?;
    let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let own = open(name, flags, Mode::empty()).ok()?;
    let same = fstat(&own).ok()?.st_rdev == fstat(stdout).ok()?.st_rdev;
    same.then_some(own)
}

fn write_frame(own: Option<&OwnedFd>, frame: &[u8]) -> io::Result<Written> {
    use rustix::{
        event::{PollFd, PollFlags, Timespec, poll},
        io::Errno,
    };
    let start = Instant::now();
    // Nobody else writes meanwhile.
    let mut stdout = io::stdout().lock();
    let patience = Timespec::try_from(GIVEN_UP_POLL).ok();
    let mut rest = frame;
    while !rest.is_empty() {
        if GIVEN_UP.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let Some(own) = own else {
            stdout.write_all(rest)?;
            stdout.flush()?;
            break;
        };
        match rustix::io::write(own, rest) {
            Ok(count) => rest = rest.get(count..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => {
                let mut fds = [PollFd::new(own, PollFlags::OUT)];
                // What is wrong with it is told by the write.
                let _ = poll(&mut fds, patience.as_ref());
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(Written {
        bytes: frame.len(),
        cost: start.elapsed(),
    })
}

#[cfg(test)]
mod tests {
    use ratatui::{Terminal, TerminalOptions, Viewport, layout::Rect, text::Line};

    use super::*;

    fn terminal() -> (Terminal<LinkBackend>, FrameBytes, FrameLinks) {
        let (bytes, links) = (FrameBytes::default(), FrameLinks::default());
        let backend = LinkBackend::new(bytes.clone(), links.clone());
        let viewport = Viewport::Fixed(Rect::new(0, 0, 20, 1));
        let terminal = Terminal::with_options(backend, TerminalOptions { viewport })
            .expect("a fixed viewport asks nothing");
        (terminal, bytes, links)
    }

    fn draw(terminal: &mut Terminal<LinkBackend>, text: &'static str) {
        let drawn = terminal.draw(|frame| {
            frame.render_widget(Line::from(text), frame.area());
            frame.set_cursor_position((3, 0));
        });
        drawn.expect("memory takes it");
    }

    #[test]
    fn a_frame_that_changes_nothing_is_no_bytes() {
        let (mut terminal, bytes, _) = terminal();
        draw(&mut terminal, "see the docs");
        assert!(!bytes.take().is_empty());
        draw(&mut terminal, "see the docs");
        assert_eq!(bytes.take(), b"");
    }

    #[test]
    fn a_link_is_around_its_cells_only() {
        let (mut terminal, bytes, links) = terminal();
        links.borrow_mut().push(PlacedLink {
            area: Rect::new(8, 0, 4, 1),
            uri: "https://example.com".into(),
        });
        draw(&mut terminal, "see the docs");
        let sent = String::from_utf8(bytes.take()).expect("text");
        let (_, link) = sent
            .split_once("\x1b]8;;https://example.com\x1b\\")
            .expect("opened");
        let (text, _) = link.split_once("\x1b]8;;\x1b\\").expect("closed");
        assert!(text.contains("docs") && !text.contains("the"), "{text:?}");
    }
}
