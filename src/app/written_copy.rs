//! Writes what the person copies to a file of their own.

use std::{
    fs::OpenOptions,
    io::{ErrorKind, Write},
    os::unix::fs::OpenOptionsExt,
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
                match stands_at(&target) {
                    Some(real) => Job::FileExists(real.unwrap_or(path), text),
                    None => Job::Said(SafeText::line(&format!(
                        "{} is a link that leads nowhere: write to another name",
                        path.display()
                    ))),
                }
            }
            Err(error) => Job::Said(SafeText::line(&format!("{}: {error}", path.display()))),
        });
    }
}

/// What would be replaced, if that is another file than the one that was named: a link may have been put
/// there by an agent, and lead to a file that runs. `None`: there is nothing that could be.
fn stands_at(target: &Path) -> Option<Option<PathBuf>> {
    let real = target.canonicalize().ok()?;
    let folder = target
        .parent()
        .and_then(|folder| folder.canonicalize().ok());
    let named = folder
        .zip(target.file_name())
        .map(|(folder, name)| folder.join(name));
    Some(Some(real).filter(|real| named.as_ref() != Some(real)))
}

fn write(path: &Path, text: &str, replaces: bool) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true);
    let mut file = match replaces {
        true => {
            // No fifo, and no device: writing there may wait for ever. No link: it was not asked about.
            if !path.symlink_metadata()?.is_file() {
                return Err(std::io::Error::other("this is no regular file"));
            }
            let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
            options.truncate(true).custom_flags(flags).open(path)?
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

    #[test]
    fn a_link_is_asked_about_by_what_it_leads_to_and_not_written_through() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().expect("a folder");
        let at = |name: &str| dir.path().canonicalize().expect("there").join(name);
        std::fs::write(at("profile"), "mine\n").expect("written");
        symlink("profile", at("answer.md")).expect("made");
        symlink("nowhere", at("new.md")).expect("made");
        symlink(dir.path(), at("same")).expect("made");
        for name in ["answer.md", "new.md"] {
            let error = write(&at(name), "agent's", false).expect_err("it is there");
            assert_eq!(error.kind(), ErrorKind::AlreadyExists, "{name}");
            assert!(write(&at(name), "agent's", true).is_err(), "{name}");
        }
        assert_eq!(
            std::fs::read_to_string(at("profile")).expect("text"),
            "mine\n"
        );
        assert_eq!(stands_at(&at("answer.md")), Some(Some(at("profile"))));
        assert_eq!(stands_at(&at("new.md")), None);
        assert_eq!(stands_at(&at("profile")), Some(None));
        assert_eq!(stands_at(&at("same/profile")), Some(None));
    }
}
