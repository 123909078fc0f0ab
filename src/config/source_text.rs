//! A file of the configuration: read with bounds, and positions in it.

use std::{
    fs::OpenOptions,
    io::{ErrorKind, Read},
    ops::Range,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{ConfigError, Source};

/// No file of settings is larger; a project's file may be anything at all.
pub(super) const MAX_FILE_BYTES: u64 = 1 << 20;

/// Widest excerpt of a line in an error, in characters.
const EXCERPT_CHARS: usize = 100;

#[derive(Debug)]
pub(super) struct SourceText {
    pub path: Arc<PathBuf>,
    pub text: String,
}

/// Whether a symbolic link is followed: the user's own may be one (dotfiles), a project's not.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Links {
    Follow,
    Refuse,
}

impl SourceText {
    /// `Ok(None)`: there is no such file.
    pub fn read(path: &Path, links: Links) -> Result<Option<Self>, ConfigError> {
        let unreadable = |source| ConfigError::Unreadable {
            path: path.to_owned(),
            source,
        };
        let unusable = |problem: String| ConfigError::Unusable {
            path: path.to_owned(),
            problem,
        };
        // Non-blocking: opening a FIFO would wait for a writer for ever.
        let mut flags = rustix::fs::OFlags::NONBLOCK;
        if links == Links::Refuse {
            flags |= rustix::fs::OFlags::NOFOLLOW;
        }
        let file = OpenOptions::new()
            .read(true)
            .custom_flags(flags.bits().cast_signed())
            .open(path);
        let file = match file {
            Ok(file) => file,
            Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            Err(_) if links == Links::Refuse && path.is_symlink() => {
                return Err(unusable("is a symbolic link; put a copy there".into()));
            }
            Err(e) => return Err(unreadable(e)),
        };
        if !file.metadata().map_err(unreadable)?.is_file() {
            return Err(unusable("is not a regular file".into()));
        }
        let mut bytes = Vec::new();
        file.take(MAX_FILE_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(unreadable)?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Err(unusable(format!("is larger than {MAX_FILE_BYTES} bytes")));
        }
        let text = String::from_utf8(bytes).map_err(|e| {
            let valid = e.utf8_error().valid_up_to();
            let line = 1 + e.as_bytes()[..valid]
                .iter()
                .filter(|b| **b == b'\n')
                .count();
            unusable(format!("line {line} is not UTF-8; save the file as UTF-8"))
        })?;
        Ok(Some(Self {
            path: Arc::new(path.to_owned()),
            text,
        }))
    }

    /// 1-based line and column (in characters) of a byte offset.
    fn position(&self, offset: usize) -> (usize, usize) {
        let before = self.text.get(..offset).unwrap_or(&self.text);
        let start = before.rfind('\n').map_or(0, |i| i + 1);
        let line = 1 + before.bytes().filter(|b| *b == b'\n').count();
        (line, 1 + before[start..].chars().count())
    }

    pub fn source(&self, span: &Range<usize>) -> Source {
        Source::File {
            path: self.path.clone(),
            line: self.position(span.start).0,
        }
    }

    pub fn syntax_error(&self, error: &toml::de::Error) -> ConfigError {
        let span = error.span().unwrap_or(0..0);
        let (line, column) = self.position(span.start);
        let content = self.text.lines().nth(line - 1).unwrap_or_default();
        // A window of the line around the place, so that one long line stays readable.
        let skipped = (column - 1).saturating_sub(EXCERPT_CHARS / 2);
        let shown: String = content.chars().skip(skipped).take(EXCERPT_CHARS).collect();
        let marked = self
            .text
            .get(span)
            .map_or(1, |t| t.lines().next().unwrap_or_default().chars().count())
            .clamp(1, EXCERPT_CHARS);
        let gutter = " ".repeat(line.to_string().len());
        ConfigError::Syntax(format!(
            "{}:{line}:{column}: {}\n{gutter} |\n{line} | {shown}\n{gutter} | {}{}",
            self.path.display(),
            error.message(),
            " ".repeat(column - 1 - skipped),
            "^".repeat(marked),
        ))
    }
}
