//! What a session holds of its review, in a file beside the session's own: it changes often and as a whole,
//! and a session's lines are only ever added to.

use std::{
    fs,
    io::{self, BufReader, Read, Write},
    path::{Path, PathBuf},
};

use tempfile::NamedTempFile;

use crate::{
    config::Dirs,
    files,
    model::KeptReview,
    store::format::{MAX_REVIEW, read_review, write_review},
};

pub const SUFFIX: &str = "review";

/// That of the session whose file is there.
pub fn beside(session: &Path) -> PathBuf {
    session.with_extension(SUFFIX)
}

/// What can be read of it: what cannot is logged, and costs only itself.
pub fn read(session: &Path) -> KeptReview {
    let path = beside(session);
    let read = files::regular(&path).and_then(|file| {
        let most = u64::try_from(MAX_REVIEW).unwrap_or(u64::MAX);
        if file.metadata()?.len() > most {
            return Err(io::Error::other("too large to be ours"));
        }
        read_review(BufReader::new(file.take(most)))
    });
    let trouble = match read {
        Ok((review, 0)) => return review,
        Ok((review, lost)) => {
            tracing::warn!(path = %path.display(), lost, "lines of a stored review cannot be read");
            return review;
        }
        Err(error) => error,
    };
    if trouble.kind() != io::ErrorKind::NotFound {
        tracing::warn!(path = %path.display(), error = %trouble, "a stored review cannot be read");
    }
    KeptReview::default()
}

/// Puts it in the place of what there is, for the person alone; nothing held leaves no file.
///
/// # Errors
/// As for files; then the old one is still there.
pub fn write(session: &Path, review: &KeptReview) -> io::Result<()> {
    if review.is_empty() {
        return remove(session);
    }
    let path = beside(session);
    let folder = path.parent().unwrap_or(Path::new("."));
    Dirs::ensure(folder)?;
    // With a name of its own: another client may be doing the same.
    let mut new = NamedTempFile::new_in(folder)?;
    new.write_all(&write_review(review, MAX_REVIEW))?;
    new.persist(&path)?;
    Ok(())
}

/// # Errors
/// As for files; that there is none is no error.
pub fn remove(session: &Path) -> io::Result<()> {
    match fs::remove_file(beside(session)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Bytes of it.
pub fn len(session: &Path) -> u64 {
    fs::symlink_metadata(beside(session)).map_or(0, |meta| meta.len())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::model::KeptMark;

    fn marked(content: u64) -> KeptReview {
        let mark = KeptMark {
            path: "/p/a.rs".into(),
            content,
        };
        KeptReview {
            marks: vec![mark],
            ..KeptReview::default()
        }
    }

    #[test]
    fn it_is_for_the_person_alone_and_goes_when_nothing_is_held() {
        let state = tempfile::tempdir().expect("a folder");
        let session = state.path().join("sessions/abc.jsonl");
        assert!(read(&session).is_empty());
        for content in [1, 2] {
            write(&session, &marked(content)).expect("written");
            assert_eq!(read(&session), marked(content));
        }
        let mode = |path: &Path| {
            let meta = fs::metadata(path).expect("there");
            meta.permissions().mode() & 0o777
        };
        assert_eq!(mode(&beside(&session)), 0o600);
        assert_eq!(mode(session.parent().expect("a folder")), 0o700);
        write(&session, &KeptReview::default()).expect("removed");
        assert!(!beside(&session).exists());
        write(&session, &KeptReview::default()).expect("as before");
    }

    #[test]
    fn what_is_no_review_is_passed_over_and_can_be_written_again() {
        let state = tempfile::tempdir().expect("a folder");
        let session = state.path().join("abc.jsonl");
        let path = beside(&session);
        fs::create_dir(&path).expect("made");
        assert!(read(&session).is_empty());
        assert!(write(&session, &marked(1)).is_err());
        fs::remove_dir(&path).expect("removed");
        fs::write(&path, b"\xff\x00 garbage\n").expect("written");
        assert!(read(&session).is_empty());
        let line = write_review(&marked(1), MAX_REVIEW);
        for (len, kept) in [
            (MAX_REVIEW - 1, true),
            (MAX_REVIEW, true),
            (MAX_REVIEW + 1, false),
        ] {
            let mut all = line.clone();
            all.resize(len, b'\n');
            fs::write(&path, all).expect("written");
            assert_eq!(!read(&session).is_empty(), kept, "{len}");
        }
        write(&session, &marked(2)).expect("written");
        assert_eq!(read(&session), marked(2));
    }
}
