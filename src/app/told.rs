//! What a person is told once, whatever client tells it: where a key moved.

use std::{
    collections::BTreeSet,
    fs::OpenOptions,
    io::{Read as _, Write as _},
    path::Path,
};

use crate::files;

/// Its file, in the folder of the state: a line for each.
const FILE: &str = "told";

/// Bytes that are read of it; what is behind them may be told again.
const MAX_BYTES: u64 = 16 << 10;

/// What was told before. Where nothing can be read it is told again.
pub fn told(state: &Path) -> BTreeSet<String> {
    let mut text = String::new();
    let read = files::regular(&state.join(FILE))
        .and_then(|file| file.take(MAX_BYTES).read_to_string(&mut text));
    match read {
        Ok(_) => text.lines().map(str::to_owned).collect(),
        Err(_) => BTreeSet::new(),
    }
}

/// Keeps that it was told. Where that fails it is told again by the next client.
pub fn keep(state: &Path, what: &str) {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    let written = files::writable(&state.join(FILE), &mut options)
        .and_then(|mut file| writeln!(file, "{what}"));
    if let Err(error) = written {
        tracing::debug!(%error, "what was told is not kept");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_told_is_known_to_the_next_client() {
        let state = tempfile::tempdir().expect("a folder");
        keep(state.path(), "ctrl-x");
        keep(state.path(), "ctrl-q");
        assert!(told(state.path()).iter().eq(["ctrl-q", "ctrl-x"]));
    }

    #[test]
    fn what_was_told_is_read_up_to_its_bound() {
        let state = tempfile::tempdir().expect("a folder");
        assert!(told(state.path()).is_empty(), "nothing yet");
        let path = state.path().join(FILE);
        let bound = usize::try_from(MAX_BYTES).expect("small");
        for (bytes, whole) in [(bound - 1, true), (bound, true), (bound + 1, false)] {
            let line = "x".repeat(bytes - "ctrl-x\n".len());
            std::fs::write(&path, format!("ctrl-x\n{line}")).expect("written");
            let told = told(state.path());
            assert!(told.contains("ctrl-x"));
            assert_eq!(told.contains(&line), whole, "{bytes}");
        }
    }
}
