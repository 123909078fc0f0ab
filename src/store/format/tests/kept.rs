//! Files that an earlier version wrote.

use std::fs;

use super::*;

fn files() -> Vec<(String, Vec<u8>)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/stored");
    let paths = fs::read_dir(folder).expect("fixtures").flatten();
    let paths = paths.filter(|file| file.path().is_file());
    let mut files: Vec<_> = paths
        .map(|file| {
            let name = file.file_name().to_string_lossy().into_owned();
            (name, fs::read(file.path()).expect("a file"))
        })
        .collect();
    files.sort();
    assert!(files.len() > 5);
    files
}

/// What stands in it, as lines of this version.
fn written(session: &StoredSession) -> String {
    let lines: Vec<Line> = session.lines().collect();
    String::from_utf8(bytes(&lines)).expect("JSON")
}

#[test]
fn a_line_of_before_is_written_as_it_was() {
    for (name, file) in files() {
        let text = String::from_utf8(file).expect("UTF-8");
        let known = |line: &&str| {
            let later = ["soon", "hologram\"", "\"v\":9", "teleport"];
            !later.iter().any(|word| line.contains(word))
        };
        for text in text.lines().filter(known) {
            let Some(line) = Line::read(text.as_bytes()) else {
                continue;
            };
            let mut again = Vec::new();
            line.write(&mut again);
            // A control character was made visible as it was read.
            let text = text.replace("\\u001b", "\u{241b}") + "\n";
            assert_eq!(String::from_utf8(again).expect("JSON"), text, "{name}");
        }
    }
}

#[test]
fn what_was_stored_before_is_the_same_when_it_is_written_again() {
    for (name, file) in files() {
        let session = StoredSession::read(&file).expect("a session");
        let again = written(&session);
        let read = StoredSession::read(again.as_bytes()).expect("a session");
        assert_eq!(written(&read), again, "{name}");
        assert_eq!(read.said.blocks, session.said.blocks, "{name}");
    }
}

/// What is shown of each block, and what is stored of that.
#[test]
fn what_was_stored_before_is_shown_as_it_was() {
    let now = Instant::now();
    let mut out = Vec::new();
    for (_, file) in files() {
        let mut session = StoredSession::read(&file).expect("a session");
        let children = std::mem::take(&mut session.children).into_values();
        for said in std::iter::once(session.said).chain(children) {
            for StoredBlock { at, block, .. } in said.blocks {
                let id = block.id;
                if let Some(kind) = block.into_history(now) {
                    Line::block(at, Block::new(id, &kind)).write(&mut out);
                }
            }
            let (plan, plans) = Pinned::restore(said.plans);
            Line::plans(0, Pinned::all(&plan, &plans)).write(&mut out);
        }
    }
    insta::assert_snapshot!(String::from_utf8(out).expect("JSON"));
}
