use std::fs;

use super::*;
use crate::model::{DiffText, Extent};

fn asked(dir: &Path, block: u64, claims: Vec<Claim>) -> Comparison {
    Comparison {
        of: Compared::Call {
            inside: None,
            block,
            ticket: 1,
        },
        cwd: dir.to_owned(),
        claims,
        fresh: false,
        late: false,
    }
}

fn claim(path: &str, old: Option<&str>, new: &str) -> Claim {
    let diff = Diff::of_texts(path.into(), old.map(SafeText::new), SafeText::new(new));
    Claim::new(diff, Extent::Unknown)
}

async fn one(before: &OriginalFiles, asked: Comparison) -> Diff {
    let shown = before.compare(asked).await.unwrap();
    Diff::clone(shown[0].as_ref().unwrap())
}

#[tokio::test]
async fn what_a_file_held_before_the_call_outlives_its_change() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    fs::write(&path, "a\nb\nc\n").unwrap();
    let before = OriginalFiles::default();
    let claims = || vec![claim("f", None, "a\nB\nc\n")];
    let first = one(&before, asked(dir.path(), 1, claims())).await;
    assert_eq!(first.change, FileChange::Overwrite);
    fs::write(&path, "a\nB\nc\n").unwrap();
    // The same file by another name of it.
    let absolute = vec![claim(path.to_str().unwrap(), None, "a\nB\nc\n")];
    let mut again = asked(dir.path(), 1, absolute);
    again.late = true;
    let again = one(&before, again).await;
    assert_eq!(again.change, FileChange::Overwrite);
    assert!(matches!(&again.text, DiffText::Patch(patch) if patch.contains("-b\n+B\n")));
    // Asked about before it begins, it is looked at anew; another call has its own.
    let mut fresh = asked(dir.path(), 1, claims());
    fresh.fresh = true;
    let fresh = one(&before, fresh).await;
    assert_eq!(
        fresh.note.as_deref(),
        Some("the file already has this text")
    );
}

#[tokio::test]
async fn what_is_no_text_is_said_without_waiting_for_it() {
    let dir = tempfile::tempdir().unwrap();
    let fifo = dir.path().join("fifo");
    let status = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(status.unwrap().success());
    fs::write(dir.path().join("bytes"), b"caf\xe9\n").unwrap();
    fs::create_dir(dir.path().join("dir")).unwrap();
    let big = fs::File::create(dir.path().join("big")).unwrap();
    big.set_len(MAX_FILE + 1).unwrap();
    let before = OriginalFiles::default();
    for (path, why) in [
        ("fifo", "not a regular file"),
        ("/dev/zero", "not a regular file"),
        ("bytes", "UTF-8"),
        ("dir", "directory"),
        ("big", "more than 4 MiB"),
    ] {
        let shown = one(
            &before,
            asked(dir.path(), 1, vec![claim(path, None, "n\n")]),
        )
        .await;
        let note = shown.note.unwrap_or_default();
        assert!(note.contains(why), "{path}: {note}");
        assert_eq!(shown.change, FileChange::Overwrite, "{path}");
    }
    let shown = one(
        &before,
        asked(dir.path(), 1, vec![claim("no", None, "n\n")]),
    )
    .await;
    assert_eq!(shown.change, FileChange::Add);
}

#[test]
fn a_file_of_the_greatest_size_is_read_and_one_byte_more_is_not() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    for (size, is_text) in [
        (MAX_FILE - 1, true),
        (MAX_FILE, true),
        (MAX_FILE + 1, false),
    ] {
        fs::File::create(&path).unwrap().set_len(size).unwrap();
        assert_eq!(matches!(read(&path), OnDisk::Text(_)), is_text, "{size}");
    }
}

#[test]
fn what_is_kept_is_bounded_by_its_bytes() {
    let mut kept = Kept::default();
    let place = |block| Place {
        inside: None,
        block,
        path: "f".into(),
    };
    let base = || Base {
        file: OnDisk::Text(SafeText::new(&"x".repeat(MAX_KEPT / 4))),
        late: false,
    };
    for block in 0..4 {
        kept.keep(place(block), base());
    }
    assert!(kept.find(&place(0)).is_some());
    kept.keep(place(4), base());
    assert!(kept.find(&place(0)).is_none());
    assert!(kept.find(&place(1)).is_some());
    kept.keep(place(4), base());
    assert_eq!((kept.files.len(), kept.bytes), (4, MAX_KEPT));
}

#[tokio::test]
async fn beyond_a_bound_calls_are_not_compared() {
    let before = OriginalFiles::default();
    let all = u32::try_from(MAX_WAITING).unwrap();
    let held = before.inner.waiting.try_acquire_many(all).unwrap();
    let asked = || asked(Path::new("/"), 1, vec![claim("no", None, "n")]);
    assert!(before.compare(asked()).await.is_none());
    drop(held);
    assert!(before.compare(asked()).await.is_some());
}
