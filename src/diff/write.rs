//! Two texts compared line by line, and as a unified diff.

use std::{
    fmt::Write,
    time::{Duration, Instant},
};

use similar::{DiffOp, DiffTag, TextDiff};

/// Unchanged lines around each change.
pub const CONTEXT: usize = 3;

/// After this time the comparison is finished roughly: correct, but not minimal.
const TIMEOUT: Duration = Duration::from_millis(500);

/// With at most this many pairs of lines a comparison is always quick and runs without the timeout,
/// so that the result does not depend on how busy the machine is.
const SMALL: usize = 1 << 20;

/// Runs of changes, each with [`CONTEXT`] around it, and whether the timeout struck.
pub struct Groups {
    pub list: Vec<Vec<DiffOp>>,
    pub rough: bool,
}

/// What turns the lines `old` into `new`; finished roughly after `timeout`.
pub fn groups(old: &[&str], new: &[&str], timeout: Duration) -> Groups {
    let small = old.len().saturating_mul(new.len()) <= SMALL;
    let started = Instant::now();
    let mut config = TextDiff::configure();
    if !small {
        config.timeout(timeout);
    }
    let diff = config.diff_slices(old, new);
    Groups {
        rough: !small && started.elapsed() >= timeout,
        list: diff.grouped_ops(CONTEXT),
    }
}

/// How many lines were added and removed; roughly after `timeout`.
pub fn changed_lines(old: &str, new: &str, timeout: Duration) -> (usize, usize) {
    let (old, new) = (lines(old), lines(new));
    let groups = groups(&old, &new, timeout);
    let changed = groups.list.iter().flatten();
    let changed = changed.filter(|op| op.tag() != DiffTag::Equal);
    changed.fold((0, 0), |(added, removed), op| {
        (added + op.new_range().len(), removed + op.old_range().len())
    })
}

/// A unified diff, and whether the timeout struck.
pub struct Unified {
    pub text: String,
    pub rough: bool,
}

/// What turns `old` into `new`, with names as they are given.
pub fn unified(old: &str, new: &str, old_name: &str, new_name: &str) -> Unified {
    let (old, new) = (lines(old), lines(new));
    let Groups { list, rough } = groups(&old, &new, TIMEOUT);
    let mut text = format!("--- {old_name}\n+++ {new_name}\n");
    for group in list {
        let (Some(first), Some(last)) = (group.first(), group.last()) else {
            continue;
        };
        let before = first.old_range().start..last.old_range().end;
        let after = first.new_range().start..last.new_range().end;
        let _ = writeln!(text, "@@ -{} +{} @@", range(&before), range(&after));
        for op in &group {
            let same = op.tag() == DiffTag::Equal;
            let removed = if same { ' ' } else { '-' };
            for at in op.old_range() {
                push(&mut text, removed, old.get(at));
            }
            for at in op.new_range().filter(|_| !same) {
                push(&mut text, '+', new.get(at));
            }
        }
    }
    Unified { text, rough }
}

/// Lines with their ends.
pub fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// As git counts: from 1, and where there are no lines the one before.
fn range(lines: &std::ops::Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        count => format!("{},{count}", lines.start + 1),
    }
}

fn push(text: &mut String, sign: char, line: Option<&&str>) {
    let Some(line) = line else { return };
    text.push(sign);
    text.push_str(line);
    if !line.ends_with('\n') {
        text.push_str("\n\\ No newline at end of file\n");
    }
}
