//! The workspace: its root directories, whether a path lies in it (V1-SES-07), and opening what does.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use rustix::fs::{FileType, OFlags};

use super::{
    dir::Dir,
    links::{follow, respell},
    protected::{GIT, Own, Places, Protected, anywhere},
};

/// The session's cwd and additional directories, with all links resolved.
#[derive(Clone, Debug)]
pub struct Roots {
    /// Relative paths count from here (D-12).
    cwd: PathBuf,
    dirs: Vec<PathBuf>,
    /// The same, held open.
    held: Arc<[Arc<Dir>]>,
    places: Places,
}

/// Where a path really leads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Resolved {
    /// Absolute, without links, `.` and `..`. The last parts may not exist yet.
    pub path: PathBuf,
    /// In one of the roots, and not protected in any way.
    pub inside: bool,
    /// In one of the roots.
    within: bool,
    protected: Option<Protected>,
}

impl Resolved {
    /// What is in the way of reading or writing it without the person's word; `None` inside the
    /// workspace.
    pub fn obstacle(&self, write: bool) -> Option<Obstacle> {
        match self.protected {
            Some(protected) if write || !protected.only_writes => {
                Some(Obstacle::Protected(protected.why))
            }
            _ if self.within => None,
            _ => Some(Obstacle::Outside),
        }
    }
}

/// Why a path is not the agent's to use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Obstacle {
    Outside,
    /// It counts as outside wherever the roots are. The reason goes on after "it".
    Protected(&'static str),
}

impl Obstacle {
    /// What is the matter, as it goes on after "it".
    pub fn why(self) -> &'static str {
        match self {
            Self::Outside => "is outside the workspace",
            Self::Protected(why) => why,
        }
    }
}

impl Roots {
    /// # Errors
    /// One of the directories does not exist or cannot be entered.
    pub fn new(cwd: &Path, additional: &[PathBuf]) -> io::Result<Self> {
        let cwd = fs::canonicalize(cwd)?;
        let mut dirs = vec![cwd.clone()];
        for dir in additional {
            dirs.push(fs::canonicalize(dir)?);
        }
        let held: io::Result<_> = dirs
            .iter()
            .map(|dir| Dir::open(dir).map(Arc::new))
            .collect();
        Ok(Self {
            cwd,
            dirs,
            held: held?,
            places: Places::of_user(&Own::default()),
        })
    }

    /// With acp-tui's own directories and files, which no agent gets without a question.
    #[must_use]
    pub fn with_own(mut self, own: &Own) -> Self {
        self.places = Places::of_user(own);
        self
    }

    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// The cwd first.
    pub fn dirs(&self) -> &[PathBuf] {
        &self.dirs
    }

    /// The path as an absolute one, links not looked at.
    pub fn absolute(&self, path: &str) -> PathBuf {
        self.cwd.join(path)
    }

    /// Follows the path as the kernel would, part by part, so that `..` behind a link means the
    /// parent of its target. Where the path stops existing the rest is taken as it is written.
    ///
    /// # Errors
    /// A directory on the way cannot be searched, a part is not a directory, or links form a loop.
    pub fn resolve(&self, asked: &str) -> io::Result<Resolved> {
        let path = respell(&follow(&self.absolute(asked))?)?;
        let within = self.contains(&path);
        let protected = self.places.protect(&path);
        let protected = protected
            .or_else(|| anywhere(Path::new(asked)))
            .or_else(|| self.is_in_linked_git(&path).then_some(GIT));
        Ok(Resolved {
            path,
            inside: within && protected.is_none(),
            within,
            protected,
        })
    }

    /// Whether a resolved path is in what a root's `.git` leads to: that may be a link.
    fn is_in_linked_git(&self, path: &Path) -> bool {
        let gits = self.dirs.iter().map(|dir| follow(&dir.join(".git")));
        gits.flatten().any(|git| path.starts_with(git))
    }

    /// Opens the file that a resolved path names, if no link has come in its way since.
    ///
    /// # Errors
    /// As `open`; a link is an error.
    pub(in crate::host) fn open(&self, path: &Path, flags: OFlags) -> io::Result<File> {
        let (base, below) = self.base(path)?;
        base.file(below, flags)
    }

    /// The directory that a resolved path names, under the same condition; `make`: made where it is
    /// missing.
    ///
    /// # Errors
    /// As [`Roots::open`].
    pub(in crate::host) fn dir(&self, path: &Path, make: bool) -> io::Result<Dir> {
        let (base, below) = self.base(path)?;
        if make {
            base.make(below)
        } else {
            base.dir(below)
        }
    }

    /// What stands at a resolved path.
    ///
    /// # Errors
    /// Nothing is there, or a part of the path has become a link.
    pub(super) fn kind(&self, path: &Path) -> io::Result<FileType> {
        match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) if !self.dirs.iter().any(|dir| dir == path) => {
                Ok(self.dir(parent, false)?.stat(name)?.0)
            }
            _ => self.dir(path, false).map(|_| FileType::Directory),
        }
    }

    /// The directory that is held open above a resolved path, and the rest of the path: a root's for
    /// what is in the workspace, `/` for what the person let the agent have.
    fn base<'a>(&self, path: &'a Path) -> io::Result<(Arc<Dir>, &'a Path)> {
        let mut roots = self.dirs.iter().zip(self.held.iter());
        let root = roots.find_map(|(dir, held)| Some((dir, held, path.strip_prefix(dir).ok()?)));
        let Some((dir, held, below)) = root else {
            let below = path.strip_prefix("/").unwrap_or(path);
            return Ok((Arc::new(Dir::slash()?), below));
        };
        // If the whole project was replaced, as by cloning it again, use the new directory.
        let (ours, there) = (held.own_stat()?, rustix::fs::stat(dir));
        let same =
            there.is_ok_and(|there| (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino));
        let base = if same {
            held.clone()
        } else {
            Arc::new(Dir::open(dir)?)
        };
        Ok((base, below))
    }

    /// Whether an already resolved path is in one of the roots; by whole components, so that
    /// `/srv/app-evil` is not in `/srv/app`.
    pub fn contains(&self, resolved: &Path) -> bool {
        self.dirs.iter().any(|dir| resolved.starts_with(dir))
    }

    /// What is left of a resolved path behind the root that holds it.
    pub fn relative<'a>(&self, resolved: &'a Path) -> Option<&'a Path> {
        self.dirs
            .iter()
            .find_map(|dir| resolved.strip_prefix(dir).ok())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// `app` is the workspace; `app-evil` and `other` are its neighbours.
    fn workspace() -> (tempfile::TempDir, PathBuf, Roots) {
        let dir = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(dir.path()).unwrap();
        for name in ["app/src", "app-evil", "other/deep"] {
            fs::create_dir_all(base.join(name)).unwrap();
        }
        fs::write(base.join("app/src/a.rs"), "").unwrap();
        let roots = Roots::new(&base.join("app"), &[]).unwrap();
        (dir, base, roots)
    }

    // V1-FS-05
    #[test]
    fn relative_paths_count_from_the_cwd() {
        let (_dir, base, roots) = workspace();
        let resolved = roots.resolve("src/./new/x.rs").unwrap();
        assert_eq!(resolved.path, base.join("app/src/new/x.rs"));
        assert!(resolved.inside);
    }

    #[test]
    fn a_sibling_with_the_same_prefix_is_outside() {
        let (_dir, base, roots) = workspace();
        let evil = base.join("app-evil/x");
        assert!(!roots.resolve(evil.to_str().unwrap()).unwrap().inside);
        assert!(!roots.resolve("../app-evil/x").unwrap().inside);
        assert!(!roots.resolve("src/../../app-evil/x").unwrap().inside);
        assert!(roots.resolve("../app/src/a.rs").unwrap().inside);
    }

    // V1-FS-12
    #[test]
    fn links_are_followed_before_judging() {
        let (_dir, base, roots) = workspace();
        symlink("../other", base.join("app/link")).unwrap();
        symlink(base.join("other/new"), base.join("app/dangling")).unwrap();
        for (path, really) in [
            ("link/x", "other/x"),
            ("link/deep/../../x", "x"),
            ("dangling", "other/new"),
            ("dangling/x", "other/new/x"),
        ] {
            let resolved = roots.resolve(path).unwrap();
            assert_eq!(resolved.path, base.join(really), "{path}");
            assert!(!resolved.inside, "{path}");
        }
    }

    #[test]
    fn what_exists_resolves_as_the_system_does() {
        let (_dir, base, roots) = workspace();
        symlink("../other/deep", base.join("app/link")).unwrap();
        symlink("link/..", base.join("app/up")).unwrap();
        for path in [
            ".",
            "src",
            "src/a.rs",
            "link",
            "link/..",
            "up",
            "up/deep/../deep",
            "../app",
        ] {
            let resolved = roots.resolve(path).unwrap().path;
            let system = fs::canonicalize(base.join("app").join(path)).unwrap();
            assert_eq!(resolved, system, "{path}");
        }
    }

    #[test]
    fn links_that_go_round_are_an_error() {
        let (_dir, base, roots) = workspace();
        symlink("loop", base.join("app/loop")).unwrap();
        assert!(roots.resolve("loop").is_err());
    }

    // V1-SES-07
    #[test]
    fn additional_directories_are_roots() {
        let (_dir, base, _) = workspace();
        let roots = Roots::new(&base.join("app"), &[base.join("other")]).unwrap();
        assert!(roots.resolve("../other/x").unwrap().inside);
        assert_eq!(
            roots.relative(&base.join("other/deep/x")),
            Some(Path::new("deep/x"))
        );
    }
}
