//! The obligations of an ACP client, each held by a test that cites it.
//!
//! `tests/conformance/rows.txt` lists them, `docs/obligations.md` says what each asks. A citation is a row's id in test code, `V1-TERM-06` in a
//! comment or `v1_term_06` in the name of a test. That the test holds what the row says is for people
//! to judge; this one only finds rows that nobody thought of, and citations that went stale.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

#[path = "conformance/obligations.rs"]
mod obligations;
#[path = "support/schema.rs"]
mod schema;

#[derive(Debug, PartialEq)]
enum Fate {
    Built,
    /// Not built, and why.
    LeftOut(String),
}

#[derive(Debug)]
struct Row {
    status: String,
    level: String,
    fate: Fate,
}

impl Row {
    /// What the protocol demands of everyone, or we of ourselves, in its stable part and in version 2.
    fn binds(&self) -> bool {
        let stable = ["v1", "v2"].contains(&self.status.as_str()) || self.status.starts_with("v1+");
        stable && self.level != "MAY"
    }
}

#[test]
fn every_row_is_held_by_a_test_or_left_out_for_a_reason() {
    let rows = rows();
    let cited = cited_in_tests();
    let mut wrong = Vec::new();
    for (id, row) in &rows {
        match &row.fate {
            Fate::Built if !cited.contains_key(id) => {
                wrong.push(format!("{id}: no test cites it"));
            }
            Fate::LeftOut(_) if row.binds() => {
                wrong.push(format!(
                    "{id}: {} {} may not be left out",
                    row.status, row.level
                ));
            }
            Fate::LeftOut(_) if cited.contains_key(id) => {
                let at = cited[id].iter().next().expect("a place");
                wrong.push(format!("{id}: left out, yet cited at {at}"));
            }
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_citation_is_of_a_row() {
    let rows = rows();
    let mut wrong = Vec::new();
    for path in sources("src").into_iter().chain(sources("tests")) {
        let source = fs::read_to_string(&path).expect("a source");
        for (line, id) in citations(&source) {
            if !rows.contains_key(&id) {
                wrong.push(format!("{}:{line}: {id}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "no such rows:\n{}", wrong.join("\n"));
}

/// One id is not said by the end of another: it would be found in no search.
#[test]
fn every_citation_is_whole() {
    let mut wrong = Vec::new();
    for path in sources("src").into_iter().chain(sources("tests")) {
        let code = fs::read_to_string(&path).expect("a source");
        for (number, line) in code.lines().enumerate() {
            let ids = line.match_indices(['V', 'v']).filter_map(|(at, _)| {
                let rest = &line[at..];
                let separator = if rest.starts_with('V') { '-' } else { '_' };
                let id = citation(rest, separator)?;
                Some(&rest[id.len()..])
            });
            let cut = |rest: &str| {
                let rest = rest.trim_start_matches([',', ' ']);
                let next = rest.trim_start_matches(['-', '_', '…']);
                next.len() < rest.len() && next.starts_with(|c: char| c.is_ascii_digit())
            };
            if ids.into_iter().any(cut) {
                wrong.push(format!(
                    "{}:{}: {}",
                    path.display(),
                    number + 1,
                    line.trim()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "ids in full:\n{}", wrong.join("\n"));
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn rows() -> BTreeMap<String, Row> {
    let list = fs::read_to_string(root().join("tests/conformance/rows.txt")).expect("the list");
    let mut rows = BTreeMap::new();
    for line in list.lines() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let cells: Vec<&str> = line.split(" | ").collect();
        let (&[id, status, level, _], rest) = cells.split_first_chunk::<4>().expect(line);
        let fate = match rest {
            [] => Fate::Built,
            [why] => fate(why).expect(line),
            _ => panic!("{line}"),
        };
        let row = Row {
            status: status.to_owned(),
            level: level.to_owned(),
            fate,
        };
        let before = rows.insert(id.to_owned(), row);
        assert!(before.is_none(), "{id} stands there twice");
    }
    rows
}

fn fate(cell: &str) -> Option<Fate> {
    let why = cell.strip_prefix("left out: ")?;
    Some(Fate::LeftOut(why.to_owned()))
}

/// Ids of rows, and where tests cite them.
fn cited_in_tests() -> BTreeMap<String, BTreeSet<String>> {
    let mut cited: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, code) in test_code() {
        for (line, id) in citations(&code) {
            let place = format!("{}:{line}", path.display());
            cited.entry(id).or_default().insert(place);
        }
    }
    cited
}

/// All test code, by file, in the lines where it stands.
fn test_code() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for path in sources("tests") {
        let source = fs::read_to_string(&path).expect("a source");
        found.push((path, source));
    }
    let (whole, files) = test_modules();
    for (path, source) in files {
        let is_test = whole.iter().any(|module| belongs(&path, module));
        let code = if is_test { source } else { only_tests(&source) };
        found.push((path, code));
    }
    found
}

/// Files in `src` that are test modules as a whole, as declared where they belong; and all sources.
fn test_modules() -> (BTreeSet<PathBuf>, Vec<(PathBuf, String)>) {
    let read = |path: PathBuf| {
        let source = fs::read_to_string(&path).expect("a source");
        (path, source)
    };
    let files: Vec<_> = sources("src").into_iter().map(read).collect();
    let mut whole = BTreeSet::new();
    for (path, source) in &files {
        let own = match path.file_stem().and_then(|stem| stem.to_str()) {
            Some("mod" | "lib" | "main") => path.with_file_name(""),
            _ => path.with_extension(""),
        };
        let lines: Vec<&str> = source.lines().map(str::trim).collect();
        for (at, _) in lines.iter().enumerate().filter(|(_, line)| is_gate(line)) {
            let mut folder = own.clone();
            for line in &lines[at + 1..] {
                if let Some(file) = line.strip_prefix("#[path = \"") {
                    // Relative to the file that says so.
                    let file = file.trim_end_matches("\"]");
                    whole.insert(path.with_file_name(file).with_extension(""));
                    break;
                }
                if line.starts_with("#[") {
                    continue;
                }
                let line = line
                    .trim_start_matches("pub(crate) ")
                    .trim_start_matches("pub(super) ")
                    .trim_start_matches("pub ");
                if let Some(name) = line.strip_prefix("mod ").and_then(|m| m.strip_suffix(';')) {
                    folder.push(name);
                    whole.insert(folder);
                }
                break;
            }
        }
    }
    (whole, files)
}

/// Whether a file is that module, or in its folder.
fn belongs(path: &Path, module: &Path) -> bool {
    path.with_extension("") == module || path.starts_with(module)
}

fn is_gate(line: &str) -> bool {
    line == "#[cfg(test)]"
}

/// The source with all lines blank that are outside of its `#[cfg(test)]` blocks.
fn only_tests(source: &str) -> String {
    let mut kept = String::new();
    // The indentation of the block that is being copied.
    let mut block: Option<&str> = None;
    let mut gated = false;
    for line in source.lines() {
        let indent = &line[..line.len() - line.trim_start().len()];
        if block.is_some() {
            kept.push_str(line);
            if block == Some(indent) && line.trim() == "}" {
                block = None;
            }
        } else if is_gate(line.trim()) {
            gated = true;
        } else if gated && !line.trim().starts_with("#[") {
            block = line.ends_with('{').then_some(indent);
            gated = false;
        }
        kept.push('\n');
    }
    kept
}

/// The Rust sources below a folder, but for this test's own.
fn sources(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ext| ext == "rs")
                && !path
                    .with_extension("")
                    .starts_with(root().join("tests/conformance"))
            {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Ids of rows in a text, as `V1-TERM-06`, with the line; in names of tests they are `v1_term_06`.
fn citations(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        for (at, start) in line.match_indices(['V', 'v']) {
            let separator = if start == "V" { '-' } else { '_' };
            found.extend(citation(&line[at..], separator).map(|id| (number + 1, id)));
        }
    }
    found
}

/// The id that a text starts with.
fn citation(text: &str, separator: char) -> Option<String> {
    let mut parts = text.splitn(3, separator);
    let version = parts
        .next()
        .filter(|part| part.eq_ignore_ascii_case("v1") || part.eq_ignore_ascii_case("v2"))?;
    let section = parts.next()?;
    let number = parts.next()?.get(..2)?;
    let is_id = !section.is_empty()
        && section.chars().all(|c| c.is_ascii_alphabetic())
        && number.chars().all(|c| c.is_ascii_digit());
    is_id.then(|| format!("{version}-{section}-{number}").to_uppercase())
}

/// What the other tests rely on when they hold their traffic against the schema.
#[test]
fn the_schema_refuses_what_the_protocol_does_not_have() {
    let traffic = |line: Value| {
        let asked = json!({"id": 7, "method": "session/request_permission"});
        let mut traffic = schema::Traffic::default();
        traffic.received(&asked);
        traffic.sent(&line.to_string()).is_ok()
    };
    let cancel =
        json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s"}});
    let chosen = json!({"outcome": "selected", "optionId": "o"});
    let answer = json!({"jsonrpc": "2.0", "id": 7, "result": {"outcome": chosen}});
    let error = json!({"jsonrpc": "2.0", "id": 7, "error": {"code": -32800, "message": "m"}});
    let text = json!({"type": "text", "text": "t", "_meta": {"ours": {"any": 1}}});
    let params = json!({"sessionId": "s", "prompt": [text]});
    let prompt = json!({"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": params});
    for line in [&cancel, &answer, &error, &prompt] {
        assert!(traffic(line.clone()), "{line}");
    }
    let with = |line: &Value, pointer: &str, key: &str, value: Value| {
        let mut line = line.clone();
        line.pointer_mut(pointer).expect("an object")[key] = value;
        line
    };
    for line in [
        with(&cancel, "", "own", 1.into()),
        with(&cancel, "", "id", 1.into()),
        with(&cancel, "", "method", "session/own".into()),
        with(&cancel, "/params", "own", 1.into()),
        with(&cancel, "/params", "sessionId", 1.into()),
        with(&answer, "", "error", error["error"].clone()),
        with(&answer, "", "id", 8.into()),
        with(&answer, "/result/outcome", "own", 1.into()),
        with(&answer, "/result/outcome", "outcome", "cancelled".into()),
        with(&error, "/error", "own", 1.into()),
        with(&prompt, "/params/prompt/0", "own", 1.into()),
        with(&prompt, "/params/prompt/0", "uri", "of another kind".into()),
        with(&prompt, "/params/prompt/0", "_meta", 1.into()),
    ] {
        assert!(!traffic(line.clone()), "{line}");
    }
    let lines = [&prompt, &prompt].map(|line| json!({"sent": line.to_string()}).to_string());
    let repeats = std::panic::catch_unwind(|| schema::check_record(&lines.join("\n")));
    assert!(repeats.is_err(), "an id twice");
    schema::check_wire(&json!({"dir": "c2a", "msg": prompt}).to_string());
}

#[test]
fn citations_are_found_in_names_and_comments() {
    let text = "// V1-TERM-06, -07\nfn ends_v1_can_02_v1_perm_10() {}\nlet v1_x = v1_ab_c;";
    let expected = [(1, "V1-TERM-06"), (2, "V1-CAN-02"), (2, "V1-PERM-10")];
    let expected = expected.map(|(line, id)| (line, id.to_owned()));
    assert_eq!(citations(text), expected);
}

#[test]
fn only_the_tests_of_a_source_count() {
    let source = "// V1-FS-01\n#[cfg(test)]\nmod tests {\n    // V1-FS-02\n}\n// V1-FS-03\n#[cfg(test)]\nmod other;\n// V1-FS-04\n";
    assert_eq!(citations(&only_tests(source)), [(4, "V1-FS-02".to_owned())]);
}

#[test]
fn a_row_has_a_reason_for_what_it_lacks() {
    let reason = Fate::LeftOut("nobody: needs it".to_owned());
    assert_eq!(fate("left out: nobody: needs it"), Some(reason));
    assert_eq!(fate("left out"), None);
    assert_eq!(fate("pending: x"), None);
}
