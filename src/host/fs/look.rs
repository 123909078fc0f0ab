//! What the thread protocol asks of files: slices with a version, whether there is one, which match
//! a pattern (D-37 to D-41).

use std::{
    collections::HashMap,
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use globset::GlobBuilder;

use rustix::fs::FileType;

use super::{Roots, failure, read::window, refusal};
use crate::{host::walk, model::RpcError};

/// As of text (V1-FS-09).
const MAX_BYTES: u64 = 64 << 20;

/// Matches that are returned, at most (D-40).
const MAX_MATCHES: usize = 10_000;

/// Files whose versions are known; with more, all are forgotten, and later versions are higher.
const MAX_VERSIONS: usize = 100_000;

/// Bytes of the paths of these.
const MAX_VERSIONS_BYTES: usize = 16 << 20;

/// The lines behind the first `skip`, `limit` at most; beyond the end there are none.
///
/// # Errors
/// As [`read()`](super::read()).
pub fn text(file: File, path: &Path, skip: u64, limit: Option<u64>) -> Result<String, RpcError> {
    let line = u32::try_from(skip.saturating_add(1)).unwrap_or(u32::MAX);
    let limit = limit.map(|limit| u32::try_from(limit).unwrap_or(u32::MAX));
    window(file, path, Some(line), limit)
}

/// The bytes behind the first `skip`, `limit` at most, in base64; beyond the end there are none.
///
/// # Errors
/// It cannot be read, or is too large.
pub fn bytes(
    mut file: File,
    path: &Path,
    skip: u64,
    limit: Option<u64>,
) -> Result<String, RpcError> {
    let fail = |error: io::Error| failure("read", path, &error);
    file.seek(SeekFrom::Start(skip)).map_err(fail)?;
    let limit = limit.unwrap_or(u64::MAX).min(MAX_BYTES + 1);
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() as u64 > MAX_BYTES {
        let why = "that is too much at once; ask for a part of it with `byteLimit`";
        return Err(refusal("read", path, why));
    }
    Ok(STANDARD.encode(bytes))
}

/// Whether it exists, and whether it is a directory. What cannot be looked at does not exist, and neither
/// does what has become a link since it was resolved.
pub fn stat(roots: &Roots, path: &Path) -> (bool, bool) {
    match roots.kind(path) {
        Ok(FileType::Symlink) | Err(_) => (false, false),
        Ok(kind) => (true, kind == FileType::Directory),
    }
}

/// Files of the workspace that match, as absolute paths, in order. What `.gitignore` names is left
/// out, and so is what `exists` says is not there for the agent; links to directories are not followed.
///
/// # Errors
/// The pattern is invalid.
pub fn glob(
    roots: &Roots,
    pattern: &str,
    exists: impl Fn(&str) -> bool,
) -> Result<Vec<String>, RpcError> {
    let matcher = GlobBuilder::new(pattern)
        .literal_separator(true)
        .build()
        .map_err(|error| refusal("search", Path::new(pattern), &error.kind().to_string()))?
        .compile_matcher();
    let mut matches = Vec::new();
    for dir in roots.dirs() {
        for file in walk::files(dir, || false) {
            let path = dir.join(&file);
            if matcher.is_match(&file) || matcher.is_match(&path) {
                let path = path.to_string_lossy().into_owned();
                if exists(&path) {
                    matches.push(path);
                }
            }
            if matches.len() >= MAX_MATCHES {
                return Ok(matches);
            }
        }
    }
    Ok(matches)
}

/// Versions of files: the same as long as a file is, and one more with each change of it (D-41).
#[derive(Default)]
pub struct Versions {
    known: HashMap<PathBuf, (Stamp, u64)>,
    /// Of the paths.
    bytes: usize,
    /// What a file that is new here starts with.
    first: u64,
}

/// Time of the last change, size, inode.
type Stamp = (i64, i64, u64, u64);

impl Versions {
    /// Of an open file. To be asked before the content is read: a change in between then shows the
    /// next time.
    ///
    /// # Errors
    /// It cannot be looked at.
    pub fn of(&mut self, file: &File, path: &Path) -> Result<u64, RpcError> {
        let meta = file
            .metadata()
            .map_err(|error| failure("read", path, &error))?;
        let stamp = (meta.mtime(), meta.mtime_nsec(), meta.size(), meta.ino());
        if !self.known.contains_key(path) {
            self.make_room(path.as_os_str().len());
        }
        let first = self.first;
        let (known, version) = self.known.entry(path.to_owned()).or_insert((stamp, first));
        if *known != stamp {
            *known = stamp;
            *version += 1;
        }
        Ok(*version)
    }

    /// For one more path, of `bytes` bytes.
    fn make_room(&mut self, bytes: usize) {
        if self.known.len() >= MAX_VERSIONS || self.bytes + bytes > MAX_VERSIONS_BYTES {
            let highest = self.known.values().map(|(_, version)| *version).max();
            self.first = highest.map_or(self.first, |highest| highest + 1);
            self.known.clear();
            self.bytes = 0;
        }
        self.bytes += bytes;
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn project() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        (dir, root)
    }

    #[test]
    fn versions_are_bounded_in_bytes_and_go_on_upwards() {
        let (_dir, root) = project();
        let path = root.join("f");
        fs::write(&path, "a").unwrap();
        let file = File::open(&path).unwrap();
        let each = 4_096;
        let most = MAX_VERSIONS_BYTES / each;
        let long = |n: usize| PathBuf::from(format!("/{n:05}{}", "x".repeat(each - 6)));
        for (count, kept, version) in [(most - 1, most - 1, 0), (most, most, 0), (most + 1, 1, 1)] {
            let mut versions = Versions::default();
            let told = (0..count).map(|n| versions.of(&file, &long(n)).unwrap());
            assert_eq!(told.last(), Some(version), "{count}");
            assert_eq!(versions.known.len(), kept, "{count}");
            assert_eq!(versions.bytes, kept * each);
        }
    }

    // D-37, D-38
    #[test]
    fn slices_count_from_zero_and_end_with_the_file() {
        let (_dir, root) = project();
        let path = root.join("f");
        fs::write(&path, "a\nb\nc\n").unwrap();
        let open = || File::open(&path).unwrap();
        assert_eq!(text(open(), &path, 0, None).unwrap(), "a\nb\nc\n");
        assert_eq!(text(open(), &path, 1, Some(1)).unwrap(), "b\n");
        assert_eq!(text(open(), &path, 9, None).unwrap(), "");
        assert_eq!(bytes(open(), &path, 0, Some(3)).unwrap(), "YQpi");
        assert_eq!(bytes(open(), &path, 4, None).unwrap(), "Ywo=");
        assert_eq!(bytes(open(), &path, 99, None).unwrap(), "");
    }

    // D-39
    #[test]
    fn what_is_missing_is_said_to_be_without_an_error() {
        let (_dir, root) = project();
        let roots = Roots::new(&root, &[]).unwrap();
        fs::write(root.join("f"), "").unwrap();
        std::os::unix::fs::symlink("f", root.join("link")).unwrap();
        assert_eq!(stat(&roots, &root), (true, true));
        assert_eq!(stat(&roots, &root.join("f")), (true, false));
        for gone in ["no", "no/f", "f/f", "link"] {
            assert_eq!(stat(&roots, &root.join(gone)), (false, false), "{gone}");
        }
    }

    // D-40
    #[test]
    fn matches_lie_in_the_workspace_and_are_not_ignored() {
        let (_dir, root) = project();
        let (_other, outside) = project();
        fs::write(outside.join("secret.rs"), "").unwrap();
        fs::create_dir(root.join("src")).unwrap();
        for file in ["src/a.rs", "src/b.rs", "src/d.rs", "c.rs", "ignored.rs"] {
            fs::write(root.join(file), "").unwrap();
        }
        fs::write(root.join(".gitignore"), "ignored.rs\n").unwrap();
        std::os::unix::fs::symlink(&outside, root.join("out")).unwrap();
        let roots = Roots::new(&root, &[]).unwrap();
        let found = |pattern: &str| {
            let found = glob(&roots, pattern, |path| !path.contains("b.rs")).unwrap();
            let short = |path: &String| path.replace(&format!("{}/", root.display()), "");
            found.iter().map(short).collect::<Vec<_>>()
        };
        assert_eq!(found("**/*.rs"), ["c.rs", "src/a.rs", "src/d.rs"]);
        assert_eq!(found("*.rs"), ["c.rs"]);
        assert_eq!(
            found(&format!("{}/src/*", root.display())),
            ["src/a.rs", "src/d.rs"]
        );
        assert!(glob(&roots, "[", |_| true).is_err());
    }

    // D-41
    #[test]
    fn a_version_is_the_same_until_the_file_is_another() {
        let (_dir, root) = project();
        let path = root.join("f");
        fs::write(&path, "a").unwrap();
        let mut versions = Versions::default();
        let mut version = || versions.of(&File::open(&path).unwrap(), &path).unwrap();
        assert_eq!((version(), version()), (0, 0));
        fs::write(&path, "ab").unwrap();
        assert_eq!(version(), 1);
        fs::write(&path, "abc").unwrap();
        assert_eq!(version(), 2);
    }
}
