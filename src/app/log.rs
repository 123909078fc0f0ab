//! The application's log: a file, written off the UI task. `RUST_LOG` sets what goes into it.

use std::{
    borrow::Cow,
    fs,
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError, RwLock},
};

use anyhow::Context;
use tracing_appender::non_blocking::{NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::{
    EnvFilter, fmt::time::uptime, layer::SubscriberExt, util::SubscriberInitExt,
};

use crate::{
    acp::Secrets,
    config::Dirs,
    files,
    text::{SafeText, first_bytes, sanitize, secrets::mask},
};

/// The default file is rotated once it is larger than this.
const MAX_BYTES: u64 = 4 << 20;

/// Lines that may wait for the disk; more are dropped. Their slots are allocated at the start: the
/// library's own number takes 4 MB.
const WAITING_LINES: usize = 4_096;

/// Bytes of one line: with [`WAITING_LINES`] this bounds what waits.
const MAX_LINE: usize = 16 << 10;

/// Starts logging to `file`, or to a file in the state directory. What is still buffered is written
/// when the guard goes.
///
/// # Errors
/// `file` cannot be written. Without the default file there is no log.
pub fn start(file: Option<&Path>, state: &Path) -> anyhow::Result<Option<WorkerGuard>> {
    let (path, asked) = match file {
        Some(path) => (path.to_owned(), true),
        None => (default_file(state), false),
    };
    let mut options = fs::OpenOptions::new();
    options.create(true).append(true).mode(0o600);
    let opened = files::writable(&path, &mut options).and_then(|file| {
        if !asked {
            files::only_regular(&file)?;
        }
        Ok(file)
    });
    let file = match opened {
        Ok(file) => file,
        Err(error) if asked => {
            return Err(error).with_context(|| format!("cannot write the log {}", path.display()));
        }
        Err(_) => return Ok(None),
    };
    let file = Telling {
        file,
        // Only a log that was asked for is missed.
        path: asked.then_some(path),
    };
    let (writer, guard) = NonBlockingBuilder::default()
        .buffered_lines_limit(WAITING_LINES)
        .finish(file);
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let layer = tracing_subscriber::fmt::layer()
        .with_writer(move || Harmless(writer.clone()))
        .with_ansi(false)
        .with_timer(uptime());
    // Fails only if somebody has set one before: then that one is used.
    let _ = tracing_subscriber::registry()
        .with(filter)
        .with(layer)
        .try_init();
    tracing::info!(version = env!("CARGO_PKG_VERSION"), "start");
    Ok(Some(guard))
}

/// Has it told, once, that a log that was asked for cannot be written any more.
pub fn tell_lost(tell: impl Fn(SafeText) + Send + 'static) {
    lost(|loss| loss.tell = Some(Box::new(tell)));
}

/// That lines were lost, and who is told.
struct Loss {
    text: Option<SafeText>,
    told: bool,
    tell: Option<Box<dyn Fn(SafeText) + Send>>,
}

static LOSS: Mutex<Loss> = Mutex::new(Loss {
    text: None,
    told: false,
    tell: None,
});

/// What changes brings both together: lines are lost before anybody listens, or after.
fn lost(change: impl FnOnce(&mut Loss)) {
    let mut loss = LOSS.lock().unwrap_or_else(PoisonError::into_inner);
    change(&mut loss);
    if let (Some(text), Some(tell), false) = (&loss.text, &loss.tell, loss.told) {
        tell(text.clone());
        loss.told = true;
    }
}

/// The file, on the library's thread, which hears errors and says nothing.
struct Telling {
    file: fs::File,
    path: Option<PathBuf>,
}

impl Telling {
    fn check<T>(&self, written: io::Result<T>) -> io::Result<T> {
        if let (Err(error), Some(path)) = (&written, &self.path) {
            let text = format!("the log {} cannot be written: {error}", path.display());
            lost(|loss| loss.text = Some(SafeText::line(&text)));
        }
        written
    }
}

impl Write for Telling {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes);
        self.check(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Values that no line may hold, of all agents that were started.
static KNOWN: RwLock<Option<Secrets>> = RwLock::new(None);

/// From now on these values are in no line of the log, as they are in none of the wire log.
pub fn conceal(secrets: &Secrets) {
    let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
    known.get_or_insert_default().add(secrets);
}

/// Lines as they may be kept and shown: without secrets, and with nothing that acts on a terminal.
struct Harmless(NonBlocking);

impl Write for Harmless {
    /// Of one event: the library writes each at once.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut masked = line.to_vec();
        if let Some(known) = &*KNOWN.read().unwrap_or_else(PoisonError::into_inner) {
            known.mask(&mut masked);
        }
        let text = String::from_utf8_lossy(&masked);
        self.0
            .write_all(bounded(&sanitize(&mask(&text))).as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// The beginning of a line that is too long, and what is missing of it.
fn bounded(line: &str) -> Cow<'_, str> {
    if line.len() <= MAX_LINE {
        return line.into();
    }
    let first = first_bytes(line, MAX_LINE);
    format!("{first}… {} more bytes\n", line.len() - first.len()).into()
}

fn default_file(state: &Path) -> PathBuf {
    // An error shows when the file is opened.
    let _ = Dirs::ensure(state);
    let path = state.join("log");
    if fs::metadata(&path).is_ok_and(|meta| meta.len() > MAX_BYTES) {
        let _ = fs::rename(&path, state.join("log.old"));
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_bounded_and_its_cut_told() {
        for (length, cut) in [
            (MAX_LINE - 1, false),
            (MAX_LINE, false),
            (MAX_LINE + 1, true),
        ] {
            let line = "x".repeat(length - 1) + "\n";
            let written = bounded(&line);
            assert_eq!(written != line, cut, "{length}");
            assert!(written.len() < MAX_LINE + 40 && written.ends_with('\n'));
        }
        let wide = bounded(&"é".repeat(MAX_LINE)).into_owned();
        assert!(wide.ends_with(&format!("… {MAX_LINE} more bytes\n")));
    }
}
