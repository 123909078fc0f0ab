//! The file of one session.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write},
    os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use tempfile::NamedTempFile;

use crate::{
    config::Dirs,
    files, memory,
    store::format::{self, Line, StoredSession},
};

/// Lines are written in pieces of about so many bytes.
const WRITTEN_AT_ONCE: usize = 1 << 20;

/// Bytes of one file. Past it, the older half goes.
pub const MAX_FILE: u64 = 64 << 20;

/// Bytes that are copied at once.
const COPIED_AT_ONCE: usize = 64 << 10;

/// An open file. It is this client's alone: another one that opens the same session goes on in a
/// copy.
#[derive(Debug)]
pub struct SessionFile {
    path: PathBuf,
    file: File,
    len: u64,
    max: u64,
    /// It may end within a line.
    torn: bool,
}

impl SessionFile {
    /// Opens or makes it, for the person alone.
    ///
    /// # Errors
    /// As for files; [`io::ErrorKind::WouldBlock`] where another client has it open.
    pub fn open(path: &Path) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            Dirs::ensure(folder)?;
        }
        let mut file = OpenOptions::new()
            .create(true)
            .read(true)
            .append(true)
            .mode(0o600)
            .custom_flags(libc::O_NONBLOCK)
            .open(path)?;
        files::only_regular(&file)?;
        lock(&file)?;
        let len = file.seek(SeekFrom::End(0))?;
        Ok(Self {
            path: path.to_owned(),
            torn: !ends_a_line(&mut file, len)?,
            file,
            len,
            max: MAX_FILE,
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds lines; `sync`: they are on the disk when this returns.
    ///
    /// # Errors
    /// As for files. Part of the lines may be there.
    pub fn append(&mut self, lines: &[Line], sync: bool) -> io::Result<()> {
        self.keep_there()?;
        let mut bytes = Vec::new();
        if self.torn {
            bytes.push(b'\n');
        }
        for line in lines {
            line.write(&mut bytes);
            if bytes.len() >= WRITTEN_AT_ONCE {
                self.write_out(&mut bytes)?;
            }
        }
        self.write_out(&mut bytes)?;
        if sync {
            self.file.sync_data()?;
        }
        Ok(())
    }

    /// Writes whole lines, and keeps the file's bound.
    fn write_out(&mut self, bytes: &mut Vec<u8>) -> io::Result<()> {
        self.torn = true;
        self.file.write_all(bytes)?;
        self.torn = false;
        self.len += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        bytes.clear();
        bytes.shrink_to(WRITTEN_AT_ONCE);
        if self.len > self.max {
            self.forget_half()?;
            memory::give_back();
        }
        Ok(())
    }

    /// Puts other lines in the place of all there is: a crash leaves the old ones or the new ones.
    ///
    /// # Errors
    /// As for files; then the old ones are still there.
    pub fn replace(&mut self, lines: impl IntoIterator<Item = Line>) -> io::Result<()> {
        self.replace_by(|write| lines.into_iter().try_for_each(write))
    }

    /// As [`SessionFile::replace`], by whatever gives the lines to what it is handed.
    fn replace_by(
        &mut self,
        give: impl FnOnce(&mut dyn FnMut(Line) -> io::Result<()>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut beside = BufWriter::new(self.beside()?);
        let mut len = 0;
        let mut bytes = Vec::new();
        give(&mut |line| {
            bytes.clear();
            bytes.shrink_to(WRITTEN_AT_ONCE);
            line.write(&mut bytes);
            len += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
            beside.write_all(&bytes)
        })?;
        let beside = beside
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        self.put(beside, len)?;
        self.torn = false;
        Ok(())
    }

    /// Makes it again where somebody has removed it, with its folder or without: what stands in it can
    /// still be read by who has it open.
    ///
    /// # Errors
    /// As for files; then it is as before.
    pub fn keep_there(&mut self) -> io::Result<()> {
        if self.is_there()? {
            return Ok(());
        }
        tracing::warn!(path = %self.path.display(), "a stored session was removed: writing it again");
        let mut beside = self.beside()?;
        let mut buffer = vec![0; COPIED_AT_ONCE];
        let mut at = 0;
        loop {
            match self.file.read_at(&mut buffer, at) {
                Ok(0) => break,
                Ok(count) => {
                    beside.write_all(buffer.get(..count).unwrap_or_default())?;
                    at += u64::try_from(count).unwrap_or(u64::MAX);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.put(beside, at)
    }

    fn is_there(&self) -> io::Result<bool> {
        match fs::symlink_metadata(&self.path) {
            Ok(there) => {
                let ours = self.file.metadata()?;
                Ok((there.dev(), there.ino()) == (ours.dev(), ours.ino()))
            }
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(false),
                _ => Err(error),
            },
        }
    }

    /// A file in the same folder, which is made where it is missing.
    fn beside(&self) -> io::Result<NamedTempFile> {
        let folder = self.folder();
        Dirs::ensure(folder)?;
        NamedTempFile::new_in(folder)
    }

    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }

    /// Puts a file of `len` bytes in the place of what there is.
    fn put(&mut self, beside: NamedTempFile, len: u64) -> io::Result<()> {
        // Locked before it can be found.
        lock(beside.as_file())?;
        beside.as_file().sync_all()?;
        self.file = beside.persist(&self.path)?;
        self.len = len;
        // The name is on the disk once its folder is.
        File::open(self.folder())?.sync_all()
    }

    fn forget_half(&mut self) -> io::Result<()> {
        let path = self.path.clone();
        let half = usize::try_from(self.max / 2).unwrap_or(usize::MAX);
        let done = self.replace_by(|write| {
            let open = || Ok(BufReader::new(File::open(&path)?));
            format::keep_last(open, half, write)
        });
        match done {
            // Nothing of a session is left in it: what comes is added to it all the same.
            Err(error) if error.kind() == io::ErrorKind::InvalidData => Ok(()),
            done => done,
        }
    }

    #[cfg(test)]
    pub fn bounded(mut self, max: u64) -> Self {
        self.max = max;
        self
    }
}

/// What stands in a file; `None` if that is nothing of a session. A turn that nobody goes on with was
/// cut off.
///
/// # Errors
/// As for files.
pub fn read(path: &Path) -> io::Result<Option<StoredSession>> {
    let mut record = StoredSession::read_from(BufReader::new(files::regular(path)?))?;
    if let Some(record) = &mut record
        && !is_written(path)
    {
        record.close();
    }
    Ok(record)
}

/// Whether a file looks like a stored session: by its first whole line.
///
/// # Errors
/// As for files.
pub fn is_stored_session(path: &Path) -> io::Result<bool> {
    /// Bytes that are looked at: it begins with what the session is.
    const HEAD: u64 = 64 << 10;
    let mut head = Vec::new();
    File::open(path)?.take(HEAD).read_to_end(&mut head)?;
    let mut lines = head.split(|byte| *byte == b'\n');
    Ok(lines.any(|line| Line::read(line).is_some()))
}

/// Whether a client has it open: then a turn in it may go on.
pub fn is_written(path: &Path) -> bool {
    let locked = files::regular(path).map(|file| file.try_lock_shared());
    matches!(locked, Ok(Err(TryLockError::WouldBlock)))
}

fn lock(file: &File) -> io::Result<()> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(io::ErrorKind::WouldBlock.into()),
        // Not all file systems can.
        Err(TryLockError::Error(error)) => {
            tracing::debug!(%error, "a stored session could not be locked");
            Ok(())
        }
    }
}

fn ends_a_line(file: &mut File, len: u64) -> io::Result<bool> {
    if len == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::Start(len - 1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::{
        store::format::{About, Block, Kind},
        text::SafeText,
    };

    fn about() -> Line {
        Line::about(1, About::default())
    }

    fn said(id: u64, text: &str) -> Line {
        let block = Block {
            id,
            kind: Kind::User,
            text: SafeText::new(text),
            ..Block::default()
        };
        Line::block(2, block)
    }

    fn texts(path: &Path) -> Vec<String> {
        let record = StoredSession::read(&fs::read(path).expect("readable")).expect("a session");
        let texts = record
            .said
            .blocks
            .iter()
            .map(|stored| stored.block.text.to_string());
        texts.collect()
    }

    #[test]
    fn it_is_for_the_person_alone() {
        let state = tempfile::tempdir().expect("a folder");
        let path = state.path().join("sessions/a.jsonl");
        let mut file = SessionFile::open(&path).expect("open");
        let mode = |path: &Path| {
            let meta = fs::metadata(path).expect("there");
            meta.permissions().mode() & 0o777
        };
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(path.parent().expect("a folder")), 0o700);
        file.replace([about(), said(0, "anew")]).expect("replaced");
        assert_eq!(mode(&path), 0o600);
        file.append(&[said(1, "more")], true).expect("appended");
        assert_eq!(texts(&path), ["anew", "more"]);
    }

    #[test]
    fn another_client_does_not_write_into_it() {
        let state = tempfile::tempdir().expect("a folder");
        let path = state.path().join("a.jsonl");
        let mut first = SessionFile::open(&path).expect("open");
        let taken = |path| SessionFile::open(path).expect_err("taken").kind();
        assert_eq!(taken(&path), io::ErrorKind::WouldBlock);
        first.replace([about()]).expect("replaced");
        assert_eq!(taken(&path), io::ErrorKind::WouldBlock);
        drop(first);
        SessionFile::open(&path).expect("free");
    }

    #[test]
    fn one_that_was_removed_is_there_again_with_all_that_was_in_it() {
        let state = tempfile::tempdir().expect("a folder");
        let path = state.path().join("sessions/a.jsonl");
        let mut file = SessionFile::open(&path).expect("open");
        let all = [about(), said(0, "one")];
        file.append(&all, false).expect("appended");
        fs::remove_dir_all(state.path()).expect("removed");
        file.append(&[said(1, "two")], true).expect("appended");
        assert_eq!(texts(&path), ["one", "two"]);
        let taken = SessionFile::open(&path).expect_err("taken").kind();
        assert_eq!(taken, io::ErrorKind::WouldBlock, "locked as before");
        // Also one that was written anew before, and where nothing more is said.
        file.replace([about(), said(0, "anew")]).expect("replaced");
        fs::remove_file(&path).expect("removed");
        file.keep_there().expect("there");
        file.append(&[said(1, "more")], false).expect("appended");
        assert_eq!(texts(&path), ["anew", "more"]);
        fs::remove_dir_all(state.path()).expect("removed");
        file.replace([about(), said(0, "again")]).expect("replaced");
        assert_eq!(texts(&path), ["again"]);
    }

    #[test]
    fn where_it_cannot_be_made_again_nothing_is_lost_for_later() {
        let state = tempfile::tempdir().expect("a folder");
        let folder = state.path().join("sessions");
        let path = folder.join("a.jsonl");
        let mut file = SessionFile::open(&path).expect("open");
        file.append(&[about(), said(0, "one")], false)
            .expect("appended");
        fs::remove_dir_all(&folder).expect("removed");
        fs::write(&folder, "in the way").expect("written");
        assert!(file.append(&[said(1, "two")], false).is_err());
        fs::remove_file(&folder).expect("removed");
        file.append(&[said(1, "two")], false).expect("appended");
        assert_eq!(texts(&path), ["one", "two"]);
    }

    #[test]
    fn what_follows_a_crash_within_a_line_is_read() {
        let state = tempfile::tempdir().expect("a folder");
        let path = state.path().join("a.jsonl");
        let mut bytes = Vec::new();
        for line in [about(), said(0, "one"), said(1, "two")] {
            line.write(&mut bytes);
        }
        bytes.truncate(bytes.len() - 5);
        fs::write(&path, bytes).expect("written");
        let mut file = SessionFile::open(&path).expect("open");
        file.append(&[said(2, "three")], false).expect("appended");
        assert_eq!(texts(&path), ["one", "three"]);
    }

    #[test]
    fn a_file_that_gets_too_long_loses_its_older_half() {
        let state = tempfile::tempdir().expect("a folder");
        let path = state.path().join("a.jsonl");
        let mut file = SessionFile::open(&path).expect("open").bounded(20_000);
        file.append(&[about()], false).expect("appended");
        for id in 0..100 {
            let text = format!("{id} {}", "x".repeat(1_000));
            file.append(&[said(id, &text)], false).expect("appended");
            assert!(fs::metadata(&path).expect("there").len() <= 20_000);
        }
        let texts = texts(&path);
        assert!(texts[0].contains("dropped"));
        assert!(texts.last().is_some_and(|last| last.starts_with("99 ")));
    }
}
