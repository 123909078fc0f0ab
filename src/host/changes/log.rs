//! Checkpoints: what differs from the one before, one behind the other in one file that only grows.
//!
//! A record is whole or it is not there: the first torn one ends the list, and the next writer cuts it
//! off.

use std::{
    fs::File,
    io::{self, Read},
    os::unix::fs::{FileExt, MetadataExt},
    path::{Path, PathBuf},
};

use super::{
    codec::{Reader, framed, put_cause, put_number, put_path, put_state, unframed},
    fault,
    packs::{private, replace},
    table::Stamp,
};
use crate::{
    files,
    model::{Cause, Checkpoint, CheckpointId, FileState},
};

const NAME: &str = "log";

/// What is known of one path since this checkpoint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Delta {
    pub path: Vec<u8>,
    /// `None`: nothing changed that counts; the path came into view, or was read once more.
    pub before: Option<FileState>,
    pub after: FileState,
    pub stamp: Stamp,
    /// When what a look found there was touched last, in nanoseconds since 1970; not kept.
    pub touched: u64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    pub id: u64,
    /// Milliseconds since 1970.
    pub time: u64,
    pub cause: Cause,
    /// Sorted by path.
    pub deltas: Vec<Delta>,
}

impl Record {
    fn written(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_number(&mut out, self.id);
        put_number(&mut out, self.time);
        put_cause(&mut out, &self.cause);
        put_number(&mut out, self.changed() as u64);
        put_number(&mut out, self.deltas.len() as u64);
        let mut before: &[u8] = &[];
        for delta in &self.deltas {
            put_path(&mut out, before, &delta.path);
            out.push(u8::from(delta.before.is_some()));
            if let Some(before) = &delta.before {
                put_state(&mut out, before);
            }
            put_state(&mut out, &delta.after);
            out.extend_from_slice(&delta.stamp.to_le_bytes());
            before = &delta.path;
        }
        framed(&out)
    }

    fn head(reader: &mut Reader<'_>) -> Option<Checkpoint> {
        Some(Checkpoint {
            id: CheckpointId(reader.number()?),
            time: reader.number()?,
            cause: reader.cause()?,
            changed: reader.length()?,
        })
    }

    fn read(payload: &[u8]) -> Option<Self> {
        let mut reader = Reader(payload);
        let head = Self::head(&mut reader)?;
        let mut record = Self {
            id: head.id.0,
            time: head.time,
            cause: head.cause,
            deltas: Vec::new(),
        };
        let mut path = Vec::new();
        for _ in 0..reader.length()? {
            path = reader.path(&path)?;
            let before = match reader.byte()? {
                0 => None,
                _ => Some(reader.state()?),
            };
            record.deltas.push(Delta {
                path: path.clone(),
                before,
                after: reader.state()?,
                stamp: reader.u64()?,
                touched: 0,
            });
        }
        Some(record)
    }

    pub fn changed(&self) -> usize {
        let changed = self.deltas.iter().filter(|delta| delta.before.is_some());
        changed.count()
    }
}

/// The list of checkpoints; their deltas stay on the disk.
pub struct Log {
    folder: PathBuf,
    list: Vec<(Checkpoint, u64)>,
    /// Where the next record goes.
    end: u64,
    /// Which file it is: a sweep makes another.
    inode: u64,
}

impl Log {
    /// # Errors
    /// It cannot be read.
    pub fn open(folder: &Path) -> io::Result<Self> {
        let mut log = Self {
            folder: folder.to_owned(),
            list: Vec::new(),
            end: 0,
            inode: 0,
        };
        log.read_on()?;
        Ok(log)
    }

    /// Takes in what another client has written since.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read_on(&mut self) -> io::Result<()> {
        let Some(file) = self.file()? else {
            return Ok(());
        };
        let inode = file.metadata()?.ino();
        if inode != self.inode {
            self.list.clear();
            (self.end, self.inode) = (0, inode);
        }
        while let Some((payload, length)) = record_at(&file, self.end)? {
            let Some(head) = Record::head(&mut Reader(&payload)) else {
                break;
            };
            self.list.push((head, self.end));
            self.end += length;
        }
        Ok(())
    }

    fn file(&self) -> io::Result<Option<File>> {
        match files::regular(&self.folder.join(NAME)) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub fn list(&self) -> impl DoubleEndedIterator<Item = &Checkpoint> {
        self.list.iter().map(|(checkpoint, _)| checkpoint)
    }

    /// The id of the last one; 0 before the first.
    pub fn last(&self) -> u64 {
        self.list.last().map_or(0, |(last, _)| last.id.0)
    }

    pub fn bytes(&self) -> u64 {
        self.end
    }

    /// # Errors
    /// As for files. What a failed write leaves is cut off by the next.
    pub fn append(&mut self, record: &Record, durable: bool) -> io::Result<()> {
        let file = private(&self.folder.join(NAME))?;
        self.inode = file.metadata()?.ino();
        file.set_len(self.end)?;
        let bytes = record.written();
        fault::write_at(&file, &bytes, self.end)?;
        if durable {
            file.sync_all()?;
        }
        let head = Checkpoint {
            id: CheckpointId(record.id),
            time: record.time,
            cause: record.cause.clone(),
            changed: record.changed(),
        };
        self.list.push((head, self.end));
        self.end += bytes.len() as u64;
        Ok(())
    }

    /// The records with ids above `after` up to `to`, oldest first.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn records(&self, after: u64, to: u64) -> io::Result<Vec<Record>> {
        let mut found = Vec::new();
        let wanted = self
            .list
            .iter()
            .filter(|(head, _)| (after + 1..=to).contains(&head.id.0));
        let mut file = None;
        for (_, at) in wanted {
            if file.is_none() {
                file = self.file()?;
            }
            let record = match &file {
                Some(file) => record_at(file, *at)?.and_then(|(payload, _)| Record::read(&payload)),
                None => None,
            };
            found.push(record.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))?);
        }
        Ok(found)
    }

    /// Drops the checkpoints before `first`.
    ///
    /// # Errors
    /// As for files; all are still there then.
    pub fn keep_from(&mut self, first: u64) -> io::Result<()> {
        let mut out = Vec::new();
        for record in self.records(first.saturating_sub(1), u64::MAX)? {
            out.extend(record.written());
        }
        replace(&self.folder, NAME, &out)?;
        self.read_on()
    }
}

fn record_at(file: &File, at: u64) -> io::Result<Option<(Vec<u8>, u64)>> {
    let left = file.metadata()?.len().saturating_sub(at);
    let mut head = [0; 16];
    if left < head.len() as u64 {
        return Ok(None);
    }
    file.read_exact_at(&mut head, at)?;
    let length = Reader(&head).u64().unwrap_or(0).saturating_add(16);
    if length > left {
        return Ok(None);
    }
    let mut frame = Vec::new();
    let mut from = file;
    io::Seek::seek(&mut from, io::SeekFrom::Start(at))?;
    from.take(length).read_to_end(&mut frame)?;
    Ok(unframed(&frame).map(|(payload, _)| (payload, length)))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::model::CauseKind;

    fn record(id: u64) -> Record {
        let delta = |path: &str, before| Delta {
            path: path.as_bytes().to_vec(),
            before,
            after: FileState::Folder,
            stamp: id,
            touched: 0,
        };
        Record {
            id,
            time: id * 10,
            cause: Cause::of(CauseKind::TurnEnd),
            deltas: vec![delta("/a/b", None), delta("/a/c", Some(FileState::Absent))],
        }
    }

    #[test]
    fn checkpoints_come_back_and_old_ones_can_go() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = Log::open(folder.path()).unwrap();
        let mut reader = Log::open(folder.path()).unwrap();
        for id in 1..=4 {
            log.append(&record(id), true).unwrap();
        }
        reader.read_on().unwrap();
        assert_eq!(reader.records(1, 3).unwrap(), [record(2), record(3)]);
        assert_eq!(reader.list().map(|head| head.changed).sum::<usize>(), 4);
        log.keep_from(3).unwrap();
        reader.read_on().unwrap();
        for log in [log, reader, Log::open(folder.path()).unwrap()] {
            assert_eq!(log.records(0, 9).unwrap(), [record(3), record(4)]);
            assert_eq!(log.last(), 4);
        }
    }

    #[test]
    fn a_torn_record_is_none_and_is_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = Log::open(folder.path()).unwrap();
        log.append(&record(1), true).unwrap();
        let whole = log.bytes();
        log.append(&record(2), true).unwrap();
        let bytes = fs::read(folder.path().join(NAME)).unwrap();
        for length in whole..log.bytes() {
            let cut = usize::try_from(length).unwrap();
            fs::write(folder.path().join(NAME), &bytes[..cut]).unwrap();
            let mut log = Log::open(folder.path()).unwrap();
            assert_eq!((log.last(), log.bytes()), (1, whole), "{length}");
            log.append(&record(3), true).unwrap();
            let log = Log::open(folder.path()).unwrap();
            assert_eq!(log.records(0, 9).unwrap(), [record(1), record(3)]);
        }
    }
}
