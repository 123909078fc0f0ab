//! Changed files below their folders; folders that hold nothing else are one heading.

use std::ops::Range;

use crate::{model::ReviewFile, text::SafeText};

/// A row of the list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TreeRow {
    pub depth: usize,
    /// With its `/` for folders.
    pub name: SafeText,
    /// Which of the files it is; `None`: a folder.
    pub file: Option<usize>,
}

/// The files in their order, with the folders that they are in.
pub fn rows(files: &[ReviewFile]) -> Vec<TreeRow> {
    let parts: Vec<Vec<&str>> = files
        .iter()
        .map(|file| file.name.split_inclusive('/').collect())
        .collect();
    let mut rows = Vec::with_capacity(files.len());
    push(&parts, 0..files.len(), 0, 0, &mut rows);
    rows
}

/// Those of a range, which are in the same folder up to the part `at`.
fn push(
    parts: &[Vec<&str>],
    range: Range<usize>,
    at: usize,
    depth: usize,
    rows: &mut Vec<TreeRow>,
) {
    let mut next = range.start;
    while next < range.end {
        let first = next;
        let of = |file: usize| parts.get(file).map_or(&[][..], Vec::as_slice);
        let Some(folder) = of(first).get(at).filter(|_| of(first).len() > at + 1) else {
            let name = of(first).get(at..).unwrap_or_default().concat();
            rows.push(TreeRow {
                depth,
                name: SafeText::line(&name),
                file: Some(first),
            });
            next += 1;
            continue;
        };
        let is_in = |file: usize, at: usize, folder: &str| {
            of(file).len() > at + 1 && of(file).get(at) == Some(&folder)
        };
        while next < range.end && is_in(next, at, folder) {
            next += 1;
        }
        let mut name = (*folder).to_owned();
        let mut below = at + 1;
        while let Some(single) = of(first).get(below)
            && (first..next).all(|file| is_in(file, below, single))
        {
            name.push_str(single);
            below += 1;
        }
        rows.push(TreeRow {
            depth,
            name: SafeText::line(&name),
            file: None,
        });
        push(parts, first..next, below, depth + 1, rows);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::review::testing::file;

    fn shown(names: &[&str]) -> String {
        let files: Vec<ReviewFile> = names.iter().map(|name| file(name)).collect();
        let row = |row: TreeRow| format!("{}{}\n", "  ".repeat(row.depth), row.name);
        rows(&files).into_iter().map(row).collect()
    }

    #[test]
    fn single_folders_are_folded_into_one_heading() {
        let tree = shown(&[
            "README.md",
            "docs/keys.md",
            "src/ui/review/mod.rs",
            "src/ui/review/tree.rs",
            "src/ui/root/act.rs",
            "src/ui/mod.rs",
            "/etc/hosts",
        ]);
        assert_eq!(
            tree,
            "README.md\ndocs/\n  keys.md\nsrc/ui/\n  review/\n    mod.rs\n    tree.rs\n  root/\n    act.rs\n  mod.rs\n/etc/\n  hosts\n"
        );
    }

    #[test]
    fn names_that_are_none_are_rows_all_the_same() {
        assert_eq!(shown(&["", "/", "a/"]), "\n/\na/\n");
        let deep = "x/".repeat(2_000);
        let names: Vec<String> = (0..200)
            .map(|n| format!("{}{n}", &deep[..n * 20]))
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        assert_eq!(shown(&names).lines().count(), 399);
    }
}
