//! The thread that reads the keyboard.
//!
//! Owns: when the terminal is read, and for how long it is waited for. What the bytes mean is
//! [`input`](crate::input)'s to say. `poll(2)` looks first, so a hang-up is an event, the UI task is never
//! at risk, and the thread can be told to leave the terminal alone while an editor has it.

use std::{
    io,
    os::fd::OwnedFd,
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
};
use tokio::sync::mpsc;

use crate::{
    app::terminal::tty,
    input::{Decoded, Decoder, without_orphan},
};

/// Batches that may wait for the UI. A batch is all that had been typed by the time it was read.
const BATCHES: usize = 64;

/// Events in one batch; a paste without brackets is cut here at most.
const BATCH_EVENTS: usize = 4_096;

/// Reads for one batch. A paste in brackets is no event for long, and the thread must hear of a pause.
const BATCH_READS: usize = 64;

/// Bytes of one read: all that Linux keeps of what is typed.
const READ_BYTES: usize = 4_096;

/// How long the end of a batch is waited for: what is pasted without brackets is to stay together.
const LOOK: Duration = Duration::from_micros(50);

/// After another program had the terminal: how long the rest of an answer to it may be on its way, how
/// long what comes then goes on, and how much of it is taken together.
const LEFT_OVER: Duration = Duration::from_millis(150);
const LEFT_OVER_QUIET: Duration = Duration::from_millis(20);
const LEFT_OVER_BYTES: usize = 64 << 10;

/// What the reader reports.
#[derive(Debug)]
pub enum Input {
    Batch(Vec<Decoded>),
    /// The same, of what came while another program had the terminal, or right behind.
    Ahead(Vec<Decoded>),
    /// The terminal hung up: nothing will be typed or seen any more.
    Gone,
}

/// The terminal's input: stdin, and what its bytes mean.
pub struct Keyboard {
    decoder: Decoder,
    buffer: Vec<u8>,
}

impl Keyboard {
    pub fn new(escape_delay: Duration) -> Self {
        Self {
            decoder: Decoder::new(escape_delay),
            buffer: vec![0; READ_BYTES],
        }
    }

    /// What was typed before the terminal was taken over; to be called before [`Reader::start`].
    pub fn typed_ahead(&mut self) -> Vec<Decoded> {
        let mut batch = Vec::new();
        // A terminal that fails is the thread's to report.
        if is_readable(LOOK) {
            let _ = self.read_batch(&mut batch);
        }
        batch
    }

    /// Reads what is there. Only where there is something: else it waits.
    fn read_batch(&mut self, batch: &mut Vec<Decoded>) -> io::Result<()> {
        for _ in 0..BATCH_READS {
            let bytes = read(&mut self.buffer)?;
            self.decoder.feed(bytes, Instant::now(), batch);
            if batch.len() >= BATCH_EVENTS || !is_readable(LOOK) {
                break;
            }
        }
        Ok(())
    }

    /// Reads what another program has left. It may have read the beginning of an answer, whose rest
    /// looks like text; what was typed meanwhile stays.
    fn read_left_over(&mut self, batch: &mut Vec<Decoded>) -> io::Result<()> {
        self.decoder.reset();
        let mut left = Vec::new();
        let mut patience = LEFT_OVER;
        while left.len() < LEFT_OVER_BYTES && is_readable(patience) {
            left.extend_from_slice(read(&mut self.buffer)?);
            patience = LEFT_OVER_QUIET;
        }
        self.decoder
            .feed(without_orphan(&left), Instant::now(), batch);
        Ok(())
    }
}

/// Bytes of the terminal; none where it had some and another program took them.
fn read(buffer: &mut [u8]) -> io::Result<&[u8]> {
    match rustix::io::read(rustix::stdio::stdin(), &mut *buffer) {
        // The end of a line of nothing, in the mode that a shell leaves; a terminal that is gone has no
        // size any more.
        Ok(0) => tty::size().map(|_| &[][..]),
        Ok(count) => Ok(buffer.get(..count).unwrap_or_default()),
        Err(Errno::INTR | Errno::AGAIN) => Ok(&[]),
        Err(error) => Err(error.into()),
    }
}

fn is_readable(patience: Duration) -> bool {
    let stdin = rustix::stdio::stdin();
    let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
    let ready = poll(&mut fds, Some(&timespec(patience)));
    // The next wait sees a hang-up.
    ready.is_ok_and(|count| count > 0) && fds[0].revents() == PollFlags::IN
}

fn timespec(time: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: time.subsec_nanos().into(),
    }
}

/// Handle to the thread.
pub struct Reader {
    shared: Arc<Shared>,
    wake: OwnedFd,
}

#[derive(Default)]
struct Shared {
    state: Mutex<PauseState>,
    changed: Condvar,
    /// In milliseconds.
    escape_delay: AtomicU32,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum PauseState {
    #[default]
    Reading,
    Asked,
    Paused,
}

impl Reader {
    pub fn start(keyboard: Keyboard, delay: Duration) -> io::Result<(Self, mpsc::Receiver<Input>)> {
        let (sender, receiver) = mpsc::channel(BATCHES);
        let (woken, wake) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
        let shared = Arc::<Shared>::default();
        shared.set_escape_delay(delay);
        let thread_shared = shared.clone();
        std::thread::Builder::new()
            .name("keyboard".into())
            .spawn(move || read_all(keyboard, &woken, &thread_shared, &sender))?;
        Ok((Self { shared, wake }, receiver))
    }

    /// From the next key on.
    pub fn set_escape_delay(&self, delay: Duration) {
        self.shared.set_escape_delay(delay);
    }

    /// Returns once the thread no longer reads the terminal, until [`Reader::resume`].
    pub fn pause(&self) {
        let mut state = self.shared.lock();
        *state = PauseState::Asked;
        // Only fails when the thread has ended, and then nothing reads.
        if rustix::io::write(&self.wake, b"p").is_err() {
            return;
        }
        let patience = Duration::from_secs(1);
        let asked = |state: &mut PauseState| *state == PauseState::Asked;
        drop(
            self.shared
                .changed
                .wait_timeout_while(state, patience, asked),
        );
    }

    pub fn resume(&self) {
        *self.shared.lock() = PauseState::Reading;
        self.shared.changed.notify_all();
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, PauseState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stands still while paused. Whether it was.
    fn check(&self) -> bool {
        let mut state = self.lock();
        if *state != PauseState::Asked {
            return false;
        }
        *state = PauseState::Paused;
        self.changed.notify_all();
        let paused = |state: &mut PauseState| *state == PauseState::Paused;
        drop(self.changed.wait_while(state, paused));
        true
    }

    fn set_escape_delay(&self, delay: Duration) {
        let millis = u32::try_from(delay.as_millis()).unwrap_or(u32::MAX);
        self.escape_delay.store(millis, Ordering::Relaxed);
    }

    fn escape_delay(&self) -> Duration {
        Duration::from_millis(self.escape_delay.load(Ordering::Relaxed).into())
    }
}

fn read_all(
    mut keyboard: Keyboard,
    woken: &OwnedFd,
    shared: &Shared,
    sender: &mpsc::Sender<Input>,
) {
    loop {
        let deadline = keyboard.decoder.deadline();
        let patience = deadline.map(|at| timespec(at.saturating_duration_since(Instant::now())));
        let stdin = rustix::stdio::stdin();
        let mut fds = [
            PollFd::new(&stdin, PollFlags::IN),
            PollFd::new(woken, PollFlags::IN),
        ];
        let ready = match poll(&mut fds, patience.as_ref()) {
            Ok(ready) => ready,
            Err(Errno::INTR) => continue,
            Err(_) => return report_gone(sender),
        };
        let [typed, asked] = [fds[0].revents(), fds[1].revents()];
        if asked.contains(PollFlags::IN) {
            let _ = rustix::io::read(woken, &mut [0; 16]);
            if shared.check() && !report_left_over(&mut keyboard, sender) {
                return;
            }
            continue;
        }
        if asked.contains(PollFlags::HUP) {
            return;
        }
        let mut batch = Vec::new();
        keyboard.decoder.set_escape_delay(shared.escape_delay());
        if ready == 0 {
            keyboard.decoder.expire(Instant::now(), &mut batch);
        }
        let gone = typed.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL);
        if gone || typed.contains(PollFlags::IN) && keyboard.read_batch(&mut batch).is_err() {
            return report_gone(sender);
        }
        if !batch.is_empty() && sender.blocking_send(Input::Batch(batch)).is_err() {
            return;
        }
    }
}

/// Whether to go on.
fn report_left_over(keyboard: &mut Keyboard, sender: &mpsc::Sender<Input>) -> bool {
    let mut batch = Vec::new();
    if keyboard.read_left_over(&mut batch).is_err() {
        report_gone(sender);
        return false;
    }
    batch.is_empty() || sender.blocking_send(Input::Ahead(batch)).is_ok()
}

fn report_gone(sender: &mpsc::Sender<Input>) {
    // Fails only when the app no longer listens.
    let _ = sender.blocking_send(Input::Gone);
}
