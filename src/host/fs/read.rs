//! Reading a text file, or a window of its lines (V1-FS-01 to V1-FS-09).

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::Path,
};

use rustix::fs::OFlags;

use super::{Roots, failure, refusal};
use crate::model::RpcError;

/// The most that one answer may hold (V1-FS-09).
const MAX_BYTES: u64 = 64 << 20;

/// Read from disk at once.
const BUFFER_BYTES: usize = 64 << 10;

/// The text of `path`, which must be resolved, from line `line` (1-based; 0 and `None` count as 1)
/// on, `limit` lines at most. Line ends and a byte-order mark come as they are on disk. Only what
/// is asked for is kept in memory.
///
/// # Errors
/// Not found; no regular file (a FIFO or device could block for ever); not UTF-8; too large.
pub fn read(
    roots: &Roots,
    path: &Path,
    line: Option<u32>,
    limit: Option<u32>,
) -> Result<String, RpcError> {
    window(open(roots, path)?, path, line, limit)
}

/// The same of an open file, which `path` names.
pub(super) fn window(
    file: File,
    path: &Path,
    line: Option<u32>,
    limit: Option<u32>,
) -> Result<String, RpcError> {
    let fail = |error: io::Error| failure("read", path, &error);
    let size = file.metadata().map_err(fail)?.len();
    let skip = u64::from(line.unwrap_or(1).max(1)) - 1;
    if skip == 0 && limit.is_none() && size > MAX_BYTES {
        return Err(too_large(path));
    }
    let mut reader = BufReader::with_capacity(BUFFER_BYTES, file);
    for _ in 0..skip {
        if reader.skip_until(b'\n').map_err(fail)? == 0 {
            return Ok(String::new());
        }
    }
    let mut bytes = Vec::new();
    match limit {
        // One more than allowed, to tell that there is more.
        None => {
            reader
                .take(MAX_BYTES + 1)
                .read_to_end(&mut bytes)
                .map_err(fail)?;
        }
        Some(limit) => {
            let mut reader = reader.take(MAX_BYTES + 1);
            for _ in 0..limit {
                if reader.read_until(b'\n', &mut bytes).map_err(fail)? == 0 {
                    break;
                }
            }
        }
    }
    if bytes.len() as u64 > MAX_BYTES {
        return Err(too_large(path));
    }
    // Never lossy: the agent may write back what it was given.
    String::from_utf8(bytes).map_err(|_| {
        refusal(
            "read",
            path,
            "not a text file (not UTF-8; writing it back would damage it)",
        )
    })
}

/// Opens a regular file.
///
/// # Errors
/// Not found; it is something else.
pub fn open(roots: &Roots, path: &Path) -> Result<File, RpcError> {
    // Non-blocking, as opening a FIFO would wait for a writer.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = roots
        .open(path, flags)
        .map_err(|error| failure("read", path, &error))?;
    let kind = file
        .metadata()
        .map_err(|error| failure("read", path, &error))?
        .file_type();
    if kind.is_dir() {
        return Err(refusal("read", path, "it is a directory"));
    }
    if !kind.is_file() {
        return Err(refusal(
            "read",
            path,
            "it is not a regular file (a pipe, socket or device)",
        ));
    }
    Ok(file)
}

fn too_large(path: &Path) -> RpcError {
    let limit = MAX_BYTES >> 20;
    refusal(
        "read",
        path,
        &format!(
            "that is more than {limit} MiB of text; ask for a part of it with `line` and `limit`"
        ),
    )
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Write};

    use super::*;
    use crate::model::code;

    fn folder() -> (tempfile::TempDir, std::path::PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().canonicalize().unwrap();
        (dir, path)
    }

    fn file(content: impl AsRef<[u8]>) -> (tempfile::TempDir, std::path::PathBuf) {
        let (dir, path) = folder();
        let path = path.join("f");
        fs::write(&path, content).unwrap();
        (dir, path)
    }

    /// In a workspace that is elsewhere, so that the path leads from `/`.
    fn read(path: &Path, line: Option<u32>, limit: Option<u32>) -> Result<String, RpcError> {
        let roots = Roots::new(Path::new("/dev"), &[]).unwrap();
        super::read(&roots, path, line, limit)
    }

    #[test]
    fn what_is_read_at_once_is_bounded_at_its_edge() {
        let (_dir, path) = file("");
        let open = || fs::OpenOptions::new().write(true).open(&path).unwrap();
        for (size, fits) in [
            (MAX_BYTES - 1, true),
            (MAX_BYTES, true),
            (MAX_BYTES + 1, false),
        ] {
            // Without a line's end in it, and without a byte of it on the disk.
            open().set_len(size).unwrap();
            for limit in [None, Some(1)] {
                let read = read(&path, None, limit).map(|text| text.len() as u64);
                assert_eq!(read.ok(), fits.then_some(size), "{size} {limit:?}");
            }
            let file = File::open(&path).unwrap();
            let bytes = super::super::look::bytes(file, &path, 0, None);
            assert_eq!(bytes.is_ok(), fits, "{size}");
        }
    }

    // V1-FS-02, V1-FS-03, V1-FS-04
    #[test]
    fn windows_of_lines() {
        let (_dir, path) = file("1\r\n2\n3");
        for (line, limit, expected) in [
            (None, None, "1\r\n2\n3"),
            (Some(0), None, "1\r\n2\n3"),
            (Some(1), Some(1), "1\r\n"),
            (None, Some(2), "1\r\n2\n"),
            (Some(2), Some(1), "2\n"),
            (Some(2), None, "2\n3"),
            (Some(3), Some(5), "3"),
            (Some(4), None, ""),
            (Some(400), Some(5), ""),
            (Some(1), Some(0), ""),
        ] {
            assert_eq!(
                read(&path, line, limit).unwrap(),
                expected,
                "{line:?} {limit:?}"
            );
        }
    }

    #[test]
    fn nothing_is_stripped() {
        let (_dir, path) = file("\u{feff}a\r\n\r");
        assert_eq!(read(&path, None, None).unwrap(), "\u{feff}a\r\n\r");
    }

    // V1-FS-07
    #[test]
    fn what_is_not_utf8_is_refused() {
        for content in [&b"caf\xe9 1\n"[..], b"\xff\xfeh\0i\0", b"\x89PNG\r\n\x1a\n"] {
            let (_dir, path) = file(content);
            let error = read(&path, None, None).unwrap_err();
            assert_eq!(error.code, code::INTERNAL);
            assert!(error.message.contains("not a text file"), "{error:?}");
            assert_eq!(fs::read(&path).unwrap(), content);
        }
    }

    // V1-FS-06
    #[test]
    fn a_missing_file_is_told_from_a_broken_one() {
        let (_dir, folder) = folder();
        let error = read(&folder.join("nope"), None, None).unwrap_err();
        assert_eq!(error.code, code::NOT_FOUND);
        assert!(error.message.contains("nope"));
        let error = read(&folder, None, None).unwrap_err();
        assert_eq!(error.code, code::INTERNAL);
        assert!(error.message.contains("directory"));
    }

    // V1-FS-09
    #[test]
    fn pipes_and_devices_are_refused_without_waiting() {
        let (_dir, folder) = folder();
        let fifo = folder.join("fifo");
        let status = std::process::Command::new("mkfifo")
            .arg(&fifo)
            .status()
            .unwrap();
        assert!(status.success());
        for path in [fifo.as_path(), Path::new("/dev/zero")] {
            let error = read(path, None, None).unwrap_err();
            assert!(error.message.contains("not a regular file"), "{error:?}");
        }
    }

    // V1-FS-11
    #[test]
    fn a_link_that_appeared_since_is_not_followed() {
        let (_dir, path) = file("secret");
        let link = path.with_file_name("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let error = read(&link, None, None).unwrap_err();
        assert!(error.message.contains("became a link"), "{error:?}");
    }

    #[test]
    fn three_lines_of_700_mb_are_cheap_and_all_of_it_refused() {
        let (_dir, folder) = folder();
        let path = folder.join("huge");
        let mut huge = File::create(&path).unwrap();
        for n in 1..=50 {
            writeln!(huge, "head {n}").unwrap();
        }
        huge.set_len(700 << 20).unwrap();
        assert_eq!(
            read(&path, Some(2), Some(3)).unwrap(),
            "head 2\nhead 3\nhead 4\n"
        );
        for (line, limit) in [(None, None), (Some(51), Some(1))] {
            let error = read(&path, line, limit).unwrap_err();
            assert!(error.message.contains("`line` and `limit`"), "{error:?}");
        }
    }
}
