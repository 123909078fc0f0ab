//! A command to run.

use std::fmt::Write as _;

use crate::{
    model::{EnvEffect, sorted_env},
    text::{SafeText, command_line, exact, exact_line},
};

/// A command as far as it is known. Raw text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandRun {
    /// The whole line, as a shell would read it.
    pub line: String,
    /// Another possible reading: arguments passed to a shell unquoted.
    pub other: Option<String>,
    /// Program and arguments, if no shell is used.
    pub words: Option<Vec<String>>,
    pub cwd: Option<String>,
    /// Variables set for it alone, in the order given.
    pub env: Vec<(String, String)>,
}

impl CommandRun {
    pub fn of_line(line: String) -> Self {
        Self {
            line,
            ..Self::default()
        }
    }

    pub fn of_words(words: Vec<String>) -> Self {
        Self {
            line: command_line(words.iter().map(String::as_str)),
            words: Some(words),
            ..Self::default()
        }
    }
}

/// A command with the variables that may change what it does, for reports.
pub fn shown_command(line: &str, env: &[(String, String)]) -> SafeText {
    SafeText::new(&(env_prefix(env) + &exact(line)))
}

/// The same on one line.
pub fn shown_command_line(line: &str, env: &[(String, String)]) -> SafeText {
    SafeText::new(&(env_prefix(env) + &exact_line(line)))
}

fn env_prefix(env: &[(String, String)]) -> String {
    let mut out = String::new();
    for variable in sorted_env(env).filter(|variable| variable.effect != EnvEffect::Harmless) {
        let _ = write!(
            out,
            "{}={} ",
            variable.shown_name(),
            variable.value_in_line()
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::env::VALUE_BYTES;

    fn env(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        pairs.iter().map(owned).collect()
    }

    #[test]
    fn a_command_is_named_with_what_steers_it_first() {
        let run = CommandRun {
            env: env(&[
                ("CI", "1"),
                ("API_KEY", "sk-1"),
                ("PORT", "8 0"),
                ("PATH", "./bin\n"),
            ]),
            ..CommandRun::of_line("cargo test\nrm x".into())
        };
        assert_eq!(
            shown_command(&run.line, &run.env).as_str(),
            "PATH='./bin⏎' API_KEY=••• PORT='8 0' cargo test\nrm x"
        );
        assert_eq!(
            shown_command_line(&run.line, &run.env).as_str(),
            "PATH='./bin⏎' API_KEY=••• PORT='8 0' cargo test⏎rm x"
        );
        let words = ["sh", "-c", "a; b"].map(str::to_owned).to_vec();
        assert_eq!(CommandRun::of_words(words).line, "sh -c 'a; b'");
    }

    #[test]
    fn long_values_do_not_hide_the_command_behind_them() {
        let value = "x".repeat(VALUE_BYTES + 1);
        let shown = shown_command_line("ls", &env(&[("PORT", &value)]));
        assert!(shown.ends_with("x(+1 bytes) ls"), "{shown}");
    }
}
