//! Whether the changes that a raw input asks for are those that the diffs show: of the same file, the
//! old text on the old side, the new one on the new side.

use std::{borrow::Cow, time::Duration};

use similar::DiffTag;

use super::{Shown, names_only};
use crate::{
    model::{
        Diff, DiffText,
        patch::{self, Hunk, HunkSign, hunks, is_all_diff},
        unified::groups,
    },
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

/// Whether all of them are seen in the diffs, each alone or one after the other.
pub fn are_told(edits: &[Edit<'_>], shown: &Shown<'_>) -> bool {
    if edits.is_empty() {
        return true;
    }
    let diffs = || shown.diffs.iter().chain(&shown.claimed).copied();
    let bytes: usize = diffs().map(Diff::weight).sum();
    if bytes.saturating_mul(edits.len()) > MOST_WORK {
        return false;
    }
    let blocks: Vec<Block<'_>> = diffs().flat_map(Block::of).collect();
    let mut rest = Vec::new();
    for edit in edits {
        let about = |diff: &Diff| shown.is_about(diff, &edit.paths);
        match &edit.what {
            What::Texts { old, new } => {
                if old == new {
                    return false;
                }
                let mut blocks = blocks.iter();
                if !blocks.any(|block| block.comes_of(old, new) && about(block.diff)) {
                    rest.push((edit, &**old, &**new));
                }
            }
            What::Patch(text) => {
                let told = |part: &patch::FilePatch<'_>| {
                    let named = |diff: &Diff| {
                        let paths: Vec<&str> =
                            diff.paths().chain(edit.paths.iter().copied()).collect();
                        about(diff) && names_only(part, &paths)
                    };
                    let diffs: Vec<&Diff> = diffs().filter(|diff| named(diff)).collect();
                    is_shown(part.text, &diffs)
                };
                if !patch::by_file(text).iter().all(told) {
                    return false;
                }
            }
        }
    }
    in_order(&rest, &blocks, shown)
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
#[derive(Default, PartialEq, Eq)]
struct Run<'a> {
    removed: Vec<&'a str>,
    added: Vec<&'a str>,
}

impl Run<'_> {
    /// Whether it is another one, all lines of which lost an indentation.
    fn is_indented(&self, other: &Self, indent: &str) -> bool {
        let lines = |own: &[&str], other: &[&str]| {
            let same = |(own, other): (&&str, &&str)| {
                let rest = own.strip_prefix(indent);
                rest == Some(*other) || own.is_empty() && other.is_empty()
            };
            own.len() == other.len() && own.iter().zip(other).all(same)
        };
        lines(&self.removed, &other.removed) && lines(&self.added, &other.added)
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
                let mut runs = Vec::new();
                for op in groups(&old, &new, WITHIN).list.iter().flatten() {
                    if op.tag() != DiffTag::Equal {
                        runs.push(Run {
                            removed: old.get(op.old_range()).unwrap_or_default().to_vec(),
                            added: new.get(op.new_range()).unwrap_or_default().to_vec(),
                        });
                    }
                }
                Self { runs, old }
            }
            DiffText::Patch(text) => Self::of_patch(text),
            DiffText::None => Self::default(),
        }
    }

    fn of_patch(text: &'a str) -> Self {
        let mut all = Self::default();
        for hunk in hunks(text) {
            let mut run = Run::default();
            for line in &hunk.lines {
                let text = bare(line.text);
                match line.sign {
                    HunkSign::Context => {
                        all.push(std::mem::take(&mut run));
                        all.old.push(text);
                    }
                    HunkSign::Removed => {
                        run.removed.push(text);
                        all.old.push(text);
                    }
                    HunkSign::Added => run.added.push(text),
                }
            }
            all.push(run);
        }
        all
    }

    fn push(&mut self, run: Run<'a>) {
        if run != Run::default() {
            self.runs.push(run);
        }
    }

    /// As one run: tools cut the same change into other ones.
    fn flat(&self) -> Run<'a> {
        let mut all = Run::default();
        for run in &self.runs {
            all.removed.extend(&run.removed);
            all.added.extend(&run.added);
        }
        all
    }
}

/// Whether one of the diffs shows each change of a unified diff. Some agents take the indentation
/// away that all of its lines have (opencode).
fn is_shown(said: &str, diffs: &[&Diff]) -> bool {
    let said = Changes::of_patch(said);
    let first = said
        .runs
        .iter()
        .flat_map(|run| run.removed.iter().chain(&run.added));
    let Some(first) = first.copied().find(|line| !line.is_empty()) else {
        return false;
    };
    let all: Vec<Changes<'_>> = diffs.iter().map(|diff| Changes::of(diff)).collect();
    let in_old = |line: &str, indent: &str| {
        let mut old = all.iter().flat_map(|changes| &changes.old);
        line.is_empty() || old.any(|old| old.strip_prefix(indent) == Some(line))
    };
    all.iter().any(|changes| {
        let lines = changes
            .runs
            .iter()
            .flat_map(|run| run.removed.iter().chain(&run.added));
        let mut indents: Vec<&str> = lines
            .filter_map(|line| line.strip_suffix(first))
            .filter(|indent| indent.trim().is_empty())
            .collect();
        indents.sort_unstable();
        indents.dedup();
        indents.into_iter().take(MOST_INDENTS).any(|indent| {
            let run_is_shown = |run: &Run<'_>| {
                let mut runs = changes.runs.iter();
                runs.any(|shown| shown.is_indented(run, indent))
            };
            (said.runs.iter().all(run_is_shown) || changes.flat().is_indented(&said.flat(), indent))
                && said.old.iter().all(|line| in_old(line, indent))
        })
    })
}
