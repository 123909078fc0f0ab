//! Contents by their hash, compressed, in a few files that only grow.
//!
//! `pack-N` holds contents one behind the other, `blobs` where each one is. A pack is on the disk
//! before the places in it are, and what is read is held against its hash: so a crash at any byte
//! costs only contents that nothing refers to yet. What a torn record leaves behind is passed over.

use std::{
    collections::HashMap,
    fs::{self, File, OpenOptions},
    io::{self, Read},
    os::unix::fs::{FileExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use super::{
    codec::{Reader, check},
    delta, fault,
};
use crate::files;

pub type Hash = [u8; 32];

/// A pack that has grown to this is followed by the next.
const PACK: u64 = 64 << 20;
/// Of the place of one content: hash, pack, where, how long, how large, how deep, whose delta, a sum.
const PLACE: usize = 32 + 4 + 8 + 4 + 4 + 1 + 32 + 3;
/// Deltas that are based on one another.
const DEEPEST: u8 = 24;
/// A content above that is not stored.
pub const MOST: usize = 64 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub pack: u32,
    pub at: u64,
    pub length: u32,
    size: u32,
    depth: u8,
    /// What it is a delta of.
    pub base: Option<Hash>,
}

impl Place {
    fn written(&self, hash: &Hash) -> [u8; PLACE] {
        let mut out = Vec::with_capacity(PLACE);
        out.extend_from_slice(hash);
        out.extend_from_slice(&self.pack.to_le_bytes());
        out.extend_from_slice(&self.at.to_le_bytes());
        out.extend_from_slice(&self.length.to_le_bytes());
        out.extend_from_slice(&self.size.to_le_bytes());
        out.push(self.depth);
        out.extend_from_slice(&self.base.unwrap_or_default());
        let sum = check(&out).to_le_bytes();
        out.extend(sum.iter().take(3));
        out.try_into().unwrap_or([0; PLACE])
    }

    fn read(record: &[u8]) -> Option<(Hash, Self)> {
        let (body, sum) = record.split_at_checked(PLACE - 3)?;
        if check(body).to_le_bytes().get(..3)? != sum {
            return None;
        }
        let mut reader = Reader(body);
        let hash = reader.array()?;
        let place = Self {
            pack: reader.u32()?,
            at: reader.u64()?,
            length: reader.u32()?,
            size: reader.u32()?,
            depth: reader.byte()?,
            base: Some(reader.array()?).filter(|base| *base != [0; 32]),
        };
        Some((hash, place))
    }
}

/// The contents of one project. Open files are closed with it.
pub struct Packs {
    folder: PathBuf,
    places: HashMap<Hash, Place>,
    /// Places that are not in `blobs` yet.
    new: Vec<(Hash, Place)>,
    /// Something was written that the power's loss could take.
    unsynced: bool,
    /// `blobs` has places of what is not there.
    torn: bool,
    /// The pack that grows.
    current: Option<(u32, File, u64)>,
    /// Bytes of all packs.
    bytes: u64,
}

impl Packs {
    /// Reads what is there. Whoever writes must hold the project's lock.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn open(folder: &Path) -> io::Result<Self> {
        let mut text = Vec::new();
        match files::regular(&folder.join("blobs")) {
            Ok(mut file) => {
                file.read_to_end(&mut text)?;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let mut places = HashMap::with_capacity(text.len() / PLACE);
        // A later place of a content counts: the one before was torn.
        places.extend(text.chunks_exact(PLACE).filter_map(Place::read));
        let packs = packs(folder)?;
        let bytes = packs.values().sum();
        let read = places.len();
        places.retain(|_, place| {
            let end = place.at.checked_add(u64::from(place.length));
            let length = packs.get(&place.pack);
            length.zip(end).is_some_and(|(length, end)| end <= *length)
        });
        Ok(Self {
            folder: folder.to_owned(),
            torn: places.len() < read || !text.len().is_multiple_of(PLACE),
            places,
            new: Vec::new(),
            unsynced: false,
            current: None,
            bytes,
        })
    }

    /// Bytes of all packs.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    pub fn len(&self) -> usize {
        self.places.len()
    }

    pub fn has(&self, hash: &Hash) -> bool {
        self.places.contains_key(hash)
    }

    /// Stores a content if it is not there yet; `base`: one that it may be like.
    ///
    /// # Errors
    /// As for files; the disk is full.
    pub fn put(&mut self, content: &[u8], base: Option<&Hash>) -> io::Result<Hash> {
        let hash = *blake3::hash(content).as_bytes();
        self.put_packed(content, hash, base, None)?;
        Ok(hash)
    }

    /// The same, of a content that is hashed and compressed already: that needs no store.
    pub fn put_packed(
        &mut self,
        content: &[u8],
        hash: Hash,
        base: Option<&Hash>,
        packed: Option<Vec<u8>>,
    ) -> io::Result<()> {
        if self.has(&hash) {
            return Ok(());
        }
        let of_base = base
            .and_then(|base| Some((*base, self.places.get(base)?.depth)))
            .filter(|(_, depth)| *depth < DEEPEST)
            .and_then(|(base, depth)| Some((base, depth + 1, self.get(&base).ok()?)))
            .map(|(base, depth, old)| (base, depth, delta::packed(&old, content)))
            .filter(|(_, _, packed)| packed.len() < content.len() / 2);
        let (base, depth, packed) = match of_base {
            Some((base, depth, packed)) => (Some(base), depth, packed),
            None => (
                None,
                0,
                packed.unwrap_or_else(|| lz4_flex::block::compress(content)),
            ),
        };
        let too_large = || io::Error::from(io::ErrorKind::FileTooLarge);
        if content.len() > MOST {
            return Err(too_large());
        }
        let (pack, at) = self.append(&packed)?;
        let place = Place {
            pack,
            at,
            length: u32::try_from(packed.len()).map_err(|_| too_large())?,
            size: u32::try_from(content.len()).map_err(|_| too_large())?,
            depth,
            base,
        };
        self.places.insert(hash, place);
        self.new.push((hash, place));
        Ok(())
    }

    fn append(&mut self, packed: &[u8]) -> io::Result<(u32, u64)> {
        if self.current.as_ref().is_some_and(|(.., end)| *end >= PACK) {
            self.sync()?;
            self.current = None;
        }
        if self.current.is_none() {
            let all = packs(&self.folder)?;
            let number = match all.last_key_value() {
                Some((number, length)) if *length < PACK => *number,
                Some((number, _)) => number.saturating_add(1),
                None => 0,
            };
            let file = private(&self.folder.join(format!("pack-{number}")))?;
            let end = file.metadata()?.len();
            self.current = Some((number, file, end));
        }
        let Some((number, file, end)) = &mut self.current else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let at = *end;
        fault::write_at(file, packed, at)?;
        *end += packed.len() as u64;
        self.bytes += packed.len() as u64;
        Ok((*number, at))
    }

    /// Notes where the new contents are. `durable`: they outlive the power's loss when this returns.
    ///
    /// # Errors
    /// As for files.
    pub fn flush(&mut self, durable: bool) -> io::Result<()> {
        if self.new.is_empty() && !(durable && self.unsynced) {
            return Ok(());
        }
        if durable {
            self.sync()?;
        }
        self.unsynced = !durable;
        if self.torn {
            self.write_places()?;
            self.torn = false;
            self.new.clear();
            return Ok(());
        }
        let file = private(&self.folder.join("blobs"))?;
        // Behind whole places: a full disk may have cut the last ones.
        let end = file.metadata()?.len();
        let end = end - end % PLACE as u64;
        let mut out = Vec::with_capacity(self.new.len() * PLACE);
        for (hash, place) in &self.new {
            out.extend_from_slice(&place.written(hash));
        }
        fault::write_at(&file, &out, end)?;
        if durable {
            file.sync_all()?;
        }
        self.new.clear();
        Ok(())
    }

    fn write_places(&self) -> io::Result<()> {
        let mut out = Vec::with_capacity(self.places.len() * PLACE);
        for (hash, place) in &self.places {
            out.extend_from_slice(&place.written(hash));
        }
        replace(&self.folder, "blobs", &out)
    }

    fn sync(&self) -> io::Result<()> {
        self.current
            .as_ref()
            .map_or(Ok(()), |(_, file, _)| file.sync_all())
    }

    /// # Errors
    /// It is not there any more, or not as it was.
    pub fn get(&self, hash: &Hash) -> io::Result<Vec<u8>> {
        let gone = || io::Error::new(io::ErrorKind::NotFound, "its content is gone");
        // What it is made from comes first in this list's end.
        let mut chain = Vec::new();
        let mut next = Some(*hash);
        while let Some(hash) = next {
            let place = self.places.get(&hash).ok_or_else(gone)?;
            if chain.len() > usize::from(DEEPEST) {
                return Err(gone());
            }
            chain.push(place);
            next = place.base;
        }
        let mut content: Option<Vec<u8>> = None;
        while let Some(place) = chain.pop() {
            let packed = self.raw(place)?;
            let size = place.size as usize;
            let made = match &content {
                Some(base) => delta::unpacked(base, &packed, size),
                None => lz4_flex::block::decompress(&packed, size.min(MOST)).ok(),
            };
            content = Some(made.ok_or_else(gone)?);
        }
        let content = content.ok_or_else(gone)?;
        match blake3::hash(&content).as_bytes() == hash {
            true => Ok(content),
            false => Err(gone()),
        }
    }

    fn raw(&self, place: &Place) -> io::Result<Vec<u8>> {
        let mut packed = vec![0; place.length as usize];
        match &self.current {
            Some((number, file, _)) if *number == place.pack => {
                file.read_exact_at(&mut packed, place.at)?;
            }
            _ => {
                let file = files::regular(&self.folder.join(format!("pack-{}", place.pack)))?;
                file.read_exact_at(&mut packed, place.at)?;
            }
        }
        Ok(packed)
    }

    /// What is needed to keep `live`: the contents that they are deltas of, as well.
    pub fn with_bases(&self, live: &mut std::collections::HashSet<Hash>) {
        let mut todo: Vec<Hash> = live.iter().copied().collect();
        while let Some(hash) = todo.pop() {
            if let Some(base) = self.places.get(&hash).and_then(|place| place.base)
                && live.insert(base)
            {
                todo.push(base);
            }
        }
    }

    /// Bytes that these contents take.
    pub fn weight(&self, live: &std::collections::HashSet<Hash>) -> u64 {
        let places = live.iter().filter_map(|hash| self.places.get(hash));
        places.map(|place| u64::from(place.length)).sum()
    }

    /// Drops what is not `live`: packs without anything live go, those with little are written anew.
    ///
    /// # Errors
    /// As for files; what is live is still there.
    pub fn keep(&mut self, live: &std::collections::HashSet<Hash>) -> io::Result<()> {
        self.flush(true)?;
        let all = packs(&self.folder)?;
        let mut used: HashMap<u32, u64> = HashMap::new();
        for (_, place) in self.places.iter().filter(|(hash, _)| live.contains(*hash)) {
            *used.entry(place.pack).or_default() += u64::from(place.length);
        }
        let mostly_dead = |number: &u32, length: u64| {
            let used = used.get(number).copied().unwrap_or(0);
            used < length - length / 3
        };
        let gone: Vec<u32> = all
            .iter()
            .filter(|(number, length)| mostly_dead(number, **length))
            .map(|(number, _)| *number)
            .collect();
        self.places.retain(|hash, _| live.contains(hash));
        if !gone.is_empty() {
            // What is still wanted goes to a pack behind them all.
            let next = all
                .last_key_value()
                .map_or(0, |(last, _)| last.saturating_add(1));
            let file = private(&self.folder.join(format!("pack-{next}")))?;
            let end = file.metadata()?.len();
            self.current = Some((next, file, end));
            let mut moved: Vec<(Hash, Place)> = self
                .places
                .iter()
                .filter(|(_, place)| gone.contains(&place.pack))
                .map(|(hash, place)| (*hash, *place))
                .collect();
            moved.sort_by_key(|(_, place)| (place.pack, place.at));
            for (hash, mut place) in moved {
                let packed = self.raw(&place)?;
                (place.pack, place.at) = self.append(&packed)?;
                self.places.insert(hash, place);
            }
            self.sync()?;
        }
        self.write_places()?;
        for number in gone {
            fs::remove_file(self.folder.join(format!("pack-{number}")))?;
            fault::point();
        }
        self.bytes = packs(&self.folder)?.values().sum();
        Ok(())
    }
}

/// The contents of one project, for several threads: opened when they are wanted.
pub struct Store {
    folder: PathBuf,
    packs: Mutex<Option<Packs>>,
}

impl Store {
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            packs: Mutex::new(None),
        }
    }

    /// # Errors
    /// They cannot be read; what `work` says.
    pub fn with<T>(&self, work: impl FnOnce(&mut Packs) -> io::Result<T>) -> io::Result<T> {
        let mut packs = self.packs.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *packs {
            Some(packs) => work(packs),
            none => work(none.insert(Packs::open(&self.folder)?)),
        }
    }

    /// Another client may have written since: they are read anew.
    pub fn forget(&self) {
        *self.packs.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// As [`Packs::flush`]; reads nothing where nothing was opened.
    ///
    /// # Errors
    /// As for files.
    pub fn flush(&self, durable: bool) -> io::Result<()> {
        let mut packs = self.packs.lock().unwrap_or_else(PoisonError::into_inner);
        packs.as_mut().map_or(Ok(()), |packs| packs.flush(durable))
    }

    /// Bytes of all packs.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn bytes(&self) -> io::Result<u64> {
        let open = self.packs.lock().unwrap_or_else(PoisonError::into_inner);
        match &*open {
            Some(open) => Ok(open.bytes()),
            None => Ok(packs(&self.folder)?.values().sum()),
        }
    }

    /// Lets go of the places, if there are more than that and all are on the disk. Whether it did.
    pub fn cool(&self, most: usize) -> bool {
        let mut packs = self.packs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = packs.as_mut().filter(|packs| packs.len() > most)
            && open.new.is_empty()
            // Who opens them next does not know what has to be synchronised.
            && (!open.unsynced || open.flush(true).is_ok())
        {
            *packs = None;
            return true;
        }
        false
    }
}

/// Packs and their bytes, by their numbers.
fn packs(folder: &Path) -> io::Result<std::collections::BTreeMap<u32, u64>> {
    let mut all = std::collections::BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix("pack-"));
        if let Some(number) = number.and_then(|number| number.parse().ok()) {
            all.insert(number, entry.metadata()?.len());
        }
    }
    Ok(all)
}

/// Opens a file of the store to be read and written, made where it is missing.
pub fn private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).mode(0o600);
    files::writable(path, &mut options)
}

/// Puts a whole file of the store in the place of the one before.
pub fn replace(folder: &Path, name: &str, content: &[u8]) -> io::Result<()> {
    let new = tempfile::Builder::new()
        .prefix(".new-")
        .tempfile_in(folder)?;
    fault::write_at(new.as_file(), content, 0)?;
    new.as_file().sync_all()?;
    new.persist(folder.join(name))?;
    fault::point();
    // Not all file systems can; the content is safe.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::{collections::HashSet, os::unix::fs::PermissionsExt};

    use super::*;

    fn text(n: usize) -> Vec<u8> {
        (0..200)
            .flat_map(|line| format!("{line} of {}\n", line * n).into_bytes())
            .collect()
    }

    #[test]
    fn contents_come_back_after_a_restart_and_are_stored_once() {
        let folder = tempfile::tempdir().unwrap();
        let mut packs = Packs::open(folder.path()).unwrap();
        let one = packs.put(&text(1), None).unwrap();
        let empty = packs.put(b"", None).unwrap();
        let bytes = packs.bytes();
        packs.put(&text(1), None).unwrap();
        assert_eq!(packs.bytes(), bytes);
        packs.flush(true).unwrap();
        let packs = Packs::open(folder.path()).unwrap();
        assert_eq!((packs.len(), packs.bytes()), (2, bytes));
        assert_eq!(packs.get(&one).unwrap(), text(1));
        assert_eq!(packs.get(&empty).unwrap(), b"");
        for name in ["blobs", "pack-0"] {
            let meta = fs::metadata(folder.path().join(name)).unwrap();
            assert_eq!(meta.permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn many_places_are_let_go_once_all_is_on_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path());
        let is_open = || store.packs.lock().unwrap().is_some();
        let put = |n| store.with(|packs| packs.put(&text(n), None)).unwrap();
        let one = put(1);
        store.cool(0);
        assert!(is_open(), "its place is not written");
        store.with(|packs| packs.flush(false)).unwrap();
        for (most, open) in [(1, true), (0, false)] {
            store.cool(most);
            assert_eq!(is_open(), open);
        }
        assert_eq!(store.with(|packs| packs.get(&one)).unwrap(), text(1));
    }

    #[test]
    fn versions_of_one_file_take_little_and_chains_end() {
        let folder = tempfile::tempdir().unwrap();
        let mut packs = Packs::open(folder.path()).unwrap();
        let mut content: Vec<u8> = (0..60_000_u32)
            .flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes())
            .collect();
        let mut last = packs.put(&content, None).unwrap();
        let first = packs.bytes();
        let mut all = vec![(last, content.clone())];
        for n in 0..DEEPEST {
            content[1_000 + usize::from(n)] ^= 1;
            last = packs.put(&content, Some(&last)).unwrap();
            all.push((last, content.clone()));
        }
        assert!(packs.bytes() - first < 4_000, "{}", packs.bytes() - first);
        content[7] ^= 1;
        packs.put(&content, Some(&last)).unwrap();
        assert!(packs.bytes() > first * 2, "the chain is deep enough");
        for (hash, content) in all {
            assert_eq!(packs.get(&hash).unwrap(), content);
        }
    }

    #[test]
    fn whatever_byte_a_crash_cuts_at_the_rest_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let mut packs = Packs::open(folder.path()).unwrap();
        let old = packs.put(&text(1), None).unwrap();
        packs.flush(true).unwrap();
        let before: Vec<u64> = ["blobs", "pack-0"]
            .iter()
            .map(|name| fs::metadata(folder.path().join(name)).unwrap().len())
            .collect();
        let new = packs.put(&text(2), None).unwrap();
        packs.flush(true).unwrap();
        drop(packs);
        let whole: Vec<Vec<u8>> = ["blobs", "pack-0"]
            .iter()
            .map(|name| fs::read(folder.path().join(name)).unwrap())
            .collect();
        // The places are written after the pack: first all of these, then bytes of the pack.
        for (at, name) in ["blobs", "pack-0"].iter().enumerate() {
            for length in (before[at]..whole[at].len() as u64).step_by(7) {
                for (name, whole) in ["blobs", "pack-0"].iter().zip(&whole) {
                    fs::write(folder.path().join(name), whole).unwrap();
                }
                let file = OpenOptions::new()
                    .write(true)
                    .open(folder.path().join(name))
                    .unwrap();
                file.set_len(length).unwrap();
                let mut packs = Packs::open(folder.path()).unwrap();
                assert_eq!(packs.get(&old).unwrap(), text(1));
                assert!(packs.get(&new).is_err(), "{name} {length}");
                let third = packs.put(&text(3), None).unwrap();
                packs.flush(true).unwrap();
                let mut packs = Packs::open(folder.path()).unwrap();
                packs.put(&text(2), None).unwrap();
                packs.flush(true).unwrap();
                let packs = Packs::open(folder.path()).unwrap();
                assert_eq!(packs.get(&new).unwrap(), text(2));
                assert_eq!(packs.get(&third).unwrap(), text(3));
                assert_eq!(packs.get(&old).unwrap(), text(1));
            }
        }
    }

    #[test]
    fn what_is_not_live_goes_and_bases_stay() {
        let folder = tempfile::tempdir().unwrap();
        let mut packs = Packs::open(folder.path()).unwrap();
        let noise: Vec<u8> = (0..9_000_u32)
            .flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes())
            .collect();
        let dead = packs.put(&noise, None).unwrap();
        let base = packs.put(&text(1), None).unwrap();
        let mut changed = text(1);
        changed[3] = b'!';
        let kept = packs.put(&changed, Some(&base)).unwrap();
        let bytes = packs.bytes();
        let mut live = HashSet::from([kept]);
        packs.with_bases(&mut live);
        assert!(live.contains(&base));
        packs.keep(&live).unwrap();
        assert!(packs.bytes() < bytes / 2);
        for packs in [packs, Packs::open(folder.path()).unwrap()] {
            assert_eq!(packs.get(&kept).unwrap(), changed);
            assert_eq!(packs.get(&base).unwrap(), text(1));
            assert!(packs.get(&dead).is_err());
        }
        assert!(!folder.path().join("pack-0").exists());
    }
}
