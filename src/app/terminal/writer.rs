//! The thread that writes frames.
//!
//! A terminal that takes its time (ssh, XOFF) blocks it, never the UI task; the frame scheduler waits
//! for it.

use std::{
    io::{self, Write},
    os::fd::OwnedFd,
    sync::{
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc,
    },
    time::{Duration, Instant},
};

/// A frame that the terminal has taken.
#[derive(Clone, Copy, Debug)]
pub struct Written {
    pub bytes: usize,
    pub cost: Duration,
}

/// The thread that writes frames to stdout. One frame at a time is on its way.
pub struct Writer(mpsc::Sender<Order>);

/// Frames that are not written yet. Static, as the writer's handle is gone at the end.
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
                        // Fails if the caller no longer waits.
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
    // Keeps other writers out.
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
