//! Plain output.

use std::{
    fmt::Display,
    fs::OpenOptions,
    io::{ErrorKind, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use super::CliError;
use crate::{
    config::Warning,
    text::{cell_width, sanitize},
};

/// Looks at stdout before the standard library does, which puts `/dev/null` in the place of one that is
/// closed: output would be lost without an error.
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
            what: "stdout is closed: the output would be lost".into(),
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
            "{} already exists; --force replaces it",
            path.display()
        )),
        _ => CliError::io(path.display())(source),
    })
}

/// Says something on stderr, made harmless: it may quote a file or an agent. Not `eprintln!`, which
/// panics where stderr is gone: the terminal has hung up, the pipe is closed.
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

/// The columns of the terminal that stdout is, if it is one.
fn stdout_width() -> Option<usize> {
    let out = rustix::stdio::stdout();
    let size = rustix::termios::tcgetwinsize(out).ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
}

/// Rows for people on a terminal, for programs elsewhere: there a row is a line, however long.
pub fn columns(rows: &[Vec<String>]) -> String {
    columns_within(rows, stdout_width())
}

/// Pads columns to the widest of each, but the last; that goes on below itself where it does not fit, or
/// below the row where there is hardly room beside the others.
fn columns_within(rows: &[Vec<String>], width: Option<usize>) -> String {
    /// Narrower, a column would be all line ends.
    const NARROWEST: usize = 20;
    const GAP: usize = 2;
    const BELOW: usize = 4;
    let column = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell_width(cell)).max().unwrap_or(0)
    };
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count).map(column).collect();
    let before = widths.iter().take(count.saturating_sub(1));
    let indent = before.map(|width| width + GAP).sum::<usize>();
    let room = |indent: usize| {
        let room = width.and_then(|width| width.checked_sub(indent));
        room.filter(|room| *room >= NARROWEST)
    };
    // Where the last column begins, and what it has.
    let beside = room(indent).map(|room| (indent, room));
    let last = beside.or(room(BELOW).map(|room| (BELOW, room)));
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for (at, (cell, width)) in row.iter().zip(&widths).enumerate() {
            match last {
                Some((indent, room)) if at + 1 == count => {
                    let lines = broken(cell, room);
                    let next = format!("\n{}", " ".repeat(indent));
                    if beside.is_none() {
                        line.truncate(line.trim_end().len());
                        line.push_str(if cell.is_empty() { "" } else { &next });
                    }
                    line.push_str(&lines.join(&next));
                }
                _ => {
                    let padding = width.saturating_sub(cell_width(cell));
                    line.push_str(cell);
                    line.push_str(&" ".repeat(padding + GAP));
                }
            }
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// At blanks; a word that is too long stays whole, as it may have to be copied.
fn broken(text: &str, room: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let Some(line) = lines.last_mut() else { break };
        if line.is_empty() {
            line.push_str(word);
        } else if cell_width(line) + 1 + cell_width(word) <= room {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<Vec<String>> {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        vec![
            row(["ok", "goose", "/usr/bin/goose acp"]),
            row([
                "no",
                "名前",
                "x was not found on PATH; install: npm install -g @org/a-long-name-of-a-package",
            ]),
        ]
    }

    #[test]
    fn on_a_terminal_the_last_column_goes_on_below_itself() {
        assert_eq!(
            columns_within(&rows(), Some(40)),
            "ok  goose  /usr/bin/goose acp\n\
             no  名前   x was not found on PATH;\n\
             \u{20}          install: npm install -g\n\
             \u{20}          @org/a-long-name-of-a-package\n"
        );
    }

    #[test]
    fn on_a_narrow_terminal_the_last_column_stands_below() {
        assert_eq!(
            columns_within(&rows(), Some(30)),
            "ok  goose\n\
             \u{20}   /usr/bin/goose acp\n\
             no  名前\n\
             \u{20}   x was not found on PATH;\n\
             \u{20}   install: npm install -g\n\
             \u{20}   @org/a-long-name-of-a-package\n"
        );
    }

    #[test]
    fn elsewhere_a_row_is_a_line() {
        for width in [None, Some(12), Some(1_000)] {
            let told = columns_within(&rows(), width);
            assert_eq!(told.lines().count(), 2, "{width:?}: {told}");
            assert!(
                told.ends_with("-g @org/a-long-name-of-a-package\n"),
                "{told}"
            );
        }
    }

    proptest::proptest! {
        #[test]
        fn no_line_is_too_long_and_no_word_is_lost(
            words in proptest::collection::vec("[a-z]{1,12}", 0..30),
            width in 0..140_usize,
        ) {
            let text = words.join(" ");
            let rows = [vec!["ok".to_owned(), "name".to_owned(), text]];
            let told = columns_within(&rows, Some(width));
            let said: Vec<&str> = told.split_whitespace().skip(2).collect();
            proptest::prop_assert_eq!(said, words);
            if width >= 24 {
                proptest::prop_assert!(told.lines().all(|line| line.len() <= width), "{}", told);
            }
        }
    }
}
