//! Programs on PATH.

use std::{
    ffi::{OsStr, OsString},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use crate::text::SafeText;

/// A program that cannot be run, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", SafeText::line(&self.text()))]
pub struct NotFound {
    pub program: OsString,
    /// It is there, but must not be run.
    pub not_executable: bool,
    /// The entry of PATH under which alone it is, and which leads elsewhere in each folder.
    pub under: Option<PathBuf>,
    pub install: Option<String>,
}

impl NotFound {
    /// For a program that [`find_program`] did not find.
    pub fn new(
        program: OsString,
        install: Option<String>,
        path: Option<&OsStr>,
        cwd: &Path,
    ) -> Self {
        let (not_executable, under) = match is_path(&program) {
            true => (cwd.join(&program).is_file(), None),
            false => (false, relative_entry(&program, path, cwd)),
        };
        Self {
            program,
            not_executable,
            under,
            install,
        }
    }

    /// What is wrong, without what to do about it.
    #[must_use]
    pub fn without_remedy(&self) -> Self {
        Self {
            install: None,
            ..self.clone()
        }
    }

    fn text(&self) -> String {
        let program = self.program.to_string_lossy();
        if self.not_executable {
            return format!("{program} is not executable: make it so (chmod +x)");
        }
        if let Some(entry) = &self.under {
            return format!(
                "{program} was not found on PATH: it is under {entry:?} only, a relative entry, which is passed \
                 over because any project can put programs there; give its whole path"
            );
        }
        let place = if is_path(&self.program) {
            ""
        } else {
            " on PATH"
        };
        match &self.install {
            Some(how) => format!("{program} was not found{place}; install: {how}"),
            None => format!("{program} was not found{place}"),
        }
    }
}

fn is_path(program: &OsStr) -> bool {
    program.as_encoded_bytes().contains(&b'/')
}

/// The file that would be run for `program`: with a `/` in it that path (relative ones count from
/// `cwd`), else the first executable of that name on `path` (a PATH variable's value). Entries that are
/// relative or empty are passed over: what is there is whatever the project has put there.
pub fn find_program(program: &OsStr, path: Option<&OsStr>, cwd: &Path) -> Option<PathBuf> {
    if is_path(program) {
        return Some(cwd.join(program)).filter(|p| is_executable(p));
    }
    std::env::split_paths(path?)
        .filter(|dir| dir.is_absolute())
        .map(|dir| dir.join(program))
        .find(|p| is_executable(p))
}

/// The first entry that was passed over although there is such a program.
fn relative_entry(program: &OsStr, path: Option<&OsStr>, cwd: &Path) -> Option<PathBuf> {
    std::env::split_paths(path?)
        .filter(|dir| !dir.is_absolute())
        .find(|dir| is_executable(&cwd.join(dir).join(program)))
}

fn is_executable(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_cannot_be_run_is_named_and_told_apart() {
        let folder = tempfile::tempdir().expect("a folder");
        let said = |program: &str| {
            let missing = NotFound::new(program.into(), None, None, folder.path());
            missing.to_string()
        };
        fs::write(folder.path().join("agent"), "").expect("written");
        assert_eq!(
            find_program(OsStr::new("./agent"), None, folder.path()),
            None
        );
        assert_eq!(
            said("./agent"),
            "./agent is not executable: make it so (chmod +x)"
        );
        assert_eq!(said("./other"), "./other was not found");
        assert_eq!(said("other"), "other was not found on PATH");
        // On PATH such a file is passed over, as by a shell.
        let path = folder.path().as_os_str();
        assert_eq!(
            find_program(OsStr::new("agent"), Some(path), folder.path()),
            None
        );
        fs::set_permissions(
            folder.path().join("agent"),
            fs::Permissions::from_mode(0o755),
        )
        .expect("chmod");
        let found = find_program(OsStr::new("agent"), Some(path), folder.path());
        assert_eq!(found, Some(folder.path().join("agent")));
    }

    #[test]
    fn what_a_project_puts_under_a_relative_entry_of_path_is_not_found() {
        let project = tempfile::tempdir().expect("a folder");
        let bin = project.path().join("node_modules/.bin");
        fs::create_dir_all(&bin).expect("made");
        for folder in [project.path(), &bin] {
            let program = folder.join("agent");
            fs::write(&program, "").expect("written");
            fs::set_permissions(program, fs::Permissions::from_mode(0o755)).expect("chmod");
        }
        for (path, entry) in [
            (".:/nowhere", "."),
            ("/nowhere:.", "."),
            (":/nowhere", ""),
            ("/nowhere:", ""),
            ("/nowhere::/", ""),
            ("/nowhere:node_modules/.bin", "node_modules/.bin"),
            ("nowhere:./node_modules/../", "./node_modules/../"),
        ] {
            let (name, path) = (OsStr::new("agent"), Some(OsStr::new(path)));
            assert_eq!(find_program(name, path, project.path()), None, "{path:?}");
            let missing = NotFound::new(name.into(), None, path, project.path());
            assert_eq!(missing.under.as_deref(), Some(Path::new(entry)));
            let said = missing.to_string();
            assert!(
                said.contains(&format!("it is under \"{entry}\" only")),
                "{said}"
            );
            let other = NotFound::new("other".into(), None, path, project.path());
            assert_eq!(other.to_string(), "other was not found on PATH");
        }
    }
}
