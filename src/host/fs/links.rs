//! Where a path leads: its links followed, and what exists of it in the spelling of the disk.

use std::{
    ffi::OsString,
    fs, io,
    path::{Component, Path, PathBuf},
};

/// Links followed in one path before it is taken for a loop; what Linux allows itself.
const MAX_LINKS: usize = 40;

/// Follows the links of an absolute path.
pub(super) fn follow(path: &Path) -> io::Result<PathBuf> {
    // Parts still to go, the next one last.
    let mut todo: Vec<OsString> = parts(path);
    let mut at = PathBuf::from("/");
    let mut links = 0;
    let mut exists = true;
    while let Some(part) = todo.pop() {
        if part == ".." {
            at.pop();
            continue;
        }
        at.push(&part);
        if !exists {
            continue;
        }
        let meta = match fs::symlink_metadata(&at) {
            Ok(meta) => meta,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // `missing/../x` would be refused by the kernel; as no link can be among what
                // does not exist, going on by the letters leads to the same place or nowhere.
                exists = false;
                continue;
            }
            Err(error) => return Err(error),
        };
        if meta.is_symlink() {
            links += 1;
            if links > MAX_LINKS {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidInput,
                    "too many levels of symbolic links",
                ));
            }
            let target = fs::read_link(&at)?;
            at.pop();
            if target.is_absolute() {
                at = PathBuf::from("/");
            }
            todo.extend(parts(&target));
        }
    }
    Ok(at)
}

/// What exists of an already followed path, in the spelling of the disk: some file systems take
/// `SRC` for `src`, and paths are compared by their letters.
pub(super) fn respell(path: &Path) -> io::Result<PathBuf> {
    for dir in path.ancestors() {
        match fs::canonicalize(dir) {
            Ok(spelt) => {
                let rest = path.strip_prefix(dir).unwrap_or(Path::new(""));
                return Ok(spelt.components().chain(rest.components()).collect());
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(path.to_owned())
}

/// The names of a path, last first.
fn parts(path: &Path) -> Vec<OsString> {
    path.components()
        .rev()
        .filter_map(|component| match component {
            Component::Normal(name) => Some(name.to_owned()),
            Component::ParentDir => Some("..".into()),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
        })
        .collect()
}
