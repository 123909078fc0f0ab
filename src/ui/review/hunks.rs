//! Lines of a hunk as it is shown, for putting them back.

use crate::{
    model::HunkRange,
    ui::render::diff::{DiffLine, DiffModel},
};

/// The runs of changed lines in the `nth` hunk: without the lines around them, so that what changed
/// there since is in nothing's way.
pub fn ranges(model: &DiffModel, nth: usize) -> Vec<HunkRange> {
    let (mut old, mut new) = (0, 0);
    let (mut hunk, mut begun) = (0, false);
    let mut found: Vec<HunkRange> = Vec::new();
    // The last line was a changed one of that hunk.
    let mut open = false;
    for line in &model.lines {
        if let DiffLine::Gap { hidden } = line {
            old += *hidden as usize;
            new += *hidden as usize;
            hunk += usize::from(begun);
            (begun, open) = (false, false);
            if hunk > nth {
                break;
            }
            continue;
        }
        begun = true;
        let (removed, added) = match line {
            DiffLine::Removed { .. } => (1, 0),
            DiffLine::Added { .. } => (0, 1),
            _ => {
                old += 1;
                new += 1;
                open = false;
                continue;
            }
        };
        if hunk == nth && !open {
            found.push(HunkRange {
                before: old..old,
                after: new..new,
            });
            open = true;
        }
        old += removed;
        new += added;
        if let Some(range) = found.last_mut().filter(|_| open) {
            range.before.end = old;
            range.after.end = new;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{model::Diff, text::SafeText};

    fn model(old: &str, new: &str) -> DiffModel {
        let old = Some(SafeText::with_line_ends(old));
        let new = SafeText::with_line_ends(new);
        DiffModel::new(&Diff::of_texts("f".into(), old, new))
    }

    fn hunks(model: &DiffModel) -> usize {
        let lines = model
            .lines
            .split(|line| matches!(line, DiffLine::Gap { .. }));
        lines.filter(|lines| !lines.is_empty()).count()
    }

    /// `new` with the lines of these hunks as they were in `old`.
    fn put_back(old: &str, new: &str, hunks: &[HunkRange]) -> String {
        let (old, new): (Vec<_>, Vec<_>) = (
            old.split_inclusive('\n').collect(),
            new.split_inclusive('\n').collect(),
        );
        let (mut out, mut at) = (String::new(), 0);
        for hunk in hunks {
            out.extend(new[at..hunk.after.start].iter().copied());
            out.extend(old[hunk.before.clone()].iter().copied());
            at = hunk.after.end;
        }
        out.extend(new[at..].iter().copied());
        out
    }

    #[test]
    fn a_hunk_is_its_changed_lines_alone() {
        let old: String = (0..40).map(|n| format!("{n}\n")).collect();
        let new = old
            .replace("\n5\n", "\nfive\n")
            .replace("\n8\n", "\n8\nmore\n")
            .replace("\n30\n", "\n");
        let model = model(&old, &new);
        assert_eq!(hunks(&model), 2);
        let range = |before, after| HunkRange { before, after };
        assert_eq!(ranges(&model, 0), [range(5..6, 5..6), range(9..9, 9..10)]);
        assert_eq!(ranges(&model, 1), [range(30..31, 31..31)]);
        assert_eq!(ranges(&model, 2), []);
        let first = put_back(&old, &new, &ranges(&model, 0));
        assert_eq!(first, old.replace("\n30\n", "\n"));
    }

    proptest! {
        #[test]
        fn all_hunks_put_back_are_the_text_before(
            old in prop::collection::vec("[abc]\r?\n", 0..60),
            new in prop::collection::vec("[abc]\r?\n", 0..60),
            cut in any::<bool>(),
        ) {
            let (mut old, new) = (old.concat(), new.concat());
            if cut {
                old = old.trim_end().to_owned();
            }
            let model = model(&old, &new);
            let all: Vec<HunkRange> = (0..hunks(&model)).flat_map(|n| ranges(&model, n)).collect();
            prop_assert_eq!(put_back(&old, &new, &all), old);
        }
    }
}
