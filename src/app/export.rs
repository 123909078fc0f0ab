//! Writes the session that is shown to a file: what `acp-tui sessions export` gives of a stored one.

use std::{
    io,
    path::{Path, PathBuf},
    time::Instant,
};

use crate::{
    app::{commands::export_json, job::Job, setup::with_tilde, state::App},
    cli::{self, CliError},
    store::{
        files::{Screens, wall_clock},
        format::{Saver, StoredSession, markdown},
    },
    text::SafeText,
};

/// Characters of a session's name that its file is called by.
const NAME_CHARS: usize = 40;

/// Names that are tried where one is taken.
const TRIED: usize = 100;

impl App {
    /// `path` as it was typed; without one the session's name names it. Nothing is overwritten.
    pub(super) fn export(&mut self, path: Option<String>) {
        let sessions = &self.runtime.sessions;
        let (Some(key), Some(session)) = (sessions.shown_key(), sessions.shown()) else {
            return self.ui.toast("no session to write".into());
        };
        let Some(running) = self.runtime.running.get(&key) else {
            return;
        };
        let mut saver = Saver::new(running.profile.id.clone(), wall_clock());
        let mut batch = saver.take(session, Instant::now(), wall_clock(), true);
        let screens = Screens::of(&batch, &running.screens);
        // The person's own file: a worktree may go.
        let cwd = match &session.config.worktree {
            Some(worktree) => worktree.project.clone(),
            None => session.config.cwd.clone(),
        };
        self.in_background(move || {
            screens.tell(&mut batch);
            let Some(record) = StoredSession::of_lines(batch.lines) else {
                return Job::Said("nothing was said yet: there is nothing to write".into());
            };
            let home = std::env::var_os("HOME").map(PathBuf::from);
            let path = path.map(|path| place(&path, &cwd, home.as_deref()));
            let written = match path {
                Some(path) if path.is_dir() => write_anew(&path, &record),
                Some(path) => write(&path, &record).map(|()| path),
                None => write_anew(&cwd, &record),
            };
            Job::Said(SafeText::line(&match written {
                Ok(path) => format!("written to {}", with_tilde(&path)),
                Err(error) => error.to_string(),
            }))
        });
    }
}

/// Where a path that was typed leads.
fn place(typed: &str, cwd: &Path, home: Option<&Path>) -> PathBuf {
    let typed = typed.trim().trim_matches(['"', '\'']);
    match (typed.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => cwd.join(typed),
    }
}

fn text_for(path: &Path, record: &StoredSession) -> String {
    let json = path
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
    if json {
        let id = record.about.session.clone().unwrap_or_default();
        export_json(&id, record)
    } else {
        markdown(record)
    }
}

/// Writes it under that name, which must be free.
fn write(path: &Path, record: &StoredSession) -> Result<(), Unwritten> {
    cli::write_file(path, &text_for(path, record), false).map_err(|error| match error {
        CliError::Usage(_) => Unwritten::Taken(path.to_owned()),
        CliError::Io { source, .. } => Unwritten::Io(path.to_owned(), source),
        other => Unwritten::Io(path.to_owned(), io::Error::other(other.to_string())),
    })
}

/// Writes it into that folder under the first free name.
fn write_anew(folder: &Path, record: &StoredSession) -> Result<PathBuf, Unwritten> {
    let stem = stem(record.name().unwrap_or_default());
    let mut number = 1;
    loop {
        let name = match number {
            1 => format!("{stem}.md"),
            n => format!("{stem}-{n}.md"),
        };
        let path = folder.join(name);
        match write(&path, record) {
            Err(Unwritten::Taken(_)) if number < TRIED => number += 1,
            written => return written.map(|()| path),
        }
    }
}

/// A name for a file made of a session's.
fn stem(name: &str) -> String {
    let mut stem = String::new();
    for c in name.lines().next().unwrap_or_default().chars() {
        if stem.chars().count() >= NAME_CHARS {
            break;
        }
        if c.is_alphanumeric() {
            stem.extend(c.to_lowercase());
        } else if !stem.is_empty() && !stem.ends_with('-') {
            stem.push('-');
        }
    }
    match stem.trim_end_matches('-') {
        "" => "session".into(),
        stem => stem.to_owned(),
    }
}

#[derive(Debug)]
enum Unwritten {
    Taken(PathBuf),
    Io(PathBuf, io::Error),
}

impl std::fmt::Display for Unwritten {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Taken(path) => {
                let path = with_tilde(path);
                write!(f, "{path} exists and stays as it is: choose another name")
            }
            Self::Io(path, error) => write!(f, "cannot write {}: {error}", with_tilde(path)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_names_its_file() {
        for (name, is) in [
            ("Fix the parser", "fix-the-parser"),
            ("  ../etc/passwd?", "etc-passwd"),
            ("日本 語\nsecond", "日本-語"),
            ("...", "session"),
            ("", "session"),
        ] {
            assert_eq!(stem(name), is, "{name:?}");
        }
        for (chars, kept) in [(39, 39), (40, 40), (41, 40)] {
            assert_eq!(stem(&"x".repeat(chars)).len(), kept);
        }
    }

    #[test]
    fn a_typed_path_counts_from_the_project_or_home() {
        let (cwd, home) = (Path::new("/p"), Some(Path::new("/home/me")));
        for (typed, is) in [
            ("a.md", "/p/a.md"),
            ("/x/a.md", "/x/a.md"),
            ("~/a.md", "/home/me/a.md"),
            ("\"my file.md\"", "/p/my file.md"),
        ] {
            assert_eq!(place(typed, cwd, home), Path::new(is), "{typed}");
        }
    }

    #[test]
    fn what_is_there_is_not_overwritten() {
        let folder = tempfile::tempdir().expect("a folder");
        let record = StoredSession::default();
        let first = write_anew(folder.path(), &record).expect("written");
        let second = write_anew(folder.path(), &record).expect("written");
        assert_ne!(first, second);
        let before = std::fs::read(&first).expect("read");
        let refused = write(&first, &record).expect_err("it is there");
        assert!(refused.to_string().contains("exists"), "{refused}");
        assert_eq!(std::fs::read(&first).expect("read"), before);
    }

    #[test]
    fn a_name_that_ends_in_json_gets_json() {
        let record = StoredSession::default();
        assert!(text_for(Path::new("a.JSON"), &record).starts_with('{'));
        assert!(text_for(Path::new("a.md"), &record).starts_with("# "));
    }
}
