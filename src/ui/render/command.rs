//! Command lines as shown: without a shell that only runs them.
//!
//! For the transcript. What a person is asked to approve is shown exactly as it will run.

use std::borrow::Cow;

use crate::text::SafeText;

/// Bytes of a line that are looked into.
const MAX_BYTES: usize = 16 << 10;

/// The script of `sh -c SCRIPT`, else the line.
pub fn shown_command(line: &str) -> Cow<'_, str> {
    script(line).map_or(Cow::Borrowed(line), Cow::Owned)
}

/// Whether two lines run the same, one of them perhaps by way of a shell.
pub fn same_command(a: &str, b: &str) -> bool {
    let (a, b) = (shown_command(a), shown_command(b));
    let words = |line: &str| -> Vec<String> {
        let gap = |c: char| c.is_whitespace() || matches!(c, '⏎' | '␉');
        let words = line.split(gap).filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    };
    words(&a) == words(&b)
}

/// A command, already safe text, on one line.
pub fn one_line(command: &str) -> SafeText {
    SafeText::line(&command.replace('\n', "⏎"))
}

fn script(line: &str) -> Option<String> {
    let line = line.trim();
    let (shell, _) = line.split_once(' ')?;
    let name = shell.rsplit('/').next().unwrap_or(shell);
    if line.len() > MAX_BYTES || !matches!(name, "sh" | "bash" | "zsh" | "dash") {
        return None;
    }
    let mut words = shlex::split(line)?.into_iter().skip(1);
    let (flag, script) = (words.next()?, words.next()?);
    let runs = matches!(flag.as_str(), "-c" | "-lc" | "-cl");
    // More words are parameters of the script, which belong to it.
    (runs && words.next().is_none() && !script.trim().is_empty()).then_some(script)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_that_runs_one_script_is_left_out() {
        for (line, shown) in [
            ("sh -c 'cargo test && ls'", "cargo test && ls"),
            ("/bin/bash -lc \"ls -l\"", "ls -l"),
            ("bash -lc 'echo '\"'\"'a b'\"'\"", "echo 'a b'"),
            ("zsh -c ls", "ls"),
        ] {
            assert_eq!(shown_command(line), shown, "{line}");
        }
    }

    #[test]
    fn what_is_more_than_that_stays() {
        for line in [
            "sh script.sh",
            "bash -c 'ls $1' sh /etc",
            "sh -c 'ls' && rm x",
            "sh -c 'unclosed",
            "sh -x -c ls",
            "cargo test -c x",
            "sh",
            "",
        ] {
            assert_eq!(shown_command(line), line);
        }
    }

    #[test]
    fn the_same_command_is_known_behind_a_shell() {
        assert!(same_command("sh -c 'a;  b'", "a; b"));
        assert!(!same_command("sh -c 'a; b'", "a"));
    }
}
