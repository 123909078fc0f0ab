//! Plain output.

use std::{
    fmt::Display,
    fs::OpenOptions,
    io::{ErrorKind, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use super::CliError;
use crate::{config::Warning, text::sanitize};

/// Looks at stdout before the standard library does, which puts `/dev/null` in the place of one that is
/// closed: output would be lost without a word.
mod before_main {
    use std::sync::atomic::{AtomicBool, Ordering};

    static CLOSED: AtomicBool = AtomicBool::new(false);

    extern "C" fn look() {
        let stdout = rustix::io::fcntl_getfd(rustix::stdio::stdout());
        CLOSED.store(stdout == Err(rustix::io::Errno::BADF), Ordering::Relaxed);
    }

    // SAFETY: the section holds functions that are called before `main`; this one allocates nothing and
    // asks the kernel alone.
    #[used]
    #[cfg_attr(
        any(
            target_os = "linux",
            target_os = "android",
            target_os = "freebsd",
            target_os = "netbsd"
        ),
        unsafe(link_section = ".init_array")
    )]
    #[cfg_attr(target_os = "macos", unsafe(link_section = "__DATA,__mod_init_func"))]
    static LOOK: extern "C" fn() = look;

    pub fn stdout_was_closed() -> bool {
        CLOSED.load(Ordering::Relaxed)
    }
}

/// # Errors
/// Stdout was closed when the program was started: what is to be printed would be lost.
pub fn check_stdout() -> Result<(), CliError> {
    if before_main::stdout_was_closed() {
        return Err(CliError::Io {
            what: "stdout is closed, and what is to be printed would be lost".into(),
            source: rustix::io::Errno::BADF.into(),
        });
    }
    Ok(())
}

/// Writes to stdout; a reader that has gone (`| head`) is no error.
///
/// # Errors
/// Stdout cannot be written.
pub fn print(text: &str) -> Result<(), CliError> {
    check_stdout()?;
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(source) if source.kind() != ErrorKind::BrokenPipe => Err(CliError::Io {
            what: "stdout".into(),
            source,
        }),
        _ => Ok(()),
    }
}

/// Writes a file that was asked for, for the person alone: it may hold what they said. What is there
/// already is somebody's, and stays unless `force`.
///
/// # Errors
/// It is there, or cannot be written.
pub fn write_file(path: &Path, text: &str, force: bool) -> Result<(), CliError> {
    let mut options = OpenOptions::new();
    options.write(true).mode(0o600);
    if force {
        options.create(true).truncate(true);
    } else {
        options.create_new(true);
    }
    let written = options
        .open(path)
        .and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|source| match source.kind() {
        ErrorKind::AlreadyExists => CliError::Usage(format!(
            "{} is there already; --force replaces it",
            path.display()
        )),
        _ => CliError::Io {
            what: path.display().to_string(),
            source,
        },
    })
}

/// Says something on stderr, made harmless: it may quote a file or an agent. Not `eprintln!`, which
/// panics where nobody can be told any more: the terminal has hung up, the pipe is closed.
pub fn complain(text: impl Display) {
    let text = text.to_string();
    let _ = writeln!(std::io::stderr(), "acp-tui: {}", sanitize(&text));
}

/// To stderr, one line each.
pub fn print_warnings(warnings: &[Warning]) {
    for warning in warnings {
        complain(warning);
    }
}

/// Pads columns to the widest of each, but the last.
pub fn columns(rows: &[Vec<String>]) -> String {
    use crate::text::cell_width;
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell_width(cell)).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..rows.iter().map(Vec::len).max().unwrap_or(0))
        .map(width)
        .collect();
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            let padding = width.saturating_sub(cell_width(cell));
            line.push_str(cell);
            line.push_str(&" ".repeat(padding + 2));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}
