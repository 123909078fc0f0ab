//! What is not kept any longer: old checkpoints, and contents that nothing refers to.

use std::{collections::HashSet, io, sync::PoisonError, time::Duration};

use super::{
    Bounds, Changes, Inner,
    packs::{Hash, Packs},
    table::Table,
};
use crate::model::{BlobId, CheckpointId, FileState};

/// Of the store's bound, in tenths: when a sweep is due, and what it comes down to.
const DUE: u64 = 8;
const AIM: u64 = 6;

pub fn is_due(bytes: u64, bounds: &Bounds) -> bool {
    bytes > bounds.store / 10 * DUE
}

/// What a sweep did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Swept {
    /// Checkpoints that are gone.
    pub checkpoints: usize,
    /// Bytes before and after.
    pub bytes: (u64, u64),
    /// It is still near its bound: what was to stay takes that much.
    pub still_due: bool,
}

impl Changes {
    /// Drops checkpoints that are older than `age` at `now` (milliseconds since 1970), and more, oldest
    /// first, if the store comes near its bound. Those from `keep` on stay, whatever the bound, and
    /// so does what is known of the disk.
    ///
    /// # Errors
    /// As for files; another client has the project. What is kept is whole at any moment.
    pub fn sweep(&self, now: u64, age: Duration, keep: Option<CheckpointId>) -> io::Result<Swept> {
        self.writable()?;
        let looking = self.looking.lock().unwrap_or_else(PoisonError::into_inner);
        let mut inner = self.inner();
        let swept = self
            .store
            .with(|packs| self.sweep_with(&mut inner, packs, now, age, keep));
        drop(looking);
        swept
    }

    fn sweep_with(
        &self,
        inner: &mut Inner,
        packs: &mut Packs,
        now: u64,
        age: Duration,
        keep: Option<CheckpointId>,
    ) -> io::Result<Swept> {
        let table = inner.take_table(&self.folder)?;
        let before = packs.bytes() + inner.log.bytes();
        let oldest = now.saturating_sub(u64::try_from(age.as_millis()).unwrap_or(u64::MAX));
        // The last one stays: the next takes its number from it.
        let last = CheckpointId(inner.log.last());
        let most = keep.unwrap_or(last).min(last);
        let list: Vec<_> = inner.log.list().map(|head| (head.id, head.time)).collect();
        let mut first = list
            .iter()
            .find(|(id, time)| *time >= oldest || *id >= most);
        let mut live = self.live(inner, &table, packs, first.map_or(0, |(id, _)| id.0))?;
        let aim = self.bounds.store / 10 * AIM;
        if is_due(before, &self.bounds) {
            let mut after = list.iter().filter(|(id, _)| *id <= most);
            while packs.weight(&live) > aim {
                let now = first.map_or(0, |(id, _)| id.0);
                // A tenth of what is left at a time: each costs a pass over the log.
                let ahead = after
                    .clone()
                    .filter(|(id, _)| id.0 > now)
                    .count()
                    .div_ceil(10);
                let Some(next) = after
                    .by_ref()
                    .filter(|(id, _)| id.0 > now)
                    .nth(ahead.saturating_sub(1))
                else {
                    break;
                };
                first = Some(next);
                live = self.live(inner, &table, packs, next.0.0)?;
            }
        }
        let first = first.map_or(0, |(id, _)| id.0);
        let gone = list.iter().filter(|(id, _)| id.0 < first).count();
        // What the log is about to lose is in the table first.
        table.save(&self.folder)?;
        if gone > 0 {
            inner.log.keep_from(first)?;
        }
        packs.keep(&live)?;
        let bytes = (before, packs.bytes() + inner.log.bytes());
        inner.table = Some(table);
        Ok(Swept {
            checkpoints: gone,
            bytes,
            still_due: is_due(bytes.1, &self.bounds),
        })
    }

    /// Contents that the table and the checkpoints from `first` on refer to.
    fn live(
        &self,
        inner: &Inner,
        table: &Table,
        packs: &Packs,
        first: u64,
    ) -> io::Result<HashSet<Hash>> {
        let mut live = HashSet::new();
        let mut add = |state: &FileState| {
            if let Some(BlobId::Own(hash)) = state.blob() {
                live.insert(hash);
            }
        };
        for entry in &table.entries {
            add(&entry.state);
        }
        for record in inner.log.records(first.saturating_sub(1), u64::MAX)? {
            for delta in &record.deltas {
                delta.before.iter().for_each(&mut add);
                add(&delta.after);
            }
        }
        packs.with_bases(&mut live);
        Ok(live)
    }
}
