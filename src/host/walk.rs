//! The project's files, to be mentioned with `@`.

use std::{
    ffi::OsStr,
    fs, io,
    ops::ControlFlow,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use super::ignored::{OF_A_LIST, Rules, Size, VERSION_CONTROL};

/// Files that are listed, at most.
pub const MAX_FILES: usize = 100_000;

/// Bytes of the paths of one list, at most.
pub const MAX_BYTES: usize = 16 << 20;

/// What of a list is kept.
struct Bounds {
    files: usize,
    bytes: usize,
}

impl Bounds {
    const OF_A_LIST: Self = Self {
        files: MAX_FILES,
        bytes: MAX_BYTES,
    };

    /// Whether there is room for one more.
    fn take(&mut self, path: &str) -> bool {
        let left = (
            self.files.checked_sub(1),
            self.bytes.checked_sub(path.len()),
        );
        let (Some(files), Some(bytes)) = left else {
            return false;
        };
        *self = Self { files, bytes };
        true
    }
}

/// Files below `root`, as paths relative to it, sorted. `.gitignore` and `.ignore` count, in a git
/// repository or not, as far as `ignored` reads them. Dotfiles are listed like others (`.github/…`,
/// `.env.example`): what is private or generated is normally ignored by those files. Links to
/// directories are not followed, and written as directories are, with a `/` at the end.
///
/// Stops when `cancelled` says so, with what was found. For blocking tasks.
pub fn files(root: &Path, cancelled: impl Fn() -> bool) -> Vec<String> {
    // What cannot be read is not there to be mentioned.
    let Ok(root) = root.canonicalize() else {
        return Vec::new();
    };
    let mut walk = Walk {
        cancelled,
        files: Vec::new(),
        bounds: Bounds::OF_A_LIST,
        folders: Bounds::OF_A_LIST,
        waiting: Vec::new(),
        rules: OF_A_LIST,
    };
    let rules = Arc::new(Rules::above(&root, &mut walk.rules));
    walk.waiting.push((String::new(), rules));
    while let Some((folder, rules)) = walk.waiting.pop() {
        if walk.list(&root, &folder, &rules).is_break() {
            break;
        }
    }
    walk.files.sort_unstable();
    walk.files
}

struct Walk<C> {
    cancelled: C,
    files: Vec<String>,
    bounds: Bounds,
    /// Of the folders: those beyond are not looked into.
    folders: Bounds,
    /// Folders that are not listed yet, with a `/` at the end, and what counts above them. The last is
    /// next: so the rules of few are there at once.
    waiting: Vec<(String, Arc<Rules>)>,
    /// What may still be read.
    rules: Size,
}

impl<C: Fn() -> bool> Walk<C> {
    fn list(&mut self, root: &Path, folder: &str, above: &Arc<Rules>) -> ControlFlow<()> {
        let path = root.join(folder);
        let Ok(entries) = fs::read_dir(&path) else {
            return ControlFlow::Continue(());
        };
        let rules = above.below(&path, &mut self.rules);
        for entry in entries {
            if (self.cancelled)() {
                return ControlFlow::Break(());
            }
            let Some((name, is_folder, sign)) = entry.ok().and_then(|entry| {
                let name = entry.file_name().into_string().ok()?;
                let is_folder = entry.file_type().ok()?.is_dir();
                if VERSION_CONTROL.contains(&&*name) || rules.ignore(&entry.path(), is_folder) {
                    return None;
                }
                Some((name, is_folder, sign(&entry)?))
            }) else {
                continue;
            };
            let path = format!("{folder}{name}{sign}");
            if !is_folder {
                if !self.bounds.take(&path) {
                    return ControlFlow::Break(());
                }
                self.files.push(path);
            } else if self.folders.take(&path) {
                self.waiting.push((path, Arc::clone(&rules)));
            }
        }
        ControlFlow::Continue(())
    }
}

/// What is in a folder that a person has typed, whatever is ignored and wherever it leads.
#[derive(Debug, PartialEq, Eq)]
pub struct Listing {
    /// Names, those of folders with a `/` at the end, sorted; at most [`MAX_FILES`]
    /// and [`MAX_BYTES`].
    pub names: Vec<String>,
    /// There are more.
    pub more: bool,
    /// The folder's path, if what was typed cannot be passed on as it is (`~/`, `../`).
    pub path: Option<PathBuf>,
}

/// Lists the folder `typed` (empty, or with a `/` at the end) as seen from `cwd`; `~/` is `home`. For
/// blocking tasks.
///
/// # Errors
/// It does not exist, is not a folder, or may not be read.
pub fn folder(cwd: &Path, typed: &str, home: Option<&Path>) -> io::Result<Listing> {
    let of_home = typed.strip_prefix("~/").zip(home);
    let asked = match of_home {
        Some((rest, home)) => home.join(rest),
        None => cwd.join(typed),
    };
    let goes_up = Path::new(typed)
        .components()
        .any(|c| c == Component::ParentDir);
    let path = match of_home.is_some() || goes_up {
        // As the file system goes up: from where a link leads.
        true => Some(asked.canonicalize()?),
        false => None,
    };
    let mut names = Vec::new();
    let mut more = false;
    let mut bounds = Bounds::OF_A_LIST;
    for entry in fs::read_dir(&asked)? {
        // What cannot be read is not there to be mentioned.
        let Some((name, sign)) = entry.ok().and_then(|entry| {
            let name = entry.file_name().into_string().ok()?;
            Some((name, sign(&entry)?))
        }) else {
            continue;
        };
        if VERSION_CONTROL
            .iter()
            .any(|skipped| OsStr::new(&name) == *skipped)
        {
            continue;
        }
        if !bounds.take(&name) {
            more = true;
            break;
        }
        names.push(format!("{name}{sign}"));
    }
    names.sort_unstable();
    Ok(Listing { names, more, path })
}

/// What stands behind its name: a `/` for a folder, nothing for a file. `None` for what is neither: FIFOs, sockets,
/// devices, links that lead nowhere.
fn sign(entry: &fs::DirEntry) -> Option<&'static str> {
    let mut kind = entry.file_type().ok()?;
    if kind.is_symlink() {
        // Nothing is opened for that.
        kind = fs::metadata(entry.path()).ok()?.file_type();
    }
    match kind {
        kind if kind.is_dir() => Some("/"),
        kind if kind.is_file() => Some(""),
        _ => None,
    }
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
    fn a_list_is_bounded_in_files_and_in_bytes() {
        for (path, count) in [
            ("x".to_owned(), MAX_FILES),
            (String::new(), MAX_FILES),
            ("x".repeat(4_096), MAX_BYTES / 4_096),
            ("x".repeat(MAX_BYTES), 1),
            ("x".repeat(MAX_BYTES + 1), 0),
        ] {
            let mut bounds = Bounds::OF_A_LIST;
            let taken = (0..=MAX_FILES).take_while(|_| bounds.take(&path));
            assert_eq!(taken.count(), count, "{} bytes", path.len());
        }
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
    fn a_link_to_a_folder_has_one_name_wherever_it_is_listed() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("src/sub")).unwrap();
        fs::write(dir.path().join("src/sub/x"), "").unwrap();
        for link in ["link", "src/inner"] {
            let to = dir.path().join("src/sub");
            std::os::unix::fs::symlink(to, dir.path().join(link)).unwrap();
        }
        let files = files(dir.path(), || false);
        assert_eq!(files, ["link/", "src/inner/", "src/sub/x"]);
        for typed in ["", "src/"] {
            for name in folder(dir.path(), typed, None).unwrap().names {
                let path = format!("{typed}{name}");
                assert!(files.iter().any(|file| file.starts_with(&path)), "{path}");
            }
        }
    }

    #[test]
    fn a_folder_that_is_typed_is_listed_whatever_ignores_it() {
        let dir = project();
        let home = dir.path().join("src");
        let list = |typed: &str| {
            let listing = folder(dir.path(), typed, Some(&home)).map_err(|error| error.kind());
            listing.map(|listing| (listing.names, listing.path))
        };
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        std::os::unix::fs::symlink("src/sub", dir.path().join("link")).unwrap();
        std::os::unix::fs::symlink("nowhere", dir.path().join("gone")).unwrap();
        let root = names(&[
            ".github/",
            ".gitignore",
            "a.log",
            "link/",
            "src/",
            "target/",
        ]);
        assert_eq!(list(""), Ok((root.clone(), None)));
        assert_eq!(list("target/"), Ok((names(&["debug/"]), None)));
        assert_eq!(list("target/debug/"), Ok((names(&["x"]), None)));
        assert_eq!(list(".git/"), Ok((names(&["HEAD"]), None)));
        let sub = names(&[".gitignore", "secret"]);
        assert_eq!(list("link/"), Ok((sub.clone(), None)));
        let real = |path: &str| Some(dir.path().join(path).canonicalize().unwrap());
        assert_eq!(list("~/sub/"), Ok((sub, real("src/sub"))));
        assert_eq!(list("src/../"), Ok((root, real(""))));
        // From where the link leads, as in a shell's `ls`.
        assert_eq!(
            list("link/../"),
            Ok((names(&["main.rs", "sub/"]), real("src")))
        );
        assert_eq!(list("gone/"), Err(std::io::ErrorKind::NotFound));
        assert_eq!(list("a.log/"), Err(std::io::ErrorKind::NotADirectory));
    }

    /// A pipe would be waited for, a device has no end, and 100,000 of those patterns take 1 GB.
    #[test]
    fn no_ignore_file_keeps_the_list_waiting_or_eats_memory() {
        let fifo = |path: &Path| {
            let kind = rustix::fs::FileType::Fifo;
            rustix::fs::mknodat(rustix::fs::CWD, path, kind, rustix::fs::Mode::RUSR, 0).unwrap();
        };
        let zero = |path: &Path| std::os::unix::fs::symlink("/dev/zero", path).unwrap();
        let sparse = |path: &Path| fs::File::create(path).unwrap().set_len(3 << 30).unwrap();
        let many = |path: &Path| {
            let patterns = (0..100_000).map(|n| format!("**/[a-z]*{n}*/**\n"));
            fs::write(path, patterns.collect::<String>()).unwrap();
        };
        let makers: [&dyn Fn(&Path); 4] = [&fifo, &zero, &sparse, &many];
        for (at, make) in makers.into_iter().enumerate() {
            for name in [
                ".gitignore",
                ".ignore",
                ".git/info/exclude",
                "sub/.gitignore",
                ".git",
            ] {
                let dir = tempfile::tempdir().unwrap();
                for folder in ["sub", ".git/info"] {
                    let folder = dir.path().join(folder);
                    if !folder.starts_with(dir.path().join(name)) {
                        fs::create_dir_all(folder).unwrap();
                    }
                }
                fs::write(dir.path().join("sub/file"), "").unwrap();
                make(&dir.path().join(name));
                let files = files(dir.path(), || false);
                assert!(
                    files.contains(&"sub/file".to_owned()),
                    "{name} {at}: {files:?}"
                );
            }
        }
    }

    #[test]
    fn what_is_ignored_is_as_git_has_it() {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in [
            (".git/info/exclude", "private\n"),
            (".gitignore", "*.log\nbuild/\n/top\n!sub/kept.log\n"),
            ("sub/.gitignore", "!again.log\ninner/*\n!inner/kept\n"),
            ("sub/kept.log", ""),
            ("sub/again.log", ""),
            ("sub/other.log", ""),
            ("sub/private", ""),
            ("sub/top", ""),
            ("sub/inner/a", ""),
            ("sub/inner/kept", ""),
            ("sub/build/x", ""),
            ("build/.gitignore", "!x\n"),
            ("build/x", ""),
            ("top/x", ""),
        ] {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let kept = ["again.log", "inner/kept", "kept.log", "top"];
        let own = [".gitignore", "sub/.gitignore"];
        let mut all: Vec<String> = kept.iter().map(|name| format!("sub/{name}")).collect();
        all.extend(own.map(str::to_owned));
        all.sort_unstable();
        assert_eq!(files(dir.path(), || false), all);
        // From a folder of it, by a link: what is above counts.
        std::os::unix::fs::symlink("sub", dir.path().join("link")).unwrap();
        let below = files(&dir.path().join("link"), || false);
        assert_eq!(below[0], ".gitignore");
        assert_eq!(below[1..], kept);
    }

    #[test]
    fn it_stops_when_told() {
        assert!(files(project().path(), || true).is_empty());
    }
}
