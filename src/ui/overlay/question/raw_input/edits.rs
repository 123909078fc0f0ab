//! Whether the changes that a raw input asks for are those that the diffs show: of the same file, the
//! old text on the old side, the new one on the new side.

use std::{borrow::Cow, time::Duration};

use similar::DiffTag;

use super::Shown;
use crate::{
    diff::{Hunk, HunkSign, by_file, groups, hunks, is_all_diff},
    model::{Diff, DiffText},
    text::SafeText,
};

/// Bytes of the diffs, times the changes that are looked for in them; of more the raw input is shown.
const MOST_WORK: usize = 64 << 20;

/// Places of one text that are tried.
const MOST_PLACES: usize = 64;

/// Indentations that are tried.
const MOST_INDENTS: usize = 16;

/// Within this the lines of two sides are compared well.
const WITHIN: Duration = Duration::from_millis(50);

/// A change that a raw input asks for.
pub struct Edit<'j> {
    what: What<'j>,
    /// Files that it says it is about.
    paths: Vec<&'j str>,
}

enum What<'j> {
    /// One text gives way to another.
    Texts { old: SafeText, new: SafeText },
    /// A unified diff.
    Patch(&'j str),
}

impl<'j> Edit<'j> {
    pub fn of_texts(old: &str, new: &str, paths: &[&'j str]) -> Self {
        Self {
            what: What::Texts {
                old: SafeText::with_line_ends(old),
                new: SafeText::with_line_ends(new),
            },
            paths: paths.to_vec(),
        }
    }

    /// `None` where the text is something else as well.
    pub fn of_patch(text: &'j str, paths: &[&'j str]) -> Option<Self> {
        let hunks = hunks(text);
        (!hunks.is_empty() && is_all_diff(text, &hunks)).then(|| Self {
            what: What::Patch(text),
            paths: paths.to_vec(),
        })
    }
}

/// A part of a diff: both sides of it.
struct Block<'a> {
    diff: &'a Diff,
    old: Cow<'a, str>,
    new: Cow<'a, str>,
}

/// Whether all of them are seen in the diffs, each alone or one after the other. What a diff shows
/// tells one of them, not the same again.
pub fn are_told(edits: &[Edit<'_>], shown: &Shown<'_>) -> bool {
    if edits.is_empty() {
        return true;
    }
    let diffs = || shown.diffs.iter().chain(&shown.claimed).copied();
    let bytes: usize = diffs().map(Diff::weight).sum();
    if bytes.saturating_mul(edits.len()) > MOST_WORK {
        return false;
    }
    let mut texts = Vec::new();
    let mut patches = Vec::new();
    for edit in edits {
        match &edit.what {
            What::Texts { old, new } if old == new => return false,
            What::Texts { old, new } => texts.push((edit, &**old, &**new)),
            What::Patch(text) => patches.push((edit, *text)),
        }
    }
    match (&*texts, &*patches) {
        // A claim and what came of it in the file are the same change: only one of them counts.
        (texts, []) => [&shown.diffs, &shown.claimed]
            .into_iter()
            .any(|diffs| are_texts_told(texts, diffs, shown)),
        ([], patches) => are_patches_told(patches, shown),
        // The same change could be told by both.
        _ => false,
    }
}

fn are_texts_told(edits: &[(&Edit<'_>, &str, &str)], diffs: &[&Diff], shown: &Shown<'_>) -> bool {
    let mut blocks: Vec<Block<'_>> = diffs.iter().flat_map(|diff| Block::of(diff)).collect();
    let mut rest = Vec::new();
    for (edit, old, new) in edits {
        let tells =
            |block: &Block<'_>| block.comes_of(old, new) && shown.is_about(block.diff, &edit.paths);
        match blocks.iter().position(tells) {
            Some(at) => drop(blocks.remove(at)),
            None => rest.push((*edit, *old, *new)),
        }
    }
    in_order(&rest, &blocks, shown)
}

/// Where a change stands matters here: only the diffs that are shown tell that.
fn are_patches_told(edits: &[(&Edit<'_>, &str)], shown: &Shown<'_>) -> bool {
    let mut left: Vec<Changes<'_>> = shown.diffs.iter().map(|diff| Changes::of(diff)).collect();
    edits.iter().all(|(edit, text)| {
        by_file(text).iter().all(|part| {
            let said = Changes::of_patch(part.text);
            let is_meant = |diff: &Diff| {
                shown.is_about(diff, &edit.paths) && shown.is_of_same_file(part, diff, &edit.paths)
            };
            // A patch may have more lines around a change than the diff that came of the whole texts.
            let claimed = shown.claimed.iter().filter(|diff| is_meant(diff));
            let around: Vec<&str> = claimed.flat_map(|diff| Changes::of(diff).old).collect();
            let mut diffs = shown.diffs.iter().zip(&mut left);
            diffs.any(|(diff, changes)| is_meant(diff) && changes.use_up(&said, &around))
        })
    })
}

/// Whether texts that give way one after the other make the new sides of the old ones.
fn in_order(edits: &[(&Edit<'_>, &str, &str)], blocks: &[Block<'_>], shown: &Shown<'_>) -> bool {
    let mut now: Vec<Cow<'_, str>> = blocks.iter().map(|block| (*block.old).into()).collect();
    // Of each change the blocks that have its place.
    let mut places: Vec<Vec<usize>> = Vec::new();
    for (edit, old, new) in edits {
        let mut found = Vec::new();
        for (at, (block, now)) in blocks.iter().zip(&mut now).enumerate() {
            if now.contains(old) && shown.is_about(block.diff, &edit.paths) {
                *now = now.replacen(old, new, 1).into();
                found.push(at);
            }
        }
        places.push(found);
    }
    let is_reached = |at: &usize| {
        let block = blocks.get(*at).zip(now.get(*at));
        block.is_some_and(|(block, now)| *now == block.new)
    };
    places.iter().all(|found| found.iter().any(is_reached))
}

impl<'a> Block<'a> {
    fn of(diff: &'a Diff) -> Vec<Self> {
        match &diff.text {
            DiffText::Sides { old, new } => vec![Self {
                diff,
                old: Cow::Borrowed(old.as_deref().unwrap_or_default()),
                new: Cow::Borrowed(new),
            }],
            DiffText::Patch(text) => {
                let block = |hunk: &Hunk<'_>| Self {
                    diff,
                    old: Cow::Owned(side(hunk, HunkSign::Added)),
                    new: Cow::Owned(side(hunk, HunkSign::Removed)),
                };
                hunks(text).iter().map(block).collect()
            }
            DiffText::None => Vec::new(),
        }
    }

    /// Whether the new side is the old one with `old` replaced by `new`, at one place or at all.
    fn comes_of(&self, old: &str, new: &str) -> bool {
        let at_one = |(at, _): (usize, &str)| {
            let (before, behind) = (&self.old[..at], &self.old[at + old.len()..]);
            let rest = self.new.strip_prefix(before);
            rest.and_then(|rest| rest.strip_suffix(behind)) == Some(new)
        };
        let mut places = self.old.match_indices(old).take(MOST_PLACES);
        places.any(at_one) || self.old.contains(old) && self.old.replace(old, new) == *self.new
    }
}

/// One side of a hunk: its lines without those of that sign.
fn side(hunk: &Hunk<'_>, without: HunkSign) -> String {
    let mut text = String::new();
    for line in hunk.lines.iter().filter(|line| line.sign != without) {
        text.push_str(line.text);
        if !line.unended {
            text.push('\n');
        }
    }
    text
}

/// Whether a patch makes lines where there were none.
pub fn is_of_nothing(patch: &str) -> bool {
    let hunks = hunks(patch);
    let [hunk] = &*hunks else { return false };
    let mut lines = hunk.lines.iter();
    hunk.old_before == 0 && lines.all(|line| line.sign == HunkSign::Added)
}

/// Whether a patch is of a new file, or of one all of which gives way, and `said` is all of it.
pub fn is_new_file(patch: &str, said: &str) -> bool {
    let hunks = hunks(patch);
    let [hunk] = &*hunks else { return false };
    let added = hunk.lines.iter().all(|line| line.sign == HunkSign::Added);
    added && hunk.old_before == 0 && side(hunk, HunkSign::Removed) == said
}

/// A line without what tools change at its end.
fn bare(line: &str) -> &str {
    line.trim_end().trim_end_matches('␍').trim_end()
}

/// Lines that give way to others, next to each other.
#[derive(Default)]
struct Run<'a> {
    /// Lines before it, on each side.
    old_before: usize,
    new_before: usize,
    removed: Vec<&'a str>,
    added: Vec<&'a str>,
}

impl Run<'_> {
    /// Whether it is another one at the same place, all lines of which lost an indentation.
    fn is_indented(&self, other: &Self, indent: &str) -> bool {
        let lines = |own: &[&str], other: &[&str]| {
            let same = |(own, other): (&&str, &&str)| {
                let rest = own.strip_prefix(indent);
                rest == Some(*other) || own.is_empty() && other.is_empty()
            };
            own.len() == other.len() && own.iter().zip(other).all(same)
        };
        (self.old_before, self.new_before) == (other.old_before, other.new_before)
            && lines(&self.removed, &other.removed)
            && lines(&self.added, &other.added)
    }
}

/// The changes of a diff, and the lines of its old side.
#[derive(Default)]
struct Changes<'a> {
    runs: Vec<Run<'a>>,
    old: Vec<&'a str>,
}

impl<'a> Changes<'a> {
    fn of(diff: &'a Diff) -> Self {
        match &diff.text {
            DiffText::Sides { old, new } => {
                let lines = |text: &'a str| text.lines().map(bare).collect::<Vec<_>>();
                let (old, new) = (lines(old.as_deref().unwrap_or_default()), lines(new));
                let mut all = Self::default();
                for op in groups(&old, &new, WITHIN).list.iter().flatten() {
                    if op.tag() != DiffTag::Equal {
                        all.push(Run {
                            old_before: op.old_range().start,
                            new_before: op.new_range().start,
                            removed: old.get(op.old_range()).unwrap_or_default().to_vec(),
                            added: new.get(op.new_range()).unwrap_or_default().to_vec(),
                        });
                    }
                }
                all.old = old;
                all
            }
            DiffText::Patch(text) => Self::of_patch(text),
            DiffText::None => Self::default(),
        }
    }

    fn of_patch(text: &'a str) -> Self {
        let mut all = Self::default();
        for hunk in hunks(text) {
            let (mut old_before, mut new_before) = (hunk.old_before, hunk.new_before);
            for line in &hunk.lines {
                let text = bare(line.text);
                let mut run = Run {
                    old_before,
                    new_before,
                    ..Run::default()
                };
                if line.sign != HunkSign::Added {
                    all.old.push(text);
                    old_before = old_before.saturating_add(1);
                }
                if line.sign != HunkSign::Removed {
                    new_before = new_before.saturating_add(1);
                }
                match line.sign {
                    HunkSign::Context => continue,
                    HunkSign::Removed => run.removed.push(text),
                    HunkSign::Added => run.added.push(text),
                }
                all.push(run);
            }
        }
        all
    }

    /// Next to the last one it is a part of that: tools cut the same change into other ones.
    fn push(&mut self, run: Run<'a>) {
        if let Some(last) = self.runs.last_mut() {
            let old_end = last.old_before.saturating_add(last.removed.len());
            let new_end = last.new_before.saturating_add(last.added.len());
            if (old_end, new_end) == (run.old_before, run.new_before) {
                last.removed.extend(run.removed);
                last.added.extend(run.added);
                return;
            }
        }
        self.runs.push(run);
    }

    /// Whether each change of a unified diff is among these, which are taken out of them then; its
    /// other lines are among the old ones here or in `around`. Some agents take the indentation away
    /// that all of its lines have (opencode).
    fn use_up(&mut self, said: &Self, around: &[&str]) -> bool {
        fn lines<'r>(runs: &'r [Run<'_>]) -> impl Iterator<Item = &'r str> {
            let of = |run: &'r Run<'_>| run.removed.iter().chain(&run.added).copied();
            runs.iter().flat_map(of)
        }
        let Some(first) = lines(&said.runs).find(|line| !line.is_empty()) else {
            return false;
        };
        let mut indents: Vec<&str> = lines(&self.runs)
            .filter_map(|line| line.strip_suffix(first))
            .filter(|indent| indent.trim().is_empty())
            .collect();
        indents.sort_unstable();
        indents.dedup();
        let found = indents.into_iter().take(MOST_INDENTS).find_map(|indent| {
            let in_old = |line: &&str| {
                let mut old = self.old.iter().chain(around);
                line.is_empty() || old.any(|old| old.strip_prefix(indent) == Some(*line))
            };
            let mut used = Vec::new();
            for run in &said.runs {
                let mut shown = self.runs.iter();
                let at = shown.position(|shown| shown.is_indented(run, indent))?;
                if used.contains(&at) {
                    return None;
                }
                used.push(at);
            }
            said.old.iter().all(in_old).then_some(used)
        });
        let Some(mut used) = found else { return false };
        used.sort_unstable();
        for at in used.into_iter().rev() {
            self.runs.remove(at);
        }
        true
    }
}
