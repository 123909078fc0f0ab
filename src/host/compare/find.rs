//! A fragment in its file.

use crate::text::SafeText;

/// Lines that are compared at most where something is looked for by its lines.
pub(super) const MAX_STEPS: usize = 4 << 20;

/// Why a claim cannot be placed in the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Misfit {
    Never,
    /// It stands there more than once, and nothing shows which one is meant.
    Times(usize),
    /// It is not a patch.
    Unreadable,
}

impl Misfit {
    pub fn said(self) -> SafeText {
        match self {
            Self::Never => "not found in the file: shown as the agent sent it".into(),
            Self::Times(times) => SafeText::line(&format!(
                "found {times} times in the file: shown as the agent sent it"
            )),
            Self::Unreadable => "cannot be read as a patch: shown as the agent sent it".into(),
        }
    }
}

/// `text` with `old` replaced; true where it was found with different indentation only. `lines` tell
/// places (from 1) that may be meant.
///
/// # Errors
/// It occurs nowhere, or more than once.
pub fn replace(
    text: &str,
    old: &str,
    new: &str,
    every: bool,
    lines: &[u32],
) -> Result<(String, bool), Misfit> {
    let mut found = exactly(text, old, new, every, lines);
    if found != Err(Misfit::Never) {
        return found.map(|text| (text, false));
    }
    if text.contains("␍\n") {
        // Agents read and write lines without their carriage returns.
        found = exactly(text, &with_returns(old), &with_returns(new), every, lines);
        if found != Err(Misfit::Never) {
            return found.map(|text| (text, false));
        }
    }
    if text.contains("␍\n") || old.contains("␍\n") {
        let bare = |text: &str| text.replace("␍\n", "\n");
        found = exactly(&bare(text), &bare(old), &bare(new), every, lines);
        if found != Err(Misfit::Never) {
            return found.map(|text| (text, false));
        }
    }
    by_lines(text, old, new).map(|text| (text, true))
}

fn with_returns(text: &str) -> String {
    text.replace("␍\n", "\n").replace('\n', "␍\n")
}

fn exactly(text: &str, old: &str, new: &str, every: bool, lines: &[u32]) -> Result<String, Misfit> {
    let mut places = text.match_indices(old).map(|(at, _)| at);
    let Some(first) = places.next() else {
        return Err(Misfit::Never);
    };
    let others = places.count();
    let at = match others {
        0 => first,
        _ if every => return Ok(text.replace(old, new)),
        _ => meant(text, old, lines).ok_or(Misfit::Times(others + 1))?,
    };
    let (before, rest) = text.split_at(at);
    let behind = rest.get(old.len()..).unwrap_or_default();
    Ok([before, new, behind].concat())
}

/// The only one of several places that begins on one of the lines.
fn meant(text: &str, old: &str, lines: &[u32]) -> Option<usize> {
    if lines.is_empty() {
        return None;
    }
    let (mut line, mut counted) = (1, 0);
    let mut meant = None;
    for (at, _) in text.match_indices(old) {
        let between = text.get(counted..at).unwrap_or_default();
        line += between.bytes().filter(|byte| *byte == b'\n').count();
        counted = at;
        if lines.iter().any(|told| *told as usize == line) && meant.replace(at).is_some() {
            return None;
        }
    }
    meant
}

/// Whole lines that are the same but for one indentation, which the new ones get as well.
fn by_lines(text: &str, old: &str, new: &str) -> Result<String, Misfit> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let wanted: Vec<&str> = old.lines().collect();
    let Some(lead) = wanted.iter().position(|line| !line.trim().is_empty()) else {
        return Err(Misfit::Never);
    };
    let first = wanted.get(lead).map_or("", |line| line.trim());
    let indent_of_old = indentation(&wanted);
    let (mut found, mut times, mut steps) = (None, 0, 0);
    for (at, window) in lines.windows(wanted.len()).enumerate() {
        if window.get(lead).is_none_or(|line| line.trim() != first) {
            continue;
        }
        steps += window.len();
        if steps > MAX_STEPS {
            return Err(Misfit::Never);
        }
        let indent = indentation(window);
        let same = window
            .iter()
            .zip(&wanted)
            .all(|(one, other)| bare(one, indent) == bare(other, indent_of_old));
        if same {
            times += 1;
            found = Some((at, indent));
        }
    }
    let Some((at, indent)) = found.filter(|_| times == 1) else {
        return Err(if times == 0 {
            Misfit::Never
        } else {
            Misfit::Times(times)
        });
    };
    let mut out: String = lines.get(..at).unwrap_or_default().concat();
    let end = at + wanted.len();
    let ended = lines.get(end - 1).is_some_and(|line| line.ends_with('\n'));
    let new_lines: Vec<&str> = new.lines().collect();
    for (n, line) in new_lines.iter().enumerate() {
        let rest = bare(line, indent_of_old);
        if !rest.is_empty() {
            out.push_str(indent);
            out.push_str(rest);
        }
        if ended || n + 1 < new_lines.len() {
            out.push('\n');
        }
    }
    out.extend(lines.get(end..).unwrap_or_default().iter().copied());
    Ok(out)
}

/// The blanks that all lines with text begin with.
fn indentation<'a>(lines: &[&'a str]) -> &'a str {
    let mut common: Option<&'a str> = None;
    for line in lines.iter().filter(|line| !line.trim().is_empty()) {
        let blanks = &line[..line.len() - line.trim_start().len()];
        let shared = match common {
            None => blanks.len(),
            Some(common) => {
                let same = common.bytes().zip(blanks.bytes());
                same.take_while(|(one, other)| one == other).count()
            }
        };
        common = Some(blanks.get(..shared).unwrap_or_default());
    }
    common.unwrap_or_default()
}

/// A line without its indentation and what is invisible at its end.
fn bare<'a>(line: &'a str, indent: &str) -> &'a str {
    let line = line
        .strip_prefix(indent)
        .unwrap_or_else(|| line.trim_start());
    line.trim_end()
}
