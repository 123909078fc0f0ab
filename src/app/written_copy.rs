//! Writes what the person copies to a file of their own.

use std::{
    fs::OpenOptions,
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
};

use crate::{
    app::{job::Job, state::App},
    text::SafeText,
};

impl App {
    /// To a path from the project's directory on; a file that is there is replaced only where the person
    /// has said so.
    pub(super) fn write_copy(&self, path: PathBuf, text: String, replaces: bool) {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let target = match (path.strip_prefix("~"), home) {
            (Ok(rest), Some(home)) => home.join(rest),
            _ => self.runtime.launch.cwd.join(&path),
        };
        self.in_background(move || match write(&target, &text, replaces) {
            Ok(()) => {
                let lines = text.lines().count();
                let unit = if lines == 1 { "line" } else { "lines" };
                Job::Said(SafeText::line(&format!(
                    "{lines} {unit} in {}",
                    path.display()
                )))
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists && !replaces => {
                Job::FileExists(path, text)
            }
            Err(error) => Job::Said(SafeText::line(&format!("{}: {error}", path.display()))),
        });
    }
}

fn write(path: &Path, text: &str, replaces: bool) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true);
    let mut file = match replaces {
        true => {
            // No fifo, and no device: writing there may wait for ever.
            if !path.metadata()?.is_file() {
                return Err(std::io::Error::other("this is no regular file"));
            }
            options.truncate(true).open(path)?
        }
        false => options.create_new(true).open(path)?,
    };
    file.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        file.write_all(b"\n")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_there_is_replaced_only_where_that_was_said() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("a.txt");
        write(&path, "one", false).expect("a new file");
        let error = write(&path, "two", false).expect_err("it is there");
        assert_eq!(error.kind(), ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read_to_string(&path).expect("text"), "one\n");
        write(&path, "two\n", true).expect("replaced");
        assert_eq!(std::fs::read_to_string(&path).expect("text"), "two\n");
        assert!(write(dir.path(), "three", true).is_err(), "a folder");
    }
}
