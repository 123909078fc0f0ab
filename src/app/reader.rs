//! The thread that reads the keyboard.
//!
//! Not crossterm's `EventStream`: its reader spins for ever once the terminal has hung up, in
//! whichever task polls it. Here `poll(2)` looks first, so a hang-up is an event, the UI task is
//! never at risk, and the thread can be told to leave the terminal alone while an editor has it.

use std::{
    io,
    os::fd::OwnedFd,
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::Duration,
};

use crossterm::event::{self, Event};
use rustix::event::{PollFd, PollFlags, poll};
use tokio::sync::mpsc;

/// Batches that may wait for the UI. A batch is all that had been typed by the time it was read.
const BATCHES: usize = 64;

/// Events in one batch; a paste without brackets is cut here at most.
const BATCH_EVENTS: usize = 4_096;

/// How long the end of a batch is waited for. Not zero: crossterm's source then never looks.
const LOOK: Duration = Duration::from_micros(50);

/// What the reader reports.
#[derive(Debug)]
pub enum Input {
    Batch(Vec<Event>),
    /// The terminal hung up: nothing will be typed or seen any more.
    Gone,
}

/// Handle to the thread.
pub struct Reader {
    pause: Arc<Pause>,
    wake: OwnedFd,
}

#[derive(Default)]
struct Pause {
    state: Mutex<PauseState>,
    changed: Condvar,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum PauseState {
    #[default]
    Reading,
    Asked,
    Paused,
}

impl Reader {
    pub fn start() -> io::Result<(Self, mpsc::Receiver<Input>)> {
        let (sender, receiver) = mpsc::channel(BATCHES);
        let (woken, wake) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
        let pause = Arc::<Pause>::default();
        let thread_pause = pause.clone();
        std::thread::Builder::new()
            .name("keyboard".into())
            .spawn(move || read_all(&woken, &thread_pause, &sender))?;
        Ok((Self { pause, wake }, receiver))
    }

    /// Returns once the thread no longer reads the terminal, until [`Reader::resume`].
    pub fn pause(&self) {
        let mut state = self.pause.lock();
        *state = PauseState::Asked;
        // Only fails when the thread has ended, and then nothing reads.
        if rustix::io::write(&self.wake, b"p").is_err() {
            return;
        }
        let patience = Duration::from_secs(1);
        let asked = |state: &mut PauseState| *state == PauseState::Asked;
        drop(
            self.pause
                .changed
                .wait_timeout_while(state, patience, asked),
        );
    }

    pub fn resume(&self) {
        *self.pause.lock() = PauseState::Reading;
        self.pause.changed.notify_all();
    }
}

impl Pause {
    fn lock(&self) -> std::sync::MutexGuard<'_, PauseState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stands still while paused.
    fn check(&self) {
        let mut state = self.lock();
        if *state == PauseState::Asked {
            *state = PauseState::Paused;
            self.changed.notify_all();
            let paused = |state: &mut PauseState| *state == PauseState::Paused;
            drop(self.changed.wait_while(state, paused));
        }
    }
}

fn read_all(woken: &OwnedFd, pause: &Pause, sender: &mpsc::Sender<Input>) {
    loop {
        let stdin = rustix::stdio::stdin();
        let mut fds = [
            PollFd::new(&stdin, PollFlags::IN),
            PollFd::new(woken, PollFlags::IN),
        ];
        match poll(&mut fds, None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return report_gone(sender),
        }
        let [typed, asked] = [fds[0].revents(), fds[1].revents()];
        if asked.contains(PollFlags::IN) {
            let _ = rustix::io::read(woken, &mut [0; 16]);
            pause.check();
            continue;
        }
        if asked.contains(PollFlags::HUP) {
            return;
        }
        if typed.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) {
            return report_gone(sender);
        }
        if !typed.contains(PollFlags::IN) {
            continue;
        }
        match read_batch() {
            Ok(batch) if batch.is_empty() => {}
            Ok(batch) => {
                if sender.blocking_send(Input::Batch(batch)).is_err() {
                    return;
                }
            }
            Err(_) => return report_gone(sender),
        }
    }
}

/// What was typed before the terminal was taken over; to be called before [`Reader::start`].
pub fn typed_ahead() -> Vec<Event> {
    // A terminal that fails is the thread's to report.
    read_batch().unwrap_or_default()
}

fn read_batch() -> io::Result<Vec<Event>> {
    let mut batch = Vec::new();
    while batch.len() < BATCH_EVENTS && event::poll(LOOK)? {
        batch.push(event::read()?);
    }
    Ok(batch)
}

fn report_gone(sender: &mpsc::Sender<Input>) {
    // Fails only when the app no longer listens.
    let _ = sender.blocking_send(Input::Gone);
}
