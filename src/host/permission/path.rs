//! Path globs of rules, and the paths that they are matched with.

use std::{
    env,
    path::{Component, Path, PathBuf},
};

use globset::{GlobBuilder, GlobMatcher};

use crate::{
    host::fs::{Obstacle, Roots},
    model::Stray,
    text::{SafeText, exact_line, first_bytes},
};

/// Bytes of a path that is shown; what Linux allows itself.
const MAX_SHOWN: usize = 4_096;

/// A path that a request names, and where it leads.
#[derive(Debug)]
pub struct JudgedPath {
    /// As the agent wrote it.
    named: String,
    /// Absolute, as asked.
    asked: PathBuf,
    resolved: PathBuf,
    /// `resolved` behind the root that it is in; `None` outside the workspace.
    relative: Option<PathBuf>,
    asked_relative: Option<PathBuf>,
    /// Why it is not the agent's to use.
    obstacle: Option<Obstacle>,
    /// Its links could not be followed.
    unresolved: bool,
}

impl JudgedPath {
    /// `write`: it may be changed, as far as the request says.
    pub fn new(path: &str, write: bool, roots: &Roots) -> Self {
        let asked = roots.absolute(path);
        // What cannot be resolved cannot be touched either; to be sure it counts as outside.
        let found = roots.resolve(path);
        let unresolved = found.is_err();
        let (resolved, relative, obstacle) = match found {
            Ok(found) => {
                let relative = roots.relative(&found.path).map(Path::to_owned);
                let obstacle = found.obstacle(write);
                (found.path, relative, obstacle)
            }
            Err(_) => (asked.clone(), None, Some(Obstacle::Outside)),
        };
        let asked_relative = roots.relative(&asked).map(Path::to_owned);
        Self {
            named: path.to_owned(),
            asked,
            resolved,
            relative,
            asked_relative,
            obstacle,
            unresolved,
        }
    }

    /// By a path that was made of what the agent wrote.
    #[must_use]
    pub fn named(self, named: &str) -> Self {
        Self {
            named: named.to_owned(),
            ..self
        }
    }

    /// In the workspace, and nothing that counts as outside wherever the roots are.
    pub fn inside(&self) -> bool {
        self.obstacle.is_none()
    }

    pub fn exists(&self) -> bool {
        self.asked.symlink_metadata().is_ok()
    }

    /// There is such a file, or a directory that one could be made in; every path has the root.
    pub fn is_somewhere(&self) -> bool {
        let parent = self.asked.parent().filter(|dir| *dir != Path::new("/"));
        self.exists() || parent.is_some_and(Path::is_dir)
    }

    pub fn resolved(&self) -> &Path {
        &self.resolved
    }

    pub fn obstacle(&self) -> Option<Obstacle> {
        self.obstacle
    }

    /// For the person, if it is not inside.
    pub fn stray(&self, roots: &Roots) -> Option<Stray> {
        let why = match self.obstacle? {
            _ if self.unresolved => "leads to where it cannot be followed",
            obstacle => obstacle.why(),
        };
        let named = Path::new(&self.named);
        let plain = named.strip_prefix(roots.cwd()).ok().filter(|below| {
            let mut parts = below.components();
            below.as_os_str() != "" && parts.all(|part| matches!(part, Component::Normal(_)))
        });
        let says_so = self.unresolved || named.as_os_str() == self.resolved.as_os_str();
        Some(Stray {
            asked: bounded(plain.unwrap_or(named)),
            leads: (!says_so).then(|| bounded(&self.resolved)),
            why: why.into(),
        })
    }

    /// Of one that is not inside, for the person.
    pub fn why_outside(&self) -> SafeText {
        let why = self.obstacle.unwrap_or(Obstacle::Outside).why();
        exact_line(&format!("{} {why}", self.resolved.display()))
    }
}

/// A path on one line, its beginning where it is longer than the system takes.
fn bounded(path: &Path) -> SafeText {
    let path = path.to_string_lossy();
    let shown = first_bytes(&path, MAX_SHOWN);
    let cut = if shown.len() < path.len() { "…" } else { "" };
    exact_line(&format!("{shown}{cut}"))
}

/// The glob of a rule: relative to the workspace, or absolute (also by `~`).
pub enum PathGlob {
    Relative(GlobMatcher),
    /// As written, and with the links in its fixed beginning resolved.
    Absolute(Vec<GlobMatcher>),
    /// Not a glob: matches nothing to allow and everything to deny.
    Broken,
}

impl PathGlob {
    pub fn new(glob: &str) -> Self {
        Self::parse(glob).unwrap_or(Self::Broken)
    }

    fn parse(glob: &str) -> Option<Self> {
        let glob = match glob.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                let home = env::home_dir()?;
                format!("{}{rest}", globset::escape(home.to_str()?))
            }
            _ => glob.to_owned(),
        };
        if !glob.starts_with('/') {
            let glob = glob.strip_prefix("./").unwrap_or(&glob);
            return Some(Self::Relative(matcher(glob)?));
        }
        let mut matchers = vec![matcher(&glob)?];
        matchers.extend(resolve_beginning(&glob).and_then(|glob| matcher(&glob)));
        Some(Self::Absolute(matchers))
    }

    /// Whether the path is certainly meant: where it leads counts.
    pub fn allows(&self, path: &JudgedPath) -> bool {
        match self {
            Self::Relative(glob) => path.relative.as_ref().is_some_and(|p| glob.is_match(p)),
            Self::Absolute(globs) => globs.iter().any(|glob| glob.is_match(&path.resolved)),
            Self::Broken => false,
        }
    }

    /// Whether the path may be meant: as asked or where it leads, itself or a directory above it.
    pub fn catches(&self, path: &JudgedPath) -> bool {
        let globs = match self {
            Self::Relative(glob) => std::slice::from_ref(glob),
            Self::Absolute(globs) => globs,
            Self::Broken => return true,
        };
        let names = [
            Some(&path.asked),
            Some(&path.resolved),
            path.relative.as_ref(),
            path.asked_relative.as_ref(),
        ];
        names.into_iter().flatten().any(|name| {
            name.ancestors()
                .filter(|dir| !dir.as_os_str().is_empty())
                .any(|dir| globs.iter().any(|glob| glob.is_match(dir)))
        })
    }
}

fn matcher(glob: &str) -> Option<GlobMatcher> {
    GlobBuilder::new(glob)
        .literal_separator(true)
        // The usual file system there takes `.ENV` for `.env`.
        .case_insensitive(cfg!(target_os = "macos"))
        .build()
        .ok()
        .map(|glob| glob.compile_matcher())
}

/// `/var/run/*` to `/run/*`, if the one is a link to the other.
fn resolve_beginning(glob: &str) -> Option<String> {
    let special = glob.find(['*', '?', '[', '{', '\\']).unwrap_or(glob.len());
    let fixed = glob.get(..special)?;
    let (dir, _) = if special == glob.len() {
        (fixed, "")
    } else {
        fixed.rsplit_once('/')?
    };
    let resolved = Path::new(dir).canonicalize().ok()?;
    (resolved != Path::new(dir)).then(|| {
        let rest = glob.get(dir.len()..).unwrap_or_default();
        format!("{}{rest}", globset::escape(&resolved.to_string_lossy()))
    })
}
