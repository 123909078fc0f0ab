//! Whether the person has agreed to a project's file.
//!
//! A decision is about one path with one exact content (by SHA-256); another content is asked about
//! again.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

use super::{
    Dirs,
    source_text::{Links, SourceText},
};

/// How things stand with the project's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrustState {
    /// There is none, or it sets display keys only.
    NotNeeded,
    /// The person has said yes to this content.
    Trusted { path: PathBuf },
    /// Only its display keys apply, until the person says yes.
    Untrusted {
        path: PathBuf,
        /// As read; may be shown only as `SafeText`.
        content: String,
        /// For [`approve`].
        hash: String,
        /// It has display keys, which apply already.
        display: bool,
    },
}

/// SHA-256, in hexadecimal.
pub fn hash(content: &str) -> String {
    let digest = Sha256::digest(content.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Remembers a yes to the content with this hash at `path`.
///
/// # Errors
/// The data directory cannot be written, or the path is no text.
pub fn approve(dirs: &Dirs, path: &Path, hash: &str) -> io::Result<()> {
    let mut decisions = read(dirs);
    decisions.insert(key(path)?, hash.to_owned());
    write(dirs, &decisions)
}

/// Forgets the decision on `path`; false if there was none.
///
/// # Errors
/// As [`approve`].
pub fn revoke(dirs: &Dirs, path: &Path) -> io::Result<bool> {
    let mut decisions = read(dirs);
    let known = decisions.remove(&key(path)?).is_some();
    if known {
        write(dirs, &decisions)?;
    }
    Ok(known)
}

/// Forgets the decisions on all that is directly in `folder`; how many there were.
///
/// # Errors
/// As [`approve`].
pub fn revoke_in(dirs: &Dirs, folder: &Path) -> io::Result<usize> {
    let mut decisions = read(dirs);
    let before = decisions.len();
    decisions.retain(|path, _| Path::new(path).parent() != Some(folder));
    let known = before - decisions.len();
    if known > 0 {
        write(dirs, &decisions)?;
    }
    Ok(known)
}

/// Whether the person agreed to exactly this content at this path.
pub(super) fn is_approved(dirs: &Dirs, path: &Path, hash: &str) -> bool {
    key(path).is_ok_and(|key| read(dirs).get(&key).is_some_and(|known| known == hash))
}

fn file(dirs: &Dirs) -> PathBuf {
    dirs.data.join("trusted.json")
}

fn key(path: &Path) -> io::Result<String> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path is not UTF-8"))
}

/// What cannot be read holds no decisions: the worst is to be asked again.
fn read(dirs: &Dirs) -> BTreeMap<String, String> {
    let source = SourceText::read(&file(dirs), Links::Follow);
    let text = source.ok().flatten().map(|source| source.text);
    text.and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default()
}

fn write(dirs: &Dirs, decisions: &BTreeMap<String, String>) -> io::Result<()> {
    Dirs::ensure(&dirs.data)?;
    let mut new = tempfile::NamedTempFile::new_in(&dirs.data)?;
    serde_json::to_writer_pretty(&mut new, decisions)?;
    new.write_all(b"\n")?;
    new.as_file().sync_all()?;
    new.persist(file(dirs)).map_err(|e| e.error)?;
    // The new name is on disk once its directory is.
    fs::File::open(&dirs.data)?.sync_all()
}
