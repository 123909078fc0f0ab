//! Where a setting came from, and the warning when it is wrong.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::text::SafeText;

/// Of a warning, which may quote a whole file.
const MAX_SHOWN_CHARS: usize = 500;

/// What set a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// `config/default.toml`, shipped with the program.
    Default,
    /// A built-in agent profile.
    BuiltIn,
    /// The user's file or the project's; `line` is 1-based, `None` where all of it is meant.
    File {
        path: Arc<PathBuf>,
        line: Option<usize>,
    },
    /// An environment variable.
    Env(String),
}

/// `path.key`, quoted where TOML wants quotes.
pub(super) fn join(path: &str, key: &str) -> String {
    let bare = !key.is_empty()
        && key
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    let key = if bare {
        key.to_owned()
    } else {
        toml::Value::from(key).to_string()
    };
    if path.is_empty() {
        key
    } else {
        format!("{path}.{key}")
    }
}

impl Source {
    /// As rules are labelled: `config.toml:12`.
    pub fn short(&self) -> String {
        match self {
            Self::File { path, line } => {
                let name = path.file_name().unwrap_or(path.as_os_str());
                at_line(name.to_string_lossy(), *line)
            }
            other => other.to_string(),
        }
    }

    fn place(&self) -> (bool, Option<(&Path, Option<usize>)>) {
        match self {
            Self::File { path, line } => (false, Some((path, *line))),
            _ => (true, None),
        }
    }
}

fn at_line(file: impl fmt::Display, line: Option<usize>) -> String {
    match line {
        Some(line) => format!("{file}:{line}"),
        None => file.to_string(),
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::BuiltIn => f.write_str("built-in"),
            Self::File { path, line } => f.write_str(&at_line(path.display(), *line)),
            Self::Env(name) => f.write_str(name),
        }
    }
}

/// A setting that was left out of the configuration, and why. Shown as one line:
/// `/home/me/.config/acp-tui/config.toml:12: ui.thme: unknown key; did you mean ui.theme?`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    pub source: Source,
    /// Dotted.
    pub key: String,
    /// Raw text: it may quote the file. Goes out through [`fmt::Display`], which neutralises it.
    pub message: String,
}

impl Warning {
    pub fn new(source: Source, key: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            source,
            key: key.into(),
            message: message.into(),
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            source,
            key,
            message,
        } = self;
        let line = if key.is_empty() {
            format!("{source}: {message}")
        } else {
            format!("{source}: {key}: {message}")
        };
        let end = line.char_indices().nth(MAX_SHOWN_CHARS).map(|(at, _)| at);
        let shown = end.and_then(|end| line.get(..end));
        f.write_str(&SafeText::line(shown.unwrap_or(&line)))?;
        f.write_str(if shown.is_some() { "…" } else { "" })
    }
}

/// Files first, each by its lines.
pub(super) fn sort_by_place(warnings: &mut [Warning]) {
    warnings.sort_by(|a, b| a.source.place().cmp(&b.source.place()));
}

/// Why there is no configuration to work with. Exit code 2.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("{}", SafeText::line(&format!("{}: cannot be read: {source}", .path.display())))]
    Unreadable {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{}", SafeText::line(&format!("{}: {problem}", .path.display())))]
    Unusable { path: PathBuf, problem: String },
    #[error("{}", SafeText::new(&format!("{}:{line}:{column}: {problem}\n{excerpt}", .path.display())))]
    Syntax {
        path: PathBuf,
        line: usize,
        column: usize,
        problem: String,
        /// Of the file, with a caret.
        excerpt: String,
    },
    #[error("no home directory: set HOME")]
    NoHome,
    #[error("the layers do not fit together: {0}")]
    Layers(String),
}

impl ConfigError {
    /// What is wrong with the file, and in which line, without its name.
    pub(super) fn of_file(&self) -> (Option<usize>, String) {
        match self {
            Self::Unreadable { source, .. } => (None, format!("cannot be read: {source}")),
            Self::Unusable { problem, .. } => (None, problem.clone()),
            Self::Syntax { line, problem, .. } => (Some(*line), problem.clone()),
            other => (None, other.to_string()),
        }
    }
}
