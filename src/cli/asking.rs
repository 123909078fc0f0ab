//! A question at the terminal, before something that cannot be taken for granted.

use std::io::{BufRead, IsTerminal, Write};

use super::CliError;

/// Whether the person says yes. `unasked`: what is said where there is no terminal to ask at.
///
/// # Errors
/// There is none, or it cannot be read or written.
pub fn asked(question: &str, unasked: impl FnOnce() -> String) -> Result<bool, CliError> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        return Err(CliError::Usage(unasked()));
    }
    let io = |source| CliError::io("the question")(source);
    let mut stdout = std::io::stdout().lock();
    stdout.flush().map_err(io)?;
    // What was typed before it could be read is no answer. Where it cannot be thrown away, it
    // is read as one, and has to be a whole line that says so.
    let _ = rustix::termios::tcflush(&stdin, rustix::termios::QueueSelector::IFlush);
    stdout
        .write_all(question.as_bytes())
        .and_then(|()| stdout.flush())
        .map_err(io)?;
    let mut answer = String::new();
    stdin.lock().read_line(&mut answer).map_err(io)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
