//! Files that the person puts into a prompt: what they are, and their bytes.
//!
//! A path outside the workspace is the person's own act, and no question: so nothing here may be
//! handed a path that an agent has named. For blocking tasks: disks can be slow or gone. Nothing but a
//! regular file is ever opened for long (a FIFO or device could block for ever), and no more is read
//! than is sent.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use crate::{files, model::SeenFile, picture::sniff};

/// Read to tell what a file is: a JPEG has its size behind whatever the camera wrote.
const HEAD: u64 = 256 << 10;

/// Looks at a file.
///
/// # Errors
/// It does not exist, cannot be read, or is not a regular file.
pub fn look(path: &Path) -> io::Result<SeenFile> {
    let (file, meta) = open(path)?;
    let mut head = Vec::new();
    file.take(HEAD).read_to_end(&mut head)?;
    let (kind, pixels) = sniff(&head);
    Ok(SeenFile {
        kind,
        size: meta.len(),
        modified: meta.modified().ok(),
        pixels,
        passing: false,
    })
}

/// The bytes of a file of at most `most`.
///
/// # Errors
/// As [`look`], or it is larger.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let (file, meta) = open(path)?;
    let mut bytes = Vec::new();
    if meta.len() <= most {
        // It may grow while it is read.
        file.take(most + 1).read_to_end(&mut bytes)?;
    }
    if meta.len() > most || bytes.len() as u64 > most {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "too large"));
    }
    Ok(bytes)
}

fn open(path: &Path) -> io::Result<(File, std::fs::Metadata)> {
    let file = files::regular(path)?;
    let meta = file.metadata()?;
    Ok((file, meta))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::model::MediaKind;

    #[test]
    fn a_file_is_told_by_its_content_whatever_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.txt");
        fs::write(&path, b"GIF89a\x02\x00\x01\x00rest").unwrap();
        let seen = look(&path).unwrap();
        assert_eq!(
            (seen.kind, seen.size, seen.pixels),
            (MediaKind::Image("image/gif"), 14, Some((2, 1)))
        );
        let path = folder.path().join("shot.png");
        fs::write(&path, "no picture").unwrap();
        assert_eq!(look(&path).unwrap().kind, MediaKind::Other);
    }

    #[test]
    fn nothing_that_could_block_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("shot.png");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &fifo,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RWXU,
            0,
        )
        .unwrap();
        for path in [fifo.as_path(), Path::new("/dev/zero"), folder.path()] {
            assert!(look(path).is_err(), "{}", path.display());
            assert!(read(path, 10).is_err(), "{}", path.display());
        }
    }

    #[test]
    fn a_huge_file_is_looked_at_and_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("huge.png");
        // Sparse: it takes no room.
        let file = File::create(&path).unwrap();
        file.set_len(10 << 30).unwrap();
        fs::OpenOptions::new().write(true).open(&path).unwrap();
        assert_eq!(look(&path).unwrap().size, 10 << 30);
        let error = read(&path, 5 << 20).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
    }
}
