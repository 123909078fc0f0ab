//! Whether there is a terminal that a UI can be drawn on.

use std::{ffi::OsStr, io::IsTerminal};

use super::CliError;

/// # Errors
/// There is none; no escape code has been written.
pub fn terminal_check() -> Result<(), CliError> {
    let term = std::env::var_os("TERM");
    check(
        std::io::stdin().is_terminal(),
        std::io::stdout().is_terminal(),
        term.as_deref(),
    )
}

fn check(stdin: bool, stdout: bool, term: Option<&OsStr>) -> Result<(), CliError> {
    let problem = match (stdin, stdout, term.and_then(OsStr::to_str)) {
        (false, _, _) => "stdin is not a terminal; start acp-tui in one, without a pipe",
        (_, false, _) => "stdout is not a terminal; start acp-tui in one, without a redirection",
        (_, _, None | Some("")) => {
            "TERM is not set; set it to what your terminal is, such as xterm-256color"
        }
        (_, _, Some("dumb")) => {
            "this terminal is dumb (TERM=dumb); acp-tui needs one that can draw"
        }
        _ => return Ok(()),
    };
    Err(CliError::Usage(problem.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_terminal_that_can_draw_will_do() {
        let check =
            |stdin, stdout, term: Option<&str>| check(stdin, stdout, term.map(OsStr::new)).is_ok();
        assert!(check(true, true, Some("xterm-256color")));
        assert!(!check(false, true, Some("xterm")));
        assert!(!check(true, false, Some("xterm")));
        assert!(!check(true, true, Some("dumb")));
        assert!(!check(true, true, Some("")));
        assert!(!check(true, true, None));
    }
}
