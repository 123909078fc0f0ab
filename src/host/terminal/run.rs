//! The task of one terminal: output in, keys out, exit status, ending it.

use std::{
    process, slice,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use pty_process::{Pty, Size};
use rustix::{io::Errno, process::Signal};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    process::Child,
    sync::{mpsc, watch},
    time::{Instant, sleep_until},
};

use super::{
    buffer::OutputBuffer,
    processes::{Processes, signal_all},
};
use crate::{
    model::ExitStatus,
    vt::{Screen, SharedScreen},
};

/// From the polite signal to the one that cannot be ignored.
const KILL_GRACE: Duration = Duration::from_secs(2);

/// After the end of a command, output that others still produce is waited for no longer than this
/// before the status is published (V1-TERM-15).
const DRAIN_LIMIT: Duration = Duration::from_millis(500);

/// Read from the PTY at once, at most.
const READ_BYTES: usize = 64 << 10;

/// Typed input that the program has not read yet; more is dropped.
const MAX_PENDING_INPUT: usize = 64 << 10;

/// A stopped process acts on no signal but SIGKILL until it continues.
pub const ASK_TO_END: [Signal; 2] = [Signal::TERM, Signal::CONT];

pub enum Control {
    Input(Vec<u8>),
    /// Rows and columns.
    Resize(u16, u16),
    Kill,
    /// Kill, and then be gone.
    Release,
}

/// What the task shares with the registry.
pub struct Shared {
    pub screen: SharedScreen,
    pub output: Mutex<OutputBuffer>,
    pub processes: Processes,
    /// `Some` once the command has ended and its output is in.
    pub exit: watch::Sender<Option<ExitStatus>>,
}

impl Shared {
    pub fn output(&self) -> std::sync::MutexGuard<'_, OutputBuffer> {
        self.output.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub struct Run {
    pub shared: Arc<Shared>,
    pub pty: Pty,
    pub child: Child,
    pub control: mpsc::UnboundedReceiver<Control>,
    /// Called when the screen changed; once until the screen is looked at.
    pub on_output: Box<dyn Fn() + Send + Sync>,
    pub on_exit: Box<dyn Fn(ExitStatus) + Send + Sync>,
}

enum Step {
    Control(Option<Control>),
    Ended(std::io::Result<process::ExitStatus>),
    Read(std::io::Result<usize>),
    Written(std::io::Result<usize>),
    KillTime,
}

impl Run {
    /// Returns after [`Control::Release`], once no process is left.
    pub async fn run(mut self) {
        let mut buffer = vec![0; READ_BYTES];
        let mut input: Vec<u8> = Vec::new();
        let mut open = true;
        let mut ended = false;
        let mut kill_at: Option<Instant> = None;
        let mut released = false;
        while !(released && ended && kill_at.is_none()) {
            let (mut reader, mut writer) = self.pty.split();
            let step = tokio::select! {
                control = self.control.recv(), if !released => Step::Control(control),
                status = self.child.wait(), if !ended => Step::Ended(status),
                read = reader.read(&mut buffer), if open => Step::Read(read),
                written = writer.write(&input), if open && !input.is_empty() => Step::Written(written),
                () = sleep_until(kill_at.unwrap_or_else(Instant::now)), if kill_at.is_some() => Step::KillTime,
            };
            match step {
                Step::Control(Some(Control::Input(bytes))) => {
                    if input.len() + bytes.len() <= MAX_PENDING_INPUT {
                        input.extend(bytes);
                    }
                }
                Step::Control(Some(Control::Resize(rows, cols))) => self.resize(rows, cols),
                // `None`: the other end is gone, which is the same as being released.
                Step::Control(end @ (Some(Control::Kill | Control::Release) | None)) => {
                    released = !matches!(end, Some(Control::Kill));
                    if self.signal(&ASK_TO_END).await > 0 {
                        // Asking again gives no more time.
                        kill_at.get_or_insert(Instant::now() + KILL_GRACE);
                    }
                }
                Step::Ended(status) => {
                    ended = true;
                    self.shared.processes.set_reaped();
                    open = open && self.drain(&mut buffer).await;
                    self.publish(status);
                }
                Step::Read(Ok(n)) if n > 0 => {
                    let answers = self.take(&buffer[..n]);
                    if input.len() < MAX_PENDING_INPUT {
                        input.extend(answers);
                    }
                }
                // No descriptor of the terminal side is open any more: EIO on Linux, 0 elsewhere.
                Step::Read(_) | Step::Written(Err(_)) => open = false,
                Step::Written(Ok(n)) => drop(input.drain(..n)),
                Step::KillTime => {
                    // Again until nothing is left, as something may be forking.
                    let left = self.signal(&[Signal::KILL]).await;
                    kill_at = (left > 0).then(|| Instant::now() + KILL_GRACE / 20);
                }
            }
            if ended && !open {
                self.change_screen(Screen::finish);
            }
        }
        self.change_screen(Screen::finish);
    }

    /// Reads what the PTY still holds of the command's own output. True if the PTY stays open.
    async fn drain(&mut self, buffer: &mut [u8]) -> bool {
        let deadline = Instant::now() + DRAIN_LIMIT;
        while Instant::now() < deadline {
            // Not through the reactor: "would block" has to mean that there is nothing, not that
            // nothing was announced yet.
            match rustix::io::read(&self.pty, &mut *buffer) {
                Ok(0) => return false,
                // Nothing is left to read an answer.
                Ok(n) => drop(self.take(&buffer[..n])),
                // Whatever else is written comes from others that hold the terminal.
                Err(Errno::AGAIN) => return true,
                Err(Errno::INTR) => {}
                Err(_) => return false,
            }
            tokio::task::yield_now().await;
        }
        true
    }

    /// Returns what the terminal answers.
    fn take(&self, bytes: &[u8]) -> Vec<u8> {
        self.shared.output().push(bytes);
        let mut answers = Vec::new();
        self.change_screen(|screen| {
            screen.feed(bytes);
            answers = screen.take_answers();
        });
        answers
    }

    fn publish(&self, status: std::io::Result<process::ExitStatus>) {
        // An error would mean that something else waited for it: then the status is unknown.
        let status = status.map(ExitStatus::from).unwrap_or_default();
        self.shared.output().end();
        self.shared.exit.send_replace(Some(status.clone()));
        (self.on_exit)(status);
    }

    fn resize(&self, rows: u16, cols: u16) {
        let mut size = None;
        self.change_screen(|screen| {
            screen.resize(rows, cols);
            size = Some(screen.size());
        });
        if let Some((rows, cols)) = size
            && let Err(error) = self.pty.resize(Size::new(rows, cols))
        {
            tracing::debug!(%error, "cannot resize a terminal");
        }
    }

    fn change_screen(&self, change: impl FnOnce(&mut Screen)) {
        if self.shared.screen.change(change) {
            (self.on_output)();
        }
    }

    /// Returns how many processes got it.
    async fn signal(&self, signals: &'static [Signal]) -> usize {
        let shared = self.shared.clone();
        tokio::task::spawn_blocking(move || {
            signal_all(slice::from_ref(&&shared.processes), signals)
        })
        .await
        .unwrap_or_default()
    }
}
