//! What changed between two texts: computed once, off the UI task, and drawn in windows.
//!
//! The model points into the texts and copies nothing of them, so that a diff of 200,000 lines
//! costs some bytes a line and is drawn for the rows that show.

use std::{collections::HashMap, ops::Range, time::Duration};

use similar::{ChangeTag, DiffTag, TextDiff};

use crate::{
    diff::{Groups, HunkLine, HunkSign, groups, hunks},
    model::{Diff, DiffText, FileChange},
    text::SafeText,
    ui::{offload::Product, render::excerpt::MAX_LINE_BYTES},
};

/// After this the comparison is finished roughly: correct, but not minimal.
const TIMEOUT: Duration = Duration::from_millis(50);

/// Changed lines up to which words are compared inside changed pairs.
const EMPHASIS_LINES: usize = 400;

/// Bytes of a line up to which its words are compared.
const EMPHASIS_BYTES: usize = 1 << 10;

/// A pair with less in common than this is two lines, not one changed line.
const EMPHASIS_RATIO: f32 = 0.4;

/// What kind of change it is as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    Changed,
    /// There was no file (V1-TOOL-09).
    Created,
    /// Nothing is left of the text.
    Emptied,
    /// Nothing differs that could be shown.
    Same,
    /// Its text is unknown.
    #[default]
    Untold,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct DiffStats {
    pub added: usize,
    pub removed: usize,
}

/// One line of the diff. Numbers are indexes (from 0) into the lines of their side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffLine {
    /// Unchanged lines that are not shown.
    Gap {
        hidden: u32,
    },
    Context {
        old: u32,
        new: u32,
    },
    Removed {
        old: u32,
    },
    Added {
        new: u32,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    Old,
    New,
}

/// A text and where its lines begin.
#[derive(Debug, Default)]
pub struct Lines {
    text: SafeText,
    starts: Vec<u32>,
}

#[derive(Debug, Default)]
pub struct DiffModel {
    pub form: Form,
    pub stats: DiffStats,
    pub lines: Vec<DiffLine>,
    /// Where in `lines` each hunk begins.
    pub hunks: Vec<usize>,
    /// The timeout struck: more may be marked as changed than is.
    pub rough: bool,
    pub old: Lines,
    pub new: Lines,
    /// Carriage returns are shown: the sides differ in their line ends.
    pub show_cr: bool,
    emphasis: HashMap<(Side, u32), Vec<Range<usize>>>,
    /// Of long lines, where they differ from their counterpart.
    changed_parts: HashMap<(Side, u32), Range<usize>>,
    /// For a patch, which has only some lines: their numbers in the file, for both sides.
    numbers: Option<[Vec<u32>; 2]>,
}

/// One side of a patch, line by line.
#[derive(Default)]
struct PatchSide {
    text: String,
    numbers: Vec<u32>,
    /// The number of the next line in the file.
    next: usize,
}

impl PatchSide {
    /// The line's place among those that are there.
    fn push(&mut self, line: &HunkLine<'_>) -> usize {
        self.text.push_str(line.text);
        if !line.unended {
            self.text.push('\n');
        }
        self.numbers.push(index(self.next));
        self.next += 1;
        self.numbers.len() - 1
    }
}

impl Lines {
    fn new(text: SafeText) -> Self {
        let breaks = text
            .bytes()
            .enumerate()
            .filter(|(_, byte)| *byte == b'\n')
            .map(|(at, _)| at + 1);
        let starts = std::iter::once(0)
            .chain(breaks)
            .filter(|at| *at < text.len())
            // Texts are far below 4 GiB: a message is at most 64 MiB.
            .filter_map(|at| u32::try_from(at).ok())
            .collect();
        Self { text, starts }
    }

    pub fn len(&self) -> usize {
        self.starts.len()
    }

    pub fn text(&self) -> &SafeText {
        &self.text
    }

    /// Line `at` without its end; empty where there is none.
    pub fn get(&self, at: u32) -> &str {
        let line = self.with_end(at as usize);
        line.strip_suffix('\n').unwrap_or(line)
    }

    /// Whether the text's last line is `at` and has no newline.
    pub fn lacks_newline(&self, at: u32) -> bool {
        at as usize + 1 == self.len() && !self.text.ends_with('\n')
    }

    fn with_end(&self, at: usize) -> &str {
        let start = |at| {
            self.starts
                .get(at)
                .map_or(self.text.len(), |at| *at as usize)
        };
        &self.text[start(at)..start(at + 1)]
    }

    fn all(&self) -> Vec<&str> {
        (0..self.len()).map(|at| self.with_end(at)).collect()
    }

    fn all_end_in_cr(&self) -> bool {
        (0..self.len())
            .all(|at| self.with_end(at).ends_with("␍\n") || self.lacks_newline(at as u32))
    }
}

/// The texts count: the transcript may have dropped them.
impl Product for DiffModel {
    fn weight(&self) -> usize {
        let side = |lines: &Lines| lines.text.len() + lines.starts.capacity() * size_of::<u32>();
        let marks = |ranges: &Vec<Range<usize>>| 64 + ranges.len() * size_of::<Range<usize>>();
        let numbers = self.numbers.iter().flatten();
        side(&self.old)
            + side(&self.new)
            + self.lines.capacity() * size_of::<DiffLine>()
            + self.hunks.capacity() * size_of::<usize>()
            + self.emphasis.values().map(marks).sum::<usize>()
            + self.changed_parts.len() * 64
            + numbers.map(|side| side.capacity() * 4).sum::<usize>()
    }
}

impl DiffModel {
    pub fn new(diff: &Diff) -> Self {
        match &diff.text {
            DiffText::Sides { old, new } => Self::of_sides(old.as_ref(), new),
            DiffText::Patch(patch) => Self::of_patch(&diff.change, patch),
            DiffText::None => Self::blank(Form::Untold, SafeText::default(), SafeText::default()),
        }
    }

    fn of_sides(old: Option<&SafeText>, new: &SafeText) -> Self {
        let form = match old {
            None => Form::Created,
            Some(old) if *old == *new => Form::Same,
            Some(old) if new.is_empty() && !old.is_empty() => Form::Emptied,
            Some(_) => Form::Changed,
        };
        let mut model = Self::blank(form, old.cloned().unwrap_or_default(), new.clone());
        model.compare();
        model
    }

    /// Both sides without a comparison: all of the old one removed, all of the new one added.
    pub fn uncompared(diff: &Diff) -> Self {
        let DiffText::Sides { old, new } = &diff.text else {
            return Self::default();
        };
        let old = old.clone().unwrap_or_default();
        let mut model = Self::blank(Form::Changed, old, new.clone());
        let (removed, added) = (index(model.old.len()), index(model.new.len()));
        model.lines = (0..removed)
            .map(|old| DiffLine::Removed { old })
            .chain((0..added).map(|new| DiffLine::Added { new }))
            .collect();
        model.hunks = vec![0];
        model.rough = true;
        model.stats = DiffStats {
            added: added as usize,
            removed: removed as usize,
        };
        model
    }

    fn blank(form: Form, old: SafeText, new: SafeText) -> Self {
        let (old, new) = (Lines::new(old), Lines::new(new));
        Self {
            form,
            show_cr: !(old.all_end_in_cr() && new.all_end_in_cr()),
            old,
            new,
            ..Self::default()
        }
    }

    /// The lines of a patch: what lies between its hunks is unknown (V2-UPD-06).
    fn of_patch(change: &FileChange, patch: &str) -> Self {
        let mut sides = [PatchSide::default(), PatchSide::default()];
        let (mut lines, mut starts, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
        let mut stats = DiffStats::default();
        let mut shown_to = 0;
        let hunks = hunks(patch);
        for hunk in &hunks {
            let hidden = hunk.old_before.saturating_sub(shown_to);
            if hidden > 0 {
                lines.push(DiffLine::Gap {
                    hidden: index(hidden),
                });
            }
            starts.push(lines.len());
            let [old, new] = &mut sides;
            (old.next, new.next) = (hunk.old_before, hunk.new_before);
            // Lines removed in a row, and as many of those added behind them, are pairs.
            let mut removed = Vec::new();
            for line in &hunk.lines {
                match line.sign {
                    HunkSign::Context => {
                        removed.clear();
                        let (old, new) = (old.push(line), new.push(line));
                        lines.push(DiffLine::Context {
                            old: index(old),
                            new: index(new),
                        });
                    }
                    HunkSign::Removed => {
                        stats.removed += 1;
                        let old = old.push(line);
                        removed.push(old);
                        lines.push(DiffLine::Removed { old: index(old) });
                    }
                    HunkSign::Added => {
                        stats.added += 1;
                        let new = new.push(line);
                        lines.push(DiffLine::Added { new: index(new) });
                        if !removed.is_empty() && pairs.len() <= EMPHASIS_LINES {
                            pairs.push((removed.remove(0), new));
                        }
                    }
                }
            }
            shown_to = old.next;
        }
        let form = match change {
            _ if hunks.is_empty() => Form::Untold,
            FileChange::Add => Form::Created,
            FileChange::Delete => Form::Emptied,
            _ => Form::Changed,
        };
        let [old, new] = sides;
        let mut model = Self::blank(form, SafeText::new(&old.text), SafeText::new(&new.text));
        if stats.added + stats.removed <= EMPHASIS_LINES {
            model.emphasis = emphasis(&model.old, &model.new, &pairs);
        }
        model.changed_parts = changed_parts(&model.old, &model.new, &pairs);
        model.numbers = Some([old.numbers, new.numbers]);
        (model.lines, model.hunks, model.stats) = (lines, starts, stats);
        model
    }

    /// Bytes of a line's text (see [`Lines::get`]) where it differs from its counterpart.
    pub fn emphasis(&self, side: Side, line: u32) -> &[Range<usize>] {
        self.emphasis.get(&(side, line)).map_or(&[], Vec::as_slice)
    }

    /// The part of a changed line that differs from its counterpart, where the line is too long to
    /// be shown whole: the change must not lie behind the cut.
    pub fn changed_part(&self, side: Side, line: u32) -> Option<Range<usize>> {
        self.changed_parts.get(&(side, line)).cloned()
    }

    /// The lines that are shown, removed ones before those in their place.
    pub fn shown(&self) -> String {
        let mut out = String::new();
        for line in &self.lines {
            let text = match line {
                DiffLine::Gap { .. } => continue,
                DiffLine::Removed { old } => self.old.get(*old),
                DiffLine::Context { new, .. } | DiffLine::Added { new } => self.new.get(*new),
            };
            out.push_str(text);
            out.push('\n');
        }
        out
    }

    /// The line of that number, from 0, in [`DiffModel::shown`].
    pub fn shown_line(&self, number: usize) -> Option<DiffLine> {
        let mut lines = self.lines.iter();
        let lines = lines
            .by_ref()
            .filter(|line| !matches!(line, DiffLine::Gap { .. }));
        lines.copied().nth(number)
    }

    /// Whether it comes from a patch, which has only some of the lines.
    pub fn is_patch(&self) -> bool {
        self.numbers.is_some()
    }

    /// The highest line number that is shown, for the width of the gutter.
    pub fn highest_number(&self) -> usize {
        match &self.numbers {
            None => self.old.len().max(self.new.len()),
            Some(sides) => {
                let last = sides.iter().filter_map(|numbers| numbers.last());
                last.max().map_or(0, |last| *last as usize + 1)
            }
        }
    }

    /// The number of a line, from 1.
    pub fn number(&self, side: Side, line: u32) -> u64 {
        let told = self.numbers.as_ref().map(|[old, new]| match side {
            Side::Old => old,
            Side::New => new,
        });
        let at = told.and_then(|numbers| numbers.get(line as usize));
        u64::from(*at.unwrap_or(&line)) + 1
    }

    fn compare(&mut self) {
        let (old, new) = (self.old.all(), self.new.all());
        let Groups { list, rough } = groups(&old, &new, TIMEOUT);
        self.rough = rough;

        let mut lines = Vec::new();
        let mut hunks = Vec::new();
        let mut pairs = Vec::new();
        let mut stats = DiffStats::default();
        let mut shown_to = 0;
        for group in list {
            let Some(first) = group.first() else { continue };
            let starts = (first.old_range().start, first.new_range().start);
            lines.extend(gap(starts.0 - shown_to, starts));
            hunks.push(lines.len());
            for op in &group {
                let (old_range, new_range) = (op.old_range(), op.new_range());
                shown_to = old_range.end;
                if op.tag() == DiffTag::Equal {
                    lines.extend(
                        old_range
                            .zip(new_range)
                            .map(|(old, new)| DiffLine::Context {
                                old: index(old),
                                new: index(new),
                            }),
                    );
                    continue;
                }
                stats.removed += old_range.len();
                stats.added += new_range.len();
                if op.tag() == DiffTag::Replace && pairs.len() <= EMPHASIS_LINES {
                    pairs.extend(old_range.clone().zip(new_range.clone()));
                }
                lines.extend(old_range.map(|old| DiffLine::Removed { old: index(old) }));
                lines.extend(new_range.map(|new| DiffLine::Added { new: index(new) }));
            }
        }
        if !lines.is_empty() {
            lines.extend(gap(
                old.len().saturating_sub(shown_to),
                (old.len(), new.len()),
            ));
        }
        if stats.added + stats.removed <= EMPHASIS_LINES {
            self.emphasis = emphasis(&self.old, &self.new, &pairs);
        }
        self.changed_parts = changed_parts(&self.old, &self.new, &pairs);
        (self.lines, self.hunks, self.stats) = (lines, hunks, stats);
    }
}

/// The entry for `hidden` unchanged lines before `ends` (old, new); a single line is shown.
fn gap(hidden: usize, ends: (usize, usize)) -> Option<DiffLine> {
    match hidden {
        0 => None,
        1 => Some(DiffLine::Context {
            old: index(ends.0.checked_sub(1)?),
            new: index(ends.1.checked_sub(1)?),
        }),
        _ => Some(DiffLine::Gap {
            hidden: index(hidden),
        }),
    }
}

/// For each pair with a long line, the part between their common beginning and end.
fn changed_parts(
    old: &Lines,
    new: &Lines,
    pairs: &[(usize, usize)],
) -> HashMap<(Side, u32), Range<usize>> {
    let mut parts = HashMap::new();
    for (old_at, new_at) in pairs {
        let (old_at, new_at) = (index(*old_at), index(*new_at));
        let (before, after) = (old.get(old_at), new.get(new_at));
        if before.len().max(after.len()) <= MAX_LINE_BYTES {
            continue;
        }
        let same = |pair: &((usize, char), char)| pair.0.1 == pair.1;
        let start = before
            .char_indices()
            .zip(after.chars())
            .take_while(same)
            .last()
            .map_or(0, |((at, c), _)| at + c.len_utf8());
        let (before_rest, after_rest) = (&before[start..], &after[start..]);
        let end: usize = before_rest
            .chars()
            .rev()
            .zip(after_rest.chars().rev())
            .take_while(|(one, other)| one == other)
            .map(|(c, _)| c.len_utf8())
            .sum();
        parts.insert((Side::Old, old_at), start..before.len() - end);
        parts.insert((Side::New, new_at), start..after.len() - end);
    }
    parts
}

/// Where the words of each pair of lines differ.
fn emphasis(
    old: &Lines,
    new: &Lines,
    pairs: &[(usize, usize)],
) -> HashMap<(Side, u32), Vec<Range<usize>>> {
    let mut marks = HashMap::new();
    for (old_at, new_at) in pairs {
        let (old_at, new_at) = (index(*old_at), index(*new_at));
        let (before, after) = (old.get(old_at), new.get(new_at));
        if before.len().max(after.len()) > EMPHASIS_BYTES {
            continue;
        }
        let words = TextDiff::from_unicode_words(before, after);
        if words.ratio() < EMPHASIS_RATIO {
            continue;
        }
        let (mut in_old, mut in_new) = (0, 0);
        for change in words.iter_all_changes() {
            let len = change.value().len();
            let (side, line, at) = match change.tag() {
                ChangeTag::Equal => {
                    in_old += len;
                    in_new += len;
                    continue;
                }
                ChangeTag::Delete => (Side::Old, old_at, &mut in_old),
                ChangeTag::Insert => (Side::New, new_at, &mut in_new),
            };
            push_range(marks.entry((side, line)).or_default(), *at..*at + len);
            *at += len;
        }
    }
    marks
}

/// Adds a range, joined to the one before where they touch.
fn push_range(ranges: &mut Vec<Range<usize>>, range: Range<usize>) {
    match ranges.last_mut() {
        Some(last) if last.end == range.start => last.end = range.end,
        _ => ranges.push(range),
    }
}

/// Line numbers fit: a text of 64 MiB has at most as many lines.
fn index(line: usize) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::CONTEXT;

    fn model(old: Option<&str>, new: &str) -> DiffModel {
        let old = old.map(SafeText::new);
        DiffModel::new(&Diff::of_texts("f".into(), old, SafeText::new(new)))
    }

    #[test]
    fn a_change_stands_between_its_context_and_gaps() {
        let old: String = (0..20).map(|n| format!("line {n}\n")).collect();
        let model = model(Some(&old), &old.replace("line 9\n", "line nine\n"));
        assert_eq!(
            model.stats,
            DiffStats {
                added: 1,
                removed: 1
            }
        );
        assert_eq!(model.lines.first(), Some(&DiffLine::Gap { hidden: 6 }));
        assert_eq!(model.lines.last(), Some(&DiffLine::Gap { hidden: 7 }));
        assert_eq!(model.lines.len(), 2 + 2 * CONTEXT + 2);
        assert_eq!(model.hunks, [1]);
        assert_eq!(model.emphasis(Side::Old, 9).first(), Some(&(5..6)));
        assert_eq!(model.emphasis(Side::New, 9).first(), Some(&(5..9)));
    }

    /// V1-TOOL-09
    #[test]
    fn forms_are_told_apart() {
        assert_eq!(model(None, "a\n").form, Form::Created);
        assert_eq!(model(Some(""), "a\n").form, Form::Changed);
        assert_eq!(model(Some("a\n"), "").form, Form::Emptied);
        assert_eq!(model(Some("a\n"), "a\n").form, Form::Same);
        assert_eq!(model(None, "").lines, []);
    }

    #[test]
    fn a_missing_last_newline_is_a_change() {
        let model = model(Some("a\nb"), "a\nb\n");
        assert_eq!(
            model.stats,
            DiffStats {
                added: 1,
                removed: 1
            }
        );
        assert!(model.old.lacks_newline(1));
        assert!(!model.new.lacks_newline(1));
    }

    #[test]
    fn unlike_lines_are_not_marked_word_by_word() {
        let model = model(Some("fn one() {}\n"), "let x = vec![1, 2, 3];\n");
        assert!(model.emphasis(Side::New, 0).is_empty());
    }

    #[test]
    fn two_hundred_thousand_lines_are_compared_within_bounds() {
        let old: String = (0..200_000).map(|n| format!("old {n}\n")).collect();
        let new: String = (0..200_000).map(|n| format!("new {n}\n")).collect();
        let model = model(Some(&old), &new);
        assert_eq!(
            model.stats,
            DiffStats {
                added: 200_000,
                removed: 200_000
            }
        );
        assert!(model.emphasis.is_empty());
    }
}
