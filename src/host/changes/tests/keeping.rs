//! What is kept, for how long, and what a crash leaves of it.

use std::time::Duration;

use super::*;

fn noise(seed: u32) -> Vec<u8> {
    let mut state = seed.wrapping_add(1);
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..4_000).map(|_| next()).collect()
}

#[test]
fn old_checkpoints_go_and_the_rest_can_be_put_back() {
    let project = Project::new();
    project.write("file", noise(0));
    let changes = project.open();
    changes.looked();
    let mut at = Vec::new();
    for n in 1..20 {
        project.write("file", noise(n));
        at.push(changes.looked().at);
    }
    let swept = changes.sweep(0, Duration::ZERO, None).unwrap();
    assert_eq!(swept.checkpoints, 0, "nothing is old at that time");
    let now = walk::now() / 1_000_000;
    let swept = changes
        .sweep(now + 10_000, Duration::ZERO, Some(at[10]))
        .unwrap();
    assert_eq!(swept.checkpoints, 11);
    assert!(swept.bytes.1 < swept.bytes.0 * 3 / 4, "{swept:?}");
    assert!(changes.changes(at[3], at[12]).is_err());
    let selection = Selection {
        from: at[11],
        to: at[18],
        parts: None,
        keep: std::collections::BTreeSet::new(),
    };
    changes
        .undo(&selection, Cause::of(CauseKind::Undo), false)
        .unwrap();
    assert_eq!(project.read("file"), noise(12));
    drop(changes);
    let changes = project.open();
    assert_eq!(changes.looked().changed, 0);
}

#[test]
fn a_sweep_keeps_the_store_within_its_bound() {
    let project = Project::new();
    project.write("file", noise(0));
    let bounds = Bounds {
        store: 100_000,
        ..Bounds::default()
    };
    let changes = project.open_with(bounds);
    changes.looked();
    for n in 1..200 {
        project.write("file", noise(n));
        let looked = changes.looked();
        assert_eq!(looked.uncovered.left, 0, "{n}");
        if looked.nearly_full {
            changes.sweep(0, Duration::MAX, None).unwrap();
        }
    }
    let size: u64 = fs::read_dir(&project.store)
        .unwrap()
        .map(|entry| entry.unwrap().metadata().unwrap().len())
        .sum();
    assert!(size < 170_000, "{size}");
    let list = changes.checkpoints().unwrap();
    assert!(list.len() > 5, "{}", list.len());
    let last = list.len() - 1;
    let files = changes.changes(list[last - 3].id, list[last].id).unwrap();
    assert_eq!(
        changes.content(files[0].before.blob().unwrap()).unwrap(),
        noise(196)
    );
}

#[test]
fn many_small_changes_take_little() {
    let project = Project::new();
    let mut texts: Vec<Vec<String>> = (0..10)
        .map(|file| {
            (0..500)
                .map(|n| format!("    let value_{n} = call_{file}({});\n", n * 7))
                .collect()
        })
        .collect();
    let changes = project.open();
    for (file, lines) in texts.iter().enumerate() {
        project.write(&format!("{file}.rs"), lines.concat());
    }
    changes.looked();
    for turn in 0..50 {
        for (file, lines) in texts.iter_mut().enumerate() {
            lines[(turn * 31 + file) % 500] = format!("    changed in turn {turn};\n");
            project.write(&format!("{file}.rs"), lines.concat());
        }
        assert_eq!(changes.looked().changed, 10);
    }
    let size: u64 = fs::read_dir(&project.store)
        .unwrap()
        .map(|entry| entry.unwrap().metadata().unwrap().len())
        .sum();
    // 50 turns of 10 files of 20 KB; 1,000 such turns may take 40 MB.
    assert!(size < 2_000_000, "{size}");
}

#[test]
fn whatever_byte_of_the_log_or_the_table_is_lost_a_look_goes_on() {
    let project = Project::new();
    project.write("file", "one\n");
    let changes = project.open();
    let first = changes.looked().at;
    project.write("file", "two\n");
    changes.looked();
    drop(changes);
    let names = ["log", "table"];
    let whole = names.map(|name| fs::read(project.store.join(name)).unwrap());
    for (name, bytes) in names.iter().zip(&whole) {
        for length in (0..bytes.len()).step_by(3) {
            for (name, bytes) in names.iter().zip(&whole) {
                fs::write(project.store.join(name), bytes).unwrap();
            }
            fs::write(project.store.join(name), &bytes[..length]).unwrap();
            let changes = project.open();
            let at = changes.looked().at;
            project.write("file", "three\n");
            let files = changes.since(at);
            assert_eq!(files.len(), 1, "{name} {length}");
            assert_eq!(
                changes.content(files[0].before.blob().unwrap()).unwrap(),
                b"two\n"
            );
            project.write("file", "two\n");
            let _ = changes.changes(first, at);
            changes.looked();
            drop(changes);
        }
    }
}
