//! Two texts as a unified diff.

use std::{
    fmt::Write,
    time::{Duration, Instant},
};

use similar::{ChangeTag, DiffTag, TextDiff};

/// Unchanged lines around each change.
const CONTEXT: usize = 3;

/// After this the comparison is finished roughly: correct, but not the shortest.
const TIMEOUT: Duration = Duration::from_millis(500);

/// Up to this many pairs of lines a comparison is quick whatever it meets, and runs without the
/// timeout, so that what is shown never depends on how busy the machine is.
const SMALL: usize = 1 << 20;

/// A unified diff, and whether the timeout struck.
pub(super) struct Unified {
    pub text: String,
    pub rough: bool,
}

/// What turns `old` into `new`, with names as they are given.
pub(super) fn unified(old: &str, new: &str, old_name: &str, new_name: &str) -> Unified {
    let (old, new) = (lines(old), lines(new));
    let small = old.len().saturating_mul(new.len()) <= SMALL;
    let started = Instant::now();
    let mut config = TextDiff::configure();
    if !small {
        config.timeout(TIMEOUT);
    }
    let diff = config.diff_slices(&old, &new);
    let rough = !small && started.elapsed() >= TIMEOUT;
    let mut text = format!("--- {old_name}\n+++ {new_name}\n");
    for group in diff.grouped_ops(CONTEXT) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else {
            continue;
        };
        let before = first.old_range().start..last.old_range().end;
        let after = first.new_range().start..last.new_range().end;
        let _ = writeln!(text, "@@ -{} +{} @@", range(&before), range(&after));
        for op in &group {
            if op.tag() == DiffTag::Equal {
                for at in op.old_range() {
                    push(&mut text, ' ', old.get(at));
                }
                continue;
            }
            for change in diff.iter_changes(op) {
                let sign = match change.tag() {
                    ChangeTag::Equal => ' ',
                    ChangeTag::Delete => '-',
                    ChangeTag::Insert => '+',
                };
                push(&mut text, sign, Some(&change.value()));
            }
        }
    }
    Unified { text, rough }
}

/// Lines with their ends.
pub(super) fn lines(text: &str) -> Vec<&str> {
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
