//! What comes of a file that is to be put back: merged with what changed since, or left as it is.

use std::{collections::HashMap, path::Path};

use super::{
    place::{Disk, Wanted},
    read::is_binary,
    since::path,
};
use crate::model::Conflict;

/// Of a file that is merged.
const MAX_MERGED: usize = 4 << 20;
/// Lines, removed and added, by which two sides that are merged may differ.
const MAX_DIFFERENT: usize = 5_000;
/// Lines that are compared to know that: as many as it takes for so many that differ, twice.
const MAX_COMPARED: usize = MAX_DIFFERENT * MAX_DIFFERENT;

/// What comes of one file.
pub enum Step {
    Nothing,
    Write { wanted: Wanted, merged: bool },
    Conflict(Box<Conflict>),
    Refuse(String),
}

/// What to do so that `before` counts again where `after` did.
pub fn against_disk(at: &Path, before: Wanted, after: Wanted, disk: Disk) -> Step {
    if before.is(&disk) {
        return Step::Nothing;
    }
    if after.is(&disk) {
        return Step::Write {
            wanted: before,
            merged: false,
        };
    }
    match (before, after, disk) {
        (_, _, Disk::Other(why)) => Step::Refuse(why),
        (_, _, Disk::Folder) => Step::Refuse("there is a folder".to_owned()),
        (Wanted::File(before, mode), Wanted::File(after, after_mode), Disk::File(disk, bits)) => {
            // Bits that were changed since stay.
            let mode = if bits == after_mode { mode } else { bits };
            merge(at, &before, &after, disk, mode)
        }
        (Wanted::File(before, mode), Wanted::Absent, Disk::File(disk, bits)) => {
            let mode = if disk == before { mode } else { bits };
            merge(at, &before, &[], disk, mode)
        }
        (before, _, disk) => in_words(at, before, disk),
    }
}

/// A conflict of what has no lines: what is there, and what would be.
pub fn in_words(at: &Path, wanted: Wanted, disk: Disk) -> Step {
    let link = |target: &[u8]| format!("a link to {}", path(target).display());
    let file = |content: &[u8]| match is_binary(content) {
        true => format!("a binary file of {} bytes", content.len()),
        false => format!("a file of {} bytes", content.len()),
    };
    let away = "move it away to have that";
    let (there, next, disk) = match disk {
        Disk::File(content, _) => (file(&content), away, content),
        Disk::Link(target) => (link(&target), away, target),
        Disk::Absent | Disk::Folder | Disk::Other(_) => {
            let next = "it was removed since, and stays so";
            ("nothing".to_owned(), next, Vec::new())
        }
    };
    let (back, wanted) = match wanted {
        Wanted::File(content, _) => (format!("{} would come back", file(&content)), content),
        Wanted::Link(target) => (format!("{} would come back", link(&target)), target),
        Wanted::Absent => ("it would go".to_owned(), Vec::new()),
    };
    Step::Conflict(Box::new(Conflict {
        path: at.to_owned(),
        disk,
        wanted,
        marked: Vec::new(),
        words: format!("{there} is there now, {back}: {next}"),
    }))
}

fn merge(at: &Path, before: &[u8], after: &[u8], disk: Vec<u8>, mode: u32) -> Step {
    let conflict = |marked: Vec<u8>, disk: Vec<u8>| {
        Step::Conflict(Box::new(Conflict {
            path: at.to_owned(),
            disk,
            wanted: before.to_vec(),
            marked,
            words: String::new(),
        }))
    };
    let sides = [before, after, &disk];
    if sides
        .iter()
        .any(|side| is_binary(side) || side.len() > MAX_MERGED)
    {
        // Only the mode was changed since, or is to be put back.
        return match (disk == after, disk == before) {
            (true, _) => Step::Write {
                wanted: Wanted::File(before.to_vec(), mode),
                merged: true,
            },
            (_, true) => Step::Write {
                wanted: Wanted::File(disk, mode),
                merged: true,
            },
            _ => in_words(
                at,
                Wanted::File(before.to_vec(), mode),
                Disk::File(disk, mode),
            ),
        };
    }
    let pairs = [(after, disk.as_slice()), (after, before)];
    if !pairs.iter().all(|(one, other)| is_near(one, other)) {
        return Step::Conflict(Box::new(Conflict {
            path: at.to_owned(),
            disk,
            wanted: before.to_vec(),
            marked: Vec::new(),
            words: format!(
                "too many lines differ to be merged (more than {MAX_DIFFERENT}): put them back by \
                 hand, `acp-tui changes` prints them"
            ),
        }));
    }
    match diffy::merge_bytes(after, &disk, before) {
        Ok(merged) if merged == disk => Step::Nothing,
        Ok(merged) => Step::Write {
            wanted: Wanted::File(merged, mode),
            merged: true,
        },
        Err(marked) => conflict(marked, disk),
    }
}

/// Whether a merge has no more to do than it may take: it grows with the square of the lines that differ.
/// What is counted here are the steps that it would take as well (Myers' greedy comparison).
fn is_near(one: &[u8], other: &[u8]) -> bool {
    let mut numbers: HashMap<&[u8], u32> = HashMap::new();
    let mut numbered = |text| -> Vec<u32> {
        let lines = <[u8]>::split_inclusive(text, |byte| *byte == b'\n');
        lines
            .map(|line| {
                let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                *numbers.entry(line).or_insert(next)
            })
            .collect()
    };
    let (one, other) = (numbered(one), numbered(other));
    let same = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let (one, other) = (
        one.get(same..).unwrap_or_default(),
        other.get(same..).unwrap_or_default(),
    );
    if one.len().abs_diff(other.len()) > MAX_DIFFERENT {
        return false;
    }
    // How far each diagonal has come, those below zero at the end.
    let middle = MAX_DIFFERENT + 1;
    let mut reached = vec![0_usize; 2 * middle + 1];
    let mut compared = 0_usize;
    for different in 0..=MAX_DIFFERENT {
        for at in (middle - different..=middle + different).step_by(2) {
            let left = reached.get(at - 1).copied().unwrap_or(0);
            let right = reached.get(at + 1).copied().unwrap_or(0);
            let down = at == middle - different || (at != middle + different && left < right);
            let mut x = if down { right } else { left + 1 };
            let mut y = (x + middle).saturating_sub(at);
            let from = x;
            while one.get(x).is_some_and(|line| other.get(y) == Some(line)) {
                (x, y) = (x + 1, y + 1);
            }
            if x >= one.len() && y >= other.len() {
                return true;
            }
            compared += 1 + x - from;
            if let Some(reached) = reached.get_mut(at) {
                *reached = x;
            }
        }
        if compared > MAX_COMPARED {
            return false;
        }
    }
    false
}
