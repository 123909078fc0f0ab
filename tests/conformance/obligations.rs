//! `docs/obligations.md` explains every code that the repository cites. It cannot fall behind: its rows
//! are those of `rows.txt`, and a code without a row, or a row without a citation, is found here.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use super::{Fate, citations, root, rows};

const PAGE: &str = "docs/obligations.md";

#[test]
fn the_page_has_the_rows_of_the_list_with_level_and_status() {
    let page = page();
    let rows = rows();
    let mut wrong = Vec::new();
    for (id, row) in &rows {
        let Some(cells) = page.get(id) else {
            wrong.push(format!("{id}: not on the page"));
            continue;
        };
        let [level, status, sentence] = &cells[..] else {
            wrong.push(format!("{id}: level, status and sentence, not {cells:?}"));
            continue;
        };
        if (level, status) != (&row.level, &row.status) {
            wrong.push(format!(
                "{id}: {} {} in the list, {level} {status} on the page",
                row.level, row.status
            ));
        }
        let (sentence, left_out) = match sentence.split_once(" *Left out: ") {
            Some((sentence, why)) => (sentence, why.strip_suffix(".*")),
            None => (sentence.as_str(), None),
        };
        let reason = match &row.fate {
            Fate::Built => None,
            Fate::LeftOut(why) => Some(why.as_str()),
        };
        if left_out != reason {
            wrong.push(format!("{id}: left out for {left_out:?}, not {reason:?}"));
        }
        if !sentence.ends_with('.') {
            wrong.push(format!("{id}: no sentence"));
        }
    }
    let extra = page.keys().filter(|id| !is_dialect(id));
    for id in extra.filter(|id| !rows.contains_key(*id)) {
        wrong.push(format!("{id}: not in the list"));
    }
    assert!(wrong.is_empty(), "{PAGE}:\n{}", wrong.join("\n"));
}

#[test]
fn every_code_in_the_repository_has_a_row_on_the_page() {
    let page = page();
    let mut wrong = Vec::new();
    let mut cited = BTreeSet::new();
    for (path, text) in texts() {
        let codes = citations(&text).into_iter().chain(dialect_citations(&text));
        for (line, code) in codes {
            if !page.contains_key(&code) {
                wrong.push(format!("{}:{line}: {code}", path.display()));
            }
            cited.insert(code);
        }
        for (line, room) in room_citations(&text) {
            if !page.keys().any(|id| id.starts_with(&room)) {
                wrong.push(format!("{}:{line}: {room}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "not in {PAGE}:\n{}", wrong.join("\n"));
    let unused: Vec<_> = page.keys().filter(|id| !cited.contains(*id)).collect();
    assert!(unused.is_empty(), "{PAGE}: nothing cites {unused:?}");
}

/// A reader has this repository alone: what another paper says is told in a clause.
#[test]
fn nothing_cites_what_is_not_in_the_repository() {
    let mut wrong = Vec::new();
    for (path, text) in texts() {
        let kind = path.extension().and_then(|kind| kind.to_str());
        if !matches!(kind, Some("rs" | "md" | "toml")) {
            continue;
        }
        for (line, citation) in foreign_citations(&text) {
            wrong.push(format!("{}:{line}: {citation}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "say the reason:\n{}", wrong.join("\n"));
}

/// The rows of the page's tables: the cells behind the code, by code.
fn page() -> BTreeMap<String, Vec<String>> {
    let text = fs::read_to_string(root().join(PAGE)).expect(PAGE);
    let mut page = BTreeMap::new();
    for line in text.lines() {
        let Some(row) = line.strip_prefix("| <a id=\"") else {
            continue;
        };
        let row = row.strip_suffix(" |").expect(line);
        let (anchor, row) = row.split_once("\"></a>").expect(line);
        let mut cells = row.split(" | ").map(str::to_owned);
        let id = cells.next().expect(line);
        assert_eq!(anchor, id.to_lowercase(), "{line}");
        let before = page.insert(id, cells.collect());
        assert!(before.is_none(), "twice: {line}");
    }
    page
}

fn is_dialect(id: &str) -> bool {
    id.starts_with("D-")
}

/// Every text of the repository that may cite a code, but for the page and this test.
fn texts() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut left: Vec<PathBuf> = [
        "src",
        "tests",
        "benches",
        "config",
        "docs",
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "Cargo.toml",
    ]
    .map(|name| root().join(name))
    .into();
    while let Some(path) = left.pop() {
        if path == root().join(PAGE) || path == root().join("tests/conformance/obligations.rs") {
            continue;
        }
        if path.is_dir() {
            let entries = fs::read_dir(&path).expect("a folder");
            left.extend(entries.map(|entry| entry.expect("an entry").path()));
        } else if let Some(text) = text(&path) {
            found.push((path, text));
        }
    }
    found
}

/// `None` for what is not there or is no text.
fn text(path: &Path) -> Option<String> {
    String::from_utf8(fs::read(path).ok()?).ok()
}

/// Citations of all rows with a prefix, as `V1-TERM`, with the line.
fn room_citations(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        for (at, version) in line.match_indices("V1-").chain(line.match_indices("V2-")) {
            let rest = &line[at + version.len()..];
            let end = rest.find(|c: char| !c.is_ascii_uppercase());
            let (section, rest) = rest.split_at(end.unwrap_or(rest.len()));
            let is_code = rest
                .strip_prefix('-')
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
            if !section.is_empty() && !is_code {
                found.push((number + 1, format!("{version}{section}-")));
            }
        }
    }
    found
}

/// Rows of the dialects in a text, as `D-04` or in the name of a test `d_04`, with the line.
fn dialect_citations(text: &str) -> Vec<(usize, String)> {
    let code = |rest: &str, separator| {
        let number = rest[1..].strip_prefix(separator)?;
        let end = number.find(|c: char| !c.is_ascii_alphanumeric());
        let number = &number[..end.unwrap_or(number.len())];
        let is_code = number.len() == 2 && number.chars().all(|c| c.is_ascii_digit());
        is_code.then(|| format!("D-{number}"))
    };
    words(text, ['D', 'd'])
        .filter_map(|(line, rest)| {
            let separator = if rest.starts_with('D') { '-' } else { '_' };
            Some((line, code(rest, separator)?))
        })
        .collect()
}

/// Numbered cases, as `C` and three digits, also in names of tests; and sections of papers, as a name in
/// capitals with a section sign or a number, with the line.
fn foreign_citations(text: &str) -> Vec<(usize, String)> {
    const PAPERS: [&str; 8] = [
        "ANCHORS",
        "ARCHITECTURE",
        "CONFORMANCE",
        "DAILY",
        "FEATURES",
        "HOUSE",
        "PRODUCT",
        "WISHES",
    ];
    let cases = words(text, ['C', 'c']).filter_map(|(line, rest)| {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric());
        let case = &rest[..end.unwrap_or(rest.len())];
        let is_case = case.len() == 4 && case[1..].chars().all(|c| c.is_ascii_digit());
        is_case.then(|| (line, case.to_owned()))
    });
    let papers = text.lines().enumerate().flat_map(|(number, line)| {
        let words: Vec<&str> = line.split([' ', '(']).collect();
        let cited = words.windows(2).filter(|pair| {
            let is_name = pair[0].len() >= 4 && pair[0].chars().all(|c| c.is_ascii_uppercase());
            let numbered = pair[1].starts_with(|c: char| c.is_ascii_digit());
            is_name && (pair[1].starts_with('§') || numbered && PAPERS.contains(&pair[0]))
        });
        cited
            .map(|pair| (number + 1, pair.join(" ")))
            .collect::<Vec<_>>()
    });
    cases.chain(papers).collect()
}

/// Where a word or a part of a name begins with one of these letters: the line, and the rest of it.
fn words(text: &str, letters: [char; 2]) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().flat_map(move |(number, line)| {
        line.match_indices(letters)
            .filter(|(at, _)| !line[..*at].ends_with(char::is_alphanumeric))
            .map(move |(at, _)| (number + 1, &line[at..]))
    })
}

#[test]
fn dialects_and_rooms_are_found_in_names_and_comments() {
    let text = "// D-04, WORD-05, D-061, V1-TERM, V2-UPD-01\nfn reads_d_15() { let id_16; }";
    let expected = [(1, "D-04"), (2, "D-15")].map(|(line, id)| (line, id.to_owned()));
    assert_eq!(dialect_citations(text), expected);
    assert_eq!(room_citations(text), [(1, "V1-TERM-".to_owned())]);
}

#[test]
fn cases_and_papers_are_found() {
    let case = format!("C{}", 136);
    let paper = format!("HOUSE {}", '§');
    let text = format!("// As {case} ({paper}2), RFC 3986 §3, SIGTERM 15\nfn a_{case}_b() {{}}");
    let text = text.replace("a_C", "a_c");
    let found: Vec<_> = foreign_citations(&text);
    let expected = [
        (1, case.clone()),
        (2, case.to_lowercase()),
        (1, format!("{paper}2),")),
    ];
    assert_eq!(found, expected);
}
