//! What git, and `.ignore` files, leave out of a list of the project's files.
//!
//! The files with the patterns are the project's: they may be pipes, devices, without an end, or made to eat
//! memory. So they are read here, within bounds, and only matched by the `ignore` crate, which would open
//! whatever is there and read all of it.

use std::{
    io::{self, Read},
    path::Path,
    sync::Arc,
};

use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder, gitconfig_excludes_path},
};

use super::git;
use crate::files;

/// Folders of version control systems: their files are not listed.
pub(super) const VERSION_CONTROL: [&str; 4] = [".git", ".hg", ".svn", ".jj"];

/// What is read of one file: no such file that people write is as large. A pattern takes 15 KB once it is
/// compiled, if it is made for that.
pub const OF_A_FILE: Size = Size {
    files: 1,
    bytes: 64 << 10,
    patterns: 2_000,
};

/// What is held at once: of a folder and all above it.
pub const OF_A_FOLDER: Size = Size {
    files: 32,
    bytes: 256 << 10,
    patterns: 8_000,
};

/// What is read for one list.
pub const OF_A_LIST: Size = Size {
    files: 20_000,
    bytes: 8 << 20,
    patterns: 100_000,
};

/// How much may be read. What does not fit is not read: of a file its first lines count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub files: usize,
    pub bytes: usize,
    pub patterns: usize,
}

impl Size {
    fn least(self, other: Self) -> Self {
        Self {
            files: self.files.min(other.files),
            bytes: self.bytes.min(other.bytes),
            patterns: self.patterns.min(other.patterns),
        }
    }

    fn less(self, taken: Self) -> Self {
        Self {
            files: self.files.saturating_sub(taken.files),
            bytes: self.bytes.saturating_sub(taken.bytes),
            patterns: self.patterns.saturating_sub(taken.patterns),
        }
    }
}

/// Where patterns are from; earlier ones win.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// `.ignore`
    Ignore,
    /// `.gitignore`
    GitIgnore,
    /// `.git/info/exclude`
    Exclude,
    /// The person's own, for all repositories.
    Global,
}

/// What counts in one folder: the patterns of it and of those above it.
#[derive(Clone)]
pub struct Rules {
    /// Those that win come first.
    matchers: Vec<(Kind, Arc<Gitignore>)>,
    /// What may still be held.
    left: Size,
}

impl Rules {
    /// Those from above `top`, a path without links: of the folders up to the repository's root (without a
    /// repository, of all), and the person's own.
    pub fn above(top: &Path, left: &mut Size) -> Self {
        Self::with_global(top, gitconfig_excludes_path().as_deref(), left)
    }

    fn with_global(top: &Path, global: Option<&Path>, left: &mut Size) -> Self {
        let mut rules = Self {
            matchers: Vec::new(),
            left: OF_A_FOLDER,
        };
        let repository = top.ancestors().find(|folder| is_repository(folder));
        if let Some(global) = global {
            rules.read(Kind::Global, repository.unwrap_or(top), global, left);
        }
        let mut above: Vec<&Path> = top
            .ancestors()
            .take_while(|folder| repository.is_none_or(|root| folder.starts_with(root)))
            .skip(1)
            .collect();
        while let Some(folder) = above.pop() {
            rules.read_of(folder, left);
        }
        rules
    }

    /// Those that count in `folder`; `self` is those above it.
    pub fn below(self: &Arc<Self>, folder: &Path, left: &mut Size) -> Arc<Self> {
        let mut rules = Self::clone(self);
        match rules.read_of(folder, left) {
            true => Arc::new(rules),
            false => Arc::clone(self),
        }
    }

    /// Whether there were any.
    fn read_of(&mut self, folder: &Path, left: &mut Size) -> bool {
        let before = self.matchers.len();
        self.read(Kind::Ignore, folder, &folder.join(".ignore"), left);
        self.read(Kind::GitIgnore, folder, &folder.join(".gitignore"), left);
        if let Some(git) = git::common_dir(folder) {
            self.read(Kind::Exclude, folder, &git.join("info/exclude"), left);
        }
        self.matchers.len() > before
    }

    fn read(&mut self, kind: Kind, folder: &Path, path: &Path, left: &mut Size) {
        let most = OF_A_FILE.least(self.left).least(*left);
        if most.files == 0 {
            return;
        }
        // What cannot be read ignores nothing.
        let Ok((matcher, taken)) = matcher(folder, path, most) else {
            return;
        };
        *left = left.less(taken);
        if !matcher.is_empty() {
            self.left = self.left.less(taken);
            let at = self.matchers.partition_point(|(known, _)| *known < kind);
            self.matchers.insert(at, (kind, Arc::new(matcher)));
        }
    }

    /// Whether what is at `path`, in the folder, is ignored.
    pub fn ignore(&self, path: &Path, is_folder: bool) -> bool {
        let matches = self.matchers.iter();
        let mut matches = matches.map(|(_, matcher)| matcher.matched(path, is_folder));
        matches
            .find(|found| !found.is_none())
            .is_some_and(|found| matches!(found, Match::Ignore(_)))
    }
}

fn is_repository(folder: &Path) -> bool {
    let holds = |name: &&str| folder.join(name).symlink_metadata().is_ok();
    VERSION_CONTROL.iter().any(holds)
}

/// The patterns of a file, as they count in `folder`, and what was read of it: no more than `most`.
fn matcher(folder: &Path, path: &Path, most: Size) -> io::Result<(Gitignore, Size)> {
    let mut text = Vec::new();
    // One more shows whether the last line is whole.
    let limit = u64::try_from(most.bytes).unwrap_or(u64::MAX);
    let file = files::regular(path)?;
    file.take(limit.saturating_add(1)).read_to_end(&mut text)?;
    if text.len() > most.bytes {
        let kept = text.get(..most.bytes).unwrap_or_default();
        let whole = kept.iter().rposition(|byte| *byte == b'\n');
        text.truncate(whole.map_or(0, |at| at + 1));
    }
    // As git does.
    let lines = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&text);
    let lines = lines.split(|byte| *byte == b'\n');
    let lines = lines.filter_map(|line| std::str::from_utf8(line).ok());
    let lines = lines.map(|line| line.strip_suffix('\r').unwrap_or(line));
    let patterns = lines.filter(|line| !line.trim_start().is_empty() && !line.starts_with('#'));
    let mut builder = GitignoreBuilder::new(folder);
    let mut count = 0;
    for pattern in patterns.take(most.patterns) {
        count += 1;
        // An invalid one ignores nothing.
        let _ = builder.add_line(None, pattern);
    }
    let matcher = builder.build().map_err(io::Error::other)?;
    let taken = Size {
        files: 1,
        bytes: text.len(),
        patterns: count,
    };
    Ok((matcher, taken))
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    fn rules_of(folder: &Path) -> Rules {
        let mut left = OF_A_LIST;
        let mut rules = Rules::with_global(folder, None, &mut left);
        rules.read_of(folder, &mut left);
        rules
    }

    /// A repository, so that nothing above it counts.
    fn repository() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join(".git/info")).unwrap();
        folder
    }

    fn write(folder: &Path, name: &str, text: &str) {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn of_a_file_the_lines_count_that_are_within_its_bounds() {
        let folder = repository();
        let last = "last\n";
        for over in [-1_isize, 0, 1] {
            let within = over <= 0;
            let before = OF_A_FILE.bytes.strict_add_signed(over) - last.len();
            let comment = format!("#{}\n", "x".repeat(before - 2));
            write(folder.path(), ".gitignore", &format!("{comment}{last}"));
            let rules = rules_of(folder.path());
            let ignored = rules.ignore(&folder.path().join("last"), false);
            assert_eq!(ignored, within, "{over} bytes above");

            let before = OF_A_FILE.patterns.strict_add_signed(over) - 1;
            let text = format!("# none\n\n{}{last}", "x\n".repeat(before));
            write(folder.path(), ".gitignore", &text);
            let rules = rules_of(folder.path());
            assert!(rules.ignore(&folder.path().join("x"), false));
            let ignored = rules.ignore(&folder.path().join("last"), false);
            assert_eq!(ignored, within, "{over} patterns above");
        }
        // A cut line is dropped: it would be another pattern.
        let cut = "x".repeat(OF_A_FILE.bytes + 1);
        write(folder.path(), ".gitignore", &format!("a\n{cut}"));
        let rules = rules_of(folder.path());
        assert_eq!(rules.left.bytes, OF_A_FOLDER.bytes - 2);
    }

    #[test]
    fn what_is_held_and_what_is_read_is_bounded() {
        let folder = repository();
        let text = "*.a\n";
        write(folder.path(), ".gitignore", text);
        let all = |left: usize| Size {
            files: left,
            bytes: left * text.len(),
            patterns: left,
        };
        let enough = all(3);
        for one in 0..3 {
            for (left, read) in [(0, false), (1, true), (2, true)] {
                let mut bound = enough;
                match one {
                    0 => bound.files = all(left).files,
                    1 => bound.bytes = all(left).bytes,
                    _ => bound.patterns = all(left).patterns,
                }
                let path = folder.path().join("x.a");
                let mut rules = Rules {
                    matchers: Vec::new(),
                    left: bound,
                };
                let mut list = enough;
                rules.read_of(folder.path(), &mut list);
                assert_eq!(rules.ignore(&path, false), read, "held {one} {left}");
                assert_eq!(rules.left, if read { bound.less(all(1)) } else { bound });

                let mut rules = Rules {
                    matchers: Vec::new(),
                    left: enough,
                };
                let mut list = bound;
                rules.read_of(folder.path(), &mut list);
                assert_eq!(rules.ignore(&path, false), read, "read {one} {left}");
            }
        }
    }

    #[test]
    fn the_nearest_pattern_wins_and_nothing_above_the_repository_counts() {
        let above = tempfile::tempdir().unwrap();
        let above = above.path().canonicalize().unwrap();
        write(&above, ".gitignore", "outside\n");
        let top = above.join("top");
        write(&top, ".git/info/exclude", "excluded\n*.x\n");
        write(
            &top,
            ".gitignore",
            "\u{feff}first\r\n*.log\n/sub/only\n!y.x\n",
        );
        write(
            &top,
            "sub/.gitignore",
            "!keep.log\n\\#x\n/here\n\u{fffd}[\n",
        );
        write(&top, "sub/.ignore", "!ignore.log\n");
        write(&top, "sub/deep/.gitignore", "keep.log\n");
        let global = above.join("global");
        write(&above, "global", "/sub/global\nexcluded\n*.tmp\n!first\n");
        let mut left = OF_A_LIST;
        let sub = top.join("sub");
        let from = Arc::new(Rules::with_global(&sub, Some(&global), &mut left));
        let rules = from.below(&sub, &mut left);
        let deep = rules.below(&sub.join("deep"), &mut left);
        let ignored = |path: &str| {
            let rules = if path.starts_with("deep/") {
                &deep
            } else {
                &rules
            };
            rules.ignore(&sub.join(path), path.ends_with('/'))
        };
        for path in [
            "first",
            "excluded",
            "a.log",
            "only",
            "#x",
            "here",
            "global",
            "a.tmp",
            "a.x",
            "deep/keep.log",
            "deep/first",
        ] {
            assert!(ignored(path), "{path}");
        }
        for path in [
            "outside",
            "keep.log",
            "ignore.log",
            "y.x",
            "other",
            "deep/here",
            "deep/only",
        ] {
            assert!(!ignored(path), "{path}");
        }
    }

    #[test]
    fn a_work_tree_has_the_excludes_of_its_repository() {
        let folder = repository();
        let top = folder.path();
        write(top, ".git/info/exclude", "excluded\n");
        write(top, ".git/worktrees/w/commondir", "../..\n");
        let tree = tempfile::tempdir().unwrap();
        let git = format!("gitdir: {}\n", top.join(".git/worktrees/w").display());
        write(tree.path(), ".git", &git);
        assert!(rules_of(tree.path()).ignore(&tree.path().join("excluded"), false));
    }

    #[test]
    fn a_link_counts_where_it_leads_to_a_file() {
        let folder = repository();
        let top = folder.path();
        write(top, "patterns", "*.log\n");
        symlink("patterns", top.join(".gitignore")).unwrap();
        symlink("/dev/zero", top.join(".ignore")).unwrap();
        symlink(".", top.join(".git/info/exclude")).unwrap();
        assert!(rules_of(top).ignore(&top.join("a.log"), false));
        assert_eq!(rules_of(top).matchers.len(), 1);
    }
}
