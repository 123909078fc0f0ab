//! The pages in `docs/` that tell of the source cannot fall behind it: paths that they name exist, the
//! rooms are those of `src/lib.rs`, and the walks through the code count their files right.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

const ARCHITECTURE: &str = "docs/architecture.md";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).expect(path)
}

/// Paths from the root of the repository to something in `src` or `tests`, with their lines. A
/// wildcard stands for whatever is in its folder.
fn paths(text: &str) -> Vec<(usize, String)> {
    let belongs = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '*');
    let mut found = Vec::new();
    for (line, text) in text.lines().enumerate() {
        for word in text.split(|c: char| !belongs(c)) {
            let path = word.trim_start_matches("../").trim_end_matches('.');
            let path = path.split('*').next().unwrap_or_default();
            if path.starts_with("src/") || path.starts_with("tests/") {
                found.push((line + 1, path.to_owned()));
            }
        }
    }
    found
}

#[test]
fn every_path_that_a_page_names_exists() {
    let mut wrong = Vec::new();
    for entry in fs::read_dir(root().join("docs")).expect("docs") {
        let page: PathBuf = entry.expect("an entry").path();
        if page.extension().is_none_or(|ending| ending != "md") {
            continue;
        }
        let text = fs::read_to_string(&page).expect("a page");
        for (line, path) in paths(&text) {
            if !root().join(&path).exists() {
                wrong.push(format!("{}:{line}: {path}", page.display()));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "renamed or gone; name what stands there now:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn the_rooms_are_those_of_the_library() {
    let lib = read("src/lib.rs");
    let rooms: Vec<(String, String)> = lib
        .lines()
        .filter_map(|line| line.strip_prefix("//! | [`"))
        .filter_map(|row| {
            let mut cells = row.split('|').map(str::trim);
            let name = cells.next()?.trim_end_matches("`]").to_owned();
            Some((name, cells.nth(1)?.to_owned()))
        })
        .collect();
    assert!(!rooms.is_empty(), "no table in src/lib.rs");
    let page = read(ARCHITECTURE);
    let told: Vec<(String, String)> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `src/"))
        .filter_map(|row| {
            let mut cells = row.split('|').map(str::trim);
            // A folder, or the one file of a small room.
            let name = cells.next()?.trim_end_matches('`');
            let name = name.trim_end_matches('/').trim_end_matches(".rs");
            Some((name.to_owned(), cells.nth(1)?.to_owned()))
        })
        .collect();
    assert_eq!(told, rooms, "{ARCHITECTURE} against src/lib.rs");
}

#[test]
fn the_walks_count_their_files() {
    let page = read(ARCHITECTURE);
    let walks: Vec<&str> = page
        .split("\n## ")
        .filter(|part| part.starts_with("Walk "))
        .collect();
    assert_eq!(walks.len(), 3);
    for walk in walks {
        let title = walk.lines().next().expect("a title");
        let files: BTreeSet<String> = paths(walk)
            .into_iter()
            .map(|(_, path)| path)
            .filter(|path| path.ends_with(".rs"))
            .collect();
        let told = format!("({} files)", files.len());
        assert!(title.ends_with(&told), "{title}: {told}");
    }
}

#[test]
fn paths_are_found_in_all_their_forms() {
    let text =
        "`src/a.rs`, [b](../src/b/c.rs). In tests/d/*.rs:\nhttps://example.com/src/no.rs, xsrc/no";
    let expected = [(1, "src/a.rs"), (1, "src/b/c.rs"), (1, "tests/d/")];
    let expected = expected.map(|(line, path)| (line, path.to_owned()));
    assert_eq!(paths(text), expected);
}
