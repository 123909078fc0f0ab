//! The project's files, to be mentioned with `@`.

use std::path::Path;

use ignore::WalkBuilder;

/// Files beyond this are left out.
pub const MAX_FILES: usize = 100_000;

/// Of version control systems: nobody mentions these.
const SKIPPED: [&str; 4] = [".git", ".hg", ".svn", ".jj"];

/// Files below `root`, as paths relative to it, sorted. `.gitignore` and `.ignore` count, in a git
/// repository or not. Dotfiles are listed like others (`.github/…`, `.env.example`): what is
/// private or generated is normally ignored by those files. Links to directories are not followed.
///
/// Stops when `cancelled` says so, with what was found. For blocking tasks.
pub fn files(root: &Path, cancelled: impl Fn() -> bool) -> Vec<String> {
    let walk = WalkBuilder::new(root)
        .hidden(false)
        .require_git(false)
        .filter_entry(|entry| {
            entry.depth() == 0 || !SKIPPED.iter().any(|name| entry.file_name() == *name)
        })
        .build();
    let mut files: Vec<String> = walk
        .take_while(|_| !cancelled())
        .filter_map(|entry| {
            // What cannot be read is not there to be mentioned.
            let entry = entry.ok()?;
            let kind = entry.file_type()?;
            let there = if kind.is_symlink() {
                // Nothing is opened for that.
                let meta = std::fs::metadata(entry.path()).ok()?;
                meta.is_file() || meta.is_dir()
            } else {
                // FIFOs, sockets and devices are none.
                kind.is_file()
            };
            if !there {
                return None;
            }
            let path = entry.path().strip_prefix(root).ok()?;
            Some(path.to_str()?.to_owned())
        })
        .take(MAX_FILES)
        .collect();
    files.sort_unstable();
    files
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn project() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in [
            (".gitignore", "target/\n*.log\n"),
            ("src/main.rs", ""),
            ("src/sub/.gitignore", "secret\n"),
            ("src/sub/secret", ""),
            ("target/debug/x", ""),
            ("a.log", ""),
            (".github/ci.yml", ""),
            (".git/HEAD", ""),
        ] {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        dir
    }

    #[test]
    fn ignored_files_are_left_out_and_dotfiles_are_not() {
        let dir = project();
        assert_eq!(
            files(dir.path(), || false),
            [
                ".github/ci.yml",
                ".gitignore",
                "src/main.rs",
                "src/sub/.gitignore",
            ]
        );
    }

    #[test]
    fn without_a_repository_gitignore_counts_too() {
        let dir = project();
        fs::remove_dir_all(dir.path().join(".git")).unwrap();
        assert!(
            !files(dir.path(), || false)
                .iter()
                .any(|file| file.contains("target"))
        );
    }

    #[test]
    fn what_is_no_regular_file_is_not_offered() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        fs::write(path("a"), "").unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            path("fifo"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .unwrap();
        for (link, to) in [("b", "a"), ("c", "fifo"), ("d", "gone"), ("e", "/dev/zero")] {
            std::os::unix::fs::symlink(to, path(link)).unwrap();
        }
        assert_eq!(files(dir.path(), || false), ["a", "b"]);
    }

    #[test]
    fn it_stops_when_told() {
        assert!(files(project().path(), || true).is_empty());
    }
}
