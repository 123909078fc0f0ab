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
    /// Byte offsets. Each key is located, and a stranger's file may hold very many.
    newlines: Vec<usize>,
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
        Self::read_up_to(path, links, MAX_FILE_BYTES)
    }

    /// The same for a file of at most that many bytes.
    pub fn read_up_to(
        path: &Path,
        links: Links,
        max_bytes: u64,
    ) -> Result<Option<Self>, ConfigError> {
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
        file.take(max_bytes + 1)
            .read_to_end(&mut bytes)
            .map_err(unreadable)?;
        if bytes.len() as u64 > max_bytes {
            return Err(unusable(format!("is larger than {max_bytes} bytes")));
        }
        let text = String::from_utf8(bytes).map_err(|e| {
            let valid = e.utf8_error().valid_up_to();
            let before = e.as_bytes().get(..valid).unwrap_or_default();
            let line = 1 + before.iter().filter(|b| **b == b'\n').count();
            unusable(format!("line {line} is not UTF-8; save the file as UTF-8"))
        })?;
        let newlines = text.match_indices('\n').map(|(at, _)| at).collect();
        Ok(Some(Self {
            path: Arc::new(path.to_owned()),
            text,
            newlines,
        }))
    }

    /// 1-based.
    fn line(&self, offset: usize) -> usize {
        1 + self.newlines.partition_point(|newline| *newline < offset)
    }

    pub fn source(&self, span: &Range<usize>) -> Source {
        Source::File {
            path: self.path.clone(),
            line: Some(self.line(span.start)),
        }
    }

    pub fn syntax_error(&self, error: &toml::de::Error) -> ConfigError {
        let span = error.span().unwrap_or(0..0);
        let line = self.line(span.start);
        let content = self.text.lines().nth(line - 1).unwrap_or_default();
        let before = self.text.get(..span.start).unwrap_or(&self.text);
        let column = 1 + before.rsplit('\n').next().map_or(0, |b| b.chars().count());
        // A window of the line around the place, so that one long line stays readable.
        let skipped = (column - 1).saturating_sub(EXCERPT_CHARS / 2);
        let shown: String = content.chars().skip(skipped).take(EXCERPT_CHARS).collect();
        let marked = self
            .text
            .get(span)
            .map_or(1, |t| t.lines().next().unwrap_or_default().chars().count())
            .clamp(1, EXCERPT_CHARS);
        let gutter = " ".repeat(line.to_string().len());
        ConfigError::Syntax {
            path: self.path.to_path_buf(),
            line,
            column,
            problem: error.message().to_owned(),
            excerpt: format!(
                "{gutter} |\n{line} | {shown}\n{gutter} | {}{}",
                " ".repeat(column - 1 - skipped),
                "^".repeat(marked),
            ),
        }
    }
}
