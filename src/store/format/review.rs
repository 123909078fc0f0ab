//! The stored form of what a session holds of its review: a line of JSON for each comment and each mark.

use std::io::{self, BufRead};

use serde::{Deserialize, Serialize};

use super::VERSION;
use crate::model::{KeptComment, KeptMark, KeptReview};

/// Bytes of one. What the review itself keeps is less; beyond it, the oldest marks are not written, then
/// the newest comments.
pub const MAX_REVIEW: usize = 4 << 20;

#[derive(Serialize)]
struct Written<'a> {
    v: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<&'a KeptComment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mark: Option<&'a KeptMark>,
}

/// Members that are not known are passed over, so that later versions can add some.
#[derive(Deserialize)]
struct Read {
    v: u32,
    comment: Option<KeptComment>,
    mark: Option<KeptMark>,
}

/// As lines, of `most` bytes together.
pub fn write_review(review: &KeptReview, most: usize) -> Vec<u8> {
    let comments = review.comments.iter().map(|comment| Written {
        v: VERSION,
        comment: Some(comment),
        mark: None,
    });
    let mark = |mark| Written {
        v: VERSION,
        comment: None,
        mark: Some(mark),
    };
    let mut out = Vec::new();
    for comment in comments {
        let line = line(&comment);
        if out.len() + line.len() > most {
            return out;
        }
        out.extend(line);
    }
    let mut left = most - out.len();
    let newest = review.marks.iter().rev();
    let fit = newest.map(|of| line(&mark(of))).take_while(|line| {
        let fits = line.len() <= left;
        left = left.saturating_sub(line.len());
        fits
    });
    let fit: Vec<Vec<u8>> = fit.collect();
    out.extend(fit.into_iter().rev().flatten());
    out
}

fn line(written: &Written<'_>) -> Vec<u8> {
    // Writing to memory does not fail, nor has anything here a key that is no string.
    let mut line = serde_json::to_vec(written).unwrap_or_default();
    line.push(b'\n');
    line
}

/// What can be read, and how many lines cannot.
///
/// # Errors
/// As for files.
pub fn read_review(file: impl BufRead) -> io::Result<(KeptReview, usize)> {
    let (mut review, mut lost) = (KeptReview::default(), 0);
    for line in file.split(b'\n') {
        let line = line?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        match serde_json::from_slice::<Read>(&line) {
            Ok(read) if read.v <= VERSION => {
                review.comments.extend(read.comment);
                review.marks.extend(read.mark);
            }
            Ok(_) | Err(_) => lost += 1,
        }
    }
    Ok((review, lost))
}

#[cfg(test)]
mod tests {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

    use super::*;

    fn comment(text: &str) -> KeptComment {
        KeptComment {
            path: "/p/a.rs".into(),
            name: "a.rs".into(),
            old: true,
            lines: 4..6,
            shift: 10,
            quote: vec!["one".into(), "two".into()],
            more: 3,
            around: [None, Some("three".into())],
            text: text.into(),
            stale: true,
            content: u64::MAX,
        }
    }

    fn mark(path: &[u8], content: u64) -> KeptMark {
        KeptMark {
            path: OsStr::from_bytes(path).into(),
            content,
        }
    }

    fn read(bytes: &[u8]) -> (KeptReview, usize) {
        read_review(bytes).expect("memory can be read")
    }

    #[test]
    fn all_of_it_comes_back_whatever_bytes_a_path_has() {
        let of_plan = KeptComment {
            text: "of the plan\nin two lines".into(),
            ..KeptComment::default()
        };
        let review = KeptReview {
            marks: vec![mark(b"/p/caf\xe9\n", 1), mark("/p/café".as_bytes(), 2)],
            comments: vec![comment("Why?"), of_plan],
        };
        let written = write_review(&review, MAX_REVIEW);
        assert_eq!(read(&written), (review, 0));
    }

    #[test]
    fn lines_that_cannot_be_read_cost_only_themselves() {
        let mut review = KeptReview {
            marks: vec![mark(b"/p/a", 1), mark(b"/p/b", 2)],
            comments: vec![comment("Why?")],
        };
        let written = write_review(&review, MAX_REVIEW);
        let mut torn = b"no json\n{\"v\":99,\"comment\":{}}\n\n".to_vec();
        torn.extend(&written[..written.len() - 3]);
        review.marks.pop();
        assert_eq!(read(&torn), (review, 3));
        // What a later version adds is passed over.
        let (review, lost) = read(br#"{"v":1,"mark":{"path":"a","content":1,"by":"x"},"new":1}"#);
        assert_eq!((review.marks, lost), (vec![mark(b"a", 1)], 0));
    }

    #[test]
    fn beyond_a_bound_in_bytes_comments_stay_and_the_oldest_marks_go() {
        let review = KeptReview {
            marks: vec![mark(b"/p/a", 1), mark(b"/p/b", 2)],
            comments: vec![comment("first"), comment("later")],
        };
        let all = write_review(&review, MAX_REVIEW).len();
        let of_mark = write_review(
            &KeptReview {
                marks: vec![mark(b"/p/a", 1)],
                ..KeptReview::default()
            },
            MAX_REVIEW,
        );
        let (none, one) = (all - 2 * of_mark.len(), all - of_mark.len());
        for (most, comments, marks) in [
            (all + 1, 2, 2),
            (all, 2, 2),
            (all - 1, 2, 1),
            (one, 2, 1),
            (one - 1, 2, 0),
            (none, 2, 0),
            (none - 1, 1, 0),
        ] {
            let written = write_review(&review, most);
            assert!(written.len() <= most);
            let (read, lost) = read(&written);
            let kept = (read.comments.len(), read.marks.len(), lost);
            assert_eq!(kept, (comments, marks, 0), "{most}");
            assert!(read.marks.last().is_none_or(|last| last.content == 2));
        }
    }

    proptest::proptest! {
        #[test]
        fn any_file_can_be_read(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
            let _ = read(&bytes);
        }
    }
}
