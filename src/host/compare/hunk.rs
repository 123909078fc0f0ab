//! Hunks of a patch in their file.

use std::cell::Cell;

use super::find::{MAX_STEPS, Misfit};
use crate::diff::{Hunk, HunkLine, HunkSign, hunks, lines};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// To the text after.
    Ahead,
    /// To the text before.
    Back,
}

/// `text` with a patch done to it, or undone. Hunks may have moved; each stands where its lines
/// are, the nearest place behind the one before.
///
/// # Errors
/// It is not a patch, or one of its hunks does not occur.
pub fn apply(patch: &str, text: &str, way: Way) -> Result<String, Misfit> {
    let hunks = hunks(patch);
    let heads = patch.split('\n').filter(|line| line.starts_with("@@ "));
    // Lines within hunks begin with a sign.
    if hunks.is_empty() || heads.count() != hunks.len() {
        return Err(Misfit::Unreadable);
    }
    let done = done(&hunks, text, way);
    match done {
        // The patch has lines without carriage returns, the file has them.
        Err(Misfit::Never) if text.contains("␍\n") => {
            self::done(&hunks, &text.replace("␍\n", "\n"), way)
        }
        done => done,
    }
}

fn done(hunks: &[Hunk<'_>], text: &str, way: Way) -> Result<String, Misfit> {
    let (gone, come) = match way {
        Way::Ahead => (HunkSign::Removed, HunkSign::Added),
        Way::Back => (HunkSign::Added, HunkSign::Removed),
    };
    let file = lines(text);
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for hunk in hunks {
        let old: Vec<&HunkLine<'_>> = hunk.lines.iter().filter(|line| line.sign != come).collect();
        let wanted = match way {
            Way::Ahead => hunk.old_before,
            Way::Back => hunk.new_before,
        };
        let at = place(&file, &old, wanted, done)?;
        out.extend(file.get(done..at).unwrap_or_default().iter().copied());
        done = at;
        for line in &hunk.lines {
            if line.sign == come {
                end_line(&mut out);
                out.push_str(line.text);
                if !line.unended {
                    out.push('\n');
                }
                continue;
            }
            if line.sign != gone {
                end_line(&mut out);
                out.push_str(file.get(done).copied().unwrap_or_default());
            }
            done += 1;
        }
    }
    let rest = file.get(done..).unwrap_or_default();
    if !rest.is_empty() {
        end_line(&mut out);
    }
    out.extend(rest.iter().copied());
    Ok(out)
}

/// What follows begins a line.
fn end_line(out: &mut String) {
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
}

/// Where lines stand in the file: where they are said to, else the one other place behind `from`.
fn place(
    file: &[&str],
    old: &[&HunkLine<'_>],
    wanted: usize,
    from: usize,
) -> Result<usize, Misfit> {
    let steps = Cell::new(0);
    let stands = |at: usize| {
        let there = file.get(at..at + old.len());
        there.is_some_and(|there| {
            let mut pairs = there.iter().zip(old);
            pairs.all(|(line, told)| {
                steps.set(steps.get() + 1);
                line.strip_suffix('\n').unwrap_or(line) == told.text
            })
        })
    };
    if wanted >= from && stands(wanted) {
        return Ok(wanted);
    }
    if old.is_empty() {
        return Err(Misfit::Never);
    }
    let last = file.len().saturating_sub(old.len());
    let mut places = (from..=last)
        .take_while(|_| steps.get() <= MAX_STEPS)
        .filter(|at| stands(*at));
    let Some(first) = places.next() else {
        return Err(Misfit::Never);
    };
    match places.count() {
        0 => Ok(first),
        others => Err(Misfit::Times(others + 1)),
    }
}
